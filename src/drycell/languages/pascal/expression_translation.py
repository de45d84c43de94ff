"""Translation of expressions to Python, with checks where a value could be out of range."""

import ast
from collections.abc import Callable
from typing import ClassVar, Final

from drycell.languages.kit import Source
from drycell.languages.pascal import syntax
from drycell.languages.pascal.constants import constant, number_of
from drycell.languages.pascal.frame import Frame
from drycell.languages.pascal.interval import interval, longest, unchecked
from drycell.languages.pascal.python_tree import (
    T,
    between,
    binary,
    call,
    compare,
    item,
    literal,
    load,
    named,
    negated,
    placed,
)
from drycell.languages.pascal.symbols import Builtin, ConstantSymbol, Routine, TypeSymbol, Variable, WithField
from drycell.languages.pascal.types import (
    CHARACTERS,
    INTEGERS,
    MAX_INT,
    MAX_REAL,
    MIN_INT,
    Array,
    Ordinal,
    Pointer,
    Real,
    Record,
    Set,
    String,
    Type,
    is_boolean,
    is_integer,
    is_text,
)

_COMPARISONS: Final[dict[str, type[ast.cmpop]]] = {
    "=": ast.Eq, "<>": ast.NotEq, "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE, "in": ast.In,
}  # fmt: skip
_ARITHMETIC: Final[dict[str, type[ast.operator]]] = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult}
_BITS: Final[dict[str, type[ast.operator]]] = {"and": ast.BitAnd, "or": ast.BitOr, "xor": ast.BitXor}
_SETS: Final[dict[str, type[ast.operator]]] = {"+": ast.BitOr, "-": ast.Sub, "*": ast.BitAnd}
_HELPERS: Final = {
    "sqrt": "_sqrt", "sin": "_sin", "cos": "_cos", "arctan": "_arctan", "exp": "_exp", "ln": "_ln",
    "trunc": "_trunc", "round": "_round",
}  # fmt: skip


class ExpressionTranslator:
    """Makes Python expressions of Pascal's. ``frame`` is the routine that is being translated."""

    source: Source
    frame: Frame

    def placed(self, made: T, node: syntax.Node, at: int | None = None) -> T:
        """Gives what was made the place of a node, or of an operator in it."""
        return placed(made, self.source, node.start if at is None else at, node.end if at is None else at + 1)

    def value(self, node: syntax.Expression) -> ast.expr:
        """The value of an expression."""
        known = constant(node)
        made = literal(known) if known is not None else self._TRANSLATIONS[node.__class__](self, node)
        return self.placed(made, node)

    def value_as(self, node: syntax.Expression, target: Type) -> ast.expr:
        """The value of an expression, made and checked to be one of a type."""
        match target:
            case Ordinal():
                made = self.checked(self.value(node), target, *interval(node))
            case Real():
                made = self._real(node)
            case String():
                made = self.text(node)
                if longest(node) > target.length:
                    made = item(made, ast.Slice(None, literal(target.length)))
            case Array() if isinstance(node.type, String) or (is_text(node.type) and not node.type.structured):
                made = call("_characters", self.value(node), literal(target.length))
            case Set():
                made = self._set_as(node, target)
            case _:
                made = self.value(node)
        return self.placed(made, node)

    def checked(self, made: ast.expr, kind: Ordinal, low: int, high: int, complaint: str = "_range") -> ast.expr:
        """A value between some numbers, seen to be in the range of a type."""
        if kind.low <= low and high <= kind.high:
            return made
        first, second = self.twice(made)
        limits = [literal(kind.limits), *([literal(kind.host.values)] if kind.host.values else [])]
        return ast.IfExp(
            between(kind.value(kind.low), first, kind.value(kind.high)), second, call(complaint, second, *limits)
        )

    def twice(self, made: ast.expr) -> tuple[ast.expr, ast.expr]:
        """A value to be used first here, then there, worked out once."""
        if isinstance(made, (ast.Name, ast.Constant)):
            return made, made
        temp = self.frame.temp()
        return named(temp, made), load(temp)

    def text(self, node: syntax.Expression) -> ast.expr:
        """A char, string or array of chars as a string."""
        made = self.value(node)
        if isinstance(node.type, Array):
            made = ast.Call(ast.Attribute(literal(""), "join", ast.Load()), [made], [])
        return self.placed(made, node)

    def initial(self, kind: Type) -> ast.expr:
        """What a variable holds before anything is assigned to it: zero, or what is nearest to it."""
        match kind:
            case Ordinal():
                return literal(kind.value(min(max(0, kind.low), kind.high)))
            case Real():
                return literal(0.0)
            case String():
                return literal("")
            case Set():
                return literal(frozenset())
            case Array():
                element, length = self.initial(kind.element), literal(kind.length)
                if not kind.element.structured:
                    return binary(ast.List([element], ast.Load()), ast.Mult(), length)
                counter = ast.comprehension(ast.Name("_", ast.Store()), call("range", length), [], 0)
                return ast.ListComp(element, [counter])
            case Record():
                return ast.List([self.initial(each) for _, each in kind.fields.values()], ast.Load())
        return literal(None)

    # ---------------------------------------------------------------- places

    def place(self, node: syntax.Expression) -> ast.expr:
        """Where a variable is: a name, or an item of a list."""
        return self.value(node)

    def reference(self, node: syntax.Expression) -> list[ast.expr]:
        """What goes to a VAR parameter: the list that an array or record is, else a list and a place in it."""
        made = self.place(node)
        if node.type.structured:
            return [made]
        assert isinstance(made, ast.Subscript)
        return [made.value, made.slice]

    def _name(self, node: syntax.Name) -> ast.expr:
        match node.symbol:
            case Variable() as symbol:
                return self.frame.variable(symbol)
            case WithField() as symbol:
                return item(load(symbol.temp), literal(symbol.place))
            case Routine() as symbol:
                return self._routine(symbol, [])
            case Builtin() as symbol:
                return self._function(symbol.name, [], node)
            case ConstantSymbol() as symbol:
                return literal(symbol.value)
        raise AssertionError(node)

    def _index(self, node: syntax.Index) -> ast.expr:
        of = node.of.type
        if isinstance(of, String):
            return call("_char_at", self.value(node.of), self.value(node.index))
        assert isinstance(of, Array)
        index = self.value(node.index)
        low, high = interval(node.index)
        number = index
        if isinstance(index, ast.Constant):
            return item(self.value(node.of), literal(number_of(index.value) - of.index.low))  # type: ignore[arg-type]
        safe = of.index.low <= low and high <= of.index.high
        first, second = (index, index) if safe else self.twice(index)
        number = call("ord", second) if of.index.host is CHARACTERS else second
        if of.index.low:
            number = binary(number, ast.Sub(), literal(of.index.low))
        if not safe:
            limits = [literal(of.index.limits), *([literal(of.index.host.values)] if of.index.host.values else [])]
            inside = between(of.index.value(of.index.low), first, of.index.value(of.index.high))
            number = ast.IfExp(inside, number, call("_beyond", second, *limits))
        return item(self.value(node.of), self.placed(number, node.index))

    def _field(self, node: syntax.Field) -> ast.expr:
        assert isinstance(node.of.type, Record)
        return item(self.value(node.of), literal(node.of.type.fields[node.name][0]))

    def _dereference(self, node: syntax.Dereference) -> ast.expr:
        first, second = self.twice(self.value(node.of))
        return item(ast.BoolOp(ast.Or(), [first, call("_nil", second)]), literal(0))

    # ---------------------------------------------------------------- operators

    def _real(self, node: syntax.Expression) -> ast.expr:
        known = constant(node)
        if known is not None and not isinstance(known, str):
            return literal(float(known))
        made = self.value(node)
        return call("float", made) if is_integer(node.type) else made

    def _unary(self, node: syntax.Unary) -> ast.expr:
        operand = self.value(node.operand)
        if node.operator == "not":
            return negated(operand) if is_boolean(node.type) else ast.UnaryOp(ast.Invert(), operand)
        if node.operator == "+":
            return operand
        return self._bounded(ast.UnaryOp(ast.USub(), operand), node, node.start)

    def _binary(self, node: syntax.Binary) -> ast.expr:
        sign = node.operator
        if sign in _COMPARISONS:
            return self._comparison(node)
        if isinstance(node.type, Set):
            return binary(self.value(node.left), _SETS[sign](), self.value(node.right))
        if isinstance(node.type, String):
            return binary(self.text(node.left), ast.Add(), self.text(node.right))
        left, right = self.value(node.left), self.value(node.right)
        if sign in _ARITHMETIC:
            return self._bounded(binary(left, _ARITHMETIC[sign](), right), node, node.at)
        if sign in ("div", "mod"):
            (low, _), (least, _) = interval(node.left), interval(node.right)
            if low >= 0 and least > 0:
                return binary(left, ast.FloorDiv() if sign == "div" else ast.Mod(), right)
            return self.placed(call(f"_{sign}", left, right), node, node.at)
        if sign == "/":
            if constant(node.right) is not None:
                return self._bounded(binary(left, ast.Div(), right), node, node.at)
            return self.placed(call("_over", left, right), node, node.at)
        if sign in ("shl", "shr"):
            return call(f"_{sign}", left, right)
        if is_boolean(node.type) and sign != "xor":
            return ast.BoolOp(ast.And() if sign == "and" else ast.Or(), [left, right])
        return binary(left, _BITS[sign](), right)

    def _bounded(self, made: ast.expr, node: syntax.Expression, at: int) -> ast.expr:
        """The result of an operation, seen to be an integer of 32 bits if it is one at all, or a finite real."""
        if isinstance(node.type, Real):
            first, second = self.twice(made)
            finite = between(-MAX_REAL, first, MAX_REAL)
            return self.placed(ast.IfExp(finite, second, call("_too_large", second)), node, at)
        if not is_integer(node.type):
            return made
        low, high = unchecked(node)
        if low >= MIN_INT and high <= MAX_INT:
            return made
        first, second = self.twice(made)
        return self.placed(ast.IfExp(between(MIN_INT, first, MAX_INT), second, call("_overflow", second)), node, at)

    def _comparison(self, node: syntax.Binary) -> ast.expr:
        left, right, sign = node.left, node.right, node.operator
        if isinstance(left.type, Pointer):
            return compare(self.value(left), (ast.Is() if sign == "=" else ast.IsNot(), self.value(right)))
        if sign in ("=", "<>") and isinstance(known := constant(right), bool):
            made = self.value(left)
            return made if known == (sign == "=") else negated(made)
        if is_text(left.type) and sign != "in":
            return compare(self.text(left), (_COMPARISONS[sign](), self.text(right)))
        return compare(self.value(left), (_COMPARISONS[sign](), self.value(right)))

    # ---------------------------------------------------------------- sets

    def _members(self, node: syntax.Members) -> ast.expr:
        known, made = set[object](), list[ast.expr]()
        for low, high in node.items:
            kind = low.type
            assert isinstance(kind, Ordinal)
            limits = constant(low), constant(high or low)
            if limits[0] is not None and limits[1] is not None:
                known.update(map(kind.value, range(number_of(limits[0]), number_of(limits[1]) + 1)))
            else:
                made.append(self.placed(call("_span", self.value(low), self.value(high or low)), low))
        whole: ast.expr = literal(frozenset(known))
        for each in made:
            whole = binary(whole, ast.BitOr(), each) if known or each is not made[0] else each
        return whole

    def _set_as(self, node: syntax.Expression, target: Set) -> ast.expr:
        made, source = self.value(node), node.type
        assert isinstance(source, Set)
        base = target.base
        if base is None or source.base is None or (base.low <= source.base.low and source.base.high <= base.high):
            return made
        return call(
            "_members", made, literal(base.value(base.low)), literal(base.value(base.high)), literal(base.limits)
        )

    # ---------------------------------------------------------------- calls

    def _call(self, node: syntax.Call) -> ast.expr:
        match node.target.symbol:
            case Routine() as symbol:
                return self._routine(symbol, node.arguments)
            case Builtin() as symbol:
                return self._function(symbol.name, node.arguments, node)
            case TypeSymbol(type=Ordinal() as kind):
                return self._cast(node.arguments[0], kind)
        raise AssertionError(node)

    def _routine(self, routine: Routine, given: list[syntax.Expression]) -> ast.expr:
        made = list[ast.expr]()
        if routine.stub:
            made = [self.value(each) for each in given]
        for argument, parameter in zip(given, routine.parameters, strict=False):
            if parameter.by_reference:
                made += self.reference(argument)
            else:
                made.append(self.value_as(argument, parameter.type))
        return call(routine.python, *made)

    def _cast(self, node: syntax.Expression, kind: Ordinal) -> ast.expr:
        assert isinstance(node.type, Ordinal)
        if kind.host is node.type.host:
            return self.value_as(node, kind)
        number = self.checked(self._number(node), Ordinal(kind.name, INTEGERS, kind.low, kind.high), *interval(node))
        if kind.host is CHARACTERS:
            return call("chr", number)
        return call("bool", number) if is_boolean(kind) else number

    def _number(self, node: syntax.Expression) -> ast.expr:
        """The ordinal number of a value."""
        made = self.value(node)
        assert isinstance(node.type, Ordinal)
        if node.type.host is CHARACTERS:
            return call("ord", made)
        return call("int", made) if is_boolean(node.type) else made

    def _function(self, name: str, given: list[syntax.Expression], node: syntax.Expression) -> ast.expr:
        if name in _HELPERS:
            return call(_HELPERS[name], self.value(given[0]))
        match name:
            case "abs":
                return self._in_integers(call("abs", self.value(given[0])), node, interval(given[0])[0] == MIN_INT)
            case "sqr":
                first, second = self.twice(self.value(given[0]))
                greatest = max(map(abs, interval(given[0]))) ** 2
                return self._in_integers(binary(first, ast.Mult(), second), node, greatest > MAX_INT)
            case "ord":
                return self._number(given[0])
            case "chr":
                return call("_chr", self.value(given[0]))
            case "odd":
                return compare(binary(self.value(given[0]), ast.Mod(), literal(2)), (ast.Eq(), literal(1)))
            case "succ" | "pred":
                return self.stepped(given[0], self.value(given[0]), literal(1 if name == "succ" else -1), (-1, 1))
            case "length":
                return call("len", self.text(given[0]))
            case "upcase":
                return call("_upcase", self.value(given[0]))
            case "copy":
                return call("_part", self.text(given[0]), *(self.value(each) for each in given[1:]))
            case "concat":
                made = self.text(given[0])
                for each in given[1:]:
                    made = binary(made, ast.Add(), self.text(each))
                return made
            case "pos":
                found = ast.Attribute(self.text(given[1]), "find", ast.Load())
                return binary(ast.Call(found, [self.text(given[0])], []), ast.Add(), literal(1))
            case "random":
                return call("_random", *(self.value(each) for each in given))
            case "int":
                return call("_int", self.value(given[0]))
        return call("_frac", self.value(given[0]))

    def stepped(self, node: syntax.Expression, made: ast.expr, step: ast.expr, by: tuple[int, int]) -> ast.expr:
        """An ordinal some steps on, seen to be still one of its type; the steps are between two numbers."""
        kind = node.type
        assert isinstance(kind, Ordinal)
        low, high = interval(node)
        if kind.host is CHARACTERS:
            made = call("_chr", binary(call("ord", made), ast.Add(), step))
        elif is_boolean(kind):
            made = call("_truth", binary(made, ast.Add(), step))
        else:
            made = binary(made, ast.Add(), step)
        return self.checked(made, kind, low + by[0], high + by[1])

    def _in_integers(self, made: ast.expr, node: syntax.Expression, may_overflow: bool) -> ast.expr:
        if isinstance(node.type, Real) and isinstance(made, ast.BinOp):
            return self._bounded(made, node, node.start)
        if not is_integer(node.type) or not may_overflow:
            return made
        first, second = self.twice(made)
        return ast.IfExp(between(MIN_INT, first, MAX_INT), second, call("_overflow", second))

    _TRANSLATIONS: ClassVar[dict[type, Callable[..., ast.expr]]] = {
        syntax.Name: _name,
        syntax.Index: _index,
        syntax.Field: _field,
        syntax.Dereference: _dereference,
        syntax.Unary: _unary,
        syntax.Binary: _binary,
        syntax.Members: _members,
        syntax.Call: _call,
        syntax.Nil: lambda self, node: literal(None),
        syntax.Number: lambda self, node: literal(node.value),
        syntax.Text: lambda self, node: literal(node.value),
    }
