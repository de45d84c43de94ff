"""Expressions of a logic block: from text to tree, with the column of everything in it.

Read by recursive descent, bounded in length and depth; nothing is ever evaluated as Python.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NoReturn

from drycell.base import FieldError

MOST_SIGNS: Final = 2000
MOST_DEPTH: Final = 40
_TOKEN: Final = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d][\w.-]*(?:/[^\W\d][\w.-]*)*)"
    r"|(?P<text>'[^']*'|\"[^\"]*\")"
    r"|(?P<sign><=|>=|<>|!=|==|[=<>+*(),-])"
)
COMPARISONS: Final = {"=": "==", "==": "==", "<>": "!=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_WORDS: Final = frozenset({"and", "or", "not", "true", "false"})


@dataclass(frozen=True, slots=True)
class Number:
    """A number, with the unit it was written with, or none."""

    column: int
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Constant:
    """True, false, or a text in quotes."""

    column: int
    value: bool | str


@dataclass(frozen=True, slots=True)
class Reference:
    """The name of a signal."""

    column: int
    name: str


@dataclass(frozen=True, slots=True)
class Operation:
    """``and``, ``or``, ``+`` and ``*`` of two and more; a comparison of two; ``not`` and ``-`` of one."""

    column: int
    sign: str
    operands: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A timer, an edge, a latch or a counter with what it looks at."""

    column: int
    name: str
    arguments: tuple["Expression", ...]


Expression = Number | Constant | Reference | Operation | Call


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    column: int


def wrong(text: str, column: int, what: str, hint: str | None = None) -> FieldError:
    """The error about a place in an expression."""
    shown = text if len(text) <= 60 else text[:59] + "…"
    return FieldError(f"{shown!r}, column {column}: {what}", hint=hint)


def parse_expression(text: str) -> Expression:
    """The tree of an expression; FieldError says at which column it goes wrong."""
    if len(text) > MOST_SIGNS:
        raise wrong(text, MOST_SIGNS + 1, f"an expression has at most {MOST_SIGNS} signs, this has {len(text)}")
    reader = _Reader(text)
    found = reader.either()
    if reader.token.kind != "end":
        reader.stray()
    return found


def references(tree: Expression) -> Iterator[Reference]:
    """The signals that an expression names, in the order of their columns."""
    match tree:
        case Reference():
            yield tree
        case Operation(operands=parts) | Call(arguments=parts):
            for part in parts:
                yield from references(part)


def _tokens(text: str) -> list[_Token]:
    found, place = [], 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        match = _TOKEN.match(text, place)
        if match is None:
            what = "this text has no end" if text[place] in "'\"" else f"the sign {text[place]!r} means nothing here"
            raise wrong(text, place + 1, what, "close the quotes" if text[place] in "'\"" else "take it out")
        kind, word = match.lastgroup or "", match.group()
        if kind == "sign" or word.lower() in _WORDS:
            kind = word = word.lower()
        found.append(_Token(kind, word, place + 1))
        place = match.end()
    return [*found, _Token("end", "", len(text) + 1)]


class _Reader:
    """Goes through the tokens, the loosest operators first."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._place = 0
        self._depth = 0

    @property
    def token(self) -> _Token:
        """The next one."""
        return self._tokens[self._place]

    def stray(self) -> NoReturn:
        """Says that the next token does not fit."""
        token = self.token
        if token.kind == "end":
            raise wrong(self._text, token.column, "something is missing at the end", "complete it")
        hint = "join conditions with 'and' or 'or'" if token.kind in ("name", "number", "text", "not") else None
        raise wrong(self._text, token.column, f"{token.text!r} does not fit here", hint)

    def either(self) -> Expression:
        """Conditions joined by ``or``."""
        self._depth += 1
        if self._depth > MOST_DEPTH:
            what = f"this is nested more than {MOST_DEPTH} deep"
            raise wrong(self._text, self.token.column, what, "give a part of it a rule of its own")
        found = self._row("or", self._both)
        self._depth -= 1
        return found

    def _both(self) -> Expression:
        return self._row("and", self._negated)

    def _row(self, sign: str, part: Callable[[], Expression]) -> Expression:
        """Parts joined by one sign: a long row of them makes no deep tree."""
        parts, column = [part()], 0
        while self.token.kind == sign:
            column = self._take().column
            parts.append(part())
        return Operation(column, sign, tuple(parts)) if len(parts) > 1 else parts[0]

    def _negated(self) -> Expression:
        columns = []
        while self.token.kind == "not":
            columns.append(self._take().column)
        found = self._compared()
        # Two of them cancel out.
        return Operation(columns[0], "not", (found,)) if len(columns) % 2 else found

    def _compared(self) -> Expression:
        found = self._sum()
        if self.token.kind in COMPARISONS:
            token = self._take()
            found = Operation(token.column, COMPARISONS[token.text], (found, self._sum()))
        return found

    def _sum(self) -> Expression:
        parts, first = [self._product()], self.token.column
        while self.token.kind in ("+", "-"):
            sign = self._take()
            part = self._product()
            parts.append(part if sign.kind == "+" else Operation(sign.column, "-", (part,)))
        return Operation(first, "+", tuple(parts)) if len(parts) > 1 else parts[0]

    def _product(self) -> Expression:
        return self._row("*", self._signed)

    def _signed(self) -> Expression:
        if self.token.kind == "-":
            column = self._take().column
            return Operation(column, "-", (self._single(),))
        return self._single()

    def _single(self) -> Expression:
        token = self.token
        if token.kind == "(":
            self._take()
            found = self.either()
            self._close()
            return found
        if token.kind == "number":
            self._take()
            unit = self._take().text if self.token.kind == "name" else ""
            return Number(token.column, float(token.text), unit)
        if token.kind in ("true", "false"):
            return Constant(self._take().column, token.kind == "true")
        if token.kind == "text":
            return Constant(self._take().column, token.text[1:-1])
        if token.kind != "name":
            self.stray()
        self._take()
        return self._call(token) if self.token.kind == "(" else Reference(token.column, token.text)

    def _call(self, name: _Token) -> Call:
        self._take()
        arguments = [self.either()]
        while self.token.kind == ",":
            self._take()
            arguments.append(self.either())
        self._close()
        return Call(name.column, name.text.lower(), tuple(arguments))

    def _close(self) -> None:
        if self.token.kind != ")":
            if self.token.kind == "end":
                raise wrong(self._text, self.token.column, "a bracket is not closed", "write ')'")
            self.stray()
        self._take()

    def _take(self) -> _Token:
        token = self.token
        self._place += 1
        return token
