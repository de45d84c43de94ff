"""Axes in space at joint zero, and the three steps that the closed-form solutions of arms are made of.

With every joint at zero, joint k turns about the line through ``points[k]`` along ``axes[k]`` (or shifts along it), and
the flange is at ``flange``; for joints q the flange is at exp(1, q₁) … exp(n, qₙ) · flange (product of exponentials:
Brockett 1984; Murray, Li and Sastry 1994).
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import IDENTITY, Array, Pose
from drycell.robots.kinematics import chain_to

if TYPE_CHECKING:
    from drycell.robots.mechanism import Mechanism


EXACT = 1e-9  # axes count as parallel, perpendicular or meeting if they are so within this


@dataclass(frozen=True)
class Screws:
    """Axes at joint zero, seen from the base. ``joints`` are the places of the mechanism's joints they belong to."""

    joints: tuple[int, ...]
    kinds: str  # "R" and "P", one letter an axis, such as "RRRRRR"
    axes: tuple[Array, ...]
    points: tuple[Array, ...]
    flange: Pose

    def parallel(self, i: int, j: int) -> bool:
        """Whether two axes are parallel."""
        return float(np.linalg.norm(np.cross(self.axes[i], self.axes[j]))) < EXACT

    def square(self, i: int, j: int) -> bool:
        """Whether two axes are perpendicular."""
        return abs(float(self.axes[i] @ self.axes[j])) < EXACT

    def meeting(self, i: int, j: int) -> Array | None:
        """The point where two axes meet, if they do in one point."""
        u, v = self.axes[i], self.axes[j]
        normal = np.cross(u, v)
        size = float(normal @ normal)
        between = self.points[j] - self.points[i]
        if size < EXACT or abs(float(normal @ between)) > EXACT:
            return None
        share = float(np.cross(between, v) @ normal) / size
        point: Array = self.points[i] + share * u
        return point


def screws_of(mechanism: "Mechanism") -> Screws | None:
    """The axes of a mechanism, or None if a joint does not drive the flange simply (a gear ratio, a joint twice)."""
    joints: list[int] = []
    kinds = ""
    axes: list[Array] = []
    points: list[Array] = []
    at = IDENTITY
    for index in chain_to(mechanism.links, mechanism.flange.link):
        link = mechanism.links[index]
        at = at @ link.origin
        for drive in link.drives:
            if drive.ratio != 1.0 or drive.joint in joints or drive.kind != mechanism.joints[drive.joint].kind:
                return None
            joints.append(drive.joint)
            kinds += "R" if drive.kind == "revolute" else "P"
            axes.append(_clean(np.array(at.direction(drive.axis))))
            points.append(at.translation)
            at = at @ drive.pose(0.0)
    return Screws(tuple(joints), kinds, tuple(axes), tuple(points), at @ mechanism.flange.pose)


def _clean(axis: Array) -> Array:
    """An axis without the 1e-17 that cos(90°) leaves, so that parallel axes are exactly so."""
    axis = np.where(np.abs(axis) < 1e-12, 0.0, axis)
    cleaned: Array = axis / math.sqrt(float(axis @ axis))
    return cleaned


def rotation(axis: Array, angle: float) -> Array:
    """The rotation matrix about a unit axis."""
    x, y, z = axis.tolist()
    c, s = math.cos(angle), math.sin(angle)
    k = 1.0 - c
    return np.array(
        (
            (c + k * x * x, k * x * y - s * z, k * x * z + s * y),
            (k * x * y + s * z, c + k * y * y, k * y * z - s * x),
            (k * x * z - s * y, k * y * z + s * x, c + k * z * z),
        )
    )


def across(axis: Array) -> Array:
    """Some unit vector perpendicular to an axis, always the same one for the same axis."""
    least = int(np.argmin(np.abs(axis)))
    vector = np.cross(axis, np.eye(3)[least])
    unit: Array = vector / math.sqrt(float(vector @ vector))
    return unit


def angle_about(axis: Array, before: Array, after: Array) -> float:
    """The angle about an axis that turns one vector into another (what lies along the axis is left out)."""
    (x, y, z), (a, b, c), (d, e, f) = axis.tolist(), before.tolist(), after.tolist()
    along, ahead = x * a + y * b + z * c, x * d + y * e + z * f
    sine = x * (b * f - c * e) + y * (c * d - a * f) + z * (a * e - b * d)
    return math.atan2(sine, a * d + b * e + c * f - along * ahead)


def cross(one: Array, other: Array) -> Array:
    """The vector product: ten times as quick as numpy's for a single pair."""
    (a, b, c), (d, e, f) = one.tolist(), other.tolist()
    return np.array((b * f - c * e, c * d - a * f, a * e - b * d))


# A pose may miss a length by this much and still count as just within reach (rounding of poses read from text).
LENGTH_TOLERANCE: Final = 1e-9
# Nearer than this to a wrist or shoulder singularity the joint that keeps its value may keep it: the flange is then off
# by at most 2e-7 rad, and no rounding error in the pose can throw the joint about.
SINGULAR: Final = 1e-7


@dataclass(frozen=True, slots=True)
class Miss:
    """A step without a solution: by how many metres, negative if the target is too near."""

    amount: float


def waist_angles(axis: Array, side: Array, arm: Array, offset: float, keep: float) -> Miss | list[tuple[float, bool]]:
    """Angles of a waist that bring a point into the arm's plane, which runs ``offset`` beside the axis.

    ``arm`` is the point from the axis, ``side`` the plane's normal at angle zero. Solutions in front come first. On the
    axis itself, if the plane holds it, any angle will do: then the waist keeps its angle.
    """
    forward = cross(side, axis)
    f, n = float(forward @ arm), float(side @ arm)
    radius = math.hypot(f, n)
    if radius < abs(offset) - LENGTH_TOLERANCE:
        return Miss(radius - abs(offset))
    if radius < SINGULAR and abs(offset) < SINGULAR:
        return [(keep, True)]
    # (forward, side, axis) is right-handed; turned back by q the point is at radius·(cos, sin)(azimuth − q).
    azimuth = math.atan2(n, f)
    reach = math.sqrt(max(radius * radius - offset * offset, 0.0))
    lead = math.atan2(offset, reach)
    return [(azimuth - lead, False), (azimuth - math.pi + lead, False)]


def elbow_angles(axis: Array, upper: Array, fore: Array, target: Array) -> Miss | list[tuple[float, float, bool]]:
    """Shoulder and elbow angles about one direction that bring the end of two bars to a target.

    ``upper`` and ``fore`` are the bars at angle zero; all from the shoulder, what lies along the axis is left out.
    """
    u, v, t = (vector - axis * float(axis @ vector) for vector in (upper, fore, target))
    a, b, c = (math.sqrt(float(vector @ vector)) for vector in (u, v, t))
    if c > a + b + LENGTH_TOLERANCE:
        return Miss(c - a - b)
    if c < abs(a - b) - LENGTH_TOLERANCE:
        return Miss(c - abs(a - b))
    # Half-angle form: exact at both ends, where the cosine rule loses half the digits.
    sine, cosine = max((a + b) ** 2 - c * c, 0.0), max(c * c - (a - b) ** 2, 0.0)
    bend = 2.0 * math.atan2(math.sqrt(sine), math.sqrt(cosine))
    straight = angle_about(axis, u, v)  # how far the bars are bent at elbow angle zero
    singular = bend < SINGULAR or bend > math.pi - SINGULAR
    found = []
    for sign in (1.0,) if singular else (1.0, -1.0):
        elbow = sign * bend - straight
        end = u + rotation(axis, elbow) @ v
        found.append((angle_about(axis, end, t), elbow, singular))
    return found


def wrist_angles(
    axes: tuple[Array, Array, Array], wanted: Array, keep: float, keep_first: bool = True
) -> list[tuple[float, float, float, bool]]:
    """Angles about three axes, each perpendicular to the next, that make a rotation.

    Where the first and third axis fall into line only the sum (or difference) of their angles is given: then the first
    (or the third, without ``keep_first``) keeps its angle and the other takes the rest.
    """
    first, second, third = axes
    rest = cross(second, first)
    lean = angle_about(second, first, third)  # the third axis leans by this from the first at angle zero
    out = wanted @ third
    along, cosine, sine = float(first @ out), float(rest @ out), float(second @ out)
    size = math.hypot(cosine, sine)
    if size >= SINGULAR:
        theta, q1 = math.atan2(size, along), math.atan2(sine, cosine)
        pairs = [(q1, theta - lean), (q1 + math.pi, -theta - lean)]
        return [(a, b, _last(axes, wanted, a, b), False) for a, b in pairs]
    bend = (0.0 if along > 0.0 else math.pi) - lean
    if keep_first:
        return [(keep, bend, _last(axes, wanted, keep, bend), True)]
    # exp(1, a) exp(2, bend) exp(3, c) = wanted, so a about the first axis is what is left when c is taken off.
    left = wanted @ rotation(third, -keep) @ rotation(second, -bend)
    return [(angle_about(first, second, left @ second), bend, keep, True)]


def _last(axes: tuple[Array, Array, Array], wanted: Array, first: float, second: float) -> float:
    left = rotation(axes[1], -second) @ rotation(axes[0], -first) @ wanted
    return angle_about(axes[2], axes[1], left @ axes[1])
