"""When something was true in a run: spans of cell time computed from the histories of signals."""

from collections.abc import Callable
from typing import Any

from drycell import Cell

Spans = list[tuple[int, int]]
"""Disjoint spans in ticks, in order; never empty ones."""


def while_(cell: Cell, signal: str, holds: Callable[[Any], bool] = bool) -> Spans:
    """The spans up to now in which ``holds`` was true for a signal's value."""
    found: Spans = []
    changes = cell.kernel.signals[signal].history
    ends = [time for time, *_ in changes[1:]] + [cell.kernel.now]
    for (begin, value, _), end in zip(changes, ends, strict=True):
        if end > begin and holds(value):
            if found and found[-1][1] == begin:
                found[-1] = (found[-1][0], end)
            else:
                found.append((begin, end))
    return found


def both(one: Spans, other: Spans) -> Spans:
    """The spans in which both were true."""
    found: Spans = []
    i = j = 0
    while i < len(one) and j < len(other):
        begin, end = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if begin < end:
            found.append((begin, end))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return found


def needlessly_idle(cell: Cell, machine: str) -> Spans:
    """The spans in which a machine was idle although a part was at the pick position and the arm was free.

    Free is an arm that rests, with an empty gripper that rests, too: while a job is done one of them moves.
    """
    waits = both(while_(cell, "sensor2"), while_(cell, f"{machine}.running", lambda on: not on))
    rests = both(while_(cell, "arm.motion", lambda state: state == "still"), _off(cell, "arm/gripper.moving"))
    return both(waits, both(rests, _off(cell, "arm/gripper.holding")))


def _off(cell: Cell, signal: str) -> Spans:
    return while_(cell, signal, lambda on: not on)
