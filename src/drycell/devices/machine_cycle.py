"""What the axes of a machine do while it works: passes of a few strokes, from home and back, in exactly the time given.

A pass is made of jerk-limited strokes. As many whole passes are made as fit the time, all a little slower than they
could be, so that the last ends with it. Where not even one fits, the strokes get shorter instead.
"""

import math
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np

from drycell.robots import Limits, Mechanism, time_law
from drycell.spatial import Array
from drycell.units import deg
from drycell.world import JointTrajectory
from drycell.world.motion import SECOND

# Where a pass goes, in shares of each axis' stroke: two axes feed round a rectangle, the third turns the part.
_CORNERS: Final = ((1.0, -1.0, 0.0), (1.0, 1.0, 0.5), (-1.0, 1.0, 1.0), (-1.0, -1.0, 0.5), (0.0, 0.0, 0.0))
_STROKE: Final = 0.5  # of what an axis has on the shorter side of home
_TURN: Final = 90 * deg  # no part is turned farther
_FEED: Final = 0.5  # of an axis' greatest speed


class Cycle:
    """The passes of one machine."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._home = np.array(mechanism.home)
        corners = [self._home, *(self._home + np.array(_shares(corner, mechanism)) for corner in _CORNERS)]
        breaks, pieces = [0.0], []
        for start, end in pairwise(corners):
            law, before = time_law(1.0, _limits(mechanism, end - start)), breaks[-1]
            for piece in law.pieces:
                rows = np.outer(piece, end - start)
                rows[0] += start
                pieces.append(rows)
            breaks += [before + until for until in law.breaks[1:]]
        self._breaks, self._pieces = np.array(breaks), np.array(pieces)
        self._made = lru_cache(maxsize=64)(self._make)

    @property
    def duration(self) -> float:
        """How long a pass takes at least, in seconds."""
        return float(self._breaks[-1])

    def trajectory(self, start: int, span: int) -> JointTrajectory:
        """The motion from home to home, from an instant on and for so many ticks."""
        return JointTrajectory(start, *self._made(span))

    def _make(self, span: int) -> tuple[Array, Array]:
        passes = max(1, math.floor(span * SECOND / self.duration))
        slower = span * SECOND / (passes * self.duration)
        # Quicker by a factor, jerks go with its cube: so much shorter, every limit is kept.
        shorter = min(1.0, slower**3)
        scale = (shorter * slower ** -np.arange(4.0))[:, None]
        pieces = self._pieces.copy()
        pieces[:, 0] -= self._home
        pieces *= scale
        pieces[:, 0] += self._home
        one = self._breaks[1:] * slower
        breaks = np.concatenate([[0.0], *(one + number * one[-1] for number in range(passes))])
        breaks[-1] = span * SECOND
        return breaks, np.concatenate([pieces] * passes)


def rest_of(trajectory: JointTrajectory, done: int, start: int) -> JointTrajectory:
    """What is left of a motion after so many ticks, from another instant on."""
    u, breaks, pieces = done * SECOND, trajectory.breaks, trajectory.coefficients
    first = min(int(np.searchsorted(breaks, u, side="right")) - 1, len(pieces) - 1)
    v = u - breaks[first]
    c0, c1, c2, c3 = pieces[first]
    here = np.array([((c3 * v + c2) * v + c1) * v + c0, (3 * c3 * v + 2 * c2) * v + c1, 3 * c3 * v + c2, c3])
    return JointTrajectory(
        start, np.concatenate([[0.0], breaks[first + 1 :] - u]), np.concatenate([here[None], pieces[first + 1 :]])
    )


def _shares(corner: tuple[float, ...], mechanism: Mechanism) -> list[float]:
    found = []
    for number, (joint, home) in enumerate(zip(mechanism.joints, mechanism.home, strict=True)):
        room = _STROKE * min(joint.upper - home, home - joint.lower)
        found.append(corner[min(number, 2)] * (min(room, _TURN) if joint.revolute else room))
    return found


def _limits(mechanism: Mechanism, way: Array) -> Limits:
    """The limits of a stroke, as shares of it: those of the axis that they bind most."""
    moving = [(joint, abs(float(part))) for joint, part in zip(mechanism.joints, way, strict=True) if part]
    return Limits(
        min(_FEED * joint.speed / part for joint, part in moving),
        min(joint.acceleration / part for joint, part in moving),
        min(joint.jerk / part for joint, part in moving),
    )
