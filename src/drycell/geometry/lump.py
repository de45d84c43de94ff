"""Lumps: the convex pieces a solid is made of, each asked about many points at once.

Simplifying a solid and measuring how close two solids are need the same few answers of every piece, whatever its kind:
how far it reaches, which points its hull is spanned by, and which of its points is nearest to each of a column of
points.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from drycell.base import IDENTITY, Array, Pose
from drycell.geometry import convex, faceting
from drycell.geometry.box import Box
from drycell.geometry.capsule import Capsule
from drycell.geometry.compound import Compound
from drycell.geometry.cone import Cone
from drycell.geometry.cylinder import Cylinder
from drycell.geometry.feet import ball_feet, frustum_feet, triangle_feet
from drycell.geometry.mass import Faces
from drycell.geometry.mesh import Mesh
from drycell.geometry.polyhedron import Polyhedron
from drycell.geometry.primitive import Primitive
from drycell.geometry.shape import Shape
from drycell.geometry.sphere import Sphere

BAR_SIDES: Final = 64  # of the prism round a round bar: it stands out by 0.12 % of the radius
BALL_SIDES: Final = 48  # of the polyhedron round a ball: it stands out by 0.43 % of the radius


@dataclass(frozen=True, eq=False)
class Lump:
    """A convex solid at a pose: a primitive, or a convex polyhedron."""

    pose: Pose
    shape: Shape

    @property
    def convex(self) -> bool:
        """Whether it is convex: every lump is."""
        return True

    @cached_property
    def _turn(self) -> Array:
        return self.pose.rotation

    @cached_property
    def hull(self) -> tuple[Array, Faces]:
        """Corners and triangles of a polyhedron that holds the lump: itself, or facets round what is round."""
        points, faces = _hull(self.shape)
        return points @ self._turn.T + self.pose.translation, faces

    @property
    def overshoot(self) -> float:
        """How far :attr:`hull` stands out of a round lump at most."""
        shape = self.shape
        if isinstance(shape, Sphere | Capsule):
            return shape.radius * (1.0 / math.cos(math.pi / BALL_SIDES) ** 2 - 1.0)
        if isinstance(shape, Cylinder | Cone):
            radius = max(shape.radius, shape.top_radius) if isinstance(shape, Cone) else shape.radius
            return radius * (1.0 / math.cos(math.pi / BAR_SIDES) - 1.0)
        return 0.0

    @property
    def labour(self) -> float:
        """What :meth:`feet` costs a point, a primitive's being 1."""
        return 1.0 + len(self.shape.triangles()[1]) / 25.0 if isinstance(self.shape, Polyhedron) else 1.0

    @property
    def corners(self) -> Array:
        """The corners of :attr:`hull`."""
        return self.hull[0]

    @cached_property
    def planes(self) -> tuple[Array, Array]:
        """The half-spaces n·x ≤ c of a polyhedron, in its own frame."""
        points, faces = self.shape.triangles()
        a, b, c = (points[faces[:, k]] for k in range(3))
        cross = np.cross(b - a, c - a)
        area = np.linalg.norm(cross, axis=1)
        wide = area > 1e-9 * float(area.max())
        normals = cross[wide] / area[wide, None]
        return normals, np.einsum("ij,ij->i", normals, a[wide])

    def reach(self, direction: Array) -> float:
        """How far it reaches along a direction of length 1, seen from the outer origin."""
        u, v, w = (direction @ self._turn).tolist()
        shift = float(direction @ self.pose.translation)
        if isinstance(self.shape, Primitive):
            return self.shape.extent(u, v, w) + shift
        points, _ = self.shape.triangles()
        return float((points @ np.array((u, v, w))).max()) + shift

    def feet(self, points: Array) -> Array:
        """The nearest point of the solid to each of (n, 3) points: a point inside is its own."""
        local = (points - self.pose.translation) @ self._turn
        return self._feet(local) @ self._turn.T + self.pose.translation

    def _feet(self, p: Array) -> Array:
        shape = self.shape
        if isinstance(shape, Box):
            half = np.array(shape.half)
            return np.clip(p, -half, half)
        if isinstance(shape, Sphere):
            return ball_feet(p, np.zeros_like(p), shape.radius)
        if isinstance(shape, Capsule):
            axis = np.zeros_like(p)
            axis[:, 2] = np.clip(p[:, 2], -shape.length / 2, shape.length / 2)
            return ball_feet(p, axis, shape.radius)
        if isinstance(shape, Cylinder):
            return frustum_feet(p, shape.radius, shape.radius, shape.length / 2)
        if isinstance(shape, Cone):
            return frustum_feet(p, shape.radius, shape.top_radius, shape.length / 2)
        normals, offsets = self.planes
        outside = (p @ normals.T - offsets).max(axis=1) > 1e-12
        feet = p.copy()
        if outside.any():
            feet[outside] = triangle_feet(*shape.triangles(), p[outside])
        return feet

    def least(self, points: Array) -> Array:
        """Below which none of the points is from the solid: quick, and often close."""
        if isinstance(self.shape, Polyhedron) and self.convex:
            normals, offsets = self.planes
            local = (points - self.pose.translation) @ self._turn
            found: Array = np.maximum((local @ normals.T - offsets).max(axis=1), 0.0)
            return found
        low, high = self.bounds
        away: Array = np.linalg.norm(np.maximum(np.maximum(low - points, points - high), 0.0), axis=1)
        return away

    @property
    def volume(self) -> float:
        """Its volume in m³."""
        return self.shape.volume

    @cached_property
    def bounds(self) -> tuple[Array, Array]:
        """The box along the outer axes that holds it."""
        axes = np.eye(3)
        return (
            np.array([-self.reach(-axis) for axis in axes]),
            np.array([self.reach(axis) for axis in axes]),
        )


def lumps_of(shape: Shape, pose: Pose = IDENTITY) -> list[Lump] | None:
    """The convex lumps of a solid; nothing if a mesh in it has more than 128 pieces, or is not closed."""
    if isinstance(shape, Compound):
        found: list[Lump] = []
        for local, part in shape.parts:
            inner = lumps_of(part, pose @ local)
            if inner is None:
                return None
            found += inner
        return found
    if not isinstance(shape, Polyhedron):
        return [Lump(pose, shape)]
    parts = convex.convex_parts(*shape.triangles()) if shape.is_solid else None
    if parts is None:
        return None
    if len(parts) == 1:
        return [Lump(pose, shape)]
    return [Lump(pose, Mesh(part.vertices, part.faces)) for part in parts]


def _hull(shape: Shape) -> tuple[Array, Faces]:
    """A polyhedron round a shape, in the shape's frame."""
    if isinstance(shape, Sphere | Capsule):
        lift = shape.length / 2 if isinstance(shape, Capsule) else 0.0
        radius = shape.radius / math.cos(math.pi / BALL_SIDES) ** 2
        # The poles of the rings are pulled out as well: every facet's middle then lies on or outside the ball.
        profile = faceting.ball_profile(radius, BALL_SIDES, lift)
        return faceting.revolve(profile, BALL_SIDES)
    if isinstance(shape, Cylinder | Cone):
        low = shape.radius
        high = shape.radius if isinstance(shape, Cylinder) else shape.top_radius
        wider = 1.0 / math.cos(math.pi / BAR_SIDES)
        half = shape.length / 2
        return faceting.revolve([(low * wider, -half), (high * wider, half)], BAR_SIDES)
    return shape.triangles()
