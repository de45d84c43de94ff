"""The tree of a cell's things as nodes: robots and their links, devices, sensors, fixtures, parts, points, programs."""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, Final

ICONS: Final = {
    "Robots": "precision_manufacturing", "Devices": "widgets", "Sensors": "sensors", "Fixtures": "foundation",
    "Parts": "category", "Workpoints": "place", "Programs": "code",
}  # fmt: skip


@dataclass
class Node:
    """A line of the tree; ``name`` is what is selected by it, None for a group."""

    id: str
    label: str
    name: str | None
    icon: str = ""
    bodies: list[str] = field(default_factory=list)
    """What its eye hides."""
    children: list["Node"] = field(default_factory=list)

    def walk(self) -> Iterator["Node"]:
        """The node and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()


def nodes(tree: Mapping[str, Any], absent: Set[int] = frozenset()) -> list[Node]:
    """Groups in a fixed order, those with nothing in them left out; bodies that are not there are left out, too."""
    bodies = [body for body in tree["bodies"] if body["number"] not in absent]
    names = [body["name"] for body in bodies if body["mesh"] is not None]
    owners = {each["name"] for kind in ("robots", "devices") for each in tree.get(kind, ())}
    devices = {each["name"] for each in tree.get("devices", ())}
    sensors = {each["name"] for each in tree.get("sensors", ())}

    def owned(name: str) -> bool:
        return name in sensors or any(name == each or name.startswith(each + "/") for each in _heads(name) & owners)

    def owner(kind: str, each: Mapping[str, Any], note: str) -> Node:
        name = each["name"]
        own = [body for body in names if body == name or body.startswith(name + "/")]
        below = [_leaf(kind, body, body.removeprefix(name + "/")) for body in own if body != name]
        return Node(f"{kind}:{name}", f"{name}{note}", name, bodies=own, children=below)

    loose = [body for body in bodies if body["mesh"] is not None and not owned(body["name"])]
    groups = {
        "Robots": [
            owner("Robots", each, f" · {each['model']}")
            for each in tree.get("robots", ())
            if each["name"] not in devices  # a machine tool is a mechanism, too
        ],
        "Devices": [owner("Devices", each, f" · {each['kind']}") for each in tree.get("devices", ())],
        "Sensors": [
            Node(f"Sensors:{each['name']}", f"{each['name']} · {each['kind']}", each["name"], bodies=[each["name"]])
            for each in tree.get("sensors", ())
        ],
        "Fixtures": [_leaf("Fixtures", body["name"]) for body in loose if body["kind"] != "part"],
        "Parts": [_leaf("Parts", body["name"]) for body in loose if body["kind"] == "part"],
        "Workpoints": [_leaf("Workpoints", each["name"], bodies=()) for each in tree.get("workpoints", ())],
        "Programs": [_leaf("Programs", each["name"], bodies=()) for each in tree.get("programs", ())],
    }
    return [
        Node(
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


def _leaf(group: str, name: str, label: str | None = None, bodies: Iterable[str] | None = None) -> Node:
    return Node(f"{group}:{name}", label or name, name, bodies=[name] if bodies is None else list(bodies))


def _heads(name: str) -> set[str]:
    """The name and all it is named below: ``a/b/c``, ``a/b``, ``a``."""
    heads = {name}
    while "/" in name:
        name = name.rpartition("/")[0]
        heads.add(name)
    return heads
