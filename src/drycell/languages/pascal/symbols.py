"""What names stand for, and the scopes in which they are looked up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from drycell.languages.pascal.syntax import Block, Body
from drycell.languages.pascal.types import Type


@dataclass(slots=True, eq=False)
class Symbol:
    """A name that is known; ``written`` as its author wrote it."""

    written: str


@dataclass(slots=True, eq=False)
class ConstantSymbol(Symbol):
    """A value that never changes."""

    value: int | float | str | bool | frozenset[int | str] | None
    type: Type


@dataclass(slots=True, eq=False)
class TypeSymbol(Symbol):
    """A type."""

    type: Type


@dataclass(slots=True, eq=False)
class Variable(Symbol):
    """A variable or parameter of a routine (or of the program: None)."""

    type: Type
    owner: Routine | None
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

    type: Type
    temp: str
    place: int


@dataclass(slots=True, eq=False)
class Routine(Symbol):
    """A procedure or function."""

    parameters: list[Variable]
    result: Type | None
    owner: Routine | None
    external: bool = False
    stub: bool = False
    """Whether it was never declared: its parameters are what it is called with."""
    forward: bool = False
    body: Body | None = None
    python: str = ""
    unit: str = ""
    variables: list[Variable] = field(default_factory=list)
    values: list[tuple[Variable, object]] = field(default_factory=list)
    """The first values of its typed constants, in their order."""
    routines: list[Routine] = field(default_factory=list)
    calls: set[int] = field(default_factory=set)
    number: int = 0
    recursive: bool = False
    labels: dict[str, Block] = field(default_factory=dict)
    """Labels of its outermost statements: inner routines may go there."""

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


class Scope:
    """Names known in a place, and beyond them those of the places around it."""

    def __init__(self, outer: Scope | None = None) -> None:
        self.outer = outer
        self.names: dict[str, Symbol] = {}

    def find(self, name: str) -> Symbol | None:
        """What a name stands for."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            scope = scope.outer
        return None

    def known(self, *kinds: type[Symbol]) -> Iterable[str]:
        """All names of some kinds, as they are written."""
        scope: Scope | None = self
        while scope is not None:
            for symbol in scope.names.values():
                if isinstance(symbol, kinds):
                    yield symbol.written
            scope = scope.outer
