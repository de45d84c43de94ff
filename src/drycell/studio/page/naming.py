"""Names of elements, by which tests in a browser find them: those they are marked with for tests without one."""

from nicegui.client import Client


def name_elements(client: Client) -> None:
    """Gives every marked element of a page its first marker as ``data-testid``."""
    for element in client.elements.values():
        markers = element._markers  # NiceGUI tells them to its own filter alone
        if markers and "data-testid" not in element.props:
            element.props["data-testid"] = markers[0]
