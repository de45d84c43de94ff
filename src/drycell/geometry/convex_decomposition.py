"""Exact convex decomposition of a polyhedron: cuts along the planes of reflex edges until none is left.

Coarse CSG output has few pieces (a socket has five), so signed distances are fast. A round hole with n facets results
in about n pieces.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import Array, Vector
from drycell.geometry import solid, triangles
from drycell.geometry.mass import Faces
from drycell.geometry.triangles import OFFSET, planes_of, snapped

if TYPE_CHECKING:
    import manifold3d

MOST_PIECES: Final = 128
THIN: Final = 1e-9  # metres, volume per area: smaller pieces are slivers of a cut
_MOST_COMPARED: Final = 4_000_000  # faces times corners
_MOST_REFLEX: Final = 1024  # edges; a surface with more is a scan or a free-form surface, with too many pieces


@dataclass(frozen=True, eq=False)
class ConvexMesh:
    """A convex polyhedron: corners, triangles counter-clockwise from outside, and its planes as (n, -c)."""

    vertices: Array
    faces: Faces
    planes: Array
    volume: float


def convex_parts(vertices: Array, faces: Faces) -> list[ConvexMesh] | None:
    """Split a closed polyhedron into convex pieces; None if there are more than 128 or their volumes do not add up."""
    folds = len(triangles.reflex_planes(vertices, faces)[1])
    if folds > _MOST_REFLEX:
        return None
    whole = solid.manifold(vertices, faces, "polyhedron")
    planes, corners = planes_of(vertices, faces), frozenset(map(tuple, vertices.tolist()))
    found: list[ConvexMesh] = []
    waiting: list[manifold3d.Manifold] = [whole]
    while waiting:
        for part in _components(waiting.pop()):
            if part.is_empty() or abs(part.volume()) <= THIN * part.surface_area():
                continue
            points, sides = solid.arrays(part)
            cut = _cut(points, sides)
            if cut is None:
                hull = convex_hull(snapped(points, *planes, corners))
                found += [] if hull is None else [hull]
                continue
            if len(found) + len(waiting) + 2 > MOST_PIECES:
                return None
            # A cut exactly along a face leaves faces without volume, and one beside it leaves slivers. So each cut
            # removes a tiny gap, which is closed when the corners are moved back onto their planes.
            n, offset = cut
            waiting += [
                part.trim_by_plane((-n).tolist(), OFFSET - offset),
                part.trim_by_plane(n.tolist(), offset + OFFSET),
            ]
    # Hulls fill folds that are too flat to be found. The volumes then differ, and the surface is used unchanged.
    return found if abs(sum(part.volume for part in found) - whole.volume()) <= 1e-7 * whole.volume() else None


def _cut(vertices: Array, faces: Faces) -> tuple[Array, float] | None:
    """The plane for the next cut: that of the largest face at a reflex edge; None if the piece is convex.

    Slivers can hide a fold. So without a reflex edge every face is also compared with every corner, if there are not
    too many.
    """
    normals, offsets, areas = triangles.reflex_planes(vertices, faces)
    if len(areas):
        largest = int(np.argmax(areas))
        return normals[largest], float(offsets[largest])
    if len(vertices) * len(faces) <= _MOST_COMPARED:
        normals, offsets = planes_of(vertices, faces)
        above = np.flatnonzero((vertices @ normals.T - offsets).max(axis=0) > 1e-9)
        if len(above):
            return normals[above[0]], float(offsets[above[0]])
    return None


def _components(part: "manifold3d.Manifold") -> "list[manifold3d.Manifold]":
    """The connected components; a void stays with the solid around it."""
    components = part.decompose()
    return [part] if any(component.volume() < 0.0 for component in components) else list(components)


def convex_hull(points: Array) -> ConvexMesh | None:
    """The convex hull of points; None if they lie in a plane."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except QhullError:
        return None
    kept, index = np.unique(hull.simplices, return_inverse=True)
    vertices, faces = points[kept], index.reshape(-1, 3)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    faces = np.where(inward[:, None], faces[:, ::-1], faces)
    scale = float(np.ptp(points, axis=0).max())
    rounded = np.round(hull.equations / (1.0, 1.0, 1.0, scale), 10)
    _, first = np.unique(rounded, axis=0, return_index=True)
    return ConvexMesh(vertices, faces.astype(np.int64), hull.equations[np.sort(first)], float(hull.volume))


@dataclass(frozen=True, eq=False)
class HalfSpaces:
    """Convex pieces as the half-spaces n·x ≤ c that bound them, in two arrays."""

    normals: Array  # (p, 3)
    offsets: Array  # (p,)
    starts: Faces  # index of each piece's first plane

    @classmethod
    def of(cls, parts: list[ConvexMesh]) -> "HalfSpaces":
        """Collect the planes of convex pieces."""
        stacked = np.concatenate([part.planes for part in parts])
        starts = np.cumsum([0, *(len(part.planes) for part in parts[:-1])])
        return cls(stacked[:, :3].copy(), -stacked[:, 3], starts.astype(np.int64))

    def depth(self, point: Vector) -> float:
        """A lower bound of the signed distance of a point from the piece in which it is deepest; negative inside."""
        beyond = self.normals @ np.array(point) - self.offsets
        return float(np.maximum.reduceat(beyond, self.starts).min())

    def trace(self, origin: Vector, direction: Vector, grow: float) -> list[tuple[float, float, Vector]]:
        """Where a line enters and leaves each piece that it crosses, with the normal at the entry."""
        along = self.normals @ np.array(direction)
        ahead = self.offsets + grow - self.normals @ np.array(origin)
        flat = np.abs(along) < 1e-15
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            at = ahead / along
        enter = np.where(along < 0.0, at, -np.inf)
        leave = np.where(along > 0.0, at, np.inf)
        enter[flat] = np.where(ahead[flat] < 0.0, np.inf, -np.inf)  # parallel to a side and outside it
        leave[flat] = np.inf
        near = np.maximum.reduceat(enter, self.starts)
        far = np.minimum.reduceat(leave, self.starts)
        found = []
        for piece in np.flatnonzero(near <= far).tolist():
            first = int(self.starts[piece])
            last = int(self.starts[piece + 1]) if piece + 1 < len(self.starts) else len(self.offsets)
            x, y, z = self.normals[first + int(np.argmax(enter[first:last]))].tolist()
            found.append((float(near[piece]), float(far[piece]), (x, y, z)))
        return found
