"""A source: brings parts into the cell, of several kinds and at times drawn from a law, as soon as there is room."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, cast

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
    type_of,
    within,
)
from drycell.cell import Cell, Device, Live, Material, Stage
from drycell.devices.conveyor import LiveConveyor
from drycell.devices.footprint import footprint_of
from drycell.devices.interval import Every, Law
from drycell.devices.vacancy import Vacancy
from drycell.geometry import Shape, ShapeModel
from drycell.kernel import Output, Rank, ticks
from drycell.world import LiveBody


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
