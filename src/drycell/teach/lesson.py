"""Lessons: the steps that a robot is taught, and the points it moves to. A lesson becomes a program to run."""

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
    """The content of a lesson as one value. Undo restores an earlier one."""

    robot: str
    points: Mapping[str, TaughtPoint] = field(default_factory=dict)
    steps: tuple[LessonStep, ...] = ()


class Lesson:
    """Steps for one robot of a cell, and the points they move to. Every change can be undone.

    Steps are added at the end, or before step ``at``, counted from 0.

    >>> from drycell import mm
    >>> lesson = Lesson("stack", "arm")
    >>> step = lesson.move("shelf", before=80 * mm)
    >>> step = lesson.grip("open")
    >>> print(lesson)
    stack, for arm
      1  move to 80 mm before shelf
      2  open the gripper
    """

    def __init__(
        self, name: str, robot: str, points: Sequence[TaughtPoint] = (), steps: Sequence[LessonStep] = ()
    ) -> None:
        self.name = name
        self._content = Content(robot, {point.name: point for point in points}, tuple(steps))
        self._past: list[Content] = []
        self._future: list[Content] = []

    # ---------------------------------------------------------------- content

    @property
    def robot(self) -> str:
        """The robot it is for."""
        return self._content.robot

    @property
    def points(self) -> Mapping[str, TaughtPoint]:
        """The taught points by name, in the order of teaching."""
        return self._content.points

    @property
    def steps(self) -> tuple[LessonStep, ...]:
        """The steps in order."""
        return self._content.steps

    @property
    def program(self) -> str:
        """Name of its program in the cell, and of its function."""
        name = "".join(
            character if character.isalnum() and character.isascii() else "_" for character in self.name.lower()
        ).strip("_")
        name = name if name[:1].isalpha() else f"lesson_{name}".rstrip("_")
        return f"{name}_" if keyword.iskeyword(name) else name

    def uses(self, point: str) -> list[int]:
        """Return the numbers of the steps that move to a point."""
        return [number for number, step in enumerate(self.steps) if step.move is not None and step.move.to == point]

    # ---------------------------------------------------------------- points

    def teach(self, point: TaughtPoint) -> TaughtPoint:
        """Add a point, or replace the point with its name."""
        self._change(points={**self.points, point.name: point})
        return point

    def teach_here(self, robot: LiveRobot, name: str | None = None) -> TaughtPoint:
        """Add the current pose of the robot's TCP as a point in the world."""
        return self.teach(TaughtPoint(name or self.free_name("p"), None, robot.pose))

    def forget(self, name: str) -> None:
        """Remove a point that no step moves to."""
        self._known(name)
        users = self.uses(name)
        if users:
            many = f"steps {', '.join(str(each + 1) for each in users)} move" if len(users) > 1 else "a step moves"
            raise ProgramError(f"{many} to {name!r}", hint="delete or change these steps first")
        self._change(points={each: point for each, point in self.points.items() if each != name})

    def rename(self, name: str, to: str) -> None:
        """Rename a point, including in the steps that move to it."""
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
        """Return an unused name for a point: ``p1``, ``p2``, …"""
        number = 1
        while f"{start}{number}" in self.points:
            number += 1
        return f"{start}{number}"

    # ---------------------------------------------------------------- steps

    def add(self, step: LessonStep, at: int | None = None) -> LessonStep:
        """Add a step at the end, or before step ``at``."""
        steps = list(self.steps)
        steps.insert(len(steps) if at is None else self._place(at, len(steps)), step)
        self._change(steps=steps)
        return step

    def replace(self, number: int, step: LessonStep) -> None:
        """Replace a step."""
        steps = list(self.steps)
        steps[self._place(number, len(steps) - 1)] = step
        self._change(steps=steps)

    def delete(self, number: int) -> None:
        """Delete a step."""
        steps = list(self.steps)
        del steps[self._place(number, len(steps) - 1)]
        self._change(steps=steps)

    def reorder(self, number: int, to: int) -> None:
        """Move a step to position ``to``."""
        steps = list(self.steps)
        step = steps.pop(self._place(number, len(steps) - 1))
        steps.insert(self._place(to, len(steps)), step)
        self._change(steps=steps)

    def move(self, to: str, *, before: float = 0.0, speed: float | None = None, at: int | None = None) -> LessonStep:
        """Add a joint move to a point; ``speed`` is a fraction of the joint speeds."""
        return self.add(LessonStep(move=LessonMove(to=to, before=before, speed=speed)), at)

    def move_linear(
        self, to: str, *, before: float = 0.0, speed: float | None = None, at: int | None = None
    ) -> LessonStep:
        """Add a linear move to a point, at a speed in m/s."""
        return self.add(LessonStep(move=LessonMove(to=to, before=before, linear=True, speed=speed)), at)

    def move_back(self, distance: float, *, speed: float | None = None, at: int | None = None) -> LessonStep:
        """Add a departing linear move: back along the tool axis by a distance in metres."""
        return self.add(LessonStep(move=LessonMove(back=distance, speed=speed)), at)

    def move_joints(
        self,
        robot: LiveRobot,
        joints: Sequence[float] | None = None,
        *,
        speed: float | None = None,
        at: int | None = None,
    ) -> LessonStep:
        """Add a move to joint values; by default the robot's current ones."""
        values = tuple(
            Amount(value, "angle" if joint.revolute else "length")
            for joint, value in zip(robot.mechanism.joints, robot.joints if joints is None else joints, strict=True)
        )
        return self.add(LessonStep(move=LessonMove(joints=values, speed=speed)), at)

    def grip(self, action: Literal["open", "close"], at: int | None = None) -> LessonStep:
        """Add a step that opens or closes the gripper."""
        return self.add(LessonStep(grip=action), at)

    def wait(self, seconds: float, at: int | None = None) -> LessonStep:
        """Add a wait for a time in seconds."""
        return self.add(LessonStep(wait=seconds), at)

    def wait_until(
        self, signal: str, value: Scalar = True, *, timeout: float | None = None, at: int | None = None
    ) -> LessonStep:
        """Add a wait until a signal has a value, for at most ``timeout`` seconds."""
        return self.add(LessonStep(until=LessonUntil(signal=signal, value=value, timeout=timeout)), at)

    def set_signal(
        self, signal: str, value: Scalar = True, *, pulse: float | None = None, at: int | None = None
    ) -> LessonStep:
        """Add a step that sets a signal, permanently or for a pulse in seconds."""
        return self.add(LessonStep(set=LessonAssign(signal=signal, value=value, pulse=pulse)), at)

    def remark(self, text: str, at: int | None = None) -> LessonStep:
        """Add a comment."""
        return self.add(LessonStep(comment=" ".join(text.split())), at)

    # ---------------------------------------------------------------- undo

    @contextmanager
    def one_change(self) -> Iterator[None]:
        """Combine all changes inside the block into one undo step. An error reverts them."""
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
        """Undo the last change; returns False if there is none."""
        return self._turn_back(self._past, self._future)

    def redo(self) -> bool:
        """Redo the last undone change; returns False if there is none."""
        return self._turn_back(self._future, self._past)

    @property
    def undoable(self) -> bool:
        """Whether there is a change to undo."""
        return bool(self._past)

    @property
    def redoable(self) -> bool:
        """Whether there is a change to redo."""
        return bool(self._future)

    # ---------------------------------------------------------------- as text, and in a cell

    def as_python(self, cell: "Cell | None" = None, *, named: bool = False) -> str:
        """Return the program in Python. It refers by name to points that are workpoints of the cell, and contains the
        others. With ``named``, it refers to all points by name, so they must become workpoints of the cell.
        """
        from drycell.teach.python_text import python_text

        return python_text(self, cell, named)

    def as_pascal(
        self, cell: "Cell", controller: str | None = None, start: Sequence[float] | None = None
    ) -> "PascalText":
        """Return the program in Pascal for an arm with five axes, and the steps that Pascal cannot express.

        ``start`` gives the joint values at the start of a run, if the arm has been jogged since.
        """
        from drycell.teach.pascal_text import pascal_text

        return pascal_text(self, cell, controller, start)

    def enter_points(self, cell: "Cell") -> None:
        """Add the taught points to a cell that is not running as workpoints, or replace those with their names."""
        for point in self.points.values():
            cell.world.workpoints.pop(point.name, None)
            if isinstance(cell.models.get(point.name), Workpoint):
                del cell.things[point.name], cell.models[point.name]
            cell.add(point.name, Workpoint(on=point.on, at=point.local))

    def enter(self, cell: "Cell", file: str | Path) -> None:
        """Write the program to a file (Pascal if its name ends in .pas, otherwise Python) and add it to the cell.

        A program in Pascal runs on the controller that moves the robot. The controller is added if there is none.
        """
        from drycell.teach.saving import enter

        enter(self, cell, Path(file))

    # ---------------------------------------------------------------- as a whole

    def become(self, other: "Lesson") -> None:
        """Replace the content with that of another lesson. This can also be undone."""
        self.name = other.name
        self._put(other._content)

    def hand_to(self, robot: str) -> None:
        """Assign the lesson to another robot, or to a renamed one."""
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
    """Add steps that pick a part at one point and place it at another.

    Args:
        lesson: the lesson.
        grasp: the point to grasp at.
        place: the point to place at.
        distance: approach and depart distance, in metres.
        speed: speed of the linear moves, in m/s.
    """
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
"""A lesson, step or point as plain data with units."""


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
        """Return the content of a lesson's file."""
        points = {name: PointSpec.of(point) for name, point in lesson.points.items()}
        return cls(lesson=lesson.name, robot=lesson.robot, points=points, steps=lesson.steps)

    def made(self) -> Lesson:
        """Return the lesson for editing."""
        return Lesson(self.lesson, self.robot, [spec.point(name) for name, spec in self.points.items()], self.steps)


def load_lesson(path: str | Path) -> Lesson:
    """Read a lesson from a YAML or JSON file. Raises FileError with all mistakes in it."""
    return read_lesson(read_text(Path(path)), str(path))


def read_lesson(text: str, file: str = _TEXT) -> Lesson:
    """Read a lesson from text. Raises FileError with all mistakes in it."""
    return read_thing(LessonFile, text, file).made()


def read_step(written: object) -> LessonStep:
    """Read a step from plain data, such as ``{"move": {"to": "grasp", "before": "80 mm"}}``."""
    return read_thing(LessonStep, json.dumps(written), "step")


def lesson_text(lesson: Lesson) -> str:
    """Return a lesson as YAML, which reads back as an equal lesson."""
    from drycell.base import block, inline

    data = lesson_data(lesson)
    steps = data.pop("steps", [])
    lines = [line for key, value in data.items() for line in block(key, value, 0, 1)]
    lines += ["steps:" if steps else "steps: []", *(f"  - {inline(step)}" for step in steps)]
    return "\n".join(lines) + "\n"


def save_lesson(lesson: Lesson, path: str | Path) -> None:
    """Write a lesson to a file, as JSON if its name ends with .json, otherwise as YAML."""
    text = lesson_text(lesson)
    if Path(path).suffix.lower() == ".json":
        text = json.dumps(lesson_data(lesson), indent=1, ensure_ascii=False) + "\n"
    with text_beside(path) as file:
        file.write(text)


def lesson_data(lesson: Lesson) -> LessonData:
    """Return a lesson as plain data, with the content of its file."""
    return plain(LessonFile.of(lesson))


def plain(value: LessonFile | LessonStep | PointSpec) -> LessonData:
    """Return a lesson, step or point as plain data with units, without defaults."""
    return cast(LessonData, OneOf(type(value)).write(value))
