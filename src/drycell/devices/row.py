"""Belts in a row: what lies on the belts ahead is in the way of what comes, and so is what pokes in from behind.

Belts are in a row where one goes on in line and level with another. They see each other's parts in their own places:
what is ahead of a part need not lie on the same belt.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from drycell.devices.belt import HELD, TOUCHING, Ahead, Belt
from drycell.devices.footprint import Footprint
from drycell.world import LiveBody, World

_LEVEL: Final = 1e-6  # metres: what is this near to level with a belt goes on from it
_IN_LINE: Final = 1e-9  # sine of the angle between two belts


@dataclass(eq=False, slots=True)
class Stretch:
    """One belt as the others of its row see it."""

    body: LiveBody
    belt: Belt
    top: float
    """How high its top is above the body's origin."""
    stops: Callable[[], list[float]]
    """The stops across it that are closed, its end included if that is one."""
    settle: Callable[[], None]
    """Does what is still to be done at this instant."""
    stir: Callable[[], None]
    """Tells it that something is other than it was on a belt ahead of it."""
    look: Callable[[], None]
    """Tells it that something is other than it was on a belt behind it."""

    @property
    def reach(self) -> float:
        """How far a part may poke that still lies on it: to its end, and where parts fall off, beyond."""
        over = (rider.foot.front - rider.foot.centre for rider in self.belt) if self.belt.falls else ()
        return self.belt.end + max(over, default=0.0) + HELD


class Row:
    """The belts of a cell, and which of them go on from which."""

    def __init__(self) -> None:
        self._stretches: list[Stretch] = []
        self._known: dict[tuple[Stretch, Stretch], tuple[int, int, tuple[float, float] | None]] = {}

    def join(self, stretch: Stretch) -> None:
        """Takes up a belt."""
        self._stretches.append(stretch)

    def beyond(self, own: Stretch, world: World) -> list[tuple[Stretch, float, float]]:
        """The belts ahead of one, each with how far its origin is ahead and to the left."""
        if len(self._stretches) == 1:
            return []
        return [(each, *shift) for each in self._stretches if (shift := self._shift(own, each, world)) is not None]

    def before(self, own: Stretch, world: World) -> Iterator[tuple[Stretch, float, float]]:
        """The belts behind one, each with how far it sees this one's origin ahead and to the left."""
        if len(self._stretches) > 1:
            for each in self._stretches:
                shift = self._shift(each, own, world)
                if shift is not None:
                    yield each, *shift

    def _shift(self, own: Stretch, other: Stretch, world: World) -> tuple[float, float] | None:
        if own is other:
            return None
        known = self._known.get((own, other))
        fixed = own.body.parent is None and other.body.parent is None
        if known is not None and fixed and known[:2] == (own.body.version, other.body.version):
            return known[2]
        a, b, c, x, d, e, f, y, g, h, i, z = world.relative(own.body, other.body).rows
        in_line = max(abs(b), abs(c), abs(d), abs(f), abs(g), abs(h)) < _IN_LINE and min(a, e, i) > 0.0
        goes_on = x + other.belt.start >= own.belt.end - _LEVEL
        shift = (x, y) if in_line and goes_on and abs(z + other.top - own.top) <= _LEVEL else None
        self._known[own, other] = (own.body.version, other.body.version, shift)
        return shift


def poking_in(row: Row, own: Stretch, world: World, foot: Footprint, t: int) -> bool:
    """Whether a part of a belt behind is where one shall be put; the footprint is seen from the own belt."""
    for other, x, y in row.before(own, world):
        for rider in other.belt:
            here = rider.foot.shifted(rider.place(t) - x, -y)
            if not foot.beside(here) and here.rear < foot.front - TOUCHING and here.front > foot.rear + TOUCHING:
                return True
    return False


def in_the_way(row: Row, own: Stretch, world: World, t: int) -> tuple[list[Ahead], list[float]]:
    """The parts and the closed stops of belts ahead that parts of a belt may come up to while they lie on it."""
    riders: list[Ahead] = []
    stops: list[float] = []
    ahead = row.beyond(own, world)
    reach = own.reach if ahead else 0.0
    for other, _, _ in ahead:
        other.settle()  # all of them before any is read: one may hand a part on to another
    for other, x, y in ahead:
        for rider in other.belt:
            if rider.rear(t) + x < reach:
                riders.append(Ahead(rider, rider.foot.shifted(0.0, y), x))
        stops += [stop + x for stop in other.stops() if stop + x < reach]
    return riders, stops
