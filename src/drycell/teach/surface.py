"""Taught points: from a point picked on a surface to a target frame for a tool.

The z axis of the frame points against the outward normal, so that the tool approaches along the normal. Its x axis is
the x axis of the body projected into the surface, so that it follows the edges of a block in any orientation. If the x
axis of the body is steeper than 45° to the surface, its y axis is used. Without a body, the axes are those of the
world. The y axis is z × x.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from drycell.base import GeometryError, Pose, UnknownName, Vector
from drycell.world import LiveBody, LiveWorkpoint, World

_AXES: Final = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_STEEPEST: Final = math.sqrt(0.5)  # largest component of an axis along the normal: 45°
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class TaughtPoint:
    """A named frame on a body of the cell, which it moves with, or in the world.

    Its methods return changed copies: ``point.raised(5*mm).turned(90*deg)``.
    """

    name: str
    on: str | None
    local: Pose

    def pose(self, world: World) -> Pose:
        """Return its current pose in the world."""
        return self.local if self.on is None else world.pose(_body(world, self.on)) @ self.local

    def workpoint(self, world: World) -> LiveWorkpoint:
        """Return this point as a workpoint, to which robots can move."""
        return LiveWorkpoint(self.name, None if self.on is None else _body(world, self.on), self.local)

    def raised(self, distance: float) -> "TaughtPoint":
        """Move it along the outward normal by a distance in metres; negative distances go into the surface."""
        return replace(self, local=self.local @ Pose(0.0, 0.0, -distance))

    def shifted(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> "TaughtPoint":
        """Move it along its own axes, in metres; x and y are in the surface."""
        return replace(self, local=self.local @ Pose(x, y, z))

    def turned(self, angle: float, axis: str | Sequence[float] = "z") -> "TaughtPoint":
        """Turn it about its own axis ``x``, ``y`` or ``z``, or about any direction in its own frame.

        About z it turns in the surface, clockwise for a positive angle when seen along the approach.
        """
        direction = _unit(_own_axis(axis) if isinstance(axis, str) else axis)
        turn = Pose.of_rotation_vector([angle * share for share in direction])
        return replace(self, local=(self.local @ turn).orthonormal())

    def moved_to(self, at: Sequence[float]) -> "TaughtPoint":
        """Move it to a position in the frame of its body, with its orientation."""
        return replace(self, local=Pose.of_quaternion(self.local.quaternion, at))

    def renamed(self, name: str) -> "TaughtPoint":
        """Rename it."""
        return replace(self, name=name)

    def attached(self, world: World, on: str | None) -> "TaughtPoint":
        """Attach it to another body, or to the world with None, without moving it."""
        here = self.pose(world)
        local = here if on is None else world.pose(_body(world, on)).inverse() @ here
        return TaughtPoint(self.name, on, local.orthonormal())

    def centred(self, world: World) -> "TaughtPoint":
        """Move it within its surface to the middle of the body's bounding box: the middle of a block's face."""
        if self.on is None:
            raise GeometryError(
                f"{self.name!r} is not on a body, so there is no middle to move to", hint="attach it to a body"
            )
        shape = _body(world, self.on).shape
        if shape is None:
            raise GeometryError(f"{self.on!r} has no shape, so there is no middle to move to")
        lower, upper = shape.bounds
        middle = [(a + b) / 2 for a, b in zip(lower, upper, strict=True)]
        x, y, _ = self.local.inverse().point(middle)
        return self.shifted(x, y)


def surface_frame(point: Sequence[float], normal: Sequence[float], along: Sequence[Sequence[float]]) -> Pose:
    """Return the frame at a point of a surface: z against the normal, x along the first axis that is flat enough.

    All arguments are in one frame. An axis is flat enough if it is at most 45° to the surface.
    """
    n = _unit(normal)
    z = (-n[0], -n[1], -n[2])
    leaning = [(abs(_dot(n, axis)), axis) for axis in map(_unit, along)]
    chosen = next((axis for lean, axis in leaning if lean <= _STEEPEST + _ROUNDING), min(leaning)[1])
    lean = _dot(n, chosen)
    x = _unit([a - lean * b for a, b in zip(chosen, n, strict=True)])
    y = (z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0])
    p, q, r = (float(value) for value in point)
    return Pose.of_rows((x[0], y[0], z[0], p, x[1], y[1], z[1], q, x[2], y[2], z[2], r))


def picked(
    world: World,
    name: str,
    on: str | None,
    point: Sequence[float],
    normal: Sequence[float],
    *,
    grid: float = 0.0,
) -> TaughtPoint:
    """Return a taught point for a point picked on a body.

    Args:
        world: the world.
        name: name of the taught point.
        on: the body that was picked; None for the world.
        point: the picked point in the world, in metres.
        normal: the outward normal there.
        grid: round the point to multiples of this within the surface, in metres; 0 for no rounding.
    """
    own = Pose() if on is None else world.pose(_body(world, on)).inverse()
    local = surface_frame(own.point(point), own.direction(normal), (_AXES["x"], _AXES["y"]))
    made = TaughtPoint(name, on, local)
    if grid <= 0.0:
        return made
    along = [_dot(local.position, local.direction(_AXES[axis])) for axis in "xy"]
    x, y = (round(value / grid) * grid - value for value in along)
    return made.shifted(x, y)


def set_down(world: World, grasp: TaughtPoint, onto: TaughtPoint, clearance: float = 0.0) -> TaughtPoint:
    """Return the tool pose that places a part held at ``grasp`` on a surface at ``onto``.

    The part keeps its pose in the tool. The tool stays above the surface by the length that the part extends beyond it,
    plus the ``clearance`` that the part may drop.
    """
    if grasp.on is None:
        raise GeometryError(f"{grasp.name!r} is not on a part, so there is nothing to place", hint="pick a part")
    shape = _body(world, grasp.on).shape
    if shape is None:
        raise GeometryError(f"{grasp.on!r} has no shape, so it cannot be placed")
    lower, upper = shape.bounds
    seen = grasp.local.inverse()
    corners = [(x, y, z) for x in (lower[0], upper[0]) for y in (lower[1], upper[1]) for z in (lower[2], upper[2])]
    return onto.raised(max(seen.point(corner)[2] for corner in corners) + clearance)


def _body(world: World, name: str) -> LiveBody:
    if name not in world.bodies:
        raise UnknownName("body", name, world.bodies)
    return world.bodies[name]


def _own_axis(axis: str) -> Vector:
    if axis not in _AXES:
        raise UnknownName("axis", axis, _AXES)
    return _AXES[axis]


def _unit(vector: Sequence[float]) -> Vector:
    values = [float(value) for value in vector]
    length = math.hypot(*values)
    if len(values) != 3 or not 0.0 < length < math.inf:
        shown = ", ".join(f"{value:g}" for value in values)
        raise GeometryError(f"({shown}) is not a direction", hint="give a vector of finite length above zero")
    x, y, z = (value / length for value in values)
    return (x, y, z)


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(p * q for p, q in zip(a, b, strict=True))
