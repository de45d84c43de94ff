"""Debugging: call stacks and variables of programs, checks of texts, program output. Host: ``host/debugging``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

from drycell import kernel

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class CallPlace:
    """A call on the stack of a program, and its current line."""

    name: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class ProgramCalls:
    """The call stack of a program, innermost call first, and the variables of one call."""

    stack: tuple[CallPlace, ...] = ()
    scopes: tuple[kernel.VariableScope, ...] = ()


@dataclass(frozen=True, slots=True)
class TextFinding:
    """An error or warning in a text. Lines and columns count from 1; the end is after the last character."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    hint: str | None = None
    severity: Severity = "error"


@dataclass(frozen=True, slots=True)
class TextCheck:
    """The errors and warnings in a text. ``stops`` are the lines that can have a breakpoint; None: not known."""

    findings: tuple[TextFinding, ...]
    stops: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class RunInput:
    """A request from outside the run, as stored on its tape."""

    tick: int
    who: str
    what: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RunRecipe:
    """What is needed to run the open cell again with the same journal.

    ``path`` is the cell, or with ``recording`` the recording of the run. ``text`` is the text of the cell file if the
    cell was built from an edited one that is not saved.
    """

    path: str
    seed: int | None = None
    until: float | None = None
    text: str | None = None
    recording: bool = False
    inputs: tuple[RunInput, ...] = ()


class DebuggingApi(ABC):
    """Inspects programs."""

    @abstractmethod
    async def variables(self, process: str, level: int = 0) -> ProgramCalls:
        """The call stack of a program, and the variables of the call at ``level`` (0: the innermost)."""

    @abstractmethod
    async def recipe(self) -> RunRecipe:
        """What is needed to run the open cell again. Raises DrycellError with the reason if that is not possible."""

    @abstractmethod
    async def repeat(self, recipe: RunRecipe) -> None:
        """Build a cell that is to be run again, at the lowest priority."""

    @abstractmethod
    async def fingerprint(self, t: int) -> str:
        """A hash of all signals up to and including a time: equal for runs that are equal."""

    @abstractmethod
    async def check(self, file: str, text: str) -> TextCheck:
        """Check a text as if it were in a file, and find the lines that can have a breakpoint."""

    @abstractmethod
    async def printed(self) -> str:
        """The latest output of the programs. Later output is sent as events."""
