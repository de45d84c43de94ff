"""The question whether the code in a cell's folder may run: asked before it does, once for each folder."""

from nicegui import ui

from drycell.base import DrycellError
from drycell.cell import trust
from drycell.studio.api.errors import ErrorReport
from drycell.studio.api.transport import Status
from drycell.studio.page.naming import name_elements
from drycell.studio.page.tab import BrowserTab

_WARNING = (
    "Programs, cell.py and files under 'uses' are code: they can do whatever you can do on this machine. "
    "If you did not write them, look at them first."
)


class Trusting:
    """The dialog of one page. It opens when a cell cannot be built, or run, because its folder is not trusted."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab = tab
        self._asked: ErrorReport | None = None
        with ui.dialog().mark("trust-dialog") as self._dialog, ui.card().classes("gap-2"):
            ui.label("Trust the code in this folder?").classes("text-subtitle1 text-weight-medium")
            self._folder = ui.label().classes("drycell-mono").mark("trust-place")
            self._files = ui.label().classes("drycell-mono drycell-small").mark("trust-files")
            ui.label(_WARNING).classes("drycell-quiet")
            with ui.row().classes("justify-end full-width"):
                ui.button("Not now", on_click=self._dialog.close).props("flat dense no-caps").mark("trust-not-now")
                ui.button("Trust the folder", on_click=self._trust).props("unelevated dense no-caps").mark(
                    "trust-folder"
                )
        tab.on_untrusted(self.ask)
        tab.on(Status, self._status)
        self._status(tab.studio.latest)

    def ask(self, error: ErrorReport) -> None:
        """Opens the dialog for an error about a folder that is not trusted."""
        self._asked = error
        self._folder.text = error.folder or ""
        self._files.text = ", ".join(error.untrusted)
        self._dialog.open()
        name_elements(self._tab.client)

    def _status(self, status: Status) -> None:
        error = status.error
        if error is None or error.kind != "Untrusted":
            return
        if error != self._asked:  # told again and again: somebody who said no is left alone
            self.ask(error)

    async def _trust(self) -> None:
        if self._asked is None or self._asked.folder is None or not self._tab.may_act():
            return
        self._dialog.close()
        trust(self._asked.folder)
        try:
            await self._tab.studio.restart()
        except DrycellError as error:
            self._tab.tell(error)
