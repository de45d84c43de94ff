"""Sensing: what sensors watch, as shapes and lines in their own frames, and what they see at an instant."""

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from drycell.pictures.surface import surface
from drycell.sensors.look import look
from drycell.sensors.model import SensorModel
from drycell.sensors.sensor import Sensor
from drycell.spatial import Array, Pose
from drycell.world import Scene

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

    origin: tuple[float, float, float]
    direction: tuple[float, float, float]
    reach: float


@dataclass(frozen=True)
class Detection:
    """What a sensor finds: whether it is on, how far each of its lines goes before it counts something."""

    on: bool
    lines: tuple[float | None, ...]
    seen: tuple[str, ...]


def watched(model: SensorModel) -> tuple[list[WatchedVolume], list[WatchedLine]]:
    """All that a kind of sensor watches; a lobe where it has a directivity, cut off where it stops being sure."""
    volumes = []
    for shape, pose in model.probe.volumes(1.0):
        lower, upper = shape.bounds
        facets = surface(shape, math.inf)
        vertices, faces = facets.vertices, facets.faces
        if len(vertices) > _MOST_VERTICES:
            from drycell.geometry import Box

            size = [high - low for low, high in zip(lower, upper, strict=True)]
            middle = [0.5 * (low + high) for low, high in zip(lower, upper, strict=True)]
            vertices, faces = Box(*size).triangles()
            pose = pose @ Pose(*middle)
        volumes.append(WatchedVolume(pose, vertices, np.asarray(faces, np.int64)))
    probe = model.probe
    lines = [
        WatchedLine(origin, along, reach) for (origin, along), reach in zip(probe.lines, probe.reaches, strict=True)
    ]
    return volumes, lines


def detection(sensor: Sensor[Any], scene: Scene, t: int) -> Detection:
    """What a sensor would find at an instant, by the scene alone: no hysteresis, noise, faults or delay."""
    pose = scene.world.pose(sensor.body, t)
    reading = look(sensor.model, scene, pose, t, sensor.ignored, mount=sensor.body, thorough=False)
    lines = tuple(line.distance if line.measured is not None else None for line in reading.lines)
    # A beam that is interrupted has found something, too, though its switch may be off then.
    found = reading.on if sensor.model.type in ("force", "contact") else bool(reading.seen)
    return Detection(found, lines, tuple(body.name for body in reading.seen))
