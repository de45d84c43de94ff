"""Emulate the controller of a cell's robot: it understands ACL on a pseudo-terminal, and the rest of the cell runs as
usual.

The command prints the name of the port. Open it like a serial port, with drycell scorpas or a terminal program. The
emulator runs until you press Ctrl-C. The cell's own programs for this controller are not started; commands arrive over
the line instead.


examples:
  drycell emulate examples/30_event_cell --controller scorbot
  drycell scorpas robot.pas --serial /dev/pts/3        in another terminal, with the port that was printed
"""

import argparse
from typing import TYPE_CHECKING

from drycell.base import UnknownName

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.scorbot import Station


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell emulate``."""
    parser.add_argument(
        "cell", metavar="CELL", help="a cell file, a Python file with build(cell), or a folder with one"
    )
    parser.add_argument("--controller", metavar="NAME", help="the controller to emulate, with its robot and wiring")
    parser.add_argument("--robot", metavar="NAME", help="the robot, if no controller is given")
    parser.add_argument("--input", metavar="N=SIGNAL", action="append", default=[], help="wire an input to a signal")
    parser.add_argument("--output", metavar="N=SIGNAL", action="append", default=[], help="wire an output to a signal")
    parser.add_argument("--without", metavar="PROGRAM", action="append", default=[], help="do not start this program")
    parser.add_argument(
        "--calibration", metavar="FILE", help="calibration file (YAML): maps joint angles to encoder counts"
    )
    parser.add_argument("--speed", type=float, default=1.0, metavar="X", help="run at X times real time (default: 1)")
    parser.add_argument("--seed", type=int, default=None, metavar="N", help="seed of the cell and of the faults")
    parser.add_argument("--until", metavar="T", help="end at this cell time")
    parser.add_argument("--journal", metavar="FILE", help="write the journal of the cell to this file")
    parser.add_argument(
        "--late", type=float, default=0.0, metavar="P", help="the fraction of answers that arrive 0.5 s late"
    )
    parser.add_argument(
        "--garbage", type=float, default=0.0, metavar="P", help="the fraction of answers that are garbled"
    )
    parser.add_argument(
        "--lost-prompt", type=float, default=0.0, metavar="P", help="the fraction of answers without their prompt"
    )
    parser.add_argument(
        "--silent", type=float, default=0.0, metavar="P", help="the fraction of commands that are never answered"
    )
    parser.add_argument("--unplug", type=int, metavar="N", help="disconnect at the N-th command")


def main(options: argparse.Namespace) -> int:
    """Run the emulation until Ctrl-C, and return the exit code."""
    from drycell.base import parse
    from drycell.cell import CellSource
    from drycell.scorbot import EmulatedController, LineFaults

    cell = CellSource.find(options.cell).build(seed=options.seed)
    for name in options.without:
        if name not in cell.programs:
            raise UnknownName("program", name, cell.programs)
        del cell.programs[name]
    until = parse(options.until, "time") if options.until else None
    faults = LineFaults(
        late=options.late,
        garbage=options.garbage,
        lost_prompt=options.lost_prompt,
        silent=options.silent,
        at={} if options.unplug is None else {options.unplug: "unplug"},
        seed=options.seed or 0,
    )
    emulated = EmulatedController(cell, _station(cell, options), speed=options.speed, faults=faults)
    print(
        f"{cell.name}: a controller answers at {emulated.port}, {options.speed:g} × real time; press Ctrl-C to end",
        flush=True,
    )
    result = emulated.run(until, journal=options.journal)
    print(f"{emulated.commands} commands in {result.duration:.1f} s of cell time")
    return 0


def _station(cell: "Cell", options: argparse.Namespace) -> "Station":
    """Return the robot with its wiring: that of the cell's controller, plus additions from the command line."""
    from drycell.cli.wiring import numbered, robot_of, wires
    from drycell.scorbot import SCORBOT, Station, load_calibration

    calibration = load_calibration(options.calibration) if options.calibration else SCORBOT
    inputs, outputs = wires(cell, options.input, "input"), wires(cell, options.output, "output")
    if options.controller is None:
        return Station(cell, robot_of(cell, options.robot), inputs, outputs, calibration)
    if options.controller not in cell.controllers:
        raise UnknownName("controller", options.controller, cell.controllers)
    lines = cell.controllers[options.controller]
    for name, program in list(cell.programs.items()):
        if program.controller == lines.name:
            del cell.programs[name]
    return Station(
        cell, lines.robot, {**numbered(lines.inputs), **inputs}, {**numbered(lines.outputs), **outputs}, calibration
    )
