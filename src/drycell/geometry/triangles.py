"""Queries of one point or one line against all triangles of a surface, in columns."""

import math

import numpy as np

from drycell.base import Array, Vector
from drycell.geometry.mass import Faces


def nearest_on_triangles(vertices: Array, faces: Faces, point: Vector) -> tuple[float, Vector, int]:
    """Distance, foot and triangle nearest to a point: by regions (C. Ericson, Real-Time Collision Detection, 5.1.5)."""
    p = np.array(point)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    best = np.full(len(faces), np.inf)
    feet = np.empty_like(a)
    longest = np.zeros(len(faces))
    for start, end in ((a, b), (b, c), (c, a)):
        along = end - start
        length = np.einsum("ij,ij->i", along, along)
        longest = np.maximum(longest, length)
        share = np.einsum("ij,ij->i", p - start, along) / np.maximum(length, 1e-300)
        foot = start + np.clip(share, 0.0, 1.0)[:, None] * along
        gap = ((p - foot) ** 2).sum(axis=1)
        nearer = gap < best
        best[nearer], feet[nearer] = gap[nearer], foot[nearer]
    n = np.cross(b - a, c - a)
    squared = np.einsum("ij,ij->i", n, n)
    wide = squared > 1e-20 * longest  # of a sliver thinner than 0.1 nm the edges are enough
    squared = np.where(wide, squared, 1.0)
    height = np.einsum("ij,ij->i", p - a, n) / squared
    foot = p - height[:, None] * n
    over = wide  # where the point stands over the inside of the triangle
    for start, end in ((a, b), (b, c), (c, a)):
        over = over & (np.einsum("ij,ij->i", np.cross(end - start, foot - start), n) >= 0.0)
    gap = height * height * squared
    nearer = over & (gap < best)
    best[nearer], feet[nearer] = gap[nearer], foot[nearer]
    face = int(np.argmin(best))
    x, y, z = feet[face].tolist()
    return math.sqrt(float(best[face])), (x, y, z), face


def winding_number(vertices: Array, faces: Faces, point: Vector) -> float:
    """How often a closed surface goes round a point: 1 inside, 0 outside.

    The sum of the solid angles of its triangles (A. van Oosterom and J. Strackee, 1983): no ray could graze an edge.
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
    """The nearest triangle a ray meets within reach, and how far along (T. Möller and B. Trumbore, 1997)."""
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
