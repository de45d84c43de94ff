"""Sensors as a recording keeps them: where they sit, where they look, and what they say while they see nothing.

What they published is in their signals. How they find it is left out: a recording tells what was, and looks at nothing.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from drycell.base import Pose, Vector
from drycell.geometry import Shape
from drycell.recording.document import Json, Node, number, numbers
from drycell.sensors import LiveSensor, resting_value
from drycell.world import LiveBody

Line = tuple[Vector, Vector, float]  # origin, direction of length 1, metres it reaches


@dataclass(frozen=True, slots=True)
class RecordedSensor:
    """A sensor of a run that is over. Volumes and lines are seen from the sensor."""

    name: str
    kind: str
    model: str
    body: LiveBody
    rest: bool | float
    """What it publishes as long as it detects nothing."""
    volumes: tuple[tuple[Shape, Pose], ...]
    lines: tuple[Line, ...]


def sensor_data(sensor: LiveSensor[Any], body: int, shape_number: Callable[[Shape], int]) -> Json:
    """A sensor as plain data; its body and the shapes it watches are named by their numbers."""
    model, probe = sensor.model, sensor.model.probe
    rest = resting_value(model)
    return {
        "name": sensor.name,
        "kind": model.type,
        "model": model.name,
        "body": body,
        "rest": rest if isinstance(rest, bool) else number(rest),
        "volumes": [{"shape": shape_number(shape), "pose": numbers(pose.rows)} for shape, pose in probe.volumes(1.0)],
        "lines": [
            numbers((*origin, *along, reach)) for (origin, along), reach in zip(probe.lines, probe.reaches, strict=True)
        ],
    }


def sensor_from(node: Node, bodies: Sequence[LiveBody], shapes: Sequence[Shape]) -> RecordedSensor:
    """The sensor again."""
    rest = node["rest"]
    return RecordedSensor(
        name=node["name"].text,
        kind=node["kind"].text,
        model=node["model"].text,
        body=bodies[node["body"].integer(0, len(bodies))],
        rest=rest.value if isinstance(rest.value, bool) else rest.number,
        volumes=tuple((shapes[each["shape"].integer(0, len(shapes))], each["pose"].pose) for each in node["volumes"]),
        lines=tuple(_line(each) for each in node["lines"]),
    )


def _line(node: Node) -> Line:
    x, y, z, along_x, along_y, along_z, reach = node.numbers(7)
    if not math.isfinite(reach):
        raise node.wrong("a length at its end")
    return (x, y, z), (along_x, along_y, along_z), reach
