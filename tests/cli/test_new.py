"""``drycell new``: the cell it makes runs, passes its own tests and teaches what its README promises."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from drycell.cell import CellSource

FILES = ["README.md", "cell.yaml", "robot.py", "test_cell.py"]


@pytest.fixture
def made(drycell, tmp_path: Path) -> Path:
    """A folder that ``drycell new`` has made."""
    folder = tmp_path / "press-line"
    assert drycell("new", folder).code == 0
    return folder


def test_it_lists_the_files_and_what_to_type_next(drycell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = drycell("new", "cells/press line/press-line")
    assert (said.code, said.err) == (0, "")
    assert sorted(path.name for path in (tmp_path / "cells/press line/press-line").iterdir()) == FILES
    assert all(name in said.out for name in FILES)
    assert "next:\n  cd 'cells/press line/press-line'\n  drycell run . " in said.out
    assert sorted(os.listdir(tmp_path / "cells/press line")) == ["press-line"]  # no temporary folder is left behind


def test_the_cell_and_its_readme_have_the_name_of_the_folder(made: Path) -> None:
    assert "\nname: press-line\n" in (made / "cell.yaml").read_text()
    assert (made / "README.md").read_text().startswith("# press-line\n")
    assert not any("my-cell" in (made / name).read_text() for name in FILES)


def test_the_new_cell_runs_without_a_fault(drycell, made: Path) -> None:
    said = drycell("run", made)
    assert (said.code, said.err) == (0, "")
    assert "parts         9 arrived · 8 taken to bin · 1 in the cell · 0 lost\n" in said.out
    assert "collisions    none\n  near misses   none\n" in said.out


def test_its_tests_pass_and_include_a_search(made: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=made, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout
    assert "5 passed" in ran.stdout


def test_the_exercise_of_the_readme_shows_what_collides_and_its_solution_removes_them(drycell, made: Path) -> None:
    fast = ("run", made, "--set", "feeder.every=3 s")
    queued = drycell(*fast).out
    assert "collisions    part1 – part2" in queued
    assert "arm/gripper/finger2 – part3 4.40 mm apart" in queued
    program = made / "robot.py"
    solved = program.read_text().replace("robot(arm, ", "robot(arm, belt, ")
    solved = solved.replace("        arm.move(", "        belt.stop()\n        arm.move(", 1)
    program.write_text(solved.replace("        arm.place(", "        belt.start()\n        arm.place("))
    assert "collisions    none\n  near misses   none\n" in drycell(*fast).out


def test_an_empty_folder_is_filled(drycell, tmp_path: Path) -> None:
    (tmp_path / "cell1").mkdir()
    assert drycell("new", tmp_path / "cell1").code == 0
    assert sorted(os.listdir(tmp_path / "cell1")) == FILES


def test_a_folder_with_files_and_a_file_are_refused_and_left_alone(drycell, made: Path, tmp_path: Path) -> None:
    (made / "robot.py").write_text("mine")
    said = drycell("new", made)
    assert (said.code, said.out) == (1, "")
    assert said.err == f"FileError: the folder '{made}' exists and is not empty\n  try: choose another name\n"
    assert (made / "robot.py").read_text() == "mine"
    (tmp_path / "taken").write_text("mine")
    assert "there is already a file" in drycell("new", tmp_path / "taken").err
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_broken_link_is_refused(drycell, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("nowhere")
    said = drycell("new", link)
    assert (said.code, said.out) == (1, "")
    assert said.err == f"FileError: '{link}' is a link to a folder that does not exist\n  try: choose another name\n"
    assert [each.name for each in tmp_path.iterdir()] == ["link"]


@pytest.mark.parametrize("name", ["1st", "a b", "-x.", "..", "a/b?", "x" * 300, ""])
def test_an_invalid_name_is_an_error_that_says_what_a_name_is(
    drycell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    said = drycell("new", "--", name)
    assert said.code == 1
    assert f"{name!r} cannot be the name of a cell\n  try: start with a letter" in said.err
    assert os.listdir(tmp_path) == []


def test_the_current_folder_is_refused_with_the_way_to_do_it(
    drycell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "'.' cannot be the name of a cell\n  try: run it in the parent folder" in drycell("new", ".").err


@pytest.mark.parametrize("name", ["true", "null", "off", "No", "nan"])
def test_a_name_that_yaml_reads_as_something_else_stays_a_name(drycell, tmp_path: Path, name: str) -> None:
    assert drycell("new", tmp_path / name).code == 0
    assert CellSource.find(tmp_path / name).build(programs=False).name == name


def test_a_folder_that_cannot_be_written_to_is_named_and_no_other_is_made(drycell, tmp_path: Path) -> None:
    (tmp_path / "afile").write_text("mine")
    printed = drycell("new", tmp_path / "afile" / "cell1").err
    assert printed == (
        f"WriteError: cannot write to the folder {tmp_path / 'afile'}: a file with that name exists\n"
        "  try: choose another folder\n"
    )
    assert os.listdir(tmp_path) == ["afile"]


def test_nothing_is_left_behind_if_writing_fails(drycell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, *_: object, **__: object) -> int:
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_text", full)
    said = drycell("new", tmp_path / "line" / "left" / "cell1")
    assert said.code == 1
    assert f"cannot write {tmp_path}/line/left/cell1/cell.yaml: No space left on device" in said.err
    assert os.listdir(tmp_path) == []
