"""Polyhedra: meshes and prisms, stored as triangles."""

import contextlib
import hashlib
import math
from abc import abstractmethod
from functools import cached_property
from typing import Annotated, Final, cast

import numpy as np

from drycell.base import Array, GeometryError, Many, Quantity, Several, Size, Vector, format_length
from drycell.geometry import checks, convex_decomposition, mass, solid, triangles
from drycell.geometry.exact_solid import ExactSolid
from drycell.geometry.mass import Faces, MassProperties
from drycell.geometry.placed import Piece, ball_of, polytope, surface
from drycell.geometry.primitives import TOUCH
from drycell.geometry.shape import Ball, Bounds, RayHit, Shape, SurfacePoint, content
from drycell.geometry.triangles import first_hit, nearest_on_triangles, winding_number

MOST_EDGES: Final = 200  # edges at one corner; coal's hulls allow 255
MOST_PLANES: Final = 4096  # triangles; above this, a tree finds the hit of a ray faster
MOST_TRIANGLES: Final = 2_000_000
MOST_WELDED: Final = 64  # average number of vertices within the tolerance of a vertex
WELDED: Final = (1e-12, 1e-9, 1e-7, 1e-6)
"""Tolerances for merging vertices, as fractions of the largest coordinate, tried in this order."""
Outline = Annotated[tuple[tuple[float, float], ...], Many(Several((Quantity("length"),) * 2, "[30 mm, 0 mm]"))]
MOST_POINTS: Final = 2000


class Polyhedron(Shape):
    """Triangles, counter-clockwise seen from outside.

    A closed polyhedron is cut into exact convex pieces for distances, rays and containment. An open one, or one with
    more than 128 pieces, is a bare *surface*: distances from it are unsigned until it is known to enclose or cut the
    other body (proximity.py), and a ray that grazes an edge may hit or miss.
    """

    @abstractmethod
    def triangles(self, deviation: float | None = None) -> tuple[Array, Faces]:
        """The exact triangles, independent of the deviation."""

    @cached_property
    def open_edges(self) -> int:
        """The number of edges that are not shared by two triangles; 0 for a solid."""
        return triangles.open_edges(self.triangles()[1])

    @property
    def is_solid(self) -> bool:
        """Whether the surface is closed."""
        return self.open_edges == 0

    @cached_property
    def bounds(self) -> Bounds:
        """The tight bounding box."""
        vertices, _ = self.triangles()
        (a, b, c), (x, y, z) = vertices.min(axis=0).tolist(), vertices.max(axis=0).tolist()
        return (a, b, c), (x, y, z)

    @cached_property
    def sphere(self) -> Ball:
        """A sphere around the centre of the box, through the farthest vertex."""
        centre, radius = ball_of(self.triangles()[0])
        return centre, radius * (1 + 1e-12)

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Exact integrals over the triangles."""
        if not self.is_solid:
            raise GeometryError(
                f"a mesh with {self.open_edges} open edges encloses no volume",
                hint="close the surface in the CAD system, or set the mass of the body",
            )
        return mass.of_triangles(*self.triangles())

    @property
    def half_spaces(self) -> convex_decomposition.HalfSpaces | None:
        """The convex pieces as half-spaces; None for a bare surface or a very fine mesh."""
        built = self.engines.built
        if "half-spaces" not in built:
            parts = self._parts() if len(self.triangles()[1]) <= MOST_PLANES else None
            built["half-spaces"] = None if parts is None else convex_decomposition.HalfSpaces.of(parts)
        return cast("convex_decomposition.HalfSpaces | None", built["half-spaces"])

    def _parts(self) -> list[convex_decomposition.ConvexMesh] | None:
        built = self.engines.built
        if "parts" not in built:
            built["parts"] = None
            if self.is_solid:
                with contextlib.suppress(GeometryError):  # closed, but not valid for booleans: it stays a surface
                    built["parts"] = convex_decomposition.convex_parts(*self.triangles())
        return cast("list[convex_decomposition.ConvexMesh] | None", built["parts"])

    def build_pieces(self) -> tuple[Piece, ...]:
        """The exact convex pieces, or the bare surface."""
        parts = self._parts()
        if parts is not None and all(np.bincount(part.faces.ravel()).max() <= MOST_EDGES for part in parts):
            return tuple(Piece(polytope(part.vertices, part.faces)) for part in parts)
        return (Piece(surface(*self.triangles())),)

    def contains(self, point: Vector) -> bool:
        """Whether a point is inside or on the surface. An open mesh contains nothing."""
        lower, upper = self.bounds
        if any(p < low - TOUCH or p > high + TOUCH for p, low, high in zip(point, lower, upper, strict=True)):
            return False
        if self.half_spaces is not None:
            return self.half_spaces.depth(point) <= TOUCH
        return self.is_solid and (winding_number(*self.triangles(), point) > 0.5 or self._gap(point)[0] <= TOUCH)

    def nearest(self, point: Vector) -> SurfacePoint:
        """The nearest point of any triangle."""
        gap, foot, face = self._gap(point)
        inside = self.contains(point)
        if not inside and gap > 1e-12:
            x, y, z = ((p - q) / gap for p, q in zip(point, foot, strict=True))
            return SurfacePoint(gap, foot, (x, y, z))
        return SurfacePoint(-gap if inside else gap, foot, self._normal(face))

    def ray(self, origin: Vector, direction: Vector, reach: float) -> RayHit | None:
        """The first hit: exact on convex pieces, on the triangles of a bare surface otherwise."""
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
        # Always ends beyond the shape, so that the last bits of a hit do not depend on the reach.
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


class Mesh(Polyhedron, kw_only=False):
    """A triangle mesh: vertices (n, 3) in metres and faces (m, 3), counter-clockwise seen from outside.

    Vertices that are closer than a millionth of the mesh's size are merged if that closes the surface, triangles
    without area are dropped, and a closed surface that is inside out is reversed.
    """

    vertices: Array
    """Corners (n, 3), in metres."""
    faces: Faces
    """Indices of the corners of each triangle (m, 3), counter-clockwise seen from outside."""
    sources: tuple[ExactSolid, ...] = ()
    """The solids and holes that it was merged from."""

    def __post_init__(self) -> None:
        vertices = np.array(self.vertices, dtype=float)
        faces = np.array(self.faces)
        if vertices.ndim != 2 or vertices.shape[1:] != (3,) or faces.ndim != 2 or faces.shape[1:] != (3,):
            raise GeometryError(
                f"mesh: vertices are {vertices.shape} and faces {faces.shape} but must be (n, 3) and (m, 3)",
                hint="give triangles; split polygons first",
            )
        if not len(faces):
            raise GeometryError("mesh: the list of triangles is empty", hint="a solid has at least four")
        if len(faces) > MOST_TRIANGLES:
            raise GeometryError(
                f"mesh: {len(faces)} triangles; the limit is {MOST_TRIANGLES}", hint="export it with coarser facets"
            )
        if not np.issubdtype(faces.dtype, np.integer) or faces.min() < 0 or faces.max() >= len(vertices):
            raise GeometryError(
                f"mesh: faces use vertices {faces.min()}..{faces.max()}, but the mesh has 0..{len(vertices) - 1}",
                hint="faces count vertices from 0",
            )
        bad = int(np.count_nonzero(~np.isfinite(vertices).all(axis=1)))
        if bad:
            raise GeometryError(
                f"mesh: {bad} of {len(vertices)} vertices are not finite numbers", hint="export it again"
            )
        if float(np.abs(vertices).max()) > checks.LARGEST:
            raise GeometryError(
                f"mesh: a vertex is {np.abs(vertices).max():g} m from the origin; the limit is {checks.LARGEST:g} m",
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
        """Vertices and faces, both read-only."""
        return self.vertices, self.faces

    def true_nearest(self, point: Vector) -> SurfacePoint:
        """The nearest point of any triangle, moved to the exact surface of the solid or hole that it came from."""
        near = self.nearest(point)
        found = [each for source in self.sources if (each := source.surface_point(near)) is not None]
        if not found:
            return near
        exact = min(found, key=lambda each: abs(each.distance))
        return SurfacePoint(math.copysign(math.dist(point, exact.point), near.distance), exact.point, exact.normal)

    def hull(self) -> "Mesh":
        """The convex hull of the vertices. Raises GeometryError if they lie in a plane."""
        found = convex_decomposition.convex_hull(self.vertices)
        if found is None:
            raise GeometryError("mesh: all vertices lie in a plane, so they enclose no volume", hint="use a thin box")
        return Mesh(found.vertices, found.faces)

    def __repr__(self) -> str:
        return f"Mesh({len(self.vertices)} vertices, {len(self.faces)} triangles)"


def _tidy(vertices: Array, faces: Faces) -> tuple[Array, Faces]:
    """Merge vertices if needed, drop triangles without area, reverse an inside-out surface, and make it read-only."""
    if triangles.open_edges(faces):  # a closed surface is not changed: corners that only touch must not be merged
        vertices, index = np.unique(vertices + 0.0, axis=0, return_inverse=True)
        faces = _with_corners(index.ravel()[faces])
        vertices, faces = _welded(vertices, faces)
    faces = _with_corners(faces)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    if not len(faces) or not np.linalg.norm(np.cross(b - a, c - a), axis=1).max() > 0.0:
        raise GeometryError("mesh: no triangle has an area", hint="check the units and the export settings")
    if triangles.open_edges(faces) == 0 and mass.of_triangles(vertices, faces).volume < 0.0:
        faces = faces[:, ::-1]
    vertices, faces = np.ascontiguousarray(vertices), np.ascontiguousarray(faces)
    vertices.setflags(write=False)
    faces.setflags(write=False)
    return vertices, faces


def _with_corners(faces: Faces) -> Faces:
    """The triangles with three different corners."""
    kept: Faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])]
    return kept


def _welded(vertices: Array, faces: Faces) -> tuple[Array, Faces]:
    """Merge vertices that differ by rounding in a CAD system, with the smallest tolerance that closes the surface.

    If no tolerance closes it, the mesh is returned unchanged.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    if len(faces) and triangles.open_edges(faces):
        size = float(np.abs(vertices).max())
        tree = cKDTree(vertices)
        for tolerance in WELDED:
            if tree.count_neighbors(tree, tolerance * size) > MOST_WELDED * len(vertices):
                break  # the tolerance is larger than the details, and the list of pairs could fill the memory
            pairs = tree.query_pairs(tolerance * size, output_type="ndarray")
            if not len(pairs):
                continue
            graph = coo_array((np.ones(len(pairs)), pairs.T), shape=(len(vertices), len(vertices)))
            group = connected_components(graph, directed=False)[1]
            _, first = np.unique(group, return_index=True)  # the first of the merged vertices is kept
            merged = _with_corners(first[group][faces])
            if len(merged) and triangles.open_edges(merged) == 0:
                used, index = np.unique(merged, return_inverse=True)
                return vertices[used], index.reshape(-1, 3)
    return vertices, faces


class Prism(
    Polyhedron,
    kind="prism",
    kw_only=False,
    icon="details",
    example={"outline": [["0 mm", "0 mm"], ["100 mm", "0 mm"], ["0 mm", "100 mm"]], "length": "100 mm"},
):
    """A polygon extruded along z, centred at z = 0.

    The outline may be concave and run in either direction, but must not cross itself.

    >>> from drycell import Prism, mm
    >>> wedge = Prism(((0, 0), (100*mm, 0), (0, 60*mm)), length=20*mm)
    >>> round(wedge.volume * 1e9)  # mm³
    60000
    """

    outline: Outline
    """Corners (x, y) in order. The last is joined to the first."""
    length: Size
    """Length along z."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", checks.size("prism", "length", self.length))
        points = tuple((float(x) + 0.0, float(y) + 0.0) for x, y in self.outline)
        if len(points) > 1 and points[0] == points[-1]:
            points = points[:-1]
        _check(points)
        object.__setattr__(self, "outline", points if _area(points) > 0 else points[::-1])

    @cached_property
    def key(self) -> str:
        """Kind, length and outline."""
        return content("prism", self.length, *(value for point in self.outline for value in point))

    @cached_property
    def _triangles(self) -> tuple[Array, Faces]:
        import manifold3d

        flat = np.array(self.outline)
        count, half = len(flat), self.length / 2
        lids = np.asarray(manifold3d.triangulate([flat])).astype(np.int64)
        k = np.arange(count)
        n = (k + 1) % count
        low = np.column_stack((flat, np.full(count, -half)))
        high = np.column_stack((flat, np.full(count, half)))
        walls = (np.column_stack((k, n, n + count)), np.column_stack((k, n + count, k + count)))
        return np.concatenate((low, high)), np.concatenate((lids[:, ::-1], lids + count, *walls))

    def triangles(self, deviation: float | None = None) -> tuple[Array, Faces]:
        """Bottom, top and side walls."""
        return self._triangles


def _area(points: Outline) -> float:
    return 0.5 * math.fsum(a[0] * b[1] - b[0] * a[1] for a, b in _sides(points))


def _sides(points: Outline) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    return list(zip(points, points[1:] + points[:1], strict=True))


def _check(points: Outline) -> None:
    if not 3 <= len(points) <= MOST_POINTS:
        raise GeometryError(
            f"prism: the outline has {len(points)} points, but must have 3 to {MOST_POINTS}",
            hint="give each corner once",
        )
    flat = np.array(points)
    if not np.isfinite(flat).all() or float(np.abs(flat).max()) > checks.LARGEST:
        raise GeometryError("prism: a point of the outline is not finite", hint="write (10*mm, 20*mm)")
    sides = _sides(points)
    for index, (a, b) in enumerate(sides):
        if a == b:
            raise GeometryError(
                f"prism: points {index} and {(index + 1) % len(points)} of the outline are the same, {_text(a)}",
                hint="give each corner once",
            )
    start, along = flat, np.roll(flat, -1, axis=0) - flat
    for index in range(len(points) - 1):
        others = np.arange(index + 1, len(points))
        if index == 0:
            others = others[:-1]
        crossed = others[_meets(start[index], along[index], start[others], along[others], others == index + 1)]
        if len(crossed):
            other = int(crossed[0])
            raise GeometryError(
                f"prism: side {index} ({_text(sides[index][0])} to {_text(sides[index][1])}) crosses side {other} "
                f"({_text(sides[other][0])} to {_text(sides[other][1])})",
                hint="give the corners in order around the outline",
            )
    a, b = along[-1], along[0]
    if a[0] * b[1] - a[1] * b[0] == 0.0 and float(a @ b) < 0.0:
        raise GeometryError(f"prism: the outline turns back on itself at {_text(points[0])}", hint="remove that corner")
    if abs(_area(points)) <= 0.0:
        raise GeometryError(
            "prism: the outline has no area", hint="give at least three corners that are not on one line"
        )


def _meets(p: Array, r: Array, q: Array, s: Array, follows: Array) -> Array:
    """Return which sides q…q+s meet the side p…p+r. The next side may touch its end, but not fold back on it."""
    cross = r[0] * s[:, 1] - r[1] * s[:, 0]
    gap = q - p
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (gap[:, 0] * s[:, 1] - gap[:, 1] * s[:, 0]) / cross
        u = (gap[:, 0] * r[1] - gap[:, 1] * r[0]) / cross
    proper = (cross != 0.0) & (t >= 0.0) & (t <= 1.0) & (u >= 0.0) & (u <= 1.0)
    square = float(r @ r)
    in_line = (cross == 0.0) & (np.abs(gap[:, 0] * r[1] - gap[:, 1] * r[0]) <= 1e-15 * square)
    first, second = gap @ r / square, (gap + s) @ r / square
    overlaps = in_line & (np.maximum(first, second) >= 0.0) & (np.minimum(first, second) <= 1.0)
    back = in_line & (second < 1.0)
    meets: Array = np.where(follows, back, proper | overlaps)
    return meets


def _text(point: tuple[float, float]) -> str:
    return f"({format_length(point[0])}, {format_length(point[1])})"
