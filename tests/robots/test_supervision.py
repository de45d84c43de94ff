"""Supervision of lines: singularities and changes of configuration are reported by name."""

import pytest

from drycell.base import MotionError, Pose, UnknownName, deg, mm
from drycell.robots import Arm, Mechanism, StandardController, load_robot


@pytest.mark.parametrize(
    ("joints", "name"),
    [
        ((0.3, -1.2, 1.2, -1.5, 0.02, 0.0), "wrist"),
        ((0.3, -1.2, 0.01, -1.5, -1.5, 0.0), "elbow"),
        # Both bars upright, one on the other and folded back: the wrist is above the waist.
        ((0.3, -100 * deg, 20 * deg, -1.0, -1.5, 0.0), "shoulder"),
        ((0.3, -1.2, 1.2, -1.5, -1.5, 0.0), ""),
    ],
)
def test_a_singularity_has_a_name(six_axis: Mechanism, joints: tuple[float, ...], name: str):
    assert six_axis.singularity(joints) == name


def test_an_arm_without_questions_names_no_singularity():
    arm = load_robot("franka-panda")
    assert arm.singularity(arm.home) == ""
    assert str(arm.configuration(arm.home)) == ""


@pytest.mark.parametrize(
    ("joints", "travel", "name"),
    [
        ((-1.18, -2.0, 1.26, 2.03, -1.22, 0.23), (0.0, 0.3), "shoulder"),  # past the axis of the waist
        ((2.08, 2.01, -1.18, 0.01, 2.39, -2.05), (0.3, 0.0), "elbow"),
    ],
)
def test_a_line_that_meets_a_singularity_names_it(arm: Arm, joints, travel, name: str):
    with pytest.raises(MotionError) as error:
        StandardController().linear_move(arm, joints, arm.tcp(joints).moved(*travel), 0.25, "there")
    assert f"mm of 300.0 mm from the start there is the {name} singularity, where the arm" in str(error.value)
    assert "\n  try: use move() for this stretch" in str(error.value)


def test_the_change_that_a_line_would_need_is_named(arm: Arm):
    joints = (-1.57, -1.16, -1.5, 0.43, -0.93, -1.34)
    with pytest.raises(MotionError, match=r"configuration \(shoulder: right → left, elbow: up → down\)"):
        StandardController().linear_move(arm, joints, arm.tcp(joints).moved(-0.3), 0.25, "there")


def test_a_slowed_line_says_which_singularity_is_near(arm: Arm):
    joints = (*arm.mechanism.home[:4], -0.05, 0.0)
    plan = StandardController().linear_move(arm, joints, arm.tcp(joints).moved(y=0.2), 0.25, "there")
    assert plan.slowed > 1.0
    assert plan.slowed_by.endswith("mm of 200.0 mm, near the wrist singularity")


def test_a_line_that_would_need_another_configuration_is_refused_by_name(scene, six_axis: Mechanism):
    robot = scene.robot(six_axis)
    here = six_axis.configuration(six_axis.home)
    other = "down" if here["elbow"] == "up" else "up"

    def program():
        same = robot.move_linear(robot.here.local.moved(z=-0.05), configuration=f"elbow={here['elbow']}")
        assert same.configuration == here == robot.configuration
        robot.move_linear(robot.here.local.moved(z=0.05), configuration=f"elbow={other}")

    with pytest.raises(MotionError) as error:
        scene.run(program)
    text = str(error.value)
    assert f"which keeps the configuration: elbow: {here['elbow']} → {other} would be needed" in text
    assert "try: use move() with this configuration first" in text
    assert len(robot.moves) == 1


def test_an_arc_checks_its_configuration_too(scene, six_axis: Mechanism):
    robot = scene.robot(six_axis)
    side = six_axis.configuration(six_axis.home)["shoulder"]
    other = "left" if side == "right" else "right"
    p = robot.here.local
    with pytest.raises(MotionError, match=f"shoulder: {side} → {other} would be needed"):
        scene.run(
            lambda: robot.move_circular(p.moved(0.05, 0.05), p.moved(0.0, 0.1), configuration=f"shoulder={other}")
        )


def test_an_unknown_configuration_is_refused(scene, six_axis: Mechanism):
    robot = scene.robot(six_axis)
    with pytest.raises(UnknownName, match="configuration question of"):
        scene.run(lambda: robot.move_linear(robot.here, configuration="ankle=up"))


def test_a_joint_limit_on_a_line_names_the_configuration_that_the_target_needs():
    arm = Arm("arm", load_robot("puma560"))
    mechanism = arm.mechanism
    pose = Pose(400 * mm, 200 * mm, 900 * mm) @ Pose.turn_y(90 * deg)
    start = next(each for each in mechanism.solutions(pose) if "wrist=flip" in str(each.configuration))
    with pytest.raises(
        MotionError, match=r"roll needs -112\.6 deg, limit .*; the target would need wrist: flip → noflip"
    ):
        StandardController().linear_move(arm, start.joints, pose.moved(y=-300 * mm), 0.1, "there")
