"""Lofts: solids through cross-sections along an axis, which fit the bodies of real robots with few numbers."""

import math
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal

import numpy as np

from drycell.base import IDENTITY, Array, GeometryError, Problem, mm
from drycell.geometry import mass
from drycell.geometry.compound import Compound
from drycell.geometry.convex_decomposition import ConvexMesh, convex_hull
from drycell.geometry.mass import Faces
from drycell.geometry.polyhedron import Polyhedron
from drycell.geometry.shape import Shape, ShapeModel, content

_CORNERS: Final = 24  # of each section: a circle deviates by 0.86 % of its radius
_FINE: Final = 720
_ORDER: Final = {"x": (1, 2, 0), "y": (2, 0, 1), "z": (0, 1, 2)}  # the axis → which of x, y, z are u, v and s

Axis = Literal["x", "y", "z"]
Section = tuple[float, float, float, float, float, float]
"""Place s on the axis, centre (u, v), half sizes a and b, and exponent n of a superellipse."""


class Taper(
    Polyhedron,
    kind="taper",
    kw_only=False,
    example={"axis": "z", "low": [0, 0, 0, 0.05, 0.05, 2], "high": [0.1, 0, 0, 0.03, 0.03, 8]},
):
    """The convex hull of two cross-sections along an axis.

    A section is ``[s, u, v, a, b, n]``, in metres: at s on the axis, the superellipse |x/a|ⁿ + |y/b|ⁿ = 1 about (u, v).
    With n = 2 it is an ellipse; the larger n is, the closer it is to a rectangle. u and v are along the next two axes:
    y and z for x, z and x for y.

    >>> from drycell.geometry import Taper
    >>> nose = Taper("z", (0, 0, 0, 0.05, 0.05, 2), (0.2, 0, 0, 0.04, 0.04, 2))
    >>> [round(value * 1000) for value in nose.bounds[1]]
    [50, 50, 200]
    """

    axis: Axis
    """The axis of the frame that the sections are along."""
    low: Section
    """One section, as ``[s, u, v, a, b, n]`` in metres."""
    high: Section
    """The other section."""

    def problems(self) -> Iterator[Problem]:
        """Check that both sections have a size above zero."""
        for field in ("low", "high"):
            _, _, _, a, b, n = getattr(self, field)
            if not (a > 0.0 and b > 0.0 and n > 0.0):
                yield Problem((field,), f"a, b and n must be above 0, not {a:g}, {b:g} and {n:g}")

    @cached_property
    def key(self) -> str:
        """Kind, axis and sections."""
        return content(f"taper {self.axis}", *self.low, *self.high)

    @cached_property
    def _hull(self) -> ConvexMesh:
        order = _ORDER[self.axis]
        below, above = sorted((self.low, self.high))
        if below[0] == above[0]:
            raise GeometryError("taper: both sections are in one plane, so they enclose no volume")
        corners = np.concatenate((_ring(below, order), _ring(above, order)))
        if min(below[5], above[5]) >= 1.0:
            return _between(corners, order)
        # The edge of such a section is concave, so that not all of its corners are on the hull.
        found = convex_hull(corners)
        if found is None:
            raise GeometryError("taper: both sections are in one plane, so they enclose no volume")
        return found

    def triangles(self, deviation: float | None = None) -> tuple[Array, Faces]:
        """The triangles of the hull; every section has 24 corners."""
        return self._hull.vertices, self._hull.faces

    def _parts(self) -> list[ConvexMesh]:
        return [self._hull]

    def moved(self, coordinate: Callable[[int, float], float]) -> "Taper":
        """The shape with its extents along x, y and z (0, 1, 2) moved by a monotonic function."""
        iu, iv, it = _ORDER[self.axis]

        def section(at: float, u: float, v: float, a: float, b: float, n: float) -> Section:
            (left, right), (front, back) = (
                (coordinate(place, middle - half), coordinate(place, middle + half))
                for place, middle, half in ((iu, u, a), (iv, v, b))
            )
            centre = (0.5 * (left + right), 0.5 * (front + back))
            return (coordinate(it, at), *centre, 0.5 * abs(right - left), 0.5 * abs(back - front), n)

        return Taper(self.axis, section(*self.low), section(*self.high))


class Loft(
    ShapeModel,
    kind="loft",
    kw_only=False,
    example={"axis": "z", "sections": [[0, 0, 0, 50, 50, 2], [100, 0, 0, 30, 30, 8]], "units": "mm"},
):
    """A solid through several cross-sections along an axis: a taper from each section to the next one.

    >>> from drycell import Body
    >>> from drycell.geometry import Loft
    >>> hood = Body(Loft("z", ((0, 0, 0, 50, 50, 2), (200, 0, 0, 40, 40, 2), (250, 0, 0, 20, 20, 2)), units="mm"))
    """

    axis: Axis
    """The axis of the frame that the sections are along."""
    sections: tuple[Section, ...]
    """The sections, each ``[s, u, v, a, b, n]`` as in a taper, but in ``units``."""
    units: Literal["m", "mm"]
    """Unit of s, u, v, a and b."""

    def problems(self) -> Iterator[Problem]:
        """Check that there are at least two sections, each with a size above zero."""
        if len(self.sections) < 2:
            yield Problem(("sections",), "a loft has at least two sections")
        for number, (_, _, _, a, b, n) in enumerate(self.sections):
            if not (a > 0.0 and b > 0.0 and n > 0.0):
                yield Problem(("sections", number), f"a, b and n must be above 0, not {a:g}, {b:g} and {n:g}")

    def solid(self, folder: Path) -> Shape:
        """The union of the tapers."""
        scale = mm if self.units == "mm" else 1.0
        sections = [(s * scale, u * scale, v * scale, a * scale, b * scale, n) for s, u, v, a, b, n in self.sections]
        return Compound(tuple((IDENTITY, Taper(self.axis, low, high)) for low, high in pairwise(sections)))


def _ring(section: Section, order: tuple[int, int, int]) -> Array:
    """The corners of a section, evenly along its edge."""
    s, u, v, a, b, n = section
    x, y = _outline(a, b, n)
    points = np.empty((_CORNERS, 3))
    points[:, order[0]], points[:, order[1]], points[:, order[2]] = u + x, v + y, s
    return points


def _between(corners: Array, order: tuple[int, int, int]) -> ConvexMesh:
    """The convex hull of two convex sections in parallel planes; the corners of the lower one come first.

    A side of the hull stands on an edge of one section and leans on the corner of the other that is outermost in its
    direction. So the sides follow from the directions of the edges, in a tenth of the time of a general hull.
    """
    flat = corners[:, order[:2]].reshape(2, _CORNERS, 2)
    along = np.roll(flat, -1, axis=1) - flat
    before, after = along[:, :-1], along[:, 1:]
    # Summed turns, because the directions of almost straight edges can turn back by rounding.
    cross = before[..., 0] * after[..., 1] - before[..., 1] * after[..., 0]
    turns = np.arctan2(np.maximum(cross, 0.0), np.einsum("kij,kij->ki", before, after))
    start = np.arctan2(along[:, 0, 1], along[:, 0, 0])
    angles = np.minimum(np.concatenate((np.zeros((2, 1)), np.cumsum(turns, axis=1)), axis=1), math.tau)
    # The direction of each edge, counted from the first edge of the upper section, in ascending order.
    high, low = angles[1], angles[0] + (start[0] - start[1]) % math.tau
    mine = (np.arange(_CORNERS) + np.searchsorted(low, math.tau)) % _CORNERS
    others = np.arange(_CORNERS) + _CORNERS
    low = np.maximum.accumulate(np.where(low < math.tau, low, low - math.tau)[mine])
    beside_low = others[np.searchsorted(high, low, "left") % _CORNERS]
    beside_high = mine[np.searchsorted(low, high, "right") % _CORNERS]
    fan = np.arange(1, _CORNERS - 1)
    lid = np.column_stack((np.zeros_like(fan), fan, fan + 1))
    sides = np.concatenate(
        (
            np.column_stack((mine, np.roll(mine, -1), beside_low)),
            np.column_stack((np.roll(others, -1), others, beside_high)),
        )
    )
    faces = np.concatenate((sides, lid[:, ::-1], lid + _CORNERS)).astype(np.int64)
    p, q, r = (corners[sides[:, k]] for k in range(3))
    normals = np.cross(q - p, r - p)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    up = np.eye(3)[order[2]]
    normals = np.concatenate((normals, [-up, up]))
    offsets = np.einsum("ij,ij->i", normals, np.concatenate((p, corners[[0, _CORNERS]])))
    planes = np.column_stack((normals, -offsets))
    scale = float(np.ptp(corners, axis=0).max())
    _, kept = np.unique(np.round(planes / (1.0, 1.0, 1.0, scale), 10), axis=0, return_index=True)
    return ConvexMesh(corners, faces, planes[np.sort(kept)], mass.of_triangles(corners, faces).volume)


@cache
def _outline(a: float, b: float, n: float) -> tuple[Array, Array]:
    """The corners of a superellipse about the origin."""
    angles = math.tau * np.arange(_FINE) / _FINE
    x, y = _polar(angles, a, b, n)
    length = np.concatenate(([0.0], np.cumsum(np.hypot(np.diff(x, append=x[0]), np.diff(y, append=y[0])))))
    even = np.interp((np.arange(_CORNERS) + 0.5) / _CORNERS * length[-1], length, np.arange(_FINE + 1))
    return _polar(even * math.tau / _FINE, a, b, n)


def _polar(angles: Array, a: float, b: float, n: float) -> tuple[Array, Array]:
    """The points of a superellipse at angles about its centre."""
    c, s = np.cos(angles), np.sin(angles)
    r = (np.abs(c / a) ** n + np.abs(s / b) ** n) ** (-1.0 / n)
    return r * c, r * s
