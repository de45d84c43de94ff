"""Tool trajectories: the tool pose as a function of time, and the joint motion that follows it.

A trajectory is one path with a time law, or several that overlap in a blend. The joint motion is a cubic spline through
joints that are solved along the path. It is refined until the tool deviates by at most ``TOLERANCE`` between the knots,
in time as well as in space. After that only the spline is used: it drives the arm and is recorded.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np

from drycell.base import Array, MotionError, Pose, Vector
from drycell.handling import MotionLimits, TimeLaw, stop_law
from drycell.robots.arm import Arm
from drycell.robots.path import Path
from drycell.robots.spline import Spline, rest
from drycell.robots.supervision import changes, named_singularity

# Breaks closer than ten ticks are merged: the acceleration of a piece between them would be rounding noise.
SAME_INSTANT = 1e-5
# A law that ends this close to the end of its path (as a fraction of it) ends there.
_SAME_PLACE = 1e-9
# Of a step, so that their number does not depend on the last bits of a length.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class TimedPath:
    """One path with a time law (in metres, or radians of turn), which begins ``begins`` seconds into the trajectory."""

    path: Path
    law: TimeLaw
    limits: MotionLimits
    begins: float = 0.0

    @property
    def ends(self) -> float:
        """The end, in seconds from the start of the trajectory."""
        return self.begins + self.law.duration

    def stopped(self, u: float, gentler: float) -> "TimedPath":
        """This path from ``u`` seconds on, stopped with its limits divided by ``gentler``.

        The stop never passes the end of the path: a stop that would need more distance is the rest of the law itself.
        """
        state = self.law.state(u - self.begins)
        limits = MotionLimits(self.limits.speed, self.limits.acceleration / gentler, self.limits.jerk / gentler)
        law = stop_law(limits, state)
        if law.end > self.path.span * (1 + _SAME_PLACE):
            law = self.law.after(u - self.begins)
        return replace(self, law=law, begins=0.0)

    def after(self, u: float) -> "TimedPath":
        """The rest of it after ``u`` seconds of the trajectory."""
        if u <= self.begins:
            return replace(self, begins=self.begins - u)
        return replace(self, law=self.law.after(u - self.begins), begins=0.0)


@dataclass(frozen=True)
class ToolTrajectory:
    """The tool pose as a function of time: the first path, plus the displacement of each later path.

    Where paths overlap, which is the blend of a zone, displacements are added and rotations multiplied. Where only one
    path moves, the tool is exactly on it.
    """

    paths: tuple[TimedPath, ...]

    @property
    def duration(self) -> float:
        """Seconds from start to rest."""
        return max(timed.ends for timed in self.paths)

    @cached_property
    def breaks(self) -> list[float]:
        """The times between which all laws are single cubics, from 0 to the end."""
        instants = sorted({0.0, *(timed.begins + u for timed in self.paths for u in timed.law.breaks)})
        kept = [0.0]
        for u in instants:
            if u - kept[-1] > SAME_INSTANT:
                kept.append(u)
        if len(kept) > 1:
            kept[-1] = instants[-1]
        return kept

    def pose(self, u: float) -> Pose:
        """The tool pose after ``u`` seconds."""
        first, *others = self.paths
        pose = first.path.pose(first.law.state(u - first.begins)[0] / first.path.span)
        for timed in others:
            if u >= timed.begins:
                there = timed.path.pose(timed.law.state(u - timed.begins)[0] / timed.path.span)
                pose = _added(pose, timed.path.start, there)
        return pose

    @property
    def end(self) -> Pose:
        """The pose at rest: exactly the end of the last path, unless it stops before."""
        last = self.paths[-1]
        if abs(last.law.end - last.path.span) <= _SAME_PLACE * last.path.span:
            return last.path.end
        return self.pose(self.duration)

    def velocity(self, u: float) -> tuple[Vector, Vector]:
        """Velocity and angular velocity of the tool, in the frame of the paths, after ``u`` seconds."""
        vx = vy = vz = wx = wy = wz = 0.0
        turned: Pose | None = None
        for timed in self.paths:
            distance, speed, _ = timed.law.state(u - timed.begins)
            fraction, rate = distance / timed.path.span, speed / timed.path.span
            x, y, z = timed.path.tangent(fraction)
            vx, vy, vz = vx + rate * x, vy + rate * y, vz + rate * z
            x, y, z = timed.path.turning(fraction)
            if turned is not None:
                x, y, z = turned.direction(timed.path.start.inverse().direction((x, y, z)))
            wx, wy, wz = wx + rate * x, wy + rate * y, wz + rate * z
            if timed is self.paths[-1]:
                break
            there = timed.path.pose(fraction)
            turned = there if turned is None else _added(turned, timed.path.start, there)
        return (vx, vy, vz), (wx, wy, wz)

    def instants(self, travel: float, turn: float) -> list[float]:
        """The breaks, and times between them so that no step exceeds a travel and a turn."""
        times = [0.0]
        for low, high in pairwise(self.breaks):
            steps = 1
            for timed in self.paths:
                distance = timed.law.state(high - timed.begins)[0] - timed.law.state(low - timed.begins)[0]
                fraction = abs(distance) / timed.path.span
                steps = max(
                    steps,
                    math.ceil(fraction * timed.path.length / travel - _ROUNDING),
                    math.ceil(fraction * timed.path.angle / turn - _ROUNDING),
                )
            times.extend(low + (high - low) * k / steps for k in range(1, steps))
            times.append(high)
        return times

    def stopped(self, u: float, gentler: float = 1.0) -> "ToolTrajectory":
        """The trajectory from ``u`` seconds on, if every path that has begun is stopped."""
        return ToolTrajectory(
            tuple(timed.stopped(u, gentler) for timed in self.paths if timed is self.paths[0] or timed.begins < u)
        )

    def after(self, u: float) -> "ToolTrajectory":
        """The rest after ``u`` seconds; paths that have ended are dropped, except the last one."""
        left = [timed for timed in self.paths if timed.ends > u] or [self.paths[-1]]
        return ToolTrajectory(tuple(timed.after(u) for timed in left))

    def stretched(self, factor: float) -> "ToolTrajectory":
        """This motion made ``factor`` times longer in time, with limits to match."""
        return ToolTrajectory(
            tuple(
                TimedPath(
                    timed.path,
                    timed.law.stretched(factor),
                    timed.limits.stretched(factor),
                    timed.begins * factor,
                )
                for timed in self.paths
            )
        )

    def place(self, u: float) -> str:
        """The progress after ``u`` seconds, for messages: ``132.4 mm of 300.0 mm``."""
        timed = next((timed for timed in reversed(self.paths) if timed.begins <= u), self.paths[0])
        distance = timed.law.state(u - timed.begins)[0]
        if timed.path.length <= 1e-9:
            return f"{math.degrees(distance):.1f} deg of {math.degrees(timed.path.span):.1f} deg"
        return f"{distance * 1e3:.1f} mm of {timed.path.span * 1e3:.1f} mm"


def _added(pose: Pose, start: Pose, there: Pose) -> Pose:
    """A pose plus the displacement from ``start`` to ``there``: translations are added, rotations multiplied."""
    a, b, c, _, d, e, f, _, g, h, i, _ = (pose @ start.inverse() @ there).rows
    (x, y, z), (u, v, w), (p, q, r) = pose.position, start.position, there.position
    return Pose.of_rows((a, b, c, x + p - u, d, e, f, y + q - v, g, h, i, z + r - w))


TOLERANCE: Final = 1e-6  # m: deviation of the TCP from its trajectory
TURN_TOLERANCE: Final = 1e-5  # rad
# The deviation is checked in the middle of a piece, where that of a cubic is greatest, with this margin.
_MARGIN: Final = 0.5
# Distance of the first knots (m, rad): close enough for Newton's method to stay in one configuration.
_STEP, _TURN_STEP = 0.06, 0.25
_DEPTH: Final = 10

Knot = tuple[float, Array, Array]  # seconds, joints, joint speeds


def track(
    arm: Arm,
    trajectory: ToolTrajectory,
    start: Sequence[float],
    target: str,
    speeds: Sequence[float] | None = None,
    goal: Sequence[float] | None = None,
) -> Spline:
    """The joint motion that follows a trajectory.

    Args:
        arm: The arm.
        trajectory: The tool poses over time.
        start: The joints at the start of the trajectory.
        target: The name of the target in messages.
        speeds: The joint speeds at the start, if it continues another motion; by default those of the trajectory.
        goal: A solution for the end, if the caller has one; it is used if the motion ends there.

    Raises:
        MotionError: The arm cannot follow the trajectory; the message states where.
    """
    return _Tracker(arm, trajectory, target, goal).spline(start, speeds)


class _Tracker:
    def __init__(self, arm: Arm, trajectory: ToolTrajectory, target: str, goal: Sequence[float] | None) -> None:
        self._arm, self._trajectory, self._target, self._goal = arm, trajectory, target, goal
        self._first: Sequence[float] = ()  # the joints at the start
        self._full = arm.mechanism.dof >= 6  # whether it can take any orientation

    def spline(self, start: Sequence[float], speeds: Sequence[float] | None) -> Spline:
        trajectory = self._trajectory
        if trajectory.duration <= SAME_INSTANT:
            return rest(start)
        instants = trajectory.instants(_STEP, _TURN_STEP)
        first = self._speeds(0.0, start) if speeds is None else np.array(speeds, dtype=float)
        knot: Knot = (0.0, np.array(start, dtype=float), first)
        self._first = tuple(start)
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
        """The next knot, in smaller steps if Newton's method does not converge in one."""
        guess = knot[1] + (u - knot[0]) * knot[2]
        found = self._arm.approach(self._trajectory.pose(u), guess.tolist())
        if found is not None:
            return [self._knot(u, found)]
        if depth == 0:
            raise self._stuck(u, knot[1])
        first = self._advance(knot, 0.5 * (knot[0] + u), depth - 1)
        return first + self._advance(first[-1], u, depth - 1)

    def _refine(self, left: Knot, right: Knot, knots: list[Knot], depth: int) -> None:
        """Add knots between two, until the cubic between each pair is close enough to the trajectory."""
        (t, a, v), (u, b, w) = left, right
        middle = 0.5 * (t + u)
        guess = 0.5 * (a + b) + 0.125 * (u - t) * (v - w)
        if self._near(self._trajectory.pose(middle), guess):
            return
        if depth == 0:
            raise self._stuck(middle, guess)
        found = self._arm.approach(self._trajectory.pose(middle), guess.tolist())
        if found is None:
            raise self._stuck(middle, guess)
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
                    f"{self._arm.name} cannot continue to {self._target!r}: "
                    f"{self._trajectory.place(u)} from the start, "
                    f"{joint.name} needs {joint.show(value)}, limit {joint.range}{self._other_way(joints)}",
                    hint="start in another configuration, turn the tool, or use move() for this stretch",
                )
        return (u, np.array(joints), self._speeds(u, joints))

    def _speeds(self, u: float, joints: Sequence[float]) -> Array:
        velocity, turn = self._trajectory.velocity(u)
        if not any(velocity) and not any(turn):
            return np.zeros(self._arm.mechanism.dof)
        return self._arm.speeds(joints, velocity, turn)

    def _settled(self, joints: Array) -> Array:
        """The end from inverse kinematics, so that it does not depend on the path by rounding."""
        if self._goal is not None and math.dist(self._goal, joints) < 1e-7:
            return np.array(self._goal)
        try:
            exact = self._arm.mechanism.inverse(self._arm.flange(self._trajectory.end), near=joints.tolist()).joints
        except MotionError:
            return joints  # the nearest orientation of an arm with fewer than six axes
        same = np.array(exact)
        return same if float(np.abs(same - joints).max()) < 1e-7 else joints

    def _other_way(self, joints: Sequence[float]) -> str:
        """The change of configuration that would help, for messages, if the end needs one."""
        change = "" if self._goal is None else changes(self._arm.mechanism, joints, self._goal)
        return f"; the target would need {change}" if change else ""

    def _stuck(self, u: float, near: Array) -> MotionError:
        """Return the error that explains why the arm cannot follow the trajectory after ``u`` seconds."""
        place = f"{self._trajectory.place(u)} from the start"
        reach = self._arm.mechanism.reach(self._arm.flange(self._trajectory.pose(u)))
        if not reach:
            return MotionError(
                f"{self._arm.name} cannot continue to {self._target!r}: {place}, {reach.text}",
                hint=reach.hint or "move start or target closer to the robot, or use move() for this stretch",
            )
        last = near.tolist()
        change = changes(self._arm.mechanism, self._first, last if self._goal is None else self._goal)
        return MotionError(
            f"{self._arm.name} cannot continue to {self._target!r}: {place} there is "
            f"{named_singularity(self._arm.mechanism, last)}, where the arm would have to change its "
            f"configuration{f' ({change})' if change else ''}",
            hint="use move() for this stretch, shift the path off the singularity, or start in another configuration",
        )
