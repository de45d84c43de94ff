"""Laws: transfer functions that have a name, for curves a table would only approximate."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from drycell.base import FieldError, UnknownName, mm


@dataclass(frozen=True)
class Law:
    """A published number as a function of the measured quantity (SI), with the range it holds in.

    Beyond ``most`` nothing is measured. Below ``least`` the value there is kept, and values are held within
    ``lowest``…``highest``, unless the output does not clip.
    """

    of: Callable[[float], float]
    least: float = 0.0
    most: float = math.inf
    lowest: float = -math.inf
    highest: float = math.inf
    source: str = ""

    def value(self, quantity: float, clip: bool = True) -> float | None:
        """The number for a quantity; None where the law does not hold."""
        if quantity > self.most or (quantity < self.least and not clip):
            return None
        number = self.of(max(quantity, self.least))
        if clip:
            return min(max(number, self.lowest), self.highest)
        return number if self.lowest <= number <= self.highest else None


def _frank2(distance: float) -> float:
    # Table 14 and appendix C of the thesis; d in centimetres. It passes 4095 below 33.5 cm, which 12 bits cannot hold.
    return 4095.0 * (math.exp((1.0 - 100.0 * distance / 200.0) ** 2) - 1.0)


_LAWS: Final[dict[str, Law]] = {
    "polaroid-frank2": Law(
        _frank2,
        most=2000 * mm,
        lowest=0.0,
        highest=4095.0,
        source="TAG sensor interface module, 12 bits: 4095 (exp((1 - d/200 cm)²) - 1)",
    ),
    "polaroid-frank2-volts": Law(
        lambda distance: _frank2(distance) * 10.0 / 4095.0,
        most=2000 * mm,
        lowest=0.0,
        highest=10.0,
        source="the same before the converter: 0 to 10 V",
    ),
}


def register_law(name: str, law: Law) -> None:
    """Adds a law that outputs can name. A name stands for one law for good."""
    if _LAWS.get(name, law) != law:
        raise FieldError(f"there is another law {name!r} already", hint="give it a name of its own")
    _LAWS[name] = law


def law_named(name: str) -> Law:
    """The law of a name."""
    if name not in _LAWS:
        raise UnknownName("transfer law", name, _LAWS)
    return _LAWS[name]


def law_names() -> list[str]:
    """All laws there are."""
    return sorted(_LAWS)
