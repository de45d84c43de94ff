"""Films of outings: a trained and an untrained robot in the same world, one above the other, seen from above."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from drycell.geometry import Box, Cylinder
from drycell.kernel import Kernel
from drycell.learn.controller import Setup
from drycell.learn.evaluation import Outing
from drycell.learn.robot import Leg
from drycell.pictures import Camera, save_film
from drycell.spatial import Pose
from drycell.world import Body, World
from drycell.world.motion import Motion

_SECOND: Final = 1_000_000  # ticks
_HIGH, _THICK = 0.4, 0.04  # m: walls as they are drawn


class Way(Motion):
    """Legs one after the other as a motion of the world: exact at every instant, at rest before and after."""

    def __init__(self, legs: Sequence[Leg], shift: tuple[float, float] = (0.0, 0.0)) -> None:
        self._legs, self._shift = tuple(legs), shift
        self._begins = [leg.begin for leg in legs]
        self.start, self.end = 0, math.ceil((legs[-1].begin + legs[-1].duration) * _SECOND)

    def pose(self, t: int) -> Pose:
        time = t / _SECOND
        x, y, heading = self._legs[max(bisect_right(self._begins, time) - 1, 0)].at(time)
        return Pose(x + self._shift[0], y + self._shift[1], 0.0) @ Pose.turn_z(heading)

    def bound(self, t0: int, t1: int) -> tuple[float, float]:
        speed = max((abs(leg.drive) / leg.duration for leg in self._legs if leg.duration), default=0.0)
        turn = max((abs(leg.turn) / leg.duration for leg in self._legs if leg.duration), default=0.0)
        return (0.0, 0.0) if t1 <= self.start or t0 >= self.end else (speed, turn)


def save_outings(path: str | Path, setup: Setup, trained: Outing, untrained: Outing, speed: float = 8.0) -> int:
    """Films two outings at once, the trained robot's below; returns how many frames it has."""
    world = World(Kernel())
    (_, low), (_, high) = trained.plan.bounds
    ways = []
    for name, outing, up in (("trained", trained, 0.0), ("untrained", untrained, high - low + 0.6)):
        way = Way(outing.legs, (0.0, up))
        ways.append(way)
        hull = Cylinder(setup.model.radius, setup.model.height)
        robot = world.add(Body(name, hull, material="plastic"), motion=way)
        # A stripe from the middle to the front shows the heading.
        stripe = Box(setup.model.radius, 0.05, 0.05)
        at = Pose(setup.model.radius / 2.0, 0.0, setup.model.height)
        world.add(Body(f"{name}/front", stripe, material="rubber"), robot, pose=at)
        for number, wall in enumerate(outing.plan.walls, 1):
            (x, y), (u, v) = wall.start, wall.end
            middle = Pose((x + u) / 2.0, (y + v) / 2.0 + up, _HIGH / 2.0) @ Pose.turn_z(math.atan2(v - y, u - x))
            world.add(Body(f"{name}/wall{number}", Box(wall.length, _THICK, _HIGH), material="concrete"), pose=middle)
    end = max(way.end for way in ways)
    return save_film(world, path, start=0, end=end, fps=24, speed=speed, camera=Camera("top"))
