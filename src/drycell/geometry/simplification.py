"""Simplification: replaces a solid by fewer, cheaper convex solids that enclose it, within a given closeness.

Neighbouring parts are enclosed together by one box, cylinder, capsule, sphere or convex hull. The pair that adds the
least is merged first. A mesh that is not convex is cut in halves until bounding solids fit it. Parts that cannot be
enclosed within the limits stay unchanged. Sizes and positions are rounded outward to whole micrometres, so that files
stay readable and nothing is lost when they are written.
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
from drycell.geometry.convex_decomposition import convex_hull
from drycell.geometry.convex_part import ConvexPart, MeshPart, parts_of
from drycell.geometry.hausdorff import EFFORT, SAME, Closeness, closeness_of_parts, hausdorff, union_volume
from drycell.geometry.polyhedron import Mesh, Polyhedron
from drycell.geometry.primitives import Box, Capsule, Cone, Cylinder, Sphere
from drycell.geometry.shape import Shape

_GRID: Final = 1e-6  # metres: sizes are rounded outward to it
_ON_GRID: Final = 1e-3  # of a grid step: a value this close to the grid is not rounded up
_MOST_FRAMES: Final = 4
_HULL_MARGIN: Final = 1e-5  # factor by which hulls are scaled up: mesh files hold seven digits
_CENTRE_STEPS: Final = 64  # steps towards the centre of the smallest enclosing circle
_MOST_HALVES: Final = 16  # parts of one mesh
_NEIGHBOURS: Final = 8  # number of nearest clusters with which to try a merge
_CANDIDATES: Final = 6  # number of bounding solids measured per cluster, the smallest first
_TRIAL_EFFORT: Final = 40_000  # distances for one bounding solid; it is rejected if these do not decide
_FRACTION: Final = 0.02  # fraction of the limit: the accuracy of measured deviations
_TOLERANT: Final = 1.0 + 1e-9


@dataclass(frozen=True)
class Simplified:
    """A simplified solid, the original, and their closeness. ``pieces`` and ``faces`` are (before, after)."""

    shape: Shape
    original: Shape
    closeness: Closeness
    pieces: tuple[int, int]
    faces: tuple[int, int]

    @property
    def changed(self) -> bool:
        """Whether anything could be simplified within the limits."""
        return self.shape != self.original


def simplify(shape: Shape, *, closeness: float | None = None, volume: float | None = None) -> Simplified:
    """Return a simpler solid that encloses the original, for collision checks.

    It consists of boxes, cylinders, capsules and spheres, and of convex hulls if the original has polyhedra. Parts that
    cannot be simplified within the limits stay unchanged.

    Args:
        shape: the original.
        closeness: the largest distance of any point of the result from the original, in metres.
        volume: the largest relative difference of the volumes, such as 0.05, as an alternative or additional limit.

    Raises:
        GeometryError: no limit is given, a limit is not above 0, or a mesh is not closed.
    """
    limits = _Limits(closeness, volume)
    sources = _sources(shape)
    parts = [part for source in sources for part in source.parts]
    before = union_volume(shape)
    clusters = _Clustering(sources, before, limits).run()
    kept = {id(part) for cluster in clusters if cluster.kept for part in cluster.members}
    new = [cluster.solid for cluster in clusters if not cluster.kept]
    covered = [part for part in parts if id(part) not in kept]
    pieces, faces = len(shape.pieces()), len(shape.triangles()[1])
    if not new or _cost(new) >= _cost(covered):
        return Simplified(shape, shape, SAME, (pieces, pieces), (faces, faces))
    made = _shape_of([cluster.solid for cluster in clusters])
    known = math.inf if closeness is None else closeness  # every bounding solid was checked to enclose it
    measured = closeness_of_parts(new, covered, parts, union_volume(made) / before, known)
    return Simplified(made, shape, measured, (pieces, len(made.pieces())), (faces, len(made.triangles()[1])))


def first_step(shape: Shape) -> float | None:
    """The approximate smallest closeness in metres at which two parts of a solid become one.

    Returns None if the solid has only one part.
    """
    parts = parts_of(shape)
    least = math.inf
    for a, b in combinations(parts, 2):
        for solid in _bounding_solids((a, b))[:_CANDIDATES]:
            tolerance = max(1e-5, _FRACTION * a.shape.sphere[1])
            least = min(least, hausdorff(solid, parts, tolerance=tolerance, limit=least).bound)
    return None if least == math.inf else least


@dataclass(frozen=True)
class _Limits:
    closeness: float | None
    volume: float | None

    def __post_init__(self) -> None:
        if self.closeness is None and self.volume is None:
            raise GeometryError("simplify: no limit is given", hint="give closeness=2*mm, or volume=0.05, or both")
        if self.closeness is not None and not 0.0 < self.closeness < math.inf:
            raise GeometryError(
                f"simplify: closeness is {format_length(self.closeness)} but must be more than 0",
                hint="give the largest acceptable deviation, as in closeness=2*mm",
            )
        if self.volume is not None and not 0.0 < self.volume < math.inf:
            raise GeometryError(
                f"simplify: volume is {self.volume:g} but must be more than 0", hint="for 5 %, write volume=0.05"
            )


# ---------------------------------------------------------------- clusters of parts


@dataclass(frozen=True, eq=False)
class _Source:
    """One shape of the original, and its convex parts."""

    pose: Pose
    shape: Shape
    parts: list[ConvexPart]


@dataclass(frozen=True, eq=False)
class _Cluster:
    """Parts of the original and the solid that encloses them; ``kept`` if that is the original shape itself."""

    members: Sequence[ConvexPart]
    solid: ConvexPart
    added: float = 0.0  # metres of deviation, or m³ if there is a limit of volume
    kept: bool = False


def _sources(shape: Shape, pose: Pose = IDENTITY) -> list[_Source]:
    if isinstance(shape, Compound):
        return [source for local, part in shape.parts for source in _sources(part, pose @ local)]
    return [_Source(pose, shape, parts_of(shape, pose))]


def _shape_of(parts: Sequence[ConvexPart]) -> Shape:
    if len(parts) == 1 and parts[0].pose == IDENTITY:
        return parts[0].shape
    return Compound(tuple((part.pose, part.shape) for part in parts))


class _Clustering:
    """Merges the parts of one solid into clusters."""

    def __init__(self, sources: Sequence[_Source], volume: float, limits: _Limits) -> None:
        self._sources, self._volume, self._limits = sources, volume, limits
        self._parts = [part for source in sources for part in source.parts]
        self._clusters: dict[int, _Cluster] = {}
        self._numbered = 0
        self._merges: list[tuple[float, int, int, _Cluster]] = []

    def run(self) -> list[_Cluster]:
        """Merge until no further merge is possible. Together, the clusters enclose all parts."""
        whole = self._enclosed(self._parts, EFFORT)
        if whole is not None and self._volume_fits([whole]):
            return [whole]
        for source in self._sources:
            for cluster in self._start(source):
                self._add(cluster)
        while self._merges:
            _, i, j, merged = heapq.heappop(self._merges)
            if i in self._clusters and j in self._clusters:
                rest = [cluster for k, cluster in self._clusters.items() if k not in (i, j)]
                if self._volume_fits([*rest, merged]):
                    del self._clusters[i], self._clusters[j]
                    self._add(merged)
        return list(self._clusters.values())

    def _start(self, source: _Source) -> list[_Cluster]:
        """One cluster for a convex shape, of a cheaper kind if possible; several for a mesh that is not convex."""
        kept = _Cluster(source.parts, ConvexPart(source.pose, source.shape), kept=True)
        if len(source.parts) > 1 or isinstance(source.parts[0], MeshPart):
            return self._halved(MeshPart(source.pose, source.shape)) or [kept]
        cheaper = self._enclosed(source.parts)
        if cheaper is not None and _cost([cheaper.solid]) < _cost(source.parts) and self._volume_fits([cheaper]):
            return [cheaper]
        return [kept]

    def _halved(self, mesh: MeshPart) -> list[_Cluster]:
        """Halve a mesh until all of it is enclosed within the limits. Returns no clusters if this takes too many."""
        halves: list[tuple[MeshPart, _Cluster | None]] = [(mesh, self._enclosed([mesh]))]
        while len(halves) <= _MOST_HALVES:
            fitting = [cluster for _, cluster in halves if cluster is not None]
            if len(fitting) == len(halves):
                if self._volume_fits(fitting):
                    return fitting
                worst = max(range(len(halves)), key=lambda k: fitting[k].solid.volume - halves[k][0].volume)
            else:
                worst = next(k for k, (_, cluster) in enumerate(halves) if cluster is None)
            halves += [(half, self._enclosed([half])) for half in halves.pop(worst)[0].halves()]
        return []

    def _add(self, cluster: _Cluster) -> None:
        """Add a cluster, and try to merge it with its neighbours."""
        number, self._numbered = self._numbered, self._numbered + 1
        for other in self._neighbours(cluster):
            merged = self._enclosed((*self._clusters[other].members, *cluster.members))
            if merged is not None:
                heapq.heappush(self._merges, (merged.added, other, number, merged))
        self._clusters[number] = cluster

    def _neighbours(self, cluster: _Cluster) -> list[int]:
        low, high = cluster.solid.bounds
        gaps = []
        for number, other in self._clusters.items():
            lower, upper = other.solid.bounds
            gaps.append((float(np.maximum(np.maximum(lower - high, low - upper), 0.0).max()), number))
        # The middle of a gap wider than twice the closeness is too far from either side.
        widest = math.inf if self._limits.closeness is None else 2.0 * self._limits.closeness
        return [number for gap, number in sorted(gaps)[:_NEIGHBOURS] if gap <= widest]

    def _enclosed(self, members: Sequence[ConvexPart], effort: float = _TRIAL_EFFORT) -> _Cluster | None:
        """The smallest bounding solid of some parts that is within the limits, if there is one."""
        volume, closeness = self._limits.volume, self._limits.closeness
        together = sum(member.volume for member in members)
        for solid in _bounding_solids(members)[:_CANDIDATES]:
            if volume is not None and solid.volume > self._volume * (1.0 + volume) * _TOLERANT:
                continue
            if closeness is None:
                return _Cluster(members, solid, solid.volume - together)
            low, high = solid.bounds
            near = [p for p in self._parts if np.all(p.bounds[0] <= high + 1e-6) and np.all(p.bounds[1] >= low - 1e-6)]
            off = hausdorff(
                solid, near, tolerance=_FRACTION * closeness, enough=closeness, limit=closeness, effort=effort
            )
            if off.bound <= closeness * _TOLERANT:
                return _Cluster(members, solid, off.found if volume is None else solid.volume - together)
        return None

    def _volume_fits(self, clusters: Sequence[_Cluster]) -> bool:
        if self._limits.volume is None:
            return True
        ratio = union_volume(_shape_of([cluster.solid for cluster in clusters])) / self._volume
        return abs(ratio - 1.0) <= self._limits.volume * _TOLERANT


def _cost(parts: Sequence[ConvexPart]) -> float:
    """The approximate time of a distance between a body of these parts and a box, in µs, as measured with coal."""
    return sum(map(_cost_alone, parts)) + 8.0 * (len(parts) - 1)


def _cost_alone(part: ConvexPart) -> float:
    if isinstance(part, MeshPart):
        return 85.0
    if isinstance(part.shape, Sphere):
        return 1.0
    if isinstance(part.shape, Cone):
        return 4.0 if part.shape.top_radius else 30.0
    if isinstance(part.shape, Polyhedron):
        return 2.4 + 0.005 * len(part.shape.triangles()[1])
    return 2.3


# ---------------------------------------------------------------- bounding solids


def _bounding_solids(members: Sequence[ConvexPart]) -> list[ConvexPart]:
    """Solids that enclose all members, the smallest first: boxes, cylinders, capsules, a sphere.

    They are tried along the solid's axes and those of its largest members. If a member is a polyhedron, the convex
    hull comes last: it is the smallest, but the most expensive.
    """
    found = [_sphere(members)]
    for frame in _frames(members):
        found.append(_box(members, frame))
        for axis in range(3):
            found += _cylinders(members, frame, axis)
    found.sort(key=lambda part: part.volume)
    if any(isinstance(member.shape, Polyhedron) for member in members):
        points = np.vstack([member.corners for member in members])
        hull = convex_hull(points)
        if hull is not None:
            middle = hull.vertices.mean(axis=0)
            grown = Mesh(middle + (hull.vertices - middle) * (1.0 + _HULL_MARGIN), hull.faces)
            found.insert(_CANDIDATES - 1, ConvexPart(IDENTITY, grown))
    return found


def _frames(members: Sequence[ConvexPart]) -> Iterator[Array]:
    """Rotations to try: the outer axes, the principal axes of polyhedra, and those of the largest members."""
    kept: list[Array] = []
    frames = [np.eye(3)] + [m.pose.rotation for m in sorted(members, key=lambda each: -each.volume)]
    if any(isinstance(member.shape, Polyhedron) for member in members):
        points = np.vstack([member.corners for member in members])
        frames.insert(1, np.linalg.eigh(np.cov(points.T))[1])
    for frame in frames:
        # Frames that differ by quarter turns or mirrors give the same solids.
        if all(np.abs(np.abs(frame.T @ other) - np.round(np.abs(frame.T @ other))).max() > 1e-9 for other in kept):
            frame = frame if np.linalg.det(frame) > 0 else frame * (1.0, 1.0, -1.0)
            kept.append(frame)
            yield frame
        if len(kept) == _MOST_FRAMES:
            return


def _interval(members: Sequence[ConvexPart], direction: Array) -> tuple[float, float]:
    """The extent of the members along a direction, both ways, rounded outward."""
    return (
        -_up(max(member.extent(-direction) for member in members)),
        _up(max(member.extent(direction) for member in members)),
    )


def _box(members: Sequence[ConvexPart], frame: Array) -> ConvexPart:
    intervals = [_interval(members, frame[:, k]) for k in range(3)]
    middle = frame @ np.array([0.5 * (low + high) for low, high in intervals])
    return ConvexPart(Pose.of(frame, middle), Box(*(high - low for low, high in intervals)))


def _cylinders(members: Sequence[ConvexPart], frame: Array, axis: int) -> list[ConvexPart]:
    """The cylinder and the capsule along one axis of a frame."""
    along, across = frame[:, axis], frame[:, [(axis + 1) % 3, (axis + 2) % 3]]
    rotation = np.column_stack((across, along))
    low, high = _interval(members, along)
    middle, radius = _enclosing_ball([_circles(member, along, across) for member in members])

    def centred(height: float) -> Pose:
        return Pose.of(rotation, rotation @ np.array((*middle, height)))

    found = [ConvexPart(centred(0.5 * (low + high)), Cylinder(radius, high - low))]
    # The cylinder of a capsule may end where the balls at the ends of the members still fit into its caps.
    tops, bottoms = [], []
    for member in members:
        points, radii = _balls(member)
        room = np.maximum((radius - radii) ** 2 - ((points @ across - middle) ** 2).sum(axis=1), 0.0) ** 0.5
        tops.append(float((points @ along - room).max()))
        bottoms.append(float((points @ along + room).min()))
    top, bottom = _up(max(tops)), -_up(-min(bottoms))
    if top > bottom:
        found.append(ConvexPart(centred(0.5 * (top + bottom)), Capsule(radius, top - bottom)))
    return found


def _sphere(members: Sequence[ConvexPart]) -> ConvexPart:
    middle, radius = _enclosing_ball([_balls(member) for member in members])
    return ConvexPart(Pose(*middle.tolist()), Sphere(radius))


def _balls(member: ConvexPart) -> tuple[Array, Array]:
    """Balls (centres, radii) whose convex hull encloses the member."""
    shape = member.shape
    if isinstance(shape, Sphere | Capsule):
        half = 0.5 * shape.length if isinstance(shape, Capsule) else 0.0
        ends = np.array([member.pose.point((0.0, 0.0, z)) for z in sorted({-half, half})])
        return ends, np.full(len(ends), shape.radius)
    return member.corners, np.zeros(len(member.corners))


def _circles(member: ConvexPart, along: Array, across: Array) -> tuple[Array, Array]:
    """Circles (centres in the plane across, radii) that enclose the member, seen along an axis."""
    shape = member.shape
    if isinstance(shape, Cylinder | Cone) and abs(abs(float(member.pose.rotation[:, 2] @ along)) - 1.0) < 1e-12:
        radius = max(shape.radius, shape.top_radius) if isinstance(shape, Cone) else shape.radius
        return (member.pose.translation @ across)[None], np.array([radius])
    points, radii = _balls(member)
    return points @ across, radii


def _enclosing_ball(balls: Sequence[tuple[Array, Array]]) -> tuple[Array, float]:
    """Approximately the smallest circle or ball around circles or balls (M. Bădoiu and K. Clarkson, 2003)."""
    centres, radii = np.vstack([c for c, _ in balls]), np.concatenate([r for _, r in balls])

    def radius(middle: Array) -> float:
        return float((np.linalg.norm(centres - middle, axis=1) + radii).max())

    box = 0.5 * ((centres - radii[:, None]).min(axis=0) + (centres + radii[:, None]).max(axis=0))
    middle = box
    for step in range(_CENTRE_STEPS):
        worst = int(np.argmax(np.linalg.norm(centres - middle, axis=1) + radii))
        middle = middle + (centres[worst] - middle) / (step + 2)
    best = min([box, *np.unique(centres[radii > 0.0], axis=0)[:8], middle], key=radius)
    rounded: Array = np.round(best / _GRID) * _GRID
    return rounded, _up(radius(rounded))


def _up(value: float) -> float:
    return math.ceil(value / _GRID - _ON_GRID) * _GRID
