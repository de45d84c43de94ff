"""Ray casting: single rays, and the fans of rays that sensors use."""

import math
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from drycell.base import Array, GeometryError, Pose, Vector
from drycell.geometry import checks
from drycell.geometry.placed import Placed
from drycell.geometry.shape import Ball, RayHit, Shape, SurfacePoint

Line = tuple[Vector, Vector]  # origin, direction of length 1
_SLACK: Final = 1e-6  # metres; far larger than rounding errors, far too small to affect the cost
_Ray = tuple[int, float, float, float]  # number and direction
Aimed = tuple[Vector, _Ray]  # a line in the world: its origin, number and direction
_Bundle = tuple[Vector, Vector, float, float, tuple[_Ray, ...]]  # origin, axis, cosine, sine: a cone around its rays


def ray(placed: Placed, origin: Vector, direction: Vector, reach: float = math.inf) -> RayHit | None:
    """The first hit of a ray on a body within reach (metres), or None.

    Rays hit the true surface of primitives, not facets. A ray that passes within 1 nm counts as a hit. A ray that
    starts inside hits at distance 0; a ray that starts on the surface and leaves does not hit.
    """
    point = checks.point("ray", "origin", origin)
    along = checks.direction("ray", "direction", direction)
    a, b, c, x, d, e, f, y, g, h, i, z = placed.pose.rows
    x, y, z = point[0] - x, point[1] - y, point[2] - z
    u, v, w = along
    # These expressions match those in Rays.meet, so that a sensor's line and a single ray hit the same point, bit for
    # bit.
    start = (a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z)
    hit = placed.shape.ray(start, (a * u + d * v + g * w, b * u + e * v + h * w, c * u + f * v + i * w), reach)
    return hit and RayHit(hit.distance, placed.pose.direction(hit.normal), hit.inside)


def project_to_surface(placed: Placed, point: Vector) -> SurfacePoint:
    """The point of a body's true surface, not of a facet, that is nearest to a point."""
    near = placed.shape.true_nearest(placed.pose.inverse().point(checks.point("project_to_surface", "point", point)))
    return SurfacePoint(near.distance, placed.pose.point(near.point), placed.pose.direction(near.normal))


class Fan:
    """Rays in one frame: the trace-lines of a sensor. The reach in metres is one value for all, or one per ray."""

    __slots__ = ("_bundles", "balls", "lines", "reach", "reaches")

    def __init__(
        self, lines: Iterable[tuple[Sequence[float], Sequence[float]]], reach: float | Sequence[float]
    ) -> None:
        self.lines: tuple[Line, ...] = tuple(
            (checks.point("fan", "origin", origin), checks.direction("fan", "direction", direction))
            for origin, direction in lines
        )
        if not self.lines:
            raise GeometryError("fan: the list of rays is empty", hint="give at least one (origin, direction) pair")
        given = [reach] * len(self.lines) if isinstance(reach, (int, float)) else list(reach)
        if len(given) != len(self.lines):
            raise GeometryError(
                f"fan: {len(self.lines)} rays, but {len(given)} reaches",
                hint="give one reach for all, or one for each ray",
            )
        self.reaches: tuple[float, ...] = tuple(checks.size("fan", "reach", each) for each in given)
        """Reach of each ray in metres."""
        self.reach = max(self.reaches)
        """The longest reach."""
        self.balls = _balls_about(self.lines, self.reaches)
        """A few spheres that cover the rays, in the fan's frame."""
        self._bundles = _bundled(self.lines)

    def at(self, pose: Pose) -> "Rays":
        """The rays in the world for a pose of the fan's frame."""
        turn = pose.direction
        bundles = [
            (pose.point(origin), turn(axis), cosine, sine, tuple([(k, *turn((u, v, w))) for k, u, v, w in rays]))
            for origin, axis, cosine, sine, rays in self._bundles
        ]
        return Rays(self.reaches, bundles)


class Rays:
    """The rays of a fan in the world."""

    __slots__ = ("_bundles", "reaches")

    def __init__(self, reaches: tuple[float, ...], bundles: list[_Bundle]) -> None:
        self.reaches = reaches
        self._bundles = bundles

    def towards(self, middle: Vector, radius: float, limits: Sequence[float]) -> list[Aimed]:
        """The rays that pass through a sphere within their limits: only these can hit something in it."""
        aimed: list[Aimed] = []
        cx, cy, cz = middle
        radius += _SLACK
        square = radius * radius
        for origin, (u, v, w), cosine, sine, rays in self._bundles:
            ox, oy, oz = origin
            x, y, z = cx - ox, cy - oy, cz - oz
            apart = x * x + y * y + z * z
            if apart > square:
                along = x * u + y * v + z * w
                if math.sqrt(max(apart - along * along, 0.0)) * cosine - along * sine > radius:
                    continue  # the sphere is outside the cone of the bundle
            for ray in rays:
                k, u, v, w = ray
                along = x * u + y * v + z * w
                if apart - along * along <= square and -radius <= along <= limits[k] + radius:
                    aimed.append((origin, ray))
        return aimed

    def meet(self, shape: Shape, pose: Pose, aimed: Sequence[Aimed]) -> list[tuple[int, RayHit]]:
        """The hits of rays on a shape, by number. Normals are in the shape's frame."""
        met: list[tuple[int, RayHit]] = []
        a, b, c, x, d, e, f, y, g, h, i, z = pose.rows
        reaches, ray, last = self.reaches, shape.ray, None
        for origin, (k, u, v, w) in aimed:
            if origin is not last:
                ox, oy, oz = last = origin
                ox, oy, oz = ox - x, oy - y, oz - z
                start = (a * ox + d * oy + g * oz, b * ox + e * oy + h * oz, c * ox + f * oy + i * oz)
            # Uses the full reach even after a hit, because results must not depend on the order of bodies.
            hit = ray(start, (a * u + d * v + g * w, b * u + e * v + h * w, c * u + f * v + i * w), reaches[k])
            if hit is not None:
                met.append((k, hit))
        return met


def _balls_about(lines: tuple[Line, ...], reaches: tuple[float, ...]) -> tuple[Ball, ...]:
    """Spheres around slices of the rays: a long narrow fan fills little of a single sphere."""
    starts = np.array([origin for origin, _ in lines])
    ways = np.array([direction for _, direction in lines]) * np.array(reaches)[:, None]
    best: tuple[float, list[Ball]] = (math.inf, [])
    for count in (1, 2, 3, 4, 6, 8):
        balls = [_ball(starts + ways * (k / count), starts + ways * ((k + 1) / count)) for k in range(count)]
        least = best[1][0][1] if count > 1 else balls[0][1]
        # The cost is the volume in which bodies a tenth of the size of the fan are found.
        cost = sum((radius + 0.1 * least) ** 3 for _, radius in balls) * (1 + 0.1 * count)
        if cost < best[0]:
            best = (cost, balls)
    return tuple(best[1])


def _ball(first: Array, last: Array) -> Ball:
    ends = np.concatenate((first, last))
    middle = 0.5 * (ends.min(axis=0) + ends.max(axis=0))
    x, y, z = middle.tolist()
    return (x, y, z), math.sqrt(float(((ends - middle) ** 2).sum(axis=1).max())) + _SLACK


def _bundled(lines: tuple[Line, ...]) -> list[_Bundle]:
    together: dict[Vector, list[_Ray]] = {}
    for k, (origin, direction) in enumerate(lines):
        together.setdefault(origin, []).append((k, *direction))
    bundles: list[_Bundle] = []
    for origin, rays in together.items():
        ways = np.array([ray[1:] for ray in rays])
        mean = ways.sum(axis=0)
        length = float(np.linalg.norm(mean))
        x, y, z = (mean / length).tolist() if length > 1e-9 else (0.0, 0.0, 1.0)
        turned = np.linalg.norm(np.cross((x, y, z), ways), axis=1)
        widest = float(np.arctan2(turned, ways @ (x, y, z)).max()) + 1e-9
        # A bundle wider than a half-space has no cone: with these numbers nothing is culled.
        cosine, sine = (math.cos(widest), math.sin(widest)) if widest < math.pi / 2 else (0.0, 0.0)
        bundles.append((origin, (x, y, z), cosine, sine, tuple(rays)))
    return bundles
