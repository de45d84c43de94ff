"""Forecasts of repeated motions are used again and give the same results; others are computed."""

import numpy as np
import pytest

from drycell.base import Pose
from drycell.geometry import Box
from drycell.handling import MotionLimits, time_law
from drycell.robots import load_robot
from drycell.sensors.skipping import Mover, Movers
from drycell.world import JointTrajectory, Linkage, LiveBody, World

HERE, THERE = [0.0, -1.0, 1.5, 1.0, 0.0], [0.7, -0.8, 1.2, 1.0, 0.3]


class Clock:
    now = 0


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def arm(clock: Clock) -> Linkage:
    world = World(clock)
    mechanism = load_robot("scorbot-er3")
    base = world.add(LiveBody("arm", mechanism.base))
    links = [LiveBody(f"arm/{link.name}", link.shape) for link in mechanism.links]
    arm = Linkage(world, "arm", mechanism, base, links, HERE)
    world.add_linkage(arm)
    return arm


def goes(arm: Linkage, clock: Clock, start: int, there: list[float]) -> int:
    """Moves the arm from where it is; when it arrives."""
    clock.now = start
    here = arm.joints()
    law = time_law(1.0, MotionLimits(0.5, 2.0, 20.0))
    coefficients = np.array(law.pieces)[:, :, None] * (np.array(there) - np.array(here))
    coefficients[:, 0] += np.array(here)
    trajectory = JointTrajectory(start, np.array(law.breaks), coefficients)
    arm.follow(trajectory)
    return trajectory.end


def report(mover: Mover, t: int) -> tuple[object, ...]:
    """All results of a mover, with times from its start."""
    points = np.array([[0.3, 0.1, 0.3], [0.1, 0.3, 0.2], [2.0, 0.0, 0.0]])
    times = mover.arrivals(points, np.array([0.02, 0.1, 0.1]), t) - t
    return mover.centre, mover.speed, mover.sweep, mover.end - t, times.tolist()


def test_a_link_that_moves_as_before_has_the_same_forecast(arm: Linkage, clock: Clock) -> None:
    movers, hand, found = Movers(world_of(arm)), arm.links[-1], []
    for start in (1_000_000, 60_000_001):
        goes(arm, clock, start, THERE)
        mover = movers.mover(hand, start)
        fresh = Mover(world_of(arm), hand, start)
        assert report(mover, start) == report(fresh, start)
        found.append(mover.forecast)
        arm.jump(HERE)
    assert found[0] is found[1]


@pytest.mark.parametrize("later", [1, 250_000])
def test_a_course_that_starts_later_is_different(arm: Linkage, clock: Clock, later: int) -> None:
    movers, hand = Movers(world_of(arm)), arm.links[-1]
    goes(arm, clock, 1_000_000, THERE)
    first = movers.mover(hand, 1_000_000)
    clock.now = 1_000_000 + later
    second = movers.mover(hand, clock.now)
    assert second.forecast is not first.forecast
    assert second.end == first.end
    assert report(second, clock.now) == report(Mover(world_of(arm), hand, clock.now), clock.now)


def test_a_shortened_motion_is_a_different_motion(arm: Linkage, clock: Clock) -> None:
    movers, hand = Movers(world_of(arm)), arm.links[-1]
    goes(arm, clock, 1_000_000, THERE)
    whole = movers.mover(hand, 1_000_000)
    arm.cut(1_500_000)
    assert movers.mover(hand, 1_000_000).end == 1_500_000 < whole.end


def test_a_resting_arm_has_one_course_however_long_it_rests(arm: Linkage, clock: Clock) -> None:
    movers, hand = Movers(world_of(arm)), arm.links[-1]
    end = goes(arm, clock, 1_000_000, THERE)
    assert movers.mover(hand, end + 5).forecast is movers.mover(hand, end + 5_000_000).forecast


def test_an_arm_that_stands_elsewhere_has_other_courses(arm: Linkage, clock: Clock) -> None:
    world = world_of(arm)
    movers, hand = Movers(world), arm.links[-1]
    before = movers.mover(hand, 0).centre
    world.place(arm.base, Pose(1.0, 0.0, 0.0))
    after = movers.mover(hand, 0).centre
    assert after == pytest.approx((before[0] + 1.0, before[1], before[2]))


def test_a_part_is_looked_at_every_time(arm: Linkage, clock: Clock) -> None:
    world = world_of(arm)
    part = world.add(LiveBody("part", Box(0.06, 0.03, 0.04), part=True), arm.links[-1], Pose(0, 0, 0.2))
    movers = Movers(world)
    assert movers.mover(part, 0).forecast is not movers.mover(part, 0).forecast


def world_of(arm: Linkage) -> World:
    world = arm.base.world
    assert world is not None
    return world
