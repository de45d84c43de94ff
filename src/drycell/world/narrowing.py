"""Narrowing: of the cells of time in which the balls of two bodies meet, what their distance itself does not clear.

A cell that the distance in its middle leaves in doubt is cut in two, again and again. For a mechanism that moves as it
has moved before, past what stands where something of the same shape stood before, or nearly, all this is remembered:
what was found for the two a little nearer than they are of interest holds for all who are a little elsewhere.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from drycell.base import Pose, WorldError
from drycell.geometry import Placed, gap
from drycell.world.body import LiveBody
from drycell.world.envelope import ELSEWHERE
from drycell.world.linkage import Linkage
from drycell.world.motion import SECOND
from drycell.world.stretch import OnLink
from drycell.world.trajectory import JointTrajectory

SURE: Final = 1e-7  # metres: more than batches and the distance engine err together
_FINEST: Final = 8_000  # ticks: shorter windows are not cut in two
_ALIKE: Final = 24  # places of one pair that are remembered
_REMEMBERED: Final = 20_000  # pairs

Doubt = tuple[int, int, float]  # from, until, how fast the pair can close at most
Places = Callable[[int], tuple[Pose, Pose]]  # where two bodies are at an instant


@dataclass(frozen=True, slots=True)
class Flight:
    """A section of a trajectory that a mechanism follows, by its content: the same whenever it starts."""

    linkage: Linkage
    trajectory: JointTrajectory
    section: int

    def pose(self, way: OnLink, t: int) -> Pose:
        """Where what sits on a link is, ``t`` after the start of the trajectory."""
        trajectory = self.trajectory
        links = self.linkage.kinematics.link_poses(trajectory.joints(trajectory.start + t))
        return way.base @ links[way.link] @ way.offset


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the two of a pair were, each seen from what carries it, and what was found."""

    first: Pose
    second: Pose
    doubts: list[Doubt]


class Narrowing:
    """Narrows cells down, and remembers."""

    def __init__(self) -> None:
        self._placed: dict[LiveBody, Placed] = {}
        self._places: dict[tuple[object, ...], list[_Place]] = {}
        self._rests: dict[tuple[LiveBody, LiveBody], tuple[Pose, Pose, float]] = {}

    def forget(self, gone: set[LiveBody]) -> None:
        """Lets go of what is kept for bodies that have left the cell."""
        for body in gone:
            self._placed.pop(body, None)
        self._rests = {pair: known for pair, known in self._rests.items() if gone.isdisjoint(pair)}

    def distance(self, a: LiveBody, pose: Pose, b: LiveBody, other: Pose) -> float:
        """How far two bodies are apart, each at a pose."""
        return gap(self._place(a, pose), self._place(b, other))

    def at_rest(self, a: LiveBody, pose: Pose, b: LiveBody, other: Pose) -> float:
        """The same for bodies that stand, and may have stood there before."""
        known = self._rests.get((a, b))
        if known is None or known[0] != pose or known[1] != other:
            known = self._rests[a, b] = (pose, other, self.distance(a, pose, b, other))
        return known[2]

    def clear(self, a: LiveBody, b: LiveBody, cells: Sequence[Doubt], margin: float, places: Places) -> list[Doubt]:
        """What is left of cells, in order of time, of two bodies that are not of interest beyond a margin."""
        found: list[Doubt] = []
        free, until = 0.0, -1  # known to be farther apart than this, at this time
        for lo, hi, closing in cells:
            if lo == until and free > closing * (hi - lo) * SECOND:
                free, until = free - closing * (hi - lo) * SECOND, hi
                continue
            free, until = self._halve(found, a, b, lo, hi, closing, margin, places), hi
        return found

    def _halve(
        self,
        found: list[Doubt],
        a: LiveBody,
        b: LiveBody,
        lo: int,
        hi: int,
        closing: float,
        margin: float,
        places: Places,
    ) -> float:
        """Cuts a cell up as long as that may clear some of it; returns by how much it is clear as a whole."""
        middle = (lo + hi) // 2
        pose, other = places(middle)
        apart = self.distance(a, pose, b, other) - margin - SURE
        free = apart - closing * (hi - lo + 1) * 0.5 * SECOND
        if free > 0.0:
            return free
        if apart <= 0.0 or hi - lo <= _FINEST:
            _add(found, lo, hi, closing)
        else:
            self._halve(found, a, b, lo, middle, closing, margin, places)
            self._halve(found, a, b, middle, hi, closing, margin, places)
        return 0.0

    def recall(
        self,
        flight: Flight,
        a: LiveBody,
        way: OnLink,
        b: LiveBody,
        other: Pose | OnLink,
        margin: float,
        cells: Callable[[], Sequence[Doubt]],
    ) -> list[Doubt]:
        """The same for a body on a flight and another that stands, or sits on the same mechanism.

        ``cells`` are asked for if nothing alike is known.
        """
        if a.shape is None or b.shape is None:
            raise WorldError(f"{a.name!r} or {b.name!r} has no shape to look at")
        link, second = (other.link, other.offset) if isinstance(other, OnLink) else (None, other)
        where = flight.linkage, flight.trajectory.content, flight.section, way.base, way.link
        key = (*where, a.shape.key, link, b.shape.key, margin)
        alike = self._places.get(key)
        if alike is None:
            if len(self._places) > _REMEMBERED:
                self._places.clear()
            alike = self._places[key] = []
        reach, other_reach = a.extent, b.extent
        for place in alike:
            if moved(place.first, way.offset, reach) + moved(place.second, second, other_reach) <= ELSEWHERE:
                return place.doubts

        def places(t: int) -> tuple[Pose, Pose]:
            return flight.pose(way, t), flight.pose(other, t) if isinstance(other, OnLink) else other

        doubts = self.clear(a, b, cells(), margin + ELSEWHERE, places)
        alike.append(_Place(way.offset, second, doubts))
        del alike[:-_ALIKE]
        return doubts

    def _place(self, body: LiveBody, pose: Pose) -> Placed:
        placed = self._placed.get(body)
        if placed is None or placed.shape is not body.shape:
            if body.shape is None:
                raise WorldError(f"{body.name!r} has no shape to look at")
            placed = self._placed[body] = Placed(body.shape, pose)
        elif placed.pose is not pose:
            placed.place(pose)
        return placed


def _add(found: list[Doubt], lo: int, hi: int, closing: float) -> None:
    """Adds a doubt, or lets the last one go on."""
    if found and found[-1][1] == lo and found[-1][2] == closing:
        found[-1] = (found[-1][0], hi, closing)
    else:
        found.append((lo, hi, closing))


def moved(one: Pose, two: Pose, reach: float) -> float:
    """At most how far any point within reach of the origin is from where it was."""
    if one is two:
        return 0.0
    a, b, c, x, d, e, f, y, g, h, i, z = one.rows
    k, m, n, u, o, p, q, v, r, s, t, w = two.rows
    shift = (x - u) ** 2 + (y - v) ** 2 + (z - w) ** 2
    if shift > ELSEWHERE * ELSEWHERE:
        return math.inf
    turn = (
        (a - k) ** 2 + (b - m) ** 2 + (c - n) ** 2 + (d - o) ** 2 + (e - p) ** 2
        + (f - q) ** 2 + (g - r) ** 2 + (h - s) ** 2 + (i - t) ** 2
    )  # fmt: skip
    return math.sqrt(shift) + math.sqrt(turn) * reach
