"""Joint moves: the time laws of the joints, and how they are synchronised.

The three ways are those of textbooks and controllers (W. Weber, *Industrieroboter*: asynchronous, synchronous and fully
synchronous point-to-point motion). The joint that needs most time, the leading one, runs at its limits in all of them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from drycell.handling import MotionLimits, TimeLaw, least_time, speed_for, stop_law, time_law
from drycell.robots.arm import Arm
from drycell.robots.move_data import too_short
from drycell.robots.plan import JointPlan, Plan, standstill
from drycell.robots.spline import Spline

# A distance below this (1 nrad, 1 nm) is not a motion.
NOWHERE: Final = 1e-9
# A time that is shorter than possible by less than this fraction is a rounding error.
_ROUNDING: Final = 1e-9
# The zone entry of a move with a law for each joint is searched in steps, then by bisection.
_STEPS, _BISECTIONS = 32, 30

Synchronisation = Literal["phases", "arrival", "none"]


def plan_joint_move(
    arm: Arm,
    start: tuple[float, ...],
    end: tuple[float, ...],
    limits: Sequence[MotionLimits],
    synchronisation: Synchronisation,
    time: float | None = None,
) -> Plan:
    """Plan a move from joints to joints, from rest to rest.

    Args:
        arm: The arm.
        start: The joints at the start.
        end: The joints at the end.
        limits: The limits of each joint.
        synchronisation: How the joints move together.
        time: The duration in seconds; the shortest one if not given.

    Raises:
        MotionError: The time is too short.
    """
    travel = [there - here for here, there in zip(start, end, strict=True)]
    distance = max(map(abs, travel))
    if distance <= NOWHERE:
        return standstill(arm, "joint", start)
    if synchronisation == "phases":
        return _in_phase(arm, start, end, travel, distance, limits, time)
    slowest = [least_time(abs(each), limit) for each, limit in zip(travel, limits, strict=True)]
    if time is not None:
        _check_time(arm, time, max(slowest), slowest.index(max(slowest)))
    if synchronisation == "arrival":
        limits = _arriving(travel, limits, max(slowest) if time is None else max(time, *slowest))
    elif time is not None:
        limits = _timed(travel, limits, max(time, *slowest))
    laws = tuple(
        time_law(there, limit, (here, 0.0, 0.0)) for here, there, limit in zip(start, end, limits, strict=True)
    )
    return AxesPlan(arm=arm, kind="joint", spline=Spline.axes(laws, end), laws=laws, limits=tuple(limits))


def _in_phase(
    arm: Arm,
    start: tuple[float, ...],
    end: tuple[float, ...],
    travel: Sequence[float],
    distance: float,
    limits: Sequence[MotionLimits],
    time: float | None,
) -> JointPlan:
    # The distance is the travel of the joint that moves farthest, which keeps the numbers well scaled.
    direction = tuple(each / distance for each in travel)
    together = _together(direction, limits)
    if time is not None:
        needed = [least_time(abs(each), limit) for each, limit in zip(travel, limits, strict=True)]
        _check_time(arm, time, least_time(distance, together), needed.index(max(needed)))
        together = replace(together, speed=speed_for(distance, together, time))
    law = time_law(distance, together)
    return JointPlan(
        arm=arm,
        kind="joint",
        spline=Spline.along(start, direction, law, end),
        start=start,
        direction=direction,
        law=law,
        limits=together,
    )


def _together(direction: Sequence[float], limits: Sequence[MotionLimits]) -> MotionLimits:
    """The limits of a straight motion in joint space, so that no joint passes its own."""
    moving = [(limit, abs(fraction)) for limit, fraction in zip(limits, direction, strict=True) if fraction]
    return MotionLimits(
        min(limit.speed / fraction for limit, fraction in moving),
        min(limit.acceleration / fraction for limit, fraction in moving),
        min(limit.jerk / fraction for limit, fraction in moving),
    )


def _arriving(travel: Sequence[float], limits: Sequence[MotionLimits], time: float) -> list[MotionLimits]:
    """The limits with which every joint arrives after the same time: lower speeds, but each its own acceleration."""
    return [
        replace(limit, speed=speed_for(abs(each), limit, time)) if abs(each) > NOWHERE else limit
        for each, limit in zip(travel, limits, strict=True)
    ]


def _timed(travel: Sequence[float], limits: Sequence[MotionLimits], time: float) -> list[MotionLimits]:
    """The limits with the same fraction of all speeds, so that the last joint arrives after a time."""
    fraction = max(
        speed_for(abs(each), limit, time) / limit.speed
        for each, limit in zip(travel, limits, strict=True)
        if abs(each) > NOWHERE
    )
    return [replace(limit, speed=limit.speed * fraction) for limit in limits]


def _check_time(arm: Arm, time: float, least: float, leading: int) -> None:
    if time < least * (1.0 - _ROUNDING):
        raise too_short(arm.name, time, least, arm.mechanism.joints[leading].name)


@dataclass(frozen=True, eq=False, kw_only=True)
class AxesPlan(Plan):
    """A joint move in which each joint has its own time law."""

    laws: tuple[TimeLaw, ...]
    limits: tuple[MotionLimits, ...]

    def entry(self, zone: float) -> float:
        goal = self.arm.tcp(self.end).position

        def outside(u: float) -> bool:
            return math.dist(self.arm.tcp(self.spline.joints(u)).position, goal) > zone

        # The last crossing in the second half counts: the TCP may approach its end, leave and return.
        low = high = 0.5 * self.duration
        for step in range(1, _STEPS + 1):
            u = self.duration * (1.0 - 0.5 * step / _STEPS)
            if outside(u):
                low, high = u, self.duration * (1.0 - 0.5 * (step - 1) / _STEPS)
                break
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if outside(middle) else (low, middle)
        return high

    def stopped(self, u: float) -> "AxesPlan":
        laws = tuple(stop_law(limits, law.state(u)) for law, limits in zip(self.laws, self.limits, strict=True))
        return replace(self, laws=laws, spline=Spline.axes(laws))

    def after(self, u: float) -> "AxesPlan":
        laws = tuple(law.after(u) for law in self.laws)
        return replace(self, laws=laws, spline=Spline.axes(laws, self.end))

    def stretched(self, factor: float) -> "AxesPlan":
        laws = tuple(law.stretched(factor) for law in self.laws)
        limits = tuple(each.stretched(factor) for each in self.limits)
        return replace(self, laws=laws, limits=limits, spline=Spline.axes(laws, self.end))
