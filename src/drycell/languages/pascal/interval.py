"""Intervals: between which numbers an ordinal expression must lie. What cannot go wrong need not be checked."""

from drycell.languages.pascal import syntax
from drycell.languages.pascal.constants import constant, number_of
from drycell.languages.pascal.symbols import Builtin
from drycell.languages.pascal.types import MAX_INT, MIN_INT, Ordinal, String, is_char

Interval = tuple[int, int]


def interval(node: syntax.Expression) -> Interval:
    """The least and the greatest ordinal number that a checked expression can have, overflows seen to."""
    value = constant(node)
    if value is not None and not isinstance(value, float) and isinstance(node.type, Ordinal):
        return number_of(value), number_of(value)
    if isinstance(node, (syntax.Binary, syntax.Unary)):
        low, high = unchecked(node)
        return max(low, MIN_INT), min(high, MAX_INT)
    if isinstance(node, syntax.Call) and isinstance(node.target.symbol, Builtin):
        return _function(node.target.symbol.name, node)
    kind = node.type
    return (kind.low, kind.high) if isinstance(kind, Ordinal) else (MIN_INT, MAX_INT)


def unchecked(node: syntax.Expression) -> Interval:
    """The same for an operation on integers, before anybody looks whether it overflows."""
    if isinstance(node, syntax.Unary):
        low, high = interval(node.operand)
        return (-high, -low) if node.operator == "-" else (low, high) if node.operator == "+" else (MIN_INT, MAX_INT)
    if not isinstance(node, syntax.Binary):
        return interval(node)
    (a, b), (c, d) = interval(node.left), interval(node.right)
    match node.operator:
        case "+":
            return a + c, b + d
        case "-":
            return a - d, b - c
        case "*":
            corners = (a * c, a * d, b * c, b * d)
            return min(corners), max(corners)
        case "div" if a >= 0 and c > 0:
            return a // d, b // c
        case "mod" if c > 0:
            return (0 if a >= 0 else 1 - d), d - 1
        case "and" if a >= 0 and c >= 0:
            return 0, min(b, d)
    kind = node.type
    return (kind.low, kind.high) if isinstance(kind, Ordinal) else (MIN_INT, MAX_INT)


def _function(name: str, node: syntax.Call) -> Interval:
    if name == "ord":
        return interval(node.arguments[0])
    if name in ("length", "pos"):
        return 0, longest(node.arguments[-1])
    if name == "random" and node.arguments:
        return 0, max(0, interval(node.arguments[0])[1] - 1)
    kind = node.type
    return (kind.low, kind.high) if isinstance(kind, Ordinal) else (MIN_INT, MAX_INT)


def longest(node: syntax.Expression) -> int:
    """How many characters the text of a checked expression can have."""
    if isinstance(node, syntax.Text):
        return len(node.value)
    if is_char(node.type):
        return 1
    if isinstance(node, syntax.Binary):
        return longest(node.left) + longest(node.right)
    if isinstance(node, syntax.Call) and isinstance(node.target.symbol, Builtin):
        if node.target.symbol.name == "concat":
            return sum(map(longest, node.arguments))
        if node.target.symbol.name == "copy":
            return longest(node.arguments[0])
    return node.type.length if isinstance(node.type, String) else node.type.size
