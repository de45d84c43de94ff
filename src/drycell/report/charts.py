"""Small SVG charts for pages: bars, sparklines, histograms, values over time. The page's style colours them.

Coordinates are rounded to a tenth of a pixel and nothing is drawn at random, so the same numbers give the same text.
Everything that is shown as text is escaped here.
"""

import html
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

_HIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")  # not allowed in a page
_STEPS: Final = (1.0, 2.0, 5.0)
_TIME_STEPS: Final = (10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400)  # seconds


def escaped(text: object) -> str:
    """Escape text for a page or an attribute; characters that are not allowed in a page become �."""
    return html.escape(_HIDDEN.sub("\N{REPLACEMENT CHARACTER}", str(text)))


def shortened(text: str, most: int) -> str:
    """Shorten text to at most ``most`` characters."""
    return text if len(text) <= most else text[: max(most - 1, 0)] + "…"


def coordinate(value: float) -> str:
    """Format a coordinate to a tenth of a pixel, in as few characters as possible."""
    written = f"{value:.1f}".removesuffix(".0")
    return "0" if written == "-0" else written


def svg(width: float, height: float, body: str, title: str, kind: str) -> str:
    """A drawing in the page; ``kind`` is its CSS class, and ``title`` describes it to screen readers."""
    size = f"{coordinate(width)} {coordinate(height)}"
    return (
        f'<svg class="{kind}" viewBox="0 0 {size}" width="{coordinate(width)}" height="{coordinate(height)}" '
        f'role="img"><title>{escaped(title)}</title>{body}</svg>'
    )


def label(x: float, y: float, text: str, kind: str = "") -> str:
    """A line of text in a drawing."""
    classes = f' class="{kind}"' if kind else ""
    return f'<text x="{coordinate(x)}" y="{coordinate(y)}"{classes}>{escaped(text)}</text>'


def nice_step(span: float, most: int) -> float:
    """Return the smallest step of 1, 2 or 5 times a power of ten that divides a span into at most ``most`` parts."""
    if not span > 0:
        return 1.0
    power: float = 10.0 ** math.floor(math.log10(span / most))
    return next(step * power for step in (*_STEPS, 10.0, 20.0) if span / (step * power) <= most)


def time_step(span: float, most: int) -> float:
    """A round step for seconds; from 15 s up, it divides minutes and hours evenly."""
    step = nice_step(span, most)
    if step < _TIME_STEPS[0]:
        return step
    return next((float(each) for each in _TIME_STEPS if span / each <= most), step)


def ticks_between(low: float, high: float, step: float) -> list[float]:
    """The multiples of a step between two numbers."""
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def time_label(seconds: float, step: float, longest: float) -> str:
    """A time label of an axis that ends at ``longest``: ``12.5`` (s), ``4:30`` (min:s) or ``7:59:30`` (h:min:s)."""
    digits = decimals(step)
    if longest < 120:
        return f"{seconds:.{digits}f}"
    whole = round(seconds, digits)
    minutes, rest = divmod(whole, 60)
    written = f"{rest:0{3 + digits if digits else 2}.{digits}f}"
    if longest < 3600:
        return f"{int(minutes)}:{written}"
    return f"{int(minutes) // 60}:{int(minutes) % 60:02d}:{written}"


def time_unit(longest: float) -> str:
    """Return the unit of the labels of an axis that ends at ``longest`` seconds."""
    return "s" if longest < 120 else "min:s" if longest < 3600 else "h:min:s"


def decimals(step: float) -> int:
    """The number of decimals that multiples of a step need."""
    return max(0, -math.floor(math.log10(step) + 1e-9)) if step < 1 else 0


# ---------------------------------------------------------------- charts


def bar(share: float, title: str) -> str:
    """A bar from 0 to 100 %."""
    filled = 140 * min(max(share, 0.0), 1.0)
    body = f'<rect class="rail" width="140" height="12"/><rect class="fill" width="{coordinate(filled)}" height="12"/>'
    return svg(140, 12, body, title, "bar")


def sparkline(shares: Sequence[float], title: str) -> str:
    """Fractions over time as a step chart; the full height is 100 %."""
    width, height = 180.0, 28.0
    step = width / max(len(shares), 1)
    edge = "".join(
        f"V{coordinate(height - 1 - (height - 2) * min(max(share, 0.0), 1.0))}H{coordinate(step * (place + 1))}"
        for place, share in enumerate(shares)
    )
    base = coordinate(height - 1)
    area = f'<path class="area" d="M0 {base}{edge}V{base}z"/>' if shares else ""
    return svg(width, height, f'{area}<path class="base" d="M0 {base}H{coordinate(width)}"/>', title, "spark")


def histogram(values: Sequence[float], unit: str, title: str) -> str:
    """A histogram: the number of values in equal ranges, as bars."""
    width, height, left, bottom, top = 440.0, 220.0, 40.0, 40.0, 14.0
    low, high = min(values), max(values)
    step = nice_step(high - low, 16)
    first = math.floor(low / step)
    counts = [0] * (max(math.floor(high / step), first) - first + 1)
    for value in values:
        counts[math.floor(value / step) - first] += 1
    most = max(counts)
    grid = max(nice_step(most, 4), 1.0)
    up = (height - bottom - top) / most
    parts = _levels(ticks_between(0, most, grid), lambda count: height - bottom - up * count, left, width, 0)
    wide = (width - left - 10) / len(counts)
    for place, count in enumerate(counts):
        if count:
            x, tall = left + wide * place + 1, up * count
            shape = f'x="{coordinate(x)}" y="{coordinate(height - bottom - tall)}" width="{coordinate(wide - 2)}"'
            parts.append(f'<rect class="fill" {shape} height="{coordinate(tall)}"/>')
    every = math.ceil(len(counts) / 8)
    for place in range(0, len(counts) + 1, every):
        text = f"{(first + place) * step:.{decimals(step)}f}"
        parts.append(label(left + wide * place, height - bottom + 16, text, "mid"))
    parts.append(label((left + width) / 2, height - 6, unit, "mid axis"))
    return svg(width, height, "".join(parts), title, "chart")


def over_time(points: Sequence[tuple[float, float]], mean: float, unit: str, end: float, title: str) -> str:
    """Draw values over time as dots, with a line at their mean. Overlapping dots are drawn once, so that the chart of
    a long run is not larger than that of a short one."""
    width, height, left, bottom, top = 440.0, 220.0, 48.0, 40.0, 14.0
    low, high = min(value for _, value in points), max(value for _, value in points)
    step = nice_step((high - low) or abs(high) or 1.0, 5)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    if high == low:
        low, high = low - step, high + step
    across = (width - left - 26) / (end or 1.0)
    up = (height - bottom - top) / (high - low)

    def place(value: float) -> float:
        return height - bottom - up * (value - low)

    parts = _levels(ticks_between(low, high, step), place, left, width, decimals(step))
    hours = time_step(end, 6)
    for tick in ticks_between(0, end, hours):
        parts.append(label(left + across * tick, height - bottom + 16, time_label(tick, hours, end), "mid"))
    dots = sorted({(round(left + across * t), round(place(value))) for t, value in points})
    parts.append(f'<path class="mean" d="M{coordinate(left)} {coordinate(place(mean))}H{coordinate(width - 26)}"/>')
    drawn = "".join(f"M{x} {y}h0" for x, y in dots)
    parts.append(f'<path class="dots" d="{drawn}"/>')
    parts.append(label((left + width) / 2, height - 6, f"{unit}, over the run ({time_unit(end)})", "mid axis"))
    return svg(width, height, "".join(parts), title, "chart")


@dataclass(frozen=True, slots=True)
class Interval:
    """A line of a chart of intervals: its label, the mean with the limits of its interval, and single values."""

    label: str
    low: float
    mean: float
    high: float
    values: tuple[float, ...] = ()


def intervals(lines: Sequence[Interval], unit: str, title: str) -> str:
    """Intervals, one below the other on a common axis, with their means and single values."""
    width, left, top, step = 900.0, 300.0, 10.0, 24.0
    finite = [each for line in lines for each in (line.low, line.mean, line.high, *line.values) if math.isfinite(each)]
    low, high = min(finite), max(finite)
    if low == high:
        low, high = low - (abs(low) or 1.0) / 10, high + (abs(high) or 1.0) / 10
    across = (width - left - 30) / (high - low)
    bottom = top + step * len(lines)

    def place(value: float) -> str:
        return coordinate(left + across * (min(max(value, low), high) - low))

    grid = nice_step(high - low, 7)
    parts = []
    for tick in ticks_between(low, high, grid):
        parts.append(f'<path class="grid" d="M{place(tick)} {coordinate(top)}V{coordinate(bottom)}"/>')
        parts.append(label(float(place(tick)), bottom + 16, f"{tick:.{decimals(grid)}f}", "mid"))
    for number, line in enumerate(lines):
        y = top + step * (number + 0.5)
        parts.append(label(left - 10, y + 4, shortened(line.label, 48), "end"))
        dots = "".join(f"M{x} {coordinate(y)}h0" for x in dict.fromkeys(map(place, line.values)))
        parts.append(f'<path class="dots pale" d="{dots}"/>' if dots else "")
        if math.isfinite(line.mean):
            parts.append(f'<path class="line" d="M{place(line.low)} {coordinate(y)}H{place(line.high)}"/>')
            parts.append(f'<path class="line l0" d="M{place(line.mean)} {coordinate(y - 6)}v12"/>')
    parts.append(label((left + width) / 2, bottom + 34, unit, "mid axis"))
    return svg(width, bottom + 40, "".join(parts), title, "chart")


def distributions(groups: Sequence[tuple[str, Sequence[float]]], unit: str, title: str) -> str:
    """The fraction of values up to each value, as steps, for at most six groups."""
    width, height, left, bottom, top = 440.0, 240.0, 48.0, 40.0, 14.0
    legend = 16.0 * len(groups) if len(groups) > 1 else 0.0
    values = [each for _, several in groups for each in several]
    low, high = min(values), max(values)
    if low == high:
        low, high = low - 1.0, high + 1.0
    across, up = (width - left - 16) / (high - low), height - bottom - top
    parts = _levels([0.0, 0.25, 0.5, 0.75, 1.0], lambda share: height - bottom - up * share, left, width, 2)
    grid = nice_step(high - low, 6)
    for tick in ticks_between(low, high, grid):
        parts.append(label(left + across * (tick - low), height - bottom + 16, f"{tick:.{decimals(grid)}f}", "mid"))
    for number, (name, several) in enumerate(groups):
        ordered = sorted(several)
        path = f"M{coordinate(left)} {coordinate(height - bottom)}"
        for count, value in enumerate(ordered, 1):
            if count == len(ordered) or ordered[count] != value:
                x, y = left + across * (value - low), height - bottom - up * count / len(ordered)
                path += f"H{coordinate(x)}V{coordinate(y)}"
        parts.append(f'<path class="line l{number % 6}" d="{path}H{coordinate(width - 16)}"/>')
        if legend:
            y = height + 16.0 * number + 4
            parts.append(f'<path class="line l{number % 6}" d="M{coordinate(left)} {coordinate(y - 4)}h20"/>')
            parts.append(label(left + 28, y, shortened(name, 60), "small"))
    parts.append(label((left + width) / 2, height - 6, unit, "mid axis"))
    return svg(width, height + legend, "".join(parts), title, "chart")


def convergence(points: Sequence[tuple[int, float, float, float]], unit: str, title: str) -> str:
    """A mean with its interval over the number of runs: (runs, mean, low, high) each."""
    width, height, left, bottom, top = 440.0, 240.0, 56.0, 40.0, 14.0
    limits = [each for _, mean, below, above in points for each in (mean, below, above) if math.isfinite(each)]
    low, high = min(limits), max(limits)
    step = nice_step((high - low) or abs(high) or 1.0, 5)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    if low == high:
        low, high = low - step, high + step
    first, last = points[0][0], points[-1][0]
    across, up = (width - left - 16) / max(last - first, 1), (height - bottom - top) / (high - low)

    def at(count: int, value: float) -> str:
        return f"{coordinate(left + across * (count - first))} {coordinate(height - bottom - up * (value - low))}"

    parts = _levels(
        ticks_between(low, high, step), lambda value: height - bottom - up * (value - low), left, width, decimals(step)
    )
    known = [each for each in points if math.isfinite(each[2]) and math.isfinite(each[3])]
    if known:
        edge = [at(count, above) for count, _, _, above in known]
        edge += [at(count, below) for count, _, below, _ in reversed(known)]
        parts.append(f'<path class="band" d="M{"L".join(edge)}z"/>')
    parts.append(f'<path class="line" d="M{"L".join(at(count, mean) for count, mean, _, _ in points)}"/>')
    every = max(nice_step(max(last - first, 1), 6), 1.0)
    for tick in ticks_between(first, last, every):
        parts.append(label(left + across * (tick - first), height - bottom + 16, f"{tick:.0f}", "mid"))
    parts.append(label((left + width) / 2, height - 6, f"{unit}, over the number of seeds", "mid axis"))
    return svg(width, height, "".join(parts), title, "chart")


def _levels(
    values: Sequence[float], place: Callable[[float], float], left: float, width: float, digits: int
) -> list[str]:
    """Horizontal grid lines with their values on the left, without repeated labels."""
    parts = []
    for text, same in groupby(values, key=lambda value: f"{value:.{digits}f}"):
        y = place(next(same))
        parts.append(f'<path class="grid" d="M{coordinate(left)} {coordinate(y)}H{coordinate(width)}"/>')
        parts.append(label(left - 6, y + 4, text, "end"))
    return parts
