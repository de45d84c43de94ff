"""The Trace tab: the steps that lead to the fault of a counter-example of ``drycell verify``."""

from bisect import bisect_right
from typing import Any

from nicegui import ui

from drycell.base import DrycellError
from drycell.studio.api.files import FaultTraceStep
from drycell.studio.api.transport import RunSummary
from drycell.studio.page.elements import named
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.texts import clock_text
from drycell.studio.server.events import HostReplaced


class TracePanel:
    """A list of steps. A click on one shows its time in the view and its program line, if it has one."""

    def __init__(self, tab: BrowserTab, heading: ui.tab, tabs: ui.tabs) -> None:
        self._tab, self._heading, self._tabs = tab, heading, tabs
        self._steps: tuple[FaultTraceStep, ...] = ()
        self._rows: list[ui.element] = []
        self._at = -1  # the step that is shown
        self._before: object = "Signals"  # the tab that was in front before the trace
        with ui.column().classes("drycell-column"):
            with ui.row().classes("drycell-bar"):
                self._step_button("first_page", "first step", lambda: self._go(0)).mark("story-first")
                self._step_button("navigate_before", "previous step", lambda: self._go(self._at - 1)).mark(
                    "story-before"
                )
                self._step_button("navigate_next", "next step", lambda: self._go(self._at + 1)).mark("story-next")
                self._fault = ui.label().classes("drycell-small q-ml-sm")
            self._list = ui.column().classes("drycell-grow drycell-list gap-0").style("overflow: auto")
        tab.on(HostReplaced, self._load)
        ui.timer(0.1, self._load, once=True)
        heading.visible = False

    def _step_button(self, icon: str, tip: str, action: Any) -> ui.button:
        button = ui.button(icon=icon, on_click=action).props("flat dense")
        with button:  # beside it: the steps are below
            ui.tooltip(tip).props("anchor='center right' self='center left'")
        return button

    async def _load(self, _: object = None) -> None:
        cell = self._tab.studio.client
        try:
            steps = await self._tab.host.files.fault_trace()
        except DrycellError:
            steps = ()
        if self._tab.studio.client is not cell:
            return  # another cell was opened in the meantime, and its trace is loaded
        self._steps = steps
        title = self._heading.props["name"]
        self._heading.visible = bool(steps)
        if not steps:
            self._list.clear()
            self._rows = []
            if self._tabs.value == title:
                self._tabs.value = self._before
            return
        summary = self._tab.studio.latest.summary or RunSummary("a fault")
        self._fault.text = f"{summary.ending.upper()} {summary.reason}".strip()
        self._list.clear()
        with self._list:
            self._rows = [self._row(number, step) for number, step in enumerate(self._steps)]
        if self._tabs.value != title:
            self._before, self._tabs.value = self._tabs.value, title
        self._mark(bisect_right([step.t for step in self._steps], self._tab.studio.latest.shown) - 1)

    def _row(self, number: int, step: FaultTraceStep) -> ui.element:
        with named(ui.element("button").classes("drycell-row"), f"story-{number}") as row:
            ui.label(clock_text(step.t)).classes("drycell-clock drycell-when")
            ui.label(step.who).classes("drycell-who ellipsis")
            ui.label(step.text).classes("drycell-what")
        row.on("click", lambda: self._go(number))
        return row

    async def _go(self, number: int) -> None:
        number = min(max(number, 0), len(self._steps) - 1)
        step = self._steps[number]
        if await self._tab.act(self._tab.host.transport.seek(step.t)) is None:
            return
        self._mark(number)
        if step.file and step.line:
            self._tab.show_source(step.file, step.line)

    def _mark(self, number: int) -> None:
        for place, row in enumerate(self._rows):
            row.classes(add="drycell-chosen") if place == number else row.classes(remove="drycell-chosen")
        self._at = number
