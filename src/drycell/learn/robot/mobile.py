"""A mobile robot in a floor plan: it turns, drives until its way ends or a wall is near, and reads its sensors."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from drycell.base import UnknownName, WorldError, format_length
from drycell.learn.robot.model import MobileModel
from drycell.learn.world import EXACT, FloorPlan, Place, Sonars, Variation, clearance, detects, free_way
from drycell.sensors import Value, disturbed, respond


@dataclass(frozen=True, slots=True)
class Leg:
    """A motion in closed form: from a place at a time, a turn on the spot or a drive straight on, at an even speed."""

    begin: float
    duration: float
    start: Place
    turn: float
    drive: float
    stopped: bool = False  # by a wall, before the whole way was made

    @property
    def end(self) -> Place:
        """Where it ends."""
        return self.at(self.begin + self.duration)

    def at(self, time: float) -> Place:
        """Where the robot is at a time; before and after it stands."""
        share = min(max((time - self.begin) / self.duration, 0.0), 1.0) if self.duration else 1.0
        x, y, heading = self.start
        far = share * self.drive
        return x + far * math.cos(heading), y + far * math.sin(heading), heading + share * self.turn


class Mobile:
    """A robot between walls. Every drive is watched: what would touch a wall is stopped 1 mm in front of it."""

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
                if each.model.type == "range"  # a switch measures nothing that could be disturbed
                else each
                for name, each in sensors.items()
            }
        self.sensors = sensors
        self._rings: dict[tuple[str, ...], Sonars] = {}
        self.time = 0.0
        self.samples = self.steps = 0
        self.legs: list[Leg] = []
        self.place = place
        self.put(place)

    def put(self, place: Place, plan: FloorPlan | None = None) -> None:
        """Sets the robot down somewhere, in another plan if one is given; refuses to set it into a wall."""
        if plan is not None:
            self.plan = self.variation.plan(plan)
        free = clearance(self.plan, place[0], place[1]) - self.model.radius
        if free <= 0.0:
            raise WorldError(
                f"{self.model.robot} at x {format_length(place[0])}, y {format_length(place[1])} would stand in a wall "
                f"of {self.plan.name!r}: {format_length(-free)} too near",
                hint="set it down farther from the walls",
            )
        self.place = place

    def turn(self, angle: float) -> Leg:
        """Turns on the spot, left positive; a round robot touches nothing by that."""
        self.steps += 1
        real = self.variation.turned(angle, self.steps)
        return self._moved(Leg(self.time, abs(real) / self.model.turn_rate, self.place, real, 0.0))

    def drive(self, length: float) -> Leg:
        """Drives straight on (back, if negative) until the way is made or a wall stops it."""
        self.steps += 1
        real = self.variation.driven(abs(length), self.steps)
        x, y, heading = self.place
        ahead = heading if length >= 0.0 else heading + math.pi
        free = free_way(self.plan, x, y, ahead, real, self.model.radius)
        way = math.copysign(free, length)
        leg = self._moved(Leg(self.time, free / self.model.speed, self.place, 0.0, way, free < real))
        if self.variation.pull:
            x, y, heading = self.place
            self.place = (x, y, heading + self.variation.pull * way)
        return leg

    def read(self, names: Iterable[str]) -> dict[str, Value]:
        """What the sensors of these names publish now."""
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

    def _moved(self, leg: Leg) -> Leg:
        self.legs.append(leg)
        self.time += leg.duration
        self.place = leg.end
        return leg
