"""The command ``drycell``: parses the arguments, then imports and calls only the module of the given command."""

import argparse
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn, Protocol

from drycell.base import DrycellError, plain_output

COMMANDS = {
    "new": "create a folder with a small working cell, its program and its tests",
    "run": "run a cell and print what happened",
    "studio": "open a cell or a recording in the browser: watch, debug, teach and build",
    "show": "list the bodies, robots, sensors and programs of a cell",
    "campaign": "run a cell thousands of times: seeds, variants, faults; with confidence intervals, and resumable",
    "worker": "run a worker or the scheduler of a cluster, for campaigns on many machines",
    "verify": "explore the possible orders of events to find deadlocks, lost signals and other faults",
    "replay": "repeat a recorded run and compare the two, or read poses from the recording",
    "report": "summarise a recorded run on one HTML page: cycle times, utilisation, collisions, timing",
    "picture": "draw a cell or a recording at a given time (no screen needed)",
    "film": "make a film of a run (no screen needed)",
    "robots": "list the robots in the library, or show one: data, joints and a picture",
    "sensors": "list the sensors in the library, or show one: data, response and beam",
    "states": "list the stable states of a part: how it can rest, and how often it ends in each when it is dropped",
    "net": "analyse a Petri net: states, bounds, deadlocks, liveness, invariants",
    "emula": "run EMULA, the 1981 language for robots with sensors, in a console or from a file",
    "scorpas": "run a Pascal or Python program on a real SCORBOT, over a serial line",
    "emulate": "emulate a SCORBOT's controller on a pseudo-terminal, to test programs without the arm",
    "device": "run an end effector or a sensor as a separate process, commanded by messages",
    "proxy": "pass messages between a program and its devices, and report contradictory replies",
    "simplify": "make a simplified model of a robot, within a given tolerance",
    "family": "create, list, show and check families of robot models",
    "rig": "test a sensor on a virtual rig and compare it with published measurements",
    "learn": "train the controller of a mobile robot in virtual worlds, and test it in unseen ones",
}

EPILOG = """\
examples:
  drycell new my-cell                                          creates your first cell
  drycell run examples/30_event_cell --until 10min --seed 7    prints parts, cycle times, collisions and waits
  drycell run examples/30_event_cell --set belt.speed='60 mm/s' --record out/fast.dry
  drycell report out/fast.dry                                  writes out/fast.html
  drycell verify examples/31_verify/exact_tie                  finds a deadlock and prints the trace that leads to it
  drycell studio                                               shows the examples in the browser

CELL is a cell file (cell.yaml), a Python file with a function build(cell), or a folder that contains one of them.
`drycell COMMAND --help` describes a command and its options.

Exit code: 0 on success, 1 on error, 2 if the result is not clean (a fault or a difference; see each command), 3 if a
search was incomplete.
"""


class Command(Protocol):
    """The interface of a command's module. The docstring of the module is the description that ``--help`` prints."""

    def add_arguments(self, parser: argparse.ArgumentParser, /) -> None:
        """Declare the arguments of the command."""

    def main(self, options: argparse.Namespace, /) -> int:
        """Run the command and return its exit code."""


def load(name: str) -> Command:
    """Import the module of a command. The imports are written out so that editors can follow them."""
    if name == "new":
        from drycell.cli import new

        return new
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
    if name == "proxy":
        from drycell.cli import proxy

        return proxy
    if name == "campaign":
        from drycell.cli import campaign

        return campaign
    if name == "worker":
        from drycell.cli import worker

        return worker
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
    if name == "robots":
        from drycell.cli import robots

        return robots
    if name == "sensors":
        from drycell.cli import sensors

        return sensors
    if name == "states":
        from drycell.cli import states

        return states
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
    """A parser that exits with 1 on invalid arguments, because 2 means that a run has found a fault."""

    def error(self, message: str) -> NoReturn:
        """Print the usage and the message, and exit."""
        self.print_usage(sys.stderr)
        self.exit(1, f"{self.prog}: {message}\n")


@contextmanager
def _terminable() -> Iterator[None]:
    """Inside the block, SIGTERM interrupts like Ctrl-C, so temporary files are removed. A run handles it itself."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``drycell`` with these arguments, by default those of the command line, and return the exit code."""
    plain_output()
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = CommandParser(
        prog="drycell",
        description="Simulate a robot cell before you build it: robots, parts, sensors and programs on one clock.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
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
        with _terminable():
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
