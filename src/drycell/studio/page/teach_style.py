"""The look of the Teach panel: dense rows, lamps, a pendant of small buttons."""

from collections.abc import Callable
from typing import Final

from nicegui import ui
from nicegui.element import Element

from drycell.studio.page.naming import named

Action = Callable[[], object]

STYLE: Final = """
.teach { width: 100%; gap: 0; font-size: 12px; flex-wrap: nowrap; }
.teach-section { width: 100%; padding: 6px 8px 8px; gap: 4px; border-bottom: 1px solid var(--drycell-line); }
.teach-head { width: 100%; gap: 4px; align-items: center; flex-wrap: nowrap; min-height: 24px; }
.teach-head .drycell-section { font-size: 11px; font-weight: 600; cursor: default; }
.teach-row { width: 100%; gap: 4px; align-items: center; flex-wrap: nowrap; }
.teach-wrap { width: 100%; gap: 4px; align-items: center; flex-wrap: wrap; }
.teach-grow { flex: 1 1 0; min-width: 0; }
.teach .q-btn { min-height: 24px; font-size: 12px; padding: 0 7px; }
.teach .q-btn .q-icon { font-size: 16px; }
.teach .q-btn.teach-icon { padding: 0 3px; min-width: 24px; }
.teach .q-btn.teach-jog { min-width: 0; padding: 0; flex: 1 1 0; font-variant-numeric: tabular-nums; }
.teach .q-btn.teach-main { background: var(--drycell-hover); }
.teach .q-field__control, .teach .q-field__marginal, .teach .q-field__native { min-height: 24px; height: 24px;
  font-size: 12px; }
.teach .q-field__native, .teach .q-field__input { padding: 0; }
.teach .q-field__prefix, .teach .q-field__suffix { font-size: 11px; color: var(--drycell-quiet); padding: 0 2px; }
.teach .q-field__append .q-icon { font-size: 16px; }
.teach-joint { display: grid; grid-template-columns: 62px 24px 1fr 24px 58px; align-items: center; column-gap: 4px;
  width: 100%; height: 24px; }
.teach-joint .q-slider { height: 24px; }
.teach-joint .q-slider__track-container--h { padding: 10px 0; height: 24px; }
.teach-joint .q-btn { height: 24px; }
.teach input[type=number]::-webkit-inner-spin-button { display: none; }
.teach input[type=number] { -moz-appearance: textfield; appearance: textfield; text-align: right; }
.teach .q-field--outlined .q-field__control { padding: 0 5px; }
.teach-number { font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; }
.teach-tcp { display: grid; grid-template-columns: repeat(6, 1fr); width: 100%; font-variant-numeric: tabular-nums;
  text-align: center; padding: 2px 0; border-radius: 3px; background: var(--drycell-bar); }
.teach-tcp small { color: var(--drycell-quiet); font-size: 10px; display: block; line-height: 12px; }
.teach-lamp { width: 9px; height: 9px; border-radius: 50%; flex: none; background: var(--drycell-line); }
.teach-lamp.green { background: #2e9e4f; } .teach-lamp.amber { background: #f9a825; }
.teach-lamp.red { background: #d93a3a; }
.teach-list { width: 100%; gap: 0; }
.teach-item { width: 100%; gap: 6px; align-items: center; flex-wrap: nowrap; min-height: 24px; padding: 0 4px;
  border-radius: 3px; cursor: pointer; }
.teach-item:hover { background: var(--drycell-hover); }
.teach-item.chosen { background: var(--drycell-hover); box-shadow: inset 2px 0 0 var(--drycell-accent); }
.teach-item .teach-tools { gap: 0; flex-wrap: nowrap; display: none; flex: none; }
.teach-item:hover .teach-tools, .teach-item.chosen .teach-tools { display: flex; }
.teach-item .q-btn { min-height: 20px; color: var(--drycell-quiet); }
.teach-remark { color: var(--drycell-quiet); font-style: italic; }
.teach-says { font-size: 11.5px; line-height: 1.35; width: 100%; }
.teach-banner { width: 100%; padding: 4px 8px; gap: 8px; align-items: center; flex-wrap: nowrap;
  background: var(--drycell-bar); border-bottom: 1px solid var(--drycell-line); }
.teach-code { width: 100%; max-height: 300px; overflow: auto; font-size: 11.5px; border-radius: 3px; margin: 0;
  padding: 6px 8px; white-space: pre; font-family: ui-monospace, Menlo, Consolas, monospace; line-height: 1.45;
  border: 1px solid var(--drycell-line); background: var(--drycell-bar); user-select: text; }
.teach-result { width: 100%; gap: 6px; align-items: flex-start; flex-wrap: nowrap; white-space: pre-line; }
.teach-off { opacity: .45; pointer-events: none; }
.teach-dialog { min-width: 320px; gap: 8px; font-size: 13px; }
"""


def titled(element: Element, text: str) -> None:
    """Shows a text while the mouse is over an element. The browser does it: lists come and go while they are hidden."""
    element.props["title"] = text


def button(text: str, action: Action | None, name: str, tip: str = "", icon: str | None = None) -> ui.button:
    """A small flat button; a click on it is not one on the row it stands in."""
    made = ui.button(text, icon=icon, on_click=action).props("flat dense no-caps no-wrap")
    made.on("click", js_handler="(event) => event.stopPropagation()")
    if not text:
        made.classes("teach-icon")
    if tip:
        titled(made, tip)
    named(made, name)
    return made


def lamp(colour: str, tip: str = "") -> ui.element:
    """Green, amber, red, or unlit."""
    made = ui.element("div").classes(f"teach-lamp {colour}")
    if tip:
        titled(made, tip)
    return made


def number(value: float, unit: str, name: str, tip: str, *, step: float = 1.0, width: int = 74) -> ui.number:
    """A small field for a number with its unit."""
    made = ui.number(value=value, step=step, suffix=unit).props("dense outlined hide-bottom-space")
    titled(made.style(f"width:{width}px"), tip)
    named(made, name)
    return made
