"""Inspection of an EMULA program that stands still: its subroutines at work, and its variables."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from drycell.kernel import DEEPEST, MOST_CALLS, ProgramCall, ShownLimit, Variable, VariableScope, cut
from drycell.languages.emula import syntax, values as emula
from drycell.languages.emula.scope import Frame, Scope as Names
from drycell.languages.emula.values import Closure, Value
from drycell.languages.kit import Span


def calls(names: Names, span: Span) -> list[ProgramCall]:
    """The subroutines at work, the innermost first and the program itself last; ``span`` is what is executed now."""
    if not span.file:
        return []
    found, place = list[ProgramCall](), span
    session = _scope("session", names.variables)
    for frame in reversed(names.frames):
        found.append(ProgramCall(frame.name, place.file, place.line, partial(_scopes, frame, session)))
        place = frame.called_at or place
    found.append(ProgramCall("program", place.file, place.line, lambda: [session]))
    return found[:MOST_CALLS]


def _scopes(frame: Frame, session: VariableScope) -> list[VariableScope]:
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
    return Variable(name, emula.kind_of(value), cut(emula.show(value, quote=True)), parts)


def lines_of(statements: Iterable[syntax.Statement]) -> set[int]:
    """The lines that a break point can be set on."""
    found = set[int]()
    waiting = list(statements)
    while waiting:
        each = waiting.pop()
        if not isinstance(each, syntax.Block):
            found.add(each.span.line)
        waiting += _inner(each)
    return found


def _inner(statement: syntax.Statement) -> Sequence[syntax.Statement]:
    match statement:
        case syntax.If():
            return [statement.yes] if statement.no is None else [statement.yes, statement.no]
        case syntax.While():
            return [statement.body]
        case syntax.Repeat() | syntax.Block() | syntax.Subroutine():
            return statement.body
    return []
