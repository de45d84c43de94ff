"""Holding: what is asserted to be grasped, and which pairs of bodies can touch in a way that means something."""

from collections.abc import Iterator

from drycell.languages.emula.names import Names, Node
from drycell.robots import LiveRobot
from drycell.world import LiveBody, World, lineage

Pairs = list[tuple[LiveBody, LiveBody]]


class Holding:
    """Knows which bodies move with the robot because a GRASP said so.

    Contacts inside the grasped group do not count: neither of a held part with a node of the robot, nor of two held
    parts. A light beam on the hand belongs to neither, so a held part does break it.
    """

    def __init__(self, world: World, robot: LiveRobot, names: Names) -> None:
        self._world, self._robot, self._names = world, robot, names
        self._nodes = {robot.base, *robot.linkage.links}
        self.held: dict[LiveBody, LiveBody] = {}  # the part, and what it moves with
        self._pairs: dict[tuple[Node, Node | None], Pairs] = {}
        world.subscribe(self._changed)

    def members(self, node: Node) -> list[LiveBody]:
        """All solids a name stands for now: those of its sub-trees, with what is held, but not what merely lies on it.

        A hole or a beam is only meant when it is named itself.
        """
        found: dict[LiveBody, None] = {}
        for root in node.roots:
            if root.shape is not None:
                found[root] = None
            found |= dict.fromkeys(self._carried(root))
        return list(found)

    def pairs(self, a: Node, b: Node | None) -> Pairs:
        """The pairs of solids to be looked at for contact; without ``b``, of ``a`` with all that is not its robot."""
        found = self._pairs.get((a, b))
        if found is None:
            ours = self.members(a)
            theirs = self._others(ours) if b is None else self.members(b)
            found = [(x, y) for x in ours for y in theirs if x is not y and not self._grouped(x, y)]
            self._pairs[a, b] = found
        return found

    def _changed(self, body: LiveBody) -> None:
        self._pairs.clear()  # somebody was moved, attached, brought in or taken out

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
            own |= self._nodes
        return [
            body for body in self._world.bodies.values() if body.shape is not None and not body.hole and body not in own
        ]

    def _on_robot(self, body: LiveBody) -> bool:
        return any(each in self._nodes for each in lineage(body))

    def _grouped(self, x: LiveBody, y: LiveBody) -> bool:
        one, other = self.part(x), self.part(y)
        if one is None and other is None:
            return False
        return (one is not None or x in self._nodes) and (other is not None or y in self._nodes)

    def part(self, body: LiveBody) -> LiveBody | None:
        """The held part a body is or belongs to."""
        if not self.held:
            return None
        return next((each for each in lineage(body) if each in self.held), None)
