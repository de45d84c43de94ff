"""What stands in the queue besides programs, timers and tickers: how a run is interrupted, and how it ends."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop
from typing import TYPE_CHECKING, Final

from drycell.base import DrycellError
from drycell.kernel.outcome import Ending, RunEnd
from drycell.kernel.rank import REQUEST_LEVEL, STOP_LEVEL
from drycell.kernel.strand import Entry, Event
from drycell.kernel.tape import LATE, STOP, Arguments, Row

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


Done = Callable[[DrycellError | None], object]
"""Gets to know, on the cell's thread, that a request was carried out, or why it was refused. Must change nothing."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """What another thread brought: a row of the tape that lacks its tick, and the function of one that is code."""

    who: str
    what: str
    arguments: Arguments
    action: Callable[[], object] | None = None
    done: Done | None = None


class Outside(Event):
    """Something that comes from outside the cell."""

    __slots__ = ("_made", "_number", "_scheduler", "owner")

    turn = (REQUEST_LEVEL, 0)

    def __init__(self, scheduler: Scheduler, who: str) -> None:
        self._scheduler = scheduler
        self.owner = who
        self._made = scheduler.step
        self._number = scheduler.serial("outside")

    def identity(self) -> tuple[str, int, int]:
        return "outside", self._number, self._made  # one owner for a chooser: requests keep their order

    def begin(self, time: int) -> None:
        """It is this one's turn."""
        scheduler = self._scheduler
        scheduler.now = time
        scheduler.actor = self
        scheduler.arrived()
        scheduler.recheck = scheduler.watching


class Posted(Outside):
    """A request that another thread brought."""

    __slots__ = ("_arrival",)

    def __init__(self, scheduler: Scheduler, arrival: Arrival) -> None:
        super().__init__(scheduler, arrival.who)
        self._arrival = arrival

    def fire(self, time: int) -> Entry | None:
        self.begin(time)
        arrival = self._arrival
        row = Row(time, arrival.who, arrival.what, arrival.arguments)
        refused = self._scheduler.carry_out(row, arrival.action)
        if arrival.done is not None:
            arrival.done(refused)
        return None


class Played(Outside):
    """The next row of a tape. The one after it comes to the queue when this has been carried out: however long a tape
    is, one row of it stands in the queue."""

    __slots__ = ("_rows",)

    def __init__(self, scheduler: Scheduler, rows: deque[Row]) -> None:
        super().__init__(scheduler, rows[0].who)
        self._rows = rows

    def fire(self, time: int) -> Entry | None:
        rows = self._rows
        row = rows.popleft()
        self.begin(time)
        play_next(self._scheduler, rows)
        self._scheduler.carry_out(row, None)
        return None


def play_next(scheduler: Scheduler, rows: deque[Row]) -> None:
    """Put the next row of a tape into the queue. As long as there is one, the run is neither a deadlock nor over."""
    if not rows:
        return
    scheduler.expected += 1
    row = rows[0]
    if row.what == STOP:
        scheduler.schedule(row.tick, STOP_LEVEL, Stop(scheduler, row.arguments["ending"], row.arguments["reason"]))
    elif row.what != LATE:  # that one was never carried out
        scheduler.schedule(row.tick, REQUEST_LEVEL, Played(scheduler, rows))


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


class Stop(Finish):
    """The end of a run that somebody outside asked for."""

    __slots__ = ("_scheduler",)

    def __init__(self, scheduler: Scheduler, ending: Ending, reason: str) -> None:
        super().__init__(ending, reason)
        self._scheduler = scheduler

    def fire(self, time: int) -> Entry | None:
        self._scheduler.now = time
        self._scheduler.note_stop(self._ending, self._reason)
        raise RunEnd(self._ending, self._reason)


class _Gate(Event):
    """Stands before everything else while a step is made, so that a program that blocks comes back to the hub."""

    __slots__ = ()

    def fire(self, time: int) -> Entry | None:
        return None


GATE: Final[Entry] = (-2, 0, 0, _Gate())
