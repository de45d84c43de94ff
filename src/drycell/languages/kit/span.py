"""Spans: where a piece of a program stands in its source text."""

from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of a source text: file, line and column (from 1) where it begins, and its offsets from first to end."""

    file: str
    line: int
    column: int
    start: int
    end: int

    @property
    def place(self) -> str:
        """As editors and terminals understand it: ``tend.eml:14:12``."""
        return f"{self.file}:{self.line}:{self.column}"

    def to(self, other: "Span") -> "Span":
        """From the beginning of this one to the end of another."""
        return self._replace(end=max(self.end, other.end))
