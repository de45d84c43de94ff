"""What went wrong in the run, and who waits for whom in a deadlock. Host: ``host/problems``."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

from drycell import kernel
from drycell.studio.api.codec import Vector
from drycell.studio.api.debugging import Severity

ProblemKind = Literal["collision", "near miss", "lost part", "deadlock", "stuck program", "warning", "program error"]


@dataclass(frozen=True, slots=True)
class RunProblem:
    """A problem of the run, and the time in ticks at which it can be seen.

    A collision or near miss has two bodies and a point; an error or a program that cannot continue has its place in the
    source.
    """

    t: int
    kind: ProblemKind
    text: str
    severity: Severity = "error"
    bodies: tuple[str, str] | None = None
    point: Vector | None = None
    file: str | None = None
    line: int | None = None
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class ProblemMark:
    """A place on a time axis with at least one problem; the most serious one counts."""

    t: int
    severity: Severity


@dataclass(frozen=True, slots=True)
class RunProblems:
    """The problems of the run so far: the first ones in full, their total number, and marks for a time axis."""

    rows: tuple[RunProblem, ...] = ()
    errors: int = 0
    warnings: int = 0
    marks: tuple[ProblemMark, ...] = ()


@dataclass(frozen=True, slots=True)
class WaitGraph:
    """The programs that can never continue, from time ``t`` on: what each waits for, and what it could still set."""

    t: int
    stuck: tuple[kernel.Blocked, ...]


class ProblemsApi(ABC):
    """What went wrong in the run or recording."""

    @abstractmethod
    async def found(self) -> RunProblems:
        """All problems so far, including those later than the time that is shown."""

    @abstractmethod
    async def wait_graph(self) -> WaitGraph | None:
        """Who waits for whom, if programs were stuck at the end of the run."""
