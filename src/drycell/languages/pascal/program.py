"""Pascal programs: read, checked, translated to Python, and run in a cell."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Final

from drycell.kernel import POLL_PERIOD, ProgramFile, current_process, in_program
from drycell.languages.kit import (
    LanguageProgram,
    ScorbotInterface,
    SourceSpan,
    SourceText,
    StatementError,
    runtime_error,
)
from drycell.languages.pascal import syntax
from drycell.languages.pascal.checker import Checked, FindUnit, UnitLibrary
from drycell.languages.pascal.inspection import Inspector
from drycell.languages.pascal.parser import PascalError, read
from drycell.languages.pascal.runtime import HELPERS, MAX_RECURSION, External, Halt, ProgramRun
from drycell.languages.pascal.scorpas import ScorPas
from drycell.languages.pascal.translator import MAIN, PIECE, externals, mark_names, translate

_PYTHON_RECURSION: Final = MAX_RECURSION + 2000
"""Python's recursion limit, which programs must not reach before ``MAX_RECURSION``."""


class UnitProgram(ProgramFile):
    """The program file of a unit. The switch for its breakpoints is in the namespace of the program that uses it."""

    def __init__(self, file: str, names: dict[str, object], switch: str, poll: float) -> None:
        super().__init__("", file, {}, poll)
        self._names, self._switch = names, switch

    def watch(self, on: bool) -> None:
        self._names[self._switch] = on


class PascalProgram(LanguageProgram):
    """A checked program. Run it in a cell: ``cell.program(load_pascal("robot.pas", …), name="robot")``."""

    def __init__(
        self,
        checked: Checked,
        controller: ScorbotInterface | None = None,
        *,
        routines: Mapping[str, External] | None = None,
        echo: Callable[[str], None] = print,
        poll: float = POLL_PERIOD,
    ) -> None:
        self._sources = {part.program.source.file: part.program.source for part in checked.all()}
        self._echo = echo
        given = {} if controller is None else dict(ScorPas(controller).routines())
        given |= {name.lower(): routine for name, routine in (routines or {}).items()}
        wanted = externals(checked)
        self._externals = {each: given[each] for each in wanted if each in given}
        self._results = {name: routine.result and routine.result.zero for name, routine in wanted.items()}
        stubs = tuple(each.written for name, each in wanted.items() if name not in given)
        program = checked.program
        commands = (*(each for each in (controller,) if each is not None), *(routines or {}).values())
        file = ProgramFile("", program.source.file, dict(HELPERS), poll)
        super().__init__(program.name.written, file, stubs, commands)
        code, lines = translate(checked)
        self.lines.update(lines[""])
        self.program_file.first = program.source.position(program.body.statements.start)[0]
        self.program_file.parts += [self._unit(part.program, lines) for part in checked.all() if part.program.unit]
        exec(code, self.program_file.namespace)
        self._inspector = Inspector(checked)

    def _unit(self, unit: syntax.CompilationUnit, lines: Mapping[str, set[int]]) -> ProgramFile:
        """Make the program file of a unit, whose code runs as part of the program."""
        names, marks = self.program_file.namespace, mark_names(unit.name.name)
        made = UnitProgram(unit.source.file, names, marks[0], self.program_file.poll)
        made.lines |= lines[unit.name.name]
        names |= dict(zip(marks, (False, made.namespace["__mark__"]), strict=True))
        return made

    def __call__(self) -> None:
        """Run the program to its end."""
        main = self.program_file.namespace[MAIN]
        assert callable(main)
        run = ProgramRun(self._echo, self._externals, self._results)
        if sys.getrecursionlimit() < _PYTHON_RECURSION:
            sys.setrecursionlimit(_PYTHON_RECURSION)
        if in_program():
            process = current_process()
            process.inspector = lambda: self._inspector.calls(process.frames())
        try:
            main(run)
        except Halt as halt:
            if halt.code and in_program():
                process = current_process()
                process.kernel.journal.write("halts", process.name, code=halt.code)
        except StatementError as error:
            raise runtime_error(PascalError, error, self._sources, self._trail(error.__traceback__)) from None
        finally:
            run.end()

    def _trail(self, traceback: TracebackType | None) -> Sequence[tuple[SourceSpan, str]]:
        found: list[tuple[SourceSpan, str]] = []
        while traceback is not None:
            code = traceback.tb_frame.f_code
            source = self._sources.get(code.co_filename)
            if source is not None:
                if code.co_qualname.endswith(f".{PIECE}"):  # it continues the program
                    found.pop()
                found.append((_span(source, traceback), code.co_name))
            traceback = traceback.tb_next
        return found


def _span(source: SourceText, traceback: TracebackType) -> SourceSpan:
    """The part of the text that the current instruction of a frame was translated from."""
    positions = list(traceback.tb_frame.f_code.co_positions())
    line, last, column, beyond = positions[traceback.tb_lasti // 2]
    if line is None or last is None or column is None or beyond is None:
        line, last, column, beyond = traceback.tb_lineno, traceback.tb_lineno, 0, 1
    start = source.offset(line, column + 1)
    return source.span(start, max(start + 1, source.offset(last, beyond + 1)))


def parse_program(source: SourceText) -> Checked:
    """Read and check a program with the units it uses: those of drycell, and those beside its file."""
    return UnitLibrary(_finder(source)).load(source)


def check_text(source: SourceText) -> Checked:
    """Check a program or a unit, with the units it uses, without running anything."""
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
    source: str | Path | SourceText,
    controller: ScorbotInterface | None = None,
    *,
    routines: Mapping[str, External] | None = None,
    echo: Callable[[str], None] = print,
    poll: float = POLL_PERIOD,
) -> PascalProgram:
    """Read, check and translate a Pascal program.

    Args:
        source: the program's file, or its text.
        controller: the target of the commands of ScorPas; without it, they are stubs.
        routines: Python functions by name, for routines that the program declares EXTERNAL and for procedures of
            ScorPas that the thesis does not list.
        echo: called with each line the program prints.
        poll: the cell time, in seconds, charged for each iteration of a loop that polls.

    Raises:
        PascalError: the text has mistakes; the error lists all of them.
        FileError: the file cannot be read.
    """
    text = source if isinstance(source, SourceText) else SourceText.read(Path(source))
    return PascalProgram(parse_program(text), controller, routines=routines, echo=echo, poll=poll)
