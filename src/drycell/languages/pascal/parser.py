"""The parser: a program or a unit from its text, with all that is wrong in it."""

from contextlib import suppress
from dataclasses import dataclass

from drycell.languages.kit import END, Diagnostics, Mistake, Source, TokenStream, TooMany
from drycell.languages.pascal import syntax
from drycell.languages.pascal.declarations import SECTIONS, Declarations
from drycell.languages.pascal.expressions import skip
from drycell.languages.pascal.fault import PascalError
from drycell.languages.pascal.tokens import LEXER


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read of a text, and what is wrong with it; ``program`` is None when hardly anything could be read."""

    program: syntax.Program | None
    diagnostics: Diagnostics


def parse(source: Source) -> syntax.Program:
    """The program or unit in a text. All its mistakes come in one error."""
    reading = read(source)
    reading.diagnostics.raise_any(PascalError)
    if reading.program is None:
        raise PascalError(f"{source.file} holds no program")
    return reading.program


def read(source: Source) -> Reading:
    """The same, but mistakes are handed on beside what could be read."""
    parser = _Parser(source)
    program = None
    try:
        program = parser.program()
    except Mistake as mistake:
        parser.report(mistake)
    except TooMany:
        pass
    return Reading(program, parser.stream.diagnostics)


class _Parser(Declarations):
    def __init__(self, source: Source) -> None:
        super().__init__(TokenStream(source, LEXER))
        self.source = source
        self.skipped = set()

    def report(self, mistake: Mistake) -> None:
        """Add a mistake, unless there are too many already."""
        with suppress(TooMany):
            self.stream.diagnostics.add(mistake.diagnostic)

    def program(self) -> syntax.Program:
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
                    stream.expect(")", "behind the files")
                stream.expect(";", "behind the head of the program")
            except Mistake as mistake:
                skip(stream, mistake, ";", *SECTIONS)
                stream.accept(";")
        uses = self._uses()
        body = syntax.Body(first.start, first.end, [], syntax.Block(first.start, first.end, []))
        made = syntax.Program(first.start, first.end, self.source, name, uses, body, skipped=self.skipped)
        try:
            made.body = self.body()
            self._full_stop()
        except Mistake as mistake:
            self.report(mistake)
        made.end = stream.last.end
        return made

    def _unit(self) -> syntax.Program:
        stream, first = self.stream, self.stream.take()
        name = self._named("of the unit")
        stream.expect(";", "behind the name of the unit")
        stream.expect("interface", "of the unit")
        uses = self._uses()
        declared = self.declarations(heads_only=True)
        exported = len(declared)
        if not stream.at("implementation"):
            raise stream.unexpected("a declaration or IMPLEMENTATION")
        stream.take()
        uses += self._uses()
        declared += self.declarations()
        statements = syntax.Block(stream.now.start, stream.now.end, [])
        if stream.at("begin"):
            statements = self.block(stream.take())
        else:
            stream.expect("end", "of the unit")
        self._full_stop()
        body = syntax.Body(first.start, stream.last.end, declared, statements)
        return syntax.Program(
            first.start, stream.last.end, self.source, name, uses, body, True, exported, skipped=self.skipped
        )

    def _uses(self) -> list[syntax.Name]:
        stream = self.stream
        if not stream.accept("uses"):
            return []
        try:
            names = self._names("of a unit")
            stream.expect(";", "behind the units")
            return names
        except Mistake as mistake:
            self.skipped |= skip(stream, mistake, ";", *SECTIONS)
            stream.accept(";")
            return []

    def _full_stop(self) -> None:
        """The end; what follows it is not looked at, as in every Pascal."""
        stream = self.stream
        if not stream.at("."):
            hint = "there is one END too many before" if not stream.at(END) else None
            raise stream.unexpected("'.' behind the last END", hint)
        stream.take()
