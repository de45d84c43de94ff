"""The cell file that is edited in the studio: one draft for all browsers, kept on disk, shown on the bench at once.

It lives in the server, so that neither a run nor a host that dies takes it away. What is typed into the same file in
the program editor is taken over, as a step of its own.
"""

import asyncio
import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar
from weakref import WeakKeyDictionary

from drycell.base import CellFileError, DrycellError, FileError, Mistake, Pose, Thing
from drycell.cell import PlacedThing, Standing, is_trusted, trust
from drycell.editing import Draft
from drycell.studio.server.events import BuildingChanged, HostReplaced

if TYPE_CHECKING:
    from drycell.base import Path as FieldPath
    from drycell.studio.server.studio import Studio

T = TypeVar("T")
_SITES: "WeakKeyDictionary[Studio, Building]" = WeakKeyDictionary()
_ENDINGS: Final = (".yaml", ".yml")
_PROGRAM: Final = '''\
"""{name}: what it does."""

from drycell import delay, s


def {name}({robot}):
    delay(1 * s)
'''


def building(studio: "Studio") -> "Building":
    """The building site of a studio; there is one."""
    if studio not in _SITES:
        _SITES[studio] = Building(studio)
    return _SITES[studio]


class Building:
    """The draft and what is known of it. Whoever shows it listens to the event ``BuildingChanged``."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        self.draft: Draft | None = None
        self.trouble: DrycellError | None = None
        """Why there is no draft, if there is none."""
        self.mistakes: tuple[Mistake, ...] = ()
        """What the bench finds wrong with the draft, each with its field and line."""
        self._path: Path | None = None
        self._stamp = ""
        self._shown: str | None = None
        self._showing: asyncio.Task[None] | None = None
        studio.listen(HostReplaced, lambda data: self._staged())
        studio.workspace.listen(lambda name, stamp: self._on_disk(name))
        self._staged()

    # ---------------------------------------------------------------- what is there

    @property
    def name(self) -> str:
        """The file's name, seen from the folder that is open."""
        path = self.needs_draft().path
        return path.name if path is not None else "cell.yaml"

    @property
    def on_bench(self) -> bool:
        """Whether edits show at once: not while the cell runs, nor after its run."""
        return self._studio.latest.mode in ("bench", "empty")

    @property
    def unsaved(self) -> bool:
        """Whether there is anything to save."""
        return self.draft is not None and self.draft.unsaved

    def needs_draft(self) -> Draft:
        """The draft; says why there is none."""
        if self.draft is None:
            raise self.trouble or CellFileError("no cell file is open", hint="open one, or begin a new cell")
        return self.draft

    # ---------------------------------------------------------------- editing

    def edit(self, action: Callable[[Draft], T]) -> T:
        """Changes the draft; all pages hear of it, it is kept on disk beside the file, and shown on the bench."""
        draft = self.needs_draft()
        self._take_typed(draft)
        result = action(draft)
        self._changed()
        return result

    def save(self, *, over: bool = False) -> None:
        """Writes the file. One that was changed on disk meanwhile is refused, unless it is to be written over."""
        draft = self.needs_draft()
        self._take_typed(draft)
        draft.save(over=over)
        with contextlib.suppress(FileError):
            # Whoever shows the text hears of it, and what was kept as typed is no longer needed.
            text = self._studio.workspace.read(self.name)
            self._studio.workspace.save(self.name, draft.text(), text.stamp)
            self._stamp = self._studio.workspace.read(self.name).stamp
        self._shown = None
        self._changed()

    async def save_as(self, path: str | Path) -> Path:
        """Writes the cell to another file, which is then open; one built in Python becomes a cell file by that."""
        target = Path(path).expanduser()
        if target.suffix not in _ENDINGS:
            target = target / "cell.yaml"
        if self.draft is None and self._path is not None and self._python(self._path) is not None:
            await self._studio.host.building.save_as_cell_file(str(target.resolve()))
        else:
            copy = Draft(self.needs_draft().text(), self.needs_draft().path)
            copy.save(target)
        await self._studio.open(target)
        return target

    async def new(self, folder: str | Path, name: str = "") -> Path:
        """Begins an empty cell in a folder of its own."""
        target = Path(folder).expanduser() / "cell.yaml"
        made = Draft.new(name or target.parent.name.replace("_", " ") or "new cell")
        made.set(("checks", "collision"), {})  # a run that nobody watches for collisions would say nothing
        made.save(target)
        await self._studio.open(target)
        return target

    async def begin_from(self, example: Path, folder: str | Path) -> Path:
        """Copies an example to a folder of the user's, and opens it there."""
        target = Path(folder).expanduser()
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise FileError(f"{str(target)!r} is there already, and not empty", hint="name a new folder")
        ignored = shutil.ignore_patterns("__pycache__", "expected*", ".*")
        try:
            await asyncio.to_thread(shutil.copytree, example, target, ignore=ignored, dirs_exist_ok=True)
        except OSError as error:
            reason = error.strerror or str(error)
            raise FileError(f"{str(target)!r} cannot be written: {reason}", hint="check the folder") from error
        if is_trusted(example):  # the same code, elsewhere
            trust(target)
        await self._studio.open(target)
        return target

    def begin_program(self, name: str) -> str:
        """The file of a new program, beside the cell file; one that is not there yet is begun."""
        file, workspace = f"{name}.py", self._studio.workspace
        robots = self.needs_draft().entries.names("robots")
        called = "".join(sign if sign.isalnum() else "_" for sign in robots[0]) if robots else ""
        if not workspace.path_of(file).exists():
            workspace.save(file, _PROGRAM.format(name=name, robot=called), "")
        return file

    # ---------------------------------------------------------------- places

    def carrier(self, path: "FieldPath") -> tuple[str | None, bool]:
        """What an entry stands or hangs on, and whether on its top."""
        draft = self.needs_draft()
        if len(path) > 2:
            return "/".join(str(each) for each in path[1:-1] if each != "children"), False
        entry = draft.get(path) or {}
        if not self.stands(path):
            return entry.get("on"), False
        return (entry["on"], True) if "on" in entry else (entry.get("parent"), False)

    def local_pose(self, path: "FieldPath") -> Pose:
        """Where an entry is written to be, seen from its carrier."""
        thing = self._thing(path)
        return thing.pose if isinstance(thing, PlacedThing) else Pose()

    def has_place(self, path: "FieldPath") -> bool:
        """Whether an entry has a place at all: a signal has none."""
        return isinstance(self._thing(path), PlacedThing)

    def stands(self, path: "FieldPath") -> bool:
        """Whether an entry can stand on the top of another; sensors and workpoints are relative to an origin."""
        return isinstance(self._thing(path), Standing)

    def _thing(self, path: "FieldPath") -> Thing | None:
        return next((each.thing for each in self.needs_draft().model.entries.values() if each.path == path), None)

    # ---------------------------------------------------------------- within

    def _staged(self) -> None:
        """Something was opened, or the same was opened in a new host."""
        path = self._studio.path
        found = None if path is None or path.suffix == ".dry" else path
        if found != self._path or (self.draft is None and found is not None):
            self._path = found
            self._load(found)
        self._shown = None
        self._tell()
        if self.draft is not None and self.draft.unsaved:
            self._show()

    def _on_disk(self, name: str) -> None:
        """Somebody wrote the file: it is taken over, unless there is something here that is not saved."""
        draft = self.draft
        if draft is None:
            if self._path is not None and self._path.suffix != ".py":
                self._load(self._path)  # a mistake may have been mended
        elif name != self.name or not draft.changed_on_disk:
            return
        elif not draft.unsaved:
            try:
                draft.reload()
                self._stamp = self._studio.workspace.read(self.name).stamp
            except DrycellError as error:  # it is being mended in the editor: what was here stays until then
                self.mistakes = (Mistake(error.what, hint=error.hint),)
                self._tell()
                return
        self._tell()
        self._show()

    def _load(self, path: Path | None) -> None:
        self.draft, self.trouble, self.mistakes = None, None, ()
        if path is None:
            return
        try:
            self.draft = Draft.open(path)
            with contextlib.suppress(FileError):
                self._stamp = self._studio.workspace.read(self.name).stamp
            self._take_typed(self.draft)
        except DrycellError as error:
            self.trouble = error

    def _python(self, path: Path) -> Path | None:
        own = path / "cell.py" if path.is_dir() else path
        return own if own.suffix == ".py" and own.is_file() else None

    def _take_typed(self, draft: Draft) -> None:
        """Takes over what was typed into the file in the editor and is kept there, if it is a cell file."""
        with contextlib.suppress(FileError):
            typed = self._studio.workspace.draft(self.name)
            if typed is not None and typed.text != draft.text().replace("\r\n", "\n"):
                draft.replace(typed.text, label="type in the editor")

    def _changed(self) -> None:
        draft = self.needs_draft()
        with contextlib.suppress(FileError):
            self._studio.workspace.type(self.name, draft.text(), self._stamp)
        self._tell()
        self._show()

    def _tell(self) -> None:
        self._studio.events.tell(BuildingChanged())

    def _show(self) -> None:
        """Has the bench show the draft; while it does, further edits wait and are shown together."""
        if self._showing is None or self._showing.done():
            with contextlib.suppress(RuntimeError):  # outside a loop, nobody looks
                self._showing = asyncio.get_running_loop().create_task(self._preview())

    async def shown(self) -> None:
        """Waits until the bench shows what the draft says."""
        while self._showing is not None and not self._showing.done():
            await self._showing

    async def _preview(self) -> None:
        while self.draft is not None and self.draft.path is not None and self.on_bench:
            text = self.draft.text()
            if text == self._shown:
                return
            self._shown = text
            try:
                preview = await self._studio.host.building.preview(text, str(self.draft.path))
                self.mistakes = preview.mistakes
            except DrycellError as error:
                self.mistakes = (Mistake(error.what, hint=error.hint),)
            self._tell()
