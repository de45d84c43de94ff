"""Emulation: the engine under EMULA's language. One robot in a cell, with sensors whose values are emulated.

Everything here is in SI units: metres, radians, seconds. Commands that take cell time are given from a program of the
cell. Whatever goes wrong by the user's doing raises a DrycellError before anything is changed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from drycell.base import MechanismError, MotionError, ProgramError, UnknownName, Vector, inch
from drycell.cell import Cell
from drycell.kernel import Cancelled, Process, delay, seconds, ticks, wait
from drycell.languages.emula.assertions import Assertions, Landing
from drycell.languages.emula.bodies import BodyNames, GraspedParts
from drycell.languages.emula.display import DisplayControl
from drycell.languages.emula.fuzzy import FuzzyObjects
from drycell.languages.emula.guarded_move import GuardedMove, MoveContext, WakeSignal
from drycell.languages.emula.proximity import CollisionCycle, PairChecks, Proximity
from drycell.languages.emula.sensor_functions import BUILT_IN, FromUser, QueryAnswers, Surroundings, UserFunction
from drycell.languages.emula.sensors import MoveReport, SensorBoard, SensorGuard
from drycell.languages.emula.session_journal import START, Kind, SessionJournal
from drycell.languages.emula.workstations import CLEARANCE, FAMILY, START_UP
from drycell.robots import LiveRobot, Mechanism, SteppingController, exchangeable, load_family, load_robot, robot_names
from drycell.world import World

_SENSORS = tuple(str(number) for number in range(1, 9))  # of a robot whose data names none


class Emulation:
    """A session with one robot.

    The robot is driven by a stepping controller; it gets one if it has another. ``answers`` and ``ask`` are where
    QUERY's answers come from, ``functions`` are the user's own sensor functions by name, ``out`` is where pictures go.
    ``start_up`` is how many seconds the motors take to start up, ``clearance`` the gap from which on a collision check
    counts; of a box-frame robot they are those of :mod:`drycell.languages.emula.workstations`, of others 0.
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
            self._kernel.patience = None  # a person who thinks is no program that has lost its way
        self._functions = {name.casefold(): (name, function) for name, function in (functions or {}).items()}
        self.model = robot.model_name
        figures = (START_UP, CLEARANCE) if self.model.partition("/")[0] == FAMILY else (0.0, 0.0)
        self._start_up = figures[0] if start_up is None else start_up
        keep_apart = figures[1] if clearance is None else clearance
        self.unit = inch
        """Metres in a unit of length, for arguments and values of sensor functions that are lengths or volumes."""
        self.collisions: list[CollisionCycle] = []
        """Every cycle in which a checked pair interfered."""
        self.journal: SessionJournal | None = None
        self.names = BodyNames(self._world, robot)
        self.holding = GraspedParts(self._world, robot, self.names)
        self.fuzzy = FuzzyObjects()
        self.sight = Proximity(self._world, self.fuzzy)
        self.questions = QueryAnswers(answers, ask, lambda line: self.note(line, "answer"), echo)
        self.display = DisplayControl(self._world, out, echo)
        self._board = SensorBoard(robot.mechanism.sensors or _SENSORS)
        self._checks = PairChecks(Proximity(self._world), self.holding.pairs, keep_apart)
        wake_signal = WakeSignal(self._kernel, self._world, robot.name)
        self._around = Surroundings(cell, robot, self.names, self.holding, self.sight)
        self._context = MoveContext(
            self._kernel,
            robot,
            self._board,
            self._checks,
            wake_signal,
            self._around,
            self._collided,
            self._cycle,
            look_every_cycle,
        )
        self._assertions = Assertions(self._context, self._world, self.names, self.holding, self.sight, cell.gravity)
        self._under_way: Process | None = None
        self._guarded_move: GuardedMove | None = None
        self._outcome: MoveReport | Exception | None = None

    # ---------------------------------------------------------------- state, now

    @property
    def motors(self) -> dict[str, float]:
        """The motor values now, by name."""
        return self._around.motors

    @property
    def sensors(self) -> dict[int, float]:
        """The values of all sensors at the end of the last cycle."""
        if self._under_way is not None and self._guarded_move is not None and self.robot.moving:
            self._guarded_move.catch_up()
        self._board.settle(self._around)
        return {number: sensor.value for number, sensor in self._board.known.items()}

    @property
    def attached(self) -> dict[int, list[str]]:
        """What is attached to sensors, as ATTACH would say it."""
        known = self._board.known.items()
        return {number: [each.describe() for each in sensor.functions] for number, sensor in known if sensor.functions}

    @property
    def position(self) -> Vector:
        """Where the point between the fingertips is now: x, y, z."""
        return self._around.position

    @property
    def held(self) -> dict[str, str]:
        """What is grasped, and what it moves with."""
        return {body.name: carrier.name for body, carrier in self.holding.held.items()}

    @property
    def moving(self) -> bool:
        """Whether a move that was not waited for is under way."""
        return self._under_way is not None

    @property
    def incremental(self) -> bool:
        """Whether moves are divided into cycles."""
        return self._controller.mode == "incremental"

    @property
    def cycle(self) -> float:
        """The length of the basic cycle in seconds."""
        return seconds(ticks(self._controller.cycle))

    @property
    def speed(self) -> float:
        """The share of the motors' greatest speeds at which they move."""
        return self.robot.override

    # ---------------------------------------------------------------- moves

    def move_by(
        self, deltas: Mapping[str, float], guard: SensorGuard | None = None, *, wait: bool = True
    ) -> MoveReport:
        """Moves motors by name by so much each."""
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
        """Moves motors by name to values. A move that is not waited for is reported by :meth:`wait_move`."""
        self._finish()
        here = self.motors
        wanted = here | {self._motor(name): float(value) for name, value in targets.items()}
        if guard is not None:
            self._board.check(guard)
        moved = sum(wanted[name] != here[name] for name in here)
        begun = self._kernel.now
        self.robot.move_joints(list(wanted.values()), wait=False)  # refuses what is past a limit
        end = self.robot.linkage.history.values[-1].end if self.robot.moving else begun
        guarded_move = GuardedMove(self._context, moved, guard, self._cycle(), end)
        if wait:
            return self._carry_out(guarded_move, tuple(wanted.values()))
        self._outcome, self._guarded_move = None, guarded_move
        self._under_way = self._kernel.spawn(
            self._in_background, guarded_move, tuple(wanted.values()), name=f"{self.robot.name} on its way"
        )
        return MoveReport(moved, 0.0, 0)

    def wait_move(self) -> MoveReport:
        """Waits for the end of a move that was not waited for, and says what became of it."""
        if self._under_way is None:
            raise ProgramError("no move is under way", hint="start one without waiting first")
        wait(self._under_way)
        self._under_way = None
        outcome, self._outcome = self._outcome, None
        if isinstance(outcome, MoveReport):
            return outcome
        if outcome is None:
            raise MotionError(f"the move of {self.robot.name} was cancelled")
        raise outcome

    def start_up(self) -> None:
        """Starts the motors up, which takes its declared time and moves nothing."""
        self._finish()
        self._kernel.journal.write("start up", self.robot.name, lasts_s=self._start_up)
        if self._start_up > 0.0:
            delay(self._start_up)

    def set_increment(self, on: bool) -> None:
        """Incremental moves, one sub-move a cycle, or complete ones, each in a single cycle."""
        self.robot.controller = self._controller.changed(mode="incremental" if on else "complete")

    def set_cycle(self, length: float) -> None:
        """Another length of the basic cycle in seconds, from the next move on."""
        self.robot.controller = self._controller.changed(cycle=length)

    def set_speed(self, share: float) -> None:
        """Another share of the motors' greatest speeds, from the next move on."""
        self.robot.override = share

    # ---------------------------------------------------------------- sensors

    def attach(self, sensor: int, function: str, arguments: Sequence[object] = ()) -> None:
        """Binds a function to a sensor, besides what is attached to it already."""
        self._board.settle(self._around)
        self._board.sensor(sensor)
        name = function.strip().casefold()
        if name in self._functions:
            made = FromUser(*self._functions[name], arguments)
            self._board.attach(sensor, made)
        elif name in BUILT_IN:
            self._board.attach(sensor, BUILT_IN[name](self, lambda: self._around.stream(sensor), arguments))
        else:
            raise UnknownName("sensor function", function, [*BUILT_IN, *(own for own, _ in self._functions.values())])
        self._context.wake_signal.wake()

    def detach(self, sensor: int, function: str | None = None) -> None:
        """Takes a function, or all, off a sensor."""
        self._board.settle(self._around)
        self._board.detach(sensor, function)
        self._context.wake_signal.wake()

    def set_fuzzy(self, body: str, tolerance: Vector) -> None:
        """Gives a body boundaries that sensors see elsewhere, within so much along its x, y, z; (0, 0, 0) ends it."""
        self._board.settle(self._around)
        self.fuzzy.declare(self.names.node(body).body, tolerance)
        self.sight.forget()
        self._context.wake_signal.wake()

    def redraw(self, body: str | None = None) -> None:
        """Draws the boundaries of a fuzzy body, or of all of them, anew."""
        self._board.settle(self._around)
        if body is None and not self.fuzzy:
            raise ProgramError("nothing is fuzzy", hint="give a body tolerances first")
        for each in self.fuzzy.bodies if body is None else [self.names.node(body).body]:
            lower, upper = self.fuzzy.redraw(each, self._kernel.random(f"fuzzy {each.name}"))
            size = [(b - a) * 1e3 for a, b in zip(lower, upper, strict=True)]
            self._kernel.journal.write("redrawn", each.name, size_mm=size)
        self._context.wake_signal.wake()

    # ---------------------------------------------------------------- assertions

    def grasp(self, body: str, at: Vector | None = None, from_: str | None = None) -> None:
        """The body moves with the hand, or with the node ``from_``, after being put ``at`` an offset from it."""
        self._board.settle(self._around)
        node = self.names.node(body)
        carrier = self._assertions.grasp(node, at, None if from_ is None else self.names.node(from_))
        self._kernel.journal.write("grasps", carrier.name, part=node.body.name)

    def release(self, body: str | None = None) -> None:
        """A held body, or all of them, no longer moves with the robot; it stays where it is."""
        self._board.settle(self._around)
        for freed in self._assertions.release(None if body is None else self.names.node(body)):
            self._kernel.journal.write("releases", self.robot.name, part=freed.name)

    def support(self, base: str, body: str, direction: Vector = (0.0, 0.0, -1.0)) -> Landing:
        """If the base does not touch the body, that falls in a direction until it meets something; takes its time."""
        self._finish()
        self._board.settle(self._around)
        begun = self._kernel.now
        landing = self._assertions.support(self.names.node(base), self.names.node(body), direction)
        self.display.moved(begun, self._kernel.now, self._cycle())
        return landing

    # ---------------------------------------------------------------- monitoring

    def set_collision_check(self, on: bool, a: str, b: str) -> None:
        """Begins or ends the check of a pair, once a basic cycle while something moves."""
        self._checks.set(on, self.names.node(a), self.names.node(b))
        self._context.wake_signal.wake()

    def set_clearance(self, gap: float) -> None:
        """The gap from which on a checked pair counts as interfering; 0 is touching."""
        self._checks.clearance = gap

    def open_journal(self, path: Path, start: str = START) -> None:
        """Begins a journal of the session; ``start`` is the time of day at the beginning of cell time."""
        if self.journal is not None:
            raise ProgramError(f"a journal is open: {self.journal.path}", hint="close it first: setjournal (0)")
        self.journal = SessionJournal(path, start)
        self.journal.open(self._kernel.now)

    def close_journal(self) -> None:
        """Ends the journal and writes it: as text to its path, as JSON lines beside it."""
        if self.journal is None:
            raise ProgramError("no journal is open", hint="open one first: setjournal (1)")
        journal, self.journal = self.journal, None
        journal.close(self._kernel.now)

    def note(self, line: str, kind: Kind = "command") -> None:
        """Puts a command as typed, or a response, down in the journal of the session, if one is open, and the run's."""
        self._kernel.journal.write(kind, "emula", text=line)
        if self.journal is not None:
            self.journal.note(self._kernel.now, line, kind)

    def close(self) -> None:
        """Ends the session: writes pictures, film and journal that are still open."""
        self.display.close()
        if self.journal is not None:
            self.close_journal()

    # ---------------------------------------------------------------- models

    def exchange_model(self, model: str | Mechanism) -> None:
        """Gives the robot another geometry of its family; motors, what is held and all else stay."""
        name, mechanism = find_model(model, self.model) if isinstance(model, str) else (model.name, model)
        self._board.settle(self._around)
        exchange(self._world, self.robot, mechanism)
        self.model = name
        self._kernel.journal.write("model", self.robot.name, model=name)

    def translate(self, body: str, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        """Shifts a body, and all it carries, along its parent's axes, at once."""
        self._board.settle(self._around)
        self._assertions.translate(self.names.node(body), x, y, z)

    def rotate(self, body: str, axis: str, angle: float) -> None:
        """Turns a body, and all it carries, about one of its own axes, at once."""
        self._board.settle(self._around)
        self._assertions.rotate(self.names.node(body), axis, angle)

    def merge(self, body: str) -> None:
        """Makes the solids below a body, less the holes, one indivisible body."""
        self._board.settle(self._around)
        self._assertions.merge(self.names.node(body))

    # ---------------------------------------------------------------- inside

    @property
    def _controller(self) -> SteppingController:
        controller = self.robot.controller
        if not isinstance(controller, SteppingController):
            raise MotionError(f"{self.robot.name} was given another controller during the session")
        return controller

    def _cycle(self) -> int:
        return ticks(self._controller.cycle)

    def _motor(self, name: str) -> str:
        known = {each.casefold(): each for each in self.robot.mechanism.joint_names}
        if name.strip().casefold() not in known:
            raise UnknownName("motor", name, known.values())
        return known[name.strip().casefold()]

    def _finish(self) -> None:
        """Lets a move under way end first: the robot does one thing at a time."""
        if self._under_way is not None:
            self.wait_move()

    def _carry_out(self, guarded_move: GuardedMove, wanted: tuple[float, ...]) -> MoveReport:
        try:
            report = guarded_move.see_through()
        except Exception:
            self.robot.stop()
            self._around.rest = self.robot.joints
            raise
        except Cancelled:
            if self._kernel.running and self.robot.moving:
                self.robot.stop()
            raise
        self._around.rest = wanted if report.tripped is None else self.robot.joints
        if report.tripped is not None:
            self._kernel.journal.write("trips", f"sensor {report.tripped}", value=report.value, why=report.what)
        self.display.moved(guarded_move.begun, self._kernel.now, guarded_move.cycle)
        return report

    def _in_background(self, guarded_move: GuardedMove, wanted: tuple[float, ...]) -> None:
        try:
            self._outcome = self._carry_out(guarded_move, wanted)
        except Exception as error:
            self._outcome = error

    def _collided(self, collision: CollisionCycle) -> None:
        self.collisions.append(collision)
        self.note(collision.line, "collision")
        self.echo(collision.line)


def find_model(name: str, current: str) -> tuple[str, Mechanism]:
    """A model by its name in the family ("hand") or in the library ("box-frame/hand"), case aside."""
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
    """Gives the robot's nodes the solids of another model; joints, what is held and all else stay.

    A model with other motors, or without a node the robot has, is refused by name and nothing changes.
    """
    exchangeable(robot.mechanism, model)
    for link in robot.mechanism.links:
        if link.drives != model.links[model.link(link.name)].drives:
            raise MechanismError(
                f"{model.name} cannot stand for {robot.mechanism.name}: node {link.name!r} moves otherwise"
            )
    for body, link in zip(robot.linkage.links, robot.mechanism.links, strict=True):
        body.shape = model.links[model.link(link.name)].shape
    robot.base.shape = model.base
    # Fixed anew where it stands, which is announced for all its nodes: what was known of their shapes is void.
    world.attach(robot.base, robot.base.parent)
