"""YAML text as a tree with source positions, and edits that leave the rest of the text untouched.

Only the parser of libyaml is used, not its typing: texts, numbers, booleans, lists and mappings; no tags, no merging.
Edits splice the text instead of dumping the tree, so comments and layout are kept.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import yaml  # type: ignore[import-untyped]

from drycell.errors import FileError, Mistake

Path = tuple[str | int, ...]
Plain = Any  # None, bool, int, float, str, and lists and dicts of them

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the pure one is 25 times slower, and as right
_WORDS: Final = {"true": True, "false": False, "null": None, "~": None, "": None}
_NUMBER: Final = re.compile(r"[-+]?(\d{1,18}|\d+\.\d*([eE][-+]?\d+)?|\.\d+([eE][-+]?\d+)?|\d+[eE][-+]?\d+)\Z")
_BARE: Final = re.compile(r"[^\W\d][\w./ ()+*^%-]*(?<! )\Z|[-+]?\.?\d[\w./ ^%-]*(?<! )\Z")
_DEEPEST, _MOST = 60, 100_000


@dataclass(slots=True)
class Node:
    """A value with its line and column (from 1) and its range in the text; for a mapping also the nodes of its keys."""

    value: Any
    line: int
    column: int
    start: int
    end: int
    flow: bool = True
    keys: dict[str, "Node"] = field(default_factory=dict)

    def plain(self) -> Plain:
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        return [node.plain() for node in self.value] if isinstance(self.value, list) else self.value

    def find(self, path: Path) -> "Node | None":
        """The node at a path, or None."""
        node: Node | None = self
        for step in path:
            inside = node.value if node is not None else None
            items = inside if isinstance(inside, dict) else dict(enumerate(inside if isinstance(inside, list) else ()))
            node = items.get(step)
        return node

    def place(self, path: Path, *, key: bool = False) -> "Node":
        """The node nearest to a path: the value, or its key if `key` is set or the value is empty."""
        last = max(n for n in range(len(path) + 1) if self.find(path[:n]) is not None)
        found, holder = self.find(path[:last]), self.find(path[: max(last - 1, 0)])
        if found is None or holder is None or not last or (last == len(path) and not key and found.value is not None):
            return found or self
        return holder.keys.get(str(path[last - 1]), found)


def parse(text: str, file: str) -> Node:
    """Parse a text. Raises FileError with line and column."""

    def wrong(what: str, mark: Any, hint: str | None = None) -> FileError:
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        return FileError.of(file, [Mistake(what, "", line, column, hint)])

    root, stack, waiting, count = Node({}, 1, 1, 0, 0), list[Node](), list[Node | None](), 0
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            mark, name = event.start_mark, type(event).__name__
            if name == "AliasEvent" or getattr(event, "tag", None) not in (None, "!"):
                raise wrong("aliases and tags are not read", mark, "write the values out")
            if name.endswith("StartEvent") and name[0] in "MS" and name != "StreamStartEvent":
                node = Node({} if name[0] == "M" else [], mark.line + 1, mark.column + 1, mark.index, mark.index)
                node.flow = bool(event.flow_style)
            elif name == "ScalarEvent":
                node = Node(_scalar(event), mark.line + 1, mark.column + 1, mark.index, event.end_mark.index)
                node.end = node.start + len(text[node.start : node.end].rstrip())
            elif name in ("MappingEndEvent", "SequenceEndEvent"):
                done = stack.pop()
                waiting.pop()
                inner = list(done.value.values()) if isinstance(done.value, dict) else done.value
                keys = list(done.keys.values())
                # libyaml ends a block where the next token is; what is written ends with its last item.
                done.end = event.end_mark.index if done.flow else max(node.end for node in (*inner[-1:], *keys[-1:]))
                continue
            else:
                continue
            count += 1
            if count > _MOST or len(stack) > _DEEPEST:
                raise wrong("this is too large or too deep for a cell file", mark)
            if not stack:
                root = node
            elif isinstance(stack[-1].value, list):
                stack[-1].value.append(node)
            elif waiting[-1] is None:
                key = str(node.value)
                if key in stack[-1].keys:
                    raise wrong(f"{key!r} is there twice, first in line {stack[-1].keys[key].line}", mark, "keep one")
                waiting[-1], stack[-1].keys[key] = node, node
                continue
            else:
                stack[-1].value[str(waiting[-1].value)], waiting[-1] = node, None
            if name != "ScalarEvent":
                stack.append(node)
                waiting.append(None)
    except yaml.MarkedYAMLError as error:
        hint = "look at indents, colons and brackets; put texts with ':' or '#' in quotes"
        raise wrong(f"this is not YAML: {error.problem}", error.problem_mark, hint) from error
    except yaml.reader.ReaderError as error:
        before = text.encode()[: error.position].decode(errors="ignore")
        mark = yaml.Mark(file, 0, before.count("\n"), len(before) - before.rfind("\n") - 1, None, None)
        raise wrong("this is not YAML: a control character", mark, "remove it") from error
    return root


def _scalar(event: Any) -> Plain:
    text = event.value
    if not event.implicit[0]:  # quoted
        return text
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _NUMBER.match(text):
        return int(text) if text.lstrip("+-").isdigit() else float(text) if math.isfinite(float(text)) else text
    return text


# ---------------------------------------------------------------- writing


def inline(value: Plain) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{inline(key)}: {inline(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(inline, value)) + "]"
    if isinstance(value, str):
        bare = _BARE.match(value) and value.lower() not in _WORDS and not _NUMBER.match(value)
        return value if bare else json.dumps(value, ensure_ascii=False)
    return json.dumps(value)


def block(key: str, value: Plain, indent: int, levels: int) -> Iterator[str]:
    """A field as lines; the outer `levels` mappings are written as blocks."""
    if isinstance(value, dict) and value and (levels > 0 or len(inline(value)) > 100):
        yield f"{' ' * indent}{inline(key)}:"
        for name, item in value.items():
            yield from block(name, item, indent + 2, levels - 1)
    else:
        yield f"{' ' * indent}{inline(key)}: {inline(value)}"


# ---------------------------------------------------------------- editing


def put(text: str, file: str, path: Path, value: Plain) -> str:
    """The text with a field set: replaced in place, appended to its mapping, or removed if the value is None."""
    if value is None:
        return cut(text, file, path)
    root = parse(text, file) if text.strip() else Node({}, 1, 1, 0, 0, flow=False)
    node, holder = root.find(path), root.find(path[:-1])
    if node is not None and node.value is not None and node.flow:
        return text[: node.start] + inline(value) + text[node.end :]
    if node is not None and holder is not None:  # empty, or on lines of its own
        colon = text.index(":", holder.keys[str(path[-1])].end) + 1
        return text[:colon] + " " + inline(value) + text[max(node.end, colon) :]
    if holder is None or not isinstance(holder.value, dict) or (path[:-1] and not holder.value):
        return put(text, file, path[:-1], {str(path[-1]): value})
    if holder.flow and holder.value:
        return text[: holder.end - 1] + f", {inline(str(path[-1]))}: {inline(value)}" + text[holder.end - 1 :]
    indent = next((key.column - 1 for key in holder.keys.values()), 0)
    lines = "\n".join(block(str(path[-1]), value, indent, 3 - len(path)))
    end = text.find("\n", holder.end)
    before, after = (text, "") if end < 0 else (text[: end + 1], text[end + 1 :])
    return (before if not before or before.endswith("\n") else before + "\n") + lines + "\n" + after


def cut(text: str, file: str, path: Path) -> str:
    """The text with a field removed."""
    root = parse(text, file)
    holder, node = root.find(path[:-1]), root.find(path)
    if holder is None or node is None:
        return text
    keys = list(holder.keys)
    place, key = keys.index(str(path[-1])), holder.keys[str(path[-1])]
    if len(keys) == 1:
        return put(text, file, path[:-1], {}) if path[:-1] else ""
    if holder.flow and place + 1 < len(keys):
        return text[: key.start] + text[holder.keys[keys[place + 1]].start :]
    if holder.flow:
        return text[: holder.value[keys[place - 1]].end] + text[node.end :]
    start, end = text.rfind("\n", 0, key.start) + 1, text.find("\n", max(node.end, key.end))
    return text[:start] + (text[end + 1 :] if end >= 0 else "")
