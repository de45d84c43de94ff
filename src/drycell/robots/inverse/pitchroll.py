"""Position, pitch and roll: the way 5-axis arms are told where to go.

Pitch is how far the roll axis points above the horizon: −90° is straight down. Roll is the turn about that axis; at
roll 0 the joint stands at zero when the arm faces forward.
"""

import math

import numpy as np

from drycell.base import IDENTITY, Pose, Vector, mm
from drycell.robots.inverse.arm import PitchRollArm
from drycell.robots.inverse.screws import rotation
from drycell.robots.inverse.steps import Miss, waist_angles
from drycell.robots.reach import OutOfReach, Reach


def pose_at(robot: str, arm: PitchRollArm, position: Vector, pitch: float, roll: float, tool: Pose | None) -> Pose:
    """The flange pose, of an arm that faces the position, which puts the tool there with a pitch and a roll."""
    tool = IDENTITY if tool is None else tool
    screws = arm.screws
    # At joint zero the roll axis points out at some pitch; turned about the side axis by `tilt` it has the wanted one.
    forward = np.cross(arm.side, arm.axis) * arm.facing
    at_zero = math.atan2(float(arm.axis @ arm.roll), float(forward @ arm.roll))
    tilt = -(pitch - at_zero) * arm.facing
    turned = rotation(arm.side, tilt) @ rotation(arm.roll, roll) @ screws.flange.rotation
    # A tool beside the roll axis stands beside the arm's plane; the waist turns the arm so that the tool is in place.
    centre = screws.flange.inverse().point(arm.centre.tolist())  # a point of the arm's plane, in the flange frame
    beside = np.array(tool.position) - np.array(centre)
    offset = arm.offset + float(arm.side @ (turned @ beside))
    away = np.array(position) - screws.points[0]
    angles = waist_angles(arm.axis, arm.side, away, offset, 0.0)
    if isinstance(angles, Miss):
        by = -angles.amount
        text = f"the tool is {abs(offset) / mm:.1f} mm beside the arm, too close to the base by {by / mm:.1f} mm"
        raise OutOfReach(robot, None, Reach("too near", text, by, hint="move the target away from the base"))
    waist = angles[0 if arm.facing > 0.0 else -1][0]
    flange = rotation(arm.axis, waist) @ turned
    at = np.array(position) - flange @ np.array(tool.position)
    return Pose.of(flange, at)
