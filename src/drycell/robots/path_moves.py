"""Path moves: the tool on a line or an arc with a time law, slowed where a joint would pass its limits."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np

from drycell.base import MotionError, mm
from drycell.handling import MotionLimits, TimeLaw, least_time, speed_for, time_law
from drycell.robots.arm import Arm
from drycell.robots.move_data import too_short
from drycell.robots.path import Path
from drycell.robots.path_law import PathBounds, path_law
from drycell.robots.plan import MoveKind, PathPlan
from drycell.robots.spline import Spline
from drycell.robots.supervision import named_singularity
from drycell.robots.tool_trajectory import TimedPath, ToolTrajectory, track

# A move is rejected if one joint would race, compared with its own mean speed, and the move would have to be slowed by
# more than this factor: the path is then close to a singularity.
MOST_SLOWED: Final = 10.0
_RACING: Final = 5.0
# A time that is shorter than possible by less than this fraction is a rounding error.
_EARLY: Final = 1e-9
# How often the speed is halved to meet a time on a path where a joint slows the tool.
_ATTEMPTS: Final = 22


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
    linear = _capped(arm, linear)
    return _plan_along(arm, kind, path, start, path.limits(linear, turning), linear.speed, target, goal)


def plan_path_in(
    time: float,
    arm: Arm,
    kind: MoveKind,
    path: Path,
    start: Sequence[float],
    linear: MotionLimits,
    turning: MotionLimits,
    target: str,
    goal: Sequence[float] | None = None,
) -> PathPlan:
    """Plan a move of the tool along a path that takes a given time in seconds, with the lowest top speed.

    The other arguments are those of :func:`plan_path`. Raises MotionError, with the least time, if it is too short.
    """
    limits = path.limits(_capped(arm, linear), turning)
    least = least_time(path.span, limits)
    if time < least * (1.0 - _EARLY):
        raise too_short(arm.name, time, least, "the tool")

    def at(speed: float) -> PathPlan:
        return _plan_along(arm, kind, path, start, replace(limits, speed=speed), speed, target, goal)

    low = speed_for(path.span, limits, max(time, least))
    plan = at(low)
    if plan.slowed <= 1.0:
        return plan
    # A joint slows the move somewhere, so that the tool must be faster elsewhere.
    high, found, shortest = speed_for(path.span, limits, least), None, plan
    for attempt in range(_ATTEMPTS):
        middle = 0.5 * (low + high) if attempt else high
        try:
            plan = at(middle)
        except MotionError:  # too fast near a singularity
            high = middle
            continue
        if plan.duration > time:
            low, shortest = middle, min(shortest, plan, key=lambda each: each.duration)
            if not attempt:
                break
        else:
            high, found = middle, plan
    if found is None:
        raise too_short(arm.name, time, shortest.duration, f"with {shortest.slowed_by}, the tool")
    factor = time / found.duration
    return replace(
        found,
        spline=found.spline.stretched(factor),
        trajectory=found.trajectory.stretched(factor),
        slowed=1.0,
        slowed_by="",
    )


def _capped(arm: Arm, linear: MotionLimits) -> MotionLimits:
    """Limits of the travel, with a speed that the robot itself allows."""
    most = arm.mechanism.path_speed
    return linear if most is None else replace(linear, speed=min(linear.speed, most))


def _plan_along(
    arm: Arm,
    kind: MoveKind,
    path: Path,
    start: Sequence[float],
    limits: MotionLimits,
    pace: float,
    target: str,
    goal: Sequence[float] | None,
) -> PathPlan:
    """Plan a move with limits along the path; ``pace`` is the commanded speed in messages."""
    commanded = ToolTrajectory((TimedPath(path, time_law(path.span, limits), limits),))
    spline = track(arm, commanded, start, target, goal=goal)
    factor = arm.overload(spline)
    if factor <= 1.0:
        return PathPlan(arm=arm, kind=kind, spline=spline, trajectory=commanded, target=target)
    if factor > MOST_SLOWED:
        _refuse_singularity(arm, commanded, spline, pace, target, factor)
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
    near = arm.mechanism.singularity(spline.coefficients[piece, 0].tolist())
    text = f"{joints[joint].name} {('speed', 'acceleration')[limit]} × {ratio:.2f} at {place}"
    return f"{text}, near the {near} singularity" if near else text


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
    arm: Arm, trajectory: ToolTrajectory, spline: Spline, speed: float, target: str, factor: float
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
        pace, slower = f" at {speed / mm:.1f} mm/s", f"go at {speed / mm / factor:.1f} mm/s or less, "
    raise MotionError(
        f"{arm.name} cannot {'go' if travels else 'turn'} to {target!r}{pace}: {joint.name} would need "
        f"{joint.show(needed)}/s, limit {joint.show(joint.speed)}/s, "
        f"near {named_singularity(arm.mechanism, spline.coefficients[piece, 0].tolist())} "
        f"{trajectory.place(float(spline.breaks[piece]))} from the start",
        hint=f"{slower}use move() for this stretch, or shift the path off the singularity",
    )
