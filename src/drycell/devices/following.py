"""Following: how a part goes behind others that do not go with its belt, and until when, in closed form.

A part goes with its belt until it comes up to something slower; it then goes as that does, its belt slipping under it,
until its belt is the slower of the two.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from drycell.devices.belt import TOUCHING
from drycell.devices.drive import Drive
from drycell.world import FOREVER, SECOND

_SLIGHT: Final = 1e-12  # m/s and m/s²: speeds that should be equal differ by less


@dataclass(frozen=True, slots=True)
class Leader:
    """What is ahead of a part: where its rear end is now, and how it goes from now on."""

    rear: float
    drive: Drive


def follow(front: float, own: Drive, leaders: Sequence[Leader]) -> tuple[Drive, int]:
    """How a part goes whose front end is at a place, and until when that holds. All drives are seen from now.

    What a leader does after the end of its drive is not known: whoever knows asks again then.
    """
    close = [leader.drive for leader in leaders if leader.rear - front <= TOUCHING]
    pace = own
    for drive in close:
        if _slower(drive, pace):
            pace = drive
    until = min(own.end, pace.end)
    for leader in leaders:
        if leader.drive is not pace:
            caught = _caught(max(leader.rear - front, 0.0), pace, leader.drive)
            until = min(until, FOREVER if caught > leader.drive.end else caught)
    if pace is not own:
        until = min(until, _parted(pace, own))
    return pace, max(until, own.start + 1)


def _slower(one: Drive, other: Drive) -> bool:
    """Whether one falls behind the other from now on."""
    if abs(one.speed - other.speed) > _SLIGHT:
        return one.speed < other.speed
    return one.ramp < other.ramp - _SLIGHT


def _caught(gap: float, pace: Drive, ahead: Drive) -> int:
    """The first tick at which a gap is used up that grows by the difference of two drives."""
    if gap <= TOUCHING:
        gap = 0.0
    opening, bend = ahead.speed - pace.speed, 0.5 * (ahead.ramp - pace.ramp)
    if gap == 0.0:  # they part now, or never; they meet again where the one ahead gets slower
        seconds = -opening / bend if opening > _SLIGHT and bend < -_SLIGHT else math.inf
    else:
        square = opening * opening - 4.0 * bend * gap
        # The smallest positive root of gap + opening u + bend u², without loss of digits.
        divisor = -opening + math.sqrt(square) if square >= 0.0 else 0.0
        seconds = 2.0 * gap / divisor if divisor > 0.0 else math.inf
    return _tick(pace.start, seconds)


def _parted(pace: Drive, own: Drive) -> int:
    """The tick from which on a part's own belt is slower than what it follows."""
    gaining = pace.ramp - own.ramp
    return _tick(pace.start, (own.speed - pace.speed) / gaining if gaining > _SLIGHT else math.inf)


def _tick(start: int, seconds: float) -> int:
    return FOREVER if not seconds < 1e9 else start + math.ceil(seconds / SECOND)
