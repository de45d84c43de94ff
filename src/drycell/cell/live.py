"""Things of a cell: a model with a pose and signals, and the live thing built from it for a run. A kind of thing is two
classes in one file: the model, a frozen dataclass that describes it, and the live class with its behaviour::

    class Press(Device, kind="press"):
        \"\"\"Works on a part for some time.\"\"\"

        takes: Duration
        \"\"\"How long a stroke takes.\"\"\"

        def signals(self) -> tuple[str, ...]:
            return ("running", "ready")

        def build(self, cell: Cell, name: str) -> "LivePress":
            return LivePress(cell, name, self)
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Generic, Protocol, Self, TypeVar, cast

from drycell.base import Pose, Problem, Quantity, Ref, Roles, Rpy, Several, Thing, Type, WorldError
from drycell.kernel import Rank, Signal, Timer, V, ticks
from drycell.world import LiveBody

if TYPE_CHECKING:
    from drycell.base import Describer, Kinds, Node, Path, Plain, Reader
    from drycell.cell.cell import Cell
    from drycell.geometry import Shape
    from drycell.looks import Look

L = TypeVar("L", covariant=True)
M = TypeVar("M", bound="Thing")


class Stage:
    """The order in which things are built: lower stages first."""

    BODIES: Final = 0
    ROBOTS: Final = 1
    MOUNTED: Final = 2
    """Devices and sensors, each after its carrier."""
    TOLERANCES: Final = 3
    POINTS: Final = 4
    SIGNALS: Final = 5
    WIRED: Final = 6
    """Devices that need other devices, sensors and signals to exist."""
    CONTROLLERS: Final = 7
    FAULTS: Final = 8
    PROGRAMS: Final = 9


class Builds(Protocol[L]):
    """A model from which a live thing can be built."""

    def build(self, cell: "Cell", name: str) -> L:
        """Build the live thing.

        Args:
            cell: The cell to add it to.
            name: Its name, which no other thing in the cell has.
        """


@dataclass(frozen=True)
class _Place(Type):
    """A position of two or three lengths; in Python, a whole pose is also accepted."""

    lengths: ClassVar = Several((Quantity("length"),) * 3, "[100 mm, 50 mm, 0 mm]", fill=0.0)

    def read(self, node: "Node", path: "Path", reader: "Reader") -> Any:
        """Read a list of lengths."""
        return self.lengths.read(node, path, reader)

    def check(self, value: Any) -> Any:
        """Return a pose unchanged, or check lengths."""
        return value if isinstance(value, Pose) else self.lengths.check(value)

    def write(self, value: Sequence[float]) -> "Plain":
        """A list of lengths."""
        return self.lengths.write(value)

    def schema(self, describer: "Describer") -> dict[str, Any]:
        """A list of lengths."""
        return self.lengths.schema(describer)

    def part(self, step: str | int, kinds: "Kinds") -> Type | None:
        """A length."""
        return self.lengths.part(step, kinds)


Place = Annotated[Sequence[float] | Pose, _Place()]
BodyRef = Annotated[str, Ref("body")]
SignalRef = Annotated[str, Ref("signal", needed=False)]


class PlacedThing(Thing):
    """A thing with a place in the cell."""

    at: Place = (0.0, 0.0, 0.0)
    """Position, relative to what carries it, or to the world."""
    rpy: Rpy = (0.0, 0.0, 0.0)
    """Rotation: roll, pitch and yaw about fixed axes."""

    @property
    def pose(self) -> Pose:
        """Position and rotation as a pose."""
        return self.at if isinstance(self.at, Pose) else Pose.of_rpy(*self.rpy, at=self.at)

    def look(self) -> "Look | None":
        """Return what its body looks like; None: plain, made from its shape. Override this.

        A look is visual only: sensors and collision checks use the shape.
        """
        return None

    def as_written(self) -> Self:
        """Return the thing with its pose split into position and rotation."""
        if not isinstance(self.at, Pose):
            return self
        # Adding zero makes a -0.0 a plain 0.0.
        at, rpy = (tuple(value + 0.0 for value in each) for each in (self.at.position, self.at.rpy))
        return self.changed(at=at, rpy=rpy)


class Standing(PlacedThing):
    """A thing that stands on another or is fixed to it."""

    on: BodyRef | None = None
    """The body it stands on; ``at`` is then relative to the middle of that body's top."""
    parent: BodyRef | None = None
    """The body or robot link it is fixed to; ``at`` is then relative to its origin."""

    def problems(self) -> Iterable[Problem]:
        """Yield a problem if both ``on`` and ``parent`` are given."""
        if self.on is not None and self.parent is not None:
            hint = "'on' places it on top, 'parent' places it relative to the origin of the other: keep one"
            yield Problem(("on",), "'on' and 'parent' cannot both be given", hint)


class Device(Standing, noun="device", section="devices", stage=Stage.MOUNTED):
    """A state machine with signals, often with a body. Subclass it with a ``kind`` and a ``build`` method.

    >>> from drycell import Cell, Device, Live
    >>> class Lamp(Device, kind="lamp"):
    ...     def build(self, cell, name):
    ...         return LiveLamp(cell, name, self)
    >>> class LiveLamp(Live[Lamp]):
    ...     def __init__(self, cell, name, model):
    ...         super().__init__(cell, name, model)
    ...         self.on = self.signal("on", False)
    >>> Cell().add("lamp1", Lamp()).on
    <Signal lamp1.on = False>
    """

    has_body: ClassVar[bool] = True
    """Whether it is a body in the world, so that others can stand on it."""

    def signals(self) -> Iterable[str]:
        """Return the names of its signals: ``ready`` of a device ``press1`` becomes ``press1.ready``. Override this."""
        return ()

    def offers(self, name: str) -> Roles:
        """Return the device, its signals and, if it has a body, the bodies below it."""
        signals = {f"{name}.{each}": ("signal",) for each in self.signals()}
        # A derived kind can be used wherever its base kind can.
        kinds = [each.meta.kind for each in type(self).__mro__ if issubclass(each, Thing) and each.meta.kind]
        if not self.has_body:
            return {name: (*kinds, "device"), **signals}
        return {name: (*kinds, "device", "body"), f"{name}/": ("body",), **signals}


class Live(Generic[M]):
    """A thing in a run. Subclasses set ``body`` if it has one, and ``points`` if it offers workpoints.

    >>> from drycell import Cell, Device, Live
    >>> class Counter(Device, kind="counter"):
    ...     def build(self, cell, name):
    ...         return LiveCounter(cell, name, self)
    >>> class LiveCounter(Live[Counter]):
    ...     def tick(self):
    ...         self.note("ticks")
    >>> cell = Cell()
    >>> counter = cell.add("counter1", Counter())
    >>> _ = counter.later(2.0, counter.tick)
    >>> cell.run(until=3).duration
    3.0

    Args:
        cell: The cell that it is in.
        name: Its name.
        model: The model from which it was built.
    """

    body: LiveBody | None = None
    points: tuple[str, ...] = ()
    """Names of the workpoints it offers."""

    def __init__(self, cell: "Cell", name: str, model: M) -> None:
        self.cell, self.name, self.model = cell, name, model

    def complete(self) -> None:
        """Complete the setup when everything in the same stage exists, so that signals can refer to each other."""

    def stand(self, shape: "Shape", material: str = "steel") -> LiveBody:
        """Add its body at the pose given by its model.

        Args:
            shape: The shape of the body.
            material: The name of its material; ``steel`` by default.

        Returns:
            The body.
        """
        body = LiveBody(self.name, shape, material=material)
        self.body = self.cell.world.add(body, *self.cell.standing(cast(Standing, self.model), body))
        return self.body

    def signal(self, name: str, initial: V, *, unit: str = "") -> Signal[V]:
        """Add a signal of the thing. A signal ``ready`` of ``press1`` is called ``press1.ready``.

        Args:
            name: The last part of the signal's name.
            initial: The value at the start, which determines the type: bool, int, float or str.
            unit: The unit of the values, for reports and plots.

        Raises:
            KernelError: There is a signal with that name.
        """
        return self.cell.kernel.signal(f"{self.name}.{name}", initial, unit=unit)

    def enter(self, state: str) -> None:
        """Enter a state. Utilisation is computed from the states, not from the signals.

        Call it before setting the signals that show the state.

        Args:
            state: The new state. In ``idle`` and ``broken`` the thing is not in use; in all other states it is. A cycle
                is complete when ``working`` ends other than by ``broken``.
        """
        if state != self.state:
            self.cell.kernel.tracks.track("states", self.name).append(self.cell.kernel.now, state)

    @property
    def state(self) -> str:
        """The last state it entered; empty if there was none."""
        entered = self.cell.kernel.tracks.track("states", self.name)
        return entered.values[-1] if entered else ""

    def later(self, seconds: float, action: Callable[[], object]) -> Timer:
        """Call a function after some time.

        Args:
            seconds: The time from now, in seconds of cell time.
            action: The function, which is called without arguments and must not block.

        Returns:
            The timer, which can be cancelled.
        """
        kernel = self.cell.kernel
        return kernel.at(kernel.now + ticks(seconds), action, Rank.DEVICE, self.name)

    def note(self, event: str, **fields: object) -> None:
        """Write an event about the thing to the journal.

        Args:
            event: The name of the event.
            **fields: The details for the journal, by name.
        """
        self.cell.kernel.journal.write(event, self.name, **fields)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


def laid_on(body: LiveBody, support: LiveBody, at: Pose) -> Pose:
    """The pose, relative to ``support``, of a body that lies on its top; ``at`` is relative to the middle of that top.

    Top and bottom refer to the bounding boxes in the bodies' own frames.
    """
    if body.shape is None:
        raise WorldError(f"{body.name!r} has no shape, so it cannot lie on anything", hint="place it with `at` alone")
    return top_of(support) @ at @ Pose(0.0, 0.0, -body.shape.bounds[0][2])


def top_of(support: LiveBody) -> Pose:
    """The middle of a body's top, relative to the body."""
    if support.shape is None:
        raise WorldError(f"{support.name!r} has no shape, so nothing can stand on it", hint="place it with `at` alone")
    lower, upper = support.shape.bounds
    return Pose((lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2, upper[2])
