"""The programs of a run: how they start, wait, end, and how all of them come to a standstill."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from typing import TYPE_CHECKING, Any, Final, cast

from drycell.base import KernelError
from drycell.kernel.chooser import Chooser
from drycell.kernel.deadlock import is_deadlocked
from drycell.kernel.events import Failure, Finish
from drycell.kernel.journal import Journal
from drycell.kernel.outcome import Blocked, RunEnd
from drycell.kernel.pacing import Pace
from drycell.kernel.process import Cancelled, Process, Start
from drycell.kernel.program import Program
from drycell.kernel.rank import Rank, level
from drycell.kernel.scheduler import Scheduler
from drycell.kernel.signal import Signal
from drycell.kernel.strand import Entry, Strand, getcurrent
from drycell.kernel.timer import Timer
from drycell.kernel.track import Tracks
from drycell.kernel.waiter import Waiter

if TYPE_CHECKING:
    from drycell.kernel.kernel import Kernel

_RESUMABLE: Final = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
_STUBBORN_AFTER: Final = 1000
_stubborn: Final[list[Strand]] = []
"""Programs that would not die with their run (a bare ``except:`` around a blocking verb): parked for ever."""


class Population(Scheduler):
    """A scheduler that knows its programs."""

    __slots__ = (
        "_closed",
        "_live",
        "_living",
        "_pace",
        "_refused",
        "_stuck",
        "journal",
        "processes",
        "programs",
        "tracks",
    )

    def __init__(self, chooser: Chooser | None, journal: Journal) -> None:
        super().__init__(chooser)
        self.journal = journal
        self.tracks = Tracks()
        """What happened, besides signals and motions: states, waits, moves, parts."""
        self.processes: list[Process] = []
        """Programs started before the run, and those started in it that have not ended."""
        self.programs: list[Program] = []
        """The program files at work in this run."""
        self._pace: Pace | None = None
        self._living: dict[str, Process] = {}
        self._live = 0
        self._stuck = 0
        self._closed = False
        self._refused = 0

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
        self.check_thread()
        if self._closed:
            raise KernelError("the run has ended: no program can be started any more", hint="make a new Kernel")
        if getattr(getattr(function, "__code__", None), "co_flags", 0) & _RESUMABLE:
            raise KernelError(
                f"{getattr(function, '__name__', function)!r} is a generator or coroutine",
                hint="programs are ordinary functions: write delay(1) and wait(signal), without yield or await",
            )
        wanted = name or str(getattr(function, "__name__", type(function).__name__))
        unique, number = wanted, 1
        while unique in self._living:
            self.note_read(f"process:{unique}")
            number += 1
            unique = f"{wanted}#{number}"
        process = Process(
            cast("Kernel", self),
            function,
            args,
            name=unique,
            daemon=daemon,
            level=level(Rank.PROGRAM, priority),
            writes=writes,
        )
        if self.chooser is not None:  # a name used again must not repeat the keys of its first program
            process.strand.steps = self.serial(f"program {unique}") << 32
        program = getattr(function, "__globals__", {}).get("__drycell_program__")
        if isinstance(program, Program):
            for each in (program, *program.parts):
                self.adopt(each)
        self.note_write(f"process:{unique}")
        self._living[unique] = process
        self.processes.append(process)
        if daemon:
            self.tracks.daemons.add(unique)
        else:
            self._live += 1
            self.watching = False
        self.journal.write("start", unique)
        self.schedule(self.now, process.level, Start(process))
        return process

    def adopt(self, program: Program) -> None:
        """Have break points and steps by line work in a program file."""
        if program not in self.programs:
            self.programs.append(program)
            if self._pace is not None:
                self._pace.adopt(program)

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

    @property
    def closed(self) -> bool:
        """Whether the run is over."""
        return self._closed

    def living(self) -> list[Process]:
        """All programs that have not ended, in the order in which they were started."""
        return list(self._living.values())

    def blocked(self) -> Iterator[Blocked]:
        """Who waits for what, and where."""
        for process in self.living():
            waiter = process.strand.waiter
            if waiter is not None:
                at = process.where()
                yield Blocked(process.name, at.file, at.line, waiter.text, process.daemon)

    # -- for the other parts of the kernel

    def check_thread(self) -> None:
        """Refuse to be used from another thread than the run's own."""
        if self.thread is not None and self.thread != threading.get_ident():
            raise KernelError(
                "a running kernel was used from another thread",
                hint="hand it over: cell.post({signal: value}), or kernel.post(function, note)",
            )

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
        process.waits.ended()
        if not process.kept:
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

    def time_out(self, waiter: Waiter, span: int) -> Timer:
        """The timer that ends a wait."""
        strand = waiter.strand
        timer = Timer(self, self.now + span, waiter.time_out, f"{strand.process.name}.timeout", (), strand.level)
        if self.chooser is not None:
            timer.serial = self.serial(timer.owner)
        self.schedule(timer.time, strand.level, timer)
        return timer
