"""Jogging: move an arm by hand, one joint or one direction at a time, as far as it can go.

For cells that are not running: the joints are set, and no time passes. A jog at a speed for a time moves by their
product. The result states what stopped a jog early.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from drycell.base import MotionError, Pose, UnknownName, Vector, deg, mm
from drycell.robots import Arm, Joint, LiveRobot, pitch_and_roll

Frame = Literal["world", "base", "tool"]
FRAMES: Final = ("world", "base", "tool")
DIRECTIONS: Final = ("x", "y", "z", "rx", "ry", "rz")
FIVE_AXES: Final = ("x", "y", "z", "pitch", "roll")
"""Directions of an arm with five axes: it cannot turn about every axis, but has a pitch and a roll."""

# A jog moves in steps of this size, so that it keeps its configuration and stops at limits.
_STEP: Final = 5 * mm
_TURN_STEP: Final = 2 * deg
_HALVINGS: Final = 24  # bisections of a step that ends beyond a limit: to nanometres
_LEAP: Final = 20 * deg  # a joint that turns by more than this in a step has changed its configuration
# Maximum error of a step: an arm with five axes cannot move in every direction.
_MISSED: Final = 1e-6
_SETTLED: Final = 1e-7
_SINGULAR: Final = "at a singularity"
_UPRIGHT: Final = 1e-12  # a tool this close to vertical (1 − |sine|) keeps its orientation while it is shifted


@dataclass(frozen=True, slots=True)
class Jogged:
    """The result of a jog: the motion in metres or radians, and what stopped it early, if anything did."""

    moved: float
    wanted: float
    stopped: str | None = None

    @property
    def complete(self) -> bool:
        """Whether it moved by the full amount."""
        return self.stopped is None


class Jog:
    """Jogs a robot at rest, in a cell that is not running."""

    def __init__(self, robot: LiveRobot) -> None:
        self.robot = robot

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions in which the robot can be jogged."""
        return DIRECTIONS if self._pitch_and_roll() is None else FIVE_AXES

    def joint(self, which: str | int, by: float | None = None, *, speed: float = 0.0, time: float = 0.0) -> Jogged:
        """Move one joint by a step, or at a speed for a time. It stops at its limit."""
        mechanism = self.robot.mechanism
        number = mechanism.joint(which) if isinstance(which, str) else self._numbered(which)
        joint = mechanism.joints[number]
        wanted = by if by is not None else _travel(speed, joint.speed, time)
        joints = list(self.robot.joints)
        goal = joints[number] + _finite(wanted)
        kept = min(max(goal, joint.lower), joint.upper)
        moved, joints[number] = kept - joints[number], kept
        self.robot.put(joints)
        return Jogged(moved, wanted, None if kept == goal else _at_limit(joint, kept))

    def to_joints(self, joints: Sequence[float]) -> None:
        """Set all joints. Raises MotionError if one would be beyond its limit."""
        self.robot.put(joints)

    def to(self, frame: Pose) -> None:
        """Move the tool to a frame of the world, with the nearest solution. Raises OutOfReach."""
        robot = self.robot
        arm = Arm(robot.name, robot.mechanism, robot.tool)
        target = arm.flange(robot.base.pose.inverse() @ frame)
        robot.put(robot.mechanism.inverse(target, near=robot.joints).joints)

    def along(
        self,
        direction: str,
        by: float | None = None,
        *,
        frame: Frame = "world",
        speed: float = 0.0,
        time: float = 0.0,
    ) -> Jogged:
        """Move the tool along ``x``, ``y``, ``z`` of a frame, or turn it about ``rx``, ``ry``, ``rz`` in place.

        An arm with five axes keeps its pitch and roll while it moves, and turns by ``pitch`` and ``roll``. The arm
        keeps its configuration, and stops at a joint limit, at the edge of its reach, or at a singularity.

        Args:
            direction: one of :attr:`directions`.
            by: the step in metres or radians; or give ``speed`` and ``time``.
            frame: the frame of the direction.
            speed: speed in m/s or rad/s.
            time: time in seconds.
        """
        if direction not in self.directions and direction not in DIRECTIONS:
            raise UnknownName("direction to jog in", direction, self.directions)
        if frame not in FRAMES:
            raise UnknownName("frame to jog in", frame, FRAMES)
        turning = direction not in ("x", "y", "z")
        controller = self.robot.controller
        fastest = math.inf if turning else controller.linear_speed
        wanted = _finite(by if by is not None else _travel(speed, fastest, time))
        return self._go(self._path(direction, frame), wanted, turning)

    # ---------------------------------------------------------------- inside

    def _numbered(self, which: int) -> int:
        if not 0 <= which < self.robot.mechanism.dof:
            raise MotionError(f"{self.robot.name} has no joint {which}: expected 0 to {self.robot.mechanism.dof - 1}")
        return which

    def _path(self, direction: str, frame: str) -> Callable[[float], Pose]:
        """Return the pose of the tool in the frame of the base as a function of the motion."""
        robot = self.robot
        axis = [float(letter == direction[-1]) for letter in "xyz"]
        base = robot.base.pose
        here = base.inverse() @ robot.pose
        held = self._pitch_and_roll()
        if held is not None and direction in ("pitch", "roll"):
            pitch, roll = held
            tilt, spin = (1.0, 0.0) if direction == "pitch" else (0.0, 1.0)
            return lambda path: self._pointing(here.position, pitch + path * tilt, roll + path * spin)
        along: Vector
        if frame == "tool":
            along = here.direction(axis)
        else:
            along = base.inverse().direction(axis) if frame == "world" else (axis[0], axis[1], axis[2])
        x, y, z = along
        if not direction.startswith("r"):
            if held is not None and 1.0 - abs(math.sin(held[0])) > _UPRIGHT:
                pitch, roll = held
                return lambda path: self._pointing(here.moved(path * x, path * y, path * z).position, pitch, roll)
            return lambda path: here.moved(path * x, path * y, path * z)

        def turned(path: float) -> Pose:
            turn = Pose.of_rotation_vector((path * x, path * y, path * z))
            about = Pose(*here.position)
            return about @ turn @ about.inverse() @ here

        return turned

    def _pitch_and_roll(self) -> tuple[float, float] | None:
        """Return pitch and roll of an arm with five axes; None for other arms."""
        robot = self.robot
        if robot.mechanism.dof != 5:
            return None
        here = robot.base.pose.inverse() @ robot.pose
        try:
            pitch, roll = pitch_and_roll(Arm(robot.name, robot.mechanism, robot.tool), here)
            faced = self._pointing(here.position, pitch, roll)
        except MotionError:
            return None
        return (pitch, roll) if faced.distance_to(here)[1] < _MISSED else None

    def _pointing(self, position: Vector, pitch: float, roll: float) -> Pose:
        robot = self.robot
        return robot.mechanism.pose_at(position, pitch, roll, robot.tool) @ robot.tool

    def _go(self, path: Callable[[float], Pose], wanted: float, turning: bool) -> Jogged:
        robot = self.robot
        arm = Arm(robot.name, robot.mechanism, robot.tool)
        here = list(robot.joints)
        steps = max(1, math.ceil(abs(wanted) / (_TURN_STEP if turning else _STEP)))
        done, stopped = 0.0, None
        for step in range(1, steps + 1):
            share = wanted * step / steps
            found = self._joints(arm, path(share), here)
            if isinstance(found, list):
                here, done = found, share
                continue
            here, done, stopped = self._edge(arm, path, here, done, share, found)
            break
        robot.put(self._settled(arm, path(done), here))
        return Jogged(done, wanted, stopped)

    def _edge(
        self, arm: Arm, path: Callable[[float], Pose], here: list[float], low: float, high: float, why: str
    ) -> tuple[list[float], float, str]:
        """Return the last joints that the arm can reach, the motion up to them, and what stops the arm."""
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            found = self._joints(arm, path(middle), here)
            if isinstance(found, list):
                here, low = found, middle
            else:
                high = middle
                # Every arm is also singular at the edge of its reach; "edge of its reach" is the more useful reason.
                why = why if found.startswith(_SINGULAR) else found
        return here, low, why

    def _joints(self, arm: Arm, tcp: Pose, near: list[float]) -> list[float] | str:
        """Return the joints after a small step, or what prevents it."""
        found = arm.approach(tcp, near)
        if found is None:
            return self._why(arm, tcp)
        for joint, value in zip(arm.mechanism.joints, found, strict=True):
            if not joint.allows(value):
                return _at_limit(joint, value)
        shift, angle = arm.tcp(found).distance_to(tcp)
        if shift > _MISSED or angle > _MISSED:
            return self._why(arm, tcp)
        if any(
            joint.revolute and abs(new - old) > _LEAP
            for joint, new, old in zip(arm.mechanism.joints, found, near, strict=True)
        ):
            return f"{_SINGULAR}, beyond which its configuration would change"
        return [min(max(value, j.lower), j.upper) for j, value in zip(arm.mechanism.joints, found, strict=True)]

    def _why(self, arm: Arm, tcp: Pose) -> str:
        reach = arm.mechanism.reach(arm.flange(tcp))
        if reach:
            return f"{_SINGULAR}, where the tool cannot move in this direction"
        return "at the edge of its reach" if reach.reason in ("too far", "too near") else reach.text

    def _settled(self, arm: Arm, tcp: Pose, joints: list[float]) -> Sequence[float]:
        """Return the joints as inverse kinematics gives them, so that jogging back and forth ends at the start."""
        try:
            exact = arm.mechanism.inverse(arm.flange(tcp), near=joints).joints
        except MotionError:
            return joints
        return exact if max(abs(a - b) for a, b in zip(exact, joints, strict=True)) < _SETTLED else joints


def _travel(speed: float, fastest: float, time: float) -> float:
    """Return the distance for a speed and a time, with the speed limited."""
    return math.copysign(min(abs(speed), fastest), speed) * time


def _finite(path: float) -> float:
    if not math.isfinite(path):
        raise MotionError(f"cannot jog by {path}", hint="give a step such as 10*mm or 5*deg")
    return path


def _at_limit(joint: Joint, value: float) -> str:
    limit = min((joint.lower, joint.upper), key=lambda end: abs(value - end))
    return f"{joint.name} is at its limit {joint.show(limit)}"
