"""Routines: the commands and functions of the language, and their calls."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from drycell.base import UnknownName, Vector, did_you_mean
from drycell.languages.emula import syntax
from drycell.languages.emula.sensors import SensorGuard
from drycell.languages.emula.values import Closure, Value, described
from drycell.languages.kit import StatementError

if TYPE_CHECKING:
    from drycell.languages.emula.interpreter import Interpreter
    from drycell.languages.kit import SourceSpan

Action = Callable[["Invocation"], "Value | None"]


@dataclass(frozen=True, eq=False, slots=True)
class Routine:
    """A command or function: its name, its help, its numbers of arguments, and the clauses it accepts."""

    name: str
    usage: tuple[str, ...]
    summary: str
    run: Action
    least: int
    most: int | None
    clauses: frozenset[str]
    group: str
    gives: bool
    """Whether it has a value. A routine without one is a command, which cannot be part of an expression."""


ROUTINES: Final[dict[str, Routine]] = {}


def routine(
    name: str,
    *usage: str,
    group: str,
    arguments: tuple[int, int | None] = (0, 0),
    clauses: tuple[str, ...] = (),
    gives: bool = False,
) -> Callable[[Action], Action]:
    """Register a Python function as a routine of the language; the first line of its docstring is its help.

    The modules of ``commands`` use this; the interpreter imports them.
    """

    def enter(run: Action) -> Action:
        summary = (run.__doc__ or "").strip().splitlines()[0]
        least, most = arguments
        ROUTINES[name] = Routine(name, usage or (name,), summary, run, least, most, frozenset(clauses), group, gives)
        return run

    return enter


def routine_named(name: str) -> Routine | None:
    """The routine with a name in lower case, or None."""
    return ROUTINES.get(name)


def all_routines() -> list[Routine]:
    """All routines, sorted by name."""
    return [ROUTINES[name] for name in sorted(ROUTINES)]


def unknown(kind: str, name: str, more: "list[str] | tuple[str, ...]" = ()) -> UnknownName:
    """The error for a name that is neither a routine nor one of ``more``."""
    return UnknownName(kind, name, {*ROUTINES, *more})


def unknown_hint(kind: str, name: "syntax.Name", more: Iterable[str]) -> str:
    """The hint for an unknown name: the nearest one, or how to find or declare it."""
    hint = unknown(kind, name.name, sorted(more)).hint
    if hint is not None and hint.startswith("did you mean"):
        return hint
    return "type 'help' for the commands, or declare a variable: name: NEW value;"


def undeclared_hint(name: "syntax.Name", variables: Iterable[str]) -> str:
    """The hint for an assignment to an unknown variable: the nearest one, and how to declare it."""
    near, declare = did_you_mean(name.name, sorted(variables)), f"declare it first: {name.written}: NEW 0;"
    return f"{near} Or {declare}" if near.startswith("did you mean") else declare


def argument_problem(routine: Routine, count: int) -> str | None:
    """What is wrong with a number of arguments, or None."""
    if routine.least <= count and (routine.most is None or count <= routine.most):
        return None
    if routine.least == routine.most:
        wanted = f"{routine.least}"
    elif routine.most is None:
        wanted = f"{routine.least} or more"
    else:
        wanted = f"{routine.least} to {routine.most}"
    wanted = "no arguments" if wanted == "0" else f"{wanted} argument{'s' if wanted != '1' else ''}"
    return f"{routine.name} takes {wanted}, not {count}"


_LONGEST: Final = 100


def plain_name(name: str) -> str:
    """Check that a name is safe as a file name in the output folder, since programs may be untrusted."""
    plain = name == PurePath(name).name and "\\" not in name and name.isprintable()
    if not name or not plain or name.startswith(".") or len(name) > _LONGEST:
        raise StatementError(
            f"{name[:_LONGEST]!r} is not a plain file name",
            "files go to the output folder: use a bare name",
        )
    return name


class Invocation:
    """One call of a routine. Its arguments are evaluated and checked when the routine asks for them."""

    def __init__(
        self,
        session: "Interpreter",
        routine: "Routine",
        span: "SourceSpan",
        arguments: list[syntax.Expression],
        clauses: syntax.Clauses | None,
    ) -> None:
        self.session = session
        self.routine = routine
        self.span = span
        self.arguments = arguments
        self.clauses = clauses or syntax.Clauses()
        self._check()

    def _check(self) -> None:
        routine = self.routine
        usage = " or ".join(routine.usage)
        problem = argument_problem(routine, len(self.arguments))
        if problem is not None:
            raise self.session.error_at(self.span, problem, usage)
        for word, span in self.clauses.spans.items():
            if word not in routine.clauses:
                raise self.session.error_at(span, f"{routine.name} does not accept {word.upper()}", usage)

    # ---------------------------------------------------------------- arguments

    def __len__(self) -> int:
        return len(self.arguments)

    def value(self, place: int) -> Value:
        """The value of an argument."""
        return self.session.evaluate(self.arguments[place])

    def values(self, first: int = 0) -> list[Value]:
        """The values of all arguments, starting with ``first``."""
        return [self.value(place) for place in range(first, len(self.arguments))]

    def refuse(self, place: int, wanted: str, value: Value) -> Exception:
        """The error for an argument of the wrong kind."""
        usage = " or ".join(self.routine.usage)
        span = self.arguments[place].span if place < len(self.arguments) else self.span
        return self.session.error_at(span, f"{self.routine.name} needs {wanted} here, not {described(value)}", usage)

    def is_written(self, place: int) -> bool:
        """Whether an argument is written as a number in the text, not computed."""
        return isinstance(self.arguments[place], syntax.Number)

    def axis(self, place: int) -> str | None:
        """An argument that is written as x, y or z; None if it is something else."""
        node = self.arguments[place]
        written = node.name if isinstance(node, syntax.Name) else None
        written = node.value.lower() if isinstance(node, syntax.StringLiteral) else written
        return written if written in ("x", "y", "z") else None

    def number(self, place: int) -> float:
        """An argument that must be a number."""
        return self.as_number(self.value(place), place)

    def as_number(self, value: Value, place: int) -> float:
        """Check that the value of an argument is a number."""
        if not isinstance(value, (int, float)) or not math.isfinite(value):
            raise self.refuse(place, "a number", value)
        return float(value)

    def integer(self, place: int) -> int:
        """An argument that must be a whole number."""
        value = self.value(place)
        if isinstance(value, float) and value == int(value):
            value = int(value)
        if not isinstance(value, int):
            raise self.refuse(place, "a whole number", value)
        return value

    def flag(self, place: int) -> bool:
        """An argument that must be 1 (on) or 0 (off)."""
        value = self.value(place)
        if not isinstance(value, (int, float)) or value not in (0, 1):
            raise self.refuse(place, "1 (on) or 0 (off)", value)
        return bool(value)

    def name(self, place: int) -> str:
        """An argument that is a name: a bare word, a string, or a variable with a string."""
        return self.as_name(self.arguments[place], place)

    def as_name(self, node: syntax.Expression, place: int) -> str:
        """An expression that is a name."""
        if isinstance(node, syntax.Name):
            held = self.session.scope.find(node.name)
            if held is None or isinstance(held, Closure):
                return node.written
        value = self.session.evaluate(node)
        if not isinstance(value, str):
            raise self.refuse(place, "a name", value)
        return value

    def name_or_value(self, place: int) -> Value:
        """An argument that can be a bare word, which becomes a string."""
        node = self.arguments[place]
        if isinstance(node, syntax.Name) and self.session.scope.find(node.name) is None:
            return node.written
        return self.session.evaluate(node)

    def numbers(self, nodes: list[syntax.Expression], place: int = 0) -> list[float]:
        """The numbers of expressions that are numbers or aggregates of numbers."""
        found: list[float] = []
        for node in nodes:
            value = self.session.evaluate(node)
            for each in value if isinstance(value, tuple) else (value,):
                if not isinstance(each, (int, float)) or not math.isfinite(each):
                    raise self.session.error_at(node.span, f"expected a number, not {described(each)}")
                found.append(float(each))
        return found

    def vector(self, nodes: list[syntax.Expression], what: str) -> Vector:
        """Three numbers, separate or as an aggregate."""
        found = self.numbers(nodes)
        if len(found) != 3:
            span = nodes[0].span if nodes else self.span
            raise self.session.error_at(
                span, f"{what} needs three numbers, not {len(found)}", "write (1,0,0) or <1,0,0>"
            )
        return (found[0], found[1], found[2])

    def sensors(self, nodes: list[syntax.Expression]) -> tuple[int, ...]:
        """The numbers of sensors; a name is a sensor that reads the signal of the cell with this name."""
        found = list[int]()
        for node in nodes:
            name = self._signal_name(node)
            if name is not None:
                found.append(self.session.emulation.board.of_signal(name).number)
                continue
            for number in self.numbers([node]):
                if number != int(number) or number < 1:
                    raise self.session.error_at(node.span, f"sensor {number:g} does not exist: sensors are 1, 2, …")
                found.append(int(number))
        if not found:
            raise self.session.error_at(self.span, "no sensors are named", "write until sensors (1,2) exceed (10)")
        return tuple(dict.fromkeys(found))

    def _signal_name(self, node: syntax.Expression) -> str | None:
        if isinstance(node, syntax.StringLiteral):
            return node.value
        held = self.session.scope.find(node.name) if isinstance(node, syntax.Name) else None
        if isinstance(node, syntax.Name) and held is None and node.name not in self.session.scope.constants:
            return node.written
        return held if isinstance(held, str) else None

    def guard(self) -> SensorGuard | None:
        """The guard of the clause UNTIL SENSORS … EXCEED …, if there is one."""
        until = self.clauses.until
        if until is None:
            return None
        return SensorGuard(self.sensors(until.sensors), self.numbers([until.limit])[0])
