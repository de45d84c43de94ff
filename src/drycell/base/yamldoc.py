"""YAML text as a tree with source positions, and edits that leave the rest of the text untouched.

Only libyaml's parser is used, not its typing: texts, numbers, booleans, lists and mappings are read. Tags and merging
are refused, and size, depth and the growth by aliases are bounded, so the worst a text can do is to be wrong.

An edit splices the text instead of dumping the tree, so comments, blank lines, quotes and layout stay as they were. It
changes the data at its own path and nowhere else, and verifies that by reading the result: an edit that would do
anything else raises. Aliases do not get in the way: an edit below an alias first writes the alias out as a copy, and an
edit of something that has aliases first moves the old value, with its anchor, to the first of them.
"""

import json
import math
import pathlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from drycell.errors import FileError, Mistake, did_you_mean

MOST_BYTES: Final = 1_000_000
MOST_NODES: Final = 100_000  # with every alias counted as what it stands for
MOST_DEPTH: Final = 60

Path = tuple[str | int, ...]
Plain = Any  # None, bool, int, float, str, and lists and dicts of them

# A subset of the numbers of YAML 1.2: no octal, hexadecimal or underscores, so that what looks odd stays a text.
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,18}\Z")
_FLOAT: Final = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?\Z")
_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None),
}
# The characters YAML does not allow in a text. libyaml gives their place in bytes, and fails on half a surrogate pair.
_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BYTE_ORDER_MARK: Final = "\ufeff"


# ---------------------------------------------------------------- the tree


@dataclass(slots=True, eq=False)
class Node:
    """A value, where it starts (line and column, from 1) and its range in the text.

    A mapping also has the nodes of its keys. ``flow`` is false for what is written on lines of its own, as a block.
    The node of an alias has the place of the alias; what is below it has the place where it was written.
    """

    value: Any
    line: int
    column: int
    start: int
    end: int
    flow: bool = True
    keys: dict[str, "Node"] = field(default_factory=dict)

    def plain(self) -> Plain:
        """The data without places."""
        top: list[Plain] = [None]
        todo: list[tuple[Node, Any, Any]] = [(self, top, 0)]
        while todo:
            node, holder, step = todo.pop()
            if isinstance(node.value, dict):
                # Filled in advance, because the order of the keys is the file's and the work is done from the end.
                holder[step] = made = dict.fromkeys(node.value)
                todo.extend((inner, made, key) for key, inner in node.value.items())
            elif isinstance(node.value, list):
                holder[step] = items = [None] * len(node.value)
                todo.extend((inner, items, index) for index, inner in enumerate(node.value))
            else:
                holder[step] = node.value
        return top[0]

    def child(self, step: str | int) -> "Node | None":
        """The node of a field or an item; None if there is none."""
        if isinstance(self.value, dict):
            found: Node | None = self.value.get(step) if isinstance(step, str) else None
            return found
        if isinstance(self.value, list) and isinstance(step, int) and 0 <= step < len(self.value):
            item: Node = self.value[step]
            return item
        return None

    def find(self, path: Path) -> "Node | None":
        """The node at a path; None if there is none."""
        node: Node | None = self
        for step in path:
            if node is None:
                return None
            node = node.child(step)
        return node

    def place(self, path: Path, *, key: bool = False) -> "Node":
        """The node to point at for a path, as far down as something is written.

        This is the value, or its key if ``key`` is set or the value is empty: nothing is written for an empty value.
        """
        node, name = self, self
        for step in path:
            inner = node.child(step)
            if inner is None:
                return name
            name = node.keys[step] if isinstance(step, str) else inner
            node = inner
        return name if key or node.value is None else node


def field_name(path: Path) -> str:
    """A path as people write it: ``bodies.table.at[0]``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


# ---------------------------------------------------------------- reading


def read_text(path: pathlib.Path) -> str:
    """The text of a file, which must be UTF-8. Raises FileError if there is none or it cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(4 * MOST_BYTES + 1)  # what is longer is too long in any case
    except FileNotFoundError:
        there = [each.name for each in path.parent.glob(f"*{path.suffix}")] if path.parent.is_dir() else []
        raise FileError(f"there is no file {str(path)!r}", hint=did_you_mean(path.name, there)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(f"{str(path)!r} cannot be read: {reason}", hint="check its name and rights") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        mistake = Mistake("this is not UTF-8 text", line=line, hint="save the file as UTF-8")
        raise FileError.of(str(path), [mistake]) from error


def parse(text: str, file: str) -> Node:
    """The tree of a YAML text. Raises FileError with line and column; ``file`` is the name to report."""
    root = _read(text, file).root
    if root is None or root.value is None:
        raise _wrong(file, "the file is empty", hint="write at least 'name: …'")
    return root


class _Mark(Protocol):
    line: int
    column: int
    index: int


class _Event(Protocol):
    """An event of the parser; which of these it has depends on its class."""

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
        raise _wrong(file, f"the file has {len(text)} characters, at most {MOST_BYTES} are read")
    if (found := _FORBIDDEN.search(text)) is not None:
        before = text[: found.start()]
        place = (before.count("\n") + 1, found.start() - before.rfind("\n"))
        raise _wrong(file, "this is not YAML: a control character", place, "take it out")
    builder = _Builder(text, file)
    for event in _events(text.removeprefix(_BYTE_ORDER_MARK), file):
        builder.take(event)
    return builder


def _events(text: str, file: str) -> Iterator[_Event]:
    import yaml  # type: ignore[import-untyped]  # 13 ms, which programs that read no file need not wait for

    try:
        # PyYAML without libyaml has only its own parser: 25 times slower, with the same events.
        yield from yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark is not None else None
        what = " ".join(part for part in (error.context, error.problem) if part)
        hint = "look at indents, colons and brackets; put texts with ':' or '#' in quotes"
        raise _wrong(file, f"this is not YAML: {what}", place, hint) from error
    except Exception as error:
        # PyYAML's own parser fails in other ways on some texts; to the author that is the same mistake.
        raise _wrong(file, f"this is not YAML: {error}", hint="keep to plain text") from error


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
        self._offset = len(text) - len(text.removeprefix(_BYTE_ORDER_MARK))

    def take(self, event: _Event) -> None:
        """Takes the next event."""
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
                raise _wrong(self.file, "there is a second document", place, "keep one to a file, without '---'")

    def _node(self, event: _Event, value: object) -> Node:
        start, end = event.start_mark, event.end_mark
        return Node(value, start.line + 1, start.column + 1, start.index + self._offset, end.index + self._offset)

    def _scalar(self, event: _Event) -> None:
        node = self._node(event, _typed(event.value) if event.implicit[0] else event.value)
        self._no_tag(event, node)
        if event.style in ("|", ">"):
            node.end = self._end_of_block_scalar(node)
        anchor = None if event.anchor is None else _Anchor(event.anchor, node)
        if self._wants_key():
            self._key(node)
        else:
            self._put(node, 0)
        if anchor is not None:
            self._remember(anchor)

    def _open(self, event: _Event, value: object) -> None:
        node = self._node(event, value)
        self._no_tag(event, node)
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
            # libyaml ends a block at the next token, which may be many comments later.
            node.end = (node.value[-1] if isinstance(node.value, list) else next(reversed(node.value.values()))).end
        self._put(node, done.height)
        if done.anchor is not None:
            self._remember(_Anchor(done.anchor, node, self._count - done.count, done.height))

    def _alias(self, event: _Event) -> None:
        node = self._node(event, None)
        known = self._known.get(str(event.anchor))
        if known is None:
            raise _wrong(self.file, f"'*{event.anchor}' stands for nothing yet", node, f"write '&{event.anchor}' first")
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
            key = str(key)  # the number of an input, for example
        if not isinstance(key, str):
            shown = "a list or mapping" if isinstance(key, list | dict) else "empty" if key is None else repr(key)
            raise _wrong(self.file, f"a field's name must be a text, but this is {shown}", node, "put it in quotes")
        if key == "<<":
            raise _wrong(self.file, "'<<' (merging) is not read", node, "write the fields out")
        if key in holder.node.keys:
            what = f"{key!r} is there twice, first in line {holder.node.keys[key].line}"
            raise _wrong(self.file, what, node, "keep one of them")
        holder.key = holder.node.keys[key] = Node(key, node.line, node.column, node.start, node.end)

    def _put(self, node: Node, height: int) -> None:
        self._count += 1
        if self._count > MOST_NODES:
            raise _wrong(self.file, f"there are more than {MOST_NODES} values in it, aliases counted in full", node)
        if not self._stack:
            self.root = node
            return
        holder = self._stack[-1]
        holder.height = max(holder.height, height + 1)
        if holder.key is None:
            holder.node.value.append(node)
            return
        if node.start == node.end:
            # libyaml puts an empty value anywhere up to the next token; here it is right behind its colon.
            node.start = node.end = _colon(self.text, holder.key)[1]
        holder.node.value[holder.key.value], holder.key = node, None

    def _end_of_block_scalar(self, node: Node) -> int:
        """The end of its last line; blank lines below belong to it only if its first line says so with '+'."""
        written = self.text[node.start : node.end]
        if "+" in re.split(r"[\s#]", written, maxsplit=1)[0]:
            return node.end - len(written) + len(re.sub(r"(\r\n|[\n\r\x85\u2028\u2029])\Z", "", written))
        return node.start + len(written.rstrip())

    def _check_depth(self, depth: int, node: Node) -> None:
        if depth > MOST_DEPTH:
            raise _wrong(self.file, f"nested {depth} deep, at most {MOST_DEPTH} are read", node)

    def _no_tag(self, event: _Event, node: Node) -> None:
        if event.tag not in (None, "!"):
            hint = "such files are plain data: leave it out"
            raise _wrong(self.file, f"the tag {str(event.tag)!r} is not read", node, hint)


def _typed(text: str) -> bool | int | float | str | None:
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

_LINE: Final = 100  # characters; a mapping that is longer goes on lines of its own
# Texts that need no quotes anywhere, not even in brackets, and do not look like a number in any YAML.
_BARE: Final = re.compile(r"(?!0[xo])(?:[^\W\d]|[-+]?\.?\d)[\w./ ()+*^%-]*(?<! )\Z")
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def inline(value: Plain) -> str:
    """A value on one line: ``{shape: {box: [40 mm, 40 mm, 30 mm]}, at: [0 mm, 0 mm]}``."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key_text(key)}: {inline(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(inline, value)) + "]"
    if isinstance(value, str):
        return _text(value)
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)


def block(key: str, value: Plain, indent: int, levels: int, step: int = 2) -> Iterator[str]:
    """A field as lines. The outer ``levels`` mappings have their fields on lines of their own, and so do long ones."""
    start = f"{' ' * indent}{_key_text(key)}:"
    if _is_open(value, levels, len(start) + 1):
        yield start
        for name, item in value.items():
            yield from block(name, item, indent + step, levels - 1, step)
    else:
        yield f"{start} {inline(value)}"


def _is_open(value: Plain, levels: int, column: int) -> bool:
    return isinstance(value, dict) and bool(value) and (levels > 0 or column + len(inline(value)) > _LINE)


def _key_text(key: str) -> str:
    return key if _INTEGER.match(key) and str(int(key)) == key else _text(key)


def _text(text: str, quote: str = "") -> str:
    """A text as YAML: bare if it can be, unless a quote is given."""
    if not quote and _BARE.match(text) and text not in _WORDS and isinstance(_typed(text), str):
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
    """How new fields are written. Both functions are given the path of the field."""

    order: Callable[[Path], Sequence[str]] = lambda path: ()
    """The order of the fields beside it. It goes behind those that come before it, and to the end if it is not named."""

    levels: Callable[[Path], int] = lambda path: 3 - len(path)
    """How many levels of mappings have their fields on lines of their own; sections and their entries by default."""


_DEFAULT: Final = Layout()


def put(text: str, file: str, path: Path, value: Plain, layout: Layout = _DEFAULT) -> str:
    """The text with a value at a path: replaced, or added to its mapping. Missing mappings on the way are made.

    A mapping in place of a mapping is edited field by field, so that the comments of what stays are kept.
    """
    value, wanted = _writable(value, file, path), _data(text, file)
    _set(wanted, path, value, file)
    return _verified(_put(text, file, path, value, layout), file, path, wanted)


def cut(text: str, file: str, path: Path) -> str:
    """The text without a field or an item. What gets empty becomes ``{}`` or ``[]``; comments above it stay."""
    wanted = _data(text, file)
    del _holder(wanted, path, file)[path[-1]]
    return _verified(_cut(text, file, path), file, path, wanted)


def append(text: str, file: str, path: Path, item: Plain, layout: Layout = _DEFAULT) -> str:
    """The text with an item at the end of a list, which is made if there is none."""
    item, wanted = _writable(item, file, path), _data(text, file)
    page = _Page(text, file)
    node = page.root.find(path)
    if node is None or node.value is None:
        return put(text, file, path, [item], layout)
    if not isinstance(node.value, list):
        what = f"an item can only be added to a list, but this is {inline(node.plain())[:60]}"
        raise _refused(file, path, what, "write it as a list first", node)
    _get(wanted, path).append(item)
    page = page.loosened([(path, "inside")])
    return _verified(page.spliced(page.appending(path, item, layout.levels(path))), file, path, wanted)


def rename(text: str, file: str, keys: Iterable[tuple[Path, str]]) -> str:
    """The text with other keys. Paths are those before the edit, so that keys can be exchanged."""
    changes, wanted = list(keys), _data(text, file)
    if not changes:
        return text
    page = _Page(text, file)
    renamed: dict[Path, dict[str, str]] = {}
    for path, key in changes:
        holder = _holder(wanted, path, file)
        if not isinstance(holder, dict):
            raise _refused(file, path, "an item of a list has no name", "rename a field", page.root.place(path))
        renamed.setdefault(path[:-1], {})[str(path[-1])] = key
    # The deepest first: a path that leads through another key must be looked up under its old name.
    for place, names in sorted(renamed.items(), key=lambda each: -len(each[0])):
        holder = _get(wanted, place)
        items = [(names.get(name, name), value) for name, value in holder.items()]
        if len(dict(items)) < len(items):
            twice = next(name for name in names.values() if [key for key, _ in items].count(name) > 1)
            what = f"there is already a field {twice!r}"
            raise _refused(file, place, what, "take another name", page.root.place(place))
        holder.clear()
        holder.update(items)
    page = page.loosened([(path, "key") for path, _ in changes])
    return _verified(page.spliced([page.renaming(path, key) for path, key in changes]), file, changes[0][0], wanted)


def substitute(text: str, file: str, values: Iterable[tuple[Path, Plain]]) -> str:
    """The text with other values at several paths, all of which exist and none of which is below another."""
    changes = [(path, _writable(value, file, path)) for path, value in values]
    if not changes:
        return text
    wanted = _data(text, file)
    for path, value in changes:
        _holder(wanted, path, file)[path[-1]] = value
    page = _Page(text, file).loosened([(path, "value") for path, _ in changes])
    cuts = [each for path, value in changes for each in page.replacing(path, value, 0)]
    return _verified(page.spliced(cuts), file, changes[0][0], wanted)


_Cut = tuple[int, int, str]  # from, to, and the text to put there instead
_Part = Literal["value", "key", "entry", "inside"]  # what of a path an edit touches

_GAP: Final = re.compile(r"(?:\s|#[^\r\n\x85\u2028\u2029]*)*")
_BREAK: Final = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")
_PROPERTIES: Final = re.compile(r"[&!][^\s,\[\]{}]*(?:\s+[&!][^\s,\[\]{}]*)*")
_SPACES: Final = re.compile(r"[ \t]*")
_INDENT_AND_COMMENT: Final = re.compile(r"( *)#")


def _put(text: str, file: str, path: Path, value: Plain, layout: Layout) -> str:
    page = _Page(text, file)
    before = page.root.find(path)
    if before is not None and _same(before.plain(), value):
        return text
    if before is None:
        while len(path) > 1 and page.root.find(path[:-1]) is None:
            path, value = path[:-1], {path[-1]: value}
        page = page.loosened([(path[:-1], "inside")])
        return page.spliced(page.inserting(path, value, layout))
    both = isinstance(before.value, dict) and isinstance(value, dict) and before.value and value
    if both and not page.is_alias(before):
        for name in [name for name in before.value if name not in value]:
            text = _cut(text, file, (*path, name))
        for name, item in value.items():
            text = _put(text, file, (*path, name), item, layout)
        return text
    page = page.loosened([(path, "value")])
    return page.spliced(page.replacing(path, value, layout.levels(path)))


def _cut(text: str, file: str, path: Path) -> str:
    page = _Page(text, file).loosened([(path, "entry")])
    return page.spliced(page.cutting(path))


class _Page:
    """A text and where everything in it is; knows the cuts that each edit takes."""

    def __init__(self, text: str, file: str) -> None:
        read = _read(text, file)
        self.text, self.file = text, file
        self.root = read.root or Node(None, 1, 1, len(text), len(text))
        self.anchors = read.anchors
        self._aliases = {(alias.start, alias.end) for anchor in read.anchors for alias in anchor.aliases}
        ends = set(_BREAK.findall(text))
        self.newline = "\r\n" if "\r\n" in ends else "\r" if ends == {"\r"} else "\n"
        self.step = self._step()

    def spliced(self, cuts: Iterable[_Cut]) -> str:
        """The text with some pieces exchanged."""
        pieces, done = [], 0
        for start, end, new in sorted(set(cuts)):
            pieces += [self.text[done:start], new]
            done = max(done, end)
        return "".join([*pieces, self.text[done:]])

    def is_alias(self, node: Node) -> bool:
        """Whether a node is written as ``*name``."""
        return (node.start, node.end) in self._aliases

    # ------------------------------------------------------------ aliases and anchors

    def loosened(self, touched: Sequence[tuple[Path, _Part]]) -> "_Page":
        """The page with the same data in which no alias shares what an edit touches."""
        page = self
        while (cuts := page._loosening(touched)) is not None:
            page = _Page(page.spliced(cuts), page.file)
        return page

    def _loosening(self, touched: Sequence[tuple[Path, _Part]]) -> list[_Cut] | None:
        for path, part in touched if self.anchors else ():
            chain = [node for count in range(len(path) + 1) if (node := self.root.find(path[:count])) is not None]
            holders = chain if part == "inside" else chain[:-1]
            for node in holders:
                if self.is_alias(node):
                    return [(node.start, node.end, inline(node.plain()))]
            changed = chain if part in ("inside", "value") else chain[:-1]
            start, end = self._range(path, part)
            for anchor in self.anchors:
                inside = start <= anchor.node.start < end
                outside = [alias for alias in anchor.aliases if not start <= alias.start < end]
                if outside and (inside or any(anchor.node is node for node in changed)):
                    heir = outside[0]
                    moved = (heir.start, heir.end, f"&{anchor.name} {inline(anchor.node.plain())}")
                    gone = inside and part != "value"
                    return [moved] if gone else [moved, self._unanchoring(anchor)]
        return None

    def _range(self, path: Path, part: _Part) -> tuple[int, int]:
        node, holder = self.root.find(path), self.root.find(path[:-1])
        if part == "inside" or node is None or holder is None:
            return (0, 0)
        if part == "value" or not isinstance(holder.value, dict):
            return node.start, node.end
        key = holder.keys[str(path[-1])]
        return (key.start, key.end) if part == "key" else (key.start, node.end)

    def _unanchoring(self, anchor: _Anchor) -> _Cut:
        start = self.text.index(f"&{anchor.name}", anchor.node.start)
        end = start + 1 + len(anchor.name)
        spaces = self._skip_spaces(end)
        if self._is_line_end(spaces) or self.text[spaces] in "#,]}":
            return (len(self.text[:start].rstrip(" \t")), end, "")
        return (start, spaces, "")

    # ------------------------------------------------------------ the edits

    def inserting(self, path: Path, value: Plain, layout: Layout) -> list[_Cut]:
        """Adds a field to a mapping."""
        key, holder = str(path[-1]), self.root.find(path[:-1])
        if holder is None or not holder.value:
            return self._filling(path, value, layout)
        after = _predecessor(key, list(holder.value), layout.order(path))
        if holder.flow and not self._is_bracketed(holder):
            return [(holder.start, holder.end, inline({**holder.plain(), key: value}))]
        if holder.flow:
            return [self._into_flow(holder, after, f"{_key_text(key)}: {inline(value)}")]
        first = next(iter(holder.keys.values()))
        indent = first.column - 1
        lines = list(block(key, value, indent, layout.levels(path), self.step))
        if after is not None:
            return [self._lines_below(holder.value[after], indent, lines)]
        if path[:-1] and self._line_start(first.start) > (slot := self._slot(path[:-1])):
            where = self._line_end(slot)  # above the comments of what was the first
            return [(where, where, "".join(f"{line}{self.newline}" for line in lines))]
        return [(first.start, first.start, self.newline.join([*lines, " " * indent]).lstrip(" "))]

    def replacing(self, path: Path, value: Plain, levels: int) -> list[_Cut]:
        """Exchanges the value of a field or an item, which exists."""
        node, holder = self._found(path), self._found(path[:-1])
        slot = self._slot(path)
        start = self._content(node)
        written = self._like(start, value)
        if start == node.end:  # empty
            start, written = slot, f" {written}" if slot == self._behind(path) else f": {written}"
        if holder.flow:
            return [(start, node.end, written)]
        column = self._column(path)
        opened = _is_open(value, levels, column + len(str(path[-1])) + 2)
        below = self._line_start(start) > slot
        end = self._line_stop(node.end)
        if not opened and below and not node.flow:
            return [(slot, slot, f" {written}"), (self._line_stop(slot), end, "")]
        if not opened:
            return [(start, node.end, written)]
        indent = column + (self.step if isinstance(path[-1], str) else 2)
        lines = [line for name, item in value.items() for line in block(name, item, indent, levels - 1, self.step)]
        if isinstance(path[-1], int) and not below and slot == self._behind(path):
            return [(slot, node.end, f" {self.newline.join(lines).lstrip(' ')}")]
        new = "".join(f"{self.newline}{line}" for line in lines)
        if below:
            return [(self._line_stop(slot), end, new)]
        return [(slot, node.end, ""), (end, end, new)]

    def renaming(self, path: Path, name: str) -> _Cut:
        """Exchanges a key."""
        key = self._found(path[:-1]).keys[str(path[-1])]
        start = self._content(key)
        quote = self.text[start : start + 1]
        return (start, key.end, _text(name, quote) if quote in ("'", '"') else _key_text(name))

    def appending(self, path: Path, item: Plain, levels: int) -> list[_Cut]:
        """Adds an item to a list, which exists."""
        node = self._found(path)
        if not node.value:
            start = self._content(node) + 1
            return [(start, start, inline(item))]
        if node.flow:
            return [self._into_flow(node, len(node.value) - 1, inline(item))]
        indent = self._column((*path, 0))
        lines = [f"{' ' * indent}- {inline(item)}"]
        if _is_open(item, 0, indent + 2):
            lines = [line for key, value in item.items() for line in block(key, value, indent + 2, 0, self.step)]
            lines[0] = f"{' ' * indent}- {lines[0].lstrip(' ')}"
        return [self._lines_below(node.value[-1], indent, lines)]

    def cutting(self, path: Path) -> list[_Cut]:
        """Removes a field or an item."""
        holder, node = self._found(path[:-1]), self._found(path)
        steps = list(holder.value) if isinstance(holder.value, dict) else list(range(len(holder.value)))
        start = self._entry(path)
        if holder.flow and not self._is_bracketed(holder):
            return [(holder.start, holder.end, "{}")]
        if holder.flow:
            place = steps.index(path[-1])
            return self._out_of_flow(start, node, holder.value[steps[place - 1]] if place else None)
        line, end = self._line_start(start), self._line_end(node.end)
        alone = self._is_blank(line, start)
        if len(steps) == 1:
            empty = "{}" if isinstance(holder.value, dict) else "[]"
            if not path[:-1] or not alone:
                return [(start, node.end, empty)]
            slot = self._slot(path[:-1])
            return [(slot, slot, f" {empty}"), (line, end, "")]
        if alone:
            return [(line, end, "")]
        following = _GAP_WITHOUT_COMMENTS.match(self.text, end)
        return [(start, following.end() if following else end, "")]

    def _filling(self, path: Path, value: Plain, layout: Layout) -> list[_Cut]:
        """Adds the first field to an empty mapping."""
        if path[:-1]:
            return self.replacing(path[:-1], {str(path[-1]): value}, layout.levels(path[:-1]))
        lines = list(block(str(path[-1]), value, 0, layout.levels(path), self.step))
        if self.root.value is not None or self.root.start < self.root.end:
            return [(self._content(self.root), self.root.end, self.newline.join(lines))]
        end = len(self.text)
        start = self.newline if end and self._line_start(end) < end else ""
        return [(end, end, start + "".join(f"{line}{self.newline}" for line in lines))]

    # ------------------------------------------------------------ in brackets

    def _is_bracketed(self, node: Node) -> bool:
        """Whether a flow mapping has its braces; ``[a: 1]`` is a list of a mapping without them."""
        return self.text[self._content(node)] in "{["

    def _into_flow(self, holder: Node, after: str | int | None, written: str) -> _Cut:
        if after is None:
            start = next(iter(holder.keys.values())).start
            return (start, start, f"{written}, ")
        node = holder.value[after]
        return (node.end, node.end, f"{' ' if self._content(node) == node.end else ''}, {written}")

    def _out_of_flow(self, start: int, node: Node, before: Node | None) -> list[_Cut]:
        comma = self._skip_gap(node.end)
        if self.text[comma] == ",":
            return [self._with_own_lines(start, comma + 1)]
        if before is None:
            return [self._with_own_lines(start, node.end)]
        if "#" not in self.text[before.end : start]:
            return [(before.end, node.end, "")]
        comma = self._skip_gap(before.end)
        return [(comma, comma + 1, ""), self._with_own_lines(start, node.end)]

    def _with_own_lines(self, start: int, end: int) -> _Cut:
        """A piece within brackets, with its whole lines and the comment behind it if nothing else is on them."""
        line, rest = self._line_start(start), self._skip_spaces(end)
        ends = self._is_line_end(rest) or self.text[rest] == "#"
        if ends and self._is_blank(line, start):
            return (line, self._line_end(end), "")
        if ends:
            return (len(self.text[:start].rstrip(" \t")), end, "")
        return (start, rest, "")

    # ------------------------------------------------------------ where things are

    def _found(self, path: Path) -> Node:
        node = self.root.find(path)
        if node is None:
            raise _refused(self.file, path, "there is no such field", "look at its name", self.root.place(path))
        return node

    def _content(self, node: Node) -> int:
        """Where a value starts, behind its anchor."""
        properties = _PROPERTIES.match(self.text, node.start, node.end)
        return min(self._skip_gap(properties.end()), node.end) if properties else node.start

    def _behind(self, path: Path) -> int:
        """The place behind the colon or the dash of an entry, or behind a key that has no colon."""
        node, holder = self._found(path), self._found(path[:-1])
        if isinstance(holder.value, dict):
            return _colon(self.text, holder.keys[str(path[-1])])[1]
        return node.start if holder.flow else self._entry(path) + 1

    def _slot(self, path: Path) -> int:
        """The place on the first line of an entry where a value could be: behind its colon or dash, and its anchor."""
        node = self._found(path)
        properties = _PROPERTIES.match(self.text, node.start, node.end)
        return properties.end() if properties else self._behind(path)

    def _entry(self, path: Path) -> int:
        """Where an entry starts: its key, or its dash."""
        holder, step = self._found(path[:-1]), path[-1]
        if isinstance(step, str):
            start = holder.keys[step].start
            before = self.text[self._line_start(start) : start].rstrip()
            return start - len(self.text[:start]) + len(self.text[:start].rstrip()) - 1 if before[-1:] == "?" else start
        if holder.flow:
            start = holder.value[step].start
            return int(start)
        return self._skip_gap(holder.value[step - 1].end) if step else self._content(holder)

    def _column(self, path: Path) -> int:
        """How far an entry of a block is indented."""
        start = self._entry(path)
        return start - self._line_start(start)

    def _lines_below(self, node: Node, indent: int, lines: Sequence[str]) -> _Cut:
        """Lines below a value and the comments under it that are indented further than the lines."""
        where = self._line_end(node.end)
        while (comment := _INDENT_AND_COMMENT.match(self.text, where)) and len(comment[1]) > indent:
            where = self._line_end(where)
        if where and self._line_start(where) < where:  # the last line has no end
            return (where, where, "".join(f"{self.newline}{line}" for line in lines))
        return (where, where, "".join(f"{line}{self.newline}" for line in lines))

    def _line_start(self, index: int) -> int:
        start = max(self.text.rfind(each, 0, index) + 1 for each in "\n\r\x85\u2028\u2029")
        return max(start, 1) if self.text.startswith(_BYTE_ORDER_MARK) else start

    def _line_stop(self, index: int) -> int:
        """The end of a line, before its line break."""
        found = _BREAK.search(self.text, index)
        return found.start() if found else len(self.text)

    def _line_end(self, index: int) -> int:
        """The end of a line, behind its line break."""
        found = _BREAK.search(self.text, index)
        return found.end() if found else len(self.text)

    def _is_line_end(self, index: int) -> bool:
        return self._line_stop(index) == index

    def _is_blank(self, start: int, end: int) -> bool:
        return not self.text[start:end].strip(" \t")

    def _skip_spaces(self, index: int) -> int:
        found = _SPACES.match(self.text, index)
        return found.end() if found else index

    def _skip_gap(self, index: int) -> int:
        """The next place that is neither space nor comment."""
        return _skip_gap(self.text, index)

    def _like(self, start: int, value: Plain) -> str:
        """A value on one line; a text in the quotes of the one that starts here."""
        quote = self.text[start : start + 1]
        return _text(value, quote) if isinstance(value, str) and quote in ('"', "'") and quote else inline(value)

    def _step(self) -> int:
        """How far the file indents, as seen at its first block within another."""
        for node in self.root.value.values() if isinstance(self.root.value, dict) else ():
            if isinstance(node.value, dict) and not node.flow:
                outer, inner = (next(iter(each.keys.values())) for each in (self.root, node))
                return max(inner.column - outer.column, 1)
        return 2


_GAP_WITHOUT_COMMENTS: Final = re.compile(r"\s*")


def _skip_gap(text: str, index: int) -> int:
    found = _GAP.match(text, index)
    return found.end() if found else index


def _colon(text: str, key: Node) -> tuple[int, int]:
    """Where the colon of a key starts and ends; both are the end of the key if it has none."""
    colon = _skip_gap(text, key.end)
    return (colon, colon + 1) if text[colon : colon + 1] == ":" else (key.end, key.end)


def _predecessor(key: str, there: list[str], order: Sequence[str]) -> str | None:
    """The last of the fields that are there to come before a new one."""
    if key not in order:
        return there[-1]
    before = set(order[: order.index(key)])
    return next((name for name in reversed(there) if name in before), None)


# ---------------------------------------------------------------- the data an edit is to give


def _data(text: str, file: str) -> Plain:
    root = _read(text, file).root
    return {} if root is None or root.value is None else root.plain()


def _writable(value: object, file: str, path: Path, depth: int = 0) -> Plain:
    """A copy of a value that has only what YAML data has. Raises if that cannot be."""
    if depth > MOST_DEPTH:
        what = f"a value nested more than {MOST_DEPTH} deep cannot be written"
        raise _refused(file, path, what, "nest it less")
    if isinstance(value, Mapping):
        return {str(key): _writable(item, file, path, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_writable(item, file, path, depth + 1) for item in value]
    if isinstance(value, str):
        return str(value)
    if value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return float(value) if isinstance(value, float) else value
    raise _refused(file, path, f"{value!r} cannot be written to a file", "give a text, number, list or mapping")


def _get(data: Plain, path: Path) -> Plain:
    for step in path:
        data = data[step]
    return data


def _holder(data: Plain, path: Path, file: str) -> Any:
    """The mapping or list that has the last step of a path, which must exist."""
    for count, step in enumerate(path, 1):
        there = isinstance(data, dict) and step in data
        if not there and not (isinstance(data, list) and isinstance(step, int) and 0 <= step < len(data)):
            break
        if count == len(path):
            return data
        data = data[step]
    raise _refused(file, path, "there is no such field", "look at its name")


def _set(data: Plain, path: Path, value: Plain, file: str) -> None:
    for count, step in enumerate(path, 1):
        if isinstance(data, list) and isinstance(step, int) and 0 <= step < len(data):
            if count < len(path) and data[step] is None:
                data[step] = {}
        elif isinstance(data, dict) and isinstance(step, str):
            if count < len(path) and data.get(step) is None:
                data[step] = {}
        else:
            what = f"this is {inline(data)[:60]} and has no {'item' if isinstance(step, int) else 'field'} {step!r}"
            raise _refused(file, path[: count - 1], what, "look at its name")
        if count == len(path):
            data[step] = deepcopy(value)
        data = data[step]


def _same(one: Plain, other: Plain) -> bool:
    """Whether two values are equal, 1, 1.0 and true told apart."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _verified(text: str, file: str, path: Path, wanted: Plain) -> str:
    """The text, if it has the data that an edit was to give."""
    hint = "change the text by hand"
    try:
        root = parse(text, file)
    except FileError as error:
        raise _refused(file, path, f"this edit would make the file unreadable ({error.what})", hint) from error
    if not _same(root.plain(), wanted):
        raise _refused(file, path, "this is written in a way that cannot be edited safely", hint)
    return text


def _refused(file: str, path: Path, what: str, hint: str, node: Node | None = None) -> FileError:
    line, column = (None, None) if node is None else (node.line, node.column)
    return FileError.of(file, [Mistake(what, field_name(path), line, column, hint)])
