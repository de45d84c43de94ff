"""What a cell file says, as plain values in SI: the types here are the format."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from drycell.cell.file.shape import STRICT, ShapeSpec
from drycell.datafile import FieldPath, Key, Node, field_name
from drycell.errors import CellFileError, Mistake, did_you_mean
from drycell.fields import (
    Duration,
    Factor,
    FileName,
    JointValue,
    Name,
    NamePattern,
    Plain,
    PlainOrList,
    Position,
    Quantity,
    Rpy,
    Several,
)
from drycell.spatial import Pose

Pair = Annotated[tuple[NamePattern, NamePattern], Several(2, "[arm, table]")]
Distance = Annotated[float, Quantity("length", least=0.0)]
PairDistance = Annotated[tuple[NamePattern, NamePattern, Distance], Several(3, "[arm, door, 20 mm]")]


@dataclass(frozen=True, kw_only=True)
class Placed:
    """Something with a pose seen from what carries it: a position, turned by roll, pitch and yaw about fixed axes."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    at: Position = (0.0, 0.0, 0.0)
    rpy: Rpy = (0.0, 0.0, 0.0)

    @property
    def pose(self) -> Pose:
        """Position and rotation as one."""
        return Pose.of_rpy(*self.rpy, at=self.at)


@dataclass(frozen=True, kw_only=True)
class BodySpec(Placed):
    """A body: a solid, a hole, or a bare node that holds others."""

    shape: ShapeSpec | None = None
    material: Name = "plastic"
    part: bool | None = None  # left out: what stands on another body is a part, what does not is none
    hole: bool = False
    merge: bool = False
    parent: Name | None = None
    on: Name | None = None
    children: dict[Name, "BodySpec"] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class WorkpointSpec(Placed):
    """A named frame that moves with a body, or stands in the world."""

    on: Name | None = None


@dataclass(frozen=True, kw_only=True)
class ToolSpec(Placed):
    """The tool centre point seen from the flange."""


@dataclass(frozen=True, kw_only=True)
class RobotSpec(Placed):
    """A robot: a model of the library by name, or a description in a file of its own."""

    model: Name | None = None
    file: FileName | None = None
    parent: Name | None = None
    on: Name | None = None
    tool: ToolSpec | None = None
    gripper: Name | None = None
    controller: Name | None = None
    joints: tuple[JointValue, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class ProgramSpec:
    """A program: a file, the function to start in it, the controller it runs on, and values for its parameters."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    file: FileName
    function: Name | None = None
    controller: Name | None = None
    args: dict[Name, PlainOrList] = field(default_factory=dict)
    daemon: bool = False
    priority: int = 0


@dataclass(frozen=True, kw_only=True)
class CrashSpec:
    """A crash check, on named pairs or on everything but some bodies."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    pairs: tuple[Pair, ...] | None = None
    everything_but: tuple[NamePattern, ...] | None = None
    allowed: tuple[Pair, ...] = ()
    near_miss: Distance = 0.0
    near_misses: tuple[PairDistance, ...] = ()
    cycle: Duration | None = None
    stop: bool = False


@dataclass(frozen=True, kw_only=True)
class ChecksSpec:
    """What is watched during the run."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    crash: CrashSpec | None = None


@dataclass(frozen=True, kw_only=True)
class RunSpec:
    """How the cell is run when nothing else is asked for."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    until: Duration | None = None
    seed: int = 0
    pace: Factor | None = None


@dataclass(frozen=True, slots=True)
class PlacedBody:
    """A body of the file by its full name, with what carries it. ``on_top`` means it stands on the carrier's top."""

    name: str
    carrier: str | None
    on_top: bool
    spec: BodySpec
    path: FieldPath

    @property
    def part(self) -> bool:
        """Whether it is a loose part: as the file says, or because it stands on another body."""
        return self.on_top if self.spec.part is None else self.spec.part

    @property
    def nested(self) -> bool:
        """Whether it is written inside the body that carries it."""
        return len(self.path) > 2


@dataclass(frozen=True, slots=True)
class Origin:
    """The file a cell was read from, and where each field stands in it."""

    path: Path
    tree: Node


@dataclass(frozen=True, kw_only=True)
class CellFile:
    """A whole cell file. Equal to another when it says the same, wherever either was read from."""

    format: Literal[1] = 1
    name: str = "cell"
    description: str = ""
    bodies: dict[Name, BodySpec] = field(default_factory=dict)
    workpoints: dict[Name, WorkpointSpec] = field(default_factory=dict)
    robots: dict[Name, RobotSpec] = field(default_factory=dict)
    signals: dict[Name, Plain] = field(default_factory=dict)
    programs: dict[Name, ProgramSpec] = field(default_factory=dict)
    checks: ChecksSpec = field(default_factory=ChecksSpec)
    run: RunSpec = field(default_factory=RunSpec)
    # Sections that other packages have registered, each of the type it was registered with.
    sections: dict[str, object] = field(default_factory=dict)
    origin: Origin | None = field(default=None, compare=False, repr=False)

    def flat_bodies(self) -> Iterator[PlacedBody]:
        """All bodies by full name, nested ones after their parents, in the order of the file."""
        for name, spec in self.bodies.items():
            carrier = spec.on if spec.on is not None else spec.parent
            yield PlacedBody(name, carrier, spec.on is not None, spec, ("bodies", name))
            yield from _nested(name, spec, ("bodies", name))

    def bodies_in_order(self) -> list[PlacedBody]:
        """All bodies, each after the one that carries it; otherwise in the order of the file.

        What hangs on a robot's link comes last, so that robots can be added after the bodies they stand on.
        """
        waiting = list(self.flat_bodies())
        names = {body.name for body in waiting}
        placed: dict[str, PlacedBody] = {}
        while waiting:
            ready = [body for body in waiting if body.carrier is None or body.carrier in placed]
            if not ready:
                ready = [body for body in waiting if body.carrier not in names]
            if not ready:
                raise self.error(waiting[0].path, "hangs on itself in the end")
            for body in ready:
                placed[body.name] = body
            waiting = [body for body in waiting if body.name not in placed]
        return list(placed.values())

    def is_mounted(self, name: str) -> bool:
        """Whether a name is that of a sensor or device, or lies below a device: they are bodies, too."""
        sensors, devices = (self.sections.get(each) for each in ("sensors", "devices"))
        if isinstance(sensors, dict) and name in sensors:
            return True
        return isinstance(devices, dict) and any(name == each or name.startswith(f"{each}/") for each in devices)

    @property
    def file(self) -> str:
        """The file's name as it was given, for messages."""
        return str(self.origin.path) if self.origin is not None else "cell file"

    @property
    def folder(self) -> Path:
        """The folder that file names are relative to."""
        return self.origin.path.parent if self.origin is not None else Path()

    def locate(self, name: str, *path: Key) -> Path:
        """The file named in a field, seen from the cell file; it must be there."""
        found = self.folder / name
        if found.is_file():
            return found
        there = sorted(each.name for each in found.parent.iterdir()) if found.parent.is_dir() else []
        raise self.error(path, f"there is no file {name!r}", did_you_mean(found.name, there))

    def error(self, path: FieldPath, what: str, hint: str | None = None) -> CellFileError:
        """The error to raise about a field: it names file, line and field."""
        return CellFileError.of(self.file, [self.mistake(path, what, hint)])

    def mistake(self, path: FieldPath, what: str, hint: str | None = None) -> Mistake:
        """A mistake in a field, with its place if the cell was read from a file."""
        line, column = self.origin.tree.place_of(path) if self.origin is not None else (None, None)
        return Mistake(what, field_name(path), line, column, hint)


def _nested(name: str, spec: BodySpec, path: FieldPath) -> Iterator[PlacedBody]:
    for key, child in spec.children.items():
        inner: FieldPath = (*path, "children", key)
        yield PlacedBody(f"{name}/{key}", name, False, child, inner)
        yield from _nested(f"{name}/{key}", child, inner)
