"""The run in the editor: the lines its programs stand at, where it is held, and what went wrong in it."""

import os
from collections.abc import Callable
from typing import Final

from nicegui import ui

from drycell.studio.api.errors import ErrorReport
from drycell.studio.api.transport import Status
from drycell.studio.page.program_editor import ProgramEditor
from drycell.studio.page.program_marks import Marks, marks_of
from drycell.studio.page.program_tabs import FileProblem
from drycell.studio.page.program_variables import VariablesPanel
from drycell.studio.page.tab import BrowserTab

_FOLLOWED: Final = 10.0  # times real time: a text that jumps about quicker than that is no help


class RunShown:
    """Hears of the run. ``show(name)`` opens and shows a file of the folder, ``drawn`` draws the panel anew."""

    variables: VariablesPanel
    lower: ui.tab_panels

    def __init__(
        self, tab: BrowserTab, editor: ProgramEditor, show: Callable[[str], bool], drawn: Callable[[], None]
    ) -> None:
        self._tab, self._editor, self._show, self._drawn = tab, editor, show, drawn
        self._marks: Marks = {}
        self.forget()

    def forget(self) -> None:
        """Another run, or another cell."""
        self._outside: set[str] = set()  # files told to be outside the folder
        self.fault: tuple[str, FileProblem] | None = None
        """What went wrong, and in which file."""
        self._held: object = None
        self._error: object = None
        self._marks = {}

    def hear(self, status: Status) -> None:
        """A new status: marks the lines, goes to where the run is held, tells what went wrong."""
        marks = marks_of(status, self._tab.studio.workspace.name_of)
        if marks != self._marks:
            self._marks = marks
            factor = status.factor
            self._editor.stand(marks, going=status.mode == "live" and factor is not None and factor <= _FOLLOWED)
        self.variables.hear(status)
        held = status.stopped_at
        key = None if held is None else (held, status.t)
        if held is not None and key != self._held:
            self.lower.set_value("variables")
            self.go(held.file, held.line, points=False)
        self._held = key
        error = status.error
        if error != self._error:
            self._error = error
            if error is not None:
                self.tell(error)
            elif self.fault is not None:
                self.fault = None
                self._drawn()

    def go(self, file: str, line: int, *, points: bool = True) -> None:
        """Shows a line of the text that runs, and points at it; ``file`` is a path, or a name in the folder."""
        workspace = self._tab.studio.workspace
        name = file if file in workspace.files() else workspace.name_of(file)
        if name is not None and self._show(name):
            self._editor.run_method("showRunning", name, line, points)
        elif name is None and file not in self._outside:
            self._outside.add(file)
            told = os.path.normpath(file)
            self._tab.notify(f"{told} is not in the folder of the cell: open that folder to see its lines.", "warning")

    def tell(self, error: ErrorReport) -> None:
        """Shows what a run, or the building of the cell, has met, at its place if that is in the folder."""
        file, line = error.file, error.line
        name = self._tab.studio.workspace.name_of(file) if file else None
        text, hint = error.what, error.hint
        self.fault = (name or file or "the run", FileProblem(text, line, error.column, hint))
        if name is not None and line is not None and self._show(name):
            self._editor.run_method("fault", name, line, text.split("\n")[0], hint)
            self._editor.run_method("showRunning", name, line, False)
        self.lower.set_value("problems")
        self._drawn()
