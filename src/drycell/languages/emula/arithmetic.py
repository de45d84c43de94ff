"""Operators of EMULA's language. Arithmetic goes through aggregates element by element, as AML's does."""

import math
from collections.abc import Callable
from typing import Final

from drycell.languages.emula.values import LARGEST_INT, LONGEST, Refusal, Value, checked, described, is_true

Number = int | float


def unary(operator: str, value: Value) -> Value:
    """``-a``, ``+a`` or ``NOT a``."""
    if operator == "not":
        return int(not is_true(value))
    if isinstance(value, tuple):
        return tuple(unary(operator, each) for each in value)
    if not isinstance(value, (int, float)):
        raise Refusal(f"'{operator}' wants a number, not {described(value)}")
    return -value if operator == "-" else value


def binary(operator: str, left: Value, right: Value) -> Value:
    """``a + b`` and all the others but AND and OR, which do not always look at both sides."""
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
            raise Refusal(
                f"'{operator}' wants aggregates of one length, these have {len(left)} and {len(right)} elements"
            )
        return tuple(_mapped(operator, a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, tuple):
        return tuple(_mapped(operator, each, right) for each in left)
    if isinstance(right, tuple):
        return tuple(_mapped(operator, left, each) for each in right)
    wrong = left if not isinstance(left, (int, float)) else right
    hint = "strings and aggregates are joined with '#'" if isinstance(wrong, str) and operator == "+" else None
    raise Refusal(f"'{operator.upper()}' wants numbers, not {described(wrong)}", hint)


def bounded(number: Number) -> Number:
    """A result of arithmetic, unless it is none, or too large."""
    if isinstance(number, int):
        if abs(number) > LARGEST_INT:
            raise Refusal("the result is too large for an INT", "begin with a REAL, such as 1.0")
    elif not math.isfinite(number):
        raise Refusal("the result is too large for a REAL")
    return number


def _divide(a: Number, b: Number) -> float:
    _no_zero(b)
    return a / b


def _whole_divide(a: Number, b: Number) -> Number:
    _no_zero(b)
    return math.trunc(a / b) if isinstance(a, float) or isinstance(b, float) else abs(a) // abs(b) * _sign(a, b)


def _modulo(a: Number, b: Number) -> Number:
    _no_zero(b)
    return math.fmod(a, b) if isinstance(a, float) or isinstance(b, float) else a - b * (abs(a) // abs(b) * _sign(a, b))


def _sign(a: int, b: int) -> int:
    return 1 if (a < 0) == (b < 0) else -1


def _no_zero(b: Number) -> None:
    if b == 0:
        raise Refusal("division by zero")


def _power(a: Number, b: Number) -> Number:
    if a == 0 and b < 0:
        raise Refusal("division by zero")
    if a < 0 and b != int(b):
        raise Refusal("a negative number has no power with a fraction")
    if isinstance(a, int) and isinstance(b, int) and 0 <= b <= 64:
        power: int = a**b
        return power
    return math.pow(a, b)


def _guarded(work: Callable[[Number, Number], Number]) -> Callable[[Number, Number], Number]:
    def guarded(a: Number, b: Number) -> Number:
        try:
            return work(a, b)
        except (OverflowError, ValueError):
            raise Refusal("the result is too large for a REAL") from None

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
            raise Refusal("this aggregate has too many elements", f"{LONGEST} are the most")
        return checked(left + right)
    raise Refusal(
        f"'#' joins two strings or two aggregates, not {described(left)} and {described(right)}",
        "STR(a) makes a string of a number, <a> an aggregate",
    )


def same(left: Value, right: Value) -> bool:
    """Whether two values are equal; aggregates are when all their elements are."""
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
        raise Refusal(f"'{name}' compares numbers, not {described(wrong)}", "EQ and NE compare anything")

    return compare


_COMPARISONS: Final[dict[str, Callable[[Value, Value], bool]]] = {
    "eq": same,
    "ne": lambda a, b: not same(a, b),
    "lt": _ordered("LT", lambda a, b: a < b),
    "le": _ordered("LE", lambda a, b: a <= b),
    "gt": _ordered("GT", lambda a, b: a > b),
    "ge": _ordered("GE", lambda a, b: a >= b),
}
