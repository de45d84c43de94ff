"""The timing diagram of a run as SVG: states of devices, motions of robots, waits of programs and signals over time.

It shows a readable window of the run with at most 24 rows, and reports what it omits. Changes that are closer together
than a pixel are drawn as one grey block: nothing is hidden, and a long window stays small.
"""

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import groupby
from typing import Any, Final, NamedTuple

from drycell.base import DrycellError, UnknownName, format_time
from drycell.kernel import Changes, Track, seconds
from drycell.record import Record, figures
from drycell.report import charts
from drycell.report.charts import coordinate, escaped, shortened

MOST_ROWS: Final = 24
_CYCLES: Final = 3  # shown unless a window is requested
_BUSIEST: Final = 120  # changes of one row in the default window
_AT_LEAST: Final = 40  # changes of the busiest row, where the run has no cycles
_NARROW: Final = 0.8  # pixels
_LEFT, _WIDTH, _RIGHT = 172.0, 716.0, 72.0
_TALL: Final = {"number": 30.0}
_ROW, _GAP, _HEAD = 16.0, 6.0, 20.0
_COLOURS: Final = 6  # classes s0 to s5 for values that have no colour of their own
_KNOWN: Final = {"idle": "idle", "working": "use", "broken": "bad"}


class TimingSpan(NamedTuple):
    """An interval with one value; the value is None where it changed too often to be drawn."""

    start: int
    end: int
    value: Any
    dense: bool = False


@dataclass(frozen=True, slots=True)
class TimingRow:
    """A row of the diagram. ``form`` is ``bool``, ``number``, ``text``, ``state``, ``moving``, ``waits``, ``marks``."""

    group: str
    name: str
    form: str
    track: Track[Any] | None = None
    unit: str = ""
    stretches: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class TimingChart:
    """The diagram of a window, and a list of what it omits."""

    start: int
    end: int
    why: str
    svg: str
    rows: tuple[str, ...]
    """The names of the rows that are shown, in order."""
    left_out: tuple[str, ...]
    """Rows that change in the window but for which there is no room."""
    constant: int
    """The number of signals that do not change in the window."""

    @property
    def dense(self) -> bool:
        """Whether some changes are too close together to draw one by one."""
        return 'class="many"' in self.svg


def timing_diagram(
    record: Record, t: int, *, window: tuple[int, int] | None = None, signals: Sequence[str] | None = None
) -> TimingChart:
    """Draw a window of a run of ``t`` ticks.

    Without a ``window`` (ticks), it shows the last cycles, or the time around the first collision. Without ``signals``
    (names; ``*`` and ``?`` are wildcards), those that programs wait for come first.

    Raises:
        DrycellError: The window is not within the run.
        UnknownName: A signal does not exist.
    """
    chosen = None if signals is None else _chosen(record, signals)
    start, end, why = _window(record, t) if window is None else (*_within(window, t), "as requested")
    fixed = _fixed(record, start, end)
    changing = [name for name in record.signals if _changes(record.signals[name], start, end)]
    if chosen is None:
        wanted = _informative(record, t, [name for name in changing if not record.signals[name].quiet])
    else:
        wanted = chosen
    room = max(MOST_ROWS - len(fixed), MOST_ROWS // 3)
    shown = set(wanted[:room])
    rows = fixed[: MOST_ROWS - len(shown)]
    rows += [_signal_row(name, record.signals[name]) for name in record.signals if name in shown]
    left_out = [row.name for row in fixed[MOST_ROWS - len(shown) :]] + wanted[room:]
    collisions = [collision.time for collision in figures.collisions(record, t) if start <= collision.time <= end]
    constant = 0 if chosen is not None else len(record.signals) - len(changing)
    drawn = _draw(rows, start, end, collisions)
    return TimingChart(start, end, why, drawn, tuple(row.name for row in rows), tuple(left_out), constant)


# ---------------------------------------------------------------- which window


def _within(window: tuple[int, int], t: int) -> tuple[int, int]:
    start, end = window
    if not 0 <= start < end <= t:
        raise DrycellError(
            f"a timing diagram from {format_time(seconds(start))} to {format_time(seconds(end))} is not within the run",
            where=f"a run from 0 s to {format_time(seconds(t))}",
            hint="choose a start before the end, both within the run",
        )
    return start, end


def _window(record: Record, t: int) -> tuple[int, int, str]:
    """The most informative window: around the first collision, or the last cycles, or the last changes."""
    finishes = figures.parts(record, t).finished(_CYCLES + 1)
    if len(finishes) > 1:
        start = max(round(finishes[0].time * 1e6), _since(record, t, _BUSIEST))
        whole = start == round(finishes[0].time * 1e6)
        cycles = len(finishes) - 1
        why = f"the last {cycles} cycles" if cycles > 1 else "the last cycle"
        why = why if whole else "the last changes"
    else:
        start = _since(record, t, _AT_LEAST)
        why = "the last changes"
    if start <= t // 20:
        return 0, t, "the whole run"
    collisions = figures.collisions(record, t)
    if collisions and collisions[0].time < start:
        length = t - start
        begin = max(collisions[0].time - 2 * length // 3, 0)
        return begin, begin + length, "around the first collision"
    return start, t, why


def _since(record: Record, t: int, most: int) -> int:
    """The earliest start at which no switching row exceeds its limit of changes; numbers count if nothing switches."""
    switching: list[Sequence[int]] = [track.times for track in record.tracks.named("states").values()]
    switching += [record.moving(name).starts for name in record.tracks.named("moves")]
    shown = [changes for changes in record.signals.values() if not changes.quiet]
    switching += [changes.times for changes in shown if changes.type in ("bool", "str")]
    if not any(len(times) > 1 for times in switching):
        switching, most = [changes.times for changes in shown], 2 * most
    since = 0
    for times in switching:
        last = bisect_right(times, t)
        if last > most:
            since = max(since, times[last - most])
    return since


# ---------------------------------------------------------------- which rows


def _fixed(record: Record, start: int, end: int) -> list[TimingRow]:
    """The rows that do not come from signals: finished parts, devices, robots, waiting programs."""
    rows = []
    marks = [round(each.time * 1e6) for each in figures.parts(record, end).finished()]
    inside = tuple((mark, mark) for mark in marks if start <= mark <= end)
    if inside:
        rows.append(TimingRow("Parts", "finished", "marks", stretches=inside))
    rows += [TimingRow("Devices", name, "state", track) for name, track in record.tracks.named("states").items()]
    for name in record.tracks.named("moves"):
        moves = tuple(each for each in record.moving(name).until(end) if each[1] > start)
        rows.append(TimingRow("Robots in motion", name, "moving", stretches=moves))
    for name, track in record.tracks.named("waits").items():
        waits = any(stretch.value is not None for stretch in _stretches(track, start, end))
        if waits and name not in record.tracks.daemons:
            rows.append(TimingRow("Programs waiting", name, "waits", track))
    return rows


def _signal_row(name: str, changes: Changes[Any]) -> TimingRow:
    form = {"bool": "bool", "str": "text"}.get(changes.type, "number")
    return TimingRow("Signals", name, form, changes, changes.unit)


def _chosen(record: Record, patterns: Sequence[str]) -> list[str]:
    found: dict[str, None] = {}
    for pattern in patterns:
        names = [pattern] if pattern in record.signals else [n for n in record.signals if fnmatchcase(n, pattern)]
        if not names:
            raise UnknownName("signal", pattern, record.signals)
        found |= dict.fromkeys(names)
    return list(found)


def _informative(record: Record, t: int, names: Sequence[str]) -> list[str]:
    """Signals, the most informative first: those that programs wait for, then switching ones, then numbers."""
    conditions = [line.condition for line in figures.wait_lines(record, t)]
    kinds = {"bool": 1, "str": 2, "int": 3, "float": 4}

    def rank(name: str) -> int:
        return 0 if any(_names(text, name) for text in conditions) else kinds[record.signals[name].type]

    return sorted(names, key=rank)


def _names(condition: str, signal: str) -> bool:
    """Whether a condition refers to a signal: ``belt.run`` is not about ``belt``, nor ``eye2`` about ``eye``."""
    return signal in condition and bool(
        re.search(rf"(?<![\w./]){re.escape(signal)}(?![\w/]|\.\w)", condition)  # the substring test is faster
    )


def _changes(changes: Changes[Any], start: int, end: int) -> bool:
    """Whether a signal changes within a window."""
    return changes.count(end) > max(changes.count(start), 1)


# ---------------------------------------------------------------- values over time


def _stretches(track: Track[Any], start: int, end: int) -> Iterator[TimingSpan]:
    """The values of a track within a window, each with its start and end."""
    first, last = max(track.count(start) - 1, 0), track.count(end)
    before: TimingSpan | None = None
    for place in range(first, last):
        value = track.values[place]
        begin = max(track.times[place], start)
        until = min(track.times[place + 1], end) if place + 1 < len(track) else end
        if before is not None and before.value == value:
            before = TimingSpan(before.start, until, value)
        elif until > begin or place == last - 1:  # shows a change at the very end as an edge
            if before is not None:
                yield before
            before = TimingSpan(begin, until, value)
    if before is not None:
        yield before


def _thinned(stretches: Iterable[TimingSpan], scale: float) -> list[TimingSpan]:
    """Merge adjacent intervals that would each be narrower than a pixel."""
    found: list[TimingSpan] = []
    for stretch in stretches:
        if found and (stretch.end - stretch.start) * scale < _NARROW:
            last = found[-1]
            if last.dense or (last.end - last.start) * scale < _NARROW:
                found[-1] = TimingSpan(last.start, stretch.end, None, True)
                continue
        found.append(stretch)
    return found


# ---------------------------------------------------------------- drawing


class _Paper:
    """Maps times in the window to positions on the page."""

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end
        self.scale = _WIDTH / (end - start)
        self.parts: list[str] = []

    def x(self, t: float) -> float:
        return _LEFT + (t - self.start) * self.scale

    def boxes(self, kind: str, stretches: Iterable[tuple[int, int]], y: float, height: float) -> None:
        """Draw boxes of one colour as one path; each box is wide enough to be visible."""
        drawn = []
        for start, end in stretches:
            width = max((end - start) * self.scale, 0.6)
            drawn.append(f"M{coordinate(self.x(start))} {coordinate(y)}h{coordinate(width)}v{coordinate(height)}")
            drawn.append(f"h-{coordinate(width)}z")
        if drawn:
            self.parts.append(f'<path class="{kind}" d="{"".join(drawn)}"/>')

    def caption(self, stretch: TimingSpan, text: str, y: float) -> None:
        """Draw text inside a box, shortened to fit."""
        width = (stretch.end - stretch.start) * self.scale
        fits = int((width - 6) / 5.2)
        if fits >= min(len(text), 4):
            middle = self.x((stretch.start + stretch.end) / 2)
            self.parts.append(charts.label(middle, y + 12, shortened(text, fits), "mid in"))


def _draw(rows: Sequence[TimingRow], start: int, end: int, collisions: Sequence[int]) -> str:
    if not rows or end <= start:
        return ""
    paper = _Paper(start, end)
    y, group = 8.0, ""
    legend: dict[str, str] = {}
    for row in rows:
        if row.group != group:
            group = row.group
            y += _HEAD
            paper.parts.append(charts.label(0, y - 5, group, "group"))
        tall = _TALL.get(row.form, _ROW)
        name = f"<title>{escaped(row.name)}</title>{escaped(shortened(row.name, 27))}"
        paper.parts.append(
            f'<text x="{coordinate(_LEFT - 8)}" y="{coordinate(y + tall / 2 + 4)}" class="end">{name}</text>'
        )
        _draw_row(paper, row, y, tall, legend)
        y += tall + _GAP
    bottom = y
    under = _axis(paper, bottom)
    if collisions:
        places = sorted({coordinate(paper.x(t)) for t in collisions})
        lines = "".join(f"M{x} 4V{coordinate(bottom)}" for x in places)
        paper.parts.append(f'<path class="hit" d="{lines}"/>')
    height = bottom + 40
    if legend or collisions:
        x = _LEFT
        entries = [(text, f'<rect class="{kind}" width="12" height="12"') for text, kind in legend.items()]
        if collisions:
            entries.append(("collision", '<rect class="hitbox" width="3" height="12"'))
        for text, shape in entries:
            wide = 30 + 6.2 * min(len(text), 24)
            if x + wide > _LEFT + _WIDTH and x > _LEFT:
                x, height = _LEFT, height + 18
            paper.parts.append(f'{shape} x="{coordinate(x)}" y="{coordinate(height)}"/>')
            paper.parts.append(charts.label(x + 17, height + 10.5, shortened(text, 24)))
            x += wide
        height += 20
    names = f"Timing diagram, {format_time(seconds(start))} to {format_time(seconds(end))}"
    return charts.svg(_LEFT + _WIDTH + _RIGHT, height, under + "".join(paper.parts), names, "timing")


def _draw_row(paper: _Paper, row: TimingRow, y: float, tall: float, legend: dict[str, str]) -> None:
    if row.form == "marks":
        places = sorted({coordinate(paper.x(start)) for start, _ in row.stretches}, key=float)
        path = "".join(f"M{x} {coordinate(y + 2)}l4 6l-4 6l-4 -6z" for x in places)
        paper.parts.append(f'<path class="mark" d="{path}"/>')
    elif row.form == "moving":
        moves = (TimingSpan(max(a, paper.start), min(b, paper.end), True) for a, b in row.stretches)
        _draw_boxes(paper, _with_gaps(moves, paper), y, {True: "use"})
    elif row.track is not None and row.form == "number":
        _draw_number(paper, row, row.track, y, tall)
    elif row.track is not None:
        thin = _thinned(_stretches(row.track, paper.start, paper.end), paper.scale)
        if row.form == "bool":
            _draw_bool(paper, thin, y, tall)
        elif row.form == "waits":
            _draw_boxes(paper, thin, y, {})
        else:
            colours = _colours(thin, legend if row.form == "state" else {})
            _draw_boxes(paper, thin, y, colours)


def _with_gaps(stretches: Iterable[TimingSpan], paper: _Paper) -> list[TimingSpan]:
    """Busy and idle intervals, thinned so that quick moves do not look like one long move."""
    found: list[TimingSpan] = []
    for stretch in stretches:
        before = found[-1].end if found else paper.start
        if stretch.start > before:
            found.append(TimingSpan(before, stretch.start, None))
        found.append(stretch)
    return _thinned(found, paper.scale)


def _colours(stretches: Sequence[TimingSpan], legend: dict[str, str]) -> dict[Any, str]:
    """The colour of each value: a fixed one for known states, otherwise the next from a short list."""
    found: dict[Any, str] = {}
    for stretch in stretches:
        value = stretch.value
        if not stretch.dense and value not in found:
            others = sum(kind.startswith("s") for kind in legend.values())
            found[value] = legend.setdefault(str(value), _KNOWN.get(str(value), f"s{others % _COLOURS}"))
    return found


def _draw_boxes(paper: _Paper, stretches: Sequence[TimingSpan], y: float, colours: dict[Any, str]) -> None:
    """One box per value; intervals without a value (robot at rest, program running) stay blank."""
    boxes: dict[str, list[tuple[int, int]]] = {}
    labels: list[tuple[TimingSpan, str]] = []
    for stretch in stretches:
        if stretch.dense:
            boxes.setdefault("many", []).append(stretch[:2])
        elif stretch.value is not None:
            boxes.setdefault(colours.get(stretch.value, "wait"), []).append(stretch[:2])
            text = getattr(stretch.value, "condition", stretch.value)
            if isinstance(text, str) and text != "idle":
                labels.append((stretch, text))
    for kind, places in boxes.items():
        paper.boxes(kind, places, y, _ROW)
    for stretch, text in labels:
        paper.caption(stretch, text, y)


def _draw_bool(paper: _Paper, stretches: Sequence[TimingSpan], y: float, tall: float) -> None:
    """A waveform that is high while the value is true."""
    high, low = coordinate(y + 2), coordinate(y + tall - 1)
    paper.boxes("many", (each[:2] for each in stretches if each.dense), y + 2, tall - 3)
    paper.boxes("on", (each[:2] for each in stretches if each.value and not each.dense), y + 2, tall - 3)
    words: list[str] = []
    for stretch in stretches:
        level = high if stretch.value else low
        move = f"V{level}" if words else f"M{coordinate(paper.x(stretch.start))} {level}"
        words.append(f"{move}H{coordinate(paper.x(stretch.end))}")
    paper.parts.append(f'<path class="wave" d="{"".join(words)}"/>')


def _draw_number(paper: _Paper, row: TimingRow, track: Track[Any], y: float, tall: float) -> None:
    """A step line scaled to the smallest and largest value in the window, which are printed on its right. If several
    values begin in one pixel column, it draws the smallest, the largest and the last.
    """
    steps = [(paper.x(each.start), _real(each.value)) for each in _stretches(track, paper.start, paper.end)]
    finite = [value for _, value in steps if math.isfinite(value)]
    if not finite:
        return
    low, high = min(finite), max(finite)

    def place(value: float) -> str:
        share = (value / 2 - low / 2) / (high / 2 - low / 2) if high > low else 0.5  # halved to avoid overflow
        return coordinate(y + tall - 2 - (tall - 4) * share)

    words: list[str] = []
    drawing = False
    for _, column in groupby(steps, key=lambda step: int(step[0])):
        begun = list(column)
        x, values = coordinate(begun[0][0]), [value for _, value in begun if math.isfinite(value)]
        if drawing:
            words.append(f"H{x}")
        drawing = bool(values)
        if not values:
            continue
        words.append(f"V{place(values[0])}" if words and words[-1] == f"H{x}" else f"M{x} {place(values[0])}")
        if len(values) > 2:
            words.append(f"V{place(min(values))}V{place(max(values))}")
        words.append(f"V{place(values[-1])}")
    if drawing:
        words.append(f"H{coordinate(_LEFT + _WIDTH)}")
    paper.parts.append(f'<path class="wave" d="{"".join(words)}"/>')
    unit = f" {row.unit}" if row.unit else ""
    right = _LEFT + _WIDTH + 6
    if high > low:
        paper.parts.append(charts.label(right, y + 9, f"{high:.4g}{unit}", "small"))
        paper.parts.append(charts.label(right, y + tall - 1, f"{low:.4g}{unit}", "small"))
    else:
        paper.parts.append(charts.label(right, y + tall / 2 + 4, f"{low:.4g}{unit}", "small"))


def _real(value: float) -> float:
    """Convert a number to a float; an integer too large for one becomes infinity."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _axis(paper: _Paper, bottom: float) -> str:
    """Vertical grid lines with time labels, drawn behind everything else."""
    start, end = paper.start / 1e6, paper.end / 1e6
    step = charts.time_step(end - start, 9)
    ticks = charts.ticks_between(start, end, step)
    lines = "".join(f"M{coordinate(paper.x(tick * 1e6))} 8V{coordinate(bottom)}" for tick in ticks)
    for tick in ticks:
        text = charts.time_label(tick, step, end)
        paper.parts.append(charts.label(paper.x(tick * 1e6), bottom + 14, text, "mid"))
    unit = f"cell time ({charts.time_unit(end)})"
    paper.parts.append(charts.label(_LEFT + _WIDTH / 2, bottom + 30, unit, "mid axis"))
    return f'<path class="grid" d="{lines}"/>'
