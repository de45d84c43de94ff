"""The table of requests: what can be asked of a stage, each with its arguments checked before it is done."""

import inspect
import json
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from drycell.errors import DrycellError, FieldError, UnknownName
from drycell.studio.stage.wire import Json

if TYPE_CHECKING:
    from pydantic import BaseModel

    from drycell.studio.stage.theatre import Theatre

Reply = dict[str, Json] | tuple[dict[str, Json], bytes] | None
Handler = Callable[..., Reply]


class Request:
    """One thing that can be asked for; its keyword arguments are what JSON must bring."""

    def __init__(self, name: str, handler: Handler) -> None:
        self.name, self.handler = name, handler

    @cached_property
    def arguments(self) -> "type[BaseModel]":
        """What its arguments must look like; made when it is first asked for."""
        from pydantic import ConfigDict, create_model

        fields: dict[str, Any] = {}
        for parameter in list(inspect.signature(self.handler).parameters.values())[1:]:
            if parameter.kind is not parameter.KEYWORD_ONLY:
                raise DrycellError(f"request {self.name!r}: argument {parameter.name!r} must be given by keyword")
            kind = parameter.annotation
            if isinstance(kind, str):  # written so by `from __future__ import annotations`
                kind = eval(kind, getattr(self.handler, "__globals__", {}))
            fields[parameter.name] = (kind, ... if parameter.default is parameter.empty else parameter.default)
        strict = ConfigDict(extra="forbid", strict=True)
        made: type[BaseModel] = create_model(f"Request {self.name}", __config__=strict, **fields)
        return made

    def checked(self, given: dict[str, Json]) -> dict[str, Any]:
        """The arguments as the handler takes them; raises FieldError about the first that does not fit."""
        from pydantic import ValidationError

        try:
            # As JSON again: there a list may be meant for a tuple, while a text is never taken for a number.
            found = self.arguments.model_validate_json(json.dumps(given))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            raise FieldError(
                f"request {self.name!r}: {place}: {first['msg'].lower()}",
                hint=f"its arguments are {', '.join(self.arguments.model_fields) or 'none'}",
            ) from None
        return {name: getattr(found, name) for name in self.arguments.model_fields}


REQUESTS: Final[dict[str, Request]] = {}


def request(name: str) -> Callable[[Handler], Handler]:
    """Makes a function something that can be asked for: ``@request("seek")``.

    It gets the theatre, and what the request brings as keyword arguments; it returns what JSON can say, or that and
    bytes.
    """

    def enter(handler: Handler) -> Handler:
        if name in REQUESTS:
            raise DrycellError(f"there is a request {name!r} already", hint="give it another name")
        REQUESTS[name] = Request(name, handler)
        return handler

    return enter


def answered(theatre: "Theatre", name: str, given: dict[str, Json]) -> tuple[dict[str, Json], bytes]:
    """Does what is asked for."""
    found = REQUESTS.get(name)
    if found is None:
        raise UnknownName("request", name, REQUESTS)
    reply = found.handler(theatre, **found.checked(given))
    if isinstance(reply, tuple):
        return reply
    return ({} if reply is None else reply), b""
