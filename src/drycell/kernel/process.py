"""A program at work: started by the kernel, blocking as ordinary Python, ended by itself, a cancel, or the run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextvars import copy_context
from types import FrameType
from typing import TYPE_CHECKING

from drycell.base import DrycellError, ProgramError
from drycell.kernel import location
from drycell.kernel.condition import Condition
from drycell.kernel.inspection import Call, python_calls
from drycell.kernel.location import Location
from drycell.kernel.misspelt import meant
from drycell.kernel.signal import Signal
from drycell.kernel.strand import Entry, Event, GreenletExit, Strand, current_strand
from drycell.kernel.waits import Waits
from drycell.kernel.watchdog import Stalled

if TYPE_CHECKING:
    from drycell.kernel.condition import AnySignal
    from drycell.kernel.kernel import Kernel
    from drycell.kernel.program import Turns


class Cancelled(BaseException):
    """Raised in a program that is cancelled, where it blocks. A BaseException: ``except Exception`` lets it pass."""


class Process:
    """A running program. Wait for its end with ``wait(process)``; end it with ``process.cancel()``."""

    __slots__ = (
        "_args", "_done", "_function", "_home", "alive", "cancelled", "daemon", "error", "inspector", "kept", "kernel",
        "level", "locator", "name", "polls", "result", "strand", "turns", "waits", "writes",
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
        self.polls = False  # whether it stands in a loop that asks again and again, and is charged for it
        self.waits = Waits(self, kernel.tracks.track("waits", name))
        self.kept = not kernel.running
        """Whether the kernel lists it after its end."""
        self.cancelled = False
        self.result: object = None
        self.error: BaseException | None = None
        self.locator: Callable[[], Location | None] | None = None
        """Set by an interpreter, whose user's program is not Python: says which line of it runs."""
        self.inspector: Callable[[], Sequence[Call]] | None = None
        """Set by a language that is no Python: tells the calls of its routines, the innermost first."""
        self.turns: dict[int, Turns] = {}
        """What the loops of a program file did so far, see program.py."""
        self._function = function
        self._args = args
        self._done: Signal[bool] | None = None
        self._home = _home(function)
        self.strand = strand = Strand(self._body)
        strand.gr_context = copy_context()
        strand.kernel = kernel
        strand.queue = kernel.queue
        strand.level = level
        strand.process = self
        strand.waiter = None
        strand.steps = 0
        strand.made = kernel.step

    @property
    def done(self) -> Condition:
        """That the program has ended, one way or another."""
        self.kernel.note_read(f"process:{self.name}")
        if self._done is None:
            self._done = Signal(self.kernel, f"{self.name}.done", not self.alive, quiet=True)
        return self._done.is_on

    def as_condition(self) -> Condition:
        """What waiting for the process itself means."""
        return self.done

    def where(self) -> Location:
        """The program's own innermost line: the user's code, not drycell's."""
        if self.locator is not None:
            told = self.locator()
            if told is not None:
                return told
        frame = sys._getframe(1) if current_strand() is self.strand else self.strand.gr_frame
        return location.of_stack(frame) or self._home

    def frames(self) -> list[FrameType]:
        """The frames of its stack, the innermost first; none before it starts and after its end."""
        frame = sys._getframe(1) if current_strand() is self.strand else self.strand.gr_frame
        found: list[FrameType] = []
        while frame is not None:
            if frame.f_code.co_qualname == "Program.reach":
                found.clear()  # it is held at a line: what stands above is whoever looks
            else:
                found.append(frame)
            frame = frame.f_back
        return found

    def calls(self) -> Sequence[Call]:
        """The user's own routines at work, the innermost first, each with its line and its variables."""
        return self.inspector() if self.inspector is not None else python_calls(self.frames())

    def cancel(self) -> None:
        """End the program where it blocks: ``Cancelled`` is raised there, at this instant. Cleaning up may block."""
        kernel = self.kernel
        kernel.note_write(f"process:{self.name}")
        kernel.note_write(f"wait:{self.name}")
        if not self.alive or self.cancelled:
            return
        self.cancelled = True
        kernel.journal.write("cancel", self.name, by=kernel.actor_name())
        if current_strand() is self.strand:
            raise Cancelled
        if self.strand.waiter is not None:
            self.strand.waiter.note_reads()
            self.strand.waiter.finish()
        else:
            kernel.unschedule(self.strand)
        self.strand.made = kernel.step
        kernel.schedule(kernel.now, self.level, Ending(self))

    def describe(self) -> str:
        """The place as errors name it: ``41.250 s, program 'robot' (tend.py:14), seed 7``."""
        return self.place(self.where())

    def place(self, at: Location) -> str:
        """The same for a given line."""
        kernel = self.kernel
        return f"{kernel.now / 1e6:.3f} s, program '{self.name}' ({at}), seed {kernel.seed}"

    def finished_signal(self) -> Signal[bool] | None:
        """The signal behind ``done``, when anybody has asked for it."""
        return self._done

    def __repr__(self) -> str:
        return f"<Process {self.name}{'' if self.alive else ', ended'}>"

    def _body(self) -> Entry | None:
        """Runs on the strand from its first switch to its end; what it returns the hub runs next."""
        kernel = self.kernel
        failure: BaseException | None = None
        try:
            self.result = self._function(*self._args)
        except (Cancelled, GreenletExit):
            self.cancelled = True
        except DrycellError as error:
            if error.where is None:
                error.where = self.place(self._located(error))
            failure = error
        except (Exception, SystemExit) as error:  # a program that exits must not end the run as if all were well
            failure = self._wrapped(error)
        except Stalled as error:
            failure = kernel.stalled(f"program '{self.name}'", self.place(self._located(error)))
        except BaseException as error:
            failure = error
        self.error = failure
        self.alive = False
        return kernel.process_ended(self, failure)

    def _located(self, error: BaseException) -> Location:
        told = self.locator() if self.locator is not None else None
        return told or location.of_traceback(error.__traceback__) or self._home

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
    """Where a program begins: its function, or the first line of a file in another language."""
    code = getattr(function, "__code__", None)
    if code is not None:
        return Location(code.co_filename, code.co_firstlineno, code.co_name)
    program = getattr(function, "__globals__", {}).get("__drycell_program__")
    if program is not None:
        return Location(program.file, program.first, getattr(function, "__name__", "?"))
    return Location("?", 0, "?")


class Start(Event):
    """The first step of a program. Strands start from the hub only: started from one another they would nest."""

    __slots__ = ("_process",)

    def __init__(self, process: Process) -> None:
        self._process = process

    def program(self) -> Strand | None:
        return self._process.strand

    def fire(self, time: int) -> Entry | None:
        process = self._process
        if not process.alive or process.cancelled:
            return None
        kernel = process.kernel
        kernel.now = time
        process.strand.parent = kernel.hub
        handed: Entry | None = process.strand.switch()
        return handed


class Ending(Event):
    """The step in which a cancelled program meets ``Cancelled``."""

    __slots__ = ("_process",)

    def __init__(self, process: Process) -> None:
        self._process = process

    def program(self) -> Strand | None:
        return self._process.strand

    def fire(self, time: int) -> Entry | None:
        process = self._process
        kernel = process.kernel
        kernel.now = time
        process.cancelled = False  # unless it now ends of it
        if not process.strand:  # never started: there is nothing to clean up
            process.alive = False
            process.cancelled = True
            return kernel.process_ended(process, None)
        handed: Entry | None = process.strand.throw(Cancelled)
        return handed
