"""The driver of a real SCORBOT: it sends the commands of a program as ACL over a serial line.

As ScorPas did, it computes the motion itself: the kinematics of the arm turn a position into joint angles, the
calibration turns these into encoder counts, and the controller moves its axes there.

The driver sends a motion once the arm has completed the previous one. A program continues while the arm
moves, and the controller never has more than one motion: if the line is lost, the arm stops at the end of this motion.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from drycell.base import IDENTITY, DrycellError, MotionError, Pose, ProgramError, ms, s
from drycell.devices import PULSE
from drycell.kernel import FOREVER, Kernel, Rank, Signal, delay, now, ticks, wait
from drycell.robots import Arm, Mechanism, name_of, pitch_and_roll
from drycell.scorbot.acl import AclSession, CommandRefused, LineError, listed_counts, listed_inputs
from drycell.scorbot.calibration import SCORBOT, Calibration
from drycell.scorbot.controller import SPEEDS

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
POSITION: Final = "DRY"
"""Name of the position variable in the controller that moves use."""
LOOK: Final = 50 * ms
STALLED: Final = 3 * s
GRIPPER_TIME = 2 * s
_LINEAR_SPEED = 330  # mm/s at grade 9, the highest, if the arm's model does not specify it


class _Link:
    """Executes commands on its own thread and writes them to the journal.

    If the line fails, it stops the arm at once, before it raises the error.
    """

    def __init__(self, kernel: Kernel, session: AclSession, name: str) -> None:
        from concurrent.futures import ThreadPoolExecutor  # takes longer to import than this whole package

        self.kernel, self.session, self.name = kernel, session, name
        self._worker = ThreadPoolExecutor(1, f"drycell line {session.port.name}")

    def ask(self, *commands: str) -> tuple[str, ...]:
        """Execute commands one after the other, in a program; returns the lines of the last one."""
        return self.do("; ".join(commands), lambda: self._asked(commands))

    def do(self, note: str, job: Callable[[], T]) -> T:
        """Run a job with the session, in a program, which waits for it."""
        done: Signal[bool] = Signal(self.kernel, f"{self.name} answers", False, quiet=True)

        def deliver(result: "Future[T]") -> None:
            error = result.exception()
            outcome = {} if error is None else {"error": type(error).__name__}
            self.kernel.journal.write("line", self.name, sent=note, **outcome)
            done.set(True, self.name)

        result = self._submit(job, deliver)
        wait(done)
        return result.result()

    def later(self, command: str) -> None:
        """Execute a command without waiting for it. If it fails, the run fails."""

        def deliver(result: "Future[tuple[str, ...]]") -> None:
            self.kernel.journal.write("line", self.name, sent=command)
            result.result()

        self._submit(lambda: self._asked((command,)), deliver)

    def wrong_list(self, command: str, lines: Sequence[str]) -> LineError:
        """Stop the arm, and return the error for a list that cannot be read."""
        error = CommandRefused(
            self.session.port.name,
            sent=command,
            trouble=f"the controller printed something other than the list: {'; '.join(lines) or 'nothing'}",
            advice="check that the controller has this command, and that none of its own programs prints",
        )
        error.note_stop(self.do("stop", self.session.stop))
        return error

    def finish(self) -> None:
        """End the thread after its last job."""
        self._worker.shutdown()

    def _asked(self, commands: tuple[str, ...]) -> tuple[str, ...]:
        lines: tuple[str, ...] = ()
        for command in commands:
            lines = self.session.ask(command)
        return lines

    def _submit(self, job: Callable[[], T], deliver: "Callable[[Future[T]], None]") -> "Future[T]":
        """Run a job on the line's thread, then deliver its result on the kernel's thread."""
        result = self._worker.submit(self._guarded, job)
        result.add_done_callback(lambda done: self.kernel.post(lambda: deliver(done), f"{self.name} answers"))
        return result

    def _guarded(self, job: Callable[[], T]) -> T:
        try:
            return job()
        except LineError as error:
            error.note_stop(self.session.stop())
            raise


class _Motion(NamedTuple):
    """A motion: the target counts, and the commands for its speed and its start."""

    counts: tuple[int, ...]
    speed: str
    verb: str


class _Motions:
    """The queue of motions of one arm."""

    def __init__(self, link: _Link, calibration: Calibration) -> None:
        self._link, self._calibration = link, calibration
        self._queue: deque[_Motion] = deque()
        self._busy: Signal[bool] = Signal(link.kernel, f"{link.name}.busy", False, quiet=True)
        self._stored: list[int | None] = [None] * calibration.axes
        self._speeds: dict[str, str] = {}
        self._failure: DrycellError | None = None
        self._aborted = 0

    def begin(self) -> tuple[int, ...]:
        """Prepare the controller; returns the current counts of the arm."""
        session = self._link.session

        def define() -> None:
            with suppress(CommandRefused):  # it exists from an earlier run
                session.ask(f"DEFP {POSITION}")

        self._link.do("open", session.open)
        self._link.ask("CON")
        self._link.do(f"DEFP {POSITION}", define)
        self._link.ask(f"HERE {POSITION}")
        return self._counts()

    def put(self, counts: tuple[int, ...], speed: str, verb: str) -> None:
        """Add a motion to the queue."""
        self.check()
        self._queue.append(_Motion(counts, speed, verb))
        if not self._busy.value:
            self._busy.set(True)
            self._link.kernel.spawn(self._serve, name=f"{self._link.name} motions", daemon=True, writes=(self._busy,))

    def wait(self) -> None:
        """Wait until all motions are done."""
        wait(~self._busy)
        self.check()

    def check(self) -> None:
        """Raise the error of a failed motion at the current line of the program. The arm has been stopped already."""
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def abort(self) -> tuple[int, ...]:
        """Stop the arm and clear the queue; returns the current counts."""
        self._queue.clear()
        self._aborted += 1
        self._link.do("Ctrl-A", self._link.session.abort)
        self.wait()
        return self._counts()

    def _serve(self) -> None:
        try:
            while self._queue:
                aborted, motion = self._aborted, self._queue.popleft()
                self._send(motion)
                self._arrive(motion.counts, aborted)
        except DrycellError as failure:
            self._queue.clear()
            self._failure = failure
        finally:
            self._busy.set(False)

    def _send(self, motion: _Motion) -> None:
        commands = [
            f"SETPV {POSITION} {axis} {count}"
            for axis, (count, stored) in enumerate(zip(motion.counts, self._stored, strict=True), 1)
            if count != stored
        ]
        if self._speeds.get(motion.verb) != motion.speed:
            commands.append(motion.speed)
        self._stored = [None] * self._calibration.axes  # until the controller has confirmed all of them
        self._link.ask(*commands, f"{motion.verb} {POSITION}")
        self._stored, self._speeds[motion.verb] = list(motion.counts), motion.speed

    def _arrive(self, target: Sequence[int], aborted: int) -> None:
        """Poll the encoders until all axes are at their targets."""
        last: tuple[int, ...] = ()
        since = now()
        while self._aborted == aborted:
            counts = self._counts()
            off = [abs(count - goal) for count, goal in zip(counts, target, strict=True)]
            if max(off) <= self._calibration.tolerance:
                return
            if counts != last:
                last, since = counts, now()
            elif now() - since > STALLED:
                self._fail_stalled(target, counts, off)
            delay(LOOK)

    def _counts(self) -> tuple[int, ...]:
        counts = listed_counts(lines := self._link.ask("LISTPV POSITION"), self._calibration.axes)
        if counts is None:
            raise self._link.wrong_list("LISTPV POSITION", lines)
        return counts

    def _fail_stalled(self, target: Sequence[int], counts: Sequence[int], off: Sequence[int]) -> None:
        axis = max(range(len(off)), key=lambda each: off[each])
        stopped = self._link.do("stop", self._link.session.stop)
        raise MotionError(
            f"{self._link.name} has stalled: axis {axis + 1} at {counts[axis]} counts, target "
            f"{target[axis]} ± {self._calibration.tolerance}, for more than {STALLED:g} s; {stopped}",
            hint="check for an obstacle and that the motors are on, or increase the tolerance in the calibration",
        )


class ScorbotDriver:
    """A real arm on a serial line, with the commands of the virtual one. Home the arm first.

    Args:
        kernel: the kernel of the program.
        session: the serial line.
        mechanism: the kinematics of the arm.
        calibration: how its joint angles and encoder counts correspond.
        name: its name in the journal and in errors.
        tool: the TCP in the frame of the flange.
        interrupts: names for inputs, as codes of interrupts. The number of an input is always a code.
        gripper_time: duration of opening and closing in seconds: the controller does not report when it is done.
        pulse: duration of a pulse on an output, in seconds.
    """

    def __init__(
        self,
        kernel: Kernel,
        session: AclSession,
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
        self._kernel, self._link = kernel, _Link(kernel, session, name)
        self._mechanism, self._calibration = mechanism, calibration
        self._arm = Arm(name, mechanism, tool)
        self._motions = _Motions(self._link, calibration)
        self._interrupts = dict(interrupts or {})
        self._gripper_time, self._pulse = gripper_time, ticks(pulse)
        self._grade = SPEEDS
        self._joints: tuple[float, ...] = mechanism.home
        self._seen: tuple[int, tuple[bool, ...], set[int]] | None = None
        self._ends: dict[int, int] = {}

    # ---------------------------------------------------------------- motion

    def start(self) -> None:
        """Connect to the controller, switch the motors on and read the position of the arm. Call it first."""
        self._joints = self._calibration.joints(self._motions.begin())

    def move_to(self, x: float, y: float, z: float, pitch: float, roll: float) -> None:
        """Start a joint move to a position in the frame of the base, in metres and radians."""
        flange = self._mechanism.pose_at((x, y, z), pitch, roll, self._arm.tool)
        self._go(self._inverse(flange))

    def move_by(self, x: float, y: float, z: float) -> None:
        """Start a linear move, relative to the target of the last motion, in metres."""
        here = self._mechanism.forward(self._joints) @ self._arm.tool
        pitch, roll = pitch_and_roll(self._arm, here)
        u, v, w = here.position
        flange = self._mechanism.pose_at((u + x, v + y, w + z), pitch, roll, self._arm.tool)
        self._go(self._inverse(flange), linear=True)

    def move_pulses(self, pulses: Sequence[int]) -> None:
        """Start a joint move to encoder counts."""
        if len(pulses) != self._calibration.axes:
            raise MotionError(f"{self.name} has {self._calibration.axes} axes, but {len(pulses)} counts were given")
        self._go(self._calibration.joints(pulses))

    def set_speed(self, grade: int) -> None:
        """Set the speed grade of all later motions, 1 to 9."""
        if not 1 <= grade <= SPEEDS:
            raise MotionError(f"{self.name} has no speed {grade}: {grade} is not between 1 and {SPEEDS}")
        self._grade = grade

    def stop_axis(self, axis: int) -> None:
        """Stop the arm and clear the queue. The controller can only stop all axes together."""
        if not 1 <= axis <= self._calibration.axes:
            raise MotionError(f"{self.name} has no axis {axis}: {axis} is not between 1 and {self._calibration.axes}")
        self._seen = None
        self._joints = self._calibration.joints(self._motions.abort())

    def wait_position(self) -> None:
        """Wait until all motions are done."""
        self._seen = None
        self._motions.wait()

    def set_gripper(self, opened: bool) -> None:
        """Open or close the gripper, after all motions are done."""
        self.wait_position()
        self._link.ask("OPEN" if opened else "CLOSE")
        delay(self._gripper_time)

    # ---------------------------------------------------------------- inputs and outputs

    def input(self, number: int) -> bool:
        """Return whether an input is on. Several inputs at one instant are read with a single command."""
        self._motions.check()
        seen = self._seen
        if seen is None or seen[0] != self._kernel.now or number in seen[2]:
            inputs = listed_inputs(lines := self._link.ask("SHOW DIN"))
            if inputs is None:
                raise self._link.wrong_list("SHOW DIN", lines)
            self._seen = seen = (self._kernel.now, inputs, set())
        seen[2].add(number)
        return number <= len(seen[1]) and seen[1][number - 1]

    def pulse(self, output: int) -> None:
        """Set an output for the duration of a pulse. A pulse in the meantime extends it."""
        self._seen = None
        self._ends[output] = FOREVER  # an earlier pulse that ends while the line is busy must not reset the output
        self._link.ask(f"SET OUT[{output}]=1")
        end = self._ends[output] = self._kernel.now + self._pulse

        def reset() -> None:
            if self._ends.get(output) == end:
                del self._ends[output]
                self._link.later(f"SET OUT[{output}]=0")

        self._kernel.at(end, reset, Rank.DEVICE, f"{self.name}.output{output}", writes=())

    def wait_interrupt(self, code: str, timeout: float) -> bool:
        """Poll the input with a code until it rises; returns False if ``timeout`` seconds pass first."""
        if code in self._interrupts:
            number = self._interrupts[code]
        elif code.isdecimal():
            number = int(code)
        else:
            known = ", ".join(f"'{each}'" for each in self._interrupts) or "none"
            raise ProgramError(
                f"no interrupt of {self.name} has the code '{code}'",
                hint=f"give the number of an input, or one of these names: {known}",
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
        """Wait for a time in seconds."""
        delay(seconds)

    # ---------------------------------------------------------------- the end

    def close(self, *, stop: bool) -> str:
        """Close the driver after the run. With ``stop``, stop the arm; returns what was done. Pulsed outputs go off."""
        session, report = self._link.session, ""
        if stop:
            session.cancel()
        self._link.finish()
        if stop and not session.broken:
            report = session.stop()
        with suppress(LineError):  # the line may have ended the run
            for number in sorted(self._ends):
                session.ask(f"SET OUT[{number}]=0")
        session.close()
        return report

    # ---------------------------------------------------------------- inside

    def _inverse(self, flange: Pose) -> tuple[float, ...]:
        """Solve the inverse kinematics. An error names the target of the tool, as in a cell."""
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
