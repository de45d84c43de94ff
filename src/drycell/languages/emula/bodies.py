"""The names of bodies in the language, and the grasped bodies."""

from collections.abc import Iterator
from dataclasses import dataclass

from drycell.base import UnknownName, WorldError
from drycell.robots import LiveRobot
from drycell.world import LiveBody, World, lineage

GRIPPER = "gripper"
WORLD = "world"
OWN = "own"
"""The frames of TRANSLATE that are not bodies: the world's axes, and those of the body itself."""


@dataclass(frozen=True, slots=True)
class NamedBodies:
    """The bodies that a name refers to, each with the bodies below it. ``name`` is the short name, for messages."""

    name: str
    roots: tuple[LiveBody, ...]

    @property
    def body(self) -> LiveBody:
        """The body that is moved or grasped by this name."""
        return self.roots[0]


class BodyNames:
    """Finds bodies by name.

    A name is a body's full name ("robot/finger1"), its last part ("finger1") if that is unique, the name of the robot
    (all of it), or "gripper": the link with the robot's flange and everything that moves with it. A link of the robot
    includes all links below it. Case does not matter.
    """

    def __init__(self, world: World, robot: LiveRobot) -> None:
        self._world, self._robot = world, robot
        self.links = {body: number for number, body in enumerate(robot.linkage.links)}
        self._retired: dict[str, str] = {}  # the names of merged bodies, and their full names

    def node(self, name: str) -> NamedBodies:
        """Find the bodies with a name.

        Raises:
            UnknownName: no body has the name.
            WorldError: several bodies have the name.
        """
        asked = name.strip().casefold()
        found = [body for body in self._world.bodies.values() if body.name.casefold() == asked]
        found = found or [body for body in self._world.bodies.values() if short(body).casefold() == asked]
        if len(found) > 1:
            names = " or ".join(repr(body.name) for body in found)
            raise WorldError(f"{name!r} is ambiguous: it can be {names}", hint="use the full name")
        if found:
            return NamedBodies(short(found[0]), (found[0], *self._below(found[0])))
        if asked == GRIPPER:
            hand = self.hand
            return NamedBodies(GRIPPER, (hand, *self._below(hand)))
        if asked == self._robot.name.casefold():
            return NamedBodies(self._robot.name, (self._robot.base, *self._robot.linkage.links))
        if asked in self._retired:
            self._world.body(self._retired[asked])  # reports the body it was merged into
        raise UnknownName("body", name, self.known())

    def known(self) -> list[str]:
        """All names of bodies, short where that is unique."""
        shorts = [short(body) for body in self._world.bodies.values()]
        names = [short(body) if shorts.count(short(body)) == 1 else body.name for body in self._world.bodies.values()]
        return sorted({*names, GRIPPER, self._robot.name})

    @property
    def hand(self) -> LiveBody:
        """The link with the robot's flange, to which grasped bodies are attached."""
        link = self._robot.mechanism.flange.link
        return self._robot.linkage.links[link] if link >= 0 else self._robot.base

    def retire(self, body: LiveBody) -> None:
        """Keep the names below a body that is about to be merged, for messages about them."""
        for each in list(self._world.subtree(body))[1:]:
            self._retired[each.name.casefold()] = self._retired[short(each).casefold()] = each.name

    def _below(self, body: LiveBody) -> Iterator[LiveBody]:
        """The links of the robot that move with one of its links."""
        if body not in self.links:
            return
        moving = {self.links[body]}
        for link, number in self.links.items():
            if self._robot.mechanism.links[number].parent in moving:
                moving.add(number)
                yield link


def short(body: LiveBody) -> str:
    """The last part of a body's name."""
    return body.name.rpartition("/")[2]


Pairs = list[tuple[LiveBody, LiveBody]]


class GraspedParts:
    """The bodies that move with the robot because of GRASP.

    Contacts inside the grasped group are ignored: between a held part and a link of the robot, and between two held
    parts. A light beam on the hand is neither, so a held part interrupts it.
    """

    def __init__(self, world: World, robot: LiveRobot, names: BodyNames) -> None:
        self._world, self._robot, self._names = world, robot, names
        self._nodes = {robot.base, *robot.linkage.links}
        self._robot_bodies = self._nodes | {body for tool in robot.tools.values() for body in tool.bodies}
        self.held: dict[LiveBody, LiveBody] = {}  # the parts, and what each is attached to
        self._pairs: dict[tuple[NamedBodies, NamedBodies | None], Pairs] = {}
        world.subscribe(self._changed)

    def members(self, node: NamedBodies) -> list[LiveBody]:
        """All solids that a name refers to now, including held parts, but not parts that only rest on them.

        A hole or a beam is included only if it is named itself.
        """
        found: dict[LiveBody, None] = {}
        for root in node.roots:
            if root.shape is not None:
                found[root] = None
            found |= dict.fromkeys(self._carried(root))
        return list(found)

    def pairs(self, a: NamedBodies, b: NamedBodies | None) -> Pairs:
        """The pairs of solids to check for contact; without ``b``, those of ``a`` with everything except its robot."""
        found = self._pairs.get((a, b))
        if found is None:
            ours = self.members(a)
            theirs = self._others(ours) if b is None else self.members(b)
            found = [(x, y) for x in ours for y in theirs if x is not y and not self._grouped(x, y)]
            self._pairs[a, b] = found
        return found

    def _changed(self, body: LiveBody) -> None:
        self._pairs.clear()  # a body was moved, attached, added or removed

    def _carried(self, body: LiveBody) -> Iterator[LiveBody]:
        for child in body.children:
            if child in self._nodes or (child.part and self.part(child) is None):
                continue
            if child.shape is not None and not child.hole:
                yield child
            yield from self._carried(child)

    def _others(self, ours: list[LiveBody]) -> list[LiveBody]:
        own = set(ours)
        if any(self._on_robot(body) for body in ours):
            own |= self._robot_bodies
        return [
            body for body in self._world.bodies.values() if body.shape is not None and not body.hole and body not in own
        ]

    def _on_robot(self, body: LiveBody) -> bool:
        return any(each in self._nodes for each in lineage(body))

    def _grouped(self, x: LiveBody, y: LiveBody) -> bool:
        one, other = self.part(x), self.part(y)
        if one is None and other is None:
            return False
        ours = self._robot_bodies
        return (one is not None or x in ours) and (other is not None or y in ours)

    def part(self, body: LiveBody) -> LiveBody | None:
        """The held part that a body is or belongs to."""
        if not self.held:
            return None
        return next((each for each in lineage(body) if each in self.held), None)
