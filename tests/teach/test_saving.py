"""A lesson saved into a cell file: the program beside it, the points as workpoints, comments kept."""

from pathlib import Path

import pytest

from drycell import Cell, Controller, Robot, mm
from drycell.base import CellFileError, FileError, ProgramError
from drycell.cell import CellSource
from drycell.teach import Lesson, commanders, save_into
from drycell.verify import verify

CELL = """\
name: small cell
bodies:
  table: {shape: {box: [700 mm, 700 mm, 40 mm]}, material: aluminium, at: [200 mm, 0 mm, -20 mm]}
  block: {shape: {box: [40 mm, 30 mm, 40 mm]}, material: beech, on: table, at: [60 mm, -150 mm]}   # to be moved
robots:
  arm: {model: scorbot-er3, gripper: two-finger, on: table, at: [-200 mm, 0 mm]}
controllers:
  scorbot: {robot: arm}
checks:
  collision: {allowed: [[block, table]]}
"""


@pytest.fixture
def file(tmp_path) -> Path:
    made = tmp_path / "cell.yaml"
    made.write_text(CELL, encoding="utf-8")
    return made


def test_a_saved_lesson_is_a_program_of_the_cell_and_passes_verification(file, lesson) -> None:
    saved = save_into(lesson, file)
    assert saved.name == "pick_and_place"
    assert saved.file == "pick_and_place.py"
    text = file.read_text(encoding="utf-8")
    assert "# to be moved" in text
    cell = CellSource.find(file).build()
    assert list(cell.world.workpoints) == ["grasp", "place"]
    assert 'arm.move_linear("grasp", 110 * mm / s)' in file.with_name(saved.file).read_text(encoding="utf-8")
    result = cell.run()
    assert not result.collisions
    assert cell.body("block").pose.position == pytest.approx((250 * mm, 120 * mm, 20 * mm), abs=1e-6)
    found = verify(file, seconds=30.0)
    assert found.clean


def test_saving_again_replaces_the_program(file, lesson) -> None:
    save_into(lesson, file)
    lesson.teach(lesson.points["place"].shifted(x=10 * mm))
    save_into(lesson, file)
    cell = CellSource.find(file).build()
    assert list(cell.programs) == ["pick_and_place"]
    cell.run()
    assert cell.body("block").pose.position == pytest.approx((250 * mm, 110 * mm, 20 * mm), abs=1e-6)


def test_a_lesson_saved_in_pascal_does_the_same(file, lesson) -> None:
    saved = save_into(lesson, file, language="pascal")
    assert saved.file == "pick_and_place.pas"
    cell = CellSource.find(file).build()
    cell.run()
    assert cell.body("block").pose.position == pytest.approx((250 * mm, 120 * mm, 20 * mm), abs=1e-6)
    again = save_into(lesson, file)
    assert again.instead_of == ()
    assert list(CellSource.find(file).build().programs) == ["pick_and_place"]


def test_saving_in_pascal_adds_a_missing_controller(file, lesson) -> None:
    file.write_text(CELL.replace("controllers:\n  scorbot: {robot: arm}\n", ""), encoding="utf-8")
    assert save_into(lesson, file, language="pascal").controller == "scorbot"
    cell = CellSource.find(file).build()
    assert cell.controllers["scorbot"].robot.name == "arm"
    cell.run()
    assert cell.body("block").pose.position == pytest.approx((250 * mm, 120 * mm, 20 * mm), abs=1e-6)


def test_pascal_with_gaps_is_not_saved(file, lesson) -> None:
    lesson.move_linear("place", before=100 * mm)
    lesson.move("grasp")
    with pytest.raises(ProgramError, match="Pascal cannot express 1 of the steps"):
        save_into(lesson, file, language="pascal")
    assert file.read_text(encoding="utf-8") == CELL


def test_saving_replaces_programs_that_command_the_robot(file, lesson) -> None:
    other = file.with_name("other.py")
    other.write_text("def other(arm):\n    arm.home()\n\n\ndef counting():\n    pass\n", encoding="utf-8")
    file.write_text(CELL + "programs:\n  other: {file: other.py}\n  counting: {file: other.py}\n", encoding="utf-8")
    assert save_into(lesson, file).instead_of == ("other",)
    assert list(CellSource.find(file).build().programs) == ["counting", "pick_and_place"]


def test_programs_command_a_robot_through_controllers_parameters_and_closures() -> None:
    cell = Cell()
    arm = cell.add("arm", Robot("scorbot-er3"))
    cell.add("other", Robot("scara", at=(1.0, 0, 0)))
    cell.add("box", Controller(robot=arm.name))
    cell.program(name="a")(lambda arm: None)
    cell.program(name="b")(lambda: arm.home())
    cell.program(name="c", controller="box")(lambda io: None)
    cell.program(name="d")(lambda other: None)
    assert commanders(cell, "arm") == ["a", "b", "c"]
    assert commanders(cell, "other") == ["d"]


def test_programs_written_by_hand_are_not_overwritten(file, lesson) -> None:
    file.with_name("pick_and_place.py").write_text("def pick_and_place(arm): pass\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"pick_and_place\.py exists and was not taught"):
        save_into(lesson, file)


def test_saving_into_a_cell_built_in_python_is_refused(tmp_path) -> None:
    file = tmp_path / "cell.py"
    file.write_text(
        "from drycell import Robot\ndef build(cell):\n    cell.add('arm', Robot('scara'))\n", encoding="utf-8"
    )
    with pytest.raises(CellFileError, match="builds its cell in Python"):
        save_into(Lesson("test", "arm"), file)
