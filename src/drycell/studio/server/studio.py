"""What all browsers share: the host and its spare, what is open, the last known state, meshes, and who steers."""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

from drycell.base import DrycellError, FileError
from drycell.studio.api.codec import Json
from drycell.studio.api.errors import ErrorReport
from drycell.studio.api.events import EVENTS, HostEnded
from drycell.studio.api.remote import HostApi, remote_host
from drycell.studio.api.scene import Tree
from drycell.studio.api.transport import Status
from drycell.studio.host.client import HostClient, HostError, HostGone
from drycell.studio.host.launch import Launched
from drycell.studio.server.control import Control
from drycell.studio.server.events import Events, HostReplaced, Stop
from drycell.studio.server.frames import Frames
from drycell.studio.server.memory import Memory
from drycell.studio.server.places import openable
from drycell.studio.workspace import Workspace

_KEPT: Final = 256_000_000  # bytes
E = TypeVar("E")
_SPARE_AFTER = 2.0  # seconds: what was just opened has the processor for itself first


class Meshes:
    """The bytes of meshes by key; the least used are forgotten when they are too many."""

    def __init__(self, limit: int = _KEPT) -> None:
        self._limit = limit
        self._size = 0
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    async def get(self, key: str, fetch: Callable[[], Awaitable[bytes]]) -> bytes:
        """The mesh of this key, fetched the first time."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        mesh = await fetch()
        if key not in self._kept:
            self._kept[key] = mesh
            self._size += len(mesh)
        while self._size > self._limit:
            _, dropped = self._kept.popitem(last=False)
            self._size -= len(dropped)
        return mesh


@dataclass(frozen=True)
class OpenRequest:
    """What was opened, so that it can be opened again: a path, EMULA's console (on the cell of a path), or nothing."""

    path: str | None = None
    seed: int | None = None
    emula: bool = False

    async def send(self, host: HostApi) -> None:
        """Has a host open it."""
        if self.emula:
            await host.emula.begin(cell=self.path, seed=self.seed)
        elif self.path is not None:
            await host.files.open(self.path, seed=self.seed)
        else:
            await host.files.close()


class Studio:
    """One per server process. A new host takes the place of the old at every opening and restart; listeners stay."""

    def __init__(self, memory: Memory | None = None, *, launched: Launched | None = None, spares: bool = True) -> None:
        self.events = Events()
        self.control = Control(self.events)
        self.memory = Memory() if memory is None else memory
        self.meshes = Meshes()
        self.frames = Frames()
        self.workspace = Workspace()
        self.path: Path | None = None
        self.opened: OpenRequest | None = None
        self._failure: ErrorReport | None = None  # why what was to be opened could not be
        self.client: HostClient | None = None
        self.host = remote_host(self._call)
        """What can be asked of whatever host is current."""
        self.latest = Status()
        self.tree = Tree()
        self._launched = launched  # the first host, on its way
        self._spares = spares  # whether the next host is started ahead of time
        self._spare: asyncio.Task[HostClient] | None = None
        self._passed_on: set[type] = {Status, HostEnded}
        self._changing = asyncio.Lock()
        self._closed = False
        self._ends: set[asyncio.Task[None]] = set()  # of hosts given up
        self._tree_wanted: asyncio.Task[None] | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing is open, so that there is nothing to see."""
        return self.path is None and (self.opened is None or self.opened == OpenRequest())

    def listen(self, event: type[E], callback: Callable[[E], None]) -> Stop:
        """Calls back at an event of whatever host is current, or of the studio itself."""
        if event.__name__ in EVENTS and event not in self._passed_on:
            self._passed_on.add(event)
            if self.client is not None:
                self._pass_on(self.client, event)
        return self.events.listen(event, callback)

    async def _call(self, name: str, arguments: dict[str, Json]) -> tuple[Json, bytes]:
        if self.client is None:
            raise HostGone("nothing is on stage yet", hint="wait a moment, or open a cell or a recording")
        return await self.client.call(name, arguments)

    async def mesh(self, key: str) -> bytes:
        """A mesh by its key, for the browser."""
        return await self.meshes.get(key, lambda: self.host.scene.mesh(key))

    async def begin(self, path: Path | None) -> None:
        """Starts the first host, and opens what the command named; a mistake in it is shown on the page."""
        self.warm()
        if path is not None:
            with contextlib.suppress(DrycellError):
                await self.open(path)

    def warm(self) -> None:
        """Starts a spare host, unless there is one."""
        if self._spare is None and not self._closed:
            launched, self._launched = self._launched, None
            self._spare = asyncio.create_task(HostClient.start(launched))

    async def open(self, path: str | Path, seed: int | None = None) -> None:
        """Opens a cell or a recording in a new host. A file with mistakes is open as well: it is there to be mended."""
        found = openable(path)
        self.path = found
        self.workspace.open(found)
        self.memory.opened(found)
        await self._open(OpenRequest(str(found), seed))

    async def open_emula(self, cell: Path | None = None) -> None:
        """Opens EMULA's work station in a new host, or another cell for its console to drive."""
        await self._open(OpenRequest(None if cell is None else str(cell), 0, emula=True))

    async def clear(self) -> None:
        """Nothing is open any more: browsers show the start page."""
        self.path = None
        await self._open(OpenRequest())

    async def restart(self, seed: int | None = None) -> None:
        """The same once more from its beginning, in a new host, with the break points of before."""
        if self.opened is None:
            raise FileError("nothing is open", hint="open a cell or a recording first")
        await self._open(replace(self.opened, seed=self.latest.seed if seed is None else seed))

    async def close(self) -> None:
        """Ends the host and its spare."""
        self._closed = True
        self.memory.write()
        self.frames.close()
        spare, self._spare = self._spare, None
        if self._launched is not None:
            self._launched.give_up()
        ending = [] if self.client is None else [self.client]
        if spare is not None:
            spare.cancel()  # one that is still being started ends by that
            with contextlib.suppress(asyncio.CancelledError, HostGone, OSError):
                ending.append(await spare)
        for client in ending:
            client.kill()  # programs may be in the middle of anything: nobody waits for them
        await asyncio.gather(*(client.close() for client in ending), return_exceptions=True)

    async def _open(self, wanted: OpenRequest) -> None:
        async with self._changing:
            client = await self._next_client()
            self.opened, self._failure = wanted, None
            path = None if wanted.emula else wanted.path
            speed = self.latest.factor
            self.latest = Status(name=Path(path or "").stem, path=path, factor=speed)
            try:
                await client.host.transport.set_speed(speed)
                await wanted.send(client.host)
                for file, lines in self.workspace.breaks.by_path().items():
                    await client.host.transport.set_breakpoints(file, tuple(lines))
            except HostError as error:
                self._failure = error.report
                raise
            finally:
                with contextlib.suppress(HostError, HostGone):
                    self._learn(client, await client.host.transport.status())
                await self._fetch_tree(client)
                self.frames.follow(client)
                self.events.tell(HostReplaced(path))
                self.events.tell(self.latest)
                if self._spares and not self._closed:
                    asyncio.get_running_loop().call_later(_SPARE_AFTER, self.warm)

    async def _next_client(self) -> HostClient:
        """The spare takes the place of the host, which is given up whatever it does."""
        self.warm()
        assert self._spare is not None
        try:
            client = await self._spare
        finally:
            self._spare = None
        before, self.client = self.client, client
        if before is not None:
            before.kill()
            self._ends.add(ending := asyncio.create_task(before.close()))
            ending.add_done_callback(self._ends.discard)
        for event in sorted(self._passed_on, key=lambda each: each.__name__):
            self._pass_on(client, event)
        return client

    def _pass_on(self, client: HostClient, event: type) -> None:
        def pass_on(told: object) -> None:
            if client is self.client:
                if isinstance(told, Status):
                    self._learn(client, told)
                    told = self.latest
                elif isinstance(told, HostEnded):
                    self._lose(told.error)
                self.events.tell(told)

        client.listen(event, pass_on)

    def _learn(self, client: HostClient, status: Status) -> None:
        self.latest = status
        if self._failure is not None and status.mode == "empty":
            name = self.path.stem if self.path else ""
            self.latest = replace(status, error=self._failure, path=str(self.path), name=name)
        if status.version != self.tree.version and self._tree_wanted is None:
            self._tree_wanted = asyncio.create_task(self._fetch_tree(client))

    def _lose(self, why: ErrorReport) -> None:
        """The process of the host died by itself: that is told, and a restart opens the same in another."""
        self.latest = replace(self.latest, mode="ended", state="ended", playing=None, error=why)
        self.events.tell(self.latest)

    async def _fetch_tree(self, client: HostClient) -> None:
        """The tree of bodies anew, once for however many changes came meanwhile."""
        try:
            tree = await client.host.scene.tree()
        except (HostError, HostGone):
            tree = Tree()
        finally:
            self._tree_wanted = None
        if client is self.client:
            self.tree = tree
            source = tree.source
            if source is not None and self.workspace.folder not in (None, *Path(source).parents):
                self.workspace.open(Path(source))  # of a recording: here are the files it was made from
            self.events.tell(tree)
