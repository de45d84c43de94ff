"""Which part is meant: the box around a part as it rests, and the part whose box contains the tool centre point.

The box is that of the stable state that the part is in: level, along the axes of that state. What a gripper is sent to
is computed from the box, and what it is expected to hold. What it really holds depends on the true geometry.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from drycell.base import GeometryError, MotionError, Pose, Vector
from drycell.world import LiveBody, PartGrasp, World

_LEVEL: Final = math.cos(math.radians(1.0))  # a part that leans more is not in a stable state
_MARGIN: Final = 1e-6  # metres
_DOWN: Final = Pose.of_rows((1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0))


@dataclass(frozen=True, slots=True)
class RestingBox:
    """The level box around a part as it rests."""

    top: Pose
    """The middle of its top in the world: z down, x along its length."""
    size: Vector
    """Length, width and height in metres; the length is not shorter than the width."""

    @classmethod
    def of(cls, world: World, part: LiveBody) -> "RestingBox":
        """The box of a part where it is now.

        Args:
            world: The world.
            part: The part. If its shape has no stable states, or it is in none, the box of its shape counts.

        Raises:
            MotionError: The part has no shape.
        """
        if part.shape is None:
            raise MotionError(f"{part.name!r} has no shape, so there is nothing to grasp")
        pose = world.pose(part)
        frame = _level(_resting_frame(part, pose))
        vertices, _ = part.shape.triangles()
        to_frame = frame.inverse() @ pose
        corners = [to_frame.point(corner) for corner in vertices.tolist()]
        low, high = ([f(corner[k] for corner in corners) for k in range(3)] for f in (min, max))
        length, width, height = (b - a for a, b in zip(low, high, strict=True))
        x, y = ((a + b) / 2 for a, b in zip(low[:2], high[:2], strict=True))
        top = frame @ Pose(x, y, high[2])
        if width > length + 1e-9:
            top, length, width = top @ Pose.turn_z(math.pi / 2), width, length
        return cls(top @ _DOWN, (length, width, height))

    def contains(self, point: Sequence[float], margin: float = 0.0) -> bool:
        """Whether a point of the world is in the box, or at most ``margin`` metres outside it."""
        x, y, z = self.top.inverse().point(point)
        length, width, height = self.size
        return abs(x) <= length / 2 + margin and abs(y) <= width / 2 + margin and -margin <= z <= height + margin

    @property
    def middle(self) -> Vector:
        """The middle of the box, in the world."""
        return self.top.point((0.0, 0.0, self.size[2] / 2))


def _resting_frame(part: LiveBody, pose: Pose) -> Pose:
    """The frame of the stable state that a part is in, in the world: z is up."""
    assert part.shape is not None
    try:
        state = part.stable_states.at(pose)
    except GeometryError:  # an open mesh has no stable states
        return pose
    frame = pose @ state.pose.inverse()
    return frame if frame.direction((0.0, 0.0, 1.0))[2] > _LEVEL else pose


@dataclass(frozen=True, slots=True)
class PlannedGrasp:
    """Where a gripper goes to grasp a part: the TCP in the world, and the distances of approach and departure."""

    tcp: Pose
    approach: float | None = None
    """In metres; None if the part does not say."""
    depart: float | None = None
    """In metres; None if the part does not say."""


def stated_grasp(world: World, part: LiveBody) -> tuple[PartGrasp, Pose] | None:
    """What a part says about its grasp in the stable state that it is in, with the frame of that state in the world.

    Args:
        world: The world.
        part: The part.

    Raises:
        UnknownName: The part has a grasp for a state that its shape does not have.
    """
    if not part.grasps or part.shape is None:
        return None
    states, pose = part.stable_states, world.pose(part)
    for name in part.grasps:
        _ = states[name]
    state = states.at(pose)
    stated = part.grasps.get(state.name)
    return None if stated is None else (stated, pose @ state.pose.inverse())


def _level(frame: Pose) -> Pose:
    """A frame at the same place with z straight up, and x along its own x axis as far as that is level."""
    axes = [frame.direction(axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))]
    x, y, _ = max(axes, key=lambda axis: -round(abs(axis[2]), 9))
    return Pose(*frame.position) @ Pose.turn_z(math.atan2(y, x))


def part_meant(world: World, parts: Iterable[LiveBody], tcp: Pose) -> LiveBody | None:
    """The part whose box contains a TCP; of several, that whose middle is nearest. None if there is none.

    Args:
        world: The world.
        parts: The parts that can be meant.
        tcp: The tool centre point in the world.
    """
    near = [part for part in parts if part.shape is not None and _near(part, tcp)]
    found = [
        (round(math.dist(box.middle, tcp.position), 9), part.name, part)
        for part, box in ((part, RestingBox.of(world, part)) for part in near)
        if box.contains(tcp.position, _MARGIN)
    ]
    return min(found, key=lambda each: each[:2])[2] if found else None


def _near(part: LiveBody, tcp: Pose) -> bool:
    """Whether a point can be in the box of a part: no corner of the box is farther than √3 radii from the middle."""
    assert part.shape is not None
    middle, radius = part.shape.sphere
    return math.dist(part.pose.point(middle), tcp.position) <= 2.0 * radius + _MARGIN
