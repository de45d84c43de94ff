"""Families (EMULA's word): one robot as motors, limits, sensors and moving nodes, and several models of its looks.

A family says which nodes a model must have and how the motors move them; a model gives the nodes their solids, from a
disembodied hand to a detailed machine. All models of a family have the same joints, so programs and motor values carry
over from one to another.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from drycell.base import (
    MISSING,
    Duration,
    FileError,
    InvalidThing,
    MechanismError,
    Mistake,
    Name,
    Node,
    OneOf,
    Problem,
    Reader,
    Thing,
    UnknownName,
    did_you_mean,
    dotted,
    read_with_places,
    yamldoc,
)
from drycell.geometry import PosedShape
from drycell.robots.description import (
    SHAPES,
    Builder,
    FrameSpec,
    JointSpec,
    JointValue,
    NodeSpec,
    PathSpeed,
    RobotFile,
    attachment_problems,
    frame_problems,
    home_problems,
    read_robot,
)
from drycell.robots.mechanism import Mechanism


class ModelSpec(Thing):
    """The solids of the nodes. A node without solids is written ``[]``: it exists, but cannot be seen or hit."""

    base: tuple[PosedShape, ...] = ()
    """Solids of the part that does not move."""
    nodes: dict[Name, tuple[PosedShape, ...]]
    """Solids of every node."""


class FamilyFile(Thing):
    """A family file."""

    family: Name
    """Name of the family."""
    title: str = ""
    """What it is, in a few words."""
    source: str
    """Where its numbers come from."""
    motors: dict[Name, JointSpec]
    """Its motors, in the order of their values."""
    sensors: tuple[str, ...] = ()
    """Names of its sensors."""
    nodes: dict[Name, NodeSpec]
    """The nodes that every model must have, each after the one it is attached to."""
    flange: FrameSpec
    """The face that tools are mounted on."""
    frames: dict[Name, FrameSpec] | None = None
    """Further frames by name."""
    path_speed: PathSpeed | None = None
    """Greatest speed of the tool on a path."""
    cycle: Duration | None = None
    """Basic cycle of its controller."""
    home: tuple[JointValue, ...] = ()
    """Motor values it starts at; zero by default."""
    default: Name
    """The model that is used when none is named."""
    models: dict[Name, ModelSpec]
    """Its models by name."""

    def problems(self) -> Iterable[Problem]:
        """Every motor moves a node, and names refer to what exists. Models are checked when they are built."""
        yield from self.structure.problems()
        yield from attachment_problems(self.nodes, "nodes")
        yield from frame_problems(self.flange, self.nodes, ("flange",))
        for name, frame in (self.frames or {}).items():
            yield from frame_problems(frame, self.nodes, ("frames", name))
        yield from home_problems(self.home, self.motors)

    @property
    def structure(self) -> "Structure":
        """Its names."""
        moves = {name: [move.by for move in node.moves] for name, node in self.nodes.items()}
        models = {name: list(model.nodes) for name, model in self.models.items()}
        return Structure(self.family, list(self.motors), moves, models, self.default)


@dataclass(frozen=True, slots=True)
class Structure:
    """The names in a family file: all that its structure can be checked by, even if other fields are invalid."""

    family: str
    motors: list[str]
    moves: Mapping[str, list[str]]
    """The motors that move each node."""
    models: Mapping[str, list[str]]
    """The nodes of each model."""
    default: str

    def problems(self) -> Iterator[Problem]:
        """Motors that do not exist or move nothing, and a default that is not among the models."""
        for node, motors in self.moves.items():
            for index, motor in enumerate(motors):
                if motor and motor not in self.motors:
                    path = ("nodes", node, "moves", index, "by")
                    yield Problem(path, f"there is no motor {motor!r}", did_you_mean(motor, self.motors))
        moving = {motor for motors in self.moves.values() for motor in motors}
        for motor in self.motors:
            if motor not in moving:
                hint = f"add 'moves: [{{by: {motor}, axis: x}}]' to a node"
                yield Problem(("motors", motor), f"motor {motor!r} moves no node", hint)
        if self.default and self.default not in self.models:
            what = f"there is no model {self.default!r}"
            yield Problem(("default",), what, did_you_mean(self.default, self.models))

    def models_problems(self, only: str | None = None) -> Iterator[Problem]:
        """Nodes that models lack or have besides; of one model only, if one is named."""
        for name, nodes in self.models.items():
            if only in (None, name):
                yield from self.model_problems(nodes, f"model {name!r}", ("models", name, "nodes"))

    def model_problems(self, nodes: list[str], model: str, path: tuple[str, ...]) -> Iterator[Problem]:
        """Nodes that a model lacks, and nodes that the family does not have."""
        for name in self.moves:
            if name not in nodes:
                what = f"{model} lacks node {name!r}, which family {self.family!r} requires"
                yield Problem(path, what, f"add '{name}: []' if it is not to be seen")
        for name in nodes:
            if name not in self.moves:
                what = f"family {self.family!r} has no node {name!r}"
                yield Problem((*path, name), what, did_you_mean(name, self.moves))


@dataclass(frozen=True)
class Family:
    """Several models of one robot: the same joints and nodes, other solids."""

    name: str
    models: dict[str, Mechanism]
    default: str
    sensors: tuple[str, ...] = ()

    def model(self, name: str | None = None) -> Mechanism:
        """One model's mechanism; the default one without a name."""
        name = self.default if name is None else name
        if name not in self.models:
            raise UnknownName(f"model of family {self.name}", name, self.models)
        return self.models[name]


def read_family(text: str, file: str = "family.yaml", folder: Path | None = None) -> Family:
    """The family that a text describes, with all its models. Raises FileError with all mistakes."""
    spec, root = read_with_places(FamilyFile, text, file, SHAPES)
    return built(spec, Builder(file, root, folder))


def built(spec: FamilyFile, builder: Builder) -> Family:
    """The family that a family file describes."""
    if problems := list(spec.structure.models_problems()):
        with builder.placing():
            raise InvalidThing(FamilyFile, problems)
    joints, names = builder.joints(spec.motors, "motors"), list(spec.nodes)
    flange = builder.mark(spec.flange, names)
    frames = tuple((name, builder.mark(frame, names)) for name, frame in (spec.frames or {}).items())
    models: dict[str, Mechanism] = {}
    for model, looks in spec.models.items():
        shapes = {name: builder.shape(each, ("models", model, "nodes", name)) for name, each in looks.nodes.items()}
        links = builder.links(spec.nodes, shapes, joints)
        base = builder.shape(looks.base, ("models", model, "base"))
        with builder.placing():
            models[model] = Mechanism(
                f"{spec.family}/{model}",
                joints,
                links,
                flange,
                base=base,
                home=tuple(map(float, spec.home)),
                frames=frames,
                source=" ".join(spec.source.split()),
                path_speed=spec.path_speed,
                cycle=spec.cycle,
                sensors=spec.sensors,
            )
    return Family(spec.family, models, spec.default, spec.sensors)


def exchangeable(one: Mechanism, other: Mechanism) -> None:
    """Raises MechanismError unless two mechanisms have the same joints and nodes: one can then stand for the other."""
    if one.joints != other.joints:
        raise MechanismError(
            f"{other.name} cannot stand for {one.name}: their joints differ: {_difference(one, other)}"
        )
    missing = [name for name in one.link_names if name not in other.link_names]
    if missing:
        raise MechanismError(f"{other.name} cannot stand for {one.name}: it lacks node {missing[0]!r}")


def _difference(one: Mechanism, other: Mechanism) -> str:
    """Which joints another mechanism lacks, has besides, or has with other limits."""
    ours, theirs = ({joint.name: joint for joint in each.joints} for each in (one, other))
    lacking = [name for name in ours if name not in theirs]
    more = [name for name in theirs if name not in ours]
    others = [name for name in ours if name in theirs and ours[name] != theirs[name]]
    found = [
        f"{what} {', '.join(map(repr, names))}"
        for what, names in (("it lacks", lacking), ("it has besides", more), ("other limits or kind:", others))
        if names
    ]
    return "; ".join(found) or "they come in another order"


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
