"""How far a belt has gone: a constant speed, or a ramp to another one, as exact functions of time."""

import math
from dataclasses import dataclass
from typing import Final

from drycell.base import Pose
from drycell.world import ALWAYS, FOREVER, SECOND, Fall, Motion, Travel

EXACT: Final = 1e-12  # metres: sums of floats that should be equal differ by less


@dataclass(frozen=True, slots=True)
class Drive:
    """From ``start`` on at ``speed``, changing by ``ramp`` m/s² until ``end``."""

    start: int
    speed: float
    ramp: float = 0.0
    end: int = FOREVER

    @property
    def moves(self) -> bool:
        """Whether it goes anywhere."""
        return self.speed > 0.0 or self.ramp > 0.0

    def speed_at(self, t: int) -> float:
        """How fast it is at an instant."""
        return max(self.speed + self.ramp * (t - self.start) * SECOND, 0.0)

    def since(self, t: int) -> "Drive":
        """The same, seen from a later instant."""
        return self if t == self.start else Drive(t, self.speed_at(t), self.ramp, self.end)

    def way(self, t: int) -> float:
        """How far it has gone by an instant, in metres."""
        u = (t - self.start) * SECOND
        return self.speed * u + 0.5 * self.ramp * u * u

    def reaches(self, way: float) -> int | None:
        """The first tick at which it has gone so far; None if it does not before its end."""
        enough = way - EXACT
        if enough <= 0.0:
            return self.start
        square = self.speed * self.speed + 2.0 * self.ramp * enough
        if square <= 0.0:
            return None
        tick = self.start + math.ceil(2.0 * enough / (self.speed + math.sqrt(square)) / SECOND)
        if self.way(tick - 1) >= enough:  # rounded up a hair too far
            tick -= 1
        return tick if tick <= self.end else None

    def motion(self, pose: Pose, until: int) -> Motion:
        """How a part at a pose on the belt, which runs along x, is carried along from the start until an instant."""
        if self.ramp == 0.0:
            return Travel(self.start, until, pose, (self.speed, 0.0, 0.0))
        # A steady acceleration is what a fall is, whichever way it points.
        return Fall(self.start, until, pose, (self.speed, 0.0, 0.0), (self.ramp, 0.0, 0.0))


STANDING: Final = Drive(ALWAYS, 0.0)


def ramped(now: int, speed: float, wanted: float, acceleration: float) -> Drive:
    """From one speed to another: at once, or with an acceleration (0: at once)."""
    if acceleration <= 0.0 or speed == wanted:
        return Drive(now, wanted)
    ticks = math.ceil(abs(wanted - speed) / acceleration / SECOND)
    # The ramp ends on a tick and on the speed wanted, so that it is as steep as that takes.
    return Drive(now, speed, (wanted - speed) / (ticks * SECOND), now + ticks)
