"""Broad phase: finds the bodies near a place at an instant from their bounding balls.

Bodies at rest or with constant velocity are rows of tables, so that distant bodies cost almost nothing. Bodies that
move in any other way are listed separately.
"""

import math
from collections.abc import Container, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from drycell.base import Array, Pose, Vector, WorldError
from drycell.geometry import Ball, Placed
from drycell.world.body import LiveBody, chain
from drycell.world.linkage import LinkMotion
from drycell.world.motion import ALWAYS, FOREVER, SECOND, Ticks
from drycell.world.motion_piece import Linear, linear_motion, rests_from
from drycell.world.world import World

_NO_SPEED = (0.0, 0.0, 0.0)
_SLACK: Final = 1e-6  # metres: far more than the rounding errors of the tables
_ROUNDING: Final = -1e-8  # square metres: far more than the rounding errors of the products below, 1 km from the origin
_NOWHERE: Final = 1e30  # the ball of a body that is not in the cell meets nothing
Near = tuple[LiveBody, Vector, float]  # a body, and its ball in the world


class BallTable:
    """The bounding balls of bodies and their motions. When a row is dropped, rows move and ``version`` increases."""

    def __init__(self) -> None:
        self.bodies: list[LiveBody] = []
        self.motions: list[Linear] = []
        self.version = 0
        self._index: dict[LiveBody, int] = {}
        self._boxes: tuple[int, Array, Array] | None = None
        self._features: tuple[int, int, bool, Array] | None = None
        self._latest: tuple[int, int] | None = None
        self._numbers: Array = np.zeros((64, 7))  # centre, velocity, radius
        self._times: Ticks = np.zeros((64, 3), dtype=np.int64)  # start, end, since

    def __len__(self) -> int:
        return len(self.bodies)

    def __contains__(self, body: LiveBody) -> bool:
        return body in self._index

    def put(self, body: LiveBody, path: Linear) -> None:
        """Add a body, or update its row."""
        if body.shape is None:
            raise WorldError(f"{body.name!r} has no shape")
        row = self._index.get(body)
        if row is None:
            row = self._index[body] = len(self.bodies)
            self.bodies.append(body)
            self.motions.append(path)
            if row == len(self._numbers):
                self._numbers = np.concatenate((self._numbers, np.zeros_like(self._numbers)))
                self._times = np.concatenate((self._times, np.zeros_like(self._times)))
        self.motions[row] = path
        centre, radius = body.shape.sphere
        self._numbers[row] = (*path.pose.point(centre), *path.velocity, radius)
        self._times[row] = (path.start, path.end, path.since)
        self.version += 1

    def drop(self, body: LiveBody) -> None:
        """Remove a body, if it is in the table."""
        row = self._index.pop(body, None)
        if row is None:
            return
        last, path = self.bodies.pop(), self.motions.pop()
        if last is not body:
            end = len(self.bodies)
            self.bodies[row], self.motions[row], self._index[last] = last, path, row
            self._numbers[row], self._times[row] = self._numbers[end], self._times[end]
        self.version += 1

    @property
    def radii(self) -> Array:
        """The radius of each ball."""
        return self._numbers[: len(self.bodies), 6]

    @property
    def since(self) -> Ticks:
        """The time from which each row is valid."""
        return self._times[: len(self.bodies), 2]

    def centres(self, t: int) -> Array:
        """The centres of the balls at an instant, for rows that are valid then."""
        count = len(self.bodies)
        start, end = self._times[:count, 0], self._times[:count, 1]
        gone = (np.minimum(np.maximum(t, start), end) - start).astype(float) * SECOND
        centres: Array = self._numbers[:count, :3] + self._numbers[:count, 3:6] * gone[:, None]
        return centres

    def columns(self) -> tuple[Array, Array, Ticks, Ticks]:
        """The data behind :meth:`centres`: first centres (3, n), velocities (3, n), starts and durations (n)."""
        numbers, times = self._numbers[: len(self.bodies)], self._times[: len(self.bodies)]
        return numbers[:, :3].T.copy(), numbers[:, 3:6].T.copy(), times[:, 0].copy(), times[:, 1] - times[:, 0]

    @property
    def latest(self) -> int:
        """The time from which all rows are valid."""
        if self._latest is None or self._latest[0] != self.version:
            self._latest = (self.version, max((path.since for path in self.motions), default=ALWAYS))
        return self._latest[1]

    def features(self, t: int) -> Array:
        """(6, n): factors of a matrix product that finds the balls that meet (see SweptBalls.all_features)."""
        known = self._features
        if known is not None and known[0] == self.version and (known[1] == t or not known[2]):
            return known[3]
        centres, radii = self.centres(t), self.radii
        own = (centres * centres).sum(axis=1) - radii * radii
        made = np.vstack((centres.T, radii, np.ones(len(radii)), own))
        self._features = (self.version, t, bool(self.loose().any()), made)
        return made

    def near(self, centre: Vector, radius: float, t: int) -> NDArray[np.intp]:
        """The rows whose ball meets a ball at an instant."""
        offsets = self.centres(t) - np.array(centre)
        reach = self.radii + radius
        return np.flatnonzero(np.einsum("ij,ij->i", offsets, offsets) <= reach * reach)

    def boxes(self, t0: int, t1: int) -> tuple[Array, Array]:
        """The boxes (n, 3), (n, 3) that enclose each ball during an interval, from both ends of its straight path."""
        first, last = self.centres(t0), self.centres(t1)
        reach = self.radii[:, None]
        return np.minimum(first, last) - reach, np.maximum(first, last) + reach

    def standing_boxes(self) -> tuple[Array, Array]:
        """The boxes of rows that are all at rest, at any time."""
        if self._boxes is None or self._boxes[0] != self.version:
            self._boxes = (self.version, *self.boxes(0, 0))
        return self._boxes[1:]

    def meeting(self, lower: Array, upper: Array, t0: int, t1: int) -> NDArray[np.intp]:
        """The rows whose ball may meet a box at some time in an interval."""
        low, high = self.boxes(t0, t1)
        return np.flatnonzero(~((low > upper) | (high < lower)).any(axis=1))

    def loose(self) -> NDArray[np.bool_]:
        """Return which rows have a velocity, even if they do not move now."""
        motions: NDArray[np.bool_] = np.any(self._numbers[: len(self.bodies), 3:6] != 0.0, axis=1)
        return motions


class BroadPhase:
    """All bodies with a shape, updated when the world changes. Most are in tables, the others in separate lists."""

    def __init__(self, world: World, *, records_changes: bool = False) -> None:
        self.standing = BallTable()
        self.riding = BallTable()
        self.others: dict[LiveBody, None] = {}
        self.changed: dict[LiveBody, None] = {}
        """Bodies added, moved, attached or removed since the owner last cleared this, if ``records_changes`` is set."""
        self._records_changes = records_changes
        self.version = 0
        """Increases with every update."""
        self._dirty: dict[LiveBody, None] = dict.fromkeys(world.bodies.values())
        self._world = world
        world.subscribe(self._note)

    def _note(self, body: LiveBody) -> None:
        for each in self._world.subtree(body):
            self._dirty[each] = None

    def refresh(self) -> None:
        """Process the changes since the last call."""
        if not self._dirty:
            return
        self.version += 1
        for body in self._dirty:
            if self._records_changes:
                self.changed[body] = None
            solid = body.shape is not None and not body.hole and body.gone == FOREVER
            path = linear_motion(body) if solid else None
            # Parts and bodies on mechanisms count as moving even while they are at rest. Only fixtures change so rarely
            # that caching results about them is worthwhile.
            stands = path is not None and path.velocity == _NO_SPEED and not body.part and not _on_mechanism(body)
            for table, wanted in ((self.standing, stands), (self.riding, not stands)):
                if wanted and path is not None:
                    table.put(body, path)
                else:
                    table.drop(body)
            if solid and path is None:
                self.others[body] = None
            else:
                self.others.pop(body, None)
        self._dirty.clear()

    def discard_unchanged(self, t: int) -> None:
        """Remove bodies from ``changed`` whose motion has been the same since an instant."""
        for table in (self.standing, self.riding):
            for body, path in zip(table.bodies, table.motions, strict=True):
                if path.since <= t:
                    self.changed.pop(body, None)

    def near(self, centre: Vector, radius: float, t: int) -> list[LiveBody]:
        """The bodies whose ball meets a ball at an instant, sorted by name, without bodies that have left the cell."""
        self.refresh()
        found: list[LiveBody] = []
        for table in (self.standing, self.riding):
            if not len(table):
                continue
            late = table.since > t  # changed after that instant, so checked one by one
            bodies = table.bodies
            found.extend(bodies[row] for row in table.near(centre, radius + 1e-6, t).tolist() if not late[row])
            if late.any():
                found.extend(
                    each
                    for each, is_late in zip(bodies, late, strict=True)
                    if is_late and self._meets(each, centre, radius, t)
                )
        found.extend(each for each in self.others if self._meets(each, centre, radius, t))
        found.sort(key=lambda body: body.name)
        return found

    def approachable(self, centre: Vector, radius: float, t0: int, t1: int) -> list[LiveBody]:
        """The bodies that may enter a ball between two instants, sorted by name, including all that are in no table."""
        self.refresh()
        found = {**self.others}
        for table in (self.standing, self.riding):
            if len(table):
                lower, upper = np.array(centre) - radius, np.array(centre) + radius
                late = table.since > t0  # the row is not valid yet, so anything is possible
                rows = np.union1d(table.meeting(lower, upper, t0, t1), np.flatnonzero(late)).tolist()
                found |= dict.fromkeys(table.bodies[row] for row in rows)
        return sorted(found, key=lambda body: body.name)

    def meetings(
        self, placed: Sequence[Placed], margin: float, t: int, ignore: Container[LiveBody] = ()
    ) -> list[tuple[int, LiveBody]]:
        """The bodies whose balls are within a margin of those of given shapes, as (index of the shape, body)."""
        if self._dirty:
            self.refresh()
        numbers: list[float] = []  # a flat list is the fastest input for numpy
        grown = margin + 1e-6
        for each in placed:
            if each.stale:
                each.settle()  # the placed shape is needed for the distance anyway, and has the centre
            core = each.core
            (x, y, z), radius = each.ball if core is None else (each.middle, core.radius)
            g = radius + grown
            numbers += (2 * x, 2 * y, 2 * z, 2 * g, g * g - x * x - y * y - z * z, -1.0)
        features = np.array(numbers).reshape(-1, 6)  # see SweptBalls.all_features
        found: list[tuple[int, LiveBody]] = []
        late: list[LiveBody] = []
        for table in (self.standing, self.riding):
            bodies = table.bodies
            if bodies:
                ours, theirs = (features @ table.features(t) >= 0.0).nonzero()
                met = zip(ours.tolist(), map(bodies.__getitem__, theirs.tolist()), strict=True)
                found += [pair for pair in met if pair[1] not in ignore]
                if table.latest > t:
                    late += [body for body, start in zip(bodies, table.since, strict=True) if start > t]
        if late:
            found = [pair for pair in found if pair[1] not in late]
        for body in (*self.others, *late):
            if body not in ignore:
                for number, (centre, radius) in enumerate(each.ball for each in placed):
                    if self._meets(body, centre, radius + margin, t):
                        found.append((number, body))
        return found

    def _meets(self, body: LiveBody, centre: Vector, radius: float, t: int) -> bool:
        if body.shape is None or not body.exists(t):
            return False
        middle, reach = body.shape.sphere
        return math.dist(self._world.pose(body, t).point(middle), centre) <= reach + radius + 1e-6


def _on_mechanism(body: LiveBody) -> bool:
    """Whether a body is a link, or is attached to one."""
    return any(isinstance(segment.motion, LinkMotion) for segment in chain(body))


class Region:
    """A region of space in a frame that may move: balls that cover it, as rows for a matrix product.

    A row (2x, 2y, 2z, 2g, g² − |x|², −1) times a body's column (c, r, 1, |c|² − r²) is (g + r)² − |x − c|².
    """

    __slots__ = ("rows",)

    def __init__(self, balls: Sequence[Ball], margin: float = 0.0) -> None:
        numbers: list[float] = []
        for (x, y, z), radius in balls:
            g = radius + margin + _SLACK
            numbers += (2.0 * x, 2.0 * y, 2.0 * z, 2.0 * g, g * g - x * x - y * y - z * z, -1.0)
        self.rows: Array = np.array(numbers).reshape(-1, 6)

    def at(self, pose: Pose) -> "PlacedRegion":
        """The region for a pose of its frame, computed with another matrix product."""
        a, b, c, x, d, e, f, y, g, h, i, z = pose.rows
        move = (
            a, d, g, 0.0, -(a * x + d * y + g * z), 0.0,
            b, e, h, 0.0, -(b * x + e * y + h * z), 0.0,
            c, f, i, 0.0, -(c * x + f * y + i * z), 0.0,
            0.0, 0.0, 0.0, 1.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 1.0, 0.0,
            -2.0 * x, -2.0 * y, -2.0 * z, 0.0, x * x + y * y + z * z, 1.0,
        )  # fmt: skip
        return PlacedRegion(self.rows.dot(np.array(move).reshape(6, 6)))


class PlacedRegion:
    """A region in the world, with the fixtures in it."""

    __slots__ = ("rows", "standing", "version")

    def __init__(self, rows: Array) -> None:
        self.rows = rows
        self.standing: list[Near] = []
        self.version = -1

    def near(self, bodies: Sequence[LiveBody], table: Array) -> list[Near]:
        """The bodies of a table, one per column, whose balls meet the region."""
        products = self.rows.dot(table)
        most = products[0] if len(products) == 1 else np.maximum.reduce(products)
        found: list[Near] = []
        for row in (most > _ROUNDING).nonzero()[0].tolist():
            x, y, z, radius = table[:4, row].tolist()
            found.append((bodies[row], (x, y, z), radius))
        return found


class RegionQueries:
    """Finds the bodies that may be in a region at any instant since their last change."""

    def __init__(self, world: World, broad_phase: BroadPhase) -> None:
        self._world, self._broad_phase = world, broad_phase
        self._version = -1
        self._instant: int | None = None
        self._latest = ALWAYS

    def knows(self, t: int) -> bool:
        """Process changes. Returns whether queries about an instant are possible: not before a body's last change."""
        broad_phase = self._broad_phase
        broad_phase.refresh()
        if self._version != broad_phase.version:
            self._rebuild()
        return t >= self._latest

    def standing(self, region: PlacedRegion) -> list[Near]:
        """The fixtures in a region."""
        table = self._broad_phase.standing
        if region.version != table.version:
            region.version = table.version
            region.standing = region.near(table.bodies, table.features(0)) if table.bodies else []
        return region.standing

    def loose(self, region: PlacedRegion, t: int) -> list[Near]:
        """The other bodies that may be in a region at an instant."""
        if t != self._instant:
            self._move(t)
        return region.near(self._bodies, self._columns) if self._bodies else []

    # ---------------------------------------------------------------- columns of moving bodies

    def _rebuild(self) -> None:
        broad_phase, riding = self._broad_phase, self._broad_phase.riding
        self._version = broad_phase.version
        self._latest = max(broad_phase.standing.latest, riding.latest)
        self._instant = None
        # For the others: the time from which each is at rest, and its ball.
        self._others = [
            (rests_from(body), body, body.shape.sphere) for body in broad_phase.others if body.shape is not None
        ]
        self._still = [False] * len(self._others)  # whether its column is final
        self._bodies = [*riding.bodies, *(body for _, body, _ in self._others)]
        radii = np.array([*riding.radii.tolist(), *(ball[1] for _, _, ball in self._others)])
        self._columns: Array = np.vstack((np.zeros((3, len(radii))), radii, np.ones(len(radii)), -radii * radii))
        first, velocity, start, span = riding.columns()
        count = len(riding)
        self._riding = (self._columns[:3, :count], self._columns[5, :count])
        self._course = (first, velocity, start * SECOND, span * SECOND, np.square(radii[:count]))
        self._scratch = np.empty((3, count)), np.empty(count)

    def _move(self, t: int) -> None:
        """Set the columns to an instant, without allocating memory: this runs for every instant of a query."""
        (riding, own), (squares, times) = self._riding, self._scratch
        if len(own):
            first, velocity, start, span, radii = self._course
            np.subtract(t * SECOND, start, out=times)
            np.maximum(times, 0.0, out=times)
            np.minimum(times, span, out=times)
            np.multiply(velocity, times, out=riding)
            np.add(riding, first, out=riding)
            np.multiply(riding, riding, out=squares)
            np.add.reduce(squares, axis=0, out=own)
            np.subtract(own, radii, out=own)
        table, count = self._columns, len(own)
        for number, (stays, body, (centre, radius)) in enumerate(self._others):
            if self._still[number] and t >= stays:
                continue
            self._still[number] = t >= stays
            if body.exists(t):
                x, y, z = self._world.pose(body, t).point(centre)
                table[:3, count + number] = (x, y, z)
                table[5, count + number] = x * x + y * y + z * z - radius * radius
            else:
                table[5, count + number] = _NOWHERE
        self._instant = t
