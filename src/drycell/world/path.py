"""Paths of straight lines and circular arcs, and motion along them at constant speed, such as that of a tray."""

import math
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from drycell.base import IDENTITY, Pose, WorldError
from drycell.world.motion import SECOND, Motion

STRAIGHT: Final = 1e-12  # curvature in 1/m below which a piece is straight


@dataclass(frozen=True, slots=True)
class ArcPathPiece:
    """A straight line or an arc in the xy plane of its start: it begins along x and turns left for positive curvature.

    Args:
        start: The pose at its beginning.
        length: Its length in metres.
        curvature: One over its radius, in 1/m; 0 for a straight line.
    """

    start: Pose
    length: float
    curvature: float = 0.0

    def pose(self, u: float) -> Pose:
        """Return the pose at a distance from its beginning, in metres."""
        k = self.curvature
        if abs(k) < STRAIGHT:
            return self.start @ Pose(u)
        turned = k * u
        return self.start @ Pose(math.sin(turned) / k, (1.0 - math.cos(turned)) / k) @ Pose.turn_z(turned)

    def part(self, u0: float, u1: float) -> "ArcPathPiece":
        """Return the part of it between two distances from its beginning."""
        return ArcPathPiece(self.pose(u0), u1 - u0, self.curvature)


@dataclass(frozen=True, eq=False)
class ArcPath:
    """Pieces that continue each other. Places on the path are distances along it, in metres.

    >>> import math
    >>> from drycell.world import ArcPath
    >>> bend = ArcPath.of([(1.0, 0.0), (math.pi / 4, 2.0)])  # 1 m straight, then a quarter turn left of radius 0.5 m
    >>> [round(value, 6) for value in bend.pose(bend.end).position]
    [1.5, 0.5, 0.0]
    """

    pieces: tuple[ArcPathPiece, ...]
    """The pieces, in order."""
    begin: float = 0.0
    """The place of the beginning."""
    closed: bool = False
    """Whether it continues at its beginning after its end, round and round."""

    @classmethod
    def of(cls, lengths: "Iterable[tuple[float, float]]", start: Pose = IDENTITY, *, closed: bool = False) -> "ArcPath":
        """Return a path of pieces given as (length in metres, curvature in 1/m).

        Args:
            lengths: Lengths and curvatures of the pieces.
            start: The pose at the beginning.
            closed: Whether it is a loop.

        Raises:
            WorldError: A length is not above 0, or there are no pieces.
        """
        pieces = []
        for length, curvature in lengths:
            if not 0.0 < length < math.inf:
                raise WorldError(f"a piece of a path cannot be {length:g} m long", hint="give a length above 0")
            pieces.append(ArcPathPiece(start, length, curvature))
            start = pieces[-1].pose(length)
        if not pieces:
            raise WorldError("a path needs at least one piece", hint="give a straight line or an arc")
        return cls(tuple(pieces), closed=closed)

    @cached_property
    def _begins(self) -> tuple[float, ...]:
        """The place at which each piece begins, then the end."""
        places = [self.begin]
        for piece in self.pieces:
            places.append(places[-1] + piece.length)
        return tuple(places)

    @property
    def end(self) -> float:
        """The place of the end; for a loop the length of a lap after the beginning."""
        return self._begins[-1]

    @property
    def length(self) -> float:
        """The length in metres."""
        return self.end - self.begin

    @cached_property
    def curvature(self) -> float:
        """The largest curvature, in 1/m, regardless of its direction."""
        return max(abs(piece.curvature) for piece in self.pieces)

    def pose(self, place: float) -> Pose:
        """Return the pose at a place. Beyond the ends, an open path stays at its ends."""
        if self.closed:
            place = self.begin + (place - self.begin) % self.length
        else:
            place = min(max(place, self.begin), self.end)
        index = min(bisect_right(self._begins, place), len(self.pieces)) - 1
        return self.pieces[index].pose(place - self._begins[index])

    def part(self, begin: float, end: float) -> tuple[ArcPathPiece, ...]:
        """Return the pieces between two places of an open path, or between two places of a loop up to a lap apart."""
        if self.closed:
            lap = math.floor((begin - self.begin) / self.length) * self.length
            begin, end = begin - lap, end - lap
            if end > self.end:
                return (*self._cut(begin, self.end), *self._cut(self.begin, self.begin + end - self.end))
        return self._cut(begin, end)

    def _cut(self, begin: float, end: float) -> tuple[ArcPathPiece, ...]:
        found = []
        for piece, start in zip(self.pieces, self._begins, strict=False):
            low, high = max(begin - start, 0.0), min(end - start, piece.length)
            if high - low > 1e-12:
                found.append(piece.part(low, high))
        return tuple(found)

    def seen_from(self, frame: Pose) -> "ArcPath":
        """Return the same path with poses relative to a frame; the frame is given relative to the present one."""
        inverse = frame.inverse()
        moved = (ArcPathPiece(inverse @ piece.start, piece.length, piece.curvature) for piece in self.pieces)
        return ArcPath(tuple(moved), self.begin, self.closed)


class Along(Motion):
    """Motion along a path at constant speed, with the body's x axis along the path.

    Args:
        start: When it starts, in ticks.
        end: When it ends, in ticks.
        path: The path, relative to the body's parent.
        place: The place on the path at the start, in metres.
        speed: The speed in m/s.
        offset: The pose of the body relative to the path, such as its height above it.
    """

    def __init__(
        self, start: int, end: int, path: ArcPath, place: float, speed: float, offset: Pose = IDENTITY
    ) -> None:
        if end < start:
            raise WorldError(f"a motion cannot end at {end} µs, before its start at {start} µs")
        self.start, self.end, self.path, self.place, self.speed, self.offset = start, end, path, place, speed, offset

    def pose(self, t: int) -> Pose:
        u = (min(max(t, self.start), self.end) - self.start) * SECOND
        return self.path.pose(self.place + self.speed * u) @ self.offset

    def bound(self, t0: int, t1: int) -> tuple[float, float]:
        if t1 <= self.start or t0 >= self.end:
            return (0.0, 0.0)
        turn = self.speed * self.path.curvature
        return (self.speed + turn * math.hypot(*self.offset.position[:2]), turn)
