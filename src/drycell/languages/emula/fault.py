"""Errors of EMULA programs: with file, line and column, the line itself and a caret, and what to try."""

from drycell.languages.kit import Diagnostic, Source, SourceError, Span


class EmulaError(SourceError):
    """What is wrong with an EMULA program. The session stays usable."""

    @classmethod
    def at(cls, source: Source, span: Span, what: str, hint: str | None = None) -> "EmulaError":
        """One mistake at a place of a text."""
        return cls.of(source, [Diagnostic(span, what, hint)])


class Interrupted(EmulaError):
    """The person at the console has stopped the command."""
