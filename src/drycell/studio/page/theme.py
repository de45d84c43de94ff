"""The look of the page: small type, one accent colour, light or dark as the system says or the user chose."""

from nicegui import ui

from drycell.studio.page.naming import COMPONENTS
from drycell.studio.page.tab import BrowserTab


def theme(tab: BrowserTab) -> ui.dark_mode:
    """Colours and type of the page; returns the switch between light and dark (None follows the system)."""
    kept = tab.keeps.get("dark")
    ui.add_css(COMPONENTS / "page.css")
    return ui.dark_mode(kept if isinstance(kept, bool) else None)
