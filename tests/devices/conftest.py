"""A test bench: a belt, a clock and loose parts."""

from collections.abc import Callable, Mapping

import pytest

from drycell.base import Pose, mm
from drycell.cell import Cell
from drycell.devices import Conveyor, Stop
from drycell.geometry import Box, Shape
from drycell.kernel import JournalLine, Outcome, Rank, ticks
from drycell.world import LiveBody


class BeltBench:
    """A belt 1 m long and 0.3 m wide, its top at z = 0, that starts at x = 0 of the world and runs along x."""

    def __init__(self, *, speed: float = 100 * mm, stops: Mapping[str, Stop] | None = None, **given: object) -> None:
        self.cell = cell = Cell("bench")
        cell.settling = "keep"  # how parts tumble is tested with drops
        self.kernel, self.world, self.scene, self.gravity = cell.kernel, cell.world, cell.scene, cell.gravity
        self.part_tracking = cell.part_tracking
        at = Pose(0.5, 0.0, -0.05)
        model = Conveyor(length=1.0, width=0.3, height=0.1, speed=speed, stops=stops, at=at, **given)  # type: ignore[arg-type]
        self.belt = cell.add("belt", model)

    def put(self, name: str, front: float, length: float = 50 * mm, y: float = 0.0, width: float = 40 * mm) -> LiveBody:
        """Sets a block down with its front end at a place along the belt, in metres."""
        return self.lay(LiveBody(name, Box(length, width, 30 * mm), part=True), front - length / 2, y, 15 * mm)

    def lay(self, part: LiveBody, x: float, y: float, z: float, turn: Pose | None = None) -> LiveBody:
        return self.world.add(part, self.belt.body, Pose(x - 0.5, y, 0.05 + z) @ (turn or Pose()))

    def at(self, seconds: float, action: Callable[[], object]) -> None:
        self.kernel.at(ticks(seconds), action, Rank.DEVICE, "test", writes=())

    def run(self, seconds: float) -> Outcome:
        return self.kernel.run(ticks(seconds))

    def front(self, part: LiveBody, seconds: float | None = None) -> float:
        """Where a part's front end is along the belt, in millimetres to the nanometre."""
        t = None if seconds is None else ticks(seconds)
        shape: Shape | None = part.shape
        assert isinstance(shape, Box)
        return round((self.world.pose(part, t).x + shape.x / 2) / mm, 6)

    def records(self, kind: str) -> list[JournalLine]:
        return [record for record in self.kernel.journal.records if record.kind == kind]


@pytest.fixture(scope="session")
def belt_bench() -> type[BeltBench]:
    return BeltBench
