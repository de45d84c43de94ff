"""Booleans of solids: merging with holes, and the volume that two bodies share."""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import Array, GeometryError, Pose, Vector
from drycell.geometry import mass, solid
from drycell.geometry.convex_decomposition import THIN
from drycell.geometry.mass import Faces
from drycell.geometry.placed import Placed
from drycell.geometry.polyhedron import Mesh
from drycell.geometry.shape import Shape
from drycell.geometry.triangles import HAIR, planes_of, snapped

if TYPE_CHECKING:
    import manifold3d


Part = tuple[Pose, Shape]

_MOST_COMPARED: Final = 20_000_000  # corners times planes


def merge(solids: Iterable[Part], holes: Iterable[Part] = (), *, deviation: float | None = None) -> Mesh:
    """All solids in one, less all holes: a mesh with exact convex pieces.

    Round shapes become facets with their edges on the true surface. Without a ``deviation`` a circle has 24 sides,
    0.86 % of the radius off at most; the pieces of a round hole are as many as its facets, so keep them coarse.
    """
    import manifold3d

    listed, cut = list(solids), list(holes)
    bodies = _listed("solid", listed, deviation)
    if not bodies:
        raise GeometryError("merge: there are no solids", hint="give one (pose, shape) at least")
    whole = manifold3d.Manifold.batch_boolean(bodies, manifold3d.OpType.Add)
    gaps = _listed("hole", cut, deviation)
    if gaps:
        whole = manifold3d.Manifold.batch_boolean([whole, *map(_wider, gaps)], manifold3d.OpType.Subtract)
    if whole.is_empty() or whole.volume() <= THIN * whole.surface_area():
        raise GeometryError(
            f"merge: {len(gaps)} holes leave nothing of {len(bodies)} solids", hint="look at the poses of the holes"
        )
    vertices, faces = solid.arrays(whole)
    if gaps:
        vertices = _exact(vertices, [solid.arrays(part) for part in (*bodies, *gaps)])
        with contextlib.suppress(GeometryError):  # corners that fell together become one, unless that does harm
            vertices, faces = solid.arrays(solid.manifold(vertices, faces, "merge"))
    return Mesh(vertices, faces)


def _wider(hole: "manifold3d.Manifold") -> "manifold3d.Manifold":
    """A hole grown by a hair, so that a face in common with the solid leaves no film."""
    x, y, z, u, v, w = hole.bounding_box()
    lower, upper = np.array((x, y, z)), np.array((u, v, w))
    factor = 1.0 + 2.0 * HAIR / (upper - lower)
    return hole.transform(np.column_stack((np.diag(factor), (1.0 - factor) * 0.5 * (lower + upper))))


def _exact(vertices: Array, parts: list[tuple[Array, Faces]]) -> Array:
    """The corners back on the planes of the parts as they were given; a very fine result is left a hair off."""
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
    """The shared volume in m³ and its centre; without any, the centre is half way between the bodies' balls."""

    volume: float
    centre: Vector


def interference(a: Placed, b: Placed, deviation: float | None = 1e-4) -> Interference:
    """The exact intersection of two solids; round shapes are faceted within the deviation (0.1 mm) first."""
    common = solid.solid_of(a.shape, deviation) ^ solid.placed(
        solid.solid_of(b.shape, deviation), a.pose.inverse() @ b.pose
    )
    if common.is_empty() or common.volume() <= 0.0:
        x, y, z = (0.5 * (np.array(a.ball[0]) + np.array(b.ball[0]))).tolist()
        return Interference(0.0, (x, y, z))
    found = mass.of_triangles(*solid.arrays(common))
    return Interference(found.volume, a.pose.point(found.centre))
