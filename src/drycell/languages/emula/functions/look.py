"""Looks: what a sensor function is told and can ask when it is to give its value."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Protocol

from drycell.base import Pose, Vector
from drycell.kernel import seconds


class Surroundings(Protocol):
    """What can be asked of the session. Names are those of the language; lengths are metres, angles radians."""

    @property
    def motors(self) -> dict[str, float]:
        """The motor values."""

    @property
    def position(self) -> Vector:
        """Where the point between the fingertips is."""

    def touching(self, a: str, b: str | None = None) -> bool:
        """Whether two nodes touch, or one touches anything; contacts inside the grasped group do not count."""

    def distance(self, a: str, b: str) -> float:
        """How far apart two nodes are; below zero is how deep they overlap."""

    def pose(self, name: str) -> Pose:
        """Where a body is in the world."""

    def stream(self, sensor: int) -> Random:
        """The sensor's random stream, the same for the same seed."""


@dataclass(frozen=True, slots=True)
class Look:
    """One reading of a sensor: its number, the limit it is watched against, what the function said last, the cycle.

    ``cycle`` counts the basic cycles of the move from 1; ``tick`` is cell time in microseconds.
    """

    sensor: int
    limit: float
    last: float
    cycle: int
    tick: int
    around: Surroundings

    @property
    def time(self) -> float:
        """Cell time in seconds."""
        return seconds(self.tick)

    @property
    def motors(self) -> Mapping[str, float]:
        """The motor values: metres and radians by name."""
        return self.around.motors

    @property
    def position(self) -> Vector:
        """Where the point between the fingertips is, in metres."""
        return self.around.position

    @property
    def random(self) -> Random:
        """The sensor's own random stream: use no other, or runs cannot be repeated."""
        return self.around.stream(self.sensor)

    def touching(self, a: str, b: str | None = None) -> bool:
        """Whether two nodes touch, or one touches anything; contacts inside the grasped group do not count."""
        return self.around.touching(a, b)

    def distance(self, a: str, b: str) -> float:
        """How far apart two nodes are, in metres; below zero is how deep they overlap."""
        return self.around.distance(a, b)

    def pose(self, name: str) -> Pose:
        """Where a body is in the world."""
        return self.around.pose(name)
