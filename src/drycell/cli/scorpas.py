"""Run a program on a real SCORBOT over a serial line: the same Pascal or Python file that runs in a cell.

The controller must understand ACL and be in DIRECT mode, and the arm must have been homed. Delays run in real time.
Ctrl-C, a program error or a line fault stops the arm: the motion is aborted, then the motors are switched off.


examples:
  drycell scorpas robot.pas --serial /dev/ttyUSB0
  drycell scorpas robot.py --serial COM3 --cell examples/30_event_cell --journal out/real.txt

exit code: 0 if the program ended, 2 if it was interrupted, 1 on error.
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
    """Declare the arguments of ``drycell scorpas``."""
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a Pascal program (.pas), or a Python file (.py); see --function",
    )
    parser.add_argument("--serial", metavar="PORT", required=True, help="the serial port, such as /dev/ttyUSB0 or COM3")
    parser.add_argument(
        "--function",
        metavar="NAME",
        help="the function to start in a Python file (default: the one named after the file)",
    )
    parser.add_argument("--cell", metavar="CELL", help="take the arm and its tool from this cell")
    parser.add_argument(
        "--robot", metavar="NAME", help="a robot in the cell, or from the library (default: scorbot-er3)"
    )
    parser.add_argument(
        "--calibration", metavar="FILE", help="calibration file (YAML): maps joint angles to encoder counts"
    )
    parser.add_argument(
        "--interrupt",
        metavar="CODE=INPUT",
        action="append",
        default=[],
        help="input whose rising edge triggers WaitInterrupt(CODE); may be repeated",
    )
    parser.add_argument(
        "--timeout", type=float, default=5.0, metavar="S", help="seconds to wait for an answer (default: 5)"
    )
    parser.add_argument(
        "--speed", type=float, default=1.0, metavar="X", help="run the program's delays X times faster (default: 1)"
    )
    parser.add_argument(
        "--journal", metavar="FILE", help="write the journal, including every command sent over the line"
    )


def main(options: argparse.Namespace) -> int:
    """Run the program on the robot, and return the exit code."""
    from drycell.kernel import Kernel, Pace
    from drycell.scorbot import SCORBOT, AclSession, ScorbotDriver, SerialPort, load_calibration

    path = Path(options.file)
    if path.suffix.lower() not in (".pas", ".py"):
        raise DrycellError(f"{options.file} is neither Pascal nor Python", hint="give a .pas or .py file")
    if not path.is_file():
        raise DrycellError(f"there is no file {options.file!r}", hint="check the path, or write the program first")
    if not options.timeout > 0:
        raise DrycellError(f"--timeout is {options.timeout:g} s but must be above 0 s", hint="try --timeout 5")
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
        driver.wait_position()  # the arm must stand still when the command ends

    kernel.spawn(run, name=path.stem)
    return _run(kernel, driver, Pace(options.speed, attended=True), options)


def _run(kernel: "Kernel", driver: "ScorbotDriver", pace: "Pace", options: argparse.Namespace) -> int:
    """Run the program to its end. If anything else ends it, stop the arm. The journal is always written."""
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
        warning = driver.close(stop=ending != "finished")
    if failure is not None:
        raise failure
    print(f"{options.file} on {options.serial}: {ending}" + (f"; {warning}" if warning else ""))
    return 0 if ending == "finished" else 2


def _arm(options: argparse.Namespace) -> "tuple[Mechanism, Pose]":
    """Return the arm's kinematics and its tool: of a cell's robot, or of a library robot with its gripper."""
    from drycell.cell import Cell, CellSource
    from drycell.cli.wiring import robot_of
    from drycell.robots import Robot

    if options.cell is None:
        robot = Cell("arm").add("arm", Robot(options.robot or "scorbot-er3", gripper="two-finger"))
    else:
        robot = robot_of(CellSource.find(options.cell).build(), options.robot)
    return robot.mechanism, robot.tool


def _program(path: Path, function: str | None, driver: "ScorbotDriver") -> Callable[[], object]:
    """Load the program, with the driver as its ``scorbot``."""
    if path.suffix.lower() == ".pas":
        from drycell.languages.pascal import load_pascal

        return load_pascal(path, driver)
    from drycell.cell import LiveProgram
    from drycell.kernel import load_program

    found = load_program(path).function(function or path.stem)
    given = LiveProgram(found).arguments({"scorbot": driver})
    return lambda: found(*given)


def _interrupt(text: str) -> tuple[str, int]:
    code, equals, number = text.partition("=")
    if not (code and equals and number.isdigit() and 1 <= int(number) <= 16):
        raise DrycellError(f"{text!r} is not an interrupt", hint="write a code and its input: --interrupt A=3")
    return code, int(number)
