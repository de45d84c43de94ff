"""The checker of statements: their types, loops and labels."""

from collections.abc import Callable
from typing import ClassVar, Final

from drycell.base import did_you_mean
from drycell.languages.pascal import syntax
from drycell.languages.pascal.builtins import EXAMPLES, FUNCTIONS
from drycell.languages.pascal.expression_check import ExpressionChecker
from drycell.languages.pascal.symbols import Builtin, Routine, Scope, Variable, WithField
from drycell.languages.pascal.types import (
    INTEGER,
    Ordinal,
    Pointer,
    Record,
    String,
    Type,
    Unknown,
    is_boolean,
    is_integer,
    is_number,
    is_text,
)

_DEEPEST_LOOPS: Final = 12
"""Loops inside each other; Python, to which programs are translated, takes 20 blocks."""


class StatementChecker(ExpressionChecker):
    """Looks at statements."""

    stubs: dict[str, Routine]
    """Routines that a program of ScorPas calls though nobody has declared them; None may be made when it is None."""
    stubs_allowed: bool
    _loops: int = 0
    _open: list[syntax.Block]
    _barrier: int = 0
    """How many lists with labels stand between a statement and the loop around it."""
    _temps: int = 0

    def outermost(self, block: syntax.Block) -> None:
        """The statements of a routine or program."""
        saved, self._loops, self._barrier, self._open = (self._loops, self._barrier), 0, 0, []
        self._list(block)
        self._loops, self._barrier = saved

    def note_labels(self, block: syntax.Block) -> None:
        """Find the labels of the outermost statements before inner routines are looked at."""
        for place, each in enumerate(block.body):
            while isinstance(each, syntax.Labelled):
                block.labels[each.label] = place
                self.routine.labels[each.label] = block
                each = each.body

    def statement(self, node: syntax.Statement) -> None:
        """Look at one statement."""
        self._STATEMENTS[node.__class__](self, node)

    # ---------------------------------------------------------------- lists, labels and loops

    def _list(self, block: syntax.Block) -> None:
        for place, each in enumerate(block.body):
            while isinstance(each, syntax.Labelled):
                if (
                    any(each.label in outer.labels for outer in self._open)
                    or block.labels.get(each.label, place) != place
                ):
                    self.complain(each, f"there are two labels {each.label}")
                block.labels[each.label] = place
                if self.scope.find(f"label {each.label}") is None:
                    self.complain(
                        each, f"label {each.label} is not declared", f"write label {each.label}; before BEGIN"
                    )
                each = each.body
        if block.labels:
            self._temps += 1
            block.jump = f"_jump{self._temps}"
            self._barrier += 1
        self._open.append(block)
        for each in block.body:
            while isinstance(each, syntax.Labelled):
                each = each.body
            self.statement(each)
        self._open.pop()
        self._barrier -= bool(block.labels)

    def _labelled(self, node: syntax.Labelled) -> None:
        self.complain(node, "this label stands inside another statement", "put BEGIN … END around it")

    def _goto(self, node: syntax.Goto) -> None:
        for block in reversed(self._open):
            if node.label in block.labels:
                node.target = block
                return
        routine = self.routine.owner
        while routine is not None:
            if node.label in routine.labels:
                node.target = routine.labels[node.label]
                return
            routine = routine.owner
        declared = self.scope.find(f"label {node.label}") is not None
        self.complain(
            node,
            f"GOTO {node.label} leads nowhere",
            "a label inside another statement cannot be reached" if declared else f"declare it: label {node.label};",
        )

    def _loop(self, node: syntax.Node, body: Callable[[], None]) -> None:
        self._loops += 1
        if self._loops + 2 * len([each for each in self._open if each.labels]) > _DEEPEST_LOOPS:
            self.complain(node, f"more than {_DEEPEST_LOOPS} loops inside each other", "put inner ones in a procedure")
        saved, self._barrier = self._barrier, 0
        body()
        self._barrier = saved
        self._loops -= 1

    def _while(self, node: syntax.While) -> None:
        self.condition(node.condition)
        self._loop(node, lambda: self.statement(node.body))

    def _repeat(self, node: syntax.Repeat) -> None:
        self._loop(node, lambda: self._list(node.body))
        self.condition(node.condition)

    def _for(self, node: syntax.For) -> None:
        kind = self.variable(node.variable, "what counts a FOR loop")
        symbol = node.variable.symbol
        for bound in (node.first, node.last):
            self.check(bound)
            alike = isinstance(bound.type, Ordinal) and isinstance(kind, Ordinal) and bound.type.host is kind.host
            if not alike and not isinstance(kind, Unknown) and not isinstance(bound.type, Unknown):
                self.complain(bound, f"'{node.variable.written}' is of type {kind}, this of type {bound.type}")
        if not isinstance(kind, (Ordinal, Unknown)):
            self.complain(node.variable, f"a FOR loop counts with integers, chars or enumerations, not with {kind}")
        if isinstance(symbol, WithField) or (isinstance(symbol, Variable) and symbol.by_reference):
            self.complain(node.variable, "a FOR loop counts with a variable of its own", "declare one")
            symbol = None
        if isinstance(symbol, Variable):
            symbol.counting += 1
        self._loop(node, lambda: self.statement(node.body))
        if isinstance(symbol, Variable):
            symbol.counting -= 1

    # ---------------------------------------------------------------- simple statements

    def _assign(self, node: syntax.Assign) -> None:
        target = node.target
        if isinstance(target, syntax.Name):
            symbol = self.scope.find(target.name)
            if isinstance(symbol, Routine) and symbol.result is not None and self._inside(symbol):
                target.symbol, target.type = symbol, symbol.result
                self.check(node.value)
                self.fits(node.value, symbol.result, f"the result of {symbol.written}")
                return
        kind = self.variable(target, "what stands before :=")
        self.check(node.value)
        if not isinstance(kind, Unknown):
            self.fits(node.value, kind, self.excerpt(target))

    def _inside(self, routine: Routine) -> bool:
        here: Routine | None = self.routine
        while here is not None and here is not routine:
            here = here.owner
        return here is routine

    def _invoke(self, node: syntax.Invoke) -> None:
        call = node.call
        symbol = self.scope.find(call.target.name)
        if isinstance(symbol, Builtin) and symbol.name not in FUNCTIONS:
            call.target.symbol = symbol
            self._standard_procedure(call, symbol.name)
            return
        if symbol is None and self.stubs_allowed and call.target.name not in self.skipped:
            hint = did_you_mean(call.target.written, self.scope.known(Routine, Builtin))
            if call.target.name not in self.hints and not hint.startswith("did you mean"):
                self._make_stub(call)
        self.call(call, statement=True)

    def _make_stub(self, call: syntax.Call) -> None:
        """A routine of ScorPas that the thesis does not list: it does nothing, and that is reported."""
        name = call.target.name
        self.stubs[name] = stub = Routine(
            call.target.written, [], None, None, external=True, stub=True, python=f"x_{name}"
        )
        scope = self.scope
        while scope.outer is not None and scope.outer.outer is not None:
            scope = scope.outer
        scope.names[name] = stub

    def _if(self, node: syntax.If) -> None:
        link: syntax.Statement | None = node
        while isinstance(link, syntax.If):
            self.condition(link.condition)
            self.statement(link.yes)
            link = link.no
        if link is not None:
            self.statement(link)

    def _case(self, node: syntax.Case) -> None:
        kind = self.check(node.selector)
        if not isinstance(kind, (Ordinal, Unknown)):
            self.complain(node.selector, f"CASE takes an integer, char or enumeration, this is of type {kind}")
        seen: list[tuple[int, int]] = []
        for branch in node.branches:
            for low, high in branch.labels:
                limits = self._limits(low, high, kind)
                if limits is None:
                    continue
                if any(a <= limits[1] and limits[0] <= b for a, b in seen):
                    self.complain(low, "this value has a branch already")
                seen.append(limits)
                branch.values.append(limits)
            self.statement(branch.body)
        if node.otherwise is not None:
            self._list(node.otherwise)

    def _limits(self, low: syntax.Expression, high: syntax.Expression | None, kind: Type) -> tuple[int, int] | None:
        numbers = []
        for each in (low, high or low):
            if each is low or high is not None:
                self.check(each)
            found = self.ordinal_constant(each, "the value of a branch")
            if found is None:
                return None
            if isinstance(kind, Ordinal) and found[0].host is not kind.host:
                self.complain(each, f"this CASE is of type {kind}, this value of type {found[0]}")
                return None
            numbers.append(found[1])
        return numbers[0], numbers[1]

    def _with(self, node: syntax.With) -> None:
        outer = self.scope
        for each in node.records:
            kind = self.check(each)
            self._temps += 1
            node.temps.append(f"_with{self._temps}")
            if not isinstance(kind, Record):
                if not isinstance(kind, Unknown):
                    self.complain(each, f"WITH opens a record, this is of type {kind}")
                continue
            self.scope = Scope(self.scope)
            for name, (place, inner) in kind.fields.items():
                self.scope.names[name] = WithField(name, inner, node.temps[-1], place)
        self.statement(node.body)
        self.scope = outer

    def _block(self, node: syntax.Block) -> None:
        self._list(node)

    def _empty(self, node: syntax.Empty) -> None:
        pass

    # ---------------------------------------------------------------- procedures with rules of their own

    def _standard_procedure(self, node: syntax.Call, name: str) -> None:
        given = node.arguments
        match name, len(given):
            case (("write" | "writeln"), _):
                for each in given:
                    self._printed(each)
            case (("read" | "readln"), _):
                for each in given:
                    self.variable(each, "what is read")
            case (("new" | "dispose"), 1):
                kind = self.variable(given[0], f"what goes to {name}") if name == "new" else self.check(given[0])
                if not isinstance(kind, (Pointer, Unknown)):
                    self.complain(given[0], f"{name} takes a pointer, this is of type {kind}")
            case (("inc" | "dec"), (1 | 2)):
                kind = self.variable(given[0], f"what goes to {name}")
                if not isinstance(kind, (Ordinal, Unknown)) or is_boolean(kind):
                    self.complain(given[0], f"{name} takes an integer, char or enumeration, this is of type {kind}")
                for each in given[1:]:
                    self.check(each)
                    self.fits(each, INTEGER, "the step")
            case "str", 2:
                self._printed(given[0])
                self._string_variable(given[1], "str")
            case "val", 3:
                self.check(given[0])
                self.fits(given[0], String("string", 255), "what val reads")
                kind = self.variable(given[1], "what val sets")
                if not is_number(kind) and not isinstance(kind, Unknown):
                    self.complain(given[1], f"val gives a number, this is of type {kind}")
                if not is_integer(self.variable(given[2], "the code of val")):
                    self.complain(given[2], "the code of val is an integer")
            case "insert", 3:
                if not is_text(self.check(given[0])):
                    self.complain(given[0], "insert takes a string")
                self._string_variable(given[1], "insert")
                self._integers(given[2:])
            case "delete", 3:
                self._string_variable(given[0], "delete")
                self._integers(given[1:])
            case "halt", (0 | 1):
                self._integers(given)
            case "exit", (0 | 1):
                self._exit(given)
            case (("break" | "continue"), 0):
                self._leave(node, name)
            case "randomize", 0:
                pass
            case _:
                self.complain(node, f"{name} is not called like this", f"write {EXAMPLES.get(name, name)}")

    def _printed(self, node: syntax.Expression) -> None:
        value = node
        if isinstance(node, syntax.Formatted):
            value, node.type = node.value, INTEGER
            self._integers([each for each in (node.width, node.decimals) if each is not None])
        kind = self.check(value)
        if isinstance(node, syntax.Formatted) and node.decimals is not None and not is_number(kind):
            self.complain(node.decimals, f"only numbers have decimals, this is of type {kind}")
        if not (is_number(kind) or is_text(kind) or is_boolean(kind) or isinstance(kind, Unknown)):
            hint = "write ord(…) of it" if isinstance(kind, Ordinal) else None
            self.complain(value, f"a value of type {kind} cannot be written", hint)

    def _string_variable(self, node: syntax.Expression, name: str) -> None:
        kind = self.variable(node, f"the string of {name}")
        if not isinstance(kind, (String, Unknown)):
            self.complain(node, f"{name} changes a string, this is of type {kind}")

    def _integers(self, nodes: list[syntax.Expression]) -> None:
        for each in nodes:
            self.check(each)
            self.fits(each, INTEGER, "this argument")

    def _exit(self, given: list[syntax.Expression]) -> None:
        for each in given:
            self.check(each)
            if self.routine.result is None:
                self.complain(each, "only a function has a value to exit with")
            else:
                self.fits(each, self.routine.result, f"the result of {self.routine.written}")

    def _leave(self, node: syntax.Call, name: str) -> None:
        if not self._loops:
            self.complain(node, f"{name} stands in no loop")
        elif self._barrier:
            self.complain(node, f"{name} cannot leave statements with labels", "use GOTO here, too")

    _STATEMENTS: ClassVar[dict[type, Callable[..., None]]] = {
        syntax.Assign: _assign,
        syntax.Invoke: _invoke,
        syntax.Block: _block,
        syntax.If: _if,
        syntax.While: _while,
        syntax.Repeat: _repeat,
        syntax.For: _for,
        syntax.Case: _case,
        syntax.With: _with,
        syntax.Goto: _goto,
        syntax.Labelled: _labelled,
        syntax.Empty: _empty,
    }
