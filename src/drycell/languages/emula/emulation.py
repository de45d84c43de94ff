"""The engine behind EMULA's language: one robot in a cell, with emulated sensors.

All numbers are in SI units: metres, radians, seconds. Call commands that take cell time from a program of the cell.
A mistake of the user raises a DrycellError before anything is changed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from drycell.base import MechanismError, MotionError, ProgramError, UnknownName, Vector, inch
from drycell.cell import Cell
from drycell.kernel import Cancelled, Process, delay, ticks, wait
from drycell.languages.emula.assertions import Assertions, Landing
from drycell.languages.emula.bodies import BodyNames, GraspedParts
from drycell.languages.emula.display import DisplayControl
from drycell.languages.emula.fuzzy import FuzzyObjects
from drycell.languages.emula.guarded_move import GuardedMove, WakeSignal
from drycell.languages.emula.proximity import CollisionCycle, PairChecks, Proximity
from drycell.languages.emula.sensor_functions import BUILT_IN, FromUser, QueryAnswers, UserFunction
from drycell.languages.emula.sensors import MoveReport, SensorBoard, SensorGuard
from drycell.languages.emula.session_journal import START, Kind, SessionJournal
from drycell.languages.emula.workstations import CLEARANCE, FAMILY, START_UP
from drycell.robots import LiveRobot, Mechanism, SteppingController, exchangeable, load_family, load_robot, robot_names
from drycell.world import World

_SENSORS = tuple(str(number) for number in range(1, 9))  # of a robot whose data file does not name any
_SAME = 1e-9  # metres or radians: a motor this close to the commanded value has reached it


class Emulation:
    """A session with one robot.

    Args:
        cell: the cell.
        robot: the robot to emulate. It gets a stepping controller unless it has one.
        echo: is called with each line for the user.
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
        """The motor values that were commanded last, or at which the arm was stopped."""
        self._background: Process | None = None
        self._guarded_move: GuardedMove | None = None
        self._outcome: MoveReport | Exception | None = None

    # ---------------------------------------------------------------- state, now

    @property
    def motors(self) -> dict[str, float]:
        """The motor values now, by name: those that were commanded if the arm has reached them, without rounding."""
        here, commanded = self.robot.joints, self._commanded
        reached = not self.robot.moving and all(abs(a - b) < _SAME for a, b in zip(here, commanded, strict=True))
        return dict(zip(self.robot.mechanism.joint_names, commanded if reached else here, strict=True))

    @property
    def sensors(self) -> dict[int, float]:
        """The values of all sensors at the end of the last cycle."""
        if self._background is not None and self._guarded_move is not None and self.robot.moving:
            self._guarded_move.catch_up()
        self.board.settle()
        return {number: sensor.value for number, sensor in self.board.known.items()}

    @property
    def attached(self) -> dict[int, list[str]]:
        """The functions attached to sensors, in the form of ATTACH."""
        known = self.board.known.items()
        return {number: [each.describe() for each in sensor.functions] for number, sensor in known if sensor.functions}

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
        self.robot.move_joints(list(wanted.values()), wait=False)  # raises if a value is beyond a limit
        end = self.robot.linkage.history.values[-1].end if self.robot.moving else start
        guarded_move = GuardedMove(self, moved, guard, self.cycle, end)
        if wait:
            return self._carry_out(guarded_move, tuple(wanted.values()))
        self._outcome, self._guarded_move = None, guarded_move
        self._background = self._kernel.spawn(
            self._in_background, guarded_move, tuple(wanted.values()), name=f"{self.robot.name} on its way"
        )
        return MoveReport(moved, 0.0, 0)

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
        if self._start_up > 0.0:
            delay(self._start_up)

    def set_increment(self, on: bool) -> None:
        """Select incremental moves, with one step per basic cycle, or complete moves, each in a single cycle."""
        self.robot.controller = self._controller.changed(mode="incremental" if on else "complete")

    def set_cycle(self, length: float) -> None:
        """Set the length of the basic cycle, in seconds, for the following moves."""
        self.robot.controller = self._controller.changed(cycle=length)

    def set_speed(self, fraction: float) -> None:
        """Set the fraction of the motors' maximum speeds for the following moves."""
        self.robot.override = fraction

    # ---------------------------------------------------------------- sensors

    def attach(self, sensor: int, function: str, arguments: Sequence[object] = ()) -> None:
        """Attach a function to a sensor, in addition to those it already has."""
        self.board.settle()
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
        self.board.settle()
        self.board.detach(sensor, function)
        self.wake_signal.wake()

    def set_fuzzy(self, body: str, tolerance: Vector) -> None:
        """Make the boundaries that sensors see of a body uncertain, by tolerances along x, y, z; (0, 0, 0) ends it."""
        self.board.settle()
        self.fuzzy.declare(self.names.node(body).body, tolerance)
        self.proximity.forget()
        self.wake_signal.wake()

    def redraw(self, body: str | None = None) -> None:
        """Draw new random boundaries of a fuzzy body, or of all of them."""
        self.board.settle()
        if body is None and not self.fuzzy:
            raise ProgramError("no body is fuzzy", hint="give a body tolerances first")
        for each in self.fuzzy.bodies if body is None else [self.names.node(body).body]:
            lower, upper = self.fuzzy.redraw(each, self._kernel.random(f"fuzzy {each.name}"))
            size = [(b - a) * 1e3 for a, b in zip(lower, upper, strict=True)]
            self._kernel.journal.write("redrawn", each.name, size_mm=size)
        self.wake_signal.wake()

    # ---------------------------------------------------------------- assertions

    def grasp(self, body: str, at: Vector | None = None, from_: str | None = None) -> None:
        """Attach a body to the hand, or to the body ``from_``, after placing it ``at`` an offset from it."""
        self.board.settle()
        node = self.names.node(body)
        carrier = self._assertions.grasp(node, at, None if from_ is None else self.names.node(from_))
        self._kernel.journal.write("grasps", carrier.name, part=node.body.name)

    def release(self, body: str | None = None) -> None:
        """Detach a held body, or all of them, from the robot; it stays where it is."""
        self.board.settle()
        for freed in self._assertions.release(None if body is None else self.names.node(body)):
            self._kernel.journal.write("releases", self.robot.name, part=freed.name)

    def support(self, base: str, body: str, direction: Vector = (0.0, 0.0, -1.0)) -> Landing:
        """Support a body by a base: unless they touch, the body falls in a direction until it hits something."""
        self._finish()
        self.board.settle()
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

    def exchange_model(self, model: str | Mechanism) -> None:
        """Replace the robot's model with another one of its family; motors and grasped bodies do not change."""
        name, mechanism = find_model(model, self.model) if isinstance(model, str) else (model.name, model)
        self.board.settle()
        exchange(self._world, self.robot, mechanism)
        self.model = name
        self._kernel.journal.write("model", self.robot.name, model=name)

    def translate(self, body: str, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        """Shift a body, with everything attached to it, along its parent's axes, at once."""
        self.board.settle()
        self._assertions.translate(self.names.node(body), x, y, z)

    def rotate(self, body: str, axis: str, angle: float) -> None:
        """Rotate a body, with everything attached to it, about one of its own axes, at once."""
        self.board.settle()
        self._assertions.rotate(self.names.node(body), axis, angle)

    def merge(self, body: str) -> None:
        """Merge the solids below a body, minus the holes, into one indivisible body."""
        self.board.settle()
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
            self.robot.stop()
            self._commanded = self.robot.joints
            raise
        except Cancelled:
            if self._kernel.running and self.robot.moving:
                self.robot.stop()
            raise
        self._commanded = wanted if report.tripped is None else self.robot.joints
        if report.tripped is not None:
            self._kernel.journal.write("trips", f"sensor {report.tripped}", value=report.value, why=report.what)
        self.display.moved(guarded_move.start, self._kernel.now, guarded_move.cycle)
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


def find_model(name: str, current: str) -> tuple[str, Mechanism]:
    """Find a model by its name in the family ("hand") or in the library ("box-frame/hand"). Case does not matter."""
    family = current.partition("/")[0]
    asked = name.strip().casefold()
    known = {each.casefold(): each for each in robot_names()}
    if f"{family}/{asked}" in known:
        whole = known[f"{family}/{asked}"]
    elif asked in known:
        whole = known[asked]
    else:
        try:
            models: list[str] = list(load_family(family).models)
        except UnknownName:
            models = list(known.values())
        raise UnknownName("model", name, models)
    return whole, load_robot(whole)


def exchange(world: World, robot: LiveRobot, model: Mechanism) -> None:
    """Give the links of the robot the solids of another model. Joints and grasped bodies do not change.

    Raises:
        MechanismError: the model has other motors, or lacks a link of the robot; nothing is changed.
    """
    exchangeable(robot.mechanism, model)
    for link in robot.mechanism.links:
        if link.drives != model.links[model.link(link.name)].drives:
            raise MechanismError(
                f"{model.name} cannot replace {robot.mechanism.name}: link {link.name!r} has other drives"
            )
    for body, link in zip(robot.linkage.links, robot.mechanism.links, strict=True):
        body.shape = model.links[model.link(link.name)].shape
    robot.base.shape = model.base
    # Attaching the base again notifies the subscribers of all links, so that they discard what they know of the shapes.
    world.attach(robot.base, robot.base.parent)
