"""Mass properties: volume, centre of mass and inertia."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from drycell.base import Array, Pose, Vector

Faces = NDArray[np.int64]
Inertia = tuple[Vector, Vector, Vector]


@dataclass(frozen=True)
class MassProperties:
    """Volume (m³), centre (m) and inertia about that centre at a density of 1 kg/m³, in the axes of the shape."""

    volume: float
    centre: Vector
    inertia: Inertia

    @classmethod
    def diagonal(cls, volume: float, x: float, y: float, z: float, centre: Vector = (0.0, 0.0, 0.0)) -> Self:
        """Mass properties of a shape whose principal axes are its own axes."""
        return cls(volume, centre, ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)))

    def moved(self, pose: Pose) -> "MassProperties":
        """Express the properties in the frame in which the shape has a pose."""
        R = pose.rotation
        return MassProperties(self.volume, pose.point(self.centre), _rows(R @ np.array(self.inertia) @ R.T))


def of_parts(parts: Iterable[MassProperties]) -> MassProperties:
    """Add up several solids to one body. Overlaps count once per solid."""
    listed = list(parts)
    volume = sum(part.volume for part in listed)
    if volume == 0.0:
        return MassProperties.diagonal(0.0, 0.0, 0.0, 0.0)
    centre = sum((part.volume * np.array(part.centre) for part in listed), np.zeros(3)) / volume
    inertia = np.zeros((3, 3))
    for part in listed:
        r = np.array(part.centre) - centre  # parallel axes (Huygens, Steiner)
        inertia += np.array(part.inertia) + part.volume * (float(r @ r) * np.eye(3) - np.outer(r, r))
    return MassProperties(float(volume), _vector(centre), _rows(inertia))


def of_triangles(vertices: Array, faces: Faces) -> MassProperties:
    """Mass properties of the polyhedron that triangles enclose, counter-clockwise seen from outside.

    Each triangle spans a signed tetrahedron with the mean vertex; their integrals are closed forms (F. Tonon, "Explicit
    exact formulas for the 3-D tetrahedron inertia tensor in terms of its vertex coordinates", 2004).
    """
    origin = vertices.mean(axis=0)  # near the solid: otherwise cancellation would cost digits
    a, b, c = (vertices[faces[:, k]] - origin for k in range(3))
    sixth = np.einsum("ij,ij->i", a, np.cross(b, c))
    volume = float(sixth.sum()) / 6.0
    if volume == 0.0:
        return MassProperties.diagonal(0.0, 0.0, 0.0, 0.0, _vector(origin))
    total = a + b + c
    centre = (sixth @ total) / (24.0 * volume)
    # The second moment of a tetrahedron (0, a, b, c) is det/120 · (aaᵀ + bbᵀ + ccᵀ + ssᵀ) with s = a + b + c.
    moment = sum(np.einsum("i,ij,ik->jk", sixth, v, v) for v in (a, b, c, total)) / 120.0
    moment = moment - volume * np.outer(centre, centre)
    return MassProperties(volume, _vector(centre + origin), _rows(np.trace(moment) * np.eye(3) - moment))


def _vector(values: Array) -> Vector:
    x, y, z = values.tolist()
    return (x, y, z)


def _rows(matrix: Array) -> Inertia:
    a, b, c = matrix
    return (_vector(a), _vector(b), _vector(c))
