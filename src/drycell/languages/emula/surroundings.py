"""Surroundings: the session as sensor functions see it."""

from random import Random
from typing import Final

from drycell.base import Pose, Vector
from drycell.cell import Cell
from drycell.geometry import TOUCH
from drycell.languages.emula.holding import Holding
from drycell.languages.emula.names import Names
from drycell.languages.emula.vicinity import Vicinity
from drycell.robots import LiveRobot

_SAME: Final = 1e-9  # metres or radians: a motor nearer than this to what was commanded is there


class SessionSurroundings:
    """Answers about the present instant, by the names of the language."""

    def __init__(self, cell: Cell, robot: LiveRobot, names: Names, holding: Holding, sight: Vicinity) -> None:
        self._kernel, self._world = cell.kernel, cell.world
        self._robot, self._names, self._holding, self._sight = robot, names, holding, sight
        self.rest = robot.joints
        """The motor values that were commanded last, or at which the arm was stopped."""

    @property
    def motors(self) -> dict[str, float]:
        """The motor values: what was commanded, if the arm is there, and not what rounding made of it."""
        here = self._robot.joints
        there = not self._robot.moving and all(abs(a - b) < _SAME for a, b in zip(here, self.rest, strict=True))
        return dict(zip(self._robot.mechanism.joint_names, self.rest if there else here, strict=True))

    @property
    def position(self) -> Vector:
        """Where the point between the fingertips is."""
        return self._robot.pose.position

    def touching(self, a: str, b: str | None = None) -> bool:
        """Whether two nodes touch, or one touches anything; contacts inside the grasped group do not count."""
        pairs = self._holding.pairs(self._names.node(a), None if b is None else self._names.node(b))
        return self._sight.within(pairs, self._kernel.now, TOUCH) is not None

    def distance(self, a: str, b: str) -> float:
        """How far apart two nodes are; below zero is how deep they overlap, infinite if they have no solids."""
        pairs = self._holding.pairs(self._names.node(a), self._names.node(b))
        return min((self._sight.depth(x, y, self._kernel.now) for x, y in pairs), default=float("inf"))

    def pose(self, name: str) -> Pose:
        """Where a body is in the world."""
        return self._world.pose(self._names.node(name).body)

    def stream(self, sensor: int) -> Random:
        """A sensor's random stream."""
        return self._kernel.random(f"sensor {sensor}")
