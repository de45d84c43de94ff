"""Checks of the open files: each text is looked at by the stage a moment after it was typed."""

import asyncio
from collections.abc import Callable
from typing import Final

from nicegui import background_tasks

from drycell.base import DrycellError
from drycell.studio.api.codec import encode
from drycell.studio.page.program_editor import ProgramEditor
from drycell.studio.page.program_tabs import FileProblem, OpenFile
from drycell.studio.page.tab import BrowserTab

_PATIENCE: Final = 5.0  # seconds for an answer


class TextChecks:
    """Asks for one look at each file at a time; ``drawn`` is called when something was found, or no longer is."""

    def __init__(self, tab: BrowserTab, editor: ProgramEditor, drawn: Callable[[], None]) -> None:
        self._tab, self._editor, self._drawn = tab, editor, drawn
        self._under_way: set[str] = set()

    def ask(self, file: OpenFile) -> None:
        """Has a text looked at; while one look is under way, the next waits for it."""
        if file.name not in self._under_way and self._tab.studio.client is not None:
            self._under_way.add(file.name)
            background_tasks.create(self._asked(file), name="check of a text")

    async def _asked(self, file: OpenFile) -> None:
        workspace = self._tab.studio.workspace
        try:
            version = -1
            while version != file.version and not self._tab.client.is_deleted:
                version = file.version
                path = str(workspace.path_of(file.name))
                check = self._tab.host.debugging.check(path, file.text)
                found = await asyncio.wait_for(check, _PATIENCE)
                file.problems = [
                    FileProblem(each.text, each.line, each.column, each.hint, each.severity) for each in found.findings
                ]
                with self._editor:
                    self._editor.run_method("found", file.name, version, encode(found.findings), encode(found.stops))
                    self._drawn()
        except (DrycellError, TimeoutError):
            return  # a stage that is changing or stuck: the next edit asks again
        finally:
            self._under_way.discard(file.name)
