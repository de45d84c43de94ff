"""Controllers: the black box between commands and motions, which can be exchanged without touching cell or program.

The idea is that of Realistic Robot Simulation: whoever knows how a maker's controller plans its paths puts that behind
this interface, and every cell can run with it. A controller is asked for plans; it never sees the clock of the cell.
"""

from collections.abc import Sequence
from typing import Protocol

from drycell.robots.arm import Arm
from drycell.robots.plan import Plan
from drycell.spatial import Pose, Vector


class Controller(Protocol):
    """What a motion planner must be able to do. Poses are of the tool centre point, seen from the robot's base.

    Plans begin and end at rest; ``target`` is how messages call the place. What cannot be done raises MotionError.
    """

    @property
    def name(self) -> str:
        """How reports call it."""

    @property
    def linear_speed(self) -> float:
        """The speed of the tool, m/s, on a line or an arc whose command names none."""

    def joint_move(self, arm: Arm, start: Sequence[float], end: Sequence[float], speed: float) -> Plan:
        """From joints to joints, at a share (0…1) of every joint's greatest speed."""

    def linear_move(self, arm: Arm, start: Sequence[float], end: Pose, speed: float, target: str) -> Plan:
        """The tool straight from where it is to a pose, at a speed in m/s."""

    def circular_move(
        self, arm: Arm, start: Sequence[float], via: Vector, end: Pose, speed: float, target: str
    ) -> Plan:
        """The tool round the arc from where it is over a point to a pose, at a speed in m/s."""

    def zone_entry(self, plan: Plan, zone: float) -> float | None:
        """Seconds into a plan at which it is ready to be blended into the next; None if this controller stops there."""

    def blend(self, plan: Plan, after: float, following: Plan, zone: float) -> Plan | None:
        """One motion out of what is left of a plan ``after`` seconds and the next, which begins where the plan ends;
        None if they cannot be blended and the arm stops in between."""

    def stop(self, plan: Plan, after: float) -> Plan:
        """How it comes to rest if it is to stop ``after`` seconds into a plan."""

    def notices(self, start: int, event: int) -> int:
        """The tick at which it notices an event of its inputs in a move begun at ``start``: its next input scan."""
