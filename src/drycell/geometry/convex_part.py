"""Convex parts: the convex solids a shape is made of, each asked about many points at once.

Simplifying a solid and measuring how close two solids are need the same few answers of every part, whatever its kind:
how far it reaches, which points its hull is spanned by, and its nearest point to each of a column of points. A point
inside is its own nearest point.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from drycell.base import IDENTITY, Array, GeometryError, Pose
from drycell.geometry import convex_decomposition, primitives, solid
from drycell.geometry.compound import Compound
from drycell.geometry.mass import Faces
from drycell.geometry.polyhedron import Mesh, Polyhedron
from drycell.geometry.primitives import Box, Capsule, Cone, Cylinder, Primitive, Sphere
from drycell.geometry.shape import Shape

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.spatial import cKDTree


_MOST_COMPARED: Final = 1_000_000  # points times triangles, at a time
_BAR_SIDES: Final = 64  # of the prism round a cylinder: it stands out by 0.12 % of the radius
_BALL_SIDES: Final = 48  # of the polyhedron round a ball: it stands out by 0.43 % of the radius
_SPACING: Final = 150.0  # dots across the ball round a mesh
_DOTS: Final = 4  # whose triangles are looked at
# A direction no face or edge of a drawn part is likely to lie along: rays that ask for inside and outside go this way.
_AWAY: Final = np.array((0.5406, 0.3127, 0.7810))


def nearest_in_ball(p: Array, middle: Array, radius: float) -> Array:
    """Points pulled to within a radius of their own middles."""
    away = p - middle
    length = np.linalg.norm(away, axis=1)
    share = np.minimum(1.0, radius / np.maximum(length, 1e-300))
    nearest_points: Array = middle + away * share[:, None]
    return nearest_points


def nearest_in_frustum(p: Array, low: float, high: float, half: float) -> Array:
    """In the half-plane of radius and height: on the nearest of bottom, mantle and top, or where the point is."""
    rho = np.hypot(p[:, 0], p[:, 1])
    z = p[:, 2]
    flat = np.column_stack((rho, z))
    edge = low + (high - low) * (z + half) / (2.0 * half)
    inside = (np.abs(z) <= half) & (rho <= edge)
    best, nearest_points = np.full(len(p), np.inf), flat.copy()
    for start, end in (((0.0, -half), (low, -half)), ((low, -half), (high, half)), ((high, half), (0.0, half))):
        a, along = np.array(start), np.array(end) - np.array(start)
        share = np.clip((flat - a) @ along / max(float(along @ along), 1e-300), 0.0, 1.0)
        nearest_point = a + share[:, None] * along
        gap = ((flat - nearest_point) ** 2).sum(axis=1)
        nearer = (gap < best) & ~inside
        best[nearer], nearest_points[nearer] = gap[nearer], nearest_point[nearer]
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.where(rho > 1e-300, nearest_points[:, 0] / np.maximum(rho, 1e-300), 0.0)
    return np.column_stack((p[:, 0] * scale, p[:, 1] * scale, nearest_points[:, 1]))


def nearest_on_surface(vertices: Array, faces: Faces, points: Array) -> Array:
    """The nearest point of a triangle surface to each of (n, 3) points.

    Points against triangles in one table, by the regions round a triangle (C. Ericson, Real-Time Collision Detection,
    5.1.5), in terms of scalar products alone.
    """
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    ab, ac = b - a, c - a
    squares = np.einsum("ij,ij->i", ab, ab), np.einsum("ij,ij->i", ab, ac), np.einsum("ij,ij->i", ac, ac)
    nearest_points = np.empty_like(points)
    rows = max(1, _MOST_COMPARED // len(faces))
    for start in range(0, len(points), rows):
        p = points[start : start + rows]
        d1 = p @ ab.T - np.einsum("ij,ij->i", a, ab)
        d2 = p @ ac.T - np.einsum("ij,ij->i", a, ac)
        v, w = _shares(d1, d2, *squares)
        bb, bc, cc = squares
        # Squared, less the square of the way to corner a, which is added back.
        gap = v * (v * bb - 2.0 * d1) + w * (w * cc - 2.0 * d2) + 2.0 * v * w * bc
        gap += ((p * p).sum(axis=1)[:, None] - 2.0 * (p @ a.T)) + (a * a).sum(axis=1)
        nearest = np.argmin(gap, axis=1)
        row = np.arange(len(p))
        nearest_points[start : start + rows] = (
            a[nearest] + v[row, nearest][:, None] * ab[nearest] + w[row, nearest][:, None] * ac[nearest]
        )
    return nearest_points


def nearest_in_triangles(a: Array, b: Array, c: Array, points: Array) -> Array:
    """The nearest point of each of n triangles to the point it is paired with."""
    ab, ac, ap = b - a, c - a, points - a
    products = [np.einsum("ij,ij->i", u, v) for u, v in ((ap, ab), (ap, ac), (ab, ab), (ab, ac), (ac, ac))]
    v, w = _shares(*products)
    return a + v[:, None] * ab + w[:, None] * ac


def _shares(d1: Array, d2: Array, bb: Array, bc: Array, cc: Array) -> tuple[Array, Array]:
    """How much of ab and of ac leads from corner a to the nearest point of each triangle."""
    d3, d4, d5, d6 = d1 - bb, d2 - bc, d1 - bc, d2 - cc
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    with np.errstate(divide="ignore", invalid="ignore"):
        total = va + vb + vc
        v, w = vb / total, vc / total  # over the face
        far = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        regions = (
            ((d1 <= 0.0) & (d2 <= 0.0), 0.0, 0.0),  # at a
            ((d3 >= 0.0) & (d4 <= d3), 1.0, 0.0),  # at b
            ((d6 >= 0.0) & (d5 <= d6), 0.0, 1.0),  # at c
            ((vc <= 0.0) & (d1 >= 0.0) & (d3 <= 0.0), d1 / bb, 0.0),  # on ab
            ((vb <= 0.0) & (d2 >= 0.0) & (d6 <= 0.0), 0.0, d2 / cc),  # on ac
            ((va <= 0.0) & (d4 >= d3) & (d5 >= d6), 1.0 - far, far),  # on bc
        )
        for where, along_b, along_c in reversed(regions):
            v, w = np.where(where, along_b, v), np.where(where, along_c, w)
    # A triangle without area has no face to be over: its corner a stands for it, and its sides are others' sides.
    return np.nan_to_num(v, nan=0.0, posinf=0.0, neginf=0.0), np.nan_to_num(w, nan=0.0, posinf=0.0, neginf=0.0)


@dataclass(frozen=True, eq=False)
class ConvexPart:
    """A convex solid at a pose: a primitive, or a convex polyhedron."""

    pose: Pose
    shape: Shape

    @property
    def convex(self) -> bool:
        """Whether it is convex: every part is."""
        return True

    @cached_property
    def _turn(self) -> Array:
        return self.pose.rotation

    @cached_property
    def hull(self) -> tuple[Array, Faces]:
        """Corners and triangles of a polyhedron that holds the part: itself, or facets round what is round."""
        points, faces = _hull(self.shape)
        return points @ self._turn.T + self.pose.translation, faces

    @property
    def overshoot(self) -> float:
        """How far :attr:`hull` stands out of a round part at most."""
        shape = self.shape
        if isinstance(shape, Sphere | Capsule):
            return shape.radius * (1.0 / math.cos(math.pi / _BALL_SIDES) ** 2 - 1.0)
        if isinstance(shape, Cylinder | Cone):
            radius = max(shape.radius, shape.top_radius) if isinstance(shape, Cone) else shape.radius
            return radius * (1.0 / math.cos(math.pi / _BAR_SIDES) - 1.0)
        return 0.0

    @property
    def effort(self) -> float:
        """What :meth:`nearest_points` costs a point, a primitive's being 1."""
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

    def nearest_points(self, points: Array) -> Array:
        """The nearest point of the solid to each of (n, 3) points: a point inside is its own."""
        local = (points - self.pose.translation) @ self._turn
        return self._nearest_points(local) @ self._turn.T + self.pose.translation

    def _nearest_points(self, p: Array) -> Array:
        shape = self.shape
        if isinstance(shape, Box):
            half = np.array(shape.half)
            return np.clip(p, -half, half)
        if isinstance(shape, Sphere):
            return nearest_in_ball(p, np.zeros_like(p), shape.radius)
        if isinstance(shape, Capsule):
            axis = np.zeros_like(p)
            axis[:, 2] = np.clip(p[:, 2], -shape.length / 2, shape.length / 2)
            return nearest_in_ball(p, axis, shape.radius)
        if isinstance(shape, Cylinder):
            return nearest_in_frustum(p, shape.radius, shape.radius, shape.length / 2)
        if isinstance(shape, Cone):
            return nearest_in_frustum(p, shape.radius, shape.top_radius, shape.length / 2)
        normals, offsets = self.planes
        outside = (p @ normals.T - offsets).max(axis=1) > 1e-12
        nearest_points = p.copy()
        if outside.any():
            nearest_points[outside] = nearest_on_surface(*shape.triangles(), p[outside])
        return nearest_points

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


def convex_parts_of(shape: Shape, pose: Pose = IDENTITY) -> list[ConvexPart] | None:
    """The convex parts of a solid; nothing if a mesh in it has more than 128 pieces, or is not closed."""
    if isinstance(shape, Compound):
        found: list[ConvexPart] = []
        for local, part in shape.parts:
            inner = convex_parts_of(part, pose @ local)
            if inner is None:
                return None
            found += inner
        return found
    if not isinstance(shape, Polyhedron):
        return [ConvexPart(pose, shape)]
    parts = convex_decomposition.convex_parts(*shape.triangles()) if shape.is_solid else None
    if parts is None:
        return None
    if len(parts) == 1:
        return [ConvexPart(pose, shape)]
    return [ConvexPart(pose, Mesh(part.vertices, part.faces)) for part in parts]


def _hull(shape: Shape) -> tuple[Array, Faces]:
    """A polyhedron round a shape, in the shape's frame."""
    if isinstance(shape, Sphere | Capsule):
        lift = shape.length / 2 if isinstance(shape, Capsule) else 0.0
        radius = shape.radius / math.cos(math.pi / _BALL_SIDES) ** 2
        # The poles of the rings are pulled out as well: every facet's middle then lies on or outside the ball.
        profile = primitives.ball_profile(radius, _BALL_SIDES, lift)
        return primitives.revolve(profile, _BALL_SIDES)
    if isinstance(shape, Cylinder | Cone):
        low = shape.radius
        high = shape.radius if isinstance(shape, Cylinder) else shape.top_radius
        wider = 1.0 / math.cos(math.pi / _BAR_SIDES)
        half = shape.length / 2
        return primitives.revolve([(low * wider, -half), (high * wider, half)], _BAR_SIDES)
    return shape.triangles()


@dataclass(frozen=True, eq=False)
class MeshShell(ConvexPart):
    """A closed mesh, convex or not. Its hull holds it; distances are to the mesh itself."""

    @property
    def convex(self) -> bool:
        """Not known to be."""
        return False

    @property
    def effort(self) -> float:
        """What a point costs: whether it is inside is asked one by one."""
        return 8.0

    @cached_property
    def hull(self) -> tuple[Array, Faces]:
        """The convex hull of the mesh."""
        from scipy.spatial import ConvexHull

        points = self.shape.triangles()[0] @ self._turn.T + self.pose.translation
        found = ConvexHull(points)
        kept, index = np.unique(found.simplices, return_inverse=True)
        return points[kept], index.reshape(-1, 3).astype(np.int64)

    @cached_property
    def _dots(self) -> "tuple[cKDTree, Faces]":
        """Points all over the surface in a tree, and the triangle of each."""
        from scipy.spatial import cKDTree

        points, faces = self.shape.triangles()
        spacing = self.shape.sphere[1] / _SPACING
        a, b, c = (points[faces[:, k]] for k in range(3))
        longest = np.max([np.linalg.norm(p - q, axis=1) for p, q in ((a, b), (b, c), (c, a))], axis=0)
        steps = np.ceil(longest / spacing).astype(int)
        dots, owners = [], []
        for count in np.unique(steps).tolist():
            mine = np.flatnonzero(steps == count)
            u, v = np.meshgrid(*2 * [(np.arange(count) + 1.0 / 3.0) / count])
            inside = u + v <= 1.0
            share = np.column_stack((1.0 - u[inside] - v[inside], u[inside], v[inside]))
            dots.append(np.einsum("sk,fkj->fsj", share, points[faces[mine]]).reshape(-1, 3))
            owners.append(np.repeat(mine, len(share)))
        return cKDTree(np.vstack(dots)), np.concatenate(owners)

    def _nearest_points(self, p: Array) -> Array:
        """On the triangles of the nearest dots: never nearer than the true nearest point, and hardly ever farther."""
        tree, owners = self._dots
        points, faces = self.shape.triangles()
        _, nearest = tree.query(p, k=_DOTS)
        best, nearest_points = np.full(len(p), np.inf), p.copy()
        for column in range(_DOTS):
            a, b, c = (points[faces[owners[nearest[:, column]], k]] for k in range(3))
            nearest_point = nearest_in_triangles(a, b, c, p)
            gap = ((p - nearest_point) ** 2).sum(axis=1)
            nearer = gap < best
            best[nearer], nearest_points[nearer] = gap[nearer], nearest_point[nearer]
        inside = self._inside(p)
        nearest_points[inside] = p[inside]
        return nearest_points

    def _inside(self, p: Array) -> "NDArray[np.bool_]":
        whole = solid.solid_of(self.shape)
        way = (2.0 * self.shape.sphere[1] + 2.0 * float(np.abs(p).max(initial=0.0))) * _AWAY
        low, high = (np.array(corner) for corner in self.shape.bounds)
        found: NDArray[np.bool_] = np.all((p >= low) & (p <= high), axis=1)
        for index in np.flatnonzero(found).tolist():
            hits = whole.ray_cast(p[index].tolist(), (p[index] + way).tolist())
            # A ray from inside leaves through the first face it meets.
            found[index] = bool(hits) and float(np.asarray(hits[0].normal) @ _AWAY) > 0.0
        return found

    def halves(self) -> "list[MeshShell]":
        """What a cut across the middle of its longest side makes of it."""
        points = self.shape.triangles()[0]
        lower, upper = points.min(axis=0), points.max(axis=0)
        axis = int(np.argmax(upper - lower))
        normal = np.eye(3)[axis].tolist()
        parts = solid.solid_of(self.shape).split_by_plane(normal, float(0.5 * (lower + upper)[axis]))
        return [MeshShell(self.pose, Mesh(*solid.arrays(part))) for part in parts if part.volume() > 0.0]


def shell(part: ConvexPart) -> MeshShell:
    """A lump with a mesh as a mesh shell, if its mesh is closed."""
    mesh = cast(Mesh, part.shape)
    if not mesh.is_solid:
        raise GeometryError(
            f"a mesh with {mesh.open_edges} open edges encloses no volume that could be simplified",
            hint="close the surface in the CAD system, or use its bounding box",
        )
    return MeshShell(part.pose, mesh)
