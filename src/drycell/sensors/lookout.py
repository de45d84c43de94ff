"""The lookout: until when nothing that a sensor sees can change.

A sensor sees what is in a ball about it. As long as everything there stands, relative to a sensor that stands, its
reading stays what it is; what moves elsewhere cannot be there before the distance over the closing speed. The lookout
knows of every sensor how long that holds, and shortens it when a change of the world says so: one changed body against
all sensors at once, in columns.
"""

import math
from collections.abc import Iterator, Sequence, Set
from typing import Final, Protocol

import numpy as np

from drycell.base import Array
from drycell.sensors.arrival import arrivals, closings, lengths, near_arrivals, near_gaps, ride_arrivals
from drycell.sensors.courses import Courses
from drycell.sensors.cover import Reach
from drycell.sensors.mover import SLACK, Mover
from drycell.world import ALWAYS, FOREVER, SECOND, BallTable, LiveBody, Scene, Ticks, lineage, linear_motion, rests_from

_WINDOW: Final = 500_000  # ticks that a sensor which moves looks ahead
_FELT: Final = 0.1  # metres about all that hangs on a force sensor


class Watch(Protocol):
    """A sensor, as the lookout sees it."""

    body: LiveBody
    uneasy: bool
    """Whether its reading changes when it moves, whatever is near it."""

    @property
    def swing(self) -> float:
        """How far from its body's origin the middle of any ball of its reach is, at most."""

    def place(self, t: int) -> Reach:
        """Where it sees at an instant."""

    def hanging(self, t: int) -> Sequence[LiveBody] | None:
        """What hangs on it, if that is what it feels with."""

    @property
    def ignored(self) -> Set[LiveBody]:
        """What it never sees."""

    def stir(self, t: int) -> None:
        """From an instant on it may see something else than it did."""


class Lookout:
    """Until when each sensor of a world sees what it sees."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self._world, self._broad_phase = scene, scene.world, scene.broad_phase
        self._watches: list[Watch] = []
        self._rows: dict[Watch, int] = {}
        self._mounts: dict[LiveBody, list[int]] = {}
        # Where each sensor's ball is while it sleeps, and until when; the past for one that is awake.
        self._centres: Array = np.zeros((64, 3))
        self._reaches: Array = np.zeros(64)
        self._until: Ticks = np.full(64, ALWAYS, dtype=np.int64)
        self._within: dict[LiveBody, dict[int, None]] = {}  # who sleeps with a body in its ball
        self._inside: list[list[LiveBody]] = []
        self._close: list[tuple[Array, Array] | None] = []  # the balls that hold closely what one that stands can see
        self._keepers: list[LiveBody | None] = []  # what kept each awake the last time
        self._courses = Courses(scene.world)
        self._movers: dict[LiveBody, Mover] = {}
        self._known = (-1, FOREVER)  # version of the census, and when the first mover comes to rest
        self._horizon = FOREVER  # from when on nothing is known of some mover
        self._swept: tuple[list[Mover], Array, Array] = ([], np.zeros((0, 3)), np.zeros(0))
        self._ridden: tuple[int, Array, Ticks, Ticks] = (-1, np.zeros((0, 3)), self._until[:0], self._until[:0])
        self._world.subscribe(self._changed)
        self._world.subscribe_materials(self._looks_different)

    def enter(self, watch: Watch) -> None:
        """Takes a sensor in, awake."""
        row = self._rows[watch] = len(self._watches)
        self._watches.append(watch)
        self._inside.append([])
        self._close.append(None)
        self._keepers.append(None)
        self._mounts.setdefault(watch.body, []).append(row)
        if row == len(self._reaches):
            self._centres = np.concatenate((self._centres, np.zeros_like(self._centres)))
            self._reaches = np.concatenate((self._reaches, np.zeros_like(self._reaches)))
            self._until = np.concatenate((self._until, np.full_like(self._until, ALWAYS)))

    def dismiss(self, watch: Watch) -> None:
        """A sensor need not be told of anything until it asks again."""
        self._awake(self._rows[watch])

    def rest(self, watch: Watch, t: int) -> int:
        """Until when a sensor that has just looked sees what it saw: ``t`` if nothing can be said, FOREVER if always.

        It is told if something changes before.
        """
        row = self._rows[watch]
        self._awake(row)
        reach = watch.place(t)
        moves = rests_from(watch.body) > t
        keeper = self._keepers[row]
        if keeper is not None and keeper.exists(t) and (moves or rests_from(keeper) > t) and len(reach.radii):
            mover = self._mover(keeper, t)
            if mover.gap(reach, t) <= 0.0 and not (moves and watch.hanging(t)):
                return t
        self._keepers[row] = None
        self._broad_phase.refresh()
        if moves:
            until, farther = self._moving(watch, row, t, reach)
        else:
            until, farther = self._standing(watch, row, t, reach), 0.0
        until = min(until, self._horizon)
        if until > t:
            self._until[row] = until
            self._centres[row] = reach.centre
            self._reaches[row] = reach.radius + farther + SLACK
            self._close[row] = None if farther or not len(reach.radii) else (reach.centres, reach.radii + SLACK)
            self._inside[row] += watch.hanging(t) or ()
            for body in self._inside[row]:
                self._within.setdefault(body, {})[row] = None
        else:
            self._inside[row] = []
        return until

    # ---------------------------------------------------------------- one sensor, all bodies

    def _standing(self, watch: Watch, row: int, t: int, reach: Reach) -> int:
        """Until when nothing moves within a reach that stands; what stands in it is kept, to be told of its changes."""
        if not len(reach.radii):
            return FOREVER
        inside, ignored = self._inside[row], watch.ignored
        fixed, riding = self._broad_phase.standing, self._broad_phase.riding
        if fixed.bodies:
            inside += [fixed.bodies[k] for k in fixed.near(reach.centre, reach.radius + SLACK, t).tolist()]
        until = float(FOREVER)
        if riding.bodies:
            velocities, starts, ends = self._rides()
            places, radii = riding.centres(t), riding.radii + SLACK
            offsets = places - np.array(reach.centre)
            times, met = arrivals(offsets, velocities, radii + reach.radius, starts, ends, t)
            near = (met | (times < until)).nonzero()[0]
            if len(near):
                rides = (velocities[near], starts[near], ends[near])
                times, met = near_arrivals(places[near], radii[near], rides, t, reach)
                bodies = [riding.bodies[k] for k in near.tolist()]
                inside += [bodies[k] for k in met.nonzero()[0].tolist()]
                until = self._first(watch, row, bodies, times, until)
            if until <= t:
                return t
        movers, centres, sweeps = self._others(t)
        if movers:
            offsets = centres - np.array(reach.centre)
            near = (np.einsum("ij,ij->i", offsets, offsets) <= np.square(sweeps + reach.radius)).nonzero()[0]
            coming: list[Mover] = []
            for mover in (movers[k] for k in near.tolist() if movers[k].body not in ignored):
                if mover.gap(reach, t) <= 0.0:
                    if mover.end > t:
                        self._keepers[row] = mover.body
                        return t  # it moves there now: no need to ask who else comes
                    inside.append(mover.body)
                elif mover.end > t:
                    coming.append(mover)
            for mover in coming:
                when = float(mover.arrivals(reach.centres, reach.radii, t).min())
                if when < until:
                    until = when
                    self._keepers[row] = mover.body
        return int(until)

    def _moving(self, watch: Watch, row: int, t: int, reach: Reach) -> tuple[int, float]:
        """Until when a reach that moves stays clear of everything, and how far it goes till then."""
        end = min(t + _WINDOW, rests_from(watch.body))
        speed, turn = self._world.bound(watch.body, t, end)
        speed += turn * watch.swing
        if speed == 0.0 and turn == 0.0:
            return min(self._standing(watch, row, t, reach), end), 0.0  # it does not move yet
        if watch.uneasy:
            return t, 0.0
        felt = watch.hanging(t)
        if felt is not None:
            return self._feeling(watch, felt, t, end)
        until = float(end)
        for columns, speeds in self._columns(speed):
            if columns.bodies:
                places, radii = columns.centres(t), columns.radii
                offsets = lengths(places - np.array(reach.centre)) - (reach.radius + SLACK)
                near = (closings(offsets - radii, speeds, t) < until).nonzero()[0]
                if len(near):
                    gaps = near_gaps(places[near], reach) - radii[near] - SLACK
                    bodies = [columns.bodies[k] for k in near.tolist()]
                    until = self._first(watch, row, bodies, closings(gaps, speeds[near], t), until)
        ignored = watch.ignored
        for mover in self._others(t)[0]:
            if mover.body not in ignored and mover.body.exists(t):
                gap = mover.gap(reach, t)
                when = t if gap <= 0.0 else t + gap / (speed + mover.speed) / SECOND
                if when < until:
                    until = when
                    self._keepers[row] = mover.body
        return int(until), speed * (until - t) * SECOND

    def _columns(self, speed: float) -> Iterator[tuple[BallTable, Array]]:
        """What stands and what rides, and how fast something of a speed may come nearer to each."""
        fixed = self._broad_phase.standing
        yield fixed, np.full(len(fixed), speed)
        yield self._broad_phase.riding, speed + lengths(self._rides()[0])

    def _feeling(self, watch: Watch, felt: Sequence[LiveBody], t: int, end: int) -> tuple[int, float]:
        """The same for all that hangs on a force sensor, by its true distance from everything else."""
        if not felt:
            return end, 0.0
        near = self.scene.clearances(felt, _FELT, t, watch.ignored)
        speeds = {body: self._speed(body, t, end) for body in (*felt, *(each.b for each in near))}
        own = max(speeds[body] for body in felt)
        # What is farther off may be anything, and as fast as anything.
        others = max((mover.speed for mover in self._others(t)[0]), default=0.0)
        others = max(others, float(lengths(self._rides()[0]).max(initial=0.0)))
        seconds = (_FELT - SLACK) / (own + others) if own + others > 0.0 else math.inf
        for a, b, distance in near:
            if distance <= SLACK:
                return t, 0.0
            if speeds[a] + speeds[b] > 0.0:
                seconds = min(seconds, (distance - SLACK) / (speeds[a] + speeds[b]))
        until = int(min(t + seconds / SECOND, end))
        return until, own * (until - t) * SECOND

    def _speed(self, body: LiveBody, t: int, end: int) -> float:
        """At most how fast any point of a body is."""
        speed, turn = self._world.bound(body, t, end)
        return speed + turn * body.extent

    def _first(self, watch: Watch, row: int, bodies: Sequence[LiveBody], times: Array, until: float) -> float:
        """The first of some times, one a body that is not overlooked, if it is before ``until``."""
        early = (times < until).nonzero()[0]
        ignored = watch.ignored
        for k in early[np.argsort(times[early], kind="stable")].tolist():
            if bodies[k] not in ignored:
                self._keepers[row] = bodies[k]
                return float(times[k])
        return until

    # ---------------------------------------------------------------- one body, all sensors

    def _changed(self, top: LiveBody) -> None:
        """Something moves otherwise from now on: whoever may see it is told."""
        now = self._world.now
        count = len(self._watches)
        if not (self._until[:count] > now).any():
            return
        below = list(self._world.subtree(top))
        for body in below:
            for row in (*self._within.get(body, ()), *self._mounts.get(body, ())):
                self._stir(row, now)
        if top.exists(now):
            for carrier in lineage(top, now)[1:]:
                for child in carrier.children:
                    for row in self._mounts.get(child, ()):  # what hangs on a carrier hangs on its force sensors
                        if self._watches[row].hanging(now) is not None:
                            self._stir(row, now)
        for body in below:
            if body.shape is not None and not body.hole and body.exists(now):
                times = self._times(body, now, self._centres[:count], self._reaches[:count])
                rows = (times < self._until[:count]).nonzero()[0].tolist()
                rows = [row for row in rows if body not in self._watches[row].ignored]
                if rows:
                    self._tell(body, now, rows)

    def _looks_different(self, body: LiveBody) -> None:
        """Something is of another material from now on: whoever has it in its reach is told."""
        for row in tuple(self._within.get(body, ())):
            self._stir(row, self._world.now)

    def _tell(self, body: LiveBody, now: int, rows: list[int]) -> None:
        """Looks more closely when a changed body may be seen by some sensors, and stirs those."""
        close = [self._close[row] or (self._centres[row : row + 1], self._reaches[row : row + 1]) for row in rows]
        firsts = np.cumsum([0, *(len(radii) for _, radii in close[:-1])])
        centres, radii = (np.concatenate(each) for each in zip(*close, strict=True))
        closely = np.minimum.reduceat(self._times(body, now, centres, radii), firsts)
        for row, time in zip(rows, closely.tolist(), strict=True):
            if time < self._until[row]:
                self._stir(row, int(time))

    def _times(self, body: LiveBody, now: int, centres: Array, reaches: Array) -> Array:
        """When a body that has just changed may be in each of the balls."""
        ride = linear_motion(body)
        if ride is not None:
            return ride_arrivals(body, ride, now, centres, reaches)
        mover = self._mover(body, now)
        times: Array = np.full(len(reaches), np.inf)
        offsets = centres - np.array(mover.centre)
        squares = np.einsum("ij,ij->i", offsets, offsets)
        near = (squares <= np.square(reaches + mover.sweep)).nonzero()[0]
        if len(near):
            if mover.end > now:
                times[near] = mover.arrivals(centres[near], reaches[near], now)
            times[squares <= np.square(reaches + (mover.radius + SLACK))] = now
        return times if mover.horizon == FOREVER else np.minimum(times, float(mover.horizon))

    def _stir(self, row: int, t: int) -> None:
        if t < self._until[row]:
            if t <= self._world.now:
                self._awake(row)
            else:
                self._until[row] = t
            self._watches[row].stir(t)

    def _awake(self, row: int) -> None:
        self._until[row] = ALWAYS
        for body in self._inside[row]:
            rows = self._within.get(body)
            if rows is not None:
                rows.pop(row, None)
                if not rows:
                    del self._within[body]
        self._inside[row] = []

    # ---------------------------------------------------------------- what moves, in columns

    def _mover(self, body: LiveBody, t: int) -> Mover:
        mover = self._movers.get(body)
        if mover is None or mover.stale(t):
            mover = self._movers[body] = self._courses.mover(body, t)
        return mover

    def _others(self, t: int) -> tuple[list[Mover], Array, Array]:
        """What neither stands nor rides: the movers, where they were at first, and how far they get from there."""
        version, rest = self._known
        if version != self._broad_phase.version or t >= rest:
            self._movers = {body: self._mover(body, t) for body in self._broad_phase.others}
            movers = list(self._movers.values())
            centres = np.array([mover.centre for mover in movers]).reshape(-1, 3)
            self._swept = (movers, centres, np.array([mover.sweep for mover in movers]))
            self._horizon = min((mover.horizon for mover in movers), default=FOREVER)
            self._known = (
                self._broad_phase.version,
                min((each.end for each in movers if each.end > t), default=FOREVER),
            )
        return self._swept

    def _rides(self) -> tuple[Array, Ticks, Ticks]:
        """Velocities, starts and ends of what rides."""
        riding = self._broad_phase.riding
        if self._ridden[0] != riding.version:
            _, velocities, starts, spans = riding.columns()
            self._ridden = (riding.version, velocities.T.copy(), starts, starts + spans)
        return self._ridden[1:]
