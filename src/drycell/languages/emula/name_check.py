"""Finds misspelt names and wrong numbers of arguments in a program before its first statement runs.

What a name refers to can depend on the run (a subroutine can be declared in a branch, and LOAD adds others), so a name
counts as known if it is declared anywhere in the text.
"""

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Final

from drycell.languages.emula import syntax
from drycell.languages.emula.environment import Environment
from drycell.languages.emula.routines import argument_problem, routine_named, undeclared_hint, unknown_hint
from drycell.languages.kit import Diagnostic

_LOAD: Final = "load"
_MOST: Final = 20
"""The most mistakes that are listed."""


def name_problems(body: Iterable[syntax.Statement], scope: Environment) -> list[Diagnostic]:
    """The mistakes in the statements of a program, in order; ``scope`` is what the session knows already."""
    return _NameCheck(list(body), scope).problems()


def _nodes(node: object) -> Iterator[syntax.EmulaNode]:
    """A node and all nodes below it, or those of a list."""
    if isinstance(node, list):
        for each in node:
            yield from _nodes(each)
    elif isinstance(node, syntax.EmulaNode):
        yield node
        for each in fields(node):
            yield from _nodes(getattr(node, each.name))
    elif isinstance(node, syntax.Clauses):
        for part in (node.until, node.at, node.from_):
            yield from _nodes([part.sensors, part.limit] if isinstance(part, syntax.Until) else part)


class _NameCheck:
    """Looks through one text."""

    def __init__(self, body: list[syntax.Statement], scope: Environment) -> None:
        self._all = list(_nodes(body))
        self._loads = any(isinstance(each, syntax.Name) and each.name == _LOAD for each in self._all)
        self._subroutines = {each.name.name: each for each in self._all if isinstance(each, syntax.Subroutine)}
        self._declared = {each.name.name for each in self._all if isinstance(each, syntax.Declare)}
        self._declared |= {name.name for each in self._subroutines.values() for name in each.parameters}
        self._variables = self._declared | {*scope.variables}
        self._declared |= {*self._subroutines, *scope.names()}

    def problems(self) -> list[Diagnostic]:
        """All mistakes."""
        found = [each for node in self._all for each in self._of(node)]
        return sorted(found, key=lambda each: each.span.start)[:_MOST]

    def _of(self, node: syntax.EmulaNode) -> Iterator[Diagnostic]:
        match node:
            case syntax.Do():
                if isinstance(node.what, syntax.Name):
                    yield from self._known(node.what, "command")
                    yield from self._arguments(node.what, node.what, [])
                target = node.what.target if isinstance(node.what, syntax.Call) else node.what
                yield from self._clauses(target, node.clauses)
            case syntax.Call(target=syntax.Name() as target):
                yield from self._known(target, "command")
                yield from self._arguments(node, target, node.arguments)
            case syntax.Unary():
                yield from self._operands(node.operand)
            case syntax.Binary():
                yield from self._operands(node.left, node.right)
            case syntax.If() | syntax.While() | syntax.Repeat():
                yield from self._operands(node.condition)
            case syntax.Assign():
                yield from self._assigned(node.target)
                yield from self._operands(node.value)
            case syntax.Declare():
                yield from self._operands(node.value)
            case syntax.Reference():
                yield from self._known(node.name, "subroutine")

    def _operands(self, *nodes: syntax.Expression) -> Iterator[Diagnostic]:
        for node in nodes:
            if isinstance(node, syntax.Name):
                yield from self._known(node, "variable")

    def _assigned(self, target: syntax.Expression) -> Iterator[Diagnostic]:
        while isinstance(target, syntax.Call):
            target = target.target
        if isinstance(target, syntax.Name) and target.name not in self._declared and not self._loads:
            hint = undeclared_hint(target, self._variables)
            yield Diagnostic(target.span, f"unknown variable {target.written!r}", hint)

    def _known(self, name: syntax.Name, kind: str) -> Iterator[Diagnostic]:
        if name.name not in self._declared and routine_named(name.name) is None and not self._loads:
            hint = unknown_hint(kind, name, self._declared)
            yield Diagnostic(name.span, f"unknown {kind} {name.written!r}", hint)

    def _arguments(
        self, node: syntax.Expression, target: syntax.Name, given: list[syntax.Expression]
    ) -> Iterator[Diagnostic]:
        subroutine, known = self._subroutines.get(target.name), routine_named(target.name)
        if known is None or subroutine is not None or target.name in self._declared:
            return
        problem = argument_problem(known, len(given))
        if problem is not None:
            yield Diagnostic(node.span, problem, " or ".join(known.usage))

    def _clauses(self, target: syntax.Expression, clauses: syntax.Clauses | None) -> Iterator[Diagnostic]:
        if clauses is None or not isinstance(target, syntax.Name) or target.name in self._declared:
            return
        known = routine_named(target.name)
        for word, span in clauses.spans.items():
            if known is not None and word not in known.clauses:
                yield Diagnostic(span, f"{known.name} does not accept {word.upper()}", " or ".join(known.usage))
