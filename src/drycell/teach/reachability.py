"""Check whether a robot can reach a frame with its tool, how well, and what to try if it cannot. Green: the frame is
reachable. Amber: it is reachable, but close to a joint limit or a singularity. Red: it is not reachable; the result
gives the reason and the numbers.

At a singularity some motion of the joints does not move the tool: the smallest singular value of the Jacobian is zero.
The search varies one joint at a time, within the margin, and looks for such a point.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from drycell.base import Array, MotionError, Pose, deg, mm
from drycell.robots import Arm, LiveRobot, Reach, Solution, pitch_and_roll

if TYPE_CHECKING:
    from drycell.robots import Mechanism


_STEPS: Final = 8  # on either side
_ZERO: Final = 1e-4  # relative to the largest singular value: found with turns of 1e-4 rad
_EXACT: Final = 1e-6  # radians: accuracy of the singularity found
_GOLDEN: Final = 0.5 * (5.0**0.5 - 1.0)


@dataclass(frozen=True, slots=True)
class Singularity:
    """The joint that is nearest to a singularity, and its distance in radians."""

    joint: str
    away: float
    text: str


def nearest_singularity(mechanism: "Mechanism", joints: Sequence[float], margin: float) -> Singularity | None:
    """Return the nearest singularity that one revolute joint alone can reach within a margin; None if there is none."""
    here = np.array(joints, dtype=float)
    if _least(mechanism, here) < _ZERO:
        fastest = _fastest_joint(mechanism, here)
        return Singularity(fastest, 0.0, f"at a singularity: joints can turn, {fastest} most, without moving the tool")
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
    """Return how far one joint must turn to a singularity, within a margin; None if there is none."""

    def least(turn: float) -> float:
        moved = here.copy()
        moved[number] += turn
        return _least(mechanism, moved)

    turns = np.linspace(-margin, margin, 2 * _STEPS + 1)
    values = [least(float(turn)) for turn in turns]
    best: float | None = None
    for k in range(1, len(turns) - 1):
        # Close to a singularity the least value is proportional to the distance from it. At the nearest step it is at
        # most a third of that at the farther neighbour. This also excludes joints that do not affect it.
        if values[k] <= min(values[k - 1], values[k + 1]) and values[k] <= 0.5 * max(values[k - 1], values[k + 1]):
            low = _lowest(least, float(turns[k - 1]), float(turns[k + 1]))
            if least(low) < _ZERO and (best is None or abs(low) < best):
                best = abs(low)
    return best


def _lowest(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the minimum of a function between two arguments, by golden-section search."""
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
    """Return the Jacobian with lengths relative to the reach of the arm, to compare rotations and translations."""
    jacobian = mechanism.jacobian([float(value) for value in joints])
    size = float(np.abs(jacobian[:3]).max()) or 1.0
    scaled: Array = jacobian / np.array([size, size, size, 1.0, 1.0, 1.0])[:, None]
    return scaled


def _least(mechanism: "Mechanism", joints: Array) -> float:
    values = np.linalg.svd(_scaled(mechanism, joints), compute_uv=False)
    return float(values[-1] / values[0])


def _fastest_joint(mechanism: "Mechanism", joints: Array) -> str:
    """Return the joint that turns most in the joint motion that leaves the tool still."""
    _, _, rows = np.linalg.svd(_scaled(mechanism, joints))
    return mechanism.joints[int(np.abs(rows[-1]).argmax())].name


Lamp = Literal["green", "amber", "red"]

MARGIN_TURN: Final = 5 * deg
"""Within this angle, a revolute joint is close to a limit, or an arm to a singularity."""
MARGIN_SLIDE: Final = 5 * mm
"""Within this distance, a prismatic joint is close to a limit."""

# Turns about the approach axis to try for a frame out of reach; the smallest that works is suggested.
_TURNS: Final = tuple(sign * step * 15 * deg for step in range(1, 13) for sign in (1.0, -1.0))


@dataclass(frozen=True, slots=True)
class NearLimit:
    """A joint close to one of its limits, and the distance left."""

    joint: str
    left: float
    limit: float
    text: str


@dataclass(frozen=True, slots=True)
class Straight:
    """Whether a linear move from the current pose is possible, and if not, why."""

    possible: bool
    text: str
    hint: str | None = None

    def __bool__(self) -> bool:
        return self.possible


@dataclass(frozen=True, slots=True)
class ReachVerdict:
    """The reachability of a taught point: a lamp, and a text.

    ``joints`` and ``configuration`` are those of the nearest solution; ``configurations`` are all solutions. ``better``
    is a reachable frame close to a red one, and ``suggestion`` says how it differs.
    """

    lamp: Lamp
    text: str
    reach: Reach
    joints: tuple[float, ...] | None = None
    configuration: str = ""
    configurations: tuple[str, ...] = ()
    near: tuple[NearLimit, ...] = ()
    singularity: Singularity | None = None
    straight: Straight | None = None
    suggestion: str | None = None
    better: Pose | None = None

    def __bool__(self) -> bool:
        return self.lamp != "red"


def verdict(robot: LiveRobot, frame: Pose, *, near: Sequence[float] | None = None) -> ReachVerdict:
    """Check whether a robot reaches a frame of the world with its tool, from its current joints or from ``near``."""
    arm = Arm(robot.name, robot.mechanism, robot.tool)
    start = tuple(robot.joints if near is None else near)
    target = robot.base.pose.inverse() @ frame
    reach = robot.mechanism.reach(arm.flange(target))
    if not reach:
        return _red(robot, arm, frame, target, reach, start)
    solutions = robot.mechanism.solutions(arm.flange(target), start)
    best = solutions[0]
    close = _near_limits(robot, best)
    singularity = nearest_singularity(robot.mechanism, best.joints, MARGIN_TURN)
    straight = _straight(robot, arm, start, target)
    texts = [each.text for each in close]
    if singularity is not None:
        texts.append(singularity.text)
    ways = tuple(str(each.configuration) for each in solutions)
    named = f" ({best.configuration})" if best.configuration else ""
    return ReachVerdict(
        lamp="amber" if texts else "green",
        text="; ".join(texts) if texts else f"within reach{named}",
        reach=reach,
        joints=best.joints,
        configuration=str(best.configuration),
        configurations=ways,
        near=close,
        singularity=singularity,
        straight=straight,
        suggestion=_advice(close, singularity, straight),
    )


def _near_limits(robot: LiveRobot, solution: Solution) -> tuple[NearLimit, ...]:
    """Return the joints close to a limit, the closest first."""
    found = []
    for joint, value in zip(robot.mechanism.joints, solution.joints, strict=True):
        limit = min((joint.lower, joint.upper), key=lambda end: abs(value - end))
        left, margin = abs(value - limit), MARGIN_TURN if joint.revolute else MARGIN_SLIDE
        if left < margin:
            text = f"{joint.name} at {joint.show(value)} is {joint.show(left)} from its limit {joint.show(limit)}"
            found.append((left / margin, NearLimit(joint.name, left, limit, text)))
    return tuple(each for _, each in sorted(found, key=lambda entry: entry[0]))


def _straight(robot: LiveRobot, arm: Arm, start: Sequence[float], target: Pose) -> Straight:
    try:
        robot.controller.linear_move(arm, start, target, robot.controller.linear_speed, "the frame")
    except MotionError as error:
        return Straight(False, error.what, error.hint)
    return Straight(True, "a linear move from here is possible")


def _advice(close: Sequence[NearLimit], singularity: Singularity | None, straight: Straight) -> str | None:
    if singularity is not None:
        return "use move(): a linear move through it would be slow or refused"
    if close:
        return "turn the frame about its normal, or move it, away from the joint limit"
    return None if straight else "use move(): a linear move from here is not possible"


def _red(robot: LiveRobot, arm: Arm, frame: Pose, target: Pose, reach: Reach, start: Sequence[float]) -> ReachVerdict:
    found = _direction(arm, target) if reach.reason == "orientation" else None
    if found is None and reach.reason in ("orientation", "limit", "too far", "too near", "not found"):
        found = _turned(arm, target)
    better, suggestion = (None, reach.hint) if found is None else (robot.base.pose @ found[0], found[1])
    return ReachVerdict("red", reach.text, reach, suggestion=suggestion, better=better)


def _turned(arm: Arm, target: Pose) -> tuple[Pose, str] | None:
    """Return the frame turned about its approach by the minimum angle that makes it reachable."""
    for turn in _TURNS:
        turned = target @ Pose.turn_z(turn)
        if arm.mechanism.reach(arm.flange(turned)):
            return turned, f"turn it {turn / deg:+.0f} deg about its normal"
    return None


def _direction(arm: Arm, target: Pose) -> tuple[Pose, str] | None:
    """Return the frame of a 5-axis arm turned about the vertical, into the plane of the arm."""
    try:
        pitch, roll = pitch_and_roll(arm, target)
        fitted = arm.mechanism.pose_at(target.position, pitch, roll, arm.tool) @ arm.tool
    except MotionError:
        return None
    x, y, _ = target.direction((0.0, 0.0, 1.0))
    u, v, _ = fitted.direction((0.0, 0.0, 1.0))
    yaw = math.remainder(math.atan2(v, u) - math.atan2(y, x), math.tau)
    about = Pose(*target.position)
    turned = about @ Pose.turn_z(yaw) @ about.inverse() @ target
    if not arm.mechanism.reach(arm.flange(turned)):
        return None
    return turned, f"turn its approach {yaw / deg:+.1f} deg about the vertical, into the plane of the arm"
