"""Placed: a shape set into the world, ready for query after query."""

import struct
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import IDENTITY, Pose, Vector
from drycell.geometry.piece import MILLI, Core
from drycell.geometry.shape import Ball, Shape

if TYPE_CHECKING:
    import coal

_PACK: Final = struct.Struct("12d").pack_into  # into the memory of a numpy array: three times quicker than a slice


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


_REQUESTS: "dict[str, coal.DistanceRequest]" = {}


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
