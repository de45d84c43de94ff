"""Controllers that run lines and arcs with a time law: one for industrial arms, and one with independent axes."""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, TypeVar

import numpy as np

from drycell.base import MotionError, Pose, Quantity, Vector, Wait, deg, mm, ms
from drycell.handling import MotionLimits, TimeLaw, stop_law, time_law
from drycell.kernel import ticks
from drycell.robots.arm import Arm
from drycell.robots.blending import blend
from drycell.robots.controller import MotionController
from drycell.robots.path import Line, Path, arc_through, for_arm
from drycell.robots.path_law import PathBounds, path_law
from drycell.robots.plan import JointPlan, MoveKind, PathPlan, Plan, standstill
from drycell.robots.spline import Spline
from drycell.robots.tool_trajectory import TimedPath, ToolTrajectory, track

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


# A distance below this (1 nrad, 1 nm) is not a motion.
NOWHERE = 1e-9
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


class PathController(MotionController):
    """Lines and arcs with a time law for travel and rotation of the TCP.

    Without a jerk limit, the speed is a trapezoid.
    """

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
        """Plan a straight move of the TCP to a pose, at a speed in m/s."""
        here = tuple(start)
        return self._plans.get(
            ("linear", arm, here, end.rows, speed, target),
            lambda: self._path_plan(arm, "linear", Line(arm.tcp(here), end), here, speed, target),
        )

    def circular_move(
        self, arm: Arm, start: Sequence[float], via: Vector, end: Pose, speed: float, target: str
    ) -> Plan:
        """Plan a move of the TCP on the arc through a via point to a pose, at a speed in m/s."""
        here = tuple(start)
        return self._plans.get(
            ("circular", arm, here, via, end.rows, speed, target),
            lambda: self._path_plan(arm, "circular", arc_through(arm.tcp(here), via, end), here, speed, target),
        )

    def _path_plan(
        self, arm: Arm, kind: MoveKind, path: Path, start: tuple[float, ...], speed: float, target: str
    ) -> Plan:
        # This raises OutOfReach with the reason if the end cannot be reached.
        goal = arm.mechanism.inverse(arm.flange(path.end), near=start, target=target).joints
        if path.span <= NOWHERE:
            return standstill(arm, kind, start)
        linear, turning = self._limits(speed)
        return plan_path(arm, kind, for_arm(arm, path), start, linear, turning, target, goal)

    def notices(self, start: int, event: int) -> int:
        """The tick of the next input scan at or after ``event``."""
        period = ticks(self.scan)
        return event if period == 0 else -(-event // period) * period


# A move is rejected if one joint would race, compared with its own mean speed, and the move would have to be slowed by
# more than this factor: the path is then close to a singularity.
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
    """Plan a move of the tool along a path, as fast as its limits and those of every joint allow.

    Where a joint would pass its speed or acceleration, the tool is slowed there; the path does not change. The robot's
    own path speed limits the commanded one. ``goal`` is a solution for the end of the path, if the caller has one.

    Raises MotionError if the arm cannot follow the path, or only much slower because of a singularity.
    """
    if arm.mechanism.path_speed is not None:
        linear = replace(linear, speed=min(linear.speed, arm.mechanism.path_speed))
    limits = path.limits(linear, turning)
    commanded = ToolTrajectory((TimedPath(path, time_law(path.span, limits), limits),))
    spline = track(arm, commanded, start, target, goal=goal)
    factor = arm.overload(spline)
    if factor <= 1.0:
        return PathPlan(arm=arm, kind=kind, spline=spline, trajectory=commanded, target=target)
    if factor > MOST_SLOWED:
        _refuse_singularity(arm, commanded, spline, linear, target, factor)
    reason = _overloaded(arm, commanded, spline)
    bounds = _joint_bounds(arm, path, start, target, goal)
    # No point of the path allows more than this, so these limits cost no time, and the jerk stays limited.
    limits = replace(
        limits,
        speed=min(limits.speed, bounds.fastest),
        acceleration=min(limits.acceleration, bounds.quickest),
    )
    ceiling = time_law(path.span, limits)
    for _ in range(_TIGHTENED):
        trajectory = ToolTrajectory((TimedPath(path, path_law(bounds, ceiling, limits.acceleration), limits),))
        spline = track(arm, trajectory, start, target, goal=goal)
        # Between the points at which the bounds are evaluated, a limit may still be exceeded slightly.
        rest = arm.overload(spline)
        if rest <= 1.0:
            break
        bounds = bounds.tightened(rest)
    else:
        trajectory, spline = trajectory.stretched(rest), spline.stretched(rest)
    return PathPlan(
        arm=arm,
        kind=kind,
        spline=spline,
        slowed=spline.duration / commanded.duration,
        slowed_by=reason,
        trajectory=trajectory,
        target=target,
    )


def _overloaded(arm: Arm, trajectory: ToolTrajectory, spline: Spline) -> str:
    """The joint that is farthest beyond its limits in a motion, and where: ``elbow speed × 2.4 at 12 mm of 300 mm``."""
    joints = arm.mechanism.joints
    c1, c2, c3 = (spline.coefficients[:, k] for k in (1, 2, 3))
    h = np.diff(spline.breaks)[:, None]
    speeds = np.abs(c1 + (c2 + 0.75 * c3 * h) * h) / [joint.speed for joint in joints]  # in the middle of each piece
    bends = np.maximum(np.abs(2 * c2), np.abs(2 * c2 + 6 * c3 * h)) / [joint.acceleration for joint in joints]
    # A motion that is n times slower has 1/n of the speed and 1/n² of the acceleration.
    worst = np.stack((speeds, np.sqrt(bends)))
    limit, piece, joint = (int(i) for i in np.unravel_index(int(worst.argmax()), worst.shape))
    place = trajectory.place(0.5 * float(spline.breaks[piece] + spline.breaks[piece + 1]))
    ratio = float((speeds, bends)[limit][piece, joint])
    return f"{joints[joint].name} {('speed', 'acceleration')[limit]} × {ratio:.2f} at {place}"


# How often the bounds are tightened before the remaining excess stretches the whole move.
_TIGHTENED: Final = 5
# The bounds of a path are taken at the knots of its joint motion, and at least at this many places.
_PLACES: Final = 100
_ROUNDING: Final = 1e-6  # of a place, so that their number does not depend on the last bits


def _joint_bounds(
    arm: Arm, path: Path, start: Sequence[float], target: str, goal: Sequence[float] | None
) -> PathBounds:
    """The speed and acceleration limits of the joints as bounds along a path."""
    span = path.span
    evenly = TimedPath(path, TimeLaw((0.0, span), ((0.0, 1.0, 0.0, 0.0),)), MotionLimits(1.0, 1.0, 1.0))
    joints = track(arm, ToolTrajectory((evenly,)), start, target, goal=goal)  # over the distance instead of time
    places = [0.0]
    for low, high in pairwise(joints.breaks.tolist()):
        steps = math.ceil(_PLACES * (high - low) / span - _ROUNDING) + 1
        places.extend(low + (high - low) * step / steps for step in range(1, steps + 1))
    rate = np.array([joints.speeds(place) for place in places])
    speed, acceleration = (
        np.array([getattr(joint, name) for joint in arm.mechanism.joints]) for name in ("speed", "acceleration")
    )
    high = np.broadcast_to(acceleration, rate.shape)
    with np.errstate(all="ignore"):
        fastest = (speed / np.abs(rate)).min(axis=1)
    return PathBounds(
        np.array(places), fastest, rate, np.gradient(rate, np.array(places), axis=0, edge_order=2), -high, high
    )


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
    """Moves an arm like most modern industrial controllers.

    * Joint moves: all joints start and arrive together and keep their proportions (phase synchronisation); the slowest
      joint runs at its limits. ``speed`` scales speeds only, not accelerations or jerks.
    * Lines and arcs: the tool follows a jerk-limited law and turns evenly; it is slowed where a joint would pass its
      limits.
    * Zones: see :mod:`drycell.robots.blending`.
    * Stops: as fast as the same limits allow, on the same path. During a blend, each of the two motions stops on its
      own path, and the two are added.
    """

    linear_jerk: Jerk = 20.0
    """Greatest jerk of the TCP on lines and arcs, or ``unlimited``."""
    turn_jerk: TurnJerk = 5000 * deg
    """Greatest jerk of the tool's turn on lines and arcs, or ``unlimited``."""

    @cached_property
    def _blends(self) -> Memo[Plan | None]:
        return Memo()

    def joint_move(self, arm: Arm, start: Sequence[float], end: Sequence[float], speed: float) -> Plan:
        """Plan a move from joints to joints, at a fraction (0…1) of every joint's maximum speed."""
        here, there = tuple(start), tuple(end)
        return self._plans.get(("joint", arm, here, there, speed), lambda: _joint_plan(arm, here, there, speed))

    def zone_entry(self, plan: Plan, zone: float) -> float | None:
        """The time in a plan, in seconds, after which the tool stays within the zone."""
        return plan.entry(zone)

    def blend(self, plan: Plan, after: float, following: Plan, zone: float) -> Plan | None:
        """Blend the rest of a plan with the next plan; None if the arm stops in between."""
        if plan.arm is not following.arm:
            return None  # the tool has changed, so the two paths belong to different points
        return self._blends.get((plan, after, following, zone), lambda: blend(plan, after, following, zone))


def _joint_plan(arm: Arm, start: tuple[float, ...], end: tuple[float, ...], speed: float) -> Plan:
    travel = [there - here for here, there in zip(start, end, strict=True)]
    distance = max(map(abs, travel))
    if distance <= NOWHERE:
        return standstill(arm, "joint", start)
    # The distance is the travel of the joint that moves farthest, which keeps the numbers well scaled.
    direction = tuple(each / distance for each in travel)
    limits = _joint_space_limits(arm, direction, speed)
    law = time_law(distance, limits)
    return JointPlan(
        arm=arm,
        kind="joint",
        spline=Spline.along(start, direction, law, end),
        start=start,
        direction=direction,
        law=law,
        limits=limits,
    )


def _joint_space_limits(arm: Arm, direction: Sequence[float], speed: float) -> MotionLimits:
    """The limits of a straight motion in joint space, so that no joint passes its own."""
    moving = [
        (joint, abs(fraction)) for joint, fraction in zip(arm.mechanism.joints, direction, strict=True) if fraction
    ]
    return MotionLimits(
        min(joint.speed * speed / fraction for joint, fraction in moving),
        min(joint.acceleration / fraction for joint, fraction in moving),
        min(joint.jerk / fraction for joint, fraction in moving),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class AxesPlan(Plan):
    """A joint move in which each joint has its own time law."""

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
    """Moves an arm like simple and older controllers.

    * Joint moves: every joint has its own trapezoidal speed profile, at its own maximum speed and acceleration,
      independent of the others; the move ends when the last joint arrives. Jerk is not limited.
    * Lines and arcs: the tool has a trapezoidal speed profile and turns evenly; it is slowed where a joint would
      pass its limits.
    * Zones: none. The arm stops at every point before the program continues.
    * Stops: in a joint move, every joint stops with its own deceleration, which leaves the path; lines and arcs stop on
      the path.
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
        """Plan a move from joints to joints, at a fraction (0…1) of every joint's maximum speed."""
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
