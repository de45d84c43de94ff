"""The checker of expressions: the type of each, what its names stand for, and whether its operands go together."""

from collections.abc import Callable
from typing import ClassVar

from drycell.base import did_you_mean
from drycell.languages.pascal import syntax
from drycell.languages.pascal.builtins import FUNCTIONS, result_of
from drycell.languages.pascal.constants import constant, number_of
from drycell.languages.pascal.judge import Judge
from drycell.languages.pascal.operators import operation
from drycell.languages.pascal.symbols import (
    Builtin,
    ConstantSymbol,
    Routine,
    TypeSymbol,
    Variable,
    WithField,
)
from drycell.languages.pascal.types import (
    BOOLEAN,
    CHAR,
    EMPTY_SET,
    INTEGER,
    INTEGERS,
    LARGEST_SET,
    MAX_INT,
    MIN_INT,
    NIL,
    REAL,
    UNKNOWN,
    Array,
    Ordinal,
    Pointer,
    Record,
    Set,
    String,
    Type,
    Unknown,
    hull,
    is_boolean,
    is_integer,
)


class ExpressionChecker(Judge):
    """Gives every expression its type."""

    def check(self, node: syntax.Expression) -> Type:
        """The type of an expression, which it now knows."""
        node.type = kind = self._CHECKS[node.__class__](self, node)
        return kind

    def condition(self, node: syntax.Expression) -> None:
        """See that an expression is true or false."""
        kind = self.check(node)
        if not is_boolean(kind) and not isinstance(kind, Unknown):
            self.complain(node, f"a condition is true or false, this is of type {kind}")

    def variable(self, node: syntax.Expression, purpose: str) -> Type:
        """The type of an expression that must be a variable which may be changed here."""
        kind = self.check(node)
        symbol = node.symbol if isinstance(node, syntax.Name) else None
        if isinstance(symbol, Variable) and symbol.counting:
            self.complain(node, f"'{symbol.written}' counts the FOR loop around this and cannot be changed in it")
        whole = node
        while isinstance(whole, (syntax.Index, syntax.Field)):
            whole = whole.of
        held = whole.symbol if isinstance(whole, syntax.Name) else None
        if isinstance(held, Variable) and held.constant:
            self.complain(node, f"'{held.written}' is a CONST parameter and cannot be changed", "leave CONST out")
        if not self.is_variable(node) and not isinstance(kind, Unknown):
            self.complain(node, f"{purpose} must be a variable")
        return kind

    def is_variable(self, node: syntax.Expression) -> bool:
        """Whether something can be assigned to an expression."""
        match node:
            case syntax.Name():
                return isinstance(node.symbol, (Variable, WithField))
            case syntax.Index() | syntax.Field():
                return self.is_variable(node.of)
            case syntax.Dereference():
                return True
        return False

    # ---------------------------------------------------------------- operands

    def _number(self, node: syntax.Number) -> Type:
        if isinstance(node.value, float):
            return REAL
        if node.value > MAX_INT:
            self.complain(node, f"{node.value} is beyond the integers", f"{MIN_INT} to {MAX_INT}, or write a real")
        return INTEGER

    def _text(self, node: syntax.Text) -> Type:
        return CHAR if len(node.value) == 1 else String("string", len(node.value))

    def _nil(self, node: syntax.Nil) -> Type:
        return NIL

    def _name(self, node: syntax.Name) -> Type:
        symbol = node.symbol = self.scope.find(node.name)
        match symbol:
            case None:
                self.unknown(node, "variable, constant or function", Variable, WithField, ConstantSymbol, Routine)
                return UNKNOWN
            case Variable() | WithField() | ConstantSymbol():
                return symbol.type
            case Routine():
                return self._called(node, symbol, [])
            case Builtin():
                return self._standard(node, symbol.name, [])
        self.complain(node, f"'{node.written}' is a type, not a value")
        return UNKNOWN

    def _index(self, node: syntax.Index) -> Type:
        of, index = self.check(node.of), self.check(node.index)
        if isinstance(of, Unknown) or isinstance(index, Unknown):
            return UNKNOWN
        if isinstance(of, String):
            if not is_integer(index):
                self.complain(node.index, f"the index of a string is an integer, this is of type {index}")
            return CHAR
        if not isinstance(of, Array):
            self.complain(node.of, f"only arrays and strings have an index, this is of type {of}")
            return UNKNOWN
        self.fits(node.index, of.index, f"the index of {self.excerpt(node.of)}")
        return of.element

    def _field(self, node: syntax.Field) -> Type:
        of = self.check(node.of)
        if isinstance(of, Unknown):
            return UNKNOWN
        if not isinstance(of, Record):
            hint = "write ^ behind a pointer to get what it points to" if isinstance(of, Pointer) else None
            self.complain_at(node.at, node.end, f"only records have fields, this is of type {of}", hint)
            return UNKNOWN
        found = of.fields.get(node.name)
        if found is None:
            self.complain_at(
                node.at, node.end, f"{of} has no field '{node.written}'", did_you_mean(node.written, of.fields)
            )
            return UNKNOWN
        return found[1]

    def _dereference(self, node: syntax.Dereference) -> Type:
        of = self.check(node.of)
        if isinstance(of, Pointer) and of.target is not None:
            return of.target
        if not isinstance(of, Unknown):
            self.complain(node.of, f"only pointers have something behind ^, this is of type {of}")
        return UNKNOWN

    def _formatted(self, node: syntax.Formatted) -> Type:
        self.check(node.value)
        self.complain(node, "a width goes only with WRITE, WRITELN and STR")
        return node.value.type

    def _members(self, node: syntax.Members) -> Type:
        base: Ordinal | None = None
        for low, high in node.items:
            for each in (low, high):
                if each is None or isinstance(kind := self.check(each), Unknown):
                    continue
                if not isinstance(kind, Ordinal) or (base is not None and kind.host is not base.host):
                    wanted = "integers, chars, booleans or names of an enumeration" if base is None else str(base)
                    self.complain(each, f"members of this set are {wanted}, this is of type {kind}")
                    continue
                base = kind if base is None else hull(base, kind)
                value = constant(each)
                if value is not None and not 0 <= number_of(value) <= LARGEST_SET:
                    self.complain(each, f"members of a set are 0..{LARGEST_SET}, this is {value}")
        if base is None:
            return EMPTY_SET
        whole = Ordinal(base.name, base.host, 0, LARGEST_SET) if base.host is INTEGERS else base
        return Set(f"set of {base}", whole)

    # ---------------------------------------------------------------- operators and calls

    def _unary(self, node: syntax.Unary) -> Type:
        kind = self.check(node.operand)
        if isinstance(kind, Unknown):
            return UNKNOWN
        if node.operator == "not":
            if is_boolean(kind):
                return BOOLEAN
            if is_integer(kind):
                return INTEGER
            self.complain(node, f"NOT takes a boolean or an integer, this is of type {kind}")
            return UNKNOWN
        if is_integer(kind):
            return INTEGER
        if kind is not REAL:
            self.complain(node, f"a sign goes with numbers, this is of type {kind}")
            return UNKNOWN
        return REAL

    def _binary(self, node: syntax.Binary) -> Type:
        left, right = self.check(node.left), self.check(node.right)
        if isinstance(left, Unknown) or isinstance(right, Unknown):
            return BOOLEAN if node.operator in ("=", "<>", "<", "<=", ">", ">=", "in") else UNKNOWN
        found = operation(node.operator, left, right)
        if isinstance(found, Type):
            if node.operator in ("/", "div", "mod") and constant(node.right) == 0:
                self.complain(node.right, "this divides by zero")
            return found
        self.complain_at(node.at, node.at + len(node.operator), found.what, found.hint)
        return UNKNOWN

    def call(self, node: syntax.Call, *, statement: bool = False) -> Type | None:
        """The type of a call; None for a procedure."""
        target = node.target
        symbol = target.symbol = self.scope.find(target.name)
        match symbol:
            case Routine():
                return self._called(node, symbol, node.arguments, statement=statement)
            case Builtin() if symbol.name in FUNCTIONS:
                kind = self._standard(node, symbol.name, node.arguments)
                if statement:
                    self.complain(node, f"{symbol.written} is a function: its value is not used", "assign it")
                return kind
            case Builtin():
                self.complain(target, f"{symbol.written} is a procedure and has no value")
                return UNKNOWN
            case TypeSymbol():
                return self._cast(node, symbol)
        for each in node.arguments:
            self.check(each)
        if symbol is None:
            self.unknown(target, "procedure or function", Routine, Builtin)
        else:
            self.complain(target, f"'{target.written}' is neither a procedure nor a function")
        return UNKNOWN

    def _call(self, node: syntax.Call) -> Type:
        return self.call(node) or UNKNOWN

    def _called(
        self, node: syntax.Expression, routine: Routine, given: list[syntax.Expression], *, statement: bool = False
    ) -> Type:
        self.routine.calls.add(routine.number)
        wanted = routine.parameters
        if routine.stub:
            for each in given:
                self.check(each)
        elif len(given) != len(wanted):
            for each in given:
                self.check(each)
            names = ", ".join(f"{each.written}: {each.type}" for each in wanted) or "none"
            self.complain(
                node, f"{routine.written} takes {_arguments(len(wanted))}, {len(given)} given", f"they are {names}"
            )
        else:
            for argument, parameter in zip(given, wanted, strict=True):
                self._argument(argument, parameter)
        if routine.result is None and not statement:
            self.complain(node, f"{routine.written} is a procedure and has no value")
        return routine.result or UNKNOWN

    def _argument(self, node: syntax.Expression, parameter: Variable) -> None:
        if not parameter.by_reference:
            self.check(node)
            self.fits(node, parameter.type, f"the parameter '{parameter.written}'")
            return
        kind = self.variable(node, f"what goes to the VAR parameter '{parameter.written}'")
        if isinstance(kind, Unknown) or isinstance(parameter.type, Unknown):
            return
        if isinstance(node, syntax.Index) and isinstance(node.of.type, String):
            self.complain(node, "a character of a string cannot go to a VAR parameter", "put it into a variable first")
        elif kind is not parameter.type:
            self.complain(
                node,
                f"the VAR parameter '{parameter.written}' is of type {parameter.type}, this of type {kind}",
                "both must have the very same type",
            )
        symbol = node.symbol if isinstance(node, syntax.Name) else None
        if isinstance(symbol, Variable) and not symbol.by_reference and not kind.structured:
            symbol.boxed = True

    def _standard(self, node: syntax.Expression, name: str, given: list[syntax.Expression]) -> Type:
        if name not in FUNCTIONS:
            self.complain(node, f"{name} is a procedure and has no value")
            return UNKNOWN
        signature = FUNCTIONS[name]
        kinds = [self.check(each) for each in given]
        if not signature.counts(len(given)):
            self.complain(node, f"{name} takes {_arguments(len(signature.arguments))}, {len(given)} given")
            return UNKNOWN
        for place, (each, kind) in enumerate(zip(given, kinds, strict=True)):
            wanted = signature.kind(place)
            if not isinstance(kind, Unknown) and not wanted.test(kind):
                self.complain(each, f"{name} takes {wanted.words}, this is of type {kind}")
                return UNKNOWN
        return result_of(name, kinds)

    def _cast(self, node: syntax.Call, symbol: TypeSymbol) -> Type:
        kinds = [self.check(each) for each in node.arguments]
        if isinstance(symbol.type, Ordinal) and len(kinds) == 1 and isinstance(kinds[0], (Ordinal, Unknown)):
            return symbol.type
        self.complain(node, f"this cannot be made a value of type {symbol.type}")
        return UNKNOWN

    def excerpt(self, node: syntax.Node) -> str:
        """A piece of the text, in a sentence."""
        text = " ".join(self.source.text[node.start : node.end].split())
        return f"'{text[:30]}'"

    _CHECKS: ClassVar[dict[type, Callable[..., Type]]] = {
        syntax.Number: _number,
        syntax.Text: _text,
        syntax.Nil: _nil,
        syntax.Name: _name,
        syntax.Index: _index,
        syntax.Field: _field,
        syntax.Dereference: _dereference,
        syntax.Formatted: _formatted,
        syntax.Members: _members,
        syntax.Unary: _unary,
        syntax.Binary: _binary,
        syntax.Call: _call,
    }


def _arguments(count: int) -> str:
    return "no arguments" if count == 0 else "1 argument" if count == 1 else f"{count} arguments"
