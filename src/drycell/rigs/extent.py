"""The reach and the width of a sensor's beam, from its lines and volumes."""

import math

from drycell.base import DrycellError
from drycell.sensors import SensorModel


def reach_of(model: SensorModel) -> float:
    """Return the reach of a range or proximity sensor in m: that of its longest line, or of its volumes."""
    if model.type not in ("range", "proximity"):
        raise DrycellError(
            f"{model.name or 'the sensor'} is of the type {model.type!r}, which has no beam",
            hint="use a range or proximity sensor: drycell sensors lists them",
        )
    ahead = [0.0, *model.probe.reaches]
    for shape, pose in (volume.reaching() for volume in model.volumes):
        lower, upper = shape.bounds
        ahead += [
            pose.point((x, y, z))[2]
            for x in (lower[0], upper[0])
            for y in (lower[1], upper[1])
            for z in (lower[2], upper[2])
        ]
    return float(max(ahead))


def half_angle_of(model: SensorModel) -> float:
    """Return the largest angle of its lines or beams off its axis, in rad; 0 for parallel beams."""
    angles = [math.atan2(math.hypot(x, y), z) for _, (x, y, z) in model.probe.lines]
    angles += [beam.half_angle for volume in model.volumes if (beam := volume.beam) is not None]
    return max(angles, default=0.0)


def half_width_of(model: SensorModel) -> float:
    """Return the lateral extent of its parallel beams in m: lines beside the axis, and volumes that do not widen."""
    widths = [math.hypot(x, y) for (x, y, _), _ in model.probe.lines]
    for volume in model.volumes:
        if volume.beam is None:
            shape, pose = volume.reaching()
            widths.append(math.hypot(*pose.position[:2]) + max(shape.bounds[1][:2]))
    return max(widths, default=0.0)
