"""Running programs: how they start, block as ordinary Python, and end (by themselves, cancelled, or with the run).

The waits of a program are recorded: start, end, condition and source line. A program waits when it blocks in ``wait``.
It also waits while it polls a controller's inputs, doing nothing else, until one of them changes; programs of
controllers that cannot block do this. Blocking while its own arm or gripper moves is work, not waiting.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from drycell.base import DrycellError, KernelError, ProgramError
from drycell.kernel.clock import Rank, level
from drycell.kernel.condition import Change, Condition
from drycell.kernel.event import (
    Entry,
    Event,
    Failure,
    Fibre,
    Finish,
    GreenletExit,
    Timer,
    current_fibre,
    getcurrent,
)
from drycell.kernel.inspection import (
    Location,
    ProgramCall,
    location_in_stack,
    location_in_traceback,
    meant,
    python_calls,
)
from drycell.kernel.signal import Signal
from drycell.kernel.watchdog import Stalled

if TYPE_CHECKING:
    from drycell.kernel.condition import AnySignal
    from drycell.kernel.kernel import Kernel
    from drycell.kernel.program_file import LoopTurns, ProgramFile
    from drycell.kernel.signal import Value
    from drycell.kernel.track import Track

_RESUMABLE: Final = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
_STUBBORN_AFTER: Final = 1000
_stubborn: Final[list[Fibre]] = []
"""Programs that did not end with their run (a bare ``except:`` around a blocking verb): parked and kept."""


class Cancelled(BaseException):
    """Raised in a program that is cancelled, where it blocks. A BaseException, so that ``except Exception`` lets it
    pass."""


class Waiter:
    """One wait of one program. ``outcome`` is the index of the condition that came true, None after a timeout."""

    __slots__ = ("conditions", "fibre", "outcome", "signals", "since", "timed", "timer")

    def __init__(
        self,
        fibre: Fibre,
        conditions: tuple[Condition, ...],
        signals: tuple[AnySignal, ...],
    ) -> None:
        self.fibre = fibre
        self.conditions = conditions
        self.signals = signals
        self.outcome: int | None = None
        self.timer: Timer | None = None
        self.timed = False
        self.since = fibre.kernel.now

    @property
    def text(self) -> str:
        """The conditions, as reports show them."""
        return " or ".join(condition.text for condition in self.conditions)

    def look(self, change: Change) -> None:
        """Evaluate a change of one of the signals, and wake the program if a condition holds."""
        kernel = self.fibre.process.kernel
        if kernel.footprint is not None:
            self.note_reads()
        for index, condition in enumerate(self.conditions):
            if condition.evaluate(change):
                self.outcome = index
                self.finish()
                kernel.wake(self.fibre)
                return

    def time_out(self) -> None:
        """Wake the program although none of its conditions holds."""
        kernel = self.fibre.process.kernel
        if kernel.footprint is not None:
            self.note_reads()
        self.timer = None
        self.finish()
        kernel.wake(self.fibre)

    def finish(self) -> None:
        """Stop waiting: leave the signals, cancel the timer."""
        for signal in self.signals:
            del signal.waiters[self]
        process = self.fibre.process
        self.fibre.waiter = None
        if self.timer is not None:
            self.timer.cancel()
        if not self.timed and not process.daemon:
            process.kernel.deadlock.unstick()

    def note_reads(self) -> None:
        """Leave a footprint: evaluating a wait, waking from it and timing out all read every signal of it."""
        kernel = self.fibre.process.kernel
        for signal in self.signals:
            kernel.note_read(signal.name)


class Awaited(NamedTuple):
    """What a program waits for, and where in its source."""

    condition: str
    file: str
    line: int


class Waits:
    """Records the waits of one program: the condition while it waits, otherwise None."""

    __slots__ = ("_answers", "_known", "_process", "_since", "_track")

    def __init__(self, process: Process, track: Track[Awaited | None]) -> None:
        self._process, self._track = process, track
        self._answers: dict[Signal[Any], Value] = {}
        self._known: dict[Awaited, Awaited] = {}  # a program in a loop waits for the same thing repeatedly
        self._since = 0

    def begins(self, condition: str) -> None:
        """The program blocks until a condition holds."""
        self._track.append(self._process.kernel.now, self._awaited(condition))

    def over(self) -> None:
        """The program continues. Not called for a program that is ended while it waits: that wait is never over."""
        self._track.append(self._process.kernel.now, None)

    def ended(self) -> None:
        """The program has ended; a cancelled wait is over as well."""
        if self._track and self._track[-1] is not None:
            self.over()

    def asked(self, signal: Signal[Any], answer: Value) -> None:
        """The program has read an input."""
        now = self._process.kernel.now
        if not self._answers:
            self._since = now
        if self._answers.setdefault(signal, answer) == answer:
            return
        if now > self._since:
            self._polled(signal.name)
            self.over()
        self._since, self._answers = now, {signal: answer}

    @property
    def polls_since(self) -> int | None:
        """The time from which the program has only read inputs, without a change; whether that is waiting is known
        only later. None if it does not poll."""
        return self._since if self._answers else None

    def acted(self) -> None:
        """The program has done something; a new series of reads starts."""
        if self._answers:
            self._answers.clear()

    def close(self) -> None:
        """The run ends: if the program still reads inputs, it was waiting."""
        process = self._process
        asks = self._answers and process.alive and process.fibre.waiter is None
        if asks and process.kernel.now > self._since:
            self._polled(" | ".join(signal.name for signal in self._answers))

    def _polled(self, condition: str) -> None:
        # Only now is it certain that it was waiting: it might have done something else in between.
        self._track.append(self._since, self._awaited(condition))

    def _awaited(self, condition: str) -> Awaited:
        at = self._process.where()
        awaited = Awaited(condition, at.file, at.line)
        return self._known.setdefault(awaited, awaited)


class Process:
    """A running program. Wait for its end with ``wait(process)``; end it with ``process.cancel()``."""

    __slots__ = (
                "_home",
        "alive",
        "arguments",
        "cancelled",
        "daemon",
        "done_signal",
        "error",
        "fibre",
        "function",
        "inspector",
        "kept",
        "kernel",
        "level",
        "locator",
        "name",
        "polls",
        "result",
        "turns",
        "waits",
        "writes",
    )  # fmt: skip

    def __init__(
        self,
        kernel: Kernel,
        function: Callable[..., object],
        args: tuple[object, ...],
        *,
        name: str,
        daemon: bool,
        level: int,
        writes: Sequence[AnySignal] | None,
    ) -> None:
        self.kernel = kernel
        self.name = name
        self.daemon = daemon
        self.level = level
        self.writes = None if writes is None else tuple(writes)
        self.alive = True
        self.polls = False  # whether it is in a polling loop and charged poll periods
        self.waits = Waits(self, kernel.tracks.track("waits", name))
        self.kept = not kernel.running
        """Whether the kernel lists it after its end."""
        self.cancelled = False
        self.result: object = None
        self.error: BaseException | None = None
        self.locator: Callable[[], Location | None] | None = None
        """Set by interpreters of languages other than Python: returns the current line."""
        self.inspector: Callable[[], Sequence[ProgramCall]] | None = None
        """Set by languages other than Python: returns the calls of its routines, the innermost first."""
        self.turns: dict[int, LoopTurns] = {}
        """The state of the loops of a program file, see program_file.py."""
        self.function = function
        self.arguments = args
        self.done_signal: Signal[bool] | None = None
        """The signal behind ``done``, if it was requested."""
        self._home = _home(function)
        self.fibre = fibre = Fibre(self._body)
        fibre.gr_context = copy_context()
        fibre.kernel = kernel
        fibre.queue = kernel.queue
        fibre.level = level
        fibre.process = self
        fibre.waiter = None
        fibre.steps = 0
        fibre.made = kernel.step

    @property
    def done(self) -> Condition:
        """The condition that the program has ended, for whatever reason."""
        self.kernel.note_read(f"process:{self.name}")
        if self.done_signal is None:
            self.done_signal = Signal(self.kernel, f"{self.name}.done", not self.alive, quiet=True)
        return self.done_signal.is_on

    def as_condition(self) -> Condition:
        """Return the condition that ``wait(process)`` waits for."""
        return self.done

    def where(self) -> Location:
        """Return the innermost line of the user's code, not of drycell's."""
        if self.locator is not None:
            found = self.locator()
            if found is not None:
                return found
        frame = sys._getframe(1) if current_fibre() is self.fibre else self.fibre.gr_frame
        return location_in_stack(frame) or self._home

    def frames(self) -> list[FrameType]:
        """Return the frames of its stack, the innermost first; none before its start and after its end."""
        frame = sys._getframe(1) if current_fibre() is self.fibre else self.fibre.gr_frame
        found: list[FrameType] = []
        while frame is not None:
            if frame.f_code.co_qualname == "ProgramFile.reach":
                found.clear()  # it is stopped at a line: the frames above belong to the inspection
            else:
                found.append(frame)
            frame = frame.f_back
        return found

    def calls(self) -> Sequence[ProgramCall]:
        """Return the running routines of the user, the innermost first, each with its line and its variables."""
        return self.inspector() if self.inspector is not None else python_calls(self.frames())

    def cancel(self) -> None:
        """End the program where it blocks: ``Cancelled`` is raised there, at this instant. Its clean-up may block."""
        kernel = self.kernel
        kernel.note_write(f"process:{self.name}")
        kernel.note_write(f"wait:{self.name}")
        if not self.alive or self.cancelled:
            return
        self.cancelled = True
        kernel.journal.write("cancel", self.name, by=kernel.actor_name())
        if current_fibre() is self.fibre:
            raise Cancelled
        if self.fibre.waiter is not None:
            self.fibre.waiter.note_reads()
            self.fibre.waiter.finish()
        else:
            kernel.unschedule(self.fibre)
        self.fibre.made = kernel.step
        kernel.schedule(kernel.now, self.level, _Cancellation(self))

    def start(self) -> None:
        """Schedule its first step, at this instant."""
        self.kernel.schedule(self.kernel.now, self.level, _Start(self))

    def place(self, at: Location | None = None) -> str:
        """Return where the program is, for errors: ``41.250 s, program 'robot' (tend.py:14), seed 7``.

        Args:
            at: A line of the program; by default the line at which it is now.
        """
        kernel, at = self.kernel, at or self.where()
        return f"{kernel.now / 1e6:.3f} s, program '{self.name}' ({at}), seed {kernel.seed}"

    def __repr__(self) -> str:
        return f"<Process {self.name}{'' if self.alive else ', ended'}>"

    def _body(self) -> Entry | None:
        """Runs on the fibre from its first switch to its end; the hub runs what it returns next."""
        kernel = self.kernel
        failure: BaseException | None = None
        try:
            self.result = self.function(*self.arguments)
        except (Cancelled, GreenletExit):
            self.cancelled = True
        except DrycellError as error:
            if error.where is None:
                error.where = self.place(self._located(error))
            failure = error
        except (
            Exception,
            SystemExit,
        ) as error:  # exit() must not end the run successfully
            failure = self._wrapped(error)
        except Stalled as error:
            failure = kernel.stalled(f"program '{self.name}'", self.place(self._located(error)))
        except BaseException as error:
            failure = error
        self.error = failure
        self.alive = False
        return kernel.processes.ended(self, failure)

    def _located(self, error: BaseException) -> Location:
        found = self.locator() if self.locator is not None else None
        return found or location_in_traceback(error.__traceback__) or self._home

    def _wrapped(self, error: BaseException) -> ProgramError:
        at = self._located(error)
        near, look = meant(error), f"look at {at.file}, line {at.line}, in {at.function}"
        wrapped = ProgramError(
            f"{type(error).__name__} in program '{self.name}': {error}",
            where=self.place(at),
            hint=look if near is None else f"{near} {look}",
        )
        wrapped.__cause__ = error
        return wrapped


def _home(function: Callable[..., object]) -> Location:
    """Return where a program begins: its function, or the first line of a file in another language."""
    code = getattr(function, "__code__", None)
    if code is not None:
        return Location(code.co_filename, code.co_firstlineno, code.co_name)
    program = _program_file(function)
    if program is not None:
        return Location(program.file, program.first, getattr(function, "__name__", "?"))
    return Location("?", 0, "?")


def _program_file(function: Callable[..., object]) -> ProgramFile | None:
    """Return the program file that defines a function, if any."""
    found: ProgramFile | None = getattr(function, "__globals__", {}).get("__drycell_program__")
    return found


class _Start(Event):
    """The first step of a program. Fibres are started only from the hub; otherwise they would nest."""

    __slots__ = ("_process",)

    def __init__(self, process: Process) -> None:
        self._process = process

    def program(self) -> Fibre | None:
        return self._process.fibre

    def fire(self, time: int) -> Entry | None:
        process = self._process
        if not process.alive or process.cancelled:
            return None
        kernel = process.kernel
        kernel.now = time
        process.fibre.parent = kernel.hub
        handed: Entry | None = process.fibre.switch()
        return handed


class _Cancellation(Event):
    """The step in which ``Cancelled`` is raised in a program."""

    __slots__ = ("_process",)

    def __init__(self, process: Process) -> None:
        self._process = process

    def program(self) -> Fibre | None:
        return self._process.fibre

    def fire(self, time: int) -> Entry | None:
        process = self._process
        kernel = process.kernel
        kernel.now = time
        process.cancelled = False  # unless this cancels it
        if not process.fibre:  # never started: there is nothing to clean up
            process.alive = False
            process.cancelled = True
            return kernel.processes.ended(process, None)
        handed: Entry | None = process.fibre.throw(Cancelled)
        return handed


@dataclass(frozen=True, slots=True)
class StuckProcess:
    """When a program became unable to continue, in ticks, the signals that it could still set (None: not known),
    and those that it polls (empty if it waits)."""

    since: int
    sets: tuple[str, ...] | None
    polled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Blocked:
    """A program that waits, where in its source, and for what."""

    process: str
    file: str
    line: int
    waits_for: str
    daemon: bool = False
    stuck_since: int | None = None
    """When it became unable ever to continue, in ticks; None if it may continue, or if that is unknown."""
    signals: tuple[str, ...] = ()
    """The signals on which its condition depends."""
    sets: tuple[str, ...] | None = None
    """The signals that it could still set if it continued; None if that is not known. Only of programs that are
    stuck."""
    polls: bool = False
    """Whether it is not blocked, but keeps polling signals that never change."""

    def __str__(self) -> str:
        return f"{self.process} ({Location(self.file, self.line, '')}) {self.verb} {self.waits_for}"

    @property
    def verb(self) -> str:
        """What it does with what is named in ``waits_for``."""
        return "polls" if self.polls else "waits for"


class Processes:
    """Starts the programs of a kernel and lists them: those started before the run, and those started during it that
    have not ended."""

    __slots__ = ("_kernel", "_listed", "_living", "_refused", "closed", "files")

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._listed: list[Process] = []
        self._living: dict[str, Process] = {}
        self._refused = 0
        self.closed = False
        """Whether the run is over."""
        self.files: list[ProgramFile] = []
        """The program files that are used in this run."""

    def __iter__(self) -> Iterator[Process]:
        return iter(self._listed)

    def living(self) -> list[Process]:
        """Return all programs that have not ended, in order of their start."""
        return list(self._living.values())

    def blocked(self, stuck: Mapping[Process, StuckProcess]) -> Iterator[Blocked]:
        """Yield each program that waits, or is ``stuck`` because it polls, with its place, and the time since then."""
        for process in self.living():
            waiter, fate = process.fibre.waiter, stuck.get(process)
            polled = () if fate is None else fate.polled
            if waiter is not None or polled:
                at = process.where()
                awaited = () if waiter is None else tuple(dict.fromkeys(each.name for each in waiter.signals))
                yield Blocked(
                    process.name,
                    at.file,
                    at.line,
                    " and ".join(polled) or ("" if waiter is None else waiter.text),
                    process.daemon,
                    None if fate is None else fate.since,
                    polled or awaited,
                    None if fate is None else fate.sets,
                    bool(polled),
                )

    def spawn(
        self,
        function: Callable[..., object],
        args: tuple[object, ...],
        name: str | None,
        daemon: bool,
        priority: int,
        writes: Sequence[Signal[Any]] | None,
    ) -> Process:
        """Start a program at this instant; see ``Kernel.spawn``."""
        kernel = self._kernel
        kernel.check_thread()
        if self.closed:
            raise KernelError("the run has ended: no more programs can be started", hint="make a new Kernel")
        if not callable(function):
            raise KernelError(
                f"a program must be a function, got {function!r}",
                hint="pass a function and its arguments: spawn(work, 2)",
            )
        if getattr(getattr(function, "__code__", None), "co_flags", 0) & _RESUMABLE:
            raise KernelError(
                f"{getattr(function, '__name__', function)!r} is a generator or coroutine",
                hint="programs are ordinary functions: write delay(1) and wait(signal), without yield or await",
            )
        wanted = name or str(getattr(function, "__name__", type(function).__name__))
        unique, number = wanted, 1
        while unique in self._living:
            kernel.note_read(f"process:{unique}")
            number += 1
            unique = f"{wanted}#{number}"
        at_level = level(Rank.PROGRAM, priority)
        process = Process(kernel, function, args, name=unique, daemon=daemon, level=at_level, writes=writes)
        if kernel.chooser is not None:  # a reused name must not repeat the keys of its first program
            process.fibre.steps = kernel.serial(f"program {unique}") << 32
        program = _program_file(function)
        if program is not None:
            for each in (program, *program.parts):
                self.adopt(each)
        kernel.note_write(f"process:{unique}")
        self._living[unique] = process
        self._listed.append(process)
        if daemon:
            kernel.tracks.daemons.add(unique)
        else:
            kernel.deadlock.running += 1
            kernel.deadlock.watching = False
        kernel.journal.write("start", unique)
        process.start()
        return process

    def adopt(self, program: ProgramFile) -> None:
        """Enable breakpoints and line steps in a program file."""
        if program not in self.files:
            self.files.append(program)
            if self._kernel.pace is not None:
                self._kernel.pace.adopt(program)

    def ended(self, process: Process, failure: BaseException | None) -> Entry | None:
        """Remove a program that has ended; return the entry to run next, if its end causes one."""
        kernel = self._kernel
        how = "failed" if failure is not None else "cancelled" if process.cancelled else "finished"
        if self.closed:
            if failure is not None:
                kernel.journal.write("end", process.name, how=how, error=type(failure).__name__)
            return None
        kernel.journal.write("end", process.name, how=how)
        del self._living[process.name]
        process.waits.ended()
        if not process.kept:
            self._listed = [other for other in self._listed if other is not process]
        kernel.note_write(f"process:{process.name}")
        if process.done_signal is not None:
            process.done_signal.set(True, process.name)
        if failure is not None:
            return (-1, 0, 0, Failure(failure))
        if not process.daemon:
            kernel.deadlock.running -= 1
            if kernel.deadlock.running == 0:
                return (-1, 0, 0, Finish("finished"))
        return (-1, 0, 0, Finish("deadlock")) if kernel.deadlock.found() else None

    def close(self) -> None:
        """End every program where it is: its ``finally`` blocks run, but can no longer block."""
        self.closed = True
        for process in self.living():
            fibre = process.fibre
            if fibre.waiter is not None:
                fibre.waiter.finish()
            if fibre:
                if hasattr(fibre, "kernel"):
                    del fibre.kernel
                fibre.parent = getcurrent()
                fibre.throw(Cancelled)
            process.alive = False
        self._living.clear()

    def refuse(self, fibre: Fibre) -> BaseException:
        """Return the exception for a program that blocks although its run has ended."""
        self._refused += 1
        if self._refused > _STUBBORN_AFTER:
            _stubborn.append(fibre)
            while True:
                fibre.parent.switch()
        return Cancelled("the run has ended: a program can no longer block, not even in a finally block")


def asked(signal: Signal[Any], answer: Value) -> None:
    """Note that the running program, if any, has read an input of its controller."""
    process = getattr(current_fibre(), "process", None)
    if process is not None:
        process.waits.asked(signal, answer)


def acted() -> None:
    """Note that the running program, if any, has set an output of its controller."""
    process = getattr(current_fibre(), "process", None)
    if process is not None:
        process.waits.acted()
