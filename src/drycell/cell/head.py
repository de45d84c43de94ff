"""The fields of a cell file that are not sections of named things: name, checks, run settings and others."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal

from drycell.base import (
    DrycellError,
    Duration,
    Factor,
    FileName,
    Name,
    NoLess,
    PlainValue,
    Problem,
    Quantity,
    Ref,
    Several,
    Thing,
)
from drycell.kernel import ticks
from drycell.record import Expectation
from drycell.world import CollisionMonitor, Settling

if TYPE_CHECKING:
    from drycell.cell.cell import Cell

_Who = Ref("body", needed=False, pattern=True)
Who = Annotated[str, _Who]
Pair = Annotated[tuple[str, str], Several((_Who, _Who), "[arm, table]")]
PairDistance = Annotated[
    tuple[str, str, float], Several((_Who, _Who, Quantity("length", least=0.0)), "[arm, door, 20 mm]")
]


class CollisionCheck(Thing):
    """Checks collisions between named pairs, or between all bodies except some.

    ``arm`` means that body and all bodies named below it (``arm/forearm``); ``*`` and ``?`` are wildcards.
    """

    pairs: tuple[Pair, ...] | None = None
    """The pairs to check; by default all."""
    everything_but: tuple[Who, ...] | None = None
    """Bodies that are not checked."""
    allowed: tuple[Pair, ...] = ()
    """Pairs that may touch."""
    clearance: NoLess = 0.0
    """Pairs closer than this are reported as near misses."""
    clearances: tuple[PairDistance, ...] = ()
    """Clearances of single pairs, each with its own distance."""
    cycle: Duration | None = None
    """Check once per cycle, and report each time, instead of continuously."""
    stop: bool = False
    """Whether the run ends at the first collision."""

    def problems(self) -> Iterable[Problem]:
        """Yield a problem if pairs are both listed and excluded."""
        if self.pairs is not None and self.everything_but is not None:
            hint = "'pairs' lists what to check, 'everything_but' what to skip: keep one"
            yield Problem(("everything_but",), "'pairs' and 'everything_but' cannot both be given", hint)

    def build(self, cell: "Cell") -> CollisionMonitor:
        """Return the collision monitor."""
        return CollisionMonitor(
            cell.world,
            cell.kernel,
            pairs=self.pairs,
            but=self.everything_but or (),
            allow=self.allowed,
            clearance=self.clearance,
            clearances=self.clearances,
            cycle=None if self.cycle is None else ticks(self.cycle),
            stop=self.stop,
        )


class Checks(Thing):
    """What is watched during the run."""

    collision: CollisionCheck | None = None
    """The check for collisions."""


class Run(Thing):
    """How the cell is run by default."""

    until: Duration | None = None
    """Cell time at which the run ends."""
    seed: int = 0
    """Seed of all random streams."""
    pace: Factor | None = None
    """Speed relative to real time; as fast as possible by default."""
    expect: tuple[str, ...] = ()
    """Limits for figures of the result, such as ``stored >= 50``; a run that misses one is not clean."""

    def problems(self) -> Iterable[Problem]:
        """Return the texts that are not expectations."""
        for place, text in enumerate(self.expect):
            try:
                Expectation.parse(text)
            except DrycellError as error:
                yield Problem(("expect", place), error.what, error.hint)


class Head(Thing):
    """The fields of a cell file that are not sections of named things."""

    format: Literal[1] = 1
    """Version of the file format."""
    name: str = "cell"
    """Name of the cell in reports."""
    description: str = ""
    """What the cell is for."""
    uses: tuple[FileName, ...] = ()
    """Python files next to the cell that define additional kinds of things."""
    signals: dict[Name, PlainValue] | None = None
    """Signals that belong to no device, with their initial values."""
    settling: Settling = "tumble"
    """How released parts settle: ``tumble`` from the materials, ``pilot`` by probabilities, ``keep`` their angle."""
    checks: Checks = Checks()
    """What is watched during the run."""
    run: Run = Run()
    """How the cell is run by default."""
