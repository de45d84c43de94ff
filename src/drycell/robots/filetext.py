"""Robot and family files as text: what :mod:`drycell.robots.description` reads, written with units, to the last bit."""

import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Final

from drycell.robots.description import FrameSpec, LinkSpec, PieceSpec, RobotFile, TableSpec
from drycell.robots.family import FamilyFile, ModelSpec
from drycell.robots.quantity import Amount
from drycell.units import inch, render

_PLAIN: Final = re.compile(r"[^\W\d][\w./-]*\Z")
_WORDS: Final = {"true", "false", "null"}
_WIDTH: Final = 116

# How each field's number is written; a field not named here is a length, or no quantity at all.
_DIMENSIONS: Final = {"rpy": "angle", "alpha": "angle", "theta": "angle", "ratio": "ratio"}
_AMOUNTS: Final = {
    "limits": ("angle", "length"),
    "speed": ("angular speed", "speed"),
    "acceleration": ("angular acceleration", "acceleration"),
    "jerk": ("angular jerk", "jerk"),
    "home": ("angle", "length"),
}


def family_text(family: FamilyFile, comment: str = "") -> str:
    """A family file that reads back as the same family."""
    lines = [*_head(comment, "family", family.family, family.title, family.source), "motors:"]
    lines += [f"  {scalar(name)}: {_flow(motor)}" for name, motor in family.motors.items()]
    if family.sensors:
        lines.append(f"sensors: [{', '.join(scalar(name) for name in family.sensors)}]")
    lines += ["nodes:", *(f"  {scalar(name)}: {_flow(node)}" for name, node in family.nodes.items())]
    lines += _tail(family.flange, family.frames, family.path_speed, family.cycle, family.home)
    lines += [f"default: {scalar(family.default)}", "models:"]
    for name, model in family.models.items():
        lines += [f"  {scalar(name)}:", *_model(model)]
    return "\n".join(lines) + "\n"


def robot_text(robot: RobotFile, comment: str = "") -> str:
    """A robot file that reads back as the same robot."""
    lines = [*_head(comment, "robot", robot.robot, robot.title, robot.source), "joints:"]
    lines += [f"  {scalar(name)}: {_flow(joint)}" for name, joint in robot.joints.items()]
    if robot.dh is not None:
        lines += _table(robot.dh)
    lines += _tail(robot.flange, robot.frames, robot.path_speed, robot.cycle, robot.home)
    if robot.base:
        lines += ["base:", *(f"  - {_flow(piece)}" for piece in robot.base)]
    lines.append("links:")
    for name, link in robot.links.items():
        lines += _link(name, link)
    return "\n".join(lines) + "\n"


def scalar(text: str) -> str:
    """A text as YAML reads it back: bare where it cannot be taken for anything else, else in quotes."""
    if _PLAIN.match(text) and text.lower() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=False)


def _head(comment: str, kind: str, name: str, title: str, source: str) -> list[str]:
    lines = [f"# {line}" for line in comment.splitlines()]
    lines.append(f"{kind}: {scalar(name)}")
    if title:
        lines.append(f"title: {json.dumps(title, ensure_ascii=False)}")
    words = " ".join(source.split())
    if len(words) <= _WIDTH - 10:
        return [*lines, f"source: {json.dumps(words, ensure_ascii=False)}"]
    return [*lines, "source: >", *(f"  {line}" for line in textwrap.wrap(words, _WIDTH, break_long_words=False))]


def _tail(
    flange: FrameSpec,
    frames: Mapping[str, FrameSpec],
    path_speed: float | None,
    cycle: float | None,
    home: Sequence[Amount],
) -> list[str]:
    lines = [f"flange: {_flow(flange)}"]
    if frames:
        lines += ["frames:", *(f"  {scalar(name)}: {_flow(frame)}" for name, frame in frames.items())]
    if path_speed is not None:
        lines.append(f"path_speed: {render(path_speed, 'speed')}")
    if cycle is not None:
        lines.append(f"cycle: {render(cycle, 'time')}")
    if home:
        lines.append(f"home: [{', '.join(_value('home', value) for value in home)}]")
    return lines


def _table(table: TableSpec) -> list[str]:
    return ["dh:", f"  convention: {table.convention}", "  rows:", *(f"    - {_flow(row)}" for row in table.rows)]


def _model(model: ModelSpec) -> list[str]:
    lines = []
    if model.base:
        lines += ["    base:", *(f"      - {_flow(piece)}" for piece in model.base)]
    lines.append("    nodes:")
    for name, pieces in model.nodes.items():
        lines += _pieces(f"      {scalar(name)}:", pieces, "        ")
    return lines


def _link(name: str, link: LinkSpec) -> list[str]:
    given = [each for each in ("on", "at", "rpy", "moves") if not _left_out(link, each)]
    lines = [f"    {each}: {_value(each, getattr(link, each))}" for each in given]
    shapes = _pieces("    shapes:", link.shapes, "      ") if link.shapes else []
    return [f"  {scalar(name)}:{'' if lines or shapes else ' {}'}", *lines, *shapes]


def _pieces(head: str, pieces: Sequence[PieceSpec], indent: str) -> list[str]:
    if not pieces:
        return [f"{head} []"]
    return [head, *(f"{indent}- {_flow(piece)}" for piece in pieces)]


def _flow(spec: object) -> str:
    """A small dataclass on one line, defaults left out."""
    given = [each.name for each in fields(spec) if not _left_out(spec, each.name)]  # type: ignore[arg-type]
    return "{" + ", ".join(f"{name}: {_value(name, getattr(spec, name))}" for name in given) + "}"


def _value(name: str, value: object) -> str:
    if isinstance(value, Amount):
        turning, sliding = _AMOUNTS[name]
        return _quantity(value.value, turning if value.turns else sliding)
    if isinstance(value, str):
        return scalar(value)
    if isinstance(value, float | int):
        return _quantity(float(value), _DIMENSIONS.get(name, "length"))
    if isinstance(value, tuple):
        return "[" + ", ".join(_value(name, item) for item in value) + "]"
    return _flow(value)


def _quantity(value: float, dimension: str) -> str:
    """A quantity with its unit; a length that was given in inches reads better in them than with sixteen digits."""
    text = render(value, dimension)
    inches = f"{value / inch:.12g}"
    return f"{inches} in" if dimension == "length" and len(text) > 14 and float(inches) * inch == value else text


def _left_out(spec: object, name: str) -> bool:
    """Whether a field has its default and need not be written."""
    field = next(each for each in fields(spec) if each.name == name)  # type: ignore[arg-type]
    return bool(getattr(spec, name) == field.default)
