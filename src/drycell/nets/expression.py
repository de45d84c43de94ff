"""Expressions on the arcs of coloured nets: values, names, tuples, arithmetic and comparisons.

Nothing in them is called or executed: the text is parsed into a tree of a few kinds of nodes, which is evaluated.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from drycell.nets.net import NetError

Token = bool | int | float | str | tuple["Token", ...] | None
"""A token of a coloured net: a value, or a tuple of values."""
Binding = Mapping[str, Token]
LONGEST: Final = 500
"""The most characters in an expression."""
_MOST: Final = 10**12

_SUMS: Final[dict[type[ast.operator], Callable[..., Token]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_TESTS: Final[dict[type[ast.cmpop], Callable[..., bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_TWO_SIDED = (ast.BoolOp, ast.UnaryOp, ast.IfExp)
_MARKS = (ast.And, ast.Or, ast.Not, ast.USub, ast.Load)


class ArcExpression:
    """A text that yields a token for given values of its names, or is matched with a token to bind them."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        self._root = _parsed(self.text)
        self.names = tuple(dict.fromkeys(n.id for n in ast.walk(self._root) if isinstance(n, ast.Name)))

    def value(self, binding: Binding) -> Token:
        """Return its value for a binding."""
        try:
            return _value(self._root, binding)
        except (TypeError, ZeroDivisionError, OverflowError) as error:
            bound = ", ".join(f"{name} = {value!r}" for name, value in binding.items()) or "nothing bound"
            raise NetError(f"'{self.text}' has no value with {bound}: {error}") from None

    def match(self, token: Token, binding: Binding) -> Binding | None:
        """Match a token: return the binding with the names that it adds, or None if the token does not match."""
        return _match(self._root, token, binding)

    @property
    def is_pattern(self) -> bool:
        """Whether tokens can be matched with it: names, values and tuples of them."""
        return all(
            isinstance(node, (ast.Name, ast.Constant, ast.Tuple, ast.Load, ast.UnaryOp, ast.USub))
            for node in ast.walk(self._root)
        )

    def __repr__(self) -> str:
        return f"<ArcExpression {self.text}>"


@lru_cache(maxsize=1024)
def _parsed(text: str) -> ast.expr:
    if not text or len(text) > LONGEST:
        raise NetError(f"an expression has 1 to {LONGEST} characters, not {len(text)}")
    try:
        root = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise NetError(
            f"'{text}' is not an expression", hint='write values, names and tuples: x, "nest", (who, n + 1)'
        ) from None
    for node in ast.walk(root):
        _check(node, text)
    return root


def _check(node: ast.AST, text: str) -> None:
    if isinstance(node, (ast.Name, ast.Tuple, ast.BinOp, ast.Compare, *_TWO_SIDED, *_MARKS)):
        if not isinstance(node, ast.BinOp) or type(node.op) in _SUMS:
            return
    elif isinstance(node, ast.Constant):
        if node.value is None or isinstance(node.value, (bool, int, float, str)):
            return
    elif isinstance(node, (*_SUMS, *_TESTS)):
        return
    raise NetError(
        f"'{text}' contains something that net expressions do not allow: {ast.unparse(node) or type(node).__name__}",
        hint="use values, names, tuples, + - * // %, comparisons, and, or, not, and a if c else b",
    )


def _value(node: ast.AST, binding: Binding) -> Token:
    match node:
        case ast.Constant():
            constant: Token = node.value  # type: ignore[assignment]  # see _check
            return constant
        case ast.Name():
            if node.id not in binding:
                raise NetError(f"'{node.id}' is not bound", hint=f"bound are {', '.join(binding) or 'none'}")
            return binding[node.id]
        case ast.Tuple():
            return tuple(_value(part, binding) for part in node.elts)
        case ast.IfExp():
            return _value(node.body if _value(node.test, binding) else node.orelse, binding)
        case ast.BoolOp():
            parts = (bool(_value(part, binding)) for part in node.values)
            return all(parts) if isinstance(node.op, ast.And) else any(parts)
        case ast.UnaryOp():
            inner = _value(node.operand, binding)
            return not inner if isinstance(node.op, ast.Not) else -_number(inner)
        case ast.BinOp():
            return _sum(node, _value(node.left, binding), _value(node.right, binding))
        case ast.Compare():
            left = _value(node.left, binding)
            for test, other in zip(node.ops, node.comparators, strict=True):
                right = _value(other, binding)
                if not _TESTS[type(test)](left, right):
                    return False
                left = right
            return True
    raise NetError(f"{ast.unparse(node)} has no value")


def _sum(node: ast.BinOp, left: Token, right: Token) -> Token:
    found = _SUMS[type(node.op)](_number(left), _number(right))
    if isinstance(found, (int, float)) and abs(found) > _MOST:
        raise OverflowError(f"{ast.unparse(node)} is beyond {_MOST:g}")
    return found


def _number(token: Token) -> int | float:
    if not isinstance(token, (int, float)):
        raise TypeError(f"{token!r} is not a number")
    return token


def _match(node: ast.AST, token: Token, binding: Binding) -> Binding | None:
    if isinstance(node, ast.Name):
        if node.id not in binding:
            return {**binding, node.id: token}
        return binding if binding[node.id] == token else None
    if isinstance(node, ast.Tuple):
        if not isinstance(token, tuple) or len(token) != len(node.elts):
            return None
        here: Binding | None = binding
        for part, value in zip(node.elts, token, strict=True):
            here = None if here is None else _match(part, value, here)
        return here
    return binding if _value(node, binding) == token else None
