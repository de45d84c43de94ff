"""Coordinated moves: a robot and its external axes as one mechanism.

A controller plans a coordinated move as a joint move of a single mechanism with the joints of all members. They start
and end together, with the controller's own synchronisation, and no joint exceeds its limits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from drycell.base import IDENTITY, MotionError, Pose, deg, mm
from drycell.robots.ahead import Ahead
from drycell.robots.arm import Arm
from drycell.robots.execution import Follower
from drycell.robots.links import BASE, Joint, Link, Mark
from drycell.robots.mechanism import Mechanism
from drycell.world import Linkage, LinkMotion, LiveBody, World, chain, lineage


@dataclass(frozen=True, eq=False)
class Axis:
    """An external axis in a coordinated move: its name, its mechanism as data and in the world, and where it goes."""

    name: str
    mechanism: Mechanism
    linkage: Linkage
    end: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Group:
    """A robot and the external axes of one command."""

    arm: Arm
    """All as one arm; without axes, the robot's own."""
    end: tuple[float, ...]
    """Where the axes go."""
    ahead: World | Ahead
    """The world with the axes at their end."""
    known: Mapping[Linkage, tuple[float, ...]]
    """The end of each axis."""
    followers: tuple[Follower, ...]


def shown_joints(mechanism: Mechanism, joints: Sequence[float]) -> str:
    """Joint values with their units. It is in the journal."""
    values = zip(mechanism.joints, joints, strict=True)
    # Without the sign of a zero, which may differ between processors.
    return ", ".join(
        f"{round(value / (deg if joint.revolute else mm), 3) + 0.0:.3f} {joint.unit}" for joint, value in values
    )


def axis_end(name: str, mechanism: Mechanism, given: float | Sequence[float]) -> tuple[float, ...]:
    """The joint values of an external axis, given as a number or as a list. Raises MotionError if they are wrong."""
    try:
        end = (float(given),) if isinstance(given, (int, float)) else tuple(map(float, given))
    except (TypeError, ValueError):
        raise MotionError(
            f"{name} cannot go to {given!r}, which is neither a joint value nor a list of them",
            hint=f"give {', '.join(mechanism.joint_names)}, for example axes={{{name}: {_example(mechanism)}}}",
        ) from None
    mechanism.check_joints(end)
    return end


def _example(mechanism: Mechanism) -> str:
    values = [f"{30 if each.revolute else 500}*{'deg' if each.revolute else 'mm'}" for each in mechanism.joints]
    return values[0] if len(values) == 1 else f"({', '.join(values)})"


def together(arm: Arm, linkage: Linkage, axes: Sequence[Axis], world: World) -> Arm:
    """An arm and external axes as one arm: first its own joints, then those of each axis, with their true kinematics.

    Its base is the world; its tool is the arm's. Controllers need it for the limits of the joints and the path of the
    tool, from which they find zones.
    """
    members = [(arm.mechanism, linkage), *((each.mechanism, each.linkage) for each in axes)]
    joints: list[Joint] = []
    first: dict[Linkage, int] = {}
    for mechanism, each in members:
        first[each] = len(joints)
        joints += [replace(joint, name=f"{mechanism.name}/{joint.name}") for joint in mechanism.joints]
    links: list[Link] = []
    places: dict[Linkage, int] = {}
    # What carries another comes first: it has fewer carriers.
    for mechanism, each in sorted(members, key=lambda member: len(lineage(member[1].base))):
        parent, mount = _mount(each.base, places, world)
        places[each] = len(links)
        for link in mechanism.links:
            on = parent if link.parent == BASE else link.parent + places[each]
            origin = mount @ link.origin if link.parent == BASE else link.origin
            drives = tuple(replace(drive, joint=drive.joint + first[each]) for drive in link.drives)
            links.append(Link(f"{mechanism.name}/{link.name}", on, origin, drives))
    mark = arm.mechanism.flange
    if mark.link == BASE:
        parent, mount = _mount(linkage.base, places, world)
        flange = Mark(parent, mount @ mark.pose)
    else:
        flange = Mark(mark.link + places[linkage], mark.pose)
    home = tuple(value for mechanism, _ in members for value in mechanism.home)
    whole = Mechanism(arm.name, tuple(joints), tuple(links), flange, home=home)
    return Arm(arm.name, whole, arm.tool)


def _mount(base: LiveBody, places: Mapping[Linkage, int], world: World) -> tuple[int, Pose]:
    """The link that carries a base, and the pose of the base on that link; the world if no member carries it."""
    pose = IDENTITY
    for segment in chain(base):
        motion = segment.motion
        if isinstance(motion, LinkMotion) and motion.linkage in places:
            return places[motion.linkage] + motion.index, pose
        pose = motion.pose(world.now) @ pose
    return BASE, pose
