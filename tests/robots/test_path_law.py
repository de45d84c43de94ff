"""The law along a path is the fastest one within its bounds, by an independent linear program."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog

from drycell.handling import MotionLimits, time_law
from drycell.robots.path_law import PathBounds, path_law

LENGTH, ACCELERATION = 1.0, 2.0
CEILING = time_law(LENGTH, MotionLimits(0.8, ACCELERATION, 20.0))
TRAPEZOID = time_law(LENGTH, MotionLimits(0.8, ACCELERATION, math.inf))


def bounds(amplitude: float, waves: float, phase: float, places: int = 120) -> PathBounds:
    """The bounds of two joints with limits 1 (speed) and 2 (acceleration); one moves evenly, the other swings."""
    s = np.linspace(0.0, LENGTH, places + 1)
    angle = 2.0 * math.pi * waves * s + phase
    rate = np.stack((np.ones_like(s), amplitude * np.cos(angle)), axis=1)
    bend = np.stack((np.zeros_like(s), -2.0 * math.pi * waves * amplitude * np.sin(angle)), axis=1)
    limit = np.full_like(rate, ACCELERATION)
    return PathBounds(s, (1.0 / np.abs(rate)).min(axis=1), rate, bend, -limit, limit)


def linear_program(given: PathBounds) -> float:
    """The shortest time: the greatest squared speeds at all places, with even acceleration between them."""
    s, n = given.places, len(given.places)
    top = np.array([TRAPEZOID.state(TRAPEZOID.when(float(place)))[1] for place in s])
    most = np.minimum(top, given.speed) ** 2
    most[0] = most[-1] = 0.0
    matrix, right = [], []
    for i in range(n - 1):
        change = np.zeros(n)
        change[i + 1], change[i] = 0.5 / (s[i + 1] - s[i]), -0.5 / (s[i + 1] - s[i])
        rows = [(change, ACCELERATION, -ACCELERATION)]
        for k in (i, i + 1):
            for joint in range(given.rate.shape[1]):
                row = given.rate[k, joint] * change
                row[k] += given.bend[k, joint]
                rows.append((row, given.high[k, joint], given.low[k, joint]))
        for row, high, low in rows:
            matrix += [row, -row]
            right += [high, -low]
    solved = linprog(-np.ones(n), A_ub=np.array(matrix), b_ub=right, bounds=[(0.0, float(x)) for x in most])
    speeds = np.sqrt(np.maximum(solved.x, 0.0))
    return float((2.0 * np.diff(s) / (speeds[:-1] + speeds[1:])).sum())


@settings(max_examples=12, deadline=None)
@given(st.floats(0.5, 6.0), st.floats(0.3, 3.0), st.floats(0.0, 6.0))
def test_no_law_on_the_same_grid_is_faster(amplitude, waves, phase):
    limits = bounds(amplitude, waves, phase)
    law = path_law(limits, TRAPEZOID, ACCELERATION)
    assert law.duration == pytest.approx(linear_program(limits), rel=1e-3)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.1, 6.0), st.floats(0.3, 3.0), st.floats(0.0, 6.0))
def test_a_law_is_continuous_in_speed_within_its_bounds_and_below_its_ceiling(amplitude, waves, phase):
    limits = bounds(amplitude, waves, phase)
    law = path_law(limits, CEILING, ACCELERATION)
    assert law.end == pytest.approx(LENGTH)
    for u in law.breaks[1:-1]:
        before, after = law.state(math.nextafter(u, 0.0)), law.state(u)
        assert before[:2] == pytest.approx(after[:2], abs=1e-9)
    for place, most in zip(limits.places[1:-1].tolist(), limits.speed[1:-1].tolist(), strict=True):
        speed = law.state(law.when(place))[1]
        assert speed <= min(most, CEILING.state(CEILING.when(place))[1]) * (1 + 2e-6)


def test_a_law_that_no_bound_limits_is_its_ceiling():
    assert path_law(bounds(0.1, 1.0, 0.0), CEILING, ACCELERATION) == CEILING


def test_a_bound_in_the_middle_leaves_both_ends_as_commanded():
    free = bounds(0.1, 1.0, 0.0)
    slow = np.where(np.abs(free.places - 0.5) < 0.05, 0.2, 9.0)
    limits = PathBounds(free.places, slow, free.rate, free.bend, free.low, free.high)
    law = path_law(limits, CEILING, ACCELERATION)
    assert law.pieces[:3] == CEILING.pieces[:3]
    assert law.state(law.when(0.5))[1] == pytest.approx(0.2)
    # By hand: from 0.8 m/s to 0.2 m/s takes 0.3 s and 0.15 m, instead of 0.1875 s, and so does the way back.
    wide = float(np.ptp(limits.places[slow < 1.0]))
    assert law.duration - CEILING.duration == pytest.approx(2 * (0.3 - 0.1875) + wide / 0.2 - wide / 0.8, abs=1e-6)
