"""Settings: override fields of a cell file for one run.

A path names a field like in error messages: ``devices.belt.conveyor.speed``, ``checks.collision.clearances[0]``. Names
are unique in a cell, so the section may be omitted. A thing has one kind, so the kind may be omitted as well:
``belt.speed``. Fields at their defaults can be set, but new things cannot be added. A value is read as if it were in
the file.

Settings are inserted into the tree of the file before it is read as a model, so they get the same checks as the file.
Each field is set at most once, and never together with a part of it, so the order of settings does not matter.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from drycell.base import (
    FieldError,
    FileError,
    Inline,
    Kinds,
    Many,
    Mistake,
    Node,
    OneOf,
    Path,
    Ref,
    Setting,
    Table,
    Thing,
    Type,
    described,
    did_you_mean,
    dotted,
    fields_of,
    yamldoc,
)
from drycell.cell.head import Head
from drycell.cell.source import macro_files
from drycell.cell.written import short_keys, type_at

MOST_CHARACTERS: Final = 1000  # of a path
_INDEX: Final = re.compile(r"\[([0-9]{1,6})\]")
_STEP: Final = re.compile(r"[^.\[]*")
_NAME_ENDS: Final = re.compile(r"(?<=.)[.\[]|$")


def varied(root: Node, kinds: Kinds, settings: Sequence[Setting]) -> tuple[Node, list[Mistake]]:
    """Return a copy of a cell file's tree with the settings applied, and the mistakes in the settings."""
    found, mistakes, known = root, list[Mistake](), dict[Path, Setting]()
    for setting in settings:
        try:
            path = _resolved(setting.path, root, kinds)
            _check_may_be_set(path, known)
            value = _value(setting)
            _check_value(path, value)
            found = _Place(found, None, (), kinds).put(path, value, setting)
        except FieldError as error:
            mistakes.append(Mistake(error.what, hint=error.hint, setting=setting))
        else:
            known[path] = setting
    return found, mistakes


def _check_may_be_set(path: Path, known: Mapping[Path, Setting]) -> None:
    """Raise FieldError for a field that selects the code that runs, and for one that is already set."""
    if path[0] == "uses" or (path[0] == "programs" and path[2:] in ((), ("file",))):
        name = path[1] if len(path) > 1 else "NAME"
        hint = f"write --program {name}=FILE" if path[0] == "programs" else "change the cell file"
        raise FieldError(f"{dotted(path)} selects the code that runs, so --set cannot change it", hint=hint)
    for other, setting in known.items():
        if path == other:
            raise FieldError(f"{dotted(path)} is set twice, first by {setting}", hint="keep one of them")
        if path[: len(other)] == other:
            raise FieldError(f"this field is part of what {setting} sets", hint="write both as one setting")
        if other[: len(path)] == path:
            raise FieldError(f"{setting} sets part of this field", hint="write both as one setting")


def _check_value(path: Path, value: Node) -> None:
    """Raise FieldError for a value that names a file with macros: its code would run without the check for trust."""
    for file in macro_files(value):
        what = f"{dotted(path)} would run the code in {file!r}, so --set cannot name it"
        raise FieldError(what, hint="change the cell file")


def _value(setting: Setting) -> Node:
    """Parse the value of a setting; every node of the tree is marked as set."""
    if not setting.text.strip():
        raise FieldError("the value is missing", hint="write PATH=VALUE; null means the default")
    try:
        whole = yamldoc.parse(f"value: {setting.text}", str(setting))
    except FileError as error:
        what = error.mistakes[0].what if error.mistakes else error.what
        hint = "write the value as in a cell file: 30 s, true, [20 s, 30 s], {radius: 5 mm}"
        raise FieldError(what, hint=hint) from error
    if not isinstance(whole.value, dict) or list(whole.value) != ["value"]:
        raise FieldError("expected one value, got several fields", hint="write --set for each field")
    found: Node = whole.value["value"]
    todo = [found]
    while todo:
        node = todo.pop()
        node.setting = setting
        todo += node.keys.values()
        todo += node.value.values() if isinstance(node.value, dict) else ()
        todo += node.value if isinstance(node.value, list) else ()
    return found


def _resolved(text: str, root: Node, kinds: Kinds) -> Path:
    """Return the path in a cell file that a string such as ``belt.speed`` names. Raises FieldError."""
    if len(text) > MOST_CHARACTERS:
        raise FieldError(f"the path has {len(text)} characters; the limit is {MOST_CHARACTERS}")
    if not text.strip():
        raise FieldError("the path is missing", hint="write PATH=VALUE, for example belt.speed='40 mm/s'")
    return _Place(root, None, (), kinds).follow(f".{text.strip()}").path


@dataclass(frozen=True, slots=True)
class _Place:
    """A place in a cell file: its node (None if nothing is written there), the type of its value, and its path."""

    node: Node | None
    kind: Type | None
    path: Path
    kinds: Kinds

    # ------------------------------------------------------------ from a text to a place

    def follow(self, rest: str) -> "_Place":
        """Follow the rest of a path text to a place below. Raises FieldError."""
        if not rest:
            return self
        if rest.startswith("["):
            return self._follow_index(rest)
        if not rest.startswith("."):
            raise FieldError(
                f"{rest!r} after {dotted(self.path)} is not a field or an index", hint="write .NAME or [0]"
            )
        rest, names = rest[1:], self._names()
        for name in sorted(names, key=len, reverse=True):  # names may contain dots, so the longest match wins
            if rest.startswith(name) and rest[len(name) : len(name) + 1] in ("", ".", "["):
                return self._at(names[name]).follow(rest[len(name) :])
        if self._takes_new_names():
            return self._follow_new(rest)
        raise self._unknown(str(_STEP.match(rest)[0]), names)  # type: ignore[index]  # it also matches nothing

    def _follow_new(self, rest: str) -> "_Place":
        """Follow a name that is not in the file yet. Names may contain dots, so every possible end is tried."""
        failed: FieldError | None = None
        for end in (found.start() for found in _NAME_ENDS.finditer(rest) if found.start()):
            try:
                return self._at((rest[:end],)).follow(rest[end:])
            except FieldError as error:
                failed = failed or error
        raise failed or FieldError(f"a name is missing after {dotted(self.path)}", hint="write .NAME")

    def _follow_index(self, rest: str) -> "_Place":
        found = _INDEX.match(rest)
        if found is None:
            raise FieldError(f"{rest!r} after {dotted(self.path)} is not an index", hint="write [0] for the first item")
        index, keys = int(found[1]), short_keys(self.kind)
        if len(keys) > 1 and index < len(keys):
            return self._at((keys[index],)).follow(
                rest[found.end() :]
            )  # use the name, so that each field has a single path
        opened, shown = self._opened(index), dotted(self.path)
        if opened is None or not isinstance(opened.value, list):
            what = "is not in the file" if opened is None else f"is {described(opened.plain())}"
            raise FieldError(f"{shown} {what}, so it has no [{index}]", hint=f"set {shown} as a whole")
        count = len(opened.value)
        if index >= count:
            there = f"[0] to [{count - 1}]" if count > 1 else "only [0]" if count else "no items"
            raise FieldError(f"{shown} has {there}, not [{index}]", hint=f"set {shown} as a whole")
        return self._at((index,)).follow(rest[found.end() :])

    def _at(self, steps: Path) -> "_Place":
        """Return the place a number of steps below."""
        place = self
        for step in steps:
            opened = place._opened(step)
            node = None if opened is None else opened.child(step)
            place = _Place(node, place._part(step), (*place.path, step), self.kinds)
        return place

    def _part(self, step: str | int) -> Type | None:
        """Return the type of the value one step below."""
        if not self.path:
            return type_at(self.kinds, (step,))
        return None if self.kind is None else self.kind.part(step, self.kinds)

    # ------------------------------------------------------------ what a step can be

    def _names(self) -> dict[str, Path]:
        """Return the names that can follow, each with the steps it stands for."""
        if not self.path:
            return self._names_at_the_top()
        if (base := self._base()) is not None:
            return self._names_in_thing(base)
        return {key: (key,) for key in self.node.value} if self.node and isinstance(self.node.value, dict) else {}

    def _names_at_the_top(self) -> dict[str, Path]:
        """The fields of the file and its sections; then all things and signals, without their sections."""
        top = (*(each.key for each in fields_of(Head)), *self.kinds.sections)
        found: dict[str, Path] = {each: (each,) for each in top}
        for section in (*(each for each, base in self.kinds.sections.items() if not base.meta.about), "signals"):
            entries = self._at((section,))
            for name in entries.node.value if entries.node and isinstance(entries.node.value, dict) else ():
                found.setdefault(name, (section, name))
        return found

    def _names_in_thing(self, base: type[Thing]) -> dict[str, Path]:
        """The fields and kinds of a thing; then the fields of its own kind, without the kind."""
        found: dict[str, Path] = {each.key: (each.key,) for each in fields_of(base)}
        for each in (each.key for each in fields_of(base) if isinstance(each.type, Inline)):
            del found[each]  # a file gives the kind as its key
        for tags in self._tags():
            own = self._tag(tags)
            found = {**{each: (each,) for each in tags if own in (None, each)}, **found}
            for field in fields_of(tags[own]) if own is not None else ():
                found.setdefault(field.key, (str(own), field.key))
        return found

    def _base(self) -> type[Thing] | None:
        """Return the class of the thing at this place; None if it is not a thing."""
        kind = self.kind
        if isinstance(kind, Many) and kind.single and not (self.node and isinstance(self.node.value, list)):
            kind = kind.inner
        return kind.base if isinstance(kind, OneOf) else None

    def _tags(self) -> Iterator[dict[str, type[Thing]]]:
        """Return the possible kinds of the thing, and those of an inline thing among its fields."""
        base = self._base()
        if base is None:
            return
        inline = [field.type.base for field in fields_of(base) if isinstance(field.type, Inline)]
        for each in ([base] if base.meta.noun else []) + inline:
            yield {kind: cls for kind, cls in self.kinds.under(each).items() if cls is not each}

    def _tag(self, tags: Mapping[str, type[Thing]]) -> str | None:
        """Return the kind of the thing in the file, if it is given."""
        value = None if self.node is None else self.node.value
        words = [value] if isinstance(value, str) else value if isinstance(value, dict) else ()
        return next((each for each in words if each in tags), None)

    def _takes_new_names(self) -> bool:
        """Return whether a setting can add names here: yes for tables about things, no for things and signals."""
        if not isinstance(self.kind, Table) or self.path == ("signals",):
            return False
        return isinstance(self.kind.key, Ref) or not isinstance(self.kind.inner, OneOf)

    def _unknown(self, step: str, names: Mapping[str, Path]) -> FieldError:
        """Return the error for an unknown step."""
        shown, value = dotted(self.path), None if self.node is None else self.node.value
        if not self.path:
            return FieldError(f"the cell has no field, section or thing {step!r}", hint=did_you_mean(step, names))
        if isinstance(self.kind, Table):
            return FieldError(f"there is no {step!r} in {shown}", hint=did_you_mean(step, names))
        if isinstance(value, list):
            return FieldError(f"{shown} is a list, so it has no {step!r}", hint=f"write {shown}[0]")
        for tags in self._tags():
            if step in tags:
                own = self._tag(tags)
                hint = f"write {shown}.{own}, or set {shown} as a whole"
                return FieldError(f"{shown} is of kind {own!r}, not {step!r}", hint=hint)
        if not names:
            return FieldError(f"{shown} is a single value, so it has no {step!r}", hint=f"write {shown}=VALUE")
        return FieldError(f"{shown} has no field {step!r}", hint=did_you_mean(step, names))

    # ------------------------------------------------------------ into the tree

    def put(self, path: Path, new: Node, setting: Setting) -> Node:
        """Return a copy of the node with another node at a path below. Only the nodes on that path are copied."""
        if not path:
            return new
        step = path[0]
        held = self._opened(step) or Node(None, 0, 0, -1, -1, setting=setting)
        inner = self._at((step,)).put(path[1:], new, setting)
        if isinstance(step, int):
            return replace(held, value=[*held.value[:step], inner, *held.value[step + 1 :]])
        if not isinstance(held.value, dict | None):
            what = f"{dotted(self.path)} is {described(held.plain())} in the file, so it has no {step!r}"
            raise FieldError(what, hint=f"set {dotted(self.path)} as a whole")
        key = held.keys.get(step) if len(path) > 1 else None
        key = key or Node(step, 0, 0, -1, -1, setting=setting)
        return replace(held, value={**(held.value or {}), step: inner}, keys={**held.keys, step: key})

    def _opened(self, step: str | int) -> Node | None:
        """Return the node with its short form expanded if a step into it needs that."""
        node, base = self.node, self._base()
        if node is None or isinstance(node.value, dict | None):
            return node
        if isinstance(step, int):
            alone = isinstance(self.kind, Many) and self.kind.single and not isinstance(node.value, list)
            return replace(node, value=[node], keys={}) if alone else node
        if base is not None and base.meta.noun and isinstance(node.value, str) and node.value in self.kinds.under(base):
            word = node.value  # a kind: [stuck_on]
            return replace(node, value={word: replace(node, value=None)}, keys={word: node})
        keys, listed = [] if base is None else short_keys(OneOf(base)), isinstance(node.value, list)
        if not keys or base is None or (listed and (base.meta.compact is not True or len(node.value) > len(keys))):
            return node  # errors in it are reported when it is read
        fields = dict(zip(keys, node.value if listed else [node], strict=False))
        return replace(node, value=fields, keys=dict(fields))
