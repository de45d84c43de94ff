"""An error as data: what went wrong, where, in which file and line, and what to try."""

from dataclasses import dataclass

from drycell.base import Mistake


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """An error of the host as the page shows it. ``kind`` is the class of the error.

    ``mistakes`` are all that were found in a file or program text; ``folder`` and ``untrusted`` are of an error
    about code that the user does not trust; ``known`` are the names that there are instead of an unknown one.
    """

    kind: str
    what: str
    where: str | None = None
    hint: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    mistakes: tuple[Mistake, ...] = ()
    folder: str | None = None
    untrusted: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
