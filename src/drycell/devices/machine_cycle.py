"""What the axes of a machine do while it works: strokes about their middle, from home and back.

The motion is one and the same in every cycle, and takes as long as the shortest one; what is left of a longer cycle the
machine stands at home. What collision checks have found out about the motion therefore holds for all cycles.
"""

import math
from itertools import pairwise
from typing import Final

import numpy as np

from drycell.base import Array, deg
from drycell.handling import MotionLimits, time_law
from drycell.robots import Mechanism
from drycell.world import SECOND, JointTrajectory

# Where a pass goes, in shares of each axis' reach: two axes feed round a rectangle, the third turns the part.
_CORNERS: Final = ((1.0, -1.0, 0.0), (1.0, 1.0, 0.5), (-1.0, 1.0, 1.0), (-1.0, -1.0, 0.5))
_REACH: Final = 0.4  # of half an axis' range, about its middle
_TURN: Final = 90 * deg  # from home: no part is turned farther
_LONGEST: Final = 60_000_000  # ticks of a pass: of a longer cycle, several are made


class Cycle:
    """The motion of a machine's axes for so many ticks: passes of jerk-limited strokes, as slow as fills the time.

    Where the time is too short for the axes to get round, the strokes are smaller, so that all limits are kept.
    """

    def __init__(self, mechanism: Mechanism, span: int) -> None:
        home = np.array(mechanism.home)
        corners = [home, *(_corner(shares, mechanism) for shares in _CORNERS), home]
        breaks, pieces = [0.0], []
        for start, end in pairwise(corners):
            law, before = time_law(1.0, _limits(mechanism, end - start)), breaks[-1]
            strokes = np.array([np.outer(piece, end - start) for piece in law.pieces])
            strokes[:, 0] += start - home
            pieces.append(strokes)
            breaks += [before + until for until in law.breaks[1:]]
        passes = math.ceil(span / _LONGEST)
        slower = span * SECOND / (passes * breaks[-1])
        # Quicker by a factor, jerks go with its cube: so much smaller, every limit is kept.
        scale = (min(1.0, slower**3) * slower ** -np.arange(4.0))[:, None]
        one, curve = np.array(breaks[1:]) * slower, np.concatenate(pieces) * scale
        curve[:, 0] += home
        self._breaks = np.concatenate([[0.0], *(one + number * one[-1] for number in range(passes))])
        self._breaks[-1] = span * SECOND
        self._pieces = np.concatenate([curve] * passes)
        self.span = span

    def trajectory(self, start: int, done: int = 0) -> JointTrajectory:
        """The motion from an instant on; if so many ticks of it are done, what is left of it."""
        if done <= 0:
            return JointTrajectory(start, self._breaks, self._pieces)
        u = done * SECOND
        first = min(int(np.searchsorted(self._breaks, u, side="right")) - 1, len(self._pieces) - 1)
        v = u - self._breaks[first]
        c0, c1, c2, c3 = self._pieces[first]
        here = np.array([((c3 * v + c2) * v + c1) * v + c0, (3 * c3 * v + 2 * c2) * v + c1, 3 * c3 * v + c2, c3])
        breaks = np.concatenate([[0.0], self._breaks[first + 1 :] - u])
        return JointTrajectory(start, breaks, np.concatenate([here[None], self._pieces[first + 1 :]]))


def _corner(shares: tuple[float, ...], mechanism: Mechanism) -> Array:
    found = []
    for number, (joint, home) in enumerate(zip(mechanism.joints, mechanism.home, strict=True)):
        share = shares[min(number, 2)]
        if joint.revolute:
            found.append(home + share * min(_TURN, max(joint.upper - home, 0.0)))
        else:
            found.append(0.5 * (joint.lower + joint.upper) + share * _REACH * 0.5 * (joint.upper - joint.lower))
    return np.array(found)


def _limits(mechanism: Mechanism, way: Array) -> MotionLimits:
    """The limits of a stroke, as shares of it: those of the axis that they bind most."""
    moving = [(joint, abs(float(part))) for joint, part in zip(mechanism.joints, way, strict=True) if part]
    return MotionLimits(
        min(joint.speed / part for joint, part in moving),
        min(joint.acceleration / part for joint, part in moving),
        min(joint.jerk / part for joint, part in moving),
    )
