"""Validation: plain data with places becomes values of a type, or mistakes in words, each with its place."""

import json
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, cast

from drycell.datafile.schema import known_fields
from drycell.datafile.tree import FieldPath, Node
from drycell.errors import DrycellError, Mistake, did_you_mean
from drycell.fields import described

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

_WANTED: Final = {
    "bool_type": ("true or false", "write true or false, without quotes"),
    "int_type": ("a whole number", "write for example 7"),
    "float_type": ("a number", "write for example 0.5"),
    "string_type": ("a text", "write a word, in quotes if it looks like a number"),
    "dict_type": ("a mapping of names", "write 'name: …' lines below it, or {} for none"),
    "dataclass_type": ("a mapping of fields", "write 'field: value' lines below it, or {} for all defaults"),
    "tuple_type": ("a list", "write for example [a, b], or [] for none"),
}

_NO_FIELDS: Final = ("[key]", "[one]", "[several]")


def validated(kind: object, node: Node, path: FieldPath = ()) -> tuple[object, list[Mistake]]:
    """The value of a node as its type says, or None and all mistakes below it. ``path`` is where the node stands.

    ``kind`` is a dataclass, a mapping or a tuple of them, with the types of :mod:`drycell.fields` in its fields.
    """
    from pydantic import ValidationError

    # As JSON, because strict pydantic then takes lists for tuples and mappings for dataclasses, and nothing else.
    data = json.dumps(node.plain())
    try:
        return _adapter(kind).validate_json(data, strict=True), []
    except ValidationError as error:
        return None, [_mistake(kind, node, path, details) for details in error.errors(include_url=False)]


def field_name(path: FieldPath) -> str:
    """A path of keys as people write it: ``bodies.table.at[0]``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


@lru_cache(maxsize=64)
def _adapter(kind: object) -> "TypeAdapter[object]":
    from pydantic import TypeAdapter

    return TypeAdapter(cast(type[object], kind))


def _mistake(kind: object, node: Node, path: FieldPath, details: "ErrorDetails") -> Mistake:
    """What pydantic found, in drycell's words and at its place in the file."""
    # Steps in brackets are no fields: a key itself, or which of several ways to write something was taken.
    steps: FieldPath = tuple(step for step in details["loc"] if step not in _NO_FIELDS)
    at_key = details["loc"][-1:] == ("[key]",) or details["type"] == "unexpected_keyword_argument"
    line, column = node.place_of(steps, key=at_key)
    return replace(_worded(kind, steps, details), field=field_name((*path, *steps)), line=line, column=column)


def _worded(kind: object, steps: FieldPath, details: "ErrorDetails") -> Mistake:
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
