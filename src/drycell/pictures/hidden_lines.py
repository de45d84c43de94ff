"""Hidden-line removal: the lines of solids that are visible from a viewpoint.

Lines and triangles are given in page coordinates with their depth as nearness (camera.py). A triangle hides the part of
a line that is inside its outline and farther than its plane. These are four inequalities that are linear along the
line, so the hidden part has a closed form and needs no sampling. A grid over the page excludes pairs that cannot meet.
Where the surfaces of two solids intersect, their intersection curve is also drawn.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from drycell.base import Array, Pose
from drycell.geometry import Shape
from drycell.looks import Flags, Integers, surface
from drycell.pictures.camera import Projection

_DEEP: Final = 1e-7  # metres to either side: surfaces that only touch do not intersect
_STEEP: Final = 0.14  # sine of the angle; flatter intersections are between facets of one round surface


def crossings(triangles: Array, solids: Integers) -> tuple[Array, Integers]:
    """Return segments (n, 2, 3) where triangles (m, 3, 3) of different solids intersect, and the two solids of each (n,
    2)."""
    lower, upper = triangles.min(axis=1), triangles.max(axis=1)
    order = np.argsort(solids, kind="stable")
    present, begins = np.unique(solids[order], return_index=True)
    members = np.split(order, begins[1:]) if len(order) else []
    low = np.array([lower[own].min(axis=0) for own in members]).reshape(-1, 3)
    high = np.array([upper[own].max(axis=0) for own in members]).reshape(-1, 3)
    segments, pairs = [np.empty((0, 2, 3))], [np.empty((0, 2), dtype=np.int64)]
    for i, j in _overlapping(low, high):
        box = np.maximum(low[i], low[j]), np.minimum(high[i], high[j])
        one, two = (
            own[np.all((lower[own] <= box[1]) & (upper[own] >= box[0]), axis=1)] for own in (members[i], members[j])
        )
        near = np.ones((len(one), len(two)), dtype=bool)
        for axis in range(3):
            near &= lower[one, axis][:, None] <= upper[two, axis]
            near &= upper[one, axis][:, None] >= lower[two, axis]
        a, b = near.nonzero()
        found = _segments(triangles[one[a]], triangles[two[b]])
        segments.append(found)
        pairs.append(np.tile(np.array([present[i], present[j]], dtype=np.int64), (len(found), 1)))
    return np.concatenate(segments), np.concatenate(pairs)


def _overlapping(low: Array, high: Array) -> Iterator[tuple[int, int]]:
    """Yield the pairs of boxes that overlap, in order. A table of all pairs would use too much memory."""
    rows = max(1, _PAIRS // max(1, len(low)))
    for start in range(0, len(low), rows):
        some = slice(start, start + rows)
        overlap = np.arange(start, min(start + rows, len(low)))[:, None] < np.arange(len(low))
        for axis in range(3):
            shared_low = np.maximum(low[some, None, axis], low[:, axis])
            overlap &= np.minimum(high[some, None, axis], high[:, axis]) > shared_low + _DEEP
        for i, j in np.argwhere(overlap).tolist():
            yield start + i, j


def _segments(one: Array, two: Array) -> Array:
    """Return the common segments of pairs of triangles (T. Möller, A fast triangle-triangle intersection test,
    1997)."""
    n_one, n_two = _normals(one), _normals(two)
    to_two = np.einsum("nkj,nj->nk", one - two[:, :1], n_two)
    to_one = np.einsum("nkj,nj->nk", two - one[:, :1], n_one)
    along = np.cross(n_one, n_two)
    sine = np.linalg.norm(along, axis=1)
    across = (to_two.min(axis=1) < -_DEEP) & (to_two.max(axis=1) > _DEEP)
    across &= (to_one.min(axis=1) < -_DEEP) & (to_one.max(axis=1) > _DEEP) & (sine > _STEEP)
    along = along[across] / sine[across][:, None]
    p, q = _cut(one[across], to_two[across]), _cut(two[across], to_one[across])
    s, t = np.einsum("nkj,nj->nk", p, along), np.einsum("nkj,nj->nk", q, along)
    low = np.maximum(s.min(axis=1), t.min(axis=1))
    high = np.minimum(s.max(axis=1), t.max(axis=1))
    met = high > low + _DEEP
    base = (p[:, 0] - s[:, :1] * along)[met]
    return np.stack((base + low[met][:, None] * along[met], base + high[met][:, None] * along[met]), axis=1)


def _cut(triangles: Array, heights: Array) -> Array:
    """Return the two points where the outline of each triangle passes height zero."""
    above = heights >= 0.0
    alone = np.argmax(above == (above.sum(axis=1) == 1)[:, None], axis=1)
    rows = np.arange(len(triangles))
    points = []
    for step in (1, 2):
        other = (alone + step) % 3
        h, g = heights[rows, alone], heights[rows, other]
        share = (h / (h - g))[:, None]
        points.append(triangles[rows, alone] + share * (triangles[rows, other] - triangles[rows, alone]))
    return np.stack(points, axis=1)


def _normals(triangles: Array) -> Array:
    cross: Array = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    length: Array = np.maximum(np.linalg.norm(cross, axis=1), 1e-300)
    return cross / length[:, None]


_CELL: Final = 16.0  # pixels
_PAIRS: Final = 1_000_000  # pairs of lines and triangles per batch
# Pixels by which triangles overlap, so that a line behind the seam of two is not visible. Triangles of the line's
# own solid do not overlap: one seen nearly edge-on would hide the outline at its end.
_CLOSED: Final = 1e-4
_EXACT: Final = 0.004  # fraction of the reach, for rounding
_FLAT: Final = 1e-6  # square pixels; smaller triangles hide nothing


def visible(
    lines: Array, reach: Array, owners: Integers, triangles: Array, solids: Integers, convex: Flags
) -> tuple[Integers, Array, Array]:
    """Return the visible parts of lines (n, 2, 3): the line of each, its start and end (0…1), and its certainty.

    A triangle (m, 3, 3) hides everything farther than its plane. Compared with other solids, the ends of a line count
    as nearer by ``reach`` (n, 2); compared with its own solid, they are exact. A ``convex`` solid hides none of its own
    lines. ``sure`` is the fraction, at most 1, that would be visible without that reach.
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
    """Hidden intervals of numbered lines, and the parts that remain between them."""

    def __init__(self, count: int) -> None:
        # Each line has an interval on one long axis, 2k…2k + 1; empty intervals mark its ends.
        ends = 2.0 * np.arange(count)
        self._low, self._high = [ends, ends + 1.0], [ends, ends + 1.0]

    def add(self, line: Integers, low: Array, high: Array) -> None:
        """Add intervals; those that end before they start are ignored."""
        found = high > low
        shift = 2.0 * line[found]
        self._low.append(low[found] + shift)
        self._high.append(high[found] + shift)

    def gaps(self) -> tuple[Integers, Array]:
        """Return the remaining parts: line number, start and end of each."""
        low, high = np.concatenate(self._low), np.concatenate(self._high)
        order = np.argsort(low, kind="stable")
        covered = np.maximum.accumulate(high[order])[:-1]
        following = low[order][1:]
        line = np.floor(covered / 2.0).astype(np.int64)
        seen = (following > covered + 1e-9) & (covered < 2.0 * line + 1.0)
        line, begin, end = line[seen], covered[seen], following[seen]
        return line, np.stack((begin, end), axis=1) - 2.0 * line[:, None]


def _hidden(lines: Array, near: Array, triangles: Array, area: Array, closed: Array) -> tuple[Array, Array]:
    """Return the interval of each line that its triangle hides."""
    start, along = lines[:, 0, :2], lines[:, 1, :2] - lines[:, 0, :2]
    low, high = np.zeros(len(lines)), np.ones(len(lines))
    depth, depth_along = -near[:, 0], near[:, 0] - near[:, 1]
    for k in range(3):
        corner, side = triangles[:, k, :2], triangles[:, (k + 1) % 3, :2] - triangles[:, k, :2]
        inside, inside_along = _cross(side, start - corner), _cross(side, along)
        # The area on the left of the side opposite a corner is the corner's weight in the plane's nearness.
        share = triangles[:, (k + 2) % 3, 2] / area
        depth, depth_along = depth + share * inside, depth_along + share * inside_along
        _clip(low, high, inside + closed * np.hypot(side[:, 0], side[:, 1]), inside_along)
    _clip(low, high, depth, depth_along)
    return low, high


def _clip(low: Array, high: Array, constant: Array, slope: Array) -> None:
    """Narrow low…high to where constant + slope t is above zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        root = -constant / slope
    np.maximum(low, root, out=low, where=slope > 0.0)
    np.minimum(high, root, out=high, where=slope < 0.0)
    high[(slope == 0.0) & (constant <= 0.0)] = -1.0


# -------------------------------------------------------------------- the grid


def _near(lines: Array, triangles: Array) -> Iterator[tuple[Integers, Integers]]:
    """Return pairs of a line and a triangle that may hide it, each once."""
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
        # A pair that shares several grid cells is counted in the lowest of them.
        across, down = (np.maximum(first[line, axis], first_of[axis][triangle]) for axis in range(2))
        kept &= down * width + across == where
        yield line[kept], triangle[kept]
        at = stop


def _spread(first: Integers, last: Integers, width: int) -> tuple[Integers, Integers]:
    """Return the grid cells of rectangles, and the rectangle of each."""
    across, down = (last - first + 1).T
    whose = np.repeat(np.arange(len(first)), across * down)
    k = _count_up(across * down)
    x, y = first[whose, 0] + k % across[whose], first[whose, 1] + k // across[whose]
    return y * width + x, whose


def _count_up(counts: Integers) -> Integers:
    """Return 0, 1, …, count − 1 for each count, concatenated."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)


def _cross(a: Array, b: Array) -> Array:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


_FACETS: Final = 0.2  # pixels between facets and the round shape that they approximate
_REACH: Final = (
    0.35  # pixels by which a line may be behind another solid and still be visible: more than the error of facets
)
_PIECE: Final = 32.0  # pixels; longer lines are cut into pieces, which have smaller bounding boxes
_CRUMB: Final = 0.4  # pixels; shorter parts of a longer line are rounding errors
_EDGE_ON: Final = 1e-9


class PlacedSolid(NamedTuple):
    """A solid in the world. A solid that is not drawn still hides what is behind it."""

    shape: Shape
    pose: Pose
    drawn: bool


class LineView(NamedTuple):
    """The visible lines, as segments (n, 4) x₀ y₀ x₁ y₁ on the page.

    ``outline`` marks those where a solid ends; the others are edges within one. ``sure`` is the fraction of each that
    is clearly visible; the rest lies just below another surface, or on it.
    """

    segments: Array
    outline: Flags
    sure: Array


class _Hiders(NamedTuple):
    """The triangles that face the eye, in the world and on the page, their solids, and which solids are convex."""

    corners: Array
    places: Array
    solids: Integers
    convex: Flags


def line_view(placed: Sequence[PlacedSolid], projection: Projection, size: tuple[int, int]) -> LineView:
    """Draw solids: sharp edges, outlines of round shapes, and intersections of solids."""
    corners, places, solids, convex = [], [], [], []
    segments, owners, contour = [np.empty((0, 2, 3))], [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=bool)]
    for number, (shape, pose, drawn) in enumerate(placed):
        centre, radius = shape.sphere
        middle = np.array(pose.point(centre))
        mesh = surface(shape, _FACETS * projection.pixel(middle + radius * projection.axes[2]))
        vertices = mesh.vertices @ pose.rotation.T + pose.translation
        facing: Flags = projection.facing(mesh.normals @ pose.rotation.T, vertices[mesh.faces[:, 0]]) > _EDGE_ON
        hiding = mesh.faces[facing] if mesh.closed else mesh.faces
        corners.append(vertices[hiding])
        places.append(projection.points(vertices)[hiding])
        solids.append(np.full(len(hiding), number))
        convex.append(mesh.bulging)
        if drawn:
            front = facing[mesh.sides]
            outline = (front[:, 0] != front[:, 1]) & mesh.convex
            shown = outline | (mesh.sharp & (front.all(axis=1) if mesh.closed else True))
            segments.append(vertices[mesh.edges[shown]])
            owners.append(np.full(len(segments[-1]), number))
            contour.append(outline[shown])
    hiders = _Hiders(np.concatenate(corners), np.concatenate(places), np.concatenate(solids), np.array(convex))
    cut, pairs = crossings(hiders.corners, hiders.solids)
    cut = cut[np.array([solid.drawn for solid in placed])[pairs].any(axis=1)]
    lines = np.concatenate((*segments, cut))
    owner = np.concatenate((*owners, np.full(len(cut), -1)))
    outlines = np.concatenate((*contour, np.zeros(len(cut), dtype=bool)))
    seen, line, sure = _seen(lines, owner, hiders, projection, size)
    return LineView(seen, outlines[line], sure)


def _seen(
    lines: Array, owners: Integers, hiders: _Hiders, projection: Projection, size: tuple[int, int]
) -> tuple[Array, Integers, Array]:
    """Return the visible parts (n, 4) of lines in the world, the numbers of the lines, and their certainty."""
    on_page = projection.points(lines.reshape(-1, 3)).reshape(-1, 2, 3)
    on_page, number = _clipped(on_page, size)
    pieces, piece_of = _pieces(on_page)
    reach = projection.nearer(pieces[:, :, 2], _REACH)
    owner = owners[number[piece_of]]
    piece, stretch, sure = visible(pieces, reach, owner, hiders.places, hiders.solids, hiders.convex)
    start, along = pieces[piece, 0, :2], pieces[piece, 1, :2] - pieces[piece, 0, :2]
    share = stretch[:, 1] - stretch[:, 0]
    kept = (np.linalg.norm(along, axis=1) * share >= _CRUMB) | (share > 0.5)
    start, along, stretch = start[kept], along[kept], stretch[kept]
    ends = (start + stretch[:, :1] * along, start + stretch[:, 1:] * along)
    return np.concatenate(ends, axis=1), number[piece_of[piece[kept]]], sure[kept]


def _clipped(lines: Array, size: tuple[int, int]) -> tuple[Array, Integers]:
    """Return the part of each line on the page, by Liang and Barsky, and the line of each."""
    low, high = np.zeros(len(lines)), np.ones(len(lines))
    start, along = lines[:, 0], lines[:, 1] - lines[:, 0]
    outside = np.zeros(len(lines), dtype=bool)
    for axis in range(2):
        for edge, sign in ((0.0, 1.0), (float(size[axis]), -1.0)):
            room, slope = sign * (start[:, axis] - edge), sign * along[:, axis]
            with np.errstate(divide="ignore", invalid="ignore"):
                root = -room / slope
            np.maximum(low, root, out=low, where=slope > 0.0)
            np.minimum(high, root, out=high, where=slope < 0.0)
            outside |= (slope == 0.0) & (room < 0.0)
    number = ((high > low) & ~outside).nonzero()[0]
    start, along = start[number], along[number]
    return np.stack((start + low[number][:, None] * along, start + high[number][:, None] * along), axis=1), number


def _pieces(lines: Array) -> tuple[Array, Integers]:
    """Cut lines into pieces of about a grid cell; return them with the line of each."""
    along = lines[:, 1] - lines[:, 0]
    count = np.maximum(1, np.ceil(np.abs(along[:, :2]).max(axis=1, initial=0.0) / _PIECE)).astype(np.int64)
    whose = np.repeat(np.arange(len(lines)), count)
    k = np.arange(len(whose)) - np.repeat(np.cumsum(count) - count, count)
    begin, end = k / count[whose], (k + 1) / count[whose]
    start = lines[whose, 0]
    return np.stack((start + begin[:, None] * along[whose], start + end[:, None] * along[whose]), axis=1), whose
