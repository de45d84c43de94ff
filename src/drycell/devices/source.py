"""Sources: devices that bring parts of several kinds into the cell, at fixed or random intervals.

A part waits until there is space for it: at the entrance of a belt, or at its place on a body.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal, cast, get_args

from drycell.base import (
    Count,
    Factor,
    FieldError,
    FileName,
    Many,
    Mass,
    Name,
    Pose,
    Problem,
    Quantity,
    Shortened,
    Table,
    Thing,
    Vector,
    Wait,
    WorldError,
    format_time,
    type_of,
    within,
)
from drycell.cell import Cell, Device, Live, Material, Stage, StateNames, Tangle, check_states
from drycell.devices.belt import footprint_of
from drycell.devices.conveyor import LiveConveyor
from drycell.devices.sink_record import Sunk, SunkPart, read_sunk
from drycell.geometry import TOUCH, Shape, ShapeModel
from drycell.kernel import DeviceOutput, Kernel, Rank, Timer, ticks
from drycell.world import (
    ALWAYS,
    ContactSearch,
    LiveBody,
    PartGrasp,
    PartTracking,
    Rest,
    Scene,
    Segment,
    checked_grasps,
    lineage,
    rests_from,
)

Law = Literal["interval", "uniform", "exponential", "normal"]


@dataclass(frozen=True, slots=True)
class Every:
    """The time between two parts, in seconds.

    With the law ``interval``, one time is fixed; two times are the limits of an interval that ``drycell verify``
    searches completely. The other laws are random: ``uniform`` between two times, ``exponential`` with a mean, and
    ``normal`` with a mean and ``sigma``; values below ``least`` are drawn again.
    """

    times: tuple[float, ...]
    law: Law = "interval"
    sigma: float = 0.0
    least: float = 0.0

    def __post_init__(self) -> None:
        shown = " and ".join(format_time(each) for each in self.times)
        if self.law not in get_args(Law):
            raise FieldError(f"{self.law!r} is not a law of intervals", hint=f"choose {', '.join(get_args(Law))}")
        wanted = {"interval": (1, 2), "uniform": (2,), "exponential": (1,), "normal": (1,)}[self.law]
        if len(self.times) not in wanted:
            count = " or ".join(map(str, wanted))
            raise FieldError(
                f"the law {self.law!r} needs {count} time{'s' * (wanted != (1,))}, not {len(self.times)}",
                hint="give two times as limits, or one as a mean or a fixed interval",
            )
        if not all(0.0 <= each < math.inf for each in self.times) or self.times[-1] <= 0.0:
            raise FieldError(
                f"the time between two arrivals must be above 0 s, not {shown}", hint="give a time such as 10 s"
            )
        if self.times[0] > self.times[-1]:
            raise FieldError(f"the limits {shown} are in the wrong order", hint="give the lower one first")
        if (self.sigma > 0.0) != (self.law == "normal") or not 0.0 <= self.sigma < math.inf:
            raise FieldError(
                f"'sigma' of {format_time(self.sigma)} does not suit the law {self.law!r}",
                hint="a normal law needs a sigma above 0 s; other laws have none",
            )
        if self.law == "normal" and not 0.0 <= self.least <= self.times[0]:
            raise FieldError(
                f"a normal law cannot have values of at least {format_time(self.least)} with a mean of {shown}",
                hint="give 'least' between 0 s and the mean",
            )

    def draw(self, kernel: Kernel, owner: str) -> float:
        """Draw the next interval in seconds, from the owner's random stream or, for two limits, by the chooser."""
        low, high = self.times[0], self.times[-1]
        if self.law == "interval":
            return low if len(self.times) == 1 else kernel.interval(f"{owner}.interval", low, high)
        stream = kernel.random(owner)
        if self.law == "uniform":
            return stream.uniform(low, high)
        if self.law == "exponential":
            return stream.expovariate(1.0 / low)
        while True:  # at least half of all draws exceed the mean, which exceeds the least value
            value = stream.normalvariate(low, self.sigma)
            if value >= self.least:
                return value


_HORIZON: Final = 1_000_000  # ticks of one search
_TOUCHING: Final = 1e-6  # metres: a body that overlaps the space by less than this only touches it


class Vacancy:
    """The space for a part on a body: runs an action at the instant at which the space is free."""

    def __init__(self, kernel: Kernel, scene: Scene, tracking: PartTracking, name: str, support: LiveBody) -> None:
        self._kernel, self._scene, self._tracking, self._name = kernel, scene, tracking, name
        self._support = support
        self._ahead = ContactSearch(scene.world)
        self._place: LiveBody | None = None
        self._action: Callable[[], None] | None = None
        self._timer: Timer | None = None
        self._blocking: list[LiveBody] = []
        scene.world.subscribe(self._changed)

    def admit(self, shape: Shape, local: Pose, action: Callable[[], None]) -> bool:
        """Run an action as soon as a space is free. Only one action can wait at a time.

        Args:
            shape: the shape of the part.
            local: its pose relative to the support.
            action: puts the part there.

        Returns:
            Whether the action was run at once.
        """
        # A body with a pose that is not part of the world.
        self._place = LiveBody(f"{self._name}.place", shape)
        self._place.history.append(ALWAYS, Segment(ALWAYS, self._support, Rest(local)))
        self._action = action
        self._look()
        return self._place is None

    def _look(self) -> None:
        self._cancel()
        place, action = self._place, self._action
        if place is None or place.shape is None or action is None:
            return
        now = self._kernel.now
        touches = self._scene.inside(place.shape, self._scene.world.pose(place), ignore=[self._support])
        self._blocking = [touch.body for touch in touches if touch.distance < -_TOUCHING]
        if not self._blocking:
            self._place = self._action = None
            action()
            return
        when = self._ahead.last([(place, each) for each in self._blocking], now, now + _HORIZON, TOUCH)
        if when is not None:
            self._look_at(max(when, now + 1))
        elif any(rests_from(each) > now + _HORIZON for each in self._blocking):
            self._look_at(now + _HORIZON)

    def _changed(self, body: LiveBody) -> None:
        """React to a changed motion of a body that may have blocked the space."""
        now = self._kernel.now
        for each in self._blocking:
            if body is each or (each.exists(now) and body in lineage(each, now)):
                self._look_at(now)
                return

    def _look_at(self, when: int) -> None:
        if self._timer is None or self._timer.time != when or not self._timer.alive:
            self._cancel()
            writes = self._tracking.may_change()
            self._timer = self._kernel.at(when, self._look, Rank.DEVICE, self._name, writes=writes)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class PartKind(Thing, kw_only=False):
    """A kind of part that a source brings into the cell."""

    shape: ShapeModel
    """Geometry of the part."""
    material: Material = "plastic"
    """Material of the part."""
    weight: Factor = 1.0
    """Relative frequency: a kind with weight 2 arrives twice as often as one with weight 1."""
    mass: Mass | None = None
    """Mass of the part; by default its volume times the density of the material."""
    grasps: dict[Name, PartGrasp] | None = None
    """How it is grasped in its stable states, by the name of the state. By default it is computed."""
    tangle: Tangle = 0.0
    """Probability that it stays where it falls although it overlaps others: about 0 for balls, 1 for coil springs."""
    states: StateNames | None = None
    """Names of its stable states, each with the direction of its own frame that points down."""


@dataclass(frozen=True)
class _Kinds(Table):
    """Kinds of parts by name. In Python, a kind can be a shape; a single kind without a name is called ``part``."""

    def check(self, value: Any) -> dict[Any, Any]:
        """The kinds by name."""
        return super().check(value if isinstance(value, Mapping) else {"part": value})


Kinds = Annotated[
    Mapping[str, PartKind | ShapeModel] | PartKind | ShapeModel, _Kinds(type_of(Name), Shortened(PartKind))
]
Times = Annotated[float | Sequence[float], Many(Quantity("time", least=0.0), single=True)]


class Arrivals(Device):
    """When parts arrive: at intervals, or at the times at which a sink took them in another run."""

    every: Times | None = None
    """Time between two parts: one value, or two limits."""
    law: Law = "interval"
    """How the time is chosen: ``interval`` uses a fixed time or any time between two limits; the others are random."""
    sigma: Wait = 0.0
    """Standard deviation of a normal law."""
    least: Wait = 0.0
    """Values of a normal law below this are drawn again."""
    first: Wait = 0.0
    """Time of the first part."""
    limit: Count | None = None
    """Number of parts; unlimited by default."""
    replay: FileName | None = None
    """Instead of ``every``: a file with what the sinks of another run took (``drycell run --sinks FILE``). Its parts
    arrive at the same times."""
    sink: Name | None = None
    """The sink in that file, if it has several."""

    def problems(self) -> Iterable[Problem]:
        """Yield problems: either intervals with a valid law or a file must be given."""
        yield from super().problems()
        if (self.every is None) == (self.replay is None):
            what = (
                "a source needs 'every' or 'replay'"
                if self.every is None
                else "'every' and 'replay' exclude each other"
            )
            yield Problem(("every",), what, "give the time between two parts, or a file of sinks to replay")
        elif self.every is not None:
            try:
                _ = self.intervals
            except FieldError as error:
                yield Problem(("every",), error.what, error.hint)

    @property
    def intervals(self) -> Every:
        """The time between two parts."""
        return Every(cast(tuple[float, ...], self.every), self.law, self.sigma, self.least)

    def schedule(self, cell: Cell, name: str) -> "Schedule":
        """Return the times at which parts arrive in a run.

        Args:
            cell: The cell.
            name: The name of the source.
        """
        rows = None if self.replay is None else read_sunk(cell.folder / self.replay, self.sink)
        return Schedule(cell.kernel, name, self, rows)


class Schedule:
    """The times of arrivals in a run: drawn one by one, or those of a file."""

    def __init__(self, kernel: Kernel, name: str, model: Arrivals, rows: Sequence[Sunk] | None) -> None:
        self._kernel, self._name, self._model, self._rows = kernel, name, model, rows
        self._every = None if rows is not None else model.intervals
        self._count = 0

    @property
    def part(self) -> SunkPart | None:
        """What arrives next, if a file says so."""
        return None if self._rows is None else self._rows[self._count].part

    @property
    def parts(self) -> tuple[SunkPart, ...]:
        """All that the file has."""
        return () if self._rows is None else tuple(row.part for row in self._rows)

    def first(self) -> int | None:
        """Return the time of the first arrival in ticks, or None if nothing arrives."""
        if self._model.limit == 0 or self._rows == []:
            return None
        return self._kernel.now + ticks(self._model.first) if self._rows is None else self._rows[0].time

    def next(self) -> int | None:
        """Return the time of the next arrival, now that one has entered; None if it was the last."""
        self._count += 1
        if self._model.limit is not None and self._count >= self._model.limit:
            return None
        if self._every is not None:
            return self._kernel.now + ticks(self._every.draw(self._kernel, self._name))
        if self._rows is None or self._count >= len(self._rows):
            return None
        return max(self._rows[self._count].time, self._kernel.now)


class Source(
    Arrivals,
    kind="source",
    stage=Stage.WIRED,
    kw_only=False,
    icon="input",
    example={"kinds": {"part": {"shape": {"box": ["60 mm", "40 mm", "20 mm"]}}}, "every": "10 s"},
):
    """Brings parts into the cell: to the start of the belt or the top of the body that it is ``on``.

    ``at`` is relative to the belt's entry, or to the middle of the body's top. A part waits until there is space for
    it.

    >>> from drycell import Box, Cell, Conveyor, Source, mm, s
    >>> cell = Cell("line")
    >>> belt = cell.add("belt", Conveyor(length=2000*mm, width=200*mm, speed=100*mm/s))
    >>> source = cell.add("source", Source(Box(60*mm, 40*mm, 20*mm), every=4*s, on="belt"))
    >>> result = cell.run(until=10*s)
    >>> source.count.value
    3
    """

    has_body: ClassVar[bool] = False

    kinds: Kinds
    """The kinds of parts, by name. The parts of kind ``plate`` are called ``plate1``, ``plate2`` and so on."""
    drops: bool = False
    """Whether it releases parts at that place, so that they fall from there and tumble, as from a chute."""

    def problems(self) -> Iterable[Problem]:
        """Yield problems: the source needs a support, at least one kind, and a valid law."""
        yield from super().problems()
        if self.on is None:
            yield Problem((), "a source needs a belt or body to put parts on", "write for example 'on: belt'")
        if not self.kinds:
            yield Problem(("kinds",), "the list of kinds is empty", "add at least one kind of part")

    def signals(self) -> Iterable[str]:
        """``count`` is the number of parts so far; ``waiting`` is on while a part waits for space."""
        return ("count", "waiting")

    def build(self, cell: Cell, name: str) -> "LiveSource":
        """Add the source to a cell."""
        return LiveSource(cell, name, self)


@dataclass(frozen=True, slots=True)
class PartTemplate:
    """A kind of part with its solid."""

    shape: Shape
    material: str
    weight: float
    mass: float | None
    grasps: Mapping[str, PartGrasp]
    tangle: float
    states: Mapping[str, Vector]


class LiveSource(Live[Source]):
    """A source in a running cell.

    ``count`` is the number of parts so far. ``waiting`` is on while a part waits for space.
    """

    def __init__(self, cell: Cell, name: str, model: Source) -> None:
        super().__init__(cell, name, model)
        kernel, tracking = cell.kernel, cell.part_tracking
        onto = cell.things.get(model.on or "")
        self.onto: LiveConveyor | LiveBody = onto if isinstance(onto, LiveConveyor) else cell.world.body(model.on or "")
        support = self.onto.body if isinstance(self.onto, LiveConveyor) else self.onto
        if support.shape is None:
            raise WorldError(
                f"{name} cannot put parts on {support.name!r}, which has no shape",
                hint="use a belt, or a body with a shape",
            )
        kinds = cast(Mapping[str, PartKind], model.kinds)
        self._templates = {each: template_of(cell, each, kind) for each, kind in kinds.items()}
        self._schedule, self._at = model.schedule(cell, name), model.pose
        for kind in {part.kind for part in self._schedule.parts} - kinds.keys():
            raise FieldError(
                f"{name} is to replay parts of kind {kind!r}, which it does not have",
                hint=f"add it to kinds: it has {', '.join(kinds)}",
            )
        self._kernel, self._world, self._tracking, self._support = kernel, cell.world, tracking, support
        self._gravity = cell.gravity
        self.count = DeviceOutput(kernel, name, f"{name}.count", 0)
        self.waiting = DeviceOutput(kernel, name, f"{name}.waiting", False)
        self.waits = 0
        """Number of parts that had to wait for space."""
        lower, upper = support.shape.bounds
        self._top = (lower[0], upper[0], upper[2])
        self._vacancy = Vacancy(kernel, cell.scene, tracking, name, support)
        tracking.keep()
        tracking.kinds |= dict.fromkeys(self._templates)
        tracking.concerns(self.count, self.waiting)
        self._due(self._schedule.first())

    def _due(self, when: int | None) -> None:
        if when is None:
            return
        writes = self._tracking.may_change(self.count)
        self._kernel.at(when, self._arrive, Rank.DEVICE, self.name, writes=writes)

    def _arrive(self) -> None:
        """Bring in the next part, at once or when there is space."""
        name = self._draw()
        kind = self._templates[name]
        local = self._place(kind)
        if isinstance(self.onto, LiveConveyor):
            room = footprint_of(kind.shape, local).shifted(local.x, local.y)
            entered = self.onto.entrance.admit(self.name, room, lambda: self._put(name, local))
        else:
            entered = self._vacancy.admit(kind.shape, local, lambda: self._put(name, local))
        if not entered:
            self.waits += 1
            self._kernel.journal.write("waits", self.name, of=name, on=self._support.name)
            self.waiting.publish(True)

    def _draw(self) -> str:
        names = list(self._templates)
        if self._schedule.part is not None:
            return self._schedule.part.kind
        if len(names) == 1:
            return names[0]
        weights = [kind.weight for kind in self._templates.values()]
        return self._kernel.random(self.name).choices(names, weights)[0]

    def _place(self, kind: PartTemplate) -> Pose:
        """The pose of a new part on its support: at the start of a belt, or in the middle of a body's top."""
        foot, (left, right, top) = footprint_of(kind.shape, self._at), self._top
        a, b, c, x, d, e, f, y, g, h, i, z = self._at.rows
        # The rear end of the part is at the start of the belt.
        x += left - foot.rear if isinstance(self.onto, LiveConveyor) else 0.5 * (left + right)
        return Pose.of_rows((a, b, c, x, d, e, f, y, g, h, i, z + top - foot.bottom))

    def _put(self, name: str, local: Pose) -> None:
        kind = self._templates[name]
        part = LiveBody(self._tracking.next_name(name), kind.shape, material=kind.material, part=True, mass=kind.mass)
        part.grasps = kind.grasps
        part.tangle, part.states = kind.tangle, kind.states
        self._kernel.journal.write("arrives", part.name, of=name, source=self.name)
        self._tracking.arrives(part, name, self.name)
        self._world.add(part, self._support, local)
        if self.model.drops:
            self._world.attach(part, None)
            self._gravity.release(part)
        self.waiting.publish(False)
        self.count.publish(self.count.peek() + 1)
        self._due(self._schedule.next())


def template_of(cell: Cell, name: str, kind: PartKind) -> PartTemplate:
    """A kind of part with its solid."""
    with within("kinds", name, "shape"):
        shape = kind.shape.solid(cell.folder)
    cell.world.materials.check(kind.material)
    states = dict(kind.states or {})
    with within("kinds", name, "states"):
        check_states(shape, states)
    with within("kinds", name):
        grasps = checked_grasps(kind.grasps, shape, states)
    return PartTemplate(shape, kind.material, kind.weight, kind.mass, grasps, kind.tangle, states)
