"""The interface of motion controllers, which turn commands into plans.

A controller can be replaced without changing the cell or the program. The idea comes from Realistic Robot
Simulation: with a manufacturer's path planning behind this interface, every cell can run with it. A controller only
makes plans; it does not see the clock of the cell.
"""

from collections.abc import Sequence
from typing import ClassVar

from drycell.base import Pose, Thing, Vector, mm
from drycell.robots.arm import Arm
from drycell.robots.move_data import NO_DATA, MoveData
from drycell.robots.plan import Plan


class MotionController(Thing, noun="motion controller"):
    """Plans the motions of an arm. Subclass it with a ``kind``, settings as fields, and the three moves.

    Poses are those of the TCP, relative to the robot's base. Plans begin and end at rest; ``target`` is the name of the
    target in messages. A move that is not possible raises MotionError. Every robot gets its own copy of the controller
    it was given. A controller that overrides only the moves stops at every point and notices events at once.

    A move gets ``data`` only if the program gives an acceleration or a time, and only if the class lists them in
    ``takes``: robots refuse them for other controllers.
    """

    takes: ClassVar[tuple[str, ...]] = ()
    """The motion data that its moves take besides the speed: "acceleration", "time"."""

    @property
    def name(self) -> str:
        """The kind of controller, for reports."""
        return self.meta.kind

    @property
    def linear_speed(self) -> float:
        """TCP speed in m/s for lines and arcs without a commanded speed. Override it, or make it a field."""
        return 250 * mm

    @property
    def joint_speed(self) -> float | None:
        """Maximum speed of a revolute joint in joint moves without a commanded speed, in rad/s; None for its own."""
        return None

    def joint_move(
        self, arm: Arm, start: Sequence[float], end: Sequence[float], speed: float, data: MoveData = NO_DATA
    ) -> Plan:
        """Plan a move from joints to joints, at a fraction (0…1) of every joint's maximum speed."""
        raise NotImplementedError

    def linear_move(
        self, arm: Arm, start: Sequence[float], end: Pose, speed: float, target: str, data: MoveData = NO_DATA
    ) -> Plan:
        """Plan a straight move of the TCP from its current pose to another, at a speed in m/s."""
        raise NotImplementedError

    def circular_move(
        self,
        arm: Arm,
        start: Sequence[float],
        via: Vector,
        end: Pose,
        speed: float,
        target: str,
        data: MoveData = NO_DATA,
    ) -> Plan:
        """Plan a move of the TCP on the arc through a via point to a pose, at a speed in m/s."""
        raise NotImplementedError

    def zone_entry(self, plan: Plan, zone: float) -> float | None:
        """The time in a plan, in seconds, at which the next move can be blended in; None if this controller stops."""
        return None

    def blend(self, plan: Plan, after: float, following: Plan, zone: float) -> Plan | None:
        """Blend the rest of a plan after ``after`` seconds with the next plan, which begins where the first one ends.

        Returns None if they cannot be blended; the arm then stops in between.
        """
        return None

    def stop(self, plan: Plan, after: float) -> Plan:
        """The plan of a stop that begins ``after`` seconds into a plan."""
        return plan.stopped(after)

    def notices(self, start: int, event: int) -> int:
        """The tick at which it notices an input event, in a move that began at ``start``: its next input scan."""
        return event
