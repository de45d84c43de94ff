"""Collision monitors: check past intervals and report which bodies touched, where and when."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from drycell.base import WorldError, format_length
from drycell.kernel import Kernel, Rank, Timer, Track
from drycell.world.body import LiveBody, chain, lineage
from drycell.world.collision_rules import CollisionRules, WatchedPairs, Who, root
from drycell.world.distance_sampling import AttachmentTimes, observe
from drycell.world.linkage import LinkMotion
from drycell.world.motion import SECOND
from drycell.world.motion_piece import changed
from drycell.world.pair_state import APART, AT_REST, Collision, NearMiss, Observation, Pair, PairTracker
from drycell.world.scene import Scene
from drycell.world.window_search import WindowSearch
from drycell.world.world import World

GRID = 1_000  # ticks: the resolution of contacts in time
_CHUNK = 20_000_000  # ticks checked in one step: long enough for numpy, short enough for memory
_MOST_UNCHECKED = 20_000_000  # the largest number of unchecked ticks
_AHEAD = 2_000_000  # ticks of one prediction step, to stop at a collision


class CollisionMonitor:
    """Checks pairs of bodies for collisions and near misses, after the fact; the world is never stepped.

    Distances of watched pairs are evaluated on a 1 ms grid. A collision begins at the first instant at
    which two bodies touch (1e-9 m) and ends at the first at which they do not; a part must overlap by more than 1e-6 m,
    because parts are placed on things. A near miss is a pass within the clearance without contact. Skipping distances
    that cannot matter does not change the results. These pairs are not reported: allowed pairs; bodies fixed to each
    other, or one carried by the other; neighbours in a mechanism; and pairs that touch when the monitor starts or when
    one of them is attached, until they are first 1 mm apart.

    Args:
        world: the world.
        kernel: the kernel of the run.
        pairs: the pairs to check; see :class:`CollisionRules` for this and the next four.
        but: bodies that are not checked.
        allow: pairs that may touch.
        clearance: closer passes are near misses, in metres.
        clearances: the clearance of single pairs.
        cycle: check once per cycle of this many ticks, and report every cycle with an overlap as a collision, as EMULA
            does.
        stop: end the run at the first collision. This requires a prediction at every change of motion.
        name: the name in the journal.
    """

    def __init__(
        self,
        world: World,
        kernel: Kernel,
        *,
        pairs: Iterable[tuple[Who, Who]] | None = None,
        but: Iterable[Who] = (),
        allow: Iterable[tuple[Who, Who]] = (),
        clearance: float = 0.0,
        clearances: Iterable[tuple[Who, Who, float]] = (),
        cycle: int | None = None,
        stop: bool = False,
        name: str = "collision",
    ) -> None:
        if cycle is not None and cycle < 1:
            raise WorldError(f"{name}: the cycle must be 1 µs or more, not {cycle} µs")
        named = None if pairs is None else tuple(pairs)
        self.rules = CollisionRules(named, tuple(but), tuple(allow), clearance, tuple(clearances))
        self.rules.check(world)
        self.name, self.world, self.cycle, self.stops = name, world, cycle, stop
        self.collisions: Track[Collision] = kernel.tracks.new("collisions", name)
        self.near_misses: Track[NearMiss] = kernel.tracks.new("near misses", name)
        self._fresh: tuple[list[Collision], list[NearMiss]] = [], []
        self._kernel = kernel
        self.checked = world.now
        self._grid = cycle or GRID
        self._scene = Scene(world)
        self._watched_pairs = WatchedPairs(self.rules)
        self._search = WindowSearch(world, self._watched_pairs, max(self.rules.farthest, APART))
        for body in world.bodies.values():
            self._widen(body)
        self._tracker = PairTracker(self._grid, self._scene.closest, self._watched, self, each_cycle=cycle is not None)
        self._started = self.checked
        self._attachments = AttachmentTimes(self._scene, self._started)
        self._closed = False
        self._overlapping: dict[tuple[LiveBody, LiveBody], int] = {}
        self._findings: list[tuple[int, str, str, str, dict[str, object]]] = []
        self._stop: StopAtCollision | None = None
        if stop:
            self._stop = StopAtCollision(self, kernel)
        world.subscribe(self._note)
        kernel.add_observer(self)

    def _widen(self, body: LiveBody) -> None:
        """Widen the search so that it covers the clearance between two bodies whose real surfaces deviate as much as
        this one's."""
        if body.deviation and self.rules.farthest:
            self._search.margin = max(self._search.margin, self.rules.farthest + 2.0 * body.deviation)

    @property
    def checked(self) -> int:
        """Everything before this instant has been checked."""
        return self._checked

    @checked.setter
    def checked(self, t: int) -> None:
        self._checked = self._kernel.tracks.checked = t

    def overlaps(self) -> list[tuple[float, LiveBody, LiveBody]]:
        """Return the watched pairs that overlap now and can move, each with its depth, the deepest first."""
        t, found = self.world.now, list[tuple[float, LiveBody, LiveBody]]()
        for a in self.world.bodies.values():
            if a.shape is None or a.hole:
                continue
            for near in self._scene.clearances([a], 0.0, t):
                b = near.b
                if a.name < b.name and near.distance < -AT_REST and self._may_collide(a, b, t):
                    found.append((-near.distance, a, b))
        return sorted(found, key=lambda each: (-each[0], each[1].name, each[2].name))

    def warn_of_overlaps(self) -> None:
        """Warn of watched pairs that overlap now and can move: they are not reported until they separate."""
        found = self.overlaps()
        self._overlapping = {(a, b): _changes(a, b) for _, a, b in found}
        if found:
            shown = [f"{a.name} – {b.name} ({format_length(depth, 1)} deep)" for depth, a, b in found]
            pairs = "1 pair overlaps" if len(found) == 1 else f"{len(found)} pairs overlap"
            text = f"{pairs} at the start, which is not reported until they separate: {_some(shown)}"
            self._kernel.warn(self.name, text)

    def remarks(self) -> Iterator[str]:
        """Yield what a run did not report: pairs that have overlapped since the start, although one of the two
        moved."""
        inside = {frozenset(pair) for pair, state in self._tracker.states.items() if state.silent}
        found = [
            f"{a.name} – {b.name}"
            for (a, b), before in self._overlapping.items()
            if frozenset((a, b)) in inside and _changes(a, b) != before
        ]
        if found:
            pairs = "1 pair" if len(found) == 1 else f"{len(found)} pairs"
            what = f"{pairs} overlapped during the whole run while a robot or body of the pair moved"
            yield f"{what}, unchecked: {_some(found)}"

    # ---------------------------------------------------------------- checking the past

    def settle(self, until: int) -> None:
        """Check everything before ``until``. The time of the call does not change the results."""
        if until > self.checked:
            self._look(until)
        if not self._kernel.running and until == self.world.now > 0:
            self.close()

    def close(self) -> None:
        """End the checks: include the current instant, and report passes that are still going on."""
        if not self._closed:
            self._closed = True
            self._look(self.world.now + 1)
            self._tracker.close(self.world.now)
            self._publish()

    def look_closely(self) -> None:
        """Measure everything that needs the past, before the past is dropped."""
        self._tracker.look_closely()

    def _note(self, body: LiveBody) -> None:
        self._widen(body)
        # This saves memory and does not affect the results.
        if self.world.now - self.checked >= _MOST_UNCHECKED and not self._closed:
            self._look(self.world.now)
        if self._stop is not None:
            self._stop.void()

    def _look(self, until: int) -> None:
        broad_phase = self._search.broad_phase
        broad_phase.refresh()
        if self.checked == self._started:
            broad_phase.discard_unchanged(self._started)  # building the cell does not count as a change
        self._attachments.open(broad_phase.changed)
        for start in range(self.checked, until, _CHUNK):
            end = min(start + _CHUNK, until)
            for pair, seen in self.observe(start, end).items():
                self._tracker.take(pair, seen)
            self._tracker.settle(end)
            self._publish()
        self.checked = until
        gone = {body for body in broad_phase.changed if body.gone < until}
        if gone:
            self._watched_pairs.forget(gone)
            self._search.forget(gone)
            for body in gone:
                self._scene.forget(body)
        for body in list(broad_phase.changed):
            if body in gone or changed(body) < until:
                del broad_phase.changed[body]

    def foresee(self, end: int) -> list[Collision]:
        """The collisions that begin before ``end`` if no motion changes, in chronological order. Everything up to now
        is checked first."""
        now = self.world.now
        self._look(now)
        self._attachments.open(self._search.broad_phase.changed)
        self._search.broad_phase.refresh()
        return self._tracker.preview(self.observe(now, end))

    def observe(self, start: int, end: int) -> dict[Pair, list[Observation]]:
        """Observe the watched pairs within the margin at the grid instants in ``start`` ≤ t < ``end``."""
        windows = self._search.windows(start, end, self._search.broad_phase.changed)
        return observe(self._scene, self._watched_pairs, self._attachments, windows, self._grid, self._tracker.states)

    def _may_collide(self, a: LiveBody, b: LiveBody, t: int) -> bool:
        """Whether the pair will be watched as soon as one of the two moves."""
        carriers_a, carriers_b = lineage(a, t), lineage(b, t)
        if root(carriers_a, t) is not None or root(carriers_b, t) is not None:
            return self._watched(a, b, t)
        loose = (a.part or b.part) and a not in carriers_b and b not in carriers_a
        return loose and self.rules.near(carriers_a, carriers_b) is not None

    def _watched(self, a: LiveBody, b: LiveBody, t: int) -> bool:
        if not (a.exists(t) and b.exists(t)):
            return False
        return self._watched_pairs.near(lineage(a, t), lineage(b, t), t) is not None

    # ---------------------------------------------------------------- reporting

    def began(self, collision: Collision) -> None:
        """Report the start of a collision."""
        self._fresh[0].append(collision)
        self._late(collision.time, "collision", collision, point_m=collision.point, depth_m=collision.depth)

    def ended(self, collision: Collision) -> None:
        """Report the end of a collision."""
        if collision.end is not None:
            lasted = (collision.end - collision.time) * SECOND
            self._late(collision.end, "collision over", collision, lasted_s=lasted, depth_m=collision.depth)

    def missed(self, miss: NearMiss) -> None:
        """Report a near miss."""
        self._fresh[1].append(miss)
        one, two = miss.points
        when = miss.time * SECOND
        self._late(miss.end, "near miss", miss, nearest_s=when, distance_m=miss.distance, point_m=one, to_m=two)

    def _late(self, time: int, kind: str, what: Collision | NearMiss, **fields: object) -> None:
        self._findings.append((time, kind, what.a, what.b, fields))

    def _publish(self) -> None:
        """Write the findings in an order that does not depend on how the interval was divided."""
        touched, missed = self._fresh
        for collision in sorted(touched, key=lambda collision: (collision.time, collision.a, collision.b)):
            self.collisions.append(collision.time, collision)
        for miss in sorted(missed, key=lambda miss: (miss.end, miss.a, miss.b)):
            self.near_misses.append(miss.end, miss)  # known only once the pass is over
        touched.clear()
        missed.clear()
        for time, kind, a, b, fields in sorted(self._findings, key=lambda finding: finding[:4]):
            self._kernel.journal.late(time, kind, self.name, a=a, b=b, **fields)
        self._findings.clear()


def _some(found: Sequence[str]) -> str:
    return ", ".join([*found[:3], *([f"{len(found) - 3} more"] if len(found) > 3 else [])])


def _changes(a: LiveBody, b: LiveBody) -> int:
    """How often either of two bodies has changed its motion in a way that the other did not share."""
    tracks = set[Track[Any]]()
    for body in (a, b):
        own: set[Track[Any]] = {each.history for each in lineage(body)}
        own |= {each.motion.linkage.history for each in chain(body) if isinstance(each.motion, LinkMotion)}
        tracks ^= own
    return sum(track.rows for track in tracks)


class StopAtCollision:
    """Ends a run at the first collision, which is predicted again whenever a motion changes."""

    def __init__(self, monitor: CollisionMonitor, kernel: Kernel) -> None:
        self._monitor, self._kernel = monitor, kernel
        self._timer: Timer | None = None
        self._due = -1
        self.void()

    def void(self) -> None:
        """Discard the prediction, and predict again after all changes of this instant."""
        now = self._monitor.world.now
        if self._due != now:
            self._due = now
            self._set(now, self._look)

    def _set(self, time: int, action: Callable[[], None]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._kernel.at(time, action, Rank.DEVICE, self._monitor.name, writes=())

    def _look(self) -> None:
        self._due = -1
        end = self._monitor.world.now + _AHEAD
        collisions = self._monitor.foresee(end)
        if not collisions:
            self._set(end, self._look)
        else:
            first = collisions[0]
            self._set(first.time, lambda: self._kernel.end("stopped", f"collision of {first.a} with {first.b}"))
