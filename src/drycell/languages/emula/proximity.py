"""Proximity: how near bodies are at an instant, before when they cannot be nearer than a limit, and checked pairs.

Looking is what costs, so whoever looks once a cycle asks here when to look next: two bodies a gap apart cannot touch
before the gap over the most they can close at. What is skipped would have shown nothing.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from drycell import geometry
from drycell.base import IDENTITY, ProgramError
from drycell.geometry import TOUCH, Interference, Placed, gap
from drycell.languages.emula.bodies import NamedBodies, Pairs
from drycell.languages.emula.fuzzy import FuzzyObjects
from drycell.world import SECOND, Linkage, LinkMotion, LiveBody, Rest, World, lineage

_SURE: Final = 1e-7  # metres: more than the distance engine errs


@dataclass(frozen=True, slots=True)
class Nearness:
    """Two bodies and the gap between them; of bodies that overlap an estimate of the depth, below zero."""

    a: LiveBody
    b: LiveBody
    gap: float


class Proximity:
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
            one, other = self._link_of(a), self._link_of(b)
            if one is not None and other is not None and one[0] is other[0]:
                found = one[0].closing(*one[1:], *other[1:], t, end)
            else:
                carrier = _carrier(a, b, t)
                found = self._speed(a, carrier, t, end) + self._speed(b, carrier, t, end)
            self._closings[a, b] = found
        return found

    def _link_of(self, body: LiveBody) -> tuple[Linkage, int, float] | None:
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


@dataclass(frozen=True, slots=True)
class CollisionCycle:
    """One cycle in which a pair interfered."""

    time: int
    a: str
    b: str

    @property
    def line(self) -> str:
        """As in table 4."""
        return f"**CRASH DETECTED* {self.a.upper()} & {self.b.upper()}"


class PairChecks:
    """Named pairs, looked at once a basic cycle. They interfere from the ``clearance`` on: 0 is touching.

    Independent of sensors, and of the cell's own collision monitor, which looks back and reports beginnings and ends:
    here the lines stand among the commands, in the order in which things happened.
    """

    def __init__(
        self, vicinity: Proximity, pairs: Callable[[NamedBodies, NamedBodies | None], Pairs], clearance: float = 0.0
    ) -> None:
        self._vicinity, self._find = vicinity, pairs
        self._checked: dict[tuple[str, str], tuple[NamedBodies, NamedBodies]] = {}
        self._quiet: dict[tuple[str, str], int] = {}  # nothing to see before
        self._lasting: dict[tuple[str, str], int] = {}  # interfering in any case until
        self.clearance = clearance

    @property
    def clearance(self) -> float:
        """The gap, in metres, from which on a pair counts as interfering."""
        return self._clearance

    @clearance.setter
    def clearance(self, gap: float) -> None:
        if not 0.0 <= gap < float("inf"):
            raise ProgramError(f"a collision check cannot keep a clearance of {gap * 1e3:g} mm", hint="give 0 or more")
        self._clearance = max(gap, TOUCH)

    @property
    def on(self) -> bool:
        """Whether any pair is checked."""
        return bool(self._checked)

    def set(self, on: bool, a: NamedBodies, b: NamedBodies) -> None:
        """Begins or ends the check of a pair; ending one that is not checked, either way round, is a mistake."""
        key = next((each for each in ((a.name, b.name), (b.name, a.name)) if each in self._checked), None)
        if not on:
            if key is None:
                raise ProgramError(
                    f"{a.name} and {b.name} are not checked for collisions", hint="begin the check first"
                )
            del self._checked[key]
        elif key is None:
            if set(a.roots) & set(b.roots):
                raise ProgramError(f"{a.name} and {b.name} share a node and cannot collide", hint="name two others")
            self._checked[a.name, b.name] = (a, b)
        self.void()

    def void(self) -> None:
        """Nothing is known of the future any more."""
        self._quiet.clear()
        self._lasting.clear()

    def look(self, tick: int, end: int) -> list[CollisionCycle]:
        """The pairs that interfere at the end of a cycle of a move until ``end``, in the order of their naming."""
        found = []
        for key, (a, b) in self._checked.items():
            if tick < self._quiet.get(key, tick):
                continue
            if tick > self._lasting.get(key, -1):
                near = self._vicinity.within(self._find(a, b), tick, self._clearance)
                if near is None:
                    continue
                if self._vicinity.steady(near.a, near.b, tick, end):
                    self._lasting[key] = end
            found.append(CollisionCycle(tick, *key))
            self._quiet[key] = tick + 1
        return found

    def due(self, tick: int, end: int) -> int:
        """The first tick after ``tick`` at which a pair might interfere, as everything moves now."""
        first = end + 1
        for key, (a, b) in self._checked.items():
            quiet = self._quiet.get(key, tick)
            if quiet <= tick:
                quiet = self._vicinity.clear_until(self._find(a, b), tick, end, self._clearance)
                self._quiet[key] = quiet
            first = min(first, quiet)
        return first
