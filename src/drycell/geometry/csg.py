"""Boolean operations on solids: merging with holes, and the volume that two bodies share."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import Array, GeometryError, Pose, Vector
from drycell.geometry import mass, solid
from drycell.geometry.compound import Compound
from drycell.geometry.convex_decomposition import THIN
from drycell.geometry.exact_solid import SIDES_DEVIATE, ExactSolid
from drycell.geometry.mass import Faces
from drycell.geometry.placed import Placed
from drycell.geometry.polyhedron import Mesh
from drycell.geometry.shape import Shape
from drycell.geometry.triangles import OFFSET, planes_of, snapped

if TYPE_CHECKING:
    import manifold3d


Part = tuple[Pose, Shape]

_MOST_COMPARED: Final = 20_000_000  # corners times planes


def merge(solids: Iterable[Part], holes: Iterable[Part] = (), *, deviation: float | None = None) -> Mesh:
    """Unite solids and subtract holes: a mesh with exact convex pieces.

    Args:
        solids: (pose, shape) pairs to unite.
        holes: (pose, shape) pairs to subtract.
        deviation: the largest deviation of facets from round surfaces, in metres. By default a circle has 24 sides,
            which deviate by 0.86 % of the radius. A round hole has as many convex pieces as sides, so keep it coarse.

    Raises:
        GeometryError: no solid is given, one is not closed, or the holes remove everything.
    """
    import manifold3d

    listed, cut = list(solids), list(holes)
    bodies = _listed("solid", listed, deviation)
    if not bodies:
        raise GeometryError("merge: the list of solids is empty", hint="give at least one (pose, shape) pair")
    whole = manifold3d.Manifold.batch_boolean(bodies, manifold3d.OpType.Add)
    gaps = _listed("hole", cut, deviation)
    if gaps:
        whole = manifold3d.Manifold.batch_boolean([whole, *map(_wider, gaps)], manifold3d.OpType.Subtract)
    if whole.is_empty() or whole.volume() <= THIN * whole.surface_area():
        raise GeometryError(
            f"merge: {len(gaps)} holes remove all of {len(bodies)} solids", hint="check the poses of the holes"
        )
    vertices, faces = solid.arrays(whole)
    if gaps:
        vertices = _exact(vertices, [solid.arrays(part) for part in (*bodies, *gaps)])
        with contextlib.suppress(GeometryError):  # coincident corners become one if the result is still a solid
            vertices, faces = solid.arrays(solid.manifold(vertices, faces, "merge"))
    sources = (*_sources(listed, False, deviation), *_sources(cut, True, deviation))
    return Mesh(vertices, faces, sources)


def _sources(parts: Iterable[Part], hole: bool, deviation: float | None) -> Iterator[ExactSolid]:
    """The solids that parts consist of, down to those that are not merged themselves."""
    for pose, shape in parts:
        if isinstance(shape, Compound):
            yield from _sources(((pose @ local, part) for local, part in shape.parts), hole, deviation)
        elif isinstance(shape, Mesh) and shape.sources:
            yield from (source.moved(pose, hole) for source in shape.sources)
        else:
            yield ExactSolid(pose, shape, hole, max(deviation or 0.0, SIDES_DEVIATE * shape.sphere[1]))


def _wider(hole: "manifold3d.Manifold") -> "manifold3d.Manifold":
    """A slightly enlarged hole, so that a face shared with the solid does not leave a sliver."""
    x, y, z, u, v, w = hole.bounding_box()
    lower, upper = np.array((x, y, z)), np.array((u, v, w))
    factor = 1.0 + 2.0 * OFFSET / (upper - lower)
    return hole.transform(np.column_stack((np.diag(factor), (1.0 - factor) * 0.5 * (lower + upper))))


def _exact(vertices: Array, parts: list[tuple[Array, Faces]]) -> Array:
    """Move the corners back onto the planes of the original parts, unless the result is very fine."""
    planes = [planes_of(*part) for part in parts]
    normals, offsets = (np.concatenate([plane[k] for plane in planes]) for k in range(2))
    return vertices if len(vertices) * len(offsets) > _MOST_COMPARED else snapped(vertices, normals, offsets)


def _listed(role: str, parts: Iterable[Part], deviation: float | None) -> "list[manifold3d.Manifold]":
    listed = []
    for index, (pose, shape) in enumerate(parts):
        try:
            listed.append(solid.placed(solid.solid_of(shape, deviation), pose))
        except GeometryError as error:
            raise GeometryError(f"merge: {role} {index}: {error.what}", where=error.where, hint=error.hint) from None
    return listed


@dataclass(frozen=True)
class Interference:
    """The shared volume in m³ and its centre; if it is 0, the centre is halfway between the bounding spheres."""

    volume: float
    centre: Vector


def interference(a: Placed, b: Placed, deviation: float | None = 1e-4) -> Interference:
    """Intersect two solids. Round shapes are replaced by facets within the deviation (0.1 mm)."""
    common = solid.solid_of(a.shape, deviation) ^ solid.placed(
        solid.solid_of(b.shape, deviation), a.pose.inverse() @ b.pose
    )
    if common.is_empty() or common.volume() <= 0.0:
        x, y, z = (0.5 * (np.array(a.ball[0]) + np.array(b.ball[0]))).tolist()
        return Interference(0.0, (x, y, z))
    found = mass.of_triangles(*solid.arrays(common))
    return Interference(found.volume, a.pose.point(found.centre))


def shared_volume(pairs: Sequence[tuple[Placed, Placed]], deviation: float | None = 1e-4) -> float:
    """The volume, in m³, of the union of the intersections of all pairs. Round shapes are faceted as above."""
    import manifold3d

    if len(pairs) == 1:
        return interference(*pairs[0], deviation).volume
    shared = [
        solid.placed(solid.solid_of(a.shape, deviation), a.pose)
        ^ solid.placed(solid.solid_of(b.shape, deviation), b.pose)
        for a, b in pairs
    ]
    return max(float(manifold3d.Manifold.batch_boolean(shared, manifold3d.OpType.Add).volume()), 0.0) if shared else 0.0
