"""The interface between programs for a SCORBOT and the target of their commands: a virtual cell, or a real controller.

It covers the commands of tables 15 and 16 of the thesis. All numbers are in SI units: metres, radians, seconds.
"""

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from typing import Final, Protocol, runtime_checkable

from drycell.languages.kit.recorder import CommandRecorder

TIMER_TICK: Final = Fraction(5, 91)
"""The seconds between two ticks of a PC's timer, which ticks 18.2 times a second."""
INPUTS: Final = 8
AXES: Final = 5
SPEEDS: Final = 9


@runtime_checkable
class ScorbotInterface(Protocol):
    """A robot with numbered inputs and outputs. One program at a time issues commands.

    ``move_to``, ``move_by`` and ``move_pulses`` start a motion and return at once. A motion that is commanded while
    another is running starts after it. ``wait_position`` returns when all motions are done.
    """

    def move_to(self, x: float, y: float, z: float, pitch: float, roll: float) -> None:
        """Start a motion of the tool to a position in the frame of the robot's base; a pitch of −90° points down."""

    def move_by(self, x: float, y: float, z: float) -> None:
        """Start a motion of the tool by an offset along the axes of the robot's base; pitch and roll do not change."""

    def move_pulses(self, pulses: Sequence[int]) -> None:
        """Start a motion of each axis to an encoder count."""

    def set_speed(self, grade: int) -> None:
        """Set the speed of all axes, from 1 to 9, starting with the next motion."""

    def stop_axis(self, axis: int) -> None:
        """Stop an axis, numbered from 1."""

    def wait_position(self) -> None:
        """Wait until all motions are done."""

    def set_gripper(self, opened: bool) -> None:
        """Open or close the gripper, and wait until that is done."""

    def input(self, number: int) -> bool:
        """Whether an input (1 to 8) is on."""

    def pulse(self, output: int) -> None:
        """Start a pulse on an output, and return at once."""

    def wait_interrupt(self, code: str, timeout: float) -> bool:
        """Wait for the interrupt with a code; return False if it does not occur within ``timeout`` seconds."""

    def delay(self, seconds: float) -> None:
        """Let time pass."""


class RecordingController(CommandRecorder):
    """A :class:`ScorbotInterface` that moves nothing and records its commands, for tests of programs without a cell.

    Numbers in ``commands`` are in SI units, rounded to six decimals.
    """

    def __init__(
        self,
        inputs: Callable[[float], Collection[int]] = lambda time: (),
        *,
        interrupts: Collection[str] = (),
        motion: float = 2.0,
    ) -> None:
        """Create a recorder.

        Args:
            inputs: returns the numbers of the inputs that are on at a time, in seconds.
            interrupts: the codes of interrupts that occur at once; a wait for any other code runs into its timeout.
            motion: the time, in seconds, that passes whenever a position is waited for.
        """
        super().__init__(inputs, motion=motion)
        self._interrupts = interrupts

    def move_to(self, x: float, y: float, z: float, pitch: float, roll: float) -> None:
        self.record("move_to", *_rounded(x, y, z, pitch, roll))

    def move_by(self, x: float, y: float, z: float) -> None:
        self.record("move_by", *_rounded(x, y, z))

    def move_pulses(self, pulses: Sequence[int]) -> None:
        self.record("move_pulses", *pulses)

    def set_speed(self, grade: int) -> None:
        self.record("set_speed", grade)

    def stop_axis(self, axis: int) -> None:
        self.record("stop_axis", axis)

    def wait_position(self) -> None:
        self.record("wait_position")
        self.moved()

    def set_gripper(self, opened: bool) -> None:
        self.record("set_gripper", opened)

    def pulse(self, output: int) -> None:
        self.record("pulse", output)

    def wait_interrupt(self, code: str, timeout: float) -> bool:
        self.record("wait_interrupt", code, timeout)
        came = code in self._interrupts
        self.time += 0.0 if came else timeout
        return came


def _rounded(*values: float) -> list[float]:
    return [round(value, 6) + 0.0 for value in values]
