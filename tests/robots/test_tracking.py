"""Splines that keep a tool on its trajectory, checked against the true path at instants the planner never looked at."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from drycell.base import MotionError, Pose
from drycell.handling import MotionLimits, time_law
from drycell.robots import Arm
from drycell.robots.path import Line, Path, arc_through
from drycell.robots.tool_trajectory import TOLERANCE, TURN_TOLERANCE, TimedPath, ToolTrajectory, track

LINEAR, TURNING = MotionLimits(0.25, 2.0, 20.0), MotionLimits(math.pi, 8.0, 80.0)


def course_of(path: Path) -> ToolTrajectory:
    limits = path.limits(LINEAR, TURNING)
    return ToolTrajectory((TimedPath(path, time_law(path.span, limits), limits),))


def deviation(arm: Arm, path: Path) -> tuple[float, float]:
    trajectory = course_of(path)
    spline = track(arm, trajectory, arm.mechanism.home, "there")
    apart = [
        arm.tcp(spline.joints(u)).distance_to(trajectory.pose(u))
        for u in np.linspace(0.0, spline.duration, 1777).tolist()
    ]
    return max(metres for metres, _ in apart), max(radians for _, radians in apart)


def test_a_line_is_kept_to_a_micrometre(arm: Arm):
    start = arm.tcp(arm.mechanism.home)
    end = start.moved(0.05, 0.25, -0.15) @ Pose.of_rotation_vector((0.3, 0.2, 0.1))
    metres, radians = deviation(arm, Line(start, end))
    assert metres <= TOLERANCE == 1e-6
    assert radians <= TURN_TOLERANCE


def test_an_arc_is_kept_to_a_micrometre(arm: Arm):
    start = arm.tcp(arm.mechanism.home)
    metres, radians = deviation(
        arm, arc_through(start, start.moved(0.1, 0.1, 0.0).position, start.moved(0.0, 0.2, 0.05))
    )
    assert metres <= TOLERANCE
    assert radians <= TURN_TOLERANCE


def test_a_turn_on_the_spot_stays_on_the_spot(arm: Arm):
    start = arm.tcp(arm.mechanism.home)
    metres, radians = deviation(arm, Line(start, start @ Pose.turn_x(0.5)))
    assert metres <= TOLERANCE
    assert radians <= TURN_TOLERANCE


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.tuples(*[st.floats(-0.25, 0.25)] * 3),
    st.tuples(*[st.floats(-0.4, 0.4)] * 3),
)
def test_any_line_is_kept_to_a_micrometre(arm: Arm, travel, turn):
    start = arm.tcp(arm.mechanism.home)
    assume(math.hypot(*travel) > 1e-3)
    try:
        metres, radians = deviation(arm, Line(start, start.moved(*travel) @ Pose.of_rotation_vector(turn)))
    except MotionError:
        assume(False)
    assert metres <= TOLERANCE
    assert radians <= TURN_TOLERANCE


def test_the_end_does_not_depend_on_the_way_there(arm: Arm):
    start = arm.tcp(arm.mechanism.home)
    end = start.moved(0.0, 0.2, -0.1)
    direct = track(arm, course_of(Line(start, end)), arm.mechanism.home, "there")
    corner = start.moved(0.1, 0.1, 0.0)
    first = track(arm, course_of(Line(start, corner)), arm.mechanism.home, "corner")
    second = track(arm, course_of(Line(corner, end)), first.end, "there")
    assert direct.end == second.end  # bit for bit, so that a looping program repeats its plans


def test_a_path_that_leaves_the_reach_says_where_and_why(arm: Arm):
    start = arm.tcp(arm.mechanism.home)
    with pytest.raises(MotionError) as error:
        track(arm, course_of(Line(start, start.moved(x=1.2, y=0.3))), arm.mechanism.home, "mill/fixture")
    text = str(error.value)
    assert text.startswith("arm cannot continue to 'mill/fixture': 5")
    assert " mm of 1236.9 mm from the start, too close to the base by " in text
    assert "\n  try: " in text


def test_a_path_that_passes_a_joint_limit_says_where_and_by_how_much(arm: Arm):
    joints = list(arm.mechanism.joints)
    joints[0] = replace(joints[0], lower=-0.2, upper=0.2)
    narrow = Arm("arm", replace(arm.mechanism, joints=tuple(joints)), arm.tool)
    start = narrow.tcp(narrow.mechanism.home)
    with pytest.raises(MotionError) as error:
        track(narrow, course_of(Line(start, start.moved(y=0.3))), narrow.mechanism.home, "bin")
    text = str(error.value)
    assert text.startswith("arm cannot continue to 'bin': 1")
    assert " mm of 300.0 mm from the start, waist needs -1" in text
    assert "limit -11.5..11.5 deg" in text
    assert "try: start in another configuration, turn the tool, or use move() for this stretch" in text
