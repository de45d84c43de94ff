"""A sink: takes what comes to rest on it out of the cell, and writes it down."""

from collections.abc import Iterable
from dataclasses import dataclass

from drycell.base import within
from drycell.cell import Cell, Device, Live, Material
from drycell.geometry import ShapeModel
from drycell.kernel import Output, Rank, seconds
from drycell.world import FOREVER, LiveBody


class Sink(
    Device, kind="sink", kw_only=False, icon="output", example={"shape": {"box": ["300 mm", "300 mm", "20 mm"]}}
):
    """A body on which parts end: what comes to rest on it is taken out of the cell."""

    shape: ShapeModel
    """Its geometry."""
    material: Material = "plastic"
    """What it is made of."""

    def signals(self) -> Iterable[str]:
        """How many parts it has taken."""
        return ("count",)

    def build(self, cell: Cell, name: str) -> "LiveSink":
        """Sets it up."""
        return LiveSink(cell, name, self)


@dataclass(frozen=True, slots=True)
class Taken:
    """A part that a sink has taken: when, in seconds, which, of what kind, and who had worked on it."""

    time: float
    part: str
    kind: str
    machined_by: tuple[str, ...]


class LiveSink(Live[Sink]):
    """A body on which parts end. ``count`` says how many have."""

    def __init__(self, cell: Cell, name: str, model: Sink) -> None:
        super().__init__(cell, name, model)
        kernel, world, ledger = cell.kernel, cell.world, cell.part_tracking
        with within("shape"):
            body = LiveBody(name, model.shape.solid(cell.folder), material=model.material)
        self.body: LiveBody = world.add(body, *cell.standing(model, body))
        self.taken: list[Taken] = []
        self._kernel, self._world, self._ledger = kernel, world, ledger
        self.count = Output(kernel, name, f"{name}.count", 0)
        ledger.keep()
        ledger.concerns(self.count)
        world.subscribe(self._changed)

    def _changed(self, body: LiveBody) -> None:
        if body.part and body.gone == FOREVER and body.parent is self.body:
            # Not while others are still being told that it came.
            writes = self._ledger.may_change(self.count)
            self._kernel.at(self._kernel.now, lambda: self._take(body), Rank.DEVICE, self.name, writes=writes)

    def _take(self, body: LiveBody) -> None:
        if body.gone != FOREVER or body.parent is not self.body:
            return
        parts = [each for each in self._world.subtree(body) if each.part]
        for part in parts:
            by = self._ledger.machined_by(part)
            kind = self._ledger.kind_of(part)
            self.taken.append(Taken(seconds(self._kernel.now), part.name, kind, by))
            self._kernel.journal.write("sinks", part.name, into=self.name, machined_by=by)
            self._ledger.sunk(part, self.name)
        self._world.remove(body)
        self.count.tell(len(self.taken))
