"""Checks: what is watched during a run."""

from typing import TYPE_CHECKING, Annotated

from drycell.base.schema import Duration, NoLess, Problem, Quantity, Ref, Several, Thing
from drycell.kernel import ticks
from drycell.world import CrashMonitor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from drycell.cell.cell import Cell

_Who = Ref("body", needed=False, pattern=True)
Who = Annotated[str, _Who]
Pair = Annotated[tuple[str, str], Several((_Who, _Who), "[arm, table]")]
PairDistance = Annotated[
    tuple[str, str, float], Several((_Who, _Who, Quantity("length", least=0.0)), "[arm, door, 20 mm]")
]


class CrashCheck(Thing):
    """Looks for collisions of named pairs, or of everything with everything except some bodies.

    ``arm`` stands for that body and all named below it (``arm/forearm``); ``*`` and ``?`` are wildcards.
    """

    pairs: tuple[Pair, ...] | None = None
    """The pairs to check; by default all."""
    everything_but: tuple[Who, ...] | None = None
    """Bodies that are not checked."""
    allowed: tuple[Pair, ...] = ()
    """Pairs that may touch."""
    near_miss: NoLess = 0.0
    """Pairs that come closer than this are reported as near misses."""
    near_misses: tuple[PairDistance, ...] = ()
    """The same for single pairs, each with its own distance."""
    cycle: Duration | None = None
    """Look once per cycle, and report each time, instead of continuously."""
    stop: bool = False
    """Whether the run ends at the first collision."""

    def problems(self) -> "Iterable[Problem]":
        """Pairs are either listed or all but some."""
        if self.pairs is not None and self.everything_but is not None:
            hint = "'pairs' names what is checked, 'everything_but' what is not: keep one"
            yield Problem(("everything_but",), "'pairs' and 'everything_but' cannot both be given", hint)

    def build(self, cell: "Cell") -> CrashMonitor:
        """The monitor that does it."""
        return CrashMonitor(
            cell.world,
            cell.kernel,
            pairs=self.pairs,
            but=self.everything_but or (),
            allow=self.allowed,
            near_miss=self.near_miss,
            near_misses=self.near_misses,
            cycle=None if self.cycle is None else ticks(self.cycle),
            stop=self.stop,
        )


class Checks(Thing):
    """What is watched during the run."""

    crash: CrashCheck | None = None
    """The check for collisions."""
