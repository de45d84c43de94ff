"""CSG: solids and holes merged into one polyhedron, exact but for the facets of round shapes."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from drycell.errors import GeometryError
from drycell.geometry import solid
from drycell.geometry.mesh import Mesh
from drycell.geometry.shape import Shape
from drycell.spatial import Pose

if TYPE_CHECKING:
    import manifold3d

Part = tuple[Pose, Shape]


def merge(solids: Iterable[Part], holes: Iterable[Part] = (), *, deviation: float | None = None) -> Mesh:
    """All solids in one, less all holes: a mesh with exact convex pieces.

    Round shapes become facets with their edges on the true surface. Without a ``deviation`` a circle has 24 sides,
    0.86 % of the radius off at most; the pieces of a round hole are as many as its facets, so keep them coarse.
    """
    import manifold3d

    bodies = _listed("solid", solids, deviation)
    if not bodies:
        raise GeometryError("merge: there are no solids", hint="give one (pose, shape) at least")
    whole = manifold3d.Manifold.batch_boolean(bodies, manifold3d.OpType.Add)
    gaps = _listed("hole", holes, deviation)
    if gaps:
        whole = manifold3d.Manifold.batch_boolean([whole, *gaps], manifold3d.OpType.Subtract)
    if whole.is_empty() or whole.volume() <= 0.0:
        raise GeometryError(
            f"merge: {len(gaps)} holes leave nothing of {len(bodies)} solids", hint="look at the poses of the holes"
        )
    return Mesh(*solid.arrays(whole))


def _listed(role: str, parts: Iterable[Part], deviation: float | None) -> "list[manifold3d.Manifold]":
    listed = []
    for index, (pose, shape) in enumerate(parts):
        try:
            listed.append(solid.placed(solid.solid_of(shape, deviation), pose))
        except GeometryError as error:
            raise GeometryError(f"merge: {role} {index}: {error.what}", where=error.where, hint=error.hint) from None
    return listed
