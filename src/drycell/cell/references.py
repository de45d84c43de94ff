"""References between the entries of a cell file: who names whom, how that follows a new name, and what goes with whom.

All of it comes from the types of the fields, so it holds for any kind of thing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, Final

from drycell.base import (
    MISSING,
    CellFileError,
    Many,
    Node,
    OneOf,
    Path,
    Reader,
    Ref,
    Roles,
    Table,
    Thing,
    UnknownName,
    Use,
    dotted,
    fields_of,
)
from drycell.cell.model import Head, Model, reference_problem, section_type
from drycell.cell.written import in_text, type_at

Key = tuple[str, str]  # section and name
# Words of an expression; a text in quotes is not a name.
_WORD: Final = re.compile(r"'[^']*'|\"[^\"]*\"|[^\W\d][\w.-]*(?:/[^\W\d][\w.-]*)*")
_NUMBERED: Final = re.compile(r"(.*?)(\d+)\Z")


class Entries:
    """The entries of a cell file by section and name, with bodies inside others and signals, and who names them."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @cached_property
    def paths(self) -> Mapping[Key, Path]:
        """Where each stands, by section and name."""
        found = {(str(each.path[0]), name): each.path for name, each in self._model.entries.items()}
        return found | {("signals", name): ("signals", name) for name in self._model.head.signals or ()}

    def names(self, *sections: str) -> list[str]:
        """All names in some sections, or in all of them."""
        return [name for section, name in self.paths if not sections or section in sections]

    def key_of(self, name: str, section: str | None = None) -> Key:
        """Section and name of an entry. The section is needed only for a name that several have."""
        found = [key for key in self.paths if key[1] == name and section in (None, key[0])]
        if not found:
            known = set(self.names(*filter(None, [section])))
            raise UnknownName(f"entry in {section}" if section else "entry", name, known)
        if len(found) > 1:
            sections = " and ".join(each for each, _ in found)
            raise CellFileError(f"there is a {name!r} in {sections}", hint="say which is meant: section=…")
        return found[0]

    def path_of(self, name: str, section: str | None = None) -> Path:
        """Where an entry stands."""
        return self.paths[self.key_of(name, section)]

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

    def offers(self, key: Key, name: str) -> Roles:
        """The names that an entry offers if it has a given name."""
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
        """The entries that a reference means, and the name that they offer for it: ``arm/`` for ``arm/flange``."""
        offered, above = use.name, use.name
        while True:
            owners = [key for key, roles in self._offered.get(offered, ()) if use.ref.role in roles]
            if owners or "/" not in above:
                return owners, offered
            above = above.rpartition("/")[0]
            offered = f"{above}/"

    def referring(self, key: Key) -> Iterator[Use]:
        """All places that name an entry, or something that it offers."""
        return (use for use in self._model.uses() if key in self.meant(use)[0])

    def renamed(self, key: Key, new: str) -> tuple[dict[Path, str], dict[Path, str]]:
        """The values and the keys that name an entry, as they are after it got a new name."""
        follow = dict(zip(self.offers(key, key[1]), self.offers(key, new), strict=True))
        values, keys, words = dict[Path, str](), dict[Path, str](), dict[Path, dict[str, str]]()
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
        """The wildcard patterns that match an entry only before or only after it gets a new name, with their places."""
        before, after = (self.offers(key, name) for name in (key[1], new))
        found = []
        for leaf in self._model.leaves(naming=True):
            if isinstance(leaf.type, Ref) and leaf.type.pattern and not [*leaf.type.names(leaf.value)]:
                old, now = ([_matches(leaf.value, name) for name in names] for names in (before, after))
                found += [f"{dotted(leaf.path)}: {leaf.value!r}"] if old != now else []
        return found

    def _in_text(self, path: Path) -> Path:
        root = self._model.root
        return path if root is None else in_text(root, self._model.kinds, path) or path

    # ---------------------------------------------------------------- removal

    def goes_with(self, key: Key) -> list[Path]:
        """What must go when an entry goes, the entry itself first: what stands on it, and every place that names it.

        A reference takes along what makes no sense without it: a pair of which it is one side, a fault, a rule. What
        is cut may have offered a name, as a rule does with its output: places that use such a name go too.
        """
        uses, cuts = list(self._model.uses()), {self.paths[key]: None}
        while True:
            gone = {each for each, path in self.paths.items() if _within(path, cuts)}
            left = [use for use in uses if not _within(use.path, cuts) and gone & {*self.meant(use)[0]}]
            more = [self._goes(use.path, use) for use in left] or [*self._emptied(cuts)] or [*self._dangling(cuts)]
            if not more:
                return [path for path in cuts if not _within(path[:-1], cuts)]
            cuts |= dict.fromkeys(more)

    def _dangling(self, cuts: Mapping[Path, None]) -> Iterator[Path]:
        """What names something that nothing offers any more after some cuts."""
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
            return  # more is wrong than names; whoever makes the cuts is told
        after = Model(head, things, about, kinds, self._model.path)
        for use in after.uses():
            if reference_problem(use.name, use.ref, after.offered):
                yield self._goes(_before(use.path, cuts), use)

    def _goes(self, path: Path, use: Use | None = None) -> Path:
        """What goes when the value at a path goes: itself, if whatever holds it can be without it."""
        # What a thing stands on it cannot be without: it would hang in the air.
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

    def _emptied(self, cuts: Mapping[Path, None]) -> Iterator[Path]:
        """Lists and tables of which nothing is left, if the file does not want them empty."""
        for holder in {path[:-1] for path in cuts if len(path) > 2}:
            kind = type_at(self._model.kinds, holder)
            if not isinstance(kind, Table | Many) or _within(holder, cuts) or not self._is_empty(holder, cuts):
                continue
            if (goes := self._goes(holder)) != holder or (isinstance(kind, Many) and len(holder) == 2):
                yield goes

    def _is_empty(self, holder: Path, cuts: Iterable[Path]) -> bool:
        node = None if self._model.root is None else self._model.root.find(self._in_text(holder))
        count = len(node.value) if node is not None and isinstance(node.value, list | dict) else 1
        return sum(path[:-1] == holder for path in cuts) == count


def _matches(pattern: str, name: str) -> bool:
    """Whether a pattern matches a name, or, of a name that ends in ``/``, whether it may match one below it."""
    if not name.endswith("/"):
        return fnmatchcase(name, pattern)
    return any(fnmatchcase(name, pattern[:count]) for count in range(len(pattern) + 1))


def _within(path: Path, others: Iterable[Path]) -> bool:
    return any(path[: len(each)] == each for each in others if each)


def _without(node: Node, path: Path, cuts: set[Path]) -> Node:
    """A tree without what is at some paths."""
    if isinstance(node.value, dict):
        fields = {key: item for key, item in node.value.items() if (*path, key) not in cuts}
        return replace(node, value={key: _without(item, (*path, key), cuts) for key, item in fields.items()})
    if isinstance(node.value, list):
        items = [(index, item) for index, item in enumerate(node.value) if (*path, index) not in cuts]
        return replace(node, value=[_without(item, (*path, index), cuts) for index, item in items])
    return node


def _before(path: Path, cuts: Iterable[Path]) -> Path:
    """The path that something had before some cuts, which move the later items of lists forward."""
    found: Path = ()
    for step in path:
        if isinstance(step, int):
            for index in sorted(each[-1] for each in cuts if each[:-1] == found and isinstance(each[-1], int)):
                step += index <= step
        found = (*found, step)
    return found


def in_removal_order(paths: Iterable[Path]) -> list[Path]:
    """Paths in an order in which they can be cut one after the other: the last item of a list first."""
    return sorted(paths, key=lambda path: [(isinstance(step, str), step) for step in path], reverse=True)
