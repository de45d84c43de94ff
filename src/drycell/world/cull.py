"""Culls: which bodies of an envelope meet which others in which cells, by balls, all at once in numpy."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from drycell.spatial import Array, Vector
from drycell.world.columns import Columns
from drycell.world.envelope import Envelope
from drycell.world.motion import SECOND
from drycell.world.track import Ride, Track

Meeting = tuple[int, int, list[int]]  # number of the track in the envelope, number of the other, cells in order


@dataclass(frozen=True)
class Cover:
    """The balls of bodies that stand, several for a long one, ready for one matrix product."""

    features: Array  # (6, balls)
    owner: NDArray[np.intp]

    @classmethod
    def of(cls, columns: Columns) -> "Cover":
        """Of all rows of some columns."""
        centres: list[Vector] = []
        radii: list[float] = []
        owner: list[int] = []
        for row, (body, ride) in enumerate(zip(columns.bodies, columns.rides, strict=True)):
            for centre, radius in body.shape.spheres() if body.shape is not None else ():
                centres.append(ride.pose.point(centre))
                radii.append(radius)
                owner.append(row)
        return cls(ball_features(np.array(centres).reshape(-1, 3), np.array(radii)), np.array(owner, dtype=np.intp))


def ball_features(centres: Array, radii: Array) -> Array:
    """(6, n): balls that stand, to be multiplied with ``Envelope.features``."""
    own = (centres * centres).sum(axis=1) - radii * radii
    return np.vstack((centres.T, radii, np.ones(len(radii)), own))


def among_standing(envelope: Envelope, columns: Columns, cover: Cover) -> list[Meeting]:
    """Meetings with the rows of columns that stand. Bodies out of reach of the whole envelope are not looked at."""
    lower, upper = envelope.box
    rows = columns.meeting(lower, upper, 0, 0)
    if not len(rows):
        return []
    wanted = np.zeros(len(columns), dtype=bool)
    wanted[rows] = True
    balls = np.flatnonzero(wanted[cover.owner])
    hits, others = np.nonzero(envelope.features @ cover.features[:, balls] >= 0.0)
    return _meetings(envelope, hits, cover.owner[balls[others]], len(columns))


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of a ride in which the velocity is the same throughout; ``shift`` is where it is at ``lo``."""

    lo: int
    hi: int
    velocity: Vector
    shift: Vector


def phases(ride: Ride, lo: int, hi: int) -> Iterator[Phase]:
    """What a ride is made of between two instants: standing, going, standing again."""
    times = [lo, *(t for t in (ride.start, ride.end) if lo < t < hi), hi]
    for start, end in pairwise(times):
        going = ride.start <= start < ride.end
        ridden = (min(max(start, ride.start), ride.end) - ride.start) * SECOND
        u, v, w = ride.velocity
        yield Phase(start, end, ride.velocity if going else (0.0, 0.0, 0.0), (u * ridden, v * ridden, w * ridden))


def among_rides(envelope: Envelope, start: int, rides: Sequence[Track]) -> list[Meeting]:
    """Meetings with bodies that ride, the envelope's times counting from ``start``."""
    rows: list[tuple[float, ...]] = []
    spans: list[tuple[int, int, int]] = []
    first = start + int(envelope.lo[0])
    for number, track in enumerate(rides):
        ride, shape = track.way, track.body.shape
        if not isinstance(ride, Ride) or shape is None:
            continue
        lo, hi = max(track.lo, first), min(track.hi, start + int(envelope.hi[-1]))
        for phase in phases(ride, lo, hi) if lo < hi else ():
            u, v, w = phase.velocity
            back = (first - phase.lo) * SECOND  # to where it would have been when the envelope begins
            dx, dy, dz = (s + back * each for s, each in zip(phase.shift, phase.velocity, strict=True))
            for centre, radius in shape.spheres():
                x, y, z = ride.pose.point(centre)
                rows.append((x + dx, y + dy, z + dz, u, v, w, radius))
                spans.append((number, phase.lo - start, phase.hi - start))
    if not rows:
        return []
    table, owners = np.array(rows), np.array(spans)
    hits, others = np.nonzero(envelope.riding_features @ _riding_features(table) >= 0.0)
    cells = hits // envelope.centres.shape[1]
    then = (envelope.lo[cells] < owners[others, 2]) & (envelope.hi[cells] > owners[others, 1])
    return _meetings(envelope, hits[then], owners[others[then], 0], len(rides))


def _riding_features(table: Array) -> Array:
    """(14, n): balls that ride, to be multiplied with ``Envelope.riding_features``."""
    centres, velocities, radii = table[:, :3], table[:, 3:6], table[:, 6]
    along, squares = (centres * velocities).sum(axis=1), (velocities * velocities).sum(axis=1)
    speeds = np.sqrt(squares)
    return np.vstack((ball_features(centres, radii), velocities.T, along, squares, squares, speeds, radii * speeds))


def among_themselves(envelope: Envelope, pairs: Sequence[tuple[int, int]]) -> list[Meeting]:
    """Meetings of bodies of one envelope, of the given pairs of tracks."""
    balls = [np.flatnonzero(envelope.owner == track) for track in range(len(envelope.tracks))]
    sides = [np.meshgrid(balls[i], balls[j], indexing="ij") for i, j in pairs]
    if not sides:
        return []
    one = np.concatenate([side[0].ravel() for side in sides])
    two = np.concatenate([side[1].ravel() for side in sides])
    offsets = envelope.centres[:, one] - envelope.centres[:, two]
    reach = envelope.grown[:, one] + envelope.grown[:, two]
    cells, at = np.nonzero(np.einsum("nsi,nsi->ns", offsets, offsets) <= reach * reach)
    return _meetings(envelope, cells * envelope.centres.shape[1] + one[at], envelope.owner[two[at]], len(balls))


def _meetings(envelope: Envelope, hits: NDArray[np.intp], others: NDArray[np.intp], count: int) -> list[Meeting]:
    """Gathers hits (cell and ball in one number, number of the other) into cells of pairs."""
    if not len(hits):
        return []
    cells, balls = np.divmod(hits, envelope.centres.shape[1])
    n = len(envelope)
    codes = np.unique((envelope.owner[balls] * count + others) * n + cells)
    pairs, cells = np.divmod(codes, n)
    starts = np.flatnonzero(np.diff(pairs, prepend=-1))
    found: list[Meeting] = []
    for a, b in pairwise([*starts.tolist(), len(pairs)]):
        track, number = divmod(int(pairs[a]), count)
        found.append((track, number, cells[a:b].tolist()))
    return found


def across(one: Envelope, start: int, two: Envelope, begin: int) -> list[tuple[int, int, int, int]]:
    """Meetings of two envelopes with cells of their own: (cell, track) of the first, (cell, track) of the second."""
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
        product = one.features.reshape(len(one), -1, 6)[i] @ two.other_features[j]
        at, ball, another = np.nonzero(product >= 0.0)
        columns = (i[at], one.owner[ball], j[at], two.owner[another])
        found.update(zip(*(column.tolist() for column in columns), strict=True))
    return sorted(found)


def boxes(rides: Sequence[Track]) -> tuple[Array, Array]:
    """The boxes (n, 3), (n, 3) that hold bodies on straight rides all the way."""
    lower, upper = [], []
    for track in rides:
        ride, shape = track.way, track.body.shape
        if isinstance(ride, Ride) and shape is not None:
            centre, radius = shape.sphere
            at = ride.pose.point(centre)
            ends = [ridden(ride, at, t) for t in (track.lo, track.hi)]
            lower.append([min(p, q) - radius for p, q in zip(*ends, strict=True)])
            upper.append([max(p, q) + radius for p, q in zip(*ends, strict=True)])
    return np.array(lower).reshape(-1, 3), np.array(upper).reshape(-1, 3)


def ridden(ride: Ride, point: Vector, t: int) -> Vector:
    """Where a ride has taken a point by an instant."""
    u = (min(max(t, ride.start), ride.end) - ride.start) * SECOND
    (x, y, z), (vx, vy, vz) = point, ride.velocity
    return (x + vx * u, y + vy * u, z + vz * u)


def overlapping(lower: Array, upper: Array, low: Array, high: Array) -> list[tuple[int, int]]:
    """Which boxes of one list meet which of another."""
    apart = (lower[:, None] > high[None]).any(axis=2) | (upper[:, None] < low[None]).any(axis=2)
    one, two = np.nonzero(~apart)
    return list(zip(one.tolist(), two.tolist(), strict=True))
