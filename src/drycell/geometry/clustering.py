"""Clustering: pieces of a solid gathered under ever fewer covers, as long as these stay within the limits.

Pieces that lie together are covered by one box, bar, capsule, ball or coarse hull; of all pairs the one that does least
harm goes first. A mesh that is no union of few convex pieces is cut in halves until covers fit it. What cannot be
covered within the limits stays as it is.
"""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from drycell.base import IDENTITY, GeometryError, Pose, format_length
from drycell.geometry.compound import Compound
from drycell.geometry.cone import Cone
from drycell.geometry.cover import SIDES, covers, drawn_in
from drycell.geometry.crust import Crust
from drycell.geometry.deviation import pieces_of, union_volume
from drycell.geometry.farthest import LABOUR, Farthest, farthest
from drycell.geometry.lump import Lump
from drycell.geometry.polyhedron import Polyhedron
from drycell.geometry.shape import Shape
from drycell.geometry.sphere import Sphere

MOST_HALVES: Final = 16  # of one mesh
_FEW: Final = 8  # convex pieces of a mesh that are tried pair by pair
_NEIGHBOURS: Final = 8  # that a piece is tried with, the nearest
_COVERS: Final = 4  # looked at closely for one cluster, the smallest
_EFFORT: Final = 40_000.0  # spent on one cover; what cannot be decided with it is not taken
_MORE: Final = 8.0  # microseconds for every further piece of a body
_FINE: Final = 0.02  # of the closeness: how exactly a deviation is found


@dataclass(frozen=True)
class Limits:
    """How much simpler a solid may become: a largest deviation, a largest difference of volume, on which sides."""

    closeness: float | None
    volume: float | None
    contain: bool

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
class Source:
    """One shape of the original, and the convex lumps it falls into (or the shape as a crust)."""

    pose: Pose
    shape: Shape
    lumps: tuple[Lump, ...]


@dataclass(frozen=True, eq=False)
class Cluster:
    """Lumps of the original and what covers them. ``kept`` are shapes that stay as they were."""

    members: tuple[Lump, ...]
    cover: Lump
    harm: float = 0.0
    kept: bool = False


def sources_of(shape: Shape, pose: Pose = IDENTITY) -> list[Source]:
    """The shapes a solid is put together from."""
    if isinstance(shape, Compound):
        return [source for local, part in shape.parts for source in sources_of(part, pose @ local)]
    return [Source(pose, shape, tuple(pieces_of(shape, pose)))]


def shape_of(lumps: Sequence[Lump]) -> Shape:
    """Lumps as one shape."""
    if len(lumps) == 1 and lumps[0].pose == IDENTITY:
        return lumps[0].shape
    return Compound(tuple((lump.pose, lump.shape) for lump in lumps))


class Clustering:
    """Gathers the pieces of one solid."""

    def __init__(self, sources: Sequence[Source], volume: float, limits: Limits, hulls: bool) -> None:
        self._sources, self._volume, self._limits, self._hulls = sources, volume, limits, hulls
        self._pieces = [lump for source in sources for lump in source.lumps]
        self._clusters: dict[int, Cluster] = {}
        self._entered = 0
        self._waiting: list[tuple[float, int, int, Cluster]] = []

    def run(self) -> list[Cluster]:
        """The clusters in the end; together they stand for all pieces."""
        whole = self._fit(self._pieces, LABOUR)
        if whole is not None and self._cheaper(whole) and self._volume_fits([whole.cover]):
            return [whole]
        for source in self._sources:
            for cluster in self._start(source):
                self._enter(cluster)
        while self._waiting:
            _, i, j, merged = heapq.heappop(self._waiting)
            if i in self._clusters and j in self._clusters:
                rest = [each.cover for k, each in self._clusters.items() if k not in (i, j)]
                if self._volume_fits([*rest, merged.cover]):
                    del self._clusters[i], self._clusters[j]
                    self._enter(merged)
        return self._whole_again(self._recast())

    # ---------------------------------------------------------------- limits

    def _volume_fits(self, lumps: list[Lump]) -> bool:
        """Whether the common volume of covers is within its limit."""
        if self._limits.volume is None:
            return True
        off = union_volume(shape_of(lumps)) / self._volume - 1.0
        return abs(off) <= self._limits.volume * (1.0 + 1e-9)

    def _fit(self, members: Sequence[Lump], effort: float = _EFFORT) -> Cluster | None:
        """The smallest cover of some pieces that is within the limits, if there is one."""
        together = sum(member.volume for member in members)
        most = math.inf if self._limits.volume is None else self._volume * (1.0 + self._limits.volume) * (1.0 + 1e-9)
        tried = 0
        for cover in covers(members, hulls=self._hulls):
            if (cover.volume > most and self._limits.contain) or tried == _COVERS:
                return None  # they come the smallest first
            near = self._near(cover)
            if self._reaches_out(cover, near):
                continue
            tried += 1
            if self._limits.contain:
                found = self._as_it_is(cover, near, effort)
            else:
                found = self._half_way(cover, near, members, effort)
            if found is not None:
                fitting, off = found
                harm = off if self._limits.volume is None else fitting.volume - together
                return Cluster(tuple(members), fitting, harm)
        return None

    def _reaches_out(self, cover: Lump, near: Sequence[Lump]) -> bool:
        """Whether a cover is too large whatever fills it: it reaches farther than all that is near, by too much."""
        if self._limits.closeness is None:
            return False
        room = self._limits.closeness * (1.0 if self._limits.contain else 2.0) * (1.0 + 1e-9)
        return any(cover.reach(side) > max(piece.reach(side) for piece in near) + room for side in SIDES)

    def _as_it_is(self, cover: Lump, near: Sequence[Lump], effort: float) -> tuple[Lump, float] | None:
        """A cover and how far it stands out, if that is near enough."""
        limit = self._limits.closeness
        if limit is None:
            return cover, 0.0
        off = self._off(cover, near, limit, effort)
        return (cover, off.found) if off.bound <= limit * (1.0 + 1e-9) else None

    def _half_way(
        self, cover: Lump, near: Sequence[Lump], members: Sequence[Lump], effort: float
    ) -> tuple[Lump, float] | None:
        """A cover with its sides drawn in half way to the original, or as it is, if that is near enough."""
        drawn = drawn_in(cover, near)
        limit = self._limits.closeness
        if drawn is None or limit is None:
            return self._as_it_is(cover if drawn is None else drawn, near, effort)
        off = [self._off(drawn, near, limit, effort)]
        off += [self._off(member, [drawn], limit, effort) for member in members]
        if max(each.bound for each in off) <= limit * (1.0 + 1e-9):
            return drawn, max(each.found for each in off)
        return self._as_it_is(cover, near, effort)

    @staticmethod
    def _off(lump: Lump, solid: Sequence[Lump], limit: float, effort: float) -> Farthest:
        return farthest(lump, solid, tolerance=_FINE * limit, enough=limit, limit=limit, effort=effort)

    def _near(self, cover: Lump) -> list[Lump]:
        """The pieces that can fill a cover: those that reach into its box."""
        low, high = cover.bounds
        return [
            piece
            for piece in self._pieces
            if bool(np.all(piece.bounds[0] <= high + 1e-6) and np.all(piece.bounds[1] >= low - 1e-6))
        ]

    # ---------------------------------------------------------------- clusters

    def _start(self, source: Source) -> list[Cluster]:
        if len(source.lumps) <= _FEW and not any(isinstance(lump, Crust) for lump in source.lumps):
            return [Cluster((lump,), lump) for lump in source.lumps]
        whole = Crust(source.pose, source.shape)
        return self._halved(whole) or [Cluster((whole,), whole, kept=True)]

    def _halved(self, crust: Crust) -> list[Cluster]:
        """A mesh cut in halves until all of it is covered within the limits; nothing if that takes too many."""
        parts: list[tuple[Crust, Cluster | None]] = [(crust, self._fit([crust]))]
        while len(parts) <= MOST_HALVES:
            fitting = [cluster for _, cluster in parts if cluster is not None]
            if len(fitting) == len(parts):
                if self._volume_fits([cluster.cover for cluster in fitting]):
                    return fitting
                worst = max(range(len(parts)), key=lambda k: fitting[k].cover.volume - parts[k][0].volume)
            else:
                worst = next(k for k, (_, cluster) in enumerate(parts) if cluster is None)
            halves = parts.pop(worst)[0].halves()
            parts += [(half, self._fit([half])) for half in halves]
        return []

    def _enter(self, cluster: Cluster) -> None:
        """Takes up a cluster, and asks which of its neighbours it could be merged with."""
        number, self._entered = self._entered, self._entered + 1
        neighbours = [] if cluster.kept else self._neighbours(cluster)
        self._clusters[number] = cluster
        for other in neighbours:
            merged = self._fit((*self._clusters[other].members, *cluster.members))
            if merged is not None:
                heapq.heappush(self._waiting, (merged.harm, other, number, merged))

    def _neighbours(self, cluster: Cluster) -> list[int]:
        low, high = cluster.cover.bounds
        gaps = []
        for number, other in self._clusters.items():
            if not other.kept:
                lower, upper = other.cover.bounds
                gaps.append((float(np.maximum(np.maximum(lower - high, low - upper), 0.0).max()), number))
        gaps.sort()
        if self._limits.closeness is not None:
            reach = 2.0 * self._limits.closeness  # the middle of a wider gap is too far from either side
            gaps = [(gap, number) for gap, number in gaps if gap <= reach]
        return [number for _, number in gaps[:_NEIGHBOURS]]

    def _recast(self) -> list[Cluster]:
        """The clusters in the end; single pieces of a costly kind become a cheaper one where that fits."""
        found = list(self._clusters.values())
        for index, cluster in enumerate(found):
            if cluster.cover is cluster.members[0] and not cluster.kept:
                recast = self._fit(cluster.members)
                trial = found if recast is None else [*found[:index], recast, *found[index + 1 :]]
                if recast is not None and self._cheaper(recast) and self._volume_fits([each.cover for each in trial]):
                    found = trial
        return found

    def _cheaper(self, cluster: Cluster) -> bool:
        return len(cluster.members) > 1 or cost([cluster.cover]) < cost(cluster.members)

    def _whole_again(self, clusters: list[Cluster]) -> list[Cluster]:
        """Shapes none of whose pieces was covered stay as they were, and not in pieces."""
        bare = {id(cluster.cover) for cluster in clusters if cluster.cover is cluster.members[0]}
        found: list[Cluster] = []
        for source in self._sources:
            if all(id(lump) in bare for lump in source.lumps):
                bare -= {id(lump) for lump in source.lumps}
                found.append(Cluster(source.lumps, Lump(source.pose, source.shape), kept=True))
        kept = {id(lump) for cluster in found for lump in cluster.members}
        return [*found, *(cluster for cluster in clusters if id(cluster.cover) not in kept)]


def cost(lumps: Sequence[Lump]) -> float:
    """What a distance between a body of these lumps and a box costs, about, in microseconds."""
    return sum(_alone(lump) for lump in lumps) + _MORE * (len(lumps) - 1)


def _alone(lump: Lump) -> float:
    """The cost of one lump: measured with the engine at hand."""
    if isinstance(lump, Crust):
        return 85.0
    if isinstance(lump.shape, Sphere):
        return 1.0
    if isinstance(lump.shape, Cone):
        return 4.0 if lump.shape.top_radius else 30.0
    if isinstance(lump.shape, Polyhedron):
        return 2.4 + 0.005 * len(lump.shape.triangles()[1])
    return 2.3
