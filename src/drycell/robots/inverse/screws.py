"""Axes in space at joint zero, and the three subproblems of the closed-form solutions of arms.

With every joint at zero, joint k turns about the line through ``points[k]`` along ``axes[k]`` (or shifts along it), and
the flange is at ``flange``; for joints q the flange is at exp(1, q₁) … exp(n, qₙ) · flange (product of exponentials:
Brockett 1984; Murray, Li and Sastry 1994).
"""

import math
from dataclasses import dataclass
from math import atan2, cos, hypot, pi, sin, sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import IDENTITY, Array, Pose
from drycell.robots.kinematics import chain_to

if TYPE_CHECKING:
    from drycell.robots.mechanism import Mechanism


EXACT = 1e-9  # tolerance for axes that are parallel, perpendicular or intersecting


@dataclass(frozen=True)
class Screws:
    """Axes at joint zero, relative to the base. ``joints`` are the indices of the mechanism's joints."""

    joints: tuple[int, ...]
    kinds: str  # "R" and "P", one letter for each axis, such as "RRRRRR"
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
        """The point where two axes intersect; None if they do not intersect in one point."""
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
    """The axes of a mechanism; None if a joint drives the flange with a gear ratio or more than once."""
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
    """An axis without residues such as cos(90°) = 6e-17, so that parallel axes are exactly parallel."""
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
    """A unit vector perpendicular to an axis, always the same one for the same axis."""
    least = int(np.argmin(np.abs(axis)))
    vector = np.cross(axis, np.eye(3)[least])
    unit: Array = vector / math.sqrt(float(vector @ vector))
    return unit


def angle_about(axis: Array, before: Array, after: Array) -> float:
    """The angle about an axis that turns one vector into another, without their components along the axis."""
    (x, y, z), (a, b, c), (d, e, f) = axis.tolist(), before.tolist(), after.tolist()
    along, ahead = x * a + y * b + z * c, x * d + y * e + z * f
    sine = x * (b * f - c * e) + y * (c * d - a * f) + z * (a * e - b * d)
    return math.atan2(sine, a * d + b * e + c * f - along * ahead)


# Tolerance of reach in metres, for the rounding of poses read from text.
LENGTH_TOLERANCE: Final = 1e-9
# Closer than this to a wrist or shoulder singularity, a joint keeps its value: the error of the flange is then at most
# 2e-7 rad, and rounding errors in the pose cannot make the joint jump.
SINGULAR: Final = 1e-7


@dataclass(frozen=True, slots=True)
class Miss:
    """A subproblem without a solution, and by how many metres; negative if the target is too near."""

    amount: float


def waist_angles(x: float, y: float, offset: float, keep: float) -> Miss | list[tuple[float, float, bool]]:
    """The waist angles that turn a point into the arm's plane, which is ``offset`` beside the axis.

    The point is relative to the axis: ``x`` ahead of the arm at angle zero, ``y`` beside it. Each angle is returned
    with the distance of the point ahead of the arm, the solution in front first. If the point is on the axis, and the
    axis in the plane, any angle is a solution: the waist keeps its angle.
    """
    radius = hypot(x, y)
    if radius < abs(offset) - LENGTH_TOLERANCE:
        return Miss(radius - abs(offset))
    if radius < SINGULAR and abs(offset) < SINGULAR:
        return [(keep, cos(keep) * x + sin(keep) * y, True)]
    # In the frame turned by q the point is at radius·(cos, sin)(azimuth − q).
    azimuth = atan2(y, x)
    reach = sqrt(max(radius * radius - offset * offset, 0.0))
    lead = atan2(offset, reach)
    return [(azimuth - lead, reach, False), (azimuth - pi + lead, -reach, False)]


def elbow_angles(upper: float, fore: float, x: float, y: float) -> Miss | list[tuple[float, float, bool]]:
    """The direction of the first of two bars, and the bend to the second, for which they end at a target.

    The target is relative to the shoulder, in the plane of the bars; angles are from x to y.
    """
    far = hypot(x, y)
    if far > upper + fore + LENGTH_TOLERANCE:
        return Miss(far - upper - fore)
    if far < abs(upper - fore) - LENGTH_TOLERANCE:
        return Miss(far - abs(upper - fore))
    # Half-angle form: exact at both ends, where the cosine rule loses half the digits.
    square = far * far
    sine, cosine = (upper + fore) ** 2 - square, square - (upper - fore) ** 2
    bend = 2.0 * atan2(sqrt(sine) if sine > 0.0 else 0.0, sqrt(cosine) if cosine > 0.0 else 0.0)
    aim = atan2(y, x)
    aside = atan2(fore * sin(bend), upper + fore * cos(bend))  # the target, seen along the first bar
    if SINGULAR <= bend <= pi - SINGULAR:
        return [(aim - aside, bend, False), (aim + aside, -bend, False)]
    return [(aim - aside, bend, True)]


class WristAxes:
    """Three axes that intersect in a point, each perpendicular to the next."""

    def __init__(self, first: Array, second: Array, third: Array) -> None:
        # The angle between the third axis and the first at angle zero.
        self.lean = angle_about(second, first, third)
        self.inner: Array = np.stack((first, np.cross(second, first), second))  # rows
        self.outer: Array = np.stack((third, second, np.cross(third, second)), axis=1)  # columns

    def angles(
        self, along: float, cosine: float, rest_2: float, rest_3: float, sine: float, up_2: float, up_3: float,
        keep: float, keep_first: bool = True,
    ) -> list[tuple[float, float, float, bool]]:  # fmt: skip
        """The angles for a rotation R, given as the rows of ``inner @ R @ outer``; of the first row only ``along``.

        Where the first and third axis are collinear, only the sum (or difference) of their angles is determined: then
        the first (or the third, without ``keep_first``) keeps its angle and the other makes the rest of the turn.
        """
        size = hypot(cosine, sine)
        if size >= SINGULAR:
            theta, first = atan2(size, along), atan2(sine, cosine)
            # The second axis, turned by the first angle, is (cosine·second − sine·rest) / size; the third angle rotates
            # it further.
            last = atan2(sine * rest_3 - cosine * up_3, cosine * up_2 - sine * rest_2)
            lean = self.lean
            return [(first, theta - lean, last, False), (first + pi, -theta - lean, last + pi, False)]
        bend = (0.0 if along > 0.0 else pi) - self.lean
        c, s = cos(keep), sin(keep)
        if keep_first:
            return [(keep, bend, atan2(s * rest_3 - c * up_3, c * up_2 - s * rest_2), True)]
        return [(atan2(s * rest_3 - c * rest_2, c * up_2 - s * up_3), bend, keep, True)]
