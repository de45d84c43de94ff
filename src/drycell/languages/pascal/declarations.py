"""Declarations of Pascal: labels, constants, types, variables, procedures and functions."""

from collections.abc import Callable
from typing import Final

from drycell.languages.kit import END, Mistake, Token
from drycell.languages.pascal import syntax
from drycell.languages.pascal.expressions import skip
from drycell.languages.pascal.statements import Statements, label_text
from drycell.languages.pascal.syntax import Declaration, TypeExpression

SECTIONS: Final = ("procedure", "function", "var", "const", "type", "label", "begin", "implementation", "uses")
_DIRECTIVES: Final = ("forward", "external", "far", "near")


class Declarations(Statements):
    """Reads declarations and the bodies they belong to. ``skipped`` are names in what could not be read."""

    skipped: set[str]

    def declarations(self, *, heads_only: bool = False) -> list[Declaration]:
        """All sections up to the first token that begins none."""
        stream, found = self.stream, list[Declaration]()
        while True:
            self.begin()
            place = stream.now.start
            try:
                match stream.now.kind:
                    case "label":
                        stream.take()
                        found.extend(self._labels())
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
            except Mistake as mistake:
                self.skipped |= skip(stream, mistake, *SECTIONS)
                if stream.now.start == place:
                    stream.take()

    def body(self) -> syntax.Body:
        """Declarations, and the statements between BEGIN and END."""
        first = self.stream.now
        declared = self.declarations()
        while not self.stream.at("begin"):
            mistake = self.stream.unexpected("a declaration or BEGIN", self._misplaced())
            self.skipped |= skip(self.stream, mistake, *SECTIONS)
            if self.stream.at(END, "implementation", "uses"):
                return syntax.Body(
                    first.start, self.stream.last.end, declared, syntax.Block(first.start, first.end, [])
                )
            declared += self.declarations()
        statements = self.block(self.stream.take())
        return syntax.Body(first.start, statements.end, declared, statements)

    def _misplaced(self) -> str | None:
        if self.stream.at("end", "if", "while", "for", "repeat", "case", "with", "name"):
            return "an END too many before this ends the block early; or a BEGIN is missing"
        return None

    def _section(self, found: list[Declaration], one: Callable[[], Declaration]) -> None:
        """Declarations of one kind, each ended by a semicolon; one that is wrong does not end the section."""
        stream = self.stream
        word = stream.take()
        if not stream.at("name"):
            raise stream.unexpected(f"a name behind {word.text.upper()}")
        while stream.at("name"):
            self.begin()
            try:
                found.append(one())
                stream.expect(";", "behind the declaration")
            except Mistake as mistake:
                self.skipped |= skip(stream, mistake, ";", *SECTIONS)
                stream.accept(";")

    def _labels(self) -> list[Declaration]:
        stream, found = self.stream, list[Declaration]()
        while True:
            if not stream.at("number", "name"):
                raise stream.unexpected("a label, which is a number or a name")
            word = stream.take()
            found.append(syntax.Label(word.start, word.end, label_text(word)))
            if not stream.accept(","):
                stream.expect(";", "behind the labels")
                return found

    def _constant(self) -> Declaration:
        stream = self.stream
        name = self._named("of a constant")
        kind = self.type_expression() if stream.accept(":") else None
        if stream.at(":="):
            raise stream.unexpected("'='", "a constant is declared with =")
        stream.expect("=", "behind the name of a constant")
        value = self._structured() if kind is not None and stream.at("(") else self.expression()
        return syntax.Constant(name.start, value.end, name, kind, value)

    def _structured(self) -> syntax.Expression:
        """``(1, 2, 3)``: the value of an array constant, read as a call without a name."""
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
        self.stream.expect("=", "behind the name of a type")
        kind = self.type_expression()
        return syntax.TypeDefinition(name.start, kind.end, name, kind)

    def _variables(self) -> Declaration:
        stream = self.stream
        names = self._names("of a variable")
        try:
            stream.expect(":", "and a type behind the names", "write a, b: integer;")
            kind: TypeExpression | None = self.type_expression()
            if not stream.at(";"):
                raise stream.unexpected("';' behind the declaration")
        except Mistake as mistake:
            self.skipped |= skip(stream, mistake, ";", *SECTIONS)
            kind = None
            if not stream.at(";"):
                raise
        return syntax.Variables(names[0].start, stream.last.end, names, kind)

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
                self._behind_parameters(made)
        except Mistake as mistake:
            self.skipped |= skip(stream, mistake, ";", *SECTIONS)
            if not stream.accept(";") and not stream.at(*SECTIONS):
                raise
        made.end = stream.last.end
        while stream.at_word(*_DIRECTIVES):
            word = stream.take().text.lower()
            made.directive = made.directive if word in ("far", "near") else word
            stream.expect(";", f"behind {word.upper()}")
        if not head_only and not made.directive:
            made.body = self.body()
            made.end = stream.last.end
            stream.expect(";", f"behind the END of {first.text.lower()} {name.written}", self._too_few(made))
        return made

    def _too_few(self, made: syntax.RoutineDeclaration) -> str | None:
        if self.stream.at("."):
            return f"an END is missing in {made.name.written}, or behind it the BEGIN … END. of the program"
        return None

    def _parameters(self, made: syntax.RoutineDeclaration) -> bool:
        """The list up to its closing bracket; False when there is a mistake in it and it is not closed at all."""
        try:
            while True:
                self._parameter(made.parameters)
                if not self.stream.accept(";"):
                    self.stream.expect(")", "behind the parameters", "parameters are parted by ';'")
                    return True
        except Mistake as mistake:
            self.stream.diagnostics.add(mistake.diagnostic)
            made.unread = True
            return self._skip_parameters()

    def _parameter(self, found: list[syntax.Parameters]) -> None:
        stream, first = self.stream, self.stream.now
        if stream.accept("procedure") or stream.accept("function"):
            raise stream.mistake(
                "a routine cannot be a parameter here", stream.span(first), "call it by its name, or use CASE"
            )
        by_reference = bool(stream.accept("var"))
        constant = not by_reference and bool(stream.accept("const"))
        names = self._names("of a parameter")
        try:
            stream.expect(":", "and a type behind the parameter", "write (x, y: real; var n: integer)")
            kind = self.type_expression()
        except Mistake:
            self.skipped |= {name.name for name in names}
            raise
        found.append(syntax.Parameters(first.start, kind.end, names, kind, by_reference, constant))

    def _skip_parameters(self) -> bool:
        """Past the bracket that closes the list, or to what cannot be in one; whether it was closed."""
        stream, open_brackets = self.stream, 1
        while open_brackets and not stream.at(END, "begin", "end", "procedure", "function", "implementation"):
            if stream.at("name"):
                self.skipped.add(stream.now.text.lower())
            open_brackets += stream.at("(") - stream.at(")")
            stream.take()
        return not open_brackets

    def _behind_parameters(self, made: syntax.RoutineDeclaration) -> None:
        stream, kind = self.stream, "function" if made.function else "procedure"
        if made.function and stream.accept(":"):
            made.result = self.type_expression()
        elif not made.function and stream.at(":"):
            raise stream.unexpected("';'", "a PROCEDURE has no result; a FUNCTION has one")
        stream.expect(";", f"behind the head of the {kind}")

    # ---------------------------------------------------------------- types

    def type_expression(self) -> TypeExpression:
        """A type as it is written."""
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
                    fields = self._fields("end")
                    stream.expect("end", "of RECORD")
                    return syntax.RecordOf(first.start, stream.last.end, fields)
                case "set":
                    stream.take()
                    stream.expect("of", "behind SET")
                    base = self.type_expression()
                    return syntax.SetOf(first.start, base.end, base)
                case "^":
                    stream.take()
                    target = stream.expect("name", "of the type that is pointed to")
                    named = syntax.TypeName(target.start, target.end, target.text.lower(), target.text)
                    return syntax.PointerTo(first.start, target.end, named)
                case "string":
                    return self._text_type(stream.take())
                case "(":
                    return self._enumeration(stream.take())
                case "file":
                    raise stream.mistake("there are no files here", stream.span(first), "WRITELN shows what is printed")
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
            if isinstance(low, syntax.Name):  # a type, with something wrong behind it
                return syntax.TypeName(low.start, low.end, low.name, low.written)
            raise stream.unexpected("'..' and the last value of the range")
        stream.take()
        high = self.expression()
        return syntax.Range(first.start, high.end, low, high)

    def _array(self, first: Token) -> TypeExpression:
        stream, indices = self.stream, list[TypeExpression]()
        stream.expect("[", "behind ARRAY", "write array[1..10] of integer")
        while True:
            indices.append(self.type_expression())
            if not stream.accept(","):
                break
        stream.expect("]", "behind the range of an array")
        stream.expect("of", "behind the range of an array")
        element = self.type_expression()
        return syntax.ArrayOf(first.start, element.end, indices, element)

    def _text_type(self, first: Token) -> TypeExpression:
        stream, length = self.stream, None
        if stream.accept("["):
            length = self.expression()
            stream.expect("]", "behind the length of a string")
        return syntax.StringOf(first.start, stream.last.end, length)

    def _enumeration(self, first: Token) -> TypeExpression:
        names = self._names("of a value")
        self.stream.expect(")", "behind the values")
        return syntax.Enumeration(first.start, self.stream.last.end, names)

    def _fields(self, closing: str) -> syntax.FieldList:
        stream, first = self.stream, self.stream.now
        fields, variant = list[tuple[list[syntax.Name], TypeExpression]](), None
        while stream.at("name"):
            names = self._names("of a field")
            stream.expect(":", "and a type behind the names", "write x, y: real;")
            fields.append((names, self.type_expression()))
            if not stream.accept(";"):
                break
        if stream.at("case"):
            variant = self._variant(stream.take(), closing)
        if not stream.at(closing):
            raise stream.unexpected(f"a field or {closing.upper() if closing.isalpha() else repr(closing)}")
        return syntax.FieldList(first.start, stream.last.end, fields, variant)

    def _variant(self, first: Token, closing: str) -> syntax.Variant:
        stream, tag = self.stream, None
        if stream.ahead().kind == ":":
            tag = self._named("of the tag")
            stream.take()
        kind = self.type_expression()
        stream.expect("of", "behind the type of the tag")
        cases = list[tuple[list[syntax.Expression], syntax.FieldList]]()
        while not stream.at(closing, END):
            labels = [low for low, _ in self.constants()]
            stream.expect(":", "behind the values of the variant")
            stream.expect("(", "before the fields of the variant")
            stream.enter()
            try:
                cases.append((labels, self._fields(")")))
            finally:
                stream.leave()
            stream.expect(")", "behind the fields of the variant")
            if not stream.accept(";"):
                break
        return syntax.Variant(first.start, stream.last.end, tag, kind, cases)

    def _named(self, purpose: str) -> syntax.Name:
        word = self.stream.expect("name", purpose)
        return syntax.Name(word.start, word.end, word.text.lower(), word.text)

    def _names(self, purpose: str) -> list[syntax.Name]:
        names = [self._named(purpose)]
        while self.stream.accept(","):
            names.append(self._named(purpose))
        return names
