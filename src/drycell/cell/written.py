"""The notation of values in cell files: types of fields, short forms, numbers with units, poses in their units."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from drycell.base import (
    DrycellError,
    Kinds,
    Node,
    OneOf,
    Path,
    Plain,
    Pose,
    Quantity,
    Thing,
    Type,
    UnitError,
    Vector,
    fields_of,
    parse,
)
from drycell.cell.head import Head
from drycell.cell.model import section_type

# Kept decimals: micrometres and ten-thousandths of a degree, or finer.
_DECIMALS: Final = {"mm": 3, "m": 6, "cm": 4, "in": 5, "um": 0, "deg": 4, "rad": 7}
_SAME: Final = 1e-9


# ---------------------------------------------------------------- fields


def type_at(kinds: Kinds, path: Path) -> Type | None:
    """The type of the value at a path of a cell file; None if the file has no such field."""
    if not path:
        return None
    own = {each.key: each.type for each in fields_of(Head)}
    found = section_type(kinds, str(path[0])) if path[0] in kinds.sections else own.get(str(path[0]))
    for step in path[1:]:
        found = None if found is None else found.part(step, kinds)
    return found


def in_text(root: Node, kinds: Kinds, path: Path) -> Path | None:
    """The path at which a field is actually written, which differs for short forms; None if it is not written.

    ``("shape", "box", "x")`` may be written as ``("shape", "box", 0)``, and ``("ignore", 0)`` as ``("ignore",)``.
    """
    node, place = root, list[str | int]()
    for count, step in enumerate(path):
        if isinstance(node.value, list) and isinstance(step, str):
            keys = short_keys(type_at(kinds, path[:count]))
            if step not in keys:
                return None
            step = keys.index(step)
        elif isinstance(node.value, dict) and isinstance(step, int):
            if step:
                return None
            continue
        elif not isinstance(node.value, dict | list):
            if node.value is None or (step != 0 and step not in short_keys(type_at(kinds, path[:count]))[:1]):
                return None
            continue
        inner = node.child(step)
        if inner is None:
            return None
        node = inner
        place.append(step)
    return tuple(place)


def spelled_out(root: Node, kinds: Kinds, path: Path) -> tuple[Path, dict[str, Plain]] | None:
    """The short form that hides a field: its path, and its fields by name; None if there is no such form."""
    for count in range(1, len(path)):
        place = in_text(root, kinds, path[:count])
        node = None if place is None else root.find(place)
        if place is None or node is None:
            return None
        keys = short_keys(type_at(kinds, path[:count]))
        if keys and node.value is not None and not isinstance(node.value, dict):
            items = node.value if isinstance(node.value, list) else [node]
            return place, {key: item.plain() for key, item in zip(keys, items, strict=False)}
    return None


def short_keys(kind: Type | None) -> list[str]:
    """The fields of a thing in the order of its short form; none if it has no short form."""
    if not isinstance(kind, OneOf) or not kind.base.meta.compact:
        return []
    only = kind.base.meta.compact
    return [only] if isinstance(only, str) else [each.key for each in fields_of(kind.base)]


def as_written(value: object, kind: Type | None, kinds: Kinds) -> Plain:
    """A value in the notation of a file: SI numbers get a unit, things become their fields, all else is unchanged."""
    if isinstance(value, Thing):
        return kind.write(value) if kind is not None else OneOf(type(value)).write(value)
    if isinstance(value, Mapping):
        return {
            str(key): as_written(item, None if kind is None else kind.part(str(key), kinds), kinds)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [
            as_written(item, None if kind is None else kind.part(index, kinds), kinds)
            for index, item in enumerate(value)
        ]
    if kind is None or isinstance(value, bool) or not isinstance(value, int | float):
        return str(value) if isinstance(value, str) else value
    if keys := short_keys(kind):
        return as_written(value, kind.part(keys[0], kinds), kinds)
    try:
        return kind.write(kind.check(value))
    except DrycellError:  # a number outside the limits: the reader reports it with its position
        return kind.write(value)


# ---------------------------------------------------------------- poses


def written_position(at: Vector, before: Sequence[object] | None = None) -> list[str | int]:
    """A position as a list of texts. Unchanged values keep their notation; z is omitted if it was before."""
    before = list(before or [])
    texts = [
        _written(value, _at(before, index), _unit(before, index, "mm"), "length") for index, value in enumerate(at)
    ]
    return texts[:2] if len(before) == 2 and abs(at[2]) < _SAME else texts


def written_turn(pose: Pose, before: Sequence[object] | None = None) -> list[str | int]:
    """Roll, pitch and yaw as a list of texts, in their old notation if the rotation has not changed."""
    before = list(before or [])
    if len(before) == 3:
        roll, pitch, yaw = (Quantity("angle").take(each) for each in before)
        old = Pose.of_rpy(roll, pitch, yaw)
        if old.distance_to(Pose.of_quaternion(pose.quaternion))[1] < 1e-7:
            return [each if isinstance(each, int) else str(each) for each in before]
    return [
        _written(value, _at(before, index), _unit(before, index, "deg"), "angle")
        for index, value in enumerate(pose.rpy)
    ]


def shifted_position(before: Sequence[object] | None, shift: Sequence[float]) -> list[str | int]:
    """A written position, shifted by x, y and z in metres."""
    before = list(before or [])
    at = [Quantity("length").take(each) for each in [*before, 0, 0, 0][:3]]
    x, y, z = (a + b for a, b in zip(at, [*shift, 0.0, 0.0, 0.0][:3], strict=True))
    return written_position((x, y, z), before)


def _at(before: Sequence[object], index: int) -> object | None:
    return before[index] if index < len(before) else None


def _written(value: float, before: object | None, unit: str, dimension: str) -> str | int:
    if before is not None:
        difference = value - Quantity(dimension).take(before)
        if dimension == "angle":
            difference = math.remainder(difference, 2 * math.pi)
        if abs(difference) < _SAME:
            return before if isinstance(before, int) else str(before)
    number = round(value / parse(f"1 {unit}", dimension), _DECIMALS[unit]) + 0.0
    text = f"{number:.{_DECIMALS[unit]}f}".rstrip("0").rstrip(".") if number % 1 else f"{number:.0f}"
    return f"{text} {unit}"


def _unit(before: Sequence[object], index: int, usual: str) -> str:
    """The unit of a written number; otherwise that of its neighbours; otherwise the usual one."""
    for each in (_at(before, index), *before):
        unit = str(each).strip().lstrip("+-0123456789.eE ").strip() if each is not None else ""
        try:
            if unit in _DECIMALS and parse(f"1 {unit}", "length" if usual == "mm" else "angle"):
                return unit
        except UnitError:
            continue
    return usual
