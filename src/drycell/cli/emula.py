"""Program a robot with sensors in the manipulator language of EMULA, an emulation system from 1981.

Without FILE, a console opens: `help` lists the commands, Tab completes, Ctrl-C stops the current move, Ctrl-D ends the
session. With FILE, the program runs to its end.

The default cell is the workstation from the 1981 EMULA paper; --cell selects another. Lengths are in inches and angles
in degrees, until the program calls UNITS(mm).


examples:
  drycell emula                                          opens the console
  drycell emula examples/10_emula/centre.eml             prints the number of statements and the cell time
  drycell emula examples/10_emula/query.eml --answers examples/10_emula/query.answers

exit code: 0 on success, 2 if a check in the program found a collision, 1 if the program has an error.
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
    """Declare the arguments of ``drycell emula``."""
    parser.add_argument("file", metavar="FILE", nargs="?", help="a program to run (default: open a console)")
    parser.add_argument("--cell", metavar="CELL", help="use this cell instead of the paper's workstation")
    parser.add_argument("--robot", metavar="NAME", help="the robot to use, if the cell has several")
    parser.add_argument(
        "--model",
        metavar="M",
        help="the robot's model: one from its family (the workstation has hand, stylised and detailed), or a robot or "
        "family file (default: stylised; with --cell: the one in the cell)",
    )
    parser.add_argument("--journal", metavar="FILE", help="write a journal of commands and responses")
    parser.add_argument("--record", metavar="FILE", help="record the session, for drycell replay and picture")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of all random streams (default: 0)")
    parser.add_argument(
        "--answers", metavar="FILE", help="file with the answers to QUERY, one per line, in the order of the questions"
    )
    parser.add_argument("--functions", metavar="FILE.py", help="a Python file with functions for ATTACH")
    parser.add_argument("--out", default="out", metavar="DIR", help="folder for pictures and journals (default: out)")


def main(options: argparse.Namespace) -> int:
    """Run the program or the console, and return the exit code."""
    from drycell.languages.emula import SessionOptions, robot_of, run_batch, run_console, workstation
    from drycell.languages.kit import SourceText

    if options.record and options.functions:
        raise DrycellError(
            "--record with --functions: a recording cannot store Python functions, so it could not be replayed",
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
        cell, robot = workstation(seed=options.seed)
    from drycell.cli.progress import share_bar

    setup = SessionOptions(
        answers=_answers(options.answers) if options.answers else None,
        functions=_functions(Path(options.functions)) if options.functions else None,
        out=Path(options.out),
        progress=share_bar,
        journal=Path(options.journal) if options.journal else None,
        model=None if options.cell else "stylised",
        exchange=options.model,
        record=Path(options.record) if options.record else None,
        source=cell_source,
    )
    if source is not None:
        ended = run_batch(source, cell, robot, setup)
        collisions = f", {ended.collisions} cycles with a collision" if ended.collisions else ""
        ran = f"{ended.statements} statements, {ended.seconds:.3f} s of cell time, seed {cell.seed}{collisions}"
        print(f"{options.file}: {ran}" + ("" if ended.whole else "; stopped before its end"))
        return 0 if ended.whole and not ended.collisions else 2
    print(f"EMULA on drycell. Cell: {cell.name} ({options.model or robot.model_name}). 'help' lists the commands.")
    ended = run_console(_read, cell, robot, setup, _prepare)
    print(f"{ended.seconds:.3f} s of cell time, seed {cell.seed}")
    return 0 if sys.stdin.isatty() or not ended.mistakes else 1


def _read(prompt: str) -> str:
    if sys.stdin.isatty():
        return input(prompt)
    line = sys.stdin.readline()  # input from a pipe: no prompts
    if not line:
        raise EOFError
    return line.rstrip("\n")


def _prepare(session: "Interpreter") -> None:
    """Set up history and completion, if there are a terminal and readline."""
    if not sys.stdin.isatty():
        return
    try:
        import readline
    except ImportError:  # not available on every system
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
        return  # the home folder is not writable: no history


def _answers(path: str) -> Iterator[str]:
    from drycell.languages.kit import SourceText

    return iter(SourceText.read(Path(path)).text.splitlines())


def _functions(path: Path) -> "dict[str, UserFunction]":
    """Load the public functions of a file that the user has named: it is run as Python."""
    from drycell.base import FileError
    from drycell.kernel import load_program

    if not path.is_file():
        raise FileError(f"there is no file {str(path)!r} with sensor functions", hint="check the file name")
    names = load_program(path).namespace
    found: dict[str, UserFunction] = {
        name: value
        for name, value in names.items()
        if callable(value) and not name.startswith("_") and getattr(value, "__module__", None) == names.get("__name__")
    }
    if not found:
        raise FileError(f"{path} has no functions", hint="write `def warmth(look, body): return …`")
    return found
