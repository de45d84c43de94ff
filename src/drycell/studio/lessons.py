"""The lesson that is taught in the open cell: shared by all browsers, kept on disk, and checked at every change.

The server holds it, so that it survives a run or a crash of the host.
"""

import asyncio
import contextlib
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from drycell.base import DrycellError, FieldError, FileError
from drycell.studio.api.scene import Tree
from drycell.studio.api.teaching import LessonCheck
from drycell.studio.drafts import state_folder
from drycell.studio.server.events import HostReplaced, LessonChanged
from drycell.studio.server.files import cell_file
from drycell.teach import (
    Lesson,
    LessonProgram,
    check_taught,
    lesson_text,
    load_lesson,
    save_lesson,
    write_into,
)

if TYPE_CHECKING:
    from drycell.studio.server.studio import Studio

T = TypeVar("T")
ENDING: Final = ".lesson.yaml"
"""The suffix of lesson files beside a cell."""
_FIRST: Final = "pick and place"


class Lessons:
    """The current lesson and the result of its check. Emits ``LessonChanged``. Use ``studio.lessons``."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        self._path: Path | None = None
        self.lesson = Lesson(_FIRST, "")
        self.checked = LessonCheck()
        self.error: DrycellError | None = None
        """Why the lesson could not be checked, if that failed."""
        self._wanted = False
        self._checking: asyncio.Task[None] | None = None
        studio.listen(HostReplaced, lambda _: self._host_replaced())
        studio.listen(Tree, lambda _: self.check())
        self._host_replaced()

    # ---------------------------------------------------------------- editing

    def edit(self, action: Callable[[Lesson], T]) -> T:
        """Change the lesson. It is kept on disk and checked."""
        result = action(self.lesson)
        self._changed()
        return result

    def new(self, robot: str, name: str = _FIRST) -> None:
        """Start another lesson. Undo restores the previous one."""
        self.edit(lambda lesson: lesson.become(Lesson(name, robot)))

    def text(self) -> str:
        """The text of the lesson's file."""
        return lesson_text(self.lesson)

    # ---------------------------------------------------------------- files

    def files(self) -> list[str]:
        """The lesson files beside the cell."""
        return [name for name in self._studio.workspace.files() if name.endswith(ENDING)]

    def open(self, name: str) -> None:
        """Open a lesson file beside the cell."""
        taken = load_lesson(self._studio.workspace.path_of(name))
        self.edit(lambda lesson: lesson.become(taken))

    def save(self) -> str:
        """Save the lesson beside the cell. Returns the name of the file."""
        name = f"{self.lesson.program}{ENDING}"
        save_lesson(self.lesson, self._studio.workspace.path_of(name))
        return name

    def save_program(self, program: LessonProgram) -> None:
        """Save the lesson as a program of the open cell file, with its points as workpoints, and its own file."""
        building, workspace = self._studio.building, self._studio.workspace
        building.require_draft()
        check_taught(workspace.path_of(program.file))
        building.edit(lambda draft: write_into(draft, self.lesson, program))
        workspace.save(program.file, program.text, None)
        building.save()
        self.save()

    # ---------------------------------------------------------------- inside

    def _host_replaced(self) -> None:
        """Load the lesson of the cell, if another cell was opened."""
        path = _cell_of(self._studio.path)
        if path != self._path:
            self._path = path
            self.checked = LessonCheck()
            self.lesson = self._kept() or self._saved() or Lesson(_FIRST, self._first_robot())
        elif not self.lesson.robot:
            self.lesson = Lesson(self.lesson.name, self._first_robot())
        self.check()
        self._emit()

    def _first_robot(self) -> str:
        robots = self._studio.tree.robots
        return robots[0].name if robots else ""

    def _changed(self) -> None:
        with contextlib.suppress(OSError, FieldError):  # a lesson without a robot is not a file yet
            if self._path is not None:
                save_lesson(self.lesson, self._file())
        self._emit()
        self.check()

    def _kept(self) -> Lesson | None:
        """The lesson that was last edited in this cell."""
        if self._path is None or not self._file().is_file():
            return None
        try:
            return load_lesson(self._file())
        except FileError:
            return None

    def _saved(self) -> Lesson | None:
        """The lesson saved beside the cell, if there is exactly one: it may come from another machine."""
        if self._path is None or not self._path.is_file():
            return None
        try:
            (found,) = self._path.parent.glob(f"*{ENDING}")
            return load_lesson(found)
        except (ValueError, FileError):
            return None

    def _file(self) -> Path:
        key = hashlib.sha256(str(self._path).encode()).hexdigest()[:24]
        return state_folder() / "lessons" / f"{key}.yaml"

    def check(self) -> None:
        """Check the lesson soon. Several changes are checked together."""
        if not self.lesson.robot:
            if not self._first_robot():
                return
            self.lesson = Lesson(self.lesson.name, self._first_robot())
        self._wanted = True
        if self._checking is None:
            with contextlib.suppress(RuntimeError):  # without an event loop there is no page
                self._checking = asyncio.get_running_loop().create_task(self._check())

    async def _check(self) -> None:
        try:
            while self._wanted and self._studio.latest.mode == "ready":
                self._wanted = False
                try:
                    self.checked = await self._studio.host.teaching.check(self.text())
                    self.error = None
                except DrycellError as error:
                    self.error = error
                self._emit()
        finally:
            self._checking = None

    def _emit(self) -> None:
        self._studio.events.emit(LessonChanged())


def _cell_of(path: Path | None) -> Path | None:
    """The cell file of a path, which may be its folder."""
    return path if path is None else cell_file(path) or path
