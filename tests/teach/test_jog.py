"""Jogging: back and forth ends at the start, limits stop the arm, and frames have their stated directions."""

import math

import pytest
from hypothesis import given, settings, strategies as st

from drycell import Cell, Pose, Robot, deg, mm, s
from drycell.base import MotionError, UnknownName
from drycell.teach import DIRECTIONS, FRAMES, Jog


@pytest.fixture
def jog() -> Jog:
    cell = Cell()
    return Jog(cell.add("arm", Robot("ur5-like", gripper="two-finger", at=Pose(0.3, 0.2, 0.1) @ Pose.turn_z(90 * deg))))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(DIRECTIONS), st.sampled_from(FRAMES), st.floats(-0.1, 0.1))
def test_jogging_there_and_back_ends_at_the_start(direction, frame, way) -> None:
    jog = Jog(
        Cell().add("arm", Robot("ur5-like", gripper="two-finger", at=Pose(0.3, 0.2, 0.1) @ Pose.turn_z(90 * deg)))
    )
    before, joints = jog.robot.pose, jog.robot.joints
    assert jog.along(direction, way, frame=frame).complete
    assert jog.robot.pose.distance_to(before)[0 if len(direction) == 1 else 1] == pytest.approx(abs(way), abs=1e-9)
    assert jog.along(direction, -way, frame=frame).complete
    assert jog.robot.pose.distance_to(before) == pytest.approx((0.0, 0.0), abs=1e-7)
    assert jog.robot.joints == pytest.approx(joints, abs=1e-7)


def test_the_frame_determines_the_direction(jog) -> None:
    # The base is turned by 90°: its x axis is the world's y axis. The tool points down.
    here = jog.robot.pose.position
    jog.along("x", 50 * mm, frame="world")
    assert jog.robot.pose.position == pytest.approx((here[0] + 50 * mm, here[1], here[2]))
    jog.along("x", -50 * mm, frame="world")
    jog.along("x", 50 * mm, frame="base")
    assert jog.robot.pose.position == pytest.approx((here[0], here[1] + 50 * mm, here[2]))
    jog.along("x", -50 * mm, frame="base")
    jog.along("z", 50 * mm, frame="tool")
    assert jog.robot.pose.position == pytest.approx((here[0], here[1], here[2] - 50 * mm))


def test_turning_about_a_tool_axis_keeps_the_position(jog) -> None:
    before = jog.robot.pose
    jog.along("rx", 20 * deg, frame="tool")
    shift, angle = jog.robot.pose.distance_to(before @ Pose.turn_x(20 * deg))
    assert (shift, angle) == pytest.approx((0.0, 0.0), abs=1e-9)


def test_a_joint_stops_at_its_limit_with_a_reason() -> None:
    jog = Jog(Cell().add("arm", Robot("scara")))
    done = jog.joint("outer", 100 * deg)
    assert done.moved == pytest.approx(90 * deg)
    assert done.stopped == "outer is at its limit 150.0 deg"
    assert jog.robot.joints[1] == 150 * deg
    assert jog.joint(1, -30 * deg).complete
    assert jog.robot.joints[1] == pytest.approx(120 * deg)


def test_a_speed_over_a_time_is_not_faster_than_the_joint() -> None:
    jog = Jog(Cell().add("arm", Robot("scorbot-er3")))
    assert jog.joint("base", speed=10 * deg, time=0.5 * s).moved == pytest.approx(5 * deg)
    assert jog.joint("base", speed=-90 * deg, time=0.1 * s).moved == pytest.approx(-2 * deg)  # it has 20 deg/s
    assert jog.along("z", speed=-20 * mm / s, time=0.5 * s).moved == pytest.approx(-10 * mm)


def test_a_straight_jog_stops_at_the_limit_of_a_joint() -> None:
    # The quill stands at 40 mm and may go to 210 mm; 0 is up.
    jog = Jog(Cell().add("arm", Robot("scara")))
    done = jog.along("z", -300 * mm)
    assert done.moved == pytest.approx(-170 * mm, abs=1e-6)
    assert done.stopped == "quill is at its limit 210.0 mm"
    assert jog.robot.joints[2] == pytest.approx(210 * mm, abs=1e-6)


def test_a_straight_jog_stops_at_the_edge_of_its_reach() -> None:
    jog = Jog(Cell().add("arm", Robot("scara")))
    x, y, _ = jog.robot.pose.position
    done = jog.along("x", 500 * mm)
    assert done.stopped == "at the edge of its reach"
    assert done.moved == pytest.approx(math.sqrt(0.6**2 - y**2) - x, abs=1e-4)


def test_a_five_axis_arm_keeps_pitch_and_roll_and_can_change_them() -> None:
    cell = Cell()
    jog = Jog(cell.add("arm", Robot("scorbot-er3")))
    jog.to(jog.robot.pose_at((300 * mm, 0, 250 * mm), -60 * deg, 10 * deg))
    assert jog.directions == ("x", "y", "z", "pitch", "roll")
    assert jog.along("y", 100 * mm).complete
    wanted = jog.robot.pose_at((300 * mm, 100 * mm, 250 * mm), -60 * deg, 10 * deg)
    assert jog.robot.pose.distance_to(wanted) == pytest.approx((0.0, 0.0), abs=1e-7)
    assert jog.along("pitch", -30 * deg).complete
    assert jog.along("roll", 35 * deg).complete
    wanted = jog.robot.pose_at((300 * mm, 100 * mm, 250 * mm), -90 * deg, 45 * deg)
    assert jog.robot.pose.distance_to(wanted) == pytest.approx((0.0, 0.0), abs=1e-6)


def test_a_turn_that_an_arm_cannot_make_is_reported() -> None:
    jog = Jog(Cell().add("arm", Robot("scorbot-er3")))
    before = jog.robot.joints
    done = jog.along("rx", 10 * deg, frame="base")  # sideways out of its plane
    assert done.moved == pytest.approx(0.0, abs=1e-5)
    assert done.stopped is not None
    assert "yaw" in done.stopped or "singularity" in done.stopped
    assert jog.robot.joints == pytest.approx(before, abs=1e-4)


def test_errors_for_unknown_names_contain_them(jog) -> None:
    with pytest.raises(UnknownName, match="direction to jog in 'w'"):
        jog.along("w", 1 * mm)
    with pytest.raises(UnknownName, match="frame to jog in 'flange'"):
        jog.along("x", 1 * mm, frame="flange")
    with pytest.raises(MotionError, match="has no joint 6"):
        jog.joint(6, 1 * deg)
    with pytest.raises(MotionError, match="cannot jog by nan"):
        jog.along("x", math.nan)


def test_a_five_axis_arm_whose_tool_points_back_to_its_base_is_still_jogged_by_pitch_and_roll() -> None:
    robot = Cell().add("arm", Robot("scorbot-er3"))
    jog = Jog(robot)
    jog.joint("pitch", 0.3)  # past straight down
    assert jog.directions[-2:] == ("pitch", "roll")
    before = robot.pose
    assert jog.along("pitch", 0.3).complete  # back up to straight down
    assert robot.pose.position == pytest.approx(before.position, abs=1e-9)
    assert robot.pose.direction((0.0, 0.0, 1.0)) == pytest.approx((0.0, 0.0, -1.0), abs=1e-6)
    jog.joint("pitch", 0.3)
    tilted = robot.pose
    assert jog.along("y", 0.05).complete
    assert robot.pose.y == pytest.approx(tilted.y + 0.05, abs=1e-9)
    assert robot.pose.z == pytest.approx(tilted.z, abs=1e-9)
