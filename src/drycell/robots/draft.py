"""Drafts of families: motors, limits, sensors, required nodes and how motors move them. Missing values get defaults.

EMULA read new families from such data, interactively or in batch (Meyer 1981). The defaults: a motor makes its whole
stroke in two seconds and reaches full speed in a quarter of a second; the flange is on the last node; without a model,
the nodes are drawn as rods from one node to the next.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Final

from drycell.base import (
    Amount,
    Describer,
    Duration,
    Many,
    Name,
    Pose,
    Thing,
    Type,
    Vector,
    Whole,
    deg,
    mm,
    read_thing,
    type_of,
)
from drycell.geometry import PosedShape, Rod, Sphere
from drycell.robots.description import (
    SHAPES,
    FrameSpec,
    JointAcceleration,
    JointJerk,
    JointSpec,
    JointSpeed,
    JointValue,
    NodeSpec,
    PathSpeed,
    turns,
)
from drycell.robots.family import FamilyFile, ModelSpec

OUTLINE: Final = "outline"
SOURCE: Final = "drafted with drycell family new"
STROKE: Final = 2.0  # seconds
RUN_UP: Final = 0.25  # seconds
_ZERO: Final = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class _Sensors(Type):
    """The number of sensors, or a list of their names."""

    def check(self, value: Any) -> int | tuple[str, ...]:
        """Check a number, or a list of names."""
        if isinstance(value, int):
            return Whole(least=0).check(value)
        return Many(type_of(str)).check(value)

    def write(self, value: int | tuple[str, ...]) -> Any:
        """The number, or the names as a list."""
        return value if isinstance(value, int) else list(value)

    def schema(self, describer: Describer) -> dict[str, Any]:
        """An integer or an array of strings."""
        return {"anyOf": [Whole(least=0).schema(describer), {"type": "array", "items": {"type": "string"}}]}


class MotorDraft(Thing):
    """A motor: its limits, and its speed if known."""

    limits: tuple[JointValue, JointValue]
    """Lower and upper limit: angles if it turns, lengths if it slides."""
    speed: JointSpeed | None = None
    """Maximum speed; by default the whole stroke takes two seconds."""
    acceleration: JointAcceleration | None = None
    """Maximum acceleration; by default it reaches full speed in a quarter of a second."""
    jerk: JointJerk | None = None
    """Maximum jerk; by default it reaches full acceleration in a tenth of a second."""


class FamilyDraft(Thing):
    """The known data of a family."""

    family: Name
    """Name of the family."""
    title: str = ""
    """What it is, in a few words."""
    source: str = SOURCE
    """Where its numbers come from."""
    motors: dict[Name, MotorDraft]
    """Its motors, in the order of their values."""
    sensors: Annotated[int | tuple[str, ...], _Sensors()] = ()
    """How many sensors it has, or their names."""
    nodes: dict[Name, NodeSpec]
    """The nodes that every model must have, each after the one it is attached to."""
    flange: FrameSpec | None = None
    """The face that tools are mounted on; by default the frame of the last node."""
    frames: dict[Name, FrameSpec] | None = None
    """Additional frames by name."""
    path_speed: PathSpeed | None = None
    """Maximum speed of the tool on a path."""
    cycle: Duration | None = None
    """Basic cycle of its controller."""
    home: tuple[JointValue, ...] = ()
    """Motor values it starts at; zero by default."""
    default: Name | None = None
    """The model that is used when none is named; by default the first."""
    models: dict[Name, ModelSpec] | None = None
    """Its models by name; by default one with rods from node to node."""


def read_draft(text: str, file: str = "draft.yaml") -> FamilyDraft:
    """Read a draft from YAML text. Raises FileError with all mistakes."""
    return read_thing(FamilyDraft, text, file, SHAPES)


def completed(draft: FamilyDraft) -> FamilyFile:
    """The family file of a draft, with defaults for all missing values."""
    models = draft.models or {OUTLINE: outline(draft.nodes)}
    sensors = draft.sensors
    return FamilyFile(
        family=draft.family,
        source=draft.source,
        motors={name: _motor(motor) for name, motor in draft.motors.items()},
        nodes=draft.nodes,
        models=models,
        flange=draft.flange or FrameSpec(on=next(reversed(draft.nodes), "base")),
        default=draft.default or next(iter(models)),
        title=draft.title,
        sensors=tuple(str(k + 1) for k in range(sensors)) if isinstance(sensors, int) else sensors,
        frames=draft.frames,
        home=draft.home,
        path_speed=draft.path_speed,
        cycle=draft.cycle,
    )


def usual_speed(limits: tuple[float, float]) -> Amount:
    """The default speed: the whole stroke takes two seconds."""
    turning = bool(turns(limits[0]) if turns(limits[0]) is not None else turns(limits[1]))
    return _tidy((limits[1] - limits[0]) / STROKE, "angular speed" if turning else "speed")


def usual_acceleration(speed: float) -> Amount:
    """The default acceleration: full speed in a quarter of a second."""
    return _tidy(speed / RUN_UP, "angular acceleration" if turns(speed) else "acceleration")


def usual_jerk(acceleration: float) -> Amount:
    """The default jerk: full acceleration in a tenth of a second."""
    return _tidy(10.0 * acceleration, "angular jerk" if turns(acceleration) else "jerk")


def outline(nodes: dict[str, NodeSpec]) -> ModelSpec:
    """A model of rods from each node to the nodes attached to it, and balls at nodes with nothing attached."""
    places = _places(nodes)
    size = max((math.dist(a, b) for a in places.values() for b in places.values()), default=0.0) or 0.2
    radius = max(round(0.03 * size / mm), 1) * mm
    drawn = {name: tuple(_rods(name, nodes, radius)) for name in nodes}
    ball = (PosedShape(Sphere(2.0 * radius)),)
    shown = {name: pieces or ball for name, pieces in drawn.items()}
    return ModelSpec(nodes=shown, base=tuple(_rods("base", nodes, radius)))


def _rods(name: str, nodes: dict[str, NodeSpec], radius: float) -> Iterator[PosedShape]:
    for child, parent in _parents(nodes).items():
        end = nodes[child].at
        if parent == name and end != _ZERO:
            yield PosedShape(Rod(radius, _ZERO, end))


def _parents(nodes: dict[str, NodeSpec]) -> dict[str, str]:
    """The parent of each node: by default the node before it."""
    names = ["base", *nodes]
    return {name: node.on or names[index] for index, (name, node) in enumerate(nodes.items())}


def _places(nodes: dict[str, NodeSpec]) -> dict[str, Vector]:
    """Node positions with all motors at zero. An unknown parent counts as the base."""
    poses: dict[str, Pose] = {"base": Pose()}
    for name, parent in _parents(nodes).items():
        poses[name] = poses.get(parent, Pose()) @ nodes[name].pose
    return {name: pose.position for name, pose in poses.items()}


def _motor(draft: MotorDraft) -> JointSpec:
    speed = usual_speed(draft.limits) if draft.speed is None else draft.speed
    acceleration = usual_acceleration(speed) if draft.acceleration is None else draft.acceleration
    jerk = usual_jerk(acceleration) if draft.jerk is None else draft.jerk
    return JointSpec(limits=draft.limits, speed=speed, acceleration=acceleration, jerk=jerk)


def _tidy(value: float, dimension: str) -> Amount:
    """Round to nine digits in degrees or metres, so that the file is readable."""
    unit = deg if dimension.startswith("ang") else 1.0
    return Amount(float(f"{value / unit:.9g}") * unit, dimension)
