"""Cell time in integer microseconds, so that two events at one instant are exactly at one instant."""

from typing import Final

from drycell.base import KernelError

TICKS_PER_SECOND: Final = 1_000_000
FOREVER: Final = 1 << 62
LONGEST: Final = 3e12
"""Seconds; no time of a cell is longer."""


def ticks(seconds: float) -> int:
    """The tick nearest to a time in seconds (halves go to the even tick)."""
    if not abs(seconds) < LONGEST:  # NaN is refused, too
        raise KernelError(f"{seconds:g} s is no time of a cell", hint="keep within a hundred thousand years")
    return round(seconds * 1e6)


def seconds(ticks: int) -> float:
    """A time in ticks as seconds."""
    return ticks / TICKS_PER_SECOND


def clock_text(ticks: int) -> str:
    """A time with all its microseconds, written from the integer so that it is the same everywhere: ``41.250000``."""
    whole, rest = divmod(ticks, TICKS_PER_SECOND)
    return f"{whole}.{rest:06d}"
