"""ARLA programs as programs of a cell: read, checked, and started by the kernel like any function."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from drycell.base import ProgramError, did_you_mean
from drycell.kernel import POLL_PERIOD, ProgramFile, current_process, in_program
from drycell.languages.arla.machine import Machine
from drycell.languages.arla.parser import ArlaError, parse
from drycell.languages.arla.run import Run, untaught
from drycell.languages.arla.syntax import Text
from drycell.languages.kit import Diagnostic, Source, StatementError


class ArlaProgram:
    """A text that is in order. Call it in a cell: ``cell.program(load_arla("robot.arl", machine), name="robot")``.

    ``stubs`` are the instructions that are not known here: they do nothing, and the journal says so when one is met.
    """

    def __init__(
        self,
        text: Text,
        machine: Machine,
        *,
        main: int | None = None,
        registers: Mapping[int, int] | None = None,
        poll: float = POLL_PERIOD,
    ) -> None:
        self._text, self._machine = text, machine
        self._main = next(iter(text.programs)) if main is None else main
        if self._main not in text.programs:
            hint = did_you_mean(str(self._main), map(str, text.programs))
            raise ProgramError(f"{text.source.file} has no PROGRAM {self._main}", hint=hint)
        self.file = text.source.file
        self.name = self.__name__ = f"PROGRAM {self._main}"
        self.stubs = text.stubs
        self._registers = dict(registers or {})
        # The kernel's own program gives break points, stepping, and the charge for loops that poll.
        self._guard = ProgramFile("", self.file, {}, poll)
        started = text.programs[self._main]
        self._guard.first = started.instructions[0].span.line if started.instructions else started.span.line
        self._guard.lines |= {each.span.line for program in text.programs.values() for each in program.instructions}

    @property
    def __globals__(self) -> dict[str, object]:
        """Where the kernel looks for what break points are set in."""
        return self._guard.namespace

    @property
    def lines(self) -> set[int]:
        """The lines that a break point can be set on."""
        return self._guard.lines

    def __call__(self) -> dict[int, int]:
        """Runs the main program to its end, in a program of a cell; returns the registers as they are then."""
        self._check_positions()
        run = Run(self._text, self._machine, self._guard, self._registers)
        process = current_process() if in_program() else None
        if process is not None:
            process.locator, process.inspector = run.location, run.inspect
        try:
            run.program(self._main)
        except StatementError as trouble:
            raise self._placed(run, trouble) from None
        return run.registers

    def _check_positions(self) -> None:
        """All positions that are used must be taught before anything moves."""
        missing = [
            Diagnostic(span, *untaught(number))
            for number, span in self._text.taught.items()
            if self._machine.taught(number) is None
        ]
        if missing:
            raise ArlaError.of(self._text.source, missing)

    def _placed(self, run: Run, trouble: StatementError) -> ArlaError:
        """The trouble with the place in the text where the program stands, and the calls that led there."""
        span = run.span
        if span is None:
            return ArlaError(trouble.what, hint=trouble.hint)
        error = ArlaError.at(self._text.source, span, trouble.what, trouble.hint)
        location = run.location()
        if in_program() and location is not None:
            error.where = current_process().place(location)
        error.calls = tuple(
            f"PROGRAM {number}, called at {calling.span.place}" for (_, calling), (number, _) in pairwise(run.calls)
        )
        return error


def load_arla(
    path: str | Path,
    machine: Machine,
    *,
    main: int | None = None,
    registers: Mapping[int, int] | None = None,
    poll: float = POLL_PERIOD,
) -> ArlaProgram:
    """The programs of a file, for a machine; all that is wrong with them comes in one error.

    ``main`` is the program to start, the file's first if left out; ``registers`` are values to start with (else 0);
    ``poll`` is the cell time charged to a turn of a loop that polls.
    """
    return compile_arla(Source.read(Path(path)), machine, main=main, registers=registers, poll=poll)


def compile_arla(
    source: Source,
    machine: Machine,
    *,
    main: int | None = None,
    registers: Mapping[int, int] | None = None,
    poll: float = POLL_PERIOD,
) -> ArlaProgram:
    """The same from a text."""
    return ArlaProgram(parse(source), machine, main=main, registers=registers, poll=poll)
