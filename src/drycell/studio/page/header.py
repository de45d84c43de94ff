"""The header of the page: what is open, the state of the run, Open, control, theme and help; and the error line."""

from pathlib import Path
from typing import Final

from markupsafe import Markup
from nicegui import ui

from drycell.studio.api.errors import ErrorReport
from drycell.studio.api.scene import Tree
from drycell.studio.api.transport import HostStatus
from drycell.studio.page.elements import show_markup, with_props
from drycell.studio.page.saving import SaveDialog
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.texts import short_path
from drycell.studio.page.verify import VerifyDialog
from drycell.studio.server.events import ControlChanged, HostReplaced

MARK: Final = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="20" height="20">
<rect width="32" height="32" rx="6" fill="#1565c0"/>
<path d="M5 26h22M9 26v-7l6-8 8 3" fill="none" stroke="#fff" stroke-width="2.6"
 stroke-linecap="round" stroke-linejoin="round"/>
<circle cx="9" cy="19" r="2.2" fill="#fff"/><circle cx="15" cy="11" r="2.2" fill="#fff"/>
<path d="M23 14v3m-2.5 0h5" fill="none" stroke="#ffd54f" stroke-width="2.4" stroke-linecap="round"/></svg>"""
_ENDINGS: Final = {"until": "end time reached"}
_COLOURS: Final = {"good": "positive", "doubtful": "yellow-10", "bad": "negative", "plain": "primary"}
_THEMES: Final = {
    None: ("brightness_auto", "same as system"),
    False: ("light_mode", "light"),
    True: ("dark_mode", "dark"),
}
_NEXT: Final = {None: False, False: True, True: None}


def state_text(status: HostStatus) -> tuple[str, str]:
    """The state in words, and whether it is good, doubtful, bad or plain."""
    mode, summary, stopped = status.mode, status.summary, status.stopped_at
    if status.error:
        return "error", "bad"
    if mode == "recorded":
        ending = None if summary is None else summary.ending
        return "recording" if ending in (None, "until") else f"recording: {ending}", "plain"
    if mode == "ended" and summary is None:
        return "ended", "good"
    if mode == "ended" and summary is not None:
        found = [
            _many(summary.collisions, "collision", "collisions"),
            _many(len(summary.lost), "part lost", "parts lost"),
            _many(summary.near_misses, "near miss", "near misses"),
        ]
        text = " · ".join([_ENDINGS.get(summary.ending, summary.ending), *filter(None, found)])
        return text, "bad" if summary.clean is False else "doubtful" if summary.near_misses else "good"
    if mode == "live" and stopped:
        return f"at {Path(stopped.file).name}:{stopped.line}", "plain"
    return {"ready": "", "running": "running", "paused": "paused"}.get(status.state, ""), "plain"


def _many(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}" if number else ""


def state_badge(tab: BrowserTab) -> None:
    """The state of the run, for the header."""
    chip = ui.button(on_click=tab.problems.reveal).props("outline dense no-caps size=sm").classes("drycell-state")
    chip.mark("state").tooltip("show the problems")

    def show(_: object = None) -> None:
        status, errors = tab.studio.latest, tab.problems.found.errors
        text, kind = state_text(status)
        if errors and status.mode in ("live", "recorded"):
            kind = "bad"
            if ":" not in text:  # it does not name the problem
                text = " · ".join(filter(None, [text, _many(errors, "problem", "problems")]))
        if chip.text != text:
            chip.text = text
        chip.visible = bool(text)
        with_props(chip, color=_COLOURS[kind])

    tab.on(HostStatus, show)
    tab.problems.listen(show)
    show()


def error_line(tab: BrowserTab) -> None:
    """The error of the cell or its run, under the header, until it is restarted or dismissed."""
    with ui.row().classes("drycell-error").mark("error") as line:
        ui.icon("error_outline")
        text = ui.label().classes("drycell-mono col")
        source = ui.button("show").props("flat dense no-caps")
        ui.button(icon="close", on_click=lambda: dismiss()).props("flat dense round aria-label=close")
    shown: list[ErrorReport | None] = [None]

    def dismiss() -> None:
        line.visible = False

    def show(status: HostStatus) -> None:
        error = status.error
        if error == shown[0]:
            return
        shown[0] = error
        line.visible = error is not None
        if error is not None:
            where, hint = error.where, error.hint
            text.text = error.what + (f"\n  at {where}" if where else "") + (f"\n  try: {hint}" if hint else "")
            source.visible = bool(error.file)

    def show_source() -> None:
        error = shown[0]
        if error is not None and error.file:
            tab.show_source(error.file, error.line or 1)

    source.on_click(show_source)
    line.visible = False
    tab.on(HostStatus, show)
    show(tab.studio.latest)


def header(tab: BrowserTab, dark: ui.dark_mode, opening: ui.dialog, keys: ui.dialog) -> None:
    """Build the header."""
    with ui.row().classes("drycell-bar").props("role=region aria-label=header"):
        show_markup(Markup(MARK)).classes("drycell-mark")
        name = ui.label().classes("text-weight-medium ellipsis").mark("cell-name").props("role=heading aria-level=1")
        path = ui.label().classes("drycell-quiet ellipsis text-caption")
        ui.button("Open…", icon="folder_open", on_click=opening.open).props("flat dense no-caps").mark("open")
        save = ui.button("Save…", icon="save_alt", on_click=SaveDialog(tab).open).props("flat dense no-caps")
        save.tooltip("save the run as a recording, a picture, a film, tables or a report").mark("save-run")
        verify = ui.button("Verify", icon="fact_check", on_click=VerifyDialog(tab).open).props("flat dense no-caps")
        verify.tooltip("search all orders of events for deadlocks and other faults").mark("verify")
        state_badge(tab)
        ui.space()
        _control_chip(tab)
        ui.button(icon="help_outline", on_click=keys.open).props("flat dense round").tooltip(
            "keyboard shortcuts (?)"
        ).mark("help")
        theme_button(tab, dark)

    def show(_: object = None) -> None:
        if tab.studio.empty:
            ui.navigate.to("/")
        name.text = tab.studio.latest.name or "drycell studio"
        shown = tab.studio.shown_path
        path.text = short_path(shown) if shown is not None else ""
        ui.page_title(f"{name.text} · drycell studio")

    tab.on(HostReplaced, show)
    tab.on(Tree, show)
    show()


def theme_button(tab: BrowserTab, dark: ui.dark_mode) -> None:
    """A button that switches between light, dark and the system's theme."""
    with ui.button().props("flat dense round").mark("theme") as button:
        tip = ui.tooltip("")

    def show() -> None:
        icon, text = _THEMES[dark.value]
        with_props(button, icon=icon)
        tip.text = f"theme: {text}"
        with_props(button, aria_label=tip.text)

    def turn() -> None:
        dark.value = _NEXT[dark.value]
        tab.settings["dark"] = dark.value
        show()

    button.on_click(turn)
    show()


def _control_chip(tab: BrowserTab) -> None:
    """Shows that this tab only watches, offers to take control, and lets the holder refuse."""
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
    others = ui.badge().props("outline").tooltip("pages that show this run")

    def show(_: object = None) -> None:
        control.settle()
        holds = tab.id is None or control.holder == tab.id
        waits = control.asking is not None and control.asking == tab.id
        asked.visible = holds and control.asking is not None
        text.text = f"Another browser asks for control and gets it in {control.seconds_left} s"
        watching.visible = not holds
        take.text = f"requested, {control.seconds_left} s…" if waits else "take control"
        take.set_enabled(not waits)
        others.visible = control.watching > 1
        others.text = f"{control.watching} viewers"

    tab.on(ControlChanged, show)
    ui.timer(1.0, lambda: show() if control.asking is not None else control.settle())
    show()
