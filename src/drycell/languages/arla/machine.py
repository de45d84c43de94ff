"""The narrow interface between ARLA programs and what moves: a robot with numbered lines, sensors, tools and positions.

All numbers are SI. Places are of the tool centre point, seen from the robot's base.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from drycell.base import Pose


@dataclass(frozen=True, slots=True)
class Travel:
    """How to go to a place: ``name`` is what reports call it.

    ``share`` (0…1) is of the speed that was set, or of the joints' own where the tool does not go ``straight``.
    ``zone`` 0 is a stop at the place; zones 1 to 9 are passed through, wider and wider.
    """

    place: Pose
    name: str
    share: float
    straight: bool = True
    zone: int = 0


@runtime_checkable
class Machine(Protocol):
    """What ARLA's instructions ask for. Commands are given by one program at a time, and take cell time."""

    def taught(self, number: int) -> Pose | None:
        """A taught position; None if nobody has taught it."""

    def here(self) -> Pose:
        """Where the tool is."""

    def set_speed(self, speed: float, limit: float) -> None:
        """What 100 % is from now on, and what no move exceeds."""

    def select_tool(self, number: int) -> None:
        """The tool whose centre point is moved from now on; 0 is the bare flange."""

    def move(self, travel: Travel) -> None:
        """Goes to a place; returns at rest there, or where the zone begins."""

    def search(self, travel: Travel, sensor: int) -> Pose | None:
        """Goes to a place until a sensor responds, and stops; where the tool was then, or None if none responded."""

    def set_gripper(self, opened: bool) -> None:
        """Opens or closes the gripper, and waits until it has done so."""

    def input(self, number: int) -> bool:
        """Whether an input is on."""

    def output(self, number: int) -> bool:
        """Whether an output is on."""

    def set_output(self, number: int, on: bool) -> None:
        """Sets or resets an output."""

    def wait_inputs(self, wanted: Sequence[tuple[int, bool]]) -> None:
        """Waits until inputs are as wanted, all at one time."""

    def delay(self, seconds: float) -> None:
        """Lets time pass."""
