"""Triangle surfaces as arrays: rays, nearest points, inside and outside, open and reflex edges, planes of faces.

Booleans of solids with coincident faces leave slivers without volume. So cuts and holes are offset by a tiny amount,
``OFFSET``, and the resulting corners are moved back onto the planes. The result is exact and clean.
"""

import math
from typing import Final

import numpy as np

from drycell.base import Array, Vector
from drycell.geometry.mass import Faces

OFFSET: Final = 1e-10  # metres; a tenth of the height of the smallest reflex edge


def nearest_on_triangles(vertices: Array, faces: Faces, point: Vector) -> tuple[float, Vector, int]:
    """Distance, point and triangle nearest to a point (C. Ericson, Real-Time Collision Detection, 5.1.5)."""
    p = np.array(point)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    best = np.full(len(faces), np.inf)
    nearest = np.empty_like(a)
    longest = np.zeros(len(faces))
    for start, end in ((a, b), (b, c), (c, a)):
        along = end - start
        length = np.einsum("ij,ij->i", along, along)
        longest = np.maximum(longest, length)
        fraction = np.einsum("ij,ij->i", p - start, along) / np.maximum(length, 1e-300)
        foot = start + np.clip(fraction, 0.0, 1.0)[:, None] * along
        gap = ((p - foot) ** 2).sum(axis=1)
        nearer = gap < best
        best[nearer], nearest[nearer] = gap[nearer], foot[nearer]
    n = np.cross(b - a, c - a)
    squared = np.einsum("ij,ij->i", n, n)
    wide = squared > 1e-20 * longest  # for slivers thinner than 0.1 nm, the edges are enough
    squared = np.where(wide, squared, 1.0)
    height = np.einsum("ij,ij->i", p - a, n) / squared
    foot = p - height[:, None] * n
    over = wide  # if the point is above the inside of the triangle
    for start, end in ((a, b), (b, c), (c, a)):
        over = over & (np.einsum("ij,ij->i", np.cross(end - start, foot - start), n) >= 0.0)
    gap = height * height * squared
    nearer = over & (gap < best)
    best[nearer], nearest[nearer] = gap[nearer], foot[nearer]
    face = int(np.argmin(best))
    x, y, z = nearest[face].tolist()
    return math.sqrt(float(best[face])), (x, y, z), face


def winding_number(vertices: Array, faces: Faces, point: Vector) -> float:
    """The winding number of a closed surface about a point: 1 inside, 0 outside.

    It is the sum of the solid angles of the triangles (A. van Oosterom and J. Strackee, 1983). Unlike rays, it is
    robust at edges.
    """
    a, b, c = (vertices[faces[:, k]] - np.array(point) for k in range(3))
    la, lb, lc = (np.sqrt(np.einsum("ij,ij->i", v, v)) for v in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    base = la * lb * lc + (np.einsum("ij,ij->i", a, b) * lc + np.einsum("ij,ij->i", b, c) * la)
    base += np.einsum("ij,ij->i", c, a) * lb
    return float(np.arctan2(volume, base).sum()) / (2.0 * math.pi)


def first_hit(
    vertices: Array, faces: Faces, origin: Vector, direction: Vector, reach: float
) -> tuple[float, int] | None:
    """Distance and index of the first triangle that a ray hits within reach (T. Möller and B. Trumbore, 1997)."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    d = np.array(direction)
    ab, ac = b - a, c - a
    across = np.cross(d, ac)
    det = np.einsum("ij,ij->i", ab, across)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = 1.0 / det
        back = np.array(origin) - a
        u = np.einsum("ij,ij->i", back, across) * inverse
        turned = np.cross(back, ab)
        v = (turned @ d) * inverse
        t = np.einsum("ij,ij->i", ac, turned) * inverse
        met = (det != 0.0) & (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t >= 0.0) & (t <= reach)
    if not met.any():
        return None
    face = int(np.argmin(np.where(met, t, np.inf)))
    return float(t[face]), face


def open_edges(faces: Faces) -> int:
    """The number of edges that are not used equally often in both directions."""
    directed = np.concatenate((faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]))
    ends = np.sort(directed, axis=1)
    sense = np.where(directed[:, 0] < directed[:, 1], 1, -1)
    _, index = np.unique(ends, axis=0, return_inverse=True)
    return int(np.count_nonzero(np.bincount(index.ravel(), weights=sense)))


def reflex_planes(vertices: Array, faces: Faces) -> tuple[Array, Array, Array]:
    """The planes of the larger triangle at each reflex edge of a closed surface: normals, offsets, areas.

    An edge is reflex if it is longer than 1 nm, the far corner of the other triangle is more than 1 nm above the plane,
    and the fold is sharper than 1 µrad. The larger triangle is used because the plane of a sliver is not well defined.
    """
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    cross = np.cross(b - a, c - a)
    area = np.linalg.norm(cross, axis=1)
    normals = cross / np.maximum(area, 1e-300)[:, None]
    directed = np.concatenate((faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]))
    far = np.concatenate((faces[:, 2], faces[:, 0], faces[:, 1]))
    owner = np.tile(np.arange(len(faces)), 3)
    order = np.lexsort((np.max(directed, axis=1), np.min(directed, axis=1)))
    first, second = order[0::2], order[1::2]
    swap = area[owner[second]] > area[owner[first]]
    first, second = np.where(swap, second, first), np.where(swap, first, second)
    n = normals[owner[first]]
    start = vertices[directed[first, 0]]
    height = np.einsum("ij,ij->i", n, vertices[far[second]] - start)
    length = np.linalg.norm(vertices[directed[first, 1]] - start, axis=1)
    reflex = (height > 1e-9) & (length > 1e-9) & (height * length > 1e-6 * area[owner[second]])
    n = n[reflex]
    return n, np.einsum("ij,ij->i", n, start[reflex]), area[owner[first]][reflex]


def planes_of(vertices: Array, faces: Faces) -> tuple[Array, Array]:
    """The distinct planes of the faces, those of larger faces first, because these are more precise."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    cross = np.cross(b - a, c - a)
    area = np.linalg.norm(cross, axis=1)
    order = np.argsort(-area, kind="stable")
    longest = np.sqrt(np.max([((p - q) ** 2).sum(axis=1) for p, q in ((a, b), (b, c), (c, a))], axis=0))
    order = order[area[order] > 1e-8 * longest[order]]  # the plane of a sliver thinner than 10 nm is not well defined
    normals = cross[order] / area[order][:, None]
    offsets = np.einsum("ij,ij->i", normals, a[order])
    scale = float(np.abs(vertices).max())
    _, first = np.unique(np.round(np.column_stack((normals, offsets / scale)), 9), axis=0, return_index=True)
    first = np.sort(first)
    return normals[first], offsets[first]


def snapped(
    points: Array, normals: Array, offsets: Array, corners: frozenset[tuple[float, ...]] = frozenset()
) -> Array:
    """Move points onto the planes that are within five times ``OFFSET``. Points among ``corners`` stay."""
    moved = points.copy()
    for k, point in enumerate(points.tolist()):
        if tuple(point) not in corners:
            beyond = normals @ points[k] - offsets
            near = np.abs(beyond) < 5 * OFFSET
            if near.any():
                moved[k] -= np.linalg.lstsq(normals[near], beyond[near], rcond=1e-6)[0]
    return moved
