"""Polyhedron: a shape with flat faces, held as triangles."""

import contextlib
import math
from abc import abstractmethod
from functools import cached_property
from typing import Final, cast

import numpy as np

from drycell.base import Array, GeometryError, Vector
from drycell.geometry import convex, mass, solid, topology
from drycell.geometry.mass import Faces, MassProperties
from drycell.geometry.piece import Piece, ball_of, polytope, surface
from drycell.geometry.primitive import TOUCH
from drycell.geometry.shape import Ball, Bounds, RayHit, Shape, SurfacePoint
from drycell.geometry.triangles import first_hit, nearest_on_triangles, winding_number

MOST_EDGES: Final = 200  # at one corner; coal's hulls take 255
MOST_PLANES: Final = 4096  # triangles; with more, a tree finds the one a ray meets sooner than columns do


class Polyhedron(Shape):
    """Triangles seen counter-clockwise from outside.

    A closed one is cut into exact convex pieces for distances, rays and containment. One with more than 128 pieces, and
    an open one, is a bare *surface*: distances to it are unsigned until it is known to enclose or cut the other body
    (distance.py), and a ray that grazes an edge may go either way.
    """

    @abstractmethod
    def triangles(self, deviation: float | None = None) -> tuple[Array, Faces]:
        """The triangles themselves: exact, whatever deviation is allowed."""

    @cached_property
    def open_edges(self) -> int:
        """How many edges are not shared by two triangles; 0 for a solid."""
        return topology.open_edges(self.triangles()[1])

    @property
    def is_solid(self) -> bool:
        """Whether the surface is closed."""
        return self.open_edges == 0

    @cached_property
    def bounds(self) -> Bounds:
        """The tight box."""
        vertices, _ = self.triangles()
        (a, b, c), (x, y, z) = vertices.min(axis=0).tolist(), vertices.max(axis=0).tolist()
        return (a, b, c), (x, y, z)

    @cached_property
    def sphere(self) -> Ball:
        """About the middle of the box, out to the farthest vertex."""
        centre, radius = ball_of(self.triangles()[0])
        return centre, radius * (1 + 1e-12)

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Integrals over the triangles, exact for a polyhedron."""
        if not self.is_solid:
            raise GeometryError(
                f"a mesh with {self.open_edges} open edges encloses no volume",
                hint="close the surface in the CAD system, or give the body's mass yourself",
            )
        return mass.of_triangles(*self.triangles())

    @property
    def half_spaces(self) -> convex.HalfSpaces | None:
        """The convex pieces as half-spaces; nothing for a bare surface or a very fine one."""
        built = self.engines.built
        if "half-spaces" not in built:
            parts = self._parts() if len(self.triangles()[1]) <= MOST_PLANES else None
            built["half-spaces"] = None if parts is None else convex.HalfSpaces.of(parts)
        return cast("convex.HalfSpaces | None", built["half-spaces"])

    def _parts(self) -> list[convex.ConvexPart] | None:
        built = self.engines.built
        if "parts" not in built:
            built["parts"] = None
            if self.is_solid:
                with contextlib.suppress(GeometryError):  # closed, but too odd for booleans: then it stays a surface
                    built["parts"] = convex.convex_parts(*self.triangles())
        return cast("list[convex.ConvexPart] | None", built["parts"])

    def build_pieces(self) -> tuple[Piece, ...]:
        """Exact convex pieces, or the bare surface."""
        parts = self._parts()
        if parts is not None and all(np.bincount(part.faces.ravel()).max() <= MOST_EDGES for part in parts):
            return tuple(Piece(polytope(part.vertices, part.faces)) for part in parts)
        return (Piece(surface(*self.triangles())),)

    def contains(self, point: Vector) -> bool:
        """Whether a point is inside or on the surface; in an open mesh nothing is."""
        lower, upper = self.bounds
        if any(p < low - TOUCH or p > high + TOUCH for p, low, high in zip(point, lower, upper, strict=True)):
            return False
        if self.half_spaces is not None:
            return self.half_spaces.depth(point) <= TOUCH
        return self.is_solid and (winding_number(*self.triangles(), point) > 0.5 or self._gap(point)[0] <= TOUCH)

    def nearest(self, point: Vector) -> SurfacePoint:
        """On the nearest triangle."""
        gap, foot, face = self._gap(point)
        inside = self.contains(point)
        if not inside and gap > 1e-12:
            x, y, z = ((p - q) / gap for p, q in zip(point, foot, strict=True))
            return SurfacePoint(gap, foot, (x, y, z))
        return SurfacePoint(-gap if inside else gap, foot, self._normal(face))

    def ray(self, origin: Vector, direction: Vector, reach: float) -> RayHit | None:
        """The first hit: on convex pieces exact to the touch, on a bare surface on its triangles."""
        if self.half_spaces is None:
            return self._surface_ray(origin, direction, reach)
        u, v, w = direction
        spans = self.half_spaces.trace(origin, direction, 0.0) or self.half_spaces.trace(origin, direction, TOUCH)
        best: RayHit | None = None
        for near, far, normal in spans:
            if far < TOUCH or near > reach + TOUCH:
                continue
            if near < -TOUCH:
                return RayHit(0.0, (-u, -v, -w), inside=True)
            if best is None or near < best.distance:
                best = RayHit(min(max(near, 0.0), reach), normal)
        return best

    def _surface_ray(self, origin: Vector, direction: Vector, reach: float) -> RayHit | None:
        centre, radius = self.sphere
        # Past the shape, whatever the reach: the last bits of a hit must not depend on it, nor being inside.
        far = (math.dist(origin, centre) + radius) * (1 + 1e-9)
        if self.is_solid:
            end = tuple(o + far * d for o, d in zip(origin, direction, strict=True))
            hits = solid.solid_of(self).ray_cast(list(origin), list(end))
            if not hits:
                return None
            found = (hits[0].distance * far, tuple(hits[0].normal))
        else:
            hit = first_hit(*self.triangles(), origin, direction, far)
            if hit is None:
                return None
            found = (hit[0], self._normal(hit[1]))
        at, (x, y, z) = found
        outward = x * direction[0] + y * direction[1] + z * direction[2] > 0.0
        if outward and self.is_solid:
            return RayHit(0.0, (-direction[0], -direction[1], -direction[2]), inside=True)
        if at > reach + TOUCH:
            return None
        return RayHit(min(at, reach), (-x, -y, -z) if outward else (x, y, z))

    def _gap(self, point: Vector) -> tuple[float, Vector, int]:
        return nearest_on_triangles(*self.triangles(), point)

    def _normal(self, face: int) -> Vector:
        vertices, faces = self.triangles()
        a, b, c = vertices[faces[face]]
        n = np.cross(b - a, c - a)
        x, y, z = (n / max(float(np.linalg.norm(n)), 1e-300)).tolist()
        return (x, y, z)
