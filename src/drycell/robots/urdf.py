"""URDF: mechanisms from the robot descriptions of ROS. Entities, includes and network addresses are not read.

Lengths are metres and angles radians, as in URDF. Collision shapes are used if there are any, otherwise visual ones.
URDF has no acceleration and jerk limits: in drycell a joint reaches its speed in a quarter of a second.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

from drycell.base import IDENTITY, DrycellError, MechanismError, Pose, Vector, did_you_mean
from drycell.robots.links import BASE, Drive, Joint, JointKind, Link, Mark
from drycell.robots.mechanism import Mechanism

if TYPE_CHECKING:
    from drycell.geometry import Shape

Element = ElementTree.Element

_KINDS: Final[dict[str, JointKind | None]] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": None,
}
_MOST_CHARACTERS: Final = 4_000_000
_SCALES: Final = {1.0: "m", 0.001: "mm", 0.0254: "in"}


def read_urdf(text: str, file: str = "robot.urdf", folder: Path | None = None, tip: str | None = None) -> Mechanism:
    """Build the mechanism of a URDF text.

    Args:
        text: The URDF text.
        file: The file name in error messages.
        folder: Where mesh files are; by default the working directory.
        tip: The link of the flange; by default the one with most joints between it and the root.

    Raises:
        MechanismError: The text is not a valid URDF robot.
    """
    return _Urdf(text, file, folder or Path()).mechanism(tip)


@dataclass(frozen=True, slots=True)
class _Edge:
    """A joint element with its parent and child link."""

    element: Element
    name: str
    kind: JointKind | None
    parent: str
    child: str


class _Urdf:
    def __init__(self, text: str, file: str, folder: Path) -> None:
        self._file, self._folder = file, folder
        if len(text) > _MOST_CHARACTERS:
            raise self._wrong(f"the file has more than {_MOST_CHARACTERS} characters")
        # XML entities can read other files or grow without bound, and URDF does not need them.
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise self._wrong("document types and entities are not supported", "remove the <!DOCTYPE …>")
        try:
            self._root = ElementTree.fromstring(text)
        except ElementTree.ParseError as error:
            line = error.position[0]
            raise MechanismError(f"{file}:{line}: this is not XML: {error}") from None
        if self._root.tag != "robot":
            raise self._wrong(f"the root is <{self._root.tag}>, not <robot>", "expand xacro files first")
        self._links = {_name(element, "link", file): element for element in self._root.findall("link")}
        self._edges = [self._edge(element) for element in self._root.findall("joint")]

    def mechanism(self, tip: str | None) -> Mechanism:
        root, order = self._order()
        driven = [edge for edge in order if edge.kind is not None and edge.element.find("mimic") is None]
        joints = tuple(self._joint(edge) for edge in driven)
        numbers = {edge.name: number for number, edge in enumerate(driven)}
        places: dict[str, int] = {root: BASE}
        links: list[Link] = []
        depth: dict[str, int] = {root: 0}
        for edge in order:
            drives = () if edge.kind is None else (self._drive(edge, numbers),)
            element = self._links[edge.child]
            origin = self._origin(edge.element)
            links.append(Link(edge.child, places[edge.parent], origin, drives, self._shape(element)))
            places[edge.child] = len(links) - 1
            depth[edge.child] = depth[edge.parent] + bool(drives)
        if tip is None:
            tip = max(places, key=lambda name: (depth[name], places[name]))
        elif tip not in places:
            raise self._wrong(f"there is no link {tip!r}", did_you_mean(tip, places))
        name = self._root.get("name") or "robot"
        try:
            return Mechanism(
                name,
                joints,
                tuple(links),
                Mark(places[tip], IDENTITY),
                base=self._shape(self._links[root]),
                source=f"URDF {Path(self._file).name}",
            )
        except DrycellError as error:
            raise self._wrong(error.what, error.hint) from None

    def _order(self) -> tuple[str, list[_Edge]]:
        """The root link, and the joints with parents first. Raises MechanismError for loops and unconnected links."""
        for edge in self._edges:
            for link in (edge.parent, edge.child):
                if link not in self._links:
                    raise self._wrong(f"joint {edge.name!r} names link {link!r}", did_you_mean(link, self._links))
        children = [edge.child for edge in self._edges]
        twice = sorted({child for child in children if children.count(child) > 1})
        if twice:
            raise self._wrong(f"link {twice[0]!r} is the child of two joints")
        roots = [name for name in self._links if name not in children]
        if len(roots) != 1:
            found = ", ".join(map(repr, roots[:4])) or "none"
            raise self._wrong(f"a robot must have one root link, but there are {len(roots)}: {found}")
        order: list[_Edge] = []
        waiting = [roots[0]]
        while waiting:
            parent = waiting.pop()
            below = [edge for edge in self._edges if edge.parent == parent]
            order += below
            waiting += [edge.child for edge in reversed(below)]
        # Depth first, so that an arm's joints come before those of the gripper beside its last link.
        if len(order) != len(self._edges):
            loop = next(edge for edge in self._edges if edge not in order)
            raise self._wrong(f"joint {loop.name!r} is part of a closed loop")
        return roots[0], order

    def _edge(self, element: Element) -> _Edge:
        name = _name(element, "joint", self._file)
        kind = element.get("type", "")
        if kind not in _KINDS:
            raise self._wrong(f"joint {name!r} is of type {kind!r}", did_you_mean(kind, _KINDS))
        ends = [element.find(end) for end in ("parent", "child")]
        parent, child = (end.get("link", "") if end is not None else "" for end in ends)
        if not parent or not child:
            raise self._wrong(f"joint {name!r} has no parent or no child")
        return _Edge(element, name, _KINDS[kind], parent, child)

    def _joint(self, edge: _Edge) -> Joint:
        limit = edge.element.find("limit")
        endless = edge.element.get("type") == "continuous"
        if limit is None and not endless:
            raise self._wrong(f"joint {edge.name!r} has no <limit>")
        lower = -math.inf if endless else self._number(limit, "lower", 0.0, edge.name)
        upper = math.inf if endless else self._number(limit, "upper", 0.0, edge.name)
        speed = self._number(limit, "velocity", math.pi if edge.kind == "revolute" else 1.0, edge.name)
        try:
            return Joint(edge.name, edge.kind or "revolute", lower, upper, speed, 4.0 * speed, 40.0 * speed)
        except DrycellError as error:
            raise self._wrong(error.what, error.hint) from None

    def _drive(self, edge: _Edge, numbers: dict[str, int]) -> Drive:
        axis = edge.element.find("axis")
        vector = self._vector(axis, "xyz", (1.0, 0.0, 0.0), edge.name)
        length = math.hypot(*vector)
        if length < 1e-6:
            raise self._wrong(f"joint {edge.name!r} has an axis of length zero")
        unit = (vector[0] / length, vector[1] / length, vector[2] / length)
        mimic = edge.element.find("mimic")
        master, ratio, offset = edge.name, 1.0, 0.0
        if mimic is not None:
            master = mimic.get("joint", "")
            ratio = self._number(mimic, "multiplier", 1.0, edge.name)
            offset = self._number(mimic, "offset", 0.0, edge.name)
        if master not in numbers:
            raise self._wrong(f"joint {edge.name!r} mimics {master!r}", did_you_mean(master, numbers))
        return Drive(numbers[master], edge.kind or "revolute", unit, ratio, offset)

    def _shape(self, link: Element) -> "Shape | None":
        from drycell.geometry import Compound

        solids = link.findall("collision") or link.findall("visual")
        parts = tuple((self._origin(solid), self._solid(solid, link.get("name", ""))) for solid in solids)
        if not parts:
            return None
        return parts[0][1] if len(parts) == 1 and parts[0][0] == IDENTITY else Compound(parts)

    def _solid(self, solid: Element, link: str) -> "Shape":
        from drycell.geometry import Box, Cylinder, Sphere

        geometry = solid.find("geometry")
        element = geometry[0] if geometry is not None and len(geometry) else None
        match element.tag if element is not None else None:
            case "box":
                return Box(*self._vector(element, "size", None, link))
            case "cylinder":
                return Cylinder(
                    self._number(element, "radius", None, link), self._number(element, "length", None, link)
                )
            case "sphere":
                return Sphere(self._number(element, "radius", None, link))
            case "mesh":
                return self._mesh(element, link)
            case other:
                raise self._wrong(f"link {link!r} has a geometry of {other!r}", "use box, cylinder, sphere or mesh")

    def _mesh(self, element: Element | None, link: str) -> "Shape":
        from drycell.geometry import load_mesh

        name = element.get("filename", "") if element is not None else ""
        scale = self._vector(element, "scale", (1.0, 1.0, 1.0), link)
        if len(set(scale)) > 1 or scale[0] not in _SCALES:
            raise self._wrong(f"link {link!r} scales its mesh by {scale}", "use 1 (m), 0.001 (mm) or 0.0254 (in)")
        path = name.split("://", 1)[-1]
        folder = self._folder.resolve()
        for place in (folder / path, folder / Path(*Path(path).parts[1:])):
            # A description must not read files outside its own folder.
            if place.resolve().is_relative_to(folder) and place.is_file():
                return load_mesh(place, units=_SCALES[scale[0]])
        raise self._wrong(f"link {link!r} needs mesh {name!r}, which is not in or below {str(folder)!r}")

    def _origin(self, element: Element) -> Pose:
        origin = element.find("origin")
        who = element.get("name", element.tag)
        at = self._vector(origin, "xyz", (0.0, 0.0, 0.0), who)
        turned = self._vector(origin, "rpy", (0.0, 0.0, 0.0), who)
        return Pose(*at) if turned == (0.0, 0.0, 0.0) else Pose.of_rpy(*turned, at=at)

    def _number(self, element: Element | None, key: str, default: float | None, who: str) -> float:
        text = element.get(key) if element is not None else None
        if text is None and default is not None:
            return default
        return self._numbers([text or ""], key, who)[0]

    def _vector(self, element: Element | None, key: str, default: Vector | None, who: str) -> Vector:
        text = element.get(key) if element is not None else None
        if text is None and default is not None:
            return default
        values = self._numbers((text or "").split(), key, who)
        if len(values) != 3:
            raise self._wrong(f"{who!r}: {key} must be three numbers, not {text!r}")
        return (values[0], values[1], values[2])

    def _numbers(self, texts: Iterable[str], key: str, who: str) -> list[float]:
        try:
            values = [float(text) for text in texts]
        except ValueError:
            values = [math.nan]
        if not all(map(math.isfinite, values)):
            raise self._wrong(f"{who!r}: {key} is not a number: {' '.join(texts)[:40]!r}")
        return values

    def _wrong(self, what: str, hint: str | None = None) -> MechanismError:
        return MechanismError(f"{self._file}: {what}", hint=hint)


def _name(element: Element, kind: str, file: str) -> str:
    name = element.get("name", "")
    if not name:
        raise MechanismError(f"{file}: a <{kind}> has no name")
    return name
