"""Simplification: a solid replaced by fewer, cheaper convex solids that enclose it, to a chosen closeness.

Parts that lie together are enclosed by one box, cylinder, capsule, ball or coarse hull; of all pairs the one that does
least harm goes first. A mesh that is not a union of few convex parts is cut in halves until bounding solids fit it.
What cannot be enclosed within the limits stays as it is. Sizes and places are rounded outward to whole micrometres, so
that files stay readable and nothing is lost by writing.
"""

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from drycell.base import IDENTITY, Array, GeometryError, Pose, format_length
from drycell.geometry.compound import Compound
from drycell.geometry.convex_part import ConvexPart, MeshShell
from drycell.geometry.hausdorff import (
    EFFORT,
    SAME,
    Closeness,
    between,
    hausdorff,
    pieces_of,
    union_volume,
)
from drycell.geometry.polyhedron import Mesh, Polyhedron
from drycell.geometry.primitives import Box, Capsule, Cone, Cylinder, Sphere
from drycell.geometry.shape import Shape

_GRAIN: Final = 1e-6  # metres
_SLACK: Final = 1e-3  # of a grain: what counts as being on the grid already
_MOST_FRAMES: Final = 4
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
MOST_HALVES: Final = 16  # of one mesh
_FEW: Final = 8  # convex pieces of a mesh that are tried pair by pair
_NEIGHBOURS: Final = 8  # that a piece is tried with, the nearest
_CANDIDATES: Final = 4  # looked at closely for one cluster, the smallest
_EFFORT: Final = 40_000.0  # spent on one bounding solid; what cannot be decided with it is not taken
_MORE: Final = 8.0  # microseconds for every further piece of a body
_FINE: Final = 0.02  # of the closeness: how exactly a deviation is found
_TRIED: Final = 6  # bounding solids of a pair, the smallest, when the first step is looked for


def bounding_solids(members: Sequence[ConvexPart], *, hulls: bool = False) -> list[ConvexPart]:
    """Boxes, cylinders, capsules and balls that hold all members, smallest first; with ``hulls`` a coarse hull, too.

    They are tried along the solid's own axes and along those of its largest members.
    """
    found: list[ConvexPart] = []
    for frame in _frames(members):
        found.append(_box(members, frame))
        for axis in range(3):
            found += _cylinders(members, frame, axis)
    found.append(_ball(members))
    if hulls:
        found += _hull(members)
    return sorted(found, key=lambda part: part.volume)


def _frames(members: Sequence[ConvexPart]) -> Iterator[Array]:
    """Rotations worth a try: the outer axes, then those of the largest members, each direction once."""
    kept: list[Array] = []
    turns = [np.eye(3)] + [m.pose.rotation for m in sorted(members, key=lambda each: -each.volume)]
    if any(isinstance(member.shape, Polyhedron) for member in members):
        points = np.vstack([member.corners for member in members])
        turns.insert(1, np.linalg.eigh(np.cov(points.T))[1])
    for turn in turns:
        # Frames that differ by quarter turns or mirrors give the same solids.
        if all(np.abs(np.abs(turn.T @ other) - np.round(np.abs(turn.T @ other))).max() > 1e-9 for other in kept):
            turn = turn if np.linalg.det(turn) > 0 else turn * (1.0, 1.0, -1.0)
            kept.append(turn)
            yield turn
        if len(kept) == _MOST_FRAMES:
            return


def _span(members: Sequence[ConvexPart], direction: Array) -> tuple[float, float]:
    """How far the members reach along a direction, both ways, rounded outward."""
    return (
        _down(min(-member.reach(-direction) for member in members)),
        _up(max(member.reach(direction) for member in members)),
    )


def _box(members: Sequence[ConvexPart], frame: Array) -> ConvexPart:
    spans = [_span(members, frame[:, k]) for k in range(3)]
    middle = frame @ np.array([0.5 * (low + high) for low, high in spans])
    return ConvexPart(Pose.of(frame, middle), Box(*(high - low for low, high in spans)))


def _cylinders(members: Sequence[ConvexPart], frame: Array, axis: int) -> list[ConvexPart]:
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


def _standing(turn: Array, middle: Array, height: float, shape: Shape) -> ConvexPart:
    return ConvexPart(Pose.of(turn, turn @ np.array((*middle, height))), shape)


def _circles(member: ConvexPart, along: Array, across: Array) -> tuple[Array, Array]:
    """Circles (centres in the plane across, radii) that hold the member seen along an axis."""
    shape = member.shape
    parallel = abs(abs(float(member.pose.rotation[:, 2] @ along)) - 1.0) < 1e-12
    if isinstance(shape, Cylinder | Cone | Capsule) and parallel:
        radius = max(shape.radius, shape.top_radius) if isinstance(shape, Cone) else shape.radius
        return (member.pose.translation @ across)[None], np.array([radius])
    points, radii = _balls(member)
    return points @ across, radii


def _balls(member: ConvexPart) -> tuple[Array, Array]:
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


def _ball(members: Sequence[ConvexPart]) -> ConvexPart:
    balls = [_balls(member) for member in members]
    centres, radii = np.vstack([c for c, _ in balls]), np.concatenate([r for _, r in balls])
    middle = _middle(centres, radii)
    radius = _up(float((np.linalg.norm(centres - middle, axis=1) + radii).max()))
    return ConvexPart(Pose(*middle.tolist()), Sphere(radius))


def _hull(members: Sequence[ConvexPart]) -> list[ConvexPart]:
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
    return [ConvexPart(IDENTITY, Mesh(vertices, np.where(inward[:, None], faces[:, ::-1], faces)))]


def _up(value: float) -> float:
    return math.ceil(value / _GRAIN - _SLACK) * _GRAIN


def _down(value: float) -> float:
    return math.floor(value / _GRAIN + _SLACK) * _GRAIN


@dataclass(frozen=True)
class SimplifyLimits:
    """How much simpler a solid may become: a largest deviation, a largest difference of volume."""

    closeness: float | None
    volume: float | None

    def __post_init__(self) -> None:
        if self.closeness is None and self.volume is None:
            raise GeometryError("simplify: no limit is given", hint="give closeness=2*mm, or volume=0.05, or both")
        if self.closeness is not None and not 0.0 < self.closeness < math.inf:
            raise GeometryError(
                f"simplify: closeness is {format_length(self.closeness)}, must be more than 0",
                hint="give the largest deviation you can live with, as in closeness=2*mm",
            )
        if self.volume is not None and not 0.0 < self.volume < math.inf:
            raise GeometryError(
                f"simplify: volume is {self.volume:g}, must be more than 0", hint="5 % is written volume=0.05"
            )


@dataclass(frozen=True, eq=False)
class _Source:
    """One shape of the original, and the convex parts it falls into (or the shape as a mesh shell)."""

    pose: Pose
    shape: Shape
    parts: tuple[ConvexPart, ...]


@dataclass(frozen=True, eq=False)
class _Cluster:
    """Parts of the original and what encloses them. ``kept`` are shapes that stay as they were."""

    members: tuple[ConvexPart, ...]
    bounding: ConvexPart
    harm: float = 0.0
    kept: bool = False


def sources_of(shape: Shape, pose: Pose = IDENTITY) -> list[_Source]:
    """The shapes a solid is put together from."""
    if isinstance(shape, Compound):
        return [source for local, part in shape.parts for source in sources_of(part, pose @ local)]
    return [_Source(pose, shape, tuple(pieces_of(shape, pose)))]


def shape_of(parts: Sequence[ConvexPart]) -> Shape:
    """Parts as one shape."""
    if len(parts) == 1 and parts[0].pose == IDENTITY:
        return parts[0].shape
    return Compound(tuple((part.pose, part.shape) for part in parts))


class _Clustering:
    """Gathers the pieces of one solid."""

    def __init__(self, sources: Sequence[_Source], volume: float, limits: SimplifyLimits, hulls: bool) -> None:
        self._sources, self._volume, self._limits, self._hulls = sources, volume, limits, hulls
        self._pieces = [part for source in sources for part in source.parts]
        self._clusters: dict[int, _Cluster] = {}
        self._entered = 0
        self._waiting: list[tuple[float, int, int, _Cluster]] = []

    def run(self) -> list[_Cluster]:
        """The clusters in the end; together they stand for all pieces."""
        whole = self._fit(self._pieces, EFFORT)
        if whole is not None and self._cheaper(whole) and self._volume_fits([whole.bounding]):
            return [whole]
        for source in self._sources:
            for cluster in self._start(source):
                self._enter(cluster)
        while self._waiting:
            _, i, j, merged = heapq.heappop(self._waiting)
            if i in self._clusters and j in self._clusters:
                rest = [each.bounding for k, each in self._clusters.items() if k not in (i, j)]
                if self._volume_fits([*rest, merged.bounding]):
                    del self._clusters[i], self._clusters[j]
                    self._enter(merged)
        return self._whole_again(self._recast())

    # ---------------------------------------------------------------- limits

    def _volume_fits(self, parts: list[ConvexPart]) -> bool:
        """Whether the common volume of bounding solids is within its limit."""
        if self._limits.volume is None:
            return True
        off = union_volume(shape_of(parts)) / self._volume - 1.0
        return abs(off) <= self._limits.volume * (1.0 + 1e-9)

    def _fit(self, members: Sequence[ConvexPart], effort: float = _EFFORT) -> _Cluster | None:
        """The smallest bounding solid of some pieces that is within the limits, if there is one."""
        together = sum(member.volume for member in members)
        most = math.inf if self._limits.volume is None else self._volume * (1.0 + self._limits.volume) * (1.0 + 1e-9)
        tried = 0
        for bounding in bounding_solids(members, hulls=self._hulls):
            if bounding.volume > most or tried == _CANDIDATES:
                return None  # they come the smallest first
            near = self._near(bounding)
            if self._reaches_out(bounding, near):
                continue
            tried += 1
            off = self._off(bounding, near, effort)
            if off is not None:
                harm = off if self._limits.volume is None else bounding.volume - together
                return _Cluster(tuple(members), bounding, harm)
        return None

    def _reaches_out(self, bounding: ConvexPart, near: Sequence[ConvexPart]) -> bool:
        """Whether a bounding solid is too large whatever fills it: it reaches too far beyond all that is near."""
        if self._limits.closeness is None:
            return False
        room = self._limits.closeness * (1.0 + 1e-9)
        return any(bounding.reach(side) > max(piece.reach(side) for piece in near) + room for side in SIDES)

    def _off(self, bounding: ConvexPart, near: Sequence[ConvexPart], effort: float) -> float | None:
        """How far a bounding solid stands out, if that is near enough."""
        limit = self._limits.closeness
        if limit is None:
            return 0.0
        off = hausdorff(bounding, near, tolerance=_FINE * limit, enough=limit, limit=limit, effort=effort)
        return off.found if off.bound <= limit * (1.0 + 1e-9) else None

    def _near(self, bounding: ConvexPart) -> list[ConvexPart]:
        """The pieces that can fill a bounding solid: those that reach into its box."""
        low, high = bounding.bounds
        return [
            piece
            for piece in self._pieces
            if bool(np.all(piece.bounds[0] <= high + 1e-6) and np.all(piece.bounds[1] >= low - 1e-6))
        ]

    # ---------------------------------------------------------------- clusters

    def _start(self, source: _Source) -> list[_Cluster]:
        if len(source.parts) <= _FEW and not any(isinstance(part, MeshShell) for part in source.parts):
            return [_Cluster((part,), part) for part in source.parts]
        whole = MeshShell(source.pose, source.shape)
        return self._halved(whole) or [_Cluster((whole,), whole, kept=True)]

    def _halved(self, shell: MeshShell) -> list[_Cluster]:
        """A mesh cut in halves until all of it is enclosed within the limits; nothing if that takes too many."""
        parts: list[tuple[MeshShell, _Cluster | None]] = [(shell, self._fit([shell]))]
        while len(parts) <= MOST_HALVES:
            fitting = [cluster for _, cluster in parts if cluster is not None]
            if len(fitting) == len(parts):
                if self._volume_fits([cluster.bounding for cluster in fitting]):
                    return fitting
                worst = max(range(len(parts)), key=lambda k: fitting[k].bounding.volume - parts[k][0].volume)
            else:
                worst = next(k for k, (_, cluster) in enumerate(parts) if cluster is None)
            halves = parts.pop(worst)[0].halves()
            parts += [(half, self._fit([half])) for half in halves]
        return []

    def _enter(self, cluster: _Cluster) -> None:
        """Takes up a cluster, and asks which of its neighbours it could be merged with."""
        number, self._entered = self._entered, self._entered + 1
        neighbours = [] if cluster.kept else self._neighbours(cluster)
        self._clusters[number] = cluster
        for other in neighbours:
            merged = self._fit((*self._clusters[other].members, *cluster.members))
            if merged is not None:
                heapq.heappush(self._waiting, (merged.harm, other, number, merged))

    def _neighbours(self, cluster: _Cluster) -> list[int]:
        low, high = cluster.bounding.bounds
        gaps = []
        for number, other in self._clusters.items():
            if not other.kept:
                lower, upper = other.bounding.bounds
                gaps.append((float(np.maximum(np.maximum(lower - high, low - upper), 0.0).max()), number))
        gaps.sort()
        if self._limits.closeness is not None:
            reach = 2.0 * self._limits.closeness  # the middle of a wider gap is too far from either side
            gaps = [(gap, number) for gap, number in gaps if gap <= reach]
        return [number for _, number in gaps[:_NEIGHBOURS]]

    def _recast(self) -> list[_Cluster]:
        """The clusters in the end; single pieces of a costly kind become a cheaper one where that fits."""
        found = list(self._clusters.values())
        for index, cluster in enumerate(found):
            if cluster.bounding is cluster.members[0] and not cluster.kept:
                recast = self._fit(cluster.members)
                trial = found if recast is None else [*found[:index], recast, *found[index + 1 :]]
                if (
                    recast is not None
                    and self._cheaper(recast)
                    and self._volume_fits([each.bounding for each in trial])
                ):
                    found = trial
        return found

    def _cheaper(self, cluster: _Cluster) -> bool:
        return len(cluster.members) > 1 or cost([cluster.bounding]) < cost(cluster.members)

    def _whole_again(self, clusters: list[_Cluster]) -> list[_Cluster]:
        """Shapes none of whose pieces was enclosed stay as they were, and not in pieces."""
        bare = {id(cluster.bounding) for cluster in clusters if cluster.bounding is cluster.members[0]}
        found: list[_Cluster] = []
        for source in self._sources:
            if all(id(part) in bare for part in source.parts):
                bare -= {id(part) for part in source.parts}
                found.append(_Cluster(source.parts, ConvexPart(source.pose, source.shape), kept=True))
        kept = {id(part) for cluster in found for part in cluster.members}
        return [*found, *(cluster for cluster in clusters if id(cluster.bounding) not in kept)]


def cost(parts: Sequence[ConvexPart]) -> float:
    """What a distance between a body of these parts and a box costs, about, in microseconds."""
    return sum(_alone(part) for part in parts) + _MORE * (len(parts) - 1)


def _alone(part: ConvexPart) -> float:
    """The cost of one part: measured with the engine at hand."""
    if isinstance(part, MeshShell):
        return 85.0
    if isinstance(part.shape, Sphere):
        return 1.0
    if isinstance(part.shape, Cone):
        return 4.0 if part.shape.top_radius else 30.0
    if isinstance(part.shape, Polyhedron):
        return 2.4 + 0.005 * len(part.shape.triangles()[1])
    return 2.3


@dataclass(frozen=True)
class Simplified:
    """A simpler solid, what it was made from, and how close it is. ``pieces`` and ``faces`` are before and after."""

    shape: Shape
    original: Shape
    closeness: Closeness
    pieces: tuple[int, int]
    faces: tuple[int, int]

    @property
    def changed(self) -> bool:
        """Whether anything could be made simpler within the limits."""
        return self.shape != self.original


def simplify(
    shape: Shape,
    *,
    closeness: float | None = None,
    volume: float | None = None,
) -> Simplified:
    """A simpler solid no point of which is farther than ``closeness`` (metres) from the original.

    ``volume`` limits the difference of volumes (0.05 is 5 %), instead or as well. The result encloses the whole
    original, as collision checks need it. It is made of boxes, cylinders, capsules and balls; if there are polyhedra to
    begin with, of coarse hulls, too. What cannot be made simpler within the limits stays as it is. Raises GeometryError
    without a limit, for a limit that is not above 0, and for a mesh that is not closed.
    """
    limits = SimplifyLimits(closeness, volume)
    sources = sources_of(shape)
    hulls = any(isinstance(source.shape, Polyhedron) for source in sources)
    before = union_volume(shape)
    clusters = _Clustering(sources, before, limits, hulls).run()
    made = shape_of([cluster.bounding for cluster in clusters])
    counts = (len(shape.pieces()), len(made.pieces()))
    faces = (len(shape.triangles()[1]), len(made.triangles()[1]))
    pieces = [part for source in sources for part in source.parts]
    cheaper = cost([cluster.bounding for cluster in clusters]) < cost(pieces)
    if not cheaper or all(cluster.kept for cluster in clusters):
        return Simplified(shape, shape, SAME, (counts[0], counts[0]), (faces[0], faces[0]))
    new = [cluster.bounding for cluster in clusters if not cluster.kept]
    kept = {id(part) for cluster in clusters if cluster.kept for part in cluster.members}
    covered = [part for part in pieces if id(part) not in kept]
    known = math.inf if closeness is None else closeness  # every bounding solid was held against it
    measured = between(new, covered, pieces, (union_volume(made), before), known)
    return Simplified(made, shape, measured, counts, faces)


def first_step(shape: Shape) -> float | None:
    """The least closeness, about, at which two pieces of a solid become one; nothing if there are no two."""
    pieces = pieces_of(shape)
    hulls = any(isinstance(piece.shape, Polyhedron) for piece in pieces)
    least = math.inf
    for a, b in combinations(pieces, 2):
        for bounding in bounding_solids((a, b), hulls=hulls)[:_TRIED]:
            fine = max(1e-5, _FINE * a.shape.sphere[1])
            least = min(least, hausdorff(bounding, pieces, tolerance=fine, limit=least).bound)
    return None if least == math.inf else least
