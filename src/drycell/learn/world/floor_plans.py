"""Floor plans: walls as straight segments in the plane, each with a material. All lengths are in metres.

Rooms and corridors are plans with a route. A robot that drives between walls always stops in front of them, independent
of its controller.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from drycell.base import FieldError
from drycell.world import Materials

Point = tuple[float, float]
Column = NDArray[np.float64]
MOST_WALLS: Final = 20_000
PLASTER: Final = "paint"  # the default material of walls: smooth and painted


@dataclass(frozen=True, slots=True)
class WallSegment:
    """A straight wall without thickness, from one point to another."""

    start: Point
    end: Point
    material: str = PLASTER

    @property
    def length(self) -> float:
        """Length of the wall."""
        return math.dist(self.start, self.end)


@dataclass(frozen=True)
class FloorPlan:
    """Walls with a name. Rooms and corridors add their dimensions."""

    name: str
    walls: tuple[WallSegment, ...] = field(repr=False)

    def __post_init__(self) -> None:
        if not 1 <= len(self.walls) <= MOST_WALLS:
            raise FieldError(
                f"the plan {self.name!r} has {len(self.walls)} walls, but must have 1 to {MOST_WALLS}",
                hint="merge collinear walls",
            )
        for number, wall in enumerate(self.walls, 1):
            if not all(map(math.isfinite, (*wall.start, *wall.end))) or wall.length < 1e-6:
                raise FieldError(
                    f"wall {number} of {self.name!r} goes from {wall.start} to {wall.end}",
                    hint="its ends must be finite and at least 1 µm apart",
                )
            Materials().check(wall.material)

    @cached_property
    def columns(self) -> tuple[Column, Column, Column, Column]:
        """All walls as columns: x and y of the start, and of the vector from start to end."""
        starts = np.array([wall.start for wall in self.walls])
        ends = np.array([wall.end for wall in self.walls])
        return starts[:, 0].copy(), starts[:, 1].copy(), ends[:, 0] - starts[:, 0], ends[:, 1] - starts[:, 1]

    @cached_property
    def directions(self) -> tuple[Column, Column, Column]:
        """All walls as columns: x and y of their unit vectors, and their lengths."""
        _, _, ex, ey = self.columns
        lengths = np.sqrt(ex * ex + ey * ey)
        return ex / lengths, ey / lengths, lengths

    @cached_property
    def unit_lists(self) -> tuple[list[float], list[float]]:
        """The unit vectors of the walls as plain floats, for loops."""
        ux, uy, _ = self.directions
        return ux.tolist(), uy.tolist()

    @cached_property
    def materials(self) -> list[str]:
        """The material of each wall."""
        return [wall.material for wall in self.walls]

    @cached_property
    def bounds(self) -> tuple[Point, Point]:
        """The lower left and the upper right corner of the bounding box."""
        xs = [x for wall in self.walls for x in (wall.start[0], wall.end[0])]
        ys = [y for wall in self.walls for y in (wall.start[1], wall.end[1])]
        return (min(xs), min(ys)), (max(xs), max(ys))

    def of_material(self, material: str, walls: Iterable[int] | None = None) -> "FloorPlan":
        """Return a copy with another material for all walls, or for those with the given numbers."""
        chosen = set(range(len(self.walls)) if walls is None else walls)
        changed = (replace(wall, material=material) if k in chosen else wall for k, wall in enumerate(self.walls))
        return replace(self, walls=tuple(changed))


def closed(corners: Sequence[Point], material: str = PLASTER) -> tuple[WallSegment, ...]:
    """Return the walls of a closed outline through these corners."""
    return tuple(WallSegment(a, b, material) for a, b in zip(corners, (*corners[1:], corners[0]), strict=True))


def chain(corners: Sequence[Point], material: str = PLASTER) -> tuple[WallSegment, ...]:
    """Return the walls of an open line through these corners. Repeated corners count once."""
    return tuple(WallSegment(a, b, material) for a, b in pairwise(corners) if math.dist(a, b) > 1e-6)


@dataclass(frozen=True)
class RoomPlan(FloorPlan):
    """A rectangular room with its lower left corner at the origin and its length along x."""

    length: float = 0.0
    width: float = 0.0


def room(name: str, length: float, width: float, material: str = PLASTER) -> RoomPlan:
    """Create a room of a length and a width in metres."""
    if not (0.1 <= length <= 1000.0 and 0.1 <= width <= 1000.0):
        raise FieldError(
            f"the room {name!r} is {length:g} m by {width:g} m, but must be 0.1 to 1000 m", hint="lengths are in metres"
        )
    corners = [(0.0, 0.0), (length, 0.0), (length, width), (0.0, width)]
    return RoomPlan(name, closed(corners, material), length, width)


Station = tuple[float, float, float]  # x and y of the centre, and the width there


@dataclass(frozen=True)
class Corridor(FloorPlan):
    """A corridor along stations. A run starts ``inset`` after one end and finishes ``inset`` before the other."""

    stations: tuple[Station, ...] = ()
    inset: float = 0.0

    @cached_property
    def marks(self) -> tuple[float, ...]:
        """Distance of each station along the centre line."""
        far = [0.0]
        for (x, y, _), (u, v, _) in pairwise(self.stations):
            far.append(far[-1] + math.hypot(u - x, v - y))
        return tuple(far)

    @property
    def length(self) -> float:
        """Length of the centre line."""
        return self.marks[-1]

    def at(self, along: float) -> tuple[Point, float, float]:
        """Return the point at a distance along the centre line, with the heading and the width there."""
        for k, (start, end) in enumerate(pairwise(self.marks)):
            if along <= end or k == len(self.marks) - 2:
                (x, y, w), (u, v, z) = self.stations[k], self.stations[k + 1]
                share = (along - start) / (end - start) if end > start else 0.0
                heading = math.atan2(v - y, u - x)
                return (x + share * (u - x), y + share * (v - y)), heading, w + share * (z - w)
        raise FieldError(f"the corridor {self.name!r} has fewer than two stations", hint="use corridor()")

    def along(self, place: Point) -> float:
        """Return the distance along the centre line of the point nearest to a place."""
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
    """Create a corridor along stations (x, y, width in metres) that is open at both ends.

    At a bend, the walls meet on the bisector and keep their distance. Two close stations with different widths form a
    step in the walls.
    """
    if len(stations) < 2 or any(width <= 0.0 for _, _, width in stations):
        raise FieldError(
            f"the corridor {name!r} has {len(stations)} stations; it needs at least two, with widths above 0",
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
                hint="turn by at most 120 deg; add a station for a sharper bend",
            )
        across, reach = before + half + math.pi / 2.0, width / 2.0 / math.cos(half)
        dx, dy = reach * math.cos(across), reach * math.sin(across)
        left.append((x + dx, y + dy))
        right.append((x - dx, y - dy))
    made = Corridor(name, (*chain(left, material), *chain(right, material)), tuple(stations), inset)
    if not 0.0 <= 2.0 * inset < made.length:
        raise FieldError(
            f"the corridor {name!r} is {made.length:g} m long, so an inset of {inset:g} m leaves no path",
            hint="choose an inset below half its length",
        )
    return made


GAP: Final = 0.001  # m: distance from the wall at which a robot stops, at any angle


def free_distance(plan: FloorPlan, x: float, y: float, heading: float, length: float, radius: float) -> float:
    """Return how far a disc can move along a heading, up to a length, with :data:`GAP` to every wall.

    The walls are thickened by the radius and the gap, and the path of the centre ends at the first face or round end.
    The disc can always move away from a wall.
    """
    dx, dy = math.cos(heading), math.sin(heading)
    ax, ay, ex, ey = plan.columns
    around = radius + GAP
    ux, uy, size = plan.directions
    rx, ry = x - ax, y - ay
    # In the frame of the wall: position along it, distance from it (positive), and their derivatives.
    along, off = rx * ux + ry * uy, rx * uy - ry * ux
    side = np.where(off < 0.0, -1.0, 1.0)
    off = off * side
    v_along, v_off = dx * ux + dy * uy, (dx * uy - dy * ux) * side
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.maximum((around - off) / v_off, 0.0)
        there = along + t * v_along
        face = np.where((v_off < 0.0) & (there >= 0.0) & (there <= size), t, np.inf)
    limit = min(float(face.min()), length)
    for px, py in ((rx, ry), (rx - ex, ry - ey)):
        b, c = px * dx + py * dy, px * px + py * py - around * around
        root = b * b - c
        met = (b < 0.0) & (root >= 0.0)
        if met.any():
            limit = min(limit, float(np.maximum(-b[met] - np.sqrt(root[met]), 0.0).min()))
    return max(limit, 0.0)


def clearance(plan: FloorPlan, x: float, y: float) -> float:
    """Return the distance of a point from the nearest wall."""
    ax, ay, ex, ey = plan.columns
    share = np.clip(((x - ax) * ex + (y - ay) * ey) / (ex * ex + ey * ey), 0.0, 1.0)
    px, py = x - ax - share * ex, y - ay - share * ey
    return math.sqrt(float((px * px + py * py).min()))
