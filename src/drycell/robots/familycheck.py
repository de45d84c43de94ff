"""Checks of family files: every missing node, motor or limit at once, each with its line, for one model or all."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from drycell.base import MISSING, FileError, Mistake, Node, OneOf, Problem, Reader, did_you_mean, dotted, yamldoc
from drycell.robots.builder import Builder
from drycell.robots.description import SHAPES, RobotFile, read_robot
from drycell.robots.family import FamilyFile, ModelSpec, Structure, built


def family_mistakes(text: str, file: str, folder: Path | None = None, model: str | None = None) -> list[Mistake]:
    """All mistakes in a family file; of one model only, if one is named."""
    root = yamldoc.parse(text, file)
    reader = Reader(root, SHAPES)
    spec = OneOf(FamilyFile).read(root, (), reader)
    structure, models = _structure(root), _names(root, "models")
    found = list(_placed(root, [*structure.problems(), *structure.models_problems(model)]))
    if model is not None and model not in models:
        found += _placed(root, [Problem(("models",), f"there is no model {model!r}", did_you_mean(model, models))])
    known = {(each.what, each.field) for each in found}
    found += [each for each in reader.mistakes if (each.what, each.field) not in known]
    if spec is not MISSING and not found:
        wanted = spec if model is None else spec.changed(models={model: spec.models[model]}, default=model)
        try:
            built(wanted, Builder(file, root, folder))
        except FileError as error:
            found = list(error.mistakes)
    others = tuple(f"models.{name}." for name in models if model not in (None, name))
    return _in_order(each for each in found if not each.field.startswith(others))


def model_mistakes(family: FamilyFile, text: str, file: str, folder: Path | None = None) -> list[Mistake]:
    """All that keeps a model in a file of its own from belonging to a family.

    The file has ``nodes:`` with their solids as in a family file, or describes a whole robot with joints and links.
    """
    root = yamldoc.parse(text, file)
    whole = bool(_names(root, "joints") or _names(root, "links"))
    reader = Reader(root, SHAPES)
    spec = OneOf(RobotFile if whole else ModelSpec).read(root, (), reader)
    found = list(reader.mistakes)
    if whole:
        found += _placed(root, _robot_problems(family, spec)) if isinstance(spec, RobotFile) else ()
        missing = (name for name in family.nodes if name not in _names(root, "links"))
        found += _placed(root, (_lacks(family, name) for name in missing))
    else:
        nodes = _names(root, "nodes")
        found += _placed(root, family.structure.model_problems(nodes, "this model", ("nodes",)))
    if not found:
        try:
            _build(spec, text, file, folder, root)
        except FileError as error:
            found = list(error.mistakes)
    return _in_order(found)


def _structure(root: Node) -> Structure:
    """The names in a family file, as far as they can be read."""
    moves = {}
    for node in _names(root, "nodes"):
        listed = root.find(("nodes", node, "moves"))
        items = listed.value if listed is not None and isinstance(listed.value, list) else []
        moves[node] = [_text(item, "by") for item in items]
    models = {name: _names(root, "models", name, "nodes") for name in _names(root, "models")}
    return Structure(_text(root, "family"), _names(root, "motors"), moves, models, _text(root, "default"))


def _lacks(family: FamilyFile, node: str) -> Problem:
    what = f"this model lacks node {node!r}, which family {family.family!r} requires"
    return Problem(("links",), what, f"add a link {node!r}")


def _robot_problems(family: FamilyFile, robot: RobotFile) -> Iterator[Problem]:
    """A robot's joints against a family's motors."""
    for name in family.motors:
        if name not in robot.joints:
            what = f"this robot lacks motor {name!r}, which family {family.family!r} requires"
            yield Problem(("joints",), what, f"add a joint {name!r}")
        elif _limits(robot, name) != _limits(family, name):
            what = f"its limits are not those of motor {name!r} of family {family.family!r}"
            yield Problem(("joints", name, "limits"), what, "write the family's limits")
    for name in robot.joints:
        if name not in family.motors:
            what = f"family {family.family!r} has no motor {name!r}"
            yield Problem(("joints", name), what, did_you_mean(name, family.motors))


def _limits(spec: RobotFile | FamilyFile, name: str) -> tuple[object, ...]:
    joint = spec.joints[name] if isinstance(spec, RobotFile) else spec.motors[name]
    return joint.turns, joint.limits


def _build(spec: RobotFile | ModelSpec, text: str, file: str, folder: Path | None, root: Node) -> None:
    """Makes the solids, which finds missing mesh files and impossible sizes."""
    if isinstance(spec, RobotFile):
        read_robot(text, file, folder)
        return
    builder = Builder(file, root, folder)
    for name, pieces in spec.nodes.items():
        builder.shape(pieces, ("nodes", name))
    builder.shape(spec.base, ("base",))


def _names(root: Node, *path: str) -> list[str]:
    node = root.find(path)
    return list(node.value) if node is not None and isinstance(node.value, dict) else []


def _text(node: Node, name: str) -> str:
    found = node.child(name)
    return found.value if found is not None and isinstance(found.value, str) else ""


def _placed(root: Node, problems: Iterable[Problem]) -> Iterator[Mistake]:
    """Mistakes at the names of the fields."""
    for path, what, hint in problems:
        node = root.place(path, key=True)
        yield Mistake(what, dotted(path), node.line, node.column, hint)


def _in_order(mistakes: Iterable[Mistake]) -> list[Mistake]:
    return sorted(mistakes, key=lambda each: (each.line or 0, each.column or 0))
