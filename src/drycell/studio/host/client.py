"""The server's end of a host process: sends calls, receives events and frames, and ends the process."""

import asyncio
import contextlib
import shutil
from collections.abc import Callable
from itertools import count
from typing import Any, Final, TypeVar

from drycell.base import DrycellError, FieldError
from drycell.studio.api.codec import Json, decode
from drycell.studio.api.errors import ErrorReport
from drycell.studio.api.events import EVENTS, Events, HostEnded, HostReady
from drycell.studio.api.remote import remote_host
from drycell.studio.host.launch import Launched, launch
from drycell.studio.host.wire import Unpacker, WireError, WireMessage, packed

E = TypeVar("E")

_STDERR_TAIL: Final = 8 << 10  # bytes of standard error that are kept for the error message
_GRACE: Final = 2.0  # seconds for a host to end by itself
_POLL: Final = 0.005  # seconds between two checks whether it has


class HostError(DrycellError):
    """A request failed in the host.

    ``report`` is the error as the host reported it, and ``scene`` what it showed then: a question about another scene
    was out of date.
    """

    def __init__(self, report: ErrorReport, scene: int) -> None:
        super().__init__(report.what, where=report.where, hint=report.hint)
        self.report, self.scene = report, scene


class HostGone(DrycellError):
    """The host process has ended."""


class HostClient:
    """A host process. ``HostClient.start()`` returns when the process has loaded everything."""

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
        """Folder for the files of the host; removed when the host ends."""
        self._numbers = count(1)
        self._asked: dict[int, asyncio.Future[tuple[Json, bytes]]] = {}
        self._events = Events()
        self.host = remote_host(self.call)
        """The API of the host: ``await client.host.transport.run()``."""
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._fresh = asyncio.Event()
        self._credit = False
        self._stderr_tail = bytearray()
        self.newest_frame = b""
        self.frame_number = 0
        self.gone: HostGone | None = None
        """Why the process has ended; None while it is alive."""
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._read_errors())]

    @classmethod
    async def start(cls, launched: Launched | None = None) -> "HostClient":
        """Start a host, or use one that has been launched, and wait until it is ready."""
        launched = launched or launch()
        try:
            reader, writer = await asyncio.open_unix_connection(sock=launched.wire)
            errors = asyncio.StreamReader()
            await asyncio.get_running_loop().connect_read_pipe(
                lambda: asyncio.StreamReaderProtocol(errors), launched.process.stderr
            )
        except BaseException:
            launched.kill()
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
        """The process id."""
        return self._process.pid

    async def call(self, name: str, arguments: dict[str, Json]) -> tuple[Json, bytes]:
        """Send a call and wait for its result: JSON, and the bytes that came with it."""
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
        """Call back at every event of a class. Returns a function that stops it."""
        return self._events.listen(event, callback)

    def want_frame(self) -> None:
        """Ask for one more frame. It is sent when something has changed."""
        if not self._credit and self.gone is None:
            self._credit = True
            self._send(packed({"credit": 1}))

    async def next_frame(self, seen: int) -> tuple[int, bytes]:
        """Wait for a frame later than number ``seen``. Returns its number and content."""
        while self.frame_number == seen:
            if self.gone is not None:
                raise self.gone
            await self._fresh.wait()
        return self.frame_number, self.newest_frame

    async def close(self) -> None:
        """End the process. It is killed if it does not end by itself."""
        self._writer.close()
        try:
            await asyncio.wait_for(self._ended(), _GRACE)
        except TimeoutError:
            self.kill()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def kill(self) -> None:
        """Kill the process."""
        self._process.kill()

    # ---------------------------------------------------------------- inside

    def _send(self, message: bytes) -> None:
        if not self._writer.is_closing():
            self._writer.write(message)

    async def _ended(self) -> int:
        """Wait for the exit code."""
        while (code := self._process.poll()) is None:
            await asyncio.sleep(_POLL)
        return code

    async def _listen(self) -> None:
        unpacker, why = Unpacker(), ""
        try:
            with contextlib.suppress(ConnectionError):  # the process died with unread data
                while data := await self._reader.read(1 << 18):
                    for message in unpacker.feed(data):
                        self._take(message)
        except WireError as error:
            why = f": {error.what}"
            self.kill()
        code = await self._ended()
        self._writer.close()
        await asyncio.gather(self._tasks[1], return_exceptions=True)
        printed = self._stderr_tail.decode(errors="replace").strip()
        why = why or (f": {printed.splitlines()[-1]}" if printed else "")  # a traceback ends with the error itself
        self._end(
            HostGone(
                f"the host process has ended (exit code {code}){why}",
                where=printed or None,
                hint="restart: the cell is then built in a new process",
            )
        )

    def _take(self, message: WireMessage) -> None:
        head = message.head
        if "frame" in head:
            self.newest_frame, self.frame_number, self._credit = message.payload, int(head["frame"]), False
            self._wake()
        elif "event" in head:
            self._emit(_decode(EVENTS.get(str(head["event"])), head.get("data")))
        else:
            asked = self._asked.get(head.get("id", 0))
            if asked is None or asked.done():
                return  # the caller has stopped waiting
            if "error" in head:
                asked.set_exception(HostError(_decode(ErrorReport, head["error"]), int(head.get("scene", 0))))
            else:
                asked.set_result((head.get("data"), message.payload))

    def _emit(self, event: object) -> None:
        if isinstance(event, HostReady) and not self._ready.done():
            self._ready.set_result(None)
        self._events.emit(event)

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
                waiting.exception()  # marks it as retrieved, in case nobody is waiting for it
        self._wake()
        self._emit(HostEnded(ErrorReport("HostGone", gone.what, gone.where, gone.hint)))

    async def _read_errors(self) -> None:
        """Keep the end of standard error: it shows where the process crashed."""
        while data := await self._errors.read(1 << 12):
            self._stderr_tail += data
            del self._stderr_tail[:-_STDERR_TAIL]


def _decode(kind: Any, data: Json) -> Any:
    """Decode an event or an error. Raises WireError if the two ends do not understand each other."""
    try:
        return decode(kind, data, "message")
    except (FieldError, KeyError) as error:
        raise WireError(
            f"the host sent something that is not {getattr(kind, '__name__', 'an event')}: {error}"
        ) from None
