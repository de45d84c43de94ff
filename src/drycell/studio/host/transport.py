"""Run, pause, step, speed, stop; and the past: seek, play, hold, follow."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Literal

from drycell.base import DrycellError
from drycell.cell import Cell
from drycell.record import FINISHED
from drycell.studio.api.transport import Status, TransportApi
from drycell.studio.host.session import HostSession
from drycell.studio.host.status import status


class HostTransport(TransportApi):
    """Steers the run of a session."""

    def __init__(self, session: HostSession) -> None:
        self._session = session

    async def status(self) -> Status:
        return status(self._session)

    async def run(self) -> Status:
        session = self._session
        if session.mode == "recorded":
            session.play()
        elif session.mode == "live" and session.pace is not None:
            session.playhead.follow()
            session.pace.resume()
        else:
            session.start()
        return status(session)

    async def pause(self) -> Status:
        session = self._session
        if session.mode == "live" and session.pace is not None:
            session.pace.pause()
        elif session.mode == "recorded":
            session.playhead.hold()
        return status(session)

    async def step(self, by: Literal["event", "line", "cycle"], back: bool = False) -> Status:
        session = self._session
        if session.mode in ("ended", "recorded"):
            self._step_past(by, back)
            return status(session)
        if back:
            raise DrycellError("a run cannot be stepped backwards", hint="pause it, and seek an instant of its past")
        session.playhead.follow()
        pace = session.pace if session.mode == "live" and session.pace is not None else session.start(paused=True)
        if by == "event":
            pace.step()
        elif by == "line":
            pace.step_line()
        else:
            pace.go_to(_cycle_goal(session.needs_cell(), session.now))
        return status(session)

    def _step_past(self, by: str, back: bool) -> None:
        session = self._session
        if by == "line":
            raise DrycellError(
                "what is over cannot be stepped by lines: a recording has events, and not where programs stood",
                hint="step by events; or restart (a recording: run it again) and step by lines",
            )
        if by == "event":
            instants = sorted({record.time for record in session.journal})
        else:
            steps = session.record.tracks.track("parts")
            instants = sorted({time for time, each in zip(steps.times, steps, strict=True) if each.step in FINISHED})
        session.playhead.hold()
        session.playhead.seek(_following(instants, session.shown, session.now, back=back))

    async def run_to(self, t: int) -> Status:
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
        self._session.set_breaks(file, set(lines))

    async def set_speed(self, factor: float | None) -> Status:
        session = self._session
        if factor is not None and not 0.001 <= factor <= 100_000:
            raise DrycellError(f"a speed of {factor:g} × real time", hint="0.001 to 100000, or null for all it can do")
        session.speed = factor
        if session.pace is not None:
            session.pace.factor = factor
        if session.playhead.factor is not None:
            session.play()
        return status(session)

    async def stop(self) -> Status:
        if self._session.mode == "live":
            self._session.needs_cell().kernel.stop("stopped in the studio")
        return status(self._session)

    async def seek(self, t: int) -> Status:
        self._session.playhead.seek(t)
        return status(self._session)

    async def play(self, factor: float | None = None) -> Status:
        if factor is not None and not 0.001 <= abs(factor) <= 100_000:
            raise DrycellError(f"cannot play {factor:g} × real time", hint="0.001 to 100000, negative for backwards")
        self._session.play(factor)
        return status(self._session)

    async def hold(self) -> Status:
        self._session.playhead.hold()
        return status(self._session)

    async def follow(self) -> Status:
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
    """The next of the instants after what is shown, or the one before it; the end or the beginning beyond them."""
    if back:
        place = bisect_left(instants, shown) - 1
        return instants[place] if place >= 0 else 0
    place = bisect_right(instants, shown)
    return instants[place] if place < len(instants) else end


def _cycle_goal(cell: Cell, shown: int) -> Callable[[], bool] | int:
    """Where the cycle ends that goes on at the instant shown.

    Where parts are kept count of, it ends when one reaches a store or a sink; elsewhere with the next sample of whoever
    samples most often.
    """
    tracks = cell.record.tracks
    if tracks.flow:
        steps = tracks.track("parts")
        before = len(steps)
        return lambda: any(each.step in FINISHED for each in steps[before:])
    sample = cell.kernel.next_sample(shown)
    if sample is None:
        raise DrycellError(
            "this cell has no cycle: no part is stored or taken out, and nothing is sampled",
            hint="step by events or by lines",
        )
    return sample
