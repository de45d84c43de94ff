"""Reading cell files: text to tree, tree to values, and every mistake with file, line and field."""

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from drycell.cell.file.model import CellFile, Origin, field_name
from drycell.cell.file.rules import broken_rules
from drycell.cell.file.schema import field_types, known_fields
from drycell.cell.file.section import registered_sections
from drycell.cell.file.tree import MOST_BYTES, Key, Node, read_tree
from drycell.errors import CellFileError, DrycellError, Mistake, did_you_mean
from drycell.fields import described

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

_WANTED = {
    "bool_type": ("true or false", "write true or false, without quotes"),
    "int_type": ("a whole number", "write for example 7"),
    "float_type": ("a number", "write for example 0.5"),
    "string_type": ("a text", "write a word, in quotes if it looks like a number"),
    "dict_type": ("a mapping of names", "write 'name: …' lines below it, or {} for none"),
    "dataclass_type": ("a mapping of fields", "write 'field: value' lines below it, or {} for all defaults"),
    "tuple_type": ("a list", "write for example [a, b], or [] for none"),
}


def load_cell_file(path: str | Path) -> CellFile:
    """The cell a file describes; a folder stands for the ``cell.yaml`` in it. Nothing in the file is executed."""
    path = Path(path)
    if path.is_dir():
        path = path / "cell.yaml"
    try:
        with path.open("rb") as file:
            data = file.read(4 * MOST_BYTES + 1)
    except FileNotFoundError:
        there = [each.name for each in path.parent.glob("*.yaml")] if path.parent.is_dir() else []
        raise CellFileError(f"there is no file {str(path)!r}", hint=did_you_mean(path.name, there)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CellFileError(f"{str(path)!r} cannot be read: {reason}", hint="check its name and rights") from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        mistake = Mistake("this is not UTF-8 text", line=line, hint="save the file as UTF-8")
        raise CellFileError.of(str(path), [mistake]) from error
    return read_cell_file(text, path)


def read_cell_file(text: str, path: str | Path = "cell.yaml") -> CellFile:
    """The cell a text describes, as if it stood in the file ``path``."""
    origin = Origin(Path(path), read_tree(text, str(path)))
    types = {name: kind for name, kind in field_types(CellFile).items() if name not in ("sections", "origin")}
    types |= {name: section.type for name, section in registered_sections().items()}
    mistakes: list[Mistake] = []
    values: dict[str, object] = {}
    if not isinstance(origin.tree.value, dict):
        what = f"a cell file is a mapping of fields, but this is {described(origin.tree.plain())}"
        raise CellFileError.of(
            str(path), [Mistake(what, line=1, column=1, hint="write 'name: …', 'bodies: …' and so on")]
        )
    for name, node in origin.tree.value.items():
        if name not in types:
            line, column = origin.tree.place_of((name,), key=True)
            mistakes.append(Mistake("there is no such field", name, line, column, did_you_mean(name, types)))
        elif node.value is not None:  # a section with nothing below it is as good as left out
            value, found = _validated(name, types[name], node, origin.tree)
            values[name] = value
            mistakes.extend(found)
    if not mistakes:
        sections = {name: values.pop(name) for name in registered_sections() if name in values}
        cell_file = CellFile(**values, sections=sections, origin=origin)  # type: ignore[arg-type]
        mistakes = broken_rules(cell_file)
        if not mistakes:
            return cell_file
    raise CellFileError.of(str(path), sorted(mistakes, key=lambda each: (each.line or 0, each.column or 0)))


def _validated(name: str, kind: object, node: Node, tree: Node) -> tuple[object, list[Mistake]]:
    from pydantic import ValidationError

    # As JSON, because strict pydantic then takes lists for tuples and mappings for dataclasses, and nothing else.
    data = json.dumps(node.plain())
    try:
        return _adapter(kind).validate_json(data, strict=True), []
    except ValidationError as error:
        return None, [_mistake(name, kind, details, tree) for details in error.errors(include_url=False)]


@lru_cache(maxsize=64)
def _adapter(kind: object) -> "TypeAdapter[object]":
    from pydantic import TypeAdapter

    return TypeAdapter(cast(type[object], kind))


def _mistake(name: str, kind: object, details: "ErrorDetails", tree: Node) -> Mistake:
    """What pydantic found, in drycell's words and at its place in the file."""
    steps = tuple(step for step in details["loc"] if step != "[key]")
    path: tuple[Key, ...] = (name, *steps)
    at_key = details["loc"][-1:] == ("[key]",) or details["type"] == "unexpected_keyword_argument"
    line, column = tree.place_of(path, key=at_key)
    return replace(_worded(kind, steps, details), field=field_name(path), line=line, column=column)


def _worded(kind: object, steps: tuple[Key, ...], details: "ErrorDetails") -> Mistake:
    problem, written = details["type"], details["input"]
    cause = details.get("ctx", {}).get("error")
    if isinstance(cause, DrycellError):
        return Mistake(cause.what, hint=cause.hint)
    if problem == "unexpected_keyword_argument":
        return Mistake("there is no such field", hint=did_you_mean(str(steps[-1]), known_fields(kind, steps[:-1])))
    if problem == "missing":
        return Mistake("this field must be given", hint=f"add '{steps[-1]}: …'")
    if problem == "literal_error":
        expected = details["ctx"]["expected"]
        return Mistake(f"{expected} is wanted, but this is {described(written)}", hint=f"write {expected}")
    if problem in _WANTED:
        wanted, hint = _WANTED[problem]
        return Mistake(f"{wanted} is wanted, but this is {described(written)}", hint=hint)
    return Mistake(f"{details['msg'][:1].lower()}{details['msg'][1:]}, but this is {described(written)}")
