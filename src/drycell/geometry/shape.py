"""Shapes: solids in their own frames, in metres.

A shape is a frozen value, compared and hashed by its content. To add a kind of shape, write a subclass of
:class:`Shape` (or of :class:`ShapeModel`, if it is made of others) and export it from the package.
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
    """The nearest point of a surface to a given point, with signed distance (negative inside) and outward normal."""

    distance: float
    point: Vector
    normal: Vector


class RayHit(NamedTuple):
    """The first hit of a ray on a body: distance along the ray in metres, and the outward normal.

    A ray that starts inside the body hits at once: the distance is 0, ``inside`` is set, and the normal is opposite to
    the ray.
    """

    distance: float
    normal: Vector
    inside: bool = False


class Engines:
    """Engine-specific data of a shape, built on first use and shared by all equal shapes."""

    __slots__ = ("__weakref__", "built")

    def __init__(self) -> None:
        self.built: dict[str, object] = {}


_ENGINES: WeakValueDictionary[str, Engines] = WeakValueDictionary()


@atexit.register
def _release() -> None:
    """Release engine data before the engines shut down: manifold3d prints every object that still exists at exit."""
    for engines in list(_ENGINES.values()):
        engines.built.clear()


class ShapeModel(Thing, noun="shape"):
    """A shape as described in files: a solid, or a description from which a solid is built."""

    def solid(self, folder: Path) -> "Shape":
        """Build the solid.

        Args:
            folder: The folder that file names are relative to.

        Raises:
            GeometryError: The solid cannot be built.
        """
        raise NotImplementedError

    def placed(self, folder: Path) -> "tuple[Pose, Shape]":
        """Return the solid and its pose in the frame of the description.

        Args:
            folder: The folder that file names are relative to.
        """
        return IDENTITY, self.solid(folder)


class Shape(ShapeModel, ABC):
    """A solid in its own frame. Primitives are centred at the origin, with their axis along z."""

    def __init_subclass__(cls, *, eq: bool = False, **info: Any) -> None:
        super().__init_subclass__(eq=eq, **info)  # equal by content, see __eq__

    def solid(self, folder: Path) -> "Shape":
        """Return the shape itself."""
        return self

    @cached_property
    @abstractmethod
    def key(self) -> str:
        """A string that is equal for equal shapes, in every process."""

    @cached_property
    @abstractmethod
    def bounds(self) -> Bounds:
        """Lower and upper corner of the tight bounding box along the shape's axes, in metres."""

    @cached_property
    @abstractmethod
    def sphere(self) -> Ball:
        """Centre and radius of a bounding sphere: the smallest one for primitives."""

    @cached_property
    @abstractmethod
    def mass_properties(self) -> MassProperties:
        """Volume, centre of mass, and inertia at a density of 1 kg/m³."""

    @abstractmethod
    def triangles(self, deviation: float | None = None) -> tuple[Array, Faces]:
        """Return the vertices (n, 3) and the faces (m, 3) of a closed surface.

        Args:
            deviation: The largest deviation of facets from round surfaces, in metres. By default a circle has 24 sides.
        """

    @abstractmethod
    def nearest(self, point: Vector) -> SurfacePoint:
        """Return the point of the surface that is nearest to a point.

        Args:
            point: A point in the shape's frame, in metres.
        """

    def true_nearest(self, point: Vector) -> SurfacePoint:
        """Return the nearest point of the surface that facets stand for: for most shapes, that of the surface itself.

        Args:
            point: A point in the shape's frame, in metres.
        """
        return self.nearest(point)

    @abstractmethod
    def ray(self, origin: Vector, direction: Vector, reach: float) -> RayHit | None:
        """Return the first hit of a ray on the true surface, or None.

        Args:
            origin: Where the ray starts, in the shape's frame, in metres.
            direction: Its direction, a vector of length 1.
            reach: How far it reaches, in metres.
        """

    @abstractmethod
    def build_pieces(self) -> "tuple[Piece, ...]":
        """Build the value of :meth:`pieces`."""

    def pieces(self) -> "tuple[Piece, ...]":
        """Return the exact convex pieces for distance queries; most primitives have one."""
        built = self.engines.built
        if "pieces" not in built:
            built["pieces"] = self.build_pieces()
        return built["pieces"]  # type: ignore[return-value]

    @cached_property
    def engines(self) -> Engines:
        """The engine data that all equal shapes share."""
        return _ENGINES.setdefault(self.key, Engines())

    def spheres(self) -> tuple[Ball, ...]:
        """Return at most eight spheres that together enclose the shape more tightly than :attr:`sphere`."""
        cells = box_balls(self.bounds)
        return cells if len(cells) > 1 and cells[0][1] < self.sphere[1] else (self.sphere,)

    def contains(self, point: Vector) -> bool:
        """Return whether a point is inside or on the surface (within 1 nm).

        Args:
            point: A point in the shape's frame, in metres.
        """
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
        """Return the 3×3 inertia matrix about the centre of mass, in kg m².

        Args:
            density: The density in kg/m³.

        Raises:
            GeometryError: The density is not a positive number.
        """
        return checks.size("inertia", "density", density) * np.array(self.mass_properties.inertia)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shape) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return type(self), tuple(getattr(self, field.name) for field in fields(self))


def content(kind: str, *numbers: float) -> str:
    """A key made of a kind and its exact numbers."""
    return " ".join((kind, *(repr(number + 0.0) for number in numbers)))


def box_balls(bounds: Bounds) -> tuple[Ball, ...]:
    """Spheres around up to eight nearly cubic cells into which a box is divided."""
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
    """A shape at a pose: ``{box: [40 mm, 40 mm, 10 mm], at: [0, 0, 5 mm]}``."""

    shape: Annotated[ShapeModel, Inline(ShapeModel)]
    """The shape."""
    at: Position = (0.0, 0.0, 0.0)
    """Position of the shape's frame."""
    rpy: Rpy = (0.0, 0.0, 0.0)
    """Orientation of the shape's frame: roll, pitch and yaw about fixed axes."""

    @property
    def pose(self) -> Pose:
        """Position and orientation."""
        return Pose.of_rpy(*self.rpy, at=self.at)

    def placed(self, folder: Path) -> tuple[Pose, Shape]:
        """The solid and its pose. File names are relative to the folder."""
        local, shape = self.shape.placed(folder)
        return self.pose if local is IDENTITY else self.pose @ local, shape
