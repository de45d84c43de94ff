"""Values of the wrong type or unit in Python: each error names the value and says what to write instead."""

from collections.abc import Callable
from pathlib import Path

import pytest

from drycell import Box, Cell, Conveyor, DrycellError, Model, Pose, Robot, Source, Sphere, choose, spawn, wait_any
from drycell.cell import CellSource
from drycell.cli.main import main


def test_the_error_about_a_quantity_shows_python_code() -> None:
    with pytest.raises(DrycellError, match="expected a speed in SI, got '150 mm/s'") as caught:
        Conveyor(length=1, width=0.2, speed="150 mm/s")  # type: ignore[arg-type]
    assert "write for example 150*mm/s" in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Cell().run(until="5 s"),
            "expected a time in seconds, got '5 s'\n  try: write for example 2.5*s",
        ),
        (
            lambda: Box("600 mm", 1, 1),
            "box: x is '600 mm' but must be a length in metres\n  try: write for example x=25*mm",
        ),
        (lambda: Sphere(None), "sphere: radius is None but must be a length in metres"),
        (
            lambda: Source(Box(1, 1, 1), every=0, on="belt"),
            "must be above 0 s, not 0.000 s\n  try: give a time such as 10 s",
        ),
    ],
)
def test_error_for_an_invalid_value_shows_what_to_write(make: Callable[[], object], message: str) -> None:
    with pytest.raises(DrycellError) as caught:
        make()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda arm: spawn(3), "a program must be a function, got 3\n"),
        (lambda arm: spawn(3), "try: pass a function and its arguments: spawn(work, 2)"),
        (lambda arm: choose("a", []), "choice 'a' has no options\n"),
        (lambda arm: choose("a", []), "try: give at least one: choose('a', ['good', 'bad'])"),
        (lambda arm: wait_any(), "try: pass at least one: wait_any(eye, button)"),
        (lambda arm: arm.move_joints([0, 0, 0]), "try: give waist, shoulder, elbow"),
        (lambda arm: arm.move(Pose(450, 0, 200)), "try: positions are in metres: write 450*mm, not 450"),
    ],
)
def test_a_program_gets_a_hint(call: Callable[[object], object], message: str) -> None:
    cell = Cell()
    cell.add("arm", Robot("puma560"))

    @cell.program
    def work(arm) -> None:
        call(arm)

    with pytest.raises(DrycellError) as caught:
        cell.run()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["net", "cell.yaml"], "cell.yaml:1:1: not XML: syntax error"),
        (["net", "cell.yaml"], "try: pass a PNML file"),
        (["net", "gone.pnml"], "cannot read gone.pnml: No such file or directory\n  try: check the path of the net"),
        (["scorpas", "gone.pas", "--serial", "none"], "there is no file 'gone.pas'\n  try: check the path"),
    ],
)
def test_a_command_gets_a_hint(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cell.yaml").write_text("format: 1\n")
    assert main(arguments) == 1
    assert message in capsys.readouterr().err


def test_a_file_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(DrycellError, match=r"there is no file '.*nope\.yaml'\n  try: check the path"):
        Model.load(tmp_path / "nope.yaml")


def test_only_python_files_that_build_a_cell_are_suggested(tmp_path: Path) -> None:
    (tmp_path / "nosuch_tool.py").write_text("print('not a cell')\n")
    with pytest.raises(DrycellError) as caught:
        CellSource.find(tmp_path / "nosuch")
    assert "nosuch_tool" not in str(caught.value)
    (tmp_path / "nosuch_cell.py").write_text("def build(cell):\n    pass\n")
    with pytest.raises(DrycellError, match=r"did you mean 'nosuch_cell\.py'"):
        CellSource.find(tmp_path / "nosuch")
