"""A SCORBOT's controller in the cell: a robot of the cell and its lines execute the commands of ScorPas.

Commands for motions return at once. The controller has a queue: a motion that is commanded while another is running
starts from rest when the previous one has come to rest.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from drycell.base import MotionError, Pose, ProgramError
from drycell.devices import CommandSet, LiveController
from drycell.kernel import delay, wait, work
from drycell.robots import Arm, LiveRobot, OutOfReach, name_of, pitch_and_roll
from drycell.scorbot.calibration import SCORBOT, Calibration

SPEEDS: Final = 9


class ScorbotController:
    """A robot with five axes that executes the commands of a SCORBOT, with the lines of a controller of the cell.

    Speed grades are ninths of full speed. The initial grade is 9, and a motion keeps the grade at which it was
    commanded. MoveXYZ and GoPuls are joint moves; MoveX, MoveY and MoveZ are linear moves. The code of an interrupt is
    the number or the name of an input, and it occurs when this input switches on.
    """

    def __init__(self, lines: LiveController, calibration: Calibration = SCORBOT) -> None:
        robot = lines.robot
        if robot.mechanism.dof != calibration.axes:
            raise MotionError(
                f"controller {lines.name!r} cannot move {robot.name}, which has {robot.mechanism.dof} axes",
                hint=f"a SCORBOT has {calibration.axes}",
            )
        self.name, self.lines = lines.name, lines
        self._kernel, self._world, self._robot = lines.cell.kernel, lines.cell.world, robot
        self._calibration = calibration
        self._grade = SPEEDS
        self._queue: list[Callable[[], object]] = []
        self._goal: Pose | None = None  # target of the last motion in the queue, in the world
        self._serving = False
        self.queued = self._kernel.signal(f"{lines.name}.queued", 0, quiet=True)
        self._arrived = ((self.queued == 0) & robot.still).named(f"{lines.name} in position")

    @property
    def robot(self) -> LiveRobot:
        """The robot that it moves."""
        return self._robot

    def sets(self) -> Iterator[object]:
        """Yield what programs set and move through it."""
        yield from self.lines.sets()
        yield self.queued

    # ---------------------------------------------------------------- motion

    def move_to(self, x: float, y: float, z: float, pitch: float, roll: float) -> None:
        """Start a joint move to a position in the frame of the base; see ``languages.kit.ScorbotInterface``."""
        robot, share = self._robot, self._share
        base = self._world.pose(robot.base)
        target = robot.pose_at(base.point((x, y, z)), pitch, roll)
        self._start(lambda: robot.move(target, share, wait=False), target)

    def move_by(self, x: float, y: float, z: float) -> None:
        """Start a linear move, relative to the target of the last motion."""
        robot, share = self._robot, self._share
        base = self._world.pose(robot.base)
        here = base.inverse() @ self._aim
        pitch, roll = pitch_and_roll(Arm(robot.name, robot.mechanism, robot.tool), here)
        u, v, w = here.position
        target = robot.pose_at(base.point((u + x, v + y, w + z)), pitch, roll)
        pace = robot.mechanism.path_speed or robot.controller.linear_speed
        self._start(lambda: robot.move_linear(target, share * pace, wait=False), target)

    def move_pulses(self, pulses: Sequence[int]) -> None:
        """Start a joint move to encoder counts."""
        robot, share = self._robot, self._share
        if len(pulses) != self._calibration.axes:
            raise MotionError(f"{self.name} has {self._calibration.axes} axes, but {len(pulses)} counts were given")
        joints = self._calibration.joints(pulses)
        robot.mechanism.check_joints(joints)
        target = self._world.pose(robot.base) @ robot.mechanism.forward(joints) @ robot.tool
        self._start(lambda: robot.move_joints(joints, share, wait=False), target, reachable=True)

    def set_speed(self, grade: int) -> None:
        """Set the speed grade of all later motions, 1 to 9."""
        if not 1 <= grade <= SPEEDS:
            raise MotionError(f"{self.name} has no speed {grade}: {grade} is not between 1 and {SPEEDS}")
        self._grade = grade

    def stop_axis(self, axis: int) -> None:
        """Stop the whole arm and clear the queue: axes that move together stop together."""
        if not 1 <= axis <= self._robot.mechanism.dof:
            most = self._robot.mechanism.dof
            raise MotionError(f"{self.name} has no axis {axis}: {axis} is not between 1 and {most}")
        self._queue.clear()
        self.queued.set(0)
        self._robot.stop()
        self._goal = None

    def wait_position(self) -> None:
        """Wait until all motions are done."""
        work(self._arrived)

    def set_gripper(self, opened: bool) -> None:
        """Open or close the gripper, after all motions are done."""
        work(self._arrived)
        if opened:
            self._robot.gripper.open()
        else:
            self._robot.gripper.close()

    # ---------------------------------------------------------------- lines

    def input(self, number: int) -> bool:
        """Return whether an input is on."""
        return bool(self.lines.input(number))

    def pulse(self, output: int) -> None:
        """Start a pulse on an output. Returns at once."""
        self.lines.pulse(output)

    def wait_interrupt(self, code: str, timeout: float) -> bool:
        """Wait for an input to switch on; returns False if ``timeout`` seconds pass first."""
        key: int | str = int(code) if code.isdecimal() else code
        if key not in self.lines.inputs:
            known = ", ".join(f"'{each}'" for each in self.lines.inputs) or "none"
            raise ProgramError(
                f"no interrupt of {self.name} has the code '{code}'", hint=f"these inputs are wired: {known}"
            )
        return wait(self.lines.rises(key), timeout=timeout)

    def delay(self, seconds: float) -> None:
        """Wait for a time in seconds."""
        delay(seconds)

    # ---------------------------------------------------------------- the queue

    @property
    def _share(self) -> float:
        return self._grade / SPEEDS

    @property
    def _aim(self) -> Pose:
        """Pose of the TCP when all motions are done."""
        moving = self._robot.moving or self._queue
        return self._goal if self._goal is not None and moving else self._robot.pose

    def _start(self, motion: Callable[[], object], target: Pose, reachable: bool = False) -> None:
        """Start a motion, or queue it. A target out of reach raises an error at its command."""
        robot = self._robot
        seen = self._world.pose(robot.base).inverse() @ target
        if self._queue or robot.moving:
            if not reachable:  # it is planned later, which would be too late to report a mistake in the program
                robot.mechanism.inverse(seen @ robot.tool.inverse(), near=robot.joints, target=name_of(seen))
            self._enqueue(motion)
        else:
            try:
                motion()
            except OutOfReach as error:  # the program gave the position in the frame of the base
                raise OutOfReach(robot.name, name_of(seen), error.reach) from None
        self._goal = target

    def _enqueue(self, motion: Callable[[], object]) -> None:
        self._queue.append(motion)
        self.queued.set(len(self._queue))
        if not self._serving:
            self._serving = True
            writes = (self.queued, self._robot.motion)
            self._kernel.spawn(self._serve, name=f"{self.name} motions", daemon=True, writes=writes)

    def _serve(self) -> None:
        """Start the motions in the queue, each when the arm has come to rest."""
        while self._queue:
            wait(self._robot.still)
            if self._queue:
                self._queue[0]()
                del self._queue[0]
                self.queued.set(len(self._queue))
        self._serving = False


class ScorbotCommands(CommandSet, kind="scorbot"):
    """The commands of ScorPas, for robots with five axes."""

    def fits(self, robot: LiveRobot) -> bool:
        """Return whether the robot has as many axes as a SCORBOT."""
        return robot.mechanism.dof == SCORBOT.axes

    def commands(self, controller: LiveController) -> ScorbotController:
        """Return the controller with the commands of ScorPas."""
        return ScorbotController(controller)
