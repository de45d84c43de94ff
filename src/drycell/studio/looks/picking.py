"""Picking: the point of a body's true surface under a line of sight, and the frame of the body it is seen from."""

import math
from dataclasses import dataclass

from drycell.base import Pose, Vector, WorldError
from drycell.geometry import Placed, project_to_surface, ray
from drycell.world import LiveBody, World


@dataclass(frozen=True)
class SurfacePick:
    """A point on a surface and the outward normal there, in the world and in the body's own frame."""

    body: LiveBody
    pose: Pose
    point: Vector
    normal: Vector
    local_point: Vector
    local_normal: Vector


def pick(
    world: World, body: LiveBody, origin: Vector, direction: Vector, t: int, near: Vector | None = None
) -> SurfacePick:
    """Where a ray first meets a body at an instant: on the cylinder itself, not on a facet of its picture.

    Close to an outline the picture may be hit where the true surface is missed, or the other way round; then the
    point nearest to ``near`` is taken.
    """
    if body.shape is None or not body.exists(t):
        what = "has no surface" if body.shape is None else f"is not in the cell at {t * 1e-6:.6f} s"
        raise WorldError(f"{body.name!r} {what}", hint="pick a body that is there")
    pose = world.pose(body, t)
    here = pose.inverse()
    length = math.hypot(*direction)
    if not 0.0 < length < math.inf:
        raise WorldError("a line of sight needs a direction", hint="give three numbers, not all 0")
    x, y, z = (v / length for v in direction)
    placed = Placed(body.shape, pose)
    hit = ray(placed, origin, (x, y, z))
    if hit is None and near is None:
        raise WorldError(f"the line of sight passes {body.name!r} by", hint="click on the body")
    if hit is not None:
        d = hit.distance
        along = (origin[0] + d * x, origin[1] + d * y, origin[2] + d * z)
    else:
        assert near is not None
        along = near
    # Projected as well: from metres away the hit itself is exact to the rounding of the distance alone.
    found = project_to_surface(placed, along)
    normal = found.normal if hit is None else hit.normal
    return SurfacePick(body, pose, found.point, normal, here.point(found.point), here.direction(normal))
