"""Families (EMULA's word): one robot as motors, limits, sensors and moving nodes, and several models of its looks.

A family says which nodes a model must have and how the motors move them; a model gives the nodes their solids, from a
disembodied hand to a detailed machine. All models of a family have the same joints, so programs and motor values carry
over from one to another.
"""

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import ClassVar

from drycell.errors import MechanismError, UnknownName, did_you_mean
from drycell.fields import Duration, Name, Position, Rpy
from drycell.robots.builder import Builder, parsed
from drycell.robots.description import FrameSpec, JointSpec, LinkSpec, MoveSpec, PieceSpec, Speed
from drycell.robots.mechanism import Mechanism
from drycell.robots.quantity import Place

_ZERO = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class NodeSpec:
    """A node every model must have: what it hangs on, and how motors move it."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}
    on: Name | None = None
    at: Position = _ZERO
    rpy: Rpy = _ZERO
    moves: tuple[MoveSpec, ...] = ()


@dataclass(frozen=True)
class ModelSpec:
    """The looks of the nodes. A node without solids is written ``[]``: it is there, but cannot be seen or hit."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}
    nodes: dict[Name, tuple[PieceSpec, ...]]
    base: tuple[PieceSpec, ...] = ()


@dataclass(frozen=True)
class FamilyFile:
    """A family file."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}
    family: Name
    source: str
    motors: dict[Name, JointSpec]
    nodes: dict[Name, NodeSpec]
    models: dict[Name, ModelSpec]
    flange: FrameSpec
    default: Name
    title: str = ""
    sensors: tuple[str, ...] = ()
    frames: dict[Name, FrameSpec] = field(default_factory=dict)
    home: tuple[Place, ...] = ()
    path_speed: Speed | None = None
    cycle: Duration | None = None


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
    """The family a text describes, with all its models checked."""
    spec, tree = parsed(text, FamilyFile, file)
    builder = Builder(file, tree, folder)
    joints = builder.joints(spec.motors, "motors")
    names = list(spec.nodes)
    nodes = {name: LinkSpec(node.on, node.at, node.rpy, node.moves) for name, node in spec.nodes.items()}
    flange = builder.mark(spec.flange, names, ("flange",))
    frames = tuple((name, builder.mark(mark, names, ("frames", name))) for name, mark in spec.frames.items())
    home = builder.home(spec.home, joints)
    models: dict[str, Mechanism] = {}
    for model, looks in spec.models.items():
        path = ("models", model, "nodes")
        for name in names:
            if name not in looks.nodes:
                raise builder.wrong(
                    path,
                    f"model {model!r} lacks node {name!r}, which family {spec.family!r} requires",
                    f"add '{name}: []' if it is not to be seen",
                )
        for name in looks.nodes:
            if name not in names:
                raise builder.wrong(
                    (*path, name), f"family {spec.family!r} has no node {name!r}", did_you_mean(name, names)
                )
        shapes = {name: builder.shape(pieces, (*path, name)) for name, pieces in looks.nodes.items()}
        links = builder.links(nodes, shapes, joints, "nodes")
        models[model] = builder.checked(
            partial(
                Mechanism,
                f"{spec.family}/{model}",
                joints,
                links,
                flange,
                base=builder.shape(looks.base, ("models", model, "base")),
                home=home,
                frames=frames,
                source=" ".join(spec.source.split()),
                path_speed=spec.path_speed,
                cycle=spec.cycle,
                sensors=spec.sensors,
            )
        )
    if spec.default not in models:
        raise builder.wrong(("default",), f"there is no model {spec.default!r}", did_you_mean(spec.default, models))
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
