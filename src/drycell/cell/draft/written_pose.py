"""Poses as a cell file writes them: moved to new values in the units they were written in, to a micrometre."""

import math
from collections.abc import Sequence
from typing import Final

from drycell.errors import UnitError
from drycell.fields import Quantity
from drycell.spatial import Pose, Vector
from drycell.units import parse

# Decimals that are kept: a micrometre, and a ten-thousandth of a degree, or finer.
_DECIMALS: Final = {"mm": 3, "m": 6, "cm": 4, "in": 5, "um": 0, "deg": 4, "rad": 7}
_SAME: Final = 1e-9


def written_position(at: Vector, before: Sequence[object] | None = None) -> list[str | int]:
    """A position as a list of texts; what has not changed stays as it was written, z left out if it was."""
    before = list(before or [])
    texts = [
        _written(value, _at(before, index), _unit(before, index, "mm"), "length") for index, value in enumerate(at)
    ]
    return texts[:2] if len(before) == 2 and abs(at[2]) < _SAME else texts


def written_turn(pose: Pose, before: Sequence[object] | None = None) -> list[str | int]:
    """Roll, pitch and yaw as a list of texts; as they were written if the turn is the same."""
    before = list(before or [])
    if len(before) == 3:
        roll, pitch, yaw = (Quantity("angle").read(each) for each in before)
        old = Pose.of_rpy(roll, pitch, yaw)
        if old.distance_to(Pose.of_quaternion(pose.quaternion))[1] < 1e-7:
            return [each if isinstance(each, int) else str(each) for each in before]
    return [
        _written(value, _at(before, index), _unit(before, index, "deg"), "angle")
        for index, value in enumerate(pose.rpy)
    ]


def written_length(value: float, unit: str = "mm") -> str:
    """A length to a micrometre: ``12.5 mm``."""
    return _text(value, unit, "length")


def _at(before: Sequence[object], index: int) -> object | None:
    return before[index] if index < len(before) else None


def _written(value: float, before: object | None, unit: str, dimension: str) -> str | int:
    if before is not None:
        difference = value - Quantity(dimension).read(before)
        if dimension == "angle":
            difference = math.remainder(difference, 2 * math.pi)
        if abs(difference) < _SAME:
            return before if isinstance(before, int) else str(before)
    return _text(value, unit, dimension)


def _text(value: float, unit: str, dimension: str) -> str:
    number = round(value / parse(f"1 {unit}", dimension), _DECIMALS[unit]) + 0.0
    return (
        f"{number:.{_DECIMALS[unit]}f}".rstrip("0").rstrip(".") + f" {unit}" if number % 1 else f"{number:.0f} {unit}"
    )


def _unit(before: Sequence[object], index: int, usual: str) -> str:
    """The unit a number was written in; else that of its neighbours; else the usual one."""
    for each in (_at(before, index), *before):
        unit = str(each).strip().lstrip("+-0123456789.eE ").strip() if each is not None else ""
        try:
            if unit in _DECIMALS and parse(f"1 {unit}", "length" if usual == "mm" else "angle"):
                return unit
        except UnitError:
            continue
    return usual
