"""Mesh: a polyhedron given by vertices and triangles."""

import hashlib
from functools import cached_property
from typing import Final

import numpy as np

from drycell.base import Array, GeometryError
from drycell.geometry import checks, mass, topology
from drycell.geometry.mass import Faces
from drycell.geometry.polyhedron import Polyhedron

MOST_TRIANGLES: Final = 2_000_000


class Mesh(Polyhedron, kw_only=False):
    """Vertices (n, 3) in metres and triangles (m, 3), counter-clockwise seen from outside.

    Vertices at the same place become one where that closes the surface, triangles without area go, and a closed surface
    that is inside out is turned.
    """

    vertices: Array
    """Corners (n, 3), in metres."""
    faces: Faces
    """Corners of each triangle (m, 3), counter-clockwise seen from outside."""

    def __post_init__(self) -> None:
        vertices = np.array(self.vertices, dtype=float)
        faces = np.array(self.faces)
        if vertices.ndim != 2 or vertices.shape[1:] != (3,) or faces.ndim != 2 or faces.shape[1:] != (3,):
            raise GeometryError(
                f"mesh: vertices are {vertices.shape} and faces {faces.shape}, must be (n, 3) and (m, 3)",
                hint="give triangles; split polygons first",
            )
        if not len(faces):
            raise GeometryError("mesh: there are no triangles", hint="give four at least for a solid")
        if len(faces) > MOST_TRIANGLES:
            raise GeometryError(
                f"mesh: {len(faces)} triangles, the limit is {MOST_TRIANGLES}", hint="export it with coarser facets"
            )
        if not np.issubdtype(faces.dtype, np.integer) or faces.min() < 0 or faces.max() >= len(vertices):
            raise GeometryError(
                f"mesh: faces name vertices {faces.min()}..{faces.max()}, there are 0..{len(vertices) - 1}",
                hint="faces count vertices from 0",
            )
        bad = int(np.count_nonzero(~np.isfinite(vertices).all(axis=1)))
        if bad:
            raise GeometryError(
                f"mesh: {bad} of {len(vertices)} vertices are not finite numbers", hint="export it again"
            )
        if float(np.abs(vertices).max()) > checks.LARGEST:
            raise GeometryError(
                f"mesh: a vertex is {np.abs(vertices).max():g} m from the origin, the limit is {checks.LARGEST:g} m",
                hint="state the units of the file, as in units='mm'",
            )
        vertices, faces = _tidy(vertices, faces.astype(np.int64))
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)

    @cached_property
    def key(self) -> str:
        """A digest of vertices and faces."""
        digest = hashlib.sha256(self.vertices.tobytes())
        digest.update(self.faces.tobytes())
        return "mesh " + digest.hexdigest()

    def triangles(self, deviation: float | None = None) -> tuple[Array, Faces]:
        """Vertices and faces; both are read-only."""
        return self.vertices, self.faces

    def __repr__(self) -> str:
        return f"Mesh({len(self.vertices)} vertices, {len(self.faces)} triangles)"


def _tidy(vertices: Array, faces: Faces) -> tuple[Array, Faces]:
    """One vertex a place if need be, no triangle without area, outside out, and nobody can write into it."""
    if topology.open_edges(faces):  # closed as it is, it stays: corners that only touch must not grow together
        vertices, index = np.unique(vertices + 0.0, axis=0, return_inverse=True)
        faces = index.ravel()[faces]
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    distinct = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    faces = faces[distinct]
    if not len(faces) or not np.linalg.norm(np.cross(b - a, c - a), axis=1).max() > 0.0:
        raise GeometryError("mesh: every triangle is without area", hint="look at the units and the export settings")
    if topology.open_edges(faces) == 0 and mass.of_triangles(vertices, faces).volume < 0.0:
        faces = faces[:, ::-1]
    vertices, faces = np.ascontiguousarray(vertices), np.ascontiguousarray(faces)
    vertices.setflags(write=False)
    faces.setflags(write=False)
    return vertices, faces
