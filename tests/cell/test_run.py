"""A cell runs once, ends as requested, and leaves a complete journal and recording."""

import hashlib
import json
from pathlib import Path

import pytest

from drycell import Body, Box
from drycell.base import DrycellError, KernelError, Pose, ProgramError, UnknownName
from drycell.cell import Cell
from drycell.kernel import Pace, delay, wait
from drycell.recording import Recording


def counting(turns: int | None = None) -> Cell:
    """A cell whose program sets a signal every second, endlessly or a given number of times."""
    cell = Cell("counting")
    count = cell.signal("count", 0)

    @cell.program
    def work() -> None:
        while turns is None or count.value < turns:
            delay(1.0)
            count.set(count.value + 1)

    return cell


def test_it_ends_when_its_programs_do() -> None:
    result = counting(3).run()
    assert (result.ending, result.duration, result.clean) == ("finished", 3.0, True)


def test_it_ends_when_the_time_is_up() -> None:
    result = counting().run(until=2.5)
    assert (result.ending, result.duration, result.clean) == ("until", 2.5, True)


def test_a_cell_ends_at_its_own_time_limit_by_default() -> None:
    cell = counting()
    cell.until = 1.5
    assert cell.run().duration == 1.5
    cell = counting()
    cell.until = 1.5
    assert cell.run(until=2.5).duration == 2.5


class QuickWall:
    """A wall clock on which waiting takes no time and is never cut short."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    def wait(self, condition, seconds: float | None) -> None:
        self.time += seconds or 0.0


@pytest.mark.parametrize(("factor", "took"), [(1.0, 3.0), (2.0, 1.5), (0.5, 6.0)])
def test_a_pace_holds_it_to_the_wall_clock_and_changes_nothing(factor: float, took: float) -> None:
    wall = QuickWall()
    paced = counting(3).run(pace=Pace(factor, wall=wall))
    assert wall.time == pytest.approx(took, abs=0.01)
    assert paced.journal_hash == counting(3).run().journal_hash


@pytest.mark.parametrize("factor", [1_000_000, 1e6])
def test_a_pace_may_be_a_plain_number(factor: float) -> None:
    assert counting(3).run(pace=factor).duration == 3.0


@pytest.mark.parametrize("factor", [0, -1.0, float("nan")])
def test_an_invalid_pace_is_refused_before_anything_is_written(factor: float, tmp_path: Path) -> None:
    with pytest.raises(DrycellError):
        counting(3).run(pace=factor, journal=tmp_path / "run.journal")
    assert list(tmp_path.iterdir()) == []


def test_a_second_run_is_refused_and_leaves_the_first_ones_files_alone(tmp_path: Path) -> None:
    cell, journal, record = counting(3), tmp_path / "run.jsonl", tmp_path / "run.dry"
    cell.run(journal=journal, record=record)
    first = journal.read_bytes(), record.read_bytes()
    with pytest.raises(KernelError) as caught:
        cell.run(journal=journal, record=record)
    assert str(caught.value) == "this cell has already run\n  try: build a new one for another run"
    assert (journal.read_bytes(), record.read_bytes()) == first


def test_the_journal_is_text_or_json_lines_by_the_extension_of_its_name(tmp_path: Path) -> None:
    text, lines = tmp_path / "run.journal", tmp_path / "run.jsonl"
    result = counting(2).run(journal=text)
    counting(2).run(journal=lines)
    assert "    1.000000  count           signal" in text.read_text()
    records = [json.loads(line) for line in lines.read_text().splitlines()]
    assert len(records) == len(text.read_text().splitlines())
    assert records[0] == {"t": 0.0, "kind": "start", "subject": "work"}
    assert records[-1]["kind"] == "end"
    assert hashlib.sha256(lines.read_bytes()).hexdigest() == result.journal_hash


def test_journal_and_recording_go_into_folders_that_are_made(tmp_path: Path) -> None:
    counting(1).run(journal=tmp_path / "a" / "b" / "run.journal", record=tmp_path / "c" / "run.dry")
    assert (tmp_path / "a" / "b" / "run.journal").stat().st_size > 0
    with Recording.open(tmp_path / "c" / "run.dry") as recorded:
        assert recorded.duration == 1_000_000


def test_an_error_leaves_journal_and_recording_complete_up_to_it(tmp_path: Path) -> None:
    cell = Cell("failing")
    cell.add("table", Body(Box(1, 1, 0.1)))

    @cell.program
    def work() -> None:
        delay(2.0)
        raise ProgramError("out of parts")

    with pytest.raises(ProgramError, match="out of parts"):
        cell.run(journal=tmp_path / "run.jsonl", record=tmp_path / "run.dry")
    last = json.loads((tmp_path / "run.jsonl").read_text().splitlines()[-1])
    assert (last["t"], last["kind"], last["subject"]) == (2.0, "end", "work")
    with Recording.open(tmp_path / "run.dry") as recorded:
        assert recorded.duration == 2_000_000
        assert recorded.pose("table", 2_000_000).position == (0, 0, 0)


def test_a_mistake_before_the_run_writes_no_files(tmp_path: Path) -> None:
    cell = Cell()

    @cell.program
    def work(nothing_of_that_name) -> None: ...

    with pytest.raises(UnknownName):
        cell.run(journal=tmp_path / "run.journal", record=tmp_path / "run.dry")
    assert list(tmp_path.iterdir()) == []


def test_a_deadlock_ends_the_run_and_reports_each_wait() -> None:
    cell = Cell()
    full, empty = cell.signal("full", False), cell.signal("empty", False)

    @cell.program
    def feed() -> None:
        delay(1.0)
        wait(empty)

    @cell.program
    def store() -> None:
        wait(full & ~empty)

    result = cell.run()
    assert (result.ending, result.duration, result.clean) == ("deadlock", 1.0, False)
    blocked_by_name = {blocked.process: blocked for blocked in result.outcome.blocked}
    assert blocked_by_name["feed"].waits_for == "empty"
    assert blocked_by_name["store"].waits_for == "full & ~empty"
    assert blocked_by_name["feed"].file == __file__
    line = feed.__code__.co_firstlineno + 3
    assert blocked_by_name["feed"].line == line
    lines = result.summary().splitlines()
    assert lines[0] == "  DEADLOCK      at 1.000 s, no program can continue"
    assert f"                feed (test_run.py:{line}) waits for empty" in lines


def test_a_run_without_programs_takes_no_time() -> None:
    result = Cell().run()
    assert (result.ending, result.duration) == ("finished", 0.0)


def test_a_run_without_programs_lasts_until_its_time_limit() -> None:
    assert Cell().run(until=5.0).duration == 5.0


def test_seeds_reach_the_programs() -> None:
    def drawn(seed: int) -> list[float]:
        cell = Cell(seed=seed)
        got: list[float] = []

        @cell.program
        def work() -> None:
            got.extend(cell.kernel.random("work").random() for _ in range(3))

        assert cell.run().seed == seed
        return got

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_past_poses_are_available_after_the_run() -> None:
    cell = Cell()
    block = cell.add("block", Body(Box(0.1, 0.1, 0.1)))

    @cell.program
    def shift() -> None:
        delay(1.0)
        cell.world.place(block, Pose(1, 0, 0))
        delay(1.0)

    cell.run()
    assert [cell.world.pose(block, t).x for t in (0, 999_999, 1_000_000, 2_000_000)] == [0, 0, 1, 1]
