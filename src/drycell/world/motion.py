"""Motions: a body's pose, relative to its parent, as an exact function of time.

Nothing is stepped. A motion gives the pose at an instant, and a rigorous bound on the speed over an interval. Monitors
and sensors use the bounds to skip work.
"""

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from drycell.base import Array, Pose, Vector, WorldError

FOREVER: Final = 1 << 62
ALWAYS: Final = -(1 << 62)
SECOND: Final = 1e-6  # seconds in a tick

Ticks = NDArray[np.int64]


class Motion(ABC):
    """A pose relative to a parent, exact on ``start``…``end`` and at rest before and after."""

    start: int = ALWAYS
    end: int = FOREVER

    @abstractmethod
    def pose(self, t: int) -> Pose:
        """The pose at an instant. This is the only function that computes it; batches are for culling."""

    @abstractmethod
    def bound(self, t0: int, t1: int) -> tuple[float, float]:
        """Rigorous bounds over ``t0``…``t1``: speed of the origin in m/s, angular speed in rad/s."""

    def batch(self, times: Ticks) -> tuple[Array, Array]:
        """Rotations (n, 3, 3) and positions (n, 3) at many instants, exact to 1e-9 m: for culling only."""
        poses = [self.pose(int(t)) for t in times]
        return np.array([p.rotation for p in poses]), np.array([p.position for p in poses])


class Rest(Motion):
    """A body at rest."""

    def __init__(self, pose: Pose) -> None:
        self._pose = pose

    def pose(self, t: int) -> Pose:
        return self._pose

    def bound(self, t0: int, t1: int) -> tuple[float, float]:
        return (0.0, 0.0)

    def batch(self, times: Ticks) -> tuple[Array, Array]:
        n = len(times)
        return (
            np.broadcast_to(self._pose.rotation, (n, 3, 3)),
            np.broadcast_to(self._pose.translation, (n, 3)),
        )


class _Shift(Motion):
    """A motion without rotation. The subclass defines the offset from the first position."""

    def __init__(self, start: int, end: int, pose: Pose) -> None:
        if end < start:
            raise WorldError(f"a motion cannot end at {end} µs, before its start at {start} µs")
        self.start, self.end, self.first = start, end, pose

    @abstractmethod
    def offset(self, u: float) -> Vector:
        """The shift after ``u`` seconds of motion."""

    @abstractmethod
    def offsets(self, u: Array) -> Array:
        """The shifts (n, 3) after many such durations."""

    def pose(self, t: int) -> Pose:
        x, y, z = self.offset((min(max(t, self.start), self.end) - self.start) * SECOND)
        return self.first.moved(x, y, z)

    def batch(self, times: Ticks) -> tuple[Array, Array]:
        u = (np.clip(times, self.start, self.end) - self.start).astype(float) * SECOND
        positions: Array = self.first.translation + self.offsets(u)
        return np.broadcast_to(self.first.rotation, (len(times), 3, 3)), positions


class Travel(_Shift):
    """Constant velocity, such as that of a part on a belt."""

    def __init__(self, start: int, end: int, pose: Pose, velocity: Sequence[float]) -> None:
        super().__init__(start, end, pose)
        vx, vy, vz = velocity
        self.velocity: Vector = (float(vx), float(vy), float(vz))

    def offset(self, u: float) -> Vector:
        vx, vy, vz = self.velocity
        return (vx * u, vy * u, vz * u)

    def offsets(self, u: Array) -> Array:
        return np.outer(u, self.velocity)

    def bound(self, t0: int, t1: int) -> tuple[float, float]:
        if t1 <= self.start or t0 >= self.end:
            return (0.0, 0.0)
        return (math.hypot(*self.velocity), 0.0)


class Fall(_Shift):
    """Free fall without rotation, for any gravity."""

    def __init__(
        self,
        start: int,
        end: int,
        pose: Pose,
        velocity: Sequence[float] = (0.0, 0.0, 0.0),
        gravity: Sequence[float] = (0.0, 0.0, -9.80665),
    ) -> None:
        super().__init__(start, end, pose)
        vx, vy, vz = velocity
        gx, gy, gz = gravity
        self.velocity: Vector = (float(vx), float(vy), float(vz))
        self.gravity: Vector = (float(gx), float(gy), float(gz))

    def offset(self, u: float) -> Vector:
        (vx, vy, vz), (gx, gy, gz), h = self.velocity, self.gravity, 0.5 * u * u
        return (vx * u + gx * h, vy * u + gy * h, vz * u + gz * h)

    def offsets(self, u: Array) -> Array:
        return np.outer(u, self.velocity) + np.outer(0.5 * u * u, self.gravity)

    def bound(self, t0: int, t1: int) -> tuple[float, float]:
        if t1 <= self.start or t0 >= self.end:
            return (0.0, 0.0)
        # Speed is a convex function of time, so its maximum is at an end of the interval.
        ends = (max(t0, self.start), min(t1, self.end))
        return (max(self._speed((t - self.start) * SECOND) for t in ends), 0.0)

    def _speed(self, u: float) -> float:
        return math.hypot(*(v + g * u for v, g in zip(self.velocity, self.gravity, strict=True)))


class Sampled(Motion):
    """Interpolates between poses, such as the results of physics that was computed ahead."""

    def __init__(self, times: Sequence[int], poses: Sequence[Pose]) -> None:
        if len(times) != len(poses) or len(times) < 2:
            raise WorldError(
                f"a sampled motion needs at least two poses, one for each time: {len(times)} times, {len(poses)} poses"
            )
        if any(b <= a for a, b in pairwise(times)):
            raise WorldError("the times of a sampled motion must increase")
        self.times, self.poses = tuple(times), tuple(poses)
        self.start, self.end = self.times[0], self.times[-1]
        self._bounds: list[tuple[float, float]] | None = None

    def pose(self, t: int) -> Pose:
        if t <= self.start:
            return self.poses[0]
        if t >= self.end:
            return self.poses[-1]
        i = bisect_right(self.times, t) - 1
        a, b = self.times[i], self.times[i + 1]
        return self.poses[i].towards(self.poses[i + 1], (t - a) / (b - a))

    def bound(self, t0: int, t1: int) -> tuple[float, float]:
        if t1 <= self.start or t0 >= self.end:
            return (0.0, 0.0)
        if self._bounds is None:
            self._bounds = [self._piece_bound(i) for i in range(len(self.times) - 1)]
        first = max(0, bisect_right(self.times, t0) - 1)
        last = min(len(self._bounds), bisect_right(self.times, t1))
        pieces = self._bounds[first:last]
        return (max(v for v, _ in pieces), max(w for _, w in pieces))

    def _piece_bound(self, i: int) -> tuple[float, float]:
        span = (self.times[i + 1] - self.times[i]) * SECOND
        metres = math.dist(self.poses[i].position, self.poses[i + 1].position)
        # Uses the arc tangent, like Pose.towards: near half a turn, the arc sine is accurate only to 1e-8.
        radians = math.hypot(*(self.poses[i].inverse() @ self.poses[i + 1]).rotation_vector)
        return (metres / span * (1 + 1e-9), radians / span * (1 + 1e-9))


class Tumble(Sampled):
    """The path of a part that tumbles on surfaces at rest, on which it may touch them. Recorded like its base."""
