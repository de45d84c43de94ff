"""Pascal programs in a cell: they wait and poll, are reported with their line numbers, and drive a robot."""

from pathlib import Path
from threading import Thread

import pytest

from drycell import Cell, Controller, Robot
from drycell.base import BusyWait
from drycell.cell import Cell as CellType
from drycell.kernel import Kernel, Pace, delay
from drycell.languages.kit import SourceText
from drycell.languages.pascal import PascalError, load_pascal


def noted(kernel: Kernel, kind: str) -> list[tuple[str, dict[str, object]]]:
    return [(record.subject, dict(record.fields)) for record in kernel.journal.records if record.kind == kind]


@pytest.fixture
def cell() -> CellType:
    cell = Cell("pascal")
    cell.add("arm", Robot("scorbot-er3", gripper="two-finger"))
    for name in ("sensor1", "sensor2", "start1", "alarm"):
        cell.signal(name, False)
    cell.add(
        "scorbot", Controller(robot="arm", inputs={1: "sensor1", 2: "sensor2", "A": "alarm"}, outputs={1: "start1"})
    )
    return cell


def add(cell: CellType, text: str, name: str = "robot") -> list[str]:
    lines: list[str] = []
    cell.program(
        load_pascal(SourceText(text, "robot.pas"), cell.controllers["scorbot"].scorbot, echo=lines.append), name=name
    )
    return lines


def test_moves_return_at_once_and_waitpos_waits(cell: CellType) -> None:
    seen: list[tuple[str, float]] = []
    text = """program p; uses ScorPas;
procedure note(what: string); external;
begin
  MoveXYZ(160, 262.66, 236.94, -55.92, 2.39); note('commanded');
  Waitpos; note('there');
  MoveZ(-20); Waitpos; note('lower')
end."""
    program = load_pascal(
        SourceText(text, "robot.pas"),
        cell.controllers["scorbot"].scorbot,
        routines={"note": lambda what: seen.append((what, cell.time))},
    )
    cell.program(program, name="robot")
    cell.run()
    assert seen[0] == ("commanded", 0.0)
    assert seen[1][1] > 1.0
    x, y, z = cell.robots["arm"].pose.position
    assert (x, y, z) == pytest.approx((0.16, 0.26266, 0.21694), abs=1e-6)
    assert seen[2][1] > seen[1][1]


def test_speed_counts_from_the_next_move_on(cell: CellType) -> None:
    add(cell, """program p; uses ScorPas;
begin
  MoveXYZ(160, 262.66, 236.94, -55.92, 2.39); Speed(3); Waitpos;
  MoveXYZ(220, 250, 236.94, -55.92, 2.39); Speed(9); Waitpos;
  MoveXYZ(160, 262.66, 236.94, -55.92, 2.39); Waitpos
end.""")  # fmt: skip
    result = cell.run()
    _, slow, quick = result.moves["arm"]
    assert slow.duration > 1.5 * quick.duration


def test_a_pulse_turns_on_and_off_by_itself(cell: CellType) -> None:
    add(cell, "program p; uses ScorPas; begin delay(1000); SetOutputNo(1); delay(2000) end.")
    cell.run()
    assert [(time, value) for time, value, _ in cell.kernel.signals["start1"].history] == [
        (0, False), (1_000_000, True), (1_200_000, False),
    ]  # fmt: skip


def test_wait_interrupt_is_woken_by_the_signal_or_by_its_ticks(cell: CellType) -> None:
    lines = add(
        cell, "program p; uses ScorPas; begin writeln(WaitInterrupt('A', 182)); writeln(WaitInterrupt('A', 91)) end."
    )

    @cell.program
    def operator(alarm: object) -> None:
        delay(2.0)
        cell.kernel.signals["alarm"].set(True)

    cell.run()
    assert lines == ["TRUE", "FALSE"]
    assert cell.time == 7.0  # 2 s, and 91 ticks of 1/18.2 s


def test_a_loop_that_polls_is_charged_and_sees_the_input(cell: CellType) -> None:
    lines = add(cell, "program p; uses ScorPas; begin\n  while not InputStatus(1) do;\n  writeln('seen') end.")

    @cell.program
    def feeder() -> None:
        delay(1.5)
        cell.kernel.signals["sensor1"].set(True)

    cell.run()
    assert lines == ["seen"]
    assert 1.5 <= cell.time < 1.52
    assert noted(cell.kernel, "polls") == [("robot", {"line": 2, "charged_s": 0.01})]


def test_a_loop_that_polls_without_success_is_reported_with_its_line(cell: CellType) -> None:
    add(cell, "program p; uses ScorPas;\nbegin\n  repeat until InputStatus(1)\nend.")
    with pytest.raises(BusyWait, match=r"robot\.pas:3"):
        cell.run()


def test_a_run_time_error_names_time_program_and_line(cell: CellType) -> None:
    add(cell, "program p; uses ScorPas;\nvar n: integer;\nbegin\n  delay(1250);\n  n := 10 div n\nend.")
    with pytest.raises(PascalError) as caught:
        cell.run()
    assert str(caught.value) == (
        "robot.pas:5:11: 10 div 0: division by zero\n"
        "      n := 10 div n\n"
        "              ^\n"
        "  at 1.250 s, program 'robot' (robot.pas:5), seed 0"
    )


def test_a_position_out_of_reach_is_reported_with_the_line_of_the_program(cell: CellType) -> None:
    add(cell, "program p; uses ScorPas;\nbegin\n  MoveXYZ(2000, 0, 0, -90, 0)\nend.")
    with pytest.raises(Exception, match=r"program 'robot' \(robot\.pas:3\)"):
        cell.run()


def test_output_of_a_program_is_in_the_journal(cell: CellType) -> None:
    add(cell, "begin writeln('part ', 3) end.")
    cell.run()
    assert noted(cell.kernel, "prints") == [("robot", {"text": "part 3"})]


def test_random_numbers_come_from_the_runs_seed() -> None:
    def drawn(seed: int) -> list[str]:
        cell = Cell("chance", seed=seed)
        lines: list[str] = []
        text = "var i: integer; begin randomize; for i := 1 to 5 do writeln(random(1000)) end."
        cell.program(load_pascal(SourceText(text), echo=lines.append), name="robot")
        cell.run()
        return lines

    assert drawn(1) == drawn(1) != drawn(2)


def test_breakpoints_stop_at_pascal_lines(tmp_path: Path) -> None:
    path = tmp_path / "robot.pas"
    path.write_text("program p;\nvar n: integer;\nbegin\n  n := 1;\n  n := 2;\n  n := 3\nend.\n")
    program = load_pascal(path)
    assert program.lines == {4, 5, 6}
    kernel, pace = Kernel(), Pace()
    pace.break_at(str(path), 5)
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
    assert stood == [5]
