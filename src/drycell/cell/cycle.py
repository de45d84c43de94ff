"""Cycle times: how long it takes from one finished part to the next."""

from dataclasses import dataclass
from itertools import pairwise

from drycell.world import Parts


@dataclass(frozen=True, slots=True)
class Cycle:
    """The time between parts that reach a store or a sink, in seconds: on the average, at least and at most."""

    mean: float
    shortest: float
    longest: float
    count: int
    """How many times were taken: one less than parts."""

    @classmethod
    def of(cls, parts: Parts) -> "Cycle | None":
        """The cycle of a run; None before the second part."""
        ends = sorted(each.time for each in parts.records if each.end in ("stored", "sunk"))
        spans = [later - earlier for earlier, later in pairwise(ends)]
        if not spans:
            return None
        return cls((ends[-1] - ends[0]) / len(spans), min(spans), max(spans), len(spans))
