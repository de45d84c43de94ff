"""The programs at a past instant: found by running the cell again up to that instant, in another host.

A recording does not contain lines and variables of programs. Runs are repeatable, however: the same cell, seed and
input lead to the same lines and variables.
"""

import asyncio
import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from drycell.base import DrycellError
from drycell.studio.api.debugging import ProgramCalls, RunRecipe
from drycell.studio.api.transport import HostStatus, ProcessStatus
from drycell.studio.host.client import HostClient
from drycell.studio.server.events import HostReplaced, PastChanged

if TYPE_CHECKING:
    from drycell.studio.server.studio import Studio

State = Literal["present", "computing", "shown", "not available"]
_REST: Final = 0.2  # seconds for which an instant must be shown: a drag of the scrubber passes many


@dataclass(frozen=True, slots=True)
class PastPrograms:
    """The programs at the time ``t``, if that is in the past. ``reason`` says why they are not available."""

    state: State = "present"
    t: int = 0
    processes: tuple[ProcessStatus, ...] = ()
    printed: str = ""
    reason: str = ""


class Past:
    """Finds the programs at the instant that is shown. Emits ``PastChanged``. Use ``studio.past``."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        self.programs = PastPrograms()
        self._wanted: int | None = None
        self._working: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self._client: HostClient | None = None
        self._recipe: RunRecipe | None = None
        self._reached = -1  # the time up to which the other host has run
        studio.listen(HostStatus, self._status)
        studio.listen(HostReplaced, lambda _: self._replaced())

    def look(self) -> None:
        """Find the programs at the instant that is shown now. Later changes are followed."""
        self._status(self._studio.latest)

    def as_shown(self, status: HostStatus) -> HostStatus:
        """A status with the programs at the instant that is shown."""
        if self.programs.state == "present":
            return status
        return replace(status, processes=self.programs.processes, stopped_at=None)

    async def variables(self, process: str, level: int = 0) -> ProgramCalls:
        """The call stack of a program and the variables of one call, at the instant that is shown."""
        if self._client is None or self.programs.state != "shown" or self._reached < 0:
            return ProgramCalls()
        return await self._client.host.debugging.variables(process, level)

    async def close(self) -> None:
        """End the other host."""
        if self._working is not None:
            self._working.cancel()
            await asyncio.gather(self._working, return_exceptions=True)
        client, self._client = self._client, None
        if client is not None:
            client.kill()
            await client.close()

    # ---------------------------------------------------------------- inside

    def _status(self, status: HostStatus) -> None:
        past = status.mode == "recorded" or (status.mode in ("live", "ended") and not status.following)
        past = past and (status.mode == "recorded" or status.shown < status.t)
        wanted = status.shown if past and not status.outdated else None
        if wanted == self._wanted:
            return
        self._wanted = wanted
        self._changed.set()
        if wanted is None:
            self._show(PastPrograms())
            return
        self._show(PastPrograms("computing", wanted))
        if self._working is None or self._working.done():
            with contextlib.suppress(RuntimeError):  # without an event loop there is no page
                self._working = asyncio.get_running_loop().create_task(self._work())

    def _show(self, programs: PastPrograms) -> None:
        if programs != self.programs:
            self.programs = programs
            self._studio.events.emit(PastChanged())

    async def _work(self) -> None:
        while self._wanted is not None:
            t = self._wanted
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), _REST)
            if t != self._wanted:
                continue
            try:
                found = await self._find(t)
            except (DrycellError, OSError) as error:
                self._drop()
                found = PastPrograms(
                    "not available", t, reason=error.what if isinstance(error, DrycellError) else str(error)
                )
            if found is not None and t == self._wanted:
                self._show(found)
                return

    async def _find(self, t: int) -> PastPrograms | None:
        """The programs at an instant; None if another one is wanted before they are found."""
        studio = self._studio
        recipe = await studio.host.debugging.recipe()
        if self._client is None or self._client.gone is not None or recipe != self._recipe or t < self._reached:
            self._drop()
            self._client, self._recipe = await HostClient.start(), recipe
            await self._client.host.debugging.repeat(recipe)
        client = self._client
        status = await self._run_to(client, t)
        if status is None:
            return None
        if await client.host.debugging.fingerprint(t) != await studio.host.debugging.fingerprint(t):
            raise DrycellError("the run cannot be repeated exactly: a program reads a clock, random numbers or files")
        printed = await client.host.debugging.printed()
        return PastPrograms("shown", t, status.processes, printed)

    async def _run_to(self, client: HostClient, t: int) -> HostStatus | None:
        arrived: asyncio.Future[HostStatus] = asyncio.get_running_loop().create_future()

        def look(status: HostStatus) -> None:
            there = status.mode == "ended" or (status.mode == "live" and status.state == "paused" and status.t >= t)
            if there and not arrived.done():
                arrived.set_result(status)

        if t <= max(self._reached, 0):
            self._reached = max(self._reached, 0)
            return await client.host.transport.status()
        stop = client.listen(HostStatus, look)
        try:
            status = await client.host.transport.run_to(t)
            while not arrived.done():
                self._changed.clear()
                changed = asyncio.create_task(self._changed.wait())
                waiting: set[asyncio.Future[Any]] = {arrived, changed}
                try:
                    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED, timeout=1.0)
                finally:
                    changed.cancel()
                if client.gone is not None:
                    raise client.gone
                if not arrived.done() and (self._wanted is None or self._wanted < t):
                    self._drop()
                    return None
            status = arrived.result()
            if status.mode == "ended" and status.error is not None and status.t < t:
                raise DrycellError("the run cannot be repeated exactly: it ended earlier")
            self._reached = t
            return status
        finally:
            stop()

    def _replaced(self) -> None:
        if self._working is not None:
            self._working.cancel()  # its result belongs to the previous cell
            self._working = None
        self._drop()
        self._wanted = None
        self._show(PastPrograms())

    def _drop(self) -> None:
        """End the other host: it has run too far, or another cell is shown."""
        client, self._client = self._client, None
        self._recipe, self._reached = None, -1
        if client is not None:
            self._studio.end_host(client)
