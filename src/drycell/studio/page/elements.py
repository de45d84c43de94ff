"""What panels make their elements with: names by which tests in a browser find them, tips, small buttons and fields."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from nicegui import ui
from nicegui.client import Client
from nicegui.element import Element

COMPONENTS: Final = Path(__file__).parent.parent / "components"
"""Where the scripts and styles are that the browser gets."""
E = TypeVar("E", bound=Element)
Action = Callable[[], object]


def name_elements(client: Client) -> None:
    """Gives every marked element of a page its first marker as ``data-testid``."""
    for element in client.elements.values():
        markers = element._markers  # NiceGUI tells them to its own filter alone
        if markers and "data-testid" not in element.props:
            element.props["data-testid"] = markers[0]


def named(element: E, name: str) -> E:
    """Names one that is made later, when the page is there already."""
    element.mark(name)
    element.props["data-testid"] = name
    return element


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
