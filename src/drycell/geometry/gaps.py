"""The gap between placed shapes, as quickly as the engine tells it."""

from typing import Final

from drycell.geometry.distances import TOUCH, distance, pair_closest, ranked_pairs
from drycell.geometry.penetration import AGREES, overlap
from drycell.geometry.piece import MILLI
from drycell.geometry.placed import Placed

_METRES: Final = 1.0 / MILLI
_ONE_PAIR: Final = [(0.0, 0, 0)]  # of bodies of one piece each, which may be near
_ROUGHLY: Final = 0.1  # of a depth: near enough for an estimate


def gap(a: Placed, b: Placed) -> float:
    """The distance of bodies apart; of bodies that overlap a depth that is only estimated.

    ``distance`` checks every depth, which takes a hundred times as long as finding that there is one. Whoever
    looks at every millisecond of a collision asks here, and for the depth once.
    """
    if a.hollow or b.hollow:
        return distance(a, b)
    if a.stale:
        a.settle()
    if b.stale:
        b.settle()
    if a.core is not None and b.core is not None:
        return _measure(a, 0, b, 0)
    best = float("inf")
    for bound, i, j in ranked_pairs(a, b, best):
        if bound >= best:
            break
        best = min(best, _measure(a, i, b, j))
    return best


def touching(a: Placed, b: Placed, tolerance: float = TOUCH) -> bool:
    """Whether two bodies overlap or are as near as the tolerance; touching counts. How deep they are is not asked."""
    if not (a.hollow or b.hollow):
        if a.stale:
            a.settle()
        if b.stale:
            b.settle()
        near = False
        for bound, i, j in ranked_pairs(a, b, tolerance) if a.core is None or b.core is None else _ONE_PAIR:
            if bound > tolerance:
                break
            rough = _measure(a, i, b, j)
            if rough < -AGREES:
                return True
            near = near or rough <= tolerance + AGREES
        if not near:
            return False
    return distance(a, b, tolerance) <= tolerance


def _measure(a: Placed, i: int, b: Placed, j: int) -> float:
    one, other = a.cores[i], b.cores[j]
    measure = one.partners.get(other) or one.measure(other)
    found = measure(a.transforms[i], b.transforms[j], a.request, a.result) * _METRES
    if found <= 0.0:
        x, y, z = a.result.normal.tolist()
        a.result.clear()  # a depth left there would bound the next query
        # Once in a million looks the engine takes boxes a few micrometres apart for deep in each other: what it says is
        # held against the extents along its own normal.
        bound = overlap(one, a.piece_pose(i), other, b.piece_pose(j), (x, y, z))
        if not abs(bound + found) <= max(AGREES, -_ROUGHLY * found):
            return pair_closest(a, i, b, j).distance
    return found
