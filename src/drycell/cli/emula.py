"""EMULA, as in 1981: drives a sensory robot by its manipulator language, from a file or from a console.

Without FILE a console opens: `help` lists the commands, Tab completes, Ctrl-C stops the running move, Ctrl-D ends the
session. With FILE the program runs to its end as a batch. The exit code is 0 when it went well, 2 after a collision
that a check of the program found, and 1 when the program has a mistake.

The cell is the paper's work station unless --cell names another. Lengths are inches and angles degrees, until the
program says UNITS(mm).
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from drycell.base import DrycellError

if TYPE_CHECKING:
    from drycell.languages.emula import Interpreter, UserFunction

_HISTORY = Path("~/.drycell_emula_history")
_REMEMBERED = 2000  # lines of history


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``drycell emula``."""
    parser.add_argument("file", metavar="FILE", nargs="?", help="a program to run; without it a console opens")
    parser.add_argument("--cell", metavar="CELL", help="another cell than the paper's work station")
    parser.add_argument("--robot", metavar="NAME", help="which robot of that cell, if it has several")
    parser.add_argument(
        "--model",
        default="stylised",
        metavar="M",
        help="the robot's model: hand, stylised or detailed (default: stylised)",
    )
    parser.add_argument("--journal", metavar="FILE", help="keep a journal of commands and responses from the start")
    parser.add_argument("--record", metavar="FILE", help="a recording of the session, for drycell replay and pictures")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the seed of all random streams (default 0)")
    parser.add_argument("--answers", metavar="FILE", help="answers to QUERY, one a line, in the order of the questions")
    parser.add_argument("--functions", metavar="FILE.py", help="a Python file whose functions ATTACH knows by name")
    parser.add_argument("--out", default="out", metavar="DIR", help="where pictures and journals go (default: out)")


def main(options: argparse.Namespace) -> int:
    """Runs it; returns the exit code."""
    from drycell.languages.emula import SessionOptions, robot_of, run_batch, run_console, workstation
    from drycell.languages.kit import SourceText

    if options.record and options.functions:
        raise DrycellError(
            "--record with --functions: a recording does not keep Python functions, and could not be replayed",
            hint="record without them, or keep a journal: --journal FILE",
        )
    source = SourceText.read(Path(options.file)) if options.file else None
    cell_source = None
    if options.cell:
        from drycell.cell import CellSource

        cell_source = CellSource.find(options.cell)
        cell = cell_source.build(seed=options.seed)
        robot = robot_of(cell, options.robot)
    else:
        cell, robot = workstation(options.model, options.seed)
    from drycell.cli.progress import share_bar

    setup = SessionOptions(
        answers=_answers(options.answers) if options.answers else None,
        functions=_functions(Path(options.functions)) if options.functions else None,
        out=Path(options.out),
        progress=share_bar,
        journal=Path(options.journal) if options.journal else None,
        model=None if options.cell else options.model,
        record=Path(options.record) if options.record else None,
        source=cell_source,
    )
    if source is not None:
        ended = run_batch(source, cell, robot, setup)
        collisions = f", {ended.collisions} cycles with a collision" if ended.collisions else ""
        told = f"{ended.statements} statements, {ended.seconds:.3f} s of cell time, seed {cell.seed}{collisions}"
        print(f"{options.file}: {told}" + ("" if ended.whole else "; broken off before its end"))
        return 0 if ended.whole and not ended.collisions else 2
    print(f"EMULA on drycell. Cell: {cell.name} ({robot.model_name}). 'help' lists the commands.")
    ended = run_console(_read, cell, robot, setup, _prepare)
    print(f"{ended.seconds:.3f} s of cell time, seed {cell.seed}")
    return 0 if sys.stdin.isatty() or not ended.mistakes else 1


def _read(prompt: str) -> str:
    if sys.stdin.isatty():
        return input(prompt)
    line = sys.stdin.readline()  # a script piped in: prompts would only be in the way
    if not line:
        raise EOFError
    return line.rstrip("\n")


def _prepare(session: "Interpreter") -> None:
    """History and completion, where there are a terminal and a readline."""
    if not sys.stdin.isatty():
        return
    try:
        import readline
    except ImportError:  # a system without it
        return
    import atexit

    from drycell.languages.emula import Completer

    history = _HISTORY.expanduser()
    try:
        readline.read_history_file(history)
    except OSError:
        readline.clear_history()
    readline.set_history_length(_REMEMBERED)
    readline.set_completer(Completer(session))
    readline.set_completer_delims(" \t\n()<>,;=+-*/'\"#$")
    readline.parse_and_bind("tab: complete")
    atexit.register(_keep, history)


def _keep(history: Path) -> None:
    import readline

    try:
        readline.write_history_file(history)
    except OSError:
        return  # a home that cannot be written to has no history


def _answers(path: str) -> Iterator[str]:
    from drycell.languages.kit import SourceText

    return iter(SourceText.read(Path(path)).text.splitlines())


def _functions(path: Path) -> "dict[str, UserFunction]":
    """The public functions of a file that the person at the command line has named: it is run as Python."""
    from drycell.base import FileError
    from drycell.kernel import load_program

    if not path.is_file():
        raise FileError(f"there is no file {str(path)!r} with sensor functions", hint="look at the name of the file")
    names = load_program(path).namespace
    found: dict[str, UserFunction] = {
        name: value
        for name, value in names.items()
        if callable(value) and not name.startswith("_") and getattr(value, "__module__", None) == names.get("__name__")
    }
    if not found:
        raise FileError(f"{path} has no functions", hint="write `def warmth(look, body): return …`")
    return found
