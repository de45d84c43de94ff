"""The types of Pascal: the values that a variable accepts, and the result types of operators."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from drycell.languages.kit import COMPARISONS

Scalar = int | float | str | bool
Value = Scalar | frozenset[Scalar]
"""A value of a running program that is neither an array nor a record."""
MAX_LONGINT: Final = 2**31 - 1
MIN_LONGINT: Final = -(2**31)
"""The widest integers, used to calculate constants."""
MAX_REAL: Final = sys.float_info.max
LONGEST_STRING: Final = 255
LARGEST_SET: Final = 256
"""The number of different values that a set can hold."""
LARGEST_ARRAY: Final = 1_000_000
"""The most elements of an array, including those of inner arrays."""


@dataclass(slots=True, eq=False)
class PascalType:
    """The type of a value. Types are compared by identity: two definitions that look alike are two types."""

    name: str

    @property
    def structured(self) -> bool:
        """Whether a variable of this type is an array or a record, held as a Python list that is never replaced."""
        return False

    @property
    def size(self) -> int:
        """The number of simple values that it holds."""
        return 1

    @property
    def zero(self) -> Value | None:
        """The value of a variable before anything is assigned to it; None for arrays and records."""
        return None

    def __str__(self) -> str:
        return self.name


@dataclass(slots=True, eq=False)
class Host:
    """The host of a range: the integers, the characters, the booleans, or the names of an enumeration."""

    name: str
    values: tuple[str, ...] = ()


INTEGERS: Final = Host("integer")
CHARACTERS: Final = Host("char")
BOOLEANS: Final = Host("boolean", ("false", "true"))


@dataclass(slots=True, eq=False)
class OrdinalType(PascalType):
    """A range of a host, given by ordinal numbers."""

    host: Host
    low: int
    high: int

    def value(self, number: int) -> int | str | bool:
        """The value with an ordinal number, as a running program holds it."""
        if self.host is CHARACTERS:
            return chr(number)
        return bool(number) if self.host is BOOLEANS else number

    @property
    def zero(self) -> Value:
        return self.value(min(max(0, self.low), self.high))

    def show(self, value: int | str | bool) -> str:
        """A value as it is written in a program."""
        if isinstance(value, str):
            return f"'{value}'" if value.isprintable() else f"#{ord(value)}"
        if self.host.values and 0 <= value < len(self.host.values):
            return self.host.values[value]
        return str(value)

    @property
    def limits(self) -> str:
        """The range as it is written in a program."""
        low, high = (self.show(self.value(each)) for each in (self.low, self.high))
        return f"{low}..{high}"


@dataclass(slots=True, eq=False)
class RealType(PascalType):
    """Floating-point numbers of 64 bits."""

    @property
    def zero(self) -> Value:
        return 0.0


@dataclass(slots=True, eq=False)
class StringType(PascalType):
    """Strings of up to ``length`` characters."""

    length: int

    @property
    def zero(self) -> Value:
        return ""


@dataclass(slots=True, eq=False)
class SetType(PascalType):
    """Sets of ordinal values, held as frozen sets. The empty set ``[]`` has no element type: it fits every set."""

    element: OrdinalType | None

    @property
    def zero(self) -> Value:
        return frozenset()

    @classmethod
    def of(cls, element: OrdinalType | None, name: str = "") -> SetType:
        """The type of sets of an ordinal type."""
        return cls(name or f"set of {element or 'nothing'}", element)

    def goes_with(self, other: SetType) -> bool:
        """Whether sets of both types can be compared, combined and assigned."""
        return self.element is None or other.element is None or self.element.host is other.element.host

    def joined(self, other: SetType) -> SetType:
        """The type of a union: its range covers both."""
        if self.element is None or other.element is None:
            return other if self.element is None else self
        low, high = min(self.element.low, other.element.low), max(self.element.high, other.element.high)
        return SetType(self.name, OrdinalType(self.element.name, self.element.host, low, high))


@dataclass(slots=True, eq=False)
class ArrayType(PascalType):
    """Arrays with an ordinal index."""

    index: OrdinalType
    element: PascalType

    @property
    def structured(self) -> bool:
        return True

    @property
    def length(self) -> int:
        """The number of elements."""
        return self.index.high - self.index.low + 1

    @property
    def size(self) -> int:
        return self.length * self.element.size

    @property
    def of_characters(self) -> bool:
        """Whether it is a string of fixed length, as in standard Pascal."""
        return isinstance(self.element, OrdinalType) and self.element.host is CHARACTERS


@dataclass(slots=True, eq=False)
class RecordType(PascalType):
    """Records: the fields by name, each with its index in the list."""

    fields: dict[str, tuple[int, PascalType]] = field(default_factory=dict)

    @property
    def structured(self) -> bool:
        return True

    @property
    def size(self) -> int:
        return sum(kind.size for _, kind in self.fields.values())


@dataclass(slots=True, eq=False)
class UnknownType(PascalType):
    """The type of an expression with a mistake. It fits everything, so that a mistake is reported once."""


INTEGER: Final = OrdinalType("integer", INTEGERS, -(2**15), 2**15 - 1)
WORD: Final = OrdinalType("word", INTEGERS, 0, 2**16 - 1)
LONGINT: Final = OrdinalType("longint", INTEGERS, MIN_LONGINT, MAX_LONGINT)
CHAR: Final = OrdinalType("char", CHARACTERS, 0, 255)
BOOLEAN: Final = OrdinalType("boolean", BOOLEANS, 0, 1)
REAL: Final = RealType("real")
STRING: Final = StringType("string", LONGEST_STRING)
UNKNOWN: Final = UnknownType("?")

STANDARD: Final[dict[str, PascalType]] = {
    "integer": INTEGER,
    "longint": LONGINT,
    "smallint": INTEGER,
    "shortint": OrdinalType("shortint", INTEGERS, -128, 127),
    "byte": OrdinalType("byte", INTEGERS, 0, 255),
    "word": WORD,
    "char": CHAR,
    "boolean": BOOLEAN,
    "real": REAL,
    "single": REAL,
    "double": REAL,
    "extended": REAL,
}


def is_integer(kind: PascalType) -> bool:
    """Whether it is an integer or a range of integers."""
    return isinstance(kind, OrdinalType) and kind.host is INTEGERS


def integers_from(low: int, high: int) -> OrdinalType:
    """The type that Turbo Pascal calculates with when the operands are in a range: the first that covers it."""
    return next((each for each in (INTEGER, WORD) if each.low <= low and high <= each.high), LONGINT)


def is_number(kind: PascalType) -> bool:
    """Whether it is an integer or a real."""
    return isinstance(kind, RealType) or is_integer(kind)


def is_boolean(kind: PascalType) -> bool:
    """Whether it is a boolean."""
    return isinstance(kind, OrdinalType) and kind.host is BOOLEANS


def is_char(kind: PascalType) -> bool:
    """Whether it is a char."""
    return isinstance(kind, OrdinalType) and kind.host is CHARACTERS


def is_text(kind: PascalType) -> bool:
    """Whether it can be used as a string."""
    return isinstance(kind, StringType) or is_char(kind) or (isinstance(kind, ArrayType) and kind.of_characters)


def assignable(target: PascalType, value: PascalType) -> bool:
    """Whether a variable accepts values of a type. Ranges are checked when the assignment is executed."""
    if target is value or isinstance(target, UnknownType) or isinstance(value, UnknownType):
        return True
    match target:
        case OrdinalType():
            return isinstance(value, OrdinalType) and value.host is target.host
        case RealType():
            return is_integer(value) or isinstance(value, RealType)
        case StringType():
            return is_text(value)
        case SetType():
            return isinstance(value, SetType) and target.goes_with(value)
        case ArrayType():
            return target.of_characters and isinstance(value, StringType)
    return False


class OperandMismatch(NamedTuple):
    """The reason why an operator does not accept its operands, and a hint."""

    what: str
    hint: str | None = None


def operation(sign: str, left: PascalType, right: PascalType) -> PascalType | OperandMismatch:
    """The type of ``left sign right``, or the reason why the operator does not accept the operands.

    ``INTEGER`` represents every type of integers: the values of the operands determine which.
    """
    if sign == "in":
        return _membership(left, right)
    if sign in COMPARISONS:
        return _comparison(sign, left, right)
    if sign in ("and", "or", "xor"):
        return _logic(sign, left, right)
    if sign in ("div", "mod", "shl", "shr"):
        if is_integer(left) and is_integer(right):
            return INTEGER
        hint = "/ divides reals" if sign == "div" and is_number(left) and is_number(right) else None
        return OperandMismatch(f"{sign.upper()} takes integers, not {left} and {right}", hint)
    if is_number(left) and is_number(right):
        return INTEGER if sign != "/" and is_integer(left) and is_integer(right) else REAL
    if isinstance(left, SetType) and isinstance(right, SetType) and sign != "/" and left.goes_with(right):
        return left.joined(right) if sign == "+" else left
    if sign == "+" and is_text(left) and is_text(right):
        return STRING
    hint = "str(x, s) makes a string of a number" if sign == "+" and (is_text(left) or is_text(right)) else None
    return OperandMismatch(f"'{sign}' does not accept {left} and {right}", hint)


def _comparison(sign: str, left: PascalType, right: PascalType) -> PascalType | OperandMismatch:
    if is_number(left) and is_number(right):
        return BOOLEAN
    if isinstance(left, OrdinalType) and isinstance(right, OrdinalType) and left.host is right.host:
        return BOOLEAN
    if is_text(left) and is_text(right):
        return BOOLEAN
    if isinstance(left, SetType) and isinstance(right, SetType) and sign not in ("<", ">") and left.goes_with(right):
        return BOOLEAN
    hint = None
    if is_boolean(left) != is_boolean(right):
        hint = "AND and OR bind more strongly than comparisons: put each comparison in brackets"
    elif left.structured:
        what = "elements" if isinstance(left, ArrayType) else "fields"
        hint = f"compare the {what} one by one"
    return OperandMismatch(f"{left} and {right} cannot be compared by '{sign}'", hint)


def _membership(left: PascalType, right: PascalType) -> PascalType | OperandMismatch:
    if not isinstance(right, SetType):
        return OperandMismatch(f"IN takes a set on its right, not {right}", "write c in ['a'..'z']")
    if isinstance(left, OrdinalType) and (right.element is None or left.host is right.element.host):
        return BOOLEAN
    return OperandMismatch(f"{left} cannot be in a {right}")


def _logic(sign: str, left: PascalType, right: PascalType) -> PascalType | OperandMismatch:
    if is_boolean(left) and is_boolean(right):
        return BOOLEAN
    if is_integer(left) and is_integer(right):
        return INTEGER
    hint = "AND and OR bind more strongly than comparisons: put each comparison in brackets"
    return OperandMismatch(f"{sign.upper()} takes booleans or integers, not {left} and {right}", hint)
