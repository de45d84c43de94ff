"""Whether the network is better than the nominal solution: both judged by forward kinematics of the arm as made."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from drycell.base import Pose, deg, mm
from drycell.learn.inverse.correction import Correction, measured_poses
from drycell.robots import Mechanism


@dataclass(frozen=True, slots=True)
class Errors:
    """Median and 95 % of how far the flange is from where it should be, in metres and in radians."""

    median: float
    most: float
    median_angle: float
    most_angle: float

    def __str__(self) -> str:
        return (
            f"median {self.median / mm:.3f} mm {self.median_angle / deg:.4f} deg, "
            f"95 % {self.most / mm:.3f} mm {self.most_angle / deg:.4f} deg"
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """Nominal solutions and corrected ones for the same poses."""

    count: int
    nominal: Errors
    corrected: Errors

    def __str__(self) -> str:
        return f"{self.count} poses not trained\n  nominal  {self.nominal}\n  network  {self.corrected}"


def compare(correction: Correction, real: Mechanism, count: int, seed: int) -> Comparison:
    """Both ways to reach poses that the nominal arm reaches, drawn for a seed other than the training's."""
    wanted = measured_poses(correction.nominal, correction.nominal, count, seed)
    corrected = [correction.inverse(pose, near) for near, pose in zip(wanted.joints, wanted.poses, strict=True)]
    return Comparison(count, _errors(real, wanted.joints, wanted.poses), _errors(real, corrected, wanted.poses))


def _errors(real: Mechanism, joints: Sequence[Sequence[float]], poses: Sequence[Pose]) -> Errors:
    off = [real.forward(each).inverse() @ pose for each, pose in zip(joints, poses, strict=True)]
    lengths = [math.hypot(*pose.position) for pose in off]
    angles = [2.0 * math.asin(min(math.hypot(*pose.quaternion[1:]), 1.0)) for pose in off]
    return Errors(*(float(np.percentile(each, part)) for each in (lengths, angles) for part in (50, 95)))
