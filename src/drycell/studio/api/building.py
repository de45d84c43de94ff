"""Building on the bench: edited cell files tried out, poses of things, the library, sensors. See ``host/building``."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Annotated, Any

from drycell.base import Mistake
from drycell.studio.api.codec import PoseData, Vector, Within

LongText = Annotated[str, Within(most=1_000_000)]
PathText = Annotated[str, Within(most=1000)]


@dataclass(frozen=True, slots=True)
class BenchPreview:
    """Whether an edited cell is shown, and what is wrong with it."""

    shown: bool
    mistakes: tuple[Mistake, ...]


@dataclass(frozen=True, slots=True)
class ThingPlace:
    """Where a thing is, and the frame that its place is seen from: world = frame · place · lift.

    ``bounds`` are of its shape; ``carried`` has the poses of all bodies that go along with it.
    """

    world: PoseData
    frame: PoseData
    lift: PoseData
    bounds: tuple[Vector, Vector] | None = None
    carried: dict[str, PoseData] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """A robot, sensor or material, with a line about it."""

    name: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Library:
    """What there is to build with."""

    robots: tuple[LibraryEntry, ...] = ()
    sensors: tuple[LibraryEntry, ...] = ()
    materials: tuple[LibraryEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class SensorCurve:
    """How a sensor answers: points over a distance or angle, None where it finds nothing."""

    over: str
    unit: str
    of: str
    target: str
    points: tuple[tuple[float, float | None], ...]


@dataclass(frozen=True, slots=True)
class VolumeBox:
    """The pose and size of a volume that a sensor watches."""

    pose: PoseData
    size: Vector


@dataclass(frozen=True, slots=True)
class SensorLine:
    """A line that a sensor looks along."""

    origin: Vector
    direction: Vector
    reach: float


@dataclass(frozen=True, slots=True)
class SensorPreview:
    """A sensor that an entry of a cell file describes, or what is wrong with the entry."""

    mistakes: tuple[Mistake, ...] = ()
    title: str = ""
    type: str = ""
    kind: str = ""
    unit: str = ""
    curves: tuple[SensorCurve, ...] = ()
    volumes: tuple[VolumeBox, ...] = ()
    lines: tuple[SensorLine, ...] = ()


class BuildingApi(ABC):
    """Tries out what is built."""

    @abstractmethod
    async def preview(self, text: LongText, path: PathText, seed: int | None = None) -> BenchPreview:
        """Builds the cell of an edited text on the bench, as if it stood in the file ``path``, which is not touched.

        What can be built in spite of mistakes is shown. With mistakes that leave nothing to show, what was on the bench
        stays.
        """

    @abstractmethod
    async def save_as_cell_file(self, path: PathText) -> str:
        """Writes the cell on the bench, built in Python, say, as a cell file."""

    @abstractmethod
    async def place(self, name: PathText, carrier: PathText | None, on_top: bool, at: PoseData) -> ThingPlace:
        """Where a thing is, and the frame its place would be seen from if it stood or hung on a carrier.

        ``at`` is its place now, for a thing that has no body.
        """

    @abstractmethod
    async def library(self) -> Library:
        """Robots, sensors and materials."""

    @abstractmethod
    async def sensor_preview(self, entry: dict[str, Any], path: PathText = "cell.yaml") -> SensorPreview:
        """How a sensor answers to a plate over distance, and over angle.

        Wrong numbers come back as mistakes with their fields, as they would in the file.
        """
