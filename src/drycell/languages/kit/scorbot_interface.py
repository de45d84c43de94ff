"""The one narrow interface between programs for a SCORBOT and what moves: a virtual cell, or a controller on a line.

It says what tables 15 and 16 of the thesis can ask for, and nothing else. All numbers are SI: metres, radians, seconds.
"""

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from typing import Final, Protocol, runtime_checkable

TIMER_TICK: Final = Fraction(5, 91)
"""Seconds between two ticks of a PC's timer: 18.2 a second."""
INPUTS: Final = 8
AXES: Final = 5
SPEEDS: Final = 9


@runtime_checkable
class ScorbotInterface(Protocol):
    """A robot with numbered inputs and outputs. Commands are given by one program at a time.

    ``move_to``, ``move_by`` and ``move_pulses`` start a motion and return at once; one that is given while another is
    under way follows it. ``wait_position`` returns when all of them are done.
    """

    def move_to(self, x: float, y: float, z: float, pitch: float, roll: float) -> None:
        """Start to move the tool to a position seen from the robot's base, with a pitch (−90° is down) and a roll."""

    def move_by(self, x: float, y: float, z: float) -> None:
        """Start to move the tool by an offset along the axes of the robot's base, pitch and roll unchanged."""

    def move_pulses(self, pulses: Sequence[int]) -> None:
        """Start to move each axis to a count of its encoder."""

    def set_speed(self, grade: int) -> None:
        """The speed of all axes from the next motion on, from 1 to 9."""

    def stop_axis(self, axis: int) -> None:
        """Stop an axis, numbered from 1."""

    def wait_position(self) -> None:
        """Wait until the motions that were started are done."""

    def set_gripper(self, opened: bool) -> None:
        """Open or close the gripper, and wait until it has done so."""

    def input(self, number: int) -> bool:
        """Whether an input, numbered from 1 to 8, is on."""

    def pulse(self, output: int) -> None:
        """Give a pulse on an output; returns at once."""

    def wait_interrupt(self, code: str, timeout: float) -> bool:
        """Wait for an interrupt with a code; False when the time is out first."""

    def delay(self, seconds: float) -> None:
        """Let time pass."""


Told = tuple[object, ...]


class RecordingController:
    """Commands that move nothing and are recorded, for tests of programs without a cell.

    ``told`` has the commands in order, their numbers rounded to six decimals of SI.

    ``inputs`` gives the inputs that are on at a time, ``interrupts`` the codes that come at once. ``time`` passes by
    delays, by ``motion`` seconds whenever a position is waited for, and by interrupts that do not come.
    """

    def __init__(
        self,
        inputs: Callable[[float], Collection[int]] = lambda time: (),
        *,
        interrupts: Collection[str] = (),
        motion: float = 2.0,
    ) -> None:
        self.told: list[Told] = []
        self.time = 0.0
        self._inputs, self._interrupts, self._motion = inputs, interrupts, motion

    def move_to(self, x: float, y: float, z: float, pitch: float, roll: float) -> None:
        """Noted."""
        self.told.append(("move_to", *_rounded(x, y, z, pitch, roll)))

    def move_by(self, x: float, y: float, z: float) -> None:
        """Noted."""
        self.told.append(("move_by", *_rounded(x, y, z)))

    def move_pulses(self, pulses: Sequence[int]) -> None:
        """Noted."""
        self.told.append(("move_pulses", *pulses))

    def set_speed(self, grade: int) -> None:
        """Noted."""
        self.told.append(("set_speed", grade))

    def stop_axis(self, axis: int) -> None:
        """Noted."""
        self.told.append(("stop_axis", axis))

    def wait_position(self) -> None:
        """Noted; time passes."""
        self.told.append(("wait_position",))
        self.time += self._motion

    def set_gripper(self, opened: bool) -> None:
        """Noted."""
        self.told.append(("set_gripper", opened))

    def input(self, number: int) -> bool:
        """As the script of the inputs says; not noted."""
        return number in self._inputs(self.time)

    def pulse(self, output: int) -> None:
        """Noted."""
        self.told.append(("pulse", output))

    def wait_interrupt(self, code: str, timeout: float) -> bool:
        """Noted; time passes if it does not come."""
        self.told.append(("wait_interrupt", code, timeout))
        came = code in self._interrupts
        self.time += 0.0 if came else timeout
        return came

    def delay(self, seconds: float) -> None:
        """Time passes; not noted."""
        self.time += seconds


def _rounded(*values: float) -> list[float]:
    return [round(value, 6) + 0.0 for value in values]
