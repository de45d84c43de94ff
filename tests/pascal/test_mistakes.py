# ruff: noqa: E501  # small programs stand on one line each
"""Mistakes in programs, found when reading or running them: each with its exact position and a hint."""

import string
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given, settings, strategies as st

from drycell.languages.kit import SourceText
from drycell.languages.pascal import PascalError, load_pascal
from drycell.languages.pascal.parser import KEYWORDS, read
from drycell.languages.pascal.program import parse_program

Mistakes = Callable[[str], list[str]]
Trouble = Callable[[str], str]

BROKEN = """\
program broken;
var n: integer;
    r: rael;
    s: string;
procedure check(limit: integer)
begin
  n := limit +;
  if n = 1 then
    n := 2;
  else
    n := 3;
end;
begin
  for n := 1 to 10 begin
    writeln(n)
  end;
  m := 4;
  n := 'text';
  s := 3.5;
  check(1, 2);
end.
"""


def test_the_first_mistakes_of_a_broken_file_are_each_at_their_place(mistakes: Mistakes) -> None:
    assert mistakes(BROKEN) == [
        "3:8 unknown type 'rael'",
        "6:1 expected ';' after the head of the procedure, found 'begin'",
        "7:15 expected a value, found ';'",
        "10:3 expected a statement, found 'else'",
        "14:20 expected DO after the last value, found 'begin'",
        "17:3 unknown variable, constant or function 'm'",
        "18:8 'n' is of type integer, but this is of type string",
        "19:8 's' is of type string, but this is of type real",
        "20:3 check takes 1 argument, not 2",
    ]


def test_a_mistake_is_shown_with_its_line_and_what_to_try() -> None:
    with pytest.raises(PascalError) as caught:
        load_pascal(SourceText("program p;\nvar Counter: integer;\nbegin\n  Countre := 1\nend.\n", "robot.pas"))
    assert str(caught.value) == (
        "robot.pas:4:3: unknown variable, constant or function 'Countre'\n"
        "      Countre := 1\n"
        "      ^~~~~~~\n"
        "  try: did you mean 'Counter'?"
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("begin x = 1 end.", "1:9 expected ':=', found '='"),
        ("var n: integer; begin n := 1 n := 2 end.", "1:30 expected ';' before the next statement, found 'n'"),
        ("begin while true writeln end.", "1:18 expected DO after the condition, found 'writeln'"),
        ("begin writeln('a) end.", "1:15 this string has no end on its line"),
        ("begin { never ends", "1:7 this comment has no end"),
        ("begin begin writeln end.", "1:24 expected ';' or END after the statement, found '.'"),
        ("begin writeln end; end.", "1:18 expected '.' after the last END, found ';'"),
        ("var a: array[1..3] of integer; begin a[4] := 1 end.", "1:40 the index of 'a' must be in 1..3, but this is 4"),
        ("var b: byte; begin b := 256 end.", "1:25 'b' must be in 0..255, but this is 256"),
        ("var n: integer; begin n := 1.5 end.", "1:28 'n' is of type integer, but this is of type real"),
        ("var n: integer; begin if n then end.", "1:26 a condition must be a boolean, but this is of type integer"),
        ("var n: integer; begin if n = 1 and n = 2 then end.", "1:38 boolean and integer cannot be compared by '='"),
        ("begin writeln(1 div 0) end.", "1:21 division by zero"),
        ("var i: integer; begin for i := 1 to 3 do i := 2 end.",
         "1:42 'i' is the counter of this FOR loop and cannot be changed inside it"),
        ("procedure p(const n: integer); begin n := 2 end; begin p(1) end.",
         "1:38 'n' is a CONST parameter and cannot be changed"),
        ("type t = array[1..2] of real; procedure p(const a: t); begin a[1] := 2 end; begin end.",
         "1:62 'a' is a CONST parameter and cannot be changed"),
        ("procedure q(var n: integer); begin end; procedure p(const n: integer); begin q(n) end; begin end.",
         "1:80 'n' is a CONST parameter and cannot be changed"),
        ("begin break end.", "1:7 break is not inside a loop"),
        ("begin goto 5 end.", "1:7 labels and GOTO are not supported"),
        ("label 5; begin end.", "1:1 labels and GOTO are not supported"),
        ("begin here: writeln end.", "1:7 labels and GOTO are not supported"),
        ("var p: ^integer; begin end.", "1:8 pointers are not supported"),
        ("var n: integer; begin n^ := 1 end.", "1:24 pointers are not supported"),
        ("var s: set of integer; begin end.", "1:15 integer has 65536 values; a set holds at most 256"),
        ("var s: set of real; begin end.", "1:15 a set is of integers, chars, booleans or an enumeration, not of real"),
        ("var c: char; begin if c in ['a', 1] then end.", "1:34 this is a set of char, this value is of type integer"),
        ("var c: char; begin if c in [1..3] then end.", "1:25 char cannot be in a set of integer"),
        ("var n: integer; begin if n in n then end.", "1:28 IN takes a set on its right, not integer"),
        ("var n: integer; begin if n in [1..1000] then end.", "1:32 this range has 1000 values; a set holds at most 256"),
        ("var n: integer; begin if n in [1..2000000000] then end.",
         "1:32 this range has 2000000000 values; a set holds at most 256"),
        ("var s: set of 1..5; begin s := [2, 6] end.", "1:32 's' must be in 1..5, but this is 6"),
        ("var s: set of 1..5; begin include(s, 6) end.", "1:38 an element of 's' must be in 1..5, but this is 6"),
        ("var s, t: set of char; begin if s < t then end.", "1:35 set of char and set of char cannot be compared by '<'"),
        ("var s: set of char; begin s := [1] end.", "1:32 's' is of type set of char, but this is of type set of integer"),
        ("var s: set of char; begin writeln(s) end.", "1:35 a value of type set of char cannot be written"),
        ("var s: set of char; begin s := ['a' end.", "1:37 expected ']' to close the set, found 'end'"),
        ("type r = record n: integer; case boolean of true: (x: real) end; begin end.",
         "1:29 records with variants are not supported"),
        ("var n, N: integer; begin end.", "1:8 'N' is already declared in this block"),
        ("function f(n: integer); begin end; begin end.", "1:10 function f has no result type"),
        ("procedure p(var n: integer); begin end; begin p(3) end.",
         "1:49 the argument for the VAR parameter 'n' must be a variable"),
        ("type r = record x: integer end; var a: r; begin a.y := 1 end.", "1:51 r has no field 'y'"),
        ("var a: array[1..2000000] of integer; begin end.",
         "1:8 this array has 2000000 values; the limit is 1000000"),
        ("var r: 5..1; begin end.", "1:8 the range 5..1 is empty"),
        ("begin case 1 of 1: ; 1: ; end end.", "1:22 another branch already has this value"),
        ("begin writeln(99999999999) end.", "1:15 99999999999 is too large for an integer"),
        ("begin MoveXYZ(1, 2, 3, 4, 5) end.", "1:7 unknown procedure or function 'MoveXYZ'"),
        ("uses Nowhere; begin end.", "1:6 unit 'Nowhere' not found"),
        ("procedure p; forward; begin end.", "1:11 procedure p is declared, but has no body"),
        ("var n: integer;\nfunction f: integer;\nforward;\nbegin n := f end.",
         "2:10 function f is declared, but has no body"),
        ("type t = file of integer; begin end.", "1:10 files are not supported"),
        ("begin " + "(" * 70 + "1", "1:7 expected a statement, found '('"),
        ("begin x := " + "(" * 70 + "1", "1:71 nested more than 60 levels deep"),
        ("var x: integer; begin x := 1" + " + 1" * 300 + " end.", "1:830 more than 200 operators in one statement"),
        ("", "1:1 expected a declaration or BEGIN, found the end of the text"),
    ],
)  # fmt: skip
def test_mistakes_are_reported_where_they_are(mistakes: Mistakes, text: str, found: str) -> None:
    assert mistakes(text)[0].startswith(found)


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("procedure p(a: integer; var b real);", "2:31 expected ':' and a type after the parameter, found 'real'"),
        ("procedure p(a integer; var b: real);", "2:15 expected ':' and a type after the parameter, found 'integer'"),
        ("procedure p(function b(x: real): real; a: real);", "2:13 routines as parameters are not supported"),
        ("procedure p(a: integer; b", "3:1 expected ':' and a type after the parameter, found 'begin'"),
    ],
)
def test_a_mistake_in_a_head_is_reported_once(head: str, message: str) -> None:
    text = f"var n: integer;\n{head}\nbegin a := 3; b := 1.5 end;\nbegin p(n, n); n := 'x' end."
    with pytest.raises(PascalError) as caught:
        load_pascal(SourceText(text))
    found = [f"{each.span.line}:{each.span.column} {each.what}" for each in caught.value.diagnostics]
    assert found == [message, "4:21 'n' is of type integer, but this is of type char"]


def test_a_name_of_scorpas_without_its_unit_gets_the_hint() -> None:
    with pytest.raises(PascalError, match="write uses ScorPas"):
        load_pascal(SourceText("begin Waitpos end."))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("var n: integer;\nbegin\n  n := maxint;\n  n := n + 1\nend.", "4:10 integer overflow: 32768 is not in -32768..32767"),
        # Turbo Pascal calculates in the type of the operands, whatever the type of the target
        ("var n: integer; l: longint;\nbegin\n  n := 300; l := n * n\nend.", "3:20 integer overflow: 90000 is not in -32768..32767"),
        ("var n: integer;\nbegin\n  n := -32767 - 1; n := -n\nend.", "3:25 integer overflow: 32768 is not in -32768..32767"),
        ("var n, m: integer;\nbegin\n  n := -32767 - 1; m := -1; n := n div m\nend.", "3:36 integer overflow: 32768 is not in -32768..32767"),
        ("var w: word;\nbegin\n  w := 65535; w := w + 1\nend.", "3:22 integer overflow: 65536 is not in 0..65535"),
        ("var v, w: word;\nbegin\n  v := 1; w := 2; writeln(v - w)\nend.", "3:29 integer overflow: -1 is not in 0..65535"),
        ("var n: integer; l: longint;\nbegin\n  l := 40000; n := l\nend.", "3:20 40000 is out of range -32768..32767"),
        ("var n: longint;\nbegin\n  n := 100000; n := n * n\nend.", "3:23 integer overflow: 10000000000 is not in -2147483648..2147483647"),
        ("var n: integer;\nbegin\n  writeln(1 div n)\nend.", "3:13 1 div 0: division by zero"),
        ("var n: integer; r: real;\nbegin\n  r := 2.5 / n\nend.", "3:12 2.5 / 0: division by zero"),
        ("var b: byte; n: integer;\nbegin\n  n := 300;\n  b := n\nend.", "4:8 300 is out of range 0..255"),
        ("var b: byte;\nbegin\n  dec(b)\nend.", "3:3 -1 is out of range 0..255"),
        ("var a: array[1..3] of integer; i: integer;\nbegin\n  i := 4;\n  a[i] := 1\nend.",
         "4:5 index 4 is outside the array's range 1..3"),
        ("var a: array[1..3] of integer; i: integer;\nbegin\n  writeln(a[i])\nend.",
         "3:13 index 0 is outside the array's range 1..3"),
        ("var s: string; i: integer;\nbegin\n  s := 'abc'; i := 4;\n  writeln(s[i])\nend.",
         "4:11 index 4 is outside the string, which has 3 characters"),
        ("type t = (red, green); var e: t;\nbegin\n  e := green;\n  e := succ(e)\nend.", "4:8 2 is out of range red..green"),
        ("begin\n  writeln(sqrt(-1 * 4))\nend.", "2:11 sqrt(-4) is undefined: the argument is negative"),
        ("begin\n  readln\nend.", "2:3 READ and READLN have no input to read"),
        ("procedure p; begin p end;\nbegin\n  p\nend.", "1:14 call 2001 of p: more than 2000 nested calls"),
        ("var a: array[0..255] of integer; s: string;\nbegin\n  while length(s) < 200 do s := s + '0123456789';\n"
         "  a[length(s + s)] := 1\nend.", "4:5 index 400 is outside the array's range 0..255"),
        ("var i: 1..5; n: integer;\nbegin\n  n := 6;\n  for i := 1 to n do\nend.", "4:3 the loop runs from 1 to 6, but its counter has the range 1..5"),
        ("var n: integer;\nbegin\n  n := 300; writeln(chr(n))\nend.", "3:21 chr(300) does not exist: characters are 0..255"),
        ("begin\n  writeln(chr(300))\nend.", "2:11 chr(300) does not exist: characters are 0..255"),
        ("var r: real;\nbegin\n  r := 1e10; writeln(trunc(r))\nend.", "3:22 1e+10 is too large for a longint: not in -2147483648..2147483647"),
        ("var r: real;\nbegin\n  r := 1e308;\n  r := r * 10\nend.", "4:10 the result is too large for a real; the largest is 1.8e+308"),
        ("var r: real;\nbegin\n  r := -1e308;\n  r := r + r\nend.", "4:10 the result is too large for a real; the largest is 1.8e+308"),
        ("var r, s: real;\nbegin\n  r := 1e308; s := 1e-5;\n  r := r / s\nend.", "4:10 the result is too large for a real; the largest is 1.8e+308"),
        ("var r: real;\nbegin\n  r := 1e200;\n  r := sqr(r)\nend.", "4:8 the result is too large for a real; the largest is 1.8e+308"),
        ("var s: set of 1..5; n: integer;\nbegin\n  n := 6;\n  s := [1, n]\nend.", "4:8 6 is out of range 1..5"),
        ("var s: set of char; n: integer;\nbegin\n  n := 1000;\n  if n in [1..n] then\nend.",
         "4:11 the range 1..1000 is too large for a set, which holds at most 256 values"),
        ("uses ScorPas;\nbegin\n  Speed(10)\nend.", "3:3 speed 10 does not exist: use 1..9"),
        ("uses ScorPas;\nbegin\n  if InputStatus(9) then\nend.", "3:6 input 9 does not exist: use 1..8"),
    ],
)  # fmt: skip
def test_a_run_time_error_names_place_and_values(trouble: Trouble, text: str, found: str) -> None:
    assert trouble(text) == found


def test_the_calls_that_led_there_are_kept() -> None:
    text = "procedure inner(n: integer);\nbegin\n  writeln(1 div n)\nend;\nprocedure outer;\nbegin\n  inner(0)\nend;\nbegin\n  outer\nend."
    with pytest.raises(PascalError) as caught:
        load_pascal(SourceText(text, "calls.pas"))()
    assert caught.value.calls == ("outer, called at calls.pas:10:3", "inner, called at calls.pas:7:3")


# ---------------------------------------------------------------- whatever is typed

SAMPLE = """\
program sample(output);
uses ScorPas;
const most = 5; names: array[1..2] of string = ('a', 'b');
type colour = (red, green); node = record n: integer; shade: colour end;
var i: integer; a: array[1..5, boolean] of 0..9; p: node; t: string[10];
function f(x: real; var y: integer): real; begin y := round(x); f := x / 2 end;
begin
  for i := 1 to most do with p do if (i > 2) and not (t = 'x') then n := i mod 2 else inc(n, 3);
  repeat MoveXYZ(1, 2, 3, 4, 5); Waitpos until InputStatus(1) or (t[1] = 'c');
  case i of 1, 3..5: writeln(i:5, f(1.5, i):8:2); else p.shade := green end;
  while i < 3 do begin t[1] := chr(i + 65); i := i + 1 end
end.
"""
WORDS = [*sorted(KEYWORDS), *"+-*/()[]<>=,;:.^@", ":=", "..", "<=", ">=", "<>", "x", "n", "integer", "1", "2.5", "'t'"]


def survives(text: str) -> None:
    began = time.process_time()  # not wall time: others may keep the machine busy
    with suppress(PascalError):
        load_pascal(SourceText(text, "fuzz.pas"))
    assert time.process_time() - began < 5.0


@settings(max_examples=300)
@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_random_words_are_never_more_than_mistakes(words: list[str]) -> None:
    survives(" ".join(words))


@settings(max_examples=300)
@given(st.lists(st.tuples(st.integers(0, 250), st.sampled_from([*WORDS, ""]), st.booleans()), min_size=1, max_size=6))
def test_programs_with_words_changed_are_never_more_than_mistakes(edits: list[tuple[int, str, bool]]) -> None:
    words = SAMPLE.replace(";", " ; ").replace("(", " ( ").replace(")", " ) ").split(" ")
    for place, word, instead in edits:
        place %= len(words)
        words[place : place + instead] = [word]
    survives(" ".join(words))


@settings(max_examples=200)
@given(st.text(alphabet=string.printable + "é€", max_size=200))
def test_any_text_is_never_more_than_mistakes(text: str) -> None:
    survives(text)
    survives("program p; begin " + text)


@pytest.mark.parametrize("text", ["begin " * 5000, "if a then " * 5000, "((((" * 5000, "begin x := " + "-" * 50000,
                                  "var a: " + "array[1..2] of " * 5000, "begin p" + "^" * 50000, "procedure p; " * 5000,
                                  "type t = " + "record x: " * 5000, "begin case 1 of " * 3000, "{" * 100000])  # fmt: skip
def test_deep_texts_are_refused_at_once(text: str) -> None:
    survives("program p; " + text)


def test_the_tree_loses_nothing() -> None:
    from drycell.languages.kit import Diagnostics
    from drycell.languages.pascal.parser import LEXER

    source = SourceText(SAMPLE)
    tokens = LEXER.tokens(source, Diagnostics(source))
    assert "".join("".join(each.text for each in token.trivia) + token.text for token in tokens) == SAMPLE
    program = read(source).program
    assert program is not None
    for node in (program.body, *program.body.declarations, *program.body.statements.body):
        assert 0 <= node.start <= node.end <= len(SAMPLE)
    assert parse_program(source).stubs == {}
