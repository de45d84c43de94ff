"""Cell: a model that runs, with its clock and its world. It does not know any kind of thing.

Kinds import this module, never the reverse: a built-in conveyor and one from a plug-in are added in the same way.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Never, SupportsFloat, TypeVar, cast, get_args, overload

from drycell import world
from drycell.base import (
    MISSING,
    CellFileError,
    DrycellError,
    FieldError,
    KernelError,
    Name,
    OneOf,
    Pose,
    Thing,
    UnknownName,
    WorldError,
    described,
    fields_of,
    type_of,
)
from drycell.cell.head import Checks, CollisionCheck, Head, Run
from drycell.cell.live import Builds, L, Live, PlacedThing, Stage, Standing, laid_on
from drycell.cell.model import Model, ModelEntry
from drycell.cell.program import Function, Given, LiveProgram, Program
from drycell.cell.tolerance import Tolerance
from drycell.kernel import (
    CLOCK,
    OUTSIDE,
    Chooser,
    Done,
    Kernel,
    Outcome,
    Pace,
    Request,
    Signal,
    TapeRow,
    V,
    Value,
    seconds,
)
from drycell.record import LiveRecord, Result
from drycell.world import (
    CollisionMonitor,
    DrawnBody,
    Gravity,
    Law,
    PartTracking,
    Scene,
    Spread,
    Who,
    World,
    watch_contact,
)

if TYPE_CHECKING:
    from drycell.cell.source import CellSource
    from drycell.devices import LiveController
    from drycell.robots import LiveRobot
    from drycell.sensors import LiveSensor

F = TypeVar("F", bound=Function)
S = TypeVar("S")


class Cell:
    """One robot cell with its clock: build it from a model or step by step with ``add``, then run it once.

    >>> from drycell import Body, Box, Cell, Conveyor, m, mm, s
    >>> cell = Cell("line", seed=7)
    >>> table = cell.add("table", Body(Box(2*m, 1*m, 100*mm)))
    >>> belt = cell.add("belt", Conveyor(length=1.5*m, width=200*mm, speed=100*mm/s, on="table"))
    >>> belt.stop()

    Args:
        model: A model, from which the cell is built, or the name of an empty cell.
        seed: The seed of all random streams; by default that of the model, or 0.
        chooser: Makes the decisions of ``choose`` and ``interval`` instead of random streams; for searches.
        exchanged: The names of the model's programs that are not loaded because other files replace them.
    """

    def __init__(
        self,
        model: Model | str = "cell",
        *,
        seed: int | None = None,
        chooser: Chooser | None = None,
        exchanged: Iterable[str] = (),
    ) -> None:
        given = Model(Head(name=model)) if isinstance(model, str) else model
        run = given.head.run
        self.name, self.path, self.kinds = given.head.name, given.path, given.kinds
        self.kernel = Kernel(run.seed if seed is None else seed, chooser)
        self.world = World(self.kernel)
        self.scene = Scene(self.world)
        self.gravity = Gravity(self.kernel, self.scene, settling=given.head.settling)
        self.part_tracking = PartTracking(self.kernel, self.world, self.gravity)
        self.record = LiveRecord(self.kernel, self.world)
        """The record of the run so far; :mod:`drycell.record.figures` computes figures from it."""
        self.things: dict[str, Any] = {}
        """All live things by name."""
        self.models: dict[str, Thing] = {}
        """The model of each live thing, by name."""
        self._said: list[tuple[str, Thing, Any]] = []  # the role, the model, and the live thing
        self.added: list[world.LiveBody] = []
        self.declared: dict[str, Signal[Any]] = {}
        self.programs: dict[str, LiveProgram] = {}
        self.faults: list[Any] = []
        self.monitor: CollisionMonitor | None = None
        self.checks = Checks()
        # How the cell runs by default: until a time in seconds, at a factor of real time.
        self.until: float | None = run.until
        self.pace: float | None = run.pace
        self.expect: tuple[str, ...] = run.expect
        self.ran = False
        self.settings: dict[str, str] = {}
        """Fields of the cell file that are overridden in this run, by path."""
        self._head = given.head
        self._shared: dict[object, Any] = {}
        self._requests_known = False
        if not isinstance(model, str):
            self._build(given, set(exchanged))

    @property
    def seed(self) -> int:
        """The seed of all random streams of the run."""
        return self.kernel.seed

    @property
    def time(self) -> float:
        """Cell time, in seconds."""
        self.kernel.note_read(CLOCK)
        return seconds(self.kernel.now)

    @property
    def settling(self) -> world.Settling:
        """How released parts settle on surfaces that have no law of their own: ``tumble``, ``pilot`` or ``keep``."""
        return self.gravity.settling

    @settling.setter
    def settling(self, law: world.Settling) -> None:
        if law not in get_args(world.Settling):
            raise WorldError(f"{law!r} is not a way to settle", hint=f"choose {', '.join(get_args(world.Settling))}")
        self.gravity.settling = law

    @property
    def folder(self) -> Path:
        """The folder that file names are relative to."""
        return self.path.parent

    @property
    def model(self) -> Model:
        """The cell in its current state as a model that can be saved, compared and rebuilt."""
        things: dict[str, Thing] = {}
        for name, thing in self.models.items():
            if (built := thing.as_built(self, self.things[name])) is not None:
                things[name] = built
        for name, program in self.programs.items():
            things[name] = program.as_model(name, self.folder)
        signals = {name: signal.value for name, signal in self.declared.items()}
        run = Run(until=self.until, seed=self.seed, pace=self.pace, expect=self.expect)
        head = self._head.changed(name=self.name, signals=signals or None, checks=self.checks, run=run)
        head = head.changed(settling=self.gravity.settling)
        return Model(head, things, self.about, self.kinds, self.path)

    # ---------------------------------------------------------------- building

    def add(self, name: str, thing: Builds[L], **misplaced: Never) -> L:
        """Add a thing to the cell and return the live thing, which programs use.

        Add the things it stands on, is attached to or is wired to first.

        Args:
            name: A name that no other thing in the cell has.
            thing: A body, robot, device, sensor or another kind of thing. A tolerance or a fault gets the name of the
                thing it applies to.
            misplaced: Nothing: fields such as ``at`` belong to the thing.

        Raises:
            WorldError: The name is taken.
            FieldError: The name cannot be written to a cell file, or ``thing`` cannot be added.
        """
        if not isinstance(thing, Thing) or not hasattr(thing, "build"):
            what = f"{described(thing)} cannot be added to a cell"
            raise FieldError(what, hint="give a name and a thing: cell.add('table', Body(Box(1*m, 1*m, 20*mm)))")
        for field in misplaced:
            kind = type(thing).__name__
            raise FieldError(
                f"cell.add takes a name and a thing, not {field!r}",
                hint=f"put it inside the brackets of the {kind}: cell.add({name!r}, {kind}(…, {field}=…))",
            )
        model = cast(Thing, thing)
        if model.meta.about:
            return self._add_about(name, thing)
        self._check_name(name, model)
        live = thing.build(self, name)
        _dress(model, live)
        self._enter(name, model, live)
        for full, child in model.inside(name):
            self._add_child(full, child)
        model.complete(self, live)
        for _, remark in model.about_itself():
            cast(Builds[Any], remark).build(self, name)
        return live

    def _add_child(self, name: str, child: Any) -> None:
        live = child.build(self, name)
        _dress(child, live)
        for full, inner in child.inside(name):
            self._add_child(full, inner)
        child.complete(self, live)

    def _add_about(self, name: str, thing: Builds[L]) -> L:
        model = cast(Thing, thing)
        live = thing.build(self, name)
        self._said.append((name, model, live))
        return live

    @property
    def about(self) -> dict[str, dict[str, Any]]:
        """Declarations about things that still apply, by section and name."""
        found: dict[str, dict[str, Any]] = {}
        for name, model, live in self._said:
            if not getattr(live, "over", False):
                entries = found.setdefault(model.meta.section, {})
                entries[name] = (*entries.get(name, ()), model) if model.meta.many else model
        return found

    def _check_name(self, name: str, model: Thing) -> None:
        type_of(Name).check(name)
        if name in self.things:
            what = f"there is already a {self.models[name].meta.kind} {name!r}"
            raise WorldError(what, hint="give each a unique name")

    def _enter(self, name: str, model: Thing, live: Any) -> None:
        if isinstance(model, Program):
            return
        self.things[name] = live
        self.models[name] = model

    def _build(self, model: Model, exchanged: set[str]) -> None:
        """Add everything in a model, stage by stage, each thing after the things it needs.

        Programs that are ``exchanged`` are not loaded, because others replace them.
        """
        stages: dict[int, list[ModelEntry]] = {}
        for entry in model.in_order():
            stages.setdefault(self._stage(entry, stages), []).append(entry)
        made: dict[str, Any] = {}
        for stage in range(Stage.PROGRAMS + 1):
            for entry in stages.get(stage, ()):
                if isinstance(entry.thing, Program) and entry.name in exchanged:
                    made[entry.name] = self.programs[entry.name] = LiveProgram(_nothing, entry.thing)
                    continue
                with _placing(model, entry):
                    made[entry.name] = cast(Builds[Any], entry.thing).build(self, entry.name)
                    _dress(entry.thing, made[entry.name])
                if not entry.nested:
                    self._enter(entry.name, entry.thing, made[entry.name])
            for entry in stages.get(stage, ()):
                with _placing(model, entry):
                    entry.thing.complete(self, made[entry.name])
            self._build_rest(model, stage)

    def _stage(self, entry: ModelEntry, stages: Mapping[int, list[ModelEntry]]) -> int:
        """Bodies are built together with the robots or devices that carry them."""
        own = entry.thing.meta.stage
        if own > Stage.MOUNTED:
            return own
        # In build order, everything after the first device or sensor is itself one, or is mounted on one.
        late = own == Stage.MOUNTED or bool(stages.get(Stage.MOUNTED))
        return Stage.MOUNTED if late else Stage.ROBOTS

    def _build_rest(self, model: Model, stage: int) -> None:
        """Build the declarations about things, and everything without a name."""
        if stage == Stage.SIGNALS:
            for name, initial in (model.head.signals or {}).items():
                self.signal(name, initial)
        for name, owner in model.things.items():
            for path, remark in owner.about_itself():
                if remark.meta.stage == stage:
                    at = OneOf(model.kinds.sections[owner.meta.section]).place_of(type(owner), path)
                    with _placing(model, ModelEntry(name, remark, (owner.meta.section, name, *at))):
                        cast(Builds[Any], remark).build(self, name)
        for section, base in model.kinds.sections.items():
            if base.meta.about and base.meta.stage == stage:
                for name, given in model.section(section).items():
                    for index, thing in enumerate(given if base.meta.many else (given,)):
                        path = (section, name, index) if base.meta.many else (section, name)
                        with _placing(model, ModelEntry(name, thing, path)):
                            self.add(name, thing)
        if stage == Stage.FAULTS and model.head.checks.collision is not None:
            with _placing(model, ModelEntry("collision", model.head.checks.collision, ("checks", "collision"))):
                self._check_collisions(model.head.checks.collision)

    def section(self, name: str) -> dict[str, Any]:
        """Return the live things of a section of the cell file by name; ``name`` is the section (``devices``)."""
        return {each: live for each, live in self.things.items() if self.models[each].meta.section == name}

    @property
    def robots(self) -> "dict[str, LiveRobot]":
        """The robots by name."""
        return self.section("robots")

    @property
    def sensors(self) -> "dict[str, LiveSensor[Any]]":
        """The sensors by name."""
        return self.section("sensors")

    @property
    def devices(self) -> "dict[str, Live[Any]]":
        """The devices by name."""
        return self.section("devices")

    @property
    def controllers(self) -> "dict[str, LiveController]":
        """The controllers by name."""
        return self.section("controllers")

    def __getitem__(self, name: str) -> Any:
        if name not in self.things:
            raise UnknownName("thing", name, self.things)
        return self.things[name]

    def __contains__(self, name: str) -> bool:
        return name in self.things

    def body(self, who: "Who | Live[Any] | LiveRobot") -> world.LiveBody:
        """Return a body of the cell.

        Args:
            who: The body, its name, or a live thing with a body or its name.

        Raises:
            UnknownName: There is no such body.
            WorldError: The live thing has no body.
        """
        if isinstance(who, world.LiveBody):
            return who
        if isinstance(who, str):
            named = getattr(self.things.get(who), "body", None)
            return self.world.body(who) if who in self.world.bodies or named is None else cast(world.LiveBody, named)
        if not hasattr(who, "body"):
            raise WorldError(f"{who!r} is not a body", hint="give a body or its name, such as 'table'")
        if who.body is None:
            raise WorldError(f"{who.name!r} has no body in the world", hint="name a body")
        return who.body

    def standing(self, model: Standing, body: world.LiveBody) -> tuple[world.LiveBody | None, Pose]:
        """Return the carrier of a thing and the thing's pose relative to it; for kinds of things with a body.

        Args:
            model: The thing. With ``on`` it lies on the top of a body, or of what an external axis moves; with
                ``parent`` its pose is relative to that body.
            body: Its body, which has not been added to the world yet.
        """
        if model.on is not None:
            moved = getattr(self.things.get(model.on), "carrier", None)
            carrier = self.body(model.on) if moved is None else cast(world.LiveBody, moved)
            return carrier, laid_on(body, carrier, model.pose)
        return None if model.parent is None else self.body(model.parent), model.pose

    def shared(self, key: object, make: Callable[[], S]) -> S:
        """Return an object that several things of the cell share.

        Args:
            key: The identity of the object.
            make: A function that creates it on first use.
        """
        if key not in self._shared:
            self._shared[key] = make()
        return cast(S, self._shared[key])

    def signal(self, name: str, initial: V, *, unit: str = "") -> Signal[V]:
        """Add a signal: a named value that programs read, write and wait for.

        Args:
            name: A name that no other signal has.
            initial: The value at the start, which determines the type: bool, int, float or str.
            unit: The unit of the values, for reports and plots.

        Raises:
            KernelError: There is a signal with that name, or the initial value has another type.
        """
        made = self.kernel.signal(name, initial, unit=unit)
        self.declared[name] = made
        return made

    def measure(self, name: str, value: float) -> None:
        """Report a figure of your own: ``cell.measure("grip force, N", 12.5)``. A program asks for ``cell`` to use it.

        The last value of each name is in ``result.measures`` and ``result.row()``, in expectations (``expect``), and a
        column in the table of a campaign. Recordings contain all values.

        >>> from drycell import Cell, delay
        >>> cell = Cell("press")
        >>> @cell.program
        ... def press(cell):
        ...     delay(2)
        ...     cell.measure("strokes", 3)
        >>> cell.run().measures
        {'strokes': 3.0}

        Args:
            name: The name of the figure. It must differ from the columns of ``result.row()``.
            value: The value, a finite number.

        Raises:
            FieldError: The name is taken or empty, or the value is not a finite number.
        """
        track = self.record.tracks.named("measures").get(name)
        if track is None:
            self._check_measure(name)
        if not isinstance(value, SupportsFloat) or not math.isfinite(value):
            raise FieldError(
                f"measure {name!r} is {value!r}, which is not a finite number",
                hint="do not report a measure that is not known",
            )
        self.record.tracks.track("measures", name).append(self.kernel.now, float(value))

    def _check_measure(self, name: str) -> None:
        if not name.strip() or not name.isprintable():
            raise FieldError(f"{name!r} is not a name for a measure", hint="write for example 'grip force, N'")
        if name in Result(self.name, self.seed, Outcome("until", 0), self.record).row():
            raise FieldError(f"measure {name!r} has the name of a figure of every result", hint="choose another name")

    def contact(self, a: Who, b: Who) -> Signal[bool]:
        """Return a signal that is true while two bodies, or bodies they carry, touch. It changes at the exact instant.

        Args:
            a: One body, or its name.
            b: The other body, or its name.

        Raises:
            UnknownName: There is no such body.
        """
        return watch_contact(self.world, self.kernel, self.body(a), self.body(b))

    def vary(
        self, who: Who, *, size: float = 0.0, at: Spread = (), angle: Spread = (), law: Law = "uniform"
    ) -> DrawnBody:
        """Draw the size and pose of a body from tolerances. The seed determines the values. A body that lies on another
        stays on it: it is only shifted within that plane and turned about its vertical axis.

        Args:
            who: The body, or its name.
            size: How much each dimension may differ, in metres each way.
            at: How far the body may be displaced, in metres each way: one value, or three for x, y and z.
            angle: How far it may be turned, in radians each way: one value, or three for its axes.
            law: How values are drawn: ``uniform``, or ``normal``, which concentrates around the nominal values.

        Returns:
            The drawn values.

        Raises:
            WorldError: The body already has tolerances, is a link of a robot, or the cell has run.
        """
        return self.add(self.body(who).name, Tolerance(size=size, at=at, angle=angle, law=law))

    def fault(self, signal: "str | Signal[Any]", fault: "str | Thing", /, **fields: Any) -> Any:
        """Add a fault to a sensor or signal, now or before the run: ``cell.fault("eye", "stuck_on", at=12*s)``.

        Several faults on one signal act in the order in which they are added.

        Args:
            signal: The sensor or signal, or its name.
            fault: The kind of fault, such as ``stuck_on``, or a fault object.
            **fields: The fields of the fault.

        Returns:
            The live fault, which shows whether it is active and can be ended.

        Raises:
            UnknownName: There is no such kind of fault, or no such signal.
            FieldError: A field is unknown, missing or invalid.
            KernelError: The cell has already run.
        """
        name = signal if isinstance(signal, str) else signal.name
        if isinstance(fault, str):
            known = self.kinds.under(self.kinds.sections["faults"])
            kind = fault.replace("-", "_").replace(" ", "_")
            if kind not in known:
                raise UnknownName("fault", fault, known)
            takes = {each.name: each for each in fields_of(known[kind])}
            for each in (each for each in fields if each not in takes):
                raise FieldError(f"a fault {kind!r} has no {each!r}", hint=f"its fields are {', '.join(takes)}")
            for each in (each for each, field in takes.items() if field.default is MISSING and each not in fields):
                raise FieldError(f"a fault {kind!r} needs {each!r}", hint=f"write {each}=…")
            return self.add(name, cast(Any, known[kind](**fields)))
        return self.add(name, cast(Any, fault.changed(**fields) if fields else fault))

    def check_collisions(
        self,
        pairs: Iterable[tuple[Who, Who]] | None = None,
        *,
        but: Iterable[Who] = (),
        allow: Iterable[tuple[Who, Who]] = (),
        clearance: float = 0.0,
        clearances: Iterable[tuple[Who, Who, float]] = (),
        cycle: float | None = None,
        stop: bool = False,
    ) -> CollisionMonitor:
        """Check for collisions during the run. Call this once, before the run.

        ``arm`` means that body and all bodies named below it (``arm/forearm``); ``part*`` means all names that match.

        Args:
            pairs: The pairs of bodies to check; by default all pairs.
            but: Bodies that are not checked.
            allow: Pairs that may touch.
            clearance: Pairs closer than this distance in metres are reported as near misses.
            clearances: Other clearances for single pairs: two bodies and a distance in metres.
            cycle: Check only once per cycle, in seconds, and report at every cycle. By default collisions are found at
                the exact instant.
            stop: Whether the run ends at the first collision.

        Returns:
            The collision monitor.

        Raises:
            KernelError: There is already a collision check.
        """
        return self._check_collisions(
            CollisionCheck(
                pairs=None if pairs is None else tuple((_name(a), _name(b)) for a, b in pairs),
                everything_but=tuple(map(_name, but)) or None,
                allowed=tuple((_name(a), _name(b)) for a, b in allow),
                clearance=clearance,
                clearances=tuple((_name(a), _name(b), distance) for a, b, distance in clearances),
                cycle=cycle,
                stop=stop,
            )
        )

    def _check_collisions(self, check: CollisionCheck) -> CollisionMonitor:
        if self.monitor is not None:
            raise KernelError(
                "this cell already has a collision check", hint="call check_collisions once, with all arguments"
            )
        self.monitor = check.build(self)
        self.checks = Checks(collision=check)
        return self.monitor

    @overload
    def program(
        self,
        function: F,
        *,
        name: str | None = None,
        given: Mapping[str, Given] | None = None,
        controller: str | None = None,
        daemon: bool = False,
        priority: int = 0,
    ) -> F: ...
    @overload
    def program(
        self,
        *,
        name: str | None = None,
        given: Mapping[str, Given] | None = None,
        controller: str | None = None,
        daemon: bool = False,
        priority: int = 0,
    ) -> Callable[[F], F]: ...

    def program(
        self,
        function: F | None = None,
        *,
        name: str | None = None,
        given: Mapping[str, Given] | None = None,
        controller: str | None = None,
        daemon: bool = False,
        priority: int = 0,
    ) -> F | Callable[[F], F]:
        """Make a function a program of the cell: ``@cell.program`` or ``@cell.program(name="tend")``.

        The function's parameters are filled by name, with the cell's robots, bodies, workpoints, devices and signals. A
        program on a controller gets the lines of the controller as ``io``, its ``robot``, and bodies and workpoints.

        Args:
            function: The function.
            name: The name of the program; by default the name of the function.
            given: Values for parameters, by name.
            controller: The name of the controller that the program runs on.
            daemon: Whether the run may end while the program still runs.
            priority: If several programs are due at the same instant, the one with the highest priority runs first.

        Raises:
            UnknownName: There is no such controller.
            KernelError: There is a program with that name.
        """

        def enter(chosen: F) -> F:
            if controller is not None and controller not in self.controllers:
                raise UnknownName("controller", controller, self.controllers)
            made = LiveProgram(chosen, given=given, controller=controller, daemon=daemon, priority=priority)
            self.start(name or chosen.__name__, made)
            return chosen

        return enter if function is None else enter(function)

    def start(self, name: str, program: LiveProgram) -> LiveProgram:
        """Add a program that starts with the run. For a function, use ``@cell.program``.

        Args:
            name: The name of the program.
            program: The program.

        Raises:
            KernelError: There is a program with that name.
        """
        if name in self.programs:
            raise KernelError(f"there is already a program {name!r}", hint="give it another name")
        self.programs[name] = program
        return program

    def offered(self) -> dict[str, object]:
        """Return the objects that programs can request by name; characters other than letters and digits become _."""
        things: dict[str, object] = {"cell": self}
        live = {name: each for name, each in self.things.items() if self.models[name].meta.section != "controllers"}
        groups: tuple[Mapping[str, object], ...] = (
            self.world.bodies,
            self.kernel.signals,
            self.world.workpoints,
            live,
        )
        for group in groups:
            for name, thing in group.items():
                things[plain_name(name)] = thing
        return things

    # ---------------------------------------------------------------- from outside

    def post(self, values: Mapping[str, Value], *, who: str = OUTSIDE) -> bool:
        """Set signals from outside while the cell runs, from any thread, such as that of a PLC, a panel or a test.

        All values are set in one step, at the end of the current instant (before the run: of the first instant). The
        journal reports a ``post``, and recordings contain it, so ``drycell replay`` repeats the run without the sender.

        >>> from drycell import Cell, wait
        >>> cell = Cell("press")
        >>> start, recipe = cell.signal("plc.start", False), cell.signal("plc.recipe", 0)
        >>> @cell.program
        ... def press():
        ...     wait(start)
        >>> cell.post({"plc.start": True, "plc.recipe": 3}, who="plc")
        True
        >>> cell.run().ending, recipe.value
        ('finished', 3)

        Args:
            values: The new values, by signal.
            who: The sender, as the journal names it.

        Returns:
            Whether the request was accepted; False when the run is over.

        Raises:
            UnknownName: There is no such signal.
            KernelError: A value does not have the type of its signal.
        """
        self.kernel.set_signals(values, who)
        return not self.kernel.processes.closed

    def request(self, what: str, arguments: Mapping[str, Any], *, who: str = OUTSIDE, done: Done | None = None) -> None:
        """Send a named request with plain data, otherwise like :meth:`post`.

        Args:
            what: The request: ``set``, or one that kinds of things offer, such as ``force``.
            arguments: The arguments of the request, as plain JSON data.
            who: The sender, as the journal names it.
            done: A function that is called on the cell's thread when the request was executed, with the error if it was
                refused. It must not change anything.
        """
        self._learn_requests()
        self.kernel.request(what, arguments, who, done=done)

    def request_before(self, what: str, arguments: Mapping[str, Any], *, who: str = OUTSIDE) -> None:
        """Execute a request immediately, before the run. Raises the error if the request is refused.

        Args:
            what: The request, as for :meth:`request`.
            arguments: The arguments of the request, as plain JSON data.
            who: The sender, as the journal names it.
        """
        self._learn_requests()
        refused = self.kernel.do_before(what, arguments, who)
        if refused is not None:
            raise refused

    def play(self, rows: Iterable[TapeRow]) -> None:
        """Repeat the requests of a recorded run in this cell, without a pace and without the senders.

        Call it before the run, on a newly built cell.

        Args:
            rows: The requests: the ``inputs`` of the recording.
        """
        self._learn_requests()
        self.kernel.play(rows)

    def _learn_requests(self) -> None:
        """Load the requests that kinds of things offer. Done on first use, because it loads all kinds."""
        if not self._requests_known:
            for base in self.kinds.sections.values():
                offered: Callable[[Cell], dict[str, Request]] | None = getattr(base, "requests", None)
                if offered is not None:
                    self.kernel.requests.update(offered(self))
            self._requests_known = True

    # ---------------------------------------------------------------- running

    def run(
        self,
        until: float | None = None,
        *,
        pace: Pace | float | None = None,
        journal: str | Path | None = None,
        record: str | Path | None = None,
        source: "CellSource | None" = None,
        keep: bool = True,
    ) -> Result:
        """Run the programs until they end, or until a cell time. A cell runs once.

        Args:
            until: The cell time at which the run ends, in seconds; by default that of the cell file, or no limit.
            pace: Seconds of cell time per second of real time, or a :class:`~drycell.kernel.Pace`. By default that of
                the cell file, or as fast as possible.
            journal: A file to which the journal is written.
            record: A file to which the recording is written, for ``drycell replay`` and the studio.
            source: The files that the cell was loaded from, which are noted in the recording.
            keep: Whether the whole past stays available: poses, signals and the journal. With False, only the data for
                the figures of the result is kept.

        Returns:
            The result: how the run ended, collisions, parts, cycle times.

        Raises:
            KernelError: The cell has already run.
            ProgramError: A program raised an exception that is not a drycell error; drycell errors are raised
                unchanged.
        """
        from drycell.cell.running import run

        return run(self, until, pace=pace, journal=journal, record=record, source=source, keep=keep)

    def save(self, path: str | Path) -> None:
        """Write the cell, as it was built, to a cell file that builds the same cell. Call it before the run.

        Args:
            path: The cell file, or a folder for a ``cell.yaml``.

        Raises:
            WriteError: The file cannot be written.
        """
        for base in self.kinds.sections.values():
            check: Callable[[Cell], None] | None = getattr(base, "check_savable", None)
            if check is not None:
                check(self)
        self.model.save(path)


def _nothing() -> None:
    """Stands in for a program that another file replaces."""


def plain_name(name: str) -> str:
    """Return a name as a parameter: characters other than letters and digits become _."""
    return "".join(character if character.isalnum() else "_" for character in name)


def _name(who: Who) -> str:
    return who if isinstance(who, str) else who.name


class _placing:  # noqa: N801  # a context manager
    """Add the position in the file to errors raised inside the block."""

    def __init__(self, model: Model, entry: ModelEntry) -> None:
        self._model, self._entry = model, entry

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, DrycellError) and not isinstance(error, CellFileError):
            thing = self._entry.thing if self._entry.thing.meta.section and not self._entry.nested else None
            raise self._model.error(self._entry.path, error, thing) from error


def _dress(thing: Thing, live: Any) -> None:
    """Give the body of a live thing the look that its model describes. The look is made when it is first drawn."""
    body = live if isinstance(live, world.LiveBody) else getattr(live, "body", None)
    if isinstance(thing, PlacedThing) and isinstance(body, world.LiveBody) and body.look is None:
        body.look = cache(thing.look)
