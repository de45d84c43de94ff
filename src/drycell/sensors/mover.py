"""Movers: where a body may be from an instant on, as balls that hold it, on the strength of rigorous speed bounds."""

import math
from functools import cached_property
from typing import Final

import numpy as np

from drycell.sensors.arrival import near_gaps
from drycell.sensors.cover import Reach
from drycell.spatial import Array, Vector
from drycell.world import Body, World
from drycell.world.motion import FOREVER, SECOND, Ticks
from drycell.world.track import rests_from

SLACK: Final = 1e-5  # metres: more than batches differ from poses, and than an arm may jump between two trajectories
HORIZON: Final = 20_000_000  # ticks: of a body that never comes to rest no more than this is looked at
_CELL: Final = 40_000  # ticks for which one ball holds a body
_CELLS: Final = 64  # at most: of long motions they are longer


class Mover:
    """A body from an instant on, as it moves now: it is in a wide ball all the time, and in smaller ones in turn."""

    def __init__(self, world: World, body: Body, t: int) -> None:
        if body.shape is None:
            raise ValueError(f"{body.name} has no shape")
        self.body, self.version, self.since = body, body.version, t
        self._world = world
        self._local, self.radius = body.shape.sphere
        rest = rests_from(body)
        self.end = max(min(rest, t + HORIZON), t)
        """Until when it moves, or is looked at."""
        self.horizon = FOREVER if rest <= self.end else self.end
        """From when on nothing is known of it."""
        self.centre: Vector = world.pose(body, t).point(self._local)
        self.speed = 0.0
        if self.end > t:
            speed, turn = world.bound(body, t, self.end)
            self.speed = speed + turn * math.hypot(*self._local)
        self.sweep = self.radius + self.speed * (self.end - t) * SECOND + SLACK
        """All of it stays within this distance of where its middle is at first."""

    def stale(self, t: int) -> bool:
        """Whether there is more to be known at an instant than there was: it has changed, or come to rest."""
        return self.version != self.body.version or self.since < self.end <= t

    def gap(self, reach: Reach, t: int) -> float:
        """Metres between the body's ball and the nearest of a reach at an instant; negative where they meet."""
        middle = np.array([self._world.pose(self.body, t).point(self._local)])
        return float(near_gaps(middle, reach)[0]) - self.radius - SLACK

    def arrivals(self, centres: Array, reaches: Array, t: int) -> Array:
        """When it may first be in each of some balls, not before ``t``, in ticks; infinite if never."""
        lo, hi, points, grown = self._course
        offsets = points[None, :, :] - centres[:, None, :]
        limits = reaches + grown
        meets = (np.einsum("nkj,nkj->nk", offsets, offsets) <= (limits * limits)[:, None]) & (hi > t)
        first = meets.argmax(axis=1)
        found: Array = np.where(meets.any(axis=1), np.maximum(lo[first], t).astype(float), np.inf)
        return found if self.horizon == FOREVER else np.minimum(found, float(self.horizon))

    @cached_property
    def _course(self) -> tuple[Ticks, Ticks, Array, float]:
        """Cells of time, the middle of the ball in the middle of each, and the radius of a ball that holds it."""
        cell = max(_CELL, -(-(self.end - self.since) // _CELLS))
        lo = np.arange(self.since, max(self.end, self.since + 1), cell, dtype=np.int64)
        hi = np.minimum(lo + cell, self.end)
        rotations, positions = self._world.batch(self.body, (lo + hi) // 2)
        points: Array = positions + np.einsum("nij,j->ni", rotations, np.array(self._local))
        return lo, hi + 1, points, self.radius + self.speed * (cell + 1) * (0.5 * SECOND) + SLACK
