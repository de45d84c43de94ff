"""Diagnostics: what is wrong in a program text, where, with the line and a caret, and what to try."""

from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import indent
from typing import Final, Self

from drycell.base import ProgramError
from drycell.languages.kit.source import SourceSpan, SourceText

MOST: Final = 20
"""So many mistakes of a text are collected; who has more wants to see the first ones."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake in a program text."""

    span: SourceSpan
    what: str
    hint: str | None = None
    unfinished: bool = False
    """Whether the text just ends too early: more of it might put it right."""

    def text(self, source: SourceText) -> str:
        """The place, the mistake, its line and a caret, and the hint."""
        told = self.headline(source)
        return f"{told}\n  try: {self.hint}" if self.hint else told

    def headline(self, source: SourceText) -> str:
        """The place, the mistake, its line and a caret."""
        return f"{self.span.place}: {self.what}\n{indent(source.excerpt(self.span), '    ')}"


class SourceError(ProgramError):
    """A program text that cannot be read or run. ``diagnostics`` lists its mistakes, ``span`` is the first one's.

    ``calls`` are the calls that led to a mistake found in a run, the outermost first.
    """

    calls: tuple[str, ...] = ()

    def __init__(
        self, what: str, *, where: str | None = None, hint: str | None = None, diagnostics: Iterable[Diagnostic] = ()
    ) -> None:
        super().__init__(what, where=where, hint=hint)
        self.diagnostics = tuple(diagnostics)

    @property
    def span(self) -> SourceSpan | None:
        """Where the first mistake stands."""
        return self.diagnostics[0].span if self.diagnostics else None

    @classmethod
    def at(cls, source: SourceText, span: SourceSpan, what: str, hint: str | None = None) -> Self:
        """The error for one mistake at a place of a text."""
        return cls.of(source, [Diagnostic(span, what, hint)])

    @classmethod
    def of(cls, source: SourceText, diagnostics: Iterable[Diagnostic]) -> Self:
        """The error that tells of all mistakes in a text."""
        found = tuple(diagnostics)
        if len(found) == 1:
            return cls(found[0].headline(source), hint=found[0].hint, diagnostics=found)
        many = f"{len(found)} mistakes" if len(found) < MOST else f"{MOST} mistakes or more"
        return cls("\n".join([f"{source.file} has {many}", *(each.text(source) for each in found)]), diagnostics=found)


class StatementError(Exception):
    """Raised by what a statement of a running program calls; its language adds the place and makes it a SourceError."""

    def __init__(self, what: str, hint: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint


class TooMany(Exception):
    """Ends the reading of a text that has too many mistakes; a parser stops there and reports those it has."""


class Diagnostics:
    """The mistakes found so far in a text."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.found: list[Diagnostic] = []

    def add(self, diagnostic: Diagnostic) -> None:
        """One more; a second one at the same place is an echo of the first and left out."""
        if any(each.span.start == diagnostic.span.start for each in self.found):
            return
        if len(self.found) >= MOST:
            raise TooMany
        self.found.append(diagnostic)

    @property
    def unfinished(self) -> bool:
        """Whether nothing is wrong but that the text ends too early."""
        return bool(self.found) and min(self.found, key=lambda each: each.span.start).unfinished

    def raise_any(self, kind: type[SourceError] = SourceError) -> None:
        """Raise an error about all of them, if there is any; in the order of the text."""
        if self.found:
            raise kind.of(self.source, sorted(self.found, key=lambda each: each.span.start))
