"""Translation of the procedures that have rules of their own: WRITE, NEW, INC, STR, EXIT and so on."""

import ast
from collections.abc import Callable

from drycell.languages.pascal import syntax
from drycell.languages.pascal.expression_translation import ExpressionTranslator
from drycell.languages.pascal.interval import interval
from drycell.languages.pascal.python_tree import assign, call, item, literal, load, stored
from drycell.languages.pascal.symbols import Variable
from drycell.languages.pascal.types import Ordinal, Pointer, Real, String, is_boolean, is_integer


class ProcedureTranslator(ExpressionTranslator):
    """Makes Python statements of calls of standard procedures."""

    def procedure(self, name: str, node: syntax.Call) -> list[ast.stmt]:
        """What a call of a standard procedure becomes."""
        given = node.arguments
        match name:
            case "write" | "writeln":
                return [ast.Expr(call(f"_{name}", *(self._printed(each) for each in given)))]
            case "read" | "readln":
                return [ast.Expr(call("_read"))]
            case "new":
                kind = given[0].type
                assert isinstance(kind, Pointer)
                assert kind.target is not None
                return [self.set(given[0], call("_new", self.initial(kind.target)))]
            case "dispose":
                return [ast.Expr(call("_dispose", self.value(given[0])))]
            case "inc" | "dec":
                return self._counted(given, -1 if name == "dec" else 1)
            case "str":
                return [self.set(given[1], self._cut(self._printed(given[0]), given[1]))]
            case "val":
                return self._val(given)
            case "insert":
                what, place = self.text(given[0]), self.value(given[2])
                return self.changed(given[1], lambda text: self._cut(call("_inserted", what, text, place), given[1]))
            case "delete":
                first, count = self.value(given[1]), self.value(given[2])
                return self.changed(given[0], lambda text: call("_deleted", text, first, count))
            case "halt":
                return [ast.Raise(call("_Halt", *(self.value(each) for each in given)), None)]
            case "exit":
                return self._exit(given)
            case "break":
                return [ast.Break()]
            case "continue":
                return list(self.frame.continues[-1])
        return []  # randomize: the run's seed decides

    def set(self, target: syntax.Expression, value: ast.expr) -> ast.stmt:
        """``target := value``, for what is neither an array nor a record."""
        symbol = target.symbol if isinstance(target, syntax.Name) else None
        if isinstance(symbol, Variable):
            self.frame.assigns(symbol)
        return ast.Assign([stored(self.place(target))], value)

    def changed(self, target: syntax.Expression, change: Callable[[ast.expr], ast.expr]) -> list[ast.stmt]:
        """``target := change(target)``, with the indices of the target worked out once."""
        place = self.place(target)
        if not isinstance(place, ast.Subscript) or (
            isinstance(place.slice, (ast.Constant, ast.Name)) and isinstance(place.value, ast.Name)
        ):
            return [self.set(target, change(place))]
        of, key = self.frame.temp(), self.frame.temp()
        before: list[ast.stmt] = [assign(of, place.value), assign(key, place.slice)]
        there = item(load(of), load(key))
        return [*before, ast.Assign([stored(there)], change(there))]

    def _counted(self, given: list[syntax.Expression], sign: int) -> list[ast.stmt]:
        target = given[0]
        if len(given) == 1:
            return self.changed(target, lambda old: self.stepped(target, old, literal(sign), (-1, 1)))
        low, high = interval(given[1])
        step = self.value(given[1])
        by = ast.UnaryOp(ast.USub(), step) if sign < 0 else step
        reach = max(abs(low), abs(high))
        return self.changed(target, lambda old: self.stepped(target, old, by, (-reach, reach)))

    def _val(self, given: list[syntax.Expression]) -> list[ast.stmt]:
        temp, kind = self.frame.temp(), given[1].type
        if isinstance(kind, Ordinal):
            found = call("_read_integer", self.text(given[0]), literal(kind.low), literal(kind.high))
        else:
            found = call("_read_real", self.text(given[0]))
        return [
            assign(temp, found),
            self.set(given[1], item(load(temp), literal(0))),
            self.set(given[2], item(load(temp), literal(1))),
        ]

    def _exit(self, given: list[syntax.Expression]) -> list[ast.stmt]:
        routine = self.frame.routine
        if routine.result is None:
            return [ast.Return(None)]
        if given:
            return [ast.Return(self.value_as(given[0], routine.result))]
        return [ast.Return(load(self.frame.result(routine)))]

    def _cut(self, made: ast.expr, target: syntax.Expression) -> ast.expr:
        assert isinstance(target.type, String)
        return item(made, ast.Slice(None, literal(target.type.length)))

    # ---------------------------------------------------------------- what is printed

    def _printed(self, node: syntax.Expression) -> ast.expr:
        value, width, decimals = node, None, None
        if isinstance(node, syntax.Formatted):
            value, width = node.value, self.value(node.width)
            decimals = None if node.decimals is None else self.value(node.decimals)
        kind = value.type
        if decimals is not None and width is not None:
            made: ast.expr = call("_fixed", self.value(value), width, decimals)
        elif isinstance(kind, Real):
            made = call("_real", self.value(value), *([] if width is None else [width]))
        else:
            made = self._plain(value)
            if width is not None:
                made = call("_pad", made, width)
        return self.placed(made, node)

    def _plain(self, node: syntax.Expression) -> ast.expr:
        if is_integer(node.type):
            return call("str", self.value(node))
        return call("_bool", self.value(node)) if is_boolean(node.type) else self.text(node)
