"""Culls: which bodies of an envelope meet which others in which cells, by balls, all at once in numpy."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from drycell.base import Array, Pose, Vector
from drycell.world.body import LiveBody
from drycell.world.columns import BallTable
from drycell.world.envelope import Envelope
from drycell.world.motion import SECOND
from drycell.world.stretch import Linear, Stretch

Meeting = tuple[int, int, list[int]]  # number of the stretch in the envelope, number of the other, cells in order


class Cover:
    """The balls of bodies that stand, ready for a matrix product. Made row by row, as rows come into reach."""

    def __init__(self, columns: BallTable) -> None:
        self._columns, self.version = columns, columns.version
        self._rows: dict[int, Array] = {}

    def features(self, rows: list[int]) -> tuple[Array, NDArray[np.intp]]:
        """(6, balls) of some rows, and the row of each ball."""
        known = self._rows
        for row in rows:
            if row not in known:
                pose, balls = self._columns.rides[row].pose, self._columns.bodies[row].balls
                centres = np.array([pose.point(centre) for centre, _ in balls])
                known[row] = ball_features(centres, np.array([radius for _, radius in balls]))
        listed = [known[row] for row in rows]
        return np.concatenate(listed, axis=1), np.repeat(rows, [each.shape[1] for each in listed])


def ball_features(centres: Array, radii: Array) -> Array:
    """(6, n): balls that stand, to be multiplied with ``Envelope.features``."""
    own = (centres * centres).sum(axis=1) - radii * radii
    return np.vstack((centres.T, radii, np.ones(len(radii)), own))


def among_standing(envelope: Envelope, columns: BallTable, cover: Cover, first: int = 0) -> list[tuple[int, int]]:
    """Which stretches, from a number on, meet which rows of columns that stand.

    Bodies out of a stretch's reach are not looked at for it.
    """
    low, high = columns.standing_boxes()
    rows = within(low, high, *envelope.box)
    near = _reached(envelope, low[rows], high[rows])
    found: list[tuple[int, int]] = []
    for stretch in np.flatnonzero(near.any(axis=1)).tolist():
        if stretch < first:
            continue
        features, owner = cover.features(rows[near[stretch]].tolist())
        met = (envelope.features(stretch) @ features >= 0.0).any(axis=0)
        found += [(stretch, row) for row in dict.fromkeys(owner[met].tolist())]
    return found


def cells_at(envelope: Envelope, stretch: int, body: LiveBody, pose: Pose) -> list[int]:
    """The cells in which a stretch's balls meet those of a body at a pose, and the box about it, too.

    The balls of a table reach far above it.
    """
    if body.shape is None:
        return []
    centres = np.array([pose.point(centre) for centre, _ in body.balls])
    features = ball_features(centres, np.array([radius for _, radius in body.balls]))
    met = (envelope.features(stretch) @ features >= 0.0).any(axis=1)
    cells = np.flatnonzero(met.reshape(len(envelope), -1).any(axis=1))
    lower, upper = np.array(body.shape.bounds)
    balls = envelope.balls(stretch)
    seen = (envelope.centres[cells, balls] - pose.translation) @ pose.rotation - (lower + upper) / 2
    out = np.maximum(np.abs(seen) - (upper - lower) / 2, 0.0)
    meet = np.einsum("nbi,nbi->nb", out, out) <= envelope.grown[cells, balls] ** 2
    kept: list[int] = cells[meet.any(axis=1)].tolist()
    return kept


def within(low: Array, high: Array, lower: Array, upper: Array) -> NDArray[np.intp]:
    """Which of many boxes meet a box: a first look, so that what is far away costs next to nothing."""
    return np.flatnonzero(np.logical_and(low <= upper, high >= lower).all(axis=1))


def _reached(envelope: Envelope, low: Array, high: Array) -> NDArray[np.bool_]:
    """(stretches, boxes): which boxes meet the box of all a stretch does."""
    lower, upper = envelope.boxes
    apart = (low > upper[:, None]) | (high < lower[:, None])
    return np.logical_not(apart.any(axis=2))


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of a ride in which the velocity is the same throughout; ``shift`` is where it is at ``lo``."""

    lo: int
    hi: int
    velocity: Vector
    shift: Vector


def phases(ride: Linear, lo: int, hi: int) -> Iterator[Phase]:
    """What a ride is made of between two instants: standing, going, standing again."""
    times = [lo, *(t for t in (ride.start, ride.end) if lo < t < hi), hi]
    for start, end in pairwise(times):
        going = ride.start <= start < ride.end
        ridden = (min(max(start, ride.start), ride.end) - ride.start) * SECOND
        u, v, w = ride.velocity
        yield Phase(start, end, ride.velocity if going else (0.0, 0.0, 0.0), (u * ridden, v * ridden, w * ridden))


def among_rides(envelope: Envelope, start: int, rides: Sequence[Stretch]) -> list[Meeting]:
    """Meetings with bodies that ride, the envelope's times counting from ``start``."""
    rows: list[tuple[float, ...]] = []
    spans: list[tuple[int, int, int]] = []
    first = start + int(envelope.lo[0])
    for number, each in enumerate(rides):
        ride = each.way
        if not isinstance(ride, Linear):
            continue
        lo, hi = max(each.lo, first), min(each.hi, start + int(envelope.hi[-1]))
        for phase in phases(ride, lo, hi) if lo < hi else ():
            u, v, w = phase.velocity
            back = (first - phase.lo) * SECOND  # to where it would have been when the envelope begins
            dx, dy, dz = (s + back * v for s, v in zip(phase.shift, phase.velocity, strict=True))
            for centre, radius in each.body.balls:
                x, y, z = ride.pose.point(centre)
                rows.append((x + dx, y + dy, z + dz, u, v, w, radius))
                spans.append((number, phase.lo - start, phase.hi - start))
    if not rows:
        return []
    table, owners = np.array(rows), np.array(spans)
    features = _riding_features(table)
    # Where a ball is in the envelope's time: the box of both ends, as it rides straight.
    last = table[:, :3] + table[:, 3:6] * (int(envelope.hi[-1] - envelope.lo[0]) * SECOND)
    reach = table[:, 6:]
    near = _reached(envelope, np.minimum(table[:, :3], last) - reach, np.maximum(table[:, :3], last) + reach)
    found: list[Meeting] = []
    for stretch in np.flatnonzero(near.any(axis=1)).tolist():
        balls = np.flatnonzero(near[stretch])
        hits, at = np.nonzero(envelope.riding_features(stretch) @ features[:, balls] >= 0.0)
        others = balls[at]
        cells = hits // envelope.count(stretch)
        then = (envelope.lo[cells] < owners[others, 2]) & (envelope.hi[cells] > owners[others, 1])
        found += _meetings(envelope, stretch, hits[then], owners[others[then], 0])
    return found


def _riding_features(table: Array) -> Array:
    """(14, n): balls that ride, to be multiplied with ``Envelope.riding_features``."""
    centres, velocities, radii = table[:, :3], table[:, 3:6], table[:, 6]
    along, squares = (centres * velocities).sum(axis=1), (velocities * velocities).sum(axis=1)
    speeds = np.sqrt(squares)
    return np.vstack((ball_features(centres, radii), velocities.T, along, squares, squares, speeds, radii * speeds))


def among_themselves(envelope: Envelope, first: int = 0) -> list[tuple[int, int]]:
    """Which stretches of one envelope may meet which others, one of the two from a number on."""
    lower, upper = envelope.boxes
    apart = (lower[:, None] > upper).any(axis=2)
    one, two = np.nonzero(np.logical_not(apart | apart.T))
    return [(i, j) for i, j in zip(one.tolist(), two.tolist(), strict=True) if i < j >= first]


def cells_of(envelope: Envelope, i: int, j: int) -> list[int]:
    """The cells in which two bodies of one envelope meet."""
    one, two = envelope.balls(i), envelope.balls(j)
    offsets = envelope.centres[:, one, None] - envelope.centres[:, None, two]
    reach = envelope.grown[:, one, None] + envelope.grown[:, None, two]
    meet = np.einsum("nabi,nabi->nab", offsets, offsets) <= reach * reach
    cells: list[int] = np.flatnonzero(meet.any(axis=(1, 2))).tolist()
    return cells


def _meetings(envelope: Envelope, stretch: int, hits: NDArray[np.intp], others: NDArray[np.intp]) -> list[Meeting]:
    """Gathers hits of a stretch (cell and ball in one number, number of the other) into cells of pairs."""
    if not len(hits):
        return []
    n = len(envelope)
    codes = np.unique(others * n + hits // envelope.count(stretch))
    numbers, cells = np.divmod(codes, n)
    starts = np.flatnonzero(np.diff(numbers, prepend=-1)).tolist()
    return [(stretch, int(numbers[a]), cells[a:b].tolist()) for a, b in pairwise([*starts, len(codes)])]


def across(one: Envelope, start: int, two: Envelope, begin: int) -> list[tuple[int, int, int, int]]:
    """Meetings of two envelopes with cells of their own: (cell, stretch) of the one and of the other."""
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


def boxes(rides: Sequence[Stretch]) -> tuple[Array, Array]:
    """The boxes (n, 3), (n, 3) that hold bodies on straight rides all the way."""
    lower, upper = [], []
    for stretch in rides:
        ride, shape = stretch.way, stretch.body.shape
        if isinstance(ride, Linear) and shape is not None:
            centre, radius = shape.sphere
            at = ride.pose.point(centre)
            ends = [ridden(ride, at, t) for t in (stretch.lo, stretch.hi)]
            lower.append([min(p, q) - radius for p, q in zip(*ends, strict=True)])
            upper.append([max(p, q) + radius for p, q in zip(*ends, strict=True)])
    return np.array(lower).reshape(-1, 3), np.array(upper).reshape(-1, 3)


def ridden(ride: Linear, point: Vector, t: int) -> Vector:
    """Where a ride has taken a point by an instant."""
    u = (min(max(t, ride.start), ride.end) - ride.start) * SECOND
    (x, y, z), (vx, vy, vz) = point, ride.velocity
    return (x + vx * u, y + vy * u, z + vz * u)


def overlapping(lower: Array, upper: Array, low: Array, high: Array) -> list[tuple[int, int]]:
    """Which boxes of one list meet which of another."""
    apart = (lower[:, None] > high[None]).any(axis=2) | (upper[:, None] < low[None]).any(axis=2)
    one, two = np.nonzero(~apart)
    return list(zip(one.tolist(), two.tolist(), strict=True))
