"""Prism: an outline in x and y, pulled along z."""

import math
from functools import cached_property
from typing import Annotated, Final

import numpy as np

from drycell.base import Array, GeometryError, Many, Quantity, Several, Size, format_length
from drycell.geometry import checks
from drycell.geometry.mass import Faces
from drycell.geometry.polyhedron import Polyhedron
from drycell.geometry.shape import content

Outline = Annotated[tuple[tuple[float, float], ...], Many(Several((Quantity("length"),) * 2, "[30 mm, 0 mm]"))]

MOST_POINTS: Final = 2000


class Prism(
    Polyhedron,
    kind="prism",
    kw_only=False,
    icon="details",
    example={"outline": [["0 mm", "0 mm"], ["100 mm", "0 mm"], ["0 mm", "100 mm"]], "length": "100 mm"},
):
    """A simple outline of (x, y) points, concave if need be, pulled along z about z = 0.

    Either sense of the outline will do; it is closed from the last point to the first.
    """

    outline: Outline
    """Corners (x, y), in order around it; the last is joined to the first."""
    length: Size
    """Length along z."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", checks.size("prism", "length", self.length))
        points = tuple((float(x) + 0.0, float(y) + 0.0) for x, y in self.outline)
        if len(points) > 1 and points[0] == points[-1]:
            points = points[:-1]
        _check(points)
        object.__setattr__(self, "outline", points if _area(points) > 0 else points[::-1])

    @cached_property
    def key(self) -> str:
        """Kind, length and outline."""
        return content("prism", self.length, *(value for point in self.outline for value in point))

    @cached_property
    def _triangles(self) -> tuple[Array, Faces]:
        import manifold3d

        flat = np.array(self.outline)
        count, half = len(flat), self.length / 2
        lids = np.asarray(manifold3d.triangulate([flat])).astype(np.int64)
        k = np.arange(count)
        n = (k + 1) % count
        low = np.column_stack((flat, np.full(count, -half)))
        high = np.column_stack((flat, np.full(count, half)))
        walls = (np.column_stack((k, n, n + count)), np.column_stack((k, n + count, k + count)))
        return np.concatenate((low, high)), np.concatenate((lids[:, ::-1], lids + count, *walls))

    def triangles(self, deviation: float | None = None) -> tuple[Array, Faces]:
        """Two lids and the walls between."""
        return self._triangles


def _area(points: Outline) -> float:
    return 0.5 * math.fsum(a[0] * b[1] - b[0] * a[1] for a, b in _sides(points))


def _sides(points: Outline) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    return list(zip(points, points[1:] + points[:1], strict=True))


def _check(points: Outline) -> None:
    if not 3 <= len(points) <= MOST_POINTS:
        raise GeometryError(
            f"prism: the outline has {len(points)} points, must have 3..{MOST_POINTS}", hint="name each corner once"
        )
    flat = np.array(points)
    if not np.isfinite(flat).all() or float(np.abs(flat).max()) > checks.LARGEST:
        raise GeometryError("prism: the outline has a point that is no finite length", hint="write (10*mm, 20*mm)")
    sides = _sides(points)
    for index, (a, b) in enumerate(sides):
        if a == b:
            raise GeometryError(
                f"prism: points {index} and {(index + 1) % len(points)} of the outline are the same, {_text(a)}",
                hint="name each corner once",
            )
    start, along = flat, np.roll(flat, -1, axis=0) - flat
    for index in range(len(points) - 1):
        others = np.arange(index + 1, len(points))
        if index == 0:
            others = others[:-1]
        crossed = others[_meets(start[index], along[index], start[others], along[others], others == index + 1)]
        if len(crossed):
            other = int(crossed[0])
            raise GeometryError(
                f"prism: side {index} ({_text(sides[index][0])} to {_text(sides[index][1])}) crosses side {other} "
                f"({_text(sides[other][0])} to {_text(sides[other][1])})",
                hint="give the corners in order round the outline",
            )
    a, b = along[-1], along[0]
    if a[0] * b[1] - a[1] * b[0] == 0.0 and float(a @ b) < 0.0:
        raise GeometryError(
            f"prism: the outline turns back on itself at {_text(points[0])}", hint="leave that corner out"
        )
    if abs(_area(points)) <= 0.0:
        raise GeometryError("prism: the outline has no area", hint="give three corners that are not in line")


def _meets(p: Array, r: Array, q: Array, s: Array, follows: Array) -> Array:
    """Which sides q…q+s meet the side p…p+r; one that follows it may touch its end but not fold back on it."""
    cross = r[0] * s[:, 1] - r[1] * s[:, 0]
    gap = q - p
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (gap[:, 0] * s[:, 1] - gap[:, 1] * s[:, 0]) / cross
        u = (gap[:, 0] * r[1] - gap[:, 1] * r[0]) / cross
    proper = (cross != 0.0) & (t >= 0.0) & (t <= 1.0) & (u >= 0.0) & (u <= 1.0)
    square = float(r @ r)
    in_line = (cross == 0.0) & (np.abs(gap[:, 0] * r[1] - gap[:, 1] * r[0]) <= 1e-15 * square)
    first, second = gap @ r / square, (gap + s) @ r / square
    overlaps = in_line & (np.maximum(first, second) >= 0.0) & (np.minimum(first, second) <= 1.0)
    back = in_line & (second < 1.0)
    meets: Array = np.where(follows, back, proper | overlaps)
    return meets


def _text(point: tuple[float, float]) -> str:
    return f"({format_length(point[0])}, {format_length(point[1])})"
