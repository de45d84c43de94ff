"""Grasps and places from points that were shown: how the jaws go about a part, and how the part is set down.

A point picked on a face of a part says from where it is to be taken. The jaws, which move along the tool's x axis, go
across a side that fits between them, the narrowest first; the tool goes in by half the part's depth, but no more than
25 mm. Of the ways round that are left the robot takes one that it reaches well, and that turns the tool least.
"""

import math
from collections.abc import Sequence
from typing import Final

from drycell.base import GeometryError, MotionError, Pose, format_length, mm
from drycell.robots import LiveRobot
from drycell.teach.reachability import ReachVerdict, verdict
from drycell.teach.surface import TaughtPoint, set_down
from drycell.world import World

DEPTH: Final = 25 * mm
_CLEARANCE: Final = 2 * mm  # between part and open jaws, both sides together
_QUARTERS: Final = (0.0, 0.5 * math.pi, -0.5 * math.pi, math.pi)
_RANK: Final = {"green": 0, "amber": 1, "red": 2}
_SAME: Final = 1e-6


def grasp_at(world: World, robot: LiveRobot, point: TaughtPoint, depth: float | None = None) -> TaughtPoint:
    """The grasp of the part that a point is on, from the side that the point shows: in the middle, jaws across."""
    lower, upper = _bounds(world, point)
    middle = point.centred(world)
    seen = middle.local.inverse()
    corners = [
        seen.point((x, y, z)) for x in (lower[0], upper[0]) for y in (lower[1], upper[1]) for z in (lower[2], upper[2])
    ]
    sizes = [max(c[k] for c in corners) - min(c[k] for c in corners) for k in range(3)]
    widest = robot.gripper.opening[1] - _CLEARANCE
    # Along the frame's x for no turn and half a turn, along its y for quarter turns.
    fitting = sorted({size for size in sizes[:2] if size <= widest})
    if not fitting:
        raise MotionError(
            f"{robot.gripper.name} opens {format_length(robot.gripper.opening[1])}, but {point.on!r} has "
            f"{' × '.join(format_length(size) for size in sizes[:2])} here",
            hint="pick another side of it, turn it, or use a wider gripper",
        )
    sunk = middle.raised(-(min(sizes[2] / 2, DEPTH) if depth is None else depth))
    for size in fitting:
        turns = [turn for turn in _QUARTERS if abs(_across(sizes, turn) - size) < _SAME]
        found = _best(world, robot, [sunk.turned(turn) for turn in turns], robot.pose)
        if found[1] or size == fitting[-1]:
            return found[0]
    return sunk


def place_at(
    world: World, robot: LiveRobot, grasp: TaughtPoint, onto: TaughtPoint, clearance: float = 0.0
) -> TaughtPoint:
    """Where to set the grasped part down on a surface: turned as little as the robot's reach allows."""
    ways = [set_down(world, grasp, onto.turned(turn), clearance) for turn in _QUARTERS]
    return _best(world, robot, ways, grasp.pose(world))[0]


def _best(world: World, robot: LiveRobot, ways: Sequence[TaughtPoint], like: Pose) -> tuple[TaughtPoint, ReachVerdict]:
    """The way that is reached best, and of those the one turned least from another pose."""
    found = [(way, verdict(robot, way.pose(world))) for way in ways]
    return min(found, key=lambda each: (_RANK[each[1].lamp], round(each[0].pose(world).distance_to(like)[1], 6)))


def _across(sizes: Sequence[float], turn: float) -> float:
    """How wide the part is along the tool's x axis after a turn."""
    return sizes[1] if abs(math.sin(turn)) > 0.5 else sizes[0]


def _bounds(world: World, point: TaughtPoint) -> tuple[Sequence[float], Sequence[float]]:
    body = world.bodies.get(point.on) if point.on is not None else None
    if body is None or body.shape is None:
        raise GeometryError(f"{point.name!r} is on no part that could be grasped", hint="pick a point on a part")
    return body.shape.bounds
