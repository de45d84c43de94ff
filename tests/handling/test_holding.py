"""What cups can hold, compared with sums by hand."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import MotionError
from drycell.handling import HeldBy, Hold

DOWN = (0.0, 0.0, 1.0)  # out of the cup, in the frame of the tool
ONE = Hold((HeldBy((0.0, 0.0, 0.0), 0.015, 34.0),), DOWN, 0.4)


def test_a_weight_straight_off_the_cup_uses_its_share_of_the_force():
    assert ONE.use((0.0, 0.0, 17.0), (0.0, 0.0, 0.02)) == (0.5, "pull")


def test_a_lateral_force_slides_at_the_friction_of_what_is_left():
    # µ (F − pull) = 0.4 · (34 N − 10 N) = 9.6 N, at the lip itself: no moment.
    share, why = ONE.use((4.8, 0.0, 10.0), (0.0, 0.0, 0.0))
    assert (round(share, 9), why) == (0.5, "lateral force")


def test_a_lateral_force_far_from_the_lip_opens_it_first():
    # Moment 5 N · 60 mm = 0.3 Nm about an edge 15 mm away: 20 N, and 10 N of weight: 30 N of 34 N.
    share, why = ONE.use((5.0, 0.0, 10.0), (0.0, 0.0, 0.06))
    assert share == pytest.approx(30 / 34)
    assert why == "pull"


def test_a_weight_beside_the_cup_opens_it_on_the_far_side():
    # 10 N at 30 mm beside the middle: 0.3 Nm / 15 mm = 20 N, and the weight itself.
    assert ONE.use((0.0, 0.0, 10.0), (0.03, 0.0, 0.0))[0] == pytest.approx(30 / 34)


def test_two_cups_bear_a_moment_in_their_plane_with_a_longer_lever():
    pair = Hold((HeldBy((0.05, 0, 0), 0.015, 34.0), HeldBy((-0.05, 0, 0), 0.015, 34.0)), DOWN, 0.4)
    # Along x the part tips about an edge 50 + 15 mm from the middle, along y 15 mm.
    assert pair.use((5.0, 0.0, 0.0), (0.0, 0.0, 0.06)) == (
        pytest.approx(max(0.3 / 0.065 / 68, 5 / (0.4 * 68))),
        "lateral force",
    )
    assert pair.use((0.0, 5.0, 0.0), (0.0, 0.0, 0.06))[0] == pytest.approx(0.3 / 0.015 / 68)


def test_the_middle_of_unequal_cups_is_that_of_their_forces():
    pair = Hold((HeldBy((0.0, 0, 0), 0.01, 30.0), HeldBy((0.04, 0, 0), 0.01, 10.0)), DOWN, 0.4)
    assert pair.middle == (0.01, 0.0, 0.0)
    assert pair.force == 40.0


numbers = st.floats(-20.0, 20.0)


@given(st.tuples(numbers, numbers, st.floats(0.0, 30.0)), st.floats(0.0, 0.1), st.floats(0.0, 6.2))
@settings(deadline=None, max_examples=100)
def test_its_hold_does_not_depend_on_how_a_single_cup_is_turned(load, depth, angle):
    c, s = np.cos(angle), np.sin(angle)
    x, y, z = load
    turned = (c * x - s * y, s * x + c * y, z)
    assert ONE.use(load, (0.0, 0.0, depth))[0] == pytest.approx(ONE.use(turned, (0.0, 0.0, depth))[0], abs=1e-9)


@given(st.tuples(numbers, numbers, st.floats(0.0, 30.0)), st.floats(0.0, 0.1))
@settings(deadline=None, max_examples=100)
def test_half_the_load_never_uses_more(load, depth):
    x, y, z = load
    assert ONE.use((x / 2, y / 2, z / 2), (0, 0, depth))[0] <= ONE.use(load, (0, 0, depth))[0] + 1e-12


@pytest.mark.parametrize(
    ("cup", "friction", "what"),
    [
        (HeldBy((0, 0, 0), 0.01, 0.0), 0.4, "the force of a cup must be above 0 N, not 0"),
        (HeldBy((0, 0, 0), -0.01, 5.0), 0.4, r"the radius of a cup must be above 0 m, not -0\.01"),
        (HeldBy((0, 0, 0), 0.01, 5.0), -0.1, r"the friction of a cup must be above 0, not -0\.1"),
    ],
)
def test_impossible_numbers_are_refused(cup, friction, what):
    with pytest.raises(MotionError, match=what):
        Hold((cup,), DOWN, friction)
    with pytest.raises(MotionError, match="at least one cup"):
        Hold((), DOWN, 0.4)
