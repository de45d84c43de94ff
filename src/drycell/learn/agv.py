"""A mobile robot as a vehicle in a cell, with the sensors of drycell, in cell time.

It moves and reads sensors like :class:`~drycell.learn.robot.Mobile`. A controller trained on a floor plan can
therefore drive it among the bodies of a cell.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from drycell.base import IDENTITY, Pose, UnknownName, Vector, mm, ms
from drycell.cell import Cell
from drycell.geometry import Box, Compound, Cylinder
from drycell.kernel import delay
from drycell.learn.controller import STANDING, LearningSetup, Network, strongest_first
from drycell.learn.robot import MobileModel
from drycell.learn.world import Place
from drycell.robots import Drive, Joint, Link, Mark, Mechanism, Robot
from drycell.sensors import LiveSensor, Output, Sensor

_CLEARANCE: Final = 20 * mm  # under the hull
_FIELD: Final = 200 * mm  # range of the protective field ahead of the hull; the vehicle stops within half of it
_FAR: Final = 1000.0  # m or turns; more than any hall needs


@dataclass(frozen=True, slots=True)
class Act:
    """One step of the vehicle: the violated rule, if any, the action, and whether the field stopped it."""

    violated: str | None
    action: str
    stopped: bool


class Agv:
    """A vehicle in a cell. Its protective field stops every drive before a collision, independent of the controller.

    Args:
        cell: the cell.
        model: the mobile robot.
        arrangement: the arrangement of its sensors.
        place: its position in metres and its heading in radians.
        sensors: names of the sensors to mount.
        name: its name in the cell.
    """

    def __init__(
        self, cell: Cell, model: MobileModel, arrangement: str, place: Place, sensors: Iterable[str], name: str = "agv"
    ) -> None:
        self.model = model
        self.robot = cell.add(name, Robot(_mechanism(model), joints=place))
        self.hull = cell.world.body(f"{name}/hull")
        known = model.arrangements[arrangement]
        self.sensors: dict[str, LiveSensor[int | float | bool]] = {}
        for each in sensors:
            if each not in known:
                raise UnknownName(f"sensor of {model.robot}", each, known)
            mounted = known[each].mounted(each)
            at = _facing((mounted.x, mounted.y, known[each].height), mounted.bearing)
            self.sensors[each] = cell.add(f"{name}/{each}", Sensor(mounted.model, on=self.hull.name, at=at))
        field = Sensor(
            type="proximity",
            volume=Box(2.0 * model.radius, model.height - 100 * mm, _FIELD),
            every=20 * ms,
            output=Output(kind="boolean"),
            on=self.hull.name,
            at=_facing((model.radius, 0.0, model.height / 2.0), 0.0),
        )
        self.field: LiveSensor[bool] = cell.add(f"{name}/field", field)

    @property
    def place(self) -> Place:
        """Its position in metres and its heading in radians."""
        x, y, heading = self.robot.joints
        return x, y, heading

    def turn(self, angle: float) -> None:
        """Turn on the spot by an angle in radians, left positive. Takes cell time."""
        x, y, heading = self.place
        self.robot.move_joints((x, y, heading + angle))

    def drive(self, length: float) -> bool:
        """Drive straight ahead by a distance in metres. Takes cell time; returns whether an obstacle stopped it."""
        x, y, heading = self.place
        end = (x + length * math.cos(heading), y + length * math.sin(heading), heading)
        # The joints move along a straight line, and the speed of the vehicle is the speed along it.
        slower = max(abs(math.cos(heading)), abs(math.sin(heading)))
        return self.robot.move_joints(end, slower, until=self.field).fired

    def read(self) -> dict[str, float]:
        """Return the next readings of the sensors. Takes one period of the slowest."""
        delay(max(sensor.period for sensor in self.sensors.values()))
        return {name: float(sensor.value) for name, sensor in self.sensors.items()}


class Driver:
    """Drives a vehicle with a trained network: it executes the strongest output and does not learn."""

    def __init__(self, setup: LearningSetup, network: Network, agv: Agv) -> None:
        self.setup, self.network, self.agv = setup, network.copy(), agv
        self.motion = setup.action_names[0] if setup.actions else STANDING

    def act(self) -> Act:
        """Make one step: keep driving, or execute the network's choice if an instinct is violated."""
        setup = self.setup
        read = self.agv.read()
        values = {name: read[sensor] for name, sensor in setup.inputs.items()}
        violated = setup.instincts.violation(values, self.motion)
        number = 0
        if violated is not None:
            number = strongest_first(self.network.propagate(setup.vector(values, self.motion)))[0]
        self.motion = setup.action_names[number]
        action = setup.actions[self.motion]
        if action.turn:
            self.agv.turn(action.turn)
        stopped = bool(action.drive) and self.agv.drive(action.drive)
        return Act(None if violated is None else violated.name, self.motion, stopped)


def _mechanism(model: MobileModel) -> Mechanism:
    """A mechanism that carries a round hull on two slides and a rotary joint."""
    slide, turn = 2.0 * model.speed, 4.0 * model.turn_rate
    joints = (
        Joint("x", "prismatic", -_FAR, _FAR, model.speed, slide, 10.0 * slide),
        Joint("y", "prismatic", -_FAR, _FAR, model.speed, slide, 10.0 * slide),
        Joint("heading", "revolute", -_FAR * math.tau, _FAR * math.tau, model.turn_rate, turn, 10.0 * turn),
    )
    high = model.height - _CLEARANCE
    hull = Compound(((Pose(0.0, 0.0, _CLEARANCE + high / 2.0), Cylinder(model.radius, high)),))
    links = (
        Link("along", drives=(Drive(0, "prismatic", (1.0, 0.0, 0.0)),)),
        Link("across", 0, drives=(Drive(1, "prismatic", (0.0, 1.0, 0.0)),)),
        Link("hull", 1, drives=(Drive(2, "revolute"),), shape=hull),
    )
    return Mechanism(model.robot, joints, links, Mark(2, IDENTITY), source=" ".join(model.source.split()))


def _facing(at: Vector, bearing: float) -> Pose:
    """The frame of an upright sensor: z along the bearing, x to the left of it, y up."""
    c, s = math.cos(bearing), math.sin(bearing)
    x, y, z = at
    return Pose.of_rows((-s, 0.0, c, x, c, 0.0, s, y, 0.0, 1.0, 0.0, z))
