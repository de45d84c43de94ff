"""The virtual S3 controller: an ``ArlaMachine`` with a robot of a cell. Inputs, outputs and sensors are signals."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from drycell.base import IDENTITY, Pose, ProgramError, UnknownName, mm, s
from drycell.kernel import Condition, Signal, delay, wait
from drycell.languages.arla.machine import PositionMove
from drycell.world import LiveWorkpoint

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.devices import LiveController
    from drycell.robots import LiveRobot

SPEED: Final = 1000 * mm / s
"""The speed that is 100 % until a program sets another one."""
ZONE: Final = 10 * mm
"""The width of zone C1; C2 is twice as wide, and so on. The listing does not give it."""
Wiring = Mapping[int, "str | Signal[Any]"]


class VirtualS3:
    """A robot of a cell that is commanded like ABB's S3 controller. Position #58 is the cell's workpoint ``p58``."""

    def __init__(
        self,
        cell: "Cell",
        robot: "str | LiveRobot | None" = None,
        *,
        inputs: Wiring | None = None,
        outputs: Wiring | None = None,
        sensors: Wiring | None = None,
        tools: Mapping[int, Pose] | None = None,
        zone: float = ZONE,
        speed: float = SPEED,
    ) -> None:
        """Wire a robot and its I/O to numbers.

        Args:
            cell: the cell with the robot and its signals.
            robot: the robot or its name; default: the only robot of the cell.
            inputs: signals or names of signals by number. An input that is not wired is off.
            outputs: signals or names of signals by number.
            sensors: signals for searches by number; default: sensor S1 is input 1, and so on.
            tools: TCPs in the frame of the flange, by number; default: 0 is the flange, 1 the robot's own TCP.
            zone: the width of zone C1, in metres.
            speed: the speed that is 100 %, in m/s, until a program sets another one.
        """
        self._cell = cell
        self._robot = _found(cell, robot)
        self._inputs, self._outputs, self._sensors = (_wired(cell, each) for each in (inputs, outputs, sensors))
        self._tools = {0: IDENTITY, 1: self._robot.tool, **(tools or {})}
        self._zone = zone
        self._speed = self._limit = speed

    @classmethod
    def on(cls, cell: "Cell", controller: "LiveController") -> "VirtualS3":
        """Use the robot and the numbered inputs and outputs of a controller of the cell."""
        inputs, outputs = (
            {number: signal for number, signal in lines.items() if isinstance(number, int)}
            for lines in (controller.inputs, controller.outputs)
        )
        return cls(cell, controller.robot, inputs=inputs, outputs=outputs)

    def sets(self) -> Iterator[object]:
        """Yield what programs set and move through it."""
        yield from self._outputs.values()
        yield self._robot

    # ---------------------------------------------------------------- moves

    def taught(self, number: int) -> Pose | None:
        """The pose of the workpoint ``p58`` now, in the frame of the robot's base."""
        point = self._cell.world.workpoints.get(f"p{number}")
        return None if point is None else self._base.inverse() @ self._cell.world.pose(point)

    def here(self) -> Pose:
        """The pose of the TCP now, in the frame of the robot's base."""
        return self._base.inverse() @ self._robot.pose

    def set_speed(self, speed: float, limit: float) -> None:
        """Set the speed for the following moves."""
        self._speed, self._limit = speed, limit

    def select_tool(self, number: int) -> None:
        """Select the tool for the following moves, after the arm has stopped."""
        if number not in self._tools:
            known = ", ".join(map(str, sorted(self._tools)))
            raise ProgramError(
                f"{self._robot.name} has no tool {number}", hint=f"tools are {known}; VirtualS3(…, tools=…) adds more"
            )
        if self._robot.tool != self._tools[number]:
            self._robot.wait_still()
            self._robot.tool = self._tools[number]

    def move(self, move: PositionMove) -> None:
        """Make a linear or a joint move; with a zone it blends into the next one."""
        zone = move.zone * self._zone
        if move.straight:
            self._robot.move_linear(self._target(move), self._tcp_speed(move), zone=zone)
        else:
            self._robot.move(self._target(move), move.fraction, zone=zone)

    def search(self, move: PositionMove, sensor: int) -> Pose | None:
        """Make a guarded move; return the pose of the TCP at the instant the sensor responded."""
        until = self._sensor(sensor).is_on
        if move.straight:
            result = self._robot.move_linear(self._target(move), self._tcp_speed(move), until=until)
        else:
            result = self._robot.move(self._target(move), move.fraction, until=until)
        return self._base.inverse() @ result.pose if result.fired else None

    def set_gripper(self, opened: bool) -> None:
        """Open or close the gripper, after the arm has stopped."""
        self._robot.wait_still()
        if opened:
            self._robot.gripper.open()
        else:
            self._robot.gripper.close()

    # ---------------------------------------------------------------- I/O and time

    def input(self, number: int) -> bool:
        """Whether the signal that is wired to an input is on; of a numeric signal, whether it is not 0."""
        signal = self._inputs.get(number)
        return signal is not None and bool(signal.value)

    def output(self, number: int) -> bool:
        """Whether the signal that is wired to an output is on."""
        return bool(self._output(number).value)

    def set_output(self, number: int, on: bool) -> None:
        """Set the signal that is wired to an output."""
        self._output(number).set(on)

    def wait_inputs(self, wanted: Sequence[tuple[int, bool]]) -> None:
        """Wait, without polling, until all of these inputs have the wanted state."""
        condition: Condition | None = None
        for number, on in wanted:
            signal = self._inputs.get(number)
            if signal is None:
                raise self._no_wire("input", number, self._inputs)
            each = signal.is_on if on else signal.is_off
            condition = each if condition is None else condition & each
        if condition is not None:
            wait(condition)

    def delay(self, seconds: float) -> None:
        """Let cell time pass."""
        delay(seconds)

    # ---------------------------------------------------------------- inside

    @property
    def _base(self) -> Pose:
        return self._cell.world.pose(self._robot.base)

    def _target(self, move: PositionMove) -> LiveWorkpoint:
        return LiveWorkpoint(move.name, None, self._base @ move.target)

    def _tcp_speed(self, move: PositionMove) -> float:
        return min(move.fraction * self._speed, self._limit)

    def _sensor(self, number: int) -> Signal[Any]:
        signal = self._sensors.get(number, self._inputs.get(number))
        if signal is None:
            raise self._no_wire("sensor", number, {**self._inputs, **self._sensors})
        return signal

    def _output(self, number: int) -> Signal[Any]:
        if number not in self._outputs:
            raise self._no_wire("output", number, self._outputs)
        return self._outputs[number]

    def _no_wire(self, kind: str, number: int, wired: Mapping[int, object]) -> ProgramError:
        known = ", ".join(map(str, sorted(wired))) or "none"
        return ProgramError(f"{kind} {number} of {self._robot.name} is not wired", hint=f"wired: {known}")


def _wired(cell: "Cell", wiring: Wiring | None) -> dict[int, Signal[Any]]:
    found: dict[int, Signal[Any]] = {}
    for number, signal in (wiring or {}).items():
        if isinstance(signal, str):
            if signal not in cell.kernel.signals:
                raise UnknownName("signal", signal, cell.kernel.signals)
            signal = cell.kernel.signals[signal]
        found[number] = signal
    return found


def _found(cell: "Cell", robot: "str | LiveRobot | None") -> "LiveRobot":
    if robot is not None and not isinstance(robot, str):
        return robot
    if robot is None:
        if len(cell.robots) != 1:
            raise ProgramError(f"the cell has {len(cell.robots)} robots", hint="name the one to drive")
        return next(iter(cell.robots.values()))
    if robot not in cell.robots:
        raise UnknownName("robot", robot, cell.robots)
    return cell.robots[robot]
