"""Diagnostics: mistakes in a program text and their places, with the line, a caret and a hint."""

from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import indent
from typing import Final, Self

from drycell.base import ProgramError
from drycell.languages.kit.source import SourceSpan, SourceText

MAX_DIAGNOSTICS: Final = 20
"""The number of mistakes after which reading a text stops."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake in a program text."""

    span: SourceSpan
    what: str
    hint: str | None = None
    unfinished: bool = False
    """Whether the text merely ends too early, so that another line might complete it."""

    def text(self, source: SourceText) -> str:
        """Format the place, the mistake, its line with a caret, and the hint."""
        headline = self.headline(source)
        return f"{headline}\n  try: {self.hint}" if self.hint else headline

    def headline(self, source: SourceText) -> str:
        """Format the place, the mistake and its line with a caret."""
        return f"{self.span.place}: {self.what}\n{indent(source.excerpt(self.span), '    ')}"


class SourceError(ProgramError):
    """A program text that cannot be read or run. ``diagnostics`` lists its mistakes; ``span`` is that of the first.

    ``calls`` lists the calls that led to a run-time error, the outermost first.
    """

    calls: tuple[str, ...] = ()

    def __init__(
        self, what: str, *, where: str | None = None, hint: str | None = None, diagnostics: Iterable[Diagnostic] = ()
    ) -> None:
        super().__init__(what, where=where, hint=hint)
        self.diagnostics = tuple(diagnostics)

    @property
    def span(self) -> SourceSpan | None:
        """The place of the first mistake."""
        return self.diagnostics[0].span if self.diagnostics else None

    @classmethod
    def at(cls, source: SourceText, span: SourceSpan, what: str, hint: str | None = None) -> Self:
        """The error for one mistake in a text."""
        return cls.of(source, [Diagnostic(span, what, hint)])

    @classmethod
    def of(cls, source: SourceText, diagnostics: Iterable[Diagnostic]) -> Self:
        """The error for all mistakes in a text."""
        found = tuple(diagnostics)
        if len(found) == 1:
            return cls(found[0].headline(source), hint=found[0].hint, diagnostics=found)
        count = f"{len(found)} mistakes" if len(found) < MAX_DIAGNOSTICS else f"{MAX_DIAGNOSTICS} mistakes or more"
        return cls("\n".join([f"{source.file} has {count}", *(each.text(source) for each in found)]), diagnostics=found)


class StatementError(Exception):
    """Raised when a statement of a running program fails. The language adds the place and raises a SourceError."""

    def __init__(self, what: str, hint: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint


class TooMany(Exception):
    """Raised when a text has too many mistakes. The parser stops and reports those found."""


class Diagnostics:
    """The mistakes found in a text."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.found: list[Diagnostic] = []

    def add(self, diagnostic: Diagnostic) -> None:
        """Add a mistake. A second mistake at one place is a consequence of the first and is ignored."""
        if any(each.span.start == diagnostic.span.start for each in self.found):
            return
        if len(self.found) >= MAX_DIAGNOSTICS:
            raise TooMany
        self.found.append(diagnostic)

    @property
    def unfinished(self) -> bool:
        """Whether the only problem is that the text ends too early."""
        return bool(self.found) and min(self.found, key=lambda each: each.span.start).unfinished

    def raise_any(self, kind: type[SourceError] = SourceError) -> None:
        """Raise one error for all mistakes, in the order of the text, if there are any."""
        if self.found:
            raise kind.of(self.source, sorted(self.found, key=lambda each: each.span.start))
