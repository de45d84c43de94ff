"""The tree of a cell's things as nodes: robots and their links, devices, sensors, fixtures, parts, points, programs."""

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from typing import Final

from drycell.studio.api.scene import Tree

ICONS: Final = {
    "Robots": "precision_manufacturing", "Devices": "widgets", "Sensors": "sensors", "Fixtures": "foundation",
    "Parts": "category", "Workpoints": "place", "Programs": "code",
}  # fmt: skip


@dataclass
class TreeNode:
    """A line of the tree; ``name`` is what is selected by it, None for a group."""

    id: str
    label: str
    name: str | None
    icon: str = ""
    bodies: list[str] = field(default_factory=list)
    """What its eye hides."""
    children: list["TreeNode"] = field(default_factory=list)

    def walk(self) -> Iterator["TreeNode"]:
        """The node and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()


def nodes(tree: Tree, absent: Set[int] = frozenset()) -> list[TreeNode]:
    """Groups in a fixed order, those with nothing in them left out; bodies that are not there are left out, too."""
    bodies = [body for body in tree.bodies if body.number not in absent]
    names = [body.name for body in bodies if body.mesh is not None]
    owners = {*(each.name for each in tree.robots), *(each.name for each in tree.devices)}
    devices = {each.name for each in tree.devices}
    sensors = {each.name for each in tree.sensors}

    def owned(name: str) -> bool:
        return name in sensors or any(name == each or name.startswith(each + "/") for each in _heads(name) & owners)

    def owner(kind: str, name: str, note: str) -> TreeNode:
        own = [body for body in names if body == name or body.startswith(name + "/")]
        below = [_leaf(kind, body, body.removeprefix(name + "/")) for body in own if body != name]
        return TreeNode(f"{kind}:{name}", f"{name}{note}", name, bodies=own, children=below)

    loose = [body for body in bodies if body.mesh is not None and not owned(body.name)]
    groups = {
        "Robots": [
            owner("Robots", each.name, f" · {each.model}")
            for each in tree.robots
            if each.name not in devices  # a machine tool is a mechanism, too
        ],
        "Devices": [owner("Devices", each.name, f" · {each.kind}") for each in tree.devices],
        "Sensors": [
            TreeNode(f"Sensors:{each.name}", f"{each.name} · {each.kind}", each.name, bodies=[each.name])
            for each in tree.sensors
        ],
        "Fixtures": [_leaf("Fixtures", body.name) for body in loose if body.kind != "part"],
        "Parts": [_leaf("Parts", body.name) for body in loose if body.kind == "part"],
        "Workpoints": [_leaf("Workpoints", each.name, bodies=()) for each in tree.workpoints],
        "Programs": [_leaf("Programs", each.name, bodies=()) for each in tree.programs],
    }
    return [
        TreeNode(
            title,
            f"{title} ({len(found)})",
            None,
            ICONS[title],
            [body for each in found for body in each.bodies],
            found,
        )
        for title, found in groups.items()
        if found
    ]


def _leaf(group: str, name: str, label: str | None = None, bodies: Iterable[str] | None = None) -> TreeNode:
    return TreeNode(f"{group}:{name}", label or name, name, bodies=[name] if bodies is None else list(bodies))


def _heads(name: str) -> set[str]:
    """The name and all it is named below: ``a/b/c``, ``a/b``, ``a``."""
    heads = {name}
    while "/" in name:
        name = name.rpartition("/")[0]
        heads.add(name)
    return heads
