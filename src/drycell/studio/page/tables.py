"""The tables of a run, which can be sorted and saved as CSV, and their charts."""

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
"""A dataclass with the fields that the columns name."""
_COLOURS: Final = ["#1e88e5", "#43a047", "#fb8c00", "#8e24aa", "#00897b", "#6d4c41", "#c0ca33", "#546e7a"]
_TEXT: Final = {"color": "#8a97a3", "fontSize": 11}
_THIN: Final = {"width": 1.5}
_GRID: Final = {"left": 44, "right": 14, "top": 26, "bottom": 24}


@dataclass(frozen=True)
class NumberFormat:
    """How a number is shown: multiplied by ``scale``, with ``digits`` decimals and a ``unit``."""

    digits: int
    scale: float = 1.0
    unit: str = ""

    @property
    def script(self) -> str:
        """The format as JavaScript: the browser sorts by the number itself."""
        return f"v => v == null ? '' : (v * {self.scale}).toFixed({self.digits}) + '{self.unit}'"


@dataclass(frozen=True)
class TableColumn:
    """A column: the field of a row that it shows, its heading, and the format of the value."""

    field: str
    title: str
    text: Callable[[Row], str] | NumberFormat | None = None

    def cell(self, row: Row) -> object:
        """The value that is sent to the browser for a row."""
        value = getattr(row, self.field)
        if isinstance(self.text, NumberFormat):
            return value
        return self.text(row) if self.text is not None else "" if value is None else str(value)


def number(digits: int) -> NumberFormat:
    """A number with this many decimals."""
    return NumberFormat(digits)


share = NumberFormat(1, 100.0, " %")
"""As a percentage."""


class DataTable:
    """A table on the page. Numbers are right-aligned and sort as numbers."""

    def __init__(self, columns: Sequence[TableColumn], empty: str) -> None:
        self._columns, self._empty = columns, empty
        self._rows: list[Row] = []
        made = [
            {
                "name": column.field,
                "label": column.title,
                "field": column.field,
                "align": "right" if isinstance(column.text, NumberFormat) else "left",
                "sortable": True,
                **({":format": column.text.script} if isinstance(column.text, NumberFormat) else {}),
            }
            for column in columns
        ]
        with ui.element("div"):
            self.table = ui.table(columns=made, rows=[], row_key="key", pagination=0)
            self.table.props("dense flat virtual-scroll hide-bottom square").classes("drycell-sheet")
            self._note = ui.label(empty).classes("drycell-quiet q-pa-sm")

    def show(self, rows: Sequence[Row], empty: str | None = None) -> None:
        """Show rows, or a text if there are none."""
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
        """The table as CSV, with numbers in full precision."""
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow([column.title or column.field for column in self._columns])
        for row in self._rows:
            writer.writerow([column.cell(row) for column in self._columns])
        return text.getvalue()


def usage_chart(machines: Sequence[MachineRow], t: int) -> dict[str, Any]:
    """The utilisation of machines and robots over time, in percent, up to time ``t``. Each line ends at the value
    in the table."""
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
    covered = list(accumulate(row.shares))[:-1]  # the last interval may be shorter than the others
    points = [[round((k + 1) * row.step_s, 3), round(100 * each / (k + 1), 2)] for k, each in enumerate(covered)]
    return [*points, [round(t / 1e6, 3), round(100 * row.busy, 2)]]


def cycle_chart(rows: Sequence[CycleRow], mean: float | None) -> dict[str, Any]:
    """The run chart: each cycle time at the time its part was finished, and the mean."""
    data = [[round(row.time_s, 3), round(row.span_s, 3)] for row in rows if row.span_s is not None]
    level = [] if mean is None else [{"yAxis": mean}]
    line = {"silent": True, "symbol": "none", "label": {"show": False}, "data": level}
    series = {"type": "line", "symbolSize": 4, "lineStyle": {"width": 1}, "data": data, "markLine": line}
    x, y = {"type": "value", "scale": True, **_axis()}, {"type": "value", "scale": True, **_axis()}
    return _chart("cycle time in s, by end of the cycle", x, y, [series])


def histogram_chart(bars: Sequence[tuple[float, float, int]]) -> dict[str, Any]:
    """The histogram of cycle times."""
    x = {"type": "category", "data": [f"{low:g}–{high:g}" for low, high, _ in bars], **_axis()}
    y = {"type": "value", "minInterval": 1, **_axis()}
    series = {"type": "bar", "barCategoryGap": "8%", "data": [count for _, _, count in bars]}
    return _chart("number of cycles, by cycle time in s", x, y, [series])


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


_PERIOD: Final = 1.0  # seconds between two updates
_TABS: Final = ("Parts", "Machines", "Waits", "Cycle times", "Sinks", "Collisions", "Sensors")

_PARTS: Final = (
    TableColumn("name", "part"),
    TableColumn("kind", "type"),
    TableColumn("source", "from"),
    TableColumn("arrived_s", "arrived s", number(1)),
    TableColumn("machined", "machined", lambda row: ", ".join(f"{m.by} {m.time_s:.1f} s" for m in row.machined)),
    TableColumn("end", "state"),
    TableColumn("where", "where"),
    TableColumn("time_s", "at s", number(1)),
    TableColumn("through_s", "lead time s", number(1)),
    TableColumn("cycle_s", "cycle s", number(1)),
)
_MACHINES: Final = (
    TableColumn("name", "machine"),
    TableColumn("kind", "kind"),
    TableColumn("busy", "busy", share),
    TableColumn("cycles", "cycles", number(0)),
    TableColumn("busy_s", "busy s", number(1)),
    TableColumn("failures", "failures", number(0)),
    TableColumn("broken_s", "broken s", number(1)),
)
_LONGEST: Final = (
    TableColumn("process", "program"),
    TableColumn("seconds", "longest s", number(3)),
    TableColumn("condition", "for"),
    TableColumn("at", "line"),
    TableColumn("over", "", lambda row: "" if row.over else "still waiting"),
)
_LINES: Final = (
    TableColumn("process", "program"),
    TableColumn("at", "line"),
    TableColumn("condition", "for"),
    TableColumn("count", "times", number(0)),
    TableColumn("total_s", "total s", number(1)),
    TableColumn("longest_s", "longest s", number(3)),
)
_CYCLES: Final = (
    TableColumn("part", "part"),
    TableColumn("span_s", "cycle s", number(2)),
    TableColumn("time_s", "finished at s", number(1)),
    TableColumn("where", "where"),
)
_PLACES: Final = (
    TableColumn("name", "place"),
    TableColumn("kind", "kind"),
    TableColumn("count", "parts", number(0)),
    TableColumn("slots", "slots", number(0)),
    TableColumn("kinds", "types", lambda row: ", ".join(f"{count} {kind}" for kind, count in row.kinds.items())),
    TableColumn("first_s", "first s", number(1)),
    TableColumn("last_s", "last s", number(1)),
)
_ENCOUNTERS: Final = (
    TableColumn("time_s", "at s", number(3)),
    TableColumn("kind", "kind"),
    TableColumn("a", "body"),
    TableColumn("b", "other body"),
    TableColumn("depth_m", "depth mm", NumberFormat(2, 1e3)),
    TableColumn("distance_m", "clearance mm", NumberFormat(2, 1e3)),
)
_SENSORS: Final = (
    TableColumn("name", "sensor, signal"),
    TableColumn("model", "model"),
    TableColumn("value", "value", lambda row: _value(row.value, row.unit)),
    TableColumn("changes", "changes", number(0)),
    TableColumn("faults", "faults", lambda row: ", ".join(map(_fault, row.faults))),
)


class TablesPanel:
    """Sub-tabs with a table each. Nothing is fetched while the Tables tab is hidden."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab = tab
        self._known: tuple[object, ...] | None = None
        self._asking = False
        self._data_tables: dict[str, list[DataTable]] = {}
        self._show: dict[str, Callable[[RunTables], None]] = {}
        kept = tab.settings.get("tables tab")
        chosen: Any = kept if kept in _TABS else _TABS[0]
        ui.add_css(COMPONENTS / "tables.css")
        with ui.column().classes("drycell-column"):
            with ui.row().classes("drycell-bar"):
                with ui.tabs(value=chosen).props("dense no-caps inline-label").classes("drycell-subtabs") as self._tabs:
                    for name in _TABS:
                        ui.tab(name).mark(f"table-{name.lower().replace(' ', '-')}")
                self._summary = ui.label().classes("drycell-quiet ellipsis q-px-sm").style("flex: 1; font-size: 12px")
                self._summary.mark("tables-summary")
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
            self._one(name, _PARTS, lambda tables: tables.parts.rows, "no parts yet")
        elif name == "Sinks":
            self._one(name, _PLACES, lambda tables: tables.places, "no stores or sinks")
        elif name == "Sensors":
            self._one(name, _SENSORS, lambda tables: tables.sensors, "no sensors")
        elif name == "Machines":
            self._machines(name)
        elif name == "Waits":
            self._waits(name)
        elif name == "Collisions":
            self._collisions(name)
        else:
            self._cycles(name)

    def _one(
        self, name: str, columns: tuple[TableColumn, ...], rows: Callable[[RunTables], Sequence[object]], empty: str
    ) -> None:
        table = DataTable(columns, empty)
        self._data_tables[name] = [table]

        self._show[name] = lambda tables: table.show(rows(tables))

    def _machines(self, name: str) -> None:
        with _halves():
            table = DataTable(_MACHINES, "no machines or robots")
            chart = ui.echart(usage_chart([], 0)).classes("drycell-chart").mark("usage-chart")
        self._data_tables[name] = [table]

        def show(tables: RunTables) -> None:
            table.show(tables.machines)
            _redraw(chart, usage_chart(tables.machines, tables.t))

        self._show[name] = show

    def _waits(self, name: str) -> None:
        with _halves():
            longest = DataTable(_LONGEST, "no program has waited")
            lines = DataTable(_LINES, "no program has waited")
        self._data_tables[name] = [longest, lines]

        def show(tables: RunTables) -> None:
            longest.show(tables.longest_waits)
            lines.show(tables.waits)

        self._show[name] = show

    def _cycles(self, name: str) -> None:
        with _halves():
            table = DataTable(_CYCLES, "no finished parts yet")
            chart = ui.echart(cycle_chart([], None)).classes("drycell-chart").mark("cycle-chart")
            bars = ui.echart(histogram_chart([])).classes("drycell-chart").mark("cycle-histogram")
        self._data_tables[name] = [table]

        def show(tables: RunTables) -> None:
            table.show(tables.cycle.rows)
            _redraw(chart, cycle_chart(tables.cycle.rows, tables.cycle.mean_s))
            _redraw(bars, histogram_chart(tables.cycle.histogram))

        self._show[name] = show

    def _collisions(self, name: str) -> None:
        table = DataTable(_ENCOUNTERS, "no collisions or near misses")
        self._data_tables[name] = [table]

        def show(tables: RunTables) -> None:
            found = tables.encounters
            table.show(found.rows, None if found.checked else "the cell has no collision check")

        self._show[name] = show

    # ---------------------------------------------------------------- updating

    @property
    def visible(self) -> bool:
        """Whether the Tables tab is open."""
        return self._tab.settings.get("bottom-tab") == "Tables"

    async def look(self) -> None:
        """Fetch the tables if anything may have changed."""
        status = self._tab.studio.latest
        if self._asking or not self.visible:
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
            self._summary.text = summary_line(answer)
            self._summary.props["title"] = self._summary.text
            self._show[self._tabs.value](answer)

    async def _turned(self, _: object) -> None:
        self._tab.settings["tables tab"] = self._tabs.value
        await self.look()

    async def _host_replaced(self, _: object) -> None:
        self._known = None
        await self.look()

    def _save(self) -> None:
        name = str(self._tabs.value)
        text = "\n".join(table.csv() for table in self._data_tables[name])
        cell = str(self._tab.studio.latest.name or "cell").replace(" ", "_")
        ui.download.content(text.encode(), f"{cell}_{name.lower().replace(' ', '_')}.csv")


def summary_line(tables: RunTables) -> str:
    """The figures of the run in one line: parts by state, cycle times, and notes."""
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
    state = "active" if fault.active else f"{fault.times} ×"
    return f"{fault.fault.replace('_', ' ')} ({state})"
