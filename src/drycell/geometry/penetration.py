"""How deep two convex pieces overlap, checked.

The depth is the shortest way out: the least overlap of the two along any direction. Every direction gives an upper
bound, the sum of two extents, so a depth from coal's expanding polytope (which lies below the truth by its tolerance)
can be checked against the extents along its own normal, and replaced when they disagree.
"""

import math
from typing import Final

from drycell.base import Pose, Vector
from drycell.geometry.cone import Cone
from drycell.geometry.cylinder import Cylinder
from drycell.geometry.piece import Core
from drycell.geometry.sphere import Sphere

_ROUND: Final = (Cylinder, Cone)
_DEEP: Final = 0.05  # of the smaller ball's radius
_TURN: Final = 2.399963229728653  # radians: the golden angle, which never comes back to where it was
_WORTH: Final = 1e-4  # metres a step must gain, over its square
AGREES: Final = 1e-6  # metres between the bound from below and the one from above; EPA's own spread is 1e-7


def overlap(a: Core, X_WA: Pose, b: Core, X_WB: Pose, n: Vector) -> float:
    """How far b must go along n to be clear of a: an upper bound of the depth when positive."""
    i, j, k, x, m, o, p, y, q, r, s, z = X_WA.rows
    u, v, w = n
    reach = a.extent(i * u + m * v + q * w, j * u + o * v + r * w, k * u + p * v + s * w)
    i, j, k, x2, m, o, p, y2, q, r, s, z2 = X_WB.rows
    back = b.extent(-i * u - m * v - q * w, -j * u - o * v - r * w, -k * u - p * v - s * w)
    return reach + back + u * (x - x2) + v * (y - y2) + w * (z - z2)


def check(a: Core, X_WA: Pose, b: Core, X_WB: Pose, depth: float, n: Vector) -> tuple[float, Vector, Vector] | None:
    """Nothing when coal's depth and normal hold; else the right depth, normal from a to b, and point of a."""
    exact = _of_ball(a, X_WA, b, X_WB)
    if exact is not None:
        return exact
    length = math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    bound = overlap(a, X_WA, b, X_WB, n) if abs(length - 1.0) < 1e-6 else math.inf
    holds = abs(bound - depth) < AGREES
    if holds and not (isinstance(a.primitive, _ROUND) or isinstance(b.primitive, _ROUND)):
        return None
    # On mantles EPA may stop at a local least: no direction that suggests itself may do better, nor, deep inside, the
    # least one comes to from there.
    starts = sorted([*_suggested(a, X_WA, b, X_WB), *([(bound, n)] if bound < math.inf else [])])
    if holds and starts[0][0] > depth - AGREES and depth < _DEEP * min(a.radius, b.radius):
        return None
    least, better = min(_downhill(a, X_WA, b, X_WB, start) for start in starts[:4])
    if holds and least > depth - AGREES:
        return None
    n = better
    # Where a flat meets a flat the ends of the overlap are anyone's choice: half way between the two middles.
    p, q = _support(a, X_WA, n), _support(b, X_WB, (-n[0], -n[1], -n[2]))
    x, y, z = ((s + t + least * c) / 2 for s, t, c in zip(p, q, n, strict=True))
    return least, n, (x, y, z)


def _of_ball(a: Core, X_WA: Pose, b: Core, X_WB: Pose) -> tuple[float, Vector, Vector] | None:
    """A ball in a primitive has a closed form; coal 3.0's own for ball and cylinder is wrong with the centre inside."""
    if isinstance(b.primitive, Sphere) and a.primitive is not None:
        near = a.primitive.nearest(X_WA.inverse().point(X_WB.position))
        return b.primitive.radius - near.distance, X_WA.direction(near.normal), X_WA.point(near.point)
    if isinstance(a.primitive, Sphere) and b.primitive is not None:
        near = b.primitive.nearest(X_WB.inverse().point(X_WA.position))
        r = a.primitive.radius
        (x, y, z), (u, v, w) = X_WA.position, X_WB.direction(near.normal)
        return r - near.distance, (-u, -v, -w), (x - r * u, y - r * v, z - r * w)
    return None


def _support(core: Core, X_WC: Pose, n: Vector) -> Vector:
    """The farthest point along n, the middle of it where that is a flat: the gradient of the extent."""
    u, v, w = X_WC.inverse().direction(n)
    e = 1e-5
    extent = core.extent
    return X_WC.point(
        (
            (extent(u + e, v, w) - extent(u - e, v, w)) / (2 * e),
            (extent(u, v + e, w) - extent(u, v - e, w)) / (2 * e),
            (extent(u, v, w + e) - extent(u, v, w - e)) / (2 * e),
        )
    )


def _suggested(a: Core, X_WA: Pose, b: Core, X_WB: Pose) -> list[tuple[float, Vector]]:
    """Overlaps along the directions that matter: the axes, across both axes, between and beside the centres."""
    axes = [X.direction(e) for X in (X_WA, X_WB) for e in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    ca, cb = X_WA.point(a.centre), X_WB.point(b.centre)
    between = (cb[0] - ca[0], cb[1] - ca[1], cb[2] - ca[2])
    starts = [between, _cross(axes[2], axes[5]), _cross(axes[5], axes[2])]
    for axis in axes:
        along = axis[0] * between[0] + axis[1] * between[1] + axis[2] * between[2]
        starts.append((between[0] - along * axis[0], between[1] - along * axis[1], between[2] - along * axis[2]))
        starts += [axis, (-axis[0], -axis[1], -axis[2])]
    for core, X in ((a, X_WA), (b, X_WB)):
        if isinstance(core.primitive, Cone):
            starts += [X.direction(normal) for normal in _mantle(core.primitive)]
            starts += [X.direction((-x, -y, -z)) for x, y, z in _mantle(core.primitive)]
    return [(overlap(a, X_WA, b, X_WB, n), n) for n in map(_unit, starts) if n is not None]


def _mantle(cone: Cone) -> list[Vector]:
    """Normals of a cone's mantle, all round."""
    up = (cone.radius - cone.top_radius) / cone.length
    return [(math.cos(k * math.pi / 6), math.sin(k * math.pi / 6), up) for k in range(12)]


def _downhill(a: Core, X_WA: Pose, b: Core, X_WB: Pose, start: tuple[float, Vector]) -> tuple[float, Vector]:
    """A compass search on the sphere of directions; extents have kinks, so no derivatives.

    Along a kink a compass that never turns finds its way by the smallest steps only, each hardly better than the last:
    it turns, and a step must be worth its length.
    """
    value, n = start
    step, turned = 0.2, 0.0
    while step > 1e-7:
        helper = (1.0, 0.0, 0.0) if abs(n[0]) < 0.6 else (0.0, 1.0, 0.0)
        p = _unit(_cross(n, helper)) or helper
        q = _cross(n, p)
        turned += _TURN
        for k in range(8):
            c, s = step * math.cos(turned + k * math.pi / 4), step * math.sin(turned + k * math.pi / 4)
            tried = _unit((n[0] + c * p[0] + s * q[0], n[1] + c * p[1] + s * q[1], n[2] + c * p[2] + s * q[2]))
            if tried is not None and (found := overlap(a, X_WA, b, X_WB, tried)) < value - _WORTH * step * step:
                value, n = found, tried
                break
        else:
            step *= 0.5
    return value, n


def _cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _unit(v: Vector) -> Vector | None:
    length = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    return (v[0] / length, v[1] / length, v[2] / length) if length > 1e-12 else None
