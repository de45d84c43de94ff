"""Blending: two motions made one inside the zone round the corner where the first would have stopped.

The rule: what is left of the first motion and the beginning of the second are added up, two lines or arcs as
displacements of the tool, anything else in joint space. The second begins at zone entry, or as much later as keeps
every joint within its limits and the tool inside the zone until the first has ended; outside the zone the path is
the programmed one.
"""

import math
from typing import Final

from drycell.base import MotionError
from drycell.robots.plan import BlendPlan, PathPlan, Plan
from drycell.robots.tool_trajectory import TOLERANCE, ToolTrajectory, track

# The second motion begins on this many equal steps of what is left of the first; the last is the stop in the corner.
_STEPS: Final = 16
# The tool is looked at this often while both motions overlap.
_LOOKS: Final = 24
# Joints that run at their very limit in one of the motions pass it in the sum by rounding.
_ROUNDING: Final = 1.0 + 1e-6


def blend(plan: Plan, after: float, following: Plan, zone: float) -> Plan | None:
    """The two motions as one from ``after`` seconds into the first; None if only a stop in the corner will do."""
    tail = plan.after(after)
    # How late to begin is found on the sum in joint space, which is quick; the sum in space is near it and is checked.
    low, high = 0, _STEPS
    if _fits(_added(tail, following, 0.0, plan), tail, 0.0, zone):
        high = 0
    while high - low > 1:
        middle = (low + high) // 2
        begins = tail.duration * middle / _STEPS
        low, high = (
            (low, middle) if _fits(_added(tail, following, begins, plan), tail, begins, zone) else (middle, high)
        )
    for step in range(high, _STEPS):
        begins = tail.duration * step / _STEPS
        blended = _blended(plan, tail, following, begins)
        if blended is not None and _fits(blended, tail, begins, zone):
            return blended
    return None


def _blended(plan: Plan, tail: Plan, following: Plan, begins: float) -> Plan | None:
    # With fewer than six axes, displacements of the tool may add up to an orientation the arm cannot take.
    full = tail.arm.mechanism.dof >= 6
    if not (full and isinstance(tail, PathPlan) and isinstance(following, PathPlan)):
        return _added(tail, following, begins, plan)
    later = tuple(timed.after(-begins) for timed in following.trajectory.paths)
    trajectory = ToolTrajectory(tail.trajectory.paths + later)
    try:
        spline = track(tail.arm, trajectory, tail.spline.joints(0.0), following.target, tail.spline.speeds(0.0))
    except MotionError:
        return None  # a corner cut across a place the arm cannot be at
    return PathPlan(
        arm=following.arm,
        kind=following.kind,
        spline=spline,
        slowed=following.slowed,
        trajectory=trajectory,
        target=following.target,
    )


def _added(tail: Plan, following: Plan, begins: float, plan: Plan) -> BlendPlan:
    return BlendPlan.of(tail, following, begins, plan.end)


def _fits(blended: Plan, tail: Plan, begins: float, zone: float) -> bool:
    arm, spline = blended.arm, blended.spline
    for joint, speed, acceleration in zip(
        arm.mechanism.joints, spline.top_speeds.tolist(), spline.top_accelerations.tolist(), strict=True
    ):
        if speed > joint.speed * _ROUNDING or acceleration > joint.acceleration * _ROUNDING:
            return False
    corner = arm.tcp(tail.end).position
    for look in range(1, _LOOKS + 1):
        joints = spline.joints(begins + (tail.duration - begins) * look / _LOOKS)
        if math.dist(arm.tcp(joints).position, corner) > zone + TOLERANCE:
            return False
        if not all(joint.allows(value) for joint, value in zip(arm.mechanism.joints, joints, strict=True)):
            return False
    return True
