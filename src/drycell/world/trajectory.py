"""Joint trajectories: every motion of a mechanism is a piecewise cubic function of time."""

import math
from bisect import bisect_right
from functools import cached_property, lru_cache
from hashlib import blake2b
from weakref import WeakValueDictionary

import numpy as np

from drycell.base import Array, WorldError
from drycell.world.motion import SECOND, Ticks

Piece = tuple[tuple[float, ...], ...]


class JointCurve:
    """The cubics without a start time. Equal curves are one object, however often a program repeats a motion."""

    def __init__(self, breaks: Array, coefficients: Array, digest: bytes) -> None:
        self.breaks, self.coefficients, self.digest = breaks, coefficients, digest

    @cached_property
    def top_speeds(self) -> Array:
        """The largest |speed| of each joint in each piece: at an end of the piece, or at the vertex of the parabola."""
        c1, c2, c3 = (self.coefficients[:, k] for k in (1, 2, 3))
        span = np.diff(self.breaks)[:, None]
        at_end = np.abs(c1 + (2 * c2 + 3 * c3 * span) * span)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            vertex = -c2 / (3 * c3)
        inside = np.isfinite(vertex) & (vertex > 0) & (vertex < span)
        at_vertex = np.where(inside, np.abs(c1 + c2 * np.where(inside, vertex, 0.0)), 0.0)
        top: Array = np.maximum(np.maximum(np.abs(c1), at_end), at_vertex) * (1 + 1e-12)
        return top


_curves: WeakValueDictionary[bytes, JointCurve] = WeakValueDictionary()


def _curve(breaks: Array, coefficients: Array) -> JointCurve:
    digest = blake2b(breaks.tobytes() + coefficients.tobytes(), digest_size=20).digest()
    found = _curves.get(digest)
    if found is None:
        found = _curves[digest] = JointCurve(breaks, coefficients, digest)
    return found


# Evaluation is fastest with plain floats, which need four times the memory, so only recently used curves have them.
@lru_cache(maxsize=256)
def _plain(curve: JointCurve) -> tuple[list[float], list[Piece]]:
    return curve.breaks.tolist(), [tuple(map(tuple, piece)) for piece in curve.coefficients.tolist()]


class JointTrajectory:
    """Joint values as cubic polynomials of time, piece by piece.

    ``breaks`` are seconds from ``start``, one more than there are pieces; ``coefficients`` is (pieces, 4, joints): in
    piece i, u seconds after its break, a joint is at c0 + c1·u + c2·u² + c3·u³. Jerk-limited profiles and Hermite
    splines both have exactly this form, so a single function serves motion, sensing, drawing and recording. Before
    ``start`` and after ``end`` the joints rest.
    """

    __slots__ = ("_last", "curve", "end", "start")

    def __init__(self, start: int, breaks: Array, coefficients: Array, end: int | None = None) -> None:
        breaks = np.ascontiguousarray(breaks, dtype=float)
        coefficients = np.ascontiguousarray(coefficients, dtype=float)
        pieces = len(breaks) - 1
        if pieces < 1 or coefficients.shape[:2] != (pieces, 4):
            raise WorldError(f"{len(breaks)} breaks do not fit coefficients of shape {coefficients.shape}")
        self.curve = _curve(breaks, coefficients)
        self.start = start
        # The last instant is rounded up to a whole tick; evaluation stops exactly at the last break.
        last = float(breaks[-1])
        whole = start + math.ceil(last / SECOND - 1e-6)
        self.end = whole if end is None else min(end, whole)
        self._last = min(last, (self.end - start) * SECOND)

    @property
    def breaks(self) -> Array:
        """Seconds from the start at which the pieces begin and the last one ends."""
        return self.curve.breaks

    @property
    def coefficients(self) -> Array:
        """The cubics, (pieces, 4, joints)."""
        return self.curve.coefficients

    @property
    def dof(self) -> int:
        """The number of joints."""
        return int(self.coefficients.shape[2])

    @property
    def duration(self) -> float:
        """Seconds from start to end."""
        return (self.end - self.start) * SECOND

    def joints(self, t: int) -> list[float]:
        """The joint values at an instant."""
        u, (c0, c1, c2, c3) = self._piece(t)
        return [((d * u + c) * u + b) * u + a for a, b, c, d in zip(c0, c1, c2, c3, strict=True)]

    def velocity(self, t: int) -> list[float]:
        """The joint speeds at an instant; zero outside the motion."""
        if t < self.start or t >= self.end:
            return [0.0] * self.dof
        u, (_, c1, c2, c3) = self._piece(t)
        return [(3 * d * u + 2 * c) * u + b for b, c, d in zip(c1, c2, c3, strict=True)]

    def acceleration(self, t: int) -> list[float]:
        """The joint accelerations at an instant; zero outside the motion."""
        if t < self.start or t >= self.end:
            return [0.0] * self.dof
        u, (_, _, c2, c3) = self._piece(t)
        return [6 * d * u + 2 * c for c, d in zip(c2, c3, strict=True)]

    def _piece(self, t: int) -> tuple[float, Piece]:
        breaks, pieces = _plain(self.curve)
        u = min(max((t - self.start) * SECOND, 0.0), self._last)
        i = min(bisect_right(breaks, u) - 1, len(pieces) - 1)
        return u - breaks[i], pieces[i]

    def joints_batch(self, times: Ticks) -> Array:
        """The joint values (n, joints) at many instants, for culling."""
        u = np.clip((times - self.start) * SECOND, 0.0, self._last)
        i = np.minimum(np.searchsorted(self.breaks, u, side="right") - 1, len(self.breaks) - 2)
        c = self.coefficients[i]
        v = (u - self.breaks[i])[:, None]
        joints: Array = ((c[:, 3] * v + c[:, 2]) * v + c[:, 1]) * v + c[:, 0]
        return joints

    def speed_bound(self, t0: int, t1: int) -> list[float]:
        """A rigorous bound on the speed of each joint over ``t0``…``t1``."""
        if t1 <= self.start or t0 >= self.end:
            return [0.0] * self.dof
        breaks, pieces = _plain(self.curve)
        first = max(0, bisect_right(breaks, (t0 - self.start) * SECOND) - 1)
        last = min(len(pieces), bisect_right(breaks, (t1 - self.start) * SECOND))
        top: list[float] = self.curve.top_speeds[first : max(last, first + 1)].max(axis=0).tolist()
        return top

    def speed_bounds(self, lo: Ticks, hi: Ticks) -> Array:
        """The bounds (n, joints) of :meth:`speed_bound` over many intervals at once."""
        pieces = len(self.breaks) - 1
        first = np.searchsorted(self.breaks, (lo - self.start) * SECOND, side="right") - 1
        last = np.searchsorted(self.breaks, (hi - self.start) * SECOND, side="right")
        np.clip(first, 0, pieces - 1, out=first)
        np.clip(last, first + 1, pieces, out=last)
        # Only every other interval of reduceat counts; the row of zeros closes the last one.
        rows = np.concatenate((self.curve.top_speeds, np.zeros((1, self.dof))))
        top: Array = np.maximum.reduceat(rows, np.stack((first, last), axis=1).ravel())[::2]
        top[(hi <= self.start) | (lo >= self.end)] = 0.0
        return top

    def cut(self, t: int) -> "JointTrajectory":
        """The motion, stopped at ``t``."""
        if t >= self.end:
            return self
        return JointTrajectory(self.start, self.breaks, self.coefficients, end=max(t, self.start))

    @property
    def content(self) -> bytes:
        """A value that is equal for equal motions, whenever they start: the key for cached results."""
        return self.curve.digest + (self.end - self.start).to_bytes(8, "big")


def hold(start: int, joints: list[float]) -> JointTrajectory:
    """A trajectory without duration that sets the joints at once."""
    coefficients = np.zeros((1, 4, len(joints)))
    coefficients[0, 0] = joints
    return JointTrajectory(start, np.zeros(2), coefficients)
