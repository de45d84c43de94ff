"""Lesson files: a lesson as YAML or JSON with units, read with file, line and field in every message."""

import json
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final, Literal, cast

from drycell.base import Name, OneOf, Thing, read_text, read_thing, text_beside
from drycell.teach.lesson import Lesson
from drycell.teach.step import PointSpec, Step
from drycell.teach.surface import TaughtPoint

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
    steps: tuple[Step, ...] = ()
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


def read_step(written: object) -> Step:
    """A step from plain data, such as ``{"move": {"to": "grasp", "before": "80 mm"}}``."""
    return read_thing(Step, json.dumps(written), "step")


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


def plain(value: LessonFile | Step | PointSpec) -> LessonData:
    """A lesson, step or point as plain data with units, without what is at its default."""
    return cast(LessonData, OneOf(type(value)).write(value))
