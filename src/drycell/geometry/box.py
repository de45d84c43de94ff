"""Box: three side lengths."""

import math
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import Array, Size, Vector
from drycell.geometry import checks
from drycell.geometry.mass import Faces, MassProperties
from drycell.geometry.piece import MILLI
from drycell.geometry.primitive import Primitive, Span
from drycell.geometry.shape import Ball, Bounds, SurfacePoint, content

if TYPE_CHECKING:
    import coal

# Corner k of a box has sign bits z, y, x of k; two triangles a side, counter-clockwise seen from outside.
_CORNERS = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
_UPWARD: Final = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_DOWNWARD: Final = ((-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))
_SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


class Box(
    Primitive,
    kind="box",
    compact=True,
    kw_only=False,
    icon="check_box_outline_blank",
    example={"x": "100 mm", "y": "100 mm", "z": "100 mm"},
):
    """A cuboid with sides x, y, z about its centre."""

    x: Size
    """Side along x."""
    y: Size
    """Side along y."""
    z: Size
    """Side along z."""

    def __post_init__(self) -> None:
        for name in ("x", "y", "z"):
            object.__setattr__(self, name, checks.size("box", name, getattr(self, name)))

    @cached_property
    def key(self) -> str:
        """Kind and sides."""
        return content("box", self.x, self.y, self.z)

    @cached_property
    def half(self) -> Vector:
        """Half the sides."""
        return (self.x / 2, self.y / 2, self.z / 2)

    @cached_property
    def bounds(self) -> Bounds:
        """The box itself."""
        a, b, c = self.half
        return (-a, -b, -c), (a, b, c)

    @cached_property
    def sphere(self) -> Ball:
        """Through the corners."""
        return (0.0, 0.0, 0.0), math.hypot(*self.half)

    @cached_property
    def mass_properties(self) -> MassProperties:
        """The textbook cuboid."""
        x, y, z = self.x, self.y, self.z
        volume = x * y * z
        k = volume / 12
        return MassProperties.diagonal(volume, k * (y * y + z * z), k * (x * x + z * z), k * (x * x + y * y))

    def triangles(self, deviation: float | None = None) -> tuple[Array, Faces]:
        """Eight corners, twelve triangles."""
        vertices = np.array(_CORNERS) * (self.x, self.y, self.z)
        faces = [t for a, b, c, d in _SIDES for t in ((a, b, c), (a, c, d))]
        return vertices, np.array(faces, dtype=np.int64)

    def extent(self, u: float, v: float, w: float) -> float:
        """To the corner on that side."""
        a, b, c = self.half
        return a * abs(u) + b * abs(v) + c * abs(w)

    def nearest(self, point: Vector) -> SurfacePoint:
        """On the nearest side, edge or corner."""
        gaps = [abs(p) - h for p, h in zip(point, self.half, strict=True)]
        signs = [math.copysign(1.0, p) for p in point]
        if max(gaps) <= 0.0:
            axis = gaps.index(max(gaps))
            on, normal = list(point), [0.0, 0.0, 0.0]
            on[axis], normal[axis] = signs[axis] * self.half[axis], signs[axis]
            return SurfacePoint(gaps[axis], (on[0], on[1], on[2]), (normal[0], normal[1], normal[2]))
        x, y, z = (max(-h, min(h, p)) for p, h in zip(point, self.half, strict=True))
        away = [s * max(g, 0.0) for s, g in zip(signs, gaps, strict=True)]
        length = math.hypot(*away)
        return SurfacePoint(length, (x, y, z), (away[0] / length, away[1] / length, away[2] / length))

    def trace(self, origin: Vector, direction: Vector, grow: float) -> Span | None:
        """Slab by slab."""
        # Written out side by side: sensors ask this more often than anything else.
        a, b, c = self.half
        x, y, z = origin
        u, v, w = direction
        near, far, normal = -math.inf, math.inf, _UPWARD[0]
        if u > 1e-15 or u < -1e-15:
            middle = -x / u
            span = (a + grow) / u
            if u > 0.0:
                near, far, normal = middle - span, middle + span, _DOWNWARD[0]
            else:
                near, far = middle + span, middle - span
        elif abs(x) > a + grow:
            return None
        if v > 1e-15 or v < -1e-15:
            middle = -y / v
            span = (b + grow) / v
            if v > 0.0:
                enter, leave, side = middle - span, middle + span, _DOWNWARD[1]
            else:
                enter, leave, side = middle + span, middle - span, _UPWARD[1]
            if enter > near:
                near, normal = enter, side
            if leave < far:
                far = leave
            if near > far:
                return None
        elif abs(y) > b + grow:
            return None
        if w > 1e-15 or w < -1e-15:
            middle = -z / w
            span = (c + grow) / w
            if w > 0.0:
                enter, leave, side = middle - span, middle + span, _DOWNWARD[2]
            else:
                enter, leave, side = middle + span, middle - span, _UPWARD[2]
            if enter > near:
                near, normal = enter, side
            if leave < far:
                far = leave
            if near > far:
                return None
        elif abs(z) > c + grow:
            return None
        return near, far, normal

    def coal_geometry(self) -> "coal.CollisionGeometry":
        """For coal."""
        import coal

        return coal.Box(self.x * MILLI, self.y * MILLI, self.z * MILLI)
