"""Placed shapes: a shape at a pose, ready for repeated queries, and the convex pieces that coal uses.

coal computes in millimetres, with a tolerance of 1e-9 for separate bodies and 1e-7 for overlapping ones. Compared with
closed forms over random poses, gaps are within 2 nm and depths within 30 nm. In metres, or with one tolerance for
both, up to three quarters of the depths of parallel cylinders were wrong.
"""

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import IDENTITY, Array, Pose, Vector
from drycell.geometry.mass import Faces
from drycell.geometry.shape import Ball, Shape

if TYPE_CHECKING:
    import coal

    from drycell.geometry.primitives import Primitive


MILLI: Final = 1e3  # millimetres in a metre
MOST_PARTNERS: Final = 4096  # a run that creates many shapes must not keep all of them in memory

Extent = Callable[[float, float, float], float]
Measure = Callable[["coal.Transform3s", "coal.Transform3s", "coal.DistanceRequest", "coal.DistanceResult"], float]
_PACK: Final = struct.Struct("12d").pack_into  # writes into the memory of a numpy array: three times as fast as a slice
_REQUESTS: "dict[str, coal.DistanceRequest]" = {}


class Core:
    """A convex solid in its own frame, or the bare surface of a mesh that has too many convex pieces."""

    __slots__ = ("centre", "convex", "extent", "geometry", "partners", "primitive", "radius")

    def __init__(
        self,
        geometry: "coal.CollisionGeometry",
        extent: Extent,
        ball: tuple[Vector, float],
        *,
        primitive: "Primitive | None" = None,
        convex: bool = True,
    ) -> None:
        _initialise_boxes()
        geometry.computeLocalAABB()
        self.geometry = geometry
        self.extent = extent  # the extent along a direction of its own frame, in metres
        self.centre, self.radius = ball
        self.primitive = primitive  # its shape, if closed forms exist
        self.convex = convex
        self.partners: dict[Core, Measure] = {}

    def measure(self, other: "Core") -> Measure:
        """coal's prepared distance function for a pair, 0.3 µs faster per call than ``coal.distance``.

        It holds raw pointers. The dictionary that stores it keeps the other geometry alive.
        """
        import coal

        if len(self.partners) >= MOST_PARTNERS:
            self.partners.clear()
        made: Measure = coal.ComputeDistance(self.geometry, other.geometry)
        self.partners[other] = made
        return made


@cache
def _initialise_boxes() -> None:
    """Make coal use the exact size of boxes, before anything is measured.

    In coal, the direction of the first support query of any box in a process determines whether all boxes are enlarged
    by 1e-10 (`static const inflate` in getShapeSupport). Without this, the first query would affect every later run.
    """
    import coal

    boxes = [coal.Box(1.0, 1.0, 1.0) for _ in range(2)]
    for box in boxes:
        box.computeLocalAABB()
    askew = coal.Transform3s()
    askew.setTranslation(np.array((3.0, 2.0, 1.0)))  # no component of any direction is 0
    request = coal.DistanceRequest()
    request.gjk_initial_guess = coal.GJKInitialGuess.BoundingVolumeGuess
    coal.distance(boxes[0], coal.Transform3s(), boxes[1], askew, request, coal.DistanceResult())


@dataclass(frozen=True, slots=True)
class Piece:
    """A core placed in the frame of its shape."""

    core: Core
    pose: Pose = IDENTITY

    def at(self, pose: Pose) -> "Piece":
        """The piece in the frame in which its shape has a pose."""
        return Piece(self.core, pose @ self.pose)


def polytope(vertices: Array, faces: Faces) -> Core:
    """A convex polyhedron. (coal's own hulls abort the process if points are nearly coplanar.)"""
    import coal

    points = np.ascontiguousarray(vertices, dtype=float)
    cloud = coal.StdVec_Vec3s()
    for row in points * MILLI:
        cloud.append(row)
    corners = coal.StdVec_Triangle()
    for a, b, c in faces.tolist():
        corners.append(coal.Triangle(a, b, c))
    x, y, z = points.T.copy()

    def extent(u: float, v: float, w: float) -> float:
        return float((x * u + y * v + z * w).max())

    return Core(coal.Convex(cloud, corners), extent, ball_of(points))


def surface(vertices: Array, faces: Faces) -> Core:
    """A triangle surface with a tree of bounding volumes. It has no inside: distances from it are unsigned."""
    import coal

    model = coal.BVHModelOBBRSS()
    model.beginModel(len(faces), len(vertices))
    model.addVertices(np.ascontiguousarray(vertices * MILLI))
    model.addTriangles(np.ascontiguousarray(faces, dtype=np.int64))
    model.endModel()

    def extent(u: float, v: float, w: float) -> float:
        return float((vertices @ np.array((u, v, w))).max())

    return Core(model, extent, ball_of(vertices), convex=False)


def ball_of(points: Array) -> tuple[Vector, float]:
    """A sphere about the middle of the bounding box that encloses all points."""
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    x, y, z = middle.tolist()
    return (x, y, z), math.sqrt(float(((points - middle) ** 2).sum(axis=1).max()))


class Placed:
    """A shape at a pose. Changing the pose is cheap: coal is updated when a query needs it.

    Use an object from one thread only, because queries write into it.
    """

    __slots__ = (
        "_buffer", "_rotation", "_set", "_translation", "core", "cores", "hollow", "locals", "middle", "pose",
        "request", "result", "shape", "stale", "transform", "transforms",
    )  # fmt: skip

    core: Core | None  # for a shape with one convex piece: the fast path
    transform: "coal.Transform3s"
    middle: Vector  # the bounding sphere of a single piece, in the world

    def __init__(self, shape: Shape, pose: Pose = IDENTITY) -> None:
        import coal

        pieces = shape.pieces()
        self.shape = shape
        self.pose = pose
        self.cores = tuple(piece.core for piece in pieces)
        self.locals = tuple(None if piece.pose == IDENTITY else piece.pose for piece in pieces)
        self.transforms = tuple(coal.Transform3s() for _ in pieces)
        self.transform = self.transforms[0]
        self._set = self.transform.setTransform
        single = len(pieces) == 1 and self.cores[0].convex
        self.core = self.cores[0] if single else None
        self.hollow = any(not core.convex for core in self.cores)  # has a bare surface: coal does not treat it as solid
        self.request = distance_request("BoundingVolumeGuess")
        self.result = coal.DistanceResult()
        self.stale = True
        self._buffer = bytearray(96)
        numbers = np.frombuffer(self._buffer)
        self._rotation, self._translation = numbers[:9].reshape(3, 3), numbers[9:]

    def place(self, pose: Pose) -> None:
        """Change the pose."""
        self.pose = pose
        self.stale = True

    def settle(self) -> None:
        """Update the poses of all pieces in coal."""
        if self.core is not None:
            local = self.locals[0]
            a, b, c, x, d, e, f, y, g, h, i, z = self.pose.rows if local is None else (self.pose @ local).rows
            _PACK(self._buffer, 0, a, b, c, d, e, f, g, h, i, x * MILLI, y * MILLI, z * MILLI)
            self._set(self._rotation, self._translation)
            u, v, w = self.core.centre
            if u or v or w:
                x, y, z = x + a * u + b * v + c * w, y + d * u + e * v + f * w, z + g * u + h * v + i * w
            self.middle = (x, y, z)
        else:
            for local, transform in zip(self.locals, self.transforms, strict=True):
                placed = self.pose if local is None else self.pose @ local
                a, b, c, x, d, e, f, y, g, h, i, z = placed.rows
                _PACK(self._buffer, 0, a, b, c, d, e, f, g, h, i, x * MILLI, y * MILLI, z * MILLI)
                transform.setTransform(self._rotation, self._translation)
        self.stale = False

    @property
    def ball(self) -> Ball:
        """The bounding sphere in the world."""
        centre, radius = self.shape.sphere
        return self.pose.point(centre), radius

    def piece_pose(self, index: int) -> Pose:
        """The pose of a piece in the world."""
        local = self.locals[index]
        return self.pose if local is None else self.pose @ local

    def piece_centre(self, index: int) -> Vector:
        """The centre of a piece's bounding sphere in the world."""
        return self.piece_pose(index).point(self.cores[index].centre)


def distance_request(guess: str) -> "coal.DistanceRequest":
    """The settings of a distance query. It starts from a fixed guess, because results must not depend on history."""
    if guess not in _REQUESTS:
        import coal

        request = coal.DistanceRequest()
        request.gjk_tolerance = 1e-9
        request.epa_tolerance = 1e-7
        request.epa_max_iterations = 512  # with the default of 64, deep overlaps of round bodies are 0.5 % too small
        request.gjk_initial_guess = getattr(coal.GJKInitialGuess, guess)
        _REQUESTS[guess] = request
    return _REQUESTS[guess]
