"""Columns: bodies that stand or ride at constant velocity, one row each, so that a far body costs no Python."""

import numpy as np
from numpy.typing import NDArray

from drycell.base import Array, Vector, WorldError
from drycell.world.body import LiveBody
from drycell.world.motion import ALWAYS, SECOND, Ticks
from drycell.world.stretch import Linear


class BallTable:
    """The balls round bodies, and how they ride. Rows move when one is dropped; ``version`` tells."""

    def __init__(self) -> None:
        self.bodies: list[LiveBody] = []
        self.rides: list[Linear] = []
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

    def put(self, body: LiveBody, ride: Linear) -> None:
        """Adds a body, or writes its row anew."""
        if body.shape is None:
            raise WorldError(f"{body.name!r} has no shape to look at")
        row = self._index.get(body)
        if row is None:
            row = self._index[body] = len(self.bodies)
            self.bodies.append(body)
            self.rides.append(ride)
            if row == len(self._numbers):
                self._numbers = np.concatenate((self._numbers, np.zeros_like(self._numbers)))
                self._times = np.concatenate((self._times, np.zeros_like(self._times)))
        self.rides[row] = ride
        centre, radius = body.shape.sphere
        self._numbers[row] = (*ride.pose.point(centre), *ride.velocity, radius)
        self._times[row] = (ride.start, ride.end, ride.since)
        self.version += 1

    def drop(self, body: LiveBody) -> None:
        """Takes a body out, if it is in."""
        row = self._index.pop(body, None)
        if row is None:
            return
        last, ride = self.bodies.pop(), self.rides.pop()
        if last is not body:
            end = len(self.bodies)
            self.bodies[row], self.rides[row], self._index[last] = last, ride, row
            self._numbers[row], self._times[row] = self._numbers[end], self._times[end]
        self.version += 1

    @property
    def radii(self) -> Array:
        """The radius of each ball."""
        return self._numbers[: len(self.bodies), 6]

    @property
    def since(self) -> Ticks:
        """From when on each row holds."""
        return self._times[: len(self.bodies), 2]

    def centres(self, t: int) -> Array:
        """Where the balls are at an instant, of rows that hold then."""
        count = len(self.bodies)
        start, end = self._times[:count, 0], self._times[:count, 1]
        ridden = (np.minimum(np.maximum(t, start), end) - start).astype(float) * SECOND
        centres: Array = self._numbers[:count, :3] + self._numbers[:count, 3:6] * ridden[:, None]
        return centres

    def courses(self) -> tuple[Array, Array, Ticks, Ticks]:
        """What :meth:`centres` is made of: first middles (3, n), velocities (3, n), starts and durations (n)."""
        numbers, times = self._numbers[: len(self.bodies)], self._times[: len(self.bodies)]
        return numbers[:, :3].T.copy(), numbers[:, 3:6].T.copy(), times[:, 0].copy(), times[:, 1] - times[:, 0]

    @property
    def latest(self) -> int:
        """From when on all rows hold."""
        if self._latest is None or self._latest[0] != self.version:
            self._latest = (self.version, max((ride.since for ride in self.rides), default=ALWAYS))
        return self._latest[1]

    def features(self, t: int) -> Array:
        """(6, n): tells in a matrix product which balls another meets at an instant (see Envelope.all_features)."""
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
        """The boxes (n, 3), (n, 3) that hold each ball all through an interval. Rides are straight: the ends tell."""
        first, last = self.centres(t0), self.centres(t1)
        reach = self.radii[:, None]
        return np.minimum(first, last) - reach, np.maximum(first, last) + reach

    def standing_boxes(self) -> tuple[Array, Array]:
        """The same for rows that all stand, at any time."""
        if self._boxes is None or self._boxes[0] != self.version:
            self._boxes = (self.version, *self.boxes(0, 0))
        return self._boxes[1:]

    def meeting(self, lower: Array, upper: Array, t0: int, t1: int) -> NDArray[np.intp]:
        """The rows whose ball may meet a box at some time of an interval."""
        low, high = self.boxes(t0, t1)
        return np.flatnonzero(~((low > upper) | (high < lower)).any(axis=1))

    def loose(self) -> NDArray[np.bool_]:
        """Which rows ride, whether they are on their way, still wait or have arrived: none of them is fixed."""
        rides: NDArray[np.bool_] = np.any(self._numbers[: len(self.bodies), 3:6] != 0.0, axis=1)
        return rides
