"""Vicinity: how near bodies are at an instant, and before when they cannot be nearer than a limit.

Looking is what costs, so whoever looks once a cycle asks here when to look next: two bodies a gap apart cannot touch
before the gap over the most they can close at. What is skipped would have shown nothing.
"""

import math
from dataclasses import dataclass
from typing import Final

from drycell import geometry
from drycell.base import IDENTITY
from drycell.geometry import Interference, Placed, gap
from drycell.languages.emula.fuzzy import FuzzyObjects
from drycell.languages.emula.holding import Pairs
from drycell.world import SECOND, Linkage, LinkMotion, LiveBody, Rest, World, lineage

_SURE: Final = 1e-7  # metres: more than the distance engine errs


@dataclass(frozen=True, slots=True)
class Nearness:
    """Two bodies and the gap between them; of bodies that overlap an estimate of the depth, below zero."""

    a: LiveBody
    b: LiveBody
    gap: float


class Vicinity:
    """Gaps between bodies as a sensor sees them (``fuzzy`` boundaries) or as they are (without)."""

    def __init__(self, world: World, fuzzy: FuzzyObjects | None = None) -> None:
        self._world, self._fuzzy = world, fuzzy
        self._placed: dict[LiveBody, Placed] = {}
        self._speeds: dict[tuple[LiveBody, LiveBody | None], float] = {}  # of bodies, seen from what carries them
        self._closings: dict[tuple[LiveBody, LiveBody], float] = {}
        self._stretch = (0, 0)  # for which these hold
        world.subscribe(self._changed)

    def within(self, pairs: Pairs, t: int, limit: float) -> Nearness | None:
        """The first of the pairs that is as near as a limit, or nearer."""
        for a, b in pairs:
            found = self.gap(a, b, t, limit)
            if found <= limit:
                return Nearness(a, b, found)
        return None

    def gap(self, a: LiveBody, b: LiveBody, t: int, limit: float = math.inf) -> float:
        """The gap of two bodies at an instant; above the limit only a lower bound of it."""
        one, other = self.placed(a, t), self.placed(b, t)
        bound = _apart(one, other)
        return bound if bound > limit else gap(one, other)

    def depth(self, a: LiveBody, b: LiveBody, t: int) -> float:
        """The signed distance of two bodies with the depth worked out exactly, which takes longer."""
        return geometry.distance(self.placed(a, t), self.placed(b, t))

    def interference(self, a: LiveBody, b: LiveBody, t: int) -> Interference:
        """The volume two bodies share."""
        return geometry.interference(self.placed(a, t), self.placed(b, t))

    def clear_until(self, pairs: Pairs, t: int, end: int, limit: float) -> int:
        """The first tick after ``t`` at which a pair might be as near as the limit; past ``end`` if none can be.

        It holds as long as nothing is moved or attached otherwise than now.
        """
        first = end + 1
        for a, b in pairs:
            closing = self._closing(a, b, t, end)
            one, other = self.placed(a, t), self.placed(b, t)
            reach = closing * (first - t) * SECOND + limit + _SURE
            if _apart(one, other) > reach:
                continue
            free = gap(one, other) - limit - _SURE
            if free <= 0.0:
                return t + 1
            if closing * (first - t) * SECOND > free:
                first = t + max(1, math.floor(free / closing / SECOND))
        return first

    def placed(self, body: LiveBody, t: int) -> Placed:
        """A body's shape where it is at an instant. Good until the next question about the body."""
        pose = self._world.pose(body, t)
        shape = body.shape
        if self._fuzzy:
            shape, offset = self._fuzzy.shape(body), self._fuzzy.offset(body)
            pose = pose if offset is IDENTITY else pose @ offset
        placed = self._placed.get(body)
        if placed is None or placed.shape is not shape:
            if shape is None:
                raise ValueError(f"{body.name!r} has no shape")  # pairs are made of solids only
            placed = self._placed[body] = Placed(shape, pose)
        elif pose is not placed.pose and pose != placed.pose:
            placed.place(pose)
        return placed

    def steady(self, a: LiveBody, b: LiveBody, t: int, end: int) -> bool:
        """Whether two bodies certainly stay as they are, seen from each other, as everything moves now."""
        return self._closing(a, b, t, end) == 0.0

    def forget(self) -> None:
        """What is known of speeds holds no longer."""
        self._speeds.clear()
        self._closings.clear()

    def _changed(self, body: LiveBody) -> None:
        if self._closings:
            self.forget()

    def _closing(self, a: LiveBody, b: LiveBody, t: int, end: int) -> float:
        """At most how fast two bodies near each other until ``end``; worked out once a move."""
        since, until = self._stretch
        if end != until or t < since:
            self.forget()
            self._stretch = (t, end)
        found = self._closings.get((a, b))
        if found is None:
            one, other = self._perch(a), self._perch(b)
            if one is not None and other is not None and one[0] is other[0]:
                found = one[0].closing(*one[1:], *other[1:], t, end)
            else:
                carrier = _carrier(a, b, t)
                found = self._speed(a, carrier, t, end) + self._speed(b, carrier, t, end)
            self._closings[a, b] = found
        return found

    def _perch(self, body: LiveBody) -> tuple[Linkage, int, float] | None:
        """The node of a robot that a body is or is fixed to, and how far from the node's origin it reaches at most."""
        reach = self._extent(body)
        segment = body.history.values[-1]
        while isinstance(segment.motion, Rest) and segment.parent is not None:
            reach += math.hypot(*segment.motion.pose(segment.start).position)
            segment = segment.parent.history.values[-1]
        motion = segment.motion
        return (motion.linkage, motion.index, reach) if isinstance(motion, LinkMotion) else None

    def _extent(self, body: LiveBody) -> float:
        return body.extent + self._fuzzy.reach(body) if self._fuzzy else body.extent

    def _speed(self, body: LiveBody, carrier: LiveBody | None, t: int, end: int) -> float:
        """At most how fast any point of a body is until ``end``, seen from a carrier."""
        found = self._speeds.get((body, carrier))
        if found is None:
            speed, turn = self._world.bound(body, t, end, seen_from=carrier)
            found = self._speeds[body, carrier] = speed + turn * self._extent(body)
        return found


def _apart(a: Placed, b: Placed) -> float:
    """At least how far apart two shapes are, by the balls round them."""
    one, other = a.ball, b.ball
    return math.dist(one[0], other[0]) - one[1] - other[1]


def _carrier(a: LiveBody, b: LiveBody, t: int) -> LiveBody | None:
    theirs = lineage(b, t)
    return next((each for each in lineage(a, t) if each in theirs), None)
