"""The event queue and the two loops that run it: freely, or step by step under a chooser or a pace.

The queue is a heap of tuples ``(time, level, sequence, what)``. A program that blocks takes the next entry itself:
if that resumes another program it switches there directly, one switch instead of two through the hub. Anything else
goes to the hub (the greenlet that called ``run``), so that no callback ever runs on a program's stack: a program's
``except`` cannot swallow a sensor's exception, nor its recursion depth fail a device.

Whatever is out of the ordinary (another thread posts, Ctrl-C, stop, pause, a chooser's turn) is an entry at a time
before all others. The way from one program to the next therefore tests for nothing. ``heappush`` and ``heappop`` of
such tuples run no Python code, so they are atomic for other threads and signal handlers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Final, NoReturn

from drycell.base import BusyWait, DrycellError
from drycell.kernel.chooser import Chooser, Key, Pending, Step
from drycell.kernel.clock import clock_text
from drycell.kernel.events import GATE, Arrival, Attention, Done, Failure, Finish, Governed, Posted, Stop
from drycell.kernel.looks import serve_looks
from drycell.kernel.outcome import Ending, RunEnd
from drycell.kernel.rank import REQUEST_LEVEL, STOP_LEVEL
from drycell.kernel.roles import Actor, Pacing
from drycell.kernel.strand import Entry, Event, Strand, current_strand, getcurrent, greenlet, program_of
from drycell.kernel.tape import CODE, OUTSIDE, Arguments, Row, checked_who, plain
from drycell.kernel.ties import is_live, offered, take
from drycell.kernel.timer import Timer

if TYPE_CHECKING:
    from drycell.kernel.ticker import Ticker

BUSY_LIMIT: Final = 100_000
_BUSY_LOOKS: Final = 6
_TIDY_ABOVE: Final = 256
INSTANT: Final = "instant"
"""The name by which all steps of an instant depend on one that puts something before them: read by every step, written
by one that schedules, at this very instant, something of a rank that goes first."""


class Scheduler:
    """Time, the queue, the loops. The kernel is this plus everything a cell is made of."""

    __slots__ = (
        "_arrivals", "_attention", "_busy", "_cancelled_keys", "_end_wanted", "_serials", "_settling_due",
        "_step_level", "_stop_wanted", "_stopping", "actor", "attended", "budget", "cancelled_timers", "chooser",
        "dormant", "expected", "footprint", "held_open", "hub", "looks", "now", "pace", "preempted", "queue", "recheck",
        "running", "sequence", "step", "thread", "ticking_level", "unknown_writers", "watching", "writes",
    )  # fmt: skip

    def __init__(self, chooser: Chooser | None) -> None:
        self.now = 0
        """Cell time, in ticks."""
        self.queue: list[Entry] = []
        self.sequence = 0
        self.hub: greenlet = getcurrent()
        self.thread: int | None = None
        self.running = False
        self.chooser = chooser
        self.pace: Pacing | None = None
        self.actor: Actor | None = None
        self.ticking_level = -1
        self.preempted = False
        self.cancelled_timers = 0
        # What a step touched is kept for a chooser only. Without one, `budget` counts down to the next look for a
        # busy wait; with one it stays below zero, so that the one test in Signal.value serves both.
        self.step = -1
        self.footprint: dict[str, bool] | None = None if chooser is None else {}
        self.budget = BUSY_LIMIT if chooser is None else -1
        self.writes = 0
        # For the deadlock check, see deadlock.py.
        self.unknown_writers = 0
        self.dormant: dict[Ticker, None] = {}
        self.watching = False
        self.recheck = False
        # One and the same entry whenever it is pushed: comparing it with itself stops at identity.
        self._attention: Entry = (-1, 0, 0, Attention(self))
        self._busy: tuple[int, int, Strand | None] = (-1, 0, None)
        self._step_level = -1
        self._cancelled_keys: list[Key] = []
        self._serials: dict[str, int] = {}
        self._arrivals: deque[Arrival] = deque()
        self.attended = False
        """Whether somebody outside may do anything at any time, so that the run is never a deadlock."""
        self.expected = 0
        """How many requests stand in the queue; 1 as long as rows of a tape are left."""
        self.held_open = False
        """Whether, since the last request, the run was no deadlock because another one was to come."""
        self.looks: deque[Callable[[], object]] = deque()
        self._end_wanted: tuple[Ending, str] | None = None
        self._stop_wanted: tuple[Ending, str] | None = None
        self._stopping = False
        self._settling_due = False

    # -- the queue

    def schedule(self, time: int, at_level: int, what: Strand | Event) -> None:
        """Put something in the queue."""
        self.sequence = sequence = self.sequence + 1
        if at_level < self.ticking_level and time == self.now:
            self.preempted = True
        if self.footprint is not None and at_level < self._step_level and time == self.now:
            self.footprint[INSTANT] = True
        heappush(self.queue, (time, at_level, sequence, what))

    def unschedule(self, strand: Strand) -> None:
        """Take out a program's next step, its start included: a race with whoever makes this step."""
        if self.footprint is not None:
            self._cancelled_keys.append((strand.process.name, strand.steps))
            strand.steps += 1  # what comes instead is another event
        self._rebuild(lambda what: program_of(what) is not strand)

    def withdraw(self, event: Event) -> None:
        """Take an event out of the queue, wherever it stands."""
        self._rebuild(lambda what: what is not event)

    def wake(self, strand: Strand) -> None:
        """Let a program that waited go on, at this instant."""
        if self.footprint is not None:
            self.note_write(f"wait:{strand.process.name}")
            strand.made = self.step
        self.schedule(self.now, strand.level, strand)

    def block(self, me: Strand) -> None:
        """Give way until something switches back to this program."""
        entry = heappop(self.queue)
        what = entry[3]
        if what.__class__ is Strand:
            self.now = entry[0]
            if what is not me:
                what.switch()
        else:
            self.hub.switch(entry)

    def timer_cancelled(self, timer: Timer) -> None:
        """Note a timer that will not happen; tidy the queue when most of it is such timers."""
        self.cancelled_timers += 1
        if self.footprint is not None:
            self._cancelled_keys.append((timer.owner, timer.serial))
        if self.cancelled_timers > _TIDY_ABOVE and self.cancelled_timers * 2 > len(self.queue):
            self._rebuild(is_live)
            self.cancelled_timers = 0

    def serial(self, owner: str) -> int:
        """The number of an owner's next timer."""
        number = self._serials[owner] = self._serials.get(owner, -1) + 1
        return number

    def _rebuild(self, keep: Callable[[Strand | Event], bool]) -> None:
        # From a copy, which is made in one go: another thread that calls moves entries, and one would be seen twice.
        self.queue[:] = [entry for entry in self.queue.copy() if keep(entry[3])]
        heapify(self.queue)
        self.call_attention()  # another thread's may have come, and gone, while the list was being made

    # -- footprints and busy waits

    def note_read(self, name: str) -> None:
        """A step reads a name."""
        self.budget -= 1
        if self.budget < 0:
            self.read_slowly(name)

    def spend(self) -> None:
        """A step does something that touches no name, but which a busy wait may be made of."""
        self.budget -= 1
        if self.budget < (0 if self.footprint is None else -BUSY_LIMIT):
            self._look_for_busy_wait()

    def read_slowly(self, name: str) -> None:
        """The rare part of a read: leave a footprint, or look whether this instant will ever end."""
        if self.footprint is not None:
            self.footprint.setdefault(name, False)
            if self.budget >= -BUSY_LIMIT:
                return
        self._look_for_busy_wait()

    def note_write(self, name: str) -> None:
        """A step writes a name."""
        self.writes += 1
        self.note_read(name)
        if self.footprint is not None:
            self.footprint[name] = True

    def _look_for_busy_wait(self) -> None:
        # Many programs or sensors may do a lot at one instant; one alone, or all several times that, is too much.
        self.budget = BUSY_LIMIT if self.footprint is None else -1
        who = current_strand()
        since, looks, suspect = self._busy
        looks = looks + 1 if since == self.now else 0
        self._busy = (self.now, looks, who)
        if self.running and (looks >= _BUSY_LOOKS or (looks and suspect is who and who.__class__ is Strand)):
            if who.__class__ is Strand:
                name, where = f"program '{who.process.name}'", who.process.describe()
            else:
                name, where = f"'{self.actor_name()}'", f"{clock_text(self.now)} s"
            self.abort(
                BusyWait(
                    f"{name} keeps the clock from going on: more than {BUSY_LIMIT} reads, writes, satisfied waits and "
                    "zero delays at one instant",
                    where=where,
                    hint="wait(condition) instead of asking for it in a loop, or delay(0.01) in the loop",
                )
            )

    def renew_budget(self) -> None:
        """Count anew what is done at this instant: for interpreters, which stop endless loops of their programs first,
        with a message about the program's own line, and whose session then goes on."""
        if self.footprint is None:
            self.budget = BUSY_LIMIT
            self._busy = (-1, 0, None)

    def actor_name(self) -> str:
        """Who acts: the running program, or the owner of the callback."""
        me = current_strand()
        if me.__class__ is Strand:
            return me.process.name
        return self.actor.owner if self.actor is not None else ""

    def turn(self) -> tuple[int, int]:
        """The level and place, in the order of this instant, of whoever acts: what is before it has had its turn."""
        me = current_strand()
        if me.__class__ is Strand:
            return me.level, 0
        return self.actor.turn if self.actor is not None else (-1, 0)

    def abort(self, error: BaseException) -> NoReturn:
        """Raise an error from ``run``, whatever the program that is running would like to do about it."""
        if current_strand().__class__ is Strand:
            self.hub.switch((-1, 0, 0, Failure(error)))
        raise error

    # -- from other threads

    def request(self, what: str, arguments: Arguments, who: str = OUTSIDE, *, done: Done | None = None) -> None:
        """Have a named request carried out by the cell's own thread, after the events of the instant.

        It is journalled and kept on the tape with its arguments, which are plain JSON: a recording repeats it.
        """
        kept = plain(what, arguments)
        self.check_request(what, kept)
        self._arrive(Arrival(checked_who(who), what, kept, done=done))

    def post(self, action: Callable[[], object], note: str, who: str = OUTSIDE) -> None:
        """Have a function called by the cell's own thread, after the events of the instant, journalled with the note.

        The tape keeps the note only: a run in which the function changes something cannot be repeated from its
        recording. Use :meth:`request` (of a cell: ``cell.post``) where that matters.
        """
        self._arrive(Arrival(checked_who(who), CODE, plain(CODE, {"note": note}), action))

    def _arrive(self, arrival: Arrival) -> None:
        self._arrivals.append(arrival)
        self.call_attention()
        if self.pace is not None:
            self.pace.nudge()

    def look(self, action: Callable[[], object]) -> None:
        """Have something read by the cell's own thread, at the next event boundary or line at which the run is held.

        It is not journalled and lets no time pass, and it must change nothing. What it raises comes out of the run.
        """
        self.looks.append(action)
        self.call_attention()
        if self.pace is not None:
            self.pace.nudge()

    def has_arrivals(self) -> bool:
        """Whether something came from outside that the loop has not looked at yet, the wish to stop included."""
        return not self._stopping and bool(self._arrivals or self._stop_wanted)

    def expects_requests(self) -> bool:
        """Whether somebody outside may still do something: then the run is no deadlock."""
        if self.attended:
            return True
        if self.expected or self._stop_wanted is not None or self._arrivals:
            self.held_open = True
            return True
        return False

    def arrived(self) -> None:
        """A request is about to be carried out."""
        self.expected -= 1
        self.held_open = False

    def stop(self, reason: str) -> None:
        """End the run at the end of this instant. May be called from any thread.

        It is kept on the tape. What ends a run from within the cell uses :meth:`end`.
        """
        self.stop_as("stopped", reason)

    def stop_as(self, ending: Ending, reason: str) -> None:
        """End the run from outside, at the end of this instant; the first who asks gives the reason."""
        if self._stop_wanted is None:
            self._stop_wanted = (ending, reason)
        self.call_attention()
        if self.pace is not None:
            self.pace.nudge()

    def end(self, ending: Ending, reason: str) -> None:
        """End the run from within the cell, at the next event boundary; the first who asks gives the reason."""
        if self._end_wanted is None:
            self._end_wanted = (ending, reason)
        self.preempted = self.ticking_level >= 0
        self.call_attention()
        if self.pace is not None:
            self.pace.nudge()

    @property
    def ending(self) -> bool:
        """Whether the end of the run has been asked for."""
        return self._end_wanted is not None or self._stop_wanted is not None

    def call_attention(self) -> None:
        """Have the loop look up at the next event boundary."""
        heappush(self.queue, self._attention)

    def wants_attention(self) -> bool:
        """Whether the loop has been asked to look up."""
        return self.queue[0][0] < 0

    def attend(self) -> None:
        """Look at what others want: a look, the end, an action, a settlement, another pace."""
        if self.looks:
            serve_looks(self)
        if not self._stopping:
            self._take_arrivals()
        if self._settling_due:
            self._settling_due = False
            self.settle()
        if self._end_wanted is not None:
            raise RunEnd(*self._end_wanted)

    def _take_arrivals(self) -> None:
        # Those that come after the wish to stop are not carried out: somebody quick could keep the run going else.
        stop = self._stop_wanted
        for _ in range(len(self._arrivals)):
            self.expected += 1
            self.schedule(self.now, REQUEST_LEVEL, Posted(self, self._arrivals.popleft()))
        if stop is not None:
            self._stopping = True
            self.schedule(self.now, STOP_LEVEL, Stop(self, *stop))

    def settle(self) -> None:
        """See the kernel."""
        raise NotImplementedError

    def deadlock_check(self) -> None:
        """See the kernel."""
        raise NotImplementedError

    def check_request(self, what: str, arguments: Arguments) -> None:
        """See the kernel."""
        raise NotImplementedError

    def carry_out(self, row: Row, action: Callable[[], object] | None) -> DrycellError | None:
        """See the kernel."""
        raise NotImplementedError

    def note_stop(self, ending: Ending, reason: str) -> None:
        """See the kernel."""
        raise NotImplementedError

    # -- the loops

    def loop(self) -> None:
        """Run until something raises RunEnd or an error."""
        while True:
            if self._governed():
                self._run_stepwise()
            else:
                try:
                    self._run_freely()
                except Governed:
                    continue

    def _governed(self) -> bool:
        return self.chooser is not None or (self.pace is not None and self.pace.governs)

    def _run_freely(self) -> None:
        queue = self.queue
        entry = heappop(queue)
        while True:
            what = entry[3]
            if what.__class__ is Strand:
                self.now = entry[0]
                handed = what.switch()
            else:
                handed = what.fire(entry[0])
                # Not while a program has taken an entry from the queue: it may be the one that helps, or an error.
                if self.recheck and handed is None:
                    self.deadlock_check()
            entry = handed or heappop(queue)

    def _run_stepwise(self) -> None:
        queue = self.queue
        while True:
            head = queue[0]
            if head[0] < 0:
                heappop(queue)
                self.attend()
                continue
            if not self._governed():
                return
            if not is_live(head[3]):
                self._discard(head)
                continue
            if self.pace is not None and self.pace.governs and not self.pace.admit(self.now, head[0]):
                continue
            ties = self._ties(head)
            place = 0
            step = None
            if self.chooser is not None and not isinstance(ties[0][3], Finish):
                places, pending = offered(ties)
                chosen = self.chooser.pick(pending)
                place = places[chosen]
                step = pending[chosen]
            entry = ties.pop(place)
            for other in ties:
                heappush(queue, other)
            self._make_step(entry, step)

    def _ties(self, first: Entry) -> list[Entry]:
        """The events that could be next, out of the queue, in default order."""
        take(self, first)
        ties = [first]
        if self.chooser is not None:
            while self.queue and (head := self.queue[0])[0] == first[0] and head[1] == first[1]:
                if is_live(head[3]):
                    take(self, head)
                    ties.append(head)
                else:
                    self._discard(head)
        return ties

    def _discard(self, entry: Entry) -> None:
        take(self, entry)
        if isinstance(entry[3], Timer):
            self.cancelled_timers -= 1

    def _make_step(self, entry: Entry, pending: Pending | None) -> None:
        time, at_level, _, what = entry
        if pending is not None:
            self.step += 1
            self._step_level = at_level
            self.footprint = {INSTANT: False}
            self._cancelled_keys = []
            strand = program_of(what)
            if strand is not None:
                strand.steps += 1
                strand.made = self.step
                self.footprint[f"process:{strand.process.name}"] = False
        heappush(self.queue, GATE)  # the program will take this for the next event, and come back with it
        try:
            if isinstance(what, Strand):
                self.now = time
                handed = what.switch()
            else:
                handed = what.fire(time)
            if handed is not None:
                handed[3].fire(handed[0])
            if self.recheck:
                self.deadlock_check()
        finally:
            if self.queue[0] is GATE:
                heappop(self.queue)
            if pending is not None and self.chooser is not None and self.footprint is not None:
                self.chooser.after(Step(self.step, pending, self.footprint, tuple(self._cancelled_keys)))
