"""Expressions of EMULA's language: operators with their powers, aggregates, calls and subscripts."""

import math
from typing import Final

from drycell.languages.emula import syntax
from drycell.languages.emula.syntax import Expression
from drycell.languages.kit import END, Infix, Pratt, Token, TokenStream

OR, AND, NOT, COMPARE, JOIN, ADD, MULTIPLY, SIGN, POWER, CALL = range(10, 101, 10)
_COMPARISONS: Final = ("eq", "ne", "lt", "le", "gt", "ge", "=", "<>", "<", "<=", ">", ">=")
_SAME: Final = {"=": "eq", "<>": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_LEFT: Final = {"or": OR, "and": AND, "#": JOIN, "+": ADD, "-": ADD, "*": MULTIPLY, "/": MULTIPLY} | {
    "div": MULTIPLY,
    "mod": MULTIPLY,
}
_LARGEST_INT: Final = 2**63 - 1
_MISPRINT: Final = (
    "write commas between the arguments, as in attach (1,random,6,.1,.8); table 2 of the paper is misprinted here"
)


class Expressions(Pratt[Expression]):
    """Reads expressions; a line may go on behind an operator, a comma or an opening bracket."""

    def __init__(self, stream: TokenStream) -> None:
        infixes = {sign: Infix(power, self._binary) for sign, power in _LEFT.items()}
        infixes |= {sign: Infix(COMPARE, self._binary) for sign in _COMPARISONS}
        infixes |= {"**": Infix(POWER, self._power), "(": Infix(CALL, self._call)}
        prefixes = {
            "number": self._number,
            "string": self._string,
            "name": self._name,
            "(": self._parenthesis,
            "<": self._aggregate,
            "<>": self._empty,
            "-": self._sign,
            "+": self._sign,
            "not": self._not,
            "$": self._reference,
            "if": self._choice,
        }
        super().__init__(stream, prefixes, infixes)
        self.stream = stream

    def skip_lines(self) -> None:
        """Go on on the next line that has anything."""
        while self.stream.at("line"):
            self.stream.take()

    def arguments(self, closing: str = ")", power: int = 0) -> list[Expression]:
        """Expressions between commas, up to the closing bracket, which is read."""
        stream, found = self.stream, list[Expression]()
        self.skip_lines()
        if stream.accept(closing):
            return found
        while True:
            found.append(self.expression(power))
            self._go_on((",", closing))
            if stream.accept(closing):
                return found
            if not stream.at(","):
                raise stream.unexpected(f"',' or '{closing}'", self._missing_comma(closing))
            stream.take()
            self.skip_lines()

    def _go_on(self, kinds: tuple[str, ...]) -> None:
        """A bracket may be closed, or its list go on, on a later line; anything else there is another statement."""
        stream, count = self.stream, 0
        while stream.ahead(count).kind == "line":
            count += 1
        if stream.ahead(count).kind in (*kinds, END):
            self.skip_lines()

    def _missing_comma(self, closing: str) -> str | None:
        stream = self.stream
        last, now = stream.last, stream.now
        if last.kind == "number" and last.text.endswith(".") and last.end == now.start and now.kind == "name":
            return _MISPRINT
        if closing == ">" and now.kind in (">=", "<", "<="):
            return "write a blank between '>' and '=', or brackets around a comparison inside an aggregate"
        return None

    # ---------------------------------------------------------------- operands

    def _number(self, token: Token) -> Expression:
        span, text = self.stream.span(token), token.text
        if text.isdigit() and len(text) <= 19 and int(text) <= _LARGEST_INT:
            return syntax.Number(span, int(text))
        value = float(text)
        if not math.isfinite(value):
            raise self.stream.mistake("this number is too large", span, "the greatest REAL is about 1.8e308")
        return syntax.Number(span, value)

    def _string(self, token: Token) -> Expression:
        inner = token.text[1:-1]
        return syntax.Text(self.stream.span(token), inner.replace("''", "'") if token.text[0] == "'" else inner)

    def _name(self, token: Token) -> "syntax.Name":
        return syntax.Name(self.stream.span(token), token.text.lower(), token.text)

    def _parenthesis(self, token: Token) -> Expression:
        self.skip_lines()
        inner = self.expression()
        self._go_on((")",))
        hint = None
        if isinstance(inner, syntax.Name) and self.stream.at("name", "number", "string", "<"):
            hint = f"a call is written {inner.written}(a, b)"
        elif self.stream.at(","):
            hint = "a list of values is written <1,2,3>"
        self.stream.expect(")", hint=hint)
        return inner

    def _aggregate(self, token: Token) -> Expression:
        # Comparisons bind weaker than this, so that '>' ends the aggregate.
        items = self.arguments(">", COMPARE)
        return syntax.Aggregate(self.stream.since(token), items)

    def _empty(self, token: Token) -> Expression:
        return syntax.Aggregate(self.stream.span(token), [])

    def _sign(self, token: Token) -> Expression:
        operand = self.expression(SIGN - 1)
        if isinstance(operand, syntax.Number) and token.text == "-":
            return syntax.Number(self.stream.since(token), -operand.value)
        return syntax.Unary(self.stream.since(token), token.kind, operand)

    def _not(self, token: Token) -> Expression:
        operand = self.expression(NOT - 1)
        return syntax.Unary(self.stream.since(token), "not", operand)

    def _reference(self, token: Token) -> Expression:
        name = self._name(self.stream.expect("name", "of a subroutine behind '$'"))
        return syntax.Reference(self.stream.since(token), name)

    def _choice(self, token: Token) -> Expression:
        condition = self.expression()
        self._go_on(("then",))
        self.stream.expect("then", "behind the condition")
        self.skip_lines()
        yes = self.expression()
        self._go_on(("else",))
        self.stream.expect("else", hint="an IF that is a value needs both THEN and ELSE")
        self.skip_lines()
        no = self.expression()
        return syntax.Choice(self.stream.since(token), condition, yes, no)

    # ---------------------------------------------------------------- operators

    def _binary(self, left: Expression, token: Token) -> Expression:
        self.skip_lines()
        power = COMPARE if token.kind in _COMPARISONS else _LEFT[token.kind]
        right = self.expression(power)
        return syntax.Binary(left.span.to(right.span), _SAME.get(token.kind, token.kind), left, right)

    def _power(self, left: Expression, token: Token) -> Expression:
        self.skip_lines()
        right = self.expression(POWER - 1)  # 2 ** 3 ** 2 is 2 ** 9
        return syntax.Binary(left.span.to(right.span), "**", left, right)

    def _call(self, left: Expression, token: Token) -> Expression:
        arguments = self.arguments()
        span = left.span._replace(end=self.stream.last.end)
        return syntax.Call(span, left, arguments)
