"""Formats times, quantities and paths for the page."""

import math
from pathlib import Path
from typing import Final

TICKS: Final = 1_000_000  # a second
_SCALES: Final = {
    "m": ((1e3, "mm"),),
    "rad": ((180.0 / math.pi, "°"),),
    "kg": ((1.0, "kg"), (1e3, "g")),
    "m³": ((1e3, "dm³"), (1e6, "cm³")),
    "s": ((1.0, "s"), (1e3, "ms")),
    "m/s": ((1e3, "mm/s"),),
}


def clock_text(ticks: int, digits: int = 3) -> str:
    """A time such as ``2:04.200`` or, from an hour on, ``1:02:04.200``."""
    unit = TICKS // 10**digits
    whole, rest = divmod(ticks // unit, 10**digits)
    minutes, seconds = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{rest:0{digits}d}" if digits else ""
    if hours:
        return f"{hours}:{minutes:02d}:{seconds:02d}{fraction}"
    return f"{minutes}:{seconds:02d}{fraction}"


def factor_text(factor: float | None) -> str:
    """``0.25 ×``, or ``max`` for as fast as possible."""
    return "max" if factor is None else f"{factor:g} ×"


def quantity(value: object, unit: str = "", digits: int | None = None) -> str:
    """A value with its unit; ``digits`` are decimals. ``quantity(0.125, "m")`` is ``125.00 mm``."""
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


def short_path(path: Path) -> str:
    """A short path for display: relative to the working folder, or its last two parts."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else "/".join(path.parts[-2:])


def typed_path(path: Path) -> str:
    """A path that can be typed: relative to the working folder if possible, otherwise absolute."""
    return short_path(path) if path.is_relative_to(Path.cwd()) else str(path)
