"""Snapping of poses: to a grid, to steps of an angle, onto a face, or in line with another body."""

import math
from collections.abc import Sequence

from drycell.base import GeometryError, Pose, Vector, align_z
from drycell.geometry import Bounds


def to_grid(pose: Pose, step: float) -> Pose:
    """Return the pose with each coordinate rounded to a multiple of a length."""
    _above_zero("the grid step", step)
    at = [round(value / step) * step for value in pose.position]
    return pose.moved(*(new - old for new, old in zip(at, pose.position, strict=True)))


def to_angle(pose: Pose, step: float) -> Pose:
    """Return the pose with roll, pitch and yaw rounded to multiples of an angle."""
    _above_zero("the angle step", step)
    roll, pitch, yaw = (round(value / step) * step for value in pose.rpy)
    return Pose.of_rpy(roll, pitch, yaw, at=pose.position)


def onto_face(pose: Pose, bounds: Bounds, point: Sequence[float], normal: Sequence[float]) -> Pose:
    """Return the pose of a body on a face: the centre of its bottom at a point, its z axis along the normal.

    ``bounds`` are those of its shape in its own frame. It keeps its heading as far as the face allows.
    """
    turned = align_z(normal, point)
    heading = turned.inverse().direction(pose.direction((1.0, 0.0, 0.0)))
    if math.hypot(*heading[:2]) < 1e-6:  # its x axis points into the face: its y axis gives the heading
        sideways = turned.inverse().direction(pose.direction((0.0, 1.0, 0.0)))
        heading = (sideways[1], -sideways[0], 0.0)
    lower, upper = bounds
    foot = Pose((lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2, lower[2])
    return turned @ Pose.turn_z(math.atan2(heading[1], heading[0])) @ foot.inverse()


def aligned(pose: Pose, bounds: Bounds, other: Pose, other_bounds: Bounds, axes: str = "xy") -> Pose:
    """Return the pose shifted along world axes so that the centres of two bodies align."""
    if not axes or set(axes) - set("xyz"):
        raise GeometryError(f"unknown axes {axes!r}", hint="name some of x, y and z")
    here, there = pose.point(_middle(bounds)), other.point(_middle(other_bounds))
    shift = [b - a if axis in axes else 0.0 for axis, a, b in zip("xyz", here, there, strict=True)]
    return pose.moved(*shift)


def _middle(bounds: Bounds) -> Vector:
    x, y, z = ((low + high) / 2 for low, high in zip(*bounds, strict=True))
    return (x, y, z)


def _above_zero(what: str, step: float) -> None:
    if not 0.0 < step < math.inf:
        raise GeometryError(f"{what} is {step:g}, but must be above 0", hint="turn snapping off instead")
