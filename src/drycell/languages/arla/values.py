"""What instructions are made of: numbers within their bounds, registers, calculations, conditions, offsets."""

from collections.abc import Callable
from typing import Final, cast

from drycell.base import mm
from drycell.languages.arla import syntax
from drycell.languages.arla.syntax import Arithmetic, Comparison, Condition, Value
from drycell.languages.kit import Infix, Mistake, Pratt, Token, TokenStream

REGISTERS: Final = 120
"""There are so many registers, numbered from 1, as in the S3."""
SMALLEST: Final = -32768
LARGEST: Final = 32767
"""A register holds 16 bits."""
_LONGEST: Final = 12
"""Digits of a number; more make no place and no time."""
_MOST_SIGNS: Final = 100
"""Signs of arithmetic in one value: what is longer no person has written."""
_COMPARISONS: Final = ("=", "<>", "<", "<=", ">", ">=")


class ValueReader:
    """Reads values from a stream of tokens."""

    def __init__(self, stream: TokenStream) -> None:
        self.stream = stream
        self._signs = 0
        prefixes: dict[str, Callable[[Token], Value]] = {
            "number": lambda token: syntax.Number(self._whole(token)),
            "register": lambda token: syntax.Register(self._register(token)),
            "name": self._line,
            "-": lambda token: syntax.Calculation(syntax.Number(0), "-", self._pratt.expression(3)),
            "(": self._grouped,
        }
        infixes = {sign: Infix(power, self._calculation) for sign, power in (("+", 1), ("-", 1), ("*", 2), ("/", 2))}
        self._pratt: Pratt[Value] = Pratt(stream, prefixes, infixes, wanted="a number, a register, INP or OUT")

    # ---------------------------------------------------------------- numbers

    def whole(self, purpose: str, least: int = 1, most: int = 9999) -> int:
        """A whole number within bounds."""
        token = self.stream.expect("number", purpose)
        value = self._whole(token)
        if not least <= value <= most:
            raise self._mistake(token, f"{value} is out of range: {purpose.removeprefix('of ')} is {least}..{most}")
        return value

    def decimal(self, purpose: str) -> float:
        """A number with or without a sign and decimals."""
        sign = self.stream.accept("+", "-")
        token = self.stream.expect("number", purpose)
        self._bounded(token)
        return -float(token.text) if sign is not None and sign.kind == "-" else float(token.text)

    def positive(self, purpose: str, most: float) -> float:
        """A number above 0, up to a greatest."""
        token = self.stream.now
        value = self.decimal(purpose)
        if not 0.0 < value <= most:
            raise self._mistake(
                token, f"{value:g} is out of range: {purpose.removeprefix('of ')} is above 0, up to {most:g}"
            )
        return value

    def register(self) -> int:
        """The number of a register."""
        return self._register(self.stream.expect("register", "", "registers are written R1, R2, …"))

    def line(self, *words: str) -> int:
        """``INP n`` or ``OUT n``: the number of the line."""
        if not self.stream.at_word(*words):
            raise self.stream.unexpected(" or ".join(word.upper() for word in words[:1]))
        self.stream.take()
        return self.whole("of a line")

    # ---------------------------------------------------------------- values and conditions

    def value(self) -> Value:
        """A calculation."""
        self._signs = 0
        return self._pratt.expression()

    def conditions(self) -> tuple[Condition, ...]:
        """``R41 > 0 * R42 > 0``: the sign * between conditions means AND, so it multiplies in none of them."""
        found = [self._condition()]
        while self.stream.accept("*"):
            found.append(self._condition())
        return tuple(found)

    def offset(self) -> tuple[float, float, float]:
        """``X=0.0 Y=0.0 Z=10.0`` in millimetres, as metres; axes that are left out are 0."""
        found: dict[str, float] = {}
        while self.stream.at_word("x", "y", "z"):
            token = self.stream.take()
            if token.text.lower() in found:
                raise self._mistake(token, f"{token.text} is given twice")
            self.stream.expect("=")
            found[token.text.lower()] = self.decimal("of millimetres") * mm
        if not found:
            raise self.stream.unexpected("X=, Y= or Z=")
        return found.get("x", 0.0), found.get("y", 0.0), found.get("z", 0.0)

    def _condition(self) -> Condition:
        left = self._operand()
        if self.stream.now.kind not in _COMPARISONS:
            raise self.stream.unexpected("=, <>, <, <=, > or >=")
        sign = cast(Comparison, self.stream.take().kind)
        return Condition(left, sign, self._operand())

    def _operand(self) -> Value:
        self._signs = 0
        return self._pratt.expression(2)

    # ---------------------------------------------------------------- inside

    def _line(self, token: Token) -> Value:
        word = token.text.lower()
        if word not in ("inp", "out", "outp"):
            raise self._mistake(token, f"{token.text} is no value", "values are numbers, R1, INP 1 and OUT 1")
        return syntax.Line(self.whole("of a line"), output=word != "inp")

    def _grouped(self, token: Token) -> Value:
        value = self._pratt.expression()
        self.stream.expect(")")
        return value

    def _calculation(self, left: Value, token: Token) -> Value:
        sign = cast(Arithmetic, token.kind)
        self._signs += 1
        if self._signs > _MOST_SIGNS:
            raise self._mistake(token, f"more than {_MOST_SIGNS} signs in one value", "calculate in several steps")
        return syntax.Calculation(left, sign, self._pratt.expression(1 if sign in "+-" else 2))

    def _register(self, token: Token) -> int:
        number = int(token.text[1:_LONGEST])
        if not 1 <= number <= REGISTERS:
            raise self._mistake(token, f"there is no register {token.text[:_LONGEST]}, they go R1..R{REGISTERS}")
        return number

    def _whole(self, token: Token) -> int:
        self._bounded(token)
        if not token.text.isdigit():
            raise self._mistake(token, f"{token.text} is no whole number", "registers and numbers of things are whole")
        return int(token.text)

    def _bounded(self, token: Token) -> None:
        if len(token.text) > _LONGEST:
            raise self._mistake(token, f"this number has more than {_LONGEST} digits")

    def _mistake(self, token: Token, what: str, hint: str | None = None) -> Mistake:
        return self.stream.mistake(what, self.stream.span(token), hint)
