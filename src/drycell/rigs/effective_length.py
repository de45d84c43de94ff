"""One length for all rows: what tool and sensor must have measured together, by least squares over both tables.

A tool of length T passes a sensor that sees a width W: it is seen along T + W, its effective length. The tables tell
that sum only. One length is fitted to all twelve values; nothing is fitted to a row, a speed or a sensor.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from drycell.rigs.published import SIDES, TABLES, Reading, Setting
from drycell.rigs.sets import expected_samples


@dataclass(frozen=True)
class Residual:
    """One value of a table beside what the fitted length gives for it, in samples."""

    table: int
    side: str
    setting: Setting
    published: float
    computed: float

    @property
    def difference(self) -> float:
        """Computed less published."""
        return self.computed - self.published


@dataclass(frozen=True)
class Fit:
    """The effective length that fits best under one reading of the speeds, and how well it fits every value."""

    reading: Reading
    length: float
    residuals: tuple[Residual, ...]

    @property
    def worst(self) -> float:
        """The greatest residual, in samples, whatever its sign."""
        return max(abs(each.difference) for each in self.residuals)

    @property
    def rms(self) -> float:
        """The root of the mean square of the residuals, in samples."""
        return float((sum(each.difference**2 for each in self.residuals) / len(self.residuals)) ** 0.5)


def best_length(values: Iterable[tuple[float, float]]) -> float:
    """The length L, in m, with the least sum of (L / step − samples)² over pairs (step, samples)."""
    above = below = 0.0
    for step, samples in values:
        above += samples / step
        below += 1.0 / step**2
    return above / below


def fit(reading: Reading) -> Fit:
    """One effective length for all twelve values of tables 11 and 12."""
    rows = [
        (table.number, side, setting, value)
        for table in TABLES.values()
        for side in SIDES
        for setting, value in zip(reading.settings, table.row(side), strict=True)
    ]
    length = best_length((setting.step, value) for _, _, setting, value in rows)
    residuals = tuple(Residual(*row, expected_samples(length, row[2].step)) for row in rows)
    return Fit(reading, length, residuals)
