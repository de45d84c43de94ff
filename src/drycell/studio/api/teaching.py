"""Teaching before a run: jogging, taught points, and lessons. Host: ``host/teaching``.

The server holds the lesson; each call about it sends the text of its file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Annotated, Literal

from drycell import teach  # its names are looked up when they are first needed: they load numpy
from drycell.studio.api.codec import PoseData, Vector, Within

ShortName = Annotated[str, Within(most=200)]
LessonFileText = Annotated[str, Within(most=1_000_000)]
"""The text of a lesson file."""
Lamp = Literal["green", "amber", "red"]


@dataclass(frozen=True, slots=True)
class JointState:
    """A joint, with limits and value in radians or metres."""

    name: str
    kind: str
    low: float
    high: float
    value: float


@dataclass(frozen=True, slots=True)
class GripperState:
    """The jaws of a gripper: the gap between them and its limits, in metres."""

    name: str
    gap: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RobotState:
    """A robot as the pendant shows it. ``stopped`` is the reason why a jog ended early."""

    robot: str
    joints: tuple[JointState, ...]
    tcp: PoseData
    in_base: PoseData
    directions: tuple[str, ...]
    gripper: GripperState | None
    moved: float = 0.0
    stopped: str | None = None


@dataclass(frozen=True, slots=True)
class PointAt:
    """A taught point and its pose in the world."""

    point: teach.PointSpec
    pose: PoseData


@dataclass(frozen=True, slots=True)
class PointCheck:
    """Whether the robot reaches a point. ``better`` is a nearby pose that it reaches."""

    lamp: Lamp
    text: str
    pose: PoseData | None = None
    used: int = 0
    suggestion: str | None = None
    configuration: str = ""
    configurations: tuple[str, ...] = ()
    joints: tuple[float, ...] | None = None
    better: PoseData | None = None
    straight: str | None = None
    straight_possible: bool = False


@dataclass(frozen=True, slots=True)
class StepCheck:
    """The result of checking a step, and the duration of its move in seconds."""

    number: int
    text: str
    kind: str
    lamp: str
    says: str
    hint: str | None
    duration: float


@dataclass(frozen=True, slots=True)
class StepNote:
    """A note on a step. Steps are numbered from 0."""

    step: int
    what: str


@dataclass(frozen=True, slots=True)
class LessonText:
    """A lesson as a program, or the reason why that failed. ``gaps`` are steps that the language cannot express."""

    text: str = ""
    error: str | None = None
    gaps: tuple[StepNote, ...] = ()
    notes: tuple[StepNote, ...] = ()


@dataclass(frozen=True, slots=True)
class LessonCheck:
    """The result of checking a lesson. ``instead_of`` are programs that command the same robot and are replaced."""

    points: dict[str, PointCheck] = field(default_factory=dict)
    steps: tuple[StepCheck, ...] = ()
    python: LessonText = LessonText()
    pascal: LessonText = LessonText()
    instead_of: tuple[str, ...] = ()
    program: str = ""


@dataclass(frozen=True, slots=True)
class StepPreview:
    """A step as the view shows it: copies of bodies (name, pose, opacity) along the move, and the path of the TCP."""

    step: StepCheck
    ghosts: tuple[tuple[str, PoseData, float], ...]
    path: tuple[Vector, ...]


class TeachingApi(ABC):
    """Moves robots before a run, and checks taught points."""

    @abstractmethod
    async def robot_state(self, robot: ShortName) -> RobotState:
        """The joints, the pose of the TCP, and the directions in which it can be jogged."""

    @abstractmethod
    async def jog(
        self,
        robot: ShortName,
        by: float,
        joint: ShortName | None = None,
        direction: ShortName | None = None,
        frame: teach.Frame = "world",
    ) -> RobotState:
        """Move one joint, or the TCP along a direction of a frame.

        Args:
            robot: The robot.
            by: How far, in metres or radians.
            joint: The joint to move; or
            direction: the direction in which the TCP moves.
            frame: The frame of the direction.
        """

    @abstractmethod
    async def put_joints(self, robot: ShortName, joints: Annotated[tuple[float, ...], Within(most=20)]) -> RobotState:
        """Set all joints."""

    @abstractmethod
    async def put_gripper(self, robot: ShortName, gap: float) -> RobotState:
        """Set the gap between the jaws, within its limits, without grasping."""

    @abstractmethod
    async def to_frame(self, robot: ShortName, pose: PoseData) -> RobotState:
        """Move the TCP to a pose in the world, with the nearest configuration."""

    @abstractmethod
    async def back_to_start(self, robot: ShortName) -> RobotState:
        """Move jogged robots back to their start positions."""

    @abstractmethod
    async def pick_to_workpoint(
        self, name: ShortName, body: ShortName | None, point: Vector, normal: Vector, centre: bool = False
    ) -> PointAt:
        """Make a taught point from a picked point. Its z axis points into the surface.

        Its position is rounded to 0.1 mm within the surface. ``centre`` moves it to the middle of the face.
        """

    @abstractmethod
    async def adjust_point(
        self,
        name: ShortName,
        point: teach.PointSpec,
        raised: float = 0.0,
        shift: Vector | None = None,
        turn: float = 0.0,
        axis: Literal["x", "y", "z"] = "z",
        frame: PoseData | None = None,
        at: Vector | None = None,
        attach: ShortName | None = None,
        centre: bool = False,
    ) -> PointAt:
        """Change a taught point.

        Args:
            name: Its name.
            point: The point.
            raised: Metres by which it is raised off its surface.
            shift: Metres by which it is shifted along its own axes.
            turn: Radians by which it is turned about ``axis``.
            axis: One of its own axes.
            frame: A pose in the world to move it to.
            at: A position relative to the body it is on.
            attach: The body to attach it to; empty for the world. It stays where it is.
            centre: Move it to the middle of the face.
        """

    @abstractmethod
    async def grasp_point(self, name: ShortName, robot: ShortName, point: teach.PointSpec) -> PointAt:
        """Make a grasp from a point on a part: centred, sunk in, with the jaws across a side that fits."""

    @abstractmethod
    async def set_down(
        self,
        name: ShortName,
        robot: ShortName,
        grasp: teach.PointSpec,
        onto: teach.PointSpec,
        clearance: Annotated[float, Within(0)] = 0.0,
    ) -> PointAt:
        """The target pose that places the grasped part on a surface, in its current orientation if possible."""

    @abstractmethod
    async def check(self, lesson: LessonFileText) -> LessonCheck:
        """Check every point and step, and make the program in Python and Pascal."""

    @abstractmethod
    async def preview(self, lesson: LessonFileText, step: Annotated[int, Within(0, 10_000)]) -> StepPreview:
        """Copies of the arm along the move of a step; later ones are more opaque."""

    @abstractmethod
    async def enter(self, lesson: LessonFileText, language: teach.Language = "python") -> str:
        """Make a lesson a program of the cell, replacing those that command its robot. Saves nothing.

        Returns the name of the program.
        """

    @abstractmethod
    async def program(self, lesson: LessonFileText, language: teach.Language = "python") -> teach.LessonProgram:
        """A lesson as a program to be saved in the cell file, with its points as workpoints."""
