"""Looks: at which instants of a grid the distance of a pair must be known, given how fast it can change at most.

Distances that matter (touching, apart, near) cut the line into classes. Between two looks the distance is bounded from
both sides; where the bounds leave no doubt about the class, nothing but the least distance is of interest there, and
that is found by looking where it may still be lower. What comes out of every instant looked at comes out of these.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Final

from drycell.world.episode import APART, AT_REST, Attached, Episode, Observation
from drycell.world.motion import SECOND

_SURE: Final = 1e-7  # metres: more than the distance engine errs
_NANOMETRE: Final = 1e-9

Look = tuple[int, float]  # instant, distance


class Stay:
    """A pair that may be within the margin during ``lo`` ≤ t < ``hi``, and how far it can close in any part of that."""

    __slots__ = ("_reached", "_speeds", "_starts", "contact", "hi", "lo", "near")

    def __init__(self, lo: int, hi: int, closing: float, near: float, contact: float) -> None:
        self.lo, self.hi, self.near, self.contact = lo, hi, near, contact
        self._starts, self._speeds, self._reached = [lo], [closing * SECOND], [0.0]

    def extend(self, hi: int, closing: float) -> None:
        """Goes on until ``hi``, at another speed at most."""
        if closing * SECOND != self._speeds[-1]:
            self._reached.append(self._way(self.hi))
            self._starts.append(self.hi)
            self._speeds.append(closing * SECOND)
        self.hi = hi

    def travel(self, t0: int, t1: int) -> float:
        """How much the distance can change between two instants, in metres."""
        return self._way(t1) - self._way(t0)

    def _way(self, t: int) -> float:
        number = bisect_right(self._starts, t) - 1
        return self._reached[number] + self._speeds[number] * (t - self._starts[number])


class Looks:
    """Looks at a pair during a stay, no more often than needed."""

    def __init__(self, measure: Callable[[int], float], stay: Stay, cycle: int) -> None:
        self._measure, self._stay, self._cycle = measure, stay, cycle
        self._margin = max(stay.near, APART)
        self._limits: tuple[float, ...] = ()
        self._beyond = 0.0

    def observations(self, attached: Sequence[Observation], before: Episode) -> list[Observation]:
        """What is to be told of it, in order of time, between the given looks at instants of attaching."""
        found: list[Observation] = []
        start, cycle = self._stay.lo, self._cycle
        goes_on = before.last + cycle >= -(-start // cycle) * cycle  # else it was apart in between
        silent, untouched = before.silent and goes_on, before.collision is None
        for mark in (*attached, None):
            looked = self._stretch(start, self._stay.hi if mark is None else mark.first, silent)
            found += looked
            if mark is not None:
                untouched = untouched and (silent or all(each.distance > self._stay.contact for each in looked))
                silent = untouched and mark.attached is Attached.WHERE_IT_WAS and mark.distance <= AT_REST
                if mark.distance <= self._margin:
                    found.append(mark)
                start = mark.first
        return found

    def _stretch(self, lo: int, hi: int, silent: bool) -> list[Observation]:
        """The same for the instants lo ≤ t < hi; a pair that is silent at first is until it is apart."""
        cycle = self._cycle
        first, last = -(-lo // cycle) * cycle, (hi - 1) // cycle * cycle
        if first > last:
            return []
        start = (first, self._measure(first))
        # What does not move against each other is as far apart in the end.
        ends = start, (last, self._measure(last) if self._stay.travel(first, last) else start[1])
        found: list[Observation] = []
        if silent:
            self._limits, self._beyond = (APART,), APART
            looks = self._classed(*ends)
            apart = next((number for number, (_, distance) in enumerate(looks) if distance > APART), len(looks))
            found += self._told(looks[: apart + 1])[:apart]
            if apart == len(looks):
                return found
            ends = (looks[apart], looks[-1])
        self._limits = tuple(sorted((self._stay.contact, self._stay.near)))
        self._beyond = self._limits[1] if self._stay.near > 0.0 else self._stay.contact
        return found + self._told(self._lowest(self._classed(*ends)))

    def _told(self, looks: list[Look]) -> list[Observation]:
        found: list[Observation] = []
        for number, (t, distance) in enumerate(looks, 1):
            if distance <= self._margin:
                # Up to the next look it is as it was; out of interest it is not told of at all.
                goes_on = number < len(looks) and distance <= self._beyond
                until = max(looks[number][0] - self._cycle, t) if goes_on else t
                found.append(Observation(t, until, distance, self._stay.near))
        return found

    def _classed(self, first: Look, last: Look) -> list[Look]:
        """Looks close enough for the class of the distance to be known at every instant of the grid."""
        looks = [first]
        ends = [last] if last[0] > first[0] else []
        while ends:
            end = ends[-1]
            if self._doubtful(looks[-1], end):
                ends.append(self._between(looks[-1], end))
            else:
                looks.append(ends.pop())
        return looks

    def _doubtful(self, one: Look, two: Look) -> bool:
        if two[0] - one[0] <= self._cycle:
            return False
        lower, upper = self._bounds(one, two)
        if lower > self._beyond or upper == lower:
            return False
        return self._class(lower) != self._class(upper)

    def _lowest(self, looks: list[Look]) -> list[Look]:
        """The same with looks at every instant that may be the nearest of its stretch."""
        found: list[Look] = []
        stretch: list[Look] = []
        for look in looks:
            if stretch and self._class(look[1]) != self._class(stretch[-1][1]):
                found += self._searched(stretch)
                stretch = []
            stretch.append(look)
        return found + self._searched(stretch)

    def _searched(self, stretch: list[Look]) -> list[Look]:
        if len(stretch) < 2 or stretch[0][1] > self._beyond:
            return stretch
        best = min(distance for _, distance in stretch)
        gaps = [(self._bounds(one, two)[0], one, two) for one, two in pairwise(stretch)]
        heapify(gaps)
        looks = list(stretch)
        while gaps:
            lower, one, two = heappop(gaps)
            if lower > best + _NANOMETRE:
                break
            if two[0] - one[0] <= self._cycle or self._stay.travel(one[0], two[0]) == 0.0:
                continue
            middle = self._between(one, two)
            looks.append(middle)
            best = min(best, middle[1])
            for start, end in ((one, middle), (middle, two)):
                heappush(gaps, (self._bounds(start, end)[0], start, end))
        looks.sort()
        return looks

    def _between(self, one: Look, two: Look) -> Look:
        t = one[0] + (two[0] - one[0]) // (2 * self._cycle) * self._cycle
        return t, self._measure(t)

    def _bounds(self, one: Look, two: Look) -> tuple[float, float]:
        """Between which distances the pair is between two looks. How deep an overlap is bounds nothing."""
        travel = self._stay.travel(one[0], two[0])
        if travel == 0.0:
            return one[1], one[1]
        a, b = one[1], two[1]
        lower = (a + b - travel) / 2 if a > 0.0 < b else max(a, b) - travel
        return lower - _SURE, (max(a, 0.0) + max(b, 0.0) + travel) / 2 + _SURE

    def _class(self, distance: float) -> int:
        return sum(distance > limit for limit in self._limits)
