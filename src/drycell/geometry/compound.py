"""Compounds: several shapes that form one solid, and rods made of capsules."""

import hashlib
from functools import cached_property
from pathlib import Path

import numpy as np

from drycell.base import Array, GeometryError, InvalidThing, Pose, Position, Problem, Size, Vector, align_z
from drycell.geometry import mass
from drycell.geometry.mass import Faces, MassProperties
from drycell.geometry.placed import Extent, Piece
from drycell.geometry.primitives import Capsule, Primitive
from drycell.geometry.shape import Ball, Bounds, RayHit, Shape, ShapeModel, SurfacePoint, box_balls

_MOST_BALLS = 16


class Compound(Shape, kw_only=False):
    """A rigid union of shapes at poses, such as a robot's link.

    Parts may overlap. Volume and mass then count the overlap once per part (``merge`` gives the exact union). For a
    point inside, the nearest surface is that of the part in which it is deepest.

    >>> from drycell import Box, Pose, Sphere, mm
    >>> from drycell.geometry import Compound
    >>> pin = Compound(((Pose(), Box(40*mm, 40*mm, 10*mm)), (Pose(z=15*mm), Sphere(10*mm))))
    >>> [round(value / mm) for value in pin.bounds[1]]
    [20, 20, 25]
    """

    parts: tuple[tuple[Pose, Shape], ...]
    """Shapes with their poses in the frame of the whole."""

    def __post_init__(self) -> None:
        listed = tuple((pose, shape) for pose, shape in self.parts)
        if not listed:
            raise GeometryError("compound: the list of parts is empty", hint="give at least one (pose, shape) pair")
        object.__setattr__(self, "parts", listed)

    @cached_property
    def key(self) -> str:
        """A digest of the parts and their poses."""
        text = "\n".join(f"{pose.rows!r} {shape.key}" for pose, shape in self.parts)
        return "compound " + hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def bounds(self) -> Bounds:
        """The tight bounding box of all parts."""
        corners = [_turned_bounds(pose, shape) for pose, shape in self.parts]
        lower = np.min([low for low, _ in corners], axis=0).tolist()
        upper = np.max([high for _, high in corners], axis=0).tolist()
        return (lower[0], lower[1], lower[2]), (upper[0], upper[1], upper[2])

    @cached_property
    def sphere(self) -> Ball:
        """A sphere about the middle of the box that encloses the bounding spheres of the parts."""
        lower, upper = self.bounds
        centre = tuple(0.5 * (low + high) for low, high in zip(lower, upper, strict=True))
        balls = [(pose.point(c), r) for pose, shape in self.parts for c, r in (shape.sphere,)]
        reach = max(float(np.linalg.norm(np.subtract(c, centre))) + r for c, r in balls)
        corner = 0.5 * float(np.linalg.norm(np.subtract(upper, lower)))
        return (centre[0], centre[1], centre[2]), min(reach, corner) * (1 + 1e-12)

    @cached_property
    def mass_properties(self) -> MassProperties:
        """The sum over the parts."""
        return mass.of_parts(shape.mass_properties.moved(pose) for pose, shape in self.parts)

    def spheres(self) -> tuple[Ball, ...]:
        """The spheres of the parts: the fine ones if there are few, else one per part, else cells of the box."""
        fine = tuple((pose.point(c), r) for pose, shape in self.parts for c, r in shape.spheres())
        coarse = tuple((pose.point(c), r) for pose, shape in self.parts for c, r in (shape.sphere,))
        for balls in (fine, coarse):
            if len(balls) <= _MOST_BALLS:
                return balls
        return box_balls(self.bounds)

    def triangles(self, deviation: float | None = None) -> tuple[Array, Faces]:
        """The surfaces of all parts in one list."""
        vertices, faces, start = [], [], 0
        for pose, shape in self.parts:
            points, corners = shape.triangles(deviation)
            vertices.append(points @ pose.rotation.T + pose.translation)
            faces.append(corners + start)
            start += len(points)
        return np.concatenate(vertices), np.concatenate(faces)

    def nearest(self, point: Vector) -> SurfacePoint:
        """The nearest point of any part; for a point inside, on the part in which it is deepest."""
        return min((_moved(pose, shape.nearest(pose.inverse().point(point))) for pose, shape in self.parts), key=_gap)

    def true_nearest(self, point: Vector) -> SurfacePoint:
        """The nearest point on the exact surfaces of parts that are merged meshes."""
        found = (_moved(pose, shape.true_nearest(pose.inverse().point(point))) for pose, shape in self.parts)
        return min(found, key=_gap)

    def ray(self, origin: Vector, direction: Vector, reach: float) -> RayHit | None:
        """The first hit on any part."""
        best: RayHit | None = None
        (x, y, z), (u, v, w) = origin, direction
        for pose, shape, back, (cx, cy, cz), square in self._culled:
            cx, cy, cz = cx - x, cy - y, cz - z
            along = cx * u + cy * v + cz * w
            if cx * cx + cy * cy + cz * cz - along * along > square:
                continue  # the line misses the bounding sphere of the part
            hit = shape.ray(back.point(origin), back.direction(direction), reach)
            if hit is not None and (best is None or hit.distance < best.distance or hit.inside):
                best = RayHit(hit.distance, pose.direction(hit.normal), hit.inside)
                reach = hit.distance
        return best

    @cached_property
    def _culled(self) -> list[tuple[Pose, Shape, Pose, Vector, float]]:
        """Each part with the inverse of its pose and its bounding sphere, slightly enlarged."""
        return [
            (pose, shape, pose.inverse(), pose.point(shape.sphere[0]), (shape.sphere[1] + 1e-6) ** 2)
            for pose, shape in self.parts
        ]

    def contains(self, point: Vector) -> bool:
        """Whether any part contains the point."""
        return any(shape.contains(pose.inverse().point(point)) for pose, shape in self.parts)

    def build_pieces(self) -> tuple[Piece, ...]:
        """The pieces of all parts."""
        return tuple(piece.at(pose) for pose, shape in self.parts for piece in shape.pieces())


def _moved(pose: Pose, near: SurfacePoint) -> SurfacePoint:
    return SurfacePoint(near.distance, pose.point(near.point), pose.direction(near.normal))


def _gap(near: SurfacePoint) -> float:
    return near.distance


def _turned_bounds(pose: Pose, shape: Shape) -> Bounds:
    """The bounding box along the outer axes, from the extents of the shape or of its pieces."""
    extents: list[tuple[Extent, Pose]]
    if isinstance(shape, Primitive):
        extents = [(shape.extent, pose)]  # exact, whereas the piece of a frustum has facets
    else:
        extents = [(piece.core.extent, pose @ piece.pose) for piece in shape.pieces()]
    upper = [max(_along(extent, X, k, 1.0) for extent, X in extents) for k in range(3)]
    lower = [-max(_along(extent, X, k, -1.0) for extent, X in extents) for k in range(3)]
    return (lower[0], lower[1], lower[2]), (upper[0], upper[1], upper[2])


def _along(extent: Extent, pose: Pose, axis: int, sign: float) -> float:
    """The extent of a part at a pose along an axis of the compound, from its origin."""
    u, v, w, shift = pose.rows[4 * axis : 4 * axis + 4]
    return extent(sign * u, sign * v, sign * w) + sign * shift


class Rod(ShapeModel, kind="rod", kw_only=False):
    """A round bar with rounded ends between two points."""

    radius: Size
    """Radius."""
    start: Position
    """Centre of one end."""
    end: Position
    """Centre of the other end."""

    def solid(self, folder: Path) -> Shape:
        """The capsule between the two points."""
        return Compound((self.placed(folder),))

    def placed(self, folder: Path) -> tuple[Pose, Shape]:
        """The capsule and its pose."""
        along = [b - a for a, b in zip(self.start, self.end, strict=True)]
        length = sum(v * v for v in along) ** 0.5
        if length == 0.0:
            raise InvalidThing(Rod, [Problem(("rod",), "start and end are the same point", "use a sphere")])
        middle = [(a + b) / 2.0 for a, b in zip(self.start, self.end, strict=True)]
        return align_z(along, middle), Capsule(self.radius, length)
