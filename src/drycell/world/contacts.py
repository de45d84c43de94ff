"""Located contact: when bodies will first touch, or come within a distance, as everything moves now.

Conservative advancement: two bodies a gap apart cannot touch before the gap over the most they can close at. A contact
found between two looks is bisected to the tick. Nothing is stepped; the world is asked about its future.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple

from drycell.base import Pose, WorldError
from drycell.geometry import TOUCH, Placed, gap
from drycell.world.body import LiveBody
from drycell.world.motion import SECOND
from drycell.world.scene import Scene
from drycell.world.stretch import lineage
from drycell.world.world import World

PRESSED: Final = 1e-6  # metres: what touches already counts again once it is pressed this much deeper
_FINE: Final = 100  # ticks: the least step between looks; a graze shorter than that may pass unseen
_STRETCH: Final = 5_000  # ticks: over less than this bounds are hardly lower
_COARSE: Final = 1_000  # ticks: the same for what touches at first


class Contact(NamedTuple):
    """When, and who."""

    time: int
    a: LiveBody
    b: LiveBody


@dataclass(slots=True)
class _Pair:
    """Two bodies on their way: the distance at which they count, and where they were last seen."""

    a: LiveBody
    b: LiveBody
    limit: float
    seen: int
    speed: float = 0.0  # at most how fast they close, up to ``until``
    until: int = -1
    fine: int = _FINE


def first_contact(
    world: World | Scene, movers: Iterable[LiveBody], others: Iterable[LiveBody], t0: int, t1: int
) -> Contact | None:
    """The first instant in ``t0``…``t1`` at which a mover touches one of the others, located to the tick.

    A pair that touches at ``t0`` counts once it is pressed deeper by a micrometre, or has been apart in between.
    """
    return first_within(world, movers, others, t0, t1, TOUCH)


def first_within(
    world: World | Scene, movers: Iterable[LiveBody], others: Iterable[LiveBody], t0: int, t1: int, distance: float
) -> Contact | None:
    """The same for coming within a distance."""
    ahead = ContactSearch(world.world if isinstance(world, Scene) else world)
    return ahead.first(movers, others, t0, t1, distance)


class ContactSearch:
    """Looks into the future of pairs. Keeps shapes placed from one look to the next."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._placed: dict[LiveBody, Placed] = {}
        self._ahead: dict[tuple[LiveBody, LiveBody | None, int, int], tuple[int | None, float]] = {}

    def first(
        self, movers: Iterable[LiveBody], others: Iterable[LiveBody], t0: int, t1: int, limit: float
    ) -> Contact | None:
        """The first time at which a pair is within the limit; those within it already must press on, or part first."""
        self._ahead.clear()  # what was known of the future holds for one question only
        here = [body for body in others if _solid(body, t0)]
        pairs: list[_Pair] = []
        looks: list[tuple[int, int]] = []
        for mover in movers:
            for other in here if _solid(mover, t0) else ():
                if other is not mover:
                    pair = _Pair(mover, other, limit, t0)
                    gap = self._balls(mover, other, t0) - limit
                    following = self._clear(pair, t0, t1, gap) if gap > 0.0 else t0
                    if following is not None:
                        looks.append((following, len(pairs)))
                        pairs.append(pair)
        heapify(looks)
        while looks:
            t, number = heappop(looks)
            pair = pairs[number]
            if not (_solid(pair.a, t) and _solid(pair.b, t)):
                continue
            distance = self.distance(pair.a, pair.b, t)
            if distance <= pair.limit:
                if t > t0:
                    return Contact(self._bisect(pair, t), pair.a, pair.b)
                pair.limit = distance - PRESSED
                pair.fine = _COARSE  # it may slide along for long, or part slowly
            elif distance > limit + PRESSED:
                pair.limit = limit
            pair.seen = t
            following = self._clear(pair, t, t1, distance - pair.limit)
            if following is not None:
                heappush(looks, (following, number))
        return None

    def last(self, pairs: Sequence[tuple[LiveBody, LiveBody]], t0: int, t1: int, limit: float) -> int | None:
        """The first instant at which every pair is farther apart than a limit."""
        self._ahead.clear()
        t = t0
        seen = t0
        while True:
            inside = [(limit - self.distance(a, b, t), a, b) for a, b in pairs if _solid(a, t) and _solid(b, t)]
            inside = [each for each in inside if each[0] >= 0.0]
            if not inside:
                return t if t == t0 else self._bisect_apart(pairs, seen, t, limit)
            seen = t
            # They are apart when all are: it is enough to wait for the one that takes longest.
            looks = [self._clear(_Pair(a, b, limit, t, fine=_COARSE), t, t1, gap) for gap, a, b in inside]
            if None in looks:
                return None
            t = max(look for look in looks if look is not None)

    def distance(self, a: LiveBody, b: LiveBody, t: int) -> float:
        """Signed distance at an instant; overlapping, the depth is estimated."""
        return gap(self._at(a, self.world.pose(a, t)), self._at(b, self.world.pose(b, t)))

    def _balls(self, a: LiveBody, b: LiveBody, t: int) -> float:
        """At least how far apart two bodies are, by the balls round them."""
        if a.shape is None or b.shape is None:
            return math.inf
        (p, one), (q, other) = a.shape.sphere, b.shape.sphere
        return math.dist(self.world.pose(a, t).point(p), self.world.pose(b, t).point(q)) - one - other - PRESSED

    def _at(self, body: LiveBody, pose: Pose) -> Placed:
        placed = self._placed.get(body)
        if placed is None or placed.shape is not body.shape:
            if body.shape is None:
                raise WorldError(f"{body.name!r} has no shape", hint="ask about bodies that have one")
            placed = self._placed[body] = Placed(body.shape, pose)
        elif pose != placed.pose:
            placed.place(pose)
        return placed

    def _clear(self, pair: _Pair, t: int, t1: int, gap: float) -> int | None:
        """When to look again: not before the gap can be closed, nor past a change of motion. None: never."""
        if t < pair.until:
            # What bounded their speed still does: no need to ask again.
            step = max(int(gap / pair.speed / SECOND), pair.fine)
            if t + step <= pair.until:
                return t + step
        a, b = pair.a, pair.b
        end = t1
        carrier = next((each for each in lineage(a, t) if each in lineage(b, t)), None)
        while t < end:
            changes, speeds = [], 0.0
            for body in (a, b):
                change, speed = self._future(body, carrier, t, end)
                speeds += speed
                if change is not None:
                    changes.append(change)
            reach = min([end, *changes])
            if speeds * (reach - t) * SECOND < gap:
                return (
                    reach if reach < t1 or changes else None
                )  # all clear up to there: a change, more time, or nothing
            step = max(int(gap / speeds / SECOND) if speeds > 0.0 else reach - t, pair.fine)
            stretch = max(4 * step, _STRETCH)
            if reach - t <= stretch:
                if speeds > 0.0:
                    pair.speed, pair.until = speeds, reach
                return min(t + step, reach)
            end = t + stretch  # over a shorter one the bound may be lower
        return None

    def _future(self, body: LiveBody, carrier: LiveBody | None, t: int, end: int) -> tuple[int | None, float]:
        """A body's first change after ``t`` and the speed of any of its points until then, seen from a carrier."""
        key = (body, carrier, t, end)
        if key not in self._ahead:
            if len(self._ahead) > 10_000:
                self._ahead.clear()
            change = min(self.world.changes(body, t, end), default=None)
            if body.gone <= end and body.gone > t:
                change = body.gone if change is None else min(change, body.gone)
            until = end if change is None else change - 1
            speed, turn = self.world.bound(body, t, max(until, t), seen_from=carrier)
            self._ahead[key] = (change, speed + turn * body.extent)
        return self._ahead[key]

    def _bisect(self, pair: _Pair, hit: int) -> int:
        clear = pair.seen
        while hit - clear > 1:
            middle = (clear + hit) // 2
            if self.distance(pair.a, pair.b, middle) <= pair.limit:
                hit = middle
            else:
                clear = middle
        return hit

    def _bisect_apart(self, pairs: Sequence[tuple[LiveBody, LiveBody]], inside: int, apart: int, limit: float) -> int:
        while apart - inside > 1:
            middle = (inside + apart) // 2
            if any(self.distance(a, b, middle) <= limit for a, b in pairs if _solid(a, middle) and _solid(b, middle)):
                inside = middle
            else:
                apart = middle
        return apart


def _solid(body: LiveBody, t: int) -> bool:
    return body.shape is not None and not body.hole and body.exists(t)
