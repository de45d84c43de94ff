"""Closeness: how well one solid stands for another, by volume and by the largest deviation."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from drycell.base import IDENTITY, Pose, Vector, format_length
from drycell.geometry import solid
from drycell.geometry.compound import Compound
from drycell.geometry.crust import crust
from drycell.geometry.farthest import LABOUR, NOTHING, Farthest, farthest
from drycell.geometry.lump import Lump, lumps_of
from drycell.geometry.shape import Shape

FACETS: Final = 2e-4  # of a solid's size: how near facets are to round surfaces when volumes of unions are taken
_FINE: Final = 5e-5  # of a solid's size: how finely deviations are found
_EFFORT: Final = 5.0 * LABOUR  # it is measured once, and then told
_CONTAINED: Final = 1e-8  # metres


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
    simple: Sequence[Lump],
    covered: Sequence[Lump],
    detailed: Sequence[Lump],
    volumes: tuple[float, float],
    known: float = math.inf,
) -> Closeness:
    """The same, of solids in pieces with their volumes; ``simple`` stands for what is ``covered`` of the detailed.

    ``known`` is what the distance is known not to be above.
    """
    size = max(float((lump.bounds[1] - lump.bounds[0]).max()) for lump in detailed)
    tolerance = max(1e-6, _FINE * size)
    out = _largest(farthest(lump, detailed, tolerance=tolerance, effort=_EFFORT) for lump in simple)
    back = _largest(farthest(lump, simple, tolerance=tolerance) for lump in covered)
    contains = back.found <= _CONTAINED
    worst = out if contains or out.found >= back.found else back
    x, y, z = (max(a, b) for a, b in zip(out.along, back.along, strict=True))
    bound = max(min(out.bound if contains else max(out.bound, back.bound), known), worst.found)
    return Closeness(volumes[0] / volumes[1], bound, worst.found, (x, y, z), worst.at, contains)


def pieces_of(shape: Shape, pose: Pose = IDENTITY) -> list[Lump]:
    """A solid's convex lumps; a mesh that falls into too many of them stays whole."""
    if isinstance(shape, Compound):
        return [lump for local, part in shape.parts for lump in pieces_of(part, pose @ local)]
    found = lumps_of(shape, pose)
    return [crust(Lump(pose, shape))] if found is None else found


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


def _largest(found: Iterable[Farthest]) -> Farthest:
    listed = [NOTHING, *found]
    worst = max(listed, key=lambda each: each.found)
    x, y, z = (max(each.along[k] for each in listed) for k in range(3))
    return Farthest(max(each.bound for each in listed), worst.found, worst.at, (x, y, z))
