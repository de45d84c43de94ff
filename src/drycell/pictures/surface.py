"""Surface: the triangles of a shape with the edges a draughtsman may draw, found once for each shape."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from drycell.geometry import Compound, Shape
from drycell.spatial import Array, Pose

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

_SHARP: Final = math.cos(math.radians(25.0))  # folds at least this sharp are edges; facets of round shapes are flatter
_ROUND: Final = 0.008  # of the radius: at least 24 facets, which meet at 15 degrees or less


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles, their outward normals, and the edges between them that are drawn from some side at least.

    ``sides`` are the two triangles at an edge (twice the same at a border); ``convex`` says that it stands out.
    """

    vertices: Array
    faces: Integers
    normals: Array
    edges: Integers
    sides: Integers
    sharp: Flags
    convex: Flags
    closed: bool


def solids(shape: Shape, pose: Pose) -> list[tuple[Shape, Pose]]:
    """The shape as solids that each have one surface: the parts of a compound, whatever it is nested in."""
    if isinstance(shape, Compound):
        return [found for X, part in shape.parts for found in solids(part, pose @ X)]
    return [(shape, pose)]


def surface(shape: Shape, deviation: float) -> Surface:
    """The surface of a solid, round ones faceted at least as finely as the deviation and finely enough to look round.

    Deviations are taken down to a power of two, so that a body that moves a little has the same facets.
    """
    radius = max(getattr(shape, "radius", 0.0), getattr(shape, "top_radius", 0.0))
    if not radius:
        return _surface(shape, 0.0)
    return _surface(shape, 2.0 ** math.floor(math.log2(min(deviation, _ROUND * radius))))


@lru_cache(maxsize=1024)
def _surface(shape: Shape, deviation: float) -> Surface:
    vertices, faces = shape.triangles(deviation or None)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    cross = np.cross(b - a, c - a)
    normals = cross / np.maximum(np.linalg.norm(cross, axis=1), 1e-300)[:, None]

    directed = np.concatenate((faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]))
    beyond = np.concatenate((faces[:, 2], faces[:, 0], faces[:, 1]))
    owner = np.tile(np.arange(len(faces)), 3)
    key = directed.min(axis=1) * len(vertices) + directed.max(axis=1)
    order = np.argsort(key, kind="stable")
    _, first, count = np.unique(key[order], return_index=True, return_counts=True)
    one, two = order[first], order[first + np.where(count > 1, 1, 0)]
    left, right = owner[one], owner[two]
    edges, sides = directed[one], np.stack((left, right), axis=1)
    regular = count == 2
    # Where a border runs, or more than two triangles meet, there is an edge whatever the angle.
    sharp = (np.einsum("ij,ij->i", normals[left], normals[right]) < _SHARP) | ~regular
    height = np.einsum("ij,ij->i", normals[left], vertices[beyond[two]] - vertices[edges[:, 0]])
    length = np.linalg.norm(vertices[edges[:, 1]] - vertices[edges[:, 0]], axis=1)
    convex = (height <= 1e-6 * length) | ~regular
    drawn = sharp | convex  # a blunt fold inwards is neither an edge nor ever an outline
    # A fold of no angle at all lies within a flat side.
    drawn &= sharp | (np.abs(height) > 1e-9 * length)
    return Surface(
        vertices, faces, normals, edges[drawn], sides[drawn], sharp[drawn], convex[drawn], bool(np.all(count % 2 == 0))
    )
