"""What the emulated controller drives: a robot of a cell, and signals that its inputs and outputs are wired to."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from drycell.base import MotionError, mm, s
from drycell.devices import SCORBOT, Calibration
from drycell.kernel import Mailbox, Signal

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.robots import LiveRobot

LINES: Final = 16
_BUFFER: Final = 32

Motion = tuple[tuple[float, ...], float, bool] | bool
"""Joint angles, a share of full speed or m/s, and whether the tool goes straight; or whether the gripper is to open."""


class Station:
    """A robot with its wiring. All but the making happens on the cell's own thread."""

    def __init__(
        self,
        cell: "Cell",
        robot: "LiveRobot",
        inputs: Mapping[int, Signal[Any]],
        outputs: Mapping[int, Signal[bool]],
        calibration: Calibration = SCORBOT,
        *,
        name: str = "controller",
    ) -> None:
        self._cell = cell
        self._robot, self._inputs, self._outputs = robot, dict(inputs), dict(outputs)
        self._calibration = calibration
        self._own = [False] * LINES
        self._buffer: Mailbox[Motion] = Mailbox(cell.kernel, f"{name}.buffer", _BUFFER)
        cell.program(self._work, name=name)

    def counts(self) -> tuple[int, ...]:
        """Of the encoders, now."""
        return self._calibration.counts(self._robot.joints)

    def move(self, counts: tuple[int, ...], percent: int) -> str:
        """Puts a motion into the buffer."""
        return self._put(counts, percent / 100.0, False)

    def move_straight(self, counts: tuple[int, ...], speed: int) -> str:
        """Puts a straight motion into the buffer."""
        return self._put(counts, speed * mm / s, True)

    def _put(self, counts: tuple[int, ...], speed: float, straight: bool) -> str:
        joints = self._calibration.joints(counts)
        try:
            self._robot.mechanism.check_joints(joints)
        except MotionError:
            return "POINT OUT OF RANGE"
        return "" if self._buffer.offer((joints, speed, straight)) else "MOVE BUFFER FULL"

    def grip(self, opened: bool) -> str:
        """The gripper waits its turn behind the motions before it."""
        try:
            self._robot.gripper  # noqa: B018  (asking for one that is not there raises)
        except MotionError:
            return "NO GRIPPER"
        return "" if self._buffer.offer(opened) else "MOVE BUFFER FULL"

    def inputs(self) -> tuple[bool, ...]:
        """Those without a wire are off."""
        return tuple(number in self._inputs and bool(self._inputs[number].value) for number in range(1, LINES + 1))

    def outputs(self) -> tuple[bool, ...]:
        """As they were set."""
        return tuple(self._own)

    def set_output(self, number: int, on: bool) -> None:
        """One without a wire has a lamp on the controller's front, and nothing else."""
        self._own[number - 1] = on
        if number in self._outputs:
            self._outputs[number].set(on)

    def abort(self) -> None:
        """Stops the arm."""
        while self._buffer.poll() is not None:
            pass
        if self._robot.moving:
            self._robot.stop()

    def control(self, on: bool) -> None:
        """The arm of the cell does not sag without its motors: nothing is to be done."""

    def _work(self) -> None:
        """The controller's own task: what is in the buffer, one after the other."""
        robot = self._robot
        while True:
            motion = self._buffer.get()
            if isinstance(motion, bool):
                robot.gripper.open() if motion else robot.gripper.close()
                continue
            joints, speed, straight = motion
            if straight:
                base = self._cell.world.pose(robot.base)
                robot.move_linear(base @ robot.mechanism.forward(joints) @ robot.tool, speed)
            else:
                robot.move_joints(joints, speed)
