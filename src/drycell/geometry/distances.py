"""Distance between placed shapes: signed, with the points that realise it.

A positive distance is exact to a few nanometres for convex pieces. A negative one is how deep two bodies overlap: the
shortest way out for two convex bodies; for bodies of several pieces the depth of the deepest pair of pieces, which is
never more than the way out. A mesh with too many pieces (polyhedron.py) is a bare surface: apart from it, distances are
exact; overlapping it, the depth is the thickness of the common volume, 1 nm at least. A body wholly inside it overlaps,
by its distance from the surface.
"""

import math
from dataclasses import dataclass
from typing import Final

from drycell.base import Array, Vector
from drycell.geometry import containment, penetration
from drycell.geometry.piece import MILLI
from drycell.geometry.placed import Placed, distance_request

TOUCH: Final = 1e-9  # metres; what is this near touches, and touching counts
_METRES: Final = 1.0 / MILLI
_INFINITY: Final = math.inf


@dataclass(frozen=True)
class Closest:
    """Signed distance, the point on each body that realises it, and the direction from a to b.

    Overlapping, ``normal`` is the direction to push b clear of a, and the points are the ends of that overlap.
    """

    distance: float
    point_a: Vector
    point_b: Vector
    normal: Vector


def distance(a: Placed, b: Placed, cutoff: float = _INFINITY) -> float:
    """Signed distance in metres, negative when overlapping.

    With a ``cutoff``, a value above it is only a lower bound of the distance: what is farther is not looked at closely.
    """
    if a.stale:
        a.settle()
    if b.stale:
        b.settle()
    one, other = a.core, b.core
    if one is None or other is None:
        return _pieces(a, b, cutoff)[0]
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
    """The signed distance with the points that realise it and the normal from a to b."""
    a.settle()
    b.settle()
    value, i, j, inside = _pieces(a, b, _INFINITY)
    if inside is not None:
        return inside
    near = pair_closest(a, i, b, j)
    if value < 0.0 < near.distance:  # one inside the other's bare surface: the nearest points, but the way out
        x, y, z = near.normal
        return Closest(value, near.point_a, near.point_b, (-x, -y, -z))
    return near


def pair_closest(a: Placed, i: int, b: Placed, j: int) -> Closest:
    """The same for one piece of each, both settled."""
    result = a.result
    result.clear()
    found = _measure(a, i, b, j) * _METRES
    if found <= 0.0:
        return _overlapping(a, i, b, j)
    point_a, point_b = _vector(result.getNearestPoint1()), _vector(result.getNearestPoint2())
    normal = _vector(result.normal, 1.0)  # a view that the next call overwrites: copied here
    result.clear()
    if found > 1e-6 or not (a.cores[i].convex and b.cores[j].convex):
        # Far enough apart the points say it best; for surfaces coal leaves its normal unset.
        length = _apart(point_a, point_b) or 1.0
        x, y, z = ((q - p) / length for p, q in zip(point_a, point_b, strict=True))
        normal = (x, y, z)
    return Closest(found, point_a, point_b, normal)


def _pieces(a: Placed, b: Placed, cutoff: float) -> tuple[float, int, int, Closest | None]:
    """The least distance over all pairs of pieces and where it is: nearest balls first, and no further than needed.

    Of two that touch or overlap, with all there is to say of it: that is dear.
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
    if best > 0.0 and (a.hollow or b.hollow) and containment.enclosed(a, b):
        best = min(-best, -TOUCH)
    return best, *at, inside


def ranked_pairs(a: Placed, b: Placed, cutoff: float) -> list[tuple[float, int, int]]:
    """Lower bounds of the distance of all pairs of pieces worth a look, from the balls round them, least first."""
    (mine, reach), (centre, radius) = a.ball, b.ball
    bound = _apart(mine, centre) - reach - radius
    if bound > cutoff:
        return [(bound, 0, 0)]
    firsts = [(a.piece_centre(i), core.radius, i) for i, core in enumerate(a.cores)]
    seconds = [(b.piece_centre(j), core.radius, j) for j, core in enumerate(b.cores)]
    if len(firsts) * len(seconds) > 8:
        # No pair of interest is farther than the bodies are at most, nor than the cutoff.
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
    """coal's distance of two pieces, in millimetres. The result must be clear: what is left there bounds the query."""
    one, other = a.cores[i], b.cores[j]
    measure = one.partners.get(other) or one.measure(other)
    # The triangles of a surface have no boxes to guess from.
    request = a.request if one.convex and other.convex else distance_request("DefaultGuess")
    return measure(a.transforms[i], b.transforms[j], request, a.result)


def _overlapping(a: Placed, i: int, b: Placed, j: int) -> Closest:
    """Two pieces that touch or overlap."""
    one, other = a.cores[i], b.cores[j]
    result = a.result
    result.clear()
    if not (one.convex and other.convex):
        return Closest(*containment.surface_overlap(a, b))
    found = _measure(a, i, b, j) * _METRES
    point_a, point_b = _vector(result.getNearestPoint1()), _vector(result.getNearestPoint2())
    normal = _vector(result.normal, 1.0)
    result.clear()
    better = penetration.check(one, a.piece_pose(i), other, b.piece_pose(j), -found, normal)
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
