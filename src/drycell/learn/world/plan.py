"""Floor plans: walls as straight segments in the plane, seen from above, each of a material; all lengths in metres."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from drycell.base import FieldError
from drycell.world import Materials

Point = tuple[float, float]
Column = NDArray[np.float64]
MOST_WALLS: Final = 20_000
PLASTER: Final = "paint"  # what walls are made of if nothing is said: a painted, smooth wall


@dataclass(frozen=True, slots=True)
class Wall:
    """A straight piece of wall without thickness, from a point to another."""

    start: Point
    end: Point
    material: str = PLASTER

    @property
    def length(self) -> float:
        """How long it is."""
        return math.dist(self.start, self.end)


@dataclass(frozen=True)
class FloorPlan:
    """Walls under a name. Rooms, corridors and mazes make such plans and add what they know of the way through."""

    name: str
    walls: tuple[Wall, ...] = field(repr=False)

    def __post_init__(self) -> None:
        if not 1 <= len(self.walls) <= MOST_WALLS:
            raise FieldError(
                f"the plan {self.name!r} has {len(self.walls)} walls, 1 to {MOST_WALLS} can be",
                hint="draw walls that lie in one line as one wall",
            )
        for number, wall in enumerate(self.walls, 1):
            if not all(map(math.isfinite, (*wall.start, *wall.end))) or wall.length < 1e-6:
                raise FieldError(
                    f"wall {number} of {self.name!r} goes from {wall.start} to {wall.end}",
                    hint="its ends must be finite and at least 1 µm apart",
                )
            Materials().check(wall.material)

    @cached_property
    def columns(self) -> tuple[Column, Column, Column, Column]:
        """All walls as columns: x and y of the start, and what leads from there to the end."""
        starts = np.array([wall.start for wall in self.walls])
        ends = np.array([wall.end for wall in self.walls])
        return starts[:, 0].copy(), starts[:, 1].copy(), ends[:, 0] - starts[:, 0], ends[:, 1] - starts[:, 1]

    @cached_property
    def directions(self) -> tuple[Column, Column, Column]:
        """All walls as columns: x and y of their directions (of length 1), and their lengths."""
        _, _, ex, ey = self.columns
        lengths = np.sqrt(ex * ex + ey * ey)
        return ex / lengths, ey / lengths, lengths

    @cached_property
    def unit_lists(self) -> tuple[list[float], list[float]]:
        """The walls' directions as plain floats, for what is done line by line."""
        ux, uy, _ = self.directions
        return ux.tolist(), uy.tolist()

    @cached_property
    def materials(self) -> list[str]:
        """What each wall is made of."""
        return [wall.material for wall in self.walls]

    @cached_property
    def bounds(self) -> tuple[Point, Point]:
        """The lower left and the upper right corner of what the walls take up."""
        xs = [x for wall in self.walls for x in (wall.start[0], wall.end[0])]
        ys = [y for wall in self.walls for y in (wall.start[1], wall.end[1])]
        return (min(xs), min(ys)), (max(xs), max(ys))

    def of_material(self, material: str, walls: Iterable[int] | None = None) -> "FloorPlan":
        """The same plan with all walls, or those of these numbers, of another material."""
        chosen = set(range(len(self.walls)) if walls is None else walls)
        changed = (replace(wall, material=material) if k in chosen else wall for k, wall in enumerate(self.walls))
        return replace(self, walls=tuple(changed))


def closed(corners: Sequence[Point], material: str = PLASTER) -> tuple[Wall, ...]:
    """Walls from corner to corner and back to the first."""
    return tuple(Wall(a, b, material) for a, b in zip(corners, (*corners[1:], corners[0]), strict=True))


def chain(corners: Sequence[Point], material: str = PLASTER) -> tuple[Wall, ...]:
    """Walls from corner to corner, ending at the last; corners in one place count as one."""
    return tuple(Wall(a, b, material) for a, b in pairwise(corners) if math.dist(a, b) > 1e-6)
