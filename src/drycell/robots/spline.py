"""Splines: joint motions as piecewise cubics in seconds from their start, which can be cut, added and stretched."""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from drycell.base import Array
from drycell.handling import TimeLaw
from drycell.world import JointTrajectory


class Spline:
    """Joint values q(u), u in seconds: ``breaks`` (k+1,) from 0, ``coefficients`` (k, 4, dof) as in a trajectory.

    ``end`` are the exact joints at the end, which the last piece misses by rounding. The next move is planned from
    them, so that a program in a loop repeats its moves bit for bit.
    """

    def __init__(self, breaks: Array, coefficients: Array, end: Sequence[float] | None = None) -> None:
        self.breaks, self.coefficients = breaks, coefficients
        self.end: tuple[float, ...] = tuple(self.joints(float(breaks[-1])) if end is None else end)

    @classmethod
    def along(
        cls, start: Sequence[float], direction: Sequence[float], law: TimeLaw, end: Sequence[float] | None = None
    ) -> "Spline":
        """A straight motion in joint space: start + s(u) · direction. It is exact, as laws are cubics."""
        pieces = np.array(law.pieces)
        coefficients = pieces[:, :, None] * np.asarray(direction, dtype=float)
        coefficients[:, 0] += np.asarray(start, dtype=float)
        return cls(np.array(law.breaks), coefficients, end)

    @classmethod
    def axes(cls, laws: Sequence[TimeLaw], end: Sequence[float] | None = None) -> "Spline":
        """A motion in which each joint has its own time law."""
        breaks = np.unique(np.concatenate([law.breaks for law in laws]))
        if len(breaks) == 1:
            breaks = np.zeros(2)
        coefficients = np.zeros((len(breaks) - 1, 4, len(laws)))
        for joint, law in enumerate(laws):
            coefficients[:, :, joint] = _resampled(np.array(law.breaks), np.array(law.pieces)[:, :, None], breaks)[
                ..., 0
            ]
        return cls(breaks, coefficients, end)

    @classmethod
    def through(cls, times: Array, joints: Array, speeds: Array) -> "Spline":
        """The cubic Hermite spline with given values and speeds (n, dof) at n increasing times."""
        h = np.diff(times)[:, None]
        rise = np.diff(joints, axis=0) / h
        coefficients = np.empty((len(h), 4, joints.shape[1]))
        coefficients[:, 0], coefficients[:, 1] = joints[:-1], speeds[:-1]
        coefficients[:, 2] = (3 * rise - 2 * speeds[:-1] - speeds[1:]) / h
        coefficients[:, 3] = (speeds[:-1] + speeds[1:] - 2 * rise) / h**2
        return cls(times - times[0], coefficients, joints[-1].tolist())

    @property
    def duration(self) -> float:
        """Seconds from start to end."""
        return float(self.breaks[-1])

    @cached_property
    def _starts(self) -> list[float]:
        starts: list[float] = self.breaks.tolist()
        return starts

    def joints(self, u: float) -> list[float]:
        """The joint values after ``u`` seconds; at rest before the start and after the end."""
        c, v = self._piece(u)
        joints: list[float] = (((c[3] * v + c[2]) * v + c[1]) * v + c[0]).tolist()
        return joints

    def speeds(self, u: float) -> list[float]:
        """The joint speeds after ``u`` seconds."""
        c, v = self._piece(u)
        speeds: list[float] = ((3 * c[3] * v + 2 * c[2]) * v + c[1]).tolist()
        return speeds

    def _piece(self, u: float) -> tuple[Array, float]:
        u = min(max(u, 0.0), self._starts[-1])
        i = min(bisect_right(self._starts, u) - 1, len(self._starts) - 2)
        return self.coefficients[i], u - self._starts[i]

    @cached_property
    def top_speeds(self) -> Array:
        """The maximum speed of each joint: at a break, or at the vertex of a piece's parabola."""
        c1, c2, c3 = (self.coefficients[:, k] for k in (1, 2, 3))
        h = np.diff(self.breaks)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            vertex = -c2 / (3 * c3)
        inside = (vertex > 0) & (vertex < h)
        at_vertex = np.where(inside, c1 + c2 * np.where(inside, vertex, 0.0), 0.0)
        top: Array = np.max(np.abs((c1, c1 + (2 * c2 + 3 * c3 * h) * h, at_vertex)), axis=(0, 1))
        return top

    @cached_property
    def top_accelerations(self) -> Array:
        """The maximum acceleration of each joint, which is at an end of a piece, as it is linear in each."""
        c2, c3 = self.coefficients[:, 2], self.coefficients[:, 3]
        h = np.diff(self.breaks)[:, None]
        top: Array = np.max(np.abs((2 * c2, 2 * c2 + 6 * c3 * h)), axis=(0, 1))
        return top

    def of_joints(self, first: int, last: int) -> "Spline":
        """The motion of some of the joints, from ``first`` to before ``last``."""
        return Spline(self.breaks, self.coefficients[:, :, first:last], self.end[first:last])

    def after(self, u: float) -> "Spline":
        """The rest of the motion after ``u`` seconds, shifted to start at 0."""
        if u <= 0.0:
            return self
        if u >= self.duration:
            return rest(self.end)
        breaks = np.concatenate(([u], self.breaks[self.breaks > u]))
        return Spline(breaks - u, _resampled(self.breaks, self.coefficients, breaks), self.end)

    def stretched(self, factor: float) -> "Spline":
        """This motion, made ``factor`` times longer in time."""
        scale = np.array([1.0, 1 / factor, 1 / factor**2, 1 / factor**3])
        return Spline(self.breaks * factor, self.coefficients * scale[None, :, None], self.end)

    def plus(self, other: "Spline", at: float, corner: Sequence[float]) -> "Spline":
        """The sum of this motion and another that begins after ``at`` seconds: q + other − corner."""
        breaks = np.unique(np.concatenate((self.breaks, other.breaks + at)))
        end = other.end
        if self.end != tuple(corner):
            end = tuple(p + q - c for p, q, c in zip(self.end, other.end, corner, strict=True))
        total = _resampled(self.breaks, self.coefficients, breaks)
        total = total + _resampled(other.breaks + at, other.coefficients, breaks)
        total[:, 0] -= np.asarray(corner, dtype=float)
        return Spline(breaks, total, end)

    def trajectory(self, start: int) -> JointTrajectory:
        """The trajectory for a linkage, starting at a tick."""
        return JointTrajectory(start, self.breaks, self.coefficients)


def rest(joints: Sequence[float]) -> Spline:
    """A motion of no duration."""
    coefficients = np.zeros((1, 4, len(joints)))
    coefficients[0, 0] = joints
    return Spline(np.zeros(2), coefficients, joints)


def _resampled(breaks: Array, coefficients: Array, wanted: Array) -> Array:
    """Split cubics at other breaks, which include the old ones; the motion is at rest before and after."""
    starts = wanted[:-1]
    middles = 0.5 * (starts + wanted[1:])
    piece = np.clip(np.searchsorted(breaks, middles, side="right") - 1, 0, len(coefficients) - 1)
    c0, c1, c2, c3 = (coefficients[piece, k] for k in range(4))
    # Outside the motion every piece is constant.
    u = np.clip(starts, breaks[0], breaks[-1]) - breaks[piece]
    v = u[:, None]
    shifted = np.stack((((c3 * v + c2) * v + c1) * v + c0, (3 * c3 * v + 2 * c2) * v + c1, 3 * c3 * v + c2, c3), axis=1)
    shifted[(middles < breaks[0]) | (middles > breaks[-1]), 1:] = 0.0
    return shifted
