"""The kernel: one clock for the programs, sensors, devices and motions of a cell."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from heapq import heappush
from random import Random
from typing import Any, Final, Protocol, TypeVar

from drycell.errors import KernelError, UnknownName
from drycell.kernel.chooser import Chooser
from drycell.kernel.clock import FOREVER, clock_text
from drycell.kernel.deadlock import is_deadlocked
from drycell.kernel.interrupt import interrupt_calls
from drycell.kernel.journal import Journal
from drycell.kernel.outcome import Blocked, Outcome, RunEnd
from drycell.kernel.process import Cancelled, Process, Start
from drycell.kernel.rank import END_LEVEL, Rank, level
from drycell.kernel.scheduler import Failure, Finish, Pacing, Scheduler
from drycell.kernel.signal import Signal, V
from drycell.kernel.strand import Entry, Strand, getcurrent
from drycell.kernel.streams import Streams
from drycell.kernel.ticker import Grid, Ticker, TickerGroup
from drycell.kernel.timer import Timer
from drycell.kernel.waiter import Waiter

T = TypeVar("T")
_STUBBORN_AFTER: Final = 1000
_stubborn: Final[list[Strand]] = []
"""Programs that would not die with their run (a bare ``except:`` around a blocking verb): parked for ever."""


class Observer(Protocol):
    """Looks at the cell after the fact, such as a crash monitor."""

    def settle(self, until: int) -> None:
        """Look at everything up to a time, and write late records about it."""


class Kernel(Scheduler):
    """Runs programs, timers and tickers on one clock, the same way every time for the same seed and choices.

    A kernel lives on one thread and runs once. Other threads may call ``post`` and ``stop`` only.
    """

    __slots__ = (
        "_closed", "_groups", "_live", "_living", "_observers", "_ran", "_refused", "_streams", "_stuck",
        "history_limit", "journal", "processes", "seed", "signals",
    )  # fmt: skip

    def __init__(self, seed: int = 0, chooser: Chooser | None = None, journal: Journal | None = None) -> None:
        super().__init__(chooser)
        self.seed = seed
        self.journal = journal if journal is not None else Journal()
        self.journal.attach(self)
        self.journal.on_full = self._settle_soon
        self.signals: dict[str, Signal[Any]] = {}
        self.processes: list[Process] = []
        """Programs started before the run, and those started in it that have not ended."""
        self.history_limit: int | None = None
        """How many changes each signal remembers at least; None: all."""
        self._streams = Streams(seed)
        self._groups: dict[tuple[Grid, int], TickerGroup] = {}
        self._observers: list[Observer] = []
        self._living: dict[str, Process] = {}
        self._live = 0
        self._stuck = 0
        self._ran = False
        self._closed = False
        self._refused = 0

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
        self._check_thread()
        if time < self.now:
            raise KernelError(
                f"{owner or 'a timer'} asks for {clock_text(time)} s, but it is {clock_text(self.now)} s already",
                hint="time never goes back: use kernel.now or later",
            )
        timer = Timer(self, time, action, owner or self.actor_name() or "timer", writes)
        if self.chooser is not None:
            timer.serial = self.serial(timer.owner)
        if time == self.now:
            self.note_read("")  # things that follow each other without end at one instant are a busy wait, too
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
        self._check_thread()
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
        """Start a program at this instant. The run ends with the last program that is no daemon.

        A higher priority goes first at one instant. ``writes`` as in :meth:`at`.
        """
        self._check_thread()
        if self._closed:
            raise KernelError("the run has ended: no program can be started any more", hint="make a new Kernel")
        wanted = name or str(getattr(function, "__name__", type(function).__name__))
        unique, number = wanted, 1
        while unique in self._living:
            number += 1
            unique = f"{wanted}#{number}"
        process = Process(
            self, function, args, name=unique, daemon=daemon, level=level(Rank.PROGRAM, priority), writes=writes
        )
        self.note_write(f"process:{unique}")
        self._living[unique] = process
        self.processes.append(process)
        self._live += not daemon
        self.watching = False
        self.journal.write("start", unique)
        self.schedule(self.now, process.level, Start(process))
        return process

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
        """The random stream of an owner: derived from the seed and the name, independent of all other streams."""
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
        if not low <= high:
            raise KernelError(f"interval '{name}' is empty: {low}..{high}", hint="give the lower limit first")
        self.note_write(f"choice:{name}")
        if self.chooser is None:
            value = self._streams.of(f"choice/{name}").uniform(low, high)
        else:
            value = self.chooser.interval(name, low, high)
        self.journal.write("interval", name, value=value, low=low, high=high)
        return value

    def add_observer(self, observer: Observer) -> None:
        """Have an observer settled whenever the journal is to be released, and at the end."""
        self._observers.append(observer)

    def settle(self) -> None:
        """Let all observers look up to now; then records of earlier instants are final and leave in order."""
        self._settle_observers()
        self.journal.release(before=self.now)

    # -- the run

    def run(self, until: int | None = None, *, pace: Pacing | None = None) -> Outcome:
        """Run to the end: of all programs, of the time given (in ticks, that instant included), or of all hope.

        Errors of programs and callbacks are raised. In the end every program is ended where it stands.
        """
        if self._ran:
            raise KernelError("this kernel has run already", hint="make a new Kernel for another run")
        end = FOREVER if until is None else until
        if end < self.now:
            raise KernelError(f"cannot run until {clock_text(end)} s: it is {clock_text(self.now)} s already")
        self._ran = self.running = True
        self.hub = getcurrent()
        self.thread = threading.get_ident()
        self.pace = pace
        heappush(self.queue, (end, END_LEVEL, 0, _Horizon(self)))
        try:
            with interrupt_calls(lambda: self.end("interrupted", "Ctrl-C")):
                self.loop()
        except RunEnd as ended:
            outcome = Outcome(ended.ending, self.now, tuple(self._blocked()), ended.reason)
        finally:
            self.close()
            self.thread = None
        self._settle_observers()
        for blocked in outcome.blocked if outcome.ending == "deadlock" else ():
            self.journal.write("blocked", blocked.process, waits_for=blocked.waits_for, line=blocked.line)
        self.journal.write(
            "end", "run", ending=outcome.ending, **({"reason": outcome.reason} if outcome.reason else {})
        )
        self.journal.release()
        return outcome

    def stop(self, reason: str) -> None:
        """End the run at the current event boundary. May be called from any thread."""
        self.end("stopped", reason)

    def close(self) -> None:
        """End every program where it stands: its ``finally`` blocks run, but can block no more."""
        if self._closed:
            return
        self._closed = True
        self.running = False
        for process in self.living():
            strand = process.strand
            if strand.waiter is not None:
                strand.waiter.finish()
            if strand:
                if hasattr(strand, "kernel"):
                    del strand.kernel
                strand.parent = getcurrent()
                strand.throw(Cancelled)
            process.alive = False
        self._living.clear()

    def living(self) -> list[Process]:
        """All programs that have not ended, in the order in which they were started."""
        return list(self._living.values())

    # -- for the other parts of the kernel

    def time_out(self, waiter: Waiter, span: int) -> Timer:
        """The timer that ends a wait."""
        strand = waiter.strand
        timer = Timer(self, self.now + span, waiter.time_out, f"{strand.process.name}.timeout", ())
        if self.chooser is not None:
            timer.serial = self.serial(timer.owner)
        self.schedule(timer.time, strand.level, timer)
        return timer

    def stick(self, me: Strand) -> None:
        """A program is about to wait without a time-out: the last one that could may find itself in a deadlock."""
        self._stuck += not me.process.daemon
        if self._stuck == self._live and self._live:
            self.watching = True
            if is_deadlocked(self):
                self.hub.switch((-1, 0, 0, Finish("deadlock")))

    def unstick(self) -> None:
        """A program that waited without a time-out no longer does."""
        self._stuck -= 1
        self.watching = False

    def deadlock_check(self) -> None:
        """Look again, after somebody who might have helped is gone. On the hub."""
        self.recheck = False
        if self.watching and is_deadlocked(self):
            raise RunEnd("deadlock")

    def process_ended(self, process: Process, failure: BaseException | None) -> Entry | None:
        """Put away a program that has ended; what is to happen next because of it."""
        how = "failed" if failure is not None else "cancelled" if process.cancelled else "finished"
        if self._closed:
            if failure is not None:
                self.journal.write("end", process.name, how=how, error=type(failure).__name__)
            return None
        self.journal.write("end", process.name, how=how)
        del self._living[process.name]
        if process.strand.made >= 0 or self.now > 0:
            self.processes = [other for other in self.processes if other is not process]
        done = process.finished_signal()
        self.note_write(f"process:{process.name}")
        if done is not None:
            done.set(True, process.name)
        if failure is not None:
            return (-1, 0, 0, Failure(failure))
        if not process.daemon:
            self._live -= 1
            if self._live == 0:
                return (-1, 0, 0, Finish("finished"))
        if self._stuck == self._live and self._live:
            self.watching = True
            if is_deadlocked(self):
                return (-1, 0, 0, Finish("deadlock"))
        return None

    def refuse(self, strand: Strand) -> BaseException:
        """What a program meets that blocks although its run has ended."""
        self._refused += 1
        if self._refused > _STUBBORN_AFTER:
            _stubborn.append(strand)
            while True:
                strand.parent.switch()
        return Cancelled("the run has ended: a program can no longer block, not even in a finally block")

    def note_post(self, note: str) -> None:
        """Journal what another thread brought."""
        self.journal.write("post", "outside", note=note)

    def _settle_soon(self) -> None:
        self._settling_due = True
        self.call_attention()

    def _settle_observers(self) -> None:
        for observer in self._observers:
            observer.settle(self.now)

    def _blocked(self) -> Iterable[Blocked]:
        for process in self.living():
            waiter = process.strand.waiter
            if waiter is not None:
                at = process.where()
                yield Blocked(process.name, at.file, at.line, waiter.text, process.daemon)

    def _check_thread(self) -> None:
        if self.thread is not None and self.thread != threading.get_ident():
            raise KernelError(
                "a running kernel was used from another thread", hint="hand the work over: kernel.post(action, note)"
            )


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
