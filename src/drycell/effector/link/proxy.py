"""A proxy between controlling programs and devices: it passes on every message, and checks the replies.

A controlling program in any language connects to the proxy as to a device. The proxy has a connection of its own to
each device for each program, and a :class:`Checker` sees all traffic. It changes no message.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from drycell.effector.checker import Checker, Inconsistency
from drycell.effector.link.channel import DeviceAddress
from drycell.effector.link.framing import GreetedDecoder, TextDecoder, encode, token_line
from drycell.effector.link.server import Listener
from drycell.effector.messages import (
    Answer,
    Code,
    Malformed,
    Message,
    MessageRefused,
    Refusal,
    Traffic,
    Vocabulary,
    Watcher,
)
from drycell.effector.messages.message import Event

_CHUNK: Final = 4096
_CONNECT_TIME: Final = 5.0  # seconds


@dataclass
class _Planner:
    """A controlling program, with its connections to the devices."""

    name: str
    writer: asyncio.StreamWriter
    devices: dict[DeviceAddress, asyncio.StreamWriter] = field(default_factory=dict)
    sent: list[tuple[str, int | None]] = field(default_factory=list)
    """The letters of the devices that were sent commands without an answer yet, with the numbers."""


class Proxy:
    """Listens at an address and connects each client to the devices.

    Args:
        address: where to listen. A TCP port of 0 takes a free one; see ``address`` afterwards.
        devices: where each device is, by its name in the vocabulary.
        vocabulary: the table of all messages.
        token: what clients must send first; needed to listen for other hosts.
        device_token: what the devices ask for.
        report: is called with each inconsistency.
        once: exit when the first client disconnects.
    """

    def __init__(
        self,
        address: DeviceAddress,
        devices: Mapping[str, DeviceAddress],
        vocabulary: Vocabulary,
        *,
        token: str = "",
        device_token: str = "",
        report: Callable[[Inconsistency], None] = lambda found: None,
        once: bool = False,
    ) -> None:
        self._vocabulary, self._token, self._device_token, self._once = vocabulary, token, device_token, once
        tables = [vocabulary.device(name) for name in devices]
        self._places = dict(zip((each.letter for each in tables), devices.values(), strict=True))
        self.checker = Checker(())
        self.checker.listeners.append(report)
        self._see: dict[str, list[Watcher]] = {
            table.letter: [self.checker.watcher(table.name, table)] for table in tables
        }
        self._listener = Listener(address, token)
        self._started = time.monotonic()
        self._clients = 0
        self._ended = asyncio.Event()

    @property
    def address(self) -> DeviceAddress:
        """Where it listens, with the real port."""
        return self._listener.address

    def watch(self, watcher: Watcher) -> None:
        """Call a function with all traffic."""
        for watchers in self._see.values():
            watchers.append(watcher)

    async def run(self) -> None:
        """Serve until the task is cancelled, or with ``once`` until the first client has left."""
        server = await asyncio.start_server(self._serve, sock=self._listener.socket)
        try:
            await self._ended.wait()
        finally:
            server.close()

    def close(self) -> None:
        """Stop listening, and remove the socket."""
        self._listener.close()

    # ---------------------------------------------------------------- one client

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients += 1
        planner = _Planner(f"planner {self._clients}", writer)
        tasks: list[asyncio.Task[None]] = []
        try:
            for place in dict.fromkeys(self._places.values()):
                tasks.append(asyncio.create_task(self._pass_back(planner, await self._connect(planner, place), place)))
            passing = asyncio.create_task(self._pass_on(planner, reader))
            tasks.append(passing)
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if passing.done() and planner.sent:  # it sends nothing more, but may wait for answers
                await asyncio.wait([each for each in tasks if each is not passing], timeout=_CONNECT_TIME)
        except OSError as error:
            refusal = Refusal(Code.GONE, f"a device cannot be reached: {(error.strerror or str(error)).lower()}")
            with suppress(OSError):
                await _send(writer, encode(refusal))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for each in (writer, *planner.devices.values()):
                each.close()
            if self._once:
                self._ended.set()

    async def _connect(self, planner: _Planner, place: DeviceAddress) -> asyncio.StreamReader:
        opening = (
            asyncio.open_unix_connection(place.path) if place.path else asyncio.open_connection(place.host, place.port)
        )
        reader, writer = await asyncio.wait_for(opening, _CONNECT_TIME)
        planner.devices[place] = writer
        if self._device_token:
            writer.write(token_line(self._device_token))
        return reader

    async def _pass_on(self, planner: _Planner, reader: asyncio.StreamReader) -> None:
        """Pass the commands of a client to the devices."""
        decoder = GreetedDecoder()
        trusted = not self._token
        while data := await reader.read(_CHUNK):
            for message in decoder.feed(data):
                if not trusted and decoder.token != self._token.encode():
                    await _send(planner.writer, encode(Refusal(Code.TOKEN, "no token, or a wrong one")))
                    return
                trusted = True
                await self._take(planner, message)

    async def _take(self, planner: _Planner, message: Answer | Malformed) -> None:
        try:
            if isinstance(message, Malformed):
                raise MessageRefused(message.refusal)
            if isinstance(message, Refusal):
                raise MessageRefused(Refusal(Code.WAY, "a refusal goes from a device to a program", message.sequence))
            self._vocabulary.check(message, "".join(self._places))
        except MessageRefused as error:
            await _send(planner.writer, encode(error.refusal))
            return
        planner.sent.append((message.destination, message.sequence))
        self._report(planner, message.destination, "sent", message)
        await _send(planner.devices[self._places[message.destination]], encode(message))

    async def _pass_back(self, planner: _Planner, reader: asyncio.StreamReader, place: DeviceAddress) -> None:
        """Pass the answers of a device to a client."""
        decoder = TextDecoder()
        while data := await reader.read(_CHUNK):
            for answer in decoder.feed(data):
                if isinstance(answer, Malformed):
                    continue  # not a device, or a defect of it: there is nothing to pass on
                letter = self._sender(planner, answer, place)
                if letter in self._see:
                    self._report(planner, letter, "delivered", answer)
                await _send(planner.writer, encode(answer))

    def _sender(self, planner: _Planner, answer: Answer, place: DeviceAddress) -> str:
        """The letter of the device that gives an answer. A refusal names its number only."""
        waiting = planner.sent
        if isinstance(answer, Message):
            entry = (answer.source, answer.sequence)
            if entry in waiting:
                waiting.remove(entry)
            return answer.source
        here = [each for each in waiting if self._places[each[0]] == place and each[1] == answer.sequence]
        if not here:
            return ""
        waiting.remove(here[-1])
        return here[-1][0]

    def _report(self, planner: _Planner, letter: str, event: Event, message: Answer) -> None:
        traffic = Traffic(time.monotonic() - self._started, planner.name, event, message)
        for watcher in self._see[letter]:
            watcher(traffic)


async def _send(writer: asyncio.StreamWriter, data: bytes) -> None:
    """Send bytes, and wait while the other end does not read."""
    with suppress(ConnectionError):
        writer.write(data)
        await writer.drain()
