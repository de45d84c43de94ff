"""Expressions of Pascal: four levels of operators over names with indices, fields, pointers and calls."""

import re
from collections.abc import Callable
from typing import Final

from drycell.languages.kit import END, Infix, Mistake, Pratt, Token, TokenStream
from drycell.languages.pascal import syntax
from drycell.languages.pascal.syntax import Expression

LARGEST_CHAIN: Final = 200
"""So many operators, indices and fields may stand in one statement: what is longer no person has written."""
_COMPARE, _ADD, _MULTIPLY = 1, 2, 3
_POWERS: Final = {
    **dict.fromkeys(("=", "<>", "<", "<=", ">", ">=", "in"), _COMPARE),
    **dict.fromkeys(("+", "-", "or", "xor"), _ADD),
    **dict.fromkeys(("*", "/", "div", "mod", "and", "shl", "shr"), _MULTIPLY),
}
_PIECES: Final = re.compile(r"'((?:[^']|'')*)'|#(\$?[0-9A-Fa-f]+)")
_LARGEST_NUMBER: Final = 20
"""Digits of a number; far more than any type takes."""


class Expressions:
    """Reads expressions from a stream of tokens."""

    def __init__(self, stream: TokenStream) -> None:
        self.stream = stream
        self._chain = 0
        self._pratt: Pratt[Expression] = Pratt(
            stream,
            {
                "name": self._name,
                "number": self._number,
                "text": self._string,
                "nil": lambda token: syntax.Nil(token.start, token.end),
                "(": self._brackets,
                "[": self._members,
                "-": self._sign,
                "+": self._sign,
                "not": self._not,
                "@": self._address,
            },
            {operator: Infix(power, self._binary(power)) for operator, power in _POWERS.items()},
        )

    def expression(self) -> Expression:
        """A whole expression."""
        return self._pratt.expression()

    def begin(self) -> None:
        """A statement or declaration begins: its operators are counted from here."""
        self._chain = 0

    def designator(self, token: Token) -> Expression:
        """A name just read, with all indices, fields, pointers and arguments that follow it."""
        stream = self.stream
        made: Expression = syntax.Name(token.start, token.end, token.text.lower(), token.text)
        while True:
            kind = stream.now.kind
            if kind == ".":
                stream.take()
                word = stream.expect("name", "of a field")
                made = syntax.Field(token.start, word.end, made, word.text.lower(), word.text, word.start)
            elif kind == "[":
                made = self._indices(token, made)
            elif kind == "(" and isinstance(made, syntax.Name):
                arguments = self._arguments()
                made = syntax.Call(token.start, stream.last.end, made, arguments)
            elif kind == "^":
                made = syntax.Dereference(token.start, stream.take().end, made)
            else:
                return made
            self._count()

    # ---------------------------------------------------------------- operands

    def _name(self, token: Token) -> Expression:
        return self.designator(token)

    def _indices(self, token: Token, of: Expression) -> Expression:
        stream = self.stream
        stream.take()
        while True:
            self._count()
            of = syntax.Index(token.start, stream.now.end, of, self.expression())
            of.end = of.index.end
            if not stream.accept(","):
                break
        stream.expect("]", "behind the index")
        of.end = stream.last.end
        return of

    def _arguments(self) -> list[Expression]:
        stream, arguments = self.stream, list[Expression]()
        stream.take()
        if stream.accept(")"):
            raise stream.mistake(
                "there is nothing between these brackets", stream.span(stream.last), "a call without arguments has none"
            )
        while True:
            value = self.expression()
            if stream.accept(":"):
                width = self.expression()
                decimals = self.expression() if stream.accept(":") else None
                value = syntax.Formatted(value.start, stream.last.end, value, width, decimals)
            arguments.append(value)
            if not stream.accept(","):
                break
        if not stream.at(")"):
            raise stream.unexpected("',' or ')' behind the argument")
        stream.take()
        return arguments

    def _number(self, token: Token) -> Expression:
        text = token.text
        if len(text) > _LARGEST_NUMBER + 10:
            raise self.stream.mistake("this number has too many digits", self.stream.span(token), "make it shorter")
        if text[0] == "$":
            return syntax.Number(token.start, token.end, int(text[1:], 16))
        if text.isdigit():
            return syntax.Number(token.start, token.end, int(text))
        value = float(text)
        if value in (float("inf"), float("-inf")):
            raise self.stream.mistake(f"{text} is too large for a real", self.stream.span(token), "at most 1.7e308")
        return syntax.Number(token.start, token.end, value)

    def _string(self, token: Token) -> Expression:
        made = ""
        for quoted, code in _PIECES.findall(token.text):
            if not code:
                made += quoted.replace("''", "'")
                continue
            number = int(code[1:], 16) if code[0] == "$" else int(code)
            if number > 255:
                raise self.stream.mistake(f"there is no character #{number}", self.stream.span(token), "0 to 255")
            made += chr(number)
        for sign in made:
            if sign > "\xff":
                raise self.stream.mistake(
                    f"Pascal's characters end at #255, there is no {sign!r}", self.stream.span(token), "write another"
                )
        if len(made) > 255:
            raise self.stream.mistake(
                f"this string has {len(made)} characters, 255 are the most", self.stream.span(token), "divide it"
            )
        return syntax.Text(token.start, token.end, made)

    def _brackets(self, token: Token) -> Expression:
        inner = self.expression()
        self.stream.expect(")", "to close the bracket")
        inner.start, inner.end = token.start, self.stream.last.end
        return inner

    def _members(self, token: Token) -> Expression:
        stream = self.stream
        items = list[tuple[Expression, Expression | None]]()
        if not stream.at("]"):
            while True:
                low = self.expression()
                items.append((low, self.expression() if stream.accept("..") else None))
                if not stream.accept(","):
                    break
        stream.expect("]", "to close the set")
        return syntax.Members(token.start, stream.last.end, items)

    # ---------------------------------------------------------------- operators

    def _sign(self, token: Token) -> Expression:
        self._count()
        operand = self._pratt.expression(_ADD)
        return syntax.Unary(token.start, operand.end, token.kind, operand)

    def _not(self, token: Token) -> Expression:
        self._count()
        operand = self._pratt.expression(_MULTIPLY)
        return syntax.Unary(token.start, operand.end, "not", operand)

    def _address(self, token: Token) -> Expression:
        raise self.stream.mistake(
            "there are no addresses here", self.stream.span(token), "use a VAR parameter, or a pointer made by NEW"
        )

    def _binary(self, power: int) -> Callable[[Expression, Token], Expression]:
        def make(left: Expression, token: Token) -> Expression:
            self._count()
            right = self._pratt.expression(power)
            return syntax.Binary(left.start, right.end, token.kind, token.start, left, right)

        return make

    def _count(self) -> None:
        self._chain += 1
        if self._chain > LARGEST_CHAIN:
            raise self.stream.mistake(
                f"more than {LARGEST_CHAIN} operators in one statement",
                self.stream.span(self.stream.last),
                "divide it into several statements",
            )


def skip(stream: TokenStream, mistake: Mistake, *ends: str) -> set[str]:
    """Report a mistake and go on to a token of some kinds, over blocks that open on the way; the names skipped."""
    stream.diagnostics.add(mistake.diagnostic)
    depth, names = 0, set[str]()
    while not stream.at(END):
        kind = stream.now.kind
        if depth == 0 and kind in ends:
            break
        if kind in ("begin", "case", "repeat", "record"):
            depth += 1
        elif kind in ("end", "until") and depth:
            depth -= 1
        elif kind == "name":
            names.add(stream.now.text.lower())
        stream.take()
    return names
