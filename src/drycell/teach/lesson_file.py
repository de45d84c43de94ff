"""Lesson files: a lesson as YAML or JSON with units, read with file, line and field in every message."""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, cast

from drycell.datafile import Node, read_text, read_tree, validated
from drycell.errors import FileError
from drycell.fields import JointValue, Name
from drycell.files import text_beside
from drycell.teach.lesson import Lesson
from drycell.teach.step import STRICT, Move, PointSpec, Step
from drycell.teach.surface import TaughtPoint
from drycell.units import render

# How the numbers of each field are written; a field not named here is no quantity.
_DIMENSIONS: Final = {
    "at": "length",
    "rpy": "angle",
    "back": "length",
    "before": "length",
    "wait": "time",
    "timeout": "time",
    "pulse": "time",
}
_TEXT: Final = "lesson"
LessonData = dict[str, Any]
"""A lesson, or a part of one, as its file says it."""


@dataclass(frozen=True, kw_only=True)
class LessonFile:
    """What a lesson file says."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    lesson: str
    robot: Name
    format: Literal[1] = 1
    points: dict[Name, PointSpec] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()


def load_lesson(path: str | Path) -> Lesson:
    """The lesson in a file, YAML or JSON."""
    return read_lesson(read_text(Path(path)), str(path))


def read_lesson(text: str, file: str = _TEXT) -> Lesson:
    """The lesson in a text, as if it stood in a file; all that is wrong with it comes in one error."""
    said = cast(LessonFile, _read(LessonFile, read_tree(text, file), file))
    points = [spec.point(name) for name, spec in said.points.items()]
    return Lesson(said.lesson, said.robot, points, said.steps)


def read_lesson_data(data: LessonData) -> Lesson:
    """The lesson in plain data, as :func:`lesson_data` gives it."""
    return read_lesson(json.dumps(data))


def read_point(name: str, data: LessonData) -> TaughtPoint:
    """A point from plain data, such as ``{"on": "block", "at": [0, 0, "20 mm"]}``."""
    return cast(PointSpec, _read(PointSpec, read_tree(json.dumps(data), name), name)).point(name)


def read_step(written: object) -> Step:
    """A step from plain data, such as ``{"move": {"to": "grasp", "before": "80 mm"}}``."""
    return cast(Step, _read(Step, read_tree(json.dumps(written), "step"), "step"))


def lesson_text(lesson: Lesson) -> str:
    """A lesson as YAML that reads back as the same lesson."""
    lines = [f"lesson: {_flow(lesson.name)}", f"robot: {_flow(lesson.robot)}"]
    if lesson.points:
        lines.append("points:")
        lines += [f"  {name}: {_flow(plain(PointSpec.of(point)))}" for name, point in lesson.points.items()]
    lines.append("steps:" if lesson.steps else "steps: []")
    lines += [f"  - {_flow(plain(step))}" for step in lesson.steps]
    return "\n".join(lines) + "\n"


def save_lesson(lesson: Lesson, path: str | Path) -> None:
    """Writes a lesson to a file, as JSON if its name says so, else as YAML; whole or not at all."""
    text = lesson_text(lesson)
    if Path(path).suffix.lower() == ".json":
        text = json.dumps(lesson_data(lesson), indent=1, ensure_ascii=False) + "\n"
    with text_beside(path) as file:
        file.write(text)


def lesson_data(lesson: Lesson) -> dict[str, object]:
    """A lesson as plain data: what its file says."""
    return {
        "lesson": lesson.name,
        "robot": lesson.robot,
        "points": {name: plain(PointSpec.of(point)) for name, point in lesson.points.items()},
        "steps": [plain(step) for step in lesson.steps],
    }


def plain(value: Step | PointSpec) -> dict[str, object]:
    """A step or a point as plain data with units, what is left at its default left out."""
    return _plain(value)


def _plain(value: object) -> dict[str, object]:
    found: dict[str, object] = {}
    for each in dataclasses.fields(value):  # type: ignore[arg-type]
        given = getattr(value, each.name)
        if given is None or given == each.default:
            continue
        found[each.name] = _written(value, each.name, given)
    return found


def _written(owner: object, name: str, given: object) -> object:
    if dataclasses.is_dataclass(given) and not isinstance(given, type | JointValue):
        return _plain(given)
    if name == "joints" and isinstance(given, tuple):
        return [_joint(value) for value in given]
    if name == "speed" and isinstance(owner, Move) and isinstance(given, int | float):
        return render(float(given), "speed") if owner.straight else f"{float(given) * 100:.10g} %"
    dimension = _DIMENSIONS.get(name)
    if dimension is None:
        return given
    if isinstance(given, tuple):
        return [_quantity(float(value), dimension) for value in given]
    return _quantity(float(given), dimension) if isinstance(given, int | float) else given


def _joint(value: JointValue) -> object:
    return 0 if value.dimension is None else render(value.value + 0.0, value.dimension)


def _quantity(value: float, dimension: str) -> object:
    return 0 if value == 0.0 else render(value, dimension)


def _flow(data: object) -> str:
    """Plain data on one line: JSON is YAML, and braces without quotes read better where that is safe."""
    if isinstance(data, dict):
        return "{" + ", ".join(f"{key}: {_flow(value)}" for key, value in data.items()) + "}"
    if isinstance(data, list):
        return "[" + ", ".join(map(_flow, data)) + "]"
    if isinstance(data, str):
        from drycell.robots.filetext import scalar

        return data if _is_quantity(data) else scalar(data)
    return json.dumps(data)


def _is_quantity(text: str) -> bool:
    """Whether a text is a number with a unit, which YAML takes as it is."""
    number, _, unit = text.partition(" ")
    try:
        float(number)
    except ValueError:
        return False
    return unit.replace("/", "").isalpha() or unit == "%"


def _read(kind: type, tree: Node, file: str) -> object:
    value, mistakes = validated(kind, tree)
    if mistakes:
        raise FileError.of(file, sorted(mistakes, key=lambda each: (each.line or 0, each.column or 0)))
    return value
