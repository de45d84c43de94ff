"""Regions of the plane: level sections of solids, and the places where an outline fits among others (find-space).

A place is where the origin of the outline may be, at the orientation it has. Round outlines are polygons.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import Pose
from drycell.geometry.outline import Point, Polygon, inside_outline, minkowski_sum, nearest_on_outline
from drycell.geometry.primitives import Box
from drycell.geometry.shape import Shape
from drycell.geometry.solid import placed, solid_of

if TYPE_CHECKING:
    import manifold3d

_MILLI: Final = 1e3  # manifold3d rounds coordinates; in millimetres it rounds far below a nanometre
_LEVEL: Final = 1e-9


class PlaneRegion:
    """A bounded set of points in the plane, perhaps in several pieces and with holes. Lengths in metres."""

    def __init__(self, section: "manifold3d.CrossSection") -> None:
        self._section = section

    @classmethod
    def of(cls, *outlines: Polygon) -> "PlaneRegion":
        """The union of convex outlines, counter-clockwise."""
        import manifold3d

        made = [manifold3d.CrossSection([np.array(each) * _MILLI]) for each in outlines if len(each) > 2]
        return cls(manifold3d.CrossSection.batch_boolean(made, manifold3d.OpType.Add))

    @cached_property
    def rings(self) -> tuple[Polygon, ...]:
        """Its boundary: outer rings counter-clockwise, holes clockwise."""
        return tuple(tuple((x / _MILLI, y / _MILLI) for x, y in ring.tolist()) for ring in self._section.to_polygons())

    @property
    def empty(self) -> bool:
        """Whether it has no points."""
        return not self.rings

    @property
    def area(self) -> float:
        """Its area in m²."""
        return float(self._section.area()) / _MILLI / _MILLI

    def __add__(self, other: "PlaneRegion") -> "PlaneRegion":
        return PlaneRegion(self._section + other._section)

    def __sub__(self, other: "PlaneRegion") -> "PlaneRegion":
        return PlaneRegion(self._section - other._section)

    def __and__(self, other: "PlaneRegion") -> "PlaneRegion":
        return PlaneRegion(self._section ^ other._section)

    def contains(self, point: Point) -> bool:
        """Return whether a point is inside."""
        x, y = point
        inside = False
        for ring in self.rings:
            ax, ay = ring[-1]
            for bx, by in ring:
                if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
                    inside = not inside
                ax, ay = bx, by
        return inside

    def nearest(self, point: Point) -> Point:
        """Return the nearest point of its boundary."""
        found = [nearest_on_outline(ring, point) for ring in self.rings]
        x, y = point
        return min(found, key=lambda at: (at[0] - x) * (at[0] - x) + (at[1] - y) * (at[1] - y))

    def shrunk(self, own: Polygon) -> "PlaneRegion":
        """Return the places at which an outline lies completely inside.

        Args:
            own: The convex outline, about its origin. If the origin is outside it, its own shift is allowed for.
        """
        import manifold3d

        (cx, cy) = (sum(p[k] for p in own) / len(own) for k in (0, 1))
        back: Polygon = tuple((cx - x, cy - y) for x, y in own)  # mirrored about a point inside
        edges = [
            minkowski_sum((a, b), back) for ring in self.rings for a, b in zip(ring, ring[1:] + ring[:1], strict=True)
        ]
        kept = self._section - PlaneRegion.of(*edges)._section
        return PlaneRegion(manifold3d.CrossSection.translate(kept, (-cx * _MILLI, -cy * _MILLI)))

    def clear_of(self, others: Iterable[Polygon], own: Polygon) -> "PlaneRegion":
        """Return the places at which an outline overlaps none of the others; it may touch them.

        Args:
            others: Convex outlines.
            own: The convex outline, about its origin.
        """
        mirrored: Polygon = tuple((-x, -y) for x, y in own)
        sums = [minkowski_sum(each, mirrored) for each in others]
        return self - PlaneRegion.of(*sums) if sums else self


def level_section(shape: Shape, pose: Pose, height: float) -> PlaneRegion:
    """Return the section of a solid with a level plane.

    Args:
        shape: The solid.
        pose: Its pose; z is up.
        height: The height of the plane.

    Raises:
        GeometryError: The shape is not closed.
    """
    if isinstance(shape, Box):
        upright = _upright_box(shape, pose, height)
        if upright is not None:
            return upright
    return PlaneRegion(placed(solid_of(shape), pose).slice(height).scale((_MILLI, _MILLI)))


def _upright_box(box: Box, pose: Pose, height: float) -> PlaneRegion | None:
    """The section of a box with a vertical axis, without the detour over triangles."""
    a, b, c, x, d, e, f, y, g, h, i, z = pose.rows
    for axis, up in enumerate((g, h, i)):
        if abs(abs(up) - 1.0) < _LEVEL:
            half = box.half
            if abs(height - z) > half[axis]:
                return PlaneRegion.of()
            columns = ((a, d), (b, e), (c, f))
            (px, py), (qx, qy) = ((columns[k][0] * half[k], columns[k][1] * half[k]) for k in range(3) if k != axis)
            if px * qy - py * qx < 0.0:
                qx, qy = -qx, -qy
            corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
            return PlaneRegion.of(tuple((x + m * px + n * qx, y + m * py + n * qy) for m, n in corners))
    return None


def free_place(surface: PlaneRegion, others: Iterable[Polygon], own: Polygon, wanted: Point) -> Point | None:
    """Return the place nearest to a wanted one at which an outline lies on a surface and overlaps no other.

    >>> from drycell.geometry import PlaneRegion, free_place
    >>> square = ((-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1))
    >>> tray = PlaneRegion.of(tuple((3 * x, y) for x, y in square))
    >>> x, y = free_place(tray, [square], square, (0.05, 0.0))
    >>> round(x, 6)
    0.2

    Args:
        surface: The surface.
        others: Convex outlines of what lies on it.
        own: The convex outline that needs a place, about its origin. It is not turned.
        wanted: Where its origin should be.

    Returns:
        The place, or None if no space is left. It is the wanted place if that is free.
    """
    listed = list(others)
    room = surface.shrunk(own)
    if room.contains(wanted):
        x, y = wanted
        mirrored: Polygon = tuple((-px, -py) for px, py in own)
        if not any(inside_outline(minkowski_sum(each, mirrored), (x, y), -1e-9) for each in listed):
            return wanted
    free = room.clear_of(listed, own)
    return None if free.empty else free.nearest(wanted)
