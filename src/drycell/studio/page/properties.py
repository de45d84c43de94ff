"""The properties of the selected thing at the time shown: pose, shape, joints, sensor data, signals."""

from collections.abc import Sequence
from typing import Final

from nicegui import background_tasks, ui

from drycell.base import DrycellError
from drycell.studio.api.scene import Property, PropertyTable
from drycell.studio.host.client import HostError
from drycell.studio.page.elements import COMPONENTS, named
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.texts import quantity

_PERIOD: Final = 0.4  # seconds
_NOTHING: Final = "Nothing selected. Click a body in the view or a name in the tree."


class PropertiesPanel:
    """The properties on one page. If only values change, only texts are sent."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab = tab
        self._form: tuple[object, ...] = ()
        self._asked: tuple[object, ...] = ()
        self._values: list[tuple[ui.label, ui.element | None]] = []
        self._asking = False
        ui.add_css(COMPONENTS / "properties.css")
        with ui.element("div").classes("drycell-panel full-width"):
            self._box = ui.column().classes("drycell-facts").mark("properties")
        tab.on_select(self._selected)
        ui.timer(_PERIOD, self._look)
        self._show_text(_NOTHING)

    def _selected(self, name: str | None) -> None:
        self._asked = ()
        if name is None:
            self._show_text(_NOTHING)
        else:
            background_tasks.create(self._look(), name="properties")

    async def _look(self) -> None:
        name, latest = self._tab.selected, self._tab.studio.latest
        now = (name, latest.shown, latest.scene, latest.version, latest.moves)
        if name is None or now == self._asked or self._asking:
            return
        self._asked, self._asking = now, True
        try:
            tables = await self._tab.host.scene.properties(name, latest.shown)
        except HostError as error:
            if error.report.kind == "UnknownName" and name == self._tab.selected:
                if self._form[:1] == (name,):
                    self._tab.select(None)  # it is no longer in the cell
                else:
                    self._show_text(error.what)  # it may have just been added, and be in the next scene
            return
        except DrycellError:  # there is no host: the error line says so
            return
        finally:
            self._asking = False
        if name == self._tab.selected:
            self.show(name, tables)
        else:
            self._asked = ()

    def show(self, name: str, tables: Sequence[PropertyTable]) -> None:
        """Show tables of properties. They are rebuilt only if their lines have changed."""
        form = (name, *((table.title, *(line.label for line in table.lines)) for table in tables))
        if form != self._form:
            self._form = form
            self._box.clear()
            self._values = []
            with self._box:
                ui.label(name).classes("text-weight-medium ellipsis full-width").style("font-size:13px")
                for table in tables:
                    self._title(table.title, table.link)
                    for line in table.lines:
                        self._line(line)
        lines = [line for table in tables for line in table.lines]
        for (label, mark), line in zip(self._values, lines, strict=True):
            label.set_text(quantity(line.value, line.unit))
            if mark is not None:
                mark.style["left"] = f"{100 * share(line):.1f}%"
                mark.update()

    def _title(self, title: str, link: str | None) -> None:
        label = ui.label(title).classes("drycell-facts-title ellipsis")
        if link is not None:
            label.classes("drycell-facts-link").on("click", lambda: self._tab.select(link)).tooltip(f"select {link}")

    def _line(self, line: Property) -> None:
        mark: ui.element | None = None
        with ui.element("div").classes("drycell-fact"):
            ui.label(line.label)
            value = named(ui.label(""), f"fact-{line.label}")
            low, high = line.low, line.high
            if low is not None and high is not None:
                with ui.element("div").classes("drycell-limits"):
                    mark = ui.element("div")
                value.tooltip(f"{quantity(low, line.unit)} … {quantity(high, line.unit)}")
        self._values.append((value, mark))

    def _show_text(self, text: str) -> None:
        self._form, self._values = (), []
        self._box.clear()
        with self._box:
            ui.label(text).classes("drycell-quiet")


def share(line: Property) -> float:
    """The position of a value between its lower and its upper limit, 0…1."""
    low, high, value = (float(each or 0.0) for each in (line.low, line.high, line.value))
    return min(max((value - low) / (high - low), 0.0), 1.0)
