"""Choosing signals: a button with a list of all of them, in groups, with a filter."""

from collections.abc import Callable, Sequence

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from drycell.studio.api.signals import SignalRow


class SignalChoice:
    """``chosen`` is called with the names that are ticked, in the order of the list."""

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
        """What there is to choose from, and what is chosen."""
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
