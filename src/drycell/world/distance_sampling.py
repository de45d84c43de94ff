"""Distance sampling: computes the distance between a pair at the grid instants at which it matters.

Three thresholds (contact, separation, clearance) divide distances into classes. Between two samples, the largest
closing speed bounds the distance from both sides. Where the class is certain, only the smallest distance matters; it is
found by sampling where the distance may still be lower. The result is identical to that of sampling at every instant.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Final

from drycell.world.body import LiveBody, lineage
from drycell.world.collision_rules import WatchedPairs, root
from drycell.world.motion import SECOND
from drycell.world.motion_piece import OnLink, teleported
from drycell.world.pair_state import APART, AT_REST, Attached, Observation, Pair, PairState, contact_threshold
from drycell.world.scene import Scene
from drycell.world.window_search import Window

_ERROR_BOUND: Final = 1e-7  # metres: more than the error of the distance engine
_NANOMETRE: Final = 1e-9

Sample = tuple[int, float]  # instant, distance


class PairInterval:
    """A pair that may be within the margin during ``lo`` ≤ t < ``hi``, with bounds of its closing speed."""

    __slots__ = ("_reached", "_speeds", "_starts", "contact", "hi", "lo", "near")

    def __init__(self, lo: int, hi: int, closing: float, near: float, contact: float) -> None:
        self.lo, self.hi, self.near, self.contact = lo, hi, near, contact
        self._starts, self._speeds, self._reached = [lo], [closing * SECOND], [0.0]

    def extend(self, hi: int, closing: float) -> None:
        """Extend the interval to ``hi``, with a new speed bound."""
        if closing * SECOND != self._speeds[-1]:
            self._reached.append(self._reach(self.hi))
            self._starts.append(self.hi)
            self._speeds.append(closing * SECOND)
        self.hi = hi

    def travel(self, t0: int, t1: int) -> float:
        """The largest change of the distance between two instants, in metres."""
        return self._reach(t1) - self._reach(t0)

    def _reach(self, t: int) -> float:
        number = bisect_right(self._starts, t) - 1
        return self._reached[number] + self._speeds[number] * (t - self._starts[number])


class DistanceSampling:
    """Samples a pair during an interval, no more often than needed."""

    def __init__(self, measure: Callable[[int], float], interval: PairInterval, cycle: int) -> None:
        self._measure, self._interval, self._cycle = measure, interval, cycle
        self._margin = max(interval.near, APART)
        self._limits: tuple[float, ...] = ()
        self._beyond = 0.0

    def observations(self, attached: Sequence[Observation], before: PairState) -> list[Observation]:
        """The observations in chronological order, including those at instants of attachment."""
        found: list[Observation] = []
        start, cycle = self._interval.lo, self._cycle
        continues = before.last + cycle >= -(-start // cycle) * cycle  # otherwise it was apart in between
        silent, untouched = before.silent and continues, before.collision is None
        for attachment in (*attached, None):
            sampled = self._sampled(start, self._interval.hi if attachment is None else attachment.first, silent)
            found += sampled
            if attachment is not None:
                untouched = untouched and (silent or all(each.distance > self._interval.contact for each in sampled))
                silent = untouched and attachment.attached is Attached.WHERE_IT_WAS and attachment.distance <= AT_REST
                if attachment.distance <= self._margin:
                    found.append(attachment)
                start = attachment.first
        return found

    def _sampled(self, lo: int, hi: int, silent: bool) -> list[Observation]:
        """The observations for lo ≤ t < hi. A pair that is silent at first stays silent until it is apart."""
        cycle = self._cycle
        first, last = -(-lo // cycle) * cycle, (hi - 1) // cycle * cycle
        if first > last:
            return []
        start = (first, self._measure(first))
        # Without relative motion the distance at the end is the same.
        ends = start, (last, self._measure(last) if self._interval.travel(first, last) else start[1])
        found: list[Observation] = []
        if silent:
            self._limits, self._beyond = (APART,), APART
            samples = self._classified(*ends)
            apart = next((number for number, (_, distance) in enumerate(samples) if distance > APART), len(samples))
            found += self._observations(samples[: apart + 1])[:apart]
            if apart == len(samples):
                return found
            ends = (samples[apart], samples[-1])
        self._limits = tuple(sorted((self._interval.contact, self._interval.near)))
        self._beyond = self._limits[1] if self._interval.near > 0.0 else self._interval.contact
        return found + self._observations(self._lowest(self._classified(*ends)))

    def _observations(self, samples: list[Sample]) -> list[Observation]:
        found: list[Observation] = []
        for number, (t, distance) in enumerate(samples, 1):
            if distance <= self._margin:
                # The observation holds up to the next sample; distances that do not matter are not extended.
                holds = number < len(samples) and distance <= self._beyond
                until = max(samples[number][0] - self._cycle, t) if holds else t
                found.append(Observation(t, until, distance, self._interval.near))
        return found

    def _classified(self, first: Sample, last: Sample) -> list[Sample]:
        """Sample densely enough to know the class of the distance at every instant of the grid."""
        samples = [first]
        ends = [last] if last[0] > first[0] else []
        while ends:
            end = ends[-1]
            if self._ambiguous(samples[-1], end):
                ends.append(self._between(samples[-1], end))
            else:
                samples.append(ends.pop())
        return samples

    def _ambiguous(self, one: Sample, two: Sample) -> bool:
        if two[0] - one[0] <= self._cycle:
            return False
        lower, upper = self._bounds(one, two)
        if lower > self._beyond or upper == lower:
            return False
        return self._class(lower) != self._class(upper)

    def _lowest(self, samples: list[Sample]) -> list[Sample]:
        """Add samples at every instant that may be the closest of its run."""
        found: list[Sample] = []
        run: list[Sample] = []
        for sample in samples:
            if run and self._class(sample[1]) != self._class(run[-1][1]):
                found += self._searched(run)
                run = []
            run.append(sample)
        return found + self._searched(run)

    def _searched(self, run: list[Sample]) -> list[Sample]:
        if len(run) < 2 or run[0][1] > self._beyond:
            return run
        best = min(distance for _, distance in run)
        gaps = [(self._bounds(one, two)[0], one, two) for one, two in pairwise(run)]
        heapify(gaps)
        samples = list(run)
        while gaps:
            lower, one, two = heappop(gaps)
            if lower > best + _NANOMETRE:
                break
            if two[0] - one[0] <= self._cycle or self._interval.travel(one[0], two[0]) == 0.0:
                continue
            middle = self._between(one, two)
            samples.append(middle)
            best = min(best, middle[1])
            for start, end in ((one, middle), (middle, two)):
                heappush(gaps, (self._bounds(start, end)[0], start, end))
        samples.sort()
        return samples

    def _between(self, one: Sample, two: Sample) -> Sample:
        t = one[0] + (two[0] - one[0]) // (2 * self._cycle) * self._cycle
        return t, self._measure(t)

    def _bounds(self, one: Sample, two: Sample) -> tuple[float, float]:
        """Bounds of the distance between two samples. The depth of an overlap is ignored."""
        travel = self._interval.travel(one[0], two[0])
        if travel == 0.0:
            return one[1], one[1]
        a, b = one[1], two[1]
        lower = (a + b - travel) / 2 if a > 0.0 < b else max(a, b) - travel
        return lower - _ERROR_BOUND, (max(a, 0.0) + max(b, 0.0) + travel) / 2 + _ERROR_BOUND

    def _class(self, distance: float) -> int:
        return sum(distance > limit for limit in self._limits)


class AttachmentTimes:
    """The instants of attachment: pairs that touch then may touch until they are first 1 mm apart."""

    def __init__(self, scene: Scene, start: int) -> None:
        self._scene, self._start = scene, start
        self._changed: dict[LiveBody, None] = {}

    def open(self, changed: Iterable[LiveBody]) -> None:
        """Use the changes of these bodies. For other bodies, only the start of the monitor counts."""
        self._changed = dict.fromkeys(changed)

    def between(self, body: LiveBody, lo: int, hi: int) -> dict[int, Attached]:
        """The instants in ``lo`` ≤ t < ``hi`` at which the body or a carrier was attached, and the monitor's start.

        A change of motion on the same carrier is not an attachment.
        """
        found: dict[int, Attached] = {}
        if body in self._changed:
            for node in lineage(body, lo):
                for start in dict.fromkeys(segment.start for segment in node.segments(lo, hi - 1)):
                    if lo <= start < hi:
                        found[start] = max(self._kind(node, start), found.get(start, Attached.NO))
        if lo <= self._start < hi:
            found[self._start] = Attached.WHERE_IT_WAS
        return {t: kind for t, kind in found.items() if kind is not Attached.NO}

    def _kind(self, node: LiveBody, start: int) -> Attached:
        """The kind of the change at an instant."""
        if teleported(self._scene.world, node, start):
            return Attached.ELSEWHERE
        before = node.segment(start - 1)
        return (
            Attached.NO
            if before.start < start and before.parent is node.segment(start).parent
            else Attached.WHERE_IT_WAS
        )


def observe(
    scene: Scene,
    watch: WatchedPairs,
    attachments: AttachmentTimes,
    windows: Iterable[Window],
    cycle: int,
    states: Mapping[Pair, PairState],
) -> dict[Pair, list[Observation]]:
    """The observations of each pair within the margin in chronological order, for the pair tracker.

    A pair is not sampled while it can neither cross a threshold (contact, separation, clearance, margin) nor come
    closer than it has been in the same run.
    """
    seen: dict[Pair, list[Observation]] = {}
    for pair, interval in _intervals(scene, watch, windows):
        at = attachments.between(pair[0], interval.lo, interval.hi)
        for t, kind in attachments.between(pair[1], interval.lo, interval.hi).items():
            at[t] = max(kind, at.get(t, Attached.NO))
        attached = [Observation(t, t, scene.gap(*pair, t), interval.near, at[t], False) for t in sorted(at)]
        before = PairState(pair) if pair in seen else states.get(pair, PairState(pair))
        found = DistanceSampling(partial(scene.gap, *pair), interval, cycle).observations(attached, before)
        if found:
            seen.setdefault(pair, []).extend(found)
    return seen


def _intervals(scene: Scene, watch: WatchedPairs, windows: Iterable[Window]) -> Iterator[tuple[Pair, PairInterval]]:
    """Join consecutive windows of a pair: sweeps cut time into short cells."""
    together: dict[Pair, list[Window]] = {}
    for window in windows:
        a, b = window.a.body, window.b.body
        together.setdefault((a, b) if a.name < b.name else (b, a), []).append(window)
    for pair, found in together.items():
        found.sort(key=lambda window: window.lo)
        for run in _runs(found):
            near = watch.near(
                run[0].a.lineage, run[0].b.lineage, run[0].lo
            )  # constant as long as the pieces do not change
            if near is None:
                continue
            # At a change of motion, a body may jump.
            breaks = {t for body in pair for t in scene.world.changes(body, run[0].lo, run[-1].hi - 1)}
            apart = _closing(scene, run[0], run[-1].hi)
            interval: PairInterval | None = None
            for window in run:
                closing = min(window.closing, _closing(scene, window, window.hi)) if apart > 0.0 else 0.0
                if interval is not None and window.lo not in breaks:
                    interval.extend(window.hi, closing)
                    continue
                if interval is not None:
                    yield pair, interval
                interval = PairInterval(window.lo, window.hi, closing, near, contact_threshold(pair))
            if interval is not None:
                yield pair, interval


def _runs(windows: list[Window]) -> Iterator[list[Window]]:
    """Groups of windows of the same two pieces without a gap."""
    run: list[Window] = []
    for window in windows:
        if run and (window.lo != run[-1].hi or window.a is not run[-1].a or window.b is not run[-1].b):
            yield run
            run = []
        run.append(window)
    yield run


def _closing(scene: Scene, window: Window, hi: int) -> float:
    """The largest closing speed of the pair until ``hi``, relative to a common carrier.

    A finger does not approach the part it holds.
    """
    a, b = window.a, window.b
    if isinstance(a.path, OnLink) and isinstance(b.path, OnLink) and a.path.linkage is b.path.linkage:
        reach = math.hypot(*a.path.offset.position) + a.body.extent
        other = math.hypot(*b.path.offset.position) + b.body.extent
        return a.path.linkage.closing(a.path.link, reach, b.path.link, other, window.lo, hi - 1)
    carrier = next((each for each in a.lineage if each in b.lineage), None)
    if carrier is None or root(a.lineage[a.lineage.index(carrier) :], window.lo) is None:
        return math.inf  # without a common moving carrier, the window has the best bound
    closing = 0.0
    for body in (a.body, b.body):
        speed, turn = scene.world.bound(body, window.lo, hi - 1, seen_from=carrier)
        closing += speed + turn * body.extent
    return closing
