"""What a robot file may say, field by field, and the mechanism it makes."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar, Final, Literal

from drycell.fields import Angle, Duration, Length, Name, Position, Quantity, Rpy, Size
from drycell.robots.builder import Builder, parsed
from drycell.robots.dh import Convention, DHRow, dh_links
from drycell.robots.link import Mark
from drycell.robots.mechanism import Mechanism
from drycell.robots.quantity import Gain, Jolt, Place, Rate
from drycell.spatial import Pose

_STRICT: Final = {"extra": "forbid"}
_ZERO: Final = (0.0, 0.0, 0.0)
Ratio = Annotated[float, Quantity("ratio")]
Speed = Annotated[float, Quantity("speed", above=0.0)]


@dataclass(frozen=True)
class RoundSpec:
    """A radius and a length along z."""

    __pydantic_config__: ClassVar = _STRICT
    radius: Size
    length: Size


@dataclass(frozen=True)
class ConeSpec:
    """A radius at the foot, one at the top, and a length along z."""

    __pydantic_config__: ClassVar = _STRICT
    radius: Size
    length: Size
    top: Length = 0.0


@dataclass(frozen=True)
class RodSpec:
    """A capsule from one point to another: the quickest way to draw an arm."""

    __pydantic_config__: ClassVar = _STRICT
    radius: Size
    start: Position
    end: Position


@dataclass(frozen=True)
class PrismSpec:
    """An outline in x and y, drawn out along z."""

    __pydantic_config__: ClassVar = _STRICT
    outline: tuple[tuple[Length, Length], ...]
    length: Size


@dataclass(frozen=True)
class MeshSpec:
    """A mesh file, seen from the robot file, with its unit stated."""

    __pydantic_config__: ClassVar = _STRICT
    file: str
    units: Literal["mm", "m", "in"]


@dataclass(frozen=True)
class PieceSpec:
    """One solid of a link: exactly one of the shapes, and where its own frame is on the link."""

    __pydantic_config__: ClassVar = _STRICT
    box: tuple[Size, Size, Size] | None = None
    cylinder: RoundSpec | None = None
    cone: ConeSpec | None = None
    sphere: Size | None = None
    capsule: RoundSpec | None = None
    rod: RodSpec | None = None
    prism: PrismSpec | None = None
    mesh: MeshSpec | None = None
    at: Position = _ZERO
    rpy: Rpy = _ZERO


@dataclass(frozen=True)
class JointSpec:
    """A joint: its unit tells whether it turns or slides."""

    __pydantic_config__: ClassVar = _STRICT
    limits: tuple[Place, Place]
    speed: Rate
    acceleration: Gain
    jerk: Jolt


@dataclass(frozen=True)
class RowSpec:
    """One row of a Denavit–Hartenberg table."""

    __pydantic_config__: ClassVar = _STRICT
    a: Length = 0.0
    alpha: Angle = 0.0
    d: Length = 0.0
    theta: Angle = 0.0


@dataclass(frozen=True)
class TableSpec:
    """A Denavit–Hartenberg table."""

    __pydantic_config__: ClassVar = _STRICT
    rows: tuple[RowSpec, ...]
    convention: Convention = "standard"


@dataclass(frozen=True)
class MoveSpec:
    """How a joint moves a link: along or about an axis of the link's own frame, by ratio × value + offset."""

    __pydantic_config__: ClassVar = _STRICT
    by: Name
    axis: Literal["x", "y", "z"]
    ratio: Ratio = 1.0


@dataclass(frozen=True)
class FrameSpec:
    """A frame on a link."""

    __pydantic_config__: ClassVar = _STRICT
    on: Name
    at: Position = _ZERO
    rpy: Rpy = _ZERO


@dataclass(frozen=True)
class LinkSpec:
    """A link: where it hangs (not with a table), what moves it (not with a table), what it looks like."""

    __pydantic_config__: ClassVar = _STRICT
    on: Name | None = None
    at: Position = _ZERO
    rpy: Rpy = _ZERO
    moves: tuple[MoveSpec, ...] = ()
    shapes: tuple[PieceSpec, ...] = ()


@dataclass(frozen=True)
class RobotFile:
    """A robot file: one mechanism."""

    __pydantic_config__: ClassVar = _STRICT
    robot: Name
    source: str
    joints: dict[Name, JointSpec]
    flange: FrameSpec
    links: dict[Name, LinkSpec]
    title: str = ""
    dh: TableSpec | None = None
    base: tuple[PieceSpec, ...] = ()
    frames: dict[Name, FrameSpec] = field(default_factory=dict)
    home: tuple[Place, ...] = ()
    path_speed: Speed | None = None
    cycle: Duration | None = None


def read_robot(text: str, file: str = "robot.yaml", folder: Path | None = None) -> Mechanism:
    """The mechanism a text describes, as if it stood in ``file``; meshes are looked for in ``folder``."""
    spec, tree = parsed(text, RobotFile, file)
    builder = Builder(file, tree, folder)
    joints = builder.joints(spec.joints, "joints")
    shapes = {name: builder.shape(link.shapes, ("links", name, "shapes")) for name, link in spec.links.items()}
    names = list(spec.links)
    if spec.dh is not None:
        if len(names) != len(joints):
            raise builder.wrong(("links",), f"there are {len(names)} links for {len(joints)} joints")
        convention = spec.dh.convention
        rows = [DHRow(row.a, row.alpha, row.d, row.theta) for row in spec.dh.rows]
        solids = [shapes[name] for name in names]
        links, last = builder.checked(lambda: dh_links(joints, rows, convention, solids, names), ("dh",))
        end = Pose.of_rpy(*spec.flange.rpy, at=spec.flange.at)
        flange = Mark(last.link, last.pose @ end)  # a table ends in a frame; the flange is seen from there
    else:
        links = builder.links(spec.links, shapes, joints, "links")
        flange = builder.mark(spec.flange, names, ("flange",))
    marks = tuple((name, builder.mark(mark, names, ("frames", name))) for name, mark in spec.frames.items())
    return builder.checked(
        lambda: Mechanism(
            spec.robot,
            joints,
            links,
            flange,
            base=builder.shape(spec.base, ("base",)),
            home=builder.home(spec.home, joints),
            frames=marks,
            source=" ".join(spec.source.split()),
            path_speed=spec.path_speed,
            cycle=spec.cycle,
        )
    )
