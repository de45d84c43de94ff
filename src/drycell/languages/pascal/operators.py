"""The operators of Pascal: which operands they take, and of which type the result is."""

from typing import Final, NamedTuple

from drycell.languages.pascal.types import (
    BOOLEAN,
    INTEGER,
    REAL,
    STRING,
    Array,
    Ordinal,
    Pointer,
    Set,
    Type,
    hull,
    is_boolean,
    is_integer,
    is_number,
    is_text,
    same_base,
)

_COMPARISONS: Final = ("=", "<>", "<", "<=", ">", ">=")


class Refused(NamedTuple):
    """Why operands do not go together, and what to try."""

    what: str
    hint: str | None = None


def operation(sign: str, left: Type, right: Type) -> Type | Refused:
    """The type of ``left sign right``, or why there is none."""
    if sign in _COMPARISONS:
        return _comparison(sign, left, right)
    if sign == "in":
        return _membership(left, right)
    if sign in ("and", "or", "xor"):
        return _logic(sign, left, right)
    if sign in ("div", "mod", "shl", "shr"):
        if is_integer(left) and is_integer(right):
            return INTEGER
        hint = "/ divides reals" if sign == "div" and is_number(left) and is_number(right) else None
        return Refused(f"{sign.upper()} takes integers, not {left} and {right}", hint)
    if is_number(left) and is_number(right):
        return INTEGER if sign != "/" and is_integer(left) and is_integer(right) else REAL
    if sign == "+" and is_text(left) and is_text(right):
        return STRING
    if sign in ("+", "-", "*") and isinstance(left, Set) and isinstance(right, Set) and same_base(left, right):
        return _united(left, right) if sign == "+" else left
    hint = "str(x, s) makes a string of a number" if sign == "+" and (is_text(left) or is_text(right)) else None
    return Refused(f"'{sign}' does not go with {left} and {right}", hint)


def _united(left: Set, right: Set) -> Set:
    """The type of a union: its members can be those of either."""
    one, other = left.base, right.base
    if one is None or other is None:
        return right if one is None else left
    whole = hull(one, other)
    return left if whole is one else right if whole is other else Set(f"set of {whole}", whole)


def _comparison(sign: str, left: Type, right: Type) -> Type | Refused:
    if is_number(left) and is_number(right):
        return BOOLEAN
    if isinstance(left, Ordinal) and isinstance(right, Ordinal) and left.host is right.host:
        return BOOLEAN
    if is_text(left) and is_text(right):
        return BOOLEAN
    if isinstance(left, Set) and isinstance(right, Set) and same_base(left, right) and sign not in ("<", ">"):
        return BOOLEAN
    if isinstance(left, Pointer) and isinstance(right, Pointer) and sign in ("=", "<>"):
        alike = left.target is None or right.target is None or left.target is right.target
        return BOOLEAN if alike else Refused(f"{left} and {right} point to different things")
    hint = None
    if is_boolean(left) != is_boolean(right):
        hint = "AND and OR bind more strongly than comparisons: put brackets around these"
    elif left.structured:
        what = "elements" if isinstance(left, Array) else "fields"
        hint = f"compare the {what} one by one"
    return Refused(f"{left} and {right} cannot be compared by '{sign}'", hint)


def _membership(left: Type, right: Type) -> Type | Refused:
    if isinstance(right, Set) and isinstance(left, Ordinal) and (right.base is None or right.base.host is left.host):
        return BOOLEAN
    return Refused(f"IN asks whether a value is in a set, not {left} in {right}")


def _logic(sign: str, left: Type, right: Type) -> Type | Refused:
    if is_boolean(left) and is_boolean(right):
        return BOOLEAN
    if is_integer(left) and is_integer(right):
        return INTEGER
    hint = "AND and OR bind more strongly than comparisons: put brackets around these"
    return Refused(f"{sign.upper()} takes booleans or integers, not {left} and {right}", hint)
