"""Motion data of single moves: accelerations, times, laws and synchronisation, against formulas by hand."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from drycell.base import DrycellError, FileError, MotionError, deg
from drycell.handling import MotionLimits, least_time, speed_for, time_law
from drycell.robots import (
    Arm,
    IndependentController,
    Mechanism,
    MotionController,
    Plan,
    StandardController,
    SteppingController,
    load_robot,
    usual_motion,
)
from drycell.robots.joint_moves import AxesPlan
from drycell.robots.move_data import MoveData

quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
# The home of the 6R arm is (0, −1.2, 1.2, −1.5, −1.57, 0); all joints: π rad/s, 8 rad/s², 60 rad/s³.
TRAVEL = (0.9, -0.4, 0.6, 0.2, -1.3, 0.05)


def trapezoid(distance: float, speed: float, acceleration: float) -> float:
    """The duration of a trapezoid, or of a triangle if the speed is not reached."""
    if distance <= speed**2 / acceleration:
        return 2.0 * math.sqrt(distance / acceleration)
    return distance / speed + speed / acceleration


def there(arm: Arm) -> tuple[float, ...]:
    return tuple(q + d for q, d in zip(arm.mechanism.home, TRAVEL, strict=True))


# ---------------------------------------------------------------- laws


@quick
@given(
    st.floats(1e-5, 10.0),
    st.floats(1e-3, 10.0),
    st.floats(1e-2, 100.0),
    st.one_of(st.just(math.inf), st.floats(0.1, 5000.0)),
    st.floats(1.0, 6.0),
)
def test_least_time_and_speed_for_agree_with_the_law(distance, speed, acceleration, jerk, longer):
    limits = MotionLimits(speed, acceleration, jerk)
    least = least_time(distance, limits)
    assert time_law(distance, limits).duration == pytest.approx(least, rel=1e-9)
    slower = speed_for(distance, limits, longer * least)
    assert slower <= speed
    made = time_law(distance, MotionLimits(slower, acceleration, jerk)).duration
    assert made == pytest.approx(longer * least, rel=1e-9)


# ---------------------------------------------------------------- joint moves by hand


@pytest.mark.parametrize(("speed", "acceleration"), [(1.05, 1.4), (0.3, 1.4), (3.0, 0.5), (0.8, 7.5)])
def test_a_trapezoidal_joint_move_takes_the_time_of_its_leading_axis(arm: Arm, speed: float, acceleration: float):
    """Like movej(q, a, v): the joint that moves farthest follows a trapezoid with v and a, the others in proportion."""
    data = MoveData((speed,) * 6, (acceleration,) * 6)
    plan = StandardController(law="trapezoidal").joint_move(arm, arm.mechanism.home, there(arm), 1.0, data)
    assert plan.duration == pytest.approx(trapezoid(1.3, speed, acceleration), abs=1e-9)
    for u in np.linspace(0.0, plan.duration, 7):
        done = np.subtract(plan.spline.joints(float(u)), arm.mechanism.home)
        assert done == pytest.approx(done[4] / TRAVEL[4] * np.array(TRAVEL), abs=1e-9)


@pytest.mark.parametrize(("speed", "acceleration"), [(0.25, 1.2), (0.05, 0.3), (0.6, 0.4)])
def test_a_trapezoidal_line_takes_the_time_of_its_length(arm: Arm, speed: float, acceleration: float):
    """Like movel(p, a, v)."""
    start = arm.tcp(arm.mechanism.home)
    plan = StandardController(law="trapezoidal").linear_move(
        arm, arm.mechanism.home, start.moved(0.1, 0.2, -0.05), speed, "there", MoveData(acceleration=acceleration)
    )
    length = math.sqrt(0.1**2 + 0.2**2 + 0.05**2)
    assert plan.slowed == 1.0
    assert plan.duration == pytest.approx(trapezoid(length, speed, acceleration), abs=1e-9)


def test_an_acceleration_on_a_line_keeps_the_jerk(arm: Arm):
    # 200 mm at 250 mm/s with 1 m/s² and 20 m/s³: 0.2/0.25 + 0.25/1 + 1/20 = 1.1 s.
    start = arm.tcp(arm.mechanism.home)
    plan = StandardController().linear_move(
        arm, arm.mechanism.home, start.moved(y=0.2), 0.25, "there", MoveData(acceleration=1.0)
    )
    assert plan.duration == pytest.approx(1.1)


def test_in_phases_all_joints_accelerate_cruise_and_brake_together(arm: Arm):
    plan = StandardController(law="trapezoidal").joint_move(arm, arm.mechanism.home, there(arm), 0.2)
    assert len(plan.spline.breaks) == 4
    assert plan.duration == pytest.approx(trapezoid(1.3, 0.2 * math.pi, 8.0), abs=1e-9)


def test_on_arrival_each_joint_has_its_own_acceleration_and_all_arrive_together(arm: Arm):
    controller = StandardController(law="trapezoidal", synchronisation="arrival")
    plan = controller.joint_move(arm, arm.mechanism.home, there(arm), 0.2)
    whole = trapezoid(1.3, 0.2 * math.pi, 8.0)
    assert plan.duration == pytest.approx(whole, abs=1e-9)
    assert plan.end == there(arm)
    for k, travel in enumerate(TRAVEL):
        # d = v·T − v²/a, solved for v.
        v = 4.0 * (whole - math.sqrt(whole**2 - abs(travel) / 2.0))
        assert plan.spline.top_speeds[k] == pytest.approx(v, rel=1e-9)
        assert plan.spline.top_accelerations[k] == pytest.approx(8.0, rel=1e-9)
        assert abs(plan.spline.joints(whole - 0.01)[k] - there(arm)[k]) > 1e-6  # still moves


def test_on_arrival_zones_blend(arm: Arm):
    controller = StandardController(synchronisation="arrival")
    plan = controller.joint_move(arm, arm.mechanism.home, there(arm), 1.0)
    entry = controller.zone_entry(plan, 0.05)
    assert isinstance(plan, AxesPlan)
    assert entry is not None
    corner = arm.tcp(plan.end).position
    assert math.dist(arm.tcp(plan.spline.joints(entry)).position, corner) == pytest.approx(0.05, abs=1e-6)
    following = controller.joint_move(arm, plan.end, arm.mechanism.home, 1.0)
    blended = controller.blend(plan, entry, following, 0.05)
    assert blended is not None
    assert blended.duration < plan.duration - entry + following.duration
    assert np.all(blended.spline.top_accelerations <= 8.0 * (1 + 1e-5))


def test_a_zone_on_arrival_that_covers_the_whole_move_begins_in_its_middle(arm: Arm):
    controller = StandardController(synchronisation="arrival")
    plan = controller.joint_move(arm, arm.mechanism.home, there(arm), 1.0)
    assert controller.zone_entry(plan, 5.0) == pytest.approx(0.5 * plan.duration)


def test_without_synchronisation_each_joint_arrives_in_its_own_time(arm: Arm):
    plan = StandardController(synchronisation="none").joint_move(arm, arm.mechanism.home, there(arm), 1.0)
    assert isinstance(plan, AxesPlan)
    own = [least_time(abs(d), MotionLimits(math.pi, 8.0, 60.0)) for d in TRAVEL]
    assert [law.duration for law in plan.laws] == pytest.approx(own, abs=1e-9)
    assert plan.duration == pytest.approx(max(own))


def test_independent_axes_can_have_a_jerk(arm: Arm):
    plan = IndependentController(law="jerk-limited").joint_move(arm, arm.mechanism.home, there(arm), 1.0)
    assert np.abs(6 * plan.spline.coefficients[:, 3]).max() == pytest.approx(60.0)


def test_a_jerk_without_effect_is_refused():
    with pytest.raises(DrycellError, match=r"linear_jerk: has no effect with a trapezoidal law") as error:
        StandardController(law="trapezoidal", linear_jerk=5.0)
    assert "remove it, or write 'law: jerk-limited'" in str(error.value)


# ---------------------------------------------------------------- times


CONTROLLERS: list[MotionController] = [
    StandardController(),
    StandardController(law="trapezoidal"),
    StandardController(synchronisation="arrival"),
    StandardController(synchronisation="none"),
    IndependentController(),
]


@pytest.mark.parametrize("controller", CONTROLLERS)
@pytest.mark.parametrize("time", [1.25, 3.0, 40.0])
def test_a_move_takes_the_time_it_is_given(arm: Arm, controller: MotionController, time: float):
    start = arm.tcp(arm.mechanism.home)
    data = MoveData(time=time)
    moves: list[Plan] = [
        controller.joint_move(arm, arm.mechanism.home, there(arm), 1.0, data),
        controller.linear_move(arm, arm.mechanism.home, start.moved(y=0.2), math.inf, "there", data),
        controller.circular_move(
            arm,
            arm.mechanism.home,
            start.moved(0.05, 0.05, 0.0).position,
            start.moved(0.0, 0.1, 0.0),
            math.inf,
            "there",
            data,
        ),
    ]
    for plan in moves:
        assert plan.duration == pytest.approx(time, abs=1e-9)
        assert plan.slowed == 1.0


def test_a_time_keeps_the_acceleration_and_lowers_the_speed(arm: Arm):
    # 200 mm with 2 m/s² in 1 s: v − v²/2 = 0.2, so v = 1 − √0.6.
    start = arm.tcp(arm.mechanism.home)
    plan = StandardController(law="trapezoidal").linear_move(
        arm, arm.mechanism.home, start.moved(y=0.2), math.inf, "there", MoveData(time=1.0)
    )
    assert plan.duration == pytest.approx(1.0)
    half = math.dist(arm.tcp(plan.spline.joints(0.5)).position, arm.tcp(plan.spline.joints(0.501)).position)
    assert half / 0.001 == pytest.approx(1.0 - math.sqrt(0.6), rel=1e-4)


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_a_time_that_is_too_short_is_refused_with_the_least_time(arm: Arm, controller: MotionController):
    shortest = controller.joint_move(arm, arm.mechanism.home, there(arm), 1.0).duration
    with pytest.raises(MotionError) as error:
        controller.joint_move(arm, arm.mechanism.home, there(arm), 1.0, MoveData(time=0.1))
    text = str(error.value)
    assert f"arm cannot make this move in 0.100 s: wrist2 needs at least {shortest:.6f} s" in text
    assert f"try: give time={math.ceil(shortest * 1000) / 1000:.3f} or more" in text
    exact = controller.joint_move(arm, arm.mechanism.home, there(arm), 1.0, MoveData(time=shortest))
    assert exact.duration == pytest.approx(shortest, abs=1e-9)


def test_a_line_that_a_joint_slows_still_takes_its_time(arm: Arm):
    """Near a singularity the tool is slower there, and faster elsewhere; the least time is that of the fastest way."""
    joints = (*arm.mechanism.home[:4], -0.05, 0.0)
    target = arm.tcp(joints).moved(y=0.2)
    controller = StandardController()
    plain = controller.linear_move(arm, joints, target, 0.25, "there")
    assert plain.slowed > 1.0
    for time in (plain.duration, 1.02 * plain.duration, 0.99 * plain.duration):
        plan = controller.linear_move(arm, joints, target, math.inf, "there", MoveData(time=time))
        assert plan.duration == pytest.approx(time, abs=1e-9)
        assert np.all(plan.spline.top_speeds <= math.pi * (1 + 1e-5))
        assert np.all(plan.spline.top_accelerations <= 8.0 * (1 + 1e-5))
    with pytest.raises(MotionError, match=r"cannot make this move in 0\.700 s: .*the tool needs at least"):
        controller.linear_move(arm, joints, target, math.inf, "there", MoveData(time=0.7))


def test_steps_take_the_whole_cycles_that_fit_into_a_time(arm: Arm):
    controller = SteppingController(0.03)
    data = MoveData(time=1.0)
    plan = controller.joint_move(arm, arm.mechanism.home, there(arm), 1.0, data)
    assert plan.duration == pytest.approx(33 * 0.03)
    start = arm.tcp(arm.mechanism.home)
    line = controller.linear_move(arm, arm.mechanism.home, start.moved(y=0.1), math.inf, "there", data)
    assert line.duration == pytest.approx(33 * 0.03)
    with pytest.raises(MotionError, match=r"wrist2 needs at least 0\.420000 s"):
        controller.joint_move(arm, arm.mechanism.home, there(arm), 1.0, MoveData(time=0.3))
    with pytest.raises(MotionError, match=r"in complete mode every move takes one cycle, 0\.030 s"):
        SteppingController(0.03, "complete").joint_move(arm, arm.mechanism.home, there(arm), 1.0, data)


# ---------------------------------------------------------------- commands


def test_moves_take_fractions_or_texts_with_units(scene, six_axis: Mechanism):
    robot = scene.robot(six_axis, controller=StandardController(law="trapezoidal"))
    away = tuple(q + d for q, d in zip(six_axis.home, TRAVEL, strict=True))

    def program():
        robot.move_joints(away, 0.25, acceleration=0.5)
        robot.move_joints(six_axis.home, "60 deg/s", acceleration="80 deg/s^2")
        robot.move_joints(away, time=2.5)
        robot.home("60 deg/s")
        here = robot.here.local
        robot.move_linear(here.moved(y=0.1), 0.2, acceleration=0.5)
        robot.move_linear(here, "200 mm/s", acceleration="0.5 m/s^2")
        robot.move_circular(here.moved(0.05, 0.05), here.moved(0.0, 0.1), time=3.0)
        robot.move(here, "30 deg/s", time=None)

    scene.run(program)
    took = [move.duration for move in robot.moves]
    assert took[:7] == pytest.approx(
        [
            trapezoid(1.3, 0.25 * math.pi, 4.0),
            trapezoid(1.3, 60 * deg, 80 * deg),
            2.5,
            trapezoid(1.3, 60 * deg, 8.0),
            trapezoid(0.1, 0.2, 0.5),
            trapezoid(0.1, 0.2, 0.5),
            3.0,
        ],
        abs=1e-6,
    )
    journal = [line for line in scene.kernel.journal.text().splitlines() if " move " in line]
    assert "acceleration=0.5" in journal[0]
    assert 'acceleration="80 deg/s^2"' in journal[1]
    assert "time=2.5" in journal[2]
    assert "acceleration" not in journal[3]


def test_the_override_scales_speeds_of_every_kind_and_times(new_scene, six_axis: Mechanism):
    away = tuple(q + d for q, d in zip(six_axis.home, TRAVEL, strict=True))
    took = []
    for override in (1.0, 0.5):
        scene = new_scene()
        robot = scene.robot(six_axis, controller=StandardController(law="trapezoidal"))
        robot.override = override

        def program(robot=robot):
            robot.move_joints(away, 0.3)
            robot.move_joints(six_axis.home, "60 deg/s")
            robot.move_joints(away, time=2.0)
            here = robot.here.local
            robot.move_linear(here.moved(z=0.1), 0.2)
            robot.move_linear(here, time=1.0)

        scene.run(program)
        took.append([move.duration for move in robot.moves])
    assert took[1] == pytest.approx(
        [
            trapezoid(1.3, 0.15 * math.pi, 8.0),
            trapezoid(1.3, 30 * deg, 8.0),
            4.0,
            trapezoid(0.1, 0.1, 2.0),
            2.0,
        ],
        abs=1e-6,
    )
    assert took[0][2] == pytest.approx(2.0, abs=1e-6)


@pytest.mark.parametrize(
    "controller", [StandardController(), StandardController(synchronisation="arrival"), IndependentController()]
)
def test_speed_scaling_makes_every_move_longer_on_the_same_path(new_scene, six_axis: Mechanism, controller):
    """Like a speed slider: half the pace takes twice the time."""
    away = tuple(q + d for q, d in zip(six_axis.home, TRAVEL, strict=True))
    took, paths, ends = [], [], []
    for scaling in (1.0, 0.5):
        scene = new_scene()
        robot = scene.robot(six_axis, controller=controller)
        robot.speed_scaling = scaling

        def program(robot=robot):
            robot.move_joints(away, 0.3)
            robot.move_joints(six_axis.home, "60 deg/s", acceleration="80 deg/s^2")
            robot.move_joints(away, time=3.0)
            here = robot.here.local
            robot.move_linear(here.moved(z=0.1), 0.2)
            robot.move_linear(here.moved(y=0.1, z=0.1), 0.2)
            robot.move_circular(here.moved(0.05, 0.05, 0.1), here.moved(0.1, 0.1, 0.1), 0.1)

        scene.run(program)
        took.append([move.duration for move in robot.moves])
        paths.append([move.distance for move in robot.moves])
        ends.append([move.joints for move in robot.moves])
    assert took[1] == pytest.approx([2.0 * each for each in took[0]], abs=4e-6)  # whole microseconds
    assert took[1][2] == pytest.approx(6.0, abs=1e-6)
    assert paths[1] == pytest.approx(paths[0], abs=1e-6)
    assert np.allclose(ends[0], ends[1], atol=1e-9)


def test_a_scaled_plan_keeps_its_path_and_divides_its_speeds_and_accelerations(arm: Arm):
    start = arm.tcp(arm.mechanism.home)
    for plan in (
        StandardController().joint_move(arm, arm.mechanism.home, there(arm), 1.0),
        IndependentController().joint_move(arm, arm.mechanism.home, there(arm), 1.0),
        StandardController().linear_move(arm, arm.mechanism.home, start.moved(y=0.2), 0.25, "there"),
    ):
        slow = plan.stretched(4.0)
        assert slow.duration == pytest.approx(4.0 * plan.duration, rel=1e-12)
        assert slow.spline.top_speeds == pytest.approx(plan.spline.top_speeds / 4.0, rel=1e-9)
        assert slow.spline.top_accelerations == pytest.approx(plan.spline.top_accelerations / 16.0, rel=1e-9)
        for u in np.linspace(0.0, plan.duration, 9):
            assert slow.spline.joints(4.0 * u) == pytest.approx(plan.spline.joints(float(u)), abs=1e-12)
        # A stop is the same motion in slow time, too.
        halt = 0.4 * plan.duration
        assert slow.stopped(4.0 * halt).duration == pytest.approx(4.0 * plan.stopped(halt).duration, rel=1e-3)


def test_steps_of_fixed_length_cannot_be_scaled(scene, six_axis: Mechanism):
    robot = scene.robot(six_axis, controller=SteppingController(0.03))
    robot.speed_scaling = 0.5
    with pytest.raises(MotionError, match="cannot scale the speed of this move") as error:
        scene.run(lambda: robot.move_joints(tuple(q + 0.1 for q in six_axis.home)))
    assert "use override" in error.value.hint
    with pytest.raises(MotionError, match=r"cannot scale speeds by 1\.5"):
        robot.speed_scaling = 1.5


def test_a_controllers_joint_speed_and_acceleration_hold_where_a_move_names_none(scene, six_axis: Mechanism):
    controller = StandardController(law="trapezoidal", joint_speed=60 * deg, joint_acceleration=80 * deg)
    robot = scene.robot(six_axis, controller=controller)
    away = tuple(q + d for q, d in zip(six_axis.home, TRAVEL, strict=True))

    def program():
        robot.move_joints(away)
        robot.home(1.0)
        robot.move_joints(away, acceleration=1.0)
        robot.move_joints(six_axis.home, time=2.0)

    scene.run(program)
    assert [move.duration for move in robot.moves] == pytest.approx(
        [
            trapezoid(1.3, 60 * deg, 80 * deg),
            trapezoid(1.3, math.pi, 80 * deg),
            trapezoid(1.3, 60 * deg, 8.0),
            2.0,
        ],
        abs=1e-6,
    )


@pytest.mark.parametrize(
    ("command", "text", "hint"),
    [
        (lambda r: r.move_joints(r.joints, acceleration=2.0), "accelerate at 2 times the accelerations", "up to 1"),
        (lambda r: r.move_joints(r.joints, acceleration=0.0), "accelerate at 0 times", "up to 1"),
        (lambda r: r.move_joints(r.joints, math.nan), "move at nan times the speed", "up to 1"),
        (lambda r: r.move_joints(r.joints, "fast"), "the speed 'fast'", "write for example"),
        (lambda r: r.move_joints(r.joints, "100 mm/s"), "no joint of it slides", "give a fraction"),
        (lambda r: r.move_joints(r.joints, "-5 deg/s"), "the speed '-5 deg/s'", ""),
        (lambda r: r.move_joints(r.joints, "200 deg/s"), "highest speed of its joints is 180.0 deg/s (waist)", "that"),
        (lambda r: r.move_joints(r.joints, 0.5, time=1.0), "both a speed (0.5) and a time (1.0)", "remove one"),
        (lambda r: r.move_joints(r.joints, time=0.0), "cannot move in 0.0 s", "above 0"),
        (lambda r: r.move_joints(r.joints, time="2 s"), "cannot move in '2 s' s", "above 0"),
        (lambda r: r.move_linear(r.here, acceleration=-1.0), "accelerate at -1 m/s²", "in m/s²"),
        (lambda r: r.move_linear(r.here, acceleration=[1]), "accelerate at [1], which is not a number", "1.5"),
        (lambda r: r.move_linear(r.here, "60 deg/s"), "the speed '60 deg/s'", "150 mm/s"),
        (lambda r: r.move_linear(r.here, time=math.inf), "cannot move in inf s", "above 0"),
    ],
)
def test_nonsense_is_refused(scene, six_axis: Mechanism, command, text: str, hint: str):
    robot = scene.robot(six_axis)
    with pytest.raises(MotionError) as error:
        scene.run(lambda: command(robot))
    assert text in str(error.value)
    assert "\n  try: " in str(error.value)
    assert hint in str(error.value)
    assert list(robot.moves) == []


def test_a_controller_without_accelerations_refuses_them_by_name(scene, six_axis: Mechanism):
    robot = scene.robot(six_axis, controller=SteppingController())
    with pytest.raises(MotionError, match=r"the acceleration of a move: its controller 'stepping' does not support it"):
        scene.run(lambda: robot.move_joints(robot.joints, acceleration=0.5))


def test_a_cell_file_sets_law_synchronisation_and_joint_data(tmp_path):
    from drycell import Cell, Model

    file = tmp_path / "cell.yaml"
    file.write_text(
        "robots:\n  arm: {model: ur5-like, controller: {standard: {law: trapezoidal, synchronisation: arrival, "
        "joint_speed: 60 deg/s, joint_acceleration: 80 deg/s^2}}}\n"
    )
    controller = Cell(Model.load(file))["arm"].controller
    assert controller == StandardController(
        law="trapezoidal", synchronisation="arrival", joint_speed=60 * deg, joint_acceleration=80 * deg
    )
    file.write_text("robots:\n  arm: {model: ur5-like, controller: {standard: {law: trapezium}}}\n")
    with pytest.raises(FileError, match=r"expected 'jerk-limited' or 'trapezoidal'"):
        Model.load(file)


# ---------------------------------------------------------------- makers


def test_an_arm_of_universal_robots_moves_like_movej_and_movel(scene):
    """Without figures, those of the script manual: 1.05 rad/s and 1.4 rad/s², 0.25 m/s and 1.2 m/s²."""
    robot = scene.robot(load_robot("ur5e"))
    home = robot.mechanism.home
    away = tuple(q + d for q, d in zip(home, TRAVEL, strict=True))

    def program():
        robot.move_joints(away)
        robot.move_joints(home, "1.2 rad/s", acceleration="25 rad/s^2")  # above what is only estimated
        robot.move_linear(robot.here.local.moved(z=-0.2))
        robot.move_linear(robot.here.local.moved(z=0.2), 0.4, acceleration=0.8)

    scene.run(program)
    assert [move.duration for move in robot.moves] == pytest.approx(
        [trapezoid(1.3, 1.05, 1.4), trapezoid(1.3, 1.2, 25.0), trapezoid(0.2, 0.25, 1.2), trapezoid(0.2, 0.4, 0.8)],
        abs=1e-6,
    )


def test_an_acceleration_above_a_published_one_is_refused(scene):
    robot = scene.robot(load_robot("franka-panda"))
    with pytest.raises(MotionError) as error:
        scene.run(lambda: robot.move_joints(robot.joints, acceleration="21 rad/s^2"))
    assert "cannot reach 1203.2 deg/s²: the highest acceleration of its joints is 1145.9 deg/s²" in str(error.value)


def test_every_arm_has_a_usual_controller_with_a_source():
    assert "not published" in usual_motion(load_robot("gp7")).source
    assert usual_motion(load_robot("gp7")).controller == StandardController()
    assert "start and stop together" in usual_motion(load_robot("kr210-r2700-2")).source
    assert usual_motion(load_robot("puma560")).controller == StandardController()
    assert usual_motion(load_robot("ur3e")).controller.law == "trapezoidal"
