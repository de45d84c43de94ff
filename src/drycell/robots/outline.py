"""Outlines: the solids of an arm that has none of its own, from a robot with the same body or from the joints alone."""

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import IDENTITY, Array, MechanismError, Pose, Vector, align_z, mm
from drycell.robots.links import Drive, Link, Mark

if TYPE_CHECKING:
    from drycell.geometry import Shape
    from drycell.robots.mechanism import Mechanism

GENERIC: Final = "generic"
"""The outline that is made from the joints."""
_SHORT: Final = 25 * mm  # offsets below this are not stretched
_SAME: Final = 0.1 * mm
_NOTHING: Final = 1 * mm
# The plain arm: the radius of its trunk for a reach of 850 mm and a payload of 5 kg, and how its links taper.
_RADIUS: Final = 60 * mm
_TAPER: Final = (1.1, 1.0, 0.85, 0.7, 0.6, 0.55, 0.5)
_FOOT: Final = 1.35


def shared_outline(
    links: Sequence[Link], flange: Mark, source: "Mechanism"
) -> tuple["Shape | None", tuple[Link, ...], float]:
    """The solids of another robot, adapted to the lengths of these links.

    Every solid is scaled by the median ratio of all lengths, and then lengthened or shortened in its middle half until
    it fits the distance to the next joint. The deviation of a link that is not the same grows by the difference.

    Returns:
        The solid of the base, the links with their solids, and the deviation of the base.
    """
    own, other = _offsets(links, flange), _offsets(source.links, source.flange)
    pairs = [(t, o) for mine, theirs in zip(own, other, strict=True) for t, o in zip(mine, theirs, strict=True)]
    ratios = [t / o for t, o in pairs if abs(o) > _SHORT and t / o > 0.0]
    same = max(abs(t - o) for t, o in pairs) <= _SAME
    scale = 1.0 if same or not ratios else median(ratios)
    fits: list[_Fit | None] = [None] * len(own)
    if not same:
        behind: list[tuple[Vector, Vector]] = []  # the joint before, which the body of a link may reach back to
        for number, ahead in enumerate(zip(other, own, strict=True)):
            fits[number] = _Fit(scale, [ahead, *behind])
            if number < len(links):
                back = links[number].origin.inverse()
                old, new = (back.direction(each) for each in ahead)
                behind = [(_opposite(old), _opposite(new))]
    added = [0.0 if same else max(map(abs, np.subtract(mine, theirs))) for mine, theirs in zip(own, other, strict=True)]
    made = [
        replace(link, shape=_fitted(body.shape, fit), deviation=body.deviation + float(more))
        for link, body, fit, more in zip(links, source.links, fits[1:], added[1:], strict=True)
    ]
    return _fitted(source.base, fits[0]), tuple(made), source.base_deviation + float(added[0])


def _offsets(links: Sequence[Link], flange: Mark) -> list[Vector]:
    """From the base to the first joint, from joint to joint, and from the last one to the flange."""
    return [*(link.origin.position for link in links), flange.pose.position]


def _opposite(vector: Vector) -> Vector:
    x, y, z = vector
    return (-x, -y, -z)


class _Fit:
    """How points of a link move: scaled, then shifted towards the joint at either end, growing over the middle half."""

    def __init__(self, scale: float, ends: Sequence[tuple[Vector, Vector]]) -> None:
        self._scale = scale
        # For each end: where the next joint is in the frame of the link, before and after.
        self._shifts = [
            (axis, scale * o, t - scale * o)
            for old, new in ends
            for axis, (o, t) in enumerate(zip(old, new, strict=True))
            if abs(o) > _SHORT and t / o > 0.0
        ]

    def along(self, axis: int, value: float) -> float:
        """Where a coordinate of the link goes."""
        value *= self._scale
        shifts = (
            shift * min(max(2.0 * value / end - 0.5, 0.0), 1.0) for place, end, shift in self._shifts if place == axis
        )
        return value + sum(shifts)


def _fitted(shape: "Shape | None", fit: _Fit | None) -> "Shape | None":
    """A solid made of tapers, fitted to other lengths along the axes of its link."""
    from drycell.geometry import Compound, Taper

    if shape is None or fit is None:
        return shape

    def parts(part: "Shape", pose: Pose) -> "list[tuple[Pose, Shape]]":
        if isinstance(part, Compound):
            return [piece for local, each in part.parts for piece in parts(each, pose @ local)]
        if not isinstance(part, Taper):
            raise MechanismError("only solids made of lofts can be fitted to the lengths of another robot")
        # Outlines are turned by multiples of a right angle only, so an axis of the taper is an axis of the link.
        places = [int(np.abs(column).argmax()) for column in pose.rotation.T]
        signs = [float(pose.rotation[place, own]) for own, place in enumerate(places)]

        def moved(own: int, value: float) -> float:
            place, sign, shift = places[own], signs[own], pose.position[places[own]]
            return sign * fit.along(place, sign * value + shift)

        return [(Pose.of(pose.rotation, np.zeros(3)), part.moved(moved))]

    return Compound(tuple(parts(shape, IDENTITY)))


def generic_outline(
    links: Sequence[Link], flange: Mark, payload: float, reach: float
) -> "tuple[Shape | None, tuple[Link, ...]]":
    """A plain arm: a foot, a housing on every axis, and bars from joint to joint.

    The radii follow reach and payload. From each joint, the arm first runs along its axis and then across to the next
    joint, as the bodies of real arms do.

    Returns:
        The solid of the base, and the links with their solids.
    """
    trunk = max(_RADIUS * math.sqrt(reach / 0.85) * (payload / 5.0) ** 0.23, 20 * mm)
    radii = [trunk * _TAPER[min(number, len(_TAPER) - 1)] for number in range(len(links))]
    offsets, starts = _slid(links, _offsets(links, flange))
    made: list[Link] = []
    for number, link in enumerate(links):
        radius, last = radii[number], number == len(links) - 1
        if last:
            solid = _hand(flange.pose, offsets[-1], radius)
        else:
            bare = math.dist(offsets[-1], (0.0, 0.0, 0.0)) < _NOTHING  # the flange is at the last joint
            short = radius + radii[-1] if number == len(links) - 2 and bare else 0.0
            solid = _member(link.drives[0], starts[number], offsets[number + 1], radius, radii[number + 1], short)
        made.append(replace(link, shape=solid))
    return _foot(offsets[0], trunk), tuple(made)


def _slid(links: Sequence[Link], offsets: list[Vector]) -> tuple[list[Vector], list[Array]]:
    """The joints moved along their own axes where the arm would otherwise run back and forth along one.

    Returns:
        The offsets from joint to joint, and how far each joint was moved, in the frame of its link.
    """
    found, moved = [np.array(each) for each in offsets], []
    for number, link in enumerate(links):
        axis, rotation = np.array(link.drives[0].axis), link.origin.rotation
        before, after = float(axis @ rotation.T @ found[number]), float(axis @ found[number + 1])
        slide = (-before if abs(before) < abs(after) else after) if before * after < 0.0 and number else 0.0
        found[number] = found[number] + rotation @ axis * slide
        found[number + 1] = found[number + 1] - axis * slide
        moved.append(axis * slide)
    return [(float(x), float(y), float(z)) for x, y, z in found], moved


def _foot(top: Vector, radius: float) -> "Shape":
    from drycell.geometry import Compound, Cylinder

    wide = max(radius, 0.17 * top[2])
    plate = min(0.3 * radius, 0.5 * max(top[2], 10 * mm))
    parts: list[tuple[Pose, Shape]] = [(Pose(z=plate / 2), Cylinder(_FOOT * wide, plate))]
    height = top[2] - 0.6 * radius - plate
    if height > _NOTHING:
        parts.append((Pose(z=plate + height / 2), Cylinder(1.15 * wide, height)))
    return Compound(tuple(parts))


def _member(drive: Drive, start: Array, offset: Vector, radius: float, following: float, short: float) -> "Shape":
    """A link from its joint, at ``start``, to the next one; ``short`` is how far it ends before the next joint."""
    from drycell.geometry import Capsule, Compound, Cylinder

    axis, end = np.array(drive.axis), np.array(offset)
    along = axis * float(axis @ end)
    parts: list[tuple[Pose, Shape]] = []
    if drive.kind == "revolute":
        parts.append((align_z(drive.axis, start.tolist()), Cylinder(1.05 * radius, 2.0 * radius)))
    across = end - along
    bars = [(np.zeros(3), along, radius), (along, across, 0.45 * (radius + following))]
    bars = [each for each in bars if float(np.linalg.norm(each[1])) > _NOTHING]
    for number, (corner, bar, size) in enumerate(bars):
        whole = float(np.linalg.norm(bar))
        length = whole - min(short, 0.8 * whole) if number == len(bars) - 1 else whole
        middle = (start + corner + bar * (0.5 * length / whole)).tolist()
        parts.append((align_z(bar.tolist(), middle), Capsule(size, length)))
    return Compound(tuple(parts)) if parts else Capsule(radius, radius)


def _hand(flange: Pose, offset: Vector, radius: float) -> "Shape":
    """The last link: a cylinder that ends at the flange."""
    from drycell.geometry import Compound, Cylinder

    length = max(math.dist(offset, (0.0, 0.0, 0.0)), 0.8 * radius)
    return Compound(((flange @ Pose(z=-length / 2), Cylinder(radius, length)),))
