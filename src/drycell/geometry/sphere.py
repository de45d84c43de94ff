"""Sphere: a radius."""

import math
from functools import cached_property
from typing import TYPE_CHECKING

from drycell.base import Array, Size, Vector
from drycell.geometry import checks, faceting
from drycell.geometry.mass import Faces, MassProperties
from drycell.geometry.piece import MILLI
from drycell.geometry.primitive import Primitive, Span
from drycell.geometry.shape import Ball, Bounds, SurfacePoint, content

if TYPE_CHECKING:
    import coal


class Sphere(Primitive, kind="sphere", compact=True, kw_only=False, icon="circle", example={"radius": "50 mm"}):
    """A ball about its centre."""

    radius: Size
    """Radius."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", checks.size("sphere", "radius", self.radius))

    @cached_property
    def key(self) -> str:
        """Kind and radius."""
        return content("sphere", self.radius)

    @cached_property
    def bounds(self) -> Bounds:
        """A cube round it."""
        r = self.radius
        return (-r, -r, -r), (r, r, r)

    @cached_property
    def sphere(self) -> Ball:
        """Itself."""
        return (0.0, 0.0, 0.0), self.radius

    @cached_property
    def mass_properties(self) -> MassProperties:
        """The textbook ball."""
        volume = 4 / 3 * math.pi * self.radius**3
        moment = 0.4 * volume * self.radius**2
        return MassProperties.diagonal(volume, moment, moment, moment)

    def triangles(self, deviation: float | None = None) -> tuple[Array, Faces]:
        """Rings of latitude."""
        count = faceting.segments(self.radius, deviation and 0.5 * deviation)  # a quad sags along both of its sides
        return faceting.revolve(faceting.ball_profile(self.radius, count, 0.0), count)

    def extent(self, u: float, v: float, w: float) -> float:
        """The radius, whatever the direction."""
        return self.radius * math.sqrt(u * u + v * v + w * w)

    def nearest(self, point: Vector) -> SurfacePoint:
        """Straight out from the centre; from the centre itself, up."""
        x, y, z = point
        length = math.sqrt(x * x + y * y + z * z)
        n = (x / length, y / length, z / length) if length > 1e-15 else (0.0, 0.0, 1.0)
        return SurfacePoint(length - self.radius, (n[0] * self.radius, n[1] * self.radius, n[2] * self.radius), n)

    def trace(self, origin: Vector, direction: Vector, grow: float) -> Span | None:
        """From the line's closest approach to the centre."""
        return ball_span(origin, direction, self.radius + grow)

    def coal_geometry(self) -> "coal.CollisionGeometry":
        """For coal."""
        import coal

        return coal.Sphere(self.radius * MILLI)


def ball_span(origin: Vector, direction: Vector, radius: float) -> Span | None:
    """Where a line runs through a ball about (0, 0, 0)."""
    x, y, z = origin
    u, v, w = direction
    closest = -(x * u + y * v + z * w)
    a, b, c = x + closest * u, y + closest * v, z + closest * w
    rest = radius * radius - (a * a + b * b + c * c)
    if rest < 0.0:
        return None
    half = math.sqrt(rest)
    return closest - half, closest + half, ((a - half * u) / radius, (b - half * v) / radius, (c - half * w) / radius)
