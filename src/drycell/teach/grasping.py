"""Grasp and place poses from picked points.

A point on a face of a part gives the side to grasp it from. The jaws move along the x axis of the tool and close across
the narrowest dimension that fits between them. The tool goes in by half the depth of the part, but at most 25 mm. Of
the remaining orientations, the robot uses one that it reaches well and that turns the tool least.
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
_CLEARANCE: Final = 2 * mm  # between the part and the open jaws, the sum of both sides
_QUARTERS: Final = (0.0, 0.5 * math.pi, -0.5 * math.pi, math.pi)
_RANK: Final = {"green": 0, "amber": 1, "red": 2}
_SAME: Final = 1e-6


def grasp_at(world: World, robot: LiveRobot, point: TaughtPoint, depth: float | None = None) -> TaughtPoint:
    """Return the grasp of the part that a point is on: from that side, centred, with the jaws across it.

    Args:
        world: the world.
        robot: the robot that grasps.
        point: a point on the part.
        depth: how far the tool goes in, in metres; by default half the depth of the part, at most 25 mm.

    Raises:
        MotionError: if the part does not fit between the jaws.
    """
    lower, upper = _bounds(world, point)
    middle = point.centred(world)
    seen = middle.local.inverse()
    corners = [
        seen.point((x, y, z)) for x in (lower[0], upper[0]) for y in (lower[1], upper[1]) for z in (lower[2], upper[2])
    ]
    sizes = [max(c[k] for c in corners) - min(c[k] for c in corners) for k in range(3)]
    widest = robot.fingers.opening[1] - _CLEARANCE
    # Along x of the frame for 0° and 180°, along y for ±90°.
    fitting = sorted({size for size in sizes[:2] if size <= widest})
    if not fitting:
        raise MotionError(
            f"{robot.gripper.name} opens {format_length(robot.fingers.opening[1])}, but {point.on!r} has "
            f"{' × '.join(format_length(size) for size in sizes[:2])} here",
            hint="pick another side, turn the part, or use a wider gripper",
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
    """Return the pose to place the grasped part on a surface, turned as little as the robot's reach allows."""
    candidates = [set_down(world, grasp, onto.turned(turn), clearance) for turn in _QUARTERS]
    return _best(world, robot, candidates, grasp.pose(world))[0]


def _best(
    world: World, robot: LiveRobot, candidates: Sequence[TaughtPoint], like: Pose
) -> tuple[TaughtPoint, ReachVerdict]:
    """Return the candidate that the robot reaches best; among equals, the one turned least from another pose."""
    found = [(candidate, verdict(robot, candidate.pose(world))) for candidate in candidates]
    return min(found, key=lambda each: (_RANK[each[1].lamp], round(each[0].pose(world).distance_to(like)[1], 6)))


def _across(sizes: Sequence[float], turn: float) -> float:
    """Return the width of the part along the tool's x axis after a turn."""
    return sizes[1] if abs(math.sin(turn)) > 0.5 else sizes[0]


def _bounds(world: World, point: TaughtPoint) -> tuple[Sequence[float], Sequence[float]]:
    body = world.bodies.get(point.on) if point.on is not None else None
    if body is None or body.shape is None:
        raise GeometryError(f"{point.name!r} is not on a part that can be grasped", hint="pick a point on a part")
    return body.shape.bounds
