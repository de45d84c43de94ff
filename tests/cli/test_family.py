"""``drycell family``: families made by questions or from data, listed, shown and checked."""

from collections.abc import Iterator
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

# A picker with a slide and two fingers, as someone would type it; what is after # is the question.
ANSWERS = [
    ("picker", "name"),
    ("a small picker", "title"),
    ("", "source"),
    ("x", "motor 1"),
    ("-200 mm, 200 mm", "limits"),
    ("300 mm/s", "speed"),
    ("", "acceleration"),
    ("", "jerk"),
    ("grip", "motor 2"),
    ("0 mm, 40 mm", "limits"),
    ("", "speed"),
    ("", "acceleration"),
    ("", "jerk"),
    ("", "no more motors"),
    ("4", "sensors"),
    ("slide", "node 1"),
    ("base", "hangs on"),
    ("0 mm, 0 mm, 100 mm", "at"),
    ("", "rpy"),
    ("x x", "moved by"),
    ("finger1", "node 2"),
    ("", "hangs on"),
    ("", "at"),
    ("", "rpy"),
    ("grip y 0.5", "moved by"),
    ("finger2", "node 3"),
    ("slide", "hangs on"),
    ("0, 0, 0", "at"),
    ("0 deg, 0 deg, 0 deg", "rpy"),
    ("grip y -0.5", "moved by"),
    ("", "no more nodes"),
    ("slide", "flange"),
    ("0 mm, 0 mm, 50 mm", "at"),
    ("", "rpy"),
    ("10 ms", "cycle"),
    ("0 mm, 40 mm", "home"),
    ("boxes", "model"),
    ("", "base"),
    ("box: [100 mm, 50 mm, 20 mm], at: [0 mm, 0 mm, 10 mm]", "slide"),
    ("", "slide"),
    ("{box: [10 mm, 10 mm, 40 mm], at: [0 mm, 5 mm, 40 mm]}", "finger1"),
    ("", "finger1"),
    ("box: [10 mm, 10 mm, 40 mm], at: [0 mm, -5 mm, 40 mm]", "finger2"),
    ("", "finger2"),
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch):
    """Someone at the terminal, who types these lines and then presses Ctrl-C."""

    def sit_down(lines: list[str]) -> None:
        waiting: Iterator[str] = iter(lines)

        def answer(question: str) -> str:
            print(question)
            try:
                return next(waiting)
            except StopIteration:
                raise KeyboardInterrupt from None

        monkeypatch.setattr("builtins.input", answer)

    return sit_down


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
    # By the rules for what is left out: the stroke in 2 s, full speed in 0.25 s, full acceleration in 0.1 s.
    assert (lift.speed, lift.acceleration, lift.jerk) == pytest.approx((200 * mm, 800 * mm, 8000 * mm))
    assert (turn.speed, turn.acceleration, turn.jerk) == pytest.approx((120 * deg, 480 * deg, 4800 * deg))
    assert robot.sensors == ("1", "2")
    assert robot.forward((0.1, 0.0)).position == pytest.approx((350 * mm, 0, 400 * mm))
    assert all(link.shape is not None for link in robot.links)
    assert drycell("family", "check", "mine.yaml").out.endswith("1 models: nothing missing\n")
    assert drycell("family", "show", "mine.yaml").code == 0


def test_whole_families_survive_as_data() -> None:
    text = (LIBRARY / "box-frame.yaml").read_text(encoding="utf-8")
    written = file_text(completed(read_draft(text)))
    assert read_family(written).models == load_family("box-frame").models
    again = file_text(read_thing(FamilyFile, written, "again.yaml", SHAPES))
    assert again == written


def test_answers_make_a_family(drycell, here: Path) -> None:
    (here / "answers.txt").write_text("".join(f"# {what}\n{answer}\n" for answer, what in ANSWERS))
    said = drycell("family", "new", "--answers", "answers.txt")
    assert said.err == ""
    assert said.code == 0
    robot = robot_from_file(here / "picker.yaml")
    assert robot.name == "picker/boxes"
    assert robot.joint_names == ("x", "grip")
    assert robot.home == pytest.approx((0.0, 40 * mm))
    assert robot.cycle == pytest.approx(0.01)
    assert robot.sensors == ("1", "2", "3", "4")
    slide, one, two = robot.link_poses((100 * mm, 40 * mm))
    assert slide.position == pytest.approx((100 * mm, 0, 100 * mm))
    assert one.position == pytest.approx((100 * mm, 20 * mm, 100 * mm))
    assert two.position == pytest.approx((100 * mm, -20 * mm, 100 * mm))
    assert "a small picker" in drycell("family", "show", "picker.yaml").out


def test_a_wrong_answer_is_asked_for_again_with_the_reason(drycell, here: Path, typed) -> None:
    wrong = {
        "picker": ["7up"],
        "-200 mm, 200 mm": ["-200 mm, 200 deg", "5 mm", "20 mm, 10 mm", "200, 300"],
        "300 mm/s": ["300 deg/s", "-3 mm/s", "fast"],
        "grip": ["x"],
        "4": ["four"],
        "base": ["floor"],
        "x x": ["x w", "xx x"],
        "grip y -0.5": [],
        "10 ms": ["0 ms"],
        "0 mm, 40 mm": [],
        "boxes": ["a b"],
        "box: [100 mm, 50 mm, 20 mm], at: [0 mm, 0 mm, 10 mm]": ["box: [1 mm]", "bax: 3", "sphere: 0 mm", "["],
    }
    typed([line for answer, _ in ANSWERS for line in (*wrong.get(answer, []), answer)])
    said = drycell("family", "new")
    assert said.code == 0
    for reason in (
        "'7up' cannot be a name",
        "one limit is an angle and the other a length; write both in deg, or both in mm",
        "two limits are wanted, but there are 1",
        "the lower limit is at or above the upper one",
        "the motor slides; write an answer for speed",
        "'-3 mm/s' must be above 0",
        "there is already a motor 'x'",
        "'four' is no whole number up to 1000",
        "there is no node 'floor'",
        "'x w' is no motor and axis",
        "there is no motor 'xx'",
        "must be above 0",
        "'a b' cannot be a name",
        "there is no such field; did you mean 'box'?",
    ):
        assert reason in said.out, reason
    assert robot_from_file(here / "picker.yaml").name == "picker/boxes"


def test_every_motor_must_move_a_node(drycell, here: Path, typed) -> None:
    early = [answer for answer, _ in ANSWERS[:20]]
    rest = [answer for answer, _ in ANSWERS[20:]]
    typed([*early, "", *rest])  # "no more nodes" too soon
    said = drycell("family", "new")
    assert "motor 'grip' moves no node yet; name another node, which it moves" in said.out
    assert said.code == 0


def test_ctrl_c_loses_nothing(drycell, here: Path, typed) -> None:
    typed([answer for answer, _ in ANSWERS[:25]])
    said = drycell("family", "new", "-o", "mine.yaml")
    assert said.code == 1
    assert "25 answers are kept; go on with\n  drycell family new --answers mine.yaml.answers -o mine.yaml" in said.err
    assert sorted(path.name for path in here.iterdir()) == ["mine.yaml.answers"]
    # Going on: the rest from the terminal.
    lines = (here / "mine.yaml.answers").read_text().splitlines()
    assert lines == [answer for answer, _ in ANSWERS[:25]]
    (here / "all.txt").write_text("\n".join([*lines, *(answer for answer, _ in ANSWERS[25:])]) + "\n")
    assert drycell("family", "new", "--answers", "all.txt", "-o", "mine.yaml").code == 0
    assert sorted(path.name for path in here.iterdir()) == ["all.txt", "mine.yaml"]


def test_a_file_of_answers_is_told_its_mistakes_by_line(drycell, here: Path) -> None:
    lines = [answer for answer, _ in ANSWERS]
    (here / "wrong.txt").write_text("\n".join([*lines[:4], "200 mm"]) + "\n")
    assert (
        "wrong.txt:5: two limits are wanted, but there are 1" in drycell("family", "new", "--answers", "wrong.txt").err
    )
    (here / "short.txt").write_text("\n".join(lines[:4]) + "\n")
    said = drycell("family", "new", "--answers", "short.txt")
    assert "short.txt ends after 4 answers, but there is one question more: x: limits" in said.err
    (here / "long.txt").write_text("\n".join([*lines, "", "more"]) + "\n")
    said = drycell("family", "new", "--answers", "long.txt")
    assert "long.txt:46: there is no question left for this answer" in said.err
    assert not list(here.glob("*.yaml"))


def test_a_file_that_is_there_is_not_replaced_unasked(drycell, here: Path) -> None:
    (here / "data.yaml").write_text(DATA)
    (here / "mine.yaml").write_text("precious")
    said = drycell("family", "new", "--from", "data.yaml", "-o", "mine.yaml")
    assert said.code == 1
    assert "there is already a file 'mine.yaml'" in said.err
    assert (here / "mine.yaml").read_text() == "precious"
    assert drycell("family", "new", "--from", "data.yaml", "-o", "mine.yaml", "--force").code == 0


def test_data_that_will_not_do_is_told_and_nothing_is_written(drycell, here: Path) -> None:
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
    broken = family.replace("turn: {limits: [-90 deg, 90 deg], ", "turn: {").replace("      hand: [", "      hnad: [")
    broken = broken.replace("moves: [{by: lift, axis: z}]", "moves: [{by: left, axis: z}]")
    (here / "broken.yaml").write_text(broken)
    said = drycell("family", "check", "broken.yaml")
    assert said.code == 1
    line = {text: number for number, text in enumerate(broken.splitlines(), 1)}
    turn = next(number for text, number in line.items() if text.startswith("  turn:"))
    hnad = next(number for text, number in line.items() if text.startswith("      hnad:"))
    lift = next(number for text, number in line.items() if text.startswith("  lift:"))
    for expected in (
        f"broken.yaml:{turn}:3: motors.turn.limits: this field must be given",
        f"broken.yaml:{lift}:3: motors.lift: motor 'lift' moves no node",
        "nodes.carriage.moves[0].by: there is no motor 'left'",
        "models.outline.nodes: model 'outline' lacks node 'hand', which family 'lifter' requires",
        f"broken.yaml:{hnad}:7: models.outline.nodes.hnad: family 'lifter' has no node 'hnad'",
    ):
        assert expected in said.err, said.err


def test_one_model_is_checked_by_itself(drycell, here: Path, family: str) -> None:
    (here / "two.yaml").write_text(family + "  bare:\n    nodes: {carriage: [], arm: []}\n")
    assert "nothing missing" in drycell("family", "check", "two.yaml", "outline").out
    assert "model 'bare' lacks node 'hand'" in drycell("family", "check", "two.yaml", "bare").err
    assert "there is no model 'outlin'\n" in drycell("family", "check", "two.yaml", "outlin").err


def test_a_model_in_a_file_of_its_own_is_held_against_the_family(drycell, here: Path, family: str) -> None:
    (here / "lifter.yaml").write_text(family)
    (here / "model.yaml").write_text("nodes:\n  carriage: []\n  arm: [{box: [10 mm, 10 mm, 10 mm]}]\n")
    said = drycell("family", "check", "lifter.yaml", "model.yaml")
    assert "model.yaml:1:1: nodes: this model lacks node 'hand', which family 'lifter' requires" in said.err
    (here / "model.yaml").write_text("nodes: {carriage: [], arm: [], hand: [{mesh: {file: gone.stl, units: mm}}]}\n")
    assert "gone.stl" in drycell("family", "check", "lifter.yaml", "model.yaml").err
    (here / "model.yaml").write_text("nodes: {carriage: [], arm: [], hand: []}\n")
    assert drycell("family", "check", "lifter.yaml", "model.yaml").code == 0


def test_a_whole_robot_is_held_against_the_family(drycell, here: Path, family: str) -> None:
    (here / "lifter.yaml").write_text(family)
    robot = """\
robot: other
source: a test
joints:
  lift: {limits: [0 mm, 300 mm], speed: 1 m/s, acceleration: 1 m/s^2, jerk: 1 m/s^3}
  spin: {limits: [-90 deg, 90 deg], speed: 1 rad/s, acceleration: 1 rad/s^2, jerk: 1 rad/s^3}
links:
  carriage: {moves: [{by: lift, axis: z}]}
  arm: {moves: [{by: spin, axis: z}]}
flange: {on: arm}
"""
    (here / "robot.yaml").write_text(robot)
    said = drycell("family", "check", "lifter.yaml", "robot.yaml")
    for expected in (
        "robot.yaml:4:10: joints.lift.limits: its limits are not those of motor 'lift' of family 'lifter'",
        "this robot lacks motor 'turn', which family 'lifter' requires",
        "robot.yaml:5:3: joints.spin: family 'lifter' has no motor 'spin'",
        "robot.yaml:6:1: links: this model lacks node 'hand'",
    ):
        assert expected in said.err, said.err


def test_help_teaches_by_example(drycell) -> None:
    assert "drycell family new --from data.yaml -o mine.yaml" in drycell("family", "--help").out
