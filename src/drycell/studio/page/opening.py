"""The dialogs that open a cell or a recording, and ask whether the code in its folder may run."""

from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from nicegui import ui

from drycell.base import DrycellError, FileError
from drycell.cell import trust
from drycell.studio.api.errors import ErrorReport
from drycell.studio.api.transport import HostStatus
from drycell.studio.page.build_dialogs import begin_dialog
from drycell.studio.page.elements import name_elements
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.texts import short_path
from drycell.studio.server.files import completions, examples

_WARNING = (
    "Programs, cell.py and files under 'uses' are code. They run with your rights on this machine. "
    "If you did not write them, read them first."
)


class TrustDialog:
    """Asks whether to trust a folder. Opens when a cell cannot be built or run because its folder is not trusted."""

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
        tab.on(HostStatus, self._status)
        self._status(tab.studio.latest)

    def ask(self, error: ErrorReport) -> None:
        """Open the dialog for an error about a folder that is not trusted."""
        self._asked = error
        self._folder.text = error.folder or ""
        self._files.text = ", ".join(error.untrusted)
        self._dialog.open()
        name_elements(self._tab.client)

    def _status(self, status: HostStatus) -> None:
        error = status.error
        if error is None or error.kind != "Untrusted":
            return
        if error != self._asked:  # the status repeats the error: ask only once
            self.ask(error)

    async def _trust(self) -> None:
        if self._asked is None or self._asked.folder is None or not self._tab.may_act():
            return
        self._dialog.close()
        trust(self._asked.folder)
        await self._tab.act(self._tab.studio.restart())


class OpenDialog:
    """What can be opened: as a dialog, or as the contents of the start page."""

    def __init__(self, tab: BrowserTab, proposed: str = "") -> None:
        self._tab = tab
        self._proposed = proposed[:1000]
        self._dialog: ui.dialog | None = None

    def dialog(self) -> ui.dialog:
        """Build the dialog, closed."""
        with ui.dialog().mark("open-dialog") as dialog, ui.card().classes("drycell-opening"):
            self._dialog = dialog
            with ui.row().classes("w-full items-center no-wrap"):
                ui.label("Open").classes("text-subtitle1 text-weight-medium")
                ui.space()
                ui.button(icon="close", on_click=dialog.close).props("flat dense round aria-label=close")
            place = ui.column().classes("w-full gap-3")

        def fill() -> None:
            place.clear()
            with place:
                self.contents()
            name_elements(self._tab.client)

        dialog.on("show", fill)
        dialog.on("hide", place.clear)  # what is typed at once must not go to a field that is about to be replaced
        return dialog

    def contents(self) -> None:
        """Build the path field, recent files and examples."""
        self._path_field()
        recent = [Path(each) for each in self._tab.studio.preferences.recent if Path(each).exists()]
        if recent:
            ui.label("Recent").classes("drycell-section")
            with ui.row().classes("w-full gap-1"):
                for path in recent[:6]:
                    button = ui.button(short_path(path), on_click=lambda path=path: self.open(path))
                    button.props("outline dense no-caps").classes("drycell-recent").tooltip(str(path))
        ui.label("Examples").classes("drycell-section")
        with ui.element("div").classes("drycell-tiles"):
            with _tile("New cell", "Start with an empty cell or a copy of an example.") as tile:
                tile.on("click", self._begin).mark("new-cell")
            for each in examples():
                with _tile(each.title, each.text).mark(f"example-{each.path.name}") as tile:
                    tile.on("click", lambda path=each.path: self.open(path))
            with _tile("EMULA", "The robot console of 1981 with its workstation.") as tile:
                tile.on("click", self._open_emula).mark("example-emula")

    def _path_field(self) -> None:
        with ui.row().classes("w-full items-center no-wrap gap-2"):
            field = ui.input(
                value=self._proposed, placeholder="path of a cell.yaml, a Python file, a folder or a recording (.dry)"
            )
            field.props("dense outlined autofocus clearable").classes("col").mark("path")
            ui.button("Open", on_click=lambda: self.open(field.value)).props("unelevated dense no-caps").classes(
                "px-3"
            ).mark("open-path")
        found = ui.row().classes("w-full gap-1")

        def typed(_: Any = None) -> None:
            found.clear()
            with found:
                for name in completions(field.value or "", Path.cwd()) if field.value else []:
                    ui.button(name, on_click=lambda name=name: take(name)).props("flat dense no-caps").classes(
                        "drycell-recent"
                    )

        def take(name: str) -> None:
            field.value = name
            field.run_method("focus")

        field.on_value_change(typed)
        field.on("keydown.enter", lambda: self.open(field.value))
        field.on("keydown.tab.prevent", lambda: _complete(field))

    async def open(self, path: str | Path) -> None:
        """Open a path for all browsers, if this tab holds control."""
        if path:
            await self._open(self._tab.studio.open(path))

    def _begin(self) -> None:
        if self._dialog is not None:
            self._dialog.close()
        begin_dialog(self._tab)

    async def _open_emula(self) -> None:
        self._tab.settings["right-tab"] = "EMULA"
        await self._open(self._tab.studio.open_emula())

    async def _open(self, call: Coroutine[Any, Any, None]) -> None:
        if not self._tab.may_act():
            call.close()
            return
        try:
            await call
        except FileError as error:  # there is nothing to open: the path can be corrected
            self._tab.show_error(error)
            return
        except DrycellError as error:
            self._tab.show_error(error)
        if self._dialog is not None:
            self._dialog.close()


def _tile(title: str, text: str) -> ui.element:
    with ui.element("button").classes("drycell-tile") as tile:
        ui.label(title).classes("text-weight-medium")
        ui.label(text).classes("drycell-quiet drycell-tile-text")
    return tile


def _complete(field: ui.input) -> None:
    """Complete as a shell does: with the common prefix of all completions."""
    names = completions(field.value or "", Path.cwd(), most=1000)
    common = names[0] if names else ""
    for name in names:
        while not name.startswith(common):
            common = common[:-1]
    if len(common) > len(field.value or ""):
        field.value = common
