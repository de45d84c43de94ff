"""The correction: by how much an arm misses the poses it is sent to, learnt from poses that were measured.

What is needed is what a calibration has: joints that were commanded, and the pose that was measured there. The network
learns how far that is from the nominal pose. To reach a pose, nominal inverse kinematics is asked twice: for the pose,
and for one that is off the other way by what the network says of the first answer. That joints are corrected by way of
poses keeps the learnt function smooth: by itself the correction of joints grows without bounds near singularities.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from drycell.base import Array, DrycellError, Pose
from drycell.learn.inverse.regression import Perceptron, fit
from drycell.robots import Mechanism

_LEAST_STRETCH: Final = 0.08  # m: what the flange moves per radian at least, turns of it taken at half a metre
_HALF_METRE: Final = 0.5


@dataclass(frozen=True)
class Poses:
    """Joints commanded and the poses of the flange measured there."""

    joints: tuple[tuple[float, ...], ...]
    poses: tuple[Pose, ...]


@dataclass(frozen=True)
class Correction:
    """A network beside the nominal inverse kinematics of an arm."""

    nominal: Mechanism
    network: Perceptron

    def miss(self, joints: Sequence[float]) -> Array:
        """How far the arm as made is from its nominal pose at joints: shift and turn, along the base's axes."""
        found: Array = self.network(_features(self.nominal, np.array([joints], dtype=float)))[0]
        return found

    def inverse(self, pose: Pose, near: Sequence[float] | None = None) -> tuple[float, ...]:
        """The joints that bring the arm as it was made to a pose; raises OutOfReach as the nominal arm does."""
        nominal = self.nominal.inverse(pose, near).joints
        x, y, z, *turn = (-self.miss(nominal)).tolist()
        aim = Pose(*pose.position).moved(x, y, z) @ Pose.of_rotation_vector(turn) @ Pose.of(pose.rotation, np.zeros(3))
        return self.nominal.inverse(aim, nominal).joints


def learn_correction(
    nominal: Mechanism, measured: Poses, *, nodes: int = 48, seed: int = 0, rounds: int = 600
) -> Correction:
    """A network taught from measured poses; the same seed and poses give the same network on one machine."""
    least = 4 * nominal.dof
    if len(measured.joints) < least:
        raise DrycellError(
            f"{len(measured.joints)} measured poses to learn {nominal.name}'s errors from",
            hint=f"measure {least} at least; some hundreds are better",
        )
    missed = [_off(nominal.forward(j), pose) for j, pose in zip(measured.joints, measured.poses, strict=True)]
    fed = _features(nominal, np.array(measured.joints))
    return Correction(nominal, fit(fed, np.array(missed), nodes=nodes, seed=seed, rounds=rounds))


def measured_poses(
    nominal: Mechanism, real: Mechanism, count: int, seed: int, *, share: float = 0.8, noise: float = 0.0
) -> Poses:
    """Joints drawn evenly from a middle share of their ranges, away from singularities, and where ``real`` then is.

    ``noise`` is the standard deviation of each measured coordinate; turns are measured over half a metre.
    """
    if nominal.dof != 6 or not all(nominal.revolute):
        raise DrycellError(
            f"{nominal.name} cannot take any pose: {sum(nominal.revolute)} of its {nominal.dof} joints turn",
            hint="six turning joints are wanted, as puma560, ur5-like and irb2000-like have",
        )
    stream = np.random.default_rng(seed)
    low = np.array([joint.lower for joint in nominal.joints])
    high = np.array([joint.upper for joint in nominal.joints])
    middle, half = (low + high) / 2.0, np.minimum((high - low) / 2.0, np.pi) * share
    joints: list[tuple[float, ...]] = []
    poses: list[Pose] = []
    for _ in range(100 * count):
        drawn = middle + half * stream.uniform(-1.0, 1.0, nominal.dof)
        if _stretch(nominal, drawn) < _LEAST_STRETCH:
            continue
        pose = real.forward(drawn.tolist())
        if noise:
            shift, turn = stream.normal(0.0, noise, 3), stream.normal(0.0, noise / _HALF_METRE, 3)
            pose = pose @ Pose.of_rotation_vector(turn.tolist(), shift.tolist())
        joints.append(tuple(drawn.tolist()))
        poses.append(pose)
        if len(joints) == count:
            return Poses(tuple(joints), tuple(poses))
    raise DrycellError(
        f"only {len(joints)} of {100 * count} places of {nominal.name} are away from singularities",
        hint="let the joints use more of their ranges",
    )


def _off(nominal: Pose, measured: Pose) -> list[float]:
    """Shift and turn from a pose to another, along the base's axes."""
    shift = measured.translation - nominal.translation
    w, *axis = (nominal.inverse() @ measured).quaternion
    sine = float(np.linalg.norm(axis))
    turn = nominal.direction(axis)
    scale = 2.0 * float(np.arctan2(sine, w)) / sine if sine > 0.0 else 0.0
    return [*shift.tolist(), *(scale * each for each in turn)]


def _features(nominal: Mechanism, joints: Array) -> Array:
    """What the network is fed: which way the x and z axes of all links point, for joints (n, dof).

    An error of a link shows along its own axes, so with these the network has little left to learn; with bare sines
    and cosines of the joints it was left with six times the error after 500 poses.
    """
    rotations = nominal.link_positions(joints)[1]
    fed: Array = rotations[:, :, :, (0, 2)].reshape(len(joints), -1)
    return fed


def _stretch(mechanism: Mechanism, joints: Array) -> float:
    """The least singular value of the Jacobian, with turns of the flange taken as metres at half a metre."""
    jacobian = mechanism.jacobian(joints.tolist()).copy()
    jacobian[3:] *= _HALF_METRE
    return float(np.linalg.svd(jacobian, compute_uv=False)[-1])
