"""YAML text as a tree with source positions, and edits that leave the rest of the text untouched.

Only libyaml's parser is used, not its types: a text can contain strings, numbers, booleans, lists and mappings. Tags
and merge keys are refused, and size, depth and expansion of aliases are limited, so untrusted files are safe to read.

An edit changes the text in place instead of dumping the tree, so comments, blank lines, quotes and layout are kept. It
parses the result to verify that the data changed only at its path, and raises an error otherwise. Aliases are handled:
an edit below an alias first replaces the alias with a copy, and an edit of an anchored value first moves the old value,
with its anchor, to the first alias.
"""

import json
import math
import pathlib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from drycell.base.errors import FileError, Mistake, Setting, did_you_mean
from drycell.base.files import read_regular

MOST_BYTES: Final = 1_000_000
MOST_NODES: Final = 100_000  # counting every alias in full
MOST_DEPTH: Final = 60

Path = tuple[str | int, ...]
Plain = Any  # None, bool, int, float, str, and lists and dicts of them

# A subset of the numbers of YAML 1.2: no octal, hexadecimal or underscores, so anything unusual stays a string.
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,18}\Z")
_FLOAT: Final = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?\Z")
_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None),
}
# Characters that YAML does not allow. libyaml reports their position in bytes, and fails on half a surrogate pair.
_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TYPED: Final = frozenset("0123456789+-.~tTfFnN") | {""}  # first characters of all values except texts
_BYTE_ORDER_MARK: Final = "\ufeff"

# Pieces of YAML between the values, which the parser does not report.
_BREAK: Final = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")
_GAP: Final = re.compile(r"(?:\s|#[^\n\r\x85\u2028\u2029]*)*")
_PROPERTIES: Final = re.compile(r"[&!][^\s,\[\]{}]*(?:\s+[&!][^\s,\[\]{}]*)*")
_BLOCK_SCALAR: Final = re.compile(r"[|>][-+\d]*")


# ---------------------------------------------------------------- the tree


@dataclass(slots=True, eq=False)
class Node:
    """A value, where it starts (line and column, from 1) and its range in the text.

    A mapping also has the nodes of its keys. ``flow`` is false for a block, which is written on separate lines. The
    node of an alias has the position of the alias; nodes below it have their original positions. ``setting`` is the
    source of a value that is not in the text.
    """

    value: Any
    line: int
    column: int
    start: int
    end: int
    flow: bool = True
    keys: dict[str, "Node"] = field(default_factory=dict)
    setting: Setting | None = None

    def plain(self) -> Plain:
        """Return the data without positions."""
        top: list[Plain] = [None]
        todo: list[tuple[Node, Any, Any]] = [(self, top, 0)]
        while todo:
            node, holder, step = todo.pop()
            if isinstance(node.value, dict):
                # Filled in advance to keep the order of keys, because the work is done from the end.
                holder[step] = made = dict.fromkeys(node.value)
                todo.extend((inner, made, key) for key, inner in node.value.items())
            elif isinstance(node.value, list):
                holder[step] = items = [None] * len(node.value)
                todo.extend((inner, items, index) for index, inner in enumerate(node.value))
            else:
                holder[step] = node.value
        return top[0]

    def child(self, step: str | int) -> "Node | None":
        """Return the node of a field or an item; None if it does not exist."""
        if isinstance(self.value, dict):
            found: Node | None = self.value.get(step) if isinstance(step, str) else None
            return found
        if isinstance(self.value, list) and isinstance(step, int) and 0 <= step < len(self.value):
            item: Node = self.value[step]
            return item
        return None

    def find(self, path: Path) -> "Node | None":
        """Return the node at a path; None if it does not exist."""
        node: Node | None = self
        for step in path:
            if node is None:
                return None
            node = node.child(step)
        return node

    def place(self, path: Path, *, key: bool = False) -> "Node":
        """Return the node that an error at a path points to, as far down the path as the file goes. This is the value,
        or its key if ``key`` is set or the value is empty.
        """
        node, name = self, self
        for step in path:
            inner = node.child(step)
            if inner is None:
                return name
            name = node.keys[step] if isinstance(step, str) else inner
            node = inner
        return name if key or node.value is None else node

    def mistake(self, path: Path, what: str, hint: str | None = None, *, key: bool = False) -> Mistake:
        """Return a mistake at a path, or at the name of that field, with its place in the text or its setting."""
        at = self.place(path, key=key)
        if at.setting is not None:
            return Mistake(what, field_name(path), hint=hint, setting=at.setting)
        return Mistake(what, field_name(path), at.line, at.column, hint)


def field_name(path: Path) -> str:
    """Return a path as text: ``bodies.table.at[0]``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


# ---------------------------------------------------------------- reading


def read_text(path: pathlib.Path) -> str:
    """Read a file, which must be UTF-8 text.

    Raises:
        FileError: if the file does not exist or cannot be read.
    """
    try:
        data = read_regular(path, 4 * MOST_BYTES + 1)  # longer texts are refused anyway
    except FileNotFoundError:
        there = [each.name for each in path.parent.glob(f"*{path.suffix}")] if path.parent.is_dir() else []
        raise FileError(
            f"there is no file {str(path)!r}", hint=did_you_mean(path.name, there) if there else "check the path"
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(f"{str(path)!r} cannot be read: {reason}", hint="check its name and permissions") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        mistake = Mistake("the file is not UTF-8 text", line=line, hint="save the file as UTF-8")
        raise FileError.of(str(path), [mistake]) from error


def parse(text: str, file: str) -> Node:
    """Parse a YAML text into a tree.

    Args:
        text: The YAML text.
        file: The name of the file, for error messages.

    Raises:
        FileError: with line and column, if the text is not valid.
    """
    root = _read(text, file).root
    if root is None or root.value is None:
        raise _wrong(file, "the file is empty", hint="write at least 'name: …'")
    return root


class _Mark(Protocol):
    line: int
    column: int
    index: int


class _Event(Protocol):
    """A parser event; its attributes depend on its class."""

    start_mark: _Mark
    end_mark: _Mark
    anchor: str | None
    tag: str | None
    value: str
    implicit: tuple[bool, bool]
    style: str | None
    flow_style: bool | None


def _read(text: str, file: str) -> "_Builder":
    if len(text) > MOST_BYTES:
        raise _wrong(file, f"the file has {len(text)} characters; the limit is {MOST_BYTES}")
    if (found := _FORBIDDEN.search(text)) is not None:
        before = text[: found.start()]
        place = (before.count("\n") + 1, found.start() - before.rfind("\n"))
        raise _wrong(file, "invalid YAML: a control character", place, "remove it")
    builder = _Builder(text, file)
    for event in _events(text.removeprefix(_BYTE_ORDER_MARK), file):
        builder.take(event)
    return builder


def _events(text: str, file: str) -> Iterator[_Event]:
    import yaml  # type: ignore[import-untyped]  # takes 13 ms, so only programs that read files wait for it

    try:
        # PyYAML without libyaml has only its own parser: reading takes seven times as long, with the same result.
        yield from yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark is not None else None
        what = " ".join(part for part in (error.context, error.problem) if part)
        hint = "check indentation, colons and brackets; put text with ':' or '#' in quotes"
        raise _wrong(file, f"invalid YAML: {what}", place, hint) from error
    except Exception as error:
        # On some texts PyYAML's own parser raises other exceptions for the same mistake.
        raise _wrong(file, f"invalid YAML: {error}", hint="use plain text only") from error


@dataclass(slots=True)
class _Anchor:
    """A node with an anchor, the number of values in it, how deep they are nested, and the aliases for it."""

    name: str
    node: Node
    size: int = 1
    height: int = 0
    aliases: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class _Open:
    """A list or mapping that is being read, and the key that waits for its value."""

    node: Node
    anchor: str | None
    count: int
    height: int = 1
    key: Node | None = None


class _Builder:
    """Builds the tree from the parser's events, without recursion."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.root: Node | None = None
        self.anchors: list[_Anchor] = []
        self._known: dict[str, _Anchor] = {}
        self._stack: list[_Open] = []
        self._count = 0
        self._offset = int(text.startswith(_BYTE_ORDER_MARK))

    def take(self, event: _Event) -> None:
        """Add the next event to the tree."""
        match type(event).__name__:
            case "ScalarEvent":
                self._scalar(event)
            case "MappingStartEvent":
                self._open(event, {})
            case "SequenceStartEvent":
                self._open(event, [])
            case "MappingEndEvent" | "SequenceEndEvent":
                self._close(event)
            case "AliasEvent":
                self._alias(event)
            case "DocumentStartEvent" if self.root is not None:
                place = (event.start_mark.line + 1, event.start_mark.column + 1)
                raise _wrong(
                    self.file,
                    "the file has a second YAML document",
                    place,
                    "write one document per file, without '---'",
                )

    def _node(self, event: _Event, value: object) -> Node:
        start, end = event.start_mark, event.end_mark
        return Node(value, start.line + 1, start.column + 1, start.index + self._offset, end.index + self._offset)

    def _scalar(self, event: _Event) -> None:
        node = self._node(event, _typed(event.value) if event.implicit[0] else event.value)
        if event.tag is not None:
            self._no_tag(event.tag, node)
        if event.style == "|" or event.style == ">":
            node.end = _end_of_block_scalar(self.text, node)
        if self._wants_key():
            self._key(node)
        else:
            self._put(node, 0)
        if event.anchor is not None:
            self._remember(_Anchor(event.anchor, node))

    def _open(self, event: _Event, value: object) -> None:
        node = self._node(event, value)
        if event.tag is not None:
            self._no_tag(event.tag, node)
        node.flow = bool(event.flow_style)
        if self._wants_key():
            self._key(node)
        self._stack.append(_Open(node, event.anchor, self._count))
        self._check_depth(len(self._stack), node)

    def _close(self, event: _Event) -> None:
        done = self._stack.pop()
        node = done.node
        if node.flow:
            node.end = event.end_mark.index + self._offset
        else:
            # libyaml ends a block at the next token, which may come many comments later.
            node.end = (node.value[-1] if isinstance(node.value, list) else next(reversed(node.value.values()))).end
        self._put(node, done.height)
        if done.anchor is not None:
            self._remember(_Anchor(done.anchor, node, self._count - done.count, done.height))

    def _alias(self, event: _Event) -> None:
        node = self._node(event, None)
        known = self._known.get(str(event.anchor))
        if known is None:
            raise _wrong(
                self.file, f"the alias '*{event.anchor}' has no anchor above it", node, f"write '&{event.anchor}' first"
            )
        node.value, node.keys = known.node.value, known.node.keys
        known.aliases.append(node)
        if self._wants_key():
            self._key(node)
            return
        self._check_depth(len(self._stack) + known.height, node)
        self._count += known.size - 1
        self._put(node, known.height)

    def _remember(self, anchor: _Anchor) -> None:
        self.anchors.append(anchor)
        self._known[anchor.name] = anchor

    def _wants_key(self) -> bool:
        return bool(self._stack) and self._stack[-1].key is None and isinstance(self._stack[-1].node.value, dict)

    def _key(self, node: Node) -> None:
        key, holder = node.value, self._stack[-1]
        if isinstance(key, int) and not isinstance(key, bool):
            key = str(key)  # for example the number of an input
            node = Node(key, node.line, node.column, node.start, node.end)  # an alias still means the number
        if not isinstance(key, str):
            shown = "a list or mapping" if isinstance(key, list | dict) else "empty" if key is None else repr(key)
            raise _wrong(self.file, f"a field name must be text, got {shown}", node, "put it in quotes")
        if key == "<<":
            raise _wrong(self.file, "merging with '<<' is not supported", node, "write the fields out")
        if key in holder.node.keys:
            what = f"{key!r} is defined twice, first in line {holder.node.keys[key].line}"
            raise _wrong(self.file, what, node, "keep one of them")
        holder.key = holder.node.keys[key] = node

    def _put(self, node: Node, height: int) -> None:
        self._count += 1
        if self._count > MOST_NODES:
            raise _wrong(self.file, f"the file has more than {MOST_NODES} values, counting every alias in full", node)
        if not self._stack:
            self.root = node
            return
        holder = self._stack[-1]
        if holder.height <= height:
            holder.height = height + 1
        if holder.key is None:
            holder.node.value.append(node)
            return
        if node.start == node.end:
            # libyaml places an empty value anywhere up to the next token; here it follows its colon directly.
            node.start = node.end = _behind_colon(self.text, holder.key)
        holder.node.value[holder.key.value], holder.key = node, None

    def _check_depth(self, depth: int, node: Node) -> None:
        if depth > MOST_DEPTH:
            raise _wrong(self.file, f"nested {depth} levels deep; the limit is {MOST_DEPTH}", node)

    def _no_tag(self, tag: str, node: Node) -> None:
        if tag != "!":
            raise _wrong(self.file, f"the tag {tag!r} is not supported", node, "remove it: these files are plain data")


def _end_of_block_scalar(text: str, node: Node) -> int:
    """The end of its last line. Blank lines below belong to it only if its header has a '+'."""
    header = _BLOCK_SCALAR.match(text, _content(text, node))
    written = text[node.start : node.end]
    kept = re.sub(rf"(?:{_BREAK.pattern})\Z", "", written) if header and "+" in header[0] else written.rstrip()
    return node.start + len(kept)


def _content(text: str, node: Node) -> int:
    """Where a value starts, after its anchor; its end if it is empty."""
    properties = _PROPERTIES.match(text, node.start, node.end)
    return min(_skip(_GAP, text, properties.end()), node.end) if properties else node.start


def _behind_colon(text: str, key: Node) -> int:
    """The position after the colon of a key; the end of the key if it has no colon."""
    colon = _skip(_GAP, text, key.end)
    return colon + 1 if text[colon : colon + 1] == ":" else key.end


def _skip(pattern: re.Pattern[str], text: str, index: int) -> int:
    found = pattern.match(text, index)
    return found.end() if found else index


def _typed(text: str) -> bool | int | float | str | None:
    if text[:1] not in _TYPED:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.match(text):
        return int(text)
    if _FLOAT.match(text) and math.isfinite(float(text)):
        return float(text)
    return text


def _wrong(file: str, what: str, place: Node | tuple[int, int] | None = None, hint: str | None = None) -> FileError:
    line, column = (place.line, place.column) if isinstance(place, Node) else place or (None, None)
    return FileError.of(file, [Mistake(what, line=line, column=column, hint=hint)])


# ---------------------------------------------------------------- writing

_LINE: Final = 100  # characters; a longer mapping is split over separate lines
# Texts that never need quotes, not even in brackets.
_BARE: Final = re.compile(r"(?:[^\W\d]|[-+]?\.?\d|\.{0,2}/)[\w./ ()+*^%-]*(?<! )\Z")
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def inline(value: Plain) -> str:
    """A value on one line: ``{shape: {box: [40 mm, 40 mm, 30 mm]}, at: [0 mm, 0 mm]}``."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key_text(str(key))}: {inline(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(inline, value)) + "]"
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool):
        return "null" if value is None else "true" if value else "false"
    return repr(float(value)) if isinstance(value, float) else str(int(value))


def block(key: str, value: Plain, indent: int, levels: int, step: int = 2) -> Iterator[str]:
    """A field as lines. The outer ``levels`` mappings, and long ones, have each field on its own line. A multi-line
    text is written unchanged below ``|``; a long list of mappings has one item per line.
    """
    start = f"{' ' * indent}{_key_text(key)}:"
    head, lines = _spread(value, indent + step, levels, step, len(start) + 1)
    yield f"{start} {head}" if head else start
    yield from lines


def _spread(value: Plain, indent: int, levels: int, step: int, column: int) -> tuple[str, list[str]]:
    """A value as text: the rest of the line on which it starts, at a column, and the lines below."""
    if isinstance(value, str) and _is_literal(lines := value.removesuffix("\n").split("\n")) and "\n" in value:
        return "|" if value.endswith("\n") else "|-", [f"{' ' * indent}{line}" if line else "" for line in lines]
    written = inline(value)
    if isinstance(value, list) and any(isinstance(item, dict) for item in value) and column + len(written) > _LINE:
        return "", [f"{' ' * indent}- {inline(item)}" for item in value]
    if not isinstance(value, dict) or not value or (levels < 1 and column + len(written) <= _LINE):
        return written, []
    return "", [line for name, item in value.items() for line in block(name, item, indent, levels - 1, step)]


def _is_literal(lines: Sequence[str]) -> bool:
    """Whether lines can be read back unchanged below ``|``, even if an editor strips trailing spaces."""
    whole = bool(lines[0] and lines[-1]) and not lines[0].startswith(" ")
    return whole and all(line.isprintable() and not line.endswith(" ") for line in lines)


def _key_text(key: str) -> str:
    return key if _INTEGER.match(key) and str(int(key)) == key else _text(key)


def _text(text: str, quote: str = "") -> str:
    """A text as YAML: in quotes of the given kind, or without quotes if none is given and none are needed."""
    if not quote and _BARE.match(text) and isinstance(_typed(text), str):
        return text
    if quote != '"' and text.isprintable() and "'" not in text:
        return f"'{text}'"
    return '"' + "".join(_ESCAPES.get(each) or (each if each.isprintable() else _escaped(each)) for each in text) + '"'


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# ---------------------------------------------------------------- editing


@dataclass(frozen=True, slots=True)
class Layout:
    """How new fields are written. Both functions get the path of the field."""

    order: Callable[[Path], Sequence[str]] = lambda path: ()
    """The order of the fields in its mapping. A new field goes after those listed before it, or to the end."""

    levels: Callable[[Path], int] = lambda path: 3 - len(path)
    """The number of levels of mappings with one field per line; by default sections and their entries."""


_DEFAULT: Final = Layout()


def put(text: str, file: str, path: Path, value: Plain, layout: Layout = _DEFAULT) -> str:
    """Return the text with a value at a path, replaced or added. Missing mappings along the path are created.

    A mapping that replaces a mapping is edited field by field, and a list with comments or on several lines is edited
    item by item, so that comments on unchanged parts are kept. An empty path edits the whole file in this way.

    Raises:
        FileError: with the field, if the edit is impossible (this applies to all edits in this module).
    """
    page = _Page(text, file)
    value, wanted = _writable(page, path, value), page.data()
    if path:
        _set(page, wanted, path, value)
    elif isinstance(wanted, dict) and isinstance(value, dict):
        wanted = value
    else:
        raise page.refused(path, "a whole file can only be replaced by a mapping", "give the path of a field")
    return page.verified(_put(page, path, value, layout), path, wanted)


def cut(text: str, file: str, path: Path) -> str:
    """Return the text without a field or an item and the comments on its lines. Comments above it stay.

    A mapping or list that becomes empty is written as ``{}`` or ``[]``.
    """
    page = _Page(text, file)
    wanted = page.data()
    del _holder(page, wanted, path)[path[-1]]
    return page.verified(_cut(page, path), path, wanted)


def append(text: str, file: str, path: Path, item: Plain, layout: Layout = _DEFAULT) -> str:
    """Return the text with an item appended to a list. A missing list is created."""
    page = _Page(text, file)
    node = page.root.find(path)
    if node is None or node.value is None:
        return put(text, file, path, [item], layout)
    if not isinstance(node.value, list):
        what = f"expected a list to add the item to, got {inline(node.plain())[:60]}"
        raise page.refused(path, what, "write it as a list first")
    item, wanted = _writable(page, path, item), page.data()
    _get(wanted, path).append(item)
    loose = page.loosened([(path, "inside")])
    return page.verified(loose.edited(loose.appending(path, item)), path, wanted)


def rename(text: str, file: str, keys: Iterable[tuple[Path, str]]) -> str:
    """Return the text with some keys renamed. Paths are those before the edit, so two keys can be swapped."""
    page, changes = _Page(text, file), list(keys)
    wanted = page.data()
    names: dict[Path, dict[str, str]] = {}
    for path, key in changes:
        if not isinstance(_holder(page, wanted, path), dict):
            raise page.refused(path, "an item of a list has no name", "rename a field")
        names.setdefault(path[:-1], {})[str(path[-1])] = key
    # The deepest first, because a path through another renamed key must be looked up under its old name.
    for place in sorted(names, key=len, reverse=True):
        holder = _get(wanted, place)
        items = [(names[place].get(name, name), value) for name, value in holder.items()]
        for old, new in names[place].items():
            if sum(name == new for name, _ in items) > 1:
                raise page.refused((*place, old), f"there is already a field {new!r}", "choose another name")
        holder.clear()
        holder.update(items)
    loose = page.loosened([(path, "key") for path, _ in changes])
    return page.verified(loose.edited([loose.renaming(path, key) for path, key in changes]), (), wanted)


def substitute(text: str, file: str, values: Iterable[tuple[Path, Plain]]) -> str:
    """Return the text with the values at several paths replaced. The paths must exist and must not be nested."""
    page = _Page(text, file)
    changes = [(path, _writable(page, path, value)) for path, value in values]
    wanted = page.data()
    for path, value in changes:
        _holder(page, wanted, path)[path[-1]] = value
    loose = page.loosened([(path, "value") for path, _ in changes])
    cuts = [each for path, value in changes for each in loose.replacing(path, value, 0)]
    return page.verified(loose.edited(cuts), (), wanted)


def _put(page: "_Page", path: Path, value: Plain, layout: Layout) -> "_Page":
    before = page.root.find(path)
    if before is None:
        while len(path) > 1 and page.root.find(path[:-1]) is None:
            path, value = path[:-1], {path[-1]: value}
        page = page.loosened([(path[:-1], "inside")])
        return page.edited(page.inserting(path, value, layout))
    if _same(before.plain(), value):
        return page
    fields = before.value if path else before.value or {}
    both = isinstance(value, dict) and isinstance(fields, dict) and (not path or (value and fields))
    if both and not page.is_alias(before):
        for name in [name for name in fields if name not in value]:
            page = _cut(page, (*path, name))
        for name, item in value.items():
            page = _put(page, (*path, name), item, layout)
        return page
    lists = isinstance(value, list) and value and isinstance(before.value, list) and before.value
    if lists and page.has_layout(before) and (edited := _put_items(page, path, value, layout)) is not None:
        return edited
    page = page.loosened([(path, "value")])
    return page.edited(page.replacing(path, value, layout.levels(path)))


def _put_items(page: "_Page", path: Path, items: list[Plain], layout: Layout) -> "_Page | None":
    """A page with new items in a list: changed items are replaced, others appended or cut. None if that is impossible,
    for example in a layout in which single items cannot be edited.
    """
    old = _get(page.data(), path)
    try:
        # Removed items are cut where they were, so that later items keep their comments.
        extra, end = max(len(old) - len(items), 0), len(old)
        while extra and end > extra and _same(old[end - 1], items[end - 1 - extra]):
            end -= 1
        for index in reversed(range(end - extra, end)):
            page = _cut(page, (*path, index))
        for index, item in enumerate(items[: len(old)]):
            page = _put(page, (*path, index), item, layout)
        for item in items[len(old) :]:
            page = page.loosened([(path, "inside")])
            page = page.edited(page.appending(path, item))
    except FileError:
        return None
    return page if _same(_get(page.data(), path), items) else None


def _cut(page: "_Page", path: Path) -> "_Page":
    page = page.loosened([(path, "entry")])
    return page.edited(page.cutting(path))


# ---------------------------------------------------------------- expected data after an edit


def _writable(page: "_Page", path: Path, value: object, depth: int = 0) -> Plain:
    """Return a copy of a value as plain data. Raises if it contains something that cannot be read back."""
    if depth > MOST_DEPTH:
        raise page.refused(path, f"a value nested more than {MOST_DEPTH} deep cannot be written", "nest it less")
    if isinstance(value, Mapping) and all(isinstance(key, str | int) for key in value):
        return {str(key): _writable(page, path, item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_writable(page, path, item, depth + 1) for item in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    raise page.refused(path, f"{value!r} cannot be written to a file", "give a string, number, list or mapping")


def _get(data: Plain, path: Path) -> Plain:
    for step in path:
        data = data[step]
    return data


def _has(data: Plain, step: str | int) -> bool:
    if isinstance(data, list):
        return isinstance(step, int) and 0 <= step < len(data)
    return isinstance(data, dict) and step in data


def _holder(page: "_Page", data: Plain, path: Path) -> Any:
    """The mapping or list that contains the last step of a path, which must exist."""
    for step in path[:-1]:
        data = data[step] if _has(data, step) else None
    if not path or not _has(data, path[-1]):
        raise page.refused(path, "there is no such field", "check its spelling")
    return data


def _set(page: "_Page", data: Plain, path: Path, value: Plain) -> None:
    for count, step in enumerate(path, 1):
        if not _has(data, step) and not (isinstance(data, dict) and isinstance(step, str)):
            what = f"this is {inline(data)[:60]} and has no {'item' if isinstance(step, int) else 'field'} {step!r}"
            raise page.refused(path[: count - 1], what, "check its spelling")
        if count == len(path):
            data[step] = value
        elif not _has(data, step) or data[step] is None:
            data[step] = {}
        data = data[step]


def _same(one: Plain, other: Plain) -> bool:
    """Whether two values are equal; 1, 1.0 and true are not."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


# ---------------------------------------------------------------- splices

_Cut = tuple[int, int, str]  # start, end, and the replacement text
_Part = Literal[
    "value", "key", "entry", "inside"
]  # the part at a path that an edit touches; "inside" adds to the value
_SPACE: Final = re.compile(r"\s*")
_SPACES: Final = re.compile(r"[ \t]*")
_COMMENT_LINE: Final = re.compile(r"( *)#")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A field of a mapping or an item of a list, and the places of its parts in the text."""

    holder: Node
    key: Node | None
    node: Node
    start: int
    """Where its key or its dash starts; its value in a list in brackets."""
    indent: int
    """The column of its start, from 0."""
    behind: int
    """The position after its colon or dash; after its key if it has no colon."""
    slot: int
    """The position after its anchor, where a value on the same line begins."""
    content: int
    """Where its value starts, which may be on a later line; the end of an empty value."""


class _Page:
    """A text with the positions of everything in it. Methods named after edits return the cuts to make."""

    def __init__(self, text: str, file: str) -> None:
        read = _read(text, file)
        self.text, self.file = text, file
        self.root = read.root or Node(None, 1, 1, len(text), len(text))
        self._anchors = read.anchors
        self._aliases = {(alias.start, alias.end) for anchor in read.anchors for alias in anchor.aliases}
        breaks = set(_BREAK.findall(text))
        self._lines = [int(text.startswith(_BYTE_ORDER_MARK)), *(each.end() for each in _BREAK.finditer(text))]
        self._newline = "\r\n" if "\r\n" in breaks else "\r" if breaks == {"\r"} else "\n"

    def data(self) -> Plain:
        """The data of the text; an empty mapping for an empty text."""
        return {} if self.root.value is None else self.root.plain()

    def edited(self, cuts: Iterable[_Cut]) -> "_Page":
        """Return the page with some pieces of the text replaced."""
        pieces, done = list[str](), 0
        for start, end, new in sorted(dict.fromkeys(cuts), key=lambda each: each[:2]):  # stable for insertions
            pieces += [self.text[done:start], new]
            done = max(done, end)
        text = "".join([*pieces, self.text[done:]])
        try:
            return _Page(text, self.file)
        except FileError as error:
            what = f"this edit would make the file unreadable ({error.what})"
            raise self.refused((), what, "edit the file by hand") from error

    def verified(self, page: "_Page", path: Path, wanted: Plain) -> str:
        """Return the text of an edited page if it has the expected data."""
        if not _same(page.data(), wanted):
            what = "this notation cannot be edited safely"
            raise self.refused(path, what, "edit the file by hand")
        return page.text

    def refused(self, path: Path, what: str, hint: str) -> FileError:
        """Return the error for an impossible edit."""
        return FileError.of(self.file, [self.root.mistake(path, what, hint)])

    # ------------------------------------------------------------ aliases and anchors

    def is_alias(self, node: Node) -> bool:
        """Whether a node is written as ``*name``."""
        return (node.start, node.end) in self._aliases

    def has_layout(self, node: Node) -> bool:
        """Whether a list has separate lines or comments, which rewriting would lose."""
        return not self.is_alias(node) and (not node.flow or "#" in self.text[node.start : node.end])

    def loosened(self, touched: Sequence[tuple[Path, _Part]]) -> "_Page":
        """Return a page with the same data in which no alias shares the part that an edit touches."""
        page = self
        while page._anchors and (cuts := page._loosening(touched)):
            page = page.edited(cuts)
        return page

    def _loosening(self, touched: Sequence[tuple[Path, _Part]]) -> list[_Cut]:
        """Return cuts that separate aliases from the touched part; none if nothing is shared. More may be needed."""
        for path, part in touched:
            way = [node for count in range(len(path) + 1) if (node := self.root.find(path[:count])) is not None]
            for node in way if part == "inside" else way[:-1]:
                if self.is_alias(node):
                    return [(node.start, node.end, inline(node.plain()))]
            changed = {id(node) for node in (way if part in ("inside", "value") else way[:-1])}
            start, end = self._touched(path, part)
            cuts: list[_Cut] = []
            for anchor in self._anchors:
                heir = next((alias for alias in anchor.aliases if not start <= alias.start < end), None)
                shared = id(anchor.node) in changed
                if heir is not None and (shared or start <= anchor.node.start < end):
                    cuts.append((heir.start, heir.end, f"&{anchor.name} {inline(anchor.node.plain())}"))
                    if shared or part == "key":  # otherwise the edit replaces it as well
                        cuts.append(self._without_anchor(anchor))
            if cuts:
                return cuts
        return []

    def _touched(self, path: Path, part: _Part) -> tuple[int, int]:
        """The range of the text that an edit replaces."""
        if part == "inside":
            return (0, 0)
        entry = self._entry(path)
        if part == "value" or entry.key is None:
            return entry.node.start, entry.node.end
        return entry.key.start, entry.key.end if part == "key" else entry.node.end

    def _without_anchor(self, anchor: _Anchor) -> _Cut:
        start = self.text.index(f"&{anchor.name}", anchor.node.start)
        end = start + 1 + len(anchor.name)
        rest = _skip(_SPACES, self.text, end)
        if rest == self._line_stop(rest) or self.text[rest] in "#,]}":
            return (len(self.text[:start].rstrip(" \t")), end, "")
        return (start, rest, "")

    # ------------------------------------------------------------ the edits

    def replacing(self, path: Path, value: Plain, levels: int) -> list[_Cut]:
        """Set the value of an entry."""
        entry = self._entry(path)
        node, slot = entry.node, entry.slot
        below = self._line_start(entry.content) > slot
        if not entry.holder.flow:
            indent = entry.indent + (2 if entry.key is None else self._step())
            column = entry.indent + len(str(path[-1])) + 2
            head, lines = _spread(value, indent, levels, self._step(), column)
            if lines:
                return self._spreading(entry, head, lines, below)
        written, quote = inline(value), self.text[entry.content : entry.content + 1]
        if entry.content == node.end:  # empty
            colon = ":" if entry.key is not None and entry.behind == entry.key.end else ""
            return [(slot, slot, f"{colon} {written}")]
        if isinstance(value, str) and quote in ("'", '"'):
            written = _text(value, quote)
        if node.flow or not below:
            return [(entry.content, node.end, written)]
        # A block below its key, whose line may have a comment.
        return [(slot, slot, f" {written}"), (self._line_stop(slot), self._line_stop(node.end), "")]

    def _spreading(self, entry: _Entry, head: str, lines: Sequence[str], below: bool) -> list[_Cut]:
        """Set a multi-line value for an entry of a block."""
        slot, end, stop = entry.slot, entry.node.end, self._line_stop(entry.node.end)
        if entry.key is None and not head and not below and slot == entry.behind:  # a mapping after a dash
            return [(slot, end, f" {self._newline.join(lines).lstrip(' ')}")]
        head = f" {head}" if head else ""
        new = "".join(f"{self._newline}{line}" for line in lines) + (self._newline if stop == len(self.text) else "")
        if below:
            return [(slot, slot, head), (self._line_stop(slot), stop, new)]
        return [(slot, end, head), (stop, stop, new)]

    def renaming(self, path: Path, name: str) -> _Cut:
        """Rename the key of a field."""
        key = (self.root.find(path[:-1]) or self.root).keys[str(path[-1])]
        start = _content(self.text, key)
        quote = self.text[start]
        return (start, key.end, _text(name, quote) if quote in ("'", '"') else _key_text(name))

    def inserting(self, path: Path, value: Plain, layout: Layout) -> list[_Cut]:
        """A new field in a mapping."""
        key, holder = str(path[-1]), self.root.find(path[:-1]) or self.root
        if not holder.value:
            return self._filling(path, value, layout)
        after = _predecessor(key, list(holder.value), layout.order(path))
        if holder.flow:
            return [self._into_flow(holder, after, f"{_key_text(key)}: {inline(value)}")]
        first = self._entry((*path[:-1], next(iter(holder.value))))
        lines = list(block(key, value, first.indent, layout.levels(path), self._step()))
        if after is not None:
            return self._lines_below(holder.value[after], first.indent, lines)
        if path[:-1] and (slot := self._entry(path[:-1]).slot) < self._line_start(first.start):
            where = self._line_end(slot)  # above the comments of the former first field
            return [(where, where, "".join(f"{line}{self._newline}" for line in lines))]
        return [(first.start, first.start, self._newline.join([*lines, " " * first.indent]).lstrip(" "))]

    def _filling(self, path: Path, value: Plain, layout: Layout) -> list[_Cut]:
        """The first field of an empty mapping."""
        if path[:-1]:
            return self.replacing(path[:-1], {str(path[-1]): value}, layout.levels(path[:-1]))
        lines = list(block(str(path[-1]), value, 0, layout.levels(path)))
        start, end = _content(self.text, self.root), self.root.end
        if start < end:
            return [(start, end, self._newline.join(lines))]
        end = len(self.text)
        new = "".join(f"{line}{self._newline}" for line in lines)
        return [(end, end, new if self._line_start(end) == end else self._newline + new)]

    def appending(self, path: Path, item: Plain) -> list[_Cut]:
        """A new item of a list."""
        holder = self.root.find(path) or self.root
        if not holder.value:
            start = _content(self.text, holder) + 1
            return [(start, start, inline(item))]
        if holder.flow:
            return [self._into_flow(holder, len(holder.value) - 1, inline(item))]
        indent = self._entry((*path, 0)).indent
        head, lines = _spread(item, indent + 2, 0, self._step(), indent + 2)
        first = head or lines.pop(0).lstrip(" ")
        return self._lines_below(holder.value[-1], indent, [f"{' ' * indent}- {first}", *lines])

    def cutting(self, path: Path) -> list[_Cut]:
        """Remove a field or an item."""
        entry = self._entry(path)
        holder, node = entry.holder, entry.node
        steps = list(holder.value) if entry.key is not None else list(range(len(holder.value)))
        if holder.flow:
            place = steps.index(path[-1])
            return self._out_of_flow(entry, holder.value[steps[place - 1]] if place else None)
        line, end = self._line_start(entry.start), self._line_end(node.end)
        alone = not self.text[line : entry.start].strip(" ")
        if len(steps) > 1:
            # After a dash, the next field takes its place.
            return [(line, end, "")] if alone else [(entry.start, _skip(_SPACE, self.text, end), "")]
        empty = "{}" if entry.key is not None else "[]"
        if not path[:-1] or not alone:
            return [(entry.start, self._line_stop(node.end), empty)]
        slot = self._entry(path[:-1]).slot
        return [(slot, slot, f" {empty}"), (line, end, "")]

    def _into_flow(self, holder: Node, after: str | int | None, written: str) -> _Cut:
        """A new entry within brackets."""
        start = _content(self.text, holder)
        if self.text[start] not in "{[":  # a mapping without braces, as in [a: 1]
            return (start, holder.end, f"{{{self.text[start : holder.end]}, {written}}}")
        if after is None:
            first = next(iter(holder.keys.values())).start
            return (first, first, f"{written}, ")
        node = holder.value[after]
        return (node.end, node.end, f"{' ' if node.start == node.end else ''}, {written}")

    def _out_of_flow(self, entry: _Entry, before: Node | None) -> list[_Cut]:
        """Remove an entry within brackets together with one comma: the one after it, if there is one."""
        start, end = entry.start, entry.node.end
        if self.text[_content(self.text, entry.holder)] not in "{[":
            return [(entry.holder.start, entry.holder.end, "{}")]
        comma = _skip(_GAP, self.text, end)
        if self.text[comma] == ",":
            return [self._with_own_lines(start, comma + 1)]
        if before is None:
            return [self._with_own_lines(start, end)]
        if "#" not in self.text[before.end : start]:
            return [(before.end, end, "")]
        comma = _skip(_GAP, self.text, before.end)
        return [(comma, comma + 1, ""), self._with_own_lines(start, end)]

    def _with_own_lines(self, start: int, end: int) -> _Cut:
        """A piece within brackets; whole lines with their comment, if nothing else is on them."""
        line, rest = self._line_start(start), _skip(_SPACES, self.text, end)
        last = rest == self._line_stop(rest) or self.text[rest] == "#"
        if last and not self.text[line:start].strip(" \t"):
            return (line, self._line_end(end), "")
        return (len(self.text[:start].rstrip(" \t")), end, "") if last else (start, rest, "")

    def _lines_below(self, node: Node, indent: int, lines: Sequence[str]) -> list[_Cut]:
        """Insert lines below a value and below the more deeply indented comments that follow it."""
        where, new = self._line_end(node.end), "".join(f"{line}{self._newline}" for line in lines)
        while (comment := _COMMENT_LINE.match(self.text, where)) and len(comment[1]) > indent:
            where = self._line_end(where)
        if self._line_start(where) == where:
            return [(where, where, new)]
        # The last line has no line break. In a block scalar, the added one must not become part of the text.
        while not node.flow:
            node = node.value[-1] if isinstance(node.value, list) else next(reversed(node.value.values()))
        header = _BLOCK_SCALAR.match(self.text, _content(self.text, node))
        strip = [(*header.span(), header[0].replace("+", "").replace("-", "") + "-")] if header else []
        return [*strip, (where, where, self._newline + new)]

    # ------------------------------------------------------------ where things are

    def _entry(self, path: Path) -> _Entry:
        holder, node = self.root.find(path[:-1]), self.root.find(path)
        if not path or holder is None or node is None:
            raise self.refused(path, "there is no such field", "check its spelling")
        key, start = None, node.start
        if isinstance(path[-1], str):
            key = holder.keys[path[-1]]
            line = self._line_start(key.start)
            before = self.text[line : key.start].rstrip(" \t")
            start = line + len(before) - 1 if before.endswith("?") else key.start
            behind = _behind_colon(self.text, key)
        elif holder.flow:
            behind = start
        else:
            start = _skip(_GAP, self.text, holder.value[path[-1] - 1].end) if path[-1] else _content(self.text, holder)
            behind = start + 1  # the dash
        properties = _PROPERTIES.match(self.text, node.start, node.end)
        slot = properties.end() if properties else behind
        indent = start - self._line_start(start)
        return _Entry(holder, key, node, start, indent, behind, slot, _content(self.text, node))

    def _line_start(self, index: int) -> int:
        return self._lines[max(bisect_right(self._lines, index) - 1, 0)]

    def _line_stop(self, index: int) -> int:
        """The end of a line, excluding its line break."""
        found = _BREAK.search(self.text, index)
        return found.start() if found else len(self.text)

    def _line_end(self, index: int) -> int:
        """The end of a line, including its line break."""
        found = _BREAK.search(self.text, index)
        return found.end() if found else len(self.text)

    def _step(self) -> int:
        """The indentation of the file, from its first nested block mapping."""
        for node in self.root.value.values() if isinstance(self.root.value, dict) else ():
            if isinstance(node.value, dict) and not node.flow:
                outer, inner = (next(iter(each.keys.values())) for each in (self.root, node))
                return max(inner.column - outer.column, 1)
        return 2


def _predecessor(key: str, there: list[str], order: Sequence[str]) -> str | None:
    """The field after which a new one is inserted; None to insert it first."""
    if key not in order:
        return there[-1]
    before = set(order[: order.index(key)])
    return next((name for name in reversed(there) if name in before), None)
