"""Laws against closed forms worked out by hand, and their limits at every instant."""

import math
import subprocess
import sys

import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import MotionError
from drycell.handling import MotionLimits, TimeLaw, stop_law, time_law

magnitudes = st.floats(0.05, 20.0)
jerks = st.one_of(st.floats(0.5, 500.0), st.just(math.inf))


def by_hand(distance: float, speed: float, acceleration: float, jerk: float) -> float:
    """The minimum time from rest to rest (Biagiotti and Melchiorri 2008, section 3.4)."""
    ramp = 0.0 if math.isinf(jerk) else acceleration / jerk
    if not math.isinf(jerk) and speed < acceleration * ramp:
        rise = 2 * math.sqrt(speed / jerk)  # the maximum acceleration is never reached
    else:
        rise = speed / acceleration + ramp
    if distance >= speed * rise:
        return distance / speed + rise
    if math.isinf(jerk) or distance >= 2 * acceleration * ramp**2:
        return ramp + math.sqrt(ramp**2 + 4 * distance / acceleration)
    return 4 * (distance / (2 * jerk)) ** (1 / 3)


def samples(law: TimeLaw, count: int = 200) -> list[tuple[float, float, float]]:
    return [law.state(law.duration * k / count) for k in range(count + 1)]


def test_seven_phases_are_those_computed_by_hand():
    # 1 m at 1 m/s, 2 m/s², 20 m/s³: jerk phases of a/j = 0.1 s, acceleration for v/a − a/j = 0.4 s, and the 0.4 m left
    # at 1 m/s.
    law = time_law(1.0, MotionLimits(1.0, 2.0, 20.0))
    assert law.breaks == pytest.approx((0.0, 0.1, 0.5, 0.6, 1.0, 1.1, 1.5, 1.6), abs=1e-12)
    assert [6 * piece[3] for piece in law.pieces] == pytest.approx([20, 0, -20, 0, -20, 0, 20])


@pytest.mark.parametrize(
    ("distance", "limits", "duration"),
    [
        (1.0, MotionLimits(1.0, 2.0, math.inf), 1.5),  # trapezoid: 1/1 + 1/2
        (0.32, MotionLimits(1.0, 2.0, math.inf), 0.8),  # triangle: 2 √(0.32/2)
        (1.0, MotionLimits(1.0, 2.0, 20.0), 1.6),  # 1/1 + 1/2 + 2/20
        (
            0.24,
            MotionLimits(1.0, 2.0, 20.0),
            0.1 + math.sqrt(0.49),
        ),  # full acceleration, no cruise: 0.1 + √(0.01 + 4·0.24/2)
        (0.005, MotionLimits(1.0, 2.0, 20.0), 0.2),  # jerk only: 4 ∛(0.005/40)
        (1.0, MotionLimits(0.05, 2.0, 20.0), 20.1),  # slow: rise of 2 √(0.05/20) = 0.1 s, and 1/0.05
    ],
)
def test_durations_agree_with_hand_computation(distance: float, limits: MotionLimits, duration: float):
    assert time_law(distance, limits).duration == pytest.approx(duration, abs=1e-12)


@given(magnitudes, st.floats(0.01, 0.5), st.integers(-8, 8))
def test_a_distance_that_just_needs_full_acceleration_has_a_law(acceleration: float, ramp: float, bits: int):
    distance = 2 * acceleration * ramp**2 * (1 + bits * 2.0**-52)
    law = time_law(distance, MotionLimits(1e3, acceleration, acceleration / ramp))
    assert law.duration == pytest.approx(4 * ramp, rel=1e-6)
    assert law.end == pytest.approx(distance, abs=1e-9)


@given(st.floats(1e-4, 10.0), magnitudes, magnitudes, jerks)
def test_every_law_takes_the_shortest_time_and_keeps_its_limits(
    distance: float, speed: float, acceleration: float, jerk: float
):
    law = time_law(distance, MotionLimits(speed, acceleration, jerk))
    assert law.duration == pytest.approx(by_hand(distance, speed, acceleration, jerk), rel=1e-9)
    assert law.end == pytest.approx(distance, abs=1e-9)
    assert law.top_speed <= speed * (1 + 1e-9)
    for _, v, a in samples(law):
        assert -1e-9 <= v <= speed * (1 + 1e-9)
        assert abs(a) <= acceleration * (1 + 1e-9)
    if not math.isinf(jerk):
        assert all(abs(6 * piece[3]) <= jerk * (1 + 1e-9) for piece in law.pieces)


@given(st.floats(1e-3, 10.0), magnitudes, magnitudes, jerks, st.floats(0.0, 1.0))
def test_a_stop_begins_where_the_law_is_and_never_passes_its_end(
    distance: float, speed: float, acceleration: float, jerk: float, share: float
):
    limits = MotionLimits(speed, acceleration, jerk)
    law = time_law(distance, limits)
    here = law.state(share * law.duration)
    stop = stop_law(limits, here)
    assert stop.state(0.0)[:2] == pytest.approx(here[:2], abs=1e-9)
    assert here[0] - 1e-8 <= stop.end <= distance + 1e-7
    assert stop.duration <= (1 - share) * law.duration + 1e-6
    for _, v, a in samples(stop):
        assert -1e-6 <= v <= max(speed, here[1]) * (1 + 1e-9) + 1e-9
        assert abs(a) <= acceleration * (1 + 1e-9)


def test_a_stop_at_full_speed_takes_the_distance_computed_by_hand():
    # From 1 m/s: v/a + a/j = 0.6 s, and by symmetry half of that times 1 m/s.
    stop = stop_law(MotionLimits(1.0, 2.0, 20.0), (0.4, 1.0, 0.0))
    assert stop.duration == pytest.approx(0.6)
    assert stop.end == pytest.approx(0.7)


def test_a_law_begins_from_any_state():
    law = time_law(1.0, MotionLimits(1.0, 2.0, 20.0), (0.2, 0.5, 1.0))
    assert law.state(0.0) == pytest.approx((0.2, 0.5, 1.0))
    assert law.state(law.duration)[:2] == pytest.approx((1.0, 0.0), abs=1e-9)


def test_no_distance_takes_no_time():
    assert time_law(0.0, MotionLimits(1.0, 1.0, 1.0)).duration == 0.0


@settings(max_examples=30)
@given(st.floats(0.0, 1.0))
def test_the_rest_of_a_law_is_the_same_motion(share: float):
    law = time_law(1.0, MotionLimits(1.0, 2.0, 20.0))
    u = share * law.duration
    rest = law.after(u)
    assert rest.duration == pytest.approx(law.duration - u, abs=1e-12)
    for k in range(11):
        v = (law.duration - u) * k / 10
        assert rest.state(v) == pytest.approx(law.state(u + v), abs=1e-9)


def test_stretching_slows_speeds_once_and_accelerations_twice():
    law, slow = time_law(1.0, MotionLimits(1.0, 2.0, 20.0)), time_law(1.0, MotionLimits(1.0, 2.0, 20.0)).stretched(2.0)
    s, v, a = law.state(0.3)
    assert slow.state(0.6) == pytest.approx((s, v / 2, a / 4))


def test_when_is_the_inverse_of_way():
    law = time_law(1.0, MotionLimits(1.0, 2.0, 20.0))
    assert law.when(0.5) == pytest.approx(0.8, abs=1e-12)
    assert law.when(0.0) == 0.0


def test_limits_must_be_above_zero():
    with pytest.raises(MotionError, match="above zero, not 0, 1 and 1"):
        MotionLimits(0.0, 1.0, 1.0)


def test_nothing_is_printed_when_the_interpreter_ends():
    # ruckig writes to standard error about objects that outlive the interpreter.
    code = "from drycell.handling import *; law = time_law(1.0, MotionLimits(1.0, 2.0, 20.0)); print(law.duration)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stderr == ""
    assert ended.stdout.startswith("1.6")
