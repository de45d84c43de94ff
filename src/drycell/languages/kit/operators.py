"""Operators with one meaning in all languages."""

import operator
from collections.abc import Callable, Mapping
from typing import Final

COMPARISONS: Final[Mapping[str, Callable[..., bool]]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def quotient(a: int, b: int) -> int:
    """Divide two integers, rounding towards zero."""
    return a // b if (a < 0) == (b < 0) else -(-a // b)
