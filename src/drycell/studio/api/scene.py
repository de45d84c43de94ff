"""What there is to see: the tree of things, meshes, overlays, picks and properties. See ``host/scene``."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Literal

from drycell.studio.api.codec import PoseData, Tick, Vector, Within

Overlay = Literal["sensors", "workpoints", "tools", "detections", "contacts"]
BodyKind = Literal["robot", "gripper", "part", "sensor", "device", "fixture"]
FactValue = float | int | bool | str | None
MOST_POINTS = 2000


@dataclass(frozen=True, slots=True)
class TreeBody:
    """A body; its number is its place in frames. ``mesh`` is the key of its triangles, None if nothing is drawn."""

    number: int
    name: str
    parent: str | None
    kind: BodyKind
    mesh: str | None
    colour: str
    material: str


@dataclass(frozen=True, slots=True)
class TreeJoint:
    """A joint with its limits in radians or metres; None where there is none."""

    name: str
    kind: str
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class TreeRobot:
    """A robot with the numbers of its bodies, and the names of its flange and gripper."""

    name: str
    model: str
    joints: tuple[TreeJoint, ...]
    base: int
    links: tuple[int, ...]
    flange: str | None
    gripper: str | None


@dataclass(frozen=True, slots=True)
class TreeWorkpoint:
    """A workpoint, its pose seen from what it is on."""

    name: str
    on: str | None
    pose: PoseData


@dataclass(frozen=True, slots=True)
class TreeSensor:
    """A sensor and what it is mounted on."""

    name: str
    on: str | None
    kind: str


@dataclass(frozen=True, slots=True)
class TreeDevice:
    """A device."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class TreeSignal:
    """A signal, its type and unit."""

    name: str
    type: str
    unit: str


@dataclass(frozen=True, slots=True)
class TreeProgram:
    """A program, the file it is written in, and the controller it runs on."""

    name: str
    file: str | None
    language: str
    controller: str | None


@dataclass(frozen=True, slots=True)
class Tree:
    """Everything there is in a cell, by name. ``source`` is the cell's file, if it is still there."""

    version: int = 0
    bodies: tuple[TreeBody, ...] = ()
    robots: tuple[TreeRobot, ...] = ()
    workpoints: tuple[TreeWorkpoint, ...] = ()
    sensors: tuple[TreeSensor, ...] = ()
    devices: tuple[TreeDevice, ...] = ()
    signals: tuple[TreeSignal, ...] = ()
    programs: tuple[TreeProgram, ...] = ()
    files: tuple[str, ...] = ()
    source: str | None = None


@dataclass(frozen=True, slots=True)
class SensorVolume:
    """A volume that a sensor watches: x, y, z of its vertices and the vertices of its faces, in a row."""

    pose: PoseData
    vertices: tuple[float, ...]
    faces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SensorOverlay:
    """What a sensor watches, seen from its body: lines are origin, direction and reach."""

    name: str
    body: int
    volumes: tuple[SensorVolume, ...]
    lines: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class SensorDetection:
    """What a sensor finds: whether it is on, how far each line goes until it meets something, and what it meets."""

    name: str
    on: bool
    lines: tuple[float | None, ...]
    seen: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FrameOverlay:
    """A named frame on a body, by number; None: in the world."""

    name: str
    body: int | None
    pose: PoseData


@dataclass(frozen=True, slots=True)
class ContactOverlay:
    """Two bodies that touch or are near: ``points`` where they touch, or ``start`` and ``end`` of the gap."""

    kind: Literal["collision", "touch", "near", "clear"]
    a: str
    b: str
    distance: float
    points: tuple[Vector, ...] | None = None
    start: Vector | None = None
    end: Vector | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Overlays:
    """What is drawn besides bodies; None for what was not asked for."""

    sensors: tuple[SensorOverlay, ...] | None = None
    workpoints: tuple[FrameOverlay, ...] | None = None
    tools: tuple[FrameOverlay, ...] | None = None
    detections: tuple[SensorDetection, ...] | None = None
    contacts: tuple[ContactOverlay, ...] | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of a table: an SI value with its unit; ``low`` and ``high`` where there are limits."""

    label: str
    value: FactValue
    unit: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class FactTable:
    """Facts under a title. ``link`` is the name of what else the title mentions."""

    title: str
    lines: tuple[Fact, ...]
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Pick:
    """A point on the true surface of a body, and the outward normal there: in the world and in the body's frame."""

    body: str
    t: int
    point: Vector
    normal: Vector
    local_point: Vector
    local_normal: Vector
    pose: PoseData = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Exposure:
    """Where bodies were at an instant, by name."""

    t: int
    poses: dict[str, PoseData]


class SceneApi(ABC):
    """Looks at the world at an instant; changes nothing."""

    @abstractmethod
    async def tree(self) -> Tree:
        """Everything there is, by name."""

    @abstractmethod
    async def mesh(self, key: str) -> bytes:
        """The triangles of a key in the tree: numbers of vertices and faces, then float32 (m) and uint32."""

    @abstractmethod
    async def overlays(self, t: Tick, what: Annotated[tuple[Overlay, ...], Within(most=8)]) -> Overlays:
        """What is drawn besides bodies. Sensors, workpoints and tools change with the tree alone."""

    @abstractmethod
    async def contacts(self, t: Tick) -> tuple[ContactOverlay, ...]:
        """Which bodies touch, and which are near each other."""

    @abstractmethod
    async def absent(self, t: Tick) -> tuple[int, ...]:
        """The numbers of bodies that are not in the cell at an instant: not yet, or no longer."""

    @abstractmethod
    async def properties(self, name: Annotated[str, Within(most=500)], t: Tick) -> tuple[FactTable, ...]:
        """Facts about a body, robot, sensor, device, workpoint or signal."""

    @abstractmethod
    async def pick(
        self, number: Annotated[int, Within(0)], origin: Vector, direction: Vector, t: Tick, near: Vector | None = None
    ) -> Pick:
        """The point of a body's true surface under a line of sight."""

    @abstractmethod
    async def tool_path(
        self, robot: str, t0: Tick, t1: Tick, points: Annotated[int, Within(2, MOST_POINTS)] = MOST_POINTS
    ) -> tuple[Vector, ...]:
        """The path of a robot's TCP between two instants."""

    @abstractmethod
    async def exposures(
        self,
        t0: Tick,
        t1: Tick,
        count: Annotated[int, Within(1, 200)],
        bodies: Annotated[tuple[str, ...], Within(1, 500)],
    ) -> tuple[Exposure, ...]:
        """Where bodies, and all named below them, were at evenly spread instants."""
