"""Misspelt names and wrong numbers of arguments are found before the first statement runs."""

import pytest

from drycell.languages.emula import EmulaError, Interpreter


def mistakes(session: Interpreter, text: str) -> list[str]:
    with pytest.raises(EmulaError) as found:
        session.execute(text)
    return [each.what for each in found.value.diagnostics]


@pytest.mark.parametrize(
    ("text", "whats"),
    [
        ("moveup (4)\nbadcmd", ["unknown command 'badcmd'"]),
        ("moveup (4)\nIF 0 THEN movup (1)", ["unknown command 'movup'"]),
        ("moveup (4)\ngo: SUBR(a); movdown (a); END", ["unknown command 'movdown'"]),
        ("moveup (4)\nDISPLAY(SQTR(2))", ["unknown command 'SQTR'"]),
        ("moveup (4)\nmoveup (1,2)", ["moveup takes 1 argument, not 2"]),
        ("moveup (4)\nmoveup (1) at (1,2,3)", ["moveup does not accept AT"]),
        ("moveup (4)\nn: NEW 1; n = m + 1", ["unknown variable 'm'"]),
        ("moveup (4)\nWHILE w DO open", ["unknown variable 'w'"]),
        ("moveup (4); a1; a2", ["unknown command 'a1'", "unknown command 'a2'"]),
    ],
)
def test_nothing_moves(session: Interpreter, engine, text: str, whats: list[str]) -> None:
    assert mistakes(session, text) == whats
    assert engine.commands == []


@pytest.mark.parametrize(
    "text",
    [
        "IF 0 THEN go (1)\ngo: SUBR(a); DISPLAY(n); END; n: NEW 2; go (1)",  # declared later in the text
        "attach (1,contact,finger1,parta); setview (iso)",  # bare words are names of other things
        "MOVE(<X,Y>, <1,2>); a: NEW <1,2>; DISPLAY(a(2), ARM)",
        "moveup: SUBR(a,b); RETURN(a+b); END; DISPLAY(moveup(1,2))",
    ],
)
def test_declared_names_and_names_of_bodies_are_not_refused(session: Interpreter, text: str) -> None:
    session.execute(text)


def test_a_text_that_loads_another_may_use_its_names(session: Interpreter, shown, tmp_path) -> None:
    (tmp_path / "more.eml").write_text("twice: SUBR(a); RETURN(2*a); END\n")
    assert shown(f"LOAD('{tmp_path}/more.eml'); DISPLAY(twice(4))") == "8"


def test_two_bare_numbers_are_not_a_motor_and_its_value(session: Interpreter, engine) -> None:
    assert mistakes(session, "move (1,2)") == [
        "two numbers can be a motor and its value, or two of the three distances of the paper's move"
    ]
    assert engine.commands == []
    session.execute("n: NEW 1; MOVE(n, 2); MOVE(X, 2); MOVE(<1>, <2>)")
    assert len(engine.commands) == 3
