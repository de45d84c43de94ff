"""The meaning of EMULA programs: values, variables, subroutines, loops, and errors with their positions."""

from collections.abc import Callable

import pytest

from drycell.languages.emula import EmulaError, Interpreter
from drycell.languages.emula.interpreter import Interrupted

Shown = Callable[[str], str]


def refused(session: Interpreter, text: str) -> EmulaError:
    with pytest.raises(EmulaError) as caught:
        session.execute(text)
    return caught.value


# ---------------------------------------------------------------- values


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("7 / 2", "3.5"),
        ("-7 DIV 2", "-3"),
        ("-7 MOD 2", "-1"),
        ("2 ** 3 ** 2", "512"),
        ("-2 ** 2", "-4"),
        ("2 ** -1", "0.5"),
        ("1 LT 2 AND NOT 2 LT 1", "1"),
        ("1 = 1.0", "1"),
        ("'a' = 'A'", "0"),
        ("<1,2,3> + <0,0,1>", "<1,2,4>"),
        ("2 * <1,<2,3>>", "<2,<4,6>>"),
        ("<1,2> EQ <1,2>", "1"),
        ("<> = <>", "1"),
        ("<1,2> # <3>", "<1,2,3>"),
        ("'it''s ' # \"so\"", "it's so"),
        ("<5,6,7>(2)", "6"),
        ("<5,6,7>(<3,1>)", "<7,5>"),
        ("<<1,2>,<3,4>>(2,1)", "3"),
        ("IF 1 GT 2 THEN 'a' ELSE 'b'", "b"),
        ("SIN(30)", "0.5"),
        ("SQRT(<4,9>)", "<2.0,3.0>"),
        ("MAX(<1,5,3>)", "5"),
        ("SUM(1,2,3.5)", "6.5"),
        ("INT(-2.7)", "-2"),
        ("ROUND(2.5)", "2"),
        ("ATAN2(1,1)", "45.0"),
        ("AGGSIZE(<1,2,3>)", "3"),
        ("ANY(<0,0,1>)", "1"),
        ("ALL(<0,0,1>)", "0"),
        ("STR(3) # '!'", "3!"),
        ("MAP($ SQRT, <4,9>)", "<2.0,3.0>"),
        ("APPLY($ MAX, <1,2>)", "2"),
        ("PI", "3.141593"),
        ("GRIPPER", "7"),
        ("ARM", "<1,2,3,4,5,6>"),
        ("1.E3", "1000.0"),
        (".5", "0.5"),
    ],
)
def test_expressions(shown: Shown, expression: str, value: str) -> None:
    assert shown(f"DISPLAY({expression})") == value


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("x = 1/0", "division by zero"),
        ("DISPLAY(1 MOD 0)", "division by zero"),
        ("DISPLAY(0 ** -1)", "division by zero"),
        ("DISPLAY(SQRT(-1))", "SQRT of -1 is undefined"),
        ("DISPLAY(LN(0))", "LN of 0 is undefined"),
        ("DISPLAY(10. ** 400)", "the result is too large for a REAL"),
        ("DISPLAY(9223372036854775807 + 1)", "the result is too large for an INT"),
        ("DISPLAY(1 + 'a')", "'+' needs numbers, not STRING 'a'"),
        ("DISPLAY(<1,2> + <1,2,3>)", "'+' needs aggregates of the same length, but these have 2 and 3"),
        ("DISPLAY('a' LT 'b')", "'LT' compares numbers, not STRING 'a'"),
        ("DISPLAY(<1,2>(3))", "element 3 does not exist: the aggregate has 2"),
        ("DISPLAY(<1,2>(0))", "element 0 does not exist: the aggregate has 2"),
        ("DISPLAY(<1,2>(1.5))", "the number of an element must be an INT, not REAL 1.5"),
        ("DISPLAY(3(1))", "INT 3 has no elements"),
        ("IF <1> THEN open", "a condition must be a number, not an aggregate of 1"),
        ("DISPLAY(open)", "open has no value"),
        ("DISPLAY($ nothing)", "unknown subroutine 'nothing'"),
        ("DISPLAY(1 # 2)", "'#' joins two strings or two aggregates, not INT 1 and INT 2"),
    ],
)
def test_a_procedure_used_as_a_value_is_refused(session: Interpreter, text: str, what: str) -> None:
    assert refused(session, text).diagnostics[0].what == what


# ---------------------------------------------------------------- variables


def test_variables_are_declared_and_keep_their_values_over_the_session(shown: Shown) -> None:
    assert shown("count: NEW 3") == ""
    assert shown("COUNT = Count + 1; DISPLAY(count)") == "4"


def test_an_element_can_be_replaced(shown: Shown) -> None:
    assert shown("a: NEW <1,<2,3>>; a(1) = 9; a(2,1) = 8; DISPLAY(a)") == "<9,<8,3>>"


def test_an_undeclared_variable_is_refused_and_a_near_one_named(session: Interpreter) -> None:
    session.execute("count: NEW 0")
    error = refused(session, "cuont = 1")
    assert error.diagnostics[0].what == "unknown variable 'cuont'"
    assert error.hint == "did you mean 'count'? Or declare it first: cuont: NEW 0;"


def test_a_variable_cannot_hide_a_command_but_a_function(session: Interpreter, shown: Shown) -> None:
    assert refused(session, "open: NEW 1").diagnostics[0].what == "open is a command"
    assert shown("sum: NEW 2; DISPLAY(sum)") == "2"


# ---------------------------------------------------------------- control


def test_loops_and_branches(shown: Shown) -> None:
    program = """
    n: NEW 5; f: NEW 1;
    WHILE n GT 1 DO BEGIN
        f = f * n
        n = n - 1
    END
    IF f EQ 120 THEN DISPLAY('right') ELSE DISPLAY('wrong', f)
    REPEAT n = n + 1; UNTIL n GE 4
    DISPLAY(n)
    """
    assert shown(program) == "right\n4"


def test_subroutines_have_their_own_variables_and_return_values(shown: Shown) -> None:
    assert shown("a: NEW 1; f: SUBR(a); b: NEW a + 1; a = 9; RETURN(b); END; DISPLAY(f(4), a)") == "5 1"


def test_recursion(shown: Shown) -> None:
    shown("fact: SUBR(n); IF n LE 1 THEN RETURN(1); RETURN(n * fact(n - 1)); END")
    assert shown("DISPLAY(fact(20))") == "2432902008176640000"


def test_recursion_without_end_is_stopped(session: Interpreter, shown: Shown) -> None:
    session.execute("f: SUBR(n); RETURN(f(n + 1)); END")
    error = refused(session, "f(1)")
    assert "more than 1000 levels deep" in error.what
    session.execute("g: SUBR(a); MAP($ g, <a,a>); END; h: SUBR(a); h(a); END")
    assert "more than 1000 levels deep" in refused(session, "g(1)").what
    assert "more than 1000 levels deep" in refused(session, "h(1)").what
    assert shown("DISPLAY(1)") == "1"


def test_a_loop_that_lets_no_time_pass_is_stopped(session: Interpreter, shown: Shown) -> None:
    for text in ("WHILE 1 DO BEGIN END", "REPEAT UNTIL 0", "a: NEW 0; WHILE 1 DO a = a + 1"):
        error = refused(session, text)
        assert "200000 steps without any cell time passing: the loop never ends" in error.what
    assert shown("DISPLAY(a GT 0)") == "1"


def test_endlessly_growing_values_are_stopped_soon(session: Interpreter) -> None:
    assert "too many elements" in refused(session, "a: NEW <1>; WHILE 1 DO a = a # a").what
    assert "too long" in refused(session, "s: NEW 'x'; WHILE 1 DO s = s # s").what
    assert "nested too deeply" in refused(session, "n: NEW 1; WHILE 1 DO n = <n>").what
    assert "the loop never ends" in refused(session, "b: NEW a # <>; WHILE 1 DO b = b + 1").what


def test_return_outside_a_subroutine_ends_the_program(shown: Shown) -> None:
    assert shown("DISPLAY(1); RETURN; DISPLAY(2)") == "1"


def test_a_subroutine_may_take_the_name_of_a_command(session: Interpreter, shown: Shown) -> None:
    session.execute("GRASP: SUBR(DIAMETER, F); RETURN(DIAMETER); END")
    assert shown("DISPLAY(GRASP(3))") == "3"


def test_arguments_may_be_left_out_until_they_are_used(session: Interpreter, shown: Shown) -> None:
    session.execute("f: SUBR(a, b); IF a THEN RETURN(b); RETURN(0); END")
    assert shown("DISPLAY(f(0))") == "0"
    assert refused(session, "f(1)").diagnostics[0].what == "f was called without its argument b"
    assert refused(session, "f(1,2,3)").diagnostics[0].what == "f takes 2 arguments, not 3"


# ---------------------------------------------------------------- errors


def test_an_error_names_the_place_in_the_text_and_the_way_there(session: Interpreter) -> None:
    session.execute("f: SUBR(a);\n  RETURN(a + 'x');\nEND", file="lib.eml")
    error = refused(session, "\n  f(1)")
    assert str(error) == (
        "lib.eml:2:10: '+' needs numbers, not STRING 'x'\n"
        "      RETURN(a + 'x');\n"
        "             ^~~~~~~\n"
        "  at subroutine f, called at console:2:3\n"
        "  try: join strings and aggregates with '#'"
    )


def test_an_unknown_command_is_answered_with_the_nearest(session: Interpreter) -> None:
    error = refused(session, "movdown (10)")
    assert (error.diagnostics[0].what, error.hint) == ("unknown command 'movdown'", "did you mean 'movedown'?")
    error = refused(session, "movdown (10) until sensors (1) exceed (2)")
    assert error.hint == "did you mean 'movedown'?"
    assert refused(session, "xyzzy").hint == "type 'help' for the commands, or declare a variable: name: NEW value;"


def test_an_error_leaves_what_was_done_before_it(session: Interpreter, shown: Shown) -> None:
    refused(session, "a: NEW 1; a = 2; a = 1/0; a = 3")
    assert shown("DISPLAY(a)") == "2"


def test_an_interruption_stops_at_the_next_step_and_only_once(session: Interpreter, shown: Shown) -> None:
    class Stop:
        def __call__(self, text: str) -> None:
            session.interrupt()

    echo, session.echo = session.echo, Stop()
    with pytest.raises(Interrupted, match="stopped at the console"):
        session.execute("WHILE 1 DO DISPLAY('x')")
    session.echo = echo
    assert shown("DISPLAY(1)") == "1"


def test_bare_expressions_are_shown_at_the_console_only(session: Interpreter, shown: Shown) -> None:
    assert shown("1 + 1") == ""
    session.interactive = True
    assert shown("1 + 1; 'a'; <1,'b'>; open") == "  2\n  'a'\n  <1,'b'>\n  1 motor moved, 1.50 s, now at GRIPPER 3.250"


def test_a_text_may_be_given_a_budget_of_steps(session: Interpreter) -> None:
    session._budget = 1000
    assert "more than 1000 steps" in refused(session, "WHILE 1 DO BEGIN END").what
