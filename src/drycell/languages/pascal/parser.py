"""The parser: reads a program or a unit from its text, and collects all mistakes."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar, Final

from drycell.languages.kit import (
    END,
    BadToken,
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
from drycell.languages.pascal import syntax
from drycell.languages.pascal.syntax import Declaration, Expression, Statement, TypeExpression

KEYWORDS: Final = frozenset(
    (
        *("and", "array", "begin", "case", "const", "div", "do", "downto", "else", "end", "file", "for", "function"),
        *("goto", "if", "in", "label", "mod", "nil", "not", "of", "or", "packed", "procedure", "program", "record"),
        *("repeat", "set", "then", "to", "type", "until", "var", "while", "with"),  # standard Pascal up to here
        *("implementation", "interface", "shl", "shr", "string", "unit", "uses", "xor"),
    )
)
"""Words that cannot be names. FORWARD, EXTERNAL and OTHERWISE are keywords only where they can occur."""
LEXER: Final = Lexer(
    [
        ("blank", r"[ \t\r\n\f\v]+"),
        ("comment", r"\{[^}]*\}|\(\*[\s\S]*?\*\)|//[^\n]*"),
        ("open_comment", r"\{[\s\S]*|\(\*[\s\S]*"),
        ("dos_end", r"\x1a[\s\S]*"),  # DOS editors end a file with Ctrl-Z; what follows is not part of it
        ("name", r"[A-Za-z_][A-Za-z_0-9]*"),
        ("number", r"\$[0-9A-Fa-f]+|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![A-Za-z_])"),
        ("bad_number", r"[0-9]+(?:\.[0-9]+)?[A-Za-z_][A-Za-z_0-9]*"),
        ("text", r"(?:'(?:[^'\n]|'')*'|#[0-9]{1,3}|#\$[0-9A-Fa-f]{1,2})+"),
        ("open_string", r"'[^\n]*"),
        ("symbol", r":=|\.\.|<=|>=|<>|[-+*/()\[\]<>=,;:.^@]"),
    ],
    keywords=KEYWORDS,
    trivia=("blank", "comment", "dos_end"),
    bad_tokens={
        "open_comment": BadToken("this comment has no end", "close it with } or *)", unfinished=True),
        "open_string": BadToken("this string has no end on its line", "close it with '"),
        "bad_number": BadToken("this is neither a number nor a name", "put a space between the two"),
    },
)
MAX_OPERATORS: Final = 200
"""The most operators, indices and fields in one statement, and the most ELSE IFs in one chain."""
_COMPARE, _ADD, _MULTIPLY = 1, 2, 3
_POWERS: Final = {
    **dict.fromkeys(("=", "<>", "<", "<=", ">", ">=", "in"), _COMPARE),
    **dict.fromkeys(("+", "-", "or", "xor"), _ADD),
    **dict.fromkeys(("*", "/", "div", "mod", "and", "shl", "shr"), _MULTIPLY),
}
_PIECES: Final = re.compile(r"'((?:[^']|'')*)'|#(\$?[0-9A-Fa-f]+)")
_MAX_DIGITS: Final = 30
"""The longest number, in digits: far more than any type holds."""
_STATEMENT_STARTS: Final = frozenset(
    ("name", "number", "begin", "if", "while", "repeat", "for", "case", "with", "goto")
)
_OUTSIDE_STATEMENTS: Final = (
    "procedure",
    "function",
    "var",
    "const",
    "type",
    "label",
    "implementation",
    "interface",
    "uses",
)
_UNSUPPORTED: Final = {
    "label": ("labels and GOTO are not supported", "use WHILE, REPEAT, BREAK, CONTINUE or EXIT"),
    **dict.fromkeys(("^", "nil"), ("pointers are not supported", "use an array and an index into it")),
    "case": ("records with variants are not supported", "give the record all fields"),
    "file": ("files are not supported", "print with WRITELN"),
    "@": ("addresses are not supported", "use a VAR parameter"),
}
"""The messages and hints for features that are not supported, by the token that begins them."""
_SECTIONS: Final = ("procedure", "function", "var", "const", "type", "label", "begin", "implementation", "uses")
_DIRECTIVES: Final = ("forward", "external", "far", "near")


class PascalError(SourceError):
    """A mistake in a Pascal program, found when it is read or when it runs."""


@dataclass(frozen=True, slots=True)
class ParsedText:
    """The result of parsing a text, with its mistakes. ``program`` is None if almost nothing could be read."""

    program: syntax.CompilationUnit | None
    diagnostics: Diagnostics


def read(source: SourceText) -> ParsedText:
    """Parse a program or a unit as far as possible."""
    parser = PascalParser(source)
    program = None
    try:
        program = parser.program()
    except ParseError as mistake:
        parser.report(mistake)
    except TooMany:
        pass
    return ParsedText(program, parser.stream.diagnostics)


class PascalParser:
    """Parses one program or unit by recursive descent. ``skipped`` has the names in text that could not be read."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.stream = stream = TokenStream(source, LEXER)
        self.skipped: set[str] = set()
        self._operators = 0
        self._pratt: Pratt[Expression] = Pratt(
            stream,
            {
                "name": self.designator,
                "number": self._number,
                "text": self._string,
                "(": self._brackets,
                "-": self._sign,
                "+": self._sign,
                "not": self._not,
                "[": self._set_constructor,
                **dict.fromkeys(("nil", "@"), self._unsupported_value),
            },
            {operator: Infix(power, self._binary(power)) for operator, power in _POWERS.items()},
        )

    def report(self, mistake: ParseError) -> None:
        """Add a mistake, unless there are too many already."""
        with suppress(TooMany):
            self.stream.diagnostics.add(mistake.diagnostic)

    def program(self) -> syntax.CompilationUnit:
        """Parse the whole text."""
        stream = self.stream
        if stream.at("unit"):
            return self._unit()
        first = stream.now
        name = syntax.Name(first.start, first.start, "main", "main")
        if stream.accept("program"):
            try:
                name = self._named("of the program")
                if stream.accept("("):
                    self._names("of a file")
                    stream.expect(")", "after the files")
                stream.expect(";", "after the program's name")
            except ParseError as mistake:
                skip(stream, mistake, ";", *_SECTIONS)
                stream.accept(";")
        uses = self._uses()
        body = syntax.RoutineBody(first.start, first.end, [], syntax.CompoundStatement(first.start, first.end, []))
        made = syntax.CompilationUnit(first.start, first.end, self.source, name, uses, body, skipped=self.skipped)
        try:
            made.body = self.body()
            self._full_stop()
        except ParseError as mistake:
            self.report(mistake)
        made.end = stream.last.end
        return made

    def _unit(self) -> syntax.CompilationUnit:
        stream, first = self.stream, self.stream.take()
        name = self._named("of the unit")
        stream.expect(";", "after the unit's name")
        stream.expect("interface", "of the unit")
        uses = self._uses()
        declared = self.declarations(heads_only=True)
        exported = len(declared)
        if not stream.at("implementation"):
            raise stream.unexpected("a declaration or IMPLEMENTATION")
        stream.take()
        uses += self._uses()
        declared += self.declarations()
        statements = syntax.CompoundStatement(stream.now.start, stream.now.end, [])
        if stream.at("begin"):
            statements = self.block(stream.take())
        else:
            stream.expect("end", "of the unit")
        self._full_stop()
        body = syntax.RoutineBody(first.start, stream.last.end, declared, statements)
        return syntax.CompilationUnit(
            first.start, stream.last.end, self.source, name, uses, body, True, exported, skipped=self.skipped
        )

    def _uses(self) -> list[syntax.Name]:
        stream = self.stream
        if not stream.accept("uses"):
            return []
        try:
            names = self._names("of a unit")
            stream.expect(";", "after the units")
            return names
        except ParseError as mistake:
            self.skipped |= skip(stream, mistake, ";", *_SECTIONS)
            stream.accept(";")
            return []

    def _full_stop(self) -> None:
        """Parse the end of the text. What follows it is ignored, as in every Pascal."""
        stream = self.stream
        if not stream.at("."):
            hint = "there is one END too many before this" if not stream.at(END) else None
            raise stream.unexpected("'.' after the last END", hint)
        stream.take()

    # ---------------------------------------------------------------- declarations

    def declarations(self, *, heads_only: bool = False) -> list[Declaration]:
        """Parse all sections up to the first token that does not begin one."""
        stream, found = self.stream, list[Declaration]()
        while True:
            self.begin()
            place = stream.now.start
            try:
                match stream.now.kind:
                    case "label":
                        raise self._unsupported(stream.take())
                    case "const":
                        self._section(found, self._constant)
                    case "type":
                        self._section(found, self._type)
                    case "var":
                        self._section(found, self._variables)
                    case "procedure" | "function":
                        found.append(self._routine(heads_only))
                    case _:
                        return found
            except ParseError as mistake:
                self.skipped |= skip(stream, mistake, *_SECTIONS)
                if stream.now.start == place:
                    stream.take()

    def body(self) -> syntax.RoutineBody:
        """Parse declarations, and the statements between BEGIN and END."""
        first = self.stream.now
        declared = self.declarations()
        while not self.stream.at("begin"):
            mistake = self.stream.unexpected("a declaration or BEGIN", self._misplaced())
            self.skipped |= skip(self.stream, mistake, *_SECTIONS)
            if self.stream.at(END, "implementation", "uses"):
                return syntax.RoutineBody(
                    first.start, self.stream.last.end, declared, syntax.CompoundStatement(first.start, first.end, [])
                )
            declared += self.declarations()
        statements = self.block(self.stream.take())
        return syntax.RoutineBody(first.start, statements.end, declared, statements)

    def _misplaced(self) -> str | None:
        if self.stream.at("end", "if", "while", "for", "repeat", "case", "with", "name"):
            return "an extra END before this ends the block too early, or a BEGIN is missing"
        return None

    def _section(self, found: list[Declaration], one: Callable[[], Declaration]) -> None:
        """Parse declarations of one kind, each ended by a semicolon. A mistake in one does not end the section."""
        stream = self.stream
        word = stream.take()
        if not stream.at("name"):
            raise stream.unexpected(f"a name after {word.text.upper()}")
        while stream.at("name"):
            self.begin()
            try:
                found.append(one())
                stream.expect(";", "after the declaration")
            except ParseError as mistake:
                self.skipped |= skip(stream, mistake, ";", *_SECTIONS)
                stream.accept(";")

    def _constant(self) -> Declaration:
        stream = self.stream
        name = self._named("of a constant")
        kind = self.type_expression() if stream.accept(":") else None
        if stream.at(":="):
            raise stream.unexpected("'='", "declare a constant with =")
        stream.expect("=", "after the name of a constant")
        value = self._structured() if kind is not None and stream.at("(") else self.expression()
        return syntax.ConstantDeclaration(name.start, value.end, name, kind, value)

    def _structured(self) -> syntax.Expression:
        """Parse ``(1, 2, 3)``, the value of an array constant, as a call without a name."""
        stream, first = self.stream, self.stream.take()
        items = list[syntax.Expression]()
        stream.enter()
        try:
            while True:
                items.append(self._structured() if stream.at("(") else self.expression())
                if not stream.accept(","):
                    break
        finally:
            stream.leave()
        stream.expect(")", "to close the list")
        if len(items) == 1 and not isinstance(items[0], syntax.Call):
            return items[0]
        return syntax.Call(first.start, stream.last.end, syntax.Name(first.start, first.end, "", "("), items)

    def _type(self) -> Declaration:
        name = self._named("of a type")
        self.stream.expect("=", "after the name of a type")
        kind = self.type_expression()
        return syntax.TypeDefinition(name.start, kind.end, name, kind)

    def _variables(self) -> Declaration:
        stream = self.stream
        names = self._names("of a variable")
        try:
            stream.expect(":", "and a type after the names", "write a, b: integer;")
            kind: TypeExpression | None = self.type_expression()
            if not stream.at(";"):
                raise stream.unexpected("';' after the declaration")
        except ParseError as mistake:
            self.skipped |= skip(stream, mistake, ";", *_SECTIONS)
            kind = None
            if not stream.at(";"):
                raise
        return syntax.VariableDeclaration(names[0].start, stream.last.end, names, kind)

    # ---------------------------------------------------------------- routines

    def _routine(self, head_only: bool) -> Declaration:
        stream = self.stream
        stream.enter()
        try:
            return self._one_routine(stream.take(), head_only)
        finally:
            stream.leave()

    def _one_routine(self, first: Token, head_only: bool) -> Declaration:
        stream = self.stream
        function = first.kind == "function"
        name = self._named(f"of the {first.text.lower()}")
        made = syntax.RoutineDeclaration(first.start, name.end, name, function, [], None)
        try:
            if stream.accept("(") and not self._parameters(made):
                stream.accept(";")
            else:
                self._after_parameters(made)
        except ParseError as mistake:
            self.skipped |= skip(stream, mistake, ";", *_SECTIONS)
            if not stream.accept(";") and not stream.at(*_SECTIONS):
                raise
        made.end = stream.last.end
        while stream.at_word(*_DIRECTIVES):
            word = stream.take().text.lower()
            made.directive = made.directive if word in ("far", "near") else word
            stream.expect(";", f"after {word.upper()}")
        if not head_only and not made.directive:
            made.body = self.body()
            made.end = stream.last.end
            missing = f"an END is missing in {name.written}, or the BEGIN … END. of the program after it"
            hint = missing if stream.at(".") else None
            stream.expect(";", f"after the END of {first.text.lower()} {name.written}", hint)
        return made

    def _parameters(self, made: syntax.RoutineDeclaration) -> bool:
        """Parse the list up to its closing bracket; return False if it has a mistake and no closing bracket."""
        try:
            while True:
                self._parameter(made.parameters)
                if not self.stream.accept(";"):
                    self.stream.expect(")", "after the parameters", "separate parameters with ';'")
                    return True
        except ParseError as mistake:
            self.stream.diagnostics.add(mistake.diagnostic)
            made.unread = True
            return self._skip_parameters()

    def _parameter(self, found: list[syntax.ParameterGroup]) -> None:
        stream, first = self.stream, self.stream.now
        if stream.accept("procedure") or stream.accept("function"):
            raise stream.mistake(
                "routines as parameters are not supported", stream.span(first), "call it by its name, or use CASE"
            )
        by_reference = bool(stream.accept("var"))
        constant = not by_reference and bool(stream.accept("const"))
        names = self._names("of a parameter")
        try:
            stream.expect(":", "and a type after the parameter", "write (x, y: real; var n: integer)")
            kind = self.type_expression()
        except ParseError:
            self.skipped |= {name.name for name in names}
            raise
        found.append(syntax.ParameterGroup(first.start, kind.end, names, kind, by_reference, constant))

    def _skip_parameters(self) -> bool:
        """Skip past the closing bracket, or to what cannot be in the list; return whether it was closed."""
        stream, open_brackets = self.stream, 1
        while open_brackets and not stream.at(END, "begin", "end", "procedure", "function", "implementation"):
            if stream.at("name"):
                self.skipped.add(stream.now.text.lower())
            open_brackets += stream.at("(") - stream.at(")")
            stream.take()
        return not open_brackets

    def _after_parameters(self, made: syntax.RoutineDeclaration) -> None:
        stream, kind = self.stream, "function" if made.function else "procedure"
        if made.function and stream.accept(":"):
            made.result = self.type_expression()
        elif not made.function and stream.at(":"):
            raise stream.unexpected("';'", "a PROCEDURE has no result; use a FUNCTION")
        stream.expect(";", f"after the head of the {kind}")

    # ---------------------------------------------------------------- types

    def type_expression(self) -> TypeExpression:
        """Parse a type."""
        stream = self.stream
        stream.enter()
        first = stream.now
        try:
            match first.kind:
                case "packed":
                    stream.take()
                    return self.type_expression()
                case "array":
                    return self._array(stream.take())
                case "record":
                    stream.take()
                    fields = self._fields()
                    stream.expect("end", "of RECORD")
                    return syntax.RecordOf(first.start, stream.last.end, fields)
                case "set":
                    stream.take()
                    stream.expect("of", "after SET", "write SET OF char")
                    element = self.type_expression()
                    return syntax.SetOf(first.start, element.end, element)
                case "^" | "file":
                    raise self._unsupported(first)
                case "string":
                    return self._text_type(stream.take())
                case "(":
                    return self._enumeration(stream.take())
                case "name" if stream.ahead().kind in (";", ")", "]", ",", "end", "=", END, "of"):
                    stream.take()
                    return syntax.TypeName(first.start, first.end, first.text.lower(), first.text)
            return self._range(first)
        finally:
            stream.leave()

    def _range(self, first: Token) -> TypeExpression:
        stream = self.stream
        if not stream.at("name", "number", "text", "-", "+"):
            raise stream.unexpected("a type")
        low = self.expression()
        if not stream.at(".."):
            if isinstance(low, syntax.Name):  # a type, followed by a mistake
                return syntax.TypeName(low.start, low.end, low.name, low.written)
            raise stream.unexpected("'..' and the last value of the range")
        stream.take()
        high = self.expression()
        return syntax.Range(first.start, high.end, low, high)

    def _array(self, first: Token) -> TypeExpression:
        stream, indices = self.stream, list[TypeExpression]()
        stream.expect("[", "after ARRAY", "write array[1..10] of integer")
        while True:
            indices.append(self.type_expression())
            if not stream.accept(","):
                break
        stream.expect("]", "after the range of an array")
        stream.expect("of", "after the range of an array")
        element = self.type_expression()
        return syntax.ArrayOf(first.start, element.end, indices, element)

    def _text_type(self, first: Token) -> TypeExpression:
        stream, length = self.stream, None
        if stream.accept("["):
            length = self.expression()
            stream.expect("]", "after the length of a string")
        return syntax.StringOf(first.start, stream.last.end, length)

    def _enumeration(self, first: Token) -> TypeExpression:
        names = self._names("of a value")
        self.stream.expect(")", "after the values")
        return syntax.Enumeration(first.start, self.stream.last.end, names)

    def _fields(self) -> list[tuple[list[syntax.Name], TypeExpression]]:
        stream = self.stream
        fields = list[tuple[list[syntax.Name], TypeExpression]]()
        while stream.at("name"):
            names = self._names("of a field")
            stream.expect(":", "and a type after the names", "write x, y: real;")
            fields.append((names, self.type_expression()))
            if not stream.accept(";"):
                break
        if stream.at("case"):
            raise self._unsupported(stream.now)
        if not stream.at("end"):
            raise stream.unexpected("a field or END")
        return fields

    def _named(self, purpose: str) -> syntax.Name:
        word = self.stream.expect("name", purpose)
        return syntax.Name(word.start, word.end, word.text.lower(), word.text)

    def _names(self, purpose: str) -> list[syntax.Name]:
        names = [self._named(purpose)]
        while self.stream.accept(","):
            names.append(self._named(purpose))
        return names

    def block(self, first: Token) -> syntax.CompoundStatement:
        """Parse ``begin … end``; BEGIN has been read."""
        body = self._list("end", first)
        self.stream.take()
        return syntax.CompoundStatement(first.start, self.stream.last.end, body)

    def _list(self, closing: str, first: Token) -> list[Statement]:
        """Parse statements up to a closing word, which is not read. Mistakes do not end the list."""
        stream, body = self.stream, list[Statement]()
        while True:
            place = stream.now.start
            try:
                if not stream.at(closing, ";"):
                    self.begin()
                    body.append(self._statement())
                if stream.accept(";"):
                    continue
                if stream.at(closing):
                    return body
                self._missing_semicolon(closing, first)
            except ParseError as mistake:
                skip(stream, mistake, ";", closing, "end", "until", *_OUTSIDE_STATEMENTS)
                if stream.at(closing):
                    return body
                if stream.at(END, *_OUTSIDE_STATEMENTS):
                    raise self._unclosed(closing, first) from None
                if not stream.accept(";") and stream.now.start == place:
                    stream.take()

    def _missing_semicolon(self, closing: str, first: Token) -> None:
        """Report what follows a statement and is neither a semicolon nor the end of the list."""
        stream, kind = self.stream, self.stream.now.kind
        if kind == "else":
            before = stream.last.kind == ";"
            stream.diagnostics.add(
                stream.unexpected(
                    "a statement" if before else f"';' or {closing.upper()}",
                    "remove the ';' before ELSE: it ends the IF" if before else "this ELSE does not belong to an IF",
                ).diagnostic
            )
            stream.take()
        elif kind in _STATEMENT_STARTS:
            # The semicolon is missing after the last token, but people look for the mistake at the next one.
            stream.diagnostics.add(stream.unexpected("';' before the next statement", self._hint()).diagnostic)
        elif kind in (END, *_OUTSIDE_STATEMENTS):
            raise self._unclosed(closing, first)
        else:
            raise stream.unexpected(f"';' or {closing.upper()} after the statement", self._hint())

    def _unclosed(self, closing: str, first: Token) -> ParseError:
        line = self.stream.source.position(first.start)[0]
        return self.stream.unexpected(
            f"{closing.upper()} for the {first.text.upper()} of line {line}", "count the BEGINs and ENDs before it"
        )

    def _hint(self) -> str | None:
        stream = self.stream
        if stream.last.kind == "name" and stream.at("name", "number", "text"):
            return f"put arguments in brackets: {stream.last.text}({stream.now.text})"
        if stream.at("="):
            return "write := to assign"
        return None

    # ---------------------------------------------------------------- one statement

    def _statement(self) -> Statement:
        stream = self.stream
        first = stream.now
        stream.enter()
        try:
            if first.kind in ("goto", "number") or (first.kind == "name" and stream.ahead().kind == ":"):
                raise self._unsupported(first, "label")
            if first.kind in self._STATEMENTS:
                return self._STATEMENTS[first.kind](self, stream.take())
            if first.kind in (";", "end", "until", "else"):
                return syntax.Empty(first.start, first.start)
            raise stream.unexpected("a statement", self._stray(first))
        finally:
            stream.leave()

    def _stray(self, token: Token) -> str | None:
        if token.kind in ("then", "do", "of", "to", "downto"):
            return f"this {token.text.upper()} does not belong to any statement"
        return None

    def _simple(self, first: Token) -> Statement:
        stream = self.stream
        target = self.designator(first)
        if stream.accept(":="):
            value = self.expression()
            return syntax.Assign(first.start, value.end, target, value)
        if stream.at("="):
            raise stream.unexpected("':='", "write := to assign")
        if isinstance(target, syntax.Name):
            target = syntax.Call(target.start, target.end, target, [])
        if not isinstance(target, syntax.Call):
            raise stream.unexpected("':=' after the variable")
        return syntax.Invoke(first.start, target.end, target)

    def _if(self, first: Token) -> Statement:
        """Parse a chain of ELSE IFs in a loop, so that its length is not limited by the nesting."""
        stream, links = self.stream, list[syntax.If]()
        while True:
            condition = self.expression()
            stream.expect("then", "after the condition", "write IF a < b THEN …")
            link = syntax.If(first.start, condition.end, condition, self._statement(), None)
            if links:
                links[-1].no = link
            links.append(link)
            if not stream.accept("else"):
                break
            if not stream.at("if"):
                link.no = self._statement()
                break
            if len(links) >= MAX_OPERATORS:
                raise stream.mistake(
                    f"more than {MAX_OPERATORS} ELSE IFs", stream.span(stream.now), "use CASE, or procedures"
                )
            first = stream.take()
            self.begin()
        for each in links:
            each.end = stream.last.end
        return links[0]

    def _while(self, first: Token) -> Statement:
        condition = self.expression()
        self.stream.expect("do", "after the condition", "write WHILE a < b DO …")
        body = self._statement()
        return syntax.While(first.start, self.stream.last.end, condition, body)

    def _repeat(self, first: Token) -> Statement:
        stream = self.stream
        body = syntax.CompoundStatement(first.end, first.end, self._list("until", first))
        body.end = stream.take().start
        self.begin()
        condition = self.expression()
        return syntax.Repeat(first.start, condition.end, body, condition)

    def _for(self, first: Token) -> Statement:
        stream = self.stream
        word = stream.expect("name", "of the variable that counts")
        variable = syntax.Name(word.start, word.end, word.text.lower(), word.text)
        stream.expect(":=", "after the variable", "write FOR i := 1 TO 10 DO …")
        low = self.expression()
        if not stream.at("to", "downto"):
            raise stream.unexpected("TO or DOWNTO", "write FOR i := 1 TO 10 DO …")
        down = stream.take().kind == "downto"
        high = self.expression()
        stream.expect("do", "after the last value", "write FOR i := 1 TO 10 DO …")
        body = self._statement()
        return syntax.For(first.start, stream.last.end, variable, low, high, down, body)

    def _case(self, first: Token) -> Statement:
        stream = self.stream
        selector = self.expression()
        stream.expect("of", "after the value", "write CASE n OF 1: …; 2: … END")
        branches, otherwise = list[syntax.Branch](), None
        while not stream.at("end", "else") and not stream.at_word("otherwise"):
            if stream.accept(";"):
                continue
            self.begin()
            branches.append(self._branch())
            if not stream.at(";", "end", "else") and not stream.at_word("otherwise"):
                raise stream.unexpected("';' or END after the branch", self._hint())
        if not stream.at("end"):
            word = stream.take()
            otherwise = syntax.CompoundStatement(word.start, word.end, self._list("end", first))
        stream.expect("end", "of CASE")
        return syntax.Case(first.start, stream.last.end, selector, branches, otherwise)

    def _branch(self) -> syntax.Branch:
        stream, first = self.stream, self.stream.now
        labels = self._ranges()
        stream.expect(":", "after the values of the branch")
        body = self._statement()
        return syntax.Branch(first.start, stream.last.end, labels, body)

    def _ranges(self) -> list[tuple[Expression, Expression | None]]:
        """Parse ``1, 3..5``: the labels of a CASE branch, or the items of a set."""
        stream, found = self.stream, list[tuple[Expression, Expression | None]]()
        while True:
            low = self.expression()
            found.append((low, self.expression() if stream.accept("..") else None))
            if not stream.accept(","):
                return found

    def _with(self, first: Token) -> Statement:
        stream, records = self.stream, list[syntax.Expression]()
        while True:
            records.append(self.designator(stream.expect("name", "of a record")))
            if not stream.accept(","):
                break
        stream.expect("do", "after the record", "write WITH r DO …")
        body = self._statement()
        return syntax.With(first.start, stream.last.end, records, body)

    _STATEMENTS: ClassVar[dict[str, Callable[..., Statement]]] = {
        "name": _simple, "if": _if, "begin": block, "while": _while, "repeat": _repeat, "for": _for, "case": _case,
        "with": _with,
    }  # fmt: skip

    # ---------------------------------------------------------------- expressions

    def expression(self) -> Expression:
        """Parse a whole expression."""
        return self._pratt.expression()

    def begin(self) -> None:
        """Start counting the operators of a statement or declaration."""
        self._operators = 0

    def designator(self, token: Token) -> Expression:
        """Parse the indices, fields and arguments that follow a name, which has been read."""
        stream = self.stream
        made: Expression = syntax.Name(token.start, token.end, token.text.lower(), token.text)
        while True:
            kind = stream.now.kind
            if kind == ".":
                stream.take()
                word = stream.expect("name", "of a field")
                made = syntax.FieldAccess(token.start, word.end, made, word.text.lower(), word.text, word.start)
            elif kind == "[":
                made = self._indices(token, made)
            elif kind == "(" and isinstance(made, syntax.Name):
                arguments = self._arguments()
                made = syntax.Call(token.start, stream.last.end, made, arguments)
            elif kind == "^":
                raise self._unsupported(stream.now)
            else:
                return made
            self._count()

    # ---------------------------------------------------------------- operands

    def _indices(self, token: Token, of: Expression) -> Expression:
        stream = self.stream
        stream.take()
        while True:
            self._count()
            of = syntax.Index(token.start, stream.now.end, of, self.expression())
            of.end = of.index.end
            if not stream.accept(","):
                break
        stream.expect("]", "after the index")
        of.end = stream.last.end
        return of

    def _arguments(self) -> list[Expression]:
        stream, arguments = self.stream, list[Expression]()
        stream.take()
        if stream.accept(")"):
            return arguments
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
            raise stream.unexpected("',' or ')' after the argument")
        stream.take()
        return arguments

    def _number(self, token: Token) -> Expression:
        text = token.text
        if len(text) > _MAX_DIGITS:
            raise self.stream.mistake(f"this number has more than {_MAX_DIGITS} digits", self.stream.span(token))
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
                raise self.stream.mistake(
                    f"character #{number} does not exist", self.stream.span(token), "use 0 to 255"
                )
            made += chr(number)
        for character in made:
            if character > "\xff":
                what = f"{character!r} is not one of Pascal's characters, which are #0 to #255"
                raise self.stream.mistake(what, self.stream.span(token), "use another one")
        if len(made) > 255:
            what = f"this string has {len(made)} characters; the limit is 255"
            raise self.stream.mistake(what, self.stream.span(token), "split it")
        return syntax.StringLiteral(token.start, token.end, made)

    def _set_constructor(self, token: Token) -> Expression:
        items = [] if self.stream.at("]") else self._ranges()
        self.stream.expect("]", "to close the set")
        return syntax.SetConstructor(token.start, self.stream.last.end, items)

    def _brackets(self, token: Token) -> Expression:
        inner = self.expression()
        self.stream.expect(")", "to close the bracket")
        inner.start, inner.end = token.start, self.stream.last.end
        return inner

    def _unsupported(self, token: Token, kind: str = "") -> ParseError:
        what, hint = _UNSUPPORTED[kind or token.kind]
        return self.stream.mistake(what, self.stream.span(token), hint)

    def _unsupported_value(self, token: Token) -> Expression:
        raise self._unsupported(token)

    # ---------------------------------------------------------------- operators

    def _sign(self, token: Token) -> Expression:
        self._count()
        operand = self._pratt.expression(_ADD)
        return syntax.Unary(token.start, operand.end, token.kind, operand)

    def _not(self, token: Token) -> Expression:
        self._count()
        operand = self._pratt.expression(_MULTIPLY)
        return syntax.Unary(token.start, operand.end, "not", operand)

    def _binary(self, power: int) -> Callable[[Expression, Token], Expression]:
        def make(left: Expression, token: Token) -> Expression:

            self._count()
            right = self._pratt.expression(power)
            return syntax.Binary(left.start, right.end, token.kind, token.start, left, right)

        return make

    def _count(self) -> None:
        self._operators += 1
        if self._operators > MAX_OPERATORS:
            raise self.stream.mistake(
                f"more than {MAX_OPERATORS} operators in one statement",
                self.stream.span(self.stream.last),
                "split it into several statements",
            )


def skip(stream: TokenStream, mistake: ParseError, *ends: str) -> set[str]:
    """Report a mistake and skip to a token of these kinds, past any nested blocks; return the names skipped."""
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
