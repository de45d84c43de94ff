"""Tables: at the end of a run the figures of its result, at an earlier time those of a shorter run."""

from pathlib import Path
from typing import Any

import pytest

from drycell.cell import CellSource, Result
from drycell.recording import Recording
from drycell.studio.api.codec import encode
from drycell.studio.host import tables as tables_module
from drycell.studio.host.session import HostSession

EXAMPLES = Path(__file__).parents[2] / "examples"
EVENT_CELL = EXAMPLES / "30_event_cell"
LONG, SHORT = 300.0, 137.0
LONG_TICKS = round(LONG * 1e6)


def tables(session: HostSession, t: int) -> dict[str, Any]:
    """The tables as they go over the wire."""
    reported: dict[str, Any] = encode(tables_module.tables(session, t))
    return reported


def _session(folder: Path, path: Path, until: float) -> HostSession:
    folder.mkdir()
    session = HostSession(folder, lambda event: None)
    source = CellSource.find(path)
    session.open_cell(source.build(), source, path)
    session.until = until
    session.speed = None
    session.start()
    session.perform()
    assert session.result is not None, session.failure
    return session


@pytest.fixture(scope="module")
def long_run(tmp_path_factory: pytest.TempPathFactory) -> HostSession:
    return _session(tmp_path_factory.mktemp("long") / "stage", EVENT_CELL, LONG)


@pytest.fixture(scope="module")
def short_result() -> Result:
    return CellSource.find(EVENT_CELL).build().run(until=SHORT)


def _recorded(session: HostSession, folder: Path) -> HostSession:
    """A session that has nothing but the recording of another one's run."""
    other = HostSession(folder, lambda event: None)
    other.open_recording(Recording.open(session.recorded_as), session.recorded_as)
    return other


def _agrees(reported: dict[str, Any], result: Result) -> None:
    plain = result.as_json()
    for name, count in plain["parts"].items():
        assert reported["parts"][name] == count, name
    rows = {row["name"]: row for row in reported["parts"]["rows"]}
    assert set(rows) == {each.name for each in result.parts.records}
    for each in result.parts.records:
        row = rows[each.name]
        assert (row["kind"], row["source"], row["end"], row["where"]) == (each.kind, each.source, each.end, each.where)
        assert row["arrived_s"] == pytest.approx(each.arrived, abs=1e-9)
        assert [one["by"] for one in row["machined"]] == [one.by for one in each.machined]
        if each.end != "inside":
            assert row["time_s"] == pytest.approx(each.time, abs=1e-9)
    used = {row["name"]: row for row in reported["machines"]}
    for name, device in plain["devices"].items():
        assert used[name]["busy"] == pytest.approx(device["busy"], abs=1e-9)
        assert used[name]["busy_s"] == pytest.approx(device["busy_s"], abs=1e-9)
        assert used[name]["cycles"] == device["cycles"]
    for name, moves in plain["moves"].items():
        assert used[name]["busy_s"] == pytest.approx(sum(move["duration_s"] for move in moves), abs=1e-6)
        assert used[name]["cycles"] == len(moves)
    cycle = plain["cycle"] or {"mean_s": None, "shortest_s": None, "longest_s": None, "count": 0}
    for name, value in cycle.items():
        assert reported["cycle"][name] == (value if value is None else pytest.approx(value, abs=1e-6)), name


def _waits_agree(reported: dict[str, Any], result: Result) -> None:
    found = {row["process"]: row for row in reported["longest_waits"]}
    assert set(found) == set(result.waits)
    for name, wait in result.waits.items():
        row = found[name]
        assert row["seconds"] == pytest.approx(wait.seconds, abs=1e-6)
        assert (row["condition"], row["over"]) == (wait.condition, wait.over)
        assert row["at"] in ("", wait.at)


def test_at_the_end_the_tables_are_the_result(long_run: HostSession) -> None:
    assert long_run.result is not None
    reported = tables(long_run, long_run.now)
    _agrees(reported, long_run.result)
    _waits_agree(reported, long_run.result)
    assert reported["notes"] == []


def test_at_an_instant_the_tables_are_those_of_a_run_until_then(long_run: HostSession, short_result: Result) -> None:
    reported = tables(long_run, round(SHORT * 1e6))
    _agrees(reported, short_result)
    _waits_agree(reported, short_result)


def test_a_recording_alone_gives_the_tables_of_the_run(
    long_run: HostSession, short_result: Result, tmp_path: Path
) -> None:
    recorded = _recorded(long_run, tmp_path)
    assert long_run.result is not None
    _agrees(tables(recorded, recorded.now), long_run.result)
    reported = tables(recorded, round(SHORT * 1e6))
    _agrees(reported, short_result)
    _waits_agree(reported, short_result)


def test_a_recording_says_in_which_file_a_program_waited(long_run: HostSession, tmp_path: Path) -> None:
    live, again = (tables(each, LONG_TICKS)["waits"] for each in (long_run, _recorded(long_run, tmp_path)))
    assert again == live
    files = {row["file"] for row in again}
    assert str(EVENT_CELL / "robot.pas") in files
    assert all(row["line"] is None and row["at"] == "" for row in again if row["file"] is None)


def test_the_waits_by_line_add_up_to_the_waits_of_programs(long_run: HostSession) -> None:
    reported = tables(long_run, long_run.now)
    for longest in reported["longest_waits"]:
        lines = [row for row in reported["waits"] if row["process"] == longest["process"]]
        assert not longest["over"] or max(row["longest_s"] for row in lines) == pytest.approx(longest["seconds"])
    assert any(row["at"].startswith("robot.pas:") for row in reported["waits"])


def test_shares_over_time_add_up_to_the_whole(long_run: HostSession) -> None:
    for row in tables(long_run, long_run.now)["machines"]:
        mean = sum(row["shares"]) / len(row["shares"])
        assert mean == pytest.approx(row["busy"], abs=1e-3)
        assert all(0.0 <= share <= 1.0 for share in row["shares"])


def test_at_the_start_nothing_has_been_done(long_run: HostSession) -> None:
    reported = tables(long_run, 0)
    assert (reported["parts"]["arrived"], reported["parts"]["machined"]) == (1, 0)  # the first comes with the start
    assert reported["cycle"]["rows"] == []
    assert [row["busy"] for row in reported["machines"]] == [0.0, 0.0, 0.0]
    assert [row["name"] for row in reported["places"]] == ["store"]


def test_sensors_show_their_faults(tmp_path: Path) -> None:
    session = _session(tmp_path / "stage", EXAMPLES / "20_sensors" / "failing", 60.0)
    rows = {row["name"]: row for row in tables(session, session.now)["sensors"]}
    recorded = _recorded(session, tmp_path)
    reported = {row["name"]: row for row in tables(recorded, recorded.now)["sensors"]}
    faulty = {name: row["faults"] for name, row in rows.items() if row["faults"]}
    assert faulty
    assert {name: row["faults"] for name, row in reported.items()} == faulty
    first = {row["name"]: row for row in tables(session, 0)["sensors"]}
    assert set(rows) == set(first)
