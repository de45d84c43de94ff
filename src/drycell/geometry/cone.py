"""Cone: radius, length and, for a frustum, the radius on top; along z."""

import math
from functools import cached_property
from typing import TYPE_CHECKING, Final

from drycell.base import Array, GeometryError, NoLess, Pose, Size, Vector
from drycell.geometry import checks, faceting, frustum
from drycell.geometry.mass import Faces, MassProperties
from drycell.geometry.piece import MILLI, Core, Piece, polytope
from drycell.geometry.primitive import Primitive, Span
from drycell.geometry.shape import Ball, Bounds, SurfacePoint, content

if TYPE_CHECKING:
    import coal

FRUSTUM_DEVIATION: Final = 1e-5  # metres: coal has no frustum, so distances to one are to facets this near the truth
_UPSIDE_DOWN: Final = Pose.of_rows((1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0))


class Cone(
    Primitive,
    kind="cone",
    compact=True,
    icon="change_history",
    example={"radius": "50 mm", "length": "100 mm"},
    kw_only=False,
    was={"top": "write 'top_radius'", "half_angle": "a sensor's beam is written beam: {length: …, half_angle: …}"},
):
    """A cone along z about its middle: ``radius`` at the bottom, ``top_radius`` (0 for a point) on top.

    Rays, nearest points and mass are those of the true cone. Distances between a frustum and other bodies are taken to
    an inscribed polyhedron within 0.01 mm of it.
    """

    radius: NoLess
    """Radius at the bottom."""
    length: Size
    """Length along z."""
    top_radius: NoLess = 0.0
    """Radius at the top; 0 for a point."""

    def __post_init__(self) -> None:
        if self.radius == 0 and self.top_radius == 0:
            raise GeometryError("cone: 'radius' and 'top_radius' are both 0", hint="write for example radius: 10 mm")
        object.__setattr__(self, "radius", checks.size("cone", "radius", self.radius, zero=self.top_radius > 0))
        object.__setattr__(self, "length", checks.size("cone", "length", self.length))
        object.__setattr__(self, "top_radius", checks.size("cone", "top_radius", self.top_radius, zero=True))

    @cached_property
    def key(self) -> str:
        """Kind, radii and length."""
        return content("cone", self.radius, self.length, self.top_radius)

    @cached_property
    def bounds(self) -> Bounds:
        """A square bar round it."""
        r, h = max(self.radius, self.top_radius), self.length / 2
        return (-r, -r, -h), (r, r, h)

    @cached_property
    def sphere(self) -> Ball:
        """Through both rims, or about the larger one."""
        return frustum.ball(self.radius, self.top_radius, self.length / 2)

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Closed forms of a frustum."""
        return frustum.mass_properties(self.radius, self.top_radius, self.length / 2)

    def spheres(self) -> tuple[Ball, ...]:
        """Round slices about as high as wide."""
        return frustum.balls(self.radius, self.top_radius, self.length / 2)

    def triangles(self, deviation: float | None = None) -> tuple[Array, Faces]:
        """A pyramid with its edges on the mantle."""
        profile = [(self.radius, -self.length / 2), (self.top_radius, self.length / 2)]
        return faceting.revolve(profile, faceting.segments(max(self.radius, self.top_radius), deviation))

    def extent(self, u: float, v: float, w: float) -> float:
        """To the rim on that side, or the point."""
        across, up = math.sqrt(u * u + v * v), 0.5 * self.length * w
        return max(self.radius * across - up, self.top_radius * across + up)

    def nearest(self, point: Vector) -> SurfacePoint:
        """On the mantle or a lid."""
        return frustum.nearest(self.radius, self.top_radius, self.length / 2, point)

    def trace(self, origin: Vector, direction: Vector, grow: float) -> Span | None:
        """Between the lids, within the mantle."""
        wider = grow * math.hypot(1.0, (self.top_radius - self.radius) / self.length)
        tilt = grow * (self.top_radius - self.radius) / self.length  # the lids move out, and the mantle goes on
        low, high = self.radius + wider - tilt, self.top_radius + wider + tilt
        return frustum.trace(low, high, self.length / 2 + grow, origin, direction)

    def build_pieces(self) -> tuple[Piece, ...]:
        """A cone as coal knows it, upright or upside down, or a finely faceted frustum."""
        if self.top_radius == 0.0:
            return super().build_pieces()
        if self.radius == 0.0:
            return tuple(piece.at(_UPSIDE_DOWN) for piece in Cone(self.top_radius, self.length).pieces())
        hull = polytope(*self.triangles(FRUSTUM_DEVIATION))
        return (Piece(Core(hull.geometry, hull.extent, self.sphere)),)

    def coal_geometry(self) -> "coal.CollisionGeometry":
        """For coal."""
        import coal

        return coal.Cone(self.radius * MILLI, self.length * MILLI)
