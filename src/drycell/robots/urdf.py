"""URDF: mechanisms from the robot descriptions of ROS. Entities, includes and network addresses are not read.

Lengths are metres and angles radians, as in URDF. Collision shapes are used if there are any, otherwise visual ones.
URDF has no acceleration and jerk limits: in drycell a joint reaches its speed in a quarter of a second.

Files in use break the rules of the format in many ways. drycell reads what it can without guessing, and the mechanism
has a note about each problem; a solid that cannot be read is left out.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

from drycell.base import IDENTITY, DrycellError, MechanismError, Pose, Vector, deg, did_you_mean
from drycell.robots.links import BASE, Drive, Joint, JointKind, Link, Mark
from drycell.robots.mechanism import Mechanism
from drycell.robots.mesh_search import MeshSearch
from drycell.robots.urdf_gripper import FingerBranch, default_tip, find_gripper, lone_gripper

if TYPE_CHECKING:
    from drycell.geometry import Shape

Element = ElementTree.Element

_KINDS: Final[dict[str, JointKind | None]] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": None,
    # A cell says where a robot stands, so these do not move.
    "floating": None,
    "planar": None,
    "spherical": None,
}
_MOST_CHARACTERS: Final = 4_000_000
_MOST_NAMES: Final = 4  # in one note
_TURNING: Final = 180 * deg  # per second, if a file states no speed
_SLIDING: Final = 1.0  # m/s
_DECLARATION: Final = re.compile(r"<\?xml[^>]*\?>")


def read_urdf(
    text: str,
    file: str = "robot.urdf",
    folder: Path | None = None,
    tip: str | None = None,
    packages: Mapping[str, Path] | None = None,
) -> Mechanism:
    """Build the mechanism of a URDF text.

    Args:
        text: The URDF text.
        file: The file name in error messages.
        folder: Where mesh files are; by default the working directory.
        tip: The link of the flange; by default the last link of the longest chain, before the fingers of a gripper.
        packages: Folders of packages by name, for ``package://`` addresses.

    Raises:
        MechanismError: The text is not a valid URDF robot.
    """
    return _Urdf(text, file, MeshSearch(folder or Path(), packages)).mechanism(tip)


def read_urdf_gripper(text: str, file: str, folder: Path) -> Mechanism | None:
    """The gripper of a URDF text: the whole of it, or what an arm has on its flange. None if there is none.

    Args:
        text: The URDF text.
        file: The file name in error messages.
        folder: Where mesh files are.

    Raises:
        MechanismError: The text is not a valid URDF robot.
    """
    read = _Urdf(text, file, MeshSearch(folder))
    return read.lone_gripper() or read.mechanism(None).gripper


@dataclass(frozen=True, slots=True)
class _Range:
    """The limits of a joint, in radians or metres and per second."""

    lower: float
    upper: float
    speed: float


@dataclass(frozen=True, slots=True)
class _Edge:
    """A joint element between two links. Without a kind it does not move."""

    element: Element
    name: str
    kind: JointKind | None
    parent: str
    child: str
    origin: Pose
    axis: Vector
    range: _Range
    mimic: tuple[str, float, float] | None  # the master joint, ratio and offset

    def fixed(self, value: float) -> "_Edge":
        """This joint, held at a value."""
        held = IDENTITY if self.kind is None else Drive(0, self.kind, self.axis).pose(value)
        return replace(self, kind=None, origin=self.origin @ held, mimic=None)


class _Urdf:
    def __init__(self, text: str, file: str, search: MeshSearch) -> None:
        self._file, self._search = file, search
        self._notes: dict[str, list[str]] = {}  # from each note to the elements that it is about
        self._root = self._parsed(text)
        self._links: dict[str, Element] = {}
        for element in self._root.findall("link"):
            name = _name(element, "link", file)
            if name in self._links:
                raise self._wrong(f"there are two links called {name!r}")
            self._links[name] = element
        read = [self._edge(element) for element in self._root.findall("joint")]
        self._edges = self._held(read)

    def _parsed(self, text: str) -> Element:
        if len(text) > _MOST_CHARACTERS:
            raise self._wrong(f"the file has more than {_MOST_CHARACTERS} characters")
        # XML entities can read other files or grow without bound, and URDF does not need them.
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise self._wrong("document types and entities are not supported", "remove the <!DOCTYPE …>")
        # A declaration below a comment is a mistake in XML, but harmless in a text that is decoded already.
        plain = _DECLARATION.sub("", text.removeprefix("\ufeff"))
        try:
            root = ElementTree.fromstring(plain)
        except ElementTree.ParseError as error:
            line = error.position[0]
            raise MechanismError(f"{self._file}:{line}: this is not XML: {error}") from None
        if root.tag != "robot":
            raise self._wrong(f"the root is <{root.tag}>, not <robot>", "give a URDF file")
        if any("xacro}" in element.tag for element in root.iter()):
            raise self._wrong(
                "this is a xacro file, not URDF",
                "name it *.xacro and install the extra 'xacro', or expand it: xacro robot.xacro > robot.urdf",
            )
        return root

    def mechanism(self, tip: str | None) -> Mechanism:
        root, order = self._order()
        branches = [FingerBranch(edge.parent, edge.child, edge.name, edge.kind is not None) for edge in order]
        if tip is None:
            tip = default_tip(root, branches)
        elif tip not in self._links:
            raise self._wrong(f"there is no link {tip!r}", did_you_mean(tip, self._links))
        whole = self._assembled(root, order, tip)
        found = find_gripper(whole)
        if found is None:
            return replace(whole, notes=self._noted())
        return replace(found.arm, gripper=found.gripper, notes=self._noted())

    def lone_gripper(self) -> Mechanism | None:
        """The gripper, if the file describes nothing else."""
        root, order = self._order()
        return lone_gripper(self._assembled(root, order, root))

    def _assembled(self, root: str, order: list[_Edge], tip: str) -> Mechanism:
        """The mechanism with all joints, also those of a gripper."""
        driven = [edge for edge in order if edge.kind is not None and edge.mimic is None]
        numbers = {edge.name: number for number, edge in enumerate(driven)}
        places: dict[str, int] = {root: BASE}
        links: list[Link] = []
        for edge in order:
            drives = () if edge.kind is None else (self._drive(edge, numbers),)
            shape = self._shape(self._links[edge.child])
            links.append(Link(edge.child, places[edge.parent], edge.origin, drives, shape))
            places[edge.child] = len(links) - 1
        try:
            return Mechanism(
                self._root.get("name") or "robot",
                tuple(_joint(edge) for edge in driven),
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
                if link == "world" and link not in self._links:
                    self._links[link] = ElementTree.Element("link", name=link)
                if link not in self._links:
                    raise self._wrong(f"joint {edge.name!r} names link {link!r}", did_you_mean(link, self._links))
        children = [edge.child for edge in self._edges]
        twice = sorted({child for child in children if children.count(child) > 1})
        if twice:
            raise self._wrong(f"link {twice[0]!r} is the child of two joints")
        roots = [name for name in self._links if name not in set(children)]
        if len(roots) != 1:
            found = ", ".join(map(repr, roots[:4])) or "none"
            raise self._wrong(
                f"a robot must have one root link, but there are {len(roots)}: {found}",
                "connect all links with joints; a link without a parent joint is a root",
            )
        below: dict[str, list[_Edge]] = {}
        for edge in self._edges:
            below.setdefault(edge.parent, []).append(edge)
        order: list[_Edge] = []
        waiting = [roots[0]]
        while waiting:
            edges = below.get(waiting.pop(), [])
            order += edges
            waiting += [edge.child for edge in reversed(edges)]
        # Depth first, so that an arm's joints come before those of the gripper beside its last link.
        if len(order) != len(self._edges):
            reached = {edge.name for edge in order}
            loop = next(edge for edge in self._edges if edge.name not in reached)
            raise self._wrong(f"joint {loop.name!r} is part of a closed loop")
        return roots[0], order

    # ---------------------------------------------------------------- joints

    def _edge(self, element: Element) -> _Edge:
        name = _name(element, "joint", self._file)
        kind = element.get("type", "")
        if kind not in _KINDS:
            raise self._wrong(f"joint {name!r} is of type {kind!r}", did_you_mean(kind, _KINDS))
        ends = [element.find(end) for end in ("parent", "child")]
        parent, child = (end.get("link", "") if end is not None else "" for end in ends)
        if not parent or not child:
            raise self._wrong(f"joint {name!r} has no parent or no child")
        if kind in ("floating", "planar", "spherical"):
            self._note(f"joints of type {kind!r} do not move in drycell", name)
        turns = _KINDS[kind]
        limits = _Range(0.0, 0.0, 0.0) if turns is None else self._range(element, name, turns, kind == "continuous")
        axis = (0.0, 0.0, 1.0) if turns is None else self._axis(element, name)
        return _Edge(element, name, turns, parent, child, self._origin(element), axis, limits, self._mimic(element))

    def _range(self, element: Element, name: str, kind: JointKind, endless: bool) -> _Range:
        limit = element.find("limit")
        if limit is None and not endless and kind == "revolute":
            self._note("has no <limit>, so it turns without end", name)
        endless = endless or (limit is None and kind == "revolute")
        lower = -math.inf if endless else self._number(limit, "lower", 0.0, name, infinite=True)
        upper = math.inf if endless else self._number(limit, "upper", 0.0, name, infinite=True)
        if lower > upper:
            self._note("has its lower limit above its upper one, so they are exchanged", name)
            lower, upper = upper, lower
        if math.isinf(lower) or math.isinf(upper):
            if kind == "prismatic":
                raise self._wrong(f"joint {name!r} slides without end: {lower:g}..{upper:g} m", "give it finite limits")
            lower, upper = -math.inf, math.inf
        speed = self._number(limit, "velocity", 0.0, name, infinite=True)
        if not 0.0 < speed < math.inf:
            speed = _TURNING if kind == "revolute" else _SLIDING
            usual = "180 deg/s" if kind == "revolute" else "1 m/s"
            self._note(f"states no speed (velocity), so {usual} is used", name)
        return _Range(lower, upper, speed)

    def _axis(self, element: Element, name: str) -> Vector:
        x, y, z = self._vector(element.find("axis"), "xyz", (1.0, 0.0, 0.0), name)
        length = math.hypot(x, y, z)
        if length < 1e-6:
            raise self._wrong(f"joint {name!r} has an axis of length zero")
        return (x / length, y / length, z / length)

    def _mimic(self, element: Element) -> tuple[str, float, float] | None:
        mimic = element.find("mimic")
        if mimic is None:
            return None
        name = element.get("name", "")
        ratio, offset = (self._number(mimic, *field, name) for field in (("multiplier", 1.0), ("offset", 0.0)))
        return mimic.get("joint", ""), ratio, offset

    def _held(self, edges: list[_Edge]) -> list[_Edge]:
        """The joints, with those fixed that have no range, and mimic joints following a joint that moves freely."""
        named = {edge.name: edge for edge in edges}
        if len(named) < len(edges):
            names = [edge.name for edge in edges]
            raise self._wrong(f"there are two joints called {next(n for n in names if names.count(n) > 1)!r}")
        found: list[_Edge] = []
        for edge in edges:
            if edge.kind is None:
                found.append(replace(edge, mimic=None))
                continue
            ratio, offset, master, seen = 1.0, 0.0, edge, {edge.name}
            while master.mimic is not None and master.kind is not None:
                follows, factor, more = master.mimic
                if follows not in named:
                    self._note(f"mimics {follows!r}, which does not exist, so it moves by itself", master.name)
                    break
                if follows in seen:
                    raise self._wrong(f"joint {edge.name!r} mimics itself through {follows!r}")
                seen.add(follows)
                ratio, offset, master = ratio * factor, ratio * more + offset, named[follows]
            if master.kind is None or master.range.lower == master.range.upper:
                if master is edge:
                    self._note("has equal limits, so it is fixed", edge.name)
                found.append(edge.fixed(ratio * (master.range.lower if master.kind else 0.0) + offset))
            elif ratio == 0.0:
                found.append(edge.fixed(offset))
            else:
                mimic = None if master is edge else (master.name, ratio, offset)
                found.append(replace(edge, mimic=mimic))
        return found

    def _drive(self, edge: _Edge, numbers: dict[str, int]) -> Drive:
        master, ratio, offset = edge.mimic or (edge.name, 1.0, 0.0)
        return Drive(numbers[master], edge.kind or "revolute", edge.axis, ratio, offset)

    # ---------------------------------------------------------------- solids

    def _shape(self, link: Element) -> "Shape | None":
        from drycell.geometry import Compound

        parts: list[tuple[Pose, Shape]] = []
        for tag in ("collision", "visual"):
            for solid in link.findall(tag):
                try:
                    parts.append((self._origin(solid), self._solid(solid, link.get("name", ""))))
                except DrycellError as error:
                    what = error.what.removeprefix(f"{self._file}: ")
                    self._note(f"{what}; this solid is missing", link.get("name", ""), "link")
            if parts:
                break
        if not parts:
            return None
        return parts[0][1] if len(parts) == 1 and parts[0][0] == IDENTITY else Compound(tuple(parts))

    def _solid(self, solid: Element, link: str) -> "Shape":
        from drycell.geometry import Box, Capsule, Cylinder, Sphere

        geometry = solid.find("geometry")
        element = geometry[0] if geometry is not None and len(geometry) else None
        match element.tag if element is not None else None:
            case "box":
                return Box(*self._vector(element, "size", None, link))
            case "cylinder" | "capsule" as tag:
                made = Cylinder if tag == "cylinder" else Capsule
                return made(*(self._number(element, key, None, link) for key in ("radius", "length")))
            case "sphere":
                return Sphere(self._number(element, "radius", None, link))
            case "mesh":
                return self._mesh(element, link)
            case other:
                raise self._wrong(f"geometry {other!r} is not supported")

    def _mesh(self, element: Element | None, link: str) -> "Shape":
        from drycell.geometry import load_mesh

        name = element.get("filename", "") if element is not None else ""
        scale = self._scale(element, link)
        place = self._search.find(name)
        if place is None:
            raise self._wrong(f"there is no mesh {name!r} in the folder of the file or in its package")
        units = "file" if place.suffix.lower() == ".dae" else "m"
        mesh = load_mesh(place, units, scale=scale, solid=False)
        if mesh.is_solid:
            return mesh
        hull = mesh.hull()
        self._note(f"mesh {place.name!r} has {mesh.open_edges} open edges, so its convex hull is used", link, "link")
        return hull

    def _scale(self, element: Element | None, link: str) -> Vector:
        text = element.get("scale") if element is not None else None
        if text is not None and len(_split(text)) == 1:
            factor = self._number(element, "scale", None, link)
            scale = (factor, factor, factor)
        else:
            scale = self._vector(element, "scale", (1.0, 1.0, 1.0), link)
        if 0.0 in scale:
            raise self._wrong(f"a mesh is scaled by {text!r}")
        return scale

    # ---------------------------------------------------------------- numbers

    def _origin(self, element: Element) -> Pose:
        origin = element.find("origin")
        who = element.get("name", element.tag)
        at = self._vector(origin, "xyz", (0.0, 0.0, 0.0), who)
        turned = self._vector(origin, "rpy", (0.0, 0.0, 0.0), who)
        return Pose(*at) if turned == (0.0, 0.0, 0.0) else Pose.of_rpy(*turned, at=at)

    def _number(
        self, element: Element | None, key: str, default: float | None, who: str, infinite: bool = False
    ) -> float:
        text = element.get(key) if element is not None else None
        if text is None and default is not None:
            return default
        return self._numbers([text or ""], key, who, infinite)[0]

    def _vector(self, element: Element | None, key: str, default: Vector | None, who: str) -> Vector:
        text = element.get(key) if element is not None else None
        if text is None and default is not None:
            return default
        values = self._numbers(_split(text or ""), key, who)
        if len(values) > 3:
            self._note(f"{key} has {len(values)} numbers ({text!r}), the first three are used", who, "")
        if len(values) < 3:
            raise self._wrong(f"{who!r}: {key} must be three numbers, not {text!r}")
        return (values[0], values[1], values[2])

    def _numbers(self, texts: Iterable[str], key: str, who: str, infinite: bool = False) -> list[float]:
        try:
            values = [float(text) for text in texts]
        except ValueError:
            values = [math.nan]
        if any(math.isnan(value) or (math.isinf(value) and not infinite) for value in values):
            raise self._wrong(f"{who!r}: {key} is not a number: {' '.join(texts)[:40]!r}")
        return values

    # ---------------------------------------------------------------- messages

    def _note(self, what: str, who: str, kind: str = "joint") -> None:
        named = f"{kind} {who!r}" if kind else repr(who)
        about = self._notes.setdefault(what, [])
        if named not in about:
            about.append(named)

    def _noted(self) -> tuple[str, ...]:
        notes = []
        for what, who in self._notes.items():
            more = f" and {len(who) - _MOST_NAMES} more" if len(who) > _MOST_NAMES else ""
            notes.append(f"{', '.join(who[:_MOST_NAMES])}{more}: {what}")
        return tuple(notes)

    def _wrong(self, what: str, hint: str | None = None) -> MechanismError:
        return MechanismError(f"{self._file}: {what}", hint=hint)


def _joint(edge: _Edge) -> Joint:
    speed = edge.range.speed
    return Joint(
        edge.name, edge.kind or "revolute", edge.range.lower, edge.range.upper, speed, 4.0 * speed, 40.0 * speed, True
    )


def _split(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _name(element: Element, kind: str, file: str) -> str:
    name = element.get("name", "")
    if not name:
        raise MechanismError(f"{file}: a <{kind}> has no name")
    return name
