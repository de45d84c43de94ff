"""Pascal programs as programs of a cell: read, checked, translated, and started by the kernel like any function."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Final

from drycell.kernel import POLL_PERIOD, Location, ProgramFile, current_process, in_program
from drycell.languages.kit import ScorbotInterface, SourceSpan, SourceText, StatementError
from drycell.languages.pascal import syntax
from drycell.languages.pascal.checker import Checked, FindUnit, UnitLibrary
from drycell.languages.pascal.inspection import Inspector
from drycell.languages.pascal.parser import PascalError, read
from drycell.languages.pascal.runtime import DEEPEST, HELPERS, External, Halt, ProgramRun
from drycell.languages.pascal.scorpas import ScorPas
from drycell.languages.pascal.translator import MAIN, externals, mark_names, translate

_PYTHON_LEVELS: Final = DEEPEST + 2000
"""Python's own limit must be out of reach of ours."""


class UnitProgram(ProgramFile):
    """The file of a unit, whose lines are watched by a switch among the names of the program that uses it."""

    def __init__(self, file: str, names: dict[str, object], switch: str, poll: float) -> None:
        super().__init__("", file, {}, poll)
        self._names, self._switch = names, switch

    def watch(self, on: bool) -> None:
        self._names[self._switch] = on


class PascalProgram:
    """A program that is in order. Call it in a cell: ``cell.program(load_pascal("robot.pas", …), name="robot")``.

    ``stubs`` names the routines that nobody has given: they do nothing, and the journal says so when one is called.
    """

    def __init__(
        self,
        checked: Checked,
        controller: ScorbotInterface | None = None,
        *,
        routines: Mapping[str, External] | None = None,
        echo: Callable[[str], None] = print,
        poll: float = POLL_PERIOD,
    ) -> None:
        source = checked.program.source
        self.name = self.__name__ = checked.program.name.written
        self.file = source.file
        self._sources = {part.program.source.file: part.program.source for part in checked.all()}
        self._echo = echo
        given = {} if controller is None else dict(ScorPas(controller).routines())
        given |= {name.lower(): routine for name, routine in (routines or {}).items()}
        wanted = externals(checked)
        self._externals = {each: given[each] for each in wanted if each in given}
        self._results = {name: routine.result and routine.result.zero for name, routine in wanted.items()}
        self.stubs: tuple[str, ...] = tuple(each.written for name, each in wanted.items() if name not in given)
        code, lines = translate(checked)
        # The kernel's own program gives break points, stepping, and the charge for loops that poll.
        self._program = ProgramFile("", source.file, dict(HELPERS), poll)
        self._program.lines |= lines[""]
        self._program.first = source.position(checked.program.body.statements.start)[0]
        self._program.parts += [self._unit(part.program, lines) for part in checked.all() if part.program.unit]
        exec(code, self._program.namespace)
        self._inspector = Inspector(checked)

    def _unit(self, unit: syntax.CompilationUnit, lines: Mapping[str, set[int]]) -> ProgramFile:
        """The kernel's program for the lines of a unit, whose code runs among that of the program."""
        names, marks = self._program.namespace, mark_names(unit.name.name)
        made = UnitProgram(unit.source.file, names, marks[0], self._program.poll)
        made.lines |= lines[unit.name.name]
        names |= dict(zip(marks, (False, made.namespace["__mark__"]), strict=True))
        return made

    @property
    def __globals__(self) -> dict[str, object]:
        """Where the kernel looks for what break points are set in."""
        return self._program.namespace

    @property
    def lines(self) -> set[int]:
        """The lines that a break point can be set on."""
        return self._program.lines

    def __call__(self) -> None:
        """Runs the program to its end, in a program of a cell."""
        main = self._program.namespace[MAIN]
        assert callable(main)
        run = ProgramRun(self._echo, self._externals, self._results)
        if sys.getrecursionlimit() < _PYTHON_LEVELS:
            sys.setrecursionlimit(_PYTHON_LEVELS)
        if in_program():
            process = current_process()
            process.inspector = lambda: self._inspector.calls(process.frames())
        try:
            main(run)
        except Halt as halt:
            if halt.code and in_program():
                process = current_process()
                process.kernel.journal.write("halts", process.name, code=halt.code)
        except StatementError as trouble:
            raise self._placed(trouble) from None
        finally:
            run.end()

    def _placed(self, trouble: StatementError) -> PascalError:
        """The trouble with the place in the text where the program stands, and the calls that led there."""
        trail = list(self._trail(trouble.__traceback__))
        if not trail:
            return PascalError(trouble.what, hint=trouble.hint)
        span, _ = trail[-1]
        error = PascalError.at(self._sources[span.file], span, trouble.what, trouble.hint)
        if in_program():
            error.where = current_process().place(Location(span.file, span.line, trail[-1][1]))
        error.calls = tuple(f"{name}, called at {call.place}" for (call, _), (_, name) in pairwise(trail))
        return error

    def _trail(self, traceback: TracebackType | None) -> Sequence[tuple[SourceSpan, str]]:
        found = []
        while traceback is not None:
            code = traceback.tb_frame.f_code
            source = self._sources.get(code.co_filename)
            if source is not None:
                found.append((_span(source, traceback), code.co_name))
            traceback = traceback.tb_next
        return found


def _span(source: SourceText, traceback: TracebackType) -> SourceSpan:
    """The stretch of the text from which the instruction was made that a frame stands at."""
    positions = list(traceback.tb_frame.f_code.co_positions())
    line, last, column, beyond = positions[traceback.tb_lasti // 2]
    if line is None or last is None or column is None or beyond is None:
        line, last, column, beyond = traceback.tb_lineno, traceback.tb_lineno, 0, 1
    start = source.offset(line, column + 1)
    return source.span(start, max(start + 1, source.offset(last, beyond + 1)))


def parse_program(source: SourceText) -> Checked:
    """A program that is in order, with the units it uses: those of drycell, and those beside its file."""
    return UnitLibrary(_finder(source)).load(source)


def check_text(source: SourceText) -> Checked:
    """Checks a program or a unit that is being written, with the units it uses; nothing of it is run."""
    reading = read(source)
    if reading.program is None or not reading.program.unit:
        return parse_program(source)
    find, name = _finder(source), reading.program.name.name
    found = UnitLibrary(lambda unit: source if unit == name else find(unit)).unit(name)
    if found is None:
        raise PascalError(f"{source.file} uses itself")
    return found


def _finder(source: SourceText) -> FindUnit:
    folder = Path(source.file).parent

    def find(name: str) -> SourceText | None:
        own = files("drycell.languages.pascal") / "units" / f"{name}.pas"
        if own.is_file():
            return SourceText(own.read_text(encoding="utf-8"), f"{name}.pas")
        for ending in (".pas", ".PAS"):
            beside = folder / f"{name}{ending}"
            if beside.is_file():
                return SourceText.read(beside)
        return None

    return find


def load_pascal(
    path: str | Path,
    controller: ScorbotInterface | None = None,
    *,
    routines: Mapping[str, External] | None = None,
    echo: Callable[[str], None] = print,
    poll: float = POLL_PERIOD,
) -> PascalProgram:
    """A program from a file, for a controller; all that is wrong with it comes in one error.

    ``routines`` are Python functions for routines that the program declares EXTERNAL, or that are not in the lists of
    ScorPas; ``echo`` gets each line it prints; ``poll`` is the cell time charged to a turn of a loop that polls.
    """
    return compile_pascal(SourceText.read(Path(path)), controller, routines=routines, echo=echo, poll=poll)


def compile_pascal(
    source: SourceText,
    controller: ScorbotInterface | None = None,
    *,
    routines: Mapping[str, External] | None = None,
    echo: Callable[[str], None] = print,
    poll: float = POLL_PERIOD,
) -> PascalProgram:
    """A program from a text, for a controller; see :func:`load_pascal` for the other arguments."""
    return PascalProgram(parse_program(source), controller, routines=routines, echo=echo, poll=poll)
