"""On belts in a row, parts always move on from one to the next, queue across the joint, and are never lost."""

from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import example, given, settings, strategies as st

from drycell.base import Pose, mm
from drycell.cell import Cell
from drycell.devices import Conveyor, LiveConveyor, Source, Stop
from drycell.geometry import Box
from drycell.kernel import Rank, ticks
from drycell.world import LiveBody

GRID = 7_919  # ticks: a prime, so that it does not coincide with any pattern of the scenario
STEP = 2_000  # ticks of small steps
NEAR = 10 * mm  # a step notices late that a part is on the next belt, and a faster belt increases the error


@dataclass(frozen=True)
class Line:
    """A belt of the row: its length and speed, and the position of its stop, if any."""

    length: int
    speed: int
    acceleration: float
    gate: int | None


@dataclass(frozen=True)
class Block:
    """A part that exists from the start: its length, its lane, and the gap to the part ahead."""

    length: int
    lane: int
    gap: int


LINES = st.builds(
    Line,
    st.integers(60, 600),
    st.sampled_from([0, 37, 50, 100, 100, 250]),
    st.sampled_from([0.0, 0.0, 0.0, 0.5]),
    st.none() | st.integers(5, 60),
)
BLOCKS = st.lists(
    st.builds(Block, st.integers(20, 150), st.sampled_from([0, 0, 0, 1, 2]), st.integers(0, 60)), max_size=9
)
CHANGES = st.lists(
    st.tuples(
        st.integers(0, 3_000_000),
        st.integers(0, 3),
        st.sampled_from(["stop", "start", "slow", "fast", "open", "close", "take"]),
    ),
    max_size=12,
)
LANES = {
    0: (0.0, 100),
    1: (-60.0, 60),
    2: (60.0, 60),
}  # y and width in mm: the first overlaps both others


@dataclass
class Bench:
    """Belts end to end from x = 0 on, tops at z = 0; the last one ends in a stop."""

    lines: list[Line]
    backwards: bool = False
    """Whether the last belt is added first: the order must not matter."""
    belts: list[LiveConveyor] = field(default_factory=list)
    parts: list[LiveBody] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cell = cell = Cell("bench")
        self.kernel, self.world = cell.kernel, cell.world
        starts = [sum(line.length for line in self.lines[:number]) * mm for number in range(len(self.lines))]
        numbers = range(len(self.lines))
        for number in reversed(numbers) if self.backwards else numbers:
            line, x = self.lines[number], starts[number]
            length, last = line.length * mm, number == len(self.lines) - 1
            gate = line.gate if line.gate is not None and line.gate <= line.length else None
            belt = Conveyor(
                length=length, width=400 * mm, height=0.1, speed=line.speed * mm,
                acceleration=line.acceleration, end="stop" if last else "fall",
                stops={} if gate is None else {"gate": Stop(gate * mm, open=True)},
                at=Pose(x + length / 2, 0.0, -0.05),
            )  # fmt: skip
            self.belts.append(cell.add(f"belt{number}", belt))
        self.belts.sort(key=lambda belt: belt.body.pose.x)
        self.end = starts[-1] + self.lines[-1].length * mm

    def lay(self, blocks: list[Block]) -> None:
        """Place blocks one behind the other, from the middle of the row back, each on the belt below its centre."""
        front = 0.6 * self.end
        for number, block in enumerate(blocks):
            length, (y, width) = block.length * mm, LANES[block.lane]
            middle = front - length / 2
            if middle < 0.0:
                return
            belt = next(each for each in self.belts if middle < each.body.pose.x + each.length / 2)
            part = LiveBody(f"part{number}", Box(length, width * mm, 30 * mm), part=True)
            self.world.add(part, belt.body, Pose(middle - belt.body.pose.x, y * mm, 0.05 + 15 * mm))
            self.parts.append(part)
            front -= length + block.gap * mm

    def change(self, number: int, what: str) -> None:
        """Change one of the belts, or remove a part."""
        belt = self.belts[number % len(self.belts)]
        if what in ("stop", "start"):
            belt.run.set(what == "start")
        elif what in ("slow", "fast"):
            belt.speed.set((20 if what == "slow" else 200) * mm)
        elif what in ("open", "close") and "gate" in belt.gates:
            belt.gates["gate"].open.set(what == "open")
        elif what == "take" and self.parts:
            part = self.parts.pop(number % len(self.parts))
            self.world.remove(part)

    def overlaps(self, t: int) -> list[tuple[str, str, float]]:
        """All pairs of boxes that overlap by more than a nanometre, at their poses in the world."""
        parts = [part for part in self.world.bodies.values() if part.part]
        boxes = []
        for part in parts:
            if part.exists(t) and isinstance(part.shape, Box):
                pose = self.world.pose(part, t)
                boxes.append((part.name, pose.x, pose.y, part.shape.x, part.shape.y))
        found = []
        for number, (name, x, y, length, width) in enumerate(boxes):
            for other, u, v, long, wide in boxes[number + 1 :]:
                depth = min((length + long) / 2 - abs(x - u), (width + wide) / 2 - abs(y - v))
                if depth > 1.01e-9:
                    found.append((name, other, depth))
        return found


@settings(max_examples=60, deadline=None)
@given(lines=st.lists(LINES, min_size=2, max_size=4), blocks=BLOCKS, changes=CHANGES, backwards=st.booleans())
@example(  # the fourth moves to the third belt just as the first belt looks ahead: it is still in the way
    lines=[Line(60, 37, 0.0, None), Line(65, 37, 0.0, None), Line(242, 0, 0.0, None), Line(207, 0, 0.0, None)],
    blocks=[Block(72, 0, 0), Block(20, 0, 1), Block(130, 0, 0), Block(111, 0, 0), Block(20, 0, 0)],
    changes=[(0, 2, "slow")],
    backwards=True,
)
def test_parts_on_belts_in_a_row_are_never_in_each_other_and_none_is_lost(lines, blocks, changes, backwards) -> None:
    bench = Bench(lines, backwards)
    bench.lay(blocks)
    assert bench.overlaps(0) == []
    laid = list(bench.parts)
    for when, number, what in changes:
        bench.kernel.at(when, lambda n=number, w=what: bench.change(n, w), Rank.DEVICE, "test", writes=())
    end = ticks(6.0)
    bench.kernel.run(end)
    instants = {*range(0, end, GRID)}
    for part in laid:
        instants |= {start + more for start in part.history.times for more in (-1, 0, 1) if 0 <= start + more <= end}
    for t in sorted(instants):
        assert bench.overlaps(t) == [], t
    for part in laid:
        alive = [t for t in sorted(instants) if part.exists(t)]
        places = [bench.world.pose(part, t).x for t in alive]
        assert all(later >= earlier - 1e-12 for earlier, later in pairwise(places)), part.name
    bodies = [belt.body for belt in bench.belts]
    assert all(part.parent in bodies for part in bench.parts)
    assert sorted(part.name for belt in bench.belts for part in belt.parts) == sorted(p.name for p in bench.parts)


def stepped(bench: Bench, changes: list[tuple[int, int, str]], end: int) -> dict[str, float]:
    """The positions of the parts in small steps: each advances with its belt, but not into the part ahead."""
    ends = [belt.body.pose.x + belt.length / 2 for belt in bench.belts]
    speeds = [belt.speed.value for belt in bench.belts]
    blocks = [[part.pose.x, part.shape.x, part.pose.y, part.shape.y, part.name] for part in bench.parts]  # type: ignore[union-attr]
    todo = sorted(changes, key=lambda change: change[0])
    for t in range(0, end, STEP):
        while todo and todo[0][0] <= t:
            _, number, what = todo.pop(0)
            speeds[number % len(speeds)] = (40 if what == "slow" else 120) * mm
        blocks.sort(key=lambda block: -block[0])
        for number, block in enumerate(blocks):
            x, length, y, width, _ = block
            on = next((index for index, place in enumerate(ends) if x < place), len(ends) - 1)
            ahead = [u - long / 2 for u, long, v, wide, _ in blocks[:number] if abs(y - v) < (width + wide) / 2 - 1e-9]
            block[0] = max(x, min([x + speeds[on] * STEP * 1e-6, *(each - length / 2 for each in (*ahead, ends[-1]))]))
    return {block[4]: block[0] for block in blocks}


@settings(max_examples=25, deadline=None)
@given(
    lines=st.lists(
        st.builds(Line, st.integers(60, 600), st.sampled_from([40, 80, 120]), st.just(0.0), st.none()),
        min_size=2,
        max_size=4,
    ),
    blocks=BLOCKS,
    changes=st.lists(
        st.tuples(st.integers(0, 3_000_000), st.integers(0, 3), st.sampled_from(["slow", "fast"])), max_size=6
    ),
)
def test_belts_in_a_row_take_parts_where_small_steps_do(lines, blocks, changes) -> None:
    bench = Bench(lines)
    bench.lay(blocks)
    end = ticks(6.0)
    wanted = stepped(bench, changes, end)
    speeds = {"slow": 40 * mm, "fast": 120 * mm}
    for when, number, what in changes:
        belt = bench.belts[number % len(bench.belts)]
        bench.kernel.at(when, lambda b=belt, w=what: b.speed.set(speeds[w]), Rank.DEVICE, "test", writes=())
    bench.kernel.run(end)
    assert {part.name: part.pose.x for part in bench.parts} == pytest.approx(wanted, abs=NEAR)


@pytest.mark.parametrize("speed", [37, 50, 250, 1230, 4900, 9990])
def test_a_stop_that_is_met_just_as_the_part_goes_over_holds_it(speed: int) -> None:
    bench = Bench([Line(500, speed, 0.0, None), Line(300, speed, 0.0, 50)])
    gate = bench.belts[1].gates["gate"]
    gate.open.set(False)
    bench.lay([Block(100, 0, 0), Block(60, 0, 20)])
    first, second = bench.parts
    bench.kernel.at(ticks(20.0), lambda: gate.open.set(True), Rank.DEVICE, "test", writes=())
    bench.kernel.run(ticks(60.0))
    held = ticks(19.0)
    assert bench.world.pose(first, held).x == pytest.approx(500 * mm, abs=1e-9)
    assert bench.world.pose(second, held).x == pytest.approx(420 * mm, abs=1e-9)
    assert first.pose.x == pytest.approx(750 * mm, abs=1e-9)
    assert second.pose.x == pytest.approx(670 * mm, abs=1e-9)


def test_a_part_longer_than_the_belt_it_reaches_stands_at_the_stop() -> None:
    bench = Bench([Line(60, 0, 0.0, None), Line(80, 37, 0.0, None), Line(60, 0, 0.0, None)])
    bench.lay([Block(120, 0, 0)])
    bench.kernel.at(0, lambda: bench.change(2, "slow"), Rank.DEVICE, "test", writes=())
    bench.kernel.run(ticks(30.0))
    assert bench.parts[0].pose.x == pytest.approx(140 * mm, abs=1e-9)


def test_a_part_across_the_joint_holds_up_the_parts_behind_it_and_releases_them_together() -> None:
    bench = Bench([Line(600, 100, 0.0, None), Line(400, 50, 0.0, None)])
    bench.lay([Block(100, 0, 0), Block(50, 0, 10), Block(50, 0, 30)])  # the first reaches up to the joint
    slow = bench.belts[1]
    slow.run.set(False)
    bench.kernel.at(ticks(3.0), slow.start, Rank.DEVICE, "test", writes=())
    bench.kernel.run(ticks(4.0))
    fronts = {
        t: [round((bench.world.pose(part, ticks(t)).x + part.shape.x / 2) / mm, 6) for part in bench.parts]  # type: ignore[union-attr]
        for t in (0.3, 1.0, 2.9, 4.0)
    }
    # The first moves to the next belt when its middle is at the joint, at 0.5 s, and stops. The others close up behind
    # it.
    assert fronts == {
        0.3: [630, 530, 470],
        1.0: [650, 550, 500],
        2.9: [650, 550, 500],
        4.0: [700, 600, 550],
    }


def test_a_closed_stop_on_the_next_belt_holds_a_part_that_still_lies_on_this_one() -> None:
    bench = Bench([Line(500, 100, 0.0, None), Line(500, 100, 0.0, 10)])
    bench.lay([Block(100, 0, 0)])
    bench.world.place(bench.parts[0], Pose(0.0, 0.0, 0.05 + 15 * mm), bench.belts[0].body)
    bench.belts[1].gates["gate"].open.set(False)
    bench.kernel.run(ticks(9.0))
    assert bench.parts[0].parent is bench.belts[0].body
    assert (bench.parts[0].pose.x + 50 * mm) / mm == pytest.approx(510)


def test_a_source_waits_for_what_pokes_in_from_the_belt_before_to_be_gone() -> None:
    bench = Bench([Line(500, 100, 0.0, None), Line(500, 100, 0.0, None)])
    part = LiveBody("part", Box(100 * mm, 40 * mm, 30 * mm), part=True)
    bench.world.add(part, bench.belts[0].body, Pose(230 * mm, 0.0, 0.05 + 15 * mm))  # its front 30 mm beyond the joint
    bench.belts[0].run.set(False)
    feed = bench.cell.add("feed", Source(Box(40 * mm, 40 * mm, 30 * mm), every=5.0, limit=1, on=bench.belts[1].name))
    bench.kernel.at(ticks(2.0), lambda: bench.world.remove(part), Rank.DEVICE, "test", writes=())
    bench.kernel.run(ticks(3.0))
    assert [(time, value) for time, value, _ in feed.count.history[1:]] == [(ticks(2.0), 1)]


@pytest.mark.parametrize("backwards", [False, True])
def test_a_part_longer_than_a_belt_goes_on_to_the_next_one_and_not_back(backwards: bool) -> None:
    names = ("first", "second", "third")
    bench = Bench([Line(300, 100, 0.0, None), Line(60, 100, 0.0, None), Line(600, 100, 0.0, None)], backwards)
    bench.lay([Block(150, 0, 0)])
    bench.world.place(bench.parts[0], Pose(0.0, 0.0, 0.05 + 15 * mm), bench.belts[0].body)
    bench.kernel.run(ticks(9.0))
    assert names[[belt.body for belt in bench.belts].index(bench.parts[0].parent)] == "third"
    assert (bench.parts[0].pose.x + 75 * mm) / mm == pytest.approx(960)
