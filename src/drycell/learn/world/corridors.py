"""Corridors: two walls along a centre line, whose distance and direction may change (control objective II)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from drycell.base import FieldError
from drycell.learn.world.plan import PLASTER, FloorPlan, Point, chain

Station = tuple[float, float, float]  # x and y of the centre, and the width there


@dataclass(frozen=True)
class Corridor(FloorPlan):
    """A corridor along stations; it is traversed from ``inset`` behind its one end to ``inset`` before the other."""

    stations: tuple[Station, ...] = ()
    inset: float = 0.0

    @cached_property
    def marks(self) -> tuple[float, ...]:
        """How far along the centre line each station is."""
        far = [0.0]
        for (x, y, _), (u, v, _) in pairwise(self.stations):
            far.append(far[-1] + math.hypot(u - x, v - y))
        return tuple(far)

    @property
    def length(self) -> float:
        """The length of the centre line."""
        return self.marks[-1]

    def at(self, along: float) -> tuple[Point, float, float]:
        """The place on the centre line that far along it, the direction there and the width there."""
        for k, (start, end) in enumerate(pairwise(self.marks)):
            if along <= end or k == len(self.marks) - 2:
                (x, y, w), (u, v, z) = self.stations[k], self.stations[k + 1]
                share = (along - start) / (end - start) if end > start else 0.0
                heading = math.atan2(v - y, u - x)
                return (x + share * (u - x), y + share * (v - y)), heading, w + share * (z - w)
        raise FieldError(f"the corridor {self.name!r} has fewer than two stations", hint="use corridor()")

    def along(self, place: Point) -> float:
        """How far along the centre line the point of it lies that is nearest to a place."""
        best, found = math.inf, 0.0
        for k, ((x, y, _), (u, v, _)) in enumerate(pairwise(self.stations)):
            ex, ey = u - x, v - y
            square = ex * ex + ey * ey
            share = min(max(((place[0] - x) * ex + (place[1] - y) * ey) / square, 0.0), 1.0) if square else 0.0
            off = math.hypot(place[0] - x - share * ex, place[1] - y - share * ey)
            if off < best:
                best, found = off, self.marks[k] + share * math.sqrt(square)
        return found


def corridor(name: str, stations: Sequence[Station], inset: float = 3.0, material: str = PLASTER) -> Corridor:
    """A corridor along stations (x, y, width in metres), open at both ends.

    At a bend the walls meet on its bisector and keep their distance. Two stations in nearly one place with different
    widths make a step in the walls.
    """
    if len(stations) < 2 or any(width <= 0.0 for _, _, width in stations):
        raise FieldError(
            f"the corridor {name!r} has {len(stations)} stations, two or more of a width above 0 are wanted",
            hint="write (x, y, width), in metres",
        )
    centre = [(x, y) for x, y, _ in stations]
    turns = [math.atan2(v - y, u - x) for (x, y), (u, v) in pairwise(centre)]
    left: list[Point] = []
    right: list[Point] = []
    for k, (x, y, width) in enumerate(stations):
        before, after = turns[max(k - 1, 0)], turns[min(k, len(turns) - 1)]
        half = math.remainder(after - before, math.tau) / 2.0
        if abs(half) > math.radians(60.0):
            raise FieldError(
                f"the corridor {name!r} turns by {math.degrees(2.0 * half):.0f} deg at station {k + 1}",
                hint="turn by 120 deg at most; a sharper bend takes a station more",
            )
        across, reach = before + half + math.pi / 2.0, width / 2.0 / math.cos(half)
        dx, dy = reach * math.cos(across), reach * math.sin(across)
        left.append((x + dx, y + dy))
        right.append((x - dx, y - dy))
    made = Corridor(name, (*chain(left, material), *chain(right, material)), tuple(stations), inset)
    if not 0.0 <= 2.0 * inset < made.length:
        raise FieldError(
            f"the corridor {name!r} is {made.length:g} m long, its inset of {inset:g} m leaves nothing between",
            hint="choose an inset below half its length",
        )
    return made
