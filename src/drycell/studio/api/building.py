"""Building: previews of edited cell files, poses of things, the library, sensors. Host: ``host/building``."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Annotated

from drycell.base import Mistake
from drycell.studio.api.codec import PoseData, Vector, Within

LongText = Annotated[str, Within(most=1_000_000)]
PathText = Annotated[str, Within(most=1000)]


@dataclass(frozen=True, slots=True)
class DraftPreview:
    """Whether the edited cell could be shown, and its mistakes.

    ``shift`` is how far the thing that was asked about should be moved to be clear of others, in x and y of its
    carrier.
    """

    shown: bool
    mistakes: tuple[Mistake, ...]
    shift: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class ThingPlace:
    """The pose of a thing in the world, and the frame that its place in the file refers to.

    ``world`` = ``frame`` · place · ``lift``. ``bounds`` is the bounding box of its shape; ``carried`` has the poses of
    all bodies that move with it.
    """

    world: PoseData
    frame: PoseData
    lift: PoseData
    bounds: tuple[Vector, Vector] | None = None
    carried: dict[str, PoseData] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """A robot, tool, sensor or material, with a one-line description, and the address of its picture if it has one."""

    name: str
    text: str = ""
    picture: str = ""


@dataclass(frozen=True, slots=True)
class Library:
    """The robots, tools, sensors and materials that a cell can use."""

    robots: tuple[LibraryEntry, ...] = ()
    grippers: tuple[LibraryEntry, ...] = ()
    """Tools that hold parts: fingers, cups and magnets."""
    tools: tuple[LibraryEntry, ...] = ()
    """The other tools."""
    sensors: tuple[LibraryEntry, ...] = ()
    materials: tuple[LibraryEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class SensorCurve:
    """The response of a sensor over a distance or angle; None where it detects nothing."""

    over: str
    unit: str
    of: str
    target: str
    points: tuple[tuple[float, float | None], ...]


@dataclass(frozen=True, slots=True)
class VolumeBox:
    """The pose and size of the box around a volume that a sensor watches."""

    pose: PoseData
    size: Vector


@dataclass(frozen=True, slots=True)
class SensorLine:
    """A trace-line of a sensor."""

    origin: Vector
    direction: Vector
    reach: float


@dataclass(frozen=True, slots=True)
class SensorPreview:
    """The sensor that an entry of a cell file describes, or the mistakes in the entry."""

    mistakes: tuple[Mistake, ...] = ()
    title: str = ""
    type: str = ""
    kind: str = ""
    unit: str = ""
    curves: tuple[SensorCurve, ...] = ()
    volumes: tuple[VolumeBox, ...] = ()
    lines: tuple[SensorLine, ...] = ()


class BuildingApi(ABC):
    """Previews the edited cell."""

    @abstractmethod
    async def preview(self, text: LongText, path: PathText, seed: int | None = None) -> DraftPreview:
        """Build the cell of an edited text as if it were in the file ``path``. The file is not changed.

        A cell with mistakes is shown as far as possible. If nothing can be shown, the previous cell stays open.
        """

    @abstractmethod
    async def check(self, text: LongText, path: PathText, new: PathText | None = None) -> DraftPreview:
        """Build the cell of an edited text without showing it: for its mistakes, and a place for a new thing in it."""

    @abstractmethod
    async def save_as_cell_file(self, path: PathText) -> str:
        """Write the open cell, which may be built in Python, as a cell file."""

    @abstractmethod
    async def place(self, name: PathText, carrier: PathText | None, on_top: bool, at: PoseData) -> ThingPlace:
        """The pose of a thing, and the frame of its place if it were on a carrier.

        Args:
            name: The thing.
            carrier: The body that it is on; None: the world.
            on_top: Whether the place refers to the top of the carrier rather than to its origin.
            at: Its current place, for a thing without a body.
        """

    @abstractmethod
    async def library(self) -> Library:
        """The robots, sensors and materials that a cell can use."""

    @abstractmethod
    async def sensor_preview(self, entry: LongText, path: PathText = "cell.yaml") -> SensorPreview:
        """The response of a sensor to a plate, over distance and angle.

        Args:
            entry: The entry of the sensor as YAML in one line, such as ``{model: ultrasonic}``.
            path: The cell file; files that the entry names are relative to it.

        Returns:
            The preview; invalid values are listed as mistakes with their fields.
        """
