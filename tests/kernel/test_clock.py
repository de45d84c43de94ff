"""Cell time is a whole number of microseconds."""

from hypothesis import given, strategies as st

from drycell.kernel import TICKS_PER_SECOND, clock_text, seconds, ticks


def test_a_second_has_a_million_ticks() -> None:
    assert TICKS_PER_SECOND == 1_000_000
    assert ticks(1.5) == 1_500_000
    assert seconds(250) == 0.00025


def test_halves_go_to_the_even_tick() -> None:
    assert [ticks(0.5e-6), ticks(1.5e-6), ticks(2.5e-6)] == [0, 2, 2]


@given(st.integers(0, 10**13))
def test_ticks_survive_conversion_to_seconds(time: int) -> None:
    assert ticks(seconds(time)) == time


def test_clock_text_shows_every_microsecond() -> None:
    assert clock_text(41_250_000) == "41.250000"
    assert clock_text(7) == "0.000007"
