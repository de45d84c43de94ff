"""Sessions: a cell with its emulation, run as a batch or from a console, to the end of its input."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from drycell.errors import MechanismError, UnknownName
from drycell.languages.emula.console import Console, Read
from drycell.languages.emula.display_control import Progress
from drycell.languages.emula.emulation import Emulation
from drycell.languages.emula.functions import UserFunction
from drycell.languages.emula.interpreter import Interpreter, Outcome
from drycell.languages.emula.workstation import build_workstation
from drycell.languages.kit import Source

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.robots import LiveRobot

Echo = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a session ended: cell time in seconds, cycles with crashes, and what went wrong."""

    seconds: float
    crashes: int
    mistakes: int = 0
    statements: int = 0
    whole: bool = True  # False: broken off, by Ctrl-C or for want of anything that could go on


@dataclass(frozen=True, slots=True)
class Setup:
    """What a session is made of, besides its cell."""

    echo: Echo = print
    answers: Iterator[str] | None = None
    functions: Mapping[str, UserFunction] | None = None
    out: Path = Path("out")
    journal: Path | None = None
    progress: Progress | None = None
    """Shows how far the writing of a film has got."""
    budget: int | None = None
    """Steps that a text may take altogether; None: any number."""


def workstation(model: str = "stylised", seed: int = 0) -> "tuple[Cell, LiveRobot]":
    """The paper's cell and its robot."""
    from drycell.cell import Cell

    cell = Cell("workstation", seed=seed)
    return cell, build_workstation(cell, model)


def robot_of(cell: "Cell", name: str | None = None) -> "LiveRobot":
    """The robot of a cell that is emulated: the one of that name, or the only one there is."""
    if name is not None and name not in cell.robots:
        raise UnknownName("robot", name, cell.robots)
    if name is None and len(cell.robots) != 1:
        many = f"{len(cell.robots)} robots" if cell.robots else "no robot"
        raise MechanismError(
            f"cell {cell.name} has {many}: which is to be emulated?",
            hint=f"--robot {next(iter(sorted(cell.robots)))}" if cell.robots else "add one to the cell",
        )
    found: LiveRobot = cell.robots[name] if name is not None else next(iter(cell.robots.values()))
    return found


def run_batch(source: Source, cell: "Cell", robot: "LiveRobot", setup: Setup) -> Ended:
    """Runs a program to its end; a mistake in it raises, with pictures and journal written up to there."""
    emulation = _emulation(cell, robot, setup)
    session = Interpreter(emulation, echo=setup.echo, out=setup.out, budget=setup.budget)
    outcomes: list[Outcome] = []
    _add(cell, emulation, setup, lambda: outcomes.append(session.run(source)))
    ending = cell.run().ending
    done = sum(each.statements for each in outcomes)
    return Ended(cell.time, len(emulation.crashes), statements=done, whole=ending == "finished")


def run_console(
    read: Read, cell: "Cell", robot: "LiveRobot", setup: Setup, prepare: Callable[[Interpreter], None]
) -> Ended:
    """Runs a console to the end of its input; ``prepare`` is given the session before, to set completion up."""
    session, console = add_console(read, cell, robot, setup)
    prepare(session)
    cell.run()
    return Ended(cell.time, len(session.emulation.crashes), console.mistakes)


def add_console(read: Read, cell: "Cell", robot: "LiveRobot", setup: Setup) -> tuple[Interpreter, Console]:
    """Makes a console a program of the cell, to be run by whoever runs the cell; gives its session and itself."""
    consoles: list[Console] = []
    emulation = _emulation(cell, robot, setup, lambda prompt: consoles[0].ask(prompt))
    session = Interpreter(emulation, echo=setup.echo, out=setup.out, interactive=True, budget=setup.budget)
    consoles.append(Console(session, read, setup.echo))
    _add(cell, emulation, setup, consoles[0].run)
    return session, consoles[0]


def _emulation(cell: "Cell", robot: "LiveRobot", setup: Setup, ask: Callable[[str], str] | None = None) -> Emulation:
    emulation = Emulation(
        cell,
        robot,
        echo=setup.echo,
        answers=setup.answers,
        ask=ask,
        functions=setup.functions,
        out=setup.out,
    )
    if setup.progress is not None:
        emulation.display.progress = setup.progress
    return emulation


def _add(cell: "Cell", emulation: Emulation, setup: Setup, work: Callable[[], None]) -> None:
    """Makes it a program of the cell; journal and pictures are written however it ends."""

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
