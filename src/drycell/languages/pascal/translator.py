"""The translator: turns a program into one Python function; its routines, and those of units, become inner functions.

Nested Python functions read and change the variables around them like nested Pascal procedures. The code carries the
positions of the Pascal text, so Python itself knows the line and column that a program has reached, at no cost.
"""

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from types import CodeType
from typing import ClassVar, Final, TypeVar

from drycell.kernel import LOOK_EVERY
from drycell.languages.kit import SourceText
from drycell.languages.pascal import syntax
from drycell.languages.pascal.checker import Checked
from drycell.languages.pascal.constants import bounds, constant, number_of
from drycell.languages.pascal.symbols import (
    Builtin,
    ConstantSymbol,
    RoutineSymbol,
    TypeSymbol,
    VariableSymbol,
    WithField,
)
from drycell.languages.pascal.types import (
    BOOLEANS,
    CHARACTERS,
    INTEGERS,
    MAX_REAL,
    WORD,
    ArrayType,
    OrdinalType,
    PascalType,
    RealType,
    RecordType,
    SetType,
    StringType,
    is_boolean,
    is_integer,
    is_text,
)

T = TypeVar("T", bound=ast.AST)
_LOAD: Final = ast.Load()
_STORE: Final = ast.Store()
_COMPARISONS: Final[dict[str, type[ast.cmpop]]] = {
    "=": ast.Eq, "<>": ast.NotEq, "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE,
}  # fmt: skip
_ARITHMETIC: Final[dict[str, type[ast.operator]]] = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult}
_SETS: Final[dict[str, type[ast.operator]]] = {"+": ast.BitOr, "-": ast.Sub, "*": ast.BitAnd}
_BITS: Final[dict[str, type[ast.operator]]] = {"and": ast.BitAnd, "or": ast.BitOr, "xor": ast.BitXor}
_HELPERS: Final = {
    "sqrt": "_sqrt", "sin": "_sin", "cos": "_cos", "arctan": "_arctan", "exp": "_exp", "ln": "_ln",
    "trunc": "_trunc", "round": "_round",
}  # fmt: skip
_loops: Final = count(-1, -1)
"""Numbers of loops. They are negative, unlike those of Python programs."""
MAIN: Final = "__pascal__"
"""The name of the Python function that a program becomes; its argument is the ``ProgramRun``."""
PIECE: Final = "__piece"
"""The name of a function with some of the statements of a long program."""
_LONG: Final = 1_000
"""Statements of a piece. Only programs with more of them are divided: compiling a statement takes about 15 kB."""
_RUN: Final = ("_write", "_writeln", "_read", "_random", "_enter", "_leave")


def translate(checked: Checked) -> tuple[CodeType, dict[str, set[int]]]:
    """Translate a program into code that defines :data:`MAIN`.

    Returns:
        The code, and the lines that a breakpoint can be set on: those of each unit by its name, and those of the
        program under the empty name.
    """
    parts, lines = checked.all(), dict[str, set[int]]()
    _find_recursion([routine for part in parts for routine in _all(part.main)])
    body: list[ast.stmt] = [assign(name, ast.Attribute(load("_run"), name[1:], ast.Load())) for name in _RUN]
    for name in externals(checked):
        given = ast.Call(ast.Attribute(load("_run"), "external", ast.Load()), [literal(name)], [])
        body.append(assign(f"x_{name}", given))
    pieces: list[CodeType] = []
    for part in parts:
        unit = part.program.name.name if part.program.unit else ""
        translator = PascalTranslator(part, lines.setdefault(unit, set()))
        if part.program.unit:
            body += translator.unit()
        else:
            body += translator.opening()
            known = _bound(body)
            for statements in translator.pieces():
                body += _apart(statements, known, pieces) if translator.long else statements
    main = function(MAIN, ["_run"], body)
    program = checked.program
    module = PascalTranslator(checked, set()).placed(ast.Module([main], []), program)
    code = compile(module, program.source.file, "exec")
    files = {part.program.name.name: part.program.source.file for part in parts if part.program.unit}
    return _with_files(_with_pieces(code, iter(pieces)), files, program.source.file, program.name.written), lines


class PascalTranslator:
    """Translates one checked program or unit into Python statements."""

    def __init__(self, checked: Checked, lines: set[int]) -> None:
        self._part = checked
        self.source = checked.program.source
        self.lines = lines
        self.unit_name = checked.program.name.name if checked.program.unit else ""
        """The name of the unit, whose breakpoints have their own switch; empty for the program."""
        self.frame = PythonFunction(checked.main)

    def opening(self) -> list[ast.stmt]:
        """Translate the variables and routines of a program."""
        return self._opening(self._part.main)

    @property
    def long(self) -> bool:
        """Whether the statements of a program are compiled in pieces."""
        return len(self._statements) > _LONG

    def pieces(self) -> Iterator[list[ast.stmt]]:
        """Translate the statements of a program, a piece at a time."""
        for start in range(0, len(self._statements), _LONG):
            yield [made for each in self._statements[start : start + _LONG] for made in self._statement(each)]

    @property
    def _statements(self) -> Sequence[syntax.Statement]:
        main = self._part.main
        assert main.body is not None
        return main.body.statements.body

    def unit(self) -> list[ast.stmt]:
        """Translate a unit. Its statements become a function, so that they keep the unit's file name."""
        main, program = self._part.main, self._part.program
        made = self._opening(main)
        if program.body.statements.body:
            name = f"{program.name.name}__start"
            self.frame = PythonFunction(RoutineSymbol("start", [], None, main))
            body = self.block(program.body.statements)
            made += [function(name, [], [*self._nonlocals(), *body]), ast.Expr(call(name))]
        for each in made:
            self.placed(each, program.name)
        return made

    def _opening(self, routine: RoutineSymbol) -> list[ast.stmt]:
        """Translate a routine's variables with their initial values, and the routines inside it."""
        made: list[ast.stmt] = []
        values = dict(routine.values)
        for each in routine.variables:
            first = literal(values[each]) if each in values else self.initial(each.type)
            made.append(assign(each.python, ast.List([first], ast.Load()) if each.boxed else first))
        for inner in routine.routines:
            if inner.body is not None:
                made.append(self._routine_definition(inner, inner.body))
        return made

    def _routine_definition(self, routine: RoutineSymbol, body: syntax.RoutineBody) -> ast.stmt:
        outer, self.frame = self.frame, PythonFunction(routine)
        parameters, made = list[str](), list[ast.stmt]()
        for each in routine.parameters:
            if each.by_reference and not each.type.structured:
                parameters += [f"{each.python}_list", f"{each.python}_place"]
                continue
            parameters.append(each.python)
            if each.type.structured and not each.by_reference:
                made.append(assign(each.python, call("_copied", load(each.python))))
            elif each.boxed:
                made.append(assign(each.python, ast.List([load(each.python)], ast.Load())))
        made += self._opening(routine)
        if routine.result is not None:
            made.append(assign(f"r_{routine.python}", self.initial(routine.result)))
        statements = self.block(body.statements)
        if routine.result is not None:
            statements.append(ast.Return(load(f"r_{routine.python}")))
        if routine.recursive:
            statements = [
                ast.Expr(call("_enter", literal(routine.written))),
                ast.Try(statements or [ast.Pass()], [], [], [ast.Expr(call("_leave"))]),
            ]
        whole = function(routine.python, parameters, [*self._nonlocals(), *made, *statements])
        self.frame = outer
        return self.placed(whole, body)

    def _nonlocals(self) -> list[ast.stmt]:
        return [ast.Nonlocal(sorted(self.frame.outer))] if self.frame.outer else []

    # ---------------------------------------------------------------- statements

    def statements(self, node: syntax.Statement) -> list[ast.stmt]:
        """Translate a statement into at least one Python statement."""
        return self._statement(node) or [self.placed(ast.Pass(), node)]

    def block(self, node: syntax.CompoundStatement) -> list[ast.stmt]:
        """Translate the statements of a block."""
        return [made for each in node.body for made in self._statement(each)]

    def _statement(self, node: syntax.Statement) -> list[ast.stmt]:
        made = self._STATEMENTS[node.__class__](self, node)
        if made and not isinstance(node, syntax.CompoundStatement):
            line = self.source.position(node.start)[0]
            self.lines.add(line)
            marks, mark = mark_names(self.unit_name)
            made.insert(0, ast.If(load(marks), [ast.Expr(call(mark, literal(line)))], []))
        for each in made:
            self.placed(each, node)
        return made

    # ---------------------------------------------------------------- assignments and calls

    def _assign(self, node: syntax.Assign) -> list[ast.stmt]:
        target = node.target
        if isinstance(target, syntax.Name) and isinstance(target.symbol, RoutineSymbol):
            assert target.symbol.result is not None
            result = self.frame.result(target.symbol)
            if target.symbol.result.structured:
                self.frame.outer.discard(result)
                return [ast.Assign([whole(load(result))], self._copy(node.value, target.type))]
            return [assign(result, self.value_as(node.value, target.type))]
        if isinstance(target, syntax.Index) and isinstance(target.of.type, StringType):
            return self.changed(
                target.of,
                lambda text: call("_with_char", text, self.value(target.index), self.value(node.value)),
            )
        if target.type.structured:
            return [ast.Assign([whole(self.value(target))], self._copy(node.value, target.type))]
        return [self.set(target, self.value_as(node.value, target.type))]

    def _copy(self, node: syntax.Expression, kind: PascalType) -> ast.expr:
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
        assert isinstance(kind, OrdinalType)
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

    def _guarded(self, node: syntax.SyntaxNode, may_poll: bool) -> tuple[ast.stmt, list[ast.stmt]]:
        """The statements before a loop and at the start of its body that detect polling: see kernel/program_file.py."""
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
        made = self.block(node) if isinstance(node, syntax.CompoundStatement) else self._statement(node)
        self.frame.continues.pop()
        return made

    def _while(self, node: syntax.While) -> list[ast.stmt]:
        before, guard = self._guarded(node, True)
        return [before, ast.While(self.value(node.condition), [*guard, *self._body(node.body, [ast.Continue()])], [])]

    def _repeat(self, node: syntax.Repeat) -> list[ast.stmt]:
        before, guard = self._guarded(node, True)
        until = self.placed(ast.If(self.value(node.condition), [ast.Break()], []), node.condition)
        # CONTINUE must evaluate the condition, so the condition is part of its translation.
        body = self._body(node.body, [until, ast.Continue()])
        return [before, ast.While(literal(True), [*guard, *body, until], [])]

    def _for(self, node: syntax.For) -> list[ast.stmt]:
        before, guard = self._guarded(node, False)
        kind, symbol = node.variable.type, node.variable.symbol
        assert isinstance(kind, OrdinalType)
        assert isinstance(symbol, VariableSymbol)
        self.frame.assigns(symbol)
        first, last = self._bound(node.first, kind), self._bound(node.last, kind)
        step = literal(-1 if node.down else 1)
        numbers: ast.expr = call("range", first, _beyond(last, -1 if node.down else 1), step)
        if kind.low > bounds(node.first)[0] or bounds(node.last)[1] > kind.high or self._leaves(node, kind):
            numbers = call("_within", numbers, literal(kind.low), literal(kind.high), literal(kind.limits))
        if kind.host in (CHARACTERS, BOOLEANS):
            numbers = call("map", load("chr" if kind.host is CHARACTERS else "bool"), numbers)
        body = [*guard, *self._body(node.body, [ast.Continue()])]
        return [before, ast.For(stored(self.frame.variable(symbol)), self.placed(numbers, node), body, [])]

    def _leaves(self, node: syntax.For, kind: OrdinalType) -> bool:
        return bounds(node.first)[1] > kind.high or bounds(node.last)[0] < kind.low

    def _bound(self, node: syntax.Expression, kind: OrdinalType) -> ast.expr:
        made = self.value(node)
        if kind.host is CHARACTERS:
            return call("ord", made)
        return call("int", made) if kind.host is BOOLEANS else made

    _STATEMENTS: ClassVar[dict[type, Callable[..., list[ast.stmt]]]] = {
        syntax.Assign: _assign,
        syntax.Invoke: _invoke,
        syntax.CompoundStatement: block,
        syntax.If: _if,
        syntax.While: _while,
        syntax.Repeat: _repeat,
        syntax.For: _for,
        syntax.Case: _case,
        syntax.With: _with,
        syntax.Empty: lambda self, node: [],
    }

    def procedure(self, name: str, node: syntax.Call) -> list[ast.stmt]:
        """Translate a call of a standard procedure."""
        given = node.arguments
        match name:
            case "write" | "writeln":
                return [ast.Expr(call(f"_{name}", *(self._printed(each) for each in given)))]
            case "read" | "readln":
                return [ast.Expr(call("_read"))]
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
            case "include" | "exclude":
                return self._changed_set(given, ast.BitOr() if name == "include" else ast.Sub())
            case "break":
                return [ast.Break()]
            case "continue":
                return list(self.frame.continues[-1])
        return []  # randomize: random numbers depend on the seed of the run

    def set(self, target: syntax.Expression, value: ast.expr) -> ast.stmt:
        """``target := value``, for types that are not structured."""
        symbol = target.symbol if isinstance(target, syntax.Name) else None
        if isinstance(symbol, VariableSymbol):
            self.frame.assigns(symbol)
        return ast.Assign([stored(self.value(target))], value)

    def changed(self, target: syntax.Expression, change: Callable[[ast.expr], ast.expr]) -> list[ast.stmt]:
        """``target := change(target)``, with the indices of the target evaluated once."""
        place = self.value(target)
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
        low, high = bounds(given[1])
        step = self.value(given[1])
        by = ast.UnaryOp(ast.USub(), step) if sign < 0 else step
        reach = max(abs(low), abs(high))
        return self.changed(target, lambda old: self.stepped(target, old, by, (-reach, reach)))

    def _val(self, given: list[syntax.Expression]) -> list[ast.stmt]:
        temp, kind = self.frame.temp(), given[1].type
        if isinstance(kind, OrdinalType):
            found = call("_read_integer", self.text(given[0]), literal(kind.low), literal(kind.high))
        else:
            found = call("_read_real", self.text(given[0]))
        return [
            assign(temp, found),
            self.set(given[1], item(load(temp), literal(0))),
            self.set(given[2], item(load(temp), literal(1))),
        ]

    def _changed_set(self, given: list[syntax.Expression], operator: ast.operator) -> list[ast.stmt]:
        assert isinstance(given[0].type, SetType)
        assert given[0].type.element is not None
        element = ast.Set([self.value_as(given[1], given[0].type.element)])
        return self.changed(given[0], lambda old: binary(old, operator, element))

    def _exit(self, given: list[syntax.Expression]) -> list[ast.stmt]:
        routine = self.frame.routine
        if routine.result is None:
            return [ast.Return(None)]
        if given:
            return [ast.Return(self.value_as(given[0], routine.result))]
        return [ast.Return(load(self.frame.result(routine)))]

    def _cut(self, made: ast.expr, target: syntax.Expression) -> ast.expr:
        assert isinstance(target.type, StringType)
        return item(made, ast.Slice(None, literal(target.type.length)))

    # ---------------------------------------------------------------- printing

    def _printed(self, node: syntax.Expression) -> ast.expr:
        value, width, decimals = node, None, None
        if isinstance(node, syntax.Formatted):
            value, width = node.value, self.value(node.width)
            decimals = None if node.decimals is None else self.value(node.decimals)
        kind = value.type
        if decimals is not None and width is not None:
            made: ast.expr = call("_fixed", self.value(value), width, decimals)
        elif isinstance(kind, RealType):
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

    # ---------------------------------------------------------------- expressions

    def placed(self, made: T, node: syntax.SyntaxNode, at: int | None = None) -> T:
        """Give Python nodes the position of a Pascal node, or of an operator in it."""
        return placed(made, self.source, node.start if at is None else at, node.end if at is None else at + 1)

    def value(self, node: syntax.Expression) -> ast.expr:
        """Translate an expression."""
        known = constant(node)
        made = literal(known) if known is not None else self._TRANSLATIONS[node.__class__](self, node)
        return self.placed(made, node)

    def value_as(self, node: syntax.Expression, target: PascalType) -> ast.expr:
        """Translate an expression, with conversion to a type and a check of its range."""
        match target:
            case OrdinalType():
                made = self.checked(self.value(node), target, *bounds(node))
            case RealType():
                made = self._real(node)
            case StringType():
                made = self.text(node)
                length = node.type.length if isinstance(node.type, StringType) else node.type.size
                if length > target.length or isinstance(node, (syntax.Binary, syntax.Call)):
                    made = item(made, ast.Slice(None, literal(target.length)))
            case SetType(element=OrdinalType() as element):
                made = self._checked_set(node, element)
            case ArrayType() if isinstance(node.type, StringType) or (is_text(node.type) and not node.type.structured):
                made = call("_characters", self.value(node), literal(target.length))
            case _:
                made = self.value(node)
        return self.placed(made, node)

    def checked(self, made: ast.expr, kind: OrdinalType, low: int, high: int, complaint: str = "_range") -> ast.expr:
        """Add a range check to a value between two numbers, unless the type's range covers both."""
        if kind.low <= low and high <= kind.high:
            return made
        first, second = self.twice(made)
        limits = [literal(kind.limits), *([literal(kind.host.values)] if kind.host.values else [])]
        return ast.IfExp(
            between(kind.value(kind.low), first, kind.value(kind.high)), second, call(complaint, second, *limits)
        )

    def _checked_set(self, node: syntax.Expression, element: OrdinalType) -> ast.expr:
        made, given = self.value(node), node.type
        assert isinstance(given, SetType)
        if given.element is None or (element.low <= given.element.low and given.element.high <= element.high):
            return made
        limits = literal(element.value(element.low)), literal(element.value(element.high))
        return call("_set_range", made, *limits, literal(element.limits), literal(element.host.values))

    def twice(self, made: ast.expr) -> tuple[ast.expr, ast.expr]:
        """Evaluate a value once for use in two places; return the first use and the second."""
        if isinstance(made, (ast.Name, ast.Constant)):
            return made, made
        temp = self.frame.temp()
        return named(temp, made), load(temp)

    def text(self, node: syntax.Expression) -> ast.expr:
        """Translate a char, a string or an array of chars into a string."""
        made = self.value(node)
        if isinstance(node.type, ArrayType):
            made = ast.Call(ast.Attribute(literal(""), "join", ast.Load()), [made], [])
        return self.placed(made, node)

    def initial(self, kind: PascalType) -> ast.expr:
        """The initial value of a variable."""
        match kind:
            case ArrayType():
                element, length = self.initial(kind.element), literal(kind.length)
                if not kind.element.structured:
                    return binary(ast.List([element], ast.Load()), ast.Mult(), length)
                counter = ast.comprehension(ast.Name("_", ast.Store()), call("range", length), [], 0)
                return ast.ListComp(element, [counter])
            case RecordType():
                return ast.List([self.initial(each) for _, each in kind.fields.values()], ast.Load())
        return literal(kind.zero)

    # ---------------------------------------------------------------- variables

    def reference(self, node: syntax.Expression) -> list[ast.expr]:
        """The arguments for a VAR parameter: the list of an array or record, or else a list and an index into it."""
        made = self.value(node)
        if node.type.structured:
            return [made]
        assert isinstance(made, ast.Subscript)
        return [made.value, made.slice]

    def _name(self, node: syntax.Name) -> ast.expr:
        match node.symbol:
            case VariableSymbol() as symbol:
                return self.frame.variable(symbol)
            case WithField() as symbol:
                return item(load(symbol.temp), literal(symbol.place))
            case RoutineSymbol() as symbol:
                return self._routine(symbol, [])
            case Builtin() as symbol:
                return self._function(symbol.name, [], node)
            case ConstantSymbol() as symbol:
                return literal(symbol.value)
        raise AssertionError(node)

    def _index(self, node: syntax.Index) -> ast.expr:
        of = node.of.type
        if isinstance(of, StringType):
            return call("_char_at", self.value(node.of), self.value(node.index))
        assert isinstance(of, ArrayType)
        index = self.value(node.index)
        low, high = bounds(node.index)
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

    def _field(self, node: syntax.FieldAccess) -> ast.expr:
        assert isinstance(node.of.type, RecordType)
        return item(self.value(node.of), literal(node.of.type.fields[node.name][0]))

    # ---------------------------------------------------------------- operators

    def _real(self, node: syntax.Expression) -> ast.expr:
        known = constant(node)
        if isinstance(known, (int, float)):
            return literal(float(known))
        made = self.value(node)
        return call("float", made) if is_integer(node.type) else made

    def _unary(self, node: syntax.Unary) -> ast.expr:
        operand = self.value(node.operand)
        if node.operator == "not":
            if is_boolean(node.type):
                return negated(operand)
            if node.type is WORD:
                return binary(operand, ast.BitXor(), literal(WORD.high))
            return ast.UnaryOp(ast.Invert(), operand)
        if node.operator == "+":
            return operand
        return self._bounded(ast.UnaryOp(ast.USub(), operand), node, node.start)

    def _binary(self, node: syntax.Binary) -> ast.expr:
        sign = node.operator
        if sign in _COMPARISONS:
            return self._comparison(node)
        if isinstance(node.type, StringType):
            return binary(self.text(node.left), ast.Add(), self.text(node.right))
        left, right = self.value(node.left), self.value(node.right)
        if sign == "in":
            return compare(left, (ast.In(), right))
        if isinstance(node.type, SetType):
            return binary(left, _SETS[sign](), right)
        if sign in _ARITHMETIC:
            return self._bounded(binary(left, _ARITHMETIC[sign](), right), node, node.at)
        if sign in ("div", "mod"):
            (low, _), (least, _) = bounds(node.left), bounds(node.right)
            if low >= 0 and least > 0:
                return binary(left, ast.FloorDiv() if sign == "div" else ast.Mod(), right)
            made = self.placed(call(f"_{sign}", left, right), node, node.at)
            return self._bounded(made, node, node.at) if sign == "div" else made
        if sign == "/":
            if constant(node.right) is not None:
                return self._bounded(binary(left, ast.Div(), right), node, node.at)
            return self.placed(call("_over", left, right), node, node.at)
        if sign in ("shl", "shr"):
            return call(f"_{sign}", left, right, *_limits(node.type))
        if is_boolean(node.type) and sign != "xor":
            return ast.BoolOp(ast.And() if sign == "and" else ast.Or(), [left, right])
        return binary(left, _BITS[sign](), right)

    def _bounded(self, made: ast.expr, node: syntax.Expression, at: int) -> ast.expr:
        """Check that the result of an operation is in the range of its integers, or a finite real."""
        if isinstance(node.type, RealType):
            first, second = self.twice(made)
            finite = between(-MAX_REAL, first, MAX_REAL)
            return self.placed(ast.IfExp(finite, second, call("_too_large", second)), node, at)
        if not is_integer(node.type):
            return made
        return self.placed(self._in_range(made, node.type), node, at)

    def _in_range(self, made: ast.expr, kind: PascalType) -> ast.expr:
        low, high = _limits(kind)
        first, second = self.twice(made)
        inside = compare(low, (ast.LtE(), first), (ast.LtE(), high))
        return ast.IfExp(inside, second, call("_overflow", second, *_limits(kind)))

    def _comparison(self, node: syntax.Binary) -> ast.expr:
        left, right, sign = node.left, node.right, node.operator
        if sign in ("=", "<>") and isinstance(known := constant(right), bool):
            made = self.value(left)
            return made if known == (sign == "=") else negated(made)
        if is_text(left.type):
            return compare(self.text(left), (_COMPARISONS[sign](), self.text(right)))
        return compare(self.value(left), (_COMPARISONS[sign](), self.value(right)))

    def _set(self, node: syntax.SetConstructor) -> ast.expr:
        items: list[ast.expr] = [
            self.value(low)
            if high is None
            else ast.Starred(call("_values", self.value(low), self.value(high)), ast.Load())
            for low, high in node.items
        ]
        return call("frozenset", ast.Tuple(items, ast.Load()))

    # ---------------------------------------------------------------- calls

    def _call(self, node: syntax.Call) -> ast.expr:
        match node.target.symbol:
            case RoutineSymbol() as symbol:
                return self._routine(symbol, node.arguments)
            case Builtin() as symbol:
                return self._function(symbol.name, node.arguments, node)
            case TypeSymbol(type=OrdinalType() as kind):
                return self._cast(node.arguments[0], kind)
        raise AssertionError(node)

    def _routine(self, routine: RoutineSymbol, given: list[syntax.Expression]) -> ast.expr:
        made = list[ast.expr]()
        if routine.stub:
            made = [self.value(each) for each in given]
        for argument, parameter in zip(given, routine.parameters, strict=False):
            if parameter.by_reference:
                made += self.reference(argument)
            else:
                made.append(self.value_as(argument, parameter.type))
        return call(routine.python, *made)

    def _cast(self, node: syntax.Expression, kind: OrdinalType) -> ast.expr:
        assert isinstance(node.type, OrdinalType)
        if kind.host is node.type.host:
            return self.value_as(node, kind)
        number = self.checked(self._number(node), OrdinalType(kind.name, INTEGERS, kind.low, kind.high), *bounds(node))
        if kind.host is CHARACTERS:
            return call("chr", number)
        return call("bool", number) if is_boolean(kind) else number

    def _number(self, node: syntax.Expression) -> ast.expr:
        """Translate an expression into its ordinal number."""
        made = self.value(node)
        assert isinstance(node.type, OrdinalType)
        if node.type.host is CHARACTERS:
            return call("ord", made)
        return call("int", made) if is_boolean(node.type) else made

    def _function(self, name: str, given: list[syntax.Expression], node: syntax.Expression) -> ast.expr:
        if name in _HELPERS:
            return call(_HELPERS[name], self.value(given[0]))
        match name:
            case "abs":
                return self._in_integers(call("abs", self.value(given[0])), node, -bounds(given[0])[0])
            case "sqr":
                first, second = self.twice(self.value(given[0]))
                greatest = max(map(abs, bounds(given[0]))) ** 2
                return self._in_integers(binary(first, ast.Mult(), second), node, greatest)
            case "ord":
                return self._number(given[0])
            case "hi":
                return binary(binary(self.value(given[0]), ast.RShift(), literal(8)), ast.BitAnd(), literal(0xFF))
            case "lo":
                return binary(self.value(given[0]), ast.BitAnd(), literal(0xFF))
            case "swap":
                return call("_swap", self.value(given[0]), _limits(node.type)[1])
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
        """An ordinal plus a step, with a range check; ``by`` has the smallest and the largest step."""
        kind = node.type
        assert isinstance(kind, OrdinalType)
        low, high = bounds(node)
        if kind.host is CHARACTERS:
            made = call("_chr", binary(call("ord", made), ast.Add(), step))
        elif is_boolean(kind):
            made = call("_truth", binary(made, ast.Add(), step))
        else:
            made = binary(made, ast.Add(), step)
        return self.checked(made, kind, low + by[0], high + by[1])

    def _in_integers(self, made: ast.expr, node: syntax.Expression, greatest: int) -> ast.expr:
        if isinstance(node.type, RealType) and isinstance(made, ast.BinOp):
            return self._bounded(made, node, node.start)
        if not isinstance(node.type, OrdinalType) or greatest <= node.type.high:
            return made
        return self._in_range(made, node.type)

    _TRANSLATIONS: ClassVar[dict[type, Callable[..., ast.expr]]] = {
        syntax.Name: _name,
        syntax.Index: _index,
        syntax.FieldAccess: _field,
        syntax.Unary: _unary,
        syntax.Binary: _binary,
        syntax.Call: _call,
        syntax.SetConstructor: _set,
        syntax.Number: lambda self, node: literal(node.value),
        syntax.StringLiteral: lambda self, node: literal(node.value),
    }


class PythonFunction:
    """The Python function of a routine: its temporary variables, and the outer variables it assigns to."""

    def __init__(self, routine: RoutineSymbol) -> None:
        self.routine = routine
        self.outer: set[str] = set()
        """The variables of enclosing functions that it assigns to."""
        self.continues: list[list[ast.stmt]] = []
        """The translation of CONTINUE in each of the enclosing loops."""
        self._temps = count(1)

    def temp(self) -> str:
        """A new temporary variable."""
        return f"_{next(self._temps)}"

    def variable(self, symbol: VariableSymbol) -> ast.expr:
        """The expression for a variable."""
        if symbol.by_reference and not symbol.type.structured:
            return item(load(f"{symbol.python}_list"), load(f"{symbol.python}_place"))
        if symbol.boxed:
            return item(load(symbol.python), literal(0))
        return load(symbol.python)

    def assigns(self, symbol: VariableSymbol) -> None:
        """Note that one of its statements assigns to a variable."""
        if symbol.owner is not self.routine and not symbol.boxed and not symbol.by_reference:
            self.outer.add(symbol.python)

    def result(self, routine: RoutineSymbol) -> str:
        """The variable that holds the result of this function or an enclosing one."""
        name = f"r_{routine.python}"
        if routine is not self.routine:
            self.outer.add(name)
        return name


def externals(checked: Checked) -> dict[str, RoutineSymbol]:
    """The external routines and stubs, by their names in lower case."""
    found = dict[str, RoutineSymbol]()
    for part in checked.all():
        for each in (*(one for one in _all(part.main) if one.external), *part.stubs.values()):
            found.setdefault(each.python.removeprefix("x_"), each)
    return dict(sorted(found.items()))


def mark_names(unit: str) -> tuple[str, str]:
    """The names of the switch for breakpoints and of the function it calls: see kernel/program_file.py."""
    return (f"__marks_{unit}__", f"__mark_{unit}__") if unit else ("__marks__", "__mark__")


def _all(routine: RoutineSymbol) -> list[RoutineSymbol]:
    return [routine, *(inner for each in routine.routines for inner in _all(each))]


def _find_recursion(routines: list[RoutineSymbol]) -> None:
    """Mark the routines that can call themselves, directly or indirectly: the depth of their calls is counted."""
    calls = {each.number: each.calls for each in routines}
    for routine in routines:
        seen, waiting = set[int](), list(routine.calls)
        while waiting:
            number = waiting.pop()
            if number not in seen:
                seen.add(number)
                waiting.extend(calls.get(number, ()))
        routine.recursive = routine.number in seen


def _bound(body: Sequence[ast.stmt]) -> set[str]:
    """The names that statements of a function define in it: its variables and inner functions."""
    found = {each.name for each in body if isinstance(each, ast.FunctionDef)}
    targets = (target for each in body if isinstance(each, ast.Assign) for target in each.targets)
    return found | {each.id for each in targets if isinstance(each, ast.Name)}


def _apart(statements: list[ast.stmt], known: set[str], pieces: list[CodeType]) -> list[ast.stmt]:
    """Compile statements of a function as an inner function, so that their syntax trees need not be kept.

    The result defines and calls a function that has the same variables of the outer function and nothing else;
    :func:`_with_pieces` gives it the code. Statements that leave the program stay as they are.
    """
    nodes = [node for each in statements for node in ast.walk(each)]
    if not nodes or any(isinstance(each, ast.Return) for each in nodes):
        return statements
    names = [each for each in nodes if isinstance(each, ast.Name) and each.id in known]
    changed = sorted({each.id for each in names if isinstance(each.ctx, ast.Store)})
    used = sorted({each.id for each in names})
    shared: list[ast.stmt] = [ast.Nonlocal(changed)] if changed else []
    outer = function("_", used, [function(PIECE, [], [*shared, *statements])])
    place = {name: getattr(statements[0], name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}
    for node in ast.walk(outer):
        if isinstance(node, (ast.expr, ast.stmt, ast.arg)) and "lineno" not in node.__dict__:
            node.__dict__ |= place
    code = next(_inner(compile(ast.Module([outer], []), "", "exec"), PIECE))
    pieces.append(code)
    stub = function(PIECE, [], [*shared, *(ast.Expr(load(name)) for name in used)])
    made: list[ast.stmt] = [stub, ast.Expr(call(PIECE))]
    for node in (node for each in made for node in ast.walk(each)):
        if isinstance(node, (ast.expr, ast.stmt)):
            node.__dict__ |= place
    return made


def _inner(code: CodeType, name: str) -> Iterator[CodeType]:
    """The code of the inner functions with a name, in their order."""
    for each in code.co_consts:
        if isinstance(each, CodeType):
            if each.co_name == name:
                yield each
            yield from _inner(each, name)


def _with_pieces(code: CodeType, pieces: Iterator[CodeType]) -> CodeType:
    """Replace the code of the functions that :func:`_apart` has defined, in their order."""
    inner = []
    for each in code.co_consts:
        if isinstance(each, CodeType) and each.co_name == PIECE:
            piece = next(pieces)
            assert piece.co_freevars == each.co_freevars
            each = piece.replace(co_qualname=f"{MAIN}.<locals>.{PIECE}")
        elif isinstance(each, CodeType) and each.co_name == MAIN:
            each = _with_pieces(each, pieces)
        inner.append(each)
    return code.replace(co_consts=tuple(inner))


def _with_files(code: CodeType, files: dict[str, str], file: str, name: str) -> CodeType:
    """Name functions after their routines; the routines of units also get the unit's file name."""
    inner = []
    for each in code.co_consts:
        if isinstance(each, CodeType):
            unit, _, rest = each.co_name.partition("__")
            here = files.get(unit, file) if rest else file
            plain = name if each.co_name in (MAIN, PIECE) else (rest or unit).removeprefix("f_")
            each = _with_files(each, files, here, plain)
        inner.append(each)
    return code.replace(
        co_consts=tuple(inner), co_filename=file, co_name=name if code.co_name != "<module>" else code.co_name
    )


def _beyond(last: ast.expr, step: int) -> ast.expr:
    if isinstance(last, ast.Constant) and isinstance(last.value, int):
        return literal(last.value + step)
    return binary(last, ast.Add(), literal(step))


def _limits(kind: PascalType) -> tuple[ast.expr, ast.expr]:
    """The smallest and largest value of a type of integers."""
    assert isinstance(kind, OrdinalType)
    return literal(kind.low), literal(kind.high)


def _deep(kind: PascalType) -> bool:
    """Whether a type is an array or record that contains others."""
    if isinstance(kind, ArrayType):
        return kind.element.structured
    return isinstance(kind, RecordType) and any(each.structured for _, each in kind.fields.values())


# -------------------------------------------------------------------- nodes of Python's syntax tree


def load(name: str) -> ast.Name:
    """Read a variable."""
    return ast.Name(name, _LOAD)


def literal(value: object) -> ast.expr:
    """A constant. A list is created each time it is evaluated."""
    if isinstance(value, list):
        return ast.List([literal(each) for each in value], _LOAD)
    return ast.Constant(value)  # type: ignore[arg-type]  # any constant that a code object can hold


def call(name: str, *arguments: ast.expr) -> ast.Call:
    """``name(arguments)``."""
    return ast.Call(load(name), list(arguments), [])


def item(of: ast.expr, key: ast.expr) -> ast.Subscript:
    """``of[key]``."""
    return ast.Subscript(of, key, _LOAD)


def stored(place: ast.expr) -> ast.expr:
    """An expression that reads a variable, as the target of an assignment."""
    if isinstance(place, ast.Name):
        return ast.Name(place.id, _STORE)
    assert isinstance(place, ast.Subscript)
    return ast.Subscript(place.value, place.slice, _STORE)


def whole(of: ast.expr) -> ast.expr:
    """``of[:]`` as the target of an assignment."""
    return ast.Subscript(of, ast.Slice(), _STORE)


def assign(name: str, value: ast.expr) -> ast.Assign:
    """``name = value``."""
    return ast.Assign([ast.Name(name, _STORE)], value)


def named(name: str, value: ast.expr) -> ast.NamedExpr:
    """``(name := value)``."""
    return ast.NamedExpr(ast.Name(name, _STORE), value)


def binary(left: ast.expr, sign: ast.operator, right: ast.expr) -> ast.BinOp:
    """``left sign right``."""
    return ast.BinOp(left, sign, right)


def compare(left: ast.expr, *rest: tuple[ast.cmpop, ast.expr]) -> ast.Compare:
    """``left < right``, or a chain of comparisons."""
    return ast.Compare(left, [sign for sign, _ in rest], [right for _, right in rest])


def between(low: object, value: ast.expr, high: object) -> ast.Compare:
    """``low <= value <= high``."""
    return compare(literal(low), (ast.LtE(), value), (ast.LtE(), literal(high)))


def negated(value: ast.expr) -> ast.expr:
    """``not value``."""
    return ast.UnaryOp(ast.Not(), value)


def function(name: str, parameters: Sequence[str], body: list[ast.stmt]) -> ast.FunctionDef:
    """``def name(parameters): body``."""
    arguments = ast.arguments([], [ast.arg(each) for each in parameters], None, [], [], None, [])
    return ast.FunctionDef(name, arguments, body or [ast.Pass()], [])


def placed(made: T, source: SourceText, start: int, end: int) -> T:
    """Give a node, and every node in it that has no position yet, the position of a part of the Pascal text.

    Python then knows the line and columns of every instruction of a running program.
    """
    line, column = source.position(start)
    last, beyond = source.position(max(start, end))
    waiting: list[ast.AST] = [made]
    while waiting:
        node = waiting.pop()
        if "lineno" in node.__dict__:
            continue
        if isinstance(node, (ast.expr, ast.stmt, ast.arg, ast.excepthandler)):
            node.lineno, node.col_offset = line, column - 1
            node.end_lineno, node.end_col_offset = last, beyond - 1
        waiting.extend(ast.iter_child_nodes(node))
    return made
