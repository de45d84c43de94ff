"""Splines of joints: what is cut, added and stretched stays the same motion."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from drycell.handling import MotionLimits, time_law
from drycell.robots.spline import Spline, rest

LAW = time_law(1.0, MotionLimits(1.0, 2.0, 20.0))  # 1.6 s
FIRST = Spline.along((0.5, 2.0), (1.0, -0.5), LAW, (1.5, 1.5))
SECOND = Spline.along((1.5, 1.5), (0.2, 1.0), LAW, (1.7, 2.5))


def test_a_distance_along_a_direction_is_exact():
    s, v, _ = LAW.state(0.7)
    assert FIRST.joints(0.7) == pytest.approx([0.5 + s, 2.0 - 0.5 * s], abs=1e-15)
    assert FIRST.speeds(0.7) == pytest.approx([v, -0.5 * v], abs=1e-15)
    assert FIRST.end == (1.5, 1.5)


def test_axes_move_each_by_its_own_law_and_rest_when_done():
    quick, slow = time_law(0.1, MotionLimits(1.0, 2.0, 20.0)), time_law(1.0, MotionLimits(0.5, 1.0, 20.0))
    both = Spline.axes((quick, slow))
    for u in np.linspace(0.0, slow.duration, 50):
        assert both.joints(u) == pytest.approx([quick.state(u)[0], slow.state(u)[0]], abs=1e-12)
    assert both.duration == slow.duration


@settings(max_examples=50)
@given(st.floats(0.0, 2.0), st.floats(0.0, 2.0))
def test_the_rest_of_a_trajectory_is_the_same_motion(cut: float, u: float):
    assert FIRST.after(cut).joints(u) == pytest.approx(FIRST.joints(cut + u), abs=1e-9)
    assert FIRST.after(cut).end == FIRST.end


@settings(max_examples=50)
@given(st.floats(0.0, 2.0), st.floats(0.0, 4.0))
def test_a_blend_adds_the_second_motion_after_the_corner(at: float, u: float):
    both = FIRST.plus(SECOND, at, FIRST.end)
    expected = [p + q - c for p, q, c in zip(FIRST.joints(u), SECOND.joints(u - at), FIRST.end, strict=True)]
    assert both.joints(u) == pytest.approx(expected, abs=1e-9)
    assert both.end == SECOND.end


def test_stretching_keeps_the_path():
    slow = FIRST.stretched(3.0)
    assert slow.joints(2.1) == pytest.approx(FIRST.joints(0.7), abs=1e-12)
    assert slow.speeds(2.1) == pytest.approx([v / 3 for v in FIRST.speeds(0.7)], abs=1e-12)


def test_a_hermite_spline_passes_its_knots_with_their_speeds():
    times, joints = np.array([1.0, 1.5, 3.0]), np.array([[0.0], [2.0], [1.0]])
    spline = Spline.through(times, joints, np.array([[0.0], [-1.0], [0.5]]))
    assert spline.duration == 2.0
    assert spline.joints(0.5) == pytest.approx([2.0])
    assert spline.speeds(0.5) == pytest.approx([-1.0])
    assert spline.end == (1.0,)


@settings(max_examples=40)
@given(st.lists(st.floats(-2.0, 2.0), min_size=8, max_size=8))
def test_top_values_are_never_passed_and_are_reached(values: list[float]):
    times = np.array([0.0, 0.3, 1.0, 1.2])
    spline = Spline.through(times, np.array(values[:4])[:, None], np.array(values[4:])[:, None])
    u = np.linspace(0.0, 1.2, 4001)
    speeds = np.abs([spline.speeds(t)[0] for t in u])
    assert speeds.max() <= spline.top_speeds[0] * (1 + 1e-9) + 1e-12
    assert speeds.max() >= spline.top_speeds[0] * 0.99 - 1e-6
    bends = np.abs(np.diff(speeds)) / np.diff(u)
    assert bends.max() <= spline.top_accelerations[0] * (1 + 1e-6) + 1e-6


def test_a_trajectory_is_the_spline_from_a_tick_on():
    trajectory = FIRST.trajectory(5_000_000)
    assert (trajectory.start, trajectory.end) == (5_000_000, 6_600_000)
    assert trajectory.joints(5_700_000) == pytest.approx(FIRST.joints(0.7), abs=1e-12)


def test_rest_is_a_motion_of_no_duration():
    assert rest((1.0, 2.0)).duration == 0.0
    assert rest((1.0, 2.0)).joints(0.5) == [1.0, 2.0]
