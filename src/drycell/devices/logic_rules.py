"""Rules of a logic block: expressions over signals, from text to what runs in every scan.

Text is read by recursive descent, bounded in length and depth; nothing is ever evaluated as Python. Names become places
in the image, types and units are checked. Everything in a rule is looked at in every scan, as a controller does it:
there is no short cut around a timer. Timers, edges, latches and counters are those of IEC 61131-3; each remembers
something from scan to scan, and tells the scan when that has changed, and when it will change by itself.
"""

import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NoReturn, Protocol

from drycell.base import (
    DIMENSIONS,
    Describer,
    FieldError,
    Ref,
    SingleValue,
    Table,
    Type,
    UnitError,
    did_you_mean,
    parse,
)
from drycell.kernel import FOREVER, ticks

MOST_SIGNS: Final = 2000
MOST_DEPTH: Final = 40
_TOKEN: Final = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d][\w.-]*(?:/[^\W\d][\w.-]*)*)"
    r"|(?P<text>'[^']*'|\"[^\"]*\")"
    r"|(?P<sign><=|>=|<>|!=|==|[=<>+*(),-])"
)
COMPARISONS: Final = {"=": "==", "==": "==", "<>": "!=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_WORDS: Final = frozenset({"and", "or", "not", "true", "false"})


@dataclass(frozen=True, slots=True)
class Number:
    """A number, with the unit it was written with, or none."""

    column: int
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Constant:
    """True, false, or a text in quotes."""

    column: int
    value: bool | str


@dataclass(frozen=True, slots=True)
class Reference:
    """The name of a signal."""

    column: int
    name: str


@dataclass(frozen=True, slots=True)
class Operation:
    """``and``, ``or``, ``+`` and ``*`` of two and more; a comparison of two; ``not`` and ``-`` of one."""

    column: int
    sign: str
    operands: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A timer, an edge, a latch or a counter with what it looks at."""

    column: int
    name: str
    arguments: tuple["Expression", ...]


Expression = Number | Constant | Reference | Operation | Call


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    column: int


def wrong(text: str, column: int, what: str, hint: str | None = None) -> FieldError:
    """The error about a place in an expression."""
    shown = text if len(text) <= 60 else text[:59] + "…"
    return FieldError(f"{shown!r}, column {column}: {what}", hint=hint)


def parse_expression(text: str) -> Expression:
    """The tree of an expression; FieldError says at which column it goes wrong."""
    if len(text) > MOST_SIGNS:
        raise wrong(text, MOST_SIGNS + 1, f"an expression has at most {MOST_SIGNS} signs, this has {len(text)}")
    reader = _Reader(text)
    found = reader.either()
    if reader.token.kind != "end":
        reader.stray()
    return found


def references(tree: Expression) -> Iterator[Reference]:
    """The signals that an expression names, in the order of their columns."""
    match tree:
        case Reference():
            yield tree
        case Operation(operands=parts) | Call(arguments=parts):
            for part in parts:
                yield from references(part)


def _tokens(text: str) -> list[_Token]:
    found, place = [], 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        match = _TOKEN.match(text, place)
        if match is None:
            what = "this text has no end" if text[place] in "'\"" else f"the sign {text[place]!r} means nothing here"
            raise wrong(text, place + 1, what, "close the quotes" if text[place] in "'\"" else "take it out")
        kind, word = match.lastgroup or "", match.group()
        if kind == "sign" or word.lower() in _WORDS:
            kind = word = word.lower()
        found.append(_Token(kind, word, place + 1))
        place = match.end()
    return [*found, _Token("end", "", len(text) + 1)]


class _Reader:
    """Goes through the tokens, the loosest operators first."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._place = 0
        self._depth = 0

    @property
    def token(self) -> _Token:
        """The next one."""
        return self._tokens[self._place]

    def stray(self) -> NoReturn:
        """Says that the next token does not fit."""
        token = self.token
        if token.kind == "end":
            raise wrong(self._text, token.column, "something is missing at the end", "complete it")
        hint = "join conditions with 'and' or 'or'" if token.kind in ("name", "number", "text", "not") else None
        raise wrong(self._text, token.column, f"{token.text!r} does not fit here", hint)

    def either(self) -> Expression:
        """Conditions joined by ``or``."""
        self._depth += 1
        if self._depth > MOST_DEPTH:
            what = f"this is nested more than {MOST_DEPTH} deep"
            raise wrong(self._text, self.token.column, what, "give a part of it a rule of its own")
        found = self._row("or", self._both)
        self._depth -= 1
        return found

    def _both(self) -> Expression:
        return self._row("and", self._negated)

    def _row(self, sign: str, part: Callable[[], Expression]) -> Expression:
        """Parts joined by one sign: a long row of them makes no deep tree."""
        parts, column = [part()], 0
        while self.token.kind == sign:
            column = self._take().column
            parts.append(part())
        return Operation(column, sign, tuple(parts)) if len(parts) > 1 else parts[0]

    def _negated(self) -> Expression:
        columns = []
        while self.token.kind == "not":
            columns.append(self._take().column)
        found = self._compared()
        # Two of them cancel out.
        return Operation(columns[0], "not", (found,)) if len(columns) % 2 else found

    def _compared(self) -> Expression:
        found = self._sum()
        if self.token.kind in COMPARISONS:
            token = self._take()
            found = Operation(token.column, COMPARISONS[token.text], (found, self._sum()))
        return found

    def _sum(self) -> Expression:
        parts, first = [self._product()], self.token.column
        while self.token.kind in ("+", "-"):
            sign = self._take()
            part = self._product()
            parts.append(part if sign.kind == "+" else Operation(sign.column, "-", (part,)))
        return Operation(first, "+", tuple(parts)) if len(parts) > 1 else parts[0]

    def _product(self) -> Expression:
        return self._row("*", self._signed)

    def _signed(self) -> Expression:
        if self.token.kind == "-":
            column = self._take().column
            return Operation(column, "-", (self._single(),))
        return self._single()

    def _single(self) -> Expression:
        token = self.token
        if token.kind == "(":
            self._take()
            found = self.either()
            self._close()
            return found
        if token.kind == "number":
            self._take()
            unit = self._take().text if self.token.kind == "name" else ""
            return Number(token.column, float(token.text), unit)
        if token.kind in ("true", "false"):
            return Constant(self._take().column, token.kind == "true")
        if token.kind == "text":
            return Constant(self._take().column, token.text[1:-1])
        if token.kind != "name":
            self.stray()
        self._take()
        return self._call(token) if self.token.kind == "(" else Reference(token.column, token.text)

    def _call(self, name: _Token) -> Call:
        self._take()
        arguments = [self.either()]
        while self.token.kind == ",":
            self._take()
            arguments.append(self.either())
        self._close()
        return Call(name.column, name.text.lower(), tuple(arguments))

    def _close(self) -> None:
        if self.token.kind != ")":
            if self.token.kind == "end":
                raise wrong(self._text, self.token.column, "a bracket is not closed", "write ')'")
            self.stray()
        self._take()

    def _take(self) -> _Token:
        token = self.token
        self._place += 1
        return token


Value = bool | float | str


class LogicScan:
    """One pass through the rules: the values read, the instant, and what follows for the next pass."""

    __slots__ = ("due", "image", "stirred", "time")

    def __init__(self) -> None:
        self.image: list[Value] = []
        self.time = 0
        self.due = FOREVER
        """When, with no input changing, something will be different."""
        self.stirred = False
        """Whether something is different from the scan before."""

    def passed(self, since: int, span: int) -> bool:
        """Whether a span of time is over; if not, that instant is due."""
        end = since + span
        if self.time >= end:
            return True
        self.due = min(self.due, end)
        return False


class LogicBlock(Protocol):
    """What goes on between two scans of one call in a rule."""

    def __call__(self, scan: LogicScan, *values: Value) -> Value:
        """Its output in a scan with these values."""


class OnDelay:
    """``ton(x, 2 s)``: on once x has been on for that long."""

    def __init__(self, span: int) -> None:
        self._span = span
        self._since: int | None = None

    def __call__(self, scan: LogicScan, *values: Value) -> Value:
        if not values[0]:
            scan.stirred |= self._since is not None
            self._since = None
            return False
        if self._since is None:
            self._since, scan.stirred = scan.time, True
        return scan.passed(self._since, self._span)


class OffDelay:
    """``tof(x, 2 s)``: on with x, and for that long after."""

    def __init__(self, span: int) -> None:
        self._span = span
        self._on = False
        self._since: int | None = None  # when x went off

    def __call__(self, scan: LogicScan, *values: Value) -> Value:
        on = bool(values[0])
        if on != self._on:
            self._on, scan.stirred = on, True
            self._since = None if on else scan.time
        return on or (self._since is not None and not scan.passed(self._since, self._span))


class Pulse:
    """``tp(x, 2 s)``: on for that long whenever x comes on; what x does meanwhile does not matter."""

    def __init__(self, span: int) -> None:
        self._span = span
        self._edge = EdgeBlock(rising=True)
        self._since: int | None = None

    def __call__(self, scan: LogicScan, *values: Value) -> Value:
        came = self._edge(scan, *values)
        if self._since is None and came:
            self._since, scan.stirred = scan.time, True
        if self._since is None:
            return False
        if not scan.passed(self._since, self._span):
            return True
        self._since, scan.stirred = None, True
        return False


class EdgeBlock:
    """``rise(x)``, ``fall(x)``: on for the one scan in which x has come on, or gone off; never in the first scan."""

    def __init__(self, *, rising: bool) -> None:
        self._rising = rising
        self._last: bool | None = None

    def __call__(self, scan: LogicScan, *values: Value) -> Value:
        now, before = bool(values[0]), self._last
        if now == before:
            return False
        self._last, scan.stirred = now, True
        return before is not None and now is self._rising


class Latch:
    """``sr(set, reset)`` and ``rs(set, reset)``: on from set to reset; at both, ``sr`` is on and ``rs`` is off."""

    def __init__(self, *, set_wins: bool) -> None:
        self._set_wins = set_wins
        self._on = False

    def __call__(self, scan: LogicScan, *values: Value) -> Value:
        sets, resets = values
        on = bool(sets or (self._on and not resets)) if self._set_wins else bool((self._on or sets) and not resets)
        if on != self._on:
            self._on, scan.stirred = on, True
        return on


_MOST: Final = 2**53  # beyond this a float does not tell two counts apart


class Counter:
    """``count(x, reset)``: how often x has come on since the last reset. ``ctu(x, reset, 5)``: on from so many on."""

    def __init__(self, preset: int | None = None) -> None:
        self._edge = EdgeBlock(rising=True)
        self._preset = preset
        self._number = 0

    def __call__(self, scan: LogicScan, *values: Value) -> Value:
        x, reset = values
        came = self._edge(scan, x)
        number = 0 if reset else min(self._number + bool(came), _MOST)
        if number != self._number:
            self._number, scan.stirred = number, True
        return float(number) if self._preset is None else number >= self._preset


ValueKind = Literal["on or off", "a number", "a text"]
Run = Callable[[LogicScan], Value]
_FUNCTIONS: Final = ("ton", "tof", "tp", "rise", "fall", "sr", "rs", "ctu", "count")
_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RulePlace:
    """Where a signal stands in the image, what it holds, and in which unit."""

    index: int
    kind: ValueKind
    unit: str = ""


class RuleNames(Protocol):
    """What a rule may name."""

    def place(self, name: str) -> RulePlace | None:
        """Where a name stands in the image; None if there is no such signal."""

    def known(self) -> Iterable[str]:
        """All names that could be meant."""


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A part of a rule that can be run."""

    kind: ValueKind
    run: Run


def kind_of(tree: Expression, names: Callable[[str], ValueKind | None]) -> ValueKind:
    """What an expression gives, as far as its form tells; a bare name gives what it holds."""
    match tree:
        case Number() | Operation(sign="+" | "-" | "*") | Call(name="count"):
            return "a number"
        case Constant(value=str()):
            return "a text"
        case Reference():
            return names(tree.name) or "on or off"
    return "on or off"


class RuleTranslator:
    """Makes one rule ready; its text is quoted in errors."""

    def __init__(self, text: str, names: RuleNames) -> None:
        self._text = text
        self._names = names

    def ready(self, tree: Expression, unit: str = "") -> CompiledRule:
        """A part of the rule. A number with a unit is given in ``unit``, if there is one, or else in SI."""
        match tree:
            case Number():
                value = self._number(tree, unit)
                return CompiledRule("a number", lambda scan: value)
            case Constant():
                constant = tree.value
                return CompiledRule("a text" if isinstance(constant, str) else "on or off", lambda scan: constant)
            case Reference():
                place = self._place(tree)
                index = place.index
                return CompiledRule(place.kind, lambda scan: scan.image[index])
            case Call():
                return self._call(tree)
        return self._operation(tree, unit)

    def wanted(self, tree: Expression, kind: ValueKind, unit: str = "") -> Run:
        """A part that must be of a kind."""
        found = self.ready(tree, unit)
        if found.kind != kind:
            hint = "compare it, as in height > 50 mm" if kind == "on or off" else None
            raise self._wrong(tree, f"this is {found.kind}, but {kind} is wanted", hint)
        return found.run

    # ---------------------------------------------------------------- operators

    def _operation(self, tree: Operation, unit: str) -> CompiledRule:
        sign, operands = tree.sign, tree.operands
        if sign in _COMPARE:
            return CompiledRule("on or off", self._comparison(tree))
        if sign == "not":
            switch = self.wanted(operands[0], "on or off")
            return CompiledRule("on or off", lambda scan: not switch(scan))
        if sign in ("and", "or"):
            switches = [self.wanted(each, "on or off") for each in operands]
            every = all if sign == "and" else any
            return CompiledRule("on or off", lambda scan: every([run(scan) for run in switches]))
        unit = unit or self._unit(tree)
        numbers = [self.wanted(each, "a number", unit if sign != "*" else "") for each in operands]
        if sign == "-":
            return CompiledRule("a number", lambda scan: -_float(numbers[0](scan)))
        if sign == "+":
            return CompiledRule("a number", lambda scan: sum([_float(run(scan)) for run in numbers]))
        return CompiledRule("a number", lambda scan: math.prod([_float(run(scan)) for run in numbers]))

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

    def _call(self, tree: Call) -> CompiledRule:
        name, arguments = tree.name, tree.arguments
        if name not in _FUNCTIONS:
            raise self._wrong(tree, f"there is no function {name!r}", did_you_mean(name, _FUNCTIONS))
        count = {"rise": 1, "fall": 1, "ctu": 3}.get(name, 2)
        if len(arguments) != count:
            example = {1: f"{name}(x)", 2: f"{name}(x, 2 s)", 3: "ctu(x, reset, 5)"}[count]
            example = example if name not in ("sr", "rs", "count") else f"{name}(x, reset)"
            raise self._wrong(tree, f"{name} takes {_values(count)}, {len(arguments)} given", f"write {example}")
        if name in ("ton", "tof", "tp"):
            timers: dict[str, Callable[[int], LogicBlock]] = {"ton": OnDelay, "tof": OffDelay, "tp": Pulse}
            block = timers[name](self._span(arguments[1]))
            return CompiledRule("on or off", self._applied(block, arguments[:1]))
        if name in ("rise", "fall"):
            return CompiledRule("on or off", self._applied(EdgeBlock(rising=name == "rise"), arguments))
        if name in ("sr", "rs"):
            return CompiledRule("on or off", self._applied(Latch(set_wins=name == "sr"), arguments))
        if name == "count":
            return CompiledRule("a number", self._applied(Counter(), arguments))
        return CompiledRule("on or off", self._applied(Counter(self._whole(arguments[2])), arguments[:2]))

    def _applied(self, block: LogicBlock, arguments: Sequence[Expression]) -> Run:
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

    def _place(self, tree: Reference) -> RulePlace:
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


@dataclass(frozen=True)
class LogicRule(Type):
    """An expression over signals, such as ``ton(eye, 2 s) and not belt.run``. ``own`` are outputs of the same block."""

    own: frozenset[str] = frozenset()

    def check(self, value: Any) -> str:
        """The expression itself, if it can be parsed."""
        if not isinstance(value, str):
            hint = "write for example 'eye and not belt.run', in quotes"
            raise FieldError(f"an expression is wanted, but this is {value!r}", hint=hint)
        parse_expression(value)
        return value

    def schema(self, describer: Describer) -> dict[str, Any]:
        """A text; forms offer the names of signals."""
        return {"type": "string", "x-widget": "expression", "x-names": "signal"}

    def names(self, value: Any) -> Iterator[tuple[str, Ref]]:
        """The signals it names."""
        tree: Expression = parse_expression(value)
        for each in references(tree):
            yield each.name, SignalRef(value, each.column, optional=each.name in self.own)


class SignalRef(Ref):
    """The name of a signal in an expression, with its column."""

    text: str
    column: int

    def __init__(self, text: str, column: int, *, optional: bool) -> None:
        super().__init__("signal", needed=False, optional=optional)
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "column", column)

    def missing(self, named: str, known: Iterable[str]) -> tuple[str, str]:
        """What is wrong, at which column."""
        error = unknown_signal(self.text, self.column, named, known)
        return error.what, error.hint or ""


def unknown_signal(text: str, column: int, named: str, known: Iterable[str]) -> FieldError:
    """The error about a signal in an expression that does not exist."""
    hint = did_you_mean(named, known)
    if "-" in named:
        hint += "; a minus has blanks around it"
    return wrong(text, column, f"there is no signal {named!r}", hint)


@dataclass(frozen=True)
class LogicRules(Table):
    """Expressions by the signals they set: signals of the cell, or outputs that the block declares by this."""

    def walk(self, value: Any, *, naming: bool = False) -> Iterator[SingleValue]:
        """A name without a dot may be an output of the block, both where it is set and where it is read."""
        own = frozenset(value)
        for output, text in value.items():
            yield SingleValue((output,), Ref("signal", needed=False, optional="." not in output), output, key=True)
            yield SingleValue((output,), LogicRule(own), text)

    @property
    def names_things(self) -> bool:
        """LogicRules are made of names."""
        return True
