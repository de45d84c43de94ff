"""What is going on, in a few words: the state of the run in the header, and an error in a line of its own."""

from pathlib import Path
from typing import Final

from nicegui import ui

from drycell.studio.api.errors import ErrorReport
from drycell.studio.api.transport import Status
from drycell.studio.page.tab import BrowserTab

_ENDINGS: Final = {"until": "end time reached"}
_COLOURS: Final = {"good": "positive", "doubtful": "yellow-10", "bad": "negative", "plain": "primary"}


def state_text(status: Status) -> tuple[str, str]:
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
    badge = ui.badge().props("outline").classes("drycell-state").mark("state")

    def show(status: Status) -> None:
        text, kind = state_text(status)
        if badge.text != text:
            badge.text = text
        badge.visible = bool(text)
        badge.props(f"color={_COLOURS[kind]}")

    tab.on(Status, show)
    show(tab.studio.latest)


def error_line(tab: BrowserTab) -> None:
    """What went wrong with the cell or its run, under the header, until it is restarted or put away."""
    with ui.row().classes("drycell-error").mark("error") as line:
        ui.icon("error_outline")
        text = ui.label().classes("drycell-mono col")
        source = ui.button("show").props("flat dense no-caps")
        ui.button(icon="close", on_click=lambda: put_away()).props("flat dense round")
    shown: list[ErrorReport | None] = [None]

    def put_away() -> None:
        line.visible = False

    def show(status: Status) -> None:
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
    tab.on(Status, show)
    show(tab.studio.latest)
