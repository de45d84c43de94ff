"""The checker of types: from a type as it is written to one that values can be measured by."""

from drycell.languages.pascal import syntax
from drycell.languages.pascal.constants import constant
from drycell.languages.pascal.statement_check import StatementChecker
from drycell.languages.pascal.symbols import ConstantSymbol, TypeSymbol
from drycell.languages.pascal.types import (
    CHAR,
    INTEGER,
    INTEGERS,
    LARGEST_ARRAY,
    LARGEST_SET,
    LONGEST_STRING,
    STRING,
    UNKNOWN,
    Array,
    Host,
    Ordinal,
    Pointer,
    Record,
    Set,
    String,
    Type,
    Unknown,
)


class TypeChecker(StatementChecker):
    """Makes types."""

    pending: list[tuple[Pointer, syntax.TypeName]]
    """Pointers to types that may be declared later in the same section."""

    def type_of(self, node: syntax.TypeExpression | None, name: str = "") -> Type:
        """The type that is written; a new one for each place where it is written."""
        match node:
            case None:
                return UNKNOWN
            case syntax.TypeName():
                return self._named(node)
            case syntax.StringOf():
                return self._string(node)
            case syntax.Range():
                return self._range(node, name)
            case syntax.Enumeration():
                return self._enumeration(node, name)
            case syntax.ArrayOf():
                return self._array(node, name)
            case syntax.SetOf():
                return self._set(node, name)
            case syntax.PointerTo():
                return self._pointer(node, name)
        made = Record(name or "this record")
        self._fields(made, node.fields)
        return made

    def resolve_pointers(self) -> None:
        """The types of a section are all known now: see where its pointers lead."""
        for pointer, node in self.pending:
            pointer.target = self._named(node)
        self.pending = []

    def _named(self, node: syntax.TypeName) -> Type:
        symbol = self.scope.find(node.name)
        if isinstance(symbol, TypeSymbol):
            return symbol.type
        if symbol is None:
            self.unknown(node, "type", TypeSymbol)
        else:
            self.complain(node, f"'{node.written}' is not a type")
        return UNKNOWN

    def _string(self, node: syntax.StringOf) -> Type:
        if node.length is None:
            return STRING
        self.check(node.length)
        length = constant(node.length)
        if not isinstance(length, int) or not 1 <= length <= LONGEST_STRING:
            self.complain(node.length, f"the length of a string is a constant from 1 to {LONGEST_STRING}")
            return UNKNOWN
        return String(f"string[{length}]", length)

    def _range(self, node: syntax.Range, name: str) -> Type:
        self.check(node.low)
        self.check(node.high)
        low = self.ordinal_constant(node.low, "the first value of a range")
        high = self.ordinal_constant(node.high, "the last value of a range")
        if low is None or high is None:
            return UNKNOWN
        if low[0].host is not high[0].host:
            self.complain(node, f"a range from {low[0]} to {high[0]} is none")
            return UNKNOWN
        made = Ordinal(name, low[0].host, low[1], high[1])
        made.name = name or made.limits
        if low[1] > high[1]:
            self.complain(node, f"the range {made.limits} is empty", "write the smaller value first")
            return UNKNOWN
        return made

    def _enumeration(self, node: syntax.Enumeration, name: str) -> Type:
        host = Host(name or "this enumeration", tuple(each.written for each in node.names))
        made = Ordinal(host.name, host, 0, len(node.names) - 1)
        for number, each in enumerate(node.names):
            self.declare(each, ConstantSymbol(each.written, number, made))
        return made

    def _array(self, node: syntax.ArrayOf, name: str) -> Type:
        indices = [self.type_of(each) for each in node.indices]
        made = self.type_of(node.element)
        for place, index in reversed(list(enumerate(indices))):
            if isinstance(index, Unknown) or isinstance(made, Unknown):
                return UNKNOWN
            if not isinstance(index, Ordinal) or index is INTEGER:
                self.complain(node.indices[place], f"the index of an array is a range, not {index}", "write 1..10")
                return UNKNOWN
            made = Array("", index, made)
            made.name = (name if place == 0 else "") or f"array[{index.limits}] of {made.element}"
            if made.size > LARGEST_ARRAY:
                self.complain(
                    node, f"this array has {made.size} values, {LARGEST_ARRAY} are the most", "make it smaller"
                )
                return UNKNOWN
        return made

    def _set(self, node: syntax.SetOf, name: str) -> Type:
        base = self.type_of(node.base)
        if isinstance(base, Unknown):
            return UNKNOWN
        if not isinstance(base, Ordinal) or base.low < 0 or base.high > LARGEST_SET:
            hint = f"write set of 0..{LARGEST_SET}" if isinstance(base, Ordinal) and base.host is INTEGERS else None
            self.complain(node, f"a set holds ordinals from 0 to {LARGEST_SET}, not {base}", hint)
            return UNKNOWN
        return Set(name or f"set of {base}", base)

    def _pointer(self, node: syntax.PointerTo, name: str) -> Type:
        made = Pointer(name or f"^{node.target.written}", UNKNOWN)
        self.pending.append((made, node.target))
        return made

    def _fields(self, made: Record, listed: syntax.FieldList) -> None:
        for names, written in listed.fields:
            kind = self.type_of(written)
            for name in names:
                self._field_of(made, name, kind)
        variant = listed.variant
        if variant is None:
            return
        tag = self.type_of(variant.tag_type)
        if variant.tag is not None:
            self._field_of(made, variant.tag, tag)
        for labels, inner in variant.cases:
            for each in labels:
                self.check(each)
                found = self.ordinal_constant(each, "the value of a variant")
                if found is not None and isinstance(tag, Ordinal) and found[0].host is not tag.host:
                    self.complain(each, f"the tag is of type {tag}, this of type {found[0]}")
            self._fields(made, inner)

    def _field_of(self, made: Record, name: syntax.Name, kind: Type) -> None:
        if name.name in made.fields:
            self.complain(name, f"there are two fields '{name.written}'", "rename one of them")
            return
        made.fields[name.name] = (len(made.fields), kind)
        if made.size > LARGEST_ARRAY:
            self.complain(name, f"this record has more than {LARGEST_ARRAY} values", "make it smaller")
            made.fields[name.name] = (len(made.fields) - 1, CHAR)
