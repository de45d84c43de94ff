"""One tool for all rows: how long the lost tool must have been, by least squares over both tables.

A tool of length T passes a sensor that sees a width W: it is seen along T + W, its effective length. The widths are
those of the sensors as modelled; one T is fitted to all twelve values, nothing to a row, a speed or a sensor.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from drycell.rigs.published import SIDES, TABLES, Reading, Setting
from drycell.rigs.sets import expected_samples


@dataclass(frozen=True)
class Residual:
    """One value of a table beside what the fitted tool gives for it, in samples."""

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
    """The tool that fits best under one reading of the speeds, and how well it fits every value."""

    reading: Reading
    tool: float
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


def fit(reading: Reading, widths: Mapping[str, float]) -> Fit:
    """One tool for all twelve values of tables 11 and 12, passed before sensors that see these widths."""
    rows = [
        (table.number, side, setting, value, widths[kind])
        for kind, table in TABLES.items()
        for side in SIDES
        for setting, value in zip(reading.settings, table.row(side), strict=True)
    ]
    tool = best_length((setting.step, value - width / setting.step) for _, _, setting, value, width in rows)
    residuals = tuple(
        Residual(number, side, setting, value, expected_samples(tool + width, setting.step))
        for number, side, setting, value, width in rows
    )
    return Fit(reading, tool, residuals)
