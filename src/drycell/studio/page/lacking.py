"""What a recording does not hold, said where one would look for it."""

from nicegui import ui

from drycell.studio.api.transport import Status
from drycell.studio.page.naming import named
from drycell.studio.page.tab import BrowserTab


def lacking(tab: BrowserTab, what: str) -> None:
    """A line that is there while a recording is shown: “Programs are not in a recording …”."""
    line = ui.label(f"{what} are not in a recording; run again has them")
    line.classes("drycell-quiet drycell-small q-px-sm q-py-xs")
    named(line, "not-recorded")

    def show(status: Status) -> None:
        line.set_visibility(status.mode == "recorded")

    tab.on(Status, show)
    show(tab.studio.latest)
