"""The types of Pascal, and which values of one may go into a variable of another.

Integers, characters, booleans and enumerations are ordinals: a host, and a range of it. Values are plain Python: int
(enumerations, too), str of one sign, bool, float, str, frozenset. Arrays and records are lists, which a variable keeps
for life; assigning copies into it. A pointer is None or a list subclass with the one thing it points to.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Final

MAX_INT: Final = 2**31 - 1
MIN_INT: Final = -(2**31)
MAX_REAL: Final = sys.float_info.max
LONGEST_STRING: Final = 255
LARGEST_SET: Final = 255
LARGEST_ARRAY: Final = 1_000_000
"""Elements of an array, those of inner arrays included."""


@dataclass(slots=True, eq=False)
class Type:
    """What can be said of a value. Types are told apart by identity: two that are written alike are two types."""

    name: str

    @property
    def structured(self) -> bool:
        """Whether a variable of it is a list that it keeps for life."""
        return False

    @property
    def size(self) -> int:
        """How many simple values it holds."""
        return 1

    def __str__(self) -> str:
        return self.name


@dataclass(slots=True, eq=False)
class Host:
    """What ranges are ranges of: the integers, the characters, the booleans, or the names of an enumeration."""

    name: str
    values: tuple[str, ...] = ()


INTEGERS: Final = Host("integer")
CHARACTERS: Final = Host("char")
BOOLEANS: Final = Host("boolean", ("false", "true"))


@dataclass(slots=True, eq=False)
class Ordinal(Type):
    """A range of a host, by ordinal numbers."""

    host: Host
    low: int
    high: int

    def value(self, number: int) -> int | str | bool:
        """The value with an ordinal number, as programs hold it."""
        if self.host is CHARACTERS:
            return chr(number)
        return bool(number) if self.host is BOOLEANS else number

    def show(self, value: int | str | bool) -> str:
        """A value as its author would write it."""
        if isinstance(value, str):
            return f"'{value}'" if value.isprintable() else f"#{ord(value)}"
        if self.host.values and 0 <= value < len(self.host.values):
            return self.host.values[value]
        return str(value)

    @property
    def limits(self) -> str:
        """Its range as its author would write it."""
        low, high = (self.show(self.value(each)) for each in (self.low, self.high))
        return f"{low}..{high}"


@dataclass(slots=True, eq=False)
class Real(Type):
    """Numbers with a fraction, in 64 bits."""


@dataclass(slots=True, eq=False)
class String(Type):
    """Texts of up to so many characters."""

    length: int


@dataclass(slots=True, eq=False)
class Set(Type):
    """Sets of ordinals; the empty set belongs to all of them and has no base."""

    base: Ordinal | None


@dataclass(slots=True, eq=False)
class Array(Type):
    """Elements by an ordinal index."""

    index: Ordinal
    element: Type

    @property
    def structured(self) -> bool:
        return True

    @property
    def length(self) -> int:
        """How many elements it has."""
        return self.index.high - self.index.low + 1

    @property
    def size(self) -> int:
        return self.length * self.element.size

    @property
    def of_characters(self) -> bool:
        """Whether it is a text of fixed length, as in standard Pascal."""
        return isinstance(self.element, Ordinal) and self.element.host is CHARACTERS


@dataclass(slots=True, eq=False)
class Record(Type):
    """Fields by name, each with its place in the list; those of all variants have places of their own."""

    fields: dict[str, tuple[int, Type]] = field(default_factory=dict)

    @property
    def structured(self) -> bool:
        return True

    @property
    def size(self) -> int:
        return sum(kind.size for _, kind in self.fields.values())


@dataclass(slots=True, eq=False)
class Pointer(Type):
    """``^target``; nil belongs to all of them and has no target."""

    target: Type | None


@dataclass(slots=True, eq=False)
class Unknown(Type):
    """The type of what is wrong already: it goes with everything, so that a mistake is told once."""


INTEGER: Final = Ordinal("integer", INTEGERS, MIN_INT, MAX_INT)
CHAR: Final = Ordinal("char", CHARACTERS, 0, 255)
BOOLEAN: Final = Ordinal("boolean", BOOLEANS, 0, 1)
REAL: Final = Real("real")
STRING: Final = String("string", LONGEST_STRING)
EMPTY_SET: Final = Set("[]", None)
NIL: Final = Pointer("nil", None)
UNKNOWN: Final = Unknown("?")

STANDARD: Final[dict[str, Type]] = {
    "integer": INTEGER,
    "longint": INTEGER,
    "smallint": Ordinal("smallint", INTEGERS, -(2**15), 2**15 - 1),
    "shortint": Ordinal("shortint", INTEGERS, -128, 127),
    "byte": Ordinal("byte", INTEGERS, 0, 255),
    "word": Ordinal("word", INTEGERS, 0, 65535),
    "char": CHAR,
    "boolean": BOOLEAN,
    "real": REAL,
    "single": REAL,
    "double": REAL,
    "extended": REAL,
}


def is_integer(kind: Type) -> bool:
    """Whether it is the integers or a range of them."""
    return isinstance(kind, Ordinal) and kind.host is INTEGERS


def is_number(kind: Type) -> bool:
    """Whether one can calculate with it."""
    return isinstance(kind, Real) or is_integer(kind)


def is_boolean(kind: Type) -> bool:
    """Whether it is true or false."""
    return isinstance(kind, Ordinal) and kind.host is BOOLEANS


def is_char(kind: Type) -> bool:
    """Whether it is one character."""
    return isinstance(kind, Ordinal) and kind.host is CHARACTERS


def is_text(kind: Type) -> bool:
    """Whether it can be read as a string."""
    return isinstance(kind, String) or is_char(kind) or (isinstance(kind, Array) and kind.of_characters)


def assignable(target: Type, value: Type) -> bool:
    """Whether a variable of one type takes values of another; ranges are looked at when it happens."""
    if target is value or isinstance(target, Unknown) or isinstance(value, Unknown):
        return True
    match target:
        case Ordinal():
            return isinstance(value, Ordinal) and value.host is target.host
        case Real():
            return is_integer(value) or isinstance(value, Real)
        case String():
            return is_text(value)
        case Set():
            return isinstance(value, Set) and same_base(target, value)
        case Array():
            return target.of_characters and isinstance(value, String)
        case Pointer():
            return isinstance(value, Pointer) and (value.target is None or value.target is target.target)
    return False


def same_base(one: Set, two: Set) -> bool:
    """Whether two sets are of the same things."""
    return one.base is None or two.base is None or one.base.host is two.base.host


def hull(one: Ordinal, two: Ordinal) -> Ordinal:
    """The range, of the host that both have, in which the values of both lie; one of them if it holds the other."""
    for wide, narrow in ((one, two), (two, one)):
        if wide.low <= narrow.low and narrow.high <= wide.high:
            return wide
    made = Ordinal("", one.host, min(one.low, two.low), max(one.high, two.high))
    made.name = made.limits
    return made
