"""A result describes a run to people, programs and tests."""

import json

import pytest

from drycell.base import Pose, mm
from drycell.cell import Cell, Result
from drycell.kernel import Awaited, Kernel, Outcome, delay, wait
from drycell.record import LiveRecord
from drycell.world import NearMiss, PartStep, World


@pytest.fixture
def probed(probe_cell) -> Result:
    """A run with two moves of a gantry, 1 m as a joint move and 300 mm along a line, with a pause of 0.5 s."""
    cell: Cell = probe_cell()
    arm = cell.robots["arm"]

    @cell.program
    def work() -> None:
        arm.move_joints([1.0, 0.0, 0.0])
        delay(0.5)
        arm.move_linear(Pose(1.0, 0.3, 120 * mm), 250 * mm)

    return cell.run()


def test_cycle_times_are_those_of_the_time_laws(probed: Result) -> None:
    joint, linear = probed.moves["arm"]
    # 1 m at 1 m/s, 2 m/s², 20 m/s³: two ramps of 0.5 + 0.1 s and 300 mm each, 400 mm between them.
    assert joint.duration == pytest.approx(1.6, abs=1e-6)
    # 300 mm at 250 mm/s: two ramps of 0.125 + 0.1 s and 28.125 mm each, 243.75 mm between them.
    assert linear.duration == pytest.approx(1.425, abs=1e-6)
    assert linear.start_time == pytest.approx(2.1, abs=1e-6)
    assert probed.duration == pytest.approx(3.525, abs=1e-6)
    assert linear.distance == pytest.approx(0.3, abs=1e-9)
    assert linear.top_speed == pytest.approx(0.25, rel=1e-6)


def test_the_summary_adds_the_cycle_up(probed: Result) -> None:
    # 3.025 s of 3.525 s
    assert "  robots        arm: 2 moves, 3.025 s in motion (86%)" in probed.summary().splitlines()


def test_the_table_has_a_line_a_move_and_a_sum(probed: Result) -> None:
    assert probed.move_table().splitlines() == [
        "arm           start s    time s  distance mm     mm/s  target",
        "  joint         0.000     1.600       1000.0   1000.0  1000.000 mm, 0.000 mm, 0.000 mm",
        "  linear        2.100     1.425        300.0    250.0  (1000.0, 300.0, 120.0) mm",
        "  total                   3.025",
    ]


def test_as_json_is_plain_data_and_says_the_same(probed: Result) -> None:
    report = json.loads(json.dumps(probed.as_json()))
    assert report["ending"] == "finished"
    assert report["duration_s"] == pytest.approx(3.525, abs=1e-6)
    assert report["clean"] is True
    assert report["collisions"] == report["near_misses"] == report["lost"] == report["blocked"] == []
    assert [move["kind"] for move in report["moves"]["arm"]] == ["joint", "linear"]
    assert report["moves"]["arm"][1]["duration_s"] == pytest.approx(1.425, abs=1e-6)
    assert report["journal_sha256"] == probed.journal_hash
    assert len(probed.journal_hash) == 64


def result(outcome: Outcome | None = None, wall: float = 0.0, **tables) -> Result:
    """A result of rows written by hand: ``(time in ticks, value)`` of each track, by table and name."""
    kernel = Kernel()
    for table, tracks in tables.items():
        for name, rows in tracks.items():
            for time, value in rows:
                kernel.tracks.track(table, name).append(time, value)
    kernel.tracks.flow = "parts" in tables
    return Result("cell", 0, outcome or Outcome("finished", 2_000_000), LiveRecord(kernel, World(kernel)), wall=wall)


@pytest.mark.parametrize(
    ("ending", "clean"),
    [("finished", True), ("until", True), ("deadlock", False), ("stopped", False), ("interrupted", False)],
)
def test_only_an_ending_as_asked_for_is_clean(ending: str, clean: bool) -> None:
    assert result(outcome=Outcome(ending, 0)).clean is clean


def test_a_lost_part_is_not_clean_but_a_near_miss_is() -> None:
    near = NearMiss(1, "a", "b", 0.001, ((0, 0, 0), (0, 0, 0.001)), 2)
    assert not result(lost={"": [(5, ("peg", True))]}).clean
    assert result(lost={"": [(5, ("peg", True)), (6, ("peg", False))]}).clean  # a body moved below it
    assert result(**{"near misses": {"collision": [(2, near)]}}).clean


def test_speed_is_cell_time_over_wall_time() -> None:
    assert result(wall=0.5).speed == 4.0
    assert result(wall=0.0).speed == float("inf")


def test_the_summary_says_why_a_run_was_stopped() -> None:
    report = result(outcome=Outcome("stopped", 2_000_000, reason="door opened")).summary().splitlines()
    assert report[0] == "  stopped       at 2.000 s: door opened"


def test_many_incidents_are_counted_and_not_listed() -> None:
    report = result(lost={"": [(1, (f"part{number}", True)) for number in range(8)]}).summary().splitlines()
    assert report[-6:] == [
        "  lost parts    part0",
        *(f"                part{number}" for number in range(1, 5)),
        "                and 3 more: see result.lost",
    ]


S = 1_000_000


def flow(*ends: float | None) -> dict[str, list[tuple[int, PartStep]]]:
    """Parts that come every 10 s and go into a bin at given seconds, machined 5 s before; None: they stay."""
    rows = [(n * 10 * S, PartStep(n, "arrives", "feeder", f"part{n}", "part")) for n in range(len(ends))]
    for n, end in enumerate(ends):
        if end is not None:
            rows += [
                (round((end - 5) * S), PartStep(n, "machined", "mill")),
                (round(end * S), PartStep(n, "sunk", "bin")),
            ]
    return {"": sorted(rows, key=lambda row: row[0])}


def test_the_cycle_is_the_time_between_parts_that_are_done() -> None:
    whole = Outcome("until", 100 * S)
    cycle = result(whole, parts=flow(30, 40, 70, None)).cycle
    assert (cycle.mean, cycle.shortest, cycle.longest, cycle.count) == (20.0, 10.0, 30.0, 2)  # 30, 40 and 70 s
    assert result(whole, parts=flow(30)).cycle is None
    assert result().cycle is None


def test_of_a_cell_that_parts_go_through_the_summary_shows_parts_cycle_incidents_and_waits() -> None:
    ready, door, alarm = (
        Awaited("mill.ready", "cells/robot.pas", 61), Awaited("door", "cells/lift.py", 7), Awaited("alarm", "a.py", 3)
    )  # fmt: skip
    near = [
        NearMiss(at, "arm/hand", "door", gap, ((0, 0, 0), (0, 0, gap)), at)
        for at, gap in ((1, 0.004), (724_200_000, 0.0031))
    ]
    report = result(
        Outcome("until", 1000 * S),
        parts=flow(30, 40, 70, None),
        states={"mill": [(0, "idle"), (190 * S, "working")]},  # 810 s of 1000 s
        waits={
            "robot": [(0, ready), (38_240_000, None), (50 * S, ready), (60 * S, None)],
            "lift": [(0, None), (950 * S, door)],
            "lamp": [(1 * S, alarm)],
        },
        **{"near misses": {"collision": [(miss.end, miss) for miss in near]}},
    )
    report.record.tracks.daemons.add("lamp")
    report.record.tracks.checked = 1000 * S
    assert report.summary().splitlines() == [
        "  time limit    reached at 16 min 40.0 s",
        "  parts         4 arrived · 3 machined and taken to bin · 1 in the cell · 0 lost",
        "  cycle time    20.0 s mean (10.0–30.0 s)",
        "  devices       mill 81% busy",
        "  collisions    none",
        "  near misses   arm/hand – door 3.10 mm apart at 12 min 04.2 s",
        "                arm/hand – door 4.00 mm apart at 0.000 s",
        "  longest wait  lift: 50.0 s for door (lift.py:7, still waiting)",
        "                robot: 38.2 s for mill.ready (robot.pas:61)",
    ]
    assert report.as_json()["cycle"] == {"mean_s": 20.0, "shortest_s": 10.0, "longest_s": 30.0, "count": 2}
    assert report.as_json()["waits"]["robot"] == {
        "longest_s": 38.24, "waits_for": "mill.ready", "file": "cells/robot.pas", "line": 61, "over": True
    }  # fmt: skip


def test_a_row_has_flat_scalars_for_a_table_of_runs(probed: Result) -> None:
    row = probed.row()
    assert all(value is None or isinstance(value, (bool, int, float, str)) for value in row.values())
    assert (row["cell"], row["seed"], row["ending"], row["clean"]) == (probed.name, 0, "finished", True)
    assert (row["arm.moves"], row["arm.moving"]) == (2, pytest.approx(3.025 / 3.525, abs=1e-6))
    assert row["collisions"] is None  # no check was made
    assert row["journal_sha256"] == probed.journal_hash


def test_the_longest_wait_of_each_program_is_kept_and_moves_are_none(probe_cell) -> None:
    cell: Cell = probe_cell()
    arm, go = cell.robots["arm"], cell.signal("go", False)

    @cell.program
    def mover() -> None:
        arm.move_joints([1.0, 0.0, 0.0])  # 1.6 s
        go.set(True)

    @cell.program
    def waiter() -> None:
        wait(go)

    report = cell.run()
    assert list(report.waits) == ["waiter"]
    assert report.waits["waiter"].seconds == pytest.approx(1.6, abs=1e-6)
    assert report.waits["waiter"].condition == "go"
    assert report.summary().splitlines()[-1].startswith("  longest wait  waiter: 1.6 s for go (test_result.py:")


def test_the_waits_of_a_deadlock_are_shown_once() -> None:
    waits = {"a": [(0, Awaited("go", "a.py", 1))]}
    assert "longest wait" not in result(Outcome("deadlock", 2_000_000), waits=waits).summary()
    assert "longest wait" in result(Outcome("until", 2_000_000), waits=waits).summary()


def test_the_table_of_collisions_has_all_of_them() -> None:
    misses = [(n, NearMiss(n * 1_000_000, "arm", "door", n * mm, ((0, 0, 0), (0, 0, n * mm)), n)) for n in range(1, 8)]
    found = result(**{"near misses": {"": misses}})
    found.record.tracks.checked = 10_000_000
    assert found.collision_table().splitlines()[:2] == [
        "              start s         mm  bodies",
        "near miss       1.000       1.00  arm – door",
    ]
    assert len(found.collision_table().splitlines()) == 8
    assert "                and 2 more: use --collisions" in found.summary().splitlines()
