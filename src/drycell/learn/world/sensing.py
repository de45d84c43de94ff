"""Sensing in the plane: what sensors of drycell's library read between walls, for all their trace-lines in one go.

Walls stand upright and are as high as one likes; there is no floor. A trace-line that points up or down by an angle
meets them as in space, so that readings are those of :func:`drycell.sensors.looking` in such a cell (to 1e-9 m).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from drycell.base import FieldError
from drycell.geometry import TOUCH
from drycell.learn.world.plan import FloorPlan
from drycell.sensors import SensorModel, hides, visibility
from drycell.world import Materials

_EDGE: Final = 1e-9  # an angle on the very limit counts, as for sensors in space
Place = tuple[float, float, float]  # x, y and heading


@dataclass(frozen=True, slots=True)
class Mounted:
    """A sensor on a robot: what it is, where it sits (x ahead, y to the left) and its bearing, left positive.

    It is held upright: its frame's z points along the bearing, its x to the left of that, its y up.
    """

    name: str
    model: SensorModel
    x: float
    y: float
    bearing: float


class Sonars:
    """All range sensors of a robot, looking together."""

    def __init__(self, mounted: Sequence[Mounted]) -> None:
        self.mounted = tuple(mounted)
        xs, ys, across, ahead, self._owner = [], [], [], [], list[int]()
        self._reach: list[float] = []
        for number, sensor in enumerate(self.mounted):
            model = sensor.model
            if model.type != "range" or model.beam != "diffuse" or not hides(model):
                raise FieldError(
                    f"sensor {sensor.name!r} ({model.name or model.type}) cannot be read in the plane",
                    hint="range sensors with trace-lines that nearer walls hide can",
                )
            cosine, sine = math.cos(sensor.bearing), math.sin(sensor.bearing)
            for (origin, along), reach in zip(model.probe.lines, model.probe.reaches, strict=True):
                # The sensor's z is (cos, sin), its x (-sin, cos), its y points up and plays no part.
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
        """What each sensor measures, in metres, before noise and output; None where nothing comes back."""
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
        """What becomes of the nearest wall on a line: the law of :mod:`drycell.sensors.sounding`, in the plane."""
        owner = self._owner[line]
        model = self.mounted[owner].model
        share, roughness = self._material(owner, material)
        if share == 0.0 or at > share * self._reach[line] + TOUCH:
            return None
        late = 0.0
        if model.reflects_below is not None:
            normal, along = abs(dx * uy - dy * ux), dx * ux + dy * uy
            up = 1.0 - dx * dx - dy * dy  # the square of what the line rises or falls
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
        """To which share of its reach a sensor sees a material, and how rough that is."""
        known = self._known.get((owner, name))
        if known is None:
            material = Materials()[name]
            known = self._known[owner, name] = (visibility(self.mounted[owner].model, material), material.roughness)
        return known
