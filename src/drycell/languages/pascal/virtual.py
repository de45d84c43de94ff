"""The virtual controller: ScorPas' commands done by a robot of the cell, its inputs and outputs being signals."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from drycell.errors import ProgramError, did_you_mean
from drycell.kernel import Rank, Signal, delay, ticks, wait
from drycell.languages.kit import AXES, INPUTS, SPEEDS
from drycell.units import deg, ms

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.devices import HandlingRobot

PULSE: Final = 100 * ms
"""How long a pulse of SetOutputNo is; the thesis does not say."""
Wiring = Mapping[int, Signal[bool]]


class VirtualController:
    """A robot of a cell, commanded as a SCORBOT's controller is.

    ``inputs`` and ``outputs`` wire numbers to signals; an input without a wire is off. ``interrupts`` are the signals
    whose rise is an interrupt, by code. ``pulses`` are the encoder's counts per degree of each axis, for GoPuls. Moves
    are joint moves at a ninth of full speed per grade. StopMotor stops the whole arm: its axes do not move singly.
    """

    def __init__(
        self,
        cell: "Cell",
        robot: "str | HandlingRobot | None" = None,
        *,
        inputs: Wiring | None = None,
        outputs: Wiring | None = None,
        interrupts: Mapping[str, Signal[bool]] | None = None,
        pulses: Sequence[float] | None = None,
        pulse: float = PULSE,
    ) -> None:
        self._cell = cell
        self._robot = _found(cell, robot)
        self._inputs, self._outputs = dict(inputs or {}), dict(outputs or {})
        self._interrupts = dict(interrupts or {})
        self._pulses, self._pulse = pulses, ticks(pulse)
        self._ends: dict[int, int] = {}
        """When the pulse of each output ends."""
        self._grade = SPEEDS
        self._target: tuple[float, float, float, float, float] | None = None

    def move_to(self, x: float, y: float, z: float, pitch: float, roll: float) -> None:
        """Starts a joint move; one that is under way is waited for."""
        robot = self._robot
        X_WB = self._cell.world.pose(robot.base)
        target = robot.pose_at(X_WB.point((x, y, z)), pitch, roll)
        robot.move(target, self._grade / SPEEDS, wait=False)
        self._target = (x, y, z, pitch, roll)

    def move_by(self, x: float, y: float, z: float) -> None:
        """Counted from where the last move leads, or from where the tool is."""
        if self._target is None:
            raise ProgramError(
                f"{self._robot.name} cannot move by an offset: it was not told yet where to be",
                hint="begin with a MoveXYZ, which says position, pitch and roll",
            )
        u, v, w, pitch, roll = self._target
        self.move_to(u + x, v + y, w + z, pitch, roll)

    def move_pulses(self, pulses: Sequence[int]) -> None:
        """Starts a joint move to counts of the encoders."""
        if self._pulses is None or len(self._pulses) != AXES:
            raise ProgramError(
                f"nobody has said how many pulses a degree of {self._robot.name} has",
                hint="VirtualController(…, pulses=(…)) gives the counts per degree of each axis",
            )
        joints = [count / each * deg for count, each in zip(pulses, self._pulses, strict=True)]
        self._robot.move_joints(joints, self._grade / SPEEDS, wait=False)
        self._target = None

    def set_speed(self, grade: int) -> None:
        """Counts from the next move on."""
        self._grade = grade

    def stop_axis(self, axis: int) -> None:
        """Stops the arm."""
        self._robot.stop()
        self._target = None

    def wait_position(self) -> None:
        """Waits until the arm is at rest."""
        self._robot.wait_still()

    def set_gripper(self, opened: bool) -> None:
        """Opens or closes the gripper; the arm comes to rest first."""
        self._robot.wait_still()
        if opened:
            self._robot.gripper.open()
        else:
            self._robot.gripper.close()

    def input(self, number: int) -> bool:
        """The signal that is wired to an input."""
        signal = self._inputs.get(number)
        return signal is not None and signal.value

    def pulse(self, output: int) -> None:
        """Sets an output and resets it after the length of a pulse; one given meanwhile makes it longer."""
        signal = self._outputs.get(output)
        if signal is None:
            raise ProgramError(
                f"nothing is wired to output {output} of {self._robot.name}",
                hint="wired are " + (", ".join(map(str, sorted(self._outputs))) or "none"),
            )
        kernel = self._cell.kernel
        end = self._ends[output] = kernel.now + self._pulse
        signal.set(True)
        writer = kernel.actor_name()

        def reset() -> None:
            if self._ends[output] == end:
                signal.set(False, writer)

        kernel.at(end, reset, Rank.DEVICE, f"{self._robot.name}.output{output}", writes=(signal,))

    def wait_interrupt(self, code: str, timeout: float) -> bool:
        """Waits for the rise of the signal that has a code."""
        signal = self._interrupts.get(code)
        if signal is None:
            raise ProgramError(
                f"no interrupt of {self._robot.name} has the code '{code}'", hint=did_you_mean(code, self._interrupts)
            )
        return wait(signal.rises(), timeout=timeout)

    def delay(self, seconds: float) -> None:
        """Lets cell time pass."""
        delay(seconds)


def wired(cell: "Cell", names: Mapping[int, str]) -> dict[int, Signal[bool]]:
    """Numbers with the signals of a cell by their names."""
    found: dict[int, Signal[bool]] = {}
    for number, name in names.items():
        if not 1 <= number <= INPUTS:
            raise ProgramError(f"there is no line {number}, they go 1..{INPUTS}")
        if name not in cell.kernel.signals:
            raise ProgramError(f"there is no signal {name!r}", hint=did_you_mean(name, cell.kernel.signals))
        found[number] = cell.kernel.signals[name]
    return found


def _found(cell: "Cell", robot: "str | HandlingRobot | None") -> "HandlingRobot":
    if robot is not None and not isinstance(robot, str):
        return robot
    if robot is None and len(cell.robots) == 1:
        return next(iter(cell.robots.values()))
    if robot not in cell.robots:
        what = f"there is no robot {robot!r}" if robot else f"the cell has {len(cell.robots)} robots"
        raise ProgramError(what, hint=did_you_mean(robot or "", cell.robots))
    return cell.robots[robot]
