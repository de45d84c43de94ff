"""What a recording does not hold, said where one would look for it."""

from typing import TYPE_CHECKING

from nicegui import ui

from drycell.studio.api.transport import Status
from drycell.studio.page.naming import named

if TYPE_CHECKING:
    from drycell.studio.page.desk import Desk


def lacking(desk: "Desk", what: str) -> None:
    """A line that is there while a recording is shown: “Programs are not in a recording …”."""
    line = ui.label(f"{what} are not in a recording; run again has them")
    line.classes("drycell-quiet drycell-small q-px-sm q-py-xs")
    named(line, "not-recorded")

    def show(status: Status) -> None:
        line.set_visibility(status.mode == "recorded")

    desk.on(Status, show)
    show(desk.studio.latest)
