"""Zones: flat convex outlines that infrared sensors and bumpers watch, and whether a wall reaches into one."""

import math
from collections.abc import Sequence

from drycell.base import FieldError
from drycell.geometry import Box
from drycell.learn.world.plan import FloorPlan, Point
from drycell.learn.world.sensing import Mounted, Place
from drycell.sensors import Beam, visibility
from drycell.world import Materials


def outline(sensor: Mounted, share: float = 1.0) -> list[Point]:
    """The section of a sensor's volume in the plane, in the robot's frame, at a share of its length.

    A beam gives a triangle; a box of width, height and depth a rectangle that lies before the sensor.
    """
    volume = sensor.model.volumes[0] if sensor.model.volumes else None
    shape = None if volume is None else volume.shape
    if isinstance(shape, Beam):
        far = shape.length * share
        half = far * math.tan(shape.half_angle)
        corners = [(0.0, 0.0), (far, -half), (far, half)]
    elif isinstance(shape, Box):
        half, far = shape.x / 2.0, shape.z * share
        corners = [(0.0, -half), (far, -half), (far, half), (0.0, half)]
    else:
        raise FieldError(
            f"sensor {sensor.name!r} watches a volume that has no section in the plane here", hint="a beam or a box has"
        )
    cosine, sine = math.cos(sensor.bearing), math.sin(sensor.bearing)
    return [(sensor.x + cosine * u - sine * v, sensor.y + sine * u + cosine * v) for u, v in corners]


def detects(sensor: Mounted, plan: FloorPlan, place: Place) -> bool:
    """Whether a wall that the sensor can detect is in its zone, for a robot at a place."""
    x, y, heading = place
    cosine, sine = math.cos(heading), math.sin(heading)
    for wall in plan.walls:
        share = visibility(sensor.model, Materials()[wall.material])
        if share <= 0.0:
            continue
        corners = [(x + cosine * u - sine * v, y + sine * u + cosine * v) for u, v in outline(sensor, share)]
        if _meets(corners, wall.start, wall.end):
            return True
    return False


def _meets(corners: Sequence[Point], a: Point, b: Point) -> bool:
    """Whether a segment touches a convex outline (counter-clockwise): what is left of it, cut at every edge."""
    low, high = 0.0, 1.0
    dx, dy = b[0] - a[0], b[1] - a[1]
    for (px, py), (qx, qy) in zip(corners, (*corners[1:], corners[0]), strict=True):
        inside = (qx - px) * (a[1] - py) - (qy - py) * (a[0] - px)
        change = (qx - px) * dy - (qy - py) * dx
        if change == 0.0:
            if inside < 0.0:
                return False
            continue
        cut = -inside / change
        low, high = (max(low, cut), high) if change > 0.0 else (low, min(high, cut))
        if low > high:
            return False
    return True
