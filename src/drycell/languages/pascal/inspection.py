"""Inspection of a Pascal program that stands still: its calls, and its variables as their author wrote them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from types import FrameType
from typing import Final

from drycell.kernel import DEEPEST, MOST_CALLS, Call, Room, Scope, Variable, cut
from drycell.languages.pascal.checker import Checked
from drycell.languages.pascal.runtime import Cell
from drycell.languages.pascal.symbols import Routine, Variable as Declared
from drycell.languages.pascal.translation import MAIN
from drycell.languages.pascal.types import CHAR, Array, Ordinal, Pointer, Real, Record, Set, String, Type

_NOWHERE: Final = object()


class Inspector:
    """Knows which routine each Python function was made from."""

    def __init__(self, checked: Checked) -> None:
        self._routines: dict[str, Routine] = {}
        self._parts = [part for part in checked.all() if part.main.variables]
        self._main = checked.main
        for part in checked.all():
            self._note(part.main, MAIN)
        self._routines[MAIN] = checked.main

    def _note(self, routine: Routine, path: str) -> None:
        for each in routine.routines:
            inner = f"{path}.<locals>.{each.python}"
            self._routines[inner] = each
            self._note(each, inner)

    def calls(self, frames: Sequence[FrameType]) -> list[Call]:
        """The routines at work among the frames of a stack, the innermost first and the program itself last."""
        found = [(self._routines[name], each) for each in frames if (name := each.f_code.co_qualname) in self._routines]
        return [
            Call(routine.written, each.f_code.co_filename, each.f_lineno, partial(self._scopes, found[place:]))
            for place, (routine, each) in enumerate(found[:MOST_CALLS])
        ]

    def _scopes(self, stack: Sequence[tuple[Routine, FrameType]]) -> list[Scope]:
        """The variables of a routine, of those around it, of the program and of its units."""
        made: list[Scope] = []
        routine: Routine | None = stack[0][0]
        names = stack[0][1].f_locals
        while routine is not None and routine.owner is not None:
            own = next((each.f_locals for one, each in stack if one is routine), names)
            made.append(Scope(f"{routine.kind} {routine.written}", tuple(_variables(routine, own))))
            routine = routine.owner
        outermost = stack[-1][1].f_locals
        for part in reversed(self._parts):
            kind = "unit" if part.program.unit else "program"
            made.append(Scope(f"{kind} {part.program.name.written}", tuple(_variables(part.main, outermost))))
        return made


def _variables(routine: Routine, names: Mapping[str, object]) -> Iterator[Variable]:
    room = Room()
    for each in (*routine.parameters, *routine.variables):
        value = _value(each, names)
        if value is not _NOWHERE:  # else it has not come into being yet
            yield _shown(each.written, each.type, value, room)
    result = names.get(f"r_{routine.python}", _NOWHERE)
    if routine.result is not None and result is not _NOWHERE:
        yield _shown(f"result of {routine.written}", routine.result, result, room)


def _value(symbol: Declared, names: Mapping[str, object]) -> object:
    if symbol.by_reference and not symbol.type.structured:
        of, place = names.get(f"{symbol.python}_list"), names.get(f"{symbol.python}_place")
        return of[place] if isinstance(of, list) and isinstance(place, int) and place < len(of) else _NOWHERE
    value = names.get(symbol.python, _NOWHERE)
    return value[0] if symbol.boxed and isinstance(value, list) else value


def _shown(name: str, kind: Type, value: object, room: Room, depth: int = 0) -> Variable:
    held = _parts(kind, value) if depth < DEEPEST else []
    parts = tuple(_shown(*part, room, depth + 1) for part in held[: room.take(len(held))])
    return Variable(name, str(kind), cut(_text(kind, value, parts)), parts)


def _parts(kind: Type, value: object) -> list[tuple[str, Type, object]]:
    if isinstance(kind, Array) and isinstance(value, list) and not kind.of_characters:
        index = kind.index
        return [
            (f"[{index.show(index.value(index.low + place))}]", kind.element, each)
            for place, each in enumerate(value[:1000])
        ]
    if isinstance(kind, Record) and isinstance(value, list):
        return [(name, of, value[place]) for name, (place, of) in kind.fields.items() if place < len(value)]
    if isinstance(kind, Pointer) and kind.target is not None and isinstance(value, Cell) and value:
        return [("^", kind.target, value[0])]
    return []


def _text(kind: Type, value: object, parts: Sequence[Variable]) -> str:
    """A value as its author would write it."""
    match kind:
        case Ordinal() if isinstance(value, (int, str)):
            return kind.show(value)
        case Real() if isinstance(value, (int, float)):
            return repr(float(value))
        case String():
            return _quoted(str(value))
        case Set() if isinstance(value, frozenset):
            return _set(kind, value)
        case Array() if kind.of_characters and isinstance(value, list):
            return _quoted("".join(map(str, value)))
        case Array():
            return f"({', '.join(each.value for each in parts)})"
        case Record():
            return f"({'; '.join(f'{each.name}: {each.value}' for each in parts)})"
        case Pointer():
            return "nil" if value is None else f"^{parts[0].value}" if parts else "disposed of" if not value else "^…"
    return "?"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _set(kind: Set, members: frozenset[int | str]) -> str:
    """``[1, 3..5]``: neighbours are written as a range."""
    base = kind.base or CHAR
    numbers = sorted(ord(each) if isinstance(each, str) else int(each) for each in members)
    runs: list[list[int]] = []
    for each in numbers:
        if runs and runs[-1][1] == each - 1:
            runs[-1][1] = each
        else:
            runs.append([each, each])
    shown = ((base.show(base.value(low)), base.show(base.value(high))) for low, high in runs)
    return f"[{', '.join(low if low == high else f'{low}..{high}' for low, high in shown)}]"
