"""The kernel: one clock for the programs, sensors, devices and motions of a cell."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from heapq import heappush
from random import Random
from typing import Any, Final, Protocol, TypeVar

from drycell.base import BusyWait, DrycellError, KernelError, UnknownName
from drycell.kernel.chooser import Chooser
from drycell.kernel.clock import FOREVER, clock_text
from drycell.kernel.events import Finish, play_next
from drycell.kernel.interrupt import interrupt_calls
from drycell.kernel.journal import Journal
from drycell.kernel.outcome import Ending, Outcome, RunEnd
from drycell.kernel.pacing import Pace
from drycell.kernel.population import Population
from drycell.kernel.rank import END_LEVEL, Rank, level
from drycell.kernel.signal import Signal, V
from drycell.kernel.strand import Entry, getcurrent
from drycell.kernel.streams import Streams
from drycell.kernel.tape import (
    ATTEND,
    BEFORE,
    CODE,
    LATE,
    OUTSIDE,
    Arguments,
    Request,
    Row,
    Tape,
    checked_who,
    plain,
    stop_row,
)
from drycell.kernel.ticker import Grid, Ticker, TickerGroup
from drycell.kernel.timer import Timer
from drycell.kernel.watchdog import Stalled, watched

T = TypeVar("T")
_WIDEST: Final = 1 << 63  # what a recording keeps of whole numbers


class Observer(Protocol):
    """Looks at the cell after the fact, such as a collision monitor."""

    def settle(self, until: int) -> None:
        """Look at everything up to a time, and write late records about it."""


class Kernel(Population):
    """Runs programs, timers and tickers on one clock, the same way every time for the same seed and choices.

    A kernel lives on one thread and runs once. Other threads may call ``request``, ``set_signals``, ``post``, ``look``
    and ``stop`` only.
    """

    __slots__ = (
        "_groups", "_observers", "_ran", "_streams", "patience", "requests", "seed", "signals", "tape",
    )  # fmt: skip

    def __init__(self, seed: int = 0, chooser: Chooser | None = None, journal: Journal | None = None) -> None:
        super().__init__(chooser, journal if journal is not None else Journal())
        self.seed = seed
        self.journal.attach(self)
        self.journal.on_full = self._settle_soon
        self.signals: dict[str, Signal[Any]] = {}
        self.patience: float | None = 30.0
        """Seconds outside after which a program that computes without using the clock is given up; None: never."""
        self.requests: dict[str, Request] = {"set": Request(_set_text, self._set)}
        """What can be asked of the run from outside, by name."""
        self.tape = Tape(self)
        self._streams = Streams(seed)
        self._groups: dict[tuple[Grid, int], TickerGroup] = {}
        self._observers: list[Observer] = []
        self._ran = False

    # -- what a cell is made of

    def at(
        self,
        time: int,
        action: Callable[[], object],
        rank: Rank = Rank.DEVICE,
        owner: str = "",
        *,
        writes: Sequence[Signal[Any]] | None = None,
    ) -> Timer:
        """Do something at a time (in ticks, now or later).

        ``writes`` promises which signals the action can set, directly or by what it starts; with () it sets none that
        a program waits for. None: nothing is known. It is only used to tell a deadlock from a pause.
        """
        self.check_thread()
        if time < self.now:
            raise KernelError(
                f"{owner or 'a timer'} asks for {clock_text(time)} s, but it is {clock_text(self.now)} s already",
                hint="time never goes back: use kernel.now or later",
            )
        timer = Timer(self, time, action, owner or self.actor_name() or "timer", writes, level(rank))
        if self.chooser is not None:
            timer.serial = self.serial(timer.owner)
            self.note_write(f"timers:{timer.owner}")  # the events of one owner keep the order they were made in
        if time == self.now:
            self.spend()  # things that follow each other without end at one instant are a busy wait, too
        self.schedule(time, level(rank), timer)
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
        """Do something at phase, phase + period, …: in ticks, or a Fraction of seconds, kept exactly.

        The first time is ``phase`` itself for a ticker made before the run, the next instant of that grid for one
        made in it. Tickers of one period, phase and rank share one event. ``writes`` as in :meth:`at`.
        """
        self.check_thread()
        key = (Grid.of(period, phase), level(rank))
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = TickerGroup(self, len(self._groups), *key)
        return group.add(action, owner or f"ticker {len(self._groups)}.{group.numbered + 1}", writes)

    def next_sample(self, after: int) -> int | None:
        """The first instant after a time at which whoever acts most often by :meth:`every` has its turn, be it asleep
        or not; None if nobody does."""
        grids = [grid for (grid, _), group in self._groups.items() if group.tickers]
        if not grids:
            return None
        quickest = min(grid.period for grid in grids)
        return min(grid.time(grid.after(after)) for grid in grids if grid.period == quickest)

    def signal(self, name: str, initial: V, *, unit: str = "", quiet: bool = False) -> Signal[V]:
        """A new signal under a name of its own. Changes of a quiet one are left out of the journal."""
        if name in self.signals:
            raise KernelError(f"there is a signal '{name}' already", hint="give it another name")
        made: Signal[V] = Signal(self, name, initial, unit=unit, quiet=quiet)
        self.signals[name] = made
        return made

    def signal_named(self, name: str) -> Signal[Any]:
        """The signal of a name."""
        try:
            return self.signals[name]
        except KeyError:
            raise UnknownName("signal", name, self.signals) from None

    def random(self, owner: str) -> Random:
        """The random stream of an owner: derived from the seed and the name, independent of all other streams.

        Ask for it at every draw rather than keep it, if several programs draw from it: a search sees only the asking.
        """
        self.note_write(f"random:{owner}")
        return self._streams.of(owner)

    def choose(self, name: str, options: Sequence[T]) -> T:
        """One of several options: by the chooser, or without one from the choice's own random stream."""
        if not options:
            raise KernelError(f"choice '{name}' has no options")
        self.note_write(f"choice:{name}")
        if self.chooser is None:
            index = self._streams.of(f"choice/{name}").randrange(len(options))
        else:
            index = self.chooser.value(name, len(options))
        self.journal.write("choose", name, option=index, of=len(options))
        return options[index]

    def interval(self, name: str, low: float, high: float) -> float:
        """A number from ``low`` to ``high``: by the chooser, or without one evenly from its own random stream."""
        _check_interval(name, low, high)
        if not low <= high:
            raise KernelError(f"interval '{name}' is empty: {low}..{high}", hint="give the lower limit first")
        self.note_write(f"choice:{name}")
        if self.chooser is None:
            value = self._streams.of(f"choice/{name}").uniform(low, high)
        else:
            value = self.chooser.interval(name, low, high)
        # +: the bare number, for a chooser may hand out one that tells what is done with it.
        self.journal.write("interval", name, value=+value, low=low, high=high)
        return value

    def add_observer(self, observer: Observer) -> None:
        """Have an observer settled whenever the journal is to be released, and at the end."""
        self._observers.append(observer)

    def settle(self) -> None:
        """Let all observers look up to now; then records of earlier instants are final and leave in order."""
        self._settle_observers()
        self.journal.release(before=self.now)

    # -- the run

    def run(self, until: int | None = None, *, pace: Pace | None = None) -> Outcome:
        """Run to the end: of all programs, of the time given (in ticks, that instant included), or of all hope.

        Errors of programs and callbacks are raised. In the end every program is ended where it stands.
        """
        if self._ran:
            raise KernelError("this kernel has run already", hint="make a new Kernel for another run")
        end = FOREVER if until is None else until
        if end < self.now:
            raise KernelError(f"cannot run until {clock_text(end)} s: it is {clock_text(self.now)} s already")
        if pace is not None:
            pace.attach(self)
        self._ran = self.running = True
        self.hub = getcurrent()
        self.thread = threading.get_ident()
        heappush(self.queue, (end, END_LEVEL, 0, _Horizon(self)))
        if pace is not None:
            self._go_by(pace)
        if self.attended:
            self.tape.note(Row(BEFORE, OUTSIDE, ATTEND, {}))
        play_next(self, self.tape.left)
        try:
            with interrupt_calls(lambda: self.stop_as("interrupted", "Ctrl-C")), watched(self, self.patience):
                self.loop()
        except DrycellError as error:
            if error.where is None:  # from a callback: programs say where themselves
                error.where = f"{self.now / 1e6:.3f} s, '{self.actor_name()}', seed {self.seed}"
            raise
        except Stalled:
            raise self.stalled(f"'{self.actor_name()}'", f"{clock_text(self.now)} s") from None
        except RunEnd as ended:
            outcome = Outcome(ended.ending, self.now, tuple(self.blocked()), ended.reason)
        finally:
            for process in self.living():
                process.waits.close()
            if self.held_open:
                self.tape.note(Row(self.now, OUTSIDE, LATE, {}))
            self.close()
            self.thread = None
            if pace is not None:
                pace.detach()
        self._settle_observers()
        for blocked in outcome.blocked if outcome.ending == "deadlock" else ():
            self.journal.write("blocked", blocked.process, waits_for=blocked.waits_for, line=blocked.line)
        self.journal.write(
            "end", "run", ending=outcome.ending, **({"reason": outcome.reason} if outcome.reason else {})
        )
        self.journal.release()
        return outcome

    # -- from outside

    def set_signals(self, values: Mapping[str, Any], who: str = OUTSIDE) -> None:
        """Request that signals get values, all of them in one act. May be called from any thread."""
        if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
            raise KernelError(
                f"values by the names of signals are wanted, not {_short(values)}",
                hint="write for example post({'plc.start': True})",
            )
        accepted = {name: self.signal_named(name).accepted(value) for name, value in values.items()}
        for name, value in accepted.items():
            if value.__class__ is int and not -_WIDEST <= value < _WIDEST:
                raise KernelError(
                    f"signal '{name}' cannot be posted {_short(value)}, which takes more than 64 bits",
                    hint="make it a float or a text",
                )
        self.request("set", accepted, who)

    def do_before(self, what: str, arguments: Arguments, who: str = OUTSIDE) -> DrycellError | None:
        """Carry out a request at once, before the run; it is kept on the tape, but not journalled."""
        if self._ran:
            raise KernelError("the run has begun", hint="request it: kernel.request(what, arguments)")
        kept = plain(what, arguments)
        self.check_request(what, kept)
        self.tape.note(Row(BEFORE, checked_who(who), what, kept))
        return self.requests[what].carry_out(who, kept)

    def play(self, rows: Iterable[Row]) -> None:
        """Have what came from outside in another run come again, at the same ticks and in the same order.

        Call it before the run. A row that was code is journalled, and nothing else happens.
        """
        self.tape.insert(rows)

    # -- for the other parts of the kernel

    def stalled(self, who: str, where: str) -> BusyWait:
        """The error about somebody who computes for ever."""
        return BusyWait(
            f"{who} has computed for more than {self.patience} s without using the clock",
            where=where,
            hint="wait(condition) or delay(0.01) in the loop; if it really needs that long, set kernel.patience = None",
        )

    def check_request(self, what: str, arguments: Arguments) -> None:
        """Raise if there is no such request, or not with these arguments."""
        if what not in self.requests:
            raise UnknownName("request", what, self.requests)
        self.requests[what].check(what, arguments)

    def carry_out(self, row: Row, action: Callable[[], object] | None) -> DrycellError | None:
        """Do what was asked for from outside, journalled and put on the tape; returns why it was refused."""
        self.tape.note(row)
        if row.what == CODE:
            self.journal.write("post", row.who, note=row.arguments["note"])
            if action is not None:
                action()
            return None
        request = self.requests[row.what]
        note = request.text(row.arguments)
        self.journal.write("post", row.who, note=note)
        refused = request.carry_out(row.who, row.arguments)
        if refused is not None:
            self.journal.write("refused", row.who, note=note, reason=refused.what)
        return refused

    def note_stop(self, ending: Ending, reason: str) -> None:
        """Put down that the run was ended from outside."""
        self.held_open = False
        self.tape.note(stop_row(self.now, ending, reason))

    def _set(self, who: str, values: Arguments) -> DrycellError | None:
        try:
            # All of them are looked at first: a request is carried out as a whole, or not at all.
            signals = [(self.signal_named(name), value) for name, value in values.items()]
            accepted = [(signal, signal.accepted(value)) for signal, value in signals]
        except DrycellError as error:
            return error
        for signal, value in accepted:
            signal.set(value, who)
        return None

    def _go_by(self, pace: Pace) -> None:
        self.pace = self._pace = pace
        self.attended |= pace.attended
        for program in self.programs:
            pace.adopt(program)

    def _settle_soon(self) -> None:
        self._settling_due = True
        self.call_attention()

    def _settle_observers(self) -> None:
        for observer in self._observers:
            observer.settle(self.now)


class _Horizon(Finish):
    """The last entry of the queue: the time is up, or nothing is left to happen."""

    __slots__ = ("_kernel",)

    def __init__(self, kernel: Kernel) -> None:
        super().__init__("until")
        self._kernel = kernel

    def fire(self, time: int) -> Entry | None:
        if time < FOREVER:
            self._kernel.now = time
            raise RunEnd("until")
        waiting = any(not process.daemon for process in self._kernel.living())
        raise RunEnd("deadlock" if waiting else "finished")


def _set_text(values: Arguments) -> str:
    return "set " + ", ".join(f"{name} = {value!r}" for name, value in values.items())


def _short(value: object) -> str:
    told = repr(value)
    return told if len(told) <= 60 else told[:59] + "…"


def _check_interval(name: object, low: object, high: object) -> None:
    """Whether these are a name and its limits; the order is easily mistaken, and times of cell files have units."""
    if not isinstance(name, str) or isinstance(low, str) or isinstance(high, str):
        raise KernelError(
            f"an interval is a name and two numbers, not {name!r}, {low!r}, {high!r}",
            hint="write for example interval('part comes', 30, 60)",
        )
