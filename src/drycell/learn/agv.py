"""A mobile robot of learning as a vehicle in a cell: a body among others, with drycell's own sensors, in cell time.

It turns and drives as :class:`~drycell.learn.robot.Mobile` does and reads the same sensors, so that a controller
trained between the walls of a floor plan steers it; what is around it may be anything that a cell holds.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from drycell.base import IDENTITY, Pose, UnknownName, Vector, mm, ms
from drycell.cell import Cell
from drycell.geometry import Box, Compound, Cylinder
from drycell.kernel import delay
from drycell.learn.controller import STANDING, LearningSetup, Network, by_strength
from drycell.learn.robot import MobileModel
from drycell.learn.world import Place
from drycell.robots import Drive, Joint, Link, Mark, Mechanism, Robot
from drycell.sensors import LiveSensor, Output, Sensor

_CLEARANCE: Final = 20 * mm  # under the hull
_FIELD: Final = 200 * mm  # how far ahead of the hull something stops a drive; it brakes within half of that
_FAR: Final = 1000.0  # m, and turns: more than any hall


@dataclass(frozen=True, slots=True)
class Act:
    """One step of the vehicle: the rule that was violated, if one was, what was done, and whether it was stopped."""

    violated: str | None
    action: str
    stopped: bool


class Agv:
    """A vehicle in a cell. Its protective field, which no controller has a say in, stops every drive before a touch."""

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
        """Where it is: x, y and heading."""
        x, y, heading = self.robot.joints
        return x, y, heading

    def turn(self, angle: float) -> None:
        """Turns on the spot, left positive; takes cell time."""
        x, y, heading = self.place
        self.robot.move_joints((x, y, heading + angle))

    def drive(self, length: float) -> bool:
        """Drives straight on; takes cell time. Whether something ahead stopped it."""
        x, y, heading = self.place
        end = (x + length * math.cos(heading), y + length * math.sin(heading), heading)
        # Joints share a straight line, and the vehicle's speed is that along it.
        slower = max(abs(math.cos(heading)), abs(math.sin(heading)))
        return self.robot.move_joints(end, slower, until=self.field).fired

    def read(self) -> dict[str, float]:
        """What the sensors publish next; takes one period of the slowest."""
        delay(max(sensor.period for sensor in self.sensors.values()))
        return {name: float(sensor.value) for name, sensor in self.sensors.items()}


class Driver:
    """A trained network at the wheel of a vehicle: it acts on the strongest output, as in use, and learns nothing."""

    def __init__(self, setup: LearningSetup, network: Network, agv: Agv) -> None:
        self.setup, self.network, self.agv = setup, network.copy(), agv
        self.motion = setup.action_names[0] if setup.actions else STANDING

    def act(self) -> Act:
        """One step: goes on, or does what the network chooses while an instinct is violated."""
        setup = self.setup
        read = self.agv.read()
        values = {name: read[sensor] for name, sensor in setup.inputs.items()}
        violated = setup.instincts.violation(values, self.motion)
        number = 0
        if violated is not None:
            number = by_strength(self.network.propagate(setup.vector(values, self.motion)))[0]
        self.motion = setup.action_names[number]
        action = setup.actions[self.motion]
        if action.turn:
            self.agv.turn(action.turn)
        stopped = bool(action.drive) and self.agv.drive(action.drive)
        return Act(None if violated is None else violated.name, self.motion, stopped)


def _mechanism(model: MobileModel) -> Mechanism:
    """Two slides and a turn that carry a round hull: what turns on the spot and drives straight on is told by them."""
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
    return Mechanism(model.robot, joints, links, Mark(2, IDENTITY), source=model.source)


def _facing(at: Vector, bearing: float) -> Pose:
    """The frame of a sensor that is held upright: z along the bearing, x to the left of that, y up."""
    c, s = math.cos(bearing), math.sin(bearing)
    x, y, z = at
    return Pose.of_rows((-s, 0.0, c, x, c, 0.0, s, y, 0.0, 1.0, 0.0, z))
