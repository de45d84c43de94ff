"""Shapes: solids in their own frames, in metres, as files describe them and as the engines use them.

A primitive is both at once: a frozen value, equal and hashed by its content. A new kind of shape is one file with one
subclass of :class:`Shape` (or of :class:`ShapeModel`, if it is made of others), exported by the package.
"""

import atexit
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from drycell.base import IDENTITY, Array, Inline, Pose, Position, Rpy, Thing, Vector
from drycell.geometry import checks
from drycell.geometry.mass import Faces, MassProperties

if TYPE_CHECKING:
    from drycell.geometry.placed import Piece


Ball = tuple[Vector, float]  # centre, radius
Bounds = tuple[Vector, Vector]  # lower, upper corner

MOST_BALLS: Final = 8


@dataclass(frozen=True)
class SurfacePoint:
    """The point of a surface nearest to a given point: signed distance (negative inside), place, outward normal."""

    distance: float
    point: Vector
    normal: Vector


class RayHit(NamedTuple):
    """Where a ray first meets a body: metres along the ray, and the outward normal there.

    A ray that starts inside the body is blocked at once: distance 0, ``inside`` set, the normal against the ray.
    """

    distance: float
    normal: Vector
    inside: bool = False


class Engines:
    """What the engines need of one content, shared by all equal shapes and built when first asked for."""

    __slots__ = ("__weakref__", "built")

    def __init__(self) -> None:
        self.built: dict[str, object] = {}


_ENGINES: WeakValueDictionary[str, Engines] = WeakValueDictionary()


@atexit.register
def _release() -> None:
    """Let go of what the engines built while they are still there: manifold3d prints every object left over at exit."""
    for engines in list(_ENGINES.values()):
        engines.built.clear()


class ShapeModel(Thing, noun="shape"):
    """What files call a shape: a solid, or a description from which one is made."""

    def solid(self, folder: Path) -> "Shape":
        """The solid itself; files it names are relative to a folder. Raises GeometryError if there is none."""
        raise NotImplementedError

    def placed(self, folder: Path) -> "tuple[Pose, Shape]":
        """The solid and its pose in the frame it is described in."""
        return IDENTITY, self.solid(folder)


class Shape(ShapeModel, ABC):
    """A solid about its own origin. Primitives have their axis along z and their middle at the origin."""

    def __init_subclass__(cls, *, eq: bool = False, **info: Any) -> None:
        super().__init_subclass__(eq=eq, **info)  # equal by content, see __eq__

    def solid(self, folder: Path) -> "Shape":
        """Itself."""
        return self

    @cached_property
    @abstractmethod
    def key(self) -> str:
        """The content in short: equal for equal shapes, in every process."""

    @cached_property
    @abstractmethod
    def bounds(self) -> Bounds:
        """The tight box along the shape's own axes that holds it."""

    @cached_property
    @abstractmethod
    def sphere(self) -> Ball:
        """A ball that holds the shape: the smallest one for primitives."""

    @cached_property
    @abstractmethod
    def mass_properties(self) -> MassProperties:
        """Volume, centre and inertia at density 1."""

    @abstractmethod
    def triangles(self, deviation: float | None = None) -> tuple[Array, Faces]:
        """Vertices (n, 3) and faces (m, 3) of a closed surface; round shapes within a deviation (faceting.py)."""

    @abstractmethod
    def nearest(self, point: Vector) -> SurfacePoint:
        """The point of the true surface, not of a facet, nearest to a point of the shape's frame."""

    @abstractmethod
    def ray(self, origin: Vector, direction: Vector, reach: float) -> RayHit | None:
        """The first hit on the true surface within reach, in the shape's frame; ``direction`` has length 1."""

    @abstractmethod
    def build_pieces(self) -> "tuple[Piece, ...]":
        """Make what :meth:`pieces` hands out."""

    def pieces(self) -> "tuple[Piece, ...]":
        """The exact convex pieces the distance engine works on (one for most primitives)."""
        built = self.engines.built
        if "pieces" not in built:
            built["pieces"] = self.build_pieces()
        return built["pieces"]  # type: ignore[return-value]

    @cached_property
    def engines(self) -> Engines:
        """The shared store of what was built for this content."""
        return _ENGINES.setdefault(self.key, Engines())

    def spheres(self) -> tuple[Ball, ...]:
        """A few balls that together hold the shape closer than :attr:`sphere` does: at most eight for a long one."""
        tiles = box_balls(self.bounds)
        return tiles if len(tiles) > 1 and tiles[0][1] < self.sphere[1] else (self.sphere,)

    def contains(self, point: Vector) -> bool:
        """Whether a point of the shape's frame is inside or on the surface (within 1 nm)."""
        return self.nearest(point).distance <= 1e-9

    @property
    def volume(self) -> float:
        """Volume in m³."""
        return self.mass_properties.volume

    @property
    def centre_of_mass(self) -> Vector:
        """The centre of mass in the shape's frame."""
        return self.mass_properties.centre

    def inertia(self, density: float) -> Array:
        """The 3×3 inertia (kg m²) about the centre of mass for a density in kg/m³."""
        return checks.size("inertia", "density", density) * np.array(self.mass_properties.inertia)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shape) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return type(self), tuple(getattr(self, field.name) for field in fields(self))


def content(kind: str, *numbers: float) -> str:
    """A key from a kind and its numbers, exact to the last bit."""
    return " ".join((kind, *(repr(number + 0.0) for number in numbers)))


def box_balls(bounds: Bounds) -> tuple[Ball, ...]:
    """Balls round the cells of a box, cut across its long sides until the cells are nearly cubes or eight are used."""
    lower, upper = bounds
    sizes = [high - low for low, high in zip(lower, upper, strict=True)]
    counts = [1, 1, 1]
    while True:
        cells = [size / count for size, count in zip(sizes, counts, strict=True)]
        longest = cells.index(max(cells))
        total = counts[0] * counts[1] * counts[2] // counts[longest] * (counts[longest] + 1)
        if total > MOST_BALLS or max(cells) <= 1.5 * min(cells):
            break
        counts[longest] += 1
    radius = 0.5 * math.sqrt(cells[0] ** 2 + cells[1] ** 2 + cells[2] ** 2) * (1.0 + 1e-12)
    return tuple(
        ((lower[0] + (i + 0.5) * cells[0], lower[1] + (j + 0.5) * cells[1], lower[2] + (k + 0.5) * cells[2]), radius)
        for i in range(counts[0])
        for j in range(counts[1])
        for k in range(counts[2])
    )


class PosedShape(Thing, kw_only=False):
    """A shape and where its own frame is: ``{box: [40 mm, 40 mm, 10 mm], at: [0, 0, 5 mm]}``."""

    shape: Annotated[ShapeModel, Inline(ShapeModel)]
    """The shape, by its kind."""
    at: Position = (0.0, 0.0, 0.0)
    """Position of the shape's frame."""
    rpy: Rpy = (0.0, 0.0, 0.0)
    """Rotation of the shape's frame: roll, pitch and yaw about fixed axes."""

    @property
    def pose(self) -> Pose:
        """Position and rotation as one."""
        return Pose.of_rpy(*self.rpy, at=self.at)

    def placed(self, folder: Path) -> tuple[Pose, Shape]:
        """The solid and its pose; files it names are relative to a folder."""
        local, shape = self.shape.placed(folder)
        return self.pose if local is IDENTITY else self.pose @ local, shape
