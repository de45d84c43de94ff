"""The example's script creates the lesson that is kept beside it."""

import runpy
import shutil
from pathlib import Path

import pytest

from drycell import mm
from drycell.cell import CellSource
from drycell.teach import load_lesson

EXAMPLE = Path(__file__).parents[2] / "examples" / "40_teach"
WRITTEN = ("cell.yaml", "pick_and_place.py", "pick_and_place.lesson.yaml")


def test_teaching_the_example_again_gives_the_same_files(tmp_path, capsys) -> None:
    folder = tmp_path / "taught"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__", "pick_and_place*"))
    text = (folder / "cell.yaml").read_text(encoding="utf-8")
    bare = text[: text.index("workpoints:")] + text[text.index("controllers:") : text.index("programs:")]
    (folder / "cell.yaml").write_text(bare + text[text.index("checks:") :], encoding="utf-8")
    runpy.run_path(str(folder / "teach.py"), run_name="taught")["teach"](folder)
    for name in WRITTEN:
        assert (folder / name).read_text(encoding="utf-8") == (EXAMPLE / name).read_text(encoding="utf-8"), name
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "on_block  green: within reach (shoulder=front, elbow=up)"
    assert printed[-1] == "saved as pick_and_place.py"


def test_the_block_ends_on_the_stand() -> None:
    cell = CellSource.find(EXAMPLE).build()
    assert cell.run().clean
    assert cell.body("block").pose.position == pytest.approx((260 * mm, 150 * mm, 55 * mm), abs=1e-6)


def test_the_pascal_program_contains_every_step() -> None:
    cell = CellSource.find(EXAMPLE).build()
    made = load_lesson(EXAMPLE / "pick_and_place.lesson.yaml").as_pascal(cell)
    assert made.complete
    assert not made.notes
