"""RayCaster: fans of rays at many bodies, as sensors cast them.

Bodies far from a fan are sorted out in columns, by one product of a matrix and a vector; those left are compared with
each line in plain floats, and met exactly only where a line passes through their ball. Culling never changes a result.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from drycell.errors import GeometryError
from drycell.geometry import checks
from drycell.geometry.placed import Placed
from drycell.geometry.ray import local_ray
from drycell.spatial import IDENTITY, Array, Pose, Vector

Line = tuple[Vector, Vector]  # origin, direction of length 1

_SLACK: Final = 1e-7  # metres; far more than the rounding of columns, far less than matters to their cost


class FanHit(NamedTuple):
    """What a ray met first: the number of the body, the distance along the ray and the outward normal."""

    body: int
    distance: float
    normal: Vector
    inside: bool


class Fan:
    """Rays of one reach, fixed to a frame that may move: the trace-lines of a sensor."""

    __slots__ = ("_at", "_ball", "_cast", "lines", "reach")

    def __init__(self, lines: Iterable[tuple[Sequence[float], Sequence[float]]], reach: float) -> None:
        self.reach = checks.size("fan", "reach", reach)
        self.lines: tuple[Line, ...] = tuple(
            (checks.point("fan", "origin", origin), checks.direction("fan", "direction", direction))
            for origin, direction in lines
        )
        if not self.lines:
            raise GeometryError("fan: there are no rays", hint="give (origin, direction) pairs, one at least")
        ends = np.array([p for p, _ in self.lines] + [np.add(p, np.multiply(reach, d)) for p, d in self.lines])
        middle = 0.5 * (ends.min(axis=0) + ends.max(axis=0))
        x, y, z = middle.tolist()
        self._ball = ((x, y, z), math.sqrt(float(((ends - middle) ** 2).sum(axis=1).max())) + _SLACK)
        self._at = IDENTITY
        self._cast = (self.lines, self._column(IDENTITY))

    def at(self, pose: Pose) -> "tuple[tuple[Line, ...], tuple[Array, float]]":
        """The lines in the world and the column that sorts bodies out, kept while the frame stands still."""
        if pose is not self._at and pose != self._at:
            self._cast = (tuple((pose.point(p), pose.direction(d)) for p, d in self.lines), self._column(pose))
            self._at = pose
        return self._cast

    def _column(self, pose: Pose) -> tuple[Array, float]:
        (x, y, z), r = pose.point(self._ball[0]), self._ball[1]
        return np.array((-2.0 * x, -2.0 * y, -2.0 * z, -2.0 * r, 1.0)), r * r - x * x - y * y - z * z + _SLACK


class RayCaster:
    """Placed bodies with the middles of their balls in columns.

    The columns only cull. Say so when a body has moved: :meth:`sync` reads poses from the bodies, :meth:`move` takes
    middles computed for all of them at once (within 0.1 µm). Exact poses are the bodies' own, or come from ``locate``,
    asked only for the few that a line may meet.
    """

    __slots__ = ("_columns", "_radii", "bodies")

    def __init__(self, bodies: Sequence[Placed]) -> None:
        self.bodies = tuple(bodies)
        count = len(self.bodies)
        self._radii = [body.shape.sphere[1] for body in self.bodies]
        # |c - f|² ≤ (r + s)² for a ball (c, r) and the fan's (f, s), with all that belongs to the body in one row.
        self._columns = np.zeros((count, 5))
        self._columns[:, 3] = self._radii
        self.sync()

    def sync(self, indices: Iterable[int] | None = None) -> None:
        """Read where the bodies are (all of them, or those that moved)."""
        for index in range(len(self.bodies)) if indices is None else indices:
            body, r = self.bodies[index], self._radii[index]
            x, y, z = body.pose.point(body.shape.sphere[0])
            self._columns[index] = (x, y, z, r, x * x + y * y + z * z - r * r)

    def move(self, middles: Array) -> None:
        """Take the middles of all balls in the world, (n, 3), from someone who computed them in one go."""
        columns = self._columns
        columns[:, :3] = middles
        columns[:, 4] = np.einsum("ij,ij->i", middles, middles) - columns[:, 3] * columns[:, 3]

    def cast(self, fan: Fan, pose: Pose = IDENTITY, locate: Callable[[int], Pose] | None = None) -> list[FanHit | None]:
        """What each ray of a fan meets first, the fan's frame being at a pose."""
        lines, (column, limit) = fan.at(pose)
        near = np.flatnonzero(self._columns @ column <= limit).tolist()
        hits: list[FanHit | None] = [None] * len(lines)
        reaches = [fan.reach] * len(lines)
        for index in near:
            cx, cy, cz, radius, _ = self._columns[index].tolist()
            radius += _SLACK
            body, located = self.bodies[index], locate is None
            for k, (origin, direction) in enumerate(lines):
                x, y, z = cx - origin[0], cy - origin[1], cz - origin[2]
                along = x * direction[0] + y * direction[1] + z * direction[2]
                reach = reaches[k]
                if along < -radius or along - radius > reach:
                    continue
                if x * x + y * y + z * z - along * along > radius * radius:
                    continue
                if not located and locate is not None:
                    body.place(locate(index))
                    located = True
                hit = local_ray(body, origin, direction, reach)
                if hit is not None and (hits[k] is None or hit.distance < reach):
                    hits[k] = FanHit(index, hit.distance, hit.normal, hit.inside)
                    reaches[k] = hit.distance
        return hits
