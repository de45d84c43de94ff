"""The syntax of EMULA's language: the paper's commands as printed, AML around them, and mistakes with positions."""

import time

import pytest
from hypothesis import given, strategies as st

from drycell.languages.emula import EmulaError, parse, syntax
from drycell.languages.emula.parser import is_unfinished
from drycell.languages.kit import Diagnostic, SourceText

# The peg-in-hole program that was published with AML (Taylor, Summers, Meyer 1982), but for its last subroutine, which
# writes calls as (PICKUP PART_DATA 2.): that form is not taken.
PEG_IN_HOLE = """\
PICKUP: SUBR (PART_DATA, TRIES);
   MOVE(GRIPPER, DIAMETER(PART_DATA)+0.2);
   MOVE(<1,2,3>, XYZ_POSITION(PART_DATA)+<0,0,1>);
   TRY_PICKUP(PART_DATA, TRIES);
   END;

TRY_PICKUP: SUBR(PART_DATA, TRIES);
   IF TRIES LT 1 THEN RETURN('NO PART');
   DMOVE(3,-1.0);
   IF GRASP(DIAMETER(PART_DATA)) = 'NO PART'
      THEN TRY_PICKUP(PART_DATA, TRIES - 1);
   END;

GRASP: SUBR(DIAMETER, F);
   FMONS: NEW APPLY($ MONITOR, PINCH_FORCE(F));
   MOVE(GRIPPER, 0, FMONS);
   RETURN( IF QPOSITION(GRIPPER) LE DIAMETER/2
           THEN 'NO PART'
           ELSE 'PART' );
   END;

INSERT: SUBR(PART_DATA, HOLE);
   FMONS: NEW APPLY($ MONITOR, TIP_FORCE(LANDING_FORCE));
   MOVE(<1,2,3>, HOLE+<0,0,.25>);
   DMOVE(3, -1.0, FMONS);
   IF QMONITOR(FMONS) = 1 THEN RETURN('NO HOLE');
   MOVE(3, HOLE(3) + PART_LENGTH(PART_DATA));
   END;
"""


def body(text: str) -> list[syntax.Statement]:
    return parse(SourceText(text, "t")).body


def mistakes(text: str) -> list[str]:
    with pytest.raises(EmulaError) as caught:
        parse(SourceText(text, "t"))
    return [f"{each.span.line}:{each.span.column} {each.what}" for each in caught.value.diagnostics]


# ---------------------------------------------------------------- what is taken


@pytest.mark.parametrize(("number", "statements"), [(1, 13), (2, 8), (3, 24), (4, 6)])
def test_the_tables_of_the_paper_are_read_as_printed(tables: dict[int, str], number: int, statements: int) -> None:
    assert len(body(tables[number])) == statements


def test_the_misprint_of_table_2_is_explained() -> None:
    with pytest.raises(EmulaError) as caught:
        parse(SourceText("attach (1.random.6, .1, .8)", "table2"))
    assert str(caught.value) == (
        "table2:1:11: expected ',' or ')', found 'random'\n"
        "    attach (1.random.6, .1, .8)\n"
        "              ^~~~~~\n"
        "  try: write commas between the arguments, as in attach (1,random,6,.1,.8); table 2 of the paper is "
        "misprinted here"
    )


def test_amls_published_program_is_read() -> None:
    read = body(PEG_IN_HOLE)
    assert [each.name.name for each in read if isinstance(each, syntax.Subroutine)] == [
        "pickup",
        "try_pickup",
        "grasp",
        "insert",
    ]


def test_calls_in_the_manner_of_lisp_are_refused_with_the_right_form() -> None:
    with pytest.raises(EmulaError, match=r"write a call as PICKUP\(a, b\)"):
        parse(SourceText("(PICKUP PART_DATA 2.)"))


def test_clauses_belong_to_the_command() -> None:
    (guarded,) = body("movedown (10) until sensors (1,2) exceed (10)")
    assert isinstance(guarded, syntax.Do)
    assert guarded.clauses is not None
    assert guarded.clauses.until is not None
    assert len(guarded.clauses.until.sensors) == 2
    (grasp,) = body("grasp(parta) at (1,0,0) from (finger1)")
    assert isinstance(grasp, syntax.Do)
    assert grasp.clauses is not None
    assert grasp.clauses.at is not None
    assert len(grasp.clauses.at) == 3
    assert isinstance(grasp.clauses.from_, syntax.Name)


def test_until_belongs_to_the_command_only_with_sensors() -> None:
    (repeat,) = body("REPEAT movedown (1) until sensors (1) exceed (2) UNTIL SENSOR(1) > 5")
    assert isinstance(repeat, syntax.Repeat)
    (inner,) = repeat.body
    assert isinstance(inner, syntax.Do)
    assert inner.clauses is not None


@pytest.mark.parametrize(
    "text",
    [
        "open; close",
        "open\nclose",
        "open;;\n\n;close;",
        "OPEN\nClose -- a comment of AML\n",
        "open /* over\nlines */ close".replace("*/ close", "*/\nclose"),
    ],
)
def test_statements_end_with_semicolons_or_lines(text: str) -> None:
    assert len(body(text)) == 2


@pytest.mark.parametrize(
    "text",
    ["move (1,\n 2,\n 3)", "x = 1 +\n 2", "x = <1,\n2\n>", "IF a\nTHEN b\nELSE c", "WHILE a DO\n b", "move (1,2,3\n)"],
)
def test_a_statement_goes_on_where_it_cannot_end(text: str) -> None:
    assert len(body(text)) == 1


def test_a_semicolon_before_else_does_no_harm() -> None:
    (read,) = body("IF a THEN b; ELSE c;")
    assert isinstance(read, syntax.If)
    assert read.no is not None


# ---------------------------------------------------------------- mistakes


def test_each_statement_reports_its_own_mistake() -> None:
    assert mistakes("move (1,2\nopen\nmove (3,,4)\nclose )\n") == [
        "1:10 expected ',' or ')', found the end of the line",
        "3:9 expected a value, found ','",
        "4:7 expected ';' or a new line after the statement, found ')'",
    ]


def test_a_mistake_in_a_subroutine_does_not_end_it() -> None:
    assert mistakes("f: SUBR(a);\n move (;\n open 3;\n END;\nmove )") == [
        "2:8 expected a value, found ';'",
        "3:7 expected ';' or a new line after the statement, found '3'",
        "5:6 expected ';' or a new line after the statement, found ')'",
    ]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("IF a open", "expected THEN after the condition, found 'open'"),
        ("x: 5", "expected NEW or SUBR after ':', found '5'"),
        ("a = <1,2>=3", "expected ',' or '>', found '>='"),
        ("END", "expected a statement, found 'END'"),
        ("'abc", "this string has no end on its line"),
        ("open $", "expected ';' or a new line after the statement, found '$'"),
        ("f: SUBR(a, A); END", "two parameters are called 'A'"),
        ("BEGIN f: SUBR; END; END", "a subroutine cannot be defined inside a statement"),
        ("movedown (1) until sensors (1)", "expected EXCEED after the sensors, found the end of the text"),
        ("grasp (a) at (1,2,3) at (1,2,3)", "a second AT in one command"),
        ("movedown (1) until sensors (1) exceed (1,2)", "EXCEED takes one limit"),
        ("x = 1e999", "this number is too large"),
        ("(" * 100, "nested more than 60 levels deep"),
        ("IF a THEN " * 100, "nested more than 60 levels deep"),
        ("§", "unexpected character '§'"),
    ],
)
def test_mistakes_say_what_is_wrong(text: str, what: str) -> None:
    assert mistakes(text)[0].split(" ", 1)[1] == what


@pytest.mark.parametrize(
    "text", ["move (1,", "BEGIN open", "f: SUBR(a);", "IF a", "IF a THEN", "WHILE 1 DO", "REPEAT open", "/* x", "x ="]
)
def test_an_unfinished_text_asks_for_more(text: str) -> None:
    assert is_unfinished(SourceText(text))


@pytest.mark.parametrize("text", ["open", "move )", "move (1,,", "'abc", "IF a THEN b", ""])
def test_a_finished_or_wrong_text_does_not(text: str) -> None:
    assert not is_unfinished(SourceText(text))


LINES = ["open", "move (1,2,3)", "/* a comment */", "", "x: NEW <1,2>", "movedown (1) until sensors (1) exceed (10)"]


@given(st.lists(st.sampled_from(LINES), max_size=12), st.integers(0, 12), st.integers(0, 20), st.data())
def test_a_mistake_is_reported_exactly_where_it_was_inserted(
    lines: list[str], line: int, column: int, data: st.DataObject
) -> None:
    line = min(line, len(lines))
    wrong = data.draw(st.sampled_from([")", "open )", "move (,", "x = = 1", "§"]))
    where = {")": 0, "open )": 5, "move (,": 6, "x = = 1": 4, "§": 0}[wrong]
    text = "\n".join([*lines[:line], " " * column + wrong, *lines[line:]])
    assert mistakes(text)[0].startswith(f"{line + 1}:{column + where + 1} ")


@given(st.text(max_size=80) | st.text(alphabet="<>()=:;,.'\"$#*/-+ \nabifthenENDSUBR19", max_size=200))
def test_no_text_breaks_the_parser(text: str) -> None:
    found: tuple[Diagnostic, ...] = ()
    try:
        parse(SourceText(text))
    except EmulaError as error:
        found = error.diagnostics
    assert len(found) <= 20
    assert all(0 <= each.span.start <= len(text) for each in found)


def test_parsing_is_quick_and_grows_with_the_text(tables: dict[int, str]) -> None:
    text = (tables[3] + PEG_IN_HOLE) * 100  # 6700 lines
    began = time.process_time()
    assert len(body(text)) == 2800
    assert time.process_time() - began < 5.0  # ten times what it takes


@pytest.mark.parametrize(
    "text", ["(\n" * 20_000, "IF a THEN " * 59 + "b" + "\n;" * 50_000, "<" * 50_000, "1 " * 50_000]
)
def test_no_text_takes_the_parser_long(text: str) -> None:
    began = time.process_time()
    try:
        parse(SourceText(text))
    except EmulaError:
        assert time.process_time() - began < 10.0
