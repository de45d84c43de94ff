"""A long run takes no more memory than the list of its moves and signal changes."""

import gc
import tracemalloc
from pathlib import Path

from drycell import Body, Box, Robot
from drycell.base import mm
from drycell.cell import Cell
from drycell.kernel import delay

PER_MOVE = 1_500  # bytes: the move in the result, its place in the joint history, the changes of two signals


def test_a_loop_grows_by_its_moves_and_signal_changes_only(tmp_path: Path) -> None:
    cell = Cell()
    cell.add("table", Body(Box(1, 1, 0.1), at=(0, 0, -0.06)))
    arm = cell.add("arm", Robot("scara"))
    cell.check_collisions(clearance=5 * mm)
    count = cell.signal("count", 0)
    seen: list[tuple[int, int]] = []

    @cell.program
    def loop() -> None:
        while True:
            arm.move_joints([0.5, 0.5, 0.05, 0.0])
            arm.move_joints([-0.5, -0.5, 0.05, 0.0])
            count.set(count.value + 1)

    @cell.program(daemon=True)
    def meter() -> None:
        for until in (60.0, 60.0, 120.0):  # the first minute fills the caches for the loop
            delay(until - 1e-6)
            gc.collect()
            seen.append((len(arm.moves), tracemalloc.get_traced_memory()[0]))

    tracemalloc.start()
    try:
        cell.run(until=240.0, journal=tmp_path / "run.jsonl", record=tmp_path / "run.dry")
    finally:
        tracemalloc.stop()
    (_, _), (moves, early), (more_moves, late) = seen
    assert more_moves - moves > 200
    assert (late - early) / (more_moves - moves) < PER_MOVE
