"""The standard controller: jerk-limited, synchronised, blending in zones, stopping on its path."""

from collections.abc import Sequence
from functools import cached_property

from drycell.base import deg
from drycell.handling import MotionLimits, time_law
from drycell.robots.arm import Arm
from drycell.robots.blending import blend
from drycell.robots.memo import Memo
from drycell.robots.path_controller import NOWHERE, Jerk, PathController, TurnJerk
from drycell.robots.plan import JointPlan, Plan, standstill
from drycell.robots.spline import Spline


class StandardController(PathController, kind="standard"):
    """How most industrial controllers of today move an arm.

    * Joint moves: all joints start and arrive together and keep their proportions (phase synchronisation); the joint
      that takes longest runs at its limits. ``speed`` scales speeds only, never accelerations or jerks.
    * Lines and arcs: the tool by a jerk-limited law, turning evenly; the whole move is slowed if a joint is overtaxed.
    * Zones: see :mod:`drycell.robots.blending`.
    * Stops: as quickly as the same limits allow, on the same path. (In the middle of a blend each of the two motions
      stops on its own path, and the two are added up.)
    """

    linear_jerk: Jerk = 20.0
    """Greatest jerk of the TCP on lines and arcs, or ``unlimited``."""
    turn_jerk: TurnJerk = 5000 * deg
    """Greatest jerk of the tool's turn on lines and arcs, or ``unlimited``."""

    @cached_property
    def _blends(self) -> Memo[Plan | None]:
        return Memo()

    def joint_move(self, arm: Arm, start: Sequence[float], end: Sequence[float], speed: float) -> Plan:
        """From joints to joints, at a share (0…1) of every joint's greatest speed."""
        here, there = tuple(start), tuple(end)
        return self._plans.get(("joint", arm, here, there, speed), lambda: _joint_plan(arm, here, there, speed))

    def zone_entry(self, plan: Plan, zone: float) -> float | None:
        """Seconds into a plan at which its tool is within the zone for good."""
        return plan.entry(zone)

    def blend(self, plan: Plan, after: float, following: Plan, zone: float) -> Plan | None:
        """One motion out of what is left of a plan and the next; None if the arm stops in between."""
        if plan.arm is not following.arm:
            return None  # the tool was changed: its path has another meaning now
        return self._blends.get((plan, after, following, zone), lambda: blend(plan, after, following, zone))


def _joint_plan(arm: Arm, start: tuple[float, ...], end: tuple[float, ...], speed: float) -> Plan:
    travel = [there - here for here, there in zip(start, end, strict=True)]
    way = max(map(abs, travel))
    if way <= NOWHERE:
        return standstill(arm, "joint", start)
    # The way is measured in the travel of the joint that goes farthest, which keeps the numbers of ordinary size.
    direction = tuple(each / way for each in travel)
    limits = _way_limits(arm, direction, speed)
    law = time_law(way, limits)
    return JointPlan(
        arm=arm,
        kind="joint",
        spline=Spline.along(start, direction, law, end),
        start=start,
        direction=direction,
        law=law,
        limits=limits,
    )


def _way_limits(arm: Arm, direction: Sequence[float], speed: float) -> MotionLimits:
    """The limits of a way through joint space, so that no joint passes its own."""
    moving = [(joint, abs(share)) for joint, share in zip(arm.mechanism.joints, direction, strict=True) if share]
    return MotionLimits(
        min(joint.speed * speed / share for joint, share in moving),
        min(joint.acceleration / share for joint, share in moving),
        min(joint.jerk / share for joint, share in moving),
    )
