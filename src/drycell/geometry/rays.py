"""Rays and picks: what a line, or a point, meets on the true surface of placed bodies."""

import math

from drycell.base import Vector
from drycell.geometry import checks
from drycell.geometry.placed import Placed
from drycell.geometry.shape import RayHit, SurfacePoint


def ray(placed: Placed, origin: Vector, direction: Vector, reach: float = math.inf) -> RayHit | None:
    """The first hit of a ray on a body, or nothing within reach.

    Primitives are met on their true surface, not on facets. Passing within 1 nm touches, and touching counts. A ray
    that starts inside is blocked at once (distance 0); one that starts on the surface and leaves does not meet it.
    """
    point = checks.point("ray", "origin", origin)
    along = checks.direction("ray", "direction", direction)
    a, b, c, x, d, e, f, y, g, h, i, z = placed.pose.rows
    x, y, z = point[0] - x, point[1] - y, point[2] - z
    u, v, w = along
    # Exactly as Rays.meet has it: a sensor's line and a single ray meet a body in the same point to the last bit.
    start = (a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z)
    hit = placed.shape.ray(start, (a * u + d * v + g * w, b * u + e * v + h * w, c * u + f * v + i * w), reach)
    return hit and RayHit(hit.distance, placed.pose.direction(hit.normal), hit.inside)


def project_to_surface(placed: Placed, point: Vector) -> SurfacePoint:
    """The point of a body's true surface nearest to a point: a pick lands on the cylinder, not on its facet."""
    near = placed.shape.nearest(placed.pose.inverse().point(checks.point("project_to_surface", "point", point)))
    return SurfacePoint(near.distance, placed.pose.point(near.point), placed.pose.direction(near.normal))
