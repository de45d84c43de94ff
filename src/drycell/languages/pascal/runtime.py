"""The runtime of translated programs: range checks, arithmetic, strings and printing, and the run itself."""

import math
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Context, Decimal
from random import Random
from typing import Final, NoReturn

from drycell.kernel import current_process, in_program
from drycell.languages.kit import StatementError, quotient
from drycell.languages.pascal.constants import number_of, values_between
from drycell.languages.pascal.types import LARGEST_SET, MAX_LONGINT, MAX_REAL, MIN_LONGINT, Scalar


class Halt(Exception):
    """Raised by HALT to end the program with an exit code."""

    def __init__(self, code: int = 0) -> None:
        super().__init__(code)
        self.code = code


# -------------------------------------------------------------------- checks


def out_of_range(value: int | str, limits: str, names: tuple[str, ...] = ()) -> NoReturn:
    """Report a value outside the range of its variable."""
    raise StatementError(f"{_shown(value, names)} is out of range {limits}")


def no_element(value: int | str, limits: str, names: tuple[str, ...] = ()) -> NoReturn:
    """Report an index outside the range of its array."""
    raise StatementError(f"index {_shown(value, names)} is outside the array's range {limits}")


def overflow(value: int, low: int, high: int) -> NoReturn:
    """Report a result outside the range of the integers that it is calculated in."""
    if high < MAX_LONGINT:
        hint = "a 16-bit controller would wrap it around: declare one of the operands as longint, or use reals"
    else:
        hint = "use reals, or calculate in smaller steps"
    raise StatementError(f"integer overflow: {value} is not in {low}..{high}", hint)


def too_large(value: float) -> NoReturn:
    """Report a result that is too large for a real."""
    raise StatementError(
        f"the result is too large for a real; the largest is {MAX_REAL:.3g}",
        "divide before you multiply, or check the values",
    )


def within(numbers: range, low: int, high: int, limits: str) -> range:
    """The numbers of a FOR loop, which must be in the range of its counter."""
    if numbers and not (low <= min(numbers[0], numbers[-1]) and max(numbers[0], numbers[-1]) <= high):
        what = f"the loop runs from {numbers[0]} to {numbers[-1]}, but its counter has the range {limits}"
        raise StatementError(what)
    return numbers


def _shown(value: int | str, names: tuple[str, ...]) -> str:
    if isinstance(value, str):
        return f"'{value}'" if value.isprintable() else f"#{ord(value)}"
    return names[value] if 0 <= value < len(names) else str(value)


# -------------------------------------------------------------------- arithmetic


def divide(a: int, b: int) -> int:
    """``a div b``."""
    if b == 0:
        raise StatementError(f"{a} div 0: division by zero")
    return quotient(a, b)


def modulo(a: int, b: int) -> int:
    """``a mod b``, with the sign of ``a``."""
    if b == 0:
        raise StatementError(f"{a} mod 0: division by zero")
    return a - quotient(a, b) * b


def over(a: float, b: float) -> float:
    """``a / b``."""
    if b == 0:
        raise StatementError(f"{a} / 0: division by zero")
    result = a / b
    return result if abs(result) <= MAX_REAL else too_large(result)


def shift_left(a: int, count: int, low: int, high: int) -> int:
    """``a shl count`` in the bits of the integers from ``low`` to ``high``."""
    bits = (a << _count(count)) % (high - low + 1)
    return bits - (high - low + 1) if bits > high else bits


def shift_right(a: int, count: int, low: int, high: int) -> int:
    """``a shr count`` in the bits of the integers from ``low`` to ``high``, filled with zeros."""
    return a % (high - low + 1) >> _count(count) if count else a


def swapped(a: int, high: int) -> int:
    """``swap(a)``: exchange the two bytes of a 16-bit number whose largest value is ``high``."""
    bits = (a & 0xFF) << 8 | a >> 8 & 0xFF
    return bits - 2**16 if bits > high else bits


def _count(count: int) -> int:
    if not 0 <= count <= 31:
        raise StatementError(f"cannot shift by {count} bits: the count must be in 0..31")
    return count


def truncate(x: float) -> int:
    """``trunc(x)``."""
    return _integer(x, math.trunc(x)) if math.isfinite(x) else _not_finite(x)


def rounded(x: float) -> int:
    """``round(x)``: halves are rounded away from zero, as in standard Pascal."""
    if not math.isfinite(x):
        _not_finite(x)
    size = abs(x)
    whole = math.floor(size)
    whole += size - whole >= 0.5
    return _integer(x, whole if x >= 0 else -whole)


def _integer(x: float, whole: int) -> int:
    if not MIN_LONGINT <= whole <= MAX_LONGINT:
        raise StatementError(f"{x:g} is too large for a longint: not in {MIN_LONGINT}..{MAX_LONGINT}")
    return whole


def _not_finite(x: float) -> NoReturn:
    raise StatementError(f"{x} cannot be converted to an integer")


def root(x: float) -> float:
    """``sqrt(x)``."""
    if x < 0:
        raise StatementError(f"sqrt({x:g}) is undefined: the argument is negative")
    return math.sqrt(x)


def logarithm(x: float) -> float:
    """``ln(x)``."""
    if x <= 0:
        raise StatementError(f"ln({x:g}) is undefined: the argument is not positive")
    return math.log(x)


def exponential(x: float) -> float:
    """``exp(x)``."""
    try:
        return math.exp(x)
    except OverflowError:
        raise StatementError(f"exp({x:g}) is too large for a real") from None


def character(number: int) -> str:
    """``chr(number)``."""
    if not 0 <= number <= 255:
        raise StatementError(f"chr({number}) does not exist: characters are 0..255")
    return chr(number)


def truth(number: int) -> bool:
    """The boolean with an ordinal number; ``succ(true)`` does not exist."""
    if number not in (0, 1):
        raise StatementError("pred(false) and succ(true) do not exist")
    return bool(number)


def upper(char: str) -> str:
    """``upcase(char)``, for the letters a to z."""
    return char.upper() if "a" <= char <= "z" else char


# -------------------------------------------------------------------- structures and strings


def copied(value: list[object]) -> list[object]:
    """A deep copy of an array or record."""
    return [copied(each) if each.__class__ is list else each for each in value]


def characters(text: str, length: int) -> list[str]:
    """A string as an array of characters."""
    if len(text) != length:
        raise StatementError(f"the array holds {length} characters, but '{text[:40]}' has {len(text)}")
    return list(text)


def char_at(text: str, place: int) -> str:
    """``text[place]``."""
    if not 1 <= place <= len(text):
        raise StatementError(f"index {place} is outside the string, which has {len(text)} characters")
    return text[place - 1]


def with_char(text: str, place: int, char: str) -> str:
    """A string with one character replaced."""
    char_at(text, place)
    return text[: place - 1] + char + text[place:]


def part(text: str, first: int, count: int) -> str:
    """``copy(text, first, count)``."""
    first = max(first, 1)
    return text[first - 1 : first - 1 + max(count, 0)]


def inserted(what: str, text: str, place: int) -> str:
    """The result of ``insert(what, text, place)``."""
    place = min(max(place, 1), len(text) + 1) - 1
    return text[:place] + what + text[place:]


def deleted(text: str, first: int, count: int) -> str:
    """The result of ``delete(text, first, count)``."""
    if first < 1 or count <= 0:
        return text
    return text[: first - 1] + text[first - 1 + count :]


def values(low: Scalar, high: Scalar) -> list[Scalar]:
    """The values of a range in a set constructor."""
    if number_of(high) - number_of(low) >= LARGEST_SET:
        raise StatementError(
            f"the range {low}..{high} is too large for a set, which holds at most {LARGEST_SET} values"
        )
    return values_between(low, high)


def set_in_range(
    value: frozenset[Scalar], low: Scalar, high: Scalar, limits: str, names: tuple[str, ...]
) -> frozenset[Scalar]:
    """A set whose elements must be in the range of the variable it is assigned to."""
    for each in sorted(value, key=number_of):
        if not number_of(low) <= number_of(each) <= number_of(high):
            out_of_range(each if isinstance(each, str) else int(each), limits, names)
    return value


def read_integer(text: str, low: int, high: int) -> tuple[int, int]:
    """``val`` for an integer: the number and 0, or 0 and the position of the first wrong character."""
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
    if body and all(each in "+-.0123456789eE" for each in body):
        try:
            return float(body), 0
        except ValueError:
            pass
    return 0.0, _wrong(text)


def _wrong(text: str) -> int:
    """The position of the first character that cannot be part of a number."""
    for place, each in enumerate(text, 1):
        if each not in "+-.0123456789eE$ " or (each in "+-" and place > 1 and text[place - 2] not in " eE"):
            return place
    return len(text) + 1


# -------------------------------------------------------------------- printing
# As in Turbo Pascal: values are padded on the left, and strings are never cut.

WIDEST: Final = 255
_HALVES: Final = ROUND_HALF_UP
"""Halves are rounded away from zero (ISO 7185, 6.9.3.4); Python's own formats round them to the even digit."""
_EXACT: Final = Context(400, _HALVES)
"""Holds every digit of a real with 40 decimals."""


def padded(text: str, width: int) -> str:
    """Right-align text in a number of columns."""
    if width > WIDEST:
        raise StatementError(f"a width of {width} is too large: the limit is {WIDEST} columns")
    return text.rjust(width)


def boolean(value: bool) -> str:
    """TRUE or FALSE."""
    return "TRUE" if value else "FALSE"


def real(value: float, width: int = 17) -> str:
    """Format a real without decimals: a mantissa that fills the width, and an exponent of two or more digits."""
    if not math.isfinite(value):
        return padded("Inf" if value > 0 else "-Inf" if value < 0 else "NaN", width)
    exponent = max(2, len(f"{value:e}".partition("e")[2]) - 1)
    digits = min(max(width - 5 - exponent, 1), 15)
    # A Decimal zero would be formatted with an exponent that depends on its precision.
    cut = Context(digits + 1, _HALVES).create_decimal(value) if value else value
    mantissa, _, power = f"{cut: .{digits}e}".partition("e")
    return padded(f"{mantissa}E{power[0]}{power[1:].zfill(2)}", width)


def fixed(value: float, width: int, decimals: int) -> str:
    """Format a real with a number of decimals."""
    if not math.isfinite(value):
        return real(value, width)
    if not 0 <= decimals <= 40:
        raise StatementError(f"{decimals} decimals are not possible: use 0..40")
    return padded(f"{Decimal(value).quantize(Decimal(1).scaleb(-decimals), context=_EXACT):f}", width)


HELPERS: Final[dict[str, object]] = {
    "_range": out_of_range, "_beyond": no_element, "_overflow": overflow, "_within": within,
    "_div": divide, "_mod": modulo, "_over": over,
    "_shl": shift_left, "_shr": shift_right, "_swap": swapped, "_trunc": truncate, "_round": rounded,
    "_too_large": too_large, "_sqrt": root, "_ln": logarithm, "_exp": exponential,
    "_sin": math.sin, "_cos": math.cos, "_arctan": math.atan, "_chr": character, "_copied": copied,
    "_characters": characters, "_char_at": char_at, "_with_char": with_char, "_part": part, "_inserted": inserted,
    "_deleted": deleted, "_values": values, "_set_range": set_in_range,
    "_read_integer": read_integer, "_read_real": read_real, "_Halt": Halt,
    "_pad": padded, "_bool": boolean, "_real": real, "_fixed": fixed,
    "_truth": truth, "_upcase": upper, "_int": lambda x: float(math.trunc(x)), "_frac": lambda x: x - math.trunc(x),
}  # fmt: skip
"""The functions that translated programs call, by name."""


MAX_RECURSION: Final = 2000
"""The maximum nesting depth of calls of recursive routines."""
_LONGEST_LINE: Final = 10_000

External = Callable[..., object]


class ProgramRun:
    """One run of a program.

    Args:
        echo: called with each line the program prints.
        externals: the external routines by name.
        results: the results of external functions that nothing provides.
    """

    def __init__(
        self, echo: Callable[[str], None], externals: Mapping[str, External], results: Mapping[str, object]
    ) -> None:
        self._echo = echo
        self._externals = externals
        self._results = results
        self._line = ""
        self._depth = 0
        self._stream: Random | None = None

    def write(self, *pieces: str) -> None:
        """WRITE."""
        self._line += "".join(pieces)
        if len(self._line) > _LONGEST_LINE:
            self.writeln()

    def writeln(self, *pieces: str) -> None:
        """WRITELN: print the line."""
        line, self._line = self._line + "".join(pieces), ""
        if in_program():
            process = current_process()
            process.kernel.journal.write("prints", process.name, text=line)
        self._echo(line)

    def end(self) -> None:
        """Print the rest of the last line when the program ends."""
        if self._line:
            self.writeln()

    def read(self) -> NoReturn:
        """READ and READLN: a cell has no keyboard."""
        raise StatementError("READ and READLN have no input to read", "use inputs or constants instead")

    def random(self, below: int | None = None) -> int | float:
        """RANDOM, from the program's own random stream."""
        if self._stream is None:
            self._stream = current_process().kernel.random(current_process().name) if in_program() else Random(0)
        if below is None:
            return self._stream.random()
        if below < 1:
            raise StatementError(f"random({below}): the argument must be 1 or more")
        return self._stream.randrange(below)

    def enter(self, routine: str) -> None:
        """Count the start of a recursive routine."""
        self._depth += 1
        if self._depth > MAX_RECURSION:
            raise StatementError(f"call {self._depth} of {routine}: more than {MAX_RECURSION} nested calls")

    def leave(self) -> None:
        """Count the end of a recursive routine."""
        self._depth -= 1

    def external(self, name: str) -> External:
        """An external routine. If nothing provides it, it is a stub: it does nothing, and the journal reports it."""
        found = self._externals.get(name)
        return found if found is not None else self._stub(name)

    def _stub(self, name: str) -> External:
        reported = False

        def stub(*arguments: object) -> object:
            nonlocal reported
            if not reported and in_program():
                reported = True
                process = current_process()
                process.kernel.journal.write("stub", process.name, routine=name, line=process.where().line)
            return self._results.get(name)

        return stub
