"""Containment: whether a point is in a body, and whether one body is wholly inside another's closed surface."""

from typing import TYPE_CHECKING

import numpy as np

from drycell.geometry import checks
from drycell.spatial import Vector

if TYPE_CHECKING:
    from drycell.geometry.placed import Placed

_MOST_VERTICES = 256  # looked at for the depth of an overlap with a bare surface


def contains(placed: "Placed", point: Vector) -> bool:
    """Whether a point of the world is inside a body or on its surface (within 1 nm). An open mesh has no inside."""
    return placed.shape.contains(placed.pose.inverse().point(checks.point("contains", "point", point)))


def enclosed(a: "Placed", b: "Placed") -> bool:
    """Whether one of two bodies whose surfaces do not meet is inside the other: one point of it tells."""
    return contains(a, _own_point(b)) or contains(b, _own_point(a))


def surface_overlap(a: "Placed", b: "Placed") -> tuple[float, Vector, Vector, Vector]:
    """Distance, points and normal of two bodies of which one is a bare surface: those of the deepest vertex.

    Vertices stand for the whole body, so an overlap of edges alone has the least depth there is, 1 nm.
    """
    deepest = (-1e-9, _own_point(a), _own_point(a), (0.0, 0.0, 1.0))
    for inner, outer, sign in ((a, b, -1.0), (b, a, 1.0)):
        vertices, _ = inner.shape.triangles()
        step = max(1, len(vertices) // _MOST_VERTICES)
        into = outer.pose.inverse() @ inner.pose
        for vertex in vertices[::step].tolist():
            near = outer.shape.nearest(into.point(vertex))
            if near.distance < deepest[0]:
                p, q = inner.pose.point(vertex), outer.pose.point(near.point)
                x, y, z = outer.pose.direction(near.normal)
                ends = (p, q) if inner is a else (q, p)
                deepest = (near.distance, *ends, (sign * x, sign * y, sign * z))
    return deepest


def _own_point(placed: "Placed") -> Vector:
    vertices, _ = placed.shape.triangles()
    x, y, z = np.asarray(vertices[0]).tolist()
    return placed.pose.point((x, y, z))
