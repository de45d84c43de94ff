"""Emulates the controller of a cell's robot: ACL on a pseudo-terminal, the rest of the cell reacting as it always does.

Prints the name of the port, which a driver (drycell scorpas, a terminal program) opens as it would a serial line. Runs
until Ctrl-C, and leaves nothing behind. The programs of that controller are left out of the cell: they come over the
line.
"""

import argparse
from typing import TYPE_CHECKING

from drycell.base import UnknownName

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.scorbot import Station


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``drycell emulate``."""
    parser.add_argument("cell", metavar="CELL", help="a cell file, a Python file with build(cell), or their folder")
    parser.add_argument("--controller", metavar="NAME", help="which controller of the cell: its robot and its wiring")
    parser.add_argument("--robot", metavar="NAME", help="without a controller: which robot")
    parser.add_argument("--input", metavar="N=SIGNAL", action="append", default=[], help="wire an input to a signal")
    parser.add_argument("--output", metavar="N=SIGNAL", action="append", default=[], help="wire an output to a signal")
    parser.add_argument("--without", metavar="PROGRAM", action="append", default=[], help="leave out this program")
    parser.add_argument("--calibration", metavar="FILE", help="how joint angles become counts of the encoders (YAML)")
    parser.add_argument(
        "--speed", type=float, default=1.0, metavar="X", help="go X times faster than the wall clock (1)"
    )
    parser.add_argument("--seed", type=int, default=None, metavar="N", help="the seed of the cell, and of faults")
    parser.add_argument("--until", metavar="T", help="end at this cell time")
    parser.add_argument("--journal", metavar="FILE", help="write the journal of the cell")
    parser.add_argument(
        "--late", type=float, default=0.0, metavar="P", help="the share of answers that come 0.5 s late"
    )
    parser.add_argument("--garbage", type=float, default=0.0, metavar="P", help="the share of answers that are spoilt")
    parser.add_argument("--lost-prompt", type=float, default=0.0, metavar="P", help="the share without their prompt")
    parser.add_argument("--silent", type=float, default=0.0, metavar="P", help="the share of commands never answered")
    parser.add_argument("--unplug", type=int, metavar="N", help="pull the plug at the N-th command")


def main(options: argparse.Namespace) -> int:
    """Runs it; returns the exit code."""
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
        f"{cell.name}: a controller answers at {emulated.port}, {options.speed:g} × real time; Ctrl-C ends it",
        flush=True,
    )
    result = emulated.run(until, journal=options.journal)
    print(f"{emulated.commands} commands in {result.duration:.1f} s of cell time")
    return 0


def _station(cell: "Cell", options: argparse.Namespace) -> "Station":
    """The robot with its wiring: the controller's of the cell, and what the command line adds."""
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
