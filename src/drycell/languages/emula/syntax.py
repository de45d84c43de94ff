"""The syntax tree of EMULA's language. Every node has its span; names are kept in lower case and as written."""

from dataclasses import dataclass, field

from drycell.languages.kit import SourceSpan, SourceText


@dataclass(slots=True, eq=False)
class Number:
    """``2``, an INT, or ``2.``, a REAL."""

    span: SourceSpan
    value: int | float


@dataclass(slots=True, eq=False)
class StringLiteral:
    """``'NO PART'``."""

    span: SourceSpan
    value: str


@dataclass(slots=True, eq=False)
class Name:
    """A variable, a subroutine, a command, or the name of a body, depending on its place."""

    span: SourceSpan
    name: str
    written: str


@dataclass(slots=True, eq=False)
class Aggregate:
    """``<1,2,3>``."""

    span: SourceSpan
    items: "list[Expression]"


@dataclass(slots=True, eq=False)
class Unary:
    """``-a``, ``NOT a``."""

    span: SourceSpan
    operator: str
    operand: "Expression"


@dataclass(slots=True, eq=False)
class Binary:
    """``a + b``."""

    span: SourceSpan
    operator: str
    left: "Expression"
    right: "Expression"


@dataclass(slots=True, eq=False)
class Call:
    """``f(a, b)``: a command, a function, a subroutine, or an element of an aggregate."""

    span: SourceSpan
    target: "Expression"
    arguments: "list[Expression]"


@dataclass(slots=True, eq=False)
class Choice:
    """``IF a THEN b ELSE c`` as a value."""

    span: SourceSpan
    condition: "Expression"
    yes: "Expression"
    no: "Expression"


@dataclass(slots=True, eq=False)
class Reference:
    """``$ MONITOR``: a subroutine or function itself, as a value."""

    span: SourceSpan
    name: Name


@dataclass(slots=True, eq=False)
class Given:
    """A computed value as an argument, for APPLY and MAP."""

    span: SourceSpan
    value: object


Expression = Given | Number | StringLiteral | Name | Aggregate | Unary | Binary | Call | Choice | Reference


@dataclass(slots=True, eq=False)
class Until:
    """``until sensors (1,2) exceed (10)``."""

    span: SourceSpan
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
class Do:
    """A command, a call, or a bare expression as a statement."""

    span: SourceSpan
    what: Expression
    clauses: Clauses | None = None


@dataclass(slots=True, eq=False)
class Assign:
    """``a = 1`` or ``a(2) = 1``."""

    span: SourceSpan
    target: Expression
    value: Expression


@dataclass(slots=True, eq=False)
class Declare:
    """``a: NEW 1``."""

    span: SourceSpan
    name: Name
    value: Expression


@dataclass(slots=True, eq=False)
class If:
    """``IF a THEN … ELSE …``."""

    span: SourceSpan
    condition: Expression
    yes: "Statement"
    no: "Statement | None"


@dataclass(slots=True, eq=False)
class While:
    """``WHILE a DO …``."""

    span: SourceSpan
    condition: Expression
    body: "Statement"


@dataclass(slots=True, eq=False)
class Repeat:
    """``REPEAT … UNTIL a``."""

    span: SourceSpan
    body: "list[Statement]"
    condition: Expression


@dataclass(slots=True, eq=False)
class CompoundStatement:
    """``BEGIN … END``."""

    span: SourceSpan
    body: "list[Statement]"


@dataclass(slots=True, eq=False)
class Return:
    """``RETURN(a)``."""

    span: SourceSpan
    value: Expression | None


@dataclass(slots=True, eq=False)
class Subroutine:
    """``name: SUBR(a, b); … END``."""

    span: SourceSpan
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
