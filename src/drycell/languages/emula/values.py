"""Values of EMULA's language: INT, REAL, STRING, aggregates of them, monitors, and subroutines themselves."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Union

if TYPE_CHECKING:
    from drycell.languages.emula.routine import Routine
    from drycell.languages.emula.syntax import Subroutine
    from drycell.languages.kit import Source

LARGEST_INT: Final = 2**63 - 1
LONGEST: Final = 10_000
"""The most signs of a string, and the most elements of an aggregate, those of its own aggregates included."""
DEEPEST: Final = 20
_SHOWN: Final = 2000


class Refusal(Exception):
    """Something that cannot be done with these values; the interpreter adds where it stands."""

    def __init__(self, what: str, hint: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint


@dataclass(eq=False, slots=True)
class Monitor:
    """A guard as a value: given to a move, it stops it; asked afterwards, it tells whether it did."""

    number: int
    sensors: tuple[int, ...]
    limit: float
    tripped: bool = False
    ended: bool = False


@dataclass(eq=False, slots=True)
class Closure:
    """A subroutine of the program, and the text it stands in."""

    definition: "Subroutine"
    source: "Source" = field(repr=False)


Value = Union[int, float, str, tuple["Value", ...], Monitor, Closure, "Routine"]


def kind_of(value: Value) -> str:
    """What a value is, as the language calls it."""
    if isinstance(value, int):
        return "INT"
    if isinstance(value, float):
        return "REAL"
    if isinstance(value, str):
        return "STRING"
    if isinstance(value, tuple):
        return "aggregate"
    return "MONITOR" if isinstance(value, Monitor) else "subroutine"


def described(value: Value) -> str:
    """Kind and value, for messages: ``INT 3``, ``an aggregate of 3``."""
    if isinstance(value, tuple):
        return f"an aggregate of {len(value)}"
    return f"{kind_of(value)} {show(value, quote=True)}" if isinstance(value, (int, float, str)) else kind_of(value)


def show(value: Value, *, quote: bool = False) -> str:
    """A value as people read it; strings in an aggregate, or on demand, as they are written in programs."""
    shown = _shown(value, quote)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"


def _shown(value: Value, quote: bool) -> str:
    if isinstance(value, float):
        text = f"{round(value, 9) + 0.0:.7g}"  # -0.0 is a plain zero
        return text if any(sign in text for sign in ".en") else f"{text}.0"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'" if quote else value
    if isinstance(value, tuple):
        return f"<{','.join(_shown(each, True) for each in value)}>"
    if isinstance(value, Monitor):
        sensors = ",".join(map(str, value.sensors))
        return f"monitor {value.number} (sensors {sensors} exceed {value.limit:g})"
    if isinstance(value, int):
        return str(value)
    return f"$ {value.definition.name.written}" if isinstance(value, Closure) else f"$ {value.name}"


def size_of(value: Value) -> int:
    """How many elements a value has, those of its aggregates included."""
    return 1 + sum(map(size_of, value)) if isinstance(value, tuple) else 1


def depth_of(value: Value) -> int:
    """How deep aggregates are nested in a value."""
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, tuple) else 0


def checked(value: Value) -> Value:
    """The value, unless it is too large to be kept."""
    if isinstance(value, str) and len(value) > LONGEST:
        raise Refusal(f"a string of {len(value)} signs is too long", f"{LONGEST} are the most")
    if isinstance(value, tuple):
        if len(value) > LONGEST or size_of(value) > LONGEST:
            raise Refusal("this aggregate has too many elements", f"{LONGEST} are the most")
        if depth_of(value) > DEEPEST:
            raise Refusal("aggregates are nested too deeply", f"{DEEPEST} levels are the most")
    return value


def is_true(value: Value) -> bool:
    """Whether a condition holds: a number that is not zero."""
    if isinstance(value, (int, float)):
        return value != 0
    raise Refusal(
        f"a condition must be a number, not {described(value)}",
        "compare it with something; ANY(a) and ALL(a) look at the elements of an aggregate",
    )
