"""How far jaws can close until what is between them is in a row that both press on: found ahead, nothing is moved.

Each finger, and each part that is pushed, goes along the jaws; a row is closed when the ways between its neighbours are
used up. Of all rows the one with the shortest way closes first.
"""

import math
from collections.abc import Iterable
from typing import Final

from drycell.base import Vector
from drycell.geometry import TOUCH, Placed, closest, distance
from drycell.handling import FACING
from drycell.world import LiveBody

_LEAST: Final = 1e-7  # metres: the least step; a part that is only grazed may count as met
_MOST_STEPS: Final = 1000


def slack(one: LiveBody, two: LiveBody, along: Vector, parts: Iterable[LiveBody], most: float) -> float | None:
    """By how much the gap between two fingers gets smaller until a row of parts is closed; None: by ``most`` or more.

    ``along`` is the direction in the world from the first finger to the second, of length 1.
    """
    loose = [part for part in parts if part.shape is not None]
    ways = {part: _way(one, part, along, most) for part in loose}
    open_ends = {part: way for part, way in ways.items() if way < most}
    shortest = most
    while open_ends:  # Dijkstra's algorithm: the nearest end of a row is the next to be gone on from
        part = min(open_ends, key=lambda each: (open_ends[each], each.name))
        gone = open_ends.pop(part)
        if gone >= shortest:
            break
        shortest = min(shortest, gone + _way(part, two, along, shortest - gone))
        for other in loose:
            if ways[other] > gone:
                way = gone + _way(part, other, along, shortest - gone)
                if way < min(ways[other], shortest):
                    ways[other] = open_ends[other] = way
    return shortest if shortest < most else None


def _way(mover: LiveBody, other: LiveBody, along: Vector, most: float) -> float:
    """How far a body can go in a direction until it meets another, facing it; infinite if not within ``most``."""
    if mover.shape is None or other.shape is None or mover is other:
        return math.inf
    start = mover.pose
    (p, one), (q, another) = mover.shape.sphere, other.shape.sphere
    if math.dist(start.point(p), other.pose.point(q)) - one - another >= most:
        return math.inf  # as nearly all the parts of a cell: far away
    there, moved = Placed(other.shape, other.pose), Placed(mover.shape, start)
    way = 0.0
    for _ in range(_MOST_STEPS):
        apart = distance(moved, there)
        if apart <= TOUCH:
            facing = sum(n * u for n, u in zip(closest(moved, there).normal, along, strict=True)) > FACING
            return way if facing else math.inf
        way += max(apart, _LEAST)  # nothing is met before the whole distance is gone
        if way >= most:
            break
        moved.place(start.moved(*(way * each for each in along)))
    return math.inf
