"""Checks of the arguments of shapes: an error names the argument, its value and what to try."""

import math
from collections.abc import Sequence

from drycell.base import GeometryError, Vector, format_length

LARGEST = 1e6  # metres; beyond this, a double no longer resolves a nanometre, and the units are probably wrong


def size(kind: str, name: str, value: float, *, zero: bool = False) -> float:
    """Return a length that is finite, positive (or zero if ``zero`` is set) and below 1000 km."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise GeometryError(
            f"{kind}: {name} is {value!r} but must be a length in metres", hint=f"write for example {name}=25*mm"
        ) from None
    if not math.isfinite(number):
        raise GeometryError(f"{kind}: {name} is {number}", hint=f"give {name} as a finite length, as in {name}=25*mm")
    if number < 0 or (number == 0 and not zero):
        wanted = "0 or more" if zero else "more than 0"
        hint = f"use the absolute value, {name}={format_length(-number)}" if number < 0 else "omit the shape"
        raise GeometryError(f"{kind}: {name} is {format_length(number)} but must be {wanted}", hint=hint)
    if number > LARGEST:
        raise GeometryError(
            f"{kind}: {name} is {number:g} m; the limit is {LARGEST:g} m", hint="lengths are metres: write 250*mm"
        )
    return number + 0.0


def point(kind: str, name: str, value: Sequence[float]) -> Vector:
    """Return three finite floats."""
    try:
        x, y, z = (float(v) for v in value)
    except (TypeError, ValueError):
        raise GeometryError(f"{kind}: {name} is {value!r} but must be three numbers", hint="write (x, y, z)") from None
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        raise GeometryError(f"{kind}: {name} is ({x}, {y}, {z}) but must be finite", hint="look for a division by zero")
    return (x, y, z)


def direction(kind: str, name: str, value: Sequence[float]) -> Vector:
    """Return a vector scaled to length 1.

    A vector that already has length 1 is returned unchanged, bit for bit.
    """
    x, y, z = point(kind, name, value)
    square = x * x + y * y + z * z
    if abs(square - 1.0) < 1e-12:
        return (x, y, z)
    length = math.sqrt(square)
    if length < 1e-300:
        raise GeometryError(f"{kind}: {name} has length 0", hint="give a direction, as in (0, 0, -1)")
    return (x / length, y / length, z / length)
