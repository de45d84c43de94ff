"""The kernel: one clock for the programs, sensors, devices and motions of a cell.

A :class:`Kernel` holds the clock and the event queue. Its parts do the rest: ``processes`` (programs), ``deadlock``,
``inbox`` and ``tape`` (input from outside), ``journal`` and ``tracks`` (the record of the run), a chooser and a pace.
:mod:`drycell.kernel.loop` runs the queue.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from heapq import heapify, heappop, heappush
from random import Random
from typing import Any, Final, NoReturn, Protocol, TypeVar

from drycell.base import BusyWait, DrycellError, KernelError, UnknownName
from drycell.kernel.chooser import Chooser, Key
from drycell.kernel.clock import END_LEVEL, FOREVER, Rank, clock_text, level, seconds
from drycell.kernel.deadlock import DeadlockMonitor
from drycell.kernel.event import (
    Attention,
    Ending,
    Entry,
    Event,
    Failure,
    Fibre,
    Finish,
    RunEnd,
    Timer,
    current_fibre,
    getcurrent,
    greenlet,
    is_live,
    program_of,
)
from drycell.kernel.journal import Journal
from drycell.kernel.loop import INSTANT, run_events
from drycell.kernel.outside import (
    ATTEND,
    BEFORE,
    LATE,
    OUTSIDE,
    Arguments,
    Done,
    Inbox,
    Request,
    Tape,
    TapeRow,
    checked_request,
    checked_who,
    interrupt_calls,
    set_request,
    settable,
)
from drycell.kernel.pace import Pace
from drycell.kernel.process import Blocked, Process, Processes
from drycell.kernel.signal import Signal, V
from drycell.kernel.ticker import Grid, Ticker, TickerGroup
from drycell.kernel.track import Track, Tracks
from drycell.kernel.watchdog import Stalled, watched

T = TypeVar("T")
BUSY_LIMIT: Final = 100_000
_BUSY_LOOKS: Final = 6
_TIDY_ABOVE: Final = 256


class Observer(Protocol):
    """Examines past intervals of the run, such as a collision monitor."""

    def settle(self, until: int) -> None:
        """Examine everything up to a time, and write late records about it."""


class Actor(Protocol):
    """Something that acts outside any program: a timer, a ticker, a request."""

    @property
    def owner(self) -> str: ...

    @property
    def turn(self) -> tuple[int, int]:
        """Its level and its position in the order of an instant."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a run. ``ending`` is 'finished' (all programs ended), 'until' (time limit), 'deadlock' (no program
    can continue), 'stopped' (by ``kernel.stop``, see ``reason``) or 'interrupted' (Ctrl-C or SIGTERM)."""

    ending: Ending
    time: int
    """In ticks."""
    blocked: tuple[Blocked, ...] = ()
    reason: str = ""

    @property
    def stuck(self) -> tuple[Blocked, ...]:
        """The programs that can never continue, with the daemons that are stuck with them."""
        dead = self.ending == "deadlock"
        return tuple(each for each in self.blocked if each.stuck_since is not None or (dead and not each.daemon))

    def __str__(self) -> str:
        head = f"{self.ending} at {seconds(self.time):.3f} s" + (f": {self.reason}" if self.reason else "")
        return "\n".join([head, *(f"  {blocked}" for blocked in self.blocked)])


class Streams:
    """Random streams, each derived from a seed and the name of its owner. Drawing from one never affects another."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._streams: dict[str, Random] = {}

    def of(self, owner: str) -> Random:
        """Return the owner's stream; the same object every time."""
        stream = self._streams.get(owner)
        if stream is None:
            digest = sha256(f"{self._seed}/{owner}".encode()).digest()
            stream = self._streams[owner] = Random(int.from_bytes(digest, "big"))
        return stream


class Kernel:
    """Runs programs, timers and tickers on one clock, in the same way every time for the same seed and choices.

    A kernel lives on one thread and runs once. Other threads may only call ``request``, ``set_signals``, ``post``,
    ``inspect`` and ``stop``.
    """

    __slots__ = (
        "_attention", "_busy", "_end_wanted", "_groups", "_observers", "_ran", "_serials", "_settling_due",
        "_streams", "actor", "budget", "cancelled_keys", "cancelled_timers", "chooser", "deadlock", "footprint",
        "hub", "inbox", "inspections", "journal", "last_look", "now", "pace", "patience", "preempted",
        "processes", "queue", "requests", "running", "seed", "sequence", "signals", "step", "step_level",
        "tape", "thread", "ticking_level", "tracks", "writes",
    )  # fmt: skip

    def __init__(self, seed: int = 0, chooser: Chooser | None = None, journal: Journal | None = None) -> None:
        self.seed = seed
        self.now = 0
        """Cell time, in ticks."""
        self.queue: list[Entry] = []
        self.sequence = 0
        self.hub: greenlet = getcurrent()
        self.thread: int | None = None
        self.running = False
        self._ran = False
        self.chooser = chooser
        self.pace: Pace | None = None
        self.actor: Actor | None = None
        self.ticking_level = -1
        """The level of the tickers that are running; ``preempted`` when something before them is scheduled."""
        self.preempted = False
        self.cancelled_timers = 0
        # What a step touched is kept only for a chooser. Without one, `budget` counts down to the next check for a
        # busy wait; with one it stays below zero, so that the one test in Signal.value serves both.
        self.step = -1
        self.step_level = -1
        self.footprint: dict[str, bool] | None = None if chooser is None else {}
        self.cancelled_keys: list[Key] = []
        self.budget = BUSY_LIMIT if chooser is None else -1
        self.writes = 0
        self._busy: tuple[int, int, Fibre | None] = (-1, 0, None)
        self._serials: dict[str, int] = {}

        self.journal = journal if journal is not None else Journal()
        self.journal.attach(self)
        self.journal.on_full = self._settle_soon
        self.tracks = Tracks()
        """The record of everything except signals and motions: states, waits, moves, parts."""
        self.signals: dict[str, Signal[Any]] = {}
        self.deadlock = DeadlockMonitor(self)
        self.processes = Processes(self)
        self.patience: float | None = 30.0
        """Seconds of real time after which a program that computes without using the clock is aborted; None: never."""
        self.last_look: Callable[[], None] | None = None
        """Called when the run is over, while its programs are still where they were: to keep what they did last."""
        self._streams = Streams(seed)
        self._groups: dict[tuple[Grid, int], TickerGroup] = {}
        self._observers: list[Observer] = []
        self._settling_due = False

        self.requests: dict[str, Request] = {"set": set_request(self)}
        """The requests that can be made from outside, by name."""
        self.inbox = Inbox(self)
        self.tape = Tape(self)
        self.inspections: deque[Callable[[], object]] = deque()
        """Pending inspections by other threads, see :meth:`inspect`."""
        self._end_wanted: tuple[Ending, str] | None = None
        # Always the same entry: comparing it with itself stops at identity.
        self._attention: Entry = (-1, 0, 0, Attention(self))

    # -- elements of a cell

    def at(
        self,
        time: int,
        action: Callable[[], object],
        rank: Rank = Rank.DEVICE,
        owner: str = "",
        *,
        writes: Sequence[Signal[Any]] | None = None,
    ) -> Timer:
        """Call an action at a time (in ticks, now or later).

        ``writes`` lists the signals that the action can set, directly or indirectly; () means none that a program waits
        for, None means unknown. It is used only to distinguish a deadlock from a pause.
        """
        self.check_thread()
        if time < self.now:
            raise KernelError(
                f"{owner or 'a timer'} asks for {clock_text(time)} s, but it is already {clock_text(self.now)} s",
                hint="time never runs backwards: use kernel.now or later",
            )
        at_level = level(rank)
        timer = Timer(self, time, action, owner or self.actor_name() or "timer", writes, at_level)
        if self.chooser is not None:
            self.note_write(f"timers:{timer.owner}")  # the events of one owner keep their order of creation
        if time == self.now:
            self.spend()  # an endless chain of events at one instant is also a busy wait
        self.schedule(time, at_level, timer)
        return timer

    def every(
        self,
        period: int | Fraction,
        action: Callable[[], object],
        *,
        phase: int = 0,
        rank: Rank = Rank.SENSOR,
        owner: str = "",
        writes: Sequence[Signal[Any]] | None = None,
    ) -> Ticker:
        """Call an action at phase, phase + period, …: in ticks, or as a Fraction of seconds, which is exact.

        The first call is at ``phase`` for a ticker created before the run, or at the next instant of that grid for one
        created during the run. Tickers with the same period, phase and rank share one event. ``writes`` as in
        :meth:`at`.
        """
        self.check_thread()
        key = (Grid.of(period, phase), level(rank))
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = TickerGroup(self, len(self._groups), *key)
        return group.add(action, owner or f"ticker {len(self._groups)}.{group.numbered + 1}", writes)

    def spawn(
        self,
        function: Callable[..., object],
        *args: object,
        name: str | None = None,
        daemon: bool = False,
        priority: int = 0,
        writes: Sequence[Signal[Any]] | None = None,
    ) -> Process:
        """Start a program at this instant. The run ends with the last program that is not a daemon.

        At one instant, a program with a higher priority runs first. ``writes`` as in :meth:`at`.
        """
        return self.processes.spawn(function, args, name, daemon, priority, writes)

    def next_sample(self, after: int) -> int | None:
        """Return the first instant after a time at which the most frequent ticker is due, asleep or not; None without
        tickers."""
        grids = [grid for (grid, _), group in self._groups.items() if group.tickers]
        if not grids:
            return None
        quickest = min(grid.period for grid in grids)
        return min(grid.time(grid.after(after)) for grid in grids if grid.period == quickest)

    def signal(self, name: str, initial: V, *, unit: str = "", quiet: bool = False) -> Signal[V]:
        """Add a signal. Changes of a quiet signal are not written to the journal.

        Raises:
            KernelError: There is a signal with that name.
        """
        if name in self.signals:
            raise KernelError(f"there is already a signal '{name}'", hint="give it another name")
        made: Signal[V] = Signal(self, name, initial, unit=unit, quiet=quiet)
        self.signals[name] = made
        return made

    def signal_named(self, name: str) -> Signal[Any]:
        """Return the signal with a name."""
        try:
            return self.signals[name]
        except KeyError:
            raise UnknownName("signal", name, self.signals) from None

    def random(self, owner: str) -> Random:
        """Return the random stream of an owner: derived from the seed and the name, independent of all other streams.

        If several programs draw from it, ask for it at every draw instead of keeping it: a search sees only the call.
        """
        self.note_write(f"random:{owner}")
        return self._streams.of(owner)

    def choose(self, name: str, options: Sequence[T]) -> T:
        """Return one of several options, selected by the chooser or, without one, by the choice's own random stream."""
        if not options:
            raise KernelError(
                f"choice '{name}' has no options", hint=f"give at least one: choose({name!r}, ['good', 'bad'])"
            )
        self.note_write(f"choice:{name}")
        if self.chooser is None:
            index = self._streams.of(f"choice/{name}").randrange(len(options))
        else:
            index = self.chooser.value(name, len(options))
        self.journal.write("choose", name, option=index, of=len(options))
        return options[index]

    def interval(self, name: str, low: float, high: float) -> float:
        """Return a number in ``low`` … ``high``, from the chooser or, without one, uniformly from its own stream."""
        _check_interval(name, low, high)
        if not low <= high:
            raise KernelError(f"interval '{name}' is empty: {low}..{high}", hint="give the lower limit first")
        self.note_write(f"choice:{name}")
        if self.chooser is None:
            value = self._streams.of(f"choice/{name}").uniform(low, high)
        else:
            value = self.chooser.interval(name, low, high)
        # + gives a plain number: a chooser may return one that records comparisons.
        self.journal.write("interval", name, value=+value, low=low, high=high)
        return value

    def warn(self, subject: str, text: str) -> None:
        """Warn of a probable mistake, in the journal and the summary; each text appears once per subject."""
        known: Track[str] = self.tracks.track("warnings", subject)
        if text not in known.values:
            known.append(self.now, text)
            self.journal.write("warning", subject, text=text)

    def add_observer(self, observer: Observer) -> None:
        """Add an observer, which settles before each release of the journal and at the end."""
        self._observers.append(observer)

    def settle(self) -> None:
        """Bring all observers up to date; records of earlier instants are then final and are released in order."""
        self._settle_observers()
        self.journal.release(before=self.now)

    # -- the run

    def run(self, until: int | None = None, *, pace: Pace | None = None) -> Outcome:
        """Run until all programs have ended, the time limit is reached (in ticks, including that instant), or no
        program can continue.

        Errors of programs and callbacks are raised. At the end, all remaining programs are ended where they are.
        """
        if self._ran:
            raise KernelError("this kernel has already run", hint="make a new Kernel for another run")
        end = FOREVER if until is None else until
        if end < self.now:
            raise KernelError(f"cannot run until {clock_text(end)} s: it is already {clock_text(self.now)} s")
        if pace is not None:
            pace.attach(self)
        self._ran = self.running = True
        self.hub = getcurrent()
        self.thread = threading.get_ident()
        heappush(self.queue, (end, END_LEVEL, 0, _Horizon(self)))
        if pace is not None:
            self.pace = pace
            self.inbox.attended |= pace.attended
            for program in self.processes.files:
                pace.adopt(program)
        if self.inbox.attended:
            self.tape.note(TapeRow(BEFORE, OUTSIDE, ATTEND, {}))
        self.tape.play_next()
        try:
            with interrupt_calls(lambda reason: self.inbox.stop("interrupted", reason)), watched(self, self.patience):
                run_events(self)
        except DrycellError as error:
            if error.where is None:  # for callbacks only: programs add their source line themselves
                error.where = f"{self.now / 1e6:.3f} s, '{self.actor_name()}', seed {self.seed}"
            raise
        except Stalled:
            raise self.stalled(f"'{self.actor_name()}'", f"{clock_text(self.now)} s") from None
        except RunEnd as ended:
            # A run that was ended from outside reports no stuck programs: a request from outside might have released
            # them.
            judged = ended.ending in ("until", "deadlock")
            stuck = self.deadlock.stuck() if judged else {}
            outcome = Outcome(ended.ending, self.now, tuple(self.processes.blocked(stuck)), ended.reason)
        finally:
            for process in self.processes.living():
                process.waits.close()
            if self.inbox.held_open:
                self.tape.note(TapeRow(self.now, OUTSIDE, LATE, {}))
            self.running = False
            try:
                if self.last_look is not None:
                    self.last_look()
            finally:
                self.processes.close()
                self.thread = None
                if pace is not None:
                    pace.detach()
        self._settle_observers()
        for blocked in outcome.blocked if outcome.ending == "deadlock" else outcome.stuck:
            self.journal.write("blocked", blocked.process, waits_for=blocked.waits_for, line=blocked.line)
        self.journal.write(
            "end", "run", ending=outcome.ending, **({"reason": outcome.reason} if outcome.reason else {})
        )
        self.journal.release()
        return outcome

    # -- from other threads

    def request(self, what: str, arguments: Arguments, who: str = OUTSIDE, *, done: Done | None = None) -> None:
        """Execute a named request on the cell's thread, after all other events of the instant.

        It is journalled and kept on the tape with its arguments, which are plain JSON, so a recording repeats it.
        """
        self.inbox.request(what, arguments, who, done)

    def set_signals(self, values: Mapping[str, Any], who: str = OUTSIDE) -> None:
        """Request new values for signals, set in one step. May be called from any thread."""
        self.request("set", settable(self, values), who)

    def post(self, action: Callable[[], object], note: str, who: str = OUTSIDE) -> None:
        """Call a function on the cell's thread, after all other events of the instant; the note is journalled.

        The tape stores only the note, so a run in which the function changes something cannot be repeated from its
        recording. If that matters, use :meth:`request` (for a cell: ``cell.post``).
        """
        self.inbox.post(action, note, who)

    def inspect(self, action: Callable[[], object]) -> None:
        """Read something on the cell's thread, at the next event boundary or at the line where the run is paused. This
        is not journalled, takes no cell time and must not change anything. Exceptions are raised from ``run``.
        """
        self.inspections.append(action)
        self.interrupt()

    def stop(self, reason: str) -> None:
        """End the run at the end of this instant. May be called from any thread.

        It is kept on the tape. To end a run from within the cell, use :meth:`end`.
        """
        self.inbox.stop("stopped", reason)

    def end(self, ending: Ending, reason: str) -> None:
        """End the run from within the cell, at the next event boundary; the first call sets the reason."""
        if self._end_wanted is None:
            self._end_wanted = (ending, reason)
        self.preempted = self.ticking_level >= 0
        self.interrupt()

    @property
    def ending(self) -> bool:
        """Whether the end of the run was requested."""
        return self._end_wanted is not None or self.inbox.stop_wanted is not None

    def do_before(self, what: str, arguments: Arguments, who: str = OUTSIDE) -> DrycellError | None:
        """Execute a request immediately, before the run. It is kept on the tape, but not journalled."""
        if self._ran:
            raise KernelError("the run has begun", hint="use kernel.request(what, arguments)")
        kept = checked_request(self, what, arguments)
        self.tape.note(TapeRow(BEFORE, checked_who(who), what, kept))
        return self.requests[what].carry_out(who, kept)

    def play(self, rows: Iterable[TapeRow]) -> None:
        """Repeat the requests of another run, at the same ticks and in the same order.

        Call it before the run. Rows for posted functions are only journalled.
        """
        self.tape.insert(rows)

    # -- the attention of the loop

    def call_attention(self) -> None:
        """Make the loop serve other threads at the next event boundary."""
        heappush(self.queue, self._attention)

    def interrupt(self) -> None:
        """Make the loop serve other threads at the next event boundary, or now if a pace holds it."""
        self.call_attention()
        if self.pace is not None:
            self.pace.nudge()

    def wants_attention(self) -> bool:
        """Whether the loop was asked to serve other threads."""
        return self.queue[0][0] < 0

    def attend(self) -> None:
        """Serve pending inspections, requests, settlements and the end of the run."""
        if self.inspections:
            self.serve_inspections()
        self.inbox.take()
        if self._settling_due:
            self._settling_due = False
            self.settle()
        if self._end_wanted is not None:
            raise RunEnd(*self._end_wanted)

    def serve_inspections(self) -> None:
        """Serve the inspections requested so far; new ones wait, so that they cannot keep the run from continuing."""
        for _ in range(len(self.inspections)):
            action = self.inspections.popleft()
            # An inspection leaves no footprint, and does not count towards a busy wait.
            footprint, budget, writes = self.footprint, self.budget, self.writes
            self.footprint, self.budget = None, FOREVER
            try:
                action()
            finally:
                self.footprint, self.budget, self.writes = footprint, budget, writes

    # -- the queue

    def schedule(self, time: int, at_level: int, what: Fibre | Event) -> None:
        """Put an entry in the queue."""
        self.sequence = sequence = self.sequence + 1
        if at_level < self.ticking_level and time == self.now:
            self.preempted = True
        if self.footprint is not None and at_level < self.step_level and time == self.now:
            self.footprint[INSTANT] = True
        heappush(self.queue, (time, at_level, sequence, what))

    def unschedule(self, fibre: Fibre) -> None:
        """Remove a program's next step (or its start) from the queue; this races with the step that causes it."""
        if self.footprint is not None:
            self.cancelled_keys.append((fibre.process.name, fibre.steps))
            fibre.steps += 1  # its replacement is a new event
        self._rebuild(lambda what: program_of(what) is not fibre)

    def withdraw(self, event: Event) -> None:
        """Take an event out of the queue."""
        self._rebuild(lambda what: what is not event)

    def wake(self, fibre: Fibre) -> None:
        """Resume a program that waited, at this instant."""
        if self.footprint is not None:
            self.note_write(f"wait:{fibre.process.name}")
            fibre.made = self.step
        self.schedule(self.now, fibre.level, fibre)

    def block(self, me: Fibre) -> None:
        """Switch to other programs until something switches back to this one."""
        entry = heappop(self.queue)
        what = entry[3]
        if what.__class__ is Fibre:
            self.now = entry[0]
            if what is not me:
                what.switch()
        else:
            self.hub.switch(entry)

    def timer_cancelled(self, timer: Timer) -> None:
        """Count a timer that will not fire; clean up the queue when most entries are such timers."""
        self.cancelled_timers += 1
        if self.footprint is not None:
            self.cancelled_keys.append((timer.owner, timer.serial))
        if self.cancelled_timers > _TIDY_ABOVE and self.cancelled_timers * 2 > len(self.queue):
            self._rebuild(is_live)
            self.cancelled_timers = 0

    def serial(self, owner: str) -> int:
        """Return the number of an owner's next timer."""
        number = self._serials[owner] = self._serials.get(owner, -1) + 1
        return number

    def _rebuild(self, keep: Callable[[Fibre | Event], bool]) -> None:
        # From an atomic copy: another thread may move entries, and one could be seen twice.
        self.queue[:] = [entry for entry in self.queue.copy() if keep(entry[3])]
        heapify(self.queue)
        self.call_attention()  # an entry of another thread may have appeared and gone while the list was copied

    # -- footprints and busy waits

    def note_read(self, name: str) -> None:
        """Note that the step reads a name."""
        self.budget -= 1
        if self.budget < 0:
            self.read_slowly(name)

    def spend(self) -> None:
        """Note that the step does something that touches no name, but counts towards a busy wait."""
        self.budget -= 1
        if self.budget < (0 if self.footprint is None else -BUSY_LIMIT):
            self._look_for_busy_wait()

    def read_slowly(self, name: str) -> None:
        """The slow path of a read: leave a footprint, or check for a busy wait."""
        if self.footprint is not None:
            self.footprint.setdefault(name, False)
            if self.budget >= -BUSY_LIMIT:
                return
        self._look_for_busy_wait()

    def note_write(self, name: str) -> None:
        """Note that the step writes a name."""
        self.writes += 1
        self.note_read(name)
        if self.footprint is not None:
            self.footprint[name] = True

    def _look_for_busy_wait(self) -> None:
        # Many programs or sensors together may legitimately exceed the limit at one instant; a single one must not, nor
        # may all together exceed several times the limit.
        self.budget = BUSY_LIMIT if self.footprint is None else -1
        who = current_fibre()
        since, looks, suspect = self._busy
        looks = looks + 1 if since == self.now else 0
        self._busy = (self.now, looks, who)
        if self.running and (looks >= _BUSY_LOOKS or (looks and suspect is who and who.__class__ is Fibre)):
            if who.__class__ is Fibre:
                name, where = f"program '{who.process.name}'", who.process.place()
            else:
                name, where = f"'{self.actor_name()}'", f"{clock_text(self.now)} s"
            self.abort(
                BusyWait(
                    f"{name} stops the clock: more than {BUSY_LIMIT} reads, writes, satisfied waits and "
                    "zero delays at one instant",
                    where=where,
                    hint="use wait(condition) instead of polling in a loop, or add delay(0.01) to the loop",
                )
            )

    def renew_budget(self) -> None:
        """Restart the count of actions at this instant. For interpreters, which detect endless loops themselves."""
        if self.footprint is None:
            self.budget = BUSY_LIMIT
            self._busy = (-1, 0, None)

    def actor_name(self) -> str:
        """Return the current actor: the running program, or the owner of the callback."""
        me = current_fibre()
        if me.__class__ is Fibre:
            return me.process.name
        return self.actor.owner if self.actor is not None else ""

    def turn(self) -> tuple[int, int]:
        """Return the level and position of the current actor in this instant's order: everything before it has run."""
        me = current_fibre()
        if me.__class__ is Fibre:
            return me.level, 0
        return self.actor.turn if self.actor is not None else (-1, 0)

    def abort(self, error: BaseException) -> NoReturn:
        """Raise an error from ``run``; the running program cannot catch it."""
        if current_fibre().__class__ is Fibre:
            self.hub.switch((-1, 0, 0, Failure(error)))
        raise error

    def stalled(self, who: str, where: str) -> BusyWait:
        """Return the error about a program or callback that computes endlessly."""
        return BusyWait(
            f"{who} has computed for more than {self.patience} s without using the clock",
            where=where,
            hint="use wait(condition) or delay(0.01) in the loop; if it needs that long, set kernel.patience = None",
        )

    def check_thread(self) -> None:
        """Raise an error if the call comes from a thread other than the run's own."""
        if self.thread is not None and self.thread != threading.get_ident():
            raise KernelError(
                "a running kernel was called from another thread",
                hint="use cell.post({signal: value}), or kernel.post(function, note)",
            )

    def _settle_soon(self) -> None:
        self._settling_due = True
        self.call_attention()

    def _settle_observers(self) -> None:
        for observer in self._observers:
            observer.settle(self.now)


class _Horizon(Finish):
    """The last entry of the queue: the time limit, or the end of all events."""

    __slots__ = ("_kernel",)

    def __init__(self, kernel: Kernel) -> None:
        super().__init__("until")
        self._kernel = kernel

    def fire(self, time: int) -> Entry | None:
        if time < FOREVER:
            self._kernel.now = time
            raise RunEnd("until")
        waiting = any(not process.daemon for process in self._kernel.processes.living())
        raise RunEnd("deadlock" if waiting else "finished")


def _check_interval(name: object, low: object, high: object) -> None:
    """Check a name and its limits; they are easily swapped, and times in cell files have units."""
    if not isinstance(name, str) or isinstance(low, str) or isinstance(high, str):
        raise KernelError(
            f"an interval takes a name and two numbers, not {name!r}, {low!r}, {high!r}",
            hint="write for example interval('part comes', 30, 60)",
        )
