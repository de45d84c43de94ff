"""Source texts, with lines and columns by offset, and spans of them."""

from bisect import bisect_right
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from drycell.base import FileError, read_regular


class SourceSpan(NamedTuple):
    """A part of a source text: the file, the line and column (from 1) where it begins, and its offsets."""

    file: str
    line: int
    column: int
    start: int
    end: int

    @property
    def place(self) -> str:
        """The place in the format of editors and terminals: ``tend.eml:14:12``."""
        return f"{self.file}:{self.line}:{self.column}"

    def to(self, other: "SourceSpan") -> "SourceSpan":
        """The span from the start of this span to the end of another."""
        return self._replace(end=max(self.end, other.end))


MAX_LENGTH: Final = 2_000_000
"""The longest source text, in characters."""
_WIDTH: Final = 100
"""The longest part of a line, in characters, that an excerpt shows."""


class SourceText:
    """The text of a program, and the file name under which its mistakes are reported."""

    def __init__(self, text: str, file: str = "<text>", *, limit: int = MAX_LENGTH) -> None:
        if len(text) > limit:
            raise FileError(
                f"{file} has {len(text)} characters; the limit is {limit}",
                hint="split the program into several files",
            )
        self.text = text
        self.file = file

    @classmethod
    def read(cls, path: Path) -> "SourceText":
        """Read a file.

        Raises:
            FileError: the file does not exist, is not UTF-8 text, or is too long.
        """
        try:
            if path.stat().st_size > 4 * MAX_LENGTH:
                raise FileError(f"{path} is too long for a program", hint=f"the limit is {MAX_LENGTH} characters")
            return cls(read_regular(path).decode("utf-8-sig"), str(path))
        except OSError as error:
            raise FileError(f"cannot read {path}: {error.strerror}", hint="check the file name") from None
        except UnicodeDecodeError as error:
            raise FileError(f"{path} is not UTF-8 text (byte {error.start})", hint="save it as UTF-8") from None

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        find = self.text.find
        place = find("\n")
        while place >= 0:
            starts.append(place + 1)
            place = find("\n", place + 1)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset, both counted from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column."""
        return min(self._starts[min(line, len(self._starts)) - 1] + column - 1, len(self.text))

    def span(self, start: int, end: int) -> SourceSpan:
        """The span from one offset up to another."""
        line, column = self.position(start)
        return SourceSpan(self.file, line, column, start, end)

    @property
    def lines(self) -> int:
        """The number of lines."""
        return len(self._starts)

    def line(self, number: int) -> str:
        """A line of the text, without its line break."""
        if not 1 <= number <= len(self._starts):
            return ""
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r")

    def excerpt(self, span: SourceSpan) -> str:
        """The line of a span, with a caret below it. A long line is cut around the caret."""
        text = "".join(each if each.isprintable() or each == "\t" else "·" for each in self.line(span.line))
        first = min(span.column - 1, len(text))
        last = max(first + 1, min(len(text), first + span.end - span.start))
        cut = max(0, first - _WIDTH * 2 // 3) if len(text) > _WIDTH else 0
        shown = text[cut : cut + _WIDTH]
        before = "".join("\t" if each == "\t" else " " for each in shown[: first - cut])
        marks = "^" + "~" * (min(last - cut, max(len(shown), first - cut + 1)) - (first - cut) - 1)
        opening, closing = ("…" if cut else ""), ("…" if cut + _WIDTH < len(text) else "")
        return f"{opening}{shown}{closing}\n{' ' if cut else ''}{before}{marks}"
