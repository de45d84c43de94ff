"""The tree of a YAML text: plain data that knows where it stands. Nothing is constructed, nothing is executed.

Only the parser of ruamel.yaml is used. What it reads becomes texts, numbers, booleans, lists and mappings; tags are
refused, and size, depth and the growth by aliases are bounded, so that no text can do more than be wrong.
"""

import io
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol, cast

from drycell.errors import FileError, Mistake

MOST_BYTES: Final = 1_000_000
MOST_NODES: Final = 100_000  # aliases counted as what they stand for
MOST_DEPTH: Final = 60

Key = str | int
FieldPath = tuple[Key, ...]
Place = tuple[int, int]  # line and column, from 1
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

# A part of what YAML 1.2 reads as numbers: no octal, hexadecimal or underscores, so that what looks odd stays a text.
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,18}\Z")
_FLOAT: Final = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?\Z")
_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None),
}


class _Mark(Protocol):
    line: int
    column: int


class _Event(Protocol):
    """What an event of the parser carries; which of it depends on its kind."""

    start_mark: _Mark
    anchor: str | None
    tag: object
    value: object
    implicit: tuple[bool, bool]


@dataclass(slots=True)
class Node:
    """A value and where it stands. A mapping also knows where its keys stand."""

    place: Place
    value: "bool | int | float | str | list[Node] | dict[str, Node] | None"
    keys: dict[str, Place] | None = None
    size: int = 1

    def plain(self) -> Json:
        """The bare data, without places."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value

    def place_of(self, path: FieldPath, *, key: bool = False) -> Place:
        """Where a field stands, or (``key``) its name; as far down the path as there is something written."""
        node, place = self, self.place
        for step in path:
            if isinstance(node.value, dict) and isinstance(step, str) and step in node.value:
                place = (node.keys or {}).get(step, node.place)
                node = node.value[step]
            elif isinstance(node.value, list) and isinstance(step, int) and step < len(node.value):
                node = node.value[step]
                place = node.place
            else:
                return place
        # Nothing was written for an empty value: its name is where to look.
        return place if key or node.value is None else node.place


def read_tree(text: str, file: str) -> Node:
    """The tree of a YAML text. Whatever is wrong with it raises FileError with the place."""
    if len(text) > MOST_BYTES:
        raise _wrong(file, f"the file has {len(text)} characters, at most {MOST_BYTES} are read")
    builder = _Builder(file)
    for event in _events(text, file):
        builder.take(event)
    if builder.root is None or builder.root.value is None:
        raise _wrong(file, "the file is empty", hint="write at least 'name: …'")
    return builder.root


def _events(text: str, file: str) -> Iterator[_Event]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError
    from ruamel.yaml.reader import ReaderError

    try:
        yield from cast(Iterator[_Event], YAML(typ="safe", pure=True).parse(io.StringIO(text)))
    except ReaderError as error:
        before = text[: error.position]
        place = (before.count("\n") + 1, error.position - before.rfind("\n"))
        raise _wrong(file, "this is not YAML: a control character", place, "take it out") from error
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        found = (mark.line + 1, mark.column + 1) if mark is not None else None
        what = " ".join(str(part) for part in (error.context, error.problem) if part)
        hint = "look at indents, colons and brackets; put texts with ':' or '#' in quotes"
        raise _wrong(file, f"this is not YAML: {what}", found, hint) from error
    except Exception as error:
        # Bytes gone wrong can make the parser fail in ways of its own; to the author it is all the same mistake.
        raise _wrong(file, f"this is not YAML: {error}", hint="keep to plain text") from error


class _Open:
    """A list or mapping that is being read, with the key that waits for its value."""

    def __init__(self, node: Node, anchor: str | None) -> None:
        self.node, self.anchor = node, anchor
        self.key: tuple[str, Place] | None = None


class _Builder:
    """Builds the tree from the parser's events, without recursion."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.root: Node | None = None
        self.stack: list[_Open] = []
        self.anchors: dict[str, Node] = {}
        self.count = 0

    def take(self, event: _Event) -> None:
        """Goes one event on."""
        place = (event.start_mark.line + 1, event.start_mark.column + 1)
        match type(event).__name__:
            case "MappingStartEvent":
                self._open(event, Node(place, {}, {}))
            case "SequenceStartEvent":
                self._open(event, Node(place, []))
            case "MappingEndEvent" | "SequenceEndEvent":
                done = self.stack.pop()
                self._put(done.node, done.anchor)
            case "ScalarEvent":
                self._no_tag(event, place)
                self._key_or_value(Node(place, _scalar(event)), event.anchor)
            case "AliasEvent":
                known = self.anchors.get(str(event.anchor))
                if known is None:
                    hint = f"write '&{event.anchor}' first"
                    raise _wrong(self.file, f"'*{event.anchor}' stands for nothing yet", place, hint)
                self.count += known.size - 1
                self._key_or_value(Node(place, known.value, known.keys, known.size), None)
            case "DocumentStartEvent" if self.root is not None:
                raise _wrong(self.file, "there is a second document", place, "keep one to a file, without '---'")

    def _open(self, event: _Event, node: Node) -> None:
        self._no_tag(event, node.place)
        if self._wants_key():
            self._key(node)
        self.stack.append(_Open(node, event.anchor))
        if len(self.stack) > MOST_DEPTH:
            raise _wrong(self.file, f"nested {len(self.stack)} deep, at most {MOST_DEPTH} are read", node.place)

    def _key_or_value(self, node: Node, anchor: str | None) -> None:
        if self._wants_key():
            self._key(node)
        else:
            self._put(node, anchor)

    def _wants_key(self) -> bool:
        return bool(self.stack) and isinstance(self.stack[-1].node.value, dict) and self.stack[-1].key is None

    def _key(self, node: Node) -> None:
        key, keys = node.value, self.stack[-1].node.keys or {}
        if isinstance(key, int) and not isinstance(key, bool):
            key = str(key)  # the number of an input, say
        if not isinstance(key, str):
            shown = "a list or mapping" if isinstance(key, list | dict) else "empty" if key is None else repr(key)
            what = f"a field's name must be a text, but this is {shown}"
            raise _wrong(self.file, what, node.place, "put it in quotes")
        if key == "<<":
            raise _wrong(self.file, "'<<' (merging) is not read", node.place, "write the fields out")
        if key in keys:
            what = f"{key!r} is there twice, first in line {keys[key][0]}"
            raise _wrong(self.file, what, node.place, "keep one of them")
        self.stack[-1].key = (key, node.place)

    def _put(self, node: Node, anchor: str | None) -> None:
        self.count += 1
        if self.count > MOST_NODES:
            what = f"there are more than {MOST_NODES} values in it, aliases counted in full"
            raise _wrong(self.file, what, node.place)
        if anchor is not None:
            self.anchors[anchor] = node
        if not self.stack:
            self.root = node
            return
        parent = self.stack[-1]
        parent.node.size += node.size
        if isinstance(parent.node.value, list):
            parent.node.value.append(node)
        elif isinstance(parent.node.value, dict) and parent.node.keys is not None and parent.key is not None:
            name, place = parent.key
            parent.node.value[name], parent.node.keys[name] = node, place
            parent.key = None

    def _no_tag(self, event: _Event, place: Place) -> None:
        if event.tag not in (None, "!"):
            hint = "such files are plain data: leave it out"
            raise _wrong(self.file, f"the tag {str(event.tag)!r} is not read", place, hint)


def _scalar(event: _Event) -> bool | int | float | str | None:
    text = str(event.value)
    if not event.implicit[0]:  # quoted, or a block of text
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.match(text):
        return int(text)
    if _FLOAT.match(text) and math.isfinite(float(text)):
        return float(text)
    return text


def _wrong(file: str, what: str, place: Place | None = None, hint: str | None = None) -> FileError:
    line, column = place or (None, None)
    return FileError.of(file, [Mistake(what, line=line, column=column, hint=hint)])
