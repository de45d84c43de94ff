"""The way from base to flange as axes in space at joint zero: what the closed-form solutions are built on.

With every joint at zero, joint k turns about the line through ``points[k]`` along ``axes[k]`` (or shifts along it), and
the flange is at ``flange``; for joints q the flange is at exp(1, q₁) … exp(n, qₙ) · flange (product of exponentials:
Brockett 1984; Murray, Li and Sastry 1994).
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
