"""The sweep: which pairs of bodies may have been near one another, and when. A rigorous cull over a stretch of time.

What moves is wrapped in envelopes (envelope.py) or rides straight. What the balls do not rule out, distances within
the cell may (narrowing.py); what is left are windows of time, to be looked at exactly. Motions that come again, among
fixtures that stay, are looked up by their content.
"""

import math
from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from drycell.base import Array, Pose, WorldError
from drycell.world import cull
from drycell.world.body import LiveBody
from drycell.world.census import Census
from drycell.world.columns import BallTable
from drycell.world.cull import Cover
from drycell.world.envelope import ELSEWHERE, Course, Envelope, courses, other, pause, perched, pieces
from drycell.world.episode import APART
from drycell.world.linkage import Linkage, LinkMotion
from drycell.world.motion import SECOND
from drycell.world.narrowing import SURE, Doubt, Flight, Narrowing, moved
from drycell.world.rules import WatchedPairs
from drycell.world.span import Company, Found, Span, Window
from drycell.world.stretch import Linear, OnLink, Stretch, lineage, stretches
from drycell.world.world import World

_REMEMBERED = 2048  # sections of trajectories
_RESTS = 64  # of a mechanism, lately seen: how long it rests is seldom twice the same
_ALIKE = 24  # places of what is carried, of each section
_STILL = (0.0, 0.0, 0.0)


class Sweep:
    """Finds the windows. ``margin`` is how near is of interest."""

    def __init__(self, world: World, watch: WatchedPairs, margin: float) -> None:
        self.world, self.watch, self.margin = world, watch, margin
        self.census = Census(world, tells=True)
        self._narrowing = Narrowing()
        self._courses: dict[tuple[Linkage, bytes, int], Course] = {}
        self._known: dict[tuple[object, ...], tuple[Envelope, list[Found]]] = {}
        self._rests: dict[tuple[object, ...], tuple[Envelope, list[Found]]] = {}
        self._companies: dict[tuple[object, ...], list[Company]] = {}
        self._cover = Cover(self.census.standing)

    def windows(self, t0: int, t1: int, changed: Iterable[LiveBody]) -> list[Window]:
        """All windows in ``t0`` ≤ t < ``t1``, given the bodies that changed then."""
        singly = {body: None for body in (*self.census.others, *changed) if body.shape is not None and not body.hole}
        perches: dict[tuple[Linkage, Pose], list[Stretch]] = {}
        rides: list[Stretch] = []
        spans: list[Span] = []
        for body in singly:
            for stretch in stretches(body, t0, t1):
                if isinstance(stretch.way, OnLink):
                    perches.setdefault((stretch.way.linkage, stretch.way.base), []).append(stretch)
                elif isinstance(stretch.way, Linear):
                    rides.append(stretch)
                else:
                    for envelope in other(self.world, stretch, self.margin):
                        spans.append(Span(envelope, 0, stretch.lo, stretch.hi, (stretch,)))
        found: list[Window] = []
        for span in spans:
            found += self._set(span, self._fixed(span, self._met(span.envelope), []), singly, t0, t1)
        for (linkage, _), sitting in perches.items():
            for span, windows in self._mechanism(linkage, sitting, t0, t1):
                spans.append(span)
                found += self._set(span, windows, singly, t0, t1)
        for span in spans:
            found += self._among_rides(span, rides, singly, t0, t1)
        for one, two in combinations(spans, 2):
            if one.lo < two.hi and two.lo < one.hi and (one.linkage is None or one.linkage is not two.linkage):
                found += self._across(one, two)
        found += self._straight(rides, singly, t0, t1)
        return found

    def forget(self, gone: set[LiveBody]) -> None:
        """Lets go of what is kept for bodies that have left the cell."""
        self._narrowing.forget(gone)
        for remembered in (self._known, self._rests):
            for key in [key for key, found in remembered.items() if any(t.body in gone for t in found[0].stretches)]:
                del remembered[key]

    # ---------------------------------------------------------------- mechanisms, section by section

    def _mechanism(
        self, linkage: Linkage, sitting: list[Stretch], t0: int, t1: int
    ) -> Iterator[tuple[Span, list[Found]]]:
        parts = list(pieces(linkage, t0, t1))
        missing = {
            (linkage, trajectory.content, section): (trajectory, section)
            for trajectory, section, _, _ in parts
            if section is not None and (linkage, trajectory.content, section) not in self._courses
        }
        if missing:
            if len(self._courses) > _REMEMBERED:
                self._courses.clear()
                self._known.clear()
            self._courses.update(zip(missing, courses(linkage, list(missing.values())), strict=True))
        guests = [stretch for stretch in sitting if _guest(stretch)]
        owned = [stretch for stretch in sitting if stretch not in guests]
        for trajectory, section, lo, hi in parts:
            own = [stretch for stretch in owned if stretch.lo < hi and lo < stretch.hi]
            here = [*own, *(stretch for stretch in guests if stretch.lo < hi and lo < stretch.hi)]
            if not here:
                continue
            if section is None:
                flight, start, course = None, lo, pause(linkage, lo, 0, hi - lo)
            else:
                flight, start = Flight(linkage, trajectory, section), trajectory.start
                known = self._courses.get((linkage, trajectory.content, section))
                course = known or courses(linkage, [(trajectory, section)])[0]
            windows: list[Found] = []
            if own:
                span, windows = self._remembered(linkage, flight, start, course, own, lo, hi)
            if len(own) < len(here):  # what is carried sits elsewhere each time: looked at by itself
                company = self._company(flight, course, here, len(own))
                span = Span(company.envelope, start, lo, hi, tuple(here), linkage, flight)
                windows = windows + self._fixed(span, company.met, company.pairs)
            yield span, windows

    def _company(self, flight: Flight | None, course: Course, here: list[Stretch], first: int) -> Company:
        """What sits on a mechanism, and what those from a number on meet: as it was found for others nearly there."""
        ways = [stretch.way for stretch in here if isinstance(stretch.way, OnLink)]
        offsets = tuple(way.offset for way in ways)
        alike: list[Company] = []
        if flight is not None:
            shapes = tuple(
                (way.link, stretch.body.shape and stretch.body.shape.key)
                for way, stretch in zip(ways, here, strict=True)
            )
            where = flight.linkage, flight.trajectory.content, flight.section, ways[0].base
            key = (*where, self.census.standing.version, first, shapes)
            if len(self._companies) > _REMEMBERED:
                self._companies.clear()
            alike = self._companies.setdefault(key, [])
            for known in alike:
                if all(
                    moved(was, now, stretch.body.extent) <= ELSEWHERE
                    for was, now, stretch in zip(known.offsets, offsets, here, strict=True)
                ):
                    return known
        envelope = perched(course, here, self.margin)
        made = Company(offsets, envelope, self._met(envelope, first), cull.among_themselves(envelope, first))
        alike.append(made)
        del alike[:-_ALIKE]
        return made

    def _met(self, envelope: Envelope, first: int = 0) -> list[tuple[int, int]]:
        standing = self.census.standing
        if not len(standing):
            return []
        if self._cover.version != standing.version:
            self._cover = Cover(standing)
        return cull.among_standing(envelope, standing, self._cover, first)

    def _remembered(
        self, linkage: Linkage, flight: Flight | None, start: int, course: Course, own: list[Stretch], lo: int, hi: int
    ) -> tuple[Span, list[Found]]:
        """What the mechanism itself does and meets in a section of a trajectory, or while it rests."""
        # When each is there belongs to what is remembered, if not all of the time: bodies never there together
        # were not compared.
        times = tuple((max(stretch.lo - lo, 0), min(stretch.hi, hi) - lo) for stretch in own)
        whole = all(time == (0, hi - lo) for time in times)
        ways = tuple((stretch.lineage, stretch.way) for stretch in own)
        held = None if whole else (lo - start, times)
        what = (hi - lo, *linkage.joints(lo)) if flight is None else (flight.trajectory.content, flight.section)
        key = (what, self.census.standing.version, ways, held)
        known, most = (self._rests, _RESTS) if flight is None else (self._known, _REMEMBERED)
        found = known.pop(key, None)
        if found is None:
            if len(known) >= most:
                del known[next(iter(known))]
            envelope = perched(course, own, self.margin)
            span = Span(envelope, start, lo, hi, tuple(own), linkage, flight)
            found = (envelope, self._fixed(span, self._met(envelope), cull.among_themselves(envelope)))
        known[key] = found  # as the last: those not asked for longest go first
        envelope, windows = found
        return Span(envelope, start, lo, hi, tuple(own), linkage, flight), windows

    def _fixed(self, span: Span, met: list[tuple[int, int]], pairs: list[tuple[int, int]]) -> list[Found]:
        """Among fixtures, and among the bodies of the envelope itself: what depends on the motion's content alone."""
        standing, found = self.census.standing, list[Found]()
        for number, row in met:
            stretch, body = span.stretches[number], standing.bodies[row]
            t = max(span.lo, stretch.lo)
            near = self.watch.near(stretch.lineage, lineage(body, t), t)
            if near is not None:
                doubts = self._past(span, number, body, standing.rides[row].pose, near)
                found += [(lo, hi, number, body, closing) for lo, hi, closing in doubts]
        for i, j in pairs:
            a, b = span.stretches[i], span.stretches[j]
            t = max(a.lo, b.lo)
            if a.body is not b.body and t < min(a.hi, b.hi):
                near = self.watch.near(a.lineage, b.lineage, t)
                if near is not None:
                    found += [(lo, hi, i, j, closing) for lo, hi, closing in self._beside(span, i, j, near)]
        return found

    def _pose(self, span: Span, number: int, t: int) -> Pose:
        """Where a body of a span is, ``t`` after its start."""
        stretch = span.stretches[number]
        if span.flight is not None and isinstance(stretch.way, OnLink):
            return span.flight.pose(stretch.way, t)
        return span.envelope.pose(0, number) if span.rests else self.world.pose(stretch.body, span.start + t)

    def _past(self, span: Span, number: int, body: LiveBody, pose: Pose, near: float) -> list[Doubt]:
        """When a body of an envelope may be within the margin of one that stands."""
        envelope, stretch, margin = span.envelope, span.stretches[number], max(near, APART)

        def cells() -> list[Doubt]:
            return _cells(envelope, cull.cells_at(envelope, number, body, pose), envelope.speeds[:, number])

        if span.flight is not None and isinstance(stretch.way, OnLink):
            return self._narrowing.recall(span.flight, stretch.body, stretch.way, body, pose, margin, cells)
        if span.linkage is None:
            return self._narrowing.clear(
                stretch.body, body, cells(), margin, lambda t: (self._pose(span, number, t), pose)
            )
        apart = self._narrowing.at_rest(stretch.body, self._pose(span, number, 0), body, pose)
        return _throughout(envelope) if apart <= margin + SURE else []

    def _beside(self, span: Span, i: int, j: int, near: float) -> list[Doubt]:
        """When two bodies of an envelope may be within the margin of each other: both sit on its mechanism."""
        envelope, margin, a, b = span.envelope, max(near, APART), span.stretches[i], span.stretches[j]
        one, other = a.way, b.way
        if not isinstance(one, OnLink) or not isinstance(other, OnLink):
            raise WorldError(f"{a.body.name!r} and {b.body.name!r} do not sit on one mechanism")
        if one.link == other.link:  # they do not move against each other
            apart = self._narrowing.at_rest(a.body, one.offset, b.body, other.offset)
        elif span.flight is not None:

            def cells() -> list[Doubt]:
                return _cells(envelope, cull.cells_of(envelope, i, j), envelope.closing(i, j))

            return self._narrowing.recall(span.flight, a.body, one, b.body, other, margin, cells)
        else:
            apart = self._narrowing.at_rest(a.body, self._pose(span, i, 0), b.body, self._pose(span, j, 0))
        return _throughout(envelope) if apart <= margin + SURE else []

    def _set(
        self, span: Span, windows: list[Found], singly: dict[LiveBody, None], t0: int, t1: int
    ) -> Iterator[Window]:
        """What was found for a motion's content, set into the time it takes place in."""
        for lo, hi, number, partner, closing in windows:
            a = span.stretches[number]
            if isinstance(partner, int):
                b = span.stretches[partner]
            elif partner in singly:
                continue  # changed: looked at by itself
            else:
                b = Stretch(partner, t0, t1, lineage(partner, t0), None)
            begin, end = max(lo + span.start, span.lo, a.lo, b.lo), min(hi + span.start, span.hi, a.hi, b.hi)
            if begin < end:
                yield Window(begin, end, a, b, closing)

    # ---------------------------------------------------------------- envelopes and rides, two envelopes, two rides

    def _among_rides(
        self, span: Span, rides: list[Stretch], singly: dict[LiveBody, None], t0: int, t1: int
    ) -> Iterator[Window]:
        envelope = span.envelope
        lower, upper = envelope.box
        riding = self.census.riding
        near_by = [*rides, *self._tracks(riding, riding.meeting(lower, upper, span.lo, span.hi), singly, t0, t1)]
        for number, index, cells in cull.among_rides(envelope, span.start, near_by):
            a, b = span.stretches[number], near_by[index]
            ride, first, last = b.way, max(a.lo, b.lo, span.lo), min(a.hi, b.hi, span.hi)
            if not isinstance(ride, Linear) or first >= last:
                continue
            near = self.watch.near(a.lineage, b.lineage, first)
            if near is None:
                continue
            if ride.stands(first, last):
                doubts = self._past(span, number, b.body, ride.at(first), near)
            else:

                def places(t: int, number: int = number, ride: Linear = ride) -> tuple[Pose, Pose]:
                    return self._pose(span, number, t), ride.at(span.start + t)

                met = _cells(envelope, cells, envelope.speeds[:, number] + math.hypot(*ride.velocity))
                doubts = self._narrowing.clear(a.body, b.body, met, max(near, APART), places)
            yield from _windows(doubts, span.start, first, last, a, b)

    def _across(self, one: Span, two: Span) -> Iterator[Window]:
        meetings: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for cell, i, another, j in cull.across(one.envelope, one.start, two.envelope, two.start):
            meetings.setdefault((i, j), []).append((cell, another))
        for (i, j), cells in meetings.items():
            a, b = one.stretches[i], two.stretches[j]
            first, last = max(one.lo, two.lo, a.lo, b.lo), min(one.hi, two.hi, a.hi, b.hi)
            near = self.watch.near(a.lineage, b.lineage, first) if first < last and a.body is not b.body else None
            if near is None:
                continue
            if two.rests:
                doubts, start = self._past(one, i, b.body, self._pose(two, j, 0), near), one.start
            elif one.rests:
                doubts, start = self._past(two, j, a.body, self._pose(one, i, 0), near), two.start
            else:
                doubts, start = list(self._both(one, i, two, j, cells, max(near, APART))), 0
            yield from _windows(doubts, start, first, last, a, b)

    def _both(
        self, one: Span, i: int, two: Span, j: int, cells: list[tuple[int, int]], margin: float
    ) -> Iterator[Doubt]:
        """What the distances in the middles of their cells leave of the time in which two bodies both move."""
        a, b = one.envelope, two.envelope
        for cell, another in cells:
            lo = max(int(a.lo[cell]) + one.start, int(b.lo[another]) + two.start)
            hi = min(int(a.hi[cell]) + one.start, int(b.hi[another]) + two.start)
            middles = [(int(each.lo[at]) + int(each.hi[at])) // 2 for each, at in ((a, cell), (b, another))]
            apart = self._narrowing.distance(
                one.stretches[i].body,
                self._pose(one, i, middles[0]),
                two.stretches[j].body,
                self._pose(two, j, middles[1]),
            )
            # Each where it is in the middle of its own cell: at different instants.
            speeds = float(a.speeds[cell, i]), float(b.speeds[another, j])
            for speed, middle, start in zip(speeds, middles, (one.start, two.start), strict=True):
                apart -= speed * max(abs(lo - start - middle), abs(hi - start - middle)) * SECOND
            if apart <= margin + SURE:
                yield lo, hi, sum(speeds)

    def _straight(self, rides: list[Stretch], singly: dict[LiveBody, None], t0: int, t1: int) -> Iterator[Window]:
        """What rides, or changed in this time, against what rides or stands: no cells are needed."""
        riding, standing = self.census.riding, self.census.standing
        all_rows = np.arange(len(riding))
        going = riding.loose()
        movers = [*rides, *self._tracks(riding, all_rows[going], singly, t0, t1)]
        if not movers:
            return
        lower, upper = cull.boxes(movers)
        lower, upper = lower - self.margin, upper + self.margin
        pairs: list[tuple[Stretch, Stretch]] = []
        around = lower.min(axis=0), upper.max(axis=0)
        for columns, (low, high) in ((standing, standing.standing_boxes()), (riding, riding.boxes(t0, t1))):
            rows = cull.within(low, high, *around)
            if columns is riding:
                rows = rows[~going[rows]]
            for i, j in cull.overlapping(lower, upper, low[rows], high[rows]):
                pairs += [(movers[i], each) for each in self._tracks(columns, rows[j : j + 1], singly, t0, t1)]
        pairs += [(movers[i], movers[j]) for i, j in cull.overlapping(lower, upper, *cull.boxes(movers)) if i < j]
        for a, b in pairs:
            lo, hi = max(a.lo, b.lo), min(a.hi, b.hi)
            one, two = a.way, b.way
            if lo >= hi or a.body is b.body or not isinstance(one, Linear) or not isinstance(two, Linear):
                continue
            near = self.watch.near(a.lineage, b.lineage, lo)
            if near is None:
                continue
            cuts = {t for way in (one, two) for t in (way.start, way.end) if lo < t < hi}
            for begin, end in pairwise([lo, *sorted(cuts), hi]):
                closing = math.dist(*(way.velocity if way.start <= begin < way.end else _STILL for way in (one, two)))
                if not closing:
                    apart = self._narrowing.at_rest(a.body, one.at(begin), b.body, two.at(begin))
                    if apart > max(near, APART) + SURE:
                        continue
                yield Window(begin, end, a, b, closing)

    def _tracks(
        self, columns: BallTable, rows: NDArray[np.intp], singly: dict[LiveBody, None], t0: int, t1: int
    ) -> Iterator[Stretch]:
        for row in rows.tolist():
            body = columns.bodies[row]
            if body not in singly:
                yield Stretch(body, t0, t1, lineage(body, t0), columns.rides[row])


def _farthest(envelope: Envelope, cell: int, start: int, lo: int, hi: int) -> float:
    """How many seconds the instants lo ≤ t < hi are at most from the middle of a cell."""
    middle = start + (int(envelope.lo[cell]) + int(envelope.hi[cell])) // 2
    return max(abs(lo - middle), abs(hi - middle)) * SECOND


def _guest(stretch: Stretch) -> bool:
    """Whether a body may sit elsewhere on a mechanism each time: a part that is held, and the jaws that hold it."""
    motions = (each.segment(stretch.lo).motion for each in stretch.lineage)
    nearest = next((motion.linkage for motion in motions if isinstance(motion, LinkMotion)), None)
    return stretch.body.part or not isinstance(stretch.way, OnLink) or nearest is not stretch.way.linkage


def _cells(envelope: Envelope, cells: list[int], speeds: Array) -> list[Doubt]:
    """Some cells of an envelope, with how fast a pair can close in each."""
    return list(zip(envelope.lo[cells].tolist(), envelope.hi[cells].tolist(), speeds[cells].tolist(), strict=True))


def _throughout(envelope: Envelope) -> list[Doubt]:
    """All the time there is, of two that do not move against each other."""
    return [(int(envelope.lo[0]), int(envelope.hi[-1]), 0.0)]


def _windows(doubts: Iterable[Doubt], start: int, first: int, last: int, a: Stretch, b: Stretch) -> Iterator[Window]:
    """Doubts that count from ``start``, as far as they are between two instants."""
    for lo, hi, closing in doubts:
        begin, end = max(lo + start, first), min(hi + start, last)
        if begin < end:
            yield Window(begin, end, a, b, closing)
