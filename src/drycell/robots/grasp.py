"""Grasps: how a gripper takes a part when nobody says otherwise, from straight above and across its narrow side."""

import math

from drycell.base import MotionError, Pose, format_length, mm
from drycell.robots.gripper import Gripper
from drycell.world import Body, World

_DEPTH = 25 * mm  # how far below the top the jaws take a tall part; a low one is taken at half its height
_CLEARANCE = 2 * mm  # what must be left between part and open jaws, both sides together


def default_grasp(world: World, gripper: Gripper, part: Body) -> Pose:
    """Where the tool centre point shall be to take a part from above."""
    if part.shape is None:
        raise MotionError(f"{part.name!r} has no shape, so there is nothing to grasp")
    lower, upper = part.shape.bounds
    pose = world.pose(part)
    corners = [
        pose.point((x, y, z)) for x in (lower[0], upper[0]) for y in (lower[1], upper[1]) for z in (lower[2], upper[2])
    ]
    top, bottom = max(corner[2] for corner in corners), min(corner[2] for corner in corners)
    sides = []
    for number, axis in enumerate(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))):
        size = upper[number] - lower[number]
        x, y, z = pose.direction(axis)
        if abs(z) < 1e-3:  # only level sides can be taken from above
            sides.append((size, math.atan2(y, x)))
    widest = gripper.opening[1] - _CLEARANCE
    fitting = [side for side in sorted(sides) if side[0] <= widest]
    if not fitting:
        sizes = " × ".join(format_length(size) for size, _ in sides) or "no level side"
        raise MotionError(
            f"{gripper.name} cannot take {part.name!r} from above: it opens {format_length(gripper.opening[1])}, "
            f"the part has {sizes}",
            hint="turn the part, use a wider gripper, or move to a grasp of your own and close",
        )
    across = fitting[0][1]
    u, v, _ = pose.point([(a + b) / 2 for a, b in zip(lower, upper, strict=True)])
    depth = min((top - bottom) / 2, _DEPTH)
    # The jaws of a gripper move along the tool's x axis; the tool looks down.
    return Pose(u, v, top - depth) @ Pose.turn_z(across) @ Pose.turn_x(math.pi)
