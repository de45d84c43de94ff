"""Movers: where a body may be from an instant on, as balls that hold it, on the strength of rigorous speed bounds."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from drycell.base import Array, Vector
from drycell.sensors.arrival import near_gaps
from drycell.sensors.cover import Reach
from drycell.world import FOREVER, SECOND, LiveBody, Ticks, World, rests_from

SLACK: Final = 1e-5  # metres: more than batches differ from poses, and than an arm may jump between two trajectories
HORIZON: Final = 20_000_000  # ticks: of a body that never comes to rest no more than this is looked at
_CELL: Final = 40_000  # ticks for which one ball holds a body
_CELLS: Final = 64  # at most: of long motions they are longer


Cells = tuple[Ticks, Ticks, Array, float]


@dataclass(slots=True)
class Course:
    """What a body does from an instant on, whenever that is."""

    centre: Vector
    """Of the ball that holds the body, at first."""
    length: int
    """For how many ticks it moves, or is looked at."""
    rests: bool
    """Whether it has come to rest then."""
    speed: float
    """Of the ball's centre, at most."""
    cells: Cells | None = None
    """Found when first asked for: of most courses nobody asks more than how far they go."""


class Mover:
    """A body from an instant on, as it moves now: it is in a wide ball all the time, and in smaller ones in turn.

    It may be known already what it does, from when it did so before.
    """

    def __init__(self, world: World, body: LiveBody, t: int, course: Course | None = None) -> None:
        if body.shape is None:
            raise ValueError(f"{body.name} has no shape")
        self.body, self.version, self.since = body, body.version, t
        self._world = world
        self._local, self.radius = body.shape.sphere
        self.course = course or self._look(t)
        self.end = t + self.course.length
        """Until when it moves, or is looked at."""
        self.horizon = FOREVER if self.course.rests else self.end
        """From when on nothing is known of it."""
        self.centre, self.speed = self.course.centre, self.course.speed
        self.sweep = self.radius + self.speed * self.course.length * SECOND + SLACK
        """All of it stays within this distance of where its middle is at first."""

    def _look(self, t: int) -> Course:
        rest = rests_from(self.body)
        end = max(min(rest, t + HORIZON), t)
        most = 0.0
        if end > t:
            speed, turn = self._world.bound(self.body, t, end)
            most = speed + turn * math.hypot(*self._local)
        return Course(self._world.pose(self.body, t).point(self._local), end - t, rest <= end, most)

    def stale(self, t: int) -> bool:
        """Whether there is more to be known at an instant than there was: it has changed, or come to rest."""
        return self.version != self.body.version or self.since < self.end <= t

    def gap(self, reach: Reach, t: int) -> float:
        """Metres between the body's ball and the nearest of a reach at an instant; negative where they meet."""
        middle = np.array([self._world.pose(self.body, t).point(self._local)])
        return float(near_gaps(middle, reach)[0]) - self.radius - SLACK

    def arrivals(self, centres: Array, reaches: Array, t: int) -> Array:
        """When it may first be in each of some balls, not before ``t``, in ticks; infinite if never."""
        cells = self.course.cells
        if cells is None:
            cells = self.course.cells = self._cells()
        lo, hi, points, grown = cells
        offsets = points[None, :, :] - centres[:, None, :]
        limits = reaches + grown
        meets = (np.einsum("nkj,nkj->nk", offsets, offsets) <= (limits * limits)[:, None]) & (hi > t - self.since)
        first = meets.argmax(axis=1)
        found: Array = np.where(meets.any(axis=1), np.maximum(lo[first] + self.since, t).astype(float), np.inf)
        return found if self.horizon == FOREVER else np.minimum(found, float(self.horizon))

    def _cells(self) -> Cells:
        """Cells of time, from the course's beginning; the middle of the ball in the middle of each; the radius of a
        ball that holds it."""
        length = self.course.length
        cell = max(_CELL, -(-length // _CELLS))
        lo = np.arange(0, max(length, 1), cell, dtype=np.int64)
        hi = np.minimum(lo + cell, length)
        rotations, positions = self._world.batch(self.body, self.since + (lo + hi) // 2)
        points: Array = positions + np.einsum("nij,j->ni", rotations, np.array(self._local))
        return lo, hi + 1, points, self.radius + self.speed * (cell + 1) * (0.5 * SECOND) + SLACK
