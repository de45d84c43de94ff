"""Mistakes that would otherwise go unnoticed: each causes an error or a warning in the summary."""

import random
import time
from collections.abc import Callable
from math import pi
from pathlib import Path

import pytest

from drycell import Body, Box, Cell, Conveyor, Pose, Robot, Sensor, Workpoint, above, delay, mm, now, s, wait
from drycell.base import BusyWait, DrycellError, ProgramError, UnknownName
from drycell.cell import CellSource
from drycell.kernel import Kernel, load_program
from drycell.record.figures import warnings
from drycell.recording import Recording
from drycell.sensors import Noise
from drycell.world import Travel, World


def program(tmp_path: Path, text: str, **beside: str) -> Path:
    for name, content in beside.items():
        (tmp_path / f"{name}.py").write_text(content)
    file = tmp_path / "robot.py"
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("condition", "instead"),
    [
        ("a and b > 2", "(a) & (b > 2)"),
        ("a or b > 2", "(a) | (b > 2)"),
        ("0 < b < 5", "(0 < b) & (b < 5)"),
        ("(b > 1) & (a and b > 2)", "(a) & (b > 2)"),
    ],
)
def test_a_wait_that_python_would_cut_to_one_condition_is_refused(tmp_path: Path, condition: str, instead: str) -> None:
    file = program(tmp_path, f"from drycell import wait\n\ndef robot(a, b):\n    wait({condition})\n")
    with pytest.raises(ProgramError, match="waits for only one of these") as caught:
        load_program(file)
    assert caught.value.hint == f"write {instead}"
    assert str(caught.value.where).endswith("robot.py, line 4")


@pytest.mark.parametrize(
    "lines", ["x = a and b > 2\n    wait(x)", "x: object = a and b > 2\n    delay(1)\n    wait((x))"]
)
def test_a_condition_in_a_variable_is_checked_too(tmp_path: Path, lines: str) -> None:
    file = program(tmp_path, f"from drycell import delay, wait\n\ndef robot(a, b):\n    {lines}\n")
    with pytest.raises(ProgramError, match="'a and b > 2' waits for only one of these") as caught:
        load_program(file)
    assert caught.value.hint == "write (a) & (b > 2)"
    assert str(caught.value.where).endswith("robot.py, line 4")


@pytest.mark.parametrize(
    "lines",
    [
        "x = a and b > 2\n    x = a & (b > 2)\n    wait(x)",  # replaced
        "wait(x := a)\n    x = a and b > 2",  # later
        "def other():\n        x = a and b\n    x = a\n    wait(x)",  # another variable
        "x = a.value and b.value > 2\n    delay(x)",  # not a condition
    ],
)
def test_a_variable_that_is_no_longer_cut_is_accepted(tmp_path: Path, lines: str) -> None:
    load_program(program(tmp_path, f"from drycell import delay, wait\n\ndef robot(a, b):\n    {lines}\n"))


@pytest.mark.parametrize("lines", ["wait(x := (a and b > 2))", "wait(both())", "wait(a | both())"])
def test_a_condition_that_is_named_or_returned_is_checked_too(tmp_path: Path, lines: str) -> None:
    both = "    def both():\n        return a and b > 2"
    file = program(tmp_path, f"from drycell import wait\n\ndef robot(a, b):\n{both}\n    {lines}\n")
    with pytest.raises(ProgramError, match="'a and b > 2' waits for only one of these"):
        load_program(file)


def test_functions_are_checked_like_files() -> None:
    cell = Cell()
    a, b = cell.signal("a", False), cell.signal("b", 0)

    @cell.program
    def robot() -> None:
        wait(a and b > 2)

    with pytest.raises(ProgramError, match="'a and b > 2' waits for only one"):
        cell.run(1 * s)


def test_functions_that_a_program_calls_are_checked_too() -> None:
    cell = Cell()
    a, b = cell.signal("a", False), cell.signal("b", 0)

    def both() -> None:
        wait(a and b > 2)

    @cell.program
    def robot() -> None:
        both()

    with pytest.raises(ProgramError, match="'a and b > 2' waits for only one"):
        cell.run(1 * s)


def test_imports_at_the_top_of_a_file_are_known_in_its_functions() -> None:
    cell = Cell()

    @cell.program
    def robot() -> None:
        time.sleep(0)
        random.random()
        random.Random(7).random()

    first, second = cell.run().warnings
    assert "time.sleep() stops the computer, not the cell" in first
    assert "random.random() ignores the seed" in second


def test_until_of_a_move_is_checked_too(tmp_path: Path) -> None:
    file = program(tmp_path, "def robot(arm, a, b):\n    arm.move_linear(b, until=a and b)\n")
    with pytest.raises(ProgramError, match="'a and b' waits for only one"):
        load_program(file)


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("import time\ndef robot():\n    time.sleep(0)\n", "robot.py:3: time.sleep() stops the computer, not the cell"),
        ("from time import sleep as rest\ndef robot():\n    rest(0)\n", "robot.py:3: time.sleep() stops the computer"),
        ("import random\ndef robot():\n    random.random()\n", "robot.py:3: random.random() ignores the seed"),
        (
            "import numpy as np\ndef robot():\n    np.random.default_rng()\n",
            "numpy.random.default_rng() ignores the seed",
        ),
        ("import time\ndef robot():\n    time.time()\n", "robot.py:3: time.time() is real time"),
        ("import time\ndef robot():\n    time.time_ns()\n", "robot.py:3: time.time_ns() is real time"),
        ("from datetime import date\ndef robot():\n    date.today()\n", "datetime.date.today() is real time"),
        ("import uuid\ndef robot():\n    uuid.uuid4()\n", "robot.py:3: uuid.uuid4() ignores the seed"),
        ("from os import urandom\ndef robot():\n    urandom(3)\n", "robot.py:3: os.urandom() ignores the seed"),
        ("import secrets\ndef robot():\n    secrets.randbelow(3)\n", "secrets.randbelow() ignores the seed"),
    ],
)
def test_real_time_and_unseeded_numbers_cause_warnings(tmp_path: Path, text: str, warning: str) -> None:
    cell = Cell()
    cell.program(load_program(program(tmp_path, text)).function("robot"))
    result = cell.run()
    assert len(result.warnings) == 1
    assert warning in result.warnings[0]
    assert f"  warnings      robot: {result.warnings[0].removeprefix('robot: ')}" in result.summary()
    assert result.as_json()["warnings"] == list(result.warnings)
    assert result.clean


@pytest.mark.parametrize(
    "text",
    [
        "import random\ndef robot():\n    random.Random(7).random()\n",
        "class time:\n    sleep = print\ndef robot():\n    time.sleep(0)\n",
    ],
)
def test_repeatable_calls_cause_no_warnings(tmp_path: Path, text: str) -> None:
    cell = Cell()
    cell.program(load_program(program(tmp_path, text)).function("robot"))
    assert cell.run().warnings == ()


def test_a_loop_that_only_computes_is_warned_about_and_stopped(tmp_path: Path) -> None:
    file = program(tmp_path, "def robot():\n    n = 0\n    while True:\n        n += 1\n")
    cell = Cell()
    cell.program(load_program(file).function("robot"))
    result = cell.run(2 * s)
    assert result.warnings == (
        "robot: the loop at robot.py:3 takes no cell time and reads no signal: it may be endless",
    )
    kernel = Kernel()
    kernel.spawn(load_program(file).function("robot"), name="robot")
    # Also without a time limit, and although something else happens in the cell.
    kernel.every(1_000_000, lambda: None, owner="other")
    with pytest.raises(BusyWait, match=r"'robot' has run the loop at robot.py:3 50,000,000 times without reading"):
        kernel.run()


def test_modules_beside_a_program_can_be_imported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "from helpers import doubled\n\ndef robot():\n    import deeper\n    print(doubled(4), deeper.count)\n"
    deeper = "import helpers\ncount = 1\ndef twice(n):\n    global count\n    count += 1\n    return 2 * n\n"
    file = program(
        tmp_path, text, helpers="import deeper\ndef doubled(n):\n    return deeper.twice(n)\n", deeper=deeper
    )
    for _ in range(2):  # each cell has its own copy, so the first run leaves nothing behind
        cell = Cell()
        loaded = load_program(file)
        cell.program(loaded.function("robot"))
        cell.run()
    assert capsys.readouterr().out == "8 2\n8 2\n"
    assert [Path(each.file).name for each in loaded.parts] == ["helpers.py", "deeper.py"]


def test_a_module_that_fails_does_not_stay(tmp_path: Path) -> None:
    file = program(tmp_path, "import broken\n", broken="1 / 0\n")
    with pytest.raises(ZeroDivisionError):
        load_program(file)
    (tmp_path / "broken.py").write_text("")
    load_program(file)


def test_a_misspelt_program_is_not_added(tmp_path: Path) -> None:
    (tmp_path / "cell.yaml").write_text("name: one\nprograms:\n  robot: {file: robot.py}\n")
    file = program(tmp_path, "def robot():\n    pass\n")
    with pytest.raises(UnknownName, match="there is no program 'robto'") as caught:
        CellSource.find(tmp_path).exchange("robto", file).build()
    assert caught.value.hint == "did you mean 'robot'?"


def test_bodies_of_the_world_can_be_given_by_name() -> None:
    cell = Cell()
    cell.add("table", Body(Box(100 * mm, 100 * mm, 20 * mm)))
    cell.add("block", Body(Box(10 * mm, 10 * mm, 10 * mm)))
    cell.world.translate("block", x=30 * mm)
    cell.world.attach("block", "table")
    cell.world.place("table", Pose(z=1.0))
    cell.world.rotate("table", "z", 0.5)
    assert cell.world.pose("block").z == pytest.approx(1.0)
    with pytest.raises(UnknownName, match="there is no body 'blok'"):
        cell.world.translate("blok", x=1.0)


def waiting(*, moves_on: bool) -> Cell:
    cell = Cell()
    ready, beat = cell.signal("ready", False), cell.signal("beat", 0)

    @cell.program(daemon=True)
    def supervisor() -> None:  # it might set the signal, so this is not a deadlock
        while True:
            delay(10 * s)
            if now() > 1000:
                ready.set(True)

    @cell.program
    def robot() -> None:
        delay(4 * s)
        wait(ready)

    @cell.program
    def other() -> None:
        while moves_on and now() < 60:
            delay(1 * s)
            beat.set(beat.value + 1)

    return cell


def test_a_cell_in_which_nothing_happens_is_not_clean() -> None:
    result = waiting(moves_on=False).run(60 * s)
    assert (result.ending, result.stalled, result.clean) == ("until", 4.0, False)
    assert "  STALLED       nothing has happened since 4.000 s" in result.summary().splitlines()
    assert result.as_json()["stalled_s"] == 4.0


def test_a_cell_in_which_something_happens_is_not_stalled() -> None:
    result = waiting(moves_on=True).run(60 * s)
    assert (result.stalled, result.clean) == (None, True)
    assert waiting(moves_on=False).run(7 * s).stalled is None  # it has been idle for less than half of the run


def polling(*, eye: bool = False, falls: bool = False, counts: bool = False) -> Cell:
    cell = Cell()
    ready, beat = cell.signal("ready", False), cell.signal("beat", 0)
    if eye:  # noise does not count as activity
        cell.add("table", Body(Box(1, 1, 20 * mm)))
        cell.add("eye", Sensor("vl53l0x", noise=Noise(sigma=5 * mm), at=Pose(0, 0, 0.3) @ Pose.turn_x(pi)))
    if falls:
        block = cell.add("block", Body(Box(10 * mm, 10 * mm, 10 * mm)))
        cell.world.move(block, Travel(0, 40_000_000, Pose(0), (1.0, 0.0, 0.0)))

    @cell.program
    def robot() -> None:
        while not ready.value:
            delay(0.1)
            if counts and now() < 40:
                beat.set(beat.value + 1)

    return cell


def test_a_program_that_only_polls_has_stalled() -> None:
    for cell in (polling(), polling(eye=True)):
        result = cell.run(60 * s)
        assert (result.ending, result.stalled, result.clean) == ("until", 0.0, False)
    for cell in (polling(falls=True), polling(counts=True)):
        assert cell.run(60 * s).stalled is None


def test_devices_in_which_nothing_happens_have_stalled() -> None:
    cell = Cell()
    cell.add("belt", Conveyor(length=600 * mm, width=100 * mm, speed=0.1))
    assert cell.run(60 * s).stalled == 0.0
    carrying = Cell()
    carrying.add("belt", Conveyor(length=600 * mm, width=100 * mm, speed=0.1))
    carrying.add("block", Body(Box(10 * mm, 10 * mm, 10 * mm), part=True, on="belt"))
    assert carrying.run(60 * s).stalled is None


def test_a_cell_in_which_nothing_can_happen_has_not_stalled() -> None:
    cell = Cell()
    cell.add("table", Body(Box(1, 1, 20 * mm)))
    cell.add("eye", Sensor("vl53l0x", at=Pose(0, 0, 0.3) @ Pose.turn_x(pi)))
    assert cell.run(60 * s).stalled is None


@pytest.mark.parametrize(
    ("expected", "missed"),
    [
        ("duration_s >= 2", ()),
        ("duration_s < 2", ("duration_s < 2, but it is 2.0",)),
        ("stored >= 1", ("stored >= 1, but it is 0",)),
        ("closest_m > 0.005", ("closest_m > 0.005, but it is not known",)),
    ],
)
def test_a_missed_expectation_makes_a_run_unclean(expected: str, missed: tuple[str, ...]) -> None:
    cell = Cell()
    cell.program(lambda: delay(2 * s), name="rest")
    cell.expect = (expected,)
    result = cell.run()
    assert (result.missed, result.clean, result.row()["clean"]) == (missed, not missed, not missed)
    assert [line for line in result.summary().splitlines() if "MISSED" in line] == [
        f"  MISSED        {m}" for m in missed
    ]


@pytest.mark.parametrize(
    ("text", "error"), [("stord >= 1", "there is no figure 'stord'"), ("many", "is not an expectation")]
)
def test_a_wrong_expectation_is_found_before_the_run(text: str, error: str) -> None:
    cell = Cell()
    cell.expect = (text,)
    with pytest.raises(DrycellError, match=error):
        cell.run()
    assert not cell.ran


def test_expectations_of_a_cell_file(tmp_path: Path) -> None:
    (tmp_path / "cell.yaml").write_text("name: one\nrun:\n  until: 1 s\n  expect: [arrived >= 1, plenty of parts]\n")
    with pytest.raises(DrycellError, match=r"cell.yaml:4:26: run.expect\[1\]: 'plenty of parts' is not an expectation"):
        CellSource.find(tmp_path).build()


def overlapping(depth: float, *, allow: bool = False) -> Cell:
    cell = Cell()
    cell.add("post", Body(Box(100 * mm, 100 * mm, 100 * mm)))
    cell.add("block", Body(Box(100 * mm, 100 * mm, 100 * mm), part=True, at=(100 * mm - depth, 0, 0)))
    cell.add("base", Body(Box(100 * mm, 100 * mm, 100 * mm), at=(0, 0, -50 * mm)))  # neither of these two can move
    cell.check_collisions(clearance=1 * mm, allow=[("post", "block")] if allow else ())
    cell.program(lambda: delay(1 * s), name="rest")
    return cell


def test_pairs_that_overlap_at_the_start_cause_a_warning() -> None:
    (warning,) = overlapping(30 * mm).run().warnings
    assert warning.startswith("collision: 2 pairs overlap at the start, which is not reported until they separate: ")
    assert "block – post (30.0 mm deep)" in warning
    assert overlapping(0.0).run().warnings == ()
    assert "post" not in "".join(overlapping(30 * mm, allow=True).run().warnings)


def test_a_part_may_touch_and_a_near_miss_is_never_negative() -> None:
    for overlap, collisions in ((0.0, 0), (0.5e-6, 0), (2e-6, 1)):
        cell = Cell()
        cell.add("post", Body(Box(100 * mm, 100 * mm, 100 * mm)))
        cell.add("block", Body(Box(100 * mm, 100 * mm, 100 * mm), part=True, at=(300 * mm, 0, 0)))
        cell.check_collisions(clearance=1 * mm)

        def slide(cell: Cell = cell, overlap: float = overlap) -> None:
            block, at = cell.body("block"), 300 * mm
            for to in (100 * mm - overlap, 300 * mm):
                start = cell.kernel.now
                cell.world.move(block, Travel(start, start + 1_000_000, Pose(at), (to - at, 0.0, 0.0)))
                delay(2 * s)
                at = to

        cell.program(slide)
        result = cell.run()
        assert len(result.collisions) == collisions
        assert all(miss.distance >= 0.0 for miss in result.near_misses)
        assert "-0.0" not in result.summary()


def test_a_length_without_its_unit_causes_a_warning() -> None:
    cell = Cell()
    cell.add("table", Body(Box(600, 400, 20)))
    cell.program(lambda: delay(1 * s), name="rest")
    assert cell.run().warnings == ("table: it is about 721 m across: write lengths with a unit, such as 600*mm",)


def test_a_speed_without_its_unit_causes_a_warning() -> None:
    cell = Cell()
    arm = cell.add("arm", Robot("ur5-like"))

    @cell.program
    def go() -> None:
        arm.move_linear(arm.pose.moved(0, 0, -20 * mm), speed=250)

    (warning,) = cell.run().warnings
    assert warning == "arm: a move asks for 250 m/s, which no arm reaches: write 250*mm/s?"


def test_a_measuring_sensor_is_not_wired_to_a_digital_line(tmp_path: Path) -> None:
    text = "signals: {height: 0.5, on: false}\ncontrollers:\n  plc:\n    inputs: {1: on, 2: height, level: height}\n"
    (tmp_path / "cell.yaml").write_text(text)
    with pytest.raises(DrycellError, match=r"cell.yaml:4:.*plc.inputs.2: 'height' is a value \(0.5\), not"):
        CellSource.find(tmp_path).build()
    (tmp_path / "cell.yaml").write_text(text.replace("2: height, ", ""))
    assert CellSource.find(tmp_path).build()["plc"].input("level") == 0.5


def test_a_device_can_be_a_target() -> None:
    cell = Cell()
    belt = cell.add("belt", Conveyor(length=600 * mm, width=100 * mm, speed=0.1, at=(400 * mm, 0, 200 * mm)))
    arm = cell.add("arm", Robot("ur5-like", gripper="two-finger"))
    seen = []

    @cell.program
    def go() -> None:
        for target in (belt, "belt", cell.body("belt")):
            arm.move(above(target, 150 * mm))
            seen.append(arm.pose.position)

    assert cell.run().warnings == ()
    assert seen[0] == pytest.approx(seen[1], abs=1e-9)
    assert seen[0] == pytest.approx(seen[2], abs=1e-9)


def test_a_target_with_the_tool_pointing_up_causes_a_warning() -> None:
    cell = Cell()
    arm = cell.add("arm", Robot("ur5-like", gripper="two-finger"))

    @cell.program
    def go() -> None:
        arm.move(Pose(400 * mm, 100 * mm, 500 * mm))

    (warning,) = cell.run().warnings
    assert warning.startswith("arm: the tool points up at (400.0, 100.0, 500.0) mm: the z axis of a target is")


def test_a_sensor_that_never_detects_anything_is_warned_of() -> None:
    warning = "eye: it has detected nothing in the whole run: check its direction and its range"
    for height, expected in ((2.0, (warning,)), (0.3, ())):
        cell = Cell()
        cell.add("table", Body(Box(1, 1, 20 * mm), at=(0, 0, -10 * mm)))
        cell.add("eye", Sensor("vl53l0x", at=Pose(0, 0, height) @ Pose.turn_x(pi)))
        cell.program(lambda: delay(5), name="robot")
        result = cell.run()
        assert (result.warnings, result.clean) == (expected, True)
        assert "detected nothing" not in cell.kernel.journal.text()


def test_a_sensor_that_is_not_used_or_need_not_be_touched_is_not_warned_of() -> None:
    cell = Cell()
    cell.add("off", Sensor("vl53l0x", active=False))
    cell.add("bumper", Sensor(type="contact", shape=Box(20 * mm, 20 * mm, 1 * mm)))
    cell.program(lambda: delay(5), name="robot")
    assert cell.run().warnings == ()


def noisy(sigma: float) -> Cell:
    cell = Cell()
    cell.add("table", Body(Box(1, 1, 20 * mm), at=(0, 0, -10 * mm)))
    noise = Noise(sigma=sigma)
    cell.add("eye", Sensor("vl53l0x", noise=noise, every=0.1, at=Pose(0, 0, 0.3) @ Pose.turn_x(pi)))
    cell.program(lambda: delay(60), name="robot")
    return cell


def test_a_sensor_that_fills_the_journal_is_warned_of(tmp_path: Path) -> None:
    journal, recorded = tmp_path / "run.journal", tmp_path / "run.dry"
    result = noisy(5 * mm).run(journal=journal, record=recorded)
    lines = journal.read_text().splitlines()
    count = sum("  eye  " in line for line in lines)
    assert count > 500
    (warning,) = result.warnings
    assert warning.startswith(f"eye: it wrote {count / len(lines):.0%} of the journal ({count:,} lines): ")
    assert noisy(5 * mm).run().warnings == (warning,)  # without files, too
    with Recording.open(recorded) as recording:
        assert warnings(recording, recording.end) == (warning,)
    assert noisy(0.0).run().warnings == ()


def move_by(text: str) -> None:
    cell = Cell()
    cell.add("arm", Robot("ur5-like"))
    cell.program(lambda arm: arm.move(above(Pose(0.4, 0, 0.4), text)), name="go")  # type: ignore[arg-type]
    cell.run()


@pytest.mark.parametrize(
    ("mistake", "what", "hint"),
    [
        (lambda world: world.translate("b", (1, 0, 0)), "(1, 0, 0) is not a length in metres", "x=10*mm, y=0, z=5*mm"),
        (lambda world: world.translate("b", x="10 mm"), "'10 mm' is not a length in metres", "x=10*mm, y=0, z=5*mm"),
        (lambda world: world.rotate("b", "z", "90 deg"), "'90 deg' is not an angle in radians", "90*deg"),
        (lambda world: world.rotate("b", (0, 0, 1), 1.0), "there is no axis '(0, 0, 1)'", "'x', 'y', 'z'"),
        (lambda world: world.place("b", (1, 0, 0)), "(1, 0, 0) is not a Pose", "Pose(100*mm, 0, 50*mm)"),
        (lambda world: world.translate(3, x=1.0), "3 is not a body", "'table'"),
        (lambda world: world.pose((1, 0)), "(1, 0) is not a body", "'table'"),
        (lambda world: Pose("1 m"), "'1 m' is not a length in metres", "x=10*mm"),
        (lambda world: Workpoint((1, 0, 0)), "a list of 3 has no field name", "Workpoint(at=…)"),
        (lambda world: move_by("10 mm"), "'10 mm' is not a length in metres", "50*mm"),
    ],
)
def test_errors_for_values_of_the_wrong_kind_show_what_to_write(
    mistake: Callable[[World], object], what: str, hint: str
) -> None:
    cell = Cell()
    cell.add("b", Body(Box(100 * mm, 100 * mm, 100 * mm)))
    with pytest.raises(DrycellError) as caught:
        mistake(cell.world)
    assert what in caught.value.what
    assert hint in (caught.value.hint or "")


def test_a_text_without_a_unit_of_speed_is_refused() -> None:
    cell = Cell()
    arm = cell.add("arm", Robot("ur5-like"))
    cell.program(lambda: arm.move_linear(arm.pose.moved(z=-20 * mm), speed="fast"), name="go")
    with pytest.raises(DrycellError, match="the speed 'fast'") as caught:
        cell.run()
    assert caught.value.hint == "write for example '150 mm/s'"


def test_a_body_that_moves_inside_another_for_the_whole_run_causes_a_warning() -> None:
    cell = Cell()
    cell.add("cube", Body(Box(1.0, 1.0, 1.0), at=(0, 0, 0.5)))
    cell.add("block", Body(Box(100 * mm, 100 * mm, 100 * mm), at=(2, 0, 0), part=True))  # these two stay where they are
    cell.add("post", Body(Box(100 * mm, 100 * mm, 100 * mm), at=(2.05, 0, 0)))
    arm = cell.add("arm", Robot("ur5-like"))
    cell.check_collisions()
    cell.program(lambda: arm.move_joints([joint + 0.3 for joint in arm.joints]), name="wave")
    start, inside = cell.run().warnings
    assert start.startswith("collision: 7 pairs overlap at the start")
    assert "block" not in inside
    assert "6 pairs overlapped during the whole run while a robot or body of the pair moved, unchecked:" in inside
    assert "arm/forearm – cube" in inside


def test_a_value_for_a_parameter_that_the_program_does_not_have_is_refused(tmp_path: Path) -> None:
    file = program(tmp_path, "def robot(low=1, high=2):\n    pass\n")
    (tmp_path / "cell.yaml").write_text(f"programs: {{robot: {{file: {file.name}, args: {{hihg: 3}}}}}}\n")
    with pytest.raises(UnknownName, match="program 'robot' is given a value for 'hihg'") as caught:
        CellSource.find(tmp_path).build().run()
    assert caught.value.hint == "did you mean 'high'?"
    assert str(caught.value.where).endswith("robot.py, line 1")
    # A program that replaces it need not have the parameter.
    (tmp_path / "cell.yaml").write_text(f"programs: {{robot: {{file: {file.name}, args: {{high: 3}}}}}}\n")
    (tmp_path / "other.py").write_text("def robot():\n    pass\n")
    assert CellSource.find(tmp_path).exchange("robot", tmp_path / "other.py").build().run().clean


def test_fields_beside_a_thing_are_named_with_where_they_belong() -> None:
    with pytest.raises(DrycellError, match=r"cell\.add takes a name and a thing, not 'at'") as caught:
        Cell().add("post", Body(Box(1.0, 1.0, 1.0)), at=(0, 0, 1))  # type: ignore[arg-type]
    assert caught.value.hint == "put it inside the brackets of the Body: cell.add('post', Body(…, at=…))"


def test_a_comparison_that_python_reads_as_one_of_a_condition_is_refused() -> None:
    cell = Cell()
    a, b = cell.signal("a", False), cell.signal("b", 0)
    with pytest.raises(DrycellError, match="the condition 'a & b' is compared with 2") as caught:
        wait(a & b > 2)  # type: ignore[operator]
    assert "write a & (b > 2)" in str(caught.value.hint)


@pytest.mark.parametrize("figure", ["clean", "ending"])
def test_an_expectation_about_a_figure_that_is_not_a_number_is_refused(figure: str) -> None:
    cell = Cell()
    cell.expect = (f"{figure} >= 1",)
    with pytest.raises(DrycellError, match=f"'{figure}' is not a number"):
        cell.run()


def test_a_sensor_as_a_target_is_called_a_sensor() -> None:
    cell = Cell()
    arm = cell.add("arm", Robot("ur5-like"))
    eye = cell.add("eye", Sensor("e3jk-diffuse"))
    cell.program(lambda: arm.move(eye), name="go")  # type: ignore[arg-type,func-returns-value]
    with pytest.raises(DrycellError, match=r"^sensor 'eye' is not a target for a move"):
        cell.run()
