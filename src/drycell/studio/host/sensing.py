"""The fields of view of sensors, as volumes and lines in their own frames, and what they detect at a time."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from drycell.base import Array, Pose, Vector
from drycell.geometry import Box, Shape
from drycell.kernel import Changes
from drycell.looks import surface
from drycell.recording import RecordedSensor
from drycell.sensors import LiveSensor, SensorModel, look
from drycell.world import LiveBody, Scene, lineage

_MOST_VERTICES: Final = 20_000  # of one volume: for a finer mesh its bounding box is drawn


@dataclass(frozen=True, eq=False)
class WatchedVolume:
    """A volume that a sensor watches, as a mesh with its pose relative to the sensor."""

    pose: Pose
    vertices: Array
    faces: NDArray[np.int64]


@dataclass(frozen=True)
class WatchedLine:
    """A trace-line in the sensor's frame: origin, unit direction, and reach in metres."""

    origin: Vector
    direction: Vector
    reach: float


@dataclass(frozen=True)
class Detection:
    """What a sensor detects: whether it is on, and the distance to the hit along each of its lines."""

    on: bool
    lines: tuple[float | None, ...]
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

    def watched(self) -> tuple[list[WatchedVolume], list[WatchedLine]]:
        """The volumes and lines that it watches."""
        return watched(self._sensor.model)

    def detection(self, scene: Scene, t: int) -> Detection:
        """What it would detect at a time."""
        sensor = self._sensor
        pose = scene.world.pose(sensor.body, t)
        reading = look(sensor.model, scene, pose, t, sensor.ignored, mount=sensor.body, thorough=False)
        lines = tuple(line.distance if line.measured is not None else None for line in reading.lines)
        # An interrupted beam has also detected something, even if its switch is then off.
        found = reading.on if sensor.model.type in ("force", "contact") else bool(reading.seen)
        return Detection(found, lines, tuple(body.name for body in reading.seen))


class RecordedSensorView:
    """A sensor of a recording. It has detected something if it published another value than its default."""

    def __init__(self, sensor: RecordedSensor, published: Callable[[], Changes[Any] | None]) -> None:
        self._sensor, self._published = sensor, published
        self.body, self.kind, self.model = sensor.body, sensor.kind, sensor.model

    def watched(self) -> tuple[list[WatchedVolume], list[WatchedLine]]:
        """The volumes and lines that it watched."""
        return _drawn(self._sensor.volumes), [WatchedLine(*line) for line in self._sensor.lines]

    def detection(self, scene: Scene, t: int) -> Detection:
        """What it had published by a time. Its lines end at the first body, whatever its material."""
        sensor = self._sensor
        changes = self._published()
        value = None if changes is None else changes.at(t)
        if value is None or value == sensor.rest:
            return Detection(False, (None,) * len(sensor.lines), ())
        pose, own = scene.world.pose(sensor.body, t), lineage(sensor.body, t)
        lines: list[float | None] = []
        for origin, along, reach in sensor.lines:
            hit = scene.ray(pose.point(origin), pose.direction(along), reach, t, own)
            lines.append(None if hit is None else hit.distance)
        return Detection(True, tuple(lines), ())


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
        lower, upper = shape.bounds
        facets = surface(shape, math.inf)
        vertices, faces = facets.vertices, facets.faces
        if len(vertices) > _MOST_VERTICES:
            size = [high - low for low, high in zip(lower, upper, strict=True)]
            middle = [0.5 * (low + high) for low, high in zip(lower, upper, strict=True)]
            vertices, faces = Box(*size).triangles()
            pose = pose @ Pose(*middle)
        drawn.append(WatchedVolume(pose, vertices, np.asarray(faces, np.int64)))
    return drawn
