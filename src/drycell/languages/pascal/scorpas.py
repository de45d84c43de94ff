"""The routines of ScorPas: they check arguments, convert millimetres and degrees to SI units, and call a controller."""

import math
from collections.abc import Callable, Mapping
from typing import Final

from drycell.base import deg, mm
from drycell.languages.kit import AXES, INPUTS, SPEEDS, TIMER_TICK, ScorbotInterface, StatementError

_OUTPUTS: Final = 8


class ScorPas:
    """The commands of tables 15 and 16 of the thesis for one controller."""

    def __init__(self, controller: ScorbotInterface) -> None:
        self._controller = controller

    def routines(self) -> Mapping[str, Callable[..., object]]:
        """The routines by their names in lower case."""
        controller = self._controller
        return {
            "movexyz": self.move_xyz,
            "movex": lambda offset: self.move_by(offset, 0.0, 0.0),
            "movey": lambda offset: self.move_by(0.0, offset, 0.0),
            "movez": lambda offset: self.move_by(0.0, 0.0, offset),
            "gopuls": controller.move_pulses,
            "waitpos": controller.wait_position,
            "speed": lambda grade: controller.set_speed(_numbered("speed", grade, SPEEDS)),
            "stopmotor": lambda axis: controller.stop_axis(_numbered("axis", axis, AXES)),
            "gripper": controller.set_gripper,
            "setoutputno": lambda number: controller.pulse(_numbered("output", number, _OUTPUTS)),
            "inputstatus": self.input_status,
            "getinputvalue": self.input_value,
            "waitinterrupt": self.wait_interrupt,
            "delay": lambda ms: controller.delay(ms / 1000.0),
        }

    def move_xyz(self, x_mm: float, y_mm: float, z_mm: float, pitch_deg: float, roll_deg: float) -> None:
        """MoveXYZ."""
        _finite(x_mm, y_mm, z_mm, pitch_deg, roll_deg)
        self._controller.move_to(x_mm * mm, y_mm * mm, z_mm * mm, pitch_deg * deg, roll_deg * deg)

    def move_by(self, x_mm: float, y_mm: float, z_mm: float) -> None:
        """MoveX, MoveY and MoveZ."""
        _finite(x_mm, y_mm, z_mm)
        self._controller.move_by(x_mm * mm, y_mm * mm, z_mm * mm)

    def input_status(self, number: int) -> bool:
        """InputStatus."""
        return self._controller.input(_numbered("input", number, INPUTS))

    def input_value(self) -> int:
        """GetInputValue: input 1 is the lowest bit."""
        return sum(self._controller.input(number) << (number - 1) for number in range(1, INPUTS + 1))

    def wait_interrupt(self, code: str, ticks: int) -> bool:
        """WaitInterrupt: the timeout is the number of ticks, rounded down to a whole microsecond."""
        whole = ticks * TIMER_TICK.numerator * 1_000_000 // TIMER_TICK.denominator
        return self._controller.wait_interrupt(code, whole / 1e6)


def _numbered(what: str, number: int, last: int) -> int:
    if not 1 <= number <= last:
        raise StatementError(f"{what} {number} does not exist: use 1..{last}")
    return number


def _finite(*values: float) -> None:
    for value in values:
        if not math.isfinite(value):
            raise StatementError(f"cannot move to {value}")
