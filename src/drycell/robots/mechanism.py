"""Mechanisms: joints, links and limits of a robot, a machine or a gripper, with forward and inverse kinematics."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from drycell.base import Amount, Array, MechanismError, MotionError, Pose, UnknownName, Vector, deg, mm
from drycell.robots import kinematics
from drycell.robots.datasheet import DataSheet
from drycell.robots.links import BASE, LIMIT_TOLERANCE, Joint, Link, Mark

if TYPE_CHECKING:
    from drycell.geometry import Shape
    from drycell.recording import Json
    from drycell.robots.inverse import Inverse
    from drycell.robots.solution import Choice, Configuration, Names, Reach, Solution


@dataclass(frozen=True)
class Mechanism:
    """An immutable description of a jointed mechanism.

    A link frame is on its joint's axis and moves with it. Inverse kinematics moves the ``flange`` frame to a pose.
    ``frames`` are further named frames (a TCP, a fixture). ``source`` cites where the numbers come from. ``gripper`` is
    the gripper that a URDF file has on its flange, and ``notes`` are remarks about what was read from the file.
    ``data`` has the payload, the reach and other figures of the maker.
    """

    name: str
    joints: tuple[Joint, ...]
    links: tuple[Link, ...]
    flange: Mark
    base: "Shape | None" = None
    home: tuple[float, ...] = ()
    frames: tuple[tuple[str, Mark], ...] = ()
    source: str = ""
    path_speed: float | None = None  # maximum speed on a path, m/s, if the manufacturer states one
    cycle: float | None = None  # sampling period of the controller, s, if the manufacturer states one
    sensors: tuple[str, ...] = field(default=())
    gripper: "Mechanism | None" = None
    notes: tuple[str, ...] = ()
    base_deviation: float = 0.0  # maximum distance by which the real base protrudes from its shape, m
    data: DataSheet | None = None
    arguments: tuple[tuple[str, Amount], ...] = ()  # those of its file, with the values that it was made with

    def __post_init__(self) -> None:
        if not self.home:
            home = tuple(min(max(0.0, joint.lower), joint.upper) for joint in self.joints)
            object.__setattr__(self, "home", home)
        self._check()

    def __getstate__(self) -> dict[str, object]:
        return {item.name: getattr(self, item.name) for item in fields(self)}  # cached values are computed again

    def recorded(self) -> "Json":
        """The data of the mechanism in a recording: enough to compute link poses from joints."""
        from drycell.robots.recorded_mechanism import mechanism_data

        return mechanism_data(self)

    # ---------------------------------------------------------------- names

    @property
    def dof(self) -> int:
        """The number of joints."""
        return len(self.joints)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """The joint names, in the order of joint values."""
        return tuple(joint.name for joint in self.joints)

    @cached_property
    def link_names(self) -> tuple[str, ...]:
        """The names of the moving links, in the order of link poses. The base is not included."""
        return tuple(link.name for link in self.links)

    @cached_property
    def revolute(self) -> tuple[bool, ...]:
        """For each joint, whether it turns."""
        return tuple(joint.revolute for joint in self.joints)

    def joint(self, name: str) -> int:
        """The index of a joint in lists of joint values. Raises UnknownName."""
        if name not in self.joint_names:
            raise UnknownName(f"joint of {self.name}", name, self.joint_names)
        return self.joint_names.index(name)

    def link(self, name: str) -> int:
        """The index of a link in lists of link poses; −1 is the base. Raises UnknownName."""
        if name == "base" and "base" not in self.link_names:
            return BASE
        if name not in self.link_names:
            raise UnknownName(f"link of {self.name}", name, ("base", *self.link_names))
        return self.link_names.index(name)

    def mark(self, name: str) -> Mark:
        """A named frame: ``"flange"``, or one of ``frames``. Raises UnknownName."""
        known = {"flange": self.flange, **dict(self.frames)}
        if name not in known:
            raise UnknownName(f"frame of {self.name}", name, known)
        return known[name]

    @property
    def questions(self) -> "Names":
        """The configuration questions and their answers, such as ``(("elbow", ("up", "down")),)``."""
        return self._inverse.questions.names

    def renamed(self, name: str) -> "Mechanism":
        """This mechanism under another name."""
        return replace(self, name=name)

    # ---------------------------------------------------------------- forward kinematics

    def link_poses(self, joints: Sequence[float]) -> list[Pose]:
        """The link frames relative to the base, for joint values in radians and metres."""
        return self._forward(joints)

    def forward(self, joints: Sequence[float], frame: str = "flange") -> Pose:
        """The pose of the flange, or of another named frame, relative to the base."""
        mark = self.flange if frame == "flange" else self.mark(frame)
        return kinematics.frame_pose(self.link_poses(joints), mark.link, mark.pose)

    def link_positions(self, joints: Array) -> tuple[Array, Array]:
        """Positions (n, links, 3) and rotations (n, links, 3, 3) for joints (n, dof), for culling."""
        return kinematics.link_positions(self.links, joints)

    def jacobian(self, joints: Sequence[float]) -> Array:
        """(6, dof): velocity and angular velocity of the flange, in the base frame, per unit of joint speed."""
        return self._model.jacobian(np.asarray(joints, dtype=float))

    def levers(self) -> Array:
        """(dof, links): the greatest travel of a link's origin per unit of joint travel, in any configuration."""
        lower, upper = [joint.lower for joint in self.joints], [joint.upper for joint in self.joints]
        return kinematics.levers(self.links, lower, upper)

    def turns(self) -> Array:
        """(dof, links): the greatest rotation of a link in radians per unit of joint travel."""
        return kinematics.turns(self.links, self.dof)

    def between(self, one: int, other: int) -> tuple[Array, Array]:
        """(dof, 2) each: levers and turns of two links, relative to the last link that carries both.

        The joints before that link move both together and do not change their distance.
        """
        return self._between(one, other)

    def check_joints(self, joints: Sequence[float]) -> None:
        """Raise MotionError if the number of values is wrong, or a value is past its limit."""
        if len(joints) != self.dof:
            raise MotionError(
                f"{self.name} has {self.dof} joints, but {len(joints)} values were given",
                hint=f"give {', '.join(self.joint_names)}",
            )
        for joint, value in zip(self.joints, joints, strict=True):
            if not joint.lower - LIMIT_TOLERANCE <= value <= joint.upper + LIMIT_TOLERANCE:  # also rejects NaN
                raise MotionError(
                    f"{self.name}/{joint.name} is past its limit: {joint.number(value)} {joint.unit} "
                    f"is not between {joint.number(joint.lower)} and {joint.number(joint.upper)} {joint.unit}",
                    hint=f"keep {joint.name} within {joint.range}",
                )

    # ---------------------------------------------------------------- inverse kinematics

    def inverse(
        self,
        pose: Pose,
        near: Sequence[float] | None = None,
        configuration: "Choice" = None,
        target: str | None = None,
    ) -> "Solution":
        """The joints that move the flange to a pose.

        Of all solutions within the limits, including whole turns, the nearest one is chosen: the one with the least sum
        of joint travel over joint speed.

        Args:
            pose: The flange pose, relative to the base.
            near: The joints from which travel is measured; the home position by default.
            configuration: Restricts the choice, such as ``"elbow=up"``.
            target: The name of the pose in error messages.

        Raises:
            OutOfReach: No solution; it has the reason and the amount.
        """
        return self._inverse.nearest(pose, self.home if near is None else near, configuration, target)

    def solutions(self, pose: Pose, near: Sequence[float] | None = None) -> "list[Solution]":
        """All solutions within the limits, nearest first: one for each configuration, in the nearest turns."""
        return self._inverse.all(pose, self.home if near is None else near)

    def reach(self, pose: Pose, configuration: "Choice" = None) -> "Reach":
        """Whether a pose can be reached; if not, the reason and the amount."""
        return self._inverse.reach(pose, configuration)

    def configuration(self, joints: Sequence[float]) -> "Configuration":
        """The configuration with some joints, such as ``shoulder=right, elbow=up``; empty if the arm has no names."""
        return self._inverse.configuration(joints)

    def wanted(self, choice: "Choice") -> tuple[tuple[str, str], ...]:
        """The answers that a choice asks for: ``(("elbow", "up"),)``. Raises UnknownName or MotionError."""
        return self._inverse.questions.asked(choice)

    def singularity(self, joints: Sequence[float]) -> str:
        """The singularity that is near some joints, such as ``"wrist"``; empty if none is, or if it has no name."""
        return self._inverse.singularity(joints)

    def pose_at(self, position: Vector, pitch: float, roll: float, tool: Pose | None = None) -> Pose:
        """The flange pose of a 5-axis arm for a tool position (m), a pitch and a roll (rad).

        A pitch of −90° is straight down.
        """
        return self._inverse.pose_at(position, pitch, roll, tool)

    # ---------------------------------------------------------------- printing

    def __str__(self) -> str:
        return table(self)

    # ---------------------------------------------------------------- inside

    @cached_property
    def _forward(self) -> kinematics.Forward:
        return kinematics.forward(self.links)

    @cached_property
    def _between(self) -> Callable[[int, int], tuple[Array, Array]]:
        lower, upper = [joint.lower for joint in self.joints], [joint.upper for joint in self.joints]

        @cache
        def between(one: int, other: int) -> tuple[Array, Array]:
            common = kinematics.last_common(self.links, one, other)
            levers = [kinematics.link_levers(self.links, each, lower, upper, common) for each in (one, other)]
            turns = [kinematics.link_turns(self.links, each, self.dof, common) for each in (one, other)]
            return np.stack(levers, axis=1), np.stack(turns, axis=1)

        return between

    @cached_property
    def _model(self) -> kinematics.PinModel:
        return kinematics.PinModel(self)

    @cached_property
    def _inverse(self) -> "Inverse":
        from drycell.robots.inverse import Inverse

        return Inverse(self)

    def _check(self) -> None:
        for what, names in (
            ("joints", [joint.name for joint in self.joints]),
            ("links", [link.name for link in self.links]),
            ("frames", ["flange", *(name for name, _ in self.frames)]),
        ):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise MechanismError(f"{self.name} has two {what} called {twice[0]!r}")
        driven: set[int] = set()
        for place, link in enumerate(self.links):
            if not BASE <= link.parent < place:
                raise MechanismError(f"{self.name}: link {link.name!r} must come after its parent")
            for drive in link.drives:
                if not 0 <= drive.joint < self.dof:
                    raise MechanismError(f"{self.name}: link {link.name!r} is driven by joint number {drive.joint}")
                if drive.kind != self.joints[drive.joint].kind and drive.ratio == 1.0:
                    raise MechanismError(
                        f"{self.name}: joint {self.joints[drive.joint].name!r} is {self.joints[drive.joint].kind}, "
                        f"but its drive of link {link.name!r} is {drive.kind}",
                        hint="give the drive a ratio if a rotation causes a shift, or change one of the two",
                    )
                driven.add(drive.joint)
        idle = [joint.name for number, joint in enumerate(self.joints) if number not in driven]
        if idle:
            raise MechanismError(f"{self.name}: joint {idle[0]!r} moves no link")
        for name, mark in (("flange", self.flange), *self.frames):
            if not BASE <= mark.link < len(self.links):
                raise MechanismError(f"{self.name}: frame {name!r} is on link number {mark.link}, which does not exist")
        try:
            self.check_joints(self.home)
        except MotionError as error:
            raise MechanismError(f"the home position of {error.what}", hint=error.hint) from None


def table(mechanism: "Mechanism") -> str:
    """A table of joints with limits and speeds, and of links with parent and origin, in degrees and millimetres."""
    joints = [("joint", "kind", "limits", "home", "speed", "acceleration")]
    for joint, home in zip(mechanism.joints, mechanism.home, strict=True):
        scale = deg if joint.revolute else mm
        joints.append(
            (
                joint.name,
                joint.kind,
                joint.range,
                joint.show(home),
                f"{joint.speed / scale:.1f} {joint.unit}/s",
                f"{joint.acceleration / scale:.0f} {joint.unit}/s²",
            )
        )
    links = [("link", "on", "moved by", "at, mm", "turned rpy, deg")]
    for link in mechanism.links:
        links.append(
            (
                link.name,
                "base" if link.parent < 0 else mechanism.links[link.parent].name,
                ", ".join(mechanism.joints[drive.joint].name for drive in link.drives) or "–",
                ", ".join(f"{_zero(v / mm):.1f}" for v in link.origin.position),
                ", ".join(f"{_zero(v / deg):.1f}" for v in link.origin.rpy),
            )
        )
    flange = "base" if mechanism.flange.link < 0 else mechanism.links[mechanism.flange.link].name
    x, y, z = (_zero(v / mm) for v in mechanism.flange.pose.position)
    counts = [(mechanism.dof, "joint"), (len(mechanism.links), "link")]
    counted = ", ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts)
    lines = [f"{mechanism.name}: {counted}", "", *_aligned(joints), ""]
    lines += [*_aligned(links), "", f"flange on {flange} at {x:.1f}, {y:.1f}, {z:.1f} mm"]
    if mechanism.frames:
        lines.append("frames " + ", ".join(name for name, _ in mechanism.frames))
    if mechanism.questions:
        lines.append("configurations " + ", ".join(f"{k}={a}|{b}" for k, (a, b) in mechanism.questions))
    if mechanism.gripper is not None:
        lines.append("gripper " + ", ".join(mechanism.gripper.link_names))
    if mechanism.source:
        lines.append(f"source {' '.join(mechanism.source.split())}")
    lines += [f"note {note}" for note in mechanism.notes]
    return "\n".join(lines)


def _zero(value: float) -> float:
    """The value, or 0 if it would be printed as ``-0.0``."""
    return 0.0 if abs(value) < 0.05 else value


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
