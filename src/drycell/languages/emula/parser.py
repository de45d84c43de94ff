"""The parser: recursive descent. A mistake ends its statement, and parsing continues after it."""

import math
from typing import Final

from drycell.languages.emula import syntax
from drycell.languages.emula.syntax import Expression, Statement
from drycell.languages.emula.values import LARGEST_INT
from drycell.languages.kit import (
    END,
    BadToken,
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

KEYWORDS: Final = frozenset(
    (
        *("if", "then", "else", "while", "do", "repeat", "until", "begin", "end", "subr", "return", "new"),
        *("and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "div", "mod"),
    )
)
"""Words that cannot be names. SENSORS, EXCEED, AT and FROM are keywords only where a clause can occur."""

LEXER: Final = Lexer(
    [
        ("blank", r"[ \t\r\f\v]+"),
        ("line", r"\n"),
        ("comment", r"/\*[\s\S]*?\*/|--[^\n]*"),  # as in the paper and in AML
        ("open_comment", r"/\*[\s\S]*"),
        ("number", r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![0-9])"),
        ("name", r"[A-Za-z_][A-Za-z_0-9]*"),
        ("string", r"'(?:[^'\n]|'')*'|\"[^\"\n]*\""),
        ("open_string", r"['\"][^\n]*"),
        ("symbol", r"\*\*|<=|>=|<>|[-+*/#$()<>=,;:]"),
    ],
    keywords=KEYWORDS,
    trivia=("blank", "comment"),
    bad_tokens={
        "open_comment": BadToken("this comment has no end", "close it with */", unfinished=True),
        "open_string": BadToken("this string has no end on its line", "close it with the quote it begins with"),
    },
)


class EmulaError(SourceError):
    """A mistake in an EMULA program, found when it is read or when it runs. The session stays usable."""


OR, AND, NOT, COMPARE, JOIN, ADD, MULTIPLY, SIGN, POWER, CALL = range(10, 101, 10)
_COMPARISONS: Final = ("eq", "ne", "lt", "le", "gt", "ge", "=", "<>", "<", "<=", ">", ">=")
_SAME: Final = {"=": "eq", "<>": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_LEFT: Final = {"or": OR, "and": AND, "#": JOIN, "+": ADD, "-": ADD, "*": MULTIPLY, "/": MULTIPLY} | {
    "div": MULTIPLY,
    "mod": MULTIPLY,
}
_MISPRINT: Final = (
    "write commas between the arguments, as in attach (1,random,6,.1,.8); table 2 of the paper is misprinted here"
)


class Expressions(Pratt[Expression]):
    """Parses expressions. A line can continue after an operator, a comma or an opening bracket."""

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
        """Skip line ends."""
        while self.stream.at("line"):
            self.stream.take()

    def arguments(self, closing: str = ")", power: int = 0) -> list[Expression]:
        """Parse expressions between commas, up to the closing bracket, which is read."""
        stream, found = self.stream, list[Expression]()
        self.skip_lines()
        if stream.accept(closing):
            return found
        while True:
            found.append(self.expression(power))
            self._continue_at(",", closing)
            if stream.accept(closing):
                return found
            if not stream.at(","):
                raise stream.unexpected(f"',' or '{closing}'", self._missing_comma(closing))
            stream.take()
            self.skip_lines()

    def _continue_at(self, *kinds: str) -> None:
        """Skip line ends if a token of these kinds follows them; anything else begins another statement."""
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
            return "put a space between '>' and '=', or brackets around a comparison inside an aggregate"
        return None

    # ---------------------------------------------------------------- operands

    def _number(self, token: Token) -> Expression:
        span, text = self.stream.span(token), token.text
        if text.isdigit() and len(text) <= 19 and int(text) <= LARGEST_INT:
            return syntax.Number(span, int(text))
        value = float(text)
        if not math.isfinite(value):
            raise self.stream.mistake("this number is too large", span, "the largest REAL is about 1.8e308")
        return syntax.Number(span, value)

    def _string(self, token: Token) -> Expression:
        inner = token.text[1:-1]
        return syntax.StringLiteral(
            self.stream.span(token), inner.replace("''", "'") if token.text[0] == "'" else inner
        )

    def _name(self, token: Token) -> "syntax.Name":
        return syntax.Name(self.stream.span(token), token.text.lower(), token.text)

    def _parenthesis(self, token: Token) -> Expression:
        self.skip_lines()
        inner = self.expression()
        self._continue_at(")")
        hint = None
        if isinstance(inner, syntax.Name) and self.stream.at("name", "number", "string", "<"):
            hint = f"write a call as {inner.written}(a, b)"
        elif self.stream.at(","):
            hint = "write a list of values as <1,2,3>"
        self.stream.expect(")", hint=hint)
        return inner

    def _aggregate(self, token: Token) -> Expression:
        # Comparisons bind less strongly than this, so that '>' ends the aggregate.
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
        name = self._name(self.stream.expect("name", "of a subroutine after '$'"))
        return syntax.Reference(self.stream.since(token), name)

    def _choice(self, token: Token) -> Expression:
        condition = self.expression()
        self._continue_at("then")
        self.stream.expect("then", "after the condition")
        self.skip_lines()
        yes = self.expression()
        self._continue_at("else")
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


_ENDERS = ("end", "until", "else")


def parse(source: SourceText) -> syntax.EmulaText:
    """Parse a text.

    Raises:
        EmulaError: the text has mistakes; the error lists all of them.
    """
    parser = EmulaParser(source)
    program = parser.program()
    parser.stream.diagnostics.raise_any(EmulaError)
    return program


def is_unfinished(source: SourceText) -> bool:
    """Whether the only problem with the input is that it ends too early, so that the console asks for another line."""
    parser = EmulaParser(source)
    parser.program()
    return parser.stream.diagnostics.unfinished


class EmulaParser:
    """Parses the statements of a text."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.stream = TokenStream(source, LEXER)
        self.expressions = Expressions(self.stream)

    def program(self) -> syntax.EmulaText:
        """Parse the whole text."""
        stream, body, ends = self.stream, list[Statement](), list[int]()
        try:
            while not stream.at(END):
                if stream.accept(";", "line"):
                    continue
                place = stream.now.start
                try:
                    statement = self._statement(outermost=True)
                    self._end_of_statement()
                    body.append(statement)
                    ends.append(self._end_with_comments())
                except ParseError as mistake:
                    stream.recover(mistake, ";", "line")
                    if stream.now.start == place:
                        stream.take()
        except TooMany:
            pass
        return syntax.EmulaText(self.source, body, ends)

    def _end_with_comments(self) -> int:
        """The offset of the end of the statement and of the comments that begin on its line."""
        end = self.stream.last.end
        for each in self.stream.now.trivia:
            if each.kind == "comment":
                end = each.end
        return end

    def _end_of_statement(self) -> None:
        stream = self.stream
        if stream.accept(";") or stream.at("line", END, *_ENDERS):
            return
        raise stream.unexpected("';' or a new line after the statement", self._clause_hint())

    def _clause_hint(self) -> str | None:
        if self.stream.at_word("sensors", "sensor", "exceed", "exceeds"):
            return "write a guarded move as: movedown (10) until sensors (1,2) exceed (10)"
        if self.stream.at(":"):
            return "declare a variable as name: NEW value; and a subroutine as name: SUBR(a, b); … END;"
        if self.stream.last.kind == "name" and self.stream.at("name", "number", "string"):
            return f"put arguments in brackets: {self.stream.last.text} ({self.stream.now.text})"
        return None

    # ---------------------------------------------------------------- statements

    def _statement(self, outermost: bool = False) -> Statement:
        stream = self.stream
        stream.enter()
        try:
            first = stream.now
            match first.kind:
                case "if":
                    return self._if(stream.take())
                case "while":
                    return self._while(stream.take())
                case "repeat":
                    return self._repeat(stream.take())
                case "begin":
                    return self._block(stream.take())
                case "return":
                    return self._return(stream.take())
                case "end" | "else" | "until" | "then" | "do":
                    raise stream.unexpected("a statement", f"this {first.text} does not belong to any statement")
                case "name" if stream.ahead().kind == ":":
                    return self._definition(outermost)
            return self._simple()
        finally:
            stream.leave()

    def _simple(self) -> Statement:
        """Parse an assignment, a command with its clauses, or an expression."""
        stream, first = self.stream, self.stream.now
        what = self.expressions.expression(COMPARE)
        if stream.at("=") and isinstance(what, (syntax.Name, syntax.Call)):
            stream.take()
            self.expressions.skip_lines()
            value = self.expressions.expression()
            return syntax.Assign(stream.since(first), what, value)
        clauses = self._clauses() if isinstance(what, (syntax.Name, syntax.Call)) else None
        if clauses is None:
            what = self.expressions.rest(what)
        return syntax.Do(stream.since(first), what, clauses)

    def _definition(self, outermost: bool) -> Statement:
        stream = self.stream
        first = stream.take()
        name = syntax.Name(stream.span(first), first.text.lower(), first.text)
        stream.take()
        if stream.accept("new"):
            value = self.expressions.expression()
            return syntax.Declare(stream.since(first), name, value)
        if not stream.at("subr"):
            raise stream.unexpected("NEW or SUBR after ':'", f"write {first.text}: NEW 0; or {first.text}: SUBR(a);")
        if not outermost:
            raise stream.mistake(
                "a subroutine cannot be defined inside a statement", stream.span(stream.now), "define it before that"
            )
        return self._subroutine(first, name)

    def _subroutine(self, first: Token, name: syntax.Name) -> Statement:
        stream = self.stream
        stream.take()
        parameters = list[syntax.Name]()
        if stream.accept("("):
            while not stream.accept(")"):
                word = stream.expect("name", "of a parameter")
                if word.text.lower() in (each.name for each in parameters):
                    raise stream.mistake(f"two parameters are called {word.text!r}", stream.span(word), "rename one")
                parameters.append(syntax.Name(stream.span(word), word.text.lower(), word.text))
                if not stream.at(")"):
                    stream.expect(",", "between parameters")
        if not stream.at("line"):
            stream.expect(";", "after the head of a subroutine")
        body = self._body("end", f"of subroutine {name.written}")
        stream.take()
        return syntax.Subroutine(stream.since(first), name, parameters, body)

    def _body(self, closing: str, whose: str) -> list[Statement]:
        """Parse statements up to a closing word, which is not read. Mistakes do not end the list."""
        stream, body = self.stream, list[Statement]()
        while not stream.at(closing):
            if stream.accept(";", "line"):
                continue
            if stream.at(END):
                raise stream.unexpected(f"{closing.upper()} {whose}")
            place = stream.now.start
            try:
                body.append(self._statement())
                self._end_of_statement()
            except ParseError as mistake:
                stream.recover(mistake, ";", "line", closing)
                if stream.now.start == place and not stream.at(closing):
                    stream.take()
        return body

    def _block(self, first: Token) -> Statement:
        body = self._body("end", "of BEGIN")
        self.stream.take()
        return syntax.CompoundStatement(self.stream.since(first), body)

    def _if(self, first: Token) -> Statement:
        stream = self.stream
        condition = self._condition("then", "IF a LT b THEN …")
        yes, no = self._statement(), None
        count = 0
        while stream.ahead(count).kind in ("line", ";"):
            count += 1
        if stream.ahead(count).kind == "else":
            for _ in range(count + 1):
                stream.take()
            self.expressions.skip_lines()
            no = self._statement()
        return syntax.If(stream.since(first), condition, yes, no)

    def _while(self, first: Token) -> Statement:
        condition = self._condition("do", "WHILE a LT b DO …")
        body = self._statement()
        return syntax.While(self.stream.since(first), condition, body)

    def _condition(self, closing: str, example: str) -> Expression:
        condition = self.expressions.expression()
        self.expressions.skip_lines()
        self.stream.expect(closing, "after the condition", f"write {example}")
        self.expressions.skip_lines()
        return condition

    def _repeat(self, first: Token) -> Statement:
        body = self._body("until", "of REPEAT")
        self.stream.take()
        condition = self.expressions.expression()
        return syntax.Repeat(self.stream.since(first), body, condition)

    def _return(self, first: Token) -> Statement:
        value = None
        if not self.stream.at(";", "line", END, *_ENDERS):
            value = self.expressions.expression()
        return syntax.Return(self.stream.since(first), value)

    # ---------------------------------------------------------------- clauses

    def _clauses(self) -> syntax.Clauses | None:
        stream = self.stream
        clauses = syntax.Clauses()
        while True:
            first = stream.now
            if stream.at("until") and self._at_sensors():
                word, clauses.until = "until", self._until()
            elif stream.accept_word("at"):
                word, clauses.at = "at", self._list("at (1,0,0)")
            elif stream.accept_word("from"):
                word = "from"
                found = self._list("from (finger1)")
                if len(found) != 1:
                    raise stream.mistake("FROM takes one name", stream.since(first), "write from (finger1)")
                clauses.from_ = found[0]
            else:
                return clauses if clauses.spans else None
            if word in clauses.spans:
                raise stream.mistake(f"a second {word.upper()} in one command", stream.since(first), "remove one")
            clauses.spans[word] = stream.since(first)

    def _at_sensors(self) -> bool:
        """Whether UNTIL belongs to the command, because SENSORS follows, and not to a REPEAT around it."""
        word = self.stream.ahead()
        return word.kind == "name" and word.text.lower() == "sensors"

    def _until(self) -> syntax.Until:
        stream = self.stream
        first = stream.take()
        stream.take()
        example = "until sensors (1,2) exceed (10)"
        sensors = self._list(example)
        stream.expect_word("exceed", wanted="EXCEED after the sensors", hint=f"write {example}")
        limit = self._list(example)
        if len(limit) != 1:
            raise stream.mistake("EXCEED takes one limit", stream.since(first), f"write {example}")
        return syntax.Until(stream.since(first), sensors, limit[0])

    def _list(self, example: str) -> list[Expression]:
        """Parse values in brackets, or a single one without brackets."""
        if self.stream.accept("("):
            return self.expressions.arguments()
        if self.stream.at(END, "line", ";"):
            raise self.stream.unexpected("'('", f"write {example}")
        return [self.expressions.expression()]
