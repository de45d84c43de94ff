"""Verdicts: why a pose cannot be reached, by how much, and what to try."""

import math
import random
import re
from dataclasses import replace

import pytest

from drycell.base import Pose, deg, mm
from drycell.robots import DHRow, Joint, OutOfReach, load_robot, mechanism_from_dh

ARMS = ("puma560", "ur5-like", "irb2000-like", "scorbot-er3", "scara", "cmm", "machine-tool", "box-frame")

# The PUMA's wrist gets as far from its shoulder as upper arm and forearm are long together.
FORE = math.hypot(20.3, 431.8)
STRETCH = 431.8 + FORE


def test_beyond_reach_is_reported_in_millimetres():
    puma = load_robot("puma560")
    pose = Pose((STRETCH + 60.3) * mm, -150.05 * mm, (671.8 + 56.25) * mm)
    with pytest.raises(OutOfReach) as caught:
        puma.inverse(pose, target="mill/fixture")
    assert str(caught.value) == (
        "puma560 cannot reach 'mill/fixture': beyond reach by 60.3 mm\n  try: move the target 60.3 mm towards the base"
    )
    assert caught.value.reach.reason == "too far"
    assert caught.value.reach.amount == pytest.approx(60.3 * mm, abs=1e-9)


def test_just_within_reach_is_within():
    wide = replace(load_robot("puma560"))
    pose = Pose(STRETCH * mm, -150.05 * mm, (671.8 + 56.25) * mm)
    for shift, reason in ((-1e-6, True), (1e-6, False)):
        assert bool(wide.reach(pose.moved(x=shift) @ Pose.turn_y(0))) == reason


def test_the_hole_around_the_waist_is_reported():
    puma = load_robot("puma560")
    verdict = puma.reach(Pose(100.02 * mm, 0.0, 900 * mm))
    assert verdict.reason == "too near"
    assert verdict.text == "too close to the base by 50.0 mm"  # the arm runs 150.05 mm beside the waist
    assert not verdict


def test_a_joint_past_its_limit_is_reported_with_value_and_limits_and_the_way_that_works():
    scorbot = load_robot("scorbot-er3")
    pose = scorbot.forward([0.0, -80 * deg, 100 * deg, 0.0, 0.0])
    bent = replace(
        scorbot,
        joints=(*scorbot.joints[:2], replace(scorbot.joints[2], lower=-130 * deg, upper=90 * deg), *scorbot.joints[3:]),
        home=(0.0, -60 * deg, 80 * deg, 60 * deg, 0.0),
    )
    with pytest.raises(OutOfReach) as caught:
        bent.inverse(pose, configuration="elbow=up", target="mill/fixture")
    assert caught.value.what == (
        "scorbot-er3 cannot reach 'mill/fixture': elbow needs 100.0 deg, limit -130.0..90.0 deg"
    )
    reach = caught.value.reach
    assert (reach.reason, reach.joint) == ("limit", "elbow")
    assert reach.amount == pytest.approx(10 * deg)
    assert caught.value.hint == "another configuration (elbow=down reaches it)"
    assert [str(way) for way in reach.configurations] == ["shoulder=front, elbow=down"]


def test_a_slide_past_its_end_is_reported_in_millimetres():
    scara = load_robot("scara")
    pose = scara.forward([0.1, 0.2, 0.0, 0.0]).moved(z=-0.25)
    assert scara.reach(pose).text == "quill needs 250.0 mm, limit 0.0..210.0 mm"
    cmm = load_robot("cmm")
    verdict = cmm.reach(cmm.forward(cmm.home).moved(x=0.3, y=0.5))
    assert verdict.text == ("bridge needs 875.0 mm, limit 0.0..750.0 mm; carriage needs 550.0 mm, limit 0.0..500.0 mm")


def test_the_yaw_that_does_not_fit_a_5_axis_arm_is_reported_in_degrees():
    scorbot = load_robot("scorbot-er3")
    level = scorbot.forward([0.0, -60 * deg, 90 * deg, -30 * deg, 0.0])
    x, y, z = level.position
    turned = Pose(x, y, z) @ Pose.turn_z(10 * deg) @ Pose(-x, -y, -z) @ level
    verdict = scorbot.reach(turned)
    assert verdict.reason == "orientation"
    assert verdict.text.startswith("its yaw is off by 10.0 deg")
    assert verdict.hint == "give position, pitch and roll, or turn the target about the vertical"
    # Straight down, every yaw is possible: it is the roll.
    down = scorbot.forward(scorbot.home) @ Pose.turn_z(77 * deg)
    assert scorbot.reach(down)


def test_a_tilt_that_a_scara_cannot_make_is_reported_in_degrees():
    scara = load_robot("scara")
    verdict = scara.reach(scara.forward(scara.home) @ Pose.turn_x(7 * deg))
    assert verdict.text == "its orientation is off by 7.0 deg from the nearest one that the axes can reach"


def test_a_place_beside_a_machines_plane_is_reported_in_millimetres():
    mill = load_robot("machine-tool")
    verdict = mill.reach(mill.forward(mill.home).moved(z=0.0123))
    assert verdict.text == "the target is 12.3 mm beside where the axes can go"


def test_an_unreachable_configuration_is_reported_with_a_reachable_one():
    scorbot = load_robot("scorbot-er3")
    pose = scorbot.forward([0.0, -60 * deg, 90 * deg, -30 * deg, 0.0])
    with pytest.raises(OutOfReach) as caught:
        scorbot.inverse(pose, configuration="shoulder=back")
    assert caught.value.reach.reason in ("configuration", "limit")
    assert "shoulder=front" in (caught.value.hint or "")


def test_reach_says_in_how_many_ways():
    puma = load_robot("puma560")
    verdict = puma.reach(puma.forward((0.3, 0.9, -2.0, 0.4, 0.5, 0.6)))
    assert verdict
    assert verdict.text == f"reachable in {len(verdict.configurations)} ways"
    assert len(verdict.configurations) > 1


@pytest.mark.parametrize("name", ARMS)
def test_exactly_the_poses_that_are_called_reachable_are_reached(name):
    robot = load_robot(name)
    stream = random.Random(17)
    called = 0
    for _ in range(400):
        where = [stream.uniform(-1.6, 1.6), stream.uniform(-1.6, 1.6), stream.uniform(-1.0, 2.0)]
        quaternion = [stream.gauss(0, 1) for _ in range(4)]
        pose = Pose.of_quaternion(quaternion, where)
        reach = robot.reach(pose)
        if reach:
            called += 1
            solution = robot.inverse(pose)
            assert max(robot.forward(solution.joints).distance_to(pose)) < 1e-6
            robot.check_joints(solution.joints)
        else:
            assert reach.amount > 0
            with pytest.raises(OutOfReach, match=re.escape(reach.text)):
                robot.inverse(pose)
    assert called > 0 or name in ("scorbot-er3", "scara", "cmm", "machine-tool")  # those need more than chance


@pytest.mark.parametrize("name", ["puma560", "ur5-like", "scorbot-er3", "scara"])
def test_poses_farther_than_the_arm_is_long_are_never_called_reachable(name):
    robot = load_robot(name)
    longest = sum(math.dist((0, 0, 0), link.origin.position) for link in robot.links)
    longest += math.dist((0, 0, 0), robot.flange.pose.position) + 0.21  # and a SCARA's stroke
    stream = random.Random(3)
    for _ in range(300):
        pose = robot.forward([stream.uniform(joint.lower, joint.upper) for joint in robot.joints])
        direction = [stream.gauss(0, 1) for _ in range(3)]
        scale = (longest + stream.uniform(1e-6, 1.0)) / math.hypot(*direction)
        x, y, z = (v * scale for v in direction)
        px, py, pz = pose.position
        assert not robot.reach(pose.moved(x - px, y - py, z - pz))


@pytest.mark.parametrize("name", ARMS)
def test_a_pose_that_is_not_finite_is_not_reachable(name):
    assert not load_robot(name).reach(Pose(math.nan, 0.0, 0.3))


def test_an_arm_that_is_searched_for_says_how_near_it_came():
    joints = [Joint(f"j{k}", "revolute", -2.0, 2.0, 1.5, 5.0, 50.0) for k in range(1, 8)]
    twists, lengths = (-90, 90, 90, -90, -90, 90, 0), (0.34, 0, 0.4, 0, 0.4, 0, 0.126)
    rows = [DHRow(alpha=twist * deg, d=d) for twist, d in zip(twists, lengths, strict=True)]
    verdict = mechanism_from_dh("seven", joints, rows).reach(Pose(1.5, 0.0, 0.34) @ Pose.turn_y(90 * deg))
    assert verdict.reason == "not found"
    assert verdict.text.startswith("the nearest found is ")
    # Stretched out it is 0.926 m long, so 0.574 m are missing at least.
    assert 0.574 < verdict.amount < 0.65
