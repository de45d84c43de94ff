"""Recordings in a session: the trace of a fault, repeated runs, and copies that find their source."""

import threading
from functools import partial
from pathlib import Path

import pytest

from drycell.base import RecordingError
from drycell.cell import CellSource
from drycell.kernel import ticks
from drycell.recording import Recording, copy_recording
from drycell.studio.host.session import HostSession
from drycell.verify import verify

from .asking import answered

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def session(tmp_path: Path) -> HostSession:
    return HostSession(tmp_path, lambda event: None)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recording of a deadlock that a search has found."""
    verdict = verify(CellSource.find(EXAMPLES / "31_verify" / "exact_tie"), out=tmp_path_factory.mktemp("found"))
    assert verdict.finding is not None
    assert verdict.finding.recording is not None
    return verdict.finding.recording


def test_a_run_that_a_search_has_found_has_its_trace(session: HostSession, found: Path) -> None:
    answered(session, "files.open", {"path": str(found)})
    story = answered(session, "files.fault_trace", {})[0]
    assert [step["who"] for step in story] == ["left", "left", "right", "nest", "tool", "left", "right"]
    assert story[-1] == {
        "t": 5_000_000,
        "who": "right",
        "text": "resumes at right.py:9, sets right_wants_nest, waits at right.py:11 for right_has_nest",
        "note": None,
        "file": "right.py",
        "line": 11,
    }
    shown = [answered(session, "transport.seek", {"t": step["t"]})[0]["shown"] for step in story]
    assert shown == [step["t"] for step in story]


def test_the_same_run_is_made_again_with_its_choices(session: HostSession, found: Path) -> None:
    answered(session, "files.open", {"path": str(found)})
    status = answered(session, "files.rerun", {})[0]
    assert status["mode"] == "ready"
    answered(session, "transport.set_speed", {"factor": None})
    answered(session, "transport.run", {})
    session.perform()
    assert session.result is not None
    assert session.result.ending == "deadlock"
    with Recording.open(found) as recording:
        assert [record.json() for record in session.journal] == list(recording.journal_lines())


def test_a_varied_run_is_made_again_with_its_settings(session: HostSession, tmp_path: Path) -> None:
    source = CellSource.find(EXAMPLES / "31_verify" / "exact_tie").set("left_wants_nest", "true").set("name", "varied")
    source.build().run(1.0, record=tmp_path / "run.dry", source=source)
    answered(session, "files.open", {"path": str(tmp_path / "run.dry")})
    answered(session, "files.rerun", {})
    assert session.cell is not None
    assert session.cell.kernel.signals["left_wants_nest"].peek() is True
    answered(session, "transport.set_speed", {"factor": None})
    answered(session, "transport.run", {})
    session.perform()
    with Recording.open(tmp_path / "run.dry") as recording:
        assert [record.json() for record in session.journal] == list(recording.journal_lines())


BLINKING = """\
from drycell import delay


def build(cell):
    lamp, gauge = cell.signal("lamp", False), cell.signal("gauge", 0.0)
    cell.signal("recipe", "none")

    @cell.program
    def blink():
        for count in range(100):
            delay(1.0)
            lamp.set(count % 2 == 0)
            gauge.set(float(count))
"""


def test_a_run_with_interventions_is_made_again_and_replayed(session: HostSession, tmp_path: Path) -> None:
    (tmp_path / "cell.py").write_text(BLINKING)
    answered(session, "files.open", {"path": str(tmp_path)})
    answered(session, "signals.force", {"signal": "recipe", "value": "steel"})  # on the bench
    answered(session, "transport.set_speed", {"factor": None})
    answered(session, "transport.run", {})
    kernel = session.require_cell().kernel
    for second, do, asked in (
        (2.5, "signals.force", {"signal": "lamp", "value": True}),
        (3.5, "signals.put_fault", {"signal": "gauge", "kind": "drift", "fields": {"per_second": 0.5}}),
        (3.5, "signals.put_fault", {"signal": "gauge", "kind": "stuck", "fields": {"at": 8.0}}),
        (4.5, "signals.release", {"signal": "lamp"}),
        (5.5, "signals.force", {"signal": "lamp", "value": False}),
        (9.5, "signals.clear_fault", {"signal": "gauge"}),
        (11.0, "transport.stop", {}),
    ):
        # As requests of a live session are served: by an inspection, at a time that depends on the machine. Here it is
        # this one.
        look = partial(kernel.inspect, partial(answered, session, do, asked))
        kernel.at(ticks(second), look, owner="hand", writes=())
    session.perform()
    assert session.result is not None
    assert (session.result.ending, session.result.duration) == ("stopped", 11.0)
    kept = tmp_path / "kept" / "kept.dry"
    kept.parent.mkdir()
    answered(session, "files.save_recording", {"path": str(kept)})
    with Recording.open(kept) as recording:
        rows = recording.inputs
    assert [row.what for row in rows] == ["force", "force", "fault", "fault", "release", "force", "clear", "stop"]
    assert rows[0].tick == -1
    assert rows[-2].arguments["numbers"] == [2, 3]  # two faults, one request

    again = HostSession(tmp_path / "again", lambda event: None)
    again.folder.mkdir()
    answered(again, "files.open", {"path": str(kept)})
    answered(again, "files.rerun", {})
    answered(again, "transport.set_speed", {"factor": None})
    answered(again, "transport.run", {})
    again.perform()
    assert again.result is not None
    assert again.result.outcome == session.result.outcome
    assert again.recorded_as.read_bytes() == kept.read_bytes()


def test_a_run_whose_files_have_changed_is_not_made_again(session: HostSession, tmp_path: Path) -> None:
    file = tmp_path / "cell.py"
    file.write_text("def build(cell):\n    cell.signal('lamp', False)\n")
    source = CellSource.find(file)
    source.build().run(1.0, record=tmp_path / "run.dry", source=source)
    answered(session, "files.open", {"path": str(tmp_path / "run.dry")})
    file.write_text("def build(cell):\n    pass\n")
    with pytest.raises(RecordingError, match=r"cell\.py has changed since"):
        answered(session, "files.rerun", {})


def test_a_copy_finds_its_source_from_where_it_is(tmp_path: Path) -> None:
    source = CellSource.find(EXAMPLES / "00_first_cell")
    source.build().run(1.0, record=tmp_path / "here.dry", source=source)
    there = tmp_path / "some" / "where" / "there.dry"
    source.build().run(1.0, record=there, source=source)
    copy_recording(tmp_path / "here.dry", tmp_path / "some" / "where" / "copy.dry")
    assert there.with_name("copy.dry").read_bytes() == there.read_bytes()


@pytest.mark.parametrize(
    ("name", "reported"), [("run.txt", "is a .dry file"), ("run.dry", "there is no recording yet")]
)
def test_things_that_cannot_be_saved_are_reported(
    session: HostSession, tmp_path: Path, name: str, reported: str
) -> None:
    answered(session, "files.open", {"path": str(EXAMPLES / "00_first_cell")})
    with pytest.raises(RecordingError, match=reported):
        answered(session, "files.save_recording", {"path": str(tmp_path / name)})
    assert not (tmp_path / name).exists()


def test_a_cell_without_parts_is_stepped_from_sample_to_sample(session: HostSession, tmp_path: Path) -> None:
    (tmp_path / "cell.py").write_text(
        "from drycell.kernel import delay\n\n"
        "def build(cell):\n"
        "    cell.kernel.every(20_000, lambda: None, owner='sampler', writes=())\n\n"
        "    @cell.program\n"
        "    def rests():\n"
        "        delay(0.1)\n"
    )
    answered(session, "files.open", {"path": str(tmp_path)})
    answered(session, "transport.set_speed", {"factor": None})
    answered(session, "transport.step", {"by": "cycle"})
    seen: list[int] = []
    driver = threading.Thread(target=_drive, args=(session, seen))
    driver.start()
    session.perform()
    driver.join(20.0)
    assert seen == [20_000, 40_000, 60_000, 80_000]


def _drive(session: HostSession, seen: list[int]) -> None:
    """Another thread that steps on whenever the run is held, and lets it go in the end."""
    assert session.pace is not None
    assert session.cell is not None
    for number in range(4):
        assert session.pace.wait_for("paused", 20.0)
        looked = threading.Event()

        def look(last: bool = number == 3, looked: threading.Event = looked) -> None:
            seen.append(session.now)
            answered(session, *(("transport.run", {}) if last else ("transport.step", {"by": "cycle"})))
            looked.set()

        session.cell.kernel.inspect(look)
        assert looked.wait(60)
