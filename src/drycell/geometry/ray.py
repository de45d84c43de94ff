"""Rays and picks: what a line, or a point, meets on the true surface of placed bodies."""

import math

from drycell.geometry import checks
from drycell.geometry.placed import Placed
from drycell.geometry.shape import RayHit, SurfacePoint
from drycell.spatial import Vector


def ray(placed: Placed, origin: Vector, direction: Vector, reach: float = math.inf) -> RayHit | None:
    """The first hit of a ray on a body, or nothing within reach.

    Primitives are met on their true surface, not on facets. Passing within 1 nm touches, and touching counts. A ray
    that starts inside is blocked at once (distance 0); one that starts on the surface and leaves does not meet it.
    """
    return local_ray(
        placed, checks.point("ray", "origin", origin), checks.direction("ray", "direction", direction), reach
    )


def local_ray(placed: Placed, origin: Vector, direction: Vector, reach: float) -> RayHit | None:
    """The same, unchecked: for those who cast many. ``direction`` has length 1."""
    a, b, c, x, d, e, f, y, g, h, i, z = placed.pose.rows
    p, q, r = origin[0] - x, origin[1] - y, origin[2] - z
    u, v, w = direction
    hit = placed.shape.ray(
        (a * p + d * q + g * r, b * p + e * q + h * r, c * p + f * q + i * r),
        (a * u + d * v + g * w, b * u + e * v + h * w, c * u + f * v + i * w),
        reach,
    )
    if hit is None:
        return None
    u, v, w = hit.normal
    return RayHit(hit.distance, (a * u + b * v + c * w, d * u + e * v + f * w, g * u + h * v + i * w), hit.inside)


def project_to_surface(placed: Placed, point: Vector) -> SurfacePoint:
    """The point of a body's true surface nearest to a point: a pick lands on the cylinder, not on its facet."""
    near = placed.shape.nearest(placed.pose.inverse().point(checks.point("project_to_surface", "point", point)))
    return SurfacePoint(near.distance, placed.pose.point(near.point), placed.pose.direction(near.normal))
