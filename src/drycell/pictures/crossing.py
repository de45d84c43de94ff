"""Crossings: the curves along which the surfaces of two solids run through each other."""

from typing import Final

import numpy as np

from drycell.base import Array
from drycell.pictures.surfaces import Integers

_DEEP: Final = 1e-7  # metres to either side; what only touches does not cross
_STEEP: Final = 0.14  # sine of the angle; flatter crossings are those of facets that stand for one round surface


def crossings(triangles: Array, solids: Integers) -> tuple[Array, Integers]:
    """Segments (n, 2, 3) where triangles (m, 3, 3) of different solids cross, and the two solids of each (n, 2)."""
    lower, upper = triangles.min(axis=1), triangles.max(axis=1)
    members = [np.nonzero(solids == solid)[0] for solid in range(int(solids.max()) + 1 if len(solids) else 0)]
    present = [k for k, own in enumerate(members) if len(own)]
    low = np.array([lower[members[k]].min(axis=0) for k in present]).reshape(-1, 3)
    high = np.array([upper[members[k]].max(axis=0) for k in present]).reshape(-1, 3)
    shared_low, shared_high = np.maximum(low[:, None], low), np.minimum(high[:, None], high)
    overlap = np.triu(np.all(shared_high > shared_low + _DEEP, axis=2), 1)
    segments, pairs = [np.empty((0, 2, 3))], [np.empty((0, 2), dtype=np.int64)]
    for i, j in np.argwhere(overlap):
        box = shared_low[i, j], shared_high[i, j]
        one, two = (
            own[np.all((lower[own] <= box[1]) & (upper[own] >= box[0]), axis=1)]
            for own in (members[present[i]], members[present[j]])
        )
        near = np.ones((len(one), len(two)), dtype=bool)
        for axis in range(3):
            near &= lower[one, axis][:, None] <= upper[two, axis]
            near &= upper[one, axis][:, None] >= lower[two, axis]
        a, b = near.nonzero()
        found = _segments(triangles[one[a]], triangles[two[b]])
        segments.append(found)
        pairs.append(np.tile(np.array([present[i], present[j]], dtype=np.int64), (len(found), 1)))
    return np.concatenate(segments), np.concatenate(pairs)


def _segments(one: Array, two: Array) -> Array:
    """The common segments of pairs of triangles (T. Möller, A fast triangle-triangle intersection test, 1997)."""
    n_one, n_two = _normals(one), _normals(two)
    to_two = np.einsum("nkj,nj->nk", one - two[:, :1], n_two)
    to_one = np.einsum("nkj,nj->nk", two - one[:, :1], n_one)
    along = np.cross(n_one, n_two)
    sine = np.linalg.norm(along, axis=1)
    across = (to_two.min(axis=1) < -_DEEP) & (to_two.max(axis=1) > _DEEP)
    across &= (to_one.min(axis=1) < -_DEEP) & (to_one.max(axis=1) > _DEEP) & (sine > _STEEP)
    along = along[across] / sine[across][:, None]
    p, q = _cut(one[across], to_two[across]), _cut(two[across], to_one[across])
    s, t = np.einsum("nkj,nj->nk", p, along), np.einsum("nkj,nj->nk", q, along)
    low = np.maximum(s.min(axis=1), t.min(axis=1))
    high = np.minimum(s.max(axis=1), t.max(axis=1))
    met = high > low + _DEEP
    base = (p[:, 0] - s[:, :1] * along)[met]
    return np.stack((base + low[met][:, None] * along[met], base + high[met][:, None] * along[met]), axis=1)


def _cut(triangles: Array, heights: Array) -> Array:
    """The two points where the outline of each triangle passes height zero."""
    above = heights >= 0.0
    alone = np.argmax(above == (above.sum(axis=1) == 1)[:, None], axis=1)
    rows = np.arange(len(triangles))
    points = []
    for step in (1, 2):
        other = (alone + step) % 3
        h, g = heights[rows, alone], heights[rows, other]
        share = (h / (h - g))[:, None]
        points.append(triangles[rows, alone] + share * (triangles[rows, other] - triangles[rows, alone]))
    return np.stack(points, axis=1)


def _normals(triangles: Array) -> Array:
    cross: Array = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    length: Array = np.maximum(np.linalg.norm(cross, axis=1), 1e-300)
    return cross / length[:, None]
