"""Inspections: other threads can read a run in every state without affecting it."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from drycell.base import KernelError
from drycell.kernel import Event, Fibre, JournalLine, Kernel, Pace, delay, is_live, load_program, ticks, wait

LIMIT = 60.0


def busy_cell(kernel: Kernel) -> None:
    """Three programs, a sampler and random times, with a wait that always ends."""
    flag = kernel.signal("flag", False)
    count = kernel.signal("count", 0)

    def sets() -> None:
        for _ in range(300):
            delay(kernel.random("sets").uniform(0.001, 0.02))
            flag.set(not flag.value)

    def counts() -> None:
        while True:
            wait(flag.rises())
            count.set(count.value + 1)

    kernel.spawn(sets)
    kernel.spawn(counts, daemon=True)
    kernel.every(7_001, lambda: kernel.random("noise").random(), owner="sampler")


@contextmanager
def looking(kernel: Kernel, action: Callable[[], object]) -> Iterator[None]:
    """Another thread that inspects the run as often as it can."""
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            for _ in range(50):
                kernel.inspect(action)
            over.wait(0.0005)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(LIMIT)


def journal(factor: float | None, *, looks: bool) -> tuple[str, int, int]:
    """The journal of a run, its ending, and the number of inspections."""
    kernel = Kernel(seed=5)
    busy_cell(kernel)
    seen: list[object] = []

    def look() -> None:
        seen.append((kernel.now, kernel.signals["count"].peek(), [each.where() for each in kernel.processes]))

    pace = Pace(factor)
    if not looks:
        kernel.run(pace=pace)
    else:
        with looking(kernel, look):
            kernel.run(pace=pace)
    return kernel.journal.sha256(), kernel.now, len(seen)


@pytest.mark.parametrize("factor", [None, 10.0])
def test_thousands_of_inspections_do_not_change_the_journal(factor: float | None) -> None:
    *plain, _ = journal(None, looks=False)
    looks = 0
    while looks < 2000:  # a run may be over before the other thread has begun
        *looked_at, seen = journal(factor, looks=True)
        assert looked_at == plain
        looks += seen


def test_inspections_do_not_change_the_journal_with_frequent_thread_switches() -> None:
    *plain, _ = journal(None, looks=False)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-7)
    try:
        for _ in range(5):
            *looked_at, _ = journal(10.0, looks=True)
            assert looked_at == plain
    finally:
        sys.setswitchinterval(usual)


def test_an_inspection_requested_just_before_a_step_runs_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread may call after an event was admitted, or found to be cancelled, while it is still in the queue."""
    asked, seen = 0, []
    kernel = Kernel()

    def ask() -> None:
        nonlocal asked
        asked += 1
        kernel.inspect(lambda: seen.append(kernel.now))

    class Hurried(Pace):
        def admit(self, now: int, due: int) -> bool:
            admitted = super().admit(now, due)
            if admitted:
                ask()
            return admitted

    def live(what: Fibre | Event) -> bool:
        alive = is_live(what)
        if not alive:
            ask()
        return alive

    monkeypatch.setattr("drycell.kernel.loop.is_live", live)

    def works() -> None:
        for _ in range(5):
            delay(1)
            kernel.at(kernel.now + 100_000, lambda: None, owner="nobody").cancel()

    kernel.spawn(works)
    assert kernel.run(pace=Hurried(1e6)).ending == "finished"
    assert kernel.now == ticks(5)
    assert asked >= 10
    assert len(seen) >= asked - 1  # the last one may arrive when the run is over
    assert seen == sorted(seen)


def test_an_inspection_between_two_events_does_not_advance_the_clock() -> None:
    kernel = Kernel()
    kernel.spawn(lambda: delay(1000.0), name="sleeper")
    pace = Pace(1.0)
    thread = threading.Thread(target=lambda: kernel.run(pace=pace))
    thread.start()
    looked, times = threading.Event(), []
    for _ in range(50):
        looked.clear()
        kernel.inspect(lambda: (times.append((kernel.now, pace.shown)), looked.set()))
        assert looked.wait(LIMIT)
    kernel.stop("seen enough")
    thread.join(LIMIT)
    assert {now for now, _ in times} == {0}
    shown = [shown for _, shown in times]
    assert shown == sorted(shown)
    assert shown[-1] > 0


def test_inspections_of_a_paused_run_show_one_instant() -> None:
    kernel = Kernel()
    kernel.spawn(lambda: delay(1000.0), name="sleeper")
    pace = Pace(50.0)
    thread = threading.Thread(target=lambda: kernel.run(pace=pace))
    thread.start()
    while pace.shown < ticks(0.2):
        pass
    pace.pause()
    assert pace.wait_for("paused", LIMIT)
    first = pace.shown
    assert first >= ticks(0.2)
    looked, seen = threading.Event(), []
    for _ in range(20):
        looked.clear()
        kernel.inspect(lambda: (seen.append(pace.shown), looked.set()))
        assert looked.wait(LIMIT)
    assert set(seen) == {first}
    pace.factor = 0.001
    assert pace.shown == first  # a change of speed does not make it jump back to the last event
    kernel.stop("seen enough")
    pace.resume()
    thread.join(LIMIT)
    assert kernel.now >= first


def test_a_run_stopped_at_a_line_can_be_inspected(tmp_path: Path) -> None:
    file = tmp_path / "robot.py"
    file.write_text("from drycell.kernel import delay\n\ndef work():\n    delay(1)\n    delay(1)\n")
    kernel = Kernel()
    kernel.spawn(load_program(file).function("work"))
    pace = Pace()
    pace.break_at(str(file), 5)
    thread = threading.Thread(target=lambda: kernel.run(pace=pace))
    thread.start()
    held = pace.wait_for("paused", LIMIT)
    assert held is not None
    assert held.line == 5
    looked, seen = threading.Event(), []
    for _ in range(100):
        looked.clear()
        kernel.inspect(lambda: (seen.append((kernel.now, pace.position.line)), looked.set()))
        assert looked.wait(LIMIT)
    assert set(seen) == {(ticks(1), 5)}
    pace.resume()
    thread.join(LIMIT)
    assert kernel.now == ticks(2)


def test_an_idle_attended_run_can_be_inspected() -> None:
    kernel = Kernel()
    flag = kernel.signal("flag", False)
    kernel.spawn(lambda: wait(flag), name="waits")
    pace = Pace(attended=True)
    thread = threading.Thread(target=lambda: kernel.run(pace=pace))
    thread.start()
    looked = threading.Event()
    kernel.inspect(looked.set)
    assert looked.wait(LIMIT)
    kernel.post(lambda: flag.set(True), "go on")
    thread.join(LIMIT)
    assert not thread.is_alive()


def test_an_inspection_is_not_a_busy_wait() -> None:
    kernel = Kernel()
    kernel.signal("flag", False)
    kernel.spawn(lambda: delay(1), name="sleeper")

    def look() -> None:
        for _ in range(1_000_000):
            _ = kernel.signals["flag"].value

    budget = kernel.budget
    kernel.inspect(look)
    kernel.serve_inspections()
    assert kernel.budget == budget
    assert kernel.run().ending == "finished"


def test_errors_of_inspections_are_raised_from_run() -> None:
    kernel = Kernel()
    kernel.spawn(lambda: delay(1), name="sleeper")

    def look() -> None:
        raise KernelError("seen too much")

    kernel.inspect(look)
    with pytest.raises(KernelError, match="seen too much"):
        kernel.run()


def test_a_post_between_two_events_of_a_paced_run_happens_at_the_instant_shown() -> None:
    kernel = Kernel()
    kernel.spawn(lambda: delay(1000.0), name="sleeper")
    pace = Pace(100.0)
    thread = threading.Thread(target=lambda: kernel.run(pace=pace))
    thread.start()
    while pace.shown < ticks(1.0):
        pass
    pace.pause()
    pace.wait_for("paused", LIMIT)
    shown, posted = pace.shown, threading.Event()
    kernel.post(posted.set, "hello")
    pace.step()
    assert posted.wait(LIMIT)
    kernel.stop("enough")
    pace.resume()
    thread.join(LIMIT)
    records: list[JournalLine] = [each for each in kernel.journal.records if each.kind == "post"]
    assert [each.time for each in records] == [shown]


def test_a_run_goes_to_a_time_and_shows_it() -> None:
    kernel = Kernel()
    kernel.spawn(lambda: delay(10), name="sleeper")
    pace = Pace(paused=True)
    thread = threading.Thread(target=lambda: kernel.run(pace=pace))
    thread.start()
    assert pace.wait_for("paused", LIMIT)
    pace.go_to(ticks(3))
    assert pace.wait_for("paused", LIMIT)
    assert (pace.shown, kernel.now) == (ticks(3), 0)
    pace.go_to(ticks(10))  # including that instant
    thread.join(LIMIT)
    assert kernel.now == ticks(10)
    assert pace.position.state == "ended"


def test_a_run_goes_to_a_goal() -> None:
    kernel = Kernel()
    count = kernel.signal("count", 0)

    def counts() -> None:
        for _ in range(10):
            delay(1)
            count.set(count.value + 1)

    kernel.spawn(counts)
    pace = Pace(paused=True)
    thread = threading.Thread(target=lambda: kernel.run(pace=pace))
    thread.start()
    pace.go_to(lambda: count.peek() >= 4)
    assert pace.wait_for("paused", LIMIT)
    assert (count.peek(), kernel.now) == (4, ticks(4))
    pace.resume()
    thread.join(LIMIT)
    assert count.peek() == 10


def test_next_sample_is_that_of_the_most_frequent_ticker() -> None:
    kernel = Kernel()
    assert kernel.next_sample(0) is None
    kernel.every(100_000, lambda: None, owner="slow")
    kernel.every(40_000, lambda: None, phase=5_000, owner="quick")
    assert kernel.next_sample(0) == 5_000
    assert kernel.next_sample(5_000) == 45_000
