"""Programs in a language other than Python, as the kernel runs them: breakpoints, and errors with their place."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

from drycell.kernel import Location, ProgramFile, current_process, in_program
from drycell.languages.kit.diagnostic import SourceError, StatementError
from drycell.languages.kit.source import SourceSpan, SourceText

ErrorType = TypeVar("ErrorType", bound=SourceError)


class LanguageProgram:
    """The base of programs that the kernel starts like a Python function.

    ``stubs`` lists what the program calls although nothing provides it. A stub does nothing; the journal reports its
    first use. ``program_file`` gives the program breakpoints, stepping, and the charge for loops that poll.
    ``commands`` lists what the program can act on.
    """

    def __init__(
        self, name: str, program_file: ProgramFile, stubs: tuple[str, ...], commands: tuple[object, ...]
    ) -> None:
        self.name = self.__name__ = name
        self.program_file = program_file
        self.stubs = stubs
        self.commands = commands

    @property
    def __globals__(self) -> dict[str, object]:
        """The namespace in which the kernel looks for the program file."""
        return self.program_file.namespace

    @property
    def file(self) -> str:
        """The file that the program was read from."""
        return self.program_file.file

    @property
    def lines(self) -> set[int]:
        """The lines a breakpoint can be set on."""
        return self.program_file.lines


def runtime_error(
    kind: type[ErrorType],
    error: StatementError,
    sources: Mapping[str, SourceText],
    trail: Sequence[tuple[SourceSpan, str]],
) -> ErrorType:
    """Add the place in the program text, and the calls that led there, to the error of a statement.

    Args:
        kind: the language's class of errors.
        error: what the statement raised.
        sources: the program's texts by file.
        trail: the calls that are active, outermost first: the place each has reached, and the name of its routine.
    """
    if not trail:
        return kind(error.what, hint=error.hint)
    span, routine = trail[-1]
    made = kind.at(sources[span.file], span, error.what, error.hint)
    if in_program():
        made.where = current_process().place(Location(span.file, span.line, routine))
    made.calls = tuple(f"{name}, called at {place.place}" for (place, _), (_, name) in pairwise(trail))
    return made
