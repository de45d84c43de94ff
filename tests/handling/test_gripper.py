"""Closing grasps parts between the jaws; other parts are pushed, or not touched."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from drycell.base import MotionError, Pose, mm
from drycell.geometry import Box
from drycell.handling import Gripper
from drycell.kernel import JournalLine, Kernel, Outcome, delay, now
from drycell.robots import load_tool
from drycell.world import Gravity, LiveBody, Scene, Travel, World

WIDE = (40 * mm, 10 * mm, 30 * mm)
SMALL = (20 * mm, 10 * mm, 20 * mm)


@dataclass
class Bench:
    """The library's gripper above a table whose top is at z = 0; the TCP is 25 mm above it.

    Its jaws move along x, finger 1 from +x; they are 20 mm wide (y) and reach from z = 14 mm to 64 mm. Their gap goes
    from 65 mm to 0 at 100 mm/s, 1 m/s² and 20 m/s³: a ramp takes 0.1/1 + 1/20 = 0.15 s and 7.5 mm, so while closing
    from fully open the gap is 57.5 mm − 100 mm/s · (t − 0.15 s), and closing all the way takes 0.15 + 0.5 + 0.15 s.
    """

    kernel: Kernel = field(default_factory=Kernel)

    def __post_init__(self) -> None:
        self.world = World(self.kernel)
        self.gravity = Gravity(self.kernel, Scene(self.world))
        self.table = self.world.add(LiveBody("table", Box(1.0, 1.0, 0.1)), None, Pose(0, 0, -0.05))
        self.stand = self.world.add(LiveBody("stand"), None, Pose(0, 0, 125 * mm) @ Pose.turn_x(3.141592653589793))
        self.gripper = self.mounted("gripper")

    def mounted(self, name: str, at: Pose | None = None) -> Gripper:
        """Another gripper of the same kind, on the stand or elsewhere in the world."""
        parent, pose = (self.stand, Pose()) if at is None else (None, at)
        return Gripper(self.kernel, self.world, self.gravity, name, load_tool("two-finger").fingers, parent, pose)

    def part(self, name: str, x: float, y: float, size: tuple[float, float, float], z: float = 0.0) -> LiveBody:
        """A loose block whose bottom is ``z`` above the table, lying on the table when that is 0; metres."""
        body = LiveBody(name, Box(*size), part=True)
        self.world.add(body, self.table if z == 0.0 else None, Pose(0, 0, 0))
        self.world.place(body, Pose(x, y, z + size[2] / 2))
        if z == 0.0:
            self.world.attach(body, self.table)
        return body

    def run(self, *programs: Callable[[], object], until: int | None = None) -> Outcome:
        for program in programs:
            self.kernel.spawn(program)
        return self.kernel.run(until)

    def records(self, *kinds: str) -> list[JournalLine]:
        return [record for record in self.kernel.journal.records if record.kind in kinds]


@pytest.fixture
def bench() -> Bench:
    return Bench()


def place_of(body: LiveBody) -> tuple[float, float, float]:
    """Millimetres, to the micrometre."""
    return tuple(round(v / mm, 3) + 0.0 for v in body.pose.position)  # type: ignore[return-value]


def closing(bench, gap: float | None = None) -> dict[str, object]:
    """The result of one close: what it returned, when, and the gap of the jaws in millimetres."""
    closed: dict[str, object] = {}

    def close() -> None:
        closed["held"] = bench.gripper.close(gap)
        closed["time"] = now()
        closed["gap"] = round(bench.gripper.gap / mm, 3)

    bench.run(close)
    return closed


def test_a_part_in_the_middle_is_held_where_it_is(bench) -> None:
    block = bench.part("block", 0, 0, WIDE)
    # 57.5 mm − 17.5 mm, at 100 mm/s after the ramp of 0.15 s.
    assert closing(bench) == {"held": True, "time": 0.325, "gap": 40.0}
    assert bench.gripper.held is block
    assert bench.gripper.holding.value is True
    assert place_of(block) == (0, 0, 15)


def test_a_part_off_the_middle_is_pushed_by_the_first_finger_until_the_other_meets_it(bench) -> None:
    block = bench.part("block", 5 * mm, 0, WIDE)
    positions = {}

    def look() -> None:
        delay(0.225)  # finger 1 is at x = 25 mm, where the block ends
        positions["met"] = place_of(block), block.parent
        delay(0.050)  # 2.5 mm farther
        positions["pushed"] = place_of(block), block.parent

    bench.kernel.spawn(look)
    assert closing(bench) == {"held": True, "time": 0.325, "gap": 40.0}
    assert positions["met"] == ((5, 0, 15), bench.gripper.fingers[0])
    assert positions["pushed"] == ((2.5, 0, 15), bench.gripper.fingers[0])
    assert place_of(block) == (0, 0, 15)


def test_a_part_off_the_middle_the_other_way_is_pushed_by_the_other_finger(bench) -> None:
    block = bench.part("block", -8 * mm, 2 * mm, SMALL)
    assert closing(bench) == {"held": True, "time": 0.525, "gap": 20.0}
    assert place_of(block) == (0, 2, 10)


def test_a_part_that_only_one_finger_meets_is_pushed_aside_and_not_held(bench) -> None:
    block = bench.part("block", 5 * mm, 0, WIDE)
    closed = closing(bench, gap=45 * mm)
    # 65 mm → 45 mm: two ramps of 7.5 mm, 5 mm between them. Finger 1 ends at x = 22.5 mm, the block 20 mm before it.
    assert closed == {"held": False, "time": 0.35, "gap": 45.0}
    assert place_of(block) == (2.5, 0, 15)
    assert block.parent is bench.table
    assert bench.gripper.held is None
    assert bench.gripper.holding.value is False
    assert [(record.subject, record.fields["on"]) for record in bench.records("rests")] == [("block", "table")]


def test_empty_jaws_close_completely(bench) -> None:
    aside = bench.part("aside", 0, 40 * mm, WIDE)
    assert closing(bench) == {"held": False, "time": 0.8, "gap": 0.0}
    assert place_of(aside) == (0, 40, 15)
    assert not bench.records("grasps", "falls", "rests")


@pytest.mark.parametrize("width", [12.0, 40.0, 65.0])
def test_a_fixed_body_stops_the_jaws_at_its_width(bench, width: float) -> None:
    block = bench.part("block", 0, 0, (width * mm, 10 * mm, 30 * mm))
    block.part = False
    closed = closing(bench)
    assert closed["held"] is False
    assert closed["gap"] == pytest.approx(width, abs=0.001)
    assert place_of(block) == (0, 0, 15)
    assert bench.gripper.obstacle is block
    (record,) = bench.records("jams")
    assert record.fields["at"] == "block"
    assert record.fields["gap_mm"] == pytest.approx(width, abs=0.001)


def test_closing_again_on_a_fixed_body_moves_nothing(bench) -> None:
    bench.part("block", 0, 0, WIDE).part = False
    gaps = []

    def insist() -> None:
        for _ in range(3):
            bench.gripper.close()
            gaps.append((now(), bench.gripper.gap))

    bench.run(insist)
    assert len(set(gaps)) == 1


def test_one_finger_at_a_fixed_body_stops_both(bench) -> None:
    wall = bench.part("wall", 20 * mm, 0, (4 * mm, 10 * mm, 30 * mm))
    wall.part = False
    block = bench.part("block", 0, 0, (20 * mm, 10 * mm, 30 * mm))
    closed = closing(bench)
    # Finger 1 touches the wall at x = 22 mm. The block is 20 mm wide, so neither finger has reached it.
    assert closed["held"] is False
    assert closed["gap"] == pytest.approx(44.0, abs=0.001)
    assert block.parent is bench.table


def test_a_part_pushed_against_a_fixed_body_stops_the_jaws(bench) -> None:
    block = bench.part("block", 10 * mm, 0, SMALL)
    wall = bench.part("wall", -4 * mm, 0, (4 * mm, 10 * mm, 30 * mm))
    wall.part = False
    closed = closing(bench)
    # The wall ends at x = −2 mm, so the block reaches from there to 18 mm, where finger 1 stops.
    assert closed["held"] is False
    assert closed["gap"] == pytest.approx(36.0, abs=0.001)
    assert place_of(block) == (8, 0, 10)
    assert bench.gripper.obstacle is wall


def test_a_part_in_a_nest_is_held_though_its_wall_touches_it(bench) -> None:
    block = bench.part("block", 0, 0, (40 * mm, 10 * mm, 30 * mm))
    for side in (-1, 1):
        bench.part(f"wall{side}", side * 22 * mm, 0, (4 * mm, 10 * mm, 10 * mm)).part = False
    assert closing(bench) == {"held": True, "time": 0.325, "gap": 40.0}
    assert bench.gripper.held is block


def test_a_table_that_the_fingertips_touch_does_not_stop_the_jaws(bench) -> None:
    bench.part("block", 0, 0, WIDE)
    bench.world.translate(bench.stand, z=-14 * mm)
    assert closing(bench) == {"held": True, "time": 0.325, "gap": 40.0}


def test_a_fixed_body_brought_between_closing_jaws_stops_them(bench) -> None:
    block = bench.part("block", 0, 200 * mm, WIDE)
    block.part = False

    def bring() -> None:
        delay(0.2)
        bench.world.place(block, Pose(0, 0, 15 * mm))

    bench.kernel.spawn(bring)
    assert closing(bench)["gap"] == pytest.approx(40.0, abs=0.001)


def test_a_part_as_wide_as_the_opening_is_held(bench) -> None:
    bench.part("block", 0, 0, (65 * mm, 10 * mm, 30 * mm))
    closed = closing(bench)
    assert closed["held"] is True
    assert closed["gap"] == pytest.approx(65.0, abs=0.003)


@pytest.mark.parametrize("opening", [65.0, 45.0])
@pytest.mark.parametrize("excess", [0.05, 0.5, 1.0, 15.0, 135.0])
@pytest.mark.parametrize("off", [0.0, -0.2])
def test_a_part_wider_than_the_gap_is_not_between_the_jaws(bench, opening: float, excess: float, off: float) -> None:
    bench.gripper.put(opening * mm)
    block = bench.part("block", off * mm, 0, ((opening + excess) * mm, 10 * mm, 30 * mm))
    assert closing(bench) == {"held": False, "time": 0.0, "gap": opening}
    assert bench.gripper.holding.value is False
    assert bench.gripper.obstacle is block
    assert block.parent is bench.table
    assert [dict(record.fields) for record in bench.records("jams")] == [{"at": "block", "gap_mm": opening}]


def test_a_part_beyond_a_finger_does_not_stop_it(bench) -> None:
    bench.part("beyond", 55 * mm, 0, (30 * mm, 10 * mm, 30 * mm))  # finger 1 reaches 4.5 mm into it
    block = bench.part("block", 0, 0, WIDE)
    assert closing(bench) == {"held": True, "time": 0.325, "gap": 40.0}
    assert bench.gripper.held is block


def test_opening_clears_the_obstacle(bench) -> None:
    bench.part("block", 0, 0, WIDE).part = False

    def cycle() -> None:
        bench.gripper.close()
        bench.gripper.open()

    bench.run(cycle)
    assert bench.gripper.obstacle is None
    assert round(bench.gripper.gap / mm, 3) == 65


def test_of_two_parts_side_by_side_the_wider_is_held_and_the_other_stays(bench) -> None:
    wide = bench.part("wide", 0, 5 * mm, (40 * mm, 8 * mm, 30 * mm))
    narrow = bench.part("narrow", 0, -5 * mm, (30 * mm, 8 * mm, 30 * mm))
    assert closing(bench) == {"held": True, "time": 0.325, "gap": 40.0}
    assert bench.gripper.held is wide
    assert narrow.parent is bench.table


def test_two_parts_in_a_row_are_held_together(bench) -> None:
    left, right = bench.part("left", -16 * mm, 0, SMALL), bench.part("right", 16 * mm, 0, SMALL)
    # Each finger pushes one from gap 52 mm on; they meet in the middle when they fill the gap.
    closed = closing(bench)
    assert closed["held"] is True
    assert closed["gap"] == pytest.approx(40.0, abs=0.002)  # two contacts at one instant are separated by 1 µm
    assert left.pose.x == pytest.approx(-10 * mm, abs=1e-6)
    assert right.pose.x == pytest.approx(10 * mm, abs=1e-6)
    assert {left.parent, right.parent} == {bench.gripper.palm}
    assert [record.fields["part"] for record in bench.records("grasps")] == ["right", "left"]


def test_a_pushed_part_pushes_the_next_one_along(bench) -> None:
    near = bench.part("near", 20 * mm, 0, SMALL)
    far = bench.part("far", -2 * mm, 0, SMALL)
    closing(bench, gap=42 * mm)
    # Finger 1 ends at x = 21 mm: near from 1 mm to 21 mm, far up against it.
    assert place_of(near) == (11, 0, 10)
    assert place_of(far) == (-9, 0, 10)
    assert bench.gripper.held is None


def test_a_part_moved_between_closing_jaws_is_grasped(bench) -> None:
    block = bench.part("block", 0, 200 * mm, WIDE)

    def bring() -> None:
        delay(0.2)
        bench.world.place(block, Pose(0, 0, 15 * mm))

    bench.kernel.spawn(bring)
    assert closing(bench) == {"held": True, "time": 0.325, "gap": 40.0}


def test_a_part_taken_away_from_closing_jaws_is_not_held(bench) -> None:
    block = bench.part("block", 0, 0, WIDE)

    def take() -> None:
        delay(0.3)
        bench.world.place(block, Pose(0, 200 * mm, 15 * mm))

    bench.kernel.spawn(take)
    assert closing(bench) == {"held": False, "time": 0.8, "gap": 0.0}


def test_a_moving_part_is_met_at_its_position_then(bench) -> None:
    block = bench.part("block", 0, -200 * mm, SMALL)

    def send() -> None:
        start = bench.kernel.now
        bench.world.move(block, Travel(start, start + 1_000_000, Pose(0, -200 * mm, 10 * mm), (0, 0.4, 0)))

    bench.kernel.spawn(send)
    # 20 mm wide: met at 0.525 s, when it has travelled 210 mm.
    assert closing(bench) == {"held": True, "time": 0.525, "gap": 20.0}
    assert place_of(block) == (0, 10, 10)


def test_a_grasped_part_is_carried_by_the_gripper(bench) -> None:
    block = bench.part("block", 0, 0, WIDE)
    closing(bench)
    bench.world.translate(bench.table, x=1.0)
    assert place_of(block) == (0, 0, 15)
    bench.world.place(bench.stand, Pose(300 * mm, 0, 225 * mm) @ Pose.turn_x(3.141592653589793))
    assert place_of(block) == (300, 0, 115)


def test_a_part_released_on_the_table_rests_at_once(bench) -> None:
    block = bench.part("block", 0, 0, WIDE)
    when = {}

    def cycle() -> None:
        bench.gripper.close()
        bench.gripper.open()
        when["open"] = round(now(), 6)

    bench.run(cycle)
    assert block.parent is bench.table
    assert bench.gripper.held is None
    assert bench.gripper.holding.history[-1][:2] == (325_000, False)
    # 40 mm → 65 mm: two ramps of 7.5 mm in 0.3 s and 10 mm at 100 mm/s.
    assert when["open"] == 0.725
    assert [(record.kind, record.time) for record in bench.records("falls", "rests")] == [("rests", 325_000)]


def test_opening_above_nothing_drops_the_part(bench) -> None:
    block = bench.part("block", 0, 0, WIDE)

    def cycle() -> None:
        bench.gripper.close()
        bench.world.translate(bench.stand, z=50 * mm)
        bench.gripper.open()
        delay(1.0)

    bench.run(cycle)
    falls, rests = bench.records("falls", "rests")
    assert falls.time == 325_000
    # √(2 · 0.05 m / 9.80665 m/s²) = 0.1009810 s
    assert rests.time - falls.time == 100_981
    assert place_of(block) == (0, 0, 15)


def test_opening_while_a_finger_pushes_leaves_the_part_behind(bench) -> None:
    block = bench.part("block", 5 * mm, 0, WIDE)

    def change_of_mind() -> None:
        bench.gripper.start_close()
        delay(0.275)
        bench.gripper.open()

    bench.run(change_of_mind)
    # The jaws cannot stop at once: they close another 7.5 mm while they slow down, then open; the block is released at
    # once.
    assert place_of(block) == (2.5, 0, 15)
    assert block.parent is bench.table
    assert round(bench.gripper.gap / mm, 3) == 65


def test_closing_on_a_held_part_takes_no_time(bench) -> None:
    bench.part("block", 0, 0, WIDE)
    times = []

    def twice() -> None:
        for _ in range(2):
            assert bench.gripper.close()
            times.append(now())

    bench.run(twice)
    assert times == [0.325, 0.325]


def test_a_part_handed_over_stays_with_the_gripper_that_took_it(bench) -> None:
    tall = bench.part("tall", 0, 0, (20 * mm, 20 * mm, 200 * mm))
    # 115 mm higher: its jaws extend from z = 129 mm to 179 mm, above the other palm, which ends at 125 mm.
    other = bench.mounted("other", at=Pose(0, 0, 240 * mm) @ Pose.turn_x(3.141592653589793))
    later = []

    def hand_over() -> None:
        bench.gripper.close()
        other.close()
        bench.gripper.open()
        later.append((tall.parent, bench.gripper.held, other.held))

    bench.run(hand_over)
    assert later == [(other.palm, None, tall)]
    assert not bench.records("falls", "rests")


@pytest.mark.parametrize("gap", [-1 * mm, 66 * mm])
def test_a_gap_past_the_limits_is_refused_with_the_numbers_and_changes_nothing(bench, gap: float) -> None:
    bench.part("block", 0, 0, WIDE)

    def ask() -> None:
        bench.gripper.close()
        bench.gripper.open(gap)

    with pytest.raises(MotionError) as caught:
        bench.run(ask)
    given = f"{gap / mm:.3f} mm"
    assert caught.value.what == f"gripper cannot open to {given}: {given} is not between 0.000 mm and 65.000 mm"
    assert caught.value.hint == "give a gap from 0.000 mm to 65.000 mm"
    assert bench.gripper.held is not None


def test_the_journal_records_closing_grasping_and_releasing(bench) -> None:
    bench.part("block", 0, 0, WIDE)

    def cycle() -> None:
        bench.gripper.close()
        bench.gripper.open()

    bench.run(cycle)
    lines = [
        (record.kind, record.subject, *record.fields.values())
        for record in bench.records("closes", "grasps", "releases", "opens")
    ]
    assert lines == [
        ("closes", "gripper", 0.0),
        ("grasps", "gripper", "block", 40.0),
        ("releases", "gripper", "block"),
        ("opens", "gripper", 65.0),
    ]


def test_an_arm_that_starts_to_move_while_the_jaws_close_does_not_make_them_miss(bench) -> None:
    bench.part("block", 0, 0, WIDE)
    lift = bench.world.relative(None, bench.stand)

    def close_on_the_move() -> None:
        bench.gripper.start_close()
        bench.world.move(bench.stand, Travel(bench.kernel.now, 10_000_000, lift, (0.0, 0.01, 0.0)))
        delay(1.0)

    bench.run(close_on_the_move)
    assert bench.gripper.held is not None
    assert round(bench.gripper.gap / mm, 3) == 40.0


def test_a_pushed_part_that_leaves_the_cell_is_left_alone(bench) -> None:
    block = bench.part("block", 5 * mm, 0, WIDE)

    def take_away() -> None:
        delay(0.25)  # finger 1 has been pushing since 0.225 s
        bench.world.remove(block)

    bench.kernel.spawn(take_away)
    assert closing(bench)["held"] is False


def test_a_held_part_taken_by_another_is_no_longer_held(bench) -> None:
    block = bench.part("block", 0, 0, WIDE)

    def hand_over() -> None:
        assert bench.gripper.close()
        bench.world.attach(block, bench.table)
        assert bench.gripper.held is None
        assert not bench.gripper.holding.value

    bench.run(hand_over)


def test_parts_side_by_side_squeeze_nothing(bench) -> None:
    bench.part("left", -12 * mm, -5 * mm, (20 * mm, 10 * mm, 20 * mm))
    bench.part("right", 12 * mm, 5 * mm, (20 * mm, 10 * mm, 20 * mm))
    # Pushed from both sides, they slide past each other; each is squeezed only by the fingers, at its own 20 mm.
    assert closing(bench)["gap"] == 20.0


def test_closing_to_a_wider_gap_is_refused(bench) -> None:
    def widen() -> None:
        bench.gripper.close(20 * mm)
        with pytest.raises(MotionError, match=r"cannot close to 60\.000 mm: its gap is only 20\.000 mm"):
            bench.gripper.close(60 * mm)

    bench.run(widen)
