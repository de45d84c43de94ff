"""The time of a line that joint limits slow down agrees with toppra, an independent library for time-optimal laws."""

import logging
import random

import numpy as np
import pytest

from drycell.base import DrycellError, Pose
from drycell.handling import MotionLimits, TimeLaw
from drycell.robots import IndependentController, StandardController, load_robot
from drycell.robots.arm import Arm
from drycell.robots.path_controllers import PathController
from drycell.robots.plan import PathPlan
from drycell.robots.tool_trajectory import TimedPath, ToolTrajectory, track

toppra = pytest.importorskip("toppra", reason="in the extra 'dev'")

GRID = 800
SPEED = 0.5


def fastest(plan: PathPlan, limits: MotionLimits) -> float:
    """toppra's shortest time for the path of a plan: joint limits, and those of the tool as one more joint."""
    logging.getLogger("toppra").setLevel(logging.ERROR)
    arm, path = plan.arm, plan.trajectory.paths[0].path
    evenly = TimedPath(path, TimeLaw((0.0, path.span), ((0.0, 1.0, 0.0, 0.0),)), MotionLimits(1.0, 1.0, 1.0))
    joints = track(arm, ToolTrajectory((evenly,)), plan.spline.joints(0.0), "goal")
    places = np.linspace(0.0, path.span, GRID // 2 + 1)
    values = np.array([[*joints.joints(float(place)), place] for place in places])
    speed = np.array([*(joint.speed for joint in arm.mechanism.joints), limits.speed])
    acceleration = np.array([*(joint.acceleration for joint in arm.mechanism.joints), limits.acceleration])
    bounded = toppra.constraint.JointVelocityConstraint(np.column_stack((-speed, speed)))
    quick = toppra.constraint.JointAccelerationConstraint(
        np.column_stack((-acceleration, acceleration)),
        discretization_scheme=toppra.constraint.DiscretizationType.Interpolation,
    )
    solver = toppra.algorithm.TOPPRA(
        [bounded, quick],
        toppra.SplineInterpolator(places, values),
        gridpoints=np.linspace(0.0, path.span, GRID + 1),
        parametrizer="ParametrizeConstAccel",
    )
    return float(solver.compute_trajectory(0.0, 0.0).duration)


def slowed_lines(controller: PathController, count: int) -> list[tuple[PathPlan, MotionLimits]]:
    """Random lines of arms that a joint limit slows down, with the limits of the tool."""
    draw = random.Random(7)
    found: list[tuple[PathPlan, MotionLimits]] = []
    while len(found) < count:
        arm = Arm("arm", load_robot(draw.choice(["puma560", "ur5-like", "irb2000-like", "cmm"])))
        start = tuple(draw.uniform(max(joint.lower, -2.5), min(joint.upper, 2.5)) for joint in arm.mechanism.joints)
        step = np.array([draw.gauss(0.0, 1.0) for _ in range(3)])
        step *= draw.uniform(0.05, 0.6) / np.linalg.norm(step)
        end = Pose(*step.tolist()) @ arm.tcp(start)
        try:
            plan = controller.linear_move(arm, start, end, SPEED, "goal")
        except DrycellError:
            continue
        if isinstance(plan, PathPlan) and plan.slowed > 1.0:
            most = min(SPEED, arm.mechanism.path_speed or SPEED)
            found.append((plan, plan.trajectory.paths[0].path.limits(*controller._limits(most))))
    return found


def test_slowed_lines_take_the_shortest_time_that_the_limits_allow() -> None:
    for plan, limits in slowed_lines(IndependentController(), 6):
        shortest = fastest(plan, limits)
        # The bounds hold at about 100 places of the path, and are tightened where a limit is passed between them.
        assert 0.998 * shortest <= plan.duration <= 1.02 * shortest, plan.slowed_by


def test_a_limited_jerk_costs_time_only_beside_the_slowed_part() -> None:
    for plan, limits in slowed_lines(StandardController(), 4):
        ramps = 2.0 * limits.acceleration / limits.jerk  # a change of speed with limited jerk takes this much longer
        shortest = fastest(plan, limits)
        assert 0.998 * shortest <= plan.duration <= 1.02 * shortest + ramps, plan.slowed_by
