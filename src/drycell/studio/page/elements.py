"""Small building blocks of panels: names for browser tests, tooltips, buttons, lamps and fields."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, TypeVar

from nicegui import ui
from nicegui.client import Client
from nicegui.element import Element
from nicegui.events import GenericEventArguments

COMPONENTS: Final = Path(__file__).parent.parent / "components"
"""The folder with scripts and styles for the browser."""
E = TypeVar("E", bound=Element)
Action = Callable[[], object]


def name_elements(client: Client) -> None:
    """Give every marked element of a page its first marker as ``data-testid``."""
    for element in client.elements.values():
        markers = element._markers  # NiceGUI has no public access to them
        if markers and "data-testid" not in element.props:
            element.props["data-testid"] = markers[0]


def named(element: E, name: str) -> E:
    """Mark an element that is created after the page was built. Returns the element."""
    element.mark(name)
    element.props["data-testid"] = name
    return element


def on_args(element: Element, event: str, callback: Callable[[Any], Awaitable[None] | None]) -> None:
    """Call back with the arguments of an event of a custom element."""

    def received(arguments: GenericEventArguments) -> Awaitable[None] | None:
        return callback(arguments.args)

    element.on(event, received)


def titled(element: Element, text: str) -> None:
    """Give an element a native tooltip. A Quasar tooltip would fail in lists that are rebuilt while hidden."""
    element.props["title"] = text


def button(text: str, action: Action | None, name: str, tip: str = "", icon: str | None = None) -> ui.button:
    """A small flat button. A click on it does not count as a click on its row."""
    made = ui.button(text, icon=icon, on_click=action).props("flat dense no-caps no-wrap")
    made.on("click", js_handler="(event) => event.stopPropagation()")
    if not text:
        made.classes("teach-icon")
    if tip:
        titled(made, tip)
    named(made, name)
    return made


def lamp(colour: str, tip: str = "") -> ui.element:
    """A small lamp: green, amber, red, or off (empty)."""
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
