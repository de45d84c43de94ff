"""A draft edits a cell file like a careful person: comments stay, invalid edits are rejected, all can be undone."""

import math
from pathlib import Path

import pytest

from drycell.base import CellFileError, Pose, UnknownName, deg, mm
from drycell.cell import Model
from drycell.editing import Draft

TEXT = """\
# A small cell.
name: small   # its name

bodies:
  # The table comes first.
  table:
    shape: {box: [600 mm, 400 mm, 20 mm]}   # wide
    material: aluminium
    at: [0.3 m, 0, -10 mm]

  # What is moved.
  block: {shape: {box: [40 mm, 40 mm, 30 mm]}, on: table, at: [10 cm, 50 mm]}
  plate:
    shape: {box: [120 mm, 80 mm, 10 mm]}
    merge: true
    children:
      hole: {shape: {cylinder: {radius: 8 mm, length: 12 mm}}, hole: true}   # through
workpoints:
  goal: {on: plate, at: [0, 0, 20 mm], rpy: [180 deg, 0, 0]}
robots:
  arm: {model: ur5-like, gripper: two-finger}
sensors:
  eye: {model: e3jk-diffuse, on: arm/flange, ignore: [block, "part*"]}
devices:
  mill: {machine: {duration: 20 s}, at: [0, 1 m]}
  plc: {logic: {rules: {lamp: "mill.running and not eye or go"}}}
signals: {lamp: false, go: false, mill.ok: true}
controllers:
  panel: {robot: arm, inputs: {1: eye, 2: mill.ready, 3: mill.ok}, outputs: {1: mill.start}}
tolerances:
  block: {at: 1 mm}
faults:
  eye: [{dropout: 0.5 %}, {swapped: go}]
checks:
  collision:
    allowed:
      - [arm, block]   # it is held
      - [block, table]
    clearances: [[arm, mill, 20 mm]]
"""


@pytest.fixture
def draft() -> Draft:
    return Draft(TEXT)


def test_an_edit_leaves_every_other_line_as_it_was(draft: Draft) -> None:
    draft.set(("bodies", "table", "material"), "steel")
    assert draft.text() == TEXT.replace("material: aluminium", "material: steel")


def test_numbers_get_units_by_the_type_of_their_field(draft: Draft) -> None:
    draft.add("bodies", {"shape": {"box": [0.1, 0.2, "1 in"]}, "at": (0, 0.05, 0.0)}, "crate")
    assert "  crate:\n    shape: {box: [100 mm, 200 mm, 1 in]}\n    at: [0, 50 mm, 0]\n" in draft.text()


def test_a_new_field_is_inserted_in_the_usual_order(draft: Draft) -> None:
    draft.set(("bodies", "table", "part"), False)
    assert "    material: aluminium\n    part: false\n    at: [0.3 m, 0, -10 mm]\n\n  # What is moved." in draft.text()
    draft.set(("description",), "two words: and a colon")
    assert "name: small   # its name\ndescription: 'two words: and a colon'\n" in draft.text()


def test_a_missing_section_is_created(draft: Draft) -> None:
    draft.add("programs", {"file": "tend.py"}, "tend")
    assert "programs:\n  tend: {file: tend.py}\ntolerances:\n" in draft.text()


def test_moving_keeps_units_and_what_did_not_change(draft: Draft) -> None:
    draft.move("block", Pose(0.125, 50 * mm, 0))
    assert "on: table, at: [12.5 cm, 50 mm]}" in draft.text()
    draft.move("table", Pose.of_rpy(0, 0, 90 * deg, at=(0.25, 0, -10 * mm)))
    assert "at: [0.25 m, 0, -10 mm]\n    rpy: [0 deg, 0 deg, 90 deg]\n" in draft.text()
    draft.move("goal", Pose.of_rpy(math.pi, 0, 0, at=(1.0004e-3, 0, 20 * mm)))
    assert "goal: {on: plate, at: [1 mm, 0, 20 mm], rpy: [180 deg, 0, 0]}" in draft.text()


def test_renaming_updates_all_references(draft: Draft) -> None:
    draft.rename("arm", "robot")
    draft.rename("mill", "lathe")
    draft.rename("eye", "gate")
    draft.rename("block", "part1")
    text = draft.text()
    assert 'gate: {model: e3jk-diffuse, on: robot/flange, ignore: [part1, "part*"]}' in text
    assert 'rules: {lamp: "lathe.running and not gate or go"}' in text
    assert "panel: {robot: robot, inputs: {1: gate, 2: lathe.ready, 3: mill.ok}, outputs: {1: lathe.start}}" in text
    assert "tolerances:\n  part1: {at: 1 mm}\nfaults:\n  gate: [{dropout" in text
    assert "      - [robot, part1]   # it is held\n      - [part1, table]\n" in text
    assert "clearances: [[robot, lathe, 20 mm]]" in text


def test_a_signal_is_renamed_in_expressions_wires_and_faults(draft: Draft) -> None:
    draft.rename("go", "start")
    assert 'not eye or start"' in draft.text()
    assert "{swapped: start}" in draft.text()


def test_a_body_inside_another_is_renamed_by_its_full_name(draft: Draft) -> None:
    draft.set(("checks", "collision", "everything_but"), ["plate/hole"])
    draft.rename("plate/hole", "bore")
    assert "bore: {shape:" in draft.text()
    assert "everything_but: [plate/bore]" in draft.text()
    draft.rename("plate", "fixture")
    assert "everything_but: [fixture/bore]" in draft.text()
    assert "goal: {on: fixture," in draft.text()


def test_renaming_reports_programs_that_use_the_name(on_disk: Path) -> None:
    draft = Draft.open(on_disk)
    assert draft.rename("block", "brick") == ["place.py:4", "place.py:5"]


def test_removing_says_what_refers_to_it(draft: Draft) -> None:
    users = r"checks.collision.clearances\[0\]\[1\], devices.plc.logic.rules.lamp, controllers"
    with pytest.raises(CellFileError, match=f"'mill' is still used by {users}"):
        draft.remove("mill")
    assert draft.text() == TEXT


def test_removing_with_all_removes_what_stands_on_the_entry(draft: Draft) -> None:
    gone = draft.remove("arm", with_all=True)
    assert "sensors.eye" in gone
    assert "controllers.panel.robot" in gone
    assert "checks.collision.allowed[0]" in gone
    assert "eye" not in draft.text()
    assert "devices.plc" in gone
    assert "clearances: []" in draft.text()
    assert "      - [block, table]\n" in draft.text()


def test_removing_keeps_the_comments_of_others(draft: Draft) -> None:
    draft.remove("table", with_all=True)
    assert "bodies:\n  # The table comes first.\n\n  # What is moved.\n  plate:\n" in draft.text()


def test_a_section_is_removed_with_its_last_entry(draft: Draft) -> None:
    draft.remove("goal")
    assert "workpoints" not in draft.text()
    draft.remove("plate/hole")
    assert "children" not in draft.text()
    assert "merge: true\nrobots:" in draft.text()


def test_a_copy_gets_a_new_name_and_is_shifted(draft: Draft) -> None:
    assert draft.duplicate("block", shift=(50 * mm, 0)) == "block2"
    assert "  block2:\n    shape: {box: [40 mm, 40 mm, 30 mm]}\n    on: table\n    at: [15 cm, 50 mm]\n" in draft.text()
    assert draft.duplicate("plate/hole") == "plate/hole2"


def test_a_wrong_edit_is_refused_with_its_field_and_changes_nothing(draft: Draft) -> None:
    with pytest.raises(CellFileError, match=r"bodies.table.material: ''"):
        draft.set(("bodies", "table", "material"), "")
    with pytest.raises(CellFileError, match=r"bodies.table.at\[0\]: '300' has no unit"):
        draft.set(("bodies", "table", "at"), ["300", 0, 0])
    with pytest.raises(CellFileError, match="no such field"):
        draft.set(("bodies", "table", "colour"), "red")
    with pytest.raises(CellFileError, match=r"bodies\.table already exists"):
        draft.add("bodies", {}, "table")
    with pytest.raises(CellFileError, match="depends on itself"):
        draft.set(("bodies", "table", "on"), "block")
    with pytest.raises(UnknownName, match="there is no entry 'tabel'"):
        draft.move("tabel", Pose())
    assert draft.text() == TEXT
    assert draft.steps == ()


def test_editing_an_aliased_entry_leaves_the_others_unchanged() -> None:
    text = "name: x\nbodies:\n  a: {shape: &s {box: [1 m, 1 m, 1 m]}}\n  b: {shape: *s}\n"
    draft = Draft(text)
    draft.set(("bodies", "a", "material"), "steel")
    assert draft.text() == text.replace("m]}}", "m]}, material: steel}")
    draft.set(("bodies", "b", "shape", "box"), ["2 m", "1 m", "1 m"])
    assert draft.get(("bodies", "a", "shape", "box")) == ["1 m", "1 m", "1 m"]


def test_several_edits_can_be_one_step_or_none(draft: Draft) -> None:
    with draft.one_step("set up"):
        draft.rename("table", "desk")
        draft.change("desk", material="steel", part=False)
    assert draft.steps == ("set up",)
    with pytest.raises(CellFileError):
        _rename_and_spoil(draft)
    assert draft.steps == ("set up",)
    assert draft.undo() == "set up"
    assert draft.text() == TEXT


def _rename_and_spoil(draft: Draft) -> None:
    with draft.one_step("fails"):
        draft.rename("desk", "table")
        draft.set(("bodies", "table", "material"), 3)


def test_redo_is_possible_until_the_next_edit(draft: Draft) -> None:
    draft.change("table", material="steel")
    steel = draft.text()
    assert draft.undo() == "change table"
    assert draft.redo() == "change table"
    assert draft.text() == steel
    draft.undo()
    draft.change("table", material="brass")
    assert draft.redo() is None


def test_a_new_cell_is_built_from_an_empty_draft() -> None:
    draft = Draft.new("mine")
    assert draft.add("bodies", {"shape": {"sphere": {"radius": "10 mm"}}}) == "body"
    draft.add("robots", {"model": "ur5-like"}, "arm")
    draft.append(("checks", "collision", "clearances"), ["arm", "body", "5 mm"])
    draft.set(("run", "seed"), 7)
    assert draft.text() == (
        "name: mine\nbodies:\n  body:\n    shape: {sphere: {radius: 10 mm}}\nrobots:\n  arm:\n    model: ur5-like\n"
        "checks:\n  collision: {clearances: [[arm, body, 5 mm]]}\nrun: {seed: 7}\n"
    )


def test_windows_line_ends_are_kept(draft: Draft) -> None:
    windows = Draft(TEXT.replace("\n", "\r\n"))
    for each in (draft, windows):
        each.add("bodies", {"material": "steel"}, "node")
        each.remove("goal")
    assert windows.text() == draft.text().replace("\n", "\r\n")


def test_saved_unsaved_and_changed_on_disk_are_distinguished(on_disk: Path) -> None:
    draft = Draft.open(on_disk)
    assert not draft.unsaved
    assert not draft.changed_on_disk
    draft.change("table", material="steel")
    assert draft.unsaved
    draft.save()
    assert not draft.unsaved
    assert Model.load(on_disk).things["table"].material == "steel"
    (on_disk / "cell.yaml").write_text(draft.text().replace("steel", "brass"))
    assert draft.changed_on_disk
    with pytest.raises(CellFileError, match="was changed on disk"):
        draft.save()
    draft.reload()
    assert draft.model.things["table"].material == "brass"
    assert not draft.unsaved
    draft.undo()
    draft.save(over=True)
    assert Model.load(on_disk).things["table"].material == "steel"


def test_paths_of_programs_are_adjusted_when_saving_elsewhere(on_disk: Path) -> None:
    draft = Draft.open(on_disk)
    assert draft.save(on_disk / "other") == on_disk / "other" / "cell.yaml"
    assert "{file: ../place.py}" in draft.text()
    with pytest.raises(CellFileError, match="already exists"):
        draft.save(on_disk)


def test_a_cell_in_python_is_not_edited_and_the_error_says_how_to_save(tmp_path: Path) -> None:
    (tmp_path / "cell.py").write_text("def build(cell): ...\n")
    with pytest.raises(CellFileError, match="builds its cell in Python") as error:
        Draft.open(tmp_path)
    assert ".save('cell.yaml')" in str(error.value)


def test_saving_a_new_cell_needs_a_path(tmp_path: Path) -> None:
    draft = Draft.new()
    with pytest.raises(CellFileError, match="has no file yet"):
        draft.save()
    draft.save(tmp_path / "mine")
    assert Model.load(tmp_path / "mine").head.name == "new cell"


def test_moving_keeps_the_comments_inside_a_multiline_position() -> None:
    text = (
        "bodies:\n  a:\n    shape: {sphere: 5 mm}\n    at:\n      # how far along\n      - 1 m\n      - 2 m   # out\n"
    )
    draft = Draft(text)
    draft.move("a", Pose(1, 2.5, 0))
    assert draft.text() == text.replace("2 m ", "2.5 m ")
    draft.change("a", at=[1, 3, 0.5])
    assert "# how far along\n      - 1000 mm\n      - 3000 mm   # out\n      - 500 mm\n" in draft.text()


def test_rules_that_use_the_output_of_a_removed_rule_are_removed_too() -> None:
    draft = Draft(
        "signals: {go: false, other: false, lamp: false, lamp2: false}\ndevices:\n"
        "  plc: {logic: {rules: {out: go, also: out, lamp2: plc.out, lamp: other}}}\n"
        "  far: {logic: {rules: {x: plc.also, y: other}}}\n"
    )
    gone = draft.remove("go", with_all=True)
    rules = [f"devices.plc.logic.rules.{each}" for each in ("out", "also", "lamp2")]
    assert sorted(gone) == sorted([*rules, "devices.far.logic.rules.x"])
    assert "plc: {logic: {rules: {lamp: other}}}\n  far: {logic: {rules: {y: other}}}" in draft.text()


def test_renaming_reports_patterns_that_match_only_one_of_the_names(draft: Draft) -> None:
    draft.set(("checks", "collision", "everything_but"), ["ar*", "*", "arm/fore*", "mi?l"])
    assert draft.rename("arm", "robot") == [
        "checks.collision.everything_but[0]: 'ar*'",
        "checks.collision.everything_but[2]: 'arm/fore*'",
    ]
    assert draft.rename("robot", "robot2") == []
    assert draft.rename("block", "part1") == ["sensors.eye.ignore[1]: 'part*'"]
