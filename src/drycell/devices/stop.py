"""Stops across a belt, and the speeds that a belt can have."""

import math
from dataclasses import dataclass

from drycell.base import Size, Thing, WorldError, mm
from drycell.kernel import Signal


class Stop(Thing, compact=True, kw_only=False):
    """A stop across a belt."""

    at: Size
    """Distance from the start of the belt."""
    open: bool = False
    """Whether it lets parts pass when the run starts."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A stop in a run, with the signal that opens it."""

    at: float
    open: Signal[bool]


def check_speed(name: str, speed: float) -> None:
    """Refuses a speed that a belt cannot have."""
    if not 0.0 <= speed < math.inf:
        raise WorldError(
            f"{name} cannot run at {speed / mm:g} mm/s: not 0 mm/s ≤ speed",
            hint="to run it the other way, turn the conveyor about: rpy=(0, 0, 180 deg)",
        )
