"""The independent-axis controller: every joint at its own pace, trapezoids, a stop at every point."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from drycell.base import Wait, deg, ms
from drycell.handling import MotionLimits, TimeLaw, stop_law, time_law
from drycell.robots.arm import Arm
from drycell.robots.path_controller import NOWHERE, Acceleration, PathController, TurnAcceleration, TurnSpeed
from drycell.robots.plan import Plan, standstill
from drycell.robots.spline import Spline


@dataclass(frozen=True, eq=False, kw_only=True)
class AxesPlan(Plan):
    """Each joint by a law of its own."""

    laws: tuple[TimeLaw, ...]
    limits: tuple[MotionLimits, ...]

    def entry(self, zone: float) -> float:
        return self.duration

    def stopped(self, u: float) -> "AxesPlan":
        laws = tuple(stop_law(limits, law.state(u)) for law, limits in zip(self.laws, self.limits, strict=True))
        return replace(self, laws=laws, spline=Spline.axes(laws))

    def after(self, u: float) -> "AxesPlan":
        laws = tuple(law.after(u) for law in self.laws)
        return replace(self, laws=laws, spline=Spline.axes(laws, self.end))


class IndependentController(PathController, kind="independent"):
    """How simple and older controllers move an arm.

    * Joint moves: every joint by its own trapezoid at its own greatest speed and acceleration, without regard to the
      others; the move ends when the last has arrived. Jerk is not limited.
    * Lines and arcs: the tool by a trapezoid, turning evenly; the whole move is slowed if a joint is overtaxed.
    * No zones: the arm comes to rest at every point, and the program goes on then.
    * Stops: every joint by its own deceleration, which leaves the path; lines and arcs on the path.
    """

    linear_acceleration: Acceleration = 1.0
    """Greatest acceleration of the TCP on lines and arcs."""
    turn_speed: TurnSpeed = 90 * deg
    """Greatest speed at which the tool turns on lines and arcs."""
    turn_acceleration: TurnAcceleration = 360 * deg
    """Greatest acceleration of that turn."""
    scan: Wait = 10 * ms
    """Interval at which inputs are read, counted from the start of the run; 0 for at once."""

    def joint_move(self, arm: Arm, start: Sequence[float], end: Sequence[float], speed: float) -> Plan:
        """From joints to joints, at a share (0…1) of every joint's greatest speed."""
        here, there = tuple(start), tuple(end)
        return self._plans.get(("joint", arm, here, there, speed), lambda: _axes_plan(arm, here, there, speed))


def _axes_plan(arm: Arm, start: tuple[float, ...], end: tuple[float, ...], speed: float) -> Plan:
    if max(abs(there - here) for here, there in zip(start, end, strict=True)) <= NOWHERE:
        return standstill(arm, "joint", start)
    limits = tuple(MotionLimits(joint.speed * speed, joint.acceleration, math.inf) for joint in arm.mechanism.joints)
    laws = tuple(
        time_law(there, limit, (here, 0.0, 0.0)) for here, there, limit in zip(start, end, limits, strict=True)
    )
    return AxesPlan(arm=arm, kind="joint", spline=Spline.axes(laws, end), laws=laws, limits=limits)
