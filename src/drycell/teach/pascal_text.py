"""Lessons as programs in Pascal, with the commands of ScorPas for arms with five axes.

ScorPas specifies poses as position, pitch and roll in the base frame, so points are written with their current poses in
the cell. Linear moves are along one axis of the base only. Speeds are in ninths. Signals are lines of the controller:
inputs are polled, outputs pulsed. Steps that Pascal cannot express are omitted with a comment and listed as gaps: a
program with gaps does not do what the lesson does.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from drycell.base import MotionError, Pose, ProgramError, UnknownName, deg, mm
from drycell.devices import LiveController
from drycell.robots import Arm, pitch_and_roll
from drycell.teach.step import LessonStep
from drycell.teach.walking import WalkedStep, walk

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.robots import LiveRobot
    from drycell.teach.lesson import Lesson

_GRADES: Final = 9
_AXES: Final = 5
_SAME: Final = 1e-7  # metres, radians
_SAME_SPEED: Final = 1e-3
_LONGEST: Final = 60_000  # ms of one Delay: its argument is a 16-bit word
_POLL: Final = 10  # ms between two polls of an input


@dataclass(frozen=True, slots=True)
class Gap:
    """A step that Pascal cannot express, or expresses differently, and why."""

    step: int
    what: str

    def __str__(self) -> str:
        return f"step {self.step + 1}: {self.what}"


@dataclass(frozen=True, slots=True)
class PascalText:
    """A program in Pascal. ``gaps`` are the omitted steps, ``notes`` those it expresses differently."""

    text: str
    gaps: tuple[Gap, ...] = ()
    notes: tuple[Gap, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether it has every step."""
        return not self.gaps


class _NotExpressible(Exception):
    """Why Pascal cannot express a step."""


def pascal_text(
    lesson: "Lesson", cell: "Cell", controller: str | None = None, start: Sequence[float] | None = None
) -> PascalText:
    """Return the program of a lesson for the controller that moves its robot."""
    if lesson.robot not in cell.robots:
        raise UnknownName("robot", lesson.robot, cell.robots)
    robot = cell.robots[lesson.robot]
    if robot.mechanism.dof != _AXES:
        raise ProgramError(
            f"Pascal commands arms with {_AXES} axes, but {robot.name} has {robot.mechanism.dof}",
            hint="use Python",
        )
    return _Writer(lesson, robot, _lines(cell, robot, controller)).text(walk(lesson, cell, start))


def _lines(cell: "Cell", robot: "LiveRobot", name: str | None) -> LiveController | None:
    if name is not None:
        found: LiveController = cell[name]
        return found
    moving = [each for each in cell.controllers.values() if each.moves_robot and each.robot is robot]
    return moving[0] if moving else None


class _Writer:
    def __init__(self, lesson: "Lesson", robot: "LiveRobot", lines: LiveController | None) -> None:
        self._lesson, self._robot, self._lines = lesson, robot, lines
        self._arm = Arm(robot.name, robot.mechanism, robot.tool)
        self._grade = _GRADES
        self._gaps: list[Gap] = []
        self._notes: list[Gap] = []

    def text(self, legs: Sequence[WalkedStep]) -> PascalText:
        body: list[str] = []
        for leg in legs:
            try:
                body += self._step(leg)
            except _NotExpressible as why:
                self._gaps.append(Gap(leg.number, str(why)))
                body.append(f"{{ omitted, step {leg.number + 1}, {_safe(leg.step.text)}: {_safe(str(why))} }}")
        name = "".join(part.capitalize() for part in self._lesson.program.split("_"))
        missing = f"\n  {len(self._gaps)} of them cannot be expressed in Pascal and are omitted." if self._gaps else ""
        head = (
            f"{{ {_safe(self._lesson.name)}: taught to {self._lesson.robot}, {len(legs)} steps.{missing}\n"
            "  Positions are in mm and degrees, in the frame of the robot's base. }"
        )
        # Pascal needs no semicolon after the last statement, but allows one.
        lines = [f"  {line}" for line in ("Speed(9);", *body)]
        text = "\n".join([f"program {name};", head, "uses ScorPas;", "", "begin", *lines, "end."]) + "\n"
        return PascalText(text, tuple(self._gaps), tuple(self._notes))

    def _step(self, leg: WalkedStep) -> list[str]:
        step = leg.step
        if step.move is not None:
            return self._move(leg)
        if step.grip is not None:
            return [f"Gripper({'gOpen' if step.grip == 'open' else 'gClose'});"]
        if step.wait is not None:
            return _delays(step.wait)
        if step.until is not None:
            return self._until(leg.number, step)
        if step.set is not None:
            return self._set(step)
        return [f"{{ {_safe(str(step.comment))} }}"]

    # ---------------------------------------------------------------- moves

    def _move(self, leg: WalkedStep) -> list[str]:
        move = leg.step.move
        assert move is not None
        if leg.tcp is None or leg.end is None:
            raise _NotExpressible(leg.text)
        if leg.carried is not None:
            raise _NotExpressible(f"an earlier step moves {leg.carried}, but Pascal needs coordinates")
        if move.straight:
            command = self._line(leg)
        else:
            x, y, z = (_number(value / mm) for value in leg.tcp.position)
            pitch, roll = self._pointing(leg)
            command = f"MoveXYZ({x}, {y}, {z}, {_number(pitch / deg, 9)}, {_number(roll / deg, 9)});"
        return [*self._speed(leg), f"{command:<48} {{ {_safe(leg.target)} }}", "Waitpos;"]

    def _pointing(self, leg: WalkedStep) -> tuple[float, float]:
        """Return pitch and roll at the end of a move, if the controller chooses the joints of the move for them."""
        assert leg.tcp is not None
        assert leg.end is not None
        try:
            pitch, roll = pitch_and_roll(self._arm, leg.tcp)
            flange = self._robot.mechanism.pose_at(leg.tcp.position, pitch, roll, self._robot.tool)
            found = self._robot.mechanism.inverse(flange, near=leg.start)
        except MotionError as error:
            raise _NotExpressible(error.what) from error
        if max(abs(a - b) for a, b in zip(found.joints, leg.end, strict=True)) > math.sqrt(_SAME):
            raise _NotExpressible("with position, pitch and roll the arm would arrive with other joint values")
        return pitch, roll

    def _line(self, leg: WalkedStep) -> str:
        assert leg.tcp is not None
        here = self._arm.tcp(leg.start)
        shift = [b - a for a, b in zip(here.position, leg.tcp.position, strict=True)]
        along = [number for number, value in enumerate(shift) if abs(value) > _SAME]
        if here.distance_to(leg.tcp)[1] > _SAME and not self._same_pointing(here, leg.tcp):
            raise _NotExpressible("a linear move that turns the tool; MoveX, MoveY and MoveZ keep pitch and roll")
        if len(along) > 1:
            axes = " and ".join("xyz"[number] for number in along)
            raise _NotExpressible(f"a linear move along {axes} at once; MoveX, MoveY and MoveZ move along one axis")
        number = along[0] if along else 2
        return f"Move{'XYZ'[number]}({_number(shift[number] / mm)});"

    def _same_pointing(self, one: Pose, other: Pose) -> bool:
        try:
            (pitch, roll), (tilt, spin) = (pitch_and_roll(self._arm, each) for each in (one, other))
        except MotionError:
            return False
        return abs(pitch - tilt) < _SAME and abs(math.remainder(roll - spin, math.tau)) < _SAME

    def _speed(self, leg: WalkedStep) -> list[str]:
        """Return the command for the speed grade nearest to a move's speed, if it has changed."""
        move = leg.step.move
        assert move is not None
        robot = self._robot
        full = (robot.mechanism.path_speed or robot.controller.linear_speed) if move.straight else 1.0
        own = robot.controller.linear_speed if move.straight else 1.0
        share = min((own if move.speed is None else float(move.speed)) / full, 1.0)
        grade = min(max(round(share * _GRADES), 1), _GRADES)
        if abs(grade / _GRADES - share) > _SAME_SPEED:
            unit = f"{grade / _GRADES * full / mm:.0f} mm/s" if move.straight else f"{grade / _GRADES:.0%}"
            asked = f"{share * full / mm:.0f} mm/s" if move.straight else f"{share:.0%}"
            self._notes.append(Gap(leg.number, f"at {unit} instead of {asked}: speeds are in ninths"))
        if grade == self._grade:
            return []
        self._grade = grade
        return [f"Speed({grade});"]

    # ---------------------------------------------------------------- lines

    def _until(self, number: int, step: LessonStep) -> list[str]:
        assert step.until is not None
        until = step.until
        if not isinstance(until.value, bool):
            raise _NotExpressible("an input is on or off and has no other values")
        line = self._line_of("input", until.signal)
        if until.timeout is not None:
            raise _NotExpressible("InputStatus has no time-out")
        self._notes.append(Gap(number, f"the input is polled every {_POLL} ms"))
        asked = f"InputStatus({line})"
        return [f"while {f'not {asked}' if until.value else asked} do Delay({_POLL});"]

    def _set(self, step: LessonStep) -> list[str]:
        assert step.set is not None
        line = self._line_of("output", step.set.signal)
        assert self._lines is not None
        if step.set.pulse is None:
            raise _NotExpressible("SetOutputNo gives a pulse; an output cannot stay on or off")
        if abs(step.set.pulse - self._lines.model.pulse) > 1e-6:
            width = self._lines.model.pulse
            raise _NotExpressible(f"the controller's pulses last {width * 1e3:g} ms, not {step.set.pulse * 1e3:g} ms")
        return [f"SetOutputNo({line});", *_delays(step.set.pulse)]

    def _line_of(self, what: str, signal: str) -> int:
        if self._lines is None:
            raise _NotExpressible(f"{signal} is not an {what} of a controller: none moves {self._robot.name}")
        wires = self._lines.inputs if what == "input" else self._lines.outputs
        for key, wired in wires.items():
            if wired.name == signal and isinstance(key, int):
                return key
        raise _NotExpressible(f"{signal} is not wired to a numbered {what} of {self._lines.name}")


def _delays(seconds: float) -> list[str]:
    left = round(seconds * 1e3)
    lines = []
    while left > 0:
        part = min(left, _LONGEST)
        lines.append(f"Delay({part});")
        left -= part
    return lines


def _number(value: float, digits: int = 6) -> str:
    text = f"{round(value, digits) + 0.0:.{digits}f}".rstrip("0").rstrip(".")
    return text if text not in ("", "-0") else "0"


def _safe(text: str) -> str:
    """Return a text that is valid in a comment."""
    return text.replace("{", "(").replace("}", ")").replace("\n", " ")
