"""The syntax tree of Pascal. Every node has its offsets in the text; names are kept in lower case and as written.

The checker fills in the ``type`` of each expression and the ``symbol`` of each name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from drycell.languages.kit import SourceText

if TYPE_CHECKING:
    from drycell.languages.pascal.symbols import RoutineSymbol, Symbol
    from drycell.languages.pascal.types import PascalType


@dataclass(slots=True, eq=False)
class SyntaxNode:
    """The base of all nodes: ``start`` and ``end`` are offsets in the text."""

    start: int
    end: int


@dataclass(slots=True, eq=False)
class Expression(SyntaxNode):
    """The base of all nodes that have a value."""

    type: PascalType = field(init=False, repr=False)


@dataclass(slots=True, eq=False)
class Number(Expression):
    """``2``, ``$FF``, ``2.5e3``."""

    value: int | float


@dataclass(slots=True, eq=False)
class StringLiteral(Expression):
    """``'part'``, ``'it''s'``, ``#13``. A literal of one character is a char."""

    value: str


@dataclass(slots=True, eq=False)
class Name(Expression):
    """A variable, a constant, a function, or a field of a record opened by WITH."""

    name: str
    written: str
    symbol: Symbol | None = field(default=None, repr=False)


@dataclass(slots=True, eq=False)
class Index(Expression):
    """``a[i]``; ``a[i, j]`` is two of them."""

    of: Expression
    index: Expression


@dataclass(slots=True, eq=False)
class FieldAccess(Expression):
    """``r.x``; ``at`` is the offset of the field's name."""

    of: Expression
    name: str
    written: str
    at: int


@dataclass(slots=True, eq=False)
class Formatted(Expression):
    """``x:8:2`` as an argument of WRITE."""

    value: Expression
    width: Expression
    decimals: Expression | None


@dataclass(slots=True, eq=False)
class Call(Expression):
    """``f(a, b)``, or the name of a routine as a statement."""

    target: Name
    arguments: list[Expression]


@dataclass(slots=True, eq=False)
class Unary(Expression):
    """``-a``, ``not a``."""

    operator: str
    operand: Expression


@dataclass(slots=True, eq=False)
class Binary(Expression):
    """``a + b``; ``at`` is the offset of the operator."""

    operator: str
    at: int
    left: Expression
    right: Expression


@dataclass(slots=True, eq=False)
class SetConstructor(Expression):
    """``['a'..'z', '_']``: single values, and ranges with their last value."""

    items: list[tuple[Expression, Expression | None]]


@dataclass(slots=True, eq=False)
class TypeName(SyntaxNode):
    """``integer``."""

    name: str
    written: str


@dataclass(slots=True, eq=False)
class StringOf(SyntaxNode):
    """``string`` or ``string[80]``."""

    length: Expression | None


@dataclass(slots=True, eq=False)
class Range(SyntaxNode):
    """``1..10``."""

    low: Expression
    high: Expression


@dataclass(slots=True, eq=False)
class Enumeration(SyntaxNode):
    """``(red, green)``."""

    names: list[Name]


@dataclass(slots=True, eq=False)
class ArrayOf(SyntaxNode):
    """``array[1..3, boolean] of real``."""

    indices: list[TypeExpression]
    element: TypeExpression


@dataclass(slots=True, eq=False)
class RecordOf(SyntaxNode):
    """``record … end``."""

    fields: list[tuple[list[Name], TypeExpression]]


@dataclass(slots=True, eq=False)
class SetOf(SyntaxNode):
    """``set of char``."""

    element: TypeExpression


TypeExpression = TypeName | StringOf | Range | Enumeration | ArrayOf | RecordOf | SetOf


@dataclass(slots=True, eq=False)
class Assign(SyntaxNode):
    """``a := b``."""

    target: Expression
    value: Expression


@dataclass(slots=True, eq=False)
class Invoke(SyntaxNode):
    """A call as a statement."""

    call: Call


@dataclass(slots=True, eq=False)
class CompoundStatement(SyntaxNode):
    """``begin … end``, or the body of REPEAT."""

    body: list[Statement]


@dataclass(slots=True, eq=False)
class If(SyntaxNode):
    """``if a then … else …``."""

    condition: Expression
    yes: Statement
    no: Statement | None


@dataclass(slots=True, eq=False)
class While(SyntaxNode):
    """``while a do …``."""

    condition: Expression
    body: Statement


@dataclass(slots=True, eq=False)
class Repeat(SyntaxNode):
    """``repeat … until a``."""

    body: CompoundStatement
    condition: Expression


@dataclass(slots=True, eq=False)
class For(SyntaxNode):
    """``for i := a to b do …``."""

    variable: Name
    first: Expression
    last: Expression
    down: bool
    body: Statement


@dataclass(slots=True, eq=False)
class Branch(SyntaxNode):
    """``1, 3..5: …`` of a CASE."""

    labels: list[tuple[Expression, Expression | None]]
    body: Statement
    values: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Case(SyntaxNode):
    """``case a of … else … end``."""

    selector: Expression
    branches: list[Branch]
    otherwise: CompoundStatement | None


@dataclass(slots=True, eq=False)
class With(SyntaxNode):
    """``with r, s do …``."""

    records: list[Expression]
    body: Statement
    temps: list[str] = field(default_factory=list)
    """The Python variables that hold the records."""


@dataclass(slots=True, eq=False)
class Empty(SyntaxNode):
    """An empty statement, such as between two semicolons."""


Statement = Assign | Invoke | CompoundStatement | If | While | Repeat | For | Case | With | Empty


@dataclass(slots=True, eq=False)
class ConstantDeclaration(SyntaxNode):
    """``limit = 10``, or Turbo Pascal's ``start: real = 0.5``, which is a variable with an initial value."""

    name: Name
    kind: TypeExpression | None
    value: Expression


@dataclass(slots=True, eq=False)
class TypeDefinition(SyntaxNode):
    """``point = record … end``."""

    name: Name
    kind: TypeExpression


@dataclass(slots=True, eq=False)
class VariableDeclaration(SyntaxNode):
    """``a, b: integer``. ``kind`` is None if the type could not be read."""

    names: list[Name]
    kind: TypeExpression | None


@dataclass(slots=True, eq=False)
class ParameterGroup(SyntaxNode):
    """``var a, b: integer`` in the head of a routine; ``constant`` is True for CONST parameters."""

    names: list[Name]
    kind: TypeExpression | None
    by_reference: bool
    constant: bool = False


@dataclass(slots=True, eq=False)
class RoutineDeclaration(SyntaxNode):
    """A procedure or function. It has no body if it is forward, external, or in an interface."""

    name: Name
    function: bool
    parameters: list[ParameterGroup]
    result: TypeExpression | None
    directive: str = ""
    body: RoutineBody | None = None
    unread: bool = False
    """Whether its parameters contain a mistake, so that calls of it cannot be checked."""
    routine: RoutineSymbol | None = field(default=None, repr=False)


Declaration = ConstantDeclaration | TypeDefinition | VariableDeclaration | RoutineDeclaration


@dataclass(slots=True, eq=False)
class RoutineBody(SyntaxNode):
    """The declarations and statements of a routine, a program or a unit."""

    declarations: list[Declaration]
    statements: CompoundStatement


@dataclass(slots=True, eq=False)
class CompilationUnit(SyntaxNode):
    """A program or a unit. The first ``exported`` declarations are the interface of a unit."""

    source: SourceText
    name: Name
    uses: list[Name]
    body: RoutineBody
    unit: bool = False
    exported: int = 0
    skipped: set[str] = field(default_factory=set)
    """Names in text that could not be read; the checker does not report these as unknown."""
