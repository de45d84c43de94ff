"""From the measured quantity to the published value: transfer laws, noise, output and response."""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

from drycell.base import (
    Amount,
    FieldError,
    Many,
    Measure,
    Name,
    PlainValue,
    Problem,
    Quantity,
    Ratio,
    Several,
    Thing,
    UnitError,
    UnknownName,
    did_you_mean,
    mm,
    parse,
)

if TYPE_CHECKING:
    from drycell.sensors.model import SensorModel
    from drycell.sensors.reading import Reading


@dataclass(frozen=True)
class Law:
    """A published number as a function of the measured quantity (SI), with its valid range.

    Nothing is measured above ``most``. Below ``least`` the value at ``least`` is used, and values are limited to
    ``lowest``…``highest``, unless the output does not clip.
    """

    of: Callable[[float], float]
    least: float = 0.0
    most: float = math.inf
    lowest: float = -math.inf
    highest: float = math.inf
    source: str = ""

    def value(self, quantity: float, clip: bool = True) -> float | None:
        """The number for a quantity; None outside the range of the law."""
        if quantity > self.most or (quantity < self.least and not clip):
            return None
        number = self.of(max(quantity, self.least))
        if clip:
            return min(max(number, self.lowest), self.highest)
        return number if self.lowest <= number <= self.highest else None


def _frank2(distance: float) -> float:
    # Table 14 and appendix C of the thesis; d in centimetres. Below 33.5 cm it exceeds 4095, the 12-bit maximum.
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
        source="before the converter: 0 to 10 V",
    ),
}


def register_law(name: str, law: Law) -> None:
    """Register a law that outputs can use by name. Raises FieldError if the name is taken by another law."""
    if _LAWS.get(name, law) != law:
        raise FieldError(f"another law {name!r} already exists", hint="use a different name")
    _LAWS[name] = law


def law_named(name: str) -> Law:
    """The law with a name."""
    if name not in _LAWS:
        raise UnknownName("transfer law", name, _LAWS)
    return _LAWS[name]


def law_names() -> list[str]:
    """The names of all laws."""
    return sorted(_LAWS)


Spread = Annotated[float, Measure(("length", "force", "torque"), least=0.0)]
Shift = Annotated[float, Measure(("length", "force", "torque"))]
Share = Annotated[float, Quantity("ratio", least=0.0)]


class Noise(Thing):
    """``gain`` × true value + ``offset`` + a normal deviate with ``sigma`` + a uniform one within ± ``uniform``."""

    sigma: Spread = 0.0
    """Standard deviation."""
    share: Share = 0.0
    """Standard deviation relative to the true value: 0.01 is 1 %."""
    uniform: Spread = 0.0
    """Half width of a uniform deviation."""
    offset: Shift = 0.0
    """Constant error."""
    gain: Ratio = 1.0
    """Factor on the true value."""

    @property
    def random(self) -> bool:
        """Whether samples of a constant value differ."""
        return bool(self.sigma or self.share or self.uniform)

    def disturbed(self, true: float, seed: int, name: str, index: int) -> float:
        """The value that a sensor with this name measures at the sample with this number."""
        value = self.gain * true + self.offset
        if self.random:
            normal, even = deviates(seed, name, index)
            value += (self.sigma + self.share * abs(true)) * normal + self.uniform * even
        return value


def deviates(seed: int, name: str, index: int) -> tuple[float, float]:
    """A normal deviate and a uniform one in −1…1, which depend only on the sample."""
    digest = sha256(f"{seed}/noise {name}/{index}".encode()).digest()
    u, v, w = ((int.from_bytes(digest[k : k + 8], "big") >> 11) * 2.0**-53 for k in (0, 8, 16))
    # Box and Muller; 1 - u is never 0.
    return math.sqrt(-2.0 * math.log(1.0 - u)) * math.cos(2.0 * math.pi * v), 2.0 * w - 1.0


Kind = Literal["boolean", "integer", "real"]
Value = bool | int | float
_MEASURED = Measure(("length", "force", "torque"))
_NUMBER = Quantity("ratio")
Measured = Annotated[float, _MEASURED]
Limits = Annotated[tuple[float, float], Several((_MEASURED,) * 2, "[0 mm, 500 mm]")]
Numbers = Annotated[tuple[float, float], Several((_NUMBER,) * 2, "[0, 255]")]
Rows = Annotated[tuple[tuple[float, float], ...], Many(Several((_MEASURED, _NUMBER), "[100 mm, 2.3]"))]


class Output(Thing):
    """The published value, and how it follows from the measured quantity.

    A number is the quantity itself, or the result of one transfer function: linear ``from`` … ``to``, a ``table`` or a
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
    """Name of a transfer function in Python."""
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
    """Unit of the published value; SI by default."""
    clip: bool = True
    """Whether values beyond the transfer function are clipped; otherwise they are not detected."""

    def problems(self) -> Iterable[Problem]:
        """Yield problems: there can be at most one transfer function, with increasing quantities."""
        ways = [name for name in ("from", "table", "law") if getattr(self, "from_" if name == "from" else name)]
        if len(ways) > 1:
            yield Problem(
                (ways[1],), f"{len(ways)} transfer functions are given ({', '.join(ways)})", "keep one of them"
            )
        if (self.from_ is None) != (self.to is None):
            given = "from" if self.to is None else "to"
            yield Problem((given,), "'from' and 'to' need each other", "write from: [0 mm, 500 mm], to: [0, 255]")
        if self.from_ is not None and not self.from_[0] < self.from_[1]:
            what = f"'from' goes from {self.from_[0]:g} to {self.from_[1]:g}, but must increase"
            yield Problem(("from",), what, "to reverse the scale, reverse 'to'")
        places = [place for place, _ in self.table]
        if self.table and (len(places) < 2 or places != sorted(set(places))):
            yield Problem(
                ("table",), "a table needs at least two rows, increasing in the first column", "sort the rows"
            )
        for name in ("on", "off", "default"):
            if isinstance(getattr(self, name), str):
                what = f"expected a number, true or false, not {getattr(self, name)!r}"
                yield Problem((name,), what, "write for example 5.0, without a unit; the unit goes into 'unit'")
        if self.law is not None and self.law not in law_names():
            yield Problem(("law",), f"unknown transfer law {self.law!r}", did_you_mean(self.law, law_names()))

    @property
    def transfers(self) -> bool:
        """Whether there is a transfer function."""
        return self.from_ is not None or bool(self.table) or self.law is not None

    def transferred(self, quantity: float) -> float | None:
        """The number for a quantity; None outside the range of the transfer function."""
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
        """The SI value of one published unit, for an output without a transfer function."""
        if self.transfers or not self.unit:
            return 1.0
        return _scale(self.unit, dimension)

    def formatted(self, number: float, kind: Kind) -> Value:
        """A number in the format of the output. Integers round half away from zero, as in the thesis.

        Reals keep nine decimals, so that the last bits, which depend on the processor, are not published.
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


class SensorAnswer(NamedTuple):
    """The published value, and whether the sensor is on (for the hysteresis of the next sample)."""

    value: Value
    on: bool


def respond(model: "SensorModel", quantity: float | None, detects: bool, was_on: bool = False) -> SensorAnswer:
    """The response to a measured quantity (None if nothing is detected), or to whether something is detected."""
    output = model.output
    if model.type in ("proximity", "contact"):
        return SensorAnswer(switched(model, detects), detects)
    if model.limited:
        on = quantity is not None and _within(model, quantity, was_on)
        return SensorAnswer(switched(model, on), on)
    if model.kind == "boolean":
        return SensorAnswer(switched(model, quantity is not None), quantity is not None)
    number = None if quantity is None else output.transferred(quantity)
    if number is None:
        return SensorAnswer(nothing(model), False)
    return SensorAnswer(output.formatted(number / output.scale(model.dimension), model.kind), True)


def sampled(
    model: "SensorModel", reading: "Reading", seed: int, name: str, index: int, was_on: bool = False
) -> SensorAnswer:
    """The published value for a reading at the sample with this number, including noise and resolution."""
    return respond(model, disturbed(model, reading.quantity, seed, name, index), reading.on, was_on)


def disturbed(model: "SensorModel", quantity: float | None, seed: int, name: str, index: int) -> float | None:
    """The measured quantity at a sample: with noise, then rounded to the resolution."""
    if quantity is None:
        return None
    found = model.noise.disturbed(quantity, seed, name, index)
    if model.quantum:
        found = math.copysign(math.floor(abs(found) / model.quantum + 0.5) * model.quantum, found)
    return max(found, 0.0) if model.type == "range" else found


def switched(model: "SensorModel", on: bool) -> Value:
    """The published value of a switch: the output's own values for on and off, or true and false in its format."""
    output = model.output
    off = output.off if output.off is not None else output.default
    chosen = output.on if on else off
    if chosen is None or isinstance(chosen, str):
        chosen = on
    if model.kind == "boolean" and isinstance(output.on, float):
        return float(chosen)  # one signal publishes both values, so 5.0 and 0 both become reals
    return _number(model, chosen)


def nothing(model: "SensorModel") -> Value:
    """The published value when nothing is detected: the default, or the value at full range."""
    output = model.output
    if output.default is not None and not isinstance(output.default, str):
        return _number(model, output.default)
    far = max(model.probe.reaches, default=0.0) if model.type == "range" else 0.0
    number = output.transferred(far)
    return output.formatted((number or 0.0) / output.scale(model.dimension), model.kind)


def _number(model: "SensorModel", value: bool | int | float) -> Value:
    """A value from the description, as a real or integer according to the output."""
    if model.kind == "boolean":
        return value
    return int(value) if model.kind == "integer" and float(value).is_integer() else float(value)


def _within(model: "SensorModel", quantity: float, was_on: bool) -> bool:
    """Whether a quantity is within the limits; if it was before, the hysteresis widens them."""
    output, wider = model.output, model.hysteresis if was_on else 0.0
    ratio = isinstance(model.hysteresis, Amount) and model.hysteresis.dimension == "ratio"
    low = -math.inf if output.above is None else output.above - (wider * abs(output.above) if ratio else wider)
    high = math.inf if output.below is None else output.below + (wider * abs(output.below) if ratio else wider)
    return low <= quantity <= high
