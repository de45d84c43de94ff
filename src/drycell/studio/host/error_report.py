"""Converts errors to data, with the file, line and column they are about."""

import os
import re
from typing import Final

from drycell.base import DrycellError, FileError, Mistake, ProgramError, UnknownName
from drycell.cell import Untrusted
from drycell.kernel import Location, location_in_traceback
from drycell.languages.kit import SourceError
from drycell.studio.api.errors import ErrorReport

Place = tuple[str | None, int | None, int | None]  # file, line, column
NOWHERE: Final[Place] = (None, None, None)

_PLACE: Final = re.compile(r"^(?P<file>.+?)(?:, line |:)(?P<line>\d+)(?::(?P<column>\d+))?$")


def error_report(error: BaseException) -> ErrorReport:
    """An error as the page shows it, with file, line and column if known."""
    error = _of_program(error)
    source = _of_text(error)
    file, line, column = _place(error if source is None else source)
    mistakes: tuple[Mistake, ...] = ()
    if isinstance(error, FileError):
        mistakes = tuple(
            Mistake(each.text, line=each.line, column=each.column, hint=each.hint) for each in error.mistakes
        )
    if source is not None:
        mistakes = tuple(
            Mistake(each.what, line=each.span.line, column=each.span.column, hint=each.hint)
            for each in source.diagnostics
        )
    return ErrorReport(
        kind=type(error).__name__,
        what=error.what if isinstance(error, DrycellError) else f"{type(error).__name__}: {error}",
        where=error.where if isinstance(error, DrycellError) else None,
        hint=error.hint if isinstance(error, DrycellError) else None,
        file=file,
        line=line,
        column=column,
        mistakes=mistakes,
        folder=str(error.folder) if isinstance(error, Untrusted) else None,
        untrusted=tuple(map(str, error.files)) if isinstance(error, Untrusted) else (),
        known=tuple(error.known[:50]) if isinstance(error, UnknownName) else (),
    )


def _of_program(error: BaseException) -> BaseException:
    """The error in a program, if it is all that is wrong with a cell file. Otherwise the error itself."""
    cause = error.__cause__
    alone = isinstance(error, FileError) and len(error.mistakes) == 1
    return cause if alone and isinstance(cause, ProgramError) and _read(cause.where) != NOWHERE else error


def _of_text(error: BaseException) -> SourceError | None:
    """The error about a program text: this one or one of its causes. A cell file reports those of its programs."""
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, SourceError) and found.diagnostics:
            return found
        found = found.__cause__
    return None


def _place(error: BaseException) -> Place:
    if isinstance(error, SourceError) and error.span is not None:
        return error.span.file, error.span.line, error.span.column
    where = _read(error.where) if isinstance(error, DrycellError) else NOWHERE
    if isinstance(error, FileError) and error.mistakes:
        return where[0], error.mistakes[0].line, error.mistakes[0].column
    if where[0] is not None and os.path.isabs(
        where[0]
    ):  # an absolute path is where the mistake is, not a line that called it
        return where
    found: Location | None = None
    cause: BaseException | None = error
    while cause is not None:
        found = location_in_traceback(cause.__traceback__) or found
        cause = cause.__cause__
    return where if found is None else (found.file, found.line, None)


def _read(where: str | None) -> Place:
    """The file and line in a text such as ``cell.py:14`` or ``cell.yaml, line 3``."""
    found = _PLACE.match(where or "")
    if found is None:
        return NOWHERE
    return found["file"], int(found["line"]), int(found["column"]) if found["column"] else None
