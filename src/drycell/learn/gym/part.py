"""Parts to be treated: panels that hang in a row, every one a little longer, lower, tilted or bowed than drawn."""

import math
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Final

import numpy as np

from drycell.base import Array, FieldError, deg, mm
from drycell.learn.world import FloorPlan, Point
from drycell.learn.world.plan import chain

_PIECES: Final = 8  # straight ones that a bowed panel is made of
_METAL: Final = "steel"
CELL: Final = 10 * mm  # the surface is looked at in strips of about this


@dataclass(frozen=True)
class Part:
    """A panel in section (x along the row, z up): from ``start``, so long, so high in its middle, tilted and bowed."""

    start: float
    length: float
    height: float
    tilt: float
    bow: float

    @cached_property
    def outline(self) -> tuple[Point, ...]:
        """Points along the surface."""
        cosine, sine = math.cos(self.tilt), math.sin(self.tilt)
        points: list[Point] = []
        for k in range(_PIECES + 1):
            u = (k / _PIECES - 0.5) * self.length
            w = self.bow * (1.0 - (2.0 * u / self.length) ** 2)
            points.append((self.start + self.length / 2.0 + cosine * u - sine * w, self.height + sine * u + cosine * w))
        return tuple(points)

    @cached_property
    def strips(self) -> Array:
        """(n, 2): the middles of the strips that the surface is made of."""
        corners = np.array(self.outline)
        count = max(round(self.length / CELL), 1)
        far = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(corners, axis=0).T))])
        at = (np.arange(count) + 0.5) / count * far[-1]
        found: Array = np.stack([np.interp(at, far, corners[:, 0]), np.interp(at, far, corners[:, 1])], axis=1)
        return found


@dataclass(frozen=True, kw_only=True)
class Hanger:
    """What hangs in the row: how many parts, their drawing, and how far each may be off it, evenly to either side."""

    parts: int = 2
    length: float = 700 * mm
    gap: float = 300 * mm
    lead: float = 200 * mm  # before the first and after the last part
    shift: float = 90 * mm
    stretch: float = 150 * mm
    drop: float = 100 * mm
    tilt: float = 6 * deg
    bow: float = 40 * mm

    def __post_init__(self) -> None:
        free = min(self.gap / 2.0, self.lead) - self.shift - self.stretch / 2.0
        if self.parts < 1 or self.length <= self.stretch or free <= -self.shift:
            raise FieldError(
                f"{self.parts} parts of {self.length:g} m with gaps of {self.gap:g} m vary by too much",
                hint="give one part or more, longer than they vary by, and gaps that are wider",
            )

    @property
    def row(self) -> float:
        """The length of the row as drawn, what lies before and behind included."""
        return 2.0 * self.lead + self.parts * self.length + (self.parts - 1) * self.gap

    def hang(self, stream: Random) -> tuple[Part, ...]:
        """A row of parts."""
        found: list[Part] = []
        for number in range(self.parts):
            length = self.length + stream.uniform(-1.0, 1.0) * self.stretch
            middle = self.lead + number * (self.length + self.gap) + self.length / 2.0
            middle += stream.uniform(-1.0, 1.0) * min(self.shift, self.gap / 2.0)
            found.append(
                Part(
                    middle - length / 2.0,
                    length,
                    stream.uniform(-1.0, 1.0) * self.drop,
                    stream.uniform(-1.0, 1.0) * self.tilt,
                    stream.uniform(-1.0, 1.0) * self.bow,
                )
            )
        return tuple(found)


@dataclass(frozen=True)
class Row:
    """Parts that hang, as walls that sensors see and as strips that coating falls on."""

    parts: tuple[Part, ...]
    plan: FloorPlan = field(init=False)
    strips: Array = field(init=False)
    length: float = field(init=False)  # of the surface

    def __post_init__(self) -> None:
        walls = [wall for part in self.parts for wall in chain(part.outline, _METAL)]
        object.__setattr__(self, "plan", FloorPlan("row of parts", tuple(walls)))
        object.__setattr__(self, "length", math.fsum(wall.length for wall in walls))
        object.__setattr__(self, "strips", np.concatenate([part.strips for part in self.parts]))
