"""Tickers: exact periods, one event per group, the same order grouped or not."""

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from drycell.base import KernelError
from drycell.kernel import Grid, Kernel, Rank, ReplayingChooser, Ticker, delay, wait


def test_a_ticker_created_before_the_run_starts_at_its_phase() -> None:
    kernel = Kernel()
    plain: list[int] = []
    shifted: list[int] = []
    kernel.every(300_000, lambda: plain.append(kernel.now))
    kernel.every(300_000, lambda: shifted.append(kernel.now), phase=100_000)
    kernel.run(until=1_000_000)
    assert plain == [0, 300_000, 600_000, 900_000]
    assert shifted == [100_000, 400_000, 700_000, 1_000_000]


def test_a_ticker_created_in_the_run_starts_at_the_next_grid_instant() -> None:
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


def test_a_group_of_cancelled_tickers_does_not_extend_the_run() -> None:
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
def test_events_before_sensors_run_between_two_tickers_of_a_group(chooser: ReplayingChooser | None) -> None:
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
def test_the_end_in_a_ticker_comes_before_the_next_ticker(chooser: ReplayingChooser | None) -> None:
    kernel = Kernel(chooser=chooser)
    seen: list[str] = []
    kernel.every(1000, lambda: (seen.append("first"), kernel.end("stopped", "enough")))
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


def test_sleeping_tickers_cost_no_event_and_wake_on_their_grid() -> None:
    kernel = Kernel()
    seen: list[int] = []
    ticker = kernel.every(300, lambda: (seen.append(kernel.now), ticker.sleep(1000)), phase=50)
    kernel.run(until=50)
    assert seen == [50]
    assert [entry[0] for entry in kernel.queue if entry[0] < 10**6] == [1250]  # 50 + 4 · 300 is the first from 1000 on


def test_a_sleeping_ticker_does_not_extend_the_run() -> None:
    kernel = Kernel()
    seen: list[int] = []
    ticker = kernel.every(300, lambda: (seen.append(kernel.now), ticker.sleep()))
    kernel.at(1000, ticker.wake)
    outcome = kernel.run()
    assert (outcome.ending, outcome.time, seen) == ("finished", 1200, [0, 1200])
    assert ticker.number is None


@pytest.mark.parametrize("chooser", [None, ReplayingChooser()])
def test_a_ticker_woken_at_a_grid_instant_ticks_only_if_its_turn_has_not_passed(
    chooser: ReplayingChooser | None,
) -> None:
    kernel = Kernel(chooser=chooser)
    seen: list[tuple[str, int]] = []
    tickers: dict[str, Ticker] = {}

    def make(name: str) -> None:
        def tick() -> None:
            seen.append((name, kernel.now))
            if name == "waker" and kernel.now == 2000:
                tickers["before"].wake()
                tickers["after"].wake()
            if name != "waker":
                tickers[name].sleep()

        tickers[name] = kernel.every(1000, tick)

    for name in ("before", "waker", "after", "early", "late"):
        make(name)
    kernel.at(2000, tickers["early"].wake, Rank.MOTION)
    kernel.at(2000, tickers["late"].wake, Rank.DEVICE)
    kernel.run(until=3000)
    assert [each for each in seen if each[1] >= 2000] == [
        ("waker", 2000),
        ("after", 2000),
        ("early", 2000),
        ("before", 3000),
        ("waker", 3000),
        ("late", 3000),
    ]


@pytest.mark.parametrize(("until", "ending", "time"), [(None, "deadlock", 2000), (9000, "finished", 9000)])
def test_a_ticker_asleep_until_woken_does_not_prevent_a_deadlock(until: int | None, ending: str, time: int) -> None:
    kernel = Kernel()
    eye = kernel.signal("eye", False)

    def sample() -> None:
        if kernel.now == 2000:
            ticker.sleep(until)
        eye.set(kernel.now == 9000)

    ticker = kernel.every(1000, sample, writes=[eye])
    kernel.spawn(wait, eye, name="robot")
    outcome = kernel.run(until=20_000)
    assert (outcome.ending, outcome.time) == (ending, time)


def test_unknown_writers_may_wake_a_sleeping_ticker() -> None:
    kernel = Kernel()
    eye, done = kernel.signal("eye", False), kernel.signal("done", False)
    ticker = kernel.every(1000, lambda: (eye.set(kernel.now > 5000), ticker.sleep()), writes=[eye])
    kernel.at(5500, ticker.wake, writes=[done])
    kernel.spawn(wait, eye, name="robot")
    outcome = kernel.run(until=20_000)
    assert (outcome.ending, outcome.time) == ("finished", 6000)


def test_a_woken_ticker_counts_as_a_writer_again() -> None:
    kernel = Kernel()
    lid = kernel.signal("lid", False)
    ticker = kernel.every(1000, lambda: None)
    kernel.at(2500, ticker.sleep, writes=())
    kernel.at(2400, lambda: (ticker.sleep(), ticker.wake(), ticker.wake()), writes=())
    kernel.spawn(wait, lid, name="robot")
    outcome = kernel.run(until=20_000)
    assert (outcome.ending, outcome.time) == ("deadlock", 2500)


@given(
    st.lists(st.tuples(st.sampled_from([1000, 1500, 2000]), st.sampled_from([0, 500])), min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 24), st.sampled_from(Rank), st.integers(0, 4), st.integers(-1, 12)), max_size=10),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 24), st.integers(0, 4), st.integers(-1, 12)), max_size=20),
    st.booleans(),
)
def test_sleeping_equals_ticking_without_effect(
    tickers: list[tuple[int, int]],
    timers: list[tuple[int, Rank, int, int]],
    doings: list[tuple[int, int, int, int]],
    chosen: bool,
) -> None:
    """A span of -1 wakes, 0 sleeps until woken, and others are multiples of 500 ticks."""

    def calls(sleeps: bool) -> list[tuple[int, int]]:
        kernel = Kernel(chooser=ReplayingChooser() if chosen else None)
        seen: list[tuple[int, int]] = []
        made: list[Ticker] = []
        resumes = [0] * len(tickers)

        def put(who: int, span: int) -> None:
            if who >= len(tickers):
                return
            until = kernel.now if span < 0 else 10**9 if span == 0 else kernel.now + 500 * span
            resumes[who] = until
            if not sleeps:
                return
            if span < 0:
                made[who].wake()
            else:
                made[who].sleep(None if span == 0 else until)

        def tick(who: int) -> None:
            if kernel.now < resumes[who]:
                assert not sleeps
                return
            seen.append((kernel.now, who))
            for actor, time, other, span in doings:
                if (actor, 500 * time) == (who, kernel.now):
                    put(other, span)

        for number, (period, phase) in enumerate(tickers):
            made.append(kernel.every(period, lambda n=number: tick(n), phase=phase))
        for time, rank, who, span in timers:
            kernel.at(500 * time, lambda who=who, span=span: put(who, span), rank)
        kernel.run(until=14_000)
        return seen

    assert calls(sleeps=True) == calls(sleeps=False)
