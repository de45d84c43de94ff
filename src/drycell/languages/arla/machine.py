"""The interface between ARLA programs and the robot they command, with numbered I/O, sensors, tools and positions.

All numbers are in SI units. Poses are of the TCP, in the frame of the robot's base.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from drycell.base import IDENTITY, Pose
from drycell.languages.kit import CommandRecorder


@dataclass(frozen=True, slots=True)
class PositionMove:
    """A move to a target pose. ``name`` is used in reports.

    ``fraction`` (0 to 1) applies to the set speed, or to the joints' own speeds unless the move is ``straight``. With
    ``zone`` 0 the robot stops at the target; it passes through zones 1 to 9, each wider than the previous one.
    """

    target: Pose
    name: str
    fraction: float
    straight: bool = True
    zone: int = 0


@runtime_checkable
class ArlaMachine(Protocol):
    """The machine that ARLA instructions command. One program at a time issues commands; they take cell time."""

    def taught(self, number: int) -> Pose | None:
        """A taught position, or None if it has not been taught."""

    def here(self) -> Pose:
        """The pose of the TCP now."""

    def set_speed(self, speed: float, limit: float) -> None:
        """Set the speed that is 100 %, and the speed that no move exceeds."""

    def select_tool(self, number: int) -> None:
        """Select the tool whose TCP is moved; 0 is the bare flange."""

    def move(self, move: PositionMove) -> None:
        """Move to a target; return when the robot has stopped there, or has entered the zone."""

    def search(self, move: PositionMove, sensor: int) -> Pose | None:
        """Move to a target until a sensor responds, and stop.

        Returns:
            The pose of the TCP when the sensor responded, or None if it did not respond.
        """

    def set_gripper(self, opened: bool) -> None:
        """Open or close the gripper, and wait until that is done."""

    def input(self, number: int) -> bool:
        """Whether an input is on."""

    def output(self, number: int) -> bool:
        """Whether an output is on."""

    def set_output(self, number: int, on: bool) -> None:
        """Set or reset an output."""

    def wait_inputs(self, wanted: Sequence[tuple[int, bool]]) -> None:
        """Wait until all of these inputs have the wanted state at the same time."""

    def delay(self, seconds: float) -> None:
        """Let time pass."""


class RecordingMachine(CommandRecorder):
    """An :class:`ArlaMachine` that moves nothing and records its commands, for tests of programs without a cell.

    Moves are recorded with the name of their target and the fraction of the speed.
    """

    def __init__(
        self,
        inputs: Callable[[float], Collection[int]] = lambda time: (),
        *,
        found: Sequence[float | None] = (),
        positions: Mapping[int, Pose] | None = None,
        motion: float = 1.0,
    ) -> None:
        """Create a recorder.

        Args:
            inputs: returns the numbers of the inputs that are on at a time, in seconds.
            found: for each search in turn, the fraction of the distance at which its sensor responds, or None where
                it does not respond; later searches find nothing.
            positions: the taught positions; default: every position is taught, at the origin.
            motion: the time, in seconds, of each move.
        """
        super().__init__(inputs, motion=motion)
        self.outputs: set[int] = set()
        self.pose = IDENTITY
        self._found, self._positions = list(found), positions

    def taught(self, number: int) -> Pose | None:
        return IDENTITY if self._positions is None else self._positions.get(number)

    def here(self) -> Pose:
        return self.pose

    def set_speed(self, speed: float, limit: float) -> None:
        self.record("speed", speed, limit)

    def select_tool(self, number: int) -> None:
        self.record("tool", number)

    def move(self, move: PositionMove) -> None:
        self.record("move", move.name, move.fraction, "straight" if move.straight else "joints", move.zone)
        self.pose = move.target
        self.moved()

    def search(self, move: PositionMove, sensor: int) -> Pose | None:
        self.record("search", move.name, move.fraction, sensor)
        fraction = self._found.pop(0) if self._found else None
        self.pose = move.target if fraction is None else self.pose.towards(move.target, fraction)
        self.moved()
        return None if fraction is None else self.pose

    def set_gripper(self, opened: bool) -> None:
        self.record("gripper", "open" if opened else "close")

    def output(self, number: int) -> bool:
        return number in self.outputs

    def set_output(self, number: int, on: bool) -> None:
        self.record("output", number, on)
        (self.outputs.add if on else self.outputs.discard)(number)

    def wait_inputs(self, wanted: Sequence[tuple[int, bool]]) -> None:
        self.record("wait", *wanted)
