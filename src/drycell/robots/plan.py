"""Plans: motions as a controller has planned them, in seconds from their own start, not yet in cell time."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from drycell.base import MotionError
from drycell.handling import MotionLimits, TimeLaw, stop_law
from drycell.robots.arm import Arm
from drycell.robots.spline import Spline
from drycell.robots.tool_trajectory import ToolTrajectory, track

MoveKind = Literal["joint", "linear", "circular"]

# A zone covers at most half of a move, so that two corners never overlap.
_HALF: Final = 0.5
# The zone entry of a joint move is searched in steps, then by bisection to well below a micrometre.
_STEPS, _BISECTIONS = 16, 20
# How often a stop is planned again because a joint cannot brake as hard as the tool.
_GENTLER: Final = 4


@dataclass(frozen=True, eq=False, kw_only=True)
class Plan(ABC):
    """A motion of an arm's joints.

    ``slowed`` is the factor by which it is longer than commanded, because of joint limits, and ``slowed_by`` the joint
    that the command overloads most, by how much, and where.
    """

    arm: Arm
    kind: MoveKind
    spline: Spline
    slowed: float = 1.0
    slowed_by: str = ""

    @property
    def end(self) -> tuple[float, ...]:
        """The joints at rest."""
        return self.spline.end

    @property
    def duration(self) -> float:
        """Seconds from start to rest."""
        return self.spline.duration

    @abstractmethod
    def entry(self, zone: float) -> float:
        """The time, in seconds, after which the tool stays within ``zone`` metres of the end; in the second half."""

    @abstractmethod
    def stopped(self, u: float) -> "Plan":
        """The motion from ``u`` seconds on, if a stop begins there."""

    @abstractmethod
    def after(self, u: float) -> "Plan":
        """The rest of the motion after ``u`` seconds."""

    def stretched(self, factor: float) -> "Plan":
        """This motion, made ``factor`` times longer in time. Raises MotionError if it cannot be."""
        raise MotionError(
            f"{self.arm.name} cannot scale the speed of this move: its controller makes it in steps of fixed length",
            hint="use override instead of speed_scaling, or another controller, such as standard",
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class JointPlan(Plan):
    """A straight motion in joint space: start + s · direction, with one time law s for all joints."""

    start: tuple[float, ...]
    direction: tuple[float, ...]
    law: TimeLaw
    limits: MotionLimits

    def entry(self, zone: float) -> float:
        goal, whole = self.arm.tcp(self.end).position, self.law.end
        if not self._outside(_HALF * whole, goal, zone):
            low = high = _HALF * whole
        else:
            # The last crossing counts: a joint move may approach its end, leave and return.
            low, high = _HALF * whole, whole
            for step in range(1, _STEPS):
                distance = whole * (1.0 - (1.0 - _HALF) * step / _STEPS)
                if self._outside(distance, goal, zone):
                    low = distance
                    break
                high = distance
            for _ in range(_BISECTIONS):
                middle = 0.5 * (low + high)
                low, high = (middle, high) if self._outside(middle, goal, zone) else (low, middle)
        return self.law.when(high)

    def _outside(self, distance: float, goal: Sequence[float], zone: float) -> bool:
        return math.dist(self.arm.tcp(self._joints(distance)).position, goal) > zone

    def _joints(self, distance: float) -> tuple[float, ...]:
        return tuple(q + distance * d for q, d in zip(self.start, self.direction, strict=True))

    def stopped(self, u: float) -> "JointPlan":
        law = stop_law(self.limits, self.law.state(u))
        return self._by(law, self._joints(law.end))

    def after(self, u: float) -> "JointPlan":
        return self._by(self.law.after(u), self.end)

    def stretched(self, factor: float) -> "JointPlan":
        law = self.law.stretched(factor)
        spline = Spline.along(self.start, self.direction, law, self.end)
        return replace(self, law=law, limits=self.limits.stretched(factor), spline=spline)

    def _by(self, law: TimeLaw, end: tuple[float, ...]) -> "JointPlan":
        return replace(self, law=law, spline=Spline.along(self.start, self.direction, law, end))


@dataclass(frozen=True, eq=False, kw_only=True)
class PathPlan(Plan):
    """A motion of the tool on a line or an arc, or on a blend of several."""

    trajectory: ToolTrajectory
    target: str

    def entry(self, zone: float) -> float:
        timed = self.trajectory.paths[-1]
        fraction = max(timed.path.fraction_at(zone), _HALF)
        alone = max((other.ends for other in self.trajectory.paths[:-1]), default=0.0)
        return max(timed.begins + timed.law.when(fraction * timed.path.span), alone)

    def stopped(self, u: float) -> "PathPlan":
        # The tool's deceleration may be too high for a joint that moves far on a short piece of the path, even if the
        # constant speed there was not. Then the stop is as gentle as that joint needs.
        gentler = 1.0
        for _ in range(_GENTLER):
            trajectory = self.trajectory.stopped(u, gentler)
            spline = track(self.arm, trajectory, self.spline.joints(u), self.target, self.spline.speeds(u))
            excess = self.arm.overload(spline) ** 2
            if excess <= 1.0:
                break
            gentler *= 1.1 * excess
        return replace(self, spline=spline, trajectory=trajectory)

    def after(self, u: float) -> "PathPlan":
        return replace(self, spline=self.spline.after(u), trajectory=self.trajectory.after(u))

    def stretched(self, factor: float) -> "PathPlan":
        return replace(self, spline=self.spline.stretched(factor), trajectory=self.trajectory.stretched(factor))


@dataclass(frozen=True, eq=False, kw_only=True)
class BlendPlan(Plan):
    """The end of one motion overlapped with the beginning of the next in joint space.

    ``second`` begins ``begins`` seconds into ``first``. Its displacement from the ``corner``, where it would begin
    alone, is added to the first motion.
    """

    first: Plan
    second: Plan
    begins: float
    corner: tuple[float, ...]

    @classmethod
    def of(cls, first: Plan, second: Plan, begins: float, corner: tuple[float, ...]) -> "BlendPlan":
        """The sum of two motions."""
        return cls(
            arm=second.arm,
            kind=second.kind,
            spline=first.spline.plus(second.spline, begins, corner),
            slowed=second.slowed,
            slowed_by=second.slowed_by,
            first=first,
            second=second,
            begins=begins,
            corner=corner,
        )

    def entry(self, zone: float) -> float:
        return max(self.begins + self.second.entry(zone), self.first.duration)

    def stopped(self, u: float) -> Plan:
        if u >= self.first.duration:
            return self.second.stopped(u - self.begins)
        slowed = self.first.stopped(u)
        if u <= self.begins:
            return slowed
        return BlendPlan.of(slowed, self.second.stopped(u - self.begins), 0.0, self.corner)

    def after(self, u: float) -> Plan:
        if u >= self.first.duration:
            return self.second.after(u - self.begins)
        return BlendPlan.of(
            self.first.after(u), self.second.after(u - self.begins), max(self.begins - u, 0.0), self.corner
        )


def standstill(arm: Arm, kind: MoveKind, joints: Sequence[float]) -> JointPlan:
    """A plan without motion, for a target where the arm already is."""
    still, still_law = (0.0,) * len(joints), TimeLaw((0.0, 0.0), ((0.0, 0.0, 0.0, 0.0),))
    return JointPlan(
        arm=arm,
        kind=kind,
        spline=Spline.along(joints, still, still_law, joints),
        start=tuple(joints),
        direction=still,
        law=still_law,
        limits=MotionLimits(1.0, 1.0, 1.0),
    )
