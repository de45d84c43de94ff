"""The object with corners that the ultrasonic rig scans: steps, a slope, a gap and a steep flank.

What stood on the measuring machine in 1996 is lost with figure 26; this one is drycell's own.
"""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

from drycell.base import mm


@dataclass(frozen=True)
class Stretch:
    """A straight part of the object's top, from one place along the path to another, with its two heights (m)."""

    name: str
    start: float
    end: float
    first: float
    last: float

    @property
    def flat(self) -> bool:
        """Whether it is level."""
        return self.first == self.last

    def height(self, place: float) -> float:
        """How high the top is at a place along the path."""
        return self.first + (self.last - self.first) * (place - self.start) / (self.end - self.start)


def _stretches() -> tuple[Stretch, ...]:
    rows = (
        ("low flat", 0, 120, 30, 30),
        ("high flat", 120, 220, 90, 90),  # after a step up of 60 mm
        ("slope", 220, 330, 90, 50),  # 20 deg
        ("middle flat", 330, 400, 50, 50),
        ("gap", 400, 430, 0, 0),  # 30 mm wide, down to the table
        ("rim", 430, 500, 50, 50),
        ("steep flank", 500, 550, 50, 120),  # 54 deg
        ("top flat", 550, 640, 120, 120),
        ("table", 640, 700, 0, 0),  # after a step down of 120 mm
    )
    return tuple(Stretch(name, *(value * mm for value in values)) for name, *values in rows)


STRETCHES: Final = _stretches()
WIDTH: Final = 200 * mm
LENGTH: Final = STRETCHES[-1].end
_STARTS: Final = [each.start for each in STRETCHES]


def stretch_at(place: float) -> Stretch:
    """The part of the top that a place along the path is over; beyond the ends, the first or the last."""
    return STRETCHES[max(0, bisect_right(_STARTS, place) - 1)]


def height_at(place: float) -> float:
    """How high the top is there: the true profile."""
    return stretch_at(place).height(place)


def corner_distance(place: float) -> float:
    """How far the nearest corner is along the path."""
    return min(abs(place - each) for each in (*_STARTS[1:], 0.0, LENGTH))


def solids() -> list[list[tuple[float, float]]]:
    """Outlines (place, height) of the pieces that stand on the table, one on each side of the gap."""
    pieces: list[list[tuple[float, float]]] = []
    for each in STRETCHES:
        if each.first == each.last == 0.0:
            continue
        if not pieces or pieces[-1][-1][0] != each.start:
            pieces.append([(each.start, 0.0)])
        if pieces[-1][-1] != (each.start, each.first):
            pieces[-1].append((each.start, each.first))
        pieces[-1].append((each.end, each.last))
    return [[*piece, (piece[-1][0], 0.0)] for piece in pieces]
