"""Capsule: a bar with round ends, along z."""

import math
from functools import cached_property
from typing import TYPE_CHECKING

from drycell.base import Array, NoLess, Size, Vector
from drycell.geometry import checks, faceting, frustum
from drycell.geometry.cylinder import bar_span
from drycell.geometry.mass import Faces, MassProperties
from drycell.geometry.piece import MILLI
from drycell.geometry.primitive import Primitive, Span
from drycell.geometry.shape import Ball, Bounds, SurfacePoint, content
from drycell.geometry.sphere import ball_span

if TYPE_CHECKING:
    import coal


class Capsule(
    Primitive,
    kind="capsule",
    kw_only=False,
    icon="medication",
    example={"radius": "25 mm", "length": "100 mm"},
):
    """All points within ``radius`` of a stretch of the z axis of ``length`` about the origin.

    ``length`` is that of the cylindrical part: the whole capsule is ``length + 2*radius`` long.
    """

    radius: Size
    """Radius."""
    length: NoLess
    """Length of the cylindrical part along z."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", checks.size("capsule", "radius", self.radius))
        object.__setattr__(self, "length", checks.size("capsule", "length", self.length, zero=True))

    @cached_property
    def key(self) -> str:
        """Kind, radius and length."""
        return content("capsule", self.radius, self.length)

    @cached_property
    def bounds(self) -> Bounds:
        """A square bar round it."""
        r, h = self.radius, self.length / 2 + self.radius
        return (-r, -r, -h), (r, r, h)

    @cached_property
    def sphere(self) -> Ball:
        """Touching both ends."""
        return (0.0, 0.0, 0.0), self.length / 2 + self.radius

    @cached_property
    def mass_properties(self) -> MassProperties:
        """A cylinder and two half balls."""
        r, length = self.radius, self.length
        bar, ends = math.pi * r * r * length, 4 / 3 * math.pi * r**3
        across = bar * (length**2 / 12 + r * r / 4) + ends * (0.4 * r * r + length**2 / 4 + 3 / 8 * length * r)
        return MassProperties.diagonal(bar + ends, across, across, r * r * (bar / 2 + 0.4 * ends))

    def spheres(self) -> tuple[Ball, ...]:
        """Round slices about as high as wide."""
        slices = frustum.balls(self.radius, self.radius, self.length / 2 + self.radius)
        return slices if len(slices) > 1 else (self.sphere,)

    def triangles(self, deviation: float | None = None) -> tuple[Array, Faces]:
        """Rings of latitude, pulled apart at the equator."""
        count = faceting.segments(self.radius, deviation and 0.5 * deviation)
        return faceting.revolve(faceting.ball_profile(self.radius, count, self.length / 2), count)

    def extent(self, u: float, v: float, w: float) -> float:
        """Along the axis, then out by the radius."""
        return self.radius * math.sqrt(u * u + v * v + w * w) + 0.5 * self.length * abs(w)

    def nearest(self, point: Vector) -> SurfacePoint:
        """Straight out from the axis."""
        x, y, z = point
        h, r = self.length / 2, self.radius
        foot = max(-h, min(h, z))
        up = z - foot
        length = math.sqrt(x * x + y * y + up * up)
        n = (x / length, y / length, up / length) if length > 1e-15 else (1.0, 0.0, 0.0)
        return SurfacePoint(length - r, (n[0] * r, n[1] * r, n[2] * r + foot), n)

    def trace(self, origin: Vector, direction: Vector, grow: float) -> Span | None:
        """The union of the bar and the two balls, which is convex."""
        x, y, z = origin
        h, r = self.length / 2, self.radius + grow
        spans = [ball_span((x, y, z - h), direction, r), ball_span((x, y, z + h), direction, r)]
        if h > 0.0:
            spans.append(bar_span(r, h, origin, direction))
        found = [span for span in spans if span is not None]
        if not found:
            return None
        near, _, normal = min(found, key=lambda span: span[0])
        return near, max(span[1] for span in found), normal

    def coal_geometry(self) -> "coal.CollisionGeometry":
        """For coal."""
        import coal

        return coal.Capsule(self.radius * MILLI, self.length * MILLI)
