"""Reach: the joints that bring a flange to a pose, or the reason why none do, with numbers."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from drycell.base import MotionError
from drycell.robots.configuration import Configuration


class Solution(NamedTuple):
    """Joint values for a pose, verified by forward kinematics."""

    joints: tuple[float, ...]
    configuration: Configuration
    travel: float  # seconds of joint travel at full speed from where it was asked near to, summed over the joints
    singular: tuple[str, ...] = ()  # questions that have no answer here, such as ("wrist",) at the wrist singularity


Reason = Literal["reachable", "too far", "too near", "orientation", "off", "limit", "configuration", "not found"]


@dataclass(frozen=True, slots=True)
class Reach:
    """The verdict on a pose. ``bool(reach)`` tells whether it can be reached; otherwise ``text`` says why not.

    ``amount`` says by how much: metres if too far, too near or off; radians for an orientation that does not fit;
    radians or metres past the limit of ``joint``.
    """

    reason: Reason
    text: str
    amount: float = 0.0
    joint: str | None = None
    hint: str | None = None
    configurations: tuple[Configuration, ...] = ()  # that reach it, within limits

    def __bool__(self) -> bool:
        return self.reason == "reachable"


class OutOfReach(MotionError):
    """A pose that cannot be reached; ``reach`` holds the verdict."""

    def __init__(self, robot: str, target: str | None, reach: Reach) -> None:
        place = "the pose" if target is None else repr(target)
        super().__init__(f"{robot} cannot reach {place}: {reach.text}", hint=reach.hint)
        self.reach = reach
