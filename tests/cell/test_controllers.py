"""Controllers, machines and logic in cell files: read, wired, run with Python and Pascal side by side, written back."""

from pathlib import Path

import pytest

from drycell import Controller, Robot, Sensor, Workpoint
from drycell.base import CellFileError, DrycellError, FieldError, ProgramError, mm
from drycell.cell import Cell, CellSource, Model
from drycell.devices import LiveLogic, LiveMachine
from drycell.kernel import delay, wait

CELL = """\
name: tending
bodies:
  floor: {shape: {box: [3 m, 3 m, 100 mm]}, at: [0, 0, -50 mm]}
  blank: {shape: {box: [40 mm, 40 mm, 30 mm]}, part: true, parent: mill/rotary, at: [0, 0, 45 mm]}
robots:
  arm: {model: scorbot-er3, gripper: two-finger, tool: {at: [0, 0, 0]}}
signals: {prox1: false, prox2: false, lamp: false, hot: false}
devices:
  mill:
    machine: {duration: [4 s, 6 s], door: true, breaks: 10 h, repair: 1 min}
    on: floor
    at: [0, 700 mm]
  lathe: {machine: {duration: 5 s}, on: floor, at: [900 mm, 0]}
  plc:
    logic:
      rules: {lamp: blink and mill.running, blink: "sr(ton(not blink, 0.5 s), ton(blink, 0.5 s))", alarm: panel.warm}
  panel: {logic: {rules: {warm: "ton(hot, 1 s) or plc.alarm"}, scan: 20 ms}}
controllers:
  scorbot:
    robot: arm
    inputs: {1: prox1, 2: prox2, 3: mill.running, 4: mill.ready, part_at_pick: prox2}
    outputs: {1: mill.start, 2: lathe.start}
  desk: {inputs: {hot: hot}, pulse: 50 ms}
programs:
  robot: {file: robot.pas, controller: scorbot}
  world: {file: world.py}
run: {until: 20 s}
"""

ROBOT = """\
program Robot;
uses ScorPas;
begin
  while not InputStatus(1) do delay(50);
  SetOutputNo(1);
  MoveXYZ(160, 262.66, 236.94, -55.92, 2.39);
  Waitpos;
  repeat delay(100) until InputStatus(4);
  writeln('inputs ', GetInputValue)
end.
"""

WORLD = """\
from drycell import delay


def world(prox1):
    delay(1)
    prox1.set(True)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("cell.yaml", CELL), ("robot.pas", ROBOT), ("world.py", WORLD)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def changes(cell: Cell, name: str) -> list[tuple[float, object]]:
    return [(time / 1e6, value) for time, value, _ in cell.kernel.signals[name].history[1:]]


def mistake(folder: Path, old: str, new: str) -> tuple[str, str | None]:
    """The error about a cell file after a change."""
    assert old in CELL
    (folder / "cell.yaml").write_text(CELL.replace(old, new), encoding="utf-8")
    with pytest.raises(CellFileError) as caught:
        CellSource.find(folder).build().run(until=0)
    return caught.value.what.replace(f"{folder}/", ""), caught.value.hint


def test_pascal_and_python_run_side_by_side_in_one_cell(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cell = CellSource.find(folder).build(seed=3)
    result = cell.run()
    assert result.ending == "finished"
    assert capsys.readouterr().out == "inputs 9\n"  # input 1, and input 4: the mill is ready
    # The robot polls every 50 ms from 0 on; the mill's start is a pulse of 200 ms.
    assert changes(cell, "mill.start") == [(1.0, True), (1.2, False)]
    mill, plc = cell.devices["mill"], cell.devices["plc"]
    assert isinstance(mill, LiveMachine)
    assert isinstance(plc, LiveLogic)
    assert cell.part_tracking.machined_by(cell.body("blank")) == ("mill",)
    assert [value for _, value in changes(cell, "lamp")][:2] == [True, False]


def test_the_machine_stands_on_its_floor_with_its_parts_in_it(folder: Path) -> None:
    cell = CellSource.find(folder).build()
    mill = cell.devices["mill"]
    assert isinstance(mill, LiveMachine)
    assert mill.body.pose.position == pytest.approx((0, 0.7, 0.0))
    assert [part.name for part in mill.parts] == ["blank"]
    # 260 mm to the fixture's face, above the rotary table: a workpoint there points down.
    point = cell.world.pose(cell.world.workpoint("mill.fixture"))
    assert point.position == pytest.approx(mill.fixture.pose.point((0, 0, 30 * mm)))
    assert point.position[2] == pytest.approx(260 * mm)
    assert point.direction((0, 0, 1)) == pytest.approx((0, 0, -1))


def test_logic_blocks_may_name_each_others_outputs(folder: Path) -> None:
    cell = CellSource.find(folder).build()
    cell.kernel.at(0, lambda: cell.kernel.signals["hot"].set(True), writes=())
    cell.run(until=2)
    # It is seen at 20 ms and has been on for 1 s at 1.02 s; the other block's scan at 1.03 s sees it.
    assert changes(cell, "panel.warm") == [(1.02, True)]
    assert changes(cell, "plc.alarm") == [(1.03, True)]


def test_a_cell_with_all_kinds_is_written_and_read_back(folder: Path) -> None:
    cell = CellSource.find(folder).build()
    cell.save(folder / "again.yaml")
    first, second = Model.load(folder / "cell.yaml"), Model.load(folder / "again.yaml")
    for section in ("controllers", "devices", "programs"):
        assert second.section(section) == first.section(section)
    runs = [CellSource.find(folder / name).build(seed=3).run().journal_hash for name in ("cell.yaml", "again.yaml")]
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    ("old", "new", "what", "hint"),
    [
        ("1: prox1", "1: prox9", "cell.yaml:21:17: controllers.scorbot.inputs.1: there is no signal 'prox9'", "prox1"),
        ("1: prox1", "0: prox1", "cell.yaml:21:14: controllers.scorbot.inputs.0: a line cannot have the number 0",
         "from 1"),
        ("robot: arm\n", "robot: arn\n", "cell.yaml:20:12: controllers.scorbot.robot: there is no robot 'arn'", "arm"),
        ("{1: mill.start", "{1: lathe.start", "scorbot.outputs.2: output 2 of 'scorbot' and output 1", "two signals"),
        ("and mill.r", "and mil.r", "rules.lamp: 'blink and mil.running', column 11: unknown signal", "mill."),
        ("and mill.r", "an mill.r", "devices.plc.logic.rules.lamp: 'blink an mill.running', column 7: unexpected 'an'",
         "join"),
        ("[4 s, 6 s]", "[6 s, 4 s]", "devices.mill.machine.duration: expected one time, or two", "write 25 s"),
        (", repair: 1 min", "", "devices.mill.machine: 'breaks' and 'repair' need each other", "add 'repair: …'"),
        ("duration: 5 s", "duration: 5 s, model: machin-tool", "the library has no machine 'machin-tool'",
         "'machine-tool'"),
        ("controller: scorbot}", "controller: scorbat}", "robot.controller: there is no controller", "scorbot"),
        ("robot.pas", "robot.pas, function: go", "robot.pas is a single program without", "remove 'function'"),
        ("file: world.py", "file: cell.yaml", "cell.yaml is not in a supported program language", ".arl, .pas, .py"),
    ],
)  # fmt: skip
def test_mistakes_are_reported_with_line_and_field(folder: Path, old: str, new: str, what: str, hint: str) -> None:
    said, tried = mistake(folder, old, new)
    assert what in said
    assert hint in (tried or "")


# -------------------------------------------------------------------- what a program sees


def small() -> Cell:
    cell = Cell("small")
    cell.add("arm", Robot("ur5-like"))
    cell.signal("prox", False)
    cell.signal("hot", False)
    cell.signal("lamp", False)
    cell.add("nest", Workpoint())
    cell.add("main", Controller(robot="arm", inputs={1: "prox", "part": "prox"}, outputs={1: "lamp"}))
    cell.add("other", Controller(inputs={"hot": "hot"}))
    return cell


def test_a_program_on_a_controller_gets_its_robot_its_lines_and_places() -> None:
    cell = small()
    seen: list[object] = []

    @cell.program(controller="main")
    def tend(robot, io, nest):
        seen.extend([robot.name, io.name, nest.name, io.input(1)])
        wait(io.part)
        io.pulse(1)

    @cell.program
    def world(prox):
        delay(1)
        prox.set(True)
        delay(1)

    cell.run()
    assert seen == ["arm", "main", "nest", False]
    assert changes(cell, "lamp") == [(1.0, True), (1.2, False)]


@pytest.mark.parametrize(
    ("parameter", "what", "hint"),
    [
        ("prox", "program tend() runs on controller 'main' and cannot use 'prox' of the cell", "it is input 1 of"),
        ("hot", "cannot use 'hot' of the cell: it is wired to controller 'other'", "wire it to 'main' as well"),
        ("cell", "cannot use 'cell' of the cell", "a program on a controller can use io, robot, bodies and workpoints"),
        (
            "nestt",
            "program 'tend' asks for 'nestt', but neither controller 'main' nor the cell has it",
            "did you mean 'nest'?",
        ),
    ],
)
def test_a_program_on_a_controller_gets_nothing_else(parameter: str, what: str, hint: str) -> None:
    cell = small()
    names: dict[str, object] = {}
    exec(f"def tend({parameter}): pass", names)
    cell.program(names["tend"], name="tend", controller="main")  # type: ignore[arg-type]
    with pytest.raises(DrycellError) as caught:
        cell.run()
    assert what in caught.value.what
    assert hint in (caught.value.hint or "")


def test_error_for_a_line_of_another_controller_names_its_owner() -> None:
    cell = small()

    @cell.program(controller="main")
    def tend(io):
        io.input("hot")

    with pytest.raises(ProgramError, match="has no input 'hot': it is wired to controller 'other'"):
        cell.run()


def test_two_controllers_do_not_drive_one_signal() -> None:
    cell = small()
    with pytest.raises(FieldError, match="output 3 of 'third' and output 1 of 'main' both drive 'lamp'"):
        cell.add("third", Controller(outputs={3: "lamp"}))


def test_a_sensor_is_not_an_output() -> None:
    cell = small()
    cell.add("eye", Sensor("tl-x5"))
    with pytest.raises(FieldError, match="output 3 of controller 'third' cannot set 'eye': it shows the output"):
        cell.add("third", Controller(outputs={3: "eye"}))


def test_pascal_without_a_controller_is_refused(folder: Path) -> None:
    text = CELL.replace(", controller: scorbot", "").replace("    robot: arm\n", "")
    (folder / "cell.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(CellFileError) as caught:
        CellSource.find(folder).build()
    assert "program 'robot' commands a robot, but the cell has no controller that moves a robot" in caught.value.what


def test_pascal_takes_the_only_controller_that_moves_a_robot(folder: Path) -> None:
    (folder / "cell.yaml").write_text(CELL.replace(", controller: scorbot", ""), encoding="utf-8")
    assert CellSource.find(folder).build().run().ending == "finished"
