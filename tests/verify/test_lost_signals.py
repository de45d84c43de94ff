"""A signal is lost if and only if nothing saw the change that a program waits for without success."""

import pytest

from drycell import Cell, delay, wait
from drycell.verify import verify


def finding(build) -> str | None:
    verdict = verify(build, ignore=["order"])
    return None if verdict.finding is None else verdict.finding.fault.kind


def pulse(cell: Cell, at: float, listens) -> None:
    bell = cell.signal("bell", False)

    @cell.program
    def rings() -> None:
        delay(at)
        bell.set(True)
        delay(0.1)
        bell.set(False)

    cell.program(lambda: listens(bell), name="listens")


@pytest.mark.parametrize("condition", ["rises", "falls", "changes"])
def test_an_edge_before_anybody_waits_for_it_is_lost(condition: str) -> None:
    def listens(bell) -> None:
        delay(2)
        wait(getattr(bell, condition)())

    assert finding(lambda cell: pulse(cell, 1, listens)) == "lost signal"
    assert finding(lambda cell: pulse(cell, 3, listens)) is None


def test_a_pulse_is_lost_for_a_program_that_waits_for_the_level_afterwards() -> None:
    def listens(bell) -> None:
        delay(2)
        wait(bell)

    assert finding(lambda cell: pulse(cell, 1, listens)) == "lost signal"


def test_an_edge_is_lost_for_a_wait_that_times_out() -> None:
    def listens(bell) -> None:
        delay(2)
        wait(bell.rises(), timeout=5)

    assert finding(lambda cell: pulse(cell, 1, listens)) == "lost signal"


def test_a_pulse_that_was_read_is_not_lost_although_the_program_hangs() -> None:
    def build(cell: Cell) -> None:
        def listens(bell) -> None:
            delay(2)
            wait(bell.rises())

        pulse(cell, 1, listens)
        bell = cell.kernel.signal_named("bell")
        cell.program(lambda: (delay(1.05), bell.value), name="looks")

    assert finding(build) == "deadlock"


def test_messages_that_a_device_receives_are_not_lost() -> None:
    def build(cell: Cell) -> None:
        def listens(bell) -> None:
            delay(2)
            wait(bell.rises())

        pulse(cell, 1, listens)
        cell.kernel.signal_named("bell").subscribe(lambda value: None)

    assert finding(build) == "deadlock"


def test_a_program_that_got_its_edge_has_not_lost_the_next_one() -> None:
    def build(cell: Cell) -> None:
        bell = cell.signal("bell", 0)

        @cell.program
        def rings() -> None:
            for _ in range(3):
                delay(1)
                bell.set(bell.value + 1)

        @cell.program
        def listens() -> None:
            wait(bell.rises())
            delay(5)

    assert finding(build) is None


def test_waiting_for_what_never_came_is_a_deadlock() -> None:
    def build(cell: Cell) -> None:
        bell = cell.signal("bell", False)
        cell.program(lambda: wait(bell.rises()), name="listens")

    assert finding(build) == "deadlock"


def with_while(mutex) -> None:
    while mutex.value != mutex.initial:
        wait(mutex == mutex.initial)


def with_edge(mutex) -> None:
    if mutex.value != mutex.initial:
        wait(mutex.rises() if mutex.initial else mutex.falls())


def with_patience(mutex) -> None:
    if mutex.value != mutex.initial:
        wait(mutex == mutex.initial, timeout=100)


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("until_free", [with_while, with_edge, with_patience])
@pytest.mark.parametrize("rounds", [2, 4])
def test_a_mutex_that_is_taken_again_is_not_a_lost_signal(free: bool, until_free, rounds: int) -> None:
    # The first program takes each mutex at once whenever it is free, so that it never waits for it.
    def build(cell: Cell) -> None:
        a, b = cell.signal("a", free), cell.signal("b", free)

        def lock(mutex) -> None:
            until_free(mutex)
            mutex.set(not free)

        @cell.program
        def one() -> None:
            for _ in range(rounds):
                for mutex in (a, b):
                    lock(mutex)
                    delay(1)
                b.set(free)
                a.set(free)
                delay(1)

        @cell.program
        def other() -> None:
            delay(3 * (rounds - 1) + 0.5)
            lock(b)
            delay(1)
            lock(a)
            b.set(free)
            a.set(free)

    assert finding(build) == (None if until_free is with_patience else "deadlock")
