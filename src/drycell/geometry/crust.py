"""Crusts: closed meshes that do not fall into few convex pieces, asked about many points at once."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from drycell.base import Array, GeometryError
from drycell.geometry import solid
from drycell.geometry.feet import paired_feet
from drycell.geometry.lump import Lump
from drycell.geometry.mass import Faces
from drycell.geometry.mesh import Mesh

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.spatial import cKDTree

_SPACING: Final = 150.0  # dots across the ball round a mesh
_DOTS: Final = 4  # whose triangles are looked at
# A direction no face or edge of a drawn part is likely to lie along: rays that ask for inside and outside go this way.
_AWAY: Final = np.array((0.5406, 0.3127, 0.7810))


@dataclass(frozen=True, eq=False)
class Crust(Lump):
    """A closed mesh, convex or not. Its hull holds it; distances are to the mesh itself."""

    @property
    def convex(self) -> bool:
        """Not known to be."""
        return False

    @property
    def labour(self) -> float:
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

    def _feet(self, p: Array) -> Array:
        """On the triangles of the nearest dots: never nearer than the true foot, and hardly ever farther."""
        tree, owners = self._dots
        points, faces = self.shape.triangles()
        _, nearest = tree.query(p, k=_DOTS)
        best, feet = np.full(len(p), np.inf), p.copy()
        for column in range(_DOTS):
            a, b, c = (points[faces[owners[nearest[:, column]], k]] for k in range(3))
            foot = paired_feet(a, b, c, p)
            gap = ((p - foot) ** 2).sum(axis=1)
            nearer = gap < best
            best[nearer], feet[nearer] = gap[nearer], foot[nearer]
        inside = self._inside(p)
        feet[inside] = p[inside]
        return feet

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

    def halves(self) -> "list[Crust]":
        """What a cut across the middle of its longest side makes of it."""
        points = self.shape.triangles()[0]
        lower, upper = points.min(axis=0), points.max(axis=0)
        axis = int(np.argmax(upper - lower))
        normal = np.eye(3)[axis].tolist()
        parts = solid.solid_of(self.shape).split_by_plane(normal, float(0.5 * (lower + upper)[axis]))
        return [Crust(self.pose, Mesh(*solid.arrays(part))) for part in parts if part.volume() > 0.0]


def crust(lump: Lump) -> Crust:
    """A lump with a mesh as a crust, if its mesh is closed."""
    mesh = cast(Mesh, lump.shape)
    if not mesh.is_solid:
        raise GeometryError(
            f"a mesh with {mesh.open_edges} open edges encloses no volume that could be simplified",
            hint="close the surface in the CAD system, or use its bounding box",
        )
    return Crust(lump.pose, mesh)
