"""Hausdorff distance: how far one solid is from another at most, bounded from both sides, and closeness by volume.

A convex part is cut into tetrahedra. The distance to a convex part of the other solid is a convex function, so over a
tetrahedron it is largest at a corner: the least, over the parts, of the largest corner distance bounds the distance
from above. (To a bare surface the bound is a corner's distance plus the way to the others, for no distance changes
faster than one moves.) Every corner, pulled onto the part, is a point that is indeed that far away and bounds it from
below. Tetrahedra whose bound matters are halved across their longest edge until the two bounds meet.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from drycell.base import IDENTITY, Array, Pose, Vector, format_length
from drycell.geometry import solid
from drycell.geometry.compound import Compound
from drycell.geometry.convex_part import ConvexPart, convex_parts_of, shell
from drycell.geometry.mass import Faces
from drycell.geometry.shape import Shape

EFFORT: Final = 200_000.0  # points times pieces
_MOST_HALVED: Final = 6_000  # in one go
_EDGES: Final = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
FACETS: Final = 2e-4  # of a solid's size: how near facets are to round surfaces when volumes of unions are taken
_FINE: Final = 5e-5  # of a solid's size: how finely deviations are found
_EFFORT: Final = 5.0 * EFFORT  # it is measured once, and then told
_CONTAINED: Final = 1e-8  # metres


@dataclass(frozen=True)
class HausdorffBounds:
    """The largest distance lies in ``found`` … ``bound``; ``at`` is a point that is ``found`` away.

    ``along`` are the largest components, along x, y and z, of the shortest ways met with.
    """

    bound: float
    found: float
    at: Vector
    along: Vector


NO_DISTANCE: Final = HausdorffBounds(0.0, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def hausdorff(
    part: ConvexPart,
    solid: Sequence[ConvexPart],
    *,
    tolerance: float,
    enough: float = 0.0,
    limit: float = math.inf,
    effort: float = EFFORT,
) -> HausdorffBounds:
    """How far the farthest point of a convex part is from a solid made of pieces.

    The search ends when the bounds are within the tolerance, when the upper one is ``enough``, or when the lower one
    is past the ``limit``; when the ``effort`` (points times pieces) is spent, they stay as wide as they are.
    """
    if any(piece.pose == part.pose and piece.shape == part.shape for piece in solid):
        return NO_DISTANCE
    search = _Search(part, solid, 2.0 * limit)
    corners, faces = part.hull
    middle = len(corners)
    search.add(np.vstack((corners, corners.mean(axis=0))), np.full(len(corners) + 1, np.inf))
    open_ones: Faces = np.column_stack((faces, np.full(len(faces), middle)))
    bounds = search.bounds(open_ones)
    closed = 0.0
    while len(open_ones):
        near = search.found + max(tolerance, part.overshoot)
        if search.found <= limit:  # and it is not known yet on which side of it the truth is
            near = min(near, limit)
        wanted = bounds > max(enough, near)
        closed = max(closed, float(bounds[~wanted].max(initial=0.0)))
        open_ones, bounds = open_ones[wanted], bounds[wanted]
        if not len(open_ones) or search.found > limit or search.spent > effort:
            break
        order = np.argsort(-bounds, kind="stable")
        now, later = order[:_MOST_HALVED], order[_MOST_HALVED:]
        halves = search.halved(open_ones[now])
        open_ones = np.vstack((halves, open_ones[later]))
        bounds = np.concatenate((search.bounds(halves), bounds[later]))
    bound = max(closed, float(bounds.max(initial=0.0)), search.found)
    return HausdorffBounds(bound, search.found, search.at, search.along)


class _Search:
    """The points looked at so far, and their distances to every piece."""

    def __init__(self, part: ConvexPart, solid: Sequence[ConvexPart], cutoff: float) -> None:
        self._lump, self._solid, self._cutoff = part, solid, cutoff
        self._convex = np.array([piece.convex for piece in solid])
        self._points: Array = np.empty((0, 3))
        self._distances: Array = np.empty((0, len(solid)))
        self.spent = 0.0
        self.found = 0.0
        self.at: Vector = (0.0, 0.0, 0.0)
        self.along: Vector = (0.0, 0.0, 0.0)

    def add(self, points: Array, size: Array) -> None:
        """Look at new points: their distances, and what they say when pulled onto the part.

        ``size`` is how large the tetrahedra at each point are at most.
        """
        distances, ways = self._ways(points, size)
        self._points = np.vstack((self._points, points))
        self._distances = np.vstack((self._distances, distances))
        own = self._lump.nearest_points(points)
        outer = np.abs(own - points).max(axis=1) > 1e-12
        if outer.any():
            distances, ways = distances.copy(), ways.copy()
            distances[outer], ways[outer] = self._ways(own[outer], np.zeros(int(outer.sum())))
        lengths = distances.min(axis=1)
        best = int(np.argmax(lengths))
        if float(lengths[best]) > self.found:
            self.found = float(lengths[best])
            x, y, z = own[best].tolist()
            self.at = (x, y, z)
        a, b, c = np.maximum(self.along, np.abs(ways).max(axis=0, initial=0.0)).tolist()
        self.along = (a, b, c)

    def bounds(self, tetrahedra: Faces) -> Array:
        """Above which no point of each tetrahedron is from the solid."""
        corner = self._distances[tetrahedra]  # (t, 4, pieces)
        bound = np.full(len(tetrahedra), np.inf)
        if self._convex.any():
            bound = corner[:, :, self._convex].max(axis=1).min(axis=1)
        if not self._convex.all():
            places = self._points[tetrahedra]
            way = np.linalg.norm(places[:, :, None] - places[:, None], axis=3).max(axis=2)  # (t, 4)
            reached = corner[:, :, ~self._convex] + way[:, :, None]
            bound = np.minimum(bound, reached.min(axis=(1, 2)))
        return bound

    def halved(self, tetrahedra: Faces) -> Faces:
        """Each tetrahedron as two, cut at the middle of its longest edge."""
        places = self._points[tetrahedra]
        lengths = ((places[:, _EDGES[:, 0]] - places[:, _EDGES[:, 1]]) ** 2).sum(axis=2)
        edge = _EDGES[np.argmax(lengths, axis=1)]
        rows = np.arange(len(tetrahedra))
        ends = np.sort(np.column_stack((tetrahedra[rows, edge[:, 0]], tetrahedra[rows, edge[:, 1]])), axis=1)
        different, index = np.unique(ends, axis=0, return_inverse=True)
        middles = len(self._points) + index.ravel()
        starts, ends_at = self._points[different[:, 0]], self._points[different[:, 1]]
        self.add(0.5 * (starts + ends_at), np.linalg.norm(ends_at - starts, axis=1))
        first, second = tetrahedra.copy(), tetrahedra.copy()
        first[rows, edge[:, 0]] = middles
        second[rows, edge[:, 1]] = middles
        return np.vstack((first, second))

    def _ways(self, points: Array, size: Array) -> tuple[Array, Array]:
        """The distance of each point to each piece (n, pieces), and the shortest way of all (n, 3).

        What is farther than the nearest piece by twice the size of the tetrahedra cannot be nearest anywhere in them,
        and what is beyond the cut-off does not matter: both are not looked at closely and count as infinitely far.
        """
        distances, ways = np.full((len(points), len(self._solid)), np.inf), np.zeros_like(points)
        least = np.column_stack([piece.least(points) for piece in self._solid])
        least[least > self._cutoff] = np.inf
        first = np.argmin(least, axis=1)
        best = np.full(len(points), np.inf)
        for guess in (True, False):  # the likeliest piece of each point, then all that could matter besides
            reach = best + 2.0 * size
            for index, piece in enumerate(self._solid):
                mine = (first == index) if guess else (first != index) & (least[:, index] <= reach)
                near = np.flatnonzero(mine & (least[:, index] < np.inf))
                if len(near):
                    self.spent += piece.effort * len(near)
                    way = points[near] - piece.nearest_points(points[near])
                    length = np.linalg.norm(way, axis=1)
                    distances[near, index] = length
                    nearer = length < best[near]
                    best[near[nearer]], ways[near[nearer]] = length[nearer], way[nearer]
        return distances, ways


@dataclass(frozen=True)
class Closeness:
    """How close a simple solid is to a detailed one.

    ``volume`` is simple over detailed. ``distance`` is never below the largest distance of a point of either solid from
    the other (the Hausdorff distance), ``found`` never above it: a point that far off was met with, ``at``. ``along``
    are the largest components, along the solid's own x, y and z, of the shortest ways met with: none is above
    ``distance``. ``contains`` says that the simple solid holds the detailed one.
    """

    volume: float
    distance: float
    found: float
    along: Vector
    at: Vector
    contains: bool

    def __str__(self) -> str:
        x, y, z = (format_length(value) for value in self.along)
        kind = "contains it" if self.contains else "does not contain it"
        return (
            f"volume {self.volume:.4f} ×, at most {format_length(self.distance)} off "
            f"(found {format_length(self.found)}; along x {x}, y {y}, z {z}), {kind}"
        )


SAME: Final = Closeness(1.0, 0.0, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), True)


def closeness(simple: Shape, detailed: Shape) -> Closeness:
    """Measures how close one solid is to another; both are about the same origin."""
    if simple == detailed:
        return SAME
    whole = pieces_of(detailed)
    return between(pieces_of(simple), whole, whole, (union_volume(simple), union_volume(detailed)))


def between(
    simple: Sequence[ConvexPart],
    covered: Sequence[ConvexPart],
    detailed: Sequence[ConvexPart],
    volumes: tuple[float, float],
    known: float = math.inf,
) -> Closeness:
    """The same, of solids in pieces with their volumes; ``simple`` stands for what is ``covered`` of the detailed.

    ``known`` is what the distance is known not to be above.
    """
    size = max(float((part.bounds[1] - part.bounds[0]).max()) for part in detailed)
    tolerance = max(1e-6, _FINE * size)
    out = _largest(hausdorff(part, detailed, tolerance=tolerance, effort=_EFFORT) for part in simple)
    back = _largest(hausdorff(part, simple, tolerance=tolerance) for part in covered)
    contains = back.found <= _CONTAINED
    worst = out if contains or out.found >= back.found else back
    x, y, z = (max(a, b) for a, b in zip(out.along, back.along, strict=True))
    bound = max(min(out.bound if contains else max(out.bound, back.bound), known), worst.found)
    return Closeness(volumes[0] / volumes[1], bound, worst.found, (x, y, z), worst.at, contains)


def pieces_of(shape: Shape, pose: Pose = IDENTITY) -> list[ConvexPart]:
    """A solid's convex parts; a mesh that falls into too many of them stays whole."""
    if isinstance(shape, Compound):
        return [part for local, inner in shape.parts for part in pieces_of(inner, pose @ local)]
    found = convex_parts_of(shape, pose)
    return [shell(ConvexPart(pose, shape))] if found is None else found


def union_volume(shape: Shape) -> float:
    """The volume, overlaps of a compound's parts counted once; closed forms where there is no union to take."""
    if not isinstance(shape, Compound):
        return shape.volume
    if len(shape.parts) == 1:
        return union_volume(shape.parts[0][1])
    lower, upper = shape.bounds
    size = max(high - low for low, high in zip(lower, upper, strict=True))
    exact = [union_volume(part) for _, part in shape.parts]
    whole = float(solid.solid_of(shape, FACETS * size).volume())
    # Facets lie inside round surfaces: parts that do not meet lose nothing by adding up their true volumes instead.
    faceted = sum(float(solid.solid_of(part, FACETS * size).volume()) for _, part in shape.parts)
    return whole * (sum(exact) / faceted)


def _largest(found: Iterable[HausdorffBounds]) -> HausdorffBounds:
    listed = [NO_DISTANCE, *found]
    worst = max(listed, key=lambda each: each.found)
    x, y, z = (max(each.along[k] for each in listed) for k in range(3))
    return HausdorffBounds(max(each.bound for each in listed), worst.found, worst.at, (x, y, z))
