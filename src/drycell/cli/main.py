"""``drycell``: reads the command line and hands over to the command, importing nothing heavy before it must."""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn, Protocol

from drycell.base import DrycellError

COMMANDS = {
    "run": "run a cell and say what happened",
    "emula": "drive a sensory robot as in 1981: a console, or a program in EMULA's language",
    "scorpas": "run a Pascal or Python program on a real SCORBOT, over a serial line",
    "emulate": "emulate the controller of a cell's robot on a pseudo-terminal, to try such programs on",
    "studio": "see, run, debug, teach and build a cell in the browser",
    "show": "show what a cell holds: its tree, its robots, what they can reach",
    "device": "run an end effector or a sensor as a process of its own, commanded by messages",
    "verify": "search the orders of events of a cell for deadlocks, lost signals and other faults",
    "net": "say what a Petri net can come to: states, bounds, deadlocks, liveness, invariants",
    "replay": "run a recording again and compare, or read poses from it",
    "report": "write a recorded run as one HTML page: picture, cycle times, utilisation, collisions, timing",
    "picture": "draw a cell at an instant, without a screen",
    "film": "film a run, without a screen",
    "sensors": "list the sensors that come with drycell, or show one: data, response, beam",
    "simplify": "make a simpler model of a robot, to a chosen closeness",
    "family": "make, list, show and check families of robot models",
    "rig": "put a sensor to the test on a rig, and compare it with what was measured",
    "learn": "train a mobile robot's controller in virtual worlds, and try it in unseen ones",
}

EPILOG = """\
examples:
  drycell run examples/00_first_cell
  drycell run examples/00_first_cell --until 2min --seed 7 --record out/first.dry
  drycell run examples/30_event_cell --set belt.speed='60 mm/s' --set machine1.duration='[30 s, 40 s]'
  drycell show examples/00_first_cell
  drycell replay out/first.dry
  drycell report out/first.dry -o out/first.html
  drycell verify examples/31_verify/exact_tie
  drycell picture examples/00_first_cell --at 3s -o out/first.png
  drycell film examples/00_first_cell -o out/first.mp4

A CELL is a cell file (cell.yaml), a Python file with a function build(cell), or a folder that holds one of them.
`drycell COMMAND --help` says more of each.
"""


class Command(Protocol):
    """What the module of a command holds; its docstring is the description that ``--help`` prints."""

    def add_arguments(self, parser: argparse.ArgumentParser, /) -> None:
        """Declares the options of the command."""

    def main(self, options: argparse.Namespace, /) -> int:
        """Runs the command and returns the exit code."""


def load(name: str) -> Command:
    """The module of a command. Written out, so that editors find it, and imported only when it is wanted."""
    if name == "run":
        from drycell.cli import run

        return run
    if name == "emula":
        from drycell.cli import emula

        return emula
    if name == "scorpas":
        from drycell.cli import scorpas

        return scorpas
    if name == "emulate":
        from drycell.cli import emulate

        return emulate
    if name == "studio":
        from drycell.cli import studio

        return studio
    if name == "show":
        from drycell.cli import show

        return show
    if name == "device":
        from drycell.cli import device

        return device
    if name == "verify":
        from drycell.cli import verify

        return verify
    if name == "net":
        from drycell.cli import net

        return net
    if name == "replay":
        from drycell.cli import replay

        return replay
    if name == "report":
        from drycell.cli import report

        return report
    if name == "picture":
        from drycell.cli import picture

        return picture
    if name == "film":
        from drycell.cli import film

        return film
    if name == "sensors":
        from drycell.cli import sensors

        return sensors
    if name == "simplify":
        from drycell.cli import simplify

        return simplify
    if name == "family":
        from drycell.cli import family

        return family
    if name == "rig":
        from drycell.cli import rig

        return rig
    from drycell.cli import learn

    return learn


class CommandParser(argparse.ArgumentParser):
    """A parser that ends with 1 when it cannot make sense of its arguments: 2 is for runs that did not go well."""

    def error(self, message: str) -> NoReturn:
        """Says what is wrong, and how it is used."""
        self.print_usage(sys.stderr)
        self.exit(1, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """The whole program; returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = CommandParser(
        prog="drycell",
        description="Dry-runs a robot cell before it exists.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version and stop")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    wanted = next((word for word in given if not word.startswith("-")), None)
    modules: dict[str, Command] = {}
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text, formatter_class=argparse.RawDescriptionHelpFormatter)
        if name == wanted:
            modules[name] = load(name)
            command.description = modules[name].__doc__
            modules[name].add_arguments(command)
    options = parser.parse_args(given)
    if options.version:
        from importlib.metadata import version

        print(f"drycell {version('drycell')}")
        return 0
    if options.command is None:
        parser.print_help()
        return 0
    try:
        code = modules[options.command].main(options)
    except DrycellError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 1
    except OSError as error:
        name = f" {error.filename}" if error.filename else ""
        print(f"cannot read or write{name}: {error.strerror or error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 1
    return code


if __name__ == "__main__":
    sys.exit(main())
