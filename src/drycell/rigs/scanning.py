"""The rig of section 6.4: a measuring machine carries a range sensor over an object with corners.

The sensor looks straight down and samples on its own clock while the machine moves at constant speed; a program reads
every sample once. The Ferranti CMM 750 and its object are lost with figures 25 to 27: the shapes of the curves can be
compared, the numbers cannot.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from drycell.base import DrycellError, Pose, deg, mm
from drycell.cell import Body, Cell
from drycell.geometry import Prism
from drycell.kernel import delay
from drycell.robots import Robot, StandardController
from drycell.sensors import Noise, Reading, Sensor, SensorModel


@dataclass(frozen=True)
class TopSegment:
    """A straight section of the object's top: two positions along the path, and the height at each (m)."""

    name: str
    start: float
    end: float
    first: float
    last: float

    @property
    def flat(self) -> bool:
        """Whether it is level."""
        return self.first == self.last

    def height(self, place: float) -> float:
        """Return the height of the top at a position along the path."""
        return self.first + (self.last - self.first) * (place - self.start) / (self.end - self.start)


def _stretches() -> tuple[TopSegment, ...]:
    rows = (
        ("low flat", 0, 120, 30, 30),
        ("high flat", 120, 220, 90, 90),  # after a step up of 60 mm
        ("slope", 220, 330, 90, 50),  # 20 deg
        ("middle flat", 330, 400, 50, 50),
        ("gap", 400, 430, 0, 0),  # 30 mm wide, down to the table
        ("rim", 430, 500, 50, 50),
        ("steep flank", 500, 550, 50, 120),  # 54 deg
        ("top flat", 550, 640, 120, 120),
        ("table", 640, 700, 0, 0),  # after a step down of 120 mm
    )
    return tuple(TopSegment(name, *(value * mm for value in values)) for name, *values in rows)


STRETCHES: Final = _stretches()
WIDTH: Final = 200 * mm
LENGTH: Final = STRETCHES[-1].end
_STARTS: Final = [each.start for each in STRETCHES]


def stretch_at(place: float) -> TopSegment:
    """Return the part of the top below a position along the path; beyond the ends, the first or the last."""
    return STRETCHES[max(0, bisect_right(_STARTS, place) - 1)]


def height_at(place: float) -> float:
    """Return the height of the top at a position: the true profile."""
    return stretch_at(place).height(place)


def corner_distance(place: float) -> float:
    """Return the distance to the nearest corner along the path."""
    return min(abs(place - each) for each in (*_STARTS[1:], 0.0, LENGTH))


def solids() -> list[list[tuple[float, float]]]:
    """Return the outlines (position, height) of the pieces on the table, one on each side of the gap."""
    pieces: list[list[tuple[float, float]]] = []
    for each in STRETCHES:
        if each.first == each.last == 0.0:
            continue
        if not pieces or pieces[-1][-1][0] != each.start:
            pieces.append([(each.start, 0.0)])
        if pieces[-1][-1] != (each.start, each.first):
            pieces[-1].append((each.start, each.first))
        pieces[-1].append((each.end, each.last))
    return [[*piece, (piece[-1][0], 0.0)] for piece in pieces]


Cause = Literal["axis", "beside", "lost", "nothing"]

# The causes of readings, as the plot describes them.
CAUSES: Final[dict[Cause, str]] = {
    "axis": "the line on the axis is the shortest, and the reading is the height below the sensor",
    "beside": "a line beside the axis meets something nearer: edges appear early, gaps look filled, slopes seem nearer",
    "lost": "the line on the axis gets no echo: the surface is too oblique. The shortest of the other lines is used",
    "nothing": "no line gets an echo: the sensor outputs its default",
}

_START: Final = (250 * mm, 25 * mm)  # the start of the path on the table
_STALK: Final = 30 * mm  # holds the sensor below the machine's quill, which would block it
_HIGHEST, _LOWEST = 450 * mm, 200 * mm
_SAME: Final = 0.01 * mm
_GENTLE: Final = 0.4  # m/s²: below the limits of the machine's axes, which would otherwise slow the whole move
# The outline's x runs along the path (y), its y points up (z), and the solid is extruded across the path (x).
_UPRIGHT: Final = Pose.of(np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), np.zeros(3))


@dataclass(frozen=True)
class ScanPoint:
    """One sample: its position along the path, the true distance, the reading (None: no echo), and its cause.

    ``clean`` is the reading before noise.
    """

    place: float
    true: float
    measured: float | None
    clean: float | None
    cause: Cause

    @property
    def error(self) -> float | None:
        """Measured minus true."""
        return None if self.measured is None else self.measured - self.true


@dataclass(frozen=True)
class SurfaceScan:
    """A complete scan of the object."""

    model: SensorModel
    height: float
    soundings: tuple[ScanPoint, ...]

    def undisturbed(self) -> list[ScanPoint]:
        """Return the samples over flat parts for which no line of the beam reaches a corner."""
        spread = max(math.atan2(math.hypot(x, y), z) for _, (x, y, z) in self.model.probe.lines)
        return [
            each
            for each in self.soundings
            if each.cause == "axis" and corner_distance(each.place) > self.height * math.tan(spread)
        ]


def scan(
    model: SensorModel, *, height: float = 400 * mm, speed: float = 20 * mm, noise: float = 0.5 * mm, seed: int = 0
) -> SurfaceScan:
    """Run the rig: the sensor at a height above the table, at a speed, with normal noise on its distances."""
    if model.type != "range":
        raise DrycellError(
            f"{model.name or 'the sensor'} is of the type {model.type!r}, but the rig measures distances",
            hint="use a range sensor: drycell sensors lists them",
        )
    if not _LOWEST <= height <= _HIGHEST:
        raise DrycellError(
            f"a height of {height / mm:g} mm is outside the machine's range: {_LOWEST / mm:g} to {_HIGHEST / mm:g} mm",
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
    soundings: list[ScanPoint] = []

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
        raise KeyboardInterrupt  # an incomplete run would give a table that looks complete
    return SurfaceScan(noisy, height, tuple(soundings))


def _sounding(place: float, height: float, reading: Reading, value: float) -> ScanPoint:
    true = height - height_at(place)
    clean = reading.distance
    if clean is None:
        return ScanPoint(place, true, None, None, "nothing")
    measured = distance_of(reading.model, float(value))
    axis = reading.lines[0].measured
    cause: Cause = "lost" if axis is None else "axis" if axis - clean <= _SAME else "beside"
    return ScanPoint(place, true, measured, clean, cause)


def distance_of(model: SensorModel, value: float) -> float:
    """Return the distance for a published value: the inverse of the sensor's linear transfer function."""
    output = model.output
    if not output.transfers:
        return value * output.scale(model.dimension)
    if output.from_ is None or output.to is None or output.to[0] == output.to[1]:
        raise DrycellError(
            f"{model.name or 'the sensor'} has no output that is linear in the distance",
            hint="use another sensor, such as honeywell-942; drycell rig beam shows the response of any sensor",
        )
    (near, far), (low, high) = output.from_, output.to
    return near + (far - near) * (value - low) / (high - low)
