"""The syntax tree of Pascal. Every node knows its stretch of the text; names are kept in lower case and as written.

The tree keeps offsets, and a source text its tokens with their trivia, so nothing of a text is lost. The checker fills
in the ``type`` of each expression and the ``symbol`` of each name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from drycell.languages.kit import Source

if TYPE_CHECKING:
    from drycell.languages.pascal.symbols import Routine, Symbol
    from drycell.languages.pascal.types import Type


@dataclass(slots=True, eq=False)
class Node:
    """Anything that stands in the text."""

    start: int
    end: int


@dataclass(slots=True, eq=False)
class Expression(Node):
    """Anything that has a value."""

    type: Type = field(init=False, repr=False)


@dataclass(slots=True, eq=False)
class Number(Expression):
    """``2``, ``$FF``, ``2.5e3``."""

    value: int | float


@dataclass(slots=True, eq=False)
class Text(Expression):
    """``'part'``, ``'it''s'``, ``#13``; of one character it is a char."""

    value: str


@dataclass(slots=True, eq=False)
class Nil(Expression):
    """``nil``."""


@dataclass(slots=True, eq=False)
class Name(Expression):
    """A variable, constant, function, or a field of a record opened by WITH."""

    name: str
    written: str
    symbol: Symbol | None = field(default=None, repr=False)


@dataclass(slots=True, eq=False)
class Index(Expression):
    """``a[i]``; ``a[i, j]`` is two of them."""

    of: Expression
    index: Expression


@dataclass(slots=True, eq=False)
class Field(Expression):
    """``r.x``; ``start`` of the name itself is ``at``."""

    of: Expression
    name: str
    written: str
    at: int


@dataclass(slots=True, eq=False)
class Dereference(Expression):
    """``p^``."""

    of: Expression


@dataclass(slots=True, eq=False)
class Formatted(Expression):
    """``x:8:2`` among the arguments of WRITE."""

    value: Expression
    width: Expression
    decimals: Expression | None


@dataclass(slots=True, eq=False)
class Call(Expression):
    """``f(a, b)``, or a name alone that turns out to be a routine."""

    target: Name
    arguments: list[Expression]


@dataclass(slots=True, eq=False)
class Unary(Expression):
    """``-a``, ``not a``."""

    operator: str
    operand: Expression


@dataclass(slots=True, eq=False)
class Binary(Expression):
    """``a + b``; ``at`` is the operator's own offset."""

    operator: str
    at: int
    left: Expression
    right: Expression


@dataclass(slots=True, eq=False)
class Members(Expression):
    """``[1, 3..5]``: a set by its members, each a value or a range."""

    items: list[tuple[Expression, Expression | None]]


@dataclass(slots=True, eq=False)
class TypeName(Node):
    """``integer``."""

    name: str
    written: str


@dataclass(slots=True, eq=False)
class StringOf(Node):
    """``string`` or ``string[80]``."""

    length: Expression | None


@dataclass(slots=True, eq=False)
class Range(Node):
    """``1..10``."""

    low: Expression
    high: Expression


@dataclass(slots=True, eq=False)
class Enumeration(Node):
    """``(red, green)``."""

    names: list[Name]


@dataclass(slots=True, eq=False)
class ArrayOf(Node):
    """``array[1..3, boolean] of real``."""

    indices: list[TypeExpression]
    element: TypeExpression


@dataclass(slots=True, eq=False)
class SetOf(Node):
    """``set of char``."""

    base: TypeExpression


@dataclass(slots=True, eq=False)
class PointerTo(Node):
    """``^node``, perhaps of a type that is declared later."""

    target: TypeName


@dataclass(slots=True, eq=False)
class Variant(Node):
    """``case kind: shape of circle: (r: real); …``; the tag may have no name."""

    tag: Name | None
    tag_type: TypeExpression
    cases: list[tuple[list[Expression], FieldList]]


@dataclass(slots=True, eq=False)
class FieldList(Node):
    """The fields of a record, and its variant part."""

    fields: list[tuple[list[Name], TypeExpression]]
    variant: Variant | None


@dataclass(slots=True, eq=False)
class RecordOf(Node):
    """``record … end``."""

    fields: FieldList


TypeExpression = TypeName | StringOf | Range | Enumeration | ArrayOf | SetOf | PointerTo | RecordOf


@dataclass(slots=True, eq=False)
class Assign(Node):
    """``a := b``."""

    target: Expression
    value: Expression


@dataclass(slots=True, eq=False)
class Invoke(Node):
    """A call as a statement."""

    call: Call


@dataclass(slots=True, eq=False)
class Block(Node):
    """``begin … end``, and the body of REPEAT. ``labels`` are those of its own statements, with their places."""

    body: list[Statement]
    labels: dict[str, int] = field(default_factory=dict)
    jump: str = ""
    """The Python variable by which a GOTO to one of its labels finds it."""


@dataclass(slots=True, eq=False)
class If(Node):
    """``if a then … else …``."""

    condition: Expression
    yes: Statement
    no: Statement | None


@dataclass(slots=True, eq=False)
class While(Node):
    """``while a do …``."""

    condition: Expression
    body: Statement


@dataclass(slots=True, eq=False)
class Repeat(Node):
    """``repeat … until a``."""

    body: Block
    condition: Expression


@dataclass(slots=True, eq=False)
class For(Node):
    """``for i := a to b do …``."""

    variable: Name
    first: Expression
    last: Expression
    down: bool
    body: Statement


@dataclass(slots=True, eq=False)
class Branch(Node):
    """``1, 3..5: …`` of a CASE."""

    labels: list[tuple[Expression, Expression | None]]
    body: Statement
    values: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Case(Node):
    """``case a of … else … end``."""

    selector: Expression
    branches: list[Branch]
    otherwise: Block | None


@dataclass(slots=True, eq=False)
class With(Node):
    """``with r, s do …``."""

    records: list[Expression]
    body: Statement
    temps: list[str] = field(default_factory=list)
    """The Python variables in which the records stand."""


@dataclass(slots=True, eq=False)
class Goto(Node):
    """``goto 10``."""

    label: str
    target: Block | None = None


@dataclass(slots=True, eq=False)
class Labelled(Node):
    """``10: …``."""

    label: str
    body: Statement


@dataclass(slots=True, eq=False)
class Empty(Node):
    """Nothing, between two semicolons."""


Statement = Assign | Invoke | Block | If | While | Repeat | For | Case | With | Goto | Labelled | Empty


@dataclass(slots=True, eq=False)
class Label(Node):
    """A label that is declared."""

    name: str


@dataclass(slots=True, eq=False)
class Constant(Node):
    """``limit = 10``, or Turbo's ``start: real = 0.5``, which is a variable with a first value."""

    name: Name
    kind: TypeExpression | None
    value: Expression


@dataclass(slots=True, eq=False)
class TypeDefinition(Node):
    """``point = record … end``."""

    name: Name
    kind: TypeExpression


@dataclass(slots=True, eq=False)
class Variables(Node):
    """``a, b: integer``; without a type when it could not be read."""

    names: list[Name]
    kind: TypeExpression | None


@dataclass(slots=True, eq=False)
class Parameters(Node):
    """``var a, b: integer`` in the head of a routine; ``constant``: CONST is before them."""

    names: list[Name]
    kind: TypeExpression | None
    by_reference: bool
    constant: bool = False


@dataclass(slots=True, eq=False)
class RoutineDeclaration(Node):
    """A procedure or function; without a body when it is forward, external, or in an interface."""

    name: Name
    function: bool
    parameters: list[Parameters]
    result: TypeExpression | None
    directive: str = ""
    body: Body | None = None
    unread: bool = False
    """Whether there is a mistake among its parameters, so that it is not known what it is called with."""
    routine: Routine | None = field(default=None, repr=False)


Declaration = Label | Constant | TypeDefinition | Variables | RoutineDeclaration


@dataclass(slots=True, eq=False)
class Body(Node):
    """Declarations and the statements they serve."""

    declarations: list[Declaration]
    statements: Block


@dataclass(slots=True, eq=False)
class Program(Node):
    """A program or a unit. A unit's interface is the first ``exported`` of its declarations."""

    source: Source
    name: Name
    uses: list[Name]
    body: Body
    unit: bool = False
    exported: int = 0
    skipped: set[str] = field(default_factory=set)
    """Names in what could not be read; the checker does not complain that these are unknown."""
