"""A network that corrects the inverse kinematics of an arm for its manufacturing errors (thesis, figure 7)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

import numpy as np

from drycell.base import Array, DrycellError, FieldError, Pose, deg, mm
from drycell.robots import Link, Mark, Mechanism


@dataclass(frozen=True, kw_only=True)
class Tolerances:
    """Standard deviations of the manufacturing errors of a link: three lengths and three angles.

    These six cover the errors of a Denavit–Hartenberg row (a, α, d, θ with the zero of the joint) and the parameter
    that such a row lacks for parallel axes (Hayati 1983).
    """

    length: float = 0.5 * mm
    angle: float = 0.1 * deg

    def __post_init__(self) -> None:
        if not (0.0 <= self.length <= 0.1 and 0.0 <= self.angle <= 0.5):
            raise FieldError(
                f"tolerances of {self.length:g} m and {self.angle:g} rad are not between 0 and 0.1 m "
                "and between 0 and 0.5 rad",
                hint="write 0.5 * mm and 0.1 * deg",
            )


def manufactured(mechanism: Mechanism, seed: int, tolerances: Tolerances | None = None) -> Mechanism:
    """Return an arm with manufacturing errors for a seed. Shapes, limits and names do not change."""
    spread = tolerances or Tolerances()
    stream = Random(f"{seed}/manufactured {mechanism.name}")

    def off(pose: Pose) -> Pose:
        shift = [stream.gauss(0.0, spread.length) for _ in range(3)]
        turn = [stream.gauss(0.0, spread.angle) for _ in range(3)]
        return pose @ Pose.of_rotation_vector(turn, shift)

    links: tuple[Link, ...] = tuple(replace(link, origin=off(link.origin)) for link in mechanism.links)
    flange = Mark(mechanism.flange.link, off(mechanism.flange.pose))
    return replace(mechanism, links=links, flange=flange, source=f"{mechanism.source} Specimen {seed}.".strip())


# OpenBLAS uses no threads for matrix products up to this size. With threads, small products take longer and sums depend
# on the number of threads.
_ONE_THREAD: Final = 200_000


@dataclass(frozen=True, eq=False)
class Perceptron:
    """tanh nodes and linear outputs. Inputs are of the order of 1; outputs are multiplied by ``scale``."""

    hidden: Array  # (inputs + 1, nodes); the last row is the bias
    output: Array  # (nodes + 1, outputs)
    scale: Array  # (outputs,)

    def __call__(self, inputs: Array) -> Array:
        """Return outputs (n, outputs) for inputs (n, inputs)."""
        level = np.tanh(inputs @ self.hidden[:-1] + self.hidden[-1])
        found: Array = (level @ self.output[:-1] + self.output[-1]) * self.scale
        return found


def fit(inputs: Array, wanted: Array, *, nodes: int, seed: int, decay: float = 1e-4, rounds: int = 600) -> Perceptron:
    """Fit a perceptron by least squares, with a weight decay."""
    from scipy.optimize import minimize

    count, width = inputs.shape
    scale = np.sqrt(np.mean(wanted**2, axis=0))
    aim = wanted / np.where(scale == 0.0, 1.0, scale)
    shapes = ((width + 1, nodes), (nodes + 1, wanted.shape[1]))
    cut = shapes[0][0] * nodes
    stream = np.random.default_rng(seed)
    start = np.concatenate(
        [stream.normal(0.0, 1.0 / np.sqrt(width), cut), stream.normal(0.0, 0.1, shapes[1][0] * shapes[1][1])]
    )

    rows = max(_ONE_THREAD // (nodes * max(width, wanted.shape[1])), 1)
    pieces = [(inputs[k : k + rows], aim[k : k + rows]) for k in range(0, count, rows)]

    def loss(weights: Array) -> tuple[float, Array]:
        """Return half the mean squared error and its gradient (back-propagation over all pairs at once)."""
        hidden, output = weights[:cut].reshape(shapes[0]), weights[cut:].reshape(shapes[1])
        square, slope = 0.0, np.zeros(len(weights))
        for fed, hoped in pieces:
            level = np.tanh(fed @ hidden[:-1] + hidden[-1])
            off = level @ output[:-1] + output[-1] - hoped
            back = (off @ output[:-1].T) * (1.0 - level**2)
            parts = ((fed.T @ back).ravel(), back.sum(axis=0), (level.T @ off).ravel(), off.sum(axis=0))
            slope += np.concatenate(parts)
            square += float((off**2).sum())
        value = 0.5 * square / count + 0.5 * decay * float((weights**2).sum())
        return value, slope / count + decay * weights

    options = {"maxiter": rounds, "maxfun": 2 * rounds, "ftol": 1e-13, "gtol": 1e-9}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
    weights: Array = found.x
    return Perceptron(weights[:cut].reshape(shapes[0]), weights[cut:].reshape(shapes[1]), scale)


_LEAST_STRETCH: Final = 0.08  # m: minimum motion of the flange per radian; rotations count with a lever of half a metre
_HALF_METRE: Final = 0.5


@dataclass(frozen=True)
class Poses:
    """Commanded joints, and the measured poses of the flange."""

    joints: tuple[tuple[float, ...], ...]
    poses: tuple[Pose, ...]


@dataclass(frozen=True)
class Correction:
    """A network that corrects the nominal inverse kinematics of an arm."""

    nominal: Mechanism
    network: Perceptron

    def miss(self, joints: Sequence[float]) -> Array:
        """Return the error of the real arm at joints: translation and rotation vector in the base frame."""
        found: Array = self.network(_features(self.nominal, np.array([joints], dtype=float)))[0]
        return found

    def inverse(self, pose: Pose, near: Sequence[float] | None = None) -> tuple[float, ...]:
        """Return the joints that bring the real arm to a pose. Raises OutOfReach like the nominal arm."""
        nominal = self.nominal.inverse(pose, near).joints
        x, y, z, *turn = (-self.miss(nominal)).tolist()
        aim = Pose(*pose.position).moved(x, y, z) @ Pose.of_rotation_vector(turn) @ Pose.of(pose.rotation, np.zeros(3))
        return self.nominal.inverse(aim, nominal).joints


def learn_correction(
    nominal: Mechanism, measured: Poses, *, nodes: int = 48, seed: int = 0, rounds: int = 600
) -> Correction:
    """Train a network with measured poses. Equal seeds and poses give equal networks on one machine."""
    least = 4 * nominal.dof
    if len(measured.joints) < least:
        raise DrycellError(
            f"{len(measured.joints)} measured poses are too few to learn the errors of {nominal.name}",
            hint=f"measure at least {least}; a few hundred are better",
        )
    missed = [_off(nominal.forward(j), pose) for j, pose in zip(measured.joints, measured.poses, strict=True)]
    fed = _features(nominal, np.array(measured.joints))
    return Correction(nominal, fit(fed, np.array(missed), nodes=nodes, seed=seed, rounds=rounds))


def measured_poses(
    nominal: Mechanism, real: Mechanism, count: int, seed: int, *, share: float = 0.8, noise: float = 0.0
) -> Poses:
    """Draw joints away from singularities, and measure the poses of the real arm.

    Args:
        nominal: the nominal arm.
        real: the arm as built.
        count: number of poses.
        seed: seed of the joints and of the noise.
        share: the fraction of the joint ranges to use, around their middles.
        noise: standard deviation of each measured coordinate in metres; rotations are measured over half a metre.
    """
    if nominal.dof != 6 or not all(nominal.revolute):
        raise DrycellError(
            f"{nominal.name} cannot reach every pose: {sum(nominal.revolute)} of its {nominal.dof} joints are revolute",
            hint="use an arm with six revolute joints, such as puma560, ur5 or irb2000-like",
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
        f"only {len(joints)} of {100 * count} poses of {nominal.name} are away from singularities",
        hint="use a larger fraction of the joint ranges",
    )


def _off(nominal: Pose, measured: Pose) -> list[float]:
    """Return the translation and the rotation vector from one pose to another, in the base frame."""
    shift = measured.translation - nominal.translation
    w, *axis = (nominal.inverse() @ measured).quaternion
    sine = float(np.linalg.norm(axis))
    turn = nominal.direction(axis)
    scale = 2.0 * float(np.arctan2(sine, w)) / sine if sine > 0.0 else 0.0
    return [*shift.tolist(), *(scale * each for each in turn)]


def _features(nominal: Mechanism, joints: Array) -> Array:
    """Return the inputs of the network for joints (n, dof): the x and z axes of all links.

    The error of a link acts along its axes, so the network has little to learn. With sines and cosines of the joints as
    inputs, the error after 500 poses was six times as large.
    """
    rotations = nominal.link_positions(joints)[1]
    fed: Array = rotations[:, :, :, (0, 2)].reshape(len(joints), -1)
    return fed


def _stretch(mechanism: Mechanism, joints: Array) -> float:
    """Return the smallest singular value of the Jacobian, with rotations of the flange weighted by half a metre."""
    jacobian = mechanism.jacobian(joints.tolist()).copy()
    jacobian[3:] *= _HALF_METRE
    return float(np.linalg.svd(jacobian, compute_uv=False)[-1])


@dataclass(frozen=True, slots=True)
class Errors:
    """Median and 95th percentile of the error of the flange, in metres and radians."""

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
    """Errors of the nominal and the corrected solutions for a set of poses."""

    count: int
    nominal: Errors
    corrected: Errors

    def __str__(self) -> str:
        return f"{self.count} poses not used in training\n  nominal  {self.nominal}\n  network  {self.corrected}"


def compare_inverse(correction: Correction, real: Mechanism, count: int, seed: int) -> Comparison:
    """Compare nominal and corrected solutions for new poses. Use a different seed from the one for training."""
    wanted = measured_poses(correction.nominal, correction.nominal, count, seed)
    corrected = [correction.inverse(pose, near) for near, pose in zip(wanted.joints, wanted.poses, strict=True)]
    return Comparison(count, _errors(real, wanted.joints, wanted.poses), _errors(real, corrected, wanted.poses))


def _errors(real: Mechanism, joints: Sequence[Sequence[float]], poses: Sequence[Pose]) -> Errors:
    off = [real.forward(each).inverse() @ pose for each, pose in zip(joints, poses, strict=True)]
    lengths = [math.hypot(*pose.position) for pose in off]
    angles = [2.0 * math.asin(min(math.hypot(*pose.quaternion[1:]), 1.0)) for pose in off]
    return Errors(*(float(np.percentile(each, part)) for each in (lengths, angles) for part in (50, 95)))
