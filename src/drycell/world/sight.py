"""Sight: what the trace-lines of sensors meet in the world at an instant."""

from collections.abc import Container
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drycell import geometry
from drycell.geometry import Fan
from drycell.spatial import Pose, Vector
from drycell.world.body import Body

if TYPE_CHECKING:
    from drycell.world.scene import Scene


@dataclass(frozen=True, slots=True)
class Hit:
    """The first body a ray meets: metres along the ray, the outward normal there, and whether it starts inside."""

    distance: float
    normal: Vector
    body: Body
    inside: bool = False


class Sight:
    """Fans of rays at the bodies of a world, again and again: what a ray meets first, or all that is along it."""

    def __init__(self, scene: "Scene") -> None:
        self._scene = scene

    def cast(self, fan: Fan, pose: Pose, t: int, ignore: Container[Body] = ()) -> list[Hit | None]:
        """What each line of a fan meets first, the fan's frame being at a pose. Of two equally near, the first by name.

        A line that starts inside a body is blocked at once: distance 0.
        """
        return [
            min(found, key=lambda hit: hit.distance) if found else None
            for found in self.cast_each(fan, pose, t, ignore)
        ]

    def cast_each(self, fan: Fan, pose: Pose, t: int, ignore: Container[Body] = ()) -> list[list[Hit]]:
        """For each line of a fan every body along it, by its first hit, by name: as if bodies did not hide others."""
        scene = self._scene
        every: list[list[Hit]] = []
        for origin, direction in fan.lines:
            start, along = pose.point(origin), pose.direction(direction)
            hits = []
            for body in scene.census.near(start, fan.reach, t):
                if body not in ignore:
                    met = geometry.ray(scene.placed(body, t), start, along, fan.reach)
                    if met is not None:
                        hits.append(Hit(met.distance, met.normal, body, met.inside))
            every.append(hits)
        return every
