"""What the types of the format say: the fields a mapping may have, the marks on a type, what may be left out."""

import dataclasses
import types
import typing
from collections.abc import Mapping
from functools import cache

from drycell.datafile.tree import FieldPath, Key


@cache
def field_types(kind: type) -> Mapping[str, object]:
    """The fields of a dataclass with their full types, marks included."""
    hints = typing.get_type_hints(kind, include_extras=True)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def bare(annotation: object) -> object:
    """A type without its marks and without ``| None``."""
    while True:
        if typing.get_origin(annotation) is typing.Annotated:
            annotation = typing.get_args(annotation)[0]
        elif isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
            parts = [part for part in typing.get_args(annotation) if part is not type(None)]
            if len(parts) != 1:
                return annotation
            annotation = parts[0]
        else:
            return annotation


def marks(annotation: object) -> tuple[object, ...]:
    """The marks on a type, found under ``| None`` as well."""
    if typing.get_origin(annotation) is typing.Annotated:
        inner, *found = typing.get_args(annotation)
        return (*found, *marks(inner))
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        return tuple(mark for part in typing.get_args(annotation) for mark in marks(part))
    return ()


def element(annotation: object, step: Key) -> object | None:
    """The type of one field, entry or item of a value of this type; None when the type does not say."""
    inner = bare(annotation)
    if isinstance(inner, type) and dataclasses.is_dataclass(inner):
        return field_types(inner).get(str(step))
    origin, args = typing.get_origin(inner), typing.get_args(inner)
    if origin is dict:
        return typing.cast(object, args[1])
    if origin is tuple and isinstance(step, int):
        return typing.cast(object, args[0] if args[-1] is Ellipsis else args[min(step, len(args) - 1)])
    return None


def known_fields(annotation: object, path: FieldPath) -> list[str]:
    """The fields that a mapping down this path may have; none when any name may stand there."""
    found: object | None = annotation
    for step in path:
        found = element(found, step)
        if found is None:
            return []
    inner = bare(found)
    return list(field_types(inner)) if isinstance(inner, type) and dataclasses.is_dataclass(inner) else []
