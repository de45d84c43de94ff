"""Converts typed values to JSON and back: dataclasses, tuples and scalars, checked against their annotations."""

import dataclasses
import types
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from drycell.base import FieldError

if TYPE_CHECKING:
    from drycell.base import Pose

Json = Any
"""Any value that JSON can express."""

_SCALARS: Final = frozenset((bool, int, float, str, types.NoneType))
_WORDS: Final[dict[Any, str]] = {
    bool: "a valid boolean",
    int: "a valid integer",
    float: "a valid number",
    str: "a valid string",
    list: "a valid array",
    tuple: "a valid array",
    dict: "an object",
    types.NoneType: "null",
}


@dataclass(frozen=True)
class Within:
    """Limits for a number, or for the length of a text or array: ``Annotated[tuple[float, ...], Within(7, 7)]``."""

    least: float | None = None
    most: float | None = None

    def check(self, value: Any, place: str) -> None:
        """Raise FieldError if a value is outside the limits."""
        number = len(value) if isinstance(value, str | list | tuple) else value
        what = " items" if isinstance(value, list | tuple) else " characters" if isinstance(value, str) else ""
        if self.least is not None and not number >= self.least:
            raise FieldError(f"{place}: input should be at least {self.least:g}{what}")
        if self.most is not None and not number <= self.most:
            raise FieldError(f"{place}: input should be at most {self.most:g}{what}")


Tick = Annotated[int, Within(0, 10**15)]
"""A time in a run, in microseconds."""
Vector = tuple[float, float, float]
PoseData = Annotated[tuple[float, ...], Within(7, 7)]
"""A pose: x, y, z, qw, qx, qy, qz."""


def pose_data(pose: "Pose") -> PoseData:
    """A pose as the page uses it."""
    return (*pose.position, *pose.quaternion)


def pose_of(data: PoseData) -> "Pose":
    """The pose that ``pose_data`` has converted."""
    from drycell.base import Pose  # loads numpy, which the client does not need

    return Pose.of_quaternion(data[3:], data[:3])


def encode(value: Any, payload: list[bytes] | None = None) -> Json:
    """Convert a value to JSON. Bytes are appended to ``payload``: they are sent beside the JSON text."""
    if isinstance(value, bool | int | float | str | types.NoneType):
        return value
    if isinstance(value, list | tuple):
        plain = _SCALARS.issuperset(map(type, value))
        return list(value) if plain else [encode(each, payload) for each in value]
    if isinstance(value, dict):
        return {name: encode(each, payload) for name, each in value.items()}
    if isinstance(value, bytes) and payload is not None:
        payload.append(value)
        return len(value)
    kind: Any = type(value)
    names = _field_names(kind)
    return {name: encode(getattr(value, name), payload) for name in names}


def decode(kind: Any, value: Json, place: str, payload: bytes = b"") -> Any:
    """Convert a JSON value to the type of an annotation.

    Nothing is coerced: a text is not accepted as a number, nor 1 as True.

    Args:
        kind: The annotation.
        value: The JSON value.
        place: Where the value is, for error messages, such as ``"result of files.open"``.
        payload: The bytes that came with the message: the value of a field of type ``bytes``.

    Raises:
        FieldError: The value does not match the annotation or its limits.
    """
    origin, args = typing.get_origin(kind) or kind, typing.get_args(kind)
    if origin is Sequence:
        origin, args = tuple, (args[0], Ellipsis)
    if kind is Any:
        return value
    if origin is Annotated:
        found = decode(args[0], value, place, payload)
        for mark in args[1:]:
            if isinstance(mark, Within):
                mark.check(found, place)
        return found
    if origin in (typing.Union, types.UnionType):
        return _first_fitting(args, value, place, payload)
    if origin is Literal:
        if any(type(each) is type(value) and each == value for each in args):
            return value
        raise FieldError(f"{place}: input should be {' or '.join(map(repr, args))}")
    if origin is bytes:
        return payload
    if dataclasses.is_dataclass(origin):
        return _decode_dataclass(origin, value, place, payload)
    if origin is float and type(value) is int and abs(value) < 1e300:
        return float(value)
    if type(value) is not (list if origin is tuple else origin):
        raise FieldError(f"{place}: input should be {_WORDS.get(origin, 'another value')}")
    if origin is list or (origin is tuple and args[-1:] == (Ellipsis,)):
        return origin(_decode_items(args[0], value, place, payload))
    if origin is tuple:
        if len(value) != len(args):
            raise FieldError(f"{place}: input should be an array of {len(args)}, not {len(value)}")
        pairs = enumerate(zip(args, value, strict=True))
        return tuple(decode(arg, item, f"{place}.{index}", payload) for index, (arg, item) in pairs)
    if isinstance(value, dict):
        return {key: decode(args[1], item, f"{place}.{key}", payload) for key, item in value.items()}
    return value


def _decode_items(kind: Any, items: list[Json], place: str, payload: bytes) -> list[Any]:
    # Curves have tens of thousands of numbers: if none needs a conversion, their types are checked all at once.
    if _plain_types(kind).issuperset(map(type, items)):
        return items
    return [decode(kind, item, f"{place}.{index}", payload) for index, item in enumerate(items)]


def _decode_dataclass(kind: Any, value: Json, place: str, payload: bytes) -> Any:
    if type(value) is not dict:
        raise FieldError(f"{place}: input should be an object")
    found: dict[str, Any] = {}
    fields = _fields(kind)
    for name, (hint, required) in fields.items():
        if name in value:
            found[name] = decode(hint, value[name], f"{place}.{name}", payload)
        elif required:
            raise FieldError(f"{place}.{name}: field required")
    if len(found) != len(value):
        extra = next(name for name in value if name not in fields)
        raise FieldError(f"{place}.{extra}: extra inputs are not permitted")
    return kind(**found)


def _first_fitting(kinds: tuple[Any, ...], value: Json, place: str, payload: bytes) -> Any:
    refused: FieldError | None = None
    for kind in kinds:
        try:
            return decode(kind, value, place, payload)
        except FieldError as error:
            refused = refused or error
    raise refused or FieldError(f"{place}: no type matches")


@cache
def _plain_types(kind: Any) -> frozenset[type]:
    """The types that a scalar annotation accepts without conversion; none for other annotations."""
    if kind in _SCALARS:
        return frozenset((kind,))
    if typing.get_origin(kind) in (typing.Union, types.UnionType) and _SCALARS.issuperset(typing.get_args(kind)):
        return frozenset(typing.get_args(kind))
    return frozenset()


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in dataclasses.fields(kind))


@cache
def _fields(kind: Any) -> dict[str, tuple[Any, bool]]:
    """The annotation of each field of a dataclass, and whether the field is required."""
    hints = typing.get_type_hints(kind, include_extras=True)
    missing = dataclasses.MISSING
    return {
        each.name: (hints[each.name], each.default is missing and each.default_factory is missing)
        for each in dataclasses.fields(kind)
    }
