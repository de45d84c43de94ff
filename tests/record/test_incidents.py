"""There is one list of incidents, derived from the record: for a live run, at any time of it, and for its recording."""

from pathlib import Path

import pytest

from drycell import Cell, delay, wait
from drycell.cell import CellSource
from drycell.record import Incident, figures
from drycell.recording import Recording

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_deadlock_is_an_incident_of_each_program_that_is_stuck(tmp_path: Path) -> None:
    cell = Cell("deadlock")
    nest, tool = cell.signal("nest", False), cell.signal("tool", False)

    @cell.program
    def left() -> None:
        delay(1)
        wait(nest)
        tool.set(True)

    @cell.program
    def right() -> None:
        delay(2)
        wait(tool)
        nest.set(True)

    result = cell.run(record=tmp_path / "run.dry")
    end = result.outcome.time
    with Recording.open(tmp_path / "run.dry") as recorded:
        for record, outcome in ((result.record, result.outcome), (recorded, recorded.outcome)):
            found = figures.incidents(record, end, outcome)
            assert [(each.time, each.kind, each.text) for each in found] == [
                (2_000_000, "deadlock", "left waits for nest, which can never happen"),
                (2_000_000, "deadlock", "right waits for tool, which can never happen"),
            ]
            assert figures.incidents(record, end - 1, outcome) == []
        graph = [(each.process, each.signals, each.sets) for each in recorded.outcome.blocked]
        assert graph == [("left", ("nest",), ("tool",)), ("right", ("tool",), ("nest",))]


def test_encounters_are_incidents_at_the_time_at_which_to_look_at_them(tmp_path: Path) -> None:
    result = CellSource.find(EXAMPLES / "00_first_cell").build().run(record=tmp_path / "run.dry")
    miss = result.near_misses[0]
    with Recording.open(tmp_path / "run.dry") as recorded:
        for record in (result.record, recorded):
            found = [each for each in figures.incidents(record, record.end) if each.kind == "near miss"]
            assert [(each.time, each.bodies, each.point) for each in found] == [
                (miss.time, (miss.a, miss.b), pytest.approx(miss.points[0]))
            ]


def test_parts_that_are_lost_are_incidents_and_parts_that_are_found_again_are_not() -> None:
    cell = Cell("lost")

    @cell.program
    def rest() -> None:
        delay(1)

    result = cell.run()
    lost = result.record.tracks.track("lost")
    for time, row in ((10, ("part1", True)), (20, ("part2", True)), (30, ("part1", False))):
        lost.append(time, row)
    assert figures.incidents(result.record, 1_000_000) == [Incident(20, "lost part", "part2 fell out of the cell")]
    assert figures.lost(result.record, 25) == ("part1", "part2")
