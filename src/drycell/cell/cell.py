"""Cell: bodies, robots, signals, programs and checks composed into one thing that runs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

from drycell.cell.devices.control_verbs import ControlVerbs
from drycell.cell.devices.effector_verbs import EffectorVerbs
from drycell.cell.placing import Place, laid_on, place_of, top_of
from drycell.cell.program import Function, Given, Program
from drycell.cell.result import Result
from drycell.cell.tolerances import Nominal, Varied, vary
from drycell.devices import Device, Ledger
from drycell.errors import KernelError, WorldError
from drycell.kernel import Chooser, Kernel, Pace, Signal, seconds, ticks
from drycell.kernel.signal import V
from drycell.kernel.verbs import CLOCK
from drycell.robots import Controller, Gripper, HandlingRobot, Mechanism, load_robot
from drycell.spatial import IDENTITY, Pose
from drycell.world import (
    Body,
    CrashMonitor,
    Drawn,
    Gravity,
    Law,
    Scene,
    Spread,
    Who,
    Workpoint,
    World,
    watch_contact,
)

if TYPE_CHECKING:
    from drycell.cell.source import Source
    from drycell.geometry import Shape
    from drycell.sensors.fault import Fault, FaultFields
    from drycell.sensors.faults import Disturbance
    from drycell.sensors.lookout import Lookout
    from drycell.sensors.model import SensorModel
    from drycell.sensors.sensor import Sensor

F = TypeVar("F", bound=Function)
Model = str | Mechanism


class Cell(ControlVerbs, EffectorVerbs):
    """One robot cell with its clock. Build it, run it once; a further run takes a cell built anew."""

    def __init__(self, name: str = "cell", *, seed: int = 0, chooser: Chooser | None = None) -> None:
        self.name = name
        self.kernel = Kernel(seed, chooser)
        self.world = World(self.kernel)
        self.scene = Scene(self.world)
        self.gravity = Gravity(self.kernel, self.scene)
        self.ledger = Ledger(self.kernel, self.world, self.gravity)
        self.added: list[Body] = []
        self.declared: dict[str, Signal[Any]] = {}
        self.robots: dict[str, HandlingRobot] = {}
        self.sensors: dict[str, Sensor[Any]] = {}
        self.devices: dict[str, Device] = {}
        self.controllers = {}
        self._scorbots = {}
        self.models: dict[str, tuple[Model, Model | None]] = {}  # of each robot and its gripper
        self.programs: dict[str, Program] = {}
        self.faults: list[Disturbance] = []
        self.monitor: CrashMonitor | None = None
        self.varied: dict[Body, Varied] = {}
        self.nominals: dict[Body, Nominal] = {}  # of what tolerances have changed
        # How the cell is run when nothing else is asked for: seconds, and times real time.
        self.until: float | None = None
        self.pace: float | None = None
        self.ran = False

    @property
    def seed(self) -> int:
        """What all random streams of the run derive from."""
        return self.kernel.seed

    @property
    def time(self) -> float:
        """Cell time now, in seconds."""
        self.kernel.note_read(CLOCK)
        return seconds(self.kernel.now)

    # ---------------------------------------------------------------- building

    def add(
        self,
        body: Body,
        *,
        on: Who | Device | None = None,
        at: Place = IDENTITY,
        parent: Who | Device | None = None,
        fixed: bool | None = None,
    ) -> Body:
        """Brings a body into the cell.

        ``on`` lays it on the top of another body, where it is a loose part that can be grasped (``fixed=True`` screws
        it down instead); ``at`` is then seen from the middle of that top. Otherwise ``at`` is seen from ``parent`` (or
        the world), and the body stays there.
        """
        carrier, pose = self._body(parent), place_of(at)
        if on is not None:
            carrier = self.body(on)
            pose = laid_on(body, carrier, pose)
        body.part = (on is not None) if fixed is None else not fixed
        self.added.append(self.world.add(body, carrier, pose))
        return body

    def add_robot(
        self,
        model: Model,
        *,
        name: str = "arm",
        at: Place = IDENTITY,
        on: Who | Device | None = None,
        parent: Who | Device | None = None,
        gripper: Model | None = None,
        controller: Controller | None = None,
        joints: Sequence[float] | None = None,
        tool: Pose | None = None,
    ) -> HandlingRobot:
        """Sets up a robot of the library, or of your own data, with a gripper if it is to have one.

        It stands at a place in the world, ``on`` the top of a body, or fixed to a ``parent``.
        """
        if name in self.robots:
            raise WorldError(f"there is already a robot {name!r}", hint="give each a name: cell.add_robot(…, name=…)")
        mechanism = load_robot(model) if isinstance(model, str) else model
        carrier, pose = self._body(parent), place_of(at)
        if on is not None:
            carrier = self.body(on)
            pose = top_of(carrier) @ pose
        robot = HandlingRobot(
            self.kernel,
            self.world,
            name,
            mechanism,
            on=carrier,
            at=pose,
            controller=controller,
            joints=joints,
        )
        if gripper is not None:
            fingers = load_robot(gripper) if isinstance(gripper, str) else gripper
            held = Gripper(self.kernel, self.world, self.gravity, f"{name}/gripper", fingers, robot.flange)
            robot.mount(held)
        if tool is not None:
            robot.tool = tool
        self.robots[name] = robot
        self.models[name] = (model, gripper)
        return robot

    def _body(self, who: Who | Device | None) -> Body | None:
        return None if who is None else self.body(who)

    def vary(
        self, who: Who, *, size: float = 0.0, at: Spread = 0.0, angle: Spread = 0.0, law: Law = "uniform"
    ) -> Drawn:
        """Gives a body tolerances, and draws it from them: another instance for every seed, the same for the same.

        ``size`` is how much each of its dimensions may differ, each way; ``at`` how far it may be off along x, y and z
        of what carries it, and ``angle`` how far turned about its own axes: one value, or three. What lies on another
        body is shifted and turned within that plane by a single value, and keeps lying there. With ``law="normal"``
        values crowd about the nominal ones; none is ever beyond its tolerance. Returns what came out.
        """
        return vary(self, self.body(who), size, at, angle, law)

    def workpoint(self, name: str, on: Who | Device | None = None, at: Place = IDENTITY) -> Workpoint:
        """A named frame that a tool can be brought to; it moves with the body it is on."""
        return self.world.add_workpoint(name, self._body(on), place_of(at))

    def signal(self, name: str, initial: V, *, unit: str = "") -> Signal[V]:
        """A named value that programs read, write and wait for."""
        made = self.kernel.signal(name, initial, unit=unit)
        self.declared[name] = made
        return made

    def contact(self, a: Who, b: Who) -> Signal[bool]:
        """Whether two bodies, or what they carry, touch: a signal that changes at the very instant they do."""
        return watch_contact(self.world, self.kernel, self.body(a), self.body(b))

    def add_sensor(
        self,
        model: "str | Path | SensorModel",
        *,
        name: str | None = None,
        on: Who | Device | None = None,
        at: Place = IDENTITY,
        shape: "Shape | None" = None,
        ignore: Iterable[Who] = (),
        active: bool = True,
        faults: "Iterable[str | Fault]" = (),
        skip: bool = True,
        **changes: Any,
    ) -> "Sensor[Any]":
        """Mounts a sensor of the library, of a file or of your own data ``on`` a body, ``at`` a place seen from it.

        It looks along its own z axis, and is the signal it publishes. ``changes`` are fields of the model that differ
        here: ``every=20*ms``. It never sees its own ``shape``, nor what it is mounted on, nor what it is told to
        ``ignore``: bodies, or names, with patterns and all that is named below them. With ``skip=False`` it looks at
        every sample, even where nothing can have changed.
        """
        from drycell.cell.mounting import mount_sensor

        sensor = mount_sensor(self, model, name, self._body(on), place_of(at), shape, ignore, active, skip, changes)
        for fault in faults:
            self.fault(sensor, fault)
        return sensor

    @cached_property
    def lookout(self) -> "Lookout":
        """Until when nothing that the cell's sensors see can change."""
        from drycell.sensors.lookout import Lookout

        return Lookout(self.scene)

    def check_crashes(
        self,
        pairs: Iterable[tuple[Who, Who]] | None = None,
        *,
        but: Iterable[Who] = (),
        allow: Iterable[tuple[Who, Who]] = (),
        near_miss: float = 0.0,
        near_misses: Iterable[tuple[Who, Who, float]] = (),
        cycle: float | None = None,
        stop: bool = False,
    ) -> CrashMonitor:
        """Watches for crashes: of everything with everything ``but`` some bodies, or of named pairs only.

        ``arm`` stands for that body and all named below it (``arm/forearm``), ``part*`` for all that match. Pairs that
        may touch are ``allow``-ed. Pairs nearer than ``near_miss`` are reported, too. With a ``cycle`` pairs are looked
        at once a cycle and reported each time; ``stop`` ends the run at the first crash.
        """
        if self.monitor is not None:
            raise KernelError(
                "this cell is checked for crashes already", hint="call check_crashes once, with everything"
            )
        self.monitor = CrashMonitor(
            self.world,
            self.kernel,
            pairs=pairs,
            but=but,
            allow=allow,
            near_miss=near_miss,
            near_misses=near_misses,
            cycle=None if cycle is None else ticks(cycle),
            stop=stop,
        )
        return self.monitor

    def fault(self, signal: str | Signal[Any], fault: "str | Fault", **fields: "Unpack[FaultFields]") -> "Disturbance":
        """Puts a fault on a sensor or signal, now or before the run: ``cell.fault("eye", "stuck_on", at=12*s)``.

        The kind is ``stuck_on``, ``stuck_off``, ``stuck``, ``drift``, ``dropout``, ``spike``, ``late`` or ``swapped``;
        what else there is to say about it, see :class:`~drycell.sensors.fault.Fault`. Several on one signal act in the
        order in which they are given. Returns what can be asked whether it is in force, and ended.
        """
        from drycell.cell.faults import put_fault
        from drycell.sensors.fault import Fault

        return put_fault(self, signal, Fault(fault, **fields) if isinstance(fault, str) else replace(fault, **fields))

    @overload
    def program(self, function: F) -> F: ...
    @overload
    def program(
        self, *, name: str | None = None, controller: str | None = None, daemon: bool = False, priority: int = 0
    ) -> Callable[[F], F]: ...

    def program(
        self,
        function: F | None = None,
        *,
        name: str | None = None,
        controller: str | None = None,
        daemon: bool = False,
        priority: int = 0,
    ) -> F | Callable[[F], F]:
        """Makes a function a program of the cell; as ``@cell.program`` or ``@cell.program(name="tend")``.

        Its parameters are filled by name with the cell's robots, bodies, workpoints and signals; one that runs on a
        ``controller`` gets that one's lines, as ``io``, its ``robot``, bodies and workpoints.
        """

        def enter(given: F) -> F:
            called = name or given.__name__
            self.add_program(called, given, controller=controller, daemon=daemon, priority=priority)
            return given

        return enter if function is None else enter(function)

    def add_program(
        self,
        name: str,
        function: Function,
        *,
        given: Mapping[str, Given] | None = None,
        controller: str | None = None,
        daemon: bool = False,
        priority: int = 0,
    ) -> None:
        """Makes a function a program; ``given`` are values for its parameters, a daemon does not keep the run alive."""
        if name in self.programs:
            raise KernelError(f"there is already a program {name!r}", hint="give it another name")
        if controller is not None:
            self.controller(controller)
        self.programs[name] = Program(function, given or {}, daemon, priority, controller)

    def offered(self) -> dict[str, object]:
        """What programs can ask for by name: names with signs other than letters are written with _ instead."""
        things: dict[str, object] = {"cell": self}
        groups = (self.world.bodies, self.kernel.signals, self.world.workpoints, self.robots, self.devices)
        for group in groups:
            for name, thing in group.items():
                things["".join(sign if sign.isalnum() else "_" for sign in name)] = thing
        return things

    # ---------------------------------------------------------------- running

    def run(
        self,
        until: float | None = None,
        *,
        pace: Pace | float | None = None,
        journal: str | Path | None = None,
        record: str | Path | None = None,
        source: "Source | None" = None,
    ) -> Result:
        """Lets the programs run until they end, or until a cell time in seconds; returns what happened."""
        from drycell.cell.run import run

        return run(self, until, pace=pace, journal=journal, record=record, source=source)

    def save(self, path: str | Path) -> None:
        """Writes the cell as it was built to a cell file that builds the same cell; do it before the run."""
        from drycell.cell.description import save

        save(self, path)
