"""Tool files: grippers, vacuum cups, magnets, torches and other tools as data, and what is built from them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from drycell.base import (
    Duration,
    Mass,
    Name,
    NoLess,
    Pose,
    Position,
    Problem,
    Quantity,
    Rpy,
    Several,
    Size,
    Thing,
    mm,
    read_thing,
    read_with_places,
)
from drycell.geometry import PosedShape
from drycell.handling import Mouth, jaw_gap
from drycell.robots.description import (
    SHAPES,
    Builder,
    FrameSpec,
    JointSpec,
    LinkSpec,
    attachment_problems,
    drive_problems,
    frame_problems,
)
from drycell.robots.links import BASE, Joint, JointKind, Link, Mark
from drycell.robots.mechanism import Mechanism
from drycell.robots.toolsheet import ToolSheet, finger_limits, suction_force

if TYPE_CHECKING:
    from drycell.geometry import Shape

ToolKind = Literal["gripper", "vacuum", "magnet", "torch", "dispenser", "probe", "other"]
Speeds = Annotated[
    tuple[float, float], Several((Quantity("speed", least=0.0), Quantity("speed", above=0.0)), "[20 mm/s, 150 mm/s]")
]
Forces = Annotated[
    tuple[float, float], Several((Quantity("force", least=0.0), Quantity("force", above=0.0)), "[20 N, 185 N]")
]
Pressure = Annotated[float, Quantity("pressure", above=0.0)]
_POINT: Final = 2 * mm  # the radius of a cup whose diameter is not known
_STEPS: Final = 64  # positions at which the speed of the gap is computed


class CupSpec(Thing):
    """A vacuum cup, or the face of a magnet."""

    at: Position = (0.0, 0.0, 0.0)
    """Where it touches parts, relative to the mounting face."""
    rpy: Rpy = (0.0, 0.0, 0.0)
    """Rotation: roll, pitch and yaw about fixed axes; z points out of it."""
    diameter: Size | None = None
    """Its diameter; without one, it counts as a point."""
    effective: Size | None = None
    """The diameter on which the vacuum acts; by default the whole one."""

    @property
    def pose(self) -> Pose:
        """Position and rotation as a pose."""
        return Pose.of_rpy(*self.rpy, at=self.at)

    @property
    def radius(self) -> float:
        """The radius within which it touches a part."""
        return _POINT if self.diameter is None else self.diameter / 2.0


class ToolHead(Thing):
    """The first part of a tool file, from its name to its joints: enough to list tools."""

    tool: Name
    """Name of the tool."""
    kind: ToolKind
    """What it is: ``gripper`` has fingers, ``vacuum`` has cups, ``magnet`` a magnet; the others only have a TCP."""
    title: str = ""
    """What it is, in a few words."""
    source: str
    """Where its numbers come from."""
    maker: str = ""
    """Who makes it."""
    category: str = ""
    """What it is in the maker's words: parallel two-finger, vacuum with one cup, …"""
    mass: Mass | None = None
    """Mass of the whole tool."""
    payload: Mass | None = None
    """Maximum mass of a part."""
    stroke: Size | None = None
    """Difference between the widest and the smallest gap."""
    speed: Speeds | None = None
    """Lowest and highest closing speed: the rate at which the gap changes."""
    force: Forces | None = None
    """Lowest and highest force on the part."""
    closing_time: Duration | None = None
    """Time in which it closes, if the maker states that instead of a speed."""
    vacuum: Pressure | None = None
    """Vacuum in its cups, below the pressure of the air."""
    evacuation: Duration | None = None
    """Time in which that vacuum builds up when a cup has met a part."""
    recalled: tuple[
        Literal[
            "mass", "payload", "stroke", "speed", "lowest speed", "force", "lowest force", "closing time", "vacuum",
            "evacuation", "tcp",
        ],
        ...,
    ] = ()  # fmt: skip
    """Figures from general knowledge, which no source confirms."""
    missing: dict[str, str] | None = None
    """What is not known or was rejected, and why."""
    solids: Literal["own", "fitted", "generic"] = "own"
    """Where the solids come from: fitted to the real surface, or a plain outline."""
    cups: tuple[CupSpec, ...] = ()
    """Its vacuum cups, or the face of its magnet."""
    joints: dict[Name, JointSpec] | None = None
    """The joint that opens and closes a gripper. Its speed follows from the closing speed or the closing time."""

    @property
    def cup_forces(self) -> tuple[float | None, ...]:
        """The force of each cup at its vacuum, or that of a magnet, in N; None if it is not known."""
        if self.kind == "magnet":
            return tuple(self.force[1] / len(self.cups) if self.force else None for _ in self.cups)
        diameters = [cup.effective or cup.diameter for cup in self.cups]
        return tuple(
            None if each is None or self.vacuum is None else suction_force((each,), self.vacuum) for each in diameters
        )

    @property
    def sheet(self) -> ToolSheet:
        """The figures of its maker."""
        suction = self.force[1] if self.kind == "magnet" and self.force else None
        diameters = [cup.effective or cup.diameter for cup in self.cups]
        if self.kind == "vacuum" and self.vacuum is not None:
            known = tuple(each for each in diameters if each is not None)
            suction = suction_force(known, self.vacuum) if known and len(known) == len(diameters) else None
        return ToolSheet(
            kind=self.kind,
            title=self.title,
            maker=self.maker,
            category=self.category,
            mass=self.mass,
            payload=self.payload,
            stroke=self.stroke,
            speed=self.speed,
            force=self.force,
            closing_time=self.closing_time,
            vacuum=self.vacuum,
            evacuation=self.evacuation,
            suction=suction,
            recalled=self.recalled,
            missing=tuple((self.missing or {}).items()),
            solids=self.solids,
        )


class ToolFile(ToolHead):
    """A tool file: a gripper, a vacuum cup, a magnet, a torch, a dispenser, a probe or another tool."""

    tcp: FrameSpec
    """Its tool centre point: z points out of it, and the jaws of a gripper move along x."""
    jaws: tuple[FrameSpec, FrameSpec] | None = None
    """A point on the inner face of each jaw, the one at +x first: the gap is their distance along x. By default the
    value of the joint is the gap, and all links are jaws."""
    base: tuple[PosedShape, ...] = ()
    """Solids of the part that does not move, relative to the mounting face; z points out of the flange."""
    base_deviation: NoLess = 0.0
    """The maximum distance by which the real surface protrudes from the solids."""
    links: dict[Name, LinkSpec] | None = None
    """Its moving links, each after the one it is attached to."""

    def problems(self) -> Iterable[Problem]:
        """Fingers need a joint and links, cups need a place, and everything else has neither."""
        joints, links = self.joints or {}, self.links or {}
        if self.kind == "gripper":
            yield from self._finger_problems(len(joints), len(links))
        else:
            for field in ("joints", "links", "jaws", "stroke", "closing_time"):
                if getattr(self, field):
                    yield Problem((field,), f"a tool of the kind '{self.kind}' has no fingers", "remove it")
        if bool(self.cups) != (self.kind in ("vacuum", "magnet")):
            what = "must be given" if not self.cups else "are only for the kinds 'vacuum' and 'magnet'"
            yield Problem(
                ("cups",), what, "add 'cups: [{at: [0, 0, 50 mm], diameter: 30 mm}]'" if not self.cups else None
            )
        for field in ("vacuum", "evacuation"):
            if getattr(self, field) is not None and self.kind != "vacuum":
                yield Problem((field,), "is only for the kind 'vacuum'", "remove it")
        for field in ("speed", "force"):
            pair = getattr(self, field)
            if pair is not None and pair[0] > pair[1]:
                yield Problem((field,), "the lowest value is above the highest", "write the lowest first")
        yield from attachment_problems(links, "links")
        yield from drive_problems(links, joints)
        for field, frame in (("tcp", self.tcp), *(("jaws", each) for each in self.jaws or ())):
            yield from frame_problems(frame, links, (field,))

    def _finger_problems(self, joints: int, links: int) -> Iterator[Problem]:
        if joints != 1:
            yield Problem(("joints",), f"a gripper has one joint, not {joints}", "write {gap: {limits: [0 mm, 50 mm]}}")
        if links < 2:
            yield Problem(("links",), f"a gripper has at least two links, not {links}")
        if self.jaws is None and links != 2:
            yield Problem(("jaws",), f"which of the {links} links are jaws?", "give a frame on each of the two jaws")
        if self.tcp.on != "base":
            yield Problem(("tcp", "on"), "the TCP of a gripper is on its base, between the jaws", "write 'base'")
        stated = next(iter((self.joints or {}).values()), None)
        if self.speed is None and self.closing_time is None and stated is not None and stated.speed is None:
            hint = "give the closing speed of the gripper, its closing time, or the speed of the joint"
            yield Problem(("speed",), "nothing says how fast it closes", hint)


@dataclass(frozen=True)
class ToolModel:
    """A tool as a file describes it: its figures, its TCP and its solid, or the mechanism of its fingers."""

    name: str
    sheet: ToolSheet
    source: str
    tcp: Pose
    """The tool centre point, relative to the mounting face."""
    solid: "Shape | None" = None
    deviation: float = 0.0
    """The maximum distance, in metres, by which the surface of the real tool protrudes from its solid."""
    fingers: Mechanism | None = None
    """The mechanism of a gripper with fingers."""
    cups: tuple[Mouth, ...] = ()
    """Its vacuum cups, or the face of its magnet."""

    @classmethod
    def of_fingers(cls, fingers: Mechanism) -> "ToolModel":
        """The tool made of a mechanism with one joint and a frame ``tcp``, such as the gripper of a URDF file."""
        sheet = ToolSheet("gripper", fingers.name)
        return cls(fingers.name, sheet, fingers.source, fingers.forward(fingers.home, "tcp"), fingers=fingers)


def read_tool_head(text: str, file: str = "tool.yaml") -> ToolHead:
    """Read the beginning of a tool file. Its fields must come first; the next field must be ``tcp``.

    Raises FileError with all mistakes.
    """
    lines = text.splitlines(keepends=True)
    end = next((number for number, line in enumerate(lines) if line.startswith("tcp:")), len(lines))
    return read_thing(ToolHead, "".join(lines[:end]), file, SHAPES)


def read_tool(text: str, file: str = "tool.yaml", folder: Path | None = None) -> ToolModel:
    """Build the tool that a tool file describes.

    Args:
        text: The contents of a tool file.
        file: The file name in error messages.
        folder: Where mesh files are; by default the working directory.

    Raises:
        FileError: All mistakes in the text, with their lines.
    """
    spec, root = read_with_places(ToolFile, text, file, SHAPES)
    builder = Builder(file, root, folder)
    base, source = builder.shape(spec.base, ("base",)), " ".join(spec.source.split())
    fingers: Mechanism | None = None
    if spec.kind == "gripper":
        with builder.placing():
            fingers = _fingers(spec, builder, base, source)
    tcp = builder.mark(spec.tcp, list(spec.links or {})).pose
    forces = spec.cup_forces
    cups = tuple(Mouth(cup.pose, cup.radius, force) for cup, force in zip(spec.cups, forces, strict=True))
    return ToolModel(spec.tool, spec.sheet, source, tcp, base, spec.base_deviation, fingers, cups)


def _fingers(spec: ToolFile, builder: Builder, base: "Shape | None", source: str) -> Mechanism:
    """The mechanism of a gripper, open at the start; the limits of its joint follow from those of the gap."""
    specs = spec.links or {}
    names = list(specs)
    ((name, stated),) = (spec.joints or {}).items()
    kind: JointKind = "revolute" if stated.turns else "prismatic"
    lower, upper = map(float, stated.limits)
    joint = Joint(name, kind, lower, upper, 1.0, 1.0, 1.0)
    shapes = {name: builder.shape(link.shapes, ("links", name, "shapes")) for name, link in specs.items()}
    links = tuple(
        replace(link, deviation=each.deviation)
        for link, each in zip(builder.links(specs, shapes, [joint]), specs.values(), strict=True)
    )
    tcp = builder.mark(spec.tcp, names)
    frames = [("tcp", tcp)]
    if spec.jaws is not None:
        frames += [(f"jaw{number}", builder.mark(jaw, names)) for number, jaw in enumerate(spec.jaws, 1)]
    gaps = _gaps(links, joint, frames)
    home = lower if gaps[0] > gaps[-1] else upper
    stroke = abs(gaps[-1] - gaps[0])
    step = (upper - lower) / (len(gaps) - 1)
    steepest = max(abs(b - a) for a, b in pairwise(gaps)) / step  # of the gap, per unit of the joint
    if stated.speed is not None:
        speed, acceleration, jerk = finger_limits(upper - lower, float(stated.speed), None)
    else:
        found = finger_limits(stroke, spec.speed[1] if spec.speed else None, spec.closing_time)
        # Rounded, so that the last bits of the linkage's sines do not reach the time law.
        speed, acceleration, jerk = (float(f"{each / steepest:.6g}") for each in found)
    limited = replace(
        joint,
        speed=speed,
        acceleration=acceleration if stated.acceleration is None else float(stated.acceleration),
        jerk=jerk if stated.jerk is None else float(stated.jerk),
    )
    return Mechanism(
        spec.tool,
        (limited,),
        links,
        Mark(BASE, tcp.pose),
        base=base,
        home=(home,),
        frames=tuple(frames),
        source=source,
        base_deviation=spec.base_deviation,
    )


def _gaps(links: Sequence[Link], joint: Joint, frames: Sequence[tuple[str, Mark]]) -> list[float]:
    """The gap at equally spaced values of the joint, from its lower to its upper limit."""
    values = [joint.lower + (joint.upper - joint.lower) * k / _STEPS for k in range(_STEPS + 1)]
    probe = Mechanism("probe", (joint,), tuple(links), frames[0][1], home=(joint.lower,), frames=tuple(frames))
    return [jaw_gap(probe, value) for value in values]
