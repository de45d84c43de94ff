"""The time between two arrivals: fixed, declared as an interval, or drawn from a law."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

from drycell.base import FieldError, format_time
from drycell.kernel import Kernel

Law = Literal["interval", "uniform", "exponential", "normal"]


@dataclass(frozen=True, slots=True)
class Every:
    """How long until the next one, in seconds.

    By the law ``interval`` one time is fixed; two are the limits of a declared interval, which a search over all that
    can happen goes through. The others are laws of chance: ``uniform`` between two times, ``exponential`` with a mean,
    ``normal`` with a mean and ``sigma``, where what would be below ``least`` is drawn again.
    """

    times: tuple[float, ...]
    law: Law = "interval"
    sigma: float = 0.0
    least: float = 0.0

    def __post_init__(self) -> None:
        told = " and ".join(format_time(each) for each in self.times)
        if self.law not in get_args(Law):
            raise FieldError(f"there is no law {self.law!r} of intervals", hint=f"choose {', '.join(get_args(Law))}")
        wanted = {"interval": (1, 2), "uniform": (2,), "exponential": (1,), "normal": (1,)}[self.law]
        if len(self.times) not in wanted:
            count = " or ".join(map(str, wanted))
            raise FieldError(
                f"the law {self.law!r} takes {count} time{'s' * (wanted != (1,))}, not {len(self.times)}",
                hint="give two for limits, one for a mean or a fixed interval",
            )
        if not all(0.0 <= each < math.inf for each in self.times) or self.times[-1] <= 0.0:
            raise FieldError(f"the time between two arrivals must be above 0 s, not {told}")
        if self.times[0] > self.times[-1]:
            raise FieldError(f"the limits {told} are the wrong way round", hint="give the lower one first")
        if (self.sigma > 0.0) != (self.law == "normal") or not 0.0 <= self.sigma < math.inf:
            raise FieldError(
                f"'sigma' of {format_time(self.sigma)} with the law {self.law!r}",
                hint="a normal law takes a sigma above 0 s, the others none",
            )
        if self.law == "normal" and not 0.0 <= self.least <= self.times[0]:
            raise FieldError(
                f"a normal law cut at {format_time(self.least)} has no room about its mean of {told}",
                hint="give 'least' between 0 s and the mean",
            )

    def draw(self, kernel: Kernel, owner: str) -> float:
        """The next one, from the owner's own stream or, if it is declared, by the run's chooser."""
        low, high = self.times[0], self.times[-1]
        if self.law == "interval":
            return low if len(self.times) == 1 else kernel.interval(f"{owner}.interval", low, high)
        stream = kernel.random(owner)
        if self.law == "uniform":
            return stream.uniform(low, high)
        if self.law == "exponential":
            return stream.expovariate(1.0 / low)
        while True:  # at least every other draw is above the mean, which is above the least
            value = stream.normalvariate(low, self.sigma)
            if value >= self.least:
                return value
