"""A source: brings parts into the cell, of several kinds and at times drawn from a law, as soon as there is room."""

from collections.abc import Mapping
from dataclasses import dataclass

from drycell.devices.conveyor import Conveyor
from drycell.devices.footprint import footprint_of
from drycell.devices.interval import Every
from drycell.world.ledger import Ledger
from drycell.devices.vacancy import Vacancy
from drycell.errors import FieldError, WorldError
from drycell.geometry import Shape
from drycell.kernel import Kernel, Output, Rank, ticks
from drycell.spatial import IDENTITY, Pose
from drycell.world import Body, Scene


@dataclass(frozen=True, slots=True)
class PartKind:
    """A kind of part: what it is like, and how often it comes compared with the other kinds."""

    shape: Shape
    material: str = "plastic"
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 < self.weight < float("inf"):
            raise FieldError(
                f"the weight of a kind of part must be above 0, not {self.weight:g}",
                hint="a kind of weight 2 comes twice as often as one of weight 1; leave out what shall not come",
            )


class Source:
    """Puts parts on a belt's entry, or on a place. ``count`` says how many have come, ``waiting`` whether the next one
    cannot, because there is no room for it."""

    def __init__(
        self,
        kernel: Kernel,
        scene: Scene,
        ledger: Ledger,
        name: str,
        kinds: Mapping[str, PartKind],
        onto: Conveyor | Body,
        every: Every,
        *,
        first: float = 0.0,
        limit: int | None = None,
        at: Pose = IDENTITY,
    ) -> None:
        if not kinds:
            raise FieldError(f"{name} has no kinds of parts to bring", hint="give one at least")
        if limit is not None and limit < 0:
            raise FieldError(f"{name} cannot bring {limit} parts", hint="give limit 0 or more, or none for no end")
        support = onto.body if isinstance(onto, Conveyor) else onto
        if support.shape is None:
            raise WorldError(
                f"{name} cannot put parts on {support.name!r}, which has no shape",
                hint="name a belt, or a body with a shape",
            )
        for kind in kinds.values():
            scene.world.materials.check(kind.material)
        self.name, self.kinds, self.every, self.limit, self.first = name, dict(kinds), every, limit, first
        self.onto, self.at = onto, at
        self.body: Body | None = None
        self.points: tuple[str, ...] = ()
        self._kernel, self._world, self._ledger, self._support = kernel, scene.world, ledger, support
        self.count = Output(kernel, name, f"{name}.count", 0)
        self.waiting = Output(kernel, name, f"{name}.waiting", False)
        self.waits = 0
        """How many parts found no room when they were due."""
        lower, upper = support.shape.bounds
        self._top = (lower[0], upper[0], upper[2])
        self._vacancy = Vacancy(kernel, scene, ledger, name, support)
        ledger.kept = True
        ledger.concerns(self.count, self.waiting)
        if limit != 0:
            self._due(kernel.now + ticks(first))

    def _due(self, when: int) -> None:
        # Where parts go on from here decides what else may change.
        writes = self._ledger.may_change(self.count)
        self._kernel.at(when, self._arrive, Rank.DEVICE, self.name, writes=writes)

    def _arrive(self) -> None:
        """The next part is due: it comes in at once, or waits for room."""
        name = self._draw()
        kind = self.kinds[name]
        local = self._place(kind)
        if isinstance(self.onto, Conveyor):
            room = footprint_of(kind.shape, local).shifted(local.x, local.y)
            entered = self.onto.entrance.admit(self.name, room, lambda: self._put(name, local))
        else:
            entered = self._vacancy.admit(kind.shape, local, lambda: self._put(name, local))
        if not entered:
            self.waits += 1
            self._kernel.journal.write("waits", self.name, of=name, on=self._support.name)
            self.waiting.tell(True)

    def _draw(self) -> str:
        names = list(self.kinds)
        if len(names) == 1:
            return names[0]
        weights = [kind.weight for kind in self.kinds.values()]
        return self._kernel.random(self.name).choices(names, weights)[0]

    def _place(self, kind: PartKind) -> Pose:
        """Where a part of a kind goes, seen from what carries it: on its top, at the belt's beginning or its middle."""
        foot, (left, right, top) = footprint_of(kind.shape, self.at), self._top
        a, b, c, x, d, e, f, y, g, h, i, z = self.at.rows
        # On a belt it is the part's rear end that is where the belt begins.
        x += left - foot.rear if isinstance(self.onto, Conveyor) else 0.5 * (left + right)
        return Pose.of_rows((a, b, c, x, d, e, f, y, g, h, i, z + top - foot.bottom))

    def _put(self, name: str, local: Pose) -> None:
        kind = self.kinds[name]
        part = Body(self._ledger.next_name(name), kind.shape, material=kind.material, part=True)
        self._kernel.journal.write("arrives", part.name, of=name, source=self.name)
        self._world.add(part, self._support, local)
        self._ledger.arrives(part, name, self.name)
        self.waiting.tell(False)
        self.count.tell(self.count.peek() + 1)
        if self.limit is None or self.count.peek() < self.limit:
            self._due(self._kernel.now + ticks(self.every.draw(self._kernel, self.name)))
