"""One tool for all rows: computed by hand, and never worse than any other length."""

import pytest
from hypothesis import given, strategies as st

from drycell.base import mm
from drycell.rigs import PASSES, READINGS, TABLES, fit
from drycell.rigs.comparison import best_length

POINTS = {"photoelectric": 0.0, "inductive": 0.0}  # sensors without a width: the tool is the whole effective length
WIDTHS = {"photoelectric": 20 * mm, "inductive": 18 * mm}


def test_a_length_that_fits_exactly_is_found():
    assert best_length([(12 * mm, 10.0), (20 * mm, 6.0), (24 * mm, 5.0)]) == pytest.approx(120 * mm, abs=1e-12)


def test_contradicting_values_are_weighted_by_their_sensitivity():
    # Steps of 10 and 20 mm: minimise (L/10 − 10)² + (L/20 − 6)². By hand: L (1/100 + 1/400) = 10/10 + 6/20, L = 104.
    assert best_length([(10 * mm, 10.0), (20 * mm, 6.0)]) == pytest.approx(104 * mm, abs=1e-12)


@given(st.floats(-50 * mm, 50 * mm))
def test_no_other_tool_fits_better(shift):
    for reading in READINGS:
        found = fit(reading, WIDTHS)
        best = sum(each.difference**2 for each in found.residuals)
        other = sum((each.difference + shift / each.setting.step) ** 2 for each in found.residuals)
        assert other >= best - 1e-9


# By hand, from the sums of the four values per speed (74.75, 74.0, 38.0) and samples per millimetre 1/12, 1/10.5, 1/22
# or 1/11, 1/11, 1/22: 15.00406 / 0.0723235 and 15.25 / 0.0743802.
@pytest.mark.parametrize(("number", "length", "worst"), [(0, 207.458, 1.587), (1, 205.028, 0.389)])
def test_both_readings_of_the_speeds_give_the_length_computed_by_hand(number, length, worst):
    found = fit(READINGS[number], POINTS)
    assert found.tool / mm == pytest.approx(length, abs=1e-2)
    assert found.worst == pytest.approx(worst, abs=2e-3)
    assert len(found.residuals) == 12
    assert found.rms <= found.worst


def test_each_sensors_width_is_subtracted_from_the_effective_length():
    # Both tables have the same steps, so the tool is the effective length minus the mean of the two widths.
    wide, narrow = fit(READINGS[1], WIDTHS), fit(READINGS[1], POINTS)
    assert wide.tool == pytest.approx(narrow.tool - 19 * mm, abs=1e-12)
    for each, other in zip(wide.residuals, narrow.residuals, strict=True):
        more = 1 * mm if each.table == 11 else -1 * mm
        assert each.difference - other.difference == pytest.approx(more / each.setting.step, abs=1e-9)


def test_the_tables_are_averages_of_eight_sets():
    for table in TABLES.values():
        for value in (*table.real, *table.virtual):
            assert (value * PASSES).is_integer()
