"""The timing diagram shows a readable window and the most informative rows, and reports what it omits."""

import re

import pytest

from drycell import Cell, delay, wait
from drycell.base import DrycellError, UnknownName
from drycell.record import Result
from drycell.report.timing import MOST_ROWS, timing_diagram

MINUTE = 60_000_000


def shown(result: Result, **options):
    return timing_diagram(result.record, result.outcome.time, **options)


def test_timing_diagram_shows_the_last_three_cycles_by_default(shift: Result) -> None:
    diagram = shown(shift)
    finishes = shift.parts.finished(4)
    assert (diagram.start, diagram.end) == (round(finishes[0].time * 1e6), shift.outcome.time)
    assert diagram.why == "the last 3 cycles"
    chosen = shown(shift, window=(MINUTE, 3 * MINUTE))
    assert (chosen.start, chosen.end, chosen.why) == (MINUTE, 3 * MINUTE, "as requested")


def test_timing_diagram_shows_a_short_run_completely(collided: Result) -> None:
    assert shown(collided).why == "the whole run"


def test_a_collision_long_before_the_end_is_in_the_window() -> None:
    from drycell import Body, Box
    from drycell.world import Travel

    cell = Cell("early")
    cell.add("wall", Body(Box(0.1, 0.1, 0.1), at=(1.0, 0, 0)))
    cube = cell.add("cube", Body(Box(0.1, 0.1, 0.1)))
    lamp = cell.signal("lamp", False)
    cell.check_collisions()

    @cell.program
    def work() -> None:
        delay(100)
        cell.world.move(cube, Travel(cell.kernel.now, cell.kernel.now + 2_000_000, cube.pose, (1, 0, 0)))
        while True:
            delay(1)
            lamp.set(not lamp.value)

    result = cell.run(until=600)
    diagram = shown(result)
    assert diagram.start < result.collisions[0].time < diagram.end < result.outcome.time
    assert diagram.why == "around the first collision"


def test_rows_are_parts_devices_programs_and_the_signals_that_change(flow: Result) -> None:
    diagram = shown(flow)
    assert diagram.rows[:3] == ("finished", "mill", "tend")
    assert {"mill.running", "lamp", "level", "feeder.count"} <= set(diagram.rows)
    assert "mill.broken" not in diagram.rows  # never changes
    assert diagram.left_out == ()
    assert diagram.constant > 0


def test_signals_that_programs_wait_for_come_first_and_omitted_ones_are_listed() -> None:
    cell = Cell("many")
    lamps = [cell.signal(f"lamp{number}", False) for number in range(40)]
    eye = cell.signal("eye", 0.0)
    cell.signal("eye2", 0.0)

    @cell.program
    def switch() -> None:
        for lamp in lamps:
            delay(0.1)
            lamp.set(True)
        eye.set(3.0)

    cell.program(lambda: wait(eye > 2.5), name="watch")
    diagram = shown(cell.run())
    assert len(diagram.rows) == MOST_ROWS
    assert "eye" in diagram.rows  # a number, but the one that matters
    assert len(diagram.left_out) == 40 - (MOST_ROWS - 2)  # rows of lamps in addition to watch and eye
    assert diagram.constant == 1


def test_signals_are_chosen_by_name_and_pattern(flow: Result) -> None:
    diagram = shown(flow, signals=["lamp", "mill.r*"])
    assert diagram.rows == ("finished", "mill", "tend", "mill.running", "mill.ready", "lamp")
    with pytest.raises(UnknownName, match="there is no signal 'lmap'"):
        shown(flow, signals=["lmap"])


@pytest.mark.parametrize("window", [(-1, 5), (5, 5), (9, 5), (0, 601_000_000)])
def test_a_window_outside_the_run_is_refused(flow: Result, window: tuple[int, int]) -> None:
    with pytest.raises(DrycellError, match="is not within the run") as error:
        shown(flow, window=window)
    assert "10 min 00.0 s" in str(error.value)
    assert error.value.hint


def test_a_waveform_has_its_edges_where_the_signal_changed() -> None:
    cell = Cell("edges")
    lamp = cell.signal("lamp", False)

    @cell.program
    def switch() -> None:
        delay(2.5)
        lamp.set(True)
        delay(5)
        lamp.set(False)
        delay(2.5)

    (wave,) = re.findall(r'class="wave" d="([^"]*)"', shown(cell.run()).svg)
    # 172 + 716 pixels for 10 s: edges at a quarter and at three quarters.
    assert re.findall(r"H([\d.]+)", wave) == ["351", "709", "888"]


def test_changes_too_quick_to_draw_are_one_grey_block(shift: Result) -> None:
    assert not shown(shift).dense
    whole = shown(shift, window=(0, shift.outcome.time), signals=["lamp"])
    assert whole.dense
    assert len(whole.svg) < 60_000


def test_missing_numbers_leave_a_gap() -> None:
    cell = Cell("gaps")
    level = cell.signal("level", 1.0)

    @cell.program
    def measure() -> None:
        for value in (2.0, float("nan"), 3.0, float("inf"), 1.0):
            delay(1)
            level.set(value)
        delay(1)

    (wave,) = re.findall(r'class="wave" d="([^"]*)"', shown(cell.run()).svg)
    assert wave.count("M") == 3
    assert "nan" not in wave
    assert "inf" not in wave
