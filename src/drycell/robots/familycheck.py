"""Checks of family files: every missing node, motor or limit at once, each with its line, for one model or all."""

from collections.abc import Iterator
from pathlib import Path

from drycell.datafile import FieldPath, Node, field_name, read_tree, validated
from drycell.errors import FileError, Mistake, did_you_mean
from drycell.robots.builder import Builder, parsed
from drycell.robots.description import RobotFile, read_robot
from drycell.robots.family import FamilyFile, ModelSpec, read_family


def family_mistakes(text: str, file: str, folder: Path | None = None, model: str | None = None) -> list[Mistake]:
    """All that is wrong with a family file; of one model's solids only, if one is named."""
    tree = read_tree(text, file)
    _, found = validated(FamilyFile, tree)
    known = {(mistake.line, mistake.field) for mistake in found}
    found += [each for each in _structure(tree, model) if (each.line, each.field) not in known]
    others = tuple(f"models.{name}." for name in _names(tree, "models") if model not in (None, name))
    found = [mistake for mistake in found if not mistake.field.startswith(others)]
    if not found:
        try:
            if model is not None:
                looks = parsed(text, FamilyFile, file)[0].models[model]
                _solids(looks, Builder(file, tree, folder), ("models", model))
            read_family(text, file, folder)
        except FileError as error:
            found = [mistake for mistake in error.mistakes if not mistake.field.startswith(others)]
    return sorted(found, key=lambda each: (each.line or 0, each.column or 0))


def model_mistakes(family: FamilyFile, text: str, file: str, folder: Path | None = None) -> list[Mistake]:
    """All that keeps a model in a file of its own from standing for a family.

    The file has ``nodes:`` with their solids as in a family file, or describes a whole robot with joints and links.
    """
    tree = read_tree(text, file)
    found: list[Mistake] = []
    if _names(tree, "joints") or _names(tree, "links"):
        _, found = validated(RobotFile, tree)
        found += [] if found else _robot(family, tree, text, file)
        where: FieldPath = ("links",)
    else:
        _, found = validated(ModelSpec, tree)
        where = ("nodes",)
    found += _nodes(tree, where, list(family.nodes), f"family {family.family!r}", "this model")
    if not found:
        try:
            _build(tree, text, file, folder)
        except FileError as error:
            found = list(error.mistakes)
    return sorted(found, key=lambda each: (each.line or 0, each.column or 0))


def _structure(tree: Node, only: str | None) -> Iterator[Mistake]:
    """What can be said of names alone, even if other things are wrong."""
    motors, nodes, models = (_names(tree, name) for name in ("motors", "nodes", "models"))
    family = f"family {_text(tree, 'family')!r}"
    if only is not None and only not in models:
        yield _mistake(tree, ("models",), f"there is no model {only!r}", did_you_mean(only, models))
    for name in models:
        if only in (None, name):
            yield from _nodes(tree, ("models", name, "nodes"), nodes, family, f"model {name!r}")
    moving: set[str] = set()
    for node in nodes:
        moves = _at(tree, ("nodes", node, "moves"))
        for index, move in enumerate(moves.value if moves is not None and isinstance(moves.value, list) else []):
            by = _text(move, "by")
            moving.add(by)
            if by and by not in motors:
                path: FieldPath = ("nodes", node, "moves", index, "by")
                yield _mistake(tree, path, f"there is no motor {by!r}", did_you_mean(by, motors))
    for motor in motors:
        if motor not in moving:
            what, hint = f"motor {motor!r} moves no node", f"add 'moves: [{{by: {motor}, axis: x}}]' to a node"
            yield _mistake(tree, ("motors", motor), what, hint)
    default = _text(tree, "default")
    if default and default not in models:
        yield _mistake(tree, ("default",), f"there is no model {default!r}", did_you_mean(default, models))


def _nodes(tree: Node, path: FieldPath, wanted: list[str], family: str, model: str) -> Iterator[Mistake]:
    there = _names(tree, *path)
    for name in wanted:
        if name not in there:
            hint = f"add '{name}: []' if it is not to be seen" if path[-1] == "nodes" else f"add a link {name!r}"
            yield _mistake(tree, path, f"{model} lacks node {name!r}, which {family} requires", hint)
    for name in there:
        if name not in wanted and path[-1] == "nodes":
            yield _mistake(tree, (*path, name), f"{family} has no node {name!r}", did_you_mean(name, wanted))


def _robot(family: FamilyFile, tree: Node, text: str, file: str) -> Iterator[Mistake]:
    """A robot's joints against a family's motors."""
    robot, _ = parsed(text, RobotFile, file)
    for name, motor in family.motors.items():
        if name not in robot.joints:
            what = f"this robot lacks motor {name!r}, which family {family.family!r} requires"
            yield _mistake(tree, ("joints",), what, f"add a joint {name!r}")
        elif robot.joints[name].limits != motor.limits:
            what = f"its limits are not those of motor {name!r} of family {family.family!r}"
            yield _mistake(tree, ("joints", name, "limits"), what, "write the family's limits")
    for name in robot.joints:
        if name not in family.motors:
            what = f"family {family.family!r} has no motor {name!r}"
            yield _mistake(tree, ("joints", name), what, did_you_mean(name, family.motors))


def _build(tree: Node, text: str, file: str, folder: Path | None) -> None:
    """Makes the solids, which is where meshes that are not there and sizes that cannot be are found."""
    if _names(tree, "links"):
        read_robot(text, file, folder)
        return
    looks, _ = parsed(text, ModelSpec, file)
    _solids(looks, Builder(file, tree, folder), ())


def _solids(looks: ModelSpec, builder: Builder, path: FieldPath) -> None:
    for name, pieces in looks.nodes.items():
        builder.shape(pieces, (*path, "nodes", name))
    builder.shape(looks.base, (*path, "base"))


def _at(tree: Node, path: FieldPath) -> Node | None:
    node = tree
    for step in path:
        if not isinstance(node.value, dict) or not isinstance(step, str) or step not in node.value:
            return None
        node = node.value[step]
    return node


def _names(tree: Node, *path: str | int) -> list[str]:
    node = _at(tree, path)
    return list(node.value) if node is not None and isinstance(node.value, dict) else []


def _text(tree: Node, name: str) -> str:
    node = _at(tree, (name,))
    return node.value if node is not None and isinstance(node.value, str) else ""


def _mistake(tree: Node, path: FieldPath, what: str, hint: str | None = None) -> Mistake:
    line, column = tree.place_of(path, key=True)
    return Mistake(what, field_name(path), line, column, hint)
