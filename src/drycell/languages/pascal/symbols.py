"""Symbols, the scopes in which names are looked up, and the standard functions and procedures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from drycell.languages.pascal.syntax import RoutineBody
from drycell.languages.pascal.types import (
    BOOLEAN,
    CHAR,
    INTEGER,
    LONGINT,
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
    """The meaning of a name; ``written`` is the name as the program declares it."""

    written: str


@dataclass(slots=True, eq=False)
class ConstantSymbol(Symbol):
    """A constant."""

    value: Value
    type: PascalType


@dataclass(slots=True, eq=False)
class TypeSymbol(Symbol):
    """A type."""

    type: PascalType


@dataclass(slots=True, eq=False)
class VariableSymbol(Symbol):
    """A variable or parameter. ``owner`` is its routine, or None for the program."""

    type: PascalType
    owner: RoutineSymbol | None
    by_reference: bool = False
    constant: bool = False
    """Whether it is a CONST parameter."""
    boxed: bool = False
    """Whether it is held in a list of one element, because it is passed by reference somewhere."""
    counting: int = 0
    """The number of enclosing FOR loops that count with it."""
    python: str = ""


@dataclass(slots=True, eq=False)
class WithField(Symbol):
    """A field of a record that WITH has opened. ``temp`` is the Python variable that holds the record."""

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
    """Whether it is not declared, so that its arguments are not checked."""
    forward: bool = False
    body: RoutineBody | None = None
    python: str = ""
    unit: str = ""
    variables: list[VariableSymbol] = field(default_factory=list)
    values: list[tuple[VariableSymbol, object]] = field(default_factory=list)
    """The initial values of its typed constants, in order."""
    routines: list[RoutineSymbol] = field(default_factory=list)
    calls: set[int] = field(default_factory=set)
    number: int = 0
    recursive: bool = False

    @property
    def function(self) -> bool:
        """Whether it returns a result."""
        return self.result is not None

    @property
    def kind(self) -> str:
        """The word for it in messages."""
        return "function" if self.function else "procedure"


@dataclass(slots=True, eq=False)
class Builtin(Symbol):
    """A standard function or procedure."""

    name: str


class SymbolTable:
    """The names of a scope, and through ``outer`` those of the scopes around it."""

    def __init__(self, outer: SymbolTable | None = None) -> None:
        self.outer = outer
        self.names: dict[str, Symbol] = {}

    def find(self, name: str) -> Symbol | None:
        """The symbol of a name."""
        scope: SymbolTable | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            scope = scope.outer
        return None

    def known(self, *kinds: type[Symbol]) -> Iterable[str]:
        """All names of these kinds of symbols, as they were declared."""
        scope: SymbolTable | None = self
        while scope is not None:
            for symbol in scope.names.values():
                if isinstance(symbol, kinds):
                    yield symbol.written
            scope = scope.outer


@dataclass(frozen=True, slots=True)
class ArgumentKind:
    """The kind of argument that a function accepts, as words and as a test."""

    words: str
    test: Callable[[PascalType], bool]


_NUMBER: Final = ArgumentKind("a number", is_number)
_INTEGER: Final = ArgumentKind("an integer", is_integer)
_TWO_BYTES: Final = ArgumentKind(
    "an integer or word", lambda kind: isinstance(kind, OrdinalType) and is_integer(kind) and kind.high < LONGINT.high
)
_ORDINAL: Final = ArgumentKind(
    "an integer, char, boolean or name of an enumeration", lambda kind: isinstance(kind, OrdinalType)
)
_TEXT: Final = ArgumentKind("a string", is_text)
_CHAR: Final = ArgumentKind("a char", is_char)


@dataclass(frozen=True, slots=True)
class Signature:
    """The arguments and the result of a function. A result of None means the type of the first argument."""

    arguments: tuple[ArgumentKind, ...]
    result: PascalType | None
    least: int | None = None
    """The smallest number of arguments, if some are optional."""
    many: bool = False
    """Whether the last argument can be repeated."""

    def accepts(self, count: int) -> bool:
        """Whether the function can be called with this number of arguments."""
        least = len(self.arguments) if self.least is None else self.least
        return least <= count and (self.many or count <= len(self.arguments))

    def kind(self, place: int) -> ArgumentKind:
        """The kind of the argument with this index."""
        return self.arguments[min(place, len(self.arguments) - 1)]


FUNCTIONS: Final[dict[str, Signature]] = {
    **{name: Signature((_NUMBER,), None) for name in ("abs", "sqr")},
    **{name: Signature((_NUMBER,), REAL) for name in ("sqrt", "sin", "cos", "arctan", "exp", "ln", "frac", "int")},
    **{name: Signature((_NUMBER,), LONGINT) for name in ("trunc", "round")},
    **{name: Signature((_TWO_BYTES,), INTEGER) for name in ("hi", "lo")},
    "swap": Signature((_TWO_BYTES,), None),
    **{name: Signature((_ORDINAL,), None) for name in ("succ", "pred")},
    "ord": Signature((_ORDINAL,), LONGINT),
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
"""The standard functions."""

PROCEDURES: Final = frozenset(
    (
        *("write", "writeln", "read", "readln", "inc", "dec", "str", "val", "insert", "delete"),
        *("halt", "exit", "break", "continue", "randomize", "include", "exclude"),
    )
)
"""The standard procedures. The checker has rules for each."""

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
