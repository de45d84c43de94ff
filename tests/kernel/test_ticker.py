"""Tickers: exact periods, one event per group, the same order grouped or not."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drycell.errors import KernelError
from drycell.kernel import Kernel, Rank, ReplayingChooser, Ticker, delay
from drycell.kernel.ticker import Grid


def test_a_ticker_made_before_the_run_begins_at_its_phase() -> None:
    kernel = Kernel()
    plain: list[int] = []
    shifted: list[int] = []
    kernel.every(300_000, lambda: plain.append(kernel.now))
    kernel.every(300_000, lambda: shifted.append(kernel.now), phase=100_000)
    kernel.run(until=1_000_000)
    assert plain == [0, 300_000, 600_000, 900_000]
    assert shifted == [100_000, 400_000, 700_000, 1_000_000]


def test_a_ticker_made_in_the_run_begins_at_the_next_instant_of_the_grid() -> None:
    kernel = Kernel()
    seen: list[int] = []
    kernel.at(600_000, lambda: kernel.every(300_000, lambda: seen.append(kernel.now)))
    kernel.at(700_000, lambda: kernel.every(300_000, lambda: seen.append(-kernel.now)))
    kernel.run(until=1_200_000)
    assert seen == [900_000, -900_000, 1_200_000, -1_200_000]


def test_frames_of_film_and_clock_ticks_do_not_drift() -> None:
    kernel = Kernel()
    frames: list[int] = []
    timer_ticks: list[int] = []
    kernel.every(Fraction(1, 24), lambda: frames.append(kernel.now))
    kernel.every(Fraction(10, 182), lambda: timer_ticks.append(kernel.now))
    kernel.run(until=10_000_000)
    assert frames[:4] == [0, 41_666, 83_333, 125_000]
    assert frames == [k * 1_000_000 // 24 for k in range(241)]
    assert timer_ticks[182] == 10_000_000


@given(st.integers(1, 10**7), st.integers(1, 10**4), st.integers(0, 10**6), st.integers(-1, 10**9))
def test_the_next_instant_of_a_grid_is_the_first_one_later(up: int, down: int, phase: int, time: int) -> None:
    period = Fraction(up, down)
    if period < 1:
        period = 1 / period
    grid = Grid(period, phase)
    k = grid.after(time)
    assert grid.time(k) > time
    assert k == 0 or grid.time(k - 1) <= time


def test_periods_below_a_tick_are_refused() -> None:
    with pytest.raises(KernelError, match=r"a period of 0\.5 µs is below the clock's tick of 1 µs"):
        Kernel().every(Fraction(1, 2_000_000), print)


def test_a_thousand_tickers_of_one_period_are_one_event() -> None:
    kernel = Kernel()
    for _ in range(1000):
        kernel.every(1000, lambda: None)
    assert len(kernel.queue) == 1


def test_cancelling_takes_effect_within_the_instant() -> None:
    kernel = Kernel()
    seen: list[str] = []
    tickers: list[Ticker] = []
    kernel.every(1000, lambda: (seen.append("first"), tickers[0].cancel()))
    tickers.append(kernel.every(1000, lambda: seen.append("second")))
    kernel.every(1000, lambda: seen.append("third"))
    kernel.run(until=1000)
    assert seen == ["first", "third", "first", "third"]


def test_a_group_whose_tickers_are_all_cancelled_lets_the_clock_go() -> None:
    kernel = Kernel()
    ticker = kernel.every(1000, lambda: ticker.cancel())
    outcome = kernel.run()
    assert (outcome.ending, outcome.time) == ("finished", 0)


def test_a_cancelled_group_can_be_joined_again() -> None:
    kernel = Kernel()
    seen: list[int] = []
    ticker = kernel.every(1000, lambda: ticker.cancel())
    kernel.at(5500, lambda: kernel.every(1000, lambda: seen.append(kernel.now)))
    kernel.run(until=8000)
    assert seen == [6000, 7000, 8000]


@pytest.mark.parametrize("chooser", [None, ReplayingChooser()])
def test_what_comes_before_sensors_comes_between_two_sensors_of_a_group(chooser: ReplayingChooser | None) -> None:
    kernel = Kernel(chooser=chooser)
    order: list[str] = []

    def first() -> None:
        order.append("first sensor")
        kernel.at(kernel.now, lambda: order.append("motion"), Rank.MOTION)

    kernel.every(1000, first)
    kernel.every(1000, lambda: order.append("second sensor"))
    kernel.run(until=0)
    assert order == ["first sensor", "motion", "second sensor"]


@pytest.mark.parametrize("chooser", [None, ReplayingChooser()])
def test_stop_in_a_ticker_stops_before_the_next_ticker(chooser: ReplayingChooser | None) -> None:
    kernel = Kernel(chooser=chooser)
    seen: list[str] = []
    kernel.every(1000, lambda: (seen.append("first"), kernel.stop("enough")))
    kernel.every(1000, lambda: seen.append("second"))
    outcome = kernel.run()
    assert (outcome.ending, outcome.reason, seen) == ("stopped", "enough", ["first"])


@given(
    st.lists(
        st.tuples(st.sampled_from([1000, 1500, 2000, 3000]), st.sampled_from([0, 500, 1000]), st.sampled_from(Rank)),
        max_size=8,
    )
)
def test_grouping_does_not_change_the_order(tickers: list[tuple[int, int, Rank]]) -> None:
    def order(chooser: ReplayingChooser | None) -> list[tuple[int, int]]:
        kernel = Kernel(chooser=chooser)
        seen: list[tuple[int, int]] = []
        for number, (period, phase, rank) in enumerate(tickers):
            kernel.every(period, lambda n=number: seen.append((kernel.now, n)), phase=phase, rank=rank)
        kernel.spawn(delay, 0.0121, name="main")
        kernel.run()
        return seen

    assert order(None) == order(ReplayingChooser())
