"""Surfaces: the triangles of a shape with the edges that may be drawn, computed once for each shape."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from drycell.base import Array, Pose
from drycell.geometry import Compound, Shape, arrays, solid_of

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

_SHARP: Final = math.cos(math.radians(25.0))  # sharper angles are edges; the facets of round shapes are flatter
_SEAM: Final = math.cos(math.radians(8.0))  # the same, where parts of a compound meet
_ROUND: Final = 0.002  # of the radius: at least 48 facets, which meet at 7.5 degrees or less
_COARSE: Final = 0.025  # of the radius: at least 14 facets, which meet at 26 degrees or less
_COARSE_SHARP: Final = math.cos(math.radians(28.0))  # edges between such facets; shading is smooth up to 30 degrees


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles, their outward normals, and the edges between them that are visible from at least one side.

    ``sides`` are the two triangles at an edge (twice the same at a border); ``convex`` marks convex edges. A surface is
    ``closed`` if it has no border, and ``bulging`` if it is closed and all its edges are convex.
    """

    vertices: Array
    faces: Integers
    normals: Array
    edges: Integers
    sides: Integers
    sharp: Flags
    convex: Flags
    closed: bool
    bulging: bool


def surface(shape: Shape, deviation: float) -> Surface:
    """Return the surface of a solid, with facets within the deviation and fine enough to look round.

    Deviations are rounded down to a power of two, so that a body that moves a little keeps its facets.
    """
    radius = _smallest_radius(shape)
    return _surface(shape, 0.0 if radius == math.inf else 2.0 ** math.floor(math.log2(min(deviation, _ROUND * radius))))


def small_surface(shape: Shape, deviation: float) -> Surface:
    """Return the surfaces of all parts of a solid that is small in a picture, where facets within the deviation look
    round.

    The parts are not merged: what is inside another part is hidden in the picture. Round shapes have at least 14
    facets, so that the facets do not look like edges.
    """
    pieces = list(_parts(shape, Pose(), deviation))
    first = np.cumsum([0, *(len(vertices) for vertices, _ in pieces)])
    faces = np.concatenate([faces + k for (_, faces), k in zip(pieces, first, strict=False)])
    return _made(
        np.concatenate([vertices for vertices, _ in pieces]),
        faces,
        np.zeros(len(faces), dtype=np.int64),
        _COARSE_SHARP,
        _COARSE_SHARP,
    )


def _parts(shape: Shape, pose: Pose, deviation: float) -> Iterator[tuple[Array, Integers]]:
    if isinstance(shape, Compound):
        for place, part in shape.parts:
            yield from _parts(part, pose @ place, deviation)
        return
    radius = _smallest_radius(shape)
    coarse = None if radius == math.inf else max(min(deviation, _COARSE * radius), _ROUND * radius)
    vertices, faces = shape.triangles(coarse)
    yield vertices @ pose.rotation.T + pose.translation, faces


def _smallest_radius(shape: Shape) -> float:
    if isinstance(shape, Compound):
        return min(_smallest_radius(part) for _, part in shape.parts)
    return max(getattr(shape, "radius", 0.0), getattr(shape, "top_radius", 0.0)) or math.inf


@lru_cache(maxsize=1024)
def _surface(shape: Shape, deviation: float) -> Surface:
    return _made(*_triangles(shape, deviation or None), _SHARP, _SEAM)


def _made(vertices: Array, faces: Integers, part: Integers, sharp_within: float, seam: float) -> Surface:
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
    cosine = np.einsum("ij,ij->i", normals[left], normals[right])
    # A border, or a line where more than two triangles meet, is an edge at any angle.
    sharp = (cosine < np.where(part[left] == part[right], sharp_within, seam)) | ~regular
    height = np.einsum("ij,ij->i", normals[left], vertices[beyond[two]] - vertices[edges[:, 0]])
    length = np.linalg.norm(vertices[edges[:, 1]] - vertices[edges[:, 0]], axis=1)
    convex = (height <= 1e-6 * length) | ~regular
    drawn = sharp | convex  # an obtuse concave angle is neither an edge nor an outline
    # An angle of zero lies within a flat side.
    drawn &= sharp | (np.abs(height) > 1e-9 * length)
    closed = bool(np.all(count % 2 == 0))
    bulging = closed and bool(np.all(regular & convex))
    return Surface(vertices, faces, normals, edges[drawn], sides[drawn], sharp[drawn], convex[drawn], closed, bulging)


def _triangles(shape: Shape, deviation: float | None) -> tuple[Array, Integers, Integers]:
    """Return vertices, faces, and the part of a compound that each face comes from; its parts are merged without
    seams."""
    if not isinstance(shape, Compound):
        vertices, faces = shape.triangles(deviation)
        return vertices, faces, np.zeros(len(faces), dtype=np.int64)
    solid = solid_of(shape, deviation)
    vertices, faces = arrays(solid)
    runs = np.array(solid.to_mesh64().run_index, dtype=np.int64) // 3  # face index where each part starts
    return vertices, faces, np.repeat(np.arange(len(runs) - 1), np.diff(runs))
