"""Rules of a collision check: which pairs of bodies are watched, which may touch, and how near is too near."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise

from drycell.base import UnknownName, WorldError, mm
from drycell.world.body import LiveBody
from drycell.world.linkage import Linkage, LinkMotion
from drycell.world.motion import Rest
from drycell.world.world import World

Lineage = tuple[LiveBody, ...]
Who = LiveBody | str
_Standing = tuple[
    Lineage, LiveBody | None, Linkage | None
]  # carriers, the one that moves, the mechanism it is a link of


@dataclass(frozen=True)
class CollisionRules:
    """Pairs of bodies. ``arm`` stands for the body of that name and for all that are named below it, such as
    ``arm/forearm``. A name may be a pattern: ``part*``.

    ``pairs`` are watched (None: everything with everything), but nothing with a body of ``but`` in it and no pair of
    ``allow``. What a moving body carries is watched along with it: a grasped part joins the arm's group. To be left
    out or allowed, it must be named itself. A pass nearer than ``clearance`` metres warns; ``clearances`` gives pairs
    a distance of their own, the first that fits counts.
    """

    pairs: tuple[tuple[Who, Who], ...] | None = None
    but: tuple[Who, ...] = ()
    allow: tuple[tuple[Who, Who], ...] = ()
    clearance: float = 0.0
    clearances: tuple[tuple[Who, Who, float], ...] = ()

    def __post_init__(self) -> None:
        for pair in (*(self.pairs or ()), *self.allow):
            if isinstance(pair, (str, LiveBody)) or len(pair) != 2:
                raise WorldError(
                    f"a pair is two bodies, not {pair!r}", hint='write a list of pairs: [("block", "table")]'
                )
        for distance in (self.clearance, *(each[2] for each in self.clearances)):
            if not 0.0 <= distance < float("inf"):
                raise WorldError(f"a near-miss distance must be 0 mm or more, not {distance / mm:g} mm")

    def check(self, world: World) -> None:
        """Raises UnknownName for a name that no body of the cell has; patterns may wait for bodies to come."""
        pairs = (*(self.pairs or ()), *self.allow, *(each[:2] for each in self.clearances))
        for who in (*self.but, *(who for pair in pairs for who in pair)):
            name = who.name if isinstance(who, LiveBody) else who
            if not any(sign in name for sign in "*?[") and not any(_named(name, body) for body in world.bodies):
                raise UnknownName("body", name, world.bodies)

    @property
    def farthest(self) -> float:
        """The greatest near-miss distance of any pair."""
        return max((self.clearance, *(each[2] for each in self.clearances)))

    def near(self, a: Lineage, b: Lineage) -> float | None:
        """The near-miss distance of two bodies, each with the group it joins, or None if they are not watched."""
        if self.pairs is not None and not any(_watch(pair, a, b) for pair in self.pairs):
            return None
        one, other = a[0], b[0]
        if any(_is(who, one) or _is(who, other) for who in self.but):
            return None
        if any(_fit(pair, one, other) for pair in self.allow):
            return None
        for first, second, distance in self.clearances:
            if _fit((first, second), one, other):
                return distance
        return self.clearance


def _named(name: str, body: str) -> bool:
    return fnmatchcase(body, name) or body.startswith(name + "/")


def _is(who: Who, body: LiveBody) -> bool:
    return _named(who.name if isinstance(who, LiveBody) else who, body.name)


def _fit(pair: tuple[Who, Who], a: LiveBody, b: LiveBody) -> bool:
    one, other = pair
    return (_is(one, a) and _is(other, b)) or (_is(one, b) and _is(other, a))


def _watch(pair: tuple[Who, Who], a: Lineage, b: Lineage) -> bool:
    return any(_fit(pair, one, other) for one in a for other in b)


def joined(a: Lineage, b: Lineage, t: int) -> bool:
    """Whether two bodies touch by construction: fixed to each other, one carried by the other, or next in a mechanism.

    What stands in the world together counts as fixed to each other. Parts that ride one belt queue on it, touching.
    """
    first, second = a[0], b[0]
    if first in b[1:2] or second in a[1:2]:
        return True
    belt = _belt(a)
    if belt is not None and belt is _belt(b):
        return True
    if root(a, t) is root(b, t):
        return True
    for one, other in ((first, second), (second, first)):
        motion = one.segment(t).motion
        if isinstance(motion, LinkMotion) and other in motion.linkage.neighbours(one):
            return True
    return False


def _belt(carriers: Lineage) -> LiveBody | None:
    """The belt that a part, or the part it lies on, rides."""
    for body, carrier in pairwise(carriers):
        if not body.part:
            return None
        if carrier.conveys:
            return carrier
    return None


def root(carriers: Lineage, t: int) -> LiveBody | None:
    """The carrier that everything up to the body is fixed to; None is the world."""
    for body in carriers:
        if not isinstance(body.segment(t).motion, Rest):
            return body
    return None


class WatchedPairs:
    """Looks rules up, and remembers: the same two bodies are asked about again and again."""

    def __init__(self, rules: CollisionRules) -> None:
        self._rules = rules
        self._near: dict[tuple[_Standing, _Standing], float | None] = {}

    def near(self, a: Lineage, b: Lineage, t: int) -> float | None:
        """The near-miss distance of two bodies with their carriers at an instant, or None if they are not watched."""
        key = (_standing(a, t), _standing(b, t))
        try:
            return self._near[key]
        except KeyError:
            if len(self._near) > 100_000:  # parts come and go for ever
                self._near.clear()
            near = None if joined(a, b, t) else self._rules.near(_group(a, t), _group(b, t))
            self._near[key] = near
            return near

    def forget(self, gone: set[LiveBody]) -> None:
        """Lets go of what is kept about bodies that have left the cell."""
        self._near = {
            key: near for key, near in self._near.items() if gone.isdisjoint(key[0][0]) and gone.isdisjoint(key[1][0])
        }


def _standing(carriers: Lineage, t: int) -> _Standing:
    """All that the verdict on a body depends on."""
    for body in carriers:
        motion = body.segment(t).motion
        if not isinstance(motion, Rest):
            return carriers, body, motion.linkage if isinstance(motion, LinkMotion) else None
    return carriers, None, None


def _group(carriers: Lineage, t: int) -> Lineage:
    """The body, with its carriers if these move: what lies on a table is not part of the table."""
    return carriers[:1] if root(carriers, t) is None else carriers
