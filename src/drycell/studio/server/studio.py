"""The state that all browsers share: the host and its spare, what is open, the last status, meshes, and control."""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final, TypeVar

from drycell.base import DrycellError, FileError
from drycell.studio.api.codec import Json
from drycell.studio.api.errors import ErrorReport
from drycell.studio.api.events import EVENTS, Events, HostEnded, Stop
from drycell.studio.api.remote import HostApi, remote_host
from drycell.studio.api.scene import Tree
from drycell.studio.api.transport import HostStatus
from drycell.studio.building import Building
from drycell.studio.host.client import HostClient, HostError, HostGone
from drycell.studio.host.launch import Launched
from drycell.studio.lessons import Lessons
from drycell.studio.server.control import Control
from drycell.studio.server.events import HostReplaced
from drycell.studio.server.files import openable
from drycell.studio.server.frames import FrameRelay
from drycell.studio.server.preferences import Preferences
from drycell.studio.workspace import Workspace

_KEPT: Final = 256_000_000  # bytes
E = TypeVar("E")
_SPARE_AFTER = 2.0  # seconds: a cell that was just opened gets the processor first


class MeshCache:
    """Meshes by key. The least recently used are dropped when they exceed the limit, in bytes."""

    def __init__(self, limit: int = _KEPT) -> None:
        self._limit = limit
        self._size = 0
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    async def get(self, key: str, fetch: Callable[[], Awaitable[bytes]]) -> bytes:
        """The mesh of a key; ``fetch`` gets it the first time."""
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
    """What is open, so that it can be reopened: a path, EMULA's console (on the cell of a path), or nothing."""

    path: str | None = None
    seed: int | None = None
    emula: bool = False

    async def send(self, host: HostApi) -> None:
        """Open it in a host."""
        if self.emula:
            await host.emula.begin(cell=self.path, seed=self.seed)
        elif self.path is not None:
            await host.files.open(self.path, seed=self.seed)
        else:
            await host.files.close()


class Studio:
    """The studio of a server process. Each open and restart uses a new host; listeners stay."""

    def __init__(
        self, preferences: Preferences | None = None, *, launched: Launched | None = None, spares: bool = True
    ) -> None:
        self.events = Events()
        self.control = Control(self.events)
        self.preferences = Preferences() if preferences is None else preferences
        self.meshes = MeshCache()
        self.frames = FrameRelay()
        self.workspace = Workspace()
        self.path: Path | None = None
        self.opened: OpenRequest | None = None
        self._failure: ErrorReport | None = None  # why opening failed
        self.client: HostClient | None = None
        self.host = remote_host(self._call)
        """The API of the current host."""
        self.latest = HostStatus()
        self.tree = Tree()
        self._launched = launched  # the first host, which is starting
        self._spares = spares  # whether the next host is started in advance
        self._spare: asyncio.Task[HostClient] | None = None
        self._forwarded: set[type] = {HostStatus, HostEnded}
        self._changing = asyncio.Lock()
        self._closed = False
        self._ends: set[asyncio.Task[None]] = set()  # tasks that end old hosts
        self._tree_wanted: asyncio.Task[None] | None = None

    @cached_property
    def building(self) -> Building:
        """The cell file that is edited in the Build tab."""
        return Building(self)

    @cached_property
    def lessons(self) -> Lessons:
        """The lesson that is edited in the Teach tab."""
        return Lessons(self)

    @property
    def empty(self) -> bool:
        """Whether nothing is open."""
        return self.path is None and (self.opened is None or self.opened == OpenRequest())

    def listen(self, event: type[E], callback: Callable[[E], None]) -> Stop:
        """Call back at an event of the current host or of the studio. Returns a function that stops it."""
        if event.__name__ in EVENTS and event not in self._forwarded:
            self._forwarded.add(event)
            if self.client is not None:
                self._forward(self.client, event)
        return self.events.listen(event, callback)

    async def _call(self, name: str, arguments: dict[str, Json]) -> tuple[Json, bytes]:
        if self.client is None:
            raise HostGone("nothing is open yet", hint="wait a moment, or open a cell or a recording")
        return await self.client.call(name, arguments)

    async def mesh(self, key: str) -> bytes:
        """A mesh by its key."""
        return await self.meshes.get(key, lambda: self.host.scene.mesh(key))

    async def begin(self, path: Path | None) -> None:
        """Start the first host, and open the path of the command line. Errors in it are shown on the page."""
        self.start_spare()
        if path is not None:
            with contextlib.suppress(DrycellError):
                await self.open(path)

    def start_spare(self) -> None:
        """Start a spare host, unless there is one."""
        if self._spare is None and not self._closed:
            launched, self._launched = self._launched, None
            self._spare = asyncio.create_task(HostClient.start(launched))

    async def open(self, path: str | Path, seed: int | None = None) -> None:
        """Open a cell or a recording in a new host. A file with mistakes is opened too, so that it can be edited."""
        found = openable(path)
        self.path = found
        self.workspace.open(found)
        self.preferences.opened(found)
        await self._open(OpenRequest(str(found), seed))

    async def open_emula(self, cell: Path | None = None) -> None:
        """Open EMULA's console in a new host: on its own workstation, or on a cell."""
        await self._open(OpenRequest(None if cell is None else str(cell), 0, emula=True))

    async def clear(self) -> None:
        """Close what is open: browsers show the start page."""
        self.path = None
        await self._open(OpenRequest())

    async def restart(self, seed: int | None = None) -> None:
        """Open the same again in a new host, with the same breakpoints. By default the seed stays the same."""
        if self.opened is None:
            raise FileError("nothing is open", hint="open a cell or a recording first")
        await self._open(replace(self.opened, seed=self.latest.seed if seed is None else seed))

    async def close(self) -> None:
        """End the host and its spare."""
        self._closed = True
        self.preferences.write()
        self.frames.close()
        spare, self._spare = self._spare, None
        if self._launched is not None:
            self._launched.kill()
        ending = [] if self.client is None else [self.client]
        if spare is not None:
            spare.cancel()  # also ends one that is still starting
            with contextlib.suppress(asyncio.CancelledError, HostGone, OSError):
                ending.append(await spare)
        for client in ending:
            client.kill()  # do not wait for running programs
        await asyncio.gather(*(client.close() for client in ending), return_exceptions=True)

    async def _open(self, wanted: OpenRequest) -> None:
        async with self._changing:
            client = await self._next_client()
            self.opened, self._failure = wanted, None
            path = None if wanted.emula else wanted.path
            speed = self.latest.factor
            self.latest = HostStatus(name=Path(path or "").stem, path=path, factor=speed)
            try:
                await client.host.transport.set_speed(speed)
                await wanted.send(client.host)
                for file, lines in self.workspace.breakpoints.by_path().items():
                    await client.host.transport.set_breakpoints(file, tuple(lines))
            except HostError as error:
                self._failure = error.report
                raise
            finally:
                with contextlib.suppress(HostError, HostGone):
                    self._update(client, await client.host.transport.status())
                await self._fetch_tree(client)
                self.frames.follow(client)
                self.events.emit(HostReplaced(path))
                self.events.emit(self.latest)
                if self._spares and not self._closed:
                    asyncio.get_running_loop().call_later(_SPARE_AFTER, self.start_spare)

    async def _next_client(self) -> HostClient:
        """Replace the host, which is killed, by the spare."""
        self.start_spare()
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
        for event in sorted(self._forwarded, key=lambda each: each.__name__):
            self._forward(client, event)
        return client

    def _forward(self, client: HostClient, kind: type) -> None:
        def forward(event: object) -> None:
            if client is self.client:
                if isinstance(event, HostStatus):
                    self._update(client, event)
                    event = self.latest
                elif isinstance(event, HostEnded):
                    self._host_ended(event.error)
                self.events.emit(event)

        client.listen(kind, forward)

    def _update(self, client: HostClient, status: HostStatus) -> None:
        self.latest = status
        if self._failure is not None and status.mode == "empty":
            name = self.path.stem if self.path else ""
            self.latest = replace(status, error=self._failure, path=str(self.path), name=name)
        if status.version != self.tree.version and self._tree_wanted is None:
            self._tree_wanted = asyncio.create_task(self._fetch_tree(client))

    def _host_ended(self, why: ErrorReport) -> None:
        """The host process died: show the error. A restart opens the same in a new process."""
        self.latest = replace(self.latest, mode="ended", state="ended", playing=None, error=why)
        self.events.emit(self.latest)

    async def _fetch_tree(self, client: HostClient) -> None:
        """Fetch the tree, once for several changes."""
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
                self.workspace.open(Path(source))  # for a recording: the files it was made from
            self.events.emit(tree)
