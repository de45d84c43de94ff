"""Motion controllers: the black box between commands and motions, exchangeable without touching cell or program.

The idea is that of Realistic Robot Simulation: put a manufacturer's way of planning paths behind this interface, and
every cell can run with it. A controller is asked for plans; it never sees the clock of the cell.
"""

from collections.abc import Sequence

from drycell.base import Pose, Thing, Vector, mm
from drycell.robots.arm import Arm
from drycell.robots.plan import Plan


class MotionController(Thing, noun="motion controller"):
    """Plans the motions of an arm. Subclass it with a ``kind``, settings as fields, and the three moves.

    Poses are those of the TCP, relative to the robot's base. Plans begin and end at rest; ``target`` is what messages
    call the place. A move that is not possible raises MotionError. Every robot gets a controller of its own, equal to
    the one it was given. A controller that does nothing else stops at every point and notices events at once.
    """

    @property
    def name(self) -> str:
        """Its kind, for reports."""
        return self.meta.kind

    @property
    def linear_speed(self) -> float:
        """Speed of the TCP, in m/s, on a line or an arc whose command names none; override it, or make it a field."""
        return 250 * mm

    def joint_move(self, arm: Arm, start: Sequence[float], end: Sequence[float], speed: float) -> Plan:
        """From joints to joints, at a fraction (0…1) of every joint's greatest speed."""
        raise NotImplementedError

    def linear_move(self, arm: Arm, start: Sequence[float], end: Pose, speed: float, target: str) -> Plan:
        """The TCP straight from where it is to a pose, at a speed in m/s."""
        raise NotImplementedError

    def circular_move(
        self, arm: Arm, start: Sequence[float], via: Vector, end: Pose, speed: float, target: str
    ) -> Plan:
        """The TCP round the arc from where it is over a point to a pose, at a speed in m/s."""
        raise NotImplementedError

    def zone_entry(self, plan: Plan, zone: float) -> float | None:
        """Seconds into a plan at which it is ready to be blended into the next; None if this controller stops there."""
        return None

    def blend(self, plan: Plan, after: float, following: Plan, zone: float) -> Plan | None:
        """One motion out of what is left of a plan ``after`` seconds and the next, which begins where the plan ends;
        None if they cannot be blended and the arm stops in between."""
        return None

    def stop(self, plan: Plan, after: float) -> Plan:
        """How it comes to rest if it is to stop ``after`` seconds into a plan."""
        return plan.stopped(after)

    def notices(self, start: int, event: int) -> int:
        """The tick at which it notices an event of its inputs in a move begun at ``start``: its next input scan."""
        return event
