"""Runs that somebody outside attends are repeated from their recordings, to the byte."""

import time
from collections import Counter
from pathlib import Path

import pytest

from drycell.recording import Recording, compare

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
        rows = len(recorded.header.inputs)
    assert one.read_bytes() == other.read_bytes()
    assert (again.journal_hash, again.outcome) == (lived.journal_hash, lived.outcome)
    one.unlink()
    other.unlink()
    return lived.ending, rows, took


@pytest.mark.parametrize("plan", SMALL, ids=lambda plan: str(plan.seed))
def test_an_attended_run_is_repeated_to_the_byte(plan: attended.Plan, tmp_path: Path) -> None:
    _check(plan, tmp_path)


@pytest.mark.soak
def test_thirty_runs_with_thousands_of_rows_are_repeated_to_the_byte(tmp_path: Path) -> None:
    endings: Counter[str] = Counter()
    rows, replays = 0, 0.0
    for seed in range(30):
        plan = attended.Plan.of(1000 + seed, most=3000)
        ending, count, took = _check(plan, tmp_path)
        endings[ending] += 1
        rows += count
        replays += took
    told = ", ".join(f"{count} {ending}" for ending, count in sorted(endings.items()))
    print(f"\n30 of 30 attended runs the same to the byte: {rows:,} rows, replayed in {replays:.1f} s; {told}")
    assert rows > 10_000
