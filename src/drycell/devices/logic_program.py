"""Rules of a logic block made ready to run: names become places in the image, types and units are seen to fit.

Everything in a rule is looked at in every scan, as a controller does it: there is no short cut around a timer.
"""

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from drycell.base import DIMENSIONS, FieldError, UnitError, did_you_mean, parse
from drycell.devices.logic_blocks import Block, Counter, Edge, Latch, OffDelay, OnDelay, Pulse, Scan, Value
from drycell.devices.logic_rules import unknown_signal
from drycell.devices.logic_syntax import Call, Constant, Expression, Number, Operation, Reference, wrong
from drycell.kernel import ticks

Kind = Literal["on or off", "a number", "a text"]
Run = Callable[[Scan], Value]
_FUNCTIONS: Final = ("ton", "tof", "tp", "rise", "fall", "sr", "rs", "ctu", "count")
_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """Where a signal stands in the image, what it holds, and in which unit."""

    index: int
    kind: Kind
    unit: str = ""


class Names(Protocol):
    """What a rule may name."""

    def place(self, name: str) -> Place | None:
        """Where a name stands in the image; None if there is no such signal."""

    def known(self) -> Iterable[str]:
        """All names that could be meant."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A part of a rule that can be run."""

    kind: Kind
    run: Run


def kind_of(tree: Expression, names: Callable[[str], Kind | None]) -> Kind:
    """What an expression gives, as far as its form tells; a bare name gives what it holds."""
    match tree:
        case Number() | Operation(sign="+" | "-" | "*") | Call(name="count"):
            return "a number"
        case Constant(value=str()):
            return "a text"
        case Reference():
            return names(tree.name) or "on or off"
    return "on or off"


class Translator:
    """Makes one rule ready; its text is quoted in errors."""

    def __init__(self, text: str, names: Names) -> None:
        self._text = text
        self._names = names

    def ready(self, tree: Expression, unit: str = "") -> Ready:
        """A part of the rule. A number with a unit is given in ``unit``, if there is one, or else in SI."""
        match tree:
            case Number():
                value = self._number(tree, unit)
                return Ready("a number", lambda scan: value)
            case Constant():
                constant = tree.value
                return Ready("a text" if isinstance(constant, str) else "on or off", lambda scan: constant)
            case Reference():
                place = self._place(tree)
                index = place.index
                return Ready(place.kind, lambda scan: scan.image[index])
            case Call():
                return self._call(tree)
        return self._operation(tree, unit)

    def wanted(self, tree: Expression, kind: Kind, unit: str = "") -> Run:
        """A part that must be of a kind."""
        found = self.ready(tree, unit)
        if found.kind != kind:
            hint = "compare it, as in height > 50 mm" if kind == "on or off" else None
            raise self._wrong(tree, f"this is {found.kind}, but {kind} is wanted", hint)
        return found.run

    # ---------------------------------------------------------------- operators

    def _operation(self, tree: Operation, unit: str) -> Ready:
        sign, operands = tree.sign, tree.operands
        if sign in _COMPARE:
            return Ready("on or off", self._comparison(tree))
        if sign == "not":
            switch = self.wanted(operands[0], "on or off")
            return Ready("on or off", lambda scan: not switch(scan))
        if sign in ("and", "or"):
            switches = [self.wanted(each, "on or off") for each in operands]
            every = all if sign == "and" else any
            return Ready("on or off", lambda scan: every([run(scan) for run in switches]))
        unit = unit or self._unit(tree)
        numbers = [self.wanted(each, "a number", unit if sign != "*" else "") for each in operands]
        if sign == "-":
            return Ready("a number", lambda scan: -_float(numbers[0](scan)))
        if sign == "+":
            return Ready("a number", lambda scan: sum([_float(run(scan)) for run in numbers]))
        return Ready("a number", lambda scan: math.prod([_float(run(scan)) for run in numbers]))

    def _comparison(self, tree: Operation) -> Run:
        unit = self._unit(tree)
        first, second = (self.ready(each, unit) for each in tree.operands)
        if first.kind != second.kind:
            raise self._wrong(tree, f"{first.kind} cannot be compared with {second.kind}")
        if first.kind != "a number" and tree.sign not in ("==", "!="):
            raise self._wrong(tree, f"what is {first.kind} has no order", "compare with = or <>")
        compare, one, other = _COMPARE[tree.sign], first.run, second.run
        return lambda scan: compare(one(scan), other(scan))

    # ---------------------------------------------------------------- function blocks

    def _call(self, tree: Call) -> Ready:
        name, arguments = tree.name, tree.arguments
        if name not in _FUNCTIONS:
            raise self._wrong(tree, f"there is no function {name!r}", did_you_mean(name, _FUNCTIONS))
        count = {"rise": 1, "fall": 1, "ctu": 3}.get(name, 2)
        if len(arguments) != count:
            example = {1: f"{name}(x)", 2: f"{name}(x, 2 s)", 3: "ctu(x, reset, 5)"}[count]
            example = example if name not in ("sr", "rs", "count") else f"{name}(x, reset)"
            raise self._wrong(tree, f"{name} takes {_values(count)}, {len(arguments)} given", f"write {example}")
        if name in ("ton", "tof", "tp"):
            timers: dict[str, Callable[[int], Block]] = {"ton": OnDelay, "tof": OffDelay, "tp": Pulse}
            block = timers[name](self._span(arguments[1]))
            return Ready("on or off", self._applied(block, arguments[:1]))
        if name in ("rise", "fall"):
            return Ready("on or off", self._applied(Edge(rising=name == "rise"), arguments))
        if name in ("sr", "rs"):
            return Ready("on or off", self._applied(Latch(set_wins=name == "sr"), arguments))
        if name == "count":
            return Ready("a number", self._applied(Counter(), arguments))
        return Ready("on or off", self._applied(Counter(self._whole(arguments[2])), arguments[:2]))

    def _applied(self, block: Block, arguments: Sequence[Expression]) -> Run:
        runs = [self.wanted(each, "on or off") for each in arguments]
        if len(runs) == 1:
            (only,) = runs
            return lambda scan: block(scan, only(scan))
        one, other = runs
        return lambda scan: block(scan, one(scan), other(scan))

    def _span(self, tree: Expression) -> int:
        if isinstance(tree, Number):
            try:
                span = ticks(parse(f"{tree.value:.12g} {tree.unit}".strip(), "time"))
            except UnitError as error:
                raise self._wrong(tree, error.what, error.hint) from None
            if span > 0:
                return span
        raise self._wrong(tree, "a time above 0 is wanted", "write for example 2 s or 200 ms")

    def _whole(self, tree: Expression) -> int:
        if isinstance(tree, Number) and not tree.unit and tree.value.is_integer() and tree.value >= 1:
            return int(tree.value)
        raise self._wrong(tree, "a whole number from 1 on is wanted", "write ctu(x, reset, 5)")

    # ---------------------------------------------------------------- names and numbers

    def _place(self, tree: Reference) -> Place:
        found = self._names.place(tree.name)
        if found is None:
            raise unknown_signal(self._text, tree.column, tree.name, self._names.known())
        return found

    def _unit(self, tree: Expression) -> str:
        """The unit of the first signal in a sum or comparison that has one."""
        if isinstance(tree, Reference):
            return self._place(tree).unit
        if isinstance(tree, Operation) and tree.sign != "*":
            return next(filter(None, map(self._unit, tree.operands)), "")
        return ""

    def _number(self, tree: Number, unit: str) -> float:
        if not tree.unit:
            return tree.value
        for dimension in DIMENSIONS:
            try:
                value = parse(f"{tree.value!r} {tree.unit}", dimension)
            except UnitError:
                continue
            try:
                return value / parse(f"1 {unit}", dimension) if unit else value
            except UnitError:
                raise self._wrong(tree, f"{tree.value:g} {tree.unit} cannot stand with what is in {unit}") from None
        raise self._wrong(tree, f"there is no unit {tree.unit!r}", "write for example 50 mm, 2 s, 150 mm/s")

    def _wrong(self, tree: Expression, what: str, hint: str | None = None) -> FieldError:
        return wrong(self._text, tree.column, what, hint)


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count} values"


def _float(value: Value) -> float:
    return value if isinstance(value, float) else float(value)
