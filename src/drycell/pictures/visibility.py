"""Visibility: which stretches of lines on a page no triangle hides.

Lines and triangles are given on the page with their nearness (projection.py). A triangle hides the stretch of a line
that is inside its outline and farther than its plane: four inequalities that are linear along the line, so that each
stretch is found in closed form, without sampling. A grid over the page keeps apart what cannot meet.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from drycell.base import Array
from drycell.pictures.surfaces import Flags, Integers

_CELL: Final = 16.0  # pixels
_PAIRS: Final = 1_000_000  # of lines and triangles looked at in one go
# Pixels by which triangles overlap, so that a line behind the seam of two does not shine through. Those of the line's
# own solid do not: one that is seen nearly edge-on would hide the outline it ends at.
_CLOSED: Final = 1e-4
_EXACT: Final = 0.004  # of the reach: room for rounding
_FLAT: Final = 1e-6  # square pixels; triangles seen smaller hide nothing


def visible(
    lines: Array, reach: Array, owners: Integers, triangles: Array, solids: Integers, convex: Flags
) -> tuple[Integers, Array, Array]:
    """The stretches of lines (n, 2, 3) that are seen: whose they are, where they start and end (0…1), and how sure.

    A triangle (m, 3, 3) hides what is farther than its plane. A line counts as near as ``reach`` (n, 2) says at its
    ends, but for triangles of the solid that owns it, where it counts exactly; a solid that is ``convex`` hides none of
    its own. Sure is the share of it, at most 1, that would be seen without that reach.
    """
    area = _cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    solid = np.abs(area) > _FLAT
    triangles, area, solids = triangles[solid], area[solid], solids[solid]
    turned = area < 0.0
    triangles[turned] = triangles[turned][:, [0, 2, 1]]
    area = np.abs(area)

    exact = lines[:, :, 2] + _EXACT * (reach - lines[:, :, 2])
    hidden, barely = _Stretches(len(lines)), _Stretches(len(lines))
    for line, triangle in _near(lines, triangles):
        own = owners[line] == solids[triangle]
        able = ~(own & convex[solids[triangle]])
        line, triangle, own = line[able], triangle[able], own[able]
        near = np.where(own[:, None], exact[line], reach[line])
        corners, size = triangles[triangle], area[triangle]
        closed = np.where(own, 0.0, _CLOSED)
        hidden.add(line, *_hidden(lines[line], near, corners, size, closed))
        barely.add(line, *_hidden(lines[line], exact[line], corners, size, closed))
    seen, stretch = hidden.gaps()
    line, surely = barely.gaps()
    sure = np.bincount(line, weights=surely[:, 1] - surely[:, 0], minlength=len(lines))
    return seen, stretch, np.minimum(sure[seen] / (stretch[:, 1] - stretch[:, 0]), 1.0)


class _Stretches:
    """Stretches of numbered lines, and what they leave of them."""

    def __init__(self, count: int) -> None:
        # Each line has an interval of its own on one long axis, 2k…2k + 1; empty stretches mark its ends.
        ends = 2.0 * np.arange(count)
        self._low, self._high = [ends, ends + 1.0], [ends, ends + 1.0]

    def add(self, line: Integers, low: Array, high: Array) -> None:
        """More of them; those that end before they start are none."""
        found = high > low
        shift = 2.0 * line[found]
        self._low.append(low[found] + shift)
        self._high.append(high[found] + shift)

    def gaps(self) -> tuple[Integers, Array]:
        """What is left: numbers of the lines, and where it starts and ends."""
        low, high = np.concatenate(self._low), np.concatenate(self._high)
        order = np.argsort(low, kind="stable")
        covered = np.maximum.accumulate(high[order])[:-1]
        following = low[order][1:]
        line = np.floor(covered / 2.0).astype(np.int64)
        seen = (following > covered + 1e-9) & (covered < 2.0 * line + 1.0)
        line, begin, end = line[seen], covered[seen], following[seen]
        return line, np.stack((begin, end), axis=1) - 2.0 * line[:, None]


def _hidden(lines: Array, near: Array, triangles: Array, area: Array, closed: Array) -> tuple[Array, Array]:
    """Where along each line its triangle hides it."""
    start, along = lines[:, 0, :2], lines[:, 1, :2] - lines[:, 0, :2]
    low, high = np.zeros(len(lines)), np.ones(len(lines))
    depth, depth_along = -near[:, 0], near[:, 0] - near[:, 1]
    for k in range(3):
        corner, side = triangles[:, k, :2], triangles[:, (k + 1) % 3, :2] - triangles[:, k, :2]
        inside, inside_along = _cross(side, start - corner), _cross(side, along)
        # What is left of the side opposite to a corner, over the area, is the corner's share of the plane's nearness.
        share = triangles[:, (k + 2) % 3, 2] / area
        depth, depth_along = depth + share * inside, depth_along + share * inside_along
        _clip(low, high, inside + closed * np.hypot(side[:, 0], side[:, 1]), inside_along)
    _clip(low, high, depth, depth_along)
    return low, high


def _clip(low: Array, high: Array, constant: Array, slope: Array) -> None:
    """Narrows low…high to where constant + slope t is above zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        root = -constant / slope
    np.maximum(low, root, out=low, where=slope > 0.0)
    np.minimum(high, root, out=high, where=slope < 0.0)
    high[(slope == 0.0) & (constant <= 0.0)] = -1.0


# -------------------------------------------------------------------- the grid


def _near(lines: Array, triangles: Array) -> Iterator[tuple[Integers, Integers]]:
    """Pairs of a line and a triangle that may hide it, each once."""
    if not len(lines) or not len(triangles):
        return
    low, high = lines[:, :, :2].min(axis=1), lines[:, :, :2].max(axis=1)
    origin = low.min(axis=0)
    width = int((high[:, 0].max() - origin[0]) // _CELL) + 1
    rows = int((high[:, 1].max() - origin[1]) // _CELL) + 1
    last = np.array([width - 1, rows - 1])
    lowest, highest = triangles[:, :, :2].min(axis=1), triangles[:, :, :2].max(axis=1)
    meets = np.all((highest >= origin) & (lowest <= high.max(axis=0)), axis=1).nonzero()[0]
    first_t = np.clip(((lowest[meets] - origin) // _CELL).astype(np.int64), 0, last)
    cell_t, number = _spread(first_t, np.clip(((highest[meets] - origin) // _CELL).astype(np.int64), 0, last), width)
    order = np.argsort(cell_t, kind="stable")
    cell_t, triangle_at = cell_t[order], meets[number[order]]
    first = ((low - origin) // _CELL).astype(np.int64)
    cell, line_at = _spread(first, ((high - origin) // _CELL).astype(np.int64), width)
    begin, end = np.searchsorted(cell_t, cell, "left"), np.searchsorted(cell_t, cell, "right")
    nearest, farthest = triangles[:, :, 2].max(axis=1), lines[:, :, 2].min(axis=1)
    first_of = np.zeros((2, len(triangles)), dtype=np.int64)
    first_of[:, meets] = first_t.T
    low_t, high_t = np.ascontiguousarray(lowest.T), np.ascontiguousarray(highest.T)
    counts = end - begin
    at = 0
    while at < len(counts):
        total = np.cumsum(counts[at : at + _PAIRS])
        stop = at + max(1, int(np.searchsorted(total, _PAIRS, "right")))
        many = counts[at:stop]
        entry = np.repeat(np.arange(at, stop), many)
        triangle = triangle_at[_count_up(many) + begin[entry]]
        line = line_at[entry]
        where = cell[entry]
        kept: Flags = nearest[triangle] > farthest[line]
        for axis in range(2):
            line, triangle, where = line[kept], triangle[kept], where[kept]
            kept = (low_t[axis][triangle] <= high[line, axis]) & (high_t[axis][triangle] >= low[line, axis])
        # A pair that shares several cells is taken in the lowest of them.
        across, down = (np.maximum(first[line, axis], first_of[axis][triangle]) for axis in range(2))
        kept &= down * width + across == where
        yield line[kept], triangle[kept]
        at = stop


def _spread(first: Integers, last: Integers, width: int) -> tuple[Integers, Integers]:
    """The cells of rectangles of cells, and whose they are."""
    across, down = (last - first + 1).T
    whose = np.repeat(np.arange(len(first)), across * down)
    k = _count_up(across * down)
    x, y = first[whose, 0] + k % across[whose], first[whose, 1] + k // across[whose]
    return y * width + x, whose


def _count_up(counts: Integers) -> Integers:
    """0, 1, … for each of the counts, one after the other."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)


def _cross(a: Array, b: Array) -> Array:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
