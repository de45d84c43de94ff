"""Lessons: editing with undo, files, and programs that bring the part where it was shown."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from drycell import Cell, Pose, Robot, deg, mm, s
from drycell.base import FileError, ProgramError, UnknownName
from drycell.cell import exchange
from drycell.teach import (
    Jog,
    Lesson,
    LessonMove,
    LessonStep,
    TaughtPoint,
    lesson_data,
    lesson_text,
    load_lesson,
    read_lesson,
    read_step,
    save_lesson,
    walk,
)

# ---------------------------------------------------------------- editing


def kinds(lesson: Lesson) -> list[str]:
    return [step.text for step in lesson.steps]


def test_steps_are_inserted_deleted_and_reordered_and_every_change_is_undone() -> None:
    lesson = Lesson("test", "arm")
    lesson.grip("open")
    lesson.wait(1 * s)
    lesson.remark("first", at=0)
    assert kinds(lesson) == ["# first", "open the gripper", "wait 1.000 s"]
    lesson.reorder(2, 0)
    assert kinds(lesson) == ["wait 1.000 s", "# first", "open the gripper"]
    lesson.delete(1)
    lesson.replace(1, LessonStep(grip="close"))
    assert kinds(lesson) == ["wait 1.000 s", "close the gripper"]
    seen = [kinds(lesson)]
    while lesson.undo():
        seen.append(kinds(lesson))
    assert len(seen) == 7
    assert seen[-1] == []
    assert not lesson.undoable
    while lesson.redo():
        assert kinds(lesson) == seen[len(seen) - 2 - len(lesson._past) + 1]
    assert kinds(lesson) == ["wait 1.000 s", "close the gripper"]
    lesson.undo()
    lesson.remark("another way")
    assert not lesson.redoable


def test_a_point_in_use_cannot_be_removed_but_can_be_renamed() -> None:
    lesson = Lesson("test", "arm")
    lesson.teach(TaughtPoint("grasp", None, Pose()))
    lesson.move("grasp")
    with pytest.raises(ProgramError, match="a step moves to 'grasp'"):
        lesson.forget("grasp")
    lesson.rename("grasp", "pick")
    assert list(lesson.points) == ["pick"]
    assert lesson.points["pick"].name == "pick"
    assert lesson.steps[0].move == LessonMove(to="pick")
    lesson.undo()
    assert lesson.steps[0].move == LessonMove(to="grasp")
    lesson.delete(0)
    lesson.forget("grasp")
    assert not lesson.points
    with pytest.raises(UnknownName, match="taught point 'grasp'"):
        lesson.forget("grasp")


def test_an_unknown_step_is_reported() -> None:
    with pytest.raises(ProgramError, match="there is no step 3: the lesson has 0"):
        Lesson("test", "arm").delete(2)


# ---------------------------------------------------------------- files


def everything(lesson: Lesson, cell: Cell) -> Lesson:
    lesson.move_joints(cell.robots["arm"], speed=0.5)
    lesson.wait(0.25 * s)
    lesson.wait_until("ready", timeout=3 * s)
    lesson.set_signal("done", pulse=0.2 * s)
    lesson.remark('says "so": {yes}')
    return lesson


@pytest.mark.parametrize("ending", ["yaml", "json"])
def test_a_lesson_survives_writing_and_reading(ending, cell, lesson, tmp_path) -> None:
    everything(lesson, cell)
    file = tmp_path / f"lesson.{ending}"
    save_lesson(lesson, file)
    read = load_lesson(file)
    assert read.steps == lesson.steps
    assert (read.name, read.robot, list(read.points)) == (lesson.name, lesson.robot, list(lesson.points))
    for name, point in read.points.items():
        assert point.on == lesson.points[name].on
        assert point.local.distance_to(lesson.points[name].local) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert lesson_text(read) == lesson_text(lesson)
    assert read_lesson(json.dumps(lesson_data(lesson))).steps == lesson.steps


def test_mistakes_in_a_file_are_reported_with_their_lines() -> None:
    text = "lesson: x\nrobot: arm\nsteps:\n  - {grip: shut}\n  - {move: {to: a, back: 5 mm}}\n  - {wait: 5}\n"
    with pytest.raises(FileError) as error:
        read_lesson(text, "lesson.yaml")
    said = str(error.value)
    assert "lesson.yaml:4:12: steps[0].grip: expected 'open' or 'close', got 'shut'" in said
    assert "lesson.yaml:5:12: steps[1].move: a move needs exactly one of 'to', 'joints' and 'back'" in said
    assert "lesson.yaml:6:12" in said


def test_a_speed_suits_the_kind_of_move() -> None:
    assert read_step({"move": {"to": "a", "linear": True, "speed": "50 mm/s"}}).move == LessonMove(
        to="a", linear=True, speed=0.05
    )
    with pytest.raises(FileError, match="in a straight line needs a speed such as '100 mm/s'"):
        read_step({"move": {"to": "a", "linear": True, "speed": "50 %"}})
    with pytest.raises(FileError, match=r"a step is one of .* but this is grip and wait"):
        read_step({"grip": "open", "wait": "1 s"})


# ---------------------------------------------------------------- on the bench


def test_a_dry_run_reports_for_every_step_whether_it_is_possible(cell, lesson) -> None:
    legs = walk(lesson, cell)
    assert [leg.lamp for leg in legs] == ["green"] * 9
    assert legs[2].tcp is not None
    assert legs[2].tcp.position == pytest.approx((260 * mm, -150 * mm, 25 * mm))
    assert legs[6].start == legs[5].end
    first = legs[1].samples()
    assert first[0][1] == pytest.approx(cell.robots["arm"].joints)
    assert first[-1][1] == pytest.approx(legs[1].end)
    lesson.teach(TaughtPoint("far", None, Pose(2.0, 0, 0) @ Pose.turn_x(180 * deg)))
    lesson.move("far")
    far = walk(lesson, cell)[-1]
    assert far.lamp == "red"
    assert far.text.startswith("beyond reach by")


def test_a_dry_run_takes_as_long_as_the_run(cell, lesson, tmp_path) -> None:
    planned = [leg.duration for leg in walk(lesson, cell) if leg.step.move is not None]
    lesson.enter(cell, tmp_path / "lesson.py")
    cell.run()
    really = [(move.end - move.start) * 1e-6 for move in cell.robots["arm"].moves]
    assert really == pytest.approx(planned, abs=2e-6)


# ---------------------------------------------------------------- programs


def test_python_names_workpoints_of_the_cell_and_writes_the_others(cell, lesson) -> None:
    text = lesson.as_python(cell)
    assert "def pick_and_place(arm, block, table):" in text
    assert '    grasp = LiveWorkpoint("grasp", block, Pose.of_rpy(180 * deg, 0 * deg, -90 * deg, ' in text
    assert "    arm.move(approach(grasp, 60 * mm))\n    arm.move_linear(grasp, 110 * mm / s)\n" in text
    lesson.enter_points(cell)
    text = lesson.as_python(cell)
    assert "def pick_and_place(arm):" in text
    assert "Workpoint" not in text
    assert '    arm.move(approach("grasp", 60 * mm))\n    arm.move_linear("grasp", 110 * mm / s)\n' in text
    lesson.teach(lesson.points["grasp"].raised(1 * mm))  # no longer the arm of the cell
    assert 'grasp = LiveWorkpoint("grasp", block' in lesson.as_python(cell)


def test_python_is_formatted_as_people_do(cell, lesson, tmp_path) -> None:
    everything(lesson, cell)
    file = tmp_path / "lesson.py"
    file.write_text(lesson.as_python(cell), encoding="utf-8")
    ruff = Path(sys.executable).with_name("ruff")
    command = [str(ruff), "format", "--isolated", "--line-length", "120", "--check", str(file)]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0


def test_the_python_program_places_the_part_without_a_collision(cell, lesson, tmp_path) -> None:
    lesson.enter(cell, tmp_path / "lesson.py")
    journal = tmp_path / "run.journal"
    result = cell.run(journal=journal)
    assert result.outcome.ending == "finished"
    assert not result.collisions
    assert not result.lost
    assert cell.body("block").pose.position == pytest.approx((250 * mm, 120 * mm, 20 * mm), abs=1e-6)
    # What happened, line by line: when, who, what.
    lines = [line.split(None, 3) for line in journal.read_text(encoding="utf-8").splitlines()]
    events = [" ".join((line[1], line[2])) for line in lines if line[1] in ("arm", "arm/gripper", "block")]
    assert events == [
        "arm/gripper opens",
        "arm move",
        "arm move",
        "arm/gripper closes",
        "arm/gripper grasps",
        "arm move",
        "arm move",
        "arm move",
        "arm/gripper releases",
        "block rests",
        "arm/gripper opens",
        "arm move",
    ]
    goals = [line[3].partition("at_mm=(")[2].partition(")")[0] for line in lines if line[1:3] == ["arm", "move"]]
    assert goals == [
        "260.000000, -150.000000, 85.000000",
        "260.000000, -150.000000, 25.000000",
        "260.000000, -150.000000, 85.000000",
        "250.000000, 120.000000, 85.000000",
        "250.000000, 120.000000, 25.000000",
        "250.000000, 120.000000, 85.000000",
    ]


def test_pascal_makes_the_same_moves_as_python(make_cell, lesson, tmp_path) -> None:
    one, two = make_cell(), make_cell()
    lesson.enter(one, tmp_path / "lesson.py")
    text = lesson.as_pascal(two)
    assert text.complete
    assert not text.notes
    (tmp_path / "lesson.pas").write_text(text.text, encoding="utf-8")
    exchange(two, "robot", tmp_path / "lesson.pas")
    for cell in (one, two):
        result = cell.run()
        assert not result.collisions
        assert cell.body("block").pose.position == pytest.approx((250 * mm, 120 * mm, 20 * mm), abs=1e-6)
    arms = [cell.robots["arm"] for cell in (one, two)]
    moves = [
        [(move.kind, move.start, move.end, arm.mechanism.forward(arm.linkage.joints(move.end))) for move in arm.moves]
        for arm in arms
    ]
    assert len(moves[0]) == 6
    for ours, theirs in zip(*moves, strict=True):
        assert ours[:3] == theirs[:3]
        assert ours[3].distance_to(theirs[3]) == pytest.approx((0.0, 0.0), abs=1e-6)


def test_steps_pascal_cannot_express_are_reported_and_marked(cell, lesson) -> None:
    lesson.move_linear("grasp")  # diagonally, and to the block that has moved by then
    lesson.move_linear("place", before=100 * mm)
    lesson.set_signal("done", True)
    lesson.wait_until("ready", timeout=1 * s)
    lesson.move("place", before=60 * mm, speed=0.5)
    text = lesson.as_pascal(cell)
    assert [gap.step for gap in text.gaps] == [9, 10, 11, 12]
    result = [gap.what for gap in text.gaps]
    assert result[0] == "an earlier step moves block, but Pascal needs coordinates"
    assert result[1].startswith("a linear move along x and y and z at once")
    assert result[2] == "SetOutputNo gives a pulse; an output cannot stay on or off"
    assert result[3] == "InputStatus has no time-out"
    assert text.text.count("{ omitted, step") == 4
    assert str(text.notes[-1]) == "step 14: at 44% instead of 50%: speeds are in ninths"


def test_pascal_is_for_arms_of_five_axes() -> None:
    cell = Cell()
    cell.add("arm", Robot("ur5-like"))
    with pytest.raises(ProgramError, match="Pascal commands arms with 5 axes, but arm has 6"):
        Lesson("test", "arm").as_pascal(cell)


def test_waits_signals_and_joint_moves_run_as_taught(cell, tmp_path) -> None:
    arm = cell.robots["arm"]
    start = arm.joints
    Jog(arm).joint("base", 20 * deg)
    lesson = Lesson("signals", "arm")
    lesson.move_joints(arm, speed=0.5)
    arm.put(start)
    lesson.wait_until("ready", timeout=2 * s)
    lesson.set_signal("done", True)
    lesson.wait(0.5 * s)
    lesson.wait_until("done", False, timeout=1 * s)
    lesson.enter(cell, tmp_path / "lesson.py")
    with pytest.raises(ProgramError, match="done is off: not in time"):
        cell.run()
    assert cell.kernel.signal_named("done").value is True
    assert arm.joints[0] == pytest.approx(20 * deg)
    assert cell.time == pytest.approx(arm.moves[0].end * 1e-6 + 1.5)


def test_an_unknown_signal_is_reported_before_the_run(cell) -> None:
    lesson = Lesson("test", "arm")
    lesson.wait_until("redy")
    with pytest.raises(UnknownName, match="there is no signal 'redy'"):
        lesson.as_python(cell)


def test_names_that_are_not_identifiers_are_looked_up_in_the_cell(tmp_path) -> None:
    cell = Cell()
    cell.add("class", Robot("scorbot-er3", gripper="two-finger"))
    cell.signal("machine.ready", 3)
    lesson = Lesson("1st lesson!", "class")
    assert lesson.program == "lesson_1st_lesson"
    lesson.grip("close")
    lesson.wait_until("machine.ready", 3)
    text = lesson.as_python(cell)
    assert "def lesson_1st_lesson(cell, machine_ready):" in text
    assert '    cell.robots["class"].gripper.close()\n    wait(machine_ready == 3)\n' in text
    lesson.enter(cell, tmp_path / "lesson.py")
    assert cell.run().outcome.ending == "finished"


def test_another_lesson_or_another_robot_is_a_change_that_can_be_undone() -> None:
    lesson = Lesson("first", "arm")
    lesson.grip("open")
    lesson.become(Lesson("second", "other"))
    assert (lesson.name, lesson.robot, len(lesson.steps)) == ("second", "other", 0)
    assert lesson.undo()
    assert (lesson.robot, len(lesson.steps)) == ("arm", 1)
    lesson.hand_to("renamed")
    assert (lesson.robot, len(lesson.steps)) == ("renamed", 1)
