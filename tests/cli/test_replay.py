"""``drycell replay``: the same to the last bit, or where it first differs; and poses read from a recording."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def record(drycell, folder: Path, tmp_path: Path) -> Path:
    file = tmp_path / "run.dry"
    assert drycell("run", folder, "--record", file, "--seed", 5).code == 0
    return file


def test_the_same_cell_gives_the_same_run(drycell, record: Path) -> None:
    said = drycell("replay", record)
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[-1].startswith("the same to the last bit: 3.")
    assert said.out.splitlines()[-1].endswith(" of counting, seed 5")


def test_a_changed_cell_is_named_and_the_difference_told(drycell, folder: Path, record: Path) -> None:
    text = (folder / "cell.py").read_text()
    (folder / "cell.py").write_text(text.replace("delay(1.0)", "delay(1.25)"))
    said = drycell("replay", record)
    assert said.code == 2
    assert "  changed since the recording: cell.py" in said.out
    assert "NOT the same: " in said.out
    assert "count" in said.out[said.out.index("NOT") :]
    assert "1.000" in said.out[said.out.index("NOT") :]


def test_a_change_that_changes_nothing_is_named_and_the_run_the_same(drycell, folder: Path, record: Path) -> None:
    with (folder / "cell.py").open("a") as file:
        file.write("# a remark\n")
    said = drycell("replay", record)
    assert said.code == 0
    assert "  changed since the recording: cell.py" in said.out


def test_a_cell_that_has_moved_is_named(drycell, folder: Path, record: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    shutil.move(folder, moved)
    lost = drycell("replay", record)
    assert lost.code == 1
    assert "there is no cell" in lost.err
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
    assert (said.code, said.out.splitlines()[-1]) == (0, "the same to the last bit: 1.500 s of counting, seed 0")


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


def test_an_unknown_body_is_told_the_nearest(drycell, record: Path) -> None:
    said = drycell("replay", record, "--pose", "cueb")
    assert said.code == 1
    assert "did you mean 'cube'?" in said.err


def test_a_time_without_a_body_is_refused(drycell, record: Path) -> None:
    said = drycell("replay", record, "--at", "1s")
    assert said.code == 1
    assert "--at says when, but not what" in said.err


def test_what_is_no_recording_is_told_so(drycell, folder: Path) -> None:
    said = drycell("replay", folder / "cell.py")
    assert said.code == 1
    assert said.err.startswith("RecordingError: ")
    assert "Traceback" not in said.err


def test_a_recording_that_is_not_there_is_told_so(drycell, tmp_path: Path) -> None:
    said = drycell("replay", tmp_path / "no.dry")
    assert said.code == 1
    assert "no.dry" in said.err
