"""Placed shapes: a shape set into the world for query after query, and the convex pieces that coal works on.

Inside, coal works in millimetres with a tolerance of 1e-9 for bodies apart and 1e-7 for bodies overlapping. Measured
over random placements against closed forms, that keeps gaps within 2 nm and depths within 30 nm; in metres, or with
one tolerance for both, up to three quarters of the depths of parallel cylinders came out wild.
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
MOST_PARTNERS: Final = 4096  # a run that keeps inventing shapes must not keep them all alive

Extent = Callable[[float, float, float], float]
Measure = Callable[["coal.Transform3s", "coal.Transform3s", "coal.DistanceRequest", "coal.DistanceResult"], float]
_PACK: Final = struct.Struct("12d").pack_into  # into the memory of a numpy array: three times quicker than a slice
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
        _settle_boxes()
        geometry.computeLocalAABB()
        self.geometry = geometry
        self.extent = extent  # how far it reaches along a direction of its own frame, in metres
        self.centre, self.radius = ball
        self.primitive = primitive  # the shape it is, where closed forms exist
        self.convex = convex
        self.partners: dict[Core, Measure] = {}

    def measure(self, other: "Core") -> Measure:
        """coal's prepared distance function for a pair: 0.3 µs quicker a call than ``coal.distance``.

        It holds bare pointers; the dictionary that holds it keeps the other geometry alive as well.
        """
        import coal

        if len(self.partners) >= MOST_PARTNERS:
            self.partners.clear()
        made: Measure = coal.ComputeDistance(self.geometry, other.geometry)
        self.partners[other] = made
        return made


@cache
def _settle_boxes() -> None:
    """Has coal decide, before anything is measured, that boxes are as large as they are.

    The first support of a box that it is ever asked for, in a process, settles by its direction whether all boxes are
    1e-10 larger (`static const inflate` in its getShapeSupport): what was measured first would reach into every run.
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
    """A core set into the frame of its shape."""

    core: Core
    pose: Pose = IDENTITY

    def at(self, pose: Pose) -> "Piece":
        """The same piece in a larger whole."""
        return Piece(self.core, pose @ self.pose)


def polytope(vertices: Array, faces: Faces) -> Core:
    """A convex polyhedron. (coal can hull points itself, but ends the process when they are nearly in a plane.)"""
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
    """A triangle surface with a tree of bounding volumes: distances to it are unsigned, it has no inside."""
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
    """A ball about the middle of the points' box that holds them all."""
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    x, y, z = middle.tolist()
    return (x, y, z), math.sqrt(float(((points - middle) ** 2).sum(axis=1).max()))


class Placed:
    """A shape at a pose. Placing it costs next to nothing; the engine is told when a query first needs it.

    One object serves one thread: queries write into it.
    """

    __slots__ = (
        "_buffer", "_rotation", "_set", "_translation", "core", "cores", "hollow", "locals", "middle", "pose",
        "request", "result", "shape", "stale", "transform", "transforms",
    )  # fmt: skip

    core: Core | None  # of a shape that is one convex piece, wherever on the shape: the fast path
    transform: "coal.Transform3s"
    middle: Vector  # of a single piece's ball, in the world

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
        self.hollow = any(not core.convex for core in self.cores)  # has bare surfaces, which coal sees no inside of
        self.request = distance_request("BoundingVolumeGuess")
        self.result = coal.DistanceResult()
        self.stale = True
        self._buffer = bytearray(96)
        numbers = np.frombuffer(self._buffer)
        self._rotation, self._translation = numbers[:9].reshape(3, 3), numbers[9:]

    def place(self, pose: Pose) -> None:
        """Put the shape elsewhere."""
        self.pose = pose
        self.stale = True

    def settle(self) -> None:
        """Tell the engine where every piece is."""
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
        """A ball in the world that holds the shape."""
        centre, radius = self.shape.sphere
        return self.pose.point(centre), radius

    def piece_pose(self, index: int) -> Pose:
        """Where a piece is in the world."""
        local = self.locals[index]
        return self.pose if local is None else self.pose @ local

    def piece_centre(self, index: int) -> Vector:
        """The middle of a piece's ball in the world."""
        return self.piece_pose(index).point(self.cores[index].centre)


def distance_request(guess: str) -> "coal.DistanceRequest":
    """The settings of a distance query; no guess is carried over, for results must not depend on history."""
    if guess not in _REQUESTS:
        import coal

        request = coal.DistanceRequest()
        request.gjk_tolerance = 1e-9
        request.epa_tolerance = 1e-7
        request.epa_max_iterations = 512  # the usual 64 leave deep overlaps of round bodies 0.5 % short
        request.gjk_initial_guess = getattr(coal.GJKInitialGuess, guess)
        _REQUESTS[guess] = request
    return _REQUESTS[guess]
