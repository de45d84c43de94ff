"""Runs a program on a real SCORBOT: Pascal or Python, the same file that runs in a cell, over a serial line.

The controller must speak ACL and be in DIRECT mode, and the arm must have been homed. Delays of the program pass by the
wall clock. Ctrl-C, an error of the program and a fault of the line stop the arm: motion is aborted, then the motors are
switched off. The exit code is 0 when the program came to its end, 2 when it was interrupted, and 1 after an error.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from drycell.base import DrycellError

if TYPE_CHECKING:
    from drycell.base import Pose
    from drycell.kernel import Kernel, Pace
    from drycell.robots import Mechanism
    from drycell.scorbot import ScorbotDriver


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``drycell scorpas``."""
    parser.add_argument("file", metavar="FILE", help="a program: FILE.pas, or FILE.py with a function of that name")
    parser.add_argument("--serial", metavar="PORT", required=True, help="the serial port, such as /dev/ttyUSB0 or COM3")
    parser.add_argument("--function", metavar="NAME", help="of a Python file, the function to start")
    parser.add_argument("--cell", metavar="CELL", help="take the arm and its tool from this cell")
    parser.add_argument("--robot", metavar="NAME", help="which robot of the cell, or of the library (scorbot-er3)")
    parser.add_argument("--calibration", metavar="FILE", help="how joint angles become counts of the encoders (YAML)")
    parser.add_argument(
        "--interrupt",
        metavar="CODE=INPUT",
        action="append",
        default=[],
        help="the input whose rise is an interrupt of WaitInterrupt",
    )
    parser.add_argument("--timeout", type=float, default=5.0, metavar="S", help="how long to wait for an answer (5)")
    parser.add_argument(
        "--speed", type=float, default=1.0, metavar="X", help="let the program's delays pass X times faster (1)"
    )
    parser.add_argument("--journal", metavar="FILE", help="write the journal, every command on the line included")


def main(options: argparse.Namespace) -> int:
    """Runs it; returns the exit code."""
    from drycell.kernel import Kernel, Pace
    from drycell.scorbot import SCORBOT, AclSession, ScorbotDriver, SerialPort, load_calibration

    path = Path(options.file)
    if path.suffix.lower() not in (".pas", ".py"):
        raise DrycellError(f"{options.file} is neither Pascal nor Python", hint="give a .pas or .py file")
    if not path.is_file():
        raise DrycellError(f"there is no file {options.file!r}")
    if not options.timeout > 0:
        raise DrycellError(f"a time-out of {options.timeout:g} s is over before it begins", hint="give more than 0")
    calibration = load_calibration(options.calibration) if options.calibration else SCORBOT
    interrupts = dict(map(_interrupt, options.interrupt))
    mechanism, tool = _arm(options)
    kernel = Kernel()
    session = AclSession(SerialPort(options.serial), timeout=options.timeout)
    try:
        driver = ScorbotDriver(kernel, session, mechanism, calibration, tool=tool, interrupts=interrupts)
        program = _program(path, options.function, driver)
    except BaseException:
        session.close()
        raise

    def run() -> None:
        driver.start()
        program()
        driver.wait_position()  # who is told that the program has ended expects the arm to stand

    kernel.spawn(run, name=path.stem)
    return _run(kernel, driver, Pace(options.speed, attended=True), options)


def _run(kernel: "Kernel", driver: "ScorbotDriver", pace: "Pace", options: argparse.Namespace) -> int:
    """Runs the program to its end; whatever ends it otherwise stops the arm. The journal is written in any case."""
    from contextlib import ExitStack

    from drycell.base import text_beside

    ending, failure = "failed", None
    with ExitStack() as files:
        if options.journal:
            file = files.enter_context(text_beside(Path(options.journal)))
            as_json = options.journal.endswith(".jsonl")
            kernel.journal.stream(lambda record: print(record.json() if as_json else record.text(), file=file))
        try:
            ending = kernel.run(pace=pace).ending
        except Exception as error:
            failure = error
            kernel.journal.release()
        told = driver.close(stop=ending != "finished")
    if failure is not None:
        raise failure
    print(f"{options.file} on {options.serial}: {ending}" + (f"; {told}" if told else ""))
    return 0 if ending == "finished" else 2


def _arm(options: argparse.Namespace) -> "tuple[Mechanism, Pose]":
    """The arm's kinematics and its tool: of a cell's robot, or of the library without a tool."""
    if options.cell is None:
        from drycell.base import IDENTITY
        from drycell.robots import load_robot

        return load_robot(options.robot or "scorbot-er3"), IDENTITY
    from drycell.cell import CellSource
    from drycell.cli.wiring import robot_of

    robot = robot_of(CellSource.find(options.cell).build(), options.robot)
    return robot.mechanism, robot.tool


def _program(path: Path, function: str | None, driver: "ScorbotDriver") -> Callable[[], object]:
    """The program, with the driver for what it calls ``scorbot``."""
    if path.suffix.lower() == ".pas":
        from drycell.languages.pascal import load_pascal

        return load_pascal(path, driver)
    from drycell.cell import LiveProgram
    from drycell.kernel import load_program

    found = load_program(path).function(function or path.stem)
    given = LiveProgram(found).arguments({"scorbot": driver})
    return lambda: found(*given)


def _interrupt(text: str) -> tuple[str, int]:
    code, sign, number = text.partition("=")
    if not (code and sign and number.isdigit() and 1 <= int(number) <= 16):
        raise DrycellError(
            f"{text!r} is no interrupt", hint="write a code and the input that stands for it: --interrupt A=3"
        )
    return code, int(number)
