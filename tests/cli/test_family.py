"""``drycell family``: families made from data, listed, shown and checked."""

from pathlib import Path

import pytest

from drycell.base import deg, mm, read_thing
from drycell.robots import (
    LIBRARY,
    SHAPES,
    FamilyFile,
    completed,
    file_text,
    load_family,
    read_draft,
    read_family,
    robot_from_file,
)

DATA = """\
family: lifter
motors:
  lift: {limits: [0 mm, 400 mm]}
  turn: {limits: [-90 deg, 90 deg], speed: 120 deg/s}
sensors: 2
nodes:
  carriage: {on: base, at: [0 mm, 0 mm, 300 mm], moves: [{by: lift, axis: z}]}
  arm: {at: [200 mm, 0 mm, 0 mm], moves: [{by: turn, axis: z}]}
  hand: {at: [150 mm, 0 mm, 0 mm]}
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_families_of_the_library_are_listed_with_their_models(drycell) -> None:
    said = drycell("family", "list")
    assert said.code == 0
    assert "box-frame        7 motors, 8 nodes, 8 sensors; models hand, stylised (default), detailed" in said.out


def test_a_family_is_shown_with_motors_nodes_and_models(drycell) -> None:
    said = drycell("family", "show", "box-frame")
    assert said.code == 0
    assert "  gripper      slides  0.0..82.5 mm" in said.out
    assert "  finger2      on hand         moved by gripper x × -0.5" in said.out
    assert "  hand         3 of 8 nodes seen, 3 solids" in said.out
    assert "did you mean 'box-frame'" in drycell("family", "show", "box-fram").err


# ---------------------------------------------------------------- new


def test_data_becomes_a_family_that_loads_and_passes_its_check(drycell, here: Path) -> None:
    (here / "data.yaml").write_text(DATA)
    said = drycell("family", "new", "--from", "data.yaml", "-o", "mine.yaml")
    assert said.code == 0
    assert "family 'lifter' with 2 motors, 3 nodes and model 'outline': mine.yaml" in said.out
    robot = robot_from_file(here / "mine.yaml")
    lift, turn = robot.joints
    # By the rules for missing values: the stroke in 2 s, full speed in 0.25 s, full acceleration in 0.1 s.
    assert (lift.speed, lift.acceleration, lift.jerk) == pytest.approx((200 * mm, 800 * mm, 8000 * mm))
    assert (turn.speed, turn.acceleration, turn.jerk) == pytest.approx((120 * deg, 480 * deg, 4800 * deg))
    assert robot.sensors == ("1", "2")
    assert robot.forward((0.1, 0.0)).position == pytest.approx((350 * mm, 0, 400 * mm))
    assert all(link.shape is not None for link in robot.links)
    assert drycell("family", "check", "mine.yaml").out.endswith("1 model: nothing missing\n")
    assert drycell("family", "show", "mine.yaml").code == 0


def test_whole_families_survive_as_data() -> None:
    text = (LIBRARY / "box-frame.yaml").read_text(encoding="utf-8")
    written = file_text(completed(read_draft(text)))
    assert read_family(written).models == load_family("box-frame").models
    again = file_text(read_thing(FamilyFile, written, "again.yaml", SHAPES))
    assert again == written


def test_a_file_that_is_there_is_not_replaced_without_asking(drycell, here: Path) -> None:
    (here / "data.yaml").write_text(DATA)
    (here / "mine.yaml").write_text("precious")
    said = drycell("family", "new", "--from", "data.yaml", "-o", "mine.yaml")
    assert said.code == 1
    assert "there is already a file 'mine.yaml'" in said.err
    assert (here / "mine.yaml").read_text() == "precious"
    assert drycell("family", "new", "--from", "data.yaml", "-o", "mine.yaml", "--force").code == 0


def test_invalid_data_is_reported_and_nothing_is_written(drycell, here: Path) -> None:
    (here / "data.yaml").write_text(DATA.replace("{limits: [0 mm, 400 mm]}", "{speed: 3 mm/s}"))
    said = drycell("family", "new", "--from", "data.yaml", "-o", "mine.yaml")
    assert "data.yaml:3:3: motors.lift.limits: this field must be given" in said.err
    (here / "data.yaml").write_text(DATA.replace("by: turn", "by: torn"))
    assert "there is no motor 'torn'" in drycell("family", "new", "--from", "data.yaml", "-o", "mine.yaml").err
    assert not (here / "mine.yaml").exists()


# ---------------------------------------------------------------- check


@pytest.fixture
def family(here: Path) -> str:
    """The text of a good family."""
    return file_text(completed(read_draft(DATA)))


def test_everything_that_is_missing_is_named_with_its_line(drycell, here: Path, family: str) -> None:
    broken = family.replace("moves: [{by: lift, axis: z}]", "moves: [{by: left, axis: z}]")
    (here / "broken.yaml").write_text(broken)
    said = drycell("family", "check", "broken.yaml")
    assert said.code == 1
    assert "nodes.carriage.moves[0].by: there is no motor 'left'" in said.err
    assert "motors.lift: motor 'lift' moves no node" in said.err
    broken = family.replace("      hand: [", "      hnad: [")
    (here / "broken.yaml").write_text(broken)
    said = drycell("family", "check", "broken.yaml")
    hnad = next(number for number, text in enumerate(broken.splitlines(), 1) if text.startswith("      hnad:"))
    assert "models.outline.nodes: model 'outline' lacks node 'hand', which family 'lifter' requires" in said.err
    assert f"broken.yaml:{hnad}:" in said.err
    assert "models.outline.nodes.hnad: family 'lifter' has no node 'hnad'" in said.err
    (here / "broken.yaml").write_text(family.replace("turn: {limits: [-90 deg, 90 deg], ", "turn: {"))
    assert "motors.turn.limits: this field must be given" in drycell("family", "check", "broken.yaml").err


def test_help_teaches_by_example(drycell) -> None:
    assert "drycell family new --from data.yaml -o mine.yaml" in drycell("family", "--help").out
