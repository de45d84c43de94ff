"""Convex parts: the solids that simplification uses, each queried with many points at once.

All kinds of parts have the same queries: the extent along a direction, an enclosing polyhedron, and the nearest point
of the part to each of n given points. A point inside a part is its own nearest point.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import IDENTITY, Array, GeometryError, Pose
from drycell.geometry import convex_decomposition, primitives, solid
from drycell.geometry.compound import Compound
from drycell.geometry.mass import Faces
from drycell.geometry.polyhedron import Mesh, Polyhedron
from drycell.geometry.primitives import Box, Capsule, Cone, Cylinder, Primitive, Sphere
from drycell.geometry.shape import Shape

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

_MOST_COMPARED: Final = 1_000_000  # points times triangles, at a time
_CYLINDER_SIDES: Final = 64  # sides of the prism around a cylinder, which is larger by 0.12 % of the radius
_SPHERE_SIDES: Final = 48  # sides of the polyhedron around a sphere, which is larger by 0.43 % of the radius
_SPACING: Final = 150.0  # surface samples across the bounding sphere of a mesh
_SAMPLES: Final = 4  # nearest samples whose triangles are measured
# An unusual direction, unlikely to be parallel to a face or edge, for rays that decide inside or outside.
_SKEW: Final = (0.5406, 0.3127, 0.7810)


@dataclass(frozen=True, eq=False)
class ConvexPart:
    """A convex solid at a pose: a primitive or a convex polyhedron."""

    pose: Pose
    shape: Shape

    convex = True  # whether the distance from it is a convex function
    effort = 1  # the cost of finding a nearest point

    @cached_property
    def _rotation(self) -> Array:
        return self.pose.rotation

    @cached_property
    def hull(self) -> tuple[Array, Faces]:
        """Corners and triangles of a convex polyhedron that encloses the part."""
        points, faces = _enclosing_polyhedron(self.shape)
        return points @ self._rotation.T + self.pose.translation, faces

    @property
    def hull_margin(self) -> float:
        """The largest distance of a point of :attr:`hull` from the part, in metres."""
        shape = self.shape
        if isinstance(shape, Sphere | Capsule):
            return shape.radius * (1.0 / math.cos(math.pi / _SPHERE_SIDES) ** 2 - 1.0)
        if isinstance(shape, Cylinder | Cone):
            radius = max(shape.radius, shape.top_radius) if isinstance(shape, Cone) else shape.radius
            return radius * (1.0 / math.cos(math.pi / _CYLINDER_SIDES) - 1.0)
        return 0.0

    @property
    def corners(self) -> Array:
        """The corners of :attr:`hull`."""
        return self.hull[0]

    @cached_property
    def bounds(self) -> tuple[Array, Array]:
        """Lower and upper corner of the bounding box along the outer axes."""
        axes = np.eye(3)
        return np.array([-self.extent(-axis) for axis in axes]), np.array([self.extent(axis) for axis in axes])

    @property
    def volume(self) -> float:
        """Volume in m³."""
        return self.shape.volume

    def extent(self, direction: Array) -> float:
        """The largest dot product of any of its points with a unit vector."""
        u, v, w = (direction @ self._rotation).tolist()
        shift = float(direction @ self.pose.translation)
        if isinstance(self.shape, Primitive):
            return self.shape.extent(u, v, w) + shift
        return float((self.shape.triangles()[0] @ np.array((u, v, w))).max()) + shift

    def nearest_points(self, points: Array) -> Array:
        """The point of the solid that is nearest to each of (n, 3) points."""
        local = (points - self.pose.translation) @ self._rotation
        return self._nearest(local) @ self._rotation.T + self.pose.translation

    def _nearest(self, p: Array) -> Array:
        shape = self.shape
        if isinstance(shape, Box):
            return np.clip(p, np.negative(shape.half), shape.half)
        if isinstance(shape, Sphere | Capsule):
            axis = np.zeros_like(p)
            if isinstance(shape, Capsule):
                axis[:, 2] = np.clip(p[:, 2], -shape.length / 2, shape.length / 2)
            away = p - axis
            fraction = np.minimum(1.0, shape.radius / np.maximum(np.linalg.norm(away, axis=1), 1e-300))
            return np.asarray(axis + away * fraction[:, None])
        if isinstance(shape, Cylinder | Cone):
            top = shape.top_radius if isinstance(shape, Cone) else shape.radius
            return _nearest_in_frustum(p, shape.radius, top, shape.length / 2)
        normals, offsets = self._planes
        outside = (p @ normals.T - offsets).max(axis=1) > 1e-12
        nearest = p.copy()
        if outside.any():
            nearest[outside] = _nearest_on_surface(*shape.triangles(), p[outside])
        return nearest

    @cached_property
    def _planes(self) -> tuple[Array, Array]:
        """The half-spaces n·x ≤ c of a polyhedron, in its own frame."""
        points, faces = self.shape.triangles()
        a, b, c = (points[faces[:, k]] for k in range(3))
        cross = np.cross(b - a, c - a)
        area = np.linalg.norm(cross, axis=1)
        wide = area > 1e-9 * float(area.max())
        normals = cross[wide] / area[wide, None]
        return normals, np.einsum("ij,ij->i", normals, a[wide])


@dataclass(frozen=True, eq=False)
class MeshPart(ConvexPart):
    """A closed mesh that need not be convex. Its hull encloses it; nearest points are those of the mesh itself."""

    convex = False
    effort = 25

    @cached_property
    def hull(self) -> tuple[Array, Faces]:
        """The convex hull of the mesh."""
        from scipy.spatial import ConvexHull

        points = self.shape.triangles()[0] @ self._rotation.T + self.pose.translation
        kept, index = np.unique(ConvexHull(points).simplices, return_inverse=True)
        return points[kept], index.reshape(-1, 3).astype(np.int64)

    @cached_property
    def _samples(self) -> "tuple[cKDTree, Faces]":
        """A search tree of points spread over the surface, and the triangle of each point."""
        from scipy.spatial import cKDTree

        points, faces = self.shape.triangles()
        spacing = self.shape.sphere[1] / _SPACING
        a, b, c = (points[faces[:, k]] for k in range(3))
        longest = np.max([np.linalg.norm(p - q, axis=1) for p, q in ((a, b), (b, c), (c, a))], axis=0)
        steps = np.ceil(longest / spacing).astype(int)
        samples, owners = [], []
        for count in np.unique(steps).tolist():
            alike = np.flatnonzero(steps == count)
            u, v = np.meshgrid(*2 * [(np.arange(count) + 1.0 / 3.0) / count])
            inside = u + v <= 1.0
            weights = np.column_stack((1.0 - u[inside] - v[inside], u[inside], v[inside]))
            samples.append(np.einsum("sk,fkj->fsj", weights, points[faces[alike]]).reshape(-1, 3))
            owners.append(np.repeat(alike, len(weights)))
        return cKDTree(np.vstack(samples)), np.concatenate(owners)

    def _nearest(self, p: Array) -> Array:
        """Uses only the triangles of the nearest samples: never closer than the true nearest point, rarely farther."""
        from trimesh.triangles import closest_point

        tree, owners = self._samples
        points, faces = self.shape.triangles()
        _, samples = tree.query(p, k=_SAMPLES)
        corners = points[faces[owners[samples]]].reshape(-1, 3, 3)
        nearest = closest_point(corners, np.repeat(p, _SAMPLES, axis=0)).reshape(-1, _SAMPLES, 3)
        best = np.argmin(((nearest - p[:, None]) ** 2).sum(axis=2), axis=1)
        found: Array = nearest[np.arange(len(p)), best]
        low, high = self.shape.bounds
        for k in np.flatnonzero(np.all((p >= low) & (p <= high), axis=1)).tolist():
            x, y, z = p[k].tolist()
            hit = self.shape.ray((x, y, z), _SKEW, math.inf)
            if hit is not None and hit.inside:
                found[k] = p[k]
        return found

    def halves(self) -> "list[MeshPart]":
        """The two halves of a cut across the middle of its longest side."""
        lower, upper = (np.array(corner) for corner in self.shape.bounds)
        axis = int(np.argmax(upper - lower))
        parts = solid.solid_of(self.shape).split_by_plane(np.eye(3)[axis].tolist(), float(0.5 * (lower + upper)[axis]))
        return [MeshPart(self.pose, Mesh(*solid.arrays(part))) for part in parts if part.volume() > 0.0]


def parts_of(shape: Shape, pose: Pose = IDENTITY) -> list[ConvexPart]:
    """Split a solid into convex parts. A mesh with more than 128 of them stays in one :class:`MeshPart`.

    Raises:
        GeometryError: a mesh is not closed.
    """
    if isinstance(shape, Compound):
        return [part for local, inner in shape.parts for part in parts_of(inner, pose @ local)]
    if not isinstance(shape, Polyhedron):
        return [ConvexPart(pose, shape)]
    if not shape.is_solid:
        raise GeometryError(
            f"a mesh with {shape.open_edges} open edges encloses no volume that could be simplified",
            hint="close the surface in the CAD system, or use its bounding box",
        )
    parts = convex_decomposition.convex_parts(*shape.triangles())
    if parts is None:
        return [MeshPart(pose, shape)]
    if len(parts) == 1:
        return [ConvexPart(pose, shape)]
    return [ConvexPart(pose, Mesh(part.vertices, part.faces)) for part in parts]


def _enclosing_polyhedron(shape: Shape) -> tuple[Array, Faces]:
    if isinstance(shape, Sphere | Capsule):
        lift = shape.length / 2 if isinstance(shape, Capsule) else 0.0
        # The rings are widened twice, because a facet is flat in two directions.
        radius = shape.radius / math.cos(math.pi / _SPHERE_SIDES) ** 2
        return primitives.revolve(primitives.ball_profile(radius, _SPHERE_SIDES, lift), _SPHERE_SIDES)
    if isinstance(shape, Cylinder | Cone):
        top = shape.radius if isinstance(shape, Cylinder) else shape.top_radius
        wider, half = 1.0 / math.cos(math.pi / _CYLINDER_SIDES), shape.length / 2
        return primitives.revolve([(shape.radius * wider, -half), (top * wider, half)], _CYLINDER_SIDES)
    return shape.triangles()


def _nearest_in_frustum(p: Array, low: float, high: float, half: float) -> Array:
    """Return the nearest points of the bottom, the side or the top, found in the half-plane of radius and height;
    points inside are returned as they are.
    """
    rho, z = np.hypot(p[:, 0], p[:, 1]), p[:, 2]
    flat = np.column_stack((rho, z))
    inside = (np.abs(z) <= half) & (rho <= low + (high - low) * (z + half) / (2.0 * half))
    best, nearest = np.full(len(p), np.inf), flat.copy()
    for start, end in (((0.0, -half), (low, -half)), ((low, -half), (high, half)), ((high, half), (0.0, half))):
        a, along = np.array(start), np.array(end) - np.array(start)
        fraction = np.clip((flat - a) @ along / max(float(along @ along), 1e-300), 0.0, 1.0)
        point = a + fraction[:, None] * along
        gap = ((flat - point) ** 2).sum(axis=1)
        nearer = (gap < best) & ~inside
        best[nearer], nearest[nearer] = gap[nearer], point[nearer]
    scale = np.where(rho > 1e-300, nearest[:, 0] / np.maximum(rho, 1e-300), 0.0)
    return np.column_stack((p[:, 0] * scale, p[:, 1] * scale, nearest[:, 1]))


def _nearest_on_surface(vertices: Array, faces: Faces, points: Array) -> Array:
    """The nearest point of a triangle surface to each of (n, 3) points.

    Compares all points with all triangles in one table, using the Voronoi regions of a triangle (C. Ericson, Real-Time
    Collision Detection, 5.1.5). This needs only dot products, so it is six times as fast as trimesh's
    ``closest_point``.
    """
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    ab, ac = b - a, c - a
    bb, bc, cc = (np.einsum("ij,ij->i", u, v) for u, v in ((ab, ab), (ab, ac), (ac, ac)))
    nearest = np.empty_like(points)
    rows = max(1, _MOST_COMPARED // len(faces))
    for start in range(0, len(points), rows):
        p = points[start : start + rows]
        d1 = p @ ab.T - np.einsum("ij,ij->i", a, ab)
        d2 = p @ ac.T - np.einsum("ij,ij->i", a, ac)
        v, w = _triangle_coordinates(d1, d2, bb, bc, cc)
        # The squared distance minus that to corner a, which is added back later.
        gap = v * (v * bb - 2.0 * d1) + w * (w * cc - 2.0 * d2) + 2.0 * v * w * bc
        gap += ((p * p).sum(axis=1)[:, None] - 2.0 * (p @ a.T)) + (a * a).sum(axis=1)
        best, row = np.argmin(gap, axis=1), np.arange(len(p))
        nearest[start : start + rows] = a[best] + v[row, best][:, None] * ab[best] + w[row, best][:, None] * ac[best]
    return nearest


def _triangle_coordinates(d1: Array, d2: Array, bb: Array, bc: Array, cc: Array) -> tuple[Array, Array]:
    """The nearest point of each triangle as a + v·ab + w·ac: returns v and w."""
    d3, d4, d5, d6 = d1 - bb, d2 - bc, d1 - bc, d2 - cc
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    with np.errstate(divide="ignore", invalid="ignore"):
        total = va + vb + vc
        v, w = vb / total, vc / total  # above the face
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
    # A triangle without area is represented by its corner a; its sides also belong to other triangles.
    return np.nan_to_num(v, nan=0.0, posinf=0.0, neginf=0.0), np.nan_to_num(w, nan=0.0, posinf=0.0, neginf=0.0)
