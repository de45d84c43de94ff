"""Tolerances: how much the dimensions and the pose of a body may differ from their nominal values.

A tolerance is a limit: no value is ever beyond it. Within it, values are ``uniform`` or ``normal`` (with a third of the
limit as standard deviation; values beyond the limit are drawn again).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, Literal, get_args

from drycell.base import Pose, Vector, WorldError, format_length
from drycell.geometry import Shape, dimensions, resized

Law = Literal["uniform", "normal"]
Spread = float | Sequence[float]  # one value for all axes, or one each for x, y and z

NORMAL: Final = 1.0 / 3.0  # standard deviation of the normal law, as a fraction of the limit


@dataclass(frozen=True)
class ToleranceLimits:
    """Limits in both directions: of every dimension (m), of the position (m) and rotation (rad) about x, y, z."""

    size: float = 0.0
    at: Vector = (0.0, 0.0, 0.0)
    angle: Vector = (0.0, 0.0, 0.0)
    law: Law = "uniform"

    def __post_init__(self) -> None:
        for name, values in (("size", (self.size,)), ("at", self.at), ("angle", self.angle)):
            if not all(0.0 <= value < math.inf for value in values):
                raise WorldError(
                    f"a tolerance's {name} is {', '.join(f'{value:g}' for value in values)}",
                    hint="give the limit in both directions, as in size=0.2*mm: 0 or more",
                )
        if self.law not in get_args(Law):
            raise WorldError(f"{self.law!r} is not a law of tolerances", hint=f"use one of {', '.join(get_args(Law))}")

    def check(self, shape: Shape, name: str) -> None:
        """Raise WorldError if a dimension of a shape does not exceed its tolerance."""
        for dimension, value in dimensions(shape).items() if self.size else ():
            if self.size >= value:
                raise WorldError(
                    f"the tolerance of {name!r} is ±{format_length(self.size)}, but its {dimension} is only "
                    f"{format_length(value)}",
                    hint="a tolerance must be smaller than the dimension",
                )


@dataclass(frozen=True)
class DrawnBody:
    """A drawn instance of a body: its shape, the changes of its dimensions, and its displacement and rotation."""

    shape: Shape | None
    changes: dict[str, float] = field(default_factory=dict)
    shift: Vector = (0.0, 0.0, 0.0)
    turn: Vector = (0.0, 0.0, 0.0)

    def pose(self, nominal: Pose) -> Pose:
        """The actual pose: shifted along the parent's axes, rotated about its own."""
        return nominal.moved(*self.shift) @ Pose.of_rpy(*self.turn)


def draw(tolerance: ToleranceLimits, shape: Shape | None, stream: Callable[[str], Random]) -> DrawnBody:
    """Draw an instance. Every value has its own random stream, so that they do not affect each other."""

    def value(name: str, limit: float) -> float:
        return deviate(limit, tolerance.law, stream(name)) if limit else 0.0

    names = dimensions(shape) if shape is not None and tolerance.size else {}
    changes = {name: value(f"size {name}", tolerance.size) for name in names}
    x, y, z = (value(f"at {axis}", limit) for axis, limit in zip("xyz", tolerance.at, strict=True))
    u, v, w = (value(f"angle {axis}", limit) for axis, limit in zip("xyz", tolerance.angle, strict=True))
    made = shape if shape is None else resized(shape, changes)
    return DrawnBody(made, changes, (x, y, z), (u, v, w))


def deviate(limit: float, law: Law, random: Random) -> float:
    """Draw a deviation within ±limit."""
    if law == "uniform":
        return random.uniform(-limit, limit)
    while True:
        found = random.normalvariate(0.0, NORMAL * limit)
        if abs(found) <= limit:
            return found
