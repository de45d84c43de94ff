"""Inspection of a paused program: its line in the user's code, its call stack and the variables.

This module inspects Python programs. Other languages provide ``process.inspector``. No code of the user is called to
show a value, not even ``__repr__``: an inspection must not affect the run.
"""

from __future__ import annotations

import builtins
import os
import reprlib
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import lru_cache, partial
from itertools import islice
from types import FrameType, ModuleType, TracebackType
from typing import Final, NamedTuple

from drycell.base import DrycellError, ProgramError, did_you_mean

MOST_CALLS: Final = 50
MOST_PARTS: Final = 100
"""The number of elements of a list, or fields of an object, that are shown."""
DEEPEST: Final = 3
"""The number of nested levels that are shown."""
MOST: Final = 2000
"""The number of elements and fields of all variables of a scope together."""
LONGEST: Final = 120
"""The number of characters of a value."""
_SIMPLE: Final = (bool, int, float, complex, str, bytes, type(None))


class Location(NamedTuple):
    """A position in a source file."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{os.path.basename(self.file)}:{self.line}"


# Folders of code that is not the user's: drycell itself, the standard library, installed packages.
_FOREIGN: Final = tuple(
    os.path.join(path, "")
    for path in (
        os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    )
)


@lru_cache(maxsize=1024)
def is_users(file: str) -> bool:
    """Return whether a file holds the user's code. A file without a name is drycell's own, as in recordings."""
    return bool(file) and not file.startswith("<") and not os.path.abspath(file).startswith(_FOREIGN)


def location_in_stack(frame: FrameType | None) -> Location | None:
    """Return the user's innermost frame of a stack."""
    while frame is not None:
        if is_users(frame.f_code.co_filename):
            return Location(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
        frame = frame.f_back
    return None


def location_in_traceback(traceback: TracebackType | None) -> Location | None:
    """Return the user's innermost frame of a traceback."""
    found = None
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if is_users(code.co_filename):
            found = Location(code.co_filename, traceback.tb_lineno, code.co_name)
        traceback = traceback.tb_next
    return found


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable as named in the program; ``parts`` are its elements or fields."""

    name: str
    type: str
    value: str
    parts: tuple[Variable, ...] = ()


@dataclass(frozen=True, slots=True)
class VariableScope:
    """A group of variables: those of a routine, those of the file, or the registers."""

    name: str
    variables: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """A routine that is running, and its current line; ``look`` returns the variables it sees."""

    name: str
    file: str
    line: int
    look: Callable[[], Sequence[VariableScope]]


def cut(text: str) -> str:
    """Shorten text to a length that can be shown."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def python_calls(frames: Sequence[FrameType]) -> list[ProgramCall]:
    """Return the calls of the user's Python functions among the frames of a stack, the innermost first."""
    return [
        ProgramCall(frame.f_code.co_name, frame.f_code.co_filename, frame.f_lineno, partial(_scopes, frame))
        for frame in islice((each for each in frames if is_users(each.f_code.co_filename)), MOST_CALLS)
    ]


def _scopes(frame: FrameType) -> list[VariableScope]:
    inner = {} if frame.f_locals is frame.f_globals else frame.f_locals
    return [
        VariableScope("locals", tuple(_variables(inner))),
        VariableScope("globals", tuple(_variables(frame.f_globals))),
    ]


def _variables(names: Mapping[str, object]) -> Iterator[Variable]:
    limit = ShownLimit()
    for name, value in islice(list(names.items()), 10 * MOST_PARTS):
        # Imports and definitions are visible in the file itself.
        if not name.startswith(("_", ".")) and not isinstance(value, (ModuleType, type)) and not _is_routine(value):
            yield variable(name, value, limit)


class ShownLimit:
    """The number of elements and fields that may still be shown."""

    def __init__(self, left: int = MOST) -> None:
        self.left = left

    def take(self, wanted: int) -> int:
        """Return how many of the requested values may be shown."""
        taken = min(wanted, self.left, MOST_PARTS)
        self.left -= taken
        return taken


def variable(name: str, value: object, limit: ShownLimit, depth: int = 0) -> Variable:
    """Return a Python value as a variable, with its elements or fields."""
    kind = type(value)
    named = kind.__qualname__
    if isinstance(value, _SIMPLE) or _is_routine(value) or isinstance(value, (type, ModuleType)):
        return Variable(name, named, _plain(value))
    if isinstance(value, Enum):
        return Variable(name, named, f"{named}.{value.name}")
    if kind.__module__.partition(".")[0] == "drycell":
        return Variable(name, named, _of_drycell(value))
    if kind.__module__ == "numpy":
        return Variable(name, named, cut(" ".join(reprlib.repr(value).split())))
    held = _parts(value) if depth < DEEPEST else []
    parts = tuple(variable(*part, limit, depth + 1) for part in held[: limit.take(len(held))])
    return Variable(name, named, _gist(value, named, parts), parts)


def _parts(value: object) -> list[tuple[str, object]]:
    if isinstance(value, dict):
        return [(_plain(key), each) for key, each in islice(dict.items(value), MOST_PARTS)]
    if isinstance(value, (list, tuple)):
        return [(f"[{place}]", each) for place, each in enumerate(value[:MOST_PARTS])]
    if isinstance(value, (set, frozenset)):
        return [(f"[{place}]", each) for place, each in enumerate(islice(value, MOST_PARTS))]
    held = _held(value, "__dict__")
    found = dict(held) if isinstance(held, dict) else {}
    if is_dataclass(value):
        found = {each.name: _held(value, each.name) for each in fields(value)}
    return [(name, each) for name, each in found.items() if not name.startswith("_")][:MOST_PARTS]


def _held(value: object, name: str) -> object:
    """Read a field without running a property or ``__getattr__`` of the user."""
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return None


def _gist(value: object, named: str, parts: Sequence[Variable]) -> str:
    """Return the value in one line."""
    inner = ", ".join(each.value for each in parts)
    if isinstance(value, dict):
        return cut("{" + ", ".join(f"{each.name}: {each.value}" for each in parts) + "}")
    if isinstance(value, list):
        return cut(f"[{inner}]")
    if isinstance(value, tuple):
        return cut(f"({inner})")
    if isinstance(value, (set, frozenset)):
        return cut("{" + inner + "}")
    return cut(f"{named}({', '.join(f'{each.name}={each.value}' for each in parts)})")


def _plain(value: object) -> str:
    if _is_routine(value):
        return f"{getattr(value, '__qualname__', '?')}()"
    if isinstance(value, (type, ModuleType)):
        return str(value.__name__)
    for kind in _SIMPLE:
        if isinstance(value, kind):
            shown = value[: LONGEST * 2] if isinstance(value, (str, bytes)) else value
            if isinstance(shown, int) and shown.bit_length() > 400:
                return f"{hex(shown >> (shown.bit_length() - 64))}… ({shown.bit_length()} bits)"
            return cut(str(kind.__repr__(shown)))  # type: ignore[call-arg]  # not that of the user's own subclass
    return type(value).__qualname__


def _of_drycell(value: object) -> str:
    """Return an object of drycell by its name, or by its own ``__repr__``."""
    kind = type(value)
    if kind.__repr__ is not object.__repr__ and not is_dataclass(value):
        return cut(repr(value).strip("<>"))
    name = getattr(value, "name", None)
    return cut(f"{kind.__name__} {name}" if isinstance(name, str) else kind.__name__)


def _is_routine(value: object) -> bool:
    return callable(value) and type(value).__name__ in (
        "function", "method", "builtin_function_or_method", "method-wrapper", "partial",
    )  # fmt: skip


def meant(error: BaseException) -> str | None:
    """Return the question that suggests a name close to an unknown name or attribute; None if nothing is close."""
    if isinstance(error, AttributeError) and error.name:
        known = {name for name in dir(error.obj) if not name.startswith("_")}
    elif isinstance(error, NameError) and error.name:
        known = _in_sight(error)
    else:
        return None
    hint = did_you_mean(error.name, known)
    return hint if hint.startswith("did you mean") else None


def _in_sight(error: BaseException) -> set[str]:
    """Return the names that the line with the error could use."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    own = () if place is None else (*place.tb_frame.f_locals, *place.tb_frame.f_globals)
    return {name for name in (*own, *dir(builtins)) if not name.startswith("_")}


@contextmanager
def naming_line(doing: str) -> Iterator[None]:
    """Add the user's line to errors raised inside; ``doing`` describes the action."""
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
