"""Vacuum cups and magnets: switched on, they hold the parts that they touch.

This is the minimum that a program needs: a part that a cup touches is held until it is released. Suction itself is not
computed: a cup that covers an edge or a hole, a porous part and a part that peels off are held like any other.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from drycell.base import IDENTITY, MotionError, Pose, mm
from drycell.geometry import Cylinder, Placed, Shape, closest, distance
from drycell.handling.gripper import FACING
from drycell.handling.holder import Holder
from drycell.kernel import Kernel
from drycell.world import Gravity, LiveBody, World

_REACH = 1 * mm  # a cup gives way by at least this much, so a part within it counts as touched
_LIP = 0.1 * mm  # the thickness of the disc that stands for the lip of a cup


@dataclass(frozen=True, slots=True)
class Mouth:
    """Where a cup or a magnet touches parts, relative to the mounting face: z points out; the radius is in metres."""

    pose: Pose
    radius: float


class Suction(Holder):
    """Vacuum cups or a magnet on a mounting face.

    ``close`` switches it on: it then holds each part whose surface faces a mouth and is within 1 mm of it. A part that
    it meets later is not held: switch it on when it touches the part. ``open`` switches it off.
    """

    def __init__(
        self,
        kernel: Kernel,
        world: World,
        gravity: Gravity,
        name: str,
        solid: Shape | None,
        tcp: Pose,
        mouths: Sequence[Mouth],
        parent: LiveBody | None,
        at: Pose = IDENTITY,
        *,
        magnetic: bool = False,
        deviation: float = 0.0,
    ) -> None:
        palm = LiveBody(name, solid, material="aluminium", deviation=deviation)
        super().__init__(kernel, world, gravity, name, palm, tcp, parent, at)
        self._magnetic = magnetic
        self._lips = [(mouth.pose, Cylinder(mouth.radius, _LIP)) for mouth in mouths]
        world.subscribe(self._lost)

    def close(self) -> bool:
        """Switch it on: hold the parts that it touches now. Takes no time.

        Returns:
            Whether it holds a part.
        """
        if not self.load:
            found: list[LiveBody] = []
            for pose, lip in self._lips:
                part = self._touched(self.palm.pose @ pose, lip)
                if part is not None and part not in found:
                    found.append(part)
            if found:
                self._take(found)
            else:
                self._kernel.journal.write("misses", self.name)
        return self.held is not None

    def open(self) -> None:
        """Switch it off: release held parts, which fall if nothing is below them. Takes no time."""
        self._let_go()

    def default_grasp(self, part: LiveBody) -> Pose:
        """The TCP pose on the middle of a part's top, pointing down, x along the part's own x axis or y axis.

        Args:
            part: The part.

        Raises:
            MotionError: The part has no shape.
        """
        if part.shape is None:
            raise MotionError(f"{part.name!r} has no shape, so there is nothing to grasp")
        pose = self._world.pose(part)
        lower, upper = part.shape.bounds
        corners = [pose.point((x, y, z)) for x, y, z in product(*zip(lower, upper, strict=True))]
        u, v, _ = pose.point([(a + b) / 2 for a, b in zip(lower, upper, strict=True)])
        level = max(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), key=lambda axis: -abs(round(pose.direction(axis)[2], 6)))
        x, y, _ = pose.direction(level)
        return Pose(u, v, max(corner[2] for corner in corners)) @ Pose.turn_z(math.atan2(y, x)) @ Pose.turn_x(math.pi)

    def _touched(self, mouth: Pose, lip: Cylinder) -> LiveBody | None:
        """The nearest part in front of a mouth, and within reach of it."""
        disc = Placed(lip, mouth @ Pose(z=-_LIP / 2))
        out = mouth.direction((0.0, 0.0, 1.0))
        nearest: tuple[float, LiveBody] | None = None
        for body in self._world.bodies.values():
            if not body.part or body.hole or body.shape is None:
                continue
            if self._magnetic and not self._world.materials[body.material].magnetic:
                continue
            placed = Placed(body.shape, body.pose)
            gap = distance(disc, placed, _REACH)
            if gap > _REACH or (nearest is not None and gap >= nearest[0]):
                continue
            if sum(n * z for n, z in zip(closest(disc, placed).normal, out, strict=True)) > FACING:
                nearest = (gap, body)
        return None if nearest is None else nearest[1]
