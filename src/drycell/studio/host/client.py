"""The server's end of a host: a child process that is asked, listened to and, if need be, given up."""

import asyncio
import contextlib
import shutil
from collections.abc import Callable
from itertools import count
from typing import Any, Final, TypeVar

from drycell.base import DrycellError, FieldError
from drycell.studio.api.codec import Json, decode
from drycell.studio.api.errors import ErrorReport
from drycell.studio.api.events import EVENTS, HostEnded, HostReady
from drycell.studio.api.remote import remote_host
from drycell.studio.host.launch import Launched, launch
from drycell.studio.host.wire import Unpacker, WireError, WireMessage, packed

E = TypeVar("E")

_LAST_WORDS: Final = 8 << 10  # bytes of what a host that died has written to its standard error
_GRACE: Final = 2.0  # seconds for a host to end by itself
_LOOK: Final = 0.005  # seconds between two looks whether it has


class HostError(DrycellError):
    """The host could not do what was asked. ``report`` is the error as the host has reported it."""

    def __init__(self, report: ErrorReport) -> None:
        super().__init__(report.what, where=report.where, hint=report.hint)
        self.report = report


class HostGone(DrycellError):
    """The process of the host has ended."""


class HostClient:
    """One host process. ``HostClient.start()`` waits until everything is loaded, so that it opens things at once."""

    def __init__(
        self,
        launched: Launched,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        errors: asyncio.StreamReader,
    ) -> None:
        self._process = launched.process
        self._reader, self._writer, self._errors = reader, writer, errors
        self.folder = launched.folder
        """For its files; gone when it is."""
        self._numbers = count(1)
        self._asked: dict[int, asyncio.Future[tuple[Json, bytes]]] = {}
        self._listeners: dict[type, list[Callable[[Any], None]]] = {}
        self.host = remote_host(self.call)
        """What can be asked of it: ``await client.host.transport.run()``."""
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._fresh = asyncio.Event()
        self._credit = False
        self._last_words = bytearray()
        self.newest_frame = b""
        self.frame_number = 0
        self.gone: HostGone | None = None
        """Why it is no longer there."""
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._overhear())]

    @classmethod
    async def start(cls, launched: Launched | None = None) -> "HostClient":
        """A new host, as soon as it is ready; one that has been launched already, perhaps."""
        launched = launched or launch()
        try:
            reader, writer = await asyncio.open_unix_connection(sock=launched.wire)
            errors = asyncio.StreamReader()
            await asyncio.get_running_loop().connect_read_pipe(
                lambda: asyncio.StreamReaderProtocol(errors), launched.process.stderr
            )
        except BaseException:
            launched.give_up()
            raise
        client = cls(launched, reader, writer, errors)
        try:
            await client._ready
        except BaseException:
            await client.close()
            raise
        return client

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    async def call(self, name: str, arguments: dict[str, Json]) -> tuple[Json, bytes]:
        """Sends a call of a method, and waits for its result: JSON, and the bytes that came with it."""
        if self.gone is not None:
            raise self.gone
        number = next(self._numbers)
        message = packed({"id": number, "do": name, "with": arguments})
        self._asked[number] = asyncio.get_running_loop().create_future()
        try:
            self._send(message)
            return await self._asked[number]
        finally:
            self._asked.pop(number, None)

    def listen(self, event: type[E], callback: Callable[[E], None]) -> Callable[[], None]:
        """Calls back with every event of a class. Returns how to stop listening."""
        self._listeners.setdefault(event, []).append(callback)

        def stop() -> None:
            with contextlib.suppress(ValueError):
                self._listeners[event].remove(callback)

        return stop

    def want_frame(self) -> None:
        """Asks for one more frame: it comes as soon as there is anything new to see."""
        if not self._credit and self.gone is None:
            self._credit = True
            self._send(packed({"credit": 1}))

    async def next_frame(self, seen: int) -> tuple[int, bytes]:
        """The newest frame and its number, as soon as it is later than the one seen."""
        while self.frame_number == seen:
            if self.gone is not None:
                raise self.gone
            await self._fresh.wait()
        return self.frame_number, self.newest_frame

    async def close(self) -> None:
        """Ends it; one that does not end by itself is killed."""
        self._writer.close()
        try:
            await asyncio.wait_for(self._ended(), _GRACE)
        except TimeoutError:
            self.kill()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def kill(self) -> None:
        """Ends it at once."""
        self._process.kill()

    # ---------------------------------------------------------------- inside

    def _send(self, message: bytes) -> None:
        if not self._writer.is_closing():
            self._writer.write(message)

    async def _ended(self) -> int:
        """Its exit code, when it has one."""
        while (code := self._process.poll()) is None:
            await asyncio.sleep(_LOOK)
        return code

    async def _listen(self) -> None:
        unpacker, why = Unpacker(), ""
        try:
            with contextlib.suppress(ConnectionError):  # it has died with something unread
                while data := await self._reader.read(1 << 18):
                    for message in unpacker.feed(data):
                        self._take(message)
        except WireError as error:
            why = f": {error.what}"
            self.kill()
        code = await self._ended()
        self._writer.close()
        await asyncio.gather(self._tasks[1], return_exceptions=True)
        said = self._last_words.decode(errors="replace").strip()
        why = why or (f": {said.splitlines()[-1]}" if said else "")  # a traceback tells what it was in its last line
        self._end(
            HostGone(
                f"the stage has ended (code {code}){why}",
                where=said or None,
                hint="restart: the cell is built anew on another stage",
            )
        )

    def _take(self, message: WireMessage) -> None:
        head = message.head
        if "frame" in head:
            self.newest_frame, self.frame_number, self._credit = message.payload, int(head["frame"]), False
            self._wake()
        elif "event" in head:
            self._tell(_decode(EVENTS.get(str(head["event"])), head.get("data")))
        else:
            asked = self._asked.get(head.get("id", 0))
            if asked is None or asked.done():
                return  # whoever asked did not wait for it
            if "error" in head:
                asked.set_exception(HostError(_decode(ErrorReport, head["error"])))
            else:
                asked.set_result((head.get("data"), message.payload))

    def _tell(self, event: object) -> None:
        if isinstance(event, HostReady) and not self._ready.done():
            self._ready.set_result(None)
        for callback in tuple(self._listeners.get(type(event), ())):
            callback(event)

    def _wake(self) -> None:
        fresh, self._fresh = self._fresh, asyncio.Event()
        fresh.set()

    def _end(self, gone: HostGone) -> None:
        self.gone = gone
        shutil.rmtree(self.folder, ignore_errors=True)
        pending: list[asyncio.Future[Any]] = [self._ready, *self._asked.values()]
        for waiting in pending:
            if not waiting.done():
                waiting.set_exception(gone)
                waiting.exception()  # nobody may be waiting any more
        self._wake()
        self._tell(HostEnded(ErrorReport("HostGone", gone.what, gone.where, gone.hint)))

    async def _overhear(self) -> None:
        """Keeps the last of what it writes to its standard error: where it crashed, if it did."""
        while data := await self._errors.read(1 << 12):
            self._last_words += data
            del self._last_words[:-_LAST_WORDS]


def _decode(kind: Any, data: Json) -> Any:
    """What the host says unasked; WireError if the two ends do not understand each other."""
    try:
        return decode(kind, data, "message")
    except (FieldError, KeyError) as error:
        raise WireError(f"the host sent what is not {getattr(kind, '__name__', 'an event')}: {error}") from None
