"""The driver: what a program tells a SCORBOT, as commands of ACL.

As ScorPas did, it computes the motion here and commands single actuators: a position becomes joint angles by the arm's
own kinematics, these become counts of the encoders, and the controller is told to bring its axes there.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from drycell.base import IDENTITY, MotionError, Pose, ProgramError, s
from drycell.devices import PULSE, SCORBOT, SPEEDS, Calibration
from drycell.kernel import FOREVER, Kernel, Rank, delay, now, ticks
from drycell.robots import Arm, Mechanism, name_of, pitch_and_roll
from drycell.scorbot.fault import LineError
from drycell.scorbot.link import Link
from drycell.scorbot.listing import listed_inputs
from drycell.scorbot.motions import LOOK, Motions
from drycell.scorbot.session import Session

GRIPPER_TIME = 2 * s
_LINEAR_SPEED = 330  # mm/s at grade 9, the arm's greatest, where its model does not say another


class ScorbotDriver:
    """An arm on a serial line, commanded as the virtual one is. It must have been homed.

    ``tool`` is the tool centre point seen from the flange. An interrupt has the number of an input as its code, or one
    of ``interrupts``, which name inputs. ``gripper_time`` is what opening and closing take: the controller does not
    tell when the jaws are at rest.
    """

    def __init__(
        self,
        kernel: Kernel,
        session: Session,
        mechanism: Mechanism,
        calibration: Calibration = SCORBOT,
        *,
        name: str = "scorbot",
        tool: Pose = IDENTITY,
        interrupts: Mapping[str, int] | None = None,
        gripper_time: float = GRIPPER_TIME,
        pulse: float = PULSE,
    ) -> None:
        if mechanism.dof != calibration.axes:
            raise ProgramError(f"{mechanism.name} has {mechanism.dof} joints, its calibration {calibration.axes} axes")
        self.name = name
        self._kernel, self._link = kernel, Link(kernel, session, name)
        self._mechanism, self._calibration = mechanism, calibration
        self._arm = Arm(name, mechanism, tool)
        self._motions = Motions(self._link, calibration)
        self._interrupts = dict(interrupts or {})
        self._gripper_time, self._pulse = gripper_time, ticks(pulse)
        self._grade = SPEEDS
        self._joints: tuple[float, ...] = mechanism.home
        self._seen: tuple[int, tuple[bool, ...], set[int]] | None = None
        self._ends: dict[int, int] = {}

    # ---------------------------------------------------------------- motion

    def start(self) -> None:
        """Meets the controller: prompt, motors on, where the arm is, a position to move to. To be called first."""
        self._joints = self._calibration.joints(self._motions.begin())

    def move_to(self, x: float, y: float, z: float, pitch: float, roll: float) -> None:
        """Starts a joint move."""
        flange = self._mechanism.pose_at((x, y, z), pitch, roll, self._arm.tool)
        self._go(self._inverse(flange))

    def move_by(self, x: float, y: float, z: float) -> None:
        """Starts a straight move, counted from where the last motion leads."""
        here = self._mechanism.forward(self._joints) @ self._arm.tool
        pitch, roll = pitch_and_roll(self._arm, here)
        u, v, w = here.position
        flange = self._mechanism.pose_at((u + x, v + y, w + z), pitch, roll, self._arm.tool)
        self._go(self._inverse(flange), linear=True)

    def move_pulses(self, pulses: Sequence[int]) -> None:
        """Starts a joint move to counts of the encoders."""
        if len(pulses) != self._calibration.axes:
            raise MotionError(f"{self.name} has {self._calibration.axes} axes, but {len(pulses)} counts were given")
        self._go(self._calibration.joints(pulses))

    def set_speed(self, grade: int) -> None:
        """The grade of all motions commanded from now on."""
        if not 1 <= grade <= SPEEDS:
            raise MotionError(f"{self.name} has no speed {grade}: not 1 ≤ {grade} ≤ {SPEEDS}")
        self._grade = grade

    def stop_axis(self, axis: int) -> None:
        """Stops the arm, and drops what was to follow: its controller stops all axes or none."""
        if not 1 <= axis <= self._calibration.axes:
            raise MotionError(f"{self.name} has no axis {axis}: not 1 ≤ {axis} ≤ {self._calibration.axes}")
        self._seen = None
        self._joints = self._calibration.joints(self._motions.abort())

    def wait_position(self) -> None:
        """Waits until all motions are done."""
        self._seen = None
        self._motions.wait()

    def set_gripper(self, opened: bool) -> None:
        """Opens or closes the gripper, after all motions are done."""
        self.wait_position()
        self._link.ask("OPEN" if opened else "CLOSE")
        delay(self._gripper_time)

    # ---------------------------------------------------------------- inputs and outputs

    def input(self, number: int) -> bool:
        """Whether an input is on. All are read at once: asking for several at one instant asks the controller once."""
        self._motions.check()
        seen = self._seen
        if seen is None or seen[0] != self._kernel.now or number in seen[2]:
            inputs = listed_inputs(lines := self._link.ask("SHOW DIN"))
            if inputs is None:
                raise self._link.unread("SHOW DIN", lines)
            self._seen = seen = (self._kernel.now, inputs, set())
        seen[2].add(number)
        return number <= len(seen[1]) and seen[1][number - 1]

    def pulse(self, output: int) -> None:
        """Sets an output and resets it after the length of a pulse; one given meanwhile makes it longer."""
        self._seen = None
        self._ends[output] = FOREVER  # the end of an earlier pulse, due while the line is busy, no longer counts
        self._link.ask(f"SET OUT[{output}]=1")
        end = self._ends[output] = self._kernel.now + self._pulse

        def reset() -> None:
            if self._ends.get(output) == end:
                del self._ends[output]
                self._link.later(f"SET OUT[{output}]=0")

        self._kernel.at(end, reset, Rank.DEVICE, f"{self.name}.output{output}", writes=())

    def wait_interrupt(self, code: str, timeout: float) -> bool:
        """Looks at the input that has a code until it rises."""
        if code in self._interrupts:
            number = self._interrupts[code]
        elif code.isdecimal():
            number = int(code)
        else:
            known = ", ".join(f"'{each}'" for each in self._interrupts) or "none"
            raise ProgramError(
                f"no interrupt of {self.name} has the code '{code}'",
                hint=f"the number of an input is one; named are {known}",
            )
        end = now() + timeout
        before = self.input(number)
        while now() < end:
            delay(min(LOOK, end - now()))
            on = self.input(number)
            if on and not before:
                return True
            before = on
        return False

    def delay(self, seconds: float) -> None:
        """Lets time pass."""
        delay(seconds)

    # ---------------------------------------------------------------- the end

    def close(self, *, stop: bool) -> str:
        """Ends the driver after the run: with ``stop`` the arm is stopped, and outputs that are pulsed go off."""
        session, told = self._link.session, ""
        if stop:
            session.give_up()
        self._link.finish()
        if stop and not session.broken:
            told = session.stop()
        with suppress(LineError):  # the line may be what ended the run
            for number in sorted(self._ends):
                session.ask(f"SET OUT[{number}]=0")
        session.close()
        return told

    # ---------------------------------------------------------------- inside

    def _inverse(self, flange: Pose) -> tuple[float, ...]:
        """The joints for a pose; one out of reach is told by where the tool was to go, as in a cell."""
        name = name_of(flange @ self._arm.tool)
        return tuple(self._mechanism.inverse(flange, near=self._joints, target=name).joints)

    def _go(self, joints: Sequence[float], *, linear: bool = False) -> None:
        self._mechanism.check_joints(joints)
        share = self._grade / SPEEDS
        if linear:
            top = self._mechanism.path_speed
            speed = f"SPEEDL {max(1, round(share * (_LINEAR_SPEED if top is None else top * 1e3)))}"
        else:
            speed = f"SPEED {max(1, round(100 * share))}"
        self._seen = None
        self._motions.put(self._calibration.counts(joints), speed, "MOVEL" if linear else "MOVE")
        self._joints = tuple(joints)
