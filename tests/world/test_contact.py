import math

import pytest
from hypothesis import example, given, settings, strategies as st

from drycell.base import Pose
from drycell.geometry import Box, Sphere
from drycell.kernel import Kernel, delay, now, wait
from drycell.world import Fall, LiveBody, Sampled, Scene, Travel, World, first_contact, first_within, watch_contact


def falling(world, height):
    world.add(LiveBody("floor", Box(2, 2, 0.1)), None, Pose(0, 0, -0.05))
    ball = LiveBody("ball", Sphere(0.05), part=True)
    return world.add(ball, None, motion=Fall(0, 2_000_000, Pose(0, 0, 0.05 + height), gravity=(0, 0, -10.0)))


def test_a_fall_ends_at_the_tick(world):
    ball = falling(world, 0.2)
    contact = first_contact(world, [ball], [world.body("floor")], 0, 2_000_000)
    assert contact.time == math.ceil(math.sqrt(2 * 0.2 / 10.0) * 1e6)
    assert (contact.a.name, contact.b.name) == ("ball", "floor")
    assert first_contact(Scene(world), [ball], [world.body("floor")], 0, 199_000) is None


def test_coming_within_a_distance(world):
    ball = falling(world, 0.2)
    contact = first_within(world, [ball], [world.body("floor")], 0, 2_000_000, 0.05)
    assert contact.time == math.ceil(math.sqrt(2 * 0.15 / 10.0) * 1e6)


def test_the_first_of_many_is_found(world):
    cart = world.add(LiveBody("cart", Box(0.1, 0.1, 0.1)), None, motion=Travel(0, 10_000_000, Pose(), (0.25, 0, 0)))
    posts = [
        world.add(LiveBody(f"post{i}", Box(0.1, 0.1, 0.1)), None, Pose(1.1 + i % 3, 0.04 * i, 0)) for i in range(6)
    ]
    contact = first_contact(world, [cart], posts[::-1], 0, 10_000_000)
    assert contact.time == 4_000_000
    assert contact.b.name == "post0"


def test_a_touching_pair_must_overlap_more_or_separate_first(world):
    slider = world.add(LiveBody("slider", Box(0.1, 0.1, 0.1)), None, motion=Travel(0, 9_000_000, Pose(), (0.1, 0, 0)))
    floor = world.add(LiveBody("floor", Box(5, 5, 0.1)), None, Pose(0, 0, -0.1))
    wall = world.add(LiveBody("wall", Box(0.1, 0.1, 0.1)), None, Pose(0.1, 0, 0))
    assert first_contact(world, [slider], [floor], 0, 20_000) is None
    assert first_contact(world, [slider], [wall], 0, 500_000).time == pytest.approx(10, abs=101)
    bounce = Sampled([0, 100_000, 200_000], [Pose(0, 1, 0), Pose(0, 1, 0.01), Pose(0, 1, -0.01)])
    hopper = world.add(LiveBody("hopper", Box(0.1, 0.1, 0.1)), None, motion=bounce)
    assert first_contact(world, [hopper], [floor], 0, 500_000).time == pytest.approx(150_000, abs=1)


def test_a_planned_teleport_is_predicted(clock, world):
    box = world.add(LiveBody("box", Box(0.1, 0.1, 0.1)), None, Pose(1, 0, 0))
    ball = world.add(LiveBody("ball", Sphere(0.05)), None, Pose(0, 0, 0))
    arm = Sampled([0, 1000], [Pose(0, 0, 0), Pose(0, 0, 0.1)])
    world.move(ball, arm)
    clock.now = 500_000
    world.place(ball, Pose(1, 0, 0.08))
    assert first_contact(world, [ball], [box], 0, 1_000_000).time == 500_000


@settings(max_examples=60, deadline=None)
@given(
    st.floats(0.02, 2.0), st.floats(0.05, 3.0), st.tuples(st.floats(-0.2, 0.2), st.floats(-0.2, 0.2)), st.floats(0, 3)
)
@example(0.1, 0.05, (0.10786580025046077, 0.0), 0.0)  # coal returns 0 from 1 µm on
def test_located_to_the_tick(make_world, gap, speed, aside, turn):
    _, world = make_world()
    world.add(LiveBody("wall", Box(0.1, 1, 1)), None, Pose(gap + 0.1, 0, 0))
    start = Pose(0, *aside) @ Pose.turn_x(turn)
    cube = world.add(LiveBody("cube", Box(0.1, 0.1, 0.1)), None, motion=Travel(7, 100_000_000, start, (speed, 0, 0)))
    contact = first_contact(world, [cube], [world.body("wall")], 0, 100_000_000)
    assert contact.time == pytest.approx(7 + gap / speed * 1e6, abs=1.01)


# ---------------------------------------------------------------- as a signal


@pytest.fixture
def cell():
    kernel = Kernel()
    return kernel, World(kernel)


def test_a_program_wakes_at_the_instant_of_contact(cell):
    kernel, world = cell
    ball = falling(world, 0.2)
    seen = []

    def watch():
        wait(watch_contact(world, kernel, ball, world.body("floor")))
        seen.append(now())

    kernel.spawn(watch)
    kernel.run()
    assert seen == [pytest.approx(0.2, abs=1.1e-6)]


def test_a_change_of_motion_voids_the_prediction(cell):
    kernel, world = cell
    ball = falling(world, 0.2)
    touch = watch_contact(world, kernel, ball, world.body("floor"))
    seen = []
    touch.subscribe(lambda value: seen.append((kernel.now, value)))

    def catch():
        delay(0.1)
        here = world.pose(ball)
        world.move(ball, Travel(kernel.now, kernel.now + 10_000_000, here, (0, 0, -0.05)))
        delay(3.5)
        world.move(ball, Travel(kernel.now, kernel.now + 1_000_000, world.pose(ball), (0, 0, 0.1)))
        delay(0.5)

    kernel.spawn(catch)
    kernel.run()
    # 0.05 m fallen in 0.1 s; the rest at 0.05 m/s takes 3 s; 25 mm deep, it rises by 0.1 m/s from 3.6 s on.
    assert seen == [(pytest.approx(3_100_000, abs=2), True), (pytest.approx(3_850_000, abs=20), False)]


def test_a_contact_signal_read_while_asleep_is_up_to_date(cell):
    kernel, world = cell
    ball = falling(world, 0.2)
    touch = watch_contact(world, kernel, ball, world.body("floor"))
    values = []

    def read():
        values.append(touch.value)
        delay(0.25)
        values.append(touch.value)
        values.append(bool(touch.is_on))

    kernel.spawn(read)
    kernel.run()
    assert values == [False, True, True]


def test_carried_bodies_count_and_held_ones_do_not(cell, arm_kit):
    kernel, world = cell
    table = world.add(LiveBody("table", Box(4, 4, 0.1)), None, Pose(0, 0, -1.0))
    arm = arm_kit.stand(world, shapes=[Sphere(0.02)] * 6)
    part = world.add(LiveBody("part", Sphere(0.03)), arm.links[5], Pose(0, 0, 0.04))
    assert not watch_contact(world, kernel, arm.base, part).value
    touch = watch_contact(world, kernel, arm.base, table)
    assert not touch.value
    world.translate(table, z=world.pose(part).z - 0.03 + 0.95)
    assert touch.value
    assert watch_contact(world, kernel, arm.base, table) is touch


def test_a_part_lying_on_a_table_touches_it(cell):
    kernel, world = cell
    table = world.add(LiveBody("table", Box(1, 1, 0.1)), None, Pose(0, 0, -0.05))
    part = world.add(LiveBody("part", Box(0.1, 0.1, 0.1)), table, Pose(0, 0, 0.1))
    assert watch_contact(world, kernel, part, table).value


def test_a_contact_that_nothing_reads_is_recorded_too(cell):
    kernel, world = cell
    ball = falling(world, 0.2)
    touch = watch_contact(world, kernel, ball, world.body("floor"))

    def watch():
        wait(touch)
        delay(0.1)
        world.place(ball, Pose(0, 0, 1.0))
        delay(0.1)
        world.place(ball, Pose(0, 0, 0.01))
        delay(0.1)

    kernel.spawn(watch)
    kernel.run()
    changes = [(round(t, -2), value) for t, value, _ in touch.history]
    assert changes == [(0, False), (200_000, True), (282_800, False), (400_000, True)]  # it falls through the floor


def test_a_body_taken_off_a_carrier_no_longer_touches_for_it():
    kernel = Kernel()
    world = World(kernel)
    table = world.add(LiveBody("table", Box(1, 1, 0.1)), None, Pose(0, 0, -0.05))
    hand = world.add(LiveBody("hand", Box(0.02, 0.02, 0.02)), None, Pose(0, 0, 0.1))
    part = world.add(LiveBody("part", Box(0.02, 0.02, 0.02), part=True), hand, Pose(0, 0, -0.09))
    touch = watch_contact(world, kernel, hand, table)
    ended = []

    def let_go():
        assert touch.value
        delay(0.1)
        world.attach(part, None)
        delay(0.1)
        assert not touch.value

    kernel.spawn(lambda: ended.append((wait(~touch, timeout=1.0), now())))
    kernel.spawn(let_go)
    kernel.run()
    assert ended == [(True, 0.1)]
