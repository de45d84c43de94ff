"""The programs of a run: how they start and end, and where they are blocked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from typing import TYPE_CHECKING, Any, Final

from drycell.base import KernelError
from drycell.kernel.clock import Rank, level
from drycell.kernel.event import Entry, Failure, Fibre, Finish, getcurrent
from drycell.kernel.inspection import Location
from drycell.kernel.process import Cancelled, Process
from drycell.kernel.program_file import ProgramFile

if TYPE_CHECKING:
    from drycell.kernel.kernel import Kernel
    from drycell.kernel.signal import Signal

_RESUMABLE: Final = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
_STUBBORN_AFTER: Final = 1000
_stubborn: Final[list[Fibre]] = []
"""Programs that did not end with their run (a bare ``except:`` around a blocking verb): parked and kept."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """A program that waits, where in its source, and for what."""

    process: str
    file: str
    line: int
    waits_for: str
    daemon: bool = False

    def __str__(self) -> str:
        return f"{self.process} ({Location(self.file, self.line, '')}) waits for {self.waits_for}"


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
        """Return all programs that have not ended, in the order in which they were started."""
        return list(self._living.values())

    def blocked(self) -> Iterator[Blocked]:
        """Yield each waiting program with its place and what it waits for."""
        for process in self.living():
            waiter = process.fibre.waiter
            if waiter is not None:
                at = process.where()
                yield Blocked(process.name, at.file, at.line, waiter.text, process.daemon)

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
        if kernel.chooser is not None:  # a name that is used again must not repeat the keys of its first program
            process.fibre.steps = kernel.serial(f"program {unique}") << 32
        program = getattr(function, "__globals__", {}).get("__drycell_program__")
        if isinstance(program, ProgramFile):
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
        """Remove a program that has ended; return what happens next because of it."""
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
        """End every program where it stands: its ``finally`` blocks run, but can no longer block."""
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
        """Return what is raised in a program that blocks although its run has ended."""
        self._refused += 1
        if self._refused > _STUBBORN_AFTER:
            _stubborn.append(fibre)
            while True:
                fibre.parent.switch()
        return Cancelled("the run has ended: a program can no longer block, not even in a finally block")
