"""Zones: the blend has no jump and stays inside the zone; outside of it, the path is the programmed one."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from drycell.base import MotionError
from drycell.robots import Arm, Mechanism, Plan, StandardController
from drycell.robots.plan import PathPlan

CONTROLLER = StandardController()


def corner(arm: Arm, kinds: str, turn: float) -> tuple[Plan, Plan]:
    """Two moves with a corner in between: j for a joint move, l for a line."""
    home = arm.mechanism.home
    first: Plan
    second: Plan
    if kinds[0] == "j":
        first = CONTROLLER.joint_move(
            arm, home, [q + d for q, d in zip(home, (0.5, 0.3, -0.2, 0.1, 0.2, 1.0), strict=True)], 1.0
        )
    else:
        first = CONTROLLER.linear_move(arm, home, arm.tcp(home).moved(0.0, 0.25, -0.1), 0.25, "corner")
    if kinds[1] == "j":
        step = (0.4 * math.cos(turn), 0.3 * math.sin(turn), -0.2, 0.1, 0.2, 1.0)
        second = CONTROLLER.joint_move(arm, first.end, [q + d for q, d in zip(first.end, step, strict=True)], 1.0)
    else:
        there = arm.tcp(first.end).moved(0.05, 0.2 * math.cos(turn), 0.2 * math.sin(turn))
        second = CONTROLLER.linear_move(arm, first.end, there, 0.25, "there")
    return first, second


blends = pytest.mark.parametrize("kinds", ["jj", "jl", "lj", "ll"])
several = settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@blends
@several
@given(turn=st.floats(-3.0, 3.0), zone=st.floats(0.002, 0.08))
def test_a_blend_is_smooth_and_stays_in_its_zone(arm: Arm, kinds: str, turn: float, zone: float):
    try:
        first, second = corner(arm, kinds, turn)
    except MotionError:
        assume(False)  # the second line leads out of reach
    entry = CONTROLLER.zone_entry(first, zone)
    assert entry is not None
    blended = CONTROLLER.blend(first, entry, second, zone)
    if blended is None:
        return  # blending would gain nothing: it stops in the corner
    # It starts on the first motion, at its speed, and ends where the second one ends.
    assert blended.spline.joints(0.0) == pytest.approx(first.spline.joints(entry), abs=1e-9)
    assert blended.spline.speeds(0.0) == pytest.approx(first.spline.speeds(entry), abs=1e-9)
    assert blended.spline.joints(blended.duration) == pytest.approx(second.end, abs=1e-9)
    assert blended.spline.speeds(blended.duration) == pytest.approx([0.0] * 6, abs=1e-9)
    assert entry + blended.duration <= first.duration + second.duration + 1e-9
    # No joint passes a limit.
    assert np.all(blended.spline.top_speeds <= math.pi * (1 + 1e-5))
    assert np.all(blended.spline.top_accelerations <= 8.0 * (1 + 1e-5))
    # As long as the first motion lasts, the tool is inside the zone (within a thousandth of it, between the looks).
    point = arm.tcp(first.end).position
    left = first.duration - entry
    for u in np.linspace(0.0, left, 200):
        assert math.dist(arm.tcp(blended.spline.joints(u)).position, point) <= zone * 1.001 + 1e-6
    # From then on it is where the second motion alone would take it.
    late = blended.duration - second.duration
    for u in np.linspace(left, blended.duration, 50):
        here, there = arm.tcp(blended.spline.joints(u)), arm.tcp(second.spline.joints(u - late))
        assert math.dist(here.position, there.position) <= 2e-6


def test_two_lines_are_blended_in_space_so_that_the_tool_does_not_tilt(arm: Arm):
    first, second = corner(arm, "ll", 1.0)
    entry = first.entry(0.05)
    blended = CONTROLLER.blend(first, entry, second, 0.05)
    assert isinstance(blended, PathPlan)
    upright = arm.tcp(first.end)
    for u in np.linspace(0.0, blended.duration, 100):
        assert arm.tcp(blended.spline.joints(u)).distance_to(upright)[1] <= 1e-5


def test_the_zone_is_entered_at_its_radius(arm: Arm):
    for kinds in ("jj", "ll"):
        first, _ = corner(arm, kinds, 1.0)
        point = arm.tcp(first.end).position
        for zone in (0.005, 0.03):
            entry = first.entry(zone)
            assert math.dist(arm.tcp(first.spline.joints(entry)).position, point) == pytest.approx(zone, abs=2e-6)


def test_a_zone_reaches_back_over_half_a_move_at_most(arm: Arm):
    first, _ = corner(arm, "ll", 1.0)
    assert first.entry(5.0) == pytest.approx(first.duration / 2, abs=1e-9)


def test_straight_on_at_full_speed_the_arm_does_not_slow_down(gantry: Mechanism):
    cart = Arm("cart", gantry)
    first = CONTROLLER.linear_move(cart, (-0.4, 0.0, 0.0), cart.tcp((0.0, 0.0, 0.0)), 0.25, "middle")
    second = CONTROLLER.linear_move(cart, (0.0, 0.0, 0.0), cart.tcp((0.4, 0.0, 0.0)), 0.25, "end")
    zone = 0.028125  # the distance in which it brakes from 250 mm/s, computed by hand
    entry = first.entry(zone)
    blended = CONTROLLER.blend(first, entry, second, zone)
    assert blended is not None
    speeds = [blended.spline.speeds(u)[0] for u in np.linspace(0.0, 1.5, 100)]
    assert speeds == pytest.approx([0.25] * 100, abs=1e-6)
    # 800 mm at 250 mm/s, once up and once down: 3.2 + 0.125 + 0.1.
    assert entry + blended.duration == pytest.approx(3.425, abs=1e-6)


def test_a_stop_inside_a_blend_keeps_the_limits(arm: Arm):
    for kinds in ("jj", "ll", "jl"):
        first, second = corner(arm, kinds, 0.5)
        blended = CONTROLLER.blend(first, first.entry(0.05), second, 0.05)
        assert blended is not None
        for after in (0.01, 0.1, 0.2, blended.duration - 0.05):
            stop = CONTROLLER.stop(blended, after)
            assert stop.spline.joints(0.0) == pytest.approx(blended.spline.joints(after), abs=1e-9)
            assert stop.spline.speeds(0.0) == pytest.approx(blended.spline.speeds(after), abs=1e-6)
            assert stop.spline.speeds(stop.duration) == pytest.approx([0.0] * 6, abs=1e-6)


def test_a_third_move_blends_into_a_blend(arm: Arm):
    first, second = corner(arm, "ll", 1.0)
    blended = CONTROLLER.blend(first, first.entry(0.02), second, 0.02)
    assert blended is not None
    third = CONTROLLER.joint_move(arm, second.end, [q + 0.2 for q in second.end], 1.0)
    entry = blended.entry(0.02)
    whole = CONTROLLER.blend(blended, entry, third, 0.02)
    assert whole is not None
    assert whole.spline.joints(0.0) == pytest.approx(blended.spline.joints(entry), abs=1e-9)
    assert whole.spline.speeds(0.0) == pytest.approx(blended.spline.speeds(entry), abs=1e-9)
    assert whole.end == third.end


def test_a_changed_tool_is_not_blended_across(arm: Arm):
    first, second = corner(arm, "jj", 1.0)
    other = Arm("arm", arm.mechanism)
    following = CONTROLLER.joint_move(other, first.end, second.end, 1.0)
    assert CONTROLLER.blend(first, first.entry(0.05), following, 0.05) is None
