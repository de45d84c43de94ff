"""The editor of program files as an element of the page; what is drawn and typed is in components/program_editor.js."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import nicegui.elements.codemirror  # noqa: F401  # registers CodeMirror for the component
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from drycell.studio.drafts import Draft
from drycell.studio.page.elements import COMPONENTS
from drycell.studio.workspace import Text

STOPPABLE: Final = ("python", "pascal", "arla", "emula")
"""The languages in which break points can be set."""

Told = Callable[[dict[str, Any]], object]


class ProgramEditor(
    Element,
    component=COMPONENTS / "program_editor.js",
    dependencies=[COMPONENTS / "program_editor_*.js", COMPONENTS / "after_view.js"],
):
    """Several open texts, one of them shown."""

    def told(self, event: str, callback: Told) -> None:
        """Calls back with what an event brings: ready, opened, edit, aside, save, restart, breaks, unfollow."""

        def heard(event: GenericEventArguments) -> object:
            return callback(event.args if isinstance(event.args, dict) else {})

        self.on(event, heard)

    def open(self, text: Text, key: str, breaks: Sequence[int], draft: Draft | None) -> None:
        """One more text; ``key`` is the file's own wherever it is opened."""
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

    def refresh(self, text: Text, draft: Draft | None) -> None:
        """What is on disk now, and what was typed on it; an event ``opened`` tells what is shown then."""
        told = {"name": text.name, "text": text.text, "stamp": text.stamp}
        self.run_method("refresh", {**told, "draft": None if draft is None else asdict(draft)})

    def show(self, name: str, line: int | None = None, column: int | None = None) -> None:
        """Shows a text, at a place of it."""
        self.run_method("show", name, line, column)

    def stand(self, where: Mapping[str, Sequence[Mapping[str, object]]], *, going: bool) -> None:
        """Marks the lines that programs stand at, by file; ``going``: they can be followed with the eyes."""
        self.run_method("stand", where, going)

    async def unsaved(self) -> list[dict[str, Any]]:
        """What is typed and not on disk."""
        found = await self.run_method("unsaved", timeout=5)
        return found if isinstance(found, list) else []

    async def running_lines(self, name: str) -> list[int]:
        """The break points of a file, as lines of the text that runs."""
        found = await self.run_method("lines", name, timeout=5)
        return list(found["running"]) if isinstance(found, dict) else []
