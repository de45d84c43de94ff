"""Robot files: their fields as models, and the mechanisms built from them. Mistakes are reported with their lines."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from drycell import geometry
from drycell.base import (
    DIMENSIONS,
    Amount,
    Angle,
    Describer,
    DrycellError,
    Duration,
    FileError,
    InvalidThing,
    Kinds,
    Length,
    Mass,
    Measure,
    MechanismError,
    Mistake,
    Name,
    Node,
    NoLess,
    OneOf,
    Plain,
    Pose,
    Position,
    Problem,
    Quantity,
    Ratio,
    Reader,
    Rpy,
    Several,
    Size,
    Table,
    Thing,
    did_you_mean,
    dotted,
    fields_of,
    read_tree,
    yamldoc,
)
from drycell.geometry import PosedShape
from drycell.robots.arguments import arguments_in, tree
from drycell.robots.datasheet import DataSheet, estimated_acceleration, estimated_jerk, estimated_speed
from drycell.robots.dh import Convention, DHRow, dh_links
from drycell.robots.links import BASE, Drive, Inertia, Joint, JointKind, Link, Mark
from drycell.robots.mechanism import Mechanism
from drycell.robots.outline import GENERIC, generic_outline, shared_outline

if TYPE_CHECKING:
    from drycell.geometry import Shape
    from drycell.robots.family import FamilyFile


JointValue = Annotated[float, Measure(("angle", "length"))]
JointSpeed = Annotated[float, Measure(("angular speed", "speed"))]
JointAcceleration = Annotated[float, Measure(("angular acceleration", "acceleration"))]
JointJerk = Annotated[float, Measure(("angular jerk", "jerk"))]


def turns(value: float) -> bool | None:
    """Whether a value has an angular unit; None if it has no unit."""
    dimension = value.dimension if isinstance(value, Amount) else None
    return None if dimension is None else dimension.startswith("ang")


_AXES: Final = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "-x": (-1.0, 0.0, 0.0),
    "-y": (0.0, -1.0, 0.0),
    "-z": (0.0, 0.0, -1.0),
}
_ENDLESS: Final = "endless"


class _Limits(Several):
    """The lower and upper limit of a joint, or ``endless``."""

    def read(self, node: Node, path: yamldoc.Path, reader: Reader) -> Any:
        """The word, or both limits."""
        return self.check(_ENDLESS) if node.value == _ENDLESS else super().read(node, path, reader)

    def check(self, value: Any) -> tuple[Any, ...]:
        """The word, infinite limits, or two numbers."""
        if value == _ENDLESS or value == (-math.inf, math.inf):
            return (Amount(-math.inf, "angle"), Amount(math.inf, "angle"))
        return super().check(value)

    def write(self, value: Sequence[Any]) -> Plain:
        """The word, or both limits."""
        return _ENDLESS if math.isinf(value[0]) else super().write(value)

    def schema(self, describer: Describer) -> dict[str, Any]:
        """The word, or both limits."""
        return {"anyOf": [{"const": _ENDLESS}, super().schema(describer)]}


_VALUE: Final = Measure(("angle", "length"))
Limits = Annotated[tuple[float, float], _Limits((_VALUE, _VALUE), "[-90 deg, 90 deg]")]


class Builder:
    """Builds joints, links and shapes of one file, and reports errors at their lines."""

    def __init__(self, file: str, root: Node, folder: Path | None) -> None:
        self._file, self._root, self._folder = file, root, folder or Path()

    @contextmanager
    def placing(self, *path: str | int) -> Iterator[None]:
        """Add the line and column of a field to the errors raised inside."""
        try:
            yield
        except FileError:
            raise
        except InvalidThing as error:
            found = [self._mistake((*path, *each.path), each.what, each.hint) for each in error.problems]
            raise FileError.of(self._file, found) from None
        except DrycellError as error:
            raise FileError.of(self._file, [self._mistake(path, error.what, error.hint)]) from None

    def _mistake(self, path: tuple[str | int, ...], what: str, hint: str | None) -> Mistake:
        node = self._root.place(path)
        return Mistake(what, dotted(path), node.line, node.column, hint)

    def joints(self, specs: "Mapping[str, JointSpec]", where: str, data: DataSheet | None = None) -> tuple[Joint, ...]:
        """The joints, in the order of the file. Missing values are estimated from the reach and the payload."""
        joints: list[Joint] = []
        for number, (name, spec) in enumerate(specs.items()):
            with self.placing(where, name):
                speed, acceleration, jerk = _motion_limits(spec, data, number)
                lower, upper = map(float, spec.limits)
                kind: JointKind = "revolute" if spec.turns else "prismatic"
                estimated = spec.acceleration is None
                joints.append(Joint(name, kind, lower, upper, speed, acceleration, jerk, estimated))
        return tuple(joints)

    def links(
        self, specs: "Mapping[str, NodeSpec]", shapes: "Mapping[str, Shape | None]", joints: Sequence[Joint]
    ) -> tuple[Link, ...]:
        """The links. A link without ``on`` is attached to the link before it."""
        names, places = list(specs), {joint.name: number for number, joint in enumerate(joints)}
        links: list[Link] = []
        for number, (name, spec) in enumerate(specs.items()):
            parent = number - 1 if spec.on is None else _link(spec.on, names)
            drives = tuple(
                Drive(places[move.by], joints[places[move.by]].kind, _AXES[move.axis], move.ratio)
                for move in spec.moves
            )
            links.append(Link(name, parent, spec.pose, drives, shapes.get(name)))
        return tuple(links)

    def mark(self, spec: "FrameSpec", names: Sequence[str]) -> Mark:
        """A frame on a link."""
        return Mark(_link(spec.on, names), spec.pose)

    def shape(self, pieces: "Sequence[PosedShape]", path: tuple[str, ...]) -> "Shape | None":
        """The pieces as one shape: None, the piece itself if its pose is the identity, or a compound."""
        from drycell.geometry import Compound

        parts: list[tuple[Pose, Shape]] = []
        for number, piece in enumerate(pieces):
            with self.placing(*path, number):
                parts.append(piece.placed(self._folder))
        if not parts:
            return None
        return parts[0][1] if len(parts) == 1 and parts[0][0] == Pose() else Compound(tuple(parts))


def _motion_limits(spec: "JointSpec", data: DataSheet | None, number: int) -> tuple[float, float, float]:
    """The speed, acceleration and jerk of a joint, estimated where the file does not state them."""
    speed, acceleration = spec.speed, spec.acceleration
    if speed is None or acceleration is None:
        if data is None or data.reach is None or data.payload is None:
            field = "speed" if speed is None else "acceleration"
            hint = "write for example '90 deg/s', or the payload and the reach of the robot, from which it is estimated"
            raise InvalidThing(JointSpec, [Problem((field,), "this field must be given", hint)])
        if speed is None:
            speed = estimated_speed(data.category, data.reach, data.payload, number)
        if acceleration is None:
            acceleration = estimated_acceleration(speed, data.reach, data.payload, number)
    jerk = estimated_jerk(speed, acceleration) if spec.jerk is None else spec.jerk
    return float(speed), float(acceleration), float(jerk)


def _link(name: str, names: Sequence[str]) -> int:
    return BASE if name == "base" else names.index(name)


SHAPES: Final = Kinds() | geometry
"""The kinds of shapes that robot files can use."""

Argument = Annotated[float, Measure(tuple(each for each in DIMENSIONS if each != "ratio"))]
PathSpeed = Annotated[float, Quantity("speed", above=0.0)]


class JointSpec(Thing):
    """A joint. The units determine whether it is revolute or prismatic."""

    limits: Limits
    """Lower and upper limit: angles if it turns, lengths if it slides; ``endless`` for a turn without limits."""
    speed: JointSpeed | None = None
    """Maximum speed; by default a typical value for the robot's reach and payload."""
    acceleration: JointAcceleration | None = None
    """Maximum acceleration; by default a typical value for the robot's reach and payload."""
    jerk: JointJerk | None = None
    """Maximum jerk; by default the acceleration builds up in a third of the time to full speed, at most 0.1 s."""

    @property
    def turns(self) -> bool:
        """Whether it turns; otherwise it slides."""
        return bool(turns(self.limits[0]) if turns(self.limits[0]) is not None else turns(self.limits[1]))

    def problems(self) -> Iterable[Problem]:
        """All quantities must be angular, or all linear."""
        if all(turns(each) is None for each in self.limits):
            hint = "write for example [0 deg, 90 deg] or [0 mm, 500 mm]"
            yield Problem(("limits",), "the limits have no unit, so it neither turns nor slides", hint)
            return
        for field in ("speed", "acceleration", "jerk"):
            if getattr(self, field) is not None:
                yield from _other_unit((field,), getattr(self, field), self.turns)
        yield from _other_unit(("limits",), self.limits[1], self.turns)


class MoveSpec(Thing):
    """How a joint moves a link: along or about an axis of the link's own frame."""

    by: Name
    """The joint."""
    axis: Literal["x", "y", "z", "-x", "-y", "-z"]
    """The axis it turns about or slides along; with a minus sign in the opposite direction."""
    ratio: Ratio = 1.0
    """How far the link moves for each unit of the joint's value."""


class FrameSpec(Thing):
    """A frame on a link."""

    on: Name
    """The link, or ``base``."""
    at: Position = (0.0, 0.0, 0.0)
    """Position, relative to the link."""
    rpy: Rpy = (0.0, 0.0, 0.0)
    """Rotation: roll, pitch and yaw about fixed axes."""

    @property
    def pose(self) -> Pose:
        """Position and rotation as a pose."""
        return Pose.of_rpy(*self.rpy, at=self.at)


class NodeSpec(Thing):
    """What a link is attached to, and how joints move it."""

    on: Name | None = None
    """The link it is attached to, or ``base``; by default the one before it."""
    at: Position = (0.0, 0.0, 0.0)
    """Position relative to that link, with all joints at zero."""
    rpy: Rpy = (0.0, 0.0, 0.0)
    """Rotation: roll, pitch and yaw about fixed axes."""
    moves: tuple[MoveSpec, ...] = ()
    """The joints that move it."""

    @property
    def pose(self) -> Pose:
        """Position and rotation as a pose."""
        return Pose.of_rpy(*self.rpy, at=self.at)


class InertiaSpec(Thing):
    """The mass of a link."""

    mass: Mass
    """Mass."""
    centre: Position = (0.0, 0.0, 0.0)
    """Centre of mass, relative to the link."""
    rpy: Rpy = (0.0, 0.0, 0.0)
    """Rotation of the axes that the moments are about: roll, pitch and yaw about fixed axes."""
    moments: tuple[float, float, float, float, float, float] | None = None
    """Moments of inertia about the centre of mass in kg m²: xx, xy, xz, yy, yz, zz."""

    @property
    def inertia(self) -> Inertia:
        """The inertia of a link."""
        return Inertia(self.mass, Pose.of_rpy(*self.rpy, at=self.centre), self.moments)


class LinkSpec(NodeSpec):
    """A link. With a Denavit–Hartenberg table it has only shapes: the table defines its pose and its joint."""

    shapes: tuple[PosedShape, ...] = ()
    """Its solids."""
    deviation: NoLess = 0.0
    """The maximum distance by which the surface of the real link protrudes from its solids. Clearances are measured
    from the real surface."""
    inertia: InertiaSpec | None = None
    """Its mass, and how it is distributed."""


class RowSpec(Thing):
    """One row of a Denavit–Hartenberg table."""

    a: Length = 0.0
    """Link length."""
    alpha: Angle = 0.0
    """Link twist."""
    d: Length = 0.0
    """Joint offset."""
    theta: Angle = 0.0
    """Joint angle at zero."""


class TableSpec(Thing):
    """A Denavit–Hartenberg table."""

    convention: Convention = "standard"
    """Which of the two conventions its rows follow."""
    rows: tuple[RowSpec, ...]
    """One row for each joint."""


class RobotHead(Thing):
    """The first part of a robot file, from its name to its joints: enough to list robots."""

    robot: Name
    """Name of the robot."""
    title: str = ""
    """What it is, in a few words."""
    source: str
    """Where its numbers come from."""
    maker: str = ""
    """Who makes it."""
    category: str = ""
    """What it is: cobot, small, medium, large, SCARA, external axis, …"""
    payload: Mass | None = None
    """Maximum load on the flange, including the tool."""
    reach: Size | None = None
    """Reach as its maker states it."""
    repeatability: Size | None = None
    """Repeatability."""
    mass: Mass | None = None
    """Mass of the whole robot."""
    recalled: tuple[Literal["payload", "reach", "repeatability", "mass"], ...] = ()
    """Figures from general knowledge, which no source confirms."""
    missing: dict[str, str] | None = None
    """What is not known or was rejected, and why."""
    arguments: dict[Name, Argument] | None = None
    """Quantities that a cell can set, with their defaults: ``{travel: 3 m}``. The file uses them as ``$travel``."""
    outline: Name | None = None
    """Where the solids come from if the links have none: a robot of the library with the same body, or ``generic``."""
    joints: dict[Name, JointSpec]
    """Its joints, in the order of their values."""

    @property
    def data(self) -> DataSheet:
        """The figures of its maker."""
        return DataSheet(
            self.maker,
            self.title,
            self.category,
            self.payload,
            self.reach,
            self.repeatability,
            self.mass,
            self.recalled,
            tuple((self.missing or {}).items()),
            self.outline or "own",
        )


class RobotFile(RobotHead):
    """A robot file: one mechanism."""

    dh: TableSpec | None = None
    """A Denavit–Hartenberg table of the links, with one row for each joint."""
    flange: FrameSpec
    """The face that tools are mounted on; with a table, relative to the table's last frame."""
    frames: dict[Name, FrameSpec] | None = None
    """Additional frames by name."""
    path_speed: PathSpeed | None = None
    """Maximum speed of the tool on a path."""
    cycle: Duration | None = None
    """Basic cycle of its controller."""
    home: tuple[JointValue, ...] = ()
    """Joint values it starts at; zero by default."""
    base: tuple[PosedShape, ...] = ()
    """Solids of the part that does not move."""
    base_deviation: NoLess = 0.0
    """The maximum distance by which the surface of the real base protrudes from its solids."""
    links: dict[Name, LinkSpec]
    """Its links, each after the one it is attached to."""

    def problems(self) -> Iterable[Problem]:
        """Names must refer to joints and links that exist; joint values must have the units of their joints."""
        if not self.joints:
            yield Problem(("joints",), "the robot has no joints", "give at least one joint")
        if self.dh is None:
            yield from attachment_problems(self.links, "links")
            yield from drive_problems(self.links, self.joints)
            yield from frame_problems(self.flange, self.links, ("flange",))
        elif len(self.links) != len(self.joints):
            yield Problem(("links",), f"there are {len(self.links)} links for {len(self.joints)} joints")
        for name, frame in (self.frames or {}).items():
            yield from frame_problems(frame, self.links, ("frames", name))
        yield from home_problems(self.home, self.joints)
        if self.outline is not None:
            yield from self._outline_problems(self.outline)

    def _outline_problems(self, outline: str) -> Iterator[Problem]:
        if outline == GENERIC and (self.payload is None or self.reach is None):
            yield Problem(("outline",), "a generic outline needs the payload and the reach of the robot")
        with_solids = [name for name, link in self.links.items() if link.shapes]
        if self.base or with_solids:
            hint = "remove the outline, or the solids"
            yield Problem(("outline",), "the robot has its own solids", hint)


def attachment_problems(nodes: Mapping[str, NodeSpec], where: str) -> Iterator[Problem]:
    """The problems of nodes that are attached to a node that does not come before them."""
    names = list(nodes)
    for number, (name, node) in enumerate(nodes.items()):
        if node.on is not None:
            yield from _no_link(node.on, names[:number], (where, name, "on"))


def drive_problems(links: Mapping[str, NodeSpec], joints: Mapping[str, JointSpec]) -> Iterator[Problem]:
    """The problems of links that are moved by a joint that does not exist."""
    for name, link in links.items():
        for place, move in enumerate(link.moves):
            if move.by not in joints:
                what, hint = f"there is no joint {move.by!r}", did_you_mean(move.by, joints)
                yield Problem(("links", name, "moves", place, "by"), what, hint)


def frame_problems(frame: FrameSpec, links: Iterable[str], path: tuple[str, ...]) -> Iterator[Problem]:
    """The problem of a frame on a link that does not exist."""
    yield from _no_link(frame.on, list(links), (*path, "on"))


def home_problems(home: tuple[JointValue, ...], joints: Mapping[str, JointSpec]) -> Iterator[Problem]:
    """The problems of a home position: the wrong number of joint values, or wrong units."""
    if home and len(home) != len(joints):
        yield Problem(("home",), f"has {len(home)} values for {len(joints)} joints")
        return
    for number, (value, joint) in enumerate(zip(home, joints.values(), strict=False)):
        yield from _other_unit(("home", number), value, joint.turns)


def _no_link(name: str, links: list[str], path: tuple[str | int, ...]) -> Iterator[Problem]:
    if name != "base" and name not in links:
        yield Problem(path, f"there is no link {name!r} before it", did_you_mean(name, ["base", *links]))


def _other_unit(path: tuple[str | int, ...], value: float, turning: bool) -> Iterator[Problem]:
    if turns(value) not in (None, turning):
        wanted = "degrees (it turns)" if turning else "millimetres (it slides)"
        yield Problem(path, f"must be in {wanted}, like the joint's first limit")


def read_head(text: str, file: str = "robot.yaml") -> RobotHead:
    """Read the beginning of a robot file. Its fields must come first, with the joints last of them.

    Raises FileError with all mistakes.
    """
    lines = text.splitlines(keepends=True)
    joints = next((number for number, line in enumerate(lines) if line.startswith("joints:")), len(lines) - 1)
    end = next((k for k in range(joints + 1, len(lines)) if lines[k][0] not in " #\n"), len(lines))
    return read_tree(RobotHead, tree("".join(lines[:end]), file), file, SHAPES)


def read_robot(
    text: str,
    file: str = "robot.yaml",
    folder: Path | None = None,
    arguments: Mapping[str, str | float] | None = None,
) -> Mechanism:
    """Build the mechanism that a robot file describes.

    Args:
        text: The contents of a robot file.
        file: The file name in error messages.
        folder: Where mesh files are; by default the working directory.
        arguments: Values of arguments that the file declares, as text with a unit or in SI units.

    Raises:
        FileError: All mistakes in the text, with their lines.
        UnknownName: The file has no such argument.
        MechanismError: The value of an argument is wrong.
    """
    root = tree(text, file, arguments)
    spec = read_tree(RobotFile, root, file, SHAPES)
    builder = Builder(file, root, folder)
    data = spec.data
    joints = builder.joints(spec.joints, "joints", data)
    shapes = {name: builder.shape(link.shapes, ("links", name, "shapes")) for name, link in spec.links.items()}
    names = list(spec.links)
    if spec.dh is not None:
        rows = [DHRow(row.a, row.alpha, row.d, row.theta) for row in spec.dh.rows]
        with builder.placing("dh"):
            links, last = dh_links(joints, rows, spec.dh.convention, [shapes[name] for name in names], names)
        flange = Mark(last.link, last.pose @ spec.flange.pose)  # the flange is relative to the last frame of the table
    else:
        links, flange = builder.links(spec.links, shapes, joints), builder.mark(spec.flange, names)
    frames = tuple((name, builder.mark(frame, names)) for name, frame in (spec.frames or {}).items())
    links = tuple(
        replace(link, deviation=each.deviation, inertia=None if each.inertia is None else each.inertia.inertia)
        for link, each in zip(links, spec.links.values(), strict=True)
    )
    base, deviation = builder.shape(spec.base, ("base",)), spec.base_deviation
    if spec.outline == GENERIC:
        base, links = generic_outline(links, flange, spec.payload or 1.0, spec.reach or 1.0)
    elif spec.outline is not None:
        from drycell.robots.catalogue import load_robot

        with builder.placing("outline"):
            source = load_robot(spec.outline)
            if len(source.links) != len(links):
                what = f"{spec.outline} has {len(source.links)} links, but {spec.robot} has {len(links)}"
                raise MechanismError(what, hint="name a robot with the same body, or write 'generic'")
            base, links, deviation = shared_outline(links, flange, source)
    with builder.placing():
        return Mechanism(
            spec.robot,
            joints,
            links,
            flange,
            base=base,
            home=tuple(map(float, spec.home)),
            frames=frames,
            source=" ".join(spec.source.split()),
            path_speed=spec.path_speed,
            cycle=spec.cycle,
            base_deviation=deviation,
            data=data,
            arguments=arguments_in(root),
        )


def file_text(spec: "RobotFile | FamilyFile", comment: str = "") -> str:
    """The text of a robot or family file, with a comment above it. Fields that have their default are omitted."""
    written = OneOf(type(spec)).write(spec.changed(source=" ".join(spec.source.split())))
    tables = {field.key for field in fields_of(type(spec)) if isinstance(field.type, Table)}
    lines = [f"# {line}" for line in comment.splitlines()]
    lines += [line for key, value in written.items() for line in yamldoc.block(key, value, 0, int(key in tables))]
    return "\n".join(lines) + "\n"
