"""One record: the summary, JSON, the pytest plug-in, the studio at the end of a run and its recording give one number.

Of every example, and of a cell whose machine signals lie.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from drycell.cell import Cell, CellSource, Result
from drycell.cli.main import main
from drycell.kernel import ticks
from drycell.record import Record, figures
from drycell.recording import Recording
from drycell.studio.host.session import HostSession
from drycell.testing.bench import Bench
from drycell.testing.checked import CheckedResult

from .asking import answered

EXAMPLES = Path(__file__).parents[2] / "examples"
CELLS = sorted(path.parent for name in ("cell.py", "cell.yaml") for path in EXAMPLES.glob(f"**/{name}"))
EVENT_CELL = EXAMPLES / "30_event_cell"
UNTIL = 200.0  # seconds at most, of each example
FAULTS = """
faults:
  machine1.running: [{stuck_off: {at: 0 s}}]
  machine1.ready: [{stuck_on: {rate: 300/h, lasting: 300 ms}}, {stuck_off: {rate: 300/h, lasting: 300 ms}}]
"""


def _performed(folder: Path, path: Path, until: float | None) -> HostSession:
    """A session after the run of a cell."""
    folder.mkdir(parents=True, exist_ok=True)
    session = HostSession(folder, lambda event: None)
    source = CellSource.find(path)
    cell = source.build()
    session.open_cell(cell, source, path)
    session.until = min(each for each in (until, cell.until) if each is not None) if until or cell.until else None
    session.speed = None
    session.start()
    session.perform()
    assert session.result is not None, session.failure
    return session


def _recorded(session: HostSession, folder: Path) -> HostSession:
    other = HostSession(folder, lambda event: None)
    other.open_recording(Recording.open(session.recorded_as), session.recorded_as)
    return other


def _asked(session: HostSession, t: int) -> dict[str, Any]:
    """The studio's answer, as it comes over the wire."""
    reported: dict[str, Any] = json.loads(json.dumps(answered(session, "tables.at", {"t": t})[0]))
    return reported


def _row(reported: dict[str, Any]) -> dict[str, Any]:
    """The figures of the tables, under the names and to the digits of ``Result.row``."""
    parts, cycle, met = reported["parts"], reported["cycle"], reported["encounters"]
    found = {
        "collisions": met["collisions"] if met["checked"] else None,
        "near_misses": met["near_misses"] if met["checked"] else None,
        "closest_m": met["closest_m"],
        **{name: parts[name] for name in ("arrived", "machined", "stored", "sunk", "inside")},
        **{f"cycle_{name}": cycle[name] for name in ("mean_s", "shortest_s", "longest_s")},
    }
    for row in reported["machines"]:
        busy, cycles = ("busy", "cycles") if row["kind"] == "machine" else ("moving", "moves")
        found |= {f"{row['name']}.{busy}": row["busy"], f"{row['name']}.{cycles}": row["cycles"]}
    found |= {f"{row['process']}.longest_wait_s": row["seconds"] for row in reported["longest_waits"]}
    return {name: round(value, 9) if isinstance(value, float) else value for name, value in found.items()}


_NOT_IN_TABLES = {"cell", "seed", "ending", "clean", "duration_s", "throughput_per_h", "lost", "journal_sha256"}


def _agree(reported: dict[str, Any], result: Result) -> None:
    """All figures of the tables are those of a result, of its row, its JSON and its summary."""
    row, plain, summary = result.row(), result.as_json(), result.summary()
    left_out = _NOT_IN_TABLES | set(result.measures)  # the tables do not show the user's own figures
    assert _row(reported) == {name: value for name, value in row.items() if name not in left_out}
    assert {name: reported["parts"][name] for name in plain["parts"]} == plain["parts"]
    assert plain["cycle"] == (
        None
        if reported["cycle"]["mean_s"] is None
        else {name: round(reported["cycle"][name], 9) for name in ("mean_s", "shortest_s", "longest_s", "count")}
    )
    used = {each["name"]: each for each in reported["machines"]}
    for name, device in plain["devices"].items():
        assert {key: round(used[name][key], 9) for key in device} == device
        assert f"{name} busy {used[name]['busy']:.0%}" in summary or f"{name} {used[name]['busy']:.0%}" in summary
        failures, broken = figures.failures(result.record, name, result.outcome.time)
        assert (used[name]["failures"], used[name]["broken_s"]) == (failures, broken)
    for name, moves in plain["moves"].items():
        assert used[name]["cycles"] == len(moves)
        assert used[name]["busy_s"] == result.robots[name].time
    for wait in reported["longest_waits"]:
        other = plain["waits"][wait["process"]]
        assert (wait["condition"], wait["over"]) == (other["waits_for"], other["over"])
    met = reported["encounters"]["rows"]
    assert len(met) == len(plain["collisions"]) + len(plain["near_misses"])
    for kind, size, rows in (("collision", "depth_m", "collisions"), ("near miss", "distance_m", "near_misses")):
        shown = [(r["time_s"], r["a"], r["b"], round(r[size], 9)) for r in met if r["kind"] == kind]
        assert shown == [(r["time_s"], r["a"], r["b"], r[size]) for r in plain[rows]]
    if plain["cycle"] is not None:
        assert f"{plain['cycle']['mean_s']:.1f} s mean" in summary
    if reported["parts"]["kept"]:
        assert f"{reported['parts']['arrived']} arrived" in summary


def _check(session: HostSession, folder: Path) -> None:
    """The run that a session has performed, and its recording."""
    assert session.result is not None
    result, recorded = session.result, _recorded(session, folder)
    assert recorded.recording is not None
    live, again = (_asked(each, result.outcome.time) for each in (session, recorded))
    _agree(live, CheckedResult.of(result))
    _agree(again, recorded.recording.result)
    # A program that waits in a deadlock is not in a recording; where a program waited is named from the cell's folder.
    assert _comparable(recorded.recording.result) == _comparable(result)
    if not result.outcome.blocked:
        assert recorded.recording.result.summary() == result.summary()
    # Of devices that nothing came to, and of their sizes, a recording does not know.
    live["places"] = [row | {"slots": None} for row in live["places"] if row["first_s"] is not None]
    assert again == live


def _comparable(result: Result) -> dict[str, Any]:
    plain = result.as_json()
    del plain["blocked"]
    for wait in plain["waits"].values():
        del wait["file"], wait["line"]
    return plain


@pytest.mark.parametrize("folder", CELLS, ids=lambda folder: folder.relative_to(EXAMPLES).as_posix())
def test_an_example_has_one_set_of_figures(folder: Path, tmp_path: Path) -> None:
    _check(_performed(tmp_path / "stage", folder, UNTIL), tmp_path)


# ---------------------------------------------------------------- signals that lie


@pytest.fixture(scope="module")
def lying(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The event cell, with machine signals that do not show what the machine does."""
    folder = tmp_path_factory.mktemp("lying")
    text = (EVENT_CELL / "cell.yaml").read_text(encoding="utf-8")
    assert "\nfaults:" not in text
    (folder / "cell.yaml").write_text(text + FAULTS, encoding="utf-8")
    for name in ("robot.pas", "robot.py"):
        (folder / name).write_bytes((EVENT_CELL / name).read_bytes())
    return folder


def test_faulted_signals_do_not_change_what_is_shown_anywhere(
    lying: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = _performed(tmp_path / "stage", lying, UNTIL)
    _check(session, tmp_path)
    cell, result = session.require_cell(), session.result
    assert result is not None
    reported = _asked(session, result.outcome.time)
    # The signal never shows that the machine runs, but the machine worked: its recorded state shows it.
    assert not any(value for _, value, _ in cell.record.signals["machine1.running"])
    busy = next(row["busy"] for row in reported["machines"] if row["name"] == "machine1")
    assert busy == pytest.approx(_worked(cell.record, "machine1") / result.outcome.time)
    assert busy > 0.2
    faults = {row["name"]: row["faults"] for row in reported["sensors"] if row["faults"]}
    assert faults["machine1.running"] == [{"fault": "stuck_off", "active": True, "times": 1}]
    assert {each["fault"] for each in faults["machine1.ready"]} == {"stuck_on", "stuck_off"}
    # The command line and the pytest plug-in run it themselves, and print the same.
    assert main(["run", str(lying), "--until", f"{UNTIL:g}s", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    bench = Bench(CellSource.find(lying))
    assert printed == json.loads(json.dumps(bench.run(UNTIL).as_json())) == json.loads(json.dumps(result.as_json()))
    assert main(["run", str(lying), "--until", f"{UNTIL:g}s"]) == 0
    assert result.summary() in capsys.readouterr().out


def _worked(record: Record, name: str) -> int:
    """For how many ticks a machine was neither idle nor broken, counted row by row."""
    track = record.tracks.track("states", name)
    ends = [*track.times[1:], record.end]
    return sum(
        end - start
        for start, end, state in zip(track.times, ends, track, strict=True)
        if state not in ("idle", "broken")
    )


# ---------------------------------------------------------------- asked while it runs


def _all(record: Record, t: int) -> dict[str, Any]:
    """Every figure at a time. A collision counts only with its final data, because it may continue and get deeper."""
    parts = figures.parts(record, t)
    devices = record.tracks.named("states")
    used = {name: figures.shares(record, name, t) for name in (*devices, *record.tracks.named("moves"))}
    return {
        "parts": (parts.arrived, parts.machined, parts.stored, parts.sunk, parts.lost),
        "records": parts.records,
        "finished": parts.finished(),
        "places": parts.places(),
        "cycle": figures.cycle(record, t),
        "spread": figures.spread(record, t),
        "lost": figures.lost(record, t),
        "devices": {name: each for name, each in figures.devices(record, t).items() if each.time},
        "failures": {name: figures.failures(record, name, t) for name in devices},
        "robots": {name: each for name, each in figures.robots(record, t).items() if each.cycles},
        "shares": {name: each for name, each in used.items() if any(each[1])},
        "waits": {name: (each.seconds, each.condition, each.over) for name, each in figures.waits(record, t).items()},
        "lines": sorted((w.process, w.condition, w.count, w.total, w.longest) for w in figures.wait_lines(record, t)),
        "faults": figures.faults(record, t),
        "collisions": [(each.time, each.a, each.b, each.point) for each in figures.collisions(record, t)],
        "near misses": figures.near_misses(record, t),
        "clearance": figures.clearance(record, t),
    }


def _watched(cell: Cell, source: CellSource, until: float, file: Path) -> int:
    """Asks a run for all figures every second, of every fifth second so far that is settled, and later compares."""
    asked: dict[int, list[dict[str, Any]]] = {}

    def ask() -> None:
        cell.kernel.settle()  # collisions are looked for now and then otherwise
        record = cell.record
        for t in {record.settled - 1, *range(0, record.settled, 5_000_000)}:
            if t >= 0 and len(asked.setdefault(t, [])) < 3:
                asked[t].append(_all(record, t))

    cell.kernel.every(ticks(1.0), ask, owner="asks", writes=())
    cell.run(until=until, record=file, source=source)
    recording = Recording.open(file)
    for t, answers in sorted(asked.items()):
        for record in (cell.record, recording):
            assert all(answer == _all(record, t) for answer in answers), f"at {t} µs"
    return len(asked)


@pytest.mark.parametrize(
    "name",
    ["lying", "00_first_cell", "20_sensors/failing", "34_search", "35_two_kinds", "33_exceptions/broken_machine"],
)
def test_answers_given_during_a_run_stay_true(name: str, lying: Path, tmp_path: Path) -> None:
    source = CellSource.find(lying if name == "lying" else EXAMPLES / name)
    assert _watched(source.build(), source, 100.0, tmp_path / "run.dry") > 3


@pytest.mark.soak
@pytest.mark.parametrize("folder", CELLS, ids=lambda folder: folder.relative_to(EXAMPLES).as_posix())
def test_answers_given_during_an_example_stay_true(folder: Path, tmp_path: Path) -> None:
    source = CellSource.find(folder)
    _watched(source.build(), source, 600.0, tmp_path / "run.dry")
