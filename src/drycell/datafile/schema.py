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
            lists = [part for part in parts if typing.get_origin(part) is tuple]
            if len(parts) != 1 and len(lists) != 1:
                return annotation
            annotation = lists[0] if lists else parts[0]  # one thing or a list of them: a list
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
        return {written_name(name): kind for name, kind in field_types(inner).items()}.get(str(step))
    origin, args = typing.get_origin(inner), typing.get_args(inner)
    if origin is dict:
        return typing.cast(object, args[1])
    if origin is tuple and isinstance(step, int):
        return typing.cast(object, args[0] if args[-1] is Ellipsis else args[min(step, len(args) - 1)])
    if origin is tuple and args[-1] is Ellipsis:
        return element(args[0], step)  # written without brackets, being the only one
    return None


def written_name(name: str) -> str:
    """A field's name as files write it: ``from`` for a field that Python must call ``from_``."""
    return name.removesuffix("_")


def known_fields(annotation: object, path: FieldPath) -> list[str]:
    """The fields that a mapping down this path may have; none when any name may stand there."""
    found: object | None = annotation
    for step in path:
        found = element(found, step)
        if found is None:
            return []
    inner = bare(found)
    if typing.get_origin(inner) is tuple:  # written without brackets, being the only one
        inner = bare(typing.get_args(inner)[0])
    if not (isinstance(inner, type) and dataclasses.is_dataclass(inner)):
        return []
    return [written_name(name) for name in field_types(inner)]
