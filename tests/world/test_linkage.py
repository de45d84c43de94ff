import numpy as np
import pytest

from drycell.base import Pose, WorldError
from drycell.world import Linkage, LiveBody

HOME = [0.0, -1.2, 1.2, -1.5, -1.57, 0.0]
AWAY = [1.0, -0.8, 0.9, -1.0, -1.2, 0.5]


def test_link_poses_follow_from_the_joints(world, arm_kit):
    arm = arm_kit.stand(world, pose=Pose(1.0))
    expected = arm.kinematics.link_poses(HOME)
    assert [world.pose(link) for link in arm.links] == [Pose(1.0) @ pose for pose in expected]


def test_a_move_is_followed_and_its_past_stays(clock, world, arm_kit):
    arm = arm_kit.stand(world)
    arm.follow(arm_kit.ease(0, HOME, AWAY, 2.0))
    clock.now = 5_000_000
    assert arm.joints(1_000_000) == pytest.approx([(a + b) / 2 for a, b in zip(HOME, AWAY, strict=True)])
    assert arm.joints() == pytest.approx(AWAY)
    assert arm.velocity(1_000_000)[0] == pytest.approx(0.75)
    assert arm.velocity() == [0.0] * 6
    arm.follow(arm_kit.ease(5_000_000, AWAY, HOME, 2.0))
    assert arm.joints(1_000_000) == pytest.approx([(a + b) / 2 for a, b in zip(HOME, AWAY, strict=True)])
    assert arm.joints(4_000_000) == pytest.approx(AWAY)


def test_after_removal_bodies_start_where_their_first_remaining_motion_begins(clock, world, arm_kit):
    arm = arm_kit.stand(world)
    block = world.add(LiveBody("block", part=True))
    for start, (here, there) in enumerate(((HOME, AWAY), (AWAY, HOME), (HOME, AWAY))):
        clock.now = start * 5_000_000
        arm.follow(arm_kit.ease(clock.now, here, there, 2.0))
        world.place(block, Pose(start))
    halfway = arm.joints(6_000_000)
    world.forget(6_000_000)
    assert (len(arm.history), len(block.history)) == (2, 2)
    assert arm.joints(6_000_000) == halfway
    assert arm.joints(1_000_000) == pytest.approx(AWAY)
    assert [world.pose(block, t).x for t in (1_000_000, 6_000_000, 10_000_000)] == [1, 1, 2]


def test_a_new_move_replaces_planned_ones(clock, world, arm_kit):
    arm = arm_kit.stand(world)
    arm.follow(arm_kit.ease(0, HOME, AWAY, 2.0))
    clock.now = 1_000_000
    halfway = arm.joints()
    arm.follow(arm_kit.ease(clock.now, halfway, HOME, 1.0))
    assert arm.history[-2].end == 1_000_000
    clock.now = 2_000_000
    assert arm.joints() == pytest.approx(HOME)
    assert arm.joints(1_000_000) == pytest.approx(halfway)


def test_a_cut_stops_the_motion_at_that_instant(clock, world, arm_kit):
    arm = arm_kit.stand(world)
    arm.follow(arm_kit.ease(0, HOME, AWAY, 2.0))
    clock.now = 500_000
    arm.cut(700_000)
    at_cut = arm.joints(700_000)
    clock.now = 3_000_000
    assert arm.joints() == at_cut
    with pytest.raises(WorldError, match="arm cannot be stopped in the past: 5 µs, now 3000000 µs"):
        arm.cut(5)


def test_jumps_must_be_explicit(clock, world, arm_kit):
    arm = arm_kit.stand(world)
    with pytest.raises(WorldError, match=r"arm would jump by 1\.000000 rad or m at 0 µs") as caught:
        arm.follow(arm_kit.ease(0, AWAY, HOME, 1.0))
    assert caught.value.hint == "use jump() to do that on purpose"
    clock.now = 10
    arm.jump(AWAY)
    assert arm.joints(9) == HOME
    assert arm.joints(10) == AWAY


def test_the_past_cannot_be_moved(clock, world, arm_kit):
    arm = arm_kit.stand(world)
    clock.now = 10
    with pytest.raises(WorldError, match="arm cannot be moved in the past: 0 µs, now 10 µs"):
        arm.follow(arm_kit.ease(0, HOME, AWAY, 1.0))


def test_bodies_and_links_must_agree(world, arm_kit):
    arm = arm_kit.stand(world)
    with pytest.raises(WorldError, match="second has 6 links and 6 joints, but 1 bodies and 6 joint values"):
        Linkage(world, "second", arm.kinematics, arm.base, [LiveBody("x")], HOME)


def test_a_batch_runs_over_several_moves(clock, world, arm_kit):
    arm = arm_kit.stand(world, pose=Pose.turn_z(0.3) @ Pose(0.2))
    arm.follow(arm_kit.ease(0, HOME, AWAY, 1.0))
    clock.now = 1_000_000
    arm.follow(arm_kit.ease(1_200_000, AWAY, HOME, 1.0))
    times = np.arange(0, 2_500_000, 100_000)
    for i, link in enumerate(arm.links):
        rotations, positions = world.batch(link, times)
        for t, R, p in zip(times, rotations, positions, strict=True):
            pose = world.pose(arm.links[i], int(t))
            assert np.allclose(R, pose.rotation, atol=1e-9)
            assert np.allclose(p, pose.translation, atol=1e-9)


def test_which_links_are_neighbours(world, arm_kit):
    arm = arm_kit.stand(world)
    names = [link.name for link in arm.neighbours(arm.links[2])]
    assert names == ["arm/link2", "arm/link4"]
    assert arm.base in arm.neighbours(arm.links[0])
    assert arm.links[0] in arm.neighbours(arm.base)
