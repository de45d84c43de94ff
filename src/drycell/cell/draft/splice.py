"""Splices: changes to a YAML text that leave every sign outside the changed place as it was.

A text is composed into nodes that know where they begin and end; a change cuts and pastes there. Comments, blank lines,
order, quotes and the way numbers are written stay, because nothing else of the text is ever written anew.
"""

from dataclasses import dataclass
from typing import Any

from drycell.cell.draft.yamltext import block, flow, scalar
from drycell.datafile import FieldPath, Key
from drycell.errors import CellFileError

Cut = tuple[int, int, str]  # from, to, and what comes there instead


@dataclass(frozen=True, slots=True)
class _Found:
    """A field of a mapping or an item of a list: its key's node (None in a list), its value's, and its neighbours."""

    holder: Any
    index: int
    key: Any
    value: Any


class Splicer:
    """One text, and where everything in it stands."""

    def __init__(self, text: str) -> None:
        from ruamel.yaml import YAML

        self.text = text
        self.root: Any = YAML(typ="safe", pure=True).compose(text)
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.step = self._step()

    # ---------------------------------------------------------------- changes

    def replaced(self, path: FieldPath, value: object) -> str:
        """The text with another value in a field, which is there."""
        return self.cut([self.replacing(path, value)])

    def replacing(self, path: FieldPath, value: object) -> Cut:
        """The cut that puts another value into a field, which is there."""
        found = self._find(path)
        if self._is_empty(found.value):
            end = found.key.end_mark.index
            end += self.text[end : found.value.start_mark.index + 1].find(":") + 1
            return (end, end, f" {flow(value)}")
        start, end = found.value.start_mark.index, self._end(found.value)
        if not self._is_flow(found.value) and found.key is not None:
            start = self.text.index(":", found.key.end_mark.index) + 1  # what stood on lines of its own is put on one
            return (start, end, f" {flow(value)}")
        quotes = isinstance(value, str) and value.isprintable() and not set(value) & {"\\", '"'}
        if quotes and self.text[start] == '"':  # as it was
            return (start, end, f'"{value}"')
        return (start, end, flow(value))

    def renaming(self, path: FieldPath, key: str) -> Cut:
        """The cut that gives a field another name."""
        found = self._find(path)
        return (found.key.start_mark.index, found.key.end_mark.index, scalar(key))

    def inserted(self, path: FieldPath, value: object, after: Key | None = None, levels: int = 0) -> str:
        """The text with a new field, behind the field ``after`` of the same mapping, or as its first.

        So many ``levels`` of it get lines of their own.
        """
        holder_path, key = path[:-1], str(path[-1])
        holder = self._node(holder_path)
        if self._is_empty(holder) or not holder.value:
            return self._filled(holder_path, key, value, levels)
        if holder.flow_style:
            return self._inserted_in_flow(holder, key, value, after)
        indent = holder.value[0][0].start_mark.column
        lines = block(key, value, indent, self.step, levels)
        text = "".join(line + self.newline for line in lines)
        where = holder.value[0][0].start_mark.index - indent
        if after is not None:
            where = self._line_end(self._end(self._find((*holder_path, after)).value))
        if where and self.text[where - 1] != "\n":
            text = self.newline + text.removesuffix(self.newline)  # the last line had no end
        return self.cut([(where, where, text)])

    def appended(self, path: FieldPath, item: object) -> str:
        """The text with another item at the end of a list, which is there."""
        holder = self._node(path)
        if holder is None or self._is_empty(holder) or not holder.value:
            return self.replaced(path, [item])
        last = self._end(holder.value[-1])
        if holder.flow_style:
            return self.cut([(last, last, f", {flow(item)}")])
        where = self._line_end(last)
        dash = " " * holder.start_mark.column + f"- {flow(item)}"
        if where and self.text[where - 1] != "\n":
            return self.cut([(where, where, self.newline + dash)])
        return self.cut([(where, where, dash + self.newline)])

    def deleted(self, path: FieldPath) -> str:
        """The text without a field or item. A mapping or list that gets empty is left as ``{}`` or ``[]``."""
        found = self._find(path)
        count = len(found.holder.value)
        if count == 1:
            empty: object = {} if found.key is not None else []
            return self._emptied(path[:-1], empty)
        first = found.key if found.key is not None else found.value
        if found.holder.flow_style:
            if found.index + 1 < count:
                follower = found.holder.value[found.index + 1]
                follower = follower[0] if found.key is not None else follower
                return self.cut([(first.start_mark.index, follower.start_mark.index, "")])
            before = found.holder.value[found.index - 1]
            before = before[1] if found.key is not None else before
            return self.cut([(self._end(before), self._end(found.value), "")])
        start = first.start_mark.index - first.start_mark.column
        return self.cut([(start, self._line_end(self._end(found.value)), "")])

    def cut(self, cuts: list[Cut]) -> str:
        """The text with some pieces exchanged."""
        text = self.text
        for start, end, new in sorted(set(cuts), reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def span(self, path: FieldPath) -> tuple[int, int]:
        """Where the value of a field begins and ends."""
        found = self._find(path)
        return found.value.start_mark.index, self._end(found.value)

    # ---------------------------------------------------------------- where things are

    def _find(self, path: FieldPath) -> _Found:
        holder, found = self.root, None
        for step in path:
            found = self._child(holder, step)
            if found is None:
                break
            holder = found.value
        if found is None:
            raise CellFileError(f"there is no field {'.'.join(map(str, path))!r}", hint="look at its name")
        return found

    def _node(self, path: FieldPath) -> Any:
        """The node of a value; None if it is not written."""
        node = self.root
        for step in path:
            found = self._child(node, step)
            if found is None:
                return None
            node = found.value
        return node

    def _child(self, holder: Any, step: Key) -> _Found | None:
        if holder.id == "mapping":
            for index, (key, value) in enumerate(holder.value):
                if key.value == str(step):
                    return _Found(holder, index, key, value)
        elif holder.id == "sequence" and isinstance(step, int) and step < len(holder.value):
            return _Found(holder, step, None, holder.value[step])
        return None

    def _is_flow(self, node: Any) -> bool:
        return node.id == "scalar" or bool(node.flow_style)

    def _is_empty(self, node: Any) -> bool:
        """Whether nothing is written for a value."""
        return bool(node.id == "scalar" and node.start_mark.index == node.end_mark.index)

    def _end(self, node: Any) -> int:
        """Where what is written for a node ends; blank lines and comments that follow are not its own."""
        if not self._is_flow(node) and node.value:
            last = node.value[-1]
            if node.id == "mapping" and self._is_empty(last[1]):
                return self.text.index(":", last[0].end_mark.index) + 1
            return self._end(last[1] if node.id == "mapping" else last)
        start, end = node.start_mark.index, node.end_mark.index
        return start + len(self.text[start:end].rstrip()) if end > start else int(end)

    def _line_end(self, index: int) -> int:
        end = self.text.find("\n", index)
        return len(self.text) if end < 0 else end + 1

    def _step(self) -> int:
        """How far entries are indented in this text."""
        for _, value in self.root.value if self.root.id == "mapping" else ():
            if value.id == "mapping" and not value.flow_style and value.value:
                return int(value.value[0][0].start_mark.column) or 2
        return 2

    # ---------------------------------------------------------------- inside brackets, and in what is empty

    def _inserted_in_flow(self, holder: Any, key: str, value: object, after: Key | None) -> str:
        written = f"{scalar(key)}: {flow(value)}"
        if after is None:
            start = holder.value[0][0].start_mark.index
            return self.cut([(start, start, f"{written}, ")])
        end = self._end(next(item for name, item in holder.value if name.value == str(after)))
        return self.cut([(end, end, f", {written}")])

    def _filled(self, path: FieldPath, key: str, value: object, levels: int) -> str:
        if not path:
            return self.cut(
                [(0, len(self.text), "".join(f"{line}{self.newline}" for line in block(key, value, 0, 2, levels)))]
            )
        found = self._find(path)
        if found.holder.flow_style:
            return self.replaced(path, {key: value})
        start = self.text.index(":", found.key.end_mark.index) + 1
        end = start if self._is_empty(found.value) else self._end(found.value)
        indent = found.key.start_mark.column + self.step
        lines = block(key, value, indent, self.step, levels)
        # A comment on the line of what was empty stays there.
        where = self._line_end(end)
        rest = self.text[end:where].rstrip("\r\n")
        tail = self.newline if self.text[where - 1 : where] == "\n" else ""
        return self.cut([(start, where, self.newline.join([rest.rstrip(), *lines]) + tail)])

    def _emptied(self, path: FieldPath, empty: object) -> str:
        return self.replaced(path, empty) if path else self.cut([(0, len(self.text), flow(empty) + self.newline)])
