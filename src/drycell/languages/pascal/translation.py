"""Translation of programs: one Python function, with the routines and those of the units as functions inside it.

Nested functions of Python see and change the variables around them just as nested procedures of Pascal do, each call
those of its own activation. The places of the Pascal text go into the code, so that Python itself tells at which line
and column a program stands, at no cost.
"""

import ast
from types import CodeType
from typing import Final

from drycell.languages.pascal import syntax
from drycell.languages.pascal.checker import Checked
from drycell.languages.pascal.frame import Frame
from drycell.languages.pascal.python_tree import assign, call, function, literal, load
from drycell.languages.pascal.statement_translation import StatementTranslator
from drycell.languages.pascal.symbols import Routine

MAIN: Final = "__pascal__"
"""The Python function that a program becomes; its argument is the :class:`~drycell.languages.pascal.run.Run`."""
_RUN: Final = ("_write", "_writeln", "_read", "_new", "_dispose", "_random", "_enter", "_leave")


def translate(checked: Checked) -> tuple[CodeType, dict[str, set[int]]]:
    """The code of a program that defines :data:`MAIN`, and the lines that a break point can be set on.

    The lines are those of each unit by its name; under the empty name those of the program.
    """
    parts, lines = checked.all(), dict[str, set[int]]()
    _find_recursion([routine for part in parts for routine in _all(part.main)])
    body: list[ast.stmt] = [assign(name, ast.Attribute(load("_run"), name[1:], ast.Load())) for name in _RUN]
    for name in externals(checked):
        given = ast.Call(ast.Attribute(load("_run"), "external", ast.Load()), [literal(name)], [])
        body.append(assign(f"x_{name}", given))
    for part in parts:
        unit = part.program.name.name if part.program.unit else ""
        translator = _Translator(part, lines.setdefault(unit, set()))
        body += translator.unit() if part.program.unit else translator.program()
    main = function(MAIN, ["_run"], body)
    program = checked.program
    module = _Translator(checked, set()).placed(ast.Module([main], []), program)
    code = compile(module, program.source.file, "exec")
    files = {part.program.name.name: part.program.source.file for part in parts if part.program.unit}
    return _with_files(code, files, program.source.file, program.name.written), lines


class _Translator(StatementTranslator):
    def __init__(self, checked: Checked, lines: set[int]) -> None:
        self._part = checked
        self.source = checked.program.source
        self.lines = lines
        self.home = checked.program.name.name if checked.program.unit else ""
        self.frame = Frame(checked.main)

    def program(self) -> list[ast.stmt]:
        """The variables, routines and statements of the program."""
        main = self._part.main
        assert main.body is not None
        return [*self._opening(main), *self.block(main.body.statements)]

    def unit(self) -> list[ast.stmt]:
        """Those of a unit; its statements in a function of their own, whose file is the unit's."""
        main, program = self._part.main, self._part.program
        made = self._opening(main)
        if program.body.statements.body:
            name = f"{program.name.name}__start"
            self.frame = Frame(Routine("start", [], None, main))
            body = self.block(program.body.statements)
            made += [function(name, [], [*self._nonlocals(), *body]), ast.Expr(call(name))]
        for each in made:
            self.placed(each, program.name)
        return made

    def _opening(self, routine: Routine) -> list[ast.stmt]:
        """A routine's variables with their first values, and the routines inside it."""
        made: list[ast.stmt] = []
        values = dict(routine.values)
        for each in routine.variables:
            first = literal(values[each]) if each in values else self.initial(each.type)
            made.append(assign(each.python, ast.List([first], ast.Load()) if each.boxed else first))
        for inner in routine.routines:
            if inner.body is not None:
                made.append(self._routine_definition(inner, inner.body))
        return made

    def _routine_definition(self, routine: Routine, body: syntax.Body) -> ast.stmt:
        outer, self.frame = self.frame, Frame(routine)
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


def _all(routine: Routine) -> list[Routine]:
    return [routine, *(inner for each in routine.routines for inner in _all(each))]


def externals(checked: Checked) -> dict[str, Routine]:
    """The routines that come from outside, by their names in lower case."""
    found = dict[str, Routine]()
    for part in checked.all():
        for each in (*(one for one in _all(part.main) if one.external), *part.stubs.values()):
            found.setdefault(each.python.removeprefix("x_"), each)
    return dict(sorted(found.items()))


def _find_recursion(routines: list[Routine]) -> None:
    """Mark those that can come to call themselves: only these need to be counted."""
    calls = {each.number: each.calls for each in routines}
    for routine in routines:
        seen, waiting = set[int](), list(routine.calls)
        while waiting:
            number = waiting.pop()
            if number not in seen:
                seen.add(number)
                waiting.extend(calls.get(number, ()))
        routine.recursive = routine.number in seen


def _with_files(code: CodeType, files: dict[str, str], file: str, name: str) -> CodeType:
    """The code with the functions of units in their own files, and all under the names their author gave them."""
    inner = []
    for each in code.co_consts:
        if isinstance(each, CodeType):
            unit, _, rest = each.co_name.partition("__")
            here = files.get(unit, file) if rest else file
            plain = name if each.co_name == MAIN else (rest or unit).removeprefix("f_")
            each = _with_files(each, files, here, plain)
        inner.append(each)
    return code.replace(
        co_consts=tuple(inner), co_filename=file, co_name=name if code.co_name != "<module>" else code.co_name
    )
