"""The state that all browsers share: the host and its spare, what is open, the last status, meshes, and control."""

import asyncio
import contextlib
import tempfile
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
from drycell.studio.past import Past
from drycell.studio.server.control import Control
from drycell.studio.server.events import HostReplaced
from drycell.studio.server.files import openable
from drycell.studio.server.frames import FrameRelay
from drycell.studio.server.preferences import Preferences
from drycell.studio.verification import Verification
from drycell.studio.workspace import Workspace

_KEPT: Final = 256_000_000  # bytes
E = TypeVar("E")
_PATIENCE: Final = 2.0  # seconds in which a host that stays must have paused
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


class HeldEvents:
    """The events of a host that is still opening something; pages receive them once it is shown."""

    def __init__(self, client: HostClient) -> None:
        self.status: HostStatus | None = None
        """The last status; None if none has come since the host was asked for one."""
        self.others: list[object] = []
        """All other events, in order."""
        self._stops = [client.listen(kind, self._take) for kind in EVENTS.values()]

    def _take(self, event: object) -> None:
        if isinstance(event, HostStatus):
            self.status = event
        else:
            self.others.append(event)

    def forget_status(self) -> None:
        """Forget a status from before the opening was done."""
        self.status = None

    def stop(self) -> None:
        """Take no more events."""
        for stop in self._stops:
            stop()
        self._stops = []


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
        self._past: Past | None = None
        self.path: Path | None = None
        self.opened: OpenRequest | None = None
        self._failure: ErrorReport | None = None  # why opening failed
        self.client: HostClient | None = None
        self.host = remote_host(self._call)
        """The API of the current host."""
        self.latest = HostStatus()
        """The last status, with the mistake for which the cell could not be opened, if there is one."""
        self.tree = Tree()
        self._launched = launched  # the first host, which is starting
        self._spares = spares  # whether the next host is started in advance
        self._spare: asyncio.Task[HostClient] | None = None
        self._forwarded: set[type] = {HostStatus, HostEnded}
        self._changing = asyncio.Lock()
        self._closed = False
        self._ends: set[asyncio.Task[None]] = set()  # tasks that end old hosts
        self._coming: HostClient | None = None  # the host in which something is being opened
        self._tree_wanted: asyncio.Task[None] | None = None
        self._outdated: int | None = None  # the scene that is shown although its files have a mistake now
        self._attempts = 0
        self._retries: set[asyncio.Task[None]] = set()
        self.workspace.listen(lambda name, stamp: self._changed_on_disk())

    @cached_property
    def building(self) -> Building:
        """The cell file that is edited in the Build tab."""
        return Building(self)

    @cached_property
    def lessons(self) -> Lessons:
        """The lesson that is edited in the Teach tab."""
        return Lessons(self)

    @cached_property
    def verification(self) -> Verification:
        """The search over the event orders of the open cell."""
        return Verification(self)

    @property
    def past(self) -> Past:
        """The programs at the instant that is shown."""
        if self._past is None:
            self._past = Past(self)
            self._past.look()  # may call back to pages, which ask for it
        return self._past

    @property
    def empty(self) -> bool:
        """Whether nothing is open."""
        return self.path is None and (self.opened is None or self.opened == OpenRequest())

    @property
    def shown_path(self) -> Path | None:
        """The path of what is open; None for EMULA on its own workstation."""
        emula = self.opened is not None and self.opened.emula
        return Path(self.opened.path) if emula and self.opened and self.opened.path else None if emula else self.path

    @property
    def opened_name(self) -> str:
        """Identifies what is open for what is remembered about it, such as the camera."""
        return str(self.shown_path or "emula")

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

    async def look(self, key: str) -> bytes:
        """The look of a body by its key."""
        return await self.meshes.get(f"look {key}", lambda: self.host.scene.look(key))

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
        if self.client is None:  # a page that comes while the first host works shows what is being opened
            self.path = found
            self.workspace.open(found)
            self.latest = replace(self.latest, name=found.stem, path=str(found))
        await self._open(OpenRequest(str(found), seed))

    async def open_emula(self, cell: Path | None = None) -> None:
        """Open EMULA's console in a new host: on its own workstation, or on a cell."""
        await self._open(OpenRequest(None if cell is None else str(cell), 0, emula=True))

    async def clear(self) -> None:
        """Close the cell or recording: browsers show the start page."""
        await self._open(OpenRequest())

    async def restart(self, seed: int | None = None) -> None:
        """Open the same cell or recording in a new host, with the same breakpoints and, by default, the same seed."""
        if self.opened is None:
            raise FileError("nothing is open", hint="open a cell or a recording first")
        await self._open(replace(self.opened, seed=self.latest.seed if seed is None else seed))

    async def save_run(self, path: Path) -> int:
        """Save what is open to a file, see ``FilesApi.save``, and return its size in bytes.

        A film or a report takes time: once the run is over, another host makes it from the recording.
        """
        shown = self.latest.shown
        ending = path.suffix.lower()
        if ending in (".dry", ".svg", ".png") or self.latest.mode not in ("ended", "recorded"):
            return await self.host.files.save(str(path), shown)
        with tempfile.TemporaryDirectory(prefix="drycell-save-") as folder:
            recording = str(Path(folder) / "run.dry")
            await self.host.files.save_recording(recording)
            client = await HostClient.start()
            try:
                await client.host.files.open(recording)
                return await client.host.files.save(str(path), shown)
            finally:
                client.kill()
                await client.close()

    async def close(self) -> None:
        """End the host and its spare."""
        self._closed = True
        self.verification.cancel()
        self.preferences.write()
        self.frames.close()
        if self._past is not None:
            await self.past.close()
        spare, self._spare = self._spare, None
        if self._launched is not None:
            self._launched.kill()
        ending = [each for each in (self.client, self._coming) if each is not None]
        if spare is not None:
            spare.cancel()  # also ends one that is still starting
            with contextlib.suppress(asyncio.CancelledError, HostGone, OSError):
                ending.append(await spare)
        for client in ending:
            client.kill()  # do not wait for running programs
        await asyncio.gather(*(client.close() for client in ending), return_exceptions=True)
        async with self._changing:  # an open that was under way has ended its host
            await asyncio.gather(*self._ends, return_exceptions=True)

    async def _open(self, wanted: OpenRequest) -> None:
        """Open something in a new host. Until it is open, the previous host continues and answers all calls.

        If the open cell cannot be opened again because its files now have a mistake, the previous host stays and shows
        the last cell without mistakes.
        """
        async with self._changing:
            self._attempts += 1
            client = self._coming = await self._next_client()
            held = HeldEvents(client)
            try:
                await self._open_in(client, held, wanted)
            finally:
                held.stop()
                self._coming = None
                if client is not self.client:
                    self.end_host(client)
                if self._spares and not self._closed:
                    asyncio.get_running_loop().call_later(_SPARE_AFTER, self.start_spare)

    async def _open_in(self, client: HostClient, held: "HeldEvents", wanted: OpenRequest) -> None:
        error: DrycellError | None = None
        status, tree = HostStatus(name=Path(wanted.path or "").stem, path=wanted.path), Tree()
        try:
            await client.host.transport.set_speed(self.latest.factor)
            await client.host.transport.stop_at_collision(self.latest.stops_at_collision)
            await wanted.send(client.host)
            for file, lines in self.workspace.breakpoints.by_path().items():
                await client.host.transport.set_breakpoints(file, tuple(lines))
        except (HostError, HostGone) as refused:
            error = refused
        held.forget_status()
        with contextlib.suppress(HostError, HostGone):
            status = await client.host.transport.status()
            tree = await client.host.scene.tree()
        stays = error is not None and await self._stays(wanted)
        if self._closed:
            raise HostGone("the studio has been closed")
        if error is not None and stays:
            self._failure, self._outdated = _report(error), self.latest.scene
            assert self.client is not None
            self._update(self.client, self.latest)
            self.events.emit(self.latest)
        else:
            self._replace(client, held, wanted, None if error is None else _report(error), status, tree)
        if error is not None:
            raise error

    async def _stays(self, wanted: OpenRequest) -> bool:
        """Whether the current host can continue to show a cell that could not be opened again. Its run is paused."""
        opened, client = self.opened, self.client
        if client is None or client.gone is not None or opened is None or self.latest.mode == "empty":
            return False
        if (opened.path, opened.emula) != (wanted.path, wanted.emula):
            return False
        try:
            await asyncio.wait_for(client.host.transport.pause(), _PATIENCE)
        except (HostError, HostGone, TimeoutError):
            return False  # it has crashed, or computes without end
        return True

    def _replace(
        self,
        client: HostClient,
        held: "HeldEvents",
        wanted: OpenRequest,
        failure: ErrorReport | None,
        status: HostStatus,
        tree: Tree,
    ) -> None:
        """Switch to another host in one step, so that no page asks it about what the previous host had open."""
        before, self.client = self.client, client
        if before is not None:
            self.end_host(before)
        self.opened, self._failure = wanted, failure
        self._outdated = None
        if not wanted.emula:  # when EMULA is closed, the cell is opened again
            self.path = None if wanted.path is None else Path(wanted.path)
            if self.path is not None:
                self.workspace.open(self.path)
                if failure is None or failure.kind == "Untrusted":
                    self.preferences.opened(self.path)
        held.stop()
        for kind in sorted(self._forwarded, key=lambda each: each.__name__):
            self._forward(client, kind)
        self.tree = tree
        self._update(client, held.status or status)
        for event in held.others:
            self.events.emit(event)
        self.frames.follow(client)
        self._take_tree(tree)
        self.events.emit(HostReplaced(wanted.path))
        self.events.emit(self.latest)
        if client.gone is not None:
            self._host_ended(_report(client.gone))

    async def _next_client(self) -> HostClient:
        """Take the spare host, or another one if it has died while it waited."""
        if self._spare is not None:
            with contextlib.suppress(HostGone, OSError):
                spare = await self._take_spare()
                if spare.gone is None:
                    return spare
                self.end_host(spare)
        self.start_spare()
        return await self._take_spare()

    async def _take_spare(self) -> HostClient:
        """The spare host, once it has started."""
        if self._spare is None:
            raise HostGone("the studio has been closed")
        try:
            return await self._spare
        finally:
            self._spare = None

    def end_host(self, client: HostClient) -> None:
        """Kill a host, whatever it is doing."""
        client.kill()
        self._ends.add(ending := asyncio.create_task(client.close()))
        ending.add_done_callback(self._ends.discard)

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
        elif self._failure is not None and status.scene == self._outdated:
            self.latest = replace(status, error=self._failure, outdated=True)
        outdated = status.scene != self.tree.scene or status.version > self.tree.version
        if outdated and self._tree_wanted is None:
            self._tree_wanted = asyncio.create_task(self._fetch_tree(client))

    def _changed_on_disk(self) -> None:
        """A file of the open folder was saved: if there was a mistake, it may have been corrected."""
        if self._failure is not None and not self._closed:
            with contextlib.suppress(RuntimeError):  # without an event loop there is no page
                self._retries.add(retry := asyncio.get_running_loop().create_task(self._retry(self._attempts)))
                retry.add_done_callback(self._retries.discard)

    async def _retry(self, attempts: int) -> None:
        async with self._changing:
            outdated = self._failure is not None and self._attempts == attempts
        if outdated:
            with contextlib.suppress(DrycellError):  # it is shown
                await self.restart()

    def _host_ended(self, why: ErrorReport) -> None:
        """The host process died: show the error. A restart opens the cell again in a new process."""
        self.latest = replace(self.latest, mode="ended", state="ended", playing=None, error=why)
        self.events.emit(self.latest)

    async def _fetch_tree(self, client: HostClient) -> None:
        """Fetch the tree, once for several changes."""
        try:
            tree = await client.host.scene.tree()
        except (HostError, HostGone):
            return
        finally:
            self._tree_wanted = None
            if client is not self.client and self.client is not None:
                self._update(self.client, self.latest)  # it may have wanted its tree in the meantime
        if client is self.client:
            self._take_tree(tree)
            if self.latest.version > tree.version:  # a status that came with this tree already had more bodies
                self._update(client, self.latest)

    def _take_tree(self, tree: Tree) -> None:
        self.tree = tree
        source = tree.source
        if source is not None and self.workspace.folder not in (None, *Path(source).parents):
            self.workspace.open(Path(source))  # for a recording: the files it was made from
        self.events.emit(tree)


def _report(error: DrycellError) -> ErrorReport:
    """An error as the page shows it."""
    if isinstance(error, HostError):
        return error.report
    return ErrorReport(type(error).__name__, error.what, error.where, error.hint)
