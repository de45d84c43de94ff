"""Tracking: the joint motion that keeps a tool on its course, a cubic spline through joints solved for on the way.

The spline is the motion: it is refined until the tool deviates from its course by no more than ``TOLERANCE`` between
the knots, in time as well as in space, and from then on it alone drives the arm, is sensed and is recorded.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from drycell.base import Array, MotionError, Pose
from drycell.robots.arm import Arm
from drycell.robots.course import SAME_INSTANT, Course
from drycell.robots.spline import Spline, rest

TOLERANCE: Final = 1e-6  # m: the tool centre point against its course
TURN_TOLERANCE: Final = 1e-5  # rad
# The deviation is looked at in the middle of a piece, where that of a cubic is greatest; it must be well within there.
_MARGIN: Final = 0.5
# First knots: near enough to each other for Newton's method to stay in one configuration.
_STEP, _TURN_STEP = 0.06, 0.25
_DEPTH: Final = 10

Knot = tuple[float, Array, Array]  # seconds, joints, joint speeds


def track(
    arm: Arm, course: Course, start: Sequence[float], target: str, speeds: Sequence[float] | None = None
) -> Spline:
    """The joint motion along a course from joints that stand at its start; MotionError says where it cannot go on.

    A motion that takes over from another gives the joint ``speeds`` of that one, so that they go on without a jump.
    """
    return _Tracker(arm, course, target).spline(start, speeds)


class _Tracker:
    def __init__(self, arm: Arm, course: Course, target: str) -> None:
        self._arm, self._course, self._target = arm, course, target
        self._full = arm.mechanism.dof >= 6  # whether it can hold any orientation

    def spline(self, start: Sequence[float], speeds: Sequence[float] | None) -> Spline:
        course = self._course
        if course.duration <= SAME_INSTANT:
            return rest(start)
        instants = course.instants(_STEP, _TURN_STEP)
        first = self._speeds(0.0, start) if speeds is None else np.array(speeds, dtype=float)
        knot: Knot = (0.0, np.array(start, dtype=float), first)
        knots = [knot]
        for u in instants[1:]:
            for following in self._advance(knot, u, _DEPTH):
                if following[0] == instants[-1]:
                    following = (u, self._settled(following[1]), following[2])
                self._refine(knot, following, knots, _DEPTH)
                knots.append(following)
                knot = following
        times, joints, rates = zip(*knots, strict=True)
        return Spline.through(np.array(times), np.array(joints), np.array(rates))

    def _advance(self, knot: Knot, u: float, depth: int) -> list[Knot]:
        """The next knot, reached in smaller steps where one is too far for Newton's method."""
        guess = knot[1] + (u - knot[0]) * knot[2]
        found = self._arm.approach(self._course.pose(u), guess.tolist())
        if found is not None:
            return [self._knot(u, found)]
        if depth == 0:
            raise self._stuck(u)
        first = self._advance(knot, 0.5 * (knot[0] + u), depth - 1)
        return first + self._advance(first[-1], u, depth - 1)

    def _refine(self, left: Knot, right: Knot, knots: list[Knot], depth: int) -> None:
        """Adds knots between two, until the cubic between each pair is close enough to the course."""
        (t, a, v), (u, b, w) = left, right
        middle = 0.5 * (t + u)
        guess = 0.5 * (a + b) + 0.125 * (u - t) * (v - w)
        if self._near(self._course.pose(middle), guess):
            return
        if depth == 0:
            raise self._stuck(middle)
        found = self._arm.approach(self._course.pose(middle), guess.tolist())
        if found is None:
            raise self._stuck(middle)
        knot = self._knot(middle, found)
        self._refine(left, knot, knots, depth - 1)
        knots.append(knot)
        self._refine(knot, right, knots, depth - 1)

    def _near(self, wanted: Pose, joints: Array) -> bool:
        here = self._arm.tcp(joints.tolist())
        (x, y, z), (a, b, c) = wanted.position, here.position
        off = (x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2
        if off > (_MARGIN * TOLERANCE) ** 2:
            return False
        if not self._full:
            return True
        # For a small turn φ, the rotations differ by a matrix of Frobenius norm √2 φ.
        p, q = wanted.rows, here.rows
        turn = sum((p[k] - q[k]) ** 2 for k in (0, 1, 2, 4, 5, 6, 8, 9, 10))
        return turn <= 2.0 * (_MARGIN * TURN_TOLERANCE) ** 2

    def _knot(self, u: float, joints: Sequence[float]) -> Knot:
        for joint, value in zip(self._arm.mechanism.joints, joints, strict=True):
            if not joint.allows(value):
                raise MotionError(
                    f"{self._arm.name} cannot go on to {self._target!r}: {self._course.place(u)} from the start, "
                    f"{joint.name} needs {joint.show(value)}, limit {joint.range}",
                    hint="start in another configuration, turn the tool, or use move() for this stretch",
                )
        return (u, np.array(joints), self._speeds(u, joints))

    def _speeds(self, u: float, joints: Sequence[float]) -> Array:
        velocity, turn = self._course.velocity(u)
        if not any(velocity) and not any(turn):
            return np.zeros(self._arm.mechanism.dof)
        return self._arm.speeds(joints, velocity, turn)

    def _settled(self, joints: Array) -> Array:
        """The end as inverse kinematics gives it, so that it does not depend on the way there by rounding."""
        try:
            exact = self._arm.mechanism.inverse(self._arm.flange(self._course.end), near=joints.tolist()).joints
        except MotionError:
            return joints  # an orientation that is met as nearly as can be
        same = np.array(exact)
        return same if float(np.abs(same - joints).max()) < 1e-7 else joints

    def _stuck(self, u: float) -> MotionError:
        """Why the arm cannot be where the course is after ``u`` seconds."""
        place = f"{self._course.place(u)} from the start"
        reach = self._arm.mechanism.reach(self._arm.flange(self._course.pose(u)))
        if not reach:
            return MotionError(
                f"{self._arm.name} cannot go on to {self._target!r}: {place}, {reach.text}",
                hint=reach.hint or "move start or target closer to the robot, or use move() for this stretch",
            )
        return MotionError(
            f"{self._arm.name} cannot go on to {self._target!r}: {place} it meets a singularity, "
            f"where it would have to change its configuration",
            hint="use move() for this stretch, shift the path off the singularity, or start in another configuration",
        )
