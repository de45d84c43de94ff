"""Verdicts on frames, with numbers worked out by hand on a SCARA (arms of 325 and 275 mm) and on a 5-axis arm."""

import math

import pytest

from drycell import Cell, Pose, Robot, deg, mm
from drycell.teach import nearest_singularity, verdict


@pytest.fixture
def scara():
    return Cell().add("arm", Robot("scara"))


def down(x: float, y: float, z: float = 100 * mm, turn: float = 0.0) -> Pose:
    return Pose(x, y, z) @ Pose.turn_z(turn) @ Pose.turn_x(math.pi)


def at(scara, outer: float) -> Pose:
    """Where the tool is with the inner arm along x and the outer one bent."""
    return down(325 * mm + 275 * mm * math.cos(outer), 275 * mm * math.sin(outer))


def test_green_gives_the_configuration_and_its_joints(scara) -> None:
    found = verdict(scara, at(scara, 90 * deg))
    assert found.lamp == "green"
    assert found
    assert found.configuration == "elbow=left"
    assert found.configurations == ("elbow=left", "elbow=right")
    assert found.joints is not None
    assert found.joints[:2] == pytest.approx((0.0, 90 * deg))
    assert found.text == "within reach (elbow=left)"
    assert found.suggestion is None


def test_out_of_reach_says_by_how_much(scara) -> None:
    found = verdict(scara, down(700 * mm, 0))
    assert (found.lamp, found.text) == ("red", "beyond reach by 100.0 mm")
    assert found.reach.amount == pytest.approx(100 * mm)
    assert found.suggestion == "move the target 100.0 mm towards the base"
    assert not found


def test_amber_reports_which_joint_is_close_to_which_limit(scara) -> None:
    found = verdict(scara, at(scara, 148 * deg))
    assert found.lamp == "amber"
    assert found.text == "outer at 148.0 deg is 2.0 deg from its limit 150.0 deg"
    assert found.near[0].joint == "outer"
    assert found.near[0].left == pytest.approx(2 * deg)
    assert verdict(scara, at(scara, 144 * deg)).lamp == "green"


def test_amber_reports_the_distance_to_a_singularity(scara) -> None:
    found = verdict(scara, at(scara, 3 * deg))
    assert found.lamp == "amber"
    assert found.text == "outer is 3.0 deg from a singularity"
    assert found.singularity is not None
    assert found.singularity.away == pytest.approx(3 * deg, abs=0.01 * deg)
    assert verdict(scara, at(scara, 6 * deg)).lamp == "green"
    stretched = verdict(scara, at(scara, 0.0))
    assert stretched.text.startswith("at a singularity: joints can turn")


def test_a_quill_is_close_to_its_limit_in_millimetres(scara) -> None:
    # The flange is at z = 330 + 95 − 191 − quill: 27 mm leave the quill at 207 of 210 mm.
    found = verdict(scara, down(325 * mm, 275 * mm, 27 * mm))
    assert found.text == "quill at 207.0 mm is 3.0 mm from its limit 210.0 mm"


def test_past_a_limit_says_value_and_limits(scara) -> None:
    found = verdict(scara, down(325 * mm, 275 * mm, 4 * mm))
    assert found.lamp == "red"
    assert found.text == "quill needs 230.0 mm, limit 0.0..210.0 mm"
    assert found.reach.amount == pytest.approx(20 * mm)


def test_an_impossible_direction_is_reported_in_degrees(scara) -> None:
    found = verdict(scara, at(scara, 90 * deg) @ Pose.turn_x(12 * deg))
    assert (found.lamp, found.text) == (
        "red",
        "its orientation is off by 12.0 deg from the nearest one that the axes can reach",
    )


def test_a_five_axis_arm_gets_a_direction_it_can_have() -> None:
    arm = Cell().add("arm", Robot("scorbot-er3"))
    good = arm.pose_at((250 * mm, 150 * mm, 200 * mm), -60 * deg, 0.0)
    assert verdict(arm, good).lamp == "green"
    askew = Pose(*good.position) @ Pose.turn_z(10 * deg) @ Pose(*good.position).inverse() @ good
    found = verdict(arm, askew)
    assert found.lamp == "red"
    assert "the approach direction must lie in the vertical plane through the waist" in found.text
    assert found.suggestion == "turn its approach -10.0 deg about the vertical, into the plane of the arm"
    assert found.better is not None
    assert verdict(arm, found.better)
    assert found.better.distance_to(good) == pytest.approx((0.0, 0.0), abs=1e-6)


def test_a_turn_about_the_normal_is_suggested_where_it_helps() -> None:
    robot = Cell().add("arm", Robot("scara", joints=(0.0, 60 * deg, 40 * mm, 0.0), tool=Pose(300 * mm, 0, 0)))
    # The tool sticks out 300 mm along the frame's x: turned round, the arm need not reach behind itself.
    found = verdict(robot, down(-200 * mm, 0.0, 150 * mm, turn=0.0))
    assert found.lamp == "red"
    assert found.better is not None
    assert verdict(robot, found.better)
    assert "about its normal" in str(found.suggestion)


def test_straight_line_reachability_is_reported_separately() -> None:
    arm = Cell().add("arm", Robot("ur5-like"))
    x, y, z = arm.pose.position
    behind = Pose(-x, -y, z) @ Pose.turn_z(math.pi) @ Pose(*arm.pose.position).inverse() @ arm.pose
    found = verdict(arm, behind)
    assert found
    assert found.straight is not None
    assert not found.straight
    assert "cannot continue" in found.straight.text
    assert verdict(arm, arm.pose.moved(z=-100 * mm)).straight


def test_the_wrist_of_a_six_axis_arm_reports_how_far_it_is_from_straight() -> None:
    robot = Cell().add("arm", Robot("puma560"))
    joints = list(robot.mechanism.home)
    joints[1:5] = [-0.6, 2.4, 0.5, 2 * deg]
    found = nearest_singularity(robot.mechanism, joints, 5 * deg)
    assert found is not None
    assert found.joint == robot.mechanism.joint_names[4]
    assert found.away == pytest.approx(2 * deg, abs=0.01 * deg)
