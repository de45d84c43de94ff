"""The signals panel: which signals are drawn over time, and what is done to them by hand."""

import time
from typing import Any, Final

from nicegui import background_tasks, ui

from drycell.studio.api.events import Interfered, InterventionRefused
from drycell.studio.api.signals import SignalRow, SignalTraces
from drycell.studio.api.transport import Status
from drycell.studio.page.interference import SignalInterference
from drycell.studio.page.signal_choice import SignalChoice
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.timing import Heard, TimingDiagram
from drycell.studio.server.events import HostReplaced

_SHOWN_AT_FIRST: Final = 16
_REMEMBERED: Final = 20  # cells whose choice of signals is kept
_LOOK: Final = 2.0  # seconds between two looks at what is done to signals in a run
_KEY: Final = "signals chosen"


class SignalsPanel:
    """A timing diagram with its toolbar. Its cursor is the instant on the screen, and moves it."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab = tab
        self._known: dict[str, SignalRow] = {}
        self._chosen: list[str] = []
        self._of: str | None = None  # the path the choice is for
        self._there = False  # whether the browser has drawn it
        self._known_of: tuple[object, ...] = ()
        self._looked = 0.0
        self._asking = self._again = self._valuing = False
        self._wanted: int | None = None
        self._seeking = False
        self._valued: tuple[int, int] | None = None
        self.interference = SignalInterference(tab, self.refresh)
        with ui.column().classes("drycell-column"):
            with ui.row().classes("drycell-bar"):
                self._toolbar()
            with ui.element("div").classes("drycell-grow"):
                labels = tab.keeps.get("signal labels")
                self.timing = TimingDiagram(labels if isinstance(labels, int) else 220)
                self._empty = ui.label().classes("absolute-center drycell-quiet")
        hears: dict[str, Heard] = {
            "ready": self._ready,
            "window": self._window,
            "seek": self._sought,
            "jump": self._jump,
            "order": self._ordered,
            "act": self._act,
            "labels": self._widened,
        }
        for event, callback in hears.items():
            self.timing.hears(event, callback)
        tab.on(Status, self._status)
        tab.on(HostReplaced, self._stage)
        tab.on(Interfered, self._interfered)
        tab.on(InterventionRefused, lambda refused: tab.notify(f"{refused.note}: {refused.error.what}", "error"))

    def _toolbar(self) -> None:
        self._choice = SignalChoice(self._choose)
        self._button("zoom_in", "closer (+, wheel)", lambda: self.timing.zoom(0.5)).mark("timing-in")
        self._button("zoom_out", "farther (-, wheel)", lambda: self.timing.zoom(2.0)).mark("timing-out")
        self._button("fit_screen", "the whole run (F, double click)", self.timing_fit).mark("timing-fit")
        ui.separator().props("vertical").classes("q-mx-xs")
        self._button("skip_previous", "edge before, of the chosen row (←)", lambda: self._hop(False))
        self._button("skip_next", "next edge, of the chosen row (→)", lambda: self._hop(True))
        ui.separator().props("vertical").classes("q-mx-xs")
        self._button("straighten", "second cursor here; then move the first to measure (M, Shift+click)", self._measure)
        self._forced = ui.button("", on_click=self._release_all).props(
            "flat dense no-caps no-wrap size=sm color=warning"
        )
        self._forced.mark("release-all").set_visibility(False)
        ui.space()
        hint = ui.label("wheel: zoom · drag: pan · click: go there · right click: force, fault").classes(
            "drycell-quiet"
        )
        hint.classes("ellipsis").style("font-size: 11px; min-width: 0")

    def _button(self, icon: str, tip: str, action: Any) -> ui.button:
        return ui.button(icon=icon, on_click=action).props("flat dense size=sm").tooltip(tip)

    def timing_fit(self) -> None:
        """Shows the whole run."""
        self.timing.fit()

    def _measure(self) -> None:
        self.timing.run_method("mark")

    def _hop(self, forward: bool) -> None:
        self.timing.run_method("hop", forward)

    # ---------------------------------------------------------------- which signals

    async def refresh(self) -> None:
        """Looks up anew which signals there are, and what is done to them."""
        if self._asking:
            self._again = True
            return
        self._asking = True
        try:
            self._again = True
            while self._again:
                self._again = False
                answer = await self._tab.ask(self._tab.host.signals.overview())
        finally:
            self._asking = False
        if answer is None:
            return
        self._known = {row.name: row for row in answer.signals}
        self.interference.kinds = answer.faults
        path = self._tab.studio.latest.path or ""
        if path != self._of:
            self._of = path
            kept = [name for name in self._remembered(path) if name in self._known]
            self._chosen = kept or self._proposed()
        elif self._chosen:  # none at all may be what the user wants
            self._chosen = [name for name in self._chosen if name in self._known] or self._proposed()
        self._choice.offer(list(self._known.values()), self._chosen)
        self._show()

    def _show(self) -> None:
        if self._there:
            self.timing.rows([self._known[name] for name in self._chosen])
        self._empty.text = "" if self._chosen else "no signals chosen" if self._known else "no signals"
        forced = [name for name, row in self._known.items() if row.forced is not None]
        self._forced.text = f"{len(forced)} forced: release"
        self._forced.set_visibility(bool(forced))

    def _proposed(self) -> list[str]:
        """Sensors first, then what the cell declares, then what devices have; what never changes comes last."""
        ranks = {"sensors": 0, "cell": 1}
        rows = [row for row in self._known.values() if not row.quiet]
        rows.sort(key=lambda row: (not row.changes and row.group not in ranks, ranks.get(row.group, 2)))
        return [row.name for row in rows[:_SHOWN_AT_FIRST]]

    def _choose(self, names: list[str]) -> None:
        kept = [name for name in self._chosen if name in names]
        self._chosen = kept + [name for name in names if name not in kept]
        self._keep()
        self._show()

    def _ordered(self, names: list[str]) -> None:
        if sorted(names) == sorted(self._chosen):
            self._chosen = names
            self._keep()
            self._choice.offer(list(self._known.values()), self._chosen)

    def _remembered(self, path: str) -> list[str]:
        kept = self._tab.keeps.get(_KEY)
        return list(kept.get(path, ())) if isinstance(kept, dict) else []

    def _keep(self) -> None:
        kept = self._tab.keeps.get(_KEY)
        choices = {} if not isinstance(kept, dict) else {path: each for path, each in kept.items() if path != self._of}
        choices[self._of or ""] = self._chosen
        self._tab.keeps[_KEY] = dict(list(choices.items())[-_REMEMBERED:])

    # ---------------------------------------------------------------- what the diagram asks for

    async def _ready(self, _: object) -> None:
        self._there = True
        await self.refresh()
        self._status(self._tab.studio.latest)

    async def _window(self, wanted: dict[str, Any]) -> None:
        names = tuple(name for name in wanted["names"] if name in self._known)
        traces = self._tab.host.signals.traces(names, wanted["t0"], wanted["t1"], wanted["width"])
        self.timing.feed(wanted["number"], await self._tab.ask(traces) or SignalTraces())

    def _widened(self, pixels: int) -> None:
        self._tab.keeps["signal labels"] = pixels

    def _sought(self, t: int) -> None:
        """The newest place of the cursor wins: a drag tells of many."""
        if not self._tab.holds_control and not self._seeking:
            self._tab.may_act()
            self._status(self._tab.studio.latest)
            return
        self._wanted = t
        if not self._seeking:
            self._seeking = True
            background_tasks.create(self._seek(), name="seek", context=self._tab.client)

    async def _seek(self) -> None:
        try:
            while self._wanted is not None:
                wanted, self._wanted = self._wanted, None
                if await self._tab.act(self._tab.host.transport.seek(wanted)) is None:
                    return
        finally:
            self._seeking = False

    async def _jump(self, told: dict[str, Any]) -> None:
        edge = await self._tab.ask(self._tab.host.signals.next_edge(told["name"], told["t"], told["forward"]))
        if edge is not None:
            self.timing.show(edge)
            await self._tab.act(self._tab.host.transport.seek(edge))

    # ---------------------------------------------------------------- what is going on

    async def _stage(self, _: object) -> None:
        self._valued = None
        if self._there:
            self.timing.forget()
            await self.refresh()

    def _status(self, status: Status) -> None:
        if not self._there:
            return
        goes = status.playing is not None or status.state == "running"
        known = (status.mode, status.path, status.state, status.t, status.records)
        # Faults come and go by themselves: while a run goes on it is enough to look now and then.
        if known[:3] != self._known_of[:3] or (
            known != self._known_of and (not goes or time.monotonic() > self._looked + _LOOK)
        ):
            self._known_of, self._looked = known, time.monotonic()
            background_tasks.create(self.refresh(), name="signals", context=self._tab.client)
        follows = status.following or status.playing is not None
        if not self._seeking:
            self.timing.status(status.shown, status.t, running=goes, follows=follows)
        now = (status.shown, status.t)
        if now != self._valued and not (goes and follows) and not self._valuing:
            self._valued, self._valuing = now, True
            background_tasks.create(self._value(), name="values of signals", context=self._tab.client)

    async def _value(self) -> None:
        """The exact values at the cursor, when it stands."""
        try:
            t = self._tab.studio.latest.shown
            names = tuple(name for name in self._chosen if name in self._known)
            answer = await self._tab.ask(self._tab.host.signals.values(names, t))
        finally:
            self._valuing = False
        if answer is not None:
            self.timing.values(t, {name: each.value for name, each in answer.items()})

    # ---------------------------------------------------------------- what is done to signals

    async def _act(self, told: dict[str, Any]) -> None:
        name, action = told["name"], told["action"]
        if action == "hide":
            self._chosen = [each for each in self._chosen if each != name]
        elif action == "top":
            self._chosen = [name, *(each for each in self._chosen if each != name)]
        elif name in self._known:
            await self.interference.act(self._known[name], action, told["value"])
            return
        self._keep()
        self._choice.offer(list(self._known.values()), self._chosen)
        self._show()

    async def _interfered(self, _: object) -> None:
        await self.refresh()

    async def _release_all(self) -> None:
        for name, row in self._known.items():
            if row.forced is not None:
                await self._tab.act(self._tab.host.signals.release(name))
        await self.refresh()


def signals_panel(tab: BrowserTab) -> SignalsPanel:
    """The panel of a page."""
    return SignalsPanel(tab)
