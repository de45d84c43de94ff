"""Small building blocks of panels: names for browser tests, tooltips, buttons, lamps and fields; and the functions that
show texts from files as data, which no other file of the page does by itself."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, LiteralString, TypeVar

from markupsafe import Markup
from nicegui import ui
from nicegui.client import Client
from nicegui.element import Element
from nicegui.events import GenericEventArguments

COMPONENTS: Final = Path(__file__).parent.parent / "components"
"""The folder with scripts and styles for the browser."""
E = TypeVar("E", bound=Element)
Action = Callable[[], object]


def with_props(element: E, **props: object) -> E:
    """Set properties of an element to values that may come from a file. Returns the element.

    ``element.props("…")`` parses a string in its own syntax, so a value could add properties and scripts; it is
    for constants only. Values that are set here are data, whatever they contain.
    """
    for name, value in props.items():
        element.props[name.replace("_", "-")] = value
    return element


def run_script(client: Client, function: LiteralString, *arguments: object) -> None:
    """Call a function, written in JavaScript, in the browser. The arguments are passed as data."""
    client.run_javascript(f"({function})({', '.join(map(json.dumps, arguments))})")


def show_markup(markup: Markup) -> ui.html:
    """Show HTML. ``Markup("<td>{}</td>").format(text)`` escapes texts that come from files."""
    return ui.html(markup, sanitize=False)


def show_error(box: Element, what: str, hint: str | None = None) -> None:
    """Show an error below a field."""
    with_props(box, error=True, error_message=what + (f"; {hint}" if hint else ""))


def clear_error(box: Element) -> None:
    """Remove the error of a field."""
    if box.props.get("error"):
        with_props(box, error=False, error_message="")


def name_elements(client: Client) -> None:
    """Give every marked element of a page its first marker as ``data-testid``, every button without text the name in
    its tooltip, and every dialog the name in its first line."""
    elements = list(client.elements.values())
    tips = {tip.props.get("target"): tip.text for tip in elements if isinstance(tip, ui.tooltip)}
    for element in elements:
        if isinstance(element, ui.button) and not element.text and "aria-label" not in element.props:
            inside = [each.text for each in element if isinstance(each, ui.tooltip)]
            name = inside[0] if inside else tips.get(f"#{element.html_id}")
            if name:
                element.props["aria-label"] = name
        if isinstance(element, ui.dialog):
            title = next((each.text for each in element.descendants() if isinstance(each, ui.label)), "")
            if title:
                element.props["aria-label"] = title
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
    made.style["width"] = f"{width}px"
    titled(made, tip)
    named(made, name)
    return made
