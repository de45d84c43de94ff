"""A type of value for files: things in a mapping, each under one of its own fields."""

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from drycell.base import (
    MISSING,
    Describer,
    Many,
    Naming,
    OneOf,
    Reader,
    Table,
    Thing,
    Type,
    Whole,
    fields_of,
    fields_schema,
)

if TYPE_CHECKING:
    from drycell.base import Node, Path, Plain


@dataclasses.dataclass(frozen=True)
class Keyed(Type):
    """Things that files write in a mapping by one of their text fields: ``{LCK: {name: lock}}``. A tuple in Python."""

    base: type[Thing]
    key: str

    def read(self, node: "Node", path: "Path", reader: Reader) -> Any:
        """Entry by entry, in the order of the file; the key becomes a field."""
        if not isinstance(node.value, dict):
            return Table(Naming(), OneOf(self.base)).read(node, path, reader)  # which reports what is wanted
        found = []
        for name, item in node.value.items():
            given = {} if item.value is None else item.value
            if isinstance(given, dict) and self.key in given:
                what, hint = "there is no such field", f"the key {name!r} is its {self.key}"
                found.append(reader.report((*path, name, self.key), what, hint, key=True))
                continue
            if isinstance(given, dict):
                given = {self.key: dataclasses.replace(node.keys[name], value=name), **given}
            found.append(OneOf(self.base).read(dataclasses.replace(item, value=given), (*path, name), reader))
        return MISSING if any(each is MISSING for each in found) else tuple(found)

    def check(self, value: Any) -> tuple[Any, ...]:
        """Any sequence of such things."""
        return Many(OneOf(self.base)).check(value)

    def write(self, value: Sequence[Any]) -> "Plain":
        """A mapping."""
        written = {getattr(each, self.key): dict(OneOf(self.base).write(each)) for each in value}
        return {key: {name: item for name, item in each.items() if name != self.key} for key, each in written.items()}

    def schema(self, describer: Describer) -> dict[str, Any]:
        """An object with any keys; the field that they are is not among the fields below them."""
        fields = [each for each in fields_of(self.base) if each.name != self.key]
        return {"type": "object", "additionalProperties": fields_schema(self.base, fields, describer)}


@dataclasses.dataclass(frozen=True)
class KeyNumber(Whole):
    """A whole number that is a key, which files hold as text."""

    def take(self, written: "Plain") -> int:
        """The number that the text says."""
        digits = isinstance(written, str) and written.removeprefix("-").isdecimal()
        return self.check(int(written) if digits else written)
