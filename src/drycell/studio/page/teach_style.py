"""The look of the Teach panel: dense rows, lamps, a pendant of small buttons."""

from collections.abc import Callable

from nicegui import ui
from nicegui.element import Element

from drycell.studio.page.naming import named

Action = Callable[[], object]


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
