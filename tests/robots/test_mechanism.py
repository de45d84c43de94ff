"""Mechanisms: where links and flange are, checked by hand; bounds that hold; limits with their texts."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import MechanismError, MotionError, Pose, UnknownName, deg, mm
from drycell.geometry import Placed, distance as gap_between
from drycell.robots import Drive, Joint, Link, Mark, Mechanism, load_robot, load_tool, tool_names

LIBRARY = (
    "puma560",
    "ur5-like",
    "irb2000-like",
    "scorbot-er3",
    "scara",
    "cmm",
    "machine-tool",
    "box-frame",
    "robotiq-2f-85",
    "two-finger",
)


def joint_values(mechanism: Mechanism) -> st.SearchStrategy[list[float]]:
    return st.tuples(*(st.floats(joint.lower, joint.upper) for joint in mechanism.joints)).map(list)


def at_degrees(*angles: float) -> list[float]:
    return [angle * deg for angle in angles]


def close(pose: Pose, other: Pose, within: float = 1e-9) -> bool:
    return max(pose.distance_to(other)) < within


def loaded(name):
    """A robot of the library, or the fingers of a gripper."""
    return load_tool(name).fingers if name in tool_names() else load_robot(name)


# Positions of Corke's toolbox (qz, qr, qs) plus the base of 671.8 mm and the flange of 56.25 mm, computed by hand.
@pytest.mark.parametrize(
    ("joints", "expected"),
    [
        ((0, 0, 0, 0, 0, 0), Pose(452.1 * mm, -150.05 * mm, (671.8 + 431.8 + 56.25) * mm)),
        ((0, 90, -90, 0, 0, 0), Pose(20.3 * mm, -150.05 * mm, (671.8 + 2 * 431.8 + 56.25) * mm)),
        (
            (0, 0, -90, 0, 0, 0),
            Pose((2 * 431.8 + 56.25) * mm, -150.05 * mm, (671.8 - 20.3) * mm) @ Pose.turn_y(90 * deg),
        ),
        ((90, 0, 0, 0, 0, 0), Pose(150.05 * mm, 452.1 * mm, 1159.85 * mm) @ Pose.turn_z(90 * deg)),
    ],
)
def test_puma_stands_where_its_published_positions_say(joints, expected):
    assert close(load_robot("puma560").forward(at_degrees(*joints)), expected)


def test_ur5_at_zero_has_the_pose_that_its_maker_states():
    flange = load_robot("ur5-like").forward([0.0] * 6)
    assert flange.position == pytest.approx((-0.81725, -0.19145, -0.005491), abs=1e-9)


def test_irb2000_with_its_upper_arm_up_holds_its_forearm_out():
    flange = load_robot("irb2000-like").forward([0.0] * 6)
    assert flange.position == pytest.approx(((850 + 150) * mm, 0.0, (780 + 710 + 125) * mm), abs=1e-9)
    assert flange.direction((0, 0, 1)) == pytest.approx((1, 0, 0), abs=1e-9)


def test_scorbot_stretched_out_reaches_503_mm_and_points_its_hand_forward():
    flange = load_robot("scorbot-er3").forward([0.0] * 5)
    assert flange.position == pytest.approx((0.503, 0.0, 0.349), abs=1e-9)
    assert flange.direction((0, 0, 1)) == pytest.approx((1, 0, 0), abs=1e-9)


def test_scorbot_at_home_is_where_trigonometry_puts_it():
    flange = load_robot("scorbot-er3").forward(at_degrees(0, -60, 90, 60, 0))
    x = 16 + 221 * math.cos(60 * deg) + 221 * math.cos(30 * deg)
    z = 349 + 221 * math.sin(60 * deg) - 221 * math.sin(30 * deg) - 45
    assert flange.position == pytest.approx((x * mm, 0.0, z * mm), abs=1e-9)
    assert flange.direction((0, 0, 1)) == pytest.approx((0, 0, -1), abs=1e-9)


def test_scara_stretched_out_reaches_600_mm_and_its_quill_goes_down():
    scara = load_robot("scara")
    assert scara.forward([0, 0, 0, 0]).position == pytest.approx((0.6, 0.0, 0.234), abs=1e-12)
    assert scara.forward([0, 0, 0.1, 0]).position == pytest.approx((0.6, 0.0, 0.134), abs=1e-12)


def test_moving_one_motor_of_the_box_frame_moves_exactly_the_nodes_below_it():
    frame = load_robot("box-frame")
    before = frame.link_poses(frame.home)
    joints = list(frame.home)
    joints[frame.joint("x")] += 0.1
    moved = [name for name, a, b in zip(frame.link_names, before, frame.link_poses(joints), strict=True) if a != b]
    assert moved == ["arm", "column", "wrist", "knuckle", "hand", "finger1", "finger2"]


def test_one_motor_moves_both_fingers_of_the_gripper_by_half_the_gap():
    gripper = loaded("two-finger")
    one, other = gripper.link_poses([40 * mm])
    assert (one.x, other.x) == (20 * mm, -20 * mm)
    assert gripper.forward([40 * mm], "tcp").z == pytest.approx(100 * mm)


@pytest.mark.parametrize("name", [name for name in LIBRARY if name != "robotiq-2f-85"])  # its bars overlap
def test_neighbours_apart_no_links_touch_at_home(name):
    robot = loaded(name)
    poses = [Pose(), *robot.link_poses(robot.home)]
    shapes = [robot.base, *(link.shape for link in robot.links)]
    parents = [None, *(link.parent + 1 for link in robot.links)]
    placed = {}
    for number, (shape, pose) in enumerate(zip(shapes, poses, strict=True)):
        if shape is not None:
            placed[number] = Placed(shape)
            placed[number].place(pose)
    for a in placed:
        for b in placed:
            near = parents[b] == a or (parents[b] is not None and parents[parents[b]] == a)
            if a < b and not near:
                assert gap_between(placed[a], placed[b]) > 0, (a, b)


@pytest.mark.parametrize("name", LIBRARY)
def test_many_link_poses_at_once_are_the_same_as_one_by_one(name):
    robot = loaded(name)
    generator = np.random.default_rng(3)
    joints = generator.uniform([j.lower for j in robot.joints], [j.upper for j in robot.joints], (20, robot.dof))
    positions, rotations = robot.link_positions(joints)
    for row, position, rotation in zip(joints, positions, rotations, strict=True):
        for pose, p, r in zip(robot.link_poses(row.tolist()), position, rotation, strict=True):
            assert p == pytest.approx(pose.translation, abs=1e-12)
            assert r == pytest.approx(pose.rotation, abs=1e-12)


@pytest.mark.parametrize("name", LIBRARY)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_link_moves_further_than_levers_and_turns_allow(name, data):
    robot = loaded(name)
    joints = data.draw(joint_values(robot))
    other = data.draw(joint_values(robot))
    share = data.draw(st.floats(1e-6, 1.0))
    there = [a + share * (b - a) for a, b in zip(joints, other, strict=True)]
    travel = np.abs(np.subtract(there, joints))
    reach, turned = travel @ robot.levers(), travel @ robot.turns()
    for k, (a, b) in enumerate(zip(robot.link_poses(joints), robot.link_poses(there), strict=True)):
        shift, angle = a.distance_to(b)
        assert shift <= reach[k] + 1e-12
        assert angle <= turned[k] + 1e-7  # the angle between two rotations is known to half the digits only


@pytest.mark.parametrize("name", LIBRARY)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_two_links_come_nearer_than_what_lies_between_them_allows(name, data):
    robot = loaded(name)
    joints, other = data.draw(joint_values(robot)), data.draw(joint_values(robot))
    share = data.draw(st.floats(1e-6, 1.0))
    there = [a + share * (b - a) for a, b in zip(joints, other, strict=True)]
    travel = np.abs(np.subtract(there, joints))
    links = len(robot.links)
    i, j = data.draw(st.integers(0, links - 1)), data.draw(st.integers(0, links - 1))
    point = st.tuples(*[st.floats(-0.3, 0.3)] * 3)
    p, q = data.draw(point), data.draw(point)
    levers, turns = robot.between(i, j)
    reaches = (math.hypot(*p), math.hypot(*q))
    bound = sum(float(travel @ (levers[:, k] + turns[:, k] * reaches[k])) for k in (0, 1))
    before, after = robot.link_poses(joints), robot.link_poses(there)
    apart = [math.dist(poses[i].point(p), poses[j].point(q)) for poses in (before, after)]
    assert abs(apart[1] - apart[0]) <= bound + 1e-12


@pytest.mark.parametrize("name", [name for name in LIBRARY if name not in tool_names()])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_jacobian_is_the_derivative_of_the_flange(name, data):
    robot = loaded(name)
    joints = data.draw(joint_values(robot))
    jacobian = robot.jacobian(joints)
    step = 1e-6
    for k in range(robot.dof):
        ahead, behind = list(joints), list(joints)
        ahead[k] += step
        behind[k] -= step
        a, b = robot.forward(ahead), robot.forward(behind)
        speed = [(p - q) / (2 * step) for p, q in zip(a.position, b.position, strict=True)]
        assert jacobian[:3, k] == pytest.approx(speed, abs=1e-7)
        turn = np.array((a @ b.inverse()).rotation_vector) / (2 * step)
        assert jacobian[3:, k] == pytest.approx(turn, abs=1e-6)


def test_a_joint_past_its_limit_is_named_with_both_limits():
    puma = load_robot("puma560")
    with pytest.raises(MotionError) as caught:
        puma.check_joints(at_degrees(0, 0, 60, 0, 0, 0))
    assert str(caught.value) == (
        "puma560/elbow is past its limit: 60.0 deg is not between -225.0 and 45.0 deg\n"
        "  try: keep elbow within -225.0..45.0 deg"
    )
    with pytest.raises(MotionError, match=r"scara/quill is past its limit: 250\.0 mm is not between 0\.0 and 210"):
        load_robot("scara").check_joints([0, 0, 0.25, 0])
    with pytest.raises(MotionError, match="past its limit"):
        puma.check_joints([math.nan] * 6)
    with pytest.raises(MotionError, match="has 6 joints, but 2 values were given"):
        puma.check_joints([0, 0])


def test_a_joint_at_its_limit_is_within_it():
    puma = load_robot("puma560")
    puma.check_joints([joint.upper for joint in puma.joints])
    puma.check_joints([joint.lower for joint in puma.joints])


def test_printing_a_mechanism_gives_a_table_to_check_against_a_data_sheet():
    text = str(load_robot("scara"))
    assert "  quill  prismatic  0.0..210.0 mm      40.0 mm   1100.0 mm/s   7300 mm/s²" in text
    assert "outer_arm  inner_arm  outer     325.0, 0.0, 95.0" in text
    assert "configurations elbow=left|right" in text
    assert "source Adept Cobra s600 data sheet" in text


def test_mechanisms_are_values_that_travel_between_processes():
    puma = load_robot("puma560")
    puma.inverse(puma.forward(puma.home))
    again = pickle.loads(pickle.dumps(puma))
    assert again == puma
    assert again.forward(puma.home) == puma.forward(puma.home)
    with pytest.raises(AttributeError):
        puma.name = "other"  # type: ignore[misc]


def test_unknown_joints_links_and_frames_are_reported_with_the_nearest_name():
    puma = load_robot("puma560")
    with pytest.raises(UnknownName, match="there is no joint of puma560 'elbo'"):
        puma.joint("elbo")
    with pytest.raises(UnknownName, match="did you mean 'forearm'"):
        puma.link("fore_arm")
    with pytest.raises(UnknownName, match="there is no frame of puma560 'tcp'"):
        puma.mark("tcp")


HINGE = Joint("a", "revolute", -1.0, 1.0, 1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Mechanism("m", (HINGE, HINGE), (), Mark(-1)), "m has two joints called 'a'"),
        (lambda: Mechanism("m", (HINGE,), (Link("l"),), Mark(0)), "joint 'a' moves no link"),
        (lambda: Mechanism("m", (HINGE,), (Link("l", 0),), Mark(0)), "link 'l' must come after its parent"),
        (
            lambda: Mechanism("m", (HINGE,), (Link("l", drives=(Drive(0, "prismatic"),)),), Mark(0)),
            "joint 'a' is revolute, but its drive of link 'l' is prismatic",
        ),
        (
            lambda: Mechanism("m", (HINGE,), (Link("l", drives=(Drive(0, "revolute"),)),), Mark(3)),
            "frame 'flange' is on link number 3",
        ),
        (
            lambda: Mechanism("m", (HINGE,), (Link("l", drives=(Drive(0, "revolute"),)),), Mark(0), home=(2.0,)),
            "the home position of m/a is past its limit",
        ),
        (lambda: replace(HINGE, lower=1.0, upper=-1.0), "lower limit 57.3 deg at or above its upper limit -57.3 deg"),
        (lambda: replace(HINGE, speed=0.0), "speed limit of 0, which must be positive"),
        (lambda: Drive(0, "revolute", (0.0, 0.0, 2.0)), "axis must have length 1, not 2"),
    ],
)
def test_descriptions_that_contradict_themselves_are_refused(make, text):
    with pytest.raises(MechanismError) as caught:
        make()
    assert text in str(caught.value)
