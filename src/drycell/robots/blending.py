"""Blending: joining two motions inside the zone around the corner between them, without a stop.

The rest of the first motion and the beginning of the second are added: two lines or arcs as displacements of the tool,
all others in joint space. The second motion begins when the tool enters the zone, or later if a joint would otherwise
pass its limits or the tool would leave the zone before the first motion ends. Outside the zone the tool is on the
programmed path.
"""

import math
from typing import Final

from drycell.base import MotionError
from drycell.robots.plan import BlendPlan, PathPlan, Plan
from drycell.robots.tool_trajectory import TOLERANCE, ToolTrajectory, track

# The rest of the first motion is divided into this many steps. The second motion begins at one of them; the last one
# means a stop in the corner.
_STEPS: Final = 16
# The tool is checked at this many instants while the motions overlap.
_CHECKS: Final = 24
# A joint that runs exactly at its limit in one of the motions may pass it in the sum by rounding.
_ROUNDING: Final = 1.0 + 1e-6


def blend(plan: Plan, after: float, following: Plan, zone: float) -> Plan | None:
    """Both motions as one, from ``after`` seconds into the first; None if the arm must stop in the corner."""
    tail = plan.after(after)
    # The start of the second motion is searched with the sum in joint space, which is fast; the sum in space is close
    # to it and is then checked.
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
    # With fewer than six axes, the sum of tool displacements may have an orientation that the arm cannot take.
    full = tail.arm.mechanism.dof >= 6
    if not (full and isinstance(tail, PathPlan) and isinstance(following, PathPlan)):
        return _added(tail, following, begins, plan)
    later = tuple(timed.after(-begins) for timed in following.trajectory.paths)
    trajectory = ToolTrajectory(tail.trajectory.paths + later)
    try:
        start, speeds = tail.spline.joints(0.0), tail.spline.speeds(0.0)
        spline = track(tail.arm, trajectory, start, following.target, speeds, goal=following.end)
    except MotionError:
        return None  # the blended corner passes a pose that the arm cannot reach
    return PathPlan(
        arm=following.arm,
        kind=following.kind,
        spline=spline,
        slowed=following.slowed,
        slowed_by=following.slowed_by,
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
    for check in range(1, _CHECKS + 1):
        joints = spline.joints(begins + (tail.duration - begins) * check / _CHECKS)
        if math.dist(arm.tcp(joints).position, corner) > zone + TOLERANCE:
            return False
        if not all(joint.allows(value) for joint, value in zip(arm.mechanism.joints, joints, strict=True)):
            return False
    return True
