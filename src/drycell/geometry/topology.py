"""Edges of a triangle surface: which are open, and which run along a reflex fold."""

import numpy as np

from drycell.base import Array
from drycell.geometry.mass import Faces


def open_edges(faces: Faces) -> int:
    """How many edges are not run along as often one way as the other: twice in all but where corners just touch."""
    directed = np.concatenate((faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]))
    ends = np.sort(directed, axis=1)
    sense = np.where(directed[:, 0] < directed[:, 1], 1, -1)
    _, index = np.unique(ends, axis=0, return_inverse=True)
    return int(np.count_nonzero(np.bincount(index.ravel(), weights=sense)))


def reflex_planes(vertices: Array, faces: Faces) -> tuple[Array, Array, Array]:
    """The planes of the larger triangle at each reflex edge of a closed surface: normals, offsets, areas.

    An edge is reflex where it is longer than 1 nm, the other triangle's far corner stands above the plane by more than
    1 nm, and the fold is sharper than a microradian; the larger triangle is asked because a sliver has no plane to
    speak of.
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
