"""Sensing in the plane: readings of drycell's sensors between walls, computed for all trace-lines at once.

Walls are upright and infinitely high, and there is no floor. A trace-line that points up or down meets them as it would
in 3D. Readings agree with :func:`drycell.sensors.evaluation` in such a cell to 1e-9 m.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from drycell.base import FieldError
from drycell.geometry import TOUCH, Box
from drycell.learn.world.floor_plans import FloorPlan, Point
from drycell.sensors import Beam, SensorModel, hides, visibility
from drycell.world import Materials

_EDGE: Final = 1e-9  # an angle exactly at the limit counts, as with sensors in 3D
Place = tuple[float, float, float]  # x, y and heading


@dataclass(frozen=True, slots=True)
class Mounted:
    """A sensor on a robot: its model, its position (x ahead, y to the left) and its bearing, left positive.

    It is upright: z of its frame points along the bearing, x to the left of it, and y up.
    """

    name: str
    model: SensorModel
    x: float
    y: float
    bearing: float


class Sonars:
    """All range sensors of a robot, read together."""

    def __init__(self, mounted: Sequence[Mounted]) -> None:
        self.mounted = tuple(mounted)
        xs, ys, across, ahead, self._owner = [], [], [], [], list[int]()
        self._reach: list[float] = []
        for number, sensor in enumerate(self.mounted):
            model = sensor.model
            if model.type != "range" or model.beam != "diffuse" or not hides(model):
                raise FieldError(
                    f"sensor {sensor.name!r} ({model.name or model.type}) cannot be used in the plane",
                    hint="use a range sensor whose trace-lines are blocked by nearer walls",
                )
            cosine, sine = math.cos(sensor.bearing), math.sin(sensor.bearing)
            for (origin, along), reach in zip(model.probe.lines, model.probe.reaches, strict=True):
                # z of the sensor is (cos, sin), x is (-sin, cos); y points up and is not used.
                xs.append(sensor.x + origin[2] * cosine - origin[0] * sine)
                ys.append(sensor.y + origin[2] * sine + origin[0] * cosine)
                ahead.append(along[2] * cosine - along[0] * sine)
                across.append(along[2] * sine + along[0] * cosine)
                self._owner.append(number)
                self._reach.append(reach)
        self._x, self._y = np.array(xs), np.array(ys)
        self._dx, self._dy = np.array(ahead), np.array(across)
        self._known: dict[tuple[int, str], tuple[float, float]] = {}

    def distances(self, plan: FloorPlan, place: Place) -> list[float | None]:
        """Return the distance that each sensor measures, in metres, before noise; None if there is no echo."""
        found: list[float | None] = [None] * len(self.mounted)
        if not self.mounted:
            return found
        x, y, heading = place
        cosine, sine = math.cos(heading), math.sin(heading)
        ox, oy = x + cosine * self._x - sine * self._y, y + sine * self._x + cosine * self._y
        dx, dy = cosine * self._dx - sine * self._dy, sine * self._dx + cosine * self._dy
        ax, ay, ex, ey = plan.columns
        rx, ry = ax - ox[:, None], ay - oy[:, None]
        # The line o + t d meets the wall a + s e where t = (a - o) × e / d × e and s = (a - o) × d / d × e.
        across = dx[:, None] * ey - dy[:, None] * ex
        with np.errstate(divide="ignore", invalid="ignore"):
            far = (rx * ey - ry * ex) / across
            share = (rx * dy[:, None] - ry * dx[:, None]) / across
            far = np.where((share >= -1e-12) & (share <= 1.0 + 1e-12) & (far >= 0.0), far, np.inf)
        first = far.argmin(axis=1)
        nearest = far[np.arange(len(first)), first].tolist()
        dx_, dy_, materials, (ux, uy) = dx.tolist(), dy.tolist(), plan.materials, plan.unit_lists
        for line, (at, wall, owner) in enumerate(zip(nearest, first.tolist(), self._owner, strict=True)):
            if at > self._reach[line] + TOUCH:
                continue
            measured = self._echo(line, at, materials[wall], dx_[line], dy_[line], ux[wall], uy[wall])
            known = found[owner]
            if measured is not None and (known is None or measured < known):
                found[owner] = measured
        return found

    def _echo(self, line: int, at: float, material: str, dx: float, dy: float, ux: float, uy: float) -> float | None:
        """Return the distance measured on a line, like :mod:`drycell.sensors.evaluation`; None if there is no echo."""
        owner = self._owner[line]
        model = self.mounted[owner].model
        share, roughness = self._material(owner, material)
        if share == 0.0 or at > share * self._reach[line] + TOUCH:
            return None
        late = 0.0
        if model.reflects_below is not None:
            normal, along = abs(dx * uy - dy * ux), dx * ux + dy * uy
            up = 1.0 - dx * dx - dy * dy  # the square of the vertical component
            angle = math.atan2(math.sqrt(along * along + max(up, 0.0)), normal)
            if angle > model.reflects_below + _EDGE:
                rough = model.wavelength is not None and roughness * 8.0 * math.cos(angle) > model.wavelength
                if not rough:
                    far = model.distorts_to
                    if far is None or angle > far + _EDGE:
                        return None
                    late = model.distorts_by * (angle - model.reflects_below) / (far - model.reflects_below)
        if at < model.nearest:
            return None if model.blind == "default" else max(at + late, model.nearest)
        return at + late

    def _material(self, owner: int, name: str) -> tuple[float, float]:
        """Return the fraction of its range up to which a sensor detects a material, and the material's roughness."""
        known = self._known.get((owner, name))
        if known is None:
            material = Materials()[name]
            known = self._known[owner, name] = (visibility(self.mounted[owner].model, material), material.roughness)
        return known


def outline(sensor: Mounted, share: float = 1.0) -> list[Point]:
    """Return the section of a sensor's volume in the plane, in the robot's frame, at a fraction of its length.

    A beam gives a triangle; a box gives a rectangle in front of the sensor.
    """
    volume = sensor.model.volumes[0] if sensor.model.volumes else None
    shape = None if volume is None else volume.shape
    if isinstance(shape, Beam):
        far = shape.length * share
        half = far * math.tan(shape.half_angle)
        corners = [(0.0, 0.0), (far, -half), (far, half)]
    elif isinstance(shape, Box):
        half, far = shape.x / 2.0, shape.z * share
        corners = [(0.0, -half), (far, -half), (far, half), (0.0, half)]
    else:
        raise FieldError(
            f"sensor {sensor.name!r} has a volume without a section in the plane", hint="use a beam or a box"
        )
    cosine, sine = math.cos(sensor.bearing), math.sin(sensor.bearing)
    return [(sensor.x + cosine * u - sine * v, sensor.y + sine * u + cosine * v) for u, v in corners]


def detects(sensor: Mounted, plan: FloorPlan, place: Place) -> bool:
    """Return whether a wall that the sensor can detect is in its volume, for a robot at a place."""
    x, y, heading = place
    cosine, sine = math.cos(heading), math.sin(heading)
    for wall in plan.walls:
        share = visibility(sensor.model, Materials()[wall.material])
        if share <= 0.0:
            continue
        corners = [(x + cosine * u - sine * v, y + sine * u + cosine * v) for u, v in outline(sensor, share)]
        if _meets(corners, wall.start, wall.end):
            return True
    return False


def _meets(corners: Sequence[Point], a: Point, b: Point) -> bool:
    """Return whether a segment touches a convex outline (counter-clockwise), by clipping it at every edge."""
    low, high = 0.0, 1.0
    dx, dy = b[0] - a[0], b[1] - a[1]
    for (px, py), (qx, qy) in zip(corners, (*corners[1:], corners[0]), strict=True):
        inside = (qx - px) * (a[1] - py) - (qy - py) * (a[0] - px)
        change = (qx - px) * dy - (qy - py) * dx
        if change == 0.0:
            if inside < 0.0:
                return False
            continue
        cut = -inside / change
        low, high = (max(low, cut), high) if change > 0.0 else (low, min(high, cut))
        if low > high:
            return False
    return True
