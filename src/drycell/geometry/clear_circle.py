"""The clear circle around a point of a surface: how far the surface stays flat, without an edge, a hole or a step."""

import math
from functools import lru_cache
from typing import Final

import numpy as np

from drycell.base import Array, GeometryError, Vector
from drycell.geometry import checks
from drycell.geometry.mass import Faces
from drycell.geometry.shape import Shape
from drycell.geometry.solid import arrays, solid_of

_STEEP: Final = math.cos(math.radians(30.0))  # a triangle that leans more than this is not part of the face
_FINE: Final = 1e-5  # metres: how far the triangles of a round surface are from it
_WELD: Final = 9  # decimals of a metre: corners that agree in them are one


def clear_radius(shape: Shape, point: Vector, normal: Vector, give: float) -> float:
    """Return the radius in metres of the largest circle around a point of a surface in which the surface is flat.

    The circle is seen along the normal. It ends at an edge of the face, at a hole, at a step, and where a curved
    surface is farther than ``give`` from the plane of the circle. Round surfaces are polyhedra within 0.01 mm of them.

    >>> from drycell import Box, mm
    >>> from drycell.geometry import clear_radius
    >>> plate = Box(80*mm, 40*mm, 4*mm)
    >>> round(clear_radius(plate, (10*mm, 0, 2*mm), (0, 0, 1), 1*mm) / mm, 6)  # 20 mm from its long sides
    20.0

    Args:
        shape: The shape.
        point: A point of its surface, in its frame.
        normal: The outward normal there.
        give: How far from the plane of the circle the surface may be, in metres.

    Raises:
        GeometryError: The point is not a point, or the normal is not a direction.
    """
    p = np.array(checks.point("clear_radius", "point", point))
    n = np.array(checks.direction("clear_radius", "normal", normal))
    vertices, faces, normals = _surface(shape)
    heights = (vertices - p) @ n
    near = (np.abs(heights[faces]).max(axis=1) <= give) & (normals @ n >= _STEEP)
    edges = np.sort(faces[near][:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    unique, count = np.unique(edges, axis=0, return_counts=True)
    border = unique[count == 1]
    if not len(border):
        return 0.0
    flat = vertices - np.outer(heights, n) - p  # in the plane of the circle, from its centre
    a, b = flat[border[:, 0]], flat[border[:, 1]]
    along = b - a
    square = (along * along).sum(axis=1)
    share = np.clip(-(a * along).sum(axis=1) / np.where(square > 0.0, square, 1.0), 0.0, 1.0)
    return float(np.linalg.norm(a + share[:, None] * along, axis=1).min())


@lru_cache(maxsize=64)
def _surface(shape: Shape) -> tuple[Array, Faces, Array]:
    """Corners, triangles and their normals, with one corner per place; of a compound, only the outside."""
    try:
        vertices, faces = arrays(solid_of(shape, _FINE))
    except GeometryError:  # an open mesh is a surface as well
        vertices, faces = shape.triangles(_FINE)
    places, number = np.unique(np.round(vertices, _WELD) + 0.0, axis=0, return_inverse=True)
    faces = number.reshape(-1)[faces]
    a, b, c = (places[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    solid = lengths > 0.0
    return places, faces[solid], normals[solid] / lengths[solid][:, None]
