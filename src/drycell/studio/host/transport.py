"""Transport: run, pause, step, speed, stop; and for the past: seek, play, hold, follow."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Literal

from drycell.base import DrycellError
from drycell.cell import Cell
from drycell.record import FINISHED
from drycell.studio.api.transport import HostStatus, TransportApi
from drycell.studio.host.session import HostSession
from drycell.studio.host.status import status


class HostTransport(TransportApi):
    """Controls the run of a session, and the time that is shown."""

    def __init__(self, session: HostSession) -> None:
        self._session = session

    async def status(self) -> HostStatus:
        return status(self._session)

    async def run(self) -> HostStatus:
        session = self._session
        if session.mode == "recorded":
            session.play()
        elif session.mode == "live" and session.pace is not None:
            session.playhead.follow()
            session.pace.resume()
        else:
            session.start()
        return status(session)

    async def pause(self) -> HostStatus:
        session = self._session
        if session.mode == "live" and session.pace is not None:
            session.pace.pause()
        elif session.mode == "recorded":
            session.playhead.hold()
        return status(session)

    async def step(self, by: Literal["event", "line", "cycle"], back: bool = False) -> HostStatus:
        session = self._session
        if session.mode in ("ended", "recorded"):
            self._step_past(by, back)
            return status(session)
        if back:
            raise DrycellError(
                "a run cannot be stepped backwards", hint="pause it and use the scrubber to see its past"
            )
        session.playhead.follow()
        pace = session.pace if session.mode == "live" and session.pace is not None else session.start(paused=True)
        if by == "event":
            pace.step()
        elif by == "line":
            pace.step_line()
        else:
            pace.go_to(_cycle_goal(session.require_cell(), session.now))
        return status(session)

    def _step_past(self, by: str, back: bool) -> None:
        session = self._session
        if by == "line":
            raise DrycellError(
                "a finished run or a recording cannot be stepped by program lines: it contains events only",
                hint="step by events; or restart (for a recording: run again) and step by lines",
            )
        if by == "event":
            instants = sorted({record.time for record in session.journal})
        else:
            steps = session.record.tracks.track("parts")
            instants = sorted({time for time, each in zip(steps.times, steps, strict=True) if each.step in FINISHED})
        session.playhead.hold()
        session.playhead.seek(_following(instants, session.shown, session.now, back=back))

    async def run_to(self, t: int) -> HostStatus:
        session = self._session
        if session.mode in ("ended", "recorded") or t <= session.now:
            session.playhead.hold()
            session.playhead.seek(t)
            return status(session)
        session.playhead.follow()
        pace = session.pace if session.mode == "live" and session.pace is not None else session.start(paused=True)
        pace.go_to(t)
        return status(session)

    async def set_breakpoints(self, file: str, lines: tuple[int, ...]) -> None:
        self._session.set_breakpoints(file, set(lines))

    async def set_speed(self, factor: float | None) -> HostStatus:
        session = self._session
        if factor is not None and not 0.001 <= factor <= 100_000:
            raise DrycellError(
                f"a speed of {factor:g} × real time is out of range",
                hint="use 0.001 to 100000, or null for as fast as possible",
            )
        session.speed = factor
        if session.pace is not None:
            session.pace.factor = factor
        if session.playhead.factor is not None:
            session.play()
        return status(session)

    async def stop_at_collision(self, on: bool) -> HostStatus:
        session = self._session
        if on and session.cell is not None and session.cell.monitor is None:
            raise DrycellError("the cell has no collision check", hint="add 'checks: {collision: {}}' to the cell file")
        session.stop_at_collision(on)
        return status(session)

    async def stop(self) -> HostStatus:
        if self._session.mode == "live":
            self._session.require_cell().kernel.stop("stopped in the studio")
        return status(self._session)

    async def seek(self, t: int) -> HostStatus:
        self._session.playhead.seek(t)
        return status(self._session)

    async def play(self, factor: float | None = None) -> HostStatus:
        if factor is not None and not 0.001 <= abs(factor) <= 100_000:
            raise DrycellError(
                f"cannot play at {factor:g} × real time", hint="use 0.001 to 100000, negative for backwards"
            )
        self._session.play(factor)
        return status(self._session)

    async def hold(self) -> HostStatus:
        self._session.playhead.hold()
        return status(self._session)

    async def follow(self) -> HostStatus:
        self._session.playhead.follow()
        return status(self._session)

    async def next_event(self, t: int, by: Literal[-1, 1]) -> int | None:
        journal = self._session.journal
        if by > 0:
            place = bisect_right(journal, t, key=lambda record: record.time)
            return journal[place].time if place < len(journal) else None
        place = bisect_left(journal, t, key=lambda record: record.time)
        return journal[place - 1].time if place > 0 else None


def _following(instants: Sequence[int], shown: int, end: int, *, back: bool) -> int:
    """The next time after the one shown, or with ``back`` the previous one; the end or 0 if there is none."""
    if back:
        place = bisect_left(instants, shown) - 1
        return instants[place] if place >= 0 else 0
    place = bisect_right(instants, shown)
    return instants[place] if place < len(instants) else end


def _cycle_goal(cell: Cell, shown: int) -> Callable[[], bool] | int:
    """When the current cycle ends: a condition or a time.

    With part tracking it ends when a part reaches a store or a sink; otherwise with the next sample of the fastest
    sensor or device.
    """
    tracks = cell.record.tracks
    if tracks.flow:
        steps = tracks.track("parts")
        before = len(steps)
        return lambda: any(each.step in FINISHED for each in steps[before:])
    sample = cell.kernel.next_sample(shown)
    if sample is None:
        raise DrycellError(
            "the cell has no cycle: it has no stores, no sinks and no sensors",
            hint="step by events or by program lines",
        )
    return sample
