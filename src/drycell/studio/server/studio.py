"""What all browsers share: the stage and its spare, what is open, the last known state, and who steers."""

import asyncio
import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drycell.base import DrycellError, FileError
from drycell.studio.host.client import Answer, HostClient, HostError, HostGone
from drycell.studio.host.launch import Launched
from drycell.studio.server.control import Control
from drycell.studio.server.events import Callback, Events, Stop
from drycell.studio.server.frames import Frames
from drycell.studio.server.memory import Memory
from drycell.studio.server.meshes import Meshes
from drycell.studio.server.places import openable
from drycell.studio.workspace import Workspace

_EMPTY: dict[str, Any] = {
    "mode": "empty", "state": "ready", "t": 0, "shown": 0, "end": None, "factor": 1.0, "seed": 0, "name": "",
    "path": None, "version": 0, "processes": [], "stopped_at": None, "summary": None, "error": None, "playing": None,
    "following": True, "records": 0,
}  # fmt: skip
_BARE: dict[str, Any] = {
    "version": 0, "bodies": [], "robots": [], "workpoints": [], "sensors": [], "devices": [], "signals": [],
    "programs": [], "files": [],
}  # fmt: skip
_SPARE_AFTER = 2.0  # seconds: what was just opened has the processor for itself first
_OWN = ("stage", "tree", "control")  # events of the studio itself; all others come from the stage


@dataclass(frozen=True)
class Play:
    """What is on stage: the request that put it there, so that it can be put there again."""

    do: str
    arguments: dict[str, Any]


class Studio:
    """One per server process. A new stage takes the place of the old at every opening and restart; listeners stay."""

    def __init__(self, memory: Memory | None = None, *, launched: Launched | None = None, spares: bool = True) -> None:
        self.events = Events()
        self.control = Control(self.events)
        self.memory = Memory() if memory is None else memory
        self.meshes = Meshes()
        self.frames = Frames()
        self.workspace = Workspace()
        self.path: Path | None = None
        self.play: Play | None = None
        self._failure: dict[str, Any] | None = None  # why what was to be opened could not be
        self.client: HostClient | None = None
        self.latest: dict[str, Any] = dict(_EMPTY)
        self.tree: dict[str, Any] = dict(_BARE)
        self._launched = launched  # the first stage, on its way
        self._spares = spares  # whether the next stage is started ahead of time
        self._spare: asyncio.Task[HostClient] | None = None
        self._passed_on: set[str] = {"status", "gone"}
        self._changing = asyncio.Lock()
        self._closed = False
        self._ends: set[asyncio.Task[None]] = set()  # of stages given up
        self._tree_wanted: asyncio.Task[None] | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing is open, so that there is nothing to see."""
        return self.path is None and (self.play is None or self.play.do == "close")

    def listen(self, event: str, callback: Callback) -> Stop:
        """Calls back at an event of whatever stage is current, or at "stage" (a new one), "tree" and "control"."""
        if event not in _OWN and event not in self._passed_on:
            self._passed_on.add(event)
            if self.client is not None:
                self._pass_on(self.client, event)
        return self.events.listen(event, callback)

    async def ask(self, do: str, **arguments: Any) -> Answer:
        """Asks the current stage."""
        if self.client is None:
            raise HostGone("nothing is on stage yet", hint="wait a moment, or open a cell or a recording")
        return await self.client.ask(do, **arguments)

    async def mesh(self, key: str) -> bytes:
        """A mesh by its key, for the browser."""

        async def fetch() -> bytes:
            return (await self.ask("mesh", key=key)).bytes

        return await self.meshes.get(key, fetch)

    async def begin(self, path: Path | None) -> None:
        """Starts the first stage, and opens what the command named; a mistake in it is shown on the page."""
        self.warm()
        if path is not None:
            with contextlib.suppress(DrycellError):
                await self.open(path)

    def warm(self) -> None:
        """Starts a spare stage, unless there is one."""
        if self._spare is None and not self._closed:
            launched, self._launched = self._launched, None
            self._spare = asyncio.create_task(HostClient.start(launched))

    async def open(self, path: str | Path, seed: int | None = None) -> None:
        """Puts a cell or a recording on a new stage. A file with mistakes is open as well: it is there to be mended."""
        found = openable(path)
        self.path = found
        self.workspace.open(found)
        self.memory.opened(found)
        await self._put_on(Play("open", {"path": str(found), "seed": seed}))

    async def open_emula(self, cell: Path | None = None) -> None:
        """Puts EMULA's work station on a new stage, or another cell for its console to drive."""
        given = {} if cell is None else {"cell": str(cell)}
        await self._put_on(Play("emula_begin", {**given, "seed": 0}))

    async def clear(self) -> None:
        """Nothing is open any more: browsers show the start page."""
        self.path = None
        await self._put_on(Play("close", {}))

    async def restart(self, seed: int | None = None) -> None:
        """The same once more from its beginning, on a new stage, with the break points of before."""
        if self.play is None:
            raise FileError("nothing is open", hint="open a cell or a recording first")
        wanted = self.latest.get("seed") if seed is None else seed
        await self._put_on(Play(self.play.do, {**self.play.arguments, "seed": wanted}))

    async def close(self) -> None:
        """Ends the stage and its spare."""
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

    async def _put_on(self, play: Play) -> None:
        async with self._changing:
            client = await self._next_stage()
            self.play, self._failure = play, None
            shown = str(play.arguments.get("path", ""))
            speed = self.latest["factor"]
            self.latest = {**_EMPTY, "name": Path(shown).stem, "path": shown or None, "factor": speed}
            try:
                await client.ask("speed", factor=speed)
                await client.ask(play.do, **play.arguments)
                for file, lines in self.workspace.breaks.by_path().items():
                    await client.ask("breaks", file=file, lines=lines)
            except HostError as error:
                self._failure = error.evidence
                raise
            finally:
                with contextlib.suppress(HostError, HostGone):
                    self._learn(client, (await client.ask("status")).data)
                await self._fetch_tree(client)
                self.frames.follow(client)
                self.events.tell("stage", {"path": shown or None})
                self.events.tell("status", self.latest)
                if self._spares and not self._closed:
                    asyncio.get_running_loop().call_later(_SPARE_AFTER, self.warm)

    async def _next_stage(self) -> HostClient:
        """The spare takes the place of the stage, which is given up whatever it does."""
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
        for event in sorted(self._passed_on):
            self._pass_on(client, event)
        return client

    def _pass_on(self, client: HostClient, event: str) -> None:
        def pass_on(data: dict[str, Any]) -> None:
            if client is self.client:
                if event == "status":
                    self._learn(client, data)
                    data = self.latest
                elif event == "gone":
                    self._lose(data)
                self.events.tell(event, data)

        client.listen(event, pass_on)

    def _learn(self, client: HostClient, status: dict[str, Any]) -> None:
        self.latest = {**_EMPTY, **status}
        if self._failure is not None and status["mode"] == "empty":
            self.latest |= {"error": self._failure, "path": str(self.path), "name": self.path.stem if self.path else ""}
        if status.get("version", 0) != self.tree.get("version") and self._tree_wanted is None:
            self._tree_wanted = asyncio.create_task(self._fetch_tree(client))

    def _lose(self, why: dict[str, Any]) -> None:
        """The process of the stage died by itself: that is told, and a restart puts the same on another."""
        self.latest = {**self.latest, "mode": "ended", "state": "ended", "playing": None, "error": why}
        self.events.tell("status", self.latest)

    async def _fetch_tree(self, client: HostClient) -> None:
        """The tree of bodies anew, once for however many changes came meanwhile."""
        try:
            tree = {**_BARE, **(await client.ask("tree")).data}
        except (HostError, HostGone):
            tree = dict(_BARE)
        finally:
            self._tree_wanted = None
        if client is self.client:
            self.tree = tree
            source = tree.get("source")
            if source is not None and self.workspace.folder not in (None, *Path(source).parents):
                self.workspace.open(Path(source))  # of a recording: here are the files it was made from
            self.events.tell("tree", tree)
