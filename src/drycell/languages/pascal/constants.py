"""Constants: the values of expressions that are known before a program runs."""

import math
import operator
from collections.abc import Callable
from typing import Final

from drycell.languages.kit import COMPARISONS, quotient
from drycell.languages.pascal import syntax
from drycell.languages.pascal.symbols import Builtin, ConstantSymbol
from drycell.languages.pascal.types import (
    LARGEST_SET,
    MAX_LONGINT,
    MIN_LONGINT,
    OrdinalType,
    Scalar,
    Value,
    integers_from,
)

_ARITHMETIC: Final[dict[str, Callable[..., Scalar]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    **COMPARISONS,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
}
_SETS: Final[dict[str, Callable[..., frozenset[Scalar]]]] = {
    "+": operator.or_,
    "-": operator.sub,
    "*": operator.and_,
}
_FUNCTIONS: Final[dict[str, Callable[..., Scalar]]] = {
    "ord": lambda value: ord(value) if isinstance(value, str) else int(value),
    "chr": lambda value: bytes((value,)).decode("latin-1"),  # there are 256 characters, not all of Unicode
    "abs": abs,
    "sqr": lambda value: value * value,
    "length": len,
    "trunc": math.trunc,
    "hi": lambda value: value >> 8 & 0xFF,
    "lo": lambda value: value & 0xFF,
    "pi": lambda: math.pi,
}


def constant(node: syntax.Expression) -> Value | None:
    """The value of a checked expression, or None if it is known only at run time."""
    try:
        value = _value(node)
    except (ArithmeticError, ValueError, TypeError):
        return None
    if type(value) is int and not MIN_LONGINT <= value <= MAX_LONGINT:
        return None
    return value


def number_of(value: Scalar) -> int:
    """The ordinal number of a value."""
    return ord(value) if isinstance(value, str) else int(value)


def values_between(low: Scalar, high: Scalar) -> list[Scalar]:
    """The values of ``low..high`` in a set."""
    numbers = range(number_of(low), number_of(high) + 1)
    return [chr(each) for each in numbers] if isinstance(low, str) else [type(low)(each) for each in numbers]


def _value(node: syntax.Expression) -> Value | None:
    match node:
        case syntax.Number() | syntax.StringLiteral():
            return node.value
        case syntax.Name(symbol=ConstantSymbol(value=value)):
            return value
        case syntax.Name(symbol=Builtin(name="pi")):
            return math.pi
        case syntax.SetConstructor():
            return _set(node)
        case syntax.Unary():
            return _unary(node.operator, _value(node.operand))
        case syntax.Binary():
            left, right = _value(node.left), _value(node.right)
            return None if left is None or right is None else _binary(node.operator, left, right)
        case syntax.Call(target=syntax.Name(symbol=Builtin(name=name))) if name in _FUNCTIONS:
            given = [_value(each) for each in node.arguments]
            return None if None in given else _FUNCTIONS[name](*given)
    return None


def _set(node: syntax.SetConstructor) -> Value | None:
    found = set[Scalar]()
    for low, high in node.items:
        first, last = _value(low), _value(low if high is None else high)
        if first is None or last is None or isinstance(first, frozenset) or isinstance(last, frozenset):
            return None
        if number_of(last) - number_of(first) >= LARGEST_SET:
            return None
        found.update([first] if high is None else values_between(first, last))
    return frozenset(found)


def _unary(sign: str, operand: Value | None) -> Value | None:
    if operand is None or isinstance(operand, (str, frozenset)):
        return None
    if sign == "not":
        return (not operand) if isinstance(operand, bool) else ~int(operand)
    return -operand if sign == "-" else operand


def _binary(sign: str, left: Value, right: Value) -> Value | None:
    if isinstance(right, frozenset):
        if sign == "in":
            return left in right
        if sign in _SETS:
            return _SETS[sign](left, right)
    elif isinstance(left, frozenset):
        return None
    elif sign in ("div", "mod"):
        a, b = int(left), int(right)
        return quotient(a, b) if sign == "div" else a - quotient(a, b) * b
    function = _ARITHMETIC.get(sign)
    return None if function is None else function(left, right)


def in_range(kind: OrdinalType, value: Scalar) -> bool:
    """Whether a constant is in the range of a type."""
    return kind.low <= number_of(value) <= kind.high


def bounds(node: syntax.Expression) -> tuple[int, int]:
    """The smallest and largest ordinal number that a checked expression can have."""
    kind, value = node.type, constant(node)
    if not isinstance(kind, OrdinalType):
        return MIN_LONGINT, MAX_LONGINT
    if value is not None and not isinstance(value, (float, frozenset)):
        return number_of(value), number_of(value)
    return kind.low, kind.high


def integer_type(*operands: syntax.Expression) -> OrdinalType:
    """The type that an operation on checked integers is calculated in, as in Turbo Pascal."""
    lows, highs = zip(*(bounds(each) for each in operands), strict=True)
    return integers_from(min(lows), max(highs))
