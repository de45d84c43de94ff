"""The reduction: orders that cannot be printed apart are run once, so that unread sensors cost next to nothing."""

import pytest

from drycell import Cell, delay, interval, wait
from drycell.verify import Verdict, verify


def two_machines(cell: Cell, parts: int, sensors: int, *, corrected: bool = False) -> None:
    """One robot with a single gripper tends two machines. It takes a part out of the first while the second is full: if
    that one has finished just then, nobody will ever empty it."""
    feed, out = cell.signal("feed", True), cell.signal("out", 0)
    full1, done1 = cell.signal("m1.full", False), cell.signal("m1.done", False)
    full2, done2 = cell.signal("m2.full", False), cell.signal("m2.done", False)

    @cell.program
    def robot() -> None:
        while out.value < parts:
            wait((feed.is_on & full1.is_off) | done1.is_on | done2.is_on)
            if done2:
                delay(1)
                done2.set(False)
                full2.set(False)
                delay(1)
                out.set(out.value + 1)
            elif done1 and not (corrected and full2):
                delay(1)
                done1.set(False)
                full1.set(False)
                wait(~full2)  # with the gripper full
                delay(1)
                full2.set(True)
            elif feed and not full1:
                delay(1)
                feed.set(False)
                delay(1)
                full1.set(True)
            elif corrected:
                wait(done2)

    @cell.program
    def feeder() -> None:
        for _ in range(parts - 1):
            wait(~feed)
            delay(1)
            feed.set(True)

    def machine(full, done, name: str, low: float, high: float) -> None:
        while True:
            wait(full & ~done)
            delay(interval(name, low, high))
            done.set(True)
            wait(~full)

    cell.program(lambda: machine(full1, done1, "first cycle", 10, 10), name="m1", daemon=True)
    cell.program(lambda: machine(full2, done2, "second cycle", 8, 12), name="m2", daemon=True)
    for number in range(sensors):
        seen = cell.signal(f"sensor{number}", False)

        def looks(seen=seen) -> None:
            while True:
                delay(1)
                seen.set(not seen.value)

        cell.program(looks, name=f"sensor{number}", daemon=True)


def search(parts: int, sensors: int, *, corrected: bool = False, **options) -> Verdict:
    signals = ["out", "feed"]  # sensors have their poses at the end of the run
    return verify(
        lambda cell: two_machines(cell, parts, sensors, corrected=corrected), outcome=signals, until=300, **options
    )


@pytest.mark.parametrize(("parts", "sensors"), [(2, 0), (2, 3), (3, 2)])
def test_the_deadlock_of_two_machines_is_found(parts: int, sensors: int) -> None:
    verdict = search(parts, sensors)
    assert verdict.finding is not None
    assert verdict.finding.fault.kind == "deadlock"
    assert verdict.runs <= 100


def test_the_corrected_machines_are_clean_and_sensors_nobody_asks_cost_no_runs() -> None:
    alone, crowded = search(2, 0, corrected=True), search(2, 3, corrected=True)
    assert alone.clean
    assert crowded.clean
    assert crowded.runs <= 2 * alone.runs
