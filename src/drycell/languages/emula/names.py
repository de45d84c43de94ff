"""Names of the language: upper or lower case, short or whole, and what each of them stands for."""

from collections.abc import Iterator
from dataclasses import dataclass

from drycell.base import UnknownName, WorldError
from drycell.robots import LiveRobot
from drycell.world import LiveBody, World

GRIPPER = "gripper"


@dataclass(frozen=True, slots=True)
class Node:
    """What a name stands for: a body, or several, each with its sub-tree. ``name`` is the short one, for reports."""

    name: str
    roots: tuple[LiveBody, ...]

    @property
    def body(self) -> LiveBody:
        """The one body that can be moved or grasped by this name."""
        return self.roots[0]


class Names:
    """Finds bodies by name.

    A name is a body's own ("robot/finger1"), its last part ("finger1") if no other body has the same, the robot's
    ("robot": all of it), or "gripper": the node the robot's flange is on with everything that moves on it. A node of
    the robot stands for all nodes below it, too. Case does not matter.
    """

    def __init__(self, world: World, robot: LiveRobot) -> None:
        self._world, self._robot = world, robot
        self.links = {body: number for number, body in enumerate(robot.linkage.links)}
        self._retired: dict[str, str] = {}  # merged: how it could be called, and its whole name

    def node(self, name: str) -> Node:
        """What a name stands for; a name that stands for nothing, or for several things, is refused."""
        asked = name.strip().casefold()
        found = [body for body in self._world.bodies.values() if body.name.casefold() == asked]
        found = found or [body for body in self._world.bodies.values() if short(body).casefold() == asked]
        if len(found) > 1:
            names = " or ".join(repr(body.name) for body in found)
            raise WorldError(f"{name!r} may be {names}", hint="give the whole name")
        if found:
            return Node(short(found[0]), (found[0], *self._below(found[0])))
        if asked == GRIPPER:
            hand = self.hand
            return Node(GRIPPER, (hand, *self._below(hand)))
        if asked == self._robot.name.casefold():
            return Node(self._robot.name, (self._robot.base, *self._robot.linkage.links))
        if asked in self._retired:
            self._world.body(self._retired[asked])  # says what it was merged into
        raise UnknownName("body", name, self.known())

    def known(self) -> list[str]:
        """All names that stand for something, the short ones where they are enough."""
        shorts = [short(body) for body in self._world.bodies.values()]
        names = [short(body) if shorts.count(short(body)) == 1 else body.name for body in self._world.bodies.values()]
        return sorted({*names, GRIPPER, self._robot.name})

    @property
    def hand(self) -> LiveBody:
        """The node that the robot's flange is on: what is grasped hangs on it."""
        link = self._robot.mechanism.flange.link
        return self._robot.linkage.links[link] if link >= 0 else self._robot.base

    def retire(self, body: LiveBody) -> None:
        """Remembers the names below a body that is about to be merged, so that they can be refused by name."""
        for each in list(self._world.subtree(body))[1:]:
            self._retired[each.name.casefold()] = self._retired[short(each).casefold()] = each.name

    def _below(self, body: LiveBody) -> Iterator[LiveBody]:
        """The nodes of the robot that move with a node of it."""
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
