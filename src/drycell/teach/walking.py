"""A dry run of a lesson: plan each move as the robot would make it, from the end of the last one.

Nothing runs and nothing is grasped: points on parts use the current poses of the parts. A move to a part that an
earlier step has moved is marked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from drycell.base import DrycellError, Pose, UnknownName, mm
from drycell.robots import Arm, LiveRobot, Plan, approach, joint_pace, name_of, path_pace
from drycell.teach.reachability import Lamp, verdict
from drycell.teach.step import LessonMove, LessonStep

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.teach.lesson import Lesson

_SAMPLES: Final = 24  # minimum number of samples for a preview
_PER_SECOND: Final = 25.0


@dataclass(frozen=True)
class WalkedStep:
    """A step of the dry run. A move has its start and end joints, its plan, and its reachability."""

    number: int
    step: LessonStep
    lamp: Lamp = "green"
    text: str = ""
    hint: str | None = None
    start: tuple[float, ...] = ()
    end: tuple[float, ...] | None = None
    tcp: Pose | None = None  # in the frame of the base
    target: str = ""
    plan: Plan | None = None
    carried: str | None = None  # the part that carries the point, if an earlier step has moved it

    @property
    def duration(self) -> float:
        """Duration of the move in seconds; 0 for other steps."""
        return 0.0 if self.plan is None else self.plan.duration

    def samples(self) -> list[tuple[float, list[float]]]:
        """Return times in seconds and joint values, evenly spaced in time, for a preview."""
        if self.plan is None:
            return []
        count = max(_SAMPLES, round(self.duration * _PER_SECOND))
        times = [self.duration * k / count for k in range(count + 1)]
        return [(time, self.plan.spline.joints(time)) for time in times]


def walk(lesson: "Lesson", cell: "Cell", start: Sequence[float] | None = None) -> list[WalkedStep]:
    """Return the steps of a lesson with planned moves, from the robot's current joints or from ``start``."""
    if lesson.robot not in cell.robots:
        raise UnknownName("robot", lesson.robot, cell.robots)
    robot = cell.robots[lesson.robot]
    joints = tuple(robot.joints if start is None else start)
    legs: list[WalkedStep] = []
    reached: str | None = None  # the part that the last move moved to
    held: str | None = None
    carried: set[str] = set()
    for number, step in enumerate(lesson.steps):
        if step.move is None:
            if step.grip is not None:
                held = reached if step.grip == "close" else None
            legs.append(WalkedStep(number, step))
            continue
        if held is not None:
            carried.add(held)
        on = _part_of(lesson, cell, step.move)
        leg = _leg(lesson, cell, robot, number, step, joints, on if on in carried and on != held else None)
        joints = joints if leg.end is None else leg.end
        reached = on
        legs.append(leg)
    return legs


def _part_of(lesson: "Lesson", cell: "Cell", move: LessonMove) -> str | None:
    """Return the part that the point of a move is on."""
    if move.to is None:
        return None
    point = lesson.points.get(move.to)
    name = point.on if point is not None else move.to
    if point is None and move.to in cell.world.workpoints:
        body = cell.world.workpoints[move.to].body
        name = None if body is None else body.name
    body = cell.world.bodies.get(name) if name is not None else None
    return body.name if body is not None and body.part else None


def _leg(
    lesson: "Lesson",
    cell: "Cell",
    robot: LiveRobot,
    number: int,
    step: LessonStep,
    start: tuple[float, ...],
    gone: str | None,
) -> WalkedStep:
    assert step.move is not None
    move = step.move
    arm = Arm(robot.name, robot.mechanism, robot.tool)
    try:
        if move.joints is not None:
            end = joint_values(robot, move.joints)
            plan = joint_pace(robot, move.speed).joint_move(robot.controller, arm, start, end)
            target = ", ".join(j.show(v) for j, v in zip(robot.mechanism.joints, end, strict=True))
            return WalkedStep(number, step, "green", "", None, start, end, arm.tcp(end), target, plan)
        place, target = _place(lesson, cell, robot, arm, move, start)
        tcp = robot.base.pose.inverse() @ place
        reach = verdict(robot, place, near=start)
        if not reach or reach.joints is None:
            return WalkedStep(number, step, "red", reach.text, reach.suggestion, start, None, tcp, target, carried=gone)
        if move.straight:
            plan = path_pace(robot, move.speed).linear_move(robot.controller, arm, start, tcp, target)
        else:
            plan = joint_pace(robot, move.speed).joint_move(robot.controller, arm, start, reach.joints)
    except DrycellError as error:
        return WalkedStep(number, step, "red", error.what, error.hint, start)
    lamp: Lamp = reach.lamp
    text = reach.text if lamp == "amber" else ""
    if gone is not None:
        lamp, text = "amber", f"an earlier step moves {gone}; only a run shows where it is"
    return WalkedStep(number, step, lamp, text, reach.suggestion, start, plan.end, tcp, target, plan, gone)


def _place(
    lesson: "Lesson", cell: "Cell", robot: LiveRobot, arm: Arm, move: LessonMove, start: Sequence[float]
) -> tuple[Pose, str]:
    """Return the target pose of a move in the world, and its name."""
    if move.back is not None:
        here = robot.base.pose @ arm.tcp(start)
        return here @ Pose(0.0, 0.0, -move.back), f"back {move.back / mm:.1f} mm"
    name = str(move.to)
    point = lesson.points.get(name)
    target = name if point is None else point.workpoint(cell.world)
    spot = approach(target, move.before) if move.before else target
    return robot.place_of(spot), name_of(spot)


def joint_values(robot: LiveRobot, values: Sequence[float]) -> tuple[float, ...]:
    """Return the joint values of a step. Raises MotionError if the robot cannot have them."""
    joints = tuple(map(float, values))
    robot.mechanism.check_joints(joints)
    return joints
