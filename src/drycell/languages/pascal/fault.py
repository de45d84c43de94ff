"""Errors of Pascal programs: with file, line and column, the line itself and a caret, and what to try."""

from drycell.languages.kit import Diagnostic, Source, SourceError, Span


class PascalError(SourceError):
    """What is wrong with a Pascal program, found when it is read or when it runs.

    ``calls`` are then the calls that led to the place, the outermost first.
    """

    calls: tuple[str, ...] = ()

    @classmethod
    def at(cls, source: Source, span: Span, what: str, hint: str | None = None) -> "PascalError":
        """One mistake at a place of a text."""
        return cls.of(source, [Diagnostic(span, what, hint)])


class Trouble(Exception):
    """Raised by what a running program calls; it becomes a :class:`PascalError` with the place of the call."""

    def __init__(self, what: str, hint: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
