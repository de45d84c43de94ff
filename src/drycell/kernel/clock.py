"""Cell time in integer microseconds (ticks), so that simultaneous events are exactly simultaneous; and the order of
events at one instant."""

from enum import IntEnum
from typing import Final

from drycell.base import KernelError

TICKS_PER_SECOND: Final = 1_000_000
FOREVER: Final = 1 << 62
LONGEST: Final = 3e12
"""The longest cell time, in seconds."""


def ticks(seconds: float) -> int:
    """Convert seconds to the nearest tick (halves go to the even tick)."""
    try:
        valid = abs(seconds) < LONGEST  # also false for NaN
    except TypeError:
        raise KernelError(f"expected a time in seconds, got {seconds!r}", hint="write for example 2.5*s") from None
    if not valid:
        raise KernelError(f"{seconds:g} s is not a valid cell time", hint="stay below a hundred thousand years")
    return round(seconds * 1e6)


def seconds(ticks: int) -> float:
    """Convert ticks to seconds."""
    return ticks / TICKS_PER_SECOND


def clock_text(ticks: int) -> str:
    """Format a time with all its microseconds, from the integer, so that the text is the same on every machine:
    ``41.250000``."""
    whole, rest = divmod(ticks, TICKS_PER_SECOND)
    return f"{whole}.{rest:06d}"


class Rank(IntEnum):
    """The order of events at one instant. Only ties within a rank (and priority) are choices."""

    MOTION = 0
    SENSOR = 1
    DEVICE = 2
    PROGRAM = 3
    OUTSIDE = 4
    """Requests of other threads run after everything that the cell itself does at that instant, so that a run can be
    replayed."""


PRIORITIES: Final = 1000
_SPAN: Final = 4096
STOP_LEVEL: Final = _SPAN * 6
"""A run stopped from outside ends after everything else at its instant, so a replay needs only the tick."""
END_LEVEL: Final = _SPAN * 8


def level(rank: Rank, priority: int = 0) -> int:
    """Return the second key of the event queue: the rank, then the priority (higher first)."""
    if not -PRIORITIES <= priority <= PRIORITIES:
        raise KernelError(
            f"priority {priority} is outside {-PRIORITIES}..{PRIORITIES}", hint="the default priority is 0"
        )
    return rank * _SPAN + _SPAN // 2 - priority


REQUEST_LEVEL: Final = level(Rank.OUTSIDE, -PRIORITIES)
"""Requests come after all timers of that rank, so that their order is the same live and in a replay."""
