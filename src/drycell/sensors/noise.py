"""Noise: what disturbs a measured quantity, as a function of the run's seed, the sensor's name and the sample's number.

Nothing is drawn from a stream, so that samples nobody needed can be left out without changing those that follow.
"""

import math
from hashlib import sha256
from typing import Annotated

from drycell.base import Measure, Quantity, Ratio, Thing

Spread = Annotated[float, Measure(("length", "force", "torque"), least=0.0)]
Shift = Annotated[float, Measure(("length", "force", "torque"))]
Share = Annotated[float, Quantity("ratio", least=0.0)]


class Noise(Thing):
    """``gain`` × the true value + ``offset`` + a normal deviate of ``sigma`` + an even one within ± ``uniform``."""

    sigma: Spread = 0.0
    """Standard deviation."""
    share: Share = 0.0
    """Part of the standard deviation that grows with the true value: 0.01 is 1 % of it."""
    uniform: Spread = 0.0
    """Half the width of an even deviation."""
    offset: Shift = 0.0
    """Constant error."""
    gain: Ratio = 1.0
    """Factor on the true value."""

    @property
    def random(self) -> bool:
        """Whether samples of a value that stands differ."""
        return bool(self.sigma or self.share or self.uniform)

    def disturbed(self, true: float, seed: int, name: str, index: int) -> float:
        """The value a sensor of this name finds at its sample of this number."""
        value = self.gain * true + self.offset
        if self.random:
            normal, even = deviates(seed, name, index)
            value += (self.sigma + self.share * abs(true)) * normal + self.uniform * even
        return value


def deviates(seed: int, name: str, index: int) -> tuple[float, float]:
    """A normal deviate and an even one in −1…1, which belong to this sample alone."""
    digest = sha256(f"{seed}/noise {name}/{index}".encode()).digest()
    u, v, w = ((int.from_bytes(digest[k : k + 8], "big") >> 11) * 2.0**-53 for k in (0, 8, 16))
    # Box and Muller; 1 - u is never 0.
    return math.sqrt(-2.0 * math.log(1.0 - u)) * math.cos(2.0 * math.pi * v), 2.0 * w - 1.0
