"""How far a belt travels: the first tick at which it has covered a distance is found, however slow the belt is."""

import pytest
from hypothesis import given, strategies as st

from drycell.devices.belt import EXACT, BeltDrive


@given(
    st.sampled_from([0.0, 0.037, 0.05, 0.25]) | st.floats(0.001, 2.0),
    st.sampled_from([0.0, 0.5, -0.1]) | st.floats(0.001, 1.0) | st.floats(-1.0, -0.001),
    st.floats(1e-6, 3.0),
    st.integers(0, 10**12),
)
def test_a_distance_is_covered_at_the_first_possible_tick(speed: float, ramp: float, way: float, start: int) -> None:
    drive = BeltDrive(start, speed, ramp)
    tick = drive.reaches(way)
    if tick is None:
        assert way > (speed * speed / -2.0 / ramp if ramp < 0.0 else 0.0) - 2.0 * EXACT
        assert ramp < 0.0 or speed == ramp == 0.0
    else:
        assert drive.distance(tick) >= way - 2.0 * EXACT
        assert drive.distance(tick - 1) < way


@pytest.mark.parametrize(("speed", "way", "seconds"), [(1e-15, 1e-6, 999_999_000), (1e-9, 0.5, 499_999_999.999)])
def test_a_belt_that_hardly_moves_is_computed_quickly(speed: float, way: float, seconds: float) -> None:
    assert BeltDrive(0, speed).reaches(way) == pytest.approx(seconds * 1e6, rel=1e-12)


def test_a_belt_that_would_take_longer_than_time_lasts_does_not_get_there() -> None:
    assert BeltDrive(0, 1e-30).reaches(1.0) is None
