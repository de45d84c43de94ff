"""Tolerances: how much a body's dimensions and place may differ from what is drawn, and one body drawn from them.

A tolerance is a limit: nothing is ever drawn beyond it. Within it, values are spread evenly (``uniform``), or crowd
about the nominal one (``normal``, with a third of the limit as standard deviation, drawn again when beyond the limit).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, Literal, get_args

from drycell.base import Pose, Vector, WorldError, format_length
from drycell.geometry import Shape, dimensions, resized

Law = Literal["uniform", "normal"]
Spread = float | Sequence[float]  # the same along (or about) all axes, or x, y and z

NORMAL: Final = 1.0 / 3.0  # standard deviation of the normal law, as a share of the limit


@dataclass(frozen=True)
class ToleranceLimits:
    """Limits, each way: of every dimension (m), of the place (m) and of the turn (rad) along or about x, y, z."""

    size: float = 0.0
    at: Vector = (0.0, 0.0, 0.0)
    angle: Vector = (0.0, 0.0, 0.0)
    law: Law = "uniform"

    def __post_init__(self) -> None:
        for name, values in (("size", (self.size,)), ("at", self.at), ("angle", self.angle)):
            if not all(0.0 <= value < math.inf for value in values):
                raise WorldError(
                    f"a tolerance's {name} is {', '.join(f'{value:g}' for value in values)}",
                    hint="give how much it may differ each way, as in size=0.2*mm: 0 or more",
                )
        if self.law not in get_args(Law):
            raise WorldError(f"there is no law {self.law!r} of tolerances", hint=f"known are {get_args(Law)}")

    def check(self, shape: Shape, name: str) -> None:
        """Raises WorldError if a shape is too small for the tolerance of its dimensions."""
        for dimension, value in dimensions(shape).items() if self.size else ():
            if self.size >= value:
                raise WorldError(
                    f"the tolerance of {name!r} is ±{format_length(self.size)}, but its {dimension} is only "
                    f"{format_length(value)}",
                    hint="a tolerance is less than what it is a tolerance of",
                )


@dataclass(frozen=True)
class DrawnBody:
    """One body as it came out: its shape, what its dimensions differ by, and how it is shifted and turned."""

    shape: Shape | None
    changes: dict[str, float] = field(default_factory=dict)
    shift: Vector = (0.0, 0.0, 0.0)
    turn: Vector = (0.0, 0.0, 0.0)

    def pose(self, nominal: Pose) -> Pose:
        """Where it is instead: shifted along its parent's axes, turned about its own."""
        return nominal.moved(*self.shift) @ Pose.of_rpy(*self.turn)


def draw(tolerance: ToleranceLimits, shape: Shape | None, stream: Callable[[str], Random]) -> DrawnBody:
    """Draws one instance. Every value has a stream of its own, by name, so that none shifts another."""

    def value(name: str, limit: float) -> float:
        return deviate(limit, tolerance.law, stream(name)) if limit else 0.0

    names = dimensions(shape) if shape is not None and tolerance.size else {}
    changes = {name: value(f"size {name}", tolerance.size) for name in names}
    x, y, z = (value(f"at {axis}", limit) for axis, limit in zip("xyz", tolerance.at, strict=True))
    u, v, w = (value(f"angle {axis}", limit) for axis, limit in zip("xyz", tolerance.angle, strict=True))
    made = shape if shape is None else resized(shape, changes)
    return DrawnBody(made, changes, (x, y, z), (u, v, w))


def deviate(limit: float, law: Law, random: Random) -> float:
    """One deviation within ±limit."""
    if law == "uniform":
        return random.uniform(-limit, limit)
    while True:
        found = random.normalvariate(0.0, NORMAL * limit)
        if abs(found) <= limit:
            return found
