"""Lines and arcs planned: the path run by its law, the joints tracked, and the whole slowed if a joint is overtaxed."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from drycell.base import MotionError, mm
from drycell.handling import MotionLimits, time_law
from drycell.robots.arm import Arm
from drycell.robots.course import Course, Leg
from drycell.robots.path import Path
from drycell.robots.plan import CoursePlan, MoveKind
from drycell.robots.spline import Spline
from drycell.robots.tracking import track

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
) -> CoursePlan:
    """The tool along a path, as fast as its limits and those of every joint allow.

    If a joint would pass its speed or acceleration, the whole move is stretched in time, evenly, until none does: the
    path stays the same to the bit. A path speed the maker states for the robot caps the one commanded.
    """
    if arm.mechanism.path_speed is not None:
        linear = replace(linear, speed=min(linear.speed, arm.mechanism.path_speed))
    limits = path.limits(linear, turning)
    course = Course((Leg(path, time_law(path.span, limits), limits),))
    spline = track(arm, course, start, target)
    factor = arm.overload(spline)
    if factor > 1.0:
        if factor > MOST_SLOWED:
            _refuse_singularity(arm, course, spline, linear, target, factor)
        course, spline = course.stretched(factor), spline.stretched(factor)
    return CoursePlan(arm=arm, kind=kind, spline=spline, slowed=factor, course=course, target=target)


def _refuse_singularity(
    arm: Arm, course: Course, spline: Spline, linear: MotionLimits, target: str, factor: float
) -> None:
    speeds = np.abs(spline.coefficients[:, 1]) / [joint.speed for joint in arm.mechanism.joints]
    piece, worst = (int(i) for i in np.unravel_index(int(speeds.argmax()), speeds.shape))
    travel = np.abs(np.diff(spline.coefficients[:, 0, worst])).sum()
    needed = float(spline.top_speeds[worst])
    if needed * spline.duration < _RACING * float(travel):
        return
    joint = arm.mechanism.joints[worst]
    travels = course.legs[0].path.length > 1e-9
    pace, slower = "", ""
    if travels:
        pace, slower = f" at {linear.speed / mm:.1f} mm/s", f"go at {linear.speed / mm / factor:.1f} mm/s or less, "
    raise MotionError(
        f"{arm.name} cannot {'go' if travels else 'turn'} to {target!r}{pace}: {joint.name} would need "
        f"{joint.show(needed)}/s, limit {joint.show(joint.speed)}/s, "
        f"near a singularity {course.place(float(spline.breaks[piece]))} from the start",
        hint=f"{slower}use move() for this stretch, or shift the path off the singularity",
    )
