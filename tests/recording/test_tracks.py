"""Tracks are read back from a file unchanged, and invalid rows are rejected with their position."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from drycell.base import RecordingError
from drycell.kernel import Awaited, TapeRow, Tracks
from drycell.recording import Header, Recording, RecordingWriter
from drycell.recording.container import DocumentNode
from drycell.recording.tracks import RecordedMove, read_tracks
from drycell.world import Collision, NearMiss, PartStep, World

ROWS: dict[tuple[str, str], list[tuple[int, object]]] = {
    ("states", "mill"): [(0, "idle"), (5, "working"), (9, "idle")],
    ("waits", "robot"): [(0, Awaited("mill.ready", "/cells/a/robot.pas", 61)), (7, None)],
    ("moves", "arm"): [
        (0, RecordedMove("joint", "home", None, 0, 7, 7e-6, 0.25, 0.1)),
        (8, RecordedMove("linear", "pick", "eye", 8, None, 1e-6, 0.0, 0.0)),
    ],
    ("parts", ""): [(0, PartStep(0, "arrives", "feeder", "part1", "part")), (3, PartStep(0, "sunk", "bin"))],
    ("lost", ""): [(4, ("peg", True)), (5, ("peg", False))],
    ("collisions", "collision"): [(2, Collision(2, "arm", "post", (0.1, 0.2, 0.3), 0.001, None))],
    ("near misses", "collision"): [(6, NearMiss(5, "arm", "door", 0.004, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.004)), 6))],
    ("inputs", ""): [
        (-1, TapeRow(-1, "studio", "force", {"signal": "eye"})),
        (5, TapeRow(5, "plc", "set", {"start": True})),
    ],
}


def test_every_table_comes_back_with_files_seen_from_the_cells_folder(tmp_path: Path) -> None:
    tracks = Tracks()
    for (table, name), rows in ROWS.items():
        for time, value in rows:
            tracks.track(table, name).append(time, value)
    tracks.daemons, tracks.flow, tracks.checked = {"lamp"}, True, 9
    world = World(SimpleNamespace(now=0))
    with RecordingWriter(
        tmp_path / "run.dry", world, {}, Header("all"), tracks=tracks, folder=Path("/cells/a")
    ) as writer:
        writer.close(10, {"ending": "until"})
    with Recording.open(tmp_path / "run.dry") as recording:
        again = recording.tracks
        assert recording.inputs[1] == TapeRow(5, "plc", "set", {"start": True})
    found = {
        (table, name): list(zip(track.times, track.values, strict=True))
        for table, named in again.tables.items()
        for name, track in named.items()
    }
    wanted = {**ROWS, ("waits", "robot"): [(0, Awaited("mill.ready", "robot.pas", 61)), (7, None)]}
    assert found == wanted
    assert (again.daemons, again.flow, again.checked) == ({"lamp"}, True, 9)


def _read(table: str, value: Any, *, rows: tuple[list[int], list[int], list[int]] = ([0], [0], [0])) -> Tracks:
    document = {
        "tracks": [{"table": table, "name": "x"}],
        "values": [value],
        "daemons": [],
        "flow": False,
        "checked": None,
    }
    columns = dict(zip(("track", "time", "value"), (np.array(each) for each in rows), strict=True))
    return read_tracks(DocumentNode(document), columns)  # type: ignore[arg-type]  # a table is asked for its columns only


@pytest.mark.parametrize(
    ("table", "value", "said"),
    [
        ("speeds", "idle", "expected one of states, waits"),
        ("states", 7, "expected a string"),
        ("waits", ["door", "a.py"], "expected 3 values"),
        ("waits", ["door", "a.py", -1], "expected a whole number"),
        ("moves", ["joint", "home", None, -5, True, 0.0, 0.0], "expected a whole number"),
        ("moves", ["joint", "home", None, 5, True, "far", 0.0], "expected a number"),
        ("parts", [0, "explodes", "", "", ""], "expected one of arrives"),
        ("parts", [1, "arrives", "", "", ""], None),
        ("lost", ["peg", "yes"], "expected true or false"),
        ("collisions", ["a", "b", [0.0, 0.0], 0.0, None], "expected 3 numbers"),
        ("near misses", ["a", "b", -1, 0.0, [0, 0, 0], [0, 0, 0]], "expected a whole number"),
        ("inputs", 7, "expected a list"),
        ("inputs", ["plc", None, {}], "expected a string"),
        ("inputs", ["plc", "set", []], "expected an object"),
    ],
)
def test_error_for_an_invalid_row_names_its_position(table: str, value: Any, said: str | None) -> None:
    if said is None:
        _read(table, value)  # parts are looked at where they all are: in the track without a name
    else:
        with pytest.raises(RecordingError, match=said):
            _read(table, value)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (([1], [0], [0]), "tracks/track has numbers outside"),
        (([0], [0], [3]), "tracks/value has numbers outside"),
        (([0, 0], [5, 4], [0, 0]), "not in order"),
    ],
)
def test_inconsistent_columns_are_refused(rows: tuple[list[int], list[int], list[int]], said: str) -> None:
    with pytest.raises(RecordingError, match=said):
        _read("states", "idle", rows=rows)


@pytest.mark.parametrize("steps", [[[1, "arrives", "", "", ""]], [[0, "sunk", "bin", "", ""]]])
def test_steps_of_parts_before_their_arrival_are_refused(steps: list[Any]) -> None:
    document = {
        "tracks": [{"table": "parts", "name": ""}],
        "values": steps,
        "daemons": [],
        "flow": True,
        "checked": None,
    }
    columns = {"track": np.array([0]), "time": np.array([0]), "value": np.array([0])}
    with pytest.raises(RecordingError, match="had arrived"):
        read_tracks(DocumentNode(document), columns)  # type: ignore[arg-type]
