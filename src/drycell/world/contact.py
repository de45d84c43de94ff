"""Contact: predicts when bodies will first touch or come within a distance if no motion changes; contact signals.

The method is conservative advancement: two bodies cannot touch sooner than their gap divided by the largest speed at
which it can close.
A contact between two checks is bisected to the tick. Nothing is stepped.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple

from drycell.base import KernelError
from drycell.geometry import TOUCH, gap
from drycell.kernel import Kernel, Rank, Reserved, Timer
from drycell.world.body import LiveBody, lineage
from drycell.world.motion import SECOND, Rest
from drycell.world.scene import PlacedShapes, Scene
from drycell.world.world import World

PRESSED: Final = 1e-6  # metres: a pair in contact counts again after overlapping by this much more
_FINE: Final = 100  # ticks: the smallest step; a shorter contact may be missed
_STRETCH: Final = 5_000  # ticks: shorter intervals hardly improve the bounds
_COARSE: Final = 1_000  # ticks: the smallest step for pairs in contact
_HORIZON: Final = 1_000_000  # ticks of one prediction step


class Contact(NamedTuple):
    """The time and the two bodies of a contact."""

    time: int
    a: LiveBody
    b: LiveBody


@dataclass(slots=True)
class _Pair:
    """Two bodies, the distance at which they count, and the time of the last check."""

    a: LiveBody
    b: LiveBody
    limit: float
    seen: int
    speed: float = 0.0  # bound on their closing speed up to ``until``
    until: int = -1
    fine: int = _FINE


def first_contact(
    world: World | Scene, movers: Iterable[LiveBody], others: Iterable[LiveBody], t0: int, t1: int
) -> Contact | None:
    """The first instant in ``t0``…``t1`` at which a mover touches one of the others, exact to the tick.

    A pair that touches at ``t0`` counts once it overlaps by another micrometre, or touches again after separating.
    """
    return first_within(world, movers, others, t0, t1, TOUCH)


def first_within(
    world: World | Scene, movers: Iterable[LiveBody], others: Iterable[LiveBody], t0: int, t1: int, distance: float
) -> Contact | None:
    """The first instant in ``t0``…``t1`` at which a mover is within a distance (metres) of one of the others."""
    ahead = ContactSearch(world.world if isinstance(world, Scene) else world)
    return ahead.first(movers, others, t0, t1, distance)


class ContactSearch:
    """Predicts contacts of pairs. It keeps placed shapes between queries."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._shapes = PlacedShapes()
        self._ahead: dict[tuple[LiveBody, LiveBody | None, int, int], tuple[int | None, float]] = {}

    def first(
        self, movers: Iterable[LiveBody], others: Iterable[LiveBody], t0: int, t1: int, limit: float
    ) -> Contact | None:
        """The first time at which a pair reaches the limit; a pair already within it must separate or overlap more."""
        self._ahead.clear()  # bounds of the future are valid for one query only
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
                pair.fine = _COARSE  # it may slide for a long time, or separate slowly
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
            # Only the pair that takes longest matters.
            looks = [self._clear(_Pair(a, b, limit, t, fine=_COARSE), t, t1, gap) for gap, a, b in inside]
            if None in looks:
                return None
            t = max(look for look in looks if look is not None)

    def distance(self, a: LiveBody, b: LiveBody, t: int) -> float:
        """Signed distance at an instant; the depth of an overlap is estimated."""
        return gap(self._shapes.at(a, self.world.pose(a, t)), self._shapes.at(b, self.world.pose(b, t)))

    def _balls(self, a: LiveBody, b: LiveBody, t: int) -> float:
        """A lower bound on the distance between two bodies, from their bounding balls."""
        if a.shape is None or b.shape is None:
            return math.inf
        (p, one), (q, other) = a.shape.sphere, b.shape.sphere
        return math.dist(self.world.pose(a, t).point(p), self.world.pose(b, t).point(q)) - one - other - PRESSED

    def _clear(self, pair: _Pair, t: int, t1: int, gap: float) -> int | None:
        """The time of the next check: the earliest contact, or a change of motion; None if never."""
        if t < pair.until:
            # The bound on the closing speed is still valid.
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
                return reach if reach < t1 or changes else None  # no contact until then: check at the change, or never
            step = max(int(gap / speeds / SECOND) if speeds > 0.0 else reach - t, pair.fine)
            stretch = max(4 * step, _STRETCH)
            if reach - t <= stretch:
                if speeds > 0.0:
                    pair.speed, pair.until = speeds, reach
                return min(t + step, reach)
            end = t + stretch  # a shorter interval may have a lower bound
        return None

    def _future(self, body: LiveBody, carrier: LiveBody | None, t: int, end: int) -> tuple[int | None, float]:
        """A body's first change after ``t``, and a speed bound of its points until then, relative to a carrier."""
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


def watch_contact(world: World, kernel: Kernel, a: LiveBody, b: LiveBody, name: str | None = None) -> ContactSignal:
    """A signal that is on while two bodies, or bodies they carry, touch. A second call returns the same signal."""
    name = name or f"contact({a.name}, {b.name})"
    known = kernel.signals.get(name)
    if isinstance(known, ContactSignal) and (known.a, known.b) == (a, b):
        return known
    if known is not None:
        raise KernelError(f"a signal '{name}' already exists", hint="use another name")
    made = ContactSignal(world, kernel, a, b, name)
    kernel.signals[name] = made
    return made


class ContactSignal(Reserved[bool]):
    """A signal that is on while two bodies touch.

    During a run, changes are predicted from the motions of the bodies, so that the record has each of them at its
    instant, whether or not something reads the signal. Before and after, the value is computed on reading.

    It turns on at the first tick at which the bodies touch (1e-9 m), and off when they are 1 µm apart, so that it does
    not flicker while they slide. Bodies on one moving carrier, such as a gripper and the part it holds, do not count.
    """

    __slots__ = ("_ahead", "_kept", "_looked_at", "_timer", "_world", "a", "b")

    def __init__(self, world: World, kernel: Kernel, a: LiveBody, b: LiveBody, name: str) -> None:
        self._world, self.a, self.b = world, a, b
        self._ahead = ContactSearch(world)
        self._kept = False
        self._looked_at: set[LiveBody] = set()
        self._timer: Timer | None = None
        super().__init__(kernel, name, self._touching(TOUCH))
        world.subscribe(self._changed)
        self._predict()

    @property
    def _value(self) -> bool:  # every reader of the signal reads this
        if not self.kernel.running:
            self._kept = self._touching(PRESSED if self._kept else TOUCH)
        return self._kept

    @_value.setter
    def _value(self, value: bool) -> None:
        self._kept = value

    @property
    def meaning(self) -> str:
        """The description of the signal in the error about setting it."""
        return f"whether {self.a.name!r} and {self.b.name!r} touch"

    # ---------------------------------------------------------------- looking ahead

    def _changed(self, body: LiveBody) -> None:
        if self._concerns(body):
            self._predict()

    def _concerns(self, changed: LiveBody) -> bool:
        """Whether a changed body is one of the two, carries them, or is or was carried by them."""
        below = (self.a, self.b)
        if any(changed in lineage(each, self.kernel.now) for each in self._looked_at if each.exists(self.kernel.now)):
            return True
        if changed in self._looked_at:
            return True
        if any(changed in lineage(each, self.kernel.now) for each in below if each.exists(self.kernel.now)):
            return True
        return any(each in below for each in lineage(changed, self.kernel.now))

    def _predict(self) -> None:
        self._cancel()
        now = self.kernel.now
        self._looked_at = {each for pair in self._pairs() for each in pair}
        when = self._next_change(now) if self.kernel.running else now  # before a run, more may change until it begins
        if when is not None:
            self._timer = self.kernel.at(when, self._look, Rank.MOTION, self.name, writes=(self,))

    def _next_change(self, now: int) -> int | None:
        """When to look again; None if nothing can change until another motion begins."""
        end = now + _HORIZON
        when = self._ahead.last(self._pairs(), now, end, PRESSED) if self.truth else self._next_contact(now, end)
        return end if when is None and not self._settled(now) else when

    def _next_contact(self, now: int, end: int) -> int | None:
        if self._touching(TOUCH):
            return now
        found = [self._ahead.first([a], [b], now, end, TOUCH) for a, b in self._pairs()]
        return min((contact.time for contact in found if contact is not None), default=None)

    def _look(self) -> None:
        self._timer = None
        self.publish(self._touching(PRESSED if self.truth else TOUCH), writer="contact")
        self._predict()

    def _settled(self, now: int) -> bool:
        """Whether nothing moves any more."""
        return all(
            self._world.bound(each, now, now + (1 << 40)) == (0.0, 0.0)
            and not self._world.changes(each, now, now + (1 << 40))
            for pair in self._pairs()
            for each in pair
        )

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # ---------------------------------------------------------------- the present

    def _touching(self, limit: float) -> bool:
        now = self._world.now
        return any(self._ahead.distance(a, b, now) <= limit for a, b in self._pairs())

    def _pairs(self) -> list[tuple[LiveBody, LiveBody]]:
        now = self._world.now
        if not (self.a.exists(now) and self.b.exists(now)):
            return []
        ours, theirs = dict.fromkeys(self._world.subtree(self.a)), dict.fromkeys(self._world.subtree(self.b))
        inside = ours.keys() & theirs.keys()  # one carries the other: common bodies belong to the carried one
        if self.a in theirs:
            theirs = {body: None for body in theirs if body not in inside}
        else:
            ours = {body: None for body in ours if body not in inside}
        return [
            (x, y)
            for x in ours
            for y in theirs
            if x.shape is not None and y.shape is not None and not x.hole and not y.hole and not _grouped(x, y, now)
        ]


def _grouped(x: LiveBody, y: LiveBody, t: int) -> bool:
    """Whether two bodies are on one carrier that moves."""
    one, other = lineage(x, t), lineage(y, t)
    common = next((each for each in one if each in other), None)
    if common is None:
        return False
    return any(not isinstance(each.segment(t).motion, Rest) for each in lineage(common, t))
