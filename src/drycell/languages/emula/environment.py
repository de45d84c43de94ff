"""The variables of a running program, and how a debugger shows them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from drycell.kernel import DEEPEST, MOST_CALLS, ProgramCall, ShownLimit, Variable, VariableScope, cut
from drycell.languages.emula import syntax
from drycell.languages.emula.values import Closure, Value, kind_of, show
from drycell.languages.kit import SourceSpan, SourceText


@dataclass(slots=True)
class SubroutineFrame:
    """An active subroutine: its variables, the text it is defined in, and where it was called."""

    name: str
    source: SourceText
    called_at: SourceSpan | None = None
    parameters: frozenset[str] = frozenset()
    variables: dict[str, Value] = field(default_factory=dict)


class Environment:
    """The variables and subroutines of a session, the frames of active subroutines, and the constants."""

    def __init__(self, constants: dict[str, Value]) -> None:
        self.constants = constants
        self.variables: dict[str, Value] = {}
        self.frames: list[SubroutineFrame] = []

    def find(self, name: str) -> Value | None:
        """The value of a variable or a subroutine: first of the active subroutine, then of the session."""
        if self.frames:
            found = self.frames[-1].variables.get(name)
            if found is not None:
                return found
        return self.variables.get(name)

    def declare(self, name: str, value: Value) -> None:
        """Declare a variable of the active subroutine or of the session."""
        (self.frames[-1].variables if self.frames else self.variables)[name] = value

    def assign(self, name: str, value: Value) -> bool:
        """Assign a value to a variable; return False if it does not exist."""
        for variables in ([self.frames[-1].variables] if self.frames else []) + [self.variables]:
            if name in variables and not isinstance(variables[name], Closure):
                variables[name] = value
                return True
        return False

    def names(self) -> list[str]:
        """All names that are known here."""
        local = self.frames[-1].variables if self.frames else {}
        return sorted({*local, *self.variables, *self.constants})


def calls(names: Environment, span: SourceSpan) -> list[ProgramCall]:
    """The active subroutines, innermost first and the program itself last; ``span`` is the current statement."""
    if not span.file:
        return []
    found, place = list[ProgramCall](), span
    session = _scope("session", names.variables)
    for frame in reversed(names.frames):
        found.append(ProgramCall(frame.name, place.file, place.line, partial(_scopes, frame, session)))
        place = frame.called_at or place
    found.append(ProgramCall("program", place.file, place.line, lambda: [session]))
    return found[:MOST_CALLS]


def _scopes(frame: SubroutineFrame, session: VariableScope) -> list[VariableScope]:
    return [_scope(f"subroutine {frame.name}", frame.variables), session]


def _scope(name: str, variables: Mapping[str, Value]) -> VariableScope:
    room = ShownLimit()
    shown = (_shown(each, value, room) for each, value in variables.items() if not isinstance(value, Closure))
    return VariableScope(name, tuple(shown))


def _shown(name: str, value: Value, room: ShownLimit, depth: int = 0) -> Variable:
    held = value if isinstance(value, tuple) and depth < DEEPEST else ()
    parts = tuple(
        _shown(f"({place})", each, room, depth + 1) for place, each in enumerate(held[: room.take(len(held))], 1)
    )
    return Variable(name, kind_of(value), cut(show(value, quote=True)), parts)


def lines_of(statements: Iterable[syntax.Statement]) -> set[int]:
    """The lines on which a breakpoint can be set."""
    found = set[int]()
    waiting = list(statements)
    while waiting:
        each = waiting.pop()
        if not isinstance(each, syntax.CompoundStatement):
            found.add(each.span.line)
        waiting += _inner(each)
    return found


def _inner(statement: syntax.Statement) -> Sequence[syntax.Statement]:
    match statement:
        case syntax.If():
            return [statement.yes] if statement.no is None else [statement.yes, statement.no]
        case syntax.While():
            return [statement.body]
        case syntax.Repeat() | syntax.CompoundStatement() | syntax.Subroutine():
            return statement.body
    return []
