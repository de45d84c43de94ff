"""The three controllers: limits, durations by hand, lines, stops, and what happens near singularities."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from drycell.base import FieldError, MotionError, Pose, mm
from drycell.robots import (
    Arm,
    IndependentController,
    Mechanism,
    MotionController,
    Plan,
    StandardController,
    SteppingController,
    load_robot,
)
from drycell.robots.plan import PathPlan

poses = st.lists(st.floats(-3.0, 3.0), min_size=6, max_size=6)
quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def rows(plan: Plan, count: int = 300) -> np.ndarray:
    return np.array([plan.spline.joints(u) for u in np.linspace(0.0, plan.duration, count)])


@pytest.fixture
def cart(gantry: Mechanism) -> Arm:
    return Arm("cart", gantry)


# ---------------------------------------------------------------- standard


def test_the_slowest_joint_sets_the_pace(cart: Arm):
    # x goes 1 m: 1/1 + 1/2 + 2/20 = 1.6 s; the others arrive with it.
    plan = StandardController().joint_move(cart, (-0.5, 0.0, 0.0), (0.5, 0.25, -0.1), 1.0)
    assert plan.duration == pytest.approx(1.6)
    assert plan.end == (0.5, 0.25, -0.1)


def test_speed_scales_speeds_but_not_accelerations(cart: Arm):
    # At half the speed: 1/0.5 + 0.5/2 + 2/20 = 2.35 s.
    plan = StandardController().joint_move(cart, (-0.5, 0.0, 0.0), (0.5, 0.0, 0.0), 0.5)
    assert plan.duration == pytest.approx(2.35)
    assert plan.spline.top_accelerations[0] == pytest.approx(2.0)


@quick
@given(poses, poses, st.floats(0.05, 1.0))
def test_joint_moves_are_straight_and_keep_every_limit(arm: Arm, start, end, speed):
    plan = StandardController().joint_move(arm, start, end, speed)
    for joint, v, a in zip(arm.mechanism.joints, plan.spline.top_speeds, plan.spline.top_accelerations, strict=True):
        assert v <= joint.speed * speed * (1 + 1e-9)
        assert a <= joint.acceleration * (1 + 1e-9)
    jerk = np.abs(6 * plan.spline.coefficients[:, 3]).max(axis=0)
    assert np.all(jerk <= 60.0 * (1 + 1e-9))
    travel = np.array(end) - start
    done = rows(plan, 40) - start
    # On a straight line through joint space: every row is parallel to the whole travel.
    share = done @ travel / max(float(travel @ travel), 1e-300)
    assert np.abs(done - np.outer(share, travel)).max() < 1e-9
    assert np.abs(rows(plan, 2)[-1] - end).max() < 1e-9


@quick
@given(poses, poses, st.floats(0.0, 1.0))
def test_a_stop_of_a_joint_move_stays_on_its_line_and_keeps_the_limits(arm: Arm, start, end, share):
    controller = StandardController()
    plan = controller.joint_move(arm, start, end, 1.0)
    after = share * plan.duration
    stop = controller.stop(plan, after)
    assert stop.duration <= plan.duration - after + 1e-6
    assert np.abs(rows(stop, 2)[0] - plan.spline.joints(after)).max() < 1e-9
    assert np.all(stop.spline.top_accelerations <= 8.0 * (1 + 1e-6))
    travel = np.array(end) - start
    done = rows(stop, 20) - start
    way = done @ travel / max(float(travel @ travel), 1e-300)
    assert np.abs(done - np.outer(way, travel)).max() < 1e-8
    assert way.max() <= 1.0 + 1e-6


def test_a_line_takes_the_time_computed_by_hand(cart: Arm):
    # 200 mm at 250 mm/s with 2 m/s² and 20 m/s³: 0.2/0.25 + 0.25/2 + 2/20 = 1.025 s.
    plan = StandardController().linear_move(cart, (0.0, 0.0, 0.0), Pose(0.0, 0.2, 0.0), 0.25, "there")
    assert plan.duration == pytest.approx(1.025)
    assert plan.slowed == 1.0


def test_a_stop_on_a_line_stays_on_the_line_to_a_micrometre(arm: Arm):
    controller = StandardController()
    start = arm.tcp(arm.mechanism.home)
    end = start.moved(0.05, 0.3, -0.1)
    plan = controller.linear_move(arm, arm.mechanism.home, end, 0.25, "there")
    stop = controller.stop(plan, 0.6)
    direction = np.subtract(end.position, start.position)
    direction /= np.linalg.norm(direction)
    ways = []
    for joints in rows(stop, 400):
        off = np.subtract(arm.tcp(joints.tolist()).position, start.position)
        ways.append(float(off @ direction))
        assert np.linalg.norm(off - ways[-1] * direction) <= 1e-6
    # From full speed: v/a + a/j = 0.225 s, and half of that times 250 mm/s is 28.125 mm.
    assert stop.duration == pytest.approx(0.225, abs=1e-6)
    assert ways[-1] - ways[0] == pytest.approx(0.028125, abs=2e-6)
    assert np.abs(np.array(stop.spline.speeds(0.0)) - plan.spline.speeds(0.6)).max() < 1e-9


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(0.0, 1.0), st.tuples(*[st.floats(-0.15, 0.15)] * 3))
def test_a_stop_on_any_line_is_on_the_line_and_within_the_limits_of_the_joints(arm: Arm, share: float, travel):
    controller = StandardController()
    start = arm.tcp(arm.mechanism.home)
    try:
        plan = controller.linear_move(arm, arm.mechanism.home, start.moved(*travel), 0.5, "there")
    except MotionError:
        return
    after = share * plan.duration
    stop = controller.stop(plan, after)
    assert stop.spline.joints(0.0) == pytest.approx(plan.spline.joints(after), abs=1e-9)
    assert np.all(stop.spline.top_accelerations <= 8.0 * (1 + 1e-3))
    length = math.hypot(*travel)
    for joints in rows(stop, 50):
        off = np.subtract(arm.tcp(joints.tolist()).position, start.position)
        way = float(off @ travel) / length if length else 0.0
        assert np.linalg.norm(off - way * np.array(travel) / max(length, 1e-300)) <= 1e-6
        assert -1e-6 <= way <= length + 1e-6


def test_a_line_that_overloads_a_joint_is_slowed_only_there(arm: Arm):
    joints = (*arm.mechanism.home[:4], -0.05, 0.0)
    target = arm.tcp(joints).moved(y=0.2)
    plan = StandardController().linear_move(arm, joints, target, 0.25, "there")
    assert np.all(plan.spline.top_speeds <= math.pi * (1 + 1e-6))
    assert np.all(plan.spline.top_accelerations <= 8.0 * (1 + 1e-6))
    assert plan.duration == pytest.approx(1.025 * plan.slowed)
    assert 1.0 < plan.slowed < 1.5  # as a whole it would take more than twice as long
    assert "mm of 200.0 mm" in plan.slowed_by
    # In the second half, far from the singularity, the tool has its commanded speed.
    u = plan.duration - 0.4
    assert isinstance(plan, PathPlan)
    assert math.hypot(*plan.trajectory.velocity(u)[0]) == pytest.approx(0.25)


def test_a_gantry_with_a_weak_axis_takes_the_time_computed_by_hand():
    # 500 mm at 250 mm/s with 20 m/s³, and 1.875 m/s² instead of 2: 0.5/0.25 + 0.25/1.875 + 1.875/20 = 2.22708 s.
    machine = load_robot("cmm")
    weak = tuple(replace(joint, acceleration=1.875) for joint in machine.joints)
    arm = Arm("cmm", replace(machine, joints=weak))
    joints = (0.2, *machine.home[1:])
    here = arm.tcp(joints)
    there = arm.tcp((0.7, *machine.home[1:]))
    assert math.dist(here.position, there.position) == pytest.approx(0.5)
    plan = StandardController().linear_move(arm, joints, there, 0.25, "there")
    assert plan.duration == pytest.approx(2.0 + 0.25 / 1.875 + 1.875 / 20, abs=1e-5)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(-0.3, 0.3), st.tuples(*[st.floats(-0.25, 0.25)] * 3), st.floats(0.1, 1.5))
def test_any_line_keeps_the_joint_limits_and_is_never_faster_than_commanded(arm: Arm, bend, travel, speed):
    joints = (*arm.mechanism.home[:4], bend, 0.0)
    start = arm.tcp(joints)
    try:
        plan = StandardController().linear_move(arm, joints, start.moved(*travel), speed, "there")
    except MotionError:
        return
    assert np.all(plan.spline.top_speeds <= math.pi * (1 + 2e-6))
    assert np.all(plan.spline.top_accelerations <= 8.0 * (1 + 4e-6))
    assert plan.slowed >= 1.0
    direction = np.array(travel) / max(math.hypot(*travel), 1e-300)
    for row in rows(plan, 60):
        off = np.subtract(arm.tcp(row.tolist()).position, start.position)
        assert np.linalg.norm(off - (off @ direction) * direction) <= 1e-6


def test_a_line_too_near_a_singularity_is_refused_with_numbers(arm: Arm):
    joints = (*arm.mechanism.home[:4], -0.0005, 0.0)
    with pytest.raises(MotionError) as error:
        StandardController().linear_move(arm, joints, arm.tcp(joints).moved(y=0.2), 0.25, "mill/fixture")
    text = str(error.value)
    assert text.startswith("arm cannot go to 'mill/fixture' at 250.0 mm/s: wrist")
    assert "deg/s, limit 180.0 deg/s, near the wrist singularity " in text
    assert " mm of 200.0 mm from the start\n  try: go at " in text
    assert " mm/s or less, use move() for this stretch, or shift the path off the singularity" in text


def test_a_target_out_of_reach_says_so_before_anything_is_planned(arm: Arm):
    with pytest.raises(MotionError, match=r"cannot reach 'moon': beyond reach by .* mm"):
        StandardController().linear_move(arm, arm.mechanism.home, Pose(5.0, 0.0, 0.0), 0.25, "moon")


def test_a_path_speed_of_the_maker_caps_the_command(gantry: Mechanism):
    from dataclasses import replace

    slow = Arm("cart", replace(gantry, path_speed=0.1))
    plan = StandardController().linear_move(slow, (0.0, 0.0, 0.0), Pose(0.0, 0.2, 0.0), 0.25, "there")
    assert plan.duration == pytest.approx(0.2 / 0.1 + 2 * math.sqrt(0.1 / 20))  # 0.1 m/s is below a²/j


def test_equal_commands_are_planned_once(arm: Arm):
    controller = StandardController()
    end = tuple(q + 0.1 for q in arm.mechanism.home)
    first = controller.joint_move(arm, arm.mechanism.home, end, 1.0)
    assert controller.joint_move(arm, arm.mechanism.home, end, 1.0) is first
    assert controller.joint_move(arm, arm.mechanism.home, end, 0.5) is not first


def test_a_move_to_the_present_position_takes_no_time(arm: Arm):
    home = arm.mechanism.home
    assert StandardController().joint_move(arm, home, home, 1.0).duration == 0.0
    assert StandardController().linear_move(arm, home, arm.tcp(home), 0.25, "here").duration == 0.0


def test_inputs_are_noticed_at_the_next_scan():
    controller = StandardController(scan=0.004)
    assert controller.notices(1_000, 10_001) == 12_000
    assert controller.notices(1_000, 12_000) == 12_000
    assert StandardController(scan=0.0).notices(1_000, 10_001) == 10_001


# ---------------------------------------------------------------- independent axes


def test_independent_axes_arrive_each_in_its_own_time(cart: Arm):
    plan = IndependentController().joint_move(cart, (-0.5, 0.0, 0.0), (0.5, 0.32, 0.0), 1.0)
    assert plan.duration == pytest.approx(1.5)  # trapezoid: 1/1 + 1/2
    assert plan.spline.joints(0.8)[1] == pytest.approx(0.32)  # triangle: 2 √(0.32/2)
    assert plan.end == (0.5, 0.32, 0.0)


def test_independent_axes_stop_each_by_its_own_deceleration(cart: Arm):
    controller = IndependentController()
    plan = controller.joint_move(cart, (-0.5, 0.0, 0.0), (0.5, 0.32, 0.0), 1.0)
    stop = controller.stop(plan, 0.6)
    # x runs at 1 m/s and needs 0.5 s and 0.25 m; y is at 0.4 m/s, braking, and needs 0.2 s and 0.04 m.
    assert stop.duration == pytest.approx(0.5)
    assert stop.end == pytest.approx((-0.5 + 0.35 + 0.25, 0.32, 0.0))


def test_independent_axes_have_no_zones(cart: Arm):
    controller = IndependentController()
    plan = controller.joint_move(cart, (-0.5, 0.0, 0.0), (0.5, 0.0, 0.0), 1.0)
    assert controller.zone_entry(plan, 0.05) is None


# ---------------------------------------------------------------- stepping


@quick
@given(poses, poses, st.floats(0.1, 1.0), st.sampled_from([0.01, 0.02, 0.055]))
def test_both_modes_end_at_the_same_joints(arm: Arm, start, end, speed, cycle):
    steps = SteppingController(cycle).joint_move(arm, start, end, speed)
    whole = SteppingController(cycle, "complete").joint_move(arm, start, end, speed)
    assert steps.end == whole.end == tuple(end)
    if whole.duration:
        assert whole.duration == pytest.approx(cycle)
    cycles = steps.duration / cycle
    assert cycles == pytest.approx(round(cycles))
    assert np.all(steps.spline.top_speeds <= math.pi * speed * (1 + 1e-9))


def test_a_move_takes_as_many_cycles_as_its_slowest_motor_needs(cart: Arm):
    # 1 m at 1 m/s in cycles of 30 ms: 33.3, so 34 of them.
    plan = SteppingController(0.03).joint_move(cart, (-0.5, 0.0, 0.0), (0.5, 0.1, 0.0), 1.0)
    assert plan.duration == pytest.approx(34 * 0.03)
    assert plan.spline.joints(17 * 0.03) == pytest.approx([0.0, 0.05, 0.0])


def test_a_stepped_line_is_on_the_line_at_every_cycle(arm: Arm):
    start = arm.tcp(arm.mechanism.home)
    plan = SteppingController(0.02).linear_move(arm, arm.mechanism.home, start.moved(y=0.1), 0.1, "there")
    assert plan.duration == pytest.approx(1.0)
    for cycle in range(51):
        at = arm.tcp(plan.spline.joints(cycle * 0.02)).position
        assert at == pytest.approx(start.moved(y=0.002 * cycle).position, abs=1e-8)


def test_a_stepped_stop_is_at_once(cart: Arm):
    controller = SteppingController(0.02)
    plan = controller.joint_move(cart, (-0.5, 0.0, 0.0), (0.5, 0.0, 0.0), 1.0)
    stop = controller.stop(plan, 0.2)
    assert stop.duration == 0.0
    assert stop.end == pytest.approx((-0.3, 0.0, 0.0))


def test_events_are_noticed_on_the_boundaries_of_the_moves_own_cycles():
    controller = SteppingController(0.02)
    assert controller.notices(5_000, 5_000) == 5_000
    assert controller.notices(5_000, 30_000) == 45_000
    assert controller.notices(5_000, 45_000) == 45_000


def test_a_wrong_mode_or_cycle_is_refused_by_name():
    with pytest.raises(FieldError, match=r"SteppingController\.mode: expected 'incremental' or 'complete'"):
        SteppingController(mode="complet")  # type: ignore[arg-type]
    with pytest.raises(FieldError, match=r"SteppingController\.cycle: 0 must be above 0"):
        SteppingController(cycle=0.0)
    with pytest.raises(FieldError, match=r"a basic cycle cannot last 1e-09 s"):
        SteppingController(cycle=1e-9)


def test_all_three_are_controllers():
    everyone: list[MotionController] = [StandardController(), IndependentController(), SteppingController()]
    assert [controller.name for controller in everyone] == ["standard", "independent", "stepping"]


def test_the_last_bits_of_a_length_do_not_change_the_time_of_a_slowed_line() -> None:
    arm = Arm("arm", load_robot("scorbot-er3"))
    start = (0.4475, -0.1713, 1.5438, math.pi / 2 - 1.5438 + 0.1713, 2.0183)  # the hand straight down
    found = set()
    for bits in range(-8, 9, 2):
        up = 60 * mm * (1.0 + bits * 2e-16)  # 60 mm is one step between the first knots
        plan = StandardController().linear_move(arm, start, Pose(0.0, 0.0, up) @ arm.tcp(start), 0.11, "goal")
        assert isinstance(plan, PathPlan)
        assert plan.slowed > 1.0
        found.add(round(plan.duration, 8))
    assert max(found) - min(found) <= 1e-8, sorted(found)
