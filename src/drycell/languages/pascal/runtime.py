"""What running programs call: checks that tell values and limits, arithmetic as Pascal has it, strings and pointers."""

import math
from typing import Final, NoReturn

from drycell.languages.pascal.constants import quotient
from drycell.languages.pascal.fault import Trouble
from drycell.languages.pascal.types import LARGEST_SET, MAX_INT, MAX_REAL, MIN_INT

Value = int | float | str | bool


class Cell(list[object]):
    """What a pointer points to; empty when it has been disposed of."""

    __slots__ = ()


class Jump(Exception):
    """Carries a GOTO to the list of statements that has its label; one for each activation of that list."""

    target = 0

    def to(self, target: int) -> "Jump":
        """The same jump to one of the places."""
        self.target = target
        return self


class Halt(Exception):
    """HALT: ends the program."""

    def __init__(self, code: int = 0) -> None:
        super().__init__(code)
        self.code = code


# -------------------------------------------------------------------- checks


def out_of_range(value: int | str, limits: str, names: tuple[str, ...] = ()) -> NoReturn:
    """A value that does not go where it should."""
    raise Trouble(f"{_shown(value, names)} is out of range {limits}")


def no_element(value: int | str, limits: str, names: tuple[str, ...] = ()) -> NoReturn:
    """An index beyond its array."""
    raise Trouble(f"the index {_shown(value, names)} is beyond the array, which goes {limits}")


def overflow(value: int) -> NoReturn:
    """A result that is no integer of 32 bits."""
    raise Trouble(f"{value} is beyond the integers, {MIN_INT}..{MAX_INT}", "calculate with reals, or in smaller steps")


def too_large(value: float) -> NoReturn:
    """A result that is beyond the reals."""
    raise Trouble(
        f"the result is beyond the reals, which go up to {MAX_REAL:.3g}",
        "divide before you multiply, or look at the values before",
    )


def no_pointer(value: object) -> NoReturn:
    """Something behind ^ where there is nothing."""
    if value is None:
        raise Trouble("this pointer is nil", "make something for it to point to with NEW")
    raise Trouble("what this pointer pointed to has been disposed of")


def members(value: frozenset[int | str], low: int | str, high: int | str, limits: str) -> frozenset[int | str]:
    """A set whose members must be in a range."""
    for each in sorted(value, key=str):
        if not low <= each <= high:  # type: ignore[operator]
            raise Trouble(f"the member {_shown(each, ())} is out of range {limits}")
    return value


def span(low: int | str, high: int | str) -> frozenset[int | str]:
    """The members from one to another."""
    if isinstance(low, str):
        return frozenset(map(chr, range(ord(low), ord(str(high)) + 1)))
    if isinstance(low, bool):
        return frozenset(each for each in (False, True) if low <= each <= int(high))
    first, last = member(low), int(high)
    return frozenset(range(first, member(last) + 1)) if last >= first else frozenset()


def within(numbers: range, low: int, high: int, limits: str) -> range:
    """The numbers of a FOR loop, which must be values of its variable."""
    if numbers and not (low <= min(numbers[0], numbers[-1]) and max(numbers[0], numbers[-1]) <= high):
        raise Trouble(f"the loop goes from {numbers[0]} to {numbers[-1]}, its variable {limits}")
    return numbers


def member(value: int) -> int:
    """An integer that is to be a member of a set."""
    if not 0 <= value <= LARGEST_SET:
        raise Trouble(f"members of a set are 0..{LARGEST_SET}, this is {value}")
    return value


def _shown(value: int | str, names: tuple[str, ...]) -> str:
    if isinstance(value, str):
        return f"'{value}'" if value.isprintable() else f"#{ord(value)}"
    return names[value] if 0 <= value < len(names) else str(value)


# -------------------------------------------------------------------- arithmetic


def divide(a: int, b: int) -> int:
    """``a div b``."""
    if b == 0:
        raise Trouble(f"{a} div 0: this divides by zero")
    result = quotient(a, b)
    return result if result <= MAX_INT else overflow(result)


def modulo(a: int, b: int) -> int:
    """``a mod b``, with the sign of a."""
    if b == 0:
        raise Trouble(f"{a} mod 0: this divides by zero")
    return a - quotient(a, b) * b


def over(a: float, b: float) -> float:
    """``a / b``."""
    if b == 0:
        raise Trouble(f"{a} / 0: this divides by zero")
    result = a / b
    return result if abs(result) <= MAX_REAL else too_large(result)


def shift_left(a: int, count: int) -> int:
    """``a shl count`` in 32 bits."""
    bits = a << _count(count) & 0xFFFFFFFF
    return bits - 2**32 if bits > MAX_INT else bits


def shift_right(a: int, count: int) -> int:
    """``a shr count`` in 32 bits, zeros coming in."""
    return (a & 0xFFFFFFFF) >> _count(count) if count else a


def _count(count: int) -> int:
    if not 0 <= count <= 31:
        raise Trouble(f"a shift by {count} bits: 0..31 can be")
    return count


def truncate(x: float) -> int:
    """``trunc(x)``."""
    return _integer(x, math.trunc(x)) if math.isfinite(x) else _not_finite(x)


def rounded(x: float) -> int:
    """``round(x)``: halves go away from zero, as the standard says."""
    if not math.isfinite(x):
        _not_finite(x)
    size = abs(x)
    whole = math.floor(size)
    whole += size - whole >= 0.5
    return _integer(x, whole if x >= 0 else -whole)


def _integer(x: float, whole: int) -> int:
    if not MIN_INT <= whole <= MAX_INT:
        raise Trouble(f"{x:g} is beyond the integers, {MIN_INT}..{MAX_INT}")
    return whole


def _not_finite(x: float) -> NoReturn:
    raise Trouble(f"{x} is no number that could be made an integer")


def root(x: float) -> float:
    """``sqrt(x)``."""
    if x < 0:
        raise Trouble(f"{x:g} has no square root")
    return math.sqrt(x)


def logarithm(x: float) -> float:
    """``ln(x)``."""
    if x <= 0:
        raise Trouble(f"{x:g} has no logarithm")
    return math.log(x)


def exponential(x: float) -> float:
    """``exp(x)``."""
    try:
        return math.exp(x)
    except OverflowError:
        raise Trouble(f"exp({x:g}) is beyond the reals") from None


def character(number: int) -> str:
    """``chr(number)``."""
    if not 0 <= number <= 255:
        raise Trouble(f"there is no character {number}, they go 0..255")
    return chr(number)


def truth(number: int) -> bool:
    """The boolean with a number: ``succ(true)`` is none."""
    if number not in (0, 1):
        raise Trouble("there is no boolean before false or after true")
    return bool(number)


def upper(char: str) -> str:
    """``upcase(char)``: the letters a to z only."""
    return char.upper() if "a" <= char <= "z" else char


# -------------------------------------------------------------------- structures and strings


def copied(value: list[object]) -> list[object]:
    """An array or record of its own, with all in it."""
    return [copied(each) if each.__class__ is list else each for each in value]


def characters(text: str, length: int) -> list[str]:
    """A string as an array of characters."""
    if len(text) != length:
        raise Trouble(f"the array holds {length} characters, '{text[:40]}' has {len(text)}")
    return list(text)


def char_at(text: str, place: int) -> str:
    """``text[place]``."""
    if not 1 <= place <= len(text):
        raise Trouble(f"the index {place} is beyond the string, which has {len(text)} characters")
    return text[place - 1]


def with_char(text: str, place: int, char: str) -> str:
    """A string with one character changed."""
    char_at(text, place)
    return text[: place - 1] + char + text[place:]


def part(text: str, first: int, count: int) -> str:
    """``copy(text, first, count)``."""
    first = max(first, 1)
    return text[first - 1 : first - 1 + max(count, 0)]


def inserted(what: str, text: str, place: int) -> str:
    """What ``insert(what, text, place)`` makes of the text."""
    place = min(max(place, 1), len(text) + 1) - 1
    return text[:place] + what + text[place:]


def deleted(text: str, first: int, count: int) -> str:
    """What ``delete(text, first, count)`` leaves."""
    if first < 1 or count <= 0:
        return text
    return text[: first - 1] + text[first - 1 + count :]


def read_integer(text: str, low: int, high: int) -> tuple[int, int]:
    """``val`` for an integer: the number and 0, or 0 and the place where the text goes wrong."""
    body = text.strip(" ")
    digits = body[1:] if body[:1] in ("+", "-") else body
    try:
        value = int(digits[1:], 16) if digits[:1] == "$" else int(digits) if digits.isdigit() else None
    except ValueError:
        value = None
    if value is None or not digits.isascii():
        return 0, _wrong(text)
    value = -value if body[0] == "-" else value
    return (value, 0) if low <= value <= high else (0, len(text) or 1)


def read_real(text: str) -> tuple[float, int]:
    """``val`` for a real."""
    body = text.strip(" ")
    if body and all(sign in "+-.0123456789eE" for sign in body):
        try:
            return float(body), 0
        except ValueError:
            pass
    return 0.0, _wrong(text)


def _wrong(text: str) -> int:
    """The place of the first character that belongs to no number."""
    for place, sign in enumerate(text, 1):
        if sign not in "+-.0123456789eE$ " or (sign in "+-" and place > 1 and text[place - 2] not in " eE"):
            return place
    return len(text) + 1


HELPERS: Final[dict[str, object]] = {
    "_range": out_of_range, "_beyond": no_element, "_overflow": overflow, "_nil": no_pointer, "_members": members,
    "_span": span, "_within": within, "_member": member, "_div": divide, "_mod": modulo, "_over": over,
    "_shl": shift_left, "_shr": shift_right, "_trunc": truncate, "_round": rounded,
    "_too_large": too_large, "_sqrt": root, "_ln": logarithm, "_exp": exponential,
    "_sin": math.sin, "_cos": math.cos, "_arctan": math.atan, "_chr": character, "_copied": copied,
    "_characters": characters, "_char_at": char_at, "_with_char": with_char, "_part": part, "_inserted": inserted,
    "_deleted": deleted, "_read_integer": read_integer, "_read_real": read_real, "_Jump": Jump, "_Halt": Halt,
    "_truth": truth, "_upcase": upper, "_int": lambda x: float(math.trunc(x)), "_frac": lambda x: x - math.trunc(x),
}  # fmt: skip
"""The names by which translated programs know all this."""
