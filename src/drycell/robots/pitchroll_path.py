"""Paths of 5-axis arms, which cannot hold any orientation on the way: pitch and roll go evenly from start to end."""

import math
from dataclasses import dataclass

from drycell.base import MotionError, Pose, Vector
from drycell.robots.arm import Arm
from drycell.robots.path import Path

# A tool within this of straight up or down (1 − |sine|) may be turned about the vertical as one likes.
_UPRIGHT = 1e-12
# The start must be what its pitch and roll make of it, or the arm reaches over backwards and has no such path.
_SAME = 1e-6
# Share of the path over which the turn is measured: the error of a central difference is far below the tolerance.
_DIFFERENCE = 1e-5


@dataclass(frozen=True)
class PitchRollPath(Path):
    """Another path's way through space, with the orientation a 5-axis arm can take there."""

    along: Path
    arm: Arm
    pitch: tuple[float, float]
    roll: tuple[float, float]

    @property
    def length(self) -> float:
        return self.along.length

    def position(self, share: float) -> Vector:
        return self.along.position(share)

    def tangent(self, share: float) -> Vector:
        return self.along.tangent(share)

    def share_at(self, distance: float) -> float:
        return self.along.share_at(distance)

    def pose(self, share: float) -> Pose:
        pitch, roll = (low + share * (high - low) for low, high in (self.pitch, self.roll))
        return self.arm.mechanism.pose_at(self.position(share), pitch, roll, self.arm.tool) @ self.arm.tool

    def turning(self, share: float) -> Vector:
        before, after = self.pose(share - _DIFFERENCE), self.pose(share + _DIFFERENCE)
        x, y, z = (after @ before.inverse()).rotation_vector
        k = 0.5 / _DIFFERENCE
        return (k * x, k * y, k * z)


def for_arm(arm: Arm, path: Path) -> Path:
    """The path as an arm can follow it: of a 5-axis arm with pitch and roll, of any other as it is.

    A tool that points straight up or down at both ends keeps its orientation; that is in any arm's power.
    """
    if arm.mechanism.dof != 5:
        return path
    try:
        axis = _roll_axis(arm, path.start)
    except MotionError:
        return path  # five axes of another kind
    if all(1.0 - abs(arm.flange(pose).direction(axis)[2]) < _UPRIGHT for pose in (path.start, path.end)):
        return path
    (first_pitch, first), (last_pitch, last) = (_pitch_and_roll(arm, axis, pose) for pose in (path.start, path.end))
    last = first + math.remainder(last - first, 2.0 * math.pi)
    fitted = PitchRollPath(path.start, path.end, path, arm, (first_pitch, last_pitch), (first, last))
    return fitted if fitted.pose(0.0).distance_to(path.start)[1] < _SAME else path


def pitch_and_roll(arm: Arm, tcp: Pose) -> tuple[float, float]:
    """Pitch and roll of a tool pose, seen from the base, that a 5-axis arm can take."""
    return _pitch_and_roll(arm, _roll_axis(arm, tcp), tcp)


def _roll_axis(arm: Arm, tcp: Pose) -> Vector:
    """The axis of the last joint in the flange's frame: that about which a roll turns it."""
    place = arm.flange(tcp).position
    level, rolled = (arm.mechanism.pose_at(place, 0.0, roll) for roll in (0.0, 1.0))
    x, y, z = (level.inverse() @ rolled).rotation_vector
    size = math.hypot(x, y, z)
    return (x / size, y / size, z / size)


def _pitch_and_roll(arm: Arm, axis: Vector, tcp: Pose) -> tuple[float, float]:
    """Pitch and roll of a pose that a 5-axis arm can take."""
    level = math.asin(min(max(arm.flange(tcp).direction(axis)[2], -1.0), 1.0))
    ahead = _rolled(arm, axis, tcp, level)
    if ahead[1] < _SAME:
        return level, ahead[0]
    # A tool tilted back past the vertical, towards the base, has its axis at the same height as one tilted forwards.
    back = math.remainder(math.pi - level, 2.0 * math.pi)
    roll, missed = _rolled(arm, axis, tcp, back)
    return (back, roll) if missed < ahead[1] else (level, ahead[0])


def _rolled(arm: Arm, axis: Vector, tcp: Pose, pitch: float) -> tuple[float, float]:
    """The roll that comes nearest to a pose at a pitch, and the angle that is still missing then."""
    turn = (arm.mechanism.pose_at(tcp.position, pitch, 0.0, arm.tool).inverse() @ arm.flange(tcp)).rotation_vector
    roll = sum(u * v for u, v in zip(turn, axis, strict=True))
    return roll, math.dist(turn, [roll * each for each in axis])
