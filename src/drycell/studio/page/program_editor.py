"""The program editor as an element of the page. Its browser side is ``components/program_editor.js``."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import nicegui.elements.codemirror  # noqa: F401  # registers CodeMirror for the component
from nicegui.element import Element

from drycell.studio.drafts import TextDraft
from drycell.studio.page.elements import COMPONENTS
from drycell.studio.workspace import FileText

STOPPABLE: Final = ("python", "pascal", "arla", "emula")
"""The languages that support breakpoints."""


class ProgramEditor(
    Element,
    component=COMPONENTS / "program_editor.js",
    dependencies=[COMPONENTS / "program_editor_*.js", COMPONENTS / "after_view.js"],
):
    """Several open texts, one of which is shown.

    Its events: ready, opened, edit, aside, save, restart, breaks and unfollow.
    """

    def open(self, text: FileText, key: str, breaks: Sequence[int], draft: TextDraft | None) -> None:
        """Open a text. ``key`` identifies the file, whatever folder is open."""
        self.run_method(
            "open",
            {
                "name": text.name,
                "key": key,
                "text": text.text,
                "stamp": text.stamp,
                "language": text.language,
                "stoppable": text.language in STOPPABLE,
                "breaks": list(breaks),
                "draft": None if draft is None else asdict(draft),
            },
        )

    def refresh(self, text: FileText, draft: TextDraft | None) -> None:
        """Update a text from disk and its draft. The event ``opened`` reports what is shown then."""
        sent = {"name": text.name, "text": text.text, "stamp": text.stamp}
        self.run_method("refresh", {**sent, "draft": None if draft is None else asdict(draft)})

    def show(self, name: str, line: int | None = None, column: int | None = None) -> None:
        """Show a text, optionally at a line and column."""
        self.run_method("show", name, line, column)

    def stand(self, where: Mapping[str, Sequence[Mapping[str, object]]], *, going: bool) -> None:
        """Mark the current lines of programs, by file. ``going``: the run is slow enough to follow."""
        self.run_method("stand", where, going)

    async def unsaved(self) -> list[dict[str, Any]]:
        """All texts with unsaved changes."""
        found = await self.run_method("unsaved", timeout=5)
        return found if isinstance(found, list) else []

    async def running_lines(self, name: str) -> list[int]:
        """The breakpoints of a file, as lines of the running text."""
        found = await self.run_method("lines", name, timeout=5)
        return list(found["running"]) if isinstance(found, dict) else []
