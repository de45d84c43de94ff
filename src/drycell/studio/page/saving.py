"""The dialog that saves the run as a recording, a picture, a film, tables or a report."""

from pathlib import Path
from typing import Final

from nicegui import ui

from drycell.base import DrycellError
from drycell.studio.page.elements import clear_error, name_elements, show_error
from drycell.studio.page.tab import BrowserTab

_KINDS: Final = {
    ".dry": "recording (.dry)",
    ".html": "report on one page (.html)",
    ".zip": "tables as CSV files (.zip)",
    ".svg": "line drawing at the time shown (.svg)",
    ".png": "picture at the time shown (.png)",
    ".mp4": "film (.mp4)",
    ".gif": "film (.gif)",
}


class SaveDialog:
    """Chooses a kind and a path, and saves. An error, such as a missing extra, is shown at the path."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab = tab
        with ui.dialog().mark("save-run-dialog") as self._dialog, ui.card().classes("gap-2").style("width: 520px"):
            ui.label("Save the run").classes("text-subtitle1 text-weight-medium")
            self._kind = ui.select(_KINDS, value=".dry", label="as", on_change=self._chosen).props("dense outlined")
            self._kind.classes("w-full").mark("save-kind")
            self._path = ui.input("file on the machine of the studio").props("dense outlined").classes("w-full")
            self._path.mark("save-path")
            self._bar = ui.linear_progress(show_value=False).props("indeterminate aria-label=saving")
            with ui.row().classes("w-full justify-end"):
                ui.button("Cancel", on_click=self._dialog.close).props("flat dense no-caps")
                self._save = ui.button("Save", on_click=self._go).props("unelevated dense no-caps").classes("px-3")
                self._save.mark("save-run-go")
        self._bar.set_visibility(False)

    def open(self) -> None:
        """Open the dialog with a path for the open cell."""
        name = str(self._tab.studio.latest.name or "run").replace(" ", "_").replace("/", "_")
        self._path.value = f"out/{name}{self._kind.value}"
        clear_error(self._path)
        self._dialog.open()
        name_elements(self._tab.client)

    def _chosen(self) -> None:
        clear_error(self._path)
        self._path.value = str(Path(self._path.value or "out/run").with_suffix(str(self._kind.value)))

    async def _go(self) -> None:
        if not self._tab.may_act():
            return
        path = Path(str(self._path.value or "")).expanduser().absolute()
        clear_error(self._path)
        self._save.disable()
        self._bar.set_visibility(True)
        try:
            size = await self._tab.studio.save_run(path)
        except DrycellError as error:
            show_error(self._path, error.what, error.hint)
            return
        finally:
            self._save.enable()
            self._bar.set_visibility(False)
        self._dialog.close()
        self._tab.notify(f"Saved {path.name}, {max(size // 1000, 1):,} kB.", "good")
