"""The engine behind EMULA's language: one robot in a cell, with emulated sensors.

All numbers are in SI units: metres, radians, seconds. Call commands that take cell time from a program of the cell.
A mistake of the user raises a DrycellError before anything is changed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from drycell.base import MotionError, Pose, ProgramError, UnknownName, Vector, inch
from drycell.cell import Cell
from drycell.kernel import Cancelled, Process, delay, seconds, ticks, wait
from drycell.languages.emula.assertions import Assertions, Landing
from drycell.languages.emula.bodies import OWN, WORLD, BodyNames, GraspedParts, NamedBodies, short
from drycell.languages.emula.display import DisplayControl
from drycell.languages.emula.fuzzy import FuzzyObjects
from drycell.languages.emula.guarded_move import GuardedMove, Jaws, WakeSignal
from drycell.languages.emula.models import RobotModels, exchange
from drycell.languages.emula.proximity import CollisionCycle, PairChecks, Proximity
from drycell.languages.emula.sensor_functions import BUILT_IN, FromUser, QueryAnswers, UserFunction
from drycell.languages.emula.sensors import MoveReport, SensorBoard, SensorGuard
from drycell.languages.emula.session_journal import START, Kind, SessionJournal
from drycell.languages.emula.workstations import CLEARANCE, FAMILY, START_UP
from drycell.robots import LiveRobot, Mechanism, SteppingController
from drycell.world import LiveWorkpoint

_SENSORS = tuple(str(number) for number in range(1, 9))  # of a robot whose data file does not name one
_SAME = 1e-9  # metres or radians: a motor this close to the commanded value has reached it


class Emulation:
    """A session with one robot.

    Args:
        cell: the cell.
        robot: the robot to emulate. It gets a stepping controller unless it has one.
        echo: called with each line for the user.
        answers: the answers to QUERY in a batch run.
        ask: asks a person for an answer to QUERY.
        functions: the user's sensor functions by name.
        out: the folder for pictures.
        start_up: the time that the motors take to start, in seconds; default: that of
            :mod:`drycell.languages.emula.workstations` for a box-frame robot, 0 for others.
        clearance: the distance, in metres, at which a checked pair counts as collided; default: like ``start_up``.
        look_every_cycle: do not skip cycles in which nothing can change, for tests.
    """

    def __init__(
        self,
        cell: Cell,
        robot: LiveRobot,
        *,
        echo: Callable[[str], None],
        answers: Iterator[str] | None = None,
        ask: Callable[[str], str] | None = None,
        functions: Mapping[str, UserFunction] | None = None,
        out: Path = Path("out"),
        start_up: float | None = None,
        clearance: float | None = None,
        look_every_cycle: bool = False,
    ) -> None:
        self.cell, self.robot, self.echo, self.out = cell, robot, echo, out
        self._kernel, self._world = cell.kernel, cell.world
        if not isinstance(robot.controller, SteppingController):
            robot.controller = SteppingController(robot.mechanism.cycle or 0.02)
        if ask is not None:
            self._kernel.patience = None  # a person takes time to answer; the run must not time out
        self._functions = {name.casefold(): (name, function) for name, function in (functions or {}).items()}
        self.model = robot.model_name
        self._models = RobotModels(robot)
        figures = (START_UP, CLEARANCE) if self.model.partition("/")[0] == FAMILY else (0.0, 0.0)
        self._start_up = figures[0] if start_up is None else start_up
        self.unit = inch
        """The program's unit of length in metres, for lengths and volumes of sensor functions."""
        self.collisions: list[CollisionCycle] = []
        """Every cycle in which a checked pair collided."""
        self.journal: SessionJournal | None = None
        self.names = BodyNames(self._world, robot)
        self.grasped = GraspedParts(self._world, robot, self.names)
        self.fuzzy = FuzzyObjects()
        self.proximity = Proximity(self._world, self.fuzzy)
        self.questions = QueryAnswers(answers, ask, lambda line: self.note(line, "answer"), echo)
        self.display = DisplayControl(self._world, out, echo)
        self.board = SensorBoard(robot.mechanism.sensors or _SENSORS, self)
        self.checks = PairChecks(
            Proximity(self._world), self.grasped.pairs, figures[1] if clearance is None else clearance
        )
        self.wake_signal = WakeSignal(self._kernel, self._world, robot.name)
        self.look_every_cycle = look_every_cycle
        self._assertions = Assertions(self)
        self._commanded = robot.joints
        """The last commanded motor values, or those at which the arm was stopped."""
        self._background: Process | None = None
        self._guarded_move: GuardedMove | None = None
        self._outcome: MoveReport | Exception | None = None

    # ---------------------------------------------------------------- state, now

    @property
    def motors(self) -> dict[str, float]:
        """The motor values now, by name; if the arm has reached the commanded values, exactly these."""
        here, commanded = self.robot.joints, self._commanded
        reached = not self.robot.moving and all(abs(a - b) < _SAME for a, b in zip(here, commanded, strict=True))
        return dict(zip(self.robot.mechanism.joint_names, commanded if reached else here, strict=True))

    @property
    def sensors(self) -> dict[int, float]:
        """The values of all sensors: during a move, at the end of the last cycle; at rest, now."""
        if self._guarded_move is not None and self.robot.moving:
            self._guarded_move.sample()
        else:
            self.board.sample(self.board.cycles_at_rest(self._kernel.now, self.cycle), self._kernel.now)
        return {number: sensor.value for number, sensor in self.board.known.items()}

    def poll(self, sensor: int) -> float:
        """Read a sensor for the program. At rest this counts as watching it: QUERY asks, once per basic cycle."""
        if sensor not in self.board.known:
            return 0.0
        if not self.robot.moving:
            self.board.poll(self.board.known[sensor], self._kernel.now, self.cycle)
        return self.sensors[sensor]

    def label(self, sensor: int) -> str:
        """How messages name a sensor: by its number, or by the signal of the cell that it reads."""
        return self.board.sensor(sensor).label

    @property
    def attached(self) -> dict[int, str]:
        """The functions attached to sensors, in the form of ATTACH."""
        known = self.board.known.items()
        return {number: sensor.function.describe() for number, sensor in known if sensor.function is not None}

    @property
    def position(self) -> Vector:
        """The position of the point between the fingertips now: x, y, z."""
        return self.robot.pose.position

    @property
    def held(self) -> dict[str, str]:
        """The grasped bodies, each with the body it is attached to."""
        return {body.name: carrier.name for body, carrier in self.grasped.held.items()}

    @property
    def moving(self) -> bool:
        """Whether a move that was started without waiting is running."""
        return self._background is not None

    @property
    def cycle(self) -> int:
        """The length of the basic cycle, in ticks."""
        return ticks(self._controller.cycle)

    def random_stream(self, sensor: int) -> Random:
        """The random stream of a sensor."""
        return self._kernel.random(f"sensor {sensor}")

    # ---------------------------------------------------------------- moves

    def move_by(
        self, deltas: Mapping[str, float], guard: SensorGuard | None = None, *, wait: bool = True
    ) -> MoveReport:
        """Move motors by distances, given by motor name."""
        self._finish()
        here = self.motors
        for name in deltas:
            self._motor(name)
        return self.move_to(
            {self._motor(name): here[self._motor(name)] + delta for name, delta in deltas.items()}, guard, wait=wait
        )

    def move_to(
        self, targets: Mapping[str, float], guard: SensorGuard | None = None, *, wait: bool = True
    ) -> MoveReport:
        """Move motors to values, given by motor name.

        With ``wait=False`` the move runs in the background, and :meth:`wait_move` returns its report.
        """
        self._finish()
        here = self.motors
        wanted = here | {self._motor(name): float(value) for name, value in targets.items()}
        if guard is not None:
            self.board.check(guard)
        moved = sum(wanted[name] != here[name] for name in here)
        start = self._kernel.now
        self.robot.move_joints(list(wanted.values()), wait=False)  # raises an error if a value is beyond a limit
        end = self.robot.linkage.history.values[-1].end if self.robot.moving else start
        guarded_move = GuardedMove(self, moved, guard, self.cycle, end)
        if wait:
            return self._carry_out(guarded_move, tuple(wanted.values()))
        self._outcome, self._guarded_move = None, guarded_move
        self._background = self._kernel.spawn(
            self._in_background, guarded_move, tuple(wanted.values()), name=f"{self.robot.name} on its way"
        )
        return MoveReport(moved, 0.0, 0)

    def move_hand(self, shift: Vector, guard: SensorGuard | None = None) -> MoveReport:
        """Move the TCP on a line, by distances along the axes of the robot's base. The hand keeps its orientation."""
        self._finish()
        if guard is not None:
            self.board.check(guard)
        robot, here = self.robot, self.robot.joints
        dx, dy, dz = self._world.pose(robot.base).direction(shift)
        target = LiveWorkpoint("the target of the hand", None, robot.pose.moved(dx, dy, dz))
        robot.move_linear(target, wait=False)  # raises if the arm cannot reach it
        end = robot.linkage.history.values[-1].end if robot.moving else self._kernel.now
        joints = tuple(robot.linkage.joints(end))
        moved = sum(abs(a - b) > _SAME for a, b in zip(here, joints, strict=True))
        return self._carry_out(GuardedMove(self, moved, guard, self.cycle, end), joints)

    def move_jaws(self, gap: float, guard: SensorGuard | None = None) -> MoveReport:
        """Move the jaws of a gripper that has a motor of its own. They stop at what is between them, and hold parts."""
        self._finish()
        if guard is not None:
            self.board.check(guard)
        gripper, start = self.robot.fingers, self._kernel.now
        if gap <= gripper.gap:
            gripper.start_close(gap)
        else:
            gripper.start_open(gap)
        cycles = -(-(gripper.arrival - start) // self.cycle)
        move = GuardedMove(self, int(cycles > 0), guard, self.cycle, start + cycles * self.cycle, Jaws(gripper))
        return self._carry_out(move, self._commanded)

    @property
    def hand_position(self) -> Vector:
        """The position of the TCP now, seen from the robot's base."""
        return (self._world.pose(self.robot.base).inverse() @ self.robot.pose).position

    def wait_move(self) -> MoveReport:
        """Wait for the end of a move that runs in the background, and return its report."""
        if self._background is None:
            raise ProgramError("no move is running in the background", hint="start one without waiting first")
        wait(self._background)
        self._background = None
        outcome, self._outcome = self._outcome, None
        if isinstance(outcome, MoveReport):
            return outcome
        if outcome is None:
            raise MotionError(f"the move of {self.robot.name} was cancelled")
        raise outcome

    def start_up(self) -> None:
        """Start the motors. This takes their start-up time, and nothing moves."""
        self._finish()
        self._kernel.journal.write("start up", self.robot.name, lasts_s=self._start_up)
        self.rest(self._start_up)

    def rest(self, duration: float) -> None:
        """Let cell time pass. The functions of sensors are called in each basic cycle, as in moves."""
        end = self._kernel.now + ticks(duration)
        while self._kernel.now < end:
            if self._background is not None and self._outcome is None:  # a move that calls them itself
                wait(self._background, timeout=seconds(end - self._kernel.now))
                continue
            due = self.board.next_cycle(self._kernel.now, self.cycle)
            delay(seconds((end if due is None else min(due, end)) - self._kernel.now))
            if self._kernel.now == due:
                self.board.read_at_rest(due, self.cycle)

    def set_increment(self, on: bool) -> None:
        """Select incremental moves, with one step per basic cycle, or complete moves, each in a single cycle."""
        self.robot.controller = self._controller.changed(mode="incremental" if on else "complete")

    def set_cycle(self, length: float) -> None:
        """Set the length of the basic cycle, in seconds, for the following moves."""
        self.robot.controller = self._controller.changed(cycle=length)
        self.board.rest(self._kernel.now)

    def set_speed(self, fraction: float) -> None:
        """Set the fraction of the motors' maximum speeds for the following moves."""
        self.robot.override = fraction

    # ---------------------------------------------------------------- sensors

    def attach(self, sensor: int, function: str, arguments: Sequence[object] = ()) -> None:
        """Attach a function to a sensor, in place of the one it has."""
        self.board.sensor(sensor)
        name = function.strip().casefold()
        if name in self._functions:
            made = FromUser(*self._functions[name], arguments)
            self.board.attach(sensor, made)
        elif name in BUILT_IN:
            self.board.attach(sensor, BUILT_IN[name](self, lambda: self.random_stream(sensor), arguments))
        else:
            raise UnknownName("sensor function", function, [*BUILT_IN, *(own for own, _ in self._functions.values())])
        self.wake_signal.wake()

    def detach(self, sensor: int, function: str | None = None) -> None:
        """Detach a function, or all functions, from a sensor."""
        self.board.detach(sensor, function)
        self.wake_signal.wake()

    def set_fuzzy(self, body: str, tolerance: Vector) -> None:
        """Make the boundaries that sensors see of a body uncertain, by tolerances along x, y, z; (0, 0, 0) ends it."""
        self.fuzzy.declare(self.names.node(body).body, tolerance)
        self.proximity.forget()
        self.wake_signal.wake()

    def redraw(self, body: str | None = None) -> None:
        """Draw new random boundaries of a fuzzy body, or of all of them."""
        if body is None and not self.fuzzy:
            raise ProgramError("no body is fuzzy", hint="give a body tolerances first")
        for each in self.fuzzy.bodies if body is None else [self.names.node(body).body]:
            lower, upper = self.fuzzy.redraw(each, self._kernel.random(f"fuzzy {each.name}"))
            size = [(b - a) * 1e3 for a, b in zip(lower, upper, strict=True)]
            self._kernel.journal.write("redrawn", each.name, size_mm=size)
        self.wake_signal.wake()

    # ---------------------------------------------------------------- assertions

    def grasp(self, body: str, at: Vector | None = None, from_: str | None = None) -> bool:
        """Attach a body to the hand, or to the body ``from_``, after placing it ``at`` an offset from it.

        Returns whether it is a loose part of the cell.
        """
        node = self.names.node(body)
        carrier = self._assertions.grasp(node, at, None if from_ is None else self.names.node(from_))
        self._kernel.journal.write("grasps", carrier.name, part=node.body.name)
        return node.body.part

    def release(self, body: str | None = None) -> None:
        """Detach a held body, or all of them, from the robot; it stays where it is."""
        for freed in self._assertions.release(None if body is None else self.names.node(body)):
            self._kernel.journal.write("releases", self.robot.name, part=freed.name)

    def support(self, base: str, body: str, direction: Vector = (0.0, 0.0, -1.0)) -> Landing:
        """Support a body by a base: unless they touch, the body falls in a direction until it hits something."""
        self._finish()
        start = self._kernel.now
        landing = self._assertions.support(self.names.node(base), self.names.node(body), direction)
        self.display.moved(start, self._kernel.now, self.cycle)
        return landing

    # ---------------------------------------------------------------- monitoring

    def set_collision_check(self, on: bool, a: str, b: str) -> None:
        """Start or stop checking a pair for collisions, in each basic cycle while something moves."""
        self.checks.set(on, self.names.node(a), self.names.node(b))
        self.wake_signal.wake()

    def set_clearance(self, gap: float) -> None:
        """Set the distance, in metres, at which a checked pair counts as collided; 0 is touching."""
        self.checks.clearance = gap

    def open_journal(self, path: Path, start: str = START) -> None:
        """Open a journal of the session; ``start`` is the time of day at which cell time begins."""
        if self.journal is not None:
            raise ProgramError(f"a journal is already open: {self.journal.path}", hint="close it first: setjournal (0)")
        self.journal = SessionJournal(path, start)
        self.journal.open(self._kernel.now)

    def close_journal(self) -> None:
        """Close the journal and write it: as text to its path, and as JSON lines beside it."""
        if self.journal is None:
            raise ProgramError("no journal is open", hint="open one first: setjournal (1)")
        journal, self.journal = self.journal, None
        journal.close(self._kernel.now)

    def note(self, line: str, kind: Kind = "command") -> None:
        """Write a command as typed, or a response, to the journal of the session, if one is open, and to the run's."""
        self._kernel.journal.write(kind, "emula", text=line)
        if self.journal is not None:
            self.journal.note(self._kernel.now, line, kind)

    def close(self) -> None:
        """End the session: write pictures, film and journal that are still open."""
        self.display.close()
        if self.journal is not None:
            self.close_journal()

    # ---------------------------------------------------------------- models

    def exchange_model(self, name: str | Mechanism, model: str | None = None) -> None:
        """Replace the robot's model with another one of its family; motors and grasped bodies do not change.

        Args:
            name: the name of a model, or the path of a robot or family file.
            model: the model, if the file describes a family; by default its default model.
        """
        self._finish()
        mechanism = self._models.find(name, model) if isinstance(name, str) else name
        exchange(self._world, self.robot, mechanism)
        self.model = mechanism.name
        self._kernel.journal.write("model", self.robot.name, model=self.model)

    def translate(self, body: str, x: float = 0.0, y: float = 0.0, z: float = 0.0, frame: str | None = None) -> None:
        """Shift a body, with everything attached to it, at once.

        The axes are those of the body that carries it, or of a ``frame``: "world", "own", or the name of a body.
        """
        node = self.names.node(body)
        if frame is not None:
            x, y, z = self._turned((x, y, z), node, frame)
        self._assertions.translate(node, x, y, z)

    def _turned(self, shift: Vector, node: NamedBodies, frame: str) -> Vector:
        """A shift along the axes of a frame, as one along the axes of the body that carries a node."""
        known = frame.strip().casefold()
        if known != WORLD:
            seen = node.body if known == OWN else self.names.node(frame).body
            shift = self._world.pose(seen).direction(shift)
        carrier = node.body.parent
        return shift if carrier is None else self._world.pose(carrier).inverse().direction(shift)

    def place(self, body: str, frame: str | None = None) -> tuple[str, str | None, Pose]:
        """Where a body is now: its name, what carries it, and its pose in the world or seen from another body."""
        node = self.names.node(body)
        reference = None if frame is None or frame.strip().casefold() == WORLD else self.names.node(frame).body
        carrier = node.body.parent
        pose = self._world.relative(reference, node.body)
        return node.name, None if carrier is None else short(carrier), pose

    def rotate(self, body: str, axis: str, angle: float) -> None:
        """Rotate a body, with everything attached to it, about one of its own axes, at once."""
        self._assertions.rotate(self.names.node(body), axis, angle)

    def merge(self, body: str) -> None:
        """Merge the solids below a body, minus the holes, into one indivisible body."""
        self._assertions.merge(self.names.node(body))

    # ---------------------------------------------------------------- inside

    @property
    def _controller(self) -> SteppingController:
        controller = self.robot.controller
        if not isinstance(controller, SteppingController):
            raise MotionError(f"the controller of {self.robot.name} was replaced during the session")
        return controller

    def _motor(self, name: str) -> str:
        known = {each.casefold(): each for each in self.robot.mechanism.joint_names}
        if name.strip().casefold() not in known:
            raise UnknownName("motor", name, known.values())
        return known[name.strip().casefold()]

    def _finish(self) -> None:
        """Wait for a move in the background: the robot does one thing at a time."""
        if self._background is not None:
            self.wait_move()

    def _carry_out(self, guarded_move: GuardedMove, wanted: tuple[float, ...]) -> MoveReport:
        try:
            report = guarded_move.wait()
        except Exception:
            guarded_move.mover.stop()
            self._commanded = self.robot.joints
            raise
        except Cancelled:
            if self._kernel.running and guarded_move.mover.moving:
                guarded_move.mover.stop()
            raise
        finally:
            self.board.rest(self._kernel.now)
        if guarded_move.mover is self.robot:
            self._commanded = wanted if report.tripped is None else self.robot.joints
        if report.tripped is not None:
            self._kernel.journal.write("trips", f"sensor {report.tripped}", value=report.value, why=report.what)
        self.display.moved(guarded_move.start, self._kernel.now, guarded_move.cycle)
        if self.journal is not None:
            self.journal.moved(self._kernel.now, self.motors)
        return report

    def _in_background(self, guarded_move: GuardedMove, wanted: tuple[float, ...]) -> None:
        try:
            self._outcome = self._carry_out(guarded_move, wanted)
        except Exception as error:
            self._outcome = error

    def collided(self, collision: CollisionCycle) -> None:
        """Record and report a cycle in which a checked pair collided."""
        self.collisions.append(collision)
        self.note(collision.line, "collision")
        self.echo(collision.line)
