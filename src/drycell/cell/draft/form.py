"""Forms: the fields of an entry as a page can offer them, found from the types that cell files are read with."""

import dataclasses
import types
import typing
from dataclasses import dataclass
from typing import Any, Final, Literal

from drycell.cell.draft.field_help import HELP
from drycell.cell.draft.sheet import type_at
from drycell.datafile import FieldPath, element, field_types, marks, written_name
from drycell.datafile.schema import bare
from drycell.fields import Data, FileNaming, Measure, Naming, OneOrMore, Quantity, Several
from drycell.units import DIMENSIONS, render

Kind = Literal["quantity", "vector", "boolean", "integer", "number", "choice", "name", "file", "text", "group", "data"]

# What a name in a field is a name of.
_NAMES: Final = {
    "on": "body", "parent": "body", "material": "material", "gripper": "gripper", "robot": "robot",
    "controller": "controller", "ignore": "body",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Field:
    """One field: of which kind, what may be written in it, what it is if left out, and what it means."""

    name: str
    kind: Kind
    required: bool
    default: str
    help: str
    example: str = ""
    choices: tuple[str, ...] = ()
    names: str = ""
    """Of what a name must be: body, material, gripper, robot, controller, model."""
    count: int = 0
    """How many values a vector has."""


def fields_at(path: FieldPath) -> list[Field]:
    """The fields that an entry, or a group inside one, may have: ``fields_at(("bodies", "table"))``."""
    return fields_of(type_at(path), section=str(path[0]))


def fields_of(kind: object, *, section: str = "") -> list[Field]:
    """The fields of a type; none if it is no group."""
    inner = bare(kind)
    if not (isinstance(inner, type) and dataclasses.is_dataclass(inner)):
        return []
    known = field_types(inner)
    return [_field(each, known[each.name], inner.__name__, section) for each in dataclasses.fields(inner)]


def group_at(path: FieldPath) -> bool:
    """Whether fields stand below a field."""
    return bool(fields_at(path))


def _field(field: "dataclasses.Field[Any]", kind: object, owner: str, section: str) -> Field:
    name = written_name(field.name)
    required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    found, example, count = _kind(kind)
    names = _NAMES.get(name, "") if found in ("name", "data") else ""
    if name == "model" and found == "name":
        names = "sensor" if section == "sensors" else "robot model" if section == "robots" else "mechanism"
    if name == "controller" and section == "robots":
        names = ""
    if found == "file" and section == "robots":
        example = "arm.urdf"
    choices = tuple(str(each) for each in typing.get_args(bare(kind))) if found == "choice" else ()
    default = "" if required else _default(field, kind)
    owner = "SensorSpec" if owner == "SensorModel" else owner  # the one takes its fields from the other
    told = HELP.get((owner, name)) or HELP.get(("", name), "")
    return Field(name, found, required, default, told, example, choices, names, count)


def _kind(kind: object) -> tuple[Kind, str, int]:
    """Of which kind a field is, an example of what is written in it, and how many values it has."""
    found = marks(kind)
    several = next((mark for mark in found if isinstance(mark, Several)), None)
    if several is not None:
        simple = all(isinstance(mark, Quantity) for mark in marks(element(kind, 0)))
        return ("vector" if simple and marks(element(kind, 0)) else "data"), several.example, several.count
    inner = bare(kind)
    if any(isinstance(mark, OneOrMore) for mark in found) or typing.get_origin(inner) in (tuple, dict):
        return "data", "", 0
    for mark in found:
        if isinstance(mark, Quantity):
            return "quantity", DIMENSIONS[mark.dimension][1], 0
        if isinstance(mark, Measure):
            return "quantity", DIMENSIONS[mark.dimensions[0]][1], 0
        if isinstance(mark, FileNaming):
            return "file", "tend.py", 0
        if isinstance(mark, Naming):
            return "name", "", 0
        if isinstance(mark, Data):
            return "data", "", 0
    if typing.get_origin(inner) is Literal:
        return "choice", "", 0
    plain: dict[object, Kind] = {bool: "boolean", int: "integer", float: "number", str: "text"}
    if inner in plain:
        return plain[inner], "", 0
    if isinstance(inner, type) and dataclasses.is_dataclass(inner):
        return "group", "", 0
    return "data", "", 0


def _default(field: "dataclasses.Field[Any]", kind: object) -> str:
    value = field.default if field.default is not dataclasses.MISSING else None
    if value is None or isinstance(kind, types.NoneType):
        return ""
    quantity = next((mark for mark in marks(kind) if isinstance(mark, Quantity)), None)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float | int) and quantity is not None:
        return render(float(value), quantity.dimension)
    if isinstance(value, tuple):
        return "[" + ", ".join(f"{each:g}" if isinstance(each, float) else str(each) for each in value) + "]"
    return str(value)
