"""Singularities close by: which joint is how far from where the tool loses a direction.

An arm is singular where some motion of the joints leaves the tool where it is: the least singular value of its Jacobian
is zero there. Each joint is tried by itself, as far as the margin, for a least value that comes down to zero.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import Array

if TYPE_CHECKING:
    from drycell.robots import Mechanism

_STEPS: Final = 8  # on either side
_ZERO: Final = 1e-4  # of the least singular value, against the greatest: turns of a ten-thousandth radian see it
_EXACT: Final = 1e-6  # radians to which its place is found
_GOLDEN: Final = 0.5 * (5.0**0.5 - 1.0)


@dataclass(frozen=True, slots=True)
class Singularity:
    """The joint that is nearest to one, and by how much."""

    joint: str
    away: float
    text: str


def nearest_singularity(mechanism: "Mechanism", joints: Sequence[float], margin: float) -> Singularity | None:
    """The nearest singularity that one turning joint alone can bring about within a margin; None if there is none."""
    here = np.array(joints, dtype=float)
    if _least(mechanism, here) < _ZERO:
        racing = _racing(mechanism, here)
        return Singularity(racing, 0.0, f"at a singularity: joints turn, {racing} most, without moving the tool")
    found: list[tuple[float, int]] = []
    for number, joint in enumerate(mechanism.joints):
        if not joint.revolute:
            continue
        away = _distance(mechanism, here, number, margin)
        if away is not None:
            found.append((away, number))
    if not found:
        return None
    away, number = min(found)
    joint = mechanism.joints[number]
    return Singularity(joint.name, away, f"{joint.name} is {joint.show(away)} from a singularity")


def _distance(mechanism: "Mechanism", here: Array, number: int, margin: float) -> float | None:
    """How far one joint must turn to a singularity, at most so far."""

    def least(turn: float) -> float:
        moved = here.copy()
        moved[number] += turn
        return _least(mechanism, moved)

    turns = np.linspace(-margin, margin, 2 * _STEPS + 1)
    values = [least(float(turn)) for turn in turns]
    best: float | None = None
    for k in range(1, len(turns) - 1):
        # Close to a singularity the least value goes as the distance from it: at the step nearest to it, a third of
        # that at the farther neighbour, at most. A joint that it does not depend on is left out by the same.
        if values[k] <= min(values[k - 1], values[k + 1]) and values[k] <= 0.5 * max(values[k - 1], values[k + 1]):
            low = _lowest(least, float(turns[k - 1]), float(turns[k + 1]))
            if least(low) < _ZERO and (best is None or abs(low) < best):
                best = abs(low)
    return best


def _lowest(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function is least between two places, by the golden section."""
    one, two = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_one, at_two = function(one), function(two)
    while high - low > _EXACT:
        if at_one < at_two:
            high, two, at_two = two, one, at_one
            one = high - _GOLDEN * (high - low)
            at_one = function(one)
        else:
            low, one, at_one = one, two, at_two
            two = low + _GOLDEN * (high - low)
            at_two = function(two)
    return 0.5 * (low + high)


def _scaled(mechanism: "Mechanism", joints: Array) -> Array:
    """The Jacobian with lengths measured against the arm's own reach, so that turns and shifts compare."""
    jacobian = mechanism.jacobian([float(value) for value in joints])
    size = float(np.abs(jacobian[:3]).max()) or 1.0
    scaled: Array = jacobian / np.array([size, size, size, 1.0, 1.0, 1.0])[:, None]
    return scaled


def _least(mechanism: "Mechanism", joints: Array) -> float:
    values = np.linalg.svd(_scaled(mechanism, joints), compute_uv=False)
    return float(values[-1] / values[0])


def _racing(mechanism: "Mechanism", joints: Array) -> str:
    """The joint that turns most in the motion that leaves the tool where it is."""
    _, _, rows = np.linalg.svd(_scaled(mechanism, joints))
    return mechanism.joints[int(np.abs(rows[-1]).argmax())].name
