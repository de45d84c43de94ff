"""The cell file that is edited in the studio: one draft, shared by all browsers, kept on disk and previewed at once.

The server holds it, so that it survives a run or a crash of the host. What is typed into the same file in the program
editor becomes an edit step of the draft.
"""

import asyncio
import contextlib
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from drycell.base import CellFileError, DrycellError, FileError, Mistake, Pose, Thing
from drycell.cell import PlacedThing, Standing, is_trusted, trust
from drycell.editing import Draft
from drycell.studio.api.building import DraftPreview
from drycell.studio.server.events import BuildingChanged, HostReplaced

if TYPE_CHECKING:
    from drycell.base import Path as FieldPath
    from drycell.studio.server.studio import Studio

T = TypeVar("T")
Shift = tuple[float, float]
"""How far a thing is moved in x and y of its carrier, in metres."""
_ENDINGS: Final = (".yaml", ".yml")
_PROGRAM: Final = '''\
"""{name}: what it does."""

from drycell import delay, s


def {name}({robot}):
    delay(1 * s)
'''


class Building:
    """The draft of the open cell file, and its mistakes. Emits ``BuildingChanged``. Use ``studio.building``."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        self.draft: Draft | None = None
        self.error: DrycellError | None = None
        """Why there is no draft, if there is none."""
        self.mistakes: tuple[Mistake, ...] = ()
        """The mistakes in the draft, each with its field and line."""
        self._path: Path | None = None
        self._stamp = ""
        self._shown: str | None = None
        self._showing: asyncio.Task[None] | None = None
        studio.listen(HostReplaced, lambda _: self._host_replaced())
        studio.workspace.listen(lambda name, stamp: self._changed_on_disk(name))
        self._host_replaced()

    # ---------------------------------------------------------------- state

    @property
    def name(self) -> str:
        """The name of the file in the open folder."""
        path = self.require_draft().path
        return path.name if path is not None else "cell.yaml"

    @property
    def previews(self) -> bool:
        """Whether edits are shown at once: not during or after a run."""
        return self._studio.latest.mode in ("ready", "empty")

    @property
    def unsaved(self) -> bool:
        """Whether the draft has unsaved changes."""
        return self.draft is not None and self.draft.unsaved

    def require_draft(self) -> Draft:
        """The draft. Raises DrycellError with the reason if there is none."""
        if self.draft is None:
            raise self.error or CellFileError("no cell file is open", hint="open one, or create a new cell")
        return self.draft

    # ---------------------------------------------------------------- editing

    def edit(self, action: Callable[[Draft], T]) -> T:
        """Change the draft. It is kept on disk outside the cell's folder, and previewed."""
        draft = self.require_draft()
        self._take_typed(draft)
        result = action(draft)
        self._changed()
        return result

    async def edit_checked(self, action: Callable[[Draft], T]) -> T:
        """Change the draft as :meth:`edit` does, unless the cell could no longer be loaded.

        Raises:
            CellFileError: The cell would have a mistake that it does not have now. Nothing is changed.
        """
        await self._try(action)
        return self.edit(action)

    async def add_clear(self, action: Callable[[Draft, Shift], str]) -> str:
        """Add a thing as :meth:`edit_checked` does, clear of all others.

        Args:
            action: Adds the thing, moved by a distance in x and y in metres, and returns its name.
        """
        shift: Shift = (0.0, 0.0)
        _, found = await self._try(lambda draft: action(draft, shift))
        if found.shift != shift:
            shift = found.shift
            await self._try(lambda draft: action(draft, shift))
        return self.edit(lambda draft: action(draft, shift))

    async def _try(self, action: Callable[[Draft], T]) -> tuple[T, DraftPreview]:
        """Change a copy of the draft, and check that. Raises CellFileError if there is a new mistake."""
        draft = self.require_draft()
        self._take_typed(draft)
        trial = Draft(draft.text(), draft.path)
        result = action(trial)
        new = result if isinstance(result, str) else None
        found = await self._studio.host.building.check(trial.text(), str(draft.path or "cell.yaml"), new)
        known = {(each.field, each.what) for each in self.mistakes}
        wrong = next((each for each in found.mistakes if (each.field, each.what) not in known), None)
        if wrong is not None:
            what = f"nothing was changed, because the cell could not be loaded: {wrong.what}"
            raise CellFileError(what, hint=wrong.hint)
        return result, found

    def save(self, *, over: bool = False) -> None:
        """Write the file. If it has changed on disk, this raises FileError unless ``over`` is set."""
        draft = self.require_draft()
        self._take_typed(draft)
        draft.save(over=over)
        with contextlib.suppress(FileError):
            # Informs the editors that show the text, and removes the draft of the text.
            text = self._studio.workspace.read(self.name)
            self._studio.workspace.save(self.name, draft.text(), text.stamp)
            self._stamp = self._studio.workspace.read(self.name).stamp
        self._shown = None
        self._changed()

    async def save_as(self, path: str | Path) -> Path:
        """Write the cell to another file and open that. A cell built in Python becomes a cell file."""
        target = Path(path).expanduser()
        if target.suffix not in _ENDINGS:
            target = target / "cell.yaml"
        if self.draft is None and self._path is not None and self._python(self._path) is not None:
            await self._studio.host.building.save_as_cell_file(str(target.resolve()))
        else:
            copy = Draft(self.require_draft().text(), self.require_draft().path)
            copy.save(target)
        await self._studio.open(target)
        return target

    async def new(self, folder: str | Path, name: str = "") -> Path:
        """Create an empty cell in a new folder and open it."""
        target = Path(folder).expanduser() / "cell.yaml"
        made = Draft.new(name or target.parent.name.replace("_", " ") or "new cell")
        made.set(("checks", "collision"), {})  # without it a run would not report collisions
        made.save(target)
        await self._studio.open(target)
        return target

    async def begin_from(self, example: Path, folder: str | Path) -> Path:
        """Copy an example to a new folder and open the copy."""
        target = Path(folder).expanduser()
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise FileError(f"{str(target)!r} already exists and is not empty", hint="choose a new folder")
        ignored = shutil.ignore_patterns("__pycache__", "expected*", ".*")
        try:
            await asyncio.to_thread(shutil.copytree, example, target, ignore=ignored, dirs_exist_ok=True)
        except OSError as error:
            reason = error.strerror or str(error)
            raise FileError(f"cannot write {str(target)!r}: {reason}", hint="check the folder") from error
        if is_trusted(example):  # the copy has the same code
            trust(target)
        await self._studio.open(target)
        return target

    def begin_program(self, name: str) -> str:
        """Create the file of a new program beside the cell file, unless it exists. Returns its name."""
        file, workspace = f"{name}.py", self._studio.workspace
        robots = self.require_draft().entries.names("robots")
        called = re.sub(r"\W", "_", robots[0]) if robots else ""
        if not workspace.path_of(file).exists():
            workspace.save(file, _PROGRAM.format(name=name, robot=called), "")
        return file

    # ---------------------------------------------------------------- places

    def carrier(self, path: "FieldPath") -> tuple[str | None, bool]:
        """The body that an entry is on, and whether on its top."""
        draft = self.require_draft()
        if len(path) > 2:
            return "/".join(str(each) for each in path[1:-1] if each != "children"), False
        entry = draft.get(path) or {}
        if not self.stands(path):
            return entry.get("on"), False
        return (entry["on"], True) if "on" in entry else (entry.get("parent"), False)

    def local_pose(self, path: "FieldPath") -> Pose:
        """The pose of an entry in the file, relative to its carrier."""
        thing = self._thing(path)
        return thing.pose if isinstance(thing, PlacedThing) else Pose()

    def has_place(self, path: "FieldPath") -> bool:
        """Whether an entry has a place. A signal, for example, has none."""
        return isinstance(self._thing(path), PlacedThing)

    def stands(self, path: "FieldPath") -> bool:
        """Whether an entry can stand on the top of another. Sensors and workpoints are relative to its origin."""
        return isinstance(self._thing(path), Standing)

    def _thing(self, path: "FieldPath") -> Thing | None:
        return next((each.thing for each in self.require_draft().model.entries.values() if each.path == path), None)

    # ---------------------------------------------------------------- inside

    def _host_replaced(self) -> None:
        path = self._studio.path
        found = None if path is None or path.suffix == ".dry" else path
        if found != self._path or (self.draft is None and found is not None):
            self._path = found
            self._load(found)
        self._shown = None
        self._emit()
        if self.draft is not None and self.draft.unsaved:
            self._show()

    def _changed_on_disk(self, name: str) -> None:
        """Another program wrote the file: reload it, unless the draft has unsaved changes."""
        draft = self.draft
        if draft is None:
            if self._path is not None and self._path.suffix != ".py":
                self._load(self._path)  # a mistake may have been corrected
        elif name != self.name or not draft.changed_on_disk:
            return
        elif not draft.unsaved:
            try:
                draft.reload()
                self._stamp = self._studio.workspace.read(self.name).stamp
            except DrycellError as error:  # it is being corrected in the editor: the draft stays until then
                self.mistakes = (Mistake(error.what, hint=error.hint),)
                self._emit()
                return
        self._emit()
        self._show()

    def _load(self, path: Path | None) -> None:
        self.draft, self.error, self.mistakes = None, None, ()
        if path is None:
            return
        try:
            self.draft = Draft.open(path)
            with contextlib.suppress(FileError):
                self._stamp = self._studio.workspace.read(self.name).stamp
            self._take_typed(self.draft)
        except DrycellError as error:
            self.error = error

    def _python(self, path: Path) -> Path | None:
        own = path / "cell.py" if path.is_dir() else path
        return own if own.suffix == ".py" and own.is_file() else None

    def _take_typed(self, draft: Draft) -> None:
        """Apply unsaved text of the program editor to the draft, if it is a valid cell file."""
        with contextlib.suppress(FileError):
            typed = self._studio.workspace.draft(self.name)
            if typed is not None and typed.text != draft.text().replace("\r\n", "\n"):
                draft.replace(typed.text, label="type in the editor")

    def _changed(self) -> None:
        draft = self.require_draft()
        with contextlib.suppress(FileError):
            self._studio.workspace.type(self.name, draft.text(), self._stamp)
        self._emit()
        self._show()

    def _emit(self) -> None:
        self._studio.events.emit(BuildingChanged())

    def _show(self) -> None:
        """Preview the draft. Edits made meanwhile are previewed together afterwards."""
        if self._showing is None or self._showing.done():
            with contextlib.suppress(RuntimeError):  # without an event loop there is no page
                self._showing = asyncio.get_running_loop().create_task(self._preview())

    async def shown(self) -> None:
        """Wait until the preview shows the draft."""
        while self._showing is not None and not self._showing.done():
            await self._showing

    async def _preview(self) -> None:
        while self.draft is not None and self.draft.path is not None and self.previews:
            text = self.draft.text()
            if text == self._shown:
                return
            self._shown = text
            try:
                preview = await self._studio.host.building.preview(text, str(self.draft.path))
                self.mistakes = preview.mistakes
            except DrycellError as error:
                self.mistakes = (Mistake(error.what, hint=error.hint),)
            self._emit()
