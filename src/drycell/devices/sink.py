"""Sinks: devices that remove parts from the cell and record them."""

from collections.abc import Iterable
from dataclasses import dataclass

from drycell.base import Pose, within
from drycell.cell import Cell, Device, Live, Material
from drycell.devices.sink_record import Sunk, SunkPart
from drycell.geometry import Box, ShapeModel
from drycell.kernel import DeviceOutput, Rank, seconds
from drycell.looks import Look, box, shell
from drycell.world import FOREVER, LiveBody


class Sink(
    Device, kind="sink", kw_only=False, icon="output", example={"shape": {"box": ["300 mm", "300 mm", "20 mm"]}}
):
    """A body that removes from the cell all parts placed on it or falling on it.

    >>> from drycell import Box, Cell, Conveyor, Sink, Source, mm, s
    >>> cell = Cell("line")
    >>> belt = cell.add("belt", Conveyor(length=500*mm, width=200*mm, speed=100*mm/s, end="fall", at=(0, 0, 400*mm)))
    >>> source = cell.add("source", Source(Box(60*mm, 40*mm, 20*mm), every=4*s, on="belt"))
    >>> bin = cell.add("bin", Sink(Box(400*mm, 400*mm, 20*mm), at=(400*mm, 0, 10*mm)))
    >>> result = cell.run(until=15*s)
    >>> [part.part for part in bin.taken]
    ['part1', 'part2', 'part3']
    """

    shape: ShapeModel
    """Geometry of the sink."""
    material: Material = "plastic"
    """Material of the sink."""

    def signals(self) -> Iterable[str]:
        """``count`` is the number of parts removed so far."""
        return ("count",)

    def look(self) -> Look | None:
        """An open box, if its shape is a box; it has a floor, although parts vanish from its top."""
        if not isinstance(self.shape, Box):
            return None
        x, y, z = self.shape.x, self.shape.y, self.shape.z
        flat = min(x, y)
        rim, corner = min(0.006, 0.1 * flat, 0.2 * z), min(0.012, 0.1 * flat)
        colour = None if self.material == "cardboard" else "blue"
        tray = shell(x - 2 * rim, y - 2 * rim, z, min(0.003, 0.2 * z), 0.96, corner, rim)
        made = Look().add(tray, "cardboard" if colour is None else "plastic", (0, 0, -z / 2), tint=colour)
        for side in (-1, 1):
            made = made.add(
                box(0.3 * x, 0.002, 0.35 * z, 0.0006), "label", (0, side * (y / 2 - rim), 0), tint="#e8e6df"
            )
        return made

    def build(self, cell: Cell, name: str) -> "LiveSink":
        """Add the sink to a cell."""
        return LiveSink(cell, name, self)


@dataclass(frozen=True, slots=True)
class Taken:
    """A part that a sink has removed: the time in seconds, its name and kind, and the machines that worked on it."""

    time: float
    part: str
    kind: str
    machined_by: tuple[str, ...]


class PartTaker:
    """Removes parts from the cell, with everything that they carry, and records them."""

    def __init__(self, cell: Cell, name: str) -> None:
        self.taken: list[Taken] = []
        self.sunk: list[Sunk] = []
        self.count = DeviceOutput(cell.kernel, name, f"{name}.count", 0)
        self._cell, self._name = cell, name
        cell.part_tracking.keep()
        cell.part_tracking.concerns(self.count)

    def take(self, body: LiveBody) -> None:
        """Remove a part, with everything on it, and count all of them."""
        cell, tracking = self._cell, self._cell.part_tracking
        now = cell.kernel.now
        self.sunk.append(Sunk(now, self._name, self._described(body, Pose())))
        for part in [each for each in cell.world.subtree(body) if each.part]:
            by, kind = tracking.machined_by(part), tracking.kind_of(part)
            self.taken.append(Taken(seconds(now), part.name, kind, by))
            cell.kernel.journal.write("sinks", part.name, into=self._name, machined_by=by)
            tracking.sunk(part, self._name)
        cell.world.remove(body)
        self.count.publish(len(self.taken))

    def _described(self, part: LiveBody, pose: Pose) -> SunkPart:
        carried = [each for each in part.children if each.part]
        parts = tuple(self._described(each, self._cell.world.relative(part, each)) for each in carried)
        return SunkPart(part.name, self._cell.part_tracking.kind_of(part), pose, parts)


class LiveSink(Live[Sink]):
    """A sink in a running cell. ``count`` is the number of parts removed so far."""

    def __init__(self, cell: Cell, name: str, model: Sink) -> None:
        super().__init__(cell, name, model)
        kernel, world, tracking = cell.kernel, cell.world, cell.part_tracking
        with within("shape"):
            body = LiveBody(name, model.shape.solid(cell.folder), material=model.material)
        self.body: LiveBody = world.add(body, *cell.standing(model, body))
        self._taker = PartTaker(cell, name)
        self.count, self.taken, self.sunk = self._taker.count, self._taker.taken, self._taker.sunk
        self._kernel, self._tracking = kernel, tracking
        world.subscribe(self._changed)

    def _changed(self, body: LiveBody) -> None:
        if body.part and body.gone == FOREVER and body.parent is self.body:
            # Scheduled after all subscribers were notified of the arrival.
            writes = self._tracking.may_change(self.count)
            self._kernel.at(self._kernel.now, lambda: self._take(body), Rank.DEVICE, self.name, writes=writes)

    def _take(self, body: LiveBody) -> None:
        if body.gone == FOREVER and body.parent is self.body:
            self._taker.take(body)
