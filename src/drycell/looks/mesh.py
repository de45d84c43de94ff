"""Meshes of looks: triangles with a normal at every corner, and the feature edges that are drawn with them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from drycell.base import Array, Pose

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LookMesh:
    """Triangles for the eye. Corners that look sharp have several points at one place, each with its own normal."""

    points: Array
    """Positions in metres, (n, 3)."""
    normals: Array
    """Unit normals, (n, 3)."""
    faces: Indices
    """Numbers of the points of each triangle, anticlockwise seen from outside, (m, 3)."""
    edges: Array
    """Both ends of each feature edge, (k, 2, 3)."""
    uv: Array | None = None
    """Place in the pattern of the look_material, (n, 2); None if the solid has no pattern."""

    def moved(self, pose: Pose) -> "LookMesh":
        """Return the mesh at a pose."""
        turn, shift = pose.rotation.T, pose.translation
        return LookMesh(self.points @ turn + shift, self.normals @ turn, self.faces, self.edges @ turn + shift, self.uv)

    @property
    def size(self) -> float:
        """Half the diagonal of its bounding box, in metres."""
        return 0.5 * float(np.linalg.norm(np.ptp(self.points, axis=0))) if len(self.points) else 0.0


NO_EDGES: Array = np.zeros((0, 2, 3))


def joined(meshes: Sequence[LookMesh]) -> LookMesh:
    """Return several meshes as one.

    Args:
        meshes: At least one mesh.
    """
    first = np.cumsum([0, *(len(mesh.points) for mesh in meshes)])
    uv = None
    if any(mesh.uv is not None for mesh in meshes):
        uv = np.concatenate([np.zeros((len(m.points), 2)) if m.uv is None else m.uv for m in meshes])
    return LookMesh(
        np.concatenate([mesh.points for mesh in meshes]),
        np.concatenate([mesh.normals for mesh in meshes]),
        np.concatenate([mesh.faces + k for mesh, k in zip(meshes, first, strict=False)]),
        np.concatenate([mesh.edges for mesh in meshes]),
        uv,
    )


def unit(vectors: Array) -> Array:
    """Return vectors scaled to length 1; vectors of length 0 stay 0."""
    lengths: Array = np.sqrt(np.einsum("...i,...i->...", vectors, vectors))[..., None]
    scaled: Array = vectors / np.maximum(lengths, 1e-300)
    return scaled
