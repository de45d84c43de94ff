"""Trace-lines: the straight lines along which a sensor measures, as a fan, as a row, or one by one."""

import math
from collections.abc import Iterable
from typing import Annotated

from drycell.base import Many, Position, Problem, Quantity, Several, Size, Thing, Vector, Whole, type_of

Line = tuple[Vector, Vector]  # origin, direction of length 1, in the sensor's frame
Number = Annotated[int, Whole(least=1, most=10_000)]
Spread = Annotated[float, Quantity("angle", least=0.0, below=math.pi / 2)]
_DIRECTION = Several((Quantity("ratio"),) * 3, "[0, 0, 1]")
Lines = Annotated[
    tuple[tuple[Vector, Vector], ...], Many(Several((type_of(Position), _DIRECTION), "[[0, 0, 0], [0, 0, 1]]"))
]


class Row(Thing):
    """Parallel lines along z, evenly across a width along x: a light curtain."""

    count: Number
    """How many lines."""
    width: Size
    """Distance from the first to the last."""


class TraceLines(Thing):
    """A fan of lines, a row, or single lines. Each ends where it leaves the sensor's volume, or at ``reach``."""

    count: Number | None = None
    """Number of lines of a fan: one on the axis, the others evenly on a cone; two lines are in the x-z plane."""
    spread: Spread = 0.0
    """Half the opening angle of the fan."""
    row: Row | None = None
    """Parallel lines side by side."""
    lines: Lines = ()
    """Single lines, each as its origin and its direction."""
    reach: Size | None = None
    """Length of the lines; by default to where they leave the volume."""

    def problems(self) -> Iterable[Problem]:
        """Given in one way; every line has a direction."""
        ways = (self.count is not None) + (self.row is not None) + bool(self.lines)
        if ways != 1:
            hint = "write {count: 5, spread: 6 deg}, {row: {count: 8, width: 200 mm}} or {lines: [[…], …]}"
            yield Problem((), f"trace-lines are given in {ways} ways, one is wanted", hint)
        for index, (_, direction) in enumerate(self.lines):
            if not any(direction):
                hint = "write for example [0, 0, 1]"
                yield Problem(("lines", index), "a trace-line has the direction [0, 0, 0]", hint)

    def drawn(self) -> tuple[Line, ...]:
        """All lines in the sensor's frame."""
        if self.lines:
            return tuple((origin, _unit(direction)) for origin, direction in self.lines)
        if self.row is not None:
            step = self.row.width / max(self.row.count - 1, 1)
            first = -self.row.width / 2 if self.row.count > 1 else 0.0
            return tuple(((first + k * step, 0.0, 0.0), (0.0, 0.0, 1.0)) for k in range(self.row.count))
        count = self.count or 1
        sine, cosine = math.sin(self.spread), math.cos(self.spread)
        if count == 2:
            return tuple(((0.0, 0.0, 0.0), (x, 0.0, cosine)) for x in (sine, -sine))
        turns = [2.0 * math.pi * k / max(count - 1, 1) for k in range(count - 1)]
        around = [(sine * math.cos(turn), sine * math.sin(turn), cosine) for turn in turns]
        return tuple(((0.0, 0.0, 0.0), direction) for direction in ((0.0, 0.0, 1.0), *around))


def _unit(direction: Vector) -> Vector:
    x, y, z = direction
    length = math.sqrt(x * x + y * y + z * z)
    return (x / length, y / length, z / length)
