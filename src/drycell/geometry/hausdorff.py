"""Closeness of two solids: the ratio of their volumes, and the Hausdorff distance, bounded from both sides.

To bound the distance of a convex part from a solid, the part is cut into tetrahedra. The distance to one convex part of
the solid is a convex function, so over a tetrahedron it is largest at a corner: the smallest, over the solid's parts,
of the largest corner distance is an upper bound. (To a mesh that is not convex, the bound is a corner's distance plus
the length of the longest edge from it.) The distance of any corner inside the part is a lower bound. The
tetrahedra with the largest bounds are halved across their longest edge until the two bounds meet.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from drycell.base import Array, Vector, format_length
from drycell.geometry import solid
from drycell.geometry.compound import Compound
from drycell.geometry.convex_part import ConvexPart, parts_of
from drycell.geometry.mass import Faces
from drycell.geometry.shape import Shape

EFFORT: Final = 200_000  # points times parts; a point of a mesh counts 25 times
_REPORT_EFFORT: Final = 5 * EFFORT  # for the final figure
_MOST_HALVED: Final = 6_000  # tetrahedra per step
_EDGES: Final = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
_FACETS: Final = 2e-4  # fraction of the solid's size: the deviation of facets for the volume of a union
_TOLERANCE: Final = 5e-5  # fraction of the solid's size: the accuracy of reported distances
_CONTAINED: Final = 1e-8  # metres
_NONE: Final = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Closeness:
    """How close a simplified solid is to the original.

    Attributes:
        volume: volume of the simplified solid divided by that of the original.
        distance: upper bound of the Hausdorff distance, the largest distance of a point of either solid from the other.
        found: lower bound of the Hausdorff distance: the largest distance measured.
        along: largest components of measured distances along the solid's x, y and z.
        contains: whether the simplified solid contains the original.
    """

    volume: float
    distance: float
    found: float
    along: Vector
    contains: bool

    def __str__(self) -> str:
        x, y, z = (format_length(value) for value in self.along)
        kind = "contains it" if self.contains else "does not contain it"
        return (
            f"volume {self.volume:.4f} ×, at most {format_length(self.distance)} off "
            f"(found {format_length(self.found)}; along x {x}, y {y}, z {z}), {kind}"
        )


SAME: Final = Closeness(1.0, 0.0, 0.0, _NONE, True)


def closeness(simple: Shape, detailed: Shape) -> Closeness:
    """Measure how close one solid is to another. Both are given about the same origin."""
    if simple == detailed:
        return SAME
    parts = parts_of(detailed)
    return closeness_of_parts(parts_of(simple), parts, parts, union_volume(simple) / union_volume(detailed))


def closeness_of_parts(
    simple: Sequence[ConvexPart],
    covered: Sequence[ConvexPart],
    detailed: Sequence[ConvexPart],
    volume: float,
    known: float = math.inf,
) -> Closeness:
    """Measure the closeness of solids in parts.

    Args:
        simple: the new parts of the simplified solid.
        covered: the parts of the original that they replace.
        detailed: all parts of the original.
        volume: ratio of the volumes.
        known: a known upper bound of the distance.
    """
    size = max(float((part.bounds[1] - part.bounds[0]).max()) for part in detailed)
    tolerance = max(1e-6, _TOLERANCE * size)
    out = _largest([hausdorff(part, detailed, tolerance=tolerance, effort=_REPORT_EFFORT) for part in simple])
    back = _largest([hausdorff(part, simple, tolerance=tolerance) for part in covered])
    contains = back.found <= _CONTAINED
    both = out if contains else _largest([out, back])
    bound = max(min(both.bound, known), both.found)
    return Closeness(volume, bound, both.found, _largest([out, back]).along, contains)


def union_volume(shape: Shape) -> float:
    """The volume in m³; overlaps between the parts of a compound count once."""
    if not isinstance(shape, Compound):
        return shape.volume
    if len(shape.parts) == 1:
        return union_volume(shape.parts[0][1])
    lower, upper = shape.bounds
    deviation = _FACETS * max(high - low for low, high in zip(lower, upper, strict=True))
    whole = float(solid.solid_of(shape, deviation).volume())
    # Facets lie inside round surfaces. The ratio of true to faceted volumes corrects this, exactly if there are no
    # overlaps.
    faceted = sum(float(solid.solid_of(part, deviation).volume()) for _, part in shape.parts)
    return whole * (sum(union_volume(part) for _, part in shape.parts) / faceted)


@dataclass(frozen=True)
class HausdorffBounds:
    """The largest distance is between ``found`` and ``bound``; ``along`` has the largest components found."""

    bound: float
    found: float
    along: Vector


def _largest(bounds: Sequence[HausdorffBounds]) -> HausdorffBounds:
    x, y, z = (max((each.along[k] for each in bounds), default=0.0) for k in range(3))
    found = max((each.found for each in bounds), default=0.0)
    return HausdorffBounds(max((each.bound for each in bounds), default=0.0), found, (x, y, z))


def hausdorff(
    part: ConvexPart,
    solid: Sequence[ConvexPart],
    *,
    tolerance: float,
    enough: float = 0.0,
    limit: float = math.inf,
    effort: float = EFFORT,
) -> HausdorffBounds:
    """Bound the largest distance of any point of a part from a solid.

    Args:
        part: the part.
        solid: the parts of the solid.
        tolerance: the search ends when the bounds differ by no more than this, in metres …
        enough: … or when the upper bound is at most this …
        limit: … or when the lower bound exceeds this …
        effort: … or when this many distances were measured.
    """
    if any(other.pose == part.pose and other.shape == part.shape for other in solid):
        return HausdorffBounds(0.0, 0.0, _NONE)
    search = _Search(part, solid, 2.0 * limit)
    corners, faces = part.hull
    search.add(np.vstack((corners, corners.mean(axis=0))), np.full(len(corners) + 1, np.inf))
    tetrahedra: Faces = np.column_stack((faces, np.full(len(faces), len(corners))))
    bounds = search.bounds(tetrahedra)
    settled = 0.0
    while len(tetrahedra):
        threshold = search.found + max(tolerance, part.hull_margin)
        if search.found <= limit:  # precise enough to decide on which side of the limit the distance is
            threshold = min(threshold, limit)
        wanted = bounds > max(enough, threshold)
        settled = max(settled, float(bounds[~wanted].max(initial=0.0)))
        tetrahedra, bounds = tetrahedra[wanted], bounds[wanted]
        if not len(tetrahedra) or search.found > limit or search.spent > effort:
            break
        order = np.argsort(-bounds, kind="stable")
        now, later = order[:_MOST_HALVED], order[_MOST_HALVED:]
        halves = search.halved(tetrahedra[now])
        tetrahedra = np.vstack((halves, tetrahedra[later]))
        bounds = np.concatenate((search.bounds(halves), bounds[later]))
    bound = max(settled, float(bounds.max(initial=0.0)), search.found)
    x, y, z = search.along.tolist()
    return HausdorffBounds(bound, search.found, (x, y, z))


class _Search:
    """The points measured so far, and their distances to every part of the solid."""

    def __init__(self, part: ConvexPart, solid: Sequence[ConvexPart], cutoff: float) -> None:
        self._part, self._solid, self._cutoff = part, solid, cutoff
        self._convex = np.array([other.convex for other in solid])
        self._lower, self._upper = (np.array([other.bounds[k] for other in solid]) for k in range(2))
        self._points: Array = np.empty((0, 3))
        self._distances: Array = np.empty((0, len(solid)))
        self.spent = 0
        self.found = 0.0
        self.along: Array = np.zeros(3)

    def add(self, points: Array, size: Array) -> None:
        """Measure new points; ``size`` is the size of the largest tetrahedron at each."""
        distances, ways = self._measured(points, size)
        self._points = np.vstack((self._points, points))
        self._distances = np.vstack((self._distances, distances))
        inner = self._part.nearest_points(points)
        outside = np.abs(inner - points).max(axis=1) > 1e-12
        if outside.any():  # the hull is larger than the part: only points of the part itself count as found
            distances, ways = distances.copy(), ways.copy()
            distances[outside], ways[outside] = self._measured(inner[outside], np.zeros(int(outside.sum())))
        self.found = max(self.found, float(distances.min(axis=1).max()))
        self.along = np.maximum(self.along, np.abs(ways).max(axis=0, initial=0.0))

    def bounds(self, tetrahedra: Faces) -> Array:
        """Upper bounds of the distance of any point of each tetrahedron from the solid."""
        corner = self._distances[tetrahedra]  # (t, 4, parts)
        bound = np.full(len(tetrahedra), np.inf)
        if self._convex.any():
            bound = corner[:, :, self._convex].max(axis=1).min(axis=1)
        if not self._convex.all():
            places = self._points[tetrahedra]
            longest = np.linalg.norm(places[:, :, None] - places[:, None], axis=3).max(axis=2)  # (t, 4)
            bound = np.minimum(bound, (corner[:, :, ~self._convex] + longest[:, :, None]).min(axis=(1, 2)))
        return bound

    def halved(self, tetrahedra: Faces) -> Faces:
        """Each tetrahedron cut in two at the middle of its longest edge."""
        places = self._points[tetrahedra]
        lengths = ((places[:, _EDGES[:, 0]] - places[:, _EDGES[:, 1]]) ** 2).sum(axis=2)
        edge = _EDGES[np.argmax(lengths, axis=1)]
        rows = np.arange(len(tetrahedra))
        ends = np.sort(np.column_stack((tetrahedra[rows, edge[:, 0]], tetrahedra[rows, edge[:, 1]])), axis=1)
        edges, index = np.unique(ends, axis=0, return_inverse=True)
        middles = len(self._points) + index.ravel()
        starts, stops = self._points[edges[:, 0]], self._points[edges[:, 1]]
        self.add(0.5 * (starts + stops), np.linalg.norm(stops - starts, axis=1))
        first, second = tetrahedra.copy(), tetrahedra.copy()
        first[rows, edge[:, 0]] = middles
        second[rows, edge[:, 1]] = middles
        return np.vstack((first, second))

    def _measured(self, points: Array, size: Array) -> tuple[Array, Array]:
        """The distance of each point to each part (n, parts), and the shortest vector of all (n, 3).

        A part farther away than the nearest part by twice the size of the tetrahedra is not the nearest anywhere in
        them, and beyond the cutoff no distance matters. Both count as infinitely far.
        """
        distances, ways = np.full((len(points), len(self._solid)), np.inf), np.zeros_like(points)
        outside = np.maximum(self._lower - points[:, None], points[:, None] - self._upper)
        least = np.linalg.norm(np.maximum(outside, 0.0), axis=2)  # distances from the bounding boxes
        least[least > self._cutoff] = np.inf
        likeliest = np.argmin(least, axis=1)
        best = np.full(len(points), np.inf)
        for first in (True, False):  # the most likely part of each point, then all others that could matter
            reach = best + 2.0 * size
            for index, part in enumerate(self._solid):
                chosen = (likeliest == index) if first else (likeliest != index) & (least[:, index] <= reach)
                near = np.flatnonzero(chosen & (least[:, index] < np.inf))
                if len(near):
                    self.spent += part.effort * len(near)
                    way = points[near] - part.nearest_points(points[near])
                    length = np.linalg.norm(way, axis=1)
                    distances[near, index] = length
                    nearer = length < best[near]
                    best[near[nearer]], ways[near[nearer]] = length[nearer], way[nearer]
        return distances, ways
