"""How much a cup, an array of cups or a magnet can hold: pull, moment and lateral force, compared with its force.

A lip that is pressed on by a force F, evenly around it, bears a load until it opens on one side or slides:

* It opens when pull + moment / lever reaches F. The lever is the distance from the middle of the cups to the edge that
  the part tips about: for a single cup, the radius of its lip.
* It slides when the lateral force reaches µ · (F − pull).

The load is the weight of the part minus its mass times the acceleration of its centre of mass.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from drycell.base import Array, MotionError, Vector

Failure = Literal["pull", "lateral force"]


@dataclass(frozen=True, slots=True)
class HeldBy:
    """A cup that holds a part, in the frame of its tool: where its lip is, its radius in metres and its force in N."""

    place: Vector
    radius: float
    force: float


@dataclass(frozen=True)
class Hold:
    """What holds a part: cups that point the same way.

    >>> from drycell.handling import HeldBy, Hold
    >>> cup = Hold((HeldBy((0.0, 0.0, 0.0), radius=0.015, force=34.0),), axis=(0.0, 0.0, 1.0), friction=0.4)
    >>> cup.use((0.0, 0.0, 17.0), (0.0, 0.0, 0.02))  # 17 N straight off the cup
    (0.5, 'pull')

    Args:
        cups: The cups.
        axis: The direction out of the cups.
        friction: The coefficient of friction between a lip and the part.

    Raises:
        MotionError: There is no cup, or a force, a radius or the friction is not above zero.
    """

    cups: tuple[HeldBy, ...]
    axis: Vector
    friction: float

    def __post_init__(self) -> None:
        if not self.cups:
            raise MotionError("a hold needs at least one cup")
        for what, value, unit in (
            ("force", min(cup.force for cup in self.cups), "N"),
            ("radius", min(cup.radius for cup in self.cups), "m"),
            ("friction", self.friction, ""),
        ):
            if not value > 0.0:
                raise MotionError(f"the {what} of a cup must be above {f'0 {unit}'.strip()}, not {value:g}")

    @property
    def force(self) -> float:
        """The force of all cups together, in N."""
        return math.fsum(cup.force for cup in self.cups)

    @property
    def middle(self) -> Vector:
        """The point at which their forces act together."""
        total = self.force
        x, y, z = (math.fsum(cup.force * cup.place[k] for cup in self.cups) / total for k in range(3))
        return (x, y, z)

    def use(self, load: Vector, at: Vector) -> tuple[float, Failure]:
        """Return the fraction of what it can hold that a load uses, and what would fail first; from 1 on it does.

        Args:
            load: The force of the part on the cups, in N, in the frame of the tool.
            at: The centre of mass of the part, in the same frame.
        """
        pull, lateral = self.uses(np.array([load]), np.array([at]))
        return (float(pull[0]), "pull") if pull[0] >= lateral[0] else (float(lateral[0]), "lateral force")

    def uses(self, loads: Array, at: Array) -> tuple[Array, Array]:
        """Return the fractions for many loads (n, 3) at many places (n, 3): of the pull, and of the lateral force."""
        axis, middle, force = np.array(self.axis), np.array(self.middle), self.force
        pull = loads @ axis
        side = loads - np.outer(pull, axis)
        moment = np.cross(at - middle, loads)
        moment = moment - np.outer(moment @ axis, axis)
        size = np.linalg.norm(moment, axis=1)
        # The part tips about the edge of the lips that the moment presses down.
        down = np.cross(moment, axis) / np.where(size > 0.0, size, 1.0)[:, None]
        places = np.array([cup.place for cup in self.cups]) - middle
        lever = (places @ down.T + np.array([cup.radius for cup in self.cups])[:, None]).max(axis=0)
        opening: Array = np.maximum(pull + size / lever, 0.0) / force
        grip = self.friction * np.maximum(force - pull, 0.0)
        lateral = np.linalg.norm(side, axis=1)
        # Without any grip left, the pull alone takes the part off.
        sliding: Array = np.where(grip > 0.0, lateral / np.where(grip > 0.0, grip, 1.0), 0.0)
        return opening, sliding


def accelerations(places: Array, step: float) -> Array:
    """The accelerations (n, 3) along places (n, 3) that are ``step`` seconds apart; the first and last are repeated."""
    found = np.zeros_like(places)
    if len(places) > 2:
        found[1:-1] = (places[2:] - 2.0 * places[1:-1] + places[:-2]) / step**2
        found[0], found[-1] = found[1], found[-2]
    return found
