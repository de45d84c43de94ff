"""Results can be asserted, and claim only what was checked."""

from pathlib import Path

import pytest

from drycell import Body, Box, Cell, mm
from drycell.base import KernelError, Pose
from drycell.cell import Cell as CellType, CellSource
from drycell.testing import Bench, CheckedResult

EXAMPLES = Path(__file__).parents[2] / "examples"


def crowded(cell: CellType) -> None:
    cell.add("one", Body(Box(40 * mm, 40 * mm, 40 * mm)))
    cell.add("two", Body(Box(40 * mm, 40 * mm, 40 * mm), at=(60 * mm, 0, 0)))
    cell.check_collisions()


def dropping(cell: CellType) -> None:
    table = cell.add("table", Body(Box(200 * mm, 200 * mm, 20 * mm)))
    part = cell.add("part", Body(Box(20 * mm, 20 * mm, 20 * mm), on=table.name))

    @cell.program
    def drop() -> None:
        cell.world.place(part, Pose(1.0, 0, 0.5))
        cell.gravity.release(part)


def test_a_result_asks_what_was_checked() -> None:
    result = Bench(crowded).run(until=1.0)
    assert result.no_collision
    assert result.no_near_miss
    with pytest.raises(KernelError, match=r"'dropping' was not checked for collisions[\s\S]*cell.check_collisions\(\)"):
        _ = Bench(dropping).run().no_collision


def test_a_near_miss_is_not_a_collision() -> None:
    result = Bench(CellSource.find(EXAMPLES / "00_first_cell")).run()  # a block passes a post by 3 mm
    assert result.no_collision
    assert not result.no_near_miss


def test_a_part_that_falls_out_of_the_cell_is_lost() -> None:
    result = Bench(dropping).run(until=60.0)
    assert result.lost == ("part",)
    assert result.parts_lost == 1


def test_a_checked_result_is_the_result() -> None:
    cell = Cell("one")
    crowded(cell)
    result = cell.run(until=1.0)
    checked = CheckedResult.of(result)
    assert checked.summary() == result.summary()
    assert repr(checked) == "<result of 'one', seed 0: until at 1.000 s>"


def test_each_run_of_a_bench_builds_its_cell_anew() -> None:
    bench = Bench(crowded, seed=3)
    first = bench.cell
    bench.run(until=1.0)
    assert bench.cell is first
    bench.run(until=1.0)
    assert bench.cell is not first
    assert bench.command() == "Bench(crowded, seed=3).run(until=1)"
