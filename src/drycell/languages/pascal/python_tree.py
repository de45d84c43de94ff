"""Pieces of Python's syntax tree, and how they get the places of the Pascal text they are made from."""

import ast
from collections.abc import Sequence
from typing import Final, TypeVar

from drycell.languages.kit import Source

T = TypeVar("T", bound=ast.AST)
_LOAD: Final = ast.Load()
_STORE: Final = ast.Store()


def load(name: str) -> ast.Name:
    """A variable that is read."""
    return ast.Name(name, _LOAD)


def literal(value: object) -> ast.expr:
    """A constant; lists are made anew each time."""
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
    """The same place to assign to."""
    if isinstance(place, ast.Name):
        return ast.Name(place.id, _STORE)
    assert isinstance(place, ast.Subscript)
    return ast.Subscript(place.value, place.slice, _STORE)


def whole(of: ast.expr) -> ast.expr:
    """``of[:]``, to assign to."""
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


def placed(made: T, source: Source, start: int, end: int) -> T:
    """Gives a piece, and all in it that has no place yet, the place of a stretch of the Pascal text.

    Python then tells, of any instruction of a running program, the line and columns it was made from.
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
