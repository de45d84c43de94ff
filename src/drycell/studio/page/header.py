"""The line at the top: what is open, opening something else, who steers, light or dark, help."""

from typing import Final

from nicegui import ui

from drycell.studio.api.scene import Tree
from drycell.studio.page.mark import MARK
from drycell.studio.page.short_path import short_path
from drycell.studio.page.state import state_badge
from drycell.studio.page.tab import BrowserTab
from drycell.studio.server.events import ControlChanged, HostReplaced

_THEMES: Final = {
    None: ("brightness_auto", "as the system"),
    False: ("light_mode", "light"),
    True: ("dark_mode", "dark"),
}
_NEXT: Final = {None: False, False: True, True: None}


def header(tab: BrowserTab, dark: ui.dark_mode, opening: ui.dialog, keys: ui.dialog) -> None:
    """Builds the line at the top of the page."""
    with ui.row().classes("drycell-bar"):
        ui.html(MARK, sanitize=False).classes("drycell-mark")
        name = ui.label().classes("text-weight-medium ellipsis").mark("cell-name")
        path = ui.label().classes("drycell-quiet ellipsis text-caption")
        ui.button("Open…", icon="folder_open", on_click=opening.open).props("flat dense no-caps").mark("open")
        state_badge(tab)
        ui.space()
        _control_chip(tab)
        ui.button(icon="help_outline", on_click=keys.open).props("flat dense round").tooltip("keys (?)").mark("help")
        theme_button(tab, dark)

    def show(_: object = None) -> None:
        if tab.studio.empty:
            ui.navigate.to("/")
        name.text = tab.studio.latest.name or "drycell studio"
        path.text = short_path(tab.studio.path) if tab.studio.path is not None else ""
        ui.page_title(f"{name.text} · drycell studio")

    tab.on(HostReplaced, show)
    tab.on(Tree, show)
    show()


def theme_button(tab: BrowserTab, dark: ui.dark_mode) -> None:
    """Turns between light, dark, and as the system has it."""
    with ui.button().props("flat dense round").mark("theme") as button:
        tip = ui.tooltip("")

    def show() -> None:
        icon, text = _THEMES[dark.value]
        button.props(f"icon={icon}")
        tip.text = f"theme: {text}"

    def turn() -> None:
        dark.value = _NEXT[dark.value]
        tab.keeps["dark"] = dark.value
        show()

    button.on_click(turn)
    show()


def _control_chip(tab: BrowserTab) -> None:
    """Says that this tab only watches, offers to take control, and lets a holder refuse."""
    control = tab.studio.control
    with ui.row().classes("items-center gap-1 no-wrap") as asked:
        text = ui.label().classes("text-caption")
        ui.button("Keep", on_click=lambda: control.refuse(tab.id or "")).props("dense unelevated no-caps").mark("keep")
        ui.button("Hand over", on_click=lambda: control.hand_over(tab.id or "")).props("flat dense no-caps").mark(
            "hand-over"
        )
    with ui.row().classes("items-center gap-1 no-wrap") as watching:
        ui.badge("watching", color="warning").props("outline").mark("watching")
        take = ui.button("take control", on_click=lambda: control.take(tab.id or "")).props("flat dense no-caps")
        take.mark("take-control")
    others = ui.badge().props("outline").tooltip("pages that look at this run")

    def show(_: object = None) -> None:
        control.settle()
        holds = tab.id is None or control.holder == tab.id
        waits = control.asking is not None and control.asking == tab.id
        asked.visible = holds and control.asking is not None
        text.text = f"Another browser asks for control; it gets it in {control.seconds_left} s"
        watching.visible = not holds
        take.text = f"asked, {control.seconds_left} s…" if waits else "take control"
        take.set_enabled(not waits)
        others.visible = control.watching > 1
        others.text = f"{control.watching} watch"

    tab.on(ControlChanged, show)
    ui.timer(1.0, lambda: show() if control.asking is not None else control.settle())
    show()
