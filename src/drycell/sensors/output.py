"""Output: from what a sensor has measured to what it publishes, in the format of the real device."""

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar, Literal

from drycell.errors import FieldError, UnitError, did_you_mean
from drycell.fields import Measure, Name, Plain, Ratio, Several
from drycell.sensors.laws import law_named, law_names
from drycell.sensors.volume import STRICT
from drycell.units import parse

Kind = Literal["boolean", "integer", "real"]
Value = bool | int | float
Measured = Annotated[float, Measure(("length", "force", "torque"))]
Limits = Annotated[tuple[Measured, Measured], Several(2, "[0 mm, 500 mm]")]
Numbers = Annotated[tuple[Ratio, Ratio], Several(2, "[0, 255]")]
Point = Annotated[tuple[Measured, Ratio], Several(2, "[100 mm, 2.3]")]


@dataclass(frozen=True, kw_only=True)
class Output:
    """What is published, and how it follows from the measured quantity.

    ``kind`` is the format. A number is the quantity itself (in ``unit``, or in SI), or goes through one transfer
    function: linear ``from`` … ``to``, a ``table`` (linear between its rows) or a ``law`` by name; ``clip`` holds it at
    the ends, otherwise what is out of range counts as nothing detected. A boolean is on while something is measured,
    or while the quantity is ``below`` or ``above`` a limit. ``on`` and ``off`` replace true and false, as 5.0 and 0.0.
    ``default`` is published when nothing is detected and never goes through the transfer function.
    """

    __pydantic_config__: ClassVar[Mapping[str, object]] = {
        **STRICT,
        "alias_generator": lambda name: name.removesuffix("_"),
    }
    kind: Kind | None = None
    from_: Limits | None = None
    to: Numbers | None = None
    table: tuple[Point, ...] = ()
    law: Name | None = None
    below: Measured | None = None
    above: Measured | None = None
    on: Plain | None = None
    off: Plain | None = None
    default: Plain | None = None
    unit: str = ""
    clip: bool = True

    def __post_init__(self) -> None:
        ways = [name for name in ("from_", "table", "law") if getattr(self, name)]
        if len(ways) > 1:
            raise FieldError(
                f"output has {len(ways)} transfer functions ({', '.join(ways).replace('_', '')})",
                hint="keep one of them",
            )
        if (self.from_ is None) != (self.to is None):
            raise FieldError("output: 'from' and 'to' go together", hint="write from: [0 mm, 500 mm], to: [0, 255]")
        if self.from_ is not None and not self.from_[0] < self.from_[1]:
            raise FieldError(
                f"output: 'from' goes from {self.from_[0]:g} to {self.from_[1]:g}, must rise",
                hint="to turn the scale round, turn 'to' round",
            )
        places = [place for place, _ in self.table]
        if self.table and (len(places) < 2 or places != sorted(set(places))):
            raise FieldError("output: a table needs two rows or more, rising in the first column", hint="sort the rows")
        for name in ("on", "off", "default"):
            if isinstance(getattr(self, name), str):
                raise FieldError(
                    f"output: {name} is {getattr(self, name)!r}, a number, true or false is wanted",
                    hint="write for example 5.0, without a unit; the unit goes into 'unit'",
                )
        if self.law is not None and self.law not in law_names():
            raise FieldError(f"output: there is no transfer law {self.law!r}", hint=did_you_mean(self.law, law_names()))

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
        raise FieldError(f"output: unit {unit!r}: {error.what}", hint=error.hint) from None
