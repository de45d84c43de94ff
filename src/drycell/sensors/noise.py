"""Noise: what disturbs a measured quantity, as a function of the run's seed, the sensor's name and the sample's number.

Nothing is drawn from a stream, so that samples nobody needed can be left out without changing those that follow.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, ClassVar

from drycell.errors import FieldError
from drycell.fields import Measure, Ratio
from drycell.sensors.volume import STRICT

Spread = Annotated[float, Measure(("length", "force", "torque"), least=0.0)]
Shift = Annotated[float, Measure(("length", "force", "torque"))]


@dataclass(frozen=True, kw_only=True)
class Noise:
    """``gain`` × the true value + ``offset`` + a normal deviate of ``sigma`` + an even one within ± ``uniform``.

    ``share`` is a part of sigma that grows with the true value: 0.01 is 1 % of it.
    """

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    sigma: Spread = 0.0
    share: Ratio = 0.0
    uniform: Spread = 0.0
    offset: Shift = 0.0
    gain: Ratio = 1.0

    def __post_init__(self) -> None:
        for name in ("sigma", "share", "uniform"):
            value = getattr(self, name)
            if isinstance(value, float) and not value >= 0.0:
                raise FieldError(f"noise: {name} is {value:g}, must be 0 or more", hint="leave the sign out")

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
