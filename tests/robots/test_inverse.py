"""Inverse kinematics: every reachable pose is solved, the nearest way is taken, singularities follow their rule."""

import math
import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import MotionError, Pose, UnknownName, deg, mm
from drycell.robots import DHRow, Joint, Mechanism, load_robot, mechanism_from_dh
from drycell.robots.inverse.choice import nearest_first
from drycell.robots.inverse.numeric import Numeric
from drycell.robots.links import nearest_turn, turn_near

ARMS = ("puma560", "ur5-like", "irb2000-like", "scorbot-er3", "scara", "cmm", "machine-tool", "box-frame")
POSES = 10_000


def drawn(robot: Mechanism, stream: random.Random) -> list[float]:
    return [stream.uniform(joint.lower, joint.upper) for joint in robot.joints]


def errors(robot: Mechanism, wanted: np.ndarray, found: np.ndarray) -> tuple[float, float]:
    """The largest error in metres and radians over many solutions, by an independent forward kinematics (numpy)."""
    link, end = robot.flange.link, robot.flange.pose

    def flange(joints: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        positions, rotations = robot.link_positions(joints)
        turned = rotations[:, link]
        return positions[:, link] + turned @ end.translation, turned @ end.rotation

    (p, r), (q, s) = flange(wanted), flange(found)
    # The chord of a rotation, 2·√2·sin(angle/2), is exact for small angles where the trace is not.
    return float(np.linalg.norm(p - q, axis=1).max()), float(np.linalg.norm(r - s, axis=(1, 2)).max() / math.sqrt(2))


@pytest.mark.parametrize("name", ARMS)
def test_ten_thousand_reachable_poses_are_all_solved_to_a_micrometre(name):
    robot = load_robot(name)
    stream = random.Random(41)
    wanted = [drawn(robot, stream) for _ in range(POSES)]
    found = []
    for number, joints in enumerate(wanted):
        # From anywhere, and from close by, where the same joints must come back.
        near = drawn(robot, stream) if number % 2 else joints
        solution = robot.inverse(robot.forward(joints), near)
        found.append(solution.joints)
        if number % 2 == 0:
            assert solution.joints == pytest.approx(joints, abs=1e-5), solution
    shift, angle = errors(robot, np.array(wanted), np.array(found))
    assert shift < 1e-6
    assert angle < 1e-6
    lower, upper = ([getattr(joint, end) for joint in robot.joints] for end in ("lower", "upper"))
    assert np.all(np.array(found) >= np.array(lower) - 1e-9)
    assert np.all(np.array(found) <= np.array(upper) + 1e-9)


NEAR_ZERO = (0.0, *(sign * 10.0**-k for k in range(3, 17) for sign in (1, -1)), 5e-8, 1.0001e-7, -0.9999e-7)


@pytest.mark.parametrize("name", ["puma560", "ur5-like", "irb2000-like"])
@pytest.mark.parametrize("straight", [0.0, math.pi])
def test_the_wrist_singularity_and_its_surroundings_are_solved(name, straight):
    robot = load_robot(name)
    bend = robot.joints[4]
    stream = random.Random(5)
    for small in NEAR_ZERO:
        for _ in range(4):
            joints = drawn(robot, stream)
            joints[4] = straight + small
            if not bend.allows(joints[4]):
                continue  # a PUMA's wrist cannot be turned inside out
            pose = robot.forward(joints)
            shift, angle = robot.forward(robot.inverse(pose, drawn(robot, stream)).joints).distance_to(pose)
            assert shift < 1e-6
            assert angle < 1e-6


def test_at_the_wrist_singularity_joint_4_keeps_its_value_and_joint_6_takes_the_rest():
    puma = load_robot("puma560")
    joints = (0.3, 0.7, -1.0, 0.4, 0.0, 0.8)
    solution = puma.inverse(puma.forward(joints), near=(0.3, 0.7, -1.0, 0.1, 0.2, 0.5))
    assert solution.joints == pytest.approx((0.3, 0.7, -1.0, 0.1, 0.0, 1.1), abs=1e-9)
    assert solution.singular == ("wrist",)


def test_at_the_wrist_singularity_of_parallel_axes_joint_6_keeps_its_value():
    arm = load_robot("ur5-like")
    joints = (0.3, -1.2, 1.4, -0.5, 0.0, 0.8)
    near = (0.3, -1.2, 1.4, -0.5, 0.1, 0.7)
    solution = arm.inverse(arm.forward(joints), near)
    assert solution.joints[5] == pytest.approx(0.7, abs=1e-9)
    assert max(arm.forward(solution.joints).distance_to(arm.forward(joints))) < 1e-7


def test_the_joint_that_keeps_its_value_gives_way_where_it_cannot():
    puma = load_robot("puma560")
    joints = (0.3, 0.7, -1.0, 160 * deg, 0.0, 200 * deg)
    # Joint 4 at -100 deg would ask 460 deg of joint 6, or 100 deg, which it has.
    assert puma.inverse(puma.forward(joints), (0.3, 0.7, -1.0, -100 * deg, 0, 0)).joints[3] == pytest.approx(-100 * deg)
    narrow = replace(puma, joints=(*puma.joints[:5], replace(puma.joints[5], lower=-20 * deg, upper=20 * deg)))
    pose = narrow.forward((0.3, 0.7, -1.0, 50 * deg, 0.0, 10 * deg))
    solution = narrow.inverse(pose, (0.3, 0.7, -1.0, -30 * deg, 0.0, 0.0))  # 60 deg in all
    assert max(narrow.forward(solution.joints).distance_to(pose)) < 1e-7
    assert solution.joints[3] == pytest.approx(40 * deg, abs=5 * deg)


def shoulder_on_axis() -> Mechanism:
    """An arm without offsets, whose wrist can come over its waist."""
    joints = [Joint(f"j{k}", "revolute", -3.1, 3.1, 1.0, 1.0, 1.0) for k in range(1, 7)]
    rows = [DHRow(d=0.4, alpha=90 * deg), DHRow(a=0.4), DHRow(alpha=90 * deg), DHRow(d=0.4, alpha=-90 * deg)]
    return mechanism_from_dh("kuka", joints, [*rows, DHRow(alpha=90 * deg), DHRow(d=0.1)])


def test_with_the_wrist_on_the_waists_axis_the_waist_keeps_its_angle():
    arm = shoulder_on_axis()
    # Upper arm at 60 deg; the forearm, as long, bent back so that the wrist is right above the shoulder.
    joints = (0.5, 60 * deg, 150 * deg, 0.4, 0.9, 0.2)
    x, y, _ = arm.link_poses(joints)[4].position
    assert math.hypot(x, y) < 1e-9
    pose = arm.forward(joints)
    solution = arm.inverse(pose, near=(1.3, *joints[1:]))
    assert solution.joints[0] == pytest.approx(1.3, abs=1e-9)
    assert "shoulder" in solution.singular
    assert max(arm.forward(solution.joints).distance_to(pose)) < 1e-7


def test_a_stretched_arm_is_solved_and_says_so():
    puma = load_robot("puma560")
    straight = -90 * deg + math.atan2(20.3, 431.8)  # shoulder, elbow and wrist in one line
    joints = (0.2, 0.6, straight, 0.3, 0.5, 0.1)
    solution = puma.inverse(puma.forward(joints), joints)
    assert solution.joints == pytest.approx(joints, abs=1e-6)
    assert "elbow" in solution.singular


def wide(name: str) -> Mechanism:
    robot = load_robot(name)
    joints = tuple(replace(joint, lower=-2 * math.pi, upper=2 * math.pi) for joint in robot.joints)
    return replace(robot, joints=joints)


def test_all_eight_named_solutions_of_a_puma_are_distinct_and_right():
    puma = wide("puma560")
    pose = puma.forward((0.3, 0.9, -2.0, 0.4, 0.5, 0.6))
    solutions = puma.solutions(pose)
    assert sorted(str(solution.configuration) for solution in solutions) == sorted(
        f"shoulder={shoulder}, elbow={elbow}, wrist={wrist}"
        for shoulder in ("right", "left")
        for elbow in ("up", "down")
        for wrist in ("noflip", "flip")
    )
    for solution in solutions:
        assert max(puma.forward(solution.joints).distance_to(pose)) < 1e-9
        named = puma.inverse(pose, configuration=solution.configuration)
        assert named.joints == pytest.approx(solution.joints, abs=1e-9)


def test_the_names_of_a_pumas_configurations_mean_what_they_say():
    puma = wide("puma560")
    pose = puma.forward((0.0, 30 * deg, -150 * deg, 0.0, 40 * deg, 0.0))
    wrist = (pose @ Pose(0, 0, -56.25 * mm)).position
    for solution in puma.solutions(pose):
        trunk, _, forearm, *_ = puma.link_poses(solution.joints)
        elbow = forearm.point((0, 0, 150.05 * mm))
        # Right: the wrist is on the right-hand side of someone in the trunk who faces it.
        beside = trunk.inverse().point(wrist)
        facing = 1 if beside[0] > 0 else -1
        assert (solution.configuration["shoulder"] == "right") == (beside[1] * facing < 0)
        # Up: the elbow is above the line from shoulder to wrist.
        x, z = facing * trunk.inverse().point(elbow)[0], elbow[2] - 671.8 * mm
        line = (wrist[2] - 671.8 * mm) / abs(beside[0]) * x
        assert (solution.configuration["elbow"] == "up") == (z > line)
        assert (solution.configuration["wrist"] == "noflip") == (math.sin(solution.joints[4]) > 0)


def test_the_nearest_turn_within_limits_is_taken():
    arm = load_robot("ur5-like")
    joints = (0.1, -1.2, 1.4, -0.5, 0.9, 340 * deg)
    pose = arm.forward(joints)
    assert arm.inverse(pose, (*joints[:5], 300 * deg)).joints[5] == pytest.approx(340 * deg)
    assert arm.inverse(pose, (*joints[:5], 20 * deg)).joints[5] == pytest.approx(-20 * deg)
    # Beyond 360 deg the nearest turn is impossible, and the arm unwinds.
    pose = arm.forward((*joints[:5], 10 * deg))
    assert arm.inverse(pose, (*joints[:5], 355 * deg)).joints[5] == pytest.approx(10 * deg)


ROUNDING = (0.0, 1e-15, -1e-15, 1e-9, -1e-9)


@pytest.mark.parametrize("rounding", ROUNDING)
def test_half_a_turn_away_the_turn_nearer_to_the_middle_of_the_range_is_taken(rounding):
    assert nearest_turn(math.pi + rounding, 0.0, -7.0, 7.0) == pytest.approx(math.pi)  # equally near: the positive one
    assert nearest_turn(-math.pi + rounding, 0.0, -7.0, 7.0) == pytest.approx(math.pi)
    assert nearest_turn(1.0 - math.pi + rounding, 1.0, -7.0, 7.0) == pytest.approx(1.0 - math.pi)
    assert nearest_turn(1.0 + math.pi + rounding, 1.0, -7.0, 7.0) == pytest.approx(1.0 - math.pi)
    assert nearest_turn(1.0 + math.pi + rounding, 1.0, 0.5, 6.0) == pytest.approx(1.0 + math.pi)  # the other is past
    assert nearest_turn(5.0 - math.pi + rounding, 5.0, -math.inf, math.inf) == pytest.approx(5.0 + math.pi)
    assert turn_near(9 * math.pi + rounding, 0.0) == pytest.approx(math.pi)


@pytest.mark.parametrize("rounding", ROUNDING)
def test_an_arm_half_a_turn_away_turns_the_same_way_whatever_rounding_says(rounding):
    arm = load_robot("ur5-like")
    joints = (0.1, -1.2, 1.4, -0.5, 0.9, 0.3)
    pose = arm.forward(joints)
    assert arm.inverse(pose, (*joints[:5], 0.3 + math.pi + rounding)).joints[5] == pytest.approx(0.3)
    assert arm.inverse(pose, (*joints[:5], 0.3 - math.pi + rounding)).joints[5] == pytest.approx(0.3)
    assert arm.inverse(arm.forward((*joints[:5], math.pi + rounding)), (*joints[:5], 0.0)).joints[5] > 0


def test_solutions_of_equal_travel_are_ordered_by_their_configuration():
    first, second, third = (1.0, 3, 0, (0.0, 1.0)), (1.0 - 1e-15, 5, 0, (1.0, 0.0)), (0.9, 7, 0, (2.0, 0.0))
    assert nearest_first([second, first, third]) == [third, first, second]
    assert nearest_first([first, second]) == nearest_first([second, first]) == [first, second]
    twice = (1.0, 4, 0, (1e-9, 1.0))
    assert nearest_first([twice, first]) == [first]


def test_an_arm_with_two_equal_choices_follows_a_rule_and_not_rounding():
    puma = load_robot("puma560")
    # The wrist turned over by exactly half a turn of joints 4 and 6 is as far as the wrist turned back.
    joints = (0.3, 0.9, -2.0, 0.0, 0.5, 0.0)
    pose = puma.forward(joints)
    found = set()
    for rounding in ROUNDING:
        near = (*joints[:3], math.pi / 2 + rounding, 0.0, math.pi / 2)
        found.add(str(puma.inverse(pose, near).configuration))
    assert len(found) == 1


def test_the_nearest_solution_is_the_one_with_the_least_travel_over_speed():
    arm = wide("puma560")
    stream = random.Random(8)
    for _ in range(200):
        pose = arm.forward(drawn(arm, stream))
        near = drawn(arm, stream)

        def travel(joints, near=near):
            pairs = zip(joints, near, arm.joints, strict=True)
            return sum(abs(a - b) / joint.speed for a, b, joint in pairs)

        best = min(travel(solution.joints) for solution in arm.solutions(pose, near))
        solution = arm.inverse(pose, near)
        assert solution.travel == pytest.approx(best, abs=1e-9)
        assert travel(solution.joints) == pytest.approx(best, abs=1e-9)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(ARMS), st.data())
def test_every_solution_brings_the_flange_to_its_pose(name, data):
    robot = load_robot(name)
    joints = [data.draw(st.floats(joint.lower, joint.upper)) for joint in robot.joints]
    near = [data.draw(st.floats(joint.lower, joint.upper)) for joint in robot.joints]
    pose = robot.forward(joints)
    solutions = robot.solutions(pose, near)
    assert solutions
    for solution in solutions:
        assert max(robot.forward(solution.joints).distance_to(pose)) < 1e-6
        robot.check_joints(solution.joints)
    nearest = robot.inverse(pose, near)
    assert nearest.travel == pytest.approx(solutions[0].travel, abs=1e-6)


def test_two_calls_give_the_same_bits_whatever_was_asked_in_between():
    puma = load_robot("puma560")
    stream = random.Random(2)
    poses = [(puma.forward(drawn(puma, stream)), drawn(puma, stream)) for _ in range(50)]
    first = [puma.inverse(*pair) for pair in poses]
    fresh = replace(puma)
    assert [fresh.inverse(*pair) for pair in reversed(poses)][::-1] == first


def test_the_grippers_motor_of_the_box_frame_stays_as_it_is():
    frame = load_robot("box-frame")
    near = (*frame.home[:6], 10 * mm)
    assert frame.inverse(frame.forward(frame.home), near).joints[6] == 10 * mm


def test_scorbot_takes_position_pitch_and_roll():
    scorbot = load_robot("scorbot-er3")
    solution = scorbot.inverse(scorbot.pose_at((300 * mm, 100 * mm, 150 * mm), pitch=-90 * deg, roll=30 * deg))
    flange = scorbot.forward(solution.joints)
    assert flange.position == pytest.approx((0.3, 0.1, 0.15), abs=1e-9)
    assert flange.direction((0, 0, 1)) == pytest.approx((0, 0, -1), abs=1e-9)
    assert solution.joints[4] == pytest.approx(30 * deg)
    level = scorbot.inverse(scorbot.pose_at((420 * mm, 0, 300 * mm), pitch=-20 * deg, roll=0))
    approach = scorbot.forward(level.joints).direction((0, 0, 1))
    assert approach == pytest.approx((math.cos(20 * deg), 0, -math.sin(20 * deg)), abs=1e-9)


@given(
    st.floats(0.2, 0.45), st.floats(-2.5, 2.5), st.floats(0.1, 0.4), st.floats(-1.5, 0.0), st.floats(-3, 3),
    st.tuples(st.floats(-0.03, 0.03), st.floats(-0.03, 0.03), st.floats(0, 0.1)),
)  # fmt: skip
def test_a_tool_beside_the_roll_axis_is_brought_to_the_position(radius, azimuth, z, pitch, roll, tool):
    scorbot = load_robot("scorbot-er3")
    position = (radius * math.cos(azimuth), radius * math.sin(azimuth), z)
    flange = scorbot.pose_at(position, pitch, roll, Pose(*tool))
    assert (flange @ Pose(*tool)).position == pytest.approx(position, abs=1e-9)
    assert math.asin(flange.direction((0, 0, 1))[2]) == pytest.approx(pitch, abs=1e-6)
    assert scorbot.reach(flange).reason in ("reachable", "too far", "too near", "limit")  # never its yaw


def test_other_arms_have_no_pitch_and_roll():
    with pytest.raises(MotionError, match="puma560 is not a 5-axis arm"):
        load_robot("puma560").pose_at((0.3, 0, 0.3), 0, 0)


def test_configurations_may_be_text_mapping_or_value():
    puma = load_robot("puma560")
    pose = puma.forward((0.3, 0.9, -2.0, 0.4, 0.5, 0.6))
    by_text = puma.inverse(pose, configuration="elbow=down")
    assert by_text.configuration["elbow"] == "down"
    assert puma.inverse(pose, configuration={"elbow": "down"}) == by_text
    assert puma.inverse(pose, configuration=by_text.configuration.only("elbow")) == by_text
    with pytest.raises(UnknownName, match=r"no configuration question of puma560 'elbo'\n  try: did you mean 'elbow'"):
        puma.inverse(pose, configuration="elbo=up")
    with pytest.raises(UnknownName, match="no elbow configuration of puma560 'above'"):
        puma.inverse(pose, configuration="elbow=above")
    with pytest.raises(MotionError, match="'up' is not a configuration"):
        puma.inverse(pose, configuration="up")


def test_near_must_have_a_value_for_each_joint():
    for name in ARMS:
        robot = load_robot(name)
        with pytest.raises(MotionError, match=f"has {robot.dof} joints, but 2 values were given as near"):
            robot.inverse(robot.forward(robot.home), [0.0, 0.0])


def seven_axes() -> Mechanism:
    """A 7R arm with the link lengths of the KUKA LBR iiwa 7."""
    joints = [Joint(f"j{k}", "revolute", -2.0, 2.0, 1.5, 5.0, 50.0) for k in range(1, 8)]
    twists, lengths = (-90, 90, 90, -90, -90, 90, 0), (0.34, 0, 0.4, 0, 0.4, 0, 0.126)
    rows = [DHRow(alpha=twist * deg, d=d) for twist, d in zip(twists, lengths, strict=True)]
    return mechanism_from_dh("seven", joints, rows, home=(0, 0.4, 0, -1.2, 0, 0.8, 0))


def test_arms_of_no_known_kind_are_solved_numerically_and_repeatably():
    arm = seven_axes()
    assert isinstance(arm._inverse.solver, Numeric)
    stream = random.Random(9)
    for _ in range(60):
        pose = arm.forward(drawn(arm, stream))
        solution = arm.inverse(pose)
        assert max(arm.forward(solution.joints).distance_to(pose)) < 1e-8
        arm.check_joints(solution.joints)
        assert replace(arm).inverse(pose) == solution


def odd_arm(seed: int) -> Mechanism:
    """Six axes with offsets and twists drawn at random: no wrist, no parallel axes, no elbow."""
    stream = random.Random(seed)
    limit = (2.0, 3.0, 6.2)[seed % 3]
    joints = [Joint(f"j{k}", "revolute", -limit, limit, 2.0, 5.0, 50.0) for k in range(1, 7)]
    sizes = [(stream.uniform(-0.3, 0.4), stream.uniform(-0.3, 0.4), stream.uniform(-2, 2)) for _ in joints]
    return mechanism_from_dh(f"odd{seed}", joints, [DHRow(d=d, a=a, alpha=alpha) for d, a, alpha in sizes])


def without_elbow() -> Mechanism:
    """Six axes whose second is square to the third."""
    joints = [Joint(f"j{k}", "revolute", -3.0, 3.0, 2.0, 5.0, 50.0) for k in range(1, 7)]
    rows = [
        DHRow(d=0.4, alpha=90 * deg),
        DHRow(a=0.3, alpha=90 * deg),
        DHRow(d=0.35, a=0.05, alpha=-90 * deg),
        DHRow(d=0.3, alpha=90 * deg),
        DHRow(alpha=-90 * deg),
        DHRow(d=0.1),
    ]
    return mechanism_from_dh("odd", joints, rows)


@pytest.mark.parametrize("arm", [without_elbow(), *map(odd_arm, range(6))], ids=lambda arm: arm.name)
def test_six_axes_of_no_named_kind_are_always_solved_numerically(arm):
    assert arm.questions == ()
    assert isinstance(arm._inverse.solver, Numeric)
    stream = random.Random(4)
    for number in range(40):
        pose, near = arm.forward(drawn(arm, stream)), drawn(arm, stream)
        solution = arm.inverse(pose, near)
        assert max(arm.forward(solution.joints).distance_to(pose)) < 1e-7
        if number % 10 == 0:
            assert replace(arm).inverse(pose, near) == solution


@pytest.mark.parametrize("name", ["puma560", "ur5-like", "irb2000-like"])
def test_eaik_finds_the_same_solutions(name):
    """EAIK, a library in C++, as an independent check of the closed forms."""
    bindings = pytest.importorskip("eaik.pybindings.EAIK")
    robot = wide(name)
    screws = robot._inverse.solver.screws
    points = [np.zeros(3), *screws.points, screws.flange.translation]
    offsets = np.stack([b - a for a, b in pairwise(points)], axis=1)
    theirs = bindings.Robot(np.stack(screws.axes, axis=1), offsets, screws.flange.rotation, [], True)
    stream = random.Random(12)
    for _ in range(100):
        pose = robot.forward(drawn(robot, stream))
        rows = [row for row in theirs.calculate_IK(pose.matrix).Q if max(robot.forward(row).distance_to(pose)) < 1e-6]
        ours = [solution.joints for solution in robot.solutions(pose)]
        assert len(ours) == len(rows)
        for row in rows:
            gaps = [max(abs(math.remainder(a - b, math.tau)) for a, b in zip(row, each, strict=True)) for each in ours]
            assert min(gaps) < 1e-7
