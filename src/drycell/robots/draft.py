"""Drafts of families: motors, limits, sensors, required nodes and how motors move them; the rest is filled in.

EMULA took new families from such data, typed in or in batch (Meyer 1981). What a draft leaves out: a motor without a
speed makes its whole stroke in two seconds and reaches its speed in a quarter of a second; the flange is on the last
node; without a model the nodes are drawn as an outline of rods from one to the next.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Final

from drycell.fields import Duration, Name
from drycell.robots.builder import parsed
from drycell.robots.description import FrameSpec, JointSpec, PieceSpec, RodSpec, Speed
from drycell.robots.family import FamilyFile, ModelSpec, NodeSpec
from drycell.robots.quantity import Amount, Gain, Jolt, Place, Rate
from drycell.spatial import Pose, Vector
from drycell.units import deg, mm

OUTLINE: Final = "outline"
SOURCE: Final = "drafted with drycell family new"
STROKE: Final = 2.0  # seconds
RUN_UP: Final = 0.25  # seconds
_STRICT: Final = {"extra": "forbid"}
_ZERO: Final = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class MotorDraft:
    """A motor: its limits, and how fast it is if that is known."""

    __pydantic_config__: ClassVar = _STRICT
    limits: tuple[Place, Place]
    speed: Rate | None = None
    acceleration: Gain | None = None
    jerk: Jolt | None = None


@dataclass(frozen=True)
class FamilyDraft:
    """What is known of a family; sensors by number or by name."""

    __pydantic_config__: ClassVar = _STRICT
    family: Name
    motors: dict[Name, MotorDraft]
    nodes: dict[Name, NodeSpec]
    source: str = SOURCE
    title: str = ""
    sensors: int | tuple[str, ...] = ()
    flange: FrameSpec | None = None
    frames: dict[Name, FrameSpec] = field(default_factory=dict)
    home: tuple[Place, ...] = ()
    path_speed: Speed | None = None
    cycle: Duration | None = None
    models: dict[Name, ModelSpec] = field(default_factory=dict)
    default: Name | None = None


def read_draft(text: str, file: str = "draft.yaml") -> FamilyDraft:
    """The draft a text holds; whatever is wrong with it is told with file, line and field."""
    draft, _ = parsed(text, FamilyDraft, file)
    return draft


def completed(draft: FamilyDraft) -> FamilyFile:
    """The family file of a draft."""
    models = draft.models or {OUTLINE: outline(draft.nodes)}
    sensors = draft.sensors
    return FamilyFile(
        family=draft.family,
        source=draft.source,
        motors={name: _motor(motor) for name, motor in draft.motors.items()},
        nodes=draft.nodes,
        models=models,
        flange=draft.flange or FrameSpec(next(reversed(draft.nodes), "base")),
        default=draft.default or next(iter(models)),
        title=draft.title,
        sensors=tuple(str(k + 1) for k in range(sensors)) if isinstance(sensors, int) else sensors,
        frames=draft.frames,
        home=draft.home,
        path_speed=draft.path_speed,
        cycle=draft.cycle,
    )


def usual_speed(limits: tuple[Amount, Amount]) -> Amount:
    """A motor's whole stroke in two seconds."""
    return _tidy((limits[1].value - limits[0].value) / STROKE, limits[0].turns)


def usual_acceleration(speed: Amount) -> Amount:
    """Full speed in a quarter of a second."""
    return _tidy(speed.value / RUN_UP, speed.turns)


def usual_jerk(acceleration: Amount) -> Amount:
    """Full acceleration in a tenth of a second."""
    return _tidy(10.0 * acceleration.value, acceleration.turns)


def outline(nodes: dict[str, NodeSpec]) -> ModelSpec:
    """Rods from every node to those that hang on it; a ball at a node that nothing hangs on."""
    places = _places(nodes)
    size = max((math.dist(a, b) for a in places.values() for b in places.values()), default=0.0) or 0.2
    radius = max(round(0.03 * size / mm), 1) * mm
    drawn = {name: tuple(_rods(name, nodes, radius)) for name in nodes}
    ball = (PieceSpec(sphere=2.0 * radius),)
    return ModelSpec({name: pieces or ball for name, pieces in drawn.items()}, tuple(_rods("base", nodes, radius)))


def _rods(name: str, nodes: dict[str, NodeSpec], radius: float) -> Iterator[PieceSpec]:
    for child, parent in _parents(nodes).items():
        end = nodes[child].at
        if parent == name and end != _ZERO:
            yield PieceSpec(rod=RodSpec(radius, _ZERO, end))


def _parents(nodes: dict[str, NodeSpec]) -> dict[str, str]:
    """What each node hangs on: the one before it if it does not say."""
    names = ["base", *nodes]
    return {name: node.on or names[index] for index, (name, node) in enumerate(nodes.items())}


def _places(nodes: dict[str, NodeSpec]) -> dict[str, Vector]:
    """Where the nodes are with all motors at zero; one that hangs on nothing known counts as hanging on the base."""
    poses: dict[str, Pose] = {"base": Pose()}
    for name, parent in _parents(nodes).items():
        node = nodes[name]
        poses[name] = poses.get(parent, Pose()) @ Pose.of_rpy(*node.rpy, at=node.at)
    return {name: pose.position for name, pose in poses.items()}


def _motor(draft: MotorDraft) -> JointSpec:
    speed = draft.speed or usual_speed(draft.limits)
    acceleration = draft.acceleration or usual_acceleration(speed)
    return JointSpec(draft.limits, speed, acceleration, draft.jerk or usual_jerk(acceleration))


def _tidy(value: float, turns: bool) -> Amount:
    """Without the last digits of the arithmetic, in degrees or metres, as it will be read."""
    unit = deg if turns else 1.0
    return Amount(float(f"{value / unit:.9g}") * unit, turns)
