"""The table of requests: what can be asked of a stage, each with its arguments checked before it is done."""

import inspect
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from drycell.base import DrycellError, FieldError, UnknownName
from drycell.studio.host.wire import Json

if TYPE_CHECKING:
    from drycell.studio.host.session import HostSession

Reply = dict[str, Json] | tuple[dict[str, Json], bytes] | None
Handler = Callable[..., Reply]


@dataclass(frozen=True)
class Within:
    """Limits of a number, or of the length of a text or list: ``Annotated[list[float], Within(3, 3)]``."""

    least: float | None = None
    most: float | None = None

    def check(self, value: Any, place: str) -> None:
        """Raises FieldError if a value is outside."""
        number = len(value) if isinstance(value, str | list) else value
        what = " items" if isinstance(value, list) else " characters" if isinstance(value, str) else ""
        if self.least is not None and not number >= self.least:
            raise FieldError(f"{place}: input should be at least {self.least:g}{what}")
        if self.most is not None and not number <= self.most:
            raise FieldError(f"{place}: input should be at most {self.most:g}{what}")


class Request:
    """One thing that can be asked for; its keyword arguments are what JSON must bring."""

    def __init__(self, name: str, handler: Handler) -> None:
        self.name, self.handler = name, handler

    @cached_property
    def arguments(self) -> dict[str, tuple[Any, Any]]:
        """The annotation and the default of each argument; looked up when it is first asked for."""
        found: dict[str, tuple[Any, Any]] = {}
        for parameter in list(inspect.signature(self.handler).parameters.values())[1:]:
            if parameter.kind is not parameter.KEYWORD_ONLY:
                raise DrycellError(f"request {self.name!r}: argument {parameter.name!r} must be given by keyword")
            kind = parameter.annotation
            if isinstance(kind, str):  # written so by `from __future__ import annotations`
                kind = eval(kind, getattr(self.handler, "__globals__", {}))
            found[parameter.name] = (kind, parameter.default)
        return found

    def checked(self, given: dict[str, Json]) -> dict[str, Any]:
        """The arguments as the handler takes them; raises FieldError about the first that does not fit."""
        found: dict[str, Any] = {}
        try:
            for name, (kind, default) in self.arguments.items():
                if name not in given and default is inspect.Parameter.empty:
                    raise FieldError(f"{name}: field required")
                found[name] = fitted(kind, given[name], name) if name in given else default
            for name in given:
                if name not in found:
                    raise FieldError(f"{name}: extra inputs are not permitted")
        except FieldError as error:
            hint = f"its arguments are {', '.join(self.arguments) or 'none'}"
            raise FieldError(f"request {self.name!r}: {error.what}", hint=hint) from None
        return found


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


def fitted(kind: Any, value: Any, place: str) -> Any:
    """A value from JSON as an annotation wants it: lists for tuples, but never a text for a number."""
    origin, args = typing.get_origin(kind) or kind, typing.get_args(kind)
    if kind is Any:
        return value
    if origin is Annotated:
        found = fitted(args[0], value, place)
        for mark in args[1:]:
            mark.check(found, place)
        return found
    if origin in (typing.Union, types.UnionType):
        return _first_fitting(args, value, place)
    if origin is Literal:
        if any(type(each) is type(value) and each == value for each in args):
            return value
        raise FieldError(f"{place}: input should be {' or '.join(map(repr, args))}")
    if origin is float and type(value) is int and abs(value) < 1e300:
        return float(value)
    if type(value) is not (list if origin is tuple else origin):
        raise FieldError(f"{place}: input should be {_WORDS[origin]}")
    if origin is list:
        return [fitted(args[0], item, f"{place}.{index}") for index, item in enumerate(value)]
    if origin is tuple:
        if len(value) != len(args):
            raise FieldError(f"{place}: input should be an array of {len(args)}, not {len(value)}")
        pairs = enumerate(zip(args, value, strict=True))
        return tuple(fitted(arg, item, f"{place}.{index}") for index, (arg, item) in pairs)
    if isinstance(value, dict):
        return {key: fitted(args[1], item, f"{place}.{key}") for key, item in value.items()}
    return value


def _first_fitting(kinds: tuple[Any, ...], value: Any, place: str) -> Any:
    refused: FieldError | None = None
    for kind in kinds:
        try:
            return fitted(kind, value, place)
        except FieldError as error:
            refused = refused or error
    raise refused or FieldError(f"{place}: nothing fits")


REQUESTS: Final[dict[str, Request]] = {}


def request(name: str) -> Callable[[Handler], Handler]:
    """Makes a function something that can be asked for: ``@request("seek")``.

    It gets the session, and what the request brings as keyword arguments; it returns what JSON can say, or that and
    bytes.
    """

    def enter(handler: Handler) -> Handler:
        if name in REQUESTS:
            raise DrycellError(f"there is a request {name!r} already", hint="give it another name")
        REQUESTS[name] = Request(name, handler)
        return handler

    return enter


def answered(session: "HostSession", name: str, given: dict[str, Json]) -> tuple[dict[str, Json], bytes]:
    """Does what is asked for."""
    found = REQUESTS.get(name)
    if found is None:
        raise UnknownName("request", name, REQUESTS)
    reply = found.handler(session, **found.checked(given))
    if isinstance(reply, tuple):
        return reply
    return ({} if reply is None else reply), b""
