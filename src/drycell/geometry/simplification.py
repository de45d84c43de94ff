"""Simplification: a solid stood for by fewer, cheaper convex pieces, to a chosen closeness."""

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from drycell.geometry.clustering import Clustering, Limits, cost, shape_of, sources_of
from drycell.geometry.cover import covers
from drycell.geometry.deviation import SAME, Closeness, between, pieces_of, union_volume
from drycell.geometry.farthest import farthest
from drycell.geometry.polyhedron import Polyhedron
from drycell.geometry.shape import Shape

_TRIED: Final = 6  # covers of a pair, the smallest, when the first step is looked for
_FINE: Final = 0.02


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
    contain: bool = True,
    hulls: bool | None = None,
) -> Simplified:
    """A simpler solid no point of which is farther than ``closeness`` (metres) from the original.

    ``volume`` limits the difference of volumes (0.05 is 5 %), instead or as well. The result holds the whole original,
    as collision checks need it; with ``contain=False`` it may lie half inside and is then closer on the whole.
    ``hulls`` allows coarse polyhedra beside boxes, bars, capsules and balls: if it is not said, when there are
    polyhedra to begin with. What cannot be made simpler within the limits stays as it is.
    """
    limits = Limits(closeness, volume, contain)
    sources = sources_of(shape)
    if hulls is None:
        hulls = any(isinstance(source.shape, Polyhedron) for source in sources)
    before = union_volume(shape)
    clusters = Clustering(sources, before, limits, hulls).run()
    made = shape_of([cluster.cover for cluster in clusters])
    counts = (len(shape.pieces()), len(made.pieces()))
    faces = (len(shape.triangles()[1]), len(made.triangles()[1]))
    pieces = [lump for source in sources for lump in source.lumps]
    cheaper = cost([cluster.cover for cluster in clusters]) < cost(pieces)
    if not cheaper or all(cluster.kept for cluster in clusters):
        return Simplified(shape, shape, SAME, (counts[0], counts[0]), (faces[0], faces[0]))
    new = [cluster.cover for cluster in clusters if not cluster.kept]
    kept = {id(lump) for cluster in clusters if cluster.kept for lump in cluster.members}
    covered = [lump for lump in pieces if id(lump) not in kept]
    known = math.inf if closeness is None else closeness  # every cover was held against it
    measured = between(new, covered, pieces, (union_volume(made), before), known)
    return Simplified(made, shape, measured, counts, faces)


def first_step(shape: Shape) -> float | None:
    """The least closeness, about, at which two pieces of a solid become one; nothing if there are no two."""
    pieces = pieces_of(shape)
    hulls = any(isinstance(piece.shape, Polyhedron) for piece in pieces)
    least = math.inf
    for a, b in combinations(pieces, 2):
        for cover in covers((a, b), hulls=hulls)[:_TRIED]:
            fine = max(1e-5, _FINE * a.shape.sphere[1])
            least = min(least, farthest(cover, pieces, tolerance=fine, limit=least).bound)
    return None if least == math.inf else least
