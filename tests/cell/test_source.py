"""A cell is found on disk by its file or its folder, and if it is missing, the error names the nearest match."""

from pathlib import Path

import pytest

from drycell.base import CellFileError, DrycellError, ProgramError
from drycell.cell import CellSource


def refusal(given: str | Path) -> str:
    with pytest.raises(CellFileError) as caught:
        CellSource.find(given).build()
    return str(caught.value)


def test_a_folder_means_its_cell_and_cell_files_take_precedence(on_disk: Path) -> None:
    (on_disk / "cell.py").write_text("def build(cell): pass")
    assert CellSource.find(on_disk).path == on_disk / "cell.yaml"
    (on_disk / "cell.yaml").unlink()
    assert CellSource.find(on_disk).path == on_disk / "cell.py"


def test_a_python_cell_is_called_after_its_file_or_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "welding"
    folder.mkdir()
    for name in ("cell.py", "other.py"):
        (folder / name).write_text("def build(cell): pass")
    assert CellSource.find(folder).build().name == "welding"
    assert CellSource.find(folder / "other.py").build().name == "other"


def test_the_seed_of_a_cell_file_can_be_overridden(on_disk: Path) -> None:
    with (on_disk / "cell.yaml").open("a") as file:
        file.write("run: {seed: 7, until: 30 s, pace: 2}\n")
    cell = CellSource.find(on_disk).build()
    assert (cell.seed, cell.until, cell.pace) == (7, 30.0, 2.0)
    assert CellSource.find(on_disk).build(seed=0).seed == 0


def test_error_for_a_folder_without_a_cell_says_what_to_add(tmp_path: Path) -> None:
    assert refusal(tmp_path) == (
        f"folder {tmp_path} contains no cell\n"
        "  try: put one of cell.yaml, cell.yml, cell.py there, or name the file itself"
    )


def test_a_mistyped_file_is_reported_with_the_nearest(on_disk: Path) -> None:
    assert refusal(on_disk / "cel.yaml") == (
        f"there is no cell '{on_disk / 'cel.yaml'}'\n  try: did you mean 'cell.yaml'?"
    )


def test_a_path_that_does_not_exist_is_reported(tmp_path: Path) -> None:
    assert "there is no cell" in refusal(tmp_path / "no" / "such" / "cell.yaml")


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cell.txt").write_text("hello")
    assert "is neither a cell file nor a Python file" in refusal(tmp_path / "cell.txt")


def test_error_for_a_python_file_without_build_says_what_to_write(tmp_path: Path) -> None:
    (tmp_path / "cell.py").write_text("def construct(cell): pass\n")
    assert refusal(tmp_path) == (
        f"{tmp_path / 'cell.py'} has no function build(cell)\n"
        "  try: write `def build(cell): …` that adds the bodies, robots and programs to the cell"
    )


def test_error_for_invalid_python_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "cell.py").write_text("def build(cell):\n    cell.add(\n")
    with pytest.raises(ProgramError) as caught:
        CellSource.find(tmp_path).build()
    assert caught.value.where == f"{tmp_path / 'cell.py'}:2:13"
    assert "cell.py" in caught.value.what


@pytest.mark.parametrize("where", ["definitions", "build"])
def test_errors_while_building_name_the_line_in_the_file(tmp_path: Path, where: str) -> None:
    bad = "    undefined_name\n" if where == "build" else "undefined_name\n"
    (tmp_path / "cell.py").write_text("def build(cell):\n    pass\n" + bad)
    with pytest.raises(DrycellError) as caught:
        CellSource.find(tmp_path).build()
    assert "NameError" in caught.value.what
    assert "undefined_name" in caught.value.what
    assert "cell.py:3" in str(caught.value)


def test_files_of_a_cell_are_its_own_and_relevant_ones_beside_it(on_disk: Path) -> None:
    (on_disk / "notes.txt").write_text("nothing")
    (on_disk / "PART.STL").write_text("solid")
    assert [file.name for file in CellSource.find(on_disk).files()] == ["cell.yaml", "PART.STL", "place.py"]
