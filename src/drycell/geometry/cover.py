"""Covers: simple convex solids that hold several lumps at once.

Sizes and places are rounded outward to whole micrometres, so that files stay readable and nothing is lost by writing.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from drycell.base import IDENTITY, Array, Pose
from drycell.geometry.box import Box
from drycell.geometry.capsule import Capsule
from drycell.geometry.cone import Cone
from drycell.geometry.cylinder import Cylinder
from drycell.geometry.lump import Lump
from drycell.geometry.mesh import Mesh
from drycell.geometry.polyhedron import Polyhedron
from drycell.geometry.shape import Shape
from drycell.geometry.sphere import Sphere

_GRAIN: Final = 1e-6  # metres
_SLACK: Final = 1e-3  # of a grain: what counts as being on the grid already
_MOST_FRAMES: Final = 4
_GRID: Final = (-0.8, -0.4, 0.0, 0.4, 0.8)  # where a side is looked at, from edge to edge
_BEVEL: Final = 0.01  # of the size: less is not worth a side
_STEPS: Final = 64  # towards the middle of the smallest circle

# The normals of a cube's sides, edges and corners: a hull with at most 26 sides.
SIDES: Final = [
    np.array((x, y, z)) / math.sqrt(x * x + y * y + z * z)
    for x in (-1, 0, 1)
    for y in (-1, 0, 1)
    for z in (-1, 0, 1)
    if x or y or z
]


def covers(members: Sequence[Lump], *, hulls: bool = False) -> list[Lump]:
    """Boxes, bars, capsules and balls that hold all members, the smallest first; with ``hulls`` a coarse hull as well.

    They are tried along the solid's own axes and along those of its largest members.
    """
    found: list[Lump] = []
    for frame in _frames(members):
        found.append(_box(members, frame))
        for axis in range(3):
            found += _bars(members, frame, axis)
    found.append(_ball(members))
    if hulls:
        found += _hull(members)
    return sorted(found, key=lambda lump: lump.volume)


def drawn_in(cover: Lump, solid: Sequence[Lump]) -> Lump | None:
    """A box or bar with every side drawn in by half of what it stands off the solid; nothing for other covers."""
    shape, (x, y, z) = cover.shape, np.eye(3)
    if isinstance(shape, Box):
        a, b, c = shape.half
        sides = [(a * x, b * y, c * z), (b * y, c * z, a * x), (c * z, a * x, b * y)]
        grids = [[sign * n + u * p + v * q for u in _GRID for v in _GRID] for n, p, q in sides for sign in (-1, 1)]
        off = [0.5 * _off(cover, grid, solid) for grid in grids]
        sizes = [size - off[2 * k] - off[2 * k + 1] for k, size in enumerate((shape.x, shape.y, shape.z))]
        if min(sizes) <= 0.0:
            return None
        shift = [0.5 * (off[2 * k] - off[2 * k + 1]) for k in range(3)]
        return Lump(cover.pose @ Pose(*shift), Box(*sizes))
    if isinstance(shape, Cylinder):
        turns = [math.cos(k * math.pi / 8) * x + math.sin(k * math.pi / 8) * y for k in range(16)]
        r, h = shape.radius, shape.length / 2
        wall = 0.5 * _off(cover, [r * turn + v * h * z for turn in turns for v in _GRID], solid)
        low, high = (
            0.5 * _off(cover, [u * r * turn + end * z for turn in turns for u in (0.1, 0.5, 0.9)], solid)
            for end in (-h, h)
        )
        if wall >= r or low + high >= shape.length:
            return None
        return Lump(cover.pose @ Pose(0.0, 0.0, 0.5 * (low - high)), Cylinder(r - wall, shape.length - low - high))
    return None


def _off(cover: Lump, points: Sequence[Array], solid: Sequence[Lump]) -> float:
    """The largest distance of points on a cover from a solid."""
    places = np.array(points) @ cover.pose.rotation.T + cover.pose.translation
    gaps = [np.linalg.norm(places - piece.feet(places), axis=1) for piece in solid]
    return float(np.min(gaps, axis=0).max())


def _frames(members: Sequence[Lump]) -> Iterator[Array]:
    """Rotations worth a try: the outer axes, then those of the largest members, each direction once."""
    kept: list[Array] = []
    turns = [np.eye(3)] + [m.pose.rotation for m in sorted(members, key=lambda each: -each.volume)]
    if any(isinstance(member.shape, Polyhedron) for member in members):
        points = np.vstack([member.corners for member in members])
        turns.insert(1, np.linalg.eigh(np.cov(points.T))[1])
    for turn in turns:
        # Frames that differ by quarter turns or mirrors give the same covers.
        if all(np.abs(np.abs(turn.T @ other) - np.round(np.abs(turn.T @ other))).max() > 1e-9 for other in kept):
            turn = turn if np.linalg.det(turn) > 0 else turn * (1.0, 1.0, -1.0)
            kept.append(turn)
            yield turn
        if len(kept) == _MOST_FRAMES:
            return


def _span(members: Sequence[Lump], direction: Array) -> tuple[float, float]:
    """How far the members reach along a direction, both ways, rounded outward."""
    return (
        _down(min(-member.reach(-direction) for member in members)),
        _up(max(member.reach(direction) for member in members)),
    )


def _box(members: Sequence[Lump], frame: Array) -> Lump:
    spans = [_span(members, frame[:, k]) for k in range(3)]
    middle = frame @ np.array([0.5 * (low + high) for low, high in spans])
    return Lump(Pose.of(frame, middle), Box(*(high - low for low, high in spans)))


def _bars(members: Sequence[Lump], frame: Array, axis: int) -> list[Lump]:
    """The cylinder and the capsule along one axis of a frame."""
    along, across = frame[:, axis], frame[:, [(axis + 1) % 3, (axis + 2) % 3]]
    low, high = _span(members, along)
    circles = [_circles(member, along, across) for member in members]
    centres, radii = np.vstack([c for c, _ in circles]), np.concatenate([r for _, r in circles])
    middle = _middle(centres, radii)
    radius = _up(float((np.linalg.norm(centres - middle, axis=1) + radii).max()))
    turn = np.column_stack((across, along))
    made = [_standing(turn, middle, 0.5 * (low + high), Cylinder(radius, high - low))]
    # A capsule's ends may start where the balls at the members' ends still fit.
    tops, bottoms = [], []
    for member in members:
        points, rounding = _balls(member)
        off = np.linalg.norm(points @ across - middle, axis=1)
        room = np.sqrt(np.maximum((radius - rounding) ** 2 - off**2, 0.0))
        tops.append(float((points @ along - room).max()))
        bottoms.append(float((points @ along + room).min()))
    top, bottom = _up(max(tops)), _down(min(bottoms))
    if top > bottom:
        made.append(_standing(turn, middle, 0.5 * (top + bottom), Capsule(radius, top - bottom)))
    return made


def _standing(turn: Array, middle: Array, height: float, shape: Shape) -> Lump:
    return Lump(Pose.of(turn, turn @ np.array((*middle, height))), shape)


def _circles(member: Lump, along: Array, across: Array) -> tuple[Array, Array]:
    """Circles (centres in the plane across, radii) that hold the member seen along an axis."""
    shape = member.shape
    parallel = abs(abs(float(member.pose.rotation[:, 2] @ along)) - 1.0) < 1e-12
    if isinstance(shape, Cylinder | Cone | Capsule) and parallel:
        radius = max(shape.radius, shape.top_radius) if isinstance(shape, Cone) else shape.radius
        return (member.pose.translation @ across)[None], np.array([radius])
    points, radii = _balls(member)
    return points @ across, radii


def _balls(member: Lump) -> tuple[Array, Array]:
    """Balls (centres, radii) whose hull holds the member."""
    shape = member.shape
    if isinstance(shape, Sphere | Capsule):
        half = 0.5 * shape.length if isinstance(shape, Capsule) else 0.0
        ends = np.array([member.pose.point((0.0, 0.0, z)) for z in sorted({-half, half})])
        return ends, np.full(len(ends), shape.radius)
    return member.corners, np.zeros(len(member.corners))


def _middle(centres: Array, radii: Array) -> Array:
    """Near the middle of the smallest circle or ball round circles or balls (M. Bădoiu and K. Clarkson, 2003)."""
    box = 0.5 * ((centres - radii[:, None]).min(axis=0) + (centres + radii[:, None]).max(axis=0))
    tried = [box, *np.unique(centres[radii > 0.0], axis=0)[:8]]
    middle = box
    for step in range(_STEPS):
        worst = int(np.argmax(np.linalg.norm(centres - middle, axis=1) + radii))
        middle = middle + (centres[worst] - middle) / (step + 2)
    tried.append(middle)
    best = min(tried, key=lambda each: float((np.linalg.norm(centres - each, axis=1) + radii).max()))
    rounded: Array = np.round(best / _GRAIN) * _GRAIN
    return rounded


def _ball(members: Sequence[Lump]) -> Lump:
    balls = [_balls(member) for member in members]
    centres, radii = np.vstack([c for c, _ in balls]), np.concatenate([r for _, r in balls])
    middle = _middle(centres, radii)
    radius = _up(float((np.linalg.norm(centres - middle, axis=1) + radii).max()))
    return Lump(Pose(*middle.tolist()), Sphere(radius))


def _hull(members: Sequence[Lump]) -> list[Lump]:
    """The members held between planes of 26 directions, pushed out by a micrometre.

    Planes across the edges and corners of the box are left out where they cut off next to nothing.
    """
    from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

    sides = np.array(SIDES)
    offsets = np.array([max(member.reach(side) for member in members) + _GRAIN for side in sides])
    flat = np.count_nonzero(sides, axis=1) == 1
    high, low = (sides[flat] * offsets[flat, None]).max(axis=0), (sides[flat] * offsets[flat, None]).min(axis=0)
    cut = np.maximum(sides * high, sides * low).sum(axis=1) - offsets
    kept = flat | (cut > _BEVEL * float((high - low).max()))
    points = np.vstack([member.corners for member in members])
    try:
        planes = np.column_stack((sides[kept], -offsets[kept]))
        corners = HalfspaceIntersection(planes, points.mean(axis=0)).intersections
        corners = np.unique(np.round(corners, 9), axis=0)
        hull = ConvexHull(corners)
    except QhullError:
        return []  # flat members have no inside to start from
    used, index = np.unique(hull.simplices, return_inverse=True)
    vertices, faces = corners[used], index.reshape(-1, 3)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    return [Lump(IDENTITY, Mesh(vertices, np.where(inward[:, None], faces[:, ::-1], faces)))]


def _up(value: float) -> float:
    return math.ceil(value / _GRAIN - _SLACK) * _GRAIN


def _down(value: float) -> float:
    return math.floor(value / _GRAIN + _SLACK) * _GRAIN
