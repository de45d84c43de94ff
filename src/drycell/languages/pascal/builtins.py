"""The routines that every Pascal knows: what they take, and what comes out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from drycell.languages.pascal.types import (
    BOOLEAN,
    CHAR,
    INTEGER,
    REAL,
    STRING,
    Ordinal,
    Type,
    Unknown,
    is_char,
    is_integer,
    is_number,
    is_text,
)

Test = Callable[[Type], bool]


@dataclass(frozen=True, slots=True)
class Kind:
    """What an argument must be, in words and as a test."""

    words: str
    test: Test


_NUMBER: Final = Kind("a number", is_number)
_INTEGER: Final = Kind("an integer", is_integer)
_ORDINAL: Final = Kind("an integer, char, boolean or name of an enumeration", lambda kind: isinstance(kind, Ordinal))
_TEXT: Final = Kind("a string", is_text)
_CHAR: Final = Kind("a char", is_char)


@dataclass(frozen=True, slots=True)
class Signature:
    """The arguments of a function and its result; None: that of its first argument."""

    arguments: tuple[Kind, ...]
    result: Type | None
    least: int | None = None
    """The least number of arguments, if some may be left out."""
    many: bool = False
    """Whether the last argument may come again and again."""

    def counts(self, count: int) -> bool:
        """Whether so many arguments may be given."""
        least = len(self.arguments) if self.least is None else self.least
        return least <= count and (self.many or count <= len(self.arguments))

    def kind(self, place: int) -> Kind:
        """What the argument at a place must be."""
        return self.arguments[min(place, len(self.arguments) - 1)]


FUNCTIONS: Final[dict[str, Signature]] = {
    **{name: Signature((_NUMBER,), None) for name in ("abs", "sqr")},
    **{name: Signature((_NUMBER,), REAL) for name in ("sqrt", "sin", "cos", "arctan", "exp", "ln", "frac", "int")},
    **{name: Signature((_NUMBER,), INTEGER) for name in ("trunc", "round")},
    **{name: Signature((_ORDINAL,), None) for name in ("succ", "pred")},
    "ord": Signature((_ORDINAL,), INTEGER),
    "chr": Signature((_INTEGER,), CHAR),
    "odd": Signature((_INTEGER,), BOOLEAN),
    "length": Signature((_TEXT,), INTEGER),
    "upcase": Signature((_CHAR,), CHAR),
    "copy": Signature((_TEXT, _INTEGER, _INTEGER), STRING),
    "concat": Signature((_TEXT,), STRING, many=True),
    "pos": Signature((_TEXT, _TEXT), INTEGER),
    "random": Signature((_INTEGER,), REAL, least=0),
    "pi": Signature((), REAL),
}
"""Functions whose arguments are values."""

PROCEDURES: Final = frozenset(
    (
        *("write", "writeln", "read", "readln", "new", "dispose", "inc", "dec", "str", "val", "insert", "delete"),
        *("halt", "exit", "break", "continue", "randomize"),
    )
)
"""Procedures, each with rules of its own."""

EXAMPLES: Final = {
    "new": "new(p)",
    "dispose": "dispose(p)",
    "inc": "inc(n) or inc(n, 2)",
    "dec": "dec(n) or dec(n, 2)",
    "str": "str(x:8:2, s)",
    "val": "val(s, x, code)",
    "insert": "insert('text', s, 3)",
    "delete": "delete(s, 3, 2)",
    "halt": "halt or halt(1)",
    "exit": "exit or, in a function, exit(value)",
    "break": "break",
    "continue": "continue",
    "randomize": "randomize",
}


def result_of(name: str, arguments: list[Type]) -> Type:
    """The type of a function's result."""
    signature = FUNCTIONS[name]
    if name == "random":
        return INTEGER if arguments else REAL
    if signature.result is not None:
        return signature.result
    first = arguments[0]
    if isinstance(first, Unknown) or not is_integer(first):
        return first
    return INTEGER
