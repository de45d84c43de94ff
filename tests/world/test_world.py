import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import Pose, UnknownName, WorldError
from drycell.geometry import Box
from drycell.world import Fall, LiveBody, Rest, Sampled, Travel, lineage
from drycell.world.body import chain
from drycell.world.motion_piece import segment_starts

numbers = st.floats(-1.0, 1.0)
vectors = st.tuples(numbers, numbers, numbers)
poses = st.builds(Pose.of_rotation_vector, vectors, vectors)


# ---------------------------------------------------------------- the tree


def test_a_body_moves_with_its_parent(world):
    table = world.add(LiveBody("table"), None, Pose(1.0) @ Pose.turn_z(math.pi / 2))
    part = world.add(LiveBody("part"), table, Pose(0.1, 0.0, 0.02))
    assert world.pose(part).position == pytest.approx((1.0, 0.1, 0.02))
    assert [each.name for each in world.subtree(table)] == ["table", "part"]
    assert lineage(part) == (part, table)


def test_a_change_holds_at_its_own_instant_and_the_past_stays(clock, world):
    box = world.add(LiveBody("box"))
    clock.now = 1_000_000
    world.place(box, Pose(0.5))
    clock.now = 3_000_000
    assert world.pose(box, 999_999).x == 0.0
    assert world.pose(box, 1_000_000).x == 0.5
    assert world.pose(box, -5).x == 0.0
    assert world.pose(box).x == 0.5


def test_an_attached_part_goes_where_its_carrier_goes_and_stays_when_released(clock, world):
    belt = world.add(LiveBody("belt"), None, Pose(0, 0, 0.5))
    hand = world.add(LiveBody("hand"), None, Pose(0, 1.0, 0.5))
    part = world.add(LiveBody("part", part=True), belt, Pose(0.2))
    clock.now = 1_000_000
    world.attach(part, hand)
    assert world.pose(part).position == pytest.approx((0.2, 0.0, 0.5))
    world.move(hand, Travel(clock.now, 2_000_000, Pose(0, 1.0, 0.5), (0, 0, 1.0)))
    clock.now = 2_000_000
    assert world.pose(part).position == pytest.approx((0.2, 0.0, 1.5))
    world.attach(part, None)
    clock.now = 3_000_000
    world.place(hand, Pose())
    assert world.pose(part).position == pytest.approx((0.2, 0.0, 1.5))
    assert world.pose(part, 1_500_000).position == pytest.approx((0.2, 0.0, 1.0))
    assert world.pose(part, 500_000).position == pytest.approx((0.2, 0.0, 0.5))
    assert [segment.parent for segment in part.history] == [belt, hand, None]
    assert belt.children == hand.children == []


def test_a_cycle_is_refused_with_its_chain(world):
    a = world.add(LiveBody("a"))
    b = world.add(LiveBody("b"), a)
    c = world.add(LiveBody("c"), b)
    with pytest.raises(WorldError) as caught:
        world.attach(a, c)
    assert caught.value.what == "cannot attach 'a' to 'c': 'c' is attached to 'a' (c → b → a → …)"
    assert caught.value.hint == "a tree of bodies has no cycles; detach one of the two first"
    with pytest.raises(WorldError, match="cannot attach 'a' to 'a'"):
        world.attach(a, a)
    assert a.parent is None


def test_names_are_unique_and_unknown_ones_get_did_you_mean(world):
    world.add(LiveBody("fixture"))
    with pytest.raises(WorldError, match="a body 'fixture' already exists"):
        world.add(LiveBody("fixture"))
    with pytest.raises(UnknownName) as caught:
        world.body("fixtur")
    assert str(caught.value) == "there is no body 'fixtur'\n  try: did you mean 'fixture'?"


def test_only_bodies_in_the_cell_can_move_or_carry(world):
    inside, outside = world.add(LiveBody("inside")), LiveBody("outside")
    with pytest.raises(UnknownName, match="there is no body 'outside'"):
        world.place(outside, Pose())
    with pytest.raises(WorldError, match="'outside' is not in this cell"):
        world.attach(inside, outside)
    assert inside.parent is None


def test_a_removed_body_keeps_its_past_and_cannot_be_added_again(clock, world):
    tray = world.add(LiveBody("tray"), None, Pose(1.0))
    part = world.add(LiveBody("part"), tray, Pose(0.0, 1.0))
    clock.now = 10
    world.remove(tray)
    assert world.bodies == {}
    assert world.pose(part, 9).position == (1.0, 1.0, 0.0)
    with pytest.raises(WorldError, match=r"'part' is not in the cell at 0\.000010 s"):
        world.pose(part)
    with pytest.raises(WorldError, match="'tray' has been in a cell before"):
        world.add(tray)


def test_a_body_added_during_the_run_does_not_exist_before(clock, world):
    clock.now = 5
    late = world.add(LiveBody("late"))
    assert not late.exists(4)
    assert late.exists(5)
    with pytest.raises(WorldError, match="'late' is not in the cell"):
        world.pose(late, 4)


# ---------------------------------------------------------------- by name (E2), workpoints (G1)


def test_any_node_is_shifted_and_turned_by_name(world):
    world.add(LiveBody("table"), None, Pose(1.0))
    world.add(LiveBody("table/vice"), world.body("table"), Pose(0.0, 0.2))
    world.translate(world.body("table"), z=0.1)
    world.rotate(world.body("table"), "z", math.pi / 2)
    assert world.pose(world.body("table")).position == pytest.approx((1.0, 0.0, 0.1))
    assert world.pose(world.body("table/vice")).position == pytest.approx((0.8, 0.0, 0.1))
    world.translate(world.body("table/vice"), 1.0, 2.0, 3.0)  # along its parent's axes
    assert world.pose(world.body("table/vice")).position == pytest.approx((-1.2, 1.0, 3.1))
    world.rotate(world.body("table/vice"), "x", math.pi)  # about its own axis: it stays in place
    assert world.pose(world.body("table/vice")).position == pytest.approx((-1.2, 1.0, 3.1))
    with pytest.raises(UnknownName, match="there is no axis 'w'"):
        world.rotate(world.body("table"), "w", 1.0)


def test_workpoints_move_with_their_body(clock, world):
    fixture = world.add(LiveBody("fixture"), None, Pose(0.5))
    point = world.add_workpoint("fixture/pick", fixture, Pose(0, 0, 0.1))
    fixed = world.add_workpoint("home", None, Pose(0, 0, 1.0))
    clock.now = 7
    world.translate(fixture, y=0.3)
    assert world.pose(point).position == pytest.approx((0.5, 0.3, 0.1))
    assert world.pose(point, 6).position == pytest.approx((0.5, 0.0, 0.1))
    assert world.pose(fixed).position == (0, 0, 1.0)
    assert world.workpoint("home") is fixed
    with pytest.raises(UnknownName, match="there is no workpoint 'fixture/pik'") as caught:
        world.workpoint("fixture/pik")
    assert caught.value.hint == "did you mean 'fixture/pick'?"
    with pytest.raises(WorldError, match="a workpoint 'home' already exists"):
        world.add_workpoint("home", None, Pose())


# ---------------------------------------------------------------- versions


def test_every_change_bumps_the_version_of_all_carried_bodies(world, arm_kit):
    arm = arm_kit.stand(world)
    part = world.add(LiveBody("part"), arm.links[5])
    other = world.add(LiveBody("other"))
    seen = []
    world.subscribe(lambda body: seen.append(body.name))
    before = part.version, other.version
    arm.follow(arm_kit.ease(0, arm.joints(0), [1, -1, 1, 0, 0, 0], 1.0))
    after_move = part.version
    arm.cut(500_000)
    after_cut = part.version
    world.place(arm.base, Pose(1.0))
    assert before[0] < after_move < after_cut < part.version
    assert other.version == before[1]
    assert set(seen) == {"arm", *(link.name for link in arm.links)}


def test_a_teleport_bumps_the_version_too(world):
    box = world.add(LiveBody("box"))
    before = box.version
    world.place(box, Pose(1.0))
    assert box.version > before


# ---------------------------------------------------------------- bounds and batches of nested motion


@st.composite
def local_motions(draw):
    kind = draw(st.sampled_from(["rest", "travel", "fall", "sampled"]))
    start = draw(st.integers(0, 1_500_000))
    span = draw(st.integers(1, 2_000_000))
    if kind == "rest":
        return Rest(draw(poses))
    if kind == "travel":
        return Travel(start, start + span, draw(poses), draw(vectors))
    if kind == "fall":
        return Fall(start, start + span, draw(poses), draw(vectors))
    return Sampled([start, start + span, start + 2 * span], [draw(poses), draw(poses), draw(poses)])


@st.composite
def scripts(draw):
    """Changes to a tree of five bodies and an arm: (instant, body, motion, parent or −1), instants rising."""
    count = draw(st.integers(0, 6))
    times = sorted(draw(st.lists(st.integers(1, 2_900_000), min_size=count, max_size=count)))
    return [(t, draw(st.integers(0, 4)), draw(local_motions()), draw(st.integers(-1, 9))) for t in times]


def play(make_world, arm_kit, firsts, moves, script):
    clock, world = make_world()
    arm = arm_kit.stand(world, scale=0.5)
    bodies = []
    for i, motion in enumerate(firsts):
        bodies.append(world.add(LiveBody(f"b{i}"), bodies[-1] if i % 2 else arm.links[i], motion=motion))
    carriers = [*bodies, *arm.links]
    joints, at = arm.joints(0), 0
    for target in moves:
        arm.follow(arm_kit.ease(at, joints, target, 0.7))
        joints, at = target, at + 700_000
        arm._world._clock.now = min(at, 0)
    for t, who, motion, parent in script:
        clock.now = t
        carrier = carriers[parent] if parent >= 0 else None
        if carrier is not None and bodies[who] in lineage(carrier):
            carrier = None
        world.move(bodies[who], motion, carrier)
    return world, carriers


joint_targets = st.lists(st.lists(st.floats(-2, 2), min_size=6, max_size=6), max_size=3)
first_motions = st.lists(local_motions(), min_size=5, max_size=5)


@settings(max_examples=150, deadline=None)
@given(st.data(), first_motions, joint_targets, scripts(), vectors)
def test_nested_motion_never_exceeds_its_bound(make_world, arm_kit, data, firsts, moves, script, arm):
    world, carriers = play(make_world, arm_kit, firsts, moves, script)
    body = carriers[data.draw(st.integers(0, len(carriers) - 1))]
    t0 = data.draw(st.integers(0, 2_900_000))
    t1 = t0 + data.draw(st.integers(1, 1_000_000))
    steps = sorted(world.changes(body, t0, t1))
    # Bounds hold from change to change; at a change a body may be put elsewhere at once.
    for a, b in pairwise([t0, *steps, t1 + 1]):
        times = sorted({a, b - 1, *np.linspace(a, b - 1, 12).astype(int).tolist()})
        speed, turn = world.bound(body, a, b - 1)
        top = speed + turn * math.hypot(*arm)
        points = [world.pose(body, t).point(arm) for t in times]
        for (s, p), (u, q) in pairwise(zip(times, points, strict=True)):
            assert math.dist(p, q) <= top * (u - s) * 1e-6 + 1e-9


@settings(max_examples=100, deadline=None)
@given(st.data(), first_motions, joint_targets, scripts())
def test_a_batch_equals_the_poses(make_world, arm_kit, data, firsts, moves, script):
    world, carriers = play(make_world, arm_kit, firsts, moves, script)
    body = carriers[data.draw(st.integers(0, len(carriers) - 1))]
    times = sorted(data.draw(st.lists(st.integers(0, 3_500_000), min_size=1, max_size=12, unique=True)))
    rotations, positions = world.batch(body, np.array(times))
    for t, R, p in zip(times, rotations, positions, strict=True):
        assert np.allclose(R, world.pose(body, t).rotation, atol=1e-9)
        assert np.allclose(p, world.pose(body, t).translation, atol=1e-9)


# ---------------------------------------------------------------- merging (E1)


def test_a_merged_part_can_no_longer_be_moved_alone(world):
    block = world.add(LiveBody("block", Box(0.1, 0.1, 0.1)))
    world.add(LiveBody("block/bore", Box(0.05, 0.05, 0.2), hole=True), block)
    knob = world.add(LiveBody("block/knob", Box(0.02, 0.02, 0.02)), block, Pose(0.04, 0, 0.06))
    version = block.version
    world.merge(block)
    assert block.shape.volume == pytest.approx(0.1**3 - 0.05**2 * 0.1 + 0.02**3, rel=1e-6)
    assert block.version > version
    assert block.children == []
    for call in (lambda: world.body("block/knob"), lambda: world.translate(knob, x=1.0)):
        with pytest.raises(WorldError) as caught:
            call()
        assert caught.value.what == "'block/knob' is merged into 'block' and can no longer be moved separately"
        assert caught.value.hint == "move 'block', or build the cell without merging it"


def test_only_solids_can_be_merged(world):
    frame = world.add(LiveBody("frame"))
    world.add(LiveBody("frame/bore", Box(0.05, 0.05, 0.2), hole=True), frame)
    with pytest.raises(WorldError, match="'frame' has no solid to merge"):
        world.merge(frame)


# ---------------------------------------------------------------- carriers that change places


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8))
def test_segments_of_the_past_have_the_carriers_of_their_own_time(make_world, attachments):
    """Three bodies carry each other in turn; each instant's chain of carriers is looked at one tick at a time."""
    clock, world = make_world()
    bodies = [world.add(LiveBody(name, part=True), None, Pose(0.1 * k)) for k, name in enumerate("abc")]
    belt = world.add(LiveBody("belt"), None, motion=Travel(0, 100, Pose(), (1.0, 0, 0)))
    for body, carrier, wait in attachments:
        clock.now += wait
        parent = [*bodies, belt][carrier]
        if bodies[body] not in lineage(parent):
            world.attach(bodies[body], parent)
    end = clock.now + 2
    for body in bodies:
        chains = [[(each.start, each.parent) for each in chain(body, t)] for t in range(end + 1)]
        changed = {t for t in range(1, end + 1) if chains[t] != chains[t - 1]}
        assert changed <= world.changes(body, 0, end) <= set(range(1, end + 1))
        assert changed <= segment_starts(body, 0, end + 1)
        rides = any(parent is belt for links in chains for _, parent in links)
        assert world.bound(body, 0, end) == ((1.0, 0.0) if rides else (0.0, 0.0))
