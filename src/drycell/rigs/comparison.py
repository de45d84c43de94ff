"""Compare drycell's sets with tables 11 and 12, and fit the tool length to all of them.

A tool of length T that passes a sensor with a detection width W is detected along T + W, its effective length. The
widths are those of the modelled sensors; a single T is fitted to all twelve values by least squares, with no parameter
per row, speed or sensor. Every residual is reported, for both readings of the speeds.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from drycell.base import mm
from drycell.rigs.passing import Passing, expected_samples
from drycell.rigs.published import SIDES, TABLES, PassSetting, PublishedTable, SpeedReading


@dataclass(frozen=True)
class Residual:
    """One value of a table and the value for the fitted tool, in samples."""

    table: int
    side: str
    setting: PassSetting
    published: float
    computed: float

    @property
    def difference(self) -> float:
        """Computed minus published."""
        return self.computed - self.published


@dataclass(frozen=True)
class Fit:
    """The tool that fits best under one reading of the speeds, and how well it fits every value."""

    reading: SpeedReading
    tool: float
    residuals: tuple[Residual, ...]

    @property
    def worst(self) -> float:
        """The largest absolute residual, in samples."""
        return max(abs(each.difference) for each in self.residuals)

    @property
    def rms(self) -> float:
        """The root mean square of the residuals, in samples."""
        return float((sum(each.difference**2 for each in self.residuals) / len(self.residuals)) ** 0.5)


def best_length(values: Iterable[tuple[float, float]]) -> float:
    """Return the length L, in m, with the least sum of (L / step − samples)² over pairs (step, samples)."""
    above = below = 0.0
    for step, samples in values:
        above += samples / step
        below += 1.0 / step**2
    return above / below


def fit(reading: SpeedReading, widths: Mapping[str, float]) -> Fit:
    """Fit one tool to all twelve values of tables 11 and 12, for sensors with these detection widths."""
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


@dataclass(frozen=True)
class ComparisonColumn:
    """One setting of the rig: its result, and the thesis's values for it, if any."""

    passing: Passing
    real: float | None = None
    virtual: float | None = None

    def published(self, side: str) -> float | None:
        """Return the thesis value of one side."""
        return self.real if side == "real" else self.virtual


def columns(passings: Sequence[Passing], table: PublishedTable | None) -> list[ComparisonColumn]:
    """Pair each passing with the table's value for its setting, if there is one."""
    if table is None:
        return [ComparisonColumn(each) for each in passings]
    return [ComparisonColumn(*each) for each in zip(passings, table.real, table.virtual, strict=True)]


def sets_text(shown: Sequence[ComparisonColumn], width: float) -> Iterator[str]:
    """Return the rows of the table: the thesis's averages, those of drycell, and the residuals (drycell minus
    thesis)."""
    yield _row("speed, mm/s", [f"{each.passing.setting.speed / mm:g}" for each in shown])
    yield _row("sampled at, Hz", [f"{each.passing.setting.rate:g}" for each in shown])
    sides = [side for side in SIDES if all(each.published(side) is not None for each in shown)]
    for side in sides:
        yield _row(f"thesis, {side}", [f"{each.published(side):.3f}" for each in shown])
    yield _row("drycell, average of the sets", [f"{each.passing.average:.3f}" for each in shown])
    for side in sides:
        yield _row(
            f"residual to {side}", [f"{each.passing.average - (each.published(side) or 0.0):+.3f}" for each in shown]
        )
    yield _row("length seen / mm per sample", [f"{_expected(each, width):.3f}" for each in shown])
    yield _row("sets, fewest–most samples", [f"{min(e.passing.sizes)}–{max(e.passing.sizes)}" for e in shown])
    yield _row("a pass, from rest to rest, s", [f"{each.passing.pass_time:.3f}" for each in shown])
    yield _row("  a pass without ramps, s", [f"{_nominal(each):.3f}" for each in shown])


def fit_text(found: Fit) -> Iterator[str]:
    """Return the residuals of the fitted tool for all twelve values, in samples."""
    yield _row("computed minus published", [f"{each.speed / mm:g} mm/s" for each in found.reading.settings])
    for table in TABLES.values():
        for side in SIDES:
            row = [each for each in found.residuals if each.table == table.number and each.side == side]
            yield _row(f"table {table.number} ({table.title}), {side}", [f"{each.difference:+.3f}" for each in row])
    yield f"  root mean square {found.rms:.3f}, worst {found.worst:.3f} samples"


def _row(name: str, values: Sequence[str]) -> str:
    return f"  {name:<32}" + "".join(f"{value:>11}" for value in values)


def _expected(column: ComparisonColumn, width: float) -> float:
    passing = column.passing
    return expected_samples(passing.tool + width, passing.setting.step)


def _nominal(column: ComparisonColumn) -> float:
    setting: PassSetting = column.passing.setting
    return column.passing.path / setting.speed
