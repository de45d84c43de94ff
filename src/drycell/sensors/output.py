"""Output: from what a sensor has measured to what it publishes, in the format of the real device."""

import math
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, Literal

from drycell.base import (
    FieldError,
    Many,
    Measure,
    Name,
    PlainValue,
    Problem,
    Quantity,
    Several,
    Thing,
    UnitError,
    did_you_mean,
    parse,
)
from drycell.sensors.laws import law_named, law_names

Kind = Literal["boolean", "integer", "real"]
Value = bool | int | float
_MEASURED = Measure(("length", "force", "torque"))
_NUMBER = Quantity("ratio")
Measured = Annotated[float, _MEASURED]
Limits = Annotated[tuple[float, float], Several((_MEASURED,) * 2, "[0 mm, 500 mm]")]
Numbers = Annotated[tuple[float, float], Several((_NUMBER,) * 2, "[0, 255]")]
Rows = Annotated[tuple[tuple[float, float], ...], Many(Several((_MEASURED, _NUMBER), "[100 mm, 2.3]"))]


class Output(Thing):
    """What is published, and how it follows from the measured quantity.

    A number is the quantity itself, or goes through one transfer function: linear ``from`` … ``to``, a ``table`` or a
    ``law``. A boolean is on while something is measured, or while the quantity is ``below`` or ``above`` a limit.
    """

    kind: Kind | None = None
    """Format: ``boolean``, ``integer`` or ``real``; a switch is boolean by default, everything else real."""
    from_: Limits | None = None
    """Two measured quantities that become the two numbers under ``to``; between them the output is linear."""
    to: Numbers | None = None
    """The numbers published for the two quantities under ``from``."""
    table: Rows = ()
    """Rows of a quantity and the number published for it; linear between the rows."""
    law: Name | None = None
    """Name of a transfer function written in Python."""
    below: Measured | None = None
    """On while the quantity is below this limit."""
    above: Measured | None = None
    """On while the quantity is above this limit."""
    on: PlainValue | None = None
    """Published in place of true, such as 5.0."""
    off: PlainValue | None = None
    """Published in place of false, such as 0.0."""
    default: PlainValue | None = None
    """Published when nothing is detected; it does not go through the transfer function."""
    unit: str = ""
    """Unit of what is published; SI by default."""
    clip: bool = True
    """Whether the ends of the transfer function hold beyond it; otherwise what is out of range is not detected."""

    def problems(self) -> Iterable[Problem]:
        """At most one transfer function, which rises; and numbers where numbers are published."""
        ways = [name for name in ("from", "table", "law") if getattr(self, "from_" if name == "from" else name)]
        if len(ways) > 1:
            yield Problem(
                (ways[1],), f"{len(ways)} transfer functions are given ({', '.join(ways)})", "keep one of them"
            )
        if (self.from_ is None) != (self.to is None):
            given = "from" if self.to is None else "to"
            yield Problem((given,), "'from' and 'to' go together", "write from: [0 mm, 500 mm], to: [0, 255]")
        if self.from_ is not None and not self.from_[0] < self.from_[1]:
            what = f"'from' goes from {self.from_[0]:g} to {self.from_[1]:g}, must rise"
            yield Problem(("from",), what, "to turn the scale round, turn 'to' round")
        places = [place for place, _ in self.table]
        if self.table and (len(places) < 2 or places != sorted(set(places))):
            yield Problem(("table",), "a table needs two rows or more, rising in the first column", "sort the rows")
        for name in ("on", "off", "default"):
            if isinstance(getattr(self, name), str):
                what = f"a number, true or false is wanted, but this is {getattr(self, name)!r}"
                yield Problem((name,), what, "write for example 5.0, without a unit; the unit goes into 'unit'")
        if self.law is not None and self.law not in law_names():
            yield Problem(("law",), f"there is no transfer law {self.law!r}", did_you_mean(self.law, law_names()))

    @property
    def transfers(self) -> bool:
        """Whether there is a transfer function."""
        return self.from_ is not None or bool(self.table) or self.law is not None

    def transferred(self, quantity: float) -> float | None:
        """The number a quantity becomes; None if it is out of the transfer function's range."""
        if self.law is not None:
            return law_named(self.law).value(quantity, self.clip)
        rows = self.table
        if self.from_ is not None and self.to is not None:
            rows = ((self.from_[0], self.to[0]), (self.from_[1], self.to[1]))
        if not rows:
            return quantity
        if not rows[0][0] <= quantity <= rows[-1][0]:
            return None if not self.clip else rows[0][1] if quantity < rows[0][0] else rows[-1][1]
        above = min(max(bisect_right([place for place, _ in rows], quantity), 1), len(rows) - 1)
        (a, low), (b, high) = rows[above - 1], rows[above]
        return low + (high - low) * (quantity - a) / (b - a)

    def scale(self, dimension: str) -> float:
        """How many SI units one published unit is, for what is published without a transfer function."""
        if self.transfers or not self.unit:
            return 1.0
        return _scale(self.unit, dimension)

    def formatted(self, number: float, kind: Kind) -> Value:
        """A number in the format of the output: integers round half away from zero, as the thesis's roundoff.

        Reals keep nine decimals, so that the last bits of a processor's arithmetic are not published.
        """
        if kind == "boolean":
            return bool(number)
        if kind == "integer":
            return int(math.copysign(math.floor(abs(number) + 0.5), number))
        return round(number, 9) + 0.0


@lru_cache(maxsize=256)
def _scale(unit: str, dimension: str) -> float:
    try:
        return parse(f"1 {unit}", dimension)
    except UnitError as error:
        raise FieldError(f"unit {unit!r}: {error.what}", hint=error.hint) from None
