"""The tables panel: parts, machines, waits, cycle times, sinks, collisions, sensors, at the instant on the screen."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from nicegui import ui

from drycell.studio.api.tables import RunTables, SensorFaultCount
from drycell.studio.page.charts import cycle_chart, histogram_chart, usage_chart
from drycell.studio.page.naming import COMPONENTS
from drycell.studio.page.sheet import Sheet, SheetColumn, Shown, number, share
from drycell.studio.page.tab import BrowserTab
from drycell.studio.server.events import HostReplaced

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
        tab.on(HostReplaced, self._stage)
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

    async def _stage(self, _: object) -> None:
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


def tables_panel(tab: BrowserTab) -> TablesPanel:
    """The panel of a page."""
    return TablesPanel(tab)
