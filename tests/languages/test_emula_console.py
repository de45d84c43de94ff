"""The console on the paper's workstation: input, responses, and that it survives any input."""

import signal
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from drycell.languages.emula import (
    Completer,
    Interpreter,
    SessionOptions,
    register_session,
    run_batch,
    run_console,
    workstation,
)
from drycell.languages.emula.session import SessionResult
from drycell.languages.kit import SourceText
from drycell.recording import Recording

Reader = Callable[[str], str]


def reader(lines: Iterable[str]) -> Reader:
    """Types lines one after the other, and then ends the input."""
    left: Iterator[str] = iter(lines)

    def read(prompt: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    return read


def talk(
    lines: Iterable[str],
    out: Path,
    *,
    echo: Callable[[str], None] | None = None,
    budget: int | None = None,
    prepare: Callable[[Interpreter], None] = lambda session: None,
) -> tuple[str, SessionResult]:
    """A session at the console; what it printed, and how it ended."""
    said: list[str] = []

    def say(text: str) -> None:
        said.append(text)
        if echo is not None:
            echo(text)

    cell, robot = workstation()
    ended = run_console(reader(lines), cell, robot, SessionOptions(say, out=out, budget=budget), prepare)
    return "\n".join(said), ended


# ---------------------------------------------------------------- a session


def test_a_session_as_in_the_tour(tmp_path: Path) -> None:
    said, ended = talk(
        ["attach (1,contact,finger1,parta)", "move (-2,10,8)", "movedown (10) until sensors (1,2) exceed (10)"],
        tmp_path,
    )
    assert said.splitlines() == [
        "  3 motors moved, 2.50 s, now at X -2.000 Y 10.000 Z 11.000",
        "  sensor 1 exceeded 10 after 20 cycles at Z 3.000: finger1 touches parta",
    ]
    assert ended.seconds == pytest.approx(4.5)
    assert ended.mistakes == 0


def test_mistakes_are_printed_and_the_session_goes_on(tmp_path: Path) -> None:
    said, ended = talk(["movdown (1)", "moveup (99)", "grasp (partc)", "move (1,,2)", "moveup (1)"], tmp_path)
    assert "did you mean 'movedown'?" in said
    assert "there is no body 'partc'" in said
    assert said.splitlines()[-1] == "  1 motor moved, 0.30 s, now at Z 4.000"
    assert ended.mistakes == 4
    assert ended.seconds == pytest.approx(0.3)


def test_a_statement_may_take_several_lines(tmp_path: Path) -> None:
    said, _ = talk(["n: NEW 0", "WHILE n LT 3 DO BEGIN", "  n = n + 1", "END", "n", "DISPLAY(", "n", ")"], tmp_path)
    assert said.splitlines() == ["  3", "3"]


def test_an_empty_line_gives_an_unfinished_statement_up(tmp_path: Path) -> None:
    said, _ = talk(["BEGIN", "DISPLAY(1)", "", "DISPLAY(2)"], tmp_path)
    assert "expected END of BEGIN" in said
    assert said.splitlines()[-1] == "2"


def test_help_quit_and_values(tmp_path: Path) -> None:
    said, ended = talk(
        ["help", "help movedown", "? until", "HELP nothing", "1 + 1", "quit", "DISPLAY('never')"], tmp_path
    )
    assert "Sensors and monitors" in said
    assert "Moves the hand down by a distance" in said
    assert "no help on 'nothing'" in said
    assert "  2" in said.splitlines()
    assert "never" not in said
    assert ended.mistakes == 0


def test_query_asks_the_person_each_cycle(tmp_path: Path) -> None:
    lines = ["attach (1,query)", "moveup (4) until sensors (1) exceed (10)", "", "3", "what?", "limit", "SENSOR(1)"]
    said, _ = talk(lines, tmp_path)
    assert "'what?' is not a value for sensor 1" in said
    assert "sensor 1 exceeded 10 after 3 cycles" in said
    assert said.splitlines()[-1] == "  10.0"


def test_the_end_of_the_input_in_a_question_ends_the_move_and_the_session(tmp_path: Path) -> None:
    said, ended = talk(["attach (1,query)", "moveup (4) until sensors (1) exceed (10)"], tmp_path)
    assert "QUERY of sensor 1 was not answered" in said
    assert ended.mistakes == 1


def test_table_4s_commands_give_table_4s_journal(tmp_path: Path, tables: dict[int, str]) -> None:
    talk(["setjournal (1)", *tables[4].splitlines()], tmp_path)
    assert (tmp_path / "emula.journal").read_text() == (
        "***JOURNAL OPENED AT 10:00:00:000***\n"
        "setdisplay (0);\n"
        "startupmotors;\n"
        "open (1); /* open fingers */\n"
        "setcrashchk (1, 'FINGER1', 'FINGER2');\n"
        "close (0); /* close fingers */\n"
        "**CRASH DETECTED* FINGER1 & FINGER2\n"
        "**CRASH DETECTED* FINGER1 & FINGER2\n"
        "setjournal (0);\n"
        "***JOURNAL CLOSED AT 10:04:50:000***\n"
    )


def test_values_are_shown_for_statements_of_the_outermost_level_only(tmp_path: Path) -> None:
    said, _ = talk(["n: NEW 0", "WHILE n LT 3 DO BEGIN n = n + 1; n; END", "n"], tmp_path)
    assert said == "  3"


@pytest.mark.parametrize(
    "loop",
    ["DELAY(0)", "moveup (0)", "SENSIO('go')", "SENSIO('go', 1)", "BEGIN AMOVE(3, 3); WAITMOVE END", "startupmoters"],
)
def test_loops_that_hold_the_clock_end_with_an_error_and_not_with_the_run(tmp_path: Path, loop: str) -> None:
    said: list[str] = []
    cell, robot = workstation()
    cell.signal("go", False)
    lines = [f"WHILE 1 DO {loop}"] * 2 + ["moveup (1)"]
    ended = run_console(reader(lines), cell, robot, SessionOptions(said.append, out=tmp_path), lambda session: None)
    assert ended.mistakes == 2
    assert said[-1] == "  1 motor moved, 0.30 s, now at Z 4.000"


def test_a_move_under_way_is_finished_before_the_session_ends(tmp_path: Path) -> None:
    talk(["setjournal (1)", "AMOVE(3, 7)"], tmp_path)
    assert (tmp_path / "emula.journal").read_text().endswith("***JOURNAL CLOSED AT 10:00:01:000***\n")


# ---------------------------------------------------------------- Ctrl-C


def test_ctrl_c_stops_the_running_move_and_not_the_session(tmp_path: Path) -> None:
    heard: list[str] = []

    def press(text: str) -> None:
        heard.append(text)
        if "moved" in text and len(heard) == 5:
            signal.raise_signal(signal.SIGINT)

    said, ended = talk(
        ["WHILE 1 DO BEGIN moveup (1); movedown (1); END", "DISPLAY('still here')"], tmp_path, echo=press
    )
    assert said.splitlines()[-2:] == ["  stopped at console:1:30", "still here"]
    assert ended.mistakes == 0


def test_ctrl_c_in_a_move_stops_it_where_it_is(tmp_path: Path) -> None:
    def press(prompt: str) -> None:
        if "no change" in prompt:
            signal.raise_signal(signal.SIGINT)

    lines = iter(
        ["attach (1,query)", "moveup (4) until sensors (1) exceed (10)", "3", "DISPLAY(QPOSITION(3))", "moveup (1)"]
    )

    def read(prompt: str) -> str:
        line = next(lines, None)
        if line is None:
            raise EOFError
        if line == "3":
            raise KeyboardInterrupt
        return line

    said: list[str] = []
    cell, robot = workstation()
    run_console(read, cell, robot, SessionOptions(said.append, out=tmp_path), lambda session: None)
    assert said == ["  stopped at console:1:1", "3.4", "  1 motor moved, 0.30 s, now at Z 4.400"]


def test_ctrl_c_while_computing_does_not_stop_a_later_move(tmp_path: Path) -> None:
    def press(text: str) -> None:
        if text == "now":
            signal.raise_signal(signal.SIGINT)

    said, _ = talk(["DISPLAY('now'); WHILE 1 DO BEGIN END", "moveup (1)"], tmp_path, echo=press)
    assert said.splitlines()[1:] == ["  stopped at console:1:17", "  1 motor moved, 0.30 s, now at Z 4.000"]


def test_ctrl_c_at_the_prompt_gives_the_line_up(tmp_path: Path) -> None:
    lines = iter(["BEGIN", KeyboardInterrupt, "DISPLAY(1)"])

    def read(prompt: str) -> str:
        line = next(lines, None)
        if line is None:
            raise EOFError
        if not isinstance(line, str):
            raise line
        return line

    said: list[str] = []
    cell, robot = workstation()
    run_console(read, cell, robot, SessionOptions(said.append, out=tmp_path), lambda session: None)
    assert said == ["", "1"]


# ---------------------------------------------------------------- recorded


def replayed(file: Path, tmp_path: Path) -> list[str]:
    """Replay a recorded session from its tape, check that it is identical byte for byte, and return its output."""
    said: list[str] = []
    cell, _ = workstation()
    register_session(cell, SessionOptions(said.append, out=tmp_path))
    with Recording.open(file) as recording:
        cell.play(recording.inputs)
    cell.run(record=tmp_path / "again.dry")
    assert (tmp_path / "again.dry").read_bytes() == file.read_bytes()
    return said


def test_a_recorded_session_is_repeated_with_its_answers(tmp_path: Path) -> None:
    lines = [
        "attach (1,query)",
        "moveup (4) until sensors (1) exceed (10)",
        "3",
        "",
        "limit",
        "n: NEW 1",
        "movedown (1)",
    ]
    said: list[str] = []
    cell, robot = workstation()
    file = tmp_path / "session.dry"
    setup = SessionOptions(said.append, out=tmp_path, model="stylised", record=file)
    run_console(reader(lines), cell, robot, setup, lambda session: None)
    assert said[0] == "  sensor 1 exceeded 10 after 3 cycles at Z 4.200: answered 10"
    assert replayed(file, tmp_path) == said


def test_a_recorded_session_repeats_ctrl_c_in_a_move_and_at_a_question(tmp_path: Path) -> None:
    loop, move = "WHILE 1 DO BEGIN moveup (1); movedown (1); END", "moveup (4) until sensors (1) exceed (10)"
    lines = iter([loop, "attach (1,query)", move, "3", KeyboardInterrupt, "DISPLAY('still here')"])

    def read(prompt: str) -> str:
        line = next(lines, None)
        if line is None:
            raise EOFError
        if not isinstance(line, str):
            raise line
        return line

    said: list[str] = []
    cell, robot = workstation()
    cell.kernel.at(1_450_000, lambda: signal.raise_signal(signal.SIGINT), owner="hand", writes=())
    file = tmp_path / "session.dry"
    run_console(read, cell, robot, SessionOptions(said.append, out=tmp_path, record=file), lambda session: None)
    assert [text.split(" at ")[0] for text in said if "stopped" in text] == ["  stopped", "  stopped"]
    assert said[-1] == "still here"
    assert replayed(file, tmp_path) == said


# ---------------------------------------------------------------- completion


def test_completion_knows_commands_bodies_variables_and_functions(tmp_path: Path) -> None:
    sessions: list[Interpreter] = []
    talk(["count: NEW 1"], tmp_path, prepare=sessions.append)
    complete = Completer(sessions[0])
    assert complete.words("moved") == ["movedown"]
    assert complete.words("par") == ["parta", "partb"]
    assert complete.words("cou") == ["count"]
    assert complete.words("QMON") == ["QMONITOR"]
    assert "contact" in complete.words("con")
    assert complete.words("mon", "help ") == ["monitor", "monitors"]


# ---------------------------------------------------------------- anything typed

WORDS = [
    *("move", "moveup", "movedown", "rotate", "open", "close", "dmove", "amove", "waitmove", "delay", "qposition"),
    *("attach", "detach", "sensor", "sensio", "monitor", "qmonitor", "endmonitor", "grasp", "release", "support"),
    *("translate", "merge", "setfuzzy", "redraw", "startupmotors", "setincrement", "setcycle", "setspeed"),
    *("setclearance", "setcrashchk", "setjournal", "setmodel", "print", "units", "time", "status", "apply", "map"),
    *("draw", "erase", "setview", "setdisplay", "setdisplaytk", "setdrawall", "seterase", "iso", "top", "1e300"),
    *("any", "str", "abs", "max", "help", "contact", "random", "query", "sometime", "until", "sensors", "exceed", "at"),
    *("from", "if", "then", "else", "while", "do", "repeat", "begin", "end", "subr", "return", "new", "a", "b", "f"),
    *("parta", "partb", "table", "tray", "finger1", "finger2", "gripper", "robot", "hand", "beam", "x", "detailed"),
    *("(", ")", "(", ")", "<", ">", ",", ",", ";", ":", "=", "+", "-", "*", "/", "**", "#", "$", "'", "\n", "/*", "*/"),
    *("0", "1", "2", "10", "90", "-3", ".5", "1.random.6", "1e9", "'mm'", "'x'", "99999999999999999999"),
]
STATEMENTS = [
    *("a: NEW 1", "b: NEW <1,2,3>", "f: SUBR(a); RETURN(a + 1); END", "m: NEW MONITOR(<1,2>, 10)", "a = a + 1"),
    *("IF a THEN open ELSE close", "WHILE a LT 5 DO a = a + 1", "REPEAT moveup (1) UNTIL SENSOR(1) GE 10"),
    *("AMOVE(3, 5, m)", "WAITMOVE", "MOVE(<1,2>, b(<1,2>), m)", "grasp (parta) at (1,0,0) from (finger1)", "release"),
    *("support (table, parta)", "attach (1,contact,finger1,parta)", "attach (2,random,6,.1,.8)", "attach (1,query)"),
    *("movedown (10) until sensors (1,2) exceed (10)", "setcrashchk (1,finger1,finger2)", "setmodel (hand)", "limit"),
    *("draw", "erase", "setview (iso,3,<0,0,1>)", "setdisplaytk (5)", "setdrawall (1)", "seterase (1)"),
    *("translate (parta, 0, 0, 1)", "setincrement (0)", "UNITS(mm)", "setjournal (1)", "setjournal (0)", "f(f(a))"),
]
SOUP = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A statement with a few characters removed, doubled or swapped."""
    text = draw(st.sampled_from(STATEMENTS))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(text)))
        sign = draw(
            st.sampled_from(["", "", "(", ")", ",", ";", "<", ">", "'", "1", "e", " ", "\n", "-", "=", ":", "é"])
        )
        text = text[:place] + sign + text[place + draw(st.integers(0, 2)) :]
    return text


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(mutated() | SOUP | st.text(max_size=40), max_size=12))
def test_the_session_survives_anything_typed_at_it(tmp_path: Path, texts: list[str]) -> None:
    lines = [line for text in texts for line in text.split("\n")]
    # The quote and the lines at the end close anything that is still open.
    ending = [
        "*/",
        "",
        "DETACH(1)",
        "",
        "DETACH(2)",
        "",
        "WAITMOVE",
        "",
        "UNITS(inch)",
        "",
        "rest: NEW 40 + 2",
        "",
        "rest",
    ]
    said, ended = talk(
        [line for line in lines if line.strip().lower() not in ("quit", "exit", "bye")] + ending, tmp_path, budget=2000
    )
    assert said.splitlines()[-1] == "  42"
    assert "failed:" not in said  # not an error in drycell itself
    assert ended.seconds >= 0.0


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(mutated(), max_size=8))
def test_a_typed_session_is_reproducible(tmp_path: Path, texts: list[str]) -> None:
    lines = [line for text in texts for line in text.split("\n")]
    assert talk(lines, tmp_path, budget=2000) == talk(lines, tmp_path, budget=2000)


# ---------------------------------------------------------------- batch


@pytest.mark.parametrize(
    ("number", "last"), [(1, "sensor 3 exceeded 10"), (2, "sensor 1 exceeded 10"), (3, "drawing to")]
)
def test_the_tables_run(tmp_path: Path, tables: dict[int, str], number: int, last: str) -> None:
    said: list[str] = []
    cell, robot = workstation()
    ended = run_batch(
        SourceText(tables[number], f"table{number}"), cell, robot, SessionOptions(said.append, out=tmp_path)
    )
    assert ended.statements == {1: 13, 2: 8, 3: 24}[number]
    assert last in said[-1]


def test_amls_published_program_runs(tmp_path: Path) -> None:
    program = """
    PINCH_FORCE: SUBR(F); RETURN(<<1,2>, F>); END;
    GRASP: SUBR(DIAMETER, F);
       FMONS: NEW APPLY($ MONITOR, PINCH_FORCE(F));
       MOVE(GRIPPER, 0, FMONS);
       RETURN( IF QPOSITION(GRIPPER) LE DIAMETER/2
               THEN 'NO PART'
               ELSE 'PART' );
       END;
    TRY_PICKUP: SUBR(DIAMETER, TRIES);
       IF TRIES LT 1 THEN RETURN('NO PART');
       DMOVE(3, -1.0);
       IF GRASP(DIAMETER, 10) = 'PART' THEN RETURN('PART');
       MOVE(GRIPPER, 3.25);
       RETURN(TRY_PICKUP(DIAMETER, TRIES - 1));
       END;
    attach (1,contact,finger1,parta); attach (2,contact,finger2,parta);
    MOVE(<1,2,3,4,7>, <-2,10,5,90,3.25>);
    DISPLAY(TRY_PICKUP(2, 5), QPOSITION(3));
    """
    said: list[str] = []
    cell, robot = workstation()
    run_batch(SourceText(program, "peg"), cell, robot, SessionOptions(said.append, out=tmp_path))
    assert said[-1] == "PART 3.0"
