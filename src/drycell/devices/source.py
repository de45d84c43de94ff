"""A source: brings parts into the cell, of several kinds and at times drawn from a law, as soon as there is room.

On a belt that is when there is room at its entrance; elsewhere when what is in the way has gone.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal, cast, get_args

from drycell.base import (
    Count,
    Factor,
    FieldError,
    Many,
    Name,
    Pose,
    Problem,
    Quantity,
    Shortened,
    Table,
    Thing,
    Wait,
    WorldError,
    format_time,
    type_of,
    within,
)
from drycell.cell import Cell, Device, Live, Material, Stage
from drycell.devices.belt import footprint_of
from drycell.devices.conveyor import LiveConveyor
from drycell.geometry import TOUCH, Shape, ShapeModel
from drycell.kernel import Kernel, Output, Rank, Timer, ticks
from drycell.world import ALWAYS, ContactSearch, LiveBody, PartTracking, Rest, Scene, Segment, lineage, rests_from

Law = Literal["interval", "uniform", "exponential", "normal"]


@dataclass(frozen=True, slots=True)
class Every:
    """How long until the next one, in seconds.

    By the law ``interval`` one time is fixed; two are the limits of a declared interval, which a search over all that
    can happen goes through. The others are laws of chance: ``uniform`` between two times, ``exponential`` with a mean,
    ``normal`` with a mean and ``sigma``, where what would be below ``least`` is drawn again.
    """

    times: tuple[float, ...]
    law: Law = "interval"
    sigma: float = 0.0
    least: float = 0.0

    def __post_init__(self) -> None:
        told = " and ".join(format_time(each) for each in self.times)
        if self.law not in get_args(Law):
            raise FieldError(f"there is no law {self.law!r} of intervals", hint=f"choose {', '.join(get_args(Law))}")
        wanted = {"interval": (1, 2), "uniform": (2,), "exponential": (1,), "normal": (1,)}[self.law]
        if len(self.times) not in wanted:
            count = " or ".join(map(str, wanted))
            raise FieldError(
                f"the law {self.law!r} takes {count} time{'s' * (wanted != (1,))}, not {len(self.times)}",
                hint="give two for limits, one for a mean or a fixed interval",
            )
        if not all(0.0 <= each < math.inf for each in self.times) or self.times[-1] <= 0.0:
            raise FieldError(f"the time between two arrivals must be above 0 s, not {told}")
        if self.times[0] > self.times[-1]:
            raise FieldError(f"the limits {told} are the wrong way round", hint="give the lower one first")
        if (self.sigma > 0.0) != (self.law == "normal") or not 0.0 <= self.sigma < math.inf:
            raise FieldError(
                f"'sigma' of {format_time(self.sigma)} with the law {self.law!r}",
                hint="a normal law takes a sigma above 0 s, the others none",
            )
        if self.law == "normal" and not 0.0 <= self.least <= self.times[0]:
            raise FieldError(
                f"a normal law cut at {format_time(self.least)} has no room about its mean of {told}",
                hint="give 'least' between 0 s and the mean",
            )

    def draw(self, kernel: Kernel, owner: str) -> float:
        """The next one, from the owner's own stream or, if it is declared, by the run's chooser."""
        low, high = self.times[0], self.times[-1]
        if self.law == "interval":
            return low if len(self.times) == 1 else kernel.interval(f"{owner}.interval", low, high)
        stream = kernel.random(owner)
        if self.law == "uniform":
            return stream.uniform(low, high)
        if self.law == "exponential":
            return stream.expovariate(1.0 / low)
        while True:  # at least every other draw is above the mean, which is above the least
            value = stream.normalvariate(low, self.sigma)
            if value >= self.least:
                return value


_HORIZON: Final = 1_000_000  # ticks looked ahead at a time
_PRESSED: Final = 1e-6  # metres: what reaches into the place by less only touches it


class Vacancy:
    """The room that a shape takes at a pose on a body. Waiting ends at the very instant it is free."""

    def __init__(self, kernel: Kernel, scene: Scene, ledger: PartTracking, name: str, support: LiveBody) -> None:
        self._kernel, self._scene, self._ledger, self._name = kernel, scene, ledger, name
        self._support = support
        self._ahead = ContactSearch(scene.world)
        self._place: LiveBody | None = None
        self._action: Callable[[], None] | None = None
        self._timer: Timer | None = None
        self._blocking: list[LiveBody] = []
        scene.world.subscribe(self._changed)

    def admit(self, shape: Shape, local: Pose, action: Callable[[], None]) -> bool:
        """Does something once nothing is where a shape shall be, seen from the support; says whether that was at once.

        One at a time waits.
        """
        # A body that is in nobody's way: it has a place, but is not in the world.
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
        self._blocking = [touch.body for touch in touches if touch.distance < -_PRESSED]
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
        """Something moves otherwise; it may be what is in the way."""
        now = self._kernel.now
        for each in self._blocking:
            if body is each or (each.exists(now) and body in lineage(each, now)):
                self._look_at(now)
                return

    def _look_at(self, when: int) -> None:
        if self._timer is None or self._timer.time != when or not self._timer.alive:
            self._cancel()
            writes = self._ledger.may_change()
            self._timer = self._kernel.at(when, self._look, Rank.DEVICE, self._name, writes=writes)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class PartKind(Thing, kw_only=False):
    """A kind of part that a source brings."""

    shape: ShapeModel
    """Its geometry."""
    material: Material = "plastic"
    """What it is made of."""
    weight: Factor = 1.0
    """How often it comes: a kind of weight 2 comes twice as often as one of weight 1."""


@dataclass(frozen=True)
class _Kinds(Table):
    """Kinds of parts by name; Python may give a shape for a kind, and one kind alone, which is called ``part``."""

    def check(self, value: Any) -> dict[Any, Any]:
        """The kinds by name."""
        return super().check(value if isinstance(value, Mapping) else {"part": value})


Kinds = Annotated[
    Mapping[str, PartKind | ShapeModel] | PartKind | ShapeModel, _Kinds(type_of(Name), Shortened(PartKind))
]
Times = Annotated[float | Sequence[float], Many(Quantity("time", least=0.0), single=True)]


class Source(
    Device,
    kind="source",
    stage=Stage.WIRED,
    kw_only=False,
    icon="input",
    example={"kinds": {"part": {"shape": {"box": ["60 mm", "40 mm", "20 mm"]}}}, "every": "10 s"},
):
    """Brings parts onto the entry of the belt or to a place on the body that it stands ``on``.

    ``at`` is relative to the belt's entry, or to the middle of the body's top. A part waits until there is room for it.
    """

    has_body: ClassVar[bool] = False

    kinds: Kinds
    """The kinds of parts it brings, by name; parts are called ``plate1``, ``plate2`` and so on."""
    every: Times
    """Time between two parts: one, or two limits."""
    law: Law = "interval"
    """How the time is chosen: ``interval`` is a fixed time or declared limits; the others are random."""
    sigma: Wait = 0.0
    """Standard deviation of a normal law."""
    least: Wait = 0.0
    """Values of a normal law below this are drawn again."""
    first: Wait = 0.0
    """When the first part comes."""
    limit: Count | None = None
    """How many parts come; no limit by default."""

    def problems(self) -> Iterable[Problem]:
        """It needs a place, something to bring, and a law that makes sense."""
        yield from super().problems()
        if self.on is None:
            yield Problem((), "a source needs to know where parts go", "write for example 'on: belt'")
        if not self.kinds:
            yield Problem(("kinds",), "there is no kind of part to bring", "add at least one")
        try:
            _ = self.intervals
        except FieldError as error:
            yield Problem(("every",), error.what, error.hint)

    @property
    def intervals(self) -> Every:
        """The time between two parts."""
        return Every(cast(tuple[float, ...], self.every), self.law, self.sigma, self.least)

    def signals(self) -> Iterable[str]:
        """How many have come, and whether the next one waits for room."""
        return ("count", "waiting")

    def build(self, cell: Cell, name: str) -> "LiveSource":
        """Sets it up; the first part comes with the run."""
        return LiveSource(cell, name, self)


@dataclass(frozen=True, slots=True)
class Supply:
    """A kind of part, ready to be brought: its solid, its material and how often it comes."""

    shape: Shape
    material: str
    weight: float


class LiveSource(Live[Source]):
    """Puts parts on a belt's entry, or on a place. ``count`` says how many have come, ``waiting`` whether the next one
    cannot, because there is no room for it."""

    def __init__(self, cell: Cell, name: str, model: Source) -> None:
        super().__init__(cell, name, model)
        kernel, ledger = cell.kernel, cell.part_tracking
        onto = cell.things.get(model.on or "")
        self.onto: LiveConveyor | LiveBody = onto if isinstance(onto, LiveConveyor) else cell.world.body(model.on or "")
        support = self.onto.body if isinstance(self.onto, LiveConveyor) else self.onto
        if support.shape is None:
            raise WorldError(
                f"{name} cannot put parts on {support.name!r}, which has no shape",
                hint="name a belt, or a body with a shape",
            )
        kinds = cast(Mapping[str, PartKind], model.kinds)
        self._supplies = {each: _supply(cell, each, kind) for each, kind in kinds.items()}
        self._every, self._at = model.intervals, model.pose
        self._kernel, self._world, self._ledger, self._support = kernel, cell.world, ledger, support
        self.count = Output(kernel, name, f"{name}.count", 0)
        self.waiting = Output(kernel, name, f"{name}.waiting", False)
        self.waits = 0
        """How many parts found no room when they were due."""
        lower, upper = support.shape.bounds
        self._top = (lower[0], upper[0], upper[2])
        self._vacancy = Vacancy(kernel, cell.scene, ledger, name, support)
        ledger.keep()
        ledger.concerns(self.count, self.waiting)
        if model.limit != 0:
            self._due(kernel.now + ticks(model.first))

    def _due(self, when: int) -> None:
        # Where parts go on from here decides what else may change.
        writes = self._ledger.may_change(self.count)
        self._kernel.at(when, self._arrive, Rank.DEVICE, self.name, writes=writes)

    def _arrive(self) -> None:
        """The next part is due: it comes in at once, or waits for room."""
        name = self._draw()
        kind = self._supplies[name]
        local = self._place(kind)
        if isinstance(self.onto, LiveConveyor):
            room = footprint_of(kind.shape, local).shifted(local.x, local.y)
            entered = self.onto.entrance.admit(self.name, room, lambda: self._put(name, local))
        else:
            entered = self._vacancy.admit(kind.shape, local, lambda: self._put(name, local))
        if not entered:
            self.waits += 1
            self._kernel.journal.write("waits", self.name, of=name, on=self._support.name)
            self.waiting.tell(True)

    def _draw(self) -> str:
        names = list(self._supplies)
        if len(names) == 1:
            return names[0]
        weights = [kind.weight for kind in self._supplies.values()]
        return self._kernel.random(self.name).choices(names, weights)[0]

    def _place(self, kind: Supply) -> Pose:
        """Where a part of a kind goes, seen from what carries it: on its top, at the belt's beginning or its middle."""
        foot, (left, right, top) = footprint_of(kind.shape, self._at), self._top
        a, b, c, x, d, e, f, y, g, h, i, z = self._at.rows
        # On a belt it is the part's rear end that is where the belt begins.
        x += left - foot.rear if isinstance(self.onto, LiveConveyor) else 0.5 * (left + right)
        return Pose.of_rows((a, b, c, x, d, e, f, y, g, h, i, z + top - foot.bottom))

    def _put(self, name: str, local: Pose) -> None:
        kind = self._supplies[name]
        part = LiveBody(self._ledger.next_name(name), kind.shape, material=kind.material, part=True)
        self._kernel.journal.write("arrives", part.name, of=name, source=self.name)
        self._ledger.arrives(part, name, self.name)
        self._world.add(part, self._support, local)
        self.waiting.tell(False)
        self.count.tell(self.count.peek() + 1)
        if self.model.limit is None or self.count.peek() < self.model.limit:
            self._due(self._kernel.now + ticks(self._every.draw(self._kernel, self.name)))


def _supply(cell: Cell, name: str, kind: PartKind) -> Supply:
    with within("kinds", name, "shape"):
        shape = kind.shape.solid(cell.folder)
    cell.world.materials.check(kind.material)
    return Supply(shape, kind.material, kind.weight)
