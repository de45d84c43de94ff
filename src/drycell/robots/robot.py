"""Robots: a mechanism in the world with a controller, a gripper and a tool, which programs command."""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self, cast

from drycell.base import (
    IDENTITY,
    Amount,
    CellFileError,
    Describer,
    DrycellError,
    FieldError,
    FileName,
    InvalidThing,
    MechanismError,
    MotionError,
    Name,
    Naming,
    Pose,
    Problem,
    ProgramError,
    Roles,
    Type,
    UnknownName,
    Vector,
    described,
    did_you_mean,
    format_length,
    mm,
    s,
    with_article,
    within,
)
from drycell.cell import Live, Stage, Standing, top_of
from drycell.handling import Gripper, Holder, PatternPlace, RestingBox, part_meant
from drycell.kernel import Condition, Kernel, Signal, Track, in_program, work
from drycell.robots.ahead import Ahead, farther
from drycell.robots.arguments import shown
from drycell.robots.arm import Arm
from drycell.robots.borrowed_solids import with_solids
from drycell.robots.catalogue import is_urdf, load_robot, robot_from_file, robot_names
from drycell.robots.controller import MotionController
from drycell.robots.coordination import Axis, Group, axis_end, shown_joints, together
from drycell.robots.description import JointValue
from drycell.robots.execution import Execution, Follower, MoveCommand, Planner
from drycell.robots.links import Joint
from drycell.robots.maker_motion import usual_motion
from drycell.robots.mechanism import Mechanism
from drycell.robots.move import Move
from drycell.robots.pace import MovePace, joint_pace, path_pace
from drycell.robots.palette import link_looks
from drycell.robots.payload import PayloadCheck
from drycell.robots.picking import parts_of_kind, place_pose
from drycell.robots.plan import MoveKind, Plan
from drycell.robots.solution import OutOfReach, Reach
from drycell.robots.supervision import check_configuration
from drycell.robots.target import Place, Spot, approach, check_listed, name_of, pose_of
from drycell.robots.tool import AnyTool, MountedTool, Tool, mounted
from drycell.robots.tool_station import LiveToolStation
from drycell.world import Linkage, LiveBody, LiveWorkpoint, PartTracking, World

if TYPE_CHECKING:
    from drycell.base import Plain
    from drycell.cell import Cell
    from drycell.robots.solution import Choice, Configuration

_APPROACH = 80 * mm
_SLOW = 100 * mm / s
_UPWARDS = 0.7  # the z component of a tool that points up, by less than 45 degrees
_SAME_TURN = 1e-6  # grasps that differ by less (radians of turn, or seconds of joint travel) are equally near


@dataclass(frozen=True)
class _LibraryName(Naming):
    """The name of a robot of the library; in Python, a mechanism is also allowed."""

    def take(self, written: "Plain") -> str:
        """Read a name."""
        return Naming().check(written)

    def check(self, value: Any) -> Any:
        """Check a mechanism or a name."""
        return value if isinstance(value, Mechanism) else Naming().check(value)

    def write(self, value: str | Mechanism) -> "Plain":
        """Write the name. Raises CellFileError for a mechanism, which has no name in files."""
        if isinstance(value, str):
            return value
        raise CellFileError(
            f"the mechanism {value.name!r} is not from the library, so a cell file cannot name it",
            hint="use the name of a robot of the library (drycell robots), or a robot file: Robot(file=…)",
        )

    def schema(self, describer: Describer) -> dict[str, Any]:
        """One of the names in the library."""
        return {"type": "string", "enum": robot_names()}


@dataclass(frozen=True)
class _ArgumentType(Type):
    """The value of an argument: text, such as a quantity with its unit; in Python, also a number in SI units."""

    def take(self, written: "Plain") -> str:
        """Read text."""
        if isinstance(written, str):
            return written
        raise FieldError(f"expected text, got {described(written)}", hint="write for example '4 m', or 'ur5e'")

    def check(self, value: Any) -> Any:
        """Check text or a number."""
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return value
        raise FieldError(f"expected text or a number, got {value!r}", hint="write for example 4*m")

    def write(self, value: str | float) -> "Plain":
        """Write it unchanged: a number was given its unit earlier."""
        return value

    def schema(self, describer: Describer) -> dict[str, Any]:
        """A text."""
        return {"type": "string"}


Library = Annotated[str | Mechanism, _LibraryName()]
Argument = Annotated[str | float, _ArgumentType()]


class Robot(
    Standing,
    kind="robot",
    section="robots",
    stage=Stage.ROBOTS,
    kw_only=False,
    icon="precision_manufacturing",
    example={"model": "ur5e", "gripper": "robotiq-2f-85"},
):
    """A robot: an arm, a gantry, a machine tool or a measuring machine, with its gripper or tool.

    >>> from drycell import Cell, Pose, Robot, deg
    >>> cell = Cell()
    >>> arm = cell.add("arm", Robot("ur5e", gripper="robotiq-2f-85"))
    >>> @cell.program
    ... def reach():
    ...     arm.move(Pose.of_rpy(180*deg, 0, 0, at=(0.4, 0.1, 0.3)))
    >>> len(cell.run().moves["arm"])
    1
    """

    model: Library | None = None
    """The robot, by its name in the library; with ``file``, a model of a family, or data for a URDF's solids."""
    file: FileName | None = None
    """A robot file, family file or URDF file that describes it, instead of one from the library."""
    tip: str | None = None
    """The link of a URDF file that the flange is on; by default the last one before the fingers of a gripper."""
    packages: dict[str, FileName] | None = None
    """Folders of packages by name, for ``package://`` addresses in a URDF file."""
    arguments: dict[str, Argument] | None = None
    """Values of the arguments of the robot, such as ``{travel: 4 m}`` of a track, or of a xacro file."""
    tool: AnyTool | None = None
    """The tool in use at the start, or only its centre point; by default the gripper, or the first of ``tools``."""
    gripper: AnyTool | None = None
    """A gripper on the flange, by its name in the library; by default the one that a URDF file has."""
    tools: Mapping[Name, AnyTool] | None = None
    """Additional tools on the flange by name. A program selects one of them with ``arm.tool = "torch"``."""
    controller: MotionController | None = None
    """How it plans its motions; by default ``standard``, with the settings that its maker publishes."""
    joints: tuple[JointValue, ...] | None = None
    """Joint values it starts at; its home position by default."""

    def problems(self) -> Iterable[Problem]:
        """``model`` or ``file`` must be given; both, for one model of a family file or for solids from a URDF file."""
        yield from super().problems()
        hint = "name a robot of the library as 'model', or a file that describes one as 'file'"
        if self.model is None and self.file is None:
            yield Problem((), "neither 'model' nor 'file' is given", hint)
        elif self.file is not None and isinstance(self.model, Mechanism):
            yield Problem((), "'model' and 'file' are both given", hint)
        if self.file is None or not is_urdf(self.file):
            for field in ("tip", "packages"):
                if getattr(self, field) is not None:
                    yield Problem((field,), "is only for URDF files", "remove it, or give the URDF file as 'file'")
        for field in ("gripper", "tool"):
            if field in (self.tools or {}) and getattr(self, field) is not None:
                yield Problem(("tools", field), f"there is already a {field!r}", "choose another name")
        if self.gripper is not None and cast(Tool, self.gripper).is_frame:
            hint = "write for example 'gripper: robotiq-2f-85', or use 'tool' for a tool centre point"
            yield Problem(("gripper",), "neither 'model' nor 'file' is given", hint)

    def offers(self, name: str) -> Roles:
        """The robot and its links as bodies, and its signals."""
        signals = [f"{name}.motion"]
        for called, tool in self.mounted_tools():
            signals += tool.signals(f"{name}/{called}")
        if self.gripper is None and self.file is not None and is_urdf(self.file):
            signals += [f"{name}/gripper.holding", f"{name}/gripper.moving"]
        return {name: ("robot", "body"), f"{name}/": ("body",), **dict.fromkeys(signals, ("signal",))}

    def as_written(self) -> Self:
        """Add the units of the joints to joint values from Python, which have none."""
        written, bare = super().as_written(), [each for each in self.joints or () if _dimension(each) is None and each]
        bare += [each for each in (self.arguments or {}).values() if not isinstance(each, str)]
        if not bare or self.model is None or self.file is not None:
            return written
        try:
            mechanism = self.model if isinstance(self.model, Mechanism) else load_robot(self.model, self.arguments)
        except DrycellError:  # reported when the robot is built
            return written
        given = None if self.arguments is None else self._with_arguments(mechanism)
        return written.changed(joints=None if self.joints is None else self._with_units(mechanism), arguments=given)

    def build(self, cell: "Cell", name: str) -> "LiveRobot":
        """Build the robot, then its gripper and its tool."""
        mechanism = self._mechanism(cell)
        if self.arguments is not None:
            # Add units to the values, so that they can be saved.
            object.__setattr__(self, "arguments", self._with_arguments(mechanism))
        if self.joints is not None:
            self._check_units(mechanism)
            # Add units to the values, so that they can be saved.
            object.__setattr__(self, "joints", self._with_units(mechanism))
        carrier, pose = None, self.pose
        if self.on is not None:
            carrier = cell.world.body(self.on)
            pose = top_of(carrier) @ pose
        elif self.parent is not None:
            carrier = cell.world.body(self.parent)
        made = LiveRobot(
            cell.kernel,
            cell.world,
            name,
            mechanism,
            controller=None if self.controller is None else self.controller.changed(),  # a copy
            on=carrier,
            at=pose,
            joints=None if self.joints is None else tuple(map(float, self.joints)),
            tracking=cell.part_tracking,
        )
        made.file = None if self.file is None else cell.folder / self.file
        if self.gripper is None and mechanism.gripper is not None:
            made.mount("gripper", Tool(mechanism.gripper), cell)
        for called, tool in self.mounted_tools():
            with within(*((called,) if called in ("gripper", "tool") else ("tools", called))):
                made.mount(called, tool, cell)
        return made

    def mounted_tools(self) -> Iterator[tuple[str, Tool]]:
        """The tools on the flange by name: ``gripper``, those of ``tools``, and ``tool``."""
        for called, tool in (("gripper", self.gripper), *(self.tools or {}).items(), ("tool", self.tool)):
            if tool is not None:
                yield called, cast(Tool, tool)

    def _mechanism(self, cell: "Cell") -> Mechanism:
        if isinstance(self.model, Mechanism):
            return self.model
        if self.file is None:
            return self._loaded(load_robot, cast(str, self.model))
        path = cell.folder / self.file
        if not path.is_file():
            there = sorted(each.name for each in path.parent.iterdir()) if path.parent.is_dir() else []
            hint = did_you_mean(path.name, there)
            raise InvalidThing(Robot, [Problem(("file",), f"there is no file {self.file!r}", hint)])
        packages = {name: cell.folder / folder for name, folder in (self.packages or {}).items()}
        if self.model is None or not is_urdf(self.file):
            return self._loaded(robot_from_file, path, self.model, tip=self.tip, packages=packages)
        source = self._loaded(robot_from_file, path, tip=self.tip, packages=packages)
        return with_solids(load_robot(self.model), source, self.file)

    def _loaded(self, load: Callable[..., Mechanism], *what: Any, **options: Any) -> Mechanism:
        """Load the mechanism; an error in its arguments is reported at the arguments."""
        try:
            return load(*what, **options, arguments=self.arguments)
        except (UnknownName, MechanismError) as error:
            name = next((each for each in self.arguments or () if repr(each) in error.what), None)
            if name is None:
                raise
            raise InvalidThing(Robot, [Problem(("arguments", name), error.what, error.hint)]) from None

    def _with_arguments(self, mechanism: Mechanism) -> dict[str, str]:
        """The arguments as text, with units."""
        known = dict(mechanism.arguments)
        return {
            name: each if isinstance(each, str) else shown(known[name]) if name in known else str(each)
            for name, each in (self.arguments or {}).items()
        }

    def _check_units(self, mechanism: Mechanism) -> None:
        found = []
        for number, (joint, value) in enumerate(zip(mechanism.joints, self.joints or (), strict=False)):
            written, wanted = _dimension(value), _wanted(joint)
            if written not in (None, wanted):
                what = f"joint {joint.name!r} needs {with_article(wanted)}, not {with_article(str(written))}"
                found.append(Problem(("joints", number), what))
        if found:
            raise InvalidThing(Robot, found)

    def _with_units(self, mechanism: Mechanism) -> tuple[Amount, ...]:
        """The joint values, with the dimensions of their joints."""
        typed = []
        for value, joint in zip_longest(self.joints or (), mechanism.joints[: len(self.joints or ())]):
            typed.append(Amount(value, _dimension(value) or (None if joint is None else _wanted(joint))))
        return tuple(typed)


def _dimension(value: float) -> str | None:
    return value.dimension if isinstance(value, Amount) else None


def _wanted(joint: Joint) -> str:
    return "angle" if joint.revolute else "length"


Axes = Mapping["LiveRobot", float | Sequence[float]]
"""External axes that move with a robot, and the joint values that they go to."""


class LiveRobot:
    """A robot in a running cell: an arm, a gantry, a machine tool or a measuring machine, with its gripper or tool.

    Programs command it, and commands take cell time. Only one program at a time can command the robot: a command from
    another program while it moves raises MotionError. All moves have these options:

    * Without options, a move returns when the arm is at rest.
    * With ``zone`` (metres), it returns when the TCP is that close to the target. If the next move is commanded at that
      instant, the two are blended; otherwise the arm stops at the target.
    * With ``acceleration``, it accelerates and brakes with that. With ``time`` (seconds), it takes exactly that long.
    * With ``wait=False``, it returns at once, and the next command waits until this move would have returned.
    * With ``until=condition``, the move is guarded: it begins and ends at rest, stops when the condition becomes true,
      and returns a :class:`Move` with the time and the pose of that event. If the condition is already true, the guard
      fires at once and the arm does not move.
    """

    def __init__(
        self,
        kernel: Kernel,
        world: World,
        name: str,
        mechanism: Mechanism,
        *,
        controller: MotionController | None = None,
        on: LiveBody | None = None,
        at: Pose = IDENTITY,
        tool: Pose = IDENTITY,
        joints: Sequence[float] | None = None,
        material: str = "steel",
        tracking: PartTracking | None = None,
    ) -> None:
        start = mechanism.home if joints is None else tuple(joints)
        self.model_name = mechanism.name
        """The name of its model: ``puma560``, ``box-frame/hand``."""
        self.file: Path | None = None
        """The file that describes it; None for a robot of the library."""
        self.mechanism = mechanism if mechanism.name == name else mechanism.renamed(name)
        self.mechanism.check_joints(start)
        self.name, self.controller = name, controller or usual_motion(mechanism).controller
        self.override = 1.0
        self.speed_scaling = 1.0
        self.frame: Pose | LiveWorkpoint | LiveBody = IDENTITY
        self._kernel, self._world = kernel, world
        sheet = mechanism.data
        own = mechanism.name.partition("/")[0]
        skins = link_looks(own, sheet.maker if sheet is not None else "", len(self.mechanism.links))
        root = self.mechanism.base
        base = LiveBody(f"{name}/base", root, material, deviation=self.mechanism.base_deviation, look=skins[0])
        self.base = world.add(base, on, at)
        links = [
            LiveBody(f"{name}/{link.name}", link.shape, material, deviation=link.deviation, look=skin)
            for link, skin in zip(self.mechanism.links, skins[1:], strict=True)
        ]
        self.linkage = Linkage(world, name, self.mechanism, self.base, links, start)
        world.add_linkage(self.linkage)
        mark = self.mechanism.flange
        self.flange = world.add(
            LiveBody(f"{name}/flange"), links[mark.link] if mark.link >= 0 else self.base, mark.pose
        )
        self._arms: dict[Pose, Arm] = {}
        self._groups: dict[Hashable, Arm] = {}
        self.tool = tool
        self._execution = Execution(kernel, world, self.linkage)
        self.tools: dict[str, Holder | MountedTool] = {}
        """The tools on the flange by name, in the order in which they were mounted."""
        self._mounts: dict[str, Pose] = {}  # where each tool is, relative to the flange
        self._taken: dict[str, None] = {}  # the tool from a station, if any
        self._selected: str | None = None  # the tool in use; None if the TCP was set as a pose
        self._picked: tuple[Holder, Pose, Vector] | None = None  # with what, the TCP from the top of the part, its size
        self._tracking = tracking
        self._payload = PayloadCheck(kernel, name, mechanism.data.payload if mechanism.data else None)

    @property
    def body(self) -> LiveBody:
        """The base, which carries all links."""
        return self.base

    @property
    def carrier(self) -> LiveBody | None:
        """The link of an external axis that carries what stands ``on`` the axis; None for other robots."""
        data, link = self.mechanism.data, self.mechanism.flange.link
        return self.linkage.links[link] if data is not None and "external" in data.category and link >= 0 else None

    # ---------------------------------------------------------------- state, now

    @property
    def joints(self) -> tuple[float, ...]:
        """The joint values now."""
        return tuple(self.linkage.joints())

    @property
    def pose(self) -> Pose:
        """The TCP pose in the world now."""
        return self._world.pose(self.flange) @ self.tool

    @property
    def configuration(self) -> "Configuration":
        """The configuration of the arm now, such as ``shoulder=right, elbow=up``; empty if it has no names."""
        return self.mechanism.configuration(self.joints)

    @property
    def flange_pose(self) -> Pose:
        """The flange pose in the world now."""
        return self._world.pose(self.flange)

    @property
    def here(self) -> LiveWorkpoint:
        """The current TCP pose as a fixed target: ``shifted(robot.here, z=50*mm)``."""
        return LiveWorkpoint(f"{self.name}'s place", None, self.pose)

    @property
    def moving(self) -> bool:
        """Whether the arm is moving now."""
        return self._execution.moving

    @property
    def still(self) -> Condition:
        """The condition that the arm is at rest: ``wait(robot.still)``, in any program."""
        return self._execution.still

    @property
    def motion(self) -> "Signal[str]":
        """The signal ``<name>.motion``: "still", "moving", or "passing" in a zone."""
        return self._execution.motion

    @property
    def moves(self) -> Track[Move]:
        """All moves so far, in order, for example to read cycle times."""
        return self._execution.moves

    @property
    def tool(self) -> Pose:
        """The TCP frame relative to the flange. Set it to a pose, or to the name of one of the ``tools``.

        A change takes effect with the next move.
        """
        return self._arm.tool

    @tool.setter
    def tool(self, tool: Pose | str) -> None:
        self._selected = None
        if isinstance(tool, str):
            if tool not in self.tools:
                raise UnknownName(f"tool of {self.name}", tool, self.tools)
            self._selected = tool
            if in_program():
                self._kernel.journal.write("selects", self.name, tool=tool)
            tool = self._mounts[tool]
        # One arm for each tool: cached plans are found by it.
        self._arm = self._arms.setdefault(tool, Arm(self.name, self.mechanism, tool))

    @property
    def override(self) -> float:
        """The speed override (0…1) of all commanded speeds. A change takes effect with the next move."""
        return self._override

    @override.setter
    def override(self, fraction: float) -> None:
        self._override = self._fraction_of_speed(fraction, "override speeds by")

    @property
    def speed_scaling(self) -> float:
        """The pace (0…1) at which planned moves run, like the speed slider of Universal Robots.

        At 0.5, every move takes twice the time on the same path: its speeds are halved, and its accelerations are a
        quarter. Zones are blended again at the lower speed. An ``override`` lowers speeds only. A change takes effect
        with the next move.
        """
        return self._speed_scaling

    @speed_scaling.setter
    def speed_scaling(self, fraction: float) -> None:
        self._speed_scaling = self._fraction_of_speed(fraction, "scale speeds by")

    def _fraction_of_speed(self, fraction: float, verb: str) -> float:
        if not 0.0 < fraction <= 1.0:
            raise MotionError(f"{self.name} cannot {verb} {fraction:g}", hint="give a fraction above 0, up to 1")
        return fraction

    def place_of(self, target: Place) -> Pose:
        """Return where a target is in the world now.

        Args:
            target: A target, as for :meth:`move`. A bare pose is relative to the robot's user ``frame``.

        Raises:
            UnknownName: There is no workpoint or body with that name.
            MotionError: It is not a valid target.
        """
        return self._place(target, self._world)

    def _place(self, target: Place, world: World | Ahead) -> Pose:
        found = pose_of(target, world, _frame_pose(self.frame, world))
        if (
            found.direction((0.0, 0.0, 1.0))[2] > _UPWARDS > self.pose.direction((0.0, 0.0, 1.0))[2]
            and self.has_gripper
        ):
            text = (
                f"the tool points up at {name_of(target)}: the z axis of a target is the direction in which it points"
            )
            self.warn(text)
        return found

    def reach(self, target: Place) -> Reach:
        """Return whether the TCP reaches a target from where the base is now, and if not, why.

        If an external axis that carries the robot would help, the hint says how far it has to go.

        Args:
            target: A target, as for :meth:`move`.

        Raises:
            UnknownName: There is no workpoint or body with that name.
            MotionError: It is not a valid target.
        """
        place = pose_of(target, self._world, _frame_pose(self.frame, self._world))
        verdict = self.mechanism.reach(self._arm.flange(self._in_base(place)))
        hint = None if verdict else farther(self._arm, self.base, place, self._world, {})
        return verdict if hint is None else replace(verdict, hint=hint)

    def pose_at(self, position: Vector, pitch: float, roll: float) -> Pose:
        """Return a target in the world that a 5-axis arm can reach.

        Args:
            position: Where the TCP is in the world, in metres.
            pitch: The pitch of the tool, in radians; ``-90*deg`` points down.
            roll: The rotation about the tool's own axis, in radians.
        """
        X_WB = self._world.pose(self.base)
        flange = self.mechanism.pose_at(X_WB.inverse().point(position), pitch, roll, self.tool)
        return X_WB @ flange @ self.tool

    # ---------------------------------------------------------------- commands

    def move(
        self,
        target: Place | Sequence[float],
        speed: float | str | None = None,
        *,
        acceleration: float | str | None = None,
        time: float | None = None,
        zone: float = 0.0,
        until: "Condition | Signal[bool] | None" = None,
        configuration: "Choice" = None,
        axes: "Axes | None" = None,
        wait: bool = True,
    ) -> Move:
        """Move the TCP to a target, or the joints to joint values, with a joint move.

        Args:
            target: A pose, a workpoint, a body (its top, with the tool pointing down), the name of a workpoint or body,
                a shifted target such as ``above(part, 80*mm)``, or a list of joint values in radians or metres.
            speed: The fraction of the joints' maximum speed: above 0, up to 1. Or a speed that no joint exceeds, with
                its unit: ``"60 deg/s"``. By default that of the motion controller, which usually is 1.
            acceleration: The fraction of the joints' accelerations, or an acceleration that no joint exceeds:
                ``"80 deg/s^2"``. By default that of the motion controller.
            time: The duration in seconds, instead of a speed.
            zone: The distance to the target, in metres, from which the next move may be blended in; 0 stops at the
                target.
            until: A condition or signal that stops the move when it becomes true: a guarded move.
            configuration: Which solution of the inverse kinematics to use, such as ``"elbow=up"``; by default the
                nearest.
            axes: External axes that move with the arm, and their joint values: ``axes={track: 1.2*m}``, or a list for
                an axis with several joints. All start and end together. The target is where it is at the end.
            wait: Whether to block until the arm is at rest or in the zone. A guarded move always blocks.

        Returns:
            The move, with its times and, if guarded, where the condition became true.

        Raises:
            MotionError: The target is invalid or out of reach, an argument is out of range, or the robot is moving for
                another program.
            UnknownName: There is no workpoint or body with that name.
        """
        if not isinstance(target, (Pose, LiveWorkpoint, LiveBody, Live, Spot, str)):
            check_listed(target, self._world)
            return self.move_joints(
                target, speed, acceleration=acceleration, time=time, zone=zone, until=until, axes=axes, wait=wait
            )
        group = self._group(axes)
        pace = joint_pace(self, speed, acceleration, time, group.arm)
        place, name = self._place(target, group.ahead), name_of(target)

        def plan(start: Sequence[float]) -> Plan:
            pose, near = self._arm.flange(self._in_base(place, group.ahead)), start[: self.mechanism.dof]
            try:
                found = self.mechanism.inverse(pose, near=near, configuration=configuration, target=name)
            except OutOfReach as error:
                raise self._with_axes(error, name, place, group) from None
            return pace.joint_move(self.controller, group.arm, start, (*found.joints, *group.end))

        return self._command("joint", name, plan, zone, until, wait, place, pace, group)

    def move_joints(
        self,
        joints: Sequence[float],
        speed: float | str | None = None,
        *,
        acceleration: float | str | None = None,
        time: float | None = None,
        zone: float = 0.0,
        until: "Condition | Signal[bool] | None" = None,
        axes: "Axes | None" = None,
        wait: bool = True,
    ) -> Move:
        """Move the joints to joint values.

        Args:
            joints: One value per joint, in radians for a revolute joint and in metres for a linear one.
            speed: As for :meth:`move`.
            acceleration: As for :meth:`move`.
            time: As for :meth:`move`.
            zone: As for :meth:`move`.
            until: As for :meth:`move`.
            axes: As for :meth:`move`.
            wait: As for :meth:`move`.

        Returns:
            The move, as for :meth:`move`.

        Raises:
            MotionError: As for :meth:`move`, or the number of values is wrong.
        """
        end = tuple(float(value) for value in joints)
        if len(end) == 3 != self.mechanism.dof:
            raise MotionError(
                f"{self.name} has {self.mechanism.dof} joints, but 3 values were given",
                hint=f"give {', '.join(self.mechanism.joint_names)}; to go to a position with the tool down, use "
                "move(Pose(x, y, z) @ Pose.turn_x(180*deg))",
            )
        self.mechanism.check_joints(end)
        group = self._group(axes)
        pace = joint_pace(self, speed, acceleration, time, group.arm)

        def plan(start: Sequence[float]) -> Plan:
            return pace.joint_move(self.controller, group.arm, start, (*end, *group.end))

        return self._command("joint", shown_joints(self.mechanism, end), plan, zone, until, wait, None, pace, group)

    def move_linear(
        self,
        target: Place,
        speed: float | str | None = None,
        *,
        acceleration: float | str | None = None,
        time: float | None = None,
        zone: float = 0.0,
        until: "Condition | Signal[bool] | None" = None,
        configuration: "Choice" = None,
        wait: bool = True,
    ) -> Move:
        """Move the TCP in a straight line to a target.

        Args:
            target: As for :meth:`move`, except for joint values.
            speed: The speed of the TCP in m/s, for example ``150*mm/s``; by default that of the motion controller.
            acceleration: The acceleration of the TCP in m/s²; by default that of the motion controller.
            time: The duration in seconds, instead of a speed.
            zone: As for :meth:`move`.
            until: As for :meth:`move`.
            configuration: What the configuration must be; the move keeps the present one, and is refused if it differs.
            wait: As for :meth:`move`.

        Returns:
            The move, as for :meth:`move`.

        Raises:
            MotionError: As for :meth:`move`, or the arm cannot follow the line.
        """
        place, name, pace = self.place_of(target), name_of(target), path_pace(self, speed, acceleration, time)

        def plan(start: Sequence[float]) -> Plan:
            check_configuration(self.name, self.mechanism, start, configuration, name)
            return pace.linear_move(self.controller, self._arm, start, self._in_base(place), name)

        return self._command("linear", name, plan, zone, until, wait, place, pace)

    def move_circular(
        self,
        via: Place,
        target: Place,
        speed: float | str | None = None,
        *,
        acceleration: float | str | None = None,
        time: float | None = None,
        zone: float = 0.0,
        until: "Condition | Signal[bool] | None" = None,
        configuration: "Choice" = None,
        wait: bool = True,
    ) -> Move:
        """Move the TCP along an arc through a point to a target. The orientation changes evenly from start to target.

        Args:
            via: The point of the arc between start and target, given as a target; its orientation is ignored.
            target: As for :meth:`move`, except for joint values.
            speed: The speed of the TCP in m/s, for example ``150*mm/s``; by default that of the motion controller.
            acceleration: The acceleration of the TCP in m/s²; by default that of the motion controller.
            time: The duration in seconds, instead of a speed.
            zone: As for :meth:`move`.
            until: As for :meth:`move`.
            configuration: What the configuration must be; the move keeps the present one, and is refused if it differs.
            wait: As for :meth:`move`.

        Returns:
            The move, as for :meth:`move`.

        Raises:
            MotionError: As for :meth:`move`, or the arm cannot follow the arc.
        """
        place, name = self.place_of(target), name_of(target)
        over, pace = self.place_of(via), path_pace(self, speed, acceleration, time)

        def plan(start: Sequence[float]) -> Plan:
            check_configuration(self.name, self.mechanism, start, configuration, name)
            pose, middle = self._in_base(place), self._in_base(over).position
            return pace.circular_move(self.controller, self._arm, start, middle, pose, name)

        return self._command("circular", name, plan, zone, until, wait, place, pace)

    def home(self, speed: float | str | None = None) -> Move:
        """Move the joints to the home position; ``speed`` is as for :meth:`move`."""
        return self.move_joints(self.mechanism.home, speed)

    def stop(self) -> None:
        """Stop the arm with its controller's deceleration, whichever program moves it; block until it is at rest."""
        self._execution.stop(self.controller)
        if in_program():
            work(self.still)

    def wait_still(self) -> None:
        """Block until the arm is at rest."""
        work(self.still)

    def put(self, joints: Sequence[float]) -> None:
        """Set the joints at once, without a move; for setting up a cell.

        Args:
            joints: One value per joint, in radians for a revolute joint and in metres for a linear one.

        Raises:
            MotionError: The robot is moving, the number of values is wrong, or a value is past its limit.
        """
        if self.moving:
            raise MotionError(f"{self.name} is moving, so its joints cannot be set", hint="wait_still() first")
        self.mechanism.check_joints(joints)
        self._execution.place([float(value) for value in joints])

    def warn(self, text: str) -> None:
        """Write a warning about this robot to the journal.

        Args:
            text: The warning.
        """
        self._kernel.warn(self.name, text)

    # ---------------------------------------------------------------- handling

    @property
    def gripper(self) -> Holder:
        """The gripper in use: the selected tool or, if that is not a gripper, the only one that is mounted.

        It has jaws, vacuum cups or a magnet; :attr:`fingers` is the same if it has jaws. Raises MotionError if there is
        none, or if there are several and none is selected.
        """
        selected = None if self._selected is None else self.tools[self._selected]
        if isinstance(selected, Holder):
            return selected
        found = {called: tool for called, tool in self.tools.items() if isinstance(tool, Holder)}
        if not found:
            raise MotionError(
                f"{self.name} has no gripper",
                hint=f'give it one: cell.add({self.name!r}, Robot(…, gripper="robotiq-2f-85"))',
            )
        if len(found) > 1:
            raise MotionError(
                f"{self.name} has {len(found)} grippers ({', '.join(found)}), and none of them is selected",
                hint=f"select one first: {self.name}.tool = {next(iter(found))!r}",
            )
        return next(iter(found.values()))

    @property
    def fingers(self) -> Gripper:
        """The gripper in use, if it has jaws, with their gap and opening. Raises MotionError if it has none."""
        gripper = self.gripper
        if not isinstance(gripper, Gripper):
            raise MotionError(
                f"{gripper.name} has no jaws, so it has no gap",
                hint="use close() and open(), or a gripper with fingers",
            )
        return gripper

    @property
    def has_gripper(self) -> bool:
        """Whether a gripper of any kind is mounted."""
        return any(isinstance(tool, Holder) for tool in self.tools.values())

    @property
    def has_fingers(self) -> bool:
        """Whether the gripper in use has jaws."""
        try:
            return isinstance(self.gripper, Gripper)
        except MotionError:
            return False

    def mount(self, called: str, tool: Tool, cell: "Cell") -> None:
        """Attach a tool to the flange. The first one is selected, and so is each tool called ``tool``.

        Args:
            called: Its name; its bodies are called ``<robot>/<name>/…``.
            tool: What is mounted, and where.
            cell: The cell that the robot is in.

        Raises:
            UnknownName: The library has no such tool.
            FileError: The file of the tool cannot be read, or has mistakes.
        """
        name = f"{self.name}/{called}"
        if tool.is_frame:
            made: Holder | MountedTool = MountedTool(name, tool.pose)
            self._mounts[called] = tool.pose
        else:
            made = mounted(cell, name, tool.described(cell), self.flange, tool.pose)
            self._mounts[called] = made.tcp if tool.pose == IDENTITY else tool.pose @ made.tcp
            self._payload.add(called, made)
        self.tools[called] = made
        if len(self.tools) == 1 or called == "tool":
            self.tool = called

    def pick(
        self,
        part: LiveBody | str | PatternPlace,
        *,
        on: LiveBody | Live[Any] | str | None = None,
        distance: float | None = None,
        speed: float = _SLOW,
    ) -> LiveBody:
        """Pick a part from above: open the gripper, approach, close it, and depart.

        A kind of part stands for the nearest part of that kind that can be picked: no gripper holds it, it is at rest,
        nothing lies on it, it is not on a pallet or in a store already, and the arm reaches it. Nearest is the part
        whose grasp is closest to the TCP; of several at the same distance, to the micrometre, the first by name.

        Jaws close on the narrower side of the part. Of the two ways to turn the gripper there, it takes the nearer one.

        Args:
            part: The part, its name, a kind of part such as ``box`` for ``box1`` and ``box2``, or a place of a pallet.
            on: With a kind: only parts that rest on this body or device, such as one pallet.
            distance: The distance of approach and departure, in metres; by default what the part says for the stable
                state that it is in, or 80 mm.
            speed: The speed of the TCP near the part, in m/s; 100 mm/s by default.

        Returns:
            The part that is held now.

        Raises:
            ProgramError: The gripper closed on nothing, ``part`` is not a part, or no part of the kind can be picked.
            MotionError: The robot has no gripper, the part does not fit into it, or a target is out of reach.
            UnknownName: There is no body and no part of a kind with that name.
        """
        gripper, body = self.gripper, self._wanted(part, on, _APPROACH if distance is None else distance)
        box, planned = RestingBox.of(self._world, body), gripper.planned_grasp(body)
        far = distance or planned.approach or _APPROACH
        grasp = self._nearer(LiveWorkpoint(body.name, None, planned.tcp), far)
        gripper.open()
        self.move(approach(grasp, far))
        self.move_linear(grasp, speed)
        if not gripper.close() or gripper.held is None:
            stopped = gripper.obstacle if isinstance(gripper, Gripper) else None
            why = f": {stopped.name!r} stopped the jaws at {format_length(self.fingers.gap)}" if stopped else ""
            raise ProgramError(
                f"{self.name} closed its gripper at {body.name!r}, but grasped nothing{why}",
                hint="check where the part is at this time: drycell picture CELL --at T",
            )
        self._picked = gripper, box.top.inverse() @ grasp.local, box.size
        self.move_linear(approach(grasp, distance or planned.depart or _APPROACH), speed)
        return gripper.held

    def place(self, target: Place, *, distance: float | None = None, speed: float = _SLOW) -> None:
        """Place the held part with the TCP at a target, or at a place of a pallet: approach, open, and depart.

        At a place of a pallet, the part itself is placed, with its length along that of the place. The arm knows where
        it holds the part from the last ``pick``: if the part has moved in the gripper since, it is off by as much. Of
        the two ways to turn the part, the arm takes the nearer one.

        Args:
            target: As for :meth:`move`, except for joint values; or a place of a pallet: ``pallet.next()``.
            distance: The distance of approach and departure, in metres; 80 mm by default.
            speed: The speed of the TCP near the target, in m/s; 100 mm/s by default.

        Raises:
            MotionError: The robot has no gripper, or the target is invalid or out of reach.
            ProgramError: The part does not fit the place, or no part is held.
        """
        far = _APPROACH if distance is None else distance
        if isinstance(target, PatternPlace):
            target = self._nearer(LiveWorkpoint(target.name, None, self._at_place(target)), far)
        self.move(approach(target, far))
        self.move_linear(target, speed)
        self.gripper.open()
        self.move_linear(approach(target, far), speed)

    def take_tool(
        self, station: LiveToolStation, *, distance: float = _APPROACH, speed: float = _SLOW
    ) -> Holder | MountedTool:
        """Pick up the tool of a station with the tool changer: approach, lock it to the flange, and depart.

        The tool is then selected, and has the name of the station in :attr:`tools`.

        Args:
            station: The station.
            distance: The distance of approach and departure, in metres; 80 mm by default.
            speed: The speed of the flange near the station, in m/s; 100 mm/s by default.

        Returns:
            The tool.

        Raises:
            ProgramError: There is no tool in the station, or the robot has taken another one.
            MotionError: The station is out of reach.
        """
        taken = next(iter(self._taken), None)
        if taken is not None:
            raise ProgramError(
                f"{self.name} has already taken {self.tools[taken].name}",
                hint=f"put it down first: {self.name}.put_tool",
            )
        self.tool = IDENTITY
        self.move(approach(station.dock, distance))
        self.move_linear(station.dock, speed)
        tool = station.give(self.flange, self.name)
        self.tools[station.name], self._mounts[station.name] = tool, tool.tcp
        self._taken[station.name] = None
        self._payload.add(station.name, tool)
        self.move_linear(approach(station.dock, distance), speed)
        self.tool = station.name
        return tool

    def put_tool(self, station: LiveToolStation, *, distance: float = _APPROACH, speed: float = _SLOW) -> None:
        """Put the tool that was taken from a station into that one or another: approach, unlock it, and depart.

        Args:
            station: The station.
            distance: The distance of approach and departure, in metres; 80 mm by default.
            speed: The speed of the flange near the station, in m/s; 100 mm/s by default.

        Raises:
            ProgramError: The robot has taken no tool, it holds a part, or the station is not empty.
            MotionError: The station is out of reach.
        """
        called = next(iter(self._taken), None)
        if called is None:
            raise ProgramError(f"{self.name} has taken no tool", hint=f"take one first: {self.name}.take_tool(station)")
        self.tool = IDENTITY
        self.move(approach(station.dock, distance))
        self.move_linear(station.dock, speed)
        station.accept(self.tools[called], self.flange, self.name)
        del self.tools[called], self._mounts[called], self._taken[called]
        self._payload.remove(called)
        self.move_linear(approach(station.dock, distance), speed)
        if self.tools:
            self.tool = next(iter(self.tools))

    # ---------------------------------------------------------------- inside

    def _wanted(self, given: object, on: LiveBody | Live[Any] | str | None, far: float) -> LiveBody:
        """The part that a program wants to pick."""
        if isinstance(given, PatternPlace):
            parts = [body for body in self._world.bodies.values() if body.part and not body.hole]
            middle = self._world.pose(given) @ Pose(z=given.size[2] / 2)
            found = part_meant(self._world, parts, middle)
            if found is None:
                raise ProgramError(f"there is no part at {given.name}", hint="check where the parts are at this time")
            return found
        if isinstance(given, str):
            if given in self._world.bodies:
                return self._world.bodies[given]
            tracking, parts = self._tracking, [each for each in self._world.bodies.values() if each.part]
            if tracking is None:
                raise UnknownName("body", given, self._world.bodies)
            kinds = dict.fromkeys([*tracking.kinds, *(tracking.kind_named(each) for each in parts)])
            if given in kinds:
                return self._nearest(tracking, given, on, far)
            raise UnknownName("body or kind of part", given, [*self._world.bodies, *kinds])
        if isinstance(given, LiveBody):
            return given
        what = f"{type(given).__name__.removeprefix('Live').lower()} {getattr(given, 'name', given)!r}"
        raise ProgramError(
            f"{self.name}.pick needs a part, but {what} is not a part",
            hint="give the part or its name; or move to the target and close the gripper, which grasps any part there",
        )

    def _nearest(
        self, tracking: PartTracking, kind: str, on: LiveBody | Live[Any] | str | None, far: float
    ) -> LiveBody:
        """The nearest part of a kind that can be picked and reached."""
        place = on.body if isinstance(on, Live) else on
        support = None if place is None else self._world.body(place)
        found, refused = parts_of_kind(self._world, tracking, kind, support)
        gripper, here, ordered = self.gripper, self.pose.position, []
        for part in found:
            try:
                grasp = gripper.planned_grasp(part).tcp
            except MotionError as error:
                refused.append(f"{part.name}: {error.what}")
                continue
            ordered.append((round(math.dist(grasp.position, here), 6), part.name, part, grasp))
        for _, name, part, grasp in sorted(ordered, key=lambda each: each[:2]):
            target = self._nearer(LiveWorkpoint(name, None, grasp), far)
            if self.reach(target) and self.reach(approach(target, far)):
                return part
            refused.append(f"{name}: out of reach")
        listed = "; ".join(refused[:4]) + ("; …" if len(refused) > 4 else "")
        raise ProgramError(
            f"{self.name} can pick no part of kind {kind!r}: " + (listed or "there is none in the cell"),
            hint="wait until one has arrived, or check where they are at this time: drycell picture CELL --at T",
        )

    def _at_place(self, place: PatternPlace) -> Pose:
        """The TCP pose in the world that puts the held part at a place of a pattern."""
        gripper = self.gripper
        if gripper.held is None:
            raise ProgramError(f"{self.name} holds no part to put at {place.name}", hint="pick one first")
        if self._picked is not None and self._picked[0] is gripper:
            _, held, size = self._picked
        else:
            box = RestingBox.of(self._world, gripper.held)
            held, size = box.top.inverse() @ self.pose, box.size
        return place_pose(self._world, place, size, gripper.held.name) @ held

    def _nearer(self, grasp: LiveWorkpoint, distance: float) -> LiveWorkpoint:
        """Choose between a grasp and the same grasp turned by 180°, which is equivalent for a parallel gripper.

        The one that turns the tool less is chosen. If both turn it by the same angle, within 1 µrad, the one whose
        approach needs less joint travel is chosen, and then the first.
        """
        other = LiveWorkpoint(grasp.name, None, grasp.local @ Pose.turn_z(math.pi))
        here = self.pose
        turn, other_turn = (here.distance_to(each.local)[1] for each in (grasp, other))
        if abs(turn - other_turn) <= _SAME_TURN:
            turn, other_turn = (self._travel(approach(each, distance)) for each in (grasp, other))
        return other if other_turn < turn - _SAME_TURN else grasp

    def _travel(self, target: Place) -> float:
        """The joint travel to a target in seconds at full speed; infinite if the robot cannot reach it."""
        try:
            pose = self._arm.flange(self._in_base(self.place_of(target)))
            return self.mechanism.inverse(pose, near=self._execution.joints).travel
        except MotionError:
            return math.inf

    def _command(
        self,
        kind: MoveKind,
        target: str,
        planner: Planner,
        zone: float,
        until: "Condition | Signal[bool] | None",
        wait_for_it: bool,
        place: Pose | None,
        pace: MovePace,
        group: Group | None = None,
    ) -> Move:
        guard = until.is_on if isinstance(until, Signal) else until
        followers = () if group is None else group.followers
        command = MoveCommand(kind, target, self._arm, planner, zone, guard, wait_for_it, place, pace.asked, followers)
        return self._execution.carry_out(command, self.controller)

    def _in_base(self, pose: Pose, world: World | Ahead | None = None) -> Pose:
        return (world or self._world).pose(self.base).inverse() @ pose

    def _with_axes(self, error: OutOfReach, name: str, place: Pose, group: Group) -> OutOfReach:
        """The error about a target out of reach; if an external axis would help, it says how far it has to go."""
        hint = farther(self._arm, self.base, place, self._world, group.known)
        return error if hint is None else OutOfReach(self.name, name, replace(error.reach, hint=hint))

    def _group(self, axes: "Axes | None") -> Group:
        """The robot with the external axes of a command."""
        if not axes:
            return Group(self._arm, (), self._world, {}, ())
        members, followers, place = [], [], self.mechanism.dof
        for each, given in axes.items():
            if not isinstance(each, LiveRobot) or each is self:
                raise MotionError(
                    f"{self.name} cannot move together with {getattr(each, 'name', each)!r}",
                    hint="give other robots and external axes, and their joint values, such as axes={track: 1.2*m}",
                )
            end = axis_end(each.name, each.mechanism, given)
            members.append(Axis(each.name, each.mechanism, each.linkage, end))
            part = slice(place, place + len(end))
            followers.append(Follower(each._execution, each._arm, shown_joints(each.mechanism, end), part))
            place = part.stop
        known = {each.linkage: each.end for each in members}
        whole = together(self._arm, self.linkage, members, self._world)
        # One arm for each combination: cached plans are found by it.
        key = (self._arm, *known, whole.mechanism.links, whole.mechanism.flange)
        arm = self._groups.setdefault(key, whole)
        ends = tuple(value for each in members for value in each.end)
        return Group(arm, ends, Ahead(self._world, known), known, tuple(followers))

    def __repr__(self) -> str:
        return f"<Robot {self.name} at {shown_joints(self.mechanism, self.joints)}>"


def _frame_pose(frame: Pose | LiveWorkpoint | LiveBody, world: World | Ahead) -> Pose:
    """The pose of a user frame in the world now. For a body it is its own frame, not its top."""
    return frame if isinstance(frame, Pose) else world.pose(frame)
