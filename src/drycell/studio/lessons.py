"""The lesson that is taught in the open cell: one for all browsers, kept on disk, checked on the bench at every change.

It lives in the server, so that neither a run nor a host that dies takes it away; what the host says of it (lamps,
program texts) is kept beside it.
"""

import asyncio
import contextlib
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar
from weakref import WeakKeyDictionary

from drycell.base import DrycellError, FieldError, FileError
from drycell.studio.api.scene import Tree
from drycell.studio.api.teaching import LessonCheck
from drycell.studio.building import building
from drycell.studio.drafts import state_folder
from drycell.studio.server.events import HostReplaced, LessonChanged
from drycell.studio.server.places import cell_file
from drycell.teach import (
    Lesson,
    LessonData,
    LessonProgram,
    check_taught,
    lesson_data,
    load_lesson,
    save_lesson,
    write_into,
)

if TYPE_CHECKING:
    from drycell.studio.server.studio import Studio

T = TypeVar("T")
ENDING: Final = ".lesson.yaml"
"""What files of lessons beside a cell end with."""
_FIRST: Final = "pick and place"
_BOOKS: "WeakKeyDictionary[Studio, LessonBook]" = WeakKeyDictionary()


def lesson_book(studio: "Studio") -> "LessonBook":
    """The book of a studio; there is one."""
    if studio not in _BOOKS:
        _BOOKS[studio] = LessonBook(studio)
    return _BOOKS[studio]


class LessonBook:
    """The lesson and what is known of it. Whoever shows it listens to the event ``LessonChanged``."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        self._path: Path | None = None
        self.lesson = Lesson(_FIRST, "")
        self.checked = LessonCheck()
        self.trouble: DrycellError | None = None
        """Why it could not be checked, if it could not."""
        self._wanted = False
        self._checking: asyncio.Task[None] | None = None
        studio.listen(HostReplaced, lambda data: self._staged())
        studio.listen(Tree, lambda data: self.check())
        self._staged()

    # ---------------------------------------------------------------- editing

    def edit(self, action: Callable[[Lesson], T]) -> T:
        """Changes the lesson; all pages hear of it, and it is kept and checked."""
        result = action(self.lesson)
        self._changed()
        return result

    def new(self, robot: str, name: str = _FIRST) -> None:
        """Begins another lesson; undoing that brings the one before back."""
        self.edit(lambda lesson: lesson.become(Lesson(name, robot)))

    def data(self) -> LessonData:
        """The lesson as its file has it."""
        return lesson_data(self.lesson)

    # ---------------------------------------------------------------- files

    def files(self) -> list[str]:
        """The lessons that are saved beside the cell."""
        return [name for name in self._studio.workspace.files() if name.endswith(ENDING)]

    def open(self, name: str) -> None:
        """Takes up a lesson that is saved beside the cell."""
        taken = load_lesson(self._studio.workspace.path_of(name))
        self.edit(lambda lesson: lesson.become(taken))

    def save(self) -> str:
        """Saves the lesson itself beside the cell, to be taken up again."""
        name = f"{self.lesson.program}{ENDING}"
        save_lesson(self.lesson, self._studio.workspace.path_of(name))
        return name

    def save_program(self, program: LessonProgram) -> None:
        """Saves the lesson as a program of the cell file that is open, its points as workpoints, and itself beside."""
        site, workspace = building(self._studio), self._studio.workspace
        site.needs_draft()
        check_taught(workspace.path_of(program.file))
        site.edit(lambda draft: write_into(draft, self.lesson, program))
        workspace.save(program.file, program.text, None)
        site.save()
        self.save()

    # ---------------------------------------------------------------- inside

    def _staged(self) -> None:
        """Something was opened or restarted: if it is another cell, that one's lesson is taken up."""
        path = _cell_of(self._studio.path)
        if path != self._path:
            self._path = path
            self.checked = LessonCheck()
            self.lesson = self._kept() or self._saved() or Lesson(_FIRST, self._first_robot())
        elif not self.lesson.robot:
            self.lesson = Lesson(self.lesson.name, self._first_robot())
        self.check()
        self._tell()

    def _first_robot(self) -> str:
        robots = self._studio.tree.robots
        return robots[0].name if robots else ""

    def _changed(self) -> None:
        with contextlib.suppress(OSError, FieldError):  # a lesson without a robot is not a file yet
            if self._path is not None:
                save_lesson(self.lesson, self._file())
        self._tell()
        self.check()

    def _kept(self) -> Lesson | None:
        """What was taught in this cell before, and not given up."""
        if self._path is None or not self._file().is_file():
            return None
        try:
            return load_lesson(self._file())
        except FileError:
            return None

    def _saved(self) -> Lesson | None:
        """The lesson saved beside the cell, if there is but one: it may have been taught on another machine."""
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
        """Has the lesson checked on the bench, soon; however many changes come meanwhile."""
        if not self.lesson.robot:
            if not self._first_robot():
                return
            self.lesson = Lesson(self.lesson.name, self._first_robot())
        self._wanted = True
        if self._checking is None:
            with contextlib.suppress(RuntimeError):  # no loop: nobody looks yet
                self._checking = asyncio.get_running_loop().create_task(self._check())

    async def _check(self) -> None:
        try:
            while self._wanted and self._studio.latest.mode == "bench":
                self._wanted = False
                try:
                    self.checked = await self._studio.host.teaching.check(self.data())
                    self.trouble = None
                except DrycellError as error:
                    self.trouble = error
                self._tell()
        finally:
            self._checking = None

    def _tell(self) -> None:
        self._studio.events.tell(LessonChanged())


def _cell_of(path: Path | None) -> Path | None:
    """The file that is open, however it was named: a folder and the cell in it are the same."""
    return path if path is None else cell_file(path) or path
