"""What is found in a text: mistakes and doubts with their places, and the lines a run can be held at."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from drycell.languages.kit import Diagnostic, SourceText
from drycell.studio.api.debugging import Severity, TextFinding

MOST: Final = 100
"""Findings of one text."""
_WORD: Final = re.compile(r"[\w.]+|\S")


@dataclass(slots=True)
class Diagnosis:
    """All that is found. ``stops`` are the lines that a break point can be set on; None: not known just now."""

    findings: list[TextFinding] = field(default_factory=list)
    stops: frozenset[int] | None = None

    def add(self, findings: Iterable[TextFinding]) -> None:
        """More of them; a text with a hundred mistakes needs no more."""
        for each in findings:
            if len(self.findings) < MOST:
                self.findings.append(each)


def spanned(source: SourceText, found: Diagnostic, severity: Severity = "error") -> TextFinding:
    """A mistake that a reader of a language has found; one in another file is told at the first line."""
    span = found.span
    if span.file != source.file:
        return TextFinding(1, 1, 1, 1 + len(source.line(1)), f"{span.place}: {found.what}", found.hint, severity)
    end_line, end_column = source.position(min(max(span.end, span.start + 1), len(source.text)))
    if (end_line, end_column) <= (span.line, span.column):
        end_line, end_column = span.line, span.column + 1
    return TextFinding(span.line, span.column, end_line, end_column, found.what, found.hint, severity)


def placed(
    source: SourceText,
    line: int | None,
    column: int | None,
    text: str,
    hint: str | None = None,
    severity: Severity = "error",
) -> TextFinding:
    """A mistake of which only the beginning is known: the word there is meant, or else the whole line."""
    number = min(max(line or 1, 1), source.lines)
    written = source.line(number)
    if column is None:
        first = len(written) - len(written.lstrip()) + 1
        return TextFinding(number, first, number, max(len(written.rstrip()) + 1, first + 1), text, hint, severity)
    word = _WORD.match(written, column - 1)
    return TextFinding(number, column, number, word.end() + 1 if word else column + 1, text, hint, severity)
