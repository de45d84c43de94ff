"""Line views: what a draughtsman would draw of solids seen from a place, hidden lines removed."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from drycell.base import Array, Pose
from drycell.geometry import Shape
from drycell.pictures.crossing import crossings
from drycell.pictures.projection import Projection
from drycell.pictures.surfaces import Flags, Integers, surface
from drycell.pictures.visibility import visible

_FACETS: Final = 0.2  # pixels between facets and the round shape they stand for
_REACH: Final = 0.35  # pixels a line may be behind another solid and still be seen: more than facets are off
_PIECE: Final = 32.0  # pixels; longer lines are looked at in pieces, which have smaller boxes
_CRUMB: Final = 0.4  # pixels; shorter stretches of a longer line are where rounding changed its mind
_EDGE_ON: Final = 1e-9


class PlacedSolid(NamedTuple):
    """A solid in the world; one that is not drawn still hides what is behind it."""

    shape: Shape
    pose: Pose
    drawn: bool


class LineView(NamedTuple):
    """What is seen, as segments (n, 4) x₀ y₀ x₁ y₁ on the page.

    ``outline`` marks those where a solid ends, the others are edges within one. ``sure`` is the share of each that is
    in plain sight; the rest lies just below another surface, or on it.
    """

    segments: Array
    outline: Flags
    sure: Array


class _Hiders(NamedTuple):
    """The triangles turned to the eye, in the world and on the page, whose they are, and which solids are convex."""

    corners: Array
    places: Array
    solids: Integers
    convex: Flags


def line_view(placed: Sequence[PlacedSolid], projection: Projection, size: tuple[int, int]) -> LineView:
    """Draws solids: sharp edges, outlines of round shapes, and where solids run through each other."""
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
    """The visible stretches (n, 4) of lines in the world, the numbers of the lines, and how sure they are."""
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
    """What of each line is on the page, by Liang and Barsky, and whose it is."""
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
    """Lines cut into pieces no longer than a cell or so, and whose they are."""
    along = lines[:, 1] - lines[:, 0]
    count = np.maximum(1, np.ceil(np.abs(along[:, :2]).max(axis=1, initial=0.0) / _PIECE)).astype(np.int64)
    whose = np.repeat(np.arange(len(lines)), count)
    k = np.arange(len(whose)) - np.repeat(np.cumsum(count) - count, count)
    begin, end = k / count[whose], (k + 1) / count[whose]
    start = lines[whose, 0]
    return np.stack((start + begin[:, None] * along[whose], start + end[:, None] * along[whose]), axis=1), whose
