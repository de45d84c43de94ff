"""Sets of detection – non detection: how many samples a pass of the tool takes, read from a row of samples.

The averages of tables 11 and 12 are all multiples of 1/8, so eight sets were counted, one for each pass. A set is read
as the samples from the first detection of a pass to its last one: those in between that see nothing, when a tool has an
opening, belong to it; those before and after do not, because what was sampled at the ends of the path differed
significantly between the real and the virtual cell (section 6.3.1), while the sets do not.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """One look at the sensor: when, in seconds, and what it put out."""

    time: float
    value: float


def sets_of(samples: Sequence[Sample], starts: Sequence[float], *, above: float) -> list[int]:
    """How many samples the set of each pass has; a pass reaches from its start to that of the next.

    A sample sees the tool if its value is ``above`` a threshold. A pass in which none does has an empty set.
    """
    ends = [*starts[1:], float("inf")]
    sizes = []
    for start, end in zip(starts, ends, strict=True):
        seen = [index for index, sample in enumerate(samples) if start <= sample.time < end and sample.value > above]
        sizes.append(seen[-1] - seen[0] + 1 if seen else 0)
    return sizes


def average(sizes: Sequence[int]) -> float:
    """The mean size of the sets, as the tables print it."""
    return sum(sizes) / len(sizes)


def expected_samples(length: float, step: float) -> float:
    """The mean number of samples in a length that is passed at constant speed, whenever the sampling began.

    A grid of points ``step`` apart has length / step points in an interval on average over all its places; a single
    interval has that number rounded up or down.
    """
    return length / step
