"""The three steps that closed-form solutions of arms are made of: the waist, the two-bar elbow, the three-axis wrist.

Each returns its solutions with a flag that says whether it stands at its singularity, where two of them become one.
"""

import math
from dataclasses import dataclass
from typing import Final

from drycell.base import Array
from drycell.robots.inverse.screws import angle_about, cross, rotation

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
    (or the third, as told) keeps its angle and the other takes the rest.
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
