"""Rules of a logic block: expressions over signals, from their text to functions that run in every scan.

A recursive-descent parser reads the text, with limits on length and depth. Nothing is evaluated as Python. Names become
entries of the process image, and types and units are checked. Every part of a rule is evaluated in every scan, as in a
PLC: ``and`` and ``or`` do not skip timers. Timers, edges, latches and counters are those of IEC 61131-3. Each has a
state, and reports to the scan when the state has changed and when it will change by itself.
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

MOST_CHARACTERS: Final = 2000
MOST_DEPTH: Final = 40
_TOKEN: Final = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d][\w.-]*(?:/[^\W\d][\w.-]*)*)"
    r"|(?P<text>'[^']*'|\"[^\"]*\")"
    r"|(?P<operator><=|>=|<>|!=|==|[=<>+*(),-])"
)
COMPARISONS: Final = {"=": "==", "==": "==", "<>": "!=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_WORDS: Final = frozenset({"and", "or", "not", "true", "false"})


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its unit, which may be empty."""

    column: int
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Constant:
    """True, false, or a string in quotes."""

    column: int
    value: bool | str


@dataclass(frozen=True, slots=True)
class Reference:
    """The name of a signal."""

    column: int
    name: str


@dataclass(frozen=True, slots=True)
class Operation:
    """``and``, ``or``, ``+`` or ``*`` with two or more operands, a comparison with two, ``not`` or ``-`` with one."""

    column: int
    operator: str
    operands: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A timer, edge, latch or counter with its arguments."""

    column: int
    name: str
    arguments: tuple["Expression", ...]


Expression = Number | Constant | Reference | Operation | Call


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    column: int


def error_at(text: str, column: int, what: str, hint: str | None = None) -> FieldError:
    """An error at a column of an expression."""
    shown = text if len(text) <= 60 else text[:59] + "…"
    return FieldError(f"{shown!r}, column {column}: {what}", hint=hint)


def parse_expression(text: str) -> Expression:
    """Parse an expression. Raises FieldError with the column of a mistake."""
    if len(text) > MOST_CHARACTERS:
        raise error_at(
            text,
            MOST_CHARACTERS + 1,
            f"an expression can have {MOST_CHARACTERS} characters; this one has {len(text)}",
        )
    parser = _Parser(text)
    found = parser.disjunction()
    if parser.token.kind != "end":
        parser.unexpected()
    return found


def references(tree: Expression) -> Iterator[Reference]:
    """The signals in an expression, in the order of their columns."""
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
            what = "the string is not closed" if text[place] in "'\"" else f"unexpected character {text[place]!r}"
            raise error_at(text, place + 1, what, "close the quotes" if text[place] in "'\"" else "remove it")
        kind, word = match.lastgroup or "", match.group()
        if kind == "operator" or word.lower() in _WORDS:
            kind = word = word.lower()
        found.append(_Token(kind, word, place + 1))
        place = match.end()
    return [*found, _Token("end", "", len(text) + 1)]


class _Parser:
    """A recursive-descent parser, lowest precedence first."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._place = 0
        self._depth = 0

    @property
    def token(self) -> _Token:
        """The next token."""
        return self._tokens[self._place]

    def unexpected(self) -> NoReturn:
        """Raise the error about an unexpected token."""
        token = self.token
        if token.kind == "end":
            raise error_at(self._text, token.column, "the expression is incomplete", "add the missing part")
        hint = "join conditions with 'and' or 'or'" if token.kind in ("name", "number", "text", "not") else None
        raise error_at(self._text, token.column, f"unexpected {token.text!r}", hint)

    def disjunction(self) -> Expression:
        """Conditions joined by ``or``."""
        self._depth += 1
        if self._depth > MOST_DEPTH:
            what = f"the nesting is deeper than {MOST_DEPTH}"
            raise error_at(self._text, self.token.column, what, "move a part of it to another rule")
        found = self._operands("or", self._conjunction)
        self._depth -= 1
        return found

    def _conjunction(self) -> Expression:
        return self._operands("and", self._negation)

    def _operands(self, operator: str, operand: Callable[[], Expression]) -> Expression:
        """Operands joined by one operator become one operation, so that long chains do not create deep trees."""
        operands, column = [operand()], 0
        while self.token.kind == operator:
            column = self._take().column
            operands.append(operand())
        return Operation(column, operator, tuple(operands)) if len(operands) > 1 else operands[0]

    def _negation(self) -> Expression:
        columns = []
        while self.token.kind == "not":
            columns.append(self._take().column)
        found = self._comparison()
        # Two negations cancel out.
        return Operation(columns[0], "not", (found,)) if len(columns) % 2 else found

    def _comparison(self) -> Expression:
        found = self._sum()
        if self.token.kind in COMPARISONS:
            token = self._take()
            found = Operation(token.column, COMPARISONS[token.text], (found, self._sum()))
        return found

    def _sum(self) -> Expression:
        parts, first = [self._product()], self.token.column
        while self.token.kind in ("+", "-"):
            token = self._take()
            part = self._product()
            parts.append(part if token.kind == "+" else Operation(token.column, "-", (part,)))
        return Operation(first, "+", tuple(parts)) if len(parts) > 1 else parts[0]

    def _product(self) -> Expression:
        return self._operands("*", self._factor)

    def _factor(self) -> Expression:
        if self.token.kind == "-":
            column = self._take().column
            return Operation(column, "-", (self._primary(),))
        return self._primary()

    def _primary(self) -> Expression:
        token = self.token
        if token.kind == "(":
            self._take()
            found = self.disjunction()
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
            self.unexpected()
        self._take()
        return self._call(token) if self.token.kind == "(" else Reference(token.column, token.text)

    def _call(self, name: _Token) -> Call:
        self._take()
        arguments = [self.disjunction()]
        while self.token.kind == ",":
            self._take()
            arguments.append(self.disjunction())
        self._close()
        return Call(name.column, name.text.lower(), tuple(arguments))

    def _close(self) -> None:
        if self.token.kind != ")":
            if self.token.kind == "end":
                raise error_at(self._text, self.token.column, "a parenthesis is not closed", "add ')'")
            self.unexpected()
        self._take()

    def _take(self) -> _Token:
        token = self.token
        self._place += 1
        return token


Value = bool | float | str


class LogicScan:
    """One pass through the rules: the process image, the instant, and when the next pass is needed."""

    __slots__ = ("changed", "due", "image", "time")

    def __init__(self) -> None:
        self.image: list[Value] = []
        self.time = 0
        self.due = FOREVER
        """When a state will change without a change of an input."""
        self.changed = False
        """Whether a state has changed in this scan."""

    def elapsed(self, since: int, duration: int) -> bool:
        """Whether a time has elapsed; if not, its end becomes due."""
        end = since + duration
        if self.time >= end:
            return True
        self.due = min(self.due, end)
        return False


class FunctionBlock(Protocol):
    """A function with a state, such as a timer, that is called in every scan."""

    def __call__(self, scan: LogicScan, *values: Value) -> Value:
        """The output for the values of its inputs."""


class OnDelay:
    """``ton(x, 2 s)``: on when x has been on for 2 s."""

    def __init__(self, duration: int) -> None:
        self._duration = duration
        self._since: int | None = None

    def __call__(self, scan: LogicScan, *values: Value) -> Value:
        if not values[0]:
            scan.changed |= self._since is not None
            self._since = None
            return False
        if self._since is None:
            self._since, scan.changed = scan.time, True
        return scan.elapsed(self._since, self._duration)


class OffDelay:
    """``tof(x, 2 s)``: on while x is on, and for 2 s after that."""

    def __init__(self, duration: int) -> None:
        self._duration = duration
        self._on = False
        self._since: int | None = None  # when x went off

    def __call__(self, scan: LogicScan, *values: Value) -> Value:
        on = bool(values[0])
        if on != self._on:
            self._on, scan.changed = on, True
            self._since = None if on else scan.time
        return on or (self._since is not None and not scan.elapsed(self._since, self._duration))


class Pulse:
    """``tp(x, 2 s)``: on for 2 s when x turns on, even if x turns off in the meantime."""

    def __init__(self, duration: int) -> None:
        self._duration = duration
        self._edge = EdgeBlock(rising=True)
        self._since: int | None = None

    def __call__(self, scan: LogicScan, *values: Value) -> Value:
        rose = self._edge(scan, *values)
        if self._since is None and rose:
            self._since, scan.changed = scan.time, True
        if self._since is None:
            return False
        if not scan.elapsed(self._since, self._duration):
            return True
        self._since, scan.changed = None, True
        return False


class EdgeBlock:
    """``rise(x)``, ``fall(x)``: on for the one scan in which x has turned on or off; never in the first scan."""

    def __init__(self, *, rising: bool) -> None:
        self._rising = rising
        self._last: bool | None = None

    def __call__(self, scan: LogicScan, *values: Value) -> Value:
        now, before = bool(values[0]), self._last
        if now == before:
            return False
        self._last, scan.changed = now, True
        return before is not None and now is self._rising


class Latch:
    """``sr(set, reset)`` and ``rs(set, reset)``: on from set to reset. With both, ``sr`` is on and ``rs`` is off."""

    def __init__(self, *, set_wins: bool) -> None:
        self._set_wins = set_wins
        self._on = False

    def __call__(self, scan: LogicScan, *values: Value) -> Value:
        sets, resets = values
        on = bool(sets or (self._on and not resets)) if self._set_wins else bool((self._on or sets) and not resets)
        if on != self._on:
            self._on, scan.changed = on, True
        return on


_MOST: Final = 2**53  # beyond this a float cannot represent every integer


class Counter:
    """``count(x, reset)``: how many times x has turned on since the reset. ``ctu(x, reset, 5)``: on from the fifth."""

    def __init__(self, preset: int | None = None) -> None:
        self._edge = EdgeBlock(rising=True)
        self._preset = preset
        self._number = 0

    def __call__(self, scan: LogicScan, *values: Value) -> Value:
        x, reset = values
        rose = self._edge(scan, x)
        number = 0 if reset else min(self._number + bool(rose), _MOST)
        if number != self._number:
            self._number, scan.changed = number, True
        return float(number) if self._preset is None else number >= self._preset


ValueKind = Literal["on or off", "a number", "a string"]
Run = Callable[[LogicScan], Value]
_FUNCTIONS: Final = ("ton", "tof", "tp", "rise", "fall", "sr", "rs", "ctu", "count")
_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RulePlace:
    """The index of a signal in the process image, its kind of value, and its unit."""

    index: int
    kind: ValueKind
    unit: str = ""


class RuleNames(Protocol):
    """The signals that a rule can use."""

    def place(self, name: str) -> RulePlace | None:
        """The entry of a signal; None if it does not exist."""

    def known(self) -> Iterable[str]:
        """The names of all signals."""


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A part of a rule as a function."""

    kind: ValueKind
    run: Run


def kind_of(tree: Expression, names: Callable[[str], ValueKind | None]) -> ValueKind:
    """The kind of value of an expression, if its form determines it."""
    match tree:
        case Number() | Operation(operator="+" | "-" | "*") | Call(name="count"):
            return "a number"
        case Constant(value=str()):
            return "a string"
        case Reference():
            return names(tree.name) or "on or off"
    return "on or off"


class RuleTranslator:
    """Translates the tree of one rule into functions. Its text is quoted in errors."""

    def __init__(self, text: str, names: RuleNames) -> None:
        self._text = text
        self._names = names

    def translate(self, tree: Expression, unit: str = "") -> CompiledRule:
        """Translate a part of the rule. Numbers are converted to ``unit``, or to SI if that is empty."""
        match tree:
            case Number():
                value = self._number(tree, unit)
                return CompiledRule("a number", lambda scan: value)
            case Constant():
                constant = tree.value
                return CompiledRule("a string" if isinstance(constant, str) else "on or off", lambda scan: constant)
            case Reference():
                place = self._place(tree)
                index = place.index
                return CompiledRule(place.kind, lambda scan: scan.image[index])
            case Call():
                return self._call(tree)
        return self._operation(tree, unit)

    def translate_as(self, tree: Expression, kind: ValueKind, unit: str = "") -> Run:
        """Translate a part that must have a given kind of value."""
        found = self.translate(tree, unit)
        if found.kind != kind:
            hint = "compare it, as in height > 50 mm" if kind == "on or off" else None
            raise self._error(tree, f"this is {found.kind}, expected {kind}", hint)
        return found.run

    # ---------------------------------------------------------------- operators

    def _operation(self, tree: Operation, unit: str) -> CompiledRule:
        symbol, operands = tree.operator, tree.operands
        if symbol in _COMPARE:
            return CompiledRule("on or off", self._comparison(tree))
        if symbol == "not":
            switch = self.translate_as(operands[0], "on or off")
            return CompiledRule("on or off", lambda scan: not switch(scan))
        if symbol in ("and", "or"):
            switches = [self.translate_as(each, "on or off") for each in operands]
            every = all if symbol == "and" else any
            return CompiledRule("on or off", lambda scan: every([run(scan) for run in switches]))
        unit = unit or self._unit(tree)
        numbers = [self.translate_as(each, "a number", unit if symbol != "*" else "") for each in operands]
        if symbol == "-":
            return CompiledRule("a number", lambda scan: -_float(numbers[0](scan)))
        if symbol == "+":
            return CompiledRule("a number", lambda scan: sum([_float(run(scan)) for run in numbers]))
        return CompiledRule("a number", lambda scan: math.prod([_float(run(scan)) for run in numbers]))

    def _comparison(self, tree: Operation) -> Run:
        unit = self._unit(tree)
        first, second = (self.translate(each, unit) for each in tree.operands)
        if first.kind != second.kind:
            raise self._error(tree, f"{first.kind} cannot be compared with {second.kind}")
        if first.kind != "a number" and tree.operator not in ("==", "!="):
            raise self._error(tree, f"{first.kind} can only be compared with = or <>")
        compare, one, other = _COMPARE[tree.operator], first.run, second.run
        return lambda scan: compare(one(scan), other(scan))

    # ---------------------------------------------------------------- function blocks

    def _call(self, tree: Call) -> CompiledRule:
        name, arguments = tree.name, tree.arguments
        if name not in _FUNCTIONS:
            raise self._error(tree, f"unknown function {name!r}", did_you_mean(name, _FUNCTIONS))
        count = {"rise": 1, "fall": 1, "ctu": 3}.get(name, 2)
        if len(arguments) != count:
            example = {1: f"{name}(x)", 2: f"{name}(x, 2 s)", 3: "ctu(x, reset, 5)"}[count]
            example = example if name not in ("sr", "rs", "count") else f"{name}(x, reset)"
            raise self._error(tree, f"{name} needs {_values(count)}, not {len(arguments)}", f"write {example}")
        if name in ("ton", "tof", "tp"):
            timers: dict[str, Callable[[int], FunctionBlock]] = {"ton": OnDelay, "tof": OffDelay, "tp": Pulse}
            block = timers[name](self._span(arguments[1]))
            return CompiledRule("on or off", self._applied(block, arguments[:1]))
        if name in ("rise", "fall"):
            return CompiledRule("on or off", self._applied(EdgeBlock(rising=name == "rise"), arguments))
        if name in ("sr", "rs"):
            return CompiledRule("on or off", self._applied(Latch(set_wins=name == "sr"), arguments))
        if name == "count":
            return CompiledRule("a number", self._applied(Counter(), arguments))
        return CompiledRule("on or off", self._applied(Counter(self._whole(arguments[2])), arguments[:2]))

    def _applied(self, block: FunctionBlock, arguments: Sequence[Expression]) -> Run:
        runs = [self.translate_as(each, "on or off") for each in arguments]
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
                raise self._error(tree, error.what, error.hint) from None
            if span > 0:
                return span
        raise self._error(tree, "expected a time above 0", "write for example 2 s or 200 ms")

    def _whole(self, tree: Expression) -> int:
        if isinstance(tree, Number) and not tree.unit and tree.value.is_integer() and tree.value >= 1:
            return int(tree.value)
        raise self._error(tree, "expected a whole number from 1", "write for example ctu(x, reset, 5)")

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
        if isinstance(tree, Operation) and tree.operator != "*":
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
                raise self._error(
                    tree, f"{tree.value:g} {tree.unit} cannot be combined with a value in {unit}"
                ) from None
        raise self._error(tree, f"unknown unit {tree.unit!r}", "write for example 50 mm, 2 s, 150 mm/s")

    def _error(self, tree: Expression, what: str, hint: str | None = None) -> FieldError:
        return error_at(self._text, tree.column, what, hint)


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count} values"


def _float(value: Value) -> float:
    return value if isinstance(value, float) else float(value)


@dataclass(frozen=True)
class LogicRule(Type):
    """An expression over signals, such as ``ton(eye, 2 s) and not belt.run``. ``own`` are outputs of the same block."""

    own: frozenset[str] = frozenset()

    def check(self, value: Any) -> str:
        """The expression, if it can be parsed."""
        if not isinstance(value, str):
            hint = "write for example 'eye and not belt.run', in quotes"
            raise FieldError(f"expected an expression, not {value!r}", hint=hint)
        parse_expression(value)
        return value

    def schema(self, describer: Describer) -> dict[str, Any]:
        """A string; forms offer the names of signals."""
        return {"type": "string", "x-widget": "expression", "x-names": "signal"}

    def names(self, value: Any) -> Iterator[tuple[str, Ref]]:
        """The signals in the expression."""
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
        """The message with the column, and the hint."""
        error = unknown_signal(self.text, self.column, named, known)
        return error.what, error.hint or ""


def unknown_signal(text: str, column: int, named: str, known: Iterable[str]) -> FieldError:
    """The error about an unknown signal in an expression."""
    hint = did_you_mean(named, known)
    if "-" in named:
        hint += "; write a minus with spaces around it"
    return error_at(text, column, f"unknown signal {named!r}", hint)


@dataclass(frozen=True)
class LogicRules(Table):
    """Expressions by the signals that they set: signals of the cell, or outputs that the block declares."""

    def walk(self, value: Any, *, naming: bool = False) -> Iterator[SingleValue]:
        """The signals and expressions. A name without a dot can be an output of the block."""
        own = frozenset(value)
        for output, text in value.items():
            yield SingleValue((output,), Ref("signal", needed=False, optional="." not in output), output, key=True)
            yield SingleValue((output,), LogicRule(own), text)

    @property
    def names_things(self) -> bool:
        """Whether it contains names: always."""
        return True
