"""Runs with external input are replayed from their recordings, byte for byte."""

import time
from collections import Counter
from pathlib import Path

import pytest

from drycell import Cell, delay
from drycell.base import DrycellError
from drycell.kernel import TapeRow
from drycell.recording import Recording, compare
from drycell.recording.container import Json

from . import attended

SMALL = [attended.Plan.of(seed, most=150) for seed in range(12)]


def _check(plan: attended.Plan, folder: Path) -> tuple[str, int, float]:
    """How the live run ended, the rows of its tape, and the seconds the replay took."""
    one, other = folder / f"{plan.seed}.dry", folder / f"{plan.seed}_again.dry"
    lived = attended.live(plan, one)
    began = time.perf_counter()
    again = attended.replay(plan, one, other)
    took = time.perf_counter() - began
    with Recording.open(one) as recorded, Recording.open(other) as replayed:
        assert compare(recorded, replayed) is None
        rows = len(recorded.inputs)
    assert one.read_bytes() == other.read_bytes()
    assert (again.journal_hash, again.outcome) == (lived.journal_hash, lived.outcome)
    one.unlink()
    other.unlink()
    return lived.ending, rows, took


@pytest.mark.parametrize("plan", SMALL, ids=lambda plan: str(plan.seed))
def test_an_attended_run_is_repeated_byte_for_byte(plan: attended.Plan, tmp_path: Path) -> None:
    _check(plan, tmp_path)


@pytest.mark.soak
def test_thirty_runs_with_thousands_of_rows_are_repeated_byte_for_byte(tmp_path: Path) -> None:
    endings: Counter[str] = Counter()
    rows, replays = 0, 0.0
    for seed in range(30):
        plan = attended.Plan.of(1000 + seed, most=3000)
        ending, count, took = _check(plan, tmp_path)
        endings[ending] += 1
        rows += count
        replays += took
    counts = ", ".join(f"{count} {ending}" for ending, count in sorted(endings.items()))
    print(f"\n30 of 30 attended runs identical byte for byte: {rows:,} rows, replayed in {replays:.1f} s; {counts}")
    assert rows > 10_000


@pytest.mark.parametrize(
    ("what", "arguments"),
    [
        ("force", {}),
        ("force", {"signal": "lamp", "value": None}),
        ("force", {"signal": "lamp", "value": True, "more": 1}),
        ("fault", {"signal": "lamp", "kind": "stuck_on", "fields": 7}),
        ("clear", {"signal": "lamp", "kinds": "x", "numbers": 0}),
        ("explode", {}),
    ],
)
def test_requests_with_other_arguments_are_refused_before_the_run(what: str, arguments: dict[str, Json]) -> None:
    cell = Cell("lamp")
    cell.signal("lamp", False)
    with pytest.raises(DrycellError, match=what):
        cell.play([TapeRow(0, "studio", what, arguments)])


@pytest.mark.parametrize(
    ("what", "arguments"),
    [
        ("set", {"lamb": True}),
        ("set", {"lamp": 3}),
        ("force", {"signal": "lamb", "value": True}),
        ("force", {"signal": "lamp", "value": "bright"}),
        ("release", {"signal": "lamp"}),
        ("fault", {"signal": "lamp", "kind": "stuck_on", "fields": {"signal": 1}}),
        ("fault", {"signal": "lamp", "kind": "crooked", "fields": {}}),
        ("clear", {"signal": "lamp", "kinds": "x", "numbers": [0]}),
        ("clear", {"signal": "lamp", "kinds": "x", "numbers": [0.5]}),
    ],
)
def test_requests_that_cannot_be_carried_out_are_journalled_and_the_run_goes_on(
    what: str, arguments: dict[str, Json]
) -> None:
    cell = Cell("lamp")
    cell.signal("lamp", False)
    cell.program(lambda: delay(1.0), name="main")
    cell.play([TapeRow(500_000, "studio", what, arguments)])
    assert cell.run().ending == "finished"
    kinds = [record.kind for record in cell.kernel.journal.records]
    assert kinds.count("post") == kinds.count("refused") == 1
    assert cell.kernel.signals["lamp"].value is False
