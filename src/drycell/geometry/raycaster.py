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
from drycell.geometry.shape import RayHit
from drycell.spatial import IDENTITY, Array, Pose, Vector

Line = tuple[Vector, Vector]  # origin, direction of length 1

_SLACK: Final = 1e-7  # metres; far more than the rounding of columns, far less than matters to their cost


class FanHit(NamedTuple):
    """What a ray met first: the number of the body, the distance along the ray and the outward normal."""

    body: int
    distance: float
    normal: Vector
    inside: bool


class _Bundle(NamedTuple):
    """Rays from one origin: their numbers and directions, and the narrowest cone about their mean that holds them."""

    origin: Vector
    axis: Vector
    cosine: float
    sine: float
    rays: tuple[tuple[int, Vector], ...]

    def at(self, pose: Pose) -> "_Bundle":
        turn = pose.direction
        rays = tuple([(k, turn(direction)) for k, direction in self.rays])
        return _Bundle(pose.point(self.origin), turn(self.axis), self.cosine, self.sine, rays)


class Fan:
    """Rays of one reach, fixed to a frame that may move: the trace-lines of a sensor."""

    __slots__ = ("_at", "_ball", "_bundles", "_cast", "_column", "lines", "reach")

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
        self._bundles = _bundled(self.lines)
        self._column = np.empty(5)
        self._cast = self._placed(IDENTITY)
        self._at = IDENTITY

    def at(self, pose: Pose) -> tuple[list[_Bundle], Array, float]:
        """The rays in the world and what sorts bodies out, kept while the frame stands still."""
        if pose is not self._at:
            self._cast = self._placed(pose)
            self._at = pose
        return self._cast

    def _placed(self, pose: Pose) -> tuple[list[_Bundle], Array, float]:
        (x, y, z), r = pose.point(self._ball[0]), self._ball[1]
        self._column[:] = (-2.0 * x, -2.0 * y, -2.0 * z, -2.0 * r, 1.0)
        return [bundle.at(pose) for bundle in self._bundles], self._column, r * r - x * x - y * y - z * z + _SLACK


def _bundled(lines: tuple[Line, ...]) -> list[_Bundle]:
    together: dict[Vector, list[tuple[int, Vector]]] = {}
    for k, (origin, direction) in enumerate(lines):
        together.setdefault(origin, []).append((k, direction))
    bundles = []
    for origin, rays in together.items():
        mean = np.sum([direction for _, direction in rays], axis=0)
        length = float(np.linalg.norm(mean))
        x, y, z = (mean / length).tolist() if length > 1e-9 else (0.0, 0.0, 1.0)
        turned = (np.cross((x, y, z), d) for _, d in rays)
        angles = [
            math.atan2(float(np.linalg.norm(t)), np.dot((x, y, z), d)) for t, (_, d) in zip(turned, rays, strict=True)
        ]
        widest = max(angles) + 1e-9
        # Wider than a half-space, no cone: then the numbers below never sort anything out.
        cosine, sine = (math.cos(widest), math.sin(widest)) if widest < math.pi / 2 else (0.0, 0.0)
        bundles.append(_Bundle(origin, (x, y, z), cosine, sine, tuple(rays)))
    return bundles


class RayCaster:
    """Placed bodies with the middles of their balls in columns.

    The columns only cull. Say so when a body has moved: :meth:`sync` reads poses from the bodies, :meth:`move` takes
    middles computed for all of them at once (within 0.1 µm). Exact poses are the bodies' own, or come from ``locate``,
    asked only for the few that a line may meet.
    """

    __slots__ = ("_columns", "_radii", "_sums", "bodies")

    def __init__(self, bodies: Sequence[Placed]) -> None:
        self.bodies = tuple(bodies)
        self._radii = [body.shape.sphere[1] for body in self.bodies]
        # |c - f|² ≤ (r + s)² for a ball (c, r) and the fan's (f, s), with all that belongs to the body in one column.
        self._columns = np.zeros((5, len(self.bodies)))
        self._columns[3] = self._radii
        self._sums = np.empty(len(self.bodies))
        self.sync()

    def sync(self, indices: Iterable[int] | None = None) -> None:
        """Read where the bodies are (all of them, or those that moved)."""
        for index in range(len(self.bodies)) if indices is None else indices:
            body, r = self.bodies[index], self._radii[index]
            x, y, z = body.pose.point(body.shape.sphere[0])
            self._columns[:, index] = (x, y, z, r, x * x + y * y + z * z - r * r)

    def move(self, middles: Array) -> None:
        """Take the middles of all balls in the world, in columns (3, n), from someone who computed them in one go."""
        columns = self._columns
        columns[:3] = middles
        columns[4] = np.einsum("ij,ij->j", middles, middles) - columns[3] * columns[3]

    def cast(self, fan: Fan, pose: Pose = IDENTITY, locate: Callable[[int], Pose] | None = None) -> list[FanHit | None]:
        """What each ray of a fan meets first, the fan's frame being at a pose."""
        bundles, column, limit = fan.at(pose)
        near = (column.dot(self._columns, self._sums) <= limit).nonzero()[0].tolist()
        count = len(fan.lines)
        reaches = [fan.reach] * count
        found: list[tuple[int, RayHit] | None] = [None] * count
        for index in near:
            cx, cy, cz, radius, _ = self._columns[:, index].tolist()
            radius += _SLACK
            square = radius * radius
            located = locate is None
            for (ox, oy, oz), (u, v, w), cosine, sine, rays in bundles:
                x, y, z = cx - ox, cy - oy, cz - oz
                apart = x * x + y * y + z * z
                along = x * u + y * v + z * w
                if math.sqrt(max(apart - along * along, 0.0)) * cosine - along * sine > radius:
                    continue  # the ball is outside the cone of the bundle
                start: Vector | None = None
                for k, (u, v, w) in rays:
                    along = x * u + y * v + z * w
                    if apart - along * along > square or along < -radius or along - radius > reaches[k]:
                        continue
                    if start is None:
                        body = self.bodies[index]
                        if not located and locate is not None:
                            body.place(locate(index))
                            located = True
                        a, b, c, px, d, e, f, py, g, h, i, pz = body.pose.rows
                        px, py, pz = ox - px, oy - py, oz - pz
                        start = (a * px + d * py + g * pz, b * px + e * py + h * pz, c * px + f * py + i * pz)
                        meet = body.shape.ray
                    hit = meet(start, (a * u + d * v + g * w, b * u + e * v + h * w, c * u + f * v + i * w), reaches[k])
                    if hit is not None and (found[k] is None or hit.distance < reaches[k]):
                        found[k] = (index, hit)
                        reaches[k] = hit.distance
        return [None if met is None else self._seen(*met) for met in found]

    def _seen(self, index: int, hit: RayHit) -> FanHit:
        return FanHit(index, hit.distance, self.bodies[index].pose.direction(hit.normal), hit.inside)
