"""The rig of section 6.4: a measuring machine carries a range sensor over an object with corners.

The sensor looks straight down and samples on its own clock while the machine goes along at constant speed; a program
reads it once for each of its samples. The Ferranti CMM 750 and its object are lost with figures 25 to 27: the shapes of
the curves can be compared with others, the numbers cannot.
"""

import math
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from drycell.base import DrycellError, Pose, deg, mm
from drycell.cell import Body, Cell
from drycell.geometry import Prism
from drycell.kernel import delay
from drycell.rigs.corners import LENGTH, WIDTH, corner_distance, height_at, solids
from drycell.robots import Robot, StandardController
from drycell.sensors import Noise, Reading, Sensor, SensorModel

Cause = Literal["axis", "beside", "lost", "nothing"]

# What a reading can come from; the words are for whoever looks at the plot.
CAUSES: Final[dict[Cause, str]] = {
    "axis": "the line on the axis is the shortest, and the reading is the height below the sensor",
    "beside": "a line beside the axis meets something nearer: edges come early, gaps fill up, slopes seem nearer",
    "lost": "the line on the axis gets no echo: the surface is too oblique. The shortest of the others counts",
    "nothing": "no line gets an echo: the sensor puts out its default",
}

_START: Final = (250 * mm, 25 * mm)  # where the path begins on the table
_STALK: Final = 30 * mm  # holds the sensor below the machine's quill, which would be in its way
_HIGHEST, _LOWEST = 450 * mm, 200 * mm
_SAME: Final = 0.01 * mm
_GENTLE: Final = 0.4  # m/s²: less than the machine's axes allow, which otherwise would slow the whole move
# The outline's x goes along the path (y), its y up (z), and the solid is drawn out across the path (x).
_UPRIGHT: Final = Pose.of(np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), np.zeros(3))


@dataclass(frozen=True)
class Sounding:
    """One sample: where along the path, what is below the sensor there, what it read (None: nothing), and why.

    ``clean`` is the reading before noise.
    """

    place: float
    true: float
    measured: float | None
    clean: float | None
    cause: Cause

    @property
    def error(self) -> float | None:
        """Measured less true."""
        return None if self.measured is None else self.measured - self.true


@dataclass(frozen=True)
class Scan:
    """A whole run over the object."""

    model: SensorModel
    height: float
    soundings: tuple[Sounding, ...]

    def undisturbed(self) -> list[Sounding]:
        """The samples over flat parts from which no line of the beam reaches a corner."""
        spread = max(math.atan2(math.hypot(x, y), z) for _, (x, y, z) in self.model.probe.lines)
        return [
            each
            for each in self.soundings
            if each.cause == "axis" and corner_distance(each.place) > self.height * math.tan(spread)
        ]


def scan(
    model: SensorModel, *, height: float = 400 * mm, speed: float = 20 * mm, noise: float = 0.5 * mm, seed: int = 0
) -> Scan:
    """Runs the rig: the sensor at a height above the table, at a speed, with normal noise on its distances."""
    if model.type != "range":
        raise DrycellError(
            f"{model.name or 'the sensor'} is of the type {model.type!r}, but the rig measures distances",
            hint="take a range sensor: drycell sensors lists them",
        )
    if not _LOWEST <= height <= _HIGHEST:
        raise DrycellError(
            f"a height of {height / mm:g} mm, the machine holds the sensor at {_LOWEST / mm:g} to {_HIGHEST / mm:g} mm",
            hint="the object is 120 mm high",
        )
    noisy = replace(model, noise=Noise(sigma=noise), phase=0.0, delay=0.0)
    cell = Cell("ultrasonic rig", seed=seed)
    gentle = StandardController(linear_acceleration=_GENTLE, linear_jerk=10 * _GENTLE)
    arm = cell.add("cmm", Robot("cmm", controller=gentle))
    for number, outline in enumerate(solids(), 1):
        at = Pose(_START[0], _START[1], 0.0) @ _UPRIGHT
        cell.add(f"object-{number}", Body(Prism(tuple(outline), WIDTH), material="aluminium", at=at))
    eye = cell.add("sonar", Sensor(noisy, on=arm.flange.name, at=Pose(0.0, 0.0, _STALK)))
    ends = [Pose(_START[0], _START[1] + place, height + _STALK) @ Pose.turn_x(180 * deg) for place in (0.0, LENGTH)]
    arm.put(arm.mechanism.inverse(ends[0], target="start of the path").joints)
    soundings: list[Sounding] = []

    def path() -> None:
        arm.move_linear(ends[1], speed=speed)

    def logging() -> None:
        while True:
            place = arm.pose.position[1] - _START[1]
            soundings.append(_sounding(place, height, eye.reading, eye.value))
            delay(noisy.every)

    cell.program(path)
    cell.program(logging, daemon=True)
    if cell.run().ending == "interrupted":
        raise KeyboardInterrupt  # half a run would make a table that looks like a whole one
    return Scan(noisy, height, tuple(soundings))


def _sounding(place: float, height: float, reading: Reading, value: float) -> Sounding:
    true = height - height_at(place)
    clean = reading.distance
    if clean is None:
        return Sounding(place, true, None, None, "nothing")
    measured = distance_of(reading.model, float(value))
    axis = reading.lines[0].measured
    cause: Cause = "lost" if axis is None else "axis" if axis - clean <= _SAME else "beside"
    return Sounding(place, true, measured, clean, cause)


def distance_of(model: SensorModel, value: float) -> float:
    """The distance a published value stands for: the sensor's linear transfer function read backwards."""
    output = model.output
    if not output.transfers:
        return value * output.scale(model.dimension)
    if output.from_ is None or output.to is None or output.to[0] == output.to[1]:
        raise DrycellError(
            f"{model.name or 'the sensor'} does not put out a number that grows evenly with the distance",
            hint="take one that does, such as honeywell-942; drycell rig beam shows the response of any",
        )
    (near, far), (low, high) = output.from_, output.to
    return near + (far - near) * (value - low) / (high - low)
