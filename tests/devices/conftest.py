"""Benches: a gripper over a table, or a belt alone, with a clock, loose parts, and nothing else."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pytest

from drycell.devices import Conveyor, Gripper, Ledger, Stop
from drycell.geometry import Box, Shape
from drycell.kernel import Kernel, Outcome, Rank, Record, ticks
from drycell.robots import load_robot
from drycell.spatial import Pose
from drycell.units import mm
from drycell.world import Body, Gravity, Scene, World


@dataclass
class Bench:
    """The library's gripper hangs over a table whose top is at z = 0, its tool centre point 25 mm above it.

    Its jaws move along x, finger 1 from +x; they are 20 mm wide (y) and reach from z = 14 mm to 64 mm. Their gap goes
    from 65 mm to 0 at 100 mm/s, 1 m/s² and 20 m/s³: a ramp takes 0.1/1 + 1/20 = 0.15 s and 7.5 mm, so while closing
    from fully open the gap is 57.5 mm − 100 mm/s · (t − 0.15 s), and closing all the way takes 0.15 + 0.5 + 0.15 s.
    """

    kernel: Kernel = field(default_factory=Kernel)

    def __post_init__(self) -> None:
        self.world = World(self.kernel)
        self.gravity = Gravity(self.kernel, Scene(self.world))
        self.table = self.world.add(Body("table", Box(1.0, 1.0, 0.1)), None, Pose(0, 0, -0.05))
        self.stand = self.world.add(Body("stand"), None, Pose(0, 0, 125 * mm) @ Pose.turn_x(3.141592653589793))
        self.gripper = self.mounted("gripper")

    def mounted(self, name: str, at: Pose | None = None) -> Gripper:
        """Another gripper of the same kind, on the stand or elsewhere in the world."""
        parent, pose = (self.stand, Pose()) if at is None else (None, at)
        return Gripper(self.kernel, self.world, self.gravity, name, load_robot("two-finger"), parent, pose)

    def part(self, name: str, x: float, y: float, size: tuple[float, float, float], z: float = 0.0) -> Body:
        """A loose block whose bottom is ``z`` above the table, lying on the table when that is 0; metres."""
        body = Body(name, Box(*size), part=True)
        self.world.add(body, self.table if z == 0.0 else None, Pose(0, 0, 0))
        self.world.place(body, Pose(x, y, z + size[2] / 2))
        if z == 0.0:
            self.world.affix(body, self.table)
        return body

    def run(self, *programs: Callable[[], object], until: int | None = None) -> Outcome:
        for program in programs:
            self.kernel.spawn(program)
        return self.kernel.run(until)

    def records(self, *kinds: str) -> list[Record]:
        return [record for record in self.kernel.journal.records if record.kind in kinds]


@pytest.fixture
def bench() -> Bench:
    return Bench()


class BeltBench:
    """A belt 1 m long and 0.3 m wide, its top at z = 0, that starts at x = 0 of the world and runs along x."""

    def __init__(self, *, speed: float = 100 * mm, stops: Mapping[str, Stop] | None = None, **given: object) -> None:
        self.kernel = Kernel()
        self.world = World(self.kernel)
        self.scene = Scene(self.world)
        self.gravity = Gravity(self.kernel, self.scene)
        self.ledger = Ledger(self.kernel, self.world, self.gravity)
        self.belt = Conveyor(
            self.kernel, self.scene, self.gravity, self.ledger, "belt",
            length=1.0, width=0.3, height=0.1, speed=speed, stops=stops, at=Pose(0.5, 0.0, -0.05), **given,
        )  # fmt: skip

    def put(self, name: str, front: float, length: float = 50 * mm, y: float = 0.0, width: float = 40 * mm) -> Body:
        """Sets a block down with its front end at a place along the belt, in metres."""
        return self.lay(Body(name, Box(length, width, 30 * mm), part=True), front - length / 2, y, 15 * mm)

    def lay(self, part: Body, x: float, y: float, z: float, turn: Pose | None = None) -> Body:
        return self.world.add(part, self.belt.body, Pose(x - 0.5, y, 0.05 + z) @ (turn or Pose()))

    def at(self, seconds: float, action: Callable[[], object]) -> None:
        self.kernel.at(ticks(seconds), action, Rank.DEVICE, "test", writes=())

    def run(self, seconds: float) -> Outcome:
        return self.kernel.run(ticks(seconds))

    def front(self, part: Body, seconds: float | None = None) -> float:
        """Where a part's front end is along the belt, in millimetres to the nanometre."""
        t = None if seconds is None else ticks(seconds)
        shape: Shape | None = part.shape
        assert isinstance(shape, Box)
        return round((self.world.pose(part, t).x + shape.x / 2) / mm, 6)

    def records(self, kind: str) -> list[Record]:
        return [record for record in self.kernel.journal.records if record.kind == kind]


@pytest.fixture(scope="session")
def belt_bench() -> type[BeltBench]:
    return BeltBench
