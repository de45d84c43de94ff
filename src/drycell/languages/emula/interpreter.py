"""The interpreter: executes a program's tree as a program of the cell, statement by statement.

It is bounded on all sides: a loop that lets no cell time pass is stopped after so many steps, subroutines and values
have their limits, and whatever goes wrong comes out as an :class:`EmulaError` with its place in the text. Then the
statement is given up and the session goes on: variables, motors and attachments stay as they are.
"""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.kernel import POLL_PERIOD, Location, ProgramCall, ProgramFile, current_process, in_program, seconds
from drycell.languages.emula.execution import STEPS, Executor, Returned
from drycell.languages.emula.fault import EmulaError, Interrupted
from drycell.languages.emula.inspection import calls, lines_of
from drycell.languages.emula.measure import Measure
from drycell.languages.emula.motors import Motors
from drycell.languages.emula.parser import parse
from drycell.languages.emula.scope import Scope
from drycell.languages.emula.values import Monitor, Refusal
from drycell.languages.kit import Source

if TYPE_CHECKING:
    from drycell.languages.emula.emulation import Emulation
    from drycell.languages.emula.session_journal import Kind
    from drycell.languages.emula.syntax import Program as Tree, Statement

_PYTHON_LEVELS: Final = 5000
"""Python's own limit must be out of reach of ours: each level takes two or three of its frames."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a program: how many statements of its outermost level ran, and how much cell time passed."""

    statements: int
    seconds: float


class Interpreter(Executor):
    """A session of the language on an emulation.

    ``interactive``: values of bare expressions are shown. ``steps`` may be made at one instant of cell time, and
    ``budget`` in one text altogether (None: any number).
    """

    def __init__(
        self,
        emulation: "Emulation",
        *,
        echo: Callable[[str], None] = print,
        interactive: bool = False,
        out: Path = Path("out"),
        steps: int = STEPS,
        budget: int | None = None,
    ) -> None:
        self.motors = Motors(emulation)
        scope, kernel = Scope(self.motors.constants()), emulation.cell.kernel
        super().__init__(scope, kernel, interactive=interactive, steps=steps, budget=budget)
        self.emulation = emulation
        self.echo = echo
        self.out = out
        self.measure: Measure = Measure()
        self.monitors: list[Monitor] = []
        self.under_way: tuple[list[str], tuple[Monitor, ...]] | None = None
        """The motors and monitors of an AMOVE that nobody has waited for."""
        self._loading: list[Path] = []

    # ---------------------------------------------------------------- a session

    def execute(self, text: str, *, file: str = "console") -> Outcome:
        """Runs the statements of a text, one after the other; the first that goes wrong raises and ends it."""
        return self.run(Source(text, file))

    def run(self, source: Source) -> Outcome:
        """The same for a source text."""
        began = self.now
        try:
            program = parse(source)
        except EmulaError as error:
            self.note(source.text)
            self.note(error.what.splitlines()[0], "response")
            raise
        outer = self._source, self._span, self._interrupted, self.scope.frames, self._watched
        self._source, self._interrupted, self.scope.frames = source, False, []
        self._watched = self._watch(source, program)
        if not self._loading:
            self._levels = 0
        locator = self._announce()
        done, noted, total = 0, 0, self._total
        self._total = 0 if not self._loading else total
        frames = sys.getrecursionlimit()
        sys.setrecursionlimit(max(frames, _PYTHON_LEVELS))
        try:
            for statement, end in zip(program.body, program.ends, strict=True):
                noted = self._note_lines(source, statement.span.start, end, noted)
                self.begin()
                done += 1
                self._top(statement)
        except Returned:
            pass
        finally:
            self._source, self._span, _, self.scope.frames, self._watched = outer
            sys.setrecursionlimit(frames)
            if locator is not None:
                current_process().locator, current_process().inspector = locator
        return Outcome(done, seconds(self.now - began))

    def load(self, path: Path) -> None:
        """Runs another file in the session, as if it were typed."""
        if len(self._loading) >= 10 or path in self._loading:
            raise Refusal(f"{path} loads itself, directly or by others")
        self._loading.append(path)
        try:
            self.run(Source.read(path))
        finally:
            self._loading.pop()

    def say(self, text: str, *, journal: bool = False) -> None:
        """An answer to the person at the console; with ``journal`` it is a response that the journal keeps, too."""
        self.echo(text)
        if journal:
            self.note(text.strip(), "response")

    def note(self, text: str, kind: "Kind" = "command") -> None:
        """Puts lines down in the journal, if one is open."""
        for line in text.splitlines():
            if line.strip():
                self.emulation.note(line.strip(), kind)

    def _announce(
        self,
    ) -> tuple[Callable[[], Location | None] | None, Callable[[], Sequence[ProgramCall]] | None] | None:
        """Has reports of the kernel name the line of the EMULA program instead of one of drycell's."""
        if not in_program():
            return None
        process = current_process()
        before = process.locator, process.inspector
        process.locator = lambda: Location(self._span.file, self._span.line, "program") if self._span.file else None
        process.inspector = lambda: calls(self.scope, self._span)
        return before

    def _watch(self, source: Source, tree: "Tree") -> ProgramFile | None:
        """Lets break points work in a text that stands in a file; what is typed at the console has no lines to keep."""
        if not in_program() or not os.path.isfile(source.file):
            return None
        made = self._texts[source.file] = ProgramFile("", source.file, {}, POLL_PERIOD)
        made.lines |= lines_of(tree.body)
        self.emulation.cell.kernel.processes.adopt(made)
        return made

    def _note_lines(self, source: Source, start: int, end: int, noted: int) -> int:
        """Journals the lines of a statement as they were typed, each line once."""
        first, last = source.position(start)[0], source.position(end)[0]
        for number in range(max(first, noted + 1), last + 1):
            self.note(source.line(number))
        return max(noted, last)

    def _top(self, statement: "Statement") -> None:
        """A statement of the outermost level: whatever goes wrong in it comes out with its place."""
        try:
            self.perform(statement)
        except EmulaError as error:
            if not isinstance(error, Interrupted) and not self._loading:
                self.note(error.what.splitlines()[0], "response")
            if error.where is None and not self.interactive and in_program():
                error.where = current_process().place()
            raise
        except RecursionError:
            raise self.fault(statement.span, "this goes too deep", "let subroutines call each other less") from None


def run_text(text: str, emulation: "Emulation", *, file: str = "program") -> Outcome:
    """Runs the text of a program on an emulation, in a program of its cell."""
    return Interpreter(emulation, echo=emulation.echo).execute(text, file=file)
