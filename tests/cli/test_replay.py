"""``drycell replay``: identical bit for bit, or where it first differs; and poses read from a recording."""

import hashlib
import json
import shutil
import signal
import threading
import zipfile
from pathlib import Path

import pytest

from drycell.cell import CellSource
from drycell.kernel import Pace, Request
from drycell.recording import Recording


@pytest.fixture
def record(drycell, folder: Path, tmp_path: Path) -> Path:
    file = tmp_path / "run.dry"
    assert drycell("run", folder, "--record", file, "--seed", 5).code == 0
    return file


def test_the_same_cell_gives_the_same_run(drycell, record: Path) -> None:
    said = drycell("replay", record)
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[-1].startswith("identical: 3.")
    assert said.out.splitlines()[-1].endswith(" of cell 'counting', seed 5, bit for bit")


def test_a_changed_cell_does_not_run_unless_asked_for(drycell, folder: Path, record: Path) -> None:
    text = (folder / "cell.py").read_text()
    marker = folder / "it ran"
    (folder / "cell.py").write_text(f"open({str(marker)!r}, 'w')\n{text}")
    said = drycell("replay", record)
    assert said.code == 1
    assert not marker.exists()
    was, now = (hashlib.sha256(each.encode()).hexdigest() for each in (text, (folder / "cell.py").read_text()))
    assert f"  cell.py: SHA-256 recorded {was[:16]}, found {now[:16]}" in said.err
    assert "pass --changed to run them as they are now" in said.err


def test_code_that_the_recording_does_not_list_does_not_run(
    drycell, folder: Path, record: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.dry"
    header = {}
    with zipfile.ZipFile(record) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "header.json":
                header = json.loads(data)
                header["source"] = [{"path": "notes.yaml", "sha256": hashlib.sha256(b"x").hexdigest()}]
                data = json.dumps(header).encode()
            new.writestr(name, data)
    (folder / "notes.yaml").write_text("x")
    said = drycell("replay", other, folder)
    assert said.code == 1
    assert "  cell.py: SHA-256 recorded not listed, found " in said.err


def test_a_folder_that_only_the_recording_names_must_be_trusted(
    drycell, record: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nobody is trusted"))
    said = drycell("replay", record)
    assert said.code == 1
    assert f"the folder {str(folder.resolve())!r} is not trusted" in said.err
    assert drycell("replay", record, folder).code == 0  # the user has named the code
    assert drycell("replay", record, "--trust").code == 0
    assert drycell("replay", record).code == 0  # remembered


def test_a_changed_cell_is_named_and_the_difference_reported(drycell, folder: Path, record: Path) -> None:
    text = (folder / "cell.py").read_text()
    (folder / "cell.py").write_text(text.replace("delay(1.0)", "delay(1.25)"))
    said = drycell("replay", record, "--changed")
    assert said.code == 2
    assert "  changed since the recording: cell.py" in said.out
    assert "different: " in said.out
    assert "count" in said.out[said.out.index("different: ") :]
    assert "1.000" in said.out[said.out.index("different: ") :]


def test_a_change_without_effect_is_listed_and_the_run_is_identical(drycell, folder: Path, record: Path) -> None:
    with (folder / "cell.py").open("a") as file:
        file.write("# a remark\n")
    said = drycell("replay", record, "--changed")
    assert said.code == 0
    assert "  changed since the recording: cell.py" in said.out


def test_a_cell_that_has_moved_is_named(drycell, folder: Path, record: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    shutil.move(folder, moved)
    lost = drycell("replay", record)
    assert lost.code == 1
    assert "which no longer exists" in lost.err
    assert drycell("replay", record, moved).code == 0


def test_recording_and_cell_moved_together_are_found(drycell, folder: Path, record: Path, tmp_path: Path) -> None:
    together = tmp_path / "archive"
    together.mkdir()
    shutil.move(folder, together / folder.name)
    shutil.move(record, together / record.name)
    assert drycell("replay", together / record.name).code == 0


def test_a_run_up_to_a_time_is_replayed_up_to_it(drycell, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "short.dry"
    drycell("run", folder, "--until", "1.5 s", "--record", file)
    said = drycell("replay", file)
    assert (said.code, said.out.splitlines()[-1]) == (0, "identical: 1.500 s of cell 'counting', seed 0, bit for bit")


def test_a_run_that_ended_in_an_error_is_replayed_up_to_it(drycell, folder: Path, tmp_path: Path) -> None:
    text = (folder / "cell.py").read_text()
    (folder / "cell.py").write_text(text.replace('print("counted", count.value)', "1 / 0"))
    file = tmp_path / "failed.dry"
    assert drycell("run", folder, "--record", file).code == 1
    said = drycell("replay", file)
    assert (said.code, said.err) == (0, "")


@pytest.mark.parametrize(("at", "x"), [("0 s", 0), ("500 ms", 500), ("2 s", 2000), ("3 s", 2000)])
def test_poses_are_read_at_any_time(drycell, record: Path, at: str, x: float) -> None:
    said = drycell("replay", record, "--pose", "cube", "--at", at)
    assert said.code == 0
    assert f": ({x:.3f}, 103.000, 0.000) mm, rpy (0.000, 0.000, 0.000) deg" in said.out


def test_an_unknown_body_is_reported_with_the_nearest(drycell, record: Path) -> None:
    said = drycell("replay", record, "--pose", "cueb")
    assert said.code == 1
    assert "did you mean 'cube'?" in said.err


def test_a_time_without_a_body_is_refused(drycell, record: Path) -> None:
    said = drycell("replay", record, "--at", "1s")
    assert said.code == 1
    assert "--at needs --pose" in said.err


def test_an_invalid_recording_is_reported(drycell, folder: Path) -> None:
    said = drycell("replay", folder / "cell.py")
    assert said.code == 1
    assert said.err.startswith("RecordingError: ")
    assert "Traceback" not in said.err


def test_a_recording_that_is_not_there_is_reported(drycell, tmp_path: Path) -> None:
    said = drycell("replay", tmp_path / "no.dry")
    assert said.code == 1
    assert "no.dry" in said.err


# ---------------------------------------------------------------- runs that somebody attended

ATTENDED = """\
from drycell import delay, wait


def build(cell):
    start, count = cell.signal("plc.start", False), cell.signal("plc.count", 0)

    @cell.program
    def press():
        for _ in range(3):
            wait(start)
            count.set(count.value + 1)
            start.set(False)
            delay(0.5)
"""


@pytest.fixture
def attended(tmp_path: Path) -> tuple[CellSource, Path]:
    """A cell that waits for a PLC, and where its run is recorded."""
    (tmp_path / "press").mkdir()
    (tmp_path / "press" / "cell.py").write_text(ATTENDED)
    return CellSource.find(tmp_path / "press"), tmp_path / "run.dry"


def test_a_run_with_posts_is_replayed_without_the_sender(drycell, attended: tuple[CellSource, Path]) -> None:
    source, file = attended
    cell = source.build(seed=0)
    cell.kernel.at(200_000, lambda: cell.post({"plc.start": True}, who="plc"))
    cell.kernel.at(900_000, lambda: cell.post({"plc.start": True, "plc.count": 40}, who="plc"))
    cell.kernel.at(1_000_000, lambda: cell.request("force", {"signal": "plc.start", "value": True}, who="panel"))
    assert cell.run(record=file, source=source).ending == "finished"
    said = drycell("replay", file)
    assert (said.code, said.err, said.out) == (0, "", "identical: 1.900 s of cell 'press', seed 0, bit for bit\n")
    with Recording.open(file) as run:
        assert [(row.tick, row.who, row.what) for row in run.inputs] == [
            (200_000, "plc", "set"),
            (900_000, "plc", "set"),
            (1_000_000, "panel", "force"),
        ]


@pytest.mark.parametrize("factor", [None, 20.0])
def test_a_run_stopped_by_hand_ends_the_same_way_again(
    drycell, attended: tuple[CellSource, Path], factor: float | None
) -> None:
    source, file = attended
    cell = source.build(seed=0)
    counted = threading.Event()
    cell.kernel.signals["plc.count"].subscribe(lambda value: counted.set())

    def attend() -> None:
        cell.post({"plc.start": True}, who="plc")
        counted.wait(60)
        cell.kernel.stop("seen enough")

    thread = threading.Thread(target=attend)
    thread.start()
    assert cell.run(pace=Pace(factor, attended=True), record=file, source=source).ending == "stopped"
    thread.join(60)
    said = drycell("replay", file)
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("identical: ")


def test_an_interrupted_run_ends_the_same_way_again(drycell, attended: tuple[CellSource, Path]) -> None:
    source, file = attended
    cell = source.build(seed=0)
    cell.post({"plc.start": True})
    cell.kernel.at(300_000, lambda: signal.raise_signal(signal.SIGINT))
    assert cell.run(record=file, source=source).ending == "interrupted"
    assert drycell("replay", file).code == 0


def test_posts_that_were_code_are_named(drycell, attended: tuple[CellSource, Path]) -> None:
    source, file = attended
    cell = source.build(seed=0)
    for time in (100_000, 200_000, 700_000, 1_300_000):
        cell.kernel.at(time, lambda: cell.kernel.post(lambda: cell.kernel.signals["plc.start"].set(True), "pressed"))
    cell.run(record=file, source=source)
    said = drycell("replay", file)
    assert said.code == 2
    assert said.out.splitlines()[0] == (
        "  row 1 of the tape at 0.100 s ('pressed') was code: it is in the journal, but its effect cannot be repeated"
    )
    assert said.out.splitlines()[3:5] == [
        "  and 1 more rows of code",
        "  try: cell.post({signal: value}) in place of kernel.post(function, note) where it changes something",
    ]
    assert "different" in said.out


def test_code_that_changed_nothing_does_no_harm(drycell, attended: tuple[CellSource, Path]) -> None:
    source, file = attended
    cell = source.build(seed=0)
    cell.post({"plc.start": True})
    cell.kernel.post(lambda: None, "a picture")
    cell.run(record=file, source=source)
    said = drycell("replay", file)
    assert said.code == 0
    assert "('a picture') was code" in said.out


def test_a_tape_with_a_request_nobody_knows_is_reported(drycell, attended: tuple[CellSource, Path]) -> None:
    source, file = attended
    cell = source.build(seed=0)
    cell.kernel.requests["warp"] = Request(lambda given: "warp", lambda who, given: None, {})
    cell.request("warp", {})
    cell.run(record=file, source=source)
    said = drycell("replay", file)
    assert said.code == 1
    assert "warp" in said.err
    assert "Traceback" not in said.err


def test_a_program_that_only_the_recording_names_must_be_trusted_even_if_the_user_names_the_cell(
    drycell, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nobody is trusted"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (name, *_) = CellSource.find(folder).build().programs
    (elsewhere / "other.py").write_text(f"from drycell import delay\ndef {name}():\n    delay(1)\n")
    assert drycell("run", folder, "--program", f"{name}={elsewhere}/other.py", "--record", tmp_path / "r.dry").code == 0
    with (elsewhere / "other.py").open("a") as file:
        file.write("\nraise RuntimeError('it ran')\n")
    said = drycell("replay", tmp_path / "r.dry", folder, "--changed")
    assert said.code == 1
    assert f"the folder {str(elsewhere.resolve())!r} is not trusted" in said.err
    said = drycell("replay", tmp_path / "r.dry", folder, "--changed", "--trust")
    assert "it ran" in said.err
