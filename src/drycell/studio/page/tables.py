"""The tables of a run, each of which can be sorted and saved as CSV, and their charts."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

from nicegui import ui

from drycell.studio.api.tables import CycleRow, MachineRow, RunTables, SensorFaultCount
from drycell.studio.page.elements import COMPONENTS
from drycell.studio.page.tab import BrowserTab
from drycell.studio.server.events import HostReplaced

Row = Any
"""A dataclass; a column names one of its fields."""
_COLOURS: Final = ["#1e88e5", "#43a047", "#fb8c00", "#8e24aa", "#00897b", "#6d4c41", "#c0ca33", "#546e7a"]
_TEXT: Final = {"color": "#8a97a3", "fontSize": 11}
_THIN: Final = {"width": 1.5}
_GRID: Final = {"left": 44, "right": 14, "top": 26, "bottom": 24}


@dataclass(frozen=True)
class Shown:
    """A number as people read it: times a ``scale``, to so many ``digits``, with a ``unit``."""

    digits: int
    scale: float = 1.0
    unit: str = ""

    @property
    def script(self) -> str:
        """For the browser, which sorts by the number itself."""
        return f"v => v == null ? '' : (v * {self.scale}).toFixed({self.digits}) + '{self.unit}'"


@dataclass(frozen=True)
class SheetColumn:
    """A column: the field of a row it shows, its heading, and how people read the value."""

    field: str
    title: str
    text: Callable[[Row], str] | Shown | None = None

    def cell(self, row: Row) -> object:
        """What the browser is given for a row."""
        value = getattr(row, self.field)
        if isinstance(self.text, Shown):
            return value
        return self.text(row) if self.text is not None else "" if value is None else str(value)


def number(digits: int) -> Shown:
    """With so many digits after the point."""
    return Shown(digits)


share = Shown(1, 100.0, " %")
"""As a percentage."""


class Sheet:
    """A table on the page. Numbers stand at the right, and sort as numbers."""

    def __init__(self, columns: Sequence[SheetColumn], empty: str) -> None:
        self._columns, self._empty = columns, empty
        self._rows: list[Row] = []
        made = [
            {
                "name": column.field,
                "label": column.title,
                "field": column.field,
                "align": "right" if isinstance(column.text, Shown) else "left",
                "sortable": True,
                **({":format": column.text.script} if isinstance(column.text, Shown) else {}),
            }
            for column in columns
        ]
        with ui.element("div"):
            self.table = ui.table(columns=made, rows=[], row_key="key", pagination=0)
            self.table.props("dense flat virtual-scroll hide-bottom square").classes("drycell-sheet")
            self._note = ui.label(empty).classes("drycell-quiet q-pa-sm")

    def show(self, rows: Sequence[Row], empty: str | None = None) -> None:
        """Shows rows, or why there are none."""
        self._note.text = empty or self._empty
        self._note.set_visibility(not rows)
        self.table.set_visibility(bool(rows))
        if list(rows) == self._rows:
            return
        self._rows = list(rows)
        self.table.rows = [
            {column.field: column.cell(row) for column in self._columns} | {"key": index}
            for index, row in enumerate(rows)
        ]

    def csv(self) -> str:
        """The table as text, numbers in full."""
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow([column.title or column.field for column in self._columns])
        for row in self._rows:
            writer.writerow([column.cell(row) for column in self._columns])
        return text.getvalue()


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


_PERIOD: Final = 1.0  # seconds between two looks
_TABS: Final = ("Parts", "Machines", "Waits", "Cycle times", "Sinks", "Collisions", "Sensors")

_PARTS: Final = (
    SheetColumn("name", "part"),
    SheetColumn("kind", "type"),
    SheetColumn("source", "from"),
    SheetColumn("arrived_s", "arrived s", number(1)),
    SheetColumn("machined", "machined", lambda row: ", ".join(f"{m.by} {m.time_s:.1f} s" for m in row.machined)),
    SheetColumn("end", "state"),
    SheetColumn("where", "where"),
    SheetColumn("time_s", "at s", number(1)),
    SheetColumn("through_s", "through s", number(1)),
    SheetColumn("cycle_s", "cycle s", number(1)),
)
_MACHINES: Final = (
    SheetColumn("name", "machine"),
    SheetColumn("kind", "kind"),
    SheetColumn("busy", "busy", share),
    SheetColumn("cycles", "cycles", number(0)),
    SheetColumn("busy_s", "busy s", number(1)),
    SheetColumn("failures", "failures", number(0)),
    SheetColumn("broken_s", "broken s", number(1)),
)
_LONGEST: Final = (
    SheetColumn("process", "program"),
    SheetColumn("seconds", "longest s", number(3)),
    SheetColumn("condition", "for"),
    SheetColumn("at", "line"),
    SheetColumn("over", "", lambda row: "" if row.over else "still waits"),
)
_LINES: Final = (
    SheetColumn("process", "program"),
    SheetColumn("at", "line"),
    SheetColumn("condition", "for"),
    SheetColumn("count", "times", number(0)),
    SheetColumn("total_s", "in all s", number(1)),
    SheetColumn("longest_s", "longest s", number(3)),
)
_CYCLES: Final = (
    SheetColumn("part", "part"),
    SheetColumn("span_s", "cycle s", number(2)),
    SheetColumn("time_s", "done at s", number(1)),
    SheetColumn("where", "where"),
)
_PLACES: Final = (
    SheetColumn("name", "place"),
    SheetColumn("kind", "kind"),
    SheetColumn("count", "parts", number(0)),
    SheetColumn("slots", "slots", number(0)),
    SheetColumn("kinds", "types", lambda row: ", ".join(f"{count} {kind}" for kind, count in row.kinds.items())),
    SheetColumn("first_s", "first s", number(1)),
    SheetColumn("last_s", "last s", number(1)),
)
_ENCOUNTERS: Final = (
    SheetColumn("time_s", "at s", number(3)),
    SheetColumn("kind", "kind"),
    SheetColumn("a", "body"),
    SheetColumn("b", "other body"),
    SheetColumn("depth_m", "depth mm", Shown(2, 1e3)),
    SheetColumn("distance_m", "clearance mm", Shown(2, 1e3)),
)
_SENSORS: Final = (
    SheetColumn("name", "sensor, signal"),
    SheetColumn("model", "model"),
    SheetColumn("value", "value", lambda row: _value(row.value, row.unit)),
    SheetColumn("changes", "changes", number(0)),
    SheetColumn("faults", "faults", lambda row: ", ".join(map(_fault, row.faults))),
)


class TablesPanel:
    """Sub-tabs with a table each. What is not in sight is not looked up."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab = tab
        self._known: tuple[object, ...] | None = None
        self._asking = False
        self._sheets: dict[str, list[Sheet]] = {}
        self._show: dict[str, Callable[[RunTables], None]] = {}
        kept = tab.keeps.get("tables tab")
        chosen: Any = kept if kept in _TABS else _TABS[0]
        ui.add_css(COMPONENTS / "tables.css")
        with ui.column().classes("drycell-column"):
            with ui.row().classes("drycell-bar"):
                with ui.tabs(value=chosen).props("dense no-caps inline-label").classes("drycell-subtabs") as self._tabs:
                    for name in _TABS:
                        ui.tab(name).mark(f"table-{name.lower().replace(' ', '-')}")
                self._told = ui.label().classes("drycell-quiet ellipsis q-px-sm").style("flex: 1; font-size: 12px")
                self._told.mark("tables-told")
                ui.button(icon="download", on_click=self._save).props("flat dense size=sm").tooltip(
                    "save this table as CSV"
                ).mark("tables-save")
            panels = ui.tab_panels(self._tabs, value=chosen, animated=False, keep_alive=True).classes("drycell-grow")
            with panels:
                for name in _TABS:
                    with ui.tab_panel(name).classes("drycell-panel"):
                        self._build(name)
        self._tabs.on_value_change(self._turned)
        tab.on(HostReplaced, self._host_replaced)
        ui.timer(_PERIOD, self.look)

    def _build(self, name: str) -> None:
        if name == "Parts":
            self._one(name, _PARTS, lambda told: told.parts.rows, "no parts yet")
        elif name == "Sinks":
            self._one(name, _PLACES, lambda told: told.places, "no stores or sinks")
        elif name == "Sensors":
            self._one(name, _SENSORS, lambda told: told.sensors, "no sensors")
        elif name == "Machines":
            self._machines(name)
        elif name == "Waits":
            self._waits(name)
        elif name == "Collisions":
            self._collisions(name)
        else:
            self._cycles(name)

    def _one(
        self, name: str, columns: tuple[SheetColumn, ...], rows: Callable[[RunTables], Sequence[object]], empty: str
    ) -> None:
        sheet = Sheet(columns, empty)
        self._sheets[name] = [sheet]

        self._show[name] = lambda told: sheet.show(rows(told))

    def _machines(self, name: str) -> None:
        with _halves():
            sheet = Sheet(_MACHINES, "no machines, no robots")
            chart = ui.echart(usage_chart([], 0)).classes("drycell-chart").mark("usage-chart")
        self._sheets[name] = [sheet]

        def show(told: RunTables) -> None:
            sheet.show(told.machines)
            _redraw(chart, usage_chart(told.machines, told.t))

        self._show[name] = show

    def _waits(self, name: str) -> None:
        with _halves():
            longest = Sheet(_LONGEST, "no program has waited")
            lines = Sheet(_LINES, "no program has waited")
        self._sheets[name] = [longest, lines]

        def show(told: RunTables) -> None:
            longest.show(told.longest_waits)
            lines.show(told.waits)

        self._show[name] = show

    def _cycles(self, name: str) -> None:
        with _halves():
            sheet = Sheet(_CYCLES, "no part is finished yet")
            chart = ui.echart(cycle_chart([], None)).classes("drycell-chart").mark("cycle-chart")
            bars = ui.echart(histogram_chart([])).classes("drycell-chart").mark("cycle-histogram")
        self._sheets[name] = [sheet]

        def show(told: RunTables) -> None:
            sheet.show(told.cycle.rows)
            _redraw(chart, cycle_chart(told.cycle.rows, told.cycle.mean_s))
            _redraw(bars, histogram_chart(told.cycle.histogram))

        self._show[name] = show

    def _collisions(self, name: str) -> None:
        sheet = Sheet(_ENCOUNTERS, "no collisions, no near misses")
        self._sheets[name] = [sheet]

        def show(told: RunTables) -> None:
            found = told.encounters
            sheet.show(found.rows, None if found.checked else "this cell is not checked for collisions")

        self._show[name] = show

    # ---------------------------------------------------------------- looking

    @property
    def in_sight(self) -> bool:
        """Whether the tab of the tables is open on this page."""
        return self._tab.keeps.get("bottom-tab") == "Tables"

    async def look(self) -> None:
        """Looks the tables up, if anything can have changed since."""
        status = self._tab.studio.latest
        if self._asking or not self.in_sight:
            return
        known = (status.shown, status.records, status.state, status.path, self._tabs.value)
        if known == self._known:
            return
        self._asking = True
        try:
            answer = await self._tab.ask(self._tab.host.tables.at(status.shown))
        finally:
            self._asking = False
        if answer is not None:
            self._known = known
            self._told.text = told(answer)
            self._told.props["title"] = self._told.text
            self._show[self._tabs.value](answer)

    async def _turned(self, _: object) -> None:
        self._tab.keeps["tables tab"] = self._tabs.value
        await self.look()

    async def _host_replaced(self, _: object) -> None:
        self._known = None
        await self.look()

    def _save(self) -> None:
        name = str(self._tabs.value)
        text = "\n".join(sheet.csv() for sheet in self._sheets[name])
        cell = str(self._tab.studio.latest.name or "cell").replace(" ", "_")
        ui.download.content(text.encode(), f"{cell}_{name.lower().replace(' ', '_')}.csv")


def told(tables: RunTables) -> str:
    """The tables in a line: what has become of all parts, the cycle, and what cannot be told."""
    parts, cycle, notes = tables.parts, tables.cycle, tables.notes
    lines = [f"at {tables.t / 1e6:.1f} s"]
    if parts.kept or parts.arrived:
        lines.append(
            f"{parts.arrived} arrived · {parts.machined} machined · {parts.stored} stored · {parts.sunk} sunk"
            f" · {parts.inside} inside · {parts.lost} lost"
        )
    if cycle.mean_s is not None:
        lines.append(f"cycle {cycle.mean_s:.1f} s mean, {cycle.shortest_s:.1f}–{cycle.longest_s:.1f} s")
    return " | ".join([*lines, *notes])


def _halves() -> ui.row:
    return ui.row().classes("drycell-tables")


def _redraw(chart: ui.echart, options: dict[str, Any]) -> None:
    if chart.options != options:
        chart.options.clear()
        chart.options.update(options)
        chart.update()


def _value(value: object, unit: str) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return (
        "" if value is None else f"{value:g} {unit}".strip() if isinstance(value, float) else f"{value} {unit}".strip()
    )


def _fault(fault: SensorFaultCount) -> str:
    state = "in force" if fault.active else f"{fault.times} ×"
    return f"{fault.fault.replace('_', ' ')} ({state})"
