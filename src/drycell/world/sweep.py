"""The sweep: which pairs of bodies may have been near one another, and when. A rigorous cull over a stretch of time.

What moves is wrapped in envelopes (envelope.py) or rides straight. What the balls do not rule out, a distance in the
middle of the cell may; what is left are windows of time, to be looked at exactly. Motions that come again, among
fixtures that stay, are looked up by their content.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from drycell.errors import WorldError
from drycell.geometry import Placed
from drycell.geometry.gap import gap
from drycell.spatial import Array, Pose
from drycell.world import cull
from drycell.world.body import Body
from drycell.world.census import Census
from drycell.world.columns import Columns
from drycell.world.cull import Cover
from drycell.world.envelope import SECTION, Course, Envelope, courses, other, pause, perched
from drycell.world.linkage import Linkage
from drycell.world.motion import SECOND
from drycell.world.rules import Watch
from drycell.world.track import Perch, Ride, Track, lineage, tracks
from drycell.world.trajectory import JointTrajectory
from drycell.world.world import World

_REMEMBERED = 2048  # sections of trajectories
_SURE = 1e-7  # metres: more than batches and the distance engine err together


@dataclass(frozen=True, slots=True)
class Window:
    """A pair that may be within the margin during ``lo`` ≤ t < ``hi``, and how fast it can close at most."""

    lo: int
    hi: int
    a: Track
    b: Track
    closing: float


@dataclass(frozen=True, slots=True)
class _Span:
    """An envelope set into time: its times count from ``start``; the part from ``lo`` to ``hi`` is meant."""

    envelope: Envelope
    start: int
    lo: int
    hi: int
    tracks: tuple[Track, ...]


# What was found for a section of a trajectory: relative times, a track's number, another's or a fixture, closing speed.
_Found = tuple[int, int, int, int | Body, float]


class Sweep:
    """Finds the windows. ``margin`` is how near is of interest."""

    def __init__(self, world: World, watch: Watch, margin: float) -> None:
        self.world, self.watch, self.margin = world, watch, margin
        self.census = Census(world)
        self._placed: dict[Body, Placed] = {}
        self._courses: dict[tuple[Linkage, bytes, int], Course] = {}
        self._known: dict[tuple[object, ...], tuple[Envelope, list[_Found]]] = {}
        self._cover = Cover(self.census.standing)

    def windows(self, t0: int, t1: int, changed: Iterable[Body]) -> list[Window]:
        """All windows in ``t0`` ≤ t < ``t1``, given the bodies that changed then."""
        singly = {body: None for body in (*self.census.others, *changed) if body.shape is not None and not body.hole}
        perches: dict[tuple[Linkage, Pose], list[Track]] = {}
        rides: list[Track] = []
        spans: list[_Span] = []
        for body in singly:
            for track in tracks(body, t0, t1):
                if isinstance(track.way, Perch):
                    perches.setdefault((track.way.linkage, track.way.base), []).append(track)
                elif isinstance(track.way, Ride):
                    rides.append(track)
                else:
                    for envelope in other(self.world, track, self.margin):
                        spans.append(_Span(envelope, 0, track.lo, track.hi, (track,)))
        found: list[Window] = []
        for span in spans:
            found += self._set(span, self._fixed(span), singly, t0, t1)
        for (linkage, _), sitting in perches.items():
            for span, windows in self._mechanism(linkage, sitting, t0, t1):
                spans.append(span)
                found += self._set(span, windows, singly, t0, t1)
        for span in spans:
            found += self._among_rides(span, rides, singly, t0, t1)
        for one, two in combinations(spans, 2):
            if one.lo < two.hi and two.lo < one.hi:
                found += self._across(one, two)
        found += self._straight(rides, singly, t0, t1)
        return found

    def forget(self, gone: set[Body]) -> None:
        """Lets go of what is kept for bodies that have left the cell."""
        for body in gone:
            self._placed.pop(body, None)
        self._known = {
            key: known for key, known in self._known.items() if not any(t.body in gone for t in known[0].tracks)
        }

    # ---------------------------------------------------------------- mechanisms, section by section

    def _mechanism(
        self, linkage: Linkage, sitting: list[Track], t0: int, t1: int
    ) -> Iterator[tuple[_Span, list[_Found]]]:
        pieces = list(_pieces(linkage, t0, t1))
        missing = {
            (linkage, trajectory.content, section): (trajectory, section)
            for trajectory, section, _, _ in pieces
            if section is not None and (linkage, trajectory.content, section) not in self._courses
        }
        if missing:
            if len(self._courses) > _REMEMBERED:
                self._courses.clear()
                self._known.clear()
            self._courses.update(zip(missing, courses(linkage, list(missing.values())), strict=True))
        for trajectory, section, lo, hi in pieces:
            here = sorted(
                (track for track in sitting if track.lo < hi and lo < track.hi), key=lambda track: track.body.part
            )
            if not here:
                continue
            if section is None:
                envelope = perched(pause(linkage, lo, lo, hi), here, self.margin)
                span = _Span(envelope, 0, lo, hi, tuple(here))
                yield span, self._fixed(span)
                continue
            course = self._courses.get((linkage, trajectory.content, section))
            course = course or courses(linkage, [(trajectory, section)])[0]
            own = [track for track in here if not track.body.part]
            span, windows = self._remembered(trajectory, section, course, own, lo, hi)
            if len(own) < len(here):  # a part that is carried is new each time: looked at by itself
                envelope = perched(course, here, self.margin)
                span = _Span(envelope, trajectory.start, lo, hi, tuple(here))
                windows = windows + self._fixed(span, len(own))
            yield span, windows

    def _remembered(
        self, trajectory: JointTrajectory, section: int, course: Course, own: list[Track], lo: int, hi: int
    ) -> tuple[_Span, list[_Found]]:
        """What the mechanism itself does and meets in a section of a trajectory."""
        # When each is there belongs to what is remembered, if not all of the time: bodies never there together
        # were not compared.
        times = tuple((max(track.lo - lo, 0), min(track.hi, hi) - lo) for track in own)
        whole = all(time == (0, hi - lo) for time in times)
        ways = tuple((track.lineage, track.way) for track in own)
        held = None if whole else (lo - trajectory.start, times)
        key = (trajectory.content, section, self.census.standing.version, ways, held)
        if key not in self._known:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            envelope = perched(course, own, self.margin)
            self._known[key] = (envelope, self._fixed(_Span(envelope, trajectory.start, lo, hi, tuple(own))))
        envelope, windows = self._known[key]
        return _Span(envelope, trajectory.start, lo, hi, tuple(own)), windows

    def _fixed(self, span: _Span, first: int = 0) -> list[_Found]:
        """Among fixtures, and among the bodies of the envelope itself: what depends on the motion's content alone.

        Only of the tracks from a number on, and the pairs they are in.
        """
        envelope, standing, found = span.envelope, self.census.standing, list[_Found]()
        if len(standing):
            if self._cover.version != standing.version:
                self._cover = Cover(standing)
            for number, row, cells in cull.among_standing(envelope, standing, self._cover, first):
                track, body = span.tracks[number], standing.bodies[row]
                t = max(span.lo, track.lo)
                if self.watch.near(track.lineage, lineage(body, t), t) is not None:
                    self._place(body, standing.rides[row].pose)
                    windows = self._narrow(envelope, number, cells, body, None, envelope.speeds[:, number])
                    found += [(lo, hi, number, body, closing) for lo, hi, closing in windows]
        for i, j, cells in cull.among_themselves(envelope, list(self._watched_pairs(span.tracks, first))):
            if _as_one(span.tracks[i], span.tracks[j]):
                found += [(lo, hi, i, j, 0.0) for lo, hi in self._together(envelope, i, j, cells)]
                continue

            def middle(cell: int, track: int = j) -> Pose:
                return envelope.pose(cell, track)

            windows = self._narrow(envelope, i, cells, span.tracks[j].body, middle, envelope.closing(i, j))
            found += [(lo, hi, i, j, closing) for lo, hi, closing in windows]
        return found

    def _watched_pairs(self, here: Sequence[Track], first: int) -> Iterator[tuple[int, int]]:
        for (i, a), (j, b) in combinations(enumerate(here), 2):
            if j < first:
                continue
            t = max(a.lo, b.lo)
            if a.body is not b.body and t < min(a.hi, b.hi) and self.watch.near(a.lineage, b.lineage, t) is not None:
                yield i, j

    def _narrow(
        self,
        envelope: Envelope,
        number: int,
        cells: list[int],
        other_body: Body,
        other_pose: Callable[[int], Pose] | None,
        speeds: Array,
    ) -> list[tuple[int, int, float]]:
        """Of the cells in which balls meet, those that the distance in the middle of the cell does not clear."""
        body = envelope.tracks[number].body
        found: list[tuple[int, int, float]] = []
        free, until = 0.0, -1  # known to be farther apart than this, at this time
        lows, highs = envelope.lo[cells].tolist(), envelope.hi[cells].tolist()
        for cell, lo, hi, closing in zip(cells, lows, highs, speeds[cells].tolist(), strict=True):
            if lo == until and free > closing * (hi - lo) * SECOND:
                free, until = free - closing * (hi - lo) * SECOND, hi
                continue
            if other_pose is not None:
                self._place(other_body, other_pose(cell))
            apart = gap(self._place(body, envelope.pose(cell, number)), self._placed[other_body])
            free, until = apart - self.margin - _SURE - closing * (hi - lo + 1) * 0.5 * SECOND, hi
            if free <= 0.0:
                found.append((lo, hi, closing))
                until = -1
        return found

    def _together(self, envelope: Envelope, i: int, j: int, cells: list[int]) -> list[tuple[int, int]]:
        """Cells in which two bodies that do not move against each other are of interest: all in a row, or none."""
        one = self._place(envelope.tracks[i].body, envelope.pose(cells[0], i))
        if gap(one, self._place(envelope.tracks[j].body, envelope.pose(cells[0], j))) > self.margin + _SURE:
            return []
        starts = [cells[0], *(cell for before, cell in pairwise(cells) if cell != before + 1)]
        ends = [*(before for before, cell in pairwise(cells) if cell != before + 1), cells[-1]]
        return [(int(envelope.lo[a]), int(envelope.hi[b])) for a, b in zip(starts, ends, strict=True)]

    def _place(self, body: Body, pose: Pose) -> Placed:
        placed = self._placed.get(body)
        if placed is None or placed.shape is not body.shape:
            if body.shape is None:
                raise WorldError(f"{body.name!r} has no shape to look at")
            placed = self._placed[body] = Placed(body.shape, pose)
        else:
            placed.place(pose)
        return placed

    def _set(self, span: _Span, windows: list[_Found], singly: dict[Body, None], t0: int, t1: int) -> Iterator[Window]:
        """What was found for a motion's content, set into the time it takes place in."""
        for lo, hi, number, partner, closing in windows:
            a = span.tracks[number]
            if isinstance(partner, int):
                b = span.tracks[partner]
            elif partner in singly:
                continue  # changed: looked at by itself
            else:
                b = Track(partner, t0, t1, lineage(partner, t0), None)
            begin, end = max(lo + span.start, span.lo, a.lo, b.lo), min(hi + span.start, span.hi, a.hi, b.hi)
            if begin < end:
                yield Window(begin, end, a, b, closing)

    # ---------------------------------------------------------------- envelopes and rides, two envelopes, two rides

    def _among_rides(
        self, span: _Span, rides: list[Track], singly: dict[Body, None], t0: int, t1: int
    ) -> Iterator[Window]:
        envelope = span.envelope
        lower, upper = envelope.box
        riding = self.census.riding
        near = [*rides, *self._tracks(riding, riding.meeting(lower, upper, span.lo, span.hi), singly, t0, t1)]
        for number, index, cells in cull.among_rides(envelope, span.start, near):
            a, b = span.tracks[number], near[index]
            t = max(a.lo, b.lo, span.lo)
            if t >= min(a.hi, b.hi, span.hi) or self.watch.near(a.lineage, b.lineage, t) is None:
                continue
            ride = b.way
            if not isinstance(ride, Ride):
                continue

            def middle(cell: int, ride: Ride = ride) -> Pose:
                t = span.start + (int(envelope.lo[cell]) + int(envelope.hi[cell])) // 2
                x, y, z = cull.ridden(ride, (0.0, 0.0, 0.0), t)
                return ride.pose.moved(x, y, z)

            speeds = envelope.speeds[:, number] + math.hypot(*ride.velocity)
            for lo, hi, closing in self._narrow(envelope, number, cells, b.body, middle, speeds):
                begin = max(lo + span.start, span.lo, a.lo, b.lo)
                end = min(hi + span.start, span.hi, a.hi, b.hi)
                if begin < end:
                    yield Window(begin, end, a, b, closing)

    def _across(self, one: _Span, two: _Span) -> Iterator[Window]:
        a, b = one.envelope, two.envelope
        for cell, i, another, j in cull.across(a, one.start, b, two.start):
            x, y = one.tracks[i], two.tracks[j]
            lo = max(int(a.lo[cell]) + one.start, int(b.lo[another]) + two.start, one.lo, two.lo, x.lo, y.lo)
            hi = min(int(a.hi[cell]) + one.start, int(b.hi[another]) + two.start, one.hi, two.hi, x.hi, y.hi)
            if lo < hi and x.body is not y.body and self.watch.near(x.lineage, y.lineage, lo) is not None:
                yield Window(lo, hi, x, y, float(a.speeds[cell, i] + b.speeds[another, j]))

    def _straight(self, rides: list[Track], singly: dict[Body, None], t0: int, t1: int) -> Iterator[Window]:
        """What rides, or changed in this time, against what rides or stands: no cells are needed."""
        riding, standing = self.census.riding, self.census.standing
        all_rows = np.arange(len(riding))
        going = riding.loose()
        movers = [*rides, *self._tracks(riding, all_rows[going], singly, t0, t1)]
        if not movers:
            return
        lower, upper = cull.boxes(movers)
        lower, upper = lower - self.margin, upper + self.margin
        pairs: list[tuple[Track, Track]] = []
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
            if lo >= hi or a.body is b.body or self.watch.near(a.lineage, b.lineage, lo) is None:
                continue
            ways = [way for way in (a.way, b.way) if isinstance(way, Ride)]
            cuts = {t for way in ways for t in (way.start, way.end) if lo < t < hi}
            for begin, end in pairwise([lo, *sorted(cuts), hi]):
                one, two = (way.velocity if way.start <= begin < way.end else (0.0, 0.0, 0.0) for way in ways)
                yield Window(begin, end, a, b, math.dist(one, two))

    def _tracks(
        self, columns: Columns, rows: NDArray[np.intp], singly: dict[Body, None], t0: int, t1: int
    ) -> Iterator[Track]:
        for row in rows.tolist():
            body = columns.bodies[row]
            if body not in singly:
                yield Track(body, t0, t1, lineage(body, t0), columns.rides[row])


def _as_one(a: Track, b: Track) -> bool:
    """Whether two bodies sit on one link of a mechanism, as what is held and the jaws do."""
    one, other = a.way, b.way
    return (
        isinstance(one, Perch) and isinstance(other, Perch) and one.linkage is other.linkage and one.link == other.link
    )


def _pieces(linkage: Linkage, t0: int, t1: int) -> Iterator[tuple[JointTrajectory, int | None, int, int]]:
    """The sections of trajectories, and the pauses between (section None), that fill ``t0``…``t1``."""
    held = linkage.trajectories(t0, t1 - 1)
    ends = [min(each.start, t1) for each in held[1:]] + [t1]
    begin = t0
    for trajectory, end in zip(held, ends, strict=True):
        start, stop = min(max(trajectory.start, begin), end), min(max(trajectory.end, begin), end)
        if begin < start:
            yield trajectory, None, begin, start
        for section in range((start - trajectory.start) // SECTION, -(-(stop - trajectory.start) // SECTION)):
            lo = max(start, trajectory.start + section * SECTION)
            hi = min(stop, trajectory.start + (section + 1) * SECTION)
            if lo < hi:
                yield trajectory, section, lo, hi
        if stop < end:
            yield trajectory, None, stop, end
        begin = end
