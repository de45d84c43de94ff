"""The servo's gap is a closed form of time, checked by hand and against a step-by-step integration."""

import math
from itertools import pairwise

import pytest
from hypothesis import example, given, settings, strategies as st

from drycell.base import FieldError, mm, ms
from drycell.effector import Servo
from drycell.effector.servo import EXACT, limited_between, one_way, passes, stays_within

SERVO = Servo(400.0, 40.0, 100 * mm, 1.0)  # critically damped, p = 20 1/s
NEAR = 2 * EXACT


def gap(law, t: float) -> float:
    return law.state(t)[0]


def test_a_move_is_parabola_cruise_and_swing_as_computed_by_hand() -> None:
    law = SERVO.to(20 * mm, 65 * mm)
    # 1 m/s² until the speed is 25 mm/s short of 100 mm/s: 75 ms, 2.8125 mm.
    assert gap(law, 75 * ms) == pytest.approx(62.1875 * mm, abs=NEAR)
    # Then v = 100 − 25·e^(−40t) mm/s, which has covered 100 mm/s·t − 0.625 mm when the error is 10 mm: 328.125 ms.
    assert gap(law, 403.125 * ms) == pytest.approx(30 * mm, abs=1e-8 + NEAR)
    # Then (10 mm + 100 mm/s·t)·e^(−20t): after 50 ms 15 mm / e.
    assert gap(law, 453.125 * ms) == pytest.approx(20 * mm + 15 * mm / math.e, abs=1e-8 + NEAR)
    assert law.end == 20 * mm


def test_the_rise_time_of_a_small_step_is_that_of_a_critically_damped_pair_of_poles() -> None:
    law = SERVO.to(1 * mm, 0.0)
    # 1 − (1 + 20t)·e^(−20t) is 10 % at 20t = 0.5318 and 90 % at 20t = 3.8897.
    assert passes(law, 0.1 * mm, rising=True) == pytest.approx(0.5318116 / 20, abs=1e-5)
    assert passes(law, 0.9 * mm, rising=True) == pytest.approx(3.8897202 / 20, abs=1e-5)


def test_half_the_critical_damping_overshoots_by_16_per_cent() -> None:
    law = Servo(400.0, 20.0, 100 * mm, 1.0).to(1 * mm, 0.0)
    top = math.pi / (20.0 * math.sqrt(0.75))
    assert gap(law, top) == pytest.approx((1 + math.exp(-math.pi / math.sqrt(3))) * mm, abs=NEAR)
    assert stays_within(law, 1 * mm, 0.05 * mm) > top


def test_a_rate_is_reached_exponentially_once_the_acceleration_is_enough() -> None:
    law = SERVO.at_rate(-50 * mm, 60 * mm, 0.0, 0.0, 65 * mm)
    assert law.state(25 * ms)[1] == pytest.approx(-25 * mm, rel=1e-6)  # 1 m/s² up to 25 mm/s short of it
    assert law.state(50 * ms)[1] == pytest.approx(-(50 - 25 / math.e) * mm, rel=1e-4)
    assert law.end == pytest.approx(0.0, abs=1e-12)


def test_the_braking_distance_follows_from_speed_and_rate_gain() -> None:
    law = SERVO.at_rate(0.0, 60 * mm, -20 * mm, 0.0, 65 * mm)
    assert law.end == pytest.approx(60 * mm - 20 * mm / 40, abs=0.2e-6)


def test_gains_that_ring_are_refused_with_numbers() -> None:
    with pytest.raises(FieldError, match=r"damp by 0\.05, limit 0\.2"):
        Servo(400.0, 2.0, 100 * mm, 1.0)
    with pytest.raises(FieldError, match="rate gain must be above 0"):
        Servo(400.0, 0.0, 100 * mm, 1.0)


servos = st.builds(
    lambda kp, damping, speed, acceleration: Servo(kp, 2 * damping * math.sqrt(kp), speed, acceleration),
    st.floats(10, 1e4),
    st.sampled_from([0.2, 0.5, 0.9, 1.0, 1.5, 3.0]),
    st.sampled_from([0.02, 0.1, 1.0]),
    st.sampled_from([0.2, 1.0, 10.0]),
)
places = st.floats(0, 65 * mm)
speeds = st.sampled_from([0.0, 0.0, 0.05, -0.1])


@settings(max_examples=12, deadline=None)
@given(servos, places, places, speeds)
def test_the_closed_form_is_what_integrating_the_servo_gives(servo: Servo, target, x, v) -> None:
    law = servo.to(target, x, v)

    def acceleration(x: float, v: float) -> float:
        wanted = servo.position_gain / servo.rate_gain * (target - x)
        short = servo.rate_gain * (max(-servo.speed, min(wanted, servo.speed)) - v)
        return max(-servo.acceleration, min(short, servo.acceleration))

    step, steps = 50e-6, min(int(law.duration / 50e-6), 6000)
    for number in range(steps):
        if number % 100 == 0:
            assert gap(law, number * step) == pytest.approx(x, abs=0.5e-6)
        middle = v + 0.5 * step * acceleration(x, v)
        v += step * acceleration(x + 0.5 * step * v, middle)
        x += step * middle


@settings(max_examples=100, deadline=None)
@given(servos, places, places)
def test_no_limit_is_passed_and_the_end_is_the_target(servo: Servo, target, x) -> None:
    law = servo.to(target, x)
    assert law.end == pytest.approx(target, abs=1e-12)
    for number in range(201):
        _, v, a = law.state(law.duration * number / 200)
        assert abs(v) <= servo.speed * (1 + 1e-3) + 1e-6
        assert abs(a) <= servo.acceleration * 1.02 + 1e-3  # cubics are exact in position, but not in their derivatives


@settings(max_examples=60, deadline=None)
@given(servos, places, places, speeds, places, places)
def test_a_law_between_two_stops_is_the_law_cut_at_them(servo: Servo, target, x, v, one, two) -> None:
    law = servo.to(target, x, v)
    low, high = sorted((one, two))
    held = limited_between(law, low, high)
    for number in range(101):
        t = law.duration * number / 100
        assert gap(held, t) == pytest.approx(min(max(gap(law, t), low), high), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(servos, places, places)
@example(Servo(10.0, 9.486832980505138, 0.02, 0.2), 0.00631658989738331, 0.0)  # rounding held it at the start
def test_a_one_way_mechanism_never_goes_back(servo: Servo, target, x) -> None:
    way = 1 if target > x else -1
    law = one_way(servo.to(target, x), way)
    places = [gap(law, law.duration * number / 200) for number in range(201)]
    assert all(way * (after - before) >= -1e-9 for before, after in pairwise(places))
    assert way * (law.end - target) >= -0.2e-6
