"""The kit of front ends: source texts, diagnostics, tokens, streams and expressions."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from drycell.base import FileError
from drycell.languages.kit import (
    END,
    MAX_NESTING,
    BadToken,
    Diagnostic,
    Diagnostics,
    Infix,
    Lexer,
    ParseError,
    Pratt,
    SourceError,
    SourceText,
    Token,
    TokenStream,
    TooMany,
)

LEXER = Lexer(
    [
        ("blank", r"[ \t]+"),
        ("line", r"\n"),
        ("comment", r"#[^\n]*"),
        ("number", r"[0-9]+"),
        ("name", r"[a-zA-Z]+"),
        ("open_string", r'"[^\n]*'),
        ("symbol", r"[-+*^()]"),
    ],
    keywords=("end",),
    trivia=("blank", "comment"),
    bad_tokens={"open_string": BadToken("no strings here", "take it out", unfinished=True)},
)


# ---------------------------------------------------------------- source texts


def test_lines_and_columns_count_from_one() -> None:
    source = SourceText("ab\ncd\r\n\nef", "t")
    assert [source.position(offset) for offset in (0, 1, 3, 8)] == [(1, 1), (1, 2), (2, 1), (4, 1)]
    assert [source.line(number) for number in (1, 2, 3, 4, 5)] == ["ab", "cd", "", "ef", ""]
    assert source.span(3, 5).place == "t:2:1"


@given(st.text(alphabet="ab\n", max_size=60), st.data())
def test_a_position_leads_back_to_its_offset(text: str, data: st.DataObject) -> None:
    source = SourceText(text)
    offset = data.draw(st.integers(0, len(text)))
    line, column = source.position(offset)
    before = text.split("\n")[: line - 1]
    assert sum(map(len, before)) + len(before) + column - 1 == offset


def test_a_caret_line_points_at_the_span_whatever_the_tabs() -> None:
    source = SourceText("\tmove (1)\n")
    assert source.excerpt(source.span(1, 5)) == "\tmove (1)\n\t^~~~"


def test_a_long_line_is_cut_around_the_caret() -> None:
    source = SourceText("a" * 500 + "!" + "b" * 500)
    shown, carets = source.excerpt(source.span(500, 501)).split("\n")
    assert len(shown) <= 102
    assert shown[carets.index("^")] == "!"


def test_a_caret_behind_the_end_of_the_text_is_shown() -> None:
    source = SourceText("move (")
    assert source.excerpt(source.span(6, 7)) == "move (\n      ^"


def test_unprintable_characters_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in SourceText("\x1b[2J").excerpt(SourceText("\x1b[2J").span(0, 1))


def test_a_text_that_is_too_long_is_refused_with_both_numbers() -> None:
    with pytest.raises(FileError, match=r"t has 11 characters; the limit is 10"):
        SourceText("a" * 11, "t", limit=10)


def test_files_that_are_not_text_or_do_not_exist_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="b is not UTF-8 text"):
        SourceText.read(tmp_path / "b")
    with pytest.raises(FileError, match=r"cannot read .*nothing"):
        SourceText.read(tmp_path / "nothing")
    with pytest.raises(FileError, match="cannot read"):
        SourceText.read(tmp_path)


# ---------------------------------------------------------------- tokens


@given(st.text(alphabet='ab1 +-\t\n#()"?', max_size=60))
def test_tokens_and_trivia_are_the_whole_text_but_what_is_reported(text: str) -> None:
    source = SourceText(text)
    diagnostics = Diagnostics(source)
    try:
        tokens = LEXER.tokens(source, diagnostics)
    except TooMany:
        return
    pieces = [piece for token in tokens for piece in (*token.trivia, token)]
    reported = [text[each.span.start : each.span.end] for each in diagnostics.found]
    assert sum(len(piece.text) for piece in pieces) + sum(map(len, reported)) == len(text)
    assert all(text[piece.start : piece.end] == piece.text for piece in pieces)


def test_comments_are_kept_with_the_token_behind_them() -> None:
    source = SourceText("a # first\n# second\nb")
    tokens = LEXER.tokens(source, Diagnostics(source))
    assert [token.kind for token in tokens] == ["name", "line", "line", "name", END]
    assert [each.text for each in tokens[1].trivia] == [" ", "# first"]
    assert [each.text for each in tokens[2].trivia] == ["# second"]


def test_keywords_are_known_in_any_case_and_keep_their_text() -> None:
    source = SourceText("END eNd x")
    assert [(token.kind, token.text) for token in LEXER.tokens(source, Diagnostics(source))][:3] == [
        ("end", "END"),
        ("end", "eNd"),
        ("name", "x"),
    ]


def test_strange_characters_are_reported_one_by_one_up_to_twenty() -> None:
    source = SourceText("a ? b ! c")
    diagnostics = Diagnostics(source)
    LEXER.tokens(source, diagnostics)
    assert [each.what for each in diagnostics.found] == [
        "unexpected character '?'",
        "unexpected character '!'",
    ]
    with pytest.raises(TooMany):
        LEXER.tokens(SourceText("?" * 30), Diagnostics(SourceText("?" * 30)))


# ---------------------------------------------------------------- diagnostics


def test_an_error_shows_place_line_caret_and_hint() -> None:
    source = SourceText("one\ntwo three\n", "t.x")
    error = SourceError.of(source, [Diagnostic(source.span(8, 13), "no three here", "write two")])
    assert str(error) == "t.x:2:5: no three here\n    two three\n        ^~~~~\n  try: write two"
    assert error.span is not None
    assert (error.span.line, error.span.column) == (2, 5)


def test_several_mistakes_come_in_one_error_in_the_order_of_the_text() -> None:
    source = SourceText("a b c", "t")
    diagnostics = Diagnostics(source)
    diagnostics.add(Diagnostic(source.span(4, 5), "second"))
    diagnostics.add(Diagnostic(source.span(0, 1), "first", "hint"))
    diagnostics.add(Diagnostic(source.span(0, 2), "an echo of the first"))
    with pytest.raises(SourceError) as caught:
        diagnostics.raise_any()
    assert str(caught.value).splitlines()[:2] == ["t has 2 mistakes", "t:1:1: first"]
    assert [each.what for each in caught.value.diagnostics] == ["first", "second"]


def test_a_text_is_unfinished_only_if_its_first_mistake_is_that_it_ends() -> None:
    source = SourceText("a b")
    diagnostics = Diagnostics(source)
    assert not diagnostics.unfinished
    diagnostics.add(Diagnostic(source.span(2, 3), "ends too early", unfinished=True))
    assert diagnostics.unfinished
    diagnostics.add(Diagnostic(source.span(0, 1), "wrong"))
    assert not diagnostics.unfinished


# ---------------------------------------------------------------- streams


def test_an_unexpected_token_is_named_with_what_was_wanted() -> None:
    stream = TokenStream(SourceText("a +", "t"), LEXER)
    stream.take()
    with pytest.raises(ParseError, match=r"expected '\(', found '\+'"):
        stream.expect("(")
    stream.take()
    with pytest.raises(ParseError, match="expected END of it all, found the end of the text") as caught:
        stream.expect("end", "of it all")
    assert caught.value.diagnostic.unfinished


def test_recovery_skips_to_the_end_of_the_statement() -> None:
    stream = TokenStream(SourceText("a + b\nc", "t"), LEXER)
    stream.recover(stream.unexpected("a number"), "line")
    assert stream.take().kind == "line"
    assert stream.take().text == "c"
    assert len(stream.diagnostics.found) == 1


def test_the_end_of_the_text_can_be_read_indefinitely() -> None:
    stream = TokenStream(SourceText(""), LEXER)
    assert [stream.take().kind for _ in range(3)] == [END] * 3
    assert stream.ahead(5).kind == END


# ---------------------------------------------------------------- expressions


def calculator(stream: TokenStream) -> Pratt[int]:
    def prefix(token: Token) -> int:
        return int(token.text)

    def group(token: Token) -> int:
        value = pratt.expression()
        stream.expect(")")
        return value

    def operator(power: int, work: Callable[[int, int], int]) -> Infix[int]:
        return Infix(power, lambda left, token: work(left, pratt.expression(power)))

    infixes = {
        "+": operator(10, lambda a, b: a + b),
        "-": operator(10, lambda a, b: a - b),
        "*": operator(20, lambda a, b: a * b),
        "^": Infix(30, lambda left, token: left ** pratt.expression(29)),
    }
    pratt: Pratt[int] = Pratt(stream, {"number": prefix, "(": group}, infixes)
    return pratt


@pytest.mark.parametrize(
    ("text", "value"),
    [("1+2*3", 7), ("2*3+1", 7), ("7-2-1", 4), ("2^3^2", 512), ("(1+2)*3", 9), ("2*3^2", 18)],
)
def test_operators_bind_by_their_power(text: str, value: int) -> None:
    assert calculator(TokenStream(SourceText(text), LEXER)).expression() == value


def test_nesting_is_bounded() -> None:
    deep = "(" * (MAX_NESTING - 1) + "1" + ")" * (MAX_NESTING - 1)
    assert calculator(TokenStream(SourceText(deep), LEXER)).expression() == 1
    with pytest.raises(ParseError, match="nested more than 60 levels deep"):
        calculator(TokenStream(SourceText(f"({deep})"), LEXER)).expression()


def test_a_token_that_cannot_begin_an_operand_is_refused() -> None:
    with pytest.raises(ParseError, match=r"expected a value, found '\*'"):
        calculator(TokenStream(SourceText("*1"), LEXER)).expression()
