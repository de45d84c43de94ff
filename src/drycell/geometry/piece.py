"""Pieces: what the distance engine knows of a shape.

Inside, coal works in millimetres with a tolerance of 1e-9 for bodies apart and 1e-7 for bodies overlapping. Measured
over random placements against closed forms, that keeps gaps within 2 nm and depths within 30 nm; in metres, or with
one tolerance for both, up to three quarters of the depths of parallel cylinders came out wild.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import IDENTITY, Array, Pose, Vector
from drycell.geometry.mass import Faces

if TYPE_CHECKING:
    import coal

    from drycell.geometry.primitive import Primitive

MILLI: Final = 1e3  # millimetres in a metre
MOST_PARTNERS: Final = 4096  # a run that keeps inventing shapes must not keep them all alive

Extent = Callable[[float, float, float], float]
Measure = Callable[["coal.Transform3s", "coal.Transform3s", "coal.DistanceRequest", "coal.DistanceResult"], float]


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
