"""Forward kinematics of many configurations in numpy, for culling, and how far links can move at most."""

from collections.abc import Sequence

import numpy as np

from drycell.base import IDENTITY, Array, Pose
from drycell.robots.link import BASE, Link


def link_positions(links: Sequence[Link], joints: Array) -> tuple[Array, Array]:
    """Link positions (n, links, 3) and rotations (n, links, 3, 3) for joints (n, dof): for culling only."""
    n = len(joints)
    positions = np.empty((n, len(links), 3))
    rotations = np.empty((n, len(links), 3, 3))
    for index, link in enumerate(links):
        origin = link.origin
        if link.parent < 0:
            position = np.broadcast_to(origin.translation, (n, 3))
            rotation = np.broadcast_to(origin.rotation, (n, 3, 3))
        else:
            base = rotations[:, link.parent]
            position = positions[:, link.parent] + base @ origin.translation
            rotation = base @ origin.rotation
        for drive in link.drives:
            amount = drive.ratio * joints[:, drive.joint] + drive.offset
            if drive.kind == "prismatic":
                position = position + amount[:, None] * (rotation @ np.array(drive.axis))
            else:
                rotation = rotation @ _turns(np.array(drive.axis), amount)
        positions[:, index] = position
        rotations[:, index] = rotation
    return positions, rotations


def _turns(axis: Array, angles: Array) -> Array:
    """Rotations (n, 3, 3) about one axis (Rodrigues' formula)."""
    x, y, z = axis
    cross = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    along = np.outer(axis, axis)
    c, s = np.cos(angles)[:, None, None], np.sin(angles)[:, None, None]
    turned: Array = c * (np.eye(3) - along) + along + s * cross
    return turned


def chain_to(links: Sequence[Link], link: int) -> list[int]:
    """The links from the base out to one, in order."""
    chain: list[int] = []
    while link >= 0:
        chain.append(link)
        link = links[link].parent
    return chain[::-1]


def levers(links: Sequence[Link], lower: Sequence[float], upper: Sequence[float]) -> Array:
    """(dof, links): how far a link's origin can move, at most, per unit of joint travel, in any configuration."""
    return np.stack([link_levers(links, last, lower, upper) for last in range(len(links))], axis=1)


def link_levers(
    links: Sequence[Link], last: int, lower: Sequence[float], upper: Sequence[float], after: int = BASE
) -> Array:
    """(dof,): the same for one link, seen from a link that carries it: only what lies ``after`` that one counts.

    For a revolute joint that is the greatest distance of the link's origin from the joint's axis: the sum of the
    lengths in between. What lies along the axis does not count as long as all turns in between are parallel to it.
    """
    bounds = np.zeros(len(lower))
    # The way out to this link as a list of turns, slides and fixed offsets.
    chain = chain_to(links, last)
    first = chain.index(after) + 1 if after >= 0 else 0
    for place, index in enumerate(chain[first:], first):
        for order, drive in enumerate(links[index].drives):
            if drive.kind == "prismatic":
                bounds[drive.joint] += abs(drive.ratio)
            else:
                bounds[drive.joint] += abs(drive.ratio) * _radius(links, chain[place:], order, lower, upper)
    return bounds


def _radius(
    links: Sequence[Link], chain: Sequence[int], order: int, lower: Sequence[float], upper: Sequence[float]
) -> float:
    """At most how far the last link's origin is from the axis of one revolute drive of the first link."""
    axis: Array | None = np.array(links[chain[0]].drives[order].axis)  # in the frame walked along; None once skew
    total = 0.0

    def across(vector: Array) -> float:
        return float(np.linalg.norm(vector if axis is None else vector - axis * (axis @ vector)))

    for place, index in enumerate(chain):
        link = links[index]
        if place > 0:
            total += across(link.origin.translation)
            if axis is not None:
                axis = link.origin.rotation.T @ axis
        for drive in link.drives[order + 1 :] if place == 0 else link.drives:
            direction = np.array(drive.axis)
            if drive.kind == "prismatic":
                ends = (drive.ratio * limits[drive.joint] + drive.offset for limits in (lower, upper))
                total += max(map(abs, ends)) * across(direction)
            elif axis is not None and float(np.linalg.norm(np.cross(axis, direction))) > 1e-12:
                axis = None
    # Rounding in the poses themselves must not break the bound.
    return total * (1.0 + 1e-12) + 1e-15


def turns(links: Sequence[Link], dof: int) -> Array:
    """(dof, links): how many radians a link turns, at most, per unit of joint travel: 0, 1, or a gear ratio."""
    return np.stack([link_turns(links, last, dof) for last in range(len(links))], axis=1)


def link_turns(links: Sequence[Link], last: int, dof: int, after: int = BASE) -> Array:
    """(dof,): the same for one link, seen from a link that carries it."""
    bounds = np.zeros(dof)
    chain = chain_to(links, last)
    for index in chain[chain.index(after) + 1 if after >= 0 else 0 :]:
        for drive in links[index].drives:
            if drive.kind == "revolute":
                bounds[drive.joint] += abs(drive.ratio)
    return bounds


def last_common(links: Sequence[Link], one: int, other: int) -> int:
    """The last link that carries both, or is one of them; −1 is the base."""
    common = BASE
    for first, second in zip(chain_to(links, one), chain_to(links, other), strict=False):
        if first != second:
            break
        common = first
    return common


def frame_pose(poses: Sequence[Pose], link: int, pose: Pose = IDENTITY) -> Pose:
    """A frame fixed on a link, seen from the base."""
    return pose if link < 0 else poses[link] @ pose
