"""Primitive: a convex shape with closed forms for rays, nearest points and mass."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Final

from drycell.base import Vector
from drycell.geometry.piece import Core, Piece
from drycell.geometry.shape import RayHit, Shape

if TYPE_CHECKING:
    import coal

TOUCH: Final = 1e-9  # metres; what is this near touches
Span = tuple[float, float, Vector]  # where a line enters and leaves, and the outward normal where it enters


class Primitive(Shape):
    """A convex solid that every engine knows by its few numbers."""

    @abstractmethod
    def extent(self, u: float, v: float, w: float) -> float:
        """How far the shape reaches along a direction: the largest dot product with any of its points."""

    @abstractmethod
    def trace(self, origin: Vector, direction: Vector, grow: float) -> Span | None:
        """Where a whole line runs through the shape, grown by a hair."""

    @abstractmethod
    def coal_geometry(self) -> "coal.CollisionGeometry":
        """The shape for coal, in millimetres."""

    def build_pieces(self) -> tuple[Piece, ...]:
        """One piece."""
        return (Piece(Core(self.coal_geometry(), self.extent, self.sphere, primitive=self)),)

    def ray(self, origin: Vector, direction: Vector, reach: float) -> RayHit | None:
        """The first hit within reach; a line that passes within 1 nm touches, and touching counts."""
        span = self.trace(origin, direction, 0.0) or self.trace(origin, direction, TOUCH)
        if span is None:
            return None
        near, far, normal = span
        if far < TOUCH or near > reach + TOUCH:
            return None  # behind, just being left, or out of reach
        if near < 0.0:
            if near < -TOUCH:
                u, v, w = direction
                return RayHit(0.0, (-u, -v, -w), inside=True)
            near = 0.0
        return RayHit(near if near < reach else reach, normal)
