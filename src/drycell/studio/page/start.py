"""The start page: a line of what this is, and everything one can open, examples first of all."""

from nicegui import ui

from drycell.studio.page.header import theme_button
from drycell.studio.page.mark import MARK
from drycell.studio.page.naming import name_elements
from drycell.studio.page.opening import Opening
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.theme import theme
from drycell.studio.server.events import HostReplaced


def start_page(tab: BrowserTab, proposed: str = "") -> None:
    """Shown while nothing is open; gives way to the cell as soon as something is."""
    dark = theme(tab)
    with ui.column().classes("drycell-shell"):
        with ui.row().classes("drycell-bar"):
            ui.html(MARK, sanitize=False).classes("drycell-mark")
            ui.label("drycell studio").classes("text-weight-medium")
            ui.space()
            theme_button(tab, dark)
        with ui.element("div").classes("drycell-scroll"), ui.column().classes("drycell-start").mark("start"):
            ui.label("See, run, debug and build a robot cell before it exists.").classes("text-subtitle1")
            Opening(tab, proposed).contents()
    name_elements(tab.client)
    tab.on(HostReplaced, lambda _: None if tab.studio.empty else ui.navigate.to("/"))
