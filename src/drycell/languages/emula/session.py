"""Sessions: a cell with its emulation, run from a file or from a console, to the end of its input.

A session is the first recorded input of its run; typed lines and answers follow. So a recording of a session can be
replayed: see :func:`register_session`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.base import DrycellError, MechanismError, UnknownName
from drycell.kernel import Arguments, Request
from drycell.languages.emula.console import CONSOLE, EmulaConsole, Read
from drycell.languages.emula.display import Progress
from drycell.languages.emula.emulation import Emulation
from drycell.languages.emula.interpreter import Interpreter, ProgramResult
from drycell.languages.emula.sensor_functions import UserFunction
from drycell.languages.emula.workstations import build_workstation
from drycell.languages.kit import SourceText

if TYPE_CHECKING:
    from drycell.cell import Cell, CellSource
    from drycell.robots import LiveRobot

SESSION: Final = "emula"
"""The name of the request that opens a session."""
Echo = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SessionResult:
    """The result of a session: cell time in seconds, cycles with collisions, lines with mistakes, statements run."""

    seconds: float
    collisions: int
    mistakes: int = 0
    statements: int = 0
    whole: bool = True
    """False if the session was interrupted by Ctrl-C, or because nothing could continue."""


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """The options of a session."""

    echo: Echo = print
    answers: Iterator[str] | None = None
    functions: Mapping[str, UserFunction] | None = None
    out: Path = Path("out")
    journal: Path | None = None
    progress: Progress | None = None
    """Shows the progress of writing a film."""
    budget: int | None = None
    """The maximum number of steps of a program; None for no limit."""
    model: str | None = None
    """The robot model if the cell is the paper's workstation; None for another cell."""
    exchange: str | None = None
    """The model that replaces that of the robot at the start: a name, or a robot or family file."""
    record: Path | None = None
    """The file for a recording of the session."""
    source: "CellSource | None" = None
    """The source of another cell, for the recording."""


def workstation(model: str = "stylised", seed: int = 0) -> "tuple[Cell, LiveRobot]":
    """Build the paper's workstation; return the cell and its robot."""
    from drycell.cell import Cell

    cell = Cell("workstation", seed=seed)
    return cell, build_workstation(cell, model)


def robot_of(cell: "Cell", name: str | None = None) -> "LiveRobot":
    """The robot to emulate: the one with a name, or the only robot of the cell."""
    if name is not None and name not in cell.robots:
        raise UnknownName("robot", name, cell.robots)
    if name is None and len(cell.robots) != 1:
        count = f"{len(cell.robots)} robots, but only one can be emulated" if cell.robots else "no robot to emulate"
        raise MechanismError(
            f"cell {cell.name} has {count}",
            hint=f"--robot {next(iter(sorted(cell.robots)))}" if cell.robots else "add one to the cell",
        )
    found: LiveRobot = cell.robots[name] if name is not None else next(iter(cell.robots.values()))
    return found


def run_batch(source: SourceText, cell: "Cell", robot: "LiveRobot", setup: SessionOptions) -> SessionResult:
    """Run a program to its end. A mistake raises an error; pictures and journal are written up to that point."""
    opened = _open(_no_line, cell, robot, setup, source)
    ending = cell.run(record=setup.record, source=setup.source).ending
    done = sum(each.statements for each in opened.outcomes)
    return SessionResult(
        cell.time, len(opened.session.emulation.collisions), statements=done, whole=ending == "finished"
    )


def run_console(
    read: Read, cell: "Cell", robot: "LiveRobot", setup: SessionOptions, prepare: Callable[[Interpreter], None]
) -> SessionResult:
    """Run a console to the end of its input; ``prepare`` is called with the session first, to set up completion."""
    session, console = add_console(read, cell, robot, setup)
    prepare(session)
    cell.run(record=setup.record, source=setup.source)
    return SessionResult(cell.time, len(session.emulation.collisions), console.mistakes)


def add_console(
    read: Read, cell: "Cell", robot: "LiveRobot", setup: SessionOptions
) -> tuple[Interpreter, EmulaConsole]:
    """Add a console to a cell as a program, and return its session and the console."""
    opened = _open(read, cell, robot, setup, None)
    assert opened.console is not None
    return opened.session, opened.console


@dataclass(frozen=True, slots=True)
class _Opened:
    """A session that has been added to its cell."""

    session: Interpreter
    console: EmulaConsole | None = None
    outcomes: list[ProgramResult] = field(default_factory=list)


def register_session(
    cell: "Cell", setup: SessionOptions, read: "Read | None" = None, opened: Callable[[_Opened], None] | None = None
) -> None:
    """Register the request that opens a session with a cell, so that it can be made or replayed.

    Without ``read`` all typed lines come from the recorded input. ``opened`` is called with the session.
    """

    def open_session(who: str, given: Arguments) -> DrycellError | None:
        try:
            robot = robot_of(cell, given["robot"])
        except DrycellError as error:
            return error
        # Without a list of answers, the recorded ones are used.
        used = replace(setup, answers=iter(())) if given["answers"] and setup.answers is None else setup
        used = replace(used, exchange=given["exchange"])
        if given["text"] is None:
            session = _console(read or _no_line, cell, robot, used)
        else:
            session = _batch(SourceText(given["text"], given["file"]), cell, robot, used)
        if opened is not None:
            opened(session)
        return None

    takes = {
        "robot": str,
        "model": str | None,
        "exchange": str | None,
        "text": str | None,
        "file": str,
        "answers": bool,
    }
    cell.kernel.requests[SESSION] = Request(lambda given: "EMULA", open_session, takes)


def _open(read: Read, cell: "Cell", robot: "LiveRobot", setup: SessionOptions, program: SourceText | None) -> _Opened:
    opened: list[_Opened] = []
    register_session(cell, setup, read, opened.append)
    text, file = (None, "") if program is None else (program.text, program.file)
    given = {
        "robot": robot.name,
        "model": setup.model,
        "exchange": setup.exchange,
        "text": text,
        "file": file,
        "answers": setup.answers is not None,
    }
    refused = cell.kernel.do_before(SESSION, given, CONSOLE)
    if refused is not None:
        raise refused
    return opened[0]


def _console(read: Read, cell: "Cell", robot: "LiveRobot", setup: SessionOptions) -> _Opened:
    consoles: list[EmulaConsole] = []
    emulation = _emulation(cell, robot, setup, lambda prompt: consoles[0].ask(prompt))
    session = Interpreter(emulation, echo=setup.echo, out=setup.out, interactive=True, budget=setup.budget)
    consoles.append(EmulaConsole(session, read, setup.echo))
    _add(cell, emulation, setup, consoles[0].run)
    return _Opened(session, consoles[0])


def _batch(program: SourceText, cell: "Cell", robot: "LiveRobot", setup: SessionOptions) -> _Opened:
    emulation = _emulation(cell, robot, setup)
    session = Interpreter(emulation, echo=setup.echo, out=setup.out, budget=setup.budget)
    opened = _Opened(session)
    _add(cell, emulation, setup, lambda: opened.outcomes.append(session.run(program)))
    return opened


def _no_line(prompt: str) -> str:
    raise EOFError


def _emulation(
    cell: "Cell", robot: "LiveRobot", setup: SessionOptions, ask: Callable[[str], str] | None = None
) -> Emulation:
    emulation = Emulation(
        cell,
        robot,
        echo=setup.echo,
        answers=None if setup.answers is None else _recorded(cell, setup.answers),
        ask=ask,
        functions=setup.functions,
        out=setup.out,
    )
    if setup.progress is not None:
        emulation.display.progress = setup.progress
    if setup.exchange is not None:
        emulation.exchange_model(setup.exchange)
    return emulation


def _recorded(cell: "Cell", answers: Iterator[str]) -> Iterator[str]:
    """Answers as they are used, each added to the recorded input of the run."""
    while True:
        try:
            given = cell.kernel.tape.ask("answers", partial(_next, answers))
        except EOFError:
            return
        yield given


def _next(answers: Iterator[str]) -> str:
    given = next(answers, None)
    if given is None:
        raise EOFError
    return given


def _add(cell: "Cell", emulation: Emulation, setup: SessionOptions, work: Callable[[], None]) -> None:
    """Add a session to the cell as a program. Journal and pictures are written even if it fails."""

    def program() -> None:
        if setup.journal is not None:
            emulation.open_journal(setup.journal)
        try:
            work()
            if emulation.moving:
                emulation.wait_move()
        finally:
            emulation.close()

    cell.program(program, name="emula")
