"""Draft: a cell file as a document that is edited, step by step, with undo, comments kept and every step checked."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from drycell.cell.draft.entries import Entries, copied, moved_file_names, programs_that_name
from drycell.cell.draft.references import Reference, Thing, references
from drycell.cell.draft.removal import removed
from drycell.cell.draft.sheet import SECTIONS, Sheet
from drycell.cell.draft.written_pose import written_position, written_turn
from drycell.cell.file import CellFile, read_cell_file
from drycell.datafile import FieldPath, field_name, read_text
from drycell.errors import CellFileError, FieldError, FileError, UnknownName
from drycell.files import beside
from drycell.spatial import Pose

MOST_STEPS: Final = 500


@dataclass(frozen=True, slots=True)
class Step:
    """One edit: what was done, and the text before and after it."""

    label: str
    before: str
    after: str


class Draft:
    """A cell file that is being edited.

    Every edit is checked as if the file were loaded; one that would spoil it raises CellFileError, and changes nothing.
    Every edit is one step of undo. What an edit does not touch stays in the text as it was, comments and all.
    """

    def __init__(self, text: str, path: str | Path | None = None) -> None:
        self.path = None if path is None else Path(path)
        self._cell_file = read_cell_file(text, self._named)
        self._text = text
        self._read: Sheet | None = None
        self._saved: str | None = None  # what is known to be on disk
        self._done: list[Step] = []
        self._undone: list[Step] = []
        self._group: str | None = None

    # ---------------------------------------------------------------- from disk, and back

    @classmethod
    def new(cls, name: str = "new cell") -> "Draft":
        """A draft of a cell with nothing in it, which is on no disk yet."""
        return cls(f"name: {name}\n")

    @classmethod
    def open(cls, path: str | Path) -> "Draft":
        """A draft of a cell file; a folder stands for the ``cell.yaml`` in it."""
        path = Path(path)
        if path.is_dir():
            path = next((path / name for name in ("cell.yaml", "cell.yml", "cell.py") if (path / name).is_file()), path)
            path = path / "cell.yaml" if path.is_dir() else path
        if path.suffix == ".py":
            raise CellFileError(
                f"{path.name} builds its cell in Python, which cannot be edited as data",
                where=str(path),
                hint=f"save it as a cell file first: Source.find({str(path)!r}).build().save('cell.yaml')",
            )
        draft = cls(_read(path), path)
        draft._saved = draft._text
        return draft

    def save(self, path: str | Path | None = None, *, over: bool = False) -> Path:
        """Writes the file, whole or not at all. ``path`` is needed for a new one, and saves an old one as another.

        A file that was changed on disk in the meantime is refused, unless it is to be written ``over``.
        """
        target = Path(path) if path is not None else self.path
        if target is None:
            raise CellFileError(
                "this cell has no file yet", hint="say where to save it: draft.save('my_cell/cell.yaml')"
            )
        if target.suffix not in (".yaml", ".yml"):
            target = target / "cell.yaml"
        other = self.path is None or target.resolve() != self.path.resolve()
        if not over and (target.exists() if other else self.changed_on_disk):
            what = "is there already" if other else "was changed on disk since it was opened"
            raise CellFileError(f"{str(target)!r} {what}", hint="save it elsewhere, or write over it: save(over=True)")
        text = moved_file_names(self._text, self._named, target) if other and self.path is not None else self._text
        read_cell_file(text, target)
        try:
            with beside(target) as part:
                part.write_bytes(text.encode())
        except OSError as error:
            reason = error.strerror or str(error)
            raise CellFileError(f"{str(target)!r} cannot be written: {reason}", hint="check the folder") from error
        self.path, self._saved = target, text
        if text != self._text:
            self._take("save elsewhere", text)
        else:
            self._cell_file = read_cell_file(text, target)
        return target

    @property
    def unsaved(self) -> bool:
        """Whether there is anything to save."""
        return self._text != self._saved

    @property
    def changed_on_disk(self) -> bool:
        """Whether somebody else has changed, or removed, the file since it was opened or saved."""
        if self.path is None or self._saved is None:
            return False
        try:
            return _read(self.path) != self._saved
        except FileError:
            return True

    def reload(self) -> None:
        """Takes over what is on disk, as one step that can be undone."""
        if self.path is None:
            raise CellFileError("this cell has no file yet", hint="save it first")
        text = _read(self.path)
        self.replace(text, label="reload")
        self._saved = text

    # ---------------------------------------------------------------- what it says

    @property
    def _named(self) -> Path:
        return self.path if self.path is not None else Path("cell.yaml")

    def text(self) -> str:
        """The file as it would be saved."""
        return self._text

    @property
    def cell_file(self) -> CellFile:
        """What it says, as values in SI."""
        return self._cell_file

    @property
    def entries(self) -> Entries:
        """All that has a name in it, and where it stands."""
        return Entries(self._cell_file)

    def get(self, path: FieldPath) -> Any:
        """A field as it is written, such as ``["300 mm", 0]``; None if it is left out."""
        return deepcopy(self._sheet.get(path))

    def path_of(self, name: str, section: str | None = None) -> FieldPath:
        """Where an entry stands: ``("bodies", "plate", "children", "hole")`` for ``plate/hole``."""
        return self.entries.path_of(name, section)

    def free_name(self, wanted: str) -> str:
        """A name that nothing has yet: as wanted, or numbered."""
        return self.entries.free_name(wanted)

    def referring(self, name: str, section: str | None = None) -> list[Reference]:
        """All places that name a thing, or something below it."""
        thing = self._thing(name, section)
        return [each for each in references(self._sheet.data) if thing.is_meant(each)]

    def mentions(self, name: str) -> list[str]:
        """Places in program files that seem to name a thing, as ``place.py:3``; renaming leaves them alone."""
        return programs_that_name(self._cell_file, name)

    # ---------------------------------------------------------------- edits

    def add(self, section: str, entry: object, name: str | None = None, *, into: str | None = None) -> str:
        """Adds an entry to a section, and returns its name. ``into`` writes a body inside another, as its child.

        ``entry`` is written as in the file, ``{"shape": {"box": ["40 mm", "40 mm", "30 mm"]}, "on": "table"}``; numbers
        are SI and get a unit. Without a ``name`` it is called after its section, numbered.
        """
        if section not in SECTIONS:
            raise UnknownName("section of a cell file", section, SECTIONS)
        made = name or self.free_name(
            section.removesuffix("ies").removesuffix("s") + ("y" if section == "bodies" else "")
        )
        path: FieldPath = (section, made) if into is None else (*self.path_of(into, "bodies"), "children", made)
        if self.get(path) is not None:
            raise CellFileError(f"there is already {field_name(path)}", hint=f"take {self.free_name(made)!r}, say")
        sheet = self._new_sheet()
        sheet.put(path, entry)
        self._take(f"add {made}", sheet)
        return made if into is None else f"{into}/{made}"

    def set(self, path: FieldPath, value: object) -> None:
        """Writes a field: ``draft.set(("bodies", "table", "material"), "steel")``. Numbers are SI and get a unit."""
        sheet = self._new_sheet()
        sheet.put(path, value)
        self._take(f"change {field_name(path)}", sheet)

    def unset(self, path: FieldPath) -> None:
        """Takes a field out, so that it is as if left out."""
        sheet = self._new_sheet()
        if sheet.get(path) is None and path[-1] not in (sheet.get(path[:-1]) or ()):
            raise UnknownName("field", field_name(path), ())
        sheet.delete(path)
        self._take(f"leave {field_name(path)} out", sheet)

    def change(self, name: str, section: str | None = None, /, **fields: object) -> None:
        """Writes fields of an entry in one step; None takes a field out."""
        path, sheet = self.path_of(name, section), self._new_sheet()
        for field, value in fields.items():
            place = (*path, field.removesuffix("_"))
            if value is not None:
                sheet.put(place, value)
            elif sheet.get(place) is not None:
                sheet.delete(place)
        self._take(f"change {name}", sheet)

    def append(self, path: FieldPath, item: object) -> None:
        """Adds an item to a list: ``draft.append(("checks", "crash", "near_misses"), ["arm", "door", "20 mm"])``."""
        sheet = self._new_sheet()
        sheet.append(path, item)
        self._take(f"add to {field_name(path)}", sheet)

    def move(self, name: str, pose: Pose, section: str | None = None) -> None:
        """Puts an entry at a pose seen from what carries it, in the units it is written in, to a micrometre."""
        path, sheet = self.path_of(name, section), self._new_sheet()
        before = sheet.get(path) or {}
        at, rpy = before.get("at"), before.get("rpy")
        if not isinstance(before, dict):
            raise FieldError(f"{name!r} has no place", hint="move a body, robot, sensor, device or workpoint")
        sheet.put_written((*path, "at"), written_position(pose.position, at))
        if rpy is not None or pose.distance_to(Pose(*pose.position))[1] > 1e-9:
            sheet.put_written((*path, "rpy"), written_turn(pose, rpy))
        self._take(f"move {name}", sheet)

    def rename(self, name: str, new: str, section: str | None = None) -> list[str]:
        """Gives an entry another name; all that refers to it in the file follows.

        Returns the places in program files that seem to name it, which are left alone.
        """
        path, thing = self.path_of(name, section), self._thing(name, section)
        told = self.mentions(name)
        after = name[: len(name) - len(str(path[-1]))] + new
        meant = [each for each in references(self._sheet.data) if thing.is_meant(each)]
        values = {each.path: thing.renamed(each.name, after) for each in meant if each.how == "value"}
        sheet = self._new_sheet()
        values |= {e.path: thing.renamed_within(sheet.get(e.path), after) for e in meant if e.how == "within"}
        keys = {each.path: thing.renamed(each.name, after) for each in meant if each.how == "key"}
        sheet.substitute(list(values.items()), [(path, new), *keys.items()])
        self._take(f"rename {name}", sheet)
        return told

    def duplicate(self, name: str, new: str | None = None, *, shift: Sequence[float] = ()) -> str:
        """Adds a copy of an entry beside it, shifted if wanted, and returns its name."""
        path, sheet = self.path_of(name), self._new_sheet()
        last = str(path[-1])
        made = new or self.free_name(name)[len(name) - len(last) :]
        entry = copied(sheet.get(path), shift)
        sheet.put_written((*path[:-1], made), entry)
        self._take(f"duplicate {name}", sheet)
        return name[: len(name) - len(last)] + made

    def remove(self, name: str, section: str | None = None, *, with_all: bool = False) -> list[str]:
        """Removes an entry, and returns the fields that went with it.

        If anything refers to it this raises and says what; ``with_all`` removes what stands on it, too, and takes its
        name out of lists, wires, checks and tolerances.
        """
        path = self.path_of(name, section)
        left = [each for each in self.referring(name, section) if each.path[: len(path)] != path]
        if left and not with_all:
            shown = ", ".join(field_name(each.path) for each in left[:8]) + (" …" if len(left) > 8 else "")
            raise CellFileError(f"{name!r} is still named by {shown}", hint="remove those first, or all at once")
        sheet = self._new_sheet()
        gone = removed(sheet, self.entries, path)
        self._take(f"remove {name}", sheet)
        return gone

    def replace(self, text: str, *, label: str = "edit the text") -> None:
        """Takes over a whole new text, written by hand, say."""
        self._take(label, text)

    # ---------------------------------------------------------------- undo

    @contextmanager
    def one_step(self, label: str) -> Iterator[None]:
        """Makes several edits one step of undo; if one of them fails, none is made."""
        if self._group is not None:
            yield
            return
        before, count, undone = self._text, len(self._done), list(self._undone)
        self._group = label
        try:
            yield
        except BaseException:
            self._restore(before)
            del self._done[count:]
            self._undone = undone
            raise
        finally:
            self._group = None
        if self._text != before:
            self._done[count:] = [Step(label, before, self._text)]
            del self._done[:-MOST_STEPS]

    def undo(self) -> str | None:
        """Takes the last edit back, and says which; None if there is none."""
        if not self._done:
            return None
        step = self._done.pop()
        self._undone.append(step)
        self._restore(step.before)
        return step.label

    def redo(self) -> str | None:
        """Makes the edit again that was last taken back; None if there is none."""
        if not self._undone:
            return None
        step = self._undone.pop()
        self._done.append(step)
        self._restore(step.after)
        return step.label

    @property
    def steps(self) -> tuple[str, ...]:
        """The edits that can be undone, the latest last."""
        return tuple(step.label for step in self._done)

    @property
    def steps_undone(self) -> tuple[str, ...]:
        """The edits that can be made again, the next one last."""
        return tuple(step.label for step in self._undone)

    # ---------------------------------------------------------------- within

    @property
    def _sheet(self) -> Sheet:
        """The file as it is, to look at."""
        if self._read is None or self._read.text is not self._text:
            tree = None if self._cell_file.origin is None else self._cell_file.origin.tree.plain()
            self._read = Sheet(self._text, tree if isinstance(tree, dict) else {}, str(self._named))
        return self._read

    def _new_sheet(self) -> Sheet:
        """The file as it is, to change."""
        return Sheet(self._text, self._sheet.data, str(self._named))

    def _thing(self, name: str, section: str | None) -> Thing:
        path = self.path_of(name, section)
        inside = {each for each in self.entries.paths.values() if each[: len(path)] == path}
        others = frozenset(other for (_, other), place in self.entries.paths.items() if place not in inside)
        return Thing(str(path[0]), name, others)

    def _take(self, label: str, made: str | Sheet) -> None:
        """Makes a text the file's, if it is a cell file that says what it is to say."""
        text = made if isinstance(made, str) else made.text
        checked = read_cell_file(text, self._named)
        if isinstance(made, Sheet) and checked.origin is not None:
            made.check(checked.origin.tree.plain())
        if text == self._text:
            return
        self._done.append(Step(label, self._text, text))
        if self._group is None:
            del self._done[:-MOST_STEPS]
        self._undone.clear()
        self._text, self._cell_file = text, checked

    def _restore(self, text: str) -> None:
        self._text, self._cell_file = text, read_cell_file(text, self._named)


def _read(path: Path) -> str:
    try:
        return read_text(path)
    except FileError as error:
        raise CellFileError.like(error) from error
