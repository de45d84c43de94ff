"""Remote calls: a proxy for the host's API that sends each call, and ``answer``, which executes it in the host. The
signature of a method determines how its arguments and result are encoded.
"""

import inspect
import typing
from abc import ABCMeta
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from functools import cache
from types import FunctionType
from typing import Any, TypeVar, cast

from drycell.base import DrycellError, FieldError, UnknownName
from drycell.studio.api.building import BuildingApi
from drycell.studio.api.codec import Json, decode, encode
from drycell.studio.api.debugging import DebuggingApi
from drycell.studio.api.emula import EmulaApi
from drycell.studio.api.files import FilesApi
from drycell.studio.api.journal import JournalApi
from drycell.studio.api.problems import ProblemsApi
from drycell.studio.api.scene import SceneApi
from drycell.studio.api.signals import SignalsApi
from drycell.studio.api.tables import TablesApi
from drycell.studio.api.teaching import TeachingApi
from drycell.studio.api.transport import TransportApi

T = TypeVar("T")
Send = Callable[[str, dict[str, Json]], Awaitable[tuple[Json, bytes]]]
"""Sends a call by name, with its arguments as JSON. Returns the result as JSON, and the bytes that came with it."""


@dataclass(frozen=True)
class HostApi:
    """The API of a host, by topic: ``await host.transport.run()``."""

    files: FilesApi
    transport: TransportApi
    scene: SceneApi
    signals: SignalsApi
    journal: JournalApi
    tables: TablesApi
    problems: ProblemsApi
    debugging: DebuggingApi
    teaching: TeachingApi
    building: BuildingApi
    emula: EmulaApi


class Method:
    """A method that can be called remotely."""

    def __init__(self, name: str, function: FunctionType) -> None:
        self.name = name
        self._signature = inspect.signature(function)
        self._hints = typing.get_type_hints(function, include_extras=True)

    @property
    def arguments(self) -> dict[str, Any]:
        """The annotation of each argument."""
        return {name: self._hints[name] for name in self._signature.parameters if name != "self"}

    def encode_arguments(self, *args: Any, **kwargs: Any) -> dict[str, Json]:
        """Convert the arguments of a call to JSON. Omitted arguments stay omitted."""
        given = self._signature.bind(None, *args, **kwargs).arguments
        return {name: encode(value) for name, value in given.items() if name != "self"}

    def decode_arguments(self, given: dict[str, Json]) -> dict[str, Any]:
        """Convert arguments from JSON. Raises FieldError for the first that does not match its annotation."""
        found: dict[str, Any] = {}
        arguments = self.arguments
        try:
            for name, kind in arguments.items():
                if name in given:
                    found[name] = decode(kind, given[name], name)
                elif self._signature.parameters[name].default is inspect.Parameter.empty:
                    raise FieldError(f"{name}: field required")
            for name in given:
                if name not in arguments:
                    raise FieldError(f"{name}: extra inputs are not permitted")
        except FieldError as error:
            hint = f"its arguments are {', '.join(arguments) or 'none'}"
            raise FieldError(f"request {self.name!r}: {error.what}", hint=hint) from None
        return found

    def decode_result(self, data: Json, payload: bytes) -> Any:
        """Convert the result of a call from JSON."""
        return decode(self._hints["return"], data, f"result of {self.name}", payload)


@cache
def methods(topic: str) -> dict[str, Method]:
    """The methods of a topic of :class:`HostApi`, by name."""
    api = _topics()[topic]
    return {
        name: Method(f"{topic}.{name}", function)
        for name, function in vars(api).items()
        if isinstance(function, FunctionType) and not name.startswith("_")
    }


@cache
def _topics() -> dict[str, type]:
    return typing.get_type_hints(HostApi)


def remote_host(send: Send) -> HostApi:
    """The API of a host in another process: each method sends the call and returns the result."""
    return HostApi(**{topic: _remote(topic, api, send) for topic, api in _topics().items()})


def _remote(topic: str, api: type[T], send: Send) -> T:
    def proxy(name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        async def call(_: T, *args: Any, **kwargs: Any) -> Any:
            method = methods(topic)[name]
            data, payload = await send(method.name, method.encode_arguments(*args, **kwargs))
            return method.decode_result(data, payload)

        return call

    names = [name for name, each in vars(api).items() if isinstance(each, FunctionType)]
    made: Any = ABCMeta(f"Remote{api.__name__}", (api,), {name: proxy(name) for name in names})
    return cast(T, made())


def answer(host: HostApi, name: str, given: dict[str, Json]) -> tuple[Json, bytes]:
    """Carry out a call in the host. Returns the result as JSON, and the bytes that go with it."""
    topic, _, what = name.partition(".")
    method = methods(topic).get(what) if topic in _topics() else None
    if method is None:
        raise UnknownName("request", name, [each.name for known in _topics() for each in methods(known).values()])
    result = _finish(getattr(getattr(host, topic), what)(**method.decode_arguments(given)))
    payload: list[bytes] = []
    data = encode(result, payload)
    return data, b"".join(payload)


def _finish(call: Coroutine[Any, Any, T]) -> T:
    """Run a method of the host to its end. It is asynchronous only because the server awaits its result."""
    try:
        call.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    call.close()
    raise DrycellError("a method of the host must not await anything")
