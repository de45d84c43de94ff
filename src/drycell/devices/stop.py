"""Stops across a belt, and what a belt can be like at all."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from drycell.errors import WorldError
from drycell.kernel import Signal
from drycell.units import format_length, mm


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop across the belt, ``at`` metres from its start; it may be open at first."""

    at: float
    open: bool = False


@dataclass(frozen=True, slots=True)
class Gate:
    """A stop in a cell, with the signal that opens it."""

    at: float
    open: Signal[bool]


def check_speed(name: str, speed: float) -> None:
    """Refuses a speed that a belt cannot have."""
    if not 0.0 <= speed < math.inf:
        raise WorldError(
            f"{name} cannot run at {speed / mm:g} mm/s: not 0 mm/s ≤ speed",
            hint="to run it the other way, turn the conveyor about: rpy=(0, 0, 180 deg)",
        )


def check_belt(name: str, length: float, acceleration: float, end: str, stops: Mapping[str, Stop]) -> None:
    """Refuses what a belt cannot be like."""
    if end not in ("stop", "fall"):
        raise WorldError(f"{name}: a belt ends in 'stop' or 'fall', not {end!r}")
    if not 0.0 <= acceleration < math.inf:
        raise WorldError(f"{name}: the acceleration must be 0 m/s² (at once) or more, not {acceleration:g} m/s²")
    for stop, given in stops.items():
        if stop in ("entry", "end"):
            raise WorldError(f"{name}: a stop cannot be called {stop!r}: the belt's own {stop} is", hint="rename it")
        if not 0.0 < given.at <= length:
            raise WorldError(
                f"{name}: the stop {stop!r} is not on the belt: "
                f"not 0 < {format_length(given.at)} ≤ {format_length(length)}",
                hint="stops are measured from the belt's start, along it",
            )
