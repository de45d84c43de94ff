"""The solids that a merged mesh was made of: for a point on one of its facets, the point of the exact surface."""

from dataclasses import dataclass
from typing import Final

from drycell.base import Pose
from drycell.geometry.shape import Shape, SurfacePoint

SIDES_DEVIATE: Final = 0.02
"""Facets of a merged solid are within this fraction of its radius: 24 sides of a circle deviate by 0.86 %."""
_SAME_SIDE: Final = 0.9  # the minimum cosine between the normals of a facet and of the surface that it stands for


@dataclass(frozen=True)
class ExactSolid:
    """A solid, or a hole, in a merged mesh. The facets are within ``reach`` metres of its exact surface."""

    pose: Pose
    shape: Shape
    hole: bool
    reach: float

    def moved(self, pose: Pose, hole: bool) -> "ExactSolid":
        """This source as a part of a solid, or of a hole, that is merged again."""
        return ExactSolid(pose @ self.pose, self.shape, self.hole != hole, self.reach)

    def surface_point(self, facet: SurfacePoint) -> SurfacePoint | None:
        """The point of the exact surface above or below a point of a facet; None if the facet is not of this solid."""
        sense = -1.0 if self.hole else 1.0
        here = self.pose.inverse()
        (x, y, z), (u, v, w) = here.point(facet.point), (sense * value for value in here.direction(facet.normal))
        far = 2.0 * self.reach
        hit = self.shape.ray((x + far * u, y + far * v, z + far * w), (-u, -v, -w), 2.0 * far)
        if hit is None or hit.inside:
            return None
        a, b, c = hit.normal
        height = far - hit.distance
        if abs(height) > self.reach or a * u + b * v + c * w < _SAME_SIDE:
            return None
        normal = self.pose.direction((sense * a, sense * b, sense * c))
        return SurfacePoint(height, self.pose.point((x + height * u, y + height * v, z + height * w)), normal)
