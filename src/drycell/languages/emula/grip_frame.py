"""Grip frames: from where GRASP … AT (x,y,z) FROM (node) counts."""

from drycell.base import Pose, Vector
from drycell.languages.emula.names import Names, Node
from drycell.robots import LiveRobot
from drycell.world import World

_FLAT = 1e-9


def grip_frame(world: World, robot: LiveRobot, names: Names, node: Node | None) -> Pose:
    """Where offsets are counted from, in the world, now.

    * From a finger: from the edge of its gripping face at the fingertips' end, x pointing across to the other
      finger, z out of the hand. So ``at (1,0,0) from (finger1)`` puts the middle of a part 2 wide flush against it.
    * From nothing: from the point between the fingertips, x along the fingers' way, z out of the hand.
    * From another body: from its own frame.
    """
    mechanism = robot.mechanism
    flange = mechanism.flange
    if node is None:
        return world.pose(robot.flange)
    number = names.links.get(node.body)
    if number is None or mechanism.links[number].parent != flange.link:
        return world.pose(node.body)
    link = mechanism.links[number]
    drive = next((each for each in link.drives if each.kind == "prismatic"), None)
    if drive is None:
        return world.pose(node.body)
    # A finger's frame is the hand's, shifted along the finger's way: the flange on it is the tip of its inner face.
    tip = world.pose(node.body) @ flange.pose
    x, y, z = (-value if drive.ratio > 0.0 else value for value in drive.axis)
    return _facing(tip, world.pose(node.body).direction((x, y, z)))


def _facing(frame: Pose, inward: Vector) -> Pose:
    """The same frame turned about its z so that x points inward."""
    (_, _, zx), (_, _, zy), (_, _, zz) = frame.rotation.tolist()
    along = inward[0] * zx + inward[1] * zy + inward[2] * zz
    flat = (inward[0] - along * zx, inward[1] - along * zy, inward[2] - along * zz)
    size = (flat[0] ** 2 + flat[1] ** 2 + flat[2] ** 2) ** 0.5
    if size < _FLAT:
        return frame
    a, b, c = (value / size for value in flat)
    p, q, r = frame.position
    # y = z × x
    return Pose.of_rows((a, zy * c - zz * b, zx, p, b, zz * a - zx * c, zy, q, c, zx * b - zy * a, zz, r))
