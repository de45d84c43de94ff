"""Families (EMULA's word): one robot with motors, limits, sensors and moving nodes, and several models of its shape.

A family defines which nodes a model must have and how the motors move them. A model defines the solids of the nodes,
from a hand without an arm to a detailed machine. All models of a family have the same joints, so the same programs and
motor values work with each of them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from drycell.base import (
    Duration,
    InvalidThing,
    MechanismError,
    Name,
    Problem,
    Thing,
    UnknownName,
    did_you_mean,
    read_with_places,
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
    attachment_problems,
    frame_problems,
    home_problems,
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
    """Additional frames by name."""
    path_speed: PathSpeed | None = None
    """Maximum speed of the tool on a path."""
    cycle: Duration | None = None
    """Basic cycle of its controller."""
    home: tuple[JointValue, ...] = ()
    """Motor values it starts at; zero by default."""
    default: Name
    """The model that is used when none is named."""
    models: dict[Name, ModelSpec]
    """Its models by name."""

    def problems(self) -> Iterable[Problem]:
        """Every motor must move a node, and names must exist. Models are checked when they are built."""
        yield from self._motor_problems()
        yield from attachment_problems(self.nodes, "nodes")
        yield from frame_problems(self.flange, self.nodes, ("flange",))
        for name, frame in (self.frames or {}).items():
            yield from frame_problems(frame, self.nodes, ("frames", name))
        yield from home_problems(self.home, self.motors)

    def _motor_problems(self) -> Iterator[Problem]:
        """Yield a problem for each motor that is unknown or not used, and for an unknown default model."""
        moves = {name: [move.by for move in node.moves] for name, node in self.nodes.items()}
        for node, motors in moves.items():
            for index, motor in enumerate(motors):
                if motor not in self.motors:
                    path = ("nodes", node, "moves", index, "by")
                    yield Problem(path, f"there is no motor {motor!r}", did_you_mean(motor, self.motors))
        moving = {motor for motors in moves.values() for motor in motors}
        for motor in self.motors:
            if motor not in moving:
                hint = f"add 'moves: [{{by: {motor}, axis: x}}]' to a node"
                yield Problem(("motors", motor), f"motor {motor!r} moves no node", hint)
        if self.default not in self.models:
            what = f"there is no model {self.default!r}"
            yield Problem(("default",), what, did_you_mean(self.default, self.models))

    def model_problems(self) -> Iterator[Problem]:
        """The problems of models with missing or unknown nodes."""
        for model, looks in self.models.items():
            path = ("models", model, "nodes")
            for name in self.nodes:
                if name not in looks.nodes:
                    what = f"model {model!r} lacks node {name!r}, which family {self.family!r} requires"
                    yield Problem(path, what, f"add '{name}: []' if it is not to be seen")
            for name in looks.nodes:
                if name not in self.nodes:
                    what = f"family {self.family!r} has no node {name!r}"
                    yield Problem((*path, name), what, did_you_mean(name, self.nodes))


@dataclass(frozen=True)
class Family:
    """Several models of one robot, with the same joints and nodes but different solids."""

    name: str
    models: dict[str, Mechanism]
    default: str
    sensors: tuple[str, ...] = ()

    def model(self, name: str | None = None) -> Mechanism:
        """The mechanism of a model, by default of the default model. Raises UnknownName if there is no such model."""
        name = self.default if name is None else name
        if name not in self.models:
            raise UnknownName(f"model of family {self.name}", name, self.models)
        return self.models[name]


def read_family(text: str, file: str = "family.yaml", folder: Path | None = None) -> Family:
    """Build the family that a file describes, with all its models; ``folder`` contains its mesh files.

    Raises FileError with all mistakes.
    """
    spec, root = read_with_places(FamilyFile, text, file, SHAPES)
    builder = Builder(file, root, folder)
    if problems := list(spec.model_problems()):
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
    """Check that one mechanism can replace another: both must have the same joints and nodes.

    Raises MechanismError with the difference.
    """
    if one.joints != other.joints:
        raise MechanismError(f"{other.name} cannot replace {one.name}: their joints differ: {_difference(one, other)}")
    missing = [name for name in one.link_names if name not in other.link_names]
    if missing:
        raise MechanismError(f"{other.name} cannot replace {one.name}: it lacks node {missing[0]!r}")


def _difference(one: Mechanism, other: Mechanism) -> str:
    """Which joints are missing in the other mechanism, extra, or different."""
    ours, theirs = ({joint.name: joint for joint in each.joints} for each in (one, other))
    lacking = [name for name in ours if name not in theirs]
    more = [name for name in theirs if name not in ours]
    others = [name for name in ours if name in theirs and ours[name] != theirs[name]]
    found = [
        f"{what} {', '.join(map(repr, names))}"
        for what, names in (("it lacks", lacking), ("it also has", more), ("different limits or kind:", others))
        if names
    ]
    return "; ".join(found) or "they are in a different order"
