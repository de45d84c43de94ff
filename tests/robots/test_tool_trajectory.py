"""Trajectories of the tool: velocities are the derivative of poses, also where paths overlap."""

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import Pose
from drycell.handling import MotionLimits, time_law
from drycell.robots.path import Line, arc_through
from drycell.robots.tool_trajectory import TimedPath, ToolTrajectory

LIMITS = MotionLimits(0.5, 2.0, 20.0)
A = Pose(0.3, 0.0, 0.4) @ Pose.turn_x(2.8)
B = Pose(0.3, 0.2, 0.3) @ Pose.turn_y(0.4) @ Pose.turn_x(3.0)
C = Pose(0.5, 0.2, 0.2) @ Pose.turn_z(1.0) @ Pose.turn_x(2.5)
FIRST, SECOND = Line(A, B), arc_through(B, (0.4, 0.3, 0.3), C)


def overlapping(begins: float) -> ToolTrajectory:
    return ToolTrajectory(
        (
            TimedPath(FIRST, time_law(FIRST.span, LIMITS), LIMITS),
            TimedPath(SECOND, time_law(SECOND.span, LIMITS), LIMITS, begins),
        )
    )


@settings(max_examples=60)
@given(st.floats(0.0, 0.8), st.floats(0.01, 0.99))
def test_velocity_is_the_derivative_of_the_pose(begins: float, share: float):
    trajectory, h = overlapping(begins), 1e-5
    u = share * trajectory.duration
    before, after = trajectory.pose(u - h), trajectory.pose(u + h)
    velocity, turn = trajectory.velocity(u)
    slope = [(q - p) / (2 * h) for p, q in zip(before.position, after.position, strict=True)]
    assert velocity == pytest.approx(slope, abs=2e-4)
    turning = (after @ before.inverse()).rotation_vector
    assert turn == pytest.approx([w / (2 * h) for w in turning], abs=2e-3)


def test_a_blend_begins_on_the_first_path_and_ends_on_the_second():
    trajectory = overlapping(0.3)
    assert trajectory.pose(0.0).distance_to(A) == pytest.approx((0.0, 0.0), abs=1e-12)
    assert trajectory.pose(trajectory.duration).distance_to(C) == pytest.approx((0.0, 0.0), abs=1e-9)
    alone = overlapping(10.0)
    end_of_first = trajectory.paths[0].ends
    assert trajectory.pose(end_of_first + 0.05).distance_to(
        alone.pose(10.0 + end_of_first + 0.05 - 0.3)
    ) == pytest.approx((0.0, 0.0), abs=1e-9)


def test_the_rest_of_a_course_is_the_same_motion():
    trajectory = overlapping(0.3)
    for cut in (0.1, 0.4, trajectory.paths[0].ends + 0.01):
        rest = trajectory.after(cut)
        for u in (0.0, 0.05, 0.3):
            assert rest.pose(u).distance_to(trajectory.pose(cut + u)) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert len(trajectory.after(trajectory.paths[0].ends + 0.01).paths) == 1


def test_a_stop_stays_on_the_line():
    trajectory = ToolTrajectory((TimedPath(FIRST, time_law(FIRST.span, LIMITS), LIMITS),))
    stopped = trajectory.stopped(0.3)
    way = stopped.paths[0].law.end
    assert stopped.duration < trajectory.duration - 0.3
    assert 0.0 < way < FIRST.span
    assert stopped.pose(stopped.duration).distance_to(FIRST.pose(way / FIRST.span)) == pytest.approx(
        (0.0, 0.0), abs=1e-12
    )


def test_sample_instants_are_dense_enough_and_include_all_breaks():
    trajectory = overlapping(0.3)
    instants = trajectory.instants(0.02, 0.1)
    assert set(trajectory.breaks) <= set(instants)
    assert instants == sorted(instants)
    for low, high in pairwise(instants):
        metres, radians = trajectory.pose(low).distance_to(trajectory.pose(high))
        assert metres <= 0.041
        assert radians <= 0.21


def test_places_read_in_millimetres_or_degrees():
    trajectory = ToolTrajectory((TimedPath(FIRST, time_law(FIRST.span, LIMITS), LIMITS),))
    assert trajectory.place(0.0) == "0.0 mm of 223.6 mm"
    turn = Line(A, A @ Pose.turn_z(math.pi / 2))
    assert (
        ToolTrajectory((TimedPath(turn, time_law(turn.span, LIMITS), LIMITS),)).place(100.0) == "90.0 deg of 90.0 deg"
    )
