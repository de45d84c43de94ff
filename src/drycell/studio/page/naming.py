"""Names of elements, by which tests in a browser find them: those they are marked with for tests without one."""

from pathlib import Path
from typing import Final, TypeVar

from nicegui.client import Client
from nicegui.element import Element

COMPONENTS: Final = Path(__file__).parent.parent / "components"
"""Where the scripts and styles are that the browser gets."""
E = TypeVar("E", bound=Element)


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
