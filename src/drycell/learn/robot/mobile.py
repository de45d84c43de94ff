"""Mobile robots on a floor plan: their data, and how they turn, drive up to walls, and read their sensors."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final, Literal

from drycell.base import Angle, Length, Name, Quantity, Size, Thing, UnknownName, WorldError, format_length
from drycell.learn.data import DataLibrary
from drycell.learn.world import EXACT, FloorPlan, Mounted, Place, Sonars, Variation, clearance, detects, free_distance
from drycell.sensors import Output, Value, disturbed, load_sensor, respond

Speed = Annotated[float, Quantity("speed", above=0.0)]
TurnRate = Annotated[float, Quantity("angular speed", above=0.0)]


class SensorSpec(Thing):
    """A sensor of the library on the robot."""

    sensor: Name
    """Name in the sensor library."""
    bearing: Angle = 0.0
    """Direction in which it looks, counter-clockwise from straight ahead."""
    out: Length = 0.0
    """Distance from the middle of the robot along the bearing."""
    aside: Length = 0.0
    """Distance to the left of the bearing."""
    height: Length = 0.0
    """Height above the floor."""
    output: Output | None = None
    """Replaces the sensor's own output, if the robot's converter publishes something else."""

    def mounted(self, name: str) -> Mounted:
        """Return the sensor with its model and its place on the robot."""
        model = load_sensor(self.sensor)
        if self.output is not None:
            model = replace(model, output=self.output)
        cosine, sine = math.cos(self.bearing), math.sin(self.bearing)
        x, y = self.out * cosine - self.aside * sine, self.out * sine + self.aside * cosine
        return Mounted(name, model, x, y, self.bearing)


class MobileModel(Thing):
    """A mobile robot. It is round, and turns on the spot about its middle."""

    robot: Name
    """Name of the robot."""
    title: str = ""
    """Full name."""
    source: str = ""
    """Where the numbers come from."""
    drive: Literal["synchro", "differential"]
    """Type of drive: wheels that steer together, or two wheels at different speeds."""
    radius: Size
    """Radius of the robot."""
    height: Size
    """Height of the robot."""
    track: Size | None = None
    """Distance between the two wheels of a differential drive."""
    speed: Speed
    """Maximum speed straight ahead."""
    turn_rate: TurnRate
    """Maximum turning speed on the spot."""
    arrangements: dict[str, dict[str, SensorSpec]]
    """Sensors by name, for each arrangement."""

    def sensors(self, arrangement: str) -> dict[str, Mounted]:
        """Return the sensors of an arrangement by name."""
        if arrangement not in self.arrangements:
            raise UnknownName(f"arrangement of {self.robot}'s sensors", arrangement, self.arrangements)
        return {name: spec.mounted(name) for name, spec in self.arrangements[arrangement].items()}


MOBILES: Final = DataLibrary(MobileModel, Path(__file__).parent / "library", "mobile robot")
"""The mobile robots of the library."""


def load_mobile(name: str) -> MobileModel:
    """Load a mobile robot of the library by its name, or one from a file. Raises UnknownName or FileError."""
    return MOBILES.load(name)


@dataclass(frozen=True, slots=True)
class MobileLeg:
    """A closed-form motion: a turn on the spot or a straight drive at constant speed."""

    begin: float
    duration: float
    start: Place
    turn: float
    drive: float
    stopped: bool = False  # stopped by a wall before its end

    @property
    def end(self) -> Place:
        """The place at its end."""
        return self.at(self.begin + self.duration)

    def at(self, time: float) -> Place:
        """Return the place at a time. The robot is at rest before and after the motion."""
        share = min(max((time - self.begin) / self.duration, 0.0), 1.0) if self.duration else 1.0
        x, y, heading = self.start
        far = share * self.drive
        return x + far * math.cos(heading), y + far * math.sin(heading), heading + share * self.turn


class Mobile:
    """A robot between walls. A drive that would touch a wall stops 1 mm in front of it."""

    def __init__(
        self,
        model: MobileModel,
        plan: FloorPlan,
        place: Place,
        *,
        arrangement: str | None = None,
        variation: Variation = EXACT,
    ) -> None:
        self.model, self.variation = model, variation
        self.arrangement = arrangement or next(iter(model.arrangements))
        self.plan = variation.plan(plan)
        sensors = model.sensors(self.arrangement)
        if not variation.none:
            sensors = {
                name: replace(each, model=replace(each.model, noise=variation.noise_of(name, each.model.noise)))
                if each.model.type == "range"  # a switch has no measurement to disturb
                else each
                for name, each in sensors.items()
            }
        self.sensors = sensors
        self._rings: dict[tuple[str, ...], Sonars] = {}
        self.time = 0.0
        self.samples = self.steps = 0
        self.legs: list[MobileLeg] = []
        self.place = place
        self.put(place)

    def put(self, place: Place, plan: FloorPlan | None = None) -> None:
        """Put the robot at a place, on a new plan if given. Raises WorldError if it would be in a wall."""
        if plan is not None:
            self.plan = self.variation.plan(plan)
        free = clearance(self.plan, place[0], place[1]) - self.model.radius
        if free <= 0.0:
            raise WorldError(
                f"{self.model.robot} at x {format_length(place[0])}, y {format_length(place[1])} would be in a wall "
                f"of {self.plan.name!r}: {format_length(-free)} too close",
                hint="choose a place farther from the walls",
            )
        self.place = place

    def turn(self, angle: float) -> MobileLeg:
        """Turn on the spot by an angle in radians, left positive. A round robot cannot collide by turning."""
        self.steps += 1
        real = self.variation.turned(angle, self.steps)
        return self._moved(MobileLeg(self.time, abs(real) / self.model.turn_rate, self.place, real, 0.0))

    def drive(self, length: float) -> MobileLeg:
        """Drive straight ahead by a distance in metres (backwards if negative), or until a wall stops the robot."""
        self.steps += 1
        real = self.variation.driven(abs(length), self.steps)
        x, y, heading = self.place
        ahead = heading if length >= 0.0 else heading + math.pi
        free = free_distance(self.plan, x, y, ahead, real, self.model.radius)
        driven = math.copysign(free, length)
        leg = self._moved(MobileLeg(self.time, free / self.model.speed, self.place, 0.0, driven, free < real))
        if self.variation.pull:
            x, y, heading = self.place
            self.place = (x, y, heading + self.variation.pull * driven)
        return leg

    def read(self, names: Iterable[str]) -> dict[str, Value]:
        """Return the current readings of sensors by name."""
        wanted = tuple(names)
        if wanted not in self._rings:
            self._rings[wanted] = self._ring(wanted)
        ring = self._rings[wanted]
        found: dict[str, Value] = {}
        self.samples += 1
        for sensor, distance in zip(ring.mounted, ring.distances(self.plan, self.place), strict=True):
            model = sensor.model
            quantity = disturbed(model, distance, self.variation.seed, sensor.name, self.samples)
            found[sensor.name] = respond(model, quantity, quantity is not None).value
        for name in wanted:
            if name not in found:
                sensor = self.sensors[name]
                found[name] = respond(sensor.model, None, detects(sensor, self.plan, self.place)).value
        return {name: found[name] for name in wanted}

    def _ring(self, names: tuple[str, ...]) -> Sonars:
        for name in names:
            if name not in self.sensors:
                raise UnknownName(f"sensor of {self.model.robot}", name, self.sensors)
        return Sonars([self.sensors[name] for name in names if self.sensors[name].model.type == "range"])

    def _moved(self, leg: MobileLeg) -> MobileLeg:
        self.legs.append(leg)
        self.time += leg.duration
        self.place = leg.end
        return leg
