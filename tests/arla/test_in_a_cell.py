"""ARLA programs in a cell: they wait and poll, are reported with their line numbers, and search with a robot."""

from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given, settings, strategies as st

from drycell import Body, Box, Cell, Robot, Workpoint, deg, mm
from drycell.base import BusyWait, CellFileError, MotionError, Pose, ProgramError, UnknownName
from drycell.cell import Cell as CellType, CellSource
from drycell.devices import Controller
from drycell.kernel import Kernel, Pace, delay
from drycell.languages.arla import ArlaError, RecordingMachine, VirtualS3, load_arla
from drycell.languages.kit import SourceText

DOWN = Pose.turn_x(180 * deg)


@pytest.fixture
def cell() -> CellType:
    cell = Cell("arla")
    table = cell.add("table", Body(Box(600 * mm, 600 * mm, 20 * mm), at=(500 * mm, 0, 90 * mm)))
    arm = cell.add("arm", Robot("ur5-like", gripper="two-finger"))
    cell.contact(arm.gripper.palm, table)  # the palm and what it carries: the fingers
    cell.add("p58", Workpoint(at=Pose(500 * mm, 0, 150 * mm) @ DOWN))
    cell.add("p59", Workpoint(at=Pose(500 * mm, 0, 80 * mm) @ DOWN))
    for name in ("part_here", "start"):
        cell.signal(name, False)
    return cell


def add(cell: CellType, text: str, touch: str | None = None) -> None:
    sensors = {} if touch is None else {1: touch}
    machine = VirtualS3(cell, "arm", inputs={1: "part_here", 2: "start"}, outputs={1: "start"}, sensors=sensors)
    cell.program(load_arla(SourceText(f"PROGRAM 1\n{text}", "robot.arl"), machine), name="robot")


def test_a_search_stops_where_the_sensor_responds_and_that_place_is_used(cell: CellType) -> None:
    (touch,) = (name for name in cell.kernel.signals if "table" in name)
    text = """10 POS V=50.0% #58
20 POS V=5.0% FINEC SEARCH S1 #59
30 STORE POSITION 2
40 POS V=10.0% FINE PATH POSITION 2 OFFSET Z=20.0
"""
    add(cell, text, touch)
    result = cell.run()
    down, up = result.moves["arm"][1:]
    # The table's top is at 100 mm, the fingertips reach 11 mm beyond the tool centre point.
    assert down.fired
    assert down.pose.z == pytest.approx(111 * mm, abs=0.1 * mm)
    assert down.top_speed == pytest.approx(50 * mm, rel=1e-3)  # 5 % of 1 m/s
    assert down.rest_pose.z < down.pose.z
    assert up.pose.z == pytest.approx(down.pose.z + 20 * mm, abs=1e-6)


CELL = """\
name: how high
bodies:
  block: {shape: {box: [100 mm, 100 mm, 120 mm]}, at: [500 mm, 0, 60 mm]}
workpoints:
  p58: {at: [500 mm, 0, 250 mm], rpy: [180 deg, 0, 0]}
  p59: {at: [500 mm, 0, 140 mm], rpy: [180 deg, 0, 0]}
robots:
  arm: {model: ur5-like, gripper: two-finger}
sensors:
  beam: {model: finger-beam, on: arm/gripper/finger2, at: [0, 0, 100 mm], rpy: [0, 90 deg, 0]}
signals: {found: false}
controllers:
  s3: {robot: arm, inputs: {1: beam}, outputs: {1: found}}
programs:
  robot: {file: robot.arl, controller: s3}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cell.yaml").write_text(CELL, encoding="utf-8")
    (tmp_path / "robot.arl").write_text("PROGRAM 1\n10 POS V=50.0% #58\n20 SET OUT 1\n", encoding="utf-8")
    return tmp_path


def test_a_cell_file_names_the_program_and_the_controller_of_an_arm_with_six_axes(folder: Path) -> None:
    cell = CellSource.find(folder).build()
    assert cell.run().ending == "finished"
    assert cell.kernel.signals["found"].value is True
    assert cell.robots["arm"].pose.position == pytest.approx((0.5, 0, 0.25), abs=1e-6)
    assert folder / "robot.arl" in CellSource.find(folder).files()


def test_a_cell_with_an_arla_program_is_written_and_read_back(folder: Path) -> None:
    cell = CellSource.find(folder).build()
    cell.save(folder / "again.yaml")
    hashes = [CellSource.find(folder / name).build().run().journal_hash for name in ("cell.yaml", "again.yaml")]
    assert hashes[0] == hashes[1]


def test_without_a_name_it_is_the_only_controller_that_moves_a_robot(folder: Path) -> None:
    (folder / "cell.yaml").write_text(CELL.replace(", controller: s3", ""), encoding="utf-8")
    assert CellSource.find(folder).build().run().ending == "finished"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (CELL.replace("{robot: arm, ", "{"), "cell.yaml:15:10: programs.robot: controller 's3' has no robot"),
        (
            "programs: {robot: {file: robot.arl}}\n",
            "robot.arl commands a robot, but the cell has no robot",
        ),
    ],
)
def test_a_program_without_a_robot_is_refused(folder: Path, text: str, what: str) -> None:
    (folder / "cell.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(CellFileError) as caught:
        CellSource.find(folder).build()
    assert what in caught.value.what


def test_a_zone_is_passed_through_and_a_joint_move_goes_as_the_joints_like(cell: CellType) -> None:
    add(cell, "10 POS V=50.0% C2 #58\n20 POS V=50.0% FINE #59\n30 ROBOT COORD\n40 POS V=50.0% #58\n")
    first, second, third = cell.run().moves["arm"]
    assert (first.kind, first.blended) == ("linear", True)
    assert (second.kind, second.blended) == ("linear", False)
    assert (third.kind, third.target) == ("joint", "#58")
    # Zone C2 begins 20 mm before the point.
    assert first.pose.distance_to(Pose(500 * mm, 0, 150 * mm) @ DOWN)[0] == pytest.approx(20 * mm, abs=1 * mm)


def test_no_move_exceeds_the_limit(cell: CellType) -> None:
    add(cell, "10 V=1000.0 MM/S MAX=60.0 MM/S\n20 POS V=100.0% #58\n")
    (move,) = cell.run().moves["arm"]
    assert move.top_speed == pytest.approx(60 * mm, rel=1e-3)


def test_positions_move_with_what_they_are_on_and_are_seen_from_the_base(cell: CellType) -> None:
    machine = VirtualS3(cell, "arm")
    assert machine.taught(58) == Pose(500 * mm, 0, 150 * mm) @ DOWN
    assert machine.taught(99) is None


def test_outputs_are_signals_and_waiting_is_not_polling(cell: CellType) -> None:
    add(cell, "10 SET OUT 1\n20 WAIT UNTIL INP 1 = 1 * INP 2 = 1\n30 WAIT 0.5 S\n40 RESET OUT 1\n")

    @cell.program
    def feeder() -> None:
        delay(2.0)
        cell.kernel.signals["part_here"].set(True)

    cell.run()
    history = [(time / 1e6, value) for time, value, _ in cell.kernel.signals["start"].history][1:]
    assert history == [(0.0, True), (2.5, False)]


def test_a_loop_that_polls_an_input_is_charged_as_in_python(cell: CellType) -> None:
    add(cell, "10 JUMP TO 10 IF INP 1 = 0\n20 SET OUT 1\n")

    @cell.program
    def feeder() -> None:
        delay(2.003)
        cell.kernel.signals["part_here"].set(True)

    cell.run()
    (polls,) = (record for record in cell.kernel.journal.records if record.kind == "polls")
    assert (polls.subject, polls.fields["line"]) == ("robot", 2)
    (when,) = (time for time, value, _ in cell.kernel.signals["start"].history if value)
    assert when == 2_010_000  # polled every 10 ms


def test_endless_polling_is_reported(cell: CellType) -> None:
    add(cell, "10 JUMP TO 10 IF INP 1 = 0\n")
    with pytest.raises(BusyWait, match=r"100.?000 times"):
        cell.run()


def test_a_deadlock_names_the_line(cell: CellType) -> None:
    add(cell, "10 LET R1 = 1\n20 WAIT UNTIL INP 1 = 1\n")
    result = cell.run()
    assert result.ending == "deadlock"
    (blocked,) = result.outcome.blocked
    assert (blocked.file, blocked.line, blocked.waits_for) == ("robot.arl", 3, "part_here")


def test_an_impossible_robot_command_names_its_line(cell: CellType) -> None:
    add(cell, "10 LET R1 = 1\n20 POS V=10.0% #70\n")
    cell.add("p70", Workpoint(at=Pose(2000 * mm, 0, 150 * mm) @ DOWN))
    with pytest.raises(MotionError, match=r"cannot reach '#70'[\s\S]*program 'robot' \(robot.arl:3\)"):
        cell.run()


def test_trouble_names_time_and_line(cell: CellType) -> None:
    add(cell, "10 WAIT 1.5 S\n20 LET R1 = 1 / R2\n")
    with pytest.raises(ArlaError, match=r"robot.arl:3:1: 1 / 0: division by zero[\s\S]*at 1.500 s, program 'robot'"):
        cell.run()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("10 SET OUT 7", "output 7 of arm is not wired\n.*robot.arl:2.*\n  try: wired: 1"),
        ("10 WAIT UNTIL INP 7 = 1", "input 7 of arm is not wired"),
        ("10 POS V=1.0% SEARCH S7 #59", "sensor 7 of arm is not wired"),
        ("10 TCP 4", "arm has no tool 4"),
    ],
)
def test_missing_wires_and_tools_are_named(cell: CellType, text: str, message: str) -> None:
    add(cell, text)
    with pytest.raises(ProgramError, match=message):
        cell.run()


def test_a_wire_to_no_signal_is_refused(cell: CellType) -> None:
    with pytest.raises(UnknownName, match="part_her'\\n  try: did you mean 'part_here"):
        VirtualS3(cell, "arm", inputs={1: "part_her"})


def test_the_lines_of_a_controller_of_the_cell_are_taken(cell: CellType) -> None:
    signals = cell.kernel.signals
    lines = Controller(robot="arm", inputs={1: "part_here", "named": "part_here"}, outputs={1: "start"})
    controller = cell.add("s3", lines)
    program = load_arla(
        SourceText("PROGRAM 1\n10 SET OUT 1\n20 LET R1 = INP 1 + OUT 1\n"), VirtualS3.on(cell, controller)
    )
    cell.program(program, name="robot")
    cell.run()
    assert signals["start"].value


def test_a_stub_is_journalled_once(cell: CellType) -> None:
    add(cell, "10 WEAVE ON\n20 WEAVE ON\n")
    cell.run()
    (stub,) = (record for record in cell.kernel.journal.records if record.kind == "stub")
    assert stub.fields == {"instruction": "WEAVE ON", "line": 2}


def test_breakpoints_stop_at_arla_lines(tmp_path: Path) -> None:
    path = tmp_path / "robot.arl"
    path.write_text("PROGRAM 1\n10 LET R1 = 1\n20 LET R1 = 2\n30 LET R1 = 3\n")
    program = load_arla(path, RecordingMachine())
    assert program.lines == {2, 3, 4}
    kernel, pace = Kernel(), Pace()
    pace.break_at(str(path), 3)
    kernel.spawn(program, name="robot")
    stood: list[int | None] = []

    def watch() -> None:
        at = pace.wait_for("paused", 10)
        stood.append(at.line if at is not None else None)
        pace.resume()

    thread = Thread(target=watch)
    thread.start()
    kernel.run(pace=pace)
    thread.join()
    assert stood == [3]


ACTIONS = st.one_of(
    st.builds("LET R{} = R{} {} {}".format, *[st.integers(1, 3)] * 2, st.sampled_from("+-*/"), st.integers(0, 300)),
    st.builds("JUMP TO {} IF R{} {} 2".format, st.integers(0, 7), st.integers(1, 3), st.sampled_from("<>=")),
    st.builds("JUMP TO {}".format, st.integers(0, 7)),
    st.builds("CALL PROG {}".format, st.integers(1, 2)),
    st.sampled_from(["POS V=5.0% #1", "STORE POSITION 1", "POS V=5.0% PATH POSITION 1", "RETURN", "GRIPPER OPEN"]),
)


@settings(max_examples=60)
@given(st.lists(ACTIONS, min_size=8, max_size=8), st.lists(ACTIONS, min_size=8, max_size=8))
def test_any_program_ends_or_lets_time_pass(one: list[str], two: list[str]) -> None:
    lines = ["PROGRAM 1", *(f"{n} {each}" for n, each in enumerate(one))]
    lines += ["PROGRAM 2", *(f"{n} {each}" for n, each in enumerate(two))]
    kernel = Kernel()
    kernel.spawn(load_arla(SourceText("\n".join(lines), "robot.arl"), RecordingMachine(motion=0.0)), name="robot")
    with suppress(ArlaError):
        kernel.run(until=20_000)
