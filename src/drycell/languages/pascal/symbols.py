"""What names stand for, the scopes in which they are looked up, and the standard functions and procedures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from drycell.languages.pascal.syntax import RoutineBody
from drycell.languages.pascal.types import (
    BOOLEAN,
    CHAR,
    INTEGER,
    REAL,
    STRING,
    OrdinalType,
    PascalType,
    UnknownType,
    Value,
    is_char,
    is_integer,
    is_number,
    is_text,
)


@dataclass(slots=True, eq=False)
class Symbol:
    """A name that is known; ``written`` as its author wrote it."""

    written: str


@dataclass(slots=True, eq=False)
class ConstantSymbol(Symbol):
    """A value that never changes."""

    value: Value
    type: PascalType


@dataclass(slots=True, eq=False)
class TypeSymbol(Symbol):
    """A type."""

    type: PascalType


@dataclass(slots=True, eq=False)
class VariableSymbol(Symbol):
    """A variable or parameter of a routine (or of the program: None)."""

    type: PascalType
    owner: RoutineSymbol | None
    by_reference: bool = False
    constant: bool = False
    """Whether it is a CONST parameter."""
    boxed: bool = False
    """Whether it is kept in a list of its own, because it is passed by reference somewhere."""
    counting: int = 0
    """How many FOR loops that are open here count with it."""
    python: str = ""


@dataclass(slots=True, eq=False)
class WithField(Symbol):
    """A field of a record that a WITH has opened, which stands in a Python variable."""

    type: PascalType
    temp: str
    place: int


@dataclass(slots=True, eq=False)
class RoutineSymbol(Symbol):
    """A procedure or function."""

    parameters: list[VariableSymbol]
    result: PascalType | None
    owner: RoutineSymbol | None
    external: bool = False
    stub: bool = False
    """Whether it was never declared: its parameters are what it is called with."""
    forward: bool = False
    body: RoutineBody | None = None
    python: str = ""
    unit: str = ""
    variables: list[VariableSymbol] = field(default_factory=list)
    values: list[tuple[VariableSymbol, object]] = field(default_factory=list)
    """The first values of its typed constants, in their order."""
    routines: list[RoutineSymbol] = field(default_factory=list)
    calls: set[int] = field(default_factory=set)
    number: int = 0
    recursive: bool = False

    @property
    def function(self) -> bool:
        """Whether it has a result."""
        return self.result is not None

    @property
    def kind(self) -> str:
        """How messages call it."""
        return "function" if self.function else "procedure"


@dataclass(slots=True, eq=False)
class Builtin(Symbol):
    """A routine that every Pascal knows, with rules of its own."""

    name: str


class SymbolTable:
    """Names known in a place, and beyond them those of the places around it."""

    def __init__(self, outer: SymbolTable | None = None) -> None:
        self.outer = outer
        self.names: dict[str, Symbol] = {}

    def find(self, name: str) -> Symbol | None:
        """What a name stands for."""
        scope: SymbolTable | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            scope = scope.outer
        return None

    def known(self, *kinds: type[Symbol]) -> Iterable[str]:
        """All names of some kinds, as they are written."""
        scope: SymbolTable | None = self
        while scope is not None:
            for symbol in scope.names.values():
                if isinstance(symbol, kinds):
                    yield symbol.written
            scope = scope.outer


Test = Callable[[PascalType], bool]


@dataclass(frozen=True, slots=True)
class Kind:
    """What an argument must be, in words and as a test."""

    words: str
    test: Test


_NUMBER: Final = Kind("a number", is_number)
_INTEGER: Final = Kind("an integer", is_integer)
_ORDINAL: Final = Kind(
    "an integer, char, boolean or name of an enumeration", lambda kind: isinstance(kind, OrdinalType)
)
_TEXT: Final = Kind("a string", is_text)
_CHAR: Final = Kind("a char", is_char)


@dataclass(frozen=True, slots=True)
class Signature:
    """The arguments of a function and its result; None: that of its first argument."""

    arguments: tuple[Kind, ...]
    result: PascalType | None
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
        *("write", "writeln", "read", "readln", "inc", "dec", "str", "val", "insert", "delete"),
        *("halt", "exit", "break", "continue", "randomize", "include", "exclude"),
    )
)
"""Procedures, each with rules of its own."""

EXAMPLES: Final = {
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
    "include": "include(s, x)",
    "exclude": "exclude(s, x)",
}


def result_of(name: str, arguments: list[PascalType]) -> PascalType:
    """The type of a function's result."""
    signature = FUNCTIONS[name]
    if name == "random":
        return INTEGER if arguments else REAL
    if signature.result is not None:
        return signature.result
    first = arguments[0]
    if isinstance(first, UnknownType) or not is_integer(first):
        return first
    return INTEGER
