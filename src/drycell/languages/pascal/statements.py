"""Statements of Pascal: a mistake ends its statement, and reading goes on behind it."""

from typing import Final

from drycell.languages.kit import END, Mistake, Token
from drycell.languages.pascal import syntax
from drycell.languages.pascal.expressions import LARGEST_CHAIN, Expressions, skip
from drycell.languages.pascal.syntax import Statement

_BEGINNERS: Final = frozenset(("name", "number", "begin", "if", "while", "repeat", "for", "case", "with", "goto"))
_SECTIONS: Final = ("procedure", "function", "var", "const", "type", "label", "implementation", "interface", "uses")


class Statements(Expressions):
    """Reads statements from a stream of tokens."""

    def block(self, first: Token) -> syntax.Block:
        """``begin … end``; BEGIN has been read."""
        body = self._list("end", first)
        self.stream.take()
        return syntax.Block(first.start, self.stream.last.end, body)

    def _list(self, closing: str, first: Token) -> list[Statement]:
        """Statements up to a closing word, which is not read. Mistakes in it do not end it."""
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
            except Mistake as mistake:
                skip(stream, mistake, ";", closing, "end", "until", *_SECTIONS)
                if stream.at(closing):
                    return body
                if stream.at(END, *_SECTIONS):
                    raise self._unclosed(closing, first) from None
                if not stream.accept(";") and stream.now.start == place:
                    stream.take()

    def _missing_semicolon(self, closing: str, first: Token) -> None:
        """Whatever follows a statement, and is neither a semicolon nor the end of its list."""
        stream, kind = self.stream, self.stream.now.kind
        if kind == "else":
            before = stream.last.kind == ";"
            stream.diagnostics.add(
                stream.unexpected(
                    "a statement" if before else f"';' or {closing.upper()}",
                    "no ';' before ELSE: it would end the IF" if before else "this ELSE belongs to no IF",
                ).diagnostic
            )
            stream.take()
        elif kind in _BEGINNERS:
            # The semicolon is missing behind the last token, but that is where the reader looks: at the next one.
            stream.diagnostics.add(stream.unexpected("';' before the next statement", self._hint()).diagnostic)
        elif kind in (END, *_SECTIONS):
            raise self._unclosed(closing, first)
        else:
            raise stream.unexpected(f"';' or {closing.upper()} behind the statement", self._hint())

    def _unclosed(self, closing: str, first: Token) -> Mistake:
        line = self.stream.source.position(first.start)[0]
        return self.stream.unexpected(
            f"{closing.upper()} for the {first.text.upper()} of line {line}", "count the BEGINs and ENDs before it"
        )

    def _hint(self) -> str | None:
        stream = self.stream
        if stream.last.kind == "name" and stream.at("name", "number", "text"):
            return f"arguments stand in brackets: {stream.last.text}({stream.now.text})"
        if stream.at("="):
            return "an assignment is written :="
        return None

    # ---------------------------------------------------------------- one statement

    def _statement(self) -> Statement:
        stream = self.stream
        first = stream.now
        stream.enter()
        try:
            match first.kind:
                case "name":
                    if stream.ahead().kind == ":":
                        return self._labelled(first)
                    return self._simple(stream.take())
                case "if":
                    return self._if(stream.take())
                case "begin":
                    return self.block(stream.take())
                case "while":
                    return self._while(stream.take())
                case "repeat":
                    return self._repeat(stream.take())
                case "for":
                    return self._for(stream.take())
                case "case":
                    return self._case(stream.take())
                case "with":
                    return self._with(stream.take())
                case "goto":
                    return self._goto(stream.take())
                case "number":
                    return self._labelled(first)
                case ";" | "end" | "until" | "else":
                    return syntax.Empty(first.start, first.start)
            raise stream.unexpected("a statement", self._stray(first))
        finally:
            stream.leave()

    def _stray(self, token: Token) -> str | None:
        if token.kind in ("then", "do", "of", "to", "downto"):
            return f"there is nothing open that {token.text.upper()} could belong to"
        return None

    def _simple(self, first: Token) -> Statement:
        stream = self.stream
        target = self.designator(first)
        if stream.accept(":="):
            value = self.expression()
            return syntax.Assign(first.start, value.end, target, value)
        if stream.at("="):
            raise stream.unexpected("':='", "an assignment is written :=")
        if isinstance(target, syntax.Name):
            target = syntax.Call(target.start, target.end, target, [])
        if not isinstance(target, syntax.Call):
            raise stream.unexpected("':=' behind the variable")
        return syntax.Invoke(first.start, target.end, target)

    def _labelled(self, first: Token) -> Statement:
        stream = self.stream
        stream.take()
        stream.expect(":", "behind the label")
        body = self._statement()
        return syntax.Labelled(first.start, max(body.end, first.end), label_text(first), body)

    def _goto(self, first: Token) -> Statement:
        stream = self.stream
        if not stream.at("number", "name"):
            raise stream.unexpected("a label behind GOTO")
        word = stream.take()
        return syntax.Goto(first.start, word.end, label_text(word))

    def _if(self, first: Token) -> Statement:
        """A chain of ELSE IFs is read in a loop: it is a list, however deep the tree becomes."""
        stream, links = self.stream, list[syntax.If]()
        while True:
            condition = self.expression()
            stream.expect("then", "behind the condition", "write IF a < b THEN …")
            link = syntax.If(first.start, condition.end, condition, self._statement(), None)
            if links:
                links[-1].no = link
            links.append(link)
            if not stream.accept("else"):
                break
            if not stream.at("if"):
                link.no = self._statement()
                break
            if len(links) >= LARGEST_CHAIN:
                raise stream.mistake(
                    f"more than {LARGEST_CHAIN} ELSE IFs", stream.span(stream.now), "use CASE, or procedures"
                )
            first = stream.take()
            self.begin()
        for each in links:
            each.end = stream.last.end
        return links[0]

    def _while(self, first: Token) -> Statement:
        condition = self.expression()
        self.stream.expect("do", "behind the condition", "write WHILE a < b DO …")
        body = self._statement()
        return syntax.While(first.start, self.stream.last.end, condition, body)

    def _repeat(self, first: Token) -> Statement:
        stream = self.stream
        body = syntax.Block(first.end, first.end, self._list("until", first))
        body.end = stream.take().start
        self.begin()
        condition = self.expression()
        return syntax.Repeat(first.start, condition.end, body, condition)

    def _for(self, first: Token) -> Statement:
        stream = self.stream
        word = stream.expect("name", "of the variable that counts")
        variable = syntax.Name(word.start, word.end, word.text.lower(), word.text)
        stream.expect(":=", "behind the variable", "write FOR i := 1 TO 10 DO …")
        low = self.expression()
        if not stream.at("to", "downto"):
            raise stream.unexpected("TO or DOWNTO", "write FOR i := 1 TO 10 DO …")
        down = stream.take().kind == "downto"
        high = self.expression()
        stream.expect("do", "behind the last value", "write FOR i := 1 TO 10 DO …")
        body = self._statement()
        return syntax.For(first.start, stream.last.end, variable, low, high, down, body)

    def _case(self, first: Token) -> Statement:
        stream = self.stream
        selector = self.expression()
        stream.expect("of", "behind the value", "write CASE n OF 1: …; 2: … END")
        branches, otherwise = list[syntax.Branch](), None
        while not stream.at("end", "else") and not stream.at_word("otherwise"):
            if stream.accept(";"):
                continue
            self.begin()
            branches.append(self._branch())
            if not stream.at(";", "end", "else") and not stream.at_word("otherwise"):
                raise stream.unexpected("';' or END behind the branch", self._hint())
        if not stream.at("end"):
            word = stream.take()
            otherwise = syntax.Block(word.start, word.end, self._list("end", first))
        stream.expect("end", "of CASE")
        return syntax.Case(first.start, stream.last.end, selector, branches, otherwise)

    def _branch(self) -> syntax.Branch:
        stream, first = self.stream, self.stream.now
        labels = self.constants()
        stream.expect(":", "behind the values of the branch")
        body = self._statement()
        return syntax.Branch(first.start, stream.last.end, labels, body)

    def constants(self) -> list[tuple[syntax.Expression, syntax.Expression | None]]:
        """``1, 3..5`` before a branch of a CASE or of a variant record."""
        stream, labels = self.stream, list[tuple[syntax.Expression, syntax.Expression | None]]()
        while True:
            low = self.expression()
            labels.append((low, self.expression() if stream.accept("..") else None))
            if not stream.accept(","):
                return labels

    def _with(self, first: Token) -> Statement:
        stream, records = self.stream, list[syntax.Expression]()
        while True:
            records.append(self.designator(stream.expect("name", "of a record")))
            if not stream.accept(","):
                break
        stream.expect("do", "behind the record", "write WITH r DO …")
        body = self._statement()
        return syntax.With(first.start, stream.last.end, records, body)


def label_text(token: Token) -> str:
    """A label as it is compared: 007 is 7."""
    return str(int(token.text)) if token.text.isdigit() and len(token.text) < 10 else token.text.lower()
