"""ARLA programs are parsed correctly, and their mistakes are reported at the right places."""

from textwrap import dedent

import pytest
from hypothesis import given, strategies as st

from drycell.base import FileError, Pose
from drycell.languages.arla import ArlaError, parse, syntax
from drycell.languages.kit import SourceText


def read(text: str) -> syntax.ArlaText:
    return parse(SourceText(dedent(text), "robot.arl"))


def action(line: str) -> syntax.Action:
    (instruction,) = read(f"PROGRAM 1\n10 {line}\n").programs[1].instructions
    return instruction.action


def complaint(text: str) -> str:
    with pytest.raises(ArlaError) as caught:
        read(text)
    return str(caught.value)


R = syntax.Register
N = syntax.Number


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("TCP 1", syntax.SelectTool(1)),
        ("RECT COORD", syntax.Coordinates(straight=True)),
        ("ROBOT COORD", syntax.Coordinates(straight=False)),
        ("V=500.0 MM/S MAX=800.0 MM/S", syntax.Velocity(0.5, 0.8)),
        ("POS V=100.0% C1 #58", syntax.MoveTo(1.0, syntax.TaughtPosition(58), zone=1)),
        ("POS V=50% FINE #58", syntax.MoveTo(0.5, syntax.TaughtPosition(58))),
        ("POS V=4.0% FINEC SEARCH S1 #59", syntax.MoveTo(0.04, syntax.TaughtPosition(59), sensor=1)),
        ("POS V=100.0% STORE POSITION 10", syntax.StorePosition(10)),
        ("STORE POSITION 10", syntax.StorePosition(10)),
        ("POS V=100.0% PATH POSITION 2", syntax.MoveTo(1.0, syntax.StoredPosition(2))),
        (
            "POS V=100.0% PATH POSITION 2 OFFSET X=1.5 Z=-20.0",
            syntax.MoveTo(1.0, syntax.StoredPosition(2, (0.0015, 0.0, -0.02))),
        ),
        ("LET R11 = 1", syntax.Let(11, N(1))),
        ("LET R7 = R3", syntax.Let(7, R(3))),
        ("LET R1 = R2 + R3 * 4", syntax.Let(1, syntax.Calculation(R(2), "+", syntax.Calculation(R(3), "*", N(4))))),
        ("LET R1 = INP 3", syntax.Let(1, syntax.IOLine(3))),
        ("SET OUT 4", syntax.SetOutput(4, True)),
        ("RESET OUT 4", syntax.SetOutput(4, False)),
        ("WAIT 2.5 S", syntax.Pause(2.5)),
        ("WAIT UNTIL INP 1 = 1 * INP 2 = 0", syntax.Await(((1, True), (2, False)))),
        ("GRIPPER OPEN", syntax.Grip(opened=True)),
        ("gripper close /*on what is there", syntax.Grip(opened=False)),
        ("RETURN", syntax.Return()),
        ("WEAVE  AMPLITUDE=2.0 /*not here", syntax.Stub("WEAVE AMPLITUDE=2.0")),
        ("/*the end", syntax.Remark()),
    ],
)
def test_an_instruction_means_what_it_says(line: str, meant: syntax.Action) -> None:
    assert action(line) == meant


def test_the_star_between_conditions_is_and() -> None:
    text = read("PROGRAM 1\n10 JUMP TO 10 IF R41 > 0 * R42 > 0\n")
    jump = text.programs[1].instructions[0].action
    assert isinstance(jump, syntax.Jump)
    assert jump.when == (syntax.RegisterCondition(R(41), ">", N(0)), syntax.RegisterCondition(R(42), ">", N(0)))


def test_a_text_has_programs_and_positions() -> None:
    text = read("""
        PROGRAM 1 /*main
        10 CALL PROG 300
        PROGRAM 300
        10 RETURN
        POSITIONS
        #58 X=900.0 Y=0.0 Z=500.0
        #59 X=1.0 Y=2.0 Z=3.0 Q1=1.0 Q2=0.0 Q3=0.0 Q4=0.0
        """)
    assert list(text.programs) == [1, 300]
    assert text.positions[58].direction((0, 0, 1)) == pytest.approx((0, 0, -1))
    assert text.positions[58].position == pytest.approx((0.9, 0.0, 0.5))
    assert text.positions[59] == Pose(0.001, 0.002, 0.003)


def test_the_first_five_mistakes_come_together_each_at_its_place() -> None:
    text = """\
PROGRAM 1
10 POSS V=100.0% #58
20 POS V=140.0% #58
30 LET R200 = 1
40 JUMP TO 65 IF R1 > 0
50 JUMP TO 60
60 GRIPPER CLOSED
"""
    with pytest.raises(ArlaError) as caught:
        read(text)
    places = [(each.span.line, each.span.column) for each in caught.value.diagnostics]
    assert places == [(2, 4), (3, 10), (4, 8), (5, 12), (7, 12)]
    message = str(caught.value)
    assert "robot.arl has 5 mistakes" in message
    assert "robot.arl:2:4: unknown instruction POSS" in message
    assert "did you mean POS?" in message
    assert "140 is out of range: the speed must be above 0 and at most 100" in message
    assert "register R200 does not exist; registers are R1 to R120" in message
    assert "expected OPEN or CLOSE, found 'CLOSED'" in message


def test_jumps_and_calls_lead_somewhere() -> None:
    message = complaint("PROGRAM 1\n10 JUMP TO 65\n60 CALL PROG 30\n70 RETURN\nPROGRAM 300\n10 RETURN\n")
    assert "robot.arl:2:12: PROGRAM 1 has no instruction 65" in message
    assert "did you mean 60 or 70?" in message
    assert "robot.arl:3:14: PROGRAM 30 does not exist" in message
    assert "did you mean '300'?" in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("10 TCP 1", "this instruction is outside a program"),
        ("PROGRAM 1\nTCP 1", "expected the number of an instruction, found 'TCP'"),
        ("PROGRAM 1\n20 TCP 1\n10 TCP 1", "instruction 10 follows instruction 20"),
        ("PROGRAM 1\nPROGRAM 1", "PROGRAM 1 already exists"),
        ("PROGRAM 1\n170 LET R7 = R3\n...\n", "the listing is abridged here"),
        ("PROGRAM 1\n10 POS V=4.0% C1 SEARCH S1 #59", "a search stops at its end, so it cannot have zone C1"),
        ("PROGRAM 1\n10 POS V=4.0% SEARCH #59", "expected SENSOR, found '#'"),
        ("PROGRAM 1\n10 POS #58", "expected V= and a percentage of the speed, such as V=100.0%"),
        ("PROGRAM 1\n10 WAIT UNTIL R1 = 1", "WAIT UNTIL accepts inputs only"),
        ("PROGRAM 1\n10 LET R1 = 1.5", "1.5 is not a whole number"),
        ("PROGRAM 1\n10 LET R1 = 1 2", "expected the end of the line, found '2'"),
        ("PROGRAM 1\n#58 X=1", "this position is among instructions"),
        ("PROGRAM 1\nPOSITIONS\n#58 X=1 Q1=1 Q2=0", "expected Q3="),
        ("PROGRAM 1\nPOSITIONS\n#58 X=1 X=2", "X is given twice"),
        ("", "expected PROGRAM and its number"),
        ("PROGRAM 1\n10 LET R1 = " + "(" * 100, "nested more than 60 levels deep"),
        ("PROGRAM 1\n10 LET R1 = 1" + " + 1" * 5000, "more than 100 operators in one value"),
        ("PROGRAM 1\n10 LET R1 = " + "9" * 5000, "more than 12 digits"),
    ],
)
def test_a_mistake_is_named(text: str, message: str) -> None:
    assert message in complaint(text)


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(FileError, match="the limit is 2000000"):
        read("9" * 2_000_001)


WORDS = """PROGRAM POSITIONS POS V = 100.0 % C1 FINE FINEC SEARCH S1 #58 # STORE PATH POSITION OFFSET X Y Z - LET R1
R999 JUMP TO IF * + / ( ) > < INP OUT SET RESET WAIT UNTIL S GRIPPER OPEN CALL PROG RETURN TCP RECT COORD 10 20 1 300 Q1
Q2 ... /* ä 99999999999999 WEAVE POSS"""
LINES = st.lists(st.lists(st.sampled_from(WORDS.split()), max_size=9).map(" ".join), max_size=12).map("\n".join)


@given(st.one_of(LINES, LINES.map(lambda text: f"PROGRAM 1\n{text}"), st.text(max_size=200)))
def test_any_text_is_read_or_refused_with_places(text: str) -> None:
    try:
        found = read(text)
    except ArlaError as error:
        for each in error.diagnostics:
            assert 0 <= each.span.start <= len(text) + 1
    else:
        assert found.programs
