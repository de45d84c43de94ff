"""Quantities as people read them: millimetres and degrees, grams where kilograms would be all zeros."""

import math
from typing import Final

_SCALES: Final = {
    "m": ((1e3, "mm"),),
    "rad": ((180.0 / math.pi, "°"),),
    "kg": ((1.0, "kg"), (1e3, "g")),
    "m³": ((1e3, "dm³"), (1e6, "cm³")),
    "s": ((1.0, "s"), (1e3, "ms")),
    "m/s": ((1e3, "mm/s"),),
}


def quantity(value: object, unit: str = "", digits: int | None = None) -> str:
    """A value with its unit, to so many digits after the point: ``quantity(0.125, "m")`` is ``125.00 mm``."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "on" if value else "off"
    if not isinstance(value, int | float):
        return str(value)
    scales = _SCALES.get(unit)
    if scales is None:
        text = f"{value:.6g}" if isinstance(value, float) else str(value)
        return f"{text} {unit}".rstrip()
    factor, name = next((each for each in scales if abs(value * each[0]) >= 1.0), scales[-1] if value else scales[0])
    if digits is None:
        digits = 2 if unit in ("m", "rad", "m/s") else 3
    text = f"{value * factor:.{digits}f}"
    if float(text) == 0.0:
        text = text.lstrip("-")  # no "-0.00"
    return f"{text}{'' if name == '°' else ' '}{name}"
