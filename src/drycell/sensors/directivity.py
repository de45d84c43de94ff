"""Directivity: how much of its reach a sensor keeps off its axis, from a data sheet or by the piston law."""

import math
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated

from drycell.base import Many, Problem, Quantity, Several, Size, Thing

Points = Annotated[
    tuple[tuple[float, float], ...], Many(Several((Quantity("angle"), Quantity("ratio")), "[10 deg, 0.7]"))
]
Frequency = Annotated[float, Quantity("frequency", above=0.0)]
Speed = Annotated[float, Quantity("speed", above=0.0)]


class Piston(Thing):
    """A round transducer that sends and hears: its radius, its frequency, and the speed of sound around it.

    The echo's amplitude at an angle θ off the axis is |2 J₁(ka sin θ) / (ka sin θ)|² of that on the axis (once for
    sending, once for hearing), with k = 2π·frequency/speed; echoes fade as 1/r, so this is the share of reach, too.
    """

    radius: Size
    """Radius of the transducer."""
    frequency: Frequency
    """Frequency of its sound."""
    speed: Speed = 343.0
    """Speed of sound around it."""


class Directivity(Thing):
    """The share of its reach a sensor keeps at angles off its axis: a ``table``, or a ``piston``."""

    table: Points = ()
    """Rows of an angle and the share there; linear between them, nothing beyond the last."""
    piston: Piston | None = None
    """The transducer that the shares follow from."""

    def problems(self) -> Iterable[Problem]:
        """A table or a piston; angles rise, and shares are shares."""
        if bool(self.table) == (self.piston is not None):
            hint = "write {table: [[0 deg, 1], [10 deg, 0.7]]} or {piston: {radius: 18 mm, frequency: 50 Hz}}"
            yield Problem((), "a directivity is a table or a piston, one of the two", hint)
        angles = [angle for angle, _ in self.table]
        if angles != sorted(set(angles)):
            yield Problem(("table",), "the angles of a directivity must rise from row to row", "sort the table")
        for index, (angle, share) in enumerate(self.table):
            if not (0.0 <= share <= 1.0 and 0.0 <= angle <= math.pi):
                what = f"a directivity of {share:g} at {math.degrees(angle):g} deg: shares are 0…1, angles 0…180 deg"
                yield Problem(("table", index), what, "divide by the value on the axis")

    def share(self, angle: float) -> float:
        """The share of reach at an angle off the axis, 0…1."""
        if self.piston is not None:
            return _piston(self.piston, angle)
        angles = [each for each, _ in self.table]
        above = bisect_right(angles, angle)
        if above == 0:
            return self.table[0][1]
        if above == len(angles):
            return self.table[-1][1] if angle <= angles[-1] + 1e-12 else 0.0
        (a, low), (b, high) = self.table[above - 1], self.table[above]
        return low + (high - low) * (angle - a) / (b - a)


@lru_cache(maxsize=4096)
def _piston(piston: Piston, angle: float) -> float:
    from scipy.special import j1

    if angle >= math.pi / 2:
        return 0.0  # set in a wall: nothing goes backwards
    x = 2.0 * math.pi * piston.frequency / piston.speed * piston.radius * math.sin(angle)
    return 1.0 if abs(x) < 1e-6 else float((2.0 * float(j1(x)) / x) ** 2)
