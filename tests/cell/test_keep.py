"""A run that discards its past gives the same results as one that keeps it, and uses little memory."""

import gc
import tracemalloc
from pathlib import Path

import pytest

from drycell.cell import Cell, CellSource

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["30_event_cell", "01_shared_nest", "20_sensors/sort", "33_exceptions/broken_machine"])
def test_all_figures_are_the_same(name: str, tmp_path: Path) -> None:
    source = CellSource.find(EXAMPLES / name)
    kept, forgotten = (source.build(seed=7).run(400.0, keep=keep) for keep in (True, False))
    assert forgotten.row() == kept.row()
    assert forgotten.as_json() == kept.as_json()


def test_the_recording_is_identical_byte_for_byte(tmp_path: Path) -> None:
    source = CellSource.find(EXAMPLES / "30_event_cell")
    for keep in (True, False):
        source.build(seed=7).run(400.0, keep=keep, record=tmp_path / f"{keep}.dry", source=source)
    assert (tmp_path / "True.dry").read_bytes() == (tmp_path / "False.dry").read_bytes()


def test_a_cell_ends_when_no_event_is_left() -> None:
    cell = Cell("nothing")
    cell.kernel.at(5_000_000, lambda: None)
    assert cell.run(keep=False).duration == cell_duration_kept()


def cell_duration_kept() -> float:
    cell = Cell("nothing")
    cell.kernel.at(5_000_000, lambda: None)
    return cell.run().duration


def test_signals_and_waits_do_not_grow() -> None:
    from drycell.kernel import delay, wait

    cell = Cell("loop")
    go = cell.signal("go", False)
    sizes: list[int] = []

    @cell.program
    def waiter() -> None:
        while True:
            wait(go.changes())

    def measure() -> None:
        gc.collect()
        sizes.append(tracemalloc.get_traced_memory()[0])

    @cell.program
    def setter() -> None:
        while True:
            delay(0.02)
            go.set(not go.value)

    cell.kernel.every(300_000_000, measure, phase=300_000_000, writes=())
    tracemalloc.start()
    try:
        result = cell.run(1201.0, keep=False)
    finally:
        tracemalloc.stop()
    # 45,000 more changes and waits
    assert sizes[-1] - sizes[0] < 100_000
    assert result.waits["waiter"].seconds == pytest.approx(0.02)
