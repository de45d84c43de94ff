"""Arguments of robot files: quantities such as the travel of a track, which a cell can set.

A file declares them with their defaults, and refers to them with a dollar sign::

    arguments: {travel: 3 m}
    joints:
      carriage: {limits: [0 mm, $travel], …}
    base: [{box: [$travel + 800 mm, 300 mm, 160 mm], at: [$travel / 2, 0, 80 mm]}]

An expression is a sum of terms; a term can be multiplied or divided by plain numbers.
"""

import dataclasses
import math
import re
from collections.abc import Mapping
from typing import Final

from drycell.base import (
    DIMENSIONS,
    Amount,
    FileError,
    MechanismError,
    Mistake,
    Node,
    UnitError,
    UnknownName,
    dotted,
    parse,
    render,
    with_article,
    yamldoc,
)

Amounts = dict[str, Amount]

_TERM: Final = re.compile(
    r"(?P<minus>-)?(?P<number>\d+\.?\d*|\.\d+)?\s*(?P<times>\*\s*)?\$(?P<name>[A-Za-z_]\w*)(\s*(?P<op>[*/])\s*(?P<by>\d+\.?\d*|\.\d+))?\Z"
)
_SUM: Final = re.compile(r"\s+([+-])\s+")


def tree(text: str, file: str, given: Mapping[str, str | float] | None = None) -> Node:
    """The tree of a robot file in which arguments, and expressions with them, are replaced by their values.

    Args:
        text: The text of the file.
        file: The name of the file, for error messages.
        given: Values of arguments, as text with a unit or in SI units; the others have their defaults.

    Raises:
        FileError: The file is not YAML, or its arguments or expressions are wrong.
        UnknownName: The file has no such argument.
        MechanismError: A given value is wrong.
    """
    root, mistakes, amounts = yamldoc.parse(text, file), list[Mistake](), Amounts()
    for name, node in _declared(root).items():
        try:
            amounts[name] = amount(str(node.value))
        except UnitError as error:
            mistakes.append(Mistake(error.what, dotted(("arguments", name)), node.line, node.column, error.hint))
    for name, value in (given or {}).items():
        robot = root.child("robot")
        amounts[name] = _given(file if robot is None else str(robot.value), name, value, amounts)
    found = _replaced(root, (), amounts, mistakes)
    if mistakes:
        raise FileError.of(file, mistakes)
    return found


def arguments_in(root: Node) -> tuple[tuple[str, Amount], ...]:
    """The arguments of a tree with their values."""
    return tuple((name, amount(str(node.value))) for name, node in _declared(root).items())


def amount(text: str) -> Amount:
    """A quantity with its dimension. Raises UnitError."""
    for dimension in DIMENSIONS:
        if dimension != "ratio":
            try:
                return Amount(parse(text, dimension), dimension)
            except UnitError:
                continue
    raise UnitError(f"{text!r} is not a quantity", hint="write a number and a unit, such as '3 m'")


def shown(value: Amount) -> str:
    """A quantity as text with its unit."""
    return render(value, str(value.dimension))


def _declared(root: Node) -> dict[str, Node]:
    node = root.child("arguments")
    return node.value if node is not None and isinstance(node.value, dict) else {}


def _given(robot: str, name: str, value: str | float, amounts: Amounts) -> Amount:
    if name not in amounts:
        raise UnknownName(f"argument of {robot}", name, amounts)
    default = amounts[name]
    dimension, example = str(default.dimension), f"write for example {shown(default)!r}, its default"
    try:
        number = parse(value, dimension) if isinstance(value, str) else float(value)
    except UnitError as error:
        raise MechanismError(f"argument {name!r} of {robot}: {error.what}", hint=example) from None
    if not 0.0 < number < math.inf:
        raise MechanismError(f"argument {name!r} of {robot} is {value}, but must be above 0", hint=example)
    return Amount(number, dimension)


def _replaced(node: Node, path: tuple[str | int, ...], amounts: Amounts, mistakes: list[Mistake]) -> Node:
    value = node.value
    if path[:1] == ("arguments",) and len(path) == 2 and path[1] in amounts:
        return dataclasses.replace(node, value=shown(amounts[str(path[1])]))
    if isinstance(value, dict):
        inner = {key: _replaced(each, (*path, key), amounts, mistakes) for key, each in value.items()}
        return dataclasses.replace(node, value=inner)
    if isinstance(value, list):
        items = [_replaced(each, (*path, place), amounts, mistakes) for place, each in enumerate(value)]
        return dataclasses.replace(node, value=items)
    if not isinstance(value, str) or "$" not in value or path[:1] in (("title",), ("source",)):
        return node
    try:
        return dataclasses.replace(node, value=shown(_evaluated(value, amounts)))
    except (UnitError, UnknownName) as error:
        mistakes.append(Mistake(error.what, dotted(path), node.line, node.column, error.hint))
        return node


def _evaluated(text: str, amounts: Amounts) -> Amount:
    pieces = _SUM.split(text.strip())
    terms = [_term(each, text, amounts) for each in pieces[::2]]
    dimension = terms[0].dimension
    for other in terms[1:]:
        if other.dimension != dimension:
            what = f"{text!r} adds {with_article(str(dimension))} and {with_article(str(other.dimension))}"
            raise UnitError(what, hint="all terms of a sum must have the same dimension")
    signs = ("+", *pieces[1::2])
    return Amount(sum(-each if sign == "-" else each for sign, each in zip(signs, terms, strict=True)), dimension)


def _term(piece: str, text: str, amounts: Amounts) -> Amount:
    if "$" not in piece:
        return amount(piece)
    match = _TERM.match(piece)
    if match is None or bool(match["number"]) != bool(match["times"]):
        hint = "write a sum such as '$travel / 2 + 150 mm', with spaces around + and -"
        raise UnitError(f"{text!r} is not an expression", hint=hint)
    if match["name"] not in amounts:
        raise UnknownName("argument", match["name"], amounts)
    found = amounts[match["name"]]
    factor = float(match["number"] or 1.0) * (-1.0 if match["minus"] else 1.0)
    by = float(match["by"] or 1.0)
    if match["op"] == "/" and by == 0.0:
        raise UnitError(f"{text!r} divides by zero", hint="divide by another number")
    return Amount(found * factor / by if match["op"] == "/" else found * factor * by, found.dimension)
