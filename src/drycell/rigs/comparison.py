"""Our sets beside those of tables 11 and 12: every residual, for both readings of the speeds, as lines of text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from drycell.base import mm
from drycell.rigs.passing import Passing
from drycell.rigs.published import SIDES, TABLES, Setting, Table
from drycell.rigs.sets import expected_samples
from drycell.rigs.tool_fit import Fit


@dataclass(frozen=True)
class Column:
    """One setting of the rig: what it gave, and what the thesis has for it, if it has anything."""

    passing: Passing
    real: float | None = None
    virtual: float | None = None

    def published(self, side: str) -> float | None:
        """The thesis' value of one side."""
        return self.real if side == "real" else self.virtual


def columns(passings: Sequence[Passing], table: Table | None) -> list[Column]:
    """Passings at the settings of a table beside its values; or alone."""
    if table is None:
        return [Column(each) for each in passings]
    return [Column(*each) for each in zip(passings, table.real, table.virtual, strict=True)]


def sets_text(shown: Sequence[Column], width: float) -> Iterator[str]:
    """Rows of the table: the thesis' averages, ours, and the residuals (ours less theirs)."""
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
    yield _row("length seen / mm a sample", [f"{_expected(each, width):.3f}" for each in shown])
    yield _row("sets, fewest–most samples", [f"{min(e.passing.sizes)}–{max(e.passing.sizes)}" for e in shown])
    yield _row("a pass, from rest to rest, s", [f"{each.passing.pass_time:.3f}" for each in shown])
    yield _row("  the same without ramps, s", [f"{_nominal(each):.3f}" for each in shown])


def fit_text(found: Fit) -> Iterator[str]:
    """The residuals of the fitted tool to all twelve values, in samples."""
    yield _row("computed less published", [f"{each.speed / mm:g} mm/s" for each in found.reading.settings])
    for table in TABLES.values():
        for side in SIDES:
            row = [each for each in found.residuals if each.table == table.number and each.side == side]
            yield _row(f"table {table.number} ({table.title}), {side}", [f"{each.difference:+.3f}" for each in row])
    yield f"  root mean square {found.rms:.3f}, worst {found.worst:.3f} samples"


def _row(name: str, values: Sequence[str]) -> str:
    return f"  {name:<32}" + "".join(f"{value:>11}" for value in values)


def _expected(column: Column, width: float) -> float:
    passing = column.passing
    return expected_samples(passing.tool + width, passing.setting.step)


def _nominal(column: Column) -> float:
    setting: Setting = column.passing.setting
    return column.passing.path / setting.speed
