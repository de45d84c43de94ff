"""The vicinity of a place: which bodies may be there at an instant, by their balls, without asking each of them.

What stands is found out once for each place. What does not is kept in columns: a new instant costs a few operations on
whole columns, whoever asks at that instant, and each place one product of matrices.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from drycell.base import Array, Pose, Vector
from drycell.geometry import Ball
from drycell.world.body import LiveBody
from drycell.world.census import Census
from drycell.world.motion import ALWAYS, SECOND
from drycell.world.stretch import rests_from
from drycell.world.world import World

_SLACK: Final = 1e-6  # metres: far more than columns differ from poses
_ROUNDING: Final = -1e-8  # square metres: far more than the products below are off, a kilometre from the origin
_NOWHERE: Final = 1e30  # what makes the ball of a body that is not in the cell meet nothing

Near = tuple[LiveBody, Vector, float]  # a body, and its ball in the world


class Outline:
    """A part of space seen from a frame that may move: balls that cover it, as rows for a product of matrices.

    A row (2x, 2y, 2z, 2g, g² − |x|², −1) times a body's column (c, r, 1, |c|² − r²) is (g + r)² − |x − c|².
    """

    __slots__ = ("rows",)

    def __init__(self, balls: Sequence[Ball], margin: float = 0.0) -> None:
        numbers: list[float] = []
        for (x, y, z), radius in balls:
            g = radius + margin + _SLACK
            numbers += (2.0 * x, 2.0 * y, 2.0 * z, 2.0 * g, g * g - x * x - y * y - z * z, -1.0)
        self.rows: Array = np.array(numbers).reshape(-1, 6)

    def at(self, pose: Pose) -> "Place":
        """Where it is when its frame is at a pose: a row is turned and shifted by a product, too."""
        a, b, c, x, d, e, f, y, g, h, i, z = pose.rows
        move = (
            a, d, g, 0.0, -(a * x + d * y + g * z), 0.0,
            b, e, h, 0.0, -(b * x + e * y + h * z), 0.0,
            c, f, i, 0.0, -(c * x + f * y + i * z), 0.0,
            0.0, 0.0, 0.0, 1.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 1.0, 0.0,
            -2.0 * x, -2.0 * y, -2.0 * z, 0.0, x * x + y * y + z * z, 1.0,
        )  # fmt: skip
        return Place(self.rows.dot(np.array(move).reshape(6, 6)))


class Place:
    """An outline set into the world; what stands there is kept with it."""

    __slots__ = ("rows", "standing", "version")

    def __init__(self, rows: Array) -> None:
        self.rows = rows
        self.standing: list[Near] = []
        self.version = -1

    def near(self, bodies: Sequence[LiveBody], columns: Array) -> list[Near]:
        """Which of some bodies, one a column, have a ball that meets the place."""
        products = self.rows.dot(columns)
        most = products[0] if len(products) == 1 else np.maximum.reduce(products)
        found: list[Near] = []
        for row in (most > _ROUNDING).nonzero()[0].tolist():
            x, y, z, radius = columns[:4, row].tolist()
            found.append((bodies[row], (x, y, z), radius))
        return found


class Vicinity:
    """Which bodies of a world may be at a place, at any instant since their last change."""

    def __init__(self, world: World, census: Census) -> None:
        self._world, self._census = world, census
        self._version = -1
        self._instant: int | None = None
        self._latest = ALWAYS

    def knows(self, t: int) -> bool:
        """Takes in what changed; whether the questions below may be asked about an instant.

        Not about the past of bodies that have been put elsewhere since.
        """
        census = self._census
        census.refresh()
        if self._version != census.version:
            self._rebuild()
        return t >= self._latest

    def standing(self, place: Place) -> list[Near]:
        """Who stands at a place, for good."""
        columns = self._census.standing
        if place.version != columns.version:
            place.version = columns.version
            place.standing = place.near(columns.bodies, columns.features(0)) if columns.bodies else []
        return place.standing

    def loose(self, place: Place, t: int) -> list[Near]:
        """Who else may be at a place, at an instant."""
        if t != self._instant:
            self._move(t)
        return place.near(self._bodies, self._columns) if self._bodies else []

    # ---------------------------------------------------------------- the columns of what does not stand

    def _rebuild(self) -> None:
        census, riding = self._census, self._census.riding
        self._version = census.version
        self._latest = max(census.standing.latest, riding.latest)
        self._instant = None
        # The others: from when on each stays where it is, and the ball of its shape.
        self._others = [(rests_from(body), body, body.shape.sphere) for body in census.others if body.shape is not None]
        self._still = [False] * len(self._others)  # in its column already, for good
        self._bodies = [*riding.bodies, *(body for _, body, _ in self._others)]
        radii = np.array([*riding.radii.tolist(), *(ball[1] for _, _, ball in self._others)])
        self._columns: Array = np.vstack((np.zeros((3, len(radii))), radii, np.ones(len(radii)), -radii * radii))
        first, velocity, start, span = riding.courses()
        count = len(riding)
        self._riding = (self._columns[:3, :count], self._columns[5, :count])
        self._course = (first, velocity, start * SECOND, span * SECOND, np.square(radii[:count]))
        self._scratch = np.empty((3, count)), np.empty(count)

    def _move(self, t: int) -> None:
        """Sets the columns to an instant. In buffers of its own: this is done for every instant anyone looks at."""
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
        columns, count = self._columns, len(own)
        for number, (stays, body, (centre, radius)) in enumerate(self._others):
            if self._still[number] and t >= stays:
                continue
            self._still[number] = t >= stays
            if body.exists(t):
                x, y, z = self._world.pose(body, t).point(centre)
                columns[:3, count + number] = (x, y, z)
                columns[5, count + number] = x * x + y * y + z * z - radius * radius
            else:
                columns[5, count + number] = _NOWHERE
        self._instant = t
