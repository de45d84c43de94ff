"""A sheet: a cell file's text and what it says, changed together, so that one can be held against the other."""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Final

from drycell.cell.draft.splice import Splicer
from drycell.cell.file import CellFile
from drycell.cell.file.section import registered_sections
from drycell.cell.file.writer import written
from drycell.datafile import FieldPath, Key, element, field_name, field_types, known_fields
from drycell.errors import CellFileError, did_you_mean
from drycell.fields import described

# The order of sections in a file that is written from top to bottom: what is there, what it does, what is watched.
SECTIONS: Final = (
    "format", "name", "description", "bodies", "devices", "robots", "sensors", "workpoints", "signals", "controllers",
    "programs", "tolerances", "faults", "checks", "run",
)  # fmt: skip
_LAST: Final = {"at": 1, "rpy": 2, "children": 3}
_OPENED: Final = ("bodies", "devices", "robots", "sensors", "controllers")  # whose entries stand on several lines


class Sheet:
    """A text that is being changed. ``check`` raises if the text does not say what the changes were to make it say."""

    def __init__(self, text: str, data: Mapping[str, Any], file: str) -> None:
        self.text, self.file = text, file
        self.data: dict[str, Any] = deepcopy(dict(data))

    def check(self, said: object) -> None:
        """Holds what the text was found to say against what it is to say."""
        if said != self.data:
            raise CellFileError(
                "this place of the file is written in a way that cannot be changed here",
                where=self.file,
                hint="change the text itself; '*alias' and '&anchor' are such ways",
            )

    def get(self, path: FieldPath) -> Any:
        """What stands in a field, as it is written; None if nothing does."""
        found: Any = self.data
        for step in path:
            if not _has(found, step):
                return None
            found = found[step]
        return found

    # ---------------------------------------------------------------- changes

    def put(self, path: FieldPath, value: object) -> None:
        """Writes a field, new or not; numbers become texts with units as the field's type says."""
        self.put_written(path, _plain(written(value, type_at(path), len(path))))

    def put_written(self, path: FieldPath, value: Any) -> None:
        """Writes a field, new or not, as it is."""
        before = self.get(path)
        if isinstance(before, dict) and isinstance(value, dict) and before and value:
            # Field by field, so that comments of those that stay are kept.
            for name in [name for name in before if name not in value]:
                self.delete((*path, name))
            for name in value:
                if before.get(name) != value[name] or name not in before:
                    self.put_written((*path, name), value[name])
            return
        if self._is_written(path):
            if before != value or type(before) is not type(value):
                self.text = Splicer(self.text).replaced(path, value)
        else:
            while len(path) > 1 and not self._is_written(path[:-1]):
                path, value = path[:-1], {str(path[-1]): value}
            holder = self.get(path[:-1]) if len(path) > 1 else self.data
            if holder is not None and not isinstance(holder, dict):
                what = f"{field_name(path[:-1])} is {described(holder)} and has no fields"
                raise CellFileError(what, where=self.file, hint="look at its name")
            holder = holder or {}
            self.text = Splicer(self.text).inserted(path, value, _predecessor(path, list(holder)), _levels(path))
        _put(self.data, path, value)

    def append(self, path: FieldPath, item: object) -> None:
        """Adds an item to a list, which is made if there is none."""
        if not isinstance(self.get(path), list):
            self.put(path, [item])
            return
        value = _plain(written([item], type_at(path), len(path)))[0]
        self.text = Splicer(self.text).appended(path, value)
        self.get(path).append(value)

    def delete(self, path: FieldPath) -> None:
        """Takes a field or an item out, and the section or the list of children that thereby gets empty."""
        holder: Any = self.get(path[:-1]) if len(path) > 1 else self.data
        pruned = len(path) == 2 or path[-2:-1] == ("children",)
        if pruned and len(holder) == 1 and len(path) > 1 and len(self.data) > 1:
            self.delete(path[:-1])
            return
        self.text = Splicer(self.text).deleted(path)
        del holder[path[-1]]

    def substitute(self, values: Iterable[tuple[FieldPath, str]], keys: Sequence[tuple[FieldPath, str]]) -> None:
        """Exchanges texts and names of fields all over the file at once."""
        splicer = Splicer(self.text)
        changed = list(values)
        cuts = [splicer.replacing(path, value) for path, value in changed]
        cuts += [splicer.renaming(path, key) for path, key in keys]
        self.text = splicer.cut(cuts)
        for path, value in changed:
            _put(self.data, path, value)
        # The deepest first: a path that leads through another key must not be looked for under its new name.
        for path, key in sorted(keys, key=lambda each: -len(each[0])):
            holder = self.get(path[:-1]) if len(path) > 1 else self.data
            items = [(key if name == path[-1] else name, value) for name, value in holder.items()]
            holder.clear()
            holder.update(items)

    def _is_written(self, path: FieldPath) -> bool:
        return _has(self.get(path[:-1]) if len(path) > 1 else self.data, path[-1])


def type_at(path: FieldPath) -> object | None:
    """The type of a field of a cell file; None where any plain value may stand."""
    types = {name: kind for name, kind in field_types(CellFile).items() if name not in ("sections", "origin")}
    types |= {name: section.type for name, section in registered_sections().items()}
    if path[0] not in types:
        raise CellFileError(f"{field_name(path)}: there is no such field", hint=did_you_mean(str(path[0]), types))
    found: object | None = types[str(path[0])]
    for step in path[1:]:
        found = element(found, step) if found is not None else None
    return found


def _has(holder: object, step: Key) -> bool:
    if isinstance(holder, list):
        return isinstance(step, int) and step < len(holder)
    return isinstance(holder, dict) and step in holder


def _predecessor(path: FieldPath, there: list[str]) -> Key | None:
    """The field of those that are there behind which a new one is to stand."""
    if len(path) == 1:
        order = [*SECTIONS, *(name for name in there if name not in SECTIONS)]
    else:
        known = known_fields(type_at(path[:1]), path[1:-1]) if len(path) > 2 else []
        order = sorted(known, key=lambda name: _LAST.get(name, 0))
    if path[-1] not in order:
        return there[-1] if there else None
    before = set(order[: order.index(str(path[-1]))])
    found = [name for name in there if name in before]
    return found[-1] if found else None


def _levels(path: FieldPath) -> int:
    """How many levels of a new field stand on lines of their own: sections do, and entries of some of them."""
    if path[-2:-1] == ("children",):
        return 1
    whole = 0 if path[0] == "run" else 2 if path[0] in _OPENED else 1
    return whole - len(path) + 1


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, str) else value


def _put(data: Any, path: FieldPath, value: object) -> None:
    for step in path[:-1]:
        if isinstance(data, dict) and data.get(step) is None:
            data[step] = {}
        data = data[step]
    data[path[-1]] = deepcopy(value)
