"""Plots in letters, for the terminal: a curve as columns, amounts as rows of bars."""

import math
from collections.abc import Sequence
from typing import Final

from drycell.base import DrycellError

_EIGHTHS: Final = " ▁▂▃▄▅▆▇█"
_PARTS: Final = " ▏▎▍▌▋▊▉█"


def text_curve(
    x: Sequence[float], y: Sequence[float], *, x_label: str = "", y_label: str = "", width: int = 64, height: int = 8
) -> list[str]:
    """The lines of a curve drawn as columns that stand on zero, or on its lowest value if that is below.

    ``x`` ascends; each column shows the value nearest to it. Where ``y`` is ``nan`` nothing is drawn.
    """
    if not x or len(x) != len(y):
        raise DrycellError(f"a curve with {len(x)} values of x and {len(y)} of y", hint="give one y for each x")
    seen = [value for value in y if not math.isnan(value)]
    low, high = min(0.0, *seen, 0.0), max(0.0, *seen, 0.0)
    span = (high - low) or 1.0
    columns = [_nearest(x, y, x[0] + (x[-1] - x[0]) * (index + 0.5) / width) for index in range(width)]
    filled = [0 if math.isnan(value) else round((value - low) / span * 8 * height) for value in columns]
    names = {0: f"{low + span:.4g}", height - 1: f"{low:.4g}"}
    margin = max(map(len, names.values()))
    lines = [f"{y_label}"] if y_label else []
    for row in range(height):
        level = 8 * (height - 1 - row)
        bars = "".join(_EIGHTHS[max(0, min(8, count - level))] for count in filled)
        lines.append(f"{names.get(row, ''):>{margin}} │{bars}".rstrip())
    lines.append(f"{'':{margin}} └{'─' * width}")
    first, last = f"{x[0]:.4g}", f"{x[-1]:.4g}"
    lines.append(f"{'':{margin}}  {first}{x_label:^{width - len(first) - len(last)}}{last}")
    return lines


def text_bars(rows: Sequence[tuple[str, float]], *, unit: str = "", width: int = 48) -> list[str]:
    """A line for each named amount, drawn as a bar: the greatest is as long as there is room."""
    if not rows:
        raise DrycellError("bars without rows", hint="give at least one name with its amount")
    longest = max(0.0, *(amount for _, amount in rows if not math.isnan(amount)), 0.0) or 1.0
    margin = max(len(name) for name, _ in rows)
    lines = []
    for name, amount in rows:
        count = 0 if math.isnan(amount) else max(0, round(amount / longest * 8 * width))
        bar = "█" * (count // 8) + _PARTS[count % 8].strip()
        said = "–" if math.isnan(amount) else f"{amount:.4g}{' ' if unit else ''}{unit}"
        lines.append(f"{name:>{margin}} │{bar} {said}")
    return lines


def _nearest(x: Sequence[float], y: Sequence[float], wanted: float) -> float:
    return y[min(range(len(x)), key=lambda index: abs(x[index] - wanted))]
