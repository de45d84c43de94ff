"""Path laws: the fastest time law along a given path that stays within all limits.

The limits are bounds at points along the path, whatever they come from: joint speeds, joint accelerations, later also
torques. The law follows the commanded one, its ceiling, and drops below it only where a bound requires it. It is the
time-optimal law on the grid (Pham and Pham, *A new approach to time-optimal path parameterization based on reachability
analysis*, 2018): backwards, the greatest speed from which the rest of the path can be followed; forwards, as fast as
that allows. The speed is continuous; the acceleration may jump where the law leaves its ceiling.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from drycell.base import Array
from drycell.handling import TimeLaw

# A law whose speed is within this fraction of its ceiling is on it, so that rounding does not make new pieces.
_ON: Final = 1e-6
# A rate below this, relative to the greatest in its row, does not limit the acceleration.
_NO_RATE: Final = 1e-12


@dataclass(frozen=True)
class PathBounds:
    """Bounds at n rising ``places`` from the start to the end of a path, where s is the distance along it.

    ``speed`` (n,) is the greatest s′. Each of m rows is a bound on s″: low ≤ rate · s″ + bend · s′² ≤ high. For a joint
    q(s) with an acceleration limit, the rate is q′, the bend is q″, and ± the limit are low and high. All arrays are
    (n, m); low < 0 < high, so that the motion can stand still anywhere.
    """

    places: Array
    speed: Array
    rate: Array
    bend: Array
    low: Array
    high: Array

    @property
    def fastest(self) -> float:
        """The highest speed that is possible anywhere on the path."""
        return float(self.speed.max())

    @property
    def quickest(self) -> float:
        """The highest acceleration from rest that is possible anywhere on the path."""
        with np.errstate(all="ignore"):
            return float((np.minimum(self.high, -self.low) / np.abs(self.rate)).min(axis=1).max())

    def tightened(self, factor: float) -> "PathBounds":
        """Bounds for a motion that is slower by a factor."""
        return replace(self, speed=self.speed / factor, low=self.low / factor**2, high=self.high / factor**2)


def path_law(bounds: PathBounds, ceiling: TimeLaw, acceleration: float) -> TimeLaw:
    """The fastest law from rest to rest within bounds, nowhere faster than another law.

    Args:
        bounds: The bounds along the path, from its start to its end.
        ceiling: A law along the whole path, from rest to rest.
        acceleration: The maximum acceleration and deceleration along the path.
    """
    s = bounds.places
    instants = np.array([ceiling.when(float(place)) for place in s])
    top = np.array([ceiling.state(u)[1] for u in instants.tolist()])
    top[0] = top[-1] = 0.0
    squares = _squares(bounds, np.minimum(top, bounds.speed) ** 2, acceleration)
    speeds = np.sqrt(squares)
    on = speeds >= top * (1.0 - _ON)
    speeds = np.where(on, top, speeds)
    law = _Pieces()
    i, last = 0, len(s) - 1
    while i < last:
        j = i
        while j < last and on[j] and on[j + 1]:
            j += 1
        if j > i:
            law.copy(ceiling, float(instants[i]), float(instants[j]))
        else:
            j += 1
            law.accelerate(float(s[i]), float(s[j]), float(speeds[i]), float(speeds[j]))
        i = j
    return TimeLaw(tuple(law.breaks), tuple(law.pieces))


def _squares(bounds: PathBounds, most: Array, acceleration: float) -> Array:
    """The greatest squared speeds x = s′² at the places, from 0 to 0, below ``most``.

    In each step from place to place s″ = u is constant, so x grows by 2·step·u. The rows of a step are
    p·u + q·x ≤ r; those of its end are written with the x of its start.
    """
    steps = 2.0 * np.diff(bounds.places)
    n = len(steps)
    one, none = np.ones((n, 1)), np.zeros((n, 1))
    rates, bends = bounds.rate, bounds.bend
    ends = rates[1:] + steps[:, None] * bends[1:]
    p = np.hstack((rates[:-1], -rates[:-1], ends, -ends, one, -one))
    q = np.hstack((bends[:-1], -bends[:-1], bends[1:], -bends[1:], none, none))
    r = np.hstack((bounds.high[:-1], -bounds.low[:-1], bounds.high[1:], -bounds.low[1:], *(acceleration * one,) * 2))
    flat = np.abs(p) <= _NO_RATE * np.abs(p).max(axis=1, keepdims=True)
    with np.errstate(all="ignore"):
        slope, level = q / p, r / p  # u ≤ level − slope·x where p > 0, u ≥ the same where p < 0
        static = np.where(flat & (q > 0.0), r / q, math.inf).min(axis=1)
    above, below = (p > 0.0) & ~flat, (p < 0.0) & ~flat
    for k in range(p.shape[1]):  # each upper bound against all lower ones
        with np.errstate(all="ignore"):
            closing = slope[:, k : k + 1] - slope
            meet = (level[:, k : k + 1] - level) / closing
        meets = above[:, k : k + 1] & below & (closing > 0.0)
        static = np.minimum(static, np.where(meets, meet, math.inf).min(axis=1))
    reachable = np.append(np.minimum(most[:-1], static), 0.0)
    for i in range(n - 1, -1, -1):
        # u ≤ (reachable[i + 1] − x) / step, against the lower bounds.
        rows = below[i]
        closing = 1.0 / steps[i] - slope[i, rows]
        meets = closing > 0.0
        if meets.any():
            meet = (reachable[i + 1] / steps[i] - level[i, rows][meets]) / closing[meets]
            reachable[i] = min(reachable[i], float(meet.min()))
    x = np.zeros(n + 1)
    for i in range(n):
        rows = above[i]
        u = float((level[i, rows] - slope[i, rows] * x[i]).min())
        x[i + 1] = min(max(x[i] + steps[i] * u, 0.0), reachable[i + 1])
    return x


class _Pieces:
    """A time law that is built piece by piece."""

    def __init__(self) -> None:
        self.breaks = [0.0]
        self.pieces: list[tuple[float, float, float, float]] = []

    def copy(self, law: TimeLaw, begins: float, ends: float) -> None:
        """Append a part of another law."""
        part = law.after(begins)
        duration = ends - begins
        for piece, start, end in zip(part.pieces, part.breaks, part.breaks[1:], strict=False):
            if start < duration:
                self._append(piece, min(end, duration) - start)

    def accelerate(self, place: float, end: float, speed: float, last: float) -> None:
        """Append an even change of speed from one place to the next."""
        duration = 2.0 * (end - place) / (speed + last)
        self._append((place, speed, 0.5 * (last - speed) / duration, 0.0), duration)

    def _append(self, piece: tuple[float, float, float, float], duration: float) -> None:
        if duration > 0.0:
            self.pieces.append(piece)
            self.breaks.append(self.breaks[-1] + duration)
