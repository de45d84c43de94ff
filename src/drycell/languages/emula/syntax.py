"""The syntax tree of EMULA's language. Every node has its span; names are kept in lower case and as written."""

from dataclasses import dataclass, field

from drycell.languages.kit import SourceSpan, SourceText


@dataclass(slots=True, eq=False)
class EmulaNode:
    """The base of all nodes."""

    span: SourceSpan


@dataclass(slots=True, eq=False)
class Number(EmulaNode):
    """``2``, an INT, or ``2.``, a REAL."""

    value: int | float


@dataclass(slots=True, eq=False)
class StringLiteral(EmulaNode):
    """``'NO PART'``."""

    value: str


@dataclass(slots=True, eq=False)
class Name(EmulaNode):
    """A variable, a subroutine, a command, or the name of a body, depending on its place."""

    name: str
    written: str


@dataclass(slots=True, eq=False)
class Aggregate(EmulaNode):
    """``<1,2,3>``."""

    items: "list[Expression]"


@dataclass(slots=True, eq=False)
class Unary(EmulaNode):
    """``-a``, ``NOT a``."""

    operator: str
    operand: "Expression"


@dataclass(slots=True, eq=False)
class Binary(EmulaNode):
    """``a + b``."""

    operator: str
    left: "Expression"
    right: "Expression"


@dataclass(slots=True, eq=False)
class Call(EmulaNode):
    """``f(a, b)``: a command, a function, a subroutine, or an element of an aggregate."""

    target: "Expression"
    arguments: "list[Expression]"


@dataclass(slots=True, eq=False)
class Choice(EmulaNode):
    """``IF a THEN b ELSE c`` as a value."""

    condition: "Expression"
    yes: "Expression"
    no: "Expression"


@dataclass(slots=True, eq=False)
class Reference(EmulaNode):
    """``$ MONITOR``: a subroutine or function itself, as a value."""

    name: Name


@dataclass(slots=True, eq=False)
class Given(EmulaNode):
    """A computed value as an argument, for APPLY and MAP."""

    value: object


Expression = Given | Number | StringLiteral | Name | Aggregate | Unary | Binary | Call | Choice | Reference


@dataclass(slots=True, eq=False)
class Until(EmulaNode):
    """``until sensors (1,2) exceed (10)``."""

    sensors: list[Expression]
    limit: Expression


@dataclass(slots=True, eq=False)
class Clauses:
    """The clauses of a command: UNTIL SENSORS … EXCEED …, AT …, FROM …"""

    until: Until | None = None
    at: list[Expression] | None = None
    from_: Expression | None = None
    spans: dict[str, SourceSpan] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Do(EmulaNode):
    """A command, a call, or a bare expression as a statement."""

    what: Expression
    clauses: Clauses | None = None


@dataclass(slots=True, eq=False)
class Assign(EmulaNode):
    """``a = 1`` or ``a(2) = 1``."""

    target: Expression
    value: Expression


@dataclass(slots=True, eq=False)
class Declare(EmulaNode):
    """``a: NEW 1``."""

    name: Name
    value: Expression


@dataclass(slots=True, eq=False)
class If(EmulaNode):
    """``IF a THEN … ELSE …``."""

    condition: Expression
    yes: "Statement"
    no: "Statement | None"


@dataclass(slots=True, eq=False)
class While(EmulaNode):
    """``WHILE a DO …``."""

    condition: Expression
    body: "Statement"


@dataclass(slots=True, eq=False)
class Repeat(EmulaNode):
    """``REPEAT … UNTIL a``."""

    body: "list[Statement]"
    condition: Expression


@dataclass(slots=True, eq=False)
class CompoundStatement(EmulaNode):
    """``BEGIN … END``."""

    body: "list[Statement]"


@dataclass(slots=True, eq=False)
class Return(EmulaNode):
    """``RETURN(a)``."""

    value: Expression | None


@dataclass(slots=True, eq=False)
class Subroutine(EmulaNode):
    """``name: SUBR(a, b); … END``."""

    name: Name
    parameters: list[Name]
    body: "list[Statement]"


Statement = Do | Assign | Declare | If | While | Repeat | CompoundStatement | Return | Subroutine


@dataclass(slots=True, eq=False)
class EmulaText:
    """The statements of a text. ``ends`` has the offset of the end of each, including the comments on its line."""

    source: SourceText
    body: list[Statement]
    ends: list[int]
