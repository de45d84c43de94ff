"""Plots: curves, samples and steps in panels, written as SVG or PNG without a screen, or as text for the terminal.

The same data give the same SVG text, so that tests can compare plots like any other output.
"""

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from drycell.base import DrycellError, beside

if TYPE_CHECKING:
    from types import ModuleType

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_ENDINGS: Final = (".svg", ".png")
_PANEL: Final = (7.2, 2.9)  # inches: two thirds of the width of a page, and high enough to read the curves
_HEAD: Final = 0.3  # inches: a line of the title
_LETTERS: Final = 9  # characters of the title per inch
_DOTS_PER_INCH: Final = 150

# Ink and paper match the line drawings; the colours are distinct for colour-blind readers (Okabe and Ito, 2008).
_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5c5c5c")
_INK: Final = "#1b2530"
_STYLE: Final[dict[str, object]] = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#9aa3ab",
    "axes.grid": True,
    "axes.labelcolor": _INK,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10.0,
    "axes.titleweight": "normal",
    "axes.labelsize": 9.0,
    "figure.titlesize": 12.0,
    "figure.titleweight": "bold",
    "font.family": ["DejaVu Sans"],  # included in matplotlib, so text widths are equal everywhere
    "grid.color": "#e4e7ea",
    "grid.linewidth": 0.8,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.0,
    "savefig.facecolor": "white",
    "svg.hashsalt": "drycell",  # otherwise, ids in the SVG would be random
    "text.color": _INK,
    "xtick.color": "#5a646d",
    "xtick.labelsize": 8.5,
    "ytick.color": "#5a646d",
    "ytick.labelsize": 8.5,
}


@dataclass(frozen=True)
class Series:
    """Values y over x: joined by a line, held until the next (``step``), as separate ``dots``, or as an area.

    A ``nan`` is a gap. ``area`` fills between the curve and zero. Colours follow the order of the series; ``colour`` is
    the index of a colour that must be the same in several panels.
    """

    x: Sequence[float]
    y: Sequence[float]
    label: str = ""
    style: Literal["line", "step", "dots", "dashed", "area"] = "line"
    colour: int | None = None

    def __post_init__(self) -> None:
        """Check that both columns have the same length."""
        if len(self.x) != len(self.y):
            raise DrycellError(
                f"the series {self.label!r} has {len(self.x)} x values but {len(self.y)} y values",
                hint="give one y for each x",
            )


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One pair of axes with its series; by default the ranges follow from the data.

    ``equal`` draws both axes to the same scale, for shapes. ``y_names`` writes texts at positions of
    the vertical axis instead of numbers.
    """

    title: str = ""
    x_label: str = ""
    y_label: str = ""
    series: Sequence[Series] = ()
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    equal: bool = False
    y_names: Mapping[float, str] = field(default_factory=dict)


def check_plot_name(path: str | Path) -> None:
    """Raise if a plot cannot be written under this name; call it before a long run."""
    if Path(path).suffix.lower() not in _ENDINGS:
        raise DrycellError(
            f"plots are SVG or PNG files, not {Path(path).name!r}",
            hint="use a name that ends in .svg",
        )
    _library()


def save_plot(
    path: str | Path,
    panels: Sequence[Panel],
    *,
    title: str = "",
    columns: int = 1,
    size: tuple[float, float] = _PANEL,
) -> None:
    """Write panels row by row into an SVG or PNG file; ``size`` is the size of one panel in inches."""
    check_plot_name(path)
    if not panels:
        raise DrycellError("a plot needs a panel", hint="give at least one Panel")
    if not 1 <= columns <= len(panels):
        raise DrycellError(f"{columns} columns for {len(panels)} panels", hint=f"use 1 to {len(panels)} columns")
    matplotlib, Figure = _library()
    rows = math.ceil(len(panels) / columns)
    with matplotlib.rc_context(_STYLE):
        headed = textwrap.wrap(title, int(_LETTERS * size[0] * columns))
        figure = Figure(figsize=(size[0] * columns, size[1] * rows + _HEAD * len(headed)), layout="constrained")
        if headed:
            figure.suptitle("\n".join(headed), x=0.01, ha="left")
        for number, panel in enumerate(panels, start=1):
            _draw(figure.add_subplot(rows, columns, number), panel)
        ending = Path(path).suffix.lower().removeprefix(".")
        # Author, date and version are not part of a plot.
        unsaid = dict.fromkeys(("Date", "Creator", "Format", "Type") if ending == "svg" else ("Software",))
        with beside(path) as written:
            figure.savefig(written, format=ending, dpi=_DOTS_PER_INCH, metadata=unsaid)


def _library() -> "tuple[ModuleType, type[Figure]]":
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise DrycellError(
            "plots need the library matplotlib, which is not installed", hint="pip install 'path/to/drycell[plot]'"
        ) from None
    return matplotlib, Figure


def _draw(axes: "Axes", panel: Panel) -> None:
    for index, series in enumerate(panel.series):
        place = index if series.colour is None else series.colour
        _curve(axes, series, _COLOURS[place % len(_COLOURS)])
    axes.set_title(panel.title)
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    if panel.equal:
        axes.set_aspect("equal", adjustable="datalim")
    if panel.x_range is not None:
        axes.set_xlim(*panel.x_range)
    if panel.y_range is not None:
        axes.set_ylim(*panel.y_range)
    if panel.y_names:
        axes.set_yticks(list(panel.y_names), list(panel.y_names.values()))
    if any(series.label for series in panel.series):
        axes.legend(loc="best")


def _curve(axes: "Axes", series: Series, colour: str) -> None:
    x, y = list(series.x), list(series.y)
    label = series.label or "_"  # matplotlib omits labels that start like this from a legend
    if series.style == "step":
        axes.step(x, y, where="post", color=colour, label=label)
    elif series.style == "dots":
        axes.plot(x, y, "o", color=colour, label=label, markeredgewidth=0.0)
    elif series.style == "area":
        axes.fill_between(x, y, color=colour, alpha=0.18, linewidth=0.0)
        axes.plot(x, y, color=colour, label=label)
    else:
        axes.plot(x, y, "--" if series.style == "dashed" else "-", color=colour, label=label)


_EIGHTHS: Final = " ▁▂▃▄▅▆▇█"
_PARTS: Final = " ▏▎▍▌▋▊▉█"


def text_curve(
    x: Sequence[float], y: Sequence[float], *, x_label: str = "", y_label: str = "", width: int = 64, height: int = 8
) -> list[str]:
    """Return the lines of a curve drawn as columns that start at zero, or at the lowest value if that is below zero.

    ``x`` ascends; each column shows the nearest value. Where ``y`` is ``nan``, nothing is drawn.
    """
    if not x or len(x) != len(y):
        raise DrycellError(f"the curve has {len(x)} x values but {len(y)} y values", hint="give one y for each x")
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
    """Return a text bar for each named amount; the largest fills the width."""
    if not rows:
        raise DrycellError("a bar chart needs a row", hint="give at least one name with its amount")
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
