"""Feet: the nearest points of a solid to many points at once, in columns. A point inside is its own foot."""

from typing import Final

import numpy as np

from drycell.base import Array
from drycell.geometry.mass import Faces

_MOST_COMPARED: Final = 1_000_000  # points times triangles, at a time


def ball_feet(p: Array, middle: Array, radius: float) -> Array:
    """Points pulled to within a radius of their own middles."""
    away = p - middle
    length = np.linalg.norm(away, axis=1)
    share = np.minimum(1.0, radius / np.maximum(length, 1e-300))
    feet: Array = middle + away * share[:, None]
    return feet


def frustum_feet(p: Array, low: float, high: float, half: float) -> Array:
    """In the half-plane of radius and height: on the nearest of bottom, mantle and top, or where the point is."""
    rho = np.hypot(p[:, 0], p[:, 1])
    z = p[:, 2]
    flat = np.column_stack((rho, z))
    edge = low + (high - low) * (z + half) / (2.0 * half)
    inside = (np.abs(z) <= half) & (rho <= edge)
    best, feet = np.full(len(p), np.inf), flat.copy()
    for start, end in (((0.0, -half), (low, -half)), ((low, -half), (high, half)), ((high, half), (0.0, half))):
        a, along = np.array(start), np.array(end) - np.array(start)
        share = np.clip((flat - a) @ along / max(float(along @ along), 1e-300), 0.0, 1.0)
        foot = a + share[:, None] * along
        gap = ((flat - foot) ** 2).sum(axis=1)
        nearer = (gap < best) & ~inside
        best[nearer], feet[nearer] = gap[nearer], foot[nearer]
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.where(rho > 1e-300, feet[:, 0] / np.maximum(rho, 1e-300), 0.0)
    return np.column_stack((p[:, 0] * scale, p[:, 1] * scale, feet[:, 1]))


def triangle_feet(vertices: Array, faces: Faces, points: Array) -> Array:
    """The nearest point of a triangle surface to each of (n, 3) points.

    Points against triangles in one table, by the regions round a triangle (C. Ericson, Real-Time Collision Detection,
    5.1.5), in terms of scalar products alone.
    """
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    ab, ac = b - a, c - a
    squares = np.einsum("ij,ij->i", ab, ab), np.einsum("ij,ij->i", ab, ac), np.einsum("ij,ij->i", ac, ac)
    feet = np.empty_like(points)
    rows = max(1, _MOST_COMPARED // len(faces))
    for start in range(0, len(points), rows):
        p = points[start : start + rows]
        d1 = p @ ab.T - np.einsum("ij,ij->i", a, ab)
        d2 = p @ ac.T - np.einsum("ij,ij->i", a, ac)
        v, w = _shares(d1, d2, *squares)
        bb, bc, cc = squares
        # Squared, less the square of the way to corner a, which is added back.
        gap = v * (v * bb - 2.0 * d1) + w * (w * cc - 2.0 * d2) + 2.0 * v * w * bc
        gap += ((p * p).sum(axis=1)[:, None] - 2.0 * (p @ a.T)) + (a * a).sum(axis=1)
        nearest = np.argmin(gap, axis=1)
        row = np.arange(len(p))
        feet[start : start + rows] = (
            a[nearest] + v[row, nearest][:, None] * ab[nearest] + w[row, nearest][:, None] * ac[nearest]
        )
    return feet


def paired_feet(a: Array, b: Array, c: Array, points: Array) -> Array:
    """The nearest point of each of n triangles to the point it is paired with."""
    ab, ac, ap = b - a, c - a, points - a
    products = [np.einsum("ij,ij->i", u, v) for u, v in ((ap, ab), (ap, ac), (ab, ab), (ab, ac), (ac, ac))]
    v, w = _shares(*products)
    return a + v[:, None] * ab + w[:, None] * ac


def _shares(d1: Array, d2: Array, bb: Array, bc: Array, cc: Array) -> tuple[Array, Array]:
    """How much of ab and of ac leads from corner a to the nearest point of each triangle."""
    d3, d4, d5, d6 = d1 - bb, d2 - bc, d1 - bc, d2 - cc
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    with np.errstate(divide="ignore", invalid="ignore"):
        total = va + vb + vc
        v, w = vb / total, vc / total  # over the face
        far = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        regions = (
            ((d1 <= 0.0) & (d2 <= 0.0), 0.0, 0.0),  # at a
            ((d3 >= 0.0) & (d4 <= d3), 1.0, 0.0),  # at b
            ((d6 >= 0.0) & (d5 <= d6), 0.0, 1.0),  # at c
            ((vc <= 0.0) & (d1 >= 0.0) & (d3 <= 0.0), d1 / bb, 0.0),  # on ab
            ((vb <= 0.0) & (d2 >= 0.0) & (d6 <= 0.0), 0.0, d2 / cc),  # on ac
            ((va <= 0.0) & (d4 >= d3) & (d5 >= d6), 1.0 - far, far),  # on bc
        )
        for where, along_b, along_c in reversed(regions):
            v, w = np.where(where, along_b, v), np.where(where, along_c, w)
    # A triangle without area has no face to be over: its corner a stands for it, and its sides are others' sides.
    return np.nan_to_num(v, nan=0.0, posinf=0.0, neginf=0.0), np.nan_to_num(w, nan=0.0, posinf=0.0, neginf=0.0)
