"""The page: header, tree and properties, 3-D view over the transport bar, tabs at the right and at the bottom."""

from collections.abc import Callable
from typing import Final

from nicegui import ui

from drycell.studio.page.build import build_panel
from drycell.studio.page.emula import emula_panel
from drycell.studio.page.header import header
from drycell.studio.page.journal import journal_panel
from drycell.studio.page.keys import keyboard, keyboard_help
from drycell.studio.page.naming import name_elements
from drycell.studio.page.opening import Opening
from drycell.studio.page.program import program_panel
from drycell.studio.page.properties import properties_panel
from drycell.studio.page.signals import signals_panel
from drycell.studio.page.state import error_line
from drycell.studio.page.story import story_panel
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.tables import tables_panel
from drycell.studio.page.teach import teach_panel
from drycell.studio.page.theme import theme
from drycell.studio.page.transport import transport_bar
from drycell.studio.page.tree import tree_panel
from drycell.studio.page.trusting import Trusting
from drycell.studio.page.view import view_panel

Panel = Callable[[BrowserTab], object]
_RIGHT: Final[dict[str, Panel]] = {
    "Program": program_panel,
    "Teach": teach_panel,
    "Build": build_panel,
    "EMULA": emula_panel,
}
_BOTTOM: Final[dict[str, Panel]] = {"Signals": signals_panel, "Journal": journal_panel, "Tables": tables_panel}


def shell(tab: BrowserTab, proposed: str = "") -> None:
    """Builds the whole page of one browser tab; what a link proposed to open stands in the open dialog."""
    dark = theme(tab)
    opening, keys = Opening(tab, proposed).dialog(), keyboard_help()
    with ui.column().classes("drycell-shell"):
        header(tab, dark, opening, keys)
        error_line(tab)
        with _splitter(tab, "left", 250, 160, 480) as split:
            with split.before, _splitter(tab, "left-rows", 320, 80, 1200, horizontal=True) as rows:
                with rows.before:
                    tree_panel(tab)
                with rows.after:
                    properties_panel(tab)
            with split.after, _splitter(tab, "right", 420, 240, 1000, reverse=True) as halves:
                with halves.before, _splitter(tab, "bottom", 240, 60, 900, horizontal=True, reverse=True) as centre:
                    with centre.before, ui.column().classes("drycell-column"):
                        with ui.element("div").classes("drycell-grow"):
                            view_panel(tab)
                        transport = transport_bar(tab)
                    with centre.after:
                        _add_story(tab, *_tabs(tab, "bottom-tab", _BOTTOM))
                with halves.after:
                    right, _ = _tabs(tab, "right-tab", _RIGHT)
                    tab.on_source(lambda file, line: right.set_value("Program"))
    keyboard(
        {
            "Space": transport.run_or_pause,
            ".": lambda: transport.step("event"),
            ",": transport.event_before,
            "F10": lambda: transport.step("line"),
            "L": transport.live,
            "R": transport.restart,
            "O": opening.open,
            "?": keys.open,
        }
    )
    Trusting(tab)
    ui.timer(0.5, tab.deliver)
    name_elements(tab.client)
    if proposed:
        opening.open()


def _splitter(
    tab: BrowserTab, name: str, size: float, low: float, high: float, *, horizontal: bool = False, reverse: bool = False
) -> ui.splitter:
    """A splitter in pixels whose place is remembered."""
    kept = tab.keeps.get(f"split {name}", size)
    value = min(max(float(kept), low), high) if isinstance(kept, int | float) else size

    def moved(event: object) -> None:
        tab.keeps[f"split {name}"] = split.value

    split = ui.splitter(horizontal=horizontal, reverse=reverse, limits=(low, high), value=value, on_change=moved)
    return split.props("unit=px emit-immediately=false").classes("drycell-split").mark(f"split-{name}")


def _tabs(tab: BrowserTab, name: str, panels: dict[str, Panel]) -> tuple[ui.tabs, ui.tab_panels]:
    """Tabs with a panel each; which one is open is remembered."""
    kept = tab.keeps.get(name)
    chosen = kept if kept in panels else next(iter(panels))
    with ui.column().classes("drycell-column"):
        with ui.tabs().props("dense no-caps align=left breakpoint=0").classes("drycell-tabs") as tabs:
            for title in panels:
                ui.tab(title).mark(f"tab-{title.lower()}")
        with ui.tab_panels(tabs, value=chosen, animated=False, keep_alive=True).classes("drycell-grow") as shown:
            for title, panel in panels.items():
                with ui.tab_panel(title).classes("drycell-panel"):
                    panel(tab)
    shown.on_value_change(lambda event: tab.keeps.__setitem__(name, event.value))
    return tabs, shown


def _add_story(tab: BrowserTab, tabs: ui.tabs, shown: ui.tab_panels) -> None:
    with tabs:
        heading = ui.tab("Story").mark("tab-story")
    with shown, ui.tab_panel("Story").classes("drycell-panel"):
        story_panel(tab, heading, tabs)
