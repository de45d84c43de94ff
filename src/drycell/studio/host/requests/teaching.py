"""Teaching on the bench: jogging, taught points and whether they are reached, and lessons checked, shown and entered.

A lesson lives in the server, and comes with every request about it as the data of its file.
"""

from typing import Annotated, Any, Final, Literal

from drycell.base import DrycellError, MotionError, Pose, UnknownName
from drycell.robots import Arm, LiveRobot
from drycell.studio.host.session import HostSession
from drycell.studio.host.table import Reply, Within, request
from drycell.studio.host.wire import Json
from drycell.teach import (
    ENDINGS,
    Frame,
    Jog,
    Language,
    Lesson,
    LessonData,
    PointSpec,
    ReachVerdict,
    TaughtPoint,
    WalkedStep,
    commanders,
    grasp_at,
    lesson_program,
    picked,
    place_at,
    plain,
    read_lesson_data,
    read_point,
    verdict,
    walk,
)

Vector = Annotated[list[float], Within(3, 3)]
Seven = Annotated[list[float], Within(7, 7)]
Short = Annotated[str, Within(most=200)]
_GRID: Final = 1e-4
_GHOSTS: Final = 7  # poses of the arm in a preview


# -------------------------------------------------------------------- the arm on the bench


@request("robot_state")
def robot_state(session: HostSession, *, robot: Short) -> Reply:
    """A robot as its pendant shows it: joints with limits, the tool's place, what it can be jogged along."""
    return _state(_robot(session, robot))


@request("jog")
def jog(
    session: HostSession,
    *,
    robot: Short,
    by: float,
    joint: Short | None = None,
    direction: Short | None = None,
    frame: Frame = "world",
) -> Reply:
    """Moves one joint, or the tool along a direction of a frame, by metres or radians; says what stopped it."""
    arm = _bench(session, robot)
    if joint is not None:
        done = Jog(arm).joint(joint, by)
    elif direction is not None:
        done = Jog(arm).along(direction, by, frame=frame)
    else:
        raise DrycellError("a jog needs a joint or a direction", hint="jog {robot, joint, by}")
    session.changed()
    return {"moved": done.moved, "stopped": done.stopped, **_state(arm)}


@request("put_joints")
def put_joints(session: HostSession, *, robot: Short, joints: Annotated[list[float], Within(most=20)]) -> Reply:
    """Puts all joints somewhere."""
    arm = _bench(session, robot)
    Jog(arm).to_joints(joints)
    session.changed()
    return _state(arm)


@request("put_gripper")
def put_gripper(session: HostSession, *, robot: Short, gap: float) -> Reply:
    """Puts the jaws so far apart, without grasping; beyond what they can it is as far as they can."""
    arm = _bench(session, robot)
    low, high = arm.gripper.opening
    arm.gripper.put(min(max(gap, low), high))
    session.changed()
    return _state(arm)


@request("to_frame")
def to_frame(session: HostSession, *, robot: Short, pose: Seven) -> Reply:
    """Brings the tool to a frame of the world by the nearest way."""
    arm = _bench(session, robot)
    Jog(arm).to(_pose(pose))
    session.changed()
    return _state(arm)


@request("back_to_start")
def back_to_start(session: HostSession, *, robot: Short) -> Reply:
    """Puts what was jogged back where the cell has it."""
    arm = _bench(session, robot)
    for put_back in session.before_run:
        put_back()
    session.changed()
    return _state(arm)


# -------------------------------------------------------------------- points


@request("reach")
def reach(session: HostSession, *, robot: Short, frame: Seven) -> Reply:
    """The verdict on a frame of the world, from where the robot is."""
    return _verdict(verdict(_robot(session, robot), _pose(frame)))


@request("pick_to_workpoint")
def pick_to_workpoint(
    session: HostSession, *, name: Short, body: Short | None, point: Vector, normal: Vector, centre: bool = False
) -> Reply:
    """The taught point at a picked place, to a tenth of a millimetre in its surface, z against the normal.

    ``centre`` slides it to the middle of the face.
    """
    made = picked(session.world, name, body, point, normal, grid=_GRID)
    return _point(session, made.centred(session.world) if centre else made)


@request("adjust_point")
def adjust_point(
    session: HostSession,
    *,
    name: Short,
    point: dict[str, Any],
    raised: float = 0.0,
    shift: Vector | None = None,
    turn: float = 0.0,
    axis: Literal["x", "y", "z"] = "z",
    frame: Seven | None = None,
    at: Vector | None = None,
    attach: Short | None = None,
    centre: bool = False,
) -> Reply:
    """A point raised off its surface, shifted along its axes, turned, put at a frame of the world or on another body.

    ``at`` is its place as seen from what it is on; ``attach`` is the name of a body, or empty for the world.
    """
    made = read_point(name, point)
    if frame is not None:
        made = TaughtPoint(name, None, _pose(frame)).attached(session.world, made.on)
    if at is not None:
        made = made.moved_to(at)
    if attach is not None:
        made = made.attached(session.world, attach or None)
    if centre:
        made = made.centred(session.world)
    made = made.raised(raised).shifted(*(shift or ())).turned(turn, axis)
    return _point(session, made)


@request("grasp_point")
def grasp_point(session: HostSession, *, name: Short, robot: Short, point: dict[str, Any]) -> Reply:
    """The grasp of the part that a picked point is on: in the middle, sunk in, jaws across what fits between them."""
    made = grasp_at(session.world, _robot(session, robot), read_point(name, point))
    return _point(session, made)


@request("set_down")
def put_down(
    session: HostSession,
    *,
    name: Short,
    robot: Short,
    grasp: dict[str, Any],
    onto: dict[str, Any],
    clearance: Annotated[float, Within(0)] = 0.0,
) -> Reply:
    """Where the tool must be so that the part that is grasped lies on a surface, turned as it was if that can be."""
    grasped, arm = read_point("grasp", grasp), _robot(session, robot)
    return _point(session, place_at(session.world, arm, grasped, read_point(name, onto), clearance))


# -------------------------------------------------------------------- lessons


@request("lesson_check")
def lesson_check(session: HostSession, *, lesson: LessonData) -> Reply:
    """What is to be said of every point and step, and the program in Python and Pascal."""
    read, cell = read_lesson_data(lesson), session.needs_cell()
    arm = _robot(session, read.robot)
    start = _starts(session).get(read.robot, arm.joints)
    points: dict[str, Json] = {}
    for name, point in read.points.items():
        try:
            pose = point.pose(session.world)
            points[name] = {"pose": _seven(pose), "used": len(read.uses(name)), **_verdict(verdict(arm, pose))}
        except DrycellError as error:
            points[name] = {"pose": None, "used": 0, "lamp": "red", "text": error.what, "suggestion": error.hint}
    python, pascal = _texts(read, session)
    return {
        "points": points,
        "steps": [_leg(leg) for leg in walk(read, cell, start)],
        "python": python,
        "pascal": pascal,
        "instead_of": [name for name in commanders(cell, read.robot) if name != read.program],
        "program": read.program,
    }


@request("lesson_preview")
def lesson_preview(session: HostSession, *, lesson: LessonData, step: Annotated[int, Within(0, 10_000)]) -> Reply:
    """A step shown on the bench: copies of the arm on its way, the later the stronger, and the path of the tool."""
    read, cell = read_lesson_data(lesson), session.needs_cell()
    arm = _robot(session, read.robot)
    legs = walk(read, cell, _starts(session).get(read.robot, arm.joints))
    if step >= len(legs):
        raise DrycellError(f"there is no step {step + 1}: the lesson has {len(legs)}")
    leg = legs[step]
    samples = leg.samples()
    tool = Arm(arm.name, arm.mechanism, arm.tool)
    path = [list((arm.base.pose @ tool.tcp(joints)).position) for _, joints in samples]
    chosen = [samples[round(k * (len(samples) - 1) / (_GHOSTS - 1))][1] for k in range(_GHOSTS)] if samples else []
    ghosts: list[Json] = []
    for number, joints in enumerate(chosen, 1):
        ghosts += [[name, _seven(pose), number / _GHOSTS] for name, pose in _posed(arm, joints)]
    return {**_leg(leg), "ghosts": ghosts, "path": path}


@request("lesson_enter")
def lesson_enter(session: HostSession, *, lesson: LessonData, language: Language = "python") -> Reply:
    """Makes a lesson a program of the cell on the bench, in place of those that command its robot; nothing is saved."""
    cell = session.needs_cell()
    if session.mode != "bench":
        raise DrycellError("a lesson is entered into a cell on the bench", hint="restart: the cell is built anew")
    read = read_lesson_data(lesson)
    for name in commanders(cell, read.robot):
        del cell.programs[name]
    file = session.folder / f"{read.program}{ENDINGS[language]}"
    read.enter(cell, file)
    session.changed()
    return {"program": read.program, "file": str(file)}


@request("lesson_program")
def program_of_lesson(session: HostSession, *, lesson: LessonData, language: Language = "python") -> Reply:
    """A lesson as a program to be saved into the cell file, its points named."""
    read = read_lesson_data(lesson)
    made = lesson_program(read, session.needs_cell(), language, _starts(session).get(read.robot))
    return {
        "name": made.name,
        "file": made.file,
        "text": made.text,
        "controller": made.controller,
        "instead_of": list(made.instead_of),
    }


# -------------------------------------------------------------------- inside


def _robot(session: HostSession, name: str) -> LiveRobot:
    robots = session.needs_cell().robots
    if name not in robots:
        raise UnknownName("robot", name, robots)
    found: LiveRobot = robots[name]
    return found


def _bench(session: HostSession, name: str) -> LiveRobot:
    """A robot that may be put elsewhere; where it was at first is noted, and put back before a run."""
    robot = _robot(session, name)
    if session.mode != "bench":
        doing = "runs" if session.mode == "live" else "has run"
        raise MotionError(f"the cell {doing}: {name} is not jogged by hand", hint="restart, and teach on the bench")
    if name not in _starts(session):
        joints = robot.joints
        gap = robot.gripper.gap if robot.has_gripper else None

        def put_back() -> None:
            robot.put(joints)
            if gap is not None:
                robot.gripper.put(gap)

        put_back.start = {name: joints}  # type: ignore[attr-defined]
        session.before_run.append(put_back)
    return robot


def _starts(session: HostSession) -> dict[str, tuple[float, ...]]:
    """The joints at which jogged robots begin a run."""
    found: dict[str, tuple[float, ...]] = {}
    for each in session.before_run:
        found |= getattr(each, "start", {})
    return found


def _state(robot: LiveRobot) -> dict[str, Json]:
    gripper: Json = None
    if robot.has_gripper:
        low, high = robot.gripper.opening
        gripper = {"name": robot.gripper.name, "gap": robot.gripper.gap, "low": low, "high": high}
    joints: list[Json] = [
        {"name": joint.name, "kind": joint.kind, "low": joint.lower, "high": joint.upper, "value": value}
        for joint, value in zip(robot.mechanism.joints, robot.joints, strict=True)
    ]
    return {
        "robot": robot.name,
        "joints": joints,
        "tcp": _seven(robot.pose),
        "in_base": _seven(robot.base.pose.inverse() @ robot.pose),
        "directions": list(Jog(robot).directions),
        "gripper": gripper,
    }


def _verdict(found: ReachVerdict) -> dict[str, Json]:
    return {
        "lamp": found.lamp,
        "text": found.text,
        "suggestion": found.suggestion,
        "configuration": found.configuration,
        "configurations": list(found.configurations),
        "joints": None if found.joints is None else list(found.joints),
        "better": None if found.better is None else _seven(found.better),
        "straight": None if found.straight is None else found.straight.text,
        "straight_possible": bool(found.straight),
    }


def _point(session: HostSession, point: TaughtPoint) -> dict[str, Json]:
    return {"point": plain(PointSpec.of(point)), "pose": _seven(point.pose(session.world))}


def _leg(leg: WalkedStep) -> dict[str, Json]:
    return {
        "number": leg.number,
        "text": leg.step.text,
        "kind": leg.step.kind,
        "lamp": leg.lamp,
        "says": leg.text,
        "hint": leg.hint,
        "duration": leg.duration,
    }


def _texts(lesson: Lesson, session: HostSession) -> tuple[Json, Json]:
    """The programs, or why there is none."""
    cell = session.needs_cell()
    try:
        python: Json = {"text": lesson.as_python(cell)}
    except DrycellError as error:
        python = {"text": "", "error": error.what}
    try:
        made = lesson.as_pascal(cell, start=_starts(session).get(lesson.robot))
        gaps, notes = ([{"step": gap.step, "what": gap.what} for gap in each] for each in (made.gaps, made.notes))
        pascal: Json = {"text": made.text, "gaps": list(gaps), "notes": list(notes)}
    except DrycellError as error:
        pascal = {"text": "", "error": error.what, "gaps": [], "notes": []}
    return python, pascal


def _posed(robot: LiveRobot, joints: list[float]) -> list[tuple[str, Pose]]:
    """Where the bodies of an arm and of what it carries would be with other joints."""
    found: list[tuple[str, Pose]] = []
    poses = robot.mechanism.link_poses(joints)
    base = robot.base.pose
    for link, pose in zip(robot.linkage.links, poses, strict=True):
        found.append((link.name, base @ pose))
    mark = robot.mechanism.flange
    flange = base @ poses[mark.link] @ mark.pose if mark.link >= 0 else base @ mark.pose
    carried = robot.flange.pose.inverse()
    if robot.has_gripper:
        for body in (robot.gripper.palm, *robot.gripper.fingers):
            found.append((body.name, flange @ carried @ body.pose))
    return found


def _pose(seven: list[float]) -> Pose:
    return Pose.of_quaternion(seven[3:], seven[:3])


def _seven(pose: Pose) -> list[Json]:
    return [*pose.position, *pose.quaternion]
