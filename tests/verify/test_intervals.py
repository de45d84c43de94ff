"""Intervals searched by the order of events: exact thresholds, no runs for irrelevant values, otherwise limits."""

import math

import pytest

from drycell import Cell, choose, delay, interval, wait
from drycell.kernel import Kernel, ReplayingChooser, point, points, ticks
from drycell.verify import verify
from drycell.verify.intervals import TrackedFloat


def window(cell: Cell, opens: float, high: float) -> None:
    """An arm at 4 s meets a door that is open for half a second, at a time between 0 and ``high``."""
    door = cell.signal("door", False)

    @cell.program
    def arm() -> None:
        delay(4)
        assert not door, "the arm meets the open door"

    @cell.program
    def doorman() -> None:
        delay(interval("comes", 0, high))
        door.set(True)
        delay(opens)
        door.set(False)
        delay(1)


def test_a_fault_inside_an_interval_is_found_that_neither_limit_shows() -> None:
    verdict = verify(lambda cell: window(cell, 0.5, 10), ignore=["order"])
    assert verdict.finding is not None
    assert verdict.finding.fault.kind == "assertion"


@pytest.mark.parametrize(("high", "found"), [(3.499999, False), (3.5, True)])
def test_the_threshold_is_bracketed_to_the_tick(high: float, found: bool) -> None:
    verdict = verify(lambda cell: window(cell, 0.5, high), ignore=["order"])
    assert (verdict.finding is not None) == found
    assert found or verdict.clean


def test_intervals_that_change_no_order_cost_no_runs() -> None:
    def build(cell: Cell) -> None:
        for number in range(6):
            own = cell.signal(f"own{number}", False)

            def work(number: int = number, own=own) -> None:
                for _ in range(3):
                    delay(interval(f"machine {number}", 2, 9))
                    own.set(not own.value)

            cell.program(work, name=f"machine{number}")

    verdict = verify(build)
    assert verdict.clean
    assert verdict.runs < 60  # of 2 to the 18th corners


@pytest.mark.parametrize(
    "use",
    [
        lambda number: delay(number / 2),
        lambda number: delay(2 if number > 5 else 1),
        lambda number: delay(number + 1),
        lambda number: [delay(number) for _ in range(2)],
        lambda number: None,
    ],
)
def test_a_number_that_is_used_otherwise_is_searched_by_its_corners(use) -> None:
    def build(cell: Cell) -> None:
        @cell.program
        def work() -> None:
            use(interval("odd", 4, 6))

    verdict = verify(build, ignore=["order"])
    assert not verdict.faults
    assert verdict.scope.by_corners == ("odd",)
    assert verdict.exit_code == 3


def test_an_interval_drawn_while_the_cell_is_built_is_searched_by_its_corners() -> None:
    def build(cell: Cell) -> None:
        pause = cell.kernel.interval("pause", 1, 2)
        cell.program(lambda: delay(pause), name="work")

    verdict = verify(build)
    assert not verdict.faults
    assert (
        verdict.not_covered
        == f"values between the limits of all intervals, except those of {verdict.scope.sampled} runs"
        " (the number is used other than as a delay)"
    )


def test_an_interval_from_zero_is_searched_by_order() -> None:
    def build(cell: Cell) -> None:
        bell, door = cell.signal("bell", False), cell.signal("door", False)

        @cell.program
        def opener() -> None:
            bell.set(True)  # wakes the guest, at the time at which an opener without delay continues, too
            delay(interval("comes", 0, 5))
            door.set(True)

        @cell.program
        def guest() -> None:
            wait(bell)
            wait(door)

    verdict = verify(build, ignore=["order"])
    assert verdict.clean
    assert verdict.scope.by_corners == ()


def test_a_window_inside_an_interval_from_zero_is_found() -> None:
    def build(cell: Cell) -> None:
        flag = cell.signal("flag", False)

        @cell.program
        def pulse() -> None:
            delay(interval("comes", 0, 10))
            flag.set(True)
            delay(0.001)
            flag.set(False)

        @cell.program
        def look() -> None:
            delay(7)
            assert not flag

    assert verify(build).faults[0].kind == "assertion"


def test_orders_of_two_intervals_against_each_other_are_seen() -> None:
    seen = set()

    def build(cell: Cell) -> None:
        last = cell.signal("last", 0)
        cell.program(lambda: (delay(interval("one", 1, 9)), last.set(1)), name="one")
        cell.program(lambda: (delay(interval("two", 3, 5)), last.set(2)), name="two")

    def looks(last) -> bool:  # of its history nothing is noted: it is asked after every step
        seen.add(tuple(value for _, value, _ in last.history))
        return True

    assert verify(build, checks=[looks], ignore=["order"]).clean
    assert {(0, 1, 2), (0, 2, 1)} <= seen


def test_a_drawn_number_is_that_number_and_reports_what_is_done_with_it() -> None:
    printed: list[None] = []
    number = TrackedFloat.of(2.5, lambda: printed.append(None))
    assert ticks(number) == 2_500_000
    assert printed == []
    assert ticks(number) == 2_500_000  # a second use counts separately
    assert number + 1 == 3.5
    assert number < 3
    assert f"{number:.1f}" == "2.5"
    assert len(printed) == 4
    assert (abs(number) < 3, math.floor(number), divmod(number, 2)) == (True, 2, (1.0, 0.5))
    assert len(printed) == 7


@pytest.mark.parametrize(("low", "high"), [(0, 1), (8, 12), (0.1, 0.3), (1.0, 1.0000005), (5.0, 5.0)])
def test_every_number_of_an_interval_lies_in_it(low: float, high: float) -> None:
    count = points(low, high)
    values = [point(low, high, number) for number in (0, min(1, count - 1), count // 2, count - 1)]
    assert all(low <= value <= high for value in values)
    assert values[0] == low
    assert count == 1 or point(low, high, 1) == high


def test_a_value_between_the_limits_is_replayed() -> None:
    def run() -> tuple[int, str]:
        kernel = Kernel(chooser=ReplayingChooser([1_000_001, 1]))
        kernel.spawn(lambda: (delay(interval("pause", 2, 4)), choose("side", ["left", "right"])), name="work")
        return kernel.run().time, kernel.journal.json_lines()

    time, journal = run()
    assert (time, journal) == run()
    assert time == 3_000_000
    assert '"option":1' in journal
