"""The Signals tab: the timing diagram, the choice of signals, and dialogs that force signals and add faults."""

import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Final

from nicegui import background_tasks, ui
from nicegui.element import Element
from nicegui.events import ValueChangeEventArguments

from drycell.studio.api.codec import encode
from drycell.studio.api.events import InterventionDone, InterventionRefused
from drycell.studio.api.problems import ProblemMark
from drycell.studio.api.signals import Intervention, SignalRow, SignalTraces, SignalValue
from drycell.studio.api.transport import HostStatus
from drycell.studio.page.elements import COMPONENTS, clear_error, name_elements, named, on_args, show_error, with_props
from drycell.studio.page.tab import BrowserTab, PanelKey
from drycell.studio.server.events import HostReplaced

# The label and unit of each field of a fault.
_FIELDS: Final = {
    "value": ("value", ""),
    "per_second": ("drift", "per s"),
    "every": ("step", "s"),
    "size": ("size", ""),
    "by": ("delay", "s"),
    "other": ("swapped with", ""),
    "at": ("from", "s"),
    "until": ("until", "s"),
    "lasting": ("duration", "s"),
    "rate": ("random rate", "per s"),
    "share": ("probability per sample", "0…1"),
}
_NEEDED: Final = {"drift": "per_second", "late": "by", "swapped": "other"}
_NUMBERS: Final = ("int", "float")
_SHOWN_AT_FIRST: Final = 16
_REMEMBERED: Final = 20  # cells whose choice of signals is remembered
_LOOK: Final = 2.0  # seconds between two updates of forced values and faults during a run
_KEY: Final = "signals chosen"


class SignalChoice:
    """The menu that chooses signals. ``chosen`` is called with the names that are ticked, in the order of the list."""

    def __init__(self, chosen: Callable[[list[str]], None]) -> None:
        self._chosen = chosen
        self._offered: list[tuple[str, str]] = []
        self._offering = False
        with ui.button("Signals", icon="checklist").props("flat dense no-caps no-wrap size=sm").mark("choose-signals"):
            self._menu = ui.menu().props("no-focus no-refocus").style("min-width: 300px; max-height: 70vh")
        with self._menu, ui.column().classes("q-pa-sm").style("gap: 4px; width: 300px"):
            with ui.row().classes("items-center no-wrap").style("width: 100%; gap: 4px"):
                self._filter = ui.input(placeholder="filter").props("dense clearable autofocus").style("flex: 1")
                ui.button("none", on_click=self._none).props("flat dense no-caps size=sm")
            self._tree = ui.tree([], label_key="label", tick_strategy="leaf", on_tick=self._ticked)
            self._tree.props("dense no-connectors").style("width: 100%; font-size: 12px").mark("signal-tree")
            self._filter.bind_value_to(self._tree, "filter")

    def offer(self, rows: Sequence[SignalRow], chosen: Sequence[str]) -> None:
        """Set the signals of the menu, and those that are chosen."""
        offered = [(row.group, row.name) for row in rows]
        self._offering = True
        try:
            if offered != self._offered:
                self._offered = offered
                groups: dict[str, list[str]] = {}
                for group, name in offered:
                    groups.setdefault(group, []).append(name)
                order = sorted(groups, key=lambda group: (group == "internal", group not in ("sensors", "cell"), group))
                self._tree.props["nodes"] = [
                    {"id": f"group {group}", "label": group, "children": [{"id": n, "label": n} for n in groups[group]]}
                    for group in order
                ]
                self._tree.props["expanded"] = [f"group {group}" for group in order if group != "internal"]
                self._tree.update()
            if sorted(self._tree.props.get("ticked") or ()) != sorted(chosen):
                self._tree.props["ticked"] = list(chosen)
                self._tree.update()
        finally:
            self._offering = False

    def _ticked(self, event: ValueChangeEventArguments[list[str]]) -> None:
        if not self._offering:
            known = {name for _, name in self._offered}
            self._chosen([name for name in event.value if name in known])

    def _none(self) -> None:
        self._tree.props["ticked"] = []
        self._tree.update()
        self._chosen([])


class TimingDiagram(
    Element,
    component=COMPONENTS / "timing.js",
    dependencies=[COMPONENTS / "timing_*.js", COMPONENTS / "after_view.js"],
    default_classes="drycell-timing-host",
    default_style="width: 100%; height: 100%",
):
    """Digital, analogue and text traces with two cursors.

    Its events: ``window`` (it needs traces: answer with :meth:`feed`), ``seek`` (to a time in ticks), ``jump`` (to the
    next edge of a signal), ``order`` (new order of the names), ``act`` (an entry of a row's menu was chosen),
    ``labels`` (new width in pixels).
    """

    def __init__(self, labels: int = 220) -> None:
        super().__init__()
        self._props["labels"] = labels
        self.mark("timing")

    def rows(self, rows: Sequence[SignalRow]) -> None:
        """Set the signals that are shown, in order."""
        self.run_method("setRows", encode(rows))

    def feed(self, number: int, traces: SignalTraces) -> None:
        """Send the traces that the ``window`` event with this number asked for."""
        self.run_method("data", number, encode(traces))

    def values(self, t: int, values: dict[str, Any]) -> None:
        """Set the values that are shown beside the names."""
        self.run_method("setValues", t, values)

    def status(self, shown: int, now: int, *, running: bool, follows: bool) -> None:
        """Set the time that is shown, and the end of the known data."""
        self.run_method("status", shown, now, running, follows)

    def marks(self, marks: Sequence[ProblemMark]) -> None:
        """Set the marks of problems on the time axis."""
        self.run_method("setMarks", encode(marks))

    def show(self, t: int) -> None:
        """Move the cursor to a time, and scroll to it."""
        self.run_method("show", t)

    def fit(self) -> None:
        """Show the whole run."""
        self.run_method("fit")

    def zoom(self, factor: float) -> None:
        """Multiply the time span that is shown by a factor, around the cursor."""
        self.run_method("zoom", factor)

    def forget(self) -> None:
        """Clear the diagram: another run is shown."""
        self.run_method("forget")


class SignalActions:
    """The actions of a row's menu. ``done`` is awaited when something may have changed."""

    def __init__(self, tab: BrowserTab, done: Callable[[], Awaitable[None]]) -> None:
        self._tab, self._done = tab, done
        self.kinds: dict[str, tuple[str, ...]] = {}
        """The kinds of faults, with the fields of each."""

    async def act(self, row: SignalRow, action: str, value: Any) -> None:
        """Carry out an action on a signal."""
        name, signals = row.name, self._tab.host.signals
        if action == "force":
            await self._do(signals.force(name, value))
        elif action == "release":
            await self._do(signals.release(name))
        elif action == "clear":
            if await self._tab.act(signals.clear_fault(name, value)) is not None:
                await self._done()
        elif action == "ask" and self._tab.may_act():
            self._ask_value(row)
            return
        elif action == "fault" and self._tab.may_act():
            self._ask_fault(row)
            return

    async def _do(self, intervention: Coroutine[Any, Any, Intervention]) -> bool:
        done = await self._tab.act(intervention)
        if done is None:
            return False
        if done.later:
            self._tab.notify("The run is paused. This takes effect when it continues.")
        await self._done()  # before a run it has taken effect; a run sends an event when it has
        return True

    def _ask_value(self, row: SignalRow) -> None:
        async def force() -> None:
            try:
                value = parsed(str(field.value), row.type)
            except ValueError as error:
                show_error(field, str(error))
                return
            dialog.close()
            await self._do(self._tab.host.signals.force(row.name, value))

        with ui.dialog(value=True) as dialog, ui.card().classes("q-pa-sm").style("min-width: 280px"):
            ui.label(f"Force {row.name}").classes("text-weight-medium")
            start = "" if row.forced is None else str(row.forced)
            field = ui.input(label=f"value ({row.type})", value=start).props("dense autofocus outlined")
            with_props(named(field, "force-value"), suffix=row.unit).style("width: 100%").on("keydown.enter", force)
            _buttons(dialog, "Force", force)
        name_elements(self._tab.client)
        dialog.on("hide", dialog.delete)

    def _ask_fault(self, row: SignalRow) -> None:
        inputs: dict[str, ui.input] = {}
        kinds = [kind for kind in self.kinds if kind != "drift" or row.type in _NUMBERS]
        if row.type in ("int", "str"):
            kinds = [kind for kind in kinds if kind not in ("stuck_on", "stuck_off")]

        def fill() -> None:
            fields.clear()
            inputs.clear()
            with fields:
                for name in self.kinds[kind.value]:
                    label, unit = _FIELDS[name]
                    needed = " *" if _NEEDED.get(kind.value) == name else ""
                    inputs[name] = ui.input(label=label + needed).props("dense outlined stack-label")
                    with_props(named(inputs[name], f"fault-{name}"), suffix=unit).style("width: 130px")

        async def put() -> None:
            given: dict[str, SignalValue] = {}
            for name, field in inputs.items():
                text = str(field.value or "").strip()
                clear_error(field)
                if text:
                    kept = "str" if name == "other" else row.type if name == "value" else "float"
                    try:
                        given[name] = parsed(text, kept)
                    except ValueError as error:
                        show_error(field, str(error))
                        return
            if await self._do(self._tab.host.signals.put_fault(row.name, str(kind.value), given)):
                dialog.close()

        with ui.dialog(value=True) as dialog, ui.card().classes("q-pa-sm").style("width: 320px"):
            ui.label(f"Fault on {row.name}").classes("text-weight-medium")
            options = {each: each.replace("_", " ") for each in kinds}
            kind = ui.select(options, value=kinds[0], label="kind", on_change=fill).props(
                "dense outlined options-dense"
            )
            named(kind, "fault-kind").style("width: 100%")
            fields = ui.row().style("gap: 8px")
            ui.label(
                "Without times the fault is permanent. With a random rate it occurs at that rate, each time for the "
                "duration. With a probability it affects single samples."
            ).classes("drycell-quiet").style("font-size: 11px")
            _buttons(dialog, "Add", put)
        fill()
        name_elements(self._tab.client)
        dialog.on("hide", dialog.delete)


def parsed(text: str, kind: str) -> SignalValue:
    """Parse a typed value of a signal. Raises ValueError with the expected input."""
    text = text.strip()
    if kind == "str":
        return text
    if kind == "bool":
        if text.lower() in ("on", "true", "1", "yes"):
            return True
        if text.lower() in ("off", "false", "0", "no"):
            return False
        raise ValueError("enter on or off")
    try:
        return int(text) if kind == "int" else float(text.replace(",", "."))
    except ValueError:
        raise ValueError("enter an integer" if kind == "int" else "enter a number") from None


def _buttons(dialog: ui.dialog, text: str, action: Callable[[], Awaitable[None]]) -> None:
    with ui.row().classes("justify-end").style("width: 100%"):
        ui.button("Cancel", on_click=dialog.close).props("flat dense no-caps")
        done = ui.button(text, on_click=action).props("dense no-caps unelevated color=primary").classes("q-px-sm")
        named(done, "interfere")


class SignalsPanel:
    """The timing diagram with its toolbar. Its cursor is at the time shown; moving it changes that time."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab = tab
        self._known: dict[str, SignalRow] = {}
        self._chosen: list[str] = []
        self._of: str | None = None  # the path of the cell that the choice belongs to
        self._own = False  # whether the user has made the choice
        self._scene = 0  # the scene of the signals that are known
        self._ready = False  # whether the browser has drawn the diagram
        self._known_of: tuple[object, ...] = ()
        self._looked = 0.0
        self._asking = self._again = self._valuing = False

        self._valued: tuple[int, int] | None = None
        self.actions = SignalActions(tab, self.refresh)
        with ui.column().classes("drycell-column"):
            with ui.row().classes("drycell-bar"):
                self._toolbar()
            with ui.element("div").classes("drycell-grow"):
                labels = tab.settings.get("signal labels")
                self.timing = TimingDiagram(labels if isinstance(labels, int) else 220)
                self._empty = ui.label().classes("absolute-center drycell-quiet")
        callbacks: dict[str, Callable[[Any], Awaitable[None] | None]] = {
            "ready": self._begin,
            "window": self._window,
            "seek": self._seek,
            "jump": self._jump,
            "order": self._ordered,
            "act": self._act,
            "labels": self._widened,
        }
        for event, callback in callbacks.items():
            on_args(self.timing, event, callback)
        tab.keys["Signals"] = (
            PanelKey("← →", "previous or next edge of the selected row"),
            PanelKey("↑ ↓", "select a row; with Alt: move it"),
            PanelKey("+ - F", "zoom in, zoom out, show the whole run"),
            PanelKey("M", "set or remove the second cursor; Shift-click sets it"),
            PanelKey("Delete", "hide the selected row"),
        )
        tab.problems.listen(lambda found: self.timing.marks(found.marks))
        tab.on(HostStatus, self._status)
        tab.on(HostReplaced, self._host_replaced)
        tab.on(InterventionDone, self._interfered)
        tab.on(InterventionRefused, lambda refused: tab.notify(f"{refused.note}: {refused.error.what}", "error"))

    def _toolbar(self) -> None:
        self._choice = SignalChoice(self._choose)
        self._button("zoom_in", "zoom in (+, wheel)", lambda: self.timing.zoom(0.5)).mark("timing-in")
        self._button("zoom_out", "zoom out (-, wheel)", lambda: self.timing.zoom(2.0)).mark("timing-out")
        self._button("fit_screen", "show the whole run (F, double click)", self.timing_fit).mark("timing-fit")
        ui.separator().props("vertical").classes("q-mx-xs")
        self._button("skip_previous", "previous edge of the selected row (←)", lambda: self._hop(False))
        self._button("skip_next", "next edge of the selected row (→)", lambda: self._hop(True))
        ui.separator().props("vertical").classes("q-mx-xs")
        self._button(
            "straighten", "measure: set the second cursor here, then move the first (M, Shift+click)", self._measure
        )
        self._forced = ui.button("", on_click=self._release_all).props(
            "flat dense no-caps no-wrap size=sm color=warning"
        )
        self._forced.mark("release-all").set_visibility(False)
        ui.space()
        hint = ui.label("wheel: zoom · drag: pan · click: show time · right click: force, add fault").classes(
            "drycell-quiet"
        )
        hint.classes("ellipsis").style("font-size: 11px; min-width: 0")

    def _button(self, icon: str, tip: str, action: Any) -> ui.button:
        return ui.button(icon=icon, on_click=action).props("flat dense size=sm").tooltip(tip)

    def timing_fit(self) -> None:
        """Show the whole run."""
        self.timing.fit()

    def _measure(self) -> None:
        self.timing.run_method("mark")

    def _hop(self, forward: bool) -> None:
        self.timing.run_method("hop", forward)

    # ---------------------------------------------------------------- choice of signals

    async def refresh(self) -> None:
        """Fetch the signals, with forced values and faults."""
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
        before, self._known = set(self._known), {row.name: row for row in answer.signals}
        self._scene = answer.scene
        self.actions.kinds = answer.faults
        path = self._tab.studio.latest.path or ""
        if path != self._of:
            self._of = path
            self._chosen = self._remembered(path)
            self._own = bool(self._chosen)
        if self._own:  # the user may have chosen none
            kept = [name for name in self._chosen if name in self._known]
            self._own = bool(kept) or not self._chosen
            self._chosen = kept
        if not self._own and (before != set(self._known) or not self._chosen):
            self._chosen = self._proposed()
        self._choice.offer(list(self._known.values()), self._chosen)
        self._show()

    def _show(self) -> None:
        if self._ready:
            self.timing.rows([self._known[name] for name in self._chosen])
        self._empty.text = "" if self._chosen else "no signals selected" if self._known else "the cell has no signals"
        forced = [name for name, row in self._known.items() if row.forced is not None]
        self._forced.text = f"{len(forced)} forced: release"
        self._forced.set_visibility(bool(forced))

    def _proposed(self) -> list[str]:
        """Sensors first, then signals declared by the cell, then those of devices; constant ones last."""
        ranks = {"sensors": 0, "cell": 1}
        rows = [row for row in self._known.values() if not row.quiet]
        rows.sort(key=lambda row: (not row.changes and row.group not in ranks, ranks.get(row.group, 2)))
        return [row.name for row in rows[:_SHOWN_AT_FIRST]]

    def _choose(self, names: list[str]) -> None:
        kept = [name for name in self._chosen if name in names]
        self._chosen = kept + [name for name in names if name not in kept]
        self._own = True
        self._keep()
        self._show()

    def _ordered(self, names: list[str]) -> None:
        if sorted(names) == sorted(self._chosen):
            self._chosen, self._own = names, True
            self._keep()
            self._choice.offer(list(self._known.values()), self._chosen)

    def _remembered(self, path: str) -> list[str]:
        kept = self._tab.settings.get(_KEY)
        return list(kept.get(path, ())) if isinstance(kept, dict) else []

    def _keep(self) -> None:
        kept = self._tab.settings.get(_KEY)
        choices = {} if not isinstance(kept, dict) else {path: each for path, each in kept.items() if path != self._of}
        choices[self._of or ""] = self._chosen
        self._tab.settings[_KEY] = dict(list(choices.items())[-_REMEMBERED:])

    # ---------------------------------------------------------------- events of the diagram

    async def _begin(self, _: object) -> None:
        self._ready = True
        self.timing.marks(self._tab.problems.found.marks)
        await self.refresh()
        self._status(self._tab.studio.latest)

    async def _window(self, wanted: dict[str, Any]) -> None:
        names = tuple(name for name in wanted["names"] if name in self._known)
        traces = self._tab.host.signals.traces(names, wanted["t0"], wanted["t1"], wanted["width"])
        self.timing.feed(wanted["number"], await self._tab.ask(traces, scene=self._scene) or SignalTraces())

    def _widened(self, pixels: int) -> None:
        self._tab.settings["signal labels"] = pixels

    def _seek(self, t: int) -> None:
        if self._tab.seeking or self._tab.may_act():
            self._tab.seek(t)
        else:
            self._status(self._tab.studio.latest)  # puts the cursor back

    async def _jump(self, wanted: dict[str, Any]) -> None:
        question = self._tab.host.signals.next_edge(wanted["name"], wanted["t"], wanted["forward"])
        edge = await self._tab.ask(question, scene=self._scene)
        if edge is not None:
            self.timing.show(edge)
            await self._tab.act(self._tab.host.transport.seek(edge))

    # ---------------------------------------------------------------- the run

    async def _host_replaced(self, _: object) -> None:
        self._valued = None
        if self._ready:
            self.timing.forget()
            await self.refresh()

    def _status(self, status: HostStatus) -> None:
        if not self._ready:
            return
        goes = status.playing is not None or status.state == "running"
        known = (status.mode, (status.path, status.scene), status.state, status.t, status.records)
        # Faults start and end by themselves: during a run it is enough to check periodically.
        if known[:3] != self._known_of[:3] or (
            known != self._known_of and (not goes or time.monotonic() > self._looked + _LOOK)
        ):
            self._known_of, self._looked = known, time.monotonic()
            background_tasks.create(self.refresh(), name="signals", context=self._tab.client)
        follows = status.following or status.playing is not None
        if not self._tab.seeking:
            self.timing.status(status.shown, status.t, running=goes, follows=follows)
        now = (status.shown, status.t)
        if now != self._valued and not (goes and follows) and not self._valuing:
            self._valued, self._valuing = now, True
            background_tasks.create(self._value(), name="values of signals", context=self._tab.client)

    async def _value(self) -> None:
        """Fetch the exact values at the cursor, when it is not moving."""
        try:
            t = self._tab.studio.latest.shown
            names = tuple(name for name in self._chosen if name in self._known)
            answer = await self._tab.ask(self._tab.host.signals.values(names, t), scene=self._scene)
        finally:
            self._valuing = False
        if answer is not None:
            self.timing.values(t, {name: each.value for name, each in answer.items()})

    # ---------------------------------------------------------------- actions

    async def _act(self, chosen: dict[str, Any]) -> None:
        name, action = chosen["name"], chosen["action"]
        if action == "hide":
            self._chosen = [each for each in self._chosen if each != name]
        elif action == "top":
            self._chosen = [name, *(each for each in self._chosen if each != name)]
        elif name in self._known:
            await self.actions.act(self._known[name], action, chosen["value"])
            return
        self._own = True
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
