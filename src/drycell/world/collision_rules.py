"""Rules of a collision check: which pairs of bodies are watched, which may touch, and their clearances."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise

from drycell.base import UnknownName, WorldError, mm
from drycell.world.body import LiveBody
from drycell.world.linkage import Linkage, LinkMotion
from drycell.world.motion import Fall, Motion, Rest, Tumble
from drycell.world.world import World

Lineage = tuple[LiveBody, ...]
Who = LiveBody | str
_Standing = tuple[
    Lineage, LiveBody | None, Linkage | type[Motion] | None
]  # carriers, the moving carrier, the mechanism of which it is a link or its kind of motion


@dataclass(frozen=True)
class CollisionRules:
    """Which pairs of bodies are watched. A name such as ``arm`` includes all bodies below it, such as ``arm/forearm``.
    A name can be a pattern: ``part*``.

    Things that a moving body carries belong to it: a grasped part joins the arm's group. To exclude or allow such a
    thing, name it.

    Attributes:
        pairs: the watched pairs; None means every body with every other.
        but: bodies that are not watched.
        allow: pairs that may touch.
        clearance: a pass closer than this many metres is a near miss.
        clearances: clearances of certain pairs; the first match counts.
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
                raise WorldError(f"a clearance must be 0 mm or more, not {distance / mm:g} mm")

    def check(self, world: World) -> None:
        """Raise UnknownName for a name that no body has. Patterns may match bodies that are added later."""
        pairs = (*(self.pairs or ()), *self.allow, *(each[:2] for each in self.clearances))
        for who in (*self.but, *(who for pair in pairs for who in pair)):
            name = who.name if isinstance(who, LiveBody) else who
            if not any(wildcard in name for wildcard in "*?[") and not any(_named(name, body) for body in world.bodies):
                raise UnknownName("body", name, world.bodies)

    @property
    def farthest(self) -> float:
        """The largest clearance of any pair."""
        return max((self.clearance, *(each[2] for each in self.clearances)))

    def near(self, a: Lineage, b: Lineage) -> float | None:
        """The clearance between two bodies, each with its group, or None if they are not watched."""
        if self.pairs is not None and not any(_watch(pair, a, b) for pair in self.pairs):
            return None
        one, other = a[0], b[0]
        if any(_is(who, one) or _is(who, other) for who in self.but):
            return None
        if any(_fit(pair, one, other) for pair in self.allow):
            return None
        wanted = next((each[2] for each in self.clearances if _fit(each[:2], one, other)), self.clearance)
        # Where a shape may be smaller than the real body, the clearance counts from the real surface.
        return wanted + one.deviation + other.deviation if wanted else wanted


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
    """Whether two bodies touch by construction: fixed to each other, one on the other, or neighbours in a mechanism.

    Two bodies at rest in the world are fixed to each other. Parts on one belt queue on it and may touch. Trays ride
    from one tray line to the next. A tumbling part hits what is at rest, and other parts.
    """
    first, second = a[0], b[0]
    if first in b[1:2] or second in a[1:2]:
        return True
    belt, other = _belt(a), _belt(b)
    if belt is not None and belt is other:
        return True
    if (belt is not None and belt.passes_on(second)) or (other is not None and other.passes_on(first)):
        return True
    if root(a, t) is root(b, t):
        return True
    for one, other, carriers in ((first, second, b), (second, first, a)):
        motion = one.segment(t).motion
        if isinstance(motion, Tumble) and (other.part or root(carriers, t) is None):
            return True
        if isinstance(motion, Fall) and one.part and other.part:
            return True  # it may fall past other parts, and lie among them
        if isinstance(motion, LinkMotion) and other in motion.linkage.neighbours(one):
            return True
    return False


def _belt(carriers: Lineage) -> LiveBody | None:
    """The belt under a part, or under the part it lies on."""
    for body, carrier in pairwise(carriers):
        if not body.part:
            return None
        if carrier.conveys:
            return carrier
    return None


def root(carriers: Lineage, t: int) -> LiveBody | None:
    """The first moving carrier to which the body is fixed; None is the world."""
    for body in carriers:
        if not isinstance(body.segment(t).motion, Rest):
            return body
    return None


class WatchedPairs:
    """Applies the rules and caches the results, because pairs are checked repeatedly."""

    def __init__(self, rules: CollisionRules) -> None:
        self._rules = rules
        self._near: dict[tuple[_Standing, _Standing], float | None] = {}

    def near(self, a: Lineage, b: Lineage, t: int) -> float | None:
        """The clearance between two bodies with their carriers at an instant, or None if they are not watched."""
        key = (_standing(a, t), _standing(b, t))
        try:
            return self._near[key]
        except KeyError:
            if len(self._near) > 100_000:  # parts come and go all the time
                self._near.clear()
            near = None if joined(a, b, t) else self._rules.near(_group(a, t), _group(b, t))
            self._near[key] = near
            return near

    def forget(self, gone: set[LiveBody]) -> None:
        """Drop the data of bodies that have left the cell."""
        self._near = {
            key: near for key, near in self._near.items() if gone.isdisjoint(key[0][0]) and gone.isdisjoint(key[1][0])
        }


def _standing(carriers: Lineage, t: int) -> _Standing:
    """Everything about a body that the rules depend on."""
    for body in carriers:
        motion = body.segment(t).motion
        if not isinstance(motion, Rest):
            how = motion.linkage if isinstance(motion, LinkMotion) else type(motion)
            return carriers, body, how
    return carriers, None, None


def _group(carriers: Lineage, t: int) -> Lineage:
    """The body, together with its carriers if they move: a part on a table does not belong to the table."""
    return carriers[:1] if root(carriers, t) is None else carriers
