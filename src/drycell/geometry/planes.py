"""Planes of a polyhedron's faces, and corners put back onto them.

Cuts and holes whose faces coincide exactly with others leave films and needles without volume. So they are made a hair
off, and the corners that come of it are moved back by that hair: the result is exact again, and clean.
"""

from typing import Final

import numpy as np

from drycell.base import Array
from drycell.geometry.mass import Faces

HAIR: Final = 1e-10  # metres; a tenth of what counts as a reflex edge (topology.py)


def planes_of(vertices: Array, faces: Faces) -> tuple[Array, Array]:
    """The distinct planes of the faces, the larger faces' first, for they know theirs best."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    cross = np.cross(b - a, c - a)
    area = np.linalg.norm(cross, axis=1)
    order = np.argsort(-area, kind="stable")
    longest = np.sqrt(np.max([((p - q) ** 2).sum(axis=1) for p, q in ((a, b), (b, c), (c, a))], axis=0))
    order = order[area[order] > 1e-8 * longest[order]]  # a sliver thinner than 10 nm has no plane to speak of
    normals = cross[order] / area[order][:, None]
    offsets = np.einsum("ij,ij->i", normals, a[order])
    scale = float(np.abs(vertices).max())
    _, first = np.unique(np.round(np.column_stack((normals, offsets / scale)), 9), axis=0, return_index=True)
    first = np.sort(first)
    return normals[first], offsets[first]


def snapped(
    points: Array, normals: Array, offsets: Array, corners: frozenset[tuple[float, ...]] = frozenset()
) -> Array:
    """Points put onto the planes they are within five hairs of; those among ``corners`` are right as they are."""
    moved = points.copy()
    for k, point in enumerate(points.tolist()):
        if tuple(point) not in corners:
            beyond = normals @ points[k] - offsets
            near = np.abs(beyond) < 5 * HAIR
            if near.any():
                moved[k] -= np.linalg.lstsq(normals[near], beyond[near], rcond=1e-6)[0]
    return moved
