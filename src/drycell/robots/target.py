"""Targets of moves, which are resolved to a pose in the world when the move is commanded.

A target is the pose the TCP moves to: its z axis is the direction in which the tool points. It can be a pose, a
workpoint, a body (the centre of its top, with the tool pointing down), a device that has a body, the name of one of
these, or one with an offset.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from drycell.base import IDENTITY, MotionError, Pose, UnknownName, Vector, mm
from drycell.cell import Live
from drycell.robots.ahead import Ahead
from drycell.world import LiveBody, LiveWorkpoint, World

# If a body's x axis is this close to vertical, its y axis gives the heading.
_UPRIGHT = 1e-6


@dataclass(frozen=True, slots=True)
class Spot:
    """A target with an offset: first ``shift`` along its own axes, then ``lift`` along the world's axes.

    With ``downward`` the tool points straight down, and its x axis keeps the heading of the target.
    """

    of: "Place"
    name: str
    shift: Pose = IDENTITY
    lift: Vector = (0.0, 0.0, 0.0)
    downward: bool = False


Place = Pose | LiveWorkpoint | LiveBody | Live[Any] | Spot | str


def approach(target: Place, distance: float) -> Spot:
    """Return the target at a distance before another target, back along its z axis, from which a tool approaches it.

    >>> from drycell import Cell, Pose, Robot, approach, deg, mm
    >>> cell = Cell()
    >>> arm = cell.add("arm", Robot("ur5e"))
    >>> pick = Pose(450*mm, 0, 100*mm) @ Pose.turn_x(180*deg)  # the tool points down
    >>> @cell.program
    ... def work():
    ...     arm.move(approach(pick, 80*mm))
    ...     print(f"{arm.pose.z/mm:.1f} mm")
    >>> result = cell.run()
    180.0 mm

    Args:
        target: A pose, a workpoint, a body, the name of a workpoint or body, or a shifted target.
        distance: How far before the target, in metres.
    """
    return Spot(target, f"{_mm(distance)} mm before {name_of(target)}", Pose(0.0, 0.0, -distance))


def above(target: Place, distance: float) -> Spot:
    """Return the target straight above the top of a body or above a frame, with the tool pointing down.

    >>> from drycell import Body, Box, Cell, Robot, above, mm
    >>> cell = Cell()
    >>> block = cell.add("block", Body(Box(80*mm, 80*mm, 100*mm), at=(450*mm, 0, 50*mm)))
    >>> arm = cell.add("arm", Robot("ur5e"))
    >>> @cell.program
    ... def work():
    ...     arm.move(above(block, 80*mm))
    ...     print(f"{arm.pose.z/mm:.1f} mm")
    >>> result = cell.run()
    180.0 mm

    Args:
        target: A pose, a workpoint, a body, the name of a workpoint or body, or a shifted target.
        distance: How far above it along the z axis of the world, in metres. A negative distance is below it.
    """
    length = _mm(distance)
    name = f"{length.removeprefix('-')} mm {'below' if distance < 0 else 'above'} {name_of(target)}"
    return Spot(target, name, lift=(0.0, 0.0, distance), downward=True)


def offset(target: Place, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Spot:
    """Return a target that is shifted along its own axes.

    >>> from drycell import Cell, Pose, Robot, deg, mm, offset
    >>> cell = Cell()
    >>> arm = cell.add("arm", Robot("ur5e"))
    >>> pick = Pose(450*mm, 0, 200*mm) @ Pose.turn_x(180*deg)  # the target's own z points down
    >>> @cell.program
    ... def work():
    ...     arm.move(offset(pick, z=50*mm))
    ...     print(f"{arm.pose.z/mm:.1f} mm")
    >>> result = cell.run()
    150.0 mm

    Args:
        target: A pose, a workpoint, a body, the name of a workpoint or body, or a shifted target.
        x: The shift along the target's x axis, in metres.
        y: The shift along the target's y axis, in metres.
        z: The shift along the target's z axis, in metres. It is the direction in which the tool points.
    """
    return Spot(target, f"{name_of(target)} + ({_mm(x, y, z)}) mm", Pose(x, y, z))


def shifted(target: Place, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Spot:
    """Return a target that is shifted along the axes of the world.

    >>> from drycell import Cell, Pose, Robot, deg, mm, shifted
    >>> cell = Cell()
    >>> arm = cell.add("arm", Robot("ur5e"))
    >>> pick = Pose(450*mm, 0, 200*mm) @ Pose.turn_x(180*deg)
    >>> @cell.program
    ... def work():
    ...     arm.move(shifted(pick, z=50*mm))
    ...     print(f"{arm.pose.z/mm:.1f} mm")
    >>> result = cell.run()
    250.0 mm

    Args:
        target: A pose, a workpoint, a body, the name of a workpoint or body, or a shifted target.
        x: The shift along the x axis of the world, in metres.
        y: The shift along the y axis of the world, in metres.
        z: The shift along the z axis of the world, in metres: up.
    """
    return Spot(target, f"{name_of(target)} + ({_mm(x, y, z)}) mm in the world", lift=(x, y, z))


def turned(target: Place, angle: float) -> Spot:
    """Return a target that is turned about its own z axis, the direction in which the tool points.

    >>> from drycell import Cell, Pose, Robot, deg, mm, turned
    >>> cell = Cell()
    >>> arm = cell.add("arm", Robot("ur5e"))
    >>> pick = Pose(450*mm, 0, 200*mm) @ Pose.turn_x(180*deg)
    >>> @cell.program
    ... def work():
    ...     arm.move(turned(pick, 90*deg))
    ...     print(f"{abs(arm.pose.rpy[2])/deg:.1f} deg")
    >>> result = cell.run()
    90.0 deg

    Args:
        target: A pose, a workpoint, a body, the name of a workpoint or body, or a shifted target.
        angle: The angle in radians, for example ``90*deg``.
    """
    return Spot(target, f"{name_of(target)} turned {math.degrees(angle):.1f} deg", Pose.turn_z(angle))


def name_of(target: Place) -> str:
    """The name of a target in messages and tables."""
    if isinstance(target, str):
        return target
    if isinstance(target, Pose):
        return f"({_mm(*target.position)}) mm"
    return str(getattr(target, "name", target))  # an object that is not a target is rejected when the move is commanded


def pose_of(target: Place, world: World | Ahead, frame: Pose = IDENTITY) -> Pose:
    """The pose of a target in the world now. A pose is relative to ``frame``, the robot's user frame."""
    if isinstance(target, str):
        target = world.workpoints.get(target) or _named(target, world)
    if isinstance(target, Pose):
        return frame @ target
    if isinstance(target, LiveWorkpoint):
        return world.pose(target)
    if isinstance(target, Live) and target.body is not None:
        target = target.body
    if isinstance(target, LiveBody):
        return _top(target, world)
    if not isinstance(target, Spot):
        raise _not_a_target(target, world)
    pose = pose_of(target.of, world, frame)
    if target.downward:
        pose = _down(pose)
    return (pose @ target.shift).moved(*target.lift)


def check_listed(given: object, world: World) -> None:
    """Raise MotionError if something is neither a target nor a list of joint values."""
    if not isinstance(given, Iterable):
        raise _not_a_target(given, world)


def _not_a_target(given: object, world: World | Ahead) -> MotionError:
    """The error about something that is not a target; for a device, the hint names its workpoints."""
    name = getattr(given, "name", None)
    own = [each for each in world.workpoints if name is not None and each.startswith(f"{name}.")]
    kind = type(given).__name__.removeprefix("Live").lower()
    what = f"{kind} {name!r}" if isinstance(name, str) else repr(given)
    return MotionError(
        f"{what} is not a target for a move",
        hint=f"move to one of its workpoints: {', '.join(map(repr, own))}"
        if own
        else "give a pose, a workpoint, a body, or the name of one of them",
    )


def _named(name: str, world: World | Ahead) -> LiveBody:
    if name not in world.bodies:
        raise UnknownName("workpoint or body", name, [*world.workpoints, *world.bodies])
    return world.bodies[name]


def _top(body: LiveBody, world: World | Ahead) -> Pose:
    """The centre of a body's top with the tool pointing down: the middle of its bounding box, at its highest point."""
    if body.shape is None:
        raise MotionError(
            f"{body.name!r} has no shape, so it has no top to move to", hint="give a workpoint on it, or a pose"
        )
    (a, b, c), (x, y, z) = body.shape.bounds
    pose = world.pose(body)
    u, v, _ = pose.point(((a + x) / 2, (b + y) / 2, (c + z) / 2))
    top = max(pose.point((i, j, k))[2] for i in (a, x) for j in (b, y) for k in (c, z))
    rows = _down(pose).rows
    return Pose.of_rows((*rows[:3], u, *rows[4:7], v, *rows[8:11], top))


def _down(pose: Pose) -> Pose:
    """A pose at the same position with z straight down; x is horizontal, along the pose's own x."""
    x, y, _ = pose.direction((1.0, 0.0, 0.0))
    if math.hypot(x, y) < _UPRIGHT:
        x, y, _ = pose.direction((0.0, 1.0, 0.0))
    return (
        Pose(*pose.position)
        @ Pose.turn_z(math.atan2(y, x))
        @ Pose.of_rows((1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0))
    )


def _mm(*lengths: float) -> str:
    # Rounded first, and without a negative zero, as names are in the journal.
    try:
        return ", ".join(f"{round(length / mm, 1) + 0.0:.1f}" for length in lengths)
    except TypeError:
        wrong = next(each for each in lengths if not isinstance(each, (int, float)))
        raise MotionError(f"{wrong!r} is not a length in metres", hint="write a number, such as 50*mm") from None
