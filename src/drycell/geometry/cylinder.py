"""Cylinder: radius and length, along z."""

import math
from functools import cached_property
from typing import TYPE_CHECKING

from drycell.base import Array, Size, Vector
from drycell.geometry import checks, faceting, frustum
from drycell.geometry.mass import Faces, MassProperties
from drycell.geometry.piece import MILLI
from drycell.geometry.primitive import Primitive, Span
from drycell.geometry.shape import Ball, Bounds, SurfacePoint, content

if TYPE_CHECKING:
    import coal


class Cylinder(
    Primitive,
    kind="cylinder",
    kw_only=False,
    icon="database",
    example={"radius": "50 mm", "length": "100 mm"},
):
    """A round bar along z, about its middle."""

    radius: Size
    """Radius."""
    length: Size
    """Length along z."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", checks.size("cylinder", "radius", self.radius))
        object.__setattr__(self, "length", checks.size("cylinder", "length", self.length))

    @cached_property
    def key(self) -> str:
        """Kind, radius and length."""
        return content("cylinder", self.radius, self.length)

    @cached_property
    def bounds(self) -> Bounds:
        """A square bar round it."""
        r, h = self.radius, self.length / 2
        return (-r, -r, -h), (r, r, h)

    @cached_property
    def sphere(self) -> Ball:
        """Through both rims."""
        return (0.0, 0.0, 0.0), math.hypot(self.radius, self.length / 2)

    @cached_property
    def mass_properties(self) -> MassProperties:
        """The textbook cylinder."""
        volume = math.pi * self.radius**2 * self.length
        across = volume * (3 * self.radius**2 + self.length**2) / 12
        return MassProperties.diagonal(volume, across, across, volume * self.radius**2 / 2)

    def spheres(self) -> tuple[Ball, ...]:
        """Round slices about as high as wide."""
        return frustum.balls(self.radius, self.radius, self.length / 2)

    def triangles(self, deviation: float | None = None) -> tuple[Array, Faces]:
        """A regular prism with its edges on the mantle."""
        profile = [(self.radius, -self.length / 2), (self.radius, self.length / 2)]
        return faceting.revolve(profile, faceting.segments(self.radius, deviation))

    def extent(self, u: float, v: float, w: float) -> float:
        """To the rim on that side."""
        return self.radius * math.sqrt(u * u + v * v) + 0.5 * self.length * abs(w)

    def nearest(self, point: Vector) -> SurfacePoint:
        """On the mantle or a lid."""
        return frustum.nearest(self.radius, self.radius, self.length / 2, point)

    def trace(self, origin: Vector, direction: Vector, grow: float) -> Span | None:
        """Between the lids, within the mantle."""
        return bar_span(self.radius + grow, 0.5 * self.length + grow, origin, direction)

    def coal_geometry(self) -> "coal.CollisionGeometry":
        """For coal."""
        import coal

        return coal.Cylinder(self.radius * MILLI, self.length * MILLI)


def bar_span(radius: float, half: float, origin: Vector, direction: Vector) -> Span | None:
    """Where a line runs through a round bar along z: a frustum's form, made short because sensors ask it so often."""
    x, y, z = origin
    u, v, w = direction
    square = u * u + v * v
    if square > 1e-24:
        closest = -(x * u + y * v) / square
        a, b = x + closest * u, y + closest * v
        rest = (radius * radius - a * a - b * b) / square
        if rest < 0.0:
            return None
        root = math.sqrt(rest)
        near, far = closest - root, closest + root
        mantle = True
    else:
        if x * x + y * y > radius * radius:
            return None
        near, far, mantle = -math.inf, math.inf, False
    if -1e-15 < w < 1e-15:
        if abs(z) > half:
            return None
    else:
        middle, span = -z / w, abs(half / w)
        if middle - span > near:
            near, mantle = middle - span, False
        if middle + span < far:
            far = middle + span
    if near > far:
        return None
    if mantle:
        return near, far, ((x + near * u) / radius, (y + near * v) / radius, 0.0)
    return near, far, (0.0, 0.0, -1.0 if w > 0.0 else 1.0)
