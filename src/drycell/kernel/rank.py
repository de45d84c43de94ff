"""The order of things that happen at one instant."""

from enum import IntEnum
from typing import Final

from drycell.base import KernelError


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
