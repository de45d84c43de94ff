"""The driver: what a program tells a SCORBOT, as commands of ACL.

As ScorPas did, it computes the motion here and commands single actuators: a position becomes joint angles by the arm's
own kinematics, these become counts of the encoders, and the controller is told to bring its axes there.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from drycell.errors import MotionError, ProgramError, did_you_mean
from drycell.kernel import Kernel, Rank, delay, now, ticks
from drycell.protocols.acl.calibration import SCORBOT, Calibration
from drycell.protocols.acl.fault import Refused
from drycell.protocols.acl.link import Link
from drycell.protocols.acl.listing import listed_counts, listed_inputs
from drycell.protocols.acl.session import Session
from drycell.robots import Mechanism
from drycell.spatial import IDENTITY, Pose
from drycell.units import ms, s

POSITION: Final = "DRY"
"""The name of the controller's position that moves go to."""
_SPEEDS: Final = 9
_LOOK: Final = 50 * ms
_STALLED: Final = 3 * s
_GRIPPER_TIME: Final = 2 * s
_PULSE: Final = 100 * ms


class ScorbotDriver:
    """An arm on a serial line, commanded as the virtual one is. It must have been homed.

    ``tool`` is the tool centre point seen from the flange. ``interrupts`` are the inputs whose rise is an interrupt, by
    code. ``gripper_time`` is what opening and closing take: the controller does not tell when the jaws are at rest.
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
        gripper_time: float = _GRIPPER_TIME,
        pulse: float = _PULSE,
    ) -> None:
        if mechanism.dof != calibration.axes:
            raise ProgramError(f"{mechanism.name} has {mechanism.dof} joints, its calibration {calibration.axes} axes")
        self.name = name
        self._kernel, self._link = kernel, Link(kernel, session, name)
        self._mechanism, self._calibration, self._tool = mechanism, calibration, tool
        self._interrupts = dict(interrupts or {})
        self._gripper_time, self._pulse = gripper_time, ticks(pulse)
        self._grade = _SPEEDS
        self._place: tuple[float, float, float, float, float] | None = None
        self._joints: tuple[float, ...] = ()
        self._stored: list[int | None] = [None] * calibration.axes
        self._under_way: tuple[int, ...] | None = None
        self._speed_told = 0
        self._seen: tuple[int, tuple[bool, ...], set[int]] | None = None
        self._ends: dict[int, int] = {}

    # ---------------------------------------------------------------- motion

    def start(self) -> None:
        """Meets the controller: prompt, motors on, where the arm is, and a position to move to. To be called first."""
        session = self._link.session

        def define() -> None:
            with suppress(Refused):  # there is one from an earlier run
                session.ask(f"DEFP {POSITION}")

        self._link.do("open", session.open)
        self._link.ask("CON")
        self._link.do(f"DEFP {POSITION}", define)
        self._link.ask(f"HERE {POSITION}")
        self._joints = self._calibration.joints(self._counts())

    def move_to(self, x: float, y: float, z: float, pitch: float, roll: float) -> None:
        """Starts a joint move; one that is under way is waited for."""
        self.wait_position()
        flange = self._mechanism.pose_at((x, y, z), pitch, roll, self._tool)
        self._go(self._mechanism.inverse(flange, near=self._joints).joints)
        self._place = (x, y, z, pitch, roll)

    def move_by(self, x: float, y: float, z: float) -> None:
        """Counted from where the last move leads."""
        if self._place is None:
            raise ProgramError(
                f"{self.name} cannot move by an offset: it was not told yet where to be",
                hint="begin with a MoveXYZ, which says position, pitch and roll",
            )
        u, v, w, pitch, roll = self._place
        self.move_to(u + x, v + y, w + z, pitch, roll)

    def move_pulses(self, pulses: Sequence[int]) -> None:
        """Starts a move to counts of the encoders."""
        self.wait_position()
        self._go(self._calibration.joints(pulses))
        self._place = None

    def set_speed(self, grade: int) -> None:
        """Counts from the next move on."""
        self._grade = grade

    def stop_axis(self, axis: int) -> None:
        """Stops the arm: its controller stops all axes or none."""
        self._forget_inputs()
        self._link.do("Ctrl-A", self._link.session.abort)
        self._under_way = self._place = None
        self._joints = self._calibration.joints(self._counts())

    def wait_position(self) -> None:
        """Looks at the encoders until all axes are where they were sent."""
        target = self._under_way
        if target is None:
            return
        last: tuple[int, ...] = ()
        since = now()
        while True:
            counts = self._counts()
            off = [abs(count - goal) for count, goal in zip(counts, target, strict=True)]
            if max(off) <= self._calibration.tolerance:
                self._under_way = None
                return
            if counts != last:
                last, since = counts, now()
            elif now() - since > _STALLED:
                self._give_up(target, counts, off)
            delay(_LOOK)

    def set_gripper(self, opened: bool) -> None:
        """Opens or closes the gripper; the arm comes to rest first."""
        self.wait_position()
        self._forget_inputs()
        self._link.ask("OPEN" if opened else "CLOSE")
        delay(self._gripper_time)

    # ---------------------------------------------------------------- inputs and outputs

    def input(self, number: int) -> bool:
        """Whether an input is on. All are read at once: asking for several at one instant asks the controller once."""
        seen = self._seen
        if seen is None or seen[0] != self._kernel.now or number in seen[2]:
            inputs = listed_inputs(lines := self._link.ask("SHOW DIN"))
            if inputs is None:
                raise self._unread("SHOW DIN", lines)
            self._seen = seen = (self._kernel.now, inputs, set())
        seen[2].add(number)
        return number <= len(seen[1]) and seen[1][number - 1]

    def pulse(self, output: int) -> None:
        """Sets an output and resets it after the length of a pulse; one given meanwhile makes it longer."""
        self._forget_inputs()
        self._link.ask(f"SET OUT[{output}]=1")
        end = self._ends[output] = self._kernel.now + self._pulse

        def reset() -> None:
            if self._ends.get(output) == end:
                del self._ends[output]
                self._link.later(f"SET OUT[{output}]=0")

        self._kernel.at(end, reset, Rank.DEVICE, f"{self.name}.output{output}", writes=())

    def wait_interrupt(self, code: str, timeout: float) -> bool:
        """Looks at the input that has a code until it rises."""
        if code not in self._interrupts:
            raise ProgramError(
                f"no interrupt of {self.name} has the code '{code}'", hint=did_you_mean(code, self._interrupts)
            )
        number, end = self._interrupts[code], now() + timeout
        before = self.input(number)
        while now() < end:
            delay(min(_LOOK, end - now()))
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
        """Ends the driver after the run: outputs that are pulsed go off; with ``stop`` the arm is stopped first."""
        session, told = self._link.session, ""
        if stop and not session.broken:
            told = session.stop()
        self._link.finish(*(f"SET OUT[{number}]=0" for number in sorted(self._ends)))
        session.close()
        return told

    # ---------------------------------------------------------------- inside

    def _go(self, joints: Sequence[float]) -> None:
        self._mechanism.check_joints(joints)
        counts = self._calibration.counts(joints)
        percent = max(1, round(100 * self._grade / _SPEEDS))
        commands = [
            f"SETPV {POSITION} {axis} {count}"
            for axis, (count, stored) in enumerate(zip(counts, self._stored, strict=True), 1)
            if count != stored
        ]
        if percent != self._speed_told:
            commands.append(f"SPEED {percent}")
        self._forget_inputs()
        self._stored = [None] * self._calibration.axes  # until all of them have arrived
        self._link.ask(*commands, f"MOVE {POSITION}")
        self._stored, self._speed_told = list(counts), percent
        self._joints, self._under_way = tuple(joints), counts

    def _counts(self) -> tuple[int, ...]:
        self._forget_inputs()
        counts = listed_counts(lines := self._link.ask("LISTPV POSITION"), self._calibration.axes)
        if counts is None:
            raise self._unread("LISTPV POSITION", lines)
        return counts

    def _forget_inputs(self) -> None:
        self._seen = None

    def _unread(self, command: str, lines: Sequence[str]) -> Exception:
        session = self._link.session
        error = Refused(
            session.port.name,
            sent=command,
            trouble=f"the controller lists something else than was asked for: {'; '.join(lines) or 'nothing'}",
            advice="see that the controller has this command, and that no program of its own prints meanwhile",
        )
        error.note_stop(self._link.do("stop", session.stop))
        return error

    def _give_up(self, target: Sequence[int], counts: Sequence[int], off: Sequence[int]) -> None:
        axis = max(range(len(off)), key=lambda each: off[each])
        stopped = self._link.do("stop", self._link.session.stop)
        raise MotionError(
            f"{self.name} stands still on its way: axis {axis + 1} at {counts[axis]} counts, its target is "
            f"{target[axis]} ± {self._calibration.tolerance}, for more than {_STALLED:g} s; {stopped}",
            hint="see what the arm has met and whether its motors are on, or give the calibration a greater tolerance",
        )
