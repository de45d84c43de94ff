"""ARLA's instructions do what they say; run-time errors name their line."""

import pytest
from hypothesis import given, strategies as st

from drycell.base import Pose, ProgramError
from drycell.languages.arla import ArlaError, RecordingMachine, load_arla
from drycell.languages.kit import SourceText


def run(text: str, machine: RecordingMachine | None = None, **given: int) -> dict[int, int]:
    registers = {int(name[1:]): value for name, value in given.items()}
    return load_arla(SourceText(text, "robot.arl"), machine or RecordingMachine(), registers=registers)()


def trouble(text: str, machine: RecordingMachine | None = None) -> str:
    with pytest.raises(ArlaError) as caught:
        run(text, machine)
    return str(caught.value)


def test_registers_count_and_jumps_follow_their_conditions() -> None:
    # 1 + 2 + … + 10
    text = """PROGRAM 1
10 LET R1 = R1 + 1
20 LET R2 = R2 + R1
30 JUMP TO 10 IF R1 < 10 * R2 < 1000
40 RETURN IF R1 = 10
50 LET R2 = 0
"""
    assert run(text) == {1: 10, 2: 55}


def test_and_needs_both() -> None:
    text = "PROGRAM 1\n10 JUMP TO 30 IF R41 > 0 * R42 > 0\n20 LET R1 = 1\n30 RETURN\n"
    assert 1 in run(text, r41=1)
    assert 1 in run(text, r42=1)
    assert 1 not in run(text, r41=1, r42=1)


@given(st.integers(-200, 200), st.integers(-200, 200))
def test_calculations_are_those_of_whole_numbers(a: int, b: int) -> None:
    text = "PROGRAM 1\n10 LET R3 = R1 + R2 * 2 - (R1 - R2)\n20 JUMP TO 40 IF R2 = 0\n30 LET R4 = R1 / R2\n40 RETURN\n"
    registers = run(text, r1=a, r2=b)
    assert registers[3] == a + b * 2 - (a - b)
    if b:
        assert registers[4] == int(a / b)  # cut towards zero


def test_calls_share_the_registers() -> None:
    main = "PROGRAM 1\n10 CALL PROG 2\n20 CALL PROG 2 IF R1 > 5\n30 LET R2 = R1\n"
    assert run(f"{main}PROGRAM 2\n10 LET R1 = R1 + 1\n20 RETURN\n") == {1: 1, 2: 1}


def test_moves_outputs_and_gripper_reach_the_machine() -> None:
    machine = RecordingMachine()
    text = """PROGRAM 1
10 TCP 2
20 V=500.0 MM/S MAX=800.0 MM/S
30 POS V=50.0% C2 #58
40 ROBOT COORD
50 POS V=100.0% FINE #59
60 GRIPPER CLOSE
70 SET OUT 3
80 LET R1 = OUT 3
90 WAIT UNTIL INP 1 = 1 * INP 2 = 0
100 WAIT 1.5 S
"""
    assert run(text, machine) == {1: 1}
    assert machine.commands == [
        ("tool", 2),
        ("speed", 0.5, 0.8),
        ("move", "#58", 0.5, "straight", 2),
        ("move", "#59", 1.0, "joints", 0),
        ("gripper", "close"),
        ("output", 3, True),
        ("wait", (1, True), (2, False)),
    ]
    assert machine.time == 3.5


def test_the_place_where_a_search_was_answered_is_stored_and_gone_to() -> None:
    machine = RecordingMachine(found=[0.25], positions={58: Pose(0, 0, 0.8), 59: Pose(0, 0, 0.4)})
    text = """PROGRAM 1
10 POS V=100.0% #58
20 POS V=4.0% FINEC SEARCH S1 #59
30 STORE POSITION 2
40 POS V=100.0% #58
50 POS V=100.0% PATH POSITION 2 OFFSET X=0.0 Y=10.0 Z=-15.0
"""
    run(text, machine)
    # A quarter of the way from 800 mm to 400 mm is at 700 mm.
    assert machine.pose.position == pytest.approx((0.0, 0.01, 0.685))
    assert machine.commands[1] == ("search", "#59", 0.04, 1)
    assert machine.commands[-1] == ("move", "position 2 + (0, 10, -15) mm", 1.0, "straight", 0)


def test_a_search_without_an_answer_ends_at_its_position() -> None:
    machine = RecordingMachine(positions={59: Pose(0, 0, 0.4)})
    run("PROGRAM 1\n10 POS V=4.0% SEARCH S1 #59\n20 STORE POSITION 2\n30 POS V=1.0% PATH POSITION 2\n", machine)
    assert machine.pose == Pose(0, 0, 0.4)


def test_positions_in_the_text_come_before_those_of_the_machine() -> None:
    machine = RecordingMachine(positions={58: Pose(1, 1, 1)})
    run("PROGRAM 1\n10 POS V=1.0% #58\nPOSITIONS\n#58 X=0 Y=0 Z=500 Q1=1 Q2=0 Q3=0 Q4=0\n", machine)
    assert machine.pose == Pose(0, 0, 0.5)


def test_untaught_positions_are_reported_before_anything_moves() -> None:
    machine = RecordingMachine(positions={58: Pose()})
    message = trouble("PROGRAM 1\n10 POS V=1.0% #58\n20 POS V=1.0% #59\n30 POS V=1.0% #60\n", machine)
    assert "robot.arl:3:1: position #59 has not been taught" in message
    assert "give the cell a workpoint p60, or list #60 below POSITIONS" in message
    assert machine.commands == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("10 LET R1 = 32767\n20 LET R1 = R1 + 1", "robot.arl:3:1: 32768 does not fit into a register"),
        ("10 LET R1 = 5 / R2", "5 / 0: division by zero"),
        ("10 POS V=1.0% PATH POSITION 2", "position 2 has not been stored"),
        ("10 CALL PROG 1", "more than 20 nested program calls"),
    ],
)
def test_run_time_errors_name_their_line(text: str, message: str) -> None:
    assert message in trouble(f"PROGRAM 1\n{text}\n")


def test_an_error_lists_the_calls_that_led_to_it() -> None:
    with pytest.raises(ArlaError) as caught:
        run("PROGRAM 1\n10 CALL PROG 2\nPROGRAM 2\n10 LET R1 = 1 / 0\n")
    assert caught.value.calls == ("PROGRAM 2, called at robot.arl:2:1",)


def test_another_program_of_the_file_can_be_started() -> None:
    source = SourceText("PROGRAM 1\n10 LET R1 = 1\nPROGRAM 300\n10 LET R1 = 300\n", "robot.arl")
    assert load_arla(source, RecordingMachine(), main=300)() == {1: 300}
    with pytest.raises(ProgramError, match=r"robot.arl has no PROGRAM 30\n  try: did you mean '300'"):
        load_arla(source, RecordingMachine(), main=30)


def test_unknown_instructions_are_listed_and_do_nothing() -> None:
    program = load_arla(SourceText("PROGRAM 1\n10 WEAVE ON\n20 LET R1 = 1\n30 WEAVE ON\n"), RecordingMachine())
    assert program.stubs == ("WEAVE ON",)
    assert program() == {1: 1}
