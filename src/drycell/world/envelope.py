"""Envelopes: balls that hold moving bodies for whole cells of time, so that most of a motion is cleared at one stroke.

A cell is a short stretch of time. A body's balls are set where they are in the middle of the cell, and grown by as far
as they can move in half of it, on the strength of rigorous speed bounds. What does not meet a grown ball does not meet
the body in that cell, at any instant of it.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from drycell.base import Array, Pose
from drycell.world.linkage import Linkage
from drycell.world.motion import SECOND, Ticks
from drycell.world.stretch import OnLink, Stretch
from drycell.world.trajectory import JointTrajectory
from drycell.world.world import World

CELL = 40_000  # ticks: of a moving body, at least
PAUSE = 100_000  # ticks: of a mechanism at rest
SECTION = 512 * CELL  # ticks in one envelope at most
_SLOWEST = 5  # times as long a cell may be for a mechanism that moves slowly
_STEP = 0.04  # metres: as far as a mechanism may move in such a cell
_SLACK = 1e-6  # metres: far more than batches differ from poses
# How far from where it was a body may be for what was found before to hold, in metres. It counts twice: an envelope may
# be that of bodies nearly here, and what is found with it holds for others nearly here.
ELSEWHERE = 5e-4


@dataclass(frozen=True)
class Course:
    """Where the links of a mechanism are in the middle of each cell, seen from its base, and how fast at most."""

    lo: Ticks  # relative to the start of the trajectory
    hi: Ticks
    rotations: Array  # (n, links, 3, 3)
    positions: Array  # (n, links, 3)
    speeds: Array  # (n, links)
    turns: Array  # (n, links)
    joint_speeds: Array  # (n, dof)


class Envelope:
    """The grown balls of some bodies, cell by cell, and the middle pose of each body in each cell."""

    def __init__(
        self,
        lo: Ticks,
        hi: Ticks,
        stretches: Sequence[Stretch],
        rotations: Array,  # (n, stretches, 3, 3) in the middle of each cell
        positions: Array,  # (n, stretches, 3)
        speeds: Array,  # (n, stretches) of the body's origin, at most
        turns: Array,  # (n, stretches)
        margin: float,
        joint_speeds: Array | None = None,  # (n, dof) of the mechanism they are on, at most
    ) -> None:
        self._joint_speeds = joint_speeds
        self._riding: dict[int, Array] = {}
        self.lo, self.hi, self.stretches = lo, hi, tuple(stretches)
        self._rotations, self._positions = rotations, positions
        balls = [stretch.body.balls for stretch in stretches]
        self.owner = np.repeat(np.arange(len(balls)), [len(each) for each in balls])
        self._ends = [0, *accumulate(len(each) for each in balls)]
        local = np.array([centre for each in balls for centre, _ in each])
        radii = np.array([radius for each in balls for _, radius in each])
        self.centres: Array = positions[:, self.owner] + np.einsum("nsij,sj->nsi", rotations[:, self.owner], local)
        self.half = (hi - lo + 1).astype(float) * (0.5 * SECOND)  # the middle is a whole tick
        swing = np.sqrt((local * local).sum(axis=1))
        moved = (speeds[:, self.owner] + turns[:, self.owner] * swing) * self.half[:, None]
        self.grown: Array = moved + (radii + (margin + 2 * ELSEWHERE + _SLACK))
        extents = np.array([stretch.body.extent + 2 * ELSEWHERE for stretch in stretches])
        self.speeds: Array = speeds + turns * extents  # of any point of the body

    def __len__(self) -> int:
        return len(self.lo)

    def closing(self, one: int, other: int) -> Array:
        """(n,): at most how fast two of its bodies come nearer; what carries both on one mechanism does not count."""
        a, b = self.stretches[one], self.stretches[other]
        if self._joint_speeds is None or not (isinstance(a.way, OnLink) and isinstance(b.way, OnLink)):
            total: Array = self.speeds[:, one] + self.speeds[:, other]
            return total
        reaches = [
            math.hypot(*way.offset.position) + body.extent + 2 * ELSEWHERE
            for way, body in ((a.way, a.body), (b.way, b.body))
        ]
        levers, turns = a.way.linkage.kinematics.between(a.way.link, b.way.link)
        apart: Array = self._joint_speeds @ (levers.sum(axis=1) + turns @ np.array(reaches))
        return apart

    def count(self, stretch: int) -> int:
        """How many balls a body has."""
        return self._ends[stretch + 1] - self._ends[stretch]

    def balls(self, stretch: int) -> slice:
        """The balls of a body."""
        return slice(self._ends[stretch], self._ends[stretch + 1])

    @cached_property
    def boxes(self) -> tuple[Array, Array]:
        """The lower and upper corners (stretches, 3) of all there is of each body at any time."""
        reach = self.grown[..., None]
        lower, upper = (self.centres - reach).min(axis=0), (self.centres + reach).max(axis=0)
        return np.minimum.reduceat(lower, self._ends[:-1]), np.maximum.reduceat(upper, self._ends[:-1])

    @cached_property
    def box(self) -> tuple[Array, Array]:
        """The lower and upper corner of all there is of it at any time."""
        lower, upper = self.boxes
        return lower.min(axis=0), upper.max(axis=0)

    def pose(self, cell: int, stretch: int) -> Pose:
        """Where a body is in the middle of a cell: good to 1e-9 m, for culling."""
        return Pose.of(self._rotations[cell, stretch], self._positions[cell, stretch])

    @cached_property
    def all_features(self) -> Array:
        """(cells, balls, 6): two balls meet where the product with the other's features is not below 0.

        |c − q|² ≤ (g + r)² is 2 c·q + 2 g r − (|c|² − g²) − (|q|² − r²) ≥ 0: one matrix product for all pairs of balls.
        """
        c, g = self.centres, self.grown
        found = np.empty((*g.shape, 6))
        found[..., :3] = 2 * c
        found[..., 3] = 2 * g
        found[..., 4] = g * g - (c * c).sum(axis=2)
        found[..., 5] = -1.0
        return found

    def features(self, stretch: int) -> Array:
        """(cells × balls, 6): those of one body."""
        return self.all_features[:, self.balls(stretch)].reshape(-1, 6)

    @cached_property
    def other_features(self) -> Array:
        """(cells, 6, balls): this envelope in the other's place of such a product."""
        c, g = self.centres, self.grown
        own = (c * c).sum(axis=2) - g * g
        return np.stack((c[..., 0], c[..., 1], c[..., 2], g, np.ones_like(g), own), axis=1)

    def riding_features(self, stretch: int) -> Array:
        """(cells × balls, 14): the same against balls that ride at constant velocity, grown by how far they go.

        With q + t v for q and r + h |v| for r, t being the middle of the cell since the first and h half a cell.
        """
        known = self._riding.get(stretch)
        if known is not None:
            return known
        balls = self.balls(stretch)
        c, g = self.centres[:, balls], self.grown[:, balls]
        t = (((self.lo + self.hi) * 0.5 - float(self.lo[0])) * SECOND)[:, None]
        h = self.half[:, None]
        found = np.empty((*g.shape, 14))
        found[..., :6] = self.all_features[:, balls]
        found[..., 6:9] = 2 * t[..., None] * c
        found[..., 9] = -2 * t
        found[..., 10] = -t * t
        found[..., 11] = h * h
        found[..., 12] = 2 * g * h
        found[..., 13] = 2 * h
        self._riding[stretch] = features = found.reshape(-1, 14)
        return features


def courses(linkage: Linkage, wanted: Sequence[tuple[JointTrajectory, int]]) -> list[Course]:
    """The courses of sections of trajectories, all computed in one batch."""
    parts = []
    for trajectory, section in wanted:
        cell, start = _cell(linkage, trajectory), trajectory.start
        first, last = section * SECTION, min((section + 1) * SECTION, trajectory.end - start)
        lo = np.arange(first, last, cell, dtype=np.int64)
        hi = np.minimum(lo + cell, last)
        joints = trajectory.joints_batch((lo + hi) // 2 + start)
        parts.append((lo, hi, joints, trajectory.speed_bounds(lo + start, hi + start)))
    positions, rotations = linkage.kinematics.link_positions(np.concatenate([part[2] for part in parts]))
    speeds, turns = linkage.link_speeds(np.concatenate([part[3] for part in parts]))
    ends = np.cumsum([0, *(len(part[0]) for part in parts)])
    return [
        Course(lo, hi, rotations[a:b], positions[a:b], speeds[a:b], turns[a:b], tops)
        for (lo, hi, _, tops), (a, b) in zip(parts, pairwise(ends.tolist()), strict=True)
    ]


def _cell(linkage: Linkage, trajectory: JointTrajectory) -> int:
    """How long a cell of a trajectory is: slow mechanisms are cleared in longer ones."""
    speeds, _ = linkage.link_speeds(np.array(trajectory.speed_bound(trajectory.start, trajectory.end)))
    fastest = float(speeds.max()) * CELL * SECOND
    return CELL * min(max(int(_STEP / fastest), 1), _SLOWEST) if fastest > 0.0 else CELL * _SLOWEST


def pause(linkage: Linkage, t: int, lo: int, hi: int) -> Course:
    """A mechanism at rest from ``lo`` to ``hi``, where it is at ``t``."""
    count = -(-(hi - lo) // PAUSE)
    begin = lo + PAUSE * np.arange(count, dtype=np.int64)
    links = len(linkage.links)
    positions, rotations = linkage.kinematics.link_positions(np.array([linkage.joints(t)]))
    rest = np.zeros((count, links))
    return Course(
        begin,
        np.minimum(begin + PAUSE, hi),
        np.broadcast_to(rotations, (count, links, 3, 3)),
        np.broadcast_to(positions, (count, links, 3)),
        rest,
        rest,
        np.zeros((count, linkage.kinematics.dof)),
    )


def perched(course: Course, stretches: Sequence[Stretch], margin: float) -> Envelope:
    """The envelope of bodies that sit on the links of one mechanism. Its times are the course's."""
    ways = [stretch.way for stretch in stretches if isinstance(stretch.way, OnLink)]
    links = np.array([way.link for way in ways])
    base, offsets = ways[0].base, [way.offset for way in ways]
    turn, shift = base.rotation, base.translation
    local_turns = np.array([each.rotation for each in offsets])
    local_shifts = np.array([each.translation for each in offsets])
    R = course.rotations[:, links]
    positions = (course.positions[:, links] + np.einsum("ntij,tj->nti", R, local_shifts)) @ turn.T + shift
    swing = np.sqrt((local_shifts * local_shifts).sum(axis=1))
    turns = course.turns[:, links]
    speeds = course.speeds[:, links] + turns * swing
    return Envelope(
        course.lo, course.hi, stretches, turn @ R @ local_turns, positions, speeds, turns, margin, course.joint_speeds
    )


def other(world: World, stretch: Stretch, margin: float) -> list[Envelope]:
    """Envelopes of a body that moves in any way at all: the world is asked for its poses and bounds."""
    times = [stretch.lo, *sorted(t for t in world.changes(stretch.body, stretch.lo, stretch.hi - 1)), stretch.hi]
    envelopes = []
    for start, end in pairwise(times):
        for first in range(start, end, SECTION):
            last = min(first + SECTION, end)
            lo = np.arange(first, last, CELL, dtype=np.int64)
            hi = np.minimum(lo + CELL, last)
            rotations, positions = world.batch(stretch.body, (lo + hi) // 2)
            # Held until just before the end: at the end itself the body may be elsewhere.
            speed, turn = world.bound(stretch.body, first, last - 1)
            speeds, turns = np.full((len(lo), 1), speed), np.full((len(lo), 1), turn)
            envelopes.append(Envelope(lo, hi, [stretch], rotations[:, None], positions[:, None], speeds, turns, margin))
    return envelopes


def pieces(linkage: Linkage, t0: int, t1: int) -> Iterator[tuple[JointTrajectory, int | None, int, int]]:
    """The sections of trajectories, and the pauses between (section None), that fill ``t0``…``t1``."""
    held = linkage.trajectories(t0, t1 - 1)
    ends = [min(each.start, t1) for each in held[1:]] + [t1]
    begin = t0
    for trajectory, end in zip(held, ends, strict=True):
        start, stop = min(max(trajectory.start, begin), end), min(max(trajectory.end, begin), end)
        if begin < start:
            yield trajectory, None, begin, start
        for section in range((start - trajectory.start) // SECTION, -(-(stop - trajectory.start) // SECTION)):
            lo = max(start, trajectory.start + section * SECTION)
            hi = min(stop, trajectory.start + (section + 1) * SECTION)
            if lo < hi:
                yield trajectory, section, lo, hi
        if stop < end:
            yield trajectory, None, stop, end
        begin = end
