"""Pacing: a run follows the wall clock, and another thread pauses, steps and stops it at lines."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from drycell.base import KernelError
from drycell.kernel import Kernel, Outcome, Pace, ProgramFile, delay, load_program, now

LIMIT = 60.0
"""Seconds after which a test that hangs is given up; nothing waits for them to pass."""


class FakeWall:
    """A wall clock that shows the time it was set to, and jumps ahead whenever the run would wait for it."""

    def __init__(self) -> None:
        self.time = 100.0
        self.waits: list[float] = []

    def now(self) -> float:
        return self.time

    def wait(self, condition: threading.Condition, seconds: float | None) -> None:
        if seconds is None:
            condition.wait(LIMIT)
        else:
            self.waits.append(seconds)
            self.time += seconds


@contextmanager
def running(kernel: Kernel, pace: Pace) -> Iterator[list[Outcome]]:
    outcomes: list[Outcome] = []
    thread = threading.Thread(target=lambda: outcomes.append(kernel.run(pace=pace)))
    thread.start()
    try:
        yield outcomes
    finally:
        pace.resume()
        thread.join(LIMIT)
        assert not thread.is_alive()


def three_seconds(kernel: Kernel) -> list[float]:
    seen: list[float] = []

    def program() -> None:
        for _ in range(3):
            delay(1)
            seen.append(now())

    kernel.spawn(program)
    return seen


@pytest.mark.parametrize(("factor", "expected"), [(1.0, 3.0), (10.0, 0.3), (0.5, 6.0)])
def test_a_paced_run_takes_cell_time_over_factor(factor: float, expected: float) -> None:
    wall = FakeWall()
    kernel = Kernel()
    three_seconds(kernel)
    kernel.run(pace=Pace(factor, wall=wall))
    assert wall.time - 100 == pytest.approx(expected)
    assert len(wall.waits) == 3


def test_the_pace_changes_nothing_in_the_journal() -> None:
    journals = set()
    for pace in (None, Pace(), Pace(3.0, wall=FakeWall())):
        kernel = Kernel(seed=4)
        three_seconds(kernel)
        kernel.every(70_000, lambda k=kernel: k.journal.write("sample", "eye"))
        kernel.run(pace=pace)
        journals.add(kernel.journal.sha256())
    assert len(journals) == 1


def test_paused_from_the_start_then_stepped_event_by_event() -> None:
    kernel = Kernel()
    seen = three_seconds(kernel)
    pace = Pace(paused=True)
    assert pace.position.state == "ready"
    with running(kernel, pace) as outcomes:
        trace = []
        for _ in range(4):
            position = pace.wait_for("paused", LIMIT)
            assert position is not None
            trace.append((position.time, list(seen)))
            pace.step()
        pace.resume()
        assert pace.wait_for("ended", LIMIT) is not None
    assert trace == [(0, []), (0, []), (1_000_000, [1.0]), (2_000_000, [1.0, 2.0])]
    assert [outcome.ending for outcome in outcomes] == ["finished"]


def test_a_free_run_can_be_paused_and_resumed() -> None:
    kernel = Kernel()
    pace = Pace()
    passed = threading.Event()

    def program() -> None:
        while True:
            delay(1)
            if now() == 1000:
                passed.set()

    kernel.spawn(program)
    with running(kernel, pace):
        assert passed.wait(LIMIT)
        pace.pause()
        position = pace.wait_for("paused", LIMIT)
        assert position is not None
        assert position.time >= 1_000_000_000
        held = kernel.now
        pace.resume()
        pace.pause()
        pace.wait_for("paused", LIMIT)
        assert kernel.now >= held
        kernel.stop("seen enough")


def test_stop_ends_a_paused_run() -> None:
    kernel = Kernel()
    three_seconds(kernel)
    pace = Pace(paused=True)
    with running(kernel, pace) as outcomes:
        pace.wait_for("paused", LIMIT)
        kernel.stop("closed")
        assert pace.wait_for("ended", LIMIT) is not None
    assert [(o.ending, o.reason, o.time) for o in outcomes] == [("stopped", "closed", 0)]


def test_a_post_to_a_paused_run_is_queued_and_does_not_unpause_it() -> None:
    kernel = Kernel()
    three_seconds(kernel)
    lamp = kernel.signal("lamp", False)
    pace = Pace(paused=True)
    with running(kernel, pace):
        pace.wait_for("paused", LIMIT)
        kernel.post(lambda: lamp.set(True), "lamp switched on by hand")
        assert pace.wait_for("paused", LIMIT) is not None
    assert lamp.history[1:] == [(0, True, "outside")]


def test_posts_between_two_events_happen_at_the_displayed_time() -> None:
    kernel = Kernel()
    kernel.spawn(delay, 10.0, name="main")
    lamp = kernel.signal("lamp", False)

    class Clicking(FakeWall):
        def wait(self, condition: threading.Condition, seconds: float | None) -> None:
            if seconds is not None and self.time == 100.0:
                self.time += 2.0
                kernel.post(lambda: lamp.set(True), "click")
            else:
                super().wait(condition, seconds)

    kernel.run(pace=Pace(2.0, wall=Clicking()))
    assert lamp.history[1:] == [(4_000_000, True, "outside")]
    assert kernel.now == 10_000_000


@pytest.fixture
def program(tmp_path: Path) -> ProgramFile:
    path = tmp_path / "tend.py"
    path.write_text(
        """from drycell.kernel import delay

def helper(log):
    log.append("helper")
    delay(1)

def main(log):
    log.append("a")
    helper(log)
    log.append("b")
    for turn in range(2):
        log.append(turn)
    delay(1)
"""
    )
    return load_program(path)


def test_breakpoints_stop_before_the_line(program: ProgramFile) -> None:
    kernel = Kernel()
    log: list[object] = []
    kernel.spawn(program.function("main"), log)
    pace = Pace()
    pace.break_at(program.file, 10)
    with running(kernel, pace):
        position = pace.wait_for("paused", LIMIT)
        assert position is not None
        assert (position.process, position.file, position.line) == ("main", program.file, 10)
        assert position.time == 1_000_000
        assert log == ["a", "helper"]
        pace.break_at(program.file, 12)
        pace.clear_break(program.file, 10)
        lines = []
        for _ in range(2):
            pace.resume()
            position = pace.wait_for("paused", LIMIT)
            assert position is not None
            lines.append((position.line, list(log)))
        pace.clear_break(program.file, 12)
    assert lines == [(12, ["a", "helper", "b"]), (12, ["a", "helper", "b", 0])]
    assert log == ["a", "helper", "b", 0, 1]


def test_stepping_by_line_follows_the_program_into_its_functions(program: ProgramFile) -> None:
    kernel = Kernel()
    kernel.spawn(program.function("main"), [])
    kernel.every(100_000, lambda: None)
    pace = Pace(paused=True)
    with running(kernel, pace):
        pace.wait_for("paused", LIMIT)
        lines = []
        for _ in range(9):
            pace.step_line()
            position = pace.wait_for("paused", LIMIT)
            assert position is not None
            lines.append((position.time, position.line))
    seconds = 1_000_000
    assert lines == [(0, 8), (0, 9), (0, 4), (0, 5), *((seconds, line) for line in (10, 11, 12, 12, 13))]


def test_an_event_step_from_a_line_runs_to_the_end_of_the_event(program: ProgramFile) -> None:
    kernel = Kernel()
    log: list[object] = []
    kernel.spawn(program.function("main"), log)
    pace = Pace()
    pace.break_at(program.file, 8)
    with running(kernel, pace):
        pace.wait_for("paused", LIMIT)
        pace.step()
        position = pace.wait_for("paused", LIMIT)
        assert position is not None
        assert (position.line, position.time, log) == (None, 0, ["a", "helper"])


def test_a_run_at_a_breakpoint_can_be_stopped(program: ProgramFile) -> None:
    kernel = Kernel()
    kernel.spawn(program.function("main"), [])
    pace = Pace()
    pace.break_at(program.file, 10)
    outcomes: list[Outcome] = []
    thread = threading.Thread(target=lambda: outcomes.append(kernel.run(pace=pace)))
    thread.start()
    assert pace.wait_for("paused", LIMIT) is not None
    kernel.stop("enough")
    thread.join(LIMIT)
    assert not thread.is_alive()
    assert (outcomes[0].ending, outcomes[0].reason) == ("stopped", "enough")


def test_without_breakpoints_lines_are_not_checked(program: ProgramFile) -> None:
    kernel = Kernel()
    kernel.spawn(program.function("main"), [])
    pace = Pace()
    kernel.run(pace=pace)
    assert program.namespace["__marks__"] is False


def test_impossible_paces_are_refused() -> None:
    with pytest.raises(KernelError, match="a pace of 0 × real time would never advance"):
        Pace(0)
    pace = Pace()
    Kernel().run(pace=pace)
    with pytest.raises(KernelError, match="this pace already belongs to another run"):
        Kernel().run(pace=pace)
