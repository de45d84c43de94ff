"""ScorPas: its commands reach the controller in SI units, and wrong arguments are reported."""

from math import pi
from pathlib import Path

import pytest

from drycell.kernel import Kernel
from drycell.languages.kit import RecordingController, ScorbotInterface, SourceText
from drycell.languages.pascal import PascalError, load_pascal

HERE = Path(__file__).parent
INIT = ("move_to", 0.16, 0.26266, 0.23694, round(-55.92 * pi / 180, 6), round(2.39 * pi / 180, 6))
WAITING = ("move_to", -0.05114, *INIT[2:])
DOWN = round(-pi / 2, 6)


def commands(
    statements: str, recorder: RecordingController | None = None, declared: str = ""
) -> list[tuple[object, ...]]:
    controller = recorder or RecordingController(interrupts=("R1",))
    load_pascal(SourceText(f"program p; uses ScorPas; {declared} begin {statements} end.", "p.pas"), controller)()
    return controller.commands


def test_the_recorder_is_a_controller() -> None:
    assert isinstance(RecordingController(), ScorbotInterface)


def test_millimetres_and_degrees_become_metres_and_radians() -> None:
    assert commands("MoveXYZ(100, -200.5, 300, -90, 45)") == [("move_to", 0.1, -0.2005, 0.3, DOWN, round(pi / 4, 6))]


def test_the_commands_of_tables_15_and_16_reach_the_controller() -> None:
    assert commands(
        "MoveX(10); MoveY(-5); MoveZ(2.5); Speed(9); StopMotor(2); GoPuls(steps); Waitpos; Gripper(gOpen); "
        "Gripper(gClose); SetOutputNo(3); ok := WaitInterrupt('R1', 182); if ok then Speed(1); "
        "if not WaitInterrupt('R2', 1) then Speed(2)",
        declared="var steps: integerTypeArray; ok: boolean;",
    ) == [
        ("move_by", 0.01, 0.0, 0.0),
        ("move_by", 0.0, -0.005, 0.0),
        ("move_by", 0.0, 0.0, 0.0025),
        ("set_speed", 9),
        ("stop_axis", 2),
        ("move_pulses", 0, 0, 0, 0, 0),
        ("wait_position",),
        ("set_gripper", True),
        ("set_gripper", False),
        ("pulse", 3),
        ("wait_interrupt", "R1", 10.0),
        ("set_speed", 1),
        ("wait_interrupt", "R2", 0.054945),  # 1/18.2 s, at the whole microsecond at or before it
        ("set_speed", 2),
    ]


def test_input_1_is_the_lowest_bit_of_the_input_value(capsys: pytest.CaptureFixture[str]) -> None:
    commands(
        "writeln(GetInputValue, ' ', InputStatus(3), ' ', InputStatus(4))", RecordingController(lambda time: (1, 3, 8))
    )
    assert capsys.readouterr().out == "133 TRUE FALSE\n"


def test_delay_is_in_milliseconds() -> None:
    recorder = RecordingController()
    commands("delay(1500); delay(10)", recorder)
    assert recorder.time == pytest.approx(1.51)


def test_table_21_runs_with_the_sequence_worked_out_by_hand() -> None:
    """One part passes sensor 1 and reaches sensor 2; machine 1 has worked on it; then input 8 ends the shift."""

    def inputs(time: float) -> list[int]:
        on = [1] if 3.0 <= time < 5.0 else []  # seen after the first second of waiting
        on += [2] if 6.0 <= time < 9.0 else []  # it has been taken away by the time the arm has lifted it
        on += [4] if time >= 17.0 else []
        return on + ([8] if time >= 24.0 else [])

    recorder = RecordingController(inputs)
    lines: list[str] = []
    load_pascal(HERE / "cell.pas", recorder, echo=lines.append)()
    init, wait = [INIT, ("set_speed", 5), ("wait_position",)], ("wait_position",)
    assert recorder.commands == [
        ("set_gripper", True),
        *init,
        WAITING, ("set_speed", 5), wait,
        ("move_to", 0.0, 0.3, 0.05, DOWN, 0.0), wait, ("set_gripper", False), ("move_by", 0.0, 0.0, 0.1), wait,
        ("move_to", 0.25, 0.15, 0.1, DOWN, 0.0), wait, ("set_gripper", True), ("pulse", 1),
        *init,
        ("move_to", 0.25, 0.15, 0.1, DOWN, 0.0), wait, ("set_gripper", False),
        ("move_to", 0.0, -0.3, 0.1, DOWN, 0.0), wait, ("set_gripper", True),
    ]  # fmt: skip
    assert lines == []


# ---------------------------------------------------------------- what nobody has given


def test_an_unknown_routine_of_scorpas_is_a_stub_that_is_reported() -> None:
    text = "program p; uses ScorPas;\nbegin\n  Calibrate_All(1, 'x');\n  Calibrate_All(2, 'y')\nend."
    program = load_pascal(SourceText(text, "stub.pas"), RecordingController())
    assert program.stubs == ("Calibrate_All",)
    kernel = Kernel()
    kernel.spawn(program, name="robot")
    kernel.run()
    (stub,) = (record for record in kernel.journal.records if record.kind == "stub")
    assert (stub.subject, stub.fields) == ("robot", {"routine": "calibrate_all", "line": 3})


def test_a_declared_stub_has_its_types_and_gives_zero() -> None:
    lines: list[str] = []
    text = "function Force(axis: byte): real; external; begin writeln(Force(2):0:1) end."
    program = load_pascal(SourceText(text), echo=lines.append)
    program()
    assert (program.stubs, lines) == (("Force",), ["0.0"])


def test_routines_can_be_given_in_python() -> None:
    lines: list[str] = []
    text = "function Force(axis: byte): real; external; begin writeln(Force(2):0:1) end."
    program = load_pascal(SourceText(text), routines={"Force": lambda axis: axis * 1.5}, echo=lines.append)
    program()
    assert (program.stubs, lines) == ((), ["3.0"])


def test_a_typo_is_not_a_stub() -> None:
    with pytest.raises(PascalError, match="did you mean 'Waitpos'"):
        load_pascal(SourceText("uses ScorPas; begin Waitpso end."))


def test_units_beside_the_program_are_used(tmp_path: Path) -> None:
    (tmp_path / "places.pas").write_text(
        "unit Places;\ninterface\nconst height = 50;\nvar count: integer;\nprocedure Lift;\n"
        "function Half(n: integer): integer;\nimplementation\nuses ScorPas;\nvar hidden: integer;\n"
        "procedure Lift; begin MoveZ(height); count := count + 1 end;\n"
        "function Half(n: integer): integer;\nbegin\n  Half := 100 div n\nend;\nbegin\n  count := 10\nend.\n"
    )
    main = tmp_path / "main.pas"
    main.write_text(
        "program main;\nuses Places;\nbegin\n  Lift;\n  writeln(count, ' ', Half(4));\n  count := Half(0)\nend.\n"
    )
    lines: list[str] = []
    recorder = RecordingController()
    with pytest.raises(PascalError) as caught:
        load_pascal(main, recorder, echo=lines.append)()
    assert lines == ["11 25"]
    assert recorder.commands == [("move_by", 0.0, 0.0, 0.05)]
    span = caught.value.span
    assert span is not None
    assert (Path(span.file).name, span.line, span.column) == ("places.pas", 13, 15)
