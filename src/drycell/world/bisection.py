"""Bisection: computes distances to narrow the time cells in which the balls of two bodies meet.

If the distance in the middle of a cell does not clear the cell, it is cut in two, repeatedly. Results are cached and
reused if a mechanism repeats a motion past a body of the same shape at nearly the same place. This is rigorous because
they were computed with a margin that exceeds the difference in position.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from drycell.base import Pose, WorldError
from drycell.geometry import gap
from drycell.world.body import LiveBody
from drycell.world.linkage import Linkage
from drycell.world.motion import SECOND
from drycell.world.motion_piece import OnLink
from drycell.world.scene import PlacedShapes
from drycell.world.swept_balls import SAME_PLACE
from drycell.world.trajectory import JointTrajectory

ERROR_BOUND: Final = 1e-7  # metres: more than the combined errors of batches and of the distance engine
_FINEST: Final = 8_000  # ticks: shorter windows are not cut in two
_ALIKE: Final = 24  # cached positions per pair
_REMEMBERED: Final = 20_000  # pairs

Candidate = tuple[int, int, float]  # start, end, largest closing speed
Places = Callable[[int], tuple[Pose, Pose]]  # the poses of two bodies at an instant


@dataclass(frozen=True, slots=True)
class TrajectorySection:
    """A section of a mechanism's trajectory, identified by its content, independent of its start time."""

    linkage: Linkage
    trajectory: JointTrajectory
    index: int

    def pose(self, path: OnLink, t: int) -> Pose:
        """The pose of a body on a link, ``t`` ticks after the start of the trajectory."""
        trajectory = self.trajectory
        links = self.linkage.kinematics.link_poses(trajectory.joints(trajectory.start + t))
        return path.base @ links[path.link] @ path.offset


@dataclass(frozen=True, slots=True)
class _Place:
    """The poses of two bodies relative to their carriers, and the result."""

    first: Pose
    second: Pose
    candidates: list[Candidate]


class Bisection:
    """Bisects cells and caches the results."""

    def __init__(self) -> None:
        self._shapes = PlacedShapes()
        self._places: dict[tuple[object, ...], list[_Place]] = {}
        self._rests: dict[tuple[LiveBody, LiveBody], tuple[Pose, Pose, float]] = {}

    def forget(self, gone: set[LiveBody]) -> None:
        """Drop the data of bodies that have left the cell."""
        for body in gone:
            self._shapes.forget(body)
        self._rests = {pair: known for pair, known in self._rests.items() if gone.isdisjoint(pair)}

    def distance(self, a: LiveBody, pose: Pose, b: LiveBody, other: Pose) -> float:
        """The distance between two bodies at given poses."""
        return gap(self._shapes.at(a, pose), self._shapes.at(b, other))

    def at_rest(self, a: LiveBody, pose: Pose, b: LiveBody, other: Pose) -> float:
        """The distance between two bodies at rest, cached as long as they stay there."""
        known = self._rests.get((a, b))
        if known is None or known[0] != pose or known[1] != other:
            known = self._rests[a, b] = (pose, other, self.distance(a, pose, b, other))
        return known[2]

    def unclear(
        self, a: LiveBody, b: LiveBody, cells: Sequence[Candidate], margin: float, places: Places
    ) -> list[Candidate]:
        """The parts of cells, in chronological order, in which two bodies may be closer than a margin."""
        found: list[Candidate] = []
        free, until = 0.0, -1  # at this time, the distance exceeds the margin by more than this
        for lo, hi, closing in cells:
            if lo == until and free > closing * (hi - lo) * SECOND:
                free, until = free - closing * (hi - lo) * SECOND, hi
                continue
            free, until = self._bisect(found, a, b, lo, hi, closing, margin, places), hi
        return found

    def _bisect(
        self,
        found: list[Candidate],
        a: LiveBody,
        b: LiveBody,
        lo: int,
        hi: int,
        closing: float,
        margin: float,
        places: Places,
    ) -> float:
        """Cut a cell as long as this can clear parts of it. Returns the clearance of the whole cell."""
        middle = (lo + hi) // 2
        pose, other = places(middle)
        apart = self.distance(a, pose, b, other) - margin - ERROR_BOUND
        free = apart - closing * (hi - lo + 1) * 0.5 * SECOND
        if free > 0.0:
            return free
        if apart <= 0.0 or hi - lo <= _FINEST:
            _add(found, lo, hi, closing)
        else:
            self._bisect(found, a, b, lo, middle, closing, margin, places)
            self._bisect(found, a, b, middle, hi, closing, margin, places)
        return 0.0

    def remembered(
        self,
        section: TrajectorySection,
        a: LiveBody,
        path: OnLink,
        b: LiveBody,
        other: Pose | OnLink,
        margin: float,
        cells: Callable[[], Sequence[Candidate]],
    ) -> list[Candidate]:
        """Like :meth:`unclear`, for a body on a section of a trajectory and a body at rest or on the same mechanism.

        ``cells`` is called if no similar case is cached.
        """
        if a.shape is None or b.shape is None:
            raise WorldError(f"{a.name!r} or {b.name!r} has no shape")
        link, second = (other.link, other.offset) if isinstance(other, OnLink) else (None, other)
        where = section.linkage, section.trajectory.content, section.index, path.base, path.link
        key = (*where, a.shape.key, link, b.shape.key, margin)
        known = self._places.get(key)
        if known is None:
            if len(self._places) > _REMEMBERED:
                self._places.clear()
            known = self._places[key] = []
        reach, other_reach = a.extent, b.extent
        for place in known:
            if (
                displacement(place.first, path.offset, reach) + displacement(place.second, second, other_reach)
                <= SAME_PLACE
            ):
                return place.candidates

        def places(t: int) -> tuple[Pose, Pose]:
            return section.pose(path, t), section.pose(other, t) if isinstance(other, OnLink) else other

        candidates = self.unclear(a, b, cells(), margin + SAME_PLACE, places)
        known.append(_Place(path.offset, second, candidates))
        del known[:-_ALIKE]
        return candidates


def _add(found: list[Candidate], lo: int, hi: int, closing: float) -> None:
    """Add a candidate, or extend the last one."""
    if found and found[-1][1] == lo and found[-1][2] == closing:
        found[-1] = (found[-1][0], hi, closing)
    else:
        found.append((lo, hi, closing))


def displacement(one: Pose, two: Pose, reach: float) -> float:
    """An upper bound on the displacement of any point within ``reach`` of the origin."""
    if one is two:
        return 0.0
    a, b, c, x, d, e, f, y, g, h, i, z = one.rows
    k, m, n, u, o, p, q, v, r, s, t, w = two.rows
    shift = (x - u) ** 2 + (y - v) ** 2 + (z - w) ** 2
    if shift > SAME_PLACE * SAME_PLACE:
        return math.inf
    turn = (
        (a - k) ** 2 + (b - m) ** 2 + (c - n) ** 2 + (d - o) ** 2 + (e - p) ** 2
        + (f - q) ** 2 + (g - r) ** 2 + (h - s) ** 2 + (i - t) ** 2
    )  # fmt: skip
    return math.sqrt(shift) + math.sqrt(turn) * reach
