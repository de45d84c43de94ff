"""Controllers that run lines and arcs by a time law: that of industrial arms, and one with independent axes."""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, TypeVar

import numpy as np

from drycell.base import MotionError, Pose, Quantity, Vector, Wait, deg, mm, ms
from drycell.handling import MotionLimits, TimeLaw, stop_law, time_law
from drycell.kernel import ticks
from drycell.robots.arm import Arm
from drycell.robots.blending import blend
from drycell.robots.controller import MotionController
from drycell.robots.path import Line, Path, arc_through, for_arm
from drycell.robots.plan import JointPlan, MoveKind, PathPlan, Plan, standstill
from drycell.robots.spline import Spline
from drycell.robots.tool_trajectory import TimedPath, ToolTrajectory, track

if TYPE_CHECKING:
    from drycell.base import Plain


P = TypeVar("P")

_MOST: Final = 1024


class Memo(Generic[P]):
    """Results by their exact inputs: the same inputs give the same object. Forgets the oldest of many."""

    def __init__(self) -> None:
        self._known: dict[Hashable, P] = {}

    def get(self, key: Hashable, make: Callable[[], P]) -> P:
        """What was made for this key before, or what ``make`` makes now. Errors are not kept."""
        if key in self._known:
            return self._known[key]
        made = make()
        if len(self._known) >= _MOST:
            del self._known[next(iter(self._known))]
        self._known[key] = made
        return made


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
        # It says why if the end is out of reach.
        goal = arm.mechanism.inverse(arm.flange(path.end), near=start, target=target).joints
        if path.span <= NOWHERE:
            return standstill(arm, kind, start)
        linear, turning = self._limits(speed)
        return plan_path(arm, kind, for_arm(arm, path), start, linear, turning, target, goal)

    def notices(self, start: int, event: int) -> int:
        """The tick of the next input scan, ``event`` itself included."""
        period = ticks(self.scan)
        return event if period == 0 else -(-event // period) * period


# A move that would have to be slowed by more than this because one joint races, as against its own mean, is refused:
# that is a singularity, which a real arm does not creep past either.
MOST_SLOWED: Final = 10.0
_RACING: Final = 5.0


def plan_path(
    arm: Arm,
    kind: MoveKind,
    path: Path,
    start: Sequence[float],
    linear: MotionLimits,
    turning: MotionLimits,
    target: str,
    goal: Sequence[float] | None = None,
) -> PathPlan:
    """The tool along a path, as fast as its limits and those of every joint allow.

    If a joint would pass its speed or acceleration, the whole move is stretched in time, evenly, until none does: the
    path stays the same to the bit. A path speed the maker states for the robot caps the one commanded. ``goal`` is a
    solution for the path's end, if the caller has one.
    """
    if arm.mechanism.path_speed is not None:
        linear = replace(linear, speed=min(linear.speed, arm.mechanism.path_speed))
    limits = path.limits(linear, turning)
    trajectory = ToolTrajectory((TimedPath(path, time_law(path.span, limits), limits),))
    spline = track(arm, trajectory, start, target, goal=goal)
    factor = arm.overload(spline)
    if factor > 1.0:
        if factor > MOST_SLOWED:
            _refuse_singularity(arm, trajectory, spline, linear, target, factor)
        trajectory, spline = trajectory.stretched(factor), spline.stretched(factor)
    return PathPlan(arm=arm, kind=kind, spline=spline, slowed=factor, trajectory=trajectory, target=target)


def _refuse_singularity(
    arm: Arm, trajectory: ToolTrajectory, spline: Spline, linear: MotionLimits, target: str, factor: float
) -> None:
    speeds = np.abs(spline.coefficients[:, 1]) / [joint.speed for joint in arm.mechanism.joints]
    piece, worst = (int(i) for i in np.unravel_index(int(speeds.argmax()), speeds.shape))
    travel = np.abs(np.diff(spline.coefficients[:, 0, worst])).sum()
    needed = float(spline.top_speeds[worst])
    if needed * spline.duration < _RACING * float(travel):
        return
    joint = arm.mechanism.joints[worst]
    travels = trajectory.paths[0].path.length > 1e-9
    pace, slower = "", ""
    if travels:
        pace, slower = f" at {linear.speed / mm:.1f} mm/s", f"go at {linear.speed / mm / factor:.1f} mm/s or less, "
    raise MotionError(
        f"{arm.name} cannot {'go' if travels else 'turn'} to {target!r}{pace}: {joint.name} would need "
        f"{joint.show(needed)}/s, limit {joint.show(joint.speed)}/s, "
        f"near a singularity {trajectory.place(float(spline.breaks[piece]))} from the start",
        hint=f"{slower}use move() for this stretch, or shift the path off the singularity",
    )


class StandardController(PathController, kind="standard"):
    """How most industrial controllers of today move an arm.

    * Joint moves: all joints start and arrive together and keep their proportions (phase synchronisation); the joint
      that takes longest runs at its limits. ``speed`` scales speeds only, never accelerations or jerks.
    * Lines and arcs: the tool by a jerk-limited law, turning evenly; the whole move is slowed if a joint is overtaxed.
    * Zones: see :mod:`drycell.robots.blending`.
    * Stops: as quickly as the same limits allow, on the same path. (In the middle of a blend each of the two motions
      stops on its own path, and the two are added up.)
    """

    linear_jerk: Jerk = 20.0
    """Greatest jerk of the TCP on lines and arcs, or ``unlimited``."""
    turn_jerk: TurnJerk = 5000 * deg
    """Greatest jerk of the tool's turn on lines and arcs, or ``unlimited``."""

    @cached_property
    def _blends(self) -> Memo[Plan | None]:
        return Memo()

    def joint_move(self, arm: Arm, start: Sequence[float], end: Sequence[float], speed: float) -> Plan:
        """From joints to joints, at a share (0…1) of every joint's greatest speed."""
        here, there = tuple(start), tuple(end)
        return self._plans.get(("joint", arm, here, there, speed), lambda: _joint_plan(arm, here, there, speed))

    def zone_entry(self, plan: Plan, zone: float) -> float | None:
        """Seconds into a plan at which its tool is within the zone for good."""
        return plan.entry(zone)

    def blend(self, plan: Plan, after: float, following: Plan, zone: float) -> Plan | None:
        """One motion out of what is left of a plan and the next; None if the arm stops in between."""
        if plan.arm is not following.arm:
            return None  # the tool was changed: its path has another meaning now
        return self._blends.get((plan, after, following, zone), lambda: blend(plan, after, following, zone))


def _joint_plan(arm: Arm, start: tuple[float, ...], end: tuple[float, ...], speed: float) -> Plan:
    travel = [there - here for here, there in zip(start, end, strict=True)]
    way = max(map(abs, travel))
    if way <= NOWHERE:
        return standstill(arm, "joint", start)
    # The way is measured in the travel of the joint that goes farthest, which keeps the numbers of ordinary size.
    direction = tuple(each / way for each in travel)
    limits = _way_limits(arm, direction, speed)
    law = time_law(way, limits)
    return JointPlan(
        arm=arm,
        kind="joint",
        spline=Spline.along(start, direction, law, end),
        start=start,
        direction=direction,
        law=law,
        limits=limits,
    )


def _way_limits(arm: Arm, direction: Sequence[float], speed: float) -> MotionLimits:
    """The limits of a way through joint space, so that no joint passes its own."""
    moving = [(joint, abs(share)) for joint, share in zip(arm.mechanism.joints, direction, strict=True) if share]
    return MotionLimits(
        min(joint.speed * speed / share for joint, share in moving),
        min(joint.acceleration / share for joint, share in moving),
        min(joint.jerk / share for joint, share in moving),
    )


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
