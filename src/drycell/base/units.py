"""Units as multipliers on SI, and quantities read from and written as text.

Inside drycell every number is SI: metres, radians, seconds, newtons. In Python, write ``150*mm/s``
and ``90*deg``; in files, write ``"150 mm/s"``, which :func:`parse` reads and :func:`render` writes.

>>> from drycell import N, deg, hour, inch, kg, m, minute, mm, ms, rad, s
>>> 150*mm/s  # metres per second
0.15
>>> 1*inch == 25.4*mm, 1*m == 1000*mm
(True, True)
>>> round(180*deg / rad, 4)
3.1416
>>> 1.5*hour / minute, 250*ms / s
(90.0, 0.25)
>>> 2*kg * 9.81 * m/s**2 / N
19.62
"""

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Final

from drycell.base.errors import UnitError

m: Final = 1.0
mm: Final = 1e-3
um: Final = 1e-6
inch: Final = 0.0254

rad: Final = 1.0
deg: Final = math.pi / 180.0

s: Final = 1.0
ms: Final = 1e-3
us: Final = 1e-6
minute: Final = 60.0
hour: Final = 3600.0

kg: Final = 1.0
gram: Final = 1e-3
N: Final = 1.0
Nm: Final = 1.0
Hz: Final = 1.0
V: Final = 1.0
percent: Final = 0.01

# A dimension is the exponents of (length, angle, time, mass, volt). Angle is separate so that
# "90 mm" for a joint or "3 deg" for a length is refused.
_Dimension = tuple[int, int, int, int, int]
_ATOMS: Final[dict[str, tuple[float, _Dimension]]] = {
    "m": (1.0, (1, 0, 0, 0, 0)),
    "mm": (1e-3, (1, 0, 0, 0, 0)),
    "cm": (1e-2, (1, 0, 0, 0, 0)),
    "um": (1e-6, (1, 0, 0, 0, 0)),
    "µm": (1e-6, (1, 0, 0, 0, 0)),  # the micro sign
    "μm": (1e-6, (1, 0, 0, 0, 0)),  # the Greek letter, which looks the same
    "in": (0.0254, (1, 0, 0, 0, 0)),
    "rad": (1.0, (0, 1, 0, 0, 0)),
    "deg": (math.pi / 180.0, (0, 1, 0, 0, 0)),
    "°": (math.pi / 180.0, (0, 1, 0, 0, 0)),
    "s": (1.0, (0, 0, 1, 0, 0)),
    "ms": (1e-3, (0, 0, 1, 0, 0)),
    "us": (1e-6, (0, 0, 1, 0, 0)),
    "min": (60.0, (0, 0, 1, 0, 0)),
    "h": (3600.0, (0, 0, 1, 0, 0)),
    "kg": (1.0, (0, 0, 0, 1, 0)),
    "g": (1e-3, (0, 0, 0, 1, 0)),
    "N": (1.0, (1, 0, -2, 1, 0)),
    "Nm": (1.0, (2, 0, -2, 1, 0)),
    "Pa": (1.0, (-1, 0, -2, 1, 0)),
    "kPa": (1e3, (-1, 0, -2, 1, 0)),
    "bar": (1e5, (-1, 0, -2, 1, 0)),
    "Hz": (1.0, (0, 0, -1, 0, 0)),
    "V": (1.0, (0, 0, 0, 0, 1)),
    "%": (0.01, (0, 0, 0, 0, 0)),
}

DIMENSIONS: Final[dict[str, tuple[_Dimension, str]]] = {
    "length": ((1, 0, 0, 0, 0), "150 mm"),
    "angle": ((0, 1, 0, 0, 0), "90 deg"),
    "time": ((0, 0, 1, 0, 0), "2.5 s"),
    "speed": ((1, 0, -1, 0, 0), "150 mm/s"),
    "acceleration": ((1, 0, -2, 0, 0), "2 m/s^2"),
    "jerk": ((1, 0, -3, 0, 0), "20 m/s^3"),
    "angular speed": ((0, 1, -1, 0, 0), "90 deg/s"),
    "angular acceleration": ((0, 1, -2, 0, 0), "400 deg/s^2"),
    "angular jerk": ((0, 1, -3, 0, 0), "4000 deg/s^3"),
    "mass": ((0, 0, 0, 1, 0), "0.5 kg"),
    "density": ((-3, 0, 0, 1, 0), "7850 kg/m^3"),
    "force": ((1, 0, -2, 1, 0), "10 N"),
    "torque": ((2, 0, -2, 1, 0), "2 Nm"),
    "pressure": ((-1, 0, -2, 1, 0), "60 kPa"),
    "stiffness": ((0, 0, -2, 1, 0), "100 N/mm"),
    "frequency": ((0, 0, -1, 0, 0), "10 Hz"),
    "voltage": ((0, 0, 0, 0, 1), "5 V"),
    "ratio": ((0, 0, 0, 0, 0), "0.5 %"),
}

# Units to write each dimension in: the first that reproduces the exact float is used; the last always does.
_WRITTEN: Final[dict[str, tuple[str, ...]]] = {
    "length": ("mm", "m"),
    "angle": ("deg", "rad"),
    "time": ("h", "min", "ms", "s"),
    "speed": ("mm/s", "m/s"),
    "acceleration": ("m/s^2",),
    "jerk": ("m/s^3",),
    "angular speed": ("deg/s", "rad/s"),
    "angular acceleration": ("deg/s^2", "rad/s^2"),
    "angular jerk": ("deg/s^3", "rad/s^3"),
    "mass": ("kg",),
    "density": ("kg/m^3",),
    "force": ("N",),
    "torque": ("Nm",),
    "pressure": ("kPa", "Pa"),
    "stiffness": ("N/mm", "N/m"),
    "frequency": ("Hz",),
    "voltage": ("V",),
    "ratio": ("",),
}

_QUANTITY: Final = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(\S.*?)?\s*\Z", re.ASCII)
_ATOM: Final = re.compile(r"([A-Za-zµμ°%]+)(?:\^?([1-3]))?\Z")
_SLASH: Final = re.compile(r"\s*/\s*")


def parse(text: str, dimension: str) -> float:
    """Return the SI value of a quantity such as ``"150 mm/s"``.

    Args:
        text: A number and a unit.
        dimension: The dimension that the unit must have, such as ``"speed"``.

    Raises:
        UnitError: if the text is not a quantity of this dimension.
    """
    wanted, example = DIMENSIONS[dimension]
    kind = with_article(dimension)
    match = _QUANTITY.match(text) if len(text) <= 100 else None
    if match is None:
        raise UnitError(f"{text[:40]!r} is not {kind}", hint=f"write a number and a unit, such as {example!r}")
    number, unit = match.groups()
    if unit is None:
        factor, found = 1.0, (0, 0, 0, 0, 0)
        if dimension != "ratio":
            raise UnitError(f"{text!r} has no unit, but {kind} needs one", hint=f"write for example {example!r}")
    elif unit[0] in ",'_0123456789.":
        raise UnitError(f"{text!r} is not {kind}", hint=f"write one number with a decimal point, as in {example!r}")
    else:
        try:
            factor, found = _unit(unit)
        except KeyError as unknown:
            known = ", ".join(name for name, (_, has) in _ATOMS.items() if _fits(has, wanted) and name.isascii())
            raise UnitError(
                f"unknown unit {unknown.args[0]!r} in {text!r}",
                hint=f"write for example {example!r}; units are {known}",
            ) from None
    if found != wanted:
        raise UnitError(f"{text!r} is not {kind}", hint=f"write for example {example!r}")
    value = float(number) * factor
    if not math.isfinite(value):
        raise UnitError(f"{text!r} is too large for a number", hint=f"write for example {example!r}")
    return value


_IN_PYTHON: Final = {"torque": "2*N*m", "frequency": "10/s", "voltage": "5.0", "ratio": "0.005"}


def python_example(dimension: str) -> str:
    """Return an example of a quantity as Python code: ``150*mm/s``."""
    return _IN_PYTHON.get(dimension) or DIMENSIONS[dimension][1].replace(" ", "*").replace("^", "**")


def with_article(dimension: str) -> str:
    """Return a dimension with its article: ``a length``, ``an angle``."""
    return f"{'an' if dimension[0] in 'aeiou' else 'a'} {dimension}"


def _fits(part: _Dimension, whole: _Dimension) -> bool:
    """Return whether a unit can be part of a quantity: it has its dimension, or is one of its base units."""
    return part == whole or (sorted(part) == [0, 0, 0, 0, 1] and any(p and w for p, w in zip(part, whole, strict=True)))


def _unit(unit: str) -> tuple[float, _Dimension]:
    factor, exponents = 1.0, [0, 0, 0, 0, 0]
    for position, part in enumerate(_SLASH.split(unit)):
        match = _ATOM.match(part)
        name = match.group(1) if match else part
        if match is None or name not in _ATOMS:
            raise KeyError(part)
        power = int(match.group(2) or 1) * (1 if position == 0 else -1)
        scale, dimension = _ATOMS[name]
        factor *= scale**power
        exponents = [have + power * more for have, more in zip(exponents, dimension, strict=True)]
    return factor, (exponents[0], exponents[1], exponents[2], exponents[3], exponents[4])


@lru_cache(None)
def pattern(dimension: str) -> str:
    """Return a regular expression, for editors, that matches the quantities of a dimension.

    It covers quotients of two units, and of three units if the last two are times, such as ``m/s/s``.
    """
    named: dict[_Dimension, list[str]] = {}
    for name, (_, exponents) in _ATOMS.items():
        if any(exponents):
            named.setdefault(exponents, []).append(name)
    powers = [(each, power) for each in named for power in (1, 2, 3)]
    times = [(each, power) for each, power in powers if each == DIMENSIONS["time"][0]]
    shapes = [*product(powers), *product(powers, powers), *product(powers, times, times)]
    units = [shape for shape in shapes if _exponents(shape) == DIMENSIONS[dimension][0]]
    texts = [r"\s*/\s*".join(_power(named[each], power) for each, power in shape) for shape in units]
    number, unit = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", "|".join(texts)
    return rf"^\s*{number}\s*(%|{unit})?\s*$" if dimension == "ratio" else rf"^\s*{number}\s*({unit})\s*$"


def _exponents(parts: Sequence[tuple[_Dimension, int]]) -> tuple[int, ...]:
    """The dimension of the first unit divided by the others."""
    signed = [(each, power if index == 0 else -power) for index, (each, power) in enumerate(parts)]
    return tuple(sum(each[axis] * power for each, power in signed) for axis in range(5))


def _power(names: Sequence[str], power: int) -> str:
    return f"({'|'.join(names)})" + (r"(\^?1)?" if power == 1 else rf"\^?{power}")


def render(value: float, dimension: str) -> str:
    """Format a quantity with a suitable unit; :func:`parse` returns exactly the same float."""
    if not math.isfinite(value):
        raise UnitError(
            f"{value} cannot be written as a quantity", hint=f"write for example {DIMENSIONS[dimension][1]!r}"
        )
    texts = []
    for unit in _WRITTEN[dimension]:
        factor = _unit(unit)[0] if unit else 1.0
        number = f"{value / factor:.12g}"
        if "e" not in number and float(number) * factor == value:
            texts.append(f"{number} {unit}".rstrip())
    if not texts:
        inches = f"{value / inch:.12g}"  # if metres would need sixteen digits
        if dimension == "length" and "e" not in inches and float(inches) * inch == value:
            return f"{inches} in"
        return f"{value!r} {_WRITTEN[dimension][-1]}".rstrip()
    # Durations range from milliseconds to hours: people write the shortest text.
    return min(texts, key=len) if dimension == "time" else texts[0]


def format_length(metres: float, digits: int = 3) -> str:
    """Format a length for people, never as a negative zero: ``12.500 mm``."""
    return f"{_rounded(metres / mm, digits):.{digits}f} mm"


def format_angle(radians: float) -> str:
    """Format an angle for people: ``45.0 deg``."""
    return f"{_rounded(radians / deg, 1):.1f} deg"


def format_time(seconds: float) -> str:
    """Format a duration for people: ``3.250 s``, ``12 min 04.2 s``, ``8 h 00 min``."""
    if round(seconds, 3) < minute:
        return f"{_rounded(seconds, 3):.3f} s"
    if round(seconds, 1) < hour:
        whole, rest = divmod(round(seconds, 1), 60)
        return f"{int(whole)} min {rest:04.1f} s"
    whole, rest = divmod(round(seconds / 60), 60)
    return f"{int(whole)} h {int(rest):02d} min"


def _rounded(value: float, digits: int) -> float:
    return round(value, digits) + 0.0  # adding zero makes -0.0 a plain 0.0
