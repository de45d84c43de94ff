"""Taught points: from a point picked on a surface to a frame that a tool can be brought to.

The frame's z axis goes against the outward normal, so that a tool whose frame comes to be this one approaches along the
normal. Its x axis is the body's own x axis laid into the surface, so that it runs along the edges of a block however
that stands in the cell; where the body's x axis leaves the surface at more than 45°, the body's y axis is taken. On
what is no body the world's axes stand for the body's. y follows: y = z × x.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from drycell.base import GeometryError, Pose, UnknownName, Vector
from drycell.world import LiveBody, LiveWorkpoint, World

_AXES: Final = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_STEEPEST: Final = math.sqrt(0.5)  # the share of an axis that may go along the normal: 45°
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class TaughtPoint:
    """A named frame on a body of the cell (or in the world), which moves with it.

    Everything that changes it returns another one: ``point.raised(5*mm).turned(90*deg)``.
    """

    name: str
    on: str | None
    local: Pose

    def pose(self, world: World) -> Pose:
        """Where it is in the world now."""
        return self.local if self.on is None else world.pose(_body(world, self.on)) @ self.local

    def workpoint(self, world: World) -> LiveWorkpoint:
        """The same as a target that robots take."""
        return LiveWorkpoint(self.name, None if self.on is None else _body(world, self.on), self.local)

    def raised(self, distance: float) -> "TaughtPoint":
        """Along the outward normal, away from the surface; a negative distance goes into it, as to grasp."""
        return replace(self, local=self.local @ Pose(0.0, 0.0, -distance))

    def shifted(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> "TaughtPoint":
        """Along its own axes; x and y stay in the surface."""
        return replace(self, local=self.local @ Pose(x, y, z))

    def turned(self, angle: float, axis: str | Sequence[float] = "z") -> "TaughtPoint":
        """Turned on the spot about its own axis ``x``, ``y`` or ``z``, or about any direction in its own frame.

        About z it turns in the surface: seen along the approach, clockwise for a positive angle.
        """
        direction = _unit(_own_axis(axis) if isinstance(axis, str) else axis)
        turn = Pose.of_rotation_vector([angle * share for share in direction])
        return replace(self, local=(self.local @ turn).orthonormal())

    def moved_to(self, at: Sequence[float]) -> "TaughtPoint":
        """Put at a place in the frame of what it is on, pointing as it did."""
        return replace(self, local=Pose.of_quaternion(self.local.quaternion, at))

    def renamed(self, name: str) -> "TaughtPoint":
        """The same under another name."""
        return replace(self, name=name)

    def attached(self, world: World, on: str | None) -> "TaughtPoint":
        """At the same place now, but moving with another body; with None it stays where it is in the world."""
        here = self.pose(world)
        local = here if on is None else world.pose(_body(world, on)).inverse() @ here
        return TaughtPoint(self.name, on, local.orthonormal())

    def centred(self, world: World) -> "TaughtPoint":
        """Slid within its surface to opposite the middle of the body's box: the middle of a block's face."""
        if self.on is None:
            raise GeometryError(f"{self.name!r} is on no body, so there is no middle to go to", hint="attach it to one")
        shape = _body(world, self.on).shape
        if shape is None:
            raise GeometryError(f"{self.on!r} has no shape, so there is no middle to go to")
        lower, upper = shape.bounds
        middle = [(a + b) / 2 for a, b in zip(lower, upper, strict=True)]
        x, y, _ = self.local.inverse().point(middle)
        return self.shifted(x, y)


def surface_frame(point: Sequence[float], normal: Sequence[float], along: Sequence[Sequence[float]]) -> Pose:
    """The frame at a point of a surface: z against the normal, x the first of ``along`` that lies flat enough.

    All are seen from one frame; an axis lies flat enough at no more than 45° to the surface.
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
    """The taught point where somebody pointed at a body: a point and an outward normal, both seen from the world.

    With a ``grid`` it is moved within the surface to the nearest whole steps: hands are not exact to the nanometre.
    """
    own = Pose() if on is None else world.pose(_body(world, on)).inverse()
    local = surface_frame(own.point(point), own.direction(normal), (_AXES["x"], _AXES["y"]))
    made = TaughtPoint(name, on, local)
    if grid <= 0.0:
        return made
    along = [_dot(local.position, local.direction(_AXES[axis])) for axis in "xy"]
    x, y = (round(way / grid) * grid - way for way in along)
    return made.shifted(x, y)


def set_down(world: World, grasp: TaughtPoint, onto: TaughtPoint, clearance: float = 0.0) -> TaughtPoint:
    """Where the tool must be so that a part, held as ``grasp`` says, lies on a surface at ``onto``.

    The part keeps how it lies in the tool, so the tool stands off the surface by as far as the part reaches beyond it,
    and by a ``clearance`` that it may fall through.
    """
    if grasp.on is None:
        raise GeometryError(f"{grasp.name!r} is on no part, so nothing is known of what it holds", hint="pick a part")
    shape = _body(world, grasp.on).shape
    if shape is None:
        raise GeometryError(f"{grasp.on!r} has no shape, so it cannot be set down")
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
        raise GeometryError(f"({shown}) is no direction", hint="give a vector of finite length above zero")
    x, y, z = (value / length for value in values)
    return (x, y, z)


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(p * q for p, q in zip(a, b, strict=True))
