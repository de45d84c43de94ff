"""Paths: lines and arcs of the tool, as geometry without time."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

from drycell.base import MotionError, Pose, Vector
from drycell.handling import MotionLimits
from drycell.robots.arm import Arm
from drycell.robots.links import HALF_TURN, turn_near

# Radians: the largest component of a rotation vector of half a turn is at least π/√3 = 1.81.
_LARGE = 1.75
# Three points closer to one line than this, relative to their distance, do not define an arc.
_STRAIGHT = 1e-6


@dataclass(frozen=True)
class Path(ABC):
    """A path from one tool pose to another, with an even rotation.

    Distance along it is in metres, or in radians if the path only turns the tool.
    """

    start: Pose
    end: Pose

    @property
    @abstractmethod
    def length(self) -> float:
        """Metres from start to end."""

    @abstractmethod
    def position(self, fraction: float) -> Vector:
        """The position after a fraction (0…1) of the path."""

    @abstractmethod
    def tangent(self, fraction: float) -> Vector:
        """The derivative of the position with respect to the fraction."""

    @abstractmethod
    def fraction_at(self, distance: float) -> float:
        """The fraction of the path after which it stays within a straight ``distance`` of its end."""

    @cached_property
    def _turn(self) -> Vector:
        x, y, z = (self.start.inverse() @ self.end).rotation_vector
        # Half a turn reaches the end in both directions, and rounding must not choose: take the rotation vector whose
        # first large component in the tool's frame is positive.
        if math.hypot(x, y, z) > HALF_TURN and next(v for v in (x, y, z) if abs(v) > _LARGE) < 0.0:
            return (-x, -y, -z)
        return (x, y, z)

    def turning(self, fraction: float) -> Vector:
        """The derivative of the rotation with respect to the fraction, a rotation vector in the frame of the poses."""
        return self._turning

    @cached_property
    def _turning(self) -> Vector:
        return self.start.direction(self._turn)

    @cached_property
    def angle(self) -> float:
        """The angle between the first and the last orientation, in radians."""
        return math.hypot(*self._turn)

    @cached_property
    def span(self) -> float:
        """The whole distance: metres, or radians if the path only turns."""
        return self.length if self.length > 1e-9 else self.angle

    def pose(self, fraction: float) -> Pose:
        """The tool pose after a fraction of the path; the orientation turns evenly about one axis."""
        x, y, z = self._turn
        turned = self.start @ Pose.of_rotation_vector((fraction * x, fraction * y, fraction * z))
        a, b, c, _, d, e, f, _, g, h, i, _ = turned.rows
        x, y, z = self.position(fraction)
        return Pose.of_rows((a, b, c, x, d, e, f, y, g, h, i, z))

    def limits(self, linear: MotionLimits, turning: MotionLimits) -> MotionLimits:
        """The limits of the time law, so that both travel and rotation stay within theirs."""
        if self.length <= 1e-9:
            return turning
        # Radians per metre; a path without rotation is limited only by its travel.
        rate = self.angle / self.length
        if rate < 1e-9:
            return linear
        return MotionLimits(
            min(linear.speed, turning.speed / rate),
            min(linear.acceleration, turning.acceleration / rate),
            min(linear.jerk, turning.jerk / rate),
        )


@dataclass(frozen=True)
class Line(Path):
    """A straight line from start to end."""

    @cached_property
    def length(self) -> float:
        return math.dist(self.start.position, self.end.position)

    @cached_property
    def _travel(self) -> Vector:
        (a, b, c), (x, y, z) = self.start.position, self.end.position
        return (x - a, y - b, z - c)

    def position(self, fraction: float) -> Vector:
        (a, b, c), (x, y, z) = self.start.position, self._travel
        return (a + fraction * x, b + fraction * y, c + fraction * z)

    def tangent(self, fraction: float) -> Vector:
        return self._travel

    def fraction_at(self, distance: float) -> float:
        return max(0.0, 1.0 - distance / self.length) if self.length > 1e-9 else 0.0


@dataclass(frozen=True)
class Arc(Path):
    """An arc from start to end, with a ``centre``, a unit ``axis`` and the ``sweep`` about it in radians."""

    centre: Vector
    axis: Vector
    sweep: float

    @cached_property
    def radius(self) -> float:
        """The radius in metres."""
        return math.dist(self.centre, self.start.position)

    @cached_property
    def length(self) -> float:
        return self.radius * self.sweep

    @cached_property
    def _spokes(self) -> tuple[Vector, Vector]:
        """The radius vector at the start, and the one a quarter turn later."""
        spoke = _minus(self.start.position, self.centre)
        return spoke, _cross(self.axis, spoke)

    def position(self, fraction: float) -> Vector:
        c, s = math.cos(fraction * self.sweep), math.sin(fraction * self.sweep)
        (a, b, d), (x, y, z), (u, v, w) = self._spokes[0], self._spokes[1], self.centre
        return (u + c * a + s * x, v + c * b + s * y, w + c * d + s * z)

    def tangent(self, fraction: float) -> Vector:
        c, s = self.sweep * math.cos(fraction * self.sweep), self.sweep * math.sin(fraction * self.sweep)
        (a, b, d), (x, y, z) = self._spokes
        return (c * x - s * a, c * y - s * b, c * z - s * d)

    def fraction_at(self, distance: float) -> float:
        # The chord over the rest of the arc is the distance: 2 r sin(rest / 2).
        rest = 2.0 * math.asin(min(1.0, distance / (2.0 * self.radius)))
        return max(0.0, 1.0 - rest / self.sweep)


def arc_through(start: Pose, via: Vector, end: Pose) -> Arc:
    """The arc from start through a via point to end; the orientation turns evenly from start to end.

    Raises MotionError if the three points are on one line.
    """
    a, b, c = start.position, via, end.position
    u, v = _minus(b, a), _minus(c, a)
    normal = _cross(u, v)
    size, reach = math.hypot(*normal), max(math.hypot(*u), math.hypot(*v))
    if size <= _STRAIGHT * reach or math.dist(b, c) <= _STRAIGHT * reach or reach == 0.0:
        raise MotionError(
            f"no arc goes through {_show(a)}, {_show(b)} and {_show(c)}: they lie on one line",
            hint="use move_linear, or choose a via point well off the line between start and end",
        )
    # Circumcentre of a triangle from two of its edges.
    uu, vv = _dot(u, u), _dot(v, v)
    along_u, along_v = _cross(v, normal), _cross(normal, u)
    k = 0.5 / (size * size)
    centre = tuple(p + k * (uu * q + vv * r) for p, q, r in zip(a, along_u, along_v, strict=True))
    axis = (normal[0] / size, normal[1] / size, normal[2] / size)
    middle = (centre[0], centre[1], centre[2])
    first, last = _minus(a, middle), _minus(c, middle)
    sweep = math.atan2(_dot(axis, _cross(first, last)), _dot(first, last)) % (2.0 * math.pi)
    return Arc(start, end, middle, axis, sweep)


def _show(p: Vector) -> str:
    return "({:.3f}, {:.3f}, {:.3f}) mm".format(*(v * 1e3 for v in p))


def _minus(p: Vector, q: Vector) -> Vector:
    return (p[0] - q[0], p[1] - q[1], p[2] - q[2])


def _dot(p: Vector, q: Vector) -> float:
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]


def _cross(p: Vector, q: Vector) -> Vector:
    return (p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0])


# A tool this close to vertical (1 − |sine|) can have any rotation about the vertical.
_UPRIGHT = 1e-12
# The pitch and roll of the start must reproduce its pose; they do not if the arm reaches over backwards.
_SAME = 1e-6
# Step of the central difference of the rotation, as a fraction of the path: its error is far below the tolerance.
_DIFFERENCE = 1e-5


@dataclass(frozen=True)
class PitchRollPath(Path):
    """The positions of another path, with orientations that a 5-axis arm can take."""

    along: Path
    arm: Arm
    pitch: tuple[float, float]
    roll: tuple[float, float]

    @property
    def length(self) -> float:
        return self.along.length

    def position(self, fraction: float) -> Vector:
        return self.along.position(fraction)

    def tangent(self, fraction: float) -> Vector:
        return self.along.tangent(fraction)

    def fraction_at(self, distance: float) -> float:
        return self.along.fraction_at(distance)

    def pose(self, fraction: float) -> Pose:
        pitch, roll = (low + fraction * (high - low) for low, high in (self.pitch, self.roll))
        return self.arm.mechanism.pose_at(self.position(fraction), pitch, roll, self.arm.tool) @ self.arm.tool

    def turning(self, fraction: float) -> Vector:
        before, after = self.pose(fraction - _DIFFERENCE), self.pose(fraction + _DIFFERENCE)
        x, y, z = (after @ before.inverse()).rotation_vector
        k = 0.5 / _DIFFERENCE
        return (k * x, k * y, k * z)


def for_arm(arm: Arm, path: Path) -> Path:
    """The path as an arm can follow it: with pitch and roll for a 5-axis arm, unchanged for any other.

    A path on which the tool is vertical at both ends is also unchanged, as every arm can follow it.
    """
    if arm.mechanism.dof != 5:
        return path
    try:
        axis = _roll_axis(arm, path.start)
    except MotionError:
        return path  # another kind of 5-axis arm
    if all(1.0 - abs(arm.flange(pose).direction(axis)[2]) < _UPRIGHT for pose in (path.start, path.end)):
        return path
    (first_pitch, first), (last_pitch, last) = (_pitch_and_roll(arm, axis, pose) for pose in (path.start, path.end))
    last = turn_near(last, first, middle=0.0)
    fitted = PitchRollPath(path.start, path.end, path, arm, (first_pitch, last_pitch), (first, last))
    return fitted if fitted.pose(0.0).distance_to(path.start)[1] < _SAME else path


def pitch_and_roll(arm: Arm, tcp: Pose) -> tuple[float, float]:
    """Pitch and roll, in radians, of a TCP pose that a 5-axis arm can take; the pose is relative to the base."""
    return _pitch_and_roll(arm, _roll_axis(arm, tcp), tcp)


def _roll_axis(arm: Arm, tcp: Pose) -> Vector:
    """The axis of the last joint, which is the roll axis, in the flange frame."""
    place = arm.flange(tcp).position
    level, rolled = (arm.mechanism.pose_at(place, 0.0, roll) for roll in (0.0, 1.0))
    x, y, z = (level.inverse() @ rolled).rotation_vector
    size = math.hypot(x, y, z)
    return (x / size, y / size, z / size)


def _pitch_and_roll(arm: Arm, axis: Vector, tcp: Pose) -> tuple[float, float]:
    """Pitch and roll of a pose that a 5-axis arm can take."""
    level = math.asin(min(max(arm.flange(tcp).direction(axis)[2], -1.0), 1.0))
    ahead = _rolled(arm, axis, tcp, level)
    if ahead[1] < _SAME:
        return level, ahead[0]
    # A tool tilted backwards past the vertical has the same axis height as one tilted forwards.
    back = math.remainder(math.pi - level, 2.0 * math.pi)
    roll, missed = _rolled(arm, axis, tcp, back)
    return (back, roll) if missed < ahead[1] else (level, ahead[0])


def _rolled(arm: Arm, axis: Vector, tcp: Pose, pitch: float) -> tuple[float, float]:
    """The roll that is nearest to a pose at a given pitch, and the remaining angle."""
    turn = (arm.mechanism.pose_at(tcp.position, pitch, 0.0, arm.tool).inverse() @ arm.flange(tcp)).rotation_vector
    roll = sum(u * v for u, v in zip(turn, axis, strict=True))
    return roll, math.dist(turn, [roll * each for each in axis])
