"""Collision monitors: observers that look back over an interval and report who touched whom, where and when."""

from collections.abc import Callable, Iterable

from drycell.base import WorldError
from drycell.kernel import Kernel, Rank, Timer, Track
from drycell.world.body import LiveBody, lineage
from drycell.world.collision_rules import CollisionRules, WatchedPairs, Who
from drycell.world.distance_sampling import AttachmentTimes, observe
from drycell.world.motion import SECOND
from drycell.world.motion_piece import changed
from drycell.world.pair_state import APART, Collision, NearMiss, Observation, Pair, PairTracker
from drycell.world.scene import Scene
from drycell.world.window_search import WindowSearch
from drycell.world.world import World

GRID = 1_000  # ticks: how finely contact is located in time
_CHUNK = 20_000_000  # ticks looked at in one go: long enough for numpy, short enough for memory
_PATIENCE = 20_000_000  # ticks let pass before looking back
_AHEAD = 2_000_000  # ticks looked ahead at a time, to stop at a collision


class CollisionMonitor:
    """Watches pairs of bodies for contact and near misses, looking back; the world is never stepped.

    The distance of every watched pair counts at the instants of a 1 ms grid: a contact begins at the first instant at
    which they touch (1e-9 m) and ends at the first at which they do not; a near miss is a pass within the near-miss
    distance without contact. What can be ruled out is not computed; results are as if everything were. Silent are:
    allowed pairs; bodies fixed to each other, or one carried by the other; neighbours in a mechanism; and pairs that
    touch when the monitor starts or when one of them is attached, until they are first 1 mm apart.

    With a ``cycle`` pairs are looked at once a cycle, and every cycle at which they interfere is a collision of its own
    (EMULA's way). With ``stop`` the run ends at the first collision, which takes looking ahead at every change of
    motion. :class:`CollisionRules` says what the other arguments mean.
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
        self._tracker = PairTracker(self._grid, self._scene.closest, self._watched, self, each_cycle=cycle is not None)
        self._started = self.checked
        self._attachments = AttachmentTimes(self._scene, self._started)
        self._closed = False
        self._findings: list[tuple[int, str, str, str, dict[str, object]]] = []
        self._stop: StopAtCollision | None = None
        if stop:
            self._stop = StopAtCollision(self, kernel)
        world.subscribe(self._note)
        kernel.add_observer(self)

    @property
    def checked(self) -> int:
        """Everything before this instant has been looked at."""
        return self._checked

    @checked.setter
    def checked(self, t: int) -> None:
        self._checked = self._kernel.tracks.checked = t

    # ---------------------------------------------------------------- looking back

    def settle(self, until: int) -> None:
        """Looks at all that happened before ``until``. When it is called does not change what it finds."""
        if until > self.checked:
            self._look(until)
        if not self._kernel.running and until == self.world.now > 0:
            self.close()

    def close(self) -> None:
        """Ends the watch: the present instant is looked at, too, and passes that still go on are reported."""
        if not self._closed:
            self._closed = True
            self._look(self.world.now + 1)
            self._tracker.close(self.world.now)
            self._publish()

    def look_closely(self) -> None:
        """Measures what it would look back for later: for whoever lets go of the past."""
        self._tracker.look_closely()

    def _note(self, body: LiveBody) -> None:
        # Not for the results: so that little is kept, and looked at while it is fresh.
        if self.world.now - self.checked >= _PATIENCE and not self._closed:
            self._look(self.world.now)
        if self._stop is not None:
            self._stop.void()

    def _look(self, until: int) -> None:
        broad_phase = self._search.broad_phase
        broad_phase.refresh()
        if self.checked == self._started:
            broad_phase.discard_unchanged(self._started)  # how the cell was set up is no change
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

    def foresee(self, end: int) -> Collision | None:
        """The first collision before ``end`` as everything moves now; everything up to now is looked at first."""
        now = self.world.now
        self._look(now)
        self._attachments.open(self._search.broad_phase.changed)
        self._search.broad_phase.refresh()
        return self._tracker.preview(self.observe(now, end))

    def observe(self, start: int, end: int) -> dict[Pair, list[Observation]]:
        """Every watched pair within the margin at the instants of the grid in ``start`` ≤ t < ``end``."""
        windows = self._search.windows(start, end, self._search.broad_phase.changed)
        return observe(self._scene, self._watched_pairs, self._attachments, windows, self._grid, self._tracker.states)

    def _watched(self, a: LiveBody, b: LiveBody, t: int) -> bool:
        if not (a.exists(t) and b.exists(t)):
            return False
        return self._watched_pairs.near(lineage(a, t), lineage(b, t), t) is not None

    # ---------------------------------------------------------------- reporting

    def began(self, collision: Collision) -> None:
        """Two bodies touch."""
        self._fresh[0].append(collision)
        self._late(collision.time, "collision", collision, point_m=collision.point, depth_m=collision.depth)

    def ended(self, collision: Collision) -> None:
        """They are apart again."""
        if collision.end is not None:
            lasted = (collision.end - collision.time) * SECOND
            self._late(collision.end, "collision over", collision, lasted_s=lasted, depth_m=collision.depth)

    def missed(self, miss: NearMiss) -> None:
        """Two bodies have passed each other too near."""
        self._fresh[1].append(miss)
        one, two = miss.points
        when = miss.time * SECOND
        self._late(miss.end, "near miss", miss, nearest_s=when, distance_m=miss.distance, point_m=one, to_m=two)

    def _late(self, time: int, kind: str, what: Collision | NearMiss, **fields: object) -> None:
        self._findings.append((time, kind, what.a, what.b, fields))

    def _publish(self) -> None:
        """Puts findings in an order that does not depend on how the interval was divided."""
        touched, missed = self._fresh
        for collision in sorted(touched, key=lambda collision: (collision.time, collision.a, collision.b)):
            self.collisions.append(collision.time, collision)
        for miss in sorted(missed, key=lambda miss: (miss.end, miss.a, miss.b)):
            self.near_misses.append(miss.end, miss)  # when it is over, it is known for one
        touched.clear()
        missed.clear()
        for time, kind, a, b, fields in sorted(self._findings, key=lambda finding: finding[:4]):
            self._kernel.journal.late(time, kind, self.name, a=a, b=b, **fields)
        self._findings.clear()


class StopAtCollision:
    """Ends a run at the first collision, foreseen anew whenever a motion changes."""

    def __init__(self, monitor: CollisionMonitor, kernel: Kernel) -> None:
        self._monitor, self._kernel = monitor, kernel
        self._timer: Timer | None = None
        self._due = -1
        self.void()

    def void(self) -> None:
        """What was foreseen no longer holds: look again once this instant's changes are made."""
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
        collision = self._monitor.foresee(end)
        if collision is None:
            self._set(end, self._look)
        else:
            self._set(
                collision.time, lambda: self._kernel.end("stopped", f"collision of {collision.a} with {collision.b}")
            )
