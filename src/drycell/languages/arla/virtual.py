"""The virtual S3 controller: what ARLA asks for, done by a robot of the cell; its lines and sensors are signals."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from drycell.base import IDENTITY, Pose, ProgramError, UnknownName, mm, s
from drycell.kernel import Condition, Signal, delay, wait
from drycell.languages.arla.machine import PositionMove
from drycell.world import LiveWorkpoint

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.devices import LiveController
    from drycell.robots import LiveRobot

SPEED: Final = 1000 * mm / s
"""What 100 % is unless the program says another speed."""
ZONE: Final = 10 * mm
"""How wide zone C1 is; C2 is twice as wide, and so on. The listing does not say it."""
Wiring = Mapping[int, "str | Signal[Any]"]


class VirtualS3:
    """A robot of a cell, commanded as ABB's S3 controller does.

    ``inputs``, ``outputs`` and ``sensors`` wire numbers to signals, or to their names; an input without a wire is off,
    and sensor S1 is input 1 unless it has a wire of its own. ``tools`` are the tool centre points seen from the flange,
    by number; 1 is the robot's own and 0 the flange if nothing else is said. Position #58 is the workpoint ``p58``.
    """

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
        self._cell = cell
        self._robot = _found(cell, robot)
        self._inputs, self._outputs, self._sensors = (_wired(cell, each) for each in (inputs, outputs, sensors))
        self._tools = {0: IDENTITY, 1: self._robot.tool, **(tools or {})}
        self._zone = zone
        self._speed = self._limit = speed

    @classmethod
    def on(cls, cell: "Cell", controller: "LiveController", **settings: Any) -> "VirtualS3":
        """The S3 of the robot and the numbered lines that a controller of the cell has."""
        inputs, outputs = (
            {number: signal for number, signal in lines.items() if isinstance(number, int)}
            for lines in (controller.inputs, controller.outputs)
        )
        return cls(cell, controller.robot, inputs=inputs, outputs=outputs, **settings)

    # ---------------------------------------------------------------- moves

    def taught(self, number: int) -> Pose | None:
        """The workpoint ``p58``, where it is now."""
        point = self._cell.world.workpoints.get(f"p{number}")
        return None if point is None else self._base.inverse() @ self._cell.world.pose(point)

    def here(self) -> Pose:
        """Where the tool is, seen from the robot's base."""
        return self._base.inverse() @ self._robot.pose

    def set_speed(self, speed: float, limit: float) -> None:
        """Counts from the next move on."""
        self._speed, self._limit = speed, limit

    def select_tool(self, number: int) -> None:
        """Counts from the next move on; the arm comes to rest first."""
        if number not in self._tools:
            known = ", ".join(map(str, sorted(self._tools)))
            raise ProgramError(
                f"{self._robot.name} has no tool {number}", hint=f"known are {known}; VirtualS3(…, tools=…) gives more"
            )
        if self._robot.tool != self._tools[number]:
            self._robot.wait_still()
            self._robot.tool = self._tools[number]

    def move(self, travel: PositionMove) -> None:
        """A linear or a joint move, blended into the next one in a zone."""
        zone = travel.zone * self._zone
        if travel.straight:
            self._robot.move_linear(self._target(travel), self._pace(travel), zone=zone)
        else:
            self._robot.move(self._target(travel), travel.share, zone=zone)

    def search(self, travel: PositionMove, sensor: int) -> Pose | None:
        """A guarded move; the place is that of the tool at the instant of the sensor's response."""
        until = self._sensor(sensor).is_on
        if travel.straight:
            move = self._robot.move_linear(self._target(travel), self._pace(travel), until=until)
        else:
            move = self._robot.move(self._target(travel), travel.share, until=until)
        return self._base.inverse() @ move.pose if move.fired else None

    def set_gripper(self, opened: bool) -> None:
        """Works the gripper; the arm comes to rest first."""
        self._robot.wait_still()
        if opened:
            self._robot.gripper.open()
        else:
            self._robot.gripper.close()

    # ---------------------------------------------------------------- lines and time

    def input(self, number: int) -> bool:
        """The signal that is wired to an input; any number but 0 is on."""
        signal = self._inputs.get(number)
        return signal is not None and bool(signal.value)

    def output(self, number: int) -> bool:
        """The signal that is wired to an output."""
        return bool(self._output(number).value)

    def set_output(self, number: int, on: bool) -> None:
        """Sets the signal that is wired to an output."""
        self._output(number).set(on)

    def wait_inputs(self, wanted: Sequence[tuple[int, bool]]) -> None:
        """Waits for signals, not by asking again and again."""
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
        """Lets cell time pass."""
        delay(seconds)

    # ---------------------------------------------------------------- inside

    @property
    def _base(self) -> Pose:
        return self._cell.world.pose(self._robot.base)

    def _target(self, travel: PositionMove) -> LiveWorkpoint:
        return LiveWorkpoint(travel.name, None, self._base @ travel.place)

    def _pace(self, travel: PositionMove) -> float:
        return min(travel.share * self._speed, self._limit)

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
        return ProgramError(f"nothing is wired to {kind} {number} of {self._robot.name}", hint=f"wired are {known}")


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
            raise ProgramError(f"the cell has {len(cell.robots)} robots", hint="say which one the controller drives")
        return cast("LiveRobot", next(iter(cell.robots.values())))
    if robot not in cell.robots:
        raise UnknownName("robot", robot, cell.robots)
    return cast("LiveRobot", cell.robots[robot])
