"""Table 25 of the thesis, completed: parts are found by searching, and taken from stacks of unknown height."""

from functools import cache
from pathlib import Path

import pytest

from drycell.base import mm
from drycell.cell import Cell, CellSource, Result
from drycell.languages.arla import parse
from drycell.languages.kit import SourceText as Text

FOLDER = Path(__file__).parents[2] / "examples" / "34_search"

PRINTED = """\
10 TCP 1
20 RECT COORD
30 JUMP TO 540 IF R41 > 0 * R42 > 0
40 JUMP TO 290 IF R41 > 0
50 JUMP TO 70 IF R42 > 0
60 JUMP TO 290 IF R11 = 1
70 POS V=100.0% C1 #58
80 POS V=100.0% STORE POSITION 10
90 JUMP TO 120 IF R12 = 1
100 POS V=100.0% STORE POSITION 2
110 LET R12 = 1
120 POS V=100.0% PATH POSITION 2 OFFSET X=0.0 Y=0.0 Z=0.0
130 POS V=4.0% FINEC SEARCH S1 #59
140 LET R11 = 1
150 JUMP TO 60 IF INP 1 = 0
160 POS V=4.0% STORE POSITION 2
170 LET R7 = R3
"""


@cache
def ran() -> tuple[Cell, Result]:
    cell = CellSource.find(FOLDER).build()
    return cell, cell.run()


def test_the_printed_program_runs_unchanged() -> None:
    text = parse(Text.read(FOLDER / "program.arl"))
    lines = [text.source.line(each.span.line) for each in text.programs[300].instructions]
    assert [" ".join(line.split()) for line in lines[:17]] == PRINTED.splitlines()


def test_each_search_ends_at_the_top_of_what_is_left() -> None:
    _, result = ran()
    searches = [move for move in result.moves["arm"] if move.guard is not None]
    found = [move.pose.z / mm if move.fired else None for move in searches]
    # The pallets' tops are at 400 mm, parts are 40 mm high; the beam looks every 10 ms at 40 mm/s.
    assert found[:3] == pytest.approx([520, 480, 440], abs=0.5)
    assert found[3] is None
    assert found[4] == pytest.approx(440, abs=0.5)
    assert found[5:] == [None]


def test_the_next_search_begins_where_the_last_one_ended() -> None:
    _, result = ran()
    first, second, third = [move for move in result.moves["arm"] if move.guard is not None][:3]
    assert first.distance == pytest.approx(180 * mm, abs=3 * mm)  # from 700 mm to 520 mm, and to rest
    assert second.distance == pytest.approx(40 * mm, abs=3 * mm)
    assert third.distance == pytest.approx(40 * mm, abs=3 * mm)


def test_all_parts_end_on_the_table_in_a_row_and_nothing_is_hit() -> None:
    cell, result = ran()
    assert result.clean
    assert result.checked
    placed = {body.name: body for body in cell.world.bodies.values() if body.part}
    assert {body.parent.name for body in placed.values() if body.parent is not None} == {"table"}
    order = sorted(placed, key=lambda name: placed[name].pose.y)
    assert order == ["part1.3", "part1.2", "part1.1", "part2.1"]
    assert [placed[name].pose.y / mm for name in order] == pytest.approx([0, 80, 160, 240], abs=0.1)
