"""A queue on a belt: where every part will come to stand, worked out from the front.

All parts on a belt go at its speed, so the one ahead keeps its distance until it stops. Each part therefore simply
rides to its goal: the stop ahead of it, or the goal of whatever is ahead of it and overlaps it sideways.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from drycell.devices.drive import STANDING, Drive
from drycell.devices.footprint import Footprint
from drycell.world import LiveBody, Motion

TOUCHING: Final = 1e-9  # metres
HELD: Final = 1e-6  # metres: what is held so near to the edge does not go over it, though a tick may take it on


class Rider:
    """A part on a belt. Places are those of its origin along the belt."""

    __slots__ = ("arrival", "crowded", "drive", "foot", "goal", "held", "leaves", "minds", "motion", "part")

    def __init__(self, part: LiveBody, foot: Footprint, motion: Motion) -> None:
        self.part = part
        self.foot = foot
        self.motion = motion
        """How it moves, seen from the belt."""
        self.goal = -math.inf
        """Where it will come to stand, or leave the belt."""
        self.leaves = False
        """Whether nothing holds it back from the end of a belt that parts fall off."""
        self.crowded = False
        """Whether it was set down where there was no room: it overlaps what is ahead of it."""
        self.arrival: int | None = None
        """When it is at its goal, or goes on otherwise; None while it stands."""
        self.drive = STANDING
        """How it goes while it does not stand."""
        self.minds = False
        """Whether something is ahead of it that does not go with its belt."""
        self.held = False
        """Whether that makes it slower than its belt."""

    def place(self, t: int) -> float:
        """Where it is at an instant."""
        return self.motion.pose(t).x

    def rear(self, t: int) -> float:
        """Where it ends."""
        return self.place(t) + self.foot.rear

    def front(self, t: int) -> float:
        """Where it begins, seen from what is ahead of it."""
        return self.place(t) + self.foot.front

    def going(self, t: int) -> Drive:
        """How it goes from an instant on, as far as that is known."""
        if self.arrival is None or self.arrival <= t:
            return Drive(t, 0.0)
        drive = self.drive.since(t)
        return Drive(t, drive.speed, drive.ramp, self.arrival)


@dataclass(frozen=True, slots=True)
class Ahead:
    """A part on a belt ahead, seen from one behind."""

    rider: Rider
    foot: Footprint
    x: float
    """How far that belt's origin is ahead."""

    def place(self, t: int) -> float:
        """Where it is at an instant."""
        return self.rider.place(t) + self.x

    @property
    def goal(self) -> float:
        """Where it will come to stand."""
        return self.rider.goal + self.x

    @property
    def leaves(self) -> bool:
        """Whether nothing holds it back from leaving its own belt."""
        return self.rider.leaves

    def precedes(self, rider: Rider, t: int) -> bool:
        """Whether it is ahead of a part, and in its way."""
        middles = self.place(t) + self.foot.middle, rider.place(t) + rider.foot.middle
        return middles[0] >= middles[1] and not self.foot.beside(rider.foot)


class Belt:
    """The parts on a belt from ``start`` to ``end`` (places along it), the foremost first by their middles."""

    def __init__(self, start: float, end: float, *, falls: bool = False) -> None:
        self.start, self.end, self.falls = start, end, falls
        self.riders: list[Rider] = []

    def __iter__(self) -> Iterator[Rider]:
        return iter(self.riders)

    def insert(self, rider: Rider, t: int) -> int:
        """Puts a part where it belongs in the order; its number there."""
        middle = rider.place(t) + rider.foot.middle
        number = len(self.riders)
        while number and self.riders[number - 1].place(t) + self.riders[number - 1].foot.middle < middle:
            number -= 1
        self.riders.insert(number, rider)
        return number

    def remove(self, rider: Rider) -> int:
        """Takes a part out; its number then."""
        number = self.riders.index(rider)
        del self.riders[number]
        return number

    def plan(self, first: int, t: int, stops: Iterable[float], beyond: Sequence[Ahead] = ()) -> None:
        """Finds the goals of all parts from a number on, as they are at an instant, with stops in their way.

        ``beyond`` are parts on the belts ahead.
        """
        closed = list(stops) if self.falls else [*stops, self.end]
        for number in range(first, len(self.riders)):
            self._aim(number, t, closed, beyond)

    def _aim(self, number: int, t: int, stops: list[float], beyond: Sequence[Ahead]) -> None:
        rider = self.riders[number]
        here, foot = rider.place(t), rider.foot
        front = here + foot.front
        # A stop that comes up under a part, or behind it, does not hold it.
        limit = min((stop for stop in stops if stop >= front - TOUCHING), default=math.inf if self.falls else self.end)
        for before in range(number - 1, -1, -1):
            ahead = self.riders[before]
            if foot.beside(ahead.foot):
                continue
            if not ahead.leaves:
                limit = min(limit, ahead.goal + ahead.foot.rear)
            if ahead.foot.covers(foot) and not ahead.crowded:
                break  # whatever is farther on and in the way of this one is in the way of that one
        for other in beyond:
            if not other.leaves and other.precedes(rider, t):
                limit = min(limit, other.goal + other.foot.rear)
        rider.crowded = limit < front - TOUCHING
        rider.goal = max(here, limit - foot.front)  # never backwards
        edge = self.end - foot.centre
        rider.leaves = self.falls and rider.goal > edge + HELD
        if rider.leaves:
            rider.goal = max(here, edge)

    def in_the_way(self, foot: Footprint, t: int) -> Iterator[Rider]:
        """The parts that are where a part shall be put; its footprint is seen from the belt."""
        for rider in self.riders:
            if (
                not foot.beside(rider.foot)
                and rider.rear(t) < foot.front - TOUCHING
                and rider.front(t) > foot.rear + TOUCHING
            ):
                yield rider
