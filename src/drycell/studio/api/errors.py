"""An error as data: what went wrong, where, in which file and line, and what to try."""

from dataclasses import dataclass

from drycell.base import Mistake


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """An error of the host, as the page shows it."""

    kind: str
    """Name of the exception class."""
    what: str
    where: str | None = None
    hint: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    mistakes: tuple[Mistake, ...] = ()
    """All mistakes that were found in a file or program text."""
    folder: str | None = None
    """The folder that is not trusted, if that is the error."""
    untrusted: tuple[str, ...] = ()
    """The files in it that would run."""
    known: tuple[str, ...] = ()
    """The known names, if the error is an unknown name."""
