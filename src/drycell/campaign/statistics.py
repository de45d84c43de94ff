"""Statistics of many runs: intervals for means, fractions and quantiles, paired differences, sensitivity, and when a
campaign is precise enough.

All intervals are two-sided with a confidence of 95 %.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

LEVEL: Final = 0.95
_FIRST_LOOK: Final = 32
_GROWTH: Final = 1.25
_FAR: Final = 3.5
_MAD: Final = 1.4826  # makes the median absolute deviation that of a normal distribution


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """A mean of ``n`` values with its confidence interval, ``mean`` ± ``half_width``. It is infinite for one value."""

    mean: float
    half_width: float
    n: int
    paired: bool = False

    @property
    def low(self) -> float:
        """The lower limit of the interval."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """The upper limit of the interval."""
        return self.mean + self.half_width

    @property
    def sure(self) -> bool:
        """Whether zero lies outside the interval: for a difference, that there is one."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        return f"{self.mean:.4g} ± {self.half_width:.2g} (n = {self.n}{', paired' * self.paired})"


@dataclass(frozen=True, slots=True)
class Share:
    """A fraction ``count`` of ``n`` with its confidence interval."""

    count: int
    n: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The fraction."""
        return self.count / self.n if self.n else math.nan

    def __str__(self) -> str:
        return f"{self.count} of {self.n} ({self.low:.1%} to {self.high:.1%})"


def mean_of(values: Sequence[float], paired: bool = False) -> MeanEstimate:
    """Return the mean of independent values with Student's t interval.

    >>> str(mean_of([10.0, 12.0, 11.0, 13.0]))
    '11.5 ± 2.1 (n = 4)'
    """
    n = len(values)
    if not n:
        return MeanEstimate(math.nan, math.inf, 0, paired)
    mean = math.fsum(values) / n
    if n < 2:
        return MeanEstimate(mean, math.inf, n, paired)
    from scipy.special import stdtrit

    deviation = math.sqrt(math.fsum((each - mean) ** 2 for each in values) / (n - 1))
    return MeanEstimate(mean, float(stdtrit(n - 1, 0.5 + LEVEL / 2)) * deviation / math.sqrt(n), n, paired)


def share_of(count: int, n: int) -> Share:
    """Return a fraction with Wilson's interval, which is valid near 0 and 1, where mean ± 2 s/√n is not.

    >>> str(share_of(0, 100))
    '0 of 100 (0.0% to 3.7%)'
    """
    if not n:
        return Share(0, 0, 0.0, 1.0)
    from scipy.special import ndtri

    z = float(ndtri(0.5 + LEVEL / 2))
    p = count / n
    width = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    centre, scale = p + z * z / (2 * n), 1 + z * z / n
    low = 0.0 if count == 0 else (centre - width) / scale
    high = 1.0 if count == n else (centre + width) / scale
    return Share(count, n, low, high)


def quantile_of(values: Sequence[float], q: float) -> tuple[float, float, float]:
    """Return a quantile and the limits of its interval, from order statistics: no distribution is assumed.

    The limits are infinite if there are too few values. For the median, at least six are needed.

    >>> quantile_of([3.0, 1.0, 2.0, 5.0, 4.0, 6.0, 7.0], 0.5)
    (4.0, 1.0, 7.0)
    """
    from scipy.special import bdtr

    ordered, n = sorted(values), len(values)
    if not n:
        return math.nan, -math.inf, math.inf
    tail = (1 - LEVEL) / 2
    # x(r) ≤ quantile with probability P(B ≥ r), where B ~ binomial(n, q).
    below = [r for r in range(1, n + 1) if bdtr(r - 1, n, q) <= tail]
    above = [s for s in range(1, n + 1) if 1 - bdtr(s - 1, n, q) <= tail]
    place = q * (n - 1)
    first = math.floor(place)
    last = min(first + 1, n - 1)
    middle = ordered[first] + (place - first) * (ordered[last] - ordered[first])
    low = ordered[below[-1] - 1] if below else -math.inf
    high = ordered[above[0] - 1] if above else math.inf
    return middle, low, high


def difference(one: Mapping[int, float], other: Mapping[int, float]) -> MeanEstimate:
    """Return the mean difference ``one`` − ``other``, paired by seed. Seeds that only one of them has do not count."""
    return mean_of([one[seed] - other[seed] for seed in one if seed in other], paired=True)


# ---------------------------------------------------------------- precise enough


@dataclass(frozen=True, slots=True)
class Precision:
    """The half width that an interval must have: ``limit``, or a fraction of the mean if ``relative``."""

    limit: float
    relative: bool

    def met(self, estimate: MeanEstimate) -> bool:
        """Whether an interval is narrow enough. The interval of a value that is always equal has no width."""
        wanted = self.limit * abs(estimate.mean) if self.relative else self.limit
        return estimate.n > 1 and estimate.half_width <= wanted


def looks(seeds: int) -> Iterator[int]:
    """Yield the numbers of complete seeds after which precision is checked: 32, 40, 50, 63, … and all of them.

    Checking after every run would end campaigns too early, at seeds that agree by accident: the interval would then
    cover the truth in 80 to 90 % of campaigns and not in 95 %.
    """
    count = _FIRST_LOOK
    while count < seeds:
        yield count
        count = math.ceil(count * _GROWTH)
    yield seeds


# ---------------------------------------------------------------- what matters, and what stands out


@dataclass(frozen=True, slots=True)
class FactorEffect:
    """How strongly a factor affects a figure.

    ``share`` is the fraction of the variance that the means of its levels explain (0 to 1), ``correlation`` Spearman's
    rank correlation if the levels are numbers, and ``low`` and ``high`` are the levels with the least and the greatest
    mean.
    """

    factor: str
    share: float
    correlation: float | None
    low: tuple[str, float]
    high: tuple[str, float]


def effect_of(
    factor: str, levels: Sequence[str], figures: Sequence[float], numbers: Sequence[float | None]
) -> FactorEffect:
    """Return the effect of a factor: ``levels``, ``figures`` and ``numbers`` have one entry per run.

    A continuous factor has nearly as many levels as runs: they are grouped to at most ten of similar size.
    """
    known = [each for each in numbers if each is not None]
    names = list(levels)
    if len(known) == len(names) and len(set(names)) > 10:
        ordered = sorted(set(known))
        group = {value: place * 10 // len(ordered) for place, value in enumerate(ordered)}
        limits = [[value for value in ordered if group[value] == each] for each in range(10)]
        names = [f"{limits[group[each]][0]:g} to {limits[group[each]][-1]:g}" for each in known]
    grouped: dict[str, list[float]] = {}
    for name, value in zip(names, figures, strict=True):
        grouped.setdefault(name, []).append(value)
    mean = math.fsum(figures) / len(figures)
    total = math.fsum((each - mean) ** 2 for each in figures)
    means = {name: math.fsum(each) / len(each) for name, each in grouped.items()}
    between = math.fsum(len(each) * (means[name] - mean) ** 2 for name, each in grouped.items())
    least, most = min(means, key=lambda name: means[name]), max(means, key=lambda name: means[name])
    correlation = rank_correlation(known, figures) if len(known) == len(figures) else None
    share = min(between / total, 1.0) if total > 0 else 0.0
    return FactorEffect(factor, share, correlation, (least, means[least]), (most, means[most]))


def rank_correlation(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation; None if one of them is constant.

    >>> rank_correlation([1.0, 2.0, 3.0], [10.0, 100.0, 1000.0])
    1.0
    """
    one, other = _ranks(xs), _ranks(ys)
    mean = (len(xs) + 1) / 2
    product = math.fsum((a - mean) * (b - mean) for a, b in zip(one, other, strict=True))
    spread = math.sqrt(math.fsum((a - mean) ** 2 for a in one) * math.fsum((b - mean) ** 2 for b in other))
    return product / spread if spread else None


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    found = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for place in order[first : last + 1]:
            found[place] = (first + last) / 2 + 1
        first = last + 1
    return found


def median(values: Sequence[float]) -> float:
    """Return the median."""
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def distances(values: Sequence[float]) -> list[float]:
    """Return how far each value is from the median, in robust standard deviations. More than 3.5 is an outlier."""
    if not values:
        return []
    middle = median(values)
    spread = _MAD * median([abs(each - middle) for each in values])
    return [abs(each - middle) / spread if spread else (0.0 if each == middle else math.inf) for each in values]


def is_outlier(distance: float) -> bool:
    """Whether a robust distance (see :func:`distances`) makes a run an outlier."""
    return distance > _FAR
