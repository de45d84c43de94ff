"""Robot files: their fields as models, and the mechanisms built from them. Mistakes are reported with their lines."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from drycell import geometry
from drycell.base import (
    Amount,
    Angle,
    DrycellError,
    Duration,
    FileError,
    InvalidThing,
    Kinds,
    Length,
    Measure,
    Mistake,
    Name,
    Node,
    OneOf,
    Pose,
    Position,
    Problem,
    Quantity,
    Ratio,
    Rpy,
    Table,
    Thing,
    did_you_mean,
    dotted,
    fields_of,
    read_with_places,
    yamldoc,
)
from drycell.geometry import PosedShape
from drycell.robots.dh import Convention, DHRow, dh_links
from drycell.robots.links import BASE, Drive, Joint, Link, Mark
from drycell.robots.mechanism import Mechanism

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


_AXES: Final = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


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

    def joints(self, specs: "Mapping[str, JointSpec]", where: str) -> tuple[Joint, ...]:
        """The joints, in the order of the file."""
        joints: list[Joint] = []
        for name, spec in specs.items():
            values = (*spec.limits, spec.speed, spec.acceleration, spec.jerk)
            with self.placing(where, name):
                joints.append(Joint(name, "revolute" if spec.turns else "prismatic", *map(float, values)))
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


def _link(name: str, names: Sequence[str]) -> int:
    return BASE if name == "base" else names.index(name)


SHAPES: Final = Kinds() | geometry
"""The kinds of shapes that robot files can use."""

PathSpeed = Annotated[float, Quantity("speed", above=0.0)]


class JointSpec(Thing):
    """A joint. The units say whether it turns or slides."""

    limits: tuple[JointValue, JointValue]
    """Lower and upper limit: angles if it turns, lengths if it slides."""
    speed: JointSpeed
    """Greatest speed."""
    acceleration: JointAcceleration
    """Greatest acceleration."""
    jerk: JointJerk
    """Greatest jerk."""

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
            yield from _other_unit((field,), getattr(self, field), self.turns)
        yield from _other_unit(("limits",), self.limits[1], self.turns)


class MoveSpec(Thing):
    """How a joint moves a link: along or about an axis of the link's own frame."""

    by: Name
    """The joint."""
    axis: Literal["x", "y", "z"]
    """The axis it turns about or slides along."""
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


class LinkSpec(NodeSpec):
    """A link. With a Denavit–Hartenberg table it has only shapes: the table says where it is and what moves it."""

    shapes: tuple[PosedShape, ...] = ()
    """Its solids."""


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


class RobotFile(Thing):
    """A robot file: one mechanism."""

    robot: Name
    """Name of the robot."""
    title: str = ""
    """What it is, in a few words."""
    source: str
    """Where its numbers come from."""
    joints: dict[Name, JointSpec]
    """Its joints, in the order of their values."""
    dh: TableSpec | None = None
    """A Denavit–Hartenberg table that says how the links move, one row for each joint."""
    flange: FrameSpec
    """The face that tools are mounted on; with a table, relative to the table's last frame."""
    frames: dict[Name, FrameSpec] | None = None
    """Further frames by name."""
    path_speed: PathSpeed | None = None
    """Greatest speed of the tool on a path."""
    cycle: Duration | None = None
    """Basic cycle of its controller."""
    home: tuple[JointValue, ...] = ()
    """Joint values it starts at; zero by default."""
    base: tuple[PosedShape, ...] = ()
    """Solids of the part that does not move."""
    links: dict[Name, LinkSpec]
    """Its links, each after the one it is attached to."""

    def problems(self) -> Iterable[Problem]:
        """Names must refer to joints and links that exist; joint values must have the units of their joints."""
        if self.dh is None:
            yield from attachment_problems(self.links, "links")
            for name, link in self.links.items():
                for place, move in enumerate(link.moves):
                    if move.by not in self.joints:
                        what, hint = f"there is no joint {move.by!r}", did_you_mean(move.by, self.joints)
                        yield Problem(("links", name, "moves", place, "by"), what, hint)
            yield from frame_problems(self.flange, self.links, ("flange",))
        elif len(self.links) != len(self.joints):
            yield Problem(("links",), f"there are {len(self.links)} links for {len(self.joints)} joints")
        for name, frame in (self.frames or {}).items():
            yield from frame_problems(frame, self.links, ("frames", name))
        yield from home_problems(self.home, self.joints)


def attachment_problems(nodes: Mapping[str, NodeSpec], where: str) -> Iterator[Problem]:
    """The problems of nodes that are attached to a node that does not come before them."""
    names = list(nodes)
    for number, (name, node) in enumerate(nodes.items()):
        if node.on is not None:
            yield from _no_link(node.on, names[:number], (where, name, "on"))


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
        yield Problem(path, f"must be in {wanted}, as the joint's first limit is")


def read_robot(text: str, file: str = "robot.yaml", folder: Path | None = None) -> Mechanism:
    """Build the mechanism that a text describes.

    Args:
        text: The contents of a robot file.
        file: The file name in error messages.
        folder: Where mesh files are; by default the working directory.

    Raises:
        FileError: All mistakes in the text, with their lines.
    """
    spec, root = read_with_places(RobotFile, text, file, SHAPES)
    builder = Builder(file, root, folder)
    joints = builder.joints(spec.joints, "joints")
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
    base = builder.shape(spec.base, ("base",))
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
        )


def file_text(spec: "RobotFile | FamilyFile", comment: str = "") -> str:
    """The text of a robot or family file, with a comment above it. Fields that have their default are omitted."""
    written = OneOf(type(spec)).write(spec.changed(source=" ".join(spec.source.split())))
    tables = {field.key for field in fields_of(type(spec)) if isinstance(field.type, Table)}
    lines = [f"# {line}" for line in comment.splitlines()]
    lines += [line for key, value in written.items() for line in yamldoc.block(key, value, 0, int(key in tables))]
    return "\n".join(lines) + "\n"
