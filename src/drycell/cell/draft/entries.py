"""Entries: all that has a name in a cell file, where each stands, copies of them, and programs that name them."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from drycell.cell.draft.sheet import Sheet, type_at
from drycell.cell.draft.written_pose import written_position
from drycell.cell.file import CellFile
from drycell.datafile import FieldPath, element, marks, read_tree
from drycell.errors import CellFileError, UnknownName
from drycell.fields import FileNaming, Quantity

# Things of the first line are bodies, too, and no two of them have one name.
STANDING: Final = ("bodies", "robots", "devices", "sensors")
NAMED: Final = (*STANDING, "workpoints", "signals", "controllers", "programs")
_MOST_READ: Final = 1_000_000
_NUMBERED: Final = re.compile(r"(.*?)(\d+)\Z")


@dataclass(frozen=True)
class Entries:
    """The entries of a cell file by section and name; bodies inside others by their full names."""

    cell_file: CellFile

    @cached_property
    def paths(self) -> Mapping[tuple[str, str], FieldPath]:
        """Where each stands, by section and name."""
        found: dict[tuple[str, str], FieldPath] = {
            ("bodies", body.name): body.path for body in self.cell_file.flat_bodies()
        }
        for section in NAMED[1:]:
            own = getattr(self.cell_file, section, None) or self.cell_file.sections.get(section)
            for name in own if isinstance(own, dict) else ():
                found[section, name] = (section, name)
        return found

    def names(self, *sections: str) -> list[str]:
        """All names in some sections, or in all of them."""
        return [name for section, name in self.paths if not sections or section in sections]

    def path_of(self, name: str, section: str | None = None) -> FieldPath:
        """Where an entry stands. The section is needed only for a name that several have."""
        found = [(each, path) for (each, other), path in self.paths.items() if other == name]
        if section is not None:
            found = [each for each in found if each[0] == section]
        if not found:
            raise UnknownName(
                f"entry in {section}" if section else "entry", name, set(self.names(*filter(None, [section])))
            )
        standing = [each for each in found if each[0] in STANDING]
        if len(found) > 1 and len(standing) != 1:
            sections = " and ".join(each for each, _ in found)
            raise CellFileError(f"there is a {name!r} in {sections}", hint="say which is meant: section=…")
        return (standing or found)[0][1]

    def free_name(self, wanted: str) -> str:
        """A name that nothing has yet: as wanted, or with the next number behind it."""
        taken = set(self.names())
        if wanted not in taken:
            return wanted
        match = _NUMBERED.match(wanted)
        stem, number = (match.group(1), int(match.group(2))) if match else (wanted, 1)
        while f"{stem}{number}" in taken or number == 1:
            number += 1
        return f"{stem}{number}"


def copied(entry: Any, shift: Sequence[float]) -> Any:
    """What is written for an entry, once more; shifted by x, y and z in metres."""
    entry = deepcopy(entry)
    if any(shift) and isinstance(entry, dict):
        old = entry.get("at", [])
        at = [Quantity("length").read(each) for each in [*old, 0, 0, 0][:3]]
        x, y, z = (a + b for a, b in zip(at, [*shift, 0.0, 0.0, 0.0][:3], strict=True))
        entry["at"] = written_position((x, y, z), old)
    return entry


def programs_that_name(cell_file: CellFile, name: str) -> list[str]:
    """Lines of the cell's program files in which a name stands as a word, as ``place.py:3``."""
    plain = "".join(sign if sign.isalnum() else "_" for sign in name)
    word = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, dict.fromkeys((name, plain))))})(?!\w)")
    found = []
    for file in dict.fromkeys(program.file for program in cell_file.programs.values()):
        try:
            with (cell_file.folder / file).open(encoding="utf-8", errors="replace") as text:
                lines = text.read(_MOST_READ).splitlines()
        except OSError:
            continue  # that it is missing is told when the cell is built
        found += [f"{file}:{number}" for number, line in enumerate(lines, 1) if word.search(line)]
    return found


def moved_file_names(text: str, source: Path, target: Path) -> str:
    """The text with names of files seen from the folder it is to be saved in."""
    old, new = source.parent.resolve(), target.parent.resolve()
    if old == new:
        return text
    data = read_tree(text, str(source)).plain()
    sheet = Sheet(text, data if isinstance(data, dict) else {}, str(source))
    changed = [
        (path, Path(os.path.relpath(old / name, new)).as_posix())
        for path, name in _file_names(sheet.data)
        if not os.path.isabs(name)
    ]
    sheet.substitute(changed, [])
    sheet.check(read_tree(sheet.text, str(source)).plain())
    return sheet.text


def _file_names(data: Mapping[str, Any]) -> Iterator[tuple[FieldPath, str]]:
    waiting: list[tuple[FieldPath, Any, object | None]] = [
        ((key,), item, type_at((key,))) for key, item in data.items()
    ]
    while waiting:
        path, value, kind = waiting.pop()
        if isinstance(value, str) and any(isinstance(mark, FileNaming) for mark in marks(kind)):
            yield path, value
        elif isinstance(value, dict):
            waiting += [((*path, key), item, element(kind, key)) for key, item in value.items()]
        elif isinstance(value, list):
            waiting += [((*path, index), item, element(kind, index)) for index, item in enumerate(value)]
