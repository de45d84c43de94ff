"""Sensing: what sensors watch, as shapes and lines in their own frames, and what they see at an instant."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from drycell.base import Array, Pose, Vector
from drycell.geometry import Box, Shape
from drycell.kernel import Changes
from drycell.pictures import surface
from drycell.recording import RecordedSensor
from drycell.sensors import LiveSensor, SensorModel, look
from drycell.world import LiveBody, Scene, lineage

_MOST_VERTICES: Final = 20_000  # of one volume: a finer mesh is drawn as the box about it


@dataclass(frozen=True, eq=False)
class WatchedVolume:
    """A volume that a sensor watches, as triangles in a frame seen from the sensor."""

    pose: Pose
    vertices: Array
    faces: NDArray[np.int64]


@dataclass(frozen=True)
class WatchedLine:
    """A trace-line in the sensor's frame: origin, direction of length 1, metres it reaches."""

    origin: Vector
    direction: Vector
    reach: float


@dataclass(frozen=True)
class Detection:
    """What a sensor finds: whether it is on, how far each of its lines goes before it counts something."""

    on: bool
    lines: tuple[float | None, ...]
    seen: tuple[str, ...]


class Watcher(Protocol):
    """A sensor as the view shows it, at work or recorded."""

    @property
    def body(self) -> LiveBody:
        """What it is mounted with."""

    @property
    def kind(self) -> str:
        """``range``, ``proximity``, ``contact`` or ``force``."""

    @property
    def model(self) -> str:
        """The name of its model, if that has one."""

    def watched(self) -> tuple[list[WatchedVolume], list[WatchedLine]]:
        """All that it watches."""

    def detection(self, scene: Scene, t: int) -> Detection:
        """What it finds at an instant."""


class SensorAtWork:
    """A sensor of a cell: it looks at any instant anew, by the scene alone, without hysteresis, noise or delay."""

    def __init__(self, sensor: LiveSensor[Any]) -> None:
        self._sensor = sensor
        self.body, self.kind, self.model = sensor.body, sensor.model.type, sensor.model.name

    def watched(self) -> tuple[list[WatchedVolume], list[WatchedLine]]:
        """All that it watches."""
        return watched(self._sensor.model)

    def detection(self, scene: Scene, t: int) -> Detection:
        """What it would find at an instant."""
        sensor = self._sensor
        pose = scene.world.pose(sensor.body, t)
        reading = look(sensor.model, scene, pose, t, sensor.ignored, mount=sensor.body, thorough=False)
        lines = tuple(line.distance if line.measured is not None else None for line in reading.lines)
        # A beam that is interrupted has found something, too, though its switch may be off then.
        found = reading.on if sensor.model.type in ("force", "contact") else bool(reading.seen)
        return Detection(found, lines, tuple(body.name for body in reading.seen))


class SensorOfRecording:
    """A sensor of a run that is over: it has found something where it published what it does not at rest."""

    def __init__(self, sensor: RecordedSensor, published: Callable[[], Changes[Any] | None]) -> None:
        self._sensor, self._published = sensor, published
        self.body, self.kind, self.model = sensor.body, sensor.kind, sensor.model

    def watched(self) -> tuple[list[WatchedVolume], list[WatchedLine]]:
        """All that it watched."""
        return _drawn(self._sensor.volumes), [WatchedLine(*line) for line in self._sensor.lines]

    def detection(self, scene: Scene, t: int) -> Detection:
        """What it had told by an instant. Its lines end at what is in their way, whatever that is made of."""
        sensor = self._sensor
        changes = self._published()
        told = None if changes is None else changes.at(t)
        if told is None or told == sensor.rest:
            return Detection(False, (None,) * len(sensor.lines), ())
        pose, own = scene.world.pose(sensor.body, t), lineage(sensor.body, t)
        lines: list[float | None] = []
        for origin, along, reach in sensor.lines:
            hit = scene.ray(pose.point(origin), pose.direction(along), reach, t, own)
            lines.append(None if hit is None else hit.distance)
        return Detection(True, tuple(lines), ())


def watched(model: SensorModel) -> tuple[list[WatchedVolume], list[WatchedLine]]:
    """All that a kind of sensor watches; a lobe where it has a directivity, cut off where it stops being sure."""
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
