"""Draft: a cell file as an editable document with undo. Comments are kept, and every edit is checked.

:class:`Entries` tracks the references between its entries: which entry names which, how a renaming propagates, and what
must be removed together. All of this follows from the types of the fields, so it works for any kind of thing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from drycell.base import (
    MISSING,
    CellFileError,
    FieldError,
    FileError,
    FileNaming,
    Many,
    Node,
    OneOf,
    Path as FieldPath,
    Pose,
    Reader,
    Ref,
    Roles,
    Table,
    Thing,
    UnknownName,
    Use,
    beside,
    did_you_mean,
    dotted,
    fields_of,
    listed,
    seen_from,
    yamldoc,
)
from drycell.cell import (
    Head,
    Model,
    PlacedThing,
    Program,
    Stage,
    as_written,
    in_text,
    reference_problem,
    section_type,
    shifted_position,
    spelled_out,
    type_at,
    written_position,
    written_turn,
)

MOST_STEPS: Final = 500
_MOST_READ: Final = 1_000_000  # characters of a program file
_LAST: Final = {"on": 1, "parent": 1, "at": 2, "rpy": 3, "children": 4}
_ENDINGS: Final = (".yaml", ".yml")
Key = tuple[str, str]  # section and name
# Words and quoted texts of an expression: a quoted text is not a name.
_WORD: Final = re.compile(r"'[^']*'|\"[^\"]*\"|[^\W\d][\w.-]*(?:/[^\W\d][\w.-]*)*")
_NUMBERED: Final = re.compile(r"(.*?)(\d+)\Z")


@dataclass(frozen=True, slots=True)
class EditStep:
    """One edit: what was done, and the text before and after it."""

    label: str
    before: str
    after: str


class Draft:
    """A cell file that is being edited.

    Every edit is checked as if the file were loaded; an edit that would make it invalid raises CellFileError and
    changes nothing. Every edit is one undo step. Everything an edit does not touch stays unchanged in the text,
    including comments. Files under ``uses`` are executed only if the draft is ``trusted``, or if the user trusts the
    folder.
    """

    def __init__(self, text: str, path: str | Path | None = None, *, trusted: bool = False) -> None:
        self.path = None if path is None else Path(path)
        self._trusted = trusted
        self._model = self._read(text)
        self._text = text
        self._saved: str | None = None  # the text on disk when last read or written
        self._done: list[EditStep] = []
        self._undone: list[EditStep] = []
        self._group: str | None = None

    # ---------------------------------------------------------------- from disk, and back

    @classmethod
    def new(cls, name: str = "new cell") -> "Draft":
        """Create a draft of an empty cell without a file."""
        return cls("".join(f"{line}\n" for line in yamldoc.block("name", name, 0, 0)))

    @classmethod
    def open(cls, path: str | Path, *, trusted: bool = False) -> "Draft":
        """Open a cell file; for a folder, the ``cell.yaml`` in it."""
        path = Path(path)
        if path.is_dir():
            path = next((path / name for name in ("cell.yaml", "cell.yml", "cell.py") if (path / name).is_file()), path)
            path = path / "cell.yaml" if path.is_dir() else path
        if path.suffix == ".py":
            raise CellFileError(
                f"{path.name} builds its cell in Python, which cannot be edited as data",
                where=str(path),
                hint=f"save it as a cell file first: CellSource.find({str(path)!r}).build().save('cell.yaml')",
            )
        draft = cls(_text_of(path), path, trusted=trusted)
        draft._saved = draft._text
        return draft

    def save(self, path: str | Path | None = None, *, over: bool = False) -> Path:
        """Write the file atomically. ``path`` is required for a new cell; for others it means "save as".

        If the file was changed on disk in the meantime, saving fails unless ``over`` is set.
        """
        target = Path(path) if path is not None else self.path
        if target is None:
            raise CellFileError("this cell has no file yet", hint="give a path: draft.save('my_cell/cell.yaml')")
        if target.suffix not in _ENDINGS:
            target = target / "cell.yaml"
        other = self.path is None or target.resolve() != self.path.resolve()
        if not over and (target.exists() if other else self.changed_on_disk):
            what = "already exists" if other else "was changed on disk since it was opened"
            raise CellFileError(f"{str(target)!r} {what}", hint="save it elsewhere, or overwrite it: save(over=True)")
        text = self._text_in(target.parent) if other and self.path is not None else self._text
        model = self._read(text, target)
        with beside(target) as part:
            part.write_bytes(text.encode())
        self.path, self._saved = target, text
        if text != self._text:
            self._take("save elsewhere", text)
        else:
            self._set_model(model)
        return target

    def _text_in(self, folder: Path) -> str:
        """Return the text with file names relative to another folder."""
        moved = [
            (self._place(leaf.path), new)
            for leaf in self._model.leaves()
            if isinstance(leaf.type, FileNaming)
            and (new := seen_from(folder, leaf.value, self._model.folder)) != leaf.value
        ]
        with _as_cell_file():
            return yamldoc.substitute(self._text, self._file, moved) if moved else self._text

    @property
    def unsaved(self) -> bool:
        """Whether there is anything to save."""
        return self._text != self._saved

    @property
    def changed_on_disk(self) -> bool:
        """Whether the file was changed or removed on disk since it was opened or saved."""
        if self.path is None or self._saved is None:
            return False
        try:
            return _text_of(self.path) != self._saved
        except FileError:
            return True

    def reload(self) -> None:
        """Reload the file from disk, as one step that can be undone."""
        if self.path is None:
            raise CellFileError("this cell has no file yet", hint="save it first")
        text = _text_of(self.path)
        self.replace(text, label="reload")
        self._saved = text

    # ---------------------------------------------------------------- content

    def text(self) -> str:
        """The text as it would be saved."""
        return self._text

    @property
    def model(self) -> Model:
        """The model of the cell, with values in SI."""
        return self._model

    @cached_property
    def entries(self) -> "Entries":
        """All named entries, with their places."""
        return Entries(self._model)

    def get(self, path: FieldPath) -> Any:
        """Return the value of a field as written, such as ``["300 mm", 0]``; None if it is not given."""
        root = self._model.root
        place = None if root is None else in_text(root, self._model.kinds, path)
        node = None if root is None or place is None else root.find(place)
        return None if node is None else deepcopy(node.plain())

    def path_of(self, name: str, section: str | None = None) -> FieldPath:
        """Return the path of an entry: ``("bodies", "plate", "children", "hole")`` for ``plate/hole``."""
        return self.entries.path_of(name, section)

    def free_name(self, wanted: str) -> str:
        """Return an unused name: the given name, or the given name with a number."""
        return self.entries.free_name(wanted)

    def referring(self, name: str, section: str | None = None) -> list[Use]:
        """Return all places that refer to an entry, or to something that it provides, such as a signal."""
        return list(self.entries.referring(self.entries.key_of(name, section)))

    def mentions(self, name: str) -> list[str]:
        """Return places in program files that seem to refer to an entry, as ``place.py:3``; renaming skips them."""
        plain = "".join(character if character.isalnum() else "_" for character in name)
        word = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, dict.fromkeys((name, plain))))})(?!\w)")
        files = [each.file for each in self._model.things.values() if isinstance(each, Program)]
        found = []
        for file in dict.fromkeys(files):
            try:
                with (self._model.folder / file).open(encoding="utf-8", errors="replace") as text:
                    lines = text.read(_MOST_READ).splitlines()
            except OSError:
                continue  # a missing file is reported when the cell is built
            found += [f"{file}:{number}" for number, line in enumerate(lines, 1) if word.search(line)]
        return found

    # ---------------------------------------------------------------- edits

    def add(self, section: str, entry: object, name: str | None = None, *, into: str | None = None) -> str:
        """Add an entry to a section and return its name. ``into`` adds a body as a child of another.

        ``entry`` is written as in the file, ``{"shape": {"box": ["40 mm", "40 mm", "30 mm"]}, "on": "table"}``, or a
        thing: ``Body(Box(40*mm, 40*mm, 30*mm), on="table")``. Numbers are SI and get a unit. Without a ``name``, it is
        named after its section, with a number.
        """
        sections = [*self._model.kinds.sections, "signals"]
        if section not in sections:
            raise UnknownName("section of a cell file", section, sections)
        singular = f"{section.removesuffix('ies')}y" if section.endswith("ies") else section.removesuffix("s")
        made = name or self.free_name(singular)
        path: FieldPath = (section, made) if into is None else (*self.path_of(into, "bodies"), "children", made)
        if self.get(path) is not None:
            raise CellFileError(f"{dotted(path)} already exists", hint=f"use for example {self.free_name(made)!r}")
        self._take(f"add {made}", self._put(self._text, path, entry))
        return made if into is None else f"{into}/{made}"

    def set(self, path: FieldPath, value: object) -> None:
        """Set a field: ``draft.set(("bodies", "table", "material"), "steel")``. Numbers are SI and get a unit."""
        self._take(f"change {dotted(path)}", self._put(self._text, path, value))

    def unset(self, path: FieldPath) -> None:
        """Remove a field, which resets it to its default."""
        root = self._model.root
        if root is None or root.find(path) is None:
            raise UnknownName("field", dotted(path), ())
        self._take(f"unset {dotted(path)}", self._cut(self._text, path))

    def change(self, name: str, section: str | None = None, /, **fields: object) -> None:
        """Set several fields of an entry in one step; None removes a field."""
        path, text = self.path_of(name, section), self._text
        for field, value in fields.items():
            place = (*path, field.removesuffix("_"))
            if value is not None:
                text = self._put(text, place, value)
            elif self.get(place) is not None:
                text = self._cut(text, place)
        self._take(f"change {name}", text)

    def append(self, path: FieldPath, item: object) -> None:
        """Append an item: ``draft.append(("checks", "collision", "clearances"), ["arm", "door", "20 mm"])``."""
        (written,) = as_written([item], type_at(self._model.kinds, path), self._model.kinds)
        with _as_cell_file():
            text = yamldoc.append(self._text, self._file, path, written, self._layout)
        self._take(f"add to {dotted(path)}", text)

    def move(self, name: str, pose: Pose, section: str | None = None) -> None:
        """Move an entry to a pose relative to its parent. Units are kept; positions are rounded to 1 µm."""
        path = self.path_of(name, section)
        if path[0] == "signals" or not isinstance(self._model.entries[name].thing, PlacedThing):
            raise FieldError(f"{name!r} has no position", hint="move a body, robot, sensor, device or workpoint")
        rpy = self.get((*path, "rpy"))
        text = self._put(self._text, (*path, "at"), written_position(pose.position, self.get((*path, "at"))))
        if rpy is not None or pose.distance_to(Pose(*pose.position))[1] > 1e-9:
            text = self._put(text, (*path, "rpy"), written_turn(pose, rpy))
        self._take(f"move {name}", text)

    def rename(self, name: str, new: str, section: str | None = None) -> list[str]:
        """Rename an entry and update everything in the file that refers to it.

        Returns places that may need a change by hand: those in program files that seem to refer to it, as
        ``place.py:3``, and the wildcard patterns that match only its old or only its new name, as
        ``checks.collision.everything_but[0]: 'arm*'``.
        """
        key = self.entries.key_of(name, section)
        path = self.entries.paths[key]
        after = name[: len(name) - len(str(path[-1]))] + new
        found = [*self.mentions(name), *self.entries.patterns(key, after)]
        values, keys = self.entries.renamed(key, after)
        with _as_cell_file():
            text = yamldoc.substitute(self._text, self._file, values.items())
            text = yamldoc.rename(text, self._file, [(path, new), *keys.items()])
        self._take(f"rename {name}", text)
        return found

    def duplicate(self, name: str, new: str | None = None, *, shift: Sequence[float] = ()) -> str:
        """Add a copy of an entry, optionally shifted, and return its name."""
        path = self.path_of(name)
        last = str(path[-1])
        made, entry = new or self.free_name(name)[len(name) - len(last) :], self.get(path)
        if any(shift) and isinstance(entry, dict):
            entry["at"] = shifted_position(entry.get("at"), shift)
        self._take(f"duplicate {name}", self._put(self._text, (*path[:-1], made), entry))
        return name[: len(name) - len(last)] + made

    def remove(self, name: str, section: str | None = None, *, with_all: bool = False) -> list[str]:
        """Remove an entry and return the fields that were removed with it.

        If anything refers to it, this raises an error that lists the references. ``with_all`` also removes the things
        that stand on it and all references to it, in lists, wires, checks and tolerances.
        """
        key = self.entries.key_of(name, section)
        path = self.entries.paths[key]
        left = [each for each in self.entries.referring(key) if each.path[: len(path)] != path]
        if left and not with_all:
            shown = ", ".join(dotted(each.path) for each in left[:8]) + (" …" if len(left) > 8 else "")
            raise CellFileError(f"{name!r} is still used by {shown}", hint="remove those first, or all together")
        gone, text = self.entries.goes_with(key), self._text
        for each in in_removal_order(map(self._place, gone)):
            text = self._cut(text, each)
        self._take(f"remove {name}", text)
        return [dotted(each) for each in gone if each != path]

    def replace(self, text: str, *, label: str = "edit the text") -> None:
        """Replace the whole text, for example with one edited by hand."""
        self._take(label, text)

    # ---------------------------------------------------------------- undo

    @contextmanager
    def one_step(self, label: str) -> Iterator[None]:
        """Group several edits into one undo step; if one of them fails, none is made."""
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
            self._done[count:] = [EditStep(label, before, self._text)]
            del self._done[:-MOST_STEPS]

    def undo(self) -> str | None:
        """Undo the last edit and return its label; None if there is none."""
        if not self._done:
            return None
        step = self._done.pop()
        self._undone.append(step)
        self._restore(step.before)
        return step.label

    def redo(self) -> str | None:
        """Redo the edit that was undone last and return its label; None if there is none."""
        if not self._undone:
            return None
        step = self._undone.pop()
        self._done.append(step)
        self._restore(step.after)
        return step.label

    @property
    def steps(self) -> tuple[str, ...]:
        """The labels of the edits that can be undone, most recent last."""
        return tuple(step.label for step in self._done)

    @property
    def steps_undone(self) -> tuple[str, ...]:
        """The labels of the edits that can be redone; the last is redone first."""
        return tuple(step.label for step in self._undone)

    # ---------------------------------------------------------------- texts

    @property
    def _file(self) -> str:
        return str(self.path if self.path is not None else "cell.yaml")

    def _read(self, text: str, path: Path | None = None) -> Model:
        return Model.read(text, path or self._file, trusted=self._trusted)

    def _place(self, path: FieldPath) -> FieldPath:
        """Return the path in the text that corresponds to a field of the model."""
        root = self._model.root
        return path if root is None else in_text(root, self._model.kinds, path) or path

    def _put(self, text: str, path: FieldPath, value: object) -> str:
        """Return the text with a field set; the field may be new."""
        kinds, root = self._model.kinds, yamldoc.parse(text, self._file)
        kind = type_at(kinds, path)
        if kind is None and type_at(kinds, path[:1]) is None:
            known = [*(each.key for each in fields_of(Head)), *kinds.sections]
            raise CellFileError(f"{dotted(path)}: there is no such field", hint=did_you_mean(str(path[0]), known))
        written, place = as_written(value, kind, kinds), in_text(root, kinds, path)
        short = spelled_out(root, kinds, path) if place is None else None
        if short is not None:
            place, fields = short
            written = {**fields, str(path[-1]): written}
        with _as_cell_file():
            return yamldoc.put(text, self._file, place or path, written, self._layout)

    def _cut(self, text: str, path: FieldPath) -> str:
        """Return the text without a field or an item, and without sections or children that become empty."""
        root = yamldoc.parse(text, self._file)
        holder = root.find(path[:-1])
        last = holder is not None and isinstance(holder.value, dict) and len(holder.value) == 1
        section = len(path) == 2 and len(root.value) > 1
        with _as_cell_file():
            if last and (section or path[-2:-1] == ("children",)):
                return yamldoc.cut(text, self._file, path[:-1])
            return yamldoc.cut(text, self._file, path)

    @property
    def _layout(self) -> yamldoc.Layout:
        return yamldoc.Layout(self._order, self._levels)

    def _order(self, path: FieldPath) -> list[str]:
        """Return the usual order of fields; sections are in build order."""
        kinds = self._model.kinds
        if len(path) == 1:
            stages = {name: (bool(base.meta.about), base.meta.stage) for name, base in kinds.sections.items()}
            stages["signals"] = (False, Stage.SIGNALS)
            sections = sorted(stages, key=lambda name: stages[name])
            own = [each.key for each in fields_of(Head) if each.key not in stages]
            ends = [each for each in ("checks", "run") if each in own]
            return [*(each for each in own if each not in ends), *sections, *ends]
        holder = type_at(kinds, path[:-1])
        if not isinstance(holder, OneOf):
            return []
        known = [each.key for each in listed(holder.base)]
        tags = [each for each in kinds.under(holder.base) if each not in known] if holder.base.meta.noun else []
        return [*tags, *sorted(known, key=lambda key: _LAST.get(key, 0))]

    def _levels(self, path: FieldPath) -> int:
        """Return the number of levels of a new field that are written on separate lines: sections and long entries."""
        if path[-2:-1] == ("children",):
            return 1
        base = self._model.kinds.sections.get(str(path[0]))
        long = base is not None and not base.meta.about and base.meta.stage not in (Stage.POINTS, Stage.PROGRAMS)
        return (2 if long else 0 if path[0] == "run" else 1) - len(path) + 1

    def _take(self, label: str, text: str) -> None:
        """Set the text of the draft if it is a valid cell file."""
        model = self._read(text)
        if text == self._text:
            return
        self._done.append(EditStep(label, self._text, text))
        if self._group is None:
            del self._done[:-MOST_STEPS]
        self._undone.clear()
        self._text = text
        self._set_model(model)

    def _restore(self, text: str) -> None:
        model = self._read(text)
        self._text = text
        self._set_model(model)

    def _set_model(self, model: Model) -> None:
        self._model = model
        self.__dict__.pop("entries", None)


def _text_of(path: Path) -> str:
    with _as_cell_file():
        return yamldoc.read_text(path)


@contextmanager
def _as_cell_file() -> Iterator[None]:
    """Convert errors about a text to errors about a cell file."""
    try:
        yield
    except CellFileError:
        raise
    except FileError as error:
        raise CellFileError.like(error) from error


class Entries:
    """The entries of a cell file by section and name, including nested bodies and signals, and the references to
    them."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @cached_property
    def paths(self) -> Mapping[Key, FieldPath]:
        """The path of each entry, by section and name."""
        found = {(str(each.path[0]), name): each.path for name, each in self._model.entries.items()}
        return found | {("signals", name): ("signals", name) for name in self._model.head.signals or ()}

    def names(self, *sections: str) -> list[str]:
        """Return all names in the given sections, or in all sections."""
        return [name for section, name in self.paths if not sections or section in sections]

    def key_of(self, name: str, section: str | None = None) -> Key:
        """Return the section and the name of an entry. The section is needed only for an ambiguous name."""
        found = [key for key in self.paths if key[1] == name and section in (None, key[0])]
        if not found:
            known = set(self.names(*filter(None, [section])))
            raise UnknownName(f"entry in {section}" if section else "entry", name, known)
        if len(found) > 1:
            sections = " and ".join(each for each, _ in found)
            raise CellFileError(f"there is a {name!r} in {sections}", hint="choose one: section=…")
        return found[0]

    def path_of(self, name: str, section: str | None = None) -> FieldPath:
        """Return the path of an entry."""
        return self.paths[self.key_of(name, section)]

    def free_name(self, wanted: str) -> str:
        """Return an unused name: the given name, or the given name with the next number."""
        taken = set(self.names())
        if wanted not in taken:
            return wanted
        match = _NUMBERED.match(wanted)
        stem, number = (match.group(1), int(match.group(2))) if match else (wanted, 1)
        while f"{stem}{number}" in taken or number == 1:
            number += 1
        return f"{stem}{number}"

    def offers(self, key: Key, name: str) -> Roles:
        """The names that an entry provides if it has a given name."""
        thing: Thing | None = None if key[0] == "signals" else self._model.entries[key[1]].thing
        return {name: ("signal",)} if thing is None else thing.offers(name)

    @cached_property
    def _offered(self) -> Mapping[str, list[tuple[Key, tuple[str, ...]]]]:
        found: dict[str, list[tuple[Key, tuple[str, ...]]]] = {}
        for key in self.paths:
            for name, roles in self.offers(key, key[1]).items():
                found.setdefault(name, []).append((key, roles))
        return found

    def meant(self, use: Use) -> tuple[list[Key], str]:
        """The entries that a reference refers to, and the part of it that they provide: ``arm/`` in ``arm/flange``."""
        offered, above = use.name, use.name
        while True:
            owners = [key for key, roles in self._offered.get(offered, ()) if use.ref.role in roles]
            if owners or "/" not in above:
                return owners, offered
            above = above.rpartition("/")[0]
            offered = f"{above}/"

    def referring(self, key: Key) -> Iterator[Use]:
        """All places that refer to an entry, or to something that it provides."""
        return (use for use in self._model.uses() if key in self.meant(use)[0])

    def renamed(self, key: Key, new: str) -> tuple[dict[FieldPath, str], dict[FieldPath, str]]:
        """The values and keys that refer to an entry, with its new name."""
        follow = dict(zip(self.offers(key, key[1]), self.offers(key, new), strict=True))
        values, keys, words = dict[FieldPath, str](), dict[FieldPath, str](), dict[FieldPath, dict[str, str]]()
        for use in self.referring(key):
            offered, place = self.meant(use)[1], self._in_text(use.path)
            after = follow[offered] + use.name.removeprefix(offered)
            if use.how == "within":
                words.setdefault(place, {})[use.name] = after
            else:
                (keys if use.how == "key" else values)[place] = after
        for place, names in words.items():
            node = None if self._model.root is None else self._model.root.find(place)
            text = str(node.value) if node is not None else ""
            values[place] = _WORD.sub(lambda word, names=names: names.get(word[0], word[0]), text)  # type: ignore[misc]
        return values, keys

    def patterns(self, key: Key, new: str) -> list[str]:
        """The wildcard patterns that match an entry only before or only after its renaming, with their places."""
        before, after = (self.offers(key, name) for name in (key[1], new))
        found = []
        for leaf in self._model.leaves(naming=True):
            if isinstance(leaf.type, Ref) and leaf.type.pattern and not [*leaf.type.names(leaf.value)]:
                old, now = ([_matches(leaf.value, name) for name in names] for names in (before, after))
                found += [f"{dotted(leaf.path)}: {leaf.value!r}"] if old != now else []
        return found

    def _in_text(self, path: FieldPath) -> FieldPath:
        root = self._model.root
        return path if root is None else in_text(root, self._model.kinds, path) or path

    # ---------------------------------------------------------------- removal

    def goes_with(self, key: Key) -> list[FieldPath]:
        """Return the paths to remove with an entry, the entry first: the things on it, and every reference to it.
        A reference takes with it whatever is meaningless without it: a pair that contains it, a fault, a rule. If a
        removed thing provides a name, such as the output of a rule, the uses of that name are removed as well.
        """
        uses, cuts = list(self._model.uses()), {self.paths[key]: None}
        while True:
            gone = {each for each, path in self.paths.items() if _within(path, cuts)}
            left = [use for use in uses if not _within(use.path, cuts) and gone & {*self.meant(use)[0]}]
            more = [self._goes(use.path, use) for use in left] or [*self._emptied(cuts)] or [*self._dangling(cuts)]
            if not more:
                return [path for path in cuts if not _within(path[:-1], cuts)]
            cuts |= dict.fromkeys(more)

    def _dangling(self, cuts: Mapping[FieldPath, None]) -> Iterator[FieldPath]:
        """Return the references to things that some cuts remove."""
        root, kinds = self._model.root, self._model.kinds
        if root is None:
            return
        left = _without(root, (), {self._in_text(path) for path in cuts})
        reader, own = Reader(left, kinds), {each.key for each in fields_of(Head)}
        head = OneOf(Head).read(replace(left, value={k: v for k, v in left.value.items() if k in own}), (), reader)
        things, about = dict[str, Thing](), dict[str, dict[str, Any]]()
        for section, node in left.value.items():
            if section in kinds.sections and node.value is not None:
                found = section_type(kinds, section).read(node, (section,), reader)
                if found is not MISSING and kinds.sections[section].meta.about:
                    about[section] = found
                elif found is not MISSING:
                    things |= found
        if reader.mistakes:
            return  # errors other than unknown names are raised when the cuts are made
        after = Model(head, things, about, kinds, self._model.path)
        for use in after.uses():
            if reference_problem(use.name, use.ref, after.offered):
                yield self._goes(_before(use.path, cuts), use)

    def _goes(self, path: FieldPath, use: Use | None = None) -> FieldPath:
        """Return what to remove with the value at a path: the value if it is optional, otherwise what contains it."""
        # A thing cannot lose the body it stands on: it would float.
        carries = use is not None and use.how == "value" and use.ref.role == "body" and use.ref.needed
        while len(path) > 1:
            holder = type_at(self._model.kinds, path[:-1])
            if isinstance(holder, Table | Many):
                return path
            if isinstance(holder, OneOf):
                field = next((each for each in fields_of(holder.base) if each.key == path[-1]), None)
                if field is not None and field.default is not MISSING and not carries:
                    return path
                carries = False
            path = path[:-1]
        return path

    def _emptied(self, cuts: Mapping[FieldPath, None]) -> Iterator[FieldPath]:
        """Yield what else to remove because a list or table that must not be empty becomes empty."""
        for holder in {path[:-1] for path in cuts if len(path) > 2}:
            kind = type_at(self._model.kinds, holder)
            if not isinstance(kind, Table | Many) or _within(holder, cuts) or not self._is_empty(holder, cuts):
                continue
            if (goes := self._goes(holder)) != holder or (isinstance(kind, Many) and len(holder) == 2):
                yield goes

    def _is_empty(self, holder: FieldPath, cuts: Iterable[FieldPath]) -> bool:
        node = None if self._model.root is None else self._model.root.find(self._in_text(holder))
        count = len(node.value) if node is not None and isinstance(node.value, list | dict) else 1
        return sum(path[:-1] == holder for path in cuts) == count


def _matches(pattern: str, name: str) -> bool:
    """Whether a pattern matches a name; for a name that ends in ``/``, whether it can match a name below it."""
    if not name.endswith("/"):
        return fnmatchcase(name, pattern)
    return any(fnmatchcase(name, pattern[:count]) for count in range(len(pattern) + 1))


def _within(path: FieldPath, others: Iterable[FieldPath]) -> bool:
    return any(path[: len(each)] == each for each in others if each)


def _without(node: Node, path: FieldPath, cuts: set[FieldPath]) -> Node:
    """Return a tree without the values at some paths."""
    if isinstance(node.value, dict):
        fields = {key: item for key, item in node.value.items() if (*path, key) not in cuts}
        return replace(node, value={key: _without(item, (*path, key), cuts) for key, item in fields.items()})
    if isinstance(node.value, list):
        items = [(index, item) for index, item in enumerate(node.value) if (*path, index) not in cuts]
        return replace(node, value=[_without(item, (*path, index), cuts) for index, item in items])
    return node


def _before(path: FieldPath, cuts: Iterable[FieldPath]) -> FieldPath:
    """Return the path that a value had before some cuts: cuts shift later list items."""
    found: FieldPath = ()
    for step in path:
        if isinstance(step, int):
            for index in sorted(each[-1] for each in cuts if each[:-1] == found and isinstance(each[-1], int)):
                step += index <= step
        found = (*found, step)
    return found


def in_removal_order(paths: Iterable[FieldPath]) -> list[FieldPath]:
    """Return paths in the order in which to cut them: the last item of a list first."""
    return sorted(paths, key=lambda path: [(isinstance(step, str), step) for step in path], reverse=True)
