import pytest

from drycell.base import Pose, UnknownName, WorldError, mm
from drycell.geometry import Box, Sphere
from drycell.kernel import Kernel, delay
from drycell.world import CollisionMonitor, LiveBody, Sampled, Travel, World


@pytest.fixture
def cell():
    kernel = Kernel()
    return kernel, World(kernel)


def ms(value):
    return value * 1000


def cart(world, name="cart", start=(0.0, 0.0, 0.0), velocity=(0.5, 0, 0), end=10_000_000):
    return world.add(LiveBody(name, Box(0.1, 0.1, 0.1)), None, motion=Travel(0, end, Pose(*start), velocity))


def post(world, name="post", x=1.0, y=0.0):
    return world.add(LiveBody(name, Box(0.1, 0.1, 0.1)), None, Pose(x, y, 0))


def test_a_collision_reports_bodies_point_time_and_depth(cell):
    kernel, world = cell
    cart(world)
    post(world)
    monitor = CollisionMonitor(world, kernel)
    kernel.run(5_000_000)
    # The faces meet after 0.9 m at 0.5 m/s: 1.8 s. They are clear again 0.2 m later.
    (collision,) = monitor.collisions
    assert (collision.a, collision.b) == ("cart", "post")
    assert collision.time == pytest.approx(1_800_000, abs=1000)
    assert collision.end == pytest.approx(2_200_000, abs=1000)
    assert collision.point[0] == pytest.approx(0.95, abs=1 * mm)
    assert collision.depth == pytest.approx(0.1, abs=1e-6)  # the two are in the same place on the way
    kinds = [(record.time, record.kind) for record in kernel.journal.records if record.subject == "collision"]
    assert kinds == [(collision.time, "collision"), (collision.end, "collision over")]
    line = kernel.journal.records[0].text()
    assert "a=cart" in line
    assert "b=post" in line


def test_a_pass_at_3_mm_is_a_near_miss_with_5_mm_clearance(cell):
    kernel, world = cell
    cart(world)
    post(world, y=0.103)
    far = post(world, "far post", x=2.0, y=0.106)
    monitor = CollisionMonitor(world, kernel, clearance=5 * mm)
    kernel.run(8_000_000)
    (miss,) = monitor.near_misses
    assert (miss.a, miss.b) == ("cart", "post")
    assert miss.distance == pytest.approx(3 * mm, abs=1e-8)
    assert miss.points[0][1] == pytest.approx(0.05, abs=1e-6)
    assert miss.points[1][1] == pytest.approx(0.053, abs=1e-6)
    assert 1_790_000 <= miss.time <= 2_210_000
    assert list(monitor.collisions) == []
    assert far.name not in (miss.a, miss.b)


def test_a_pair_can_have_its_own_clearance(cell):
    kernel, world = cell
    cart(world)
    post(world, y=0.103)
    post(world, "far post", x=2.0, y=0.106)
    monitor = CollisionMonitor(world, kernel, clearances=[("cart", "far*", 10 * mm)])
    kernel.run(8_000_000)
    assert [(miss.a, miss.b) for miss in monitor.near_misses] == [("cart", "far post")]


def test_an_allowed_pair_is_silent(cell):
    kernel, world = cell
    cart(world)
    post(world)
    post(world, "post2", x=2.0)
    monitor = CollisionMonitor(world, kernel, clearance=5 * mm, allow=[("cart", "post")])
    kernel.run(8_000_000)
    assert [(collision.a, collision.b) for collision in monitor.collisions] == [("cart", "post2")]
    assert list(monitor.near_misses) == []


def test_everything_but_and_named_pairs(cell):
    kernel, world = cell
    cart(world)
    cart(world, "other", (0, 1, 0))
    for i in range(2):
        post(world, f"post{i}", x=1.0 + i)
        post(world, f"pole{i}", x=1.0 + i, y=1.0)
    but = CollisionMonitor(world, kernel, but=["other"], name="but")
    named = CollisionMonitor(world, kernel, pairs=[(world.body("other"), "pole1")], name="named")
    kernel.run(8_000_000)
    assert [(collision.a, collision.b) for collision in but.collisions] == [("cart", "post0"), ("cart", "post1")]
    assert [(collision.a, collision.b) for collision in named.collisions] == [("other", "pole1")]


def test_once_a_cycle_every_cycle_is_reported(cell):
    kernel, world = cell
    cart(world)
    post(world)
    monitor = CollisionMonitor(world, kernel, cycle=100_000)
    kernel.run(5_000_000)
    assert [collision.time for collision in monitor.collisions] == [
        1_800_000,
        1_900_000,
        2_000_000,
        2_100_000,
        2_200_000,
    ]
    assert all(collision.end == collision.time for collision in monitor.collisions)


def test_a_grasped_part_joins_the_arms_group(cell, arm_kit):
    kernel, world = cell
    arm = arm_kit.stand(world, shapes=[Sphere(0.01)] * 6)
    world.add(LiveBody("part", Sphere(0.02)), arm.links[5], Pose(0, 0, 0.1))
    x, y, z = world.pose(world.body("part")).position
    world.add(LiveBody("lamp", Sphere(0.02)), None, Pose.turn_z(1.0) @ Pose(x, y, z))
    monitor = CollisionMonitor(world, kernel, pairs=[("arm", "lamp")])
    kernel.spawn(lambda: (arm.follow(arm_kit.ease(0, arm.joints(), [2.0, *arm.joints()[1:]], 4.0)), delay(4.5)))
    kernel.run()
    assert [(collision.a, collision.b) for collision in monitor.collisions] == [("lamp", "part")]
    assert monitor.collisions[0].time == pytest.approx(2_000_000, abs=100_000)


def test_pairs_that_touch_when_attached_may_touch_until_1_mm_apart(cell):
    kernel, world = cell
    table = world.add(LiveBody("table", Box(1, 1, 0.1)), None, Pose(0, 0, -0.05))
    part = world.add(LiveBody("part", Box(0.1, 0.1, 0.1), part=True), table, Pose(0, 0, 0.1))
    hand = world.add(LiveBody("hand", Box(0.02, 0.02, 0.02)), None, Pose(0, 0, 0.11))
    monitor = CollisionMonitor(world, kernel)

    def program():
        delay(0.5)
        world.attach(part, hand)  # hand and part touch, and so do part and table
        up = Sampled(
            [kernel.now, kernel.now + ms(500), kernel.now + ms(1000)],
            [Pose(0, 0, 0.11), Pose(0, 0, 0.2), Pose(0, 0, 0.1)],
        )
        world.move(hand, up)
        delay(2.0)

    kernel.spawn(program)
    kernel.run()
    # Lifting is not reported; placing it 10 mm too deep is a collision.
    assert [(collision.a, collision.b) for collision in monitor.collisions] == [("part", "table")]
    assert monitor.collisions[0].time == pytest.approx(1_450_000, abs=1100)
    assert monitor.collisions[0].depth == pytest.approx(0.01, abs=1e-6)


def test_a_teleport_into_something_is_a_collision_and_beside_it_is_not(cell):
    kernel, world = cell
    cart(world, velocity=(0.001, 0, 0))
    part = world.add(LiveBody("part", Box(0.1, 0.1, 0.1), part=True), None, Pose(0, 0, 5))
    monitor = CollisionMonitor(world, kernel)

    def program():
        delay(1.0)
        world.place(part, Pose(0.001, 0.1, 0))
        delay(1.0)
        world.place(part, Pose(0, 0, 5))
        delay(1.0)
        world.place(part, Pose(0, 0.05, 0))
        delay(1.0)

    kernel.spawn(program)
    kernel.run()
    (collision,) = monitor.collisions
    assert collision.time == 3_000_000
    assert collision.end is None


def test_neighbours_in_a_mechanism_and_bodies_at_rest_are_not_reported(cell, arm_kit):
    kernel, world = cell
    arm = arm_kit.stand(world, shapes=[Sphere(0.25)] * 6)
    post(world, "a")
    post(world, "b", x=1.05)
    monitor = CollisionMonitor(world, kernel, allow=[("arm", "a"), ("arm", "b")])
    kernel.spawn(lambda: (arm.follow(arm_kit.ease(0, arm.joints(), [2.0, *arm.joints()[1:]], 1.0)), delay(1.5)))
    kernel.run()
    pairs = {(collision.a, collision.b) for collision in monitor.collisions}
    assert all(abs(int(a[-1]) - int(b[-1])) > 1 for a, b in pairs)
    assert ("a", "b") not in pairs


def test_the_run_can_stop_at_the_first_collision(cell):
    kernel, world = cell
    part = cart(world, velocity=(0.1, 0, 0))
    post(world)
    monitor = CollisionMonitor(world, kernel, stop=True)

    def program():
        delay(1.0)
        world.move(part, Travel(kernel.now, kernel.now + 10_000_000, world.pose(part), (0.5, 0, 0)))
        delay(20.0)

    kernel.spawn(program)
    outcome = kernel.run()
    assert outcome.ending == "stopped"
    assert outcome.reason == "collision of cart with post"
    assert outcome.time == pytest.approx(2_600_000, abs=1000)
    assert [collision.time for collision in monitor.collisions] == [outcome.time]


def test_an_unfinished_pass_is_reported_at_the_end(cell):
    kernel, world = cell
    cart(world, end=2_000_000)
    post(world, y=0.103)
    monitor = CollisionMonitor(world, kernel, clearance=5 * mm)
    kernel.run(3_000_000)
    (miss,) = monitor.near_misses
    assert miss.end == 3_000_000
    assert [(record.time, record.kind) for record in kernel.journal.records if record.kind != "end"] == [
        (3_000_000, "near miss")
    ]


def test_an_approach_to_grasp_is_not_a_near_miss(cell):
    kernel, world = cell
    hand = cart(world, "hand", velocity=(0.5, 0, 0), end=1_799_000)
    part = post(world, "part")
    monitor = CollisionMonitor(world, kernel, clearance=5 * mm)

    def program():
        delay(1.799)
        world.attach(part, hand)
        delay(0.5)

    kernel.spawn(program)
    kernel.run()
    assert list(monitor.near_misses) == []
    assert list(monitor.collisions) == []


def test_bad_rules_are_refused(cell):
    kernel, world = cell
    post(world)
    with pytest.raises(UnknownName, match="there is no body 'psot'") as caught:
        CollisionMonitor(world, kernel, allow=[("psot", "part*")])
    assert caught.value.hint == "did you mean 'post'?"
    with pytest.raises(WorldError, match="a clearance must be 0 mm or more, not -5 mm"):
        CollisionMonitor(world, kernel, clearance=-5 * mm)
    with pytest.raises(WorldError, match="collision: the cycle must be 1 µs or more, not 0 µs"):
        CollisionMonitor(world, kernel, cycle=0)


def test_looping_motions_are_looked_up(cell, arm_kit):
    kernel, world = cell
    arm = arm_kit.stand(world, shapes=[Sphere(0.05)] * 6)
    post(world, x=0.9)
    monitor = CollisionMonitor(world, kernel)

    def program():
        home = arm.joints()
        away = [1.5, *home[1:]]
        for _ in range(12):
            for here, there in ((home, away), (away, home)):
                arm.follow(arm_kit.ease(kernel.now, here, there, 0.5))
                delay(0.5)

    kernel.spawn(program)
    kernel.run()
    assert len(monitor._search._samples) == 2


def test_a_change_of_motion_does_not_hide_a_collision(cell):
    kernel, world = cell
    cart(world, velocity=(1.0, 0, 0))
    post(world, x=0.1104)
    monitor = CollisionMonitor(world, kernel)

    def go_on():
        delay(0.0107)  # 0.3 mm into the post, before the grid has seen it
        body = world.body("cart")
        world.move(body, Travel(kernel.now, 10_000_000, body.pose, (1.0, 0, 0)))
        delay(1.0)

    kernel.spawn(go_on)
    kernel.run()
    assert [collision.time for collision in monitor.collisions] == [ms(11)]


def test_merged_parts_leave_no_ghosts(cell):
    kernel, world = cell
    block = post(world, "block", x=0.0)
    world.add(LiveBody("block/lid", Box(0.1, 0.1, 0.02)), block, Pose(0, 0, 0.06))
    monitor = CollisionMonitor(world, kernel)
    world.merge(block)
    cart(world, start=(-1.0, 0, 0.05))
    kernel.run(4_000_000)
    assert [(collision.a, collision.b) for collision in monitor.collisions] == [("block", "cart")]


def riding(world, name, x, velocity, belt, part=True):
    body = LiveBody(name, Box(0.1, 0.1, 0.1), part=part)
    return world.add(body, belt, motion=Travel(0, 10_000_000, Pose(x, 0, 0.15), velocity))


@pytest.mark.parametrize(
    ("conveys", "part", "collisions"), [(True, True, 0), (False, True, 1), (True, False, 1)],
    ids=["parts on a belt", "parts on a carrier that is not a belt", "a device on a belt"],
)  # fmt: skip
def test_parts_that_ride_one_belt_may_touch(cell, conveys, part, collisions):
    kernel, world = cell
    belt = world.add(LiveBody("belt", Box(4, 0.3, 0.2), conveys=conveys), None, Pose(0, 0, 0))
    riding(world, "first", 1.0, (0.01, 0, 0), belt)
    riding(world, "second", 0.5, (0.2, 0, 0), belt, part)
    monitor = CollisionMonitor(world, kernel, clearance=20 * mm)
    kernel.run(5_000_000)
    assert len(monitor.collisions) == collisions
    assert list(monitor.near_misses) == []


def test_bodies_on_a_part_ride_the_belt_with_it(cell):
    kernel, world = cell
    belt = world.add(LiveBody("belt", Box(4, 0.3, 0.2), conveys=True), None, Pose(0, 0, 0))
    first = riding(world, "first", 1.0, (0.1, 0, 0), belt)
    riding(world, "second", 0.9, (0.1, 0, 0), belt)
    world.add(LiveBody("lid", Box(0.12, 0.1, 0.01), part=True), first, Pose(0, 0, 0.04))  # reaches into the second
    monitor = CollisionMonitor(world, kernel)
    kernel.run(5_000_000)
    assert list(monitor.collisions) == []


def test_a_part_placed_and_removed_at_once_is_not_a_near_miss(cell):
    kernel, world = cell
    table = world.add(LiveBody("table", Box(1, 1, 0.1)), None, Pose(0, 0, -0.05))
    ball = world.add(LiveBody("ball", Sphere(0.05)), None, motion=Travel(0, 10_000_000, Pose(0, 0, 1.05), (0, 0, -1)))
    monitor = CollisionMonitor(world, kernel, clearance=5 * mm)

    def land():
        delay(0.9999999)  # between two looks of the monitor
        world.attach(ball, table)
        world.remove(ball)
        delay(1)

    kernel.spawn(land)
    kernel.run()
    assert [*monitor.collisions, *monitor.near_misses] == []
