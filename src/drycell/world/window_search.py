"""Window search: a rigorous cull that finds the pairs of bodies that may be close to each other, and when.

Moving bodies are enclosed in swept balls, or move in a straight line. Where the balls meet, distances narrow the time
further (bisection.py). In the remaining windows of time, the distance is sampled (distance_sampling.py). Results of
repeated motions among unchanged fixtures are cached by the content of the motion.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from drycell.base import Array, Pose, WorldError
from drycell.world import swept_balls
from drycell.world.bisection import ERROR_BOUND, Bisection, Candidate, TrajectorySection, displacement
from drycell.world.body import LiveBody, lineage
from drycell.world.broad_phase import BallTable, BroadPhase
from drycell.world.collision_rules import WatchedPairs
from drycell.world.linkage import Linkage, LinkMotion
from drycell.world.motion import SECOND
from drycell.world.motion_piece import Linear, MotionPiece, OnLink, motion_pieces
from drycell.world.pair_state import APART
from drycell.world.swept_balls import (
    SAME_PLACE,
    FixtureBalls,
    LinkSamples,
    SweptBalls,
    any_motion,
    link_samples,
    on_links,
    resting_samples,
    sections,
)
from drycell.world.world import World

# A result for a section of a trajectory: relative times, index of a piece, index of another or a fixture, closing
# speed.
Found = tuple[int, int, int, int | LiveBody, float]
_REMEMBERED = 2048  # sections of trajectories
_RESTS = 64  # recent pauses of mechanisms: their durations rarely repeat
_ALIKE = 24  # cached positions of carried bodies per section
_STILL = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Window:
    """A pair that may be within the margin during ``lo`` ≤ t < ``hi``, and the largest closing speed."""

    lo: int
    hi: int
    a: MotionPiece
    b: MotionPiece
    closing: float


@dataclass(frozen=True, slots=True)
class SweptInterval:
    """Swept balls with a start time: their times count from ``start``, and the part from ``lo`` to ``hi`` is used.

    A mechanism follows a ``section`` of a trajectory, or is at rest.
    """

    swept: SweptBalls
    start: int
    lo: int
    hi: int
    pieces: tuple[MotionPiece, ...]
    linkage: Linkage | None = None
    section: TrajectorySection | None = None

    @property
    def rests(self) -> bool:
        """Whether everything in it is at rest."""
        return self.linkage is not None and self.section is None


@dataclass(frozen=True, slots=True)
class CarriedBodies:
    """The bodies on a mechanism in a section of a trajectory, their poses on the links, and the pairs that meet."""

    offsets: tuple[Pose, ...]
    swept: SweptBalls
    met: list[tuple[int, int]]  # piece, row of a fixture
    pairs: list[tuple[int, int]]


class WindowSearch:
    """Finds the windows in which watched pairs may be closer than ``margin`` metres."""

    def __init__(self, world: World, watch: WatchedPairs, margin: float) -> None:
        self.world, self.watch, self.margin = world, watch, margin
        self.broad_phase = BroadPhase(world, records_changes=True)
        self._bisection = Bisection()
        self._samples: dict[tuple[Linkage, bytes, int], LinkSamples] = {}
        self._known: dict[tuple[object, ...], tuple[SweptBalls, list[Found]]] = {}
        self._rests: dict[tuple[object, ...], tuple[SweptBalls, list[Found]]] = {}
        self._carried: dict[tuple[object, ...], list[CarriedBodies]] = {}
        self._fixtures = FixtureBalls(self.broad_phase.standing)

    def windows(self, t0: int, t1: int, changed: Iterable[LiveBody]) -> list[Window]:
        """All windows in ``t0`` ≤ t < ``t1``, given the bodies that changed then."""
        alone = {
            body: None for body in (*self.broad_phase.others, *changed) if body.shape is not None and not body.hole
        }
        on_mechanisms: dict[tuple[Linkage, Pose], list[MotionPiece]] = {}
        movers: list[MotionPiece] = []
        intervals: list[SweptInterval] = []
        for body in alone:
            for piece in motion_pieces(body, t0, t1):
                if isinstance(piece.path, OnLink):
                    on_mechanisms.setdefault((piece.path.linkage, piece.path.base), []).append(piece)
                elif isinstance(piece.path, Linear):
                    movers.append(piece)
                else:
                    for swept in any_motion(self.world, piece, self.margin):
                        intervals.append(SweptInterval(swept, 0, piece.lo, piece.hi, (piece,)))
        found: list[Window] = []
        for interval in intervals:
            found += self._set(interval, self._fixed(interval, self._met(interval.swept), []), alone, t0, t1)
        for (linkage, _), sitting in on_mechanisms.items():
            for interval, windows in self._mechanism(linkage, sitting, t0, t1):
                intervals.append(interval)
                found += self._set(interval, windows, alone, t0, t1)
        for interval in intervals:
            found += self._among_linear(interval, movers, alone, t0, t1)
        for one, two in combinations(intervals, 2):
            if one.lo < two.hi and two.lo < one.hi and (one.linkage is None or one.linkage is not two.linkage):
                found += self._across(one, two)
        found += self._two_linear(movers, alone, t0, t1)
        return found

    def forget(self, gone: set[LiveBody]) -> None:
        """Discard the stored data of bodies that have left the cell."""
        self._bisection.forget(gone)
        for remembered in (self._known, self._rests):
            for key in [key for key, found in remembered.items() if any(t.body in gone for t in found[0].pieces)]:
                del remembered[key]

    # ---------------------------------------------------------------- mechanisms, section by section

    def _mechanism(
        self, linkage: Linkage, sitting: list[MotionPiece], t0: int, t1: int
    ) -> Iterator[tuple[SweptInterval, list[Found]]]:
        parts = list(sections(linkage, t0, t1))
        missing = {
            (linkage, trajectory.content, index): (trajectory, index)
            for trajectory, index, _, _ in parts
            if index is not None and (linkage, trajectory.content, index) not in self._samples
        }
        if missing:
            if len(self._samples) > _REMEMBERED:
                self._samples.clear()
                self._known.clear()
            self._samples.update(zip(missing, link_samples(linkage, list(missing.values())), strict=True))
        carried_along = [piece for piece in sitting if _is_carried(piece)]
        owned = [piece for piece in sitting if piece not in carried_along]
        for trajectory, index, lo, hi in parts:
            own = [piece for piece in owned if piece.lo < hi and lo < piece.hi]
            here = [*own, *(piece for piece in carried_along if piece.lo < hi and lo < piece.hi)]
            if not here:
                continue
            if index is None:
                section, start, samples = None, lo, resting_samples(linkage, lo, 0, hi - lo)
            else:
                section, start = TrajectorySection(linkage, trajectory, index), trajectory.start
                known = self._samples.get((linkage, trajectory.content, index))
                samples = known or link_samples(linkage, [(trajectory, index)])[0]
            windows: list[Found] = []
            if own:
                interval, windows = self._remembered(linkage, section, start, samples, own, lo, hi)
            if len(own) < len(here):  # a carried body is at a different place each time, so it is checked separately
                carried = self._carried_with(section, samples, here, len(own))
                interval = SweptInterval(carried.swept, start, lo, hi, tuple(here), linkage, section)
                windows = windows + self._fixed(interval, carried.met, carried.pairs)
            yield interval, windows

    def _carried_with(
        self, section: TrajectorySection | None, samples: LinkSamples, here: list[MotionPiece], first: int
    ) -> CarriedBodies:
        """The bodies on a mechanism, and what those from a given index meet; reused for bodies nearby."""
        paths = [piece.path for piece in here if isinstance(piece.path, OnLink)]
        offsets = tuple(path.offset for path in paths)
        alike: list[CarriedBodies] = []
        if section is not None:
            shapes = tuple(
                (path.link, piece.body.shape and piece.body.shape.key) for path, piece in zip(paths, here, strict=True)
            )
            where = section.linkage, section.trajectory.content, section.index, paths[0].base
            key = (*where, self.broad_phase.standing.version, first, shapes)
            if len(self._carried) > _REMEMBERED:
                self._carried.clear()
            alike = self._carried.setdefault(key, [])
            for known in alike:
                if all(
                    displacement(was, now, piece.body.extent) <= SAME_PLACE
                    for was, now, piece in zip(known.offsets, offsets, here, strict=True)
                ):
                    return known
        swept = on_links(samples, here, self.margin)
        made = CarriedBodies(offsets, swept, self._met(swept, first), swept_balls.among_themselves(swept, first))
        alike.append(made)
        del alike[:-_ALIKE]
        return made

    def _met(self, swept: SweptBalls, first: int = 0) -> list[tuple[int, int]]:
        standing = self.broad_phase.standing
        if not len(standing):
            return []
        if self._fixtures.version != standing.version:
            self._fixtures = FixtureBalls(standing)
        return swept_balls.among_standing(swept, standing, self._fixtures, first)

    def _remembered(
        self,
        linkage: Linkage,
        section: TrajectorySection | None,
        start: int,
        samples: LinkSamples,
        own: list[MotionPiece],
        lo: int,
        hi: int,
    ) -> tuple[SweptInterval, list[Found]]:
        """The motion of the mechanism itself, and what it meets, in a section of a trajectory or at rest."""
        # Bodies that are not always present are stored with their times: bodies never present together were not
        # compared.
        times = tuple((max(piece.lo - lo, 0), min(piece.hi, hi) - lo) for piece in own)
        whole = all(time == (0, hi - lo) for time in times)
        paths = tuple((piece.lineage, piece.path) for piece in own)
        held = None if whole else (lo - start, times)
        what = (hi - lo, *linkage.joints(lo)) if section is None else (section.trajectory.content, section.index)
        key = (what, self.broad_phase.standing.version, paths, held)
        known, most = (self._rests, _RESTS) if section is None else (self._known, _REMEMBERED)
        found = known.pop(key, None)
        if found is None:
            if len(known) >= most:
                del known[next(iter(known))]
            swept = on_links(samples, own, self.margin)
            interval = SweptInterval(swept, start, lo, hi, tuple(own), linkage, section)
            found = (swept, self._fixed(interval, self._met(swept), swept_balls.among_themselves(swept)))
        known[key] = found  # moved to the end: the least recently used entries are dropped first
        swept, windows = found
        return SweptInterval(swept, start, lo, hi, tuple(own), linkage, section), windows

    def _fixed(self, interval: SweptInterval, met: list[tuple[int, int]], pairs: list[tuple[int, int]]) -> list[Found]:
        """Results for fixtures and for pairs of swept bodies, which depend on the content of the motion only."""
        standing, found = self.broad_phase.standing, list[Found]()
        for number, row in met:
            piece, body = interval.pieces[number], standing.bodies[row]
            t = max(interval.lo, piece.lo)
            near = self.watch.near(piece.lineage, lineage(body, t), t)
            if near is not None:
                candidates = self._past_fixed(interval, number, body, standing.motions[row].pose, near)
                found += [(lo, hi, number, body, closing) for lo, hi, closing in candidates]
        for i, j in pairs:
            a, b = interval.pieces[i], interval.pieces[j]
            t = max(a.lo, b.lo)
            if a.body is not b.body and t < min(a.hi, b.hi):
                near = self.watch.near(a.lineage, b.lineage, t)
                if near is not None:
                    found += [(lo, hi, i, j, closing) for lo, hi, closing in self._beside(interval, i, j, near)]
        return found

    def _pose(self, interval: SweptInterval, number: int, t: int) -> Pose:
        """The pose of a swept body, ``t`` ticks after its start."""
        piece = interval.pieces[number]
        if interval.section is not None and isinstance(piece.path, OnLink):
            return interval.section.pose(piece.path, t)
        return interval.swept.pose(0, number) if interval.rests else self.world.pose(piece.body, interval.start + t)

    def _past_fixed(
        self, interval: SweptInterval, number: int, body: LiveBody, pose: Pose, near: float
    ) -> list[Candidate]:
        """The times at which a swept body may be within the margin of a body at rest."""
        swept, piece, margin = interval.swept, interval.pieces[number], max(near, APART)

        def cells() -> list[Candidate]:
            return _cells(swept, swept_balls.cells_at(swept, number, body, pose), swept.speeds[:, number])

        if interval.section is not None and isinstance(piece.path, OnLink):
            return self._bisection.remembered(interval.section, piece.body, piece.path, body, pose, margin, cells)
        if interval.linkage is None:
            return self._bisection.unclear(
                piece.body, body, cells(), margin, lambda t: (self._pose(interval, number, t), pose)
            )
        apart = self._bisection.at_rest(piece.body, self._pose(interval, number, 0), body, pose)
        return _throughout(swept) if apart <= margin + ERROR_BOUND else []

    def _beside(self, interval: SweptInterval, i: int, j: int, near: float) -> list[Candidate]:
        """The times at which two swept bodies on one mechanism may be within the margin of each other."""
        swept, margin, a, b = interval.swept, max(near, APART), interval.pieces[i], interval.pieces[j]
        one, other = a.path, b.path
        if not isinstance(one, OnLink) or not isinstance(other, OnLink):
            raise WorldError(f"{a.body.name!r} and {b.body.name!r} are not on one mechanism")
        if one.link == other.link:  # no relative motion
            apart = self._bisection.at_rest(a.body, one.offset, b.body, other.offset)
        elif interval.section is not None:

            def cells() -> list[Candidate]:
                return _cells(swept, swept_balls.cells_of(swept, i, j), swept.closing(i, j))

            return self._bisection.remembered(interval.section, a.body, one, b.body, other, margin, cells)
        else:
            apart = self._bisection.at_rest(a.body, self._pose(interval, i, 0), b.body, self._pose(interval, j, 0))
        return _throughout(swept) if apart <= margin + ERROR_BOUND else []

    def _set(
        self, interval: SweptInterval, windows: list[Found], alone: dict[LiveBody, None], t0: int, t1: int
    ) -> Iterator[Window]:
        """Windows from the cached results for the content of a motion, at the times at which the motion happens."""
        for lo, hi, number, partner, closing in windows:
            a = interval.pieces[number]
            if isinstance(partner, int):
                b = interval.pieces[partner]
            elif partner in alone:
                continue  # changed: checked separately
            else:
                b = MotionPiece(partner, t0, t1, lineage(partner, t0), None)
            begin, end = (
                max(lo + interval.start, interval.lo, a.lo, b.lo),
                min(hi + interval.start, interval.hi, a.hi, b.hi),
            )
            if begin < end:
                yield Window(begin, end, a, b, closing)

    # ---------------------------------------------------------------- swept and linear, two swept, two linear

    def _among_linear(
        self, interval: SweptInterval, movers: list[MotionPiece], alone: dict[LiveBody, None], t0: int, t1: int
    ) -> Iterator[Window]:
        swept = interval.swept
        lower, upper = swept.box
        riding = self.broad_phase.riding
        near_by = [*movers, *self._rows(riding, riding.meeting(lower, upper, interval.lo, interval.hi), alone, t0, t1)]
        for number, index, cells in swept_balls.among_linear(swept, interval.start, near_by):
            a, b = interval.pieces[number], near_by[index]
            path, first, last = b.path, max(a.lo, b.lo, interval.lo), min(a.hi, b.hi, interval.hi)
            if not isinstance(path, Linear) or first >= last:
                continue
            near = self.watch.near(a.lineage, b.lineage, first)
            if near is None:
                continue
            if path.stands(first, last):
                candidates = self._past_fixed(interval, number, b.body, path.at(first), near)
            else:

                def places(t: int, number: int = number, path: Linear = path) -> tuple[Pose, Pose]:
                    return self._pose(interval, number, t), path.at(interval.start + t)

                met = _cells(swept, cells, swept.speeds[:, number] + math.hypot(*path.velocity))
                candidates = self._bisection.unclear(a.body, b.body, met, max(near, APART), places)
            yield from _windows(candidates, interval.start, first, last, a, b)

    def _across(self, one: SweptInterval, two: SweptInterval) -> Iterator[Window]:
        meetings: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for cell, i, another, j in swept_balls.across(one.swept, one.start, two.swept, two.start):
            meetings.setdefault((i, j), []).append((cell, another))
        for (i, j), cells in meetings.items():
            a, b = one.pieces[i], two.pieces[j]
            first, last = max(one.lo, two.lo, a.lo, b.lo), min(one.hi, two.hi, a.hi, b.hi)
            near = self.watch.near(a.lineage, b.lineage, first) if first < last and a.body is not b.body else None
            if near is None:
                continue
            if two.rests:
                candidates, start = self._past_fixed(one, i, b.body, self._pose(two, j, 0), near), one.start
            elif one.rests:
                candidates, start = self._past_fixed(two, j, a.body, self._pose(one, i, 0), near), two.start
            else:
                candidates, start = list(self._both(one, i, two, j, cells, max(near, APART))), 0
            yield from _windows(candidates, start, first, last, a, b)

    def _both(
        self, one: SweptInterval, i: int, two: SweptInterval, j: int, cells: list[tuple[int, int]], margin: float
    ) -> Iterator[Candidate]:
        """The cells of two moving bodies that are not cleared by the distance in the middle of the cells."""
        a, b = one.swept, two.swept
        for cell, another in cells:
            lo = max(int(a.lo[cell]) + one.start, int(b.lo[another]) + two.start)
            hi = min(int(a.hi[cell]) + one.start, int(b.hi[another]) + two.start)
            middles = [(int(each.lo[at]) + int(each.hi[at])) // 2 for each, at in ((a, cell), (b, another))]
            apart = self._bisection.distance(
                one.pieces[i].body,
                self._pose(one, i, middles[0]),
                two.pieces[j].body,
                self._pose(two, j, middles[1]),
            )
            # Each body is in the middle of its own cell, so the instants differ.
            speeds = float(a.speeds[cell, i]), float(b.speeds[another, j])
            for speed, middle, start in zip(speeds, middles, (one.start, two.start), strict=True):
                apart -= speed * max(abs(lo - start - middle), abs(hi - start - middle)) * SECOND
            if apart <= margin + ERROR_BOUND:
                yield lo, hi, sum(speeds)

    def _two_linear(self, movers: list[MotionPiece], alone: dict[LiveBody, None], t0: int, t1: int) -> Iterator[Window]:
        """Compare linear motions and changed bodies with linear motions and bodies at rest, without cells."""
        riding, standing = self.broad_phase.riding, self.broad_phase.standing
        all_rows = np.arange(len(riding))
        going = riding.loose()
        movers = [*movers, *self._rows(riding, all_rows[going], alone, t0, t1)]
        if not movers:
            return
        lower, upper = swept_balls.boxes(movers)
        lower, upper = lower - self.margin, upper + self.margin
        pairs: list[tuple[MotionPiece, MotionPiece]] = []
        around = lower.min(axis=0), upper.max(axis=0)
        for columns, (low, high) in ((standing, standing.standing_boxes()), (riding, riding.boxes(t0, t1))):
            rows = swept_balls.within(low, high, *around)
            if columns is riding:
                rows = rows[~going[rows]]
            for i, j in swept_balls.overlapping(lower, upper, low[rows], high[rows]):
                pairs += [(movers[i], each) for each in self._rows(columns, rows[j : j + 1], alone, t0, t1)]
        pairs += [
            (movers[i], movers[j])
            for i, j in swept_balls.overlapping(lower, upper, *swept_balls.boxes(movers))
            if i < j
        ]
        for a, b in pairs:
            lo, hi = max(a.lo, b.lo), min(a.hi, b.hi)
            one, two = a.path, b.path
            if lo >= hi or a.body is b.body or not isinstance(one, Linear) or not isinstance(two, Linear):
                continue
            near = self.watch.near(a.lineage, b.lineage, lo)
            if near is None:
                continue
            cuts = {t for path in (one, two) for t in (path.start, path.end) if lo < t < hi}
            for begin, end in pairwise([lo, *sorted(cuts), hi]):
                closing = math.dist(
                    *(path.velocity if path.start <= begin < path.end else _STILL for path in (one, two))
                )
                if not closing:
                    apart = self._bisection.at_rest(a.body, one.at(begin), b.body, two.at(begin))
                    if apart > max(near, APART) + ERROR_BOUND:
                        continue
                yield Window(begin, end, a, b, closing)

    def _rows(
        self, columns: BallTable, rows: NDArray[np.intp], alone: dict[LiveBody, None], t0: int, t1: int
    ) -> Iterator[MotionPiece]:
        for row in rows.tolist():
            body = columns.bodies[row]
            if body not in alone:
                yield MotionPiece(body, t0, t1, lineage(body, t0), columns.motions[row])


def _is_carried(piece: MotionPiece) -> bool:
    """Whether a body may be at a different place on a mechanism each time: a held part, and the jaws that hold it."""
    motions = (each.segment(piece.lo).motion for each in piece.lineage)
    nearest = next((motion.linkage for motion in motions if isinstance(motion, LinkMotion)), None)
    return piece.body.part or not isinstance(piece.path, OnLink) or nearest is not piece.path.linkage


def _cells(swept: SweptBalls, cells: list[int], speeds: Array) -> list[Candidate]:
    """The given cells, each with the closing speed of a pair."""
    return list(zip(swept.lo[cells].tolist(), swept.hi[cells].tolist(), speeds[cells].tolist(), strict=True))


def _throughout(swept: SweptBalls) -> list[Candidate]:
    """The whole time as one cell, for two bodies without relative motion."""
    return [(int(swept.lo[0]), int(swept.hi[-1]), 0.0)]


def _windows(
    candidates: Iterable[Candidate], start: int, first: int, last: int, a: MotionPiece, b: MotionPiece
) -> Iterator[Window]:
    """Windows from candidates whose times count from ``start``, limited to an interval."""
    for lo, hi, closing in candidates:
        begin, end = max(lo + start, first), min(hi + start, last)
        if begin < end:
            yield Window(begin, end, a, b, closing)
