"""Inspection of a paused Pascal program: its calls, and its variables as they are written in Pascal."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from types import FrameType
from typing import Final

from drycell.kernel import DEEPEST, MOST_CALLS, ProgramCall, ShownLimit, Variable, VariableScope, cut
from drycell.languages.pascal.checker import Checked
from drycell.languages.pascal.symbols import RoutineSymbol, VariableSymbol
from drycell.languages.pascal.translator import MAIN, PIECE
from drycell.languages.pascal.types import ArrayType, OrdinalType, PascalType, RealType, RecordType, SetType, StringType

_NOWHERE: Final = object()
_PIECE: Final = f"{MAIN}.<locals>.{PIECE}"


class Inspector:
    """Maps the frames of Python functions to the routines they were translated from."""

    def __init__(self, checked: Checked) -> None:
        self._routines: dict[str, RoutineSymbol] = {}
        self._parts = [part for part in checked.all() if part.main.variables]
        self._main = checked.main
        for part in checked.all():
            self._add(part.main, MAIN)
        self._routines[MAIN] = checked.main

    def _add(self, routine: RoutineSymbol, path: str) -> None:
        for each in routine.routines:
            inner = f"{path}.<locals>.{each.python}"
            self._routines[inner] = each
            self._add(each, inner)

    def calls(self, frames: Sequence[FrameType]) -> list[ProgramCall]:
        """The active routines of a stack, the innermost first and the program itself last."""
        found = [(self._routines[name], each) for each in frames if (name := each.f_code.co_qualname) in self._routines]
        # The statements of a long program are in pieces, which are not calls.
        piece = next((each.f_lineno for each in frames if each.f_code.co_qualname == _PIECE), None)
        lines = [piece if piece and routine is self._main else each.f_lineno for routine, each in found]
        return [
            ProgramCall(routine.written, each.f_code.co_filename, lines[place], partial(self._scopes, found[place:]))
            for place, (routine, each) in enumerate(found[:MOST_CALLS])
        ]

    def _scopes(self, stack: Sequence[tuple[RoutineSymbol, FrameType]]) -> list[VariableScope]:
        """The variables of a routine, of the routines around it, of the program and of its units."""
        made: list[VariableScope] = []
        routine: RoutineSymbol | None = stack[0][0]
        names = stack[0][1].f_locals
        while routine is not None and routine.owner is not None:
            own = next((each.f_locals for one, each in stack if one is routine), names)
            made.append(VariableScope(f"{routine.kind} {routine.written}", tuple(_variables(routine, own))))
            routine = routine.owner
        outermost = stack[-1][1].f_locals
        for part in reversed(self._parts):
            kind = "unit" if part.program.unit else "program"
            made.append(VariableScope(f"{kind} {part.program.name.written}", tuple(_variables(part.main, outermost))))
        return made


def _variables(routine: RoutineSymbol, names: Mapping[str, object]) -> Iterator[Variable]:
    room = ShownLimit()
    for each in (*routine.parameters, *routine.variables):
        value = _value(each, names)
        if value is not _NOWHERE:  # otherwise the variable does not exist yet
            yield _shown(each.written, each.type, value, room)
    result = names.get(f"r_{routine.python}", _NOWHERE)
    if routine.result is not None and result is not _NOWHERE:
        yield _shown(f"result of {routine.written}", routine.result, result, room)


def _value(symbol: VariableSymbol, names: Mapping[str, object]) -> object:
    if symbol.by_reference and not symbol.type.structured:
        of, place = names.get(f"{symbol.python}_list"), names.get(f"{symbol.python}_place")
        return of[place] if isinstance(of, list) and isinstance(place, int) and place < len(of) else _NOWHERE
    value = names.get(symbol.python, _NOWHERE)
    return value[0] if symbol.boxed and isinstance(value, list) else value


def _shown(name: str, kind: PascalType, value: object, room: ShownLimit, depth: int = 0) -> Variable:
    held = _parts(kind, value) if depth < DEEPEST else []
    parts = tuple(_shown(*part, room, depth + 1) for part in held[: room.take(len(held))])
    return Variable(name, str(kind), cut(_text(kind, value, parts)), parts)


def _parts(kind: PascalType, value: object) -> list[tuple[str, PascalType, object]]:
    if isinstance(kind, ArrayType) and isinstance(value, list) and not kind.of_characters:
        index = kind.index
        return [
            (f"[{index.show(index.value(index.low + place))}]", kind.element, each)
            for place, each in enumerate(value[:1000])
        ]
    if isinstance(kind, RecordType) and isinstance(value, list):
        return [(name, of, value[place]) for name, (place, of) in kind.fields.items() if place < len(value)]
    return []


def _text(kind: PascalType, value: object, parts: Sequence[Variable]) -> str:
    """A value as it is written in Pascal."""
    match kind:
        case OrdinalType() if isinstance(value, (int, str)):
            return kind.show(value)
        case RealType() if isinstance(value, (int, float)):
            return repr(float(value))
        case StringType():
            return _quoted(str(value))
        case SetType(element=OrdinalType() as element) if isinstance(value, frozenset):
            return f"[{', '.join(element.show(each) for each in sorted(value))}]"
        case ArrayType() if kind.of_characters and isinstance(value, list):
            return _quoted("".join(map(str, value)))
        case ArrayType():
            return f"({', '.join(each.value for each in parts)})"
        case RecordType():
            return f"({'; '.join(f'{each.name}: {each.value}' for each in parts)})"
    return "?"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
