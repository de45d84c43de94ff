"""Charts of the tables: how busy machines were over time, cycle times one by one, and how they spread."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final

from drycell.studio.api.tables import CycleRow, MachineRow

_COLOURS: Final = ["#1e88e5", "#43a047", "#fb8c00", "#8e24aa", "#00897b", "#6d4c41", "#c0ca33", "#546e7a"]
_TEXT: Final = {"color": "#8a97a3", "fontSize": 11}
_THIN: Final = {"width": 1.5}
_GRID: Final = {"left": 44, "right": 14, "top": 26, "bottom": 24}


def usage_chart(machines: Sequence[MachineRow], t: int) -> dict[str, Any]:
    """The share of the run so far that machines and robots worked, in percent, up to an instant in ticks: each line
    ends at what its table says."""
    return _chart(
        "busy %",
        {"type": "value", **_axis()},
        {"type": "value", "min": 0, "max": 100, **_axis()},
        [
            {
                "type": "line",
                "name": row.name,
                "symbol": "none",
                "lineStyle": {"width": 1.5},
                "data": _so_far(row, t),
            }
            for row in machines
        ],
        legend=True,
    )


def _so_far(row: MachineRow, t: int) -> list[list[float]]:
    covered = list(accumulate(row.shares))[:-1]  # the last stretch may be shorter than the others
    points = [[round((k + 1) * row.step_s, 3), round(100 * each / (k + 1), 2)] for k, each in enumerate(covered)]
    return [*points, [round(t / 1e6, 3), round(100 * row.busy, 2)]]


def cycle_chart(rows: Sequence[CycleRow], mean: float | None) -> dict[str, Any]:
    """The run chart: every cycle time at the instant its part was done, and the mean of all."""
    data = [[round(row.time_s, 3), round(row.span_s, 3)] for row in rows if row.span_s is not None]
    level = [] if mean is None else [{"yAxis": mean}]
    line = {"silent": True, "symbol": "none", "label": {"show": False}, "data": level}
    series = {"type": "line", "symbolSize": 4, "lineStyle": {"width": 1}, "data": data, "markLine": line}
    x, y = {"type": "value", "scale": True, **_axis()}, {"type": "value", "scale": True, **_axis()}
    return _chart("cycle s, by when it ended", x, y, [series])


def histogram_chart(bars: Sequence[tuple[float, float, int]]) -> dict[str, Any]:
    """How many cycle times there are of each length."""
    x = {"type": "category", "data": [f"{low:g}–{high:g}" for low, high, _ in bars], **_axis()}
    y = {"type": "value", "minInterval": 1, **_axis()}
    series = {"type": "bar", "barCategoryGap": "8%", "data": [count for _, _, count in bars]}
    return _chart("cycles, by length in s", x, y, [series])


def _axis() -> dict[str, Any]:
    return {
        "axisLabel": {"hideOverlap": True, **_TEXT},
        "axisLine": {"lineStyle": {"color": "#8a97a366"}},
        "splitLine": {"lineStyle": {"color": "#8a97a333"}},
    }


def _chart(
    title: str, x: dict[str, Any], y: dict[str, Any], series: list[dict[str, Any]], legend: bool = False
) -> dict[str, Any]:
    return {
        "animation": False,
        "color": list(_COLOURS),
        "title": {"text": title, "left": 8, "top": 4, "textStyle": {"fontWeight": "normal", **_TEXT}},
        "legend": {"show": legend, "top": 2, "right": 10, "itemHeight": 8, "itemWidth": 14, "textStyle": dict(_TEXT)},
        "grid": dict(_GRID),
        "tooltip": {"trigger": "axis", "confine": True, "textStyle": {"fontSize": 11}},
        "xAxis": x,
        "yAxis": y,
        "series": series,
    }
