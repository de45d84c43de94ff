"""Teaching before a run: jogging, taught points, and lessons."""

from dataclasses import replace
from typing import Final, Literal

from drycell.base import DrycellError, MotionError, Pose, UnknownName, Vector
from drycell.robots import Arm, LiveRobot
from drycell.studio.api.codec import PoseData, pose_data, pose_of
from drycell.studio.api.teaching import (
    GripperState,
    JointState,
    LessonCheck,
    LessonText,
    PointAt,
    PointCheck,
    RobotState,
    StepCheck,
    StepNote,
    StepPreview,
    TeachingApi,
)
from drycell.studio.host.session import HostSession
from drycell.teach import (
    ENDINGS,
    Frame,
    Jog,
    Language,
    Lesson,
    LessonProgram,
    PointSpec,
    ReachVerdict,
    TaughtPoint,
    WalkedStep,
    commanders,
    grasp_at,
    lesson_program,
    picked,
    place_at,
    read_lesson,
    verdict,
    walk,
)

_GRID: Final = 1e-4
_GHOSTS: Final = 7  # poses of the arm in a preview


class HostTeaching(TeachingApi):
    """Teaches the robots of a session whose run has not started."""

    def __init__(self, session: HostSession) -> None:
        self._session = session

    # ---------------------------------------------------------------- jogging

    async def robot_state(self, robot: str) -> RobotState:
        return _state(self._robot(robot))

    async def jog(
        self,
        robot: str,
        by: float,
        joint: str | None = None,
        direction: str | None = None,
        frame: Frame = "world",
    ) -> RobotState:
        arm = self._movable(robot)
        if joint is not None:
            done = Jog(arm).joint(joint, by)
        elif direction is not None:
            done = Jog(arm).along(direction, by, frame=frame)
        else:
            raise DrycellError("a jog needs a joint or a direction", hint="pass joint= or direction=")
        self._session.changed()
        return replace(_state(arm), moved=done.moved, stopped=done.stopped)

    async def put_joints(self, robot: str, joints: tuple[float, ...]) -> RobotState:
        arm = self._movable(robot)
        Jog(arm).to_joints(joints)
        self._session.changed()
        return _state(arm)

    async def put_gripper(self, robot: str, gap: float) -> RobotState:
        arm = self._movable(robot)
        low, high = arm.fingers.opening
        arm.fingers.put(min(max(gap, low), high))
        self._session.changed()
        return _state(arm)

    async def to_frame(self, robot: str, pose: PoseData) -> RobotState:
        arm = self._movable(robot)
        Jog(arm).to(pose_of(pose))
        self._session.changed()
        return _state(arm)

    async def back_to_start(self, robot: str) -> RobotState:
        arm = self._movable(robot)
        for put_back in self._session.before_run:
            put_back()
        self._session.changed()
        return _state(arm)

    def _robot(self, name: str) -> LiveRobot:
        robots = self._session.require_cell().robots
        if name not in robots:
            raise UnknownName("robot", name, robots)
        found: LiveRobot = robots[name]
        return found

    def _movable(self, name: str) -> LiveRobot:
        """A robot that is about to be jogged. Its start position is restored before a run."""
        session, robot = self._session, self._robot(name)
        if session.mode != "ready":
            doing = "is running" if session.mode == "live" else "has run"
            raise MotionError(f"the cell {doing}: {name} cannot be jogged", hint="restart, then jog before the run")
        if name not in session.starts:
            joints = session.starts[name] = robot.joints
            gap = robot.fingers.gap if robot.has_fingers else None

            def put_back() -> None:
                robot.put(joints)
                if gap is not None:
                    robot.fingers.put(gap)

            session.before_run.append(put_back)
        return robot

    # ---------------------------------------------------------------- points

    async def pick_to_workpoint(
        self, name: str, body: str | None, point: Vector, normal: Vector, centre: bool = False
    ) -> PointAt:
        made = picked(self._session.world, name, body, point, normal, grid=_GRID)
        return self._point(made.centred(self._session.world) if centre else made)

    async def adjust_point(
        self,
        name: str,
        point: PointSpec,
        raised: float = 0.0,
        shift: Vector | None = None,
        turn: float = 0.0,
        axis: Literal["x", "y", "z"] = "z",
        frame: PoseData | None = None,
        at: Vector | None = None,
        attach: str | None = None,
        centre: bool = False,
    ) -> PointAt:
        world, made = self._session.world, point.point(name)
        if frame is not None:
            made = TaughtPoint(name, None, pose_of(frame)).attached(world, made.on)
        if at is not None:
            made = made.moved_to(at)
        if attach is not None:
            made = made.attached(world, attach or None)
        if centre:
            made = made.centred(world)
        return self._point(made.raised(raised).shifted(*(shift or ())).turned(turn, axis))

    async def grasp_point(self, name: str, robot: str, point: PointSpec) -> PointAt:
        return self._point(grasp_at(self._session.world, self._robot(robot), point.point(name)))

    async def set_down(
        self, name: str, robot: str, grasp: PointSpec, onto: PointSpec, clearance: float = 0.0
    ) -> PointAt:
        grasped, arm = grasp.point("grasp"), self._robot(robot)
        return self._point(place_at(self._session.world, arm, grasped, onto.point(name), clearance))

    def _point(self, point: TaughtPoint) -> PointAt:
        return PointAt(PointSpec.of(point), pose_data(point.pose(self._session.world)))

    # ---------------------------------------------------------------- lessons

    async def check(self, lesson: str) -> LessonCheck:
        read, cell = read_lesson(lesson), self._session.require_cell()
        arm = self._robot(read.robot)
        points: dict[str, PointCheck] = {}
        for name, point in read.points.items():
            try:
                pose = point.pose(self._session.world)
                points[name] = _point_check(verdict(arm, pose), pose_data(pose), len(read.uses(name)))
            except DrycellError as error:
                points[name] = PointCheck("red", error.what, suggestion=error.hint)
        return LessonCheck(
            points=points,
            steps=tuple(_step_check(leg) for leg in walk(read, cell, self._start(arm))),
            python=self._python(read),
            pascal=self._pascal(read),
            instead_of=tuple(name for name in commanders(cell, read.robot) if name != read.program),
            program=read.program,
        )

    async def preview(self, lesson: str, step: int) -> StepPreview:
        read, cell = read_lesson(lesson), self._session.require_cell()
        arm = self._robot(read.robot)
        legs = walk(read, cell, self._start(arm))
        if step >= len(legs):
            raise DrycellError(f"there is no step {step + 1}: the lesson has {len(legs)} steps")
        leg = legs[step]
        samples = leg.samples()
        tool = Arm(arm.name, arm.mechanism, arm.tool)
        path = tuple((arm.base.pose @ tool.tcp(joints)).position for _, joints in samples)
        chosen = [samples[round(k * (len(samples) - 1) / (_GHOSTS - 1))][1] for k in range(_GHOSTS)] if samples else []
        ghosts = [
            (name, pose_data(pose), number / _GHOSTS)
            for number, joints in enumerate(chosen, 1)
            for name, pose in _posed(arm, joints)
        ]
        return StepPreview(_step_check(leg), tuple(ghosts), path)

    async def enter(self, lesson: str, language: Language = "python") -> str:
        session, cell = self._session, self._session.require_cell()
        if session.mode != "ready":
            raise DrycellError("the run has started: the lesson cannot be added to the cell", hint="restart first")
        read = read_lesson(lesson)
        for name in commanders(cell, read.robot):
            del cell.programs[name]
        session.recipe = None  # its program is not in the cell file
        read.enter(cell, session.folder / f"{read.program}{ENDINGS[language]}")
        session.changed()
        return read.program

    async def program(self, lesson: str, language: Language = "python") -> LessonProgram:
        read = read_lesson(lesson)
        return lesson_program(read, self._session.require_cell(), language, self._session.starts.get(read.robot))

    def _start(self, robot: LiveRobot) -> tuple[float, ...]:
        """The joints at which a robot starts a run, regardless of jogging."""
        return self._session.starts.get(robot.name, robot.joints)

    def _python(self, lesson: Lesson) -> LessonText:
        try:
            return LessonText(lesson.as_python(self._session.require_cell()))
        except DrycellError as error:
            return LessonText(error=error.what)

    def _pascal(self, lesson: Lesson) -> LessonText:
        session = self._session
        try:
            made = lesson.as_pascal(session.require_cell(), start=session.starts.get(lesson.robot))
        except DrycellError as error:
            return LessonText(error=error.what)
        gaps, notes = (tuple(StepNote(gap.step, gap.what) for gap in each) for each in (made.gaps, made.notes))
        return LessonText(made.text, gaps=gaps, notes=notes)


def _state(robot: LiveRobot) -> RobotState:
    gripper: GripperState | None = None
    if robot.has_fingers:
        gripper = GripperState(robot.fingers.name, robot.fingers.gap, *robot.fingers.opening)
    return RobotState(
        robot=robot.name,
        joints=tuple(
            JointState(joint.name, joint.kind, joint.lower, joint.upper, value)
            for joint, value in zip(robot.mechanism.joints, robot.joints, strict=True)
        ),
        tcp=pose_data(robot.pose),
        in_base=pose_data(robot.base.pose.inverse() @ robot.pose),
        directions=tuple(Jog(robot).directions),
        gripper=gripper,
    )


def _point_check(found: ReachVerdict, pose: PoseData, used: int) -> PointCheck:
    return PointCheck(
        lamp=found.lamp,
        text=found.text,
        pose=pose,
        used=used,
        suggestion=found.suggestion,
        configuration=found.configuration,
        configurations=found.configurations,
        joints=found.joints,
        better=None if found.better is None else pose_data(found.better),
        straight=None if found.straight is None else found.straight.text,
        straight_possible=bool(found.straight),
    )


def _step_check(leg: WalkedStep) -> StepCheck:
    return StepCheck(leg.number, leg.step.text, leg.step.kind, leg.lamp, leg.text, leg.hint, leg.duration)


def _posed(robot: LiveRobot, joints: list[float]) -> list[tuple[str, Pose]]:
    """The poses of the bodies of an arm and its gripper for given joints."""
    found: list[tuple[str, Pose]] = []
    poses = robot.mechanism.link_poses(joints)
    base = robot.base.pose
    for link, pose in zip(robot.linkage.links, poses, strict=True):
        found.append((link.name, base @ pose))
    mark = robot.mechanism.flange
    flange = base @ poses[mark.link] @ mark.pose if mark.link >= 0 else base @ mark.pose
    carried = robot.flange.pose.inverse()
    for tool in robot.tools.values():
        for body in tool.bodies:
            found.append((body.name, flange @ carried @ body.pose))
    return found
