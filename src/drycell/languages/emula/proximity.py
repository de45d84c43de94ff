"""Proximity: the distances between bodies at an instant, the earliest time they can get closer, and checked pairs.

Distance queries are expensive, so sensors and checks ask when the next one is needed: two bodies cannot touch before
the gap between them divided by their maximum closing speed. The queries that are skipped cannot change the result.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from drycell import geometry
from drycell.base import IDENTITY, ProgramError
from drycell.geometry import TOUCH, Placed, gap
from drycell.languages.emula.bodies import NamedBodies, Pairs
from drycell.languages.emula.fuzzy import FuzzyObjects
from drycell.world import SECOND, Linkage, LinkMotion, LiveBody, Rest, World, lineage

_ACCURACY: Final = 1e-7  # metres: more than the error of the distance engine


@dataclass(frozen=True, slots=True)
class Nearness:
    """Two bodies and the gap between them; if they overlap, an estimate of the depth as a negative gap."""

    a: LiveBody
    b: LiveBody
    gap: float


class Proximity:
    """Distances between bodies, with the boundaries that sensors see (``fuzzy``) or with the nominal ones."""

    def __init__(self, world: World, fuzzy: FuzzyObjects | None = None) -> None:
        self._world, self._fuzzy = world, fuzzy
        self._placed: dict[LiveBody, Placed] = {}
        self._speeds: dict[tuple[LiveBody, LiveBody | None], float] = {}  # of bodies, relative to a carrier
        self._closings: dict[tuple[LiveBody, LiveBody], float] = {}
        self._interval = (0, 0)  # in which these speeds are valid
        world.subscribe(self._changed)

    def within(self, pairs: Pairs, t: int, limit: float) -> Nearness | None:
        """The first of the pairs whose gap is at most the limit."""
        for a, b in pairs:
            found = self.gap(a, b, t, limit)
            if found <= limit:
                return Nearness(a, b, found)
        return None

    def gap(self, a: LiveBody, b: LiveBody, t: int, limit: float = math.inf) -> float:
        """The gap of two bodies at an instant; above the limit, only a lower bound."""
        one, other = self.placed(a, t), self.placed(b, t)
        bound = _apart(one, other)
        return bound if bound > limit else gap(one, other)

    def depth(self, a: LiveBody, b: LiveBody, t: int) -> float:
        """The signed distance between two bodies, with the exact depth of an overlap, which takes longer."""
        return geometry.distance(self.placed(a, t), self.placed(b, t))

    def shared_volume(self, pairs: Pairs, t: int) -> float:
        """The volume of the union of what the bodies of each pair share."""
        return geometry.shared_volume([(self.placed(a, t), self.placed(b, t)) for a, b in pairs])

    def clear_until(self, pairs: Pairs, t: int, end: int, limit: float) -> int:
        """The first tick after ``t`` at which the gap of a pair can reach the limit; later than ``end`` if none can.

        It is valid as long as no motion and no attachment changes.
        """
        first = end + 1
        for a, b in pairs:
            closing = self._closing(a, b, t, end)
            one, other = self.placed(a, t), self.placed(b, t)
            reach = closing * (first - t) * SECOND + limit + _ACCURACY
            if _apart(one, other) > reach:
                continue
            free = gap(one, other) - limit - _ACCURACY
            if free <= 0.0:
                return t + 1
            if closing * (first - t) * SECOND > free:
                first = t + max(1, math.floor(free / closing / SECOND))
        return first

    def placed(self, body: LiveBody, t: int) -> Placed:
        """A body's shape at its pose at an instant. Valid until the next query about the body."""
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
        """Whether two bodies do not move relative to each other until ``end`` if all motions continue."""
        return self._closing(a, b, t, end) == 0.0

    def forget(self) -> None:
        """Discard the known speeds."""
        self._speeds.clear()
        self._closings.clear()

    def _changed(self, body: LiveBody) -> None:
        if self._closings:
            self.forget()

    def _closing(self, a: LiveBody, b: LiveBody, t: int, end: int) -> float:
        """An upper bound on the closing speed of two bodies until ``end``, computed once per move."""
        since, until = self._interval
        if end != until or t < since:
            self.forget()
            self._interval = (t, end)
        found = self._closings.get((a, b))
        if found is None:
            one, other = self._link_of(a), self._link_of(b)
            if one is not None and other is not None and one[0] is other[0]:
                found = one[0].closing(*one[1:], *other[1:], t, end)
            else:
                carrier = _carrier(a, b, t)
                found = self._speed(a, carrier, t, end) + self._speed(b, carrier, t, end)
            self._closings[a, b] = found
        return found

    def _link_of(self, body: LiveBody) -> tuple[Linkage, int, float] | None:
        """The robot link that a body is or is attached to, and an upper bound on its reach from the link's origin."""
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
        """An upper bound on the speed of any point of a body until ``end``, relative to a carrier."""
        found = self._speeds.get((body, carrier))
        if found is None:
            speed, turn = self._world.bound(body, t, end, seen_from=carrier)
            found = self._speeds[body, carrier] = speed + turn * self._extent(body)
        return found


def _apart(a: Placed, b: Placed) -> float:
    """A lower bound on the distance between two shapes, from their bounding spheres."""
    one, other = a.ball, b.ball
    return math.dist(one[0], other[0]) - one[1] - other[1]


def _carrier(a: LiveBody, b: LiveBody, t: int) -> LiveBody | None:
    theirs = lineage(b, t)
    return next((each for each in lineage(a, t) if each in theirs), None)


@dataclass(frozen=True, slots=True)
class CollisionCycle:
    """One cycle in which a checked pair collided."""

    time: int
    a: str
    b: str

    @property
    def line(self) -> str:
        """The line of the journal, as in table 4."""
        return f"**CRASH DETECTED* {self.a.upper()} & {self.b.upper()}"


class PairChecks:
    """Collision checks of named pairs, once per basic cycle. A pair collides when its gap is at most the ``clearance``.

    They are independent of sensors, and of the cell's collision monitor, which reports beginnings and ends afterwards:
    here each line is among the commands, in the order of events.
    """

    def __init__(
        self, proximity: Proximity, pairs: Callable[[NamedBodies, NamedBodies | None], Pairs], clearance: float = 0.0
    ) -> None:
        self._proximity, self._find = proximity, pairs
        self._checked: dict[tuple[str, str], tuple[NamedBodies, NamedBodies]] = {}
        self._quiet: dict[tuple[str, str], int] = {}  # the time before which a pair cannot collide
        self._lasting: dict[tuple[str, str], int] = {}  # the time until which a pair certainly stays in collision
        self.clearance = clearance

    @property
    def clearance(self) -> float:
        """The gap, in metres, at which a pair counts as collided; 0 is touching."""
        return self._clearance

    @clearance.setter
    def clearance(self, gap: float) -> None:
        if not 0.0 <= gap < float("inf"):
            raise ProgramError(f"a clearance of {gap * 1e3:g} mm is not possible", hint="use 0 or more")
        self._clearance = max(gap, TOUCH)

    @property
    def on(self) -> bool:
        """Whether any pair is checked."""
        return bool(self._checked)

    def set(self, on: bool, a: NamedBodies, b: NamedBodies) -> None:
        """Start or stop checking a pair, in either order. Stopping a check that is not running is an error."""
        key = next((each for each in ((a.name, b.name), (b.name, a.name)) if each in self._checked), None)
        if not on:
            if key is None:
                raise ProgramError(
                    f"{a.name} and {b.name} are not checked for collisions", hint="start the check first"
                )
            del self._checked[key]
        elif key is None:
            if set(a.roots) & set(b.roots):
                raise ProgramError(f"{a.name} and {b.name} share a body and cannot collide", hint="name two others")
            self._checked[a.name, b.name] = (a, b)
        self.void()

    def void(self) -> None:
        """Discard the predictions of when pairs can collide."""
        self._quiet.clear()
        self._lasting.clear()

    def look(self, tick: int, end: int) -> list[CollisionCycle]:
        """The pairs that collide at the end of a cycle of a move until ``end``, in the order they were named."""
        found = []
        for key, (a, b) in self._checked.items():
            if tick < self._quiet.get(key, tick):
                continue
            if tick > self._lasting.get(key, -1):
                near = self._proximity.within(self._find(a, b), tick, self._clearance)
                if near is None:
                    continue
                if self._proximity.steady(near.a, near.b, tick, end):
                    self._lasting[key] = end
            found.append(CollisionCycle(tick, *key))
            self._quiet[key] = tick + 1
        return found

    def due(self, tick: int, end: int) -> int:
        """The first tick after ``tick`` at which a pair can collide if all motions continue."""
        first = end + 1
        for key, (a, b) in self._checked.items():
            quiet = self._quiet.get(key, tick)
            if quiet <= tick:
                quiet = self._proximity.clear_until(self._find(a, b), tick, end, self._clearance)
                self._quiet[key] = quiet
            first = min(first, quiet)
        return first
