"""Containment: whether a point is in a body, and whether one body is wholly inside another's closed surface."""

import contextlib
from typing import TYPE_CHECKING

import numpy as np

from drycell.base import GeometryError, Vector
from drycell.geometry import checks, mass, solid

if TYPE_CHECKING:
    from drycell.geometry.placed import Placed


def contains(placed: "Placed", point: Vector) -> bool:
    """Whether a point of the world is inside a body or on its surface (within 1 nm). An open mesh has no inside."""
    return placed.shape.contains(placed.pose.inverse().point(checks.point("contains", "point", point)))


def enclosed(a: "Placed", b: "Placed") -> bool:
    """Whether one of two bodies whose surfaces do not meet is inside the other: one point of it tells."""
    return contains(a, _own_point(b)) or contains(b, _own_point(a))


def surface_overlap(a: "Placed", b: "Placed") -> tuple[float, Vector, Vector, Vector]:
    """Distance, points and normal of two bodies of which one is a bare surface: how thick their common volume is.

    Without a common volume (an open mesh, a touch) it has the least depth there is, 1 nm.
    """
    common = None
    with contextlib.suppress(GeometryError):
        other = solid.placed(solid.solid_of(b.shape), a.pose.inverse() @ b.pose)
        common = solid.solid_of(a.shape) ^ other
    if common is None or common.is_empty() or common.volume() <= 0.0:
        point = _own_point(a)
        return -1e-9, point, point, (0.0, 0.0, 1.0)
    vertices, faces = solid.arrays(common)
    found = mass.of_triangles(vertices, faces)
    # The thinnest way across is the axis of the largest moment of inertia.
    axis = np.linalg.eigh(np.array(found.inertia))[1][:, 2]
    out = a.shape.nearest(found.centre).normal
    axis = -axis if float(axis @ out) < 0.0 else axis
    heights = vertices @ axis
    middle = np.array(found.centre)
    ends = [middle + (height - float(middle @ axis)) * axis for height in (heights.max(), heights.min())]
    depth = max(float(np.ptp(heights)), 1e-9)
    (p, q, n) = ((float(v[0]), float(v[1]), float(v[2])) for v in (*ends, axis))
    return -depth, a.pose.point(p), a.pose.point(q), a.pose.direction(n)


def _own_point(placed: "Placed") -> Vector:
    vertices, _ = placed.shape.triangles()
    x, y, z = np.asarray(vertices[0]).tolist()
    return placed.pose.point((x, y, z))
