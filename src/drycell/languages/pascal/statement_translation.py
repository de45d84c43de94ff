"""Translation of statements to Python: loops with the guard that charges polling, GOTO as a jump between pieces."""

import ast
from collections.abc import Callable
from itertools import count
from typing import ClassVar, Final

from drycell.kernel import LOOK_EVERY
from drycell.languages.pascal import syntax
from drycell.languages.pascal.interval import interval
from drycell.languages.pascal.procedure_translation import ProcedureTranslator
from drycell.languages.pascal.python_tree import (
    assign,
    between,
    binary,
    call,
    compare,
    literal,
    load,
    stored,
    whole,
)
from drycell.languages.pascal.symbols import Builtin, Routine, Variable
from drycell.languages.pascal.types import BOOLEANS, CHARACTERS, Array, Ordinal, Record, String, Type

_loops: Final = count(-1, -1)
"""Numbers of loops: below zero, where those of Python programs are not."""


def mark_names(unit: str) -> tuple[str, str]:
    """The names of what tells whether lines are watched, and of what is then called: see kernel/program.py."""
    return (f"__marks_{unit}__", f"__mark_{unit}__") if unit else ("__marks__", "__mark__")


class StatementTranslator(ProcedureTranslator):
    """Makes Python statements of Pascal's."""

    lines: set[int]
    home: str
    """The unit it stands in; its lines have a mark of their own. Empty: the program itself."""

    def statements(self, node: syntax.Statement) -> list[ast.stmt]:
        """What a statement becomes; never nothing."""
        return self._statement(node) or [self.placed(ast.Pass(), node)]

    def block(self, node: syntax.Block) -> list[ast.stmt]:
        """The statements of a list."""
        if not node.labels:
            return [made for each in node.body for made in self._statement(each)]
        return self._with_labels(node)

    def _statement(self, node: syntax.Statement) -> list[ast.stmt]:
        made = self._STATEMENTS[node.__class__](self, node)
        if made and not isinstance(node, (syntax.Block, syntax.Labelled)):
            line = self.source.position(node.start)[0]
            self.lines.add(line)
            marks, mark = mark_names(self.home)
            made.insert(0, ast.If(load(marks), [ast.Expr(call(mark, literal(line)))], []))
        for each in made:
            self.placed(each, node)
        return made

    # ---------------------------------------------------------------- assignments and calls

    def _assign(self, node: syntax.Assign) -> list[ast.stmt]:
        target = node.target
        if isinstance(target, syntax.Name) and isinstance(target.symbol, Routine):
            assert target.symbol.result is not None
            result = self.frame.result(target.symbol)
            if target.symbol.result.structured:
                self.frame.outer.discard(result)
                return [ast.Assign([whole(load(result))], self._copy(node.value, target.type))]
            return [assign(result, self.value_as(node.value, target.type))]
        if isinstance(target, syntax.Index) and isinstance(target.of.type, String):
            return self.changed(
                target.of,
                lambda text: call("_with_char", text, self.value(target.index), self.value(node.value)),
            )
        if target.type.structured:
            return [ast.Assign([whole(self.place(target))], self._copy(node.value, target.type))]
        return [self.set(target, self.value_as(node.value, target.type))]

    def _copy(self, node: syntax.Expression, kind: Type) -> ast.expr:
        made = self.value_as(node, kind)
        return call("_copied", made) if _deep(kind) else made

    def _invoke(self, node: syntax.Invoke) -> list[ast.stmt]:
        symbol = node.call.target.symbol
        if isinstance(symbol, Builtin):
            return self.procedure(symbol.name, node.call)
        return [ast.Expr(self.value(node.call))]

    # ---------------------------------------------------------------- choices

    def _if(self, node: syntax.If) -> list[ast.stmt]:
        first = link = ast.If(self.value(node.condition), self.statements(node.yes), [])
        rest = node.no
        while isinstance(rest, syntax.If):
            made = ast.If(self.value(rest.condition), self.statements(rest.yes), [])
            link.orelse = [self.placed(made, rest)]
            link, rest = made, rest.no
        if rest is not None:
            link.orelse = self.statements(rest)
        return [first]

    def _case(self, node: syntax.Case) -> list[ast.stmt]:
        kind = node.selector.type
        assert isinstance(kind, Ordinal)
        temp = self.frame.temp()
        rest = self.block(node.otherwise) if node.otherwise is not None else list[ast.stmt]()
        for branch in reversed(node.branches):
            tests: list[ast.expr] = [
                between(kind.value(low), load(temp), kind.value(high)) for low, high in branch.values if low < high
            ]
            single = [kind.value(low) for low, high in branch.values if low == high]
            if single:
                right = literal(single[0]) if len(single) == 1 else literal(frozenset(single))
                tests.insert(0, compare(load(temp), (ast.Eq() if len(single) == 1 else ast.In(), right)))
            test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)
            rest = [self.placed(ast.If(test, self.statements(branch.body), rest), branch)]
        return [assign(temp, self.value(node.selector)), *rest]

    def _with(self, node: syntax.With) -> list[ast.stmt]:
        opened: list[ast.stmt] = []
        for temp, record in zip(node.temps, node.records, strict=True):
            opened.append(assign(temp, self.value(record)))
        return [*opened, *self.statements(node.body)]

    # ---------------------------------------------------------------- loops

    def _guarded(self, node: syntax.Node, may_poll: bool) -> tuple[ast.stmt, list[ast.stmt]]:
        """What stands before a loop, and at the head of its body: as in Python programs, see kernel/program.py."""
        number = next(_loops)
        turns = f"_turns{-number}"
        look = call("__turn__", literal(number), literal(self.source.position(node.start)[0]), literal(may_poll))
        test = compare(load(turns), (ast.GtE(), literal(LOOK_EVERY)))
        return assign(turns, literal(0)), [
            self.placed(each, node)
            for each in (
                ast.AugAssign(ast.Name(turns, ast.Store()), ast.Add(), literal(1)),
                ast.If(test, [assign(turns, look)], []),
            )
        ]

    def _body(self, node: syntax.Statement, again: list[ast.stmt]) -> list[ast.stmt]:
        self.frame.continues.append(again)
        made = self.block(node) if isinstance(node, syntax.Block) else self._statement(node)
        self.frame.continues.pop()
        return made

    def _while(self, node: syntax.While) -> list[ast.stmt]:
        before, guard = self._guarded(node, True)
        return [before, ast.While(self.value(node.condition), [*guard, *self._body(node.body, [ast.Continue()])], [])]

    def _repeat(self, node: syntax.Repeat) -> list[ast.stmt]:
        before, guard = self._guarded(node, True)
        until = self.placed(ast.If(self.value(node.condition), [ast.Break()], []), node.condition)
        # CONTINUE goes to the condition, which therefore stands there, too.
        body = self._body(node.body, [until, ast.Continue()])
        return [before, ast.While(literal(True), [*guard, *body, until], [])]

    def _for(self, node: syntax.For) -> list[ast.stmt]:
        before, guard = self._guarded(node, False)
        kind, symbol = node.variable.type, node.variable.symbol
        assert isinstance(kind, Ordinal)
        assert isinstance(symbol, Variable)
        self.frame.assigns(symbol)
        first, last = self._bound(node.first, kind), self._bound(node.last, kind)
        step = literal(-1 if node.down else 1)
        numbers: ast.expr = call("range", first, _beyond(last, -1 if node.down else 1), step)
        if kind.low > interval(node.first)[0] or interval(node.last)[1] > kind.high or self._leaves(node, kind):
            numbers = call("_within", numbers, literal(kind.low), literal(kind.high), literal(kind.limits))
        if kind.host in (CHARACTERS, BOOLEANS):
            numbers = call("map", load("chr" if kind.host is CHARACTERS else "bool"), numbers)
        body = [*guard, *self._body(node.body, [ast.Continue()])]
        return [before, ast.For(stored(self.frame.variable(symbol)), self.placed(numbers, node), body, [])]

    def _leaves(self, node: syntax.For, kind: Ordinal) -> bool:
        return interval(node.first)[1] > kind.high or interval(node.last)[0] < kind.low

    def _bound(self, node: syntax.Expression, kind: Ordinal) -> ast.expr:
        made = self.value(node)
        if kind.host is CHARACTERS:
            return call("ord", made)
        return call("int", made) if kind.host is BOOLEANS else made

    # ---------------------------------------------------------------- labels

    def _with_labels(self, node: syntax.Block) -> list[ast.stmt]:
        """A list with labels: pieces that are run from a place on, and a loop that GOTO comes back to."""
        before, guard = self._guarded(node, True)
        place = f"{node.jump}_place"
        pieces: list[list[ast.stmt]] = [[]]
        for number, each in enumerate(node.body):
            if number in node.labels.values() and number:
                pieces.append([])
            while isinstance(each, syntax.Labelled):
                each = each.body
            pieces[-1] += self._statement(each)
        tried: list[ast.stmt] = [
            ast.If(compare(load(place), (ast.LtE(), literal(number))), made or [ast.Pass()], [])
            for number, made in enumerate(pieces)
        ]
        caught: list[ast.stmt] = [
            ast.If(compare(load("_jump"), (ast.IsNot(), load(node.jump))), [ast.Raise(None, None)], []),
            assign(place, ast.Attribute(load("_jump"), "target", ast.Load())),
        ]
        handler = ast.ExceptHandler(load("_Jump"), "_jump", caught)
        loop = ast.While(literal(True), [*guard, ast.Try([*tried, ast.Break()], [handler], [], [])], [])
        made: list[ast.stmt] = [before, assign(node.jump, call("_Jump")), assign(place, literal(0)), loop]
        return [self.placed(each, node) for each in made]

    def _goto(self, node: syntax.Goto) -> list[ast.stmt]:
        assert node.target is not None
        to = ast.Attribute(load(node.target.jump), "to", ast.Load())
        number = sorted({0, *node.target.labels.values()}).index(node.target.labels[node.label])
        return [ast.Raise(ast.Call(to, [literal(number)], []), None)]

    _STATEMENTS: ClassVar[dict[type, Callable[..., list[ast.stmt]]]] = {
        syntax.Assign: _assign,
        syntax.Invoke: _invoke,
        syntax.Block: block,
        syntax.If: _if,
        syntax.While: _while,
        syntax.Repeat: _repeat,
        syntax.For: _for,
        syntax.Case: _case,
        syntax.With: _with,
        syntax.Goto: _goto,
        syntax.Empty: lambda self, node: [],
    }


def _beyond(last: ast.expr, step: int) -> ast.expr:
    if isinstance(last, ast.Constant) and isinstance(last.value, int):
        return literal(last.value + step)
    return binary(last, ast.Add(), literal(step))


def _deep(kind: Type) -> bool:
    """Whether there are lists inside the list."""
    if isinstance(kind, Array):
        return kind.element.structured
    return isinstance(kind, Record) and any(each.structured for _, each in kind.fields.values())
