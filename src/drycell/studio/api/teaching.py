"""Teaching on the bench: jogging, taught points, lessons checked, shown and entered. Implemented in ``host/teaching``.

A lesson lives in the server, and comes with every call about it as the data of its file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from drycell import teach  # its names are looked up when they are first needed: they load numpy
from drycell.studio.api.codec import PoseData, Vector, Within

ShortName = Annotated[str, Within(most=200)]
PointData = dict[str, Any]
"""A taught point as its lesson file has it."""
Lamp = Literal["green", "amber", "red"]


@dataclass(frozen=True, slots=True)
class JointState:
    """A joint: limits and value in radians or metres."""

    name: str
    kind: str
    low: float
    high: float
    value: float


@dataclass(frozen=True, slots=True)
class GripperState:
    """The jaws: how far apart they are, and can be, in metres."""

    name: str
    gap: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RobotState:
    """A robot as its pendant shows it. ``stopped`` says what stopped a jog that went less than it was told to."""

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

    point: PointData
    pose: PoseData


@dataclass(frozen=True, slots=True)
class PointCheck:
    """Whether the robot reaches a point. ``better`` is a pose close by that it reaches."""

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
    """What is to be said of a step, and how long its move takes."""

    number: int
    text: str
    kind: str
    lamp: str
    says: str
    hint: str | None
    duration: float


@dataclass(frozen=True, slots=True)
class StepNote:
    """A note on a step, by its number from 0."""

    step: int
    what: str


@dataclass(frozen=True, slots=True)
class LessonText:
    """A lesson as a program, or why there is none. ``gaps`` are steps that the language cannot express."""

    text: str = ""
    error: str | None = None
    gaps: tuple[StepNote, ...] = ()
    notes: tuple[StepNote, ...] = ()


@dataclass(frozen=True, slots=True)
class LessonCheck:
    """All that is to be said of a lesson. ``instead_of`` are the programs that command the same robot."""

    points: dict[str, PointCheck] = field(default_factory=dict)
    steps: tuple[StepCheck, ...] = ()
    python: LessonText = LessonText()
    pascal: LessonText = LessonText()
    instead_of: tuple[str, ...] = ()
    program: str = ""


@dataclass(frozen=True, slots=True)
class StepPreview:
    """A step shown on the bench: copies of bodies on their way (name, pose, strength), and the path of the tool."""

    step: StepCheck
    ghosts: tuple[tuple[str, PoseData, float], ...]
    path: tuple[Vector, ...]


class TeachingApi(ABC):
    """Moves robots on the bench, and checks what is taught."""

    @abstractmethod
    async def robot_state(self, robot: ShortName) -> RobotState:
        """Joints with limits, the tool's pose, and what it can be jogged along."""

    @abstractmethod
    async def jog(
        self,
        robot: ShortName,
        by: float,
        joint: ShortName | None = None,
        direction: ShortName | None = None,
        frame: teach.Frame = "world",
    ) -> RobotState:
        """Moves one joint, or the tool along a direction of a frame, by metres or radians; says what stopped it."""

    @abstractmethod
    async def put_joints(self, robot: ShortName, joints: Annotated[tuple[float, ...], Within(most=20)]) -> RobotState:
        """Puts all joints somewhere."""

    @abstractmethod
    async def put_gripper(self, robot: ShortName, gap: float) -> RobotState:
        """Opens or closes the jaws without grasping, as far as they can."""

    @abstractmethod
    async def to_frame(self, robot: ShortName, pose: PoseData) -> RobotState:
        """Brings the tool to a pose of the world by the nearest configuration."""

    @abstractmethod
    async def back_to_start(self, robot: ShortName) -> RobotState:
        """Puts what was jogged back where the cell has it."""

    @abstractmethod
    async def pick_to_workpoint(
        self, name: ShortName, body: ShortName | None, point: Vector, normal: Vector, centre: bool = False
    ) -> PointAt:
        """The taught point at a picked place, to a tenth of a millimetre in its surface, z against the normal.

        ``centre`` slides it to the middle of the face.
        """

    @abstractmethod
    async def adjust_point(
        self,
        name: ShortName,
        point: PointData,
        raised: float = 0.0,
        shift: Vector | None = None,
        turn: float = 0.0,
        axis: Literal["x", "y", "z"] = "z",
        frame: PoseData | None = None,
        at: Vector | None = None,
        attach: ShortName | None = None,
        centre: bool = False,
    ) -> PointAt:
        """A point raised off its surface, shifted along its axes, turned, put at a world pose or on another body.

        ``at`` is its place as seen from what it is on; ``attach`` is the name of a body, or empty for the world.
        """

    @abstractmethod
    async def grasp_point(self, name: ShortName, robot: ShortName, point: PointData) -> PointAt:
        """The grasp of the part that a picked point is on: in the middle, sunk in, jaws across what fits between."""

    @abstractmethod
    async def set_down(
        self,
        name: ShortName,
        robot: ShortName,
        grasp: PointData,
        onto: PointData,
        clearance: Annotated[float, Within(0)] = 0.0,
    ) -> PointAt:
        """Where the tool must be so that the grasped part lies on a surface, turned as it was if that can be."""

    @abstractmethod
    async def check(self, lesson: teach.LessonData) -> LessonCheck:
        """What is to be said of every point and step, and the program in Python and Pascal."""

    @abstractmethod
    async def preview(self, lesson: teach.LessonData, step: Annotated[int, Within(0, 10_000)]) -> StepPreview:
        """A step shown on the bench: copies of the arm on its way, the later the stronger."""

    @abstractmethod
    async def enter(self, lesson: teach.LessonData, language: teach.Language = "python") -> str:
        """Makes a lesson a program of the cell on the bench, in place of those that command its robot; saves nothing.

        Returns the name of the program.
        """

    @abstractmethod
    async def program(self, lesson: teach.LessonData, language: teach.Language = "python") -> teach.LessonProgram:
        """A lesson as a program to be saved into the cell file, its points named."""
