"""What controllers share that run lines and arcs by a time law and scan their inputs periodically."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

from drycell.base import Pose, Quantity, Vector, Wait, deg, mm, ms
from drycell.handling import MotionLimits
from drycell.kernel import ticks
from drycell.robots.arm import Arm
from drycell.robots.cartesian import plan_path
from drycell.robots.controller import MotionController
from drycell.robots.memo import Memo
from drycell.robots.path import Line, Path, arc_through
from drycell.robots.pitchroll_path import for_arm
from drycell.robots.plan import MoveKind, Plan, standstill

if TYPE_CHECKING:
    from drycell.base import Plain

# Less than this is no motion: a nanoradian or a nanometre.
NOWHERE = 1e-9
_UNLIMITED = "unlimited"


@dataclass(frozen=True)
class _Jerk(Quantity):
    """A jerk above zero, or ``unlimited``, which is infinite in Python."""

    def take(self, written: "Plain") -> float:
        """A jerk with its unit, or the word."""
        return math.inf if written == _UNLIMITED else super().take(written)

    def check(self, value: Any) -> float:
        """A number, which may be infinite."""
        return math.inf if value == math.inf else super().check(value)

    def write(self, value: float) -> "Plain":
        """The word for an infinite one."""
        return _UNLIMITED if value == math.inf else super().write(value)


LinearSpeed = Annotated[float, Quantity("speed", above=0.0)]
Acceleration = Annotated[float, Quantity("acceleration", above=0.0)]
Jerk = Annotated[float, _Jerk("jerk", above=0.0)]
TurnSpeed = Annotated[float, Quantity("angular speed", above=0.0)]
TurnAcceleration = Annotated[float, Quantity("angular acceleration", above=0.0)]
TurnJerk = Annotated[float, _Jerk("angular jerk", above=0.0)]


class PathController(MotionController):
    """Lines and arcs by a law of the TCP's travel and turn. An unlimited jerk makes the laws trapezoids."""

    linear_speed: LinearSpeed = 250 * mm
    """Speed of the TCP where a command names none."""
    linear_acceleration: Acceleration = 2.0
    """Greatest acceleration of the TCP on lines and arcs."""
    linear_jerk: Jerk = math.inf
    """Greatest jerk of the TCP on lines and arcs, or ``unlimited``."""
    turn_speed: TurnSpeed = 180 * deg
    """Greatest speed at which the tool turns on lines and arcs."""
    turn_acceleration: TurnAcceleration = 500 * deg
    """Greatest acceleration of that turn."""
    turn_jerk: TurnJerk = math.inf
    """Greatest jerk of that turn, or ``unlimited``."""
    scan: Wait = 4 * ms
    """Interval at which inputs are read, counted from the start of the run; 0 for at once."""

    @cached_property
    def _plans(self) -> Memo[Plan]:
        return Memo()

    def _limits(self, speed: float) -> tuple[MotionLimits, MotionLimits]:
        return (
            MotionLimits(speed, self.linear_acceleration, self.linear_jerk),
            MotionLimits(self.turn_speed, self.turn_acceleration, self.turn_jerk),
        )

    def linear_move(self, arm: Arm, start: Sequence[float], end: Pose, speed: float, target: str) -> Plan:
        """The tool straight from where it is to a pose, at a speed in m/s."""
        here = tuple(start)
        return self._plans.get(
            ("linear", arm, here, end.rows, speed, target),
            lambda: self._path_plan(arm, "linear", Line(arm.tcp(here), end), here, speed, target),
        )

    def circular_move(
        self, arm: Arm, start: Sequence[float], via: Vector, end: Pose, speed: float, target: str
    ) -> Plan:
        """The tool round the arc from where it is over a point to a pose, at a speed in m/s."""
        here = tuple(start)
        return self._plans.get(
            ("circular", arm, here, via, end.rows, speed, target),
            lambda: self._path_plan(arm, "circular", arc_through(arm.tcp(here), via, end), here, speed, target),
        )

    def _path_plan(
        self, arm: Arm, kind: MoveKind, path: Path, start: tuple[float, ...], speed: float, target: str
    ) -> Plan:
        arm.mechanism.inverse(arm.flange(path.end), near=start, target=target)  # says why if it is out of reach
        if path.span <= NOWHERE:
            return standstill(arm, kind, start)
        linear, turning = self._limits(speed)
        return plan_path(arm, kind, for_arm(arm, path), start, linear, turning, target)

    def notices(self, start: int, event: int) -> int:
        """The tick of the next input scan, ``event`` itself included."""
        period = ticks(self.scan)
        return event if period == 0 else -(-event // period) * period
