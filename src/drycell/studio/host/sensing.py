"""The fields of view of sensors, as volumes and lines in their own frames, and what they detect at a time."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from drycell.base import Array, Pose, Vector
from drycell.geometry import Box, Cylinder, Shape
from drycell.kernel import Changes
from drycell.looks import LookMesh, facets, tessellate
from drycell.recording import RecordedSensor
from drycell.sensors import LiveSensor, SensorModel, look
from drycell.world import LiveBody, Scene, lineage

_MOST_VERTICES: Final = 20_000  # of one volume: for a finer mesh its bounding box is drawn
_NARROW: Final = 4.0  # times as long as it is wide: a cylinder that is drawn as a beam
_TIP: Final = 1e-6  # metres: a volume that starts in a point of the sensor widens from there
Form = Literal["beam", "waves", "field"]


@dataclass(frozen=True, eq=False)
class WatchedVolume:
    """A volume that a sensor watches, as a mesh with its pose relative to the sensor.

    A narrow one is drawn as a ``beam``, one that widens as ``waves``, any other one as a ``field``. ``reach`` is how
    far it goes along z of the sensor, in metres; ``edges`` are pairs of points.
    """

    form: Form
    pose: Pose
    reach: float
    vertices: Array
    normals: Array
    faces: NDArray[np.int64]
    edges: Array


@dataclass(frozen=True)
class WatchedLine:
    """A trace-line in the sensor's frame: origin, unit direction, and reach in metres."""

    origin: Vector
    direction: Vector
    reach: float


@dataclass(frozen=True)
class Detection:
    """What a sensor detects: whether it is on, and the bodies it sees.

    ``lines`` and ``spans`` are the distances at which its lines and volumes end at a body, None where nothing is in the
    way; ``tripped`` says which of the lines it counts.
    """

    on: bool
    lines: tuple[float | None, ...]
    tripped: tuple[bool, ...]
    spans: tuple[float | None, ...]
    seen: tuple[str, ...]


class SensorView(Protocol):
    """A sensor as the view shows it: of a cell or of a recording."""

    @property
    def body(self) -> LiveBody:
        """The body of the sensor."""

    @property
    def kind(self) -> str:
        """``range``, ``proximity``, ``contact`` or ``force``."""

    @property
    def model(self) -> str:
        """The name of its model, if any."""

    def watched(self) -> tuple[list[WatchedVolume], list[WatchedLine]]:
        """The volumes and lines that it watches."""

    def detection(self, scene: Scene, t: int) -> Detection:
        """What it detects at a time."""


class LiveSensorView:
    """A sensor of a cell. Its detection is computed only from the scene, without hysteresis, noise or delay."""

    def __init__(self, sensor: LiveSensor[Any]) -> None:
        self._sensor = sensor
        self.body, self.kind, self.model = sensor.body, sensor.model.type, sensor.model.name

    @cached_property
    def _watched(self) -> tuple[list[WatchedVolume], list[WatchedLine]]:
        return watched(self._sensor.model)

    def watched(self) -> tuple[list[WatchedVolume], list[WatchedLine]]:
        """The volumes and lines that it watches."""
        return self._watched

    def detection(self, scene: Scene, t: int) -> Detection:
        """What it would detect at a time."""
        sensor = self._sensor
        pose = scene.world.pose(sensor.body, t)
        reading = look(sensor.model, scene, pose, t, sensor.ignored, mount=sensor.body, thorough=False)
        lines = tuple(line.distance for line in reading.lines)
        tripped = tuple(line.measured is not None for line in reading.lines)
        spans = _spans(self._watched[0], lines, scene, pose, t, sensor.ignored)
        # An interrupted beam has also detected something, even if its switch is then off.
        found = reading.on if sensor.model.type in ("force", "contact") else bool(reading.seen)
        return Detection(found, lines, tripped, spans, tuple(body.name for body in reading.seen))


class RecordedSensorView:
    """A sensor of a recording. It has detected something if it published another value than its default."""

    def __init__(self, sensor: RecordedSensor, published: Callable[[], Changes[Any] | None]) -> None:
        self._sensor, self._published = sensor, published
        self.body, self.kind, self.model = sensor.body, sensor.kind, sensor.model

    @cached_property
    def _volumes(self) -> list[WatchedVolume]:
        return _drawn(self._sensor.volumes)

    def watched(self) -> tuple[list[WatchedVolume], list[WatchedLine]]:
        """The volumes and lines that it watched."""
        return self._volumes, [WatchedLine(*line) for line in self._sensor.lines]

    def detection(self, scene: Scene, t: int) -> Detection:
        """What it had published by a time. Its lines end at the first body, whatever its material."""
        sensor = self._sensor
        changes = self._published()
        value = None if changes is None else changes.at(t)
        on = value is not None and value != sensor.rest
        pose, own = scene.world.pose(sensor.body, t), set(lineage(sensor.body, t))
        lines: list[float | None] = []
        for origin, along, reach in sensor.lines:
            hit = scene.ray(pose.point(origin), pose.direction(along), reach, t, own)
            lines.append(None if hit is None else hit.distance)
        spans = _spans(self._volumes, lines, scene, pose, t, own)
        tripped = tuple(on and line is not None for line in lines)
        return Detection(on, tuple(lines), tripped, spans, ())


def _spans(
    volumes: Sequence[WatchedVolume],
    lines: Sequence[float | None],
    scene: Scene,
    pose: Pose,
    t: int,
    ignored: Iterable[LiveBody],
) -> tuple[float | None, ...]:
    """The distance at which each volume ends at a body: along its middle, and at the nearest hit of the lines in it."""
    spans: list[float | None] = []
    for volume in volumes:
        if volume.form == "field":
            spans.append(None)
            continue
        hit = scene.ray(pose.position, pose.direction((0.0, 0.0, 1.0)), volume.reach, t, ignored)
        inside = [line for line in lines if line is not None] if volume.form == "waves" else []
        spans.append(min([*inside, *([] if hit is None else [hit.distance])], default=None))
    return tuple(spans)


def watched(model: SensorModel) -> tuple[list[WatchedVolume], list[WatchedLine]]:
    """The volumes and lines that a kind of sensor watches. A directivity is drawn as a lobe."""
    probe = model.probe
    lines = [
        WatchedLine(origin, along, reach) for (origin, along), reach in zip(probe.lines, probe.reaches, strict=True)
    ]
    return _drawn(probe.volumes(1.0)), lines


def _drawn(volumes: Iterable[tuple[Shape, Pose]]) -> list[WatchedVolume]:
    drawn = []
    for shape, pose in volumes:
        mesh = tessellate(facets(shape))
        form = _form(shape, pose, mesh)
        lower, upper = shape.bounds
        reach = pose.position[2] + upper[2]
        if len(mesh.points) > _MOST_VERTICES:
            x, y, z = (high - low for low, high in zip(lower, upper, strict=True))
            middle = [0.5 * (low + high) for low, high in zip(lower, upper, strict=True)]
            mesh, pose, form = tessellate(facets(Box(x, y, z))), pose @ Pose(*middle), "field"
        edges = mesh.edges.reshape(-1, 3)
        drawn.append(WatchedVolume(form, pose, reach, mesh.points, mesh.normals, mesh.faces, edges))
    return drawn


def _form(shape: Shape, pose: Pose, mesh: LookMesh) -> Form:
    """How a volume is drawn."""
    if isinstance(shape, Cylinder):
        along = abs(pose.direction((0.0, 0.0, 1.0))[2]) > 1.0 - 1e-9
        return "beam" if along and shape.length >= 2.0 * _NARROW * shape.radius else "field"
    origin = pose.inverse().position
    return "waves" if np.min(np.linalg.norm(mesh.points - origin, axis=1)) < _TIP else "field"
