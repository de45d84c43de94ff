"""Errors of ARLA programs: with file, line and column, the line itself and a caret, and what to try."""

from drycell.languages.kit import Diagnostic, Source, SourceError, Span


class ArlaError(SourceError):
    """What is wrong with an ARLA program, found when it is read or when it runs.

    ``calls`` are then the instructions CALL PROG that led to the place, the outermost first.
    """

    calls: tuple[str, ...] = ()

    @classmethod
    def at(cls, source: Source, span: Span, what: str, hint: str | None = None) -> "ArlaError":
        """One mistake at a place of a text."""
        return cls.of(source, [Diagnostic(span, what, hint)])


class Trouble(Exception):
    """Raised by what an instruction does; it becomes an :class:`ArlaError` with the place of the instruction."""

    def __init__(self, what: str, hint: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
