"""Values of EMULA's language: INT, REAL, STRING, aggregates of them, monitors and subroutines; and its operators."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Union

from drycell.languages.kit import StatementError, quotient

if TYPE_CHECKING:
    from drycell.languages.emula.routines import Routine
    from drycell.languages.emula.syntax import Subroutine
    from drycell.languages.kit import SourceText

LARGEST_INT: Final = 2**63 - 1
LONGEST: Final = 10_000
"""The most characters of a string, and the most elements of an aggregate, including nested ones."""
DEEPEST: Final = 20
_SHOWN: Final = 2000


@dataclass(eq=False, slots=True)
class Monitor:
    """A guard as a value: a move that is given the monitor stops when it trips."""

    number: int
    sensors: tuple[int, ...]
    limit: float
    tripped: bool = False
    ended: bool = False


@dataclass(eq=False, slots=True)
class Closure:
    """A subroutine of the program, and the text it is defined in."""

    definition: "Subroutine"
    source: "SourceText" = field(repr=False)


Value = Union[int, float, str, tuple["Value", ...], Monitor, Closure, "Routine"]


def kind_of(value: Value) -> str:
    """The kind of a value, in the words of the language."""
    if isinstance(value, int):
        return "INT"
    if isinstance(value, float):
        return "REAL"
    if isinstance(value, str):
        return "STRING"
    if isinstance(value, tuple):
        return "aggregate"
    return "MONITOR" if isinstance(value, Monitor) else "subroutine"


def described(value: Value) -> str:
    """The kind and value for messages: ``INT 3``, ``an aggregate of 3``."""
    if isinstance(value, tuple):
        return f"an aggregate of {len(value)}"
    return f"{kind_of(value)} {show(value, quote=True)}" if isinstance(value, (int, float, str)) else kind_of(value)


def show(value: Value, *, quote: bool = False) -> str:
    """A value as DISPLAY prints it. Strings in an aggregate, or with ``quote``, are quoted as in a program."""
    shown = _shown(value, quote)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"


def _shown(value: Value, quote: bool) -> str:
    if isinstance(value, float):
        text = f"{round(value, 9) + 0.0:.7g}"  # -0.0 is a plain zero
        return text if any(each in text for each in ".en") else f"{text}.0"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'" if quote else value
    if isinstance(value, tuple):
        return f"<{','.join(_shown(each, True) for each in value)}>"
    if isinstance(value, Monitor):
        sensors = ",".join(map(str, value.sensors))
        return f"monitor {value.number} (sensors {sensors} exceed {value.limit:g})"
    if isinstance(value, int):
        return str(value)
    return f"$ {value.definition.name.written}" if isinstance(value, Closure) else f"$ {value.name}"


def size_of(value: Value) -> int:
    """The number of elements of a value, including those of nested aggregates."""
    return 1 + sum(map(size_of, value)) if isinstance(value, tuple) else 1


def depth_of(value: Value) -> int:
    """The nesting depth of aggregates in a value."""
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, tuple) else 0


def checked(value: Value) -> Value:
    """Check the size of a value, and return it."""
    if isinstance(value, str) and len(value) > LONGEST:
        raise StatementError(f"a string of {len(value)} characters is too long", f"the limit is {LONGEST}")
    if isinstance(value, tuple):
        if len(value) > LONGEST or size_of(value) > LONGEST:
            raise StatementError("this aggregate has too many elements", f"the limit is {LONGEST}")
        if depth_of(value) > DEEPEST:
            raise StatementError("aggregates are nested too deeply", f"the limit is {DEEPEST} levels")
    return value


def is_true(value: Value) -> bool:
    """Whether a condition is true, which means a number other than 0."""
    if isinstance(value, (int, float)):
        return value != 0
    raise StatementError(
        f"a condition must be a number, not {described(value)}",
        "compare it with something; ANY(a) and ALL(a) test the elements of an aggregate",
    )


Number = int | float


def unary(operator: str, value: Value) -> Value:
    """``-a``, ``+a`` or ``NOT a``."""
    if operator == "not":
        return int(not is_true(value))
    if isinstance(value, tuple):
        return tuple(unary(operator, each) for each in value)
    if not isinstance(value, (int, float)):
        raise StatementError(f"'{operator}' needs a number, not {described(value)}")
    return -value if operator == "-" else value


def binary(operator: str, left: Value, right: Value) -> Value:
    """``a + b`` and the other binary operators, except AND and OR, which do not always evaluate both sides."""
    if operator in _COMPARISONS:
        return int(_COMPARISONS[operator](left, right))
    if operator == "#":
        return _joined(left, right)
    return _mapped(operator, left, right)


def _mapped(operator: str, left: Value, right: Value) -> Value:
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return bounded(_ARITHMETIC[operator](left, right))
    if isinstance(left, tuple) and isinstance(right, tuple):
        if len(left) != len(right):
            raise StatementError(
                f"'{operator}' needs aggregates of the same length, but these have {len(left)} and {len(right)}"
            )
        return tuple(_mapped(operator, a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, tuple):
        return tuple(_mapped(operator, each, right) for each in left)
    if isinstance(right, tuple):
        return tuple(_mapped(operator, left, each) for each in right)
    wrong = left if not isinstance(left, (int, float)) else right
    hint = "join strings and aggregates with '#'" if isinstance(wrong, str) and operator == "+" else None
    raise StatementError(f"'{operator.upper()}' needs numbers, not {described(wrong)}", hint)


def bounded(number: Number) -> Number:
    """Check that the result of a calculation is a finite number within the range of its kind."""
    if isinstance(number, int):
        if abs(number) > LARGEST_INT:
            raise StatementError("the result is too large for an INT", "use a REAL, such as 1.0")
    elif not math.isfinite(number):
        raise StatementError("the result is too large for a REAL")
    return number


def _divide(a: Number, b: Number) -> float:
    _no_zero(b)
    return a / b


def _whole_divide(a: Number, b: Number) -> Number:
    _no_zero(b)
    return math.trunc(a / b) if isinstance(a, float) or isinstance(b, float) else quotient(a, b)


def _modulo(a: Number, b: Number) -> Number:
    _no_zero(b)
    return math.fmod(a, b) if isinstance(a, float) or isinstance(b, float) else a - b * quotient(a, b)


def _no_zero(b: Number) -> None:
    if b == 0:
        raise StatementError("division by zero")


def _power(a: Number, b: Number) -> Number:
    if a == 0 and b < 0:
        raise StatementError("division by zero")
    if a < 0 and b != int(b):
        raise StatementError("a negative number needs a whole exponent")
    if isinstance(a, int) and isinstance(b, int) and 0 <= b <= 64:
        power: int = a**b
        return power
    return math.pow(a, b)


def _guarded(work: Callable[[Number, Number], Number]) -> Callable[[Number, Number], Number]:
    def guarded(a: Number, b: Number) -> Number:
        try:
            return work(a, b)
        except (OverflowError, ValueError):
            raise StatementError("the result is too large for a REAL") from None

    return guarded


_ARITHMETIC: Final[dict[str, Callable[[Number, Number], Number]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _guarded(_divide),
    "div": _guarded(_whole_divide),
    "mod": _guarded(_modulo),
    "**": _guarded(_power),
}


def _joined(left: Value, right: Value) -> Value:
    if isinstance(left, str) and isinstance(right, str):
        return checked(left + right)
    if isinstance(left, tuple) and isinstance(right, tuple):
        if len(left) + len(right) > LONGEST:
            raise StatementError("this aggregate has too many elements", f"the limit is {LONGEST}")
        return checked(left + right)
    raise StatementError(
        f"'#' joins two strings or two aggregates, not {described(left)} and {described(right)}",
        "STR(a) converts a number to a string; <a> is an aggregate",
    )


def same(left: Value, right: Value) -> bool:
    """Whether two values are equal. Aggregates are equal if all their elements are."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, (int, float, str)) and isinstance(right, (int, float, str)):
        return left == right
    return left is right


def _ordered(name: str, test: Callable[[Number, Number], bool]) -> Callable[[Value, Value], bool]:
    def compare(left: Value, right: Value) -> bool:
        if isinstance(left, (int, float)) and isinstance(right, (int, float)):
            return test(left, right)
        wrong = left if not isinstance(left, (int, float)) else right
        raise StatementError(f"'{name}' compares numbers, not {described(wrong)}", "EQ and NE compare anything")

    return compare


_COMPARISONS: Final[dict[str, Callable[[Value, Value], bool]]] = {
    "eq": same,
    "ne": lambda a, b: not same(a, b),
    "lt": _ordered("LT", lambda a, b: a < b),
    "le": _ordered("LE", lambda a, b: a <= b),
    "gt": _ordered("GT", lambda a, b: a > b),
    "ge": _ordered("GE", lambda a, b: a >= b),
}
