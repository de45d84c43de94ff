"""The scene: the tree of things, meshes, overlays, picked points and properties. Host: ``host/scene``."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Literal

from drycell.studio.api.codec import PoseData, Tick, Vector, Within

Overlay = Literal["sensors", "workpoints", "tools", "detections", "contacts"]
BodyKind = Literal["robot", "gripper", "part", "sensor", "device", "fixture"]
PropertyValue = float | int | bool | str | None
MOST_POINTS = 2000


@dataclass(frozen=True, slots=True)
class TreeBody:
    """A body. ``number`` is its index in frames; ``mesh`` is the key of its mesh and ``look`` that of its look, None if
    it is not drawn. Frames have one number for each of the ``channels`` of all bodies, after the poses.
    """

    number: int
    name: str
    parent: str | None
    kind: BodyKind
    mesh: str | None
    colour: str
    material: str
    look: str | None = None
    channels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TreeJoint:
    """A joint with its limits in radians or metres; None: unlimited."""

    name: str
    kind: str
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class TreeRobot:
    """A robot, the numbers of its bodies, and the names of its flange and gripper."""

    name: str
    model: str
    joints: tuple[TreeJoint, ...]
    base: int
    links: tuple[int, ...]
    flange: str | None
    gripper: str | None


@dataclass(frozen=True, slots=True)
class TreeWorkpoint:
    """A workpoint, and its pose relative to the body it is on."""

    name: str
    on: str | None
    pose: PoseData


@dataclass(frozen=True, slots=True)
class TreeSensor:
    """A sensor, and the body it is mounted on."""

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
    """The contents of a cell. ``source`` is the cell's file, if it exists.

    Body numbers are valid within one ``scene``: every cell, and every edit of a cell, has its own.
    """

    scene: int = 0
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
    """A volume that a sensor watches, as a mesh with flat lists of coordinates and of vertex indices.

    ``form`` says how it is drawn: a narrow one as a beam along z of the sensor, up to ``reach``; ``waves`` spread from
    the sensor; any other one is a ``field``.
    """

    form: Literal["beam", "waves", "field"]
    pose: PoseData
    reach: float
    vertices: tuple[float, ...]
    normals: tuple[float, ...]
    faces: tuple[int, ...]
    edges: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SensorOverlay:
    """What a sensor watches, relative to its body. A line is origin, direction and reach: seven numbers."""

    name: str
    body: int
    volumes: tuple[SensorVolume, ...]
    lines: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class SensorDetection:
    """What a sensor detects: whether it is on, and the bodies it sees.

    ``lines`` and ``spans`` are the distances at which its lines and volumes end at a body, None where nothing is in the
    way. ``tripped`` says which of the lines it counts: a body may be in the way that it does not detect.
    """

    name: str
    on: bool
    lines: tuple[float | None, ...]
    tripped: tuple[bool, ...]
    spans: tuple[float | None, ...]
    seen: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FrameOverlay:
    """A named frame on a body, given by number; None: in the world."""

    name: str
    body: int | None
    pose: PoseData


@dataclass(frozen=True, slots=True)
class ContactOverlay:
    """Two bodies in contact, with contact ``points``, or close to each other, with ``start`` and ``end`` of the gap."""

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
    """What is drawn besides bodies; None for overlays that were not requested."""

    sensors: tuple[SensorOverlay, ...] | None = None
    workpoints: tuple[FrameOverlay, ...] | None = None
    tools: tuple[FrameOverlay, ...] | None = None
    detections: tuple[SensorDetection, ...] | None = None
    contacts: tuple[ContactOverlay, ...] | None = None


@dataclass(frozen=True, slots=True)
class Property:
    """A property: an SI value with its unit; ``low`` and ``high`` are its limits, if any."""

    label: str
    value: PropertyValue
    unit: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class PropertyTable:
    """Properties under a title. ``link`` is the name of another thing that the title mentions."""

    title: str
    lines: tuple[Property, ...]
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Pick:
    """A point on the exact surface of a body, and the outward normal there, in the world and in the body's frame."""

    body: str
    t: int
    point: Vector
    normal: Vector
    local_point: Vector
    local_normal: Vector
    pose: PoseData = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Exposure:
    """The poses of bodies at time ``t``, by name."""

    t: int
    poses: dict[str, PoseData]


class SceneApi(ABC):
    """Queries the world at a given time. Changes nothing."""

    @abstractmethod
    async def tree(self) -> Tree:
        """The contents of the cell."""

    @abstractmethod
    async def mesh(self, key: str) -> bytes:
        """The mesh of a key in the tree: the numbers of vertices and faces, then float32 (m) and uint32."""

    @abstractmethod
    async def look(self, key: str) -> bytes:
        """The look of a key in the tree, packed as described in :mod:`drycell.looks.packing`."""

    @abstractmethod
    async def overlays(self, t: Tick, what: Annotated[tuple[Overlay, ...], Within(most=8)]) -> Overlays:
        """Overlays at a time. Sensors, workpoints and tools change only with the tree."""

    @abstractmethod
    async def contacts(self, t: Tick) -> tuple[ContactOverlay, ...]:
        """The bodies that touch or are close to each other."""

    @abstractmethod
    async def absent(self, t: Tick) -> tuple[int, ...]:
        """The numbers of bodies that are not in the cell at a time: not yet, or no longer."""

    @abstractmethod
    async def properties(self, name: Annotated[str, Within(most=500)], t: Tick) -> tuple[PropertyTable, ...]:
        """The properties of a body, robot, sensor, device, workpoint or signal."""

    @abstractmethod
    async def pick(
        self, number: Annotated[int, Within(0)], origin: Vector, direction: Vector, t: Tick, near: Vector | None = None
    ) -> Pick:
        """The point where a line of sight meets the exact surface of a body.

        Args:
            number: The number of the body.
            origin: Start of the line of sight, in the world.
            direction: Direction of the line of sight, of any length.
            t: The time.
            near: The point that was clicked on the mesh: used where the line just misses the exact surface.
        """

    @abstractmethod
    async def tool_path(
        self, robot: str, t0: Tick, t1: Tick, points: Annotated[int, Within(2, MOST_POINTS)] = MOST_POINTS
    ) -> tuple[Vector, ...]:
        """The path of a robot's TCP between two times."""

    @abstractmethod
    async def exposures(
        self,
        t0: Tick,
        t1: Tick,
        count: Annotated[int, Within(1, 200)],
        bodies: Annotated[tuple[str, ...], Within(1, 500)],
    ) -> tuple[Exposure, ...]:
        """The poses of bodies, including those named below them, at ``count`` evenly spaced times."""
