"""Cell time in integer microseconds, so that two events at one instant are exactly at one instant, and their order."""

from enum import IntEnum
from typing import Final

from drycell.base import KernelError

TICKS_PER_SECOND: Final = 1_000_000
FOREVER: Final = 1 << 62
LONGEST: Final = 3e12
"""Seconds; no time of a cell is longer."""


def ticks(seconds: float) -> int:
    """The tick nearest to a time in seconds (halves go to the even tick)."""
    if not abs(seconds) < LONGEST:  # NaN is refused, too
        raise KernelError(f"{seconds:g} s is no time of a cell", hint="keep within a hundred thousand years")
    return round(seconds * 1e6)


def seconds(ticks: int) -> float:
    """A time in ticks as seconds."""
    return ticks / TICKS_PER_SECOND


def clock_text(ticks: int) -> str:
    """A time with all its microseconds, written from the integer so that it is the same everywhere: ``41.250000``."""
    whole, rest = divmod(ticks, TICKS_PER_SECOND)
    return f"{whole}.{rest:06d}"


class Rank(IntEnum):
    """What goes first at one instant. Only ties within a rank (and priority) are choices."""

    MOTION = 0
    SENSOR = 1
    DEVICE = 2
    PROGRAM = 3
    OUTSIDE = 4
    """What other threads post: after everything the cell itself does at that instant, so that it can be replayed."""


PRIORITIES: Final = 1000
_SPAN: Final = 4096
STOP_LEVEL: Final = _SPAN * 6
"""A run stopped from outside ends after everything else of its instant: so the tick is enough to stop there again."""
END_LEVEL: Final = _SPAN * 8


def level(rank: Rank, priority: int = 0) -> int:
    """The second key of the event queue: rank, then priority (higher first)."""
    if not -PRIORITIES <= priority <= PRIORITIES:
        raise KernelError(
            f"priority {priority} is out of range, limits {-PRIORITIES}..{PRIORITIES}", hint="0 is the usual priority"
        )
    return rank * _SPAN + _SPAN // 2 - priority


REQUEST_LEVEL: Final = level(Rank.OUTSIDE, -PRIORITIES)
"""Requests come after timers of that rank, whenever these were made: live and replayed, their order is the same."""
