"""Trace-lines: the straight lines along which a sensor measures, as a fan, as a row, or one by one."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from drycell.errors import FieldError
from drycell.fields import Angle, Position, Ratio, Several, Size
from drycell.sensors.volume import STRICT
from drycell.spatial import Vector

Line = tuple[Vector, Vector]  # origin, direction of length 1, in the sensor's frame
Direction = Annotated[tuple[Ratio, Ratio, Ratio], Several(3, "[0, 0, 1]")]
WrittenLine = Annotated[tuple[Position, Direction], Several(2, "[[0, 0, 0], [0, 0, 1]]")]


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """Parallel lines along z, evenly across a width along x: a light curtain."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    count: int
    width: Size


@dataclass(frozen=True, kw_only=True, slots=True)
class TraceLines:
    """A fan (``count`` lines, one on the axis, the others evenly on a cone of half angle ``spread``), a ``row``, or
    ``lines`` one by one as origin and direction. Two lines are at ±``spread`` in the x-z plane, none on the axis.

    Each line ends where it leaves the sensor's volume, or at ``reach``.
    """

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    count: int | None = None
    spread: Angle = 0.0
    row: Row | None = None
    lines: tuple[WrittenLine, ...] = ()
    reach: Size | None = None

    def __post_init__(self) -> None:
        ways = (self.count is not None) + (self.row is not None) + bool(self.lines)
        if ways != 1:
            raise FieldError(
                f"trace-lines are given in {ways} ways, one is wanted",
                hint="write {count: 5, spread: 6 deg}, {row: {count: 8, width: 200 mm}} or {lines: [[…], …]}",
            )
        number = self.count if self.count is not None else self.row.count if self.row is not None else 1
        if not (isinstance(number, int) and 1 <= number <= 10_000):
            raise FieldError(
                f"{number} trace-lines are wanted, must be a whole number, 1…10000", hint="write for example count: 5"
            )
        if not 0.0 <= self.spread < math.pi / 2:
            raise FieldError(
                f"the trace-lines' spread is {math.degrees(self.spread):g} deg, must be 0 or more and below 90 deg",
                hint="write for example spread: 6 deg",
            )
        for _, direction in self.lines:
            if not any(direction):
                raise FieldError("a trace-line has the direction [0, 0, 0]", hint="write for example [0, 0, 1]")

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
