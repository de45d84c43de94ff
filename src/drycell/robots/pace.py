"""The pace of a move: the speed, acceleration and time that a program asks for, checked, with the override."""

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from drycell.base import Amount, Measure, MotionError, Pose, UnitError, Vector, mm
from drycell.robots.move_data import NO_DATA, MoveData

if TYPE_CHECKING:
    from drycell.robots.arm import Arm
    from drycell.robots.controller import MotionController
    from drycell.robots.links import Joint
    from drycell.robots.plan import Plan
    from drycell.robots.robot import LiveRobot

Rate = float | str | None
"""A speed or an acceleration: a number, a text with a unit, or None for that of the controller."""

_TOO_FAST: Final = 20.0  # m/s: probably a speed without its unit
_TOO_HARD: Final = 500.0  # m/s²: likewise


@dataclass(frozen=True)
class MovePace:
    """A speed (a fraction of joint speeds, or m/s of the TCP), and the motion data of a move.

    ``asked`` are the fields that the journal shows. With a ``scaling`` below 1, the move is planned without it and then
    made longer in time.
    """

    speed: float
    data: MoveData = NO_DATA
    asked: dict[str, object] = field(default_factory=dict)
    scaling: float = 1.0

    @property
    def _more(self) -> tuple[MoveData, ...]:
        # A controller that takes no motion data has moves without this argument.
        return () if self.data == NO_DATA else (self.data,)

    def joint_move(
        self, controller: "MotionController", arm: "Arm", start: Sequence[float], end: Sequence[float]
    ) -> "Plan":
        """The plan of a joint move at this pace."""
        return self._scaled(controller.joint_move(arm, start, end, self.speed, *self._more))

    def linear_move(
        self, controller: "MotionController", arm: "Arm", start: Sequence[float], end: Pose, target: str
    ) -> "Plan":
        """The plan of a line at this pace."""
        return self._scaled(controller.linear_move(arm, start, end, self.speed, target, *self._more))

    def circular_move(
        self, controller: "MotionController", arm: "Arm", start: Sequence[float], via: Vector, end: Pose, target: str
    ) -> "Plan":
        """The plan of an arc at this pace."""
        return self._scaled(controller.circular_move(arm, start, via, end, self.speed, target, *self._more))

    def _scaled(self, plan: "Plan") -> "Plan":
        return plan if self.scaling == 1.0 else plan.stretched(1.0 / self.scaling)


def joint_pace(
    robot: "LiveRobot",
    speed: Rate = None,
    acceleration: Rate = None,
    time: float | None = None,
    arm: "Arm | None" = None,
) -> MovePace:
    """The pace of a joint move.

    Args:
        robot: The robot, with its controller and its override.
        speed: A fraction of the joint speeds, or a speed that no joint exceeds, with its unit.
        acceleration: A fraction of the joint accelerations, or an acceleration that no joint exceeds, with its unit,
            which may be above an estimated one.
        time: The duration in seconds, instead of a speed.
        arm: What moves, if external axes move with the robot.

    Raises:
        MotionError: A value is out of range, or the controller does not take it.
    """
    asked, duration = _asked(robot, speed, acceleration, time)
    joints, override = (robot if arm is None else arm).mechanism.joints, robot.override
    fraction, speeds, accelerations = override, None, None
    usual = robot.controller.joint_speed
    if isinstance(speed, str):
        amount = _amount(robot, speed, "speed", ("angular speed", "speed"))
        speeds = _capped(robot, amount, [joint.speed for joint in joints], "speed", "/s")
    elif speed is not None:
        fraction = _fraction(robot, speed, "move at", "the speed of its joints", "move_linear takes m/s") * override
    elif usual is not None and time is None:
        speeds = tuple(min(joint.speed, usual) if joint.revolute else joint.speed for joint in joints)
    if isinstance(acceleration, str):
        amount = _amount(robot, acceleration, "acceleration", ("angular acceleration", "acceleration"))
        # A limit that is only estimated does not overrule a value that the program gives.
        highest = [math.inf if joint.estimated else joint.acceleration for joint in joints]
        capped = _capped(robot, amount, highest, "acceleration", "/s²")
        accelerations = tuple(
            each if math.isfinite(each) else joint.acceleration for each, joint in zip(capped, joints, strict=True)
        )
    elif acceleration is not None:
        share = _fraction(
            robot, acceleration, "accelerate at", "the accelerations of its joints", "move_linear takes m/s²"
        )
        accelerations = tuple(joint.acceleration * share for joint in joints)
    speeds = None if speeds is None else tuple(each * override for each in speeds)
    return MovePace(
        1.0 if time is not None else fraction,
        MoveData(speeds, accelerations, None, duration),
        asked,
        robot.speed_scaling,
    )


def path_pace(robot: "LiveRobot", speed: Rate = None, acceleration: Rate = None, time: float | None = None) -> MovePace:
    """The pace of a line or an arc.

    Args:
        robot: The robot, with its controller and its override.
        speed: The speed of the TCP in m/s, or a text with its unit.
        acceleration: The acceleration of the TCP in m/s², or a text with its unit.
        time: The duration in seconds, instead of a speed.

    Raises:
        MotionError: A value is out of range, or the controller does not take it.
    """
    asked, duration = _asked(robot, speed, acceleration, time)
    if acceleration is not None:
        acceleration = _rate(robot, acceleration, "acceleration", "1.5 (m/s²) or '1.5 m/s^2'")
        if not 0.0 < acceleration < math.inf:
            hint = "give an acceleration such as 1.5, in m/s²"
            raise MotionError(f"{robot.name} cannot accelerate at {acceleration:g} m/s²", hint=hint)
        if acceleration > _TOO_HARD:
            robot.warn(f"a move asks for {acceleration:g} m/s², which no arm reaches: write {acceleration:g}*mm/s**2?")
    pace = robot.controller.linear_speed if speed is None else speed
    pace = _rate(robot, pace, "speed", "150*mm/s, or a fraction for joint moves, such as 0.5")
    if not 0.0 < pace < math.inf:
        raise MotionError(f"{robot.name} cannot move at {pace / mm:g} mm/s", hint="give a speed such as 150*mm/s")
    if pace > _TOO_FAST:
        robot.warn(f"a move asks for {pace:g} m/s, which no arm reaches: write {pace:g}*mm/s?")
    data = MoveData(acceleration=acceleration, time=duration)
    return MovePace(pace * robot.override if time is None else math.inf, data, asked, robot.speed_scaling)


def _asked(
    robot: "LiveRobot", speed: Rate, acceleration: Rate, time: float | None
) -> tuple[dict[str, object], float | None]:
    """What the journal shows of the motion data, and the duration with the override. Raises MotionError."""
    asked: dict[str, object] = {
        name: value for name, value in (("acceleration", acceleration), ("time", time)) if value is not None
    }
    refused = [name for name in asked if name not in robot.controller.takes]
    if refused or (isinstance(speed, str) and not robot.controller.takes and not asked):
        what = refused[0] if refused else "speed with a unit in joint moves"
        takes = " and ".join(robot.controller.takes)
        raise MotionError(
            f"{robot.name} cannot take the {what} of a move: its controller "
            f"{robot.controller.name!r} does not support it",
            hint=f"it takes {takes}" if takes else "remove it, or give the robot another controller, such as standard",
        )
    if time is None:
        return asked, None
    if speed is not None:
        raise MotionError(
            f"{robot.name} cannot take both a speed ({speed}) and a time ({time}): the speed follows from the time",
            hint="remove one of the two",
        )
    if not _is_number(time) or not 0.0 < time < math.inf:
        raise MotionError(f"{robot.name} cannot move in {time!r} s", hint="give a time above 0 in seconds, such as 1.5")
    return asked, time / robot.override


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _rate(robot: "LiveRobot", value: float | str, dimension: str, example: str) -> float:
    """A number in SI units, from a number or from a text with a unit."""
    if isinstance(value, str):
        return float(_amount(robot, value, dimension, (dimension,)))
    if not _is_number(value):
        what = "move at the speed" if dimension == "speed" else "accelerate at"
        raise MotionError(
            f"{robot.name} cannot {what} {value!r}, which is not a number", hint=f"write a number, such as {example}"
        )
    return float(value)


def _amount(robot: "LiveRobot", text: str, what: str, dimensions: tuple[str, ...]) -> Amount:
    try:
        return Measure(dimensions, above=0.0).take(text)
    except UnitError as error:
        raise MotionError(f"{robot.name} cannot take the {what} {text!r}: {error.what}", hint=error.hint) from None


def _fraction(robot: "LiveRobot", value: float, verb: str, of: str, other: str) -> float:
    dimension = "speed" if verb == "move at" else "acceleration"
    fraction = _rate(robot, value, dimension, "0.5, or a string with its unit")
    if not 0.0 < fraction <= 1.0:
        raise MotionError(
            f"{robot.name} cannot {verb} {fraction:g} times {of}", hint=f"give a fraction above 0, up to 1; {other}"
        )
    return fraction


def _capped(robot: "LiveRobot", amount: Amount, limits: Sequence[float], what: str, per: str) -> tuple[float, ...]:
    """The limits of joints, lowered to an amount if they are of its dimension. Raises MotionError if it is too high."""
    turning = str(amount.dimension).startswith("ang")
    joints = robot.mechanism.joints
    meant = [(limit, joint) for limit, joint in zip(limits, joints, strict=True) if joint.revolute == turning]
    if not meant:
        kind, other = ("turns", "slides") if turning else ("slides", "turns")
        raise MotionError(
            f"{robot.name} cannot take this {what} in a joint move: no joint of it {kind}",
            hint=f"every joint {other}: give a fraction, or another unit",
        )
    most, quickest = max(meant, key=_first)
    if amount > most:
        raise MotionError(
            f"{robot.name} cannot reach {quickest.show(amount)}{per}: the highest {what} of its joints is "
            f"{quickest.show(most)}{per} ({quickest.name})",
            hint=f"give at most that, or a robot file with another {what}",
        )
    return tuple(
        min(limit, float(amount)) if joint.revolute == turning else limit
        for limit, joint in zip(limits, joints, strict=True)
    )


def _first(pair: "tuple[float, Joint]") -> float:
    return pair[0]
