"""The syntax tree of EMULA's language. Every node knows its span; names are kept in lower case and as written."""

from dataclasses import dataclass, field

from drycell.languages.kit import Source, Span


@dataclass(slots=True, eq=False)
class Number:
    """``2``, an INT, or ``2.``, a REAL."""

    span: Span
    value: int | float


@dataclass(slots=True, eq=False)
class Text:
    """``'NO PART'``."""

    span: Span
    value: str


@dataclass(slots=True, eq=False)
class Name:
    """A variable, a subroutine, a command, or the name of a body, as the place demands."""

    span: Span
    name: str
    written: str


@dataclass(slots=True, eq=False)
class Aggregate:
    """``<1,2,3>``."""

    span: Span
    items: "list[Expression]"


@dataclass(slots=True, eq=False)
class Unary:
    """``-a``, ``NOT a``."""

    span: Span
    operator: str
    operand: "Expression"


@dataclass(slots=True, eq=False)
class Binary:
    """``a + b``."""

    span: Span
    operator: str
    left: "Expression"
    right: "Expression"


@dataclass(slots=True, eq=False)
class Call:
    """``f(a, b)``: a command, a function, a subroutine, or an element of an aggregate."""

    span: Span
    target: "Expression"
    arguments: "list[Expression]"


@dataclass(slots=True, eq=False)
class Choice:
    """``IF a THEN b ELSE c`` as a value."""

    span: Span
    condition: "Expression"
    yes: "Expression"
    no: "Expression"


@dataclass(slots=True, eq=False)
class Reference:
    """``$ MONITOR``: a subroutine or function itself, as a value."""

    span: Span
    name: Name


@dataclass(slots=True, eq=False)
class Given:
    """A value computed already, where an argument stands: what APPLY and MAP hand on."""

    span: Span
    value: object


Expression = Given | Number | Text | Name | Aggregate | Unary | Binary | Call | Choice | Reference


@dataclass(slots=True, eq=False)
class Until:
    """``until sensors (1,2) exceed (10)``."""

    span: Span
    sensors: list[Expression]
    limit: Expression


@dataclass(slots=True, eq=False)
class Clauses:
    """What may follow a command: UNTIL SENSORS … EXCEED …, AT …, FROM …"""

    until: Until | None = None
    at: list[Expression] | None = None
    from_: Expression | None = None
    spans: dict[str, Span] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Do:
    """A command, a call, or a bare expression as a statement."""

    span: Span
    what: Expression
    clauses: Clauses | None = None


@dataclass(slots=True, eq=False)
class Assign:
    """``a = 1`` or ``a(2) = 1``."""

    span: Span
    target: Expression
    value: Expression


@dataclass(slots=True, eq=False)
class Declare:
    """``a: NEW 1``."""

    span: Span
    name: Name
    value: Expression


@dataclass(slots=True, eq=False)
class If:
    """``IF a THEN … ELSE …``."""

    span: Span
    condition: Expression
    yes: "Statement"
    no: "Statement | None"


@dataclass(slots=True, eq=False)
class While:
    """``WHILE a DO …``."""

    span: Span
    condition: Expression
    body: "Statement"


@dataclass(slots=True, eq=False)
class Repeat:
    """``REPEAT … UNTIL a``."""

    span: Span
    body: "list[Statement]"
    condition: Expression


@dataclass(slots=True, eq=False)
class Block:
    """``BEGIN … END``."""

    span: Span
    body: "list[Statement]"


@dataclass(slots=True, eq=False)
class Return:
    """``RETURN(a)``."""

    span: Span
    value: Expression | None


@dataclass(slots=True, eq=False)
class Subroutine:
    """``name: SUBR(a, b); … END``."""

    span: Span
    name: Name
    parameters: list[Name]
    body: "list[Statement]"


Statement = Do | Assign | Declare | If | While | Repeat | Block | Return | Subroutine


@dataclass(slots=True, eq=False)
class EmulaText:
    """A text with its statements, in order. ``ends`` has for each the offset behind it and the comments of its line."""

    source: Source
    body: list[Statement]
    ends: list[int]
