"""Lines of a 5-axis arm: the tool on the line, pitch and roll evenly on the way."""

import math

import numpy as np
import pytest

from drycell.base import Pose, deg
from drycell.robots import Arm, Mechanism, StandardController, SteppingController, load_robot
from drycell.robots.path import Line, PitchRollPath, for_arm


@pytest.fixture(scope="module")
def scorbot() -> Arm:
    return Arm("scorbot", load_robot("scorbot-er3"), Pose(0.0, 0.0, 0.05))


def tool_at(arm: Arm, x: float, y: float, z: float, pitch: float, roll: float) -> Pose:
    return arm.mechanism.pose_at((x, y, z), pitch, roll, arm.tool) @ arm.tool


def pitch_of(pose: Pose) -> float:
    return math.asin(pose.direction((0.0, 0.0, 1.0))[2])


def test_a_tilted_line_keeps_to_the_line_and_its_pitch(scorbot: Arm):
    start = tool_at(scorbot, 0.42, -0.15, 0.3, -45 * deg, 0.0)
    end = tool_at(scorbot, 0.42, 0.15, 0.3, -45 * deg, 0.0)
    joints = scorbot.mechanism.inverse(scorbot.flange(start)).joints
    plan = StandardController().linear_move(scorbot, joints, end, 0.1, "there")
    for u in np.linspace(0.0, plan.duration, 300):
        tool = scorbot.tcp(plan.spline.joints(u))
        assert math.hypot(tool.x - 0.42, tool.z - 0.3) <= 1e-6
        assert pitch_of(tool) == pytest.approx(-45 * deg, abs=1e-5)
    assert scorbot.tcp(plan.end).distance_to(end) == pytest.approx((0.0, 0.0), abs=1e-9)


def test_pitch_and_roll_go_evenly_from_start_to_end(scorbot: Arm):
    start = tool_at(scorbot, 0.42, -0.1, 0.35, -40 * deg, 10 * deg)
    end = tool_at(scorbot, 0.44, 0.1, 0.35, -20 * deg, 50 * deg)
    path = for_arm(scorbot, Line(start, end))
    assert isinstance(path, PitchRollPath)
    assert path.pitch == pytest.approx((-40 * deg, -20 * deg))
    assert path.roll == pytest.approx((10 * deg, 50 * deg))
    assert path.pose(0.0).distance_to(start) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert path.pose(1.0).distance_to(end) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert pitch_of(path.pose(0.5)) == pytest.approx(-30 * deg)


def test_a_tool_that_points_down_keeps_its_orientation(scorbot: Arm):
    down = scorbot.tcp(scorbot.mechanism.home)
    line = Line(down, down.moved(0.0, 0.1, 0.05))
    assert for_arm(scorbot, line) is line


def test_six_axes_need_no_help(arm: Arm):
    line = Line(Pose(), Pose(0.1, 0.0, 0.0))
    assert for_arm(arm, line) is line


def test_a_stepped_line_takes_enough_cycles_that_no_motor_is_too_slow(scorbot: Arm):
    start = tool_at(scorbot, 0.42, -0.15, 0.3, -45 * deg, 0.0)
    end = tool_at(scorbot, 0.42, 0.15, 0.3, -45 * deg, 0.0)
    joints = scorbot.mechanism.inverse(scorbot.flange(start)).joints
    plan = SteppingController(0.02).linear_move(scorbot, joints, end, 1.0, "there")
    assert plan.duration > 0.3
    for joint, speed in zip(scorbot.mechanism.joints, plan.spline.top_speeds, strict=True):
        assert speed <= joint.speed * (1 + 1e-6)


@pytest.mark.parametrize("name", ["puma560", "ur5-like", "scara", "scorbot-er3", "box-frame", "cmm"])
def test_every_arm_of_the_library_moves_straight(name: str):
    mechanism: Mechanism = load_robot(name)
    arm = Arm(name, mechanism)
    start = arm.tcp(mechanism.home)
    plan = StandardController().linear_move(arm, mechanism.home, start.moved(0.0, 0.03, -0.03), 0.1, "there")
    for u in np.linspace(0.0, plan.duration, 100):
        tool = arm.tcp(plan.spline.joints(u))
        assert tool.x == pytest.approx(start.x, abs=1e-6)
        assert tool.y - start.y == pytest.approx(start.z - tool.z, abs=2e-6)
