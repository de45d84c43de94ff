"""What is going on, in a few words: the state of the run in the header, and an error in a line of its own."""

from pathlib import Path
from typing import Any, Final

from nicegui import ui

from drycell.studio.page.desk import Desk

_ENDINGS: Final = {"until": "end time reached"}
_COLOURS: Final = {"good": "positive", "doubtful": "yellow-10", "bad": "negative", "plain": "primary"}


def state_text(status: dict[str, Any]) -> tuple[str, str]:
    """The state in words, and whether it is good, doubtful, bad or plain."""
    mode, summary, stopped = status["mode"], status.get("summary") or {}, status.get("stopped_at")
    if status.get("error"):
        return "error", "bad"
    if mode == "recorded":
        ending = summary.get("ending")
        return "recording" if ending in (None, "until") else f"recording: {ending}", "plain"
    if mode == "ended":
        collisions, lost = summary.get("collisions") or 0, len(summary.get("lost") or ())
        found = [_many(collisions, "collision", "collisions"), _many(lost, "part lost", "parts lost")]
        near = summary.get("near_misses") or 0
        found.append(_many(near, "near miss", "near misses"))
        ending = str(summary.get("ending") or "ended")
        text = " · ".join([_ENDINGS.get(ending, ending), *filter(None, found)])
        return text, "bad" if summary.get("clean") is False else "doubtful" if near else "good"
    if mode == "live" and stopped:
        return f"at {Path(stopped['file']).name}:{stopped['line']}", "plain"
    return {"ready": "", "running": "running", "paused": "paused"}.get(status["state"], ""), "plain"


def _many(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}" if number else ""


def state_badge(desk: Desk) -> None:
    """The state of the run, for the header."""
    badge = ui.badge().props("outline").classes("drycell-state").mark("state")

    def show(status: dict[str, Any]) -> None:
        text, kind = state_text(status)
        if badge.text != text:
            badge.text = text
        badge.visible = bool(text)
        badge.props(f"color={_COLOURS[kind]}")

    desk.on("status", show)
    show(desk.studio.latest)


def error_line(desk: Desk) -> None:
    """What went wrong with the cell or its run, under the header, until it is restarted or put away."""
    with ui.row().classes("drycell-error").mark("error") as line:
        ui.icon("error_outline")
        text = ui.label().classes("drycell-mono col")
        source = ui.button("show").props("flat dense no-caps")
        ui.button(icon="close", on_click=lambda: put_away()).props("flat dense round")
    shown: list[dict[str, Any] | None] = [None]

    def put_away() -> None:
        line.visible = False

    def show(status: dict[str, Any]) -> None:
        error = status.get("error")
        if error == shown[0]:
            return
        shown[0] = error
        line.visible = error is not None
        if error is not None:
            where, hint = error.get("where"), error.get("hint")
            text.text = error["what"] + (f"\n  at {where}" if where else "") + (f"\n  try: {hint}" if hint else "")
            source.visible = bool(error.get("file"))

    def show_source() -> None:
        error = shown[0] or {}
        if error.get("file"):
            desk.show_source(error["file"], error.get("line") or 1)

    source.on_click(show_source)
    line.visible = False
    desk.on("status", show)
    show(desk.studio.latest)
