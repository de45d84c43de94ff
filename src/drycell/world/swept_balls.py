"""Swept balls: balls that enclose moving bodies for whole cells of time, and fast tests to find those that meet.

A cell is a short interval. The balls of a body are placed as in the middle of the cell, and enlarged by the distance
that they can move in half a cell, from rigorous speed bounds. A body that does not meet an enlarged ball does not meet
the moving body at any instant of the cell.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from drycell.base import Array, Pose, Vector
from drycell.world.body import LiveBody
from drycell.world.broad_phase import BallTable
from drycell.world.linkage import Linkage
from drycell.world.motion import SECOND, Ticks
from drycell.world.motion_piece import Linear, MotionPiece, OnLink
from drycell.world.trajectory import JointTrajectory
from drycell.world.world import World

CELL = 40_000  # ticks: minimum for a moving body
PAUSE = 100_000  # ticks: for a mechanism at rest
SECTION = 512 * CELL  # ticks in one SweptBalls at most
_SLOWEST = 5  # the maximum factor by which cells of slow mechanisms are longer
_STEP = 0.04  # metres: the largest motion of a mechanism in such a cell
_SLACK = 1e-6  # metres: far more than the differences between batches and poses
# Metres by which the position of a body may differ for cached results to be valid. It counts twice: swept balls may
# belong to a body nearby, and results found with them are reused for other bodies nearby.
SAME_PLACE = 5e-4
Meeting = tuple[int, int, list[int]]  # index of the piece, index of the other, cells in order


@dataclass(frozen=True)
class LinkSamples:
    """The poses of the links of a mechanism in the middle of each cell, relative to its base, and speed bounds."""

    lo: Ticks  # relative to the start of the trajectory
    hi: Ticks
    rotations: Array  # (n, links, 3, 3)
    positions: Array  # (n, links, 3)
    speeds: Array  # (n, links)
    turns: Array  # (n, links)
    joint_speeds: Array  # (n, dof)


class SweptBalls:
    """The enlarged balls of some bodies in each cell, and the pose of each body in the middle of each cell."""

    def __init__(
        self,
        lo: Ticks,
        hi: Ticks,
        pieces: Sequence[MotionPiece],
        rotations: Array,  # (n, pieces, 3, 3) in the middle of each cell
        positions: Array,  # (n, pieces, 3)
        speeds: Array,  # (n, pieces) bounds for the body's origin
        turns: Array,  # (n, pieces)
        margin: float,
        joint_speeds: Array | None = None,  # (n, dof) bounds for the mechanism they are on
    ) -> None:
        self._joint_speeds = joint_speeds
        self._riding: dict[int, Array] = {}
        self.lo, self.hi, self.pieces = lo, hi, tuple(pieces)
        self._rotations, self._positions = rotations, positions
        balls = [piece.body.balls for piece in pieces]
        self.owner = np.repeat(np.arange(len(balls)), [len(each) for each in balls])
        self._ends = [0, *accumulate(len(each) for each in balls)]
        local = np.array([centre for each in balls for centre, _ in each])
        radii = np.array([radius for each in balls for _, radius in each])
        self.centres: Array = positions[:, self.owner] + np.einsum("nsij,sj->nsi", rotations[:, self.owner], local)
        self.half = (hi - lo + 1).astype(float) * (0.5 * SECOND)  # the middle is a whole tick
        swing = np.sqrt((local * local).sum(axis=1))
        moved = (speeds[:, self.owner] + turns[:, self.owner] * swing) * self.half[:, None]
        self.grown: Array = moved + (radii + (margin + 2 * SAME_PLACE + _SLACK))
        extents = np.array([piece.body.extent + 2 * SAME_PLACE for piece in pieces])
        self.speeds: Array = speeds + turns * extents  # for any point of the body

    def __len__(self) -> int:
        return len(self.lo)

    def closing(self, one: int, other: int) -> Array:
        """(n,): bounds of the closing speed of two bodies; the motion of common links does not count."""
        a, b = self.pieces[one], self.pieces[other]
        if self._joint_speeds is None or not (isinstance(a.path, OnLink) and isinstance(b.path, OnLink)):
            total: Array = self.speeds[:, one] + self.speeds[:, other]
            return total
        reaches = [
            math.hypot(*path.offset.position) + body.extent + 2 * SAME_PLACE
            for path, body in ((a.path, a.body), (b.path, b.body))
        ]
        levers, turns = a.path.linkage.kinematics.between(a.path.link, b.path.link)
        apart: Array = self._joint_speeds @ (levers.sum(axis=1) + turns @ np.array(reaches))
        return apart

    def count(self, piece: int) -> int:
        """The number of balls of a body."""
        return self._ends[piece + 1] - self._ends[piece]

    def balls(self, piece: int) -> slice:
        """The balls of a body."""
        return slice(self._ends[piece], self._ends[piece + 1])

    @cached_property
    def boxes(self) -> tuple[Array, Array]:
        """The lower and upper corners (pieces, 3) of the space that each body uses over the whole time."""
        reach = self.grown[..., None]
        lower, upper = (self.centres - reach).min(axis=0), (self.centres + reach).max(axis=0)
        return np.minimum.reduceat(lower, self._ends[:-1]), np.maximum.reduceat(upper, self._ends[:-1])

    @cached_property
    def box(self) -> tuple[Array, Array]:
        """The lower and upper corner of the space that all bodies use over the whole time."""
        lower, upper = self.boxes
        return lower.min(axis=0), upper.max(axis=0)

    def pose(self, cell: int, piece: int) -> Pose:
        """The pose of a body in the middle of a cell, exact to 1e-9 m, for culling."""
        return Pose.of(self._rotations[cell, piece], self._positions[cell, piece])

    @cached_property
    def all_features(self) -> Array:
        """(cells, balls, 6): two balls meet if the product with the features of the other is not negative.

        |c − q|² ≤ (g + r)² is 2 c·q + 2 g r − (|c|² − g²) − (|q|² − r²) ≥ 0: one matrix product for all pairs of balls.
        """
        c, g = self.centres, self.grown
        found = np.empty((*g.shape, 6))
        found[..., :3] = 2 * c
        found[..., 3] = 2 * g
        found[..., 4] = g * g - (c * c).sum(axis=2)
        found[..., 5] = -1.0
        return found

    def features(self, piece: int) -> Array:
        """(cells × balls, 6): the features of one body."""
        return self.all_features[:, self.balls(piece)].reshape(-1, 6)

    @cached_property
    def other_features(self) -> Array:
        """(cells, 6, balls): the balls as the second factor of that product."""
        c, g = self.centres, self.grown
        own = (c * c).sum(axis=2) - g * g
        return np.stack((c[..., 0], c[..., 1], c[..., 2], g, np.ones_like(g), own), axis=1)

    def riding_features(self, piece: int) -> Array:
        """(cells × balls, 14): features for balls that move at constant velocity, enlarged by their motion in a cell.

        Here q becomes q + t v and r becomes r + h |v|, where t is the middle of the cell since the first and h half a
        cell.
        """
        known = self._riding.get(piece)
        if known is not None:
            return known
        balls = self.balls(piece)
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
        self._riding[piece] = features = found.reshape(-1, 14)
        return features


def link_samples(linkage: Linkage, wanted: Sequence[tuple[JointTrajectory, int]]) -> list[LinkSamples]:
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
        LinkSamples(lo, hi, rotations[a:b], positions[a:b], speeds[a:b], turns[a:b], tops)
        for (lo, hi, _, tops), (a, b) in zip(parts, pairwise(ends.tolist()), strict=True)
    ]


def _cell(linkage: Linkage, trajectory: JointTrajectory) -> int:
    """The length of a cell of a trajectory; it is longer for slow mechanisms."""
    speeds, _ = linkage.link_speeds(np.array(trajectory.speed_bound(trajectory.start, trajectory.end)))
    fastest = float(speeds.max()) * CELL * SECOND
    return CELL * min(max(int(_STEP / fastest), 1), _SLOWEST) if fastest > 0.0 else CELL * _SLOWEST


def resting_samples(linkage: Linkage, t: int, lo: int, hi: int) -> LinkSamples:
    """The samples of a mechanism at rest from ``lo`` to ``hi``, with its joints at ``t``."""
    count = -(-(hi - lo) // PAUSE)
    begin = lo + PAUSE * np.arange(count, dtype=np.int64)
    links = len(linkage.links)
    positions, rotations = linkage.kinematics.link_positions(np.array([linkage.joints(t)]))
    rest = np.zeros((count, links))
    return LinkSamples(
        begin,
        np.minimum(begin + PAUSE, hi),
        np.broadcast_to(rotations, (count, links, 3, 3)),
        np.broadcast_to(positions, (count, links, 3)),
        rest,
        rest,
        np.zeros((count, linkage.kinematics.dof)),
    )


def on_links(samples: LinkSamples, pieces: Sequence[MotionPiece], margin: float) -> SweptBalls:
    """The swept balls of bodies on the links of one mechanism. Their times are those of the samples."""
    paths = [piece.path for piece in pieces if isinstance(piece.path, OnLink)]
    links = np.array([path.link for path in paths])
    base, offsets = paths[0].base, [path.offset for path in paths]
    turn, shift = base.rotation, base.translation
    local_turns = np.array([each.rotation for each in offsets])
    local_shifts = np.array([each.translation for each in offsets])
    R = samples.rotations[:, links]
    positions = (samples.positions[:, links] + np.einsum("ntij,tj->nti", R, local_shifts)) @ turn.T + shift
    swing = np.sqrt((local_shifts * local_shifts).sum(axis=1))
    turns = samples.turns[:, links]
    speeds = samples.speeds[:, links] + turns * swing
    return SweptBalls(
        samples.lo, samples.hi, pieces, turn @ R @ local_turns, positions, speeds, turns, margin, samples.joint_speeds
    )


def any_motion(world: World, piece: MotionPiece, margin: float) -> list[SweptBalls]:
    """The swept balls of a body with an arbitrary motion, from its poses and bounds in the world."""
    times = [piece.lo, *sorted(t for t in world.changes(piece.body, piece.lo, piece.hi - 1)), piece.hi]
    found = []
    for start, end in pairwise(times):
        for first in range(start, end, SECTION):
            last = min(first + SECTION, end)
            lo = np.arange(first, last, CELL, dtype=np.int64)
            hi = np.minimum(lo + CELL, last)
            rotations, positions = world.batch(piece.body, (lo + hi) // 2)
            # Valid until just before the end, where the body may jump.
            speed, turn = world.bound(piece.body, first, last - 1)
            speeds, turns = np.full((len(lo), 1), speed), np.full((len(lo), 1), turn)
            found.append(SweptBalls(lo, hi, [piece], rotations[:, None], positions[:, None], speeds, turns, margin))
    return found


def sections(linkage: Linkage, t0: int, t1: int) -> Iterator[tuple[JointTrajectory, int | None, int, int]]:
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


class FixtureBalls:
    """The balls of fixtures for a matrix product. Rows are created on demand."""

    def __init__(self, columns: BallTable) -> None:
        self._columns, self.version = columns, columns.version
        self._rows: dict[int, Array] = {}

    def features(self, rows: list[int]) -> tuple[Array, NDArray[np.intp]]:
        """The features (6, balls) of some rows, and the row of each ball."""
        known = self._rows
        for row in rows:
            if row not in known:
                pose, balls = self._columns.motions[row].pose, self._columns.bodies[row].balls
                centres = np.array([pose.point(centre) for centre, _ in balls])
                known[row] = ball_features(centres, np.array([radius for _, radius in balls]))
        listed = [known[row] for row in rows]
        return np.concatenate(listed, axis=1), np.repeat(rows, [each.shape[1] for each in listed])


def ball_features(centres: Array, radii: Array) -> Array:
    """(6, n): balls at rest, to be multiplied with ``SweptBalls.features``."""
    own = (centres * centres).sum(axis=1) - radii * radii
    return np.vstack((centres.T, radii, np.ones(len(radii)), own))


def among_standing(
    swept: SweptBalls, columns: BallTable, fixtures: FixtureBalls, first: int = 0
) -> list[tuple[int, int]]:
    """The pairs of pieces (from index ``first``) and rows of fixtures that meet.

    Fixtures out of reach of a piece are skipped.
    """
    low, high = columns.standing_boxes()
    rows = within(low, high, *swept.box)
    near = _reached(swept, low[rows], high[rows])
    found: list[tuple[int, int]] = []
    for piece in np.flatnonzero(near.any(axis=1)).tolist():
        if piece < first:
            continue
        features, owner = fixtures.features(rows[near[piece]].tolist())
        met = (swept.features(piece) @ features >= 0.0).any(axis=0)
        found += [(piece, row) for row in dict.fromkeys(owner[met].tolist())]
    return found


def cells_at(swept: SweptBalls, piece: int, body: LiveBody, pose: Pose) -> list[int]:
    """The cells in which the balls of a piece meet both the balls and the bounding box of a body at a pose.

    The box matters for flat bodies: the balls of a table extend far above it.
    """
    if body.shape is None:
        return []
    centres = np.array([pose.point(centre) for centre, _ in body.balls])
    features = ball_features(centres, np.array([radius for _, radius in body.balls]))
    met = (swept.features(piece) @ features >= 0.0).any(axis=1)
    cells = np.flatnonzero(met.reshape(len(swept), -1).any(axis=1))
    lower, upper = np.array(body.shape.bounds)
    balls = swept.balls(piece)
    seen = (swept.centres[cells, balls] - pose.translation) @ pose.rotation - (lower + upper) / 2
    out = np.maximum(np.abs(seen) - (upper - lower) / 2, 0.0)
    meet = np.einsum("nbi,nbi->nb", out, out) <= swept.grown[cells, balls] ** 2
    kept: list[int] = cells[meet.any(axis=1)].tolist()
    return kept


def within(low: Array, high: Array, lower: Array, upper: Array) -> NDArray[np.intp]:
    """The boxes that meet a box. This first test makes distant bodies almost free."""
    return np.flatnonzero(np.logical_and(low <= upper, high >= lower).all(axis=1))


def _reached(swept: SweptBalls, low: Array, high: Array) -> NDArray[np.bool_]:
    """(pieces, boxes): whether a box meets the box of a whole piece."""
    lower, upper = swept.boxes
    apart = (low > upper[:, None]) | (high < lower[:, None])
    return np.logical_not(apart.any(axis=2))


@dataclass(frozen=True, slots=True)
class _Phase:
    """A part of a linear motion with one velocity; ``shift`` is the displacement at ``lo``."""

    lo: int
    hi: int
    velocity: Vector
    shift: Vector


def _phases(path: Linear, lo: int, hi: int) -> Iterator[_Phase]:
    """The phases of a linear motion between two instants: at rest, moving, at rest."""
    times = [lo, *(t for t in (path.start, path.end) if lo < t < hi), hi]
    for start, end in pairwise(times):
        moving = path.start <= start < path.end
        yield _Phase(start, end, path.velocity if moving else (0.0, 0.0, 0.0), path.shift(start))


def among_linear(swept: SweptBalls, start: int, movers: Sequence[MotionPiece]) -> list[Meeting]:
    """Meetings with bodies of constant velocity. The times of the swept balls count from ``start``."""
    rows: list[tuple[float, ...]] = []
    spans: list[tuple[int, int, int]] = []
    first = start + int(swept.lo[0])
    for number, each in enumerate(movers):
        path = each.path
        if not isinstance(path, Linear):
            continue
        lo, hi = max(each.lo, first), min(each.hi, start + int(swept.hi[-1]))
        for phase in _phases(path, lo, hi) if lo < hi else ():
            u, v, w = phase.velocity
            back = (first - phase.lo) * SECOND  # to where it would have been at the start of the swept balls
            dx, dy, dz = (s + back * v for s, v in zip(phase.shift, phase.velocity, strict=True))
            for centre, radius in each.body.balls:
                x, y, z = path.pose.point(centre)
                rows.append((x + dx, y + dy, z + dz, u, v, w, radius))
                spans.append((number, phase.lo - start, phase.hi - start))
    if not rows:
        return []
    table, owners = np.array(rows), np.array(spans)
    features = _riding_features(table)
    # The box of a ball in that time, from both ends of its straight path.
    last = table[:, :3] + table[:, 3:6] * (int(swept.hi[-1] - swept.lo[0]) * SECOND)
    reach = table[:, 6:]
    near = _reached(swept, np.minimum(table[:, :3], last) - reach, np.maximum(table[:, :3], last) + reach)
    found: list[Meeting] = []
    for piece in np.flatnonzero(near.any(axis=1)).tolist():
        balls = np.flatnonzero(near[piece])
        hits, at = np.nonzero(swept.riding_features(piece) @ features[:, balls] >= 0.0)
        others = balls[at]
        cells = hits // swept.count(piece)
        then = (swept.lo[cells] < owners[others, 2]) & (swept.hi[cells] > owners[others, 1])
        found += _meetings(swept, piece, hits[then], owners[others[then], 0])
    return found


def _riding_features(table: Array) -> Array:
    """(14, n): moving balls, to be multiplied with ``SweptBalls.riding_features``."""
    centres, velocities, radii = table[:, :3], table[:, 3:6], table[:, 6]
    along, squares = (centres * velocities).sum(axis=1), (velocities * velocities).sum(axis=1)
    speeds = np.sqrt(squares)
    return np.vstack((ball_features(centres, radii), velocities.T, along, squares, squares, speeds, radii * speeds))


def among_themselves(swept: SweptBalls, first: int = 0) -> list[tuple[int, int]]:
    """The pairs of pieces that may meet, one of them with an index of ``first`` or more."""
    lower, upper = swept.boxes
    apart = (lower[:, None] > upper).any(axis=2)
    one, two = np.nonzero(np.logical_not(apart | apart.T))
    return [(i, j) for i, j in zip(one.tolist(), two.tolist(), strict=True) if i < j >= first]


def cells_of(swept: SweptBalls, i: int, j: int) -> list[int]:
    """The cells in which two bodies meet."""
    one, two = swept.balls(i), swept.balls(j)
    offsets = swept.centres[:, one, None] - swept.centres[:, None, two]
    reach = swept.grown[:, one, None] + swept.grown[:, None, two]
    meet = np.einsum("nabi,nabi->nab", offsets, offsets) <= reach * reach
    cells: list[int] = np.flatnonzero(meet.any(axis=(1, 2))).tolist()
    return cells


def _meetings(swept: SweptBalls, piece: int, hits: NDArray[np.intp], others: NDArray[np.intp]) -> list[Meeting]:
    """Group the hits of a piece (cell and ball in one number, index of the other) by pairs and cells."""
    if not len(hits):
        return []
    n = len(swept)
    codes = np.unique(others * n + hits // swept.count(piece))
    numbers, cells = np.divmod(codes, n)
    starts = np.flatnonzero(np.diff(numbers, prepend=-1)).tolist()
    return [(piece, int(numbers[a]), cells[a:b].tolist()) for a, b in pairwise([*starts, len(codes)])]


def across(one: SweptBalls, start: int, two: SweptBalls, begin: int) -> list[tuple[int, int, int, int]]:
    """Meetings of two SweptBalls with different cells: (cell, piece) of one and of the other."""
    (lower, upper), (low, high) = one.box, two.box
    if (lower > high).any() or (low > upper).any():
        return []
    lo, hi = one.lo + start, one.hi + start
    first = np.searchsorted(two.hi + begin, lo, side="right")
    last = np.searchsorted(two.lo + begin, hi, side="left")
    counts = np.maximum(last - first, 0)
    cells = np.repeat(np.arange(len(one)), counts)
    others = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(first, counts)
    found: set[tuple[int, int, int, int]] = set()
    for a in range(0, len(cells), 256):  # a few hundred small products at a time
        i, j = cells[a : a + 256], others[a : a + 256]
        product = one.all_features[i] @ two.other_features[j]
        at, ball, another = np.nonzero(product >= 0.0)
        columns = (i[at], one.owner[ball], j[at], two.owner[another])
        found.update(zip(*(column.tolist() for column in columns), strict=True))
    return sorted(found)


def boxes(movers: Sequence[MotionPiece]) -> tuple[Array, Array]:
    """The boxes (n, 3), (n, 3) that enclose bodies during their whole linear motion."""
    lower, upper = [], []
    for piece in movers:
        path, shape = piece.path, piece.body.shape
        if isinstance(path, Linear) and shape is not None:
            centre, radius = shape.sphere
            at = path.pose.point(centre)
            ends = [[p + q for p, q in zip(at, path.shift(t), strict=True)] for t in (piece.lo, piece.hi)]
            lower.append([min(p, q) - radius for p, q in zip(*ends, strict=True)])
            upper.append([max(p, q) + radius for p, q in zip(*ends, strict=True)])
    return np.array(lower).reshape(-1, 3), np.array(upper).reshape(-1, 3)


def overlapping(lower: Array, upper: Array, low: Array, high: Array) -> list[tuple[int, int]]:
    """The pairs of boxes of two lists that meet."""
    apart = (lower[:, None] > high[None]).any(axis=2) | (upper[:, None] < low[None]).any(axis=2)
    one, two = np.nonzero(~apart)
    return list(zip(one.tolist(), two.tolist(), strict=True))
