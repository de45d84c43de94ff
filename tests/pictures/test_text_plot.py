"""Text plots: columns and bars show the given values, to an eighth of a character."""

import math

import pytest

from drycell.base import DrycellError
from drycell.pictures import text_bars, text_curve


def test_a_curve_stands_on_zero_and_reaches_the_top_where_it_is_greatest() -> None:
    assert text_curve([0, 1, 2, 3], [0, 1, 2, 4], x_label="mm", y_label="V", width=4, height=2) == [
        "V",
        "4 │   █",
        "0 │ ▄██",
        "  └────",
        "   0mm3",
    ]


def test_a_gap_stays_empty() -> None:
    rows = text_curve([0, 1, 2], [1, math.nan, 1], width=3, height=1)
    assert rows[0] == "0 │█ █"


def test_negative_values_lower_the_floor() -> None:
    rows = text_curve([0, 1], [-1, 1], width=2, height=2)
    assert [row.split("│")[0].strip() for row in rows[:2]] == ["1", "-1"]
    assert rows[0].endswith("│ █")


def test_bars_are_proportional_and_show_their_amounts() -> None:
    assert text_bars([("0 deg", 8.0), ("10 deg", 3.0), ("20 deg", math.nan)], unit="mm", width=2) == [
        " 0 deg │██ 8 mm",
        "10 deg │▊ 3 mm",
        "20 deg │ –",
    ]


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(DrycellError, match="0 x values but 0 y values"):
        text_curve([], [])
    with pytest.raises(DrycellError, match="a bar chart needs a row"):
        text_bars([])
