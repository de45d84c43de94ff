"""What stands in the queue besides programs, timers and tickers: how a run is interrupted, and how it ends."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop
from typing import TYPE_CHECKING, Final

from drycell.kernel.outcome import Ending, RunEnd
from drycell.kernel.rank import Rank, level
from drycell.kernel.strand import Entry, Event

if TYPE_CHECKING:
    from drycell.kernel.scheduler import Scheduler


class Governed(BaseException):
    """Events must be let through one by one from now on."""


class Attention(Event):
    """Makes the loop look up."""

    __slots__ = ("_scheduler",)

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    def fire(self, time: int) -> Entry | None:
        self._scheduler.attend()
        if self._scheduler.pace is not None and self._scheduler.pace.governs:
            raise Governed
        # What would have been next is next: a look at this point must not bring forward a check for deadlock.
        return heappop(self._scheduler.queue)


class Posted(Event):
    """An action another thread brought."""

    __slots__ = ("_action", "_made", "_note", "_number", "_scheduler")

    owner = "outside"
    turn = (level(Rank.OUTSIDE), 0)

    def __init__(self, scheduler: Scheduler, action: Callable[[], object], note: str) -> None:
        self._scheduler = scheduler
        self._action = action
        self._note = note
        self._made = scheduler.step
        self._number = scheduler.serial(self.owner)

    def identity(self) -> tuple[str, int, int]:
        return self.owner, self._number, self._made

    def fire(self, time: int) -> Entry | None:
        scheduler = self._scheduler
        scheduler.now = time
        scheduler.actor = self
        scheduler.unknown_writers -= 1
        scheduler.recheck = scheduler.watching
        scheduler.note_post(self._note)
        self._action()
        return None


class Failure(Event):
    """An error on its way from a program to ``run``."""

    __slots__ = ("_error",)

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def fire(self, time: int) -> Entry | None:
        raise self._error


class Finish(Event):
    """The end of a run."""

    __slots__ = ("_ending", "_reason")

    def __init__(self, ending: Ending, reason: str = "") -> None:
        self._ending: Ending = ending
        self._reason = reason

    def fire(self, time: int) -> Entry | None:
        raise RunEnd(self._ending, self._reason)


class _Gate(Event):
    """Stands before everything else while a step is made, so that a program that blocks comes back to the hub."""

    __slots__ = ()

    def fire(self, time: int) -> Entry | None:
        return None


GATE: Final[Entry] = (-2, 0, 0, _Gate())
