"""Convex outlines in the plane: hulls, sums, areas and points inside. All are polygons, counter-clockwise."""

import math
from collections.abc import Iterable

Point = tuple[float, float]
Polygon = tuple[Point, ...]


def convex_outline(points: Iterable[Point]) -> Polygon:
    """Return the convex hull of points, counter-clockwise (A. M. Andrew, 1979).

    Args:
        points: Points in the plane, in metres. Two points, or points on a line, result in that line's two ends.
    """
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return tuple(ordered)
    lower, upper = _chain(ordered), _chain(ordered[::-1])
    return tuple(lower[:-1] + upper[:-1])


def _chain(points: list[Point]) -> list[Point]:
    found: list[Point] = []
    for x, y in points:
        while len(found) > 1:
            (ax, ay), (bx, by) = found[-2], found[-1]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0.0:
                break
            found.pop()
        found.append((x, y))
    return found


def minkowski_sum(a: Polygon, b: Polygon) -> Polygon:
    """Return the sum of two convex outlines: all points p + q with p in ``a`` and q in ``b``.

    Args:
        a: A convex outline, counter-clockwise, or a line's two ends.
        b: Another.
    """
    a, b = _from_lowest(a), _from_lowest(b)
    found: list[Point] = []
    i = j = 0
    while i < len(a) or j < len(b):
        (px, py), (qx, qy) = a[i % len(a)], b[j % len(b)]
        found.append((px + qx, py + qy))
        # The next side is the one that turns less: the sides of both outlines are in order of their direction.
        (ux, uy), (vx, vy) = a[(i + 1) % len(a)], b[(j + 1) % len(b)]
        turn = (ux - px) * (vy - qy) - (uy - py) * (vx - qx)
        if j >= len(b) or (i < len(a) and turn > 0.0):
            i += 1
        elif i >= len(a) or turn < 0.0:
            j += 1
        else:
            i, j = i + 1, j + 1
    return tuple(found)


def _from_lowest(outline: Polygon) -> Polygon:
    """The outline from its lowest, leftmost corner on."""
    first = min(range(len(outline)), key=lambda k: (outline[k][1], outline[k][0]))
    return outline[first:] + outline[:first]


def outline_area(outline: Polygon) -> float:
    """Return the area of a polygon in m²: positive if it runs counter-clockwise."""
    return 0.5 * math.fsum(ax * by - bx * ay for (ax, ay), (bx, by) in _sides(outline))


def inside_outline(outline: Polygon, point: Point, margin: float = 0.0) -> bool:
    """Return whether a point is in a convex outline, or at most ``margin`` (in metres) outside it.

    Args:
        outline: A convex polygon, counter-clockwise, or a line's two ends, or one point.
        point: The point.
        margin: How far outside the sides it may be; negative for points that must be deeper inside.
    """
    x, y = point
    if len(outline) < 3:
        return math.dist(nearest_on_outline(outline, point), point) <= margin
    for (ax, ay), (bx, by) in _sides(outline):
        dx, dy = bx - ax, by - ay
        if dx * (y - ay) - dy * (x - ax) < -margin * math.sqrt(dx * dx + dy * dy):
            return False
    return True


def nearest_on_outline(outline: Polygon, point: Point) -> Point:
    """Return the point of a polygon's boundary that is nearest to a point."""
    x, y = point
    best, least = outline[0], math.inf
    for (ax, ay), (bx, by) in _sides(outline):
        dx, dy = bx - ax, by - ay
        square = dx * dx + dy * dy
        share = ((x - ax) * dx + (y - ay) * dy) / square if square > 0.0 else 0.0
        share = min(max(share, 0.0), 1.0)
        found = (ax + share * dx, ay + share * dy)
        gap = (found[0] - x) * (found[0] - x) + (found[1] - y) * (found[1] - y)
        if gap < least:
            best, least = found, gap
    return best


def _sides(outline: Polygon) -> Iterable[tuple[Point, Point]]:
    return zip(outline, outline[1:] + outline[:1], strict=True)
