"""The vicinity of a place: which bodies may be there at an instant, by their balls, without asking each of them.

What stands is found out once for each place. What does not is kept in columns: a new instant costs a few operations on
whole columns, whoever asks at that instant, and each place one product of matrices.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from drycell.geometry.shape import Ball
from drycell.spatial import Array, Pose, Vector
from drycell.world.body import Body
from drycell.world.census import Census
from drycell.world.motion import ALWAYS, SECOND
from drycell.world.track import rests_from
from drycell.world.world import World

_SLACK: Final = 1e-6  # metres: far more than columns differ from poses
_NOWHERE: Final = 1e30  # what makes the ball of a body that is not in the cell meet nothing

Near = tuple[Body, Vector]  # a body, and the middle of its ball in the world


class Place:
    """A part of space, as balls that cover it; what stands there is kept with it."""

    __slots__ = ("rows", "standing", "version")

    def __init__(self, balls: Sequence[Ball], pose: Pose, margin: float = 0.0) -> None:
        numbers: list[float] = []
        for centre, radius in balls:
            x, y, z = pose.point(centre)
            g = radius + margin + _SLACK
            numbers += (2.0 * x, 2.0 * y, 2.0 * z, 2.0 * g, g * g - x * x - y * y - z * z, -1.0)
        self.rows: Array = np.array(numbers).reshape(-1, 6)  # times a body's column: (g + r)² − |distance of middles|²
        self.standing: list[Near] = []
        self.version = -1

    def meet(self, columns: Array) -> list[int]:
        """Which of the bodies, one a column, have a ball that meets the place."""
        products = self.rows.dot(columns)
        most = products[0] if len(products) == 1 else np.maximum.reduce(products)
        met: list[int] = (most >= 0.0).nonzero()[0].tolist()
        return met


class Vicinity:
    """Which bodies of a world may be at a place, at any instant since their last change."""

    def __init__(self, world: World, census: Census) -> None:
        self._world, self._census = world, census
        self._version = -1
        self._instant: int | None = None
        self._latest = ALWAYS

    def settled(self, t: int) -> bool:
        """Takes in what changed; whether the rest of this class may be asked about an instant.

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
            place.standing = []
            if columns.bodies:
                features = columns.features(0)
                place.standing = [(columns.bodies[row], _middle(features, row)) for row in place.meet(features)]
        return place.standing

    def loose(self, place: Place, t: int) -> list[Near]:
        """Who else may be at a place, at an instant."""
        if t != self._instant:
            self._move(t)
        if not self._bodies:
            return []
        columns = self._columns
        return [(self._bodies[row], _middle(columns, row)) for row in place.meet(columns)]

    # ---------------------------------------------------------------- the columns of what does not stand

    def _rebuild(self) -> None:
        census, riding = self._census, self._census.riding
        self._version = census.version
        self._latest = max(census.standing.latest, riding.latest)
        self._instant = None
        self._others: list[tuple[int, Body, Ball]] = []  # from when on it stays where it is, and the ball of its shape
        self._bodies = [*riding.bodies]
        radii = [*riding.radii.tolist()]
        for body in census.others:
            if body.shape is not None:
                self._others.append((rests_from(body), body, body.shape.sphere))
                self._bodies.append(body)
                radii.append(body.shape.sphere[1])
        self._squares = np.square(radii)
        self._columns: Array = np.vstack((np.zeros((3, len(radii))), radii, np.ones(len(radii)), -self._squares))
        self._riding = riding.courses()
        self._still = np.zeros(len(self._others), dtype=bool)

    def _move(self, t: int) -> None:
        """Sets the columns to an instant."""
        columns, count = self._columns, len(self._census.riding.bodies)
        if count:
            riding = columns[:3, :count]
            first, velocity, start, span = self._riding
            ridden = np.minimum(np.maximum(t - start, 0), span) * SECOND
            np.multiply(velocity, ridden, out=riding)
            np.add(riding, first, out=riding)
            np.subtract(np.einsum("ij,ij->j", riding, riding), self._squares[:count], out=columns[5, :count])
        for column, (stays, body, (centre, radius)) in enumerate(self._others, count):
            if self._still[column - count] and t >= stays:
                continue
            if body.exists(t):
                x, y, z = self._world.pose(body, t).point(centre)
                columns[:3, column] = (x, y, z)
                columns[5, column] = x * x + y * y + z * z - radius * radius
            else:
                columns[5, column] = _NOWHERE
            self._still[column - count] = t >= stays
        self._instant = t


def _middle(columns: Array, row: int) -> Vector:
    x, y, z = columns[:3, row].tolist()
    return (x, y, z)
