"""Controllers that run joint moves, lines and arcs with a time law: for industrial arms, and with independent axes."""

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Generic, Literal, TypeVar

from drycell.base import Pose, Problem, Quantity, Vector, Wait, deg, mm, ms
from drycell.handling import MotionLimits
from drycell.kernel import ticks
from drycell.robots.arm import Arm
from drycell.robots.blending import blend
from drycell.robots.controller import MotionController
from drycell.robots.joint_moves import NOWHERE, Synchronisation, plan_joint_move
from drycell.robots.move_data import NO_DATA, MoveData
from drycell.robots.path import Line, Path, arc_through, for_arm
from drycell.robots.path_moves import plan_path, plan_path_in
from drycell.robots.plan import MoveKind, Plan, standstill

if TYPE_CHECKING:
    from drycell.base import Plain


P = TypeVar("P")

_MOST: Final = 1024


class Memo(Generic[P]):
    """A cache of results by their exact inputs, which drops the oldest entry when it is full."""

    def __init__(self) -> None:
        self._known: dict[Hashable, P] = {}

    def get(self, key: Hashable, make: Callable[[], P]) -> P:
        """The cached result for a key, or the result of ``make``. Errors are not cached."""
        if key in self._known:
            return self._known[key]
        made = make()
        if len(self._known) >= _MOST:
            del self._known[next(iter(self._known))]
        self._known[key] = made
        return made


_UNLIMITED = "unlimited"


@dataclass(frozen=True)
class _Jerk(Quantity):
    """A jerk above zero, or ``unlimited``, which is infinite in Python."""

    def take(self, written: "Plain") -> float:
        """Read a jerk with its unit, or ``unlimited``."""
        return math.inf if written == _UNLIMITED else super().take(written)

    def check(self, value: Any) -> float:
        """Check a number, which may be infinite."""
        return math.inf if value == math.inf else super().check(value)

    def write(self, value: float) -> "Plain":
        """Write an infinite jerk as ``unlimited``."""
        return _UNLIMITED if value == math.inf else super().write(value)


LinearSpeed = Annotated[float, Quantity("speed", above=0.0)]
Acceleration = Annotated[float, Quantity("acceleration", above=0.0)]
Jerk = Annotated[float, _Jerk("jerk", above=0.0)]
TurnSpeed = Annotated[float, Quantity("angular speed", above=0.0)]
TurnAcceleration = Annotated[float, Quantity("angular acceleration", above=0.0)]
TurnJerk = Annotated[float, _Jerk("angular jerk", above=0.0)]
Law = Literal["jerk-limited", "trapezoidal"]


class PathController(MotionController):
    """Joint moves, and lines and arcs with a time law for travel and rotation of the TCP."""

    takes: ClassVar[tuple[str, ...]] = ("acceleration", "time")

    law: Law = "jerk-limited"
    """How speed builds up: ``jerk-limited``, or ``trapezoidal``, which ignores every jerk."""
    synchronisation: Synchronisation = "phases"
    """How joints move together: in ``phases``, all accelerate, cruise and brake at the same time; on ``arrival``, each
    has its own acceleration, and all arrive together; with ``none``, each arrives in its own time."""
    joint_speed: TurnSpeed | None = None
    """Maximum speed of a revolute joint in joint moves without a commanded speed; by default the joint's own."""
    joint_acceleration: TurnAcceleration | None = None
    """Maximum acceleration of a revolute joint in joint moves without a commanded one; by default the joint's own."""
    linear_speed: LinearSpeed = 250 * mm
    """Speed of the TCP if the command does not set one."""
    linear_acceleration: Acceleration = 2.0
    """Acceleration of the TCP on lines and arcs where a command names none."""
    linear_jerk: Jerk = 20.0
    """Maximum jerk of the TCP on lines and arcs, or ``unlimited``."""
    turn_speed: TurnSpeed = 180 * deg
    """Maximum speed at which the tool rotates on lines and arcs."""
    turn_acceleration: TurnAcceleration = 500 * deg
    """Maximum acceleration of that rotation."""
    turn_jerk: TurnJerk = 5000 * deg
    """Maximum jerk of that rotation, or ``unlimited``."""
    scan: Wait = 4 * ms
    """Interval at which inputs are read, counted from the start of the run; 0 for at once."""

    def problems(self) -> Iterable[Problem]:
        """A jerk has no effect with a trapezoidal law."""
        if self.law == "trapezoidal":
            for field in ("linear_jerk", "turn_jerk"):
                if getattr(self, field) not in (getattr(type(self), field), math.inf):
                    hint = "remove it, or write 'law: jerk-limited'"
                    yield Problem((field,), "has no effect with a trapezoidal law, whose jerk is unlimited", hint)

    @cached_property
    def _plans(self) -> Memo[Plan]:
        return Memo()

    def joint_move(
        self,
        arm: Arm,
        start: Sequence[float],
        end: Sequence[float],
        speed: float,
        data: MoveData = NO_DATA,
    ) -> Plan:
        """Plan a move from joints to joints, at a fraction (0…1) of every joint's maximum speed."""
        here, there = tuple(start), tuple(end)
        return self._plans.get(
            ("joint", arm, here, there, speed, data),
            lambda: plan_joint_move(
                arm, here, there, self._joint_limits(arm, speed, data), self.synchronisation, data.time
            ),
        )

    def _joint_limits(self, arm: Arm, speed: float, data: MoveData) -> list[MotionLimits]:
        joints = arm.mechanism.joints
        speeds = data.speeds or [joint.speed * speed for joint in joints]
        usual = self.joint_acceleration or math.inf
        accelerations = data.accelerations or [
            min(joint.acceleration, usual) if joint.revolute else joint.acceleration for joint in joints
        ]
        jerks = [math.inf if self.law == "trapezoidal" else joint.jerk for joint in joints]
        return [MotionLimits(*limits) for limits in zip(speeds, accelerations, jerks, strict=True)]

    def _limits(self, speed: float, acceleration: float | None = None) -> tuple[MotionLimits, MotionLimits]:
        linear_jerk, turn_jerk = self.linear_jerk, self.turn_jerk
        if self.law == "trapezoidal":
            linear_jerk = turn_jerk = math.inf
        return (
            MotionLimits(speed, acceleration or self.linear_acceleration, linear_jerk),
            MotionLimits(self.turn_speed, self.turn_acceleration, turn_jerk),
        )

    def linear_move(
        self, arm: Arm, start: Sequence[float], end: Pose, speed: float, target: str, data: MoveData = NO_DATA
    ) -> Plan:
        """Plan a straight move of the TCP to a pose, at a speed in m/s."""
        here = tuple(start)
        return self._plans.get(
            ("linear", arm, here, end.rows, speed, target, data),
            lambda: self._path_plan(arm, "linear", Line(arm.tcp(here), end), here, speed, target, data),
        )

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
        here = tuple(start)
        return self._plans.get(
            ("circular", arm, here, via, end.rows, speed, target, data),
            lambda: self._path_plan(arm, "circular", arc_through(arm.tcp(here), via, end), here, speed, target, data),
        )

    def _path_plan(
        self,
        arm: Arm,
        kind: MoveKind,
        path: Path,
        start: tuple[float, ...],
        speed: float,
        target: str,
        data: MoveData,
    ) -> Plan:
        # This raises OutOfReach with the reason if the end cannot be reached.
        goal = arm.mechanism.inverse(arm.flange(path.end), near=start, target=target).joints
        if path.span <= NOWHERE:
            return standstill(arm, kind, start)
        linear, turning = self._limits(speed, data.acceleration)
        fitted = for_arm(arm, path)
        if data.time is None:
            return plan_path(arm, kind, fitted, start, linear, turning, target, goal)
        return plan_path_in(data.time, arm, kind, fitted, start, linear, turning, target, goal)

    def notices(self, start: int, event: int) -> int:
        """The tick of the next input scan at or after ``event``."""
        period = ticks(self.scan)
        return event if period == 0 else -(-event // period) * period


class StandardController(PathController, kind="standard"):
    """Moves an arm like most modern industrial controllers.

    * Joint moves: all joints start and arrive together and keep their proportions, unless ``synchronisation`` says
      otherwise; the leading joint runs at its limits. ``speed`` scales speeds only, not accelerations or jerks.
    * Lines and arcs: the tool follows the law and turns evenly; it is slowed where a joint would pass its limits.
    * Zones: see :mod:`drycell.robots.blending`.
    * Stops: as fast as the same limits allow, on the same path. During a blend, each of the two motions stops on its
      own path, and the two are added.
    """

    @cached_property
    def _blends(self) -> Memo[Plan | None]:
        return Memo()

    def zone_entry(self, plan: Plan, zone: float) -> float | None:
        """The time in a plan, in seconds, after which the tool stays within the zone."""
        return plan.entry(zone)

    def blend(self, plan: Plan, after: float, following: Plan, zone: float) -> Plan | None:
        """Blend the rest of a plan with the next plan; None if the arm stops in between."""
        if plan.arm is not following.arm:
            return None  # the tool has changed, so the two paths belong to different points
        return self._blends.get((plan, after, following, zone), lambda: blend(plan, after, following, zone))


class IndependentController(PathController, kind="independent"):
    """Moves an arm like simple and older controllers.

    * Joint moves: every joint has its own trapezoidal speed profile, at its own maximum speed and acceleration,
      independent of the others; the move ends when the last joint arrives. Jerk is not limited.
    * Lines and arcs: the tool has a trapezoidal speed profile and turns evenly; it is slowed where a joint would
      pass its limits.
    * Zones: none. The arm stops at every point before the program continues.
    * Stops: in a joint move, every joint stops with its own deceleration, which leaves the path; lines and arcs stop on
      the path.
    """

    law: Law = "trapezoidal"
    """How speed builds up: ``jerk-limited``, or ``trapezoidal``, which ignores every jerk."""
    synchronisation: Synchronisation = "none"
    """How joints move together: in ``phases``, on ``arrival``, or with ``none``."""
    linear_acceleration: Acceleration = 1.0
    """Acceleration of the TCP on lines and arcs where a command names none."""
    turn_speed: TurnSpeed = 90 * deg
    """Maximum speed at which the tool rotates on lines and arcs."""
    turn_acceleration: TurnAcceleration = 360 * deg
    """Maximum acceleration of that rotation."""
    scan: Wait = 10 * ms
    """Interval at which inputs are read, counted from the start of the run; 0 for at once."""
