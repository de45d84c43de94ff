"""The dialog that searches the event orders of the open cell and shows the verdict."""

from typing import Final

from nicegui import ui

from drycell.studio.page.elements import name_elements, with_props
from drycell.studio.page.tab import BrowserTab
from drycell.studio.verification import SearchState

_PERIOD: Final = 0.3  # seconds between two looks at a running search
_VERDICTS: Final = {
    "running": ("hourglass_empty", "primary", "searching …"),
    "covered": ("check_circle", "positive", "no fault, everything was covered"),
    "fault": ("error", "negative", "a fault was found"),
    "incomplete": ("warning", "warning", "no fault found, but not everything was covered"),
    "failed": ("error", "negative", "the cell could not be searched"),
    "cancelled": ("block", "grey", "cancelled"),
}


class VerifyDialog:
    """Starts and cancels a search, shows its progress, its report, and the way to the trace of a fault."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab = tab
        self._shown: SearchState | None = None
        with ui.dialog().mark("verify-dialog") as self._dialog, ui.card().classes("gap-2 drycell-verify"):
            ui.label("Verify").classes("text-subtitle1 text-weight-medium")
            ui.label(
                "Runs the cell as it is on disk under all orders of simultaneous events and all declared choices, "
                "until a fault is found, everything is covered, or the time is used up."
            ).classes("drycell-quiet")
            with ui.row().classes("w-full no-wrap items-center gap-2"):
                self._seconds = ui.number("time limit", value=60, min=1, max=3600, suffix="s").props("dense outlined")
                self._seconds.style("width: 120px").mark("verify-seconds")
                self._start = (
                    ui.button("Search", on_click=self._search).props("unelevated dense no-caps").classes("px-3")
                )
                self._start.mark("verify-start")
                self._cancel = (
                    ui.button("Cancel", on_click=self._stop).props("flat dense no-caps").mark("verify-cancel")
                )
                ui.space()
                self._count = ui.label().classes("drycell-clock").mark("verify-progress")
            self._bar = ui.linear_progress(show_value=False).props("indeterminate").mark("verify-bar")
            with ui.row().classes("w-full no-wrap items-center gap-2") as self._row:
                self._icon = ui.icon("check_circle")
                self._verdict = ui.label().classes("text-weight-medium").mark("verify-verdict")
            self._report = ui.label().classes("drycell-mono drycell-report").mark("verify-report")
            with ui.row().classes("w-full justify-end"):
                self._trace = ui.button("Step through the trace", on_click=self._open).props("unelevated dense no-caps")
                self._trace.classes("px-3").mark("verify-trace")
                ui.button("Close", on_click=self._dialog.close).props("flat dense no-caps").mark("verify-close")
        self._show()
        ui.timer(_PERIOD, self._show)

    def open(self) -> None:
        """Open the dialog."""
        self._dialog.open()
        name_elements(self._tab.client)

    async def _search(self) -> None:
        if self._tab.may_act():
            await self._tab.ask(self._tab.studio.verification.run(float(self._seconds.value or 60)))
            self._show()

    def _stop(self) -> None:
        if self._tab.may_act():
            self._tab.studio.verification.cancel()

    async def _open(self) -> None:
        """Open the recording of the fault: its trace is shown step by step."""
        recording = self._tab.studio.verification.search.recording
        self._dialog.close()
        if recording is not None:
            await self._tab.act(self._tab.studio.open(recording))

    def _show(self) -> None:
        search = self._tab.studio.verification.search
        if search == self._shown:
            return
        self._shown = search
        running = search.verdict == "running"
        self._start.set_enabled(not running)
        self._cancel.set_visibility(running)
        self._bar.set_visibility(running)
        self._count.text = f"{search.runs:,} runs, {search.scope}" if search.runs and running else ""
        icon, colour, text = _VERDICTS.get(search.verdict, ("", "", ""))
        self._row.set_visibility(bool(text) and not running)
        with_props(self._icon, name=icon, color=colour)
        self._verdict.text = f"{search.cell}: {text}"
        self._report.text = "" if search.verdict == "cancelled" else search.report
        self._trace.set_visibility(search.verdict == "fault" and search.recording is not None)
