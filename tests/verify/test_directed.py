"""Deadlocks of many programs that must all arrive within a microsecond are found early."""

from collections.abc import Callable
from random import Random

import pytest

from drycell import Cell, delay, interval, wait
from drycell.verify import Verdict, verify


def philosophers(earliest: list[float]) -> Callable[[Cell], None]:
    """Each takes the left fork, and the right one 1 µs later. No two limits of their intervals coincide."""
    count = len(earliest)

    def build(cell: Cell) -> None:
        forks = [cell.signal(f"fork{number}", False) for number in range(count)]

        def dine(number: int) -> None:
            left, right = forks[number], forks[(number + 1) % count]
            delay(interval(f"comes {number}", earliest[number], earliest[number] + 10.4))
            while left.value:
                wait(~left)
            left.set(True)
            delay(1e-6)
            while right.value:
                wait(~right)
            right.set(True)
            delay(0.5)
            left.set(False)
            right.set(False)

        for number in range(count):
            cell.program(lambda number=number: dine(number), name=f"philosopher{number}")

    return build


def searched(earliest: list[float]) -> Verdict:
    return verify(philosophers(earliest), ignore=["order", "lost signal"])


@pytest.mark.parametrize("earliest", [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3]])
def test_five_philosophers_with_a_window_of_a_microsecond(earliest: list[float]) -> None:
    verdict = searched(earliest)
    assert [fault.kind for fault in verdict.faults] == ["deadlock"]
    assert verdict.finding is not None
    assert verdict.finding.run < 1000


@pytest.mark.soak
@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7])
def test_philosophers_in_any_order_of_arrival(count: int) -> None:
    runs = []
    for seed in range(10):
        earliest = [float(number) for number in range(count)]
        Random(seed).shuffle(earliest)
        verdict = searched(earliest)
        assert verdict.finding is not None, earliest
        runs.append(verdict.finding.run)
    print(f"{count} philosophers: found in {sorted(runs)[5]} runs (most: {max(runs)})")
