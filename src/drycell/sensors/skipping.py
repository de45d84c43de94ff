"""Skipping: finds the earliest time at which the reading of a sensor can change. Samples before it can be skipped.

The field of view of a sensor is covered by balls. While the sensor and everything in the balls are at rest, its reading
does not change, and a body outside needs at least its distance divided by the closing speed to arrive. The
:class:`Skipper` knows this time for every sensor, and shortens it when a body changes, for all sensors at once.

From the bottom up: the balls that cover the field of view (:class:`BallCover`, placed: :class:`Coverage`); the times at
which bodies arrive in them (:func:`arrivals`, :class:`Mover`); the data of a sensor (:class:`View`); and the skipper
itself. A sensor has a view and asks the skipper. The skipper only knows views, and calls back if something may change
earlier than predicted.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from drycell.base import IDENTITY, Array, Pose, Vector
from drycell.geometry import TOUCH, Ball, Cone, Cylinder, Shape
from drycell.sensors.field_of_view import Line
from drycell.sensors.force import beyond
from drycell.sensors.model import SensorModel
from drycell.world import (
    ALWAYS,
    FOREVER,
    SECOND,
    BallTable,
    Linear,
    LinkMotion,
    LiveBody,
    Rest,
    Scene,
    Ticks,
    World,
    lineage,
    linear_motion,
    rests_from,
)

if TYPE_CHECKING:
    from drycell.cell import Cell

_SLICES: Final = 32  # maximum for a slender beam


class Coverage(NamedTuple):
    """The field of view in the world: one ball that encloses it, and many that enclose it tightly."""

    centre: Vector
    radius: float
    centres: Array
    radii: Array


class BallCover:
    """Balls in the frame of a sensor or of another rigid object."""

    def __init__(self, balls: Sequence[Ball]) -> None:
        self._centres: Array = np.array([centre for centre, _ in balls]).reshape(-1, 3)
        self._radii: Array = np.array([radius for _, radius in balls])
        lower, upper = (
            (pick(self._centres + sign * self._radii[:, None], axis=0) if len(balls) else np.zeros(3))
            for pick, sign in ((np.min, -1.0), (np.max, 1.0))
        )
        x, y, z = (0.5 * (lower + upper)).tolist()
        self._centre: Vector = (x, y, z)
        self._radius = max((math.dist(centre, self._centre) + radius for centre, radius in balls), default=0.0)
        self._known: tuple[Pose, Coverage] | None = None

    @property
    def swing(self) -> float:
        """The largest distance of a ball's centre from the origin of the frame."""
        return float(np.sqrt(np.square(self._centres).sum(axis=1)).max(initial=0.0))

    def at(self, pose: Pose) -> Coverage:
        """The balls for a pose of the frame, computed once for a frame at rest."""
        if self._known is None or self._known[0] != pose:
            centres = np.einsum("ij,nj->ni", pose.rotation, self._centres) + pose.translation
            self._known = (pose, Coverage(pose.point(self._centre), self._radius, centres, self._radii))
        return self._known[1]


def cover_of(model: SensorModel, shape: Shape | None) -> BallCover:
    """The cover of a sensor's field of view or pad; ``shape`` is that of its own body."""
    probe = model.probe
    balls = [
        (pose.point(centre), radius) for volume, pose in probe.volumes(probe.hold) for centre, radius in _sliced(volume)
    ]
    # A line may begin before its volume, cross several volumes, or have a different length.
    lines = [(line, reach * probe.hold) for line, reach in zip(probe.lines, probe.reaches, strict=True)]
    balls += _along([each for each in lines if not _holds(balls, *each)])
    if model.type == "contact" and not model.volumes and shape is not None:
        balls += shape.spheres()
    return BallCover(balls)


def _sliced(shape: Shape) -> Iterable[Ball]:
    """Balls around a volume; for a beam, around slices of it."""
    if isinstance(shape, Cylinder):
        low = high = shape.radius
    elif isinstance(shape, Cone):
        low, high = shape.radius, shape.top_radius
    else:
        return shape.spheres()
    return _slices(low, high, shape.length)


def _slices(low: float, high: float, length: float) -> Iterator[Ball]:
    count = min(_SLICES, math.ceil(2.0 * length / (low + high)))
    step = length / count
    for k in range(count):
        widest = max(low + (high - low) * end / count for end in (k, k + 1))
        yield (0.0, 0.0, (k + 0.5) * step - length / 2), math.hypot(widest, step / 2)


def _holds(balls: Iterable[Ball], line: Line, reach: float) -> bool:
    """Whether balls together enclose a whole line."""
    pieces = sorted(piece for piece in (_piece(ball, line) for ball in balls) if piece is not None)
    held = 0.0
    for begins, ends in pieces:
        if begins > held + TOUCH:
            break
        held = max(held, ends)
    return held >= reach - TOUCH


def _piece(ball: Ball, line: Line) -> tuple[float, float] | None:
    """The interval of a line that is in a ball; None if there is none."""
    (origin, along), (centre, radius) = line, ball
    offset = [c - o for c, o in zip(centre, origin, strict=True)]
    middle = sum(a * b for a, b in zip(offset, along, strict=True))
    square = radius * radius - (sum(each * each for each in offset) - middle * middle)
    return None if square < 0.0 else (middle - math.sqrt(square), middle + math.sqrt(square))


def _along(lines: Sequence[tuple[Line, float]]) -> Iterator[Ball]:
    """Cover each line with balls. The more lines there are, the fewer balls each line gets."""
    count = max(_SLICES // max(len(lines), 1), 4)
    for ((x, y, z), (u, v, w)), reach in lines:
        for k in range(count):
            far = (k + 0.5) * reach / count
            yield (x + far * u, y + far * v, z + far * w), 0.5 * reach / count


def arrivals(
    offsets: Array, velocities: Array, reaches: Array, starts: Ticks | int, ends: Ticks | int, t: int
) -> tuple[Array, NDArray[np.bool_]]:
    """When points with constant velocity come within reach, in ticks (infinite if never), and which are there at ``t``.

    A point within reach arrives when it begins to move; one at rest there does not arrive.
    """
    squares = np.einsum("ij,ij->i", velocities, velocities)
    towards = -np.einsum("ij,ij->i", offsets, velocities)
    beyond = np.einsum("ij,ij->i", offsets, offsets) - reaches * reaches
    root = towards * towards - squares * beyond
    met = beyond <= 0.0
    comes = (towards > 0.0) & (root > 0.0) & ~met
    begins = np.maximum(starts, t)
    # c / (b + √(b² − a c)) is (b − √…) / a without cancellation.
    wait = np.floor(
        np.divide(beyond, towards + np.sqrt(np.maximum(root, 0.0)), where=comes, out=np.zeros_like(root)) / SECOND
    )
    comes &= wait <= ends - begins
    comes |= met & (squares > 0.0) & (ends > begins)
    times: Array = np.where(comes, begins + wait, np.inf)
    return times, met


def near_arrivals(
    places: Array, radii: Array, motions: tuple[Array, Ticks, Ticks], t: int, reach: Coverage
) -> tuple[Array, NDArray[np.bool_]]:
    """When balls, one per row, first touch any ball of a coverage, and which touch one at ``t``.

    ``motions`` are their velocities, starts and ends.
    """
    velocities, starts, ends = motions
    shape = (len(places), len(reach.radii))
    rows = np.repeat(np.arange(shape[0]), shape[1])
    offsets = (places[:, None, :] - reach.centres[None, :, :]).reshape(-1, 3)
    reaches = (radii[:, None] + reach.radii[None, :]).ravel()
    times, met = arrivals(offsets, velocities[rows], reaches, starts[rows], ends[rows], t)
    return times.reshape(shape).min(axis=1), met.reshape(shape).max(axis=1)


def near_gaps(places: Array, reach: Coverage) -> Array:
    """The distance in metres of points from the nearest ball of a coverage; negative inside."""
    offsets = places[:, None, :] - reach.centres[None, :, :]
    gaps: Array = (np.sqrt(np.einsum("nkj,nkj->nk", offsets, offsets)) - reach.radii).min(axis=1)
    return gaps


def linear_arrivals(body: LiveBody, motion: Linear, now: int, centres: Array, reaches: Array) -> Array:
    """For each ball, the time at which a body with a new linear motion may be in it; now if it already is."""
    if body.shape is None:
        return np.full(len(reaches), np.inf)
    centre, radius = body.shape.sphere
    moved = (min(max(now, motion.start), motion.end) - motion.start) * SECOND
    here = np.array(motion.pose.point(centre)) + np.array(motion.velocity) * moved
    velocities = np.broadcast_to(np.array(motion.velocity), centres.shape)
    times, met = arrivals(here - centres, velocities, reaches + radius, motion.start, motion.end, now)
    times[met] = now  # it may have just appeared there
    return times


def lengths(vectors: Array) -> Array:
    """The lengths of vectors."""
    found: Array = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return found


def closings(gaps: Array, speeds: Array | float, t: int) -> Array:
    """The earliest times at which gaps can close, in ticks."""
    times: Array = t + np.floor(np.maximum(gaps, 0.0) / speeds / SECOND)
    return times


SLACK: Final = 1e-5  # metres: more than rounding errors of batches and jumps between two trajectories
HORIZON: Final = 20_000_000  # ticks: the largest time of one forecast
_CELL: Final = 40_000  # ticks for which one ball encloses a body
_CELLS: Final = 64  # maximum number; cells of long motions are longer


Cells = tuple[Ticks, Ticks, Array, float]


@dataclass(slots=True)
class Forecast:
    """The future motion of a body, relative to its start time."""

    centre: Vector
    """Centre of the body's ball at the start."""
    length: int
    """Duration of the motion or of the forecast in ticks."""
    rests: bool
    """Whether the body is at rest at the end."""
    speed: float
    """Largest speed of the ball's centre."""
    cells: Cells | None = None
    """Computed on demand, because most forecasts do not need them."""


class Mover:
    """The future of a body if no motion changes: in one large ball all the time, and in small ones in turn.

    The forecast of an equal earlier motion can be reused.
    """

    def __init__(self, world: World, body: LiveBody, t: int, forecast: Forecast | None = None) -> None:
        if body.shape is None:
            raise ValueError(f"{body.name} has no shape")
        self.body, self.version, self.since = body, body.version, t
        self._world = world
        self._local, self.radius = body.shape.sphere
        self.forecast = forecast or self._look(t)
        self.end = t + self.forecast.length
        """End of the motion or of the forecast."""
        self.horizon = FOREVER if self.forecast.rests else self.end
        """Time from which nothing is known about it."""
        self.centre, self.speed = self.forecast.centre, self.forecast.speed
        self.sweep = self.radius + self.speed * self.forecast.length * SECOND + SLACK
        """Maximum distance from its first centre."""

    def _look(self, t: int) -> Forecast:
        rest = rests_from(self.body)
        end = max(min(rest, t + HORIZON), t)
        most = 0.0
        if end > t:
            speed, turn = self._world.bound(self.body, t, end)
            most = speed + turn * math.hypot(*self._local)
        return Forecast(self._world.pose(self.body, t).point(self._local), end - t, rest <= end, most)

    def stale(self, t: int) -> bool:
        """Whether the forecast is outdated because the body has changed its motion or come to rest."""
        return self.version != self.body.version or self.since < self.end <= t

    def gap(self, reach: Coverage, t: int) -> float:
        """The gap in metres between the body's ball and a coverage at an instant; negative if they meet."""
        middle = np.array([self._world.pose(self.body, t).point(self._local)])
        return float(near_gaps(middle, reach)[0]) - self.radius - SLACK

    def arrivals(self, centres: Array, reaches: Array, t: int) -> Array:
        """The first times from ``t`` at which it may be in each of some balls, in ticks; infinite if never."""
        cells = self.forecast.cells
        if cells is None:
            cells = self.forecast.cells = self._cells()
        lo, hi, points, grown = cells
        offsets = points[None, :, :] - centres[:, None, :]
        limits = reaches + grown
        meets = (np.einsum("nkj,nkj->nk", offsets, offsets) <= (limits * limits)[:, None]) & (hi > t - self.since)
        first = meets.argmax(axis=1)
        found: Array = np.where(meets.any(axis=1), np.maximum(lo[first] + self.since, t).astype(float), np.inf)
        return found if self.horizon == FOREVER else np.minimum(found, float(self.horizon))

    def _cells(self) -> Cells:
        """Cells of time from the start of the forecast, the ball's centre in the middle of each, and its radius."""
        length = self.forecast.length
        cell = max(_CELL, -(-length // _CELLS))
        lo = np.arange(0, max(length, 1), cell, dtype=np.int64)
        hi = np.minimum(lo + cell, length)
        rotations, positions = self._world.batch(self.body, self.since + (lo + hi) // 2)
        points: Array = positions + np.einsum("nij,j->ni", rotations, np.array(self._local))
        return lo, hi + 1, points, self.radius + self.speed * (cell + 1) * (0.5 * SECOND) + SLACK


_MOST: Final = 5000  # forecasts kept, of a few kB each


class Movers:
    """The movers of a world's bodies. Forecasts of repeated link motions are reused."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: dict[Hashable, Forecast] = {}

    def mover(self, body: LiveBody, t: int) -> Mover:
        """The mover of a body from an instant."""
        key = _motion_key(body, t)
        if key is None:
            return Mover(self._world, body, t)
        mover = Mover(self._world, body, t, self._known.get(key))
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[key] = mover.forecast
        return mover


def _motion_key(body: LiveBody, t: int) -> Hashable | None:
    """A key that is equal for equal future motions; None for those unlikely to repeat, such as those of parts."""
    key: list[Hashable] = []
    carrier: LiveBody | None = body
    while carrier is not None:
        segment = carrier.history.values[-1]
        motion = segment.motion
        if carrier.part or segment.start > t:
            return None
        if isinstance(motion, LinkMotion):
            trajectory = motion.linkage.history.values[-1]
            if trajectory.start > t:
                return None
            # After its end the mechanism is at rest, however long ago that was.
            key.append((carrier, trajectory.content, min(t, trajectory.end) - trajectory.start))
        elif isinstance(motion, Rest):
            key.append((carrier, carrier.history.rows))
        else:
            return None
        carrier = segment.parent
    return tuple(key)


_WINDOW: Final = 500_000  # ticks that a moving sensor looks ahead
_NEARBY: Final = 0.1  # metres around everything attached to a force sensor


class View:
    """The field of view of a sensor, and the bodies it ignores. ``changed`` is called with the time from which its
    reading may change."""

    def __init__(
        self, scene: Scene, model: SensorModel, body: LiveBody, ignore: Sequence[str], changed: Callable[[int], None]
    ) -> None:
        self.body, self.changed = body, changed
        self.weighs = model.type == "force" and model.weighs
        """Whether its reading changes whenever it moves."""
        self._scene, self._ignore = scene, ignore
        # It measures forces on what is attached to it; a pad has a volume instead.
        self._feels = model.type == "force" and not model.volumes
        self._cover = BallCover(()) if self._feels else cover_of(model, body.shape)
        self._own = frozenset((body, *_carriers(body)))
        self._ignored: tuple[int, Set[LiveBody]] = (-1, self._own)

    @property
    def swing(self) -> float:
        """The largest distance of a ball's centre from the origin of its body."""
        return self._cover.swing

    def place(self, t: int) -> Coverage:
        """Return its coverage at an instant."""
        world = self._scene.world
        if not self._feels:
            return self._cover.at(world.pose(self.body, t))
        balls = [
            (world.pose(body, t).point(centre), radius)
            for body in beyond(self._scene, self.body, t)
            for centre, radius in body.balls
        ]
        return BallCover(balls).at(IDENTITY)

    def attached(self, t: int) -> Sequence[LiveBody] | None:
        """The bodies attached to it, if it measures forces on them."""
        return beyond(self._scene, self.body, t) if self._feels else None

    @property
    def ignored(self) -> Set[LiveBody]:
        """The bodies that it never sees: itself, what it is mounted on, and those in ``ignore``."""
        if not self._ignore:
            return self._own
        version, found = self._ignored
        broad_phase = self._scene.broad_phase
        broad_phase.refresh()
        if version != broad_phase.version:
            named = (body for body in self._scene.world.bodies.values() if self._is_named(body.name))
            found = self._own.union(named)
            self._ignored = (broad_phase.version, found)
        return found

    def _is_named(self, name: str) -> bool:
        return any(fnmatchcase(name, each) or name.startswith(f"{each}/") for each in self._ignore)


def _carriers(body: LiveBody) -> list[LiveBody]:
    """The bodies on which a body is mounted, up to the first with a shape."""
    found = []
    parent = body.parent
    while parent is not None:
        found.append(parent)
        parent = parent.parent if parent.shape is None else None
    return found


class Skipper:
    """Computes the time until which the reading of each sensor of a world cannot change."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self._world, self._broad_phase = scene, scene.world, scene.broad_phase
        self._views: list[View] = []
        self._rows: dict[View, int] = {}
        self._mounts: dict[LiveBody, list[int]] = {}
        # The ball of each sleeping sensor, and until when it sleeps; in the past for one that is awake.
        self._centres: Array = np.zeros((64, 3))
        self._reaches: Array = np.zeros(64)
        self._until: Ticks = np.full(64, ALWAYS, dtype=np.int64)
        self._within: dict[LiveBody, dict[int, None]] = {}  # the sleeping sensors that have a body in their ball
        self._inside: list[list[LiveBody]] = []
        self._close: list[tuple[Array, Array] | None] = []  # the tight cover of a sensor at rest
        self._blockers: list[LiveBody | None] = []  # the body that last kept each awake
        self._mover_cache = Movers(scene.world)
        self._movers: dict[LiveBody, Mover] = {}
        self._known = (-1, FOREVER)  # version of the broad phase, and when the first mover comes to rest
        self._horizon = FOREVER  # the earliest time from which a mover is unknown
        self._swept: tuple[list[Mover], Array, Array] = ([], np.zeros((0, 3)), np.zeros(0))
        self._linear: tuple[int, Array, Ticks, Ticks] = (-1, np.zeros((0, 3)), self._until[:0], self._until[:0])
        self._world.subscribe(self._changed)
        self._world.subscribe_materials(self._material_changed)

    def enter(self, view: View) -> None:
        """Add a sensor, awake."""
        row = self._rows[view] = len(self._views)
        self._views.append(view)
        self._inside.append([])
        self._close.append(None)
        self._blockers.append(None)
        self._mounts.setdefault(view.body, []).append(row)
        if row == len(self._reaches):
            self._centres = np.concatenate((self._centres, np.zeros_like(self._centres)))
            self._reaches = np.concatenate((self._reaches, np.zeros_like(self._reaches)))
            self._until = np.concatenate((self._until, np.full_like(self._until, ALWAYS)))

    def forget(self, view: View) -> None:
        """Do not call a sensor back until it asks again."""
        self._awake(self._rows[view])

    def quiet_until(self, view: View, t: int) -> int:
        """The time until which the reading of a sensor at ``t`` cannot change; ``t`` if it may change at once.

        The sensor is notified if the reading may change earlier than expected.
        """
        row = self._rows[view]
        self._awake(row)
        reach = view.place(t)
        moves = rests_from(view.body) > t
        blocker = self._blockers[row]
        if blocker is not None and blocker.exists(t) and (moves or rests_from(blocker) > t) and len(reach.radii):
            mover = self._mover(blocker, t)
            if mover.gap(reach, t) <= 0.0 and not (moves and view.attached(t)):
                return t
        self._blockers[row] = None
        self._broad_phase.refresh()
        if moves:
            until, farther = self._moving(view, row, t, reach)
        else:
            until, farther = self._standing(view, row, t, reach), 0.0
        until = min(until, self._horizon)
        if until > t:
            self._until[row] = until
            self._centres[row] = reach.centre
            self._reaches[row] = reach.radius + farther + SLACK
            self._close[row] = None if farther or not len(reach.radii) else (reach.centres, reach.radii + SLACK)
            self._inside[row] += view.attached(t) or ()
            for body in self._inside[row]:
                self._within.setdefault(body, {})[row] = None
        else:
            self._inside[row] = []
        return until

    # ---------------------------------------------------------------- one sensor, all bodies

    def _standing(self, view: View, row: int, t: int, reach: Coverage) -> int:
        """The time until which nothing moves in a coverage at rest. Stores bodies at rest there, to notice changes."""
        if not len(reach.radii):
            return FOREVER
        inside, ignored = self._inside[row], view.ignored
        fixed, riding = self._broad_phase.standing, self._broad_phase.riding
        if fixed.bodies:
            inside += [fixed.bodies[k] for k in fixed.near(reach.centre, reach.radius + SLACK, t).tolist()]
        until = float(FOREVER)
        if riding.bodies:
            velocities, starts, ends = self._linear_motions()
            places, radii = riding.centres(t), riding.radii + SLACK
            offsets = places - np.array(reach.centre)
            times, met = arrivals(offsets, velocities, radii + reach.radius, starts, ends, t)
            near = (met | (times < until)).nonzero()[0]
            if len(near):
                motions = (velocities[near], starts[near], ends[near])
                times, met = near_arrivals(places[near], radii[near], motions, t, reach)
                bodies = [riding.bodies[k] for k in near.tolist()]
                inside += [bodies[k] for k in met.nonzero()[0].tolist()]
                until = self._first(view, row, bodies, times, until)
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
                        self._blockers[row] = mover.body
                        return t  # a body moves there now, so other bodies do not matter
                    inside.append(mover.body)
                elif mover.end > t:
                    coming.append(mover)
            for mover in coming:
                when = float(mover.arrivals(reach.centres, reach.radii, t).min())
                if when < until:
                    until = when
                    self._blockers[row] = mover.body
        return int(until)

    def _moving(self, view: View, row: int, t: int, reach: Coverage) -> tuple[int, float]:
        """The time until which a moving coverage stays clear of everything, and how far it moves by then."""
        end = min(t + _WINDOW, rests_from(view.body))
        speed, turn = self._world.bound(view.body, t, end)
        speed += turn * view.swing
        if speed == 0.0 and turn == 0.0:
            return min(self._standing(view, row, t, reach), end), 0.0  # it does not move yet
        if view.weighs:
            return t, 0.0
        felt = view.attached(t)
        if felt is not None:
            return self._feeling(view, felt, t, end)
        until = float(end)
        for columns, speeds in self._columns(speed):
            if columns.bodies:
                places, radii = columns.centres(t), columns.radii
                offsets = lengths(places - np.array(reach.centre)) - (reach.radius + SLACK)
                near = (closings(offsets - radii, speeds, t) < until).nonzero()[0]
                if len(near):
                    gaps = near_gaps(places[near], reach) - radii[near] - SLACK
                    bodies = [columns.bodies[k] for k in near.tolist()]
                    until = self._first(view, row, bodies, closings(gaps, speeds[near], t), until)
        ignored = view.ignored
        for mover in self._others(t)[0]:
            if mover.body not in ignored and mover.body.exists(t):
                gap = mover.gap(reach, t)
                when = t if gap <= 0.0 else t + gap / (speed + mover.speed) / SECOND
                if when < until:
                    until = when
                    self._blockers[row] = mover.body
        return int(until), speed * (until - t) * SECOND

    def _columns(self, speed: float) -> Iterator[tuple[BallTable, Array]]:
        """The tables of bodies at rest and with constant velocity, with the closing speeds for a sensor's speed."""
        fixed = self._broad_phase.standing
        yield fixed, np.full(len(fixed), speed)
        yield self._broad_phase.riding, speed + lengths(self._linear_motions()[0])

    def _feeling(self, view: View, felt: Sequence[LiveBody], t: int, end: int) -> tuple[int, float]:
        """The time until which a moving force sensor touches nothing, from the distances of attached bodies."""
        if not felt:
            return end, 0.0
        near = self.scene.clearances(felt, _NEARBY, t, view.ignored)
        speeds = {body: self._speed(body, t, end) for body in (*felt, *(each.b for each in near))}
        own = max(speeds[body] for body in felt)
        # Bodies farther away are treated as if they moved at the highest speed.
        others = max((mover.speed for mover in self._others(t)[0]), default=0.0)
        others = max(others, float(lengths(self._linear_motions()[0]).max(initial=0.0)))
        seconds = (_NEARBY - SLACK) / (own + others) if own + others > 0.0 else math.inf
        for a, b, distance in near:
            if distance <= SLACK:
                return t, 0.0
            if speeds[a] + speeds[b] > 0.0:
                seconds = min(seconds, (distance - SLACK) / (speeds[a] + speeds[b]))
        until = int(min(t + seconds / SECOND, end))
        return until, own * (until - t) * SECOND

    def _speed(self, body: LiveBody, t: int, end: int) -> float:
        """The largest speed of any point of a body."""
        speed, turn = self._world.bound(body, t, end)
        return speed + turn * body.extent

    def _first(self, view: View, row: int, bodies: Sequence[LiveBody], times: Array, until: float) -> float:
        """The earliest arrival of a body that is not ignored, if it is before ``until``."""
        early = (times < until).nonzero()[0]
        ignored = view.ignored
        for k in early[np.argsort(times[early], kind="stable")].tolist():
            if bodies[k] not in ignored:
                self._blockers[row] = bodies[k]
                return float(times[k])
        return until

    # ---------------------------------------------------------------- one body, all sensors

    def _changed(self, top: LiveBody) -> None:
        """Call back the sensors that may see a body whose motion has changed."""
        now = self._world.now
        count = len(self._views)
        if not (self._until[:count] > now).any():
            return
        below = list(self._world.subtree(top))
        for body in below:
            for row in (*self._within.get(body, ()), *self._mounts.get(body, ())):
                self._may_change(row, now)
        if top.exists(now):
            for carrier in lineage(top, now)[1:]:
                for child in carrier.children:
                    for row in self._mounts.get(child, ()):  # a body attached to a carrier loads its force sensors
                        if self._views[row].attached(now) is not None:
                            self._may_change(row, now)
        for body in below:
            if body.shape is not None and not body.hole and body.exists(now):
                times = self._times(body, now, self._centres[:count], self._reaches[:count])
                rows = (times < self._until[:count]).nonzero()[0].tolist()
                rows = [row for row in rows if body not in self._views[row].ignored]
                if rows:
                    self._call_back(body, now, rows)

    def _material_changed(self, body: LiveBody) -> None:
        """Call back the sensors that have a body with a new material in their coverage."""
        for row in tuple(self._within.get(body, ())):
            self._may_change(row, self._world.now)

    def _call_back(self, body: LiveBody, now: int, rows: list[int]) -> None:
        """Compute from the tight covers when some sensors may see a changed body, and call them back."""
        close = [self._close[row] or (self._centres[row : row + 1], self._reaches[row : row + 1]) for row in rows]
        firsts = np.cumsum([0, *(len(radii) for _, radii in close[:-1])])
        centres, radii = (np.concatenate(each) for each in zip(*close, strict=True))
        closely = np.minimum.reduceat(self._times(body, now, centres, radii), firsts)
        for row, time in zip(rows, closely.tolist(), strict=True):
            if time < self._until[row]:
                self._may_change(row, int(time))

    def _times(self, body: LiveBody, now: int, centres: Array, reaches: Array) -> Array:
        """When a body that has just changed may be in each of the balls."""
        motion = linear_motion(body)
        if motion is not None:
            return linear_arrivals(body, motion, now, centres, reaches)
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

    def _may_change(self, row: int, t: int) -> None:
        if t < self._until[row]:
            if t <= self._world.now:
                self._awake(row)
            else:
                self._until[row] = t
            self._views[row].changed(t)

    def _awake(self, row: int) -> None:
        self._until[row] = ALWAYS
        for body in self._inside[row]:
            rows = self._within.get(body)
            if rows is not None:
                rows.pop(row, None)
                if not rows:
                    del self._within[body]
        self._inside[row] = []

    # ---------------------------------------------------------------- moving bodies

    def _mover(self, body: LiveBody, t: int) -> Mover:
        mover = self._movers.get(body)
        if mover is None or mover.stale(t):
            mover = self._movers[body] = self._mover_cache.mover(body, t)
        return mover

    def _others(self, t: int) -> tuple[list[Mover], Array, Array]:
        """The bodies with other motions: the movers, their first centres, and their maximum distances from them."""
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

    def _linear_motions(self) -> tuple[Array, Ticks, Ticks]:
        """Velocities, starts and ends of bodies with constant velocity."""
        riding = self._broad_phase.riding
        if self._linear[0] != riding.version:
            _, velocities, starts, spans = riding.columns()
            self._linear = (riding.version, velocities.T.copy(), starts, starts + spans)
        return self._linear[1:]


def skipper_of(cell: "Cell") -> Skipper:
    """The skipper of a cell, which all its sensors share."""
    return cell.shared(Skipper, lambda: Skipper(cell.scene))
