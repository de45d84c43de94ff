"""Parts that are placed on a belt ride, queue and can be removed, at exactly computed times and positions."""

import math

import pytest

from drycell.base import FieldError, Pose, WorldError, deg, mm
from drycell.devices import Conveyor, Stop
from drycell.geometry import Box, Cylinder
from drycell.world import CollisionMonitor, LiveBody, Rest, Travel


def test_a_part_rides_at_the_belts_speed_and_stops_at_its_end(belt_bench) -> None:
    bench = belt_bench()
    part = bench.put("part", 200 * mm)
    bench.run(20)
    assert [bench.front(part, t) for t in (0, 1, 7.999, 8, 20)] == [200, 300, 999.9, 1000, 1000]
    assert [segment.start for segment in part.history[1:]] == [0, 8_000_000]  # set in motion, and at its goal
    assert isinstance(part.history[-1].motion, Rest)


def test_parts_queue_touching_each_other(belt_bench) -> None:
    bench = belt_bench()
    parts = [
        bench.put(f"p{i}", front * mm, length * mm) for i, front, length in ((1, 900, 50), (2, 500, 80), (3, 90, 30))
    ]
    bench.run(20)
    assert [bench.front(part) for part in parts] == [1000, 950, 870]
    # The second has 450 mm to go: 4.5 s. The third has 780 mm.
    assert [part.history[-1].start for part in parts] == [1_000_000, 4_500_000, 7_800_000]


def test_parts_in_another_lane_are_passed(belt_bench) -> None:
    bench = belt_bench(stops={"gate": Stop(500 * mm)})
    left = bench.put("left", 300 * mm, y=60 * mm, width=40 * mm)
    right = bench.put("right", 200 * mm, y=-60 * mm, width=80 * mm)
    wide = bench.put("wide", 100 * mm, width=200 * mm)
    bench.run(20)
    assert [bench.front(part) for part in (left, right, wide)] == [500, 500, 450]


def test_a_stop_lets_parts_through_while_it_is_open(belt_bench) -> None:
    bench = belt_bench(stops={"gate": Stop(500 * mm)})
    first, second = bench.put("first", 300 * mm), bench.put("second", 100 * mm)
    gate = bench.belt.gates["gate"].open
    assert gate.name == "belt.gate.open"
    bench.at(5, lambda: gate.set(True))  # the first has been stopped there since 2 s, the second behind it since 3.5 s
    bench.at(5.1, lambda: gate.set(False))  # the first has passed it by 10 mm
    bench.run(20)
    assert [bench.front(first, t) for t in (2, 5, 5.1, 10)] == [500, 500, 510, 1000]
    assert [bench.front(second, t) for t in (3.5, 5, 5.1, 20)] == [450, 450, 460, 500]


def test_nothing_moves_while_the_belt_is_stopped(belt_bench) -> None:
    bench = belt_bench()
    part = bench.put("part", 200 * mm)
    bench.at(1, bench.belt.stop)
    bench.at(4, bench.belt.start)
    bench.run(12)
    assert [bench.front(part, t) for t in (1, 2, 4, 5, 11, 12)] == [300, 300, 300, 400, 1000, 1000]
    assert [(t, value) for t, value, _ in bench.belt.running.history] == [
        (0, True),
        (1_000_000, False),
        (4_000_000, True),
    ]


def test_the_speed_is_a_signal(belt_bench) -> None:
    bench = belt_bench()
    part = bench.put("part", 200 * mm)
    bench.at(1, lambda: bench.belt.speed.set(50 * mm))
    bench.at(3, lambda: bench.belt.speed.set(0.0))
    bench.run(12)
    assert [bench.front(part, t) for t in (1, 3, 12)] == [300, 400, 400]
    assert bench.belt.running.value is False


def test_a_belt_may_start_and_stop_slowly(belt_bench) -> None:
    # 100 mm/s at 0.2 m/s²: half a second and 25 mm either way.
    bench = belt_bench(acceleration=0.2, run=False)
    part, ahead = bench.put("part", 200 * mm), bench.put("ahead", 270 * mm)
    bench.at(1, bench.belt.start)
    bench.at(3, bench.belt.stop)
    bench.run(12)
    # 0.25 s into the ramp it is at 0.5 · 0.2 · 0.25² = 6.25 mm.
    assert [bench.front(part, t) for t in (1, 1.25, 1.5, 2.5, 3, 3.25, 3.5, 9)] == [
        200, 206.25, 225, 325, 375, 393.75, 400, 400,
    ]  # fmt: skip
    assert bench.front(ahead) == 470
    assert [(t, value) for t, value, _ in bench.belt.running.history] == [
        (0, False),
        (1_000_000, True),
        (3_500_000, False),
    ]


def test_a_part_reaches_its_stop_within_a_ramp(belt_bench) -> None:
    bench = belt_bench(acceleration=0.2, run=False)
    part = bench.put("part", 996 * mm)
    bench.at(1, bench.belt.start)
    bench.run(5)
    # 4 mm = 0.5 · 0.2 · t²: 0.2 s.
    assert [bench.front(part, t) for t in (1.1, 1.2, 5)] == [997, 1000, 1000]
    assert part.history[-1].start == 1_200_000


def test_parts_behind_a_removed_part_close_up(belt_bench) -> None:
    bench = belt_bench()
    parts = [bench.put(f"p{i}", (1000 - 50 * i) * mm) for i in range(4)]
    bench.at(2, lambda: bench.world.place(parts[1], Pose(0, 1, 0)))
    bench.run(10)
    assert [bench.front(part, 2) for part in (parts[0], *parts[2:])] == [1000, 900, 850]
    assert [bench.front(part, 2.4) for part in (parts[0], *parts[2:])] == [1000, 940, 890]
    assert [bench.front(part) for part in (parts[0], *parts[2:])] == [1000, 950, 900]
    assert bench.belt.parts == (parts[0], *parts[2:])


def test_a_queue_of_fifty_costs_only_the_parts_behind_a_change(belt_bench) -> None:
    bench = belt_bench()
    parts = [bench.put(f"p{i}", (1000 - 15 * i) * mm, 15 * mm) for i in range(50)]
    report: list[LiveBody] = []
    bench.at(1, lambda: bench.world.subscribe(report.append))
    bench.at(2, lambda: bench.world.remove(parts[40]))
    bench.run(10)
    assert report[0] is parts[40]
    # Each of the nine behind it starts and arrives.
    assert sorted(each.name for each in report[1:]) == sorted(2 * [part.name for part in parts[41:]])


def test_a_part_that_falls_onto_the_belt_rides(belt_bench) -> None:
    bench = belt_bench()
    part = bench.world.add(
        LiveBody("part", Box(50 * mm, 40 * mm, 30 * mm), part=True), None, Pose(0.2, 0, 0.015 + 0.049)
    )
    bench.at(1, lambda: bench.gravity.release(part))
    bench.run(3)
    fall = math.sqrt(2 * 0.049 / 9.80665)
    assert part.parent is bench.belt.body
    assert bench.front(part, 3) == pytest.approx(225 + (2 - fall) * 100, abs=1e-3)


def test_the_length_of_a_part_is_that_of_its_true_shape_in_its_pose(belt_bench) -> None:
    bench = belt_bench()
    turned = bench.lay(LiveBody("box", Box(60 * mm, 40 * mm, 30 * mm), part=True), 0.5, 0, 0.015, Pose.turn_z(30 * deg))
    lying = bench.lay(LiveBody("roll", Cylinder(20 * mm, 50 * mm), part=True), 0.3, 0, 0.020, Pose.turn_x(90 * deg))
    bench.run(20)
    # The box reaches 30 cos 30° + 20 sin 30° = 35.98 mm each way, the roll 20 mm.
    half = 30 * math.cos(30 * deg) + 20 * math.sin(30 * deg)
    assert turned.pose.x / mm == pytest.approx(1000 - half, abs=1e-9)
    assert lying.pose.x / mm == pytest.approx(1000 - 2 * half - 20, abs=1e-9)


def test_bodies_on_a_part_count_towards_its_space(belt_bench) -> None:
    bench = belt_bench()
    first, second = bench.put("first", 800 * mm), bench.put("second", 400 * mm)
    bench.world.add(LiveBody("lid", Box(90 * mm, 40 * mm, 5 * mm), part=True), first, Pose(0, 0, 17.5 * mm))
    bench.run(20)
    assert bench.front(first) == 980
    assert bench.front(second) == 910


def test_a_part_placed_among_others_keeps_its_position_in_the_queue_and_never_moves_back(belt_bench) -> None:
    bench = belt_bench()
    first, last = bench.put("first", 1000 * mm), bench.put("last", 300 * mm)
    bench.at(1, lambda: bench.put("between", 970 * mm))
    bench.run(20)
    between = bench.world.body("between")
    assert bench.belt.parts == (first, between, last)
    assert [bench.front(part) for part in bench.belt.parts] == [1000, 970, 920]
    assert [record.fields for record in bench.records("crowds")] == [{"part": "between", "among": ["first"]}]


def test_a_part_placed_too_close_to_a_moving_one_stops_behind_it(belt_bench) -> None:
    bench = belt_bench()
    first, near = bench.put("first", 600 * mm), bench.put("near", 570 * mm)
    bench.run(20)
    assert [bench.front(part) for part in (first, near)] == [1000, 950]


def test_the_belt_may_be_turned_and_tilted(belt_bench) -> None:
    bench = belt_bench()
    bench.world.place(bench.belt.body, Pose.turn_z(90 * deg) @ Pose.turn_y(-10 * deg))
    part = bench.put("part", 500 * mm)
    bench.run(20)
    local = bench.world.relative(bench.belt.body, part)
    assert local.x == pytest.approx(0.475, abs=1e-12)


def test_a_part_falls_off_an_open_end(belt_bench) -> None:
    bench = belt_bench(end="fall")
    floor = bench.world.add(LiveBody("floor", Box(2, 2, 0.1)), None, Pose(1, 0, -1.05))
    part = bench.put("part", 900 * mm)
    bench.at(2, bench.belt.stop)  # its middle passed the end at 1.25 s: it goes on
    bench.run(5)
    assert [record.time for record in bench.records("leaves")] == [1_250_000]
    # Clear of the end at 1.5 s (half a micrometre later), it falls 1 m.
    assert [record.time for record in bench.records("falls")] == [1_500_005]
    fall = math.sqrt(2 * 1.0 / 9.80665)
    assert bench.records("rests")[0].time == pytest.approx(1_500_005 + fall * 1e6, abs=2)
    assert part.parent is floor
    assert bench.front(part) == pytest.approx(1050 + 100 * fall, abs=1e-3)


def test_a_belt_hands_over_to_the_next_one(belt_bench) -> None:
    bench = belt_bench(end="fall")
    model = Conveyor(length=1.0, width=0.3, height=0.1, speed=200 * mm, at=Pose(1.5, 0, -0.05))
    second = bench.cell.add("second", model)
    part = bench.put("part", 900 * mm)
    bench.run(3)
    assert part.parent is second.body
    # Its middle is at 1 m after 1.25 s; from there it moves twice as fast.
    assert bench.front(part, 3) == 1025 + 350


def test_a_stop_needs_a_place_on_the_belt(belt_bench) -> None:
    with pytest.raises(FieldError) as raised:
        belt_bench(stops={"gate": Stop(1200 * mm)})
    what = "Conveyor.stops.gate.at: the stop 'gate' is not on the belt: 1200.000 mm is not between 0 and 1000.000 mm"
    assert raised.value.what == what


def test_a_belt_does_not_run_backwards(belt_bench) -> None:
    bench = belt_bench()
    bench.at(1, lambda: bench.belt.speed.set(-0.1))
    with pytest.raises(WorldError) as raised:
        bench.run(2)
    assert raised.value.what == "belt cannot run at -100 mm/s: a speed cannot be below 0 mm/s"


def test_a_part_that_does_not_ride_has_no_place_on_the_belt(belt_bench) -> None:
    bench = belt_bench()
    part = bench.put("part", 900 * mm)
    other = bench.world.add(LiveBody("other", Box(0.1, 0.1, 0.1), part=True), None, Pose(0, 1, 0))
    assert bench.belt.place(part) == pytest.approx(0.875)
    with pytest.raises(WorldError) as raised:
        bench.belt.place(other)
    assert raised.value.what == "'other' is not on 'belt'"


def test_a_queue_is_neither_a_collision_nor_a_near_miss(belt_bench) -> None:
    bench = belt_bench()
    monitor = CollisionMonitor(bench.world, bench.kernel, clearance=20 * mm)
    for number in range(8):
        bench.at(1.0 * number, lambda number=number: bench.put(f"p{number}", 60 * mm))
    bench.at(7.5, bench.belt.stop)
    bench.at(8.5, bench.belt.start)
    bench.at(14, lambda: bench.world.remove(bench.belt.parts[0]))
    bench.run(30)
    assert [*monitor.collisions, *monitor.near_misses] == []


def test_a_body_that_crosses_the_belt_is_still_a_collision(belt_bench) -> None:
    bench = belt_bench()
    monitor = CollisionMonitor(bench.world, bench.kernel)
    part = bench.put("part", 500 * mm)
    post = bench.world.add(LiveBody("post", Box(20 * mm, 20 * mm, 200 * mm)), None, Pose(0.7, 0, 0.11))
    bench.run(5)
    (collision,) = monitor.collisions
    assert ({collision.a, collision.b}, collision.time) == (
        {part.name, post.name},
        1_901_000,
    )  # 190 mm on: touching to 1e-9 m within 1 ms


def test_the_travel_time_of_a_riding_part_is_known(belt_bench) -> None:
    bench = belt_bench()
    part = bench.put("part", 200 * mm)
    bench.run(1)
    motion = part.history[-1].motion
    assert isinstance(motion, Travel)
    assert (motion.velocity, motion.end) == ((0.1, 0.0, 0.0), 8_000_000)
