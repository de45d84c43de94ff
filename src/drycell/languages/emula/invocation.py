"""Invocations: one call of a command or function, and what it asks of its arguments."""

import math
from typing import TYPE_CHECKING

from drycell.base import Vector
from drycell.languages.emula import syntax
from drycell.languages.emula.guard import Guard
from drycell.languages.emula.values import Closure, Value, described

if TYPE_CHECKING:
    from drycell.languages.emula.evaluation import Evaluator
    from drycell.languages.emula.interpreter import Interpreter
    from drycell.languages.emula.routine import Routine
    from drycell.languages.kit import Span


class Invocation:
    """Hands a routine its arguments, each checked when it is asked for, and mistakes reported where they stand."""

    def __init__(
        self,
        evaluator: "Evaluator",
        routine: "Routine",
        span: "Span",
        arguments: list[syntax.Expression],
        clauses: syntax.Clauses | None,
    ) -> None:
        self.evaluator = evaluator
        self.routine = routine
        self.span = span
        self.arguments = arguments
        self.clauses = clauses or syntax.Clauses()
        self._check()

    @property
    def session(self) -> "Interpreter":
        """The session that the routine works for."""
        from drycell.languages.emula.interpreter import Interpreter

        if not isinstance(self.evaluator, Interpreter):
            raise TypeError("routines run in an interpreter")
        return self.evaluator

    def _check(self) -> None:
        routine, count = self.routine, len(self.arguments)
        usage = " or ".join(routine.usage)
        if count < routine.least or (routine.most is not None and count > routine.most):
            if routine.least == routine.most:
                wanted = f"{routine.least}"
            elif routine.most is None:
                wanted = f"{routine.least} or more"
            else:
                wanted = f"{routine.least} to {routine.most}"
            wanted = "no arguments" if wanted == "0" else f"{wanted} argument{'s' if wanted != '1' else ''}"
            raise self.evaluator.fault(self.span, f"{routine.name} takes {wanted}, not {count}", usage)
        for word, span in self.clauses.spans.items():
            if word not in routine.clauses:
                raise self.evaluator.fault(span, f"{routine.name} takes no {word.upper()}", usage)

    # ---------------------------------------------------------------- arguments

    def __len__(self) -> int:
        return len(self.arguments)

    def value(self, place: int) -> Value:
        """An argument as it is."""
        return self.evaluator.evaluate(self.arguments[place])

    def values(self, first: int = 0) -> list[Value]:
        """All arguments from one on."""
        return [self.value(place) for place in range(first, len(self.arguments))]

    def refuse(self, place: int, wanted: str, value: Value) -> Exception:
        """The error about an argument of the wrong kind."""
        usage = " or ".join(self.routine.usage)
        span = self.arguments[place].span if place < len(self.arguments) else self.span
        return self.evaluator.fault(span, f"{self.routine.name} wants {wanted} here, not {described(value)}", usage)

    def number(self, place: int) -> float:
        """An argument that is a number."""
        return self.as_number(self.value(place), place)

    def as_number(self, value: Value, place: int) -> float:
        """A value that must be a number, for the argument at a place."""
        if not isinstance(value, (int, float)) or not math.isfinite(value):
            raise self.refuse(place, "a number", value)
        return float(value)

    def integer(self, place: int) -> int:
        """An argument that is a whole number."""
        value = self.value(place)
        if isinstance(value, float) and value == int(value):
            value = int(value)
        if not isinstance(value, int):
            raise self.refuse(place, "a whole number", value)
        return value

    def flag(self, place: int) -> bool:
        """An argument that is 1 for on or 0 for off."""
        value = self.value(place)
        if not isinstance(value, (int, float)) or value not in (0, 1):
            raise self.refuse(place, "1 (on) or 0 (off)", value)
        return bool(value)

    def name(self, place: int) -> str:
        """An argument that names something: a bare word, a string, or a variable that holds one."""
        return self.as_name(self.arguments[place], place)

    def as_name(self, node: syntax.Expression, place: int) -> str:
        """The same for any expression."""
        if isinstance(node, syntax.Name):
            held = self.evaluator.scope.find(node.name)
            if held is None or isinstance(held, Closure):
                return node.written
        value = self.evaluator.evaluate(node)
        if not isinstance(value, str):
            raise self.refuse(place, "a name", value)
        return value

    def name_or_value(self, place: int) -> Value:
        """An argument that may be a bare word, which then stands for itself."""
        node = self.arguments[place]
        if isinstance(node, syntax.Name) and self.evaluator.scope.find(node.name) is None:
            return node.written
        return self.evaluator.evaluate(node)

    def numbers(self, nodes: list[syntax.Expression], place: int = 0) -> list[float]:
        """Expressions that are numbers, or aggregates of numbers, one after the other."""
        found: list[float] = []
        for node in nodes:
            value = self.evaluator.evaluate(node)
            for each in value if isinstance(value, tuple) else (value,):
                if not isinstance(each, (int, float)) or not math.isfinite(each):
                    raise self.evaluator.fault(node.span, f"a number is wanted here, not {described(each)}")
                found.append(float(each))
        return found

    def vector(self, nodes: list[syntax.Expression], what: str) -> Vector:
        """Three numbers, bare or as an aggregate."""
        found = self.numbers(nodes)
        if len(found) != 3:
            span = nodes[0].span if nodes else self.span
            raise self.evaluator.fault(span, f"{what} are three numbers, not {len(found)}", "write (1,0,0) or <1,0,0>")
        return (found[0], found[1], found[2])

    def sensors(self, nodes: list[syntax.Expression]) -> tuple[int, ...]:
        """Numbers of sensors."""
        found = []
        for node in nodes:
            for number in self.numbers([node]):
                if number != int(number) or number < 1:
                    raise self.evaluator.fault(
                        node.span, f"sensors are numbered 1, 2, …; there is no sensor {number:g}"
                    )
                found.append(int(number))
        if not found:
            raise self.evaluator.fault(self.span, "which sensors?", "until sensors (1,2) exceed (10)")
        return tuple(dict.fromkeys(found))

    def guard(self) -> Guard | None:
        """What UNTIL SENSORS … EXCEED … says, if it stands there."""
        until = self.clauses.until
        if until is None:
            return None
        return Guard(self.sensors(until.sensors), self.numbers([until.limit])[0])
