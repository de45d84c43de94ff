"""Culprits: which line of the author's own files it was that went wrong while a cell was built."""

from collections.abc import Iterator
from contextlib import contextmanager

from drycell.base import DrycellError, ProgramError
from drycell.kernel import location_in_traceback, meant


@contextmanager
def naming_line(doing: str) -> Iterator[None]:
    """Says where in the author's code whatever goes wrong inside comes from; ``doing`` says what was being done."""
    try:
        yield
    except DrycellError as error:
        at = location_in_traceback(error.__traceback__)
        if error.where is None and at is not None:
            error.where = str(at)
        raise
    except (Exception, SystemExit) as error:
        at = location_in_traceback(error.__traceback__)
        look = None if at is None else f"look at {at.file}, line {at.line}, in {at.function}"
        raise ProgramError(
            f"{type(error).__name__} while {doing}: {error}",
            where=None if at is None else str(at),
            hint=" ".join(filter(None, (meant(error), look))) or None,
        ) from error
