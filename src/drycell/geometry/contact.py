"""Contacts: where two bodies touch, as points that span the common face."""

from dataclasses import dataclass

import numpy as np

from drycell.base import Vector
from drycell.geometry.distances import pair_closest, ranked_pairs
from drycell.geometry.piece import MILLI
from drycell.geometry.placed import Placed


@dataclass(frozen=True)
class ContactPoint:
    """A point half way between two surfaces, the normal from a to b, and the depth (negative for a gap)."""

    point: Vector
    normal: Vector
    depth: float


def contacts(a: Placed, b: Placed, margin: float = 1e-9) -> list[ContactPoint]:
    """Where bodies overlap or are as near as the margin: corners of the common face, ends of a line, or a point.

    Each pair of convex pieces within the margin gives its own set, with one depth and one normal. A round face is given
    by twelve points of its rim. Against a bare surface (polyhedron.py) there is the nearest point only.
    """
    a.settle()
    b.settle()
    found: list[ContactPoint] = []
    for bound, i, j in ranked_pairs(a, b, margin):
        if bound > margin:
            break
        near = pair_closest(a, i, b, j)
        if near.distance > margin:
            continue
        middle = tuple(0.5 * (p + q) for p, q in zip(near.point_a, near.point_b, strict=True))
        points = [(middle[0], middle[1], middle[2])]
        if a.cores[i].convex and b.cores[j].convex:
            points = _patch(a, i, b, j, points[0], near.normal, near.distance) or points
        found += [ContactPoint(point, near.normal, -near.distance) for point in points]
    return found


def _patch(a: Placed, i: int, b: Placed, j: int, middle: Vector, normal: Vector, gap: float) -> list[Vector]:
    """The corners of the common face of two pieces across a given normal, by coal."""
    import coal

    one, other = a.cores[i].geometry, b.cores[j].geometry
    at = np.array(middle) * MILLI
    result, patches = coal.CollisionResult(), coal.ContactPatchResult()
    result.addContact(coal.Contact(one, other, 0, 0, at, np.array(normal), gap * MILLI))
    coal.computeContactPatch(one, a.transforms[i], other, b.transforms[j], result, coal.ContactPatchRequest(), patches)
    points: list[Vector] = []
    for k in range(patches.numContactPatches()):
        patch = patches.getContactPatch(k)
        for n in range(patch.size()):
            x, y, z = (patch.getPoint(n) / MILLI).tolist()
            points.append((x, y, z))
    return points
