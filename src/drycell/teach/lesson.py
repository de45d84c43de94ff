"""Lessons: what a robot is taught, step by step, with the points it goes to. A lesson becomes program text; nothing
else runs it.
"""

import json
import keyword
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from drycell.base import (
    Amount,
    Name,
    OneOf,
    ProgramError,
    Scalar,
    Thing,
    UnknownName,
    read_text,
    read_thing,
    text_beside,
)
from drycell.cell import Workpoint
from drycell.robots import LiveRobot
from drycell.teach.step import LessonAssign, LessonMove, LessonStep, LessonUntil, PointSpec
from drycell.teach.surface import TaughtPoint

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.teach.pascal_text import PascalText


@dataclass(frozen=True, slots=True)
class Content:
    """All that a lesson says, as one value: undoing goes back to an earlier one."""

    robot: str
    points: Mapping[str, TaughtPoint] = field(default_factory=dict)
    steps: tuple[LessonStep, ...] = ()


class Lesson:
    """Steps for one robot of a cell, in order, and the points they go to. Every change can be undone.

    Steps are added at the end, or before the step number ``at``; they are counted from 0.
    """

    def __init__(
        self, name: str, robot: str, points: Sequence[TaughtPoint] = (), steps: Sequence[LessonStep] = ()
    ) -> None:
        self.name = name
        self._content = Content(robot, {point.name: point for point in points}, tuple(steps))
        self._past: list[Content] = []
        self._future: list[Content] = []

    # ---------------------------------------------------------------- what it says

    @property
    def robot(self) -> str:
        """The robot it is for."""
        return self._content.robot

    @property
    def points(self) -> Mapping[str, TaughtPoint]:
        """The points that were taught, by name, in the order of teaching."""
        return self._content.points

    @property
    def steps(self) -> tuple[LessonStep, ...]:
        """What is to be done, in order."""
        return self._content.steps

    @property
    def program(self) -> str:
        """The name of the function, and of the cell's program, that it becomes."""
        name = "".join(sign if sign.isalnum() and sign.isascii() else "_" for sign in self.name.lower()).strip("_")
        name = name if name[:1].isalpha() else f"lesson_{name}".rstrip("_")
        return f"{name}_" if keyword.iskeyword(name) else name

    def uses(self, point: str) -> list[int]:
        """The steps that go to a point."""
        return [number for number, step in enumerate(self.steps) if step.move is not None and step.move.to == point]

    # ---------------------------------------------------------------- points

    def teach(self, point: TaughtPoint) -> TaughtPoint:
        """Adds a point, or puts it in the place of the one of its name."""
        self._change(points={**self.points, point.name: point})
        return point

    def teach_here(self, robot: LiveRobot, name: str | None = None) -> TaughtPoint:
        """Adds the place where a robot's tool is now, as a point of the world."""
        return self.teach(TaughtPoint(name or self.free_name("p"), None, robot.pose))

    def forget(self, name: str) -> None:
        """Removes a point that no step goes to."""
        self._known(name)
        users = self.uses(name)
        if users:
            many = f"steps {', '.join(str(each + 1) for each in users)} go" if len(users) > 1 else "a step goes"
            raise ProgramError(f"{many} to {name!r}", hint="delete the steps first, or let them go elsewhere")
        self._change(points={each: point for each, point in self.points.items() if each != name})

    def rename(self, name: str, to: str) -> None:
        """Gives a point another name; the steps that go to it follow."""
        self._known(name)
        if to in self.points and to != name:
            raise ProgramError(f"there is already a point {to!r}", hint="give it another name")
        points = {(to if each == name else each): point for each, point in self.points.items()}
        points[to] = points[to].renamed(to)
        steps = [
            step.changed(move=step.move.changed(to=to)) if step.move is not None and step.move.to == name else step
            for step in self.steps
        ]
        self._change(points=points, steps=steps)

    def free_name(self, start: str) -> str:
        """A name for a point that none has yet: ``p1``, ``p2``, …"""
        number = 1
        while f"{start}{number}" in self.points:
            number += 1
        return f"{start}{number}"

    # ---------------------------------------------------------------- steps

    def add(self, step: LessonStep, at: int | None = None) -> LessonStep:
        """Adds a step at the end, or before another."""
        steps = list(self.steps)
        steps.insert(len(steps) if at is None else self._place(at, len(steps)), step)
        self._change(steps=steps)
        return step

    def replace(self, number: int, step: LessonStep) -> None:
        """Puts a step in the place of another."""
        steps = list(self.steps)
        steps[self._place(number, len(steps) - 1)] = step
        self._change(steps=steps)

    def delete(self, number: int) -> None:
        """Removes a step."""
        steps = list(self.steps)
        del steps[self._place(number, len(steps) - 1)]
        self._change(steps=steps)

    def reorder(self, number: int, to: int) -> None:
        """Takes a step out and puts it where it then has the number ``to``."""
        steps = list(self.steps)
        step = steps.pop(self._place(number, len(steps) - 1))
        steps.insert(self._place(to, len(steps)), step)
        self._change(steps=steps)

    def move(self, to: str, *, before: float = 0.0, speed: float | None = None, at: int | None = None) -> LessonStep:
        """A move to a point the way the joints like best, at a share of their speed."""
        return self.add(LessonStep(move=LessonMove(to=to, before=before, speed=speed)), at)

    def move_linear(
        self, to: str, *, before: float = 0.0, speed: float | None = None, at: int | None = None
    ) -> LessonStep:
        """A straight move to a point, at a speed in m/s."""
        return self.add(LessonStep(move=LessonMove(to=to, before=before, linear=True, speed=speed)), at)

    def move_back(self, distance: float, *, speed: float | None = None, at: int | None = None) -> LessonStep:
        """A straight move back along the tool from wherever it is: how to depart."""
        return self.add(LessonStep(move=LessonMove(back=distance, speed=speed)), at)

    def move_joints(
        self,
        robot: LiveRobot,
        joints: Sequence[float] | None = None,
        *,
        speed: float | None = None,
        at: int | None = None,
    ) -> LessonStep:
        """A move to joint values: those of the robot now, or others."""
        values = tuple(
            Amount(value, "angle" if joint.revolute else "length")
            for joint, value in zip(robot.mechanism.joints, robot.joints if joints is None else joints, strict=True)
        )
        return self.add(LessonStep(move=LessonMove(joints=values, speed=speed)), at)

    def grip(self, action: Literal["open", "close"], at: int | None = None) -> LessonStep:
        """Opens or closes the gripper."""
        return self.add(LessonStep(grip=action), at)

    def wait(self, seconds: float, at: int | None = None) -> LessonStep:
        """Lets time pass."""
        return self.add(LessonStep(wait=seconds), at)

    def wait_until(
        self, signal: str, value: Scalar = True, *, timeout: float | None = None, at: int | None = None
    ) -> LessonStep:
        """Waits until a signal has a value."""
        return self.add(LessonStep(until=LessonUntil(signal=signal, value=value, timeout=timeout)), at)

    def set_signal(
        self, signal: str, value: Scalar = True, *, pulse: float | None = None, at: int | None = None
    ) -> LessonStep:
        """Sets a signal, for good or as a pulse."""
        return self.add(LessonStep(set=LessonAssign(signal=signal, value=value, pulse=pulse)), at)

    def remark(self, text: str, at: int | None = None) -> LessonStep:
        """A comment among the steps."""
        return self.add(LessonStep(comment=" ".join(text.split())), at)

    # ---------------------------------------------------------------- undo

    @contextmanager
    def one_change(self) -> Iterator[None]:
        """Makes all that is changed inside one change that is undone at once; if it fails, nothing is changed."""
        before, count = self._content, len(self._past)
        try:
            yield
        except BaseException:
            self._content = before
            del self._past[count:]
            raise
        if len(self._past) > count:
            del self._past[count:]
            self._past.append(before)

    def undo(self) -> bool:
        """Takes the last change back; False if there is none."""
        return self._turn_back(self._past, self._future)

    def redo(self) -> bool:
        """Makes the change that was last undone again; False if there is none."""
        return self._turn_back(self._future, self._past)

    @property
    def undoable(self) -> bool:
        """Whether there is a change to take back."""
        return bool(self._past)

    @property
    def redoable(self) -> bool:
        """Whether there is a change to make again."""
        return bool(self._future)

    # ---------------------------------------------------------------- as text, and in a cell

    def as_python(self, cell: "Cell | None" = None, *, named: bool = False) -> str:
        """The program in Python. Points that the cell has as workpoints are named, the others are written in it.

        With ``named`` all are: they are to become workpoints of the cell.
        """
        from drycell.teach.python_text import python_text

        return python_text(self, cell, named)

    def as_pascal(
        self, cell: "Cell", controller: str | None = None, start: Sequence[float] | None = None
    ) -> "PascalText":
        """The program in Pascal for a SCORBOT-type arm, with the steps that Pascal cannot say.

        ``start`` are the joint values at which a run begins, if the arm has been jogged from there.
        """
        from drycell.teach.pascal_text import pascal_text

        return pascal_text(self, cell, controller, start)

    def enter_points(self, cell: "Cell") -> None:
        """Makes the taught points workpoints of a cell that does not run yet, in place of others of their names."""
        for point in self.points.values():
            cell.world.workpoints.pop(point.name, None)
            if isinstance(cell.models.get(point.name), Workpoint):
                del cell.things[point.name], cell.models[point.name]
            cell.add(point.name, Workpoint(on=point.on, at=point.local))

    def enter(self, cell: "Cell", file: str | Path) -> None:
        """Writes the program to a file, in Python or, if that ends with .pas, in Pascal, and makes it one of the cell.

        A program in Pascal runs on the controller that moves the robot; a cell without one gets it.
        """
        from drycell.teach.saving import enter

        enter(self, cell, Path(file))

    # ---------------------------------------------------------------- as a whole

    def become(self, other: "Lesson") -> None:
        """Takes over all that another lesson says. As any change, this can be undone."""
        self.name = other.name
        self._put(other._content)

    def hand_to(self, robot: str) -> None:
        """The same points and steps for another robot, or for one that is called otherwise by now."""
        self._put(Content(robot, self._content.points, self._content.steps))

    # ---------------------------------------------------------------- inside

    def _known(self, name: str) -> None:
        if name not in self.points:
            raise UnknownName("taught point", name, self.points)

    def _place(self, number: int, last: int) -> int:
        if not 0 <= number <= last:
            raise ProgramError(f"there is no step {number + 1}: the lesson has {len(self.steps)}")
        return number

    def _change(
        self, points: Mapping[str, TaughtPoint] | None = None, steps: Sequence[LessonStep] | None = None
    ) -> None:
        old = self._content
        self._put(
            Content(
                old.robot, old.points if points is None else dict(points), old.steps if steps is None else tuple(steps)
            )
        )

    def _put(self, content: Content) -> None:
        self._past.append(self._content)
        self._future.clear()
        self._content = content

    def _turn_back(self, come_from: list[Content], go_to: list[Content]) -> bool:
        if not come_from:
            return False
        go_to.append(self._content)
        self._content = come_from.pop()
        return True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Lesson):
            return NotImplemented
        return (self.name, self._content) == (other.name, other._content)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        head = f"{self.name}, for {self.robot}"
        return "\n".join([head, *(f"{number:>3}  {step.text}" for number, step in enumerate(self.steps, 1))])


def pick_and_place(
    lesson: Lesson, grasp: TaughtPoint, place: TaughtPoint, *, distance: float, speed: float | None = None
) -> None:
    """Adds the steps that take a part at one point and set it down at another, each approached from a distance."""
    with lesson.one_change():
        lesson.teach(grasp)
        lesson.teach(place)
        lesson.grip("open")
        lesson.move(grasp.name, before=distance)
        lesson.move_linear(grasp.name, speed=speed)
        lesson.grip("close")
        lesson.move_back(distance, speed=speed)
        lesson.move(place.name, before=distance)
        lesson.move_linear(place.name, speed=speed)
        lesson.grip("open")
        lesson.move_back(distance, speed=speed)


_TEXT: Final = "lesson"
LessonData = dict[str, Any]
"""A lesson, or a part of one, as plain data with units."""


class LessonFile(Thing):
    """A lesson file."""

    lesson: str
    """Name of the lesson."""
    robot: Name
    """Robot that the lesson is for."""
    format: Literal[1] = 1
    """Version of the file format."""
    points: Mapping[Name, PointSpec] = field(default_factory=dict)
    """Taught points, by name."""
    steps: tuple[LessonStep, ...] = ()
    """What the robot does, in order."""

    @classmethod
    def of(cls, lesson: Lesson) -> "LessonFile":
        """A lesson as its file has it."""
        points = {name: PointSpec.of(point) for name, point in lesson.points.items()}
        return cls(lesson=lesson.name, robot=lesson.robot, points=points, steps=lesson.steps)

    def made(self) -> Lesson:
        """The lesson, ready to be edited."""
        return Lesson(self.lesson, self.robot, [spec.point(name) for name, spec in self.points.items()], self.steps)


def load_lesson(path: str | Path) -> Lesson:
    """The lesson in a file, YAML or JSON."""
    return read_lesson(read_text(Path(path)), str(path))


def read_lesson(text: str, file: str = _TEXT) -> Lesson:
    """The lesson in the text of a file. Raises FileError with all mistakes in it."""
    return read_thing(LessonFile, text, file).made()


def read_lesson_data(data: LessonData) -> Lesson:
    """The lesson in plain data, as :func:`lesson_data` returns it."""
    return read_lesson(json.dumps(data))


def read_point(name: str, data: LessonData) -> TaughtPoint:
    """A point from plain data, such as ``{"on": "block", "at": [0, 0, "20 mm"]}``."""
    return read_thing(PointSpec, json.dumps(data), name).point(name)


def read_step(written: object) -> LessonStep:
    """A step from plain data, such as ``{"move": {"to": "grasp", "before": "80 mm"}}``."""
    return read_thing(LessonStep, json.dumps(written), "step")


def lesson_text(lesson: Lesson) -> str:
    """A lesson as YAML that reads back as the same lesson."""
    from drycell.base import block, inline

    data = lesson_data(lesson)
    steps = data.pop("steps", [])
    lines = [line for key, value in data.items() for line in block(key, value, 0, 1)]
    lines += ["steps:" if steps else "steps: []", *(f"  - {inline(step)}" for step in steps)]
    return "\n".join(lines) + "\n"


def save_lesson(lesson: Lesson, path: str | Path) -> None:
    """Writes a lesson to a file, as JSON if its name ends in .json, otherwise as YAML; whole or not at all."""
    text = lesson_text(lesson)
    if Path(path).suffix.lower() == ".json":
        text = json.dumps(lesson_data(lesson), indent=1, ensure_ascii=False) + "\n"
    with text_beside(path) as file:
        file.write(text)


def lesson_data(lesson: Lesson) -> LessonData:
    """A lesson as plain data: what its file contains."""
    return plain(LessonFile.of(lesson))


def plain(value: LessonFile | LessonStep | PointSpec) -> LessonData:
    """A lesson, step or point as plain data with units, without what is at its default."""
    return cast(LessonData, OneOf(type(value)).write(value))
