"""Looks in a recording: parts and channels as plain data. What is read is checked, so that no file can ask for a solid
of a billion corners."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, Final, Literal, cast, get_args

from drycell.base import DrycellError, RecordingError
from drycell.geometry import Shape
from drycell.looks import (
    Channel,
    ChannelKind,
    Course,
    FixedValue,
    InState,
    Look,
    LookPart,
    SignalValue,
    Solid,
    Source,
    TimeInState,
    ink,
    look_material,
)
from drycell.recording.container import DocumentNode, Json, json_number, json_numbers

_FARTHEST: Final = 1e3  # metres
_MOST: Final = 4096  # parts of a look, and points of a solid
_FINEST: Final = 256  # sides, and points of a section

# What the numbers of each form are: a length or an angle, a count, a flag, an axis, or (nested) points.
_Kind = Literal["number", "count", "flag", "axis", "points", "loops"]
_FORMS: Final[dict[str, tuple[_Kind, ...]]] = {
    "box": ("number",) * 4,
    "revolve": ("points", "number", "count", "number"),
    "extrude": ("loops", "number", "number"),
    "loft": ("points", "axis", "count", "number", "flag"),
    "shell": ("number",) * 7,
    "sweep": ("points", "number", "count", "count"),
    "belt": ("number",) * 4,
    "panel": ("number", "number", "flag"),
    "own": (),
}


def look_data(look: Look, shape_number: Callable[[Shape], int]) -> Json:
    """Return a look as plain data.

    Args:
        look: The look.
        shape_number: Returns the number of a shape in the recording, for parts that show the facets of one.
    """
    return {
        "parts": [_part_data(part, shape_number) for part in look.parts],
        "channels": {name: _channel_data(channel) for name, channel in look.channels.items()},
    }


def look_from(node: DocumentNode, shapes: Sequence[Shape]) -> Look:
    """Read a look from plain data.

    Args:
        node: The data.
        shapes: The shapes of the recording.

    Raises:
        RecordingError: The data is not a look.
    """
    listed = list(node["parts"])
    if len(listed) > _MOST:
        raise node["parts"].wrong(f"at most {_MOST} parts")
    channels = {name: _channel_from(each) for name, each in node["channels"].items()}
    parts = tuple(_part_from(each, shapes) for each in listed)
    for part, each in zip(parts, listed, strict=True):
        if part.channel is not None and part.channel not in channels:
            raise each["channel"].wrong("the name of a channel")
    return Look(parts, channels)


def _part_data(part: LookPart, shape_number: Callable[[Shape], int]) -> Json:
    form, numbers = part.solid
    solid: Json = [shape_number(numbers[0])] if form == "facets" else _plain(numbers)
    return {
        "form": form,
        "numbers": solid,
        "pose": json_numbers(part.pose.rows),
        "material": part.material,
        "tint": part.tint,
        "channel": part.channel,
        "shade": part.shade,
    }


def _plain(value: Any) -> Json:
    return [_plain(each) for each in value] if isinstance(value, tuple) else cast(Json, value)


def _part_from(node: DocumentNode, shapes: Sequence[Shape]) -> LookPart:
    try:
        material = node["material"].text
        look_material(material)
        tint = None if node["tint"].empty else ink(node["tint"].text)
    except DrycellError as error:
        raise RecordingError(f"{node.way!r}: {error.what}", hint=error.hint) from error
    shade = node["shade"].number
    if not 0.0 <= shade <= 1.0:
        raise node["shade"].wrong("a number of 0…1")
    channel = None if node["channel"].empty else node["channel"].text
    return LookPart(_solid_from(node, shapes), node["pose"].pose, material, tint, channel, shade)


def _solid_from(node: DocumentNode, shapes: Sequence[Shape]) -> Solid:
    form, numbers = node["form"].text, list(node["numbers"])
    if form == "facets" and len(numbers) == 1:
        return Solid(form, (shapes[numbers[0].integer(0, len(shapes))],))
    kinds = _FORMS.get(form)
    if kinds is None:
        raise node["form"].wrong(f"one of facets, {', '.join(_FORMS)}")
    if len(numbers) != len(kinds):
        raise node["numbers"].wrong(f"{len(kinds)} values")
    return Solid(form, tuple(_READ[kind](each) for kind, each in zip(kinds, numbers, strict=True)))


def _number(node: DocumentNode) -> float:
    value = node.number
    if not abs(value) <= _FARTHEST:
        raise node.wrong(f"a number of -{_FARTHEST:g}…{_FARTHEST:g}")
    return value


def _axis(node: DocumentNode) -> str:
    if node.text not in ("x", "y", "z"):
        raise node.wrong("x, y or z")
    return node.text


def _points(node: DocumentNode) -> tuple[tuple[float, ...], ...]:
    listed = list(node)
    if not 2 <= len(listed) <= _MOST:
        raise node.wrong(f"2 to {_MOST} points")
    return tuple(tuple(_number(value) for value in each) for each in listed)


def _loops(node: DocumentNode) -> tuple[tuple[tuple[float, ...], ...], ...]:
    return tuple(_points(each) for each in node)


_READ: Final[dict[str, Callable[[DocumentNode], Any]]] = {
    "number": _number,
    "count": lambda node: node.integer(0, _FINEST + 1),
    "flag": lambda node: node.flag,
    "axis": _axis,
    "points": _points,
    "loops": _loops,
}


def _channel_data(channel: Channel) -> Json:
    source = {each.name: _plain(getattr(channel.source, each.name)) for each in fields(channel.source)}
    return {
        "kind": channel.kind,
        "source": {"is": type(channel.source).__name__, **source},
        "axis": json_numbers(channel.axis),
        "pivot": json_numbers(channel.pivot),
        "scale": json_number(channel.scale),
        "vector": json_numbers(channel.vector),
        "off": channel.off,
        "on": channel.on,
    }


def _channel_from(node: DocumentNode) -> Channel:
    kind = node["kind"].text
    if kind not in get_args(ChannelKind):
        raise node["kind"].wrong(f"one of {', '.join(get_args(ChannelKind))}")
    return Channel(
        cast(ChannelKind, kind),
        _source_from(node["source"]),
        node["axis"].vector,
        node["pivot"].vector,
        node["scale"].number,
        node["vector"].vector,
        ink(node["off"].text),
        ink(node["on"].text),
    )


def _source_from(node: DocumentNode) -> Source:
    match node["is"].text:
        case "Course":
            return Course(node["name"].text)
        case "FixedValue":
            return FixedValue(node["value"].number)
        case "InState":
            return InState(tuple(each.text for each in node["states"]))
        case "TimeInState":
            return TimeInState(tuple(each.text for each in node["states"]), node["rate"].number)
        case "SignalValue":
            return SignalValue(node["signal"].text, None if node["rest"].empty else node["rest"].number)
        case _:
            raise node["is"].wrong("Course, FixedValue, InState, SignalValue or TimeInState")
