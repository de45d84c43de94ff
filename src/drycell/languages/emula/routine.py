"""Routines: the commands and functions that the language brings along, each with its usage and a line of help."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from drycell.base import UnknownName
from drycell.languages.emula.values import Value

if TYPE_CHECKING:
    from drycell.languages.emula.invocation import Invocation

Run = Callable[["Invocation"], "Value | None"]


@dataclass(frozen=True, eq=False, slots=True)
class Routine:
    """A command or function: its name, what it does, how many arguments and which clauses it takes."""

    name: str
    usage: tuple[str, ...]
    summary: str
    run: Run
    least: int
    most: int | None
    clauses: frozenset[str]
    group: str
    gives: bool
    """Whether it gives a value; what does not is a command and cannot stand in an expression."""


ROUTINES: Final[dict[str, Routine]] = {}


def routine(
    name: str,
    *usage: str,
    group: str,
    arguments: tuple[int, int | None] = (0, 0),
    clauses: tuple[str, ...] = (),
    gives: bool = False,
) -> Callable[[Run], Run]:
    """Enters a function into the language under a name; the first line of its docstring is the help on it."""

    def enter(run: Run) -> Run:
        summary = (run.__doc__ or "").strip().splitlines()[0]
        least, most = arguments
        ROUTINES[name] = Routine(name, usage or (name,), summary, run, least, most, frozenset(clauses), group, gives)
        return run

    return enter


def routine_named(name: str) -> Routine | None:
    """The routine of a name, in any case."""
    _load()
    return ROUTINES.get(name)


def all_routines() -> list[Routine]:
    """All of them, by name."""
    _load()
    return [ROUTINES[name] for name in sorted(ROUTINES)]


def unknown(kind: str, name: str, more: "list[str] | tuple[str, ...]" = ()) -> UnknownName:
    """The error about a name that is no routine, nor anything else that is known here."""
    _load()
    return UnknownName(kind, name, {*ROUTINES, *more})


def _load() -> None:
    if not ROUTINES:
        import drycell.languages.emula.commands  # noqa: F401  (its modules enter their routines)
