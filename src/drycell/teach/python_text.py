"""Lessons as programs in Python: one function whose parameters name things of the cell."""

import json
import keyword
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from drycell.base import Amount, UnknownName, deg, mm
from drycell.teach.step import LessonMove, LessonStep

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.teach.lesson import Lesson
    from drycell.teach.surface import TaughtPoint

_SAME: Final = 1e-9  # metres and radians: a workpoint this close to a taught point is that point


def python_text(lesson: "Lesson", cell: "Cell | None", named: bool = False) -> str:
    """Return the program of a lesson; with ``named``, it refers to points by name."""
    return _Writer(lesson, cell, named).text()


class _Writer:
    def __init__(self, lesson: "Lesson", cell: "Cell | None", named: bool) -> None:
        self._lesson, self._cell, self._named = lesson, cell, named
        self._words: set[str] = set()  # names of drycell that are used
        self._parameters: list[str] = []
        self._written: dict[str, str] = {}  # point → the variable that holds it
        if cell is not None and lesson.robot not in cell.robots:
            raise UnknownName("robot", lesson.robot, cell.robots)

    def text(self) -> str:
        robot = self._parameter(name := self._lesson.robot, lambda: f"cell.robots[{_quoted(name)}]")
        used = [name for name in self._lesson.points if self._lesson.uses(name)]
        points = [self._point(self._lesson.points[name]) for name in used if not self._in_cell(name)]
        body = [*points, *(line for step in self._lesson.steps for line in self._step(step, robot))] or ["pass"]
        head = f'"""{self._title()}"""'
        parts = [head, *self._imports()]
        function = f"def {self._lesson.program}({', '.join(self._parameters)}):"
        return "\n".join([*parts, "", "", function, *(f"    {line}" for line in body)]) + "\n"

    def _title(self) -> str:
        name = self._lesson.name.replace('"', "'").replace("\\", "/")
        count = len(self._lesson.steps)
        return f"{name}: taught to {self._lesson.robot}, {count} step{'' if count == 1 else 's'}."

    def _imports(self) -> list[str]:
        workpoint = "LiveWorkpoint" in self._words
        words = sorted(self._words - {"LiveWorkpoint"}, key=lambda word: (word[0].islower(), word))
        lines = [f"from drycell import {', '.join(words)}"] if words else []
        lines += ["from drycell.world import LiveWorkpoint"] if workpoint else []
        return ["", *lines] if lines else []

    # ---------------------------------------------------------------- names

    def _parameter(self, name: str, otherwise: Callable[[], str]) -> str:
        """Return the expression for an object of the cell: a parameter, if that is unambiguous."""
        called = "".join(character if character.isalnum() else "_" for character in name)
        means = True
        if self._cell is not None:
            offered = self._cell.offered().get(called)
            means = getattr(offered, "name", None) == name
        if not means or not called.isidentifier() or called in self._taken:
            called = "cell"
        if called not in self._parameters:
            self._parameters.append(called)
        return otherwise() if called == "cell" else called

    @property
    def _taken(self) -> set[str]:
        words = {"Pose", "LiveWorkpoint", "approach", "deg", "delay", "mm", "s", "wait", "ProgramError", "cell"}
        return {*words, *keyword.kwlist, *self._written.values()}

    def _in_cell(self, name: str) -> bool:
        """Whether the cell has, or will have, a workpoint for this point."""
        if self._named:
            return True
        if self._cell is None or name not in self._cell.world.workpoints:
            return False
        theirs, ours = self._cell.world.workpoints[name], self._lesson.points[name]
        shift, angle = theirs.local.distance_to(ours.local)
        return (None if theirs.body is None else theirs.body.name) == ours.on and max(shift, angle) < _SAME

    def _point(self, point: "TaughtPoint") -> str:
        on = "None"
        if point.on is not None:
            name = point.on
            on = self._parameter(name, lambda: f"cell.body({_quoted(name)})")
        variable = "".join(character if character.isalnum() else "_" for character in point.name)
        if not variable.isidentifier() or variable in {*self._taken, *self._parameters}:
            variable = f"{variable}_point" if variable.isidentifier() else f"point_{variable}"
        self._written[point.name] = variable
        at = ", ".join(self._mm(value) for value in point.local.position)
        turn = ", ".join(self._deg(value) for value in point.local.rpy)
        self._words |= {"Pose", "LiveWorkpoint"}
        return f"{variable} = LiveWorkpoint({_quoted(point.name)}, {on}, Pose.of_rpy({turn}, at=({at})))"

    # ---------------------------------------------------------------- steps

    def _step(self, step: LessonStep, robot: str) -> list[str]:
        if step.move is not None:
            return [self._move(step.move, robot)]
        if step.grip is not None:
            return [f"{robot}.gripper.{step.grip}()"]
        if step.wait is not None:
            self._words.add("delay")
            return [f"delay({self._s(step.wait)})"]
        if step.until is not None:
            return self._until(step)
        if step.set is not None:
            signal = self._signal(step.set.signal)
            if step.set.pulse is None:
                return [f"{signal}.set({step.set.value!r})"]
            self._words.add("delay")
            return [f"{signal}.set(True)", f"delay({self._s(step.set.pulse)})", f"{signal}.set(False)"]
        return [f"# {step.comment}"]

    def _move(self, move: LessonMove, robot: str) -> str:
        speed = ""
        if move.speed is not None:
            speed = f", {_number(move.speed / mm, 6)} * mm / s" if move.straight else f", {_number(move.speed, 6)}"
            self._words |= {"mm", "s"} if move.straight else set()
        if move.joints is not None:
            values = ", ".join(
                self._mm(each) if isinstance(each, Amount) and each.dimension == "length" else self._deg(each)
                for each in move.joints
            )
            return f"{robot}.move_joints([{values}]{speed})"
        if move.back is not None:
            self._words.add("approach")
            target = f"approach({robot}.here, {self._mm(move.back)})"
        else:
            name = str(move.to)
            target = self._written.get(name, _quoted(name))
            if move.before:
                self._words.add("approach")
                target = f"approach({target}, {self._mm(move.before)})"
        return f"{robot}.{'move_linear' if move.straight else 'move'}({target}{speed})"

    def _until(self, step: LessonStep) -> list[str]:
        assert step.until is not None
        until = step.until
        self._words.add("wait")
        signal = self._signal(until.signal)
        condition = f"{signal} == {until.value!r}"
        if isinstance(until.value, bool):
            condition = signal if until.value else f"{signal}.is_off"
        if until.timeout is None:
            return [f"wait({condition})"]
        self._words.add("ProgramError")
        most = self._s(until.timeout)
        what = step.text.partition(", at most")[0].removeprefix("wait until ")
        return [
            f"if not wait({condition}, timeout={most}):",
            f"    raise ProgramError({_quoted(f'{what}: not in time')})",
        ]

    def _signal(self, name: str) -> str:
        if self._cell is not None:
            self._cell.kernel.signal_named(name)
        return self._parameter(name, lambda: f"cell.kernel.signal_named({_quoted(name)})")

    # ---------------------------------------------------------------- numbers

    def _mm(self, value: float) -> str:
        self._words.add("mm")
        return f"{_number(value / mm, 6)} * mm"

    def _deg(self, value: float) -> str:
        self._words.add("deg")
        return f"{_number(value / deg, 9)} * deg"

    def _s(self, value: float) -> str:
        self._words.add("s")
        return f"{_number(value, 6)} * s"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _number(value: float, digits: int) -> str:
    """Return a number with at most ``digits`` decimals."""
    text = f"{round(value, digits) + 0.0:.{digits}f}".rstrip("0").rstrip(".")
    return text if text not in ("", "-0") else "0"
