"""Proximity of placed shapes: signed distance, gap, penetration depth, contact points, containment.

A positive distance is exact to a few nanometres for convex pieces. A negative distance is the penetration depth: for
two convex bodies, the shortest translation that separates them; for bodies with several pieces, the depth of the
deepest pair of pieces, which is never larger. A mesh with too many pieces (polyhedron.py) is a bare surface. Distances
of separate bodies from it are exact; the depth of an overlapping body is the thickness of the common volume, at least 1
nm; the depth of a body inside it is its distance from the surface.

The depth is the smallest overlap of two convex bodies along any direction. Every direction gives an upper bound, the
sum of two extents. Depths from coal's expanding polytope algorithm (EPA) are too small by its tolerance, so they are
checked against the extents along their normals, and replaced if they disagree.
"""

import contextlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import Array, GeometryError, Pose, Vector
from drycell.geometry import checks, mass, solid
from drycell.geometry.placed import MILLI, Core, Placed, distance_request
from drycell.geometry.primitives import TOUCH, Cone, Cylinder, Sphere

if TYPE_CHECKING:
    from drycell.geometry.placed import Placed


_ROUND: Final = (Cylinder, Cone)
_DEEP: Final = 0.05  # fraction of the smaller ball's radius
_TURN: Final = 2.399963229728653  # radians: the golden angle, whose multiples never coincide
_GAIN: Final = 1e-4  # metres that a step must gain, divided by the square of the step
AGREES: Final = 1e-6  # metres between lower and upper bound; EPA's own tolerance is 1e-7
_METRES: Final = 1.0 / MILLI
_INFINITY: Final = math.inf
_ONE_PAIR: Final = [(0.0, 0, 0)]  # for bodies with one piece each
_ROUGHLY: Final = 0.1  # relative tolerance of an estimated depth


def overlap(a: Core, X_WA: Pose, b: Core, X_WB: Pose, n: Vector) -> float:
    """The distance that b must move along n to clear a: if positive, an upper bound of the depth."""
    i, j, k, x, m, o, p, y, q, r, s, z = X_WA.rows
    u, v, w = n
    reach = a.extent(i * u + m * v + q * w, j * u + o * v + r * w, k * u + p * v + s * w)
    i, j, k, x2, m, o, p, y2, q, r, s, z2 = X_WB.rows
    back = b.extent(-i * u - m * v - q * w, -j * u - o * v - r * w, -k * u - p * v - s * w)
    return reach + back + u * (x - x2) + v * (y - y2) + w * (z - z2)


def checked_depth(
    a: Core, X_WA: Pose, b: Core, X_WB: Pose, depth: float, n: Vector
) -> tuple[float, Vector, Vector] | None:
    """Check coal's depth and normal: None if correct, otherwise the right depth, normal from a to b, and point of a."""
    exact = _sphere_depth(a, X_WA, b, X_WB)
    if exact is not None:
        return exact
    length = math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    bound = overlap(a, X_WA, b, X_WB, n) if abs(length - 1.0) < 1e-6 else math.inf
    if bound < -TOUCH:
        # The direction separates them: coal returns 0 for some flat faces that are up to 1 µm apart.
        least = bound
    else:
        holds = abs(bound - depth) < AGREES
        if holds and not (isinstance(a.primitive, _ROUND) or isinstance(b.primitive, _ROUND)):
            return None
        # On round sides EPA may stop at a local minimum. The depth is correct if no plausible direction is better and,
        # deep inside, a search from there finds no lower minimum.
        starts = sorted([*_candidates(a, X_WA, b, X_WB), *([(bound, n)] if bound < math.inf else [])])
        if holds and starts[0][0] > depth - AGREES and depth < _DEEP * min(a.radius, b.radius):
            return None
        least, better = min(_descent(a, X_WA, b, X_WB, start) for start in starts[:4])
        if holds and least > depth - AGREES:
            return None
        n = better
    # Where two flat faces overlap, the point is ambiguous: the midpoint of the two centres is used.
    p, q = _support(a, X_WA, n), _support(b, X_WB, (-n[0], -n[1], -n[2]))
    x, y, z = ((s + t + least * c) / 2 for s, t, c in zip(p, q, n, strict=True))
    return least, n, (x, y, z)


def _sphere_depth(a: Core, X_WA: Pose, b: Core, X_WB: Pose) -> tuple[float, Vector, Vector] | None:
    """Closed form of the depth of a sphere in a primitive: coal 3.0 is wrong if the centre is in a cylinder."""
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
    """The farthest point along n, or the centre of the farthest face: the gradient of the extent."""
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


def _candidates(a: Core, X_WA: Pose, b: Core, X_WB: Pose) -> list[tuple[float, Vector]]:
    """Overlaps along plausible directions: the axes, their cross product, between and beside the centres."""
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
            starts += [X.direction(normal) for normal in _side_normals(core.primitive)]
            starts += [X.direction((-x, -y, -z)) for x, y, z in _side_normals(core.primitive)]
    return [(overlap(a, X_WA, b, X_WB, n), n) for n in map(_unit, starts) if n is not None]


def _side_normals(cone: Cone) -> list[Vector]:
    """Twelve evenly spaced normals of the side of a cone."""
    up = (cone.radius - cone.top_radius) / cone.length
    return [(math.cos(k * math.pi / 6), math.sin(k * math.pi / 6), up) for k in range(12)]


def _descent(a: Core, X_WA: Pose, b: Core, X_WB: Pose, start: tuple[float, Vector]) -> tuple[float, Vector]:
    """Minimise the overlap by a compass search over directions; it needs no derivatives, as extents have kinks.

    With fixed directions, the search would follow a kink only in tiny steps. So the compass turns, and each step must
    gain enough for its length.
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
            if tried is not None and (found := overlap(a, X_WA, b, X_WB, tried)) < value - _GAIN * step * step:
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


def contains(placed: Placed, point: Vector) -> bool:
    """Whether a point of the world is inside a body or on its surface (within 1 nm). An open mesh contains nothing."""
    return placed.shape.contains(placed.pose.inverse().point(checks.point("contains", "point", point)))


def enclosed(a: Placed, b: Placed) -> bool:
    """Whether one of two bodies is inside the other. Their surfaces do not meet, so one point of each decides."""
    return contains(a, _own_point(b)) or contains(b, _own_point(a))


def surface_overlap(a: Placed, b: Placed) -> tuple[float, Vector, Vector, Vector]:
    """Distance, points and normal of two overlapping bodies, one of them a bare surface.

    The depth is the thickness of the common volume; without one (an open mesh, or touching bodies) it is 1 nm.
    """
    common = None
    with contextlib.suppress(GeometryError):
        other = solid.placed(solid.solid_of(b.shape), a.pose.inverse() @ b.pose)
        common = solid.solid_of(a.shape) ^ other
    if common is None or common.is_empty() or common.volume() <= 0.0:
        point = _own_point(a)
        return -1e-9, point, point, (0.0, 0.0, 1.0)
    vertices, faces = solid.arrays(common)
    found = mass.of_triangles(vertices, faces)
    # The volume is thinnest along the axis of the largest moment of inertia.
    axis = np.linalg.eigh(np.array(found.inertia))[1][:, 2]
    out = a.shape.nearest(found.centre).normal
    axis = -axis if float(axis @ out) < 0.0 else axis
    heights = vertices @ axis
    middle = np.array(found.centre)
    ends = [middle + (height - float(middle @ axis)) * axis for height in (heights.max(), heights.min())]
    depth = max(float(np.ptp(heights)), 1e-9)
    (p, q, n) = ((float(v[0]), float(v[1]), float(v[2])) for v in (*ends, axis))
    return -depth, a.pose.point(p), a.pose.point(q), a.pose.direction(n)


def _own_point(placed: Placed) -> Vector:
    vertices, _ = placed.shape.triangles()
    x, y, z = np.asarray(vertices[0]).tolist()
    return placed.pose.point((x, y, z))


@dataclass(frozen=True)
class Closest:
    """Signed distance in metres, the nearest point of each body, and the direction from a to b.

    If the bodies overlap, ``normal`` is the direction that moves b out of a, and the points are ends of the overlap.
    """

    distance: float
    point_a: Vector
    point_b: Vector
    normal: Vector


def distance(a: Placed, b: Placed, cutoff: float = _INFINITY) -> float:
    """Signed distance in metres; negative if the bodies overlap.

    Args:
        a: one body.
        b: the other body.
        cutoff: a result above it is only a lower bound of the distance, which is faster.
    """
    if a.stale:
        a.settle()
    if b.stale:
        b.settle()
    one, other = a.core, b.core
    if one is None or other is None:
        return _nearest_pair(a, b, cutoff)[0]
    if cutoff < _INFINITY:
        (x, y, z), (u, v, w) = a.middle, b.middle
        x, y, z = x - u, y - v, z - w
        bound = math.sqrt(x * x + y * y + z * z) - one.radius - other.radius
        if bound > cutoff:
            return bound
    try:
        measure = one.partners[other]
    except KeyError:
        measure = one.measure(other)
    found = measure(a.transform, b.transform, a.request, a.result)
    if found > 0.0:
        return found * _METRES
    return _overlapping(a, 0, b, 0).distance


def closest(a: Placed, b: Placed) -> Closest:
    """The signed distance with the nearest points and the normal from a to b."""
    a.settle()
    b.settle()
    value, i, j, inside = _nearest_pair(a, b, _INFINITY)
    if inside is not None:
        return inside
    near = pair_closest(a, i, b, j)
    if value < 0.0 < near.distance:  # one body is inside the bare surface of the other: the normal points outward
        x, y, z = near.normal
        return Closest(value, near.point_a, near.point_b, (-x, -y, -z))
    return near


def pair_closest(a: Placed, i: int, b: Placed, j: int) -> Closest:
    """Signed distance, nearest points and normal of one piece of each body. Both must be settled."""
    result = a.result
    result.clear()
    found = _measure(a, i, b, j) * _METRES
    if found <= 0.0:
        return _overlapping(a, i, b, j)
    point_a, point_b = _vector(result.getNearestPoint1()), _vector(result.getNearestPoint2())
    normal = _vector(result.normal, 1.0)  # copied, because the next call overwrites it
    result.clear()
    if found > 1e-6 or not (a.cores[i].convex and b.cores[j].convex):
        # If the distance is large enough, the points give the best normal; for surfaces, coal sets none.
        length = _apart(point_a, point_b) or 1.0
        x, y, z = ((q - p) / length for p, q in zip(point_a, point_b, strict=True))
        normal = (x, y, z)
    return Closest(found, point_a, point_b, normal)


def _nearest_pair(a: Placed, b: Placed, cutoff: float) -> tuple[float, int, int, Closest | None]:
    """The smallest distance over all pairs of pieces, nearest bounding spheres first, and the indices of the pair.

    For pieces that touch or overlap, the result that was computed for them is returned as well, as it is expensive.
    """
    ranked = ranked_pairs(a, b, cutoff)
    best, at, inside = _INFINITY, (0, 0), None
    for bound, i, j in ranked:
        if bound >= best or bound > cutoff:
            if best == _INFINITY:
                return bound, i, j, None
            break
        found, overlap = _measure(a, i, b, j) * _METRES, None
        a.result.clear()
        if found <= 0.0:
            overlap = _overlapping(a, i, b, j)
            found = overlap.distance
        if found < best:
            best, at, inside = found, (i, j), overlap
    if best > 0.0 and (a.hollow or b.hollow) and enclosed(a, b):
        best = min(-best, -TOUCH)
    return best, *at, inside


def ranked_pairs(a: Placed, b: Placed, cutoff: float) -> list[tuple[float, int, int]]:
    """Lower bounds of the distances of relevant pairs of pieces, from their bounding spheres, smallest first."""
    (mine, reach), (centre, radius) = a.ball, b.ball
    bound = _apart(mine, centre) - reach - radius
    if bound > cutoff:
        return [(bound, 0, 0)]
    firsts = [(a.piece_centre(i), core.radius, i) for i, core in enumerate(a.cores)]
    seconds = [(b.piece_centre(j), core.radius, j) for j, core in enumerate(b.cores)]
    if len(firsts) * len(seconds) > 8:
        # No relevant pair is farther apart than the largest possible distance of the bodies, or than the cutoff.
        limit = min(cutoff, min(_apart(p, centre) + r for p, r, _ in firsts) + radius)
        kept = [f for f in firsts if _apart(f[0], centre) - f[1] - radius <= limit]
        also = [s for s in seconds if _apart(s[0], mine) - s[1] - reach <= limit]
        if not kept or not also:
            return [(limit + TOUCH, 0, 0)]
        firsts, seconds = kept, also
    pairs = [(_apart(p, q) - r - s, i, j) for p, r, i in firsts for q, s, j in seconds]
    pairs.sort()
    return pairs


def _measure(a: Placed, i: int, b: Placed, j: int) -> float:
    """coal's distance between two pieces, in millimetres. Clear the result first: a value in it limits the query."""
    one, other = a.cores[i], b.cores[j]
    measure = one.partners.get(other) or one.measure(other)
    # The triangles of a surface have no bounding volumes for a guess.
    request = a.request if one.convex and other.convex else distance_request("DefaultGuess")
    return measure(a.transforms[i], b.transforms[j], request, a.result)


def _overlapping(a: Placed, i: int, b: Placed, j: int) -> Closest:
    """Depth, points and normal of two pieces that touch or overlap."""
    one, other = a.cores[i], b.cores[j]
    result = a.result
    result.clear()
    if not (one.convex and other.convex):
        return Closest(*surface_overlap(a, b))
    found = _measure(a, i, b, j) * _METRES
    point_a, point_b = _vector(result.getNearestPoint1()), _vector(result.getNearestPoint2())
    normal = _vector(result.normal, 1.0)
    result.clear()
    better = checked_depth(one, a.piece_pose(i), other, b.piece_pose(j), -found, normal)
    if better is None:
        return Closest(found, point_a, point_b, normal)
    depth, n, (x, y, z) = better
    return Closest(-depth, (x, y, z), (x - depth * n[0], y - depth * n[1], z - depth * n[2]), n)


def _apart(p: Vector, q: Vector) -> float:
    x, y, z = p[0] - q[0], p[1] - q[1], p[2] - q[2]
    return math.sqrt(x * x + y * y + z * z)


def _vector(values: Array, scale: float = _METRES) -> Vector:
    x, y, z = values.tolist()
    return (x * scale, y * scale, z * scale)


def gap(a: Placed, b: Placed) -> float:
    """Signed distance in metres, where the depth of overlapping bodies is only estimated.

    ``distance`` checks every depth, which takes a hundred times as long. Use ``gap`` to sample a collision every
    millisecond, and ``distance`` once for the depth.
    """
    if a.hollow or b.hollow:
        return distance(a, b)
    if a.stale:
        a.settle()
    if b.stale:
        b.settle()
    if a.core is not None and b.core is not None:
        return _rough_gap(a, 0, b, 0)
    best = float("inf")
    for bound, i, j in ranked_pairs(a, b, best):
        if bound >= best:
            break
        best = min(best, _rough_gap(a, i, b, j))
    return best


def touching(a: Placed, b: Placed, tolerance: float = TOUCH) -> bool:
    """Whether two bodies overlap or their distance is within the tolerance (metres)."""
    if not (a.hollow or b.hollow):
        if a.stale:
            a.settle()
        if b.stale:
            b.settle()
        near = False
        for bound, i, j in ranked_pairs(a, b, tolerance) if a.core is None or b.core is None else _ONE_PAIR:
            if bound > tolerance:
                break
            rough = _rough_gap(a, i, b, j)
            if rough < -AGREES:
                return True
            near = near or rough <= tolerance + AGREES
        if not near:
            return False
    return distance(a, b, tolerance) <= tolerance


def _rough_gap(a: Placed, i: int, b: Placed, j: int) -> float:
    one, other = a.cores[i], b.cores[j]
    measure = one.partners.get(other) or one.measure(other)
    found = measure(a.transforms[i], b.transforms[j], a.request, a.result) * _METRES
    if found <= 0.0:
        x, y, z = a.result.normal.tolist()
        a.result.clear()  # a depth left in it would limit the next query
        # In one of a million queries coal reports a deep overlap of boxes that are a few µm apart. So the depth is
        # checked against the extents along its normal.
        bound = overlap(one, a.piece_pose(i), other, b.piece_pose(j), (x, y, z))
        if bound < -TOUCH and abs(x * x + y * y + z * z - 1.0) < 1e-6:
            return -bound  # the direction separates them, as in checked_depth
        if not abs(bound + found) <= max(AGREES, -_ROUGHLY * found):
            return pair_closest(a, i, b, j).distance
    return found


@dataclass(frozen=True)
class ContactPoint:
    """A point halfway between two surfaces, the normal from a to b, and the depth in metres (negative for a gap)."""

    point: Vector
    normal: Vector
    depth: float


def contacts(a: Placed, b: Placed, margin: float = 1e-9) -> list[ContactPoint]:
    """The contact points of two bodies: corners of the common face, ends of a line, or one point.

    Each pair of convex pieces whose distance is within the margin (metres) contributes points with one depth and one
    normal. A round face has twelve points on its rim. With a bare surface (polyhedron.py) only the nearest point is
    returned.
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
    """The corners of the common face of two pieces across a given normal, from coal."""
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
